/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel fusion: consecutive operations with the same iteration space and only element-wise
 * dependences. */
#include "lower/build.h"

/* Limits of joins(). */
enum { ROWS_ENOUGH = 8, COLS_SHORT = 128 };

enum sam_lower_part sam_lower_part(const struct lower *l, uint32_t space,
                                   const struct sam_tile_op *op, size_t operand)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const enum sam_tile_reads reads = sam_tile_family(row)->reads;
    if (sam_lower_by_row(l, space, op))
        return LOWER_FIRST_COLUMN;
    if (operand + 1u == op->operand_count && sam_lower_folds(op->code))
        return sam_lower_folds_columns(op->code) ? LOWER_FIRST_ROW : LOWER_FIRST_COLUMN;
    if (operand + 1u == op->operand_count && sam_lower_scatters(op->code))
        return LOWER_ANYWHERE;
    if (operand + 1u != op->operand_count && sam_lower_is_indexed(op->code))
        return row->family == SAM_TILE_GATHER && operand == 1 ? LOWER_WHOLE : LOWER_ANYWHERE;
    if (sam_tile_is_packed(row, op->attribute) && operand + 1u != op->operand_count &&
        (row->family == SAM_TILE_CMP || operand == 0))
        return LOWER_ANYWHERE; /* a byte of the mask is of eight elements */
    if (operand + 1u != row->count)
        return LOWER_WHOLE;
    return reads == SAM_TILE_READS_LAST_ROW      ? LOWER_FIRST_ROW
           : reads == SAM_TILE_READS_LAST_COLUMN ? LOWER_FIRST_COLUMN
                                                 : LOWER_WHOLE;
}

uint32_t sam_lower_iter_space(const struct lower *l, const struct sam_tile_op *op)
{
    const enum sam_tile_family_id family = sam_tile_row(op->code)->family;
    const bool source =
        family == SAM_TILE_FILLPAD || family == SAM_TILE_SPREAD || sam_lower_folds(op->code);
    return sam_tile_arg(l->p, op, source ? 0 : op->operand_count - 1);
}

static uint32_t destination(const struct lower *l, const struct sam_tile_op *op)
{
    return sam_tile_arg(l->p, op, op->operand_count - 1);
}

bool sam_lower_pads(const struct lower *l, const struct sam_tile_op *op)
{
    const struct sam_tile_type *d = &sam_tile_ty(l->p, destination(l, op))->tile;
    if (sam_lower_picks(op->code)) /* by the hart: any dtype */
        return false;
    return sam_tile_row(op->code)->family == SAM_TILE_FILLPAD ||
           (l->options.outside == SAM_TILE_PAD_VALUE && d->pad != SAM_TILE_PAD_null);
}

bool sam_lower_picks(unsigned code)
{
    const enum sam_tile_family_id family = sam_tile_row(code)->family;
    return family == SAM_TILE_PICK || sam_lower_is_ordered(code);
}

bool sam_lower_is_ordered(unsigned code)
{
    const enum sam_tile_family_id family = sam_tile_row(code)->family;
    return family == SAM_TILE_EXCHANGE || family == SAM_TILE_SPREAD;
}

bool sam_lower_is_indexed(unsigned code)
{
    switch (sam_tile_row(code)->family) {
    case SAM_TILE_UNION:
    case SAM_TILE_GATHER:
    case SAM_TILE_SCATTER:
    case SAM_TILE_HISTOGRAM:
    case SAM_TILE_MERGE:
    case SAM_TILE_SORT:
    case SAM_TILE_IMAGE:
    case SAM_TILE_TRI: return true;
    default: return sam_lower_picks(code);
    }
}

bool sam_lower_scatters(unsigned code)
{
    return sam_tile_row(code)->family == SAM_TILE_SORT || sam_lower_picks(code);
}

bool sam_lower_traps(const struct lower *l, const struct sam_tile_op *op)
{
    const enum sam_tile_family_id family = sam_tile_row(op->code)->family;
    return family == SAM_TILE_GATHER || family == SAM_TILE_SCATTER || sam_lower_picks(op->code) ||
           sam_lower_divides(l, op);
}

