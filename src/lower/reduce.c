/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions. Of columns: one column per lane, rows in ascending order. Of rows: one row per warp,
 * lane l takes columns l, l + 32, ... in ascending order; a tree through local memory then combines
 * the lanes, halving from 16.
 *
 * Each lane starts from the identity: -0 for float sums, 1 for products, NaN for minNum. A
 * one-element line is copied, so that NaN payloads survive.
 *
 * Float minima and maxima in the other --nan modes, argmin and argmax reduce order-preserving
 * integer keys by maximum. */
#include <math.h>

#include "lower/build.h"

/* Stack offset of the tree's buffer. */
enum { TREE = 16 };

enum form {
    FORM_VALUE, /* wide values, one combining instruction */
    FORM_KEY,   /* keys; the maximum converts back to a value */
    FORM_INDEX  /* keys and indices: the first maximum */
};

struct reduction {
    struct lower_build *b;
    struct lower_code *c;
    const struct sam_tile_row *row;
    struct lower_place *src, *dst;
    enum sam_dtype dtype;
    enum sam_tile_nan nan;
    enum form form;
    bool arg; /* argmin, argmax */
    bool real, narrow, max;
    bool leads;              /* --nan first: a NaN in the first element is the result */
    unsigned size;           /* bytes of an element */
    unsigned all;            /* v: accumulator */
    unsigned one;            /* v: the last elements, or 0 if no row has a single one */
    unsigned best;           /* v: FORM_INDEX: its indices */
    unsigned found, found_x; /* label and x: index of the result of a row */
};

