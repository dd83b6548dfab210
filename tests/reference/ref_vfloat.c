/* SPDX-License-Identifier: Apache-2.0 */
/* Vector floating point, VFEXP and VFTTA. */
#include "ref_machine.h"

#include <string.h>

bool ref_is_vfloat(enum ref_op op)
{
    return (op >= REF_VFADD && op <= REF_VFNMSAC) || op == REF_VFEXP || op == REF_VFTTA;
}

static bool compute(struct ref_fp *fp, enum ref_op op, uint32_t a, uint32_t b, uint32_t d,
                    uint32_t *r)
{
    const uint32_t sign = 0x80000000u;
    struct ref_fp rtz = {REF_RTZ, 0};
    switch (op) {
    case REF_VFADD: *r = ref_fadd(fp, a, b); break;
    case REF_VFSUB: *r = ref_fsub(fp, a, b); break;
    case REF_VFRSUB: *r = ref_fsub(fp, b, a); break;
    case REF_VFMUL: *r = ref_fmul(fp, a, b); break;
    case REF_VFDIV: *r = ref_fdiv(fp, a, b); break;
    case REF_VFRDIV: *r = ref_fdiv(fp, b, a); break;
    case REF_VFMIN: *r = ref_fmin(fp, a, b); break;
    case REF_VFMAX: *r = ref_fmax(fp, a, b); break;
    case REF_VFSGNJ: *r = (a & ~sign) | (b & sign); break;
    case REF_VFSGNJN: *r = (a & ~sign) | (~b & sign); break;
    case REF_VFSGNJX: *r = a ^ (b & sign); break;
    case REF_VFMACC: *r = ref_fma(fp, b, a, d); break;
    case REF_VFNMACC: *r = ref_fma(fp, b ^ sign, a, d ^ sign); break;
    case REF_VFMSAC: *r = ref_fma(fp, b, a, d ^ sign); break;
    case REF_VFNMSAC: *r = ref_fma(fp, b ^ sign, a, d); break;
    case REF_VFMADD: *r = ref_fma(fp, b, d, a); break;
    case REF_VFNMADD: *r = ref_fma(fp, b ^ sign, d, a ^ sign); break;
    case REF_VFMSUB: *r = ref_fma(fp, b, d, a ^ sign); break;
    case REF_VFNMSUB: *r = ref_fma(fp, b ^ sign, d, a); break;
    case REF_VMFEQ: *r = ref_feq(fp, a, b); break;
    case REF_VMFNE: *r = !ref_feq(fp, a, b); break;
    case REF_VMFLT: *r = ref_flt(fp, a, b); break;
    case REF_VMFLE: *r = ref_fle(fp, a, b); break;
    case REF_VMFGT: *r = ref_flt(fp, b, a); break;
    case REF_VMFGE: *r = ref_fle(fp, b, a); break;
    case REF_VFSQRT: *r = ref_fsqrt(fp, a); break;
    case REF_VFRSQRT7: *r = ref_rsqrt7(fp, a); break;
    case REF_VFREC7: *r = ref_rec7(fp, a); break;
    case REF_VFCLASS: *r = ref_fclass(a); break;
    case REF_VFCVT_XU_F: *r = ref_to_int(fp, a, false); break;
    case REF_VFCVT_X_F: *r = ref_to_int(fp, a, true); break;
    case REF_VFCVT_F_XU: *r = ref_from_int(fp, a, false); break;
    case REF_VFCVT_F_X: *r = ref_from_int(fp, a, true); break;
    case REF_VFCVT_RTZ_XU_F: *r = ref_to_int(&rtz, a, false); break;
    case REF_VFCVT_RTZ_X_F: *r = ref_to_int(&rtz, a, true); break;
    case REF_VFEXP: *r = ref_exp(a); break;
    default: return false;
    }
    fp->flags |= rtz.flags;
    return true;
}

/* Rulings 2.12 and 2.18: a tile product over the lanes of one register each, also under LMUL 2. */
static bool tile(struct ref_warp *w, const struct ref_insn *insn, struct ref_fp *fp)
{
    unsigned m, k, n;
    switch (w->lanes) {
    case 4: m = 2, k = 2, n = 2; break;
    case 8: m = 2, k = 4, n = 2; break;
    case 16: m = 4, k = 4, n = 4; break;
    default: m = 4, k = 8, n = 4; break;
    }
    const uint32_t *a = w->v[insn->rs1], *b = w->v[insn->rs2];
    uint32_t v0[2 * SAM_MAX_LANES], result[SAM_MAX_LANES];
    ref_copy_mask(w, v0);
    memcpy(result, w->v[insn->rd], sizeof(result));
    for (unsigned i = 0; i < m; i++) {
        for (unsigned j = 0; j < n; j++) {
            unsigned lane = i * n + j;
            if (!ref_active(w, insn, lane, v0))
                continue;
            for (unsigned l = 0; l < k; l++)
                result[lane] = ref_fma(fp, a[i * k + l], b[j * k + l], result[lane]);
        }
    }
    memcpy(w->v[insn->rd], result, sizeof(result));
    w->fflags |= fp->flags;
    return true;
}

bool ref_vfloat_exec(struct ref_warp *w, const struct ref_insn *insn)
{
    struct ref_fp fp = {w->frm, 0};
    unsigned lmul = ref_lmul(w);
    if (!ref_vtype_ok(w) || fp.rm > REF_RMM) /* RISC-V V 13.1 */
        return ref_illegal(w);
    if (insn->op == REF_VFMV_F_S || insn->op == REF_VFMV_S_F || insn->op == REF_VFMV_V_F ||
        insn->op == REF_VFMERGE)
        return ref_vector_exec(w, insn);
    bool reads_v1 = insn->form == REF_FORM_V || insn->op == REF_VFTTA;
    if (insn->rd % lmul || insn->rs2 % lmul || (reads_v1 && insn->rs1 % lmul))
        return ref_illegal(w); /* RISC-V V 3.4.2 */
    if (insn->op == REF_VFTTA)
        return tile(w, insn, &fp);
    uint32_t v0[2 * SAM_MAX_LANES];
    ref_copy_mask(w, v0);
    for (unsigned i = 0; i < w->lanes * lmul; i++) {
        unsigned lane = i % w->lanes, up = i / w->lanes;
        if (!ref_active(w, insn, i, v0))
            continue;
        uint32_t b = reads_v1 ? w->v[insn->rs1 + up][lane] : ref_x(w, insn->rs1), r;
        if (!compute(&fp, insn->op, w->v[insn->rs2 + up][lane], b, w->v[insn->rd + up][lane], &r))
            return ref_illegal(w);
        w->v[insn->rd + up][lane] = r;
    }
    w->fflags |= fp.flags;
    return true;
}
