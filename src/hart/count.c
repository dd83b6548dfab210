/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics, profile and cycle models in instrumented code. Scalar instructions run at nearly full
 * speed; the models are advanced only when it matters to them: at an instruction of a unit, which
 * ends the run and is recorded (record.c), at memory accesses while those of a unit may be in
 * flight, and at accesses to control registers.
 *
 * Traces, timelines, listeners and profiles with cycles need single steps. */
#include <stdlib.h>

#include "hart/core.h"
#include "machine/instrument.h"
#include "profile/profile.h"

enum { COUNT_RUNS }; /* sam_counters.steps */

struct sam_hart_counts {
    struct sam_instrumentation instrumentation;
    bool in_runs; /* count blocks, for statistics or a profile; otherwise only units end a run */
    bool fresh;   /* there are counters to collect */
    bool failed;  /* out of memory */
};

/* ------------------------------------------------------------------------------ cycle models */

/* Advance the models to `retired` instructions; those not yet accounted for were scalar. */
static void catch_up(struct sam_hart *hart, uint64_t retired)
{
    const uint64_t passed = retired - hart->told;
    hart->told = retired;
    sam_hart_time_scalars(hart, passed);
}

static bool is_write(unsigned act)
{
    return act == SAM_ACT_STORE || act == SAM_ACT_ATOMIC;
}

static uint64_t address_of(const struct sam_hart *hart, const struct sam_insn *insn)
{
    return sam_hart_wrap(hart, sam_hart_x(hart, insn->rs1) + (uint64_t)(int64_t)insn->imm);
}

/* Report an access while a unit's may be in flight. Returns false if it may trap, without reporting
 * it. */
static bool tell_access(struct sam_hart *hart, const struct sam_insn *insn, uint64_t retired)
{
    const struct sam_does *does = &sam_insn_rows[insn->op].does;
    const uint64_t address = address_of(hart, insn);
    const bool write = is_write(does->act);
    if (!(sam_hart_is_narrow(hart) ? sam_fast32(&hart->core, (uint32_t)address, does->bytes, write)
                                   : sam_fast64(&hart->core, address, does->bytes, write)))
        return false;
    catch_up(hart, retired);
    sam_hart_time_access(hart, write, address, does->bytes);
    hart->told++;
    return true;
}

/* ---------------------------------------------------------------------------------- handlers */

/* Count the block from `entry` up to but excluding `past`. */
static inline void count_block(const struct sam_core *c, const struct sam_uop *entry,
                               const struct sam_uop *past)
{
    c->counters[entry - c->ops].steps[COUNT_RUNS]++;
    c->counters[past - c->ops].steps[COUNT_RUNS]--;
}

#define STOP_BEFORE() SAM_MUSTTAIL return sam_stop_before(c, op, entry, left)

SAM_HANDLER(count_block_end)
{
    SAM_INSTRUMENT_END_BLOCK(count_block);
    SAM_PROCEED(SAM_COUNTERS);
}

SAM_HANDLER(count_page_end)
{
    SAM_LEAVE_PAGE(count_block);
    SAM_PROCEED(SAM_COUNTERS);
}

SAM_HANDLER(count_unit)
{
    STOP_BEFORE();
}

/* Report a load or store to the models. Returns false if it has to be single-stepped. */
static inline bool may_run(struct sam_core *c, const struct sam_uop *op,
                           const struct sam_uop *entry, int64_t left)
{
    struct sam_hart *hart = sam_hart_of(c);
    const struct sam_insn *insn = &SAM_COUNTERS->insn;
    if (hart->home.ports.size && sam_hart_is_port(hart, address_of(hart, insn)))
        return false;
    return SAM_LIKELY(!hart->engines || !sam_hart_has_flights(hart)) ||
           tell_access(hart, insn, sam_retired_at(c, op, entry, left));
}

SAM_HANDLER(time_access)
{
    if (!may_run(c, op, entry, left))
        STOP_BEFORE();
    SAM_PROCEED(SAM_COUNTERS);
}

/* A store to a page that is not writable in the TLB may be one to code. The store has not executed
 * yet, so the old code is still current: end the block here. Other stores need not end a block. */
static inline bool may_be_code(const struct sam_hart *hart, const struct sam_insn *insn)
{
    const uint64_t address = address_of(hart, insn);
    const struct sam_tlb_entry *page = &hart->core.entries[(uint32_t)address / SAM_PAGE_SIZE];
    return page->write_limit == 0 || page->tag != (uint32_t)(address >> 32);
}

