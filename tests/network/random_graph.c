/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs: their values and statements, and the choice of operators. */
#include "random_make.h"

#include "random.h"

uint64_t random_below(struct random_graph *g, uint64_t bound)
{
    return test_below(&g->random, bound);
}

bool random_coin(struct random_graph *g)
{
    return random_below(g, 2);
}

/* --- values and statements */
struct random_value *random_add(struct random_graph *g, const char *letter, unsigned rank,
                                const uint64_t *shape, bool reads_input)
{
    struct random_value *v = &g->values[g->count++];
    *v = (struct random_value){.rank = rank, .reads_input = reads_input};
    snprintf(v->name, sizeof v->name, "%s%u", letter, ++g->name_count);
    for (unsigned d = 0; d < rank; d++)
        v->shape[d] = shape[d];
    return v;
}

uint64_t random_elements(unsigned rank, const uint64_t *shape)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < rank; d++)
        count *= shape[d];
    return count;
}

void random_put(struct random_graph *g, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sam_buffer_puts(&g->text, text);
}

static void put_shape(struct random_graph *g, unsigned rank, const uint64_t *shape)
{
    for (unsigned d = 0; d < rank; d++)
        random_put(g, " %llu", (unsigned long long)shape[d]);
}

struct random_value *random_weight(struct random_graph *g, unsigned rank, const uint64_t *shape)
{
    struct random_value *v = random_add(g, "w", rank, shape, false);
    random_put(g, "init %s f32", v->name);
    put_shape(g, rank, shape);
    random_put(g, " = rand\n");
    return v;
}

unsigned random_integers(struct random_graph *g, unsigned count, const int64_t *numbers)
{
    random_put(g, "init i%u i64 %u =", ++g->name_count, count);
    for (unsigned i = 0; i < count; i++)
        random_put(g, " %lld", (long long)numbers[i]);
    random_put(g, "%s\n", count ? "" : " 0");
    return g->name_count;
}

void random_put_list(struct random_graph *g, const char *name, unsigned count,
                     const int64_t *numbers)
{
    random_put(g, " %s=[", name);
    for (unsigned i = 0; i < count; i++)
        random_put(g, "%s%lld", i ? "," : "", (long long)numbers[i]);
    random_put(g, "]");
}

int64_t random_signed_axis(struct random_graph *g, unsigned axis, unsigned rank)
{
    return g->opset >= 11 && random_coin(g) ? (int64_t)axis - (int64_t)rank : (int64_t)axis;
}

static struct random_value *pick(struct random_graph *g)
{
    return &g->values[random_below(g, g->count)];
}

struct random_value *random_node(struct random_graph *g, const char *op, unsigned rank,
                                 const uint64_t *shape, const struct random_value *a,
                                 const struct random_value *b)
{
    const bool reads = a->reads_input || (b && b->reads_input);
    struct random_value *v = random_add(g, "v", rank, shape, reads);
    random_put(g, "%s = %s %s%s%s", v->name, op, a->name, b ? " " : "", b ? b->name : "");
    return v;
}

struct random_value *random_same_shape(struct random_graph *g, const char *op,
                                       const struct random_value *x)
{
    struct random_value *v = random_node(g, op, x->rank, x->shape, x, NULL);
    random_put(g, "\n");
    return v;
}

struct random_value *random_positive(struct random_graph *g, const struct random_value *x)
{
    static const uint64_t none[1];
    const struct random_value *half = random_add(g, "c", 0, none, false);
    random_put(g, "init %s f32 = 0.5\n", half->name);
    const struct random_value *size = random_same_shape(g, "Abs", x);
    struct random_value *v = random_node(g, "Add", x->rank, x->shape, size, half);
    random_put(g, "\n");
    return v;
}

struct random_value *random_partner(struct random_graph *g, const struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    unsigned rank = (unsigned)random_below(g, x->rank + 1);
    if (g->opset < 8)
        rank = x->rank; /* Min and Max do not broadcast */
    for (unsigned tries = 0; tries < 8; tries++) {
        struct random_value *v = pick(g);
        if (v->rank == x->rank && memcmp(v->shape, x->shape, sizeof x->shape) == 0 &&
            random_coin(g))
            return v;
    }
    for (unsigned d = 0; d < rank; d++)
        shape[d] = g->opset >= 8 && random_coin(g) ? 1 : x->shape[x->rank - rank + d];
    return random_weight(g, rank, shape);
}

