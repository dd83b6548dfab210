/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps workers between launches: otherwise every launch would allocate a TLB and registers and
 * decode its code, which can take longer than running a single workgroup.
 *
 * No state of a launch may be visible in the next: the TLB starts empty, and decoded code is kept
 * only where memory still holds the same words. */
#include <stdlib.h>

#include "simt/simt.h"

struct sam_kept {
    struct sam_worker *workers; /* those without `code` are not initialised */
    unsigned count;
    bool loose;     /* options.loose_bounds */
    uint32_t lanes; /* of the warps for which code was decoded */
    bool unseen;    /* the last launch may have used pages that no TLB maps */
};

/* Whether workers of this run can be kept: nothing about them is specific to it. */
static bool is_plain(const struct sam_run *run)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    return !run->recorded && !options->sv39 && !options->collect_stats && !options->profile &&
           !options->log.write && !options->sanitizer;
}

static void release(struct sam_worker *workers, unsigned count)
{
    for (unsigned i = 0; workers && i < count; i++)
        if (workers[i].code)
            sam_worker_release(&workers[i]);
    free(workers);
}

void sam_workers_forget(struct sam_gpu *gpu)
{
    struct sam_kept *kept = gpu->kept;
    if (!kept)
        return;
    release(kept->workers, kept->count);
    free(kept);
    gpu->kept = NULL;
}

bool sam_workers_touched(const struct sam_gpu *gpu, uint32_t page)
{
    const struct sam_kept *kept = gpu->kept;
    bool touched = !kept || kept->unseen;
    for (unsigned i = 0; !touched && i < kept->count; i++)
        touched = kept->workers[i].code &&
                  kept->workers[i].tlb.entries[page / SAM_PAGE_SIZE].host != NULL;
    return touched;
}

/* The fetchable part of the page of `pc`, in one buffer, at or after `pc`. */
static struct sam_code_part look(void *context, uint64_t pc)
{
    const struct sam_gpu *gpu = context;
    const uint64_t page = pc & ~(uint64_t)(SAM_PAGE_SIZE - 1);
    const struct sam_region *region = sam_memory_next(gpu->memory, pc);
    struct sam_code_part part = {.page = sam_memory_host(gpu->memory, page)};
    if (part.page && gpu->options.loose_bounds) {
        part.end = SAM_PAGE_SIZE;
    } else if (part.page && region && region->base < page + SAM_PAGE_SIZE) {
        const uint64_t rest = region->base + region->size - page;
        part.begin = region->base > page ? (uint32_t)(region->base - page) : 0;
        part.end = rest < SAM_PAGE_SIZE ? (uint32_t)rest : SAM_PAGE_SIZE;
    }
    return part;
}

/* ---------------------------------------------------------------------------- for a launch */

/* Reset the fields that other threads read before the worker is opened, and check decoded code
 * before memory changes. */
static void begin_again(struct sam_worker *worker, struct sam_gpu *gpu)
{
    if (worker->code)
        sam_code_refresh(worker->code, look, gpu);
    worker->busy = worker->started = worker->own.has_turn = false;
    worker->next = worker->end = 0;
    worker->warp_insns = worker->untold_insns = worker->untold_groups = 0;
}

bool sam_worker_open(struct sam_worker *worker, struct sam_run *run)
{
    worker->run = run;
    worker->group = NULL;
    if (worker->code) {
        sam_space_clear(worker);
    } else if (!sam_worker_init(worker, run)) {
        sam_worker_release(worker);
        sam_clear(worker, sizeof *worker);
        return false;
    } else {
        sam_code_translate(worker->code, run->gpu->jit);
    }
    worker->tlb.asks_slack = run->gpu->options.past_end != NULL;
    const bool fits = sam_group_fit(&worker->own, run);
    sam_space_enter(worker, &worker->own);
    return fits;
}

static bool is_kept_for(const struct sam_kept *kept, const struct sam_run *run)
{
    return kept->loose == run->gpu->options.loose_bounds && kept->lanes == run->launch->lanes;
}

/* Allocate as many workers as launches may ask for. */
static struct sam_kept *new_kept(const struct sam_run *run, unsigned count)
{
    const struct sam_gpu *gpu = run->gpu;
    struct sam_kept *kept = sam_alloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    kept->loose = gpu->options.loose_bounds;
    kept->lanes = run->launch->lanes;
    kept->count = gpu->options.jobs > count ? gpu->options.jobs : count;
    kept->workers = sam_alloc(kept->count, sizeof *kept->workers);
    if (!kept->workers) {
        free(kept);
        return NULL;
    }
    return kept;
}

bool sam_workers_find(struct sam_run *run, unsigned count)
{
    struct sam_gpu *gpu = run->gpu;
    const bool plain = is_plain(run);
    if (gpu->kept && (!plain || gpu->kept->count < count || !is_kept_for(gpu->kept, run)))
        sam_workers_forget(gpu);
    if (plain && !gpu->kept)
        gpu->kept = new_kept(run, count);
    run->workers = gpu->kept ? gpu->kept->workers
                   : plain   ? NULL
                             : sam_alloc(count, sizeof *run->workers);
    run->worker_count = run->workers ? count : 0;
    for (unsigned i = 0; i < run->worker_count; i++)
        begin_again(&run->workers[i], gpu);
    return run->workers != NULL;
}

void sam_workers_leave(struct sam_run *run)
{
    struct sam_kept *kept = run->gpu->kept;
    if (kept)
        kept->unseen = run->print_size || run->pds_parts;
    else
        release(run->workers, run->worker_count);
}

/* Prepare worker `i` ahead of a launch. The caller of a crew prepares only the first: the others
 * take as long, and their threads, which have yet to start, can do it. */
static void open_ahead(void *context, size_t i, unsigned thread)
{
    struct sam_run *run = context;
    struct sam_worker *worker = &run->workers[i];
    if ((i == 0 || thread) && sam_worker_open(worker, run))
        sam_space_touch(worker);
    worker->run = NULL; /* this run exists only for the preparation */
}

void sam_workers_expect(struct sam_gpu *gpu, const struct sam_launch *launch, unsigned count)
{
    struct sam_run run = {.gpu = gpu, .launch = launch, .recorded = gpu->options.timing != NULL};
    if (!is_plain(&run))
        return;
    const struct sam_kept *kept = gpu->kept;
    const bool ready = kept && is_kept_for(kept, &run) && kept->workers[0].code &&
                       kept->workers[0].own.room >= launch->warps;
    const bool together = count > 1 && gpu->crew;
    if (ready && together)
        sam_parallel_crew_call(gpu->crew);
    if (ready || !sam_workers_find(&run, count))
        return;
    if (together)
        sam_parallel_crew_run(gpu->crew, count, count, open_ahead, &run);
    else
        open_ahead(&run, 0, 0);
}
