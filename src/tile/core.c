/* SPDX-License-Identifier: Apache-2.0 */
/* The memories of a core, what of them was written, and the frame around an operation: shapes as
 * they are now, sources that are written, waits, padding. */
#include "tile/core.h"

#include <inttypes.h>
#include <stdlib.h>

bool sam_tile_core_open(struct sam_tile_core *core, const uint64_t sizes[SAM_TILE_LOCS])
{
    for (int i = 0; i < SAM_TILE_LOCS; i++) {
        uint64_t size = (sizes[i] + 63) / 64 * 64;
        if (!size)
            continue;
        core->memories[i].bytes = sam_pages_new(size);
        core->memories[i].written = sam_pages_new(size / 8);
        core->memories[i].size = size;
        if (!core->memories[i].bytes || !core->memories[i].written)
            return false;
    }
    return true;
}

void sam_tile_core_close(struct sam_tile_core *core)
{
    for (int i = 0; i < SAM_TILE_LOCS; i++) {
        sam_pages_free(core->memories[i].bytes, core->memories[i].size);
        sam_pages_free(core->memories[i].written, core->memories[i].size / 8);
    }
    sam_tile_hazard_free(&core->hazards);
    memset(core->memories, 0, sizeof core->memories);
}

/* --- what was written: `count` bits from bit `first` */

