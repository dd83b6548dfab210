/* SPDX-License-Identifier: Apache-2.0 */
/* Interpreter of a function: values, blocks, and tile operations run by the core. */
#include <inttypes.h>
#include <stdlib.h>

#include "tile/core/exec.h"

struct sam_tile_slot *sam_tile_slot(const struct sam_tile_exec *x, uint32_t value)
{
    return &x->slots[value - x->f->first_value];
}

enum sam_status sam_tile_trap(struct sam_tile_exec *x, const struct sam_tile_op *op,
                              const char *format, ...)
{
    char text[768];
    va_list list;
    va_start(list, format);
    sam_format_list(text, sizeof text, format, list);
    va_end(list);
    return sam_fail(x->error, SAM_ERR_TRAP, "%s:%" PRIu32 ":%" PRIu32 ": %s", x->p->name,
                    op->pos.line, op->pos.column, text);
}

static int64_t number(const struct sam_tile_exec *x, const struct sam_tile_op *op, uint32_t i)
{
    return sam_tile_slot(x, sam_tile_arg(x->p, op, i))->number;
}

static enum sam_status arith(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    const uint32_t result = x->p->ids[op->results];
    int64_t in[3] = {op->literal};
    for (uint32_t i = 0; i < op->operand_count; i++)
        in[i] = number(x, op, i);
    if (!sam_tile_eval(op, sam_tile_ty(x->p, result), in, &sam_tile_slot(x, result)->number))
        return sam_tile_trap(x, op, "%s: division by zero", sam_tile_code_name(op->code));
    return SAM_OK;
}

/* --- views of arrays */

static enum sam_status make_view(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    uint32_t result = x->p->ids[op->results], pointer = sam_tile_arg(x->p, op, 0);
    const struct sam_tile_ty *type = sam_tile_ty(x->p, result);
    struct sam_tile_window *w = &sam_tile_slot(x, result)->window;
    struct sam_array *array = sam_tile_slot(x, pointer)->array;
    if (!array)
        return sam_tile_trap(x, op, "%%%s is not bound to an array", x->p->values[pointer].name);
    *w = (struct sam_tile_window){.array = array,
                                  .dtype = type->dtype,
                                  .rank = type->rank,
                                  .name = x->p->values[pointer].name};
    for (uint32_t i = 0; i < type->rank; i++) {
        w->shape[i] = number(x, op, 1 + i);
        w->strides[i] = number(x, op, 1 + type->rank + i);
        if (w->shape[i] < 0 || w->shape[i] > INT32_MAX)
            return sam_tile_trap(x, op, "dimension %u of the view is %" PRId64, i, w->shape[i]);
        if (type->dims[i] != SAM_TILE_DYNAMIC && type->dims[i] != w->shape[i])
            return sam_tile_trap(x, op,
                                 "dimension %u of the view is %" PRId64 ": its type says %" PRId64,
                                 i, w->shape[i], type->dims[i]);
        if (!sam_tile_window_fits(w->shape[i], w->strides[i]))
            return sam_tile_trap(x, op, "stride %u of the view is %" PRId64, i, w->strides[i]);
    }
    return SAM_OK;
}

static enum sam_status make_partition(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    uint32_t result = x->p->ids[op->results], view = sam_tile_arg(x->p, op, 0);
    const struct sam_tile_ty *type = sam_tile_ty(x->p, result);
    const struct sam_tile_window *from = &sam_tile_slot(x, view)->window;
    struct sam_tile_window *w = &sam_tile_slot(x, result)->window;
    struct sam_tile_window made = *from;
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t offset = number(x, op, 1 + i), size = number(x, op, 1 + type->rank + i);
        if (type->dims[i] != SAM_TILE_DYNAMIC && type->dims[i] != size)
            return sam_tile_trap(
                x, op, "dimension %u of the partition is %" PRId64 ": its type says %" PRId64, i,
                size, type->dims[i]);
        if (offset < 0 || size < 0 || offset > from->shape[i] || size > from->shape[i] - offset)
            return sam_tile_trap(x, op,
                                 "the partition is %" PRId64 "..%" PRId64
                                 " of dimension %u: %%%s has %" PRId64,
                                 offset, offset + size, i, x->p->values[view].name, from->shape[i]);
        made.base += offset * from->strides[i];
        made.shape[i] = size;
    }
    *w = made;
    return SAM_OK;
}

