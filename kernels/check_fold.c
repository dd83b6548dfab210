/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the reductions and scans: reduce, scan, softmax, histogram. */
#include <math.h>

#include "check.h"

void check_reduce(struct check *check)
{
    uint32_t n = check->config.size;
    const uint32_t *x = check_random_words(check, n);
    uint32_t before = check_random(check); /* the kernel accumulates into it */
    uint32_t want = before;
    for (uint32_t i = 0; i < n; i++)
        want += x[i];

    uint32_t args[] = {check_buffer(check, x, n), check_buffer(check, &before, 1), n};
    check_launch_items(check, "reduce", n, 6, args, 3);
    uint32_t got = 0;
    check_read(check, args[1], &got, 1);
    check_equal(check, "sum", &got, &want, 1);
}

/* Prefix sums of n words at `x` into `y`, level by level. */
static void scan_levels(struct check *check, uint32_t x, uint32_t y, uint32_t n)
{
    uint32_t groups = check_ceil_div(n, check->config.block);
    uint32_t sums = check_buffer(check, NULL, groups);
    uint32_t block_args[] = {x, y, sums, n};
    check_launch_items(check, "scan_block", n, UINT32_MAX, block_args, 4);
    if (groups == 1 || check->status)
        return;
    scan_levels(check, sums, sums, groups);
    uint32_t add_args[] = {y, sums, n};
    check_launch_items(check, "scan_add", n, UINT32_MAX, add_args, 3);
}

void check_scan(struct check *check)
{
    uint32_t n = check->config.size;
    if (check->config.block < 2)
        check->config.block = 2; /* with blocks of one, the number of blocks would never shrink */
    const uint32_t *x = check_random_words(check, n);
    uint32_t *got = check_words(check, n);
    uint32_t *want = check_words(check, n);
    for (uint32_t i = 0, sum = 0; i < n; i++)
        want[i] = sum += x[i];

    uint32_t in = check_buffer(check, x, n);
    uint32_t out = check_buffer(check, NULL, n);
    scan_levels(check, in, out, n);
    check_read(check, out, got, n);
    check_equal(check, "y", got, want, n);
}

void check_softmax(struct check *check)
{
    const uint32_t rows = 7;
    uint32_t cols = check->config.size;
    uint32_t block = check->config.block;
    size_t count = (size_t)rows * cols;
    float *x = check_random_floats(check, count);
    float *y = check_words(check, count);
    double *want = check_doubles(check, count);
    for (uint32_t r = 0; r < rows; r++) {
        float *row = x + (size_t)r * cols;
        float max = -INFINITY;
        double sum = 0;
        for (uint32_t c = 0; c < cols; c++) {
            row[c] *= (float)(4 * r); /* from all equal to far apart */
            max = fmaxf(max, row[c]);
        }
        for (uint32_t c = 0; c < cols; c++)
            sum += want[(size_t)r * cols + c] = exp((double)(row[c] - max));
        for (uint32_t c = 0; c < cols; c++)
            want[(size_t)r * cols + c] /= sum;
    }
    uint32_t args[] = {check_buffer(check, x, count), check_buffer(check, NULL, count), cols};
    uint32_t grid[2] = {rows, 1};
    uint32_t blocks[2] = {block, 1};
    check_launch(check, "softmax", grid, blocks, args, 3);
    check_read(check, args[1], y, count);
    /* All terms are positive, so roundings add up as relative errors of half a unit, one unit in
     * the worst case: one per addition of the lane's own terms, one per level of the tree, one
     * for the exponential in numerator and denominator, one for the quotient. */
    double allowed = check_ceil_div(cols, block) + ceil(log2(block + 31.0)) + 3;
    check_close(check, "y", y, want, count, allowed);
}

void check_histogram(struct check *check)
{
    const uint32_t bins = 77;
    uint32_t n = check->config.size;
    uint32_t *x = check_random_words(check, n);
    uint32_t *before = check_random_words(check, bins); /* the kernel accumulates into it */
    uint32_t *got = check_words(check, bins);
    uint32_t *want = check_words(check, bins);
    for (uint32_t b = 0; b < bins; b++)
        want[b] = before[b];
    for (uint32_t i = 0; i < n; i++) {
        if (i % 3 == 0) /* one bin is crowded */
            x[i] = 5;
        want[x[i] % bins]++;
    }
    uint32_t args[] = {check_buffer(check, x, n), check_buffer(check, before, bins), n, bins};
    check_launch_items(check, "histogram", n, 6, args, 4);
    check_read(check, args[1], got, bins);
    check_equal(check, "counts", got, want, bins);
}
