/* SPDX-License-Identifier: Apache-2.0 */
/* Products of integers that the matrix unit does not have, of 16 bits or of two sizes: the hart
 * multiplies their elements. */
#include "lower/box.h"
#include "lower/hart.h"

#include <inttypes.h>

bool sam_lower_multiplies(const struct lower *l, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = op->code < SAM_TILE_FIRST_OP ? NULL : sam_tile_row(op->code);
    if (!row || sam_tile_pipe(op->code) != SAM_TILE_PIPE_MATRIX || sam_tile_is_scaled(row))
        return false;
    const uint32_t at = sam_tile_accumulates(row);
    const enum sam_dtype a = sam_tile_ty(l->p, sam_tile_arg(l->p, op, at))->tile.dtype,
                         b = sam_tile_ty(l->p, sam_tile_arg(l->p, op, at + 1))->tile.dtype;
    return !sam_tile_is_real(a) && (a != b || sam_tile_size(a) > 1);
}

/* Bytes from an element to the one below or right of it. */
static uint32_t step(const struct lower *l, uint32_t tile, bool down)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    uint32_t pitch = 0;
    sam_lower_known(l, tile, LOWER_PITCH, &pitch);
    return down == (type->blayout == SAM_TILE_row_major) ? pitch
                                                         : (uint32_t)sam_tile_size(type->dtype);
}

static const char *load_of(const struct lower *l, uint32_t tile)
{
    const enum sam_dtype dtype = sam_tile_ty(l->p, tile)->tile.dtype;
    return sam_tile_size(dtype) == 1   ? sam_tile_is_signed(dtype) ? "lb" : "lbu"
           : sam_tile_is_signed(dtype) ? "lh"
                                       : "lhu";
}

void sam_lower_multiply(struct lower *l, uint32_t a, uint32_t b, uint32_t start, bool one_row,
                        uint32_t d)
{
    const bool starts = start != SAM_TILE_NONE;
    const uint32_t from = starts ? start : d;
    const struct {
        const char *reg;
        uint32_t step;
    } steps[] = {{"a4", step(l, a, true)},  {"a5", step(l, b, false)},
                 {"a6", step(l, d, true)},  {"a7", one_row ? 0 : step(l, from, true)},
                 {"s2", step(l, a, false)}, {"s3", step(l, b, true)},
                 {"s5", step(l, d, false)}, {"s11", step(l, from, false)}};
    for (size_t i = 0; i < SAM_COUNT(steps); i++)
        sam_lower_hart(l, "li %s, %" PRIu32, steps[i].reg, steps[i].step);
    sam_lower_field(l, "t2", a, LOWER_ADDRESS);
    sam_lower_field(l, "s4", b, LOWER_ADDRESS);
    sam_lower_field(l, "s6", d, LOWER_ADDRESS);
    sam_lower_field(l, "s7", from, LOWER_ADDRESS);
    sam_lower_field(l, "s8", d, LOWER_ROWS);
    sam_lower_field(l, "s9", d, LOWER_COLS);
    sam_lower_field(l, "s10", a, LOWER_COLS);
    sam_lower_hart(l,
                   "1: mv a1, s4; mv a2, s6; mv a3, s7; mv ra, s9; "
                   "2: %s; mv t0, t2; mv t1, a1; mv t3, s10; beqz t3, 4f; "
                   "3: %s t4, 0(t0); %s t5, 0(t1); mul t4, t4, t5; add a0, a0, t4; add t0, t0, s2; "
                   "add t1, t1, s3; addi t3, t3, -1; bnez t3, 3b; "
                   "4: sw a0, 0(a2); add a1, a1, a5; add a2, a2, s5; add a3, a3, s11; "
                   "addi ra, ra, -1; bnez ra, 2b; "
                   "add t2, t2, a4; add s6, s6, a6; add s7, s7, a7; addi s8, s8, -1; bnez s8, 1b",
                   starts ? "lw a0, 0(a3)" : "li a0, 0", load_of(l, a), load_of(l, b));
}
