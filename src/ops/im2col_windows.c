/* SPDX-License-Identifier: Apache-2.0 */
/* im2col with few channels: a pixel is too short for a slice, so the slices are patch rows: KW
 * pixels, contiguous in input and output.
 *
 * Adjacent windows of a row overlap, but those `period` apart do not: their starts are multiples of
 * the window size. So a register with part of an input row consists of the windows of one class;
 * shifted by `stride` pixels, of those of the next class. */
#include <stdio.h>

#include "ops/im2col.h"

#define LONG_PIXEL 16 /* pixels of at least this many bytes can be slices */

/* A register as [rows][columns][unit], covering as many bytes as possible. */
struct view {
    uint64_t rows, columns, unit;
};

static struct view widest_view(uint64_t unit)
{
    struct view best = {1, 1, unit};
    for (uint64_t columns = 1; unit && columns <= SAM_PLAN_TL_SLICES; columns++) {
        uint64_t rows = SAM_PLAN_TL_BYTES / unit / columns;
        if (rows > SAM_PLAN_TL_SLICES)
            rows = SAM_PLAN_TL_SLICES;
        if (rows * columns > best.rows * best.columns)
            best = (struct view){rows, columns, unit};
    }
    return best;
}

struct windows {
    const struct sam_patches *m;
    const struct sam_interval *h;
    int64_t pixel, window; /* bytes */
    int64_t period, every; /* windows of a class are `period` pixels apart, in every `every`th
                              slice */
    struct view view;
};

static struct windows windows_of(const struct sam_patches *m, const struct sam_interval *h)
{
    int64_t common = (int64_t)sam_gcd((uint64_t)m->w.kernel, (uint64_t)m->w.stride);
    struct windows w = {.m = m, .h = h, .pixel = m->channels * m->element};
    w.window = w.pixel * m->w.kernel;
    w.period = m->w.kernel / common;
    w.every = m->w.stride / common;
    if (w.pixel > 0 && w.pixel * m->w.stride <= 255)
        w.view = widest_view((uint64_t)(w.pixel * m->w.stride));
    return w;
}

/* Largest number of windows whose pixels fit a register. */
static int64_t most_windows(const struct windows *w)
{
    int64_t held = (int64_t)(w->view.rows * w->view.columns * w->view.unit) / w->pixel;
    int64_t by_bytes = (held - w->m->w.kernel) / w->m->w.stride + 1;
    int64_t by_slices = ((SAM_PLAN_TL_SLICES - 1) / w->every + 1) * w->period;
    return held < w->m->w.kernel ? 0 : by_bytes < by_slices ? by_bytes : by_slices;
}

bool sam_windows_suit(const struct sam_patches *m)
{
    struct windows w = windows_of(m, NULL);
    return m->out_c == m->element && w.pixel < LONG_PIXEL && m->w.kernel > 1 &&
           m->w.dilation == 1 && w.every <= 8 && most_windows(&w) >= 2 * w.period;
}

/* Shift register 0 by one unit. Columns rotate; a unit that leaves a row moves to the end of the
 * previous one. */
static bool move_on(struct sam_block *block, const struct view *v)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << v->columns) - 1), last = all ^ all >> 1;
    uint32_t rows = (uint32_t)((UINT64_C(1) << v->rows) - 1);
    if (!sam_concat(block, 1, 0, all ^ 1, 0, 1, v->rows, v->columns, v->unit) ||
        !sam_concat(block, 2, 1, rows ^ 1, 1, 1, 1, v->rows, v->columns * v->unit))
        return false;
    return sam_concat(block, 0, 1, all ^ last, 2, last, v->rows, v->columns, v->unit);
}

/* Add the STOREs of one class: window k of `count` is slice k * every. */
static void store_class(struct sam_block *block, const struct windows *w, int64_t first,
                        int64_t count)
{
    const struct sam_patches *m = w->m;
    for (unsigned i = 0; i < w->h->count; i++) {
        struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_STORE);
        op->width = (uint16_t)w->window;
        op->slices = (uint16_t)((count - 1) * w->every + 1);
        op->strided = op->slices > 1;
        op->masked = w->every > 1;
        for (int64_t k = 0; k < count; k++) {
            op->stride[k * w->every] = (int32_t)(k * w->period * (m->out_w / w->window));
            op->mask |= UINT32_C(1) << (k * w->every);
        }
        op->offset = first * m->out_w + w->h->shift[i] * m->out_h + w->h->kernel[i] * m->out_kh;
    }
}

