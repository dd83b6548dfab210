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
    bool loose;             /* options.loose_bounds */
    bool unseen;            /* the last launch had pages that its views do not show */
    struct sam_buffer code; /* of a single worker: what its decoded pages showed, */
    uint64_t changes;       /* at this sam_code_changes */
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
    sam_buffer_free(&kept->code);
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

/* ----------------------------------------------------------------------- what code came from */

/* A picture of the pages that are decoded, drawn or compared with what there is now. */
struct picture {
    struct sam_memory *memory;
    struct sam_buffer *out; /* NULL: compare */
    const uint8_t *at, *end;
    bool same;
};

static void draw(struct picture *p, const void *data, size_t size)
{
    if (p->out) {
        sam_buffer_append(p->out, data, size);
        return;
    }
    p->same = p->same && (size_t)(p->end - p->at) >= size && memcmp(p->at, data, size) == 0;
    p->at += p->same ? size : 0;
}

/* A page of code and the buffers that it is in. */
static void draw_page(void *context, uint64_t pc)
{
    struct picture *p = context;
    draw(p, &pc, sizeof pc);
    const struct sam_region *region = sam_memory_next(p->memory, pc);
    while (region && region->base < pc + SAM_PAGE_SIZE) {
        draw(p, region, sizeof *region);
        region = sam_memory_next(p->memory, region->base + region->size);
    }
    const uint8_t *host = sam_memory_host(p->memory, pc);
    if (host)
        draw(p, host, SAM_PAGE_SIZE);
    else
        p->same = false;
}

static void take_picture(struct sam_gpu *gpu, struct sam_kept *kept)
{
    const struct sam_code *code = kept->workers[0].code;
    if (kept->code.size && kept->changes == sam_code_changes(code))
        return;
    struct picture picture = {.memory = gpu->memory, .out = &kept->code};
    kept->code.size = 0;
    kept->changes = sam_code_changes(code);
    sam_code_each_page(code, draw_page, &picture);
}

static bool is_as_pictured(struct sam_gpu *gpu, const struct sam_kept *kept)
{
    if (!kept->code.size || kept->code.failed)
        return !kept->code.failed;
    const uint8_t *at = (const uint8_t *)kept->code.data;
    struct picture picture = {
        .memory = gpu->memory, .at = at, .end = at + kept->code.size, .same = true};
    sam_code_each_page(kept->workers[0].code, draw_page, &picture);
    return picture.same && picture.at == picture.end;
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
    struct sam_code *code = kept->workers[0].code;
    if (kept->count == 1 && is_as_pictured(gpu, kept)) {
        sam_code_each_page(code, forget_end, code);
        kept->changes = sam_code_changes(code);
        return;
    }
    for (unsigned i = 0; i < kept->count; i++)
        sam_code_reset(kept->workers[i].code);
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
        check_code(gpu, kept);
        run->workers = kept->workers;
        bool fits = true;
        for (unsigned i = 0; i < count; i++) {
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
    if (kept->count == 1)
        take_picture(gpu, kept);
}
