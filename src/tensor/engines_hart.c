/* SPDX-License-Identifier: Apache-2.0 */
/* The hart in time: issues in program order, stalls on full queues, slots of the matrix unit and
 * memory dependences, and classifies each of its cycles. While the times of an instruction are
 * unknown, it advances from one event of the clock to the next. */
#include "tensor/engines_state.h"

void sam_engines_show(struct sam_engines *e, const struct sam_engines_slice *slice)
{
    if (e->watch.slice && slice->end > slice->start)
        e->good &= e->watch.slice(e->watch.context, slice);
}

/* Count the cycles of the hart up to `end` as this kind. */
static void spend(struct sam_engines *e, unsigned kind, uint64_t end, uint64_t pc)
{
    struct sam_engines_slice *s = &e->slice;
    e->issue[kind] += end - e->cycle;
    if (s->cycle != kind || s->end == 0) {
        sam_engines_show(e, s);
        *s = (struct sam_engines_slice){
            .track = SAM_ENGINE_COUNT, .cycle = kind, .start = e->cycle, .pc = pc};
    }
    s->end = end;
    e->cycle = end;
}

void sam_engines_close_cycle(struct sam_engines *e)
{
    if (e->used)
        spend(e, e->kind, e->cycle + 1, e->pc);
    e->used = 0;
    e->matrix = false;
}

/* Engines with empty queues are idle because the hart stalls until `until`. */
static void count_stalled(struct sam_engines *e, uint64_t until)
{
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        struct sam_engines_queue *q = &e->queue[i];
        const uint64_t from = q->done > e->cycle ? q->done : e->cycle;
        if (!q->waiting && until > from)
            q->stalled += until - from;
    }
}

/* The next cycle in which a unit of the clock may end a stall. */
static uint64_t next_event(const struct sam_clock *clock)
{
    const uint64_t next = sam_clock_next(clock);
    return next > clock->now ? next : clock->now + 1;
}

void sam_engines_stall(struct sam_engines *e, unsigned kind, uint64_t until, uint64_t pc)
{
    const bool open = e->waiting || until == SAM_ENGINES_NEVER;
    const bool was_used = e->used != 0;
    if (until <= e->cycle)
        return;
    sam_engines_close_cycle(e);
    if (until <= e->cycle || (open && was_used))
        return;
    if (open) {
        sam_engines_sync(e);
        const uint64_t next = next_event(e->outside.clock);
        until = next < until ? next : until;
    }
    count_stalled(e, until);
    spend(e, kind, until, pc);
}

/* Advance the hart to the clock, which ran ahead in sam_engines_settle. */
static void catch_up(struct sam_engines *e)
{
    e->settled = false;
    if (e->outside.clock->now <= e->cycle)
        return;
    sam_engines_close_cycle(e);
    if (e->outside.clock->now > e->cycle)
        spend(e, SAM_ISSUE_DONE, e->outside.clock->now, e->pc);
}

void sam_engines_open_cycle(struct sam_engines *e)
{
    if (e->used == e->config.issue)
        sam_engines_close_cycle(e);
    if (e->settled)
        catch_up(e);
}

void sam_engines_issue(struct sam_engines *e, unsigned kind, uint64_t pc)
{
    if (!e->used)
        e->pc = pc;
    e->kind = e->used && e->kind > kind ? e->kind : kind;
    e->used++;
    e->instructions++;
}

void sam_engines_scalar(struct sam_engines *e, uint64_t pc)
{
    sam_engines_open_cycle(e);
    sam_engines_issue(e, SAM_ISSUE_SCALAR, pc);
    if (e->config.scalar_cpi > 1) {
        sam_engines_close_cycle(e);
        spend(e, SAM_ISSUE_SCALAR, e->cycle + e->config.scalar_cpi - 1, pc);
    }
}

