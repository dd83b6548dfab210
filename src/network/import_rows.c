/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on rows and matrices: reductions, normalizations, products. */
#include "network/import.h"

/* A reduction of p->axes. */
static uint32_t reduce(struct import *m, enum sam_net_op op, const struct net_params *p, uint32_t x,
                       bool keep)
{
    const struct net_type type = sam_net_type_of(m, x);
    struct net_type out = {.dtype = op == NET_ArgMax ? SAM_I64 : type.dtype};
    for (uint32_t d = 0; d < type.rank; d++)
        if (!(p->axes >> d & 1) || keep)
            out.shape[out.rank++] = p->axes >> d & 1 ? 1 : type.shape[d];
    return sam_net_emit1(m, op, p, x, &out);
}

uint32_t sam_net_import_softmax(struct import *m)
{
    const bool flattens = m->onnx.opset < 13;
    struct net_params p = {
        .axis = sam_net_axis(m, sam_net_int(m, "axis", flattens ? 1 : -1), m->type.rank)};
    uint32_t x = m->x;
    if (flattens && p.axis + 1 != m->type.rank) { /* over all axes from `axis` on */
        const struct net_type flat = sam_net_matrix(m, p.axis);
        x = sam_net_reshape(m, x, &flat);
        p.axis = 1;
    }
    if (m->row->op == NET_Softmax) {
        x = sam_net_emit1(m, NET_Softmax, &p, x, NULL);
    } else { /* its logarithm: x - max - ln(sum of e^(x - max)) */
        p.axes = 1u << p.axis;
        x = sam_net_emit2(m, NET_Sub, x, reduce(m, NET_ReduceMax, &p, x, true));
        const uint32_t sum =
            reduce(m, NET_ReduceSum, &p, sam_net_emit1(m, NET_Exp, NULL, x, NULL), true);
        x = sam_net_emit2(m, NET_Sub, x, sam_net_emit1(m, NET_Log, NULL, sum, NULL));
    }
    return sam_net_reshape(m, x, &m->type);
}

/* Each channel of each image has a mean of 0 and a variance of 1; then scale and bias. */
uint32_t sam_net_import_instance_norm(struct import *m)
{
    const struct net_params p = {.axis = 2, .alpha = sam_net_float(m, "epsilon", 1e-5f)};
    const struct net_type channels = sam_net_channels(m, 3);
    const uint64_t *const s = m->type.shape, size = sam_net_inner(sam_net_value(m, m->x), 1);
    const struct net_type normal = {SAM_F32, 1, {size}};
    const uint32_t ones = sam_net_constant(m, &normal, NULL);
    for (uint64_t i = 0; !m->failed && i < size; i++)
        sam_net_set(sam_net_value(m, ones), i, 1, 0);
    const uint32_t inputs[] = {sam_net_shaped(m, m->x, 3, (uint64_t[]){s[0], s[1], size}), ones};
    const struct net_type flat = sam_net_type_of(m, inputs[0]);
    const uint32_t made =
        sam_net_reshape(m, sam_net_emit(m, NET_LayerNormalization, &p, inputs, 2, &flat), &m->type);
    const uint32_t scale = sam_net_reshape(m, sam_net_input(m, 1), &channels),
                   bias = sam_net_reshape(m, sam_net_input(m, 2), &channels);
    return sam_net_emit2(m, NET_Add, sam_net_emit2(m, NET_Mul, made, scale), bias);
}

uint32_t sam_net_import_layer_norm(struct import *m)
{
    uint32_t inputs[3] = {m->x, sam_net_input(m, 1)}, count = 2;
    struct net_type normal = {.dtype = m->type.dtype};
    struct net_params p = {.alpha = sam_net_float(m, "epsilon", 1e-5f)};
    p.axis = sam_net_axis(m, sam_net_int(m, "axis", -1), m->type.rank);
    sam_net_ignore(m, "stash_type");
    if (sam_net_has(m, 2))
        inputs[count++] = sam_net_input(m, 2);
    for (uint32_t d = p.axis; d < m->type.rank; d++)
        normal.shape[normal.rank++] = m->type.shape[d];
    /* Scale and bias have the shape of what is normalized. */
    for (uint32_t k = 1; k < count; k++) {
        const struct net_type given = sam_net_type_of(m, inputs[k]);
        const struct net_type all = sam_net_broadcast(m, &normal, &given);
        if (given.rank > normal.rank || !sam_net_same_shape(&all, &normal))
            return sam_net_refuse(m, "input %u of shape %s: expected %s", k,
                                  sam_net_shape_text(&given).text,
                                  sam_net_shape_text(&normal).text);
        inputs[k] = sam_net_expand(m, inputs[k], &normal);
    }
    return sam_net_emit(m, NET_LayerNormalization, &p, inputs, count, &m->type);
}

uint32_t sam_net_reduce(struct import *m, enum sam_net_op op, uint32_t x)
{
    const unsigned since = m->row->op == NET_ReduceSum ? 13 : 18;
    const uint32_t rank = m->type.rank;
    const struct net_list axes = sam_net_ints_either(m, "axes", 1, since);
    const bool keep = sam_net_int(m, "keepdims", 1) != 0;
    const bool noop = m->onnx.opset >= since && sam_net_int(m, "noop_with_empty_axes", 0) != 0;
    struct net_params p = {.axes = sam_net_axes(m, &axes, rank)};
    if (!axes.count)
        p.axes = noop ? 0 : (1u << rank) - 1;
    return p.axes ? reduce(m, op, &p, x, keep) : x;
}

