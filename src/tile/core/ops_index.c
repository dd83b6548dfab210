/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on tables of elements: rows chosen by indices, sorting, histograms, triangles. */
#include <inttypes.h>

#include "tile/core/core.h"

static uint64_t bits_at(const struct sam_tile_job *job, const struct sam_tile_ref *t, size_t i,
                        size_t j)
{
    return sam_tile_bits_at(sam_tile_at(job->core, t, i, j), sam_tile_size(t->type.dtype));
}

/* Returns element [i,j] of the indices if it lies below `rows`, otherwise `rows`. */
static size_t row_at(const struct sam_tile_job *job, const struct sam_tile_ref *t, size_t i,
                     size_t j, size_t rows)
{
    int64_t index;
    sam_tile_read_ints(t->type.dtype, sam_tile_at(job->core, t, i, j), 1, &index);
    return (uint64_t)index < rows ? (size_t)index : rows;
}

static void move(const struct sam_tile_job *job, const struct sam_tile_ref *d, size_t di,
                 const struct sam_tile_ref *s, size_t si, size_t j)
{
    memcpy(sam_tile_at(job->core, d, di, j), sam_tile_at(job->core, s, si, j),
           sam_tile_size(d->type.dtype));
}

/* The element that is gathered to d[i,j] exists and is written. */
static enum sam_status check_element(const struct sam_tile_job *job, size_t i, size_t j)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *d = sam_tile_dst(job);
    const size_t rows = (size_t)s->type.valid_rows;
    const size_t row = row_at(job, sam_tile_src(job, 1), i, j, rows);
    if (row == rows)
        return sam_fail(job->error, SAM_ERR_TRAP, "%s has no row of %s for %s[%zu,%zu]",
                        job->row->name, s->name, d->name, i, j);
    struct sam_tile_ref part = *s;
    part.offset += sam_tile_index(s, row, j) * sam_tile_size(s->type.dtype);
    if (sam_tile_core_check(job, &part, 1, 1) == SAM_OK)
        return SAM_OK;
    return sam_fail(job->error, SAM_ERR_TRAP, "%s reads %s[%zu,%zu] before it is written",
                    job->row->name, s->name, row, j);
}

enum sam_status sam_tile_run_gather(struct sam_tile_job *job)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *index = sam_tile_src(job, 1);
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    enum sam_status status = sam_tile_core_check(job, index, rows, cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols && status == SAM_OK; j++)
            status = check_element(job, i, j);
    for (size_t i = 0; i < rows && status == SAM_OK; i++)
        for (size_t j = 0; j < cols; j++)
            move(job, d, i, s, row_at(job, index, i, j, (size_t)s->type.valid_rows), j);
    return status;
}

/* Each element has a row of its own. */
static enum sam_status check_target(const struct sam_tile_job *job, size_t i, size_t j)
{
    const struct sam_tile_ref *index = sam_tile_src(job, 1), *d = sam_tile_dst(job);
    const size_t rows = (size_t)d->type.valid_rows, row = row_at(job, index, i, j, rows);
    bool free = row < rows;
    for (size_t k = 0; k < i && free; k++)
        free = row_at(job, index, k, j, rows) != row;
    if (free)
        return SAM_OK;
    return sam_fail(job->error, SAM_ERR_TRAP, "%s has no free row of %s for %s[%zu,%zu]",
                    job->row->name, d->name, sam_tile_src(job, 0)->name, i, j);
}

enum sam_status sam_tile_run_scatter(struct sam_tile_job *job)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *d = sam_tile_dst(job);
    const size_t rows = (size_t)s->type.valid_rows, cols = (size_t)s->type.valid_cols;
    const size_t room = (size_t)d->type.valid_rows;
    enum sam_status status = SAM_OK;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols && status == SAM_OK; j++)
            status = check_target(job, i, j);
    if (status != SAM_OK)
        return status;
    for (size_t i = 0; i < room; i++)
        for (size_t j = 0; j < cols; j++)
            memset(sam_tile_at(job->core, d, i, j), 0, sam_tile_size(d->type.dtype));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            move(job, d, row_at(job, sam_tile_src(job, 1), i, j, room), s, i, j);
    return SAM_OK;
}

/* Numbers before NaN in both orders; what is equal keeps its place. */
static bool comes_first(enum sam_dtype dtype, uint64_t left, uint64_t right, bool descending)
{
    const double a = sam_tile_real_value(dtype, left);
    const double b = sam_tile_real_value(dtype, right);
    if (a != a || b != b)
        return b != b;
    return descending ? a >= b : a <= b;
}

