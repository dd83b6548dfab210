/* SPDX-License-Identifier: Apache-2.0 */
/* Cover a box with regions of equal blocks, and the remainders. */
#include <stdio.h>

#include "ops/cut.h"

struct sam_plan_region *sam_plan_add_region(struct sam_plan *plan)
{
    struct sam_plan_region *regions =
        sam_grow(plan->regions, plan->count, &plan->capacity, sizeof *regions);
    if (!regions)
        return NULL;
    plan->regions = regions;
    regions[plan->count] = (struct sam_plan_region){0};
    return &regions[plan->count++];
}

static void drop_regions(struct sam_plan *plan, size_t count)
{
    while (plan->count > count)
        sam_block_clear(&plan->regions[--plan->count].block);
}

static void describe(const struct sam_box *box, const struct sam_cut *cut,
                     struct sam_plan_region *region)
{
    static const char *const ways[] = {"", ", concat", ", xpose", ", xpose by classes"};
    size_t at = 0;
    for (unsigned i = 0; i < box->rank && at < sizeof region->what; i++)
        at += (size_t)snprintf(region->what + at, sizeof region->what - at, "%llux",
                               (unsigned long long)cut->t[i]);
    if (at < sizeof region->what)
        snprintf(region->what + at, sizeof region->what - at, "%llu bytes%s",
                 (unsigned long long)box->unit, ways[cut->way]);
}

static enum sam_status plan_normal(struct sam_plan *plan, const struct sam_box *given, double *cost,
                                   struct sam_error *error);

/* The part of the box with `n` indices of dim k from `first`. */
static struct sam_box part_of(const struct sam_box *box, unsigned k, uint64_t first, uint64_t n)
{
    struct sam_box part = *box;
    part.in += (int64_t)first * box->dim[k].in;
    part.out += (int64_t)first * box->dim[k].out;
    part.dim[k].n = n;
    return part;
}

/* Plan the remainder of dim k after blocks of `t`: as a separate box, or as one more block that
 * overlaps the last. */
static enum sam_status plan_rest(struct sam_plan *plan, const struct sam_box *box, unsigned k,
                                 uint64_t t, double block_cost, double *cost,
                                 struct sam_error *error)
{
    uint64_t n = box->dim[k].n, rest = n % t;
    struct sam_box own = part_of(box, k, n - rest, rest), over = part_of(box, k, n - t, t);
    double own_cost = 0, over_cost = block_cost;
    for (unsigned i = 0; i < box->rank; i++)
        over_cost *= i == k ? (double)t : (double)box->dim[i].n;
    uint64_t extra = (t - rest) * 100 / n; /* bytes moved twice, in percent */
    if (extra <= 4)
        return plan_normal(plan, &over, cost, error);
    size_t mark = plan->count;
    enum sam_status status = plan_normal(plan, &own, &own_cost, error);
    if (status == SAM_OK && extra <= 25 && over_cost < own_cost) {
        drop_regions(plan, mark);
        return plan_normal(plan, &over, cost, error);
    }
    *cost += own_cost;
    return status;
}

static enum sam_status add_region(struct sam_plan *plan, const struct sam_box *box,
                                  const struct sam_cut *cut, const struct sam_block *block,
                                  double *cost, struct sam_error *error)
{
    struct sam_plan_region *region = sam_plan_add_region(plan);
    if (!region)
        return sam_fail_memory(error);
    double blocks = 1;
    region->block = *block;
    region->input = box->input;
    region->in = box->in;
    region->out = box->out;
    region->bytes = sam_cut_bytes(box, cut);
    describe(box, cut, region);
    for (unsigned i = 0; i < box->rank; i++) {
        uint64_t count = box->dim[i].n / cut->t[i];
        int64_t t = (int64_t)cut->t[i];
        blocks *= (double)count;
        if (count > 1)
            region->loop[region->loops++] =
                (struct sam_loop){count, box->dim[i].in * t, box->dim[i].out * t};
    }
    *cost += sam_block_cost(block, 0, 1) * blocks;
    return SAM_OK;
}

/* Plan the remainders of all dims; `per_index` is the cost of one index in a block. */
static enum sam_status add_rests(struct sam_plan *plan, struct sam_box *box,
                                 const struct sam_cut *cut, double per_index, double *cost,
                                 struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (unsigned i = 0; i < box->rank && status == SAM_OK; i++) {
        uint64_t rest = box->dim[i].n % cut->t[i];
        if (rest)
            status = plan_rest(plan, box, i, cut->t[i], per_index, cost, error);
        box->dim[i].n -= rest; /* done: the other remainders lie in the rest */
    }
    return status;
}

/* Add the regions of a box. */
static enum sam_status plan_normal(struct sam_plan *plan, const struct sam_box *given, double *cost,
                                   struct sam_error *error)
{
    struct sam_box box = *given;
    sam_box_normalize(&box);
    struct sam_found found;
    enum sam_status status = sam_cut_search(&box, &found, error);
    double block_cost = sam_block_cost(&found.block, 0, 1);
    if (status == SAM_OK)
        status = add_region(plan, &found.box, &found.cut, &found.block, cost, error);
    if (status != SAM_OK) {
        sam_block_clear(&found.block);
        return status;
    }
    uint64_t indices = sam_cut_bytes(&box, &found.cut) / box.unit;
    /* In a split dim, the indices after the last whole step. */
    for (unsigned i = 0; i < box.rank && found.box.rank > box.rank; i++) {
        uint64_t n = found.box.dim[i].n * found.box.dim[box.rank].n;
        if (found.box.dim[i].n == box.dim[i].n || n == box.dim[i].n)
            continue; /* not split, or no rest; equal steps prove nothing, they may be 0 */
        struct sam_box rest = part_of(&box, i, n, box.dim[i].n - n);
        status = plan_normal(plan, &rest, cost, error);
        if (status != SAM_OK)
            return status;
    }
    return add_rests(plan, &found.box, &found.cut, block_cost / (double)indices, cost, error);
}

enum sam_status sam_plan_fill(struct sam_plan *plan, const struct sam_box *box,
                              struct sam_error *error)
{
    struct sam_box fill = *box;
    fill.constant = true;
    fill.in = fill.out;
    for (unsigned i = 0; i < fill.rank; i++)
        fill.dim[i].in = fill.dim[i].out;
    return sam_plan_box(plan, &fill, error);
}

enum sam_status sam_plan_box(struct sam_plan *plan, const struct sam_box *box,
                             struct sam_error *error)
{
    double cost = 0;
    return sam_box_bytes(box) ? plan_normal(plan, box, &cost, error) : SAM_OK;
}
