/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of each elementwise operator against the reference. */

#include "small.h"
#include "test.h"

static uint64_t seed;

static void finish(struct small *s, uint32_t value, double tolerance)
{
    small_output(s, value);
    small_check(s, tolerance, true);
    small_free(s);
}

static const uint64_t shape[] = {3, 5, 41};

/* A positive value for functions that need one: |x| + 1/8. */
static uint32_t positive(struct small *s, uint32_t x)
{
    const uint32_t size = small_value(s, SAM_F32, 3, shape),
                   sum = small_value(s, SAM_F32, 3, shape);
    const uint32_t eighth = small_constant(s, SAM_F32, 1, (uint64_t[]){1}, 0.125, 0.125);
    small_node(s, NET_Abs, size, 1, &x);
    small_node(s, NET_Add, sum, 2, (uint32_t[]){size, eighth});
    return sum;
}

TEST(functions)
{
    static const enum sam_net_op ops[] = {
        NET_Relu, NET_LeakyRelu, NET_Sigmoid, NET_HardSigmoid, NET_HardSwish, NET_Tanh, NET_Erf,
        NET_Exp,  NET_Log,       NET_Sqrt,    NET_Reciprocal,  NET_Neg,       NET_Abs,  NET_Clip,
    };
    for (size_t i = 0; i < SAM_COUNT(ops); i++) {
        struct small s;
        small_start(&s, seed + i);
        uint32_t x = small_input(&s, SAM_F32, 3, shape);
        if (ops[i] == NET_Log || ops[i] == NET_Sqrt || ops[i] == NET_Reciprocal)
            x = positive(&s, x);
        const uint32_t y = small_value(&s, SAM_F32, 3, shape);
        struct net_node *const node = small_node(&s, ops[i], y, 1, &x);
        node->params.alpha = ops[i] == NET_Clip ? -0.5f : 0.2f;
        node->params.beta = 0.5f;
        finish(&s, y, 2e-6);
    }
}

TEST(powers)
{
    static const double exponents[] = {1, 2, 3, 5, 0.5, -1, 0, -2, 1.5, 2.25};
    for (size_t i = 0; i < SAM_COUNT(exponents) + 2; i++) {
        struct small s;
        small_start(&s, seed + i);
        const bool scalar = i < SAM_COUNT(exponents);
        uint32_t x = small_input(&s, SAM_F32, 3, shape);
        const double n = scalar ? exponents[i] : 0;
        if (n != (double)(int)n || n < 0)
            x = positive(&s, x);
        s.whole = i == SAM_COUNT(exponents); /* whole exponents of negative numbers */
        uint32_t exponent = scalar ? small_constant(&s, SAM_F32, 1, (uint64_t[]){1}, n, n)
                                   : small_constant(&s, SAM_F32, 3, shape, -3, 4);
        if (!scalar && !s.whole)
            x = positive(&s, x);
        const uint32_t y = small_value(&s, SAM_F32, 3, shape);
        small_node(&s, NET_Pow, y, 2, (uint32_t[]){x, exponent});
        finish(&s, y, 2e-6);
    }
}

TEST(comparisons)
{
    static const enum sam_net_op ops[] = {NET_Equal, NET_Less, NET_Greater};
    for (size_t i = 0; i < 12; i++) {
        struct small s;
        small_start(&s, seed + i);
        s.whole = true;
        const uint64_t row[] = {1, 5, 1}, one[] = {1};
        const uint32_t x = small_input(&s, SAM_F32, 3, shape);
        const uint32_t other = i % 4 == 0   ? small_constant(&s, SAM_F32, 1, one, -1, 1)
                               : i % 4 == 1 ? small_input(&s, SAM_F32, 3, row)
                                            : small_input(&s, SAM_F32, 3, shape);
        const uint32_t mask = small_value(&s, SAM_U8, 3, shape);
        small_node(&s, ops[i % 3], mask, 2, (uint32_t[]){i & 1 ? x : other, i & 1 ? other : x});
        const uint32_t y = small_value(&s, SAM_F32, 3, shape);
        const uint32_t fill = small_constant(&s, SAM_F32, 1, one, 7, 7);
        small_node(&s, NET_Where, y, 3, (uint32_t[]){mask, i < 6 ? x : fill, i < 6 ? fill : x});
        small_output(&s, mask);
        finish(&s, y, 0);
    }
}