static uint64_t bits_below(uint64_t count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static void set_bits(uint64_t *words, uint64_t first, uint64_t count, bool value)
{
    while (count) {
        uint64_t shift = first % 64, part = 64 - shift < count ? 64 - shift : count;
        uint64_t mask = bits_below(part) << shift;
        words[first / 64] = value ? words[first / 64] | mask : words[first / 64] & ~mask;
        first += part;
        count -= part;
    }
}

static bool all_set(const uint64_t *words, uint64_t first, uint64_t count)
{
    uint64_t end = first + count, low = first / 64, high = end / 64, all = UINT64_MAX;
    if (!count)
        return true;
    uint64_t head = ~bits_below(first % 64), tail = bits_below(end % 64);
    if (low == high)
        return (words[low] & head & tail) == (head & tail);
    for (uint64_t i = low + 1; i < high; i++)
        all &= words[i];
    return all == UINT64_MAX && (words[low] & head) == head &&
           (!tail || (words[high] & tail) == tail);
}

void sam_tile_core_forget(struct sam_tile_core *core, enum sam_tile_loc loc, uint64_t offset,
                          uint64_t size)
{
    set_bits(core->memories[loc].written, offset, size, false);
}

/* Elements of lines: rows of a tile by rows, columns of one by columns. */
static uint64_t line_start(const struct sam_tile_ref *t, size_t line)
{
    return t->offset + (uint64_t)line * t->pitch * sam_tile_dtype_size(t->type.dtype);
}

void sam_tile_core_mark(struct sam_tile_core *core, const struct sam_tile_ref *t, size_t rows,
                        size_t cols)
{
    bool by_rows = t->type.blayout == SAM_TILE_row_major;
    size_t lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
    uint64_t bytes = length * sam_tile_dtype_size(t->type.dtype);
    for (size_t i = 0; i < lines; i++)
        set_bits(core->memories[t->type.loc].written, line_start(t, i), bytes, true);
}

static size_t line_count(const struct sam_tile_ref *t)
{
    return t->type.blayout == SAM_TILE_row_major ? t->type.rows : t->type.cols;
}

static uint64_t line_bytes(const struct sam_tile_ref *t)
{
    size_t length = t->type.blayout == SAM_TILE_row_major ? t->type.cols : t->type.rows;
    return length * sam_tile_dtype_size(t->type.dtype);
}

/* Past the last byte of the tile. */
static uint64_t end_of(const struct sam_tile_ref *t)
{
    return line_start(t, line_count(t) - 1) + line_bytes(t);
}

/* The first element of rows x cols that nothing wrote. */
static bool find_unwritten(const struct sam_tile_core *core, const struct sam_tile_ref *t,
                           size_t rows, size_t cols, size_t *row, size_t *col)
{
    const uint64_t *written = core->memories[t->type.loc].written;
    bool by_rows = t->type.blayout == SAM_TILE_row_major;
    size_t lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
    size_t size = sam_tile_dtype_size(t->type.dtype);
    if (length == t->pitch && all_set(written, t->offset, lines * length * size))
        return false;
    for (size_t i = 0; i < lines; i++) {
        if (all_set(written, line_start(t, i), length * size))
            continue;
        size_t k = 0;
        while (all_set(written, line_start(t, i) + k * size, size))
            k++;
        *row = by_rows ? i : k;
        *col = by_rows ? k : i;
        return true;
    }
    return false;
}

/* --- the frame of an operation */

enum sam_status sam_tile_core_check(const struct sam_tile_job *job, const struct sam_tile_ref *t)
{
    size_t row, col;
    if (!find_unwritten(job->core, t, (size_t)t->type.valid_rows, (size_t)t->type.valid_cols, &row,
                        &col))
        return SAM_OK;
    return sam_fail(job->error, SAM_ERR_TRAP, "%s reads %s[%zu,%zu], and nothing has written it",
                    job->row->name, t->name, row, col);
}

/* Which of its source's elements an operation reads. */
static struct sam_tile_ref part_read(const struct sam_tile_job *job, size_t index)
{
    struct sam_tile_ref t = *sam_tile_src(job, index);
    bool second = index == 1;
    switch (job->row->family) {
    case SAM_TILE_COLEXPAND: second = true; __attribute__((fallthrough));
    case SAM_TILE_COLEXPAND2:
        if (second && t.type.valid_rows > 1)
            t.type.valid_rows = 1;
        break;
    case SAM_TILE_ROWEXPAND: second = true; __attribute__((fallthrough));
    case SAM_TILE_ROWEXPAND2:
        if (second && t.type.valid_cols > 1)
            t.type.valid_cols = 1;
        break;
    case SAM_TILE_EXTRACT: t.type.valid_rows = t.type.valid_cols = 0; break; /* by itself */
    case SAM_TILE_MATMUL:
        if (job->row->function == SAM_TILE_FN_MUL && index == 2)
            t.type.valid_rows = 1;
        break;
    default: break;
    }
    return t;
}

static enum sam_status judge(const struct sam_tile_job *job)
{
    struct sam_tile_ty types[4];
    const struct sam_tile_ty *pointers[4] = {NULL};
    struct sam_tile_report report = {0};
    struct sam_tile_judge judge = {job->core->profile, &report};
    for (size_t i = 0; i <= job->sources; i++) {
        const struct sam_tile_actual *a = &job->actuals[i];
        types[i] = (struct sam_tile_ty){.kind = SAM_TILE_KIND_TILE};
        if (a->kind == SAM_TILE_IS_TILE) {
            types[i].tile = a->tile->type;
        } else if (a->kind == SAM_TILE_IS_WINDOW) {
            types[i].kind = SAM_TILE_KIND_PART;
            types[i].dtype = a->window->dtype;
            types[i].rank = a->window->rank;
            memcpy(types[i].dims, a->window->shape, sizeof types[i].dims);
        } else {
            types[i].kind = a->is_index ? SAM_TILE_KIND_INDEX : SAM_TILE_KIND_SCALAR;
            types[i].dtype = a->dtype;
        }
        pointers[i] = &types[i];
    }
    sam_tile_judge_op(&judge, job->code, pointers, NULL, (struct sam_tile_pos){0});
    enum sam_status status = SAM_OK;
    if (report.errors) { /* the first, without "error: " */
        const char *text = strstr(sam_buffer_text(&report.out), "error: ");
        text = text ? text + 7 : "";
        status = sam_fail(job->error, SAM_ERR_TRAP, "%.*s", (int)strcspn(text, "\n"), text);
    }
    sam_buffer_free(&report.out);
    return status;
}

static enum sam_status touch(struct sam_tile_job *job, const struct sam_tile_ref *t, bool write,
                             uint32_t id)
{
    bool memory = false;
    struct sam_tile_access access = {.low = t->offset,
                                     .high = end_of(t),
                                     .loc = t->type.loc,
                                     .pipe = sam_tile_pipe(job->code),
                                     .write = write,
                                     .op = id};
    const struct sam_tile_access *other =
        sam_tile_hazard_touch(&job->core->hazards, access, &memory);
    if (memory)
        return sam_fail_memory(job->error);
    if (!other)
        return SAM_OK;
    return sam_fail(job->error, SAM_ERR_TRAP,
                    "%s %s %s without waiting for the %s pipe, which may still %s it",
                    job->row->name, write ? "writes" : "reads", t->name,
                    sam_tile_pipe_names[other->pipe], other->write ? "write" : "read");
}

static enum sam_status check_waits(struct sam_tile_job *job, uint32_t id)
{
    sam_tile_hazard_begin(&job->core->hazards, sam_tile_pipe(job->code));
    for (size_t i = 0; i <= job->sources; i++) {
        if (job->actuals[i].kind != SAM_TILE_IS_TILE)
            continue;
        enum sam_status status = touch(job, job->actuals[i].tile, i == job->sources, id);
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
        struct sam_tile_ref part = part_read(job, i);
        enum sam_status status = sam_tile_core_check(job, &part);
        if (status != SAM_OK)
            return status;
    }
    return job->row->family == SAM_TILE_AXPY ? sam_tile_core_check(job, sam_tile_dst(job)) : SAM_OK;
}

/* Destination and source may not share bytes, but for element by element work in place. */
static enum sam_status check_overlap(struct sam_tile_job *job)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    enum sam_tile_family family = job->row->family;
    for (size_t i = 0; i < job->sources; i++) {
        if (job->actuals[i].kind != SAM_TILE_IS_TILE)
            continue;
        const struct sam_tile_ref *s = sam_tile_src(job, i);
        if (s->type.loc != d->type.loc)
            continue;
        uint64_t s_size = s->pitch * sam_tile_dtype_size(s->type.dtype), s_line = line_bytes(s);
        uint64_t d_size = d->pitch * sam_tile_dtype_size(d->type.dtype), d_line = line_bytes(d);
        if (s->offset >= end_of(d) || d->offset >= end_of(s))
            continue;
        /* Windows side by side of one tile: lines of the same pitch that do not meet. */
        if (s_size == d_size && s_size) {
            uint64_t gap = (s->offset + s_size - d->offset % s_size) % s_size;
            if (gap >= d_line && gap + s_line <= s_size)
                continue;
        }
        bool same = s->offset == d->offset && s->pitch == d->pitch &&
                    sam_tile_type_equal(&s->type, &d->type);
        bool in_place =
            family == SAM_TILE_BINARY || family == SAM_TILE_SCALAR || family == SAM_TILE_UNARY ||
            family == SAM_TILE_SEL || family == SAM_TILE_AXPY ||
            (family == SAM_TILE_MATMUL && i == 0) ||
            ((family == SAM_TILE_ROWEXPAND2 || family == SAM_TILE_COLEXPAND2) && i == 0);
        if (!same || !in_place)
            return sam_fail(job->error, SAM_ERR_TRAP, "%s: the destination %s overlaps %s",
                            job->row->name, d->name, s->name);
    }
    return SAM_OK;
}

