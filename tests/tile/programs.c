/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of kernels/tile/ on random arrays, each against a loop in C. */
#include "tile/tile_test.h"

struct arrays {
    struct sam_array in[4], out; /* in the order of the arguments, out last */
    size_t count;
    uint64_t seed;
    size_t scalars[2], scalar_count; /* of type index, after out */
};

static struct sam_tile_program *load(const char *name)
{
    FREED char *path = formatted("%s/kernels/tile/%s.pto", getenv("SAMITE_SOURCE"), name), *text;
    size_t size;
    succeeds(sam_file_load, path, 1 << 20, &text, &size);
    return test_parse(path, text, size);
}

static struct sam_array new_array(enum sam_dtype dtype, size_t count)
{
    struct sam_array a = {.dtype = dtype, .rank = 1, .shape = {count}, .count = count};
    a.size = count * sam_dtype_size(dtype);
    a.data = calloc(count, sam_dtype_size(dtype));
    return a;
}

static float *floats(struct sam_array *a)
{
    return a->data;
}

/* Inputs of `counts` floats between -1 and 1, in 1024ths so that half precision holds them. */
static void start(struct arrays *x, const size_t *counts, enum sam_dtype out, size_t out_count)
{
    *x = (struct arrays){.seed = test_seed()};
    for (; counts[x->count]; x->count++) {
        x->in[x->count] = new_array(SAM_F32, counts[x->count]);
        for (size_t i = 0; i < counts[x->count]; i++)
            floats(&x->in[x->count])[i] = (float)((int)test_below(&x->seed, 2048) - 1024) / 1024;
    }
    x->out = new_array(out, out_count);
}

static void run(struct arrays *x, const char *name)
{
    SCOPED_PROGRAM *p = load(name);
    struct sam_tile_argument arguments[8] = {{0}};
    struct sam_tile_options options = {.profile = SAM_TILE_A5};
    size_t n = 0;
    for (; n < x->count; n++)
        arguments[n].array = &x->in[n];
    arguments[n++].array = &x->out;
    for (size_t i = 0; i < x->scalar_count; i++)
        arguments[n++] =
            (struct sam_tile_argument){.is_scalar = true, .dtype = SAM_I64, .bits = x->scalars[i]};
    succeeds(sam_tile_run, p, 0, arguments, n, &options, NULL);
}

static void finish(struct arrays *x)
{
    for (size_t i = 0; i < x->count; i++)
        free(x->in[i].data);
    free(x->out.data);
}

static void near(float got, double expected, double error, size_t at)
{
    if (!(fabs((double)got - expected) <= error))
        fail_msg("element %zu: %.9g: expected %.9g", at, (double)got, expected);
}

static double fold(const float *x, size_t n, size_t stride, char what)
{
    float best = x[0];
    for (size_t i = 1; i < n; i++) {
        float v = x[i * stride];
        best = what == '+' ? best + v : what == '<' ? (v < best ? v : best) : (v > best ? v : best);
    }
    return (double)best;
}

static void columns(const char *name, size_t rows, size_t cols, char what)
{
    struct arrays x;
    start(&x, (size_t[]){rows * cols, 0}, SAM_F32, cols);
    run(&x, name);
    for (size_t j = 0; j < cols; j++)
        near(floats(&x.out)[j], fold(floats(&x.in[0]) + j, rows, cols, what), 0, j);
    finish(&x);
}

TEST(test_columns)
{
    columns("colmin", 32, 32, '<');
    columns("colmax", 32, 32, '>');
    columns("colsum", 32, 32, '+');
    columns("colmin_large", 1024, 2048, '<');
    columns("double_buffer", 512, 64, '<');
    columns("batch_min", 24, 32, '<');
}

TEST(test_rows)
{
    struct arrays x;
    start(&x, (size_t[]){256 * 1024, 0}, SAM_F32, 256);
    run(&x, "rowsum_large");
    for (size_t i = 0; i < 256; i++) /* exact: multiples of 1/1024 */
        near(floats(&x.out)[i], fold(floats(&x.in[0]) + i * 1024, 1024, 1, '+'), 0, i);
    finish(&x);
    start(&x, (size_t[]){16 * 64, 0}, SAM_I32, 16);
    run(&x, "argmin");
    for (size_t i = 0; i < 16; i++) {
        const float *row = floats(&x.in[0]) + i * 64;
        int32_t best = 0;
        for (int32_t j = 1; j < 64; j++)
            best = row[j] < row[best] ? j : best;
        assert_int_equal(((int32_t *)x.out.data)[i], best);
    }
    finish(&x);
}

