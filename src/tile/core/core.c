/* SPDX-License-Identifier: Apache-2.0 */
/* The memories of a core with their written bytes, and the frame of each operation: checks of
 * shapes, uninitialised reads, overlap and waits; padding. */
#include "tile/core/core.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/portable.h"

void sam_tile_core_set(struct sam_tile_core *core, const struct sam_tile_options *options)
{
    core->profile = options->profile;
    core->nan = options->nan;
    core->outside = options->outside;
    core->plain = options->plain;
    core->sum_order = options->sum_order;
    core->dialect = options->dialect;
}

void sam_tile_core_open(struct sam_tile_core *core, const uint64_t sizes[SAM_TILE_LOCS])
{
    for (int i = 0; i < SAM_TILE_LOCS; i++)
        core->memories[i].size = (sizes[i] + 63) / 64 * 64;
    core->memories[SAM_TILE_SPARE].size = INT64_MAX;
}

bool sam_tile_core_reach(struct sam_tile_core *core, enum sam_tile_loc loc, uint64_t end)
{
    enum { FIRST = 64 << 10 };
    const uint64_t size = core->memories[loc].size, before = core->memories[loc].held;
    uint64_t held = before ? before : FIRST;
    if (end <= before)
        return true;
    while (held < end)
        held *= 2;
    held = held < size ? held : size;
    if (!sam_tile_written_grow(&core->memories[loc].written, held))
        return false;
    uint8_t *bytes = sam_pages_grow(core->memories[loc].bytes, before, held);
    if (!bytes)
        return false;
    core->memories[loc].bytes = bytes;
    core->memories[loc].held = held;
    return true;
}

void sam_tile_core_close(struct sam_tile_core *core)
{
    for (int i = 0; i <= SAM_TILE_LOCS; i++) {
        sam_pages_free(core->memories[i].bytes, core->memories[i].held);
        sam_tile_written_close(&core->memories[i].written);
    }
    sam_tile_hazard_free(&core->hazards);
    memset(core->memories, 0, sizeof core->memories);
}

/* --- written bytes */

void sam_tile_core_forget(struct sam_tile_core *core, enum sam_tile_loc loc, uint64_t offset,
                          uint64_t size)
{
    sam_tile_written_clear(&core->memories[loc].written, offset, size);
}

static bool is_paired(const struct sam_tile_ref *t)
{
    return sam_tile_is_paired(t->type.dtype) && t->type.loc != SAM_TILE_SPARE;
}

/* Bytes of n elements that follow each other. */
static uint64_t bytes_of(const struct sam_tile_ref *t, uint64_t n)
{
    return t->type.loc == SAM_TILE_SPARE ? n : sam_tile_length(t->type.dtype, n);
}

/* First element of a line: a row of a row-major tile, a column of a column-major one. */
static uint64_t line_start(const struct sam_tile_ref *t, size_t line)
{
    return t->offset + bytes_of(t, (uint64_t)line * t->pitch);
}

/* Byte ranges of rows x cols elements: one per line, or a single one if the lines are adjacent. */
struct stretches {
    size_t count;
    uint64_t size;
};

static struct stretches stretches(const struct sam_tile_ref *t, size_t rows, size_t cols)
{
    bool by_rows = t->type.blayout == SAM_TILE_row_major;
    size_t lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
    uint64_t size = bytes_of(t, length);
    if (length == t->pitch && lines)
        return (struct stretches){1, lines * size};
    return (struct stretches){lines, size};
}

void sam_tile_core_mark(struct sam_tile_core *core, const struct sam_tile_ref *t, size_t rows,
                        size_t cols)
{
    struct stretches s = stretches(t, rows, cols);
    for (size_t i = 0; i < s.count; i++)
        sam_tile_written_set(&core->memories[t->type.loc].written, line_start(t, i), s.size);
}

static size_t line_count(const struct sam_tile_ref *t)
{
    return t->type.blayout == SAM_TILE_row_major ? t->type.rows : t->type.cols;
}

static uint64_t line_bytes(const struct sam_tile_ref *t)
{
    size_t length = t->type.blayout == SAM_TILE_row_major ? t->type.cols : t->type.rows;
    return bytes_of(t, length);
}

/* End of the tile's last byte. */
static uint64_t end_of(const struct sam_tile_ref *t)
{
    return line_start(t, line_count(t) - 1) + line_bytes(t);
}

