/* SPDX-License-Identifier: Apache-2.0 */
/* 8- and 16-bit floats, computed in f32. The emitted code derives from the dtype.def row: a new
 * type with its columns needs no code here. */
#include "lower/elements.h"

/* The bit pattern of 2^n as f32. */
static uint32_t power(int n)
{
    return (uint32_t)(127 + n) << 23;
}

/* An exponent above the range of the type, which overflowing values reach. */
static int past(const struct sam_fp_format *f)
{
    return f->bias + 17;
}

/* Added to a number's exponent field: gives 1.5 ulp of the type at that exponent, as f32. */
static uint32_t to_last(const struct sam_fp_format *f)
{
    return (uint32_t)(23 - f->mantissa) << 23 | 0x400000;
}

/* bf16 is the upper half of a float. */
static bool is_half(const struct sam_fp_format *f)
{
    return f->exponent == 8 && f->mantissa == 7 && f->bias == 127;
}

bool sam_lower_has_dtype(enum sam_dtype dtype)
{
    const struct sam_fp_format *f = &sam_dtype_table[dtype].fp;
    if (!sam_tile_is_real(dtype))
        return sam_tile_size(dtype) <= 4;
    if (dtype == SAM_F32)
        return true;
    const bool bits = (size_t)(1 + f->exponent + f->mantissa) == 8 * sam_tile_size(dtype);
    const bool half = is_half(f) && f->nan == 0x7fc0;
    const bool small = f->exponent >= 2 && f->exponent < 8 && f->mantissa &&
                       f->bias == (1 << (f->exponent - 1)) - 1 &&
                       f->nan == ((2u << f->exponent) - 1) << (f->mantissa - 1);
    return bits && (half || small) && f->top == SAM_FP_IEEE && !f->is_unsigned && !f->unused;
}

/* --- widening and narrowing */

/* The exponent field is copied, then rebiased by a multiplication, which normalises subnormals.
 * Infinities and NaN keep their mantissa. Compare sam_half_value. */
void sam_lower_widen(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                     struct lower_regs regs)
{
    const struct sam_fp_format *f = &sam_dtype_table[dtype].fp;
    if (is_half(f))
        sam_lower_emit(c, level, "vsll.vi $d, $a, 16", regs);
    else
        sam_lower_emit_numbers(c, level, regs,
                               "vsll.vi $d, $a, %d; vsrl.vi $d, $d, %d; vmsgtu.vx v0, $d, $(0x%x);"
                               "vfmul.vf $d, $d, $(0x%x); vor.vx $d, $d, $(0x7f800000), v0.t;"
                               "vfsgnj.vv $d, $d, $a",
                               32 - f->exponent - f->mantissa, 9 - f->exponent,
                               (((1u << f->exponent) - 1) << 23) - 1, power(127 - f->bias));
}

/* The inverse, for values that the type can represent. An all-ones exponent loses its upper bits.
 */
void sam_lower_shorten(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                       struct lower_regs regs)
{
    const struct sam_fp_format *f = &sam_dtype_table[dtype].fp;
    const int sign = f->exponent + f->mantissa;
    if (is_half(f))
        sam_lower_emit(c, level, "vsra.vi $d, $a, 16", regs);
    else
        sam_lower_emit_numbers(c, level, regs,
                               "vfmul.vf $d, $a, $(0x%x); vsra.vi v10, $d, 31; vsrl.vi $d, $d, %d;"
                               "vand.vx $d, $d, $(0x%x); vsll.vi v10, v10, %d; vor.vv $d, $d, v10",
                               power(f->bias - 127), 23 - f->mantissa, (1u << sign) - 1, sign);
}

/* --- rounding */

/* Add half an ulp, minus one if the last bit is even. A carry propagates into the exponent. */
static const char round_half[] =
    "vsrl.vi v10, $a, 16; vand.vi v10, v10, 1; vadd.vx v10, v10, $(0x7fff);"
    "vadd.vv $d, $a, v10; vand.vx $d, $d, $(0xffff0000)";

/* For a number with its highest bit at 2^e, adding 1.5 * 2^(e + n) aligns the last bit of the sum
 * with the last bit of the rounded result, where f32 has n more bits than the type. So the addition
 * rounds, subnormal results included, and the subtraction is exact. Overflow happens in the
 * rebiasing multiplications. */
