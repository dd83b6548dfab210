/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and LayerNormalization: whole rows in a tile where they fit, else in blocks, which pass
 * once for each of their sums. */
#include <math.h>

#include "network/build.h"

enum { BLOCK = 8192 }; /* elements of a tile */

struct rows {
    struct net_builder *b;
    uint32_t scale, bias; /* operands; NET_NONE */
    double epsilon;
    bool once; /* a tile holds whole rows */
    /* of the rows at hand */
    int pass;
    struct net_tile whole, most, sum;
};

/* A column of sums or maxima takes up those of a part. */
static void combine(struct rows *r, const char *fold, const char *join, struct net_tile *into,
                    struct net_tile part)
{
    struct sam_net_text *const text = &r->b->text;
    const struct net_tile column =
        part.cols == 1 ? part : NET_OP1(text, fold, net_shape_of(SAM_F32, part.rows, 1), part);
    if (r->once)
        *into = column;
    else
        sam_net_op_into(text, join, *into, 2, (struct net_tile[]){*into, column});
}

/* Of a softmax, `most` and `sum` are those of the row; of a normalization, the mean and
 * 1 / the deviation. */
static void row_part(struct rows *r, const struct net_site *part)
{
    struct sam_net_text *const text = &r->b->text;
    const bool norm = r->b->node->op == NET_LayerNormalization;
    struct net_tile x = r->whole;
    if (!r->once || r->pass == 0) {
        const struct net_box box = sam_net_site_box(text, part, 1, false, false);
        x = sam_net_load(text, net_shape_of(SAM_F32, part->rows, part->cols), &box);
    }
    if (r->pass == 0) {
        r->whole = x;
        combine(r, norm ? "trowsum" : "trowmax", norm ? "tadd" : "tmax", &r->most, x);
        return;
    }
    if (r->pass == 1 || !r->once) {
        x = sam_net_binary(text, "sub", x, r->most);
        x = norm ? x : sam_net_unary(text, "texp", x);
    }
    if (r->pass == 1) {
        combine(r, "trowsum", "tadd", &r->sum, norm ? NET_OP2(text, "tmul", x, x, x) : x);
        r->whole = x;
        return;
    }
    x = sam_net_binary(text, norm ? "mul" : "div", x, r->sum);
    if (r->scale != NET_NONE)
        x = sam_net_binary(text, "mul", x, sam_net_site_load(r->b, part, r->scale));
    if (r->bias != NET_NONE)
        x = sam_net_binary(text, "add", x, sam_net_site_load(r->b, part, r->bias));
    sam_net_site_store(text, part, x);
}

/* The deviations from the sums. */
static void between_passes(struct rows *r, uint64_t cols)
{
    struct sam_net_text *const text = &r->b->text;
    if (r->pass == 0) {
        r->most = sam_net_with(text, "tmuls", r->most, 1 / (double)cols);
    } else if (r->pass == 1) {
        r->sum = sam_net_with(text, "tmuls", r->sum, 1 / (double)cols);
        r->sum = sam_net_unary(text, "trsqrt", sam_net_with(text, "tadds", r->sum, r->epsilon));
    }
}

static void rows_site(struct net_builder *b, struct rows *r, const struct net_site *rows)
{
    const bool norm = b->node->op == NET_LayerNormalization;
    const struct net_tile column = net_shape_of(SAM_F32, rows->rows, 1);
    if (!r->once) {
        r->most = NET_OP1(&b->text, "texpands", column,
                          sam_net_scalar(&b->text, SAM_F32, norm ? 0 : -(double)INFINITY));
        r->sum = NET_OP1(&b->text, "texpands", column, sam_net_scalar(&b->text, SAM_F32, 0));
    }
    for (r->pass = 0; r->pass < 3; r->pass++) {
        for (struct net_site part = net_site_within(rows); sam_net_site_next(b, &part);)
            row_part(r, &part);
        if (norm)
            between_passes(r, rows->space->extent[rows->space->axes - 1]);
    }
}

/* The shape of a value with its axes from `axis` on as one. */
static struct sam_net_value rows_of(const struct net_builder *b, uint32_t value, uint32_t axis)
{
    struct sam_net_value rows = b->graph->values[value];
    for (; rows.rank > axis + 1; rows.rank--)
        rows.shape[axis] *= rows.shape[rows.rank - 1];
    return rows;
}

void sam_net_plan_rows(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const bool norm = node->op == NET_LayerNormalization;
    const uint32_t axis = node->params.axis;
    const struct sam_net_value rows = rows_of(b, node->output, axis);
    const struct net_place from =
        norm ? sam_net_place_as(b, node->inputs[0], &rows) : sam_net_place_of(b, node->inputs[0]);
    struct rows r = {
        .b = b, .epsilon = (double)node->params.alpha, .scale = NET_NONE, .bias = NET_NONE};
    const struct net_place own =
        sam_net_place_new(b, node->output, norm ? sam_net_order_c : sam_net_order_like(&from));
    struct net_place place = norm ? sam_net_place_like(&rows) : own;
    if (norm)
        sam_net_place_view(&own, &place);
    struct net_space space;
    sam_net_space_of(&space, &place);
    sam_net_space_last(&space, axis);
    sam_net_space_add(b, &space, NET_NONE, &from, from.stride);
    for (uint32_t i = 1; norm && i < node->input_count; i++) {
        const struct sam_net_value row = rows_of(b, node->inputs[i], 0);
        const struct net_place each = sam_net_place_as(b, node->inputs[i], &row);
        int64_t stride[NET_RANK] = {0};
        stride[axis] = each.stride[0];
        *(i == 1 ? &r.scale : &r.bias) = sam_net_space_add(b, &space, NET_NONE, &each, stride);
    }
    sam_net_space_merge(&space, true);
    const uint32_t last = space.axes - 1;
    const uint64_t cols = space.extent[last], block = cols <= 2 * BLOCK ? cols : BLOCK;
    sam_net_space_tile(&space, block < BLOCK ? BLOCK / ((block + 7) / 8 * 8) : 1, cols);
    space.tile[last] = block;
    r.once = block == cols;
    for (struct net_site site = {.space = &space, .skipped = UINT32_C(1) << last};
         sam_net_site_next(b, &site);)
        rows_site(b, &r, &site);
}
