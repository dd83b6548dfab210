/* SPDX-License-Identifier: Apache-2.0 */
/* Part of lanes_tmpl.h: single precision. RISC-V V 13. */

/* Order-preserving integer key of a float; +0 and -0 need separate handling. */
#define KEY(x)      (SI(x) ^ (SI(x) >> 31 & 0x7fffffff))
#define NAN_(x)     (((x)&0x7fffffff) > 0x7f800000)
#define SNAN_(x)    (NAN_(x) & !((x)&0x00400000))
#define ZEROS(a, b) ((((a) | (b)) & 0x7fffffff) == 0)

#define FVV_B0                    const uint32_t *vb = V(op->rs1)
#define FVF_B0                    const uint32_t s = X1
#define FVV(MACRO, name, ...)     MACRO(name##_vv, FVV_B0, vb[i], vb += SAM_LANES, __VA_ARGS__)
#define FVF(MACRO, name, ...)     MACRO(name##_vf, FVF_B0, s, (void)0, __VA_ARGS__)
#define FVV_FVF(MACRO, name, ...) FVV(MACRO, name, __VA_ARGS__) FVF(MACRO, name, __VA_ARGS__)

/* Sign injection and merges: no arithmetic. */
FVV_FVF(LANE_OP, vfsgnj, (a & ~NEG) | (b & NEG))
FVV_FVF(LANE_OP, vfsgnjn, (a & ~NEG) | (~b & NEG))
FVV_FVF(LANE_OP, vfsgnjx, a ^ (b & NEG))
LANE_OP(vfmerge_vfm, const uint32_t s = X1;
        const uint32_t *vm = V(0), s, vm += SAM_LANES, C0 ? b : a)

/* Minimum, maximum and compares on integer keys; `invalid` yields the operands that raise NV. */
#define FLAG_OP(name, B0, BI, BSTEP, invalid, expr)                                                \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        CHECK_GROUPS();                                                                            \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2);                                                           \
        uint32_t raised = 0;                                                                       \
        B0;                                                                                        \
        for (unsigned g = 0; g < GROUPS; g++) {                                                    \
            const lane_set m = set_of(W, acting(W, op, g));                                        \
            LANES                                                                                  \
            {                                                                                      \
                const uint32_t a = va[i], b = (BI);                                                \
                const uint32_t result = (uint32_t)(expr);                                          \
                raised |= (uint32_t)(invalid)&ON_WORD(m);                                          \
                vd[i] = ON(m) ? result : vd[i];                                                    \
            }                                                                                      \
            vd += SAM_LANES, va += SAM_LANES;                                                      \
            BSTEP;                                                                                 \
        }                                                                                          \
        c->fflags |= (uint8_t)(raised & 1 ? SAM_FP_NV : 0);                                        \
        SAM_NEXT();                                                                                \
    }

#define SIGNALS (SNAN_(a) | SNAN_(b))
#define ANY_NAN (NAN_(a) | NAN_(b))
#define ORDERED (ANY_NAN ^ 1)
#define PICK(other)                                                                                \
    (NAN_(a) ? (NAN_(b) ? SAM_F32_NAN : b) : NAN_(b) ? a : KEY(a) other KEY(b) ? a : b)
FVV_FVF(FLAG_OP, vfmin, SIGNALS, PICK(<))
FVV_FVF(FLAG_OP, vfmax, SIGNALS, PICK(>))
FVV_FVF(FLAG_OP, vmfeq, SIGNALS, ORDERED &((a == b) | ZEROS(a, b)))
FVV_FVF(FLAG_OP, vmfne, SIGNALS, ANY_NAN | ((a != b) & (ZEROS(a, b) ^ 1)))
FVV_FVF(FLAG_OP, vmflt, ANY_NAN, ORDERED &(KEY(a) < KEY(b)) & (ZEROS(a, b) ^ 1))
FVV_FVF(FLAG_OP, vmfle, ANY_NAN, ORDERED &((KEY(a) <= KEY(b)) | ZEROS(a, b)))
FVF(FLAG_OP, vmfgt, ANY_NAN, ORDERED &(KEY(a) > KEY(b)) & (ZEROS(a, b) ^ 1))
FVF(FLAG_OP, vmfge, ANY_NAN, ORDERED &((KEY(a) >= KEY(b)) | ZEROS(a, b)))

