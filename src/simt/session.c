/* SPDX-License-Identifier: Apache-2.0 */
/* A launch that is opened: a table of workgroups, which start when they are first touched, and one
 * worker that enters them. */
#include "machine/session.h"

#include <stdlib.h>

#include "simt/simt.h"

#define BLOCK 1024u /* workgroups per block of the table */

struct block {
    struct sam_group *groups[BLOCK]; /* NULL: not live */
    uint8_t listed[BLOCK / 8];       /* of a session of some workgroups */
    uint8_t ended[BLOCK / 8];
};

struct session {
    struct sam_session base; /* first: a session's operations find it */
    struct sam_gpu gpu;      /* as it was at opening; the memory is the original's */
    struct sam_launch launch;
    struct sam_run run;
    struct sam_worker worker;
    struct sam_pace pace;
    const struct sam_session_run *asked; /* by the caller of the present run */
    uint32_t *list;                      /* workgroups to run; NULL: all */
    uint64_t count;                      /* of them */
    uint64_t next;                       /* index of the first that may not have ended */
    struct block **blocks;               /* by workgroup / BLOCK, each made on first use */
    size_t block_count;
    struct sam_group **live;
    size_t live_count, live_capacity;
    struct sam_group *spare; /* memory of one that has ended */
    bool keep, retry;
};

static struct session *session_of(const struct sam_session *base)
{
    return (struct session *)(void *)(uintptr_t)base;
}

/* ------------------------------------------------------------------------------- the table */

static bool bit(const uint8_t *bits, uint32_t workgroup)
{
    return bits[workgroup % BLOCK / 8] >> workgroup % 8 & 1;
}

static void set_bit(uint8_t *bits, uint32_t workgroup, bool value)
{
    const uint8_t one = (uint8_t)(1u << workgroup % 8);
    uint8_t *byte = &bits[workgroup % BLOCK / 8];
    *byte = (uint8_t)(value ? *byte | one : *byte & ~one);
}

/* The block of a workgroup of the launch; NULL: out of memory. */
static struct block *make_block(struct session *s, uint32_t workgroup)
{
    struct block **block = &s->blocks[workgroup / BLOCK];
    if (!*block)
        *block = sam_alloc(1, sizeof **block);
    return *block;
}

static enum sam_session_state state_of(const struct session *s, uint32_t workgroup)
{
    const struct block *block = workgroup < s->run.workgroups ? s->blocks[workgroup / BLOCK] : NULL;
    if (workgroup >= s->run.workgroups || (s->list && (!block || !bit(block->listed, workgroup))))
        return SAM_SESSION_ABSENT;
    if (block && bit(block->ended, workgroup))
        return SAM_SESSION_ENDED;
    return block && block->groups[workgroup % BLOCK] ? SAM_SESSION_LIVE : SAM_SESSION_NEW;
}

static enum sam_session_state state(const struct sam_session *base, uint32_t workgroup)
{
    return state_of(session_of(base), workgroup);
}

static uint32_t nth(const struct sam_session *base, uint64_t index)
{
    const struct session *s = session_of(base);
    return index >= s->count ? UINT32_MAX : s->list ? s->list[index] : (uint32_t)index;
}

static void free_group(struct session *s, struct sam_group *group)
{
    if (group)
        sam_group_release(group, &s->run);
    free(group);
}

/* A group to start, among those that are live; NULL: out of memory. */
static struct sam_group *take_group(struct session *s)
{
    void *grown = sam_grow(s->live, s->live_count, &s->live_capacity, sizeof(struct sam_group *));
    if (!grown)
        return NULL;
    s->live = grown;
    struct sam_group *group = s->spare;
    s->spare = NULL;
    if (!group) {
        group = sam_alloc(1, sizeof *group);
        if (!group || !sam_group_init(group, &s->run)) {
            free(group);
            return NULL;
        }
    }
    group->index = s->live_count;
    s->live[s->live_count++] = group;
    return group;
}

/* Forget a live group; its workgroup is new again, or has ended. */
static void drop_group(struct session *s, struct sam_group *group)
{
    s->blocks[group->workgroup / BLOCK]->groups[group->workgroup % BLOCK] = NULL;
    s->live[group->index] = s->live[--s->live_count];
    s->live[group->index]->index = group->index;
    if (s->worker.group == group)
        sam_space_enter(&s->worker, NULL);
    sam_space_clear_lds(&s->worker, group);
    free_group(s, s->spare);
    s->spare = group;
}

