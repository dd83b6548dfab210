/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on rows and matrices: reductions, normalizations, products. */
#include "network/import.h"

/* Softmax, or its logarithm: x - max - ln(sum of e^(x - max)). */
static uint32_t softmax(struct import *m, uint32_t x, struct net_params *p)
{
    const struct net_type type = sam_net_type_of(m, x);
    struct net_type one = type;
    if (m->row->op == NET_Softmax)
        return sam_net_emit1(m, NET_Softmax, p, x, &type);
    one.shape[p->axis] = 1;
    p->axes = 1u << p->axis;
    const uint32_t below =
        sam_net_emit2(m, NET_Sub, x, sam_net_emit1(m, NET_ReduceMax, p, x, &one));
    const uint32_t sum =
        sam_net_emit1(m, NET_ReduceSum, p, sam_net_emit1(m, NET_Exp, NULL, below, &type), &one);
    return sam_net_emit2(m, NET_Sub, below, sam_net_emit1(m, NET_Log, NULL, sum, &one));
}

void sam_net_import_softmax(struct import *m)
{
    const bool flattens = m->onnx.opset < 13;
    const uint32_t x = sam_net_input(m, 0);
    const struct net_type type = sam_net_type_of(m, x);
    struct net_params p = {0};
    sam_net_need_float(m, x);
    p.axis = sam_net_axis(m, sam_net_int(m, "axis", flattens ? 1 : -1), type.rank);
    if (m->failed || !flattens || p.axis + 1 == type.rank) {
        sam_net_give(m, 0, softmax(m, x, &p));
        return;
    }
    /* Over all axes from `axis` on. */
    const struct net_type flat = sam_net_matrix(m, x, p.axis);
    p.axis = 1;
    const uint32_t rows = softmax(m, sam_net_reshape(m, x, &flat), &p);
    sam_net_give(m, 0, sam_net_reshape(m, rows, &type));
}

/* Each channel of each image has a mean of 0 and a variance of 1; then scale and bias. */
void sam_net_import_instance_norm(struct import *m)
{
    const uint32_t x = sam_net_input(m, 0);
    const struct net_type type = sam_net_type_of(m, x);
    struct net_params p = {.axis = 2, .alpha = sam_net_float(m, "epsilon", 1e-5f)};
    struct net_type flat = {SAM_F32, 3, {type.shape[0], type.shape[1], 1}};
    const struct net_type channels = sam_net_channels(&type);
    sam_net_need_image(m, x, 3);
    for (uint32_t d = 2; d < type.rank; d++)
        flat.shape[2] *= type.shape[d];
    const struct net_type normal = {SAM_F32, 1, {flat.shape[2]}};
    const uint32_t ones = sam_net_constant(m, &normal, NULL);
    for (uint64_t i = 0; !m->failed && i < flat.shape[2]; i++)
        ((float *)sam_net_value(m, ones)->data)[i] = 1;
    const uint32_t inputs[] = {sam_net_reshape(m, x, &flat), ones};
    const uint32_t made =
        sam_net_reshape(m, sam_net_emit(m, NET_LayerNormalization, &p, inputs, 2, &flat), &type);
    const uint32_t scale = sam_net_reshape(m, sam_net_input(m, 1), &channels),
                   bias = sam_net_reshape(m, sam_net_input(m, 2), &channels);
    sam_net_give(m, 0, sam_net_emit2(m, NET_Add, sam_net_emit2(m, NET_Mul, made, scale), bias));
}

void sam_net_import_layer_norm(struct import *m)
{
    uint32_t inputs[3] = {sam_net_input(m, 0), sam_net_input(m, 1)}, count = 2;
    const struct net_type type = sam_net_type_of(m, inputs[0]);
    struct net_type normal = {.dtype = type.dtype};
    struct net_params p = {.alpha = sam_net_float(m, "epsilon", 1e-5f)};
    p.axis = sam_net_axis(m, sam_net_int(m, "axis", -1), type.rank);
    sam_net_ignore(m, "stash_type");
    sam_net_need_float(m, inputs[0]);
    if (sam_net_has(m, 2))
        inputs[count++] = sam_net_input(m, 2);
    for (uint32_t d = p.axis; d < type.rank; d++)
        normal.shape[normal.rank++] = type.shape[d];
    /* Scale and bias have the shape of what is normalized. */
    for (uint32_t k = 1; k < count; k++) {
        const struct net_type given = sam_net_type_of(m, inputs[k]);
        const struct net_type all = sam_net_broadcast(m, &normal, &given);
        if (given.rank > normal.rank || all.rank != normal.rank ||
            memcmp(all.shape, normal.shape, sizeof all.shape) != 0)
            sam_net_refuse(m, "input %u of shape %s: expected %s", k,
                           sam_net_shape_text(&given).text, sam_net_shape_text(&normal).text);
        else if (sam_net_count(m, &given) == sam_net_count(m, &normal))
            inputs[k] = sam_net_reshape(m, inputs[k], &normal);
        else
            inputs[k] = sam_net_emit1(m, NET_Expand, NULL, inputs[k], &normal);
    }
    sam_net_give(m, 0, sam_net_emit(m, NET_LayerNormalization, &p, inputs, count, &type));
}

