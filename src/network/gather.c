/* SPDX-License-Identifier: Apache-2.0 */
/* Gather: copies of slices where the indices are constants or inputs of the network, which the
 * program takes as arguments; a product with rows of one 1 where they are computed. */
#include <stdlib.h>

#include "network/build.h"

enum { SLICES = 256, ARGUMENTS = 40 }; /* of a step */
enum { MOST_INDICES = 1 << 20 };       /* that are constants: a copy is written for each */

struct gather {
    struct net_builder *b;
    const struct net_group *group;
    uint32_t axis, index_rank;
    struct net_place from, to;
    struct sam_net_value slice; /* of the output, the axes of the indices being 1 */
};

static void slice_body(struct net_builder *b, void *context, const struct net_site *site)
{
    const struct net_index *const shift = context; /* of what is read */
    struct net_box box = sam_net_site_box(&b->text, site, 1, false, false);
    const enum sam_dtype dtype = b->plan->buffers[box.buffer].dtype;
    box.at = sam_net_add(&b->text, box.at, *shift);
    sam_net_site_store(&b->text, site,
                       sam_net_load(&b->text, net_shape_of(dtype, site->rows, site->cols), &box));
}

/* The place of an index's slice in the output. */
static int64_t slice_at(const struct gather *g, const struct sam_net_value *indices, uint64_t index)
{
    int64_t at = 0;
    for (uint32_t i = indices->rank; i-- > 0; index /= indices->shape[i])
        at += (int64_t)(index % indices->shape[i]) * g->to.stride[g->axis + i];
    return at;
}

/* Copy a slice; `shift` is what is added to where the first slice is read. */
static void copy_slice(struct gather *g, int64_t to, struct net_index shift)
{
    struct net_place at = g->to;
    struct net_space space;
    int64_t stride[NET_RANK] = {0};
    at.offset += to;
    sam_net_space_of(&space, &g->slice, &at);
    for (uint32_t i = 0; i < g->slice.rank; i++) {
        if (i < g->axis)
            stride[i] = g->from.stride[i];
        else if (i >= g->axis + g->index_rank)
            stride[i] = g->from.stride[i + 1 - g->index_rank];
    }
    sam_net_space_add(g->b, &space, NET_NONE, &g->from, stride);
    sam_net_space_merge(&space, false);
    sam_net_space_blocks(&space, 16384, 512);
    sam_net_space_run(g->b, &space, slice_body, &shift);
}

static void finish(struct gather *g, bool last)
{
    sam_net_step_finish(g->b, "gather", g->group->nodes, g->group->count,
                        last ? g->group->output : NET_NONE);
}

static void by_constants(struct gather *g, const struct sam_net_value *indices, uint64_t limit)
{
    if (indices->count > MOST_INDICES)
        sam_net_build_fail(g->b, SAM_ERR_INPUT, "%llu constant indices: expected at most %d",
                           (unsigned long long)indices->count, (int)MOST_INDICES);
    for (uint64_t i = 0; i < indices->count && g->b->status == SAM_OK; i++) {
        int64_t index = sam_net_whole(indices, i);
        index += index < 0 ? (int64_t)limit : 0;
        if (index < 0 || (uint64_t)index >= limit)
            sam_net_build_fail(g->b, SAM_ERR_INPUT, "index %lld of %llu", (long long)index,
                               (unsigned long long)limit);
        copy_slice(g, slice_at(g, indices, i), net_at(index * g->from.stride[g->axis]));
        if (i % SLICES == SLICES - 1 && i + 1 < indices->count)
            finish(g, false);
    }
    finish(g, true);
}

/* The value that is an input of the network, in the order of which the indices are. */
static bool is_input(const struct net_builder *b, const struct sam_net_value *indices,
                     const struct net_place *place)
{
    int64_t stride[NET_RANK];
    sam_net_strides(indices->rank, indices->shape, stride);
    for (uint32_t i = 0; i < indices->rank; i++)
        if (indices->shape[i] > 1 && stride[i] != place->stride[i])
            return false;
    return b->plan->buffers[place->buffer].kind == NET_BUFFER_INPUT;
}

static void by_input(struct gather *g, const struct sam_net_value *indices,
                     const struct net_place *place, uint64_t limit)
{
    struct net_builder *const b = g->b;
    for (uint64_t i = 0; i < indices->count && b->status == SAM_OK; i++) {
        void *grown =
            sam_grow(b->scalars, b->scalar_count, &b->scalar_capacity, sizeof *b->scalars);
        if (!grown) {
            sam_net_build_fail(b, SAM_ERR_MEMORY, "out of memory");
            return;
        }
        b->scalars = grown;
        b->scalars[b->scalar_count] =
            (struct net_scalar_argument){place->buffer, (uint64_t)place->offset + i, limit};
        const struct net_index index = sam_net_argument(&b->text, (uint32_t)b->scalar_count++);
        copy_slice(g, slice_at(g, indices, i),
                   sam_net_times(&b->text, index, g->from.stride[g->axis]));
        if (b->scalar_count == ARGUMENTS && i + 1 < indices->count)
            finish(g, false);
    }
    finish(g, true);
}

/* --- indices that are computed */

struct choose {
    uint64_t limit, first; /* column of the tiles */
};

