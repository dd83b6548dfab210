/* SPDX-License-Identifier: Apache-2.0 */
/* Values in vector registers: their forms, and what the functions of functions.def become. */
#include "lower/elements.h"

#include <stdlib.h>

/* --- registers and text */

/* x0, ra, sp, tp, t0-t6, a0, a6 and a7 are not handed out; s0, s1 and s2 count rows and columns. */
static bool hands_out(unsigned reg)
{
    return reg == 3 || (reg >= 11 && reg <= 15) || (reg >= 19 && reg <= 27) || reg >= 32;
}

static unsigned take_scalar(struct lower_code *c, unsigned from)
{
    for (unsigned i = from; i < LOWER_SCALARS; i++)
        if (hands_out(i) && !c->scalar_used[i]) {
            c->scalar_used[i] = true;
            return i;
        }
    return 0;
}

unsigned sam_lower_take_scalar(struct lower_code *c)
{
    return take_scalar(c, 0);
}

unsigned sam_lower_take_far_scalar(struct lower_code *c)
{
    return take_scalar(c, 32);
}

unsigned sam_lower_take_vector(struct lower_code *c, enum lower_level level)
{
    for (unsigned i = 1; i < LOWER_VECTORS; i++) {
        if ((i >= 8 && i < 24) || c->vector_used[i] ||
            (level != LOWER_CHUNK && c->vector_changes[i]))
            continue;
        c->vector_used[i] = true;
        c->vector_changes[i] |= level == LOWER_CHUNK;
        return i;
    }
    return 0;
}

static void give_vector(struct lower_code *c, unsigned reg)
{
    c->vector_used[reg] = false;
}

/* A scalar register with these bits. When all are taken, it is loaded where it is used. */
static unsigned constant(struct lower_code *c, enum lower_level level, uint32_t bits)
{
    if (!bits)
        return 0;
    for (unsigned i = 0; i < c->constant_count; i++)
        if (c->constants[i].bits == bits)
            return c->constants[i].reg;
    unsigned reg = c->constant_count < LOWER_CONSTANTS ? sam_lower_take_scalar(c) : 0;
    if (reg) {
        c->constants[c->constant_count].bits = bits;
        c->constants[c->constant_count++].reg = reg;
        return reg;
    }
    reg = 5 + c->temporary++ % 3;
    sam_buffer_printf(&c->text[level], "\tli x%u, 0x%x\n", reg, bits);
    return reg;
}

void sam_lower_emit(struct lower_code *c, enum lower_level level, const char *lines,
                    struct lower_regs regs)
{
    struct sam_buffer *out = &c->text[level];
    while (*lines) {
        char line[128];
        size_t size = strcspn(lines, ";"), at = 0;
        const char *end = lines + size;
        lines += strspn(lines, " ");
        while (lines < end && at + 16 < sizeof line) {
            if (*lines != '$') {
                line[at++] = *lines++;
                continue;
            }
            unsigned reg = regs.d;
            if (lines[1] == '(') {
                char *after;
                reg = constant(c, level, (uint32_t)strtoul(lines + 2, &after, 16));
                lines = after + 1;
                at += (size_t)sam_format(line + at, sizeof line - at, "x%u", reg);
                continue;
            }
            reg = lines[1] == 'a'   ? regs.a
                  : lines[1] == 'b' ? regs.b
                  : lines[1] == 'm' ? regs.m
                                    : reg;
            lines += 2;
            at += (size_t)sam_format(line + at, sizeof line - at, "v%u", reg);
        }
        sam_buffer_printf(out, "\t%.*s\n", (int)at, line);
        lines = *end ? end + 1 : end;
    }
}

void sam_lower_all_lanes(struct lower_code *c, enum lower_level level)
{
    if (c->partial && level == LOWER_CHUNK)
        sam_buffer_puts(&c->text[level], "\tvsetvli t0, zero, e32, m1, ta, ma\n");
}

void sam_lower_some_lanes(struct lower_code *c, enum lower_level level)
{
    if (c->partial && level == LOWER_CHUNK)
        sam_buffer_puts(&c->text[level], "\tvsetvli t0, " LOWER_REST ", e32, m1, ta, ma\n");
}

