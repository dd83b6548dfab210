/* SPDX-License-Identifier: Apache-2.0 */
/* im2col: each input byte is loaded once and stored to all its places in patches.
 *
 * Along one axis, input index i = stride*j + c is at kernel position k of output index (i + pad -
 * k*dilation) / stride, if that is an integer. So for each class c the indices j fall into
 * intervals used by the same kernel positions. These intervals, along both axes, form the boxes. */
#include <stdio.h>
#include <stdlib.h>

#include "ops/im2col.h"

static int64_t max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Compute the indices j in [*first, *end) of class c that kernel position k uses. Returns false if
 * there are none. */
static bool taken(const struct sam_axis *axis, int64_t c, int64_t k, int64_t *shift, int64_t *first,
                  int64_t *end)
{
    int64_t at = c + axis->pad - k * axis->dilation;
    if (at % axis->stride)
        return false;
    *shift = at / axis->stride;
    *first = max_i64(0, -*shift);
    *end = min_i64((axis->size - c + axis->stride - 1) / axis->stride, axis->out - *shift);
    return *first < *end;
}

static void free_intervals(struct sam_intervals *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].kernel);
        free(list->items[i].shift);
    }
    free(list->items);
}

/* Compute the interval of class c from `from`. Returns false at the end or on out-of-memory. */
static bool next_interval(const struct sam_axis *axis, int64_t c, int64_t from,
                          struct sam_interval *out)
{
    int64_t shift, first, end, until = INT64_MAX;
    *out = (struct sam_interval){.c = c, .first = from};
    for (int64_t k = 0; k < axis->kernel; k++)
        if (taken(axis, c, k, &shift, &first, &end)) {
            if (first > from)
                until = min_i64(until, first);
            if (end > from)
                until = min_i64(until, end);
        }
    if (until == INT64_MAX)
        return false;
    out->n = until - from;
    out->kernel = sam_alloc((size_t)axis->kernel, sizeof *out->kernel);
    out->shift = sam_alloc((size_t)axis->kernel, sizeof *out->shift);
    if (!out->kernel || !out->shift)
        return true;
    for (int64_t k = 0; k < axis->kernel; k++)
        if (taken(axis, c, k, &shift, &first, &end) && first <= from && end > from) {
            out->kernel[out->count] = k;
            out->shift[out->count++] = shift;
        }
    return true;
}

static bool list_intervals(const struct sam_axis *axis, struct sam_intervals *list)
{
    for (int64_t c = 0; c < min_i64(axis->stride, axis->size); c++) {
        struct sam_interval next;
        for (int64_t from = 0; next_interval(axis, c, from, &next); from += next.n) {
            struct sam_interval *items =
                sam_grow(list->items, list->count, &list->capacity, sizeof *items);
            if (!items || !next.kernel || !next.shift) {
                free(next.kernel);
                free(next.shift);
                return false;
            }
            list->items = items;
            items[list->count++] = next;
        }
    }
    return true;
}

/* A box with the dims n, h, w, c; h and w advance by `step` input indices. */
static struct sam_box box_of(const struct sam_patches *m, int64_t h, int64_t w)
{
    struct sam_box box = {.unit = (uint64_t)m->element, .rank = 4};
    box.dim[0] = (struct sam_dim){(uint64_t)m->n, m->in_n, m->out_n};
    box.dim[1] = (struct sam_dim){(uint64_t)h, m->in_h * m->h.stride, m->out_h};
    box.dim[2] = (struct sam_dim){(uint64_t)w, m->in_w * m->w.stride, m->out_w};
    box.dim[3] = (struct sam_dim){(uint64_t)m->channels, m->in_c, m->out_c};
    return box;
}

static enum sam_status plan_input(const struct sam_patches *m, const struct sam_interval *h,
                                  const struct sam_interval *w, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    struct sam_box box = box_of(m, h->n, w->n);
    unsigned all = h->count * w->count;
    box.in = (h->c + h->first * m->h.stride) * m->in_h + (w->c + w->first * m->w.stride) * m->in_w;
    for (unsigned i = 0; i < all && status == SAM_OK; i++) {
        unsigned a = i / w->count, b = i % w->count;
        box.place[box.places++] = (h->first + h->shift[a]) * m->out_h + h->kernel[a] * m->out_kh +
                                  (w->first + w->shift[b]) * m->out_w + w->kernel[b] * m->out_kw;
        if (box.places == SAM_PLAN_PLACES || i + 1 == all) {
            status = sam_plan_box(m->plan, &box, error);
            box.places = 0;
        }
    }
    return status;
}