/* Find the first unwritten element of rows x cols. */
static bool find_unwritten(struct sam_tile_core *core, const struct sam_tile_ref *t, size_t rows,
                           size_t cols, size_t *row, size_t *col)
{
    struct sam_tile_written *written = &core->memories[t->type.loc].written;
    struct stretches s = stretches(t, rows, cols);
    size_t at = 0, size = sam_tile_size(t->type.dtype);
    if (!s.count || !s.size)
        return false;
    if (sam_tile_written_known(written, t->offset, line_start(t, s.count - 1) + s.size - t->offset))
        return false;
    while (at < s.count && sam_tile_written_all(written, line_start(t, at), s.size))
        at++;
    if (at == s.count)
        return false;
    size_t k = 0;
    while (sam_tile_written_all(written, line_start(t, at) + k * size, size))
        k++;
    k *= is_paired(t) ? 2 : 1;
    size_t line = at + k / t->pitch, place = k % t->pitch;
    bool by_rows = t->type.blayout == SAM_TILE_row_major;
    *row = by_rows ? line : place;
    *col = by_rows ? place : line;
    return true;
}

/* --- the frame of an operation */

enum sam_status sam_tile_core_check(const struct sam_tile_job *job, const struct sam_tile_ref *t,
                                    size_t rows, size_t cols)
{
    size_t row, col;
    if (!find_unwritten(job->core, t, rows, cols, &row, &col))
        return SAM_OK;
    return sam_fail(job->error, SAM_ERR_TRAP, "%s reads %s[%zu,%zu] before it is written",
                    job->row->name, t->name, row, col);
}

/* The part of a source's valid rectangle that an operation reads. */
static void part_read(const struct sam_tile_job *job, size_t index, size_t *rows, size_t *cols)
{
    const struct sam_tile_ref *t = sam_tile_src(job, index);
    bool last = index + 1 == job->sources;
    *rows = (size_t)t->type.valid_rows;
    *cols = (size_t)t->type.valid_cols;
    switch (sam_tile_family(job->row)->reads) {
    case SAM_TILE_READS_WHOLE: break;
    case SAM_TILE_READS_LAST_ROW: *rows = last && *rows > 1 ? 1 : *rows; break;
    case SAM_TILE_READS_LAST_COLUMN: *cols = last && *cols > 1 ? 1 : *cols; break;
    case SAM_TILE_READS_ITSELF: *rows = *cols = 0; break;
    }
}

/* If all operands are tiles, the checks depend only on their types. */
static bool passed_before(const struct sam_tile_job *job)
{
    unsigned op = job->code - SAM_TILE_FIRST_OP;
    bool same = job->core->good[op].any && job->core->good[op].attribute == job->attribute;
    for (size_t i = 0; i <= job->sources && same; i++)
        same = job->actuals[i].kind == SAM_TILE_IS_TILE &&
               sam_tile_type_equal(&job->core->good[op].types[i], &job->actuals[i].tile->type);
    return same;
}

static void remember_passed(const struct sam_tile_job *job)
{
    unsigned op = job->code - SAM_TILE_FIRST_OP;
    bool all = true;
    for (size_t i = 0; i <= job->sources && all; i++) {
        all = job->actuals[i].kind == SAM_TILE_IS_TILE;
        if (all)
            job->core->good[op].types[i] = job->actuals[i].tile->type;
    }
    job->core->good[op].any = all;
    job->core->good[op].attribute = job->attribute;
}

void sam_tile_actual_type(const struct sam_tile_actual *a, struct sam_tile_ty *type)
{
    if (a->kind == SAM_TILE_IS_TILE) {
        type->kind = SAM_TILE_KIND_TILE;
        type->tile = a->tile->type;
    } else if (a->kind == SAM_TILE_IS_WINDOW) {
        type->kind = SAM_TILE_KIND_PART;
        type->dtype = a->window->dtype;
        type->rank = a->window->rank;
        memcpy(type->dims, a->window->shape, sizeof type->dims);
    } else {
        type->kind = a->is_index ? SAM_TILE_KIND_INDEX : SAM_TILE_KIND_SCALAR;
        type->dtype = a->dtype;
    }
}

