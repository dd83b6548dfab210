/* SPDX-License-Identifier: Apache-2.0 */
/* Vector operations whose elements depend on their position, or on any elements of their sources:
 * each lane computes its row and column of the destination, and loads by address. */
#include "lower/indexed.h"

#define LEVEL LOWER_CHUNK

static const struct sam_tile_type *type_of(const struct lower_build *b, uint32_t tile)
{
    return &sam_tile_ty(b->l->p, tile)->tile;
}

static uint32_t arg(const struct lower_build *b, const struct sam_tile_op *op, uint32_t i)
{
    return sam_tile_arg(b->l->p, op, i);
}

static void field(struct lower_build *b, const char *reg, uint32_t tile, enum sam_lower_field field)
{
    sam_lower_load_field(&b->code, b->kernel, LEVEL, reg, tile, field);
}

/* Registers with the row and column of each lane. */
struct position {
    unsigned row, col;
};

static struct position position(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const struct position p = {sam_lower_take_vector(c, LEVEL), sam_lower_take_vector(c, LEVEL)};
    sam_lower_build_count(b);
    field(b, "t0", arg(b, op, op->operand_count - 1), LOWER_COLS);
    sam_lower_gpu(c, LEVEL,
                  "vadd.vx v8, v%u, x%u; vdivu.vx v%u, v8, t0; vmul.vx v9, v%u, t0;"
                  "vsub.vv v%u, v8, v9",
                  b->lane, b->element, p.row, p.row, p.col);
    return p;
}

void sam_lower_element_address(struct lower_build *b, uint32_t tile, unsigned row, unsigned col,
                               unsigned to)
{
    struct lower_code *c = &b->code;
    field(b, "t0", tile, LOWER_PITCH);
    field(b, "t1", tile, LOWER_ADDRESS);
    sam_lower_gpu(c, LEVEL, "vmul.vx v8, v%u, t0", row);
    if (col)
        sam_lower_gpu(c, LEVEL, "vsll.vi v9, v%u, %d; vadd.vv v8, v8, v9", col,
                      __builtin_ctzll(sam_tile_size(type_of(b, tile)->dtype)));
    sam_lower_gpu(c, LEVEL, "vadd.vx v%u, v8, t1", to);
}

const char *sam_lower_load_of(enum sam_dtype dtype)
{
    const bool zeros = !sam_tile_is_real(dtype) && !sam_tile_is_signed(dtype);
    switch (sam_tile_size(dtype)) {
    case 1: return zeros ? "vlbu12.v" : "vlb12.v";
    case 2: return zeros ? "vlhu12.v" : "vlh12.v";
    default: return "vlw12.v";
    }
}

/* --- unions */

/* v`in` = the lane lies in the valid rectangle of a tile; returns its element there, and that of
 * [0,0] elsewhere. */
static struct lower_vector part_of(struct lower_build *b, uint32_t tile, struct position p,
                                   unsigned in)
{
    struct lower_code *c = &b->code;
    struct lower_vector v = {.dtype = type_of(b, tile)->dtype, .level = LEVEL};
    const unsigned row = sam_lower_take_vector(c, LEVEL), col = sam_lower_take_vector(c, LEVEL);
    v.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_build_touch(b, tile);
    field(b, "t0", tile, LOWER_ROWS);
    field(b, "t1", tile, LOWER_COLS);
    sam_lower_gpu(c, LEVEL,
                  "vmsltu.vx v8, v%u, t0; vmsltu.vx v9, v%u, t1; vand.vv v%u, v8, v9;"
                  "vmul.vv v%u, v%u, v%u; vmul.vv v%u, v%u, v%u",
                  p.row, p.col, in, row, p.row, in, col, p.col, in);
    sam_lower_element_address(b, tile, row, col, row);
    sam_lower_gpu(c, LEVEL, "%s v%u, 0(v%u)", sam_lower_load_of(v.dtype), v.raw, row);
    return v;
}

