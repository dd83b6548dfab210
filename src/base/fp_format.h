/* SPDX-License-Identifier: Apache-2.0 */
/* Binary floating-point formats of at most 16 bits as data: fp4, fp8, half, bfloat16. Values are
 * bit patterns; the way between them and the host's arithmetic is double, which holds every value
 * of every format exactly. No flags. */
#ifndef SAM_FP_FORMAT_H
#define SAM_FP_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* What the largest exponent means. */
enum sam_fp_top {
    SAM_FP_IEEE,     /* infinity and NaN */
    SAM_FP_ONE_NAN,  /* a value, but for all ones: NaN (OCP E4M3) */
    SAM_FP_ALL_REAL, /* a value: neither infinity nor NaN */
};

struct sam_fp_format {
    uint8_t exponent, mantissa; /* bits; the sign stands above */
    int8_t bias;
    enum sam_fp_top top;
    uint16_t nan; /* canonical, where there is one */
};

double sam_fp_value(const struct sam_fp_format *format, unsigned bits);
/* `value` rounded to nearest, ties to even. What is past the largest finite value becomes it;
 * infinity stays where the format has it, and becomes the largest value or NaN where not; NaN
 * becomes the canonical one (the format has one). */
unsigned sam_fp_round(const struct sam_fp_format *format, double value);

#endif
