/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction kernels. Column reductions: one column per lane, rows in ascending order. Row
 * reductions: one row per warp, lane l takes columns l, l + 32, ... in ascending order; a tree
 * reduction through local memory then combines the lanes, halving from 16.
 *
 * Each lane starts from the identity: -0 for float sums, 1 for products, NaN for minNum. A
 * one-element line is copied, so that NaN payloads survive.
 *
 * Float minima and maxima in the other --nan modes, argmin and argmax reduce order-preserving
 * integer keys by maximum. */
#include <math.h>
#include <stdlib.h>

#include "lower/elements.h"

enum { LANES = 32, MOST_WARPS = 8, MOST_GROUPS = 16 };
/* Stack offset of the tree reduction's buffer. */
enum { TREE = 16 };

enum form {
    FORM_VALUE, /* wide values, one combining instruction */
    FORM_KEY,   /* keys; the maximum converts back to a value */
    FORM_INDEX  /* keys and indices: the first maximum */
};

struct reduction {
    struct lower_code code;
    struct lower *l;
    struct sam_lower_kernel *kernel;
    const struct sam_tile_op *op;
    const struct sam_tile_row *row;
    uint32_t src, dst; /* values */
    enum sam_dtype dtype;
    enum sam_tile_nan nan;
    enum form form;
    bool columns; /* reduce columns, otherwise rows */
    bool arg;     /* argmin, argmax */
    bool real, narrow, max;
    unsigned warps;            /* in the launch */
    unsigned from, at, to;     /* x: current line, position in it, destination */
    unsigned index, left;      /* x: element index; elements left */
    unsigned raw, key;         /* v: loaded elements; their keys */
    unsigned all;              /* v: accumulator */
    unsigned lane, here, best; /* v: FORM_INDEX: lane index; indices of raw and of all */
};

/* Code levels: per line (LOWER_ROW), per chunk (LOWER_CHUNK), at the end of a line. */
enum { LOWER_END = LOWER_ONCE };

static void put(struct reduction *f, unsigned level, const char *format, ...) SAM_PRINTF(3, 4);
static void put(struct reduction *f, unsigned level, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    sam_format_list(line, sizeof line, format, args);
    va_end(args);
    sam_buffer_puts(&f->code.text[level], line);
}

static bool is_order(const struct reduction *f)
{
    return f->row->function == SAM_TILE_FN_MIN || f->row->function == SAM_TILE_FN_MAX;
}

static bool is_signed(const struct reduction *f)
{
    return sam_tile_is_signed(f->dtype);
}

/* --- elements */

/* The combining instruction and identity element of a reduction, for floats, signed and unsigned
 * integers. */
struct combiner {
    struct {
        const char *combine;
        uint32_t identity;
    } real, sint, uint;
};

static const struct combiner *combiner_of(enum sam_tile_function function)
{
    static const struct combiner add = {{"vfadd.vv", 0x80000000}, {"vadd.vv", 0}, {"vadd.vv", 0}},
                                 mul = {{"vfmul.vv", 0x3f800000}, {"vmul.vv", 1}, {"vmul.vv", 1}},
                                 min = {{"vfmin.vv", SAM_F32_NAN},
                                        {"vmin.vv", 0x7fffffff},
                                        {"vminu.vv", 0xffffffff}},
                                 max = {{"vfmax.vv", SAM_F32_NAN},
                                        {"vmax.vv", 0x80000000},
                                        {"vmaxu.vv", 0}};
    switch (function) {
    case SAM_TILE_FN_ADD: return &add;
    case SAM_TILE_FN_MUL: return &mul;
    case SAM_TILE_FN_MIN: return &min;
    case SAM_TILE_FN_MAX: return &max;
    default: return NULL;
    }
}

bool sam_lower_has_reduction(enum sam_tile_function function)
{
    return combiner_of(function) != NULL;
}

