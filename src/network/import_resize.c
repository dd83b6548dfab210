/* SPDX-License-Identifier: Apache-2.0 */
/* Resize and Upsample. */
#include <math.h>

#include "network/import.h"

/* Opsets before 11 have asymmetric coordinates, and what ONNX Runtime makes of them: rounded
 * towards zero where it enlarges and up where it shrinks. */
static void set_old_mode(struct import *m, struct net_params *p)
{
    bool shrinks = false, grows = false;
    for (uint32_t d = 0; d < m->type.rank; d++) {
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
static void take_scales(struct import *m, unsigned k, struct net_params *p, struct net_type *out)
{
    const struct net_type *const x = &m->type;
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
    const struct net_type out = sam_net_type_of(m, y);
    const uint64_t *const in = m->type.shape;
    struct net_type some = {.dtype = SAM_U8, .rank = out.rank}; /* 1: all of an axis is inside */
    bool all = true;
    for (uint32_t d = 0; d < out.rank; d++)
        some.shape[d] = net_keeps_axis(p, d, in[d], out.shape[d]) ? 1 : out.shape[d];
    const uint32_t mask = sam_net_constant(m, &some, NULL);
    struct sam_net_value *const inside = sam_net_value(m, mask);
    inside->boolean = true;
    for (uint64_t i = 0; !m->failed && i < inside->count; i++) {
        bool within = true;
        uint64_t left = i;
        for (uint32_t d = out.rank; d-- > 0; left /= some.shape[d]) {
            const float at = sam_net_coordinate(p, d, left % some.shape[d], in[d], out.shape[d]);
            within =
                within && (some.shape[d] != out.shape[d] || (at >= 0 && at <= (float)(in[d] - 1)));
        }
        sam_net_set(inside, i, 0, within);
        all = all && within;
    }
    if (all || m->failed)
        return y;
    return sam_net_emit(m, NET_Where, NULL,
                        (uint32_t[]){mask, y, sam_net_number(m, y, (double)number)}, 3, NULL);
}

static uint32_t resized(struct import *m, const struct net_params *p, const struct net_type *out,
                        float outside)
{
    const uint32_t rank = m->type.rank;
    bool same = true, outer = true;
    for (uint32_t d = 0; d < rank; d++) {
        const bool kept = net_keeps_axis(p, d, m->type.shape[d], out->shape[d]);
        same = same && kept && (p->scale[d] == 1 || p->coordinate == NET_TF_CROP);
        outer = outer && (kept || d + 2 >= rank);
    }
    if (p->resize != NET_NEAREST && (rank != 4 || !outer))
        return sam_net_refuse(m,
                              "%s from %s to %s: expected 4 dimensions and the last two to change",
                              p->resize == NET_CUBIC ? "cubic" : "linear",
                              sam_net_shape_text(&m->type).text, sam_net_shape_text(out).text);
    const uint32_t y = same ? m->x : sam_net_emit1(m, NET_Resize, p, m->x, out);
    return p->coordinate == NET_TF_CROP && !m->failed ? extrapolate(m, y, p, outside) : y;
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

uint32_t sam_net_import_resize(struct import *m)
{
    const uint32_t rank = m->type.rank;
    struct net_params p = {0};
    struct net_type out = m->type;
    take_mode(m, &p);
    if (m->onnx.opset < 11 || m->row->op == NET_OPS) {
        take_scales(m, 1, &p, &out);
        set_old_mode(m, &p);
        return resized(m, &p, &out, 0);
    }
    p.coordinate = (enum net_coordinate)sam_net_choose(
        m, "coordinate_transformation_mode",
        "half_pixel pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn "
        "tf_crop_and_resize");
    if (p.coordinate == NET_TF_CROP)
        take_crop(m, &p, rank);
    p.nearest = (enum net_nearest)sam_net_choose(m, "nearest_mode",
                                                 "round_prefer_floor round_prefer_ceil floor ceil");
    p.alpha = sam_net_float(m, "cubic_coeff_a", -0.75f);
    p.count_pad = sam_net_int(m, "exclude_outside", 0) == 0;
    const float outside = sam_net_float(m, "extrapolation_value", 0);
    sam_net_choose(m, "keep_aspect_ratio_policy", "stretch");
    if (sam_net_int(m, "antialias", 0) != 0)
        sam_net_refuse(m, "antialias is not supported");
    if (!sam_net_has(m, 3)) {
        take_scales(m, 2, &p, &out);
        return resized(m, &p, &out, outside);
    }
    const struct net_list sizes = sam_net_ints_input(m, 3);
    if (sizes.count != rank)
        return sam_net_refuse(m, "%u sizes: expected %u", sizes.count, rank);
    for (uint32_t d = 0; d < rank; d++) {
        if (sizes.at[d] < 1)
            return sam_net_refuse(m, "a size of %lld", (long long)sizes.at[d]);
        out.shape[d] = (uint64_t)sizes.at[d];
        p.scale[d] = (float)out.shape[d] / (float)m->type.shape[d];
    }
    return resized(m, &p, &out, outside);
}
