/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a sum that are rounded once: tfma, tquant, tdequant. */
#include "lower/elements.h"

/* v8 = $a * $b + $m rounded to odd: toward zero, with the last bit set if that is inexact, so that
 * another rounding to fewer bits equals a single one. The results of rounding down and up differ
 * if the exact one lies between them. */
static const char to_odd[] =
    "vmv.v.v v8, $m; vmv.v.v v9, $m; csrwi frm, 2; vfmacc.vv v8, $a, $b; csrwi frm, 3;"
    "vfmacc.vv v9, $a, $b; csrwi frm, 0; vmfne.vv v0, v8, v9; vminu.vv v8, v8, v9;"
    "vor.vi v8, v8, 1; vmerge.vvm v8, v9, v8, v0";

struct lower_vector sam_lower_fused(struct lower_code *c, struct lower_vector *a,
                                    struct lower_vector *b, struct lower_vector *add)
{
    struct lower_vector d = {.dtype = a->dtype, .level = sam_lower_level_of(a, b)};
    const bool narrow = lower_is_narrow(d.dtype);
    struct lower_regs regs = {
        .a = sam_lower_wide(c, a), .b = sam_lower_wide(c, b), .m = sam_lower_wide(c, add)};
    d.level = add->level > d.level ? add->level : d.level;
    regs.d = sam_lower_take_vector(c, d.level);
    *(narrow ? &d.wide : &d.raw) = regs.d;
    if (!narrow) {
        sam_lower_emit(c, d.level, "vmv.v.v v8, $m; vfmacc.vv v8, $a, $b; vmv.v.v $d, v8", regs);
        return d;
    }
    sam_lower_emit(c, d.level, to_odd, regs);
    sam_lower_emit(c, d.level, "vfmul.vf v8, v8, $(0x3f800000)", regs); /* canonical NaN */
    sam_lower_round(c, d.level, d.dtype, (struct lower_regs){.d = regs.d, .a = 8});
    return d;
}

/* x modulo 256, with its sign, in v13 and v14; 0 where |x| >= 2^32 has no lower bits. */
#define MODULO(x)                                                                                  \
    "vand.vx v13, " x ", $(0x7fffffff); vmsgtu.vx v0, v13, $(0x4f7fffff);"                         \
    "vmerge.vim " x ", " x ", 0, v0; vfmul.vf v13, " x ", $(0x3b800000);"                          \
    "vfcvt.rtz.x.f.v v13, v13; vfcvt.f.x.v v13, v13; vfnmsac.vf " x ", $(0x43800000), v13;"

/* v8 = $a * $b + $m, to odd, less a multiple of 256 that keeps its sign: the product is v11 - v12,
 * both exact, each is reduced, and 1024 of its sign is added. For sums from 2^22 to infinity. */
static const char reduced_to_odd[] =
    "vfmul.vv v11, $a, $b; vmv.v.v v12, v11; vfnmsac.vv v12, $a, $b;"
    "vand.vx v15, v11, $(0x80000000); vor.vx v15, v15, $(0x44800000);" MODULO("v11")
        MODULO("v12") "vfadd.vv v15, v15, v11; vfadd.vv v15, v15, $m;"
                      "csrwi frm, 2; vfsub.vv v8, v15, v12; csrwi frm, 3; vfsub.vv v9, v15, v12; "
                      "csrwi frm, 0;"
                      "vmfne.vv v0, v8, v9; vminu.vv v8, v8, v9; vor.vi v8, v8, 1; vmerge.vvm v8, "
                      "v9, v8, v0";

/* The sum `exact`, to odd, as an integer of `to`, modulo its width; an infinity is saturated. */
static struct lower_vector wrap(struct lower_code *c, struct lower_vector *exact,
                                struct lower_regs regs, enum sam_dtype to,
                                enum sam_tile_round round)
{
    struct lower_vector sum = {.dtype = SAM_F32, .level = exact->level};
    struct lower_vector ends = sam_lower_convert(c, exact, to, round);
    sum.raw = sam_lower_take_vector(c, sum.level);
    sam_lower_emit(c, sum.level, "vfcvt.f.x.v v10, $m", regs);
    regs.m = 10;
    sam_lower_emit(c, sum.level, reduced_to_odd, regs);
    sam_lower_emit(c, sum.level,
                   "vand.vx v11, $a, $(0x7fffffff); vrsub.vx v11, v11, $(0x7f7fffff);"
                   "vmsgtu.vx v0, v11, $(0x34ffffff); vmerge.vvm $d, v8, $a, v0",
                   (struct lower_regs){.d = sum.raw, .a = exact->raw});
    struct lower_vector d = sam_lower_convert(c, &sum, SAM_I32, round);
    d.dtype = to;
    sam_lower_extend(c, d.level, to, d.raw);
    sam_lower_emit(c, d.level,
                   "vand.vx v8, $a, $(0x7fffffff); vmsgtu.vx v0, v8, $(0x7f7fffff);"
                   "vmerge.vvm $d, $d, $b, v0",
                   (struct lower_regs){.d = d.raw, .a = exact->raw, .b = ends.raw});
    return d;
}

struct lower_vector sam_lower_quantize(struct lower_code *c, struct lower_vector *a,
                                       struct lower_vector *factor, struct lower_vector *zero,
                                       unsigned attribute)
{
    const enum sam_tile_round round = (enum sam_tile_round)(attribute % SAM_TILE_WRAP);
    struct lower_vector sum = {.dtype = SAM_F32, .level = sam_lower_level_of(a, factor)};
    struct lower_regs regs = {.a = a->raw, .b = factor->raw, .m = sam_lower_raw(c, zero)};
    sum.raw = regs.d = sam_lower_take_vector(c, sum.level);
    sam_lower_emit(c, sum.level, "vfcvt.f.x.v v10, $m", regs);
    sam_lower_emit(c, sum.level, to_odd,
                   (struct lower_regs){.d = regs.d, .a = regs.a, .b = regs.b, .m = 10});
    sam_lower_emit(c, sum.level, "vmv.v.v $d, v8", regs);
    if (attribute >= SAM_TILE_WRAP)
        return wrap(c, &sum, regs, zero->dtype, round);
    return sam_lower_convert(c, &sum, zero->dtype, round);
}

struct lower_vector sam_lower_dequantize(struct lower_code *c, struct lower_vector *a,
                                         struct lower_vector *factor, struct lower_vector *zero,
                                         enum sam_tile_round round)
{
    static const uint8_t modes[] = {[SAM_TILE_RINT] = 0,
                                    [SAM_TILE_ROUND] = 4,
                                    [SAM_TILE_FLOOR] = 2,
                                    [SAM_TILE_CEIL] = 3,
                                    [SAM_TILE_TRUNC] = 1};
    struct lower_vector d = {.dtype = SAM_F32, .level = sam_lower_level_of(a, factor)};
    struct lower_regs regs = {
        .a = sam_lower_raw(c, a), .b = factor->raw, .m = sam_lower_raw(c, zero)};
    d.raw = regs.d = sam_lower_take_vector(c, d.level);
    sam_lower_emit(c, d.level, "vsub.vv v8, $a, $m; vfcvt.f.x.v v8, v8", regs);
    sam_lower_gpu(c, d.level, "csrwi frm, %u", modes[round]);
    sam_lower_emit(c, d.level, "vfmul.vv $d, v8, $b", regs);
    sam_lower_gpu(c, d.level, "csrwi frm, 0");
    return d;
}
