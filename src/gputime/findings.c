/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: the limits of a launch, each with its worst instruction. */
#include <stdlib.h>

#include "gputime/report.h"

/* The least share of warp cycles for a finding, and its remedy. */
struct remedy {
    double least;
    const char *text;
};

static const struct remedy remedies[SAM_GPUTIME_REASONS] = {
    [SAM_GPUTIME_START] = {.10, "warps are short: give each workgroup more work"},
    [SAM_GPUTIME_FETCH] = {.10, "the fetcher does not keep up: fewer jumps leave it more per line"},
    [SAM_GPUTIME_ICACHE] = {.10, "code is fetched from memory: make loops shorter, or run them "
                                 "more often"},
    [SAM_GPUTIME_BRANCH] = {.10, "unroll the loop, or use masks instead of branches and joins"},
    [SAM_GPUTIME_BARRIER] = {.10, "warps arrive at different times: give them equal work, or use "
                                  "fewer barriers"},
    [SAM_GPUTIME_FENCE] = {.05, "order only what needs to be ordered"},
    [SAM_GPUTIME_RAW] = {.10, "put independent instructions before it (unroll, several sums), or "
                              "run more warps"},
    [SAM_GPUTIME_LOAD] = {.10, "load earlier, before what does not need the value, or run more "
                               "warps"},
    [SAM_GPUTIME_WAW] = {.05, "write another register"},
    [SAM_GPUTIME_ARBITER] = {.20, "the issue slots are taken: only fewer instructions help"},
    [SAM_GPUTIME_COLLECTOR] = {.10,
                               "the collectors are full: the units accept fewer instructions than "
                               "are issued"},
    [SAM_GPUTIME_BANK] = {.05, "use registers of different banks for the operands"},
    [SAM_GPUTIME_UNIT] = {.10, "its unit is full: use it less, or use other units as well"},
    [SAM_GPUTIME_WRITEBACK] = {.05, "results of different units arrive together: mix them"},
    [SAM_GPUTIME_CONFLICT] = {.05, "give neighbouring lanes neighbouring words of local memory (a "
                                   "row with one word more)"},
    [SAM_GPUTIME_MSHR] = {.05, "too many misses are in flight: touch fewer lines per access"},
    [SAM_GPUTIME_MEMORY] = {.10,
                            "the memory is the bottleneck: touch fewer lines, use local memory "
                            "for data that is read again"},
    [SAM_GPUTIME_DRAIN] = {.10,
                           "warps of a workgroup end at different times: give them equal work"},
};

static struct sam_gputime_finding *add(struct sam_gputime_facts *f, const char *name, double share)
{
    /* when full, replace the one with the least share */
    struct sam_gputime_finding *at = &f->findings[f->finding_count];
    if (f->finding_count == SAM_GPUTIME_MOST_FINDINGS) {
        at = &f->findings[0];
        for (size_t i = 1; i < f->finding_count; i++)
            at = f->findings[i].share < at->share ? &f->findings[i] : at;
        if (at->share >= share)
            return NULL;
    } else {
        f->finding_count++;
    }
    *at = (struct sam_gputime_finding){.name = name, .share = share};
    return at;
}

/* The busiest execution unit. */
static unsigned busiest_unit(const struct sam_gputime_facts *f)
{
    unsigned busiest = SAM_GPUTIME_SALU;
    for (unsigned u = SAM_GPUTIME_SALU; u <= SAM_GPUTIME_L1D; u++)
        if (f->unit[u][SAM_GPUTIME_EMPTY] < f->unit[busiest][SAM_GPUTIME_EMPTY])
            busiest = u;
    return busiest;
}

