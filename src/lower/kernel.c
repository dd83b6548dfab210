/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the GPU for groups of operations by element. The warps of a launch divide the valid
 * rectangle: by rows, every R-th one, and the columns of a row by chunks of 32, every C-th one. Per
 * chunk each source is loaded once, values stay in registers from operation to operation, and each
 * destination is stored once.
 *
 * A kernel is built as three pieces of text, what runs once, per row and per chunk; the code around
 * them, which needs to know all registers, is written afterwards. */
#include <stdlib.h>

#include "lower/elements.h"

enum { LANES = 32, MOST_WARPS = 8, MOST_GROUPS = 16, CHUNKS_PER_WARP = 2 };
enum { MOST_VALUES = 8 * LOWER_GROUP };

/* A tile, or the row or column of it that is repeated. */
struct place {
    uint32_t tile;
    enum lower_part part;
    enum sam_dtype dtype;
    unsigned row, at;            /* scalar registers: where this warp's part of the row begins; the
                                    chunk. 0: not needed so far */
    struct lower_vector *vector; /* what it holds, when that is in registers */
};

struct scalar {
    uint32_t value;
    enum sam_dtype dtype;
    struct lower_vector *vector;
};

struct build {
    struct lower_code code;
    struct lower *l;
    struct lower_kernel *kernel;
    struct place places[LOWER_PLACES];
    struct scalar scalars[LOWER_GROUP];
    struct lower_vector values[MOST_VALUES];
    unsigned place_count, scalar_count, value_count;
    uint32_t rectangle;  /* a tile that has it */
    uint32_t rows, cols; /* of it, if they are known; of a flat one: 1 and all elements */
    bool rows_known, cols_known, flat;
    unsigned row_warps, col_warps; /* powers of two */
    /* Registers, 0 when nothing counts elements: i * columns + j of lane 0, in this chunk and in
     * the row's first one; all columns; v: the number of the lane. */
    unsigned element, first_element, columns, lane;
    unsigned zeros;   /* register: the lowest element with a divisor of zero */
    uint32_t failure; /* its number */
};

static const struct sam_tile_op *op_at(const struct build *b, unsigned index)
{
    return &b->l->p->ops[b->kernel->ops[index]];
}

static size_t size_of(const struct place *p)
{
    return sam_tile_size(p->dtype);
}

/* --- the argument buffer */

static uint32_t word(struct build *b, enum lower_word_kind kind, uint32_t value)
{
    return lower_kernel_word(b->kernel, kind, value);
}

static void load_field(struct build *b, struct sam_buffer *out, const char *reg, uint32_t tile,
                       enum lower_field field)
{
    lower_load_field(b->l, b->kernel, out, reg, tile, field);
}

/* --- values */

static struct lower_vector *new_vector(struct build *b, struct lower_vector value)
{
    struct lower_vector *v = &b->values[b->value_count++ % MOST_VALUES];
    *v = value;
    return v;
}

static struct place *place_of(struct build *b, uint32_t tile, enum lower_part part)
{
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].part == part && lower_same_tile(b->l, b->places[i].tile, tile))
            return &b->places[i];
    struct place *p = &b->places[b->place_count++];
    *p =
        (struct place){.tile = tile, .part = part, .dtype = sam_tile_ty(b->l->p, tile)->tile.dtype};
    return p;
}

/* The registers that point to it. */
static void point(struct build *b, struct place *p)
{
    if (!p->row)
        p->row = lower_take_far_scalar(&b->code);
    if (!p->at && p->part != LOWER_FIRST_COLUMN)
        p->at = lower_take_scalar(&b->code);
}

static unsigned bits_of(size_t size)
{
    return 8 * (unsigned)size;
}