enum lower_level sam_lower_level_of(const struct lower_vector *a, const struct lower_vector *b)
{
    return b && b->level > a->level ? b->level : a->level;
}

/* --- forms */

static bool is_narrow(enum sam_dtype dtype)
{
    return sam_tile_is_real(dtype) && sam_tile_size(dtype) == 2;
}

/* As sam_half_value: the exponent as it is, then moved by the difference of the biases, which
 * makes subnormal numbers normal; infinities and NaN keep their mantissa. */
static const char widen_f16[] =
    "vsll.vi $d, $a, 17; vsrl.vi $d, $d, 4; vmsgtu.vx v0, $d, $(0x0f7fffff);"
    "vfmul.vf $d, $d, $(0x77800000); vor.vx $d, $d, $(0x7f800000), v0.t; vfsgnj.vv $d, $d, $a";
static const char widen_bf16[] = "vsll.vi $d, $a, 16";
/* Of values that f16 has: the same the other way. An exponent of all ones becomes one of 5 bits. */
static const char narrow_f16[] =
    "vfmul.vf $d, $a, $(0x07800000); vsra.vi v10, $d, 31; vsrl.vi $d, $d, 13;"
    "vand.vx $d, $d, $(0x7fff); vsll.vi v10, v10, 15; vor.vv $d, $d, v10";
static const char narrow_bf16[] = "vsra.vi $d, $a, 16";

unsigned sam_lower_wide(struct lower_code *c, struct lower_vector *v)
{
    if (!v->wide && is_narrow(v->dtype)) {
        v->wide = sam_lower_take_vector(c, v->level);
        sam_lower_emit(c, v->level, v->dtype == SAM_F16 ? widen_f16 : widen_bf16,
                       (struct lower_regs){.d = v->wide, .a = v->raw});
    }
    return v->wide ? v->wide : v->raw;
}

unsigned sam_lower_raw(struct lower_code *c, struct lower_vector *v)
{
    if (!v->raw) {
        v->raw = sam_lower_take_vector(c, v->level);
        sam_lower_emit(c, v->level, v->dtype == SAM_F16 ? narrow_f16 : narrow_bf16,
                       (struct lower_regs){.d = v->raw, .a = v->wide});
    }
    return v->raw;
}

/* As a float the bits have a larger exponent, of 8 bits, and are in the same order. Times 127.5, an
 * infinity of f16 remains below 2^128, and NaN becomes infinite; zero times infinity is NaN. */
static const char order_f16[] =
    "vsll.vi $d, $a, 16; vfmul.vf v10, $d, $(0x42ff0000); vfmacc.vf $d, zero, v10";
/* The NaN of a float is above all others. */
const char sam_lower_from_order[] = "vmin.vx $d, $a, $(0x7e000000); vsra.vi $d, $d, 16";

unsigned sam_lower_order(struct lower_code *c, struct lower_vector *v)
{
    if (v->dtype != SAM_F16)
        return sam_lower_wide(c, v);
    if (!v->order) {
        v->order = sam_lower_take_vector(c, v->level);
        sam_lower_emit(c, v->level, order_f16, (struct lower_regs){.d = v->order, .a = v->raw});
    }
    return v->order;
}

/* Two values to compare, both in one form. */
static struct lower_regs comparable(struct lower_code *c, struct lower_vector *a,
                                    struct lower_vector *b)
{
    if (a->wide || b->wide)
        return (struct lower_regs){.a = sam_lower_wide(c, a), .b = sam_lower_wide(c, b)};
    return (struct lower_regs){.a = sam_lower_order(c, a), .b = sam_lower_order(c, b)};
}

void sam_lower_release(struct lower_code *c, struct lower_vector *v)
{
    if (--v->users || v->level != LOWER_CHUNK)
        return;
    give_vector(c, v->raw);
    give_vector(c, v->wide);
    give_vector(c, v->order);
    v->raw = v->wide = v->order = 0;
}

void sam_lower_extend(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                      unsigned reg)
{
    static const char *const lines[2][2] = {
        {"vzext.vf4 $d, $d", "vsext.vf4 $d, $d"},
        {"vzext.vf2 $d, $d", "vsext.vf2 $d, $d"},
    };
    size_t size = sam_tile_size(dtype);
    if (size < 4)
        sam_lower_emit(c, level, lines[size == 2][sam_tile_is_signed(dtype)],
                       (struct lower_regs){.d = reg});
}

