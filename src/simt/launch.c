/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a launch: workers take workgroups in order. */
#include <stdlib.h>
#include <time.h>

#include "base/cpu.h"
#include "machine/fpenv.h"
#include "profile/profile.h"
#include "simt/timed.h"

/* ----------------------------------------------------------------------------- state of a run */

void sam_run_fail_host(struct sam_run *run, enum sam_status status, const char *text)
{
    pthread_mutex_lock(&run->lock);
    if (run->host_status == SAM_OK)
        __atomic_store_n(&run->host_status, sam_fail(&run->host_error, status, "%s", text),
                         __ATOMIC_RELAXED);
    pthread_mutex_unlock(&run->lock);
}

void sam_run_called_back(const struct sam_worker *worker)
{
    if (worker->entered)
        sam_host_fp_enter();
}

/* Add the worker's figures to the run. Call with the lock held. */
static void add_progress(struct sam_worker *worker)
{
    worker->run->progress.done += worker->untold_groups;
    worker->run->progress.warp_insns += worker->untold_insns;
    worker->untold_groups = worker->untold_insns = 0;
}

void sam_run_tell(struct sam_worker *worker, unsigned ended)
{
    struct sam_run *run = worker->run;
    const struct sam_gpu_options *options = &run->gpu->options;
    worker->untold_groups += ended;
    if (!options->progress && !worker->pace)
        return; /* added when the worker takes its next workgroups */
    pthread_mutex_lock(&run->lock);
    add_progress(worker);
    if (options->progress && !sam_worker_repeats(worker))
        options->progress(options->progress_context, &run->progress);
    pthread_mutex_unlock(&run->lock);
    sam_run_called_back(worker);
}

bool sam_run_is_stopped(const struct sam_run *run)
{
    const volatile int *stop = run->gpu->options.stop;
    return stop && *stop;
}

/* --------------------------------------------------------------------------------- workers */

/* Whether further workgroups of the launch may start. */
static bool goes_on(const struct sam_run *run)
{
    return !__atomic_load_n(&run->failed, __ATOMIC_RELAXED) &&
           __atomic_load_n(&run->host_status, __ATOMIC_RELAXED) == SAM_OK &&
           !sam_run_is_stopped(run);
}

/* Launches whose workgroups depend on which others run: those that share private memory take turns;
 * those that print do so in order; recorded ones are read one at a time; those of a system detect
 * livelock only together. */
static bool is_ordered(const struct sam_run *run)
{
    return run->recorded || run->pds_parts || run->print_size || run->gpu->shares ||
           run->gpu->options.progress;
}

static bool take_in_order(struct sam_worker *worker)
{
    struct sam_run *run = worker->run;
    bool more;
    pthread_mutex_lock(&run->lock);
    add_progress(worker);
    worker->busy = false;
    worker->waits = 0;
    pthread_cond_broadcast(&run->turn);
    while ((more = run->next < run->workgroups && goes_on(run)) &&
           sam_private_is_taken(run, run->next))
        pthread_cond_wait(&run->turn, &run->lock);
    if (more) {
        worker->own.workgroup = (uint32_t)run->next++;
        worker->busy = true;
    }
    pthread_mutex_unlock(&run->lock);
    return more;
}

/* The number of workgroups to take at once, out of `left`. They are usually adjacent in memory.
 * Small enough that no worker still has many when the others have run out. */
static uint64_t run_length(const struct sam_run *run, uint64_t left)
{
    enum { SHARES = 16, MOST = 32 };
    const uint64_t length = left / ((uint64_t)run->worker_count * SHARES);
    return length < 1 ? 1 : length > MOST ? MOST : length;
}

/* Whether the worker should run its next workgroup. After a failure, only lower workgroups still
 * run, as with a single worker. */
static bool keeps_on(struct sam_worker *worker)
{
    struct sam_run *run = worker->run;
    if (goes_on(run))
        return true;
    pthread_mutex_lock(&run->lock);
    const bool before = run->failed && worker->next < run->trap.workgroup;
    pthread_mutex_unlock(&run->lock);
    return before && !sam_run_is_stopped(run) && run->host_status == SAM_OK;
}

