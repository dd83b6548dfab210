/* SPDX-License-Identifier: Apache-2.0 */
/* Element functions, from the rows of functions.def. */
#include "lower/elements.h"
#include "lower/math.h"

#define CANON "$(0x7fc00000)"
/* Float minimum and maximum, by --nan mode. */
static const char *const best[2][3] = {
    {[SAM_TILE_NAN_NUMBER] = "vfmin.vv $d, $a, $b",
     [SAM_TILE_NAN_PROPAGATE] = "vfmin.vv $d, $a, $b; vmfne.vv v0, $a, $a; vmfne.vv v10, $b, $b;"
                                "vor.vv v0, v0, v10; vmerge.vxm $d, $d, " CANON ", v0",
     [SAM_TILE_NAN_FIRST] = "vmflt.vv v0, $b, $a"},
    {[SAM_TILE_NAN_NUMBER] = "vfmax.vv $d, $a, $b",
     [SAM_TILE_NAN_PROPAGATE] = "vfmax.vv $d, $a, $b; vmfne.vv v0, $a, $a; vmfne.vv v10, $b, $b;"
                                "vor.vv v0, v0, v10; vmerge.vxm $d, $d, " CANON ", v0",
     [SAM_TILE_NAN_FIRST] = "vmflt.vv v0, $a, $b"},
};

static void write_extreme(struct lower_code *c, enum lower_level level, bool max,
                          struct lower_regs regs)
{
    sam_lower_emit(c, level, best[max][c->l->options.nan], regs);
}

static void write_min(struct lower_code *c, enum lower_level level, struct lower_regs regs)
{
    write_extreme(c, level, false, regs);
}

static void write_max(struct lower_code *c, enum lower_level level, struct lower_regs regs)
{
    write_extreme(c, level, true, regs);
}

static void write_modulo(struct lower_code *c, enum lower_level level, struct lower_regs regs)
{
    sam_lower_remainder(c, level, regs);
    sam_lower_emit(c, level,
                   "vmflt.vf v10, $d, zero; vmflt.vf v11, $b, zero; vxor.vv v10, v10, v11;"
                   "vmfne.vf v11, $d, zero; vand.vv v10, v10, v11; vmsne.vi v0, v10, 0;"
                   "vfadd.vv v11, $d, $b; vmerge.vvm $d, $d, v11, v0",
                   regs);
}

/* --- the rows */

enum { ROUNDS = 1, WRAPS = 2 };

struct lower_function {
    const char *real;
    enum sam_lower_routine routine;
    void (*write)(struct lower_code *c, enum lower_level level, struct lower_regs regs);
    const char *sint, *uint;
    unsigned after;
    bool masks, sfu;
};

#define LOWER_FUNCTION(id, ...) static const struct lower_function function_##id = {__VA_ARGS__};
#include "lower/functions.def"

/* By enum sam_tile_function. A function without a row in lower/functions.def does not compile. */
static const struct lower_function *const functions[] = {
#define TILE_FUNCTION(id, real, whole) [SAM_TILE_FN_##id] = &function_##id,
#include "tile/functions.def"
};

const char *sam_lower_function_lack(enum sam_tile_function function, enum sam_dtype dtype)
{
    const struct lower_function *f = functions[function];
    if (f && !sam_tile_is_real(dtype) && (f->sint || (f->uint && !sam_tile_is_signed(dtype))))
        return NULL;
    if (f && sam_tile_is_real(dtype) && (f->real || f->write))
        return NULL;
    if (!f || !sam_tile_is_real(dtype) || !f->routine)
        return "functions.def";
    return sam_lower_math(f->routine, dtype) == LOWER_MATH_NONE ? "math.c" : NULL;
}

/* $d = routine($a, $b); b may be 0. */
static void put_routine(struct lower_code *c, enum lower_level level,
                        enum sam_lower_routine routine, enum sam_dtype dtype,
                        struct lower_regs regs)
{
    sam_lower_pair(c, level);
    sam_lower_emit(c, level, regs.b ? "vmv.v.v v8, $a; vmv.v.v v9, $b" : "vmv.v.v v8, $a", regs);
    sam_lower_emit(c, level, sam_lower_routine(c->l, routine, dtype), regs);
    c->pairs = false;
    sam_lower_emit(c, level, "vmv.v.v $d, v8", regs);
}

