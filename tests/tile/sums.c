/* SPDX-License-Identifier: Apache-2.0 */
/* The order of floating-point sums: of rows, of products of rows, and of products of matrices;
 * rising, and the system's, each against docs/tile-rulings.md. */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"

enum { R = 3, C = 256, LANES = 32 };

/* One step. Rounding to double, float and the dtype in turn equals rounding once: each format
 * has more than twice the bits of the next, plus two. */
static uint64_t step(enum sam_dtype dtype, bool product, uint64_t a, uint64_t b)
{
    double x = test_value(dtype, a), y = test_value(dtype, b);
    float result = (float)(product ? x * y : x + y);
    if (isnan(result))
        return test_canonical(dtype);
    return sam_fp_convert(&test_real(dtype)->format, result, SAM_RNE);
}

static uint64_t rising(enum sam_dtype dtype, bool product, const void *row, size_t cols)
{
    uint64_t sum = test_bits(row, 0, dtype);
    for (size_t j = 1; j < cols; j++)
        sum = step(dtype, product, sum, test_bits(row, j, dtype));
    return sum;
}

/* Lane by lane, then the lanes. */
static uint64_t by_lanes(enum sam_dtype dtype, bool product, const void *row, size_t cols)
{
    uint64_t lane[LANES];
    for (size_t l = 0; l < LANES && l < cols; l++) {
        lane[l] = test_bits(row, l, dtype);
        for (size_t j = l + LANES; j < cols; j += LANES)
            lane[l] = step(dtype, product, lane[l], test_bits(row, j, dtype));
    }
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            if (l + half < cols)
                lane[l] = step(dtype, product, lane[l], lane[l + half]);
    return lane[0];
}

/* Numbers whose sums and products need rounding, and stay in range; with `special`, anything. */
static uint64_t element(uint64_t *seed, enum sam_dtype dtype, bool special)
{
    if (special)
        return test_element(seed, dtype);
    double value = 0.75 + 0x1p-24 * (double)test_below(seed, 1 << 23);
    return sam_fp_convert(&test_real(dtype)->format, value, SAM_RNE);
}

/* The first column of the results of a row reduction. */
static void reduce(const struct sam_tile_options *options, enum sam_dtype dtype, bool product,
                   const void *data, int64_t cols, uint64_t sums[R])
{
    SCOPED_CORE *core = test_core(options);
    struct sam_tile a = SAM_TILE_VALID(vec, f32, R, C, R, cols);
    struct sam_tile d = SAM_TILE_VALID(vec, f32, R, 32, R, 1);
    uint8_t result[4 * R];
    a.type.dtype = d.type.dtype = dtype;
    assert_int_equal(sam_tile_fill(core, &a, data, NULL), SAM_OK);
    assert_int_equal(sam_tile_place_on(core, &d, NULL), SAM_OK);
    assert_string_equal((product ? sam_trowprod(&d, &a) : sam_trowsum(&d, &a)).text, "");
    assert_int_equal(sam_tile_read(&d, result, NULL), SAM_OK);
    for (size_t i = 0; i < R; i++)
        sums[i] = test_bits(result, i, dtype);
}

TEST(test_order)
{
    uint64_t seed = test_seed();
    unsigned differ = 0;
    for (unsigned k = 0; k < 3000; k++) {
        enum sam_dtype dtype = test_reals[k % SAM_COUNT(test_reals)].dtype;
        bool product = k & 1, special = k & 2;
        size_t cols = 1 + test_below(&seed, k & 4 ? C : 2 * LANES), size = sam_dtype_size(dtype);
        uint8_t data[4 * R * C];
        for (size_t i = 0; i < R * cols; i++)
            test_set(data, i, dtype, element(&seed, dtype, special));
        struct sam_tile_options options = {.size = sizeof options};
        uint64_t first[R], second[R];
        reduce(&options, dtype, product, data, (int64_t)cols, first);
        options.sum_order = SAM_TILE_SUM_SYSTEM;
        reduce(&options, dtype, product, data, (int64_t)cols, second);
        for (size_t i = 0; i < R; i++) {
            const uint8_t *row = data + i * cols * size;
            assert_int_equal(first[i], rising(dtype, product, row, cols));
            assert_int_equal(second[i], by_lanes(dtype, product, row, cols));
            differ += first[i] != second[i];
        }
    }
    assert_true(differ > 1000); /* otherwise the two orders were not distinguished */
}

/* Integers wrap: their sums do not depend on the order. */
TEST(test_integers)
{
    uint64_t seed = test_seed();
    for (size_t n = 0; n < SAM_COUNT(test_dtypes); n++) {
        enum sam_dtype dtype = test_dtypes[n];
        uint8_t data[4 * R * C];
        uint64_t sums[2][R];
        if (test_is_real(dtype))
            continue;
        for (size_t i = 0; i < R * C; i++)
            test_set(data, i, dtype, test_element(&seed, dtype) | 1);
        for (unsigned product = 0; product < 2; product++) {
            struct sam_tile_options options = {.size = sizeof options};
            reduce(&options, dtype, product, data, C, sums[0]);
            options.sum_order = SAM_TILE_SUM_SYSTEM;
            reduce(&options, dtype, product, data, C, sums[1]);
            assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        }
    }
}

/* --- products of matrices */

enum { M = 3, K = 96, N = 5, WIDE = 32 };

