/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of single-stepped runs. */
#include <stdlib.h>

#include "simt/simt.h"

struct sam_counts {
    struct sam_gpu_stats counts; /* without the arrays */
    uint64_t mix[SAM_OP_COUNT];
    struct sam_branch_stats *branches; /* open addressing by pc; executed 0 = free */
    size_t branch_slots, branch_count;
    bool failed;
};

struct sam_counts *sam_counts_new(void)
{
    return sam_alloc(1, sizeof(struct sam_counts));
}

void sam_counts_free(struct sam_counts *counts)
{
    if (counts)
        free(counts->branches);
    free(counts);
}

/* -------------------------------------------------------------------------------- counting */

static struct sam_branch_stats *find_branch(struct sam_branch_stats *slots, size_t count,
                                            uint32_t pc)
{
    size_t at = pc / 4 * 2654435761u & (count - 1);
    while (slots[at].executed && slots[at].pc != pc)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static void count_branch(struct sam_counts *o, uint32_t pc, uint32_t word, bool diverged)
{
    if (o->branch_count * 2 >= o->branch_slots) {
        size_t slots = o->branch_slots ? o->branch_slots * 2 : 64;
        struct sam_branch_stats *grown = sam_alloc(slots, sizeof *grown);
        if (!grown) {
            o->failed = true;
            return;
        }
        for (size_t i = 0; i < o->branch_slots; i++)
            if (o->branches[i].executed)
                *find_branch(grown, slots, o->branches[i].pc) = o->branches[i];
        free(o->branches);
        o->branches = grown;
        o->branch_slots = slots;
    }
    struct sam_branch_stats *b = find_branch(o->branches, o->branch_slots, pc);
    if (!b->executed) {
        o->branch_count++;
        b->pc = pc;
        b->word = word;
    }
    b->executed++;
    b->diverged += diverged;
}

/* The distinct values of address >> shift in ascending order, which neighbouring lanes mostly have
 * already. */
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

/* Passes beyond the first: the largest number of distinct words in one of the 32 banks, minus one.
 */
static unsigned bank_conflicts(const struct sam_step *a)
{
    uint32_t words[SAM_STEP_ACCESSES];
    unsigned worst = 0, in_bank[32] = {0};
    for (unsigned count = distinct(a, 2, words), i = 0; i < count; i++)
        if (++in_bank[words[i] & 31] > worst)
            worst++;
    return worst ? worst - 1 : 0;
}

static void count_memory(struct sam_counts *o, const struct sam_step *a)
{
    struct sam_gpu_stats *s = &o->counts;
    if (!a->access_count)
        return;
    s->memory_insns++;
    s->memory_accesses += a->access_count;
    if (a->access[0].address - SAM_LDS_BASE < SAM_LDS_SIZE) {
        s->lds_insns++;
        s->lds_conflicts += a->access_count > 1 ? bank_conflicts(a) : 0;
    } else {
        s->global_insns++;
        uint32_t lines[SAM_STEP_ACCESSES];
        s->lines += distinct(a, 6, lines);
    }
}

bool sam_counts_step(struct sam_counts *o, const struct sam_warp *w, const struct sam_insn *insn,
                     const struct sam_step *step)
{
    struct sam_gpu_stats *s = &o->counts;
    o->mix[insn->op]++;
    if (!step->vector) {
        s->scalar_insns++;
        s->lane_insns++;
    } else {
        const unsigned lanes =
            (unsigned)(__builtin_popcount(step->lanes[0]) + __builtin_popcount(step->lanes[1]));
        s->vector_insns++;
        s->lane_insns += lanes;
        s->vector_lanes += lanes;
        s->vector_slots += w->lanes * (w->groups ? w->groups : 1);
    }
    count_memory(o, step);
    if (sam_insn_rows[insn->op].does.act == SAM_ACT_SPLIT)
        count_branch(o, (uint32_t)step->pc, insn->word, step->depth_after > step->depth_before);
    if (w->core.exit == SAM_EXIT_EVENT && w->core.event == SAM_EVENT_BARRIER)
        s->barriers++;
    if (w->deepest > s->simt_depth)
        s->simt_depth = w->deepest;
    return !o->failed;
}

/* --------------------------------------------------------------------------------- results */

static int by_count(const void *a, const void *b)
{
    const struct sam_mix_row *x = a, *y = b;
    if (x->warp_insns != y->warp_insns)
        return x->warp_insns > y->warp_insns ? -1 : 1;
    return strcmp(x->mnemonic, y->mnemonic);
}

static int by_pc(const void *a, const void *b)
{
    const struct sam_branch_stats *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

static bool add_mix(struct sam_gpu_stats *stats, enum sam_op op, uint64_t executed)
{
    const char *mnemonic = sam_insn_rows[op].mnemonic;
    size_t i = 0;
    while (i < stats->mix_count && strcmp(stats->mix[i].mnemonic, mnemonic) != 0)
        i++;
    if (i == stats->mix_count) {
        struct sam_mix_row *grown = realloc(stats->mix, (i + 1) * sizeof *grown);
        if (!grown)
            return false;
        stats->mix = grown;
        stats->mix[stats->mix_count++] = (struct sam_mix_row){mnemonic, 0};
    }
    stats->mix[i].warp_insns += executed;
    return true;
}

static bool add_branch(struct sam_gpu_stats *stats, const struct sam_branch_stats *branch)
{
    size_t i = 0;
    while (i < stats->branch_count && stats->branches[i].pc != branch->pc)
        i++;
    if (i == stats->branch_count) {
        struct sam_branch_stats *grown = realloc(stats->branches, (i + 1) * sizeof *grown);
        if (!grown)
            return false;
        stats->branches = grown;
        stats->branches[stats->branch_count++] =
            (struct sam_branch_stats){.pc = branch->pc, .word = branch->word};
    }
    stats->branches[i].executed += branch->executed;
    stats->branches[i].diverged += branch->diverged;
    return true;
}

bool sam_counts_collect(const struct sam_counts *o, struct sam_gpu_stats *stats)
{
    const struct sam_gpu_stats *c = &o->counts;
    bool ok = true;
    stats->scalar_insns += c->scalar_insns;
    stats->vector_insns += c->vector_insns;
    stats->lane_insns += c->lane_insns;
    stats->vector_lanes += c->vector_lanes;
    stats->vector_slots += c->vector_slots;
    stats->barriers += c->barriers;
    stats->memory_insns += c->memory_insns;
    stats->memory_accesses += c->memory_accesses;
    stats->lines += c->lines;
    stats->global_insns += c->global_insns;
    stats->lds_insns += c->lds_insns;
    stats->lds_conflicts += c->lds_conflicts;
    if (c->simt_depth > stats->simt_depth)
        stats->simt_depth = c->simt_depth;
    for (enum sam_op op = SAM_OP_ILLEGAL + 1; ok && op < SAM_OP_COUNT; op++)
        if (o->mix[op])
            ok = add_mix(stats, op, o->mix[op]);
    for (size_t i = 0; ok && i < o->branch_slots; i++)
        if (o->branches[i].executed)
            ok = add_branch(stats, &o->branches[i]);
    if (stats->mix)
        qsort(stats->mix, stats->mix_count, sizeof *stats->mix, by_count);
    if (stats->branches)
        qsort(stats->branches, stats->branch_count, sizeof *stats->branches, by_pc);
    return ok;
}
