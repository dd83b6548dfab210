/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: products over the windows of an array with a border of zeros. Channels are
 * innermost, so that the columns of a window and their channels are one run of elements, and a
 * window has as many taps as rows. Depthwise ones are sums of windows (windows.c). */
#include "network/conv.h"

#include <stdlib.h>

struct net_place sam_net_conv_input(struct net_builder *b, const uint64_t *pad, bool zeros,
                                    float fill)
{
    const uint32_t value = b->node->inputs[0];
    const struct net_border *const has = &b->border[value];
    const struct net_border border = {.before = {0, 0, pad[0], pad[1]},
                                      .after = {0, 0, pad[2], pad[3]}};
    const struct net_place from = sam_net_place_of(b, value);
    const bool none = !(pad[0] | pad[1] | pad[2] | pad[3]);
    bool fits = zeros && b->bordered[value];
    for (uint32_t i = 0; i < 4 && fits; i++)
        fits = has->before[i] >= border.before[i] && has->after[i] >= border.after[i];
    if (none || fits || b->status != SAM_OK)
        return from;
    uint32_t order[NET_RANK];
    sam_net_order_channels(4, order);
    const struct net_place to = sam_net_place_copy(b, value, order, &border, fill);
    if (b->status != SAM_OK)
        return to;
    sam_net_copy(b, &from, &to);
    sam_net_step_finish(b, "pad", 1, NET_NONE);
    return to;
}

void sam_net_conv_space(struct net_builder *b, struct net_space *space)
{
    uint32_t order[NET_RANK];
    sam_net_order_channels(4, order);
    const struct net_place place = sam_net_place_new(b, b->at->output, order);
    sam_net_space_of(space, &place);
    sam_net_chain_operands(b, space);
    sam_net_space_last(space, 1);
}

uint32_t sam_net_conv_bias(struct net_builder *b, struct net_space *space, uint32_t repeated)
{
    struct net_place place = {.buffer = repeated, .stride = {1}};
    if (b->node->input_count < 3)
        return NET_NONE;
    if (repeated == NET_NONE)
        place = sam_net_place_of(b, b->node->inputs[2]);
    return sam_net_space_add(b, space, NET_NONE, &place,
                             (int64_t[NET_RANK]){[1] = place.stride[0]});
}

uint32_t sam_net_conv_windows(struct net_builder *b, struct net_space *space, struct net_place in,
                              bool channels)
{
    const struct net_params *const p = &b->node->params;
    in.offset -= in.stride[2] * (int64_t)p->pad[0] + in.stride[3] * (int64_t)p->pad[1];
    return sam_net_space_add(b, space, NET_NONE, &in,
                             (int64_t[NET_RANK]){in.stride[0], channels ? in.stride[1] : 0,
                                                 in.stride[2] * (int64_t)p->stride[0],
                                                 in.stride[3] * (int64_t)p->stride[1]});
}

bool sam_net_conv_taps(struct net_builder *b, struct net_contract *c, uint64_t rows, uint64_t cols)
{
    c->taps = 0;
    c->left_tap = sam_alloc(rows * cols, sizeof *c->left_tap);
    c->right_tap = sam_alloc(rows * cols, sizeof *c->right_tap);
    if (!c->left_tap || !c->right_tap)
        sam_net_build_fail(b, SAM_ERR_MEMORY, "out of memory");
    return b->status == SAM_OK;
}

void sam_net_conv_run(struct net_builder *b, struct net_contract *c, const struct net_place *from,
                      uint64_t ins)
{
    const uint64_t groups = b->node->params.group;
    if (groups > 1) {
        const uint32_t at = sam_net_space_split(&c->space, c->space.axes - 1, groups);
        c->space.operand[c->left].stride[at] = from->stride[1] * (int64_t)ins;
    }
    sam_net_space_merge(&c->space, true);
    sam_net_contract_run(b, c);
}

/* Constant weights as [tap][output channel][k]: `k` runs over the channels of a group or, if
 * `wide`, over the columns of the window and these. */
static struct net_place turned(struct net_builder *b, const struct sam_net_value *w, bool wide)
{
    const uint64_t outs = w->shape[0], ins = w->shape[1], kh = w->shape[2], kw = w->shape[3];
    const int64_t out = (int64_t)(ins * kh * kw), in = (int64_t)(kh * kw), row = (int64_t)kw;
    struct net_place place = {.stride = {(int64_t)(wide ? ins * kw : ins), 1,
                                         (int64_t)(outs * ins * kw), (int64_t)(outs * ins)}};
    place.buffer = wide ? sam_net_weight_as(b, w, NULL, 1, 4, (uint64_t[]){kh, outs, kw, ins},
                                            (int64_t[]){row, out, 1, in})
                        : sam_net_weight_as(b, w, NULL, 1, 4, (uint64_t[]){kh, kw, outs, ins},
                                            (int64_t[]){row, 1, out, in});
    return place;
}

void sam_net_plan_conv(struct net_builder *b)
{
    const struct net_params *const p = &b->node->params;
    const struct sam_net_value *const in = &b->graph->values[b->node->inputs[0]];
    const struct sam_net_value *const w = &b->graph->values[b->node->inputs[1]];
    const struct net_place from = sam_net_conv_input(b, p->pad, true, 0);
    const uint64_t outs = w->shape[0], ins = w->shape[1];
    const bool deep = p->group > 1 && ins == 1 && outs == p->group && w->data && p->stride[1] <= 64;
    const bool wide = !deep && p->group == 1 && p->dilation[1] == 1 && p->kernel[1] > 1 &&
                      w->data && (ins == 1 || from.stride[1] == 1) &&
                      from.stride[3] == (int64_t)in->shape[1];
    const struct net_place weights =
        w->data ? turned(b, w, wide) : sam_net_place_of(b, b->node->inputs[1]);
    struct net_contract c = {0};
    sam_net_conv_space(b, &c.space);
    c.bias = sam_net_conv_bias(b, &c.space, NET_NONE);
    c.left = sam_net_conv_windows(b, &c.space, from, deep);
    c.right = sam_net_space_add(b, &c.space, NET_NONE, &weights,
                                (int64_t[NET_RANK]){[1] = weights.stride[0]});
    c.depth = wide ? ins * p->kernel[1] : ins;
    c.left_step = wide ? 1 : from.stride[1];
    c.right_step = weights.stride[1];
    const uint64_t cols = wide ? 1 : p->kernel[1];
    if (deep) {
        b->made = "depthwise";
        c.right_step = weights.stride[3];
        sam_net_windows_run(b, &c, &from, "add");
    } else if (sam_net_conv_taps(b, &c, p->kernel[0], cols)) {
        for (uint64_t y = 0; y < p->kernel[0]; y++)
            for (uint64_t x = 0; x < cols; x++) {
                c.left_tap[c.taps] = from.stride[2] * (int64_t)(y * p->dilation[0]) +
                                     from.stride[3] * (int64_t)(x * p->dilation[1]);
                c.right_tap[c.taps++] =
                    weights.stride[2] * (int64_t)y + weights.stride[3] * (int64_t)x;
            }
        c.constant = w->data != NULL;
        sam_net_conv_run(b, &c, &from, ins);
    }
    free(c.left_tap);
    free(c.right_tap);
}
