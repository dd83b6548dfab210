/* SPDX-License-Identifier: Apache-2.0 */
/* Gather: copies of slices. The indices are constants, or inputs of the network, which the program
 * takes as arguments. */
#include <stdlib.h>

#include "network/build.h"

enum { SLICES = 256, ARGUMENTS = 40 }; /* of a step */
enum { MOST_INDICES = 1 << 20 };       /* that are constants: a copy is written for each */

struct gather {
    struct net_builder *b;
    uint32_t axis, index_rank;
    struct net_place from, to; /* to: a slice, the axes of the indices being 1 */
};

/* Copy a slice; `shift` is what is added to where the first slice is read. */
static void copy_slice(struct gather *g, int64_t to, struct net_index shift)
{
    struct sam_net_text *const text = &g->b->text;
    struct net_place at = g->to;
    struct net_space space;
    int64_t stride[NET_RANK] = {0};
    at.offset += to;
    sam_net_space_of(&space, &at);
    for (uint32_t i = 0; i < at.rank; i++) {
        if (i < g->axis)
            stride[i] = g->from.stride[i];
        else if (i >= g->axis + g->index_rank)
            stride[i] = g->from.stride[i + 1 - g->index_rank];
    }
    sam_net_space_add(g->b, &space, NET_NONE, &g->from, stride);
    sam_net_space_merge(&space, false);
    sam_net_space_blocks(&space, 16384, 512);
    for (struct net_site site = {.space = &space}; sam_net_site_next(g->b, &site);) {
        struct net_box box = sam_net_site_box(text, &site, 1, false, false);
        const enum sam_dtype dtype = g->b->plan->buffers[box.buffer].dtype;
        box.at = sam_net_add(text, box.at, shift);
        sam_net_site_store(text, &site,
                           sam_net_load(text, net_shape_of(dtype, site.rows, site.cols), &box));
    }
}

/* The row at element i of the indices: a number, or an argument of the program. */
static struct net_index row_of(struct net_builder *b, const struct sam_net_value *indices,
                               uint64_t i, uint64_t limit)
{
    if (indices->data) {
        const int64_t row = sam_net_whole(indices, i);
        return net_at(row < 0 ? row + (int64_t)limit : row);
    }
    const struct net_place place = sam_net_place_of(b, b->node->inputs[1]);
    if (b->status == SAM_OK && b->plan->buffers[place.buffer].kind != NET_BUFFER_INPUT)
        sam_net_build_fail(b, SAM_ERR_INPUT, "its indices are computed");
    void *grown = sam_grow(b->scalars, b->scalar_count, &b->scalar_capacity, sizeof *b->scalars);
    if (!grown) {
        sam_net_build_fail(b, SAM_ERR_MEMORY, "out of memory");
        return net_at(0);
    }
    b->scalars = grown;
    b->scalars[b->scalar_count] = (struct net_scalar_argument){
        place.buffer, (uint64_t)(place.offset + net_element_at(indices, i, place.stride)), limit};
    return sam_net_argument(&b->text, (uint32_t)b->scalar_count++);
}

void sam_net_plan_gather(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const struct sam_net_value *const indices = &b->graph->values[node->inputs[1]];
    const uint32_t axis = node->params.axis;
    const uint64_t limit = b->graph->values[node->inputs[0]].shape[axis];
    const uint64_t most = indices->data ? SLICES : ARGUMENTS;
    struct gather g = {.b = b, .axis = axis, .index_rank = indices->rank};
    g.from = sam_net_place_of(b, node->inputs[0]);
    g.to = sam_net_place_new(b, node->output, NULL);
    for (uint32_t i = 0; i < g.index_rank; i++)
        g.to.shape[axis + i] = 1;
    if (indices->data && indices->count > MOST_INDICES)
        sam_net_build_fail(b, SAM_ERR_INPUT, "%llu constant indices: expected at most %d",
                           (unsigned long long)indices->count, (int)MOST_INDICES);
    for (uint64_t i = 0; i < indices->count && b->status == SAM_OK; i++) {
        if (i && i % most == 0)
            sam_net_step_finish(b, b->made, 1, NET_NONE);
        copy_slice(&g, net_element_at(indices, i, g.to.stride + axis),
                   sam_net_times(&b->text, row_of(b, indices, i, limit), g.from.stride[axis]));
    }
}
