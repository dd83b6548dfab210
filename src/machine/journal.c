/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/journal.h"

#include <stdlib.h>

struct saved {
    uint8_t *host;
    uint8_t *bytes;
};

/* A hash set of pages, with open addressing. */
struct set {
    const uint8_t **slots; /* NULL: free slot */
    size_t room, count;    /* room: number of slots, a power of two or 0 */
};

/* The pages changed between two marks, as of the first mark, in order of their first save. */
struct epoch {
    struct saved *pages;
    size_t count, capacity;
};

struct sam_journal {
    struct sam_tlb *tlb;
    struct epoch *epochs;
    size_t epoch_count, epoch_capacity;
    struct set saved;  /* saved in the last epoch */
    uint32_t *granted; /* TLB entries made writable in the last epoch */
    size_t granted_count, granted_capacity;
};

struct sam_journal *sam_journal_new(struct sam_tlb *tlb)
{
    struct sam_journal *j = sam_alloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->tlb = tlb;
    /* Write-protect every writable page. Later marks only re-protect pages unprotected since. */
    for (uint32_t i = 0; i < SAM_TLB_ENTRIES; i++)
        if (tlb->entries[i].write_limit)
            tlb->entries[i].write_limit = 0;
    tlb->gap.size = 0;
    tlb->journal = j;
    return j;
}

static void clear_epoch(struct epoch *epoch)
{
    for (size_t i = 0; i < epoch->count; i++)
        free(epoch->pages[i].bytes);
    free(epoch->pages);
    *epoch = (struct epoch){0};
}

void sam_journal_free(struct sam_journal *j)
{
    if (!j)
        return;
    j->tlb->journal = NULL;
    for (size_t i = 0; i < j->epoch_count; i++)
        clear_epoch(&j->epochs[i]);
    free(j->epochs);
    free(j->saved.slots);
    free(j->granted);
    free(j);
}

static size_t slot_of(const struct set *set, const uint8_t *host)
{
    size_t at = (size_t)((uintptr_t)host / SAM_PAGE_SIZE * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
                (set->room - 1);
    while (set->slots[at] && set->slots[at] != host)
        at = (at + 1) & (set->room - 1);
    return at;
}

static bool has(const struct set *set, const uint8_t *host)
{
    return set->room && set->slots[slot_of(set, host)];
}

static bool grow(struct set *set)
{
    struct set grown = {.room = set->room ? set->room * 2 : 256, .count = set->count};
    grown.slots = sam_alloc(grown.room, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < set->room; i++)
        if (set->slots[i])
            grown.slots[slot_of(&grown, set->slots[i])] = set->slots[i];
    free(set->slots);
    *set = grown;
    return true;
}

/* Returns false on out-of-memory. */
static bool add(struct set *set, const uint8_t *host)
{
    if (set->count * 2 >= set->room && !grow(set))
        return false;
    const size_t slot = slot_of(set, host);
    set->count += !set->slots[slot];
    set->slots[slot] = host;
    return true;
}

static bool fill(struct set *set, const struct epoch *epoch)
{
    bool ok = true;
    for (size_t i = 0; ok && i < epoch->count; i++)
        ok = add(set, epoch->pages[i].host);
    return ok;
}

/* Empty the last epoch's sets and write-protect its pages. */
static void begin(struct sam_journal *j)
{
    for (size_t i = 0; i < j->granted_count; i++)
        j->tlb->entries[j->granted[i]].write_limit = 0;
    j->tlb->gap.size = 0;
    j->granted_count = 0;
    free(j->saved.slots);
    j->saved = (struct set){0};
}

bool sam_journal_mark(struct sam_journal *j)
{
    void *grown = sam_grow(j->epochs, j->epoch_count, &j->epoch_capacity, sizeof *j->epochs);
    if (!grown)
        return false;
    j->epochs = grown;
    j->epochs[j->epoch_count++] = (struct epoch){0};
    begin(j);
    return true;
}

void sam_journal_back(struct sam_journal *j, size_t index)
{
    while (j->epoch_count > index) {
        struct epoch *last = &j->epochs[--j->epoch_count];
        for (size_t i = last->count; i--;)
            memcpy(last->pages[i].host, last->pages[i].bytes, SAM_PAGE_SIZE);
        clear_epoch(last);
    }
    j->epoch_count = index + 1;
    begin(j);
}

/* Append a page to an epoch, which takes ownership of its bytes. */
static bool append(struct epoch *epoch, struct saved page)
{
    void *grown = sam_grow(epoch->pages, epoch->count, &epoch->capacity, sizeof *epoch->pages);
    if (!grown)
        return false;
    epoch->pages = grown;
    epoch->pages[epoch->count++] = page;
    return true;
}

bool sam_journal_save(struct sam_journal *j, uint8_t *host)
{
    if (!j->epoch_count || has(&j->saved, host))
        return true;
    const struct saved page = {host, malloc(SAM_PAGE_SIZE)};
    if (!page.bytes || !append(&j->epochs[j->epoch_count - 1], page)) {
        free(page.bytes);
        return false;
    }
    memcpy(page.bytes, host, SAM_PAGE_SIZE);
    return add(&j->saved, host);
}

bool sam_journal_save_range(struct sam_journal *j, struct sam_memory *memory, uint64_t address,
                            size_t size)
{
    while (j && size) {
        const uint64_t inside = address % SAM_PAGE_SIZE;
        const size_t rest = SAM_PAGE_SIZE - inside, part = size < rest ? size : rest;
        uint8_t *host = sam_memory_host(memory, address - inside);
        if (!host || !sam_journal_save(j, host))
            return false;
        address += part;
        size -= part;
    }
    return true;
}

bool sam_journal_grant(struct sam_journal *j, uint32_t index)
{
    void *grown = sam_grow(j->granted, j->granted_count, &j->granted_capacity, sizeof *j->granted);
    if (!grown)
        return false;
    j->granted = grown;
    j->granted[j->granted_count++] = index;
    return true;
}

/* Move pages that the previous epoch lacks to it. Returns false on out-of-memory, before moving
 * anything. */
static bool merge(struct epoch *before, struct epoch *gone)
{
    struct set known = {0};
    const size_t room = before->count + gone->count;
    struct saved *grown = realloc(before->pages, (room ? room : 1) * sizeof *grown);
    if (grown) {
        before->pages = grown;
        before->capacity = room ? room : 1;
    }
    const bool ok = grown && fill(&known, before);
    for (size_t i = 0; ok && i < gone->count; i++) {
        if (has(&known, gone->pages[i].host))
            continue;
        before->pages[before->count++] = gone->pages[i];
        gone->pages[i].bytes = NULL;
    }
    free(known.slots);
    return ok;
}

bool sam_journal_drop(struct sam_journal *j, size_t index)
{
    struct epoch *gone = &j->epochs[index];
    const bool last = index + 1 == j->epoch_count;
    if (index && !merge(gone - 1, gone))
        return false;
    clear_epoch(gone);
    memmove(gone, gone + 1, (--j->epoch_count - index) * sizeof *gone);
    if (last) /* saving a page again is harmless */
        begin(j);
    return true;
}
