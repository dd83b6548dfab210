/* SPDX-License-Identifier: Apache-2.0 */
/* Part of lanes_tmpl.h: splits and joins warps. Ventus 4.2.1. */

/* Push {rpc, rpc, mask} and the other path's entry. The caller has reserved room. */
static inline void diverge(struct sam_warp *w, uint32_t other_pc, uint32_t other)
{
    struct sam_stack_entry *top = w->stack + w->depth;
    top[0] = (struct sam_stack_entry){w->rpc, w->rpc, w->simt};
    top[1] = (struct sam_stack_entry){w->rpc, other_pc, other};
    w->depth += 2;
    if (w->depth > w->deepest)
        w->deepest = w->depth;
    if (w->diverged)
        ++*w->diverged;
}

static SAM_NOINLINE const struct sam_uop *branch_jump(SAM_HANDLER_ARGS)
{
    if (op->rs3 & SAM_UOP_FAR) {
        W->npc = (uint32_t)sam_pc_of(c, op) + (uint32_t)op->imm;
        SAM_JUMP_PC(W->npc);
    }
    W->npc = (uint32_t)c->page_pc + 4u * (uint32_t)op->imm;
    SAM_JUMP(c->ops + op->imm);
}

static sam_handler branch_grow;

/* Branch the lanes in W->taken. */
static SAM_NOINLINE const struct sam_uop *branch_split(SAM_HANDLER_ARGS)
{
    struct sam_warp *w = W;
    const uint32_t taken = w->taken, rest = w->simt & ~taken;
    const uint32_t pc = (uint32_t)sam_pc_of(c, op);
    const uint32_t target = op->rs3 & SAM_UOP_FAR ? pc + (uint32_t)op->imm
                                                  : (uint32_t)c->page_pc + 4u * (uint32_t)op->imm;
    if (SAM_UNLIKELY(target & 3))
        SAM_TRAP(SAM_CAUSE_FETCH_MISALIGNED, target);
    if (SAM_UNLIKELY(w->depth + 2 > w->stack_capacity || w->depth + 2 > w->stack_limit))
        SAM_MUSTTAIL return branch_grow(c, op, entry, left);
    /* Run the path with fewer lanes first; on a tie, the taken one. */
    if (__builtin_popcount(taken) <= __builtin_popcount(rest)) {
        diverge(w, pc + 4, rest);
        sam_warp_set_mask(w, taken);
        SAM_MUSTTAIL return branch_jump(c, op, entry, left);
    }
    diverge(w, target, taken);
    sam_warp_set_mask(w, rest);
    SAM_NEXT();
}

static SAM_NOINLINE const struct sam_uop *branch_grow(SAM_HANDLER_ARGS)
{
    if (!sam_warp_reserve_stack(W, W->depth + 2))
        SAM_TRAP(SAM_CAUSE_STACK, W->depth);
    SAM_MUSTTAIL return branch_split(c, op, entry, left);
}

/* `bits` yields the lanes, active or not, in which registers a and b meet the condition. */
#define VBRANCH(name, bits)                                                                        \
    SAM_HANDLER(op_##name)                                                                         \
    {                                                                                              \
        if (SAM_UNLIKELY(!W->groups))                                                              \
            SAM_TRAP_ILLEGAL();                                                                    \
        const uint32_t *a = V(op->rs2), *b = V(op->rs1);                                           \
        const uint32_t taken = (bits)&W->simt;                                                     \
        W->taken = taken;                                                                          \
        W->npc = (uint32_t)sam_pc_of(c, op) + 4;                                                   \
        if (!taken)                                                                                \
            SAM_NEXT();                                                                            \
        if (taken == W->simt)                                                                      \
            SAM_MUSTTAIL return branch_jump(c, op, entry, left);                                   \
        SAM_MUSTTAIL return branch_split(c, op, entry, left);                                      \
    }

VBRANCH(vbeq, bits_equal(a, b))
VBRANCH(vbne, ~bits_equal(a, b))
VBRANCH(vblt, bits_below(a, b))
VBRANCH(vbge, ~bits_below(a, b))
VBRANCH(vbltu, bits_below_unsigned(a, b))
VBRANCH(vbgeu, ~bits_below_unsigned(a, b))

SAM_HANDLER(op_join)
{
    struct sam_warp *w = W;
    if (!w->depth || w->stack[w->depth - 1].rpc != (uint32_t)sam_pc_of(c, op))
        SAM_NEXT();
    const struct sam_stack_entry top = w->stack[--w->depth];
    w->npc = top.pc;
    sam_warp_set_mask(w, top.mask);
    if (SAM_LIKELY(top.pc - (uint32_t)c->page_pc < SAM_PAGE_SIZE && !(top.pc & 3)))
        SAM_JUMP(c->ops + (top.pc & (SAM_PAGE_SIZE - 1)) / 4);
    SAM_JUMP_PC(top.pc);
}

SAM_HANDLER(op_setrpc)
{
    const uint32_t rpc = c->x32[op->rs1] + (uint32_t)op->imm;
    W->rpc = rpc;
    c->x32[op->rd] = rpc;
    SAM_NEXT();
}