struct product {
    struct sam_tile a, b, d, bias;
    uint8_t left[4 * M * K], right[4 * K * N], start[4 * M * N];
    size_t k;
    unsigned kind; /* from zero, from the destination, from a row */
};

/* The initial value of an element: zero, the element of the destination or of the bias row. */
static float start_of(const struct product *p, size_t i, size_t j)
{
    float value = 0;
    if (p->kind)
        memcpy(&value, p->start + 4 * (p->kind == 1 ? i * N + j : j), sizeof value);
    return value;
}

static uint32_t element_of_product(const struct product *p, bool system, size_t i, size_t j)
{
    const enum sam_dtype dtype = p->a.type.dtype;
    const size_t block = !system ? 1 : dtype == SAM_F16 ? 32 : 16;
    float sum = start_of(p, i, j);
    uint32_t bits;
    for (size_t k = 0; k < p->k;) {
        float part = 0;
        const size_t end = k + block < p->k ? k + block : p->k;
        for (; k < end; k++) {
            float x = (float)test_value(dtype, test_bits(p->left, i * p->k + k, dtype));
            float y = (float)test_value(dtype, test_bits(p->right, k * N + j, dtype));
            part = system ? fmaf(x, y, part) : x * y;
        }
        sum += part;
    }
    memcpy(&bits, &sum, sizeof bits);
    return isnan(sum) && !(system && !p->k) ? 0x7fc00000 : bits;
}

static void multiply(const struct product *p, bool system, uint32_t results[M * N])
{
    struct sam_tile_options options = {
        .size = sizeof options, .sum_order = system ? SAM_TILE_SUM_SYSTEM : SAM_TILE_SUM_RISING};
    SCOPED_CORE *core = test_core(&options);
    struct sam_tile a = p->a, b = p->b, d = p->d, bias = p->bias; /* of this core */
    struct sam_event event;
    assert_int_equal(sam_tile_fill(core, &a, p->left, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &b, p->right, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &d, p->start, NULL), SAM_OK);
    if (p->kind == 2)
        assert_int_equal(sam_tile_fill(core, &bias, p->start, NULL), SAM_OK);
    if (p->kind == 0)
        event = sam_tmatmul(&d, &a, &b);
    else if (p->kind == 1)
        event = sam_tmatmul_acc(&d, &d, &a, &b);
    else
        event = sam_tmatmul_bias(&d, &a, &b, &bias);
    assert_string_equal(event.text, "");
    assert_int_equal(sam_tile_read(&d, results, NULL), SAM_OK);
}

TEST(test_products)
{
    static struct product p;
    uint64_t seed = test_seed();
    unsigned differ = 0;
    for (unsigned n = 0; n < 600; n++) {
        const enum sam_dtype dtype = test_reals[n % SAM_COUNT(test_reals)].dtype;
        const bool special = n & 4;
        uint32_t rising[M * N], system[M * N];
        p.kind = n / 8 % 3;
        p.k = n % 32 ? 1 + test_below(&seed, K) : 0;
        p.a = (struct sam_tile)SAM_TILE_VALID(left, f32, M, K, M, (int64_t)p.k);
        p.b = (struct sam_tile)SAM_TILE_VALID(right, f32, K, WIDE, (int64_t)p.k, N);
        p.d = (struct sam_tile)SAM_TILE_VALID(acc, f32, M, WIDE, M, N);
        p.bias = (struct sam_tile)SAM_TILE_VALID(mat, f32, 1, WIDE, 1, N);
        p.a.type.dtype = p.b.type.dtype = dtype;
        for (size_t i = 0; i < M * p.k; i++)
            test_set(p.left, i, dtype, element(&seed, dtype, special));
        for (size_t i = 0; i < p.k * N; i++)
            test_set(p.right, i, dtype, element(&seed, dtype, special));
        for (size_t i = 0; i < M * N; i++)
            test_set(p.start, i, SAM_F32, element(&seed, SAM_F32, special));
        multiply(&p, false, rising);
        multiply(&p, true, system);
        for (size_t i = 0; i < M * N; i++) {
            assert_int_equal(rising[i], element_of_product(&p, false, i / N, i % N));
            assert_int_equal(system[i], element_of_product(&p, true, i / N, i % N));
            differ += rising[i] != system[i];
        }
    }
    assert_true(differ > 1000);
}

/* A product that underflows to -0, and one of -0, leave a bias of -0 as it is. */
TEST(test_zeros)
{
    static struct product p = {
        .a = SAM_TILE_VALID(left, f32, M, K, M, 2),
        .b = SAM_TILE_VALID(right, f32, K, WIDE, 2, N),
        .d = SAM_TILE_VALID(acc, f32, M, WIDE, M, N),
        .bias = SAM_TILE_VALID(mat, f32, 1, WIDE, 1, N),
        .k = 2,
        .kind = 2,
    };
    uint32_t system[M * N];
    for (size_t i = 0; i < 2 * M; i++)
        test_set(p.left, i, SAM_F32, sam_f32_bits(i % 2 ? -0.0F : 0x1p-100F));
    for (size_t i = 0; i < 2 * N; i++)
        test_set(p.right, i, SAM_F32, sam_f32_bits(i < N ? -0x1p-100F : 1));
    for (size_t i = 0; i < N; i++)
        test_set(p.start, i, SAM_F32, sam_f32_bits(-0.0F));
    multiply(&p, true, system);
    for (size_t i = 0; i < M * N; i++)
        assert_int_equal(system[i], 0x80000000);
}
