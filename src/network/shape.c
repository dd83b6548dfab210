/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: how many elements, which axis, broadcasting. */
#include <stdio.h>

#include "network/import.h"

/* Sums and products of few sizes stay below 2^63. */
static const uint64_t most_elements = UINT64_C(1) << 40;

struct net_type sam_net_type_of(struct import *m, uint32_t id)
{
    const struct sam_net_value *v = sam_net_value(m, id);
    struct net_type type = {.dtype = v->dtype, .rank = v->rank};
    memcpy(type.shape, v->shape, sizeof type.shape);
    return type;
}

struct sam_net_shape_text sam_net_shape_text(const struct net_type *type)
{
    struct sam_net_shape_text out = {"["};
    size_t at = 1;
    for (uint32_t d = 0; d < type->rank; d++)
        at += (size_t)snprintf(out.text + at, sizeof out.text - at, "%s%llu", d ? ", " : "",
                               (unsigned long long)type->shape[d]);
    snprintf(out.text + at, sizeof out.text - at, "]");
    return out;
}

uint64_t sam_net_count(struct import *m, const struct net_type *type)
{
    uint64_t count = 1, most = 1; /* most: without zeros */
    for (uint32_t d = 0; d < type->rank; d++) {
        if (type->shape[d] > most_elements ||
            __builtin_mul_overflow(most, type->shape[d] ? type->shape[d] : 1, &most) ||
            most > most_elements) {
            sam_net_refuse(m, "shape %s is too large: expected at most 2^40 elements",
                           sam_net_shape_text(type).text);
            return 0;
        }
        count *= type->shape[d];
    }
    return count;
}

uint32_t sam_net_axis(struct import *m, int64_t axis, uint32_t rank)
{
    if (axis >= -(int64_t)rank && axis < (int64_t)rank)
        return (uint32_t)(axis < 0 ? axis + rank : axis);
    sam_net_refuse(m, "axis %lld: expected %d to %d", (long long)axis, -(int)rank, (int)rank - 1);
    return 0;
}

uint32_t sam_net_axes(struct import *m, const struct net_list *axes, uint32_t rank)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < axes->count; i++) {
        const uint32_t bit = 1u << sam_net_axis(m, axes->at[i], rank);
        if (bits & bit)
            sam_net_refuse(m, "axis %lld is given twice", (long long)axes->at[i]);
        bits |= bit;
    }
    return bits;
}

struct net_type sam_net_broadcast(struct import *m, const struct net_type *a,
                                  const struct net_type *b)
{
    const struct net_type *high = a->rank >= b->rank ? a : b, *low = high == a ? b : a;
    struct net_type out = *high;
    if (a->dtype != b->dtype)
        sam_net_refuse(m, "inputs of types %s and %s: expected the same", sam_dtype_name(a->dtype),
                       sam_dtype_name(b->dtype));
    for (uint32_t d = 0; d < low->rank; d++) {
        uint64_t *size = &out.shape[high->rank - low->rank + d];
        if (*size != low->shape[d] && *size != 1 && low->shape[d] != 1) {
            sam_net_refuse(m, "shapes %s and %s do not match", sam_net_shape_text(a).text,
                           sam_net_shape_text(b).text);
            return out;
        }
        *size = *size == 1 ? low->shape[d] : *size;
    }
    return out;
}

bool sam_net_same_shape(const struct net_type *a, const struct net_type *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

struct net_type sam_net_channels(struct import *m, uint32_t rank)
{
    struct net_type out = {.dtype = SAM_F32, .rank = m->type.rank};
    sam_net_need_rank(m, rank);
    for (uint32_t d = 0; d < out.rank; d++)
        out.shape[d] = d == 1 ? m->type.shape[1] : 1;
    return out;
}

uint32_t sam_net_reshape(struct import *m, uint32_t id, const struct net_type *type)
{
    const struct net_type from = sam_net_type_of(m, id);
    if (sam_net_same_shape(&from, type))
        return id;
    if (sam_net_count(m, &from) != sam_net_count(m, type))
        sam_net_refuse(m, "cannot reshape %s to %s", sam_net_shape_text(&from).text,
                       sam_net_shape_text(type).text);
    struct net_type to = *type;
    to.dtype = from.dtype;
    return sam_net_emit1(m, NET_Reshape, NULL, id, &to);
}

uint32_t sam_net_shaped(struct import *m, uint32_t id, uint32_t rank, const uint64_t *shape)
{
    struct net_type type = {.rank = rank};
    memcpy(type.shape, shape, rank * sizeof *shape);
    return sam_net_reshape(m, id, &type);
}

void sam_net_need_rank(struct import *m, uint32_t rank)
{
    if (m->type.rank < rank)
        sam_net_refuse(m, "shape %s: expected %u dimensions or more",
                       sam_net_shape_text(&m->type).text, rank);
}

struct net_type sam_net_matrix(struct import *m, uint32_t axis)
{
    const struct sam_net_value *const v = sam_net_value(m, m->x);
    const uint64_t outer = sam_net_outer(v, axis);
    return (struct net_type){v->dtype, 2, {outer, outer ? v->count / outer : 0}};
}

void sam_net_need_float(struct import *m, uint32_t id)
{
    if (sam_dtype_class(sam_net_value(m, id)->dtype) != SAM_CLASS_FLOAT)
        sam_net_refuse(m, "elements of type %s: expected floats",
                       sam_dtype_name(sam_net_value(m, id)->dtype));
}
