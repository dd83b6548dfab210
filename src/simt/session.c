/* SPDX-License-Identifier: Apache-2.0 */
/* A launch opened as a session: stepping and running. */
#include "simt/session.h"

#include <stdlib.h>

#include "profile/profile.h"

static enum sam_session_state state(const struct sam_session *base, uint32_t workgroup)
{
    return sam_gpu_session_state(sam_gpu_session_of(base), workgroup);
}

static enum sam_status find(struct sam_session *base, uint32_t workgroup, uint32_t warp,
                            struct sam_core **core, struct sam_error *error)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    if (warp >= s->launch.warps)
        return sam_fail(error, SAM_ERR_USAGE, "warp %u: a workgroup has %u", warp, s->launch.warps);
    struct sam_group *group = NULL;
    const enum sam_status status = sam_gpu_session_group(s, workgroup, &group, error);
    if (status == SAM_OK)
        *core = &group->warps[warp].core;
    return status;
}

static void shape(const struct sam_session *base, struct sam_session_shape *shape)
{
    const struct sam_gpu_session *s = sam_gpu_session_of(base);
    *shape = (struct sam_session_shape){.isa = s->gpu.machine.isa,
                                        .workgroups = s->count,
                                        .warps = s->launch.warps,
                                        .lanes = s->launch.lanes,
                                        .x_count = SAM_X_SINK,
                                        .v_count = SAM_VREGS,
                                        .image = s->launch.image};
}

/* Whether the warp has another step to spend at the barrier that has released it. */
static bool is_retrying(const struct sam_warp *w)
{
    return w->retries == w->core.retired + 1;
}

static uint64_t pc_of(const struct sam_warp *w)
{
    return w->state == SAM_WARP_WAITS || is_retrying(w) ? w->barrier_pc : w->core.pc;
}

static void show_warp(struct sam_session *base, struct sam_core *core,
                      struct sam_session_warp *state)
{
    const struct sam_warp *w = sam_warp_of(core);
    (void)base;
    *state = (struct sam_session_warp){.state = w->state,
                                       .pc = pc_of(w),
                                       .prefix = core->pending_prefix,
                                       .mask = w->simt,
                                       .depth = w->depth,
                                       .instructions = core->retired};
}

static uint32_t *v_of(struct sam_session *base, struct sam_core *core, unsigned number)
{
    if (number >= SAM_VREGS)
        return NULL;
    sam_code_use_vector(base->code, number);
    return sam_warp_of(core)->v[number];
}

/* ---------------------------------------------------------------------------------- running */

enum sam_status sam_gpu_session_failure(struct sam_gpu_session *s, struct sam_trap *trap,
                                        struct sam_error *error)
{
    const enum sam_status status = sam_run_outcome(&s->run, error);
    *trap = s->run.trap;
    s->run.failed = false;
    s->run.trap = (struct sam_trap){0};
    s->run.host_status = SAM_OK;
    return status;
}

/* A step at a barrier that executes nothing. */
static void stay(struct sam_gpu_session *s, struct sam_warp *w, struct sam_step *step)
{
    struct sam_insn insn;
    const uint64_t pc = w->core.pc;
    w->core.pc = w->barrier_pc;
    sam_step_begin(&w->core, step, &insn);
    w->core.pc = pc;
    step->kind = SAM_STEP_WAITS;
    step->workgroup = w->wgid;
    step->warp = w->wid;
    step->time = s->base.time;
    step->mask_before = step->mask_after = w->simt;
    step->depth_before = step->depth_after = w->depth;
    if (is_retrying(w))
        w->retries = 0;
    step->next_pc = pc_of(w);
}

static void let_retry(const struct sam_gpu_session *s, struct sam_group *group,
                      const struct sam_warp *last)
{
    for (uint32_t i = 0; i < s->launch.warps; i++) {
        struct sam_warp *w = &group->warps[i];
        if (w != last && w->state == SAM_WARP_READY)
            w->retries = w->core.retired + 1;
    }
}