/* The exponent of 1.5 * 2^(e + 13), for a number whose highest bit is 2^e, puts the last bit of a
 * sum where the last bit of the rounded number is, for subnormal results, too: so adding it rounds,
 * and subtracting it is exact. What is 2^16 then overflows on its way through 2^112. */
static const char round_f16[] =
    "vand.vx v10, $a, $(0x7f800000); vmaxu.vx v10, v10, $(0x38800000);"
    "vminu.vx v10, v10, $(0x4f800000); vadd.vx v10, v10, $(0x06c00000);"
    "vfadd.vv $d, $a, v10; vfsub.vv $d, $d, v10;"
    "vfmul.vf $d, $d, $(0x77800000); vfmul.vf $d, $d, $(0x07800000); vfsgnj.vv $d, $d, $a";
/* Half of the last bit, less one unless it is odd; a carry continues into the exponent. */
static const char round_bf16[] =
    "vsrl.vi v10, $a, 16; vand.vi v10, v10, 1; vadd.vx v10, v10, $(0x7fff);"
    "vadd.vv $d, $a, v10; vand.vx $d, $d, $(0xffff0000)";

const char *sam_lower_rounding(enum sam_dtype dtype)
{
    return dtype == SAM_F16 ? round_f16 : round_bf16;
}

/* --- functions */

enum { ROUNDS = 1, WRAPS = 2 };

struct sequence {
    const char *real, *sint, *uint; /* uint NULL: as sint */
    unsigned after;                 /* ROUNDS: real results; WRAPS: results of integers */
};

#define ONE   "$(0x3f800000)"
#define CANON "$(0x7fc00000)"
#define SAME  "vmv.v.v $d, $a"
/* Products with 1 make a NaN canonical and change nothing else. */
static const struct sequence sequences[] = {
    [SAM_TILE_FN_ADD] = {"vfadd.vv $d, $a, $b", "vadd.vv $d, $a, $b", NULL, ROUNDS | WRAPS},
    [SAM_TILE_FN_SUB] = {"vfsub.vv $d, $a, $b", "vsub.vv $d, $a, $b", NULL, ROUNDS | WRAPS},
    [SAM_TILE_FN_MUL] = {"vfmul.vv $d, $a, $b", "vmul.vv $d, $a, $b", NULL, ROUNDS | WRAPS},
    [SAM_TILE_FN_DIV] = {"vfdiv.vv $d, $a, $b", "vdiv.vv $d, $a, $b", "vdivu.vv $d, $a, $b",
                         ROUNDS | WRAPS},
    [SAM_TILE_FN_REM] = {NULL, "vrem.vv $d, $a, $b", "vremu.vv $d, $a, $b", 0},
    [SAM_TILE_FN_MIN] = {NULL, "vmin.vv $d, $a, $b", "vminu.vv $d, $a, $b", 0},
    [SAM_TILE_FN_MAX] = {NULL, "vmax.vv $d, $a, $b", "vmaxu.vv $d, $a, $b", 0},
    [SAM_TILE_FN_AND] = {NULL, "vand.vv $d, $a, $b", NULL, 0},
    [SAM_TILE_FN_OR] = {NULL, "vor.vv $d, $a, $b", NULL, 0},
    [SAM_TILE_FN_XOR] = {NULL, "vxor.vv $d, $a, $b", NULL, 0},
    [SAM_TILE_FN_SHL] = {NULL, "vsll.vv $d, $a, $b", NULL, WRAPS},
    [SAM_TILE_FN_SHR] = {NULL, "vsra.vv $d, $a, $b", "vsrl.vv $d, $a, $b", 0},
    [SAM_TILE_FN_LRELU] = {"vfmul.vf v11, $a, " ONE "; vmflt.vf v0, $a, zero; vfmul.vv $d, $a, $b;"
                           "vmerge.vvm $d, v11, $d, v0",
                           "vmslt.vx v0, $a, zero; vmul.vv $d, $a, $b; vmerge.vvm $d, $a, $d, v0",
                           SAME, ROUNDS | WRAPS},
    [SAM_TILE_FN_ABS] = {"vfsgnjx.vv $d, $a, $a; vfmul.vf $d, $d, " ONE,
                         "vrsub.vi $d, $a, 0; vmax.vv $d, $d, $a", SAME, WRAPS},
    [SAM_TILE_FN_NEG] = {"vfmul.vf $d, $a, $(0xbf800000)", "vrsub.vi $d, $a, 0", NULL, WRAPS},
    [SAM_TILE_FN_RELU] = {"vmfle.vf v0, $a, zero; vfmul.vf $d, $a, " ONE
                          "; vmerge.vim $d, $d, 0, v0",
                          "vmax.vx $d, $a, zero", SAME, 0},
    [SAM_TILE_FN_NOT] = {NULL, "vxor.vi $d, $a, -1", NULL, WRAPS},
    [SAM_TILE_FN_SQRT] = {"vfsqrt.v $d, $a", NULL, NULL, ROUNDS},
    [SAM_TILE_FN_RECIP] = {"vfrdiv.vf $d, $a, " ONE, NULL, NULL, ROUNDS},
    [SAM_TILE_FN_EXP] = {NULL, NULL, NULL, ROUNDS},
    [SAM_TILE_FN_LOG] = {NULL, NULL, NULL, ROUNDS},
    [SAM_TILE_FN_RSQRT] = {NULL, NULL, NULL, ROUNDS},
    [SAM_TILE_FN_EXPDIF] = {NULL, NULL, NULL, ROUNDS},
};

