/* SPDX-License-Identifier: Apache-2.0 */
/* IEEE 754 single precision in integer arithmetic: the slow, exact path for what the host cannot
 * do. All rounding modes, RISC-V flags, RISC-V NaN rules (results are the canonical NaN 7fc00000;
 * min/max are minimumNumber/maximumNumber with -0 < +0). Values are bit patterns. */
#ifndef SAM_FP_H
#define SAM_FP_H

#include <stdbool.h>
#include <stdint.h>

/* RISC-V rounding modes (frm). */
enum sam_round { SAM_RNE, SAM_RTZ, SAM_RDN, SAM_RUP, SAM_RMM };

/* RISC-V fflags. */
enum { SAM_FP_NX = 1, SAM_FP_UF = 2, SAM_FP_OF = 4, SAM_FP_DZ = 8, SAM_FP_NV = 16 };

#define SAM_F32_NAN UINT32_C(0x7fc00000)

static inline bool sam_f32_is_nan(uint32_t a)
{
    return (a & 0x7fffffff) > 0x7f800000;
}
static inline bool sam_f32_is_snan(uint32_t a)
{
    return sam_f32_is_nan(a) && !(a & 0x00400000);
}

/* Raised flags are or-ed into *flags. Underflow is detected after rounding. */
uint32_t sam_f32_add(uint32_t a, uint32_t b, enum sam_round round, unsigned *flags);
uint32_t sam_f32_sub(uint32_t a, uint32_t b, enum sam_round round, unsigned *flags);
uint32_t sam_f32_mul(uint32_t a, uint32_t b, enum sam_round round, unsigned *flags);
uint32_t sam_f32_div(uint32_t a, uint32_t b, enum sam_round round, unsigned *flags);
uint32_t sam_f32_sqrt(uint32_t a, enum sam_round round, unsigned *flags);
/* a * b + c with one rounding; infinity * 0 raises NV even when c is a quiet NaN. */
uint32_t sam_f32_fma(uint32_t a, uint32_t b, uint32_t c, enum sam_round round, unsigned *flags);
uint32_t sam_f32_min(uint32_t a, uint32_t b, unsigned *flags);
uint32_t sam_f32_max(uint32_t a, uint32_t b, unsigned *flags);
/* feq is quiet; flt and fle signal on any NaN. */
bool sam_f32_eq(uint32_t a, uint32_t b, unsigned *flags);
bool sam_f32_lt(uint32_t a, uint32_t b, unsigned *flags);
bool sam_f32_le(uint32_t a, uint32_t b, unsigned *flags);
/* Conversions saturate; NaN converts to the largest value; both raise NV without NX. */
int32_t sam_f32_to_i32(uint32_t a, enum sam_round round, unsigned *flags);
uint32_t sam_f32_to_u32(uint32_t a, enum sam_round round, unsigned *flags);
int64_t sam_f32_to_i64(uint32_t a, enum sam_round round, unsigned *flags);
uint64_t sam_f32_to_u64(uint32_t a, enum sam_round round, unsigned *flags);
uint32_t sam_i32_to_f32(int32_t a, enum sam_round round, unsigned *flags);
uint32_t sam_u32_to_f32(uint32_t a, enum sam_round round, unsigned *flags);
uint32_t sam_i64_to_f32(int64_t a, enum sam_round round, unsigned *flags);
uint32_t sam_u64_to_f32(uint64_t a, enum sam_round round, unsigned *flags);
/* fclass: one of ten bits. RISC-V F 21.9. */
uint32_t sam_f32_class(uint32_t a);
/* vfrec7, vfrsqrt7: 7-bit estimates. RISC-V V 13.9, 13.10. */
uint32_t sam_f32_rec7(uint32_t a, enum sam_round round, unsigned *flags);
uint32_t sam_f32_rsqrt7(uint32_t a, unsigned *flags);

#endif
