/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar operations: arithmetic, views of arrays, tile descriptors. They mirror
 * src/tile/core/exec.c. A check with a known outcome emits no code, or a jump to its failure. */
#include <inttypes.h>

#include "lower/hart.h"
#include "lower/op_map.h"
#include "lower/packed.h"

static uint32_t arg(const struct lower *l, const struct sam_tile_op *op, size_t i)
{
    return sam_tile_arg(l->p, op, i);
}

static const char *name_of(const struct lower *l, uint32_t value)
{
    return l->p->values[value].name;
}

/* --- arithmetic */

static void fit_register(struct lower *l, const struct sam_tile_ty *type, const char *reg)
{
    if (type->kind == SAM_TILE_KIND_BOOL)
        sam_lower_hart(l, "andi %s, %s, 1", reg, reg);
    if (type->kind != SAM_TILE_KIND_SCALAR || sam_tile_is_real(type->dtype))
        return;
    const unsigned shift = 64 - 8 * (unsigned)sam_tile_size(type->dtype);
    if (shift)
        sam_lower_hart(l, "slli %s, %s, %u; %s %s, %s, %u", reg, reg, shift,
                       sam_tile_is_signed(type->dtype) ? "srai" : "srli", reg, reg, shift);
}

static void compare(struct lower *l, enum sam_tile_compare how)
{
    static const char *const code[] = {
        [SAM_TILE_EQ] = "sub t0, t0, t1; seqz t0, t0",
        [SAM_TILE_NE] = "sub t0, t0, t1; snez t0, t0",
        [SAM_TILE_LT] = "slt t0, t0, t1",
        [SAM_TILE_LE] = "slt t0, t1, t0; xori t0, t0, 1",
        [SAM_TILE_GT] = "slt t0, t1, t0",
        [SAM_TILE_GE] = "slt t0, t0, t1; xori t0, t0, 1",
    };
    sam_lower_hart(l, "%s", code[how]);
}

static void arith(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t result = l->p->ids[op->results];
    const struct sam_tile_ty *type = sam_tile_ty(l->p, result);
    int64_t numbers[3] = {op->literal}, value = 0;
    bool known = true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        known &= sam_lower_constant(l, arg(l, op, i), &numbers[i]);
    if (known && sam_tile_eval(op, type, numbers, &value)) {
        sam_lower_know(l, result, value);
        return;
    }
    sam_lower_begin(l, op);
    sam_lower_get(l, "t0", arg(l, op, 0));
    if (op->operand_count > 1)
        sam_lower_get(l, "t1", arg(l, op, 1));
    switch (op->code) {
    case SAM_TILE_ADDI: sam_lower_hart(l, "add t0, t0, t1"); break;
    case SAM_TILE_SUBI: sam_lower_hart(l, "sub t0, t0, t1"); break;
    case SAM_TILE_MULI: sam_lower_hart(l, "mul t0, t0, t1"); break;
    case SAM_TILE_DIVSI:
    case SAM_TILE_REMSI: /* INT64_MIN / -1 wraps on the hart, too */
        if (!sam_lower_constant(l, arg(l, op, 1), &numbers[1]) || numbers[1] == 0)
            sam_lower_hart(
                l, "beqz t1, .Lfailure%u",
                sam_lower_failure(l, op, "%s: division by zero", sam_tile_code_name(op->code)));
        sam_lower_hart(l, "%s t0, t0, t1", op->code == SAM_TILE_DIVSI ? "div" : "rem");
        break;
    case SAM_TILE_CMPI: compare(l, (enum sam_tile_compare)op->attribute); break;
    case SAM_TILE_SELECT:
        sam_lower_hart(l, "bnez t0, 0f");
        sam_lower_get(l, "t1", arg(l, op, 2));
        sam_lower_hart(l, "0: mv t0, t1");
        break;
    default: break;
    }
    fit_register(l, type, "t0");
    sam_lower_set(l, result, "t0");
}

