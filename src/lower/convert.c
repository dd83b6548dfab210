/* SPDX-License-Identifier: Apache-2.0 */
/* tcvt: from any dtype to any other, rounded as the operation says, saturated to integers. */
#include "lower/elements.h"

/* Elements as integers: those of 32 bits saturate in the conversion, all others afterwards. The
 * rounding mode is that of the fcsr while it is not to nearest even. */
static void set_mode(struct lower_code *c, enum lower_level level, enum sam_tile_round round)
{
    static const uint8_t modes[] = {[SAM_TILE_RINT] = 0,
                                    [SAM_TILE_ROUND] = 4,
                                    [SAM_TILE_FLOOR] = 2,
                                    [SAM_TILE_CEIL] = 3,
                                    [SAM_TILE_TRUNC] = 1};
    sam_buffer_printf(&c->text[level], "\tcsrwi frm, %u\n", modes[round]);
}

/* An instruction that rounds by the fcsr. */
static void rounded(struct lower_code *c, enum lower_level level, enum sam_tile_round round,
                    const char *lines, struct lower_regs regs)
{
    if (round != SAM_TILE_RINT)
        set_mode(c, level, round);
    sam_lower_emit(c, level, lines, regs);
    if (round != SAM_TILE_RINT)
        set_mode(c, level, SAM_TILE_RINT);
}

/* $d = $a, an integer, brought into the range of `to`. */
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

/* To integers. NaN becomes 0. */
static void to_whole(struct lower_code *c, enum lower_level level, enum sam_dtype to,
                     enum sam_tile_round round, struct lower_regs regs)
{
    bool full = to == SAM_U32; /* the others are within i32 */
    if (round == SAM_TILE_TRUNC)
        sam_lower_emit(c, level, full ? "vfcvt.rtz.xu.f.v v8, $a" : "vfcvt.rtz.x.f.v v8, $a", regs);
    else
        rounded(c, level, round, full ? "vfcvt.xu.f.v v8, $a" : "vfcvt.x.f.v v8, $a", regs);
    sam_lower_emit(c, level, "vmfne.vv v0, $a, $a; vmerge.vim v8, v8, 0, v0", regs);
    clamp(c, level, !full, to, (struct lower_regs){.d = regs.d, .a = 8});
}

/* To bf16: all bits of f32 but the last 16, so integers can round. What is added to them: */
static const char *const addends[] = {
    [SAM_TILE_ROUND] = "vadd.vx $d, v8, $(0x8000)",
    [SAM_TILE_FLOOR] = "vsra.vi v10, v8, 31; vsrl.vi v10, v10, 16; vadd.vv $d, v8, v10",
    [SAM_TILE_CEIL] =
        "vsra.vi v10, v8, 31; vxor.vi v10, v10, -1; vsrl.vi v10, v10, 16; vadd.vv $d, v8, v10",
    [SAM_TILE_TRUNC] = "vmv.v.v $d, v8",
};

static void to_bf16(struct lower_code *c, enum lower_level level, enum sam_tile_round round,
                    unsigned to)
{
    struct lower_regs regs = {.d = to, .a = 8};
    if (round == SAM_TILE_RINT) {
        sam_lower_emit(c, level, sam_lower_rounding(SAM_BF16), regs);
        return;
    }
    sam_lower_emit(c, level, addends[round], regs);
    sam_lower_emit(c, level, "vand.vx $d, $d, $(0xffff0000)", regs);
}

/* To f16: v12 is v9 rounded to nearest, ties to even, which v13, the last bit of the result, then
 * corrects: it lies on the wrong side, or v9 is halfway above it. v9 is v8 or its magnitude, v14 a
 * magnitude, to tell finite numbers. */
static const char nearest[] =
    "vand.vx v10, v9, $(0x7f800000); vmaxu.vx v10, v10, $(0x38800000);"
    "vminu.vx v10, v10, $(0x4f800000); vadd.vx v11, v10, $(0x06c00000);"
    "vfadd.vv v12, v9, v11; vfsub.vv v12, v12, v11; vfmul.vf v13, v10, $(0x3a800000)";