static void load(struct build *b, struct place *p)
{
    struct lower_code *c = &b->code;
    bool column = p->part == LOWER_FIRST_COLUMN;
    size_t size = size_of(p);
    struct lower_vector v = {.dtype = p->dtype, .level = column ? LOWER_ROW : LOWER_CHUNK};
    v.raw = lower_take_vector(c, v.level);
    v.users = 1;
    point(b, p);
    struct sam_buffer *out = &c->text[v.level];
    if (column) {
        bool zeros = !sam_tile_is_real(p->dtype) && !sam_tile_is_signed(p->dtype);
        const char *name = size == 4   ? "lw"
                           : size == 2 ? zeros ? "lhu" : "lh"
                           : zeros     ? "lbu"
                                       : "lb";
        sam_buffer_printf(out, "\t%s t0, 0(x%u)\n\tvmv.v.x v%u, t0\n", name, p->row, v.raw);
    } else {
        sam_buffer_printf(out, "\tvle%u.v v%u, (x%u)\n", bits_of(size), v.raw, p->at);
        if (!sam_tile_is_real(p->dtype) && !sam_tile_is_signed(p->dtype))
            lower_extend(c, v.level, p->dtype, v.raw);
    }
    p->vector = new_vector(b, v);
}

static void store(struct build *b, struct place *p)
{
    struct lower_code *c = &b->code;
    unsigned raw = lower_raw(c, p->vector);
    point(b, p);
    sam_buffer_printf(&c->text[LOWER_CHUNK], "\tvse%u.v v%u, (x%u)\n", bits_of(size_of(p)), raw,
                      p->at);
}

/* A scalar operand in all lanes. */
static struct lower_vector *splat(struct build *b, uint32_t value, enum sam_dtype dtype)
{
    struct lower_code *c = &b->code;
    for (unsigned i = 0; i < b->scalar_count; i++)
        if (b->scalars[i].value == value && b->scalars[i].dtype == dtype)
            return b->scalars[i].vector;
    struct lower_vector v = {.dtype = dtype, .level = LOWER_ONCE, .users = 1};
    unsigned shift = 32 - bits_of(sam_tile_size(dtype));
    bool zeros = !sam_tile_is_real(dtype) && !sam_tile_is_signed(dtype);
    struct sam_buffer *out = &c->text[LOWER_ONCE];
    int64_t number;
    v.raw = lower_take_vector(c, v.level);
    if (lower_constant(b->l, value, &number)) {
        uint32_t bits = (uint32_t)number << shift;
        bits = zeros ? bits >> shift : (uint32_t)((int32_t)bits >> shift);
        sam_buffer_printf(out, "\tli t0, 0x%x\n", bits);
    } else {
        sam_buffer_printf(out, "\tlw t0, %u(a0)\n", word(b, LOWER_WORD_BITS, value));
        if (shift)
            sam_buffer_printf(out, "\tslli t0, t0, %u\n\t%s t0, t0, %u\n", shift,
                              zeros ? "srli" : "srai", shift);
    }
    sam_buffer_printf(out, "\tvmv.v.x v%u, t0\n", v.raw);
    struct scalar *s = &b->scalars[b->scalar_count++];
    *s = (struct scalar){value, dtype, new_vector(b, v)};
    return s->vector;
}

static enum sam_dtype scalar_dtype(const struct build *b, const struct sam_tile_op *op)
{
    bool source = sam_tile_scalar_of_source(sam_tile_row(op->code));
    uint32_t tile = sam_tile_arg(b->l->p, op, source ? 0 : op->operand_count - 1);
    return sam_tile_ty(b->l->p, tile)->tile.dtype;
}

static bool is_tile(const struct build *b, const struct sam_tile_op *op, uint32_t operand)
{
    return sam_tile_ty(b->l->p, sam_tile_arg(b->l->p, op, operand))->kind == SAM_TILE_KIND_TILE;
}

static struct place *place_at(struct build *b, const struct sam_tile_op *op, uint32_t operand)
{
    return place_of(b, sam_tile_arg(b->l->p, op, operand),
                    lower_part(sam_tile_row(op->code), operand));
}

