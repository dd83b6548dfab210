/* SPDX-License-Identifier: Apache-2.0 */
/* Smaller tiles: a tile with known valid sizes gets room only for the part that is valid or in a
 * window. Operations that do not allow this fix the sizes of their tiles. */
#include <stdlib.h>

#include "lower/unroll.h"
#include "tile/check/bind.h"

struct shrink {
    struct sam_tile_program *p;
    const struct sam_tile_lower_options *options;
    bool *fixed;    /* by value: keeps its size */
    uint32_t *size; /* by value: rows and columns that are needed */
};

static struct sam_tile_type *tile_of(const struct shrink *s, uint32_t value)
{
    return &s->p->values[value].type.tile;
}

static bool is_tile(const struct shrink *s, uint32_t value)
{
    return s->p->values[value].type.kind == SAM_TILE_KIND_TILE;
}

/* Fix the tile under a value, a window or not. */
static bool fix(struct shrink *s, uint32_t value)
{
    while (s->p->values[value].op != SAM_TILE_NONE &&
           s->p->ops[s->p->values[value].op].code == SAM_TILE_SUBSET)
        value = sam_tile_arg(s->p, &s->p->ops[s->p->values[value].op], 0);
    const bool was = s->fixed[value];
    s->fixed[value] = true;
    return !was;
}

/* A window needs its part of its tile; one of another window, or at an unknown place, all of it. */
static void need_window(struct shrink *s, const struct sam_tile_op *op)
{
    const uint32_t from = sam_tile_arg(s->p, op, 0), window = s->p->ids[op->results];
    const struct sam_tile_type *type = tile_of(s, window);
    int64_t at[2];
    if (!sam_tile_literal(s->p, op, 1, &at[0]) || !sam_tile_literal(s->p, op, 2, &at[1]) ||
        at[0] < 0 || at[1] < 0 || at[0] > (int64_t)tile_of(s, from)->rows - type->rows ||
        at[1] > (int64_t)tile_of(s, from)->cols - type->cols ||
        (s->p->values[from].op != SAM_TILE_NONE &&
         s->p->ops[s->p->values[from].op].code == SAM_TILE_SUBSET)) {
        fix(s, from);
        return;
    }
    const uint32_t ends[2] = {(uint32_t)at[0] + type->rows, (uint32_t)at[1] + type->cols};
    for (unsigned i = 0; i < 2; i++)
        if (s->size[2 * from + i] < ends[i])
            s->size[2 * from + i] = ends[i];
    s->fixed[window] = true; /* has no room of its own */
}

/* Operations that use all of a tile's room, or care for its shape. */
static bool needs_room(const struct shrink *s, const struct sam_tile_op *op)
{
    switch (op->code) {
    case SAM_TILE_SHAPE:
    case SAM_TILE_REBIND:
    case SAM_TILE_ASSIGN:
    case SAM_TILE_TFILLPAD:
    case SAM_TILE_TRESHAPE: return true;
    default: break;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t value = sam_tile_arg(s->p, op, i);
        if (is_tile(s, value) && s->options->outside == SAM_TILE_PAD_VALUE &&
            tile_of(s, value)->pad != SAM_TILE_PAD_null)
            return true;
    }
    return op->code >= SAM_TILE_FOR && op->code < SAM_TILE_FIRST_OP;
}

static void collect(struct shrink *s)
{
    for (size_t i = 0; i < s->p->value_count; i++)
        s->fixed[i] = !is_tile(s, (uint32_t)i) || s->p->values[i].op == SAM_TILE_NONE ||
                      tile_of(s, (uint32_t)i)->valid_rows == SAM_TILE_DYNAMIC ||
                      tile_of(s, (uint32_t)i)->valid_cols == SAM_TILE_DYNAMIC ||
                      tile_of(s, (uint32_t)i)->blayout != SAM_TILE_row_major ||
                      tile_of(s, (uint32_t)i)->slayout != SAM_TILE_none_box;
    for (size_t i = 0; i < s->p->op_count; i++) {
        const struct sam_tile_op *op = &s->p->ops[i];
        if (op->code == SAM_TILE_SUBSET)
            need_window(s, op);
        for (uint32_t k = 0; needs_room(s, op) && k < op->operand_count; k++)
            if (is_tile(s, sam_tile_arg(s->p, op, k)))
                fix(s, sam_tile_arg(s->p, op, k));
    }
}

/* The size that a tile would have: lines of whole 32 bytes. */
static struct sam_tile_type smaller(const struct shrink *s, uint32_t value)
{
    struct sam_tile_type type = *tile_of(s, value);
    const uint32_t unit = 32 * 8 / sam_dtype_table[type.dtype].bits;
    uint32_t rows = (uint32_t)type.valid_rows, cols = (uint32_t)type.valid_cols;
    rows = rows > s->size[2 * value] ? rows : s->size[2 * value];
    cols = cols > s->size[2 * value + 1] ? cols : s->size[2 * value + 1];
    cols = (cols + unit - 1) / unit * unit;
    type.rows = rows && rows < type.rows ? rows : type.rows;
    type.cols = cols && cols < type.cols ? cols : type.cols;
    return type;
}

/* Returns whether an operation allows the smaller sizes; fixes its tiles otherwise. */
static bool allows(struct shrink *s, const struct sam_tile_op *op)
{
    struct sam_tile_report report = {0};
    const struct sam_tile_verifier verifier = {
        .profile = s->options->profile, .dialect = s->options->dialect, .report = &report};
    struct sam_tile_ty types[SAM_TILE_OPERANDS];
    const struct sam_tile_ty *pointers[SAM_TILE_OPERANDS];
    bool changed = false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t value = sam_tile_arg(s->p, op, i);
        types[i] = s->p->values[value].type;
        if (!s->fixed[value])
            types[i].tile = smaller(s, value);
        pointers[i] = &types[i];
        if (!s->fixed[value])
            sam_tile_verify_type(&verifier, &types[i].tile, op->pos);
    }
    sam_tile_verify_op(&verifier, op->code, pointers, NULL, op->pos);
    for (uint32_t i = 0; report.report.errors && i < op->operand_count; i++)
        if (is_tile(s, sam_tile_arg(s->p, op, i)))
            changed |= fix(s, sam_tile_arg(s->p, op, i));
    sam_tile_report_free(&report);
    return !changed;
}

bool sam_lower_shrink(struct sam_tile_program *p, const struct sam_tile_lower_options *options)
{
    struct shrink s = {.p = p, .options = options};
    s.fixed = sam_alloc(p->value_count + 1, sizeof *s.fixed);
    s.size = sam_alloc(2 * p->value_count + 2, sizeof *s.size);
    const bool good = s.fixed && s.size;
    bool again = good;
    if (good)
        collect(&s);
    while (again) {
        again = false;
        for (size_t i = 0; i < p->op_count; i++)
            if (p->ops[i].code >= SAM_TILE_FIRST_OP)
                again |= !allows(&s, &p->ops[i]);
    }
    for (uint32_t i = 0; good && i < p->value_count; i++)
        if (!s.fixed[i])
            *tile_of(&s, i) = smaller(&s, i);
    free(s.fixed);
    free(s.size);
    return good;
}
