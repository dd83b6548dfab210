/* SPDX-License-Identifier: Apache-2.0 */
/* Moves between tiles and arrays. */
#include <inttypes.h>

#include "tile/core/core.h"

bool sam_tile_window_fits(int64_t size, int64_t stride)
{
    int64_t span, most = INT64_C(1) << 55; /* bytes of five dimensions and a start: below 2^62 */
    return size >= 0 && size <= INT32_MAX && !__builtin_mul_overflow(size, stride, &span) &&
           span <= most && span >= -most && stride <= most && stride >= -most;
}

/* The array element for [i, j] of the tile; i runs over all outer dimensions. */
static int64_t element(const struct sam_tile_window *w, uint64_t i, uint64_t j)
{
    int64_t at = w->base + (int64_t)j * w->strides[w->rank - 1];
    for (uint32_t k = w->rank - 1; k > 1; k--) {
        at += (int64_t)(i % (uint64_t)w->shape[k - 1]) * w->strides[k - 1];
        i /= (uint64_t)w->shape[k - 1];
    }
    return w->rank > 1 ? at + (int64_t)i * w->strides[0] : at;
}

static enum sam_status outside(const struct sam_tile_job *job, const struct sam_tile_window *w,
                               const struct sam_tile_ref *t, size_t i, size_t j, int64_t at)
{
    return sam_fail(job->error, SAM_ERR_TRAP,
                    "%s %s[%zu,%zu]: element %" PRId64 " of %s, which has %zu", job->row->name,
                    t->name, i, j, at, w->name, sam_tile_elements(w->array, w->dtype));
}

/* Check that a tile row lies in the array. With constant strides, its ends suffice. */
static enum sam_status check_row(const struct sam_tile_job *job, const struct sam_tile_window *w,
                                 const struct sam_tile_ref *t, size_t i)
{
    size_t cols = (size_t)t->type.valid_cols;
    int64_t count = (int64_t)sam_tile_elements(w->array, w->dtype);
    int64_t first = element(w, i, 0), last = element(w, i, cols - 1);
    if (first < 0 || first >= count)
        return outside(job, w, t, i, 0, first);
    if (last < 0 || last >= count) {
        size_t j = 0;
        while (element(w, i, j) >= 0 && element(w, i, j) < count)
            j++;
        return outside(job, w, t, i, j, element(w, i, j));
    }
    return SAM_OK;
}

static void move_row(const struct sam_tile_job *job, const struct sam_tile_window *w,
                     const struct sam_tile_ref *t, size_t i, bool load)
{
    size_t cols = (size_t)t->type.valid_cols, size = sam_tile_size(t->type.dtype);
    int64_t stride = w->strides[w->rank - 1], first = element(w, i, 0);
    uint8_t *array = w->array->data;
    for (size_t j = 0; sam_tile_is_paired(w->dtype) && j < cols; j++) {
        uint8_t *local = sam_tile_at(job->core, t, i, j);
        const uint64_t at = (uint64_t)(first + (int64_t)j * stride);
        if (load)
            *local = sam_tile_half(array, at);
        else
            sam_tile_set_half(array, at, *local);
    }
    if (sam_tile_is_paired(w->dtype))
        return;
    if (stride == 1 && t->type.blayout == SAM_TILE_row_major) {
        uint8_t *local = sam_tile_at(job->core, t, i, 0);
        uint8_t *global = array + (size_t)first * size;
        memcpy(load ? local : global, load ? global : local, cols * size);
        return;
    }
    for (size_t j = 0; j < cols; j++) {
        uint8_t *local = sam_tile_at(job->core, t, i, j);
        uint8_t *global = array + (size_t)(first + (int64_t)j * stride) * size;
        memcpy(load ? local : global, load ? global : local, size);
    }
}

static enum sam_status transfer(struct sam_tile_job *job, bool load)
{
    const struct sam_tile_window *w = job->actuals[!load].window;
    const struct sam_tile_ref *t = job->actuals[load].tile;
    size_t rows = (size_t)t->type.valid_rows, cols = (size_t)t->type.valid_cols;
    for (size_t i = 0; i < rows && cols; i++) { /* check all rows before moving any element */
        enum sam_status status = check_row(job, w, t, i);
        if (status != SAM_OK)
            return status;
    }
    for (size_t i = 0; i < rows && cols; i++)
        move_row(job, w, t, i, load);
    uint64_t bytes = sam_tile_length(t->type.dtype, (uint64_t)rows * cols);
    *(load ? &job->core->stats.loaded : &job->core->stats.stored) += bytes;
    return SAM_OK;
}

