/* SPDX-License-Identifier: Apache-2.0 */
/* A launch: workers take workgroups in order; the warps of a workgroup take turns. */
#include <stdlib.h>
#include <time.h>

#include "base/cpu.h"
#include "simt/simt.h"

#define QUANTUM 65536 /* instructions per turn of a warp, unless something ends it earlier */

/* --------------------------------------------------------------------------------- traps */

static enum sam_trap_kind kind_of(unsigned cause)
{
    switch (cause) {
    case SAM_CAUSE_FETCH_MISALIGNED: return SAM_TRAP_FETCH_MISALIGNED;
    case SAM_CAUSE_FETCH_ACCESS: return SAM_TRAP_FETCH;
    case SAM_CAUSE_LOAD_MISALIGNED: return SAM_TRAP_LOAD_MISALIGNED;
    case SAM_CAUSE_LOAD_ACCESS: return SAM_TRAP_LOAD_FAULT;
    case SAM_CAUSE_STORE_MISALIGNED: return SAM_TRAP_STORE_MISALIGNED;
    case SAM_CAUSE_STORE_ACCESS: return SAM_TRAP_STORE_FAULT;
    case SAM_CAUSE_FETCH_PAGE: return SAM_TRAP_FETCH_PAGE;
    case SAM_CAUSE_LOAD_PAGE: return SAM_TRAP_LOAD_PAGE;
    case SAM_CAUSE_STORE_PAGE: return SAM_TRAP_STORE_PAGE;
    case SAM_CAUSE_PRIVATE: return SAM_TRAP_PRIVATE_RANGE;
    case SAM_CAUSE_STACK: return SAM_TRAP_STACK_OVERFLOW;
    case SAM_CAUSE_ENDPRG: return SAM_TRAP_ENDPRG_DIVERGED;
    case SAM_CAUSE_BARRIER: return SAM_TRAP_BARRIER_DIVERGED;
    case SAM_CAUSE_DEADLOCK: return SAM_TRAP_DEADLOCK;
    case SAM_CAUSE_BUDGET: return SAM_TRAP_BUDGET;
    case SAM_CAUSE_PRINT: return SAM_TRAP_PRINT_FULL;
    default: return SAM_TRAP_ILLEGAL;
    }
}

/* Record the warp's failure, unless a lower workgroup has already failed. */
static void fail(struct sam_worker *worker, struct sam_warp *warp, unsigned cause, uint64_t tval)
{
    struct sam_run *run = worker->run;
    struct sam_trap trap = {.kind = kind_of(cause),
                            .workgroup = worker->workgroup,
                            .warp = warp->wid,
                            .lane = warp->core.fault_lane,
                            .lanes = warp->simt,
                            .pc = (uint32_t)warp->core.pc,
                            .tval = tval};
    struct sam_fault fault;
    memcpy(trap.group, warp->group, sizeof trap.group);
    if (trap.pc % 4 || !sam_code_fetch(&warp->core, trap.pc, &trap.word, &fault))
        trap.word = 0;
    pthread_mutex_lock(&run->lock);
    if (!run->failed || trap.workgroup < run->trap.workgroup)
        run->trap = trap;
    run->failed = true;
    pthread_mutex_unlock(&run->lock);
}

static void fail_host(struct sam_run *run, enum sam_status status, const char *text)
{
    pthread_mutex_lock(&run->lock);
    if (run->host_status == SAM_OK)
        run->host_status = sam_fail(&run->host_error, status, "%s", text);
    pthread_mutex_unlock(&run->lock);
}

/* -------------------------------------------------------------------------------- printing */

/* Whether all lower workgroups have ended. Workgroups are handed out in order, so the lowest
 * running one never waits. */
static bool is_first(const struct sam_run *run, uint32_t workgroup)
{
    for (unsigned i = 0; i < run->worker_count; i++)
        if (run->workers[i].busy && run->workers[i].workgroup < workgroup)
            return false;
    return true;
}