static struct lower_vector unite(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const struct position p = position(b, op);
    const unsigned in[2] = {sam_lower_take_vector(c, LEVEL), sam_lower_take_vector(c, LEVEL)};
    struct lower_vector first = part_of(b, arg(b, op, 0), p, in[0]);
    struct lower_vector second = part_of(b, arg(b, op, 1), p, in[1]);
    struct lower_vector both =
        sam_lower_apply(c, sam_tile_row(op->code)->function, &first, &second);
    struct lower_vector d = {.dtype = first.dtype, .level = LEVEL};
    const unsigned raw = sam_lower_raw(c, &both);
    d.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_gpu(c, LEVEL,
                  "vmsne.vi v0, v%u, 0; vmerge.vvm v8, v%u, v%u, v0; vand.vv v9, v%u, v%u;"
                  "vmsne.vi v0, v9, 0; vmerge.vvm v%u, v8, v%u, v0",
                  in[0], second.raw, first.raw, in[0], in[1], d.raw, raw);
    return d;
}

/* --- rows by index */

static struct lower_vector gather(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const uint32_t from = arg(b, op, 0), to = arg(b, op, 2);
    const unsigned index = sam_lower_raw(c, sam_lower_build_operand(b, op, 1));
    const struct position p = position(b, op);
    struct lower_vector d = {.dtype = type_of(b, to)->dtype, .level = LEVEL};
    const unsigned row = sam_lower_take_vector(c, LEVEL), element = sam_lower_take_vector(c, LEVEL);
    d.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_build_touch(b, from);
    sam_lower_build_watch(b);
    b->failure =
        sam_lower_failure(b->l, op, "%s has no row of %s for %s[*,*]", sam_tile_row(op->code)->name,
                          b->l->p->values[from].name, b->l->p->values[to].name);
    field(b, "t0", from, LOWER_ROWS);
    sam_lower_gpu(c, LEVEL,
                  "vmsltu.vx v8, v%u, t0; vmseq.vi v0, v8, 0; vadd.vx v%u, v%u, x%u;"
                  "vminu.vv v%u, v%u, v%u, v0.t; vmul.vv v%u, v%u, v8",
                  index, element, b->lane, b->element, b->zeros, b->zeros, element, row, index);
    sam_lower_element_address(b, from, row, p.col, row);
    sam_lower_gpu(c, LEVEL, "%s v%u, 0(v%u)", sam_lower_load_of(d.dtype), d.raw, row);
    return d;
}

/* Each lane looks for its row among the indices of its column. v10: the address of an index, v11:
 * of its element, v12: its number in the source, v13: found, v14: the element. t0: rows left, t1:
 * rows of the destination, t2, t3: pitches, t4: columns. */
static struct lower_vector scatter(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const uint32_t from = arg(b, op, 0), index = arg(b, op, 1), to = arg(b, op, 2);
    const struct position p = position(b, op);
    struct lower_vector d = {.dtype = type_of(b, to)->dtype, .level = LEVEL};
    const unsigned zero = sam_lower_take_vector(c, LEVEL), at = sam_lower_take_vector(c, LEVEL);
    const unsigned source = sam_lower_take_vector(c, LEVEL);
    const unsigned loop = sam_lower_label(b->l), done = sam_lower_label(b->l);
    d.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_build_touch(b, from);
    sam_lower_build_touch(b, index);
    sam_lower_build_watch(b);
    b->failure = sam_lower_failure(b->l, op, "%s has no free row of %s for %s[*,*]",
                                   sam_tile_row(op->code)->name, b->l->p->values[to].name,
                                   b->l->p->values[from].name);
    sam_lower_gpu(c, LEVEL, "vmv.v.i v%u, 0", zero);
    sam_lower_element_address(b, index, zero, p.col, at);
    sam_lower_element_address(b, from, zero, p.col, source);
    sam_lower_hold(c, LEVEL);
    field(b, "t0", from, LOWER_ROWS);
    field(b, "t1", to, LOWER_ROWS);
    field(b, "t2", index, LOWER_PITCH);
    field(b, "t3", from, LOWER_PITCH);
    field(b, "t4", to, LOWER_COLS);
    sam_lower_gpu(c, LEVEL,
                  "vmv.v.v v10, v%u; vmv.v.v v11, v%u; vmv.v.v v12, v%u; vmv.v.i v13, 0;"
                  "vmv.v.i v14, 0",
                  at, source, p.col);
    sam_lower_gpu(c, LEVEL, ".Lg%u:; beqz t0, .Lg%u; %s v15, 0(v10); vmsltu.vx v16, v15, t1", loop,
                  done, sam_lower_load_of(type_of(b, index)->dtype));
    sam_lower_gpu(c, LEVEL,
                  "vmseq.vi v0, v16, 0; vminu.vv v%u, v%u, v12, v0.t; vmseq.vv v17, v15, v%u;"
                  "vand.vv v16, v17, v13; vmsne.vi v0, v16, 0; vminu.vv v%u, v%u, v12, v0.t;"
                  "vor.vv v13, v13, v17",
                  b->zeros, b->zeros, p.row, b->zeros, b->zeros);
    sam_lower_gpu(c, LEVEL,
                  "%s v16, 0(v11); vmsne.vi v0, v17, 0; vmerge.vvm v14, v14, v16, v0;"
                  "vadd.vx v10, v10, t2; vadd.vx v11, v11, t3; vadd.vx v12, v12, t4;"
                  "addi t0, t0, -1; j .Lg%u; .Lg%u:; vmv.v.v v%u, v14",
                  sam_lower_load_of(d.dtype), loop, done, d.raw);
    c->holds = false;
    return d;
}

