/* SPDX-License-Identifier: Apache-2.0 */
/* A workgroup runs: its warps take turns, wait at barriers and end. A launch runs it to its end at
 * once; it may as well be left at any instruction and continued. */
#include <stdlib.h>

#include "simt/simt.h"

#define QUANTUM 65536 /* instructions per turn of a warp, unless something ends it earlier */

bool sam_group_init(struct sam_group *group, const struct sam_run *run)
{
    /* Pages of registers that no instruction names are never touched. */
    group->warps = sam_pages_new(run->launch->warps * sizeof *group->warps);
    return group->warps != NULL;
}

void sam_group_release(struct sam_group *group, const struct sam_run *run)
{
    for (uint32_t i = 0; group->warps && i < run->launch->warps; i++)
        sam_warp_release(&group->warps[i]);
    sam_pages_free(group->warps, run->launch->warps * sizeof *group->warps);
    group->warps = NULL;
    sam_space_release_lds(group);
}

void sam_group_start(struct sam_worker *worker, struct sam_group *group, uint32_t workgroup)
{
    const struct sam_launch *launch = worker->run->launch;
    const struct sam_gpu_options *options = &worker->run->gpu->options;
    group->workgroup = workgroup;
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

/* No warp is ready: release those that wait if they all wait at the same barrier. Otherwise they
 * wait forever (Ventus 4.2.4): the workgroup has failed. */
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
    for (uint32_t i = 0; i < warps; i++)
        if (group->warps[i].state == SAM_WARP_WAITS)
            group->warps[i].state = SAM_WARP_READY;
    group->ready = waiting;
    group->at = 0;
    return SAM_PAUSE_NONE;
}

/* ---------------------------------------------------------------------------------- turns */

static void end_turn(const struct sam_worker *worker, struct sam_group *group)
{
    group->in_turn = false;
    group->at = (group->at + 1) % worker->run->launch->warps;
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

/* What follows from the way a warp has left its run. */
static enum sam_pause look(struct sam_worker *worker, struct sam_group *group, struct sam_warp *w,
                           enum sam_exit exit)
{
    if (exit == SAM_EXIT_TRAP && worker->view.exhausted)
        return fail_host(worker, SAM_ERR_MEMORY, "out of memory");
    if (exit == SAM_EXIT_TRAP)
        return fail(worker, w, w->core.cause, w->core.tval);
    if (worker->observer && sam_observer_failed(worker->observer))
        return fail_host(worker, SAM_ERR_IO, "cannot write the commit log");
    if (exit != SAM_EXIT_EVENT)
        return SAM_PAUSE_NONE;
    if (w->core.event == SAM_EVENT_PRINT)
        return sam_run_print(worker, w) ? SAM_PAUSE_NONE : SAM_PAUSE_FAILED;
    w->state = w->core.event == SAM_EVENT_END ? SAM_WARP_ENDED : SAM_WARP_WAITS;
    if (group->at == w->wid)
        end_turn(worker, group);
    return --group->ready ? SAM_PAUSE_NONE : settle(worker, group);
}

/* One turn of a ready warp. */
static enum sam_pause run_turn(struct sam_worker *worker, struct sam_group *group,
                               struct sam_warp *w)
{
    const struct sam_gpu_options *options = &worker->run->gpu->options;
    const bool one = options->schedule == SAM_SCHEDULE_RR1;
    enum sam_pause pause = SAM_PAUSE_NONE;
    group->in_turn = true;
    group->turn = one ? 1 : QUANTUM;
    while (group->in_turn && pause == SAM_PAUSE_NONE) {
        int64_t budget = group->turn;
        if (options->max_insns) {
            if (w->core.retired >= options->max_insns)
                return fail(worker, w, SAM_CAUSE_BUDGET, options->max_insns);
            if ((uint64_t)budget > options->max_insns - w->core.retired)
                budget = (int64_t)(options->max_insns - w->core.retired);
        }
        uint64_t before = w->core.retired;
        enum sam_exit exit = worker->observer ? sam_observer_step(worker->observer, w)
                             : one            ? sam_core_step(&w->core, NULL)
                                              : sam_core_run(&w->core, budget);
        group->turn -= (int64_t)(w->core.retired - before);
        worker->untold_insns += w->core.retired - before;
        if (options->progress && worker->untold_insns >= QUANTUM)
            sam_run_tell(worker, 0);
        pause = look(worker, group, w, exit);
        if (group->in_turn && group->turn <= 0)
            end_turn(worker, group);
    }
    return pause;
}

enum sam_pause sam_group_run(struct sam_worker *worker, struct sam_group *group)
{
    enum sam_pause pause = group->ready ? SAM_PAUSE_NONE : settle(worker, group);
    while (pause == SAM_PAUSE_NONE) {
        struct sam_warp *w = &group->warps[group->at];
        if (w->state != SAM_WARP_READY)
            end_turn(worker, group);
        else if (sam_run_is_stopped(worker->run))
            pause = SAM_PAUSE_STOPPED;
        else
            pause = run_turn(worker, group, w);
    }
    return pause;
}
