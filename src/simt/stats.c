/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a launch, and sums over launches. */
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

/* Append a zeroed row. Returns NULL on out-of-memory. */
static void *add_row(void *rows, size_t *count, size_t size)
{
    uint8_t *grown = realloc(rows, (*count + 1) * size);
    if (grown)
        memset(grown + size * (*count)++, 0, size);
    return grown;
}

static bool add_mix(struct sam_gpu_stats *stats, const char *mnemonic, uint64_t executed)
{
    size_t i = 0;
    while (i < stats->mix_count && strcmp(stats->mix[i].mnemonic, mnemonic) != 0)
        i++;
    if (i == stats->mix_count) {
        void *grown = add_row(stats->mix, &stats->mix_count, sizeof *stats->mix);
        if (!grown)
            return false;
        stats->mix = grown;
        stats->mix[i].mnemonic = mnemonic;
    }
    stats->mix[i].warp_insns += executed;
    return true;
}

static void sort(struct sam_gpu_stats *stats)
{
    if (stats->mix)
        qsort(stats->mix, stats->mix_count, sizeof *stats->mix, by_count);
    if (stats->branches)
        qsort(stats->branches, stats->branch_count, sizeof *stats->branches, by_pc);
}

static bool add_branch(struct sam_gpu_stats *total, const struct sam_branch_stats *more)
{
    size_t i = 0;
    while (i < total->branch_count && total->branches[i].pc != more->pc)
        i++;
    if (i == total->branch_count) {
        void *grown = add_row(total->branches, &total->branch_count, sizeof *total->branches);
        if (!grown)
            return false;
        total->branches = grown;
        total->branches[i].pc = more->pc;
        total->branches[i].word = more->word;
    }
    total->branches[i].executed += more->executed;
    total->branches[i].diverged += more->diverged;
    return true;
}

enum sam_status sam_gpu_stats_add(struct sam_gpu_stats *total, const struct sam_gpu_stats *more,
                                  struct sam_error *error)
{
    static const size_t counters[] = {
#define AT(field) offsetof(struct sam_gpu_stats, field)
        AT(warp_insns),   AT(workgroups),   AT(warps),         AT(scalar_insns),
        AT(vector_insns), AT(lane_insns),   AT(vector_lanes),  AT(vector_slots),
        AT(barriers),     AT(memory_insns), AT(global_insns),  AT(memory_accesses),
        AT(lines),        AT(lds_insns),    AT(lds_conflicts),
#undef AT
    };
    if (SAM_LACKS(error, total, more))
        return SAM_ERR_USAGE;
    for (size_t i = 0; i < SAM_COUNT(counters); i++) {
        uint64_t *sum = (uint64_t *)(void *)((char *)total + counters[i]);
        *sum += *(const uint64_t *)(const void *)((const char *)more + counters[i]);
    }
    total->seconds += more->seconds;
    if (more->simt_depth > total->simt_depth)
        total->simt_depth = more->simt_depth;
    bool good = true;
    for (size_t i = 0; i < more->mix_count && good; i++)
        good = add_mix(total, more->mix[i].mnemonic, more->mix[i].warp_insns);
    for (size_t i = 0; i < more->branch_count && good; i++)
        good = add_branch(total, &more->branches[i]);
    sort(total);
    return good ? SAM_OK : sam_fail_memory(error);
}

static bool add_profile_row(struct sam_gpu_stats *stats, const struct sam_isa *isa,
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
    const struct sam_branch_stats branch = {.pc = (uint32_t)row->pc,
                                            .word = row->word,
                                            .executed = row->count,
                                            .diverged = row->diverged};
    return sam_insn_rows[insn.op].does.act != SAM_ACT_SPLIT || add_branch(stats, &branch);
}

bool sam_stats_fold(struct sam_profile *profile, const struct sam_isa *isa,
                    struct sam_gpu_stats *stats)
{
    size_t count;
    const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
    uint64_t *mix = sam_alloc(SAM_OP_COUNT, sizeof *mix);
    bool ok = mix != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_profile_row(stats, isa, &rows[i], mix);
    for (enum sam_op op = SAM_OP_ILLEGAL + 1; ok && op < SAM_OP_COUNT; op++)
        if (mix[op])
            ok = add_mix(stats, sam_insn_rows[op].mnemonic, mix[op]);
    sort(stats);
    free(mix);
    return ok;
}
