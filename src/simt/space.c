/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a worker's workgroup sees: its local memory, address translation, buffer bounds.
 * Fills TLB entries. */
#include "machine/journal.h"
#include "machine/watch.h"
#include "samite/sanitize.h"
#include "simt/simt.h"

#include <stdlib.h>

/* --------------------------------------------------------------------------- local memory */

static struct sam_tlb_entry *page_of(struct sam_worker *worker, const struct sam_lds_page *lds)
{
    return &worker->tlb.entries[SAM_LDS_BASE / SAM_PAGE_SIZE + lds->number];
}

/* The end of the accessible range of local memory that contains `address`; `address` itself if
 * there is none. Adjacent ranges are one. */
static uint64_t local_end(const struct sam_run *run, uint32_t address)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    uint64_t end = address;
    if (address - SAM_LDS_BASE < run->launch->lds_size)
        end = (uint64_t)SAM_LDS_BASE + run->launch->lds_size;
    for (size_t i = 0; i < options->lds_range_count; i++) {
        const struct sam_lds_range *range = &options->lds_ranges[i];
        if (end >= range->base && end < (uint64_t)range->base + range->size) {
            end = (uint64_t)range->base + range->size;
            i = SIZE_MAX; /* restart the scan: an earlier range may begin exactly here */
        }
    }
    return end;
}

/* Whether accesses outside these ranges fault. A sanitizer that checks bounds reports them
 * instead. */
static bool is_strict(const struct sam_run *run)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    return options->strict_lds &&
           (!options->sanitizer ||
            !(sam_sanitizer_checks(options->sanitizer) & SAM_SANITIZE_BOUNDS));
}

static bool may_access_local(const struct sam_run *run, uint32_t address, unsigned size)
{
    return !is_strict(run) || local_end(run, address) >= (uint64_t)address + size;
}

/* Fill a TLB entry. Entries of watched pages stay empty, so that every access resolves. */
static void fill_page(struct sam_worker *worker, uint32_t number, struct sam_tlb_entry page)
{
    struct sam_tlb *tlb = &worker->tlb;
    if (!tlb->entries[number].host && worker->filled_count++ < SAM_FILLED)
        worker->filled[worker->filled_count - 1] = number;
    if (tlb->watches && sam_watches_page(tlb->watches, (uint64_t)number * SAM_PAGE_SIZE))
        page.read_limit = page.write_limit = 0;
    tlb->entries[number] = page;
}

/* Under strict bounds, an entry of local memory covers its accessible prefix; accesses beyond it
 * resolve. */
static void show_lds(struct sam_worker *worker, uint32_t number, uint8_t *bytes)
{
    uint64_t limit = SAM_PAGE_SIZE;
    if (is_strict(worker->run)) {
        const uint32_t base = SAM_LDS_BASE + number * SAM_PAGE_SIZE;
        const uint64_t size = local_end(worker->run, base) - base;
        limit = size < limit ? size : limit;
    }
    fill_page(worker, SAM_LDS_BASE / SAM_PAGE_SIZE + number,
              (struct sam_tlb_entry){
                  .host = bytes, .read_limit = (uint16_t)limit, .write_limit = (uint16_t)limit});
}

void sam_space_enter(struct sam_worker *worker, struct sam_group *group)
{
    const struct sam_group *left = worker->group;
    if (left == group)
        return;
    for (uint32_t i = 0; left && i < left->lds_count; i++)
        *page_of(worker, &left->lds[i]) = (struct sam_tlb_entry){0};
    for (uint32_t i = 0; group && i < group->lds_count; i++)
        show_lds(worker, group->lds[i].number, group->lds[i].bytes);
    worker->group = group;
}

/* Zero local memory for every workgroup, so that results do not depend on the worker. Pages stay
 * allocated unless a kernel has used very many. */
void sam_space_clear_lds(struct sam_worker *worker, struct sam_group *group)
{
    const bool give_back = group->lds_count > 256;
    for (uint32_t i = 0; i < group->lds_count; i++) {
        if (!give_back)
            memset(group->lds[i].bytes, 0, SAM_PAGE_SIZE);
        else if (worker->group == group)
            *page_of(worker, &group->lds[i]) = (struct sam_tlb_entry){0};
    }
    if (give_back)
        sam_space_release_lds(group);
}

void sam_space_release_lds(struct sam_group *group)
{
    for (uint32_t i = 0; i < group->lds_count; i++)
        free(group->lds[i].bytes);
    free(group->lds);
    group->lds = NULL;
    group->lds_count = group->lds_capacity = 0;
}