static struct lower_vector *operand(struct build *b, const struct sam_tile_op *op, uint32_t index)
{
    if (!is_tile(b, op, index))
        return splat(b, sam_tile_arg(b->l->p, op, index), scalar_dtype(b, op));
    struct place *p = place_at(b, op, index);
    if (!p->vector)
        load(b, p);
    return p->vector;
}

/* Whether operation `index` reads (writes) the place. */
static bool reads(struct build *b, unsigned index, const struct place *p)
{
    const struct sam_tile_op *op = op_at(b, index);
    bool updates = sam_tile_updates(sam_tile_row(op->code));
    for (uint32_t i = 0; i + !updates < op->operand_count; i++)
        if (is_tile(b, op, i) && place_at(b, op, i) == p)
            return true;
    return false;
}

static bool writes(struct build *b, unsigned index, const struct place *p)
{
    const struct sam_tile_op *op = op_at(b, index);
    return place_at(b, op, op->operand_count - 1) == p;
}

/* Whether a place is read after operation `index`, before it is written; whether it is written. */
static bool reads_later(struct build *b, unsigned index, const struct place *p)
{
    for (unsigned i = index + 1; i < b->kernel->op_count; i++) {
        if (reads(b, i, p))
            return true;
        if (writes(b, i, p))
            return false;
    }
    return false;
}

static bool writes_later(struct build *b, unsigned index, const struct place *p)
{
    for (unsigned i = index + 1; i < b->kernel->op_count; i++)
        if (writes(b, i, p))
            return true;
    return false;
}

static void forget(struct build *b, struct place *p)
{
    if (p->vector)
        lower_release(&b->code, p->vector);
    p->vector = NULL;
}

/* --- numbers of elements */

/* The element of each lane: i * columns + j. */
static void count_elements(struct build *b)
{
    if (b->element)
        return;
    b->element = lower_take_scalar(&b->code);
    b->first_element = lower_take_far_scalar(&b->code);
    b->columns = lower_take_far_scalar(&b->code);
    b->lane = lower_take_vector(&b->code, LOWER_ONCE);
    sam_buffer_printf(&b->code.text[LOWER_ONCE], "\tvid.v v%u\n", b->lane);
}

/* Note where the divisor is zero. */
static void watch_zeros(struct build *b, const struct sam_tile_op *op, struct lower_vector *divisor)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    uint32_t d = sam_tile_arg(b->l->p, op, op->operand_count - 1);
    count_elements(b);
    b->zeros = lower_take_vector(&b->code, LOWER_ONCE);
    sam_buffer_printf(&b->code.text[LOWER_ONCE], "\tvmv.v.i v%u, -1\n", b->zeros);
    sam_buffer_printf(&b->code.text[LOWER_CHUNK],
                      "\tvmseq.vi v0, v%u, 0\n\tvadd.vx v8, v%u, x%u\n"
                      "\tvminu.vv v%u, v%u, v8, v0.t\n",
                      lower_raw(&b->code, divisor), b->lane, b->element, b->zeros, b->zeros);
    b->failure = lower_failure(b->l, op, "%s divides by zero for %s[*,*]", row->name,
                               b->l->p->values[d].name);
}

/* --- operations */

static struct lower_vector *count_up(struct build *b, struct lower_vector *from)
{
    struct lower_vector d = {.dtype = from->dtype, .level = LOWER_CHUNK, .users = 1};
    count_elements(b);
    d.raw = lower_take_vector(&b->code, d.level);
    sam_buffer_printf(&b->code.text[LOWER_CHUNK], "\tvadd.vx v%u, v%u, x%u\n", d.raw, b->lane,
                      b->element);
    lower_emit(&b->code, LOWER_CHUNK, "vadd.vv $d, $d, $a",
               (struct lower_regs){.d = d.raw, .a = from->raw});
    lower_extend(&b->code, LOWER_CHUNK, d.dtype, d.raw);
    return new_vector(b, d);
}