bool sam_lower_divides(const struct lower *l, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    uint32_t divisor = row->count ? sam_tile_arg(l->p, op, row->count - 1u) : 0;
    enum sam_dtype dtype = sam_tile_ty(l->p, destination(l, op))->tile.dtype;
    int64_t number;
    if ((row->function != SAM_TILE_FN_DIV && row->function != SAM_TILE_FN_REM) ||
        sam_tile_is_real(dtype))
        return false;
    bool scalar = sam_tile_ty(l->p, divisor)->kind != SAM_TILE_KIND_TILE;
    uint64_t bits = UINT64_MAX >> (64 - 8 * sam_tile_size(dtype));
    return !scalar || !sam_lower_constant(l, divisor, &number) || !((uint64_t)number & bits);
}

/* Returns whether an operation follows another one in the same block. */
static bool follows(const struct lower *l, uint32_t first, uint32_t second)
{
    while (first != SAM_TILE_NONE && first != second)
        first = l->p->ops[first].next;
    return first == second;
}

bool sam_lower_is_dead(const struct lower *l, uint32_t tile, uint32_t last)
{
    uint32_t root = l->flow.root[tile - l->f->first_value], made = l->p->values[root].op;
    /* Tiles with explicit addresses, arguments and outputs have other readers; a tile allocated
     * before a loop is read by the next iteration. */
    if (l->plan.manual || l->f->bare || made == SAM_TILE_NONE || !follows(l, made, last))
        return false;
    return l->flow.life[root - l->f->first_value].last <= l->flow.order[last];
}

/* --- memory */

bool sam_lower_same_tile(const struct lower *l, uint32_t a, uint32_t b)
{
    uint32_t at[2], pitch[2];
    const struct sam_tile_type *x = &sam_tile_ty(l->p, a)->tile, *y = &sam_tile_ty(l->p, b)->tile;
    if (a == b)
        return true;
    return x->dtype == y->dtype && sam_lower_known(l, a, LOWER_ADDRESS, &at[0]) &&
           sam_lower_known(l, b, LOWER_ADDRESS, &at[1]) &&
           sam_lower_known(l, a, LOWER_PITCH, &pitch[0]) &&
           sam_lower_known(l, b, LOWER_PITCH, &pitch[1]) && at[0] == at[1] && pitch[0] == pitch[1];
}

/* Compute the byte range of a tile, for a window that of its root. Returns false if the address is
 * not known. */
static bool bytes_of(const struct lower *l, uint32_t tile, uint64_t *from, uint64_t *to)
{
    uint32_t address, pitch;
    if (!sam_lower_known(l, tile, LOWER_ADDRESS, &address)) {
        tile = l->flow.root[tile - l->f->first_value];
        if (!sam_lower_known(l, tile, LOWER_ADDRESS, &address))
            return false;
    }
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    if (!sam_lower_known(l, tile, LOWER_PITCH, &pitch))
        return false;
    *from = address;
    *to = address + (uint64_t)(type->rows - 1) * pitch + type->cols * sam_tile_size(type->dtype);
    return true;
}

static bool may_meet(const struct lower *l, uint32_t a, uint32_t b)
{
    uint64_t from[2], to[2];
    if (!bytes_of(l, a, &from[0], &to[0]) || !bytes_of(l, b, &from[1], &to[1]))
        return true;
    return from[0] < to[1] && from[1] < to[0];
}

/* A kernel with an operation added. Private tiles are columns that never leave their registers. */
struct group {
    uint32_t space;
    uint32_t tiles[LOWER_GROUP];
    unsigned tile_count;
};

static bool is_private(const struct group *g, uint32_t tile)
{
    for (unsigned i = 0; i < g->tile_count; i++)
        if (g->tiles[i] == tile)
            return true;
    return false;
}

/* Returns whether `second` depends on `first` other than element by element or row by row: one
 * writes bytes that the other accesses in another order. */
static bool depends(const struct lower *l, const struct group *g, const struct sam_tile_op *first,
                    const struct sam_tile_op *second)
{
    for (uint32_t i = 0; i < first->operand_count; i++)
        for (uint32_t j = 0; j < second->operand_count; j++) {
            uint32_t a = sam_tile_arg(l->p, first, i), b = sam_tile_arg(l->p, second, j);
            bool writes = i + 1 == first->operand_count || j + 1 == second->operand_count;
            if (!writes || !lower_is_tile(l, a) || !lower_is_tile(l, b) || is_private(g, a) ||
                is_private(g, b))
                continue;
            const enum sam_lower_part part = sam_lower_part(l, g->space, first, i);
            const bool same = part == sam_lower_part(l, g->space, second, j) &&
                              part != LOWER_FIRST_ROW && part != LOWER_ANYWHERE &&
                              sam_lower_same_tile(l, a, b);
            if (!same && may_meet(l, a, b))
                return true;
        }
    return false;
}