static SAM_NOINLINE enum sam_status verifier(const struct sam_tile_job *job)
{
    struct sam_tile_ty types[SAM_TILE_OPERANDS]; /* only members of their kind are set */
    const struct sam_tile_ty *pointers[SAM_TILE_OPERANDS];
    struct sam_tile_report report = {0};
    struct sam_tile_verifier verifier = {job->core->profile, job->core->dialect, job->attribute,
                                         &report, NULL};
    for (size_t i = 0; i <= job->sources; i++) {
        sam_tile_actual_type(&job->actuals[i], &types[i]);
        pointers[i] = &types[i];
    }
    sam_tile_verify_op(&verifier, job->code, pointers, NULL, (struct sam_tile_pos){0});
    enum sam_status status = SAM_OK;
    if (report.report.errors) { /* the first error, without "error: " */
        struct sam_error first;
        char *messages = NULL;
        status = sam_tile_report_end(&report, &messages, &first);
        free(messages);
        status = status == SAM_ERR_MEMORY
                     ? sam_fail_memory(job->error)
                     : sam_fail(job->error, SAM_ERR_TRAP, "%s", strstr(first.text, ": ") + 2);
    }
    sam_tile_report_free(&report);
    if (status == SAM_OK)
        remember_passed(job);
    return status;
}

/* The bytes of a window by host address: two arguments may be one array. */
static bool window_span(const struct sam_tile_window *w, struct sam_tile_span *span)
{
    return sam_tile_span_window(span, w->dtype, (int64_t)(intptr_t)w->array->data, w->base, w->rank,
                                w->shape, w->strides);
}

static bool tile_span(const struct sam_tile_ref *t, struct sam_tile_span *span)
{
    return sam_tile_span_tile(span, &t->type, t->offset, t->pitch);
}

static enum sam_status touch(struct sam_tile_job *job, size_t index, uint32_t id)
{
    bool memory = false, write = sam_tile_writes_operand(job->row, index);
    const struct sam_tile_actual *a = &job->actuals[index];
    bool window = a->kind == SAM_TILE_IS_WINDOW;
    struct sam_tile_conflict conflict;
    struct sam_tile_access access = {.space = window ? SAM_TILE_GLOBAL : a->tile->type.loc,
                                     .pipe = sam_tile_pipe(job->code),
                                     .write = write,
                                     .op = id};
    if (window ? !window_span(a->window, &access.span) : !tile_span(a->tile, &access.span))
        return SAM_OK; /* too far apart for any memory: reported as out of bounds */
    bool found = sam_tile_hazard_touch(&job->core->hazards, access, &conflict, &memory);
    if (memory)
        return sam_fail_memory(job->error);
    if (!found)
        return SAM_OK;
    const char *pipe = sam_tile_pipe_names[conflict.with.pipe];
    const char *may = conflict.with.write ? "write" : "read";
    if (!window)
        return sam_fail(job->error, SAM_ERR_TRAP,
                        "%s %s %s without waiting for the %s pipe, which may still %s it",
                        job->row->name, write ? "writes" : "reads", a->tile->name, pipe, may);
    int64_t start = (int64_t)(intptr_t)a->window->array->data;
    return sam_fail(job->error, SAM_ERR_TRAP,
                    "%s %s bytes %" PRId64 "..%" PRId64
                    " of %s without waiting for the %s pipe, which may still %s them",
                    job->row->name, write ? "writes" : "reads", conflict.from - start,
                    conflict.to - 1 - start, a->window->name, pipe, may);
}

static SAM_NOINLINE enum sam_status check_waits(struct sam_tile_job *job, uint32_t id)
{
    sam_tile_hazard_begin(&job->core->hazards, sam_tile_pipe(job->code));
    for (size_t i = 0; i <= job->sources; i++) {
        if (job->actuals[i].kind == SAM_TILE_IS_NUMBER)
            continue;
        enum sam_status status = touch(job, i, id);
        if (status != SAM_OK)
            return status;
    }
    return SAM_OK;
}

static enum sam_status check_sources(struct sam_tile_job *job)
{
    for (size_t i = 0; i < job->sources; i++) {
        if (job->actuals[i].kind != SAM_TILE_IS_TILE)
            continue;
        size_t rows, cols;
        part_read(job, i, &rows, &cols);
        enum sam_status status = sam_tile_core_check(job, sam_tile_src(job, i), rows, cols);
        if (status != SAM_OK)
            return status;
    }
    const struct sam_tile_ref *d = sam_tile_dst(job);
    return sam_tile_family(job->row)->writes == SAM_TILE_WRITES_UPDATED
               ? sam_tile_core_check(job, d, (size_t)d->type.valid_rows, (size_t)d->type.valid_cols)
               : SAM_OK;
}