/* $d = combine($d, $a), in the reduction's form; $d != v8. */
static void combine(struct reduction *f, unsigned level, unsigned d, unsigned a)
{
    const struct combiner *r = combiner_of(f->row->function);
    const char *lines = f->form != FORM_VALUE ? "vmax.vv"
                        : f->real             ? r->real.combine
                        : is_signed(f)        ? r->sint.combine
                                              : r->uint.combine;
    const bool rounds = f->narrow && !is_order(f);
    struct lower_regs regs = {.d = d, .a = a};
    sam_lower_emit_numbers(&f->code, level, regs, "%s %s, $d, $a", lines, rounds ? "v8" : "$d");
    if (rounds)
        sam_lower_round(&f->code, level, f->dtype, (struct lower_regs){.d = d, .a = 8});
}

static uint32_t identity(const struct reduction *f)
{
    const struct combiner *r = combiner_of(f->row->function);
    return f->form != FORM_VALUE ? 0x80000000
           : f->real             ? r->real.identity
           : is_signed(f)        ? r->sint.identity
                                 : r->uint.identity;
}

/* Float keys have the order of the values. -0 sorts below +0 except with --nan first. NaN sorts at
 * the top with --nan propagate, otherwise ROTATE moves it to the bottom. sign() makes NaN canonical
 * and negates for minima. */
#define ROTATE  " vadd.vx $d, $d, $(0x7fffff)"
#define NAN_KEY "0x803fffff" /* at the bottom */
static const char *const real_keys[] = {
    [SAM_TILE_NAN_NUMBER] = "vsra.vi v8, $d, 31; vsrl.vi v8, v8, 1; vxor.vv $d, $d, v8;" ROTATE,
    [SAM_TILE_NAN_PROPAGATE] = "vsra.vi v8, $d, 31; vsrl.vi v8, v8, 1; vxor.vv $d, $d, v8",
    [SAM_TILE_NAN_FIRST] = "vsra.vi v8, $d, 31; vsrl.vi v9, v8, 1; vxor.vv $d, $d, v9;"
                           "vsub.vv $d, $d, v8;" ROTATE,
};

static const char *sign(const struct reduction *f)
{
    return f->max ? "vfmul.vf $d, $a, $(0x3f800000)" : "vfmul.vf $d, $a, $(0xbf800000)";
}

/* Integer keys. */
static const char *whole_key(const struct reduction *f)
{
    if (is_signed(f))
        return f->max ? "vmv.v.v $d, $a" : "vxor.vi $d, $a, -1";
    return f->max ? "vxor.vx $d, $a, $(0x80000000)" : "vxor.vx $d, $a, $(0x7fffffff)";
}

/* Load elements and return the register of their reduction form. */
static unsigned element(struct reduction *f, unsigned level, unsigned at)
{
    struct lower_code *c = &f->code;
    struct lower_vector x = {
        .dtype = f->dtype, .level = (enum lower_level)level, .raw = f->raw, .users = 1};
    put(f, level, "\tvle%u.v v%u, (x%u)\n", 8 * (unsigned)sam_tile_size(f->dtype), f->raw, at);
    /* Sign-extended unsigned integers still order correctly, but not as keys. */
    if (is_order(f) && !f->real && !is_signed(f) && f->form != FORM_VALUE)
        sam_lower_extend(c, x.level, f->dtype, f->raw);
    unsigned wide = is_order(f) ? sam_lower_order(c, &x) : sam_lower_wide(c, &x);
    struct lower_regs regs = {.d = f->key, .a = wide};
    if (f->form != FORM_VALUE)
        sam_lower_emit(c, x.level, f->real ? sign(f) : whole_key(f), regs);
    if (f->form != FORM_VALUE && f->real)
        sam_lower_emit(c, x.level, real_keys[f->nan], regs);
    return f->form == FORM_VALUE ? wide : f->key;
}

/* Convert the accumulator to its raw form. */
static unsigned value(struct reduction *f)
{
    struct lower_code *c = &f->code;
    struct lower_vector d = {.dtype = f->dtype, .level = (enum lower_level)LOWER_END, .users = 1};
    struct lower_regs regs = {.d = f->all, .a = f->all};
    if (f->form == FORM_KEY) { /* --nan propagate */
        sam_lower_emit(c, d.level, real_keys[f->nan], regs);
        sam_lower_emit(c, d.level, sign(f), regs);
    }
    if (is_order(f) && f->dtype == SAM_F16) {
        sam_lower_emit(c, d.level, sam_lower_from_order, regs);
        return f->all;
    }
    *(f->narrow ? &d.wide : &d.raw) = f->all;
    return sam_lower_raw(c, &d);
}