/* The live workgroup that uses the private memory of a new one (options.fit_pds), or NULL. */
static struct sam_group *rival_of(const struct session *s, uint32_t workgroup)
{
    for (size_t i = 0; s->run.pds_parts && i < s->live_count; i++) {
        struct sam_group *group = s->live[i];
        if (group->workgroup % s->run.pds_parts == workgroup % s->run.pds_parts &&
            state_of(s, group->workgroup) != SAM_SESSION_ENDED)
            return group;
    }
    return NULL;
}

/* The group of a workgroup, started if it is new. */
static enum sam_status group_of(struct session *s, uint32_t workgroup, struct sam_group **group,
                                struct sam_error *error)
{
    const enum sam_session_state now = state_of(s, workgroup);
    if (now == SAM_SESSION_ABSENT)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u: not in this session", workgroup);
    struct block *block = make_block(s, workgroup);
    *group = block ? block->groups[workgroup % BLOCK] : NULL;
    if (*group)
        return SAM_OK;
    if (now == SAM_SESSION_ENDED)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u has ended", workgroup);
    const struct sam_group *rival = rival_of(s, workgroup);
    if (rival)
        return sam_fail(error, SAM_ERR_USAGE,
                        "workgroup %u shares private memory with workgroup %u, which has not ended",
                        workgroup, rival->workgroup);
    if (!block || !sam_private_enter(&s->worker, workgroup) || !(*group = take_group(s)))
        return sam_fail_memory(error);
    sam_group_start(&s->worker, *group, workgroup);
    (*group)->has_turn = true; /* prints come in the order of the session */
    block->groups[workgroup % BLOCK] = *group;
    s->run.next++;
    return SAM_OK;
}

/* Every warp of the group has ended. */
static void end_group(struct session *s, struct sam_group *group)
{
    struct block *block = s->blocks[group->workgroup / BLOCK];
    if (bit(block->ended, group->workgroup))
        return;
    set_bit(block->ended, group->workgroup, true);
    sam_run_tell(&s->worker, 1);
    if (!s->keep)
        drop_group(s, group);
}

static enum sam_status find(struct sam_session *base, uint32_t workgroup, uint32_t warp,
                            struct sam_core **core, struct sam_error *error)
{
    struct session *s = session_of(base);
    if (warp >= s->launch.warps)
        return sam_fail(error, SAM_ERR_USAGE, "warp %u: a workgroup has %u", warp, s->launch.warps);
    struct sam_group *group = NULL;
    const enum sam_status status = group_of(s, workgroup, &group, error);
    if (status == SAM_OK)
        *core = &group->warps[warp].core;
    return status;
}

/* The group of a warp that was found. */
static struct sam_group *found(struct session *s, const struct sam_warp *w)
{
    return s->blocks[w->wgid / BLOCK]->groups[w->wgid % BLOCK];
}

/* ----------------------------------------------------------------------------- what there is */

static void shape(const struct sam_session *base, struct sam_session_shape *shape)
{
    const struct session *s = session_of(base);
    *shape = (struct sam_session_shape){.isa = s->gpu.machine.isa,
                                        .workgroups = s->count,
                                        .warps = s->launch.warps,
                                        .lanes = s->launch.lanes,
                                        .x_count = SAM_X_SINK,
                                        .v_count = SAM_VREGS,
                                        .image = s->launch.image};
}

/* Whether the warp has another step to spend at the barrier that released it. */
static bool is_retrying(const struct sam_warp *w)
{
    return w->retries == w->core.retired + 1;
}

static uint64_t pc_of(const struct sam_warp *w)
{
    return w->state == SAM_WARP_WAITS || is_retrying(w) ? w->barrier_pc : w->core.pc;
}

static void show_warp(struct sam_session *base, struct sam_core *core,
                      struct sam_session_warp *state)
{
    const struct sam_warp *w = sam_warp_of(core);
    (void)base;
    *state = (struct sam_session_warp){.state = w->state,
                                       .pc = pc_of(w),
                                       .prefix = core->pending_prefix,
                                       .mask = w->simt,
                                       .depth = w->depth,
                                       .instructions = core->retired};
}

