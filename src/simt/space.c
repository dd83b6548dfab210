/* SPDX-License-Identifier: Apache-2.0 */
/* How a worker's workgroup sees memory: its own local memory, translation, buffer bounds.
 * Fills the view's pages. */
#include "simt/simt.h"

#include <stdlib.h>

#define LDS_PAGES (SAM_LDS_SIZE / SAM_PAGE_SIZE)

void sam_space_release(struct sam_worker *worker)
{
    for (uint32_t i = 0; worker->lds && i < worker->lds_count; i++)
        free(worker->lds[worker->lds_touched[i]]);
    sam_pages_free(worker->lds, LDS_PAGES * sizeof *worker->lds);
    free(worker->lds_touched);
    sam_view_release(&worker->view);
}

/* Local memory starts zeroed in every workgroup, so that results do not depend on which worker ran
 * it. Pages stay allocated, unless a kernel touched very many. */
void sam_space_clear_lds(struct sam_worker *worker)
{
    bool give_back = worker->lds_count > 256;
    for (uint32_t i = 0; i < worker->lds_count; i++) {
        uint32_t number = worker->lds_touched[i];
        if (!give_back) {
            memset(worker->lds[number], 0, SAM_PAGE_SIZE);
            continue;
        }
        worker->view.pages[SAM_LDS_BASE / SAM_PAGE_SIZE + number] = (struct sam_page){0};
        free(worker->lds[number]);
        worker->lds[number] = NULL;
    }
    if (give_back)
        worker->lds_count = 0;
}

static uint8_t *lds_page(struct sam_worker *worker, uint32_t number)
{
    if (!worker->lds[number]) {
        size_t capacity = worker->lds_capacity;
        void *grown = sam_grow(worker->lds_touched, worker->lds_count, &capacity,
                               sizeof *worker->lds_touched);
        uint8_t *page = grown ? aligned_alloc(SAM_PAGE_SIZE, SAM_PAGE_SIZE) : NULL;
        if (grown) {
            worker->lds_touched = grown;
            worker->lds_capacity = (uint32_t)capacity;
        }
        if (!page) {
            worker->view.exhausted = true;
            return NULL;
        }
        memset(page, 0, SAM_PAGE_SIZE);
        worker->lds[number] = page;
        worker->lds_touched[worker->lds_count++] = number;
    }
    return worker->lds[number];
}

/* ------------------------------------------------------------------------------- resolve */

/* Whether any byte of the page belongs to the print buffer. */
static bool holds_print(const struct sam_run *run, uint64_t page)
{
    return run->print_size && page + SAM_PAGE_SIZE > run->print_base &&
           page < (uint64_t)run->print_base + run->print_size;
}

static unsigned access_cause(enum sam_access access)
{
    return access == SAM_FETCH  ? SAM_CAUSE_FETCH_ACCESS
           : access == SAM_LOAD ? SAM_CAUSE_LOAD_ACCESS
                                : SAM_CAUSE_STORE_ACCESS;
}

static unsigned page_cause(enum sam_access access)
{
    return access == SAM_FETCH  ? SAM_CAUSE_FETCH_PAGE
           : access == SAM_LOAD ? SAM_CAUSE_LOAD_PAGE
                                : SAM_CAUSE_STORE_PAGE;
}

static uint8_t *resolve(struct sam_view *view, uint64_t address64, unsigned size,
                        enum sam_access access, struct sam_fault *fault)
{
    struct sam_worker *worker = (struct sam_worker *)(void *)view;
    const struct sam_gpu *gpu = worker->run->gpu;
    const uint32_t address = (uint32_t)address64;
    struct sam_page *page = &view->pages[address / SAM_PAGE_SIZE];
    const uint32_t offset = address % SAM_PAGE_SIZE;
    const uint16_t whole = SAM_PAGE_SIZE;
    *fault = (struct sam_fault){access_cause(access), address};

    if (address - SAM_LDS_BASE < SAM_LDS_SIZE) {
        uint8_t *host =
            access == SAM_FETCH ? NULL : lds_page(worker, (address - SAM_LDS_BASE) / SAM_PAGE_SIZE);
        if (!host)
            return NULL;
        *page = (struct sam_page){.host = host, .read_limit = whole, .write_limit = whole};
        return host + offset;
    }

    if (access == SAM_FETCH && !gpu->options.sv39 && offset + size <= page->read_limit)
        return page->host + offset; /* single-stepping asks repeatedly */
    uint64_t physical = address;
    if (gpu->options.sv39) {
        enum sam_walk walk = sam_sv39_walk(gpu, address, access, &physical);
        view->exhausted |= walk == SAM_WALK_EXHAUSTED;
        if (walk == SAM_WALK_PAGE_FAULT)
            fault->cause = page_cause(access);
        if (walk != SAM_WALK_OK)
            return NULL;
    }
    const uint64_t base = physical - offset;
    const bool gated = holds_print(worker->run, base);
    if (gated && access != SAM_FETCH)
        sam_run_wait_turn(worker);
    const struct sam_region *region = sam_memory_find(gpu->memory, physical);
    uint32_t limit = whole; /* bytes from the page's start, if the page starts inside the buffer */
    if (!gpu->options.loose_bounds) {
        if (!region || region->size - (physical - region->base) < size)
            return NULL;
        uint64_t end = region->base + region->size;
        limit = region->base > base          ? 0
                : end - base < SAM_PAGE_SIZE ? (uint32_t)(end - base)
                                             : whole;
    }
    uint8_t *host = sam_memory_host(gpu->memory, base);
    if (!host) {
        worker->view.exhausted = true;
        return NULL;
    }
    if (access == SAM_FETCH) {
        if (!gpu->options.sv39 && !gated && !page->host)
            *page = (struct sam_page){.host = host, .read_limit = (uint16_t)limit};
        return host + offset;
    }
    /* Under SV39 an entry becomes writable with the first store, which sets D. A code page never
     * does: every store to it must be seen. */
    bool code = sam_code_has(worker->code, address);
    uint32_t writable = gpu->options.sv39 && access != SAM_STORE ? 0 : limit;
    if (page->host == host && page->write_limit)
        writable = page->write_limit;
    uint32_t readable = gpu->options.sv39 && access != SAM_LOAD ? 0 : limit;
    if (page->host == host && page->read_limit)
        readable = page->read_limit;
    if (!gated)
        *page = (struct sam_page){.host = host,
                                  .read_limit = (uint16_t)readable,
                                  .write_limit = (uint16_t)(code ? 0 : writable)};
    return host + offset;
}

bool sam_space_init(struct sam_worker *worker)
{
    worker->view.resolve = resolve;
    worker->lds = sam_pages_new(LDS_PAGES * sizeof *worker->lds);
    return sam_view_init(&worker->view) && worker->lds;
}