/* Lane by lane through base/fp.h, with RISC-V flags: for other rounding modes, and for operations
 * that are not both fast and exact on the host. */
#define EXACT_OP(name, B0, BI, BSTEP, exact)                                                       \
    static SAM_NOINLINE const struct sam_uop *exact_##name(SAM_HANDLER_ARGS)                       \
    {                                                                                              \
        CHECK_GROUPS();                                                                            \
        if (c->frm > SAM_RMM)                                                                      \
            SAM_TRAP_ILLEGAL();                                                                    \
        {                                                                                          \
            const enum sam_round round = (enum sam_round)c->frm;                                   \
            unsigned flags = 0;                                                                    \
            uint32_t *vd = V(op->rd);                                                              \
            const uint32_t *va = V(op->rs2);                                                       \
            B0;                                                                                    \
            (void)round;                                                                           \
            for (unsigned g = 0; g < GROUPS; g++) {                                                \
                for (uint32_t bits = acting(W, op, g); bits; bits &= bits - 1) {                   \
                    const int i = __builtin_ctz(bits);                                             \
                    const uint32_t a = va[i], b = (BI), d = vd[i];                                 \
                    (void)b, (void)d;                                                              \
                    vd[i] = (uint32_t)(exact);                                                     \
                }                                                                                  \
                vd += SAM_LANES, va += SAM_LANES;                                                  \
                BSTEP;                                                                             \
            }                                                                                      \
            c->fflags |= (uint8_t)flags;                                                           \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }

#define EXACT_ONLY(name, exact)                                                                    \
    EXACT_OP(name, (void)0, 0, (void)0, exact)                                                     \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        SAM_MUSTTAIL return exact_##name(c, op, entry, left);                                      \
    }

EXACT_ONLY(vfclass_v, sam_f32_class(a))
EXACT_ONLY(vfrec7_v, sam_f32_rec7(a, round, &flags))
EXACT_ONLY(vfrsqrt7_v, sam_f32_rsqrt7(a, &flags))
EXACT_ONLY(vfcvt_x_f_v, sam_f32_to_i32(a, round, &flags))
EXACT_ONLY(vfcvt_xu_f_v, sam_f32_to_u32(a, round, &flags))
EXACT_ONLY(vfcvt_rtz_x_f_v, sam_f32_to_i32(a, SAM_RTZ, &flags))
EXACT_ONLY(vfcvt_rtz_xu_f_v, sam_f32_to_u32(a, SAM_RTZ, &flags))

/* Host arithmetic, round to nearest even; the host's sticky flags are collected when they are read.
 * Inactive lanes compute on 1.0, which raises no flag. `fused` (FMA): if `hidden` holds in a lane,
 * the whole instruction takes the exact path, since x86 does not raise NV for infinity * 0 +
 * NaN. */
#define F(x) sam_bits_f32(x)
/* Branch-free: compilers would not vectorize a conditional. */
#define SELECT(m, x, y) ((y) ^ (((x) ^ (y)) & (uint32_t)(m)))
/* The flags of the lanes `active` of a group where the host's underflow flag is not RISC-V's. */
#define SETTLE(results, active, BI, exact)                                                         \
    if (SAM_UNLIKELY(sam_host_fp_underflowed((uintptr_t)(results)))) {                             \
        const enum sam_round round = SAM_RNE;                                                      \
        unsigned flags = 0;                                                                        \
        for (uint32_t bits = (active); bits; bits &= bits - 1) {                                   \
            const int i = __builtin_ctz(bits);                                                     \
            const uint32_t a = va[i], b = (BI), d = vd[i];                                         \
            (void)b, (void)d, (void)(exact);                                                       \
        }                                                                                          \
        c->fflags |= (uint8_t)flags;                                                               \
    }