/* --- histograms: lane [i,k] counts in row i. v10: the address of an element, v11: the wanted
 * higher bytes, v12: k, v13: the count; t0: elements left. */
static struct lower_vector histogram(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const uint32_t from = arg(b, op, 0), filter = arg(b, op, 1);
    const struct sam_tile_type *type = type_of(b, from);
    const unsigned byte = op->attribute, size = (unsigned)sam_tile_size(type->dtype);
    const unsigned higher = size - 1 - byte;
    const struct position p = position(b, op);
    struct lower_vector d = {.dtype = SAM_U32, .level = LEVEL};
    const unsigned at = sam_lower_take_vector(c, LEVEL), prefix = sam_lower_take_vector(c, LEVEL);
    const unsigned loop = sam_lower_label(b->l), done = sam_lower_label(b->l);
    d.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_build_touch(b, from);
    sam_lower_gpu(c, LEVEL, "vmv.v.i v%u, 0", prefix);
    if (higher) {
        sam_lower_build_touch(b, filter);
        sam_lower_element_address(b, filter, size == 2 ? p.row : prefix, 0, at);
        field(b, "t2", filter, LOWER_PITCH);
    }
    for (unsigned i = 0; i < higher; i++)
        sam_lower_gpu(c, LEVEL,
                      "vlbu12.v v9, 0(v%u); vsll.vi v10, v%u, 8; vor.vv v%u, v10, v9;"
                      "vadd.vx v%u, v%u, t2",
                      at, prefix, prefix, at, at);
    sam_lower_element_address(b, from, p.row, 0, at);
    sam_lower_hold(c, LEVEL);
    field(b, "t0", from, LOWER_COLS);
    sam_lower_gpu(c, LEVEL,
                  "vmv.v.v v10, v%u; vmv.v.v v11, v%u; vmv.v.v v12, v%u; vmv.v.i v13, 0;"
                  ".Lg%u:; beqz t0, .Lg%u; %s v14, 0(v10); vsrl.vi v14, v14, %u",
                  at, prefix, p.col, loop, done, sam_lower_load_of(type->dtype), 8 * byte);
    sam_lower_gpu(c, LEVEL,
                  "vand.vx v15, v14, x%u; vsrl.vi v14, v14, 8; vmseq.vv v16, v14, v11;"
                  "vmsleu.vv v17, v15, v12; vand.vv v16, v16, v17; vadd.vv v13, v13, v16;"
                  "vadd.vi v10, v10, %u; addi t0, t0, -1; j .Lg%u; .Lg%u:; vmv.v.v v%u, v13",
                  sam_lower_number(c, LEVEL, 0xff), size, loop, done, d.raw);
    c->holds = false;
    return d;
}

/* --- merges: every warp merges both rows with scalar instructions, and a lane keeps the element of
 * its column. t0, t1: addresses, x end: their ends, t2: the column, t3, t4: elements, t5, t6: their
 * keys. v10: the elements of the lanes. */