static bool is_order(const struct sam_tile_row *row)
{
    return row->function == SAM_TILE_FN_MIN || row->function == SAM_TILE_FN_MAX;
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

bool sam_lower_reduces_beside(const struct lower *l, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const enum sam_dtype dtype = sam_tile_ty(l->p, sam_tile_arg(l->p, op, 0))->tile.dtype;
    /* Under --nan first the result is loaded from the source in memory. */
    return !is_order(row) || !sam_tile_is_real(dtype) || l->options.nan != SAM_TILE_NAN_FIRST;
}

/* $d = combine($d, $a), in the reduction's form. */
static void combine(struct reduction *f, enum lower_level level, unsigned d, unsigned a)
{
    const struct combiner *r = combiner_of(f->row->function);
    const char *lines = f->form != FORM_VALUE          ? "vmax.vv"
                        : f->real                      ? r->real.combine
                        : sam_tile_is_signed(f->dtype) ? r->sint.combine
                                                       : r->uint.combine;
    const bool rounds = f->narrow && !is_order(f->row);
    struct lower_regs regs = {.d = d, .a = a};
    sam_lower_emit_numbers(f->c, level, regs, "%s %s, $d, $a", lines, rounds ? "v8" : "$d");
    if (rounds)
        sam_lower_round(f->c, level, f->dtype, (struct lower_regs){.d = d, .a = 8});
}

/* The specification folds sums from +0 and products from 1. */
static bool folds_from_start(const struct reduction *f)
{
    return f->real && !is_order(f->row) && f->b->l->options.dialect == SAM_TILE_SPEC;
}

static uint32_t identity(const struct reduction *f)
{
    const struct combiner *r = combiner_of(f->row->function);
    if (folds_from_start(f) && f->row->function == SAM_TILE_FN_ADD)
        return 0;
    return f->form != FORM_VALUE          ? 0x80000000
           : f->real                      ? r->real.identity
           : sam_tile_is_signed(f->dtype) ? r->sint.identity
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
    if (sam_tile_is_signed(f->dtype))
        return f->max ? "vmv.v.v $d, $a" : "vxor.vi $d, $a, -1";
    return f->max ? "vxor.vx $d, $a, $(0x80000000)" : "vxor.vx $d, $a, $(0x7fffffff)";
}

/* The register with the reduction's form of a value. */
static unsigned element(struct reduction *f, struct lower_vector *x)
{
    const unsigned wide =
        is_order(f->row) && x->raw ? sam_lower_order(f->c, x) : sam_lower_wide(f->c, x);
    if (f->form == FORM_VALUE) {
        if (!(is_order(f->row) && f->dtype == SAM_F16 && !x->raw))
            return wide;
        sam_lower_raw(f->c, x);
        return sam_lower_order(f->c, x);
    }
    const struct lower_regs regs = {.d = sam_lower_take_vector(f->c, x->level), .a = wide};
    sam_lower_emit(f->c, x->level, f->real ? sign(f) : whole_key(f), regs);
    if (f->real)
        sam_lower_emit(f->c, x->level, real_keys[f->nan], regs);
    return regs.d;
}

/* Convert the accumulator to its raw form. */
static unsigned value(struct reduction *f)
{
    struct lower_vector d = {.dtype = f->dtype, .level = LOWER_END};
    struct lower_regs regs = {.d = f->all, .a = f->all};
    if (f->form == FORM_KEY) { /* --nan propagate */
        sam_lower_emit(f->c, d.level, real_keys[f->nan], regs);
        sam_lower_emit(f->c, d.level, sign(f), regs);
    }
    if (is_order(f->row) && f->dtype == SAM_F16) {
        sam_lower_emit(f->c, d.level, sam_lower_from_order, regs);
        return f->all;
    }
    *(f->narrow ? &d.wide : &d.raw) = f->all;
    return sam_lower_raw(f->c, &d);
}

/* Accumulate one step. */
static void next_elements(struct reduction *f)
{
    struct lower_build *b = f->b;
    unsigned x = element(f, f->src->vector);
    if (f->form != FORM_INDEX) {
        combine(f, LOWER_CHUNK, f->all, x);
        return;
    }
    sam_lower_gpu(f->c, LOWER_CHUNK, "vmslt.vv v0, v%u, v%u; vmax.vv v%u, v%u, v%u", f->all, x,
                  f->all, f->all, x);
    if (b->columns) {
        const unsigned zero = 0, index = sam_lower_build_moving(b, zero, 1, 0);
        sam_lower_gpu(f->c, LOWER_CHUNK, "vmerge.vxm v%u, v%u, x%u, v0", f->best, f->best, index);
    } else {
        const unsigned index = sam_lower_build_moving(b, 0, LOWER_LANES, 0);
        const unsigned lane = sam_lower_take_vector(f->c, LOWER_ONCE);
        sam_lower_gpu(f->c, LOWER_ONCE, "vid.v v%u", lane);
        sam_lower_gpu(f->c, LOWER_CHUNK, "vadd.vx v8, v%u, x%u; vmerge.vvm v%u, v%u, v8, v0", lane,
                      index, f->best, f->best);
    }
}

/* --- ends of lines */

/* Tree-reduce across lanes through local memory into lane 0. */
static void reduce_lanes(struct reduction *f, unsigned v,
                         void (*with)(struct reduction *f, unsigned d, unsigned a))
{
    const unsigned at = sam_lower_take_scalar(f->c, LOWER_END);
    sam_lower_gpu(f->c, LOWER_END, "addi x%u, sp, %d", at, TREE);
    for (unsigned half = LOWER_LANES / 2; half; half /= 2) {
        const unsigned other = sam_lower_take_vector(f->c, LOWER_END);
        sam_lower_gpu(f->c, LOWER_END, "vse32.v v%u, (x%u); addi t2, x%u, %u; vle32.v v%u, (t2)", v,
                      at, at, 4 * half, other);
        with(f, v, other);
    }
}

static void with_values(struct reduction *f, unsigned d, unsigned a)
{
    combine(f, LOWER_END, d, a);
}

static void with_indexes(struct reduction *f, unsigned d, unsigned a)
{
    sam_lower_gpu(f->c, LOWER_END, "vmin.vv v%u, v%u, v%u", d, d, a);
}

/* d = lane 0 of v; vmv.x.s reads the highest active lane. */
static void first_lane(struct reduction *f, unsigned d, unsigned v)
{
    sam_lower_gpu(f->c, LOWER_END,
                  "vsetvli t0, x%u, e32, m1, ta, ma; vmv.x.s x%u, v%u;"
                  "vsetvli t0, zero, e32, m1, ta, ma",
                  sam_lower_number(f->c, LOWER_END, 1), d, v);
}

static char width(unsigned size)
{
    return "?bh?w"[size];
}

/* Returns whether a line may have one element, which is copied. */
static bool may_copy(const struct reduction *f)
{
    uint32_t number;
    const bool known =
        sam_lower_known(f->b->l, f->b->rectangle, f->b->columns ? LOWER_ROWS : LOWER_COLS, &number);
    return f->real && f->form != FORM_INDEX && !folds_from_start(f) && (!known || number == 1);
}

/* Begin code for lines of one element; it ends with the label. */
static unsigned begin_copy(struct reduction *f)
{
    const unsigned many = sam_lower_label(f->b->l);
    sam_lower_gpu(f->c, LOWER_END, "li t0, 1; bne s2, t0, .Lg%u", many);
    return many;
}

/* found_x = the result of a row. */
static void end_row(struct reduction *f)
{
    const unsigned result = f->found_x;
    if (f->form != FORM_INDEX) {
        reduce_lanes(f, f->all, with_values);
        first_lane(f, result, value(f));
        if (f->one) {
            const unsigned many = begin_copy(f);
            first_lane(f, result, f->one);
            sam_lower_gpu(f->c, LOWER_END, ".Lg%u:", many);
        }
        return;
    }
    const unsigned key = sam_lower_take_vector(f->c, LOWER_END);
    sam_lower_gpu(f->c, LOWER_END, "vmv.v.v v%u, v%u", key, f->all);
    reduce_lanes(f, key, with_values);
    first_lane(f, result, key);
    sam_lower_gpu(f->c, LOWER_END, "vmsne.vx v0, v%u, x%u", f->all, result);
    sam_lower_emit(f->c, LOWER_END, "vmerge.vxm $d, $d, $(0x7fffffff), v0",
                   (struct lower_regs){.d = f->best});
    reduce_lanes(f, f->best, with_indexes);
    first_lane(f, result, f->best);
    if (f->leads)
        sam_lower_gpu(f->c, LOWER_END, ".Lg%u:", f->found);
    if (!f->arg)
        sam_lower_gpu(f->c, LOWER_END, "slli t2, x%u, %u; add t2, t2, x%u; l%c x%u, 0(t2)", result,
                      (unsigned)__builtin_ctz(f->size), sam_lower_build_row(f->b, f->src),
                      width(f->size), result);
}

/* Store the result of a row, and keep it for what comes after. */
static void keep_row(struct reduction *f, bool stores)
{
    if (stores)
        sam_lower_gpu(f->c, LOWER_END, "s%c x%u, 0(x%u)", width(f->dst->bytes), f->found_x,
                      sam_lower_build_row(f->b, f->dst));
    struct lower_vector d = {.dtype = f->dst->dtype, .level = LOWER_ROW};
    d.raw = sam_lower_take_vector(f->c, LOWER_ROW);
    sam_lower_gpu(f->c, LOWER_END, "vmv.v.x v%u, x%u", d.raw, f->found_x);
    if (!sam_tile_is_real(d.dtype))
        sam_lower_extend(f->c, LOWER_END, d.dtype, d.raw);
    f->dst->vector = sam_lower_build_vector(f->b, d);
}

/* Store the results of 32 columns. */
static void end_columns(struct reduction *f)
{
    const unsigned to = sam_lower_build_row(f->b, f->dst);
    if (f->form != FORM_INDEX || f->arg) {
        const unsigned d = f->form == FORM_INDEX ? f->best : value(f);
        sam_lower_gpu(f->c, LOWER_END, "vse%u.v v%u, (x%u)", 8 * f->dst->bytes, d, to);
        if (may_copy(f)) {
            const unsigned many = begin_copy(f);
            sam_lower_gpu(f->c, LOWER_END,
                          "vle%u.v v8, (x%u); vse%u.v v8, (x%u); .Lg%u:", 8 * f->size,
                          sam_lower_build_row(f->b, f->src), 8 * f->size, to, many);
        }
        return;
    }
    sam_lower_gpu(f->c, LOWER_END,
                  "vmul.vx v8, v%u, x%u; vid.v v9; vsll.vi v9, v9, %u; vadd.vv v8, v8, v9;"
                  "vadd.vx v8, v8, x%u; vl%c12.v v9, 0(v8); vse%u.v v9, (x%u)",
                  f->best, f->b->pitch, (unsigned)__builtin_ctz(f->size),
                  sam_lower_build_row(f->b, f->src), width(f->size), 8 * f->size, to);
}

/* --nan first: a NaN in column 0 is the result of its row. */
static void keep_leading_nan(struct reduction *f)
{
    const uint32_t infinity = (uint32_t)sam_tile_real_bits(f->dtype, INFINITY, SAM_TILE_RINT);
    sam_lower_gpu(f->c, LOWER_ROW, "l%c t0, 0(x%u); slli t0, t0, %u; li t1, 0x%x; li x%u, 0",
                  width(f->size), sam_lower_build_row(f->b, f->src), 33 - 8 * f->size,
                  infinity << (33 - 8 * f->size), f->found_x);
    sam_lower_gpu(f->c, LOWER_ROW, "bgtu t0, t1, .Lg%u", f->found);
}

/* --nan first: a NaN in row 0 gets the largest key. */
static void keep_leading_nan_row(struct reduction *f)
{
    struct lower_vector x = {.dtype = f->dtype, .level = LOWER_ROW};
    x.raw = sam_lower_take_vector(f->c, LOWER_ROW);
    sam_lower_gpu(f->c, LOWER_ROW, "vle%u.v v%u, (x%u)", 8 * f->size, x.raw,
                  sam_lower_build_row(f->b, f->src));
    sam_lower_emit(f->c, LOWER_ROW,
                   "vmseq.vx v0, $a, $(" NAN_KEY "); vmerge.vxm $d, $d, $(0x7fffffff), v0",
                   (struct lower_regs){.d = f->all, .a = element(f, &x)});
}

/* --- the operation */

static void describe(struct reduction *f, struct lower_build *b, const struct sam_tile_op *op)
{
    f->b = b;
    f->c = &b->code;
    f->row = sam_tile_row(op->code);
    f->src = sam_lower_build_place(b, op, 0);
    f->dst = sam_lower_build_place(b, op, 1);
    f->dtype = f->src->dtype;
    f->size = f->src->bytes;
    f->nan = b->l->options.nan;
    f->arg = f->row->family == SAM_TILE_COLARG || f->row->family == SAM_TILE_ROWARG;
    f->real = sam_tile_is_real(f->dtype);
    f->narrow = lower_is_narrow(f->dtype);
    f->max = f->row->function == SAM_TILE_FN_MAX;
    const bool by_index = f->arg || (f->real && is_order(f->row) && f->nan == SAM_TILE_NAN_FIRST);
    const bool by_key = f->real && is_order(f->row) && f->nan == SAM_TILE_NAN_PROPAGATE;
    f->form = by_index ? FORM_INDEX : by_key ? FORM_KEY : FORM_VALUE;
    f->leads = f->real && by_index && f->nan == SAM_TILE_NAN_FIRST;
    f->all = sam_lower_take_vector(f->c, LOWER_ROW);
    f->best = f->form == FORM_INDEX ? sam_lower_take_vector(f->c, LOWER_ROW) : 0;
    f->found = sam_lower_label(b->l);
    f->found_x = sam_lower_take_scalar(f->c, LOWER_ROW);
}

void sam_lower_build_reduce(struct lower_build *b, const struct sam_tile_op *op, bool stores)
{
    struct reduction f = {0};
    sam_lower_build_operand(b, op, 0);
    describe(&f, b, op);
    sam_lower_emit_numbers(f.c, LOWER_ROW, (struct lower_regs){.d = f.all}, "vmv.v.x $d, $(0x%x)",
                           identity(&f));
    if (f.form == FORM_INDEX)
        sam_lower_gpu(f.c, LOWER_ROW, b->columns ? "vmv.v.i v%u, 0" : "vid.v v%u", f.best);
    if (f.leads && b->columns)
        keep_leading_nan_row(&f);
    else if (f.leads)
        keep_leading_nan(&f);
    next_elements(&f);
    if (b->columns) {
        end_columns(&f);
        return;
    }
    if (may_copy(&f)) {
        f.one = sam_lower_take_vector(f.c, LOWER_ROW);
        sam_lower_gpu(f.c, LOWER_CHUNK, "vmv.v.v v%u, v%u", f.one,
                      sam_lower_raw(f.c, f.src->vector));
    }
    end_row(&f);
    keep_row(&f, stores);
}
