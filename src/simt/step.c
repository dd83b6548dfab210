/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction of a warp, recorded. What it will access follows from the state before it. */
#include "machine/step.h"
#include "simt/access.h"

/* Lanes of group g that `insn` acts on. */
static uint32_t acting(const struct sam_warp *w, const struct sam_insn *insn, unsigned g)
{
    uint32_t bits = w->bits[g];
    for (unsigned i = 0; !insn->vm && i < SAM_LANES; i++)
        if (!(w->v[g][i] & 1))
            bits &= ~(UINT32_C(1) << i);
    return bits;
}

static void find_accesses(const struct sam_warp *w, const struct sam_insn *insn,
                          struct sam_step *step)
{
    const struct sam_lanes_access f = sam_lanes_access_of(insn->op);
    const uint32_t *x = w->core.x32, threads = w->numw * w->lanes;
    const unsigned data = f.data_in_rs3 ? insn->rs3 : f.store ? insn->rs2 : insn->rd;
    const unsigned words = sam_lanes_is_pair(insn, &f) ? 2 : 1; /* REGPAIR: manual 4.2.3 */
    struct sam_step_access a = {.size = f.size, .load = !f.store, .store = f.store};
    for (unsigned g = 0; g < w->groups; g++) {
        for (uint32_t bits = step->lanes[g]; bits; bits &= bits - 1) {
            unsigned lane = (unsigned)__builtin_ctz(bits), element = g * w->lanes + lane;
            uint32_t at = x[insn->rs1];
            switch (f.form) {
            case SAM_FORM_UNIT: at += element * f.size; break;
            case SAM_FORM_STRIDED: at += element * x[insn->rs2]; break;
            case SAM_FORM_INDEXED: at += w->v[insn->rs2 + g][lane] & f.index_mask; break;
            case SAM_FORM_PER_LANE: at = w->v[insn->rs1 + g][lane] + (uint32_t)insn->imm; break;
            }
            if (f.own) /* Ventus 4.2.7 */
                at = w->pds + (at & ~3u) * threads + (at & 3) + 4 * (w->tid + lane);
            for (unsigned word = 0; word < words; word++) {
                a.address = at + word * (f.own ? 4 * threads : 4);
                a.lane = lane;
                a.value = f.store ? w->v[(data + g + word) % SAM_VREGS][lane] : 0;
                sam_step_add_access(step, &a);
            }
        }
    }
}

/* Values are cut to the size of the access; loads find theirs in the registers they have filled. */
static void find_values(const struct sam_warp *w, const struct sam_insn *insn,
                        struct sam_step *step)
{
    const uint32_t mask = step->access_count ? UINT32_MAX >> (32 - 8 * step->access[0].size) : 0;
    const unsigned words = step->v_count > w->groups ? 2 : 1;
    unsigned left = (unsigned)__builtin_popcount(step->lanes[0]) * words;
    for (unsigned i = 0; i < step->access_count; i++) {
        struct sam_step_access *a = &step->access[i];
        const unsigned reg = words == 2 ? i % 2 : i >= left;
        if (a->load)
            a->value = w->v[(insn->rd + reg) % SAM_VREGS][a->lane];
        a->value &= mask;
    }
}

static void find_stack(const struct sam_warp *w, const struct sam_stack_entry *top,
                       struct sam_step *step)
{
    step->mask_after = w->simt;
    step->depth_after = w->depth;
    step->popped = *top;
    for (uint32_t i = step->depth_before; i < w->depth && i < step->depth_before + 2; i++)
        step->pushed[i - step->depth_before] = w->stack[i];
}

enum sam_exit sam_warp_step(struct sam_warp *w, struct sam_step *step, struct sam_insn *insn)
{
    const struct sam_stack_entry top =
        w->depth ? w->stack[w->depth - 1] : (struct sam_stack_entry){0};
    sam_step_begin(&w->core, step, insn);
    step->workgroup = w->wgid;
    step->warp = w->wid;
    step->mask_before = w->simt;
    step->depth_before = w->depth;
    const unsigned act = sam_insn_rows[insn->op].does.act;
    if (act == SAM_ACT_SPLIT)
        step->lanes[0] = w->simt;
    for (unsigned g = 0; step->vector && act != SAM_ACT_SPLIT && g < w->groups; g++)
        step->lanes[g] = acting(w, insn, g);
    if (step->vector && sam_insn_rows[insn->op].does.bytes)
        find_accesses(w, insn, step);
    const enum sam_exit exit = sam_step_run(&w->core, step, insn);
    find_stack(w, &top, step);
    if (exit == SAM_EXIT_TRAP)
        return exit;
    if (sam_insn_rows[insn->op].operands[0] == 'D') {
        step->v = insn->rd;
        step->v_count = insn->pair && !(insn->rd & 1) ? 2 : w->groups;
        memcpy(step->v_value, w->v[insn->rd], step->v_count * sizeof w->v[0]);
    }
    if (step->vector)
        find_values(w, insn, step);
    if (act == SAM_ACT_RPC)
        sam_step_add_csr(step, SAM_CSR_rpc, w->rpc);
    if (act == SAM_ACT_VTYPE) {
        sam_step_add_csr(step, SAM_CSR_vl, w->vl);
        sam_step_add_csr(step, SAM_CSR_vtype, w->vtype);
    }
    return exit;
}
