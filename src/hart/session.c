/* SPDX-License-Identifier: Apache-2.0 */
/* A hart opened as a session: workgroup 0, warp 0. The session uses the hart's own state. */
#include "machine/session.h"

#include <stdlib.h>

#include "hart/core.h"
#include "machine/journal.h"

struct session {
    struct sam_session base; /* must be first: session_of */
    struct sam_hart *hart;
    bool had_until;  /* the hart's setting, restored on close */
    uint64_t passed; /* 1 + core.retired when the user was last shown the hart */
    uint64_t ended;  /* 1 + core.retired when the program exited */
};

static struct session *session_of(const struct sam_session *base)
{
    return (struct session *)(void *)(uintptr_t)base;
}

static enum sam_session_state state(const struct sam_session *base, uint32_t workgroup)
{
    const struct session *s = session_of(base);
    return workgroup                               ? SAM_SESSION_ABSENT
           : s->ended == s->hart->core.retired + 1 ? SAM_SESSION_ENDED
                                                   : SAM_SESSION_LIVE;
}

static uint32_t nth(const struct sam_session *base, uint64_t index)
{
    (void)base;
    return index ? UINT32_MAX : 0;
}

static void shape(const struct sam_session *base, struct sam_session_shape *shape)
{
    const struct sam_hart *hart = session_of(base)->hart;
    *shape = (struct sam_session_shape){.isa = hart->machine.isa,
                                        .workgroups = 1,
                                        .warps = 1,
                                        .lanes = 1,
                                        .x_count = 32,
                                        .image = hart->image};
}

static enum sam_status find(struct sam_session *base, uint32_t workgroup, uint32_t warp,
                            struct sam_core **core, struct sam_error *error)
{
    if (workgroup || warp)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u warp %u: a hart is 0, 0", workgroup,
                        warp);
    *core = &session_of(base)->hart->core;
    return SAM_OK;
}

static void show(struct sam_session *base, struct sam_core *core, struct sam_session_warp *warp)
{
    *warp = (struct sam_session_warp){.state = state(base, 0) == SAM_SESSION_ENDED ? SAM_WARP_ENDED
                                                                                   : SAM_WARP_READY,
                                      .pc = sam_hart_pc(session_of(base)->hart),
                                      .mask = 1,
                                      .instructions = core->retired};
}

/* ---------------------------------------------------------------------------------- running */

/* Run one turn; record the end of the program. */
static enum sam_status turn(struct session *s, uint64_t budget, struct sam_hart_record *record,
                            struct sam_hart_result *result, struct sam_error *error)
{
    struct sam_hart *hart = s->hart;
    const uint64_t before = hart->core.retired;
    if (record)
        record->step.time = s->base.time;
    const uint64_t time = s->base.time;
    const enum sam_status status = sam_hart_turn(hart, budget, record, result, error);
    s->base.time += hart->core.retired - before;
    if (result->end == SAM_HART_EXIT)
        s->ended = hart->core.retired + 1;
    if (!record)
        return status;
    struct sam_step *step = &record->step;
    step->time = time;
    step->next_pc = sam_hart_pc(hart);
    if (result->end == SAM_HART_EXIT) {
        step->kind = SAM_STEP_ENDED;
        step->exit_code = result->exit_code;
    } else if (step->kind == SAM_STEP_TRAPPED && status == SAM_OK &&
               result->end == SAM_HART_STEPPED) {
        step->kind = SAM_STEP_HANDLED;
    }
    return status;
}

static enum sam_status fail_ended(struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_USAGE, "the program has ended");
}

static enum sam_status step(struct sam_session *base, struct sam_core *core, struct sam_step *step,
                            struct sam_error *error)
{
    struct session *s = session_of(base);
    struct sam_hart_record record;
    struct sam_hart_result result = {.end = SAM_HART_STEPPED};
    if (state(base, 0) == SAM_SESSION_ENDED)
        return fail_ended(error);
    const enum sam_status status = turn(s, 1, &record, &result, error);
    s->passed = core->retired + 1;
    *step = record.step;
    return status;
}

/* Whether the run ends before the next instruction; *over: it is at a breakpoint to step over. */
static bool ends_here(struct session *s, const struct sam_session_run *run,
                      struct sam_session_stop *stop, bool *over)
{
    struct sam_core *core = &s->hart->core;
    *over = sam_code_is_breakpoint(s->base.code, core->pc);
    if (run->ignore_stops || !*over || s->passed == core->retired + 1)
        return false;
    s->passed = core->retired + 1;
    return sam_session_breaks(&s->base, core, 0, 0, 1, stop);
}

static bool has_watched(const struct session *s)
{
    const struct sam_core *core = &s->hart->core;
    return s->base.watches.core && core->exit == SAM_EXIT_EVENT && core->event & SAM_EVENT_WATCH;
}

