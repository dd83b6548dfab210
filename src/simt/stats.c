/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of single-stepped instructions. */
#include "profile/profile.h"
#include "simt/count.h"

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

static void count_memory(struct sam_profile_row *row, const struct sam_step *a)
{
    if (!a->access_count)
        return;
    row->accesses += a->access_count;
    if (a->access[0].address - SAM_LDS_BASE < SAM_LDS_SIZE) {
        row->lds_insns++;
        row->conflicts += a->access_count > 1 ? bank_conflicts(a) : 0;
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
    count_memory(row, step);
    if (w->deepest > counts->deepest)
        counts->deepest = w->deepest;
    return true;
}
