/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point elements in a wider format, exactly. */
#include "codec/chunk.h"

/* What the largest exponent means. */
enum top { IEEE, ONE_NAN, ALL_REAL };

struct format {
    uint8_t sign, exponent, mantissa; /* bits */
    int16_t bias;
    enum top top;
};

static const struct format formats[SAM_W_TYPES] = {
    [SAM_W_BF16] = {1, 8, 7, 127, IEEE},    [SAM_W_F16] = {1, 5, 10, 15, IEEE},
    [SAM_W_F32] = {1, 8, 23, 127, IEEE},    [SAM_W_F64] = {1, 11, 52, 1023, IEEE},
    [SAM_W_E4M3] = {1, 4, 3, 7, ONE_NAN},   [SAM_W_E5M2] = {1, 5, 2, 15, IEEE},
    [SAM_W_E8M0] = {0, 8, 0, 127, ONE_NAN}, [SAM_W_E2M1] = {1, 2, 1, 1, ALL_REAL},
};

/* Exponents of the smallest and of the largest power of two. E8M0 has neither zero nor subnormal
 * numbers, and its largest exponent is NaN, for it has no mantissa. */
static int lowest(const struct format *f)
{
    return f->sign ? 1 - f->bias - f->mantissa : -f->bias;
}

static int highest(const struct format *f)
{
    int top = (1 << f->exponent) - 1 - f->bias;
    return f->top == IEEE || !f->mantissa ? top - 1 : top;
}

bool sam_weight_widens(enum sam_weight_type from, enum sam_weight_type to)
{
    if ((size_t)from >= SAM_W_TYPES || (size_t)to >= SAM_W_TYPES)
        return false;
    const struct format *f = &formats[from], *t = &formats[to];
    return f->exponent && t->exponent && t->top == IEEE && from != to &&
           f->mantissa <= t->mantissa && lowest(f) >= lowest(t) && highest(f) <= highest(t);
}

static uint64_t widen(const struct format *f, const struct format *t, uint64_t bits)
{
    uint64_t last = (UINT64_C(1) << f->exponent) - 1;
    uint64_t mantissa = bits & ((UINT64_C(1) << f->mantissa) - 1);
    uint64_t exponent = bits >> f->mantissa & last;
    uint64_t sign = f->sign ? bits >> (f->mantissa + f->exponent) & 1 : 0;
    uint64_t top = ((UINT64_C(1) << t->exponent) - 1) << t->mantissa;
    sign <<= t->mantissa + t->exponent;
    mantissa <<= t->mantissa - f->mantissa;
    if (exponent == last && f->top == IEEE) /* infinity, or a NaN with its payload */
        return sign | top | mantissa;
    if (exponent == last && f->top == ONE_NAN && (~bits & ((UINT64_C(1) << f->mantissa) - 1)) == 0)
        return sign | top | UINT64_C(1) << (t->mantissa - 1);
    int power = (int)exponent - f->bias;
    if (!exponent && f->sign) { /* zero, or a subnormal number, whose first one is looked for */
        if (!mantissa)
            return sign;
        for (power++; !(mantissa >> t->mantissa); power--)
            mantissa <<= 1;
    }
    mantissa |= UINT64_C(1) << t->mantissa;
    power += t->bias;
    if (power < 1) /* subnormal there, too */
        return sign | mantissa >> (1 - power);
    return sign | (uint64_t)power << t->mantissa | (mantissa & ~(UINT64_C(1) << t->mantissa));
}

enum sam_status sam_weight_widen(enum sam_weight_type from, enum sam_weight_type to,
                                 const void *data, uint64_t count, void *out,
                                 struct sam_error *error)
{
    if (!sam_weight_widens(from, to))
        return sam_fail(error, SAM_ERR_USAGE, "%s cannot hold every value of %s",
                        sam_weight_type_name(to), sam_weight_type_name(from));
    if (count && (!data || !out))
        return sam_codec_null(data ? "out" : "data", error);
    size_t wide = sam_weight_type_bits(to) / 8, narrow = sam_weight_type_bits(from);
    const uint8_t *in = data;
    uint8_t *at = out;
    for (uint64_t i = 0; i < count; i++, at += wide) {
        uint64_t bits = 0;
        if (narrow == 4)
            bits = in[i / 2] >> (i % 2 * 4) & 15;
        for (size_t b = 0; b < narrow / 8; b++)
            bits |= (uint64_t)in[i * (narrow / 8) + b] << (8 * b);
        bits = widen(&formats[from], &formats[to], bits);
        for (size_t b = 0; b < wide; b++)
            at[b] = (uint8_t)(bits >> (8 * b));
    }
    return SAM_OK;
}
