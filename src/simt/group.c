/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a workgroup: schedules its warps in time slices and handles barriers and ends. A launch runs
 * it to its end; a session can pause and continue it at any instruction. */
#include <stdlib.h>

#include "machine/step.h"
#include "sanitize/sanitize.h"
#include "simt/replay.h"

#define QUANTUM 65536 /* instructions per time slice */

static void release_warps(struct sam_group *group)
{
    for (uint32_t i = 0; i < group->room; i++)
        sam_warp_release(&group->warps[i]);
    sam_pages_free(group->warps, group->room * sizeof *group->warps);
    group->warps = NULL;
    group->room = 0;
}

bool sam_group_fit(struct sam_group *group, const struct sam_run *run)
{
    const uint32_t warps = run->launch->warps;
    if (group->room >= warps)
        return true;
    release_warps(group);
    /* Registers that no instruction names keep their pages untouched. */
    group->warps = sam_pages_new(warps * sizeof *group->warps);
    group->room = group->warps ? warps : 0;
    for (uint32_t i = 0; i < group->room; i++)
        group->warps[i].stack = NULL; /* first written, then read: see sam_space_touch */
    return group->warps != NULL;
}

void sam_group_release(struct sam_group *group)
{
    release_warps(group);
    sam_space_release_lds(group);
    free(group->parked);
    group->parked = NULL;
}

void sam_group_start(struct sam_worker *worker, struct sam_group *group)
{
    const uint32_t workgroup = group->workgroup;
    const struct sam_launch *launch = worker->run->launch;
    const struct sam_gpu_options *options = &worker->run->gpu->options;
    if (worker->sanitizer)
        sam_sanitize_on_workgroup(worker->sanitizer, workgroup);
    group->away = false;
    group->idle_turns = 0;
    group->ready = launch->warps;
    group->at = 0;
    group->in_turn = false;
    for (uint32_t i = 0; i < launch->warps; i++) {
        struct sam_warp *w = &group->warps[i];
        sam_warp_reset(w, worker, launch);
        w->core.hartid = w->wid = i;
        w->tid = i * launch->lanes;
        w->numw = launch->warps;
        w->knl = launch->metadata;
        w->wgid = workgroup;
        w->lds = SAM_LDS_BASE;
        w->pds = sam_private_base(worker->run, workgroup);
        w->pds_size = launch->pds_size;
        w->group[0] = workgroup % launch->grid[0];
        w->group[1] = workgroup / launch->grid[0] % launch->grid[1];
        w->group[2] = workgroup / launch->grid[0] / launch->grid[1];
        w->stack_limit = options->simt_stack_limit ? options->simt_stack_limit : 65536;
        w->started = sam_run_started(worker->run, w);
        if (w->started != w->all)
            sam_warp_set_mask(w, w->started);
        if (!w->started) {
            w->state = SAM_WARP_ENDED;
            group->ready--;
        }
    }
}

/* ------------------------------------------------------------------------------- barriers */

/* No warp is ready: release the barrier if all wait at the same one; otherwise the workgroup is
 * deadlocked (Ventus 4.2.4). */
static enum sam_pause settle(struct sam_worker *worker, struct sam_group *group)
{
    const uint32_t warps = worker->run->launch->warps;
    const struct sam_warp *first = NULL;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < warps; i++) {
        const struct sam_warp *w = &group->warps[i];
        if (w->state != SAM_WARP_WAITS)
            continue;
        waiting++;
        if (!first)
            first = w;
        if (w->barrier_pc != first->barrier_pc) {
            sam_run_fail(worker, first, SAM_CAUSE_DEADLOCK, w->barrier_pc);
            return SAM_PAUSE_FAILED;
        }
    }
    if (!first)
        return SAM_PAUSE_ENDED;
    if (worker->sanitizer)
        sam_sanitize_release(worker->sanitizer);
    for (uint32_t i = 0; i < warps; i++)
        if (group->warps[i].state == SAM_WARP_WAITS)
            group->warps[i].state = SAM_WARP_READY;
    group->ready = waiting;
    group->at = 0;
    group->in_turn = false;
    return worker->pace && worker->pace->to_release ? SAM_PAUSE_RELEASED : SAM_PAUSE_NONE;
}

/* ---------------------------------------------------------------------------------- turns */

static void end_turn(const struct sam_worker *worker, struct sam_group *group)
{
    group->in_turn = false;
    if (++group->at == worker->run->launch->warps)
        group->at = 0;
}

