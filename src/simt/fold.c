/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of a launch from the counts of its instructions. */
#include <stdlib.h>

#include "profile/profile.h"
#include "simt/simt.h"

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

/* Rows that share a mnemonic are one. */
static bool add_mix(struct sam_gpu_stats *stats, const char *mnemonic, uint64_t executed)
{
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
            ok = add_mix(stats, sam_insn_rows[op].mnemonic, mix[op]);
    if (stats->mix)
        qsort(stats->mix, stats->mix_count, sizeof *stats->mix, by_count);
    if (stats->branches)
        qsort(stats->branches, stats->branch_count, sizeof *stats->branches, by_pc);
    free(mix);
    return ok;
}
