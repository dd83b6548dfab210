/* SPDX-License-Identifier: Apache-2.0 */
/* Operators with windows: convolutions, pools; and Resize. */
#include <math.h>

#include "network/import.h"

enum { MAX_WINDOW = 1 << 20 };

/* Numbers per spatial axis from an attribute, `otherwise` if it is missing. */
static void take_pair(struct import *m, const char *name, unsigned spatial, uint64_t otherwise,
                      uint64_t out[2])
{
    const struct net_list list = sam_net_ints(m, name);
    out[0] = 1;
    for (unsigned d = 2 - spatial; d < 2; d++)
        out[d] = otherwise;
    if (list.given && list.count != spatial)
        sam_net_refuse(m, "%s has %u elements: expected %u", name, list.count, spatial);
    for (unsigned d = 0; !m->failed && d < list.count; d++) {
        if (list.at[d] < 1 || list.at[d] > MAX_WINDOW)
            sam_net_refuse(m, "%s has %lld: expected 1 to %d", name, (long long)list.at[d],
                           (int)MAX_WINDOW);
        out[2 - spatial + d] = (uint64_t)list.at[d];
    }
}

/* With one spatial dimension: the value with a height of 1. */
static uint32_t with_height(struct import *m, uint32_t id, struct net_type *type)
{
    *type = sam_net_type_of(m, id);
    if (type->rank != 3)
        return id;
    type->shape[type->rank++] = type->shape[2];
    type->shape[2] = 1;
    return sam_net_reshape(m, id, type);
}

/* Operators with one spatial dimension get a height of 1. Returns the spatial dimensions, or 0. */
static unsigned take_image(struct import *m, uint32_t *x, struct net_type *type)
{
    const struct net_type given = sam_net_type_of(m, *x);
    sam_net_need_float(m, *x);
    if (given.rank != 3 && given.rank != 4) {
        sam_net_refuse(m, "shape %s: expected 1 or 2 spatial dimensions",
                       sam_net_shape_text(&given).text);
        return 0;
    }
    *x = with_height(m, *x, type);
    return m->failed ? 0 : given.rank - 2;
}

static void give_image(struct import *m, uint32_t id, unsigned spatial)
{
    struct net_type type = sam_net_type_of(m, id);
    if (spatial == 1)
        type = (struct net_type){type.dtype, 3, {type.shape[0], type.shape[1], type.shape[3]}};
    sam_net_give(m, 0, sam_net_reshape(m, id, &type));
}

enum pad_mode { PAD_GIVEN, PAD_VALID, PAD_UPPER, PAD_LOWER };

static enum pad_mode take_pads(struct import *m, unsigned spatial, struct net_params *p)
{
    const struct net_list pads = sam_net_ints(m, "pads");
    const enum pad_mode found =
        (enum pad_mode)sam_net_choose(m, "auto_pad", "NOTSET VALID SAME_UPPER SAME_LOWER");
    if (pads.given && pads.count != 2 * spatial)
        sam_net_refuse(m, "pads has %u elements: expected %u", pads.count, 2 * spatial);
    for (unsigned i = 0; !m->failed && i < pads.count; i++) {
        if (pads.at[i] < 0 || pads.at[i] > MAX_WINDOW)
            sam_net_refuse(m, "pads has %lld: expected 0 to %d", (long long)pads.at[i],
                           (int)MAX_WINDOW);
        const unsigned d = 2 - spatial + i % spatial;
        if (found == PAD_GIVEN)
            p->pad[i < spatial ? d : 2 + d] = (uint64_t)pads.at[i];
    }
    return found;
}

/* The elements that a window spans along an axis. */
static uint64_t extent(const struct net_params *p, unsigned d)
{
    return (p->kernel[d] - 1) * p->dilation[d] + 1;
}