void sam_run_wait_turn(struct sam_worker *worker)
{
    struct sam_run *run = worker->run;
    if (worker->has_turn)
        return;
    pthread_mutex_lock(&run->lock);
    while (!is_first(run, worker->workgroup))
        pthread_cond_wait(&run->turn, &run->lock);
    pthread_mutex_unlock(&run->lock);
    worker->has_turn = true;
}

/* Write bytes to the sink, each line prefixed with "[workgroup.warp] " if requested. */
static bool print_bytes(struct sam_run *run, const struct sam_warp *warp, const char *text,
                        size_t size)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    struct sam_buffer out = {0};
    for (size_t i = 0; i < size; i++) {
        if (options->print_prefix && !run->print_line_open)
            sam_buffer_printf(&out, "[%u.%u] ", warp->wgid, warp->wid);
        run->print_line_open = text[i] != '\n';
        sam_buffer_append(&out, text + i, 1);
    }
    bool ok = !out.failed && (!options->print.write ||
                              options->print.write(options->print.context, out.data, out.size));
    sam_buffer_free(&out);
    return ok;
}

bool sam_run_print(struct sam_worker *worker, struct sam_warp *warp)
{
    struct sam_run *run = worker->run;
    warp->print = 0;
    if (run->print_size < 4)
        return true; /* the launch has no print buffer */
    sam_run_wait_turn(worker);
    uint8_t word[4];
    struct sam_memory *memory = run->gpu->memory;
    if (!sam_memory_read(memory, run->print_base, word, 4)) {
        fail_host(run, SAM_ERR_MEMORY, "out of memory");
        return false;
    }
    uint32_t index = sam_le32(word), room = run->print_size - 4;
    if (index > room) {
        fail(worker, warp, SAM_CAUSE_PRINT, index);
        return false;
    }
    uint32_t from = run->print_shown <= index ? run->print_shown : 0;
    char *text = malloc(index - from + 1);
    bool ok =
        text && sam_memory_read(memory, (uint64_t)run->print_base + 4 + from, text, index - from);
    if (!ok)
        fail_host(run, SAM_ERR_MEMORY, "out of memory");
    else if (!(ok = print_bytes(run, warp, text, index - from)))
        fail_host(run, SAM_ERR_IO, "cannot write the kernel's prints");
    free(text);
    run->print_shown = index;
    return ok;
}

/* ------------------------------------------------------------------------------ workgroups */

static void start_warps(struct sam_worker *worker)
{
    const struct sam_launch *launch = worker->run->launch;
    const struct sam_gpu_options *options = &worker->run->gpu->options;
    uint32_t wg = worker->workgroup;
    for (uint32_t i = 0; i < launch->warps; i++) {
        struct sam_warp *w = &worker->warps[i];
        sam_warp_reset(w, launch);
        w->core.hartid = w->wid = i;
        w->tid = i * launch->lanes;
        w->numw = launch->warps;
        w->knl = launch->metadata;
        w->wgid = wg;
        w->lds = SAM_LDS_BASE;
        w->pds = launch->pds_base +
                 (options->shared_pds ? 0 : wg * launch->warps * launch->lanes * launch->pds_size);
        w->pds_size = launch->pds_size;
        w->group[0] = wg % launch->grid[0];
        w->group[1] = wg / launch->grid[0] % launch->grid[1];
        w->group[2] = wg / launch->grid[0] / launch->grid[1];
        w->stack_limit = options->simt_stack_limit ? options->simt_stack_limit : 65536;
    }
}

/* Report progress; `ended` more workgroups have finished. */
static void tell_progress(struct sam_worker *worker, unsigned ended)
{
    struct sam_run *run = worker->run;
    const struct sam_gpu_options *options = &run->gpu->options;
    pthread_mutex_lock(&run->lock);
    run->progress.done += ended;
    run->progress.warp_insns += worker->untold_insns;
    if (options->progress)
        options->progress(options->progress_context, &run->progress);
    pthread_mutex_unlock(&run->lock);
    worker->untold_insns = 0;
}

