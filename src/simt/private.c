/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of workgroups' private memory. Each workgroup has its own part, or (options.fit_pds)
 * workgroups reuse as many parts as fit in the buffer: callers of the public driver cap it at 256
 * MiB. A session runs workgroups in any order and saves the private memory of one outside its part
 * while another uses the part. */
#include <stdlib.h>

#include "machine/journal.h"
#include "simt/simt.h"

enum sam_status sam_private_fit(struct sam_run *run, struct sam_error *error)
{
    const struct sam_launch *launch = run->launch;
    const struct sam_gpu_options *options = &run->gpu->options;
    run->pds_group = (uint64_t)launch->warps * launch->lanes * launch->pds_size;
    run->pds_parts = 0;
    if (!options->fit_pds || options->shared_pds || !run->pds_group)
        return SAM_OK;
    const struct sam_region *region = sam_memory_find(run->gpu->memory, launch->pds_base);
    if (!region)
        return SAM_OK;
    uint64_t room = region->size - (launch->pds_base - region->base);
    if (options->pds_room && options->pds_room < room)
        room = options->pds_room;
    const uint64_t parts = room / run->pds_group;
    if (!parts)
        return sam_fail(error, SAM_ERR_USAGE,
                        "0x%llx bytes of private memory at 0x%08x: a workgroup needs 0x%llx",
                        (unsigned long long)room, launch->pds_base,
                        (unsigned long long)run->pds_group);
    if (parts < run->workgroups)
        run->pds_parts = (uint32_t)parts;
    return SAM_OK;
}

/* Index in pds_touched of the page of an address at or above pds_base. */
static uint64_t page_of(const struct sam_run *run, uint64_t address)
{
    return address / SAM_PAGE_SIZE - run->launch->pds_base / SAM_PAGE_SIZE;
}

static uint64_t parts_end(const struct sam_run *run)
{
    return run->launch->pds_base + run->pds_parts * run->pds_group;
}

bool sam_private_init(struct sam_run *run)
{
    if (!run->pds_parts)
        return true;
    const uint64_t size = run->pds_parts * run->pds_group;
    run->pds_touched = sam_alloc(page_of(run, parts_end(run) - 1) + 1, 1);
    if (run->pds_touched)
        sam_memory_clear(run->gpu->memory, run->launch->pds_base, size);
    return run->pds_touched != NULL;
}

void sam_private_release(struct sam_run *run)
{
    free(run->pds_touched);
}

bool sam_private_is_taken(const struct sam_run *run, uint64_t workgroup)
{
    for (unsigned i = 0; run->pds_parts && i < run->worker_count; i++) {
        const struct sam_worker *worker = &run->workers[i];
        if (worker->busy && worker->own.workgroup % run->pds_parts == workgroup % run->pds_parts)
            return true;
    }
    return false;
}

uint32_t sam_private_base(const struct sam_run *run, uint32_t workgroup)
{
    const uint64_t part = run->gpu->options.shared_pds ? 0
                          : run->pds_parts             ? workgroup % run->pds_parts
                                                       : workgroup;
    return (uint32_t)(run->launch->pds_base + part * run->pds_group);
}

void sam_private_touch(const struct sam_run *run, uint64_t base)
{
    const uint64_t first = run->launch->pds_base & ~(uint64_t)(SAM_PAGE_SIZE - 1);
    if (run->pds_parts && base >= first && base < parts_end(run))
        __atomic_store_n(&run->pds_touched[page_of(run, base)], 1, __ATOMIC_RELAXED);
}

/* Whether to zero a page that lies within one part. Removes its TLB entry, so that the next access
 * marks the page again. Under SV39 the entry's address is unknown, so the page is always zeroed. */
static bool take_page(struct sam_worker *worker, uint64_t base)
{
    const struct sam_run *run = worker->run;
    uint8_t *touched = &run->pds_touched[page_of(run, base)];
    struct sam_tlb_entry *page = &worker->tlb.entries[base / SAM_PAGE_SIZE];
    if (run->gpu->options.sv39)
        return true;
    if (page->host)
        *page = (struct sam_tlb_entry){0};
    const bool was = __atomic_load_n(touched, __ATOMIC_RELAXED);
    if (was)
        __atomic_store_n(touched, 0, __ATOMIC_RELAXED);
    return was;
}

bool sam_private_enter(struct sam_worker *worker, uint32_t workgroup)
{
    const struct sam_run *run = worker->run;
    if (!run->pds_parts)
        return true;
    uint64_t at = sam_private_base(run, workgroup);
    const uint64_t end = at + run->pds_group;
    while (at < end) {
        const uint64_t rest = SAM_PAGE_SIZE - at % SAM_PAGE_SIZE;
        const size_t size = (size_t)(end - at < rest ? end - at : rest);
        /* A page shared by parts is zeroed in this part only, by stores: another workgroup may be
         * using the rest. */
        if (size < SAM_PAGE_SIZE || take_page(worker, at)) {
            uint8_t *host = sam_memory_host(run->gpu->memory, at);
            if (!host || !sam_journal_save_range(worker->tlb.journal, run->gpu->memory, at, size))
                return false;
            memset(host, 0, size);
        }
        at += size;
    }
    return true;
}

bool sam_private_park(struct sam_worker *worker, struct sam_group *group)
{
    const struct sam_run *run = worker->run;
    if (!group->parked && !(group->parked = malloc(run->pds_group)))
        return false;
    sam_memory_read(run->gpu->memory, sam_private_base(run, group->workgroup), group->parked,
                    run->pds_group);
    group->away = true;
    return true;
}

bool sam_private_return(struct sam_worker *worker, struct sam_group *group)
{
    const struct sam_run *run = worker->run;
    const uint64_t base = sam_private_base(run, group->workgroup);
    if (!sam_journal_save_range(worker->tlb.journal, run->gpu->memory, base, run->pds_group) ||
        !sam_memory_write(run->gpu->memory, base, group->parked, run->pds_group))
        return false;
    for (uint64_t at = base; at < base + run->pds_group; at += SAM_PAGE_SIZE)
        sam_private_touch(run, at);
    sam_private_touch(run, base + run->pds_group - 1);
    group->away = false;
    return true;
}