TEST(casts)
{
    static const enum sam_dtype types[] = {SAM_F32, SAM_I64, SAM_I32, SAM_U8};
    for (size_t i = 0; i < 16; i++) {
        struct small s;
        small_start(&s, seed + i);
        const uint32_t x = small_input(&s, types[i / 4], 3, shape);
        const uint32_t y = small_value(&s, types[i % 4], 3, shape);
        small_node(&s, NET_Cast, y, 1, &x);
        finish(&s, y, 0);
    }
}

TEST(integers)
{
    static const enum sam_net_op ops[] = {NET_Add, NET_Sub, NET_Mul, NET_Min, NET_Max};
    static const enum sam_dtype types[] = {SAM_I32, SAM_I64, SAM_U8};
    static const uint64_t row[] = {3, 1, 41};
    for (size_t i = 0; i < 30; i++) {
        struct small s;
        small_start(&s, seed + i);
        const enum sam_dtype dtype = types[i % 3];
        const uint32_t x = small_input(&s, dtype, 3, shape);
        const uint32_t other =
            i & 1 ? small_input(&s, dtype, 3, row) : small_constant(&s, dtype, 3, row, 0, 9);
        const uint32_t y = small_value(&s, dtype, 3, shape);
        small_node(&s, ops[i % 5], y, 2, (uint32_t[]){x, other});
        finish(&s, y, 0);
    }
}

/* Refusals are one line with the node. */
TEST(refused)
{
    struct sam_error error = {0};
    struct net_plan *plan;
    assert_int_equal(sam_net_plan_make(NULL, NULL, &plan, &error), SAM_ERR_USAGE);
    struct small s;
    small_start(&s, seed);
    const uint32_t x = small_input(&s, SAM_I64, 1, (uint64_t[]){3});
    const uint32_t y = small_value(&s, SAM_I64, 1, (uint64_t[]){3});
    small_node(&s, NET_Neg, y, 1, &x);
    small_output(&s, y);
    int64_t wide[] = {1, INT64_C(1) << 40, 3}, out[3];
    succeeds(sam_net_plan_make, &s.graph, NULL, &plan);
    assert_int_equal(
        sam_net_plan_run(plan, NULL, (const void *[]){wide}, (void *[]){out}, NULL, &error),
        SAM_ERR_INPUT);
    assert_string_equal(error.text, "input 'v0': 1099511627776 does not fit 32 bits");
    sam_net_plan_free(plan);
    small_free(&s);
    small_start(&s, seed);
    const uint64_t many = (1 << 20) + 1;
    const uint32_t few = small_input(&s, SAM_F32, 1, (uint64_t[]){4});
    const uint32_t zeros = small_constant(&s, SAM_I64, 1, &many, 0, 0);
    const uint32_t copies = small_value(&s, SAM_F32, 1, &many);
    small_node(&s, NET_Gather, copies, 2, (uint32_t[]){few, zeros});
    small_output(&s, copies);
    assert_int_equal(sam_net_plan_make(&s.graph, NULL, &plan, &error), SAM_ERR_INPUT);
    assert_string_equal(error.text,
                        "Gather n0: 1048577 constant indices: expected at most 1048576");
    small_free(&s);
    small_start(&s, seed);
    const uint32_t rows = small_input(&s, SAM_F32, 2, (uint64_t[]){4, 3});
    const uint32_t at = small_input(&s, SAM_I64, 1, (uint64_t[]){1});
    const uint32_t taken = small_value(&s, SAM_F32, 2, (uint64_t[]){1, 3});
    small_node(&s, NET_Gather, taken, 2, (uint32_t[]){rows, at});
    small_output(&s, taken);
    const float numbers[12] = {0};
    float taken_out[3];
    succeeds(sam_net_plan_make, &s.graph, NULL, &plan);
    assert_int_equal(sam_net_plan_run(plan, NULL, (const void *[]){numbers, (int64_t[]){-5}},
                                      (void *[]){taken_out}, NULL, &error),
                     SAM_ERR_TRAP);
    assert_string_equal(error.text, "input 'v1': index -5: expected -4 to 3");
    sam_net_plan_free(plan);
    small_free(&s);
}