/* Reset the accumulator to the identity. */
static void start_line(struct reduction *f)
{
    char line[64];
    sam_format(line, sizeof line, "vmv.v.x $d, $(0x%x)", identity(f));
    sam_lower_emit(&f->code, LOWER_ROW, line, (struct lower_regs){.d = f->all});
}

/* Accumulate one chunk. Its indices are in `here`, or uniformly in scalar `index`. */
static void next_elements(struct reduction *f)
{
    unsigned x = element(f, LOWER_CHUNK, f->at);
    if (f->form != FORM_INDEX) {
        combine(f, LOWER_CHUNK, f->all, x);
        return;
    }
    put(f, LOWER_CHUNK, "\tvmslt.vv v0, v%u, v%u\n\tvmax.vv v%u, v%u, v%u\n", f->all, x, f->all,
        f->all, x);
    if (f->columns)
        put(f, LOWER_CHUNK, "\tvmerge.vxm v%u, v%u, x%u, v0\n", f->best, f->best, f->index);
    else
        put(f, LOWER_CHUNK, "\tvmerge.vvm v%u, v%u, v%u, v0\n", f->best, f->best, f->here);
}

/* --- lines */

static const char *scalar_load(size_t size)
{
    return size == 4 ? "lw" : size == 2 ? "lh" : "lb";
}

static const char *scalar_store(size_t size)
{
    return size == 4 ? "sw" : size == 2 ? "sh" : "sb";
}

/* Tree-reduce across lanes through local memory into lane 0. */
static void reduce_lanes(struct reduction *f, unsigned v,
                         void (*with)(struct reduction *f, unsigned d, unsigned a))
{
    put(f, LOWER_END, "\taddi t1, sp, %d\n", TREE);
    for (unsigned half = LANES / 2; half; half /= 2) {
        put(f, LOWER_END, "\tvse32.v v%u, (t1)\n\taddi t2, t1, %u\n\tvle32.v v%u, (t2)\n", v,
            4 * half, f->raw);
        with(f, v, f->raw);
    }
}

static void with_values(struct reduction *f, unsigned d, unsigned a)
{
    combine(f, LOWER_END, d, a);
}

static void with_indexes(struct reduction *f, unsigned d, unsigned a)
{
    put(f, LOWER_END, "\tvmin.vv v%u, v%u, v%u\n", d, d, a);
}

/* t2 = lane 0. */
static void first_lane(struct reduction *f, unsigned v)
{
    put(f, LOWER_END, "\tvse32.v v%u, (t1)\n\tlw t2, 0(t1)\n", v);
}

/* Finish a row: store the result to `to`. */
static void end_row(struct reduction *f, unsigned found)
{
    size_t size = sam_tile_size(f->dtype);
    if (f->form != FORM_INDEX) {
        reduce_lanes(f, f->all, with_values);
        first_lane(f, value(f));
        put(f, LOWER_END, "\t%s t2, 0(x%u)\n", scalar_store(size), f->to);
        return;
    }
    put(f, LOWER_END, "\tvmv.v.v v%u, v%u\n", f->key, f->all);
    reduce_lanes(f, f->key, with_values);
    first_lane(f, f->key);
    put(f, LOWER_END, "\tvmsne.vx v0, v%u, t2\n", f->all);
    sam_lower_emit(&f->code, (enum lower_level)LOWER_END, "vmerge.vxm $d, $d, $(0x7fffffff), v0",
                   (struct lower_regs){.d = f->best});
    reduce_lanes(f, f->best, with_indexes);
    first_lane(f, f->best);
    if (f->real && f->nan == SAM_TILE_NAN_FIRST)
        put(f, LOWER_END, ".Lg%u:\n", found);
    if (f->arg) {
        put(f, LOWER_END, "\tsw t2, 0(x%u)\n", f->to);
        return;
    }
    for (size_t k = size; k > 1; k /= 2)
        put(f, LOWER_END, "\tadd t2, t2, t2\n");
    put(f, LOWER_END, "\tadd t2, t2, x%u\n\t%s t2, 0(t2)\n\t%s t2, 0(x%u)\n", f->from,
        scalar_load(size), scalar_store(size), f->to);
}

