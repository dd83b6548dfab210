/* SPDX-License-Identifier: Apache-2.0 */
/* Resize: to a multiple, by the nearest element, as stores of one tile side by side; else, axis by
 * axis, as a product with a matrix that has one, two or four weights in each row. */
#include <math.h>

#include "network/build.h"

/* In floats, as everybody has it. */
float sam_net_coordinate(const struct net_params *p, uint32_t axis, uint64_t at, uint64_t in,
                         uint64_t out)
{
    const float scale = p->scale[axis], x = (float)at, end = (float)in - 1;
    const float from = p->crop[0][axis], to = p->crop[1][axis];
    switch (p->coordinate) {
    case NET_HALF_PIXEL: return (x + 0.5f) / scale - 0.5f;
    case NET_PYTORCH_HALF_PIXEL: return out > 1 ? (x + 0.5f) / scale - 0.5f : 0;
    case NET_ALIGN_CORNERS: return out > 1 ? x * (float)(in - 1) / (float)(out - 1) : 0;
    case NET_TF_CROP:
        return out > 1 ? from * end + x * (to - from) * end / (float)(out - 1)
                       : 0.5f * (from + to) * end;
    case NET_TF_HALF_PIXEL: return (x + 0.5f) / scale;
    case NET_ASYMMETRIC: break;
    }
    return x / scale;
}

static uint64_t within(float at, uint64_t in)
{
    return at <= 0 ? 0 : at >= (float)(in - 1) ? in - 1 : (uint64_t)at;
}

static uint64_t nearest(const struct net_params *p, uint32_t axis, uint64_t at, uint64_t in,
                        uint64_t out)
{
    const float x = sam_net_coordinate(p, axis, at, in, out), low = floorf(x), rest = x - low;
    switch (p->nearest) {
    case NET_ROUND_PREFER_FLOOR: return within(low + (rest > 0.5f), in);
    case NET_ROUND_PREFER_CEIL: return within(low + (rest >= 0.5f), in);
    case NET_CEIL: return within(low + (rest > 0), in);
    case NET_FLOOR: break;
    }
    return within(low, in);
}

/* How often each element of an axis is repeated, one after the other; 0: in no such way. */
static uint64_t repeats(const struct net_params *p, uint32_t axis, uint64_t in, uint64_t out)
{
    const bool kept = net_keeps_axis(p, axis, in, out);
    if (kept || p->resize != NET_NEAREST || out % in != 0)
        return kept;
    for (uint64_t i = 0; i < out; i++)
        if (nearest(p, axis, i, in, out) != i / (out / in))
            return 0;
    return out / in;
}

/* --- a multiple */

enum { PHASES = 64 };

static void repeat(struct net_builder *b, const struct net_place *from, const uint64_t *times)
{
    int64_t shift[PHASES][NET_OPERANDS] = {{0}}; /* of the operands, by phase; the input has none */
    struct net_space space, moved;
    uint32_t phases = 1;
    const struct net_place place = sam_net_place_new(b, b->at->output, sam_net_order_like(from));
    sam_net_space_of(&space, &place);
    sam_net_chain_operands(b, &space);
    for (uint32_t axis = 0; axis < place.rank; axis++) {
        const uint32_t before = phases;
        for (uint64_t k = 1; k < times[axis]; k++)
            for (uint32_t i = 0; i < before; i++, phases++) {
                moved = space;
                sam_net_space_every(&moved, axis, k, times[axis]);
                for (uint32_t o = 0; o < space.operands; o++)
                    shift[phases][o] =
                        shift[i][o] + moved.operand[o].offset - space.operand[o].offset;
            }
        sam_net_space_every(&space, axis, 0, times[axis]);
    }
    const uint32_t input = sam_net_space_add(b, &space, NET_NONE, from, from->stride);
    sam_net_space_merge(&space, false);
    sam_net_space_blocks(&space, 32768 / sam_net_chain_tiles(b), 256);
    for (struct net_site site = {.space = &space}; sam_net_site_next(b, &site);
         site.space = &space) {
        const struct net_tile tile =
            sam_net_widen(&b->text, sam_net_site_load(b, &site, input), site.rows, site.cols);
        site.space = &moved;
        for (uint32_t i = 0; i < phases; i++) {
            moved = space;
            for (uint32_t k = 0; k < space.operands; k++)
                moved.operand[k].offset += shift[i][k];
            sam_net_site_store(&b->text, &site, sam_net_chain(b, &site, tile));
        }
    }
}

/* --- by products */

/* Weights of the elements around x. Without those outside their sum is small: in f32, the rounding
 * of the polynomials would show. */
