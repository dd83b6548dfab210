/* SPDX-License-Identifier: Apache-2.0 */
/* Operations whose element d[i,j] depends on one element of each source, computed in chunks of
 * SAM_TILE_CHUNK columns. */
#include <math.h>

#include "tile/core/core.h"

/* A source as a row: a tile row, a broadcast element, or a scalar. */
struct feed {
    const struct sam_tile_ref *tile; /* NULL for a scalar */
    uint64_t bits;
    bool one_row, one_col;
};

struct lane {
    union {
        float real[SAM_TILE_CHUNK];
        int64_t whole[SAM_TILE_CHUNK];
        uint8_t raw[8 * SAM_TILE_CHUNK];
    } a, b, d;
};

static const void *repeat(const void *element, size_t size, size_t n, uint8_t *raw)
{
    for (size_t k = 0; k < n; k++)
        memcpy(raw + k * size, element, size);
    return raw;
}

/* Returns n elements of the feed from [i,j]: in place, or copied to `raw`. */
static const void *fetch(const struct sam_tile_core *core, const struct feed *f, size_t i, size_t j,
                         size_t n, enum sam_dtype dtype, uint8_t *raw)
{
    size_t size = sam_tile_size(dtype);
    if (!f->tile)
        return repeat(&f->bits, size, n, raw);
    const uint8_t *at = sam_tile_at(core, f->tile, f->one_row ? 0 : i, f->one_col ? 0 : j);
    return f->one_col ? repeat(at, size, n, raw) : at;
}

static struct feed feed_of(const struct sam_tile_job *job, size_t index)
{
    const struct sam_tile_actual *a = &job->actuals[index];
    struct feed f = {0};
    if (a->kind == SAM_TILE_IS_TILE)
        f.tile = a->tile;
    else
        f.bits = (uint64_t)a->number;
    bool last = index + 1 == job->sources;
    enum sam_tile_reads reads = sam_tile_family(job->row)->reads;
    f.one_row = last && reads == SAM_TILE_READS_LAST_ROW;
    f.one_col = last && reads == SAM_TILE_READS_LAST_COLUMN;
    return f;
}

/* Check all divisors before the first element is written. */
static enum sam_status check_divisors(const struct sam_tile_job *job, const struct feed *f)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    bool divides = job->row->function == SAM_TILE_FN_DIV || job->row->function == SAM_TILE_FN_REM;
    if (!divides || sam_tile_is_real(d->type.dtype))
        return SAM_OK;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            uint8_t raw[8];
            int64_t divisor;
            sam_tile_read_ints(d->type.dtype, fetch(job->core, f, i, j, 1, d->type.dtype, raw), 1,
                               &divisor);
            if (divisor == 0)
                return sam_fail(job->error, SAM_ERR_TRAP, "%s divides by zero for %s[%zu,%zu]",
                                job->row->name, d->name, i, j);
        }
    return SAM_OK;
}

/* Compute n elements at d from the source rows in[]. */
typedef void chunk_fn(const struct sam_tile_job *job, const void *const *in, void *d, size_t n);

static enum sam_dtype dst_dtype(const struct sam_tile_job *job)
{
    return sam_tile_dst(job)->type.dtype;
}

/* Flip or clear the sign of floats, NaNs included. */
static void change_signs(bool flip, const uint8_t *a, uint8_t *d, size_t n, size_t size)
{
    memmove(d, a, n * size);
    for (size_t at = size - 1; at < n * size; at += size)
        d[at] = flip ? d[at] ^ 0x80 : d[at] & 0x7f;
}

/* Floats in double precision: of f64, or rounded once more, which equals one rounding, to a format
 * of at most half the bits. Operations that have such floats have these functions alone. */
static void compute_wide(enum sam_tile_function function, enum sam_dtype dtype, const uint8_t *a,
                         const uint8_t *b, uint8_t *d, size_t n)
{
    const size_t size = sam_tile_size(dtype);
    for (size_t at = 0; at < n * size; at += size) {
        const double x = sam_tile_real_value(dtype, sam_tile_bits_at(a + at, size));
        const double y = sam_tile_real_value(dtype, sam_tile_bits_at(b + at, size));
        const double value = function == SAM_TILE_FN_ADD   ? x + y
                             : function == SAM_TILE_FN_SUB ? x - y
                             : function == SAM_TILE_FN_MUL ? x * y
                                                           : x / y;
        const uint64_t bits = sam_tile_real_bits(dtype, value, SAM_TILE_RINT);
        memcpy(d + at, &bits, size);
    }
}