/* Rows and columns that the operation writes of its destination: none when there is nothing to
 * reduce. */
static void written_part(const struct sam_tile_job *job, size_t *rows, size_t *cols)
{
    const struct sam_tile_type *d = &sam_tile_dst(job)->type, *s;
    *rows = (size_t)d->valid_rows;
    *cols = (size_t)d->valid_cols;
    switch (job->row->family) {
    case SAM_TILE_COLFOLD:
    case SAM_TILE_COLARG: *rows = 1; __attribute__((fallthrough));
    case SAM_TILE_ROWFOLD:
    case SAM_TILE_ROWARG:
        s = &sam_tile_src(job, 0)->type;
        if (!s->valid_rows || !s->valid_cols)
            *rows = *cols = 0;
        break;
    case SAM_TILE_FILLPAD:
        *rows = d->rows;
        *cols = d->cols;
        break;
    default: break;
    }
}

static void pad(const struct sam_tile_job *job, size_t rows, size_t cols)
{
    const struct sam_tile_ref *d = sam_tile_dst(job);
    size_t size = sam_tile_dtype_size(d->type.dtype);
    uint64_t bits = sam_tile_pad_bits(d->type.dtype, d->type.pad);
    for (size_t i = 0; i < d->type.rows; i++)
        for (size_t j = i < rows ? cols : 0; j < d->type.cols; j++)
            memcpy(sam_tile_at(job->core, d, i, j), &bits, size);
    sam_tile_core_mark(job->core, d, d->type.rows, d->type.cols);
}

static enum sam_status run_family(struct sam_tile_job *job)
{
    switch (job->row->family) {
    case SAM_TILE_LOAD:
    case SAM_TILE_STORE: return sam_tile_run_global(job);
    case SAM_TILE_COLFOLD:
    case SAM_TILE_ROWFOLD:
    case SAM_TILE_COLARG:
    case SAM_TILE_ROWARG: return sam_tile_run_fold(job);
    case SAM_TILE_MOV:
    case SAM_TILE_TRANS:
    case SAM_TILE_RESHAPE:
    case SAM_TILE_EXTRACT:
    case SAM_TILE_INSERT:
    case SAM_TILE_FILLPAD:
    case SAM_TILE_CONCAT:
    case SAM_TILE_CI: return sam_tile_run_layout(job);
    case SAM_TILE_MATMUL: return sam_tile_run_matmul(job);
    default: return sam_tile_run_elementwise(job);
    }
}

