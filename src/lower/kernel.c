/* SPDX-License-Identifier: Apache-2.0 */
/* GPU kernels of fused operations. The warps of a launch partition the iteration space: every R-th
 * row, and every C-th 32-column chunk of a row. In a chunk each source is loaded once, values stay
 * in registers between operations, and each destination is stored once. */
#include <stdlib.h>

#include "lower/build.h"

/* --- values */

struct lower_vector *sam_lower_build_vector(struct lower_build *b, struct lower_vector value)
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
    const enum sam_dtype dtype = sam_tile_ty(b->l->p, tile)->tile.dtype;
    struct lower_place *p = &b->places[b->place_count++];
    *p = (struct lower_place){.tile = tile,
                              .part = part,
                              .dtype = b->packed > 1 && !b->columns ? SAM_U32 : dtype,
                              .bytes = b->packed * (unsigned)sam_tile_size(dtype)};
    return p;
}

struct lower_place *sam_lower_build_place(struct lower_build *b, const struct sam_tile_op *op,
                                          uint32_t operand)
{
    return place_of(b, sam_tile_arg(b->l->p, op, operand),
                    sam_lower_part(b->l, b->rectangle, op, operand));
}

unsigned sam_lower_build_row(struct lower_build *b, struct lower_place *p)
{
    if (!p->row)
        p->row = sam_lower_take_scalar(&b->code, LOWER_ONCE);
    return p->row;
}

