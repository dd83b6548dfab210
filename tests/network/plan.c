/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of small random networks, per template, against the reference. */

#include "small.h"
#include "test.h"

static uint64_t seed;

static uint64_t between(struct small *s, uint64_t low, uint64_t high)
{
    return low + small_below(s, high - low + 1);
}

/* Elementwise nodes behind a value, of its shape: with scalars, per channel, of all elements. */
static uint32_t add_chain(struct small *s, uint32_t value, unsigned length)
{
    static const enum sam_net_op unary[] = {NET_Relu, NET_HardSwish, NET_HardSigmoid,
                                            NET_Clip, NET_Sigmoid,   NET_LeakyRelu};
    static const enum sam_net_op binary[] = {NET_Add, NET_Mul, NET_Sub, NET_Max};
    for (unsigned i = 0; i < length; i++) {
        struct sam_net_value shape = s->values[value];
        const uint32_t out = small_value(s, SAM_F32, shape.rank, shape.shape);
        if (small_below(s, 2)) {
            struct net_node *node =
                small_node(s, unary[small_below(s, SAM_COUNT(unary))], out, 1, (uint32_t[]){value});
            node->params.alpha = node->op == NET_Clip ? -1 : 0.25f;
            node->params.beta = node->op == NET_Clip ? 6 : 0.5f;
        } else {
            for (uint32_t k = 0; k < shape.rank; k++)
                if (small_below(s, 2))
                    shape.shape[k] = 1;
            const uint32_t other = small_below(s, 2)
                                       ? small_constant(s, SAM_F32, shape.rank, shape.shape, -1, 1)
                                       : small_input(s, SAM_F32, shape.rank, shape.shape);
            const bool first = small_below(s, 2);
            small_node(s, binary[small_below(s, SAM_COUNT(binary))], out, 2,
                       (uint32_t[]){first ? other : value, first ? value : other});
        }
        value = out;
    }
    return value;
}

static void finish(struct small *s, uint32_t value, double tolerance)
{
    small_output(s, value);
    small_check(s, tolerance, true);
    small_free(s);
}

static uint32_t add_conv(struct small *s, uint32_t in, bool transpose)
{
    const struct sam_net_value v = s->values[in];
    const uint64_t ins = v.shape[1];
    uint64_t group = small_below(s, 3) ? 1 : ins, pad[4], kernel[2], stride[2], dilation[2];
    uint64_t outs = between(s, 1, 20), size[2];
    if (!small_below(s, 4) && ins % 2 == 0)
        group = 2;
    outs = group == ins && small_below(s, 2) ? ins : (outs + group - 1) / group * group;
    for (int i = 0; i < 2; i++) {
        kernel[i] = between(s, 1, 4);
        stride[i] = between(s, 1, 3);
        dilation[i] = between(s, 1, 2);
        const uint64_t reach = (kernel[i] - 1) * dilation[i] + 1;
        pad[i] = small_below(s, reach);
        pad[i + 2] = small_below(s, reach);
        const uint64_t full = v.shape[2 + i] + pad[i] + pad[i + 2];
        if (transpose) {
            const uint64_t whole = (v.shape[2 + i] - 1) * stride[i] + reach;
            if (pad[i] + pad[i + 2] >= whole)
                pad[i] = pad[i + 2] = 0;
            size[i] = whole - pad[i] - pad[i + 2];
        } else {
            if (full < reach)
                pad[i + 2] += reach - full;
            size[i] = (v.shape[2 + i] + pad[i] + pad[i + 2] - reach) / stride[i] + 1;
        }
    }
    const uint64_t w[] = {transpose ? ins : outs, transpose ? outs / group : ins / group, kernel[0],
                          kernel[1]};
    const uint32_t weights =
        small_below(s, 3) ? small_constant(s, SAM_F32, 4, w, -1, 1) : small_input(s, SAM_F32, 4, w);
    const uint32_t bias = small_constant(s, SAM_F32, 1, (uint64_t[]){outs}, -1, 1);
    const uint32_t out =
        small_value(s, SAM_F32, 4, (uint64_t[]){v.shape[0], outs, size[0], size[1]});
    struct net_node *const node =
        small_node(s, transpose ? NET_ConvTranspose : NET_Conv, out, small_below(s, 2) ? 3 : 2,
                   (uint32_t[]){in, weights, bias});
    node->params.group = group;
    for (int i = 0; i < 2; i++) {
        node->params.kernel[i] = kernel[i];
        node->params.stride[i] = stride[i];
        node->params.dilation[i] = dilation[i];
        node->params.pad[i] = pad[i];
        node->params.pad[i + 2] = pad[i + 2];
    }
    return out;
}

