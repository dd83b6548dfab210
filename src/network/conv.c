/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: products over the windows of an array with a border of zeros. Channels are
 * innermost, so that the columns of a window and their channels are one run of elements, and a
 * window has as many taps as rows. A depthwise one multiplies windows by rows of weights. */
#include <stdlib.h>

#include "network/build.h"

/* The spatial axes of a value: height is NET_NONE where there is one only. */
struct plane {
    uint32_t height, width;
};

static struct plane plane_of(const struct net_value *value)
{
    return (struct plane){value->rank > 3 ? value->rank - 2 : NET_NONE, value->rank - 1};
}

static struct net_border border_of(const struct net_value *in, const uint64_t *pad)
{
    const struct plane plane = plane_of(in);
    struct net_border border = {0};
    if (plane.height != NET_NONE) {
        border.before[plane.height] = pad[0];
        border.after[plane.height] = pad[2];
    }
    border.before[plane.width] = pad[1];
    border.after[plane.width] = pad[3];
    return border;
}

/* The input with at least that border. */
static struct net_place padded(struct net_builder *b, const struct net_group *group,
                               const uint64_t *pad)
{
    const uint32_t value = b->node->inputs[0];
    const struct net_value *const in = &b->graph->values[value];
    const struct net_border border = border_of(in, pad), *const has = &b->border[value];
    bool fits = b->bordered[value] || !(pad[0] | pad[1] | pad[2] | pad[3]);
    for (uint32_t i = 0; i < in->rank && fits && b->bordered[value]; i++)
        fits = has->before[i] >= border.before[i] && has->after[i] >= border.after[i];
    const struct net_place from = net_place_of(b, value);
    if (fits)
        return from;
    uint32_t order[NET_RANK];
    net_order_channels(in->rank, order);
    const struct net_place to = net_place_copy(b, value, order, &border, 0);
    if (b->status != SAM_OK)
        return to;
    net_copy(b, in->rank, in->shape, net_kept(in->dtype), &from, &to);
    net_step_finish(b, "pad", group->nodes, 1, NET_NONE);
    return to;
}

/* The space of the output with its chain; the channels are last. */
static void output_space(struct net_builder *b, const struct net_group *group,
                         const struct net_place *place, struct net_space *space)
{
    net_space_of(space, &b->graph->values[group->output], place);
    net_chain_operands(b, group, space);
    net_space_last(space, 1);
}

static uint32_t add_bias(struct net_builder *b, const struct net_node *node,
                         struct net_space *space, uint32_t which)
{
    if (node->input_count <= which || node->inputs[which] == NET_NONE)
        return NET_NONE;
    const struct net_place place = net_place_of(b, node->inputs[which]);
    const int64_t stride[NET_RANK] = {[1] = place.stride[0]};
    return net_space_add(b, space, NET_NONE, &place, stride);
}

/* The weights as [tap][output channel][k]: `k` runs over the channels of a group or, if `wide`,
 * over the columns of the window and these; depthwise as [tap][channel]. Weights that are no
 * constants are read where they are. */
static struct net_place weights_of(struct net_builder *b, const struct net_node *node, bool wide)
{
    const struct net_value *const w = &b->graph->values[node->inputs[1]];
    const uint64_t kw = node->params.kernel[1], kh = node->params.kernel[0];
    const uint64_t outs = w->shape[0], ins = w->shape[1];
    struct net_place place = {0};
    if (!w->data)
        return net_place_of(b, node->inputs[1]);
    float *const data = net_weight_add(b, SAM_F32, w->count, &place.buffer);
    for (uint64_t o = 0; data && o < outs; o++)
        for (uint64_t i = 0; i < ins; i++)
            for (uint64_t y = 0; y < kh; y++)
                for (uint64_t x = 0; x < kw; x++) {
                    const double weight = net_place_constant(w, ((o * ins + i) * kh + y) * kw + x);
                    const uint64_t at = wide ? ((y * outs + o) * kw + x) * ins + i
                                             : ((y * kw + x) * outs + o) * ins + i;
                    data[at] = (float)weight;
                }
    return place;
}

/* Offsets of taps, `rows` x `cols`; false when memory is short. */
static bool taps_of(struct net_builder *b, struct net_contract *c, uint64_t rows, uint64_t cols,
                    int64_t down, int64_t right, int64_t weight_down, int64_t weight_right)
{
    c->taps = (uint32_t)(rows * cols);
    c->left_tap = sam_alloc(c->taps, sizeof *c->left_tap);
    c->right_tap = sam_alloc(c->taps, sizeof *c->right_tap);
    if (!c->left_tap || !c->right_tap) {
        net_build_fail(b, SAM_ERR_MEMORY, "out of memory");
        return false;
    }
    for (uint64_t y = 0; y < rows; y++)
        for (uint64_t x = 0; x < cols; x++) {
            c->left_tap[y * cols + x] = (int64_t)y * down + (int64_t)x * right;
            c->right_tap[y * cols + x] = (int64_t)y * weight_down + (int64_t)x * weight_right;
        }
    return true;
}

