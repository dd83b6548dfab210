/* SPDX-License-Identifier: Apache-2.0 */
/* GPU kernels of fused element-wise operations. The warps of a launch partition the iteration
 * space: every R-th row, and every C-th 32-column chunk of a row. In a chunk each source is loaded
 * once, values stay in registers between operations, and each destination is stored once.
 *
 * Code is collected in three buffers, one per loop level. The loops around it need the final
 * register assignment, so they are emitted last. */
#include <stdlib.h>

#include "lower/build.h"

/* --- values */

static struct lower_vector *new_vector(struct lower_build *b, struct lower_vector value)
{
    struct lower_vector *v = &b->values[b->value_count++ % LOWER_MOST_VALUES];
    *v = value;
    return v;
}

static struct lower_place *place_of(struct lower_build *b, uint32_t tile, enum sam_lower_part part)
{
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].part == part && sam_lower_same_tile(b->l, b->places[i].tile, tile))
            return &b->places[i];
    struct lower_place *p = &b->places[b->place_count++];
    *p = (struct lower_place){.tile = tile,
                              .part = part,
                              .dtype =
                                  b->packed > 1 ? SAM_U32 : sam_tile_ty(b->l->p, tile)->tile.dtype};
    return p;
}

/* Allocate its pointer registers. */
static void point(struct lower_build *b, struct lower_place *p)
{
    if (!p->row)
        p->row = sam_lower_take_far_scalar(&b->code);
    if (!p->at && p->part != LOWER_FIRST_COLUMN)
        p->at = sam_lower_take_scalar(&b->code);
}

/* Returns whether the kernel is a single copy. It moves bit patterns, so loads need no extension.
 */
static bool copies(const struct lower_build *b)
{
    const enum sam_tile_family_id family = sam_tile_row(lower_build_op(b, 0)->code)->family;
    return b->kernel->op_count == 1 && (family == SAM_TILE_COLEXPAND ||
                                        family == SAM_TILE_EXPANDS || family == SAM_TILE_FILLPAD);
}

unsigned sam_lower_build_packs(const struct lower_build *b)
{
    const struct sam_tile_op *op = lower_build_op(b, 0);
    const uint32_t d = sam_tile_arg(b->l->p, op, op->operand_count - 1);
    const size_t size = sam_tile_size(sam_tile_ty(b->l->p, d)->tile.dtype);
    if (!copies(b) || size >= 4 || !b->cols_known || b->cols * size % 4)
        return 1;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t tile = sam_tile_arg(b->l->p, op, i);
        uint32_t address, pitch;
        if (lower_is_tile(b->l, tile) &&
            (!sam_lower_known(b->l, tile, LOWER_ADDRESS, &address) || address % 4 ||
             !sam_lower_known(b->l, tile, LOWER_PITCH, &pitch) || pitch % 4))
            return 1;
    }
    return 4 / (unsigned)size;
}

static unsigned bits_of(size_t size)
{
    return 8 * (unsigned)size;
}

static void load(struct lower_build *b, struct lower_place *p)
{
    struct lower_code *c = &b->code;
    bool column = p->part == LOWER_FIRST_COLUMN;
    size_t size = lower_place_size(p);
    struct lower_vector v = {.dtype = p->dtype, .level = column ? LOWER_ROW : LOWER_CHUNK};
    v.raw = sam_lower_take_vector(c, v.level);
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
        if (!sam_tile_is_real(p->dtype) && !sam_tile_is_signed(p->dtype) && !copies(b))
            sam_lower_extend(c, v.level, p->dtype, v.raw);
    }
    p->vector = new_vector(b, v);
}

static void store(struct lower_build *b, struct lower_place *p)
{
    struct lower_code *c = &b->code;
    unsigned raw = sam_lower_raw(c, p->vector);
    point(b, p);
    sam_buffer_printf(&c->text[LOWER_CHUNK], "\tvse%u.v v%u, (x%u)\n", bits_of(lower_place_size(p)),
                      raw, p->at);
}

