/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on rows and matrices: reductions, normalizations, products. */
#include "network/import.h"

void net_import_softmax(struct import *m)
{
    const bool flattens = m->onnx.opset < 13;
    const uint32_t x = net_input(m, 0);
    const struct net_type type = net_type_of(m, x);
    struct net_params p = {0};
    net_need_float(m, x);
    p.axis = net_axis(m, net_int(m, "axis", flattens ? 1 : -1), type.rank);
    if (!flattens || p.axis + 1 == type.rank) {
        net_give(m, 0, net_emit1(m, NET_Softmax, &p, x, &type));
        return;
    }
    /* Over all axes from `axis` on. */
    const struct net_value *v = net_value(m, x);
    const uint64_t outer = net_outer(v, p.axis);
    const struct net_type flat = {
        .dtype = type.dtype, .rank = 2, .shape = {outer, outer ? v->count / outer : 0}};
    p.axis = 1;
    const uint32_t rows = net_emit1(m, NET_Softmax, &p, net_reshape(m, x, &flat), &flat);
    net_give(m, 0, net_reshape(m, rows, &type));
}

void net_import_layer_norm(struct import *m)
{
    uint32_t inputs[3] = {net_input(m, 0), net_input(m, 1)}, count = 2;
    const struct net_type type = net_type_of(m, inputs[0]);
    struct net_type normal = {.dtype = type.dtype};
    struct net_params p = {.alpha = net_float(m, "epsilon", 1e-5f)};
    p.axis = net_axis(m, net_int(m, "axis", -1), type.rank);
    net_ignore(m, "stash_type");
    net_need_float(m, inputs[0]);
    if (net_has(m, 2))
        inputs[count++] = net_input(m, 2);
    for (uint32_t d = p.axis; d < type.rank; d++)
        normal.shape[normal.rank++] = type.shape[d];
    /* Scale and bias have the shape of what is normalized. */
    for (uint32_t k = 1; k < count; k++) {
        const struct net_type given = net_type_of(m, inputs[k]);
        const struct net_type all = net_broadcast(m, &normal, &given);
        if (given.rank > normal.rank || all.rank != normal.rank ||
            memcmp(all.shape, normal.shape, sizeof all.shape) != 0)
            net_refuse(m, "input %u of shape %s: expected %s", k, net_shape_text(&given).text,
                       net_shape_text(&normal).text);
        else if (net_count(m, &given) == net_count(m, &normal))
            inputs[k] = net_reshape(m, inputs[k], &normal);
        else
            inputs[k] = net_emit1(m, NET_Expand, NULL, inputs[k], &normal);
    }
    net_give(m, 0, net_emit(m, NET_LayerNormalization, &p, inputs, count, &type));
}

/* A reduction of the axes in `bits`. */
static uint32_t reduce(struct import *m, struct net_params *p, uint32_t x, bool keep,
                       enum sam_dtype dtype)
{
    const struct net_type type = net_type_of(m, x);
    struct net_type out = {.dtype = dtype};
    for (uint32_t d = 0; d < type.rank; d++)
        if (!(p->axes >> d & 1))
            out.shape[out.rank++] = type.shape[d];
        else if (keep)
            out.shape[out.rank++] = 1;
    return net_emit1(m, m->row->op, p, x, &out);
}

void net_import_reduce(struct import *m)
{
    const bool sum = m->row->op == NET_ReduceSum;
    const uint32_t x = net_input(m, 0);
    const uint32_t rank = net_value(m, x)->rank;
    const struct net_list axes = net_ints_either(m, "axes", 1, sum ? 13 : 18);
    const bool keep = net_int(m, "keepdims", 1) != 0;
    const bool noop = sum && m->onnx.opset >= 13 && net_int(m, "noop_with_empty_axes", 0) != 0;
    struct net_params p = {.axes = net_axes(m, &axes, rank)};
    if (m->row->op == NET_ReduceMean)
        net_need_float(m, x);
    if (!axes.count)
        p.axes = noop ? 0 : (1u << rank) - 1;
    net_give(m, 0, p.axes ? reduce(m, &p, x, keep, net_value(m, x)->dtype) : x);
}