/* Emit a function on wide operands. */
static void compute(struct lower_code *c, enum lower_level level, enum sam_tile_function function,
                    enum sam_dtype dtype, struct lower_regs regs)
{
    const struct lower_function *f = functions[function];
    if (sam_tile_is_real(dtype)) {
        if (f->real)
            sam_lower_emit(c, level, f->real, regs);
        else if (f->write)
            f->write(c, level, regs);
        else
            put_routine(c, level, f->routine, dtype, regs);
        return;
    }
    if (f->masks && sam_tile_size(dtype) < 4) {
        sam_lower_emit_numbers(c, level, regs, "vand.vi v10, $b, %zu",
                               8 * sam_tile_size(dtype) - 1);
        regs.b = 10;
    }
    sam_lower_emit(c, level, f->uint && !sam_tile_is_signed(dtype) ? f->uint : f->sint, regs);
}

/* --- minimum and maximum, comparisons */

/* Bring two values into one comparable form. */
static struct lower_regs comparable(struct lower_code *c, struct lower_vector *a,
                                    struct lower_vector *b)
{
    if (a->wide || b->wide)
        return (struct lower_regs){.a = sam_lower_wide(c, a), .b = sam_lower_wide(c, b)};
    return (struct lower_regs){.a = sam_lower_order(c, a), .b = sam_lower_order(c, b)};
}

/* --nan first: select an operand's bit pattern; v0 selects b. */
static struct lower_vector first(struct lower_code *c, enum sam_tile_function function,
                                 struct lower_vector *a, struct lower_vector *b)
{
    struct lower_vector d = {.dtype = a->dtype, .level = sam_lower_level_of(a, b)};
    struct lower_regs raw = {.a = sam_lower_raw(c, a), .b = sam_lower_raw(c, b)};
    raw.d = d.raw = sam_lower_take_vector(c, d.level);
    compute(c, d.level, function, d.dtype, comparable(c, a, b));
    sam_lower_emit(c, d.level, "vmerge.vvm $d, $a, $b, v0", raw);
    return d;
}

/* Minimum or maximum of f16 values that have no wide form. */
static struct lower_vector extreme_f16(struct lower_code *c, bool max, struct lower_vector *a,
                                       struct lower_vector *b)
{
    struct lower_vector d = {.dtype = SAM_F16, .level = sam_lower_level_of(a, b)};
    struct lower_regs raw = {.a = a->raw, .b = b->raw};
    if (c->l->options.nan == SAM_TILE_NAN_NUMBER) {
        struct lower_regs regs = {.a = sam_lower_order(c, a), .b = sam_lower_order(c, b)};
        regs.d = raw.d = sam_lower_take_vector(c, d.level);
        sam_lower_emit(c, d.level, best[max][SAM_TILE_NAN_NUMBER], regs);
        raw.a = raw.d;
        sam_lower_emit(c, d.level, sam_lower_from_order, raw);
    } else { /* f16 bits order correctly except for NaN, which is merged afterwards */
        raw.d = sam_lower_take_vector(c, d.level);
        sam_lower_emit(c, d.level, "vsll.vi v8, $a, 16; vsll.vi v9, $b, 16", raw);
        sam_lower_emit(c, d.level, best[max][SAM_TILE_NAN_NUMBER],
                       (struct lower_regs){.d = 8, .a = 8, .b = 9});
        sam_lower_emit(c, d.level,
                       "vsll.vi v9, $a, 17; vsll.vi v10, $b, 17; vmaxu.vv v9, v9, v10;"
                       "vmsgtu.vx v0, v9, $(0xf8000000); vmerge.vxm v8, v8, $(0x7e000000), v0;"
                       "vsra.vi $d, v8, 16",
                       raw);
    }
    d.raw = raw.d;
    return d;
}

/* Flip or clear the sign of floats, NaNs included. */
static struct lower_vector change_sign(struct lower_code *c, bool flip, struct lower_vector *a)
{
    struct lower_vector d = {.dtype = a->dtype, .level = a->level};
    struct lower_regs regs = {.a = sam_lower_raw(c, a)};
    const bool narrow = lower_is_narrow(d.dtype);
    regs.d = d.raw = sam_lower_take_vector(c, d.level);
    sam_lower_emit(c, d.level,
                   flip ? narrow ? "vxor.vx $d, $a, $(0xffff8000)" : "vxor.vx $d, $a, $(0x80000000)"
                   : narrow ? "vand.vx $d, $a, $(0x7fff)"
                            : "vand.vx $d, $a, $(0x7fffffff)",
                   regs);
    return d;
}