static uint32_t image(struct small *s)
{
    return small_input(
        s, SAM_F32, 4,
        (uint64_t[]){between(s, 1, 2), between(s, 1, 40), between(s, 1, 20), between(s, 1, 24)});
}

TEST(convolutions)
{
    for (uint64_t i = 0; i < test_number("SAMITE_CASES", 12); i++) {
        struct small s;
        small_start(&s, seed + i);
        uint32_t value = add_conv(&s, image(&s), false);
        value = add_chain(&s, value, (unsigned)small_below(&s, 4));
        value = add_conv(&s, value, false);
        finish(&s, value, 1e-5);
    }
}

/* A Fourier transform of sound: one channel, one tap. */
TEST(long_windows)
{
    struct small s;
    small_start(&s, seed);
    const uint32_t in = small_input(&s, SAM_F32, 4, (uint64_t[]){1, 1, 1, 4000}),
                   weights = small_constant(&s, SAM_F32, 4, (uint64_t[]){65, 1, 1, 512}, -1, 1),
                   out = small_value(&s, SAM_F32, 4, (uint64_t[]){1, 65, 1, 35});
    small_node(&s, NET_Conv, out, 2, (uint32_t[]){in, weights})->params =
        (struct net_params){.group = 1, .kernel = {1, 512}, .stride = {1, 100}, .dilation = {1, 1}};
    finish(&s, out, 1e-5);
}

TEST(transposed_convolutions)
{
    for (uint64_t i = 0; i < test_number("SAMITE_CASES", 12); i++) {
        struct small s;
        small_start(&s, seed + i);
        uint32_t value = add_conv(&s, image(&s), true);
        value = add_chain(&s, value, (unsigned)small_below(&s, 3));
        finish(&s, value, 1e-5);
    }
}

/* Weights of the next step are asked for: small ones, larger ones, after a step without any. */
TEST(products_in_a_row)
{
    for (uint64_t i = 0; i < test_number("SAMITE_CASES", 4); i++) {
        struct small s;
        small_start(&s, seed + i);
        uint64_t shape[2] = {between(&s, 1, 20), between(&s, 1, 120)};
        uint32_t value = small_input(&s, SAM_F32, 2, shape);
        for (unsigned k = 0; k < 4; k++) {
            const uint64_t deep = shape[1];
            shape[1] = between(&s, 1, k == 1 ? 700 : 120);
            const uint32_t weights =
                small_constant(&s, SAM_F32, 2, (uint64_t[]){deep, shape[1]}, -0.25, 0.25);
            const uint32_t product = small_value(&s, SAM_F32, 2, shape);
            small_node(&s, NET_MatMul, product, 2, (uint32_t[]){value, weights});
            value = product;
            if (small_below(&s, 2))
                continue;
            value = small_value(&s, SAM_F32, 2, shape);
            small_node(&s, NET_Softmax, value, 1, &product)->params.axis = 1;
        }
        small_output(&s, value);
        small_check(&s, 1e-5, true);
        small_free(&s);
    }
}

/* Kernels as large as their stride: phases side by side. */
TEST(doubling_convolutions)
{
    for (uint64_t i = 0; i < test_number("SAMITE_CASES", 6); i++) {
        struct small s;
        small_start(&s, seed + i);
        const uint32_t in = image(&s);
        const struct sam_net_value v = s.values[in];
        const uint64_t outs = between(&s, 1, 3), size[] = {between(&s, 1, 3), between(&s, 1, 3)};
        const uint32_t weights =
            small_constant(&s, SAM_F32, 4, (uint64_t[]){v.shape[1], outs, size[0], size[1]}, -1, 1);
        const uint32_t bias = small_constant(&s, SAM_F32, 1, &outs, -1, 1);
        uint32_t out =
            small_value(&s, SAM_F32, 4,
                        (uint64_t[]){v.shape[0], outs, v.shape[2] * size[0], v.shape[3] * size[1]});
        struct net_node *const node =
            small_node(&s, NET_ConvTranspose, out, 3, (uint32_t[]){in, weights, bias});
        node->params.group = 1;
        for (int k = 0; k < 2; k++) {
            node->params.kernel[k] = node->params.stride[k] = size[k];
            node->params.dilation[k] = 1;
        }
        if (small_below(&s, 2)) {
            const uint32_t relu = small_value(&s, SAM_F32, 4, s.values[out].shape);
            small_node(&s, NET_Sigmoid, relu, 1, &out);
            out = relu;
        }
        finish(&s, out, 1e-5);
    }
}