/* Functions of NaN: Min and Max of a NaN and a number are the number; 1 to the power of a NaN is 1.
 */
TEST(nans)
{
    static const struct {
        enum sam_net_op op;
        uint32_t inputs;
        float out[3];
    } cases[] = {{NET_Min, 2, {-2, 1, NAN}},
                 {NET_Max, 2, {-2, 1, NAN}},
                 {NET_Pow, 2, {NAN, 1, NAN}},
                 {NET_HardSigmoid, 1, {NAN, 0.75F, NAN}}};
    struct net_plan *plan;
    struct small s;
    for (unsigned i = 0; i < 2 * SAM_COUNT(cases); i++) {
        small_start(&s, 1);
        const uint32_t x = small_input(&s, SAM_F32, 1, (uint64_t[]){3});
        const uint32_t y = small_input(&s, SAM_F32, 1, (uint64_t[]){3});
        const uint32_t z = small_value(&s, SAM_F32, 1, (uint64_t[]){3});
        struct net_node *const node =
            small_node(&s, cases[i / 2].op, z, cases[i / 2].inputs, (uint32_t[]){x, y});
        node->params.alpha = 0.25F;
        node->params.beta = 0.5F;
        small_output(&s, z);
        const float in[2][3] = {{NAN, 1, NAN}, {-2, NAN, NAN}};
        float out[3];
        succeeds(sam_net_plan_make, &s.graph, NULL, &plan);
        succeeds(sam_net_plan_run, plan, i % 2 ? &on_system : NULL, (const void *[]){in[0], in[1]},
                 (void *[]){out}, NULL);
        for (unsigned k = 0; k < 3; k++)
            if (isnan(cases[i / 2].out[k]) ? !isnan(out[k]) : out[k] != cases[i / 2].out[k])
                fail_msg("case %u: element %u is %g", i, k, (double)out[k]);
        sam_net_plan_free(plan);
        small_free(&s);
    }
}

/* As in C, on both machines. */
TEST(powers_at_the_limits)
{
    enum { COUNT = 10 };
    static const float in[2][COUNT] = {
        {-1, -1, -2, -0.5F, -1, -2, -3, -1, 2, -1},
        {INFINITY, -INFINITY, INFINITY, INFINITY, 3e9F, -INFINITY, 3, 5, NAN, NAN}};
    for (int i = 0; i < 2; i++) {
        struct net_plan *plan;
        struct small s;
        float out[COUNT];
        small_start(&s, 1);
        const uint32_t x = small_input(&s, SAM_F32, 1, (uint64_t[]){COUNT});
        const uint32_t y = small_input(&s, SAM_F32, 1, (uint64_t[]){COUNT});
        const uint32_t z = small_value(&s, SAM_F32, 1, (uint64_t[]){COUNT});
        small_node(&s, NET_Pow, z, 2, (uint32_t[]){x, y});
        small_output(&s, z);
        succeeds(sam_net_plan_make, &s.graph, NULL, &plan);
        succeeds(sam_net_plan_run, plan, i ? &on_system : NULL, (const void *[]){in[0], in[1]},
                 (void *[]){out}, NULL);
        for (unsigned k = 0; k < COUNT; k++) {
            const float expected = powf(in[0][k], in[1][k]);
            if (isnan(expected) ? !isnan(out[k])
                : isinf(expected) || expected == 0
                    ? out[k] != expected
                    : !(fabsf(out[k] - expected) <= 1e-5F * fabsf(expected)))
                fail_msg("%g to the power of %g is %g", (double)in[0][k], (double)in[1][k],
                         (double)out[k]);
        }
        sam_net_plan_free(plan);
        small_free(&s);
    }
}