/* Padding of one axis by auto_pad, and how many windows fit. */
static uint64_t count_windows(struct import *m, struct net_params *p, unsigned d, uint64_t size,
                              enum pad_mode mode, bool ceil)
{
    const uint64_t window = extent(p, d), stride = p->stride[d];
    if (mode == PAD_UPPER || mode == PAD_LOWER) {
        const uint64_t out = (size + stride - 1) / stride, span = (out - 1) * stride + window;
        const uint64_t total = span > size ? span - size : 0;
        p->pad[d] = mode == PAD_UPPER ? total / 2 : total - total / 2;
        p->pad[2 + d] = total - p->pad[d];
        return out;
    }
    const uint64_t padded = size + p->pad[d] + p->pad[2 + d];
    if (window > padded) {
        sam_net_refuse(m, "a window of %llu on %llu with padding: expected one that fits",
                       (unsigned long long)window, (unsigned long long)padded);
        return 1;
    }
    uint64_t out = (padded - window) / stride + 1;
    /* The last window may lack its end, but begins before the padding. */
    if (ceil && (padded - window) % stride && out * stride < size + p->pad[d]) {
        out++;
        p->pad[2 + d] = (out - 1) * stride + window - size - p->pad[d];
    }
    return out;
}

/* Height or width of a transposed convolution. */
static uint64_t count_transposed(struct import *m, struct net_params *p, unsigned d, uint64_t size,
                                 enum pad_mode mode, uint64_t extra, uint64_t given)
{
    const uint64_t full = p->stride[d] * (size - 1) + extent(p, d) + extra;
    if (!given && mode >= PAD_UPPER)
        given = size * p->stride[d] < full ? size * p->stride[d] : full;
    if (given) {
        if (given > full + MAX_WINDOW) {
            sam_net_refuse(m, "an output of %llu of %llu: expected at most %d more",
                           (unsigned long long)given, (unsigned long long)full, (int)MAX_WINDOW);
            return 1;
        }
        if (given >= full) { /* with zeros after the last element */
            p->pad[d] = p->pad[2 + d] = 0;
            return given;
        }
        /* Of an odd number SAME_UPPER has more at the end, all others at the beginning. */
        p->pad[mode == PAD_UPPER ? d : 2 + d] = (full - given) / 2;
        p->pad[mode == PAD_UPPER ? 2 + d : d] = (full - given + 1) / 2;
    }
    if (p->pad[d] + p->pad[2 + d] >= full) {
        sam_net_refuse(m, "paddings that leave nothing of %llu", (unsigned long long)full);
        return 1;
    }
    return full - p->pad[d] - p->pad[2 + d];
}

/* Weights of rank 4. */
static uint32_t take_kernel(struct import *m, unsigned spatial, struct net_type *type)
{
    const uint32_t w = sam_net_weight(m, 1);
    *type = sam_net_type_of(m, w);
    sam_net_need_float(m, w);
    if (type->rank != spatial + 2) {
        sam_net_refuse(m, "weights of %u dimensions: expected %u", type->rank, spatial + 2);
        return NET_NONE;
    }
    return with_height(m, w, type);
}

/* The input of a transposed convolution with zeros between its elements and around them, for a
 * convolution with the kernel turned round. */
static uint32_t spread(struct import *m, uint32_t id, const struct net_params *p,
                       const struct net_type *out)
{
    const struct net_type x = sam_net_type_of(m, id);
    const uint64_t *const s = x.shape, *const by = p->stride;
    const struct net_type apart = {SAM_F32, 6, {s[0], s[1], s[2], 1, s[3], 1}},
                          zeros = {SAM_F32, 6, {s[0], s[1], s[2], by[0], s[3], by[1]}};
    struct net_type type = {SAM_F32, 4, {s[0], s[1], s[2] * by[0], s[3] * by[1]}};
    struct net_params pad = {0};
    id = sam_net_emit1(m, NET_Pad, &pad, sam_net_reshape(m, id, &apart), &zeros);
    id = sam_net_reshape(m, id, &type);
    for (uint32_t d = 0; !m->failed && d < 2; d++) {
        const uint64_t around = extent(p, d) - 1, cut = p->pad[d];
        const uint64_t first = cut > around ? cut - around : 0, need = out->shape[2 + d] + around;
        const uint64_t before = cut > around ? 0 : around - cut, all = type.shape[2 + d];
        if (first >= all) {
            sam_net_refuse(m, "paddings that leave nothing of the input");
            return NET_NONE;
        }
        const uint64_t size = all - first < need - before ? all - first : need - before;
        if (size != all)
            id = sam_net_part(m, id, 2 + d, first, size);
        type.shape[2 + d] = need;
        pad.start[2 + d] = (int64_t)before;
    }
    return sam_net_emit1(m, NET_Pad, &pad, id, &type);
}

