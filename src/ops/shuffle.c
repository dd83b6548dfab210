/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations within registers. */
#include "ops/plan.h"

/* Two factors of `bytes` that fit tshape fields. */
static bool two_factors(uint64_t bytes, uint8_t factor[2])
{
    for (uint64_t f = bytes < 255 ? bytes : 255; f > 0; f--)
        if (bytes % f == 0 && bytes / f <= 255) {
            factor[0] = (uint8_t)(bytes / f);
            factor[1] = (uint8_t)f;
            return true;
        }
    return false;
}

/* Set tshape for `count` slices of `unit` bytes along one dim, in each of `outer` rows. */
static bool shape_of(struct sam_block_op *op, uint64_t outer, uint64_t count, uint64_t unit)
{
    if (count > SAM_PLAN_TL_SLICES || outer * count * unit > SAM_PLAN_TL_BYTES)
        return false;
    if (outer == 1) {
        op->dim = 0;
        op->shape[0] = (uint8_t)count;
        return two_factors(unit, &op->shape[1]);
    }
    if (unit == 1) {
        op->dim = 2;
        op->shape[2] = (uint8_t)count;
        return two_factors(outer, &op->shape[0]);
    }
    op->dim = 1;
    op->shape[0] = (uint8_t)outer;
    op->shape[1] = (uint8_t)count;
    op->shape[2] = (uint8_t)unit;
    return outer <= 255 && unit <= 255;
}

bool sam_concat(struct sam_block *block, unsigned rd, unsigned rs1, uint32_t mask1, unsigned rs2,
                uint32_t mask2, uint64_t outer, uint64_t count, uint64_t unit)
{
    struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_CONCAT);
    op->rd = (uint8_t)rd;
    op->rs1 = (uint8_t)rs1;
    op->rs2 = (uint8_t)rs2;
    op->mask1 = mask1;
    op->mask2 = mask2;
    return shape_of(op, outer, count, unit);
}

/* Positions i, i+q, i+2q, ... (p of them). */
static uint32_t comb(uint64_t p, uint64_t q, uint64_t i)
{
    uint32_t mask = 0;
    for (uint64_t j = 0; j < p; j++)
        mask |= UINT32_C(1) << (i + j * q);
    return mask;
}

static uint32_t low(uint64_t count)
{
    return count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

/* Column i of the p x q positions moves to positions i*p and up: the first CONCAT takes columns 0
 * and 1, each further one appends a column. */
bool sam_swap_concat(struct sam_block *block, unsigned reg, unsigned scratch, uint64_t outer,
                     uint64_t p, uint64_t q, uint64_t unit)
{
    if (p == 1 || q == 1)
        return true;
    if (p * q > SAM_PLAN_TL_SLICES)
        return false;
    for (uint64_t i = 1; i < q; i++) {
        /* The last one leaves the result in `reg`. */
        unsigned rd = i + 1 == q ? reg : scratch, rs1 = i == 1 ? reg : scratch;
        uint32_t have = i == 1 ? comb(p, q, 0) : low(i * p);
        if (!sam_concat(block, rd, rs1, have, reg, comb(p, q, i), outer, p * q, unit))
            return false;
    }
    return true;
}

bool sam_swap_xpose(struct sam_block *block, unsigned reg, const uint64_t dims[4], unsigned a,
                    unsigned b, uint64_t unit)
{
    struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_XPOSE);
    uint64_t bytes = unit;
    while (op->width_log < 3 && unit % 2 == 0) {
        unit /= 2;
        op->width_log++;
    }
    op->rs1 = (uint8_t)reg;
    op->rs2 = (uint8_t)(reg + 1);
    op->dim = (uint8_t)a;
    op->dim2 = (uint8_t)b;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t n = dims[i];
        bytes *= n;
        if (i == 3)
            n *= unit;
        if (n > 255)
            return false;
        op->shape[i] = (uint8_t)n;
    }
    return bytes == 2 * SAM_PLAN_TL_BYTES && dims[0] % 2 == 0;
}
