/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics and profiles of a launch: from instrumented code, or from single steps. */
#include "simt/count.h"

#include <stdlib.h>

#include "profile/profile.h"

/* Scalar accesses of one word need no count of accesses. */
static bool is_single(const struct sam_insn *insn)
{
    return !sam_op_is_vector(insn->op) && !insn->pair;
}

static sam_handler *instrument(void *context, const struct sam_insn *insn, bool apart)
{
    const struct sam_counts *counts = context;
    return counts->hooks.count[sam_hook_of(insn, apart)];
}

/* Add the counters of an instruction to its row. */
static void flush(void *context, uint64_t pc, const struct sam_counters *counters,
                  const int64_t totals[SAM_COUNTER_STEPS])
{
    struct sam_counts *counts = context;
    const struct sam_insn *insn = &counters->insn;
    const int64_t *sums = counters->sums;
    const uint64_t count = (uint64_t)totals[COUNT_RUNS];
    if (count == 0)
        return;
    struct sam_profile_row *row = sam_profile_at(counts->profile, pc, insn->word, counters->prefix);
    if (!row) {
        counts->failed = true;
        return;
    }
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    const bool own_lanes = does->act == SAM_ACT_SPLIT || !insn->vm;
    row->vector = sam_op_is_vector(insn->op);
    row->count += count;
    row->lanes += !row->vector ? count
                  : own_lanes  ? (uint64_t)sums[COUNT_ACTING]
                               : (uint64_t)totals[COUNT_LANES];
    row->slots += row->vector ? counts->lanes * (count + (uint64_t)totals[COUNT_WIDE]) : count;
    row->diverged += (uint64_t)sums[COUNT_DIVERGED];
    if (does->bytes == 0)
        return;
    const bool single = is_single(insn);
    const uint64_t local = (uint64_t)sums[COUNT_LDS];
    const uint64_t global = single ? count - local : (uint64_t)sums[COUNT_GLOBAL];
    row->lds_insns += local;
    row->global_insns += global;
    row->accesses += single ? count : (uint64_t)sums[COUNT_ACCESSES];
    row->lines += single ? global : (uint64_t)sums[COUNT_LINES];
    row->conflicts += (uint64_t)sums[COUNT_CONFLICTS];
}

struct sam_counts *sam_counts_new(uint32_t lanes)
{
    struct sam_counts *counts = sam_alloc(1, sizeof *counts);
    struct sam_profile *profile = sam_profile_new();
    if (!counts || !profile) {
        free(counts);
        sam_profile_free(profile);
        return NULL;
    }
    counts->profile = profile;
    counts->lanes = lanes;
    return counts;
}

void sam_counts_free(struct sam_counts *counts)
{
    if (counts)
        sam_profile_free(counts->profile);
    free(counts);
}

void sam_counts_in_runs(struct sam_counts *counts, struct sam_code *code)
{
    sam_hooks_fill(&counts->hooks);
    counts->instrumentation =
        (struct sam_instrumentation){.instrument = instrument,
                                     .page_end = counts->hooks.count[SAM_HOOK_PAGE_END],
                                     .flush = flush,
                                     .context = counts};
    counts->in_runs = true;
    sam_code_instrument(code, &counts->instrumentation);
}

/* Subtract what was counted before an instruction that then trapped. */
static void take_back(struct sam_warp *w, const struct sam_uop *op)
{
    struct sam_core *c = &w->core;
    struct sam_counters *counters = sam_counters_of(c, op);
    const struct sam_insn *insn = &counters->insn;
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    if (insn->op == SAM_OP_ILLEGAL)
        return;
    if (!sam_uop_in_page(c, op)) { /* only the prefix has run */
        counters->steps[COUNT_RUNS]--;
        for (unsigned g = 0; g < w->groups; g++)
            counters->steps[COUNT_LANES] -= __builtin_popcount(w->bits[g]);
        counters->steps[COUNT_WIDE] -= w->groups == 2;
    }
    if (does->act == SAM_ACT_SPLIT) {
        counters->sums[COUNT_ACTING] -= __builtin_popcount(w->simt);
    } else if (does->bytes && is_single(insn)) {
        counters->sums[COUNT_LDS] -=
            c->x32[op->rs1] + (uint32_t)op->imm - SAM_LDS_BASE < SAM_LDS_SIZE;
    } else if (does->bytes) {
        count_add(counters, &sam_worker_of(c)->counts->last, -1);
    } else if (sam_op_is_vector(insn->op) && !insn->vm) {
        for (unsigned g = 0; g < w->groups; g++)
            counters->sums[COUNT_ACTING] -= __builtin_popcount(sam_warp_acting(w, op, g));
    }
}

