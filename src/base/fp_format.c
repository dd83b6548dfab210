/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fp_format.h"

#include <math.h>
#include <stdlib.h>

#include "base/fp_round.h"

static uint64_t mask(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

static unsigned magnitude_bits(const struct sam_fp_format *f)
{
    return (unsigned)f->exponent + f->mantissa;
}

/* HiF8. The magnitudes in order are numbered from 0 to 127, infinity. The first eight are 0 and the
 * powers of two up to 2^-16; then each exponent has as many as its bits of mantissa allow. */
enum { TAPERED_LOWEST = -15, TAPERED_SUBNORMALS = 8, TAPERED_INFINITY = 127 };

static unsigned tapered_mantissa(int exponent)
{
    return abs(exponent) < 4 ? 3 : abs(exponent) < 8 ? 2 : 1;
}

static int tapered_first(int exponent)
{
    return exponent < -7   ? 8 + 2 * (exponent + 15)
           : exponent < -3 ? 24 + 4 * (exponent + 7)
           : exponent < 4  ? 40 + 8 * (exponent + 3)
           : exponent < 8  ? 96 + 4 * (exponent - 4)
                           : 112 + 2 * (exponent - 8);
}

/* A prefix says how many bits of exponent follow; their size has an implied leading one. */
static unsigned tapered_code(int number)
{
    int exponent = TAPERED_LOWEST;
    if (number < TAPERED_SUBNORMALS)
        return (unsigned)number;
    while (number >= tapered_first(exponent + 1))
        exponent++;
    const unsigned mantissa = tapered_mantissa(exponent), size = (unsigned)abs(exponent);
    const unsigned bits = size ? 32 - (unsigned)__builtin_clz(size) : 0; /* and those of the sign */
    const unsigned prefix = bits < 2 ? 8U << bits : (bits - 1) << 5;
    const unsigned sign = bits && exponent < 0 ? 1U << (bits - 1 + mantissa) : 0;
    const unsigned low = bits ? size - (1U << (bits - 1)) : 0;
    return prefix | sign | low << mantissa | (unsigned)(number - tapered_first(exponent));
}

static double tapered_value(unsigned code)
{
    if (code < TAPERED_SUBNORMALS)
        return code ? ldexp(1, (int)code - 23) : 0;
    if (code == tapered_code(TAPERED_INFINITY))
        return INFINITY;
    const unsigned bits = code < 16 ? 0 : code < 32 ? 1 : (code >> 5) + 1;
    const unsigned mantissa = bits < 3 ? 3 : bits == 3 ? 2 : 1, one = 1U << mantissa;
    const unsigned all = bits ? code >> mantissa & ((1U << bits) - 1) : 0; /* sign and exponent */
    const unsigned leading = bits ? 1U << (bits - 1) : 0;
    const int size = (int)(leading | (all & (leading - 1)));
    return ldexp((double)(one | (code & (one - 1))),
                 (all & leading ? -size : size) - (int)mantissa);
}

/* Bits of the largest finite value. */
static uint64_t largest(const struct sam_fp_format *f)
{
    uint64_t all = mask(magnitude_bits(f));
    return f->is_tapered              ? TAPERED_INFINITY - 1
           : f->top == SAM_FP_IEEE    ? (mask(f->exponent) << f->mantissa) - 1
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
    if (f->is_tapered)
        value = magnitude || !negative ? tapered_value((unsigned)magnitude) : NAN;
    else if (magnitude > largest(f))
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

/* Round a finite magnitude to the number of one of HiF8. */
static uint64_t round_tapered(double magnitude, bool negative, enum sam_round round)
{
    int exponent = 0;
    const double fraction = 2 * frexp(magnitude, &exponent) - 1;
    double at = ldexp(magnitude, 22); /* below the smallest */
    exponent--;
    if (exponent > 15)
        return UINT64_MAX;
    if (magnitude != 0 && exponent >= TAPERED_LOWEST)
        at = tapered_first(exponent) + ldexp(fraction, (int)tapered_mantissa(exponent));
    else if (magnitude != 0 && exponent >= -22)
        at = exponent + 23 + fraction;
    return (uint64_t)round_whole(at, negative, round);
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
    if (isfinite(value) && f->is_tapered)
        bits = round_tapered(fabs(value), negative, round);
    else if (isfinite(value))
        bits = round_magnitude(f, fabs(value), negative, round);
    if (f->is_tapered) {
        const bool stays = isfinite(value) && (saturate || towards_zero);
        const unsigned code = tapered_code((int)(bits <= top ? bits : stays ? top : top + 1));
        return code ? sign | code : 0;
    }
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