/* --- tiles */

static enum sam_status bind(struct sam_tile_exec *x, const struct sam_tile_op *op, uint32_t value,
                            int64_t address)
{
    struct sam_tile_ref *t = &sam_tile_slot(x, value)->tile;
    uint64_t size = sam_tile_bytes(&t->type), room = x->core.memories[t->type.loc].size;
    if (address < 0 || address % 32 || (uint64_t)address > room || size > room - (uint64_t)address)
        return sam_tile_trap(x, op,
                             "%%%s of %" PRIu64 " bytes at 0x%" PRIx64
                             ": expected a multiple of 32 within the 0x%" PRIx64 " bytes of %s",
                             x->p->values[value].name, size, address, room,
                             sam_tile_loc_names[t->type.loc]);
    if (!sam_tile_core_reach(&x->core, t->type.loc, (uint64_t)address + size))
        return sam_fail_memory(x->error);
    t->offset = (uint64_t)address; /* a tile of its own, even if it was a window */
    t->pitch = t->type.blayout == SAM_TILE_row_major ? t->type.cols : t->type.rows;
    return SAM_OK;
}

static enum sam_status set_valid(struct sam_tile_exec *x, const struct sam_tile_op *op,
                                 struct sam_tile_ref *t, bool rows, int64_t value)
{
    int64_t room = rows ? t->type.rows : t->type.cols;
    if (value < 0 || value > room)
        return sam_tile_trap(x, op, "%" PRId64 " valid %s in a tile of %" PRId64, value,
                             rows ? "rows" : "columns", room);
    *(rows ? &t->type.valid_rows : &t->type.valid_cols) = value;
    return SAM_OK;
}

void sam_tile_start(struct sam_tile_exec *x, uint32_t value)
{
    const struct sam_tile_place *place = sam_tile_place_find(&x->plan, value);
    struct sam_tile_ref *t = &sam_tile_slot(x, value)->tile;
    const struct sam_tile_type *type = &sam_tile_ty(x->p, value)->tile;
    *t = (struct sam_tile_ref){.type = *type,
                               .pitch =
                                   type->blayout == SAM_TILE_row_major ? type->cols : type->rows,
                               .name = x->p->values[value].name};
    if (place && place->offset != SAM_TILE_NOWHERE)
        t->offset = place->offset;
    if (!x->plan.manual)
        sam_tile_core_forget(&x->core, type->loc, t->offset, sam_tile_bytes(type));
}

static enum sam_status alloc(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    uint32_t value = x->p->ids[op->results], at = 0;
    enum sam_status status = SAM_OK;
    sam_tile_start(x, value);
    struct sam_tile_ref *t = &sam_tile_slot(x, value)->tile;
    if (op->attribute & SAM_TILE_HAS_ADDRESS)
        status = bind(x, op, value, number(x, op, at++));
    if (status == SAM_OK && (op->attribute & SAM_TILE_HAS_ROWS))
        status = set_valid(x, op, t, true, number(x, op, at++));
    if (status == SAM_OK && (op->attribute & SAM_TILE_HAS_COLS))
        status = set_valid(x, op, t, false, number(x, op, at++));
    return status;
}

/* The part of a tile's valid rectangle that a window covers, in one dimension. */
static int64_t seen(int64_t valid, int64_t offset, int64_t room)
{
    return valid <= offset ? 0 : valid - offset < room ? valid - offset : room;
}

