/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores: resolve all pieces of memory, then move them. Manual 3.2. */
#include "tensor/unit.h"

/* A part of a run that lies in one page. */
struct piece {
    uint8_t *host;
    uint64_t address;
    uint16_t at, size;
    bool slow; /* resolved without the TLB: stores must invalidate decoded code */
};

/* memcpy without the call for common slice sizes. */
static inline void copy(uint8_t *restrict to, const uint8_t *restrict from, unsigned size)
{
    if (size - 16 > 48) { /* 16 to 64 */
        memcpy(to, from, size);
        return;
    }
    memcpy(to, from, 16);
    if (size > 32) {
        memcpy(to + 16, from + 16, 16);
        memcpy(to + size - 32, from + size - 32, 16);
    }
    memcpy(to + size - 16, from + size - 16, 16);
}

/* A run of at most 1024 bytes touches at most two pages. */
#define PIECES (2 * SAM_TL_SLICES)

static inline uint64_t wrap(const struct sam_tensor *t, uint64_t address)
{
    return t->narrow ? (uint32_t)address : address;
}

static bool inside(const struct sam_region *region, uint64_t address, unsigned size)
{
    uint64_t offset = address - region->base;
    return region->size == 0 || (offset < region->size && region->size - offset >= size);
}

static uint8_t *resolve(struct sam_core *c, const struct sam_region *region, uint64_t address,
                        unsigned size, bool store)
{
    struct sam_fault fault = {store ? SAM_CAUSE_STORE_ACCESS : SAM_CAUSE_LOAD_ACCESS, address};
    uint8_t *host = NULL;
    const bool in = inside(region, address, size);
    if (in)
        host = c->tlb->resolve(c->tlb, address, size, store ? SAM_STORE : SAM_LOAD, &fault);
    if (!host) {
        c->cause = fault.cause;
        c->tval = address;
        sam_tensor_of(c)->fault =
            in ? SAM_TL_FAULT(SAM_TL_FINE)
               : SAM_TL_FAULT(SAM_TL_OUTSIDE, store, region->base, region->size);
    }
    return host;
}

/* For accesses that miss the TLB. A failure is reported at its first byte. */
static SAM_NOINLINE uint8_t *find_slow(struct sam_core *c, const struct sam_region *region,
                                       uint64_t address, unsigned size, bool store)
{
    uint8_t *host = resolve(c, region, address, size, store);
    for (unsigned i = 0; !host && i < size; i++)
        if (!resolve(c, region, address + i, 1, store))
            return NULL;
    return host;
}

/* Resolve the pieces of all runs. Returns false after a fault. */
static bool find(struct sam_core *c, const struct sam_tl_plan *p, uint64_t base, bool store,
                 struct piece *pieces, unsigned *count)
{
    const struct sam_tensor *t = sam_tensor_of(c);
    const struct sam_region *region = store ? &t->l0m : &t->l1m;
    unsigned found = 0;
    for (unsigned i = 0; i < p->count; i++) {
        const struct sam_tl_run *run = &p->runs[i];
        for (unsigned done = 0; done < run->size;) {
            uint64_t address = wrap(t, base + (uint64_t)run->offset + done);
            unsigned offset = (unsigned)address & (SAM_PAGE_SIZE - 1), size = run->size - done;
            size = size < SAM_PAGE_SIZE - offset ? size : SAM_PAGE_SIZE - offset;
            const struct sam_tlb_entry *page = &c->entries[(uint32_t)address >> 12];
            unsigned limit = store ? page->write_limit : page->read_limit;
            struct piece *piece = &pieces[found++];
            *piece = (struct piece){.at = (uint16_t)(run->at + done), .size = (uint16_t)size};
            if (SAM_LIKELY(page->tag == (uint32_t)(address >> 32) && offset + size <= limit &&
                           inside(region, address, size))) {
                piece->host = page->host + offset;
            } else {
                piece->host = find_slow(c, region, address, size, store);
                piece->address = address;
                piece->slow = true;
                if (!piece->host)
                    return false;
            }
            done += size;
        }
    }
    *count = found;
    return true;
}

static SAM_NOINLINE const struct sam_tl_plan *
misaligned(struct sam_core *c, const struct sam_tl_plan *p, uint64_t base, bool store)
{
    struct sam_tensor *t = sam_tensor_of(c);
    c->cause = store ? SAM_CAUSE_STORE_MISALIGNED : SAM_CAUSE_LOAD_MISALIGNED;
    c->tval = wrap(t, base + (uint64_t)p->first);
    t->fault = SAM_TL_FAULT(SAM_TL_BASE, p->element);
    return NULL;
}

static SAM_NOINLINE const struct sam_tl_plan *illegal(struct sam_core *c,
                                                      const struct sam_tl_plan *p)
{
    sam_tensor_illegal(c, p->fault);
    return NULL;
}

/* All checks except bounds. Sets *base to the address of slice 0 at stride 0. */
static inline const struct sam_tl_plan *prepare(struct sam_core *c, uint64_t *base, int imm,
                                                bool store, bool masked)
{
    const struct sam_tl_plan *p = sam_tensor_plan(sam_tensor_of(c), store, masked);
    if (SAM_UNLIKELY(p->fault.why != SAM_TL_FINE))
        return illegal(c, p);
    *base += (uint64_t)((int64_t)imm * p->width);
    if (SAM_UNLIKELY(p->any && (*base & (p->element - 1u))))
        return misaligned(c, p, *base, store);
    return p;
}

bool sam_tensor_load(struct sam_core *c, unsigned tl, uint64_t base, int imm, bool masked)
{
    struct piece pieces[PIECES];
    unsigned count;
    const struct sam_tl_plan *p = prepare(c, &base, imm, false, masked);
    if (!p || !find(c, p, base, false, pieces, &count))
        return false;
    uint8_t *to = sam_tensor_of(c)->tl[tl];
    if (tl == 0)
        return true;
    for (unsigned i = 0; i < p->zero_count; i++)
        memset(to + p->zeros[i].at, 0, p->zeros[i].size);
    for (unsigned i = 0; i < count; i++)
        copy(to + pieces[i].at, pieces[i].host, pieces[i].size);
    return true;
}

bool sam_tensor_store(struct sam_core *c, unsigned tl, uint64_t base, int imm, bool masked)
{
    struct piece pieces[PIECES];
    unsigned count;
    const struct sam_tl_plan *p = prepare(c, &base, imm, true, masked);
    if (!p || !find(c, p, base, true, pieces, &count))
        return false;
    const uint8_t *from = sam_tensor_of(c)->tl[tl];
    for (unsigned i = 0; i < count; i++) {
        copy(pieces[i].host, from + pieces[i].at, pieces[i].size);
        if (SAM_UNLIKELY(pieces[i].slow))
            sam_code_store(c->code, pieces[i].address, pieces[i].size);
    }
    return true;
}