/* Computed weights of a transposed convolution, turned round. */
static uint32_t turned(struct import *m, uint32_t w, uint64_t groups)
{
    const struct net_type type = sam_net_type_of(m, w);
    const uint64_t *const s = type.shape, ins = s[0] / groups;
    const struct net_type split = {SAM_F32, 5, {groups, ins, s[1], s[2], s[3]}},
                          moved = {SAM_F32, 5, {groups, s[1], ins, s[2], s[3]}},
                          out = {SAM_F32, 4, {groups * s[1], ins, s[2], s[3]}};
    const struct net_params back = {.start = {0, 0, (int64_t)s[2] - 1, (int64_t)s[3] - 1},
                                    .step = {1, 1, -1, -1}},
                            perm = {.perm = {0, 2, 1, 3, 4}};
    w = sam_net_reshape(m, sam_net_emit1(m, NET_Slice, &back, w, &type), &split);
    return sam_net_reshape(m, sam_net_emit1(m, NET_Transpose, &perm, w, &moved), &out);
}

void sam_net_import_conv(struct import *m)
{
    const bool transposed = m->row->op == NET_ConvTranspose;
    uint32_t inputs[3] = {sam_net_input(m, 0)}, count = 2;
    struct net_type x, w;
    struct net_params p = {0};
    uint64_t kernel[2];
    const unsigned spatial = take_image(m, &inputs[0], &x);
    if (!spatial)
        return;
    inputs[1] = take_kernel(m, spatial, &w);
    if (m->failed)
        return;
    p.kernel[0] = w.shape[2];
    p.kernel[1] = w.shape[3];
    take_pair(m, "kernel_shape", spatial, 0, kernel);
    take_pair(m, "strides", spatial, 1, p.stride);
    take_pair(m, "dilations", spatial, 1, p.dilation);
    const int64_t group = sam_net_int(m, "group", 1);
    const enum pad_mode mode = take_pads(m, spatial, &p);
    for (unsigned d = 2 - spatial; d < 2; d++)
        if (!p.kernel[d] || p.kernel[d] > MAX_WINDOW || (kernel[d] && kernel[d] != p.kernel[d]))
            sam_net_refuse(m, "weights of shape %s do not have a kernel_shape of [%llu, %llu]",
                           sam_net_shape_text(&w).text, (unsigned long long)kernel[0],
                           (unsigned long long)kernel[1]);
    const uint64_t channels = transposed ? w.shape[0] : w.shape[1];
    if (!m->failed && (group < 1 || x.shape[1] % (uint64_t)group || w.shape[0] % (uint64_t)group ||
                       !channels || x.shape[1] != channels * (transposed ? 1 : (uint64_t)group)))
        sam_net_refuse(m, "weights of shape %s with %lld groups do not match an input of %s",
                       sam_net_shape_text(&w).text, (long long)group, sam_net_shape_text(&x).text);
    if (m->failed)
        return;
    p.group = (uint64_t)group;
    struct net_type out = {SAM_F32, 4, {x.shape[0], w.shape[0]}};
    if (transposed) {
        uint64_t extra[2] = {0}, shape[2] = {0};
        const struct net_list more = sam_net_ints(m, "output_padding"),
                              given = sam_net_ints(m, "output_shape");
        if ((more.given && more.count != spatial) || (given.given && given.count < spatial))
            sam_net_refuse(m, "output_padding or output_shape has not %u elements", spatial);
        for (unsigned d = 0; !m->failed && d < spatial; d++) {
            extra[2 - spatial + d] = more.given ? (uint64_t)more.at[d] : 0;
            shape[2 - spatial + d] =
                given.given ? (uint64_t)given.at[given.count - spatial + d] : 0;
            if (extra[2 - spatial + d] > MAX_WINDOW)
                sam_net_refuse(m, "output_padding has %lld", (long long)more.at[d]);
        }
        if (m->failed)
            return;
        out.shape[1] = w.shape[1] * p.group;
        for (unsigned d = 0; d < 2; d++)
            out.shape[2 + d] = count_transposed(m, &p, d, x.shape[2 + d], mode, extra[d], shape[d]);
    } else {
        for (unsigned d = 0; d < 2; d++)
            out.shape[2 + d] = count_windows(m, &p, d, x.shape[2 + d], mode, false);
    }
    if (sam_net_has(m, 2)) {
        inputs[count++] = sam_net_input(m, 2);
        const struct sam_net_value *bias = sam_net_value(m, inputs[2]);
        if (bias->dtype != SAM_F32 || bias->rank != 1 || bias->count != out.shape[1])
            sam_net_refuse(m, "a bias of %llu elements: expected %llu floats",
                           (unsigned long long)bias->count, (unsigned long long)out.shape[1]);
    }
    enum sam_net_op op = m->row->op;
    if (transposed && !m->failed && !sam_net_value(m, inputs[1])->data) {
        op = NET_Conv;
        inputs[0] = spread(m, inputs[0], &p, &out);
        inputs[1] = turned(m, inputs[1], p.group);
        p.stride[0] = p.stride[1] = 1;
        memset(p.pad, 0, sizeof p.pad);
    }
    give_image(m, sam_net_emit(m, op, &p, inputs, count, &out), spatial);
}