static enum sam_status subset(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    uint32_t value = x->p->ids[op->results];
    const struct sam_tile_ref *from = &sam_tile_slot(x, sam_tile_arg(x->p, op, 0))->tile;
    struct sam_tile_ref *t = &sam_tile_slot(x, value)->tile;
    const struct sam_tile_type *type = &sam_tile_ty(x->p, value)->tile;
    int64_t row = number(x, op, 1), col = number(x, op, 2);
    if (row < 0 || col < 0 || row > (int64_t)from->type.rows - type->rows ||
        col > (int64_t)from->type.cols - type->cols)
        return sam_tile_trap(x, op,
                             "a window of %" PRIu32 "x%" PRIu32 " at [%" PRId64 ",%" PRId64
                             "] leaves %%%s, %" PRIu32 "x%" PRIu32,
                             type->rows, type->cols, row, col, from->name, from->type.rows,
                             from->type.cols);
    const uint64_t index = sam_tile_index(from, (size_t)row, (size_t)col);
    const uint64_t offset = sam_tile_length(type->dtype, index);
    if (index * sam_dtype_table[type->dtype].bits % (32 * 8))
        return sam_tile_trap(x, op, "the window does not start at a multiple of 32 bytes");
    *t = (struct sam_tile_ref){.type = *type,
                               .pitch = from->pitch,
                               .offset = from->offset + offset,
                               .name = x->p->values[value].name};
    if (type->valid_rows == SAM_TILE_DYNAMIC)
        t->type.valid_rows = seen(from->type.valid_rows, row, type->rows);
    if (type->valid_cols == SAM_TILE_DYNAMIC)
        t->type.valid_cols = seen(from->type.valid_cols, col, type->cols);
    return SAM_OK;
}

static void trace_number(FILE *out, const struct sam_tile_ty *type, int64_t number)
{
    char text[SAM_TILE_REAL_TEXT];
    if (type->kind == SAM_TILE_KIND_SCALAR && sam_tile_is_real(type->dtype))
        fprintf(out, "[%s]", sam_tile_real_text(type->dtype, (uint64_t)number, text));
    else
        fprintf(out, "[%" PRId64 "]", number);
}

static void trace(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    FILE *out = x->options.trace;
    fprintf(out, "%s:%" PRIu32 ": %s", x->p->name, op->pos.line, sam_tile_code_name(op->code));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t value = sam_tile_arg(x->p, op, i);
        const struct sam_tile_slot *slot = sam_tile_slot(x, value);
        fprintf(out, "%s%%%s",
                i + 1 == op->operand_count ? " -> "
                : i                        ? ", "
                                           : " ",
                x->p->values[value].name);
        switch (sam_tile_ty(x->p, value)->kind) {
        case SAM_TILE_KIND_TILE:
            fprintf(out, "[%" PRId64 "x%" PRId64 " %s+0x%" PRIx64 "]", slot->tile.type.valid_rows,
                    slot->tile.type.valid_cols, sam_tile_loc_names[slot->tile.type.loc],
                    slot->tile.offset);
            break;
        case SAM_TILE_KIND_PART:
            fprintf(out, "[%s+%" PRId64 "]", slot->window.name, slot->window.base);
            break;
        default: trace_number(out, sam_tile_ty(x->p, value), slot->number);
        }
    }
    fputc('\n', out);
}

/* Set the destination sizes that the sources determine. */
static enum sam_status infer(struct sam_tile_exec *x, const struct sam_tile_op *op,
                             const struct sam_tile_actual *actuals, struct sam_tile_ref *t)
{
    const bool wanted[] = {sam_tile_is_inferred(x->p, op, false),
                           sam_tile_is_inferred(x->p, op, true)};
    struct sam_tile_ty types[SAM_TILE_OPERANDS];
    const struct sam_tile_ty *pointers[SAM_TILE_OPERANDS];
    int64_t valid[2];
    enum sam_status status = SAM_OK;
    if (!wanted[0] && !wanted[1])
        return SAM_OK;
    memset(types, 0, op->operand_count * sizeof *types);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        sam_tile_actual_type(&actuals[i], &types[i]);
        pointers[i] = &types[i];
    }
    sam_tile_infer(x->options.profile, op->code, op->attribute, pointers, NULL, valid);
    for (unsigned i = 0; i < 2 && status == SAM_OK; i++)
        if (wanted[i])
            status = set_valid(x, op, t, i == 0, valid[i]);
    return status;
}