/* Emit the key of an element, in register `from`, to `to`: an integer in the order of the merge,
 * the same for both zeros, and largest for NaN. */
static void put_key(struct lower_build *b, enum sam_dtype dtype, bool descending, const char *from,
                    const char *to, unsigned scratch)
{
    const unsigned number = sam_lower_label(b->l), end = sam_lower_label(b->l);
    const unsigned positive = sam_lower_label(b->l);
    struct lower_code *c = &b->code;
    sam_lower_gpu(c, LEVEL, "slli %s, %s, %u; srli %s, %s, 1; li x%u, 0x%x; bge x%u, %s, .Lg%u", to,
                  from, dtype == SAM_F32 ? 1 : 17, to, to, scratch,
                  dtype == SAM_F16 ? 0x7c000000 : 0x7f800000, scratch, to, number);
    sam_lower_gpu(c, LEVEL, "li %s, 0x7fffffff; j .Lg%u; .Lg%u:; %s %s, .Lg%u; neg %s, %s", to, end,
                  number, descending ? "bltz" : "bgez", from, positive, to, to);
    sam_lower_gpu(c, LEVEL, ".Lg%u:; .Lg%u:", positive, end);
}

static struct lower_vector merge(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const uint32_t left = arg(b, op, 0), right = arg(b, op, 1);
    const enum sam_dtype dtype = type_of(b, left)->dtype;
    const unsigned size = (unsigned)sam_tile_size(dtype), shift = size == 4 ? 2 : 1;
    const char *load = size == 4 ? "lw" : "lh";
    const struct position p = position(b, op);
    struct lower_vector d = {.dtype = dtype, .level = LEVEL};
    unsigned ends[2], scratch = sam_lower_take_scalar(c, LEVEL);
    const unsigned next = sam_lower_label(b->l), done = sam_lower_label(b->l);
    const unsigned second = sam_lower_label(b->l), first = sam_lower_label(b->l);
    const unsigned keep = sam_lower_label(b->l);
    d.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_build_touch(b, left);
    sam_lower_build_touch(b, right);
    sam_lower_hold(c, LEVEL);
    for (unsigned i = 0; i < 2; i++) {
        const char *at = i ? "t1" : "t0";
        ends[i] = sam_lower_take_scalar(c, LEVEL);
        field(b, at, i ? right : left, LOWER_ADDRESS);
        field(b, "t2", i ? right : left, LOWER_COLS);
        sam_lower_gpu(c, LEVEL, "slli t2, t2, %u; add x%u, %s, t2", shift, ends[i], at);
    }
    sam_lower_gpu(c, LEVEL,
                  "li t2, 0; vmv.v.i v10, 0; .Lg%u:; bne t0, x%u, .Lg%u; beq t1, x%u, .Lg%u;"
                  "%s t4, 0(t1); j .Lg%u; .Lg%u:; %s t3, 0(t0); beq t1, x%u, .Lg%u; %s t4, 0(t1)",
                  next, ends[0], first, ends[1], done, load, second, first, load, ends[1], keep,
                  load);
    put_key(b, dtype, op->attribute, "t3", "t5", scratch);
    put_key(b, dtype, op->attribute, "t4", "t6", scratch);
    const unsigned left_first = keep, stored = sam_lower_label(b->l);
    sam_lower_gpu(c, LEVEL,
                  "bge t6, t5, .Lg%u; .Lg%u:; mv t3, t4; addi t1, t1, %u; j .Lg%u;"
                  ".Lg%u:; addi t0, t0, %u; .Lg%u:",
                  left_first, second, size, stored, left_first, size, stored);
    sam_lower_gpu(c, LEVEL,
                  "vmseq.vx v0, v%u, t2; vmerge.vxm v10, v10, t3, v0; addi t2, t2, 1; j .Lg%u;"
                  ".Lg%u:; vmv.v.v v%u, v10",
                  p.col, next, done, d.raw);
    c->holds = false;
    return d;
}

/* --- images as matrices */

