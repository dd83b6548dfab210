/* SPDX-License-Identifier: Apache-2.0 */
/* Windows combined element by element: depthwise convolutions and pools. */
#include <math.h>

#include "network/conv.h"

enum { REGION = 20480, ROW = 4096, RESIDUES = 64 }; /* elements of tiles; largest stride */

struct windows {
    struct net_contract *c;
    const char *combine;
    const struct net_params *p;
    uint32_t height, width; /* axes of the space */
    int64_t down, right;    /* strides of the input */
    /* Elements that the windows of a tile read, for each residue of its columns by the stride: taps
     * are runs of rows of one of them. */
    struct net_tile region[RESIDUES];
    uint64_t pitch[RESIDUES]; /* columns */
};

/* Elements of an axis that windows read for some outputs. */
static uint64_t reach_of(const struct net_params *p, uint32_t d, uint64_t outputs)
{
    return (outputs - 1) * p->stride[d] + (p->kernel[d] - 1) * p->dilation[d] + 1;
}

static void load_region(struct net_builder *b, struct windows *w, const struct net_site *site)
{
    const struct net_params *const p = w->p;
    const uint64_t step = p->stride[1], rows = reach_of(p, 0, site->size[w->height]);
    memset(w->pitch, 0, sizeof w->pitch);
    for (uint64_t x = 0; x < p->kernel[1]; x++) { /* taps in rising order: the last one counts */
        const uint64_t column = x * p->dilation[1];
        w->pitch[column % step] = column / step + site->size[w->width];
    }
    for (uint64_t residue = 0; residue < step; residue++) {
        struct net_box box = sam_net_site_box(&b->text, site, w->c->left, true, false);
        if (w->pitch[residue] == 0)
            continue;
        box.at = sam_net_add(&b->text, box.at, net_at((int64_t)residue * w->right));
        box.stride[2] = box.stride[0];
        box.size[0] = rows;
        box.stride[0] = w->down;
        box.size[1] = w->pitch[residue];
        box.stride[1] = w->right * (int64_t)step;
        box.size[2] = site->cols;
        box.count = 3;
        w->region[residue] = sam_net_load(
            &b->text, net_shape_of(SAM_F32, rows * w->pitch[residue], site->cols), &box);
    }
}

/* The tap at [y, x] for a row of outputs, times its weights. */
static struct net_tile tap_tile(struct net_builder *b, const struct windows *w,
                                const struct net_site *row, uint64_t number, uint64_t y, uint64_t x,
                                struct net_tile weights)
{
    const struct net_params *const p = w->p;
    const uint64_t column = x * p->dilation[1], residue = column % p->stride[1];
    const uint64_t line = number * p->stride[0] + y * p->dilation[0];
    const struct net_tile in =
        sam_net_window(&b->text, w->region[residue],
                       line * w->pitch[residue] + column / p->stride[1], 0, row->rows, row->cols);
    if (w->c->right == NET_NONE)
        return in;
    weights = sam_net_window(&b->text, weights, y * p->kernel[1] + x, 0, 1, row->cols);
    return sam_net_binary(&b->text, "mul", in, weights);
}

static void write_windows(struct net_builder *b, struct windows *w, const struct net_site *site)
{
    const struct net_contract *const c = w->c;
    struct sam_net_text *const text = &b->text;
    const uint64_t rows = w->p->kernel[0], cols = w->p->kernel[1];
    struct net_tile weights = {0};
    char name[16];
    sam_format(name, sizeof name, "t%s", w->combine);
    load_region(b, w, site);
    if (c->right != NET_NONE) {
        struct net_box box = sam_net_site_box(text, site, c->right, true, false);
        box.stride[1] = box.stride[0];
        box.size[1] = site->cols;
        box.size[0] = rows * cols;
        box.stride[0] = c->right_step;
        box.count = 2;
        weights = sam_net_load(text, net_shape_of(SAM_F32, rows * cols, site->cols), &box);
    }
    for (uint64_t h = 0; h < site->size[w->height]; h++) {
        struct net_site row = *site;
        row.at[w->height] = sam_net_add(text, row.at[w->height], net_at((int64_t)h));
        row.size[w->height] = 1;
        sam_net_site_sizes(&row);
        struct net_tile sum = tap_tile(b, w, &row, h, 0, 0, weights);
        for (uint64_t tap = 1; tap < rows * cols; tap++)
            sum = sam_net_op(
                text, name, net_shape_of(SAM_F32, row.rows, row.cols), 2,
                (struct net_tile[]){sum, tap_tile(b, w, &row, h, tap / cols, tap % cols, weights)});
        if (c->scale != 0 && c->scale != 1)
            sum = sam_net_with(text, "tmuls", sum, c->scale);
        if (c->bias != NET_NONE)
            sum = sam_net_binary(text, c->right == NET_NONE ? "mul" : "add", sum,
                                 sam_net_site_load(b, &row, c->bias));
        sam_net_site_store(text, &row, sam_net_chain(b, &row, sum));
    }
}

