/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on elements, and BatchNormalization. */
#include <float.h>

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

uint32_t sam_net_number(struct import *m, uint32_t x, double number)
{
    const struct net_type type = {.dtype = sam_net_value(m, x)->dtype};
    const uint32_t id = sam_net_constant(m, &type, NULL);
    if (!m->failed)
        sam_net_set(sam_net_value(m, id), 0, number, (int64_t)number);
    return id;
}

uint32_t sam_net_import_chain(struct import *m)
{
    const size_t count = m->node->input_count;
    uint32_t sum = m->x;
    for (unsigned k = 1; k < count; k++)
        sum = sam_net_emit2(m, m->row->op, sum, sam_net_input(m, k));
    if (strcmp(m->row->name, "Mean") == 0 && count > 1)
        sum = sam_net_emit2(m, NET_Mul, sum, sam_net_number(m, sum, 1 / (double)count));
    return sum;
}

/* Since opset 12 of any two types; the result has the first. */
uint32_t sam_net_import_power(struct import *m)
{
    const enum sam_dtype dtype = m->type.dtype;
    const uint32_t by = sam_net_input(m, 1);
    const bool real = sam_net_value(m, by)->dtype == SAM_F32;
    return cast(m,
                sam_net_emit2(m, NET_Pow, real ? cast(m, m->x, SAM_F32) : m->x,
                              real ? by : cast(m, by, dtype)),
                dtype);
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
        *attribute =
            sam_net_number(m, m->x, (double)sam_net_float(m, name, sam_strtof(number, NULL)));
        return *attribute;
    }
    if (letter >= '0' && letter <= '9')
        return sam_net_number(m, m->x, letter - '0');
    const bool tests = letter >= 'X' && letter <= 'Z';
    const uint32_t id = sam_net_input(m, (unsigned)(letter - (tests ? 'X' : 'x')));
    const enum sam_dtype dtype = sam_net_value(m, id)->dtype;
    return tests && dtype != SAM_U8
               ? sam_net_refuse(m, "elements of type %s: expected bool", sam_dtype_name(dtype))
               : id;
}

static const uint8_t inputs_of[] = {
#define NET_OP(name, inputs, optional, plan, fold) inputs,
#include "network/operators.def"
#undef NET_OP
};

uint32_t sam_net_import_formula(struct import *m)
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
        uint32_t *const in = stack + count++;
        *in = op == NET_ReduceSum
                  ? sam_net_reduce(m, NET_ReduceSum, *in)
                  : sam_net_emit(m, (enum sam_net_op)op, NULL, in, inputs_of[op], NULL);
    }
    return stack[0];
}

/* --- others */

uint32_t sam_net_import_unary(struct import *m)
{
    const enum sam_net_op op = m->row->op;
    struct net_params p = {0};
    if (op == NET_LeakyRelu || op == NET_HardSigmoid)
        p.alpha = sam_net_float(m, "alpha", op == NET_LeakyRelu ? 0.01f : 0.2f);
    if (op == NET_HardSigmoid)
        p.beta = sam_net_float(m, "beta", 0.5f);
    return sam_net_emit1(m, op, &p, m->x, NULL);
}

uint32_t sam_net_import_clip(struct import *m)
{
    struct net_params p = {.alpha = -FLT_MAX, .beta = FLT_MAX};
    uint32_t y = m->x;
    bool plain = m->type.dtype == SAM_F32;
    if (m->onnx.opset < 11) {
        p.alpha = sam_net_float(m, "min", p.alpha);
        p.beta = sam_net_float(m, "max", p.beta);
        if (m->node->input_count > 1 || !plain)
            return sam_net_refuse(
                m, "bounds as inputs, or integers, in opset %llu: expected 11 or later",
                (unsigned long long)m->onnx.opset);
    }
    for (unsigned k = 1; k < 3; k++) {
        if (!sam_net_has(m, k))
            continue;
        const uint32_t bound = sam_net_input(m, k);
        const struct sam_net_value *v = sam_net_value(m, bound);
        if (v->dtype != m->type.dtype || v->count != 1)
            return sam_net_refuse(m, "input %u: expected a scalar of type %s", k,
                                  sam_dtype_name(m->type.dtype));
        plain = plain && v->data;
        if (plain)
            *(k == 1 ? &p.alpha : &p.beta) = (float)sam_net_real(v, 0);
        y = sam_net_emit2(m, k == 1 ? NET_Max : NET_Min, y, bound);
    }
    /* Max and Min are for other types, and bounds that are computed. */
    return plain ? sam_net_emit1(m, NET_Clip, &p, m->x, NULL) : y;
}

uint32_t sam_net_import_cast(struct import *m)
{
    const int64_t to = sam_net_int(m, "to", 0);
    sam_net_ignore(m, "saturate"); /* of fp8 */
    const enum sam_dtype type =
        to >= 0 ? sam_dtype_by_id(offsetof(struct sam_dtype_row, onnx), (uint64_t)to) : SAM_DTYPES;
    const bool to_float = sam_dtype_class(type) == SAM_CLASS_FLOAT;
    if (!to_float && type != SAM_I64 && type != SAM_I32 && type != SAM_BOOL)
        return sam_net_refuse(m, "a cast to type %lld (%s): expected floats, i64, i32 or bool",
                              (long long)to, sam_dtype_name(type));
    if (to_float ? sam_dtype_class(m->type.dtype) == SAM_CLASS_FLOAT
                 : type == SAM_BOOL && sam_net_value(m, m->x)->boolean)
        return m->x;
    if (type != SAM_BOOL)
        return cast(m, sam_net_input(m, 0), to_float ? SAM_F32 : type);
    m->type.dtype = SAM_U8; /* also of bytes, whose type is that of booleans */
    return sam_net_emit1(m, NET_Cast, NULL, sam_net_input(m, 0), &m->type);
}

/* (x - mean) * by + bias, by = scale / sqrt(variance + epsilon); with constants
 * x * by + (bias - mean * by), for a convolution to take up. */
uint32_t sam_net_import_batch_norm(struct import *m)
{
    const double epsilon = (double)sam_net_float(m, "epsilon", 1e-5f);
    const struct net_type channels = sam_net_channels(m, 2),
                          line = {SAM_F32, 1, {m->type.shape[1]}};
    uint32_t in[5];
    sam_net_ignore(m, "momentum");
    if (sam_net_int(m, "training_mode", 0) != 0 || sam_net_int(m, "spatial", 1) != 1)
        return sam_net_refuse(m, "training_mode or statistics per element are not supported");
    for (unsigned k = 1; k < 5; k++) {
        in[k] = sam_net_input(m, k);
        const struct net_type type = sam_net_type_of(m, in[k]);
        if (type.dtype != SAM_F32 || !sam_net_same_shape(&type, &line))
            return sam_net_refuse(m, "input %u: expected %llu floats", k,
                                  (unsigned long long)line.shape[0]);
        in[k] = sam_net_reshape(m, in[k], &channels);
    }
    const uint32_t variance = sam_net_emit2(m, NET_Add, in[4], sam_net_number(m, m->x, epsilon)),
                   by = sam_net_emit2(m, NET_Div, in[1],
                                      sam_net_emit1(m, NET_Sqrt, NULL, variance, NULL));
    uint32_t y = m->x, shift = in[2];
    if (sam_net_value(m, by)->data)
        shift = sam_net_emit2(m, NET_Sub, shift, sam_net_emit2(m, NET_Mul, in[3], by));
    else
        y = sam_net_emit2(m, NET_Sub, y, in[3]);
    return sam_net_emit2(m, NET_Add, sam_net_emit2(m, NET_Mul, y, by), shift);
}
