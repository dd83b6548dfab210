/* SPDX-License-Identifier: Apache-2.0 */
/* CSRs, the print buffer, vset* (manual 3.2, rulings 1 and 4). */
#include "ref_machine.h"

#include <stdlib.h>
#include <string.h>

#define VILL 0x80000000u

static bool read_csr(const struct ref_warp *w, unsigned csr, uint32_t *value)
{
    const struct ref_group *g = w->group;
    switch (csr) {
    case 0x001: *value = w->fflags; break;
    case 0x002: *value = w->frm; break;
    case 0x003: *value = w->frm << 5 | w->fflags; break;
    case 0x008: *value = 0; break; /* vstart */
    case 0x300: *value = w->mstatus; break;
    case 0x301: *value = 0x40001101u | 1u << 21; break; /* misa: RV32 A I M V */
    case 0x305: *value = w->mtvec; break;
    case 0x340: *value = w->mscratch; break;
    case 0x341: *value = w->mepc; break;
    case 0x342: *value = w->mcause; break;
    case 0x343: *value = w->mtval; break;
    case 0xb00:
    case 0xb02:
    case 0xc00:
    case 0xc01:
    case 0xc02: *value = (uint32_t)w->insns; break;
    case 0xc80:
    case 0xc81:
    case 0xc82: *value = (uint32_t)(w->insns >> 32); break;
    case 0xc20: *value = w->vl; break;
    case 0xc21: *value = w->vtype; break;
    case 0xc22: *value = 4 * w->lanes; break;
    case 0xf11:
    case 0xf12:
    case 0xf13: *value = 0; break;
    case 0xf14: *value = w->wid; break;
    case 0x800: *value = w->wid * w->lanes; break;
    case 0x801: *value = g->launch->warps; break;
    case 0x802: *value = w->lanes; break;
    case 0x803: *value = g->launch->metadata; break;
    case 0x804: *value = g->id; break;
    case 0x805: *value = w->wid; break;
    case 0x806: *value = SAM_LDS_BASE; break;
    case 0x807: *value = g->pds; break;
    case 0x808: *value = g->x; break;
    case 0x809: *value = g->y; break;
    case 0x80a: *value = g->z; break;
    case 0x80b: *value = 0; break; /* cleared as soon as the bytes are printed */
    case 0x80c: *value = w->rpc; break;
    default: return false;
    }
    return true;
}

/* Print the part of the print buffer not printed yet: u32 index, then bytes. */
static bool print(struct ref_warp *w)
{
    struct ref_group *g = w->group;
    uint64_t buffer, size, index;
    if (!ref_load(w, g->launch->metadata + 48, 4, REF_NO_LANE, &buffer) ||
        !ref_load(w, g->launch->metadata + 52, 4, REF_NO_LANE, &size))
        return false;
    if (buffer == 0 || size == 0)
        return true;
    if (!ref_load(w, (uint32_t)buffer, 4, REF_NO_LANE, &index))
        return false;
    if (index + 4 > size)
        return ref_trap(w, SAM_TRAP_PRINT_FULL, REF_NO_LANE, index);
    for (; *g->printed < index; ++*g->printed) {
        uint64_t byte;
        if (!ref_load(w, (uint32_t)buffer + 4 + *g->printed, 1, REF_NO_LANE, &byte))
            return false;
        char *more = realloc(g->result->print, g->result->print_size + 1);
        if (!more)
            abort();
        more[g->result->print_size++] = (char)byte;
        g->result->print = more;
    }
    return true;
}

static bool write_csr(struct ref_warp *w, unsigned csr, uint32_t value)
{
    switch (csr) {
    case 0x001: w->fflags = value & 31; return true;
    case 0x002: w->frm = value & 7; return true;
    case 0x003:
        w->fflags = value & 31;
        w->frm = value >> 5 & 7;
        return true;
    case 0x300: w->mstatus = value; return true;
    case 0x305: w->mtvec = value; return true;
    case 0x340: w->mscratch = value; return true;
    case 0x341: w->mepc = value; return true;
    case 0x342: w->mcause = value; return true;
    case 0x343: w->mtval = value; return true;
    case 0x008:
    case 0x301:
    case 0xb00:
    case 0xb02: return true;
    case 0x80b: return value ? print(w) : true;
    case 0x80c: w->rpc = value; return true;
    default: return ref_illegal(w);
    }
}

bool ref_csr_exec(struct ref_warp *w, const struct ref_insn *insn)
{
    bool by_register = insn->op == REF_CSRRW || insn->op == REF_CSRRS || insn->op == REF_CSRRC;
    uint32_t operand = by_register ? ref_x(w, insn->rs1) : (uint32_t)insn->imm;
    bool swap = insn->op == REF_CSRRW || insn->op == REF_CSRRWI;
    bool writes = swap || (by_register ? insn->rs1 != 0 : insn->imm != 0);
    uint32_t old;
    if (!read_csr(w, insn->csr, &old))
        return ref_illegal(w);
    if (writes) {
        uint32_t value = operand;
        if (insn->op == REF_CSRRS || insn->op == REF_CSRRSI)
            value = old | operand;
        if (insn->op == REF_CSRRC || insn->op == REF_CSRRCI)
            value = old & ~operand;
        if (!write_csr(w, insn->csr, value))
            return false;
    }
    ref_set_x(w, insn->rd, old);
    return true;
}

bool ref_vtype_ok(const struct ref_warp *w)
{
    return !(w->vtype & VILL);
}

unsigned ref_lmul(const struct ref_warp *w)
{
    return (w->vtype & 7) == 1 ? 2 : 1;
}

bool ref_vset(struct ref_warp *w, const struct ref_insn *insn)
{
    uint32_t type = insn->op == REF_VSETVL ? ref_x(w, insn->rs2) : (uint32_t)insn->imm;
    uint32_t avl;
    bool supported = (type & ~0xffu) == 0 && (type >> 3 & 7) == 2 && (type & 7) <= 1;
    if (!supported) {
        w->vtype = VILL;
        w->vl = 0;
        ref_set_x(w, insn->rd, 0);
        return true;
    }
    if (insn->op == REF_VSETIVLI)
        avl = insn->rs3;
    else if (insn->rs1 != 0)
        avl = ref_x(w, insn->rs1);
    else if (insn->rd != 0)
        avl = UINT32_MAX;
    else
        avl = w->vl;
    w->vtype = type;
    uint32_t most = w->lanes * ref_lmul(w);
    w->vl = avl < most ? avl : most;
    ref_set_x(w, insn->rd, w->vl);
    return true;
}