static void cubic(const struct net_params *p, float x, uint64_t in, float *row)
{
    const float low = floorf(x);
    const double a = (double)p->alpha;
    double sum = 0, weights[4];
    for (int k = 0; k < 4; k++) {
        const float at = low + (float)(k - 1);
        const double t = fabs((double)x - (double)at);
        const bool outside = at < 0 || at > (float)(in - 1);
        weights[k] = t <= 1 ? ((a + 2) * t - (a + 3)) * t * t + 1
                            : ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
        weights[k] = outside && !p->count_pad ? 0 : weights[k];
        sum += weights[k];
    }
    for (int k = 0; k < 4; k++)
        row[within(low + (float)(k - 1), in)] +=
            (float)(p->count_pad ? weights[k] : weights[k] / sum);
}

/* The matrix of an axis, [out][in]. */
static struct net_place matrix_of(struct net_builder *b, uint32_t axis, uint64_t in, uint64_t out)
{
    const struct net_params *const p = &b->node->params;
    struct net_place place = {0};
    float *const data = sam_net_weight_add(b, SAM_F32, in * out, &place.buffer);
    for (uint64_t i = 0; data && i < out; i++) {
        if (p->resize == NET_NEAREST) {
            data[i * in + nearest(p, axis, i, in, out)] = 1;
            continue;
        }
        const float x = sam_net_coordinate(p, axis, i, in, out), low = floorf(x);
        if (p->resize == NET_CUBIC) {
            cubic(p, x, in, data + i * in);
            continue;
        }
        data[i * in + within(low, in)] += 1 - (x - low);
        data[i * in + within(low + 1, in)] += x - low;
    }
    return place;
}

/* out[.., o, ..] = sum over i of matrix[o, i] * in[.., i, ..]; `column` is the axis of the
 * columns, another one. */
static void resize_axis(struct net_builder *b, uint32_t axis, const struct net_place *from,
                        const struct net_place *to, bool last)
{
    const uint64_t depth = from->shape[axis];
    const struct net_place matrix = matrix_of(b, axis, depth, to->shape[axis]);
    struct net_contract c = {.bias = NET_NONE,
                             .taps = {1, 1},
                             .depth = depth,
                             .left = {.step = 1},
                             .right = {.step = from->stride[axis]}};
    const struct net_group *const group = b->at;
    struct net_group head = *group; /* without its chain */
    int64_t left[NET_RANK] = {0}, right[NET_RANK] = {0};
    head.count = last ? group->count : 1;
    b->at = &head;
    sam_net_space_of(&c.space, to);
    sam_net_chain_operands(b, &c.space);
    for (uint32_t i = 0; i < to->rank; i++)
        right[i] = i == axis ? 0 : from->stride[i];
    left[axis] = (int64_t)depth;
    uint32_t column = c.space.axis[c.space.axes - 1];
    if (column == axis && c.space.axes > 1)
        column = c.space.axis[c.space.axes - 2];
    if (to->rank > 1)
        sam_net_space_last(&c.space, column);
    c.left.operand = sam_net_space_add(b, &c.space, NET_NONE, &matrix, left);
    c.right.operand = sam_net_space_add(b, &c.space, NET_NONE, from, right);
    if (to->rank == 1)
        sam_net_space_column(&c.space);
    sam_net_space_merge(&c.space, true);
    sam_net_contract_run(b, &c);
    if (!last)
        sam_net_step_finish(b, b->made, 1, NET_NONE);
    b->at = group;
}

void sam_net_plan_resize(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const struct sam_net_value *const in = &b->graph->values[node->inputs[0]];
    const struct sam_net_value *const out = &b->graph->values[node->output];
    struct net_place from = sam_net_place_of(b, node->inputs[0]);
    uint64_t times[NET_RANK] = {0}, phases = 1;
    uint32_t axes = 0;
    bool whole = true;
    for (uint32_t i = 0; i < in->rank; i++) {
        times[i] = repeats(&node->params, i, in->shape[i], out->shape[i]);
        whole &= times[i] > 0;
        phases *= times[i];
        axes += !net_keeps_axis(&node->params, i, in->shape[i], out->shape[i]);
    }
    if (whole && phases <= PHASES) {
        repeat(b, &from, times);
        return;
    }
    const struct net_order order = sam_net_order_like(&from);
    for (uint32_t i = 0; i < in->rank && b->status == SAM_OK; i++) {
        if (net_keeps_axis(&node->params, i, in->shape[i], out->shape[i]))
            continue;
        struct net_place to = from;
        if (--axes == 0) {
            to = sam_net_place_new(b, b->at->output, order);
        } else { /* an array on the way */
            uint64_t count = 1;
            to.offset = 0;
            to.shape[i] = out->shape[i];
            for (uint32_t k = in->rank; k-- > 0; count *= to.shape[order.axis[k]])
                to.stride[order.axis[k]] = (int64_t)count;
            to.buffer = sam_net_buffer_add(b, NET_BUFFER_SCRATCH, SAM_F32, NET_NONE, count);
        }
        resize_axis(b, i, &from, &to, axes == 0);
        from = to;
    }
}
