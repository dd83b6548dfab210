/* SPDX-License-Identifier: Apache-2.0 */
/* Single precision for the reference: every operation is exact on integers and then rounded
 * once. Slow and short on purpose; shares nothing with src/base/fp.h. */
#ifndef REF_FLOAT_H
#define REF_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

enum { REF_NX = 1, REF_UF = 2, REF_OF = 4, REF_DZ = 8, REF_NV = 16 };
enum { REF_RNE, REF_RTZ, REF_RDN, REF_RUP, REF_RMM };

#define REF_NAN 0x7fc00000u

/* Rounding mode in, accrued flags out. */
struct ref_fp {
    unsigned rm;
    unsigned flags;
};

uint32_t ref_fadd(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_fsub(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_fmul(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_fdiv(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_fsqrt(struct ref_fp *fp, uint32_t bits);
/* a * b + c, one rounding. */
uint32_t ref_fma(struct ref_fp *fp, uint32_t a, uint32_t b, uint32_t c);
/* IEEE 754-2019 minimumNumber, maximumNumber. */
uint32_t ref_fmin(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_fmax(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_feq(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_flt(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_fle(struct ref_fp *fp, uint32_t a, uint32_t b);
uint32_t ref_fclass(uint32_t bits);
uint32_t ref_to_int(struct ref_fp *fp, uint32_t bits, bool is_signed);
uint32_t ref_from_int(struct ref_fp *fp, uint32_t a, bool is_signed);
/* The 7-bit estimates of RISC-V V 13.9 and 13.10. */
uint32_t ref_rsqrt7(struct ref_fp *fp, uint32_t bits);
uint32_t ref_rec7(struct ref_fp *fp, uint32_t bits);
/* float(exp((double)a)), to nearest in any mode, without flags (ruling 2.13). */
uint32_t ref_exp(uint32_t bits);

#endif
