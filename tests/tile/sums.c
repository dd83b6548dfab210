/* SPDX-License-Identifier: Apache-2.0 */
/* The order of floating-point sums and products of rows: rising, and that of the system, each
 * against the words of docs/tile-rulings.md. */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"

enum { R = 3, C = 256, LANES = 32 };

/* One step. Rounding to double, float and the dtype in turn is rounding once: each format has more
 * than twice the bits of the next, and two more. */
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

/* The first column of the results of a reduction of rows. */
static void reduce(const struct sam_tile_options *options, enum sam_dtype dtype, bool product,
                   const void *data, int64_t cols, uint64_t sums[R])
{
    struct sam_tile_core *core = test_core(options);
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
    sam_tile_core_free(core);
}

static void test_order(void **state)
{
    uint64_t seed = test_seed();
    unsigned differ = 0;
    (void)state;
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
    assert_true(differ > 1000); /* or the two orders were not told apart */
}

/* Integers wrap: their sums do not depend on the order. */
static void test_integers(void **state)
{
    uint64_t seed = test_seed();
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
