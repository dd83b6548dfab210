/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the kernels that process each element once: vecadd, saxpy, matadd, transpose. */
#include <math.h>

#include "check.h"

void check_vecadd(struct check *check)
{
    uint32_t n = check->config.size;
    const float *a = check_random_floats(check, n);
    const float *b = check_random_floats(check, n);
    float *c = check_words(check, n);
    float *want = check_words(check, n);
    for (uint32_t i = 0; i < n; i++)
        want[i] = a[i] + b[i];

    uint32_t args[] = {check_buffer(check, a, n), check_buffer(check, b, n),
                       check_buffer(check, NULL, n), n};
    check_launch_items(check, "vecadd", n, UINT32_MAX, args, 4);
    check_read(check, args[2], c, n);
    check_equal(check, "c", c, want, n);
}

void check_saxpy(struct check *check)
{
    uint32_t n = check->config.size;
    const float factor = -1.625f;
    const float *x = check_random_floats(check, n);
    const float *y = check_random_floats(check, n);
    float *got = check_words(check, n);
    float *want = check_words(check, n);
    for (uint32_t i = 0; i < n; i++)
        want[i] = fmaf(factor, x[i], y[i]);

    uint32_t args[] = {check_buffer(check, x, n), check_buffer(check, y, n), n,
                       check_float_bits(factor)};
    check_launch_items(check, "saxpy", n, 6, args, 4); /* few groups, so that the loop iterates */
    check_read(check, args[1], got, n);
    check_equal(check, "y", got, want, n);
}

/* A few more columns than rows, at most 205, so that the sizes are rarely multiples of the tile. */
static uint32_t columns(const struct check *check)
{
    uint32_t rows = check->config.size;
    return rows < 200 ? rows + 5 : 205;
}

void check_matadd(struct check *check)
{
    uint32_t rows = check->config.size;
    uint32_t cols = columns(check);
    size_t count = (size_t)rows * cols;
    const float *a = check_random_floats(check, count);
    const float *b = check_random_floats(check, count);
    float *c = check_words(check, count);
    float *want = check_words(check, count);
    for (size_t i = 0; i < count; i++)
        want[i] = a[i] + b[i];

    uint32_t args[] = {check_buffer(check, a, count), check_buffer(check, b, count),
                       check_buffer(check, NULL, count), rows, cols};
    uint32_t y = check_tile(check); /* not square, to reveal swapped x and y */
    uint32_t block[2] = {check->config.block / y, y};
    uint32_t grid[2] = {check_ceil_div(cols, block[0]), check_ceil_div(rows, y)};
    check_launch(check, "matadd", grid, block, args, 5);
    check_read(check, args[2], c, count);
    check_equal(check, "c", c, want, count);
}

void check_transpose(struct check *check)
{
    uint32_t rows = check->config.size;
    uint32_t cols = columns(check);
    size_t count = (size_t)rows * cols;
    const uint32_t *in = check_random_words(check, count);
    uint32_t *out = check_words(check, count);
    uint32_t *want = check_words(check, count);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++)
            want[(size_t)c * rows + r] = in[(size_t)r * cols + c];

    uint32_t args[] = {check_buffer(check, in, count), check_buffer(check, NULL, count), rows,
                       cols};
    uint32_t tile = check_tile(check);
    uint32_t block[2] = {tile, tile};
    uint32_t grid[2] = {check_ceil_div(cols, tile), check_ceil_div(rows, tile)};
    check_launch(check, "transpose", grid, block, args, 4);
    check_read(check, args[1], out, count);
    check_equal(check, "out", out, want, count);
}
