/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of columns to a row and of rows to a column, in ascending order. The source is not
 * empty: core.c skips operations on empty sources. */
#include "tile/core/core.h"

/* d = function(d, row) on stored elements, rounded at each step. */
static void add_row(const struct sam_tile_job *job, enum sam_dtype dtype, void *d, const void *row,
                    size_t n)
{
    if (sam_tile_is_real(dtype)) {
        float a[SAM_TILE_CHUNK], b[SAM_TILE_CHUNK];
        sam_tile_read_reals(dtype, d, n, a);
        sam_tile_read_reals(dtype, row, n, b);
        sam_tile_reals(job->row->function, dtype != SAM_F32, a, b, a, n);
        sam_tile_write_reals(dtype, d, n, a);
    } else {
        int64_t a[SAM_TILE_CHUNK], b[SAM_TILE_CHUNK];
        sam_tile_read_ints(dtype, d, n, a);
        sam_tile_read_ints(dtype, row, n, b);
        sam_tile_ints(job->row->function, dtype, a, b, a, n);
        sam_tile_write_ints(dtype, d, n, a);
    }
}

/* The specification folds sums from 0 and products from 1: then there is no sum -0, and a NaN is
 * canonical even where it is alone. */
static void fold_start(const struct sam_tile_job *job, enum sam_dtype dtype, void *d, size_t n)
{
    const float start = job->row->function == SAM_TILE_FN_MUL;
    float a[SAM_TILE_CHUNK];
    if (job->core->dialect != SAM_TILE_SPEC || !sam_tile_is_real(dtype))
        return;
    sam_tile_read_reals(dtype, d, n, a);
    for (size_t i = 0; i < n; i++)
        a[i] = start != 0 ? a[i] * start : a[i] + start;
    sam_tile_write_reals(dtype, d, n, a);
}

static bool is_order(const struct sam_tile_job *job)
{
    return job->row->function == SAM_TILE_FN_MIN || job->row->function == SAM_TILE_FN_MAX;
}

enum sam_status sam_tile_run_col_fold(struct sam_tile_job *job)
{
    const struct sam_tile_ref *src = sam_tile_src(job, 0), *dst = sam_tile_dst(job);
    const struct sam_tile_core *core = job->core;
    size_t rows = (size_t)src->type.valid_rows, cols = (size_t)src->type.valid_cols;
    enum sam_dtype dtype = src->type.dtype;
    if (is_order(job)) {
        sam_tile_fold_columns(dtype, job->row->function == SAM_TILE_FN_MAX, core->nan, core->plain,
                              sam_tile_at(core, dst, 0, 0), sam_tile_at(core, src, 0, 0), rows,
                              cols, src->pitch);
        return SAM_OK;
    }
    for (size_t j = 0; j < cols; j += SAM_TILE_CHUNK) {
        size_t n = cols - j < SAM_TILE_CHUNK ? cols - j : SAM_TILE_CHUNK;
        void *d = sam_tile_at(core, dst, 0, j);
        memcpy(d, sam_tile_at(core, src, 0, j), n * sam_tile_size(dtype));
        for (size_t i = 1; i < rows; i++)
            add_row(job, dtype, d, sam_tile_at(core, src, i, j), n);
        fold_start(job, dtype, d, n);
    }
    return SAM_OK;
}

enum sam_status sam_tile_run_col_arg(struct sam_tile_job *job)
{
    const struct sam_tile_ref *src = sam_tile_src(job, 0), *dst = sam_tile_dst(job);
    enum sam_dtype dtype = src->type.dtype;
    size_t rows = (size_t)src->type.valid_rows, cols = (size_t)src->type.valid_cols;
    size_t size = sam_tile_size(dtype);
    for (size_t j = 0; j < cols; j++) {
        uint64_t best = sam_tile_bits_at(sam_tile_at(job->core, src, 0, j), size);
        int32_t index = 0;
        for (size_t i = 1; i < rows; i++) {
            uint64_t bits = sam_tile_bits_at(sam_tile_at(job->core, src, i, j), size);
            if (sam_tile_better(dtype, job->row->function == SAM_TILE_FN_MAX, job->core->nan, bits,
                                best)) {
                best = bits;
                index = (int32_t)i;
            }
        }
        memcpy(sam_tile_at(job->core, dst, 0, j), &index, sizeof index);
    }
    return SAM_OK;
}

/* A single element is copied unchanged, as in a one-row column. */
static void order_row(const struct sam_tile_job *job, size_t i, bool arg)
{
    const struct sam_tile_ref *src = sam_tile_src(job, 0), *dst = sam_tile_dst(job);
    enum sam_dtype dtype = src->type.dtype;
    size_t cols = (size_t)src->type.valid_cols, size = sam_tile_size(dtype);
    bool max = job->row->function == SAM_TILE_FN_MAX;
    const uint8_t *row = sam_tile_at(job->core, src, i, 0);
    uint64_t best = sam_tile_bits_at(row, size);
    int32_t index = 0;
    for (size_t j = 1; j < cols; j++) {
        uint64_t bits = sam_tile_bits_at(row + j * size, size);
        if (!arg) {
            best = sam_tile_fold_pair(dtype, max, job->core->nan, best, bits);
        } else if (sam_tile_better(dtype, max, job->core->nan, bits, best)) {
            best = bits;
            index = (int32_t)j;
        }
    }
    if (arg)
        memcpy(sam_tile_at(job->core, dst, i, 0), &index, sizeof index);
    else
        memcpy(sam_tile_at(job->core, dst, i, 0), &best, size);
}

/* `lanes` partial sums: lane l adds columns l, l + lanes, l + 2 * lanes, ... in ascending order;
 * then a tree reduction halves the lanes until lane 0 holds the sum. Lanes past the last column do
 * not take part. With one lane this is plain ascending order. */
static void sum_row(const struct sam_tile_job *job, size_t i, size_t lanes)
{
    const struct sam_tile_ref *src = sam_tile_src(job, 0), *dst = sam_tile_dst(job);
    enum sam_dtype dtype = src->type.dtype;
    size_t cols = (size_t)src->type.valid_cols, size = sam_tile_size(dtype);
    size_t used = cols < lanes ? cols : lanes;
    uint8_t sums[8 * SAM_TILE_LANES];
    memcpy(sums, sam_tile_at(job->core, src, i, 0), used * size);
    for (size_t j = lanes; j < cols; j += lanes)
        add_row(job, dtype, sums, sam_tile_at(job->core, src, i, j),
                cols - j < lanes ? cols - j : lanes);
    for (size_t half = lanes / 2; half; half /= 2) {
        if (used > half)
            add_row(job, dtype, sums, sums + half * size, used - half);
        used = used < half ? used : half;
    }
    fold_start(job, dtype, sums, 1);
    memcpy(sam_tile_at(job->core, dst, i, 0), sums, size);
}

enum sam_status sam_tile_run_row_fold(struct sam_tile_job *job)
{
    size_t lanes = job->core->sum_order == SAM_TILE_SUM_SYSTEM ? SAM_TILE_LANES : 1;
    for (size_t i = 0; i < (size_t)sam_tile_src(job, 0)->type.valid_rows; i++)
        if (is_order(job))
            order_row(job, i, false);
        else
            sum_row(job, i, lanes);
    return SAM_OK;
}

enum sam_status sam_tile_run_row_arg(struct sam_tile_job *job)
{
    for (size_t i = 0; i < (size_t)sam_tile_src(job, 0)->type.valid_rows; i++)
        order_row(job, i, true);
    return SAM_OK;
}