/* Elements that the windows of a tile read. */
static uint64_t region_of(const struct windows *w, uint64_t rows, uint64_t width, uint64_t cols)
{
    return reach_of(w->p, 0, rows) * (reach_of(w->p, 1, width) + w->p->stride[1]) * cols;
}

/* Tiles of whole rows of outputs where their region fits, of fewer channels where it does not. */
static void tile_windows(const struct windows *w, struct net_space *space)
{
    const uint32_t last = space->axes - 1;
    const uint64_t height = space->extent[w->height] ?: 1, width = space->extent[w->width] ?: 1;
    for (uint64_t cols = 32;; cols /= 2) {
        sam_net_space_tile(space, 1, cols);
        const uint64_t room = (space->tile[last] + 7) / 8 * 8;
        uint64_t parts = (width * room + ROW - 1) / ROW ?: 1, rows = height;
        while (parts < width && region_of(w, 1, (width + parts - 1) / parts, room) > REGION)
            parts++;
        const uint64_t part = (width + parts - 1) / parts;
        while (rows > 1 && region_of(w, rows, part, room) > REGION)
            rows--;
        const uint64_t strips = rows ? (height + rows - 1) / rows : 1;
        space->tile[w->height] = (height + strips - 1) / strips;
        space->tile[w->width] = part;
        const bool fits = region_of(w, 1, part, room) <= REGION;
        if (cols <= 8 || (fits && (cols <= 32 || rows == height ||
                                   rows * w->p->stride[0] >= w->p->kernel[0] * 2)))
            return;
    }
}

void sam_net_windows_run(struct net_builder *b, struct net_contract *c,
                         const struct net_place *from, const char *combine)
{
    struct net_space *const space = &c->space;
    struct windows w = {.c = c,
                        .combine = combine,
                        .p = &b->node->params,
                        .down = from->stride[2],
                        .right = from->stride[3]};
    if (w.p->stride[1] > RESIDUES)
        sam_net_build_fail(b, SAM_ERR_INPUT, "a stride above %d", RESIDUES);
    for (uint32_t i = 0; i < space->axes; i++) {
        w.height = space->axis[i] == 2 ? i : w.height;
        w.width = space->axis[i] == 3 ? i : w.width;
    }
    tile_windows(&w, space);
    for (struct net_parts parts = {0}; sam_net_parts(b, space, &parts);) {
        uint64_t products = c->right == NET_NONE ? 0 : w.p->kernel[0] * w.p->kernel[1];
        for (uint32_t i = 0; i < space->axes; i++)
            products *= space->extent[i];
        b->products += products;
        for (struct net_site site = {.space = space}; sam_net_site_next(b, &site);)
            write_windows(b, &w, &site);
    }
}

/* The reciprocal of the number of elements averaged in each window, as [height][width]: all but the
 * padding, or with count_include_pad all but what ceil_mode adds. */
static struct net_place shares(struct net_builder *b, const struct sam_net_value *in,
                               const struct sam_net_value *out)
{
    const struct net_params *const p = &b->node->params;
    struct net_place place = {0};
    float *const data =
        sam_net_weight_add(b, SAM_F32, out->shape[2] * out->shape[3], &place.buffer);
    for (uint64_t i = 0; data && i < out->shape[2] * out->shape[3]; i++) {
        const uint64_t start[2] = {i / out->shape[3] * p->stride[0],
                                   i % out->shape[3] * p->stride[1]};
        double count = 1;
        for (uint32_t d = 0; d < 2; d++) {
            uint64_t inside = 0;
            for (uint64_t k = 0; k < p->kernel[d]; k++) {
                const uint64_t at = start[d] + k * p->dilation[d];
                inside += p->count_pad ? at < p->pad[d] + in->shape[2 + d] + p->pad[2 + d] -
                                                  (uint64_t)p->start[d]
                                       : at >= p->pad[d] && at - p->pad[d] < in->shape[2 + d];
            }
            count *= (double)inside;
        }
        data[i] = (float)(1 / count);
    }
    place.stride[2] = (int64_t)out->shape[3];
    place.stride[3] = 1;
    return place;
}

void sam_net_plan_pool(struct net_builder *b)
{
    const struct net_params *const p = &b->node->params;
    const struct sam_net_value *const in = &b->graph->values[b->node->inputs[0]];
    const struct sam_net_value *const out = &b->graph->values[b->node->output];
    const bool max = b->node->op == NET_MaxPool;
    const bool padded = p->pad[0] | p->pad[1] | p->pad[2] | p->pad[3];
    const struct net_place from = sam_net_conv_input(b, p->pad, !max, max ? -INFINITY : 0.0f);
    struct net_contract c = {.bias = NET_NONE, .right = NET_NONE};
    sam_net_conv_space(b, &c.space);
    c.left = sam_net_conv_windows(b, &c.space, from, true);
    if (!max && (p->count_pad ? p->start[0] | p->start[1] : padded)) {
        const struct net_place each = shares(b, in, out);
        c.bias = sam_net_space_add(b, &c.space, NET_NONE, &each, each.stride);
    } else if (!max) {
        c.scale = 1 / (double)(p->kernel[0] * p->kernel[1]);
    }
    sam_net_windows_run(b, &c, &from, max ? "max" : "add");
}