static enum sam_status tile_op(struct sam_tile_exec *x, uint32_t index)
{
    const struct sam_tile_op *op = &x->p->ops[index];
    struct sam_tile_actual actuals[SAM_TILE_OPERANDS];
    struct sam_error error; /* of the failing operation */
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t value = sam_tile_arg(x->p, op, i);
        struct sam_tile_slot *slot = sam_tile_slot(x, value);
        const struct sam_tile_ty *type = sam_tile_ty(x->p, value);
        struct sam_tile_actual *a = &actuals[i];
        a->kind = type->kind == SAM_TILE_KIND_TILE   ? SAM_TILE_IS_TILE
                  : type->kind == SAM_TILE_KIND_PART ? SAM_TILE_IS_WINDOW
                                                     : SAM_TILE_IS_NUMBER;
        a->tile = &slot->tile;
        a->window = &slot->window;
        a->number = slot->number;
        a->dtype = type->dtype;
        a->is_index = type->kind == SAM_TILE_KIND_INDEX;
    }
    enum sam_status status = infer(
        x, op, actuals, &sam_tile_slot(x, sam_tile_arg(x->p, op, op->operand_count - 1))->tile);
    if (status != SAM_OK)
        return status;
    if (x->options.trace)
        trace(x, op);
    status = sam_tile_core_run(&x->core, op->code, op->attribute, actuals, index, &error);
    if (status == SAM_ERR_TRAP)
        return sam_tile_trap(x, op, "%s", error.text);
    return status == SAM_OK ? SAM_OK : sam_fail(x->error, status, "%s", error.text);
}

static void wait(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct sam_tile_slot *slot = sam_tile_slot(x, sam_tile_arg(x->p, op, i));
        sam_tile_hazard_wait(&x->core.hazards, slot->pipe, slot->event);
    }
}

static enum sam_status plain_op(struct sam_tile_exec *x, uint32_t index)
{
    const struct sam_tile_op *op = &x->p->ops[index];
    uint32_t result = op->result_count ? x->p->ids[op->results] : SAM_TILE_NONE;
    enum sam_status status;
    struct sam_tile_ref *t;
    switch (op->code) {
    case SAM_TILE_ALLOC: return alloc(x, op);
    case SAM_TILE_VIEW: return make_view(x, op);
    case SAM_TILE_PART: return make_partition(x, op);
    case SAM_TILE_ASSIGN: return bind(x, op, sam_tile_arg(x->p, op, 0), op->literal);
    case SAM_TILE_REBIND:
        t = &sam_tile_slot(x, result)->tile;
        *t = sam_tile_slot(x, sam_tile_arg(x->p, op, 0))->tile;
        t->name = x->p->values[result].name;
        return bind(x, op, result, number(x, op, 1));
    case SAM_TILE_SUBSET: return subset(x, op);
    case SAM_TILE_SHAPE:
        t = &sam_tile_slot(x, sam_tile_arg(x->p, op, 0))->tile;
        status = set_valid(x, op, t, true, number(x, op, 1));
        return status == SAM_OK ? set_valid(x, op, t, false, number(x, op, 2)) : status;
    case SAM_TILE_RECORD:
        sam_tile_slot(x, result)->pipe = (enum sam_tile_pipe)op->attribute;
        sam_tile_slot(x, result)->event =
            sam_tile_hazard_record(&x->core.hazards, (enum sam_tile_pipe)op->attribute);
        return SAM_OK;
    case SAM_TILE_WAIT: wait(x, op); return SAM_OK;
    case SAM_TILE_BARRIER: sam_tile_hazard_barrier(&x->core.hazards); return SAM_OK;
    case SAM_TILE_PREFETCH: return SAM_OK; /* the host has nothing to decode */
    default: return arith(x, op);
    }
}

