/* SPDX-License-Identifier: Apache-2.0 */
/* GPU routines for functions that the executor rounds correctly and that have no such instruction.
 * docs/tile-lowering.md gives the proof for each that it has the executor's bits.
 *
 * The code is branch-free: all lanes take the same path. */
#include "lower/math.h"

/* clang-format off */

/* VFEXP is correctly rounded for every float. */
static const char exp_text[] =
    "vfexp.v v8, v8";

/* f16: for two arguments, the f32 exponential rounds up to an f16 midpoint. Subtracting one ulp
 * fixes both. */
static const char exp_f16_text[] =
    "li t0, 0x3bef2000; li t1, 0x3cb9e000; vmseq.vx v10, v8, t0; vmseq.vx v11, v8, t1; "
    "vfexp.v v8, v8; vsub.vv v8, v8, v10; vsub.vv v8, v8, v11";

/* y = 1 / sqrt(x) from two rounded operations is off by up to two ulps. The result y + y/2 (r + 3/4
 * r^2) is rounded once; the residue r = 1 - x y^2 uses x y exactly, in two parts. r is NaN if y is
 * zero, infinite or NaN: replacing the correction by 1 keeps y. */
static const char rsqrt_text[] =
    "li t0, 0x3f800000 # 1; "
    "li t1, 0x3f400000 # 3/4; "
    "li t2, 0x3f000000 # 1/2; "
    "vfsqrt.v v10, v8; vfrdiv.vf v10, v10, t0 # y; "
    "vfmul.vv v11, v8, v10; vmv.v.v v12, v11; vfmsac.vv v12, v8, v10 # x y, v11 and v12; "
    "vfmv.v.f v13, t0; vfnmsac.vv v13, v11, v10; vfnmsac.vv v13, v12, v10 # r; "
    "vfmul.vf v14, v13, t1; vfmadd.vv v14, v13, v13; vfmin.vf v14, v14, t0; vfmul.vf v8, v10, t2; "
    "vfmadd.vv v8, v14, v10";

/* 16-bit results: rounding y again is correct. */
static const char rsqrt_narrow_text[] =
    "li t0, 0x3f800000; vfsqrt.v v8, v8; vfrdiv.vf v8, v8, t0";

/* clang-format on */

static const struct body {
    const char *label, *text;
    const uint64_t *table;
    size_t entries;
    enum sam_lower_math uses; /* a table, or itself */
} bodies[] = {
    [LOWER_MATH_EXP] = {"math_exp", exp_text, NULL, 0, LOWER_MATH_EXP},
    [LOWER_MATH_EXP_F16] = {"math_exp_f16", exp_f16_text, NULL, 0, LOWER_MATH_EXP_F16},
    [LOWER_MATH_RSQRT] = {"math_rsqrt", rsqrt_text, NULL, 0, LOWER_MATH_RSQRT},
    [LOWER_MATH_RSQRT_NARROW] = {"math_rsqrt_narrow", rsqrt_narrow_text, NULL, 0,
                                 LOWER_MATH_RSQRT_NARROW},
    [LOWER_MATH_EXPDIF] = {"math_expdif", sam_lower_expdif_text, NULL, 0, LOWER_MATH_EXP_TABLE},
    [LOWER_MATH_EXPDIF_NARROW] = {"math_expdif_narrow", sam_lower_expdif_narrow_text, NULL, 0,
                                  LOWER_MATH_EXP_TABLE},
    [LOWER_MATH_LOG] = {"math_log", sam_lower_log_text, NULL, 0, LOWER_MATH_LOG_TABLE},
    [LOWER_MATH_LOG_F16] = {"math_log_f16", sam_lower_log_f16_text, NULL, 0, LOWER_MATH_LOG_TABLE},
    [LOWER_MATH_LOG_TABLE] = {".Lmath_log_table", "", sam_lower_log_table, 2 * LOWER_LOG_ENTRIES,
                              LOWER_MATH_LOG_TABLE},
    [LOWER_MATH_EXP_TABLE] = {".Lmath_exp_table", "", sam_lower_exp_table, LOWER_EXP_ENTRIES,
                              LOWER_MATH_EXP_TABLE},
};

/* The body proven to give the executor's bits, by dtype. */
static const uint8_t by_dtype[LOWER_ROUTINES][SAM_DTYPES] = {
    [LOWER_EXP] =
        {[SAM_F32] = LOWER_MATH_EXP, [SAM_BF16] = LOWER_MATH_EXP, [SAM_F16] = LOWER_MATH_EXP_F16},
    [LOWER_LOG] =
        {[SAM_F32] = LOWER_MATH_LOG, [SAM_BF16] = LOWER_MATH_LOG, [SAM_F16] = LOWER_MATH_LOG_F16},
    [LOWER_RSQRT] = {[SAM_F32] = LOWER_MATH_RSQRT,
                     [SAM_BF16] = LOWER_MATH_RSQRT_NARROW,
                     [SAM_F16] = LOWER_MATH_RSQRT_NARROW},
    [LOWER_EXPDIF] = {[SAM_F32] = LOWER_MATH_EXPDIF,
                      [SAM_BF16] = LOWER_MATH_EXPDIF_NARROW,
                      [SAM_F16] = LOWER_MATH_EXPDIF_NARROW},
};

enum sam_lower_math sam_lower_math(enum sam_lower_routine routine, enum sam_dtype dtype)
{
    return (enum sam_lower_math)by_dtype[routine][dtype];
}

const char *sam_lower_math_label(enum sam_lower_math body)
{
    return bodies[body].label;
}

uint64_t sam_lower_math_set(enum sam_lower_math body)
{
    return UINT64_C(1) << body | UINT64_C(1) << bodies[body].uses;
}

void sam_lower_math_text(struct sam_buffer *out, uint64_t set)
{
    for (unsigned i = 0; i < LOWER_MATHS; i++) {
        const struct body *body = &bodies[i];
        if (!(set >> i & 1))
            continue;
        sam_lower_code(out, "%s: %s%s", body->label, body->text, body->entries ? "" : "; ret");
        for (size_t k = 0; k < body->entries; k++)
            sam_buffer_printf(out, "    .word 0x%08x, 0x%08x\n", (uint32_t)body->table[k],
                              (uint32_t)(body->table[k] >> 32));
    }
}

const char *sam_lower_routine(struct lower *l, enum sam_lower_routine routine, enum sam_dtype dtype)
{
    const struct body *body = &bodies[sam_lower_math(routine, dtype)];
    if (bodies[body->uses].entries)
        l->routines |= UINT64_C(1) << body->uses;
    return body->text;
}

void sam_lower_routines(struct lower *l)
{
    sam_lower_math_text(&l->gpu, l->routines);
}
