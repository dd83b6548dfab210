/* SPDX-License-Identifier: Apache-2.0 */
/* How a hart sees memory: physical memory with its bounds, and the `tohost` word. Fills the view's
 * pages; under RV64 several pages of the address space share an entry, told apart by its tag. */
#include "hart/core.h"
#include "machine/journal.h"
#include "machine/watch.h"

#define TOHOST_SIZE 8u

/* Under a journal a page becomes writable with the first store, which saves it. */
static bool journal_page(struct sam_view *view, const struct sam_page *page, uint8_t *host,
                         enum sam_access access, uint16_t *writable)
{
    if (page->host == host && page->write_limit)
        return true;
    if (access != SAM_STORE)
        *writable = 0;
    else if (!sam_journal_save(view->journal, host))
        return false;
    else if (*writable && !sam_journal_grant(view->journal, (uint32_t)(page - view->pages)))
        *writable = 0;
    return true;
}

static uint8_t *resolve(struct sam_view *view, uint64_t address, unsigned size,
                        enum sam_access access, struct sam_fault *fault)
{
    struct sam_hart *hart =
        (struct sam_hart *)(void *)((char *)view - offsetof(struct sam_hart, view));
    const uint64_t offset = address % SAM_PAGE_SIZE, base = address - offset;
    struct sam_page *page = &view->pages[(uint32_t)address / SAM_PAGE_SIZE];
    *fault = (struct sam_fault){sam_access_cause(access), address};
    if (SAM_UNLIKELY(sam_hart_is_port(hart, address)))
        return sam_hart_port_word(hart, address, size, access, fault);
    if (access == SAM_FETCH && page->tag == (uint32_t)(address >> 32) &&
        offset + size <= page->read_limit) /* single-stepping asks repeatedly */
        return page->host + offset;
    const struct sam_region *region = sam_memory_find(hart->memory, address);
    if (!region || region->size - (address - region->base) < size)
        return NULL;
    uint8_t *host = sam_memory_host(hart->memory, base);
    if (!host) {
        view->exhausted = true;
        return NULL;
    }
    const uint16_t limit = sam_region_limit(region, base);
    uint16_t writable = sam_code_has(hart->code, address) ? 0 : limit;
    if (view->journal && !journal_page(view, page, host, access, &writable)) {
        view->exhausted = true;
        return NULL;
    }
    if (hart->has_tohost && hart->tohost >= base && hart->tohost - base < SAM_PAGE_SIZE) {
        /* Stores to the word come here; the view handles those before and after it. */
        const uint32_t before = (uint32_t)(hart->tohost - base), after = before + TOHOST_SIZE;
        view->beside = (struct sam_beside){.base = base + after,
                                           .host = host + after,
                                           .size = writable > after ? writable - after : 0};
        writable = (uint16_t)(before < writable ? before : writable);
        if (access == SAM_STORE && address < hart->tohost + TOHOST_SIZE &&
            address + size > hart->tohost)
            hart->core.event |= SAM_EVENT_TOHOST;
    }
    *page = (struct sam_page){.host = host,
                              .read_limit = limit,
                              .write_limit = writable,
                              .tag = (uint32_t)(address >> 32)};
    if (view->watches) {
        sam_watches_note(view->watches, address, size, access, host + offset);
        if (sam_watches_page(view->watches, base)) { /* every access comes here */
            page->read_limit = page->write_limit = 0;
            view->beside.size = 0;
        }
    }
    return host + offset;
}

bool sam_hart_space_init(struct sam_hart *hart)
{
    hart->view.resolve = resolve;
    return sam_view_init(&hart->view);
}