/* Windows side by side, as a reduction; large ones as one of rows and one of columns. */
static uint32_t pool(struct import *m, uint32_t image, struct net_params *p,
                     const struct net_type *out)
{
    enum { LARGE = 1024, MOST_STRIDE = 64 };
    const struct net_type x = sam_net_type_of(m, image);
    const bool large = extent(p, 0) * extent(p, 1) > LARGE;
    const bool max = m->row->op == NET_MaxPool;
    bool apart = p->dilation[0] * p->dilation[1] == 1;
    for (unsigned d = 0; d < 2; d++)
        apart = apart && !p->pad[d] && !p->pad[2 + d] &&
                (p->stride[d] == p->kernel[d] || out->shape[2 + d] == 1);
    if (apart && (large || p->stride[1] > MOST_STRIDE)) {
        const struct net_params axes = {.axes = 1 << 3 | 1 << 5};
        for (unsigned d = 0; d < 2; d++)
            if (out->shape[2 + d] * p->kernel[d] != x.shape[2 + d])
                image = sam_net_part(m, image, 2 + d, 0, out->shape[2 + d] * p->kernel[d]);
        const struct net_type split = {
            SAM_F32,
            6,
            {x.shape[0], x.shape[1], out->shape[2], p->kernel[0], out->shape[3], p->kernel[1]}};
        return sam_net_emit1(m, max ? NET_ReduceMax : NET_ReduceMean, &axes,
                             sam_net_reshape(m, image, &split), out);
    }
    if (large && p->kernel[0] > 1 && p->kernel[1] > 1) {
        struct net_params rows = *p;
        struct net_type between = x;
        between.shape[2] = out->shape[2];
        rows.kernel[1] = rows.stride[1] = rows.dilation[1] = 1;
        rows.pad[1] = rows.pad[3] = 0;
        rows.start[1] = 0;
        image = sam_net_emit1(m, m->row->op, &rows, image, &between);
        p->kernel[0] = p->stride[0] = p->dilation[0] = 1;
        p->pad[0] = p->pad[2] = 0;
        p->start[0] = 0;
    }
    return sam_net_emit1(m, m->row->op, p, image, out);
}

void sam_net_import_pool(struct import *m)
{
    const bool average = m->row->op == NET_AveragePool;
    uint32_t image = sam_net_input(m, 0);
    struct net_type x;
    struct net_params p = {.group = 1};
    const unsigned spatial = take_image(m, &image, &x);
    if (!spatial)
        return;
    take_pair(m, "kernel_shape", spatial, 0, p.kernel);
    take_pair(m, "strides", spatial, 1, p.stride);
    take_pair(m, "dilations", spatial, 1, p.dilation);
    sam_net_ignore(m, "storage_order"); /* of the second output */
    const bool ceil = sam_net_int(m, "ceil_mode", 0) != 0;
    p.count_pad = average && sam_net_int(m, "count_include_pad", 0) != 0;
    const enum pad_mode mode = take_pads(m, spatial, &p);
    if (!p.kernel[1])
        sam_net_refuse(m, "no kernel_shape");
    if (m->failed)
        return;
    struct net_type out = {SAM_F32, 4, {x.shape[0], x.shape[1]}};
    for (unsigned d = 0; d < 2; d++) {
        const uint64_t given = p.pad[2 + d];
        if (p.pad[d] >= extent(&p, d) || given >= extent(&p, d))
            sam_net_refuse(m, "paddings %llu and %llu: expected less than the window",
                           (unsigned long long)p.pad[d], (unsigned long long)given);
        out.shape[2 + d] = count_windows(m, &p, d, x.shape[2 + d], mode, ceil);
        p.start[d] = mode <= PAD_VALID ? (int64_t)(p.pad[2 + d] - given) : 0;
    }
    give_image(m, pool(m, image, &p, &out), spatial);
}