/* Broadcast a scalar operand to all lanes. */
static struct lower_vector *splat(struct lower_build *b, uint32_t value, enum sam_dtype dtype)
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
    v.raw = sam_lower_take_vector(c, v.level);
    if (sam_lower_constant(b->l, value, &number)) {
        uint32_t bits = (uint32_t)number << shift;
        bits = zeros ? bits >> shift : (uint32_t)((int32_t)bits >> shift);
        sam_buffer_printf(out, "\tli t0, 0x%x\n", bits);
    } else {
        sam_buffer_printf(out, "\tlw t0, %u(a0)\n",
                          sam_lower_kernel_word(b->kernel, LOWER_WORD_BITS, value));
        if (shift)
            sam_buffer_printf(out, "\tslli t0, t0, %u\n\t%s t0, t0, %u\n", shift,
                              zeros ? "srli" : "srai", shift);
    }
    if (b->packed > 1) /* replicate the element into each part of the word */
        sam_buffer_printf(out,
                          "\tslli t0, t0, %u\n\tsrli t0, t0, %u\n\tli t1, 0x%x\n\tmul t0, t0, t1\n",
                          shift, shift, b->packed == 4 ? 0x01010101 : 0x00010001);
    sam_buffer_printf(out, "\tvmv.v.x v%u, t0\n", v.raw);
    struct lower_scalar *s = &b->scalars[b->scalar_count++];
    *s = (struct lower_scalar){value, dtype, new_vector(b, v)};
    return s->vector;
}

static enum sam_dtype scalar_dtype(const struct lower_build *b, const struct sam_tile_op *op)
{
    bool source = sam_tile_scalar_of_source(sam_tile_row(op->code));
    uint32_t tile = sam_tile_arg(b->l->p, op, source ? 0 : op->operand_count - 1);
    return sam_tile_ty(b->l->p, tile)->tile.dtype;
}

static struct lower_place *place_at(struct lower_build *b, const struct sam_tile_op *op,
                                    uint32_t operand)
{
    return place_of(b, sam_tile_arg(b->l->p, op, operand),
                    sam_lower_part(sam_tile_row(op->code), operand));
}

static struct lower_vector *operand(struct lower_build *b, const struct sam_tile_op *op,
                                    uint32_t index)
{
    if (!lower_is_tile(b->l, sam_tile_arg(b->l->p, op, index)))
        return splat(b, sam_tile_arg(b->l->p, op, index), scalar_dtype(b, op));
    struct lower_place *p = place_at(b, op, index);
    if (!p->vector)
        load(b, p);
    return p->vector;
}

/* Return whether operation `index` reads (writes) the place. */
static bool reads(struct lower_build *b, unsigned index, const struct lower_place *p)
{
    const struct sam_tile_op *op = lower_build_op(b, index);
    bool updates = sam_tile_updates(sam_tile_row(op->code));
    for (uint32_t i = 0; i + !updates < op->operand_count; i++)
        if (lower_is_tile(b->l, sam_tile_arg(b->l->p, op, i)) && place_at(b, op, i) == p)
            return true;
    return false;
}

static bool writes(struct lower_build *b, unsigned index, const struct lower_place *p)
{
    const struct sam_tile_op *op = lower_build_op(b, index);
    return place_at(b, op, op->operand_count - 1) == p;
}

/* Return whether an operation after `index` reads the place before it is overwritten (writes it).
 */
static bool reads_later(struct lower_build *b, unsigned index, const struct lower_place *p)
{
    for (unsigned i = index + 1; i < b->kernel->op_count; i++) {
        if (reads(b, i, p))
            return true;
        if (writes(b, i, p))
            return false;
    }
    return false;
}

static bool writes_later(struct lower_build *b, unsigned index, const struct lower_place *p)
{
    for (unsigned i = index + 1; i < b->kernel->op_count; i++)
        if (writes(b, i, p))
            return true;
    return false;
}

static void forget(struct lower_build *b, struct lower_place *p)
{
    if (p->vector)
        sam_lower_release(&b->code, p->vector);
    p->vector = NULL;
}

/* --- element indices */

/* Keep the element index i * columns + j of each lane. */
static void count_elements(struct lower_build *b)
{
    if (b->element)
        return;
    b->element = sam_lower_take_scalar(&b->code);
    b->first_element = sam_lower_take_far_scalar(&b->code);
    b->columns = sam_lower_take_far_scalar(&b->code);
    b->lane = sam_lower_take_vector(&b->code, LOWER_ONCE);
    sam_buffer_printf(&b->code.text[LOWER_ONCE], "\tvid.v v%u\n", b->lane);
}

/* Record the lowest element index with a zero divisor. */
static void watch_zeros(struct lower_build *b, const struct sam_tile_op *op,
                        struct lower_vector *divisor)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    uint32_t d = sam_tile_arg(b->l->p, op, op->operand_count - 1);
    count_elements(b);
    b->zeros = sam_lower_take_vector(&b->code, LOWER_ONCE);
    sam_buffer_printf(&b->code.text[LOWER_ONCE], "\tvmv.v.i v%u, -1\n", b->zeros);
    sam_buffer_printf(&b->code.text[LOWER_CHUNK],
                      "\tvmseq.vi v0, v%u, 0\n\tvadd.vx v8, v%u, x%u\n"
                      "\tvminu.vv v%u, v%u, v8, v0.t\n",
                      sam_lower_raw(&b->code, divisor), b->lane, b->element, b->zeros, b->zeros);
    b->failure = sam_lower_failure(b->l, op, "%s divides by zero for %s[*,*]", row->name,
                                   b->l->p->values[d].name);
}

