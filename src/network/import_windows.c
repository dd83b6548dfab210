/* SPDX-License-Identifier: Apache-2.0 */
/* Operators with windows: convolutions, pools. With one spatial dimension they get a height of 1.
 */
#include <math.h>

#include "network/import.h"

enum { MAX_WINDOW = 1 << 20 };

static unsigned spatial_of(const struct import *m)
{
    return m->type.rank - 2;
}

/* `each` numbers per spatial axis from an attribute, those of each axis two apart; `otherwise` if
 * it is missing, and 1 or none for a height of 1. */
static void take(struct import *m, const char *name, unsigned each, int64_t least,
                 uint64_t otherwise, uint64_t *out)
{
    const unsigned spatial = spatial_of(m), count = each * spatial;
    const struct net_list list = sam_net_ints(m, name);
    for (unsigned i = 0; i < 2 * each; i++)
        out[i] = i % 2 + spatial < 2 ? (uint64_t)least : otherwise;
    if (list.given && list.count != count)
        sam_net_refuse(m, "%s has %u elements: expected %u", name, list.count, count);
    for (unsigned i = 0; !m->failed && i < list.count; i++) {
        const bool end = i >= spatial; /* of paddings */
        if (list.at[i] < least || list.at[i] > MAX_WINDOW)
            sam_net_refuse(m, "%s has %lld: expected %lld to %d", name, (long long)list.at[i],
                           (long long)least, (int)MAX_WINDOW);
        else
            out[end ? 4 + i - count : 2 + i - spatial] = (uint64_t)list.at[i];
    }
}

/* With one spatial dimension: the value with a height of 1. */
static uint32_t with_height(struct import *m, uint32_t id)
{
    const struct net_type type = sam_net_type_of(m, id);
    const uint64_t *const s = type.shape;
    return type.rank == 3 ? sam_net_shaped(m, id, 4, (uint64_t[]){s[0], s[1], 1, s[2]}) : id;
}

static uint32_t without_height(struct import *m, uint32_t id)
{
    const struct net_type type = sam_net_type_of(m, id);
    const uint64_t *const s = type.shape;
    return spatial_of(m) == 1 ? sam_net_shaped(m, id, 3, (uint64_t[]){s[0], s[1], s[3]}) : id;
}

enum pad_mode { PAD_GIVEN, PAD_VALID, PAD_UPPER, PAD_LOWER };

/* The attributes that convolutions and pools have; the image, of four dimensions. */
static enum pad_mode take_windows(struct import *m, struct net_params *p, uint32_t *image,
                                  struct net_type *type)
{
    enum pad_mode mode = PAD_GIVEN;
    if (m->type.rank != 3 && m->type.rank != 4) {
        sam_net_refuse(m, "shape %s: expected 1 or 2 spatial dimensions",
                       sam_net_shape_text(&m->type).text);
    } else {
        take(m, "kernel_shape", 1, 1, 0, p->kernel);
        take(m, "strides", 1, 1, 1, p->stride);
        take(m, "dilations", 1, 1, 1, p->dilation);
        take(m, "pads", 2, 0, 0, p->pad);
        mode = (enum pad_mode)sam_net_choose(m, "auto_pad", "NOTSET VALID SAME_UPPER SAME_LOWER");
    }
    if (mode != PAD_GIVEN)
        memset(p->pad, 0, sizeof p->pad);
    *image = with_height(m, m->x);
    *type = sam_net_type_of(m, *image);
    return mode;
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
    if (window > padded)
        return sam_net_refuse(m, "a window of %llu on %llu with padding: expected one that fits",
                              (unsigned long long)window, (unsigned long long)padded);
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
        if (given > full + MAX_WINDOW)
            return sam_net_refuse(m, "an output of %llu of %llu: expected at most %d more",
                                  (unsigned long long)given, (unsigned long long)full,
                                  (int)MAX_WINDOW);
        if (given >= full) { /* with zeros after the last element */
            p->pad[d] = p->pad[2 + d] = 0;
            return given;
        }
        /* Of an odd number SAME_UPPER has more at the end, all others at the beginning. */
        p->pad[mode == PAD_UPPER ? d : 2 + d] = (full - given) / 2;
        p->pad[mode == PAD_UPPER ? 2 + d : d] = (full - given + 1) / 2;
    }
    if (p->pad[d] + p->pad[2 + d] >= full)
        return sam_net_refuse(m, "paddings that leave nothing of %llu", (unsigned long long)full);
    return full - p->pad[d] - p->pad[2 + d];
}