/* --- elements chosen by byte displacements */

struct choice {
    const struct sam_tile_window *window;
    const struct sam_tile_ref *tile, *index, *mask; /* mask: or NULL */
};

static struct choice choice_of(const struct sam_tile_job *job, bool load)
{
    const size_t part = load ? 0 : job->sources;
    return (struct choice){job->actuals[part].window, job->actuals[load ? job->sources : 0].tile,
                           sam_tile_src(job, 1), job->sources == 3 ? sam_tile_src(job, 2) : NULL};
}

static bool is_chosen(const struct sam_tile_job *job, const struct choice *c, size_t i, size_t j)
{
    return !c->mask || *sam_tile_at(job->core, c->mask, i, j) != 0;
}

/* The array element that is chosen for [i,j]; -1 if the window has none there. */
static int64_t chosen(const struct sam_tile_job *job, const struct choice *c, size_t i, size_t j)
{
    const uint64_t size = sam_tile_size(c->tile->type.dtype);
    int64_t bytes;
    sam_tile_read_ints(c->index->type.dtype, sam_tile_at(job->core, c->index, i, j), 1, &bytes);
    const uint64_t k = (uint64_t)bytes / size;
    if ((uint64_t)bytes % size || k >= (uint64_t)c->window->shape[0])
        return -1;
    return c->window->base + (int64_t)k * c->window->strides[0];
}

/* Element [i,j] of the array becomes that of source 3 if it is that of source 2. */
static void exchange(const struct sam_tile_job *job, size_t i, size_t j, uint8_t *global,
                     size_t size)
{
    if (memcmp(global, sam_tile_at(job->core, sam_tile_src(job, 2), i, j), size) != 0)
        return;
    memcpy(global, sam_tile_at(job->core, sam_tile_src(job, 3), i, j), size);
    job->core->stats.stored += size;
}

static enum sam_status pick(struct sam_tile_job *job, bool load)
{
    const struct choice c = choice_of(job, load);
    const struct sam_tile_window *w = c.window;
    const size_t rows = (size_t)c.tile->type.valid_rows, cols = (size_t)c.tile->type.valid_cols;
    const size_t size = sam_tile_size(c.tile->type.dtype);
    const uint64_t pad = sam_tile_pad_bits(&c.tile->type, job->core->dialect);
    const int64_t count = (int64_t)w->array->count;
    uint8_t *array = w->array->data;
    if (!rows || !cols)
        return SAM_OK;
    for (int64_t k = 0; k < w->shape[0]; k++) { /* all of the window lies in the array */
        const int64_t at = w->base + k * w->strides[0];
        if (at < 0 || at >= count)
            return outside(job, w, c.tile, 0, (size_t)k, at);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            if (is_chosen(job, &c, i, j) && chosen(job, &c, i, j) < 0)
                return sam_fail(job->error, SAM_ERR_TRAP, "%s has no element of %s for %s[%zu,%zu]",
                                job->row->name, w->name, c.tile->name, i, j);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            uint8_t *local = sam_tile_at(job->core, c.tile, i, j);
            if (!is_chosen(job, &c, i, j)) {
                if (load)
                    memcpy(local, &pad, size);
                continue;
            }
            uint8_t *global = array + (size_t)chosen(job, &c, i, j) * size;
            memcpy(load ? local : global, load ? global : local, size);
            *(load ? &job->core->stats.loaded : &job->core->stats.stored) += size;
            if (job->row->family == SAM_TILE_EXCHANGE)
                exchange(job, i, j, global, size);
        }
    return SAM_OK;
}

enum sam_status sam_tile_run_mgather_cas(struct sam_tile_job *job)
{
    return pick(job, true);
}

enum sam_status sam_tile_run_mgather(struct sam_tile_job *job)
{
    return pick(job, true);
}

enum sam_status sam_tile_run_mscatter(struct sam_tile_job *job)
{
    return pick(job, false);
}

enum sam_status sam_tile_run_load(struct sam_tile_job *job)
{
    return transfer(job, true);
}

enum sam_status sam_tile_run_store(struct sam_tile_job *job)
{
    return transfer(job, false);
}