/* The result of an operation; one user is the caller's. */
static struct lower_vector *result(struct build *b, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    struct lower_code *c = &b->code;
    struct lower_vector *in[3] = {operand(b, op, 0), NULL, NULL}, product;
    for (unsigned i = 1; i < row->count; i++)
        in[i] = operand(b, op, i);
    if (lower_divides(b->l, op))
        watch_zeros(b, op, in[row->count - 1]);
    switch (row->family) {
    case SAM_TILE_CI: return count_up(b, in[0]);
    case SAM_TILE_CMP:
        return new_vector(b, lower_compare(c, (enum sam_tile_compare)op->attribute, in[0], in[1]));
    case SAM_TILE_SEL: return new_vector(b, lower_select(c, in[0], in[1], in[2]));
    case SAM_TILE_CVT: {
        uint32_t d = sam_tile_arg(b->l->p, op, 1);
        return new_vector(b, lower_convert(c, in[0], sam_tile_ty(b->l->p, d)->tile.dtype,
                                           (enum sam_tile_round)op->attribute));
    }
    case SAM_TILE_AXPY: {
        product = lower_apply(c, SAM_TILE_FN_MUL, in[0], in[1]);
        struct lower_vector *d =
            new_vector(b, lower_apply(c, SAM_TILE_FN_ADD, &product, operand(b, op, 2)));
        lower_release(c, &product);
        return d;
    }
    default:
        if (row->function != SAM_TILE_FN_NONE)
            return new_vector(b, lower_apply(c, row->function, in[0], in[1]));
        in[0]->users++; /* a copy */
        return in[0];
    }
}

static void comment(struct build *b, const struct sam_tile_op *op)
{
    struct sam_buffer *out = &b->code.text[LOWER_CHUNK];
    sam_buffer_printf(out, "\t# %s", sam_tile_row(op->code)->name);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const char *name = b->l->p->values[sam_tile_arg(b->l->p, op, i)].name;
        sam_buffer_puts(out, i + 1 == op->operand_count ? " -> %" : i ? ", %" : " %");
        sam_buffer_plain(out, name, strlen(name), '?');
    }
    sam_buffer_puts(out, "\n");
}

static void operate(struct build *b, unsigned index)
{
    const struct sam_tile_op *op = op_at(b, index);
    comment(b, op);
    struct lower_vector *d = result(b, op);
    struct place *to = place_at(b, op, op->operand_count - 1);
    forget(b, to);
    to->vector = d;
    uint32_t last = b->kernel->ops[b->kernel->op_count - 1];
    if (!writes_later(b, index, to) &&
        !lower_is_dead(b->l, sam_tile_arg(b->l->p, op, op->operand_count - 1), last))
        store(b, to);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        struct place *p = is_tile(b, op, i) ? place_at(b, op, i) : NULL;
        if (p && !reads_later(b, index, p))
            forget(b, p);
    }
}

/* --- how the warps divide the rectangle */

static uint32_t at_most(uint32_t limit, uint64_t number)
{
    uint32_t power = 1;
    while (2 * power <= limit && 2 * power <= number)
        power *= 2;
    return power;
}

/* Rows without a gap between them, of nothing that is repeated, are one long row. */
static bool is_flat(const struct build *b)
{
    if (!b->rows_known || !b->cols_known)
        return false;
    for (unsigned k = 0; k < b->kernel->op_count; k++) {
        const struct sam_tile_op *op = op_at(b, k);
        if (lower_pads(b->l, op))
            return false;
        for (uint32_t i = 0; i < op->operand_count; i++) {
            uint32_t tile = sam_tile_arg(b->l->p, op, i), pitch;
            if (!is_tile(b, op, i))
                continue;
            size_t size = sam_tile_size(sam_tile_ty(b->l->p, tile)->tile.dtype);
            if (lower_part(sam_tile_row(op->code), i) != LOWER_WHOLE ||
                !lower_known(b->l, tile, LOWER_PITCH, &pitch) || pitch != b->cols * size)
                return false;
        }
    }
    return true;
}