void sam_lower_round(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                     struct lower_regs regs)
{
    const struct sam_fp_format *f = &sam_dtype_table[dtype].fp;
    if (is_half(f))
        sam_lower_emit(c, level, round_half, regs);
    else
        sam_lower_emit_numbers(
            c, level, regs,
            "vand.vx v10, $a, $(0x7f800000); vmaxu.vx v10, v10, $(0x%x);"
            "vminu.vx v10, v10, $(0x%x); vadd.vx v10, v10, $(0x%x);"
            "vfadd.vv $d, $a, v10; vfsub.vv $d, $d, v10;"
            "vfmul.vf $d, $d, $(0x%x); vfmul.vf $d, $d, $(0x%x); vfsgnj.vv $d, $d, $a",
            power(1 - f->bias), power(past(f)), to_last(f), power(127 - f->bias),
            power(f->bias - 127));
}

/* bf16 has the upper 16 bits of f32, so tcvt modes round by integer additions to v8. */
static const char *const addends[] = {
    [SAM_TILE_ROUND] = "vadd.vx $d, v8, $(0x8000)",
    [SAM_TILE_FLOOR] = "vsra.vi v10, v8, 31; vsrl.vi v10, v10, 16; vadd.vv $d, v8, v10",
    [SAM_TILE_CEIL] =
        "vsra.vi v10, v8, 31; vxor.vi v10, v10, -1; vsrl.vi v10, v10, 16; vadd.vv $d, v8, v10",
    [SAM_TILE_TRUNC] = "vmv.v.v $d, v8",
};

/* Other types: v12 is v9 rounded to nearest even. v13, one ulp of the result, corrects v12 if it
 * lies on the wrong side of v9, or if v9 is a tie. v9 is v8 or its magnitude; v14 is a magnitude,
 * for the test for finite numbers. */
static const char nearest[] =
    "vand.vx v10, v9, $(0x7f800000); vmaxu.vx v10, v10, $(0x%x);"
    "vminu.vx v10, v10, $(0x%x); vadd.vx v11, v10, $(0x%x);"
    "vfadd.vv v12, v9, v11; vfsub.vv v12, v12, v11; vfmul.vf v13, v10, $(0x%x)";
static const char away[] = "vfsub.vv v14, v9, v12; vfmul.vf v10, v13, $(0x3f000000);"
                           "vmfeq.vv v0, v14, v10; vfadd.vv v12, v12, v13, v0.t";
static const char *const corrections[] = {
    [SAM_TILE_ROUND] = away,
    [SAM_TILE_FLOOR] = "vmflt.vv v0, v9, v12; vfsub.vv v12, v12, v13, v0.t",
    [SAM_TILE_CEIL] = "vmflt.vv v0, v12, v9; vfadd.vv v12, v12, v13, v0.t",
    [SAM_TILE_TRUNC] = "vmflt.vv v0, v9, v12; vfsub.vv v12, v12, v13, v0.t",
};

/* Directed modes do not overflow a finite number to infinity, except in the mode's direction. */
static void limit(struct lower_code *c, enum lower_level level, const struct sam_fp_format *f,
                  enum sam_tile_round round, struct lower_regs regs)
{
    const uint32_t most = power(f->bias + 1) - (1u << (23 - f->mantissa));
    const bool ceil = round == SAM_TILE_CEIL;
    if (round == SAM_TILE_ROUND)
        return;
    sam_lower_emit(c, level, "vfsgnjx.vv v14, v8, v8; vmflt.vf v0, v14, $(0x7f800000)", regs);
    sam_lower_emit_numbers(c, level, regs, "%s v12, v12, $(0x%x), v0.t",
                           ceil ? "vfmax.vf" : "vfmin.vf", most | (uint32_t)ceil << 31);
}

void sam_lower_round_by(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                        enum sam_tile_round round, unsigned to)
{
    const struct sam_fp_format *f = &sam_dtype_table[dtype].fp;
    const bool magnitude = round == SAM_TILE_ROUND || round == SAM_TILE_TRUNC;
    const struct lower_regs regs = {.d = to, .a = 8};
    if (round == SAM_TILE_RINT) {
        sam_lower_round(c, level, dtype, regs);
        return;
    }
    if (is_half(f)) {
        sam_lower_emit(c, level, addends[round], regs);
        sam_lower_emit(c, level, "vand.vx $d, $d, $(0xffff0000)", regs);
        return;
    }
    sam_lower_emit(c, level, magnitude ? "vfsgnjx.vv v9, v8, v8" : "vmv.v.v v9, v8", regs);
    sam_lower_emit_numbers(c, level, regs, nearest, power(1 - f->bias), power(past(f)), to_last(f),
                           power(-f->mantissa));
    sam_lower_emit(c, level, corrections[round], regs);
    limit(c, level, f, round, regs);
    sam_lower_emit_numbers(
        c, level, regs,
        "vfmul.vf v12, v12, $(0x%x); vfmul.vf v12, v12, $(0x%x); vfsgnj.vv $d, v12, v8",
        power(127 - f->bias), power(f->bias - 127));
}