static enum sam_session_reason reason_of(const struct sam_hart_result *result)
{
    switch (result->end) {
    case SAM_HART_EXIT: return SAM_SESSION_DONE;
    case SAM_HART_EBREAK: return SAM_SESSION_EBREAK;
    case SAM_HART_TRAP:
    case SAM_HART_BUDGET: return SAM_SESSION_TRAP;
    default: return SAM_SESSION_STOPPED;
    }
}

static enum sam_status run(struct sam_session *base, const struct sam_session_run *run,
                           struct sam_session_stop *stop, struct sam_error *error)
{
    struct session *s = session_of(base);
    struct sam_hart *hart = s->hart;
    const uint64_t started = base->time, limit = hart->options.max_insns;
    struct sam_hart_record *record = NULL;
    struct sam_hart_result result = {.end = SAM_HART_STEPPED};
    enum sam_status status = SAM_OK;
    bool over, done = false;
    if (run->scope != SAM_SCOPE_ALL && (run->workgroup || run->warp))
        return find(base, run->workgroup, run->warp, &(struct sam_core *){NULL}, error);
    if (state(base, 0) == SAM_SESSION_ENDED)
        return SAM_OK; /* stop->reason is SAM_SESSION_DONE */
    if (run->each && !(record = sam_alloc(1, sizeof *record)))
        return sam_fail_memory(error);
    while (!done) {
        const uint64_t used = base->time - started;
        const uint64_t left = run->instructions ? run->instructions - used : UINT64_MAX;
        const uint64_t budget = limit ? limit - used : UINT64_MAX;
        stop->reason = SAM_SESSION_COUNT;
        if (!left || ends_here(s, run, stop, &over))
            break;
        if (hart->options.stop && *hart->options.stop) {
            status = sam_hart_stopped(hart, used, &result, error);
        } else if (!budget) {
            status = sam_hart_out_of_budget(hart, &result, error);
        } else {
            sam_session_arm(base, &hart->core, 0, 0, !run->ignore_stops);
            status = turn(s, over ? 1 : left < budget ? left : budget, record, &result, error);
        }
        if (status != SAM_OK || result.end != SAM_HART_STEPPED) {
            stop->reason = reason_of(&result);
            stop->exit_code = result.exit_code;
            if (record && result.end == SAM_HART_EXIT)
                sam_session_each(base, run, &record->step);
            break;
        }
        if (has_watched(s))
            done = sam_session_watched(base, &hart->core, 0, 0, stop);
        if (record && !sam_session_each(base, run, &record->step) && !done) {
            stop->reason = SAM_SESSION_ASKED;
            done = true;
        }
    }
    if (!sam_hart_counts_collect(hart) && status == SAM_OK)
        status = sam_fail_memory(error);
    if (stop->reason == SAM_SESSION_WATCH)
        s->passed = hart->core.retired + 1;
    stop->pc = sam_hart_pc(hart);
    free(record);
    return status;
}

/* ------------------------------------------------------------------- registers and memory */

static void set_pc(struct sam_session *base, struct sam_core *core, uint64_t pc)
{
    struct session *s = session_of(base);
    (void)core;
    sam_hart_set_pc(s->hart, pc);
    s->passed = s->ended = 0;
}

static enum sam_status set_csr(struct sam_session *base, struct sam_core *core, unsigned address,
                               uint64_t value, struct sam_error *error)
{
    (void)core;
    if (!sam_hart_set_csr(session_of(base)->hart, address, value))
        return sam_fail(error, SAM_ERR_USAGE, "no CSR 0x%03x that can be written", address);
    return SAM_OK;
}

static enum sam_status access_memory(struct sam_session *base, uint32_t workgroup, uint64_t address,
                                     void *data, size_t size, bool write, struct sam_error *error)
{
    struct sam_hart *hart = session_of(base)->hart;
    struct sam_core *core;
    const enum sam_status status = find(base, workgroup, 0, &core, error);
    if (status != SAM_OK)
        return status;
    if (!write)
        return sam_hart_read(hart, address, data, size, error);
    if (sam_hart_read(hart, address, NULL, size, NULL) == SAM_OK &&
        !sam_journal_save_range(base->tlb->journal, hart->memory, address, size))
        return sam_fail_memory(error);
    return sam_hart_write(hart, address, data, size, error);
}

/* ------------------------------------------------------------------------------ back in time */

struct saved {
    struct sam_core core;
    struct sam_tensor *tensor; /* NULL: no TensorLoad unit */
    struct sam_matrix *matrix;
    struct sam_hart_counter counters[SAM_HART_COUNTERS];
    uint64_t mie, vectored_at;
    bool has_handler, vectored;
    struct sam_hart_stats stats;
    uint64_t passed, ended;
};

/* A piece of state: its location in the session and in a snapshot. */
struct part {
    void *live, *saved;
    size_t size;
};

enum { PARTS = 11 };