/* --- Resize */
/* Opsets before 11 have asymmetric coordinates, and what ONNX Runtime makes of them: rounded
 * towards zero where it enlarges and up where it shrinks. */
static void set_old_mode(struct import *m, struct net_params *p, const struct net_type *x)
{
    bool shrinks = false, grows = false;
    for (uint32_t d = 0; d < x->rank; d++) {
        shrinks = shrinks || p->scale[d] < 1;
        grows = grows || p->scale[d] > 1;
    }
    if (shrinks && grows && p->resize == NET_NEAREST)
        sam_net_refuse(m, "scales below and above 1 in opset %llu are not supported",
                       (unsigned long long)m->onnx.opset);
    p->coordinate = NET_ASYMMETRIC;
    p->nearest = shrinks ? NET_CEIL : NET_FLOOR;
}

/* The scales of the axes, from input k. */
static void take_scales(struct import *m, unsigned k, const struct net_type *x,
                        struct net_params *p, struct net_type *out)
{
    const struct sam_onnx_attribute *given =
        m->row->op == NET_OPS ? sam_net_attribute(m, "scales", SAM_ONNX_FLOATS) : NULL;
    const struct sam_net_value *v = sam_net_value(m, given ? NET_NONE : sam_net_input(m, k));
    const float *const scales = given ? given->floats : v->data;
    const uint64_t count = given ? given->count : v->count;
    if (!given && (!v->data || v->dtype != SAM_F32))
        sam_net_refuse(m, "input %u: expected constant floats", k);
    if (count != x->rank)
        sam_net_refuse(m, "%llu scales: expected %u", (unsigned long long)count, x->rank);
    for (uint32_t d = 0; !m->failed && scales && d < x->rank; d++) {
        p->scale[d] = scales[d];
        const double size = floor((double)x->shape[d] * (double)scales[d]);
        if (!(size >= 1) || !(size < (double)(UINT64_C(1) << 40))) {
            sam_net_refuse(m, "a scale of %g of a dimension of %llu", (double)scales[d],
                           (unsigned long long)x->shape[d]);
            return;
        }
        out->shape[d] = (uint64_t)size;
    }
}

/* A number for the elements whose coordinates are outside of the image. */
static uint32_t extrapolate(struct import *m, uint32_t y, const struct net_params *p, float number)
{
    const struct net_type type = sam_net_type_of(m, sam_net_input(m, 0)),
                          out = sam_net_type_of(m, y);
    struct net_type some = {.dtype = SAM_U8, .rank = out.rank};
    bool all = true;
    for (uint32_t d = 0; d < out.rank; d++)
        some.shape[d] = net_keeps_axis(p, d, type.shape[d], out.shape[d]) ? 1 : out.shape[d];
    const uint32_t mask = sam_net_constant(m, &some, NULL);
    struct sam_net_value *const inside = sam_net_value(m, mask);
    inside->boolean = true;
    for (uint64_t i = 0, left = 0; !m->failed && i < inside->count; i++) {
        bool within = true;
        left = i;
        for (uint32_t d = out.rank; d-- > 0; left /= some.shape[d]) {
            const float at =
                sam_net_coordinate(p, d, left % some.shape[d], type.shape[d], out.shape[d]);
            within = within && (some.shape[d] != out.shape[d] ||
                                (at >= 0 && at <= (float)(type.shape[d] - 1)));
        }
        ((uint8_t *)(uintptr_t)inside->data)[i] = within;
        all = all && within;
    }
    if (all || m->failed)
        return y;
    const uint32_t inputs[] = {mask, y, sam_net_number(m, y, (double)number)};
    return sam_net_emit(m, NET_Where, NULL, inputs, 3, &out);
}

