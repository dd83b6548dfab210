/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fp_format.h"

#include <math.h>

static unsigned mask(unsigned bits)
{
    return (1u << bits) - 1;
}

/* Bits of the largest finite value. */
static unsigned largest(const struct sam_fp_format *f)
{
    unsigned all = mask((unsigned)f->exponent + f->mantissa);
    return f->top == SAM_FP_IEEE      ? (mask(f->exponent) << f->mantissa) - 1
           : f->top == SAM_FP_ONE_NAN ? all - 1
                                      : all;
}

double sam_fp_value(const struct sam_fp_format *f, unsigned bits)
{
    unsigned magnitude = bits & mask((unsigned)f->exponent + f->mantissa);
    bool negative = bits >> (f->exponent + f->mantissa) & 1;
    unsigned exponent = magnitude >> f->mantissa, fraction = magnitude & mask(f->mantissa);
    double value;
    if (magnitude > largest(f))
        value = f->top == SAM_FP_IEEE && fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - f->bias - f->mantissa);
    else
        value =
            ldexp((double)(fraction | 1u << f->mantissa), (int)exponent - f->bias - f->mantissa);
    return negative ? -value : value;
}

unsigned sam_fp_round(const struct sam_fp_format *f, double value)
{
    unsigned sign = (unsigned)(signbit(value) != 0) << (f->exponent + f->mantissa);
    if (isnan(value))
        return f->nan;
    if (isinf(value) && f->top == SAM_FP_IEEE)
        return sign | mask(f->exponent) << f->mantissa;
    if (isinf(value))
        return f->top == SAM_FP_ONE_NAN ? f->nan : sign | largest(f);
    int exponent = 0;
    double magnitude = fabs(value);
    frexp(magnitude, &exponent); /* magnitude is in [2^(exponent-1), 2^exponent) */
    int unit = exponent - 1 - f->mantissa, lowest = 1 - f->bias - f->mantissa;
    unit = unit < lowest || magnitude == 0 ? lowest : unit;
    /* Below 2^(mantissa + 2), so that the host's own rounding to an integer is the one that is
     * wanted; a carry moves into the exponent by itself. */
    if (unit - lowest > 1 << f->exponent)
        return sign | largest(f);
    double scaled = nearbyint(ldexp(magnitude, -unit));
    unsigned bits = (unsigned)scaled + ((unsigned)(unit - lowest) << f->mantissa);
    return sign | (bits > largest(f) ? largest(f) : bits);
}