#define HOST_OP(name, B0, BI, BSTEP, host, exact, fused, hidden)                                   \
    EXACT_OP(name, B0, BI, BSTEP, exact)                                                           \
    static SAM_NOINLINE const struct sam_uop *masked_##name(SAM_HANDLER_ARGS)                      \
    {                                                                                              \
        if (SAM_UNLIKELY(!c->frm_plain || (fused && W->groups == 2)))                              \
            SAM_MUSTTAIL return exact_##name(c, op, entry, left);                                  \
        CHECK_GROUPS();                                                                            \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2);                                                           \
        B0;                                                                                        \
        uint32_t *const r = W->data;                                                               \
        for (unsigned g = 0; g < GROUPS; g++) {                                                    \
            uint32_t nan = 0;                                                                      \
            const lane_set m = set_of(W, acting(W, op, g));                                        \
            LANES                                                                                  \
            {                                                                                      \
                const uint32_t one = 0x3f800000;                                                   \
                const uint32_t a = SELECT(ON_WORD(m), va[i], one),                                 \
                               b = SELECT(ON_WORD(m), (BI), one);                                  \
                const uint32_t d = SELECT(ON_WORD(m), vd[i], one);                                 \
                (void)a, (void)b, (void)d;                                                         \
                const uint32_t bits_ = sam_f32_bits(host);                                         \
                nan |= NAN_(bits_);                                                                \
                r[i] = NAN_(bits_) ? SAM_F32_NAN : bits_;                                          \
            }                                                                                      \
            SETTLE(r, acting(W, op, g), BI, exact)                                                 \
            if (fused && SAM_UNLIKELY(nan)) {                                                      \
                uint32_t unseen = 0;                                                               \
                LANES                                                                              \
                {                                                                                  \
                    const uint32_t a = va[i], b = (BI), d = vd[i];                                 \
                    (void)a, (void)b, (void)d;                                                     \
                    unseen |= (uint32_t)(hidden)&ON_WORD(m);                                       \
                }                                                                                  \
                if (unseen)                                                                        \
                    SAM_MUSTTAIL return exact_##name(c, op, entry, left);                          \
            }                                                                                      \
            blend(W, acting(W, op, g), vd, r);                                                     \
            vd += SAM_LANES, va += SAM_LANES;                                                      \
            BSTEP;                                                                                 \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }                                                                                              \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (SAM_UNLIKELY(!(W->full_32 & op->rs3 & c->frm_plain)))                                  \
            SAM_MUSTTAIL return masked_##name(c, op, entry, left);                                 \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2);                                                           \
        B0;                                                                                        \
        if (fused || SAM_HOST_FP_EARLY) {                                                          \
            uint32_t nan = 0;                                                                      \
            uint32_t r[SAM_LANES] __attribute__((aligned(64)));                                    \
            LANES                                                                                  \
            {                                                                                      \
                const uint32_t a = va[i], b = (BI), d = vd[i];                                     \
                (void)b, (void)d;                                                                  \
                const float result = (host);                                                       \
                nan |= result != result; /* raises no flag: a result is never signalling */        \
                r[i] = sam_f32_bits(result);                                                       \
            }                                                                                      \
            SETTLE(r, UINT32_MAX, BI, exact)                                                       \
            if (SAM_UNLIKELY(nan)) {                                                               \
                uint32_t unseen = 0;                                                               \
                LANES                                                                              \
                {                                                                                  \
                    const uint32_t a = va[i], b = (BI), d = vd[i];                                 \
                    (void)a, (void)b, (void)d;                                                     \
                    unseen |= (uint32_t)(hidden);                                                  \
                    r[i] = NAN_(r[i]) ? SAM_F32_NAN : r[i];                                        \
                }                                                                                  \
                if (unseen)                                                                        \
                    SAM_MUSTTAIL return exact_##name(c, op, entry, left);                          \
            }                                                                                      \
            LANES vd[i] = r[i];                                                                    \
        } else {                                                                                   \
            LANES                                                                                  \
            {                                                                                      \
                const uint32_t a = va[i], b = (BI), d = vd[i];                                     \
                (void)a, (void)b, (void)d;                                                         \
                const uint32_t bits_ = sam_f32_bits(host);                                         \
                vd[i] = NAN_(bits_) ? SAM_F32_NAN : bits_;                                         \
            }                                                                                      \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }

