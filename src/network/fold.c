/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of operators on constants. */
#include <math.h>
#include <stdlib.h>

#include "network/import.h"
#include "network/plan.h"

double sam_net_real(const struct sam_net_value *v, uint64_t i)
{
    uint64_t bits = 0;
    const size_t size = sam_dtype_size(v->dtype);
    memcpy(&bits, (const uint8_t *)v->data + i * size, size);
    return sam_dtype_value(v->dtype, bits);
}

int64_t sam_net_whole(const struct sam_net_value *v, uint64_t i)
{
    switch (v->dtype) {
    case SAM_I64: return ((const int64_t *)v->data)[i];
    case SAM_I32: return ((const int32_t *)v->data)[i];
    case SAM_U8: return ((const uint8_t *)v->data)[i];
    default: {
        const double real = sam_net_real(v, i);
        return real >= -9223372036854775808.0 && real < 9223372036854775808.0 ? (int64_t)real
                                                                              : INT64_MIN;
    }
    }
}

void sam_net_set(struct sam_net_value *v, uint64_t i, double real, int64_t whole)
{
    void *data = (void *)v->data;
    switch (v->dtype) {
    case SAM_F32: ((float *)data)[i] = (float)real; break;
    case SAM_I32: ((int32_t *)data)[i] = (int32_t)whole; break;
    case SAM_I64: ((int64_t *)data)[i] = whole; break;
    default: ((uint8_t *)data)[i] = (uint8_t)whole; break;
    }
}

/* --- elements */
static double real_of(enum sam_net_op op, const struct net_params *p, const double x[3])
{
    const double alpha = (double)p->alpha, beta = (double)p->beta;
    switch (op) {
    case NET_Add: return x[0] + x[1];
    case NET_Sub: return x[0] - x[1];
    case NET_Mul: return x[0] * x[1];
    case NET_Div: return x[0] / x[1];
    case NET_Pow: return pow(x[0], x[1]);
    case NET_Min: return fmin(x[0], x[1]);
    case NET_Max: return fmax(x[0], x[1]);
    case NET_Where: return x[0] != 0 ? x[1] : x[2];
    case NET_Clip: return fmin(fmax(x[0], alpha), beta);
    case NET_Relu: return x[0] < 0 ? 0 : x[0];
    case NET_LeakyRelu: return x[0] < 0 ? alpha * x[0] : x[0];
    case NET_Sigmoid: return 1 / (1 + exp(-x[0]));
    case NET_HardSigmoid: return isnan(x[0]) ? x[0] : fmax(0, fmin(1, alpha * x[0] + beta));
    case NET_HardSwish: return x[0] * fmax(0, fmin(1, x[0] / 6 + 0.5));
    case NET_Tanh: return tanh(x[0]);
    case NET_Erf: return erf(x[0]);
    case NET_Exp: return exp(x[0]);
    case NET_Log: return log(x[0]);
    case NET_Sqrt: return sqrt(x[0]);
    case NET_Reciprocal: return 1 / x[0];
    case NET_Neg: return -x[0];
    case NET_Abs: return fabs(x[0]);
    case NET_Cast: return x[0];
    default: return NAN;
    }
}

/* Of integers, wrapping. */
static int64_t whole_of(enum sam_net_op op, const int64_t x[3])
{
    const uint64_t a = (uint64_t)x[0], b = (uint64_t)x[1];
    switch (op) {
    case NET_Add: return (int64_t)(a + b);
    case NET_Sub: return (int64_t)(a - b);
    case NET_Mul: return (int64_t)(a * b);
    case NET_Div: return x[1] == 0 ? 0 : x[1] == -1 ? (int64_t)(0 - a) : x[0] / x[1];
    case NET_Pow: {
        uint64_t power = 1, base = a;
        for (uint64_t left = x[1] < 0 ? 0 : b; left; left >>= 1, base *= base)
            power *= left & 1 ? base : 1;
        return (int64_t)power;
    }
    case NET_Min: return x[0] < x[1] ? x[0] : x[1];
    case NET_Max: return x[0] > x[1] ? x[0] : x[1];
    case NET_Where: return x[0] ? x[1] : x[2];
    case NET_Neg: return (int64_t)(0 - a);
    case NET_Abs: return x[0] < 0 ? (int64_t)(0 - a) : x[0];
    default: return x[0];
    }
}