/* A reduction of p->axes. */
static uint32_t reduce(struct import *m, enum sam_net_op op, struct net_params *p, uint32_t x,
                       bool keep, enum sam_dtype dtype)
{
    const struct net_type type = sam_net_type_of(m, x);
    struct net_type out = {.dtype = dtype};
    for (uint32_t d = 0; d < type.rank; d++)
        if (!(p->axes >> d & 1))
            out.shape[out.rank++] = type.shape[d];
        else if (keep)
            out.shape[out.rank++] = 1;
    return sam_net_emit1(m, op, p, x, &out);
}

uint32_t sam_net_reduce(struct import *m, enum sam_net_op op, uint32_t x)
{
    const unsigned since = m->row->op == NET_ReduceSum ? 13 : 18;
    const uint32_t rank = sam_net_value(m, x)->rank;
    const struct net_list axes = sam_net_ints_either(m, "axes", 1, since);
    const bool keep = sam_net_int(m, "keepdims", 1) != 0;
    const bool noop = m->onnx.opset >= since && sam_net_int(m, "noop_with_empty_axes", 0) != 0;
    struct net_params p = {.axes = sam_net_axes(m, &axes, rank)};
    if (op == NET_ReduceMean)
        sam_net_need_float(m, x);
    if (!axes.count)
        p.axes = noop ? 0 : (1u << rank) - 1;
    return p.axes ? reduce(m, op, &p, x, keep, sam_net_value(m, x)->dtype) : x;
}

void sam_net_import_reduce(struct import *m)
{
    sam_net_give(m, 0, sam_net_reduce(m, m->row->op, sam_net_input(m, 0)));
}

void sam_net_import_global_pool(struct import *m)
{
    const uint32_t x = sam_net_input(m, 0);
    const struct net_type type = sam_net_type_of(m, x);
    struct net_params p = {.axes = ((1u << type.rank) - 1) & ~3u};
    sam_net_need_image(m, x, 3);
    sam_net_give(m, 0, reduce(m, m->row->op, &p, x, true, type.dtype));
}

void sam_net_import_argmax(struct import *m)
{
    uint32_t x = sam_net_input(m, 0);
    struct net_params p = {
        .axis = sam_net_axis(m, sam_net_int(m, "axis", 0), sam_net_value(m, x)->rank)};
    const bool keep = sam_net_int(m, "keepdims", 1) != 0,
               last = sam_net_int(m, "select_last_index", 0) != 0;
    sam_net_need_float(m, x);
    p.axes = 1u << p.axis;
    const struct net_type type = sam_net_type_of(m, x);
    if (last) { /* the first one from the end */
        struct net_params back = {0};
        back.start[p.axis] = (int64_t)type.shape[p.axis] - 1;
        for (uint32_t d = 0; d < type.rank; d++)
            back.step[d] = d == p.axis ? -1 : 1;
        x = sam_net_emit1(m, NET_Slice, &back, x, &type);
    }
    if (strcmp(m->row->name, "ArgMin") == 0)
        x = sam_net_emit1(m, NET_Neg, NULL, x, &type);
    uint32_t y = reduce(m, NET_ArgMax, &p, x, keep, SAM_I64);
    if (last)
        y = sam_net_emit2(m, NET_Sub, sam_net_number(m, y, (double)type.shape[p.axis] - 1), y);
    sam_net_give(m, 0, y);
}