/* Returns whether the destination may overlap a source with an intersecting byte range. */
static SAM_NOINLINE bool may_meet(const struct sam_tile_job *job, size_t i)
{
    const struct sam_tile_ref *d = sam_tile_dst(job), *s = sam_tile_src(job, i);
    struct sam_tile_span x, y; /* adjacent windows of one tile do not overlap */
    int64_t from, to;
    if (!tile_span(s, &x) || !tile_span(d, &y) || !sam_tile_span_meet(&x, &y, &from, &to))
        return true;
    bool same =
        s->offset == d->offset && s->pitch == d->pitch && sam_tile_type_equal(&s->type, &d->type);
    return same && sam_tile_in_place(job->row, i);
}

/* Destination and source must not share bytes, except in in-place element-wise operations. */
static enum sam_status check_overlap(const struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    for (size_t i = 0; i < job->sources; i++) {
        if (job->actuals[i].kind != SAM_TILE_IS_TILE)
            continue;
        const struct sam_tile_ref *s = sam_tile_src(job, i);
        if (s->type.loc == d->type.loc && s->offset < job->ends[job->sources] &&
            d->offset < job->ends[i] && !may_meet(job, i))
            return sam_fail(job->error, SAM_ERR_TRAP, "%s: the destination %s overlaps %s",
                            job->row->name, d->name, s->name);
    }
    return SAM_OK;
}

/* The rows and columns of the destination that the operation writes: none for an empty reduction.
 */
static void written_part(const struct sam_tile_job *job, size_t *rows, size_t *cols)
{
    const struct sam_tile_type *d = &sam_tile_dst(job)->type;
    enum sam_tile_writes writes = sam_tile_family(job->row)->writes;
    *rows = writes == SAM_TILE_WRITES_ROOM ? d->rows : (size_t)d->valid_rows;
    *cols = writes == SAM_TILE_WRITES_ROOM ? d->cols : (size_t)d->valid_cols;
    if (writes == SAM_TILE_WRITES_ROW || writes == SAM_TILE_WRITES_COLUMN) {
        const struct sam_tile_type *s = &sam_tile_src(job, 0)->type;
        *rows = writes == SAM_TILE_WRITES_ROW ? 1 : *rows;
        if (!s->valid_rows || !s->valid_cols)
            *rows = *cols = 0;
    }
}

static SAM_NOINLINE void pad(const struct sam_tile_job *job, size_t rows, size_t cols)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    size_t size = sam_tile_size(d->type.dtype);
    uint64_t bits = sam_tile_pad_bits(&d->type, job->core->dialect);
    for (size_t i = 0; i < d->type.rows; i++)
        for (size_t j = i < rows ? cols : 0; j < d->type.cols; j++)
            memcpy(sam_tile_at(job->core, d, i, j), &bits, size);
    sam_tile_core_mark(job->core, d, d->type.rows, d->type.cols);
}

static enum sam_status (*const runs[SAM_TILE_FAMILIES])(struct sam_tile_job *) = {
#define TILE_FAMILY(id, pipe, tiles, own, reads, writes, in_place, attribute, shapes, run)         \
    sam_tile_run_##run,
#include "tile/families.def"
};

/* Run it; rows x cols of a tile are what it writes. */
static enum sam_status run(struct sam_tile_job *job, size_t rows, size_t cols)
{
    struct sam_tile_core *const core = job->core;
    const enum sam_status status = runs[job->row->family](job);
    if (status != SAM_OK || sam_tile_stores(job->row) ||
        sam_tile_family(job->row)->writes == SAM_TILE_WRITES_PART)
        return status;
    sam_tile_core_mark(core, sam_tile_dst(job), rows, cols);
    if (core->outside == SAM_TILE_PAD_VALUE && sam_tile_dst(job)->type.pad != SAM_TILE_PAD_null)
        pad(job, rows, cols);
    return SAM_OK;
}

static bool has_pairs(const struct sam_tile_job *job)
{
    bool found = false;
    for (size_t i = 0; i <= job->sources; i++)
        found |= job->actuals[i].kind == SAM_TILE_IS_TILE && is_paired(job->actuals[i].tile);
    return found;
}