/* Allocate a page of a group's local memory. Returns NULL on out-of-memory. */
static uint8_t *add_lds(struct sam_worker *worker, struct sam_group *group, uint32_t number)
{
    size_t capacity = group->lds_capacity;
    void *grown = sam_grow(group->lds, group->lds_count, &capacity, sizeof *group->lds);
    uint8_t *bytes = grown ? aligned_alloc(SAM_PAGE_SIZE, SAM_PAGE_SIZE) : NULL;
    if (grown) {
        group->lds = grown;
        group->lds_capacity = (uint32_t)capacity;
    }
    if (!bytes)
        return NULL;
    memset(bytes, 0, SAM_PAGE_SIZE);
    group->lds[group->lds_count++] = (struct sam_lds_page){number, bytes};
    if (worker->group == group)
        show_lds(worker, number, bytes);
    return bytes;
}

uint8_t *sam_space_lds(struct sam_worker *worker, struct sam_group *group, uint32_t number,
                       bool make)
{
    for (uint32_t i = 0; i < group->lds_count; i++)
        if (group->lds[i].number == number)
            return group->lds[i].bytes;
    return make ? add_lds(worker, group, number) : NULL;
}

/* ------------------------------------------------------------------------------- resolve */

/* Whether the print buffer overlaps the page. */
static bool holds_print(const struct sam_run *run, uint64_t page)
{
    return run->print_size && page + SAM_PAGE_SIZE > run->print_base &&
           page < (uint64_t)run->print_base + run->print_size;
}

static unsigned page_cause(enum sam_access access)
{
    return access == SAM_FETCH  ? SAM_CAUSE_FETCH_PAGE
           : access == SAM_LOAD ? SAM_CAUSE_LOAD_PAGE
                                : SAM_CAUSE_STORE_PAGE;
}

/* Whether the TLB may map slack of a buffer, accessed up to `end`: not before the first access to
 * any slack, which the core reports. */
static bool show_slack(struct sam_worker *worker, const struct sam_region *region, uint64_t end,
                       enum sam_access access)
{
    if (!worker->tlb.asks_slack || !region->slack)
        return true;
    if (access == SAM_FETCH || end <= region->base + region->size - region->slack)
        return false;
    worker->tlb.asks_slack = false;
    worker->tlb.reports = true;
    return true;
}

/* Have a store to a page that is not writable yet reported if it is an input's: the first one of a
 * workgroup is among them. One report per instruction. */
static void report_input(struct sam_worker *worker, const struct sam_region *region,
                         const struct sam_tlb_entry *page)
{
    if (!region || !region->input || page->write_limit || worker->tlb.input)
        return;
    worker->tlb.input = region->input;
    worker->tlb.reports = true;
}

/* sam_region_limit, excluding slack. */
static uint32_t asked_limit(const struct sam_region *region, uint64_t base)
{
    const struct sam_region asked = {.base = region->base, .size = region->size - region->slack};
    return asked.base + asked.size > base ? sam_region_limit(&asked, base) : 0;
}

static uint8_t *resolve(struct sam_tlb *tlb, uint64_t address64, unsigned size,
                        enum sam_access access, struct sam_fault *fault)
{
    struct sam_worker *worker = (struct sam_worker *)(void *)tlb;
    const struct sam_gpu *gpu = worker->run->gpu;
    const uint32_t address = (uint32_t)address64;
    struct sam_tlb_entry *page = &tlb->entries[address / SAM_PAGE_SIZE];
    const uint32_t offset = address % SAM_PAGE_SIZE;
    const uint16_t whole = SAM_PAGE_SIZE;
    *fault = (struct sam_fault){sam_access_cause(access), address};

    if (address - SAM_LDS_BASE < SAM_LDS_SIZE) {
        if (access == SAM_FETCH || !may_access_local(worker->run, address, size))
            return NULL;
        const uint32_t number = (address - SAM_LDS_BASE) / SAM_PAGE_SIZE;
        /* Pages in use always have a TLB entry. */
        if (page->host)
            show_lds(worker, number, page->host);
        else if (!add_lds(worker, worker->group, number))
            tlb->exhausted = true;
        if (!page->host)
            return NULL;
        if (tlb->watches)
            sam_watches_note(tlb->watches, address, size, access, page->host + offset);
        return page->host + offset;
    }

