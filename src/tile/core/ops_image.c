/* SPDX-License-Identifier: Apache-2.0 */
/* Images as matrices: row by row the places of a filter, column by column what it covers. */
#include <inttypes.h>

#include "tile/core/core.h"

/* The row of the source with the element of [row, col] of the matrix, -1 for padding, and its
 * column. */
static int64_t source_row(const struct sam_tile_geometry *g, int64_t row, int64_t col, int64_t *at)
{
    const int64_t image = row / (g->down * g->across), place = row % (g->down * g->across);
    const int64_t filter = g->filter_height * g->filter_width * g->group;
    const int64_t group = col / filter, in = col % filter / g->group;
    const int64_t y = place / g->across * g->stride_height +
                      in / g->filter_width * g->dilation_height - g->pad_top;
    const int64_t x = place % g->across * g->stride_width +
                      in % g->filter_width * g->dilation_width - g->pad_left;
    *at = col % g->group;
    if (group * g->group + *at >= g->channels || y < 0 || y >= g->height || x < 0 || x >= g->width)
        return -1;
    return ((image * g->groups + group) * g->height + y) * g->width + x;
}

static enum sam_status check_window(const struct sam_tile_job *job, const char *what, int64_t from,
                                    int64_t count, int64_t of)
{
    if (from >= 0 && from <= of - count)
        return SAM_OK;
    return sam_fail(job->error, SAM_ERR_TRAP,
                    SAM_TILE_IMAGE_TEXT("%s", "%s", "%" PRId64, "%" PRId64, "%" PRId64),
                    job->row->name, count, what, from, of);
}

enum sam_status sam_tile_run_image(struct sam_tile_job *job)
{
    const struct sam_tile_ref *s = sam_tile_src(job, 0), *d = sam_tile_dst(job);
    const int64_t m = job->actuals[1].number, k = job->actuals[2].number;
    const uint64_t pad = sam_tile_pad_bits(&s->type, job->core->dialect);
    const size_t size = sam_tile_size(s->type.dtype);
    int64_t numbers[SAM_TILE_IMAGE_NUMBERS], at;
    struct sam_tile_geometry g;
    char text[200];
    for (size_t i = 0; i < SAM_TILE_IMAGE_NUMBERS; i++)
        numbers[i] = job->actuals[3 + i].number;
    if (!sam_tile_geometry(&g, numbers, s->type.valid_rows, s->type.valid_cols, job->row->name,
                           text, sizeof text))
        return sam_fail(job->error, SAM_ERR_TRAP, "%s", text);
    enum sam_status status = check_window(job, "rows", m, d->type.valid_rows, g.rows);
    if (status == SAM_OK)
        status = check_window(job, "columns", k, d->type.valid_cols, g.cols);
    for (int64_t i = 0; i < d->type.valid_rows && status == SAM_OK; i++)
        for (int64_t j = 0; j < d->type.valid_cols; j++) {
            const int64_t row = source_row(&g, m + i, k + j, &at);
            memcpy(sam_tile_at(job->core, d, (size_t)i, (size_t)j),
                   row < 0 ? (const void *)&pad
                           : sam_tile_at(job->core, s, (size_t)row, (size_t)at),
                   size);
        }
    return status;
}