/* Add `chunks` times `count` windows, from output column `first`. */
static enum sam_status add_chunks(const struct windows *w, int64_t first, int64_t count,
                                  int64_t chunks, struct sam_error *error)
{
    const struct sam_patches *m = w->m;
    struct sam_plan_region *region = chunks && count ? sam_plan_add_region(m->plan) : NULL;
    if (!chunks || !count)
        return SAM_OK;
    if (!region)
        return sam_fail_memory(error);
    struct sam_block *block = &region->block;
    struct sam_block_op *load = sam_block_add(block, SAM_BLOCK_LOAD);
    region->bytes = (uint64_t)(((count - 1) * m->w.stride + m->w.kernel) * w->pixel);
    load->slices = 1;
    load->width = (uint16_t)region->bytes;
    bool ok = true;
    for (int64_t c = 0; c < w->period && c < count && ok; c++) {
        ok = c == 0 || move_on(block, &w->view);
        store_class(block, w, c, (count - c + w->period - 1) / w->period);
    }
    block->registers = 3;
    region->in = (w->h->c + w->h->first * m->h.stride) * m->in_h +
                 (first * m->w.stride - m->w.pad) * m->in_w;
    region->out = first * m->out_w + w->h->first * m->out_h;
    region->loop[0] = (struct sam_loop){(uint64_t)m->n, m->in_n, m->out_n};
    region->loop[1] = (struct sam_loop){(uint64_t)w->h->n, m->in_h * m->h.stride, m->out_h};
    region->loop[2] =
        (struct sam_loop){(uint64_t)chunks, count * m->w.stride * m->in_w, count * m->out_w};
    region->loops = 3;
    snprintf(region->what, sizeof region->what, "%lld windows of %lld bytes, %u places",
             (long long)count, (long long)w->window, w->h->count);
    return ok && !block->failed ? SAM_OK : sam_fail_memory(error);
}

/* Add an output column whose window extends beyond the input: only its inside pixels. */
static enum sam_status add_edge(const struct windows *w, int64_t column, struct sam_error *error)
{
    const struct sam_patches *m = w->m;
    int64_t start = column * m->w.stride - m->w.pad;
    int64_t first = start < 0 ? -start : 0, end = m->w.size - start;
    if (end > m->w.kernel)
        end = m->w.kernel;
    if (first >= end)
        return SAM_OK;
    struct sam_box box = {.unit = (uint64_t)m->element, .rank = 3};
    box.dim[0] = (struct sam_dim){(uint64_t)m->n, m->in_n, m->out_n};
    box.dim[1] = (struct sam_dim){(uint64_t)w->h->n, m->in_h * m->h.stride, m->out_h};
    box.dim[2] = (struct sam_dim){(uint64_t)((end - first) * m->channels), m->in_c, m->out_c};
    box.in = (w->h->c + w->h->first * m->h.stride) * m->in_h + (start + first) * m->in_w;
    box.out = column * m->out_w + w->h->first * m->out_h + first * m->out_kw;
    enum sam_status status = SAM_OK;
    for (unsigned i = 0; i < w->h->count && status == SAM_OK; i++) {
        box.place[box.places++] = w->h->shift[i] * m->out_h + w->h->kernel[i] * m->out_kh;
        if (box.places == SAM_PLAN_PLACES || i + 1 == w->h->count) {
            status = sam_plan_box(m->plan, &box, error);
            box.places = 0;
        }
    }
    return status;
}

enum sam_status sam_windows_plan(const struct sam_patches *m, const struct sam_interval *h,
                                 struct sam_error *error)
{
    struct windows w = windows_of(m, h);
    int64_t first = (m->w.pad + m->w.stride - 1) / m->w.stride; /* first column entirely inside
                                                                   the input */
    int64_t end = m->w.size + m->w.pad >= m->w.kernel
                      ? (m->w.size + m->w.pad - m->w.kernel) / m->w.stride + 1
                      : 0;
    enum sam_status status = SAM_OK;
    if (h->count == 0)
        return SAM_OK;
    if (end > m->w.out)
        end = m->w.out;
    if (first > end)
        first = end = first < m->w.out ? first : m->w.out;
    int64_t total = end - first, most = most_windows(&w);
    int64_t chunks = most > 0 ? (total + most - 1) / most : 0;
    int64_t each = chunks ? (total + chunks - 1) / chunks : 0, whole = each ? total / each : 0;
    status = add_chunks(&w, first, each, whole, error);
    if (status == SAM_OK)
        status = add_chunks(&w, first + whole * each, total - whole * each, 1, error);
    for (int64_t c = 0; c < first && status == SAM_OK; c++)
        status = add_edge(&w, c, error);
    for (int64_t c = end; c < m->w.out && status == SAM_OK; c++)
        status = add_edge(&w, c, error);
    return status;
}