/* --nan first: a NaN in column 0 is the result of its row. */
static void keep_leading_nan(struct reduction *f, unsigned found)
{
    size_t size = sam_tile_size(f->dtype);
    uint32_t infinity = sam_tile_real_bits(f->dtype, INFINITY, SAM_TILE_RINT);
    put(f, LOWER_ROW, "\t%s t0, 0(x%u)\n\tslli t0, t0, %u\n\tli t1, 0x%x\n\tli t2, 0\n",
        scalar_load(size), f->from, 33 - 8 * (unsigned)size, infinity << (33 - 8 * (unsigned)size));
    put(f, LOWER_ROW, "\tbgtu t0, t1, .Lg%u\n", found);
}

/* Finish 32 columns. */
static void end_columns(struct reduction *f)
{
    unsigned size = (unsigned)sam_tile_size(f->dtype);
    unsigned d = f->best;
    if (f->form != FORM_INDEX)
        d = value(f);
    if (f->form != FORM_INDEX || f->arg) {
        put(f, LOWER_END, "\tvse%u.v v%u, (x%u)\n", f->arg ? 32 : 8 * size, d, f->to);
        return;
    }
    sam_lower_load_field(f->l, f->kernel, &f->code.text[LOWER_END], "t0", f->src, LOWER_PITCH);
    put(f, LOWER_END, "\tvmul.vx v8, v%u, t0\n\tvid.v v9\n", d);
    for (unsigned k = size; k > 1; k /= 2)
        put(f, LOWER_END, "\tvadd.vv v9, v9, v9\n");
    put(f, LOWER_END, "\tvadd.vv v8, v8, v9\n\tvadd.vx v8, v8, x%u\n\tvl%c12.v v9, 0(v8)\n",
        f->from, "?bh?w"[size]);
    put(f, LOWER_END, "\tvse%u.v v9, (x%u)\n", 8 * size, f->to);
}

/* --nan first: a NaN in row 0 gets the largest key. */
static void keep_leading_nan_row(struct reduction *f)
{
    unsigned x = element(f, LOWER_ROW, f->from);
    sam_lower_emit(&f->code, LOWER_ROW,
                   "vmseq.vx v0, $a, $(" NAN_KEY "); vmerge.vxm $d, $d, $(0x7fffffff), v0",
                   (struct lower_regs){.d = f->all, .a = x});
}

/* --- the kernel */

static void put_pieces(struct reduction *f, struct sam_buffer *out, unsigned level)
{
    sam_buffer_append(out, f->code.text[level].data, f->code.text[level].size);
}

