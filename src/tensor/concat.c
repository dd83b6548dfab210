/* SPDX-License-Identifier: Apache-2.0 */
/* TL.CONCAT and TL.MERGE: positions along one dimension of a block, selected by masks. A block is
 * [outer][positions][inner]; the same positions are selected in every row of outer. Manual 3.4,
 * 4.3. */
#include "tensor/unit.h"

/* The block with dimension `dim` in the middle; `inner` in bytes, where 4-bit elements take one
 * each. */
struct block {
    unsigned outer, positions, inner;
    bool nibbles;
    unsigned elements;
};

/* The source of a position of the result: a byte offset within the row of one of two blocks. */
struct source {
    uint8_t which;
    uint16_t at;
};

/* The block given by the CSRs, which must have written the first `masks` mask CSRs; or a fault. */
static struct sam_tl_fault describe(const struct sam_tensor *t, unsigned dim, unsigned masks,
                                    struct block *b)
{
    if (t->shape != SAM_TL_FINE)
        return sam_tensor_shape_fault(t);
    if (t->dims[dim] > 32)
        return SAM_TL_FAULT(SAM_TL_DIMENSION, dim, t->dims[dim]);
    for (unsigned i = 0; i < masks; i++)
        if (!sam_tensor_is_written(t, SAM_CSR_tmask_concat_1 + i))
            return SAM_TL_FAULT(SAM_TL_UNWRITTEN, SAM_CSR_tmask_concat_1 + i);
    unsigned bits = (unsigned)sam_dtype_bits(t->type);
    *b = (struct block){.outer = 1, .inner = bits < 8 ? 1 : bits / 8, .nibbles = bits < 8};
    for (unsigned i = 0; i < dim; i++)
        b->outer *= t->dims[i];
    for (unsigned i = dim + 1; i < 3; i++)
        b->inner *= t->dims[i];
    b->positions = t->dims[dim];
    b->elements = t->dims[0] * t->dims[1] * t->dims[2];
    return SAM_TL_FAULT(SAM_TL_FINE);
}

/* Rows of `count` selected positions; the rest of each row is zero. */
#define GATHER(name, size)                                                                         \
    static void name(uint8_t *to, const uint8_t *const from[2], const struct block *b,             \
                     const struct source *sources, unsigned count)                                 \
    {                                                                                              \
        const unsigned inner = (size), row = b->positions * inner;                                 \
        for (unsigned o = 0; o < b->outer; o++, to += row) {                                       \
            for (unsigned j = 0; j < count; j++)                                                   \
                memcpy(to + j * inner, from[sources[j].which] + o * row + sources[j].at, inner);   \
            memset(to + count * inner, 0, row - count * inner);                                    \
        }                                                                                          \
    }

GATHER(gather_1, 1u)
GATHER(gather_2, 2u)
GATHER(gather_4, 4u)
GATHER(gather_any, b->inner)

static void gather(uint8_t *to, const uint8_t *const from[2], const struct block *b,
                   const struct source *sources, unsigned count)
{
    switch (b->inner) {
    case 1: gather_1(to, from, b, sources, count); break;
    case 2: gather_2(to, from, b, sources, count); break;
    case 4: gather_4(to, from, b, sources, count); break;
    default: gather_any(to, from, b, sources, count); break;
    }
}

/* build() for 4-bit elements. After an odd number of them, the last nibble of the byte is kept. */
static void build_nibbles(struct sam_tensor *t, unsigned to, unsigned tl1, unsigned tl2,
                          const struct block *b, const struct source *sources, unsigned count)
{
    uint8_t wide[2][2 * SAM_TL_SIZE], result[2 * SAM_TL_SIZE] = {0};
    unsigned whole = b->elements + (b->elements & 1);
    sam_nibbles_unpack(wide[0], t->tl[tl1], whole);
    sam_nibbles_unpack(wide[1], t->tl[tl2], whole);
    gather(result, (const uint8_t *const[2]){wide[0], wide[1]}, b, sources, count);
    if (b->elements & 1)
        result[b->elements] = t->tl[to][b->elements / 2] >> 4;
    sam_nibbles_pack(t->tl[to], result, whole);
}

/* Write the block to register `to`. Bytes after the block keep their values. */
static void build(struct sam_tensor *t, unsigned to, unsigned tl1, unsigned tl2,
                  const struct block *b, const struct source *sources, unsigned count)
{
    uint8_t result[SAM_TL_SIZE];
    if (to == 0)
        return;
    if (b->nibbles) {
        build_nibbles(t, to, tl1, tl2, b, sources, count);
        return;
    }
    gather(result, (const uint8_t *const[2]){t->tl[tl1], t->tl[tl2]}, b, sources, count);
    memcpy(t->tl[to], result, (size_t)b->outer * b->positions * b->inner);
}

bool sam_tensor_concat(struct sam_core *c, unsigned to, unsigned tl1, unsigned tl2, unsigned dim)
{
    struct sam_tensor *t = sam_tensor_of(c);
    struct block b;
    struct source sources[64];
    unsigned count = 0;
    const struct sam_tl_fault fault = describe(t, dim, 2, &b);
    if (fault.why != SAM_TL_FINE)
        return sam_tensor_illegal(c, fault);
    for (unsigned which = 0; which < 2; which++) {
        uint32_t mask = sam_tensor_csr(t, SAM_CSR_tmask_concat_1 + which);
        for (unsigned j = 0; j < b.positions; j++)
            if (mask >> j & 1)
                sources[count++] = (struct source){(uint8_t)which, (uint16_t)(j * b.inner)};
    }
    if (count > b.positions)
        return sam_tensor_illegal(c, SAM_TL_FAULT(SAM_TL_SELECTED, count, dim, b.positions));
    build(t, to, tl1, tl2, &b, sources, count);
    return true;
}

/* Merge whole bytes with a mask that is all ones where the first source is selected. */
static void blend(uint8_t *to, const uint8_t *from1, const uint8_t *from2, const struct block *b,
                  uint32_t mask)
{
    uint8_t first[SAM_TL_SIZE];
    const unsigned row = b->positions * b->inner, size = b->outer * row;
    for (unsigned j = 0; j < b->positions; j++)
        memset(first + j * b->inner, mask >> j & 1 ? 0xff : 0, b->inner);
    for (unsigned o = 1; o < b->outer; o++)
        memcpy(first + o * row, first, row);
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)((from1[i] & first[i]) | (from2[i] & ~first[i]));
}

bool sam_tensor_merge(struct sam_core *c, unsigned to, unsigned tl1, unsigned tl2, unsigned dim)
{
    struct sam_tensor *t = sam_tensor_of(c);
    struct block b;
    struct source sources[32];
    const struct sam_tl_fault fault = describe(t, dim, 1, &b);
    if (fault.why != SAM_TL_FINE)
        return sam_tensor_illegal(c, fault);
    uint32_t mask = sam_tensor_csr(t, SAM_CSR_tmask_concat_1);
    if (to == 0)
        return true;
    if (!b.nibbles) {
        blend(t->tl[to], t->tl[tl1], t->tl[tl2], &b, mask);
        return true;
    }
    for (unsigned j = 0; j < b.positions; j++)
        sources[j] = (struct source){!(mask >> j & 1), (uint16_t)(j * b.inner)};
    build_nibbles(t, to, tl1, tl2, &b, sources, b.positions);
    return true;
}
