/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of single tile operations: place tiles on a core, check waits, run the operation. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "samite/tile_ops.h"
#include "tile/core/core.h"

/* Size of each memory if the profile sets no limit. */
enum { HOST_MEMORY = 256 << 20, ALIGNMENT = 32 };

struct range {
    uint64_t offset, size;
    enum sam_tile_loc loc;
};

/* The public sam_tile_core: the core and its tiles. */
struct resident {
    struct sam_tile_core core; /* first, so that pointers to either are interchangeable */
    struct range *ranges;
    size_t count, capacity;
    size_t assigned;  /* tiles with an assigned address */
    size_t automatic; /* tiles placed by the core */
};

static struct resident *resident(struct sam_tile_core *core)
{
    return (struct resident *)core;
}

enum sam_status sam_tile_core_new(const struct sam_tile_options *options,
                                  struct sam_tile_core **core, struct sam_error *error)
{
    uint64_t sizes[SAM_TILE_LOCS];
    struct sam_tile_options taken;
    if (SAM_LACKS(error, core))
        return SAM_ERR_USAGE;
    *core = NULL;
    enum sam_status status =
        sam_options_take(&taken, sizeof taken, SAM_TILE_OPTIONS_FIRST, options, error);
    if (status == SAM_OK)
        status = sam_tile_check_options(&taken, error);
    if (status != SAM_OK)
        return status;
    struct resident *r = sam_alloc(1, sizeof *r);
    if (!r)
        return sam_fail_memory(error);
    sam_tile_core_set(&r->core, &taken);
    for (int i = 0; i < SAM_TILE_LOCS; i++) {
        sizes[i] = sam_tile_capacity(r->core.profile, (enum sam_tile_loc)i);
        sizes[i] = sizes[i] ? sizes[i] : HOST_MEMORY;
    }
    sam_tile_core_open(&r->core, sizes);
    *core = &r->core;
    return SAM_OK;
}

void sam_tile_core_free(struct sam_tile_core *core)
{
    if (!core)
        return;
    sam_tile_core_close(core);
    free(resident(core)->ranges);
    free(resident(core));
}

enum sam_status sam_tassign(struct sam_tile *tile, uint64_t address)
{
    if (!tile || tile->core || address % ALIGNMENT || address == SAM_TILE_UNPLACED)
        return SAM_ERR_USAGE;
    tile->offset = address;
    tile->assigned = true;
    return SAM_OK;
}

