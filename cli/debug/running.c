/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that run the program: all of it, or the focused warp. While a warp is stepped, the
 * others pause until it waits for them at a barrier: then its workgroup runs until the barrier
 * releases it. */
#include <stdlib.h>

#include "debugger.h"

/* The goal of a stepped warp, evaluated by `each` of the run. */
struct goal {
    struct debug *d;
    bool (*reached)(struct goal *goal, const struct sam_step *step);
    bool met;
    /* of the goals below */
    uint64_t pc;      /* the start, or the target */
    const char *file; /* the line of the start; NULL: not known */
    uint32_t line;
    uint32_t depth; /* of the SIMT stack */
    int64_t calls;  /* entered, not left */
    bool forward;   /* only to a line further down */
    const struct sam_symbol *function;
};

static bool each(void *context, struct sam_session *session, const struct sam_step *step)
{
    struct goal *goal = context;
    (void)session;
    goal->met = goal->reached(goal, step);
    return !goal->met;
}

/* Report a session that cannot continue. */
static enum sam_status can_run(struct debug *d, struct sam_error *error)
{
    struct sam_session_warp warp;
    if (d->state == DEBUG_ENDED)
        return cli_refuse(error, "everything has ended: run starts it again, rstepi goes back, "
                                 "quit ends the debugger");
    const enum sam_status status = debug_warp(d, &warp, error);
    if (status == SAM_OK && warp.state == SAM_WARP_ENDED)
        return cli_refuse(error,
                          "workgroup %u warp %u has ended: expected another (warp W), or "
                          "continue",
                          d->focus.workgroup, d->focus.warp);
    d->stepped_from = warp.pc;
    return status;
}

static bool is_event(const struct sam_session_stop *stop)
{
    return stop->reason == SAM_SESSION_TRAP || stop->reason == SAM_SESSION_STOPPED;
}

static bool waits(struct debug *d)
{
    return debug_warp_now(d).state == SAM_WARP_WAITS;
}

/* Run the workgroup until the barrier has released the focused warp, or another event stops it. */
static enum sam_status await_release(struct debug *d, struct sam_session_stop *stop,
                                     struct sam_error *error)
{
    const struct sam_session_run run = {.size = sizeof run,
                                        .scope = SAM_SCOPE_WORKGROUP,
                                        .workgroup = d->focus.workgroup,
                                        .warp = d->focus.warp,
                                        .to_release = true};
    for (;;) {
        const enum sam_status status = sam_session_run(d->session, &run, stop, error);
        if (status != SAM_OK || stop->reason != SAM_SESSION_RELEASED || !waits(d))
            return status;
    }
}

/* Run the warp: for `count` instructions, or until the goal is met (NULL: none). */
static enum sam_status run_warp(struct debug *d, uint64_t count, struct goal *goal,
                                struct sam_session_stop *stop, struct sam_error *error)
{
    struct sam_session_run run = {.size = sizeof run,
                                  .scope = d->shape.v_count ? SAM_SCOPE_WARP : SAM_SCOPE_ALL,
                                  .workgroup = d->focus.workgroup,
                                  .warp = d->focus.warp,
                                  .instructions = count,
                                  .each = goal ? each : NULL,
                                  .context = goal};
    for (;;) {
        if (!waits(d)) {
            const enum sam_status status = sam_session_run(d->session, &run, stop, error);
            if (status != SAM_OK)
                return status;
            run.instructions -= run.instructions ? stop->instructions : 0;
        }
        const bool over = count ? !run.instructions : goal && goal->met;
        if (!waits(d) || (stop->reason != SAM_SESSION_WAITS && stop->reason != SAM_SESSION_COUNT &&
                          stop->reason != SAM_SESSION_ASKED && !over))
            return SAM_OK;
        /* It has arrived at a barrier. */
        const enum sam_session_reason reason = stop->reason;
        const enum sam_status status = await_release(d, stop, error);
        if (status != SAM_OK || stop->reason != SAM_SESSION_RELEASED)
            return status;
        if (over || (goal && goal->met)) {
            stop->reason = reason == SAM_SESSION_WAITS ? SAM_SESSION_COUNT : reason;
            stop->workgroup = d->focus.workgroup;
            stop->warp = d->focus.warp;
            stop->pc = debug_pc(d);
            return SAM_OK;
        }
    }
}

