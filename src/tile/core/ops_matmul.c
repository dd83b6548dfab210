/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products, summed in ascending order with rounding after each product and sum, or in the
 * order of the system's matrix unit (SAM_TILE_SUM_SYSTEM). */
#include <stdlib.h>

#include "base/cpu.h"
#include "tile/core/core.h"
#include "tile/core/multiply.h"

/* Elements per step of the unit: 64 bytes of a row of each factor. Floats but f16 are widened to
 * f32. */
static size_t block_of(enum sam_dtype a, enum sam_dtype b)
{
    return 64 / sam_tile_size(a == SAM_F16 && b == SAM_F16 ? SAM_F16 : SAM_F32);
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

/* --- the operands of a product */

/* d = start + a * b. `start` has the rows of d, or one row for all; NULL for zeros. The elements of
 * a scaled factor are multiplied by their scales; f16 and bf16 have none. */
struct product {
    const struct sam_tile_ref *factor[2], *scales[2]; /* scales: NULL unless they are scaled */
    const struct sam_tile_ref *start;
    bool one_row;
};

enum { SCALE_BLOCK = 32 }; /* elements of K that share a scale */

static bool is_scaled(const struct product *p)
{
    return p->scales[0] != NULL;
}

/* Pairs of e2m1 lie along K. */
static size_t depth_of(const struct product *p)
{
    const struct sam_tile_type *a = &p->factor[0]->type;
    return (size_t)a->valid_cols * (is_scaled(p) && a->dtype == SAM_U8 ? 2 : 1);
}

static bool is_real(const struct product *p)
{
    return is_scaled(p) || sam_tile_is_real(p->factor[0]->type.dtype);
}

/* Read element [i,j] of a scaled factor: exact, except that it may be too large for f32. */
static float scaled(const struct sam_tile_core *core, const struct product *p, bool right, size_t i,
                    size_t j)
{
    const struct sam_tile_ref *const t = p->factor[right], *const s = p->scales[right];
    const size_t k = right ? i : j;
    float value, scale;
    if (t->type.dtype == SAM_U8) {
        const uint8_t pair = *sam_tile_at(core, t, right ? i / 2 : i, right ? j : j / 2);
        value = (float)sam_dtype_value(SAM_E2M1, pair >> (k % 2 * 4) & 15);
    } else {
        sam_tile_read_reals(t->type.dtype, sam_tile_at(core, t, i, j), 1, &value);
    }
    if (t->type.dtype == SAM_F16 || t->type.dtype == SAM_BF16)
        return value;
    const size_t block = k / SCALE_BLOCK;
    sam_tile_read_reals(SAM_E8M0, sam_tile_at(core, s, right ? block : i, right ? j : block), 1,
                        &scale);
    return value * scale;
}

/* Read n elements of a factor of floats from [i,j]. */
static void read_factor(const struct sam_tile_core *core, const struct product *p, bool right,
                        size_t i, size_t j, size_t n, float *to)
{
    if (!is_scaled(p))
        read_reals(core, p->factor[right], i, j, n, to);
    else
        for (size_t k = 0; k < n; k++)
            to[k] = scaled(core, p, right, i, j + k);
}

/* Compute n elements of d from [i,j]. */
static void multiply_row(const struct sam_tile_job *job, const struct product *p, size_t i,
                         size_t j, size_t n)
{
    const struct sam_tile_core *core = job->core;
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t depth = depth_of(p);
    const bool real = is_real(p);
    union row sum, row, one;
    memset(&sum, 0, sizeof sum);
    if (p->start)
        read_row(core, p->start, p->one_row ? 0 : i, j, n, &sum);
    for (size_t k = 0; k < depth; k++) {
        if (real) {
            read_factor(core, p, false, i, k, 1, one.real);
            read_factor(core, p, true, k, j, n, row.real);
            for (size_t x = 0; x < n; x++)
                sum.real[x] += one.real[0] * row.real[x];
            continue;
        }
        read_row(core, p->factor[0], i, k, 1, &one);
        read_row(core, p->factor[1], k, j, n, &row);
        for (size_t x = 0; x < n; x++) /* 16-bit factors: no sum exceeds 64 bits */
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
static void make_panels(const struct sam_tile_core *core, const struct product *p, size_t j,
                        size_t n, float *to)
{
    const struct sam_tile_ref *const b = p->factor[1];
    const size_t depth = depth_of(p);
    const bool turned = b->type.blayout == SAM_TILE_col_major && b->type.dtype == SAM_F32;
    for (size_t at = 0; at < n; at += SAM_TILE_PANEL, to += depth * SAM_TILE_PANEL) {
        const size_t cols = n - at < SAM_TILE_PANEL ? n - at : SAM_TILE_PANEL;
        for (size_t x = 0; turned && depth && x < cols; x++) { /* a column is a run of elements */
            const float *const from = (const void *)sam_tile_at(core, b, 0, j + at + x);
            for (size_t k = 0; k < depth; k++)
                to[k * SAM_TILE_PANEL + x] = from[k];
        }
        for (size_t k = 0; !turned && k < depth; k++)
            read_factor(core, p, true, k, j + at, cols, to + k * SAM_TILE_PANEL);
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
static void multiply_panels(const struct sam_tile_job *job, const struct product *p, size_t j,
                            size_t n, float *panels, float *rows)
{
    const struct sam_tile_core *const core = job->core;
    const struct sam_tile_ref *const d = sam_tile_dst(job);
    const size_t depth = depth_of(p), count = (size_t)d->type.valid_rows;
    const size_t block = is_scaled(p)
                             ? block_of(SAM_F32, SAM_F32)
                             : block_of(p->factor[0]->type.dtype, p->factor[1]->type.dtype);
    sam_tile_multiply *const multiply = best_multiply();
    _Alignas(64) float sums[SAM_TILE_ROWS][SAM_TILE_CHUNK];
    make_panels(core, p, j, n, panels);
    for (size_t i = 0; i < count; i += SAM_TILE_ROWS) {
        const float *left[SAM_TILE_ROWS];
        memset(sums, 0, sizeof sums);
        for (size_t r = 0; r < SAM_TILE_ROWS; r++) {
            const size_t at = i + r < count ? i + r : i; /* past the end: not used */
            left[r] = rows + r * depth;
            read_factor(core, p, false, at, 0, depth, rows + r * depth);
            if (p->start)
                read_reals(core, p->start, p->one_row ? 0 : at, j, n, sums[r]);
        }
        multiply(sums[0], SAM_TILE_CHUNK, left, panels, (n + SAM_TILE_PANEL - 1) / SAM_TILE_PANEL,
                 depth, block);
        for (size_t r = 0; r < SAM_TILE_ROWS && i + r < count; r++)
            for (size_t x = 0; x < n; x++)
                if (!depth) /* without work the unit passes even a NaN unchanged */
                    memcpy(sam_tile_at(core, d, i + r, j + x), &sums[r][x], sizeof sums[r][x]);
                else
                    sam_tile_write_reals(d->type.dtype, sam_tile_at(core, d, i + r, j + x), 1,
                                         &sums[r][x]);
    }
}

static enum sam_status multiply_system(struct sam_tile_job *job, const struct product *p)
{
    const size_t cols = (size_t)sam_tile_dst(job)->type.valid_cols;
    const size_t depth = depth_of(p);
    const size_t most = cols < SAM_TILE_CHUNK ? cols : SAM_TILE_CHUNK;
    const size_t wide = (most + SAM_TILE_PANEL - 1) / SAM_TILE_PANEL * SAM_TILE_PANEL;
    float *const panels = aligned_alloc(64, (depth * (wide + SAM_TILE_ROWS) + 16) / 16 * 64);
    if (!panels)
        return sam_fail_memory(job->error);
    memset(panels, 0, depth * wide * sizeof *panels);
    for (size_t j = 0; j < cols; j += SAM_TILE_CHUNK)
        multiply_panels(job, p, j, cols - j < SAM_TILE_CHUNK ? cols - j : SAM_TILE_CHUNK, panels,
                        panels + depth * wide);
    free(panels);
    return SAM_OK;
}

static enum sam_status multiply(struct sam_tile_job *job, const struct product *p)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    if (job->core->sum_order == SAM_TILE_SUM_SYSTEM && is_real(p))
        return multiply_system(job, p);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j += SAM_TILE_CHUNK)
            multiply_row(job, p, i, j, cols - j < SAM_TILE_CHUNK ? cols - j : SAM_TILE_CHUNK);
    return SAM_OK;
}

/* The factors are sources `at` and `at` + 1. */
static enum sam_status plain(struct sam_tile_job *job, size_t at, const struct sam_tile_ref *start,
                             bool one_row)
{
    return multiply(
        job, &(struct product){
                 {sam_tile_src(job, at), sam_tile_src(job, at + 1)}, {NULL, NULL}, start, one_row});
}

/* From source `at` on: left factor, its scales, right factor, its scales. */
static enum sam_status scaled_product(struct sam_tile_job *job, size_t at,
                                      const struct sam_tile_ref *start, bool one_row)
{
    return multiply(job, &(struct product){{sam_tile_src(job, at), sam_tile_src(job, at + 2)},
                                           {sam_tile_src(job, at + 1), sam_tile_src(job, at + 3)},
                                           start,
                                           one_row});
}

enum sam_status sam_tile_run_matmul(struct sam_tile_job *job)
{
    return plain(job, 0, NULL, false);
}

enum sam_status sam_tile_run_matmul_acc(struct sam_tile_job *job)
{
    return plain(job, 1, sam_tile_src(job, 0), false);
}

enum sam_status sam_tile_run_matmul_bias(struct sam_tile_job *job)
{
    return plain(job, 0, sam_tile_src(job, 2), true);
}

enum sam_status sam_tile_run_matmul_mx(struct sam_tile_job *job)
{
    return scaled_product(job, 0, NULL, false);
}

enum sam_status sam_tile_run_matmul_mx_acc(struct sam_tile_job *job)
{
    return scaled_product(job, 1, sam_tile_src(job, 0), false);
}

enum sam_status sam_tile_run_matmul_mx_bias(struct sam_tile_job *job)
{
    return scaled_product(job, 0, sam_tile_src(job, 4), true);
}
