/* SPDX-License-Identifier: Apache-2.0 */
/* Standard vector words to operations. Parts that Ventus omits (reductions, slides, gathers,
 * widening, narrowing, fixed point, vcpop, vfirst, vms[bio]f, viota, vcompress, segments, whole
 * registers, mask loads, fault-only-first, EEW 64) are illegal. */
#include "ref_insn.h"

/* Letters of the existing forms: "VXI". */
struct row {
    enum ref_op op;
    const char *forms;
};

static bool has(const char *forms, char form)
{
    for (; *forms; forms++)
        if (*forms == form)
            return true;
    return false;
}

static void operands(struct ref_fields *f, struct ref_insn *insn, char form, bool is_signed)
{
    insn->rd = ref_vd(f);
    insn->rs2 = ref_v2(f);
    insn->vm = ref_bits(f->word, 25, 25);
    switch (form) {
    case 'V':
        insn->form = REF_FORM_V;
        insn->rs1 = ref_v1(f);
        break;
    case 'X':
        insn->form = REF_FORM_X;
        insn->rs1 = ref_x1(f);
        break;
    default: insn->form = REF_FORM_I; insn->imm = ref_imm5(f, is_signed);
    }
}

static void decode_opi(struct ref_fields *f, struct ref_insn *insn, char form)
{
    static const struct row rows[64] = {
        [0x00] = {REF_VADD, "VXI"},  [0x02] = {REF_VSUB, "VX"},    [0x03] = {REF_VRSUB, "XI"},
        [0x04] = {REF_VMINU, "VX"},  [0x05] = {REF_VMIN, "VX"},    [0x06] = {REF_VMAXU, "VX"},
        [0x07] = {REF_VMAX, "VX"},   [0x09] = {REF_VAND, "VXI"},   [0x0a] = {REF_VOR, "VXI"},
        [0x0b] = {REF_VXOR, "VXI"},  [0x10] = {REF_VADC, "VXI"},   [0x11] = {REF_VMADC, "VXI"},
        [0x12] = {REF_VSBC, "VX"},   [0x13] = {REF_VMSBC, "VX"},   [0x17] = {REF_VMERGE, "VXI"},
        [0x18] = {REF_VMSEQ, "VXI"}, [0x19] = {REF_VMSNE, "VXI"},  [0x1a] = {REF_VMSLTU, "VX"},
        [0x1b] = {REF_VMSLT, "VX"},  [0x1c] = {REF_VMSLEU, "VXI"}, [0x1d] = {REF_VMSLE, "VXI"},
        [0x1e] = {REF_VMSGTU, "XI"}, [0x1f] = {REF_VMSGT, "XI"},   [0x25] = {REF_VSLL, "VXI"},
        [0x28] = {REF_VSRL, "VXI"},  [0x29] = {REF_VSRA, "VXI"},
    };
    const struct row *row = &rows[ref_bits(f->word, 31, 26)];
    if (!row->op || !has(row->forms, form))
        return;
    /* Shift amounts are unsigned in the word; widened by a prefix they are extended like the
     * others, and only their low bits count. */
    bool shift = row->op == REF_VSLL || row->op == REF_VSRL || row->op == REF_VSRA;
    operands(f, insn, form, !shift || f->immediate);
    if ((row->op == REF_VADC || row->op == REF_VSBC) && insn->vm)
        return;
    insn->op = row->op;
    if (row->op == REF_VMERGE && insn->vm) {
        insn->op = ref_bits(f->word, 24, 20) == 0 ? REF_VMV_V : REF_ILLEGAL;
        insn->rs2 = 0;
    }
}

/* vmv.x.s, vzext, vid: an opcode named by vs1. */
static void decode_opm_unary(struct ref_fields *f, struct ref_insn *insn, char form)
{
    static const enum ref_op extensions[8] = {
        [4] = REF_VZEXT_VF4, [5] = REF_VSEXT_VF4, [6] = REF_VZEXT_VF2, [7] = REF_VSEXT_VF2};
    unsigned vs1 = ref_bits(f->word, 19, 15), vs2 = ref_bits(f->word, 24, 20);
    insn->vm = ref_bits(f->word, 25, 25);
    switch (ref_bits(f->word, 31, 26)) {
    case 0x10:
        if (form == 'V' && vs1 == 0 && insn->vm) {
            insn->op = REF_VMV_X_S;
            insn->rd = ref_xd(f);
            insn->rs2 = ref_v2(f);
        } else if (form == 'X' && vs2 == 0 && insn->vm) {
            insn->op = REF_VMV_S_X;
            insn->rd = ref_vd(f);
            insn->rs1 = ref_x1(f);
        }
        break;
    case 0x12:
        if (form == 'V' && vs1 < 8) {
            insn->op = extensions[vs1];
            insn->rd = ref_vd(f);
            insn->rs2 = ref_v2(f);
        }
        break;
    case 0x14:
        if (form == 'V' && vs1 == 17 && vs2 == 0) {
            insn->op = REF_VID;
            insn->rd = ref_vd(f);
        }
        break;
    }
}