/* --- operations */

static struct lower_vector *count_up(struct lower_build *b, struct lower_vector *from)
{
    struct lower_vector d = {.dtype = from->dtype, .level = LOWER_CHUNK, .users = 1};
    count_elements(b);
    d.raw = sam_lower_take_vector(&b->code, d.level);
    sam_buffer_printf(&b->code.text[LOWER_CHUNK], "\tvadd.vx v%u, v%u, x%u\n", d.raw, b->lane,
                      b->element);
    sam_lower_emit(&b->code, LOWER_CHUNK, "vadd.vv $d, $d, $a",
                   (struct lower_regs){.d = d.raw, .a = from->raw});
    sam_lower_extend(&b->code, LOWER_CHUNK, d.dtype, d.raw);
    return new_vector(b, d);
}

/* Emit an operation. The caller is one user of the result. */
static struct lower_vector *result(struct lower_build *b, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    struct lower_code *c = &b->code;
    struct lower_vector *in[3] = {operand(b, op, 0), NULL, NULL}, product;
    for (unsigned i = 1; i < row->count; i++)
        in[i] = operand(b, op, i);
    if (sam_lower_divides(b->l, op))
        watch_zeros(b, op, in[row->count - 1]);
    switch (row->family) {
    case SAM_TILE_CI: return count_up(b, in[0]);
    case SAM_TILE_CMP:
        return new_vector(b,
                          sam_lower_compare(c, (enum sam_tile_compare)op->attribute, in[0], in[1]));
    case SAM_TILE_SEL: return new_vector(b, sam_lower_select(c, in[0], in[1], in[2]));
    case SAM_TILE_CVT: {
        uint32_t d = sam_tile_arg(b->l->p, op, 1);
        return new_vector(b, sam_lower_convert(c, in[0], sam_tile_ty(b->l->p, d)->tile.dtype,
                                               (enum sam_tile_round)op->attribute));
    }
    case SAM_TILE_AXPY: {
        product = sam_lower_apply(c, SAM_TILE_FN_MUL, in[0], in[1]);
        struct lower_vector *d =
            new_vector(b, sam_lower_apply(c, SAM_TILE_FN_ADD, &product, operand(b, op, 2)));
        sam_lower_release(c, &product);
        return d;
    }
    case SAM_TILE_ROWEXPAND:
    case SAM_TILE_COLEXPAND:
    case SAM_TILE_EXPANDS:
    case SAM_TILE_FILLPAD:
        in[0]->users++; /* a copy */
        return in[0];
    default: return new_vector(b, sam_lower_apply(c, row->function, in[0], in[1]));
    }
}

static void comment(struct lower_build *b, const struct sam_tile_op *op)
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

static void operate(struct lower_build *b, unsigned index)
{
    const struct sam_tile_op *op = lower_build_op(b, index);
    comment(b, op);
    struct lower_vector *d = result(b, op);
    struct lower_place *to = place_at(b, op, op->operand_count - 1);
    forget(b, to);
    to->vector = d;
    uint32_t last = b->kernel->ops[b->kernel->op_count - 1];
    if (!writes_later(b, index, to) &&
        !sam_lower_is_dead(b->l, sam_tile_arg(b->l->p, op, op->operand_count - 1), last))
        store(b, to);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        struct lower_place *p =
            lower_is_tile(b->l, sam_tile_arg(b->l->p, op, i)) ? place_at(b, op, i) : NULL;
        if (p && !reads_later(b, index, p))
            forget(b, p);
    }
}

void sam_lower_kernel(struct lower *l, struct sam_lower_kernel *kernel)
{
    const struct sam_tile_op *first = &l->p->ops[kernel->ops[0]];
    if (sam_lower_folds(first->code)) {
        sam_lower_reduce(l, kernel);
        return;
    }
    struct lower_build *b = sam_alloc(1, sizeof *b);
    if (!b) {
        l->gpu.failed = true;
        return;
    }
    b->l = b->code.l = l;
    b->kernel = kernel;
    b->rectangle = sam_lower_iter_space(l, first);
    sam_lower_build_divide(b);
    for (unsigned i = 0; i < kernel->op_count; i++)
        operate(b, i);
    sam_lower_build_finish(b);
    for (unsigned i = 0; i < kernel->op_count; i++)
        sam_lower_kernel_note(l, kernel, lower_build_op(b, i));
    sam_lower_code_free(&b->code);
    free(b);
}