static void find_reasons(struct sam_gputime_facts *f)
{
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++) {
        const struct remedy *remedy = &remedies[reason];
        const double share = sam_gputime_share(f->slots[reason], f->resident);
        struct sam_gputime_finding *finding;
        if (!remedy->text || share < remedy->least ||
            !(finding = add(f, sam_gputime_reason_name(reason), share)))
            continue;
        uint64_t most = 0;
        for (size_t i = 0; i < f->result->row_count; i++) {
            const struct sam_gputime_row *row = &f->result->rows[i];
            if (row->reasons[reason] > most) {
                most = row->reasons[reason];
                finding->row = row;
            }
        }
        char part[64] = "";
        if (finding->row)
            sam_format(part, sizeof part, " (%.0f%% of them here)",
                       100 * sam_gputime_share(most, f->slots[reason]));
        char unit[64] = "";
        if (reason == SAM_GPUTIME_COLLECTOR || reason == SAM_GPUTIME_UNIT) {
            const unsigned u = busiest_unit(f);
            const uint64_t cycles = f->result->cycles * f->result->sms;
            sam_format(unit, sizeof unit, "; %s is free in %.0f%% of the cycles",
                       sam_gputime_unit_name(u),
                       100 * sam_gputime_share(f->unit[u][SAM_GPUTIME_EMPTY], cycles));
        }
        sam_format(finding->text, sizeof finding->text, "%.1f%% of the warps' cycles%s: %s%s",
                   100 * share, part, remedy->text, unit);
    }
}

/* ----------------------------------------------------------------------- beyond the reasons */

/* The load with the largest total latency: the one that dependent instructions wait for. */
static void find_slowest(struct sam_gputime_facts *f)
{
    const struct sam_gputime_row *slowest = NULL;
    const uint64_t waited =
        f->slots[SAM_GPUTIME_LOAD] + f->slots[SAM_GPUTIME_MEMORY] + f->slots[SAM_GPUTIME_MSHR];
    const double share = sam_gputime_share(waited, f->resident);
    for (size_t i = 0; i < f->result->row_count; i++) {
        const struct sam_gputime_row *row = &f->result->rows[i];
        if (row->accesses && (!slowest || row->latency > slowest->latency))
            slowest = row;
    }
    struct sam_gputime_finding *finding;
    if (!slowest || share < .10 || !(finding = add(f, "latency", share * .999)))
        return;
    finding->row = slowest;
    if (slowest->lines)
        sam_format(finding->text, sizeof finding->text,
                   "the memory instruction with the most latency: %.0f cycles each, %.1f lines, "
                   "%.0f%% of them not in the L1",
                   sam_gputime_share(slowest->latency, slowest->issues),
                   sam_gputime_share(slowest->lines, slowest->issues),
                   100 * sam_gputime_share(slowest->misses, slowest->lines));
    else
        sam_format(finding->text, sizeof finding->text,
                   "the memory instruction with the most latency: %.0f cycles each",
                   sam_gputime_share(slowest->latency, slowest->issues));
}

/* Bank conflicts of local memory. */
static void find_conflicts(struct sam_gputime_facts *f)
{
    const struct sam_gputime_row *worst = NULL;
    const uint64_t cycles = f->result->cycles * f->result->sms;
    for (size_t i = 0; i < f->result->row_count; i++) {
        const struct sam_gputime_row *row = &f->result->rows[i];
        if (row->passes > row->issues &&
            (!worst || row->passes - row->issues > worst->passes - worst->issues))
            worst = row;
    }
    struct sam_gputime_finding *finding;
    const double share = sam_gputime_share(f->sum.lds_passes, cycles);
    if (!worst || share < .20 || 2 * worst->passes < 3 * worst->issues ||
        !(finding = add(f, "bank conflicts", share)))
        return;
    finding->row = worst;
    sam_format(finding->text, sizeof finding->text,
               "%.1f passes per access, local memory is busy in %.0f%% of the cycles: lanes that "
               "access the same bank, or the same word, are served one per pass: spread them over "
               "the banks, or load a word that all of them need once, into a scalar register",
               sam_gputime_share(worst->passes, worst->issues), 100 * share);
}