bool sam_lower_geometry(const struct lower *l, const struct sam_tile_op *op,
                        struct sam_tile_geometry *geometry, char *text, size_t size)
{
    const uint32_t source = sam_tile_arg(l->p, op, 0);
    int64_t numbers[SAM_TILE_IMAGE_NUMBERS];
    uint32_t rows, cols;
    text[0] = '\0';
    for (uint32_t i = 0; i < SAM_TILE_IMAGE_NUMBERS; i++)
        if (!sam_lower_constant(l, sam_tile_arg(l->p, op, 3 + i), &numbers[i]))
            return false;
    return sam_lower_known(l, source, LOWER_ROWS, &rows) &&
           sam_lower_known(l, source, LOWER_COLS, &cols) &&
           sam_tile_geometry(geometry, numbers, rows, cols, sam_tile_row(op->code)->name, text,
                             size);
}

/* v`rest` = v`number` modulo `by`, v`quotient` = the quotient. Clobbers v8. */
static void divide(struct lower_build *b, unsigned number, int64_t by, unsigned quotient,
                   unsigned rest)
{
    const unsigned divisor = sam_lower_number(&b->code, LEVEL, (uint32_t)by);
    sam_lower_gpu(&b->code, LEVEL,
                  "vdivu.vx v%u, v%u, x%u; vmul.vx v8, v%u, x%u; vsub.vv v%u, v%u, v8", quotient,
                  number, divisor, quotient, divisor, rest, number);
}

/* v`to` = v`to` * by + v`more`. */
static void scale(struct lower_build *b, unsigned to, int64_t by, unsigned more)
{
    sam_lower_gpu(&b->code, LEVEL, "vmul.vx v%u, v%u, x%u; vadd.vv v%u, v%u, v%u", to, to,
                  sam_lower_number(&b->code, LEVEL, (uint32_t)by), to, to, more);
}

/* v`in` = v`in` and v`number` < least. */
static void bound(struct lower_build *b, unsigned in, unsigned number, int64_t least)
{
    sam_lower_gpu(&b->code, LEVEL, "vmsltu.vx v8, v%u, x%u; vand.vv v%u, v%u, v8", number,
                  sam_lower_number(&b->code, LEVEL, (uint32_t)least), in, in);
}

static struct lower_vector image(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const uint32_t from = arg(b, op, 0);
    const struct sam_tile_type *type = type_of(b, from);
    const unsigned shift = 32 - 8 * (unsigned)sam_tile_size(type->dtype);
    const uint32_t high = (uint32_t)sam_tile_pad_bits(type, b->l->options.dialect) << shift;
    const bool zeros = !sam_tile_is_real(type->dtype) && !sam_tile_is_signed(type->dtype);
    const uint32_t pad = zeros ? high >> shift : (uint32_t)((int32_t)high >> shift);
    const unsigned m = sam_lower_raw(c, sam_lower_build_operand(b, op, 1));
    const unsigned k = sam_lower_raw(c, sam_lower_build_operand(b, op, 2));
    const struct position p = position(b, op);
    struct lower_vector d = {.dtype = type->dtype, .level = LEVEL};
    struct sam_tile_geometry g = {0};
    unsigned v[8];
    char text[200];
    for (size_t i = 0; i < SAM_COUNT(v); i++)
        v[i] = sam_lower_take_vector(c, LEVEL);
    const unsigned row = v[0], y = v[1], x = v[2], group = v[3], down = v[4], across = v[5],
                   channel = v[6], in = v[7];
    d.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_build_touch(b, from);
    if (!sam_lower_geometry(b->l, op, &g, text, sizeof text))
        return d; /* the hart fails, or the program is refused */
    sam_lower_gpu(c, LEVEL, "vadd.vv v%u, v%u, v%u; vadd.vv v%u, v%u, v%u", x, p.row, m, channel,
                  p.col, k);
    divide(b, x, g.down * g.across, row, x);
    divide(b, x, g.across, y, x);
    divide(b, channel, g.filter_height * g.filter_width * g.group, group, channel);
    divide(b, channel, g.group, across, channel);
    divide(b, across, g.filter_width, down, across);
    sam_lower_gpu(c, LEVEL, "vmul.vx v%u, v%u, x%u; vmul.vx v%u, v%u, x%u", down, down,
                  sam_lower_number(c, LEVEL, (uint32_t)g.dilation_height), across, across,
                  sam_lower_number(c, LEVEL, (uint32_t)g.dilation_width));
    scale(b, y, g.stride_height, down);
    scale(b, x, g.stride_width, across);
    sam_lower_gpu(c, LEVEL, "vadd.vx v%u, v%u, x%u; vadd.vx v%u, v%u, x%u; vmv.v.v v%u, v%u", y, y,
                  sam_lower_number(c, LEVEL, (uint32_t)-g.pad_top), x, x,
                  sam_lower_number(c, LEVEL, (uint32_t)-g.pad_left), down, group);
    scale(b, down, g.group, channel);
    sam_lower_gpu(c, LEVEL, "vmv.v.i v%u, 1", in);
    bound(b, in, down, g.channels);
    bound(b, in, y, g.height);
    bound(b, in, x, g.width);
    scale(b, row, g.groups, group);
    scale(b, row, g.height, y);
    scale(b, row, g.width, x);
    sam_lower_gpu(c, LEVEL, "vmul.vv v%u, v%u, v%u; vmul.vv v%u, v%u, v%u", row, row, in, channel,
                  channel, in);
    sam_lower_element_address(b, from, row, channel, row);
    sam_lower_gpu(c, LEVEL, "%s v8, 0(v%u); vmseq.vi v0, v%u, 0; vmerge.vxm v%u, v8, x%u, v0",
                  sam_lower_load_of(d.dtype), row, in, d.raw, sam_lower_number(c, LEVEL, pad));
    return d;
}