/* --- views of arrays */

/* Returns whether size * stride is representable (|span| <= 2^55), as sam_tile_window_fits. */
static bool fits(int64_t size, int64_t stride)
{
    const int64_t most = INT64_C(1) << 55;
    int64_t span;
    return !__builtin_mul_overflow(size, stride, &span) && span <= most && span >= -most &&
           stride <= most && stride >= -most;
}

static void check_view_size(struct lower *l, const struct sam_tile_op *op, uint32_t i,
                            uint32_t value, int64_t declared)
{
    int64_t size;
    const bool known = sam_lower_constant(l, value, &size);
    if (!known || size < 0 || size > INT32_MAX) {
        sam_lower_begin(l, op);
        sam_lower_get(l, "a0", value);
        sam_lower_hart(l, "srli t0, a0, 31; bnez t0, .Lfailure%u",
                       sam_lower_failure(l, op, "dimension %u of the view is {0}", i));
    }
    if (declared == SAM_TILE_DYNAMIC || (known && size == declared))
        return;
    sam_lower_begin(l, op);
    sam_lower_get(l, "a0", value);
    sam_lower_hart(l, "li t0, %" PRId64 "; bne a0, t0, .Lfailure%u", declared,
                   sam_lower_failure(l, op,
                                     "dimension %u of the view is {0}: its type says %" PRId64, i,
                                     declared));
}

static void check_view_stride(struct lower *l, const struct sam_tile_op *op, uint32_t i,
                              uint32_t value, uint32_t size_value)
{
    int64_t size, stride;
    if (sam_lower_constant(l, value, &stride) && sam_lower_constant(l, size_value, &size) &&
        fits(size, stride))
        return;
    sam_lower_begin(l, op);
    sam_lower_get(l, "a0", size_value);
    sam_lower_get(l, "a1", value);
    sam_lower_hart(l, "call .Lfits; mv a0, a1; bnez t0, .Lfailure%u",
                   sam_lower_failure(l, op, "stride %u of the view is {0}", i));
    l->state->fits = true;
}

static void make_view(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t result = l->p->ids[op->results];
    const struct sam_tile_ty *type = sam_tile_ty(l->p, result);
    for (uint32_t i = 0; i < type->rank; i++) {
        const uint32_t size = arg(l, op, 1 + i);
        check_view_size(l, op, i, size, type->dims[i]);
        check_view_stride(l, op, i, arg(l, op, 1 + type->rank + i), size);
    }
    sam_lower_begin(l, op);
    sam_lower_window_array(l, "t0", result);
    if (sam_tile_is_paired(type->dtype))
        sam_lower_hart(l, "slli t0, t0, 1");
    sam_lower_set(l, result, "t0");
}

/* Check dimension i of a partition: its size matches the type and it lies in the view. a1 = its
 * end. */
static void check_partition(struct lower *l, const struct sam_tile_op *op, uint32_t i)
{
    const uint32_t result = l->p->ids[op->results], view = arg(l, op, 0);
    const struct sam_tile_ty *type = sam_tile_ty(l->p, result);
    const uint32_t offset = arg(l, op, 1 + i), size = arg(l, op, 1 + type->rank + i);
    int64_t from, count, whole;
    const bool sized = sam_lower_constant(l, size, &count);
    if (type->dims[i] != SAM_TILE_DYNAMIC && (!sized || count != type->dims[i])) {
        sam_lower_get(l, "a0", size);
        sam_lower_hart(
            l, "li t0, %" PRId64 "; bne a0, t0, .Lfailure%u", type->dims[i],
            sam_lower_failure(l, op, "dimension %u of the partition is {0}: its type says %" PRId64,
                              i, type->dims[i]));
    }
    if (sized && sam_lower_constant(l, offset, &from) &&
        sam_lower_window_known(l, view, i, false, &whole) && from >= 0 && count >= 0 &&
        from <= whole && count <= whole - from)
        return;
    sam_lower_get(l, "a0", offset);
    sam_lower_get(l, "a3", size);
    sam_lower_window_size(l, "a2", view, i);
    const unsigned failure = sam_lower_failure(
        l, op, "the partition is {0}..{1} of dimension %u: %%%s has {2}", i, name_of(l, view));
    sam_lower_hart(l,
                   "add a1, a0, a3; sub t0, a2, a0; bltz a0, .Lfailure%u; bltz a3, .Lfailure%u; "
                   "bltz t0, .Lfailure%u; blt t0, a3, .Lfailure%u",
                   failure, failure, failure, failure);
}

