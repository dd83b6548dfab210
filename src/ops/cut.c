/* SPDX-License-Identifier: Apache-2.0 */
/* Emit the instructions of a cut. */
#include "ops/cut.h"

uint64_t sam_cut_bytes(const struct sam_box *box, const struct sam_cut *cut)
{
    uint64_t bytes = box->unit;
    for (unsigned i = 0; i < box->rank; i++)
        bytes *= cut->t[i];
    return bytes;
}

static void push(struct sam_rows *rows, uint64_t n, int64_t step)
{
    if (n == 1)
        return;
    rows->dim[rows->rank].n = n;
    rows->dim[rows->rank++].step = step;
}

void sam_order_by_input(const struct sam_box *box, unsigned order[SAM_PLAN_DIMS])
{
    for (unsigned i = 0; i < box->rank; i++) {
        unsigned at = i;
        for (; at > 0 && box->dim[order[at - 1]].in < box->dim[i].in; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* The dims other than a and b, in the same order in both lists. */
static void push_others(const struct sam_box *box, const struct sam_cut *cut, struct sam_rows *load,
                        struct sam_rows *store)
{
    unsigned order[SAM_PLAN_DIMS];
    sam_order_by_input(box, order);
    for (unsigned k = 0; k < box->rank; k++) {
        unsigned i = order[k];
        if ((int)i == cut->a || (int)i == cut->b)
            continue;
        push(load, cut->t[i], box->dim[i].in);
        push(store, cut->t[i], box->dim[i].out);
    }
}

/* Swap the p-by-q dims of [outer][p][q][unit] by CONCAT, a pair of factors at a time. */
static bool swap_by_factors(struct sam_block *block, unsigned reg, unsigned scratch, uint64_t outer,
                            uint64_t p, uint64_t q, uint64_t unit)
{
    uint64_t done = 1; /* factors of q already moved before p */
    while (q > 1) {
        uint64_t factor = 2;
        while (q % factor)
            factor++;
        if (factor > SAM_PLAN_TL_SLICES / 2)
            return false;
        q /= factor;
        /* Move p's factors, last first, after this factor of q. */
        uint64_t left = p, behind = 1;
        while (left > 1) {
            uint64_t part = SAM_PLAN_TL_SLICES / factor;
            while (part > 1 && left % part)
                part--;
            if (part == 1)
                return false;
            left /= part;
            if (!sam_swap_concat(block, reg, scratch, outer * done * left, part, factor,
                                 behind * q * unit))
                return false;
            behind *= part;
        }
        done *= factor;
    }
    return true;
}

/* Halves along the outermost dim. */
static bool half_of(const struct sam_rows *rows, unsigned half, struct sam_rows *out)
{
    *out = *rows;
    if (rows->rank == 0 || rows->dim[0].n % 2)
        return false;
    out->dim[0].n /= 2;
    out->offset += (int64_t)(half * out->dim[0].n) * rows->dim[0].step;
    return true;
}

/* `one`: sam_fill_register or sam_drain_register, for one register or for two halves. */
static bool move(struct sam_block *block, const struct sam_rows *rows, unsigned registers,
                 unsigned scratch,
                 bool (*one)(struct sam_block *block, const struct sam_rows *rows, unsigned reg,
                             unsigned scratch))
{
    struct sam_rows half;
    if (registers == 1)
        return one(block, rows, 0, scratch);
    for (unsigned i = 0; i < 2; i++)
        if (!half_of(rows, i, &half) || !one(block, &half, i, scratch))
            return false;
    return true;
}

static bool fill(struct sam_block *block, const struct sam_rows *rows, unsigned registers,
                 unsigned scratch)
{
    return move(block, rows, registers, scratch, sam_fill_register);
}

static bool drain(struct sam_block *block, const struct sam_rows *rows, unsigned registers,
                  unsigned scratch)
{
    return move(block, rows, registers, scratch, sam_drain_register);
}

static bool permute(struct sam_block *block, const struct sam_box *box, const struct sam_cut *cut,
                    uint64_t others, unsigned scratch)
{
    uint64_t ta = cut->a < 0 ? 1 : cut->t[cut->a], tb = cut->b < 0 ? 1 : cut->t[cut->b];
    if (cut->way == SAM_WAY_NONE)
        return true;
    if (cut->way == SAM_WAY_CONCAT)
        return swap_by_factors(block, 0, scratch, others, tb, ta, box->unit);
    uint64_t batch = 2 * SAM_PLAN_TL_BYTES / (ta * tb * box->unit);
    if (cut->way == SAM_WAY_CLASS)
        return batch == 1 &&
               sam_swap_xpose(block, 0, (uint64_t[]){cut->step, tb / cut->step, ta, 1}, 0, 2,
                              box->unit);
    if (batch == 1)
        return sam_swap_xpose(block, 0, (uint64_t[]){tb, ta, 1, 1}, 0, 1, box->unit);
    return sam_swap_xpose(block, 0, (uint64_t[]){batch, tb, ta, 1}, 1, 2, box->unit);
}

void sam_cut_repeat(const struct sam_box *box, size_t first, struct sam_block *block)
{
    size_t end = block->count;
    for (unsigned i = 1; i < box->places; i++)
        for (size_t k = first; k < end && !block->failed; k++) {
            struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_STORE);
            *op = block->ops[k];
            if (op->kind == SAM_BLOCK_STORE)
                op->offset += box->place[i] - box->place[0];
        }
}

bool sam_cut_build(const struct sam_box *box, const struct sam_cut *cut, struct sam_block *block,
                   size_t *stores)
{
    struct sam_rows load = {.run = box->unit}, store = {.run = box->unit};
    uint64_t bytes = sam_cut_bytes(box, cut);
    unsigned registers = bytes > SAM_PLAN_TL_BYTES ? 2 : 1;
    unsigned scratch = cut->way == SAM_WAY_XPOSE || cut->way == SAM_WAY_CLASS ? 2 : 1;
    block->count = 0;
    *stores = 0;
    block->registers = scratch + 1;
    push_others(box, cut, &load, &store);
    if (box->constant) {
        if (cut->b >= 0)
            push(&store, cut->t[cut->b], box->dim[cut->b].out);
        if (cut->a >= 0)
            push(&store, cut->t[cut->a], box->dim[cut->a].out);
        block->registers = 1;
        return sam_drain_register(block, &store, SAM_PLAN_FILL, 0);
    }
    uint64_t others = bytes / box->unit;
    if (cut->b >= 0) {
        const struct sam_dim *dim = &box->dim[cut->b];
        uint64_t t = cut->t[cut->b];
        others /= t;
        if (cut->way == SAM_WAY_CLASS) {
            push(&load, cut->step, dim->in);
            push(&load, t / cut->step, dim->in * (int64_t)cut->step);
        } else {
            push(&load, t, dim->in);
        }
        if (cut->way == SAM_WAY_NONE)
            push(&store, t, dim->out);
    }
    if (cut->a >= 0) {
        others /= cut->t[cut->a];
        push(&load, cut->t[cut->a], box->dim[cut->a].in);
        push(&store, cut->t[cut->a], box->dim[cut->a].out);
    }
    if (cut->b >= 0 && cut->way != SAM_WAY_NONE)
        push(&store, cut->t[cut->b], box->dim[cut->b].out);
    if (!fill(block, &load, registers, scratch) || !permute(block, box, cut, others, scratch))
        return false;
    *stores = block->count;
    store.offset = box->places ? box->place[0] : 0;
    if (!drain(block, &store, registers, scratch))
        return false;
    for (size_t i = 0; i < block->count; i++)
        if (block->ops[i].kind == SAM_BLOCK_LOAD && block->ops[i].rd >= block->registers)
            block->registers = block->ops[i].rd + 1u;
    return true;
}
