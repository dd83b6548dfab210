/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and pools, over the windows of an array with a border. Their arrays have four axes:
 * batch, channels, height, width. Channels are innermost, so that the columns of a window and their
 * channels are one run of elements, and a window has as many taps as rows. */
#include <math.h>

#include "network/build.h"

/* The input of the node at hand with at least that border; `zeros`: its own will do. A copy of it
 * is a step of its own. */
static struct net_place conv_input(struct net_builder *b, const uint64_t *pad, bool zeros,
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
    return sam_net_place_copy(b, value, sam_net_order_channels, &border, fill);
}

/* The space of the output with its chain; the channels are last. */
static void conv_space(struct net_builder *b, struct net_space *space)
{
    const struct net_place place = sam_net_place_new(b, b->at->output, sam_net_order_channels);
    sam_net_space_of(space, &place);
    sam_net_chain_operands(b, space);
    sam_net_space_last(space, 1);
}

/* The operand of the bias, or NET_NONE. `repeated`: an array of it for the axis of the channels, or
 * NET_NONE: its own. */
static uint32_t conv_bias(struct net_builder *b, struct net_space *space, uint32_t repeated)
{
    struct net_place place = {.buffer = repeated, .stride = {1}};
    if (b->node->input_count < 3)
        return NET_NONE;
    if (repeated == NET_NONE)
        place = sam_net_place_of(b, b->node->inputs[2]);
    return sam_net_space_add(b, space, NET_NONE, &place,
                             (int64_t[NET_RANK]){[1] = place.stride[0]});
}

/* The input as an operand: where the windows begin. `channels`: each output has its own. */
static uint32_t conv_windows(struct net_builder *b, struct net_space *space, struct net_place in,
                             bool channels)
{
    const struct net_params *const p = &b->node->params;
    in.offset -= in.stride[2] * (int64_t)p->pad[0] + in.stride[3] * (int64_t)p->pad[1];
    return sam_net_space_add(b, space, NET_NONE, &in,
                             (int64_t[NET_RANK]){in.stride[0], channels ? in.stride[1] : 0,
                                                 in.stride[2] * (int64_t)p->stride[0],
                                                 in.stride[3] * (int64_t)p->stride[1]});
}

/* The products of a convolution. Each group reads `ins` channels of the input; its weights follow
 * those of the group before or, with `group`, are that many elements from them. */
static void conv_run(struct net_builder *b, struct net_contract *c, const struct net_place *from,
                     uint64_t ins, int64_t group)
{
    const uint64_t groups = b->node->params.group;
    if (groups > 1) {
        const uint32_t at = sam_net_space_split(&c->space, c->space.axes - 1, groups);
        c->space.operand[c->left.operand].stride[at] = from->stride[1] * (int64_t)ins;
        if (group)
            c->space.operand[c->right.operand].stride[at] = group;
    }
    sam_net_space_merge(&c->space, true);
    sam_net_contract_run(b, c);
}

