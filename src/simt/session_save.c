/* SPDX-License-Identifier: Apache-2.0 */
/* Saves and restores a session's state outside global memory: registers and local memory of live
 * workgroups, and the progress of the launch. */
#include <stdlib.h>

#include "simt/session.h"

struct saved_group {
    struct sam_group group;         /* scheduling state; its pointers are unused */
    uint8_t *warps;                 /* warps of saved->warp_size bytes */
    struct sam_stack_entry *stacks; /* of all warps, consecutively */
    struct sam_lds_page *lds;
    uint8_t *parked; /* private memory, if the group is away */
};

struct saved {
    struct saved_group *groups;
    size_t count;
    size_t warp_size; /* up to the last vector register in use */
    uint64_t next, started;
    size_t ended_count;
    struct sam_gpu_progress progress;
    uint32_t print_shown;
    bool print_line_open;
    uint64_t warp_insns, untold_insns;
};

void sam_gpu_session_forget(struct sam_session *base, void *state)
{
    struct saved *saved = state;
    (void)base;
    for (size_t i = 0; saved->groups && i < saved->count; i++) {
        struct saved_group *g = &saved->groups[i];
        for (uint32_t k = 0; g->lds && k < g->group.lds_count; k++)
            free(g->lds[k].bytes);
        free(g->lds);
        free(g->warps);
        free(g->stacks);
        free(g->parked);
    }
    free(saved->groups);
    free(saved);
}

static bool save_group(const struct sam_gpu_session *s, const struct saved *saved,
                       const struct sam_group *group, struct saved_group *to)
{
    const uint32_t warps = s->launch.warps;
    size_t entries = 0;
    to->group = *group;
    for (uint32_t i = 0; i < warps; i++)
        entries += group->warps[i].depth;
    to->warps = sam_alloc(warps, saved->warp_size);
    to->stacks = malloc((entries ? entries : 1) * sizeof *to->stacks);
    to->lds = sam_alloc(group->lds_count ? group->lds_count : 1, sizeof *to->lds);
    if (!to->warps || !to->stacks || !to->lds)
        return false;
    struct sam_stack_entry *stack = to->stacks;
    for (uint32_t i = 0; i < warps; i++) {
        const struct sam_warp *w = &group->warps[i];
        memcpy(to->warps + i * saved->warp_size, w, saved->warp_size);
        if (w->depth)
            memcpy(stack, w->stack, w->depth * sizeof *stack);
        stack += w->depth;
    }
    for (uint32_t i = 0; i < group->lds_count; i++) {
        to->lds[i] = (struct sam_lds_page){group->lds[i].number, malloc(SAM_PAGE_SIZE)};
        if (!to->lds[i].bytes)
            return false;
        memcpy(to->lds[i].bytes, group->lds[i].bytes, SAM_PAGE_SIZE);
    }
    if (group->away) {
        to->parked = malloc(s->run.pds_group);
        if (!to->parked)
            return false;
        memcpy(to->parked, group->parked, s->run.pds_group);
    }
    return true;
}

void *sam_gpu_session_save(struct sam_session *base)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    struct saved *saved = sam_alloc(1, sizeof *saved);
    if (!saved)
        return NULL;
    *saved = (struct saved){
        .groups = sam_alloc(s->live_count ? s->live_count : 1, sizeof *saved->groups),
        .count = s->live_count,
        .warp_size = offsetof(struct sam_warp, v) +
                     sam_code_vectors(base->code) * sizeof(uint32_t[SAM_LANES]),
        .next = s->next,
        .started = s->run.next,
        .ended_count = s->ended_count,
        .progress = s->run.progress,
        .print_shown = s->run.print_shown,
        .print_line_open = s->run.print_line_open,
        .warp_insns = s->worker.warp_insns,
        .untold_insns = s->worker.untold_insns,
    };
    bool ok = saved->groups != NULL;
    for (size_t i = 0; ok && i < s->live_count; i++)
        ok = save_group(s, saved, s->live[i], &saved->groups[i]);
    if (ok)
        return saved;
    sam_gpu_session_forget(base, saved);
    return NULL;
}

/* Registers not in use when saved still had their initial value. */
static bool load_warp(struct sam_warp *w, const struct saved *saved, const uint8_t *bytes,
                      const struct sam_stack_entry *stack)
{
    struct sam_stack_entry *own = w->stack;
    const uint32_t capacity = w->stack_capacity;
    memcpy(w, bytes, saved->warp_size);
    w->stack = own;
    w->stack_capacity = capacity;
    if (!sam_warp_reserve_stack(w, w->depth))
        return false;
    if (w->depth)
        memcpy(w->stack, stack, w->depth * sizeof *stack);
    return true;
}

static bool load_group(struct sam_gpu_session *s, const struct saved *saved,
                       const struct saved_group *from)
{
    struct sam_group *group = sam_gpu_session_revive(s, from->group.workgroup);
    if (!group)
        return false;
    group->has_turn = from->group.has_turn;
    group->ready = from->group.ready;
    group->at = from->group.at;
    group->in_turn = from->group.in_turn;
    group->turn = from->group.turn;
    group->last = from->group.last;
    const struct sam_stack_entry *stack = from->stacks;
    for (uint32_t i = 0; i < s->launch.warps; i++) {
        if (!load_warp(&group->warps[i], saved, from->warps + i * saved->warp_size, stack))
            return false;
        stack += group->warps[i].depth;
    }
    for (uint32_t i = 0; i < from->group.lds_count; i++) {
        uint8_t *page = sam_space_lds(&s->worker, group, from->lds[i].number, true);
        if (!page)
            return false;
        memcpy(page, from->lds[i].bytes, SAM_PAGE_SIZE);
    }
    group->away = from->parked != NULL;
    if (!group->away)
        return true;
    if (!group->parked && !(group->parked = malloc(s->run.pds_group)))
        return false;
    memcpy(group->parked, from->parked, s->run.pds_group);
    return true;
}

enum sam_status sam_gpu_session_load(struct sam_session *base, const void *state,
                                     struct sam_error *error)
{
    struct sam_gpu_session *s = sam_gpu_session_of(base);
    const struct saved *saved = state;
    bool ok = !s->lost;
    if (s->worker.shown < s->worker.warp_insns)
        s->worker.shown = s->worker.warp_insns;
    while (s->live_count)
        sam_gpu_session_drop_group(s, s->live[s->live_count - 1]);
    while (s->ended_count > saved->ended_count)
        sam_gpu_session_revert(s, s->ended[--s->ended_count]);
    for (size_t i = 0; ok && i < saved->count; i++)
        ok = load_group(s, saved, &saved->groups[i]);
    s->next = saved->next;
    s->run.next = saved->started;
    s->run.progress = saved->progress;
    s->run.print_shown = saved->print_shown;
    s->run.print_line_open = saved->print_line_open;
    s->worker.warp_insns = saved->warp_insns;
    s->worker.untold_insns = saved->untold_insns;
    return ok ? SAM_OK : sam_fail_memory(error);
}

void sam_gpu_session_show(struct sam_session *base, uint64_t later)
{
    struct sam_worker *worker = &sam_gpu_session_of(base)->worker;
    if (worker->shown > worker->warp_insns + later)
        worker->shown = worker->warp_insns + later;
}