/* --- control flow */

/* Parallel copy of the values a block yields to `ids`: all are read before the first is written. */
static void yield(struct sam_tile_exec *x, const struct sam_tile_op *op, const uint32_t *ids)
{
    struct sam_tile_slot values[64];
    for (uint32_t i = 0; i < op->operand_count && i < SAM_COUNT(values); i++)
        values[i] = *sam_tile_slot(x, sam_tile_arg(x->p, op, i));
    for (uint32_t i = 0; i < op->operand_count && i < SAM_COUNT(values); i++)
        *sam_tile_slot(x, ids[i]) = values[i];
}

static enum sam_status block(struct sam_tile_exec *x, uint32_t first, const uint32_t *yields);

static enum sam_status loop(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    const uint32_t *params = &x->p->ids[op->params], *results = &x->p->ids[op->results];
    int64_t at = number(x, op, 0), end = number(x, op, 1), step = number(x, op, 2);
    if (step <= 0)
        return sam_tile_trap(x, op, "scf.for steps by %" PRId64 "; expected 1 or more", step);
    for (uint32_t i = 1; i < op->param_count; i++)
        *sam_tile_slot(x, params[i]) = *sam_tile_slot(x, sam_tile_arg(x->p, op, 2 + i));
    while (at < end) {
        sam_tile_slot(x, params[0])->number = at;
        enum sam_status status = block(x, op->body[0], params + 1);
        if (status == SAM_OK && op->body[0] == SAM_TILE_NONE)
            status = sam_tile_count(x, op); /* an empty loop still counts its end */
        if (status != SAM_OK)
            return status;
        if (__builtin_add_overflow(at, step, &at))
            break;
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        *sam_tile_slot(x, results[i]) = *sam_tile_slot(x, params[1 + i]);
    return SAM_OK;
}

enum sam_status sam_tile_count(struct sam_tile_exec *x, const struct sam_tile_op *op)
{
    if (x->options.max_ops && x->core.stats.ops == x->options.max_ops)
        return sam_tile_trap(x, op, "stopped after %" PRIu64 " operations (max_ops)",
                             x->options.max_ops);
    if (x->options.stop && *x->options.stop)
        return sam_fail(x->error, SAM_ERR_STOPPED, "%s:%" PRIu32 ":%" PRIu32 ": stopped",
                        x->p->name, op->pos.line, op->pos.column);
    x->core.stats.ops++;
    return SAM_OK;
}

static enum sam_status block(struct sam_tile_exec *x, uint32_t first, const uint32_t *yields)
{
    for (uint32_t at = first; at != SAM_TILE_NONE; at = x->p->ops[at].next) {
        const struct sam_tile_op *op = &x->p->ops[at];
        enum sam_status status = sam_tile_count(x, op);
        if (status != SAM_OK)
            return status;
        switch (op->code) {
        case SAM_TILE_FOR: status = loop(x, op); break;
        case SAM_TILE_IF:
            status = block(x, op->body[number(x, op, 0) ? 0 : 1], &x->p->ids[op->results]);
            break;
        case SAM_TILE_YIELD: yield(x, op, yields); break;
        case SAM_TILE_RETURN: return SAM_OK;
        default: status = op->code >= SAM_TILE_FIRST_OP ? tile_op(x, at) : plain_op(x, at);
        }
        if (status != SAM_OK)
            return status;
    }
    return SAM_OK;
}

enum sam_status sam_tile_exec_body(struct sam_tile_exec *x)
{
    return block(x, x->f->body, x->p->ids); /* a function body yields nothing */
}
