/* SPDX-License-Identifier: Apache-2.0 */
/* Counts events that blocks do not determine: lanes of masked instructions, and memory accesses. */
#include "simt/access_tmpl.h"
#include "simt/count.h"

static inline void count_on_split(struct sam_core *c, struct sam_counters *counters)
{
    counters->sums[COUNT_ACTING] += __builtin_popcount(W->simt);
    W->diverged = &counters->sums[COUNT_DIVERGED];
}

static inline void count_on_masked(struct sam_core *c, const struct sam_uop *op,
                                   struct sam_counters *counters)
{
    for (unsigned g = 0; g < W->groups; g++)
        counters->sums[COUNT_ACTING] += __builtin_popcount(acting(W, op, g));
}

static inline bool count_on_scalar(struct sam_core *c, const struct sam_uop *op,
                                   struct sam_counters *counters)
{
    const uint32_t address = X1 + (uint32_t)op->imm;
    counters->sums[COUNT_LDS] += is_local(address);
    return may_be_code(c, address);
}

/* ------------------------------------------------------------------------------- accesses */

/* Whether at[i] >> shift is monotonic; *changes: the number of i at which it changes. The last
 * address is repeated up to a whole vector. */
static inline bool in_order(const uint32_t *at, unsigned count, unsigned shift, unsigned *changes)
{
    uint32_t rises = 0, falls = 0, sum = 0;
    for (unsigned from = 0; from < count; from += SAM_LANES) {
        const uint32_t *a = at + from;
        LANES
        {
            const uint32_t x = a[i] >> shift, y = a[i + 1] >> shift;
            rises |= x < y;
            falls |= x > y;
            sum += x != y;
        }
    }
    *changes = sum;
    return !(rises & falls);
}

/* Insert a number; returns whether it is new in this generation. */
static inline bool is_new(struct count_set *set, uint32_t number)
{
    const uint64_t wanted = (uint64_t)set->generation << 32 | number;
    unsigned at = number * 2654435761u >> 24;
    for (; set->slots[at] >> 32 == set->generation; at = (at + 1) % COUNT_SET)
        if (set->slots[at] == wanted)
            return false;
    set->slots[at] = wanted;
    return true;
}

static inline void empty(struct count_set *set)
{
    if (++set->generation == 0) {
        memset(set, 0, sizeof *set);
        set->generation = 1;
    }
}

static inline unsigned distinct_lines(struct sam_counts *counts, const uint32_t *at, unsigned count)
{
    unsigned lines;
    if (SAM_LIKELY(in_order(at, count, 6, &lines)))
        return lines + 1;
    empty(&counts->set);
    lines = 0;
    for (unsigned i = 0; i < count; i++)
        lines += is_new(&counts->set, at[i] >> 6);
    return lines;
}

/* The common case: a full warp accesses consecutive elements. *start: the first address. */
static inline bool in_a_row(const struct sam_core *c, const struct sam_uop *op,
                            const struct sam_lanes_access *a, uint32_t *start)
{
    const struct sam_warp *w = (const struct sam_warp *)(const void *)c;
    if (a->form == SAM_FORM_UNIT) {
        *start = X1;
        return true;
    }
    if (a->form != SAM_FORM_PER_LANE || a->size != 4)
        return false;
    const uint32_t *va = w->v[op->rs1], first = va[0] + (uint32_t)op->imm;
    *start =
        a->own ? w->pds + (first & ~3u) * (w->numw * w->lanes) + (first & 3) + 4 * w->tid : first;
    return follows(va, va[0], a->own ? 0 : 4, w->all);
}

/* Count accesses address by address. */
static SAM_NOINLINE void find_accesses(struct sam_core *c, const struct sam_uop *op,
                                       const struct sam_counters *counters,
                                       const struct sam_lanes_access *a, struct count_added *added)
{
    struct sam_counts *counts = sam_worker_of(c)->counts;
    uint32_t at[ADDRESSES] __attribute__((aligned(64)));
    unsigned count = 1;
    if (SAM_LIKELY(a->vector))
        count = active_addresses(c, op, a, at);
    else
        at[0] = X1 + (uint32_t)op->imm;
    *added = (struct count_added){.acting = count};
    if (count == 0)
        return;
    if (SAM_UNLIKELY(counters->insn.pair) && sam_lanes_is_pair(&counters->insn, a))
        count = pair_up(at, count, a->own ? 4 * W->numw * W->lanes : 4);
    added->accesses = count;
    for (unsigned i = count; i <= (count <= SAM_LANES ? SAM_LANES : MOST_ADDRESSES); i++)
        at[i] = at[count - 1];
    added->local = is_local(at[0]);
    if (added->local)
        added->conflicts = a->vector ? count_passes(at, count, counts->lanes) - 1 : 0;
    else
        added->lines = distinct_lines(counts, at, count);
}

static inline bool count_on_lanes(struct sam_core *c, const struct sam_uop *op,
                                  struct sam_counters *counters)
{
    struct sam_counts *counts = sam_worker_of(c)->counts;
    const struct sam_lanes_access *a = &sam_worker_of(c)->access[counters->insn.op];
    struct count_added *added = &counts->last;
    uint32_t start;
    if (SAM_UNLIKELY(!a->vector || counters->insn.pair || !(W->full & op->rs3)) ||
        !in_a_row(c, op, a, &start) || SAM_UNLIKELY(a->size < 4 && is_local(start))) {
        find_accesses(c, op, counters, a, added);
        count_add(counters, added, 1);
        return true;
    }
    const uint32_t end = start + (W->lanes - 1) * a->size;
    *added = (struct count_added){.acting = W->lanes, .accesses = W->lanes};
    counters->sums[COUNT_ACCESSES] += W->lanes;
    if (is_local(start)) {
        added->local = true;
        added->conflicts = end / SAM_GPUTIME_LDS_LINE - start / SAM_GPUTIME_LDS_LINE;
        counters->sums[COUNT_CONFLICTS] += added->conflicts;
        counters->sums[COUNT_LDS]++;
    } else {
        added->lines = (((end >> 6) - (start >> 6)) & (UINT32_MAX >> 6)) + 1;
        counters->sums[COUNT_LINES] += added->lines;
        counters->sums[COUNT_GLOBAL]++;
    }
    counters->sums[COUNT_ACTING] += W->lanes;
    return may_be_code(c, start) || may_be_code(c, end);
}

#define OBSERVER count
#include "simt/observe_tmpl.h"
