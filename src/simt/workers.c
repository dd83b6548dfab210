/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that outlive their launch. A host that launches often would otherwise pay for the view,
 * the registers and the decoding each time; a launch of one workgroup takes less than they do.
 *
 * Nothing that a launch leaves behind may show in the next one: the view starts empty, and decoded
 * code is kept only while the bytes it came from, and the buffers they are in, are the same. */
#include <stdlib.h>

#include "simt/simt.h"

struct sam_kept {
    struct sam_worker *workers;
    unsigned count;
    uint32_t warps;         /* of their groups */
    bool loose;             /* options.loose_bounds */
    struct sam_buffer code; /* of a single worker: what its decoded pages showed */
};

/* Launches whose workers have nothing that is only theirs. */
static bool is_plain(const struct sam_run *run)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    return !run->recorded && !options->sv39 && !options->collect_stats && !options->profile &&
           !options->log.write && !options->sanitizer;
}

static void release(struct sam_worker *workers, unsigned count, struct sam_run *run)
{
    for (unsigned i = 0; workers && i < count; i++) {
        if (!workers[i].run)
            continue;
        workers[i].run = run;
        sam_worker_release(&workers[i]);
    }
    free(workers);
}

void sam_workers_forget(struct sam_gpu *gpu)
{
    struct sam_kept *kept = gpu->kept;
    if (!kept)
        return;
    struct sam_launch launch = {.warps = kept->warps};
    struct sam_run run = {.gpu = gpu, .launch = &launch};
    release(kept->workers, kept->count, &run);
    sam_buffer_free(&kept->code);
    free(kept);
    gpu->kept = NULL;
}

/* ----------------------------------------------------------------------- what code came from */

struct picture {
    struct sam_memory *memory;
    struct sam_buffer *out;
};

/* A page of code and the buffers that it is in. */
static void draw_page(void *context, uint64_t pc)
{
    const struct picture *picture = context;
    uint8_t bytes[SAM_PAGE_SIZE];
    sam_buffer_append(picture->out, &pc, sizeof pc);
    const struct sam_region *region = sam_memory_next(picture->memory, pc);
    while (region && region->base < pc + sizeof bytes) {
        sam_buffer_append(picture->out, region, sizeof *region);
        region = sam_memory_next(picture->memory, region->base + region->size);
    }
    sam_memory_read(picture->memory, pc, bytes, sizeof bytes);
    sam_buffer_append(picture->out, bytes, sizeof bytes);
}

static void draw(const struct sam_gpu *gpu, const struct sam_code *code, struct sam_buffer *out)
{
    struct picture picture = {gpu->memory, out};
    out->size = 0;
    sam_code_each_page(code, draw_page, &picture);
}

/* A prefix at the end of a page has taken in the next one's first word, which may have changed
 * unseen. */
static void forget_end(void *code, uint64_t pc)
{
    sam_code_store(code, pc + SAM_PAGE_SIZE - 4, 4);
}

/* Keep what a single worker has decoded if it is what memory holds. Several workers do not see each
 * other's stores to code. */
static void check_code(struct sam_gpu *gpu, struct sam_kept *kept)
{
    struct sam_buffer now = {0};
    bool same = false;
    if (kept->count == 1 && !kept->code.failed) {
        draw(gpu, kept->workers[0].code, &now);
        same = !now.failed && now.size == kept->code.size &&
               (!now.size || memcmp(now.data, kept->code.data, now.size) == 0);
    }
    if (same)
        sam_code_each_page(kept->workers[0].code, forget_end, kept->workers[0].code);
    for (unsigned i = 0; !same && i < kept->count; i++)
        sam_code_reset(kept->workers[i].code);
    sam_buffer_free(&now);
}

/* ---------------------------------------------------------------------------- for a launch */

static void begin_again(struct sam_worker *worker, struct sam_run *run)
{
    worker->run = run;
    worker->group = NULL;
    worker->busy = worker->started = worker->own.has_turn = false;
    worker->warp_insns = worker->untold_insns = worker->untold_groups = 0;
    sam_space_clear(worker);
    sam_space_enter(worker, &worker->own);
}

bool sam_workers_open(struct sam_run *run, unsigned count)
{
    struct sam_gpu *gpu = run->gpu;
    struct sam_kept *kept = gpu->kept;
    if (kept && (!is_plain(run) || kept->count < count || kept->warps != run->launch->warps ||
                 kept->loose != gpu->options.loose_bounds)) {
        sam_workers_forget(gpu);
        kept = NULL;
    }
    run->worker_count = count;
    if (kept) {
        check_code(gpu, kept);
        run->workers = kept->workers;
        for (unsigned i = 0; i < count; i++)
            begin_again(&run->workers[i], run);
        return true;
    }
    run->workers = sam_alloc(count, sizeof *run->workers);
    for (unsigned i = 0; run->workers && i < count; i++) {
        struct sam_worker *worker = &run->workers[i];
        if (!sam_worker_init(worker, run) || !sam_group_init(&worker->own, run))
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
        release(run->workers, run->worker_count, run);
        return;
    }
    kept->loose = gpu->options.loose_bounds;
    kept->warps = run->launch->warps;
    if (!kept->workers) {
        kept->workers = run->workers;
        kept->count = run->worker_count;
    }
    if (kept->count == 1)
        draw(gpu, kept->workers[0].code, &kept->code);
}
