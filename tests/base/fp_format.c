/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point formats: rounding against a search over all values of the format. */

#include "test.h"

#include "base/dtype.h"

static const struct sam_fp_format *const formats[] = {
    &sam_dtype_table[SAM_E2M1].fp, &sam_dtype_table[SAM_E1M2].fp, &sam_dtype_table[SAM_E3M0].fp,
    &sam_dtype_table[SAM_E4M3].fp, &sam_dtype_table[SAM_E5M2].fp, &sam_dtype_table[SAM_E3M4].fp,
};

static const double largest[] = {6, 1.75, 16, 448, 57344, 15.5};
static const double smallest[] = {0.5, 0.25, 0.25, 0x1p-9, 0x1p-16, 0x1p-6};

TEST(values)
{
    for (size_t f = 0; f < SAM_COUNT(formats); f++) {
        const struct sam_fp_format *format = formats[f];
        unsigned half = 1u << (format->exponent + format->mantissa), finite = 0;
        double last = -1;
        for (unsigned bits = 0; bits < half; bits++) {
            double value = sam_fp_value(format, bits);
            if (!isfinite(value))
                continue;
            finite++;
            assert_true(value > last); /* in order */
            assert_true(sam_fp_value(format, bits | half) == -value);
            last = value;
        }
        assert_true(last == largest[f]);
        assert_true(sam_fp_value(format, 1) == smallest[f]);
        unsigned special = format->top == SAM_FP_IEEE      ? 1u << format->mantissa
                           : format->top == SAM_FP_ONE_NAN ? 1
                                                           : 0;
        assert_int_equal(half - finite, special);
    }
}

/* Nearest by distance; of two, the one whose last bit is even; the larger where the format has
 * only one significant bit and so no last bit: IEEE 754 4.3.1. */
static uint64_t nearest(const struct sam_fp_format *format, double value, double top)
{
    unsigned half = 1u << (format->exponent + format->mantissa), best = 0;
    double magnitude = fabs(value), distance = magnitude;
    for (unsigned bits = 1; bits < half && sam_fp_value(format, bits) <= top; bits++) {
        double d = fabs(sam_fp_value(format, bits) - magnitude);
        bool wins = d < distance;
        if (d == distance)
            wins = format->mantissa ? bits % 2 == 0 : bits > 1;
        if (wins)
            best = bits, distance = d;
    }
    return best | (signbit(value) ? half : 0);
}

TEST(rounds_to_nearest)
{
    for (size_t f = 0; f < SAM_COUNT(formats); f++)
        for (int step = -40000; step <= 40000; step++) {
            double value = step * smallest[f] / 16;
            uint64_t have = sam_fp_round(formats[f], value);
            uint64_t want = nearest(formats[f], value, largest[f]);
            if (have != want)
                fail_msg("format %zu: %g is %llx, expected %llx", f, value,
                         (unsigned long long)have, (unsigned long long)want);
        }
}

TEST(what_is_not_finite)
{
    for (size_t f = 0; f < SAM_COUNT(formats); f++) {
        const struct sam_fp_format *format = formats[f];
        unsigned half = 1u << (format->exponent + format->mantissa);
        uint64_t all = half - 1, top = all;
        if (format->top == SAM_FP_IEEE)
            top = all & ~((1u << format->mantissa) - 1); /* infinity */
        else if (format->top == SAM_FP_ONE_NAN)
            top = format->nan;
        assert_int_equal(sam_fp_round(format, INFINITY), top);
        if (format->top != SAM_FP_ONE_NAN)
            assert_int_equal(sam_fp_round(format, -INFINITY), top | half);
        if (format->nan) {
            assert_int_equal(sam_fp_round(format, NAN), format->nan);
            assert_true(isnan(sam_fp_value(format, format->nan)));
        }
        assert_true(sam_fp_value(format, sam_fp_round(format, 1e300)) == largest[f]);
        assert_true(sam_fp_value(format, sam_fp_round(format, -1e300)) == -largest[f]);
        assert_int_equal(sam_fp_round(format, -0.0), half);
    }
}

