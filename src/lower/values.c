/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a tile program on the hart: constants, and slots in memory. s0 points 2048 bytes past
 * the first slot, so 4 KiB of slots are reachable by offset; tp addresses the rest. */
#include <inttypes.h>
#include <stdlib.h>

#include "lower/hart.h"
#include "lower/packed.h"

/* --- slots */

uint32_t sam_lower_slot(struct lower *l, uint32_t size)
{
    const uint32_t slot = (uint32_t)l->state->slots.size;
    sam_buffer_fill(&l->state->slots, 0, size);
    return slot;
}

void sam_lower_slot_start(struct lower *l, uint32_t slot, uint64_t number)
{
    if (l->state->slots.failed)
        return;
    sam_put_le32(l->state->slots.data + slot, (uint32_t)number);
    sam_put_le32(l->state->slots.data + slot + 4, (uint32_t)(number >> 32));
}

void sam_lower_slot_op(struct lower *l, const char *op, const char *reg, uint32_t slot)
{
    const int offset = (int)slot - LOWER_SLOTS_BASE;
    if (offset <= 2047)
        sam_lower_hart(l, "%-7s %s, %d(s0)", op, reg, offset);
    else
        sam_lower_hart(l, "li tp, %d; add tp, tp, s0; %-7s %s, 0(tp)", offset, op, reg);
}

static uint32_t slot_of(struct lower *l, uint32_t value, uint32_t size)
{
    struct lower_value *v = lower_value(l, value);
    if (v->slot == LOWER_NO_SLOT)
        v->slot = sam_lower_slot(l, size);
    return v->slot;
}

/* --- scalars */

bool sam_lower_constant(const struct lower *l, uint32_t value, int64_t *number)
{
    const struct lower_value *v = lower_value(l, value);
    *number = v->number;
    return v->known;
}

void sam_lower_know(struct lower *l, uint32_t value, int64_t number)
{
    lower_value(l, value)->known = true;
    lower_value(l, value)->number = number;
}

void sam_lower_get(struct lower *l, const char *reg, uint32_t value)
{
    int64_t number;
    if (sam_lower_constant(l, value, &number))
        sam_lower_hart(l, "li %s, %" PRId64, reg, number);
    else
        sam_lower_slot_op(l, "ld", reg, slot_of(l, value, 8));
}

void sam_lower_set(struct lower *l, uint32_t value, const char *reg)
{
    sam_lower_slot_op(l, "sd", reg, slot_of(l, value, 8));
}

/* --- tiles */

enum { TILE_SLOT = 16 };

/* Base and size of each tile memory. */
static const struct {
    uint32_t base, size;
} memories[SAM_TILE_LOCS] = {
    [SAM_TILE_vec] = {LOWER_VEC, LOWER_ACC - LOWER_VEC},
    [SAM_TILE_mat] = {LOWER_MAT, LOWER_LEFT - LOWER_MAT},
    [SAM_TILE_left] = {LOWER_LEFT, LOWER_RIGHT - LOWER_LEFT},
    [SAM_TILE_right] = {LOWER_RIGHT, LOWER_STAGING - LOWER_RIGHT},
    [SAM_TILE_acc] = {LOWER_ACC, LOWER_SCRATCH - LOWER_ACC},
};

uint32_t sam_lower_memory(enum sam_tile_loc loc)
{
    return memories[loc].base;
}

uint32_t sam_lower_room(const struct lower *l, enum sam_tile_loc loc)
{
    const uint64_t capacity = sam_tile_capacity(l->options.profile, loc);
    return capacity && capacity < memories[loc].size ? (uint32_t)capacity : memories[loc].size;
}

bool sam_lower_is_computed(const struct lower *l, uint32_t tile)
{
    const struct sam_tile_place *place = sam_tile_place_find(&l->plan, lower_root(l, tile));
    return !place || place->offset == SAM_TILE_NOWHERE;
}

