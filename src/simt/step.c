/* SPDX-License-Identifier: Apache-2.0 */
/* Single-steps a warp and records the instruction. Accesses are derived from the state before
 * it. */
#include "machine/step.h"
#include "simt/access_tmpl.h"

static void find_accesses(const struct sam_warp *w, const struct sam_insn *insn,
                          struct sam_step *step)
{
    const struct sam_lanes_access *f = &sam_worker_of(&w->core)->access[insn->op];
    const struct sam_uop uop = access_uop(insn);
    const unsigned data = f->data_in_rs3 ? insn->rs3 : f->store ? insn->rs2 : insn->rd;
    const unsigned words = sam_lanes_is_pair(insn, f) ? 2 : 1; /* REGPAIR: manual 4.2.3 */
    struct sam_step_access a = {.size = f->size, .load = !f->store, .store = f->store};
    for (unsigned g = 0; g < w->groups; g++) {
        uint32_t at[SAM_LANES];
        lane_addresses(&w->core, &uop, f, g, at);
        for (uint32_t bits = step->lanes[g]; bits; bits &= bits - 1) {
            a.lane = (unsigned)__builtin_ctz(bits);
            for (unsigned word = 0; word < words; word++) {
                a.address = at[a.lane] + word * (f->own ? 4 * w->numw * w->lanes : 4);
                a.value = f->store ? w->v[(data + g + word) % SAM_VREGS][a.lane] : 0;
                sam_step_add_access(step, &a);
            }
        }
    }
}

/* Truncate values to the access size; read those of loads from the destination registers. */
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

void sam_warp_step_before(const struct sam_warp *w, const struct sam_insn *insn,
                          struct sam_step *step)
{
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    step->lanes[0] = does->act == SAM_ACT_SPLIT ? w->simt : 0;
    step->lanes[1] = 0;
    if (!step->vector || does->act == SAM_ACT_SPLIT)
        return;
    const struct sam_uop uop = access_uop(insn);
    for (unsigned g = 0; g < w->groups; g++)
        step->lanes[g] = acting(w, &uop, g);
    if (does->bytes)
        find_accesses(w, insn, step);
}

void sam_warp_step_after(const struct sam_warp *w, const struct sam_insn *insn,
                         struct sam_step *step)
{
    const struct sam_insn_row *row = &sam_insn_rows[insn->op];
    if (row->operands[0] == 'D') {
        step->v = insn->rd;
        step->v_count = insn->pair && !(insn->rd & 1) ? 2 : w->groups;
    }
    if (step->vector)
        find_values(w, insn, step);
    if (row->does.act == SAM_ACT_RPC)
        sam_step_add_csr(step, SAM_CSR_rpc, w->rpc);
    if (row->does.act == SAM_ACT_VTYPE) {
        sam_step_add_csr(step, SAM_CSR_vl, w->vl);
        sam_step_add_csr(step, SAM_CSR_vtype, w->vtype);
    }
}

enum sam_exit sam_warp_step(struct sam_warp *w, struct sam_step *step, struct sam_insn *insn)
{
    const struct sam_stack_entry top =
        w->depth ? w->stack[w->depth - 1] : (struct sam_stack_entry){0};
    struct sam_worker *worker = sam_worker_of(&w->core);
    sam_step_begin(&w->core, step, insn);
    if (worker->sanitizer && insn->op != SAM_OP_ILLEGAL)
        sam_sanitizing_step(worker, w, insn);
    step->workgroup = w->wgid;
    step->warp = w->wid;
    step->mask_before = w->simt;
    step->depth_before = w->depth;
    sam_warp_step_before(w, insn, step);
    const enum sam_exit exit = sam_step_run(&w->core, step, insn);
    find_stack(w, &top, step);
    if (exit == SAM_EXIT_TRAP)
        return exit;
    sam_warp_step_after(w, insn, step);
    memcpy(step->v_value, w->v[step->v], step->v_count * sizeof w->v[0]);
    return exit;
}
