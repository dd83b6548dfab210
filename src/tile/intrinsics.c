/* SPDX-License-Identifier: Apache-2.0 */
/* Tile operations called one by one: placing tiles on a core, waits, the operation. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "samite/tile_ops.h"
#include "tile/core.h"

/* Without a limit, as much of each memory as a program of the host may want at a time. */
enum { HOST_MEMORY = 256 << 20, ALIGNMENT = 32 };

struct range {
    uint64_t offset, size;
    enum sam_tile_loc loc;
};

/* What sam_tile_core is on the outside: the core and who lives there. */
struct resident {
    struct sam_tile_core core; /* first: pointers to either are the same */
    struct range *ranges;
    size_t count, capacity;
    bool assigned;  /* some tile has an address of its own, or */
    bool automatic; /* was placed here */
};

static struct resident *resident(struct sam_tile_core *core)
{
    return (struct resident *)core;
}

enum sam_status sam_tile_core_new(const struct sam_tile_options *options,
                                  struct sam_tile_core **core, struct sam_error *error)
{
    uint64_t sizes[SAM_TILE_LOCS];
    struct resident *r = sam_alloc(1, sizeof *r);
    *core = NULL;
    if (!r)
        return sam_fail_memory(error);
    if (options) {
        r->core.profile = options->profile;
        r->core.nan = options->nan;
        r->core.outside = options->outside;
        r->core.plain = options->plain;
    }
    for (int i = 0; i < SAM_TILE_LOCS; i++) {
        sizes[i] = sam_tile_capacity(r->core.profile, (enum sam_tile_loc)i);
        sizes[i] = sizes[i] ? sizes[i] : HOST_MEMORY;
    }
    if (!sam_tile_core_open(&r->core, sizes)) {
        sam_tile_core_free(&r->core);
        return sam_fail_memory(error);
    }
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
    if (tile->core || address % ALIGNMENT || address == SAM_TILE_UNPLACED)
        return SAM_ERR_USAGE;
    tile->offset = address;
    tile->assigned = true;
    return SAM_OK;
}

/* The lowest offset between the ranges of the memory, which are kept in order. */
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
    struct sam_tile_report report = {0};
    struct sam_tile_judge judge = {r->core.profile, &report};
    char *messages = NULL;
    if (type->rows == 0 || type->cols == 0 || type->rows > INT32_MAX || type->cols > INT32_MAX ||
        type->valid_rows < 0 || type->valid_cols < 0)
        return sam_fail(error, SAM_ERR_USAGE, "a tile of %" PRIu32 "x%" PRIu32 " elements",
                        type->rows, type->cols);
    sam_tile_judge_type(&judge, type, (struct sam_tile_pos){0});
    enum sam_status status = sam_tile_report_end(&report, &messages, error);
    free(messages);
    return status;
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
        return sam_fail(error, SAM_ERR_USAGE,
                        "of the tiles on a core all have an assigned address, or none");
    uint64_t room = core->memories[t->type.loc].size, size = sam_tile_bytes(&t->type);
    if (!t->assigned)
        status = find_room(r, t, error);
    else if (t->offset > room || size > room - t->offset)
        status = sam_fail(error, SAM_ERR_USAGE,
                          "the tile ends at 0x%" PRIx64 ", %s has 0x%" PRIx64 " bytes",
                          t->offset + size, sam_tile_loc_names[t->type.loc], room);
    if (status != SAM_OK)
        return status;
    *(t->assigned ? &r->assigned : &r->automatic) = true;
    core->manual = r->assigned;
    t->core = core;
    return SAM_OK;
}

static struct sam_tile_ref ref(const struct sam_tile *t, const char *name)
{
    const struct sam_tile_type *type = &t->type;
    return (struct sam_tile_ref){.type = *type,
                                 .offset = t->offset,
                                 .pitch =
                                     type->blayout == SAM_TILE_row_major ? type->cols : type->rows,
                                 .name = name};
}