static void divide(struct build *b)
{
    struct lower_kernel *k = b->kernel;
    const struct sam_tile_type *type = &sam_tile_ty(b->l->p, b->rectangle)->tile;
    b->rows_known = lower_known(b->l, b->rectangle, LOWER_ROWS, &b->rows);
    b->cols_known = lower_known(b->l, b->rectangle, LOWER_COLS, &b->cols);
    b->flat = is_flat(b);
    if (b->flat) {
        b->cols *= b->rows;
        b->rows = 1;
    }
    uint64_t rows = b->rows_known ? b->rows : type->rows;
    uint64_t chunks = ((b->cols_known ? b->cols : type->cols) + LANES - 1) / LANES;
    uint32_t groups = at_most(MOST_GROUPS, b->l->options.sms ? b->l->options.sms : 2);
    uint32_t warps = at_most(groups * MOST_WARPS, rows * chunks / CHUNKS_PER_WARP);
    b->row_warps = at_most(warps, rows);
    b->col_warps = at_most(warps / b->row_warps, chunks);
    warps = b->row_warps * b->col_warps;
    k->workgroups = warps < groups ? warps : groups;
    k->warps = warps / k->workgroups;
    b->code.partial = !b->cols_known || b->cols % LANES;
}

static unsigned log_of(uint32_t power)
{
    return (unsigned)__builtin_ctz(power);
}

/* --- the code around the pieces */

/* reg += number */
static void add(struct sam_buffer *out, const char *reg, int64_t number)
{
    if (number >= -2048 && number < 2048)
        sam_buffer_printf(out, "\taddi %s, %s, %d\n", reg, reg, (int)number);
    else
        sam_buffer_printf(out, "\tli t0, 0x%x\n\tadd %s, %s, t0\n", (uint32_t)number, reg, reg);
}

/* s0 = the rows from this warp's first one on; s2 = the columns of a row from its first chunk on;
 * t1, t2 = its first row and chunk; t3 = its number. */
static void enter(struct build *b, struct sam_buffer *out, unsigned end)
{
    struct lower_kernel *k = b->kernel;
    lower_number_warp(k, out);
    sam_buffer_printf(out, "\tandi t1, t3, %u\n\tsrli t2, t3, %u\n", b->row_warps - 1,
                      log_of(b->row_warps));
    if (b->flat)
        sam_buffer_printf(out, "\tli s0, 1\n\tli s2, 0x%x\n", b->cols);
    else {
        load_field(b, out, "s0", b->rectangle, LOWER_ROWS);
        load_field(b, out, "s2", b->rectangle, LOWER_COLS);
    }
    if (b->element) {
        sam_buffer_printf(out, "\tmul x%u, t1, s2\n", b->first_element);
        sam_buffer_printf(out, "\tslli t0, t2, 5\n\tadd x%u, x%u, t0\n", b->first_element,
                          b->first_element);
        sam_buffer_printf(out, "\tmv x%u, s2\n", b->columns);
    }
    sam_buffer_printf(out, "\tsub s0, s0, t1\n\tslli t0, t2, 5\n\tsub s2, s2, t0\n");
    sam_buffer_printf(out, "\tblez s0, .Lg%u\n\tblez s2, .Lg%u\n", end, end);
}

static void place_pointer(struct build *b, struct sam_buffer *out, const struct place *p)
{
    char row[8];
    sam_format(row, sizeof row, "x%u", p->row);
    load_field(b, out, row, p->tile, LOWER_ADDRESS);
    if (p->part != LOWER_FIRST_ROW && b->row_warps > 1) {
        load_field(b, out, "t0", p->tile, LOWER_PITCH);
        sam_buffer_printf(out, "\tmul t0, t0, t1\n\tadd %s, %s, t0\n", row, row);
    }
    if (p->part != LOWER_FIRST_COLUMN && b->col_warps > 1)
        sam_buffer_printf(out, "\tslli t0, t2, %u\n\tadd %s, %s, t0\n",
                          log_of(LANES * (uint32_t)size_of(p)), row, row);
}

