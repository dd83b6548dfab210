/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products, summed in ascending order with rounding after each product and sum, or in the
 * order of the system's matrix unit (SAM_TILE_SUM_SYSTEM). */
#include <stdlib.h>

#include "base/cpu.h"
#include "tile/core/core.h"
#include "tile/core/multiply.h"

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
static void read_reals(const struct sam_tile_core *core, const struct sam_tile_ref *t, size_t i,
                       size_t j, size_t n, float *to)
{
    const size_t step = t->type.blayout == SAM_TILE_row_major ? n : 1;
    for (size_t k = 0; k < n; k += step)
        sam_tile_read_reals(t->type.dtype, sam_tile_at(core, t, i, j + k), step, to + k);
}

static void read_row(const struct sam_tile_core *core, const struct sam_tile_ref *t, size_t i,
                     size_t j, size_t n, union row *row)
{
    const size_t step = t->type.blayout == SAM_TILE_row_major ? n : 1;
    if (sam_tile_is_real(t->type.dtype)) {
        read_reals(core, t, i, j, n, row->real);
        return;
    }
    for (size_t k = 0; k < n; k += step)
        sam_tile_read_ints(t->type.dtype, sam_tile_at(core, t, i, j + k), step, row->whole + k);
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
    for (size_t k = 0; k < depth; k++) {
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
        if (real)
            sam_tile_write_reals(d->type.dtype, sam_tile_at(core, d, i, j + x), 1, sum.real + x);
        else
            sam_tile_write_ints(d->type.dtype, sam_tile_at(core, d, i, j + x), 1, sum.whole + x);
}

/* --- in the order of the system */

/* The right factor from column j on as panels: [panel][k][column], zeros past its end. */
static void make_panels(const struct sam_tile_core *core, const struct sam_tile_ref *b, size_t j,
                        size_t n, float *to)
{
    const size_t depth = (size_t)b->type.valid_rows;
    const bool turned = b->type.blayout == SAM_TILE_col_major && b->type.dtype == SAM_F32;
    for (size_t at = 0; at < n; at += SAM_TILE_PANEL, to += depth * SAM_TILE_PANEL) {
        const size_t cols = n - at < SAM_TILE_PANEL ? n - at : SAM_TILE_PANEL;
        for (size_t x = 0; turned && depth && x < cols; x++) { /* a column is a run of elements */
            const float *const from = (const void *)sam_tile_at(core, b, 0, j + at + x);
            for (size_t k = 0; k < depth; k++)
                to[k * SAM_TILE_PANEL + x] = from[k];
        }
        for (size_t k = 0; !turned && k < depth; k++)
            read_reals(core, b, k, j + at, cols, to + k * SAM_TILE_PANEL);
    }
}

static sam_tile_multiply *best_multiply(void)
{
    switch (sam_cpu_level()) {
#if defined(__x86_64__)
    case SAM_CPU_V4: return sam_tile_multiply_v4;
    case SAM_CPU_V3: return sam_tile_multiply_v3;
#endif
    default: return sam_tile_multiply_base;
    }
}

/* n columns of d from j on; `panels` has room for them, `rows` for four rows of the left factor. */
static void multiply_panels(const struct sam_tile_job *job, size_t factor,
                            const struct sam_tile_ref *start, bool one_row, size_t j, size_t n,
                            float *panels, float *rows)
{
    const struct sam_tile_core *const core = job->core;
    const struct sam_tile_ref *const a = sam_tile_src(job, factor), *const d = sam_tile_dst(job);
    const size_t depth = (size_t)a->type.valid_cols, count = (size_t)d->type.valid_rows;
    sam_tile_multiply *const multiply = best_multiply();
    _Alignas(64) float sums[SAM_TILE_ROWS][SAM_TILE_CHUNK];
    make_panels(core, sam_tile_src(job, factor + 1), j, n, panels);
    for (size_t i = 0; i < count; i += SAM_TILE_ROWS) {
        const float *left[SAM_TILE_ROWS];
        memset(sums, 0, sizeof sums);
        for (size_t r = 0; r < SAM_TILE_ROWS; r++) {
            const size_t at = i + r < count ? i + r : i; /* past the end: not used */
            left[r] = rows + r * depth;
            read_reals(core, a, at, 0, depth, rows + r * depth);
            if (start)
                read_reals(core, start, one_row ? 0 : at, j, n, sums[r]);
        }
        multiply(sums[0], SAM_TILE_CHUNK, left, panels, (n + SAM_TILE_PANEL - 1) / SAM_TILE_PANEL,
                 depth, block_of(a->type.dtype));
        for (size_t r = 0; r < SAM_TILE_ROWS && i + r < count; r++)
            for (size_t x = 0; x < n; x++)
                if (!depth) /* without work the unit passes even a NaN unchanged */
                    memcpy(sam_tile_at(core, d, i + r, j + x), &sums[r][x], sizeof sums[r][x]);
                else
                    sam_tile_write_reals(d->type.dtype, sam_tile_at(core, d, i + r, j + x), 1,
                                         &sums[r][x]);
    }
}

static enum sam_status multiply_system(struct sam_tile_job *job, size_t factor,
                                       const struct sam_tile_ref *start, bool one_row)
{
    const size_t cols = (size_t)sam_tile_dst(job)->type.valid_cols;
    const size_t depth = (size_t)sam_tile_src(job, factor)->type.valid_cols;
    const size_t most = cols < SAM_TILE_CHUNK ? cols : SAM_TILE_CHUNK;
    const size_t wide = (most + SAM_TILE_PANEL - 1) / SAM_TILE_PANEL * SAM_TILE_PANEL;
    float *const panels = aligned_alloc(64, (depth * (wide + SAM_TILE_ROWS) + 16) / 16 * 64);
    if (!panels)
        return sam_fail_memory(job->error);
    memset(panels, 0, depth * wide * sizeof *panels);
    for (size_t j = 0; j < cols; j += SAM_TILE_CHUNK)
        multiply_panels(job, factor, start, one_row, j,
                        cols - j < SAM_TILE_CHUNK ? cols - j : SAM_TILE_CHUNK, panels,
                        panels + depth * wide);
    free(panels);
    return SAM_OK;
}

/* d = start + a * b. `start` has the rows of d, or one row for all; NULL for zeros. */
static enum sam_status multiply(struct sam_tile_job *job, size_t factor,
                                const struct sam_tile_ref *start, bool one_row)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    if (job->core->sum_order == SAM_TILE_SUM_SYSTEM &&
        sam_tile_is_real(sam_tile_src(job, factor)->type.dtype))
        return multiply_system(job, factor, start, one_row);
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