static enum sam_status step(struct sam_session *base, struct sam_core *core, struct sam_step *step,
                            struct sam_error *error)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    struct sam_warp *w = sam_warp_of(core);
    struct sam_group *group = sam_gpu_session_found(s, w);
    if (w->state == SAM_WARP_ENDED)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u warp %u has ended", w->wgid, w->wid);
    if ((w->state == SAM_WARP_WAITS && group->ready) || is_retrying(w)) {
        stay(s, w, step);
        return SAM_OK;
    }
    s->pace = (struct sam_pace){.left = UINT64_MAX};
    if (!sam_gpu_session_enter(s, group))
        return sam_fail_memory(error);
    step->kind = SAM_STEP_RAN;
    const uint64_t time = base->time, before = s->worker.warp_insns;
    enum sam_pause pause;
    if (w->state == SAM_WARP_READY) {
        pause = sam_group_step(&s->worker, group, w, step);
    } else { /* all warps wait: report the deadlock again */
        stay(s, w, step);
        pause = sam_group_run_warp(&s->worker, group, w);
    }
    base->time += s->worker.warp_insns - before;
    step->time = time;
    w->passed = core->retired + 1;
    if (pause == SAM_PAUSE_FAILED) {
        if (s->run.failed && s->run.trap.kind == SAM_TRAP_BUDGET)
            stay(s, w, step);
        step->kind = SAM_STEP_TRAPPED;
        return sam_gpu_session_failure(s, &step->trap, error);
    }
    if (step->kind == SAM_STEP_RELEASED && s->retry)
        let_retry(s, group, w);
    if (pause == SAM_PAUSE_ENDED)
        sam_gpu_session_end(s, group);
    return SAM_OK;
}

static bool each(struct sam_pace *pace, const struct sam_step *record)
{
    struct sam_gpu_session *s =
        (struct sam_gpu_session *)(void *)((char *)pace - offsetof(struct sam_gpu_session, pace));
    struct sam_step step = *record;
    struct sam_group *group = s->worker.group;
    step.time = s->base.time++;
    const bool on = sam_session_each(&s->base, s->asked, &step);
    if (sam_gpu_session_enter(s, group)) /* the user may have read another workgroup */
        return on;
    sam_run_fail_host(&s->run, SAM_ERR_MEMORY, "out of memory");
    return false;
}

static void arm(struct sam_pace *pace, struct sam_warp *w)
{
    struct sam_gpu_session *s =
        (struct sam_gpu_session *)(void *)((char *)pace - offsetof(struct sam_gpu_session, pace));
    sam_session_arm(&s->base, &w->core, w->wgid, w->wid, pace->breaks);
}

/* Run a group, or one of its warps, until a pause that stops the session. */
static enum sam_pause run_group(struct sam_gpu_session *s, struct sam_group *group,
                                struct sam_warp *only, struct sam_session_stop *stop)
{
    for (;;) {
        if (!sam_gpu_session_enter(s, group)) {
            sam_run_fail_host(&s->run, SAM_ERR_MEMORY, "out of memory");
            return SAM_PAUSE_FAILED;
        }
        const uint64_t time = s->base.time, before = s->worker.warp_insns;
        enum sam_pause pause =
            only ? sam_group_run_warp(&s->worker, group, only) : sam_group_run(&s->worker, group);
        s->base.time = time + (s->worker.warp_insns - before);
        struct sam_warp *w = &group->warps[pause == SAM_PAUSE_BREAK ? group->at : group->last];
        stop->workgroup = group->workgroup;
        stop->warp = w->wid;
        stop->pc = pc_of(w);
        bool stops = true;
        if (pause == SAM_PAUSE_BREAK)
            stops = sam_session_breaks(&s->base, &w->core, w->wgid, w->wid, w->simt, stop);
        else if (pause == SAM_PAUSE_WATCH)
            stops = sam_session_watched(&s->base, &w->core, w->wgid, w->wid, stop);
        if (pause == SAM_PAUSE_BREAK || pause == SAM_PAUSE_WATCH)
            w->passed = w->core.retired + 1;
        if (stops)
            return pause;
    }
}

