/* SPDX-License-Identifier: Apache-2.0 */
/* compress: keep slices along one axis. Short slices are gathered, 32 per LOAD, with strides from a
 * table. Runs of long slices are copied as boxes, unless there are too many: each box is planned
 * separately and becomes a loop nest of the program. */
#include <stdio.h>
#include <stdlib.h>

#include "ops/operators.h"

#define LONG_SLICE (SAM_PLAN_TL_BYTES / 2) /* slices of at least this many bytes are long */
#define MANY_RUNS  512

struct compress {
    struct sam_plan *plan;
    uint64_t outer, n, kept; /* n slices along the axis */
    uint64_t slice;          /* bytes */
};

static enum sam_status plan_runs(const struct compress *c, const uint8_t *keep,
                                 struct sam_error *error)
{
    int64_t slice = (int64_t)c->slice;
    uint64_t out = 0;
    enum sam_status status = SAM_OK;
    for (uint64_t i = 0, n; i < c->n && status == SAM_OK; i += n) {
        for (n = 1; i + n < c->n && !keep[i + n] == !keep[i]; n++)
            continue;
        if (!keep[i])
            continue;
        struct sam_box box = {.unit = c->plan->element, .rank = 2};
        box.dim[0] = (struct sam_dim){c->outer, (int64_t)c->n * slice, (int64_t)c->kept * slice};
        box.dim[1] =
            (struct sam_dim){n * c->slice / box.unit, (int64_t)box.unit, (int64_t)box.unit};
        box.in = (int64_t)i * slice;
        box.out = (int64_t)out * slice;
        status = sam_plan_box(c->plan, &box, error);
        out += n;
    }
    return status;
}

/* Decide whether to gather. A table handles slices up to a register; runs do not waste the end of a
 * register. */
static bool gathers(const struct compress *c, const uint8_t *keep)
{
    uint64_t runs = 0;
    for (uint64_t i = 0; i < c->n; i++)
        runs += keep[i] && (i == 0 || !keep[i - 1]);
    return c->slice < LONG_SLICE || (c->slice <= SAM_PLAN_TL_BYTES && runs > MANY_RUNS);
}

/* Plan kept slices [first, first + groups*each), `each` per LOAD. */
static enum sam_status plan_groups(const struct compress *c, const uint32_t *index, uint64_t first,
                                   uint64_t groups, uint64_t each, struct sam_error *error)
{
    struct sam_plan_region *region = sam_plan_add_region(c->plan);
    int64_t slice = (int64_t)c->slice;
    if (!region || !(region->table = sam_alloc(groups * SAM_PLAN_TL_SLICES, sizeof *region->table)))
        return sam_fail_memory(error);
    for (uint64_t g = 0; g < groups; g++)
        for (uint64_t i = 0; i < each; i++)
            region->table[g * SAM_PLAN_TL_SLICES + i] = index[first + g * each + i];
    region->out = (int64_t)first * slice;
    region->loop[0] = (struct sam_loop){groups, 0, (int64_t)each * slice};
    region->loop[1] = (struct sam_loop){c->outer, (int64_t)c->n * slice, (int64_t)c->kept * slice};
    region->loops = 2;
    region->bytes = each * c->slice;
    region->block.registers = 1;
    snprintf(region->what, sizeof region->what, "%llux%llu bytes, gathered",
             (unsigned long long)each, (unsigned long long)c->slice);
    struct sam_block_op *load = sam_block_add(&region->block, SAM_BLOCK_LOAD);
    load->slices = (uint16_t)each;
    load->width = (uint16_t)c->slice;
    load->table = true;
    struct sam_block_op *store = sam_block_add(&region->block, SAM_BLOCK_STORE);
    store->slices = 1;
    store->width = (uint16_t)region->bytes;
    return region->block.failed ? sam_fail_memory(error) : SAM_OK;
}

static enum sam_status plan_gather(const struct compress *c, const uint8_t *keep,
                                   struct sam_error *error)
{
    uint64_t each = SAM_PLAN_TL_BYTES / c->slice, found = 0;
    if (each > SAM_PLAN_TL_SLICES)
        each = SAM_PLAN_TL_SLICES;
    uint32_t *index = sam_alloc(c->kept, sizeof *index);
    if (!index)
        return sam_fail_memory(error);
    for (uint64_t i = 0; i < c->n; i++)
        if (keep[i])
            index[found++] = (uint32_t)i;
    uint64_t groups = c->kept / each, rest = c->kept % each;
    enum sam_status status = SAM_OK;
    if (groups)
        status = plan_groups(c, index, 0, groups, each, error);
    if (rest && status == SAM_OK)
        status = plan_groups(c, index, groups * each, 1, rest, error);
    free(index);
    return status;
}

enum sam_status sam_plan_compress(const struct sam_shape *in, unsigned element, unsigned axis,
                                  const uint8_t *keep, struct sam_plan **plan,
                                  struct sam_error *error)
{
    if (plan)
        *plan = NULL;
    if (SAM_LACKS(error, in, keep, plan))
        return SAM_ERR_USAGE;
    if (element == SAM_PLAN_HALF_BYTES)
        return sam_plan_halves_compress(in, axis, keep, plan, error);
    char text[SAM_SHAPE_TEXT];
    struct sam_shape out = *in;
    enum sam_status status = sam_shape_check(in, element, error);
    if (status != SAM_OK)
        return status;
    sam_shape_text(in, text);
    if (axis >= in->rank)
        return sam_fail(error, SAM_ERR_USAGE, "compress: %s has no axis %u", text, axis);
    struct compress c = {.outer = 1, .n = in->dim[axis], .slice = element};
    if (c.n > INT32_MAX)
        return sam_fail(error, SAM_ERR_USAGE, "compress: axis %u of %s has 2^31 indices or more",
                        axis, text);
    for (uint64_t i = 0; i < c.n; i++)
        c.kept += keep[i] != 0;
    for (unsigned i = 0; i < in->rank; i++)
        *(i < axis ? &c.outer : &c.slice) *= i == axis ? 1 : in->dim[i];
    out.dim[axis] = c.kept;
    status = sam_plan_new(in, 1, &out, element, plan, error);
    if (status != SAM_OK)
        return status;
    c.plan = *plan;
    c.plan->bound_loaded = c.plan->output_size;
    snprintf(c.plan->name, sizeof c.plan->name, "compress %s along %u, %llu kept", text, axis,
             (unsigned long long)c.kept);
    if (c.plan->output_size)
        status = gathers(&c, keep) ? plan_gather(&c, keep, error) : plan_runs(&c, keep, error);
    return sam_plan_finish(plan, status);
}