/* --- sorting: each lane counts the elements of its group that come before its own, and stores it
 * there. v10: the address of an element, v11: its column, v12: how many come first; t0: elements
 * left, t1: columns. */

/* v`to` = an integer in the order of elements v`raw`, the same for both zeros, and largest for NaN.
 * Clobbers v8, v9 and v0. */
static void put_keys(struct lower_build *b, enum sam_dtype dtype, bool descending, unsigned raw,
                     unsigned to)
{
    struct lower_code *c = &b->code;
    const uint32_t infinity = dtype == SAM_F16 ? 0x7c000000 : 0x7f800000;
    if (dtype == SAM_F32)
        sam_lower_gpu(c, LEVEL, "vmv.v.v v9, v%u", raw);
    else
        sam_lower_gpu(c, LEVEL, "vsll.vi v9, v%u, 16", raw);
    sam_lower_gpu(c, LEVEL,
                  "vand.vx v8, v9, x%u; vmsgtu.vx v0, v8, x%u; vsra.vi v9, v9, 31; "
                  "vxor.vv v8, v8, v9; vsub.vv v8, v8, v9",
                  sam_lower_number(c, LEVEL, 0x7fffffff), sam_lower_number(c, LEVEL, infinity));
    if (descending)
        sam_lower_gpu(c, LEVEL, "vrsub.vi v8, v8, 0");
    sam_lower_gpu(c, LEVEL, "vmerge.vxm v%u, v8, x%u, v0", to,
                  sam_lower_number(c, LEVEL, 0x7fffffff));
}

/* x`to` = the columns of a group, of which 0 means SAM_TILE_GROUP. */
static void put_width(struct lower_build *b, uint32_t value, unsigned to)
{
    struct lower_code *c = &b->code;
    const unsigned good = sam_lower_label(b->l);
    int64_t known;
    if (sam_lower_constant(b->l, value, &known))
        sam_lower_gpu(c, LEVEL, "li x%u, %u", to, known ? (unsigned)known & 127 : SAM_TILE_GROUP);
    else
        sam_lower_gpu(c, LEVEL, "lw x%u, %u(a0); bnez x%u, .Lg%u; li x%u, %u; .Lg%u:", to,
                      sam_lower_kernel_word(b->kernel, LOWER_WORD_BITS, value), to, good, to,
                      SAM_TILE_GROUP, good);
}