static const char away[] = "vfsub.vv v14, v9, v12; vfmul.vf v10, v13, $(0x3f000000);"
                           "vmfeq.vv v0, v14, v10; vfadd.vv v12, v12, v13, v0.t";
static const char *const corrections[] = {
    [SAM_TILE_ROUND] = away,
    [SAM_TILE_FLOOR] = "vmflt.vv v0, v9, v12; vfsub.vv v12, v12, v13, v0.t",
    [SAM_TILE_CEIL] = "vmflt.vv v0, v12, v9; vfadd.vv v12, v12, v13, v0.t",
    [SAM_TILE_TRUNC] = "vmflt.vv v0, v9, v12; vfsub.vv v12, v12, v13, v0.t",
};
/* Towards zero, a finite number stays one. */
static const char *const limits[] = {
    [SAM_TILE_ROUND] = "",
    [SAM_TILE_FLOOR] = "vfmin.vf v12, v12, $(0x477fe000), v0.t",
    [SAM_TILE_CEIL] = "vfmax.vf v12, v12, $(0xc77fe000), v0.t",
    [SAM_TILE_TRUNC] = "vfmin.vf v12, v12, $(0x477fe000), v0.t",
};

static void to_f16(struct lower_code *c, enum lower_level level, enum sam_tile_round round,
                   unsigned to)
{
    struct lower_regs regs = {.d = to, .a = 8};
    if (round == SAM_TILE_RINT) {
        sam_lower_emit(c, level, sam_lower_rounding(SAM_F16), regs);
        return;
    }
    bool magnitude = round == SAM_TILE_ROUND || round == SAM_TILE_TRUNC;
    sam_lower_emit(c, level, magnitude ? "vfsgnjx.vv v9, v8, v8" : "vmv.v.v v9, v8", regs);
    sam_lower_emit(c, level, nearest, regs);
    sam_lower_emit(c, level, corrections[round], regs);
    if (*limits[round]) {
        sam_lower_emit(c, level, "vfsgnjx.vv v14, v8, v8; vmflt.vf v0, v14, $(0x7f800000)", regs);
        sam_lower_emit(c, level, limits[round], regs);
    }
    sam_lower_emit(c, level,
                   "vfmul.vf v12, v12, $(0x77800000); vfmul.vf v12, v12, $(0x07800000);"
                   "vfsgnj.vv $d, v12, v8",
                   regs);
}

/* v8 = the integer $a as a float. For f32 it is rounded once, here. For f16 it need not be exact
 * from 2^24 on, where every result overflows. For bf16 it must be: from 2^24 on the last eight bits
 * become one, which says whether they were zero and is far below the last bit of the result. */
static void from_whole(struct lower_code *c, enum lower_level level, enum sam_dtype from,
                       enum sam_dtype to, enum sam_tile_round round, struct lower_regs regs)
{
    bool full = sam_tile_size(from) == 4, is_unsigned = from == SAM_U32;
    const char *lines = is_unsigned ? "vfcvt.f.xu.v v8, $a" : "vfcvt.f.x.v v8, $a";
    if (full && to == SAM_F32) {
        rounded(c, level, round, lines, regs);
        return;
    }
    if (full && to == SAM_BF16) {
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
    struct lower_vector d = {to, a->level, 0, 0, 1, 0};
    bool to_real = sam_tile_is_real(to), real = sam_tile_is_real(a->dtype);
    struct lower_regs regs = {.a = sam_lower_wide(c, a)};
    regs.d = sam_lower_take_vector(c, d.level);
    *(to_real && to != SAM_F32 ? &d.wide : &d.raw) = regs.d;
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
    else if (to == SAM_BF16)
        to_bf16(c, d.level, round, regs.d);
    else
        to_f16(c, d.level, round, regs.d);
    return d;
}
