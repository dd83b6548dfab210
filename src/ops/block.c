/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: the instructions that move one piece of a box. */
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

/* Instructions needed to change the strides from `before` to `op`. */
static double stride_changes(const struct sam_block_op *before, const struct sam_block_op *op)
{
    const double each = 3; /* li takes two, csrw one */
    double count = 0;
    for (unsigned i = 1; i < op->slices; i++)
        count += i >= before->slices || before->stride[i] != op->stride[i] ? each : 0;
    return count;
}

/* Cost of setting the stride CSRs of LOADs or STOREs between blocks; the STOREs run `times` times.
 */
static double scalar_cost(const struct sam_block *block, enum sam_block_kind kind, unsigned times)
{
    const struct sam_block_op *first = NULL, *last = NULL;
    unsigned strided = 0;
    double cost = 0;
    for (size_t i = 0; i < block->count; i++) {
        const struct sam_block_op *op = &block->ops[i];
        if (op->kind != kind)
            continue;
        cost += op->masked ? 4 : 2;
        if (op->slices <= 1)
            continue;
        if (last)
            cost += stride_changes(last, op);
        first = first ? first : op;
        last = op;
        strided++;
    }
    return times * (strided > 1 ? cost + stride_changes(last, first) : cost);
}

double sam_block_cost(const struct sam_block *block, size_t stores, unsigned places)
{
    /* Approximate cycles of the default engines. They run in parallel: the busiest counts in full,
     * the others partly, since blocks wait for each other and each instruction has a cost. */
    const double start = 12, port = 64, concat = 24, masks = 6, xpose = 36, part = 0.7;
    const unsigned times = places > 1 ? places : 1;
    double loads = 0, stored = 0, reshape = 0, compute = 0, most = 0, all = 0;
    double scalar =
        scalar_cost(block, SAM_BLOCK_LOAD, 1) + scalar_cost(block, SAM_BLOCK_STORE, times);
    for (size_t i = 0; i < block->count; i++) {
        const struct sam_block_op *op = &block->ops[i];
        const unsigned n = i < stores ? 1 : times;
        double transfer = start + op->slices + op->slices * op->width / port;
        switch (op->kind) {
        case SAM_BLOCK_LOAD: loads += transfer; break;
        case SAM_BLOCK_STORE: stored += n * transfer; break;
        case SAM_BLOCK_XPOSE: compute += xpose; break;
        case SAM_BLOCK_CONCAT:
            reshape += n * concat;
            scalar += n * masks;
            break;
        }
    }
    const double units[] = {loads, stored, reshape, compute, scalar};
    for (size_t i = 0; i < SAM_COUNT(units); i++) {
        most = units[i] > most ? units[i] : most;
        all += units[i];
    }
    return most + part * all;
}
