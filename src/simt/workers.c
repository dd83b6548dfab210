/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that outlive their launch. A host that launches often would otherwise pay for the view,
 * the registers and the decoding each time; a launch of one workgroup takes less than they do.
 *
 * Nothing that a launch leaves behind may show in the next one: the view starts empty, and decoded
 * code is kept only where memory still has the words that it came from, as far as they can be
 * fetched. */
#include <stdlib.h>

#include "simt/simt.h"

struct sam_kept {
    struct sam_worker *workers;
    unsigned count;
    bool loose;  /* options.loose_bounds */
    bool unseen; /* the last launch had pages that its views do not show */
};

/* Launches whose workers have nothing that is only theirs. */
static bool is_plain(const struct sam_run *run)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    return !run->recorded && !options->sv39 && !options->collect_stats && !options->profile &&
           !options->log.write && !options->sanitizer;
}

static void release(struct sam_worker *workers, unsigned count)
{
    for (unsigned i = 0; workers && i < count; i++)
        if (workers[i].run)
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
        touched = kept->workers[i].view.pages[page / SAM_PAGE_SIZE].host != NULL;
    return touched;
}

/* The part of a page at or after `pc` that instructions can be fetched from: that in one buffer. */
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

static void begin_again(struct sam_worker *worker, struct sam_run *run)
{
    worker->run = run;
    worker->group = NULL;
    worker->busy = worker->started = worker->own.has_turn = false;
    worker->next = worker->end = 0;
    worker->warp_insns = worker->untold_insns = worker->untold_groups = 0;
    sam_space_clear(worker);
    sam_space_enter(worker, &worker->own);
}

bool sam_workers_open(struct sam_run *run, unsigned count)
{
    struct sam_gpu *gpu = run->gpu;
    struct sam_kept *kept = gpu->kept;
    if (kept &&
        (!is_plain(run) || kept->count < count || kept->loose != gpu->options.loose_bounds)) {
        sam_workers_forget(gpu);
        kept = NULL;
    }
    run->worker_count = count;
    if (kept) {
        run->workers = kept->workers;
        bool fits = true;
        for (unsigned i = 0; i < count; i++) {
            sam_code_refresh(run->workers[i].code, look, gpu);
            begin_again(&run->workers[i], run);
            fits = sam_group_fit(&run->workers[i].own, run) && fits;
        }
        return fits;
    }
    run->workers = sam_alloc(count, sizeof *run->workers);
    for (unsigned i = 0; run->workers && i < count; i++) {
        struct sam_worker *worker = &run->workers[i];
        if (!sam_worker_init(worker, run) || !sam_group_fit(&worker->own, run))
            return false;
        sam_space_enter(worker, &worker->own);
    }
    return run->workers != NULL;
}

void sam_workers_close(struct sam_run *run)
{
    struct sam_gpu *gpu = run->gpu;
    struct sam_kept *kept = gpu->kept;
    if (!kept && run->workers && is_plain(run) && run->workers[run->worker_count - 1].own.warps)
        kept = gpu->kept = sam_alloc(1, sizeof *kept);
    if (!kept) {
        release(run->workers, run->worker_count);
        return;
    }
    kept->loose = gpu->options.loose_bounds;
    kept->unseen = run->print_size || run->pds_parts;
    if (!kept->workers) {
        kept->workers = run->workers;
        kept->count = run->worker_count;
    }
}