/* --- windows combined element by element: depthwise convolutions and pools */

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
        struct net_box box = sam_net_site_box(&b->text, site, w->c->left.operand, true, false);
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
    if (w->c->right.operand == NET_NONE)
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
    if (c->right.operand != NET_NONE) {
        struct net_box box = sam_net_site_box(text, site, c->right.operand, true, false);
        box.stride[1] = box.stride[0];
        box.size[1] = site->cols;
        box.size[0] = rows * cols;
        box.stride[0] = c->right.step;
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
            sum = sam_net_binary(text, c->right.operand == NET_NONE ? "mul" : "add", sum,
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

/* The windows themselves combined, element by element: "add", "max". Each is multiplied by its row
 * of weights if there are any, `right`, a step apart. `from` is the padded input. */
static void windows_run(struct net_builder *b, struct net_contract *c, const struct net_place *from,
                        const char *combine)
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
        uint64_t products = c->right.operand == NET_NONE ? 0 : w.p->kernel[0] * w.p->kernel[1];
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
    const struct net_place from = conv_input(b, p->pad, !max, max ? -INFINITY : 0.0f);
    struct net_contract c = {.bias = NET_NONE, .right.operand = NET_NONE};
    conv_space(b, &c.space);
    c.left.operand = conv_windows(b, &c.space, from, true);
    if (!max && (p->count_pad ? p->start[0] | p->start[1] : padded)) {
        const struct net_place each = shares(b, in, out);
        c.bias = sam_net_space_add(b, &c.space, NET_NONE, &each, each.stride);
    } else if (!max) {
        c.scale = 1 / (double)(p->kernel[0] * p->kernel[1]);
    }
    windows_run(b, &c, &from, max ? "max" : "add");
}

/* --- convolutions */

/* Constant weights as [tap][output channel][k]: `k` runs over the channels of a group or, if
 * `wide`, over the columns of the window and these. */
static struct net_place turned(struct net_builder *b, const struct sam_net_value *w, bool wide)
{
    const uint64_t outs = w->shape[0], ins = w->shape[1], kh = w->shape[2], kw = w->shape[3];
    const int64_t out = (int64_t)(ins * kh * kw), in = (int64_t)(kh * kw), row = (int64_t)kw;
    struct net_place place = {.stride = {(int64_t)(wide ? ins * kw : ins), 1,
                                         (int64_t)(outs * ins * kw), (int64_t)(outs * ins)}};
    place.buffer = wide ? sam_net_weight_as(b, w, 0, 4, (uint64_t[]){kh, outs, kw, ins},
                                            (int64_t[]){row, out, 1, in})
                        : sam_net_weight_as(b, w, 0, 4, (uint64_t[]){kh, kw, outs, ins},
                                            (int64_t[]){row, 1, out, in});
    return place;
}

void sam_net_plan_conv(struct net_builder *b)
{
    const struct net_params *const p = &b->node->params;
    const struct sam_net_value *const in = &b->graph->values[b->node->inputs[0]];
    const struct sam_net_value *const w = &b->graph->values[b->node->inputs[1]];
    const struct net_place from = conv_input(b, p->pad, true, 0);
    const uint64_t outs = w->shape[0], ins = w->shape[1];
    const bool deep = p->group > 1 && ins == 1 && outs == p->group && w->data && p->stride[1] <= 64;
    const bool wide = !deep && p->group == 1 && p->dilation[1] == 1 && p->kernel[1] > 1 &&
                      w->data && (ins == 1 || from.stride[1] == 1) &&
                      from.stride[3] == (int64_t)in->shape[1];
    const struct net_place weights =
        w->data ? turned(b, w, wide) : sam_net_place_of(b, b->node->inputs[1]);
    struct net_contract c = {.left = {.step = wide ? 1 : from.stride[1],
                                      .tap = {from.stride[2] * (int64_t)p->dilation[0],
                                              from.stride[3] * (int64_t)p->dilation[1]}},
                             .right = {.step = weights.stride[deep ? 3 : 1],
                                       .tap = {weights.stride[2], weights.stride[3]}},
                             .constant = w->data,
                             .depth = wide ? ins * p->kernel[1] : ins,
                             .taps = {p->kernel[0], wide ? 1 : p->kernel[1]}};
    conv_space(b, &c.space);
    c.bias = conv_bias(b, &c.space, NET_NONE);
    c.left.operand = conv_windows(b, &c.space, from, deep);
    c.right.operand = sam_net_space_add(b, &c.space, NET_NONE, &weights,
                                        (int64_t[NET_RANK]){[1] = weights.stride[0]});
    if (deep) {
        b->made = "depthwise";
        windows_run(b, &c, &from, "add");
    } else {
        conv_run(b, &c, &from, ins, 0);
    }
}

/* --- ConvTranspose: outputs whose distance is the stride see the same taps of the kernel, so each
 * of these phases is a convolution of its own with stride 1, whose results are stored apart. */

/* The taps of an axis that the outputs of a phase see: the first one and the distance of the
 * others, and where the first one reads, and each of the others from the one before. */
struct phase {
    uint64_t taps, first, step;
    int64_t at, by;
};

static struct phase phase_of(const struct net_params *p, uint32_t axis, uint64_t number)
{
    const int64_t stride = (int64_t)p->stride[axis], dilation = (int64_t)p->dilation[axis];
    const int64_t from = (int64_t)(number + p->pad[axis]);
    struct phase f = {.step = p->stride[axis] / sam_gcd(p->stride[axis], p->dilation[axis])};
    while (f.first < p->kernel[axis] && (from - (int64_t)f.first * dilation) % stride)
        f.first++;
    if (f.first < p->kernel[axis])
        f.taps = (p->kernel[axis] - 1 - f.first) / f.step + 1;
    f.at = (from - (int64_t)f.first * dilation) / stride;
    f.by = -(int64_t)f.step * dilation / stride;
    return f;
}

/* Elements that the phases read before and after the input. */
static void reach(const struct net_params *p, uint32_t axis, uint64_t in, uint64_t out,
                  uint64_t *before, uint64_t *after)
{
    int64_t low = 0, high = 0;
    for (uint64_t i = 0; i < p->stride[axis] && i < out; i++) {
        const struct phase f = phase_of(p, axis, i);
        const int64_t first = f.at + (int64_t)(f.taps - 1) * f.by,
                      last = f.at + (int64_t)((out - i - 1) / p->stride[axis]);
        low = f.taps && first < low ? first : low;
        high = f.taps && last > high ? last : high;
    }
    *before = (uint64_t)-low;
    *after = high >= (int64_t)in ? (uint64_t)high - in + 1 : 0;
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

/* Constant weights of a phase as [tap][phase side by side or group][output channel][k]. */
static uint32_t phase_weights(struct net_builder *b, const struct phase *y, const struct phase *x,
                              uint64_t width)
{
    const uint64_t groups = b->node->params.group;
    const struct sam_net_value *const w = &b->graph->values[b->node->inputs[1]];
    const uint64_t ins = w->shape[0] / groups, outs = w->shape[1];
    const int64_t row = (int64_t)w->shape[3], size = row * (int64_t)w->shape[2],
                  channel = size * (int64_t)outs;
    return sam_net_weight_as(b, w, row * (int64_t)y->first + (int64_t)x->first, 5,
                             (uint64_t[]){y->taps, x->taps, groups > 1 ? groups : width, outs, ins},
                             (int64_t[]){row * (int64_t)y->step, (int64_t)x->step,
                                         groups > 1 ? (int64_t)ins * channel : 1, size, channel});
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
    const struct net_place from = conv_input(b, border, true, 0);
    const uint64_t ins = in->shape[1] / p->group, outs = w->shape[1];
    struct net_contract whole = {.depth = ins};
    conv_space(b, &whole.space);
    const bool merged = w->data && side_by_side(p, &whole.space, out);
    const uint64_t width = merged ? p->stride[1] : 1;
    uint32_t bias = NET_NONE;
    if (merged && b->node->input_count > 2)
        bias = sam_net_weight_as(b, &b->graph->values[b->node->inputs[2]], 0, 2,
                                 (uint64_t[]){width, outs}, (int64_t[]){0, 1});
    for (uint64_t i = 0; i < p->stride[0] * p->stride[1] && b->status == SAM_OK; i += width) {
        const uint64_t number[2] = {i / p->stride[1], i % p->stride[1]};
        const struct phase y = phase_of(p, 0, number[0]), x = phase_of(p, 1, number[1]);
        struct net_contract c = whole;
        if (number[0] >= out->shape[2] || number[1] >= out->shape[3])
            continue;
        sam_net_space_every(&c.space, 2, number[0], p->stride[0]);
        if (merged)
            merge_phases(&c.space, width, outs);
        else
            sam_net_space_every(&c.space, 3, number[1], p->stride[1]);
        c.bias = conv_bias(b, &c.space, bias);
        c.taps[0] = y.taps;
        c.taps[1] = x.taps;
        c.left = (struct net_factor){
            .operand = sam_net_space_add(
                b, &c.space, NET_NONE, &from,
                (int64_t[NET_RANK]){from.stride[0], 0, from.stride[2], from.stride[3]}),
            .step = from.stride[1],
            .first = from.stride[2] * y.at + from.stride[3] * x.at,
            .tap = {from.stride[2] * y.by, from.stride[3] * x.by}};
        struct net_place weights = {.stride = {1, (int64_t)ins}};
        int64_t group = 0;
        c.constant = w->data && y.taps && x.taps;
        if (c.constant) {
            weights.buffer = phase_weights(b, &y, &x, width);
        } else if (!w->data) {
            weights = sam_net_place_of(b, b->node->inputs[1]);
            group = (int64_t)ins * weights.stride[0];
        }
        c.right = (struct net_factor){
            .operand = sam_net_space_add(b, &c.space, NET_NONE, &weights,
                                         (int64_t[NET_RANK]){[1] = weights.stride[1]}),
            .step = weights.stride[0],
            .first = weights.stride[2] * (int64_t)y.first + weights.stride[3] * (int64_t)x.first,
            .tap = {weights.stride[2] * (int64_t)y.step, weights.stride[3] * (int64_t)x.step}};
        conv_run(b, &c, &from, ins, group);
    }
}
