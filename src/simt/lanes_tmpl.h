/* SPDX-License-Identifier: Apache-2.0 */
/* Vector semantics as loops over 32 lanes, compiled by lanes_base.c, lanes_v3.c and lanes_v4.c for
 * several levels of the host's instruction set; FILL names the function that enters them in a
 * table. Each instruction has a handler for "every lane acts" and falls into a masked one
 * otherwise. RISC-V V chapters 11, 13, 15, 16; Ventus 4.1, 4.2. */
#include "base/fp.h"
#include "machine/threads.h"
#include "simt/simt.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* One statement a lane. Registers are the same or apart, never shifted: no dependence between
 * lanes. */
#if defined(__clang__)
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < SAM_LANES; i++)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < SAM_LANES; i++)
#endif

#define W     sam_warp_of(c)
#define V(n)  ((uint32_t *)__builtin_assume_aligned(W->v[n], 64))
#define X1    (c->x32[op->rs1])
#define NEG   UINT32_C(0x80000000)
#define SI(x) ((int32_t)(x))

/* Bit i: lane i of `words` is not zero (all ones). */
static inline uint32_t lane_bits(const int32_t *words)
{
    words = __builtin_assume_aligned(words, 64);
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return _mm512_movepi32_mask(_mm512_load_si512(words)) |
           (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(words + 16)) << 16;
#elif defined(__AVX2__)
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)words + 8 * i))
                << (8 * i);
    return bits;
#else
    uint32_t bits = 0;
    for (int i = 0; i < SAM_LANES; i++)
        bits |= (uint32_t)(words[i] & 1) << i;
    return bits;
#endif
}

/* Lanes that act on group g of this instruction. */
static inline const int32_t *acting(struct sam_warp *w, const struct sam_uop *op, unsigned g,
                                    uint32_t *bits)
{
    if (SAM_LIKELY(op->rs3 & SAM_UOP_VM)) {
        *bits = w->bits[g];
        return __builtin_assume_aligned(w->mask[g], 64);
    }
    const uint32_t *v0 = w->v[g];
    LANES w->masked[i] = w->mask[g][i] & -SI(v0[i] & 1);
    *bits = lane_bits(w->masked);
    return __builtin_assume_aligned(w->masked, 64);
}

/* May the instruction run under the current vtype? LMUL 2 wants even registers (RISC-V V 3.4.2). */
static inline bool groups_ok(const struct sam_warp *w, const struct sam_uop *op)
{
    return w->groups == 1 || (w->groups == 2 && !(op->rs3 & SAM_UOP_ODD));
}

#define CHECK_GROUPS()                                                                             \
    if (SAM_UNLIKELY(!groups_ok(W, op)))                                                           \
    SAM_TRAP(SAM_CAUSE_ILLEGAL, sam_word_of(c, op))

/* ------------------------------------------------------------------------ lane results */

/* vd[i] = expr of a (vs2), b (vs1 or a scalar), d (old vd). B0 declares b's source, BI reads it. */
#define LANE_OP(name, B0, BI, BSTEP, expr)                                                         \
    static SAM_NOINLINE const struct sam_uop *masked_##name(SAM_HANDLER_ARGS)                      \
    {                                                                                              \
        CHECK_GROUPS();                                                                            \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2);                                                           \
        B0;                                                                                        \
        (void)va;                                                                                  \
        for (unsigned g = 0; g < W->groups; g++) {                                                 \
            uint32_t bits;                                                                         \
            const int32_t *m = acting(W, op, g, &bits);                                            \
            const uint32_t first = g * W->lanes;                                                   \
            (void)first;                                                                           \
            LANES                                                                                  \
            {                                                                                      \
                const uint32_t a = va[i], b = (BI), d = vd[i];                                     \
                (void)a, (void)b, (void)d;                                                         \
                const uint32_t result = (uint32_t)(expr);                                          \
                vd[i] = m[i] ? result : d;                                                         \
            }                                                                                      \
            vd += SAM_LANES, va += SAM_LANES;                                                      \
            BSTEP;                                                                                 \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }                                                                                              \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (SAM_UNLIKELY(!(W->full & op->rs3)))                                                    \
            SAM_MUSTTAIL return masked_##name(c, op, entry, left);                                 \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2), first = 0;                                                \
        B0;                                                                                        \
        (void)va, (void)first;                                                                     \
        LANES                                                                                      \
        {                                                                                          \
            const uint32_t a = va[i], b = (BI), d = vd[i];                                         \
            (void)a, (void)b, (void)d;                                                             \
            vd[i] = (uint32_t)(expr);                                                              \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }

