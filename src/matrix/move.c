/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores, row by row. After a fault the rows before are complete and xmrstart holds the
 * failing row, so that the instruction can be restarted. */
#include "matrix/unit.h"

/* A part of a row that lies in one page. */
struct part {
    uint8_t *host;
    uint64_t address;
    unsigned size;
    bool slow; /* resolved without the TLB: stores must invalidate decoded code */
};

/* memcpy with constant sizes for whole rows. */
static inline void copy(uint8_t *to, const uint8_t *from, unsigned size)
{
    switch (size) {
    case 64: memcpy(to, from, 64); break;
    case 32: memcpy(to, from, 32); break;
    case 16: memcpy(to, from, 16); break;
    default: memcpy(to, from, size); break;
    }
}

/* Host address of the bytes if one TLB entry covers them, else NULL. */
static inline uint8_t *find_fast(const struct sam_core *c, uint64_t address, unsigned size,
                                 bool store)
{
    const unsigned offset = (unsigned)address & (SAM_PAGE_SIZE - 1);
    const struct sam_tlb_entry *page = &c->entries[(uint32_t)address >> 12];
    const unsigned limit = store ? page->write_limit : page->read_limit;
    if (SAM_LIKELY(page->tag == (uint32_t)(address >> 32) && offset + size <= limit &&
                   address < SAM_MATRIX_MEMORY))
        return page->host + offset;
    return NULL;
}

static uint8_t *resolve(struct sam_core *c, uint64_t address, unsigned size, bool store)
{
    struct sam_fault fault = {store ? SAM_CAUSE_STORE_ACCESS : SAM_CAUSE_LOAD_ACCESS, address};
    uint8_t *host = NULL;
    const bool reached = address < SAM_MATRIX_MEMORY && size <= SAM_MATRIX_MEMORY - address;
    if (reached)
        host = c->tlb->resolve(c->tlb, address, size, store ? SAM_STORE : SAM_LOAD, &fault);
    if (!host) {
        sam_matrix_of(c)->fault = SAM_MATRIX_FAULT(reached ? SAM_MATRIX_FINE : SAM_MATRIX_HIGH, 0);
        c->cause = fault.cause;
        c->tval = address;
    }
    return host;
}

/* For accesses that miss the TLB. A failure is reported at its first byte. */
static SAM_NOINLINE uint8_t *find_slow(struct sam_core *c, uint64_t address, unsigned size,
                                       bool store)
{
    uint8_t *host = resolve(c, address, size, store);
    for (unsigned i = 0; !host && i < size; i++)
        if (!resolve(c, address + i, 1, store))
            return NULL;
    return host;
}

/* Resolve the one or two parts of the bytes. Returns their number, 0 after a fault. */
static unsigned find(struct sam_core *c, uint64_t address, unsigned size, bool store,
                     struct part parts[2])
{
    const bool narrow = sam_matrix_of(c)->narrow;
    unsigned count = 0;
    while (size) {
        struct part *p = &parts[count++];
        address = narrow ? (uint32_t)address : address;
        unsigned offset = (unsigned)address & (SAM_PAGE_SIZE - 1), rest = SAM_PAGE_SIZE - offset;
        *p = (struct part){.address = address, .size = size < rest ? size : rest};
        p->host = find_fast(c, address, p->size, store);
        if (!p->host) {
            p->slow = true;
            p->host = find_slow(c, address, p->size, store);
            if (!p->host)
                return 0;
        }
        address += p->size;
        size -= p->size;
    }
    return count;
}

/* Move bytes between a register and memory. */
static SAM_NOINLINE bool move_slow(struct sam_core *c, uint8_t *row, uint64_t address,
                                   unsigned size, bool store)
{
    struct part parts[2];
    unsigned count = find(c, address, size, store, parts);
    for (unsigned i = 0; i < count; i++) {
        const struct part *p = &parts[i];
        if (!store) {
            memcpy(row, p->host, p->size);
        } else {
            memcpy(p->host, row, p->size);
            if (SAM_UNLIKELY(p->slow))
                sam_code_store(c->code, p->address, p->size);
        }
        row += p->size;
    }
    return count != 0;
}

static inline bool move(struct sam_core *c, uint8_t *row, uint64_t address, unsigned size,
                        bool store)
{
    const bool narrow = sam_matrix_of(c)->narrow;
    uint8_t *host = find_fast(c, narrow ? (uint32_t)address : address, size, store);
    if (SAM_UNLIKELY(!host))
        return move_slow(c, row, address, size, store);
    copy(store ? host : row, store ? row : host, size);
    return true;
}