TEST(test_normalised)
{
    struct arrays x;
    start(&x, (size_t[]){16 * 64, 0}, SAM_F32, 16 * 64);
    run(&x, "softmax");
    for (size_t i = 0; i < 16; i++) {
        double sum = 0;
        for (size_t j = 0; j < 64; j++)
            sum += exp((double)floats(&x.in[0])[i * 64 + j]);
        for (size_t j = 0; j < 64; j++)
            near(floats(&x.out)[i * 64 + j], exp((double)floats(&x.in[0])[i * 64 + j]) / sum, 1e-7,
                 i * 64 + j);
    }
    finish(&x);
    for (int layer = 0; layer < 2; layer++) {
        start(&x, (size_t[]){16 * 64, 64, layer ? 64 : 0, 0}, SAM_F32, 16 * 64);
        run(&x, layer ? "layernorm" : "rmsnorm");
        for (size_t i = 0; i < 16; i++) {
            const float *row = floats(&x.in[0]) + i * 64;
            double mean = 0, square = 0;
            for (size_t j = 0; j < 64 && layer; j++)
                mean += (double)row[j] / 64;
            for (size_t j = 0; j < 64; j++)
                square += ((double)row[j] - mean) * ((double)row[j] - mean) / 64;
            for (size_t j = 0; j < 64; j++) {
                double v =
                    ((double)row[j] - mean) / sqrt(square + 1e-5) * (double)floats(&x.in[1])[j];
                near(floats(&x.out)[i * 64 + j], v + (layer ? (double)floats(&x.in[2])[j] : 0),
                     2e-6, i * 64 + j);
            }
        }
        finish(&x);
    }
}

TEST(test_elementwise)
{
    struct arrays x;
    start(&x, (size_t[]){16 * 64, 0}, SAM_F32, 16 * 64);
    run(&x, "sigmoid");
    for (size_t i = 0; i < x.out.count; i++)
        near(floats(&x.out)[i], 1 / (1 + exp(-(double)floats(&x.in[0])[i])), 2e-7, i);
    run(&x, "leaky_select");
    for (size_t i = 0; i < x.out.count; i++) {
        float v = floats(&x.in[0])[i];
        near(floats(&x.out)[i], (double)(v > 0.5f ? v : v * 0.1f), 0, i);
    }
    run(&x, "swap_halves");
    for (size_t i = 0; i < x.out.count; i++)
        near(floats(&x.out)[i], (double)floats(&x.in[0])[i ^ 32], 0, i);
    finish(&x);
    start(&x, (size_t[]){32 * 64, 0}, SAM_I8, 32 * 64);
    floats(&x.in[0])[5] = 3;
    floats(&x.in[0])[6] = -3;
    run(&x, "quantize");
    for (size_t i = 0; i < x.out.count; i++) {
        float v = nearbyintf(floats(&x.in[0])[i] * 127);
        assert_int_equal(((int8_t *)x.out.data)[i], (int)(v > 127 ? 127 : v < -128 ? -128 : v));
    }
    finish(&x);
}

