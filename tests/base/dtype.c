/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element types: every bit pattern of every type of up to 16 bits against the
 * format's definition. */

#include "test.h"

#include "base/dtype.h"

/* Sign, exponent and mantissa bits from the formats' specifications, independent of the table. */
static double by_definition(unsigned e, unsigned m, int bias, uint64_t bits)
{
    double sign = bits >> (e + m) & 1 ? -1 : 1;
    unsigned exponent = (unsigned)(bits >> m) & ((1u << e) - 1);
    unsigned mantissa = (unsigned)bits & ((1u << m) - 1);
    if (!exponent)
        return sign * ldexp(mantissa, 1 - bias - (int)m);
    return sign * ldexp((double)((1u << m) + mantissa), (int)exponent - bias - (int)m);
}

static double special(double number, unsigned mantissa, uint64_t bits)
{
    return mantissa ? NAN : bits ? -INFINITY : number;
}

/* HiF8 by the table of its prefixes: bits of the exponent, of the mantissa. */
static double tapered(unsigned x)
{
    static const struct {
        unsigned prefix, length, exponent, mantissa;
    } rows[] = {{1, 4, 0, 3}, {1, 3, 1, 3}, {1, 2, 2, 3}, {2, 2, 3, 2}, {3, 2, 4, 1}};
    const double sign = x & 0x80 ? -1 : 1;
    if ((x & 0x7f) == 0x6f || x == 0x80)
        return x == 0x80 ? (double)NAN : sign * INFINITY;
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        const unsigned e = rows[i].exponent, m = rows[i].mantissa;
        if ((x & 0x7f) >> (7 - rows[i].length) != rows[i].prefix)
            continue;
        const int size = e ? (int)((x >> m & ((1u << (e - 1)) - 1)) + (1u << (e - 1))) : 0;
        const bool small = e && x >> (m + e - 1) & 1;
        return sign * (1 + ldexp(x & ((1u << m) - 1), -(int)m)) * ldexp(1, small ? -size : size);
    }
    return x & 7 ? sign * ldexp(1, (int)(x & 7) - 23) : 0;
}