/* One turn of a ready warp. False: the workgroup has failed. */
static bool run_warp(struct sam_worker *worker, struct sam_warp *w)
{
    const struct sam_gpu_options *options = &worker->run->gpu->options;
    bool one = options->schedule == SAM_SCHEDULE_RR1;
    int64_t turn = one ? 1 : QUANTUM;
    while (turn > 0) {
        int64_t budget = turn;
        if (options->max_insns) {
            if (w->core.retired >= options->max_insns)
                return fail(worker, w, SAM_CAUSE_BUDGET, options->max_insns), false;
            if ((uint64_t)budget > options->max_insns - w->core.retired)
                budget = (int64_t)(options->max_insns - w->core.retired);
        }
        uint64_t before = w->core.retired;
        enum sam_exit exit = worker->observer ? sam_observer_step(worker->observer, w)
                             : one            ? sam_core_step(&w->core, NULL)
                                              : sam_core_run(&w->core, budget);
        turn -= (int64_t)(w->core.retired - before);
        worker->untold_insns += w->core.retired - before;
        if (options->progress && worker->untold_insns >= QUANTUM)
            tell_progress(worker, 0);
        if (exit == SAM_EXIT_TRAP && worker->view.exhausted)
            return fail_host(worker->run, SAM_ERR_MEMORY, "out of memory"), false;
        if (exit == SAM_EXIT_TRAP)
            return fail(worker, w, w->core.cause, w->core.tval), false;
        if (worker->observer && sam_observer_failed(worker->observer))
            return fail_host(worker->run, SAM_ERR_IO, "cannot write the commit log"), false;
        if (exit == SAM_EXIT_BUDGET)
            continue;
        if (w->core.event == SAM_EVENT_PRINT) {
            if (!sam_run_print(worker, w))
                return false;
            continue;
        }
        w->state = w->core.event == SAM_EVENT_END ? SAM_WARP_ENDED : SAM_WARP_WAITS;
        return true;
    }
    return true;
}

/* Called when every unfinished warp waits: release them if they all wait at the same barrier.
 * Otherwise they wait forever (Ventus 4.2.4): the workgroup has failed, return false. */
static bool release_barrier(struct sam_worker *worker, uint32_t warps)
{
    struct sam_warp *first = NULL;
    for (uint32_t i = 0; i < warps; i++) {
        struct sam_warp *w = &worker->warps[i];
        if (w->state != SAM_WARP_WAITS)
            continue;
        if (!first)
            first = w;
        if (w->barrier_pc != first->barrier_pc) {
            first->core.pc = first->barrier_pc;
            return fail(worker, first, SAM_CAUSE_DEADLOCK, w->barrier_pc), false;
        }
    }
    for (uint32_t i = 0; i < warps; i++)
        if (worker->warps[i].state == SAM_WARP_WAITS)
            worker->warps[i].state = SAM_WARP_READY;
    return true;
}

static bool stopped(const struct sam_run *run)
{
    const volatile int *stop = run->gpu->options.stop;
    return stop && *stop;
}

static void run_workgroup(struct sam_worker *worker)
{
    uint32_t warps = worker->run->launch->warps;
    bool ended = false;
    start_warps(worker);
    for (bool running = true; running;) {
        uint32_t ready = 0, waiting = 0;
        for (uint32_t i = 0; running && i < warps; i++) {
            struct sam_warp *w = &worker->warps[i];
            if (w->state == SAM_WARP_READY)
                running = !stopped(worker->run) && run_warp(worker, w);
            ready += w->state == SAM_WARP_READY;
            waiting += w->state == SAM_WARP_WAITS;
        }
        ended = running && !ready && !waiting;
        if (running && !ready)
            running = waiting && release_barrier(worker, warps);
    }
    if (ended)
        tell_progress(worker, 1);
    for (uint32_t i = 0; i < warps; i++)
        worker->warp_insns += worker->warps[i].core.retired;
    sam_space_clear_lds(worker);
}

