/* SPDX-License-Identifier: Apache-2.0 */
/* ConvTranspose: outputs whose distance is the stride see the same taps of the kernel, so each of
 * these phases is a convolution of its own with stride 1, whose results are stored apart. */
#include <stdlib.h>

#include "network/conv.h"

/* The position that tap `k` of an axis reads for the outputs of a phase; false: no tap of that
 * phase.
 */
static bool tap_at(const struct net_params *p, uint32_t axis, uint64_t phase, uint64_t k,
                   int64_t *at)
{
    const int64_t from = (int64_t)(phase + p->pad[axis]) - (int64_t)(k * p->dilation[axis]);
    *at = from / (int64_t)p->stride[axis];
    return from % (int64_t)p->stride[axis] == 0;
}

/* Elements that the phases read before and after the input. */
static void reach(const struct net_params *p, uint32_t axis, uint64_t in, uint64_t out,
                  uint64_t *before, uint64_t *after)
{
    int64_t low = 0, high = 0;
    for (uint64_t phase = 0; phase < p->stride[axis] && phase < out; phase++) {
        const int64_t last = (int64_t)((out - phase - 1) / p->stride[axis]);
        high = last > high ? last : high; /* a phase without taps */
        for (uint64_t k = 0; k < p->kernel[axis]; k++) {
            int64_t at;
            if (!tap_at(p, axis, phase, k, &at))
                continue;
            low = at < low ? at : low;
            high = last + at > high ? last + at : high;
        }
    }
    *before = (uint64_t)-low;
    *after = high >= (int64_t)in ? (uint64_t)high - in + 1 : 0;
}

static void phase_taps(const struct net_params *p, struct net_contract *c,
                       const struct net_place *from, const uint64_t *phase)
{
    int64_t y_at, x_at;
    c->taps = 0;
    for (uint64_t y = 0; y < p->kernel[0]; y++)
        for (uint64_t x = 0; x < p->kernel[1]; x++)
            if (tap_at(p, 0, phase[0], y, &y_at) && tap_at(p, 1, phase[1], x, &x_at)) {
                c->left_tap[c->taps] = from->stride[2] * y_at + from->stride[3] * x_at;
                c->right_tap[c->taps++] = (int64_t)(y * p->kernel[1] + x);
            }
    if (c->taps == 0) {
        c->left_tap[0] = 0;
        c->right_tap[0] = INT64_MAX / 2; /* zeros */
        c->taps = 1;
    }
}

/* Whether the phases of a row of outputs are columns side by side: the kernel is as large as the
 * stride, and nothing else is read for each output. */
static bool side_by_side(const struct net_params *p, const struct net_space *space,
                         const struct sam_net_value *out)
{
    const uint32_t last = space->axes - 1;
    return p->group == 1 && p->kernel[0] == p->stride[0] && p->kernel[1] == p->stride[1] &&
           p->dilation[0] * p->dilation[1] == 1 &&
           !(p->pad[0] | p->pad[1] | p->pad[2] | p->pad[3]) && space->operands == 1 && last > 0 &&
           space->axis[last - 1] == 3 &&
           space->operand[0].stride[last - 1] == (int64_t)out->shape[1] &&
           (space->operand[0].stride[last] == 1 || out->shape[1] == 1);
}

/* The columns of a row of such outputs, and their channels, as one axis. */
static void merge_phases(struct net_space *space, uint64_t width, uint64_t outs)
{
    const uint32_t at = space->axes - 2;
    sam_net_space_split(space, at, space->extent[at] / width);
    space->axes--;
    space->extent[at + 1] = width * outs;
    space->operand[0].stride[at + 1] = 1;
    space->axis[at + 1] = 1;
}

void sam_net_plan_conv_transpose(struct net_builder *b)
{
    const struct net_params *const p = &b->node->params;
    const struct sam_net_value *const in = &b->graph->values[b->node->inputs[0]];
    const struct sam_net_value *const w = &b->graph->values[b->node->inputs[1]];
    const struct sam_net_value *const out = &b->graph->values[b->node->output];
    uint64_t border[4];
    for (uint32_t i = 0; i < 2; i++)
        reach(p, i, in->shape[2 + i], out->shape[2 + i], &border[i], &border[2 + i]);
    const struct net_place from = sam_net_conv_input(b, border, true, 0);
    struct net_contract whole = {0};
    const uint64_t ins = in->shape[1] / p->group, outs = w->shape[1];
    const int64_t size = (int64_t)(p->kernel[0] * p->kernel[1]), channel = size * (int64_t)outs;
    sam_net_conv_space(b, &whole.space);
    whole.depth = ins;
    whole.left_step = from.stride[1];
    whole.right_step = 1;
    whole.constant = true;
    const bool merged = side_by_side(p, &whole.space, out);
    const uint64_t width = merged ? p->stride[1] : 1;
    uint32_t bias = NET_NONE;
    if (merged && b->node->input_count > 2)
        bias = sam_net_weight_as(b, &b->graph->values[b->node->inputs[2]], NULL, 1, 2,
                                 (uint64_t[]){width, outs}, (int64_t[]){0, 1});
    const bool taps = sam_net_conv_taps(b, &whole, p->kernel[0], p->kernel[1]);
    for (uint64_t i = 0; taps && i < p->stride[0] * p->stride[1] && b->status == SAM_OK;
         i += width) {
        const uint64_t phase[2] = {i / p->stride[1], i % p->stride[1]};
        struct net_contract c = whole;
        if (phase[0] >= out->shape[2] || phase[1] >= out->shape[3])
            continue;
        sam_net_space_every(&c.space, 2, phase[0], p->stride[0]);
        if (merged)
            merge_phases(&c.space, width, outs);
        else
            sam_net_space_every(&c.space, 3, phase[1], p->stride[1]);
        c.bias = sam_net_conv_bias(b, &c.space, bias);
        c.left = sam_net_space_add(
            b, &c.space, NET_NONE, &from,
            (int64_t[NET_RANK]){from.stride[0], 0, from.stride[2], from.stride[3]});
        phase_taps(p, &c, &from, phase);
        /* [tap][column of the phases or group, output channel][input channel of the group] */
        const struct net_place weights = {
            .buffer = sam_net_weight_as(
                b, w, c.right_tap, c.taps, 3, (uint64_t[]){merged ? width : p->group, outs, ins},
                (int64_t[]){merged ? 1 : (int64_t)ins * channel, size, channel})};
        c.right = sam_net_space_add(b, &c.space, NET_NONE, &weights,
                                    (int64_t[NET_RANK]){[1] = (int64_t)ins});
        sam_net_conv_run(b, &c, &from, ins);
    }
    free(whole.left_tap);
    free(whole.right_tap);
}
