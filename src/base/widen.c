/* SPDX-License-Identifier: Apache-2.0 */
/* Float conversion of arrays: to a wider format, exactly, or to a narrower one, rounded. */
#include "base/base.h"
#include "base/dtype.h"

/* Exponents of the smallest and the largest power of two. Unsigned formats have neither zero nor
 * subnormals. Without a mantissa, an all-ones NaN takes up an exponent. */
static int lowest(const struct sam_fp_format *f)
{
    return f->is_tapered ? -22 : f->is_unsigned ? -f->bias : 1 - f->bias - f->mantissa;
}

static int highest(const struct sam_fp_format *f)
{
    if (f->is_tapered)
        return 15;
    int top = (1 << f->exponent) - 1 - f->bias;
    bool taken = f->top == SAM_FP_IEEE || (f->top == SAM_FP_ONE_NAN && !f->mantissa);
    return taken ? top - 1 : top;
}

bool sam_dtype_widens(enum sam_dtype from, enum sam_dtype to)
{
    if (sam_dtype_class(from) != SAM_CLASS_FLOAT || sam_dtype_class(to) != SAM_CLASS_FLOAT)
        return false;
    const struct sam_fp_format *f = &sam_dtype_table[from].fp, *t = &sam_dtype_table[to].fp;
    return t->top == SAM_FP_IEEE && from != to && f->mantissa <= t->mantissa &&
           lowest(f) >= lowest(t) && highest(f) <= highest(t);
}

static uint64_t widen(const struct sam_fp_format *f, const struct sam_fp_format *t, uint64_t bits)
{
    if (f->is_tapered)
        return sam_fp_convert(t, sam_fp_value(f, bits), SAM_RNE) >> t->unused;
    bits >>= f->unused;
    uint64_t last = (UINT64_C(1) << f->exponent) - 1;
    uint64_t mantissa = bits & ((UINT64_C(1) << f->mantissa) - 1);
    uint64_t exponent = bits >> f->mantissa & last;
    uint64_t sign = f->is_unsigned ? 0 : bits >> (f->mantissa + f->exponent) & 1;
    uint64_t top = ((UINT64_C(1) << t->exponent) - 1) << t->mantissa;
    sign <<= t->mantissa + t->exponent;
    mantissa <<= t->mantissa - f->mantissa;
    if (exponent == last && f->top == SAM_FP_IEEE) /* infinity, or a NaN with its payload */
        return sign | top | mantissa;
    if (exponent == last && f->top == SAM_FP_ONE_NAN &&
        (~bits & ((UINT64_C(1) << f->mantissa) - 1)) == 0)
        return sign | top | UINT64_C(1) << (t->mantissa - 1);
    int power = (int)exponent - f->bias;
    if (!exponent && !f->is_unsigned) { /* zero or subnormal: find the highest one bit */
        if (!mantissa)
            return sign;
        for (power++; !(mantissa >> t->mantissa); power--)
            mantissa <<= 1;
    }
    mantissa |= UINT64_C(1) << t->mantissa;
    power += t->bias;
    if (power < 1) /* subnormal in the target, too */
        return sign | mantissa >> (1 - power);
    return sign | (uint64_t)power << t->mantissa | (mantissa & ~(UINT64_C(1) << t->mantissa));
}

/* half and bfloat16 to float: the most common arrays, and what tiles compute with. */
static bool widen_16(enum sam_dtype from, enum sam_dtype to, const uint8_t *in, uint64_t count,
                     uint8_t *out)
{
    if (to != SAM_F32 || (from != SAM_F16 && from != SAM_BF16))
        return false;
    for (uint64_t i = 0; i < count && from == SAM_F16; i++)
        sam_put_le32(out + 4 * i, sam_f32_bits(sam_half_value(sam_le16(in + 2 * i))));
    for (uint64_t i = 0; i < count && from == SAM_BF16; i++)
        sam_put_le32(out + 4 * i, sam_f32_bits(sam_bfloat_value(sam_le16(in + 2 * i))));
    return true;
}

/* Element `i` of 4 or 8 bits. */
static unsigned narrow_element(const uint8_t *in, uint64_t i, size_t bits)
{
    return bits == 4 ? in[i / 2] >> (i % 2 * 4) & 15 : in[i];
}

