/* SPDX-License-Identifier: Apache-2.0 */
/* Branches and the SIMT stack, barriers, the end of a warp (manual 4.2.1, 4.2.4, ruling 3). */
#include "ref_machine.h"

#include <stdlib.h>

bool ref_is_simt(enum ref_op op)
{
    return (op >= REF_VBEQ && op <= REF_SETRPC) || op == REF_ENDPRG || op == REF_BARRIER ||
           op == REF_BARRIERSUB;
}

/* `a` is the element of the register in bits 24:20, `b` of that in bits 19:15 (ruling 2.2). */
static bool takes(enum ref_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case REF_VBEQ: return a == b;
    case REF_VBNE: return a != b;
    case REF_VBLT: return (int32_t)a < (int32_t)b;
    case REF_VBGE: return (int32_t)a >= (int32_t)b;
    case REF_VBLTU: return a < b;
    default: return a >= b;
    }
}

static void push(struct ref_warp *w, uint32_t next_pc, uint32_t mask)
{
    if (w->depth == w->room) {
        w->room = w->room ? 2 * w->room : 64;
        w->stack = realloc(w->stack, w->room * sizeof(*w->stack));
        if (!w->stack)
            abort();
    }
    w->stack[w->depth++] = (struct ref_stack_entry){w->rpc, next_pc, mask};
}

static unsigned count(uint32_t mask)
{
    unsigned n = 0;
    for (; mask; mask >>= 1)
        n += mask & 1;
    return n;
}

static bool branch(struct ref_warp *w, const struct ref_insn *insn, uint32_t *next)
{
    uint32_t taken = 0, target = w->pc + (uint32_t)insn->imm;
    if (!ref_vtype_ok(w))
        return ref_illegal(w);
    for (unsigned lane = 0; lane < w->lanes; lane++)
        if ((w->mask >> lane & 1) && takes(insn->op, w->v[insn->rs2][lane], w->v[insn->rs1][lane]))
            taken |= 1u << lane;
    if (taken == 0)
        return true;
    if (!ref_jump(w, target, next))
        return false;
    if (taken == w->mask)
        return true;
    unsigned limit = w->group->gpu->options.simt_stack_limit;
    if (w->depth + 2 > (limit ? limit : 65536))
        return ref_trap(w, SAM_TRAP_STACK_OVERFLOW, REF_NO_LANE, w->depth);
    uint32_t rest = w->mask & ~taken;
    push(w, w->rpc, w->mask);
    if (count(taken) <= count(rest)) {
        push(w, w->pc + 4, rest);
        w->mask = taken;
    } else {
        push(w, target, taken);
        w->mask = rest;
        *next = w->pc + 4;
    }
    return true;
}

bool ref_simt_exec(struct ref_warp *w, const struct ref_insn *insn, uint32_t *next)
{
    switch (insn->op) {
    case REF_SETRPC:
        w->rpc = ref_x(w, insn->rs1) + (uint32_t)insn->imm;
        ref_set_x(w, insn->rd, w->rpc);
        return true;
    case REF_JOIN:
        if (w->depth > 0 && w->stack[w->depth - 1].rpc == w->pc) {
            struct ref_stack_entry top = w->stack[--w->depth];
            w->mask = top.mask;
            *next = top.next_pc;
        }
        return true;
    case REF_BARRIERSUB: return true;
    case REF_BARRIER:
        if (w->mask != w->full)
            return ref_trap(w, SAM_TRAP_BARRIER_DIVERGED, REF_NO_LANE, 0);
        w->waiting = true;
        return true;
    case REF_ENDPRG:
        if (w->mask != w->full || w->depth != 0)
            return ref_trap(w, SAM_TRAP_ENDPRG_DIVERGED, REF_NO_LANE, 0);
        w->ended = true;
        return true;
    default: return branch(w, insn, next);
    }
}
