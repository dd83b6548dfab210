/* SPDX-License-Identifier: Apache-2.0 */
/* Counting without stepping: handlers that stand in for those of instructions. */
#ifndef SAM_SIMT_COUNT_H
#define SAM_SIMT_COUNT_H

#include "simt/access.h"

/* sam_counters.steps. An instruction without a mask of its own acts on the active lanes, which are
 * the same in a whole run. */
enum {
    COUNT_RUNS,
    COUNT_LANES, /* active lanes of both groups */
    COUNT_WIDE,  /* runs under LMUL 2 */
};

/* sam_counters.sums: what differs each time. */
enum {
    COUNT_ACTING,   /* lanes that branches and masked instructions act on */
    COUNT_DIVERGED, /* branches */
    COUNT_LDS,      /* memory instructions: those that access local memory, ... */
    COUNT_GLOBAL,   /* ... global memory; scalar ones: not counted, the rest */
    COUNT_ACCESSES, /* the following not of scalar ones either */
    COUNT_LINES,
    COUNT_CONFLICTS,
};

/* Of one access: what was added to the counters, so that a trap can take it back. */
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

/* A set of numbers, emptied by a new generation. */
enum { COUNT_SET = 256 };
struct count_set {
    uint64_t slots[COUNT_SET]; /* generation << 32 | number */
    uint32_t generation;
};

struct sam_counts {
    struct sam_instrumentation instrumentation;
    struct sam_profile *profile;
    bool in_runs;   /* by the handlers here; false: by sam_counts_step alone */
    uint32_t lanes; /* of a warp */
    uint32_t deepest;
    bool failed; /* out of memory */
    struct sam_lanes_access access[SAM_OP_COUNT];
    struct count_added last; /* of the vector access that ran last */
    struct count_set set;
};

/* count_*.c: the handlers, compiled for several levels of the host's instruction set. `apart`: out
 * of line, where no run is counted. */
struct count_handlers {
    sam_handler *end;          /* a run ends here */
    sam_handler *leave;        /* ... and here, where there is no instruction */
    sam_handler *split[2];     /* [apart]: a vector branch */
    sam_handler *masked;       /* a vector instruction under v0 */
    sam_handler *scalar_load;  /* which does not end a run */
    sam_handler *scalar_store; /* in line */
    sam_handler *vector_load;  /* vector instructions, and scalar ones of two words; */
    sam_handler *vector_store; /* in line */
};
void sam_counts_fill_base(struct count_handlers *handlers);
void sam_counts_fill_v3(struct count_handlers *handlers);
void sam_counts_fill_v4(struct count_handlers *handlers);

/* The counts of the worker that runs the warp. */
static inline struct sam_counts *counts_of(const struct sam_core *c)
{
    return ((const struct sam_worker *)(const void *)c->tlb)->counts; /* its first member */
}

/* Count the run from `entry` up to `past`, which is no part of it, both in the running page. */
static inline void count_run(struct sam_core *c, const struct sam_uop *entry,
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
