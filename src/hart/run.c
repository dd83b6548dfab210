/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a hart: core runs, traps to the program's handler, and the ends of a run. */
#include <stdio.h>

#include "hart/core.h"

#define TURN 65536 /* instructions between checks of the stop flag */

enum { A0 = 10, A7 = 17, SYS_EXIT = 93 };

static void fill(struct sam_hart *hart, struct sam_hart_result *result, enum sam_hart_end end)
{
    result->end = end;
    result->pc = sam_hart_pc(hart);
}

/* RISC-V Privileged 3.1: always direct mode (mtvec's low bits read as zero). */
static void vector(struct sam_hart *hart, unsigned cause, uint64_t tval)
{
    struct sam_core *c = &hart->core;
    bool enabled = c->mstatus & SAM_MSTATUS_MIE;
    c->mstatus &= ~(uint64_t)(SAM_MSTATUS_MIE | SAM_MSTATUS_MPIE);
    c->mstatus |= enabled ? SAM_MSTATUS_MPIE : 0;
    c->mepc = sam_hart_pc(hart);
    c->mcause = cause;
    c->mtval = sam_hart_wrap(hart, tval);
    c->pc = c->mtvec;
    hart->vectored = true;
    hart->vectored_at = c->retired;
    hart->stats.traps++;
}

/* Handle a trap. Returns true if the program's handler continues. */
static bool take_trap(struct sam_hart *hart, struct sam_hart_result *result)
{
    struct sam_core *c = &hart->core;
    struct sam_fault fault;
    unsigned cause = c->cause;
    if (cause == SAM_CAUSE_ECALL && sam_hart_x(hart, A7) == SYS_EXIT) {
        fill(hart, result, SAM_HART_EXIT);
        result->exit_code = sam_hart_x(hart, A0);
        return false;
    }
    if (cause == SAM_CAUSE_ECALL && hart->options.hostio && !hart->has_handler)
        return sam_hart_ecall(hart, result);
    if (cause == SAM_CAUSE_BREAKPOINT && sam_hart_is_semihost(hart))
        return sam_hart_semihost(hart, result);
    const bool ends = cause == SAM_CAUSE_BREAKPOINT && !hart->options.ebreak_traps;
    /* If no instruction has retired since the last trap, the handler itself traps and would do so
     * forever. */
    if (!ends && hart->has_handler && !(hart->vectored && hart->vectored_at == c->retired)) {
        if (hart->options.trace.write && c->retired >= hart->shown &&
            !sam_hart_observe_trap(hart, cause, c->tval))
            result->end = SAM_HART_STOPPED;
        vector(hart, cause, c->tval);
        return true;
    }
    fill(hart, result, ends ? SAM_HART_EBREAK : SAM_HART_TRAP);
    result->cause = cause;
    result->tval = sam_hart_wrap(hart, c->tval);
    if (c->pc & 3 || !sam_code_fetch(c, sam_hart_pc(hart), &result->word, &fault))
        result->word = 0;
    sam_hart_describe(hart, result);
    return false;
}

static enum sam_status trapped(const struct sam_hart_result *result, struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_TRAP, "%s", result->text);
}