void sam_counts_stop(struct sam_warp *w, enum sam_exit exit)
{
    struct sam_core *c = &w->core;
    const struct sam_uop *op = c->end_op;
    if (op) {
        /* If the block had already been ended after this instruction, which did not run, this
         * cancels it. */
        if (sam_uop_in_page(c, op))
            count_on_block(c, c->end_entry, sam_instrument_stopped(c, exit));
        if (exit == SAM_EXIT_TRAP)
            take_back(w, op);
    }
    w->diverged = NULL; /* single steps do not update it */
    struct sam_counts *counts = sam_worker_of(c)->counts;
    if (w->deepest > counts->deepest)
        counts->deepest = w->deepest;
}

bool sam_counts_collect(struct sam_counts *counts, struct sam_code *code,
                        struct sam_profile *profile, uint64_t *deepest)
{
    if (counts->in_runs)
        sam_code_flush_counters(code);
    if (counts->deepest > *deepest)
        *deepest = counts->deepest;
    return !counts->failed && sam_profile_merge(profile, counts->profile);
}

/* -------------------------------------------------------------------------------- stepping */

/* The distinct values of address >> shift, sorted; adjacent lanes are mostly in order. */
static unsigned distinct(const struct sam_step *a, unsigned shift,
                         uint32_t values[SAM_STEP_ACCESSES])
{
    unsigned count = 0;
    for (unsigned i = 0; i < a->access_count; i++) {
        const uint32_t value = (uint32_t)a->access[i].address >> shift;
        unsigned at = count;
        while (at && values[at - 1] > value)
            at--;
        if (at && values[at - 1] == value)
            continue;
        memmove(values + at + 1, values + at, (count++ - at) * sizeof *values);
        values[at] = value;
    }
    return count;
}

static unsigned lds_conflicts(const struct sam_step *a, uint32_t lanes)
{
    uint32_t at[SAM_STEP_ACCESSES];
    for (unsigned i = 0; i < a->access_count; i++)
        at[i] = (uint32_t)a->access[i].address;
    return a->vector ? count_passes(at, a->access_count, lanes) - 1 : 0;
}

static void count_memory(struct sam_profile_row *row, const struct sam_step *a, uint32_t lanes)
{
    if (!a->access_count)
        return;
    row->accesses += a->access_count;
    if (is_local((uint32_t)a->access[0].address)) {
        row->lds_insns++;
        row->conflicts += lds_conflicts(a, lanes);
    } else {
        row->global_insns++;
        uint32_t lines[SAM_STEP_ACCESSES];
        row->lines += distinct(a, 6, lines);
    }
}

bool sam_counts_step(struct sam_counts *counts, const struct sam_warp *w,
                     const struct sam_insn *insn, const struct sam_step *step)
{
    struct sam_profile_row *row =
        sam_profile_at(counts->profile, step->pc, step->word, step->prefix);
    if (!row) {
        counts->failed = true;
        return false;
    }
    row->vector = step->vector;
    row->count++;
    row->lanes += step->vector ? (uint64_t)__builtin_popcount(step->lanes[0]) +
                                     (uint64_t)__builtin_popcount(step->lanes[1])
                               : 1;
    row->slots += step->vector ? w->lanes * (w->groups ? w->groups : 1) : 1;
    row->diverged +=
        sam_insn_rows[insn->op].does.act == SAM_ACT_SPLIT && step->depth_after > step->depth_before;
    count_memory(row, step, counts->lanes);
    if (w->deepest > counts->deepest)
        counts->deepest = w->deepest;
    return true;
}
