/* SPDX-License-Identifier: Apache-2.0 */
/* The launch: workgroups in order, their warps round-robin, one instruction at a time. */
#include "ventus_ref.h"

#include <stdlib.h>
#include <string.h>

#include "ref_machine.h"

bool ref_trap(struct ref_warp *w, enum sam_trap_kind kind, uint32_t lane, uint64_t tval)
{
    const struct ref_group *g = w->group;
    w->trap = (struct sam_trap){kind,    g->id, {g->x, g->y, g->z}, w->wid, lane, w->mask, w->pc,
                                w->word, tval};
    return false;
}

bool ref_illegal(struct ref_warp *w)
{
    return ref_trap(w, SAM_TRAP_ILLEGAL, REF_NO_LANE, w->word);
}

static bool execute(struct ref_warp *w, const struct ref_insn *insn, uint32_t *next)
{
    if (insn->op == REF_ILLEGAL)
        return ref_illegal(w);
    if (insn->pair)
        return ref_pair_exec(w, insn);
    if (ref_is_simt(insn->op))
        return ref_simt_exec(w, insn, next);
    if (ref_is_vmem(insn->op))
        return ref_vmem_exec(w, insn);
    if (ref_is_vfloat(insn->op))
        return ref_vfloat_exec(w, insn);
    if (insn->op >= REF_VSETVLI && insn->op <= REF_VSETVL)
        return ref_vset(w, insn);
    if (insn->op >= REF_CSRRW && insn->op <= REF_CSRRCI)
        return ref_csr_exec(w, insn);
    if ((insn->op >= REF_VADD && insn->op <= REF_VNMSAC) || insn->op == REF_VADD12 ||
        insn->op == REF_VSUB12)
        return ref_vector_exec(w, insn);
    return ref_scalar_exec(w, insn, next);
}

/* One instruction. False after a trap. */
static bool step(struct ref_warp *w)
{
    uint64_t budget = w->group->gpu->options.max_insns;
    uint32_t at, next = w->pc + 4, prefix = w->prefix;
    w->word = 0;
    if (!ref_check(w, w->pc, 4, REF_FETCH, REF_NO_LANE, &at))
        return false;
    w->word = (uint32_t)ref_get(w, at, 4);
    if (budget && w->insns >= budget)
        return ref_trap(w, SAM_TRAP_BUDGET, REF_NO_LANE, budget);
    struct ref_insn insn = ref_decode(w->word, prefix);
    bool is_prefix = insn.op >= REF_REGEXT && insn.op <= REF_REGPAIRI;
    w->prefix = 0;
    if (is_prefix)
        w->prefix = w->word;
    else if (!execute(w, &insn, &next))
        return false;
    w->insns++;
    if (!w->ended && !w->waiting)
        w->pc = next;
    return true;
}

/* Every warp that has not ended waits: release them if they wait at one barrier. */
static bool release(struct ref_warp *warps, unsigned count, struct sam_trap *trap)
{
    struct ref_warp *first = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (warps[i].ended)
            continue;
        if (!first)
            first = &warps[i];
        if (warps[i].pc != first->pc) {
            ref_trap(first, SAM_TRAP_DEADLOCK, REF_NO_LANE, 0);
            *trap = first->trap;
            return false;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        if (warps[i].waiting)
            warps[i].pc += 4;
        warps[i].waiting = false;
    }
    return first != NULL;
}

static void run_warps(struct ref_warp *warps, unsigned count, struct sam_trap *trap)
{
    do {
        for (unsigned i = 0; i < count; i++) {
            while (!warps[i].ended && !warps[i].waiting) {
                if (!step(&warps[i])) {
                    *trap = warps[i].trap;
                    return;
                }
            }
        }
    } while (release(warps, count, trap));
}

/* The lanes of a warp that have a work-item; all lanes if the workgroup is complete, or if the
 * metadata (manual 2.2) describes other workgroups than the launch. docs/ventus-rulings.md 4.9. */
static uint32_t lanes_with_items(struct ref_warp *w)
{
    const struct ref_group *g = w->group;
    const uint32_t at[3] = {g->x, g->y, g->z};
    uint64_t global[3], local[3], items = 1, done = 0;
    uint32_t lanes = 0;
    bool cut = false;
    for (unsigned i = 0; i < 3; i++) {
        global[i] = ref_get(w, g->launch->metadata + 12 + 4 * i, 4);
        local[i] = ref_get(w, g->launch->metadata + 24 + 4 * i, 4);
        if (!global[i] || !local[i] || (global[i] + local[i] - 1) / local[i] != g->launch->grid[i])
            return w->full;
        items *= local[i];
        cut |= (at[i] + UINT64_C(1)) * local[i] > global[i];
    }
    if (!cut || (items + w->lanes - 1) / w->lanes != g->launch->warps)
        return w->full;
    for (uint64_t z = 0; z < local[2]; z++)
        for (uint64_t y = 0; y < local[1]; y++)
            for (uint64_t x = 0; x < local[0]; x++, done++)
                if (done / w->lanes == w->wid && at[0] * local[0] + x < global[0] &&
                    at[1] * local[1] + y < global[1] && at[2] * local[2] + z < global[2])
                    lanes |= 1u << done % w->lanes;
    return lanes;
}

static void run_group(struct ref_group *g)
{
    const struct sam_launch *launch = g->launch;
    struct ref_warp *warps = calloc(launch->warps, sizeof(*warps));
    if (!warps)
        abort();
    ref_map_init(&g->lds, SAM_LDS_SIZE);
    for (unsigned i = 0; i < launch->warps; i++) {
        struct ref_warp *w = &warps[i];
        w->group = g;
        w->wid = i;
        w->lanes = launch->lanes;
        w->full = launch->lanes == 32 ? UINT32_MAX : (1u << launch->lanes) - 1;
        w->full = w->mask = lanes_with_items(w);
        w->ended = !w->mask;
        w->pc = launch->start;
        w->vl = launch->lanes;
        w->vtype = 0xd0; /* e32, m1, ta, ma (manual 3.1) */
    }
    run_warps(warps, launch->warps, &g->result->trap);
    for (unsigned i = 0; i < launch->warps; i++) {
        g->result->warp_insns += warps[i].insns;
        free(warps[i].stack);
    }
    ref_map_free(&g->lds);
    free(warps);
}

bool ref_gpu_launch(struct ref_gpu *gpu, const struct sam_launch *launch, struct ref_result *result)
{
    uint32_t printed = 0, id = 0;
    *result = (struct ref_result){0};
    result->print = calloc(1, 1);
    for (uint32_t z = 0; z < launch->grid[2]; z++) {
        for (uint32_t y = 0; y < launch->grid[1]; y++) {
            for (uint32_t x = 0; x < launch->grid[0]; x++, id++) {
                struct ref_group g = {.gpu = gpu,
                                      .launch = launch,
                                      .id = id,
                                      .x = x,
                                      .y = y,
                                      .z = z,
                                      .result = result,
                                      .printed = &printed};
                uint32_t bytes = launch->warps * launch->lanes * launch->pds_size;
                g.pds = launch->pds_base + (gpu->options.shared_pds ? 0 : id * bytes);
                run_group(&g);
                if (result->trap.kind != SAM_TRAP_NONE)
                    return false;
            }
        }
    }
    return true;
}

void ref_result_free(struct ref_result *result)
{
    free(result->print);
    result->print = NULL;
}
