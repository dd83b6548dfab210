/* SPDX-License-Identifier: Apache-2.0 */
/* Vector loads and stores: standard, 12-bit gather and scatter, private memory. Elements are
 * accessed in rising order, so the highest lane wins a colliding store and the lowest failing
 * lane is reported. */
#include "ref_machine.h"

/* The addressing mode of an instruction. */
struct shape {
    enum { UNIT, STRIDED, INDEXED, GATHER, PRIVATE } way;
    bool load;
    bool zero_extend;
    unsigned size;  /* bytes of data */
    unsigned index; /* bytes of an index */
};

static bool shape_of(enum ref_op op, struct shape *s)
{
    *s = (struct shape){0};
    switch (op) {
    case REF_VLE8: *s = (struct shape){UNIT, true, false, 1, 0}; break;
    case REF_VLE16: *s = (struct shape){UNIT, true, false, 2, 0}; break;
    case REF_VLE32: *s = (struct shape){UNIT, true, false, 4, 0}; break;
    case REF_VSE8: *s = (struct shape){UNIT, false, false, 1, 0}; break;
    case REF_VSE16: *s = (struct shape){UNIT, false, false, 2, 0}; break;
    case REF_VSE32: *s = (struct shape){UNIT, false, false, 4, 0}; break;
    case REF_VLSE8: *s = (struct shape){STRIDED, true, false, 1, 0}; break;
    case REF_VLSE16: *s = (struct shape){STRIDED, true, false, 2, 0}; break;
    case REF_VLSE32: *s = (struct shape){STRIDED, true, false, 4, 0}; break;
    case REF_VSSE8: *s = (struct shape){STRIDED, false, false, 1, 0}; break;
    case REF_VSSE16: *s = (struct shape){STRIDED, false, false, 2, 0}; break;
    case REF_VSSE32: *s = (struct shape){STRIDED, false, false, 4, 0}; break;
    case REF_VLUXEI8:
    case REF_VLOXEI8: *s = (struct shape){INDEXED, true, false, 4, 1}; break;
    case REF_VLUXEI16:
    case REF_VLOXEI16: *s = (struct shape){INDEXED, true, false, 4, 2}; break;
    case REF_VLUXEI32:
    case REF_VLOXEI32: *s = (struct shape){INDEXED, true, false, 4, 4}; break;
    case REF_VSUXEI8:
    case REF_VSOXEI8: *s = (struct shape){INDEXED, false, false, 4, 1}; break;
    case REF_VSUXEI16:
    case REF_VSOXEI16: *s = (struct shape){INDEXED, false, false, 4, 2}; break;
    case REF_VSUXEI32:
    case REF_VSOXEI32: *s = (struct shape){INDEXED, false, false, 4, 4}; break;
    case REF_VLB12: *s = (struct shape){GATHER, true, false, 1, 0}; break;
    case REF_VLH12: *s = (struct shape){GATHER, true, false, 2, 0}; break;
    case REF_VLW12: *s = (struct shape){GATHER, true, false, 4, 0}; break;
    case REF_VLBU12: *s = (struct shape){GATHER, true, true, 1, 0}; break;
    case REF_VLHU12: *s = (struct shape){GATHER, true, true, 2, 0}; break;
    case REF_VSB12: *s = (struct shape){GATHER, false, false, 1, 0}; break;
    case REF_VSH12: *s = (struct shape){GATHER, false, false, 2, 0}; break;
    case REF_VSW12: *s = (struct shape){GATHER, false, false, 4, 0}; break;
    case REF_VLB: *s = (struct shape){PRIVATE, true, false, 1, 0}; break;
    case REF_VLH: *s = (struct shape){PRIVATE, true, false, 2, 0}; break;
    case REF_VLW: *s = (struct shape){PRIVATE, true, false, 4, 0}; break;
    case REF_VLBU: *s = (struct shape){PRIVATE, true, true, 1, 0}; break;
    case REF_VLHU: *s = (struct shape){PRIVATE, true, true, 2, 0}; break;
    case REF_VSB: *s = (struct shape){PRIVATE, false, false, 1, 0}; break;
    case REF_VSH: *s = (struct shape){PRIVATE, false, false, 2, 0}; break;
    case REF_VSW: *s = (struct shape){PRIVATE, false, false, 4, 0}; break;
    default: return false;
    }
    return true;
}

bool ref_is_vmem(enum ref_op op)
{
    struct shape s;
    return shape_of(op, &s);
}

/* Address of element i. */
static bool address_of(struct ref_warp *w, const struct ref_insn *insn, const struct shape *s,
                       unsigned i, uint32_t *address)
{
    unsigned lane = i % w->lanes, up = i / w->lanes;
    uint32_t base = ref_x(w, insn->rs1 < 64 ? insn->rs1 : 0);
    switch (s->way) {
    case UNIT: *address = base + i * s->size; return true;
    case STRIDED: *address = base + i * ref_x(w, insn->rs2); return true;
    case INDEXED: {
        uint32_t index = w->v[insn->rs2 + up][lane];
        *address = base + (s->index == 1 ? index & 0xff : s->index == 2 ? index & 0xffff : index);
        return true;
    }
    case GATHER: *address = w->v[insn->rs1 + up][lane] + (uint32_t)insn->imm; return true;
    case PRIVATE:
        return ref_private(w, w->v[insn->rs1 + up][lane] + (uint32_t)insn->imm, s->size, s->load,
                           lane, address);
    }
    return false;
}

bool ref_vmem_exec(struct ref_warp *w, const struct ref_insn *insn)
{
    struct shape s;
    unsigned lmul = ref_lmul(w);
    if (!ref_vtype_ok(w) || !shape_of(insn->op, &s))
        return ref_illegal(w);
    bool custom = s.way == GATHER || s.way == PRIVATE;
    unsigned data = s.load ? insn->rd : custom ? insn->rs2 : insn->rs3;
    if (data % lmul || (custom && insn->rs1 % lmul) || (s.way == INDEXED && insn->rs2 % lmul))
        return ref_illegal(w);
    uint32_t v0[2 * SAM_MAX_LANES];
    ref_copy_mask(w, v0);
    for (unsigned i = 0; i < w->lanes * lmul; i++) {
        unsigned lane = i % w->lanes, up = i / w->lanes;
        uint32_t address;
        uint64_t value;
        if (!ref_active(w, insn, i, v0))
            continue;
        if (!address_of(w, insn, &s, i, &address))
            return false;
        if (!s.load) {
            if (!ref_store(w, address, s.size, lane, w->v[data + up][lane]))
                return false;
            continue;
        }
        if (!ref_load(w, address, s.size, lane, &value))
            return false;
        if (!s.zero_extend)
            value = (uint32_t)ref_sext((uint32_t)value, 8 * s.size);
        w->v[data + up][lane] = (uint32_t)value;
    }
    return true;
}
