/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/watch.h"

/* Make the next access to each watched page resolve. Entries of local memory keep their host
 * address. */
static void close_pages(struct sam_tlb *tlb, const struct sam_watch *watch)
{
    const uint64_t first = watch->first / SAM_PAGE_SIZE, last = watch->last / SAM_PAGE_SIZE;
    uint64_t pages = last - first;
    if (pages >= SAM_TLB_ENTRIES)
        pages = SAM_TLB_ENTRIES - 1;
    for (uint64_t i = 0; i <= pages; i++) {
        struct sam_tlb_entry *page = &tlb->entries[(uint32_t)((first + i) % SAM_TLB_ENTRIES)];
        page->read_limit = page->write_limit = 0;
    }
    tlb->gap.size = 0;
}

bool sam_watches_add(struct sam_tlb *tlb, const struct sam_watch *watch)
{
    struct sam_watches *w = tlb->watches;
    void *grown = sam_grow(w->list, w->count, &w->capacity, sizeof *w->list);
    if (!grown)
        return false;
    w->list = grown;
    w->list[w->count++] = *watch;
    close_pages(tlb, watch);
    return true;
}

void sam_watches_remove(struct sam_tlb *tlb, size_t index)
{
    struct sam_watches *w = tlb->watches;
    memmove(w->list + index, w->list + index + 1, (--w->count - index) * sizeof *w->list);
}

bool sam_watches_page(const struct sam_watches *w, uint64_t page_base)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->list[i].first < page_base + SAM_PAGE_SIZE && w->list[i].last >= page_base)
            return true;
    return false;
}

uint64_t sam_watch_bytes(const uint8_t *host, uint32_t size)
{
    uint8_t bytes[8] = {0};
    if (size > sizeof bytes)
        return 0;
    memcpy(bytes, host, size);
    return sam_le32(bytes) | (uint64_t)sam_le32(bytes + 4) << 32;
}

void sam_watches_note(struct sam_watches *w, uint64_t address, unsigned size,
                      enum sam_access access, const uint8_t *host)
{
    for (size_t i = 0; w->core && i < w->count; i++) {
        struct sam_watch *watch = &w->list[i];
        const bool wanted = access == SAM_LOAD ? watch->loads
                            : w->core->atomic  ? watch->loads || watch->stores
                                               : watch->stores;
        if (!wanted || access == SAM_FETCH || !watch->enabled || watch->hit ||
            address > watch->last || address + (size - 1) < watch->first)
            continue;
        watch->hit = true;
        watch->store = access == SAM_STORE;
        watch->address = address;
        watch->size = size;
        watch->host = host;
        watch->before = sam_watch_bytes(host, size);
        w->core->event |= SAM_EVENT_WATCH;
    }
}

void sam_watches_clear(struct sam_watches *w)
{
    for (size_t i = 0; i < w->count; i++)
        w->list[i].hit = false;
}
