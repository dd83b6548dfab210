/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of sessions: checks common to all machines. */
#include "machine/session.h"

#include <stdlib.h>

#include "machine/history.h"

/* To inspect the session, also from its callbacks. */
static enum sam_status look(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                            struct sam_core **core, struct sam_error *error)
{
    if (!session)
        return sam_fail_null(error, "session");
    return session->ops->find(session, workgroup, warp, core, error);
}

enum sam_status sam_session_check(const struct sam_session *session, struct sam_error *error)
{
    if (!session)
        return sam_fail_null(error, "session");
    if (session->busy)
        return sam_fail(error, SAM_ERR_USAGE, "the session runs: a callback may only inspect it");
    return SAM_OK;
}

/* To run or change the session. */
static enum sam_status take(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                            struct sam_core **core, struct sam_error *error)
{
    enum sam_status status = sam_session_check(session, error);
    return status == SAM_OK ? session->ops->find(session, workgroup, warp, core, error) : status;
}

void sam_session_init(struct sam_session *session, const struct sam_session_ops *ops,
                      struct sam_tlb *tlb, struct sam_code *code)
{
    session->ops = ops;
    session->tlb = tlb;
    session->code = code;
    tlb->watches = &session->watches;
}

void sam_session_release(struct sam_session *session)
{
    sam_history_free(session);
    for (size_t i = 0; i < session->point_count; i++)
        if (!session->points[i].watches)
            sam_code_remove_breakpoint(session->code, session->points[i].at.pc);
    if (session->tlb)
        session->tlb->watches = NULL;
    free(session->points);
    free(session->watches.list);
}

void sam_session_close(struct sam_session *session)
{
    if (session)
        session->ops->close(session);
}

/* ----------------------------------------------------------------------------- what there is */

enum sam_status sam_session_shape(const struct sam_session *session,
                                  struct sam_session_shape *shape, struct sam_error *error)
{
    if (SAM_LACKS(error, session, shape))
        return SAM_ERR_USAGE;
    *shape = (struct sam_session_shape){0};
    session->ops->shape(session, shape);
    return SAM_OK;
}

uint32_t sam_session_workgroup(const struct sam_session *session, uint64_t index)
{
    return session ? session->ops->workgroup(session, index) : UINT32_MAX;
}

enum sam_session_state sam_session_workgroup_state(const struct sam_session *session,
                                                   uint32_t workgroup)
{
    return session ? session->ops->state(session, workgroup) : SAM_SESSION_ABSENT;
}

enum sam_status sam_session_warp(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                 struct sam_session_warp *state, struct sam_error *error)
{
    struct sam_core *core;
    if (SAM_LACKS(error, session, state))
        return SAM_ERR_USAGE;
    *state = (struct sam_session_warp){0};
    enum sam_status status = look(session, workgroup, warp, &core, error);
    if (status == SAM_OK)
        session->ops->warp(session, core, state);
    return status;
}

uint64_t sam_session_time(const struct sam_session *session)
{
    return session ? session->time : 0;
}

/* ---------------------------------------------------------------------------------- running */

enum sam_status sam_session_step(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                 struct sam_step *step, struct sam_error *error)
{
    struct sam_core *core;
    struct sam_step ignored;
    enum sam_status status = take(session, workgroup, warp, &core, error);
    if (status != SAM_OK)
        return status;
    status = sam_history_step(session, workgroup, warp, error);
    if (status != SAM_OK)
        return status;
    sam_session_arm(session, core, workgroup, warp, false);
    status = session->ops->step(session, core, step ? step : &ignored, error);
    sam_history_ran(session);
    return status == SAM_OK ? sam_history_keep_up(session, error) : status;
}