static void make_partition(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t result = l->p->ids[op->results], view = arg(l, op, 0);
    const struct sam_tile_ty *type = sam_tile_ty(l->p, result);
    const int64_t bytes = (int64_t)sam_tile_size(type->dtype);
    int64_t constant = 0;
    sam_lower_begin(l, op);
    for (uint32_t i = 0; i < type->rank; i++)
        check_partition(l, op, i);
    sam_lower_window_address(l, "a4", view);
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t offset, stride;
        if (sam_lower_constant(l, arg(l, op, 1 + i), &offset) &&
            sam_lower_window_known(l, view, i, true, &stride)) {
            constant = (int64_t)((uint64_t)constant +
                                 (uint64_t)offset * (uint64_t)stride * (uint64_t)bytes);
            continue;
        }
        sam_lower_get(l, "t0", arg(l, op, 1 + i));
        sam_lower_window_stride(l, "t1", view, i);
        sam_lower_hart(l, "mul t0, t0, t1");
        if (bytes > 1)
            sam_lower_hart(l, "slli t0, t0, %d", __builtin_ctz((unsigned)bytes));
        sam_lower_hart(l, "add a4, a4, t0");
    }
    if (constant)
        sam_lower_hart(l, "li t0, %" PRId64 "; add a4, a4, t0", constant);
    sam_lower_set(l, result, "a4");
}

/* --- tiles */

/* Set a tile's address from an operand, unless the plan knows it. */
static void bind(struct lower *l, const struct sam_tile_op *op, uint32_t tile, uint32_t address)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    const uint64_t size = sam_tile_bytes(type);
    const uint32_t room = sam_lower_room(l, type->loc);
    if (lower_value(l, tile)->known) /* the checker has verified the range */
        return;
    sam_lower_begin(l, op);
    const unsigned failure = sam_lower_failure(
        l, op,
        "%%%s of %" PRIu64 " bytes at 0x{0x}: expected a multiple of 32 within the "
        "0x%" PRIx32 " bytes of %s",
        name_of(l, tile), size, room, sam_tile_loc_names[type->loc]);
    sam_lower_get(l, "a0", address);
    sam_lower_hart(l,
                   "andi t0, a0, 31; bnez t0, .Lfailure%u; li t0, %" PRId64 "; "
                   "bltu t0, a0, .Lfailure%u; li t0, %" PRIu32 "; add t0, t0, a0",
                   failure, (int64_t)room - (int64_t)size, failure, sam_lower_memory(type->loc));
    sam_lower_set_field(l, tile, LOWER_ADDRESS, "t0");
}

bool sam_lower_size_known(struct lower *l, uint32_t tile, bool cols, int64_t size)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    struct lower_value *v = lower_value(l, tile);
    if (v->reshaped || size < 0 || size > (cols ? type->cols : type->rows))
        return false;
    v->sized[cols] = true;
    v->valid[cols] = size;
    return true;
}

void sam_lower_set_size(struct lower *l, const struct sam_tile_op *op, uint32_t tile, bool cols,
                        bool good)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    const uint32_t room = cols ? type->cols : type->rows;
    if (!good)
        sam_lower_hart(l, "li t0, %" PRIu32 "; bltu t0, a0, .Lfailure%u", room,
                       sam_lower_failure(l, op, "{0} valid %s in a tile of %" PRIu32,
                                         cols ? "columns" : "rows", room));
    sam_lower_set_field(l, tile, cols ? LOWER_COLS : LOWER_ROWS, "a0");
}