/* Floats that a Cast makes integers of 64 bits: refused where 32 have no room for them. */
TEST(wide_casts)
{
    static const struct {
        float in;
        bool fits;
    } cases[] = {{2147483520.0F, true},  {2147483648.0F, false},
                 {-2147483520.0F, true}, {-2147483648.0F, false},
                 {1e30F, false},         {-INFINITY, false},
                 {-7.9F, true},          {NAN, true}};
    struct sam_error error = {0};
    for (size_t i = 0; i < 4 * SAM_COUNT(cases); i++) {
        struct net_plan *plan;
        struct small s;
        small_start(&s, 1);
        const uint32_t x = small_input(&s, SAM_F32, 2, (uint64_t[]){2, 3});
        const uint32_t whole = small_value(&s, SAM_I64, 2, (uint64_t[]){2, 3});
        const uint32_t y = small_value(&s, SAM_I64, 2, (uint64_t[]){2, 3});
        small_node(&s, NET_Cast, whole, 1, (uint32_t[]){x});
        small_node(&s, NET_Max, y, 2, (uint32_t[]){whole, whole});
        small_output(&s, y);
        if (i & 1)
            small_output(&s, whole);
        float in[6] = {1, 2, 3, -4, cases[i / 4].in, 6};
        int64_t out[2][6] = {{0}};
        succeeds(sam_net_plan_make, &s.graph, NULL, &plan);
        assert_int_equal(sam_net_plan_run(plan, i & 2 ? &on_system : NULL, (const void *[]){in},
                                          (void *[]){out[0], out[1]}, NULL, &error),
                         cases[i / 4].fits ? SAM_OK : SAM_ERR_INPUT);
        if (!cases[i / 4].fits)
            assert_non_null(strstr(error.text, "(Cast): element 4 of its integers of 64 bits is"));
        else
            assert_int_equal(out[0][4], isnan(in[4]) ? 0 : (int64_t)in[4]);
        sam_net_plan_free(plan);
        small_free(&s);
    }
}

/* Integers of 64 bits that may have no room in 32 are refused, with the node. */
TEST(wide_results)
{
    static const struct {
        enum sam_net_op op;
        int64_t a, b;
        bool fits;
    } cases[] = {
        {NET_Add, INT32_MAX, 0, true},         {NET_Add, INT32_MAX, 1, false},
        {NET_Sub, INT32_MIN, 0, true},         {NET_Sub, INT32_MIN, 1, false},
        {NET_Mul, 65536, 32767, true},         {NET_Mul, -65536, -32768, false},
        {NET_Min, INT32_MAX, INT32_MIN, true}, {NET_Div, INT32_MAX, -2, true},
    };
    struct net_plan *plan;
    struct sam_error error = {0};
    struct small s;
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        small_start(&s, 1);
        const uint32_t a = small_input(&s, SAM_I64, 0, NULL), b = small_input(&s, SAM_I64, 0, NULL);
        const uint32_t c = small_value(&s, SAM_I64, 0, NULL);
        small_node(&s, cases[i].op, c, 2, (uint32_t[]){a, b});
        small_output(&s, c);
        int64_t out = 0;
        succeeds(sam_net_plan_make, &s.graph, NULL, &plan);
        assert_int_equal(sam_net_plan_run(plan, NULL, (const void *[]){&cases[i].a, &cases[i].b},
                                          (void *[]){&out}, NULL, &error),
                         cases[i].fits ? SAM_OK : SAM_ERR_INPUT);
        if (!cases[i].fits && !strstr(error.text, "integers of 64 bits may be"))
            fail_msg("%s", error.text);
        sam_net_plan_free(plan);
        small_free(&s);
    }
}

/* Bounds of integers that exporters write for "none": those of 64 bits, kept in 32. */
TEST(wide_constants)
{
    struct net_plan *plan;
    struct small s;
    small_start(&s, 1);
    const uint32_t x = small_input(&s, SAM_I64, 1, (uint64_t[]){3});
    const uint32_t most = small_constant(&s, SAM_I64, 0, NULL, 4e18, 4e18);
    const uint32_t y = small_value(&s, SAM_I64, 1, (uint64_t[]){3});
    small_node(&s, NET_Min, y, 2, (uint32_t[]){x, most});
    small_output(&s, y);
    const int64_t in[] = {-1, INT32_MAX, 3};
    int64_t out[3];
    succeeds(sam_net_plan_make, &s.graph, NULL, &plan);
    succeeds(sam_net_plan_run, plan, NULL, (const void *[]){in}, (void *[]){out}, NULL);
    assert_memory_equal(out, in, sizeof in);
    sam_net_plan_free(plan);
    small_free(&s);
}

PROLOGUE
{
    seed = test_seed();
}