/* Run in intervals, between which a recording takes snapshots. */
static enum sam_status run_parts(struct sam_session *session, const struct sam_session_run *run,
                                 struct sam_session_stop *stop, struct sam_error *error)
{
    const uint64_t started = session->time;
    enum sam_status status = sam_history_run(session, run, error);
    while (status == SAM_OK) {
        const uint64_t room = sam_history_room(session), used = session->time - started;
        const uint64_t left = run->instructions ? run->instructions - used : UINT64_MAX;
        struct sam_session_run part = *run;
        part.instructions = left < room ? left : room == UINT64_MAX ? 0 : room;
        *stop = (struct sam_session_stop){0};
        status = session->ops->run(session, &part, stop, error);
        session->watches.core = NULL;
        sam_history_ran(session);
        const bool over = status != SAM_OK || stop->reason != SAM_SESSION_COUNT || left <= room;
        if (status == SAM_OK)
            status = sam_history_keep_up(session, error);
        if (over)
            break;
    }
    return status;
}

enum sam_status sam_session_run(struct sam_session *session, const struct sam_session_run *given,
                                struct sam_session_stop *stop, struct sam_error *error)
{
    struct sam_session_run run;
    struct sam_session_stop ignored;
    stop = stop ? stop : &ignored;
    *stop = (struct sam_session_stop){0};
    enum sam_status status = sam_session_check(session, error);
    if (status == SAM_OK)
        status = sam_options_take(&run, sizeof run, sizeof run, given, error);
    if (status == SAM_OK && run.scope > SAM_SCOPE_WARP)
        status = sam_fail(error, SAM_ERR_USAGE, "scope %d: expected all, workgroup or warp",
                          (int)run.scope);
    if (status != SAM_OK)
        return status;
    const uint64_t before = session->time;
    sam_code_enable_breakpoints(session->code, !run.ignore_stops);
    status = run_parts(session, &run, stop, error);
    stop->instructions = session->time - before;
    return status;
}

enum sam_status sam_session_finish(struct sam_session *session, struct sam_gpu_result *result,
                                   struct sam_error *error)
{
    if (result)
        *result = (struct sam_gpu_result){0};
    enum sam_status status = sam_session_check(session, error);
    if (status == SAM_OK && !session->ops->finish)
        status = sam_fail(error, SAM_ERR_USAGE, "a hart has no launch to finish: run it");
    if (status != SAM_OK)
        return status;
    status = sam_history_run(session, &(struct sam_session_run){.scope = SAM_SCOPE_ALL}, error);
    if (status != SAM_OK)
        return status;
    sam_code_enable_breakpoints(session->code, false);
    status = session->ops->finish(session, result, error);
    sam_history_ran(session);
    return status;
}

bool sam_session_each(struct sam_session *session, const struct sam_session_run *run,
                      const struct sam_step *step)
{
    struct sam_core *core = session->watches.core;
    session->watches.core = NULL;
    session->busy = true;
    const bool on = run->each(run->context, session, step);
    session->busy = false;
    session->watches.core = core;
    return on;
}

/* --------------------------------------------------------------- breakpoints and watchpoints */

/* A new point with the next id. Returns NULL on out-of-memory. */
static struct sam_point *add_point(struct sam_session *session)
{
    void *grown = sam_grow(session->points, session->point_count, &session->point_capacity,
                           sizeof *session->points);
    if (!grown)
        return NULL;
    session->points = grown;
    struct sam_point *point = &session->points[session->point_count++];
    *point = (struct sam_point){.id = ++session->last_id};
    return point;
}

enum sam_status sam_session_add_break(struct sam_session *session,
                                      const struct sam_session_break *at, unsigned *id,
                                      struct sam_error *error)
{
    if (SAM_LACKS(error, session, at, id))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_session_check(session, error);
    if (status != SAM_OK)
        return status;
    if (at->pc & 3)
        return sam_fail(error, SAM_ERR_USAGE, "breakpoint at 0x%llx: expected a multiple of 4",
                        (unsigned long long)at->pc);
    struct sam_point *point = add_point(session);
    if (!point)
        return sam_fail_memory(error);
    if (!sam_code_add_breakpoint(session->code, at->pc)) {
        session->point_count--;
        return sam_fail_memory(error);
    }
    point->at = *at;
    *id = point->id;
    return SAM_OK;
}

