/* SPDX-License-Identifier: Apache-2.0 */
/* Integer vector instructions: elements in order, one at a time. */
#include "ref_machine.h"

#include <string.h>

void ref_copy_mask(const struct ref_warp *w, uint32_t *v0)
{
    memcpy(v0, w->v[0], w->lanes * sizeof(*v0));
    memcpy(v0 + w->lanes, w->v[1], w->lanes * sizeof(*v0));
}

bool ref_active(const struct ref_warp *w, const struct ref_insn *insn, unsigned i,
                const uint32_t *v0)
{
    unsigned lane = i % w->lanes;
    /* vm = 0 means masked, except for carries and merges, which take v0 as an operand. */
    bool operand = insn->op == REF_VADC || insn->op == REF_VMADC || insn->op == REF_VSBC ||
                   insn->op == REF_VMSBC || insn->op == REF_VMERGE || insn->op == REF_VFMERGE;
    if (!(w->mask >> lane & 1) || i >= w->vl)
        return false;
    return insn->vm || operand || (v0[i] & 1);
}

/* a = element of vs2, b = the first source, d = old vd, m = bit 0 of v0's element. */
static bool compute(enum ref_op op, uint32_t a, uint32_t b, uint32_t d, uint32_t m, uint32_t *r)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    switch (op) {
    case REF_VADD: *r = a + b; break;
    case REF_VSUB: *r = a - b; break;
    case REF_VRSUB: *r = b - a; break;
    case REF_VMINU: *r = a < b ? a : b; break;
    case REF_VMIN: *r = sa < sb ? a : b; break;
    case REF_VMAXU: *r = a > b ? a : b; break;
    case REF_VMAX: *r = sa > sb ? a : b; break;
    case REF_VAND: *r = a & b; break;
    case REF_VOR: *r = a | b; break;
    case REF_VXOR: *r = a ^ b; break;
    case REF_VSLL: *r = a << (b & 31); break;
    case REF_VSRL: *r = a >> (b & 31); break;
    case REF_VSRA: *r = (uint32_t)(sa >> (b & 31)); break;
    case REF_VADC: *r = a + b + m; break;
    case REF_VMADC: *r = (uint32_t)(((uint64_t)a + b + m) >> 32); break;
    case REF_VSBC: *r = a - b - m; break;
    case REF_VMSBC: *r = (uint64_t)a < (uint64_t)b + m; break;
    case REF_VMERGE: *r = m ? b : a; break;
    case REF_VMV_V: *r = b; break;
    case REF_VMSEQ: *r = a == b; break;
    case REF_VMSNE: *r = a != b; break;
    case REF_VMSLTU: *r = a < b; break;
    case REF_VMSLT: *r = sa < sb; break;
    case REF_VMSLEU: *r = a <= b; break;
    case REF_VMSLE: *r = sa <= sb; break;
    case REF_VMSGTU: *r = a > b; break;
    case REF_VMSGT: *r = sa > sb; break;
    case REF_VMUL: *r = (uint32_t)((uint64_t)a * b); break;
    case REF_VMULH: *r = (uint32_t)((int64_t)sa * sb >> 32); break;
    case REF_VMULHU: *r = (uint32_t)((uint64_t)a * b >> 32); break;
    case REF_VMULHSU: *r = (uint32_t)((int64_t)sa * (int64_t)b >> 32); break;
    case REF_VDIVU: *r = b == 0 ? UINT32_MAX : a / b; break;
    case REF_VDIV: *r = b == 0 ? UINT32_MAX : (uint32_t)((int64_t)sa / sb); break;
    case REF_VREMU: *r = b == 0 ? a : a % b; break;
    case REF_VREM: *r = b == 0 ? a : (uint32_t)((int64_t)sa % sb); break;
    case REF_VMACC: *r = (uint32_t)((uint64_t)b * a) + d; break;
    case REF_VNMSAC: *r = d - (uint32_t)((uint64_t)b * a); break;
    case REF_VMADD: *r = (uint32_t)((uint64_t)b * d) + a; break;
    case REF_VNMSUB: *r = a - (uint32_t)((uint64_t)b * d); break;
    case REF_VZEXT_VF4: *r = a & 0xff; break;
    case REF_VSEXT_VF4: *r = (uint32_t)ref_sext(a, 8); break;
    case REF_VZEXT_VF2: *r = a & 0xffff; break;
    case REF_VSEXT_VF2: *r = (uint32_t)ref_sext(a, 16); break;
    case REF_VMAND: *r = a & b & 1; break;
    case REF_VMNAND: *r = ~(a & b) & 1; break;
    case REF_VMANDN: *r = a & ~b & 1; break;
    case REF_VMXOR: *r = (a ^ b) & 1; break;
    case REF_VMOR: *r = (a | b) & 1; break;
    case REF_VMNOR: *r = ~(a | b) & 1; break;
    case REF_VMORN: *r = (a | ~b) & 1; break;
    case REF_VMXNOR: *r = ~(a ^ b) & 1; break;
    default: return false;
    }
    return true;
}

/* vmv.x.s, vfmv.f.s: each active lane writes rd; the value of the highest one remains (ruling
 * 2.8). */
static bool to_scalar(struct ref_warp *w, const struct ref_insn *insn)
{
    for (unsigned lane = 0; lane < w->lanes; lane++)
        if ((w->mask >> lane & 1) && lane < w->vl)
            ref_set_x(w, insn->rd, w->v[insn->rs2][lane]);
    return true;
}

bool ref_vector_exec(struct ref_warp *w, const struct ref_insn *insn)
{
    unsigned lmul = ref_lmul(w);
    if (!ref_vtype_ok(w))
        return ref_illegal(w);
    if (insn->op == REF_VMV_X_S || insn->op == REF_VFMV_F_S)
        return to_scalar(w, insn);
    bool reads_v1 = insn->form == REF_FORM_V || (insn->op >= REF_VMANDN && insn->op <= REF_VMXNOR);
    bool custom = insn->op == REF_VADD12 || insn->op == REF_VSUB12;
    if (insn->rd % lmul || insn->rs2 % lmul || ((reads_v1 || custom) && insn->rs1 % lmul))
        return ref_illegal(w);
    uint32_t v0[2 * SAM_MAX_LANES];
    ref_copy_mask(w, v0);
    for (unsigned i = 0; i < w->lanes * lmul; i++) {
        unsigned lane = i % w->lanes, up = i / w->lanes;
        if (!ref_active(w, insn, i, v0))
            continue;
        uint32_t a = w->v[insn->rs2 + up][lane], d = w->v[insn->rd + up][lane], r;
        uint32_t b = reads_v1                   ? w->v[insn->rs1 + up][lane]
                     : insn->form == REF_FORM_X ? ref_x(w, insn->rs1)
                                                : (uint32_t)insn->imm;
        uint32_t m = insn->vm ? 0 : v0[i] & 1;
        if (insn->op == REF_VID)
            r = i;
        else if (insn->op == REF_VMV_S_X || insn->op == REF_VFMV_S_F || insn->op == REF_VFMV_V_F)
            r = ref_x(w, insn->rs1);
        else if (insn->op == REF_VADD12)
            r = w->v[insn->rs1 + up][lane] + (uint32_t)insn->imm;
        else if (insn->op == REF_VSUB12)
            r = w->v[insn->rs1 + up][lane] - (uint32_t)insn->imm;
        else if (insn->op == REF_VFMERGE)
            r = m ? ref_x(w, insn->rs1) : a;
        else if (!compute(insn->op, a, b, d, m, &r))
            return ref_illegal(w);
        w->v[insn->rd + up][lane] = r;
    }
    return true;
}
