/* SPDX-License-Identifier: Apache-2.0 */
/* Vector semantics as loops over 32 lanes, compiled once per instruction level of the host by
 * lanes_base.c, lanes_v3.c and lanes_v4.c; FILL names the function that stores the handlers in a
 * table. The handler of an instruction assumes that all lanes are active and otherwise tail-calls a
 * masked one. RISC-V V chapters 11, 13, 15, 16; Ventus 4.1, 4.2. */
#include <math.h>

#include "base/fp.h"
#include "machine/fpenv.h"
#include "machine/threads.h"
#include "simt/simt.h"

#include "simt/lanes_mask_tmpl.h"

/* Whether the instruction is legal under the current vtype. LMUL 2 requires even registers (RISC-V
 * V 3.4.2). */
static inline bool groups_ok(const struct sam_warp *w, const struct sam_uop *op)
{
    return w->groups == 1 || (w->groups == 2 && !(op->rs3 & SAM_UOP_ODD));
}

/* Translations have one register per operand, and leave LMUL 2 to the interpreter. */
#if SAM_TRANSLATED
#define CHECK_GROUPS()                                                                             \
    if (W->groups != 1)                                                                            \
    SAM_TRAP_ILLEGAL()
#define GROUPS 1u
#else
#define CHECK_GROUPS()                                                                             \
    if (SAM_UNLIKELY(!groups_ok(W, op)))                                                           \
    SAM_TRAP_ILLEGAL()
#define GROUPS W->groups
#endif

/* ------------------------------------------------------------------------ lane results */

#define LANE_RESULTS(bits, first_lane, BI, expr)                                                   \
    {                                                                                              \
        const uint32_t first = (first_lane);                                                       \
        uint32_t results[SAM_LANES] __attribute__((aligned(64)));                                  \
        (void)first, (void)va;                                                                     \
        LANES                                                                                      \
        {                                                                                          \
            const uint32_t a = va[i], b = (BI), d = vd[i];                                         \
            (void)a, (void)b, (void)d;                                                             \
            results[i] = (uint32_t)(expr);                                                         \
        }                                                                                          \
        blend(W, bits, vd, results);                                                               \
    }

/* Keeps compilers from merging the dispatch jumps of two paths. */
#if SAM_TRANSLATED
#define OWN_JUMP() (void)0
#else
#define OWN_JUMP() __asm__ volatile("" : : : "memory")
#endif

/* vd[i] = expr of a (vs2), b (vs1 or a scalar), d (old vd). B0 declares b's operand, BI reads
 * it. */
#define LANE_OP(name, B0, BI, BSTEP, expr)                                                         \
    /* Masked, or LMUL 2. */                                                                       \
    static SAM_NOINLINE const struct sam_uop *any_##name(SAM_HANDLER_ARGS)                         \
    {                                                                                              \
        CHECK_GROUPS();                                                                            \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2);                                                           \
        B0;                                                                                        \
        for (unsigned g = 0; g < GROUPS; g++) {                                                    \
            LANE_RESULTS(acting(W, op, g), g * W->lanes, BI, expr)                                 \
            vd += SAM_LANES, va += SAM_LANES;                                                      \
            BSTEP;                                                                                 \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }                                                                                              \
    static inline const struct sam_uop *masked_##name(SAM_HANDLER_ARGS)                            \
    {                                                                                              \
        if (SAM_UNLIKELY(!(W->single & op->rs3)))                                                  \
            SAM_MUSTTAIL return any_##name(c, op, entry, left);                                    \
        uint32_t *vd = V(op->rd);                                                                  \
        const uint32_t *va = V(op->rs2);                                                           \
        B0;                                                                                        \
        LANE_RESULTS(W->bits[0], 0, BI, expr)                                                      \
        OWN_JUMP();                                                                                \
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
VV(vdivu, b == 0 ? UINT32_MAX : a / b)
VV(vdiv, b == 0 ? UINT32_MAX : b == UINT32_MAX ? 0 - a : (uint32_t)(SI(a) / SI(b)))
VV(vremu, b == 0 ? a : a % b)
VV(vrem, b == 0 ? a : b == UINT32_MAX ? 0 : (uint32_t)(SI(a) % SI(b)))
#include "simt/lanes_divide_tmpl.h"
VV_VX(vmacc, b *a + d)
VV_VX(vnmsac, d - b * a)
VV_VX(vmadd, b *d + a)
VV_VX(vnmsub, a - b * d)

V1(vzext_vf2, a & 0xffff)
V1(vsext_vf2, SI(a << 16) >> 16)
V1(vzext_vf4, a & 0xff)
V1(vsext_vf4, SI(a << 24) >> 24)

/* carries and merges: v0 is an operand, not a mask */
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

#include "simt/lanes_float_tmpl.h"
#include "simt/lanes_flow_tmpl.h"
#include "simt/lanes_memory_tmpl.h"
#include "simt/lanes_pair_tmpl.h"

/* ---------------------------------------------------------------------------- the table */

/* Rows that differ only in their encoding share a function. */
#define op_vmv_s_x    op_vmv_v_x
#define op_vfmv_s_f   op_vmv_v_x
#define op_vfmv_v_f   op_vmv_v_x
#define op_vmand_mm   op_vmand_mm_vv
#define op_vmnand_mm  op_vmnand_mm_vv
#define op_vmandn_mm  op_vmandn_mm_vv
#define op_vmxor_mm   op_vmxor_mm_vv
#define op_vmor_mm    op_vmor_mm_vv
#define op_vmnor_mm   op_vmnor_mm_vv
#define op_vmorn_mm   op_vmorn_mm_vv
#define op_vmxnor_mm  op_vmxnor_mm_vv
#define op_vloxei8_v  op_vluxei8_v
#define op_vloxei16_v op_vluxei16_v
#define op_vloxei32_v op_vluxei32_v
#define op_vsoxei8_v  op_vsuxei8_v
#define op_vsoxei16_v op_vsuxei16_v
#define op_vsoxei32_v op_vsuxei32_v

#if SAM_TRANSLATED
#define HANDLE_LANES(id) [SAM_OP_##id] = op_##id,
sam_handler *const sam_lanes_translated[SAM_OP_COUNT] = {
#include "isa/handlers.h"
};
#define OF_WIDTH(width)                                                                            \
    sam_handler *const sam_lanes_translated_##width[SAM_OP_COUNT] = {                              \
        [SAM_OP_vlw12_v] = vlw12_v_##width, [SAM_OP_vsw12_v] = vsw12_v_##width,                    \
        [SAM_OP_vlw_v] = vlw_v_##width,     [SAM_OP_vsw_v] = vsw_v_##width,                        \
        [SAM_OP_vle32_v] = vle32_v_##width, [SAM_OP_vse32_v] = vse32_v_##width,                    \
    };
OF_WIDTH(4)
OF_WIDTH(8)
OF_WIDTH(16)
#undef OF_WIDTH
#else
void FILL(struct sam_machine *machine, uint32_t lanes);
void FILL(struct sam_machine *machine, uint32_t lanes)
{
    sam_handler **h = machine->handlers;
#define HANDLE_LANES(id) h[SAM_OP_##id] = op_##id;
#include "isa/handlers.h"
    fill_words(h, lanes);
    fill_pairs(machine->pair_handlers);
}
#endif