enum sam_status sam_session_add_watch(struct sam_session *session,
                                      const struct sam_session_watch *of, unsigned *id,
                                      struct sam_error *error)
{
    if (SAM_LACKS(error, session, of, id))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_session_check(session, error);
    if (status != SAM_OK)
        return status;
    if (of->size == 0 || of->size - 1 > UINT64_MAX - of->address)
        return sam_fail(error, SAM_ERR_USAGE,
                        "watchpoint 0x%llx..+0x%llx: expected 1 byte or more, "
                        "within the address space",
                        (unsigned long long)of->address, (unsigned long long)of->size);
    const struct sam_watch watch = {.first = of->address,
                                    .last = of->address + (of->size - 1),
                                    .loads = of->loads,
                                    .stores = of->stores || !of->loads};
    struct sam_point *point = add_point(session);
    if (!point)
        return sam_fail_memory(error);
    if (!sam_watches_add(session->tlb, &watch)) {
        session->point_count--;
        return sam_fail_memory(error);
    }
    point->watches = true;
    point->of = *of;
    *id = point->id;
    return SAM_OK;
}

enum sam_status sam_session_remove(struct sam_session *session, unsigned id,
                                   struct sam_error *error)
{
    enum sam_status status = sam_session_check(session, error);
    size_t watch = 0;
    if (status != SAM_OK)
        return status;
    for (size_t i = 0; i < session->point_count; i++) {
        struct sam_point *point = &session->points[i];
        if (point->id == id) {
            if (point->watches)
                sam_watches_remove(session->tlb, watch);
            else
                sam_code_remove_breakpoint(session->code, point->at.pc);
            memmove(point, point + 1, (--session->point_count - i) * sizeof *point);
            return SAM_OK;
        }
        watch += point->watches;
    }
    return sam_fail(error, SAM_ERR_USAGE, "no breakpoint or watchpoint %u", id);
}

void sam_session_arm(struct sam_session *session, struct sam_core *core, uint32_t workgroup,
                     uint32_t warp, bool stops)
{
    struct sam_watches *watches = &session->watches;
    size_t at = 0;
    watches->core = stops && watches->count ? core : NULL;
    for (size_t i = 0; watches->core && i < session->point_count; i++) {
        const struct sam_session_watch *of = &session->points[i].of;
        if (!session->points[i].watches)
            continue;
        watches->list[at].hit = false;
        watches->list[at++].enabled = (!of->has_workgroup || of->workgroup == workgroup) &&
                                      (!of->has_warp || of->warp == warp);
    }
}

bool sam_session_breaks(struct sam_session *session, const struct sam_core *core,
                        uint32_t workgroup, uint32_t warp, uint32_t lanes,
                        struct sam_session_stop *stop)
{
    for (size_t i = 0; i < session->point_count; i++) {
        const struct sam_session_break *at = &session->points[i].at;
        if (session->points[i].watches || at->pc != core->pc ||
            (at->has_workgroup && at->workgroup != workgroup) ||
            (at->has_warp && at->warp != warp) || (at->lanes && !(at->lanes & lanes)))
            continue;
        bool stops = true;
        if (at->when) {
            session->busy = true;
            stops = at->when(at->context, session, workgroup, warp);
            session->busy = false;
        }
        if (stops) {
            stop->reason = SAM_SESSION_BREAK;
            stop->id = session->points[i].id;
            return true;
        }
    }
    return false;
}