/* Walks the elements of a place in C order; its offset is that of the element at hand. */
struct walk {
    struct net_place at;
    uint64_t index[NET_RANK];
};

static void advance(struct walk *w)
{
    for (uint32_t d = w->at.rank; d-- > 0;) {
        w->at.offset += w->at.stride[d];
        if (++w->index[d] < w->at.shape[d])
            return;
        w->at.offset -= w->at.stride[d] * (int64_t)w->at.shape[d];
        w->index[d] = 0;
    }
}

typedef void net_fold(const struct net_graph *graph, const struct net_node *node,
                      struct sam_net_value *out);

static const struct sam_net_value *input(const struct net_graph *g, const struct net_node *n,
                                         uint32_t k)
{
    return &g->values[n->inputs[k]];
}

static void fold_elements(const struct net_graph *g, const struct net_node *n,
                          struct sam_net_value *out)
{
    struct walk w[3];
    const struct sam_net_value *in[3] = {out, out, out};
    const unsigned count = n->input_count;
    for (unsigned k = 0; k < count; k++) {
        in[k] = input(g, n, k);
        const struct net_place own = sam_net_place_like(in[k]);
        w[k] = (struct walk){.at = sam_net_place_expand(&own, out)};
    }
    const bool is_float = in[n->op == NET_Where]->dtype == SAM_F32; /* not the condition of Where */
    for (uint64_t i = 0; i < out->count; i++) {
        double real[3] = {0};
        int64_t whole[3] = {0};
        for (unsigned k = 0; k < count; k++) {
            real[k] = sam_net_real(in[k], (uint64_t)w[k].at.offset);
            whole[k] = sam_net_whole(in[k], (uint64_t)w[k].at.offset);
            advance(&w[k]);
        }
        if (net_tests(n->op)) {
            const bool equal = is_float ? real[0] == real[1] : whole[0] == whole[1];
            const bool less = is_float ? real[0] < real[1] : whole[0] < whole[1];
            const bool greater = is_float ? real[0] > real[1] : whole[0] > whole[1];
            sam_net_set(out, i, 0, n->op == NET_Equal ? equal : n->op == NET_Less ? less : greater);
        } else if (n->op == NET_Cast && out->dtype == SAM_U8) {
            sam_net_set(out, i, 0, real[0] != 0);
        } else if (is_float) {
            sam_net_set(out, i, real_of(n->op, &n->params, real), whole[0]);
        } else {
            const int64_t made = whole_of(n->op, whole);
            sam_net_set(out, i, (double)made, made);
        }
    }
}

/* --- moves */
static void copy(const struct sam_net_value *from, struct net_place read, struct sam_net_value *to,
                 struct net_place written, uint64_t count)
{
    const size_t size = sam_dtype_size(to->dtype);
    struct walk r = {.at = read}, w = {.at = written};
    for (uint64_t i = 0; i < count; i++, advance(&r), advance(&w))
        memcpy((uint8_t *)to->data + (uint64_t)w.at.offset * size,
               (const uint8_t *)from->data + (uint64_t)r.at.offset * size, size);
}

static void fold_move(const struct net_graph *g, const struct net_node *n,
                      struct sam_net_value *out)
{
    const struct sam_net_value *const in = input(g, n, 0);
    const struct net_place own = sam_net_place_like(in);
    copy(in, sam_net_place_move(&own, n, out), out, sam_net_place_like(out), out->count);
}

/* All of `in`, to where `start` is in `out`. */
static void put_at(const struct sam_net_value *in, struct sam_net_value *out, const int64_t *start)
{
    struct net_place to = sam_net_place_like(out);
    memcpy(to.shape, in->shape, sizeof to.shape);
    for (uint32_t d = 0; d < in->rank; d++)
        to.offset += to.stride[d] * start[d];
    copy(in, sam_net_place_like(in), out, to, in->count);
}