/* The warp has come to a barrier or to its end. */
static enum sam_pause arrive(struct sam_worker *worker, struct sam_group *group, struct sam_warp *w)
{
    w->state = w->core.event == SAM_EVENT_END ? SAM_WARP_ENDED : SAM_WARP_WAITS;
    group->idle_turns = 0;
    if (group->at == w->wid)
        end_turn(worker, group);
    return --group->ready ? SAM_PAUSE_NONE : settle(worker, group);
}

static enum sam_pause fail(struct sam_worker *worker, const struct sam_warp *w, unsigned cause,
                           uint64_t tval)
{
    sam_run_fail(worker, w, cause, tval);
    return SAM_PAUSE_FAILED;
}

static enum sam_pause fail_host(struct sam_worker *worker, enum sam_status status, const char *text)
{
    sam_run_fail_host(worker->run, status, text);
    return SAM_PAUSE_FAILED;
}

/* Handle the reason for which a warp has stopped. */
static enum sam_pause look(struct sam_worker *worker, struct sam_group *group, struct sam_warp *w,
                           enum sam_exit exit)
{
    if (exit == SAM_EXIT_TRAP)
        worker->tlb.input = 0;
    if (exit == SAM_EXIT_TRAP && worker->tlb.exhausted)
        return fail_host(worker, SAM_ERR_MEMORY, "out of memory");
    if (exit == SAM_EXIT_TRAP)
        return fail(worker, w, w->core.cause, w->core.tval);
    if (exit != SAM_EXIT_EVENT)
        return SAM_PAUSE_NONE;
    if (w->core.event & SAM_EVENT_REPORT)
        sam_run_note_access(worker, w);
    if (w->core.event == SAM_EVENT_REPORT)
        return SAM_PAUSE_NONE;
    if (w->core.event & SAM_EVENT_WATCH)
        return SAM_PAUSE_WATCH;
    if (w->core.event == SAM_EVENT_PRINT)
        return sam_run_print(worker, w) ? SAM_PAUSE_NONE : SAM_PAUSE_FAILED;
    return arrive(worker, group, w);
}

/* Account for the instructions that a warp has retired since `before`. */
static void account(struct sam_worker *worker, struct sam_group *group, const struct sam_warp *w,
                    uint64_t before)
{
    const uint64_t ran = w->core.retired - before;
    group->turn -= (int64_t)ran;
    group->last = w->wid;
    worker->warp_insns += ran;
    worker->untold_insns += ran;
    if (worker->pace)
        worker->pace->left -= ran;
    if (worker->untold_insns >= QUANTUM && worker->run->gpu->options.progress)
        sam_run_tell(worker, 0);
}

static bool has_budget(const struct sam_worker *worker, const struct sam_warp *w)
{
    const uint64_t limit = worker->run->gpu->options.max_insns;
    return !limit || w->core.retired < limit;
}

enum sam_pause sam_group_step(struct sam_worker *worker, struct sam_group *group,
                              struct sam_warp *w, struct sam_step *step)
{
    const uint64_t before = w->core.retired;
    struct sam_insn insn;
    if (!has_budget(worker, w))
        return fail(worker, w, SAM_CAUSE_BUDGET, worker->run->gpu->options.max_insns);
    const enum sam_exit exit = sam_warp_step(w, step, &insn);
    if (worker->pace && exit != SAM_EXIT_TRAP && !step->vector)
        sam_step_find_values(&w->core, step, &insn);
    account(worker, group, w, before);
    const bool fresh = exit != SAM_EXIT_TRAP && !sam_worker_repeats(worker);
    if (fresh && worker->counts && !sam_counts_step(worker->counts, w, &insn, step))
        return fail_host(worker, SAM_ERR_MEMORY, "out of memory");
    if (fresh && worker->log &&
        !(sam_warp_log_step(worker->log, w, &insn, step) &&
          (!worker->pace || sam_warp_log_flush(worker->log))))
        return fail_host(worker, SAM_ERR_IO, SAM_WARP_LOG_REFUSED);
    if (fresh && worker->replay && !sam_replay_step(worker->replay, w, &insn, step))
        return sam_replay_fail(worker->replay);
    const enum sam_pause pause = look(worker, group, w, exit);
    if (exit == SAM_EXIT_EVENT && w->core.event == SAM_EVENT_END)
        step->kind = SAM_STEP_ENDED;
    else if (exit == SAM_EXIT_EVENT && w->core.event == SAM_EVENT_BARRIER)
        step->kind = w->state == SAM_WARP_WAITS ? SAM_STEP_BARRIER : SAM_STEP_RELEASED;
    return pause;
}