/* The input as an operand of the output's space: windows begin at its elements. */
static uint32_t add_windows(struct net_builder *b, const struct net_node *node,
                            struct net_space *space, struct net_place in, bool channels)
{
    const struct net_params *const p = &node->params;
    const struct plane plane = plane_of(&b->graph->values[node->inputs[0]]);
    int64_t stride[NET_RANK] = {in.stride[0], channels ? in.stride[1] : 0};
    if (plane.height != NET_NONE) {
        stride[plane.height] = in.stride[plane.height] * (int64_t)p->stride[0];
        in.offset -= in.stride[plane.height] * (int64_t)p->pad[0];
    }
    stride[plane.width] = in.stride[plane.width] * (int64_t)p->stride[1];
    in.offset -= in.stride[plane.width] * (int64_t)p->pad[1];
    return net_space_add(b, space, NET_NONE, &in, stride);
}

static int64_t down_of(const struct net_value *in, const struct net_place *place)
{
    const struct plane plane = plane_of(in);
    return plane.height == NET_NONE ? 0 : place->stride[plane.height];
}

/* --- depthwise */

struct depthwise {
    struct net_contract c;
};

static void depthwise_body(struct net_builder *b, void *context, const struct net_site *site)
{
    const struct net_contract *const c = context;
    struct net_text *const text = &b->text;
    struct net_tile sum = {0};
    for (uint32_t tap = 0; tap < c->taps; tap++) {
        struct net_site moved = *site;
        struct net_space space = *site->space;
        moved.space = &space;
        space.operand[c->left].offset += c->left_tap[tap];
        space.operand[c->right].offset += c->right_tap[tap];
        const struct net_tile in = net_site_load(b, &moved, c->left);
        const struct net_tile weight = net_site_load(b, &moved, c->right);
        const struct net_tile product = net_binary(text, "mul", in, weight);
        if (tap == 0)
            sum = product;
        else
            net_op_into(text, "tadd", sum, 2, (struct net_tile[]){sum, product});
    }
    if (c->bias != NET_NONE)
        sum = net_binary(text, "add", sum, net_site_load(b, site, c->bias));
    net_site_store(text, site, net_chain(b, c->group, site, sum));
}

static void depthwise(struct net_builder *b, struct net_contract *c, uint64_t taps)
{
    net_space_merge(&c->space, true);
    net_space_tile(&c->space, 1, 256);
    const uint64_t cols = (c->space.tile[c->space.axes - 1] + 7) / 8 * 8;
    const uint64_t most = 49152 / (net_chain_tiles(b, c->group) + 2);
    net_space_tile(&c->space, most / cols ? most / cols : 1, 256);
    uint64_t products = taps;
    for (uint32_t i = 0; i < c->space.axes; i++)
        products *= c->space.extent[i];
    b->products += products;
    if (b->status == SAM_OK)
        net_space_run(b, &c->space, depthwise_body, c);
}

void net_plan_conv(struct net_builder *b, const struct net_group *group)
{
    const struct net_node *const node = b->node;
    const struct net_params *const p = &node->params;
    const struct net_value *const in = &b->graph->values[node->inputs[0]];
    const struct net_value *const out = &b->graph->values[node->output];
    const struct net_value *const w = &b->graph->values[node->inputs[1]];
    const struct net_place from = padded(b, group, p->pad);
    uint32_t order[NET_RANK];
    net_order_channels(out->rank, order);
    const struct net_place place = net_place_new(b, group->output, order);
    if (b->status != SAM_OK)
        return;
    struct net_contract c = {.group = group, .scale = 1, .bias_scale = 1};
    const uint64_t group_ins = in->shape[1] / p->group, group_outs = out->shape[1] / p->group;
    const uint32_t wide_axis = in->rank - 1;
    const bool deep = p->group > 1 && group_ins == 1 && group_outs == 1;
    const bool wide = !deep && p->group == 1 && p->dilation[1] == 1 && w->data &&
                      from.stride[1] == 1 && from.stride[wide_axis] == (int64_t)in->shape[1] &&
                      p->kernel[1] > 1;
    const struct net_place weights = weights_of(b, node, wide);
    output_space(b, group, &place, &c.space);
    c.bias = add_bias(b, node, &c.space, 2);
    c.left = add_windows(b, node, &c.space, from, deep);
    c.depth = wide ? group_ins * p->kernel[1] : group_ins;
    c.left_step = from.stride[1];
    c.right_step = w->data ? 1 : weights.stride[1];
    int64_t per_out[NET_RANK] = {[1] = w->data ? (int64_t)c.depth : weights.stride[0]};
    c.right = net_space_add(b, &c.space, NET_NONE, &weights, per_out);
    const int64_t each = (int64_t)(out->shape[1] * c.depth);
    const int64_t down = down_of(in, &from) * (int64_t)p->dilation[0];
    const int64_t right = from.stride[wide_axis] * (int64_t)p->dilation[1];
    const uint64_t cols = wide ? 1 : p->kernel[1];
    const struct plane of_w = plane_of(w);
    if (!taps_of(b, &c, p->kernel[0], cols, down, right,
                 w->data                   ? each * (int64_t)cols
                 : of_w.height == NET_NONE ? 0
                                           : weights.stride[of_w.height],
                 w->data ? each : weights.stride[of_w.width]))
        goto done;
    if (deep) {
        depthwise(b, &c, c.taps);
        goto done;
    }
    if (p->group > 1) {
        const uint32_t at = net_space_split(&c.space, c.space.axes - 1, p->group);
        c.space.operand[c.left].stride[at] = from.stride[1] * (int64_t)group_ins;
    }
    net_space_merge(&c.space, true);
    net_contract_run(b, &c);
done:
    free(c.left_tap);
    free(c.right_tap);
    net_step_finish(b, deep ? "depthwise" : "conv", group->nodes, group->count, group->output);
}
