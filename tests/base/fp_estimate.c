/* SPDX-License-Identifier: Apache-2.0 */
/* vfrec7 and vfrsqrt7: the tables derived from their rule, the special cases of RISC-V V 13.9
 * and 13.10, and the accuracy promised by the manual. */

#include "test.h"

#include "fp_values.h"

/* Twice the larger relative error at the ends of the interval, for the estimate y of 1/x or
 * 1/sqrt(x). Long double has 64 bits; entries differ by far more. */
static long double worst(long double y, long double left, long double right, bool root)
{
    if (root) {
        left = sqrtl(left);
        right = sqrtl(right);
    }
    long double a = fabsl(y * left - 1), b = fabsl(y * right - 1);
    return a > b ? a : b;
}

/* The 7-bit fraction with the smallest worst error. */
static unsigned best(long double left, long double right, bool root)
{
    unsigned found = 0;
    for (unsigned o = 1; o < 128; o++)
        if (worst((128 + o) / 256.0L, left, right, root) <
            worst((128 + found) / 256.0L, left, right, root))
            found = o;
    return found;
}

/* Inputs in [1, 2) and [2, 4), with the lower bits all zero and all one, reproduce the table. */
TEST(test_tables)
{
    for (uint32_t i = 0; i < 128; i++) {
        unsigned flags = 0, expected = best(1 + i / 128.0L, 1 + (i + 1) / 128.0L, false);
        for (uint32_t low = 0; low < 2; low++) {
            uint32_t x = 0x3f800000 | i << 16 | (low ? 0xffff : 0);
            assert_int_equal(sam_f32_rec7(x, SAM_RNE, &flags), 0x3f000000 | expected << 16);
        }
        assert_int_equal(flags, 0);
    }
    for (uint32_t exp = 127; exp < 129; exp++)
        for (uint32_t i = 0; i < 64; i++) {
            unsigned flags = 0;
            long double scale = exp == 127 ? 1 : 2;
            unsigned expected = best(scale * (1 + i / 64.0L), scale * (1 + (i + 1) / 64.0L), true);
            for (uint32_t low = 0; low < 2; low++) {
                uint32_t x = exp << 23 | i << 17 | (low ? 0x1ffff : 0);
                assert_int_equal(sam_f32_rsqrt7(x, &flags), 0x3f000000 | expected << 16);
            }
            assert_int_equal(flags, 0);
        }
}

struct row {
    uint32_t in;
    uint32_t out;
    unsigned flags;
};

/* RISC-V V 13.10, the table of special inputs, in a rounding mode. */
static void check_rec7(const struct row *rows, size_t count, enum sam_round round)
{
    for (size_t i = 0; i < count; i++) {
        unsigned flags = 0;
        assert_int_equal(sam_f32_rec7(rows[i].in, round, &flags), rows[i].out);
        assert_int_equal(flags, rows[i].flags);
    }
}

TEST(test_rec7_specials)
{
    static const struct row any_mode[] = {
        {0xff800000, 0x80000000, 0},         {0x7f800000, 0x00000000, 0},
        {0x80000000, 0xff800000, SAM_FP_DZ}, {0x00000000, 0x7f800000, SAM_FP_DZ},
        {0x7fc12345, SAM_F32_NAN, 0},        {0xff800001, SAM_F32_NAN, SAM_FP_NV},
        {0x7f000000, 0x003fc000, 0}, /* 2^127: the estimate 255/256 * 2^-127, subnormal */
        {0xff000000, 0x803fc000, 0}, /* its negative */
        {0x7e800000, 0x007f8000, 0}, /* 2^126: just below the smallest normal */
        {0x00200000, 0x7f7f0000, 0}, /* 2^-128: the smallest input that does not overflow */
        {0x00400000, 0x7eff0000, 0}, /* 2^-127 */
    };
    enum { LARGEST = 0x7f7fffff, INFINITE = 0x7f800000, FLAGS = SAM_FP_OF | SAM_FP_NX };
    for (enum sam_round round = SAM_RNE; round <= SAM_RMM; round++) {
        bool down = round == SAM_RTZ || round == SAM_RDN, up = round == SAM_RTZ || round == SAM_RUP;
        const struct row tiny[] = {
            {0x001fffff, down ? LARGEST : INFINITE, FLAGS},
            {0x00000001, down ? LARGEST : INFINITE, FLAGS},
            {0x801fffff, 0x80000000 | (up ? LARGEST : INFINITE), FLAGS},
            {0x80000001, 0x80000000 | (up ? LARGEST : INFINITE), FLAGS},
        };
        check_rec7(any_mode, SAM_COUNT(any_mode), round);
        check_rec7(tiny, SAM_COUNT(tiny), round);
    }
}

/* RISC-V V 13.9. */
TEST(test_rsqrt7_specials)
{
    static const struct row rows[] = {
        {0xff800000, SAM_F32_NAN, SAM_FP_NV}, {0xbf800000, SAM_F32_NAN, SAM_FP_NV},
        {0x80000001, SAM_F32_NAN, SAM_FP_NV}, {0x80000000, 0xff800000, SAM_FP_DZ},
        {0x00000000, 0x7f800000, SAM_FP_DZ},  {0x7f800000, 0x00000000, 0},
        {0x7fc00001, SAM_F32_NAN, 0},         {0x7f800001, SAM_F32_NAN, SAM_FP_NV},
        {0xffc00000, SAM_F32_NAN, 0},         {0xffbfffff, SAM_F32_NAN, SAM_FP_NV},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        unsigned flags = 0;
        assert_int_equal(sam_f32_rsqrt7(rows[i].in, &flags), rows[i].out);
        assert_int_equal(flags, rows[i].flags);
    }
}

/* Relative error at most 2^-7 everywhere, subnormal inputs and results too. */
TEST(test_accuracy)
{
    static const uint16_t low_halves[] = {0, 1, 0x7fff, 0xffff};
    for (uint32_t high = 0; high < 0x7f80; high++)
        for (size_t low = 0; low < SAM_COUNT(low_halves); low++) {
            uint32_t x = high << 16 | low_halves[low];
            double value = (double)sam_bits_f32(x);
            unsigned flags = 0;
            if (x == 0)
                continue;
            double root = (double)sam_bits_f32(sam_f32_rsqrt7(x, &flags));
            assert_true(fabs(root * sqrt(value) - 1) <= 0x1p-7);
            if (x >= 0x00200000) {
                double inverse = (double)sam_bits_f32(sam_f32_rec7(x, SAM_RNE, &flags));
                assert_true(fabs(inverse * value - 1) <= 0x1p-7);
                double negated =
                    (double)sam_bits_f32(sam_f32_rec7(x | 0x80000000, SAM_RNE, &flags));
                assert_true(inverse == -negated);
            }
            assert_int_equal(flags, 0);
        }
}
