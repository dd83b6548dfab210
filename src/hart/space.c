/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a hart sees: physical memory with its bounds, and the `tohost` word. Fills TLB
 * entries; in RV64, pages of the address space share entries, distinguished by the tag. */
#include "hart/core.h"
#include "machine/journal.h"
#include "machine/watch.h"

#define TOHOST_SIZE 8u

/* With a journal, a page becomes writable on its first store, which saves it. */
static bool journal_page(struct sam_tlb *tlb, const struct sam_tlb_entry *page, uint8_t *host,
                         enum sam_access access, uint16_t *writable)
{
    if (page->host == host && page->write_limit)
        return true;
    if (access != SAM_STORE)
        *writable = 0;
    else if (!sam_journal_save(tlb->journal, host))
        return false;
    else if (*writable && !sam_journal_grant(tlb->journal, (uint32_t)(page - tlb->entries)))
        *writable = 0;
    return true;
}

static uint8_t *resolve(struct sam_tlb *tlb, uint64_t address, unsigned size,
                        enum sam_access access, struct sam_fault *fault)
{
    struct sam_hart *hart =
        (struct sam_hart *)(void *)((char *)tlb - offsetof(struct sam_hart, tlb));
    const uint64_t offset = address % SAM_PAGE_SIZE, base = address - offset;
    struct sam_tlb_entry *page = &tlb->entries[(uint32_t)address / SAM_PAGE_SIZE];
    *fault = (struct sam_fault){sam_access_cause(access), address};
    if (SAM_UNLIKELY(sam_hart_is_port(hart, address)))
        return sam_hart_port_word(hart, address, size, access, fault);
    if (access == SAM_FETCH && page->tag == (uint32_t)(address >> 32) &&
        offset + size <= page->read_limit) /* while single-stepping */
        return page->host + offset;
    const struct sam_region *region = sam_memory_find(hart->memory, address);
    if (!region || region->size - (address - region->base) < size)
        return NULL;
    uint8_t *host = sam_memory_host(hart->memory, base);
    if (!host) {
        tlb->exhausted = true;
        return NULL;
    }
    const uint16_t limit = sam_region_limit(region, base);
    uint16_t writable = sam_code_has(hart->code, address) ? 0 : limit;
    if (tlb->journal && !journal_page(tlb, page, host, access, &writable)) {
        tlb->exhausted = true;
        return NULL;
    }
    if (hart->has_tohost && hart->tohost >= base && hart->tohost - base < SAM_PAGE_SIZE) {
        /* Stores to the tohost word resolve; tlb->gap covers those after it. */
        const uint32_t before = (uint32_t)(hart->tohost - base), after = before + TOHOST_SIZE;
        tlb->gap = (struct sam_tlb_gap){.base = base + after,
                                        .host = host + after,
                                        .size = writable > after ? writable - after : 0};
        writable = (uint16_t)(before < writable ? before : writable);
        if (access == SAM_STORE && address < hart->tohost + TOHOST_SIZE &&
            address + size > hart->tohost)
            hart->core.event |= SAM_EVENT_TOHOST;
    }
    *page = (struct sam_tlb_entry){.host = host,
                                   .read_limit = limit,
                                   .write_limit = writable,
                                   .tag = (uint32_t)(address >> 32)};
    if (tlb->watches) {
        sam_watches_note(tlb->watches, address, size, access, host + offset);
        if (sam_watches_page(tlb->watches, base)) { /* every access must resolve */
            page->read_limit = page->write_limit = 0;
            tlb->gap.size = 0;
        }
    }
    return host + offset;
}

bool sam_hart_space_init(struct sam_hart *hart)
{
    hart->tlb.resolve = resolve;
    return sam_tlb_init(&hart->tlb);
}