static uint32_t *v_of(struct sam_session *base, struct sam_core *core, unsigned number)
{
    if (number >= SAM_VREGS)
        return NULL;
    sam_code_use_vector(base->code, number);
    return sam_warp_of(core)->v[number];
}

/* ---------------------------------------------------------------------------------- running */

/* The failure that a pause reported, once. */
static enum sam_status take_failure(struct session *s, struct sam_trap *trap,
                                    struct sam_error *error)
{
    const enum sam_status status = sam_run_outcome(&s->run, error);
    *trap = s->run.trap;
    s->run.failed = false;
    s->run.trap = (struct sam_trap){0};
    s->run.host_status = SAM_OK;
    return status;
}

/* A step at a barrier at which nothing runs. */
static void stay(struct session *s, struct sam_warp *w, struct sam_step *step)
{
    struct sam_insn insn;
    const uint64_t pc = w->core.pc;
    w->core.pc = w->barrier_pc;
    sam_step_begin(&w->core, step, &insn);
    w->core.pc = pc;
    step->kind = SAM_STEP_WAITS;
    step->workgroup = w->wgid;
    step->warp = w->wid;
    step->time = s->base.time;
    step->mask_before = step->mask_after = w->simt;
    step->depth_before = step->depth_after = w->depth;
    if (is_retrying(w))
        w->retries = 0;
    step->next_pc = pc_of(w);
}

static void let_retry(const struct session *s, struct sam_group *group, const struct sam_warp *last)
{
    for (uint32_t i = 0; i < s->launch.warps; i++) {
        struct sam_warp *w = &group->warps[i];
        if (w != last && w->state == SAM_WARP_READY)
            w->retries = w->core.retired + 1;
    }
}

static enum sam_status step(struct sam_session *base, struct sam_core *core, struct sam_step *step,
                            struct sam_error *error)
{
    struct session *s = session_of(base);
    struct sam_warp *w = sam_warp_of(core);
    struct sam_group *group = found(s, w);
    if (w->state == SAM_WARP_ENDED)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u warp %u has ended", w->wgid, w->wid);
    if ((w->state == SAM_WARP_WAITS && group->ready) || is_retrying(w)) {
        stay(s, w, step);
        return SAM_OK;
    }
    s->pace = (struct sam_pace){.left = UINT64_MAX};
    sam_space_enter(&s->worker, group);
    step->kind = SAM_STEP_RAN;
    const uint64_t time = base->time, before = s->worker.warp_insns;
    enum sam_pause pause;
    if (w->state == SAM_WARP_READY) {
        pause = sam_group_step(&s->worker, group, w, step);
    } else { /* every warp waits: find the deadlock again */
        stay(s, w, step);
        pause = sam_group_run_warp(&s->worker, group, w);
    }
    base->time += s->worker.warp_insns - before;
    step->time = time;
    w->passed = core->retired + 1;
    if (pause == SAM_PAUSE_FAILED) {
        if (s->run.failed && s->run.trap.kind == SAM_TRAP_BUDGET)
            stay(s, w, step);
        step->kind = SAM_STEP_TRAPPED;
        return take_failure(s, &step->trap, error);
    }
    if (step->kind == SAM_STEP_RELEASED && s->retry)
        let_retry(s, group, w);
    if (pause == SAM_PAUSE_ENDED)
        end_group(s, group);
    return SAM_OK;
}

static bool each(struct sam_pace *pace, const struct sam_step *record)
{
    struct session *s = (struct session *)(void *)((char *)pace - offsetof(struct session, pace));
    struct sam_step step = *record;
    step.time = s->base.time++;
    return sam_session_each(&s->base, s->asked, &step);
}

static void arm(struct sam_pace *pace, struct sam_warp *w)
{
    struct session *s = (struct session *)(void *)((char *)pace - offsetof(struct session, pace));
    sam_session_arm(&s->base, &w->core, w->wgid, w->wid, pace->heeds);
}