bool sam_session_watched(struct sam_session *session, const struct sam_core *core,
                         uint32_t workgroup, uint32_t warp, struct sam_session_stop *stop)
{
    bool stops = false;
    size_t at = 0;
    session->watches.core = NULL;
    for (size_t i = 0; !stops && i < session->point_count; i++) {
        const struct sam_session_watch *of = &session->points[i].of;
        if (!session->points[i].watches)
            continue;
        const struct sam_watch *watch = &session->watches.list[at++];
        if (!watch->hit)
            continue;
        *stop = (struct sam_session_stop){.reason = SAM_SESSION_WATCH,
                                          .workgroup = workgroup,
                                          .warp = warp,
                                          .pc = core->pc,
                                          .id = session->points[i].id,
                                          .access_pc = core->pc - 4,
                                          .address = watch->address,
                                          .size = watch->size <= 8 ? watch->size : 0,
                                          .store = watch->store,
                                          .before = watch->before,
                                          .after = sam_watch_bytes(watch->host, watch->size)};
        session->busy = true;
        stops = !of->when || of->when(of->context, session, stop);
        session->busy = false;
    }
    sam_watches_clear(&session->watches);
    return stops;
}

/* ------------------------------------------------------------------- registers and memory */

static enum sam_status check_register(const struct sam_session *session, unsigned number,
                                      struct sam_error *error)
{
    struct sam_session_shape shape;
    session->ops->shape(session, &shape);
    return number < shape.x_count ? SAM_OK
                                  : sam_fail(error, SAM_ERR_USAGE, "x%u: expected x0 to x%u",
                                             number, shape.x_count - 1);
}

static bool is_narrow(const struct sam_session *session)
{
    return sam_code_is_narrow(session->code);
}

enum sam_status sam_session_set_pc(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                   uint64_t pc, struct sam_error *error)
{
    struct sam_core *core;
    enum sam_status status = take(session, workgroup, warp, &core, error);
    if (status == SAM_OK && (pc & 3))
        status = sam_fail(error, SAM_ERR_USAGE, "pc 0x%llx: expected a multiple of 4",
                          (unsigned long long)pc);
    if (status != SAM_OK)
        return status;
    session->ops->set_pc(session, core, is_narrow(session) ? (uint32_t)pc : pc);
    return sam_history_change(session, error);
}

enum sam_status sam_session_x(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                              unsigned number, uint64_t *value, struct sam_error *error)
{
    struct sam_core *core;
    if (SAM_LACKS(error, session, value))
        return SAM_ERR_USAGE;
    enum sam_status status = look(session, workgroup, warp, &core, error);
    if (status == SAM_OK)
        status = check_register(session, number, error);
    if (status == SAM_OK)
        *value = sam_core_x(core, is_narrow(session), number);
    return status;
}

enum sam_status sam_session_set_x(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                  unsigned number, uint64_t value, struct sam_error *error)
{
    struct sam_core *core;
    enum sam_status status = take(session, workgroup, warp, &core, error);
    if (status == SAM_OK)
        status = check_register(session, number, error);
    if (status != SAM_OK || !number)
        return status;
    sam_core_set_x(core, is_narrow(session), number, value);
    return sam_history_change(session, error);
}

static enum sam_status find_v(struct sam_session *session, struct sam_core *core, unsigned number,
                              uint32_t **values, struct sam_error *error)
{
    *values = session->ops->v ? session->ops->v(session, core, number) : NULL;
    return *values ? SAM_OK : sam_fail(error, SAM_ERR_USAGE, "no register v%u", number);
}

enum sam_status sam_session_v(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                              unsigned number, uint32_t values[SAM_MAX_LANES],
                              struct sam_error *error)
{
    struct sam_core *core;
    struct sam_session_shape shape;
    uint32_t *v;
    if (SAM_LACKS(error, session, values))
        return SAM_ERR_USAGE;
    enum sam_status status = look(session, workgroup, warp, &core, error);
    if (status == SAM_OK)
        status = find_v(session, core, number, &v, error);
    if (status != SAM_OK)
        return status;
    session->ops->shape(session, &shape);
    for (unsigned i = 0; i < SAM_MAX_LANES; i++)
        values[i] = i < shape.lanes ? v[i] : 0;
    return SAM_OK;
}