/* The register with the address of its current chunk. */
static unsigned point(struct lower_build *b, struct lower_place *p)
{
    if (!p->at)
        p->at = sam_lower_build_moving(
            b, sam_lower_build_row(b, p),
            b->columns ? 0 : (int32_t)(LOWER_LANES * b->step_warps * p->bytes),
            b->columns ? b->pitch : 0);
    return p->at;
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

static bool extends_zeros(enum sam_dtype dtype)
{
    return !sam_tile_is_real(dtype) && !sam_tile_is_signed(dtype);
}

static void load(struct lower_build *b, struct lower_place *p)
{
    struct lower_code *c = &b->code;
    const bool column = p->part == LOWER_FIRST_COLUMN;
    struct lower_vector v = {.dtype = p->dtype, .level = column ? LOWER_ROW : LOWER_CHUNK};
    v.raw = sam_lower_take_vector(c, v.level);
    if (column) {
        const char *name = p->bytes == 4             ? "lw"
                           : p->bytes == 2           ? extends_zeros(p->dtype) ? "lhu" : "lh"
                           : extends_zeros(p->dtype) ? "lbu"
                                                     : "lb";
        sam_lower_gpu(c, v.level, "%s t0, 0(x%u); vmv.v.x v%u, t0", name, sam_lower_build_row(b, p),
                      v.raw);
    } else {
        const bool first = p->part == LOWER_FIRST_ROW;
        p->loaded = true;
        sam_lower_gpu(c, first ? LOWER_FIRST : LOWER_CHUNK, "vle%u.v v%u, (x%u)", 8 * p->bytes,
                      v.raw, point(b, p));
        if (extends_zeros(p->dtype) && !copies(b))
            sam_lower_extend(c, v.level, p->dtype, v.raw);
    }
    p->vector = sam_lower_build_vector(b, v);
}

static void store(struct lower_build *b, struct lower_place *p)
{
    const unsigned raw = sam_lower_raw(&b->code, p->vector);
    if (p->part == LOWER_FIRST_COLUMN) { /* one lane */
        sam_lower_gpu(&b->code, LOWER_ROW,
                      "vsetvli t0, x%u, e32, m1, ta, ma; vse%u.v v%u, (x%u);"
                      "vsetvli t0, zero, e32, m1, ta, ma",
                      sam_lower_number(&b->code, LOWER_ROW, 1), 8 * p->bytes, raw,
                      sam_lower_build_row(b, p));
        return;
    }
    p->stored = true;
    sam_lower_gpu(&b->code, LOWER_CHUNK, "vse%u.v v%u, (x%u)", 8 * p->bytes, raw, point(b, p));
}

/* Broadcast a scalar operand to all lanes. */
static struct lower_vector *splat(struct lower_build *b, uint32_t value, enum sam_dtype dtype)
{
    struct lower_code *c = &b->code;
    for (unsigned i = 0; i < b->scalar_count; i++)
        if (b->scalars[i].value == value && b->scalars[i].dtype == dtype)
            return b->scalars[i].vector;
    struct lower_vector v = {.dtype = dtype, .level = LOWER_ONCE};
    const unsigned shift = 32 - 8 * (unsigned)sam_tile_size(dtype);
    const bool zeros = extends_zeros(dtype);
    int64_t number;
    v.raw = sam_lower_take_vector(c, v.level);
    if (sam_lower_constant(b->l, value, &number)) {
        uint32_t bits = (uint32_t)number << shift;
        bits = zeros ? bits >> shift : (uint32_t)((int32_t)bits >> shift);
        sam_lower_gpu(c, LOWER_ONCE, "li t0, 0x%x", bits);
    } else {
        sam_lower_gpu(c, LOWER_ONCE, "lw t0, %u(a0)",
                      sam_lower_kernel_word(b->kernel, LOWER_WORD_BITS, value));
        if (shift)
            sam_lower_gpu(c, LOWER_ONCE, "slli t0, t0, %u; %s t0, t0, %u", shift,
                          zeros ? "srli" : "srai", shift);
    }
    if (b->packed > 1) /* replicate the element into each part of the word */
        sam_lower_gpu(c, LOWER_ONCE,
                      "slli t0, t0, %u; srli t0, t0, %u; li t1, 0x%x; mul t0, t0, t1", shift, shift,
                      b->packed == 4 ? 0x01010101 : 0x00010001);
    sam_lower_gpu(c, LOWER_ONCE, "vmv.v.x v%u, t0", v.raw);
    struct lower_scalar *s = &b->scalars[b->scalar_count++];
    *s = (struct lower_scalar){value, dtype, sam_lower_build_vector(b, v)};
    return s->vector;
}

/* An index is used as 32 bits. */
static enum sam_dtype scalar_dtype(const struct lower_build *b, uint32_t value)
{
    const struct sam_tile_ty *type = sam_tile_ty(b->l->p, value);
    return type->kind == SAM_TILE_KIND_INDEX ? SAM_I32 : type->dtype;
}

struct lower_vector *sam_lower_build_operand(struct lower_build *b, const struct sam_tile_op *op,
                                             uint32_t index)
{
    if (!lower_is_tile(b->l, sam_tile_arg(b->l->p, op, index)))
        return splat(b, sam_tile_arg(b->l->p, op, index),
                     scalar_dtype(b, sam_tile_arg(b->l->p, op, index)));
    struct lower_place *p = sam_lower_build_place(b, op, index);
    if (!p->vector)
        load(b, p);
    return p->vector;
}

void sam_lower_build_touch(struct lower_build *b, uint32_t tile)
{
    struct sam_lower_kernel *k = b->kernel;
    for (unsigned i = 0; i < k->touched_count; i++)
        if (k->touched[i] == tile)
            return;
    if (k->touched_count < LOWER_TOUCHED)
        k->touched[k->touched_count++] = tile;
}

/* --- uses of places */

static bool reads(struct lower_build *b, unsigned index, const struct lower_place *p)
{
    const struct sam_tile_op *op = lower_build_op(b, index);
    bool updates = sam_tile_updates(sam_tile_row(op->code));
    for (uint32_t i = 0; i + !updates < op->operand_count; i++)
        if (lower_is_tile(b->l, sam_tile_arg(b->l->p, op, i)) &&
            sam_lower_build_place(b, op, i) == p)
            return true;
    return false;
}

static struct lower_place *target(struct lower_build *b, unsigned index)
{
    const struct sam_tile_op *op = lower_build_op(b, index);
    return sam_lower_build_place(b, op, op->operand_count - 1);
}

/* Returns whether an operation needs the result of a reduction in the segment, which begins with
 * operation `from`. */
static bool needs_cut(struct lower_build *b, unsigned from, unsigned index)
{
    for (unsigned i = from; i < index; i++)
        if (sam_lower_folds(lower_build_op(b, i)->code) && reads(b, index, target(b, i)))
            return true;
    return false;
}

/* Returns whether the result of an operation must be stored: it is read after the kernel, or in a
 * later segment. */
static bool is_stored(struct lower_build *b, unsigned from, unsigned index)
{
    const struct sam_tile_op *op = lower_build_op(b, index);
    const struct lower_place *to = target(b, index);
    const uint32_t last = b->kernel->ops[b->kernel->op_count - 1];
    for (unsigned i = index + 1; i < b->kernel->op_count; i++) {
        if (to->part != LOWER_FIRST_COLUMN && needs_cut(b, from, i)) {
            for (unsigned k = i; k < b->kernel->op_count; k++)
                if (reads(b, k, to))
                    return true;
            from = i;
        }
        if (target(b, i) == to)
            return false;
    }
    return !sam_lower_is_dead(b->l, sam_tile_arg(b->l->p, op, op->operand_count - 1), last);
}

/* --- element indices */

void sam_lower_build_count(struct lower_build *b)
{
    if (!b->first_element) {
        b->first_element = sam_lower_take_scalar(&b->code, LOWER_ONCE);
        b->column_count = sam_lower_take_scalar(&b->code, LOWER_ONCE);
        b->lane = sam_lower_take_vector(&b->code, LOWER_ONCE);
        sam_lower_gpu(&b->code, LOWER_ONCE, "vid.v v%u", b->lane);
    }
    if (!b->element)
        b->element =
            sam_lower_build_moving(b, b->first_element, (int32_t)(LOWER_LANES * b->step_warps), 0);
}

void sam_lower_build_watch(struct lower_build *b)
{
    sam_lower_build_count(b);
    b->zeros = sam_lower_take_vector(&b->code, LOWER_ONCE);
    sam_lower_gpu(&b->code, LOWER_ONCE, "vmv.v.i v%u, -1", b->zeros);
}

/* Record the lowest element index with a zero divisor. */
static void watch_zeros(struct lower_build *b, const struct sam_tile_op *op,
                        struct lower_vector *divisor)
{
    uint32_t d = sam_tile_arg(b->l->p, op, op->operand_count - 1);
    sam_lower_build_watch(b);
    sam_lower_gpu(&b->code, LOWER_CHUNK,
                  "vmseq.vi v0, v%u, 0; vadd.vx v8, v%u, x%u; vminu.vv v%u, v%u, v8, v0.t",
                  sam_lower_raw(&b->code, divisor), b->lane, b->element, b->zeros, b->zeros);
    b->failure = sam_lower_failure(b->l, op, "%s divides by zero for %s[*,*]",
                                   sam_tile_row(op->code)->name, b->l->p->values[d].name);
}

/* --- operations */

static struct lower_vector count(struct lower_build *b, struct lower_vector *from, bool down)
{
    struct lower_vector d = {.dtype = from->dtype, .level = LOWER_CHUNK};
    sam_lower_build_count(b);
    d.raw = sam_lower_take_vector(&b->code, d.level);
    sam_lower_gpu(&b->code, LOWER_CHUNK, "vadd.vx v8, v%u, x%u; %s v%u, v%u, v8", b->lane,
                  b->element, down ? "vsub.vv" : "vadd.vv", d.raw, from->raw);
    sam_lower_extend(&b->code, LOWER_CHUNK, d.dtype, d.raw);
    return d;
}

/* Make floats of 16 bits, of an operation with results of f32, exact ones of f32. */
static void widen(struct lower_code *c, struct lower_vector *in[2], struct lower_vector wide[2],
                  enum sam_dtype to)
{
    for (unsigned i = 0; i < 2; i++)
        if (in[i] && in[i]->dtype != to) {
            wide[i] = sam_lower_convert(c, in[i], to, SAM_TILE_RINT);
            in[i] = &wide[i];
        }
}

/* Emit an operation. */
static struct lower_vector *result(struct lower_build *b, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    struct lower_code *c = &b->code;
    if (sam_lower_is_indexed(op->code))
        return sam_lower_build_vector(b, sam_lower_build_indexed(b, op));
    if (sam_tile_is_packed(row, op->attribute))
        return sam_lower_build_vector(b, sam_lower_build_packed(b, op));
    struct lower_vector *in[3] = {sam_lower_build_operand(b, op, 0), NULL, NULL}, d, wide[2];
    for (unsigned i = 1; i < row->count; i++)
        in[i] = sam_lower_build_operand(b, op, i);
    if (sam_lower_divides(b->l, op))
        watch_zeros(b, op, in[row->count - 1]);
    switch (row->family) {
    case SAM_TILE_CI: d = count(b, in[0], op->attribute == SAM_TILE_DESCENDING); break;
    case SAM_TILE_CMP:
        d = sam_lower_compare(c, (enum sam_tile_compare)op->attribute, in[0], in[1]);
        break;
    case SAM_TILE_SEL: d = sam_lower_select(c, in[0], in[1], in[2]); break;
    case SAM_TILE_CVT:
        d = sam_lower_convert(c, in[0],
                              sam_tile_ty(b->l->p, sam_tile_arg(b->l->p, op, 1))->tile.dtype,
                              (enum sam_tile_round)op->attribute);
        break;
    case SAM_TILE_FMA: d = sam_lower_fused(c, in[0], in[1], in[2]); break;
    case SAM_TILE_QUANT: d = sam_lower_quantize(c, in[0], in[1], in[2], op->attribute); break;
    case SAM_TILE_DEQUANT:
        d = sam_lower_dequantize(c, in[0], in[1], in[2], (enum sam_tile_round)op->attribute);
        break;
    case SAM_TILE_AXPY:
        d = sam_lower_apply(c, SAM_TILE_FN_MUL, in[0], in[1]);
        d = sam_lower_apply(c, SAM_TILE_FN_ADD, &d, sam_lower_build_operand(b, op, 2));
        break;
    case SAM_TILE_ROWEXPAND:
    case SAM_TILE_COLEXPAND:
    case SAM_TILE_EXPANDS:
    case SAM_TILE_FILLPAD: return in[0]; /* a copy */
    default:
        if (row->function == SAM_TILE_FN_EXPDIF)
            widen(c, in, wide, sam_tile_ty(b->l->p, sam_tile_arg(b->l->p, op, 2))->tile.dtype);
        d = sam_lower_apply(c, sam_tile_function_in(b->l->options.dialect, row->function), in[0],
                            in[1]);
        break;
    }
    return sam_lower_build_vector(b, d);
}

static void comment(struct lower_build *b, const struct sam_tile_op *op)
{
    struct sam_buffer text = {0};
    sam_buffer_puts(&text, sam_tile_row(op->code)->name);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const char *name = b->l->p->values[sam_tile_arg(b->l->p, op, i)].name;
        sam_buffer_puts(&text, i + 1 == op->operand_count ? " -> %" : i ? ", %" : " %");
        sam_buffer_plain(&text, name, strlen(name), '?');
    }
    sam_lower_comment(&b->code, LOWER_CHUNK, sam_buffer_text(&text));
    b->code.failed |= text.failed;
    sam_buffer_free(&text);
}