static uint64_t area(const struct sam_tile_ref *t)
{
    return (uint64_t)t->type.valid_rows * (uint64_t)t->type.valid_cols;
}

static void count_op(struct sam_tile_job *job)
{
    struct sam_tile_stats *stats = &job->core->stats;
    stats->tile_ops++;
    stats->by_op[job->code - SAM_TILE_FIRST_OP].ops++;
    stats->by_pipe[sam_tile_pipe(job->code)].ops++;
    for (size_t i = 0; i <= job->sources; i++) {
        const struct sam_tile_ref *t = job->actuals[i].tile;
        if (job->actuals[i].kind == SAM_TILE_IS_TILE && end_of(t) > stats->highest[t->type.loc])
            stats->highest[t->type.loc] = end_of(t);
    }
}

/* Of an operation that went well. */
static void count_elements(struct sam_tile_job *job)
{
    struct sam_tile_stats *stats = &job->core->stats;
    uint64_t elements = 0;
    bool read = false;
    for (size_t i = 0; i < job->sources && job->row->family != SAM_TILE_EXTRACT; i++)
        if (job->actuals[i].kind == SAM_TILE_IS_TILE) {
            struct sam_tile_ref part = part_read(job, i);
            elements += area(&part);
            read = true;
        }
    if (!read) /* as many were written */
        elements = area(sam_tile_dst(job));
    stats->elements += elements;
    stats->by_op[job->code - SAM_TILE_FIRST_OP].elements += elements;
    stats->by_pipe[sam_tile_pipe(job->code)].elements += elements;
}

enum sam_status sam_tile_core_run(struct sam_tile_core *core, unsigned code, unsigned attribute,
                                  const struct sam_tile_actual *actuals, uint32_t id,
                                  struct sam_error *error)
{
    const struct sam_tile_row *row = sam_tile_row(code);
    struct sam_tile_job job = {core, row, code, attribute, actuals, strlen(row->sources), error};
    enum sam_status status = judge(&job);
    count_op(&job);
    if (status == SAM_OK && core->manual)
        status = check_waits(&job, id);
    if (status == SAM_OK)
        status = check_sources(&job);
    bool stores = row->family == SAM_TILE_STORE;
    size_t rows = 0, cols = 0;
    if (status == SAM_OK && !stores) {
        written_part(&job, &rows, &cols);
        if (!rows || !cols)
            return SAM_OK;
        status = check_overlap(&job);
    }
    if (status == SAM_OK)
        status = run_family(&job);
    if (status == SAM_OK)
        count_elements(&job);
    if (status != SAM_OK || stores || row->family == SAM_TILE_INSERT)
        return status;
    sam_tile_core_mark(core, sam_tile_dst(&job), rows, cols);
    if (core->outside == SAM_TILE_PAD_VALUE && sam_tile_dst(&job)->type.pad != SAM_TILE_PAD_null)
        pad(&job, rows, cols);
    return SAM_OK;
}

void sam_tile_core_put(struct sam_tile_core *core, const struct sam_tile_ref *t, const void *data)
{
    size_t rows = (size_t)t->type.valid_rows, cols = (size_t)t->type.valid_cols;
    size_t size = sam_tile_dtype_size(t->type.dtype);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            memcpy(sam_tile_at(core, t, i, j), (const uint8_t *)data + (i * cols + j) * size, size);
    sam_tile_core_mark(core, t, rows, cols);
}

enum sam_status sam_tile_core_get(const struct sam_tile_core *core, const struct sam_tile_ref *t,
                                  void *data, struct sam_error *error)
{
    size_t rows = (size_t)t->type.valid_rows, cols = (size_t)t->type.valid_cols, row, col;
    size_t size = sam_tile_dtype_size(t->type.dtype);
    if (find_unwritten(core, t, rows, cols, &row, &col))
        return sam_fail(error, SAM_ERR_TRAP, "%s[%zu,%zu] is read, and nothing has written it",
                        t->name, row, col);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            memcpy((uint8_t *)data + (i * cols + j) * size, sam_tile_at(core, t, i, j), size);
    return SAM_OK;
}
