/* SPDX-License-Identifier: Apache-2.0 */
/* Connects warps to a sanitizer: instrumented handlers of the instructions that it wants report
 * them before they run. */
#include "sanitize/sanitize.h"

#include <stdlib.h>

#include "simt/access_tmpl.h"

struct sam_sanitizing {
    struct sam_instrumentation instrumentation; /* installs the handlers; counts nothing */
    struct sam_sanitize_warp warp;
    struct sam_sanitize_op op;
};

static void find_warp(struct sam_warp *w, struct sam_sanitize_warp *to)
{
    to->number = w->wid;
    to->workgroup = w->wgid;
    to->lanes = w->lanes;
    to->started = w->started;
    to->simt = w->simt;
    to->depth = w->depth;
    to->stack = w->stack;
    to->x = w->core.x32;
    to->v = (const uint32_t(*)[SAM_LANES])w->v;
    to->core = &w->core;
    to->pds = w->pds;
    to->pds_size = w->pds_size;
    to->threads = w->numw * w->lanes;
}

/* The word that an atomic instruction finds, and whether it will write: an sc may fail. */
static void find_word(struct sam_worker *worker, const struct sam_warp *w,
                      struct sam_sanitize_op *op)
{
    const uint32_t address = op->address[0][0];
    const struct sam_tlb_entry *page = &worker->tlb.entries[address / SAM_PAGE_SIZE];
    const bool mapped = page->host && address % SAM_PAGE_SIZE + 4 <= page->read_limit;
    struct sam_fault fault;
    const uint8_t *host = address & 3 ? NULL
                          : mapped
                              ? page->host + address % SAM_PAGE_SIZE
                              : worker->tlb.resolve(&worker->tlb, address, 4, SAM_LOAD, &fault);
    op->writes = host;
    if (!host)
        return; /* it traps */
    memcpy(&op->before, host, 4);
    if (op->insn->op == SAM_OP_sc_w)
        op->writes = w->core.reserved && w->core.reservation == address &&
                     (uint32_t)w->core.reserved_value == op->before;
}

/* Report the instruction that the warp is about to run. */
static SAM_NOINLINE void tell(struct sam_worker *worker, struct sam_warp *w,
                              const struct sam_insn *insn, uint32_t pc, uint32_t prefix)
{
    struct sam_sanitizing *state = worker->sanitizing;
    struct sam_sanitize_op *op = &state->op;
    const struct sam_lanes_access *form = &worker->access[insn->op];
    find_warp(w, &state->warp);
    op->insn = insn;
    op->pc = pc;
    op->prefix = prefix;
    op->vector = sam_op_is_vector(insn->op);
    op->groups = op->vector ? w->groups : 0;
    op->bytes = form->size;
    if (op->vector) {
        const struct sam_uop uop = access_uop(insn);
        for (unsigned g = 0; g < w->groups; g++) {
            op->active[g] = w->bits[g];
            op->acting[g] = acting(w, &uop, g);
            if (form->size)
                lane_addresses(&w->core, &uop, form, g, op->address[g]);
        }
    } else if (form->size) {
        op->address[0][0] = w->core.x32[insn->rs1] + (uint32_t)insn->imm; /* atomics: imm is 0 */
    }
    if (form->size) {
        op->own = form->own;
        op->words = sam_lanes_is_pair(insn, form) ? 2 : 1;
        op->apart = form->own ? 4 * w->numw * w->lanes : 4;
        if (sam_insn_rows[insn->op].does.act == SAM_ACT_ATOMIC)
            find_word(worker, w, op);
    }
    sam_sanitize_on_instruction(worker->sanitizer, op);
}

SAM_HANDLER(sanitize_fetch)
{
    const struct sam_counters *counters = sam_counters_of(c, op);
    sam_sanitize_fetch(sam_worker_of(c)->sanitizer, (uint32_t)sam_pc_of(c, op), counters->prefix);
    SAM_PROCEED(counters);
}

SAM_HANDLER(sanitize_insn)
{
    const struct sam_counters *counters = sam_counters_of(c, op);
    sam_sanitize_fetch(sam_worker_of(c)->sanitizer, (uint32_t)sam_pc_of(c, op), counters->prefix);
    tell(sam_worker_of(c), W, &counters->insn, (uint32_t)sam_pc_of(c, op), counters->prefix);
    SAM_PROCEED(counters);
}

static sam_handler *instrument(void *context, const struct sam_insn *insn, bool apart)
{
    const struct sam_worker *worker = context;
    (void)apart;
    return sam_sanitize_wants(worker->sanitizer, insn) ? sanitize_insn
           : worker->sanitizer->listener.fetch         ? sanitize_fetch
                                                       : NULL;
}