static void sort(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const uint32_t from = arg(b, op, 0), to = arg(b, op, 2);
    const enum sam_dtype dtype = type_of(b, from)->dtype, made = type_of(b, to)->dtype;
    const unsigned size = (unsigned)sam_tile_size(dtype), of = (unsigned)sam_tile_size(made);
    const unsigned width = sam_lower_take_scalar(c, LEVEL), loop = sam_lower_label(b->l);
    const struct position p = position(b, op);
    unsigned v[5];
    for (size_t i = 0; i < SAM_COUNT(v); i++)
        v[i] = sam_lower_take_vector(c, LEVEL);
    const unsigned group = v[0], at = v[1], last = v[2], own = v[3], key = v[4];
    sam_lower_build_touch(b, from);
    sam_lower_build_touch(b, to);
    sam_lower_hold(c, LEVEL);
    put_width(b, arg(b, op, 1), width);
    sam_lower_gpu(c, LEVEL, "vdivu.vx v8, v%u, x%u; vmul.vx v%u, v8, x%u", p.col, width, group,
                  width);
    sam_lower_element_address(b, from, p.row, p.col, at);
    sam_lower_gpu(c, LEVEL, "%s v%u, 0(v%u)", sam_lower_load_of(dtype), own, at);
    put_keys(b, dtype, op->attribute, own, key);
    field(b, "t1", from, LOWER_COLS);
    sam_lower_gpu(c, LEVEL, "addi t1, t1, -1; vmv.v.x v%u, t1", last);
    sam_lower_element_address(b, from, p.row, last, last);
    sam_lower_element_address(b, from, p.row, group, at);
    field(b, "t1", from, LOWER_COLS);
    sam_lower_gpu(c, LEVEL,
                  "vmv.v.v v10, v%u; vmv.v.v v11, v%u; vmv.v.i v12, 0; mv t0, x%u; .Lg%u:; "
                  "vminu.vv v13, v10, v%u; %s v13, 0(v13)",
                  at, group, width, loop, last, sam_lower_load_of(dtype));
    put_keys(b, dtype, op->attribute, 13, 14);
    sam_lower_gpu(c, LEVEL,
                  "vmseq.vv v15, v14, v%u; vmsltu.vv v16, v11, v%u; vand.vv v15, v15, v16; "
                  "vmslt.vv v16, v14, v%u; vor.vv v15, v15, v16; vmsltu.vx v16, v11, t1; "
                  "vand.vv v15, v15, v16; vadd.vv v12, v12, v15; vadd.vi v10, v10, %u; "
                  "vadd.vi v11, v11, 1; addi t0, t0, -1; bnez t0, .Lg%u",
                  key, p.col, key, size, loop);
    if (made != dtype)
        sam_lower_gpu(c, LEVEL, "vsub.vv v%u, v%u, v%u", own, p.col, group);
    sam_lower_gpu(c, LEVEL, "vadd.vv v%u, v%u, v12", group, group);
    sam_lower_element_address(b, to, p.row, group, at);
    sam_lower_gpu(c, LEVEL, "vs%c12.v v%u, 0(v%u)", of == 4 ? 'w' : 'h', own, at);
    c->holds = false;
}

/* --- triangles */

static struct lower_vector triangle(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const unsigned diagonal = sam_lower_raw(c, sam_lower_build_operand(b, op, 0));
    const struct position p = position(b, op);
    struct lower_vector d = {.dtype = type_of(b, arg(b, op, 1))->dtype, .level = LEVEL};
    const uint32_t one =
        sam_tile_is_real(d.dtype) ? (uint32_t)sam_tile_real_bits(d.dtype, 1, SAM_TILE_RINT) : 1;
    d.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_gpu(
        c, LEVEL,
        "vsub.vv v8, v%u, v%u; %s v0, %s%u%s%s; vmv.v.i v9, 0; vmerge.vxm v%u, v9, x%u, v0", p.col,
        p.row, "vmsle.vv", op->attribute ? "v" : "v8, v", diagonal, op->attribute ? ", v8" : "", "",
        d.raw, sam_lower_number(c, LEVEL, one));
    return d;
}

/* --- packed masks: bit j % 8 of byte [i, j / 8] is of element [i,j] */

/* The element of column v`col`, in the lane's row, of source `i`; a scalar is the same in all. */
static struct lower_vector element_of(struct lower_build *b, const struct sam_tile_op *op,
                                      uint32_t i, struct position p, unsigned col)
{
    const uint32_t tile = arg(b, op, i);
    if (!lower_is_tile(b->l, tile))
        return *sam_lower_build_operand(b, op, i);
    struct lower_code *c = &b->code;
    struct lower_vector v = {.dtype = type_of(b, tile)->dtype, .level = LEVEL};
    const unsigned at = sam_lower_take_vector(c, LEVEL);
    v.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_element_address(b, tile, p.row, col, at);
    sam_lower_gpu(c, LEVEL, "%s v%u, 0(v%u)", sam_lower_load_of(v.dtype), v.raw, at);
    return v;
}