/* d = function(a, b) */
static void compute(const struct sam_tile_job *job, const void *const *in, void *d, size_t n)
{
    const void *a = in[0], *b = job->sources > 1 ? in[1] : NULL;
    enum sam_dtype dtype = dst_dtype(job);
    enum sam_tile_function function = sam_tile_function_in(job->core->dialect, job->row->function);
    struct lane lane;
    size_t size = sam_tile_size(dtype);
    if (b && (function == SAM_TILE_FN_MIN || function == SAM_TILE_FN_MAX)) {
        uint8_t rows[2][8 * SAM_TILE_CHUNK];
        memcpy(rows[0], a, n * size);
        memcpy(rows[1], b, n * size);
        sam_tile_fold_columns(dtype, function == SAM_TILE_FN_MAX, job->core->nan, job->core->plain,
                              d, rows, 2, n, sizeof rows[0] / size);
        return;
    }
    if (sam_tile_is_real(dtype) &&
        (function == SAM_TILE_FN_FLIP || function == SAM_TILE_FN_CLEAR)) {
        change_signs(function == SAM_TILE_FN_FLIP, a, d, n, size);
        return;
    }
    if (sam_tile_is_real(dtype) && sam_tile_is_wide(dtype)) {
        compute_wide(function, dtype, a, b, d, n);
        return;
    }
    if (sam_tile_is_real(dtype)) {
        const enum sam_dtype from = sam_tile_src(job, 0)->type.dtype;
        sam_tile_read_reals(from, a, n, lane.a.real);
        if (b)
            sam_tile_read_reals(from, b, n, lane.b.real);
        sam_tile_reals(function, dtype != SAM_F32, lane.a.real, lane.b.real, lane.d.real, n);
        sam_tile_write_reals(dtype, d, n, lane.d.real);
        return;
    }
    sam_tile_read_ints(dtype, a, n, lane.a.whole);
    if (b)
        sam_tile_read_ints(dtype, b, n, lane.b.whole);
    sam_tile_ints(function, dtype, lane.a.whole, lane.b.whole, lane.d.whole, n);
    sam_tile_write_ints(dtype, d, n, lane.d.whole);
}

/* d = a * b + d */
static void axpy(const struct sam_tile_job *job, const void *const *in, void *d, size_t n)
{
    enum sam_dtype dtype = dst_dtype(job);
    const void *a = in[0], *b = in[1];
    struct lane lane;
    if (sam_tile_is_real(dtype)) {
        bool narrow = dtype != SAM_F32;
        sam_tile_read_reals(dtype, a, n, lane.a.real);
        sam_tile_read_reals(dtype, b, n, lane.b.real);
        sam_tile_reals(SAM_TILE_FN_MUL, narrow, lane.a.real, lane.b.real, lane.a.real, n);
        sam_tile_write_reals(dtype, lane.b.raw, n, lane.a.real); /* the product, rounded */
        sam_tile_read_reals(dtype, lane.b.raw, n, lane.a.real);
        sam_tile_read_reals(dtype, d, n, lane.d.real);
        sam_tile_reals(SAM_TILE_FN_ADD, narrow, lane.a.real, lane.d.real, lane.d.real, n);
        sam_tile_write_reals(dtype, d, n, lane.d.real);
        return;
    }
    sam_tile_read_ints(dtype, a, n, lane.a.whole);
    sam_tile_read_ints(dtype, b, n, lane.b.whole);
    sam_tile_read_ints(dtype, d, n, lane.d.whole);
    sam_tile_ints(SAM_TILE_FN_MUL, dtype, lane.a.whole, lane.b.whole, lane.a.whole, n);
    sam_tile_ints(SAM_TILE_FN_ADD, dtype, lane.a.whole, lane.d.whole, lane.d.whole, n);
    sam_tile_write_ints(dtype, d, n, lane.d.whole);
}

static void fused(const struct sam_tile_job *job, const void *const *in, void *d, size_t n)
{
    const enum sam_dtype dtype = dst_dtype(job);
    float c[SAM_TILE_CHUNK];
    struct lane lane;
    sam_tile_read_reals(dtype, in[0], n, lane.a.real);
    sam_tile_read_reals(dtype, in[1], n, lane.b.real);
    sam_tile_read_reals(dtype, in[2], n, c);
    for (size_t i = 0; i < n; i++)
        lane.d.real[i] = sam_tile_fused(lane.a.real[i], lane.b.real[i], c[i], dtype != SAM_F32);
    sam_tile_write_reals(dtype, d, n, lane.d.real);
}

/* The integer that `product` + zero rounds to; below 2^62 in magnitude, larger ones modulo 2^32.
 * The sum itself may be inexact. */
static int64_t round_sum(double product, int64_t zero, enum sam_tile_round round)
{
    if (fabs(product) >= 0x1p60)
        return (int64_t)fmod(product, 0x1p32) + zero;
    const double whole = floor(product), part = product - whole;
    const int64_t low = (int64_t)whole + zero;
    switch (round) {
    case SAM_TILE_FLOOR: return low;
    case SAM_TILE_CEIL: return low + (part > 0);
    case SAM_TILE_TRUNC: return low + (low < 0 && part > 0);
    case SAM_TILE_ROUND: return low + (part > 0.5 || (part == 0.5 && low >= 0));
    default: return low + (part > 0.5 || (part == 0.5 && low % 2));
    }
}