/* Whether the warp is at a breakpoint that the user has not been shown. */
static bool is_stopped_at(const struct sam_worker *worker, const struct sam_warp *w)
{
    return sam_code_is_breakpoint(worker->code, w->core.pc) && w->passed != w->core.retired + 1;
}

/* Whether a time slice may end after the instruction at `pc`: where sam_core_run checks its
 * budget. */
static bool is_boundary(const struct sam_warp *w, uint64_t pc)
{
    return w->core.pc != pc + 4 || w->core.pc % SAM_PAGE_SIZE == 0;
}

/* Whether the next run could exceed options.max_insns. */
static bool is_near_limit(const struct sam_worker *worker, const struct sam_warp *w)
{
    const uint64_t limit = worker->run->gpu->options.max_insns;
    return limit && (w->core.retired >= limit || limit - w->core.retired <= SAM_CORE_STRAIGHT);
}

/* The warp has stopped. Clears `boundary` if no time slice may end there. */
static enum sam_pause leave(struct sam_worker *worker, struct sam_group *group, struct sam_warp *w,
                            uint64_t before, enum sam_exit exit, bool *boundary)
{
    const struct sam_pace *pace = worker->pace;
    account(worker, group, w, before);
    if (exit == SAM_EXIT_STOP) {
        if (pace && pace->breaks && is_stopped_at(worker, w))
            return SAM_PAUSE_BREAK;
        const uint64_t pc = w->core.pc, from = w->core.retired;
        exit = sam_core_step(&w->core, NULL);
        *boundary = is_boundary(w, pc);
        account(worker, group, w, from);
    } else if (exit == SAM_EXIT_EVENT && w->core.event == SAM_EVENT_REPORT) {
        *boundary = is_boundary(w, w->core.pc - 4); /* as if it had not stopped */
    }
    return look(worker, group, w, exit);
}

/* Run about `budget` instructions, but no more than the warp and the pace have left. Not for a warp
 * near its limit. */
static enum sam_pause advance(struct sam_worker *worker, struct sam_group *group,
                              struct sam_warp *w, int64_t budget, bool *boundary)
{
    const uint64_t before = w->core.retired, limit = worker->run->gpu->options.max_insns;
    const struct sam_pace *pace = worker->pace;
    if (limit && budget > 0 && limit - SAM_CORE_STRAIGHT - before < (uint64_t)budget)
        budget = (int64_t)(limit - SAM_CORE_STRAIGHT - before);
    bool one = worker->run->gpu->options.schedule == SAM_SCHEDULE_RR1;
    if (pace && pace->left <= SAM_CORE_STRAIGHT)
        one = true;
    else if (pace && budget > 0 && pace->left - SAM_CORE_STRAIGHT < (uint64_t)budget)
        budget = (int64_t)(pace->left - SAM_CORE_STRAIGHT);
    enum sam_exit exit = SAM_EXIT_STOP;
    if (!one) {
        exit = worker->entered ? sam_core_run_entered(&w->core, budget)
                               : sam_core_run(&w->core, budget);
        if (worker->counts)
            sam_counts_stop(w, exit);
        if (worker->log && !sam_warp_log_stop(worker->log, w, exit))
            return fail_host(worker, SAM_ERR_IO, SAM_WARP_LOG_REFUSED);
        if (worker->replay && !sam_replay_stop(worker->replay, w, exit))
            return sam_replay_fail(worker->replay);
    }
    return leave(worker, group, w, before, exit, boundary);
}

/* Single-step: execute and record one instruction. */
static enum sam_pause advance_one(struct sam_worker *worker, struct sam_group *group,
                                  struct sam_warp *w, bool *boundary)
{
    struct sam_pace *pace = worker->pace;
    struct sam_step step;
    const uint64_t pc = w->core.pc;
    if (pace && pace->breaks && is_stopped_at(worker, w))
        return SAM_PAUSE_BREAK;
    enum sam_pause pause = sam_group_step(worker, group, w, &step);
    *boundary = is_boundary(w, pc);
    if (pace && pace->each && pause != SAM_PAUSE_FAILED && !pace->each(pace, &step))
        pause = pause == SAM_PAUSE_ENDED ? pause : SAM_PAUSE_ASKED;
    return pause;
}

static bool is_one(const struct sam_worker *worker)
{
    return worker->run->gpu->options.schedule == SAM_SCHEDULE_RR1;
}