static void operate(struct lower_build *b, unsigned from, unsigned index)
{
    const struct sam_tile_op *op = lower_build_op(b, index);
    comment(b, op);
    if (b->columns && b->packed > 1) {
        sam_lower_build_pairs(b, op);
    } else if (sam_lower_scatters(op->code)) {
        sam_lower_build_scattered(b, op);
    } else if (sam_lower_folds(op->code)) {
        sam_lower_build_reduce(b, op, is_stored(b, from, index));
    } else {
        struct lower_vector *d = result(b, op);
        struct lower_place *to = target(b, index);
        to->vector = d;
        if (is_stored(b, from, index))
            store(b, to);
    }
}

void sam_lower_kernel(struct lower *l, struct sam_lower_kernel *kernel)
{
    struct lower_build *b = sam_alloc(1, sizeof *b);
    if (!b) {
        l->gpu.failed = true;
        return;
    }
    b->l = b->code.l = l;
    b->kernel = kernel;
    b->rectangle = sam_lower_space(l, kernel);
    sam_lower_build_divide(b);
    for (unsigned i = 0, from = 0; i < kernel->op_count; i++) {
        if (needs_cut(b, from, i)) {
            sam_lower_build_cut(b);
            from = i;
        }
        operate(b, from, i);
    }
    sam_lower_build_cut(b);
    sam_lower_build_finish(b);
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].row)
            sam_lower_build_touch(b, b->places[i].tile);
    free(b);
}