static unsigned log_of(size_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

/* x += bytes. Clobbers t0. */
static void step(struct sam_buffer *out, unsigned x, uint64_t bytes)
{
    if (bytes < 2048)
        sam_buffer_printf(out, "\taddi x%u, x%u, %u\n", x, x, (unsigned)bytes);
    else
        sam_buffer_printf(out, "\tli t0, 0x%x\n\tadd x%u, x%u, t0\n", (unsigned)bytes, x, x);
}

/* x += pitch * warps. Clobbers t0 and t1. */
static void advance(struct reduction *f, struct sam_buffer *out, unsigned x, uint32_t tile)
{
    uint32_t pitch;
    if (sam_lower_known(f->l, tile, LOWER_PITCH, &pitch)) {
        step(out, x, (uint64_t)pitch * f->warps);
        return;
    }
    sam_lower_load_field(f->l, f->kernel, out, "t0", tile, LOWER_PITCH);
    sam_buffer_printf(out, "\tli t1, %u\n\tmul t0, t0, t1\n\tadd x%u, x%u, t0\n", f->warps, x, x);
}

/* Returns whether a one-element line is possible; it is copied, so a NaN payload survives. */
static bool copies(const struct reduction *f)
{
    uint32_t number;
    bool one = sam_lower_known(f->l, f->src, f->columns ? LOWER_ROWS : LOWER_COLS, &number);
    return f->real && f->form != FORM_INDEX && (!one || number == 1);
}

static void rows(struct reduction *f, struct sam_buffer *out, unsigned end)
{
    size_t size = sam_tile_size(f->dtype);
    unsigned row = sam_lower_label(f->l), chunk = sam_lower_label(f->l),
             many = sam_lower_label(f->l);
    unsigned copy = sam_lower_label(f->l);
    uint32_t cols;
    bool known = sam_lower_known(f->l, f->src, LOWER_COLS, &cols);
    bool partial = !known || cols % LANES, one_chunk = known && cols <= LANES;
    sam_lower_load_field(f->l, f->kernel, out, "s0", f->src, LOWER_ROWS);
    sam_lower_load_field(f->l, f->kernel, out, "s2", f->src, LOWER_COLS);
    sam_buffer_printf(out, "\tsub s0, s0, t3\n\tblez s0, .Lg%u\n\tbeqz s2, .Lg%u\n", end, end);
    sam_lower_load_field(f->l, f->kernel, out, "t0", f->src, LOWER_PITCH);
    sam_buffer_printf(out, "\tmul t0, t0, t3\n\tadd x%u, x%u, t0\n", f->from, f->from);
    sam_lower_load_field(f->l, f->kernel, out, "t0", f->dst, LOWER_PITCH);
    sam_buffer_printf(out, "\tmul t0, t0, t3\n\tadd x%u, x%u, t0\n", f->to, f->to);
    if (copies(f)) {
        sam_buffer_printf(out, "\tli t0, 1\n\tbne s2, t0, .Lg%u\n.Lg%u:\n", many, copy);
        sam_buffer_printf(out, "\t%s t2, 0(x%u)\n\t%s t2, 0(x%u)\n", scalar_load(size), f->from,
                          scalar_store(size), f->to);
        advance(f, out, f->from, f->src);
        advance(f, out, f->to, f->dst);
        sam_buffer_printf(out, "\taddi s0, s0, -%u\n\tbgtz s0, .Lg%u\n\tj .Lg%u\n.Lg%u:\n",
                          f->warps, copy, end, many);
    }
    sam_lower_load_constants(&f->code, out);
    if (f->form == FORM_INDEX)
        sam_buffer_printf(out, "\tvid.v v%u\n", f->lane);
    sam_buffer_printf(out, ".Lg%u:\n", row);
    put_pieces(f, out, LOWER_ROW);
    if (f->form == FORM_INDEX)
        sam_buffer_printf(out, "\tvmv.v.v v%u, v%u\n\tvmv.v.v v%u, v%u\n", f->here, f->lane,
                          f->best, f->lane);
    sam_buffer_printf(out, "\tmv x%u, x%u\n\tmv " LOWER_REST ", s2\n", f->at, f->from);
    if (!one_chunk)
        sam_buffer_printf(out, ".Lg%u:\n", chunk);
    if (partial)
        sam_buffer_puts(out, "\tvsetvli t0, " LOWER_REST ", e32, m1, ta, ma\n");
    put_pieces(f, out, LOWER_CHUNK);
    if (!one_chunk) {
        if (f->form == FORM_INDEX) {
            sam_buffer_printf(out, "\tli t0, %u\n\tvadd.vx v%u, v%u, t0\n", (unsigned)LANES,
                              f->here, f->here);
        }
        sam_buffer_printf(out,
                          "\taddi x%u, x%u, %zu\n\taddi " LOWER_REST ", " LOWER_REST
                          ", -%u\n\tbgtz " LOWER_REST ", .Lg%u\n",
                          f->at, f->at, LANES * size, (unsigned)LANES, chunk);
    }
    if (partial)
        sam_buffer_puts(out, "\tvsetvli t0, zero, e32, m1, ta, ma\n");
    put_pieces(f, out, LOWER_END);
    advance(f, out, f->from, f->src);
    advance(f, out, f->to, f->dst);
    sam_buffer_printf(out, "\taddi s0, s0, -%u\n\tbgtz s0, .Lg%u\n", f->warps, row);
}

static void columns(struct reduction *f, struct sam_buffer *out, unsigned end)
{
    size_t size = sam_tile_size(f->dtype), to = f->arg ? 4 : size;
    unsigned row = sam_lower_label(f->l), chunk = sam_lower_label(f->l),
             many = sam_lower_label(f->l);
    unsigned next = sam_lower_label(f->l);
    sam_lower_load_field(f->l, f->kernel, out, "s0", f->src, LOWER_ROWS);
    sam_lower_load_field(f->l, f->kernel, out, LOWER_REST, f->src, LOWER_COLS);
    sam_buffer_printf(out,
                      "\tslli t0, t3, 5\n\tsub " LOWER_REST ", " LOWER_REST
                      ", t0\n\tblez " LOWER_REST ", .Lg%u\n\tbeqz s0, .Lg%u\n",
                      end, end);
    sam_buffer_printf(out, "\tslli t1, t0, %u\n\tadd x%u, x%u, t1\n", log_of(size), f->from,
                      f->from);
    sam_buffer_printf(out, "\tslli t1, t0, %u\n\tadd x%u, x%u, t1\n", log_of(to), f->to, f->to);
    sam_lower_load_field(f->l, f->kernel, out, "s2", f->src, LOWER_PITCH);
    sam_lower_load_constants(&f->code, out);
    sam_buffer_printf(out, ".Lg%u:\n\tvsetvli t0, " LOWER_REST ", e32, m1, ta, ma\n", chunk);
    if (copies(f)) {
        sam_buffer_printf(out, "\tli t0, 1\n\tbne s0, t0, .Lg%u\n", many);
        sam_buffer_printf(out, "\tvle%zu.v v8, (x%u)\n\tvse%zu.v v8, (x%u)\n\tj .Lg%u\n.Lg%u:\n",
                          8 * size, f->from, 8 * size, f->to, next, many);
    }
    put_pieces(f, out, LOWER_ROW);
    sam_buffer_printf(out, "\tmv x%u, x%u\n", f->at, f->from);
    if (f->form == FORM_INDEX)
        sam_buffer_printf(out, "\tvmv.v.i v%u, 0\n\tli x%u, 0\n.Lg%u:\n", f->best, f->index, row);
    else
        sam_buffer_printf(out, "\tmv x%u, s0\n.Lg%u:\n", f->left, row);
    put_pieces(f, out, LOWER_CHUNK);
    sam_buffer_printf(out, "\tadd x%u, x%u, s2\n", f->at, f->at);
    if (f->form == FORM_INDEX)
        sam_buffer_printf(out, "\taddi x%u, x%u, 1\n\tbltu x%u, s0, .Lg%u\n", f->index, f->index,
                          f->index, row);
    else
        sam_buffer_printf(out, "\taddi x%u, x%u, -1\n\tbnez x%u, .Lg%u\n", f->left, f->left,
                          f->left, row);
    put_pieces(f, out, LOWER_END);
    sam_buffer_printf(out, ".Lg%u:\n", next);
    step(out, f->from, (uint64_t)f->warps * LANES * size);
    step(out, f->to, (uint64_t)f->warps * LANES * to);
    sam_buffer_printf(out,
                      "\taddi " LOWER_REST ", " LOWER_REST ", -%u\n\tbgtz " LOWER_REST ", .Lg%u\n",
                      f->warps * LANES, chunk);
}

unsigned sam_lower_reduce_divide(const struct lower *l, struct sam_lower_kernel *kernel,
                                 uint32_t lines)
{
    lines = lines ? lines : 1;
    uint32_t groups = l->options.sms ? l->options.sms : 2;
    groups = groups < MOST_GROUPS ? groups : MOST_GROUPS;
    groups = groups < lines ? groups : lines;
    uint32_t each = (lines + groups - 1) / groups;
    kernel->workgroups = groups;
    kernel->warps = each < MOST_WARPS ? each : MOST_WARPS;
    return groups * kernel->warps;
}

/* Distribute rows, or groups of 32 columns, over warps. */
static void divide(struct reduction *f)
{
    const struct sam_tile_type *type = &sam_tile_ty(f->l->p, f->src)->tile;
    uint32_t lines;
    if (!sam_lower_known(f->l, f->src, f->columns ? LOWER_COLS : LOWER_ROWS, &lines))
        lines = f->columns ? type->cols : type->rows;
    if (f->columns)
        lines = (lines + LANES - 1) / LANES;
    f->warps = sam_lower_reduce_divide(f->l, f->kernel, lines);
}

static void describe(struct reduction *f, struct lower *l, struct sam_lower_kernel *kernel)
{
    f->code.l = f->l = l;
    f->kernel = kernel;
    f->op = &l->p->ops[kernel->ops[0]];
    f->row = sam_tile_row(f->op->code);
    f->src = sam_tile_arg(l->p, f->op, 0);
    f->dst = sam_tile_arg(l->p, f->op, 1);
    f->dtype = sam_tile_ty(l->p, f->src)->tile.dtype;
    f->nan = l->options.nan;
    f->columns = f->row->family == SAM_TILE_COLFOLD || f->row->family == SAM_TILE_COLARG;
    f->arg = f->row->family == SAM_TILE_COLARG || f->row->family == SAM_TILE_ROWARG;
    f->real = sam_tile_is_real(f->dtype);
    f->narrow = lower_is_narrow(f->dtype);
    f->max = f->row->function == SAM_TILE_FN_MAX;
    bool by_index = f->arg || (f->real && is_order(f) && f->nan == SAM_TILE_NAN_FIRST);
    bool by_key = f->real && is_order(f) && f->nan == SAM_TILE_NAN_PROPAGATE;
    f->form = by_index ? FORM_INDEX : by_key ? FORM_KEY : FORM_VALUE;
}

static void take_registers(struct reduction *f)
{
    struct lower_code *c = &f->code;
    f->from = sam_lower_take_scalar(c);
    f->at = sam_lower_take_scalar(c);
    f->to = sam_lower_take_scalar(c);
    f->index = f->left = sam_lower_take_scalar(c);
    f->raw = sam_lower_take_vector(c, LOWER_ONCE);
    f->key = sam_lower_take_vector(c, LOWER_ONCE);
    f->all = sam_lower_take_vector(c, LOWER_ONCE);
    f->lane = sam_lower_take_vector(c, LOWER_ONCE);
    f->here = sam_lower_take_vector(c, LOWER_ONCE);
    f->best = sam_lower_take_vector(c, LOWER_ONCE);
}

void sam_lower_reduce_end(struct lower *l, struct sam_lower_kernel *kernel,
                          enum sam_lower_part part)
{
    const struct sam_tile_op *op = &l->p->ops[kernel->ops[0]];
    if (sam_lower_pads(l, op))
        sam_lower_kernel_pad(l, kernel, op, sam_tile_arg(l->p, op, 0), part);
    sam_buffer_puts(&l->gpu, "\tret\n");
    sam_lower_kernel_note(l, kernel, op);
}

void sam_lower_reduce(struct lower *l, struct sam_lower_kernel *kernel)
{
    if (sam_lower_reduce_packed(l, kernel))
        return;
    struct reduction *f = sam_alloc(1, sizeof *f);
    if (!f) {
        l->gpu.failed = true;
        return;
    }
    struct sam_buffer *out = &l->gpu;
    unsigned end = sam_lower_label(l), found = sam_lower_label(l);
    describe(f, l, kernel);
    divide(f);
    take_registers(f);
    bool first = f->real && f->form == FORM_INDEX && f->nan == SAM_TILE_NAN_FIRST;
    start_line(f);
    if (first && f->columns)
        keep_leading_nan_row(f);
    else if (first)
        keep_leading_nan(f, found);
    next_elements(f);
    if (f->columns)
        end_columns(f);
    else
        end_row(f, found);
    sam_buffer_printf(out, "%s:\n", kernel->name);
    sam_lower_number_warp(kernel, out);
    char reg[8];
    sam_format(reg, sizeof reg, "x%u", f->from);
    sam_lower_load_field(l, kernel, out, reg, f->src, LOWER_ADDRESS);
    sam_format(reg, sizeof reg, "x%u", f->to);
    sam_lower_load_field(l, kernel, out, reg, f->dst, LOWER_ADDRESS);
    (f->columns ? columns : rows)(f, out, end);
    sam_buffer_printf(out, ".Lg%u:\n", end);
    sam_lower_reduce_end(l, kernel, f->columns ? LOWER_FIRST_ROW : LOWER_FIRST_COLUMN);
    sam_lower_code_free(&f->code);
    free(f);
}
