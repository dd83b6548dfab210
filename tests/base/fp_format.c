/* SPDX-License-Identifier: Apache-2.0 */
/* Small floating-point formats: rounding against a search among all values of the format. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/fp_format.h"

static const struct sam_fp_format formats[] = {
    {2, 1, 1, SAM_FP_ALL_REAL, 0},   {1, 2, 1, SAM_FP_ALL_REAL, 0}, {3, 0, 3, SAM_FP_ALL_REAL, 0},
    {4, 3, 7, SAM_FP_ONE_NAN, 0x7f}, {5, 2, 15, SAM_FP_IEEE, 0x7e}, {3, 4, 3, SAM_FP_IEEE, 0x78},
};

static const double largest[] = {6, 1.75, 16, 448, 57344, 15.5};
static const double smallest[] = {0.5, 0.25, 0.25, 0x1p-9, 0x1p-16, 0x1p-6};

static void values(void **state)
{
    (void)state;
    for (size_t f = 0; f < SAM_COUNT(formats); f++) {
        const struct sam_fp_format *format = &formats[f];
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

/* Nearest by comparing distances; of two, the one whose last bit is even; the larger where the
 * format has but one significant bit and so no last bit: IEEE 754 4.3.1. */
static unsigned nearest(const struct sam_fp_format *format, double value, double top)
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

static void rounds_to_nearest(void **state)
{
    (void)state;
    for (size_t f = 0; f < SAM_COUNT(formats); f++)
        for (int step = -40000; step <= 40000; step++) {
            double value = step * smallest[f] / 16;
            unsigned have = sam_fp_round(&formats[f], value);
            unsigned want = nearest(&formats[f], value, largest[f]);
            if (have != want)
                fail_msg("format %zu: %g is %x, expected %x", f, value, have, want);
        }
}

static void what_is_not_finite(void **state)
{
    (void)state;
    for (size_t f = 0; f < SAM_COUNT(formats); f++) {
        const struct sam_fp_format *format = &formats[f];
        unsigned half = 1u << (format->exponent + format->mantissa);
        unsigned all = half - 1, top = all;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(rounds_to_nearest),
        cmocka_unit_test(what_is_not_finite),
    };
    return cmocka_run_group_tests_name("small formats", tests, NULL, NULL);
}