/* Minimum and maximum of floats, by --nan. */
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

static bool has_routine(enum sam_tile_function function, enum sam_lower_routine *routine)
{
    switch (function) {
    case SAM_TILE_FN_EXP: *routine = LOWER_EXP; return true;
    case SAM_TILE_FN_LOG: *routine = LOWER_LOG; return true;
    case SAM_TILE_FN_RSQRT: *routine = LOWER_RSQRT; return true;
    case SAM_TILE_FN_EXPDIF: *routine = LOWER_EXPDIF; return true;
    default: return false;
    }
}

/* $d = routine($a, $b); b may be 0. */
static void call(struct lower_code *c, enum lower_level level, enum sam_lower_routine routine,
                 enum sam_dtype dtype, struct lower_regs regs)
{
    sam_lower_emit(c, level, regs.b ? "vmv.v.v v8, $a; vmv.v.v v9, $b" : "vmv.v.v v8, $a", regs);
    sam_buffer_printf(&c->text[level], "\tjal ra, %s\n", sam_lower_routine(c->l, routine, dtype));
    sam_lower_emit(c, level, "vmv.v.v $d, v8", regs);
    c->calls = true;
}

/* The lines of a function whose operands are wide. */
static void compute(struct lower_code *c, enum lower_level level, enum sam_tile_function function,
                    enum sam_dtype dtype, struct lower_regs regs)
{
    const struct sequence *s = &sequences[function];
    bool real = sam_tile_is_real(dtype), max = function == SAM_TILE_FN_MAX;
    enum sam_lower_routine routine;
    if (!real) {
        bool shifts = function == SAM_TILE_FN_SHL || function == SAM_TILE_FN_SHR;
        if (shifts && sam_tile_size(dtype) < 4) {
            sam_lower_emit(c, level,
                           sam_tile_size(dtype) == 2 ? "vand.vi v10, $b, 15" : "vand.vi v10, $b, 7",
                           regs);
            regs.b = 10;
        }
        sam_lower_emit(c, level, s->uint && !sam_tile_is_signed(dtype) ? s->uint : s->sint, regs);
    } else if (s->real) {
        sam_lower_emit(c, level, s->real, regs);
    } else if (function == SAM_TILE_FN_REM) {
        sam_lower_remainder(c, level, regs);
    } else if (has_routine(function, &routine)) {
        call(c, level, routine, dtype, regs);
    } else {
        sam_lower_emit(c, level, best[max][c->l->options.nan], regs);
    }
}