/* --- iteration spaces */

/* The operand of alloc_tile that sets the valid rows or columns, or SAM_TILE_NONE if set_validshape
 * may change them. */
static uint32_t size_value(const struct lower *l, uint32_t tile, bool rows)
{
    const struct sam_tile_program *p = l->p;
    if (p->values[tile].op == SAM_TILE_NONE)
        return SAM_TILE_NONE;
    const struct sam_tile_op *op = &p->ops[p->values[tile].op];
    unsigned flag = rows ? SAM_TILE_HAS_ROWS : SAM_TILE_HAS_COLS;
    if (op->code != SAM_TILE_ALLOC || !(op->attribute & flag))
        return SAM_TILE_NONE;
    for (size_t i = 0; i < p->op_count; i++)
        if (p->ops[i].code == SAM_TILE_SHAPE && sam_tile_arg(p, &p->ops[i], 0) == tile)
            return SAM_TILE_NONE;
    uint32_t at = (op->attribute & SAM_TILE_HAS_ADDRESS) != 0;
    at += !rows && (op->attribute & SAM_TILE_HAS_ROWS);
    return sam_tile_arg(p, op, at);
}

static bool same_size(const struct lower *l, uint32_t a, uint32_t b, bool rows)
{
    uint32_t x, y;
    enum sam_lower_field field = rows ? LOWER_ROWS : LOWER_COLS;
    bool known[2] = {sam_lower_known(l, a, field, &x), sam_lower_known(l, b, field, &y)};
    if (known[0] && known[1])
        return x == y;
    if (known[0] || known[1])
        return false;
    uint32_t from = size_value(l, a, rows);
    return from != SAM_TILE_NONE && from == size_value(l, b, rows);
}

static bool is_narrow_space(const struct lower *l, uint32_t space)
{
    uint32_t cols;
    return sam_lower_known(l, space, LOWER_COLS, &cols) && cols == 1;
}

bool sam_lower_by_row(const struct lower *l, uint32_t space, const struct sam_tile_op *op)
{
    return !sam_lower_folds(op->code) && is_narrow_space(l, sam_lower_iter_space(l, op)) &&
           !is_narrow_space(l, space);
}

uint32_t sam_lower_space(const struct lower *l, const struct sam_lower_kernel *kernel)
{
    for (unsigned i = 0; i < kernel->op_count; i++) {
        const uint32_t space = sam_lower_iter_space(l, &l->p->ops[kernel->ops[i]]);
        if (!is_narrow_space(l, space))
            return space;
    }
    return sam_lower_iter_space(l, &l->p->ops[kernel->ops[0]]);
}

/* Returns whether both access one tile element-wise. Their run-time shape checks then guarantee
 * equal iteration spaces. */
static bool share(const struct lower *l, uint32_t space, const struct sam_tile_op *a,
                  const struct sam_tile_op *b)
{
    for (uint32_t i = 0; i < a->operand_count; i++)
        for (uint32_t j = 0; j < b->operand_count; j++)
            if (sam_tile_arg(l->p, a, i) == sam_tile_arg(l->p, b, j) &&
                lower_is_tile(l, sam_tile_arg(l->p, a, i)) &&
                sam_lower_part(l, space, a, i) == LOWER_WHOLE &&
                sam_lower_part(l, space, b, j) == LOWER_WHOLE)
                return true;
    return false;
}

/* Returns whether an operation goes over the rectangle of the kernel, or over its rows. */
static bool same_rectangle(const struct lower *l, const struct sam_lower_kernel *kernel,
                           uint32_t space, const struct sam_tile_op *op)
{
    const uint32_t b = sam_lower_iter_space(l, op);
    if (space == b ||
        (same_size(l, space, b, true) &&
         (same_size(l, space, b, false) || is_narrow_space(l, space) || is_narrow_space(l, b))))
        return true;
    for (unsigned i = 0; i < kernel->op_count; i++)
        if (share(l, space, &l->p->ops[kernel->ops[i]], op))
            return true;
    return false;
}

/* --- operations */