static enum sam_status told(struct sam_gpu_session *s, enum sam_pause pause,
                            struct sam_session_stop *stop, struct sam_error *error)
{
    if (s->run.host_status != SAM_OK)
        pause = SAM_PAUSE_FAILED;
    switch (pause) {
    case SAM_PAUSE_NONE:
    case SAM_PAUSE_ENDED: stop->reason = SAM_SESSION_DONE; break;
    case SAM_PAUSE_FAILED: {
        const enum sam_status status = sam_gpu_session_failure(s, &stop->trap, error);
        stop->reason = SAM_SESSION_TRAP;
        stop->warp = stop->trap.kind == SAM_TRAP_NONE ? stop->warp : stop->trap.warp;
        stop->pc = stop->trap.kind == SAM_TRAP_NONE ? stop->pc : stop->trap.pc;
        return status;
    }
    case SAM_PAUSE_STOPPED:
        stop->reason = SAM_SESSION_STOPPED;
        return sam_run_outcome(&s->run, error);
    case SAM_PAUSE_BREAK:
    case SAM_PAUSE_WATCH: break;
    case SAM_PAUSE_RELEASED: stop->reason = SAM_SESSION_RELEASED; break;
    case SAM_PAUSE_COUNT: stop->reason = SAM_SESSION_COUNT; break;
    case SAM_PAUSE_ASKED: stop->reason = SAM_SESSION_ASKED; break;
    case SAM_PAUSE_WAITS: stop->reason = SAM_SESSION_WAITS; break;
    }
    return SAM_OK;
}

/* Run the session's workgroups in order. */
static enum sam_status run_all(struct sam_gpu_session *s, enum sam_pause *pause,
                               struct sam_session_stop *stop, struct sam_error *error)
{
    *pause = SAM_PAUSE_ENDED;
    while (s->next < s->count) {
        const uint32_t workgroup = sam_gpu_session_nth(&s->base, s->next);
        const enum sam_session_state now = sam_gpu_session_state(s, workgroup);
        if (now == SAM_SESSION_ENDED) {
            s->next++;
            continue;
        }
        if (sam_run_is_stopped(&s->run)) {
            *pause = SAM_PAUSE_STOPPED;
            return SAM_OK;
        }
        struct sam_group *group = NULL;
        const enum sam_status status = sam_gpu_session_group(s, workgroup, &group, error);
        if (status != SAM_OK)
            return status;
        *pause = run_group(s, group, NULL, stop);
        if (*pause != SAM_PAUSE_ENDED)
            return SAM_OK;
        sam_gpu_session_end(s, group);
    }
    return SAM_OK;
}

static enum sam_status run(struct sam_session *base, const struct sam_session_run *run,
                           struct sam_session_stop *stop, struct sam_error *error)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    enum sam_pause pause;
    struct sam_core *core = NULL;
    s->asked = run;
    s->pace = (struct sam_pace){.left = run->instructions ? run->instructions : UINT64_MAX,
                                .breaks = !run->ignore_stops,
                                .to_release = run->to_release,
                                .each = run->each ? each : NULL,
                                .arm = base->watches.count ? arm : NULL};
    if (run->scope == SAM_SCOPE_ALL) {
        const enum sam_status status = run_all(s, &pause, stop, error);
        return status == SAM_OK ? told(s, pause, stop, error) : status;
    }
    const bool alone = run->scope == SAM_SCOPE_WARP;
    const enum sam_status status = find(base, run->workgroup, alone ? run->warp : 0, &core, error);
    if (status != SAM_OK)
        return status;
    struct sam_warp *w = sam_warp_of(core);
    struct sam_group *group = sam_gpu_session_found(s, w);
    pause = run_group(s, group, alone ? w : NULL, stop);
    if (pause == SAM_PAUSE_ENDED && !group->ready)
        sam_gpu_session_end(s, group);
    return told(s, pause, stop, error);
}