static void set_valid(struct lower *l, const struct sam_tile_op *op, uint32_t tile, bool cols,
                      uint32_t operand)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    int64_t size;
    const bool known = sam_lower_constant(l, operand, &size);
    if (known && op->code == SAM_TILE_ALLOC && sam_lower_size_known(l, tile, cols, size))
        return;
    sam_lower_begin(l, op);
    sam_lower_get(l, "a0", operand);
    sam_lower_set_size(l, op, tile, cols,
                       known && size >= 0 && size <= (cols ? type->cols : type->rows));
}

static void alloc(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t tile = l->p->ids[op->results];
    uint32_t at = 0;
    if (op->attribute & SAM_TILE_HAS_ADDRESS)
        bind(l, op, tile, arg(l, op, at++));
    if (op->attribute & SAM_TILE_HAS_ROWS)
        set_valid(l, op, tile, false, arg(l, op, at++));
    if (op->attribute & SAM_TILE_HAS_COLS)
        set_valid(l, op, tile, true, arg(l, op, at++));
}

/* A second tile at an address, with the current valid sizes of the first. */
static void rebind(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t tile = l->p->ids[op->results], from = arg(l, op, 0);
    for (unsigned i = 0; i < 2; i++) {
        const enum sam_lower_field field = i ? LOWER_COLS : LOWER_ROWS;
        struct lower_value *v = lower_value(l, tile);
        uint32_t size;
        if (sam_lower_known(l, from, field, &size) && !v->reshaped) {
            v->sized[i] = true;
            v->valid[i] = size;
            continue;
        }
        sam_lower_begin(l, op);
        sam_lower_field(l, "t0", from, field);
        sam_lower_set_field(l, tile, field, "t0");
    }
    bind(l, op, tile, arg(l, op, 1));
}

static void place_window(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t tile = l->p->ids[op->results], from = arg(l, op, 0);
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    const struct sam_tile_type *whole = &sam_tile_ty(l->p, from)->tile;
    const bool by_rows = type->blayout == SAM_TILE_row_major;
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)sam_tile_size(type->dtype));
    const unsigned half = sam_tile_is_paired(type->dtype); /* then offsets count halves of bytes */
    struct lower_value *v = lower_value(l, tile);
    int64_t row, col;
    uint32_t address;
    v->pitch = lower_value(l, from)->pitch;
    const bool known = sam_lower_constant(l, arg(l, op, 1), &row) &&
                       sam_lower_constant(l, arg(l, op, 2), &col) && row >= 0 && col >= 0 &&
                       row <= (int64_t)whole->rows - type->rows &&
                       col <= (int64_t)whole->cols - type->cols;
    const int64_t line = known ? (by_rows ? row : col) : 0,
                  place = known ? (by_rows ? col : row) : 0;
    const int64_t offset = (line * v->pitch << half) + (int64_t)((uint64_t)place << shift);
    if (known && offset % (32 << half) == 0 && sam_lower_known(l, from, LOWER_ADDRESS, &address)) {
        sam_lower_know(l, tile, address + (offset >> half));
        return;
    }
    sam_lower_begin(l, op);
    const unsigned failure = sam_lower_failure(
        l, op, "a window of %" PRIu32 "x%" PRIu32 " at [{0},{1}] leaves %%%s, %" PRIu32 "x%" PRIu32,
        type->rows, type->cols, name_of(l, from), whole->rows, whole->cols);
    sam_lower_get(l, "a0", arg(l, op, 1));
    sam_lower_get(l, "a1", arg(l, op, 2));
    sam_lower_hart(l,
                   "bltz a0, .Lfailure%u; bltz a1, .Lfailure%u; li t0, %" PRId64 "; "
                   "li t1, %" PRId64 "; blt t0, a0, .Lfailure%u; blt t1, a1, .Lfailure%u; "
                   "li t0, %" PRIu32 "; mul t0, t0, %s; slli t1, %s, %u; add t0, t0, t1; "
                   "andi t1, t0, %u; bnez t1, .Lfailure%u; srli t0, t0, %u",
                   failure, failure, (int64_t)whole->rows - type->rows,
                   (int64_t)whole->cols - type->cols, failure, failure, v->pitch << half,
                   by_rows ? "a0" : "a1", by_rows ? "a1" : "a0", shift, (32u << half) - 1,
                   sam_lower_failure(l, op, "the window does not start at a multiple of 32 bytes"),
                   half);
    sam_lower_field(l, "t1", from, LOWER_ADDRESS);
    sam_lower_hart(l, "add t0, t0, t1");
    sam_lower_set_field(l, tile, LOWER_ADDRESS, "t0");
}

