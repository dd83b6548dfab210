/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies and tables of the GPU routines (enum sam_lower_routine). */
#ifndef SAM_LOWER_MATH_H
#define SAM_LOWER_MATH_H

#include "lower/lower.h"

enum sam_lower_math {
    LOWER_MATH_NONE,
    LOWER_MATH_EXP,
    LOWER_MATH_EXP_F16,
    LOWER_MATH_RSQRT,
    LOWER_MATH_RSQRT_NARROW,
    LOWER_MATH_EXPDIF,
    LOWER_MATH_EXPDIF_NARROW,
    LOWER_MATH_LOG,
    LOWER_MATH_LOG_F16,
    LOWER_MATH_EXP_TABLE,
    LOWER_MATH_LOG_TABLE,
    LOWER_MATHS
};

/* Returns LOWER_MATH_NONE if no body is proven for the dtype. */
enum sam_lower_math sam_lower_math(enum sam_lower_routine routine, enum sam_dtype dtype);
const char *sam_lower_math_label(enum sam_lower_math body);
/* Bit set of a body and its table. */
uint64_t sam_lower_math_set(enum sam_lower_math body);
/* Append the bodies of a set, with their labels. */
void sam_lower_math_text(struct sam_buffer *out, uint64_t set);

/* expdif.c */
enum { LOWER_EXP_ENTRIES = 181 };
extern const char sam_lower_expdif_text[], sam_lower_expdif_narrow_text[];
extern const uint64_t sam_lower_exp_table[LOWER_EXP_ENTRIES];

/* log.c */
enum { LOWER_LOG_ENTRIES = 182 };
extern const char sam_lower_log_text[], sam_lower_log_f16_text[];
extern const uint64_t sam_lower_log_table[2 * LOWER_LOG_ENTRIES];

#endif