/* Weights of four dimensions, whose windows are those of the attribute, if it is there. */
static uint32_t take_kernel(struct import *m, struct net_params *p, struct net_type *type)
{
    uint32_t w = sam_net_weight(m, 1);
    *type = sam_net_type_of(m, w);
    sam_net_need_float(m, w);
    if (type->rank != m->type.rank)
        return sam_net_refuse(m, "weights of %u dimensions: expected %u", type->rank, m->type.rank);
    w = with_height(m, w);
    *type = sam_net_type_of(m, w);
    for (unsigned d = 2 - spatial_of(m); d < 2; d++) {
        const uint64_t size = type->shape[2 + d];
        if (!size || size > MAX_WINDOW || (p->kernel[d] && p->kernel[d] != size))
            sam_net_refuse(m, "weights of shape %s do not have a kernel_shape of [%llu, %llu]",
                           sam_net_shape_text(type).text, (unsigned long long)p->kernel[0],
                           (unsigned long long)p->kernel[1]);
        p->kernel[d] = size;
    }
    return w;
}

uint32_t sam_net_import_conv(struct import *m)
{
    const bool transposed = m->row->op == NET_ConvTranspose;
    uint32_t inputs[3], count = 2;
    struct net_type x, w;
    struct net_params p = {0};
    const enum pad_mode mode = take_windows(m, &p, &inputs[0], &x);
    const int64_t group = sam_net_int(m, "group", 1);
    inputs[1] = take_kernel(m, &p, &w);
    if (m->failed)
        return NET_NONE;
    p.group = (uint64_t)group;
    const uint64_t channels = transposed ? w.shape[0] : w.shape[1];
    if (group < 1 || x.shape[1] % p.group || w.shape[0] % p.group || !channels ||
        x.shape[1] != channels * (transposed ? 1 : p.group))
        return sam_net_refuse(m, "weights of shape %s with %lld groups do not match an input of %s",
                              sam_net_shape_text(&w).text, (long long)group,
                              sam_net_shape_text(&x).text);
    struct net_type out = {
        SAM_F32, 4, {x.shape[0], transposed ? w.shape[1] * p.group : w.shape[0]}};
    if (transposed) {
        uint64_t extra[2];
        const struct net_list given = sam_net_ints(m, "output_shape");
        const unsigned spatial = spatial_of(m);
        take(m, "output_padding", 1, 0, 0, extra);
        if (given.given && given.count < spatial)
            return sam_net_refuse(m, "output_shape has %u elements: expected %u", given.count,
                                  spatial);
        for (unsigned d = 0; !m->failed && d < 2; d++)
            out.shape[2 + d] = count_transposed(
                m, &p, d, x.shape[2 + d], mode, extra[d],
                given.given && d + spatial >= 2 ? (uint64_t)given.at[given.count - 2 + d] : 0);
    } else {
        for (unsigned d = 0; d < 2; d++)
            out.shape[2 + d] = count_windows(m, &p, d, x.shape[2 + d], mode, false);
    }
    if (sam_net_has(m, 2)) {
        inputs[count++] = sam_net_input(m, 2);
        const struct sam_net_value *bias = sam_net_value(m, inputs[2]);
        if (bias->dtype != SAM_F32 || bias->rank != 1 || bias->count != out.shape[1])
            return sam_net_refuse(m, "a bias of %llu elements: expected %llu floats",
                                  (unsigned long long)bias->count,
                                  (unsigned long long)out.shape[1]);
    }
    return without_height(m, sam_net_emit(m, m->row->op, &p, inputs, count, &out));
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
                image = sam_net_part(m, image, 2 + d, 0, out->shape[2 + d] * p->kernel[d], 1);
        image = sam_net_shaped(m, image, 6,
                               (uint64_t[]){x.shape[0], x.shape[1], out->shape[2], p->kernel[0],
                                            out->shape[3], p->kernel[1]});
        return sam_net_emit1(m, max ? NET_ReduceMax : NET_ReduceMean, &axes, image, out);
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

uint32_t sam_net_import_pool(struct import *m)
{
    uint32_t image;
    struct net_type x;
    struct net_params p = {.group = 1};
    const enum pad_mode mode = take_windows(m, &p, &image, &x);
    const bool ceil = sam_net_int(m, "ceil_mode", 0) != 0;
    sam_net_ignore(m, "storage_order"); /* of the second output */
    p.count_pad = m->row->op == NET_AveragePool && sam_net_int(m, "count_include_pad", 0) != 0;
    if (!p.kernel[1])
        return sam_net_refuse(m, "no kernel_shape");
    struct net_type out = {SAM_F32, 4, {x.shape[0], x.shape[1]}};
    for (unsigned d = 0; !m->failed && d < 2; d++) {
        const uint64_t given = p.pad[2 + d];
        if (p.pad[d] >= extent(&p, d) || given >= extent(&p, d))
            return sam_net_refuse(m, "paddings %llu and %llu: expected less than the window",
                                  (unsigned long long)p.pad[d], (unsigned long long)given);
        out.shape[2 + d] = count_windows(m, &p, d, x.shape[2 + d], mode, ceil);
        p.start[d] = mode <= PAD_VALID ? (int64_t)(p.pad[2 + d] - given) : 0;
    }
    return m->failed ? NET_NONE : without_height(m, pool(m, image, &p, &out));
}