/* An error of a run belongs to the program or to a user who stops it; others are failures. */
static enum sam_status told(struct debug *d, enum sam_status status,
                            const struct sam_session_stop *stop, const struct sam_error *error)
{
    if (status != SAM_OK && !is_event(stop))
        return status;
    stop_report(d, stop, error);
    return SAM_OK;
}

static void pass_point(struct debug *d, uint64_t times)
{
    struct point *p = points_of(d, d->last_stop);
    if (p && times > 1)
        p->ignore = times - 1;
}

static enum sam_status go(struct debug *d, struct sam_error *error)
{
    const struct sam_session_run run = {.size = sizeof run,
                                        .scope = d->scope,
                                        .workgroup = d->focus.workgroup,
                                        .warp = d->focus.warp};
    struct sam_session_stop stop = {.reason = SAM_SESSION_DONE};
    const enum sam_status status = sam_session_run(d->session, &run, &stop, error);
    d->last_stop =
        stop.reason == SAM_SESSION_BREAK || stop.reason == SAM_SESSION_WATCH ? stop.id : 0;
    return told(d, status, &stop, error);
}

enum sam_status command_continue(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t count = 1;
    const enum sam_status status = debug_count(d, rest, "the count", &count, error);
    if (status != SAM_OK)
        return status;
    if (d->state == DEBUG_ENDED && d->run->number + 1 < d->run->count) {
        d->goes_on = true;
        return SAM_OK;
    }
    if (d->state == DEBUG_ENDED)
        return can_run(d, error);
    pass_point(d, count);
    return go(d, error);
}

enum sam_status command_run(struct debug *d, const char *rest, struct sam_error *error)
{
    enum sam_status status = debug_no_more(rest, error);
    if (status != SAM_OK)
        return status;
    if (d->started) {
        status = past_restart(d, error);
        if (status != SAM_OK)
            return status;
        debug_say(d, "[from the beginning]\n");
    }
    return go(d, error);
}

enum sam_status command_scope(struct debug *d, const char *rest, struct sam_error *error)
{
    static const char names[] = "all workgroup warp";
    char word[32], choices[64];
    if (cli_word(&rest, word, sizeof word)) {
        const int choice = cli_choice(names, word, strlen(word));
        if (choice < 0)
            return cli_refuse(error, "scope '%s': expected %s", word,
                              cli_choices_text(names, choices, sizeof choices));
        d->scope = (enum sam_session_scope)choice;
    }
    debug_say(d, "continue runs %s\n",
              d->scope == SAM_SCOPE_ALL         ? "all workgroups"
              : d->scope == SAM_SCOPE_WORKGROUP ? "the workgroup"
                                                : "the warp");
    return debug_no_more(rest, error);
}

/* -------------------------------------------------------------------------------- by counts */

enum sam_status command_stepi(struct debug *d, const char *rest, struct sam_error *error)
{
    uint64_t count = 1;
    struct sam_session_stop stop = {.reason = SAM_SESSION_COUNT};
    return debug_count(d, rest, "the count", &count, error) ?: can_run(d, error)
        ?: told(d, run_warp(d, count, NULL, &stop, error), &stop, error);
}

/* --------------------------------------------------------------------------------- by goals */

enum { JAL = 0x6f, JALR = 0x67, RA = 1, T0 = 5 };

static unsigned rd_of(uint32_t word)
{
    return word >> 7 & 31;
}

bool stop_is_call(uint32_t word)
{
    return ((word & 0x7f) == JAL || (word & 0x7f) == JALR) &&
           (rd_of(word) == RA || rd_of(word) == T0);
}

/* Returns: jalr through a link. */
static bool is_return(uint32_t word)
{
    const unsigned rs1 = word >> 15 & 31;
    return (word & 0x7f) == JALR && rd_of(word) == 0 && (rs1 == RA || rs1 == T0);
}

/* Counts calls and returns; true while the function in which the run began is active. */
static bool in_function(struct goal *goal, const struct sam_step *step)
{
    if (step->kind == SAM_STEP_TRAPPED)
        return true;
    goal->calls += stop_is_call(step->word);
    goal->calls -= is_return(step->word);
    return goal->calls <= 0;
}

/* A different source line than at the start; any instruction if the code has no line
 * information. */