/* A matrix with its axes exchanged. */
static uint32_t turned(struct small *s, uint32_t value)
{
    const uint64_t *const shape = s->values[value].shape;
    const uint32_t out = small_value(s, SAM_F32, 2, (uint64_t[]){shape[1], shape[0]});
    small_node(s, NET_Transpose, out, 1, &value)->params.perm[0] = 1;
    return out;
}

TEST(products)
{
    for (uint64_t i = 0; i < test_number("SAMITE_CASES", 12); i++) {
        struct small s;
        small_start(&s, seed + i);
        const uint64_t m = between(&s, 1, 200), k = between(&s, 1, 300), n = between(&s, 1, 200);
        if (small_below(&s, 2)) {
            const bool ta = small_below(&s, 2), tb = small_below(&s, 2), fixed = small_below(&s, 2);
            const uint32_t a = small_input(&s, SAM_F32, 2, (uint64_t[]){ta ? k : m, ta ? m : k});
            const uint64_t shape[] = {tb ? n : k, tb ? k : n};
            const uint32_t w = fixed ? small_constant(&s, SAM_F32, 2, shape, -1, 1)
                                     : small_input(&s, SAM_F32, 2, shape);
            const uint32_t bias = small_constant(&s, SAM_F32, 1, (uint64_t[]){n}, -1, 1);
            const uint32_t factors[] = {ta ? turned(&s, a) : a, tb ? turned(&s, w) : w};
            uint32_t out = small_value(&s, SAM_F32, 2, (uint64_t[]){m, n});
            small_node(&s, NET_MatMul, out, 2, factors);
            const uint32_t half = small_constant(&s, SAM_F32, 0, NULL, 0.5, 0.5);
            const uint32_t others[] = {half, bias};
            for (unsigned j = 0; j < 2; j++) { /* alpha and the third input of Gemm */
                if (small_below(&s, 2))
                    continue;
                const uint32_t next = small_value(&s, SAM_F32, 2, (uint64_t[]){m, n});
                small_node(&s, j ? NET_Add : NET_Mul, next, 2, (uint32_t[]){out, others[j]});
                out = next;
            }
            out = add_chain(&s, out, (unsigned)small_below(&s, 3));
            finish(&s, out, 1e-5);
        } else {
            const uint64_t outer = between(&s, 1, 3), inner = between(&s, 1, 3);
            const bool same = small_below(&s, 2);
            const uint32_t a = small_input(&s, SAM_F32, 4, (uint64_t[]){outer, inner, m, k});
            const uint32_t w = same ? small_input(&s, SAM_F32, 4, (uint64_t[]){outer, 1, k, n})
                                    : small_constant(&s, SAM_F32, 2, (uint64_t[]){k, n}, -1, 1);
            uint32_t out = small_value(&s, SAM_F32, 4, (uint64_t[]){outer, inner, m, n});
            small_node(&s, NET_MatMul, out, 2, (uint32_t[]){a, w});
            out = add_chain(&s, out, (unsigned)small_below(&s, 3));
            finish(&s, out, 1e-5);
        }
    }
}

TEST(elements)
{
    for (uint64_t i = 0; i < test_number("SAMITE_CASES", 20); i++) {
        struct small s;
        small_start(&s, seed + i);
        uint64_t shape[5];
        const uint32_t rank = (uint32_t)between(&s, 1, 5);
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = between(&s, 1, rank < 3 ? 1500 : 14);
        const uint32_t value = small_input(&s, SAM_F32, rank, shape);
        finish(&s, add_chain(&s, value, (unsigned)between(&s, 1, 6)), 1e-5);
    }
}

/* Functions of elements in a row are one step up to a value that is an output. */
TEST(steps_of_a_chain)
{
    static const struct {
        bool unfused, middle; /* the second value is an output, too */
        size_t steps;
    } rows[] = {{false, false, 1}, {false, true, 2}, {true, false, 3}};
    static const enum sam_net_op ops[] = {NET_Relu, NET_HardSwish, NET_Sigmoid};
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        const struct sam_network_options options = {.unfused = rows[i].unfused};
        const uint64_t shape[] = {3, 40};
        struct net_plan *plan;
        SCOPED(small) s;
        small_start(&s, seed);
        uint32_t value = small_input(&s, SAM_F32, 2, shape);
        for (size_t k = 0; k < SAM_COUNT(ops); k++) {
            const uint32_t out = small_value(&s, SAM_F32, 2, shape);
            small_node(&s, ops[k], out, 1, (uint32_t[]){value});
            value = out;
            if (k == 2 || (k == 1 && rows[i].middle))
                small_output(&s, value);
        }
        succeeds(sam_net_plan_make, &s.graph, &options, &plan);
        assert_int_equal(plan->step_count, rows[i].steps);
        sam_net_plan_free(plan);
    }
}

PROLOGUE
{
    seed = test_seed();
}