/* The lowest free offset between the ranges in use, which are sorted. */
static enum sam_status find_room(struct resident *r, struct sam_tile *t, struct sam_error *error)
{
    uint64_t size = sam_tile_bytes(&t->type), offset = 0;
    size_t at = 0;
    void *grown = sam_grow(r->ranges, r->count, &r->capacity, sizeof *r->ranges);
    if (!grown)
        return sam_fail_memory(error);
    r->ranges = grown;
    for (; at < r->count; at++) {
        const struct range *range = &r->ranges[at];
        if (range->loc != t->type.loc)
            continue;
        if (range->offset >= offset + size)
            break;
        offset = (range->offset + range->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    uint64_t room = r->core.memories[t->type.loc].size;
    if (offset > room || size > room - offset)
        return sam_fail(error, SAM_ERR_TRAP,
                        "no room for %" PRIu64 " bytes in %s, which has %" PRIu64, size,
                        sam_tile_loc_names[t->type.loc], room);
    if (!sam_tile_core_reach(&r->core, t->type.loc, offset + size))
        return sam_fail_memory(error);
    memmove(&r->ranges[at + 1], &r->ranges[at], (r->count - at) * sizeof *r->ranges);
    r->ranges[at] = (struct range){offset, size, t->type.loc};
    r->count++;
    t->offset = offset;
    sam_tile_core_forget(&r->core, t->type.loc, offset, size);
    return SAM_OK;
}

static enum sam_status check_type(const struct resident *r, const struct sam_tile_type *type,
                                  struct sam_error *error)
{
    uint64_t elements = (uint64_t)type->rows * type->cols;
    struct sam_tile_report report = {0};
    struct sam_tile_verifier verifier = {.profile = r->core.profile, .report = &report};
    char *messages = NULL;
    const char *fault = sam_tile_type_fault(type);
    if (fault)
        return sam_fail(error, SAM_ERR_USAGE, "the tile's type has an invalid %s", fault);
    if (elements == 0 || elements > INT32_MAX)
        return sam_fail(error, SAM_ERR_USAGE, "a tile of %" PRIu32 "x%" PRIu32 " elements",
                        type->rows, type->cols);
    if (type->valid_rows < 0 || type->valid_cols < 0)
        return sam_fail(error, SAM_ERR_USAGE, "%" PRId64 "x%" PRId64 " valid elements of a tile",
                        type->valid_rows, type->valid_cols);
    sam_tile_verify_type(&verifier, type, (struct sam_tile_pos){0});
    struct sam_error why = {0};
    enum sam_status status = sam_tile_report_end(&report, &messages, &why);
    free(messages);
    if (status == SAM_ERR_INPUT) /* the status for a program; here the caller wrote the type */
        status = SAM_ERR_USAGE;
    return status == SAM_OK ? SAM_OK : sam_fail(error, status, "%s", why.text);
}

static enum sam_status place(struct sam_tile_core *core, struct sam_tile *t,
                             struct sam_error *error)
{
    struct resident *r = resident(core);
    if (t->core)
        return t->core == core ? SAM_OK
                               : sam_fail(error, SAM_ERR_USAGE, "the tile is on another core");
    enum sam_status status = check_type(r, &t->type, error);
    if (status != SAM_OK)
        return status;
    if (t->assigned ? r->automatic : r->assigned)
        return sam_fail(
            error, SAM_ERR_USAGE,
            "either all tiles on a core have an assigned address, or none has: expected "
            "those of the other kind to be released first");
    uint64_t room = core->memories[t->type.loc].size, size = sam_tile_bytes(&t->type);
    if (!t->assigned)
        status = find_room(r, t, error);
    else if (t->offset > room || size > room - t->offset)
        status = sam_fail(error, SAM_ERR_USAGE,
                          "the tile ends at 0x%" PRIx64 ", %s has 0x%" PRIx64 " bytes",
                          t->offset + size, sam_tile_loc_names[t->type.loc], room);
    if (status != SAM_OK)
        return status;
    if (core->manual && !t->assigned) /* the core inserts waits again */
        sam_tile_hazard_barrier(&core->hazards);
    ++*(t->assigned ? &r->assigned : &r->automatic);
    core->manual = t->assigned;
    t->core = core;
    return SAM_OK;
}

/* No division: this runs for each tile of each operation. */
static bool fits(uint64_t room, uint64_t offset, uint64_t size)
{
    return offset <= room && size <= room - offset;
}

/* Make a reference to the tile's current state, named for messages. The owner may have changed the
 * tile since placement: elements must lie within the tile, and the tile within its memory. */
static enum sam_status make_ref(const struct sam_tile *t, const char *name,
                                struct sam_tile_ref *ref, struct sam_error *error)
{
    const struct sam_tile_type *type = &t->type;
    bool by_rows = type->blayout == SAM_TILE_row_major;
    uint32_t lines = by_rows ? type->rows : type->cols, length = by_rows ? type->cols : type->rows;
    uint32_t pitch = t->pitch ? t->pitch : length;
    if (type->valid_rows < 0 || type->valid_rows > type->rows || type->valid_cols < 0 ||
        type->valid_cols > type->cols)
        return sam_fail(error, SAM_ERR_USAGE,
                        "%s: %" PRId64 "x%" PRId64 " valid elements in a tile of %" PRIu32
                        "x%" PRIu32,
                        name, type->valid_rows, type->valid_cols, type->rows, type->cols);
    uint64_t elements = (uint64_t)(lines - 1) * pitch + length, size;
    if (lines == 0 || length == 0 || length > pitch || sam_tile_type_fault(type) ||
        lines > INT32_MAX || pitch > INT32_MAX || elements > INT64_MAX / 8 ||
        !fits(t->core->memories[type->loc].size, t->offset,
              size = sam_tile_length(type->dtype, elements)) ||
        (sam_tile_is_paired(type->dtype) && (length % 2 || pitch % 2)))
        return sam_fail(error, SAM_ERR_USAGE,
                        "%s: the type of the tile changed after it was placed", name);
    if (!sam_tile_core_reach(t->core, type->loc, t->offset + size))
        return sam_fail_memory(error);
    *ref = (struct sam_tile_ref){.type = *type, .offset = t->offset, .pitch = pitch, .name = name};
    return SAM_OK;
}

enum sam_status sam_tile_place_on(struct sam_tile_core *core, struct sam_tile *tile,
                                  struct sam_error *error)
{
    if (!core || !tile)
        return sam_fail_null(error, core ? "the tile" : "the core");
    return place(core, tile, error);
}

enum sam_status sam_tile_fill(struct sam_tile_core *core, struct sam_tile *tile, const void *values,
                              struct sam_error *error)
{
    struct sam_tile_ref t;
    if (!core || !tile || !values)
        return sam_fail_null(error, !core   ? "the core"
                                    : !tile ? "the tile"
                                            : "the array of values");
    enum sam_status status = place(core, tile, error);
    if (status == SAM_OK)
        status = make_ref(tile, "the tile", &t, error);
    if (status != SAM_OK)
        return status;
    sam_tile_hazard_barrier(&core->hazards); /* the host waits for all pipes */
    sam_tile_core_put(core, &t, values);
    return SAM_OK;
}

enum sam_status sam_tile_read(const struct sam_tile *tile, void *values, struct sam_error *error)
{
    if (!tile || !values)
        return sam_fail_null(error, tile ? "the array of values" : "the tile");
    if (!tile->core)
        return sam_fail(error, SAM_ERR_TRAP, "the tile is read before it is written");
    struct sam_tile_ref t;
    enum sam_status status = make_ref(tile, "the tile", &t, error);
    if (status != SAM_OK)
        return status;
    sam_tile_hazard_barrier(&tile->core->hazards);
    return sam_tile_core_get(tile->core, &t, values, error);
}

void sam_tile_release(struct sam_tile *tile)
{
    if (!tile)
        return;
    struct resident *r = resident(tile->core);
    struct sam_tile_ref t;
    bool owns = r && !tile->pitch; /* not a window */
    if (owns) {
        size_t *count = tile->assigned ? &r->assigned : &r->automatic;
        *count -= *count != 0;
    }
    owns = owns && make_ref(tile, "", &t, NULL) == SAM_OK;
    if (owns)
        sam_tile_core_forget(&r->core, t.type.loc, t.offset, sam_tile_bytes(&t.type));
    for (size_t i = 0; owns && !tile->assigned && i < r->count; i++)
        if (r->ranges[i].loc == tile->type.loc && r->ranges[i].offset == tile->offset) {
            memmove(&r->ranges[i], &r->ranges[i + 1], (--r->count - i) * sizeof *r->ranges);
            break;
        }
    tile->core = NULL;
    tile->offset = SAM_TILE_UNPLACED;
    tile->assigned = false;
    tile->pitch = 0;
}

enum sam_status sam_tsubview(struct sam_tile *window, const struct sam_tile *tile, uint32_t row,
                             uint32_t col, struct sam_error *error)
{
    if (!window || !tile)
        return sam_fail_null(error, window ? "the tile" : "the window");
    const struct sam_tile_type *type = &window->type;
    struct sam_tile_ref from = {0};
    if (window->core || window->assigned)
        return sam_fail(error, SAM_ERR_USAGE, "the window is already placed");
    if (!tile->core)
        return sam_fail(error, SAM_ERR_USAGE, "the tile is not placed yet");
    enum sam_status status = make_ref(tile, "the tile", &from, error);
    if (status == SAM_OK)
        status = check_type(resident(tile->core), type, error);
    if (status != SAM_OK)
        return status;
    if (type->loc != from.type.loc || type->dtype != from.type.dtype ||
        type->blayout != from.type.blayout || type->slayout != SAM_TILE_none_box ||
        from.type.slayout != SAM_TILE_none_box)
        return sam_fail(
            error, SAM_ERR_USAGE,
            "a window must have the memory, dtype and layout of its tile, and must not be boxed");
    if (type->rows > from.type.rows || row > from.type.rows - type->rows ||
        type->cols > from.type.cols || col > from.type.cols - type->cols)
        return sam_fail(error, SAM_ERR_USAGE,
                        "a window of %" PRIu32 "x%" PRIu32 " at [%" PRIu32 ",%" PRIu32
                        "] leaves the tile, %" PRIu32 "x%" PRIu32,
                        type->rows, type->cols, row, col, from.type.rows, from.type.cols);
    const uint64_t index = sam_tile_index(&from, row, col);
    const uint64_t offset = sam_tile_length(type->dtype, index);
    if (index * sam_dtype_table[type->dtype].bits % (ALIGNMENT * 8))
        return sam_fail(error, SAM_ERR_USAGE, "the window does not start at a multiple of %d bytes",
                        ALIGNMENT);
    window->core = tile->core;
    window->offset = tile->offset + offset;
    window->pitch = from.pitch;
    window->assigned = tile->assigned;
    return SAM_OK;
}

void sam_tile_core_stats(const struct sam_tile_core *core, struct sam_tile_stats *stats)
{
    if (!core) {
        *stats = (struct sam_tile_stats){0};
        return;
    }
    *stats = core->stats;
    stats->ops = stats->tile_ops;
}

/* --- an operation */

static struct sam_event failed(enum sam_status status, const char *format, ...) SAM_PRINTF(2, 3);
static struct sam_event failed(enum sam_status status, const char *format, ...)
{
    struct sam_event event = {.status = status};
    va_list list;
    va_start(list, format);
    sam_format_list(event.text, sizeof event.text, format, list);
    va_end(list);
    return event;
}

static struct sam_tile *const no_tiles[] = {NULL};
static const struct sam_event *const no_events[] = {NULL};
static const char *const names[] = {"src", "src1", "src2", "src3", "src4"};

/* All sources, and the destination unless it is NULL, must live on the same core. */
static enum sam_status place_all(const char *name, struct sam_tile *dst,
                                 struct sam_tile *const *sources, size_t count,
                                 struct sam_tile_core **on, struct sam_error *error)
{
    struct sam_tile_core *core = dst ? dst->core : NULL;
    for (size_t i = 0; i < count; i++) {
        if (!sources[i]->core)
            return sam_fail(error, SAM_ERR_TRAP, "%s reads %s before it is written", name,
                            names[i]);
        if (core && sources[i]->core != core)
            return sam_fail(error, SAM_ERR_USAGE, "%s: the tiles are on different cores", name);
        core = sources[i]->core;
    }
    if (!core)
        return sam_fail(error, SAM_ERR_USAGE,
                        "%s: the destination is on no core (sam_tile_place_on)", name);
    *on = core;
    return dst ? place(core, dst, error) : SAM_OK;
}

/* Public opcodes are row numbers. */
#define TILE_OP(code, name, ...)                                                                   \
    _Static_assert((unsigned)SAM_TILE_OP_##code == SAM_TILE_##code - SAM_TILE_FIRST_OP, name);
#include "tile/ops.def"
_Static_assert((unsigned)SAM_TILE_OPS == SAM_TILE_CODES - SAM_TILE_FIRST_OP, "all of them");

/* The operands of a call. */
struct call {
    const char *name;
    const struct sam_tile_row *row;
    unsigned code, attribute;
    struct sam_tile *dst;               /* NULL for tstore */
    struct sam_tile *const *sources;    /* NULL-terminated */
    const struct sam_tile_window *view; /* or NULL */
    double numbers[SAM_TILE_OPERANDS];  /* scalars and indices, in order */
};

/* The bits of a scalar. Floats are rounded; integers must fit. */
static enum sam_status scalar_bits(const struct call *call, double number, enum sam_dtype dtype,
                                   int64_t *bits, struct sam_error *error)
{
    if (sam_tile_is_real(dtype)) {
        *bits = (int64_t)sam_tile_real_bits(dtype, number, SAM_TILE_RINT);
        return SAM_OK;
    }
    double range = ldexp(1, (int)(8 * sam_tile_size(dtype)) - sam_tile_is_signed(dtype));
    if (number != trunc(number) || !(number < range) ||
        !(number >= (sam_tile_is_signed(dtype) ? -range : 0)))
        return sam_fail(error, SAM_ERR_USAGE, "%s: the scalar %g does not fit %s", call->name,
                        number, sam_tile_dtype_name(dtype));
    *bits = number < 0 ? (int64_t)number : (int64_t)(uint64_t)number;
    return SAM_OK;
}

static enum sam_status index_bits(const struct call *call, double number, int64_t *bits,
                                  struct sam_error *error)
{
    if (number != trunc(number) || !(fabs(number) < 0x1p63))
        return sam_fail(error, SAM_ERR_USAGE, "%s: %g is no index", call->name, number);
    *bits = (int64_t)number;
    return SAM_OK;
}

/* The dtype of scalar `index` of an operation: the families with two have a byte and a float. */
static enum sam_dtype scalar_dtype(const struct call *call, const struct sam_tile_ref *refs,
                                   size_t index)
{
    if (!call->dst)
        return SAM_F32; /* without a destination there is no scalar */
    const bool of_source = sam_tile_scalar_of_source(call->row) != (index > 0);
    return (of_source ? refs[0] : refs[SAM_TILE_OPERANDS - 1]).type.dtype;
}

/* Collect the operands in row order, then the destination. */
static enum sam_status gather(const struct call *call, const struct sam_tile_ref *refs,
                              struct sam_tile_actual *actuals, struct sam_error *error)
{
    const char *sources = call->row->sources;
    size_t tiles = 0, numbers = 0, count = call->row->count;
    for (size_t i = 0; i < count; i++) {
        struct sam_tile_actual *a = &actuals[i];
        enum sam_status status = SAM_OK;
        *a = (struct sam_tile_actual){.kind = SAM_TILE_IS_NUMBER};
        if (sources[i] == 't') {
            a->kind = SAM_TILE_IS_TILE;
            a->tile = &refs[tiles++];
        } else if (sources[i] == 'v') {
            a->kind = SAM_TILE_IS_WINDOW;
            a->window = call->view;
        } else if (sources[i] == 'i') {
            a->is_index = true;
            status = index_bits(call, call->numbers[numbers++], &a->number, error);
        } else {
            a->dtype = scalar_dtype(call, refs, numbers);
            status = scalar_bits(call, call->numbers[numbers++], a->dtype, &a->number, error);
        }
        if (status != SAM_OK)
            return status;
    }
    actuals[count] =
        (struct sam_tile_actual){.kind = SAM_TILE_IS_TILE, .tile = &refs[SAM_TILE_OPERANDS - 1]};
    if (!call->dst)
        actuals[count] = (struct sam_tile_actual){.kind = SAM_TILE_IS_WINDOW, .window = call->view};
    return SAM_OK;
}

/* Check number and kinds of the operands. */
static enum sam_status check_operands(const struct call *call, const char *kinds,
                                      struct sam_error *error)
{
    size_t tiles = 0, wanted = 0, scalars = 0;
    bool other = sam_tile_stores(call->row) && !call->view;
    for (const char *c = call->row->sources; *c; c++) {
        wanted += *c == 't';
        scalars += *c == 's';
        other |= *c != 't' && !strchr(kinds, *c);
    }
    if (other || (scalars > 1 && !strchr(kinds, 'i')))
        return sam_fail(error, SAM_ERR_USAGE, "%s takes operands of another kind: use sam_%s",
                        call->name, call->name);
    while (tiles < SAM_TILE_OPERANDS && call->sources[tiles])
        tiles++;
    if (!call->dst && !sam_tile_stores(call->row))
        return sam_fail(error, SAM_ERR_USAGE, "%s has no destination", call->name);
    if (tiles != wanted)
        return sam_fail(error, SAM_ERR_USAGE, "%s takes %zu tiles, found %zu", call->name, wanted,
                        tiles);
    const struct sam_tile_attribute_text *attribute = sam_tile_attribute(call->row);
    if (attribute->key && call->attribute >= attribute->count)
        return sam_fail(error, SAM_ERR_USAGE, "%s has no attribute %u", call->name,
                        call->attribute);
    return SAM_OK;
}

/* Large arrays are not cleared: only used entries are set. */
static enum sam_status run_call(const struct call *call, const struct sam_event *const *events,
                                struct sam_tile_core **core, struct sam_error *error)
{
    struct sam_tile_ref refs[SAM_TILE_OPERANDS]; /* of the sources; the last, of dst */
    struct sam_tile_actual actuals[SAM_TILE_OPERANDS];
    size_t tiles = 0;
    while (call->sources[tiles])
        tiles++;
    enum sam_status status = place_all(call->name, call->dst, call->sources, tiles, core, error);
    for (size_t i = 0; i < tiles && status == SAM_OK; i++)
        status = make_ref(call->sources[i], names[i], &refs[i], error);
    if (status == SAM_OK && call->dst)
        status = make_ref(call->dst, "dst", &refs[SAM_TILE_OPERANDS - 1], error);
    if (status == SAM_OK)
        status = gather(call, refs, actuals, error);
    if (status != SAM_OK)
        return status;
    for (size_t i = 0; events[i]; i++)
        sam_tile_hazard_wait(&(*core)->hazards, events[i]->pipe, events[i]->time);
    return sam_tile_core_run(*core, call->code, call->attribute, actuals, 0, error);
}

/* The text is not cleared: that would dominate short calls. */
static struct sam_event done(struct sam_tile_core *core, enum sam_tile_pipe pipe)
{
    struct sam_event event;
    event.status = SAM_OK;
    event.pipe = pipe;
    event.time = sam_tile_hazard_record(&core->hazards, pipe);
    event.text[0] = '\0';
    return event;
}

/* `kinds`: the non-tile operands that this kind of call passes. */
static struct sam_event apply(struct call *call, const char *kinds,
                              const struct sam_event *const *events)
{
    struct sam_error error;
    struct sam_tile_core *core = NULL;
    call->row = sam_tile_row(call->code);
    call->name = call->row->name;
    call->sources = call->sources ? call->sources : no_tiles;
    events = events ? events : no_events;
    for (size_t i = 0; events[i]; i++)
        if (events[i]->status != SAM_OK)
            return *events[i]; /* the awaited operation failed */
    if (check_operands(call, kinds, &error) != SAM_OK ||
        run_call(call, events, &core, &error) != SAM_OK)
        return failed(error.status, "%s", error.text);
    return done(core, sam_tile_pipe(call->code));
}

struct sam_event sam_tile_call(enum sam_tile_opcode op, struct sam_tile *dst,
                               struct sam_tile *const *sources, double scalar, unsigned attribute,
                               const struct sam_event *const *events)
{
    struct call call = {.code = SAM_TILE_FIRST_OP + (unsigned)op,
                        .dst = dst,
                        .sources = sources,
                        .numbers = {scalar, scalar, scalar},
                        .attribute = attribute};
    if ((unsigned)op >= SAM_TILE_OPS)
        return failed(SAM_ERR_USAGE, "unknown operation %u", (unsigned)op);
    return apply(&call, "s", events);
}

struct sam_event sam_tile_call_numbers(enum sam_tile_opcode op, struct sam_tile *dst,
                                       struct sam_tile *const *sources, const double *numbers,
                                       size_t count, unsigned attribute,
                                       const struct sam_event *const *events)
{
    struct call call = {.code = SAM_TILE_FIRST_OP + (unsigned)op,
                        .dst = dst,
                        .sources = sources,
                        .attribute = attribute};
    size_t wanted = 0;
    if ((unsigned)op >= SAM_TILE_OPS)
        return failed(SAM_ERR_USAGE, "unknown operation %u", (unsigned)op);
    for (const char *c = sam_tile_row(call.code)->sources; *c; c++)
        wanted += *c == 's' || *c == 'i';
    if (count != wanted || (count && !numbers))
        return failed(SAM_ERR_USAGE, "%s takes %zu numbers, found %zu",
                      sam_tile_row(call.code)->name, wanted, numbers ? count : 0);
    for (size_t i = 0; i < count; i++)
        call.numbers[i] = numbers[i];
    return apply(&call, "si", events);
}

static bool find_code(const char *name, unsigned *code)
{
    *code = name ? sam_tile_code_find(name, strlen(name)) : SAM_TILE_CODES;
    return *code >= SAM_TILE_FIRST_OP && *code < SAM_TILE_CODES;
}

static struct sam_event unknown(const char *name)
{
    return failed(SAM_ERR_USAGE, "unknown operation '%s'", name ? name : "");
}

struct sam_event sam_tile_apply(const char *name, struct sam_tile *dst,
                                struct sam_tile *const *sources, double scalar, unsigned attribute,
                                const struct sam_event *const *events)
{
    struct call call = {.dst = dst,
                        .sources = sources,
                        .numbers = {scalar, scalar, scalar},
                        .attribute = attribute};
    return find_code(name, &call.code) ? apply(&call, "s", events) : unknown(name);
}

struct sam_event sam_tile_apply_at(const char *name, struct sam_tile *dst, struct sam_tile *src,
                                   int64_t row, int64_t col, const struct sam_event *const *events)
{
    struct sam_tile *const sources[] = {src, NULL};
    struct call call = {.dst = dst, .sources = sources, .numbers = {(double)row, (double)col}};
    return find_code(name, &call.code) ? apply(&call, "i", events) : unknown(name);
}

struct sam_event sam_tile_call_view(enum sam_tile_opcode op, struct sam_tile *dst,
                                    struct sam_tile *const *sources,
                                    const struct sam_tile_view *view,
                                    const struct sam_event *const *events)
{
    if ((unsigned)op >= SAM_TILE_OPS)
        return failed(SAM_ERR_USAGE, "unknown operation %u", (unsigned)op);
    struct call call = {.code = SAM_TILE_FIRST_OP + (unsigned)op, .dst = dst, .sources = sources};
    const struct sam_tile_row *row = sam_tile_row(call.code);
    call.name = row->name;
    if (row->sources[0] != 'v' && !sam_tile_stores(row))
        return failed(SAM_ERR_USAGE, "%s takes no view", call.name);
    if (dst && sam_tile_stores(row))
        return failed(SAM_ERR_USAGE, "%s has a view as its destination", call.name);
    if (!view || (!view->data && view->count))
        return failed(SAM_ERR_USAGE, "%s: the %s is NULL", call.name, view ? "array" : "view");
    if (view->rank == 0 || view->rank > SAM_TILE_RANK || !sam_tile_has_dtype(view->dtype) ||
        view->count > INT64_MAX / 8)
        return failed(SAM_ERR_USAGE, "%s: a view has 1 to %d dimensions", call.name, SAM_TILE_RANK);
    struct sam_array array = {.dtype = view->dtype, .count = view->count, .data = view->data};
    struct sam_tile_window w = {.array = &array,
                                .dtype = view->dtype,
                                .rank = view->rank,
                                .base = view->offset,
                                .name = "the array"};
    for (uint32_t i = 0; i < view->rank; i++) {
        w.shape[i] = view->shape[i];
        w.strides[i] = view->strides[i];
        if (!sam_tile_window_fits(w.shape[i], w.strides[i]))
            return failed(SAM_ERR_USAGE,
                          "%s: dimension %" PRIu32 " of the view is %" PRId64
                          ", its stride %" PRId64,
                          call.name, i, w.shape[i], w.strides[i]);
    }
    if (w.base > INT64_C(1) << 58 || w.base < -(INT64_C(1) << 58))
        return failed(SAM_ERR_USAGE, "%s: the view starts at element %" PRId64, call.name, w.base);
    call.view = &w;
    return apply(&call, "v", events);
}

struct sam_event sam_tile_apply_view(bool load, struct sam_tile *tile,
                                     const struct sam_tile_view *view,
                                     const struct sam_event *const *events)
{
    struct sam_tile *const stored[] = {tile, NULL};
    return load ? sam_tile_call_view(SAM_TILE_OP_TLOAD, tile, NULL, view, events)
                : sam_tile_call_view(SAM_TILE_OP_TSTORE, NULL, stored, view, events);
}

struct sam_event sam_tile_sync(struct sam_tile_core *core, const struct sam_event *const *events)
{
    if (!core)
        return failed(SAM_ERR_USAGE, "the core is NULL");
    events = events ? events : no_events;
    for (size_t i = 0; events[i]; i++)
        if (events[i]->status != SAM_OK)
            return *events[i];
    if (!events[0])
        sam_tile_hazard_barrier(&core->hazards);
    for (size_t i = 0; events[i]; i++)
        sam_tile_hazard_wait(&core->hazards, events[i]->pipe, events[i]->time);
    return (struct sam_event){.status = SAM_OK};
}