static bool other_line(struct goal *goal, const struct sam_step *step)
{
    uint32_t line = 0;
    if (!goal->file)
        return !goal->forward || step->next_pc > goal->pc;
    const char *file = source_at(goal->d, step->next_pc, &line);
    if (!file)
        return false;
    if (strcmp(file, goal->file) != 0)
        return true;
    if (goal->forward && goal->calls == 0)
        return line > goal->line;
    return line != goal->line || step->next_pc <= step->pc; /* a loop of one line */
}

static bool next_line(struct goal *goal, const struct sam_step *step)
{
    return in_function(goal, step) && other_line(goal, step);
}

static bool returned(struct goal *goal, const struct sam_step *step)
{
    in_function(goal, step);
    return goal->calls < 0;
}

static bool less_deep(struct goal *goal, const struct sam_step *step)
{
    return step->depth_after < goal->depth;
}

/* A place, or the end of the function in which the run began. */
static bool at_place(struct goal *goal, const struct sam_step *step)
{
    in_function(goal, step);
    return step->next_pc == goal->pc || goal->calls < 0;
}

static enum sam_status run_to(struct debug *d, struct goal goal, struct sam_session_stop *stop,
                              struct sam_error *error)
{
    struct sam_session_warp warp;
    enum sam_status status = debug_warp(d, &warp, error);
    if (status != SAM_OK)
        return status;
    goal.d = d;
    if (goal.reached != at_place)
        goal.pc = warp.pc;
    goal.depth = warp.depth;
    goal.file = source_at(d, warp.pc, &goal.line);
    return run_warp(d, 0, &goal, stop, error);
}

/* `count` times, unless another event stops it. */
static enum sam_status run_times(struct debug *d, const char *rest, struct goal goal,
                                 struct sam_error *error)
{
    uint64_t count = 1;
    struct sam_session_stop stop = {.reason = SAM_SESSION_ASKED};
    enum sam_status status = debug_count(d, rest, "the count", &count, error) ?: can_run(d, error);
    if (status != SAM_OK)
        return status;
    while (count-- && status == SAM_OK && stop.reason == SAM_SESSION_ASKED && !cli_stopped())
        status = run_to(d, goal, &stop, error);
    if (stop.reason == SAM_SESSION_ASKED && cli_stopped())
        stop.reason = SAM_SESSION_STOPPED; /* between two of them */
    return told(d, status, &stop, error);
}

enum sam_status command_step(struct debug *d, const char *rest, struct sam_error *error)
{
    static bool (*const goals[])(struct goal *, const struct sam_step *) = {
        [STEP_LINE] = other_line, [STEP_NEXT] = next_line, [STEP_NEXTI] = in_function};
    return run_times(d, rest, (struct goal){.reached = goals[d->how]}, error);
}

enum sam_status command_finish(struct debug *d, const char *rest, struct sam_error *error)
{
    return debug_no_more(rest, error)
               ?: run_times(d, "", (struct goal){.reached = returned}, error);
}

enum sam_status command_until(struct debug *d, const char *rest, struct sam_error *error)
{
    struct goal goal = {.reached = next_line, .forward = true};
    if (*rest) {
        goal = (struct goal){.reached = at_place};
        enum sam_status status =
            source_location(d, &rest, &goal.pc, error) ?: debug_no_more(rest, error);
        if (status != SAM_OK)
            return status;
    }
    return run_times(d, "", goal, error);
}

enum sam_status command_reconverge(struct debug *d, const char *rest, struct sam_error *error)
{
    struct sam_session_warp warp;
    enum sam_status status = debug_no_more(rest, error) ?: debug_warp(d, &warp, error);
    if (status != SAM_OK)
        return status;
    if (!warp.depth)
        return cli_refuse(error, "the SIMT stack is empty: the lanes have not diverged");
    return run_times(d, "", (struct goal){.reached = less_deep}, error);
}

enum sam_status command_release(struct debug *d, const char *rest, struct sam_error *error)
{
    const struct sam_session_run run = {.size = sizeof run,
                                        .scope = SAM_SCOPE_WORKGROUP,
                                        .workgroup = d->focus.workgroup,
                                        .to_release = true};
    struct sam_session_stop stop = {.reason = SAM_SESSION_DONE};
    enum sam_status status = debug_no_more(rest, error);
    if (status == SAM_OK && d->state == DEBUG_ENDED)
        status = can_run(d, error);
    return status ?: told(d, sam_session_run(d->session, &run, &stop, error), &stop, error);
}
