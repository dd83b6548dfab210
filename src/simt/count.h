/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics and profiles: counters of instrumented code. */
#ifndef SAM_SIMT_COUNT_H
#define SAM_SIMT_COUNT_H

#include "gputime/gputime.h"
#include "simt/observe.h"

/* Indices of sam_counters.steps. An unmasked instruction acts on the active lanes, which are
 * constant in a block. */
enum {
    COUNT_RUNS,
    COUNT_LANES, /* active lanes of both groups */
    COUNT_WIDE,  /* blocks under LMUL 2 */
};

/* Indices of sam_counters.sums: counts that differ between executions of an instruction. */
enum {
    COUNT_ACTING,   /* lanes of branches and masked instructions */
    COUNT_DIVERGED, /* divergent branches */
    COUNT_LDS,      /* memory instructions that access local memory */
    COUNT_GLOBAL,   /* ... and global memory; not counted for scalar ones, which are the rest */
    COUNT_ACCESSES, /* this and the following: not counted for scalar ones */
    COUNT_LINES,
    COUNT_CONFLICTS,
};

/* Contributions of the last access, for a trap to subtract. */
struct count_added {
    uint32_t acting, accesses, lines, conflicts;
    bool local;
};

static inline void count_add(struct sam_counters *counters, const struct count_added *added,
                             int sign)
{
    counters->sums[COUNT_ACTING] += sign * (int64_t)added->acting;
    counters->sums[COUNT_ACCESSES] += sign * (int64_t)added->accesses;
    counters->sums[COUNT_LINES] += sign * (int64_t)added->lines;
    counters->sums[COUNT_CONFLICTS] += sign * (int64_t)added->conflicts;
    counters->sums[added->local ? COUNT_LDS : COUNT_GLOBAL] += added->acting ? sign : 0;
}

/* A hash set of numbers; incrementing the generation empties it. */
enum { COUNT_SET = 256 };
struct count_set {
    uint64_t slots[COUNT_SET]; /* generation << 32 | number */
    uint32_t generation;
};

struct sam_counts {
    struct sam_instrumentation instrumentation;
    struct sam_hooks hooks;
    struct sam_profile *profile;
    bool in_runs;   /* by instrumented code; false: by sam_counts_step alone */
    uint32_t lanes; /* of a warp */
    uint32_t deepest;
    bool failed;             /* out of memory */
    struct count_added last; /* of the last vector access */
    struct count_set set;
};

static inline bool is_local(uint32_t address)
{
    return address - SAM_LDS_BASE < SAM_LDS_SIZE;
}

/* Passes of an access to local memory in a GPU model without configuration (gputime/coalesce.c):
 * the sum over its lines of the accesses to the busiest bank. */
static inline unsigned count_passes(const uint32_t *at, unsigned count, uint32_t lanes)
{
    const uint32_t banks = sam_gputime_threads(lanes);
    uint32_t lines[SAM_GPUTIME_MOST_ADDRESSES], last = 0;
    uint8_t in_bank[SAM_GPUTIME_MOST_ADDRESSES][32], worst[SAM_GPUTIME_MOST_ADDRESSES];
    unsigned used = 0, line = 0, passes = 0;
    uint32_t differ = 0;
    for (unsigned i = 0; i < count; i++)
        differ |= at[i] ^ at[0];
    if (SAM_LIKELY(differ < SAM_GPUTIME_LDS_LINE)) {
        uint8_t lanes_of[32] = {0}; /* by bank */
        for (unsigned i = 0; i < count && differ >= 4; i++) {
            const unsigned of_bank = ++lanes_of[at[i] / 4 % banks];
            passes = of_bank > passes ? of_bank : passes;
        }
        return differ < 4 ? count : passes;
    }
    for (unsigned i = 0; i < count; i++) {
        const uint32_t number = at[i] / SAM_GPUTIME_LDS_LINE;
        if (used == 0 || number > last) /* above all previous lines */
            line = used;
        else if (number != lines[line])
            for (line = 0; line < used && lines[line] != number;)
                line++;
        if (line == used) {
            lines[used++] = number;
            last = number > last ? number : last;
            worst[line] = 0;
            memset(in_bank[line], 0, banks);
        }
        if (++in_bank[line][at[i] / 4 % banks] > worst[line]) {
            worst[line]++;
            passes++;
        }
    }
    return passes;
}

/* Count the block from `entry` up to but excluding `past`, both in the running page. */
static inline void count_on_block(struct sam_core *c, const struct sam_uop *entry,
                                  const struct sam_uop *past)
{
    const struct sam_warp *w = sam_warp_of(c);
    struct sam_counters *from = c->counters + (entry - c->ops), *to = c->counters + (past - c->ops);
    int64_t lanes = w->lanes;
    if (!w->full) {
        lanes = w->groups ? __builtin_popcount(w->bits[0]) : 0;
        lanes += w->groups == 2 ? __builtin_popcount(w->bits[1]) : 0;
        from->steps[COUNT_WIDE] += w->groups == 2;
        to->steps[COUNT_WIDE] -= w->groups == 2;
    }
    from->steps[COUNT_RUNS]++;
    to->steps[COUNT_RUNS]--;
    from->steps[COUNT_LANES] += lanes;
    to->steps[COUNT_LANES] -= lanes;
}

#endif
