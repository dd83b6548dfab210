/* SPDX-License-Identifier: Apache-2.0 */
/* The synchronization check: barriers that warps skip or reach with some lanes only, setrpc without
 * a branch, and branches whose paths do not reconverge. Ventus 4.2.1, 4.2.4. */
#include <stdlib.h>

#include "sanitize/sanitize.h"

struct warp_sync {
    uint32_t depth;                 /* SIMT stack depth at the last instruction seen */
    struct sam_finding_side *split; /* per stack entry: the branch that pushed it */
    size_t split_capacity;
    struct sam_finding_side branch;  /* known if the last instruction seen was this vector branch */
    struct sam_finding_side setrpc;  /* known if no vector branch has run since */
    struct sam_finding_side barrier; /* known while the warp waits there */
    struct sam_finding_side end;     /* known once the warp has ended */
};

struct sanitize_sync {
    struct warp_sync *warps;
    uint32_t count;
};

bool sam_sanitize_sync_new(struct sam_sanitizer *s)
{
    s->sync = sam_alloc(1, sizeof *s->sync);
    return s->sync != NULL;
}

static void free_warps(struct sanitize_sync *sync)
{
    for (uint32_t i = 0; i < sync->count; i++)
        free(sync->warps[i].split);
    free(sync->warps);
    sync->warps = NULL;
    sync->count = 0;
}

void sam_sanitize_sync_free(struct sam_sanitizer *s)
{
    if (s->sync)
        free_warps(s->sync);
    free(s->sync);
}

bool sam_sanitize_sync_begin(struct sam_sanitizer *s)
{
    struct sanitize_sync *sync = s->sync;
    if (sync->count == s->launch.warps)
        return true;
    free_warps(sync);
    sync->warps = sam_alloc(s->launch.warps, sizeof *sync->warps);
    sync->count = sync->warps ? s->launch.warps : 0;
    return sync->warps != NULL;
}

void sam_sanitize_sync_enter(struct sam_sanitizer *s)
{
    for (uint32_t i = 0; i < s->sync->count; i++) {
        struct warp_sync *w = &s->sync->warps[i];
        w->depth = 0;
        w->branch.known = w->setrpc.known = w->barrier.known = w->end.known = false;
    }
}

void sam_sanitize_sync_release(struct sam_sanitizer *s)
{
    struct sanitize_sync *sync = s->sync;
    const struct warp_sync *ended = NULL, *waits = NULL;
    for (uint32_t i = sync->count; i-- > 0;) {
        struct warp_sync *w = &sync->warps[i];
        if (w->barrier.known)
            waits = w;
        else if (w->end.known)
            ended = w;
    }
    if (waits && ended)
        sam_sanitize_report(s, &(struct sam_finding){.kind = SAM_FINDING_BARRIER_SKIPPED,
                                                     .sides = {waits->barrier, ended->end}});
    for (uint32_t i = 0; i < sync->count; i++)
        sync->warps[i].barrier.known = false;
}

static bool is_join(const struct sam_sanitizer *s, const struct sam_sanitize_warp *warp,
                    uint32_t pc, uint32_t *word)
{
    struct sam_insn insn;
    *word = 0;
    return s->launch.fetch(warp->core, pc, word) && sam_decode(s->launch.isa, *word, 0, &insn) &&
           insn.op == SAM_OP_join;
}

/* The last vector branch has diverged: it has pushed two entries. */
static void note_divergence(struct sam_sanitizer *s, const struct sam_sanitize_op *op,
                            struct warp_sync *w)
{
    const struct sam_sanitize_warp *warp = op->warp;
    const uint32_t rpc = warp->stack[warp->depth - 2].rpc;
    uint32_t word;
    while (w->split_capacity < warp->depth) {
        void *grown = sam_grow(w->split, w->split_capacity, &w->split_capacity, sizeof *w->split);
        if (!grown) {
            s->failed = true;
            return;
        }
        w->split = grown;
    }
    w->split[warp->depth - 2] = w->split[warp->depth - 1] = w->branch;
    if (is_join(s, warp, rpc, &word))
        return;
    struct sam_finding_side at = w->branch;
    at.pc = rpc;
    at.word = word;
    at.prefix = 0;
    sam_sanitize_report(s, &(struct sam_finding){.kind = SAM_FINDING_JOIN_MISSING,
                                                 .sides = {w->branch, at},
                                                 .rpc = rpc});
}

static void see_setrpc(struct sam_sanitizer *s, const struct sam_finding_side *here,
                       struct warp_sync *w)
{
    if (w->setrpc.known)
        sam_sanitize_report(
            s, &(struct sam_finding){.kind = SAM_FINDING_RPC_UNUSED, .sides = {w->setrpc, *here}});
}

/* The branch that pushed the top of the stack; not known if the stack is empty. */
static struct sam_finding_side top_branch(const struct sam_sanitize_warp *warp,
                                          const struct warp_sync *w)
{
    const bool known = warp->depth && warp->depth <= w->split_capacity;
    return known ? w->split[warp->depth - 1] : (struct sam_finding_side){0};
}

static void see_end(struct sam_sanitizer *s, const struct sam_sanitize_op *op,
                    const struct sam_finding_side *here, struct warp_sync *w)
{
    const struct sam_sanitize_warp *warp = op->warp;
    const struct sam_finding_side branch = top_branch(warp, w);
    uint32_t word;
    see_setrpc(s, here, w);
    w->end = *here;
    if (branch.known && is_join(s, warp, warp->stack[warp->depth - 1].rpc, &word))
        sam_sanitize_report(s, &(struct sam_finding){.kind = SAM_FINDING_JOIN_UNREACHED,
                                                     .sides = {branch, *here},
                                                     .rpc = warp->stack[warp->depth - 1].rpc});
}

void sam_sanitize_sync_see(struct sam_sanitizer *s, const struct sam_sanitize_op *op)
{
    const struct sam_sanitize_warp *warp = op->warp;
    struct warp_sync *w = &s->sync->warps[warp->number];
    const struct sam_finding_side here = sam_sanitize_side(op, UINT32_MAX);
    if (w->branch.known && warp->depth == w->depth + 2)
        note_divergence(s, op, w);
    w->depth = warp->depth;
    w->branch.known = false;
    switch (op->insn->op) {
    case SAM_OP_endprg: see_end(s, op, &here, w); break;
    case SAM_OP_barrier:
        w->barrier = here;
        if (warp->simt != warp->started)
            sam_sanitize_report(s, &(struct sam_finding){.kind = SAM_FINDING_BARRIER_MASKED,
                                                         .sides = {here, top_branch(warp, w)}});
        break;
    case SAM_OP_setrpc:
        see_setrpc(s, &here, w);
        w->setrpc = here;
        break;
    default:
        if (sam_insn_rows[op->insn->op].does.act == SAM_ACT_SPLIT) {
            w->branch = here;
            w->setrpc.known = false;
        }
    }
}
