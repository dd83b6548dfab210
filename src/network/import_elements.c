/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on elements, and BatchNormalization. */
#include <float.h>
#include <math.h>

#include "base/dtype.h"
#include "network/import.h"

static uint32_t cast(struct import *m, uint32_t id, enum sam_dtype dtype)
{
    struct net_type type = sam_net_type_of(m, id);
    if (type.dtype == dtype)
        return id;
    type.dtype = dtype;
    return sam_net_emit1(m, NET_Cast, NULL, id, &type);
}

void sam_net_import_binary(struct import *m)
{
    uint32_t a = sam_net_input(m, 0), b = sam_net_input(m, 1);
    const enum sam_dtype dtype = sam_net_value(m, a)->dtype;
    if (m->row->op != NET_Pow) {
        sam_net_give(m, 0, sam_net_emit2(m, m->row->op, a, b));
        return;
    }
    /* Since opset 12 of any two types; the result has the first. */
    if (sam_net_value(m, b)->dtype == SAM_F32)
        a = cast(m, a, SAM_F32);
    else
        b = cast(m, b, dtype);
    sam_net_give(m, 0, cast(m, sam_net_emit2(m, NET_Pow, a, b), dtype));
}

uint32_t sam_net_number(struct import *m, uint32_t x, double number)
{
    const struct net_type type = {.dtype = sam_net_value(m, x)->dtype};
    const uint32_t id = sam_net_constant(m, &type, NULL);
    void *const data = (void *)sam_net_value(m, id)->data;
    if (m->failed)
        return NET_NONE;
    switch (type.dtype) {
    case SAM_F32: *(float *)data = (float)number; break;
    case SAM_I64: *(int64_t *)data = (int64_t)number; break;
    case SAM_I32: *(int32_t *)data = (int32_t)number; break;
    default: *(uint8_t *)data = (uint8_t)number; break;
    }
    return id;
}

void sam_net_import_chain(struct import *m)
{
    const size_t count = m->node->input_count;
    uint32_t sum = sam_net_input(m, 0);
    for (unsigned k = 1; k < count; k++)
        sum = sam_net_emit2(m, m->row->op, sum, sam_net_input(m, k));
    if (strcmp(m->row->name, "Mean") == 0 && count > 1)
        sum = sam_net_emit2(m, NET_Mul, sum, sam_net_number(m, sum, 1 / (double)count));
    sam_net_give(m, 0, sum);
}

static uint32_t where(struct import *m, const uint32_t *inputs)
{
    const struct net_type a = sam_net_type_of(m, inputs[1]), b = sam_net_type_of(m, inputs[2]);
    struct net_type test = sam_net_type_of(m, inputs[0]), type = sam_net_broadcast(m, &a, &b);
    if (test.dtype != SAM_U8)
        sam_net_refuse(m, "a condition of type %s: expected bool", sam_dtype_name(test.dtype));
    test.dtype = type.dtype;
    type = sam_net_broadcast(m, &type, &test);
    return sam_net_emit(m, NET_Where, NULL, inputs, 3, &type);
}

void sam_net_import_where(struct import *m)
{
    const uint32_t inputs[] = {sam_net_input(m, 0), sam_net_input(m, 1), sam_net_input(m, 2)};
    sam_net_give(m, 0, where(m, inputs));
}

/* --- formulas */

static uint32_t operand(struct import *m, const char *token, uint32_t *attribute)
{
    const char letter = token[0];
    if (letter == '@') {
        char name[16];
        if (!token[1])
            return *attribute;
        const char *const number = strchr(token, '=') + 1;
        sam_format(name, sizeof name, "%.*s", (int)(number - token - 2), token + 1);
        sam_net_need_float(m, sam_net_input(m, 0));
        *attribute = sam_net_number(m, sam_net_input(m, 0),
                                    (double)sam_net_float(m, name, sam_strtof(number, NULL)));
        return *attribute;
    }
    if (letter >= '0' && letter <= '9')
        return sam_net_number(m, sam_net_input(m, 0), letter - '0');
    const bool tests = letter >= 'X' && letter <= 'Z';
    const uint32_t id = sam_net_input(m, (unsigned)(letter - (tests ? 'X' : 'x')));
    if (tests && sam_net_value(m, id)->dtype != SAM_U8)
        sam_net_refuse(m, "elements of type %s: expected bool",
                       sam_dtype_name(sam_net_value(m, id)->dtype));
    return id;
}