static const struct {
    const char *name;
    random_make *make;
} operators[] = {
    {"Conv", random_make_conv},
    {"Conv", random_make_same},
    {"ConvTranspose", random_make_conv},
    {"MaxPool", random_make_pool},
    {"AveragePool", random_make_pool},
    {"GlobalAveragePool", random_make_global},
    {"GlobalMaxPool", random_make_global},
    {"BatchNormalization", random_make_batch_norm},
    {"MatMul", random_make_matmul},
    {"Gemm", random_make_gemm},
    {"Add", random_make_binary},
    {"Sub", random_make_binary},
    {"Mul", random_make_binary},
    {"Div", random_make_binary},
    {"Pow", random_make_binary},
    {"Min", random_make_binary},
    {"Max", random_make_sum},
    {"Sum", random_make_sum},
    {"Equal", random_make_compare},
    {"Less", random_make_compare},
    {"Greater", random_make_compare},
    {"GreaterOrEqual", random_make_compare},
    {"LessOrEqual", random_make_compare},
    {"And", random_make_logic},
    {"Or", random_make_logic},
    {"Xor", random_make_logic},
    {"Not", random_make_logic},
    {"Mean", random_make_sum},
    {"PRelu", random_make_prelu},
    {"Elu", random_make_unary},
    {"Selu", random_make_unary},
    {"Celu", random_make_unary},
    {"Softplus", random_make_unary},
    {"Softsign", random_make_unary},
    {"ThresholdedRelu", random_make_unary},
    {"Mish", random_make_unary},
    {"Sign", random_make_unary},
    {"Clip", random_make_clip},
    {"Relu", random_make_unary},
    {"LeakyRelu", random_make_unary},
    {"Sigmoid", random_make_unary},
    {"HardSigmoid", random_make_unary},
    {"HardSwish", random_make_unary},
    {"Tanh", random_make_unary},
    {"Erf", random_make_unary},
    {"Exp", random_make_unary},
    {"Log", random_make_unary},
    {"Sqrt", random_make_unary},
    {"Reciprocal", random_make_unary},
    {"Neg", random_make_unary},
    {"Abs", random_make_unary},
    {"Cast", random_make_cast},
    {"Softmax", random_make_softmax},
    {"LogSoftmax", random_make_softmax},
    {"InstanceNormalization", random_make_instance_norm},
    {"LayerNormalization", random_make_layer_norm},
    {"ReduceMean", random_make_reduce},
    {"ReduceSum", random_make_reduce},
    {"ReduceMax", random_make_reduce},
    {"ReduceMin", random_make_reduce},
    {"ReduceL1", random_make_reduce},
    {"ReduceL2", random_make_reduce},
    {"ReduceSumSquare", random_make_reduce},
    {"ArgMin", random_make_argmax},
    {"ArgMax", random_make_argmax},
    {"Transpose", random_make_transpose},
    {"Reshape", random_make_reshape},
    {"Shape", random_make_shape},
    {"Flatten", random_make_flatten},
    {"Squeeze", random_make_squeeze},
    {"Unsqueeze", random_make_unsqueeze},
    {"Identity", random_make_plain},
    {"Dropout", random_make_plain},
    {"DepthToSpace", random_make_depth},
    {"SpaceToDepth", random_make_depth},
    {"Concat", random_make_concat},
    {"Split", random_make_split},
    {"Slice", random_make_slice},
    {"Pad", random_make_pad},
    {"Expand", random_make_expand},
    {"Tile", random_make_expand},
    {"Gather", random_make_gather},
    {"Resize", random_make_resize},
    {"Upsample", random_make_resize},
    {"Constant", random_make_constant},
};

void random_graph_make(struct random_graph *g, uint64_t seed)
{
    uint64_t shape[RANDOM_RANK];
    *g = (struct random_graph){.random = seed};
    g->opset = 7 + (unsigned)random_below(g, 15);
    random_put(g, "opset %u\n", g->opset);
    for (uint64_t inputs = random_below(g, 2) + 1; inputs > 0; inputs--) {
        const unsigned rank = random_coin(g) ? 4 : (unsigned)random_below(g, RANDOM_RANK + 1);
        for (unsigned d = 0; d < rank; d++)
            shape[d] = random_below(g, 6) + 1;
        struct random_value *x = random_add(g, "x", rank, shape, true);
        random_put(g, "in %s f32", x->name);
        put_shape(g, rank, shape);
        random_put(g, "\n");
    }
    for (uint64_t nodes = random_below(g, 9) + 2; nodes > 0 && g->count + 10 < RANDOM_VALUES;) {
        const uint64_t i = random_below(g, SAM_COUNT(operators));
        nodes -= operators[i].make(g, operators[i].name,
                                   random_coin(g) ? &g->values[g->count - 1] : pick(g));
    }
    random_put(g, "out %s", g->values[g->count - 1].name);
    for (unsigned i = 0; i + 1 < g->count; i++)
        if (g->values[i].name[0] == 'v' && random_below(g, 3) == 0)
            random_put(g, " %s", g->values[i].name);
    random_put(g, "\n");
}