/* Run a group, or one warp of it, until a pause that is more than a point that does not stop. */
static enum sam_pause run_group(struct session *s, struct sam_group *group, struct sam_warp *only,
                                struct sam_session_stop *stop)
{
    for (;;) {
        sam_space_enter(&s->worker, group);
        const uint64_t time = s->base.time, before = s->worker.warp_insns;
        enum sam_pause pause =
            only ? sam_group_run_warp(&s->worker, group, only) : sam_group_run(&s->worker, group);
        s->base.time = time + (s->worker.warp_insns - before);
        struct sam_warp *w = &group->warps[pause == SAM_PAUSE_BREAK ? group->at : group->last];
        stop->workgroup = group->workgroup;
        stop->warp = w->wid;
        stop->pc = pc_of(w);
        bool stops = true;
        if (pause == SAM_PAUSE_BREAK)
            stops = sam_session_breaks(&s->base, &w->core, w->wgid, w->wid, w->simt, stop);
        else if (pause == SAM_PAUSE_WATCH)
            stops = sam_session_watched(&s->base, &w->core, w->wgid, w->wid, stop);
        if (pause == SAM_PAUSE_BREAK || pause == SAM_PAUSE_WATCH)
            w->passed = w->core.retired + 1;
        if (stops)
            return pause;
    }
}

static enum sam_status told(struct session *s, enum sam_pause pause, struct sam_session_stop *stop,
                            struct sam_error *error)
{
    switch (pause) {
    case SAM_PAUSE_NONE:
    case SAM_PAUSE_ENDED: stop->reason = SAM_SESSION_DONE; break;
    case SAM_PAUSE_FAILED: {
        const enum sam_status status = take_failure(s, &stop->trap, error);
        stop->reason = SAM_SESSION_TRAP;
        stop->warp = stop->trap.kind == SAM_TRAP_NONE ? stop->warp : stop->trap.warp;
        stop->pc = stop->trap.kind == SAM_TRAP_NONE ? stop->pc : stop->trap.pc;
        return status;
    }
    case SAM_PAUSE_STOPPED:
        stop->reason = SAM_SESSION_STOPPED;
        return sam_run_outcome(&s->run, error);
    case SAM_PAUSE_BREAK:
    case SAM_PAUSE_WATCH: break; /* with the reason */
    case SAM_PAUSE_RELEASED: stop->reason = SAM_SESSION_RELEASED; break;
    case SAM_PAUSE_COUNT: stop->reason = SAM_SESSION_COUNT; break;
    case SAM_PAUSE_ASKED: stop->reason = SAM_SESSION_ASKED; break;
    case SAM_PAUSE_WAITS: stop->reason = SAM_SESSION_WAITS; break;
    }
    return SAM_OK;
}

/* Run the session's workgroups one after another. */
static enum sam_status run_all(struct session *s, enum sam_pause *pause,
                               struct sam_session_stop *stop, struct sam_error *error)
{
    *pause = SAM_PAUSE_ENDED;
    while (s->next < s->count) {
        const uint32_t workgroup = nth(&s->base, s->next);
        const enum sam_session_state now = state_of(s, workgroup);
        if (now == SAM_SESSION_ENDED) {
            s->next++;
            continue;
        }
        if (sam_run_is_stopped(&s->run)) {
            *pause = SAM_PAUSE_STOPPED;
            return SAM_OK;
        }
        /* One that was started before its turn may have to make room first. */
        struct sam_group *group = now == SAM_SESSION_NEW ? rival_of(s, workgroup) : NULL;
        const enum sam_status status = group ? SAM_OK : group_of(s, workgroup, &group, error);
        if (status != SAM_OK)
            return status;
        *pause = run_group(s, group, NULL, stop);
        if (*pause != SAM_PAUSE_ENDED)
            return SAM_OK;
        end_group(s, group);
    }
    return SAM_OK;
}

static enum sam_status run(struct sam_session *base, const struct sam_session_run *run,
                           struct sam_session_stop *stop, struct sam_error *error)
{
    struct session *s = session_of(base);
    enum sam_pause pause;
    struct sam_core *core = NULL;
    s->asked = run;
    s->pace = (struct sam_pace){.left = run->instructions ? run->instructions : UINT64_MAX,
                                .heeds = !run->ignore_stops,
                                .to_release = run->to_release,
                                .each = run->each ? each : NULL,
                                .arm = base->watches.count ? arm : NULL};
    if (run->scope == SAM_SCOPE_ALL) {
        const enum sam_status status = run_all(s, &pause, stop, error);
        return status == SAM_OK ? told(s, pause, stop, error) : status;
    }
    const bool alone = run->scope == SAM_SCOPE_WARP;
    const enum sam_status status = find(base, run->workgroup, alone ? run->warp : 0, &core, error);
    if (status != SAM_OK)
        return status;
    struct sam_warp *w = sam_warp_of(core);
    struct sam_group *group = found(s, w);
    pause = run_group(s, group, alone ? w : NULL, stop);
    if (pause == SAM_PAUSE_ENDED && !group->ready)
        end_group(s, group);
    return told(s, pause, stop, error);
}