bool sam_lower_known(const struct lower *l, uint32_t tile, enum sam_lower_field field,
                     uint32_t *number)
{
    const struct lower_value *v = lower_value(l, tile);
    switch (field) {
    case LOWER_ADDRESS: *number = (uint32_t)v->number; return v->known;
    case LOWER_PITCH: *number = v->pitch; return true;
    case LOWER_ROWS: *number = (uint32_t)v->valid[0]; return v->sized[0];
    case LOWER_COLS: *number = (uint32_t)v->valid[1]; return v->sized[1];
    }
    return false;
}

void sam_lower_field(struct lower *l, const char *reg, uint32_t tile, enum sam_lower_field field)
{
    uint32_t number;
    if (sam_lower_known(l, tile, field, &number))
        sam_lower_hart(l, "li %s, %" PRIu32, reg, number);
    else
        sam_lower_slot_op(l, "lwu", reg, slot_of(l, tile, TILE_SLOT) + 4 * (uint32_t)field);
}

void sam_lower_set_field(struct lower *l, uint32_t tile, enum sam_lower_field field,
                         const char *reg)
{
    uint32_t number;
    if (!sam_lower_known(l, tile, field, &number))
        sam_lower_slot_op(l, "sw", reg, slot_of(l, tile, TILE_SLOT) + 4 * (uint32_t)field);
}

void sam_lower_start_size(struct lower *l, uint32_t tile, bool cols, uint32_t size)
{
    const enum sam_lower_field field = cols ? LOWER_COLS : LOWER_ROWS;
    uint32_t number;
    if (sam_lower_known(l, tile, field, &number))
        return;
    const uint32_t at = slot_of(l, tile, TILE_SLOT) + 4 * (uint32_t)field;
    if (!l->state->slots.failed)
        sam_put_le32(l->state->slots.data + at, size);
}

/* --- views and partitions. Their size and stride operands still have their original values: a
 * window is visible only where its operands are. */

static const struct sam_tile_op *maker(const struct lower *l, uint32_t window)
{
    return &l->p->ops[l->p->values[window].op];
}

static const struct sam_tile_op *view_of(const struct lower *l, uint32_t window)
{
    const struct sam_tile_op *op = maker(l, window);
    return op->code == SAM_TILE_PART ? view_of(l, sam_tile_arg(l->p, op, 0)) : op;
}

static uint32_t operand_of(const struct lower *l, uint32_t window, unsigned dimension, bool stride)
{
    const struct sam_tile_op *op = stride ? view_of(l, window) : maker(l, window);
    const uint32_t rank = sam_tile_ty(l->p, window)->rank;
    const bool last = stride || op->code == SAM_TILE_PART;
    return sam_tile_arg(l->p, op, 1 + dimension + (last ? rank : 0));
}

/* Redirect to the decoded copy of packed weights. */
static void move_staged(struct lower *l, const char *reg, uint32_t window)
{
    uint32_t delta;
    if (!sam_lower_staged(l, window, &delta))
        return;
    sam_lower_slot_op(l, "ld", "tp", delta);
    sam_lower_hart(l, "add %s, %s, tp", reg, reg);
}

void sam_lower_window_address(struct lower *l, const char *reg, uint32_t window)
{
    sam_lower_slot_op(l, "ld", reg, slot_of(l, window, 8));
    move_staged(l, reg, window);
}

bool sam_lower_window_known(const struct lower *l, uint32_t window, unsigned dimension, bool stride,
                            int64_t *number)
{
    const int64_t size = sam_tile_ty(l->p, window)->dims[dimension];
    uint32_t pitch;
    if (stride && dimension == 0 && sam_lower_staged_pitch(l, window, &pitch, number))
        return pitch == LOWER_NO_SLOT;
    if (!stride && size != SAM_TILE_DYNAMIC) {
        *number = size;
        return true;
    }
    /* Other sizes fail at the window, and negative numbers stand for sizes that are not known. */
    return sam_lower_constant(l, operand_of(l, window, dimension, stride), number) &&
           (stride || (*number >= 0 && *number <= INT32_MAX));
}