static double value_of(enum sam_dtype type, uint64_t bits)
{
    const unsigned x = (unsigned)bits;
    switch (type) {
    case SAM_BF16:
        return (x & 0x7f80) == 0x7f80 ? special(INFINITY, x & 0x7f, x >> 15)
                                      : by_definition(8, 7, 127, x);
    case SAM_F16:
        return (x & 0x7c00) == 0x7c00 ? special(INFINITY, x & 0x3ff, x >> 15)
                                      : by_definition(5, 10, 15, x);
    case SAM_E5M2:
        return (x & 0x7c) == 0x7c ? special(INFINITY, x & 3, x >> 7) : by_definition(5, 2, 15, x);
    case SAM_E3M4:
        return (x & 0x70) == 0x70 ? special(INFINITY, x & 15, x >> 7) : by_definition(3, 4, 3, x);
    case SAM_E4M3: return (x & 0x7f) == 0x7f ? (double)NAN : by_definition(4, 3, 7, x);
    case SAM_E2M1: return by_definition(2, 1, 1, x);
    case SAM_E1M2: return by_definition(1, 2, 1, x);
    case SAM_E3M0: return by_definition(3, 0, 3, x);
    case SAM_E8M0: return x == 255 ? (double)NAN : ldexp(1, (int)x - 127);
    case SAM_HIF8: return tapered(x);
    case SAM_E3M2: return by_definition(3, 2, 3, x & 63);
    case SAM_E2M3: return by_definition(2, 3, 1, x & 63);
    case SAM_I4: return x < 8 ? (double)x : (double)x - 16;
    case SAM_U8: return x;
    case SAM_I8: return (int8_t)x;
    case SAM_U16: return x;
    case SAM_I16: return (int16_t)x;
    case SAM_BOOL: return x != 0;
    default: return NAN;
    }
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

TEST(every_pattern)
{
    unsigned types = 0;
    for (unsigned t = 0; t < SAM_DTYPES; t++) {
        const enum sam_dtype type = (enum sam_dtype)t;
        if (sam_dtype_bits(type) > 16)
            continue;
        const bool six = type == SAM_E3M2 || type == SAM_E2M3; /* bits, the others are ignored */
        for (uint64_t bits = 0; bits < UINT64_C(1) << sam_dtype_bits(type); bits++) {
            double value = sam_dtype_value(type, bits), wanted = value_of(type, bits);
            if (!same(value, wanted))
                fail_msg("%s %llx is %a, expected %a", sam_dtype_name(type),
                         (unsigned long long)bits, value, wanted);
            if (sam_dtype_class(type) == SAM_CLASS_FLOAT && !isnan(value))
                assert_int_equal(sam_dtype_round(type, value), six ? bits & 63 : bits);
        }
        types++;
    }
    assert_int_equal(types, 19);
}

/* The host knows single and double precision. */
TEST(host_types)
{
    uint64_t random = 1;
    for (unsigned i = 0; i < 1000000; i++) {
        uint64_t bits = test_random(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2) /* half of them in the range of singles */
            value = (double)sam_bits_f32((uint32_t)bits) * (1 + ldexp((double)(bits >> 40), -50));
        if (isnan(value))
            continue;
        memcpy(&bits, &value, sizeof bits);
        uint32_t single = sam_f32_bits((float)value);
        assert_true(sam_dtype_value(SAM_F64, bits) == value);
        assert_int_equal(sam_dtype_round(SAM_F64, value), bits);
        assert_int_equal(sam_dtype_round(SAM_F32, value), single);
        if (!isnan(sam_bits_f32(single)))
            assert_true(sam_dtype_value(SAM_F32, single) == (double)sam_bits_f32(single));
        assert_true(
            same(sam_dtype_value(SAM_TF32, single), (double)sam_bits_f32(single & 0xffffe000)));
    }
    assert_int_equal(sam_dtype_round(SAM_F32, NAN), 0x7fc00000);
    assert_int_equal(sam_dtype_round(SAM_F64, -INFINITY), 0xfff0000000000000);
    assert_int_equal(sam_dtype_round(SAM_TF32, 1 + 0x1p-11 + 0x1p-20), 0x3f802000);
    assert_true(sam_dtype_value(SAM_U64, UINT64_MAX) == 0x1p64);
    assert_true(sam_dtype_value(SAM_I64, UINT64_MAX) == -1);
    assert_true(sam_dtype_value(SAM_I32, 0xffffffff) == -1);
    assert_true(sam_dtype_value(SAM_U32, 0x1ffffffff) == 0xffffffff);
}

TEST(rows)
{
    for (unsigned t = 0; t < SAM_DTYPES; t++) {
        const enum sam_dtype type = (enum sam_dtype)t;
        const struct sam_dtype_row *row = &sam_dtype_table[t];
        enum sam_dtype parsed;
        assert_non_null(row->name); /* no gap in the numbering */
        assert_true(sam_dtype_parse(row->name, &parsed));
        assert_int_equal(parsed, type); /* no name twice */
        assert_int_equal(sam_dtype_size(type), row->bits / 8);
        if (row->class == SAM_CLASS_FLOAT)
            assert_int_equal(!row->fp.is_unsigned + row->fp.exponent + row->fp.mantissa +
                                 row->fp.unused,
                             row->bits - (type == SAM_E3M2 || type == SAM_E2M3 ? 2 : 0));
        if (row->class == SAM_CLASS_FLOAT && row->fp.top != SAM_FP_ALL_REAL)
            assert_true(isnan(sam_dtype_value(type, row->fp.nan)));
        if (row->npy)
            assert_int_equal(sam_dtype_npy(type), type);
        else if (row->bits >= 8)
            assert_int_equal(sam_dtype_bits(sam_dtype_npy(type)), row->bits);
        for (unsigned other = 0; other < t; other++) {
            const struct sam_dtype_row *o = &sam_dtype_table[other];
            assert_true(!row->gguf || row->gguf != o->gguf);
            assert_true(!row->onnx || row->onnx != o->onnx);
            assert_true(!row->ttype || row->ttype != o->ttype);
            assert_true(!row->safetensors || !o->safetensors ||
                        strcmp(row->safetensors, o->safetensors) != 0);
        }
    }
    /* Stored in .smw files: these never change. */
    assert_int_equal(SAM_BF16, 1);
    assert_int_equal(SAM_BOOL, 18);
    assert_int_equal(SAM_TF32, 22);
    assert_int_equal(sam_dtype_by_id(offsetof(struct sam_dtype_row, gguf), 0), SAM_F32);
    assert_int_equal(sam_dtype_by_id(offsetof(struct sam_dtype_row, gguf), 255), SAM_DTYPES);
    assert_int_equal(sam_dtype_by_id(offsetof(struct sam_dtype_row, onnx), UINT64_MAX), SAM_DTYPES);
}

TEST(no_type)
{
    const enum sam_dtype none = (enum sam_dtype)99;
    enum sam_dtype kept = SAM_I8;
    uint8_t bytes[8];
    assert_int_equal(sam_dtype_bits(none), 0);
    assert_int_equal(sam_dtype_bits(SAM_DTYPES), 0);
    assert_string_equal(sam_dtype_name(none), "?");
    assert_int_equal(sam_dtype_class(none), SAM_CLASS_OPAQUE);
    assert_true(isnan(sam_dtype_value(none, 1)));
    assert_int_equal(sam_dtype_round(none, 1), 0);
    assert_int_equal(sam_dtype_round(SAM_I8, 1), 0);
    assert_null(sam_dtype_safetensors(none));
    assert_false(sam_dtype_parse("f128", &kept));
    assert_false(sam_dtype_parse(NULL, &kept));
    assert_int_equal(kept, SAM_I8);
    assert_false(sam_dtype_parse_value(none, "1", bytes));
    assert_false(sam_dtype_parse_value(SAM_OPAQUE, "1", bytes));
}

TEST(text)
{
    static const struct {
        enum sam_dtype dtype;
        const char *text;
        bool good;
        uint64_t bits;
    } cases[] = {
        {SAM_BF16, "1", true, 0x3f80},
        {SAM_BF16, "1e39", false, 0},
        {SAM_BF16, "-inf", true, 0xff80},
        {SAM_E4M3, "448", true, 0x7e},
        {SAM_E4M3, "464", true, 0x7e},
        {SAM_E4M3, "465", false, 0},
        {SAM_E4M3, "inf", false, 0},
        {SAM_E4M3, "nan", true, 0x7f},
        {SAM_E4M3, "0x100", false, 0},
        {SAM_E4M3, "0xff", true, 0xff},
        {SAM_E5M2, "inf", true, 0x7c},
        {SAM_E8M0, "4", true, 129},
        {SAM_E8M0, "-4", false, 0},
        {SAM_F16, "65519", true, 0x7bff},
        {SAM_F16, "65520", false, 0},
        {SAM_F32, "1e39", false, 0},
        {SAM_F64, "1e308", true, 0x7fe1ccf385ebc8a0},
        {SAM_E2M1, "-1.5", true, 0xb},
        {SAM_E2M1, "0x10", false, 0},
        {SAM_I4, "-8", true, 0x8},
        {SAM_I4, "8", false, 0},
        {SAM_U8, "256", false, 0},
        {SAM_U8, "255", true, 255},
        {SAM_I8, "-128", true, 0x80},
        {SAM_I8, "128", false, 0},
        {SAM_I64, "-9223372036854775808", true, UINT64_C(1) << 63},
        {SAM_U64, "18446744073709551615", true, UINT64_MAX},
        {SAM_BOOL, "true", true, 1},
        {SAM_BOOL, "2", false, 0},
        {SAM_TF32, "1.00048828125", true, 0x3f800000},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        uint8_t bytes[8] = {0};
        uint64_t bits = 0;
        bool good = sam_dtype_parse_value(cases[i].dtype, cases[i].text, bytes);
        for (unsigned b = 0; b < 8; b++)
            bits |= (uint64_t)bytes[b] << 8 * b;
        if (good != cases[i].good || (good && bits != cases[i].bits))
            fail_msg("%s %s is %d %llx", sam_dtype_name(cases[i].dtype), cases[i].text, good,
                     (unsigned long long)bits);
    }
}
