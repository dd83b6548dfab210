/* SPDX-License-Identifier: Apache-2.0 */
/* 7-bit reciprocal estimates. Each table entry is the fraction o of the estimate y = (128 + o) /
 * 256 that minimises the maximum relative error over its interval. For 1/x, entry i covers x in [1
 * + i/128, 1 + (i + 1)/128]; for 1/sqrt(x), entry 64 e + i covers x in [1 + i/64, 1 + (i + 1)/64],
 * doubled if e = 0 (e: lowest bit of the biased exponent). tests/base/fp_estimate.c derives both
 * tables from this rule. */
#include "base/fp.h"

/* clang-format off */
static const uint8_t rec7_fraction[128] = {
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100,
     99,  97,  96,  94,  93,  91,  90,  88,  87,  85,  84,  83,  81,  80,  79,  77,
     76,  75,  74,  72,  71,  70,  69,  68,  66,  65,  64,  63,  62,  61,  60,  59,
     58,  57,  56,  55,  54,  53,  52,  51,  50,  49,  48,  47,  46,  45,  44,  43,
     42,  41,  40,  40,  39,  38,  37,  36,  35,  35,  34,  33,  32,  31,  31,  30,
     29,  28,  28,  27,  26,  25,  25,  24,  23,  23,  22,  21,  21,  20,  19,  19,
     18,  17,  17,  16,  15,  15,  14,  14,  13,  12,  12,  11,  11,  10,   9,   9,
      8,   8,   7,   7,   6,   5,   5,   4,   4,   3,   3,   2,   2,   1,   1,   0,
};
static const uint8_t rsqrt7_fraction[128] = {
     52,  51,  50,  48,  47,  46,  44,  43,  42,  41,  40,  39,  38,  36,  35,  34,
     33,  32,  31,  30,  30,  29,  28,  27,  26,  25,  24,  23,  23,  22,  21,  20,
     19,  19,  18,  17,  16,  16,  15,  14,  14,  13,  12,  12,  11,  10,  10,   9,
      9,   8,   7,   7,   6,   6,   5,   4,   4,   3,   3,   2,   2,   1,   1,   0,
    127, 125, 123, 121, 119, 118, 116, 114, 113, 111, 109, 108, 106, 105, 103, 102,
    100,  99,  97,  96,  95,  93,  92,  91,  90,  88,  87,  86,  85,  84,  83,  82,
     80,  79,  78,  77,  76,  75,  74,  73,  72,  71,  70,  70,  69,  68,  67,  66,
     65,  64,  63,  63,  62,  61,  60,  59,  59,  58,  57,  56,  56,  55,  54,  53,
};
/* clang-format on */

/* Split a number that is not zero, infinite or NaN into biased exponent (0 and below for
 * subnormals, as if the range continued) and fraction. */
static int split(uint32_t a, uint32_t *fraction)
{
    int exp = (int)(a >> 23 & 0xff);
    *fraction = a & 0x7fffff;
    if (exp == 0) {
        int left = __builtin_clz(*fraction) - 8;
        *fraction = *fraction << left & 0x7fffff;
        exp = 1 - left;
    }
    return exp;
}

static uint32_t from_nan(bool signaling, unsigned *flags)
{
    if (signaling)
        *flags |= SAM_FP_NV;
    return SAM_F32_NAN;
}

uint32_t sam_f32_rec7(uint32_t a, enum sam_round round, unsigned *flags)
{
    uint32_t sign = a & UINT32_C(0x80000000), magnitude = a ^ sign, fraction;
    if (sam_f32_is_nan(a))
        return from_nan(sam_f32_is_snan(a), flags);
    if (magnitude == 0x7f800000)
        return sign;
    if (magnitude == 0) {
        *flags |= SAM_FP_DZ;
        return sign | 0x7f800000;
    }
    int exp = 2 * 127 - 1 - split(a, &fraction);
    if (exp > 254) { /* 1/a overflows: |a| < 2^-128 */
        bool largest = round == SAM_RTZ || round == (sign ? SAM_RUP : SAM_RDN);
        *flags |= SAM_FP_NX | SAM_FP_OF;
        return sign | (0x7f800000 - largest);
    }
    fraction = (uint32_t)rec7_fraction[fraction >> 16] << 16;
    if (exp < 1) { /* subnormal, at full precision: exp is 0 or -1 */
        fraction = (fraction | 0x800000) >> (1 - exp);
        exp = 0;
    }
    return sign | (uint32_t)exp << 23 | fraction;
}

uint32_t sam_f32_rsqrt7(uint32_t a, unsigned *flags)
{
    uint32_t fraction;
    if (sam_f32_is_nan(a))
        return from_nan(sam_f32_is_snan(a), flags);
    if ((a & 0x7fffffff) == 0) {
        *flags |= SAM_FP_DZ;
        return a | 0x7f800000;
    }
    if (a >> 31)
        return from_nan(true, flags);
    if (a == 0x7f800000)
        return 0;
    int exp = split(a, &fraction);
    unsigned index = ((unsigned)exp & 1) << 6 | fraction >> 17;
    return (uint32_t)((3 * 127 - 1 - exp) / 2) << 23 | (uint32_t)rsqrt7_fraction[index] << 16;
}