static void decode_opm(struct ref_fields *f, struct ref_insn *insn, char form)
{
    static const struct row rows[64] = {
        [0x18] = {REF_VMANDN, "V"},  [0x19] = {REF_VMAND, "V"},   [0x1a] = {REF_VMOR, "V"},
        [0x1b] = {REF_VMXOR, "V"},   [0x1c] = {REF_VMORN, "V"},   [0x1d] = {REF_VMNAND, "V"},
        [0x1e] = {REF_VMNOR, "V"},   [0x1f] = {REF_VMXNOR, "V"},  [0x20] = {REF_VDIVU, "VX"},
        [0x21] = {REF_VDIV, "VX"},   [0x22] = {REF_VREMU, "VX"},  [0x23] = {REF_VREM, "VX"},
        [0x24] = {REF_VMULHU, "VX"}, [0x25] = {REF_VMUL, "VX"},   [0x26] = {REF_VMULHSU, "VX"},
        [0x27] = {REF_VMULH, "VX"},  [0x29] = {REF_VMADD, "VX"},  [0x2b] = {REF_VNMSUB, "VX"},
        [0x2d] = {REF_VMACC, "VX"},  [0x2f] = {REF_VNMSAC, "VX"},
    };
    const struct row *row = &rows[ref_bits(f->word, 31, 26)];
    if (!row->op) {
        decode_opm_unary(f, insn, form);
        return;
    }
    if (!has(row->forms, form))
        return;
    operands(f, insn, form, true);
    insn->op = row->op;
    if (row->op >= REF_VMANDN && row->op <= REF_VMXNOR) {
        insn->form = REF_FORM_NONE;
        if (!insn->vm)
            insn->op = REF_ILLEGAL;
    }
}

/* Operations of one source, named by vs1, and the moves. */
static void decode_opf_unary(struct ref_fields *f, struct ref_insn *insn, char form)
{
    static const enum ref_op conversions[8] = {REF_VFCVT_XU_F,     REF_VFCVT_X_F,    REF_VFCVT_F_XU,
                                               REF_VFCVT_F_X,      REF_ILLEGAL,      REF_ILLEGAL,
                                               REF_VFCVT_RTZ_XU_F, REF_VFCVT_RTZ_X_F};
    unsigned vs1 = ref_bits(f->word, 19, 15), vs2 = ref_bits(f->word, 24, 20);
    insn->vm = ref_bits(f->word, 25, 25);
    switch (ref_bits(f->word, 31, 26)) {
    case 0x10:
        if (form == 'V' && vs1 == 0 && insn->vm) {
            insn->op = REF_VFMV_F_S;
            insn->rd = ref_xd(f);
            insn->rs2 = ref_v2(f);
        } else if (form == 'X' && vs2 == 0 && insn->vm) {
            insn->op = REF_VFMV_S_F;
            insn->rd = ref_vd(f);
            insn->rs1 = ref_x1(f);
        }
        return;
    case 0x17:
        if (form != 'X')
            return;
        insn->rd = ref_vd(f);
        insn->rs1 = ref_x1(f);
        if (!insn->vm) {
            insn->op = REF_VFMERGE;
            insn->rs2 = ref_v2(f);
        } else if (vs2 == 0) {
            insn->op = REF_VFMV_V_F;
        }
        return;
    case 0x12:
        if (form == 'V' && vs1 < 8)
            insn->op = conversions[vs1];
        break;
    case 0x13:
        if (form == 'V')
            insn->op = vs1 == 0    ? REF_VFSQRT
                       : vs1 == 4  ? REF_VFRSQRT7
                       : vs1 == 5  ? REF_VFREC7
                       : vs1 == 16 ? REF_VFCLASS
                                   : REF_ILLEGAL;
        break;
    }
    insn->rd = ref_vd(f);
    insn->rs2 = ref_v2(f);
}