enum sam_status sam_session_set_v(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                  unsigned number, uint32_t lanes,
                                  const uint32_t values[SAM_MAX_LANES], struct sam_error *error)
{
    struct sam_core *core;
    uint32_t *v;
    if (SAM_LACKS(error, session, values))
        return SAM_ERR_USAGE;
    enum sam_status status = take(session, workgroup, warp, &core, error);
    if (status == SAM_OK)
        status = find_v(session, core, number, &v, error);
    for (; status == SAM_OK && lanes; lanes &= lanes - 1)
        v[__builtin_ctz(lanes)] = values[__builtin_ctz(lanes)];
    return status == SAM_OK ? sam_history_change(session, error) : status;
}

enum sam_status sam_session_csr(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                unsigned address, uint64_t *value, struct sam_error *error)
{
    struct sam_core *core;
    if (SAM_LACKS(error, session, value))
        return SAM_ERR_USAGE;
    enum sam_status status = look(session, workgroup, warp, &core, error);
    if (status == SAM_OK && !sam_core_csr_read(core, address, core->retired, value))
        status = sam_fail(error, SAM_ERR_USAGE, "no CSR 0x%03x", address);
    return status;
}

enum sam_status sam_session_set_csr(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                    unsigned address, uint64_t value, struct sam_error *error)
{
    struct sam_core *core;
    enum sam_status status = take(session, workgroup, warp, &core, error);
    if (status == SAM_OK)
        status = session->ops->set_csr(session, core, address,
                                       is_narrow(session) ? (uint32_t)value : value, error);
    return status == SAM_OK ? sam_history_change(session, error) : status;
}

static enum sam_status no_stack(struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_USAGE, "a hart has no SIMT stack and no private memory");
}

enum sam_status sam_session_stack(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                  struct sam_stack_entry *entries, size_t room, size_t *depth,
                                  struct sam_error *error)
{
    struct sam_core *core;
    if (SAM_LACKS(error, session, depth) || (room && SAM_LACKS(error, entries)))
        return SAM_ERR_USAGE;
    enum sam_status status = look(session, workgroup, warp, &core, error);
    if (status != SAM_OK)
        return status;
    return session->ops->stack ? session->ops->stack(session, core, entries, room, depth, error)
                               : no_stack(error);
}

enum sam_status sam_session_set_stack(struct sam_session *session, uint32_t workgroup,
                                      uint32_t warp, uint32_t mask,
                                      const struct sam_stack_entry *entries, size_t depth,
                                      struct sam_error *error)
{
    struct sam_core *core;
    if (depth && SAM_LACKS(error, entries))
        return SAM_ERR_USAGE;
    enum sam_status status = take(session, workgroup, warp, &core, error);
    if (status != SAM_OK)
        return status;
    status = session->ops->set_stack
                 ? session->ops->set_stack(session, core, mask, entries, depth, error)
                 : no_stack(error);
    return status == SAM_OK ? sam_history_change(session, error) : status;
}

enum sam_status sam_session_private(struct sam_session *session, uint32_t workgroup, uint32_t warp,
                                    uint32_t lane, uint32_t offset, uint64_t *address,
                                    struct sam_error *error)
{
    struct sam_core *core;
    if (SAM_LACKS(error, session, address))
        return SAM_ERR_USAGE;
    enum sam_status status = look(session, workgroup, warp, &core, error);
    if (status != SAM_OK)
        return status;
    return session->ops->private_
               ? session->ops->private_(session, core, lane, offset, address, error)
               : no_stack(error);
}

enum sam_status sam_session_read(struct sam_session *session, uint32_t workgroup, uint64_t address,
                                 void *data, size_t size, struct sam_error *error)
{
    if (!session)
        return sam_fail_null(error, "session");
    return session->ops->access(session, workgroup, address, data, size, false, error);
}

enum sam_status sam_session_write(struct sam_session *session, uint32_t workgroup, uint64_t address,
                                  const void *data, size_t size, struct sam_error *error)
{
    enum sam_status status = sam_session_check(session, error);
    if (status == SAM_OK && size && SAM_LACKS(error, data))
        return SAM_ERR_USAGE;
    if (status == SAM_OK)
        status = session->ops->access(session, workgroup, address, (void *)data, size, true, error);
    return status == SAM_OK ? sam_history_change(session, error) : status;
}