TEST(test_layouts)
{
    struct arrays x;
    start(&x, (size_t[]){32 * 64, 0}, SAM_F32, 64 * 32);
    run(&x, "transpose");
    for (size_t i = 0; i < x.out.count; i++)
        near(floats(&x.out)[i], (double)floats(&x.in[0])[i % 32 * 64 + i / 32], 0, i);
    x.out.count = x.out.shape[0] = 32;
    run(&x, "window");
    for (size_t j = 0; j < 32; j++)
        near(floats(&x.out)[j], fold(floats(&x.in[0]) + 16 * 64 + 32 + j, 16, 64, '<'), 0, j);
    finish(&x);
    start(&x, (size_t[]){15 * 250, 0}, SAM_F32, 256);
    run(&x, "fillpad_min");
    for (size_t j = 0; j < 256; j++)
        if (j < 250)
            near(floats(&x.out)[j], fold(floats(&x.in[0]) + j, 15, 250, '<'), 0, j);
        else
            assert_true(isinf(floats(&x.out)[j]));
    finish(&x);
    start(&x, (size_t[]){0}, SAM_I32, 64);
    run(&x, "ramp");
    for (int i = 0; i < 64; i++)
        assert_int_equal(((int32_t *)x.out.data)[i], (100 + i) % 7);
    finish(&x);
    static const size_t shapes[][2] = {{1, 1}, {7, 64}, {64, 33}, {64, 64}};
    for (size_t k = 0; k < SAM_COUNT(shapes); k++) {
        size_t rows = shapes[k][0], cols = shapes[k][1];
        start(&x, (size_t[]){rows * cols, 0}, SAM_F32, cols);
        x.scalars[0] = rows;
        x.scalars[1] = cols;
        x.scalar_count = 2;
        run(&x, "dynamic");
        for (size_t j = 0; j < cols; j++)
            near(floats(&x.out)[j], fold(floats(&x.in[0]) + j, rows, cols, '<'), 0, j);
        finish(&x);
    }
}

/* Floats that are exact in 16 bits, like these. */
static void narrow(struct sam_array *a, const struct sam_fp_format *format, enum sam_dtype dtype)
{
    uint16_t *bits = malloc(a->count * 2);
    for (size_t i = 0; i < a->count; i++)
        bits[i] = (uint16_t)sam_fp_round(format, (double)floats(a)[i]);
    free(a->data);
    a->data = bits;
    a->dtype = dtype;
    a->size = a->count * 2;
}

static void product(const char *name, size_t m, size_t k, size_t n, enum sam_dtype dtype, bool bias)
{
    const struct sam_fp_format *format = &test_real(dtype)->format;
    struct arrays x;
    start(&x, (size_t[]){m * k, k * n, bias ? n : 0, 0}, SAM_F32, m * n);
    /* bfloat16 under both of its array dtype names */
    narrow(&x.in[0], format, sam_dtype_npy(dtype));
    narrow(&x.in[1], format, dtype);
    run(&x, name);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = bias ? floats(&x.in[2])[j] : 0;
            for (size_t l = 0; l < k; l++) {
                double a = sam_fp_value(format, ((uint16_t *)x.in[0].data)[i * k + l]);
                double b = sam_fp_value(format, ((uint16_t *)x.in[1].data)[l * n + j]);
                sum += (float)(a * b);
            }
            near(floats(&x.out)[i * n + j], (double)(bias && sum < 0 ? 0 : sum), 0, i * n + j);
        }
    finish(&x);
}

TEST(test_products)
{
    product("matmul_bias_relu", 32, 64, 48, SAM_TILE_f16, true);
    product("matmul_blocked", 32, 256, 32, SAM_TILE_bf16, false);
}

/* The published example in its three forms: arguments by name. */
TEST(test_forms)
{
    static const char *const names[] = {"tcolmin-flat", "tcolmin-ssa", "tcolmin-dps"};
    for (size_t k = 0; k < SAM_COUNT(names); k++) {
        struct arrays x;
        SCOPED_PROGRAM *p = load(names[k]);
        struct sam_tile_options options = {.profile = SAM_TILE_A5};
        start(&x, (size_t[]){256, 0}, SAM_F32, 16);
        struct sam_tile_argument arguments[] = {{.array = &x.out, .name = "dst", .output = true},
                                                {.array = &x.in[0], .name = "src"}};
        succeeds(sam_tile_run, p, 0, arguments, 2, &options, NULL);
        for (size_t j = 0; j < 16; j++)
            near(floats(&x.out)[j], fold(floats(&x.in[0]) + j, 16, 16, '<'), 0, j);
        /* Without src the operation reports what is missing. */
        must_fail(SAM_ERR_TRAP, "tcolmin reads src[0,0] before it is written", sam_tile_run, p, 0,
                  arguments, 1, &options, NULL);
        finish(&x);
    }
}