static enum sam_status finish(struct sam_session *base, struct sam_gpu_result *result,
                              struct sam_error *error)
{
    struct session *s = session_of(base);
    struct sam_session_stop stop = {0};
    enum sam_pause pause;
    s->pace = (struct sam_pace){.left = UINT64_MAX};
    enum sam_status status = run_all(s, &pause, &stop, error);
    if (status != SAM_OK)
        return status;
    bool ok = !result || sam_run_result(&s->run, result);
    for (size_t i = 0; ok && result && i < s->live_count; i++)
        ok = sam_run_places(&s->run, s->live[i], result);
    struct sam_trap trap;
    status = pause == SAM_PAUSE_ENDED ? SAM_OK : take_failure(s, &trap, error);
    return ok ? status : sam_fail_memory(error);
}

/* ------------------------------------------------------------------- registers and memory */

static void set_pc(struct sam_session *base, struct sam_core *core, uint64_t pc)
{
    struct sam_warp *w = sam_warp_of(core);
    core->pc = pc;
    core->pending_prefix = 0;
    w->passed = w->retries = 0;
    if (w->state == SAM_WARP_WAITS) {
        w->state = SAM_WARP_READY;
        found(session_of(base), w)->ready++;
    }
}

static enum sam_status set_csr(struct sam_session *base, struct sam_core *core, unsigned address,
                               uint64_t value, struct sam_error *error)
{
    struct session *s = session_of(base);
    struct sam_trap trap;
    core->event = 0;
    if (!sam_core_csr_write(core, address, core->retired, value))
        return sam_fail(error, SAM_ERR_USAGE, "no CSR 0x%03x that can be written", address);
    if (core->event == SAM_EVENT_PRINT) {
        sam_space_enter(&s->worker, found(s, sam_warp_of(core)));
        if (!sam_run_print(&s->worker, sam_warp_of(core)))
            return take_failure(s, &trap, error);
    }
    return SAM_OK;
}

