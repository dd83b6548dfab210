/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products, summed in ascending order with rounding after each product and sum, or in the
 * order of the system's matrix unit (SAM_TILE_SUM_SYSTEM). */
#include "tile/core/core.h"

#include <math.h>

/* Elements per step of the unit: 64 bytes of a row of each factor. bf16 is widened to f32. */
static size_t block_of(enum sam_dtype dtype)
{
    return 64 / sam_tile_size(dtype == SAM_BF16 ? SAM_F32 : dtype);
}

/* A row of elements in computed form. */
union row {
    float real[SAM_TILE_CHUNK];
    int64_t whole[SAM_TILE_CHUNK];
};

/* Read n elements from [i,j]. */
static void read_row(const struct sam_tile_core *core, const struct sam_tile_ref *t, size_t i,
                     size_t j, size_t n, union row *row)
{
    const bool together = t->type.blayout == SAM_TILE_row_major;
    const size_t step = together ? n : 1;
    for (size_t k = 0; k < n; k += step)
        if (sam_tile_is_real(t->type.dtype))
            sam_tile_read_reals(t->type.dtype, sam_tile_at(core, t, i, j + k), step, row->real + k);
        else
            sam_tile_read_ints(t->type.dtype, sam_tile_at(core, t, i, j + k), step, row->whole + k);
}

/* Add the products of a[i,k..end] and b[k..end,j..j + n] to sum. The block's own sum starts at 0
 * and is rounded after each product. */
static void add_block(const struct sam_tile_core *core, const struct sam_tile_ref *a,
                      const struct sam_tile_ref *b, size_t i, size_t j, size_t k, size_t end,
                      size_t n, union row *sum)
{
    union row part, row, one;
    memset(part.real, 0, n * sizeof *part.real);
    for (; k < end; k++) {
        read_row(core, a, i, k, 1, &one);
        read_row(core, b, k, j, n, &row);
        if (a->type.dtype == SAM_F16) /* f16 products are exact in float: fuse for speed */
            for (size_t x = 0; x < n; x++)
                part.real[x] += one.real[0] * row.real[x];
        else
            for (size_t x = 0; x < n; x++)
                part.real[x] = fmaf(one.real[0], row.real[x], part.real[x]);
    }
    for (size_t x = 0; x < n; x++)
        sum->real[x] += part.real[x];
}

/* Compute n elements of d from [i,j]; `start` as for multiply. */
static void multiply_row(const struct sam_tile_job *job, size_t factor,
                         const struct sam_tile_ref *start, size_t start_row, size_t i, size_t j,
                         size_t n)
{
    const struct sam_tile_core *core = job->core;
    const struct sam_tile_ref *a = sam_tile_src(job, factor), *b = sam_tile_src(job, factor + 1);
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t depth = (size_t)a->type.valid_cols;
    const bool real = sam_tile_is_real(a->type.dtype);
    union row sum, row, one;
    memset(&sum, 0, sizeof sum);
    if (start)
        read_row(core, start, start_row, j, n, &sum);
    const size_t block = block_of(a->type.dtype);
    const bool blocks = real && core->sum_order == SAM_TILE_SUM_SYSTEM;
    for (size_t k = 0; blocks && k < depth; k += block)
        add_block(core, a, b, i, j, k, depth - k < block ? depth : k + block, n, &sum);
    for (size_t k = 0; !blocks && k < depth; k++) {
        read_row(core, a, i, k, 1, &one);
        read_row(core, b, k, j, n, &row);
        if (real)
            for (size_t x = 0; x < n; x++)
                sum.real[x] += one.real[0] * row.real[x];
        else
            for (size_t x = 0; x < n; x++) /* 8-bit factors: no sum exceeds 64 bits */
                sum.whole[x] += one.whole[0] * row.whole[x];
    }
    for (size_t x = 0; x < n; x++)
        if (blocks && !depth) /* without work the unit passes even a NaN unchanged */
            memcpy(sam_tile_at(core, d, i, j + x), &sum.real[x], sizeof sum.real[x]);
        else if (real)
            sam_tile_write_reals(d->type.dtype, sam_tile_at(core, d, i, j + x), 1, sum.real + x);
        else
            sam_tile_write_ints(d->type.dtype, sam_tile_at(core, d, i, j + x), 1, sum.whole + x);
}

/* d = start + a * b. `start` has the rows of d, or one row for all; NULL for zeros. */
static enum sam_status multiply(struct sam_tile_job *job, size_t factor,
                                const struct sam_tile_ref *start, bool one_row)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j += SAM_TILE_CHUNK) {
            size_t n = cols - j < SAM_TILE_CHUNK ? cols - j : SAM_TILE_CHUNK;
            multiply_row(job, factor, start, one_row ? 0 : i, i, j, n);
        }
    return SAM_OK;
}

enum sam_status sam_tile_run_matmul(struct sam_tile_job *job)
{
    return multiply(job, 0, NULL, false);
}

enum sam_status sam_tile_run_matmul_acc(struct sam_tile_job *job)
{
    return multiply(job, 1, sam_tile_src(job, 0), false);
}

enum sam_status sam_tile_run_matmul_bias(struct sam_tile_job *job)
{
    return multiply(job, 0, sam_tile_src(job, 2), true);
}