SAM_HANDLER(count_store)
{
    if (!may_run(c, op, entry, left))
        STOP_BEFORE();
    if (may_be_code(sam_hart_of(c), &SAM_COUNTERS->insn))
        SAM_INSTRUMENT_END_BLOCK(count_block);
    SAM_PROCEED(SAM_COUNTERS);
}

static sam_handler *instrument(void *context, const struct sam_insn *insn, bool apart)
{
    const struct sam_hart *hart = context;
    const bool in_runs = hart->counts->in_runs;
    sam_handler *const access = hart->engines || hart->home.ports.size ? time_access : NULL;
    switch (sam_hook_of(insn, apart)) {
    case SAM_HOOK_UNIT: return count_unit;
    case SAM_HOOK_BLOCK_END: return in_runs ? count_block_end : NULL;
    case SAM_HOOK_STORE: return in_runs ? count_store : access;
    case SAM_HOOK_LOAD: return access;
    default: return NULL;
    }
}

/* -------------------------------------------------------------------------------- statistics */

static void flush(void *context, uint64_t pc, const struct sam_counters *counters,
                  const int64_t totals[SAM_COUNTER_STEPS])
{
    struct sam_hart *hart = context;
    const uint64_t count = (uint64_t)totals[COUNT_RUNS];
    if (count == 0)
        return;
    if (hart->options.collect_stats)
        sam_hart_count(hart, &counters->insn, count);
    if (hart->options.profile)
        hart->counts->failed |= !sam_hart_profile_scalar(hart, pc, &counters->insn, count);
}

bool sam_hart_counts_collect(struct sam_hart *hart)
{
    struct sam_hart_counts *counts = hart->counts;
    if (!counts || !counts->fresh)
        return true;
    counts->fresh = false;
    sam_code_flush_counters(hart->code);
    return !counts->failed;
}

/* ------------------------------------------------------------------------------------ running */

/* Whether an observer needs single steps. */
static bool needs_each(const struct sam_hart *hart)
{
    const struct sam_hart_options *o = &hart->options;
    return o->trace.write || (o->profile && hart->engines) ||
           (hart->engines && (o->timeline.write || o->watch.slice || o->watch.queue));
}

bool sam_hart_counts_new(struct sam_hart *hart)
{
    if (!sam_hart_is_observed(hart) || needs_each(hart))
        return true;
    struct sam_hart_counts *counts = sam_alloc(1, sizeof *counts);
    if (!counts)
        return false;
    counts->in_runs = hart->options.collect_stats || hart->options.profile;
    counts->instrumentation =
        (struct sam_instrumentation){.instrument = instrument, .context = hart};
    if (counts->in_runs) {
        counts->instrumentation.page_end = count_page_end;
        counts->instrumentation.flush = flush;
    }
    hart->counts = counts;
    sam_code_instrument(hart->code, &counts->instrumentation);
    return true;
}

void sam_hart_counts_free(struct sam_hart_counts *counts)
{
    free(counts);
}

const struct sam_insn *sam_hart_unit_insn(const struct sam_hart *hart)
{
    const struct sam_core *c = &hart->core;
    const uint64_t offset = c->pc - c->page_pc;
    if (!c->ops || offset >= SAM_PAGE_SIZE || offset & 3 || c->ops[offset / 4].fn != count_unit)
        return NULL;
    return &c->counters[offset / 4].insn;
}

enum sam_exit sam_hart_run_counted(struct sam_hart *hart, int64_t budget,
                                   const struct sam_insn **next)
{
    struct sam_core *c = &hart->core;
    struct sam_hart_counts *counts = hart->counts;
    hart->told = c->retired;
    const enum sam_exit exit = sam_core_run(c, budget);
    const struct sam_uop *op = c->end_op;
    /* If the block had already been ended after this instruction, which did not run, this cancels
     * it. */
    if (counts->in_runs && op)
        count_block(c, c->end_entry, sam_instrument_stopped(c, exit));
    counts->fresh = true;
    catch_up(hart, c->retired);
    *next = exit == SAM_EXIT_STOP && !sam_code_is_breakpoint(hart->code, c->pc)
                ? &c->counters[op - c->ops].insn
                : NULL;
    return exit;
}
