/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of instructions that the plain check treats alike, by the order of `enum ref_op`. */
#ifndef PLAIN_KINDS_H
#define PLAIN_KINDS_H

#include "reference/ref_insn.h"

static inline bool is_branch(enum ref_op op)
{
    return op >= REF_BEQ && op <= REF_BGEU;
}

static inline bool is_split(enum ref_op op)
{
    return op >= REF_VBEQ && op <= REF_VBGEU;
}

static inline bool has_immediate(enum ref_op op)
{
    return (op >= REF_ADDI && op <= REF_SRAI);
}

static inline bool is_one_source(enum ref_op op)
{
    return op == REF_FSQRT || (op >= REF_FCLASS && op <= REF_FCVT_S_WU) || op == REF_FMV_X_W ||
           op == REF_FMV_W_X;
}

/* v0 is an operand. */
static inline bool takes_v0(enum ref_op op)
{
    return op == REF_VADC || op == REF_VMADC || op == REF_VSBC || op == REF_VMSBC ||
           op == REF_VMERGE || op == REF_VFMERGE;
}

static inline bool takes_vd(enum ref_op op)
{
    return (op >= REF_VMADD && op <= REF_VNMSAC) || (op >= REF_VFMADD && op <= REF_VFNMSAC);
}

static inline bool is_moved(enum ref_op op)
{
    return op == REF_VMV_V || op == REF_VMV_S_X || op == REF_VFMV_S_F || op == REF_VFMV_V_F;
}

static inline bool is_mask_logic(enum ref_op op)
{
    return op >= REF_VMANDN && op <= REF_VMXNOR;
}

static inline bool is_vector_one_source(enum ref_op op)
{
    return (op >= REF_VZEXT_VF4 && op <= REF_VSEXT_VF2) ||
           (op >= REF_VFCVT_XU_F && op <= REF_VFCLASS) || op == REF_VFEXP;
}

static inline bool is_signed_load(enum ref_op op)
{
    switch (op) {
    case REF_LB:
    case REF_LH:
    case REF_VLE8:
    case REF_VLE16:
    case REF_VLSE8:
    case REF_VLSE16:
    case REF_VLB12:
    case REF_VLH12:
    case REF_VLB:
    case REF_VLH: return true;
    default: return false;
    }
}

static inline unsigned index_bytes(enum ref_op op)
{
    switch (op) {
    case REF_VLUXEI8:
    case REF_VLOXEI8:
    case REF_VSUXEI8:
    case REF_VSOXEI8: return 1;
    case REF_VLUXEI16:
    case REF_VLOXEI16:
    case REF_VSUXEI16:
    case REF_VSOXEI16: return 2;
    case REF_VLUXEI32:
    case REF_VLOXEI32:
    case REF_VSUXEI32:
    case REF_VSOXEI32: return 4;
    default: return 0;
    }
}

static inline bool is_strided(enum ref_op op)
{
    return op >= REF_VLSE8 && op <= REF_VSSE32;
}

static inline bool is_scalar_access(enum ref_op op)
{
    return (op >= REF_LB && op <= REF_SW) || op == REF_FLW || op == REF_FSW;
}

static inline bool is_vector_access(enum ref_op op)
{
    return (op >= REF_VLE8 && op <= REF_VSOXEI32) || (op >= REF_VLB12 && op <= REF_VSW);
}

#endif