/* A lane writes the bits of eight columns. */
static struct lower_vector compare_packed(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    const enum sam_tile_compare how = (enum sam_tile_compare)(op->attribute - SAM_TILE_PACKED);
    const struct position p = position(b, op);
    struct lower_vector d = {.dtype = SAM_U8, .level = LEVEL};
    d.raw = sam_lower_take_vector(c, LEVEL);
    for (uint32_t i = 0; i < 2; i++)
        if (lower_is_tile(b->l, arg(b, op, i)))
            sam_lower_build_touch(b, arg(b, op, i));
    sam_lower_gpu(c, LEVEL, "vmv.v.i v%u, 0", d.raw);
    for (unsigned bit = 0; bit < 8; bit++) {
        const unsigned col = sam_lower_take_vector(c, LEVEL), in = sam_lower_take_vector(c, LEVEL);
        field(b, "t0", arg(b, op, 0), LOWER_COLS);
        sam_lower_gpu(c, LEVEL,
                      "vsll.vi v%u, v%u, 3; vadd.vi v%u, v%u, %u; vmsltu.vx v%u, v%u, t0;"
                      "vmul.vv v%u, v%u, v%u",
                      col, p.col, col, col, bit, in, col, col, col, in);
        struct lower_vector first = element_of(b, op, 0, p, col);
        struct lower_vector second = element_of(b, op, 1, p, col);
        struct lower_vector one = sam_lower_compare(c, how, &first, &second);
        sam_lower_gpu(c, LEVEL, "vand.vv v8, v%u, v%u; vsll.vi v8, v8, %u; vor.vv v%u, v%u, v8",
                      one.raw, in, bit, d.raw, d.raw);
    }
    return d;
}

struct lower_vector sam_lower_build_packed(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    if (sam_tile_row(op->code)->family == SAM_TILE_CMP)
        return compare_packed(b, op);
    const uint32_t mask = arg(b, op, 0);
    const struct position p = position(b, op);
    const unsigned col = sam_lower_take_vector(c, LEVEL), at = sam_lower_take_vector(c, LEVEL);
    struct lower_vector m = {.dtype = SAM_U8, .level = LEVEL};
    m.raw = sam_lower_take_vector(c, LEVEL);
    sam_lower_build_touch(b, mask);
    sam_lower_gpu(c, LEVEL, "vsrl.vi v%u, v%u, 3", col, p.col);
    sam_lower_element_address(b, mask, p.row, col, at);
    sam_lower_gpu(c, LEVEL,
                  "vlbu12.v v%u, 0(v%u); vand.vx v8, v%u, x%u; vsrl.vv v%u, v%u, v8;"
                  "vand.vx v%u, v%u, x%u",
                  m.raw, at, p.col, sam_lower_number(c, LEVEL, 7), m.raw, m.raw, m.raw, m.raw,
                  sam_lower_number(c, LEVEL, 1));
    return sam_lower_select(c, &m, sam_lower_build_operand(b, op, 1),
                            sam_lower_build_operand(b, op, 2));
}

struct lower_vector sam_lower_build_indexed(struct lower_build *b, const struct sam_tile_op *op)
{
    switch (sam_tile_row(op->code)->family) {
    case SAM_TILE_UNION: return unite(b, op);
    case SAM_TILE_GATHER: return gather(b, op);
    case SAM_TILE_SCATTER: return scatter(b, op);
    case SAM_TILE_HISTOGRAM: return histogram(b, op);
    case SAM_TILE_MERGE: return merge(b, op);
    case SAM_TILE_IMAGE: return image(b, op);
    default: return triangle(b, op);
    }
}

void sam_lower_build_scattered(struct lower_build *b, const struct sam_tile_op *op)
{
    if (sam_lower_picks(op->code))
        sam_lower_build_picked(b, op);
    else
        sort(b, op);
}