/* The next row of this warp. */
static void advance_row(struct build *b, struct sam_buffer *out, const struct place *p)
{
    char row[8];
    uint32_t pitch;
    sam_format(row, sizeof row, "x%u", p->row);
    if (p->part == LOWER_FIRST_ROW)
        return;
    if (lower_known(b->l, p->tile, LOWER_PITCH, &pitch)) {
        add(out, row, (int64_t)pitch * b->row_warps);
        return;
    }
    load_field(b, out, "t0", p->tile, LOWER_PITCH);
    sam_buffer_printf(out, "\tslli t0, t0, %u\n\tadd %s, %s, t0\n", log_of(b->row_warps), row, row);
}

static void append(struct sam_buffer *out, const struct sam_buffer *text)
{
    sam_buffer_append(out, text->data, text->size);
}

static void loops(struct build *b, struct sam_buffer *out)
{
    struct lower_code *c = &b->code;
    unsigned row = lower_label(b->l), chunk = lower_label(b->l);
    uint32_t step = LANES * b->col_warps;
    char reg[8];
    bool one_row = b->rows_known && b->rows == 1, one_chunk = b->cols_known && b->cols <= step;
    if (!one_row)
        sam_buffer_printf(out, ".Lg%u:\n", row);
    if (c->text[LOWER_ROW].size && c->partial && !one_row)
        sam_buffer_puts(out, "\tvsetvli t0, zero, e32, m1, ta, ma\n");
    append(out, &c->text[LOWER_ROW]);
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].at)
            sam_buffer_printf(out, "\tmv x%u, x%u\n", b->places[i].at, b->places[i].row);
    if (b->element)
        sam_buffer_printf(out, "\tmv x%u, x%u\n", b->element, b->first_element);
    sam_buffer_puts(out, "\tmv " LOWER_REST ", s2\n");
    if (!one_chunk)
        sam_buffer_printf(out, ".Lg%u:\n", chunk);
    if (c->partial)
        sam_buffer_puts(out, "\tvsetvli t0, " LOWER_REST ", e32, m1, ta, ma\n");
    append(out, &c->text[LOWER_CHUNK]);
    if (!one_chunk) {
        for (unsigned i = 0; i < b->place_count; i++) {
            sam_format(reg, sizeof reg, "x%u", b->places[i].at);
            if (b->places[i].at)
                add(out, reg, (int64_t)(step * size_of(&b->places[i])));
        }
        sam_format(reg, sizeof reg, "x%u", b->element);
        if (b->element)
            add(out, reg, step);
        add(out, LOWER_REST, -(int64_t)step);
        sam_buffer_printf(out, "\tbgtz " LOWER_REST ", .Lg%u\n", chunk);
    }
    if (one_row)
        return;
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].row)
            advance_row(b, out, &b->places[i]);
    if (b->element)
        sam_buffer_printf(out, "\tslli t0, x%u, %u\n\tadd x%u, x%u, t0\n", b->columns,
                          log_of(b->row_warps), b->first_element, b->first_element);
    add(out, "s0", -(int64_t)b->row_warps);
    sam_buffer_printf(out, "\tbgtz s0, .Lg%u\n", row);
}

/* When a lane has seen a divisor of zero, name the first element in the failure record. The lanes'
 * numbers are on the stack meanwhile. */