static void get_dimension(struct lower *l, const char *reg, uint32_t window, unsigned dimension,
                          bool stride)
{
    int64_t number;
    uint32_t pitch;
    if (sam_lower_window_known(l, window, dimension, stride, &number))
        sam_lower_hart(l, "li %s, %" PRId64, reg, number);
    else if (stride && dimension == 0 && sam_lower_staged_pitch(l, window, &pitch, &number))
        sam_lower_slot_op(l, "ld", reg, pitch);
    else
        sam_lower_get(l, reg, operand_of(l, window, dimension, stride));
}

void sam_lower_window_size(struct lower *l, const char *reg, uint32_t window, unsigned dimension)
{
    get_dimension(l, reg, window, dimension, false);
}

void sam_lower_window_stride(struct lower *l, const char *reg, uint32_t window, unsigned dimension)
{
    get_dimension(l, reg, window, dimension, true);
}

void sam_lower_window_array(struct lower *l, const char *reg, uint32_t window)
{
    sam_lower_slot_op(l, "ld", reg, slot_of(l, sam_tile_arg(l->p, view_of(l, window), 0), 16));
    move_staged(l, reg, window);
}

void sam_lower_window_count(struct lower *l, const char *reg, uint32_t window)
{
    sam_lower_slot_op(l, "ld", reg, slot_of(l, sam_tile_arg(l->p, view_of(l, window), 0), 16) + 8);
}

void sam_lower_start_pointer(struct lower *l, uint32_t pointer, uint64_t address, uint64_t count)
{
    const uint32_t slot = slot_of(l, pointer, 16);
    sam_lower_slot_start(l, slot, address);
    sam_lower_slot_start(l, slot + 8, count);
}

void sam_lower_start_scalar(struct lower *l, uint32_t value, int64_t number)
{
    sam_lower_slot_start(l, slot_of(l, value, 8), (uint64_t)number);
}

/* --- initialisation */

static void set_tile(struct lower *l, uint32_t value)
{
    struct lower_value *v = lower_value(l, value);
    const struct sam_tile_type *type = &sam_tile_ty(l->p, value)->tile;
    const struct sam_tile_place *place = sam_tile_place_find(&l->plan, value);
    v->pitch = (uint32_t)sam_tile_length(
        type->dtype, type->blayout == SAM_TILE_row_major ? type->cols : type->rows);
    v->valid[0] = type->valid_rows;
    v->valid[1] = type->valid_cols;
    v->sized[0] = v->valid[0] != SAM_TILE_DYNAMIC;
    v->sized[1] = v->valid[1] != SAM_TILE_DYNAMIC;
    if (!place || place->offset == SAM_TILE_NOWHERE)
        return;
    v->known = true;
    v->number = (int64_t)(memories[type->loc].base + place->offset);
    const bool made = sam_lower_factor_tile(l, value) == value &&
                      sam_lower_staged_factor(l, value) == SAM_TILE_NONE;
    if (made && place->offset + place->size > memories[type->loc].size)
        sam_tile_error(l->report, l->p->values[value].seen,
                       "%%%s ends at 0x%" PRIx64 ": %s has 0x%x bytes on the system",
                       l->p->values[value].name, place->offset + place->size,
                       sam_tile_loc_names[type->loc], memories[type->loc].size);
}

bool sam_lower_values(struct lower *l)
{
    l->values = sam_alloc(l->f->value_count + 1, sizeof *l->values);
    l->state->inflight.uses = sam_alloc(l->f->value_count + 1, sizeof *l->state->inflight.uses);
    l->state->inflight.writes = sam_alloc(l->f->value_count + 1, sizeof *l->state->inflight.writes);
    if (!l->values || !l->state->inflight.uses || !l->state->inflight.writes)
        return false;
    for (uint32_t i = 0; i < l->f->value_count; i++) {
        l->values[i].slot = l->values[i].busy = LOWER_NO_SLOT;
        if (l->p->values[l->f->first_value + i].type.kind == SAM_TILE_KIND_TILE)
            set_tile(l, l->f->first_value + i);
    }
    for (size_t i = 0; i < l->p->op_count; i++)
        if (l->flow.order[i] && l->p->ops[i].code == SAM_TILE_SHAPE)
            lower_value(l, sam_tile_arg(l->p, &l->p->ops[i], 0))->reshaped = true;
    return true;
}