static void fold_pad(const struct net_graph *g, const struct net_node *n, struct sam_net_value *out)
{
    for (uint64_t i = 0; i < out->count; i++)
        sam_net_set(out, i, (double)n->params.fill, (int64_t)n->params.fill);
    put_at(input(g, n, 0), out, n->params.start);
}

static void fold_concat(const struct net_graph *g, const struct net_node *n,
                        struct sam_net_value *out)
{
    int64_t start[NET_RANK] = {0};
    for (uint32_t k = 0; k < n->input_count; k++) {
        put_at(input(g, n, k), out, start);
        start[n->params.axis] += (int64_t)input(g, n, k)->shape[n->params.axis];
    }
}

static void fold_gather(const struct net_graph *g, const struct net_node *n,
                        struct sam_net_value *out)
{
    const struct sam_net_value *const in = input(g, n, 0), *const index = input(g, n, 1);
    const uint32_t axis = n->params.axis;
    const uint64_t rows = index->count, inner = sam_net_inner(in, axis), size = in->shape[axis];
    for (uint64_t i = 0; i < out->count; i++) {
        int64_t row = sam_net_whole(index, i / inner % rows);
        row += row < 0 ? (int64_t)size : 0;
        const uint64_t from = (i / inner / rows * size + (uint64_t)row) * inner + i % inner;
        sam_net_set(out, i, sam_net_real(in, from), sam_net_whole(in, from));
    }
}

static void fold_reduce(const struct net_graph *g, const struct net_node *n,
                        struct sam_net_value *out)
{
    const struct sam_net_value *const in = input(g, n, 0);
    const enum sam_net_op by = n->op == NET_ReduceMax   ? NET_Max
                               : n->op == NET_ReduceMin ? NET_Min
                                                        : NET_Add;
    const uint64_t count = in->count / out->count;
    struct walk base = {.at = sam_net_place_like(in)}, over = base;
    for (uint32_t d = 0; d < in->rank; d++)
        (n->params.axes >> d & 1 ? &base : &over)->at.shape[d] = 1;
    for (uint64_t i = 0; i < out->count; i++, advance(&base)) {
        double real = 0;
        int64_t whole = 0;
        for (uint64_t k = 0; k < count; k++, advance(&over)) {
            const uint64_t at = (uint64_t)(base.at.offset + over.at.offset);
            const double x = sam_net_real(in, at);
            const int64_t number = sam_net_whole(in, at);
            real = k ? real_of(by, &n->params, (double[3]){x, real}) : x;
            whole = k ? whole_of(by, (int64_t[3]){number, whole}) : number;
        }
        sam_net_set(out, i, n->op == NET_ReduceMean ? real / (double)count : real, whole);
    }
}

/* The same bytes. */
static void fold_same(const struct net_graph *g, const struct net_node *n,
                      struct sam_net_value *out)
{
    out->data = input(g, n, 0)->data;
    out->initializer = input(g, n, 0)->initializer;
}

bool sam_net_fold(struct net_graph *g, const struct net_node *n, struct sam_net_value *out)
{
    static net_fold *const fold_none;
    net_fold *const folds[] = {
#define NET_OP(name, inputs, optional, plan, fold) fold_##fold,
#include "network/operators.def"
#undef NET_OP
    };
    net_fold *const fold = folds[n->op];
    if (!fold || n->input_count == 0)
        return false;
    if (fold == fold_same) {
        fold(g, n, out);
        return true;
    }
    if (fold == fold_reduce && n->op != NET_ReduceSum && !input(g, n, 0)->count && out->count)
        return false; /* of nothing */
    out->data = sam_blocks_take(&g->store, (size_t)out->count + 1, sam_dtype_size(out->dtype));
    if (out->data && out->count)
        fold(g, n, out);
    return out->data;
}
