/* SPDX-License-Identifier: Apache-2.0 */
/* 4-bit elements, two per byte. If the dims that an operator leaves contiguous hold an even number,
 * pairs stay together and the plan is a byte plan on half as many elements. Otherwise a slice may
 * begin in the middle of a byte, which no LOAD can address: the inputs are split to one byte per
 * element in scratch memory, a byte plan moves these, and its output is joined.
 *
 * Split and join are two XPOSEs of 4-bit elements, 1024 bytes at a time: [2][2048] halves, of the
 * bytes and of zeros, to [2048][2] and back. */
#include <stdio.h>
#include <stdlib.h>

#include "ops/operators.h"

#define ALIGN 64u /* of a tensor in scratch memory */

/* Halve an even dim from `first` on. Returns false if there is none. */
static bool halve(struct sam_shape *shape, unsigned first, unsigned *dim)
{
    for (*dim = first; *dim < shape->rank && *dim < SAM_MAX_RANK; ++*dim)
        if (shape->dim[*dim] % 2 == 0) {
            shape->dim[*dim] /= 2;
            return true;
        }
    return false;
}

/* --------------------------------------------------------------------------- split and join */

static void add_xpose(struct sam_block *block, const uint8_t shape[4], uint8_t dim)
{
    struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_XPOSE);
    memcpy(op->shape, shape, sizeof op->shape);
    op->dim = dim;
    op->dim2 = dim + 1;
    op->rs2 = 1;
}

/* Add LOADs or STOREs of registers 0 and 1 for `bytes` bytes. */
static void add_moves(struct sam_block *block, enum sam_block_kind kind, uint64_t bytes)
{
    for (uint8_t reg = 0; bytes; reg++) {
        const uint64_t part = bytes < SAM_PLAN_TL_BYTES ? bytes : SAM_PLAN_TL_BYTES;
        struct sam_block_op *op = sam_block_add(block, kind);
        op->rd = op->rs1 = reg;
        op->slices = 1;
        op->width = (uint16_t)part;
        op->offset = reg * (int64_t)SAM_PLAN_TL_BYTES;
        bytes -= part;
    }
}

static const uint8_t halves[4] = {2, 32, 64, 1}, rows[4] = {32, 2, 64, 1},
                     pairs[4] = {32, 64, 2, 1};

/* Add `count` blocks of `bytes` packed bytes from `first`. */
static bool add_blocks(struct sam_plan *plan, enum sam_plan_phase phase, unsigned input,
                       uint64_t first, uint64_t count, uint64_t bytes)
{
    const bool split = phase == SAM_PHASE_SPLIT;
    const int64_t packed = (int64_t)bytes, wide = 2 * packed;
    struct sam_plan_region *region = sam_plan_add_region(plan);
    if (!region)
        return false;
    region->phase = phase;
    region->input = input;
    region->in = (int64_t)first * (split ? 1 : 2);
    region->out = (int64_t)first * (split ? 2 : 1);
    region->bytes = bytes;
    if (count > 1)
        region->loop[region->loops++] =
            (struct sam_loop){count, split ? packed : wide, split ? wide : packed};
    snprintf(region->what, sizeof region->what, "%llu bytes, %s", (unsigned long long)bytes,
             split ? "split" : "joined");
    struct sam_block *block = &region->block;
    block->registers = 2;
    add_moves(block, SAM_BLOCK_LOAD, split ? bytes : 2 * bytes);
    if (split) { /* CONCAT of no positions gives zeros */
        struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_CONCAT);
        memcpy(op->shape, pairs, sizeof op->shape);
        op->shape[2] = 1;
        op->rd = 1;
    }
    add_xpose(block, split ? halves : pairs, split ? 0 : 1);
    add_xpose(block, rows, split ? 1 : 0);
    add_moves(block, SAM_BLOCK_STORE, split ? 2 * bytes : bytes);
    return !block->failed;
}

/* Split or join a tensor of `bytes` packed bytes; the last block overlaps the one before. */
static bool add_phase(struct sam_plan *plan, enum sam_plan_phase phase, unsigned input,
                      uint64_t bytes)
{
    const uint64_t block = bytes < SAM_PLAN_TL_BYTES ? bytes : SAM_PLAN_TL_BYTES;
    return !bytes ||
           (add_blocks(plan, phase, input, 0, bytes / block, block) &&
            (bytes % block == 0 || add_blocks(plan, phase, input, bytes - block, 1, block)));
}