/* Uncoalesced accesses: more lines than the words of the lanes fill. */
static void find_scattered(struct sam_gputime_facts *f)
{
    const struct sam_gputime_row *worst = NULL;
    uint64_t all = 0, extra_of_worst = 0;
    for (size_t i = 0; i < f->result->row_count; i++) {
        const struct sam_gputime_row *row = &f->result->rows[i];
        const uint64_t least = (4 * row->lanes + f->config.line_bytes - 1) / f->config.line_bytes;
        const uint64_t needed = least > row->issues ? least : row->issues;
        const uint64_t extra = row->lines > needed ? row->lines - needed : 0;
        all += row->lines;
        if (extra > extra_of_worst) {
            extra_of_worst = extra;
            worst = row;
        }
    }
    const double share = sam_gputime_share(extra_of_worst, all);
    struct sam_gputime_finding *finding;
    if (!worst || share < .20 || !(finding = add(f, "lines", share)))
        return;
    finding->row = worst;
    sam_format(finding->text, sizeof finding->text,
               "%.1f lines per access, %.0f%% of all line requests could be saved: let "
               "neighbouring lanes access neighbouring words",
               sam_gputime_share(worst->lines, worst->issues), 100 * share);
}

static void find_occupancy(struct sam_gputime_facts *f)
{
    const struct sam_gputime_result *r = f->result;
    const uint64_t slots = r->cycles * r->sms * r->slots;
    const double used = sam_gputime_share(f->resident, slots);
    const double issued = sam_gputime_share(f->slots[SAM_GPUTIME_BUSY], r->cycles * r->sms);
    struct sam_gputime_finding *finding;
    if (used >= .5 || issued >= .8 || !(finding = add(f, "occupancy", 1 - used)))
        return;
    const char *const help = r->limit == SAM_GPUTIME_BY_LAUNCH
                                 ? "the launch has no more workgroups"
                                 : "use less of it, or smaller workgroups";
    sam_format(finding->text, sizeof finding->text,
               "%.1f%% of the warp slots hold a warp; %u workgroup%s at a time on an SM, limited "
               "by %s: %s",
               100 * used, r->groups_resident, r->groups_resident == 1 ? "" : "s",
               sam_gputime_limit_name(r->limit), help);
}

static bool is_vector(const struct sam_gputime_facts *f, const struct sam_gputime_row *row)
{
    struct sam_insn insn;
    return row->issues && sam_decode(&f->isa, row->word, row->prefix, &insn) &&
           sam_op_is_vector(insn.op);
}

/* Inactive lanes, in the most expensive instruction. */
static void find_lanes(struct sam_gputime_facts *f)
{
    const struct sam_gputime_row *worst = NULL;
    uint64_t most = 0, all = 0, widest = 0;
    for (size_t i = 0; i < f->result->row_count; i++) {
        const struct sam_gputime_row *row = &f->result->rows[i];
        const uint64_t lanes = row->issues ? (row->lanes + row->issues - 1) / row->issues : 0;
        widest = lanes > widest ? lanes : widest;
        all += sam_gputime_row_cycles(row);
    }
    for (size_t i = 0; i < f->result->row_count; i++) {
        const struct sam_gputime_row *row = &f->result->rows[i];
        if (is_vector(f, row) && 2 * row->lanes < widest * row->issues &&
            sam_gputime_row_cycles(row) > most) {
            most = sam_gputime_row_cycles(row);
            worst = row;
        }
    }
    struct sam_gputime_finding *finding;
    const double share = sam_gputime_share(most, all);
    if (!worst || share < .05 || !(finding = add(f, "lanes", share)))
        return;
    finding->row = worst;
    sam_format(finding->text, sizeof finding->text,
               "%.1f%% of the warps' cycles with %.1f active lanes of %llu: let the lanes of a "
               "warp take the same path",
               100 * share, sam_gputime_share(worst->lanes, worst->issues),
               (unsigned long long)widest);
}

static int by_share(const void *a, const void *b)
{
    const struct sam_gputime_finding *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

void sam_gputime_find(struct sam_gputime_facts *f)
{
    find_reasons(f);
    find_slowest(f);
    find_conflicts(f);
    find_scattered(f);
    find_occupancy(f);
    find_lanes(f);
    if (f->finding_count)
        qsort(f->findings, f->finding_count, sizeof f->findings[0], by_share);
}
