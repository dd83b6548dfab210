/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move elements. Most move none: the output is another view of the input's array. */
#include "network/build.h"

void sam_net_copy(struct net_builder *b, const struct net_place *from, struct net_index shift,
                  const struct net_place *to)
{
    struct net_place part = *to;
    struct net_space space;
    memcpy(part.shape, from->shape, sizeof part.shape);
    sam_net_space_of(&space, &part);
    space.operand[sam_net_space_add(b, &space, NET_NONE, from, from->stride)].shift = shift;
    sam_net_space_merge(&space, false);
    sam_net_space_fold(&space);
    sam_net_space_blocks(&space, 16384, 512);
    for (struct net_site site = {.space = &space}; sam_net_site_next(b, &site);)
        sam_net_site_store(
            &b->text, &site,
            sam_net_widen(&b->text, sam_net_site_load(b, &site, 1), site.rows, site.cols));
}

bool sam_net_place_view(const struct net_place *from, struct net_place *to)
{
    int64_t *const stride = to->stride;
    uint64_t old[NET_RANK];
    int64_t step[NET_RANK];
    uint32_t dims = 0;
    for (uint32_t i = 0; i < from->rank; i++)
        if (from->shape[i] != 1) {
            old[dims] = from->shape[i];
            step[dims++] = from->stride[i];
        }
    uint32_t i = 0, j = 0;
    while (i < dims && j < to->rank) { /* runs of axes with as many elements on both sides */
        uint32_t i_end = i + 1, j_end = j + 1;
        uint64_t a = old[i], b = to->shape[j];
        while (a != b)
            if (a < b) {
                if (i_end == dims)
                    return false;
                a *= old[i_end++];
            } else {
                if (j_end == to->rank)
                    return false;
                b *= to->shape[j_end++];
            }
        for (uint32_t k = i; k + 1 < i_end; k++)
            if (step[k] != step[k + 1] * (int64_t)old[k + 1])
                return false;
        int64_t at = step[i_end - 1];
        for (uint32_t k = j_end; k-- > j;) {
            stride[k] = at;
            at *= (int64_t)to->shape[k];
        }
        i = i_end;
        j = j_end;
    }
    for (; j < to->rank; j++)
        stride[j] = 1; /* of one element */
    to->buffer = from->buffer;
    to->offset = from->offset;
    return true;
}

struct net_place sam_net_place_as(struct net_builder *b, uint32_t value,
                                  const struct sam_net_value *shape)
{
    const struct net_place from = sam_net_place_of(b, value);
    struct net_place view = sam_net_place_like(shape);
    if (b->status == SAM_OK && !sam_net_place_view(&from, &view)) {
        const struct net_place copy = sam_net_place_copy(b, value, sam_net_order_c, NULL, 0);
        sam_net_place_view(&copy, &view);
    }
    return view;
}

static void reshape(struct net_builder *b, const struct sam_net_value *in,
                    const struct sam_net_value *out, const struct net_place *from)
{
    struct net_place view = sam_net_place_like(out), flat = sam_net_place_like(in);
    if (sam_net_place_view(from, &view)) {
        b->plan->places[b->node->output] = view;
        return;
    }
    const struct net_place to = sam_net_place_new(b, b->node->output, sam_net_order_c);
    if (sam_net_place_view(&to, &flat)) {
        sam_net_copy(b, from, net_at(0), &flat);
        return;
    }
    view = sam_net_place_as(b, b->node->inputs[0], out); /* `to` has a border */
    sam_net_copy(b, &view, net_at(0), &to);
}

static void concat(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const uint32_t axis = node->params.axis;
    const struct net_place like = sam_net_place_of(b, node->inputs[0]);
    struct net_place part = sam_net_place_new(b, node->output, sam_net_order_like(&like));
    for (uint32_t i = 0; i < node->input_count && b->status == SAM_OK; i++) {
        const struct net_place from = sam_net_place_of(b, node->inputs[i]);
        sam_net_copy(b, &from, net_at(0), &part);
        part.offset += part.stride[axis] * (int64_t)from.shape[axis];
    }
}

static void pad(struct net_builder *b, const struct net_place *from)
{
    const struct net_params *const p = &b->node->params;
    const struct net_order order = sam_net_order_like(from);
    struct net_border border = {0};
    struct net_place to = sam_net_place_new(b, b->node->output, order);
    for (uint32_t i = 0; i < to.rank; i++) {
        border.before[i] = (uint64_t)p->start[i];
        border.after[i] = to.shape[i] - border.before[i] - from->shape[i];
        to.offset += p->start[i] * to.stride[i];
        to.shape[i] = from->shape[i];
    }
    sam_net_copy(b, from, net_at(0), &to);
    sam_net_place_border(b, &to, order, &border, (double)p->fill);
}

void sam_net_plan_move(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const struct sam_net_value *const in = &b->graph->values[node->inputs[0]];
    const struct sam_net_value *const out = &b->graph->values[node->output];
    if (node->op == NET_Concat) {
        concat(b);
        return;
    }
    const struct net_place from = sam_net_place_of(b, node->inputs[0]);
    if (b->status != SAM_OK)
        return;
    if (node->op == NET_Reshape)
        reshape(b, in, out, &from);
    else if (node->op == NET_Pad)
        pad(b, &from);
    else
        b->plan->places[node->output] = sam_net_place_move(&from, node, out);
}

/* --- Gather: copies of slices. The indices are constants, or inputs of the network, which the
 * program takes as arguments. */

enum { SLICES = 256 };           /* of a step */
enum { MOST_INDICES = 1 << 20 }; /* that are constants: a copy is written for each */

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
    return sam_net_argument(
        &b->text, (struct net_scalar_argument){
                      place.buffer,
                      (uint64_t)(place.offset + net_element_at(indices, i, place.stride)), limit});
}

void sam_net_plan_gather(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const struct sam_net_value *const indices = &b->graph->values[node->inputs[1]];
    const uint32_t axis = node->params.axis;
    const uint64_t most = indices->data ? SLICES : NET_SCALARS;
    struct net_place from = sam_net_place_of(b, node->inputs[0]);
    const struct net_place whole = sam_net_place_new(b, node->output, sam_net_order_c);
    const uint64_t limit = from.shape[axis];
    from.shape[axis] = 1; /* a slice, and where it goes */
    struct net_place to = from;
    to.buffer = whole.buffer;
    for (uint32_t i = 0; i < from.rank; i++)
        to.stride[i] = whole.stride[i > axis ? i + indices->rank - 1 : i];
    if (indices->data && indices->count > MOST_INDICES)
        sam_net_build_fail(b, SAM_ERR_INPUT, "%llu constant indices: expected at most %d",
                           (unsigned long long)indices->count, (int)MOST_INDICES);
    for (uint64_t i = 0; i < indices->count && b->status == SAM_OK; i++) {
        if (i && i % most == 0)
            sam_net_step_finish(b, b->made, 1, NET_NONE);
        to.offset = whole.offset + net_element_at(indices, i, whole.stride + axis);
        sam_net_copy(b, &from,
                     sam_net_times(&b->text, row_of(b, indices, i, limit), from.stride[axis]), &to);
    }
}