/* Overflow where the result may be finite: e4m3 has no infinity, e2m1 only finite values. */
TEST(overflow)
{
    const struct sam_fp_format *e5m2 = &sam_dtype_table[SAM_E5M2].fp;
    const struct sam_fp_format *e4m3 = &sam_dtype_table[SAM_E4M3].fp;
    const struct sam_fp_format *e2m1 = &sam_dtype_table[SAM_E2M1].fp;
    assert_int_equal(sam_fp_convert(e5m2, 61439, SAM_RNE), 0x7b);
    assert_int_equal(sam_fp_convert(e5m2, 61440, SAM_RNE), 0x7c);
    assert_int_equal(sam_fp_convert(e5m2, -61440, SAM_RNE), 0xfc);
    assert_int_equal(sam_fp_convert(e5m2, 1e9, SAM_RTZ), 0x7b);
    assert_int_equal(sam_fp_convert(e5m2, 1e9, SAM_RDN), 0x7b);
    assert_int_equal(sam_fp_convert(e5m2, -1e9, SAM_RDN), 0xfc);
    assert_int_equal(sam_fp_convert(e5m2, 57345, SAM_RUP), 0x7c);
    assert_int_equal(sam_fp_convert(e5m2, -1e9, SAM_RUP), 0xfb);
    assert_int_equal(sam_fp_convert(e5m2, INFINITY, SAM_RTZ), 0x7c);
    assert_int_equal(sam_fp_convert(e4m3, 464, SAM_RNE), 0x7e);
    assert_int_equal(sam_fp_convert(e4m3, 465, SAM_RNE), 0x7f);
    assert_int_equal(sam_fp_convert(e2m1, 1e9, SAM_RNE), 7);
    assert_int_equal(sam_fp_convert(e2m1, -INFINITY, SAM_RNE), 15);
}

/* Every mode against its definition: the two neighbours of a value, and its distance to each. */
TEST(directions)
{
    const struct sam_fp_format *f = &sam_dtype_table[SAM_F16].fp;
    for (unsigned bits = 0; bits < 0x7bff; bits++) {
        double low = sam_fp_value(f, bits), high = sam_fp_value(f, bits + 1);
        unsigned even = bits + bits % 2;
        for (int quarter = 1; quarter < 4; quarter++) {
            double value = low + (high - low) * quarter / 4;
            unsigned near = quarter < 2 ? bits : bits + 1;
            assert_int_equal(sam_fp_convert(f, value, SAM_RTZ), bits);
            assert_int_equal(sam_fp_convert(f, value, SAM_RDN), bits);
            assert_int_equal(sam_fp_convert(f, value, SAM_RUP), bits + 1);
            assert_int_equal(sam_fp_convert(f, value, SAM_RMM), near);
            assert_int_equal(sam_fp_convert(f, value, SAM_RNE), quarter == 2 ? even : near);
            assert_int_equal(sam_fp_convert(f, -value, SAM_RTZ), bits | 0x8000);
            assert_int_equal(sam_fp_convert(f, -value, SAM_RDN), (bits + 1) | 0x8000);
            assert_int_equal(sam_fp_convert(f, -value, SAM_RUP), bits | 0x8000);
            assert_int_equal(sam_fp_convert(f, -value, SAM_RMM), near | 0x8000);
        }
    }
}

static void expect_shorts(float value)
{
    const struct sam_fp_format *half = &sam_dtype_table[SAM_F16].fp;
    const struct sam_fp_format *bfloat = &sam_dtype_table[SAM_BF16].fp;
    if (sam_half_bits(value) != sam_fp_convert(half, (double)value, SAM_RNE))
        fail_msg("%a as half is %x", (double)value, sam_half_bits(value));
    if (sam_bfloat_bits(value) != sam_fp_convert(bfloat, (double)value, SAM_RNE))
        fail_msg("%a as bfloat16 is %x", (double)value, sam_bfloat_bits(value));
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

/* The fast paths for half and bfloat16 agree with the general conversion: from every pattern;
 * and to every pattern from its value, from the midpoint to the next one, and from the
 * neighbours of both. */
TEST(short_cuts)
{
    const struct sam_fp_format *half = &sam_dtype_table[SAM_F16].fp;
    const struct sam_fp_format *bfloat = &sam_dtype_table[SAM_BF16].fp;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        float h = sam_half_value((uint16_t)bits), b = sam_bfloat_value((uint16_t)bits);
        assert_true(same((double)h, sam_fp_value(half, bits)));
        assert_true(same((double)b, sam_fp_value(bfloat, bits)));
        for (uint32_t step = 0; step < 0x4000; step += step < 2 ? 1 : 0x7ff) {
            expect_shorts(sam_bits_f32(sam_f32_bits(h) + step));
            expect_shorts(sam_bits_f32(sam_f32_bits(h) - step));
        }
        for (uint32_t low = 0; low < 0x10000; low += low == 0x7fff || low == 0x8000 ? 1 : 0x7fff)
            expect_shorts(sam_bits_f32(bits << 16 | low));
        expect_shorts((sam_half_value((uint16_t)(bits ^ 1)) + h) / 2);
    }
}