void sam_engines_scalars(struct sam_engines *e, uint64_t count)
{
    /* Complete the current cycle, then count whole cycles. */
    for (bool first = true; count && (first || (e->used && e->used < e->config.issue)); count--) {
        sam_engines_scalar(e, 0);
        first = false;
    }
    const bool slow = e->config.scalar_cpi > 1;
    const uint64_t rest = slow ? 0 : count % e->config.issue;
    const uint64_t cycles = slow ? count * e->config.scalar_cpi : count / e->config.issue;
    if (cycles) {
        sam_engines_close_cycle(e);
        spend(e, SAM_ISSUE_SCALAR, e->cycle + cycles, 0);
        e->instructions += count - rest;
    }
    for (uint64_t i = 0; i < rest; i++)
        sam_engines_scalar(e, 0);
}

bool sam_engines_has_memory(const struct sam_engines *e)
{
    return e->inflight_count != 0 || e->waiting;
}

/* The first cycle in which the hart may access the bytes. */
static uint64_t access_ready(struct sam_engines *e, bool store, const struct sam_work_span *bytes)
{
    const struct sam_engines_outside *o = &e->outside;
    sam_engines_sync(e);
    if (o->clock && o->free && !o->free(o->context, e->order, store, bytes, 1))
        return SAM_ENGINES_NEVER;
    return sam_engines_ready(e, e->order, store, *bytes);
}

void sam_engines_reach(struct sam_engines *e, uint64_t pc, bool store, struct sam_work_span bytes)
{
    sam_engines_open_cycle(e);
    for (uint64_t ready; (ready = access_ready(e, store, &bytes)) > e->cycle;)
        sam_engines_stall(e, SAM_ISSUE_MEMORY, ready, pc);
}

void sam_engines_access(struct sam_engines *e, uint64_t pc, bool store, struct sam_work_span bytes)
{
    sam_engines_reach(e, pc, store, bytes);
    sam_engines_scalar(e, pc);
}

/* ------------------------------------------------------------- conditions of other units */

uint64_t sam_engines_open(struct sam_engines *e)
{
    sam_engines_open_cycle(e);
    sam_engines_sync(e);
    return e->cycle;
}

uint64_t sam_engines_open_matrix(struct sam_engines *e)
{
    sam_engines_open_cycle(e);
    if (e->matrix)
        sam_engines_close_cycle(e);
    sam_engines_sync(e);
    return e->cycle;
}

uint64_t sam_engines_wait(struct sam_engines *e, unsigned kind, uint64_t until, uint64_t pc)
{
    const bool was_used = e->used != 0;
    sam_engines_close_cycle(e);
    sam_engines_sync(e);
    if (!was_used) {
        const uint64_t next = next_event(e->outside.clock);
        sam_engines_stall(e, kind, next < until ? next : until, pc);
        sam_engines_sync(e);
    }
    return e->cycle;
}

uint64_t sam_engines_pause(struct sam_engines *e, unsigned kind, uint64_t pc)
{
    if (e->waiting || e->used) /* stop at each event */
        return sam_engines_wait(e, kind, SAM_ENGINES_NEVER, pc);
    sam_clock_run(e->outside.clock, SAM_ENGINES_NEVER);
    sam_engines_stall(e, kind, e->outside.clock->now, pc);
    return e->cycle;
}

void sam_engines_matrix(struct sam_engines *e, uint64_t pc, bool retires)
{
    sam_engines_issue(e, SAM_ISSUE_MATRIX, pc);
    e->instructions -= !retires;
    e->matrix = true;
    e->order++;
}

uint64_t sam_engines_order(const struct sam_engines *e)
{
    return e->order;
}

/* ----------------------------------------------------------------------------------- the end */

uint64_t sam_engines_now(const struct sam_engines *e)
{
    return e->cycle + (e->used != 0);
}

void sam_engines_settle(struct sam_engines *e, bool (*busy)(void *context), void *context)
{
    struct sam_clock *clock = e->outside.clock;
    if (!clock)
        return;
    uint64_t end = sam_engines_now(e);
    if (end > clock->now)
        sam_clock_advance(clock, end);
    while (e->waiting || busy(context))
        sam_clock_advance(clock, next_event(clock));
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        end = e->queue[i].done > end ? e->queue[i].done : end;
    if (end > clock->now)
        sam_clock_advance(clock, end);
    e->settled = true;
}