/* "still running after 1000 instructions, pc 0x80000000 <loop+0x0>" */
static void tell_place(struct sam_hart *hart, struct sam_hart_result *result, const char *what,
                       uint64_t instructions)
{
    struct sam_buffer out = {0};
    sam_buffer_printf(&out, "%s after %llu instructions, ", what, (unsigned long long)instructions);
    sam_fault_put_pc(&out, hart->image, sam_hart_pc(hart), 0);
    snprintf(result->text, sizeof result->text, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
}

enum sam_status sam_hart_out_of_budget(struct sam_hart *hart, struct sam_hart_result *result,
                                       struct sam_error *error)
{
    fill(hart, result, SAM_HART_BUDGET);
    tell_place(hart, result, "still running", hart->options.max_insns);
    return trapped(result, error);
}

enum sam_status sam_hart_stopped(struct sam_hart *hart, uint64_t used,
                                 struct sam_hart_result *result, struct sam_error *error)
{
    fill(hart, result, SAM_HART_STOPPED);
    tell_place(hart, result, "stopped", used);
    return sam_fail(error, SAM_ERR_STOPPED, "%s", result->text);
}

/* Set result->end if an exit, an ebreak or the address of sam_hart_set_until ends the run, else to
 * SAM_HART_STEPPED. Returns false if a trap ended it. */
static bool look(struct sam_hart *hart, enum sam_exit exit, struct sam_hart_result *result)
{
    result->end = SAM_HART_STEPPED;
    if (exit == SAM_EXIT_TRAP)
        return take_trap(hart, result) || result->end != SAM_HART_TRAP;
    hart->vectored &= hart->vectored_at == hart->core.retired;
    if (hart->port_end == SAM_HART_PORT_EXIT) {
        fill(hart, result, SAM_HART_EXIT);
        result->exit_code = hart->port_word;
        return true;
    }
    if (exit == SAM_EXIT_EVENT && hart->core.event & SAM_EVENT_TOHOST &&
        !sam_hart_tohost(hart, result))
        return result->end != SAM_HART_TRAP;
    if (hart->has_until && sam_hart_pc(hart) == hart->until)
        fill(hart, result, SAM_HART_UNTIL);
    return true;
}

/* Single-step; *observed: the observers' status. */
static enum sam_exit step(struct sam_hart *hart, struct sam_hart_record *record,
                          enum sam_status *observed)
{
    struct sam_hart_record own;
    struct sam_hart_record *r = record ? record : &own;
    if (!record && !sam_hart_is_observed(hart))
        return sam_hart_port_store(hart, sam_core_step(&hart->core, NULL));
    const enum sam_exit exit = sam_hart_record(hart, r);
    if (record && exit != SAM_EXIT_TRAP)
        sam_step_find_values(&hart->core, &r->step, &r->insn);
    *observed = sam_hart_observe(hart, r);
    return exit;
}

/* Run instrumented code, then record the instruction before which it stopped. */
static enum sam_exit advance_counted(struct sam_hart *hart, int64_t budget,
                                     enum sam_status *observed)
{
    struct sam_hart_record r;
    const struct sam_insn *next = sam_hart_unit_insn(hart);
    if (!next) {
        const enum sam_exit exit = sam_hart_run_counted(hart, budget, &next);
        if (!next)
            return exit;
    }
    /* Full records: a profile needs ranges of memory, the models need those of scalar accesses, and
     * a store to a control register takes effect. */
    if (hart->options.profile || sam_insn_rows[next->op].does.bytes)
        return step(hart, NULL, observed);
    const enum sam_exit last = sam_hart_record_work(hart, &r);
    *observed = sam_hart_observe(hart, &r);
    return last;
}

static enum sam_exit advance(struct sam_hart *hart, uint64_t budget, struct sam_hart_record *record,
                             enum sam_status *observed)
{
    /* The profile already includes what a session replays. */
    const bool counted = hart->counts && !hart->listener && hart->core.retired >= hart->shown;
    const bool marked = hart->marked && sam_hart_tell_mark(hart);
    if (record || marked || budget <= 2 * SAM_CORE_STRAIGHT ||
        (sam_hart_is_observed(hart) && !counted))
        return step(hart, record, observed);
    budget -= SAM_CORE_STRAIGHT;
    const int64_t quantum = budget < TURN ? (int64_t)budget : TURN;
    return counted ? advance_counted(hart, quantum, observed)
                   : sam_hart_port_store(hart, sam_core_run(&hart->core, quantum));
}

enum sam_status sam_hart_turn(struct sam_hart *hart, uint64_t budget,
                              struct sam_hart_record *record, struct sam_hart_result *result,
                              struct sam_error *error)
{
    enum sam_status observed = SAM_OK;
    result->end = SAM_HART_STEPPED;
    hart->tlb.exhausted = false;
    hart->port_end = SAM_HART_PORT_DONE;
    const enum sam_exit exit = advance(hart, budget, record, &observed);
    if (exit == SAM_EXIT_TRAP && hart->tlb.exhausted) {
        fill(hart, result, SAM_HART_STOPPED);
        return sam_fail_memory(error);
    }
    if (hart->port_end == SAM_HART_PORT_STOP) {
        fill(hart, result, SAM_HART_STOPPED);
        return sam_fail(error, SAM_ERR_STOPPED, "stopped by its system");
    }
    if (!look(hart, exit, result))
        return trapped(result, error);
    if (observed == SAM_OK && result->end != SAM_HART_STOPPED)
        return SAM_OK;
    fill(hart, result, SAM_HART_STOPPED);
    return observed == SAM_ERR_MEMORY
               ? sam_fail_memory(error)
               : sam_fail(error, SAM_ERR_IO, "cannot write the trace or the program's output");
}

static void tell(struct sam_hart *hart, uint64_t used)
{
    const struct sam_hart_options *o = &hart->options;
    const struct sam_hart_progress progress = {
        .instructions = used, .limit = o->max_insns, .pc = sam_hart_pc(hart)};
    o->progress(o->progress_context, &progress);
}

static enum sam_status run(struct sam_hart *hart, bool one, struct sam_hart_result *result,
                           struct sam_error *error)
{
    struct sam_hart_result ignored;
    if (SAM_LACKS(error, hart))
        return SAM_ERR_USAGE;
    const uint64_t started = hart->core.retired, limit = hart->options.max_insns;
    enum sam_status status = SAM_OK;
    uint64_t told = TURN; /* instructions at the next progress report */
    result = result ? result : &ignored;
    *result = (struct sam_hart_result){.end = SAM_HART_STEPPED};
    /* Single-step the first instruction: it may be at the address that ends the run. */
    for (bool first = true;; first = false) {
        uint64_t used = hart->core.retired - started, left = limit ? limit - used : UINT64_MAX;
        if (hart->options.stop && *hart->options.stop)
            status = sam_hart_stopped(hart, used, result, error);
        else if (left == 0)
            status = sam_hart_out_of_budget(hart, result, error);
        else if (sam_hart_livelock_pending(hart) && !one)
            status = sam_hart_livelock_turn(hart, result, error);
        else
            status = sam_hart_turn(hart, one || first ? 1 : left, NULL, result, error);
        if (one || status != SAM_OK || result->end != SAM_HART_STEPPED)
            break;
        if (hart->options.progress && hart->core.retired - started >= told) {
            told = hart->core.retired - started + TURN;
            tell(hart, hart->core.retired - started);
        }
    }
    if (!sam_hart_counts_collect(hart) && status == SAM_OK)
        status = sam_fail_memory(error);
    result->pc = sam_hart_pc(hart);
    result->instructions = hart->core.retired - started;
    return status;
}

enum sam_status sam_hart_run(struct sam_hart *hart, struct sam_hart_result *result,
                             struct sam_error *error)
{
    return run(hart, false, result, error);
}

enum sam_status sam_hart_step(struct sam_hart *hart, struct sam_hart_result *result,
                              struct sam_error *error)
{
    return run(hart, true, result, error);
}