enum sam_status sam_tile_place_on(struct sam_tile_core *core, struct sam_tile *tile,
                                  struct sam_error *error)
{
    return place(core, tile, error);
}

enum sam_status sam_tile_fill(struct sam_tile_core *core, struct sam_tile *tile, const void *values,
                              struct sam_error *error)
{
    enum sam_status status = place(core, tile, error);
    if (status != SAM_OK)
        return status;
    struct sam_tile_ref t = ref(tile, "the tile");
    sam_tile_hazard_barrier(&core->hazards); /* the host waits for everything */
    sam_tile_core_put(core, &t, values);
    return SAM_OK;
}

enum sam_status sam_tile_read(const struct sam_tile *tile, void *values, struct sam_error *error)
{
    if (!tile->core)
        return sam_fail(error, SAM_ERR_TRAP, "the tile is read, and nothing has written it");
    struct sam_tile_ref t = ref(tile, "the tile");
    sam_tile_hazard_barrier(&tile->core->hazards);
    return sam_tile_core_get(tile->core, &t, values, error);
}

void sam_tile_release(struct sam_tile *tile)
{
    struct resident *r = resident(tile->core);
    for (size_t i = 0; r && !tile->assigned && i < r->count; i++)
        if (r->ranges[i].loc == tile->type.loc && r->ranges[i].offset == tile->offset) {
            memmove(&r->ranges[i], &r->ranges[i + 1], (--r->count - i) * sizeof *r->ranges);
            break;
        }
    tile->core = NULL;
    tile->offset = SAM_TILE_UNPLACED;
    tile->assigned = false;
}

/* --- an operation */

static struct sam_event failed(enum sam_status status, const char *format, ...) SAM_PRINTF(2, 3);
static struct sam_event failed(enum sam_status status, const char *format, ...)
{
    struct sam_event event = {.status = status};
    va_list list;
    va_start(list, format);
    vsnprintf(event.text, sizeof event.text, format, list);
    va_end(list);
    return event;
}

static const char *const names[] = {"src", "src1", "src2"};

/* Every source lives on one core, and the destination on the same. */
static enum sam_status place_all(const char *name, struct sam_tile *dst,
                                 struct sam_tile *const *sources, size_t count,
                                 struct sam_error *error)
{
    struct sam_tile_core *core = dst->core;
    for (size_t i = 0; i < count; i++) {
        if (!sources[i]->core)
            return sam_fail(error, SAM_ERR_TRAP, "%s reads %s, and nothing has written it", name,
                            names[i]);
        if (core && sources[i]->core != core)
            return sam_fail(error, SAM_ERR_USAGE, "%s: the tiles are on different cores", name);
        core = sources[i]->core;
    }
    if (!core)
        return sam_fail(error, SAM_ERR_USAGE, "%s: the destination is on no core", name);
    return place(core, dst, error);
}

/* The operands in the order of the row: tiles, then the scalar, of `dtype`. */
static void gather(const struct sam_tile_row *row, const struct sam_tile_ref *refs,
                   enum sam_tile_dtype dtype, double scalar, struct sam_tile_actual *actuals)
{
    size_t tiles = 0;
    for (size_t i = 0; i < row->count; i++) {
        if (row->sources[i] == 't') {
            actuals[i] = (struct sam_tile_actual){.kind = SAM_TILE_IS_TILE, .tile = &refs[tiles++]};
            continue;
        }
        int64_t bits = 0;
        if (sam_tile_is_real(dtype))
            bits = sam_tile_real_bits(dtype, scalar, SAM_TILE_RINT);
        else if (fabs(scalar) < 8589934592.0)
            bits = (int64_t)scalar;
        actuals[i] =
            (struct sam_tile_actual){.kind = SAM_TILE_IS_NUMBER, .number = bits, .dtype = dtype};
    }
    actuals[row->count] = (struct sam_tile_actual){.kind = SAM_TILE_IS_TILE, .tile = &refs[3]};
}