/* Compute the ends of the tiles. */
static void measure(struct sam_tile_job *job)
{
    for (size_t i = 0; i <= job->sources; i++) {
        if (job->actuals[i].kind != SAM_TILE_IS_TILE)
            continue;
        const struct sam_tile_ref *t = job->actuals[i].tile;
        uint64_t *highest = &job->core->stats.highest[t->type.loc];
        job->ends[i] = end_of(t);
        *highest = job->ends[i] > *highest ? job->ends[i] : *highest;
    }
}

static void count_op(struct sam_tile_job *job)
{
    struct sam_tile_stats *stats = &job->core->stats;
    stats->tile_ops++;
    stats->by_op[job->code - SAM_TILE_FIRST_OP].ops++;
    stats->by_pipe[sam_tile_pipe(job->code)].ops++;
}

/* Count an operation that succeeded. */
static void count_elements(struct sam_tile_job *job)
{
    struct sam_tile_stats *stats = &job->core->stats;
    uint64_t elements = 0;
    bool checks_itself = sam_tile_family(job->row)->reads == SAM_TILE_READS_ITSELF, read = false;
    for (size_t i = 0; i < job->sources && !checks_itself; i++)
        if (job->actuals[i].kind == SAM_TILE_IS_TILE) {
            size_t rows, cols;
            part_read(job, i, &rows, &cols);
            elements += (uint64_t)rows * cols;
            read = true;
        }
    const struct sam_tile_type *d = read ? NULL : &sam_tile_dst(job)->type;
    if (d) /* elements written */
        elements = (uint64_t)d->valid_rows * (uint64_t)d->valid_cols;
    stats->elements += elements;
    stats->by_op[job->code - SAM_TILE_FIRST_OP].elements += elements;
    stats->by_pipe[sam_tile_pipe(job->code)].elements += elements;
}

enum sam_status sam_tile_core_run(struct sam_tile_core *core, unsigned code, unsigned attribute,
                                  const struct sam_tile_actual *actuals, uint32_t id,
                                  struct sam_error *error)
{
    const struct sam_tile_row *row = sam_tile_row(code);
    struct sam_tile_job job = {core, row, code, attribute, actuals, row->count, {0}, error};
    enum sam_status status = passed_before(&job) ? SAM_OK : verifier(&job);
    count_op(&job);
    measure(&job);
    if (status == SAM_OK && core->manual)
        status = check_waits(&job, id);
    if (status == SAM_OK)
        status = check_sources(&job);
    bool stores = sam_tile_stores(row);
    size_t rows = 0, cols = 0;
    if (status == SAM_OK && !stores) {
        written_part(&job, &rows, &cols);
        if (!rows || !cols)
            return SAM_OK;
        status = check_overlap(&job);
    }
    if (status == SAM_OK)
        status =
            has_pairs(&job) ? sam_tile_run_unpaired(&job, rows, cols, run) : run(&job, rows, cols);
    if (status == SAM_OK)
        count_elements(&job);
    return status;
}

/* Copy the valid rectangle to or from an array, row by row. */
static void move(const struct sam_tile_core *core, const struct sam_tile_ref *t, uint8_t *data,
                 bool in)
{
    size_t rows = (size_t)t->type.valid_rows, cols = (size_t)t->type.valid_cols;
    size_t size = sam_tile_size(t->type.dtype);
    size_t step = t->type.blayout == SAM_TILE_row_major ? cols : 1; /* element stride */
    if (is_paired(t)) {
        sam_tile_move_pairs(core, t, data, in);
        return;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j += step, data += step * size) {
            uint8_t *at = sam_tile_at(core, t, i, j);
            memcpy(in ? at : data, in ? data : at, step * size);
        }
}

void sam_tile_core_put(struct sam_tile_core *core, const struct sam_tile_ref *t, const void *data)
{
    move(core, t, (uint8_t *)data, true); /* only read */
    sam_tile_core_mark(core, t, (size_t)t->type.valid_rows, (size_t)t->type.valid_cols);
}

enum sam_status sam_tile_core_get(struct sam_tile_core *core, const struct sam_tile_ref *t,
                                  void *data, struct sam_error *error)
{
    size_t rows = (size_t)t->type.valid_rows, cols = (size_t)t->type.valid_cols, row, col;
    if (find_unwritten(core, t, rows, cols, &row, &col))
        return sam_fail(error, SAM_ERR_TRAP, "%s[%zu,%zu] is read before it is written", t->name,
                        row, col);
    move(core, t, data, false);
    return SAM_OK;
}
