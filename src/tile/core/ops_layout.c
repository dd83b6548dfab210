/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that move elements, bit for bit. */
#include <inttypes.h>

#include "tile/core/core.h"

static void copy(const struct sam_tile_job *job, const struct sam_tile_ref *d, size_t di, size_t dj,
                 const struct sam_tile_ref *s, size_t si, size_t sj)
{
    memcpy(sam_tile_at(job->core, d, di, dj), sam_tile_at(job->core, s, si, sj),
           sam_tile_size(d->type.dtype));
}

/* Copy rows x cols elements from [si,sj] of s to [di,dj] of d. */
static void copy_block(const struct sam_tile_job *job, const struct sam_tile_ref *d, size_t di,
                       size_t dj, const struct sam_tile_ref *s, size_t si, size_t sj, size_t rows,
                       size_t cols)
{
    bool by_rows = d->type.blayout == SAM_TILE_row_major && s->type.blayout == SAM_TILE_row_major;
    for (size_t i = 0; i < rows; i++) {
        if (by_rows)
            memcpy(sam_tile_at(job->core, d, di + i, dj), sam_tile_at(job->core, s, si + i, sj),
                   cols * sam_tile_size(d->type.dtype));
        else
            for (size_t j = 0; j < cols; j++)
                copy(job, d, di + i, dj + j, s, si + i, sj + j);
    }
}

static enum sam_status offsets(const struct sam_tile_job *job, const struct sam_tile_ref *in,
                               const struct sam_tile_ref *of, size_t *row, size_t *col)
{
    int64_t r = job->actuals[1].number, c = job->actuals[2].number;
    if (r < 0 || c < 0 || r > of->type.valid_rows - in->type.valid_rows ||
        c > of->type.valid_cols - in->type.valid_cols)
        return sam_fail(job->error, SAM_ERR_TRAP,
                        "%s: %" PRId64 "x%" PRId64 " elements from [%" PRId64 ",%" PRId64
                        "] leave the valid rectangle of %s, %" PRId64 "x%" PRId64,
                        job->row->name, in->type.valid_rows, in->type.valid_cols, r, c, of->name,
                        of->type.valid_rows, of->type.valid_cols);
    *row = (size_t)r;
    *col = (size_t)c;
    return SAM_OK;
}

enum sam_status sam_tile_run_extract(struct sam_tile_job *job)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *d = sam_tile_dst(job);
    size_t row = 0, col = 0;
    enum sam_status status = offsets(job, d, s, &row, &col);
    if (status != SAM_OK)
        return status;
    struct sam_tile_ref part = *s;
    part.offset += sam_tile_index(s, row, col) * sam_tile_size(s->type.dtype);
    size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    status = sam_tile_core_check(job, &part, rows, cols);
    if (status == SAM_OK)
        copy_block(job, d, 0, 0, &part, 0, 0, rows, cols);
    return status;
}

enum sam_status sam_tile_run_insert(struct sam_tile_job *job)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *d = sam_tile_dst(job);
    size_t row = 0, col = 0;
    enum sam_status status = offsets(job, s, d, &row, &col);
    if (status != SAM_OK)
        return status;
    size_t rows = (size_t)s->type.valid_rows, cols = (size_t)s->type.valid_cols;
    copy_block(job, d, row, col, s, 0, 0, rows, cols);
    struct sam_tile_ref part = *d;
    part.offset += sam_tile_index(d, row, col) * sam_tile_size(d->type.dtype);
    sam_tile_core_mark(job->core, &part, rows, cols);
    return SAM_OK;
}

enum sam_status sam_tile_run_fillpad(struct sam_tile_job *job)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *d = sam_tile_dst(job);
    size_t rows = (size_t)s->type.valid_rows, cols = (size_t)s->type.valid_cols;
    size_t size = sam_tile_size(d->type.dtype);
    uint64_t bits = sam_tile_pad_bits(&d->type, job->core->dialect);
    copy_block(job, d, 0, 0, s, 0, 0, rows, cols);
    for (size_t i = 0; i < d->type.rows; i++)
        for (size_t j = i < rows ? cols : 0; j < d->type.cols; j++)
            memcpy(sam_tile_at(job->core, d, i, j), &bits, size);
    return SAM_OK;
}

enum sam_status sam_tile_run_reshape(struct sam_tile_job *job)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *d = sam_tile_dst(job);
    size_t rows = (size_t)d->type.valid_rows, cols = (size_t)d->type.valid_cols;
    size_t from = (size_t)s->type.valid_cols;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            size_t k = i * cols + j;
            copy(job, d, i, j, s, k / from, k % from);
        }
    return SAM_OK;
}

enum sam_status sam_tile_run_count(struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    uint64_t bits = (uint64_t)job->actuals[0].number;
    const uint64_t step = job->attribute == SAM_TILE_DESCENDING ? UINT64_MAX : 1;
    size_t size = sam_tile_size(d->type.dtype);
    for (size_t i = 0; i < (size_t)d->type.valid_rows; i++)
        for (size_t j = 0; j < (size_t)d->type.valid_cols; j++, bits += step)
            memcpy(sam_tile_at(job->core, d, i, j), &bits, size);
    return SAM_OK;
}

enum sam_status sam_tile_run_move(struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    copy_block(job, d, 0, 0, sam_tile_src(job, 0), 0, 0, (size_t)d->type.valid_rows,
               (size_t)d->type.valid_cols);
    return SAM_OK;
}

enum sam_status sam_tile_run_transpose(struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    for (size_t i = 0; i < (size_t)d->type.valid_rows; i++)
        for (size_t j = 0; j < (size_t)d->type.valid_cols; j++)
            copy(job, d, i, j, sam_tile_src(job, 0), j, i);
    return SAM_OK;
}

enum sam_status sam_tile_run_concat(struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    size_t col = 0;
    for (size_t k = 0; k < job->sources; k++) {
        const struct sam_tile_ref *s = sam_tile_src(job, k);
        size_t cols = (size_t)s->type.valid_cols;
        copy_block(job, d, 0, col, s, 0, 0, (size_t)d->type.valid_rows, cols);
        col += cols;
    }
    return SAM_OK;
}