/* Operations have the same numbers on both sides. */
#define TILE_OP(code, name, ...)                                                                   \
    _Static_assert((unsigned)SAM_TILE_OP_##code == SAM_TILE_##code - SAM_TILE_FIRST_OP, name);
#include "tile/ops.def"
_Static_assert((unsigned)SAM_TILE_OPS == SAM_TILE_CODES - SAM_TILE_FIRST_OP, "all of them");

/* What is too large to be cleared first is set as far as it is used. */
static enum sam_status perform(unsigned code, struct sam_tile *dst, struct sam_tile *const *sources,
                               double scalar, unsigned attribute,
                               const struct sam_event *const *events, struct sam_error *error)
{
    const struct sam_tile_row *row = sam_tile_row(code);
    struct sam_tile_ref refs[4];
    struct sam_tile_actual actuals[4];
    size_t tiles = 0, wanted = 0;
    for (const char *c = row->sources; *c; c++) {
        if (*c == 'v' || *c == 'i')
            return sam_fail(error, SAM_ERR_USAGE, "%s is for programs", row->name);
        wanted += *c == 't';
    }
    while (tiles < 4 && sources[tiles])
        tiles++;
    if (row->family == SAM_TILE_STORE || tiles != wanted)
        return sam_fail(error, SAM_ERR_USAGE, "%s takes %zu tiles, found %zu", row->name, wanted,
                        tiles);
    enum sam_status status = place_all(row->name, dst, sources, tiles, error);
    if (status != SAM_OK)
        return status;
    for (size_t i = 0; i < tiles; i++)
        refs[i] = ref(sources[i], names[i]);
    refs[3] = ref(dst, "dst");
    bool of_source = row->family == SAM_TILE_CMP && tiles;
    gather(row, refs, of_source ? sources[0]->type.dtype : dst->type.dtype, scalar, actuals);
    for (size_t i = 0; events[i]; i++)
        sam_tile_hazard_wait(&dst->core->hazards, (enum sam_tile_pipe)events[i]->pipe,
                             events[i]->time);
    return sam_tile_core_run(dst->core, code, attribute, actuals, 0, error);
}

/* Its text is too long to be cleared each time. */
static struct sam_event done(struct sam_tile_core *core, enum sam_tile_pipe pipe)
{
    struct sam_event event;
    event.status = SAM_OK;
    event.pipe = pipe;
    event.time = sam_tile_hazard_record(&core->hazards, pipe);
    event.text[0] = '\0';
    return event;
}

struct sam_event sam_tile_call(enum sam_tile_opcode op, struct sam_tile *dst,
                               struct sam_tile *const *sources, double scalar, unsigned attribute,
                               const struct sam_event *const *events)
{
    unsigned code = SAM_TILE_FIRST_OP + (unsigned)op;
    struct sam_error error;
    if ((unsigned)op >= SAM_TILE_OPS)
        return failed(SAM_ERR_USAGE, "unknown operation %u", (unsigned)op);
    for (size_t i = 0; events[i]; i++)
        if (events[i]->status != SAM_OK)
            return *events[i]; /* what was waited for never came */
    if (perform(code, dst, sources, scalar, attribute, events, &error) != SAM_OK)
        return failed(error.status, "%s", error.text);
    return done(dst->core, sam_tile_pipe(code));
}

struct sam_event sam_tile_apply(const char *name, struct sam_tile *dst,
                                struct sam_tile *const *sources, double scalar, unsigned attribute,
                                const struct sam_event *const *events)
{
    unsigned code = sam_tile_code_find(name, strlen(name));
    if (code < SAM_TILE_FIRST_OP || code >= SAM_TILE_CODES)
        return failed(SAM_ERR_USAGE, "unknown operation '%s'", name);
    return sam_tile_call((enum sam_tile_opcode)(code - SAM_TILE_FIRST_OP), dst, sources, scalar,
                         attribute, events);
}