#define FP_VV(name, host, exact)   FVV(HOST_OP, name, host, exact, 0, 0)
#define FP_VF(name, host, exact)   FVF(HOST_OP, name, host, exact, 0, 0)
#define FP_BOTH(name, host, exact) FP_VV(name, host, exact) FP_VF(name, host, exact)

FP_BOTH(vfadd, F(a) + F(b), sam_f32_add(a, b, round, &flags))
FP_BOTH(vfsub, F(a) - F(b), sam_f32_sub(a, b, round, &flags))
FP_VF(vfrsub, F(b) - F(a), sam_f32_sub(b, a, round, &flags))
FP_BOTH(vfmul, F(a) * F(b), sam_f32_mul(a, b, round, &flags))
FP_BOTH(vfdiv, F(a) / F(b), sam_f32_div(a, b, round, &flags))
FP_VF(vfrdiv, F(b) / F(a), sam_f32_div(b, a, round, &flags))
HOST_OP(vfsqrt_v, (void)0, 0, (void)0, __builtin_sqrtf(F(a)), sam_f32_sqrt(a, round, &flags), 0, 0)
HOST_OP(vfcvt_f_x_v, (void)0, 0, (void)0, (float)SI(a), sam_i32_to_f32(SI(a), round, &flags), 0, 0)
HOST_OP(vfcvt_f_xu_v, (void)0, 0, (void)0, (float)a, sam_u32_to_f32(a, round, &flags), 0, 0)

/* Without a fused multiply-add on the host, only the exact path rounds once. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define INFINITE(x)     (((x)&0x7fffffff) == 0x7f800000)
#define ZERO(x)         (((x)&0x7fffffff) == 0)
#define HIDDEN(x, y, z) (NAN_(z) & ((INFINITE(x) & ZERO(y)) | (ZERO(x) & INFINITE(y))))
#define FMA_ONE(name, B0, BI, BSTEP, x, y, z, exact)                                               \
    HOST_OP(name, B0, BI, BSTEP, __builtin_fmaf(F(x), F(y), F(z)), exact, 1, HIDDEN(x, y, z))
#else
#define FMA_ONE(name, B0, BI, BSTEP, x, y, z, exact)                                               \
    EXACT_OP(name, B0, BI, BSTEP, exact)                                                           \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        SAM_MUSTTAIL return exact_##name(c, op, entry, left);                                      \
    }
#endif
/* x * y + z with a single rounding and optional negation of operands. RISC-V V 13.6. */
#define FMA(name, x, y, z)                                                                         \
    FVV(FMA_ONE, name, x, y, z, sam_f32_fma(x, y, z, round, &flags))                               \
    FVF(FMA_ONE, name, x, y, z, sam_f32_fma(x, y, z, round, &flags))

FMA(vfmacc, b, a, d)
FMA(vfnmacc, b ^ NEG, a, d ^ NEG)
FMA(vfmsac, b, a, d ^ NEG)
FMA(vfnmsac, b ^ NEG, a, d)
FMA(vfmadd, b, d, a)
FMA(vfnmadd, b ^ NEG, d, a ^ NEG)
FMA(vfmsub, b, d, a ^ NEG)
FMA(vfnmsub, b ^ NEG, d, a)

#include "simt/lanes_exp_tmpl.h"