    if (access == SAM_FETCH && !gpu->options.sv39 && offset + size <= page->read_limit)
        return page->host + offset; /* while single-stepping */
    uint64_t physical = address;
    if (gpu->options.sv39) {
        enum sam_walk walk = sam_sv39_walk(gpu, address, access, &physical, tlb->journal);
        tlb->exhausted |= walk == SAM_WALK_EXHAUSTED;
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
        limit = show_slack(worker, region, physical + size, access) ? sam_region_limit(region, base)
                                                                    : asked_limit(region, base);
    }
    uint8_t *host = sam_memory_host(gpu->memory, base);
    if (!host) {
        worker->tlb.exhausted = true;
        return NULL;
    }
    sam_private_touch(worker->run, base);
    if (access == SAM_FETCH) {
        if (!gpu->options.sv39 && !gated && !page->host)
            fill_page(worker, address / SAM_PAGE_SIZE,
                      (struct sam_tlb_entry){.host = host, .read_limit = (uint16_t)limit});
        return host + offset;
    }
    /* Under SV39, with a journal or in an input, an entry becomes writable on the first store,
     * which sets D, saves the page or is reported. A page of code never does: every store to it
     * must be observed. */
    bool code = sam_code_has(worker->code, address);
    const bool by_store = gpu->options.sv39 || tlb->journal || (region && region->input);
    if (access == SAM_STORE)
        report_input(worker, region, page);
    if (tlb->journal && access == SAM_STORE && !sam_journal_save(tlb->journal, host)) {
        tlb->exhausted = true;
        return NULL;
    }
    uint32_t writable = by_store && access != SAM_STORE ? 0 : limit;
    if (page->host == host && page->write_limit)
        writable = page->write_limit;
    else if (writable && tlb->journal && !sam_journal_grant(tlb->journal, address / SAM_PAGE_SIZE))
        writable = 0;
    uint32_t readable = gpu->options.sv39 && access != SAM_LOAD ? 0 : limit;
    if (page->host == host && page->read_limit)
        readable = page->read_limit;
    if (!gated)
        fill_page(worker, address / SAM_PAGE_SIZE,
                  (struct sam_tlb_entry){.host = host,
                                         .read_limit = (uint16_t)readable,
                                         .write_limit = (uint16_t)(code ? 0 : writable)});
    if (tlb->watches)
        sam_watches_note(tlb->watches, address, size, access, host + offset);
    return host + offset;
}

void sam_space_clear(struct sam_worker *worker)
{
    if (worker->filled_count > SAM_FILLED) {
        sam_tlb_clear(&worker->tlb);
        worker->touched = false;
    } else {
        for (uint32_t i = 0; i < worker->filled_count; i++)
            worker->tlb.entries[worker->filled[i]] = (struct sam_tlb_entry){0};
        worker->tlb.gap.size = 0;
        worker->tlb.exhausted = false;
    }
    worker->filled_count = 0;
}

/* Prefault the part of the TLB that maps buffers from `first` to `last`. An entry's tag is always
 * zero, so storing zero changes nothing. */
static void touch(struct sam_worker *worker, uint64_t first, uint64_t last)
{
    enum { ENTRIES = SAM_PAGE_SIZE / sizeof(struct sam_tlb_entry), MOST = 16 };
    uint64_t at = first / SAM_PAGE_SIZE / ENTRIES * ENTRIES;
    for (unsigned i = 0; i < MOST && at <= last / SAM_PAGE_SIZE; i++, at += ENTRIES)
        *(volatile uint32_t *)&worker->tlb.entries[at].tag = 0;
}

void sam_space_touch(struct sam_worker *worker)
{
    enum { MOST = 16 }; /* buffers prefaulted with one worker */
    const struct sam_memory *memory = worker->run->gpu->memory;
    const struct sam_region *region = sam_memory_next(memory, 0);
    const bool alone = worker->run->worker_count == 1;
    if (worker->touched)
        return;
    worker->touched = true;
    touch(worker, SAM_LDS_BASE, SAM_LDS_BASE);
    for (unsigned i = 0; region && region->base <= UINT32_MAX && !(alone && i == MOST); i++) {
        const uint64_t last = region->base + (region->size - 1);
        touch(worker, region->base, alone ? region->base : last < UINT32_MAX ? last : UINT32_MAX);
        region = last < UINT32_MAX ? sam_memory_next(memory, last + 1) : NULL;
    }
}

bool sam_space_init(struct sam_worker *worker)
{
    worker->tlb.resolve = resolve;
    return sam_tlb_init(&worker->tlb);
}

void sam_space_release(struct sam_worker *worker)
{
    sam_tlb_release(&worker->tlb);
}
