/* SPDX-License-Identifier: Apache-2.0 */
/* Livelock detection for kernels in a system. The hart and all other units are stopped during a
 * launch, so a workgroup whose warps all repeat their state, or wait at a barrier, can continue
 * only if another workgroup changes memory. If every running workgroup does the same, none ever
 * will. */
#include <stdlib.h>

#include "machine/livelock.h"
#include "simt/simt.h"

enum {
    /* Time slices per warp before the first attempt. Further attempts come at powers of two, or
     * after every time slice while this workgroup waits and others do not. */
    PATIENCE = 16,
    ATTEMPT = 4096 /* instructions within which a warp must return to its initial state */
};

/* A warp's state outside its scalar registers. */
struct lanes {
    uint32_t bits[SAM_GROUPS], simt, vl, vtype, rpc, depth;
    uint32_t v[SAM_VREGS][SAM_LANES];
};

struct attempt {
    struct sam_livelock *loops; /* one per warp */
    struct lanes *lanes;
};

static void save(const struct sam_warp *w, struct lanes *lanes)
{
    *lanes = (struct lanes){
        .simt = w->simt, .vl = w->vl, .vtype = w->vtype, .rpc = w->rpc, .depth = w->depth};
    memcpy(lanes->bits, w->bits, sizeof lanes->bits);
    memcpy(lanes->v, w->v, sam_code_vectors(w->core.code) * sizeof lanes->v[0]);
}

static bool is_same(const struct sam_warp *w, const struct lanes *lanes)
{
    return lanes->simt == w->simt && lanes->vl == w->vl && lanes->vtype == w->vtype &&
           lanes->rpc == w->rpc && lanes->depth == w->depth &&
           memcmp(lanes->bits, w->bits, sizeof lanes->bits) == 0 &&
           memcmp(lanes->v, w->v, sam_code_vectors(w->core.code) * sizeof lanes->v[0]) == 0;
}

/* Run the warp until it repeats its state (*repeats), or changes it. */
static enum sam_pause try_warp(struct sam_worker *worker, struct sam_group *group,
                               struct sam_warp *w, struct attempt *attempt, bool *repeats)
{
    struct sam_livelock *loop = &attempt->loops[w->wid];
    struct sam_step step;
    *repeats = false;
    save(w, attempt->lanes);
    sam_livelock_begin(loop, &w->core);
    for (unsigned i = 0; i < ATTEMPT; i++) {
        const enum sam_pause pause = sam_group_step(worker, group, w, &step);
        if (pause != SAM_PAUSE_NONE || w->state != SAM_WARP_READY)
            return pause;
        const enum sam_livelock_state state = sam_livelock_step(loop, &w->core, &step);
        if (state == SAM_LIVELOCK_RUNS)
            continue;
        if (state == SAM_LIVELOCK_UNKNOWN || !is_same(w, attempt->lanes))
            return SAM_PAUSE_NONE;
        *repeats = state == SAM_LIVELOCK_REPEATS;
        if (*repeats)
            return SAM_PAUSE_NONE;
    }
    return SAM_PAUSE_NONE;
}

/* Try all ready warps, twice: one warp may release another. */
static enum sam_pause try_group(struct sam_worker *worker, struct sam_group *group,
                                struct attempt *attempt, bool *repeats)
{
    const uint32_t warps = worker->run->launch->warps;
    enum sam_pause pause = SAM_PAUSE_NONE;
    *repeats = true;
    memset(attempt->loops, 0, warps * sizeof *attempt->loops);
    for (uint32_t i = 0; i < 2 * warps && *repeats && pause == SAM_PAUSE_NONE; i++) {
        struct sam_warp *w = &group->warps[i % warps];
        if (w->state != SAM_WARP_READY)
            continue;
        group->at = w->wid;
        group->in_turn = false;
        pause = try_warp(worker, group, w, attempt, repeats);
    }
    return pause;
}

/* Publish this worker's attempt count; return the lowest of the other running workers'. 0: one of
 * them is not waiting; UINT64_MAX: there are no others. */
static uint64_t others(struct sam_worker *worker, uint64_t waits)
{
    struct sam_run *run = worker->run;
    uint64_t lowest = UINT64_MAX;
    pthread_mutex_lock(&run->lock);
    const bool more = run->next < run->workgroups && !run->failed;
    worker->waits = waits;
    for (unsigned i = 0; i < run->worker_count; i++) {
        const struct sam_worker *other = &run->workers[i];
        if (other == worker)
            continue;
        if (other->busy && other->waits < lowest)
            lowest = other->waits;
        else if (!other->busy && more) /* its thread is about to start */
            lowest = 0;
    }
    pthread_mutex_unlock(&run->lock);
    return lowest;
}

static enum sam_pause fail(struct sam_worker *worker, const struct sam_group *group)
{
    const struct sam_warp *w = group->warps;
    while (w->state != SAM_WARP_READY)
        w++;
    sam_run_fail(worker, w, SAM_CAUSE_LIVELOCK, 0);
    return SAM_PAUSE_FAILED;
}

/* Repeat attempts while every other worker does the same. A worker may have been released by what
 * another did before it began to wait, so each must have kept waiting since all of them do, and
 * this one after it has observed that. */
static enum sam_pause attempt_all(struct sam_worker *worker, struct sam_group *group,
                                  struct attempt *attempt)
{
    enum { ENOUGH = 3 };
    uint64_t target = 0;
    for (unsigned met = 0; !sam_run_is_stopped(worker->run);) {
        bool repeats;
        const enum sam_pause pause = try_group(worker, group, attempt, &repeats);
        if (pause != SAM_PAUSE_NONE || !repeats) {
            others(worker, 0);
            return pause;
        }
        if (met == ENOUGH)
            return fail(worker, group);
        const uint64_t lowest = others(worker, worker->waits + 1);
        if (lowest == 0)
            break; /* try again after the next time slice */
        target = target ? target : lowest == UINT64_MAX ? lowest : lowest + ENOUGH;
        met += lowest >= target;
    }
    return SAM_PAUSE_NONE;
}

enum sam_pause sam_group_check_livelock(struct sam_worker *worker, struct sam_group *group)
{
    const uint64_t turns = ++group->idle_turns / group->ready;
    if (turns < PATIENCE || group->idle_turns % group->ready ||
        (!worker->waits && (turns & (turns - 1))))
        return SAM_PAUSE_NONE;
    struct attempt attempt = {
        .loops = sam_alloc(worker->run->launch->warps, sizeof *attempt.loops),
        .lanes = sam_alloc(1, sizeof *attempt.lanes),
    };
    enum sam_pause pause = SAM_PAUSE_NONE;
    if (attempt.loops && attempt.lanes)
        pause = attempt_all(worker, group, &attempt);
    free(attempt.loops);
    free(attempt.lanes);
    return pause;
}
