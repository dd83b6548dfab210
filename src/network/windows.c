/* SPDX-License-Identifier: Apache-2.0 */
/* Windows combined element by element: depthwise convolutions and pools. */
#include <math.h>
#include <stdlib.h>

#include "network/conv.h"

struct windows {
    struct net_contract *c;
    const char *combine;
};

static struct net_tile tap_tile(struct net_builder *b, const struct net_contract *c,
                                const struct net_site *site, uint32_t tap)
{
    struct net_space space = *site->space;
    struct net_site moved = *site;
    moved.space = &space;
    space.operand[c->left].offset += c->left_tap[tap];
    const struct net_tile in =
        net_widen(&b->text, net_site_load(b, &moved, c->left), site->rows, site->cols);
    if (c->right == NET_NONE)
        return in;
    space.operand[c->right].offset += c->right_tap[tap];
    return net_binary(&b->text, "mul", in, net_site_load(b, &moved, c->right));
}

static void windows_body(struct net_builder *b, void *context, const struct net_site *site)
{
    const struct windows *const w = context;
    const struct net_contract *const c = w->c;
    struct net_text *const text = &b->text;
    char name[16];
    sam_format(name, sizeof name, "t%s", w->combine);
    struct net_tile sum = tap_tile(b, c, site, 0);
    for (uint32_t tap = 1; tap < c->taps; tap++)
        net_op_into(text, name, sum, 2, (struct net_tile[]){sum, tap_tile(b, c, site, tap)});
    if (c->scale != 1)
        sum = net_with(text, "tmuls", sum, c->scale);
    if (c->bias != NET_NONE)
        sum = net_binary(text, c->right == NET_NONE ? "mul" : "add", sum,
                         net_site_load(b, site, c->bias));
    net_site_store(text, site, net_chain(b, c->group, site, sum));
}

void net_windows_run(struct net_builder *b, struct net_contract *c, const char *combine)
{
    struct net_space *const space = &c->space;
    struct windows w = {c, combine};
    net_space_merge(space, true);
    net_space_tile(space, 1, 256);
    const uint64_t cols = (space->tile[space->axes - 1] + 7) / 8 * 8;
    const uint64_t rows = 49152 / (net_chain_tiles(b, c->group) + 2) / cols;
    net_space_tile(space, rows ? rows : 1, 256);
    uint64_t products = c->right == NET_NONE ? 0 : c->taps;
    for (uint32_t i = 0; i < space->axes; i++)
        products *= space->extent[i];
    b->products += products;
    if (b->status == SAM_OK)
        net_space_run(b, space, windows_body, &w);
}

/* 1 / the elements of each window that are no padding, as [height][width]. */
static struct net_place shares(struct net_builder *b, const struct net_value *in,
                               const struct net_value *out)
{
    const struct net_params *const p = &b->node->params;
    struct net_place place = {0};
    float *const data = net_weight_add(b, SAM_F32, out->shape[2] * out->shape[3], &place.buffer);
    for (uint64_t i = 0; data && i < out->shape[2] * out->shape[3]; i++) {
        const uint64_t start[2] = {i / out->shape[3] * p->stride[0],
                                   i % out->shape[3] * p->stride[1]};
        double count = 1;
        for (uint32_t d = 0; d < 2; d++) {
            uint64_t inside = 0;
            for (uint64_t k = 0; k < p->kernel[d]; k++) {
                const uint64_t at = start[d] + k * p->dilation[d];
                inside += at >= p->pad[d] && at - p->pad[d] < in->shape[2 + d];
            }
            count *= (double)inside;
        }
        data[i] = (float)(1 / count);
    }
    place.stride[2] = (int64_t)out->shape[3];
    place.stride[3] = 1;
    return place;
}

void net_plan_pool(struct net_builder *b, const struct net_group *group)
{
    const struct net_params *const p = &b->node->params;
    const struct net_value *const in = &b->graph->values[b->node->inputs[0]];
    const struct net_value *const out = &b->graph->values[b->node->output];
    const bool max = b->node->op == NET_MaxPool;
    const bool padded = p->pad[0] | p->pad[1] | p->pad[2] | p->pad[3];
    const struct net_place from = net_conv_input(b, group, p->pad, !max, max ? -INFINITY : 0.0f);
    struct net_contract c = {
        .group = group, .scale = 1, .bias_scale = 1, .bias = NET_NONE, .right = NET_NONE};
    net_conv_space(b, group, &c.space);
    c.left = net_conv_windows(b, &c.space, from, true);
    if (!max && padded && !p->count_pad) {
        const struct net_place each = shares(b, in, out);
        c.bias = net_space_add(b, &c.space, NET_NONE, &each, each.stride);
    } else if (!max) {
        c.scale = 1 / (double)(p->kernel[0] * p->kernel[1]);
    }
    if (net_conv_taps(b, &c, p->kernel[0], p->kernel[1])) {
        for (uint64_t y = 0; y < p->kernel[0]; y++)
            for (uint64_t x = 0; x < p->kernel[1]; x++)
                c.left_tap[c.taps++] = from.stride[2] * (int64_t)(y * p->dilation[0]) +
                                       from.stride[3] * (int64_t)(x * p->dilation[1]);
        net_windows_run(b, &c, max ? "max" : "add");
    }
    free(c.left_tap);
    free(c.right_tap);
    net_step_finish(b, "pool", group->nodes, group->count, group->output);
}