static void report_zeros(struct build *b, struct sam_buffer *out)
{
    unsigned next = lower_label(b->l), smaller = lower_label(b->l), none = lower_label(b->l);
    uint32_t record = word(b, LOWER_WORD_FAILURE, 0);
    sam_buffer_printf(out,
                      "\tvsetvli t0, zero, e32, m1, ta, ma\n\taddi t1, sp, 16\n"
                      "\tvse32.v v%u, (t1)\n\taddi t2, t1, 128\n\tli t3, -1\n",
                      b->zeros);
    sam_buffer_printf(out,
                      ".Lg%u:\n\tlw t4, 0(t1)\n\taddi t1, t1, 4\n\tbgeu t4, t3, .Lg%u\n"
                      "\tmv t3, t4\n.Lg%u:\n\tbltu t1, t2, .Lg%u\n",
                      next, smaller, smaller, next);
    sam_buffer_printf(out, "\tli t4, -1\n\tbeq t3, t4, .Lg%u\n\tlw t5, %u(a0)\n", none, record);
    uint32_t d = sam_tile_arg(b->l->p, op_at(b, 0), op_at(b, 0)->operand_count - 1);
    load_field(b, out, "t4", d, LOWER_COLS);
    sam_buffer_printf(out, "\tsw t4, %u(t5)\n", 4 * LOWER_FAILURE_COLUMNS);
    sam_buffer_printf(out, "\taddi t6, t5, %u\n\tamominu.w zero, t3, (t6)\n",
                      4 * LOWER_FAILURE_ELEMENT);
    sam_buffer_printf(out, "\tli t4, %u\n\tsw t4, %u(t5)\n.Lg%u:\n", b->failure,
                      4 * LOWER_FAILURE_NUMBER, none);
}

static void assemble(struct build *b)
{
    struct lower_code *c = &b->code;
    struct sam_buffer *out = &b->l->gpu;
    unsigned end = lower_label(b->l);
    sam_buffer_printf(out, "%s:\n", b->kernel->name);
    if (c->calls)
        sam_buffer_puts(out, "\tsw ra, 0(sp)\n\taddi sp, sp, 16\n");
    enter(b, out, end);
    for (unsigned i = 0; i < c->constant_count; i++)
        sam_buffer_printf(out, "\tli x%u, 0x%x\n", c->constants[i].reg, c->constants[i].bits);
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].row)
            place_pointer(b, out, &b->places[i]);
    append(out, &c->text[LOWER_ONCE]);
    loops(b, out);
    if (b->zeros)
        report_zeros(b, out);
    sam_buffer_printf(out, ".Lg%u:\n", end);
    if (lower_pads(b->l, op_at(b, 0)))
        lower_kernel_pad(b->l, b->kernel, op_at(b, 0), b->rectangle, LOWER_WHOLE);
    sam_buffer_puts(out, c->calls ? "\taddi sp, sp, -16\n\tlw ra, 0(sp)\n\tret\n" : "\tret\n");
}

void lower_kernel(struct lower *l, struct lower_kernel *kernel)
{
    const struct sam_tile_op *first = &l->p->ops[kernel->ops[0]];
    if (lower_folds(first->code)) {
        lower_fold(l, kernel);
        return;
    }
    struct build *b = sam_alloc(1, sizeof *b);
    if (!b) {
        l->gpu.failed = true;
        return;
    }
    b->l = b->code.l = l;
    b->kernel = kernel;
    b->rectangle = lower_rectangle(l, first);
    divide(b);
    for (unsigned i = 0; i < kernel->op_count; i++)
        operate(b, i);
    assemble(b);
    for (unsigned i = 0; i < kernel->op_count; i++)
        lower_note(l, op_at(b, i), "kernel %s: %u workgroup%s of %u warp%s", kernel->name,
                   kernel->workgroups, kernel->workgroups == 1 ? "" : "s", kernel->warps,
                   kernel->warps == 1 ? "" : "s");
    for (unsigned i = 0; i < LOWER_LEVELS; i++) {
        l->gpu.failed |= b->code.text[i].failed;
        sam_buffer_free(&b->code.text[i]);
    }
    free(b);
}