uint32_t sam_net_import_reduce(struct import *m)
{
    return sam_net_reduce(m, m->row->op, m->x);
}

uint32_t sam_net_import_global_pool(struct import *m)
{
    const struct net_params p = {.axes = ((1u << m->type.rank) - 1) & ~3u};
    sam_net_need_rank(m, 3);
    return reduce(m, m->row->op, &p, m->x, true);
}

uint32_t sam_net_import_argmax(struct import *m)
{
    const uint32_t axis = sam_net_axis(m, sam_net_int(m, "axis", 0), m->type.rank);
    const struct net_params p = {.axis = axis, .axes = 1u << axis};
    const bool keep = sam_net_int(m, "keepdims", 1) != 0,
               last = sam_net_int(m, "select_last_index", 0) != 0;
    const uint64_t end = m->type.shape[axis] - 1;
    uint32_t x = m->x;
    if (last) /* the first one from the end */
        x = sam_net_part(m, x, axis, end, end + 1, -1);
    if (strcmp(m->row->name, "ArgMin") == 0)
        x = sam_net_emit1(m, NET_Neg, NULL, x, NULL);
    const uint32_t y = reduce(m, NET_ArgMax, &p, x, keep);
    return last ? sam_net_emit2(m, NET_Sub, sam_net_number(m, y, (double)end), y) : y;
}

/* A factor of a product with two axes at least: a vector is a row or a column. */
static uint32_t factor(struct import *m, uint32_t id, bool row, struct net_type *type)
{
    *type = sam_net_type_of(m, id);
    sam_net_need_float(m, id);
    if (type->rank == 0)
        return sam_net_refuse(m, "a scalar: expected matrices");
    const uint64_t size = type->shape[0];
    if (type->rank == 1)
        id = sam_net_shaped(m, id, 2, row ? (uint64_t[]){1, size} : (uint64_t[]){size, 1});
    *type = sam_net_type_of(m, id);
    return id;
}

uint32_t sam_net_import_matmul(struct import *m)
{
    struct net_type left, right;
    const uint32_t weight = sam_net_weight(m, 1);
    const bool row = m->type.rank == 1, column = sam_net_value(m, weight)->rank == 1;
    const uint32_t factors[] = {factor(m, m->x, true, &left), factor(m, weight, false, &right)};
    if (m->failed)
        return NET_NONE;
    const uint64_t rows = left.shape[left.rank - 2], cols = right.shape[right.rank - 1];
    if (left.shape[left.rank - 1] != right.shape[right.rank - 2])
        return sam_net_refuse(m, "shapes %s and %s do not match", sam_net_shape_text(&left).text,
                              sam_net_shape_text(&right).text);
    left.rank -= 2; /* the leading dimensions are broadcast */
    right.rank -= 2;
    right.dtype = left.dtype;
    struct net_type out = sam_net_broadcast(m, &left, &right), shown = out;
    out.shape[out.rank++] = rows;
    out.shape[out.rank++] = cols;
    if (!row)
        shown.shape[shown.rank++] = rows;
    if (!column)
        shown.shape[shown.rank++] = cols;
    return sam_net_reshape(m, sam_net_emit(m, NET_MatMul, NULL, factors, 2, &out), &shown);
}

/* x times a number that is not 1. */
static uint32_t scaled(struct import *m, uint32_t x, float by)
{
    return by == 1 ? x : sam_net_emit2(m, NET_Mul, x, sam_net_number(m, x, (double)by));
}

uint32_t sam_net_import_gemm(struct import *m)
{
    static const uint32_t turned[] = {1, 0};
    const bool turn_a = sam_net_int(m, "transA", 0) != 0, turn_b = sam_net_int(m, "transB", 0) != 0;
    const float alpha = sam_net_float(m, "alpha", 1), beta = sam_net_float(m, "beta", 1);
    uint32_t w = sam_net_weight(m, 1);
    const struct net_type a = m->type, b = sam_net_type_of(m, w);
    sam_net_need_float(m, w);
    if (a.rank != 2 || b.rank != 2 || a.shape[!turn_a] != b.shape[turn_b])
        return sam_net_refuse(m, "shapes %s and %s do not match", sam_net_shape_text(&a).text,
                              sam_net_shape_text(&b).text);
    if (turn_b && !sam_net_may_make(m, sam_net_value(m, w)->count))
        w = sam_net_input(m, 1); /* for no node has narrow floats */
    const struct net_type out = {SAM_F32, 2, {a.shape[turn_a], b.shape[!turn_b]}};
    const uint32_t inputs[] = {turn_a ? sam_net_transpose(m, m->x, turned) : m->x,
                               turn_b ? sam_net_transpose(m, w, turned) : w};
    const uint32_t y = scaled(m, sam_net_emit(m, NET_MatMul, NULL, inputs, 2, &out), alpha);
    if (!sam_net_has(m, 2) || beta == 0) /* a NaN that is not read does not matter */
        return y;
    const uint32_t bias = sam_net_input(m, 2);
    const struct net_type c = sam_net_type_of(m, bias), all = sam_net_broadcast(m, &out, &c);
    if (c.rank > 2 || !sam_net_same_shape(&all, &out))
        return sam_net_refuse(m, "input 2 of shape %s: expected one that broadcasts to %s",
                              sam_net_shape_text(&c).text, sam_net_shape_text(&out).text);
    return sam_net_emit2(m, NET_Add, y, scaled(m, bias, beta));
}