static const uint8_t inputs_of[] = {
#define NET_OP(name, inputs, optional, plan) inputs,
#include "network/operators.def"
#undef NET_OP
};

static uint32_t operate(struct import *m, enum sam_net_op op, const uint32_t *in)
{
    if (op == NET_ReduceSum)
        return sam_net_reduce(m, op, in[0]);
    if (inputs_of[op] > 1)
        return op == NET_Where ? where(m, in) : sam_net_emit2(m, op, in[0], in[1]);
    const struct net_type type = sam_net_type_of(m, in[0]);
    if (op != NET_Neg && op != NET_Abs)
        sam_net_need_float(m, in[0]);
    return sam_net_emit1(m, op, NULL, in[0], &type);
}

void sam_net_import_formula(struct import *m)
{
    enum { DEPTH = 8 };
    uint32_t stack[DEPTH] = {0};
    uint32_t attribute = NET_NONE;
    unsigned count = 0;
    const char *formula = m->row->formula;
    for (char token[24]; !m->failed && sam_net_token(&formula, &token);) {
        unsigned op = 0;
        while (op < NET_OPS && strcmp(sam_net_op_name((enum sam_net_op)op), token) != 0)
            op++;
        if (op == NET_OPS) {
            stack[count++] = operand(m, token, &attribute);
            continue;
        }
        count -= inputs_of[op];
        stack[count] = operate(m, (enum sam_net_op)op, stack + count);
        count++;
    }
    sam_net_give(m, 0, stack[0]);
}

/* --- others */

void sam_net_import_unary(struct import *m)
{
    const enum sam_net_op op = m->row->op;
    const uint32_t x = sam_net_input(m, 0);
    const struct net_type type = sam_net_type_of(m, x);
    struct net_params p = {0};
    if (op == NET_LeakyRelu || op == NET_HardSigmoid)
        p.alpha = sam_net_float(m, "alpha", op == NET_LeakyRelu ? 0.01f : 0.2f);
    if (op == NET_HardSigmoid)
        p.beta = sam_net_float(m, "beta", 0.5f);
    if (op != NET_Neg && op != NET_Abs)
        sam_net_need_float(m, x);
    sam_net_give(m, 0, sam_net_emit1(m, op, &p, x, &type));
}

void sam_net_import_clip(struct import *m)
{
    struct net_params p = {.alpha = -FLT_MAX, .beta = FLT_MAX};
    uint32_t x = sam_net_input(m, 0);
    const struct net_type type = sam_net_type_of(m, x);
    bool plain = type.dtype == SAM_F32;
    if (m->onnx.opset < 11) {
        p.alpha = sam_net_float(m, "min", p.alpha);
        p.beta = sam_net_float(m, "max", p.beta);
        if (m->node->input_count > 1 || !plain)
            sam_net_refuse(m, "bounds as inputs, or integers, in opset %llu: expected 11 or later",
                           (unsigned long long)m->onnx.opset);
    }
    uint32_t bounds[2] = {NET_NONE, NET_NONE};
    for (unsigned k = 1; k < 3; k++) {
        if (!sam_net_has(m, k))
            continue;
        bounds[k - 1] = sam_net_input(m, k);
        const struct sam_net_value *v = sam_net_value(m, bounds[k - 1]);
        if (v->dtype != type.dtype || v->count != 1)
            sam_net_refuse(m, "input %u: expected a scalar of type %s", k,
                           sam_dtype_name(type.dtype));
        plain = plain && v->data;
        if (!m->failed && plain)
            *(k == 1 ? &p.alpha : &p.beta) = (float)sam_net_real(v, 0);
    }
    if (plain) {
        x = sam_net_emit1(m, NET_Clip, &p, x, &type);
    } else { /* other types, and bounds that are computed */
        if (bounds[0] != NET_NONE)
            x = sam_net_emit2(m, NET_Max, x, bounds[0]);
        if (bounds[1] != NET_NONE)
            x = sam_net_emit2(m, NET_Min, x, bounds[1]);
    }
    sam_net_give(m, 0, x);
}