/* The output indices for which kernel position k lies inside the input. */
static void inside(const struct sam_axis *axis, int64_t k, int64_t *first, int64_t *end)
{
    int64_t at = k * axis->dilation - axis->pad; /* input index of output index 0 */
    *first = at < 0 ? min_i64(axis->out, (-at + axis->stride - 1) / axis->stride) : 0;
    *end = at < axis->size ? min_i64(axis->out, (axis->size - at + axis->stride - 1) / axis->stride)
                           : 0;
    *end = max_i64(*first, *end);
}

static enum sam_status zeros(const struct sam_patches *m, int64_t h, int64_t h_count, int64_t w,
                             int64_t w_count, int64_t kh, int64_t kw, int64_t kw_count,
                             struct sam_error *error)
{
    struct sam_box box = box_of(m, h_count, w_count);
    box.dim[box.rank++] = (struct sam_dim){(uint64_t)kw_count, 0, m->out_kw};
    box.out = h * m->out_h + w * m->out_w + kh * m->out_kh + kw * m->out_kw;
    return sam_plan_fill(m->plan, &box, error);
}

static enum sam_status plan_zeros(const struct sam_patches *m, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (int64_t kh = 0; kh < m->h.kernel && status == SAM_OK; kh++) {
        int64_t top, bottom, left, right;
        inside(&m->h, kh, &top, &bottom);
        status = zeros(m, 0, top, 0, m->w.out, kh, 0, m->w.kernel, error);
        if (status == SAM_OK)
            status = zeros(m, bottom, m->h.out - bottom, 0, m->w.out, kh, 0, m->w.kernel, error);
        for (int64_t kw = 0; kw < m->w.kernel && status == SAM_OK; kw++) {
            inside(&m->w, kw, &left, &right);
            status = zeros(m, top, bottom - top, 0, left, kh, kw, 1, error);
            if (status == SAM_OK)
                status = zeros(m, top, bottom - top, right, m->w.out - right, kh, kw, 1, error);
        }
    }
    return status;
}

/* Number of input indices used by any patch. */
static uint64_t used(const struct sam_intervals *list)
{
    uint64_t n = 0;
    for (size_t i = 0; i < list->count; i++)
        n += list->items[i].count ? (uint64_t)list->items[i].n : 0;
    return n;
}

static enum sam_status plan_all(const struct sam_patches *m, struct sam_error *error)
{
    struct sam_intervals h = {0}, w = {0};
    enum sam_status status = SAM_OK;
    if (!list_intervals(&m->h, &h) || !list_intervals(&m->w, &w))
        status = sam_fail_memory(error);
    m->plan->bound_loaded = used(&h) * used(&w) * (uint64_t)(m->n * m->channels * m->element);
    for (size_t i = 0; i < h.count && status == SAM_OK; i++) {
        if (sam_windows_suit(m))
            status = sam_windows_plan(m, &h.items[i], error);
        for (size_t j = 0; j < w.count && status == SAM_OK && !sam_windows_suit(m); j++)
            status = plan_input(m, &h.items[i], &w.items[j], error);
    }
    free_intervals(&h);
    free_intervals(&w);
    return status == SAM_OK ? plan_zeros(m, error) : status;
}

/* Check the parameters of an axis and compute its output size. */
static enum sam_status set_axis(struct sam_axis *axis, const char *name, uint64_t size,
                                const struct sam_im2col *p, unsigned i, struct sam_error *error)
{
    const uint64_t limit = 1 << 20, top = UINT64_C(1) << 40;
    uint64_t kernel = p->kernel[i], stride = p->stride[i], dilation = p->dilation[i];
    uint64_t before = p->pad[2 * i], after = p->pad[2 * i + 1];
    if (!kernel || !stride || !dilation || kernel > 256 || stride > limit || dilation > limit ||
        before > limit || after > limit)
        return sam_fail(error, SAM_ERR_USAGE,
                        "im2col: %s: kernel %llu, stride %llu, dilation %llu, pad %llu and %llu: "
                        "expected a kernel of 1 to 256, the others up to %llu, stride and dilation "
                        "from 1",
                        name, (unsigned long long)kernel, (unsigned long long)stride,
                        (unsigned long long)dilation, (unsigned long long)before,
                        (unsigned long long)after, (unsigned long long)limit);
    if (size > top)
        return sam_fail(error, SAM_ERR_USAGE, "im2col: %s of %llu: expected at most %llu", name,
                        (unsigned long long)size, (unsigned long long)top);
    uint64_t span = dilation * (kernel - 1) + 1, padded = size + before + after;
    if (padded < span)
        return sam_fail(error, SAM_ERR_USAGE,
                        "im2col: the kernel spans %llu indices of %s: expected at most the %llu "
                        "of the padded input",
                        (unsigned long long)span, name, (unsigned long long)padded);
    *axis = (struct sam_axis){(int64_t)size,     (int64_t)((padded - span) / stride + 1),
                              (int64_t)kernel,   (int64_t)stride,
                              (int64_t)dilation, (int64_t)before};
    return SAM_OK;
}