static void list_parts(struct session *s, const struct saved *state, struct part parts[PARTS])
{
    struct sam_hart *hart = s->hart;
    struct saved *saved = (struct saved *)(uintptr_t)state;
    const struct part list[PARTS] = {
        {&hart->core, &saved->core, sizeof saved->core},
        {hart->tensor, saved->tensor, hart->tensor ? sizeof *saved->tensor : 0},
        {hart->matrix, saved->matrix, hart->matrix ? sizeof *saved->matrix : 0},
        {hart->counters, saved->counters, sizeof saved->counters},
        {&hart->mie, &saved->mie, sizeof saved->mie},
        {&hart->vectored_at, &saved->vectored_at, sizeof saved->vectored_at},
        {&hart->has_handler, &saved->has_handler, sizeof saved->has_handler},
        {&hart->vectored, &saved->vectored, sizeof saved->vectored},
        {&hart->stats, &saved->stats, sizeof saved->stats},
        {&s->passed, &saved->passed, sizeof saved->passed},
        {&s->ended, &saved->ended, sizeof saved->ended},
    };
    memcpy(parts, list, sizeof list);
}

static enum sam_status can_save(struct sam_session *base, struct sam_error *error)
{
    const struct sam_hart *hart = session_of(base)->hart;
    return hart->engines || hart->mxu
               ? sam_fail(error, SAM_ERR_USAGE, "a cycle model cannot be taken back in time")
               : SAM_OK;
}

static void forget(struct sam_session *base, void *state)
{
    struct saved *saved = state;
    (void)base;
    sam_pages_free(saved->tensor, sizeof *saved->tensor);
    sam_pages_free(saved->matrix, sizeof *saved->matrix);
    free(saved);
}

static void *save(struct sam_session *base)
{
    struct session *s = session_of(base);
    const struct sam_hart *hart = s->hart;
    struct saved *saved = sam_alloc(1, sizeof *saved);
    if (!saved)
        return NULL;
    if (hart->tensor)
        saved->tensor = sam_pages_new(sizeof *saved->tensor);
    if (hart->matrix)
        saved->matrix = sam_pages_new(sizeof *saved->matrix);
    if ((hart->tensor && !saved->tensor) || (hart->matrix && !saved->matrix)) {
        forget(base, saved);
        return NULL;
    }
    struct part parts[PARTS];
    list_parts(s, saved, parts);
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].size)
            memcpy(parts[i].saved, parts[i].live, parts[i].size);
    return saved;
}

static enum sam_status load(struct sam_session *base, const void *state, struct sam_error *error)
{
    struct session *s = session_of(base);
    struct sam_hart *hart = s->hart;
    struct part parts[PARTS];
    (void)error;
    if (hart->shown < hart->core.retired)
        hart->shown = hart->core.retired;
    list_parts(s, state, parts);
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].size)
            memcpy(parts[i].live, parts[i].saved, parts[i].size);
    return SAM_OK;
}

static void show_again(struct sam_session *base, uint64_t later)
{
    struct sam_hart *hart = session_of(base)->hart;
    if (hart->shown > hart->core.retired + later)
        hart->shown = hart->core.retired + later;
}

static void pass(struct sam_session *base, struct sam_core *core)
{
    session_of(base)->passed = core->retired + 1;
}

/* ---------------------------------------------------------------------------- opening, closing */

static void close_session(struct sam_session *base)
{
    struct session *s = session_of(base);
    sam_session_release(base);
    sam_code_enable_breakpoints(base->code, true);
    sam_hart_calls_free(s->hart->calls);
    s->hart->calls = NULL;
    s->hart->shown = 0;
    if (s->had_until)
        sam_hart_set_until(s->hart, s->hart->until);
    free(s);
}

static const struct sam_session_ops ops = {
    .close = close_session,
    .shape = shape,
    .workgroup = nth,
    .state = state,
    .find = find,
    .warp = show,
    .step = step,
    .run = run,
    .set_pc = set_pc,
    .set_csr = set_csr,
    .access = access_memory,
    .can_save = can_save,
    .save = save,
    .load = load,
    .forget = forget,
    .show = show_again,
    .pass = pass,
};

enum sam_status sam_session_open_hart(struct sam_hart *hart, struct sam_session **session,
                                      struct sam_error *error)
{
    if (session)
        *session = NULL;
    if (SAM_LACKS(error, hart, session))
        return SAM_ERR_USAGE;
    if (hart->tlb.watches)
        return sam_fail(error, SAM_ERR_USAGE, "the hart has a session already");
    struct session *s = sam_alloc(1, sizeof *s);
    if (!s || !sam_hart_calls_keep(hart)) {
        free(s);
        return sam_fail_memory(error);
    }
    s->hart = hart;
    s->had_until = hart->has_until;
    if (hart->has_until)
        sam_code_remove_breakpoint(hart->code, hart->until);
    hart->has_until = false;
    sam_session_init(&s->base, &ops, &hart->tlb, hart->code);
    *session = &s->base;
    return SAM_OK;
}
