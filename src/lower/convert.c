/* SPDX-License-Identifier: Apache-2.0 */
/* tcvt between any two dtypes, with the operation's rounding mode; conversions to integers
 * saturate. */
#include "lower/elements.h"

/* fcsr keeps round-to-nearest-even outside a conversion. */
static void set_mode(struct lower_code *c, enum lower_level level, enum sam_tile_round round)
{
    static const uint8_t modes[] = {[SAM_TILE_RINT] = 0,
                                    [SAM_TILE_ROUND] = 4,
                                    [SAM_TILE_FLOOR] = 2,
                                    [SAM_TILE_CEIL] = 3,
                                    [SAM_TILE_TRUNC] = 1};
    sam_lower_gpu(c, level, "csrwi frm, %u", modes[round]);
}

/* Emit instructions that round by fcsr. */
static void rounded(struct lower_code *c, enum lower_level level, enum sam_tile_round round,
                    const char *lines, struct lower_regs regs)
{
    if (round != SAM_TILE_RINT)
        set_mode(c, level, round);
    sam_lower_emit(c, level, lines, regs);
    if (round != SAM_TILE_RINT)
        set_mode(c, level, SAM_TILE_RINT);
}

/* $d = integer $a clamped to the range of `to`. */
static void clamp(struct lower_code *c, enum lower_level level, bool from_signed, enum sam_dtype to,
                  struct lower_regs regs)
{
    static const char *const to_signed[] = {
        [1] = "vmax.vx $d, $a, $(0xffffff80); vmin.vx $d, $d, $(0x7f)",
        [2] = "vmax.vx $d, $a, $(0xffff8000); vmin.vx $d, $d, $(0x7fff)",
        [4] = "vmv.v.v $d, $a",
    };
    static const char *const to_unsigned[] = {
        [1] = "vmax.vx $d, $a, zero; vminu.vx $d, $d, $(0xff)",
        [2] = "vmax.vx $d, $a, zero; vminu.vx $d, $d, $(0xffff)",
        [4] = "vmax.vx $d, $a, zero",
    };
    static const char *const from_unsigned[2][5] = {
        {[1] = "vminu.vx $d, $a, $(0xff)",
         [2] = "vminu.vx $d, $a, $(0xffff)",
         [4] = "vmv.v.v $d, $a"},
        {[1] = "vminu.vx $d, $a, $(0x7f)",
         [2] = "vminu.vx $d, $a, $(0x7fff)",
         [4] = "vminu.vx $d, $a, $(0x7fffffff)"},
    };
    size_t size = sam_tile_size(to);
    bool is_signed = sam_tile_is_signed(to);
    sam_lower_emit(c, level,
                   !from_signed ? from_unsigned[is_signed][size]
                   : is_signed  ? to_signed[size]
                                : to_unsigned[size],
                   regs);
}

/* Convert to an integer; NaN becomes 0. 32-bit results saturate in the conversion, narrower ones in
 * clamp(). */
static void to_whole(struct lower_code *c, enum lower_level level, enum sam_dtype to,
                     enum sam_tile_round round, struct lower_regs regs)
{
    bool full = to == SAM_U32; /* all other ranges lie within i32 */
    if (round == SAM_TILE_TRUNC)
        sam_lower_emit(c, level, full ? "vfcvt.rtz.xu.f.v v8, $a" : "vfcvt.rtz.x.f.v v8, $a", regs);
    else
        rounded(c, level, round, full ? "vfcvt.xu.f.v v8, $a" : "vfcvt.x.f.v v8, $a", regs);
    sam_lower_emit(c, level, "vmfne.vv v0, $a, $a; vmerge.vim v8, v8, 0, v0", regs);
    clamp(c, level, !full, to, (struct lower_regs){.d = regs.d, .a = 8});
}

/* v8 = integer $a as a float. For f32 this rounds, once. For f16 it may be inexact from 2^24 on,
 * where every result overflows. Types with a larger exponent range need it exact: from 2^24 on the
 * low eight bits collapse into one sticky bit, far below the last bit of the result. */
static void from_whole(struct lower_code *c, enum lower_level level, enum sam_dtype from,
                       enum sam_dtype to, enum sam_tile_round round, struct lower_regs regs)
{
    bool full = sam_tile_size(from) == 4, is_unsigned = from == SAM_U32;
    const char *lines = is_unsigned ? "vfcvt.f.xu.v v8, $a" : "vfcvt.f.x.v v8, $a";
    if (full && to == SAM_F32) {
        rounded(c, level, round, lines, regs);
        return;
    }
    if (full && sam_dtype_table[to].fp.bias >= 24) {
        sam_lower_emit(c, level,
                       is_unsigned ? "vmsgtu.vx v0, $a, $(0xffffff)"
                                   : "vadd.vx v9, $a, $(0x1000000); vmsgtu.vx v0, v9, $(0x1ffffff)",
                       regs);
        sam_lower_emit(
            c, level,
            "vand.vx v9, $a, $(0xff); vminu.vx v9, v9, $(0x1); vsll.vi v9, v9, 8;"
            "vor.vv v9, v9, $a; vand.vx v9, v9, $(0xffffff00); vmerge.vvm v9, $a, v9, v0",
            regs);
        regs.a = 9;
    }
    sam_lower_emit(c, level, lines, regs);
}

struct lower_vector sam_lower_convert(struct lower_code *c, struct lower_vector *a,
                                      enum sam_dtype to, enum sam_tile_round round)
{
    struct lower_vector d = {.dtype = to, .level = a->level};
    bool to_real = sam_tile_is_real(to), real = sam_tile_is_real(a->dtype);
    struct lower_regs regs = {.a = sam_lower_wide(c, a)};
    regs.d = sam_lower_take_vector(c, d.level);
    *(lower_is_narrow(to) ? &d.wide : &d.raw) = regs.d;
    if (!to_real && !real) {
        clamp(c, d.level, sam_tile_is_signed(a->dtype), to, regs);
        return d;
    }
    if (!to_real) {
        to_whole(c, d.level, to, round, regs);
        return d;
    }
    if (real)
        sam_lower_emit(c, d.level, "vfmul.vf v8, $a, $(0x3f800000)", regs); /* canonical NaN */
    else
        from_whole(c, d.level, a->dtype, to, round, regs);
    if (to == SAM_F32)
        sam_lower_emit(c, d.level, "vmv.v.v $d, v8", regs);
    else
        sam_lower_round_by(c, d.level, to, round, regs.d);
    return d;
}