/* rows x columns: whether the row's index, or that + limit, is the column. */
static void choose_body(struct net_builder *b, void *context, const struct net_site *site)
{
    const struct choose *const choose = context;
    struct sam_net_text *const text = &b->text;
    const struct net_box box = sam_net_site_box(text, site, 1, false, true);
    struct net_tile index = sam_net_load(text, net_shape_of(SAM_I32, site->rows, 1), &box);
    const struct net_tile below =
        NET_OP2(text, "tcmps {cmp = lt}", net_shape_of(SAM_U8, site->rows, 1), index,
                sam_net_scalar(text, SAM_I32, 0));
    index = NET_OP3(text, "tsel", index, below,
                    sam_net_with(text, "tadds", index, (double)choose->limit), index);
    const struct net_tile column = NET_OP1(text, "tci", net_shape_of(SAM_I32, 1, site->cols),
                                           sam_net_scalar(text, SAM_I32, (double)choose->first));
    const struct net_tile mask =
        NET_OP2(text, "tcmp {cmp = eq}", net_shape_of(SAM_U8, site->rows, site->cols),
                sam_net_widen(text, index, site->rows, site->cols),
                sam_net_widen(text, column, site->rows, site->cols));
    sam_net_site_store(
        text, site,
        NET_OP1(text, "tcvt {round = rint}", net_shape_of(SAM_F32, site->rows, site->cols), mask));
}

static void by_product(struct gather *g, const struct sam_net_value *indices,
                       const struct net_place *place, const struct sam_net_value *table)
{
    struct net_builder *const b = g->b;
    const uint64_t limit = table->shape[g->axis];
    struct sam_net_value ones = {.dtype = SAM_F32, .rank = indices->rank + 1};
    struct net_place at = {0};
    struct net_space space;
    if (sam_net_kept(table->dtype) != SAM_F32) {
        sam_net_build_fail(b, SAM_ERR_INPUT, "indices that are computed need a table of floats");
        return;
    }
    if (ones.rank > NET_RANK) {
        sam_net_build_fail(b, SAM_ERR_INPUT, "indices of rank %u", indices->rank);
        return;
    }
    memcpy(ones.shape, indices->shape, sizeof ones.shape);
    ones.shape[indices->rank] = limit;
    at.buffer =
        sam_net_buffer_add(b, NET_BUFFER_SCRATCH, SAM_F32, NET_NONE, indices->count * limit);
    sam_net_strides(ones.rank, ones.shape, at.stride);
    sam_net_space_of(&space, &ones, &at);
    sam_net_space_last(&space, indices->rank);
    sam_net_space_add(b, &space, NET_NONE, place, place->stride);
    space.operand[1].stride[space.axes - 1] = 0;
    sam_net_space_merge(&space, true);
    for (uint64_t first = 0; first < limit && b->status == SAM_OK; first += 512) {
        struct net_space part = space; /* columns whose number is known */
        part.extent[part.axes - 1] = limit - first < 512 ? limit - first : 512;
        part.operand[0].offset += (int64_t)first;
        sam_net_space_tile(&part, 16, 512);
        struct choose choose = {limit, first};
        sam_net_space_run(b, &part, choose_body, &choose);
    }
    sam_net_step_finish(b, "gather", g->group->nodes, g->group->count, NET_NONE);
    /* out[outer, index, inner] = sum over v of ones[index, v] * table[outer, v, inner] */
    struct net_contract c = {.group = g->group,
                             .bias = NET_NONE,
                             .taps = 1,
                             .depth = limit,
                             .left_step = 1,
                             .right_step = g->from.stride[g->axis]};
    const struct sam_net_value *const out = &b->graph->values[g->group->output];
    int64_t left[NET_RANK] = {0}, right[NET_RANK] = {0};
    sam_net_space_of(&c.space, out, &g->to);
    for (uint32_t i = 0; i < out->rank; i++) {
        if (i < g->axis)
            right[i] = g->from.stride[i];
        else if (i < g->axis + g->index_rank)
            left[i] = at.stride[i - g->axis];
        else
            right[i] = g->from.stride[i + 1 - g->index_rank];
    }
    if (g->axis + g->index_rank == out->rank)
        sam_net_space_column(&c.space);
    c.left = sam_net_space_add(b, &c.space, NET_NONE, &at, left);
    c.right = sam_net_space_add(b, &c.space, NET_NONE, &g->from, right);
    if (g->axis + g->index_rank == out->rank) {
        c.space.operand[c.left].stride[c.space.axes - 1] = 0;
        c.space.operand[c.right].stride[c.space.axes - 1] = 0;
    }
    sam_net_space_merge(&c.space, true);
    sam_net_contract_run(b, &c);
    finish(g, true);
}

void sam_net_plan_gather(struct net_builder *b, const struct net_group *group)
{
    const struct net_node *const node = b->node;
    const struct sam_net_value *const table = &b->graph->values[node->inputs[0]];
    const struct sam_net_value *const indices = &b->graph->values[node->inputs[1]];
    const struct sam_net_value *const out = &b->graph->values[group->output];
    const uint64_t limit = table->shape[node->params.axis];
    struct gather g = {.b = b,
                       .group = group,
                       .axis = node->params.axis,
                       .index_rank = indices->rank,
                       .slice = *out};
    g.from = sam_net_place_of(b, node->inputs[0]);
    g.to = sam_net_place_new(b, group->output, NULL);
    for (uint32_t i = 0; i < g.index_rank; i++)
        g.slice.shape[g.axis + i] = 1;
    if (indices->data) {
        by_constants(&g, indices, limit);
        return;
    }
    const struct net_place place = sam_net_place_of(b, node->inputs[1]);
    if (b->status != SAM_OK)
        return;
    if (is_input(b, indices, &place) && indices->count <= 1024)
        by_input(&g, indices, &place, limit);
    else
        by_product(&g, indices, &place, table);
}