/* End the time slice if its instructions are used up. */
static enum sam_pause end_if_over(struct sam_worker *worker, struct sam_group *group,
                                  enum sam_pause pause, bool boundary)
{
    if (!group->in_turn || group->turn > 0 || !(boundary || is_one(worker)))
        return pause;
    end_turn(worker, group);
    return worker->run->gpu->shares && !worker->pace && !is_one(worker) && pause == SAM_PAUSE_NONE
               ? sam_group_check_livelock(worker, group)
               : pause;
}

/* Run the rest of a ready warp's time slice. */
static SAM_NOINLINE enum sam_pause run_turn(struct sam_worker *worker, struct sam_group *group,
                                            struct sam_warp *w)
{
    struct sam_pace *pace = worker->pace;
    const bool recorded = worker->stepped || (pace && pace->each);
    enum sam_pause pause = SAM_PAUSE_NONE;
    if (!group->in_turn)
        group->turn = is_one(worker) ? 1 : QUANTUM;
    group->in_turn = true;
    if (pace && pace->arm)
        pace->arm(pace, w);
    while (group->in_turn && pause == SAM_PAUSE_NONE) {
        bool boundary = true;
        if (pace && !pace->left)
            return SAM_PAUSE_COUNT;
        pause = recorded || w->core.pending_prefix || is_near_limit(worker, w)
                    ? advance_one(worker, group, w, &boundary)
                    : advance(worker, group, w, group->turn, &boundary);
        if (pause == SAM_PAUSE_BREAK || (pause == SAM_PAUSE_WATCH && !is_one(worker)))
            return pause; /* the time slice continues from here */
        pause = end_if_over(worker, group, pause, boundary);
    }
    return pause;
}

/* Whether time slices need nothing but to run instructions: no limits and no observers. */
static bool is_plain(const struct sam_worker *worker)
{
    return worker->entered && !worker->stepped && !worker->pace && !worker->counts &&
           !worker->log && !worker->replay && !worker->run->gpu->options.max_insns &&
           !is_one(worker);
}

/* Begin the time slice of a ready warp, for which most barriers end it. */
static enum sam_pause run_plain(struct sam_worker *worker, struct sam_group *group,
                                struct sam_warp *w)
{
    const uint64_t before = w->core.retired;
    const enum sam_exit exit = sam_core_run_entered(&w->core, QUANTUM);
    bool boundary = true;
    if (SAM_LIKELY(exit == SAM_EXIT_EVENT &&
                   (w->core.event == SAM_EVENT_BARRIER || w->core.event == SAM_EVENT_END))) {
        account(worker, group, w, before);
        return arrive(worker, group, w);
    }
    group->turn = QUANTUM;
    group->in_turn = true;
    const enum sam_pause pause = leave(worker, group, w, before, exit, &boundary);
    return end_if_over(worker, group, pause, boundary);
}

enum sam_pause sam_group_run_warp(struct sam_worker *worker, struct sam_group *group,
                                  struct sam_warp *w)
{
    enum sam_pause pause = group->ready ? SAM_PAUSE_NONE : settle(worker, group);
    while (pause == SAM_PAUSE_NONE && w->state == SAM_WARP_READY) {
        if (worker->pace && !worker->pace->left)
            return SAM_PAUSE_COUNT;
        group->in_turn &= group->at == w->wid;
        group->at = w->wid;
        pause = sam_run_is_stopped(worker->run) ? SAM_PAUSE_STOPPED : run_turn(worker, group, w);
    }
    if (pause != SAM_PAUSE_NONE)
        return pause;
    return w->state == SAM_WARP_WAITS ? SAM_PAUSE_WAITS : SAM_PAUSE_ENDED;
}

enum sam_pause sam_group_run(struct sam_worker *worker, struct sam_group *group)
{
    const bool plain = is_plain(worker);
    enum sam_pause pause = group->ready ? SAM_PAUSE_NONE : settle(worker, group);
    while (pause == SAM_PAUSE_NONE) {
        struct sam_warp *w = &group->warps[group->at];
        if (w->state != SAM_WARP_READY)
            end_turn(worker, group);
        else if (sam_run_is_stopped(worker->run))
            pause = SAM_PAUSE_STOPPED;
        else if (plain && !group->in_turn && !w->core.pending_prefix)
            pause = run_plain(worker, group, w);
        else
            pause = run_turn(worker, group, w);
    }
    return pause;
}