/* Returns whether a family is lowered to element-wise code. */
static bool by_element(unsigned code)
{
    switch (sam_tile_row(code)->family) {
    case SAM_TILE_ROWEXPAND:
    case SAM_TILE_COLEXPAND:
    case SAM_TILE_ROWEXPAND2:
    case SAM_TILE_COLEXPAND2:
    case SAM_TILE_BINARY:
    case SAM_TILE_SCALAR:
    case SAM_TILE_UNARY:
    case SAM_TILE_AXPY:
    case SAM_TILE_EXPANDS:
    case SAM_TILE_CMP:
    case SAM_TILE_SEL:
    case SAM_TILE_CVT:
    case SAM_TILE_FMA:
    case SAM_TILE_QUANT:
    case SAM_TILE_DEQUANT:
    case SAM_TILE_FILLPAD:
    case SAM_TILE_CI: return true;
    default: return sam_lower_is_indexed(code);
    }
}

bool sam_lower_folds(unsigned code)
{
    switch (sam_tile_row(code)->family) {
    case SAM_TILE_COLFOLD:
    case SAM_TILE_ROWFOLD:
    case SAM_TILE_COLARG:
    case SAM_TILE_ROWARG: return true;
    default: return false;
    }
}

bool sam_lower_folds_columns(unsigned code)
{
    const enum sam_tile_family_id family = sam_tile_row(code)->family;
    return family == SAM_TILE_COLFOLD || family == SAM_TILE_COLARG;
}

static void refuse(struct lower *l, const struct sam_tile_op *op, enum sam_dtype dtype,
                   const char *where)
{
    sam_lower_refuse(l, op, "%s on %s has no lowering: add it to src/lower/%s",
                     sam_tile_row(op->code)->name, sam_tile_dtype_name(dtype), where);
}

bool sam_lower_has_op(struct lower *l, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const bool folds = sam_lower_folds(op->code);
    if (sam_lower_picks(op->code))
        return true;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct sam_tile_ty *type = sam_tile_ty(l->p, sam_tile_arg(l->p, op, i));
        if (type->kind == SAM_TILE_KIND_TILE && !sam_lower_has_dtype(type->tile.dtype)) {
            refuse(l, op, type->tile.dtype, "narrow.c");
            return false;
        }
    }
    const enum sam_dtype dtype =
        sam_tile_ty(l->p, sam_tile_arg(l->p, op, op->operand_count - 1))->tile.dtype;
    const char *where = NULL;
    if (!folds && !by_element(op->code))
        where = "fuse.c";
    else if (row->function == SAM_TILE_FN_NONE)
        where = NULL;
    else if (!folds)
        where = sam_lower_function_lack(row->function, dtype);
    else if (!sam_lower_has_reduction(row->function))
        where = "reduce.c";
    if (where)
        refuse(l, op, dtype, where);
    return !where;
}

unsigned sam_lower_count_places(const struct lower *l, const struct sam_lower_kernel *kernel,
                                uint32_t space)
{
    uint32_t tiles[4 * LOWER_GROUP];
    enum sam_lower_part parts[SAM_COUNT(tiles)];
    unsigned count = 0;
    for (unsigned k = 0; k < kernel->op_count; k++) {
        const struct sam_tile_op *op = &l->p->ops[kernel->ops[k]];
        for (uint32_t i = 0; i < op->operand_count; i++) {
            const uint32_t tile = sam_tile_arg(l->p, op, i);
            const enum sam_lower_part part = sam_lower_part(l, space, op, i);
            unsigned at = 0;
            while (at < count && !(parts[at] == part && sam_lower_same_tile(l, tiles[at], tile)))
                at++;
            if (!lower_is_tile(l, tile) || at < count)
                continue;
            tiles[count] = tile;
            parts[count++] = part;
        }
    }
    return count;
}

/* Returns whether an operation can be in a kernel with others, over this rectangle. Operations on
 * rows leave a warp to each row: that needs rows enough, or short ones. */
static bool joins(const struct lower *l, uint32_t space, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const struct sam_tile_type *type = &sam_tile_ty(l->p, space)->tile;
    const bool by_row = sam_lower_by_row(l, space, op), folds = sam_lower_folds(op->code);
    uint32_t cols;
    if (by_row && (!sam_lower_known(l, space, LOWER_COLS, &cols) || !cols))
        return false; /* without columns, nothing of a row runs */
    if (sam_lower_pads(l, op) || sam_lower_picks(op->code) || sam_lower_folds_columns(op->code) ||
        (folds &&
         (!sam_lower_reduces_beside(l, op) ||
          (is_narrow_space(l, sam_lower_iter_space(l, op)) && !is_narrow_space(l, space)))) ||
        (by_row && (row->family == SAM_TILE_CI || sam_lower_is_indexed(op->code) ||
                    sam_tile_is_packed(row, op->attribute) || sam_lower_traps(l, op) ||
                    sam_tile_family(row)->reads == SAM_TILE_READS_LAST_ROW)))
        return false;
    return !(by_row || folds) || type->rows >= ROWS_ENOUGH || type->cols <= COLS_SHORT;
}