/* Lock-free: small workgroups are so short that workers would contend for the lock. */
static bool take_any(struct sam_worker *worker)
{
    struct sam_run *run = worker->run;
    uint64_t next = __atomic_load_n(&run->next, __ATOMIC_RELAXED);
    while (worker->next == worker->end && next < run->workgroups && goes_on(run)) {
        const uint64_t end = next + run_length(run, run->workgroups - next);
        if (__atomic_compare_exchange_n(&run->next, &next, end, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            worker->next = next;
            worker->end = end;
        }
    }
    if (worker->next < worker->end && keeps_on(worker)) {
        worker->own.workgroup = (uint32_t)worker->next++;
        return true;
    }
    pthread_mutex_lock(&run->lock);
    add_progress(worker);
    pthread_mutex_unlock(&run->lock);
    return false;
}

/* Take the launch's next workgroup. Returns false if there is none or the launch has failed. */
static bool take_workgroup(struct sam_worker *worker)
{
    worker->own.has_turn = false;
    if (!(worker->run->ordered ? take_in_order(worker) : take_any(worker)))
        return false;
    worker->started = true;
    return true;
}

bool sam_worker_run_next(struct sam_worker *worker)
{
    struct sam_group *group = &worker->own;
    if (!take_workgroup(worker))
        return false;
    if (!sam_private_enter(worker, group->workgroup)) {
        sam_run_fail_host(worker->run, SAM_ERR_MEMORY, "out of memory");
        return true;
    }
    sam_group_start(worker, group);
    if (sam_group_run(worker, group) == SAM_PAUSE_ENDED)
        sam_run_tell(worker, 1);
    sam_space_clear_lds(worker, group);
    return true;
}

enum sam_status sam_check_lanes(uint32_t lanes, struct sam_error *error)
{
    if (lanes == 4 || lanes == 8 || lanes == 16 || lanes == 32)
        return SAM_OK;
    return sam_fail(error, SAM_ERR_USAGE, "%u threads per warp: expected 4, 8, 16 or 32", lanes);
}

static enum sam_status check_launch(const struct sam_launch *launch, uint64_t *workgroups,
                                    struct sam_error *error)
{
    if (sam_check_lanes(launch->lanes, error) != SAM_OK)
        return SAM_ERR_USAGE;
    if (!launch->warps || launch->warps > SAM_MAX_WARPS)
        return sam_fail(error, SAM_ERR_USAGE, "%u warps per workgroup: expected 1 to %u",
                        launch->warps, SAM_MAX_WARPS);
    *workgroups = 1;
    for (int i = 0; i < 3; i++) {
        *workgroups *= launch->grid[i];
        if (!launch->grid[i] || *workgroups > UINT32_MAX)
            return sam_fail(error, SAM_ERR_USAGE,
                            "grid %ux%ux%u: expected 1 to 2^32 - 1 workgroups", launch->grid[0],
                            launch->grid[1], launch->grid[2]);
    }
    return SAM_OK;
}

enum sam_status sam_gpu_check_launch(struct sam_gpu *gpu, const struct sam_launch *launch,
                                     struct sam_error *error)
{
    if (SAM_LACKS(error, gpu, launch))
        return SAM_ERR_USAGE;
    struct sam_run run = {.gpu = gpu, .launch = launch};
    enum sam_status status = check_launch(launch, &run.workgroups, error);
    if (status == SAM_OK)
        status = sam_private_fit(&run, error);
    return status == SAM_OK ? sam_run_check_timing(&run, error) : status;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum sam_status sam_run_open(struct sam_run *run, struct sam_gpu *gpu,
                             const struct sam_launch *launch, struct sam_error *error)
{
    *run = (struct sam_run){
        .gpu = gpu, .launch = launch, .started = now(), .recorded = gpu->options.timing != NULL};
    enum sam_status status = check_launch(launch, &run->workgroups, error);
    if (status == SAM_OK)
        status = sam_private_fit(run, error);
    if (status == SAM_OK)
        status = sam_run_check_timing(run, error);
    if (status != SAM_OK)
        return status;
    run->progress.workgroups = run->workgroups;
    sam_run_read_metadata(run);
    run->ordered = is_ordered(run);
    if (!sam_private_init(run))
        return sam_fail_memory(error);
    if (gpu->options.past_end)
        gpu->options.past_end->kind = SAM_TRAP_NONE;
    for (size_t i = 0; i < gpu->input_count; i++)
        gpu->inputs[i].kind = SAM_TRAP_NONE;
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->turn, NULL);
    return SAM_OK;
}

void sam_run_close(struct sam_run *run)
{
    sam_private_release(run);
    pthread_mutex_destroy(&run->lock);
    pthread_cond_destroy(&run->turn);
}

bool sam_worker_init(struct sam_worker *worker, struct sam_run *run)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    const bool counted = options->collect_stats || options->profile;
    worker->run = run;
    worker->access = run->gpu->access;
    worker->stepped = counted || options->log.write;
    return sam_space_init(worker) &&
           (worker->code =
                sam_code_new(sam_gpu_machine(run->gpu, run->launch->lanes), &worker->tlb)) &&
           (!counted || (worker->counts = sam_counts_new(run->launch->lanes))) &&
           (!options->log.write || (worker->log = sam_warp_log_new(run->gpu)));
}