/* --------------------------------------------------------------------------------- workers */

/* The next workgroup of the launch; false when there is none or the launch has failed. */
static bool take_workgroup(struct sam_worker *worker)
{
    struct sam_run *run = worker->run;
    pthread_mutex_lock(&run->lock);
    worker->busy = false;
    worker->has_turn = false;
    bool more =
        run->next < run->workgroups && !run->failed && run->host_status == SAM_OK && !stopped(run);
    if (more) {
        worker->workgroup = (uint32_t)run->next++;
        worker->busy = worker->started = true;
    }
    pthread_cond_broadcast(&run->turn);
    pthread_mutex_unlock(&run->lock);
    return more;
}

static void work(void *run, size_t i, unsigned thread)
{
    struct sam_worker *worker = &((struct sam_run *)run)->workers[i];
    (void)thread;
    while (take_workgroup(worker))
        run_workgroup(worker);
}

static bool init_worker(struct sam_worker *worker, struct sam_run *run)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    const struct sam_launch *launch = run->launch;
    worker->run = run;
    if (!sam_space_init(worker) ||
        !(worker->code = sam_code_new(&run->gpu->machine, &worker->view)))
        return false;
    /* Pages of registers that no instruction names are never touched. */
    worker->warps = sam_pages_new(launch->warps * sizeof *worker->warps);
    if (!worker->warps)
        return false;
    for (uint32_t i = 0; i < launch->warps; i++)
        worker->warps[i].worker = worker;
    if (!options->collect_stats && !options->log.write)
        return true;
    return (worker->observer = sam_observer_new(run->gpu, launch)) != NULL;
}

static void release_worker(struct sam_worker *worker)
{
    for (uint32_t i = 0; worker->warps && i < worker->run->launch->warps; i++)
        sam_warp_release(&worker->warps[i]);
    sam_pages_free(worker->warps, worker->run->launch->warps * sizeof *worker->warps);
    sam_code_free(worker->code);
    sam_space_release(worker);
    sam_observer_free(worker->observer);
}