/* Check that base and stride are multiples of the element. Traps if not. */
static bool aligned(struct sam_core *c, uint64_t base, uint64_t stride, unsigned element,
                    bool store)
{
    if (SAM_LIKELY(((base | stride) & (element - 1)) == 0))
        return true;
    uint64_t address = base & (element - 1) ? base : base + stride;
    sam_matrix_of(c)->fault = SAM_MATRIX_FAULT(SAM_MATRIX_UNALIGNED, element);
    c->cause = store ? SAM_CAUSE_STORE_MISALIGNED : SAM_CAUSE_LOAD_MISALIGNED;
    c->tval = sam_matrix_of(c)->narrow ? (uint32_t)address : address;
    return false;
}

/* A row of elements of 8 bits, widened to fp16 in the register. */
static bool load_widened(struct sam_core *c, uint8_t *row, uint64_t address)
{
    const struct sam_matrix *m = sam_matrix_of(c);
    uint8_t narrow[SAM_MATRIX_ROW_BYTES]; /* half of it is used */
    if (!move(c, narrow, address, m->size_k / 2, false))
        return false;
    sam_dtype_widen(m->widen, SAM_F16, narrow, m->size_k / 2, row, NULL);
    return true;
}

bool sam_matrix_load(struct sam_core *c, unsigned md, uint64_t base, uint64_t stride,
                     unsigned variant)
{
    struct sam_matrix *m = sam_matrix_of(c);
    const unsigned element = 1u << (variant & 3), widening = sam_matrix_widening(m, variant);
    if (!sam_matrix_sized(c, element) || !aligned(c, base, stride, element >> widening, false))
        return false;
    for (unsigned i = m->start; i < m->size_m; i++) {
        uint8_t *row = sam_matrix_row(m, md, i);
        const uint64_t from = base + i * stride;
        if (SAM_UNLIKELY(
                !(widening ? load_widened(c, row, from) : move(c, row, from, m->size_k, false)))) {
            m->start = i;
            m->state = SAM_MATRIX_DIRTY;
            return false;
        }
        if (m->size_k < m->row_bytes)
            memset(row + m->size_k, 0, m->row_bytes - m->size_k);
    }
    unsigned from = m->start > m->size_m ? m->start : m->size_m;
    if (from < m->rows)
        memset(sam_matrix_row(m, md, from), 0, (m->rows - from) * m->row_bytes);
    m->start = 0;
    m->state = SAM_MATRIX_DIRTY;
    return true;
}

bool sam_matrix_store(struct sam_core *c, unsigned ms3, uint64_t base, uint64_t stride,
                      unsigned variant)
{
    struct sam_matrix *m = sam_matrix_of(c);
    const unsigned element = 1u << (variant & 3);
    if (!sam_matrix_sized(c, element) || !aligned(c, base, stride, element, true))
        return false;
    for (unsigned i = m->start; i < m->size_m; i++) {
        uint8_t *row = sam_matrix_row(m, ms3, i);
        if (SAM_UNLIKELY(!move(c, row, base + i * stride, m->size_k, true))) {
            m->start = i;
            return false;
        }
    }
    m->start = 0;
    return true;
}

/* Rows are numbered through all registers of the group. */
static bool move_whole(struct sam_core *c, unsigned reg, uint64_t base, unsigned variant,
                       bool store)
{
    struct sam_matrix *m = sam_matrix_of(c);
    const unsigned count = sam_m_whole_count(variant);
    if (reg % count)
        return sam_matrix_illegal(c, SAM_MATRIX_FAULT(SAM_MATRIX_GROUP, reg, count));
    if (!aligned(c, base, 0, 1u << (variant & 3), store))
        return false;
    for (unsigned i = m->start; i < count * m->rows; i++) {
        uint8_t *row = sam_matrix_row(m, reg + i / m->rows, i % m->rows);
        if (SAM_UNLIKELY(!move(c, row, base + i * m->row_bytes, m->row_bytes, store))) {
            m->start = i;
            m->state = store ? m->state : SAM_MATRIX_DIRTY;
            return false;
        }
    }
    m->start = 0;
    m->state = store ? m->state : SAM_MATRIX_DIRTY;
    return true;
}

bool sam_matrix_load_whole(struct sam_core *c, unsigned md, uint64_t base, unsigned variant)
{
    return move_whole(c, md, base, variant, false);
}

bool sam_matrix_store_whole(struct sam_core *c, unsigned ms3, uint64_t base, unsigned variant)
{
    return move_whole(c, ms3, base, variant, true);
}