/* attribute: a rounding mode, or 5 and a mode: results are not saturated but wrap. */
static void quantized(const struct sam_tile_job *job, const void *const *in, void *out, size_t n)
{
    const enum sam_dtype dtype = dst_dtype(job);
    const bool wraps = job->attribute > SAM_TILE_TRUNC;
    const enum sam_tile_round round = (enum sam_tile_round)(job->attribute % (SAM_TILE_TRUNC + 1));
    const int64_t low = dtype == SAM_I8 ? INT8_MIN : 0, high = dtype == SAM_I8 ? INT8_MAX : 255;
    struct lane lane;
    sam_tile_read_reals(SAM_F32, in[0], n, lane.a.real);
    sam_tile_read_reals(SAM_F32, in[1], n, lane.b.real);
    sam_tile_read_ints(dtype, in[2], n, lane.d.whole);
    for (size_t i = 0; i < n; i++) {
        const double product = (double)lane.a.real[i] * lane.b.real[i]; /* exact */
        int64_t *d = &lane.d.whole[i];
        if (isnan(product))
            *d = 0;
        else if (isinf(product) || (!wraps && fabs(product) > 1000))
            *d = product < 0 ? low : high;
        else
            *d = round_sum(product, *d, round);
        if (!wraps)
            *d = *d < low ? low : *d > high ? high : *d;
    }
    sam_tile_write_ints(dtype, out, n, lane.d.whole);
}

static void dequantized(const struct sam_tile_job *job, const void *const *in, void *out, size_t n)
{
    const enum sam_dtype dtype = sam_tile_src(job, 0)->type.dtype;
    float *d = out;
    struct lane lane;
    sam_tile_read_ints(dtype, in[0], n, lane.a.whole);
    sam_tile_read_reals(SAM_F32, in[1], n, lane.b.real);
    sam_tile_read_ints(dtype, in[2], n, lane.d.whole);
    for (size_t i = 0; i < n; i++) {
        const double exact = (double)(lane.a.whole[i] - lane.d.whole[i]) * lane.b.real[i];
        const uint32_t bits =
            (uint32_t)sam_tile_real_bits(SAM_F32, exact, (enum sam_tile_round)job->attribute);
        memcpy(&d[i], &bits, sizeof bits);
    }
}

#define COMPARE(type)                                                                              \
    for (size_t i = 0; i < n; i++) {                                                               \
        type x = ((const type *)p)[i], y = ((const type *)q)[i];                                   \
        d[i] = how == SAM_TILE_EQ   ? x == y                                                       \
               : how == SAM_TILE_NE ? x != y                                                       \
               : how == SAM_TILE_LT ? x < y                                                        \
               : how == SAM_TILE_LE ? x <= y                                                       \
               : how == SAM_TILE_GT ? x > y                                                        \
                                    : x >= y;                                                      \
    }

static void compare(const struct sam_tile_job *job, const void *const *in, void *out, size_t n)
{
    enum sam_tile_compare how = (enum sam_tile_compare)(job->attribute % SAM_TILE_PACKED);
    enum sam_dtype dtype = sam_tile_src(job, 0)->type.dtype;
    const void *a = in[0], *b = in[1];
    uint8_t *d = out;
    struct lane lane;
    const void *p = &lane.a, *q = &lane.b;
    if (sam_tile_is_real(dtype)) {
        sam_tile_read_reals(dtype, a, n, lane.a.real);
        sam_tile_read_reals(dtype, b, n, lane.b.real);
        COMPARE(float)
    } else {
        sam_tile_read_ints(dtype, a, n, lane.a.whole);
        sam_tile_read_ints(dtype, b, n, lane.b.whole);
        COMPARE(int64_t)
    }
}

static void choose(const struct sam_tile_job *job, const void *const *in, void *out, size_t n)
{
    const uint8_t *mask = in[0], *b = in[1], *c = in[2];
    size_t size = sam_tile_size(dst_dtype(job));
    uint8_t *d = out;
    for (size_t i = 0; i < n; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch): fetch fills all sources */
        memmove(d + i * size, (mask[i] ? b : c) + i * size, size);
}

static void convert(const struct sam_tile_job *job, const void *const *in, void *d, size_t n)
{
    sam_tile_convert(dst_dtype(job), d, sam_tile_src(job, 0)->type.dtype, in[0], n,
                     (enum sam_tile_round)job->attribute);
}

static void copy(const struct sam_tile_job *job, const void *const *in, void *d, size_t n)
{
    memcpy(d, in[0], n * sam_tile_size(dst_dtype(job)));
}