void sam_net_import_matmul(struct import *m)
{
    uint32_t a = sam_net_input(m, 0), b = sam_net_weight(m, 1);
    struct net_type ta = sam_net_type_of(m, a), tb = sam_net_type_of(m, b);
    const bool row = ta.rank == 1, column = tb.rank == 1;
    sam_net_need_float(m, a);
    sam_net_need_float(m, b);
    if (!ta.rank || !tb.rank) {
        sam_net_refuse(m, "a scalar: expected matrices");
        return;
    }
    if (row) {
        ta = (struct net_type){ta.dtype, 2, {1, ta.shape[0]}};
        a = sam_net_reshape(m, a, &ta);
    }
    if (column) {
        tb = (struct net_type){tb.dtype, 2, {tb.shape[0], 1}};
        b = sam_net_reshape(m, b, &tb);
    }
    if (ta.shape[ta.rank - 1] != tb.shape[tb.rank - 2])
        sam_net_refuse(m, "shapes %s and %s do not match", sam_net_shape_text(&ta).text,
                       sam_net_shape_text(&tb).text);
    /* The leading dimensions are broadcast; the last two are set below. */
    struct net_type left = ta, right = tb;
    left.shape[ta.rank - 2] = left.shape[ta.rank - 1] = 1;
    right.shape[tb.rank - 2] = right.shape[tb.rank - 1] = 1;
    right.dtype = left.dtype;
    struct net_type out = sam_net_broadcast(m, &left, &right);
    out.shape[out.rank - 2] = ta.shape[ta.rank - 2];
    out.shape[out.rank - 1] = tb.shape[tb.rank - 1];
    const uint32_t product = sam_net_emit(m, NET_MatMul, NULL, (uint32_t[]){a, b}, 2, &out);
    struct net_type shown = out;
    if (column)
        shown.rank--;
    if (row) { /* without the axis of size one */
        shown.shape[out.rank - 2] = out.shape[out.rank - 1];
        shown.rank--;
    }
    sam_net_give(m, 0, sam_net_reshape(m, product, &shown));
}

/* A matrix with its axes exchanged. */
static uint32_t turned(struct import *m, uint32_t id)
{
    const struct net_type type = sam_net_type_of(m, id),
                          out = {type.dtype, 2, {type.shape[1], type.shape[0]}};
    return sam_net_emit1(m, NET_Transpose, &(struct net_params){.perm = {1}}, id, &out);
}

/* x times a number that is not 1. */
static uint32_t scaled(struct import *m, uint32_t x, float by)
{
    return by == 1 ? x : sam_net_emit2(m, NET_Mul, x, sam_net_number(m, x, (double)by));
}

void sam_net_import_gemm(struct import *m)
{
    const bool turn_a = sam_net_int(m, "transA", 0) != 0, turn_b = sam_net_int(m, "transB", 0) != 0;
    const float alpha = sam_net_float(m, "alpha", 1), beta = sam_net_float(m, "beta", 1);
    uint32_t x = sam_net_input(m, 0), w = sam_net_weight(m, 1);
    const struct net_type a = sam_net_type_of(m, x), b = sam_net_type_of(m, w);
    sam_net_need_float(m, x);
    sam_net_need_float(m, w);
    if (a.rank != 2 || b.rank != 2 || a.shape[!turn_a] != b.shape[turn_b])
        sam_net_refuse(m, "shapes %s and %s do not match", sam_net_shape_text(&a).text,
                       sam_net_shape_text(&b).text);
    if (turn_b && !sam_net_may_make(m, sam_net_value(m, w)->count))
        w = sam_net_input(m, 1); /* for no node has narrow floats */
    if (m->failed)
        return;
    const struct net_type out = {SAM_F32, 2, {a.shape[turn_a], b.shape[!turn_b]}};
    const uint32_t inputs[] = {turn_a ? turned(m, x) : x, turn_b ? turned(m, w) : w};
    uint32_t y = scaled(m, sam_net_emit(m, NET_MatMul, NULL, inputs, 2, &out), alpha);
    if (sam_net_has(m, 2) && beta != 0) { /* a NaN that is not read does not matter */
        const uint32_t bias = sam_net_input(m, 2);
        const struct net_type c = sam_net_type_of(m, bias), all = sam_net_broadcast(m, &out, &c);
        if (c.rank > 2 || memcmp(all.shape, out.shape, sizeof all.shape) != 0)
            sam_net_refuse(m, "input 2 of shape %s: expected one that broadcasts to %s",
                           sam_net_shape_text(&c).text, sam_net_shape_text(&out).text);
        y = sam_net_emit2(m, NET_Add, y, scaled(m, bias, beta));
    }
    sam_net_give(m, 0, y);
}