void sam_net_import_cast(struct import *m)
{
    const int64_t to = sam_net_int(m, "to", 0);
    sam_net_ignore(m, "saturate"); /* of fp8 */
    const uint32_t x = sam_net_weight(m, 0);
    const enum sam_dtype type =
        to >= 0 ? sam_dtype_by_id(offsetof(struct sam_dtype_row, onnx), (uint64_t)to) : SAM_DTYPES;
    const bool to_float = sam_dtype_class(type) == SAM_CLASS_FLOAT;
    if (!to_float && type != SAM_I64 && type != SAM_I32 && type != SAM_BOOL)
        sam_net_refuse(m, "a cast to type %lld (%s): expected floats, i64, i32 or bool",
                       (long long)to, sam_dtype_name(type));
    const bool same = to_float ? sam_dtype_class(sam_net_value(m, x)->dtype) == SAM_CLASS_FLOAT
                               : type == SAM_BOOL && sam_net_value(m, x)->boolean;
    if (same) {
        sam_net_give(m, 0, x);
    } else if (type == SAM_BOOL) { /* also of bytes, whose type is that of booleans */
        struct net_type made = sam_net_type_of(m, x);
        made.dtype = SAM_U8;
        sam_net_give(m, 0, sam_net_emit1(m, NET_Cast, NULL, sam_net_input(m, 0), &made));
    } else {
        sam_net_give(m, 0, cast(m, sam_net_input(m, 0), to_float ? SAM_F32 : type));
    }
}

/* x * scale / sqrt(variance + epsilon) + (bias - mean * scale / sqrt(variance + epsilon)) */
void sam_net_import_batch_norm(struct import *m)
{
    const float epsilon = sam_net_float(m, "epsilon", 1e-5f);
    const uint32_t x = sam_net_input(m, 0);
    const struct net_type type = sam_net_type_of(m, x);
    const struct net_type channels = sam_net_channels(&type);
    uint32_t ids[5];
    sam_net_ignore(m, "momentum");
    if (sam_net_int(m, "training_mode", 0) != 0 || sam_net_int(m, "spatial", 1) != 1)
        sam_net_refuse(m, "training_mode or statistics per element are not supported");
    sam_net_need_image(m, x, 2);
    bool constant = true;
    for (unsigned k = 1; k < 5; k++) {
        ids[k] = sam_net_input(m, k);
        const struct sam_net_value *v = sam_net_value(m, ids[k]);
        if (v->dtype != SAM_F32 || v->rank != 1 || v->count != type.shape[1])
            sam_net_refuse(m, "input %u: expected %llu floats", k,
                           (unsigned long long)type.shape[1]);
        constant = constant && v->data;
    }
    if (!constant) {
        for (unsigned k = 1; k < 5; k++)
            ids[k] = sam_net_reshape(m, ids[k], &channels);
        const uint32_t root = sam_net_emit1(
            m, NET_Sqrt, NULL,
            sam_net_emit2(m, NET_Add, ids[4], sam_net_number(m, x, (double)epsilon)), &channels);
        const uint32_t by = sam_net_emit2(m, NET_Div, ids[1], root);
        const uint32_t y = sam_net_emit2(m, NET_Mul, sam_net_emit2(m, NET_Sub, x, ids[3]), by);
        sam_net_give(m, 0, sam_net_emit2(m, NET_Add, y, ids[2]));
        return;
    }
    const uint32_t scale = sam_net_constant(m, &channels, NULL),
                   shift = sam_net_constant(m, &channels, NULL);
    for (uint64_t c = 0; !m->failed && c < type.shape[1]; c++) {
        const double by = sam_net_real(sam_net_value(m, ids[1]), c) /
                          sqrt(sam_net_real(sam_net_value(m, ids[4]), c) + (double)epsilon);
        const double bias = sam_net_real(sam_net_value(m, ids[2]), c);
        ((float *)sam_net_value(m, scale)->data)[c] = (float)by;
        ((float *)sam_net_value(m, shift)->data)[c] =
            (float)(bias - sam_net_real(sam_net_value(m, ids[3]), c) * by);
    }
    sam_net_give(m, 0, sam_net_emit2(m, NET_Add, sam_net_emit2(m, NET_Mul, x, scale), shift));
}