static void give_resized(struct import *m, const struct net_params *p, const struct net_type *out,
                         float outside)
{
    const uint32_t x = sam_net_input(m, 0);
    const struct net_type type = sam_net_type_of(m, x);
    bool same = true, outer = true;
    sam_net_need_float(m, x);
    for (uint32_t d = 0; d < type.rank; d++) {
        const bool kept = net_keeps_axis(p, d, type.shape[d], out->shape[d]);
        same = same && kept && (p->scale[d] == 1 || p->coordinate == NET_TF_CROP);
        outer = outer && (kept || d + 2 >= type.rank);
    }
    if (p->resize != NET_NEAREST && (type.rank != 4 || !outer))
        sam_net_refuse(m, "%s from %s to %s: expected 4 dimensions and the last two to change",
                       p->resize == NET_CUBIC ? "cubic" : "linear", sam_net_shape_text(&type).text,
                       sam_net_shape_text(out).text);
    uint32_t y = same ? x : sam_net_emit1(m, NET_Resize, p, x, out);
    if (p->coordinate == NET_TF_CROP && !m->failed)
        y = extrapolate(m, y, p, outside);
    sam_net_give(m, 0, y);
}

/* The part of each axis: where it begins and ends. */
static void take_crop(struct import *m, struct net_params *p, uint32_t rank)
{
    const struct sam_net_value *const v = sam_net_value(m, sam_net_input(m, 1));
    if (!v->data || v->dtype != SAM_F32 || v->count != 2 * rank)
        sam_net_refuse(m, "input 1: expected %u constant floats", 2 * rank);
    for (uint32_t i = 0; !m->failed && i < 2 * rank; i++) {
        p->crop[i / rank][i % rank] = (float)sam_net_real(v, i);
        if (!(fabsf(p->crop[i / rank][i % rank]) <= 1024))
            sam_net_refuse(m, "input 1 has %g: expected -1024 to 1024", sam_net_real(v, i));
    }
}

static void take_mode(struct import *m, struct net_params *p)
{
    p->resize = (enum net_resize)sam_net_choose(
        m, "mode", m->onnx.opset >= 11 ? "nearest linear cubic" : "nearest linear bilinear");
    if (m->onnx.opset < 11 && p->resize == NET_CUBIC) /* the third name */
        p->resize = NET_LINEAR;
}

void sam_net_import_resize(struct import *m)
{
    const struct net_type x = sam_net_type_of(m, sam_net_input(m, 0));
    struct net_params p = {0};
    struct net_type out = x;
    take_mode(m, &p);
    if (m->onnx.opset < 11 || m->row->op == NET_OPS) {
        take_scales(m, 1, &x, &p, &out);
        set_old_mode(m, &p, &x);
        give_resized(m, &p, &out, 0);
        return;
    }
    p.coordinate = (enum net_coordinate)sam_net_choose(
        m, "coordinate_transformation_mode",
        "half_pixel pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn "
        "tf_crop_and_resize");
    if (p.coordinate == NET_TF_CROP)
        take_crop(m, &p, x.rank);
    p.nearest = (enum net_nearest)sam_net_choose(m, "nearest_mode",
                                                 "round_prefer_floor round_prefer_ceil floor ceil");
    p.alpha = sam_net_float(m, "cubic_coeff_a", -0.75f);
    p.count_pad = sam_net_int(m, "exclude_outside", 0) == 0;
    const float outside = sam_net_float(m, "extrapolation_value", 0);
    sam_net_choose(m, "keep_aspect_ratio_policy", "stretch");
    if (sam_net_int(m, "antialias", 0) != 0)
        sam_net_refuse(m, "antialias is not supported");
    if (sam_net_has(m, 3)) {
        const struct net_list sizes = sam_net_ints_input(m, 3);
        if (sizes.count != x.rank)
            sam_net_refuse(m, "%u sizes: expected %u", sizes.count, x.rank);
        for (uint32_t d = 0; !m->failed && d < x.rank; d++) {
            out.shape[d] = (uint64_t)sizes.at[d];
            p.scale[d] = (float)out.shape[d] / (float)x.shape[d];
            if (sizes.at[d] < 1)
                sam_net_refuse(m, "a size of %lld", (long long)sizes.at[d]);
        }
    } else {
        take_scales(m, 2, &x, &p, &out);
    }
    give_resized(m, &p, &out, outside);
}