static uint64_t place(struct sam_plan *plan, uint64_t packed)
{
    const uint64_t at = plan->scratch;
    plan->scratch += (2 * packed + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

/* Turn a byte plan into a plan of 4-bit elements in scratch memory. */
static bool add_scratch(struct sam_plan *plan)
{
    const size_t moves = plan->count;
    for (unsigned i = 0; i < plan->inputs; i++)
        plan->input_size[i] = (plan->input_size[i] + 1) / 2;
    plan->odd = plan->output_size % 2;
    plan->output_size = plan->bound_stored = (plan->output_size + 1) / 2;
    plan->bound_loaded = (plan->bound_loaded + 1) / 2;
    if (!moves)
        return true;
    plan->split = sam_alloc(plan->inputs, sizeof *plan->split);
    if (!plan->split)
        return false;
    for (unsigned i = 0; i < plan->inputs; i++) {
        plan->split[i] = place(plan, plan->input_size[i]);
        if (!add_phase(plan, SAM_PHASE_SPLIT, i, plan->input_size[i]))
            return false;
    }
    /* splits come first */
    const size_t splits = plan->count - moves;
    struct sam_plan_region *first = sam_alloc(splits + 1, sizeof *first);
    if (!first)
        return false;
    memcpy(first, plan->regions + moves, splits * sizeof *first);
    memmove(plan->regions + splits, plan->regions, moves * sizeof *first);
    memcpy(plan->regions, first, splits * sizeof *first);
    free(first);
    plan->joined = place(plan, plan->output_size);
    return add_phase(plan, SAM_PHASE_JOIN, 0, plan->output_size);
}

/* Finish a byte plan made of pairs (dim `dim` of the output counts pairs), or of elements. */
static enum sam_status finish(struct sam_plan **plan, enum sam_status status, bool paired,
                              unsigned dim, struct sam_error *error)
{
    if (status != SAM_OK)
        return status;
    (*plan)->half_bytes = true;
    if (paired)
        (*plan)->shape.dim[dim] *= 2;
    else if (!add_scratch(*plan))
        status = sam_fail_memory(error);
    return sam_plan_finish(plan, status);
}

/* ------------------------------------------------------------------------------- operators */

enum sam_status sam_plan_halves_reshape(const struct sam_shape *in, const struct sam_shape *out,
                                        struct sam_plan **plan, struct sam_error *error)
{
    struct sam_shape from = *in, to = *out;
    unsigned dim = 0;
    uint64_t before, after;
    const bool paired = sam_shape_check(in, 1, NULL) == SAM_OK &&
                        sam_shape_check(out, 1, NULL) == SAM_OK &&
                        sam_shape_bytes(in, 1, &before) && sam_shape_bytes(out, 1, &after) &&
                        before == after && halve(&from, 0, &dim) && halve(&to, 0, &dim);
    const enum sam_status status =
        sam_plan_reshape(paired ? &from : in, 1, paired ? &to : out, plan, error);
    return finish(plan, status, paired, dim, error);
}

enum sam_status sam_plan_halves_transpose(const struct sam_shape *in,
                                          const unsigned perm[SAM_MAX_RANK], struct sam_plan **plan,
                                          struct sam_error *error)
{
    struct sam_shape from = *in;
    unsigned dim, fixed = in->rank <= SAM_MAX_RANK ? in->rank : 0;
    while (fixed && perm[fixed - 1] == fixed - 1)
        fixed--;
    const bool paired = halve(&from, fixed, &dim);
    return finish(plan, sam_plan_transpose(&from, 1, perm, plan, error), paired, dim, error);
}

enum sam_status sam_plan_halves_concat(const struct sam_shape *in, size_t count, unsigned axis,
                                       struct sam_plan **plan, struct sam_error *error)
{
    struct sam_shape from[SAM_PLAN_INPUTS];
    unsigned dim = 0;
    bool paired = count && count <= SAM_PLAN_INPUTS && axis < in->rank;
    if (paired) {
        memcpy(from, in, count * sizeof *from);
        /* all inputs have equal dims after the axis */
        paired = halve(&from[0], axis + 1, &dim) || halve(&from[0], axis, &dim);
    }
    for (size_t i = 1; paired && i < count; i++) {
        paired = dim < from[i].rank && from[i].dim[dim] % 2 == 0;
        from[i].dim[dim] /= 2;
    }
    const enum sam_status status = sam_plan_concat(paired ? from : in, count, 1, axis, plan, error);
    return finish(plan, status, paired, dim, error);
}

enum sam_status sam_plan_halves_compress(const struct sam_shape *in, unsigned axis,
                                         const uint8_t *keep, struct sam_plan **plan,
                                         struct sam_error *error)
{
    struct sam_shape from = *in;
    unsigned dim = 0;
    const bool paired = axis < in->rank && halve(&from, axis + 1, &dim);
    return finish(plan, sam_plan_compress(&from, 1, axis, keep, plan, error), paired, dim, error);
}

enum sam_status sam_plan_halves_pad(const struct sam_shape *in, const uint64_t before[SAM_MAX_RANK],
                                    const uint64_t after[SAM_MAX_RANK], const void *value,
                                    struct sam_plan **plan, struct sam_error *error)
{
    struct sam_shape from = *in;
    uint64_t front[SAM_MAX_RANK], back[SAM_MAX_RANK];
    unsigned dim = 0, padded = in->rank <= SAM_MAX_RANK ? in->rank : 0;
    uint8_t fill = value ? *(const uint8_t *)value & 15 : 0;
    memcpy(front, before, sizeof front);
    memcpy(back, after, sizeof back);
    while (padded && !front[padded - 1] && !back[padded - 1])
        padded--;
    bool paired = halve(&from, padded, &dim);
    if (!paired && padded && front[padded - 1] % 2 == 0 && back[padded - 1] % 2 == 0) {
        paired = halve(&from, padded - 1, &dim); /* later dims are odd */
        front[padded - 1] /= paired ? 2 : 1;
        back[padded - 1] /= paired ? 2 : 1;
    }
    fill |= (uint8_t)(paired ? fill << 4 : 0);
    return finish(plan, sam_plan_pad(&from, 1, front, back, &fill, plan, error), paired, dim,
                  error);
}

enum sam_status sam_plan_halves_im2col(const struct sam_shape *in,
                                       const struct sam_im2col *parameters, struct sam_plan **plan,
                                       struct sam_error *error)
{
    struct sam_shape from = *in;
    unsigned channels;
    const bool paired = !parameters->nchw && in->rank && halve(&from, in->rank - 1, &channels);
    return finish(plan, sam_plan_im2col(&from, 1, parameters, plan, error), paired, 1, error);
}