void sam_worker_release(struct sam_worker *worker)
{
    sam_group_release(&worker->own);
    sam_code_free(worker->code);
    sam_space_release(worker);
    sam_counts_free(worker->counts);
    sam_sanitizing_close(worker);
    sam_warp_log_free(worker->log);
}

/* --------------------------------------------------------------------------------- results */

/* Add the workers' counts to the statistics and to options.profile. Returns false on
 * out-of-memory. */
static bool collect_counts(const struct sam_run *run, struct sam_gpu_stats *stats)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    struct sam_profile *profile = sam_profile_new();
    bool ok = profile != NULL;
    for (unsigned i = 0; ok && i < run->worker_count; i++)
        ok = !run->workers[i].counts ||
             sam_counts_collect(run->workers[i].counts, run->workers[i].code, profile,
                                &stats->simt_depth);
    if (ok && options->collect_stats)
        ok = sam_stats_fold(profile, &run->gpu->machine.isa, stats);
    else
        stats->simt_depth = 0;
    if (ok && run->given) /* only rows since the last collection */
        ok = sam_profile_subtract(profile, run->given) && sam_profile_merge(run->given, profile);
    if (ok && options->profile && options->timing)
        ok = sam_run_add_cycles(run, profile);
    if (ok && options->profile)
        ok = sam_profile_merge(options->profile, profile);
    sam_profile_free(profile);
    return ok;
}

static bool collect(const struct sam_run *run, struct sam_gpu_stats *stats)
{
    stats->workgroups = run->next;
    for (unsigned i = 0; i < run->worker_count; i++) {
        stats->warp_insns += run->workers[i].warp_insns;
        stats->workgroups -= run->workers[i].end - run->workers[i].next;
    }
    stats->warps = stats->workgroups * run->launch->warps;
    const bool ok = run->worker_count == 0 || !run->workers[0].counts || collect_counts(run, stats);
    stats->seconds = now() - run->started;
    return ok;
}

static int by_place(const void *a, const void *b)
{
    const struct sam_warp_place *x = a, *y = b;
    if (x->workgroup != y->workgroup)
        return x->workgroup < y->workgroup ? -1 : 1;
    return (x->warp > y->warp) - (x->warp < y->warp);
}

bool sam_run_places(const struct sam_run *run, const struct sam_group *group,
                    struct sam_gpu_result *result)
{
    const uint32_t warps = run->launch->warps;
    if (!run->failed
            ? !sam_run_is_stopped(run)
            : run->trap.kind != SAM_TRAP_DEADLOCK || group->workgroup != run->trap.workgroup)
        return true;
    struct sam_warp_place *grown =
        realloc(result->places, (result->place_count + warps) * sizeof *grown);
    if (!grown)
        return false;
    result->places = grown;
    for (uint32_t k = 0; k < warps; k++) {
        const struct sam_warp *w = &group->warps[k];
        const bool waits = w->state == SAM_WARP_WAITS;
        if (w->state != SAM_WARP_ENDED)
            result->places[result->place_count++] =
                (struct sam_warp_place){.workgroup = group->workgroup,
                                        .warp = k,
                                        .pc = waits ? w->barrier_pc : (uint32_t)w->core.pc,
                                        .waits = waits};
    }
    if (result->place_count == 0) {
        free(result->places);
        result->places = NULL;
        return true;
    }
    qsort(result->places, result->place_count, sizeof *result->places, by_place);
    return true;
}

bool sam_run_result(const struct sam_run *run, struct sam_gpu_result *result)
{
    result->trap = run->trap;
    return collect(run, &result->stats);
}

enum sam_status sam_run_outcome(const struct sam_run *run, struct sam_error *error)
{
    if (run->host_status != SAM_OK)
        return sam_fail(error, run->host_status, "%s", run->host_error.text);
    if (run->failed) {
        char text[512];
        sam_trap_describe(&run->trap, run->launch->image, text, sizeof text);
        return sam_fail(error, SAM_ERR_TRAP, "%s", text);
    }
    if (sam_run_is_stopped(run))
        return sam_fail(error, SAM_ERR_STOPPED, "stopped after %llu of %llu workgroups",
                        (unsigned long long)run->progress.done,
                        (unsigned long long)run->progress.workgroups);
    return SAM_OK;
}

/* Flush the commit log, which a single worker writes. */
static void flush_log(struct sam_run *run)
{
    struct sam_warp_log *log = run->workers[0].log;
    if (log && !sam_warp_log_flush(log))
        sam_run_fail_host(run, SAM_ERR_IO, SAM_WARP_LOG_REFUSED);
}

