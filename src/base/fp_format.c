/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fp_format.h"

#include <math.h>

#include "base/fp_round.h"

static uint64_t mask(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

static unsigned magnitude_bits(const struct sam_fp_format *f)
{
    return (unsigned)f->exponent + f->mantissa;
}

/* Bits of the largest finite value. */
static uint64_t largest(const struct sam_fp_format *f)
{
    uint64_t all = mask(magnitude_bits(f));
    return f->top == SAM_FP_IEEE      ? (mask(f->exponent) << f->mantissa) - 1
           : f->top == SAM_FP_ONE_NAN ? all - 1
                                      : all;
}

double sam_fp_value(const struct sam_fp_format *f, uint64_t bits)
{
    bits >>= f->unused;
    uint64_t magnitude = bits & mask(magnitude_bits(f));
    bool negative = !f->is_unsigned && bits >> magnitude_bits(f) & 1;
    uint64_t exponent = magnitude >> f->mantissa, fraction = magnitude & mask(f->mantissa);
    double value;
    if (magnitude > largest(f))
        value = f->top == SAM_FP_IEEE && fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0 && !f->is_unsigned)
        value = ldexp((double)fraction, 1 - f->bias - f->mantissa);
    else
        value = ldexp((double)(fraction | UINT64_C(1) << f->mantissa),
                      (int)exponent - f->bias - f->mantissa);
    return negative ? -value : value;
}

/* Round a magnitude to an integer. */
static double round_whole(double value, bool negative, enum sam_round round)
{
    switch (round) {
    case SAM_RNE: return nearbyint(value);
    case SAM_RMM: return floor(value) + (value - floor(value) >= 0.5);
    case SAM_RDN: return negative ? ceil(value) : floor(value);
    case SAM_RUP: return negative ? floor(value) : ceil(value);
    case SAM_RTZ: return floor(value);
    }
    return value;
}

double sam_fp_whole(double value, enum sam_round round)
{
    return copysign(round_whole(fabs(value), signbit(value) != 0, round), value);
}

/* Round a finite magnitude to the bits of a format without upper limit; a carry propagates into the
 * exponent. Returns UINT64_MAX on overflow. */
static uint64_t round_magnitude(const struct sam_fp_format *f, double magnitude, bool negative,
                                enum sam_round round)
{
    /* Exponents of the last bit of the smallest values, and of this value. */
    int lowest = 1 - f->is_unsigned - f->bias - f->mantissa, unit = lowest, exponent = 0;
    frexp(magnitude, &exponent); /* magnitude is in [2^(exponent-1), 2^exponent) */
    if (magnitude != 0 && exponent - 1 - f->mantissa > lowest)
        unit = exponent - 1 - f->mantissa;
    if (unit - lowest > 1 << f->exponent)
        return UINT64_MAX;
    uint64_t scaled = (uint64_t)round_whole(ldexp(magnitude, -unit), negative, round);
    if (f->is_unsigned) /* the leading bit is always implied */
        scaled = scaled > mask(f->mantissa) ? scaled - (UINT64_C(1) << f->mantissa) : 0;
    return scaled + ((uint64_t)(unit - lowest) << f->mantissa);
}

static uint64_t convert(const struct sam_fp_format *f, double value, enum sam_round round,
                        bool saturate)
{
    bool negative = signbit(value) != 0;
    if (isnan(value) || (f->is_unsigned && negative && value != 0))
        return f->nan;
    uint64_t sign = f->is_unsigned ? 0 : (uint64_t)negative << magnitude_bits(f);
    uint64_t top = largest(f), bits = UINT64_MAX;
    bool towards_zero = !sam_fp_overflows_away(round, negative);
    if (isfinite(value))
        bits = round_magnitude(f, fabs(value), negative, round);
    if (bits <= top)
        return (sign | bits) << f->unused;
    if (f->top == SAM_FP_ALL_REAL || (isfinite(value) && (saturate || towards_zero)))
        return (sign | top) << f->unused;
    return f->top == SAM_FP_ONE_NAN ? f->nan : (sign | (top + 1)) << f->unused;
}

uint64_t sam_fp_convert(const struct sam_fp_format *f, double value, enum sam_round round)
{
    return convert(f, value, round, false);
}

uint64_t sam_fp_round(const struct sam_fp_format *f, double value)
{
    return convert(f, value, SAM_RNE, true);
}