/* Compute a chunk of row i from column j. */
static void run_chunk(const struct sam_tile_job *job, const struct feed *feeds, size_t i, size_t j,
                      size_t n, chunk_fn *chunk)
{
    uint8_t raw[3][8 * SAM_TILE_CHUNK], bytes[SAM_TILE_CHUNK];
    const void *in[3] = {raw[0], raw[1], raw[2]};
    const bool packed = sam_tile_is_packed(job->row, job->attribute);
    const bool selects = packed && job->row->family == SAM_TILE_SEL;
    for (size_t k = 0; k < job->sources; k++) {
        if (k == 0 && selects) {
            const uint8_t *mask = sam_tile_at(job->core, feeds[0].tile, i, j / 8);
            for (size_t at = 0; at < n; at++)
                raw[0][at] = mask[at / 8] >> at % 8 & 1;
            continue;
        }
        enum sam_dtype dtype = feeds[k].tile ? feeds[k].tile->type.dtype : job->actuals[k].dtype;
        in[k] = fetch(job->core, &feeds[k], i, j, n, dtype, raw[k]);
    }
    if (!packed || selects) {
        chunk(job, in, sam_tile_at(job->core, sam_tile_dst(job), i, j), n);
        return;
    }
    chunk(job, in, bytes, n);
    uint8_t *mask = sam_tile_at(job->core, sam_tile_dst(job), i, j / 8);
    memset(mask, 0, (n + 7) / 8);
    for (size_t at = 0; at < n; at++)
        mask[at / 8] = (uint8_t)(mask[at / 8] | bytes[at] << at % 8);
}

static enum sam_status run(const struct sam_tile_job *job, chunk_fn *chunk)
{
    const struct sam_tile_ref *dst = sam_tile_dst(job);
    const struct sam_tile_ref *all = job->row->family == SAM_TILE_CMP ? sam_tile_src(job, 0) : dst;
    size_t rows = (size_t)dst->type.valid_rows, cols = (size_t)all->type.valid_cols;
    struct feed feeds[3] = {{0}};
    for (size_t k = 0; k < job->sources; k++)
        feeds[k] = feed_of(job, k);
    enum sam_status status = check_divisors(job, &feeds[job->sources - 1]);
    for (size_t i = 0; i < rows && status == SAM_OK; i++)
        for (size_t j = 0; j < cols; j += SAM_TILE_CHUNK) {
            size_t n = cols - j < SAM_TILE_CHUNK ? cols - j : SAM_TILE_CHUNK;
            run_chunk(job, feeds, i, j, n, chunk);
        }
    return status;
}

enum sam_status sam_tile_run_function(struct sam_tile_job *job)
{
    return run(job, compute);
}

enum sam_status sam_tile_run_axpy(struct sam_tile_job *job)
{
    return run(job, axpy);
}

enum sam_status sam_tile_run_fma(struct sam_tile_job *job)
{
    return run(job, fused);
}

enum sam_status sam_tile_run_quantize(struct sam_tile_job *job)
{
    return run(job, quantized);
}

enum sam_status sam_tile_run_dequantize(struct sam_tile_job *job)
{
    return run(job, dequantized);
}

/* In each row, the columns that both sources have, then the rest of the longer one. */
enum sam_status sam_tile_run_partial(struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    const size_t size = sam_tile_size(d->type.dtype);
    for (size_t i = 0; i < rows; i++) {
        const struct sam_tile_ref *s[2] = {sam_tile_src(job, 0), sam_tile_src(job, 1)};
        size_t length[2];
        for (unsigned k = 0; k < 2; k++)
            length[k] = i < (size_t)s[k]->type.valid_rows ? (size_t)s[k]->type.valid_cols : 0;
        const unsigned longer = length[1] > length[0];
        const size_t both = length[!longer];
        for (size_t j = 0; j < both; j += SAM_TILE_CHUNK) {
            const void *in[] = {sam_tile_at(job->core, s[0], i, j),
                                sam_tile_at(job->core, s[1], i, j)};
            compute(job, in, sam_tile_at(job->core, d, i, j),
                    both - j < SAM_TILE_CHUNK ? both - j : SAM_TILE_CHUNK);
        }
        if (both < cols)
            memcpy(sam_tile_at(job->core, d, i, both), sam_tile_at(job->core, s[longer], i, both),
                   (cols - both) * size);
    }
    return SAM_OK;
}

enum sam_status sam_tile_run_compare(struct sam_tile_job *job)
{
    return run(job, compare);
}

enum sam_status sam_tile_run_select(struct sam_tile_job *job)
{
    return run(job, choose);
}

enum sam_status sam_tile_run_convert(struct sam_tile_job *job)
{
    return run(job, convert);
}

enum sam_status sam_tile_run_copy(struct sam_tile_job *job)
{
    return run(job, copy);
}