static enum sam_status stack(struct sam_session *base, struct sam_core *core,
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

static enum sam_status set_stack(struct sam_session *base, struct sam_core *core, uint32_t mask,
                                 const struct sam_stack_entry *entries, size_t depth,
                                 struct sam_error *error)
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

/* Local memory, of a workgroup that starts if it has not yet. A page that is not in use is zero. */
static enum sam_status access_lds(struct session *s, uint32_t workgroup, uint32_t offset,
                                  uint8_t *data, size_t size, bool write, struct sam_error *error)
{
    struct sam_group *group = NULL;
    const enum sam_status status = group_of(s, workgroup, &group, error);
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

/* Global memory within one page of the program's addresses. */
static enum sam_status access_page(struct session *s, uint32_t address, uint8_t *data, size_t size,
                                   bool write, struct sam_error *error)
{
    uint64_t physical = address;
    struct sam_memory *memory = s->gpu.memory;
    if (s->gpu.options.sv39 &&
        sam_sv39_walk(&s->gpu, address, write ? SAM_STORE : SAM_LOAD, &physical) != SAM_WALK_OK)
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
    if (!sam_memory_write(memory, physical, data, size))
        return sam_fail_memory(error);
    sam_code_store(s->base.code, address, (unsigned)size);
    return SAM_OK;
}

static enum sam_status access_memory(struct sam_session *base, uint32_t workgroup, uint64_t address,
                                     void *data, size_t size, bool write, struct sam_error *error)
{
    struct session *s = session_of(base);
    uint8_t *bytes = data;
    enum sam_status status = SAM_OK;
    if (state_of(s, workgroup) == SAM_SESSION_ABSENT)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u: not in this session", workgroup);
    if (address > UINT32_MAX || size > (UINT64_C(1) << 32) - address)
        return fail_access(address, size, write, error);
    if (address - SAM_LDS_BASE < SAM_LDS_SIZE) {
        const uint32_t offset = (uint32_t)address - SAM_LDS_BASE;
        return size <= SAM_LDS_SIZE - offset
                   ? access_lds(s, workgroup, offset, data, size, write, error)
                   : fail_access(address, size, write, error);
    }
    /* First all of it is checked: a write happens as a whole or not at all. */
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

static enum sam_status private_address(struct sam_session *base, struct sam_core *core,
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

/* ---------------------------------------------------------------------------- opening, closing */

static void close_session(struct sam_session *base)
{
    struct session *s = session_of(base);
    sam_session_release(base);
    for (size_t i = 0; i < s->live_count; i++)
        free_group(s, s->live[i]);
    free_group(s, s->spare);
    for (size_t i = 0; s->blocks && i < s->block_count; i++)
        free(s->blocks[i]);
    sam_pages_free(s->blocks, s->block_count * sizeof(struct block *));
    free(s->live);
    free(s->list);
    sam_worker_release(&s->worker);
    sam_run_close(&s->run);
    free(s);
}

/* Note which workgroups the session has. */
static enum sam_status take_list(struct session *s, const struct sam_session_options *options,
                                 struct sam_error *error)
{
    s->count = s->run.workgroups;
    if (!options->workgroups)
        return SAM_OK;
    s->count = options->workgroup_count;
    s->list = sam_alloc(s->count ? s->count : 1, sizeof *s->list);
    if (!s->list)
        return sam_fail_memory(error);
    for (uint64_t i = 0; i < s->count; i++) {
        const uint32_t workgroup = s->list[i] = options->workgroups[i];
        if (workgroup >= s->run.workgroups)
            return sam_fail(error, SAM_ERR_USAGE, "workgroup %u: the launch has %llu", workgroup,
                            (unsigned long long)s->run.workgroups);
        struct block *block = make_block(s, workgroup);
        if (!block)
            return sam_fail_memory(error);
        if (bit(block->listed, workgroup))
            return sam_fail(error, SAM_ERR_USAGE, "workgroup %u is listed twice", workgroup);
        set_bit(block->listed, workgroup, true);
    }
    s->run.progress.workgroups = s->count;
    return SAM_OK;
}

static const struct sam_session_ops ops = {
    .close = close_session,
    .shape = shape,
    .workgroup = nth,
    .state = state,
    .find = find,
    .warp = show_warp,
    .v = v_of,
    .step = step,
    .run = run,
    .finish = finish,
    .set_pc = set_pc,
    .set_csr = set_csr,
    .stack = stack,
    .set_stack = set_stack,
    .access = access_memory,
    .private_ = private_address,
};

enum sam_status sam_session_open(struct sam_gpu *gpu, const struct sam_launch *launch,
                                 const struct sam_session_options *given,
                                 struct sam_session **session, struct sam_error *error)
{
    struct sam_session_options options;
    *session = NULL;
    if (!gpu || !launch)
        return sam_fail(error, SAM_ERR_USAGE, "a session needs a gpu and a launch");
    enum sam_status status =
        sam_options_take(&options, sizeof options, sizeof options, given, error);
    if (status != SAM_OK)
        return status;
    struct session *s = sam_alloc(1, sizeof *s);
    if (!s)
        return sam_fail_memory(error);
    s->gpu = *gpu;
    s->launch = *launch;
    s->keep = options.keep_ended;
    s->retry = options.barrier_retry;
    status = sam_run_open(&s->run, &s->gpu, &s->launch, error);
    if (status != SAM_OK) {
        free(s);
        return status;
    }
    s->worker.run = &s->run;
    s->run.workers = &s->worker;
    s->run.worker_count = 1;
    s->block_count = (size_t)((s->run.workgroups + BLOCK - 1) / BLOCK);
    s->blocks = sam_pages_new(s->block_count * sizeof(struct block *));
    s->worker.pace = &s->pace;
    s->base.ops = &ops;
    if (!s->blocks || !sam_worker_init(&s->worker, &s->run))
        status = sam_fail_memory(error);
    else
        status = take_list(s, &options, error);
    if (status != SAM_OK) {
        close_session(&s->base);
        return status;
    }
    sam_session_init(&s->base, &ops, &s->worker.view, s->worker.code);
    *session = &s->base;
    return SAM_OK;
}
