/* SPDX-License-Identifier: Apache-2.0 */
/* Exact integer arithmetic for half, single and double precision, for the matrix unit: all rounding
 * modes, RISC-V flags (underflow after rounding), canonical NaN. Values are bit patterns in the low
 * bits. */
#ifndef SAM_FP_WIDE_H
#define SAM_FP_WIDE_H

#include "base/fp.h"

enum sam_fp_width { SAM_FP_16, SAM_FP_32, SAM_FP_64 };

#define SAM_F16_NAN UINT16_C(0x7e00)
#define SAM_F64_NAN UINT64_C(0x7ff8000000000000)

/* a * b + c with one rounding. */
uint64_t sam_fp_fma(enum sam_fp_width width, uint64_t a, uint64_t b, uint64_t c,
                    enum sam_round round, unsigned *flags);
uint64_t sam_fp_mul(enum sam_fp_width width, uint64_t a, uint64_t b, enum sam_round round,
                    unsigned *flags);
uint64_t sam_fp_add(enum sam_fp_width width, uint64_t a, uint64_t b, enum sam_round round,
                    unsigned *flags);
/* Convert to a format at least as wide. */
uint64_t sam_fp_widen(enum sam_fp_width from, enum sam_fp_width to, uint64_t a, unsigned *flags);

#endif