/* Elements of 4 or 8 bits have few values: for at least that many elements, use a look-up table. */
static bool widen_narrow(enum sam_dtype from, enum sam_dtype to, const uint8_t *in, uint64_t count,
                         uint8_t *out)
{
    const struct sam_fp_format *f = &sam_dtype_table[from].fp, *t = &sam_dtype_table[to].fp;
    const size_t bits = sam_dtype_bits(from), wide = sam_dtype_size(to);
    uint32_t table[1 << 8];
    if (bits > 8 || count < UINT64_C(1) << bits || (wide != 2 && wide != 4))
        return false;
    for (unsigned i = 0; i < 1u << bits; i++)
        table[i] = (uint32_t)(widen(f, t, i) << t->unused);
    for (uint64_t i = 0; i < count && wide == 2; i++)
        sam_put_le16(out + 2 * i, (uint16_t)table[narrow_element(in, i, bits)]);
    for (uint64_t i = 0; i < count && wide == 4; i++)
        sam_put_le32(out + 4 * i, table[narrow_element(in, i, bits)]);
    return true;
}

enum sam_status sam_dtype_widen(enum sam_dtype from, enum sam_dtype to, const void *data,
                                uint64_t count, void *out, struct sam_error *error)
{
    if (data && out && widen_16(from, to, data, count, out))
        return SAM_OK;
    if (!sam_dtype_widens(from, to))
        return sam_fail(error, SAM_ERR_USAGE, "%s cannot hold every value of %s",
                        sam_dtype_name(to), sam_dtype_name(from));
    if (count && (!data || !out))
        return sam_fail(error, SAM_ERR_USAGE, "%s is NULL", data ? "out" : "data");
    if (widen_narrow(from, to, data, count, out))
        return SAM_OK;
    const struct sam_fp_format *f = &sam_dtype_table[from].fp, *t = &sam_dtype_table[to].fp;
    size_t wide = sam_dtype_bits(to) / 8, narrow = sam_dtype_bits(from);
    const uint8_t *in = data;
    uint8_t *at = out;
    for (uint64_t i = 0; i < count; i++, at += wide) {
        uint64_t bits = 0;
        if (narrow == 4)
            bits = in[i / 2] >> (i % 2 * 4) & 15;
        for (size_t b = 0; b < narrow / 8; b++)
            bits |= (uint64_t)in[i * (narrow / 8) + b] << (8 * b);
        bits = widen(f, t, bits) << t->unused;
        for (size_t b = 0; b < wide; b++)
            at[b] = (uint8_t)(bits >> (8 * b));
    }
    return SAM_OK;
}

static uint32_t canonical(uint32_t f32)
{
    return (f32 & 0x7fffffff) > 0x7f800000 ? UINT32_C(0x7fc00000) : f32;
}

enum sam_status sam_dtype_narrow(enum sam_dtype to, const void *data, uint64_t count, void *out,
                                 struct sam_error *error)
{
    size_t size = sam_dtype_size(to);
    if (sam_dtype_class(to) != SAM_CLASS_FLOAT || !size || size > 4)
        return sam_fail(error, SAM_ERR_USAGE,
                        "cannot round f32 to %s: expected a floating-point type of 8 to 32 bits",
                        sam_dtype_name(to));
    if (count && (!data || !out))
        return sam_fail(error, SAM_ERR_USAGE, "%s is NULL", data ? "out" : "data");
    const uint8_t *in = data;
    uint8_t *at = out;
    switch (to) {
    case SAM_F32:
        for (uint64_t i = 0; i < count; i++)
            sam_put_le32(at + 4 * i, canonical(sam_le32(in + 4 * i)));
        return SAM_OK;
    case SAM_F16:
        for (uint64_t i = 0; i < count; i++)
            sam_put_le16(at + 2 * i, sam_half_bits(sam_bits_f32(sam_le32(in + 4 * i))));
        return SAM_OK;
    case SAM_BF16:
        for (uint64_t i = 0; i < count; i++)
            sam_put_le16(at + 2 * i, sam_bfloat_bits(sam_bits_f32(sam_le32(in + 4 * i))));
        return SAM_OK;
    default:
        for (uint64_t i = 0; i < count; i++, in += 4, at += size) {
            uint64_t bits = sam_dtype_round(to, (double)sam_bits_f32(sam_le32(in)));
            for (size_t b = 0; b < size; b++)
                at[b] = (uint8_t)(bits >> (8 * b));
        }
        return SAM_OK;
    }
}