enum sam_status sam_tile_run_merge(struct sam_tile_job *job)
{
    const struct sam_tile_ref *a = sam_tile_src(job, 0), *b = sam_tile_src(job, 1);
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t size = sam_tile_size(d->type.dtype);
    size_t i = 0, k = 0;
    for (size_t j = 0; j < (size_t)d->type.valid_cols; j++) {
        bool left = k == (size_t)b->type.valid_cols;
        if (!left && i < (size_t)a->type.valid_cols)
            left = comes_first(d->type.dtype, bits_at(job, a, 0, i), bits_at(job, b, 0, k),
                               job->attribute);
        memcpy(sam_tile_at(job->core, d, 0, j),
               sam_tile_at(job->core, left ? a : b, 0, left ? i : k), size);
        *(left ? &i : &k) += 1;
    }
    return SAM_OK;
}

/* Row i, columns from to end: insertion keeps what is equal in its order. */
static void sort_group(const struct sam_tile_job *job, size_t i, size_t from, size_t end)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *d = sam_tile_dst(job);
    const enum sam_dtype dtype = s->type.dtype;
    uint64_t values[SAM_TILE_MOST_GROUP];
    uint32_t columns[SAM_TILE_MOST_GROUP];
    for (size_t n = 0; n < end - from; n++) {
        const uint64_t bits = bits_at(job, s, i, from + n);
        size_t at = n;
        for (; at && !comes_first(dtype, values[at - 1], bits, job->attribute); at--) {
            values[at] = values[at - 1];
            columns[at] = columns[at - 1];
        }
        values[at] = bits;
        columns[at] = (uint32_t)n;
    }
    for (size_t n = 0; n < end - from; n++)
        if (d->type.dtype == dtype)
            memcpy(sam_tile_at(job->core, d, i, from + n), &values[n], sam_tile_size(dtype));
        else
            memcpy(sam_tile_at(job->core, d, i, from + n), &columns[n], sizeof columns[n]);
}

enum sam_status sam_tile_run_sort(struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    const int64_t number = job->actuals[1].number;
    if (number < 0 || number > SAM_TILE_MOST_GROUP)
        return sam_fail(job->error, SAM_ERR_TRAP, SAM_TILE_GROUP_TEXT("%s", "%" PRId64),
                        job->row->name, number);
    const size_t width = number ? (size_t)number : SAM_TILE_GROUP;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j += width)
            sort_group(job, i, j, cols - j < width ? cols : j + width);
    return SAM_OK;
}

enum sam_status sam_tile_run_histogram(struct sam_tile_job *job)
{
    enum { BINS = 256 };
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *filter = sam_tile_src(job, 1);
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const size_t rows = (size_t)s->type.valid_rows, cols = (size_t)s->type.valid_cols;
    const bool wide = s->type.dtype == SAM_U32;
    const unsigned top = wide ? 3 : 1, byte = job->attribute, higher = top - byte;
    enum sam_status status = sam_tile_core_check(job, s, rows, cols);
    if (status == SAM_OK && higher)
        status = sam_tile_core_check(job, filter, wide ? higher : rows, 1);
    for (size_t i = 0; i < rows && status == SAM_OK; i++) {
        uint32_t counts[BINS] = {0}, sum = 0, prefix = 0;
        for (unsigned k = 0; k < higher; k++)
            prefix = prefix << 8 | (uint32_t)bits_at(job, filter, wide ? k : i, 0);
        for (size_t j = 0; j < cols; j++) {
            const uint64_t value = bits_at(job, s, i, j);
            if (value >> 8 * byte >> 8 == prefix)
                counts[value >> 8 * byte & 0xff]++;
        }
        for (size_t k = 0; k < BINS; k++) {
            sum += counts[k];
            memcpy(sam_tile_at(job->core, d, i, k), &sum, sizeof sum);
        }
    }
    return status;
}

enum sam_status sam_tile_run_triangle(struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    const enum sam_dtype dtype = d->type.dtype;
    const uint64_t one = sam_tile_is_real(dtype) ? sam_tile_real_bits(dtype, 1, SAM_TILE_RINT) : 1,
                   zero = 0;
    const int64_t diagonal = job->actuals[0].number;
    if (diagonal > SAM_TILE_MOST_DIAGONAL || diagonal < -SAM_TILE_MOST_DIAGONAL)
        return sam_fail(job->error, SAM_ERR_TRAP, SAM_TILE_DIAGONAL_TEXT("%s", "%" PRId64),
                        job->row->name, diagonal);
    for (int64_t i = 0; i < d->type.valid_rows; i++)
        for (int64_t j = 0; j < d->type.valid_cols; j++) {
            const int64_t from = j - i;
            const bool in = job->attribute ? from >= diagonal : from <= diagonal;
            memcpy(sam_tile_at(job->core, d, (size_t)i, (size_t)j), in ? &one : &zero,
                   sam_tile_size(dtype));
        }
    return SAM_OK;
}

enum sam_status sam_tile_run_from_peer(struct sam_tile_job *job)
{
    const int64_t peer = job->actuals[1].number;
    if (peer != 0)
        return sam_fail(job->error, SAM_ERR_TRAP, "%s from core %" PRId64 ": there is core 0 only",
                        job->row->name, peer);
    return sam_tile_run_move(job);
}
