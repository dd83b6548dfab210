/* SPDX-License-Identifier: Apache-2.0 */
/* Registers and memory of a session's workgroups. */
#include "simt/session.h"

#include "machine/journal.h"

void sam_gpu_session_set_pc(struct sam_session *base, struct sam_core *core, uint64_t pc)
{
    struct sam_warp *w = sam_warp_of(core);
    core->pc = pc;
    core->pending_prefix = 0;
    w->passed = w->retries = 0;
    if (w->state == SAM_WARP_WAITS) {
        w->state = SAM_WARP_READY;
        sam_gpu_session_found(sam_gpu_session_of(base), w)->ready++;
    }
}

enum sam_status sam_gpu_session_set_csr(struct sam_session *base, struct sam_core *core,
                                        unsigned address, uint64_t value, struct sam_error *error)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    struct sam_trap trap;
    core->event = 0;
    if (!sam_core_csr_write(core, address, core->retired, value))
        return sam_fail(error, SAM_ERR_USAGE, "no CSR 0x%03x that can be written", address);
    if (core->event == SAM_EVENT_PRINT) {
        if (!sam_gpu_session_enter(s, sam_gpu_session_found(s, sam_warp_of(core))))
            return sam_fail_memory(error);
        if (!sam_run_print(&s->worker, sam_warp_of(core)))
            return sam_gpu_session_failure(s, &trap, error);
    }
    return SAM_OK;
}

enum sam_status sam_gpu_session_stack(struct sam_session *base, struct sam_core *core,
                                      struct sam_stack_entry *entries, size_t room, size_t *depth,
                                      struct sam_error *error)
{
    const struct sam_warp *w = sam_warp_of(core);
    (void)base, (void)error;
    *depth = w->depth;
    for (size_t i = 0; i < room && i < w->depth; i++)
        entries[i] = w->stack[i];
    return SAM_OK;
}

enum sam_status sam_gpu_session_set_stack(struct sam_session *base, struct sam_core *core,
                                          uint32_t mask, const struct sam_stack_entry *entries,
                                          size_t depth, struct sam_error *error)
{
    struct sam_warp *w = sam_warp_of(core);
    (void)base;
    if (mask & ~w->started)
        return sam_fail(error, SAM_ERR_USAGE, "mask 0x%x: a warp has %u lanes", mask, w->lanes);
    if (depth > w->stack_limit)
        return sam_fail(error, SAM_ERR_USAGE, "SIMT stack of %zu entries: at most %u", depth,
                        w->stack_limit);
    if (!sam_warp_reserve_stack(w, (uint32_t)depth))
        return sam_fail_memory(error);
    if (depth)
        memcpy(w->stack, entries, depth * sizeof *entries);
    w->depth = (uint32_t)depth;
    sam_warp_set_mask(w, mask);
    return SAM_OK;
}

/* Local memory; starts the workgroup if necessary. Pages not in use read as zero. */
static enum sam_status access_lds(struct sam_gpu_session *s, uint32_t workgroup, uint32_t offset,
                                  uint8_t *data, size_t size, bool write, struct sam_error *error)
{
    struct sam_group *group = NULL;
    const enum sam_status status = sam_gpu_session_group(s, workgroup, &group, error);
    if (status != SAM_OK)
        return status;
    while (size && data) {
        const uint32_t inside = offset % SAM_PAGE_SIZE;
        const size_t rest = SAM_PAGE_SIZE - inside, part = size < rest ? size : rest;
        uint8_t *page = sam_space_lds(&s->worker, group, offset / SAM_PAGE_SIZE, write);
        if (write && !page)
            return sam_fail_memory(error);
        if (write)
            memcpy(page + inside, data, part);
        else if (page)
            memcpy(data, page + inside, part);
        else
            memset(data, 0, part);
        data += part;
        offset += (uint32_t)part;
        size -= part;
    }
    return SAM_OK;
}

