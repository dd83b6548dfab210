/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: the instructions that move one of the pieces a box is cut into. */
#include <stdlib.h>

#include "ops/plan.h"

struct sam_block_op *sam_block_add(struct sam_block *block, enum sam_block_kind kind)
{
    static struct sam_block_op nowhere;
    struct sam_block_op *ops = sam_grow(block->ops, block->count, &block->capacity, sizeof *ops);
    if (!ops) {
        block->failed = true;
        return &nowhere;
    }
    block->ops = ops;
    ops[block->count] = (struct sam_block_op){.kind = kind};
    return &ops[block->count++];
}

void sam_block_clear(struct sam_block *block)
{
    free(block->ops);
    *block = (struct sam_block){0};
}

static bool same_strides(const struct sam_block_op *a, const struct sam_block_op *b)
{
    unsigned slices = a->slices < b->slices ? a->slices : b->slices;
    return slices == 1 || memcmp(a->stride, b->stride, slices * sizeof a->stride[0]) == 0;
}

double sam_block_cost(const struct sam_block *block)
{
    /* Fixed part and bytes a cycle of a transfer, an instruction of the reshape engine over one
     * register, and what setting the strides anew takes. */
    const double start = 24, port = 32, concat = 16, xpose = 32, masks = 4, strides = 64;
    const struct sam_block_op *last[2] = {NULL, NULL};
    double cost = 0;
    for (size_t i = 0; i < block->count; i++) {
        const struct sam_block_op *op = &block->ops[i];
        switch (op->kind) {
        case SAM_BLOCK_LOAD:
        case SAM_BLOCK_STORE: {
            const struct sam_block_op **before = &last[op->kind == SAM_BLOCK_STORE];
            cost += start + op->slices * op->width / port;
            if (op->masked)
                cost += masks / 2;
            if (*before && !same_strides(*before, op))
                cost += op->strided ? strides : 2;
            *before = op;
            break;
        }
        case SAM_BLOCK_CONCAT: cost += concat + masks; break;
        case SAM_BLOCK_XPOSE: cost += xpose; break;
        }
    }
    return cost;
}