static enum sam_status finish(struct sam_session *base, struct sam_gpu_result *result,
                              struct sam_error *error)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    struct sam_session_stop stop = {0};
    enum sam_pause pause;
    s->pace = (struct sam_pace){.left = UINT64_MAX};
    enum sam_status status = run_all(s, &pause, &stop, error);
    if (status != SAM_OK)
        return status;
    struct sam_gpu_result ignored = {0}; /* a profile is collected even without a result */
    bool ok = sam_run_result(&s->run, result ? result : &ignored);
    sam_gpu_result_free(&ignored);
    for (size_t i = 0; ok && result && i < s->live_count; i++)
        ok = sam_run_places(&s->run, s->live[i], result);
    struct sam_trap trap;
    status = pause == SAM_PAUSE_ENDED ? SAM_OK : sam_gpu_session_failure(s, &trap, error);
    return ok ? status : sam_fail_memory(error);
}

/* ---------------------------------------------------------------------------- opening, closing */

static void close_session(struct sam_session *base)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    sam_session_release(base);
    sam_gpu_session_release_table(s);
    sam_worker_release(&s->worker);
    sam_profile_free(s->run.given);
    sam_run_close(&s->run);
    free(s);
}

static enum sam_status can_save(struct sam_session *base, struct sam_error *error)
{
    (void)base, (void)error;
    return SAM_OK;
}

static void pass(struct sam_session *base, struct sam_core *core)
{
    (void)base;
    sam_warp_of(core)->passed = core->retired + 1;
}

static const struct sam_session_ops ops = {
    .can_save = can_save,
    .save = sam_gpu_session_save,
    .load = sam_gpu_session_load,
    .forget = sam_gpu_session_forget,
    .show = sam_gpu_session_show,
    .pass = pass,
    .close = close_session,
    .shape = shape,
    .workgroup = sam_gpu_session_nth,
    .state = state,
    .find = find,
    .warp = show_warp,
    .v = v_of,
    .step = step,
    .run = run,
    .finish = finish,
    .set_pc = sam_gpu_session_set_pc,
    .set_csr = sam_gpu_session_set_csr,
    .stack = sam_gpu_session_stack,
    .set_stack = sam_gpu_session_set_stack,
    .access = sam_gpu_session_access,
    .private_ = sam_gpu_session_private,
};

enum sam_status sam_session_open(struct sam_gpu *gpu, const struct sam_launch *launch,
                                 const struct sam_session_options *given,
                                 struct sam_session **session, struct sam_error *error)
{
    struct sam_session_options options;
    if (session)
        *session = NULL;
    if (SAM_LACKS(error, gpu, launch, session))
        return SAM_ERR_USAGE;
    enum sam_status status =
        sam_options_take(&options, sizeof options, sizeof options, given, error);
    if (status != SAM_OK)
        return status;
    struct sam_gpu_session *s = sam_alloc(1, sizeof *s);
    if (!s)
        return sam_fail_memory(error);
    s->gpu = *gpu;
    s->launch = *launch;
    s->keep = options.keep_ended;
    s->retry = options.barrier_retry;
    if (gpu->options.sanitizer || gpu->options.timing)
        status = sam_fail(error, SAM_ERR_USAGE, "a session with %s: expected none",
                          gpu->options.timing ? "timing" : "a sanitizer");
    else
        status = sam_run_open(&s->run, &s->gpu, &s->launch, error);
    if (status != SAM_OK) {
        free(s);
        return status;
    }
    s->worker.run = &s->run;
    s->run.workers = &s->worker;
    s->run.worker_count = 1;
    s->block_count =
        (size_t)((s->run.workgroups + SAM_GPU_SESSION_BLOCK - 1) / SAM_GPU_SESSION_BLOCK);
    s->blocks = sam_pages_new(s->block_count * sizeof(struct sam_gpu_session_block *));
    s->worker.pace = &s->pace;
    s->base.ops = &ops;
    s->run.given = gpu->options.profile ? sam_profile_new() : NULL;
    if ((gpu->options.profile && !s->run.given) || !s->blocks ||
        !sam_worker_init(&s->worker, &s->run))
        status = sam_fail_memory(error);
    else
        status = sam_gpu_session_take_list(s, &options, error);
    if (status != SAM_OK) {
        close_session(&s->base);
        return status;
    }
    sam_session_init(&s->base, &ops, &s->worker.tlb, s->worker.code);
    *session = &s->base;
    return SAM_OK;
}