void net_import_global_pool(struct import *m)
{
    const uint32_t x = net_input(m, 0);
    const struct net_type type = net_type_of(m, x);
    struct net_params p = {.axes = ((1u << type.rank) - 1) & ~3u};
    net_need_float(m, x);
    if (type.rank < 3)
        net_refuse(m, "shape %s: expected 3 dimensions or more", net_shape_text(&type).text);
    net_give(m, 0, reduce(m, &p, x, true, type.dtype));
}

void net_import_argmax(struct import *m)
{
    const uint32_t x = net_input(m, 0);
    struct net_params p = {.axis = net_axis(m, net_int(m, "axis", 0), net_value(m, x)->rank)};
    const bool keep = net_int(m, "keepdims", 1) != 0;
    net_need_float(m, x);
    if (net_int(m, "select_last_index", 0) != 0)
        net_refuse(m, "select_last_index is not supported");
    p.axes = 1u << p.axis;
    net_give(m, 0, reduce(m, &p, x, keep, SAM_I64));
}

void net_import_matmul(struct import *m)
{
    uint32_t a = net_input(m, 0), b = net_weight(m, 1);
    struct net_type ta = net_type_of(m, a), tb = net_type_of(m, b);
    const bool row = ta.rank == 1, column = tb.rank == 1;
    net_need_float(m, a);
    net_need_float(m, b);
    if (!ta.rank || !tb.rank) {
        net_refuse(m, "a scalar: expected matrices");
        return;
    }
    if (row) {
        ta = (struct net_type){ta.dtype, 2, {1, ta.shape[0]}};
        a = net_reshape(m, a, &ta);
    }
    if (column) {
        tb = (struct net_type){tb.dtype, 2, {tb.shape[0], 1}};
        b = net_reshape(m, b, &tb);
    }
    if (ta.shape[ta.rank - 1] != tb.shape[tb.rank - 2])
        net_refuse(m, "shapes %s and %s do not match", net_shape_text(&ta).text,
                   net_shape_text(&tb).text);
    /* The leading dimensions are broadcast; the last two are set below. */
    struct net_type left = ta, right = tb;
    left.shape[ta.rank - 2] = left.shape[ta.rank - 1] = 1;
    right.shape[tb.rank - 2] = right.shape[tb.rank - 1] = 1;
    right.dtype = left.dtype;
    struct net_type out = net_broadcast(m, &left, &right);
    out.shape[out.rank - 2] = ta.shape[ta.rank - 2];
    out.shape[out.rank - 1] = tb.shape[tb.rank - 1];
    const uint32_t product = net_emit(m, NET_MatMul, NULL, (uint32_t[]){a, b}, 2, &out);
    struct net_type shown = out;
    if (column)
        shown.rank--;
    if (row) { /* without the axis of size one */
        shown.shape[out.rank - 2] = out.shape[out.rank - 1];
        shown.rank--;
    }
    net_give(m, 0, net_reshape(m, product, &shown));
}

void net_import_gemm(struct import *m)
{
    uint32_t inputs[3] = {net_input(m, 0), net_weight(m, 1)}, count = 2;
    const struct net_type a = net_type_of(m, inputs[0]), b = net_type_of(m, inputs[1]);
    struct net_params p = {.transpose_a = net_int(m, "transA", 0) != 0,
                           .transpose_b = net_int(m, "transB", 0) != 0,
                           .alpha = net_float(m, "alpha", 1),
                           .beta = net_float(m, "beta", 1)};
    net_need_float(m, inputs[0]);
    net_need_float(m, inputs[1]);
    if (a.rank != 2 || b.rank != 2 || a.shape[!p.transpose_a] != b.shape[p.transpose_b])
        net_refuse(m, "shapes %s and %s do not match", net_shape_text(&a).text,
                   net_shape_text(&b).text);
    const struct net_type out = {
        .dtype = SAM_F32, .rank = 2, .shape = {a.shape[p.transpose_a], b.shape[!p.transpose_b]}};
    if (net_has(m, 2)) {
        inputs[count++] = net_input(m, 2);
        const struct net_type c = net_type_of(m, inputs[2]), all = net_broadcast(m, &out, &c);
        if (c.rank > 2 || memcmp(all.shape, out.shape, sizeof all.shape) != 0)
            net_refuse(m, "input 2 of shape %s: expected one that broadcasts to %s",
                       net_shape_text(&c).text, net_shape_text(&out).text);
    }
    net_give(m, 0, net_emit(m, NET_Gemm, &p, inputs, count, &out));
}