/* A window with open valid sizes gets the part of its tile's valid rectangle that it covers. */
static void subset(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t tile = l->p->ids[op->results];
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    place_window(l, op);
    for (unsigned cols = 0; cols < 2; cols++) {
        const enum sam_lower_field field = cols ? LOWER_COLS : LOWER_ROWS;
        const unsigned fits = sam_lower_label(l);
        if ((cols ? type->valid_cols : type->valid_rows) != SAM_TILE_DYNAMIC)
            continue;
        sam_lower_begin(l, op);
        sam_lower_field(l, "t0", arg(l, op, 0), field);
        sam_lower_get(l, "t1", arg(l, op, 1 + cols));
        sam_lower_hart(l,
                       "sub t0, t0, t1; sgtz t1, t0; neg t1, t1; and t0, t0, t1; "
                       "li t1, %" PRIu32 "; ble t0, t1, .L%u; mv t0, t1; "
                       ".L%u:",
                       cols ? type->cols : type->rows, fits, fits);
        sam_lower_set_field(l, tile, field, "t0");
    }
}

/* --- events */

/* A vector-pipe event is a launch count. The other pipes run in hart order. */
static void record(struct lower *l, const struct sam_tile_op *op)
{
    sam_lower_begin(l, op);
    sam_lower_mark_record(l, op);
    sam_lower_set(l, l->p->ids[op->results], op->attribute == SAM_TILE_PIPE_VECTOR ? "gp" : "zero");
}

static void wait(struct lower *l, const struct sam_tile_op *op)
{
    sam_lower_begin(l, op);
    sam_lower_mark_wait(l, op);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        sam_lower_get(l, "t0", arg(l, op, i));
        sam_lower_wait_count(l);
    }
    if (!op->operand_count)
        sam_lower_wait_all(l);
}

void sam_lower_scalar_op(struct lower *l, const struct sam_tile_op *op)
{
    switch (op->code) {
    case SAM_TILE_ALLOC: alloc(l, op); break;
    case SAM_TILE_VIEW: make_view(l, op); break;
    case SAM_TILE_PART: make_partition(l, op); break;
    case SAM_TILE_ASSIGN: break; /* resolved by the plan */
    case SAM_TILE_REBIND: rebind(l, op); break;
    case SAM_TILE_SUBSET: subset(l, op); break;
    case SAM_TILE_SHAPE:
        set_valid(l, op, arg(l, op, 0), false, arg(l, op, 1));
        set_valid(l, op, arg(l, op, 0), true, arg(l, op, 2));
        break;
    case SAM_TILE_RECORD: record(l, op); break;
    case SAM_TILE_WAIT: wait(l, op); break;
    case SAM_TILE_PREFETCH:
        sam_lower_begin(l, op);
        sam_lower_prefetch(l, op);
        break;
    case SAM_TILE_BARRIER:
        sam_lower_begin(l, op);
        sam_lower_wait_all(l);
        break;
    default: arith(l, op);
    }
}