/* Set the byte strides. */
static void set_steps(struct sam_patches *m, bool nchw)
{
    if (nchw) {
        m->in_w = m->element;
        m->in_h = m->in_w * m->w.size;
        m->in_c = m->in_h * m->h.size;
        m->in_n = m->in_c * m->channels;
        m->out_w = m->element;
        m->out_h = m->out_w * m->w.out;
        m->out_kw = m->out_h * m->h.out;
        m->out_kh = m->out_kw * m->w.kernel;
        m->out_c = m->out_kh * m->h.kernel;
        m->out_n = m->out_c * m->channels;
    } else {
        m->in_c = m->out_c = m->element;
        m->in_w = m->in_c * m->channels;
        m->in_h = m->in_w * m->w.size;
        m->in_n = m->in_h * m->h.size;
        m->out_kw = m->out_c * m->channels;
        m->out_kh = m->out_kw * m->w.kernel;
        m->out_w = m->out_kh * m->h.kernel;
        m->out_h = m->out_w * m->w.out;
        m->out_n = m->out_h * m->h.out;
    }
}

enum sam_status sam_plan_im2col(const struct sam_shape *in, unsigned element,
                                const struct sam_im2col *p, struct sam_plan **plan,
                                struct sam_error *error)
{
    if (plan)
        *plan = NULL;
    if (SAM_LACKS(error, in, plan))
        return SAM_ERR_USAGE;
    if (!p)
        return sam_fail_null(error, "parameters");
    if (element == SAM_PLAN_HALF_BYTES)
        return sam_plan_halves_im2col(in, p, plan, error);
    char text[SAM_SHAPE_TEXT];
    struct sam_shape shape = *in, out = {0};
    enum sam_status status = sam_shape_check(in, element, error);
    if (status != SAM_OK)
        return status;
    sam_shape_text(in, text);
    if (in->rank != 3 && in->rank != 4)
        return sam_fail(error, SAM_ERR_USAGE, "im2col: %s has %u dims: expected %s", text, in->rank,
                        p->nchw ? "[N,C,H,W]" : "[N,H,W,C]");
    if (in->rank == 3) {
        memcpy(&shape.dim[1], in->dim, 3 * sizeof in->dim[0]);
        shape.dim[0] = 1;
        shape.rank = 4;
    }
    struct sam_patches m = {.element = element, .n = (int64_t)shape.dim[0]};
    m.channels = (int64_t)shape.dim[p->nchw ? 1 : 3];
    status = set_axis(&m.h, "H", shape.dim[p->nchw ? 2 : 1], p, 0, error);
    if (status == SAM_OK)
        status = set_axis(&m.w, "W", shape.dim[p->nchw ? 3 : 2], p, 1, error);
    if (status != SAM_OK)
        return status;
    uint64_t patch = (uint64_t)(m.h.kernel * m.w.kernel), area;
    if (__builtin_mul_overflow(m.h.out, m.w.out, &area) ||
        __builtin_mul_overflow(patch, (uint64_t)m.channels, &patch))
        return sam_fail(error, SAM_ERR_USAGE, "im2col of %s: too large", text);
    if (p->nchw) {
        out = (struct sam_shape){3, {shape.dim[0], patch, area}};
    } else if (__builtin_mul_overflow(area, shape.dim[0], &area)) {
        return sam_fail(error, SAM_ERR_USAGE, "im2col of %s: too large", text);
    } else {
        out = (struct sam_shape){2, {area, patch}};
    }
    status = sam_plan_new(in, 1, &out, element, plan, error);
    if (status != SAM_OK)
        return status;
    m.plan = *plan;
    snprintf(m.plan->name, sizeof m.plan->name, "im2col %lldx%lld of %s", (long long)m.h.kernel,
             (long long)m.w.kernel, text);
    if (m.plan->output_size) { /* the strides of an empty output might overflow */
        set_steps(&m, p->nchw);
        status = plan_all(&m, error);
    }
    return sam_plan_finish(plan, status);
}