static enum sam_status check_launch(const struct sam_launch *launch, uint64_t *workgroups,
                                    struct sam_error *error)
{
    uint32_t lanes = launch->lanes;
    if (lanes != 4 && lanes != 8 && lanes != 16 && lanes != 32)
        return sam_fail(error, SAM_ERR_USAGE, "%u threads per warp: expected 4, 8, 16 or 32",
                        lanes);
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

/* The print buffer that the metadata names (bytes 48 and 52), if all of it is mapped. */
static bool find_print(struct sam_run *run)
{
    struct sam_memory *memory = run->gpu->memory;
    uint8_t words[8];
    const struct sam_region *region = sam_memory_find(memory, run->launch->metadata);
    if (!region || region->base + region->size - run->launch->metadata < 56)
        return true;
    if (!sam_memory_read(memory, (uint64_t)run->launch->metadata + 48, words, 8))
        return false;
    uint32_t base = sam_le32(words), size = sam_le32(words + 4);
    region = sam_memory_find(memory, base);
    if (base && region && region->size - (base - region->base) >= size) {
        run->print_base = base;
        run->print_size = size;
    }
    return true;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool collect(struct sam_run *run, struct sam_gpu_stats *stats, double started)
{
    bool ok = true;
    stats->workgroups = run->next;
    stats->warps = run->next * run->launch->warps;
    for (unsigned i = 0; i < run->worker_count; i++) {
        stats->warp_insns += run->workers[i].warp_insns;
        if (run->workers[i].observer)
            ok &= sam_observer_collect(run->workers[i].observer, stats);
    }
    stats->seconds = now() - started;
    return ok;
}

static int by_place(const void *a, const void *b)
{
    const struct sam_warp_place *x = a, *y = b;
    if (x->workgroup != y->workgroup)
        return x->workgroup < y->workgroup ? -1 : 1;
    return (x->warp > y->warp) - (x->warp < y->warp);
}

/* Whether to report the places of this worker's warps. A worker keeps the workgroup that failed or
 * was stopped. */
static bool is_placed(const struct sam_run *run, const struct sam_worker *worker)
{
    if (!worker->started)
        return false;
    if (run->failed)
        return run->trap.kind == SAM_TRAP_DEADLOCK && worker->workgroup == run->trap.workgroup;
    return stopped(run);
}

/* False: out of memory. */
static bool collect_places(const struct sam_run *run, struct sam_gpu_result *result)
{
    uint32_t warps = run->launch->warps;
    size_t room = 0;
    for (unsigned i = 0; i < run->worker_count; i++)
        room += is_placed(run, &run->workers[i]) ? warps : 0;
    if (room == 0)
        return true;
    result->places = sam_alloc(room, sizeof *result->places);
    if (!result->places)
        return false;
    for (unsigned i = 0; i < run->worker_count; i++) {
        const struct sam_worker *worker = &run->workers[i];
        for (uint32_t k = 0; is_placed(run, worker) && k < warps; k++) {
            const struct sam_warp *w = &worker->warps[k];
            const bool waits = w->state == SAM_WARP_WAITS;
            if (w->state != SAM_WARP_ENDED)
                result->places[result->place_count++] =
                    (struct sam_warp_place){.workgroup = worker->workgroup,
                                            .warp = k,
                                            .pc = waits ? w->barrier_pc : (uint32_t)w->core.pc,
                                            .waits = waits};
        }
    }
    qsort(result->places, result->place_count, sizeof *result->places, by_place);
    return true;
}

static enum sam_status outcome(const struct sam_run *run, struct sam_error *error)
{
    if (run->host_status != SAM_OK)
        return sam_fail(error, run->host_status, "%s", run->host_error.text);
    if (run->failed) {
        char text[512];
        sam_trap_describe(&run->trap, run->launch->image, text, sizeof text);
        return sam_fail(error, SAM_ERR_TRAP, "%s", text);
    }
    if (stopped(run))
        return sam_fail(error, SAM_ERR_STOPPED, "stopped after %llu of %llu workgroups",
                        (unsigned long long)run->progress.done,
                        (unsigned long long)run->workgroups);
    return SAM_OK;
}

enum sam_status sam_gpu_launch(struct sam_gpu *gpu, const struct sam_launch *launch,
                               struct sam_gpu_result *result, struct sam_error *error)
{
    double started = now();
    struct sam_run run = {.gpu = gpu, .launch = launch};
    if (result)
        *result = (struct sam_gpu_result){0};
    enum sam_status status = check_launch(launch, &run.workgroups, error);
    if (status != SAM_OK)
        return status;
    run.progress.workgroups = run.workgroups;
    unsigned jobs = gpu->options.jobs && !gpu->options.log.write ? gpu->options.jobs : 1;
    run.worker_count = jobs < run.workgroups ? jobs : (unsigned)run.workgroups;
    run.workers = sam_alloc(run.worker_count, sizeof *run.workers);
    bool ok = run.workers && find_print(&run);
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.turn, NULL);
    for (unsigned i = 0; ok && i < run.worker_count; i++)
        ok = init_worker(&run.workers[i], &run);
    if (ok) {
        sam_parallel(run.worker_count, run.worker_count, work, &run);
        status = outcome(&run, error);
        if (result) {
            result->trap = run.trap;
            ok = collect(&run, &result->stats, started) && collect_places(&run, result);
        }
    }
    for (unsigned i = 0; run.workers && i < run.worker_count; i++)
        if (run.workers[i].run)
            release_worker(&run.workers[i]);
    free(run.workers);
    pthread_mutex_destroy(&run.lock);
    pthread_cond_destroy(&run.turn);
    return ok ? status : sam_fail_memory(error);
}

void sam_gpu_result_free(struct sam_gpu_result *result)
{
    free(result->stats.branches);
    free(result->stats.mix);
    free(result->places);
    *result = (struct sam_gpu_result){0};
}