bool sam_sanitizing_open(struct sam_worker *worker, bool stepped)
{
    struct sam_sanitizing *state = sam_alloc(1, sizeof *state);
    if (!state)
        return false;
    worker->sanitizing = state;
    worker->sanitizer = worker->run->gpu->options.sanitizer;
    state->op.warp = &state->warp;
    state->instrumentation =
        (struct sam_instrumentation){.instrument = instrument, .context = worker};
    if (!stepped)
        sam_code_instrument(worker->code, &state->instrumentation);
    return true;
}

void sam_sanitizing_close(struct sam_worker *worker)
{
    free(worker->sanitizing);
}

void sam_sanitizing_step(struct sam_worker *worker, struct sam_warp *w, const struct sam_insn *insn)
{
    const uint32_t pc = (uint32_t)w->core.pc, prefix = w->core.pending_prefix;
    sam_sanitize_fetch(worker->sanitizer, pc, prefix);
    if (sam_sanitize_wants(worker->sanitizer, insn))
        tell(worker, w, insn, pc, prefix);
}

static bool fetch(void *core, uint32_t pc, uint32_t *word)
{
    struct sam_fault fault;
    return !(pc & 3) && sam_code_fetch(core, pc, word, &fault);
}

/* Total size of private memory. */
static uint64_t private_total(const struct sam_run *run)
{
    const uint64_t parts = run->gpu->options.shared_pds ? 1
                           : run->pds_parts             ? run->pds_parts
                                                        : run->workgroups;
    const uint64_t most = (UINT64_C(1) << 32) - run->launch->pds_base;
    return parts < most && run->pds_group * parts < most ? run->pds_group * parts : most;
}

/* The name of a buffer, as far as the launch determines it. */
static const char *buffer_name(const struct sam_run *run, const struct sam_region *region)
{
    const struct sam_launch *launch = run->launch;
    const struct {
        uint32_t address;
        bool known;
        const char *name;
    } rows[] = {
        {launch->metadata, true, "the metadata buffer"},
        {launch->args, launch->args_size != 0, "the argument buffer"},
        {launch->pds_base, launch->pds_size != 0, "private memory"},
        {run->print_base, run->print_size != 0, "the print buffer"},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++)
        if (rows[i].known && rows[i].address - region->base < region->size)
            return rows[i].name;
    const struct sam_section *section =
        launch->image ? sam_image_section_at(launch->image, region->base) : NULL;
    return section && section->address - region->base < region->size ? section->name : "a buffer";
}

static bool declare_buffers(const struct sam_run *run)
{
    const struct sam_region *region = NULL;
    uint64_t from = 0;
    while ((region = sam_memory_next(run->gpu->memory, from))) {
        const struct sam_sanitize_object object = {
            .base = (uint32_t)region->base, .size = region->size, .name = buffer_name(run, region)};
        from = region->base + region->size;
        if (region->base <= UINT32_MAX &&
            !sam_sanitize_declare(run->gpu->options.sanitizer, &object))
            return false;
    }
    return true;
}

/* The end of the start code: the next function or, without symbols, the kernel. */
static uint32_t start_end(const struct sam_run *run)
{
    const struct sam_image *image = run->launch->image;
    const uint32_t start = run->launch->start;
    for (size_t i = 0; image && i < image->symbol_count; i++) {
        const struct sam_symbol *symbol = &image->symbols[i]; /* sorted by value */
        if (symbol->global && symbol->section_relative && symbol->value > start)
            return (uint32_t)symbol->value;
    }
    return image ? start : run->entry;
}

bool sam_sanitizing_begin(const struct sam_run *run)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    const struct sam_launch *launch = run->launch;
    struct sam_kernel_resource needed = {0};
    if (launch->image)
        needed = sam_image_resource(launch->image, run->entry);
    const struct sam_sanitize_launch begun = {
        .isa = &run->gpu->machine.isa,
        .workgroups = run->workgroups,
        .warps = launch->warps,
        .lanes = launch->lanes,
        .lds_size = launch->lds_size,
        .lds_ranges = options->lds_ranges,
        .lds_range_count = options->lds_range_count,
        .pds_base = launch->pds_base,
        .pds_size = launch->pds_size,
        .pds_total = private_total(run),
        .items = run->items,
        .sgprs = needed.sgprs,
        .vgprs = needed.vgprs,
        .start = launch->start,
        .start_end = start_end(run),
        .translated = options->sv39,
        .fetch = fetch,
    };
    return !options->sanitizer ||
           (sam_sanitize_begin(options->sanitizer, &begun) && declare_buffers(run));
}

bool sam_sanitizing_end(const struct sam_run *run)
{
    return !run->gpu->options.sanitizer || sam_sanitize_end(run->gpu->options.sanitizer);
}