bool sam_run_collect(struct sam_run *run, struct sam_gpu_result *result)
{
    struct sam_gpu_result ignored = {0}; /* a profile is collected even without a result */
    flush_log(run);
    bool ok = sam_run_result(run, result ? result : &ignored);
    sam_gpu_result_free(&ignored);
    /* A failed or stopped workgroup is still held by its worker. */
    for (unsigned i = 0; ok && result && i < run->worker_count; i++)
        if (run->workers[i].started)
            ok = sam_run_places(run, &run->workers[i].own, result);
    return ok;
}

/* Instrument the worker's code. Counting, the log or a sanitizer alone needs no single steps,
 * unless time slices are single instructions or the launch is recorded. Returns false on
 * out-of-memory. */
static bool choose_handlers(struct sam_worker *worker)
{
    const struct sam_gpu_options *options = &worker->run->gpu->options;
    const bool by_turns = options->schedule == SAM_SCHEDULE_RR1;
    if (options->sanitizer) {
        worker->stepped = worker->stepped || by_turns || worker->run->recorded;
        return sam_sanitizing_open(worker, worker->stepped);
    }
    if (by_turns || worker->run->recorded || (worker->counts && worker->log))
        return true;
    if (worker->counts)
        sam_counts_in_runs(worker->counts, worker->code);
    if (worker->log)
        sam_warp_log_in_runs(worker->log, worker->code);
    worker->stepped = false;
    return true;
}

static bool open_worker(struct sam_worker *worker, struct sam_run *run)
{
    return sam_worker_open(worker, run) && choose_handlers(worker);
}

/* Run worker `i` on this thread, in the core's floating-point environment, which is then not set
 * for each of the many runs of a workgroup. The first worker is already open. */
static void work(void *context, size_t i, unsigned thread)
{
    struct sam_run *run = context;
    struct sam_worker *worker = &run->workers[i];
    (void)thread;
    if (i && !run->ordered && __atomic_load_n(&run->next, __ATOMIC_RELAXED) >= run->workgroups)
        return; /* nothing is left to run */
    if (i && !open_worker(worker, run)) {
        sam_run_fail_host(run, SAM_ERR_MEMORY, "out of memory");
        return;
    }
    const sam_host_fp host = sam_host_fp_enter();
    sam_space_touch(worker);
    worker->entered = !worker->sanitizer && !worker->log; /* callbacks may change the environment */
    while (sam_worker_run_next(worker))
        ;
    worker->entered = false;
    sam_host_fp_leave(host);
}

/* Run all workers. Returns false on out-of-memory. */
static bool run_workers(struct sam_run *run)
{
    if (run->recorded)
        return sam_run_timed(run);
    if (run->worker_count == 1) {
        work(run, 0, 0);
        return true;
    }
    if (!run->gpu->crew)
        run->gpu->crew = sam_parallel_crew_new();
    if (!run->gpu->crew)
        return false;
    sam_parallel_crew_run(run->gpu->crew, run->worker_count, run->worker_count, work, run);
    return true;
}

static unsigned job_count(const struct sam_run *run)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    const bool alone = options->log.write || options->sanitizer || run->recorded;
    const unsigned jobs = options->jobs && !alone ? options->jobs : 1;
    return jobs < run->workgroups ? jobs : (unsigned)run->workgroups;
}

bool sam_run_prepare(struct sam_run *run)
{
    return sam_workers_find(run, job_count(run)) && open_worker(&run->workers[0], run) &&
           sam_sanitizing_begin(run);
}

void sam_run_expect(struct sam_gpu *gpu, const struct sam_launch *launch)
{
    struct sam_run run = {.gpu = gpu, .launch = launch};
    if (check_launch(launch, &run.workgroups, NULL) == SAM_OK)
        sam_workers_expect(gpu, launch, job_count(&run));
}

enum sam_status sam_gpu_launch(struct sam_gpu *gpu, const struct sam_launch *launch,
                               struct sam_gpu_result *result, struct sam_error *error)
{
    struct sam_run run;
    if (result)
        *result = (struct sam_gpu_result){0};
    if (SAM_LACKS(error, gpu, launch))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_run_open(&run, gpu, launch, error);
    if (status != SAM_OK)
        return status;
    bool ok = sam_run_prepare(&run) && run_workers(&run);
    ok = ok && sam_run_collect(&run, result);
    ok = sam_sanitizing_end(&run) && ok;
    if (ok)
        status = sam_run_outcome(&run, error);
    sam_workers_leave(&run);
    sam_run_close(&run);
    return ok ? status : sam_fail_memory(error);
}

void sam_gpu_result_free(struct sam_gpu_result *result)
{
    if (!result)
        return;
    free(result->stats.branches);
    free(result->stats.mix);
    free(result->places);
    *result = (struct sam_gpu_result){0};
}
