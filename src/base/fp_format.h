/* SPDX-License-Identifier: Apache-2.0 */
/* Binary floating-point formats of at most 64 bits as data, and the one conversion between them and
 * host arithmetic. Values are bit patterns. Conversions go through double, which represents every
 * value of every format. Flags are unspecified.
 *
 * half and bfloat16 also have vectorisable conversions from and to float; tests compare them with
 * the general one. */
#ifndef SAM_FP_FORMAT_H
#define SAM_FP_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/fp.h"

/* Meaning of the largest exponent. */
enum sam_fp_top {
    SAM_FP_IEEE,     /* infinity and NaN */
    SAM_FP_ONE_NAN,  /* values, except all ones: NaN (OCP E4M3) */
    SAM_FP_ALL_REAL, /* values: neither infinity nor NaN */
};

struct sam_fp_format {
    uint8_t exponent, mantissa; /* bits; the sign is above them */
    int16_t bias;
    enum sam_fp_top top;
    uint64_t nan;     /* canonical NaN, if any */
    uint8_t unused;   /* low bits below the mantissa, ignored on read and written as zero */
    bool is_unsigned; /* no sign, zero or subnormals: the smallest exponent has normal values */
    bool is_tapered;  /* HiF8: large exponents take bits from the mantissa; no -0 */
};

double sam_fp_value(const struct sam_fp_format *format, uint64_t bits);
/* Convert with rounding. Overflow gives infinity, or the largest value if `round` points towards
 * zero, as in IEEE 754. A format without infinity gives NaN instead, and one without NaN the
 * largest value. NaN becomes canonical, or zero in a format without NaN. In unsigned formats
 * negative values become NaN, and zero the smallest value. */
uint64_t sam_fp_convert(const struct sam_fp_format *format, double value, enum sam_round round);
/* Round to nearest even, saturating finite values at the largest one. */
uint64_t sam_fp_round(const struct sam_fp_format *format, double value);

/* Round `value`, not NaN, to an integer. */
double sam_fp_whole(double value, enum sam_round round);

/* A select that does not keep the compiler from vectorising. */
static inline uint32_t sam_fp_choose(bool condition, uint32_t yes, uint32_t no)
{
    const uint32_t mask = 0u - (uint32_t)condition;
    return (yes & mask) | (no & ~mask);
}

static inline float sam_half_value(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = bits & 0x7fffu;
    /* Copy the exponent, then rebias by a multiplication: exact, and it normalises subnormals. */
    uint32_t moved = sam_f32_bits(sam_bits_f32(magnitude << 13) * 0x1p112F);
    return sam_bits_f32(sign | moved | sam_fp_choose(magnitude >= 0x7c00, 0x7f800000, 0));
}

/* Round to nearest even; overflow gives infinity. */
static inline uint16_t sam_half_bits(float value)
{
    uint32_t bits = sam_f32_bits(value), sign = bits >> 16 & 0x8000, a = bits & 0x7fffffff;
    /* A carry propagates into the exponent, up to infinity. */
    uint32_t normal = (a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13;
    /* Subnormal: the last bit of the sum aligns with the result's, so the addition rounds. */
    uint32_t subnormal = sam_f32_bits(sam_bits_f32(a) + 0.5F) - sam_f32_bits(0.5F);
    uint32_t half = sam_fp_choose(a >= 0x38800000, normal, subnormal);
    half = sam_fp_choose(a >= 0x47800000, 0x7c00, half);
    return (uint16_t)sam_fp_choose(a > 0x7f800000, 0x7e00, sign | half);
}

static inline float sam_bfloat_value(uint16_t bits)
{
    return sam_bits_f32((uint32_t)bits << 16);
}

static inline uint16_t sam_bfloat_bits(float value)
{
    uint32_t bits = sam_f32_bits(value);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded);
}

#endif
