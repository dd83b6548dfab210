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

struct lower_vector sam_lower_quantize(struct lower_code *c, struct lower_vector *a,
                                       struct lower_vector *factor, struct lower_vector *zero,
                                       enum sam_tile_round round)
{
    struct lower_vector sum = {.dtype = SAM_F32, .level = sam_lower_level_of(a, factor)};
    struct lower_regs regs = {.a = a->raw, .b = factor->raw, .m = sam_lower_raw(c, zero)};
    sum.raw = regs.d = sam_lower_take_vector(c, sum.level);
    sam_lower_emit(c, sum.level, "vfcvt.f.x.v v10, $m", regs);
    regs.m = 10;
    sam_lower_emit(c, sum.level, to_odd, regs);
    sam_lower_emit(c, sum.level, "vmv.v.v $d, v8", regs);
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