static bool uses(const struct lower *l, const struct sam_tile_op *op, uint32_t tile)
{
    const uint32_t root = l->flow.root[tile - l->f->first_value];
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t value = sam_tile_arg(l->p, op, i);
        if (lower_is_tile(l, value) && l->flow.root[value - l->f->first_value] == root)
            return true;
    }
    return false;
}

/* Add the result of an operation to the private tiles if it is a column that only the next
 * operation uses. `at` is its place in the kernel, `next` the index of what follows it there. In a
 * kernel over one column the next operation is not per row: it would run before the fold's result
 * is known. */
static void keep_private(const struct lower *l, struct group *g,
                         const struct sam_lower_kernel *kernel, unsigned at, uint32_t index,
                         uint32_t next)
{
    const struct sam_tile_op *op = &l->p->ops[index];
    const uint32_t tile = destination(l, op);
    if (op->next != next || next == SAM_TILE_NONE || sam_lower_traps(l, op) ||
        is_narrow_space(l, g->space) ||
        sam_lower_part(l, g->space, op, op->operand_count - 1) != LOWER_FIRST_COLUMN ||
        !uses(l, &l->p->ops[next], tile) || !sam_lower_is_dead(l, tile, next))
        return;
    for (uint32_t i = 0; i + 1 < op->operand_count; i++) { /* in place: it is read from memory */
        const uint32_t source = sam_tile_arg(l->p, op, i);
        if (lower_is_tile(l, source) &&
            l->flow.root[source - l->f->first_value] == l->flow.root[tile - l->f->first_value])
            return;
    }
    for (unsigned i = 0; i < at; i++)
        if (uses(l, &l->p->ops[kernel->ops[i]], tile) ||
            sam_lower_traps(l, &l->p->ops[kernel->ops[i]]))
            return;
    g->tiles[g->tile_count++] = tile;
}

/* The kernel with operation `index`; ahead: and with the one after it, if need be. */
static bool fuses(const struct lower *l, const struct sam_lower_kernel *kernel, uint32_t index,
                  bool ahead)
{
    const struct sam_tile_op *op = &l->p->ops[index];
    struct group g = {.space = sam_lower_space(l, kernel)};
    if (op->code < SAM_TILE_FIRST_OP || (!by_element(op->code) && !sam_lower_folds(op->code)) ||
        kernel->op_count == LOWER_GROUP || !same_rectangle(l, kernel, g.space, op))
        return false;
    if (is_narrow_space(l, g.space))
        g.space = sam_lower_iter_space(l, op);
    for (unsigned i = 0; i < kernel->op_count; i++)
        keep_private(l, &g, kernel, i, kernel->ops[i],
                     i + 1 < kernel->op_count ? kernel->ops[i + 1] : index);
    struct sam_lower_kernel more = *kernel;
    more.ops[more.op_count++] = index;
    bool good = joins(l, g.space, op) && sam_lower_count_places(l, &more, g.space) <= LOWER_PLACES;
    for (unsigned pass = 0; good && pass < 2; pass++) {
        good = true;
        for (unsigned i = 0; i < kernel->op_count; i++) {
            const struct sam_tile_op *before = &l->p->ops[kernel->ops[i]];
            good &= joins(l, g.space, before) && !depends(l, &g, before, op) &&
                    !(sam_lower_traps(l, before) && sam_lower_traps(l, op));
        }
        if (good || !ahead || op->next == SAM_TILE_NONE)
            break;
        /* Its result may share memory with the others, if it never gets there. */
        const unsigned count = g.tile_count;
        keep_private(l, &g, kernel, kernel->op_count, index, op->next);
        if (g.tile_count == count || more.op_count == LOWER_GROUP ||
            sam_lower_traps(l, &l->p->ops[op->next]) || !fuses(l, &more, op->next, false))
            break;
        good = true;
    }
    return good;
}

bool sam_lower_can_fuse(const struct lower *l, const struct sam_lower_kernel *kernel,
                        uint32_t index)
{
    const unsigned code = l->p->ops[index].code;
    if (!kernel->op_count)
        return code >= SAM_TILE_FIRST_OP && (by_element(code) || sam_lower_folds(code));
    return fuses(l, kernel, index, true);
}