static enum sam_status fail_access(uint64_t address, size_t size, bool write,
                                   struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_USAGE, "%s of 0x%llx bytes at 0x%08llx: not in one buffer",
                    write ? "write" : "read", (unsigned long long)size,
                    (unsigned long long)address);
}

/* Global memory within one page of virtual addresses. */
static enum sam_status access_page(struct sam_gpu_session *s, uint32_t address, uint8_t *data,
                                   size_t size, bool write, struct sam_error *error)
{
    uint64_t physical = address;
    struct sam_memory *memory = s->gpu.memory;
    if (s->gpu.options.sv39 && sam_sv39_walk(&s->gpu, address, write ? SAM_STORE : SAM_LOAD,
                                             &physical, s->base.tlb->journal) != SAM_WALK_OK)
        return sam_fail(error, SAM_ERR_USAGE, "%s at 0x%08x: no page there",
                        write ? "write" : "read", address);
    const struct sam_region *region = sam_memory_find(memory, physical);
    if (!s->gpu.options.loose_bounds &&
        (!region || size > region->size - (physical - region->base)))
        return fail_access(address, size, write, error);
    if (!data)
        return SAM_OK;
    if (!write) {
        sam_memory_read(memory, physical, data, size);
        return SAM_OK;
    }
    if (!sam_journal_save_range(s->base.tlb->journal, memory, physical, size) ||
        !sam_memory_write(memory, physical, data, size))
        return sam_fail_memory(error);
    sam_code_store(s->base.code, address, (unsigned)size);
    return SAM_OK;
}

enum sam_status sam_gpu_session_access(struct sam_session *base, uint32_t workgroup,
                                       uint64_t address, void *data, size_t size, bool write,
                                       struct sam_error *error)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    uint8_t *bytes = data;
    enum sam_status status = SAM_OK;
    struct sam_group *group = NULL;
    const enum sam_session_state now = sam_gpu_session_state(s, workgroup);
    if (now == SAM_SESSION_ABSENT)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u: not in this session", workgroup);
    if (now == SAM_SESSION_LIVE) {
        status = sam_gpu_session_group(s, workgroup, &group, error);
        if (status != SAM_OK || !sam_gpu_session_enter(s, group))
            return status != SAM_OK ? status : sam_fail_memory(error);
    }
    if (address > UINT32_MAX || size > (UINT64_C(1) << 32) - address)
        return fail_access(address, size, write, error);
    if (address - SAM_LDS_BASE < SAM_LDS_SIZE) {
        const uint32_t offset = (uint32_t)address - SAM_LDS_BASE;
        return size <= SAM_LDS_SIZE - offset
                   ? access_lds(s, workgroup, offset, data, size, write, error)
                   : fail_access(address, size, write, error);
    }
    /* Validate the whole range first: a write is all or nothing. */
    for (int pass = 0; pass < 2 && status == SAM_OK; pass++) {
        uint64_t at = address;
        for (size_t left = size, part; left && status == SAM_OK; left -= part, at += part) {
            const size_t rest = SAM_PAGE_SIZE - at % SAM_PAGE_SIZE;
            part = left < rest ? left : rest;
            uint8_t *here = pass && bytes ? bytes + (at - address) : NULL;
            status = access_page(s, (uint32_t)at, here, part, write, error);
        }
    }
    return status;
}

enum sam_status sam_gpu_session_private(struct sam_session *base, struct sam_core *core,
                                        uint32_t lane, uint32_t offset, uint64_t *address,
                                        struct sam_error *error)
{
    const struct sam_warp *w = sam_warp_of(core);
    (void)base;
    if (lane >= w->lanes || offset >= w->pds_size)
        return sam_fail(error, SAM_ERR_USAGE,
                        "private byte %u of lane %u: expected %u bytes of %u lanes", offset, lane,
                        w->pds_size, w->lanes);
    *address = w->pds + (offset & ~3u) * w->numw * w->lanes + (offset & 3) + 4 * (w->tid + lane);
    return SAM_OK;
}