struct lower_vector sam_lower_apply(struct lower_code *c, enum sam_tile_function function,
                                    struct lower_vector *a, struct lower_vector *b)
{
    struct lower_vector d = {.dtype = a->dtype, .level = sam_lower_level_of(a, b)};
    bool real = sam_tile_is_real(d.dtype), narrow = lower_is_narrow(d.dtype);
    bool extreme = function == SAM_TILE_FN_MIN || function == SAM_TILE_FN_MAX;
    if (real && extreme && c->l->options.nan == SAM_TILE_NAN_FIRST)
        return first(c, function, a, b);
    if (real && (function == SAM_TILE_FN_FLIP || function == SAM_TILE_FN_CLEAR))
        return change_sign(c, function == SAM_TILE_FN_FLIP, a);
    if (d.dtype == SAM_F16 && extreme && !a->wide && !b->wide)
        return extreme_f16(c, function == SAM_TILE_FN_MAX, a, b);
    struct lower_regs regs = {.a = sam_lower_wide(c, a), .b = b ? sam_lower_wide(c, b) : 0};
    unsigned reg = sam_lower_take_vector(c, d.level), after = functions[function]->after;
    bool rounds = narrow && (after & ROUNDS);
    const bool one =
        real && functions[function]->sfu && (d.level == LOWER_ROW || d.level == LOWER_END);
    regs.d = rounds ? 8 : reg;
    if (one)
        sam_lower_gpu(c, d.level, "vsetvli t0, x%u, e32, m1, ta, ma",
                      sam_lower_number(c, d.level, 1));
    compute(c, d.level, function, d.dtype, regs);
    if (rounds)
        sam_lower_round(c, d.level, d.dtype, (struct lower_regs){.d = reg, .a = 8});
    if (!real && (after & WRAPS))
        sam_lower_extend(c, d.level, d.dtype, reg);
    if (one)
        sam_lower_gpu(c, d.level,
                      "vmv.x.s t1, v%u; vsetvli t0, zero, e32, m1, ta, ma; vmv.v.x v%u, t1", reg,
                      reg);
    *(narrow ? &d.wide : &d.raw) = reg;
    return d;
}

struct lower_vector sam_lower_compare(struct lower_code *c, enum sam_tile_compare how,
                                      struct lower_vector *a, struct lower_vector *b)
{
    static const char *const lines[][3] = {
        [SAM_TILE_EQ] = {"vmfeq.vv $d, $a, $b", "vmseq.vv $d, $a, $b", "vmseq.vv $d, $a, $b"},
        [SAM_TILE_NE] = {"vmfne.vv $d, $a, $b", "vmsne.vv $d, $a, $b", "vmsne.vv $d, $a, $b"},
        [SAM_TILE_LT] = {"vmflt.vv $d, $a, $b", "vmslt.vv $d, $a, $b", "vmsltu.vv $d, $a, $b"},
        [SAM_TILE_LE] = {"vmfle.vv $d, $a, $b", "vmsle.vv $d, $a, $b", "vmsleu.vv $d, $a, $b"},
        [SAM_TILE_GT] = {"vmflt.vv $d, $b, $a", "vmslt.vv $d, $b, $a", "vmsltu.vv $d, $b, $a"},
        [SAM_TILE_GE] = {"vmfle.vv $d, $b, $a", "vmsle.vv $d, $b, $a", "vmsleu.vv $d, $b, $a"},
    };
    struct lower_vector d = {.dtype = SAM_U8, .level = sam_lower_level_of(a, b)};
    struct lower_regs regs = comparable(c, a, b);
    regs.d = d.raw = sam_lower_take_vector(c, d.level);
    unsigned form = sam_tile_is_real(a->dtype) ? 0 : sam_tile_is_signed(a->dtype) ? 1 : 2;
    sam_lower_emit(c, d.level, lines[how][form], regs);
    return d;
}

struct lower_vector sam_lower_select(struct lower_code *c, struct lower_vector *m,
                                     struct lower_vector *a, struct lower_vector *b)
{
    struct lower_vector d = {.dtype = a->dtype, .level = sam_lower_level_of(a, b)};
    if (m->level > d.level)
        d.level = m->level;
    struct lower_regs regs = {
        .m = sam_lower_raw(c, m), .a = sam_lower_raw(c, a), .b = sam_lower_raw(c, b)};
    regs.d = d.raw = sam_lower_take_vector(c, d.level);
    sam_lower_emit(c, d.level, "vmsne.vi v0, $m, 0; vmerge.vvm $d, $b, $a, v0", regs);
    return d;
}