static void decode_opf(struct ref_fields *f, struct ref_insn *insn, char form)
{
    static const struct row rows[64] = {
        [0x00] = {REF_VFADD, "VX"},   [0x02] = {REF_VFSUB, "VX"},   [0x04] = {REF_VFMIN, "VX"},
        [0x06] = {REF_VFMAX, "VX"},   [0x08] = {REF_VFSGNJ, "VX"},  [0x09] = {REF_VFSGNJN, "VX"},
        [0x0a] = {REF_VFSGNJX, "VX"}, [0x18] = {REF_VMFEQ, "VX"},   [0x19] = {REF_VMFLE, "VX"},
        [0x1b] = {REF_VMFLT, "VX"},   [0x1c] = {REF_VMFNE, "VX"},   [0x1d] = {REF_VMFGT, "X"},
        [0x1f] = {REF_VMFGE, "X"},    [0x20] = {REF_VFDIV, "VX"},   [0x21] = {REF_VFRDIV, "X"},
        [0x24] = {REF_VFMUL, "VX"},   [0x27] = {REF_VFRSUB, "X"},   [0x28] = {REF_VFMADD, "VX"},
        [0x29] = {REF_VFNMADD, "VX"}, [0x2a] = {REF_VFMSUB, "VX"},  [0x2b] = {REF_VFNMSUB, "VX"},
        [0x2c] = {REF_VFMACC, "VX"},  [0x2d] = {REF_VFNMACC, "VX"}, [0x2e] = {REF_VFMSAC, "VX"},
        [0x2f] = {REF_VFNMSAC, "VX"},
    };
    const struct row *row = &rows[ref_bits(f->word, 31, 26)];
    if (!row->op) {
        decode_opf_unary(f, insn, form);
    } else if (has(row->forms, form)) {
        operands(f, insn, form, true);
        insn->op = row->op;
    }
}

static void decode_config(struct ref_fields *f, struct ref_insn *insn)
{
    insn->rd = ref_xd(f);
    if (ref_bits(f->word, 31, 31) == 0) {
        insn->op = REF_VSETVLI;
        insn->rs1 = ref_x1(f);
        insn->imm = (int32_t)ref_bits(f->word, 30, 20);
    } else if (ref_bits(f->word, 30, 30) == 1) {
        insn->op = REF_VSETIVLI;
        insn->rs3 = (unsigned)ref_imm5(f, false); /* the AVL */
        insn->imm = (int32_t)ref_bits(f->word, 29, 20);
    } else if (ref_bits(f->word, 31, 25) == 0x40) {
        insn->op = REF_VSETVL;
        insn->rs1 = ref_x1(f);
        insn->rs2 = ref_x2(f);
    }
}

void ref_decode_opv(struct ref_fields *f, struct ref_insn *insn)
{
    switch (ref_bits(f->word, 14, 12)) {
    case 0: decode_opi(f, insn, 'V'); break;
    case 1: decode_opf(f, insn, 'V'); break;
    case 2: decode_opm(f, insn, 'V'); break;
    case 3: decode_opi(f, insn, 'I'); break;
    case 4: decode_opi(f, insn, 'X'); break;
    case 5: decode_opf(f, insn, 'X'); break;
    case 6: decode_opm(f, insn, 'X'); break;
    case 7: decode_config(f, insn); break;
    }
}

void ref_decode_vmem(struct ref_fields *f, struct ref_insn *insn)
{
    /* [mop][width]: mop 0 unit stride, 1 indexed, 2 strided, 3 indexed in order */
    static const enum ref_op loads[4][3] = {{REF_VLE8, REF_VLE16, REF_VLE32},
                                            {REF_VLUXEI8, REF_VLUXEI16, REF_VLUXEI32},
                                            {REF_VLSE8, REF_VLSE16, REF_VLSE32},
                                            {REF_VLOXEI8, REF_VLOXEI16, REF_VLOXEI32}};
    static const enum ref_op stores[4][3] = {{REF_VSE8, REF_VSE16, REF_VSE32},
                                             {REF_VSUXEI8, REF_VSUXEI16, REF_VSUXEI32},
                                             {REF_VSSE8, REF_VSSE16, REF_VSSE32},
                                             {REF_VSOXEI8, REF_VSOXEI16, REF_VSOXEI32}};
    unsigned mop = ref_bits(f->word, 27, 26), width;
    switch (ref_bits(f->word, 14, 12)) {
    case 0: width = 0; break;
    case 5: width = 1; break;
    case 6: width = 2; break;
    default: return;
    }
    if (ref_bits(f->word, 31, 28) != 0) /* segments, wide addresses */
        return;
    if (mop == 0 && ref_bits(f->word, 24, 20) != 0) /* whole registers, masks, fault-only-first */
        return;
    bool load = ref_bits(f->word, 6, 0) == 0x07;
    insn->op = load ? loads[mop][width] : stores[mop][width];
    insn->rs1 = ref_x1(f);
    insn->vm = ref_bits(f->word, 25, 25);
    if (load)
        insn->rd = ref_vd(f);
    else
        insn->rs3 = ref_vdata(f);
    if (mop == 2)
        insn->rs2 = ref_x2(f);
    else if (mop != 0)
        insn->rs2 = ref_v2(f);
}
