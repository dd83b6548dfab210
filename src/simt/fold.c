/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of a launch from the counts of its instructions. */
#include <stdlib.h>

#include "profile/profile.h"
#include "simt/simt.h"

/* Rows come in order of pc. */
static bool add_branch(struct sam_gpu_stats *stats, const struct sam_profile_row *row)
{
    const size_t count = stats->branch_count;
    struct sam_branch_stats *last = count ? &stats->branches[count - 1] : NULL;
    if (!last || last->pc != (uint32_t)row->pc) {
        struct sam_branch_stats *grown = realloc(stats->branches, (count + 1) * sizeof *grown);
        if (!grown)
            return false;
        stats->branches = grown;
        last = &grown[stats->branch_count++];
        *last = (struct sam_branch_stats){.pc = (uint32_t)row->pc, .word = row->word};
    }
    last->executed += row->count;
    last->diverged += row->diverged;
    return true;
}

static bool add_row(struct sam_gpu_stats *stats, const struct sam_isa *isa,
                    const struct sam_profile_row *row, uint64_t *mix)
{
    struct sam_insn insn;
    sam_decode(isa, row->word, row->prefix, &insn);
    mix[insn.op] += row->count;
    if (row->vector) {
        stats->vector_insns += row->count;
        stats->vector_lanes += row->lanes;
        stats->vector_slots += row->slots;
    } else {
        stats->scalar_insns += row->count;
    }
    stats->lane_insns += row->lanes;
    stats->barriers += insn.op == SAM_OP_barrier ? row->count : 0;
    stats->memory_insns += row->global_insns + row->lds_insns;
    stats->memory_accesses += row->accesses;
    stats->lines += row->lines;
    stats->global_insns += row->global_insns;
    stats->lds_insns += row->lds_insns;
    stats->lds_conflicts += row->conflicts;
    return sam_insn_rows[insn.op].does.act != SAM_ACT_SPLIT || add_branch(stats, row);
}

bool sam_stats_fold(struct sam_profile *profile, const struct sam_isa *isa,
                    struct sam_gpu_stats *stats)
{
    size_t count;
    const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
    uint64_t *mix = sam_alloc(SAM_OP_COUNT, sizeof *mix);
    bool ok = mix != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_row(stats, isa, &rows[i], mix);
    for (enum sam_op op = SAM_OP_ILLEGAL + 1; ok && op < SAM_OP_COUNT; op++)
        if (mix[op])
            ok = sam_stats_add_mix(stats, sam_insn_rows[op].mnemonic, mix[op]);
    sam_stats_sort(stats);
    free(mix);
    return ok;
}