#define VV(name, expr)                                                                             \
    LANE_OP(name##_vv, const uint32_t *vb = V(op->rs1), vb[i], vb += SAM_LANES, expr)
#define VX(name, expr)       LANE_OP(name##_vx, const uint32_t s = X1, s, (void)0, expr)
#define VI(name, expr)       LANE_OP(name##_vi, const uint32_t s = (uint32_t)op->imm, s, (void)0, expr)
#define V1(name, expr)       LANE_OP(name, (void)0, 0, (void)0, expr)
#define VV_VX(name, expr)    VV(name, expr) VX(name, expr)
#define VX_VI(name, expr)    VX(name, expr) VI(name, expr)
#define VV_VX_VI(name, expr) VV(name, expr) VX(name, expr) VI(name, expr)

/* integer, RISC-V V 11 */
VV_VX_VI(vadd, a + b)
VV_VX(vsub, a - b)
VX_VI(vrsub, b - a)
VV_VX(vminu, a < b ? a : b)
VV_VX(vmin, SI(a) < SI(b) ? a : b)
VV_VX(vmaxu, a > b ? a : b)
VV_VX(vmax, SI(a) > SI(b) ? a : b)
VV_VX_VI(vand, a &b)
VV_VX_VI(vor, a | b)
VV_VX_VI(vxor, a ^ b)
VV_VX_VI(vsll, a << (b & 31))
VV_VX_VI(vsrl, a >> (b & 31))
VV_VX_VI(vsra, SI(a) >> (b & 31))

VV_VX_VI(vmseq, a == b)
VV_VX_VI(vmsne, a != b)
VV_VX(vmsltu, a < b)
VV_VX(vmslt, SI(a) < SI(b))
VV_VX_VI(vmsleu, a <= b)
VV_VX_VI(vmsle, SI(a) <= SI(b))
VX_VI(vmsgtu, a > b)
VX_VI(vmsgt, SI(a) > SI(b))

VV_VX(vmul, a *b)
VV_VX(vmulh, (int64_t)SI(a) * SI(b) >> 32)
VV_VX(vmulhu, (uint64_t)a *b >> 32)
VV_VX(vmulhsu, (int64_t)SI(a) * (int64_t)b >> 32)
VV_VX(vdivu, b == 0 ? UINT32_MAX : a / b)
VV_VX(vdiv, b == 0 ? UINT32_MAX : b == UINT32_MAX ? 0 - a : (uint32_t)(SI(a) / SI(b)))
VV_VX(vremu, b == 0 ? a : a % b)
VV_VX(vrem, b == 0 ? a : b == UINT32_MAX ? 0 : (uint32_t)(SI(a) % SI(b)))
VV_VX(vmacc, b *a + d)
VV_VX(vnmsac, d - b * a)
VV_VX(vmadd, b *d + a)
VV_VX(vnmsub, a - b * d)

V1(vzext_vf2, a & 0xffff)
V1(vsext_vf2, SI(a << 16) >> 16)
V1(vzext_vf4, a & 0xff)
V1(vsext_vf4, SI(a << 24) >> 24)

/* carries and merges: v0 of the group is an operand, not a mask */
#define VVM(name, expr)                                                                            \
    LANE_OP(name##_vvm, const uint32_t *vb = V(op->rs1);                                           \
            const uint32_t *vm = V(0), vb[i], (vb += SAM_LANES, vm += SAM_LANES), expr)
#define VXM(name, expr)                                                                            \
    LANE_OP(name##_vxm, const uint32_t s = X1; const uint32_t *vm = V(0), s, vm += SAM_LANES, expr)
#define VIM(name, expr)                                                                            \
    LANE_OP(name##_vim, const uint32_t s = (uint32_t)op->imm;                                      \
            const uint32_t *vm = V(0), s, vm += SAM_LANES, expr)
#define C0 (vm[i] & 1)

VVM(vadc, a + b + C0)
VXM(vadc, a + b + C0)
VIM(vadc, a + b + C0)
VVM(vmadc, ((uint64_t)a + b + C0) >> 32)
VXM(vmadc, ((uint64_t)a + b + C0) >> 32)
VIM(vmadc, ((uint64_t)a + b + C0) >> 32)
VV_VX_VI(vmadc, ((uint64_t)a + b) >> 32)
VVM(vsbc, a - b - C0)
VXM(vsbc, a - b - C0)
VVM(vmsbc, (uint64_t)a < (uint64_t)b + C0)
VXM(vmsbc, (uint64_t)a < (uint64_t)b + C0)
VV_VX(vmsbc, a < b)

VVM(vmerge, C0 ? b : a)
VXM(vmerge, C0 ? b : a)
VIM(vmerge, C0 ? b : a)
LANE_OP(vmv_v_v, const uint32_t *vb = V(op->rs1), vb[i], vb += SAM_LANES, b)
LANE_OP(vmv_v_x, const uint32_t s = X1, s, (void)0, b)
LANE_OP(vmv_v_i, const uint32_t s = (uint32_t)op->imm, s, (void)0, b)
V1(vid_v, first + (uint32_t)i)

/* mask logic on bit 0, RISC-V V 15.1 */
VV(vmand_mm, a &b & 1)
VV(vmnand_mm, ~(a &b) & 1)
VV(vmandn_mm, a & ~b & 1)
VV(vmxor_mm, (a ^ b) & 1)
VV(vmor_mm, (a | b) & 1)
VV(vmnor_mm, ~(a | b) & 1)
VV(vmorn_mm, (a | ~b) & 1)
VV(vmxnor_mm, ~(a ^ b) & 1)

/* Ventus 4.2.5: source in the vs1 field */
LANE_OP(vadd12_vi, const uint32_t *vb = V(op->rs1);
        const uint32_t s = (uint32_t)op->imm, vb[i], vb += SAM_LANES, b + s)
LANE_OP(vsub12_vi, const uint32_t *vb = V(op->rs1);
        const uint32_t s = (uint32_t)op->imm, vb[i], vb += SAM_LANES, b - s)

/* ---------------------------------------------------------------------- floating point */

/* Floats as integers that compare like them; both zeros must be handled apart. */
#define KEY(x)      (SI(x) ^ (SI(x) >> 31 & 0x7fffffff))
#define NAN_(x)     (((x)&0x7fffffff) > 0x7f800000)
#define SNAN_(x)    (NAN_(x) & !((x)&0x00400000))
#define ZEROS(a, b) ((((a) | (b)) & 0x7fffffff) == 0)

#define FVV_B0                    const uint32_t *vb = V(op->rs1)
#define FVF_B0                    const uint32_t s = X1
#define FVV(MACRO, name, ...)     MACRO(name##_vv, FVV_B0, vb[i], vb += SAM_LANES, __VA_ARGS__)
#define FVF(MACRO, name, ...)     MACRO(name##_vf, FVF_B0, s, (void)0, __VA_ARGS__)
#define FVV_FVF(MACRO, name, ...) FVV(MACRO, name, __VA_ARGS__) FVF(MACRO, name, __VA_ARGS__)

/* Copies of sign bits, merges: no arithmetic. */
FVV_FVF(LANE_OP, vfsgnj, (a & ~NEG) | (b & NEG))
FVV_FVF(LANE_OP, vfsgnjn, (a & ~NEG) | (~b & NEG))
FVV_FVF(LANE_OP, vfsgnjx, a ^ (b & NEG))
LANE_OP(vfmerge_vfm, const uint32_t s = X1;
        const uint32_t *vm = V(0), s, vm += SAM_LANES, C0 ? b : a)

/* Minimum, maximum and compares in integers: `invalid` says which operands raise NV. */
#define FLAG_OP(name, B0, BI, BSTEP, invalid, expr)                                                \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        CHECK_GROUPS();                                                                            \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2);                                                           \
        uint32_t raised = 0;                                                                       \
        B0;                                                                                        \
        for (unsigned g = 0; g < W->groups; g++) {                                                 \
            uint32_t bits;                                                                         \
            const int32_t *m = acting(W, op, g, &bits);                                            \
            LANES                                                                                  \
            {                                                                                      \
                const uint32_t a = va[i], b = (BI);                                                \
                const uint32_t result = (uint32_t)(expr);                                          \
                raised |= (uint32_t)(invalid) & (uint32_t)m[i];                                    \
                vd[i] = m[i] ? result : vd[i];                                                     \
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

/* Everything through base/fp.h: other rounding modes, and what the host has no quick exact form
 * of. RISC-V flags, lane by lane. */
#define EXACT_OP(name, B0, BI, BSTEP, exact)                                                       \
    static SAM_NOINLINE const struct sam_uop *exact_##name(SAM_HANDLER_ARGS)                       \
    {                                                                                              \
        CHECK_GROUPS();                                                                            \
        if (c->frm > SAM_RMM)                                                                      \
            SAM_TRAP(SAM_CAUSE_ILLEGAL, sam_word_of(c, op));                                       \
        {                                                                                          \
            const enum sam_round round = (enum sam_round)c->frm;                                   \
            unsigned flags = 0;                                                                    \
            uint32_t *vd = V(op->rd);                                                              \
            const uint32_t *va = V(op->rs2);                                                       \
            B0;                                                                                    \
            (void)round;                                                                           \
            for (unsigned g = 0; g < W->groups; g++) {                                             \
                uint32_t bits;                                                                     \
                acting(W, op, g, &bits);                                                           \
                for (; bits; bits &= bits - 1) {                                                   \
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

/* Host arithmetic to nearest even, its sticky flags collected when they are read. Lanes that do
 * not act compute on 1.0, which raises nothing. `repair` (FMA): a NaN result sends the whole
 * instruction to the exact way, since x86 does not raise NV for infinity * 0 + NaN. */
#define F(x) sam_bits_f32(x)
/* Without a condition: compilers would make two paths of one and lose the vectors. */
#define SELECT(m, x, y) ((y) ^ (((x) ^ (y)) & (uint32_t)(m)))
#define HOST_OP(name, B0, BI, BSTEP, host, exact, repair)                                          \
    EXACT_OP(name, B0, BI, BSTEP, exact)                                                           \
    static SAM_NOINLINE const struct sam_uop *masked_##name(SAM_HANDLER_ARGS)                      \
    {                                                                                              \
        if (SAM_UNLIKELY(!c->frm_plain || (repair && W->groups == 2)))                             \
            SAM_MUSTTAIL return exact_##name(c, op, entry, left);                                  \
        CHECK_GROUPS();                                                                            \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2);                                                           \
        B0;                                                                                        \
        uint32_t *const r = W->data;                                                               \
        for (unsigned g = 0; g < W->groups; g++) {                                                 \
            uint32_t bits, nan = 0;                                                                \
            const int32_t *m = acting(W, op, g, &bits);                                            \
            LANES                                                                                  \
            {                                                                                      \
                const uint32_t one = 0x3f800000;                                                   \
                const uint32_t a = SELECT(m[i], va[i], one), b = SELECT(m[i], (BI), one);          \
                const uint32_t d = SELECT(m[i], vd[i], one);                                       \
                (void)a, (void)b, (void)d;                                                         \
                const uint32_t bits_ = sam_f32_bits(host);                                         \
                nan |= NAN_(bits_);                                                                \
                r[i] = NAN_(bits_) ? SAM_F32_NAN : bits_;                                          \
            }                                                                                      \
            if (repair && SAM_UNLIKELY(nan))                                                       \
                SAM_MUSTTAIL return exact_##name(c, op, entry, left);                              \
            LANES vd[i] = m[i] ? r[i] : vd[i];                                                     \
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
        if (repair) {                                                                              \
            uint32_t nan = 0;                                                                      \
            uint32_t r[SAM_LANES] __attribute__((aligned(64)));                                    \
            LANES                                                                                  \
            {                                                                                      \
                const uint32_t a = va[i], b = (BI), d = vd[i];                                     \
                (void)b, (void)d;                                                                  \
                const uint32_t bits_ = sam_f32_bits(host);                                         \
                nan |= NAN_(bits_);                                                                \
                r[i] = bits_;                                                                      \
            }                                                                                      \
            if (SAM_UNLIKELY(nan))                                                                 \
                SAM_MUSTTAIL return exact_##name(c, op, entry, left);                              \
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

#define FP_VV(name, host, exact)   FVV(HOST_OP, name, host, exact, 0)
#define FP_VF(name, host, exact)   FVF(HOST_OP, name, host, exact, 0)
#define FP_BOTH(name, host, exact) FP_VV(name, host, exact) FP_VF(name, host, exact)

FP_BOTH(vfadd, F(a) + F(b), sam_f32_add(a, b, round, &flags))
FP_BOTH(vfsub, F(a) - F(b), sam_f32_sub(a, b, round, &flags))
FP_VF(vfrsub, F(b) - F(a), sam_f32_sub(b, a, round, &flags))
FP_BOTH(vfmul, F(a) * F(b), sam_f32_mul(a, b, round, &flags))
FP_BOTH(vfdiv, F(a) / F(b), sam_f32_div(a, b, round, &flags))
FP_VF(vfrdiv, F(b) / F(a), sam_f32_div(b, a, round, &flags))
HOST_OP(vfsqrt_v, (void)0, 0, (void)0, __builtin_sqrtf(F(a)), sam_f32_sqrt(a, round, &flags), 0)
HOST_OP(vfcvt_f_x_v, (void)0, 0, (void)0, (float)SI(a), sam_i32_to_f32(SI(a), round, &flags), 0)
HOST_OP(vfcvt_f_xu_v, (void)0, 0, (void)0, (float)a, sam_u32_to_f32(a, round, &flags), 0)

/* Without a fused multiply-add in the host the exact way is the only right one. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FMA_ONE(name, B0, BI, BSTEP, x, y, z, exact)                                               \
    HOST_OP(name, B0, BI, BSTEP, __builtin_fmaf(F(x), F(y), F(z)), exact, 1)
#else
#define FMA_ONE(name, B0, BI, BSTEP, x, y, z, exact)                                               \
    EXACT_OP(name, B0, BI, BSTEP, exact)                                                           \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        SAM_MUSTTAIL return exact_##name(c, op, entry, left);                                      \
    }
#endif
/* x * y + z of possibly negated operands, one rounding. RISC-V V 13.6. */
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

/* ------------------------------------------------------------------- branches, Ventus 4.2.1 */

#define VBRANCH(name, condition)                                                                   \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (SAM_UNLIKELY(!W->groups))                                                              \
            SAM_TRAP(SAM_CAUSE_ILLEGAL, sam_word_of(c, op));                                       \
        const uint32_t *va = V(op->rs2), *vb = V(op->rs1);                                         \
        int32_t *t = W->masked;                                                                    \
        LANES                                                                                      \
        {                                                                                          \
            const uint32_t a = va[i], b = vb[i];                                                   \
            t[i] = -(condition);                                                                   \
        }                                                                                          \
        W->taken = lane_bits(t) & W->simt;                                                         \
        SAM_MUSTTAIL return sam_warp_branch(c, op, entry, left);                                   \
    }

VBRANCH(vbeq, a == b)
VBRANCH(vbne, a != b)
VBRANCH(vblt, SI(a) < SI(b))
VBRANCH(vbge, SI(a) >= SI(b))
VBRANCH(vbltu, a < b)
VBRANCH(vbgeu, a >= b)

/* --------------------------------------------------------------------------------- memory */

/* Where the lanes' accesses of `size` bytes lie: the host address of what lane 0's would be when
 * they follow one another and all of them are in one page's reach, else NULL. Only the bytes of
 * acting lanes may then be touched. */
static inline uint8_t *unit_stride(const struct sam_warp *w, const int32_t *m, uint32_t bits,
                                   bool write)
{
    const uint32_t *at = __builtin_assume_aligned(w->address, 64);
    const uint32_t low = (uint32_t)__builtin_ctz(bits), high = 31 - (uint32_t)__builtin_clz(bits);
    const uint32_t base = at[low] - 4 * low;
    uint32_t apart = 0;
    LANES apart |= (at[i] ^ (base + 4 * (uint32_t)i)) & (uint32_t)m[i];
    const uint32_t start = at[low], span = 4 * (high - low + 1);
    const struct sam_page *page = &w->core.pages[start >> 12];
    const uint32_t offset = start & (SAM_PAGE_SIZE - 1);
    if (apart | (start & 3) || offset + span > (write ? page->write_limit : page->read_limit))
        return NULL;
    return page->host + offset - 4 * low;
}

/* Does every acting lane have the address of the lowest one? */
static inline bool one_address(const struct sam_warp *w, const int32_t *m, uint32_t bits)
{
    const uint32_t *at = __builtin_assume_aligned(w->address, 64);
    const uint32_t base = at[__builtin_ctz(bits)];
    uint32_t apart = 0;
    LANES apart |= (at[i] ^ base) & (uint32_t)m[i];
    return apart == 0;
}

/* Load `size` bytes a lane from w->address, extended, into vd. On a fault nothing is written and
 * the core has cause, value and lane. */
static inline bool load_lanes(struct sam_warp *w, const int32_t *m, uint32_t bits, uint32_t *vd,
                              unsigned size, bool is_signed)
{
    struct sam_core *c = &w->core;
    if (SAM_UNLIKELY(!bits))
        return true;
    if (size == 4) {
        const uint8_t *host = unit_stride(w, m, bits, false);
        if (SAM_LIKELY(host != NULL)) {
            if (bits == UINT32_MAX) {
                memcpy(vd, host, 4 * SAM_LANES);
                return true;
            }
            const uint32_t *from = (const uint32_t *)(const void *)host;
            LANES if (m[i]) vd[i] = from[i];
            return true;
        }
    }
    uint32_t *data = w->data;
    uint32_t rest = one_address(w, m, bits) ? bits & -bits : bits;
    const bool spread = rest != bits;
    uint32_t word = 0;
    for (; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint8_t *host = sam_fast32(c, w->address[lane], size, false);
        if (SAM_UNLIKELY(!host) && !(host = sam_access_slow(c, w->address[lane], size, SAM_LOAD))) {
            c->fault_lane = lane;
            return false;
        }
        if (size == 4)
            word = sam_le32(host);
        else if (size == 2)
            word = is_signed ? (uint32_t)(int16_t)sam_le16(host) : sam_le16(host);
        else
            word = is_signed ? (uint32_t)(int8_t)*host : *host;
        data[lane] = word;
    }
    if (spread)
        LANES vd[i] = m[i] ? word : vd[i];
    else
        LANES vd[i] = m[i] ? data[i] : vd[i];
    return true;
}

/* Store the low `size` bytes of each lane; where addresses collide the highest lane wins. Lanes
 * below a faulting one have stored. */
static inline bool store_lanes(struct sam_warp *w, const int32_t *m, uint32_t bits,
                               const uint32_t *vs, unsigned size)
{
    struct sam_core *c = &w->core;
    if (SAM_UNLIKELY(!bits))
        return true;
    if (size == 4) {
        uint8_t *host = unit_stride(w, m, bits, true);
        if (SAM_LIKELY(host != NULL)) {
            if (bits == UINT32_MAX) {
                memcpy(host, vs, 4 * SAM_LANES);
                return true;
            }
            uint32_t *to = (uint32_t *)(void *)host;
            LANES if (m[i]) to[i] = vs[i];
            return true;
        }
    }
    for (; bits; bits &= bits - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(bits);
        uint8_t *host = sam_fast32(c, w->address[lane], size, true);
        if (SAM_UNLIKELY(!host) &&
            !(host = sam_access_slow(c, w->address[lane], size, SAM_STORE))) {
            c->fault_lane = lane;
            return false;
        }
        memcpy(host, &vs[lane], size); /* little-endian hosts */
    }
    return true;
}

/* Private memory: byte a of a thread lies at CSR_PDS + (a & ~3) * threads + (a & 3) + 4 * thread.
 * Ventus 4.2.7. False: an acting lane is outside pdsSize. */
static inline bool private_addresses(struct sam_warp *w, const int32_t *m, uint32_t bits,
                                     unsigned size, bool write)
{
    uint32_t *at = __builtin_assume_aligned(w->address, 64);
    const uint32_t threads = w->numw * w->lanes, limit = w->pds_size;
    uint32_t outside = 0;
    LANES outside |= (at[i] >= limit || limit - at[i] < size || (at[i] & (size - 1))) & m[i];
    if (SAM_UNLIKELY(outside)) {
        for (; bits; bits &= bits - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(bits);
            const bool past = at[lane] >= limit || limit - at[lane] < size;
            if (past || (at[lane] & (size - 1))) {
                w->core.fault_lane = lane;
                w->core.tval = at[lane];
                w->core.cause = past    ? SAM_CAUSE_PRIVATE
                                : write ? SAM_CAUSE_STORE_MISALIGNED
                                        : SAM_CAUSE_LOAD_MISALIGNED;
                return false;
            }
        }
    }
    const uint32_t first = w->pds + 4 * w->tid;
    LANES at[i] = (at[i] & ~3u) * threads + (at[i] & 3) + first + 4 * (uint32_t)i;
    return true;
}

/* A1 declares what addresses are made of, ADDRESS is lane i's; group g starts at lane `first`. */
#define MEMORY_OP(handler, write, is_private, size, is_signed, A1, ADDRESS)                        \
    static SAM_NOINLINE const struct sam_uop *handler(SAM_HANDLER_ARGS)                            \
    {                                                                                              \
        CHECK_GROUPS();                                                                            \
        for (unsigned g = 0; g < W->groups; g++) {                                                 \
            uint32_t bits;                                                                         \
            const int32_t *m = acting(W, op, g, &bits);                                            \
            const uint32_t first = g * W->lanes;                                                   \
            uint32_t *vd = V(op->write##_SLOT + g), *at = W->address;                              \
            A1;                                                                                    \
            (void)first;                                                                           \
            LANES at[i] = (ADDRESS);                                                               \
            if (is_private && SAM_UNLIKELY(!private_addresses(W, m, bits, size, write)))           \
                SAM_TRAP_SET();                                                                    \
            if (write ? !store_lanes(W, m, bits, vd, size)                                         \
                      : !load_lanes(W, m, bits, vd, size, is_signed))                              \
                SAM_TRAP_SET();                                                                    \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }
/* `write` is one of these: the slot of the data register follows from it. Standard stores have
 * theirs in rd as well (see fill_uop), custom ones in rs2. */
enum { LOADS = 0, STORES = 1, CUSTOM_STORES = 1 };
#define LOADS_SLOT         rd
#define STORES_SLOT        rd
#define CUSTOM_STORES_SLOT rs2

#define PER_LANE                                                                                   \
    const uint32_t *va = V(op->rs1 + g);                                                           \
    const uint32_t s = (uint32_t)op->imm
#define CUSTOM(handler, write, is_private, size, is_signed)                                        \
    MEMORY_OP(handler, write, is_private, size, is_signed, PER_LANE, va[i] + s)

CUSTOM(op_vlb12_v, LOADS, 0, 1, true)
CUSTOM(op_vlh12_v, LOADS, 0, 2, true)
CUSTOM(op_vlbu12_v, LOADS, 0, 1, false)
CUSTOM(op_vlhu12_v, LOADS, 0, 2, false)
CUSTOM(op_vsb12_v, CUSTOM_STORES, 0, 1, false)
CUSTOM(op_vsh12_v, CUSTOM_STORES, 0, 2, false)
CUSTOM(op_vlb_v, LOADS, 1, 1, true)
CUSTOM(op_vlh_v, LOADS, 1, 2, true)
CUSTOM(op_vlbu_v, LOADS, 1, 1, false)
CUSTOM(op_vlhu_v, LOADS, 1, 2, false)
CUSTOM(op_vsb_v, CUSTOM_STORES, 1, 1, false)
CUSTOM(op_vsh_v, CUSTOM_STORES, 1, 2, false)

/* Words have a way of their own for what is most common: 32 lanes at neighbouring addresses within
 * a page, 4-byte aligned. LEFT is how far lane i's address is from where it would then be, START
 * the address of lane 0. */
#define WORD_OP(name, any, write, LEFT, FITS, START)                                               \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        const uint32_t *va = V(op->rs1);                                                           \
        uint32_t *vd = V(op->write##_SLOT), apart = 0;                                             \
        LANES apart |= (LEFT);                                                                     \
        const uint32_t start = (START), offset = start & (SAM_PAGE_SIZE - 1);                      \
        const struct sam_page *page = &c->pages[start >> 12];                                      \
        if (SAM_UNLIKELY(!(W->full_32 & op->rs3) || apart | (start & 3) || !(FITS) ||              \
                         offset + 4 * SAM_LANES > (write ? page->write_limit : page->read_limit))) \
            SAM_MUSTTAIL return any(c, op, entry, left);                                           \
        if (write)                                                                                 \
            memcpy(page->host + offset, vd, 4 * SAM_LANES);                                        \
        else                                                                                       \
            memcpy(vd, page->host + offset, 4 * SAM_LANES);                                        \
        SAM_NEXT();                                                                                \
    }
#define NEIGHBOURS (va[i] ^ (va[0] + 4 * (uint32_t)i))
#define EQUAL      (va[i] ^ va[0])

CUSTOM(any_vlw12_v, LOADS, 0, 4, true)
CUSTOM(any_vsw12_v, CUSTOM_STORES, 0, 4, false)
WORD_OP(vlw12_v, any_vlw12_v, LOADS, NEIGHBOURS, 1, va[0] + (uint32_t)op->imm)
WORD_OP(vsw12_v, any_vsw12_v, CUSTOM_STORES, NEIGHBOURS, 1, va[0] + (uint32_t)op->imm)

/* Private words interleave: one address in all lanes is neighbouring words. */
CUSTOM(any_vlw_v, LOADS, 1, 4, true)
CUSTOM(any_vsw_v, CUSTOM_STORES, 1, 4, false)
#define PRIVATE_AT (va[0] + (uint32_t)op->imm)
#define PRIVATE_FITS                                                                               \
    (!(PRIVATE_AT & 3) && PRIVATE_AT < W->pds_size && W->pds_size - PRIVATE_AT >= 4)
#define PRIVATE_START (W->pds + PRIVATE_AT * (W->numw * SAM_LANES) + 4 * W->tid)
WORD_OP(vlw_v, any_vlw_v, LOADS, EQUAL, PRIVATE_FITS, PRIVATE_START)
WORD_OP(vsw_v, any_vsw_v, CUSTOM_STORES, EQUAL, PRIVATE_FITS, PRIVATE_START)

#define UNIT(size) const uint32_t s = X1 + first * (size)
#define STRIDED                                                                                    \
    const uint32_t stride = c->x32[op->rs2];                                                       \
    const uint32_t s = X1 + first * stride
#define INDEXED                                                                                    \
    const uint32_t *va = V(op->rs2 + g);                                                           \
    const uint32_t s = X1

#define STANDARD(width, size)                                                                      \
    MEMORY_OP(op_vle##width##_v, LOADS, 0, size, true, UNIT(size), s + (uint32_t)i * (size))       \
    MEMORY_OP(op_vse##width##_v, STORES, 0, size, true, UNIT(size), s + (uint32_t)i * (size))      \
    MEMORY_OP(op_vlse##width##_v, LOADS, 0, size, true, STRIDED, s + (uint32_t)i * stride)         \
    MEMORY_OP(op_vsse##width##_v, STORES, 0, size, true, STRIDED, s + (uint32_t)i * stride)
STANDARD(8, 1)
STANDARD(16, 2)
STANDARD(32, 4)

/* The data is SEW wide whatever the width of the index. RISC-V V 7.6. */
#define INDEX(width, mask)                                                                         \
    MEMORY_OP(op_vluxei##width##_v, LOADS, 0, 4, true, INDEXED, s + (va[i] & (mask)))              \
    MEMORY_OP(op_vsuxei##width##_v, STORES, 0, 4, true, INDEXED, s + (va[i] & (mask)))
INDEX(8, 0xffu)
INDEX(16, 0xffffu)
INDEX(32, UINT32_MAX)

/* ---------------------------------------------------------------------------- the table */

void FILL(struct sam_machine *machine);
void FILL(struct sam_machine *machine)
{
    sam_handler **h = machine->handlers;
#define SET(name)          h[SAM_OP_##name] = op_##name
#define SET_VV_VX(name)    SET(name##_vv), SET(name##_vx)
#define SET_VX_VI(name)    SET(name##_vx), SET(name##_vi)
#define SET_VV_VX_VI(name) SET(name##_vv), SET(name##_vx), SET(name##_vi)
#define SET_VV_VF(name)    SET(name##_vv), SET(name##_vf)
    SET_VV_VX_VI(vadd), SET_VV_VX(vsub), SET_VX_VI(vrsub);
    SET_VV_VX(vminu), SET_VV_VX(vmin), SET_VV_VX(vmaxu), SET_VV_VX(vmax);
    SET_VV_VX_VI(vand), SET_VV_VX_VI(vor), SET_VV_VX_VI(vxor);
    SET_VV_VX_VI(vsll), SET_VV_VX_VI(vsrl), SET_VV_VX_VI(vsra);
    SET_VV_VX_VI(vmseq), SET_VV_VX_VI(vmsne), SET_VV_VX(vmsltu), SET_VV_VX(vmslt);
    SET_VV_VX_VI(vmsleu), SET_VV_VX_VI(vmsle), SET_VX_VI(vmsgtu), SET_VX_VI(vmsgt);
    SET_VV_VX(vmul), SET_VV_VX(vmulh), SET_VV_VX(vmulhu), SET_VV_VX(vmulhsu);
    SET_VV_VX(vdivu), SET_VV_VX(vdiv), SET_VV_VX(vremu), SET_VV_VX(vrem);
    SET_VV_VX(vmacc), SET_VV_VX(vnmsac), SET_VV_VX(vmadd), SET_VV_VX(vnmsub);
    SET(vzext_vf2), SET(vsext_vf2), SET(vzext_vf4), SET(vsext_vf4);
    SET(vadc_vvm), SET(vadc_vxm), SET(vadc_vim), SET(vmadc_vvm), SET(vmadc_vxm), SET(vmadc_vim);
    SET_VV_VX_VI(vmadc), SET(vsbc_vvm), SET(vsbc_vxm), SET(vmsbc_vvm), SET(vmsbc_vxm);
    SET_VV_VX(vmsbc), SET(vmerge_vvm), SET(vmerge_vxm), SET(vmerge_vim);
    SET(vmv_v_v), SET(vmv_v_x), SET(vmv_v_i), SET(vid_v);
    h[SAM_OP_vmv_s_x] = h[SAM_OP_vfmv_s_f] = h[SAM_OP_vfmv_v_f] = op_vmv_v_x;
#define SET_MM(name) h[SAM_OP_##name##_mm] = op_##name##_mm_vv
    SET_MM(vmand), SET_MM(vmnand), SET_MM(vmandn), SET_MM(vmxor);
    SET_MM(vmor), SET_MM(vmnor), SET_MM(vmorn), SET_MM(vmxnor);
    SET(vadd12_vi), SET(vsub12_vi);
    SET_VV_VF(vfadd), SET_VV_VF(vfsub), SET(vfrsub_vf), SET_VV_VF(vfmul), SET_VV_VF(vfdiv);
    SET(vfrdiv_vf), SET_VV_VF(vfmin), SET_VV_VF(vfmax);
    SET_VV_VF(vfsgnj), SET_VV_VF(vfsgnjn), SET_VV_VF(vfsgnjx);
    SET_VV_VF(vfmacc), SET_VV_VF(vfnmacc), SET_VV_VF(vfmsac), SET_VV_VF(vfnmsac);
    SET_VV_VF(vfmadd), SET_VV_VF(vfnmadd), SET_VV_VF(vfmsub), SET_VV_VF(vfnmsub);
    SET(vfsqrt_v), SET(vfrsqrt7_v), SET(vfrec7_v), SET(vfclass_v);
    SET(vfcvt_xu_f_v), SET(vfcvt_x_f_v), SET(vfcvt_f_xu_v), SET(vfcvt_f_x_v);
    SET(vfcvt_rtz_xu_f_v), SET(vfcvt_rtz_x_f_v);
    SET_VV_VF(vmfeq), SET_VV_VF(vmfne), SET_VV_VF(vmflt), SET_VV_VF(vmfle);
    SET(vmfgt_vf), SET(vmfge_vf), SET(vfmerge_vfm);
    SET(vbeq), SET(vbne), SET(vblt), SET(vbge), SET(vbltu), SET(vbgeu);
    SET(vlb12_v), SET(vlh12_v), SET(vlw12_v), SET(vlbu12_v), SET(vlhu12_v);
    SET(vsb12_v), SET(vsh12_v), SET(vsw12_v);
    SET(vlb_v), SET(vlh_v), SET(vlw_v), SET(vlbu_v), SET(vlhu_v), SET(vsb_v), SET(vsh_v);
    SET(vsw_v);
    SET(vle8_v), SET(vle16_v), SET(vle32_v), SET(vse8_v), SET(vse16_v), SET(vse32_v);
    SET(vlse8_v), SET(vlse16_v), SET(vlse32_v), SET(vsse8_v), SET(vsse16_v), SET(vsse32_v);
#define SET_INDEXED(width)                                                                         \
    h[SAM_OP_vluxei##width##_v] = h[SAM_OP_vloxei##width##_v] = op_vluxei##width##_v;              \
    h[SAM_OP_vsuxei##width##_v] = h[SAM_OP_vsoxei##width##_v] = op_vsuxei##width##_v
    SET_INDEXED(8);
    SET_INDEXED(16);
    SET_INDEXED(32);
#undef SET
}