/* --nan first: one of the operands, with its bits; v0 says where it is b. */
static struct lower_vector first(struct lower_code *c, enum sam_tile_function function,
                                 struct lower_vector *a, struct lower_vector *b)
{
    struct lower_vector d = {a->dtype, sam_lower_level_of(a, b), 0, 0, 1, 0};
    struct lower_regs raw = {.a = sam_lower_raw(c, a), .b = sam_lower_raw(c, b)};
    raw.d = d.raw = sam_lower_take_vector(c, d.level);
    compute(c, d.level, function, d.dtype, comparable(c, a, b));
    sam_lower_emit(c, d.level, "vmerge.vvm $d, $a, $b, v0", raw);
    return d;
}

/* Minimum or maximum of f16 that are bits so far. */
static struct lower_vector extreme_f16(struct lower_code *c, bool max, struct lower_vector *a,
                                       struct lower_vector *b)
{
    struct lower_vector d = {SAM_F16, sam_lower_level_of(a, b), 0, 0, 1, 0};
    struct lower_regs raw = {.a = a->raw, .b = b->raw};
    if (c->l->options.nan == SAM_TILE_NAN_NUMBER) {
        struct lower_regs regs = {.a = sam_lower_order(c, a), .b = sam_lower_order(c, b)};
        regs.d = raw.d = sam_lower_take_vector(c, d.level);
        sam_lower_emit(c, d.level, best[max][SAM_TILE_NAN_NUMBER], regs);
        raw.a = raw.d;
        sam_lower_emit(c, d.level, sam_lower_from_order, raw);
    } else { /* the bits are in order but for NaN, which is put in afterwards */
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

struct lower_vector sam_lower_apply(struct lower_code *c, enum sam_tile_function function,
                                    struct lower_vector *a, struct lower_vector *b)
{
    struct lower_vector d = {a->dtype, sam_lower_level_of(a, b), 0, 0, 1, 0};
    bool real = sam_tile_is_real(d.dtype), narrow = is_narrow(d.dtype);
    bool extreme = function == SAM_TILE_FN_MIN || function == SAM_TILE_FN_MAX;
    if (real && extreme && c->l->options.nan == SAM_TILE_NAN_FIRST)
        return first(c, function, a, b);
    if (d.dtype == SAM_F16 && extreme && !a->wide && !b->wide)
        return extreme_f16(c, function == SAM_TILE_FN_MAX, a, b);
    struct lower_regs regs = {.a = sam_lower_wide(c, a), .b = b ? sam_lower_wide(c, b) : 0};
    unsigned reg = sam_lower_take_vector(c, d.level), after = sequences[function].after;
    bool rounds = narrow && (after & ROUNDS);
    regs.d = rounds ? 8 : reg;
    compute(c, d.level, function, d.dtype, regs);
    if (rounds)
        sam_lower_emit(c, d.level, sam_lower_rounding(d.dtype),
                       (struct lower_regs){.d = reg, .a = 8});
    if (!real && (after & WRAPS))
        sam_lower_extend(c, d.level, d.dtype, reg);
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
    struct lower_vector d = {SAM_U8, sam_lower_level_of(a, b), 0, 0, 1, 0};
    struct lower_regs regs = comparable(c, a, b);
    regs.d = d.raw = sam_lower_take_vector(c, d.level);
    unsigned form = sam_tile_is_real(a->dtype) ? 0 : sam_tile_is_signed(a->dtype) ? 1 : 2;
    sam_lower_emit(c, d.level, lines[how][form], regs);
    return d;
}

struct lower_vector sam_lower_select(struct lower_code *c, struct lower_vector *m,
                                     struct lower_vector *a, struct lower_vector *b)
{
    struct lower_vector d = {a->dtype, sam_lower_level_of(a, b), 0, 0, 1, 0};
    if (m->level > d.level)
        d.level = m->level;
    struct lower_regs regs = {
        .m = sam_lower_raw(c, m), .a = sam_lower_raw(c, a), .b = sam_lower_raw(c, b)};
    regs.d = d.raw = sam_lower_take_vector(c, d.level);
    sam_lower_emit(c, d.level, "vmsne.vi v0, $m, 0; vmerge.vvm $d, $b, $a, v0", regs);
    return d;
}
