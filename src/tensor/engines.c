/* SPDX-License-Identifier: Apache-2.0 */
/* The hart issues in program order into four in-order queues; a scoreboard of TLRegs and of memory
 * accesses in flight determines when the head of a queue may start. docs/tensorload-rulings.md,
 * chapter 5.
 *
 * An instruction issued in cycle t leaves its queue in its start cycle s >= t + 1. From `release`
 * on, its transfer is complete, its sources are read and the engine is free; from `done` on, its
 * result is available. */
#include "tensor/engines.h"

#include <stdlib.h>

#include "tensor/tensor.h"

/* A load or store whose bytes may still conflict with later accesses. */
struct flight {
    uint64_t release, done;
    uint8_t engine;
    bool store;
    unsigned span_count;
    struct sam_work_span spans[SAM_WORK_SPANS];
};

struct queue {
    uint64_t *starts;       /* ring: start cycles of the last `depth` instructions */
    uint64_t issued, left;  /* instructions issued, and how many of them have left the queue */
    uint64_t release, done; /* of the last one */
    uint64_t stalled;       /* cycles since `done` in which the hart waited for another engine */
    struct sam_engine_report report; /* except for DRAINED and unfinished instructions */
};

struct tlreg {
    uint64_t done; /* of the last instruction that writes it */
    uint8_t engine;
    uint64_t read; /* from this cycle on, all its readers so far have read it */
};

struct sam_engines {
    struct sam_engines_config config;
    struct sam_engines_watch watch;
    bool good;
    struct queue queue[SAM_ENGINE_COUNT];
    struct tlreg tl[SAM_TL_COUNT];
    struct flight *flights;
    size_t flight_count, flight_capacity;
    /* the hart */
    uint64_t cycle; /* in which the next instruction may issue */
    unsigned used;  /* instructions issued in it */
    unsigned kind;  /* enum sam_issue_cycle of it, when used */
    uint64_t pc;    /* of the first of these */
    uint64_t instructions;
    uint64_t issue[SAM_ISSUE_CYCLES]; /* of the cycles before `cycle` */
    struct sam_engines_slice slice;   /* the last slice, not reported yet */
};

struct sam_engines *sam_engines_new(const struct sam_engines_config *config,
                                    const struct sam_engines_watch *watch)
{
    struct sam_engines *e = sam_alloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->config = *config;
    if (watch)
        e->watch = *watch;
    e->good = true;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        if (!(e->queue[i].starts = sam_alloc(config->queue[i], sizeof(uint64_t)))) {
            sam_engines_free(e);
            return NULL;
        }
    return e;
}

void sam_engines_free(struct sam_engines *e)
{
    if (!e)
        return;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        free(e->queue[i].starts);
    free(e->flights);
    free(e);
}

bool sam_engines_good(const struct sam_engines *e)
{
    return e->good;
}

/* ----------------------------------------------------------------------------------- watch */

static void tell(struct sam_engines *e, const struct sam_engines_slice *slice)
{
    if (e->watch.slice && slice->end > slice->start)
        e->good &= e->watch.slice(e->watch.context, slice);
}

static void tell_queue(struct sam_engines *e, unsigned engine, uint64_t cycle)
{
    const struct queue *q = &e->queue[engine];
    if (e->watch.queue)
        e->good &= e->watch.queue(e->watch.context, engine, cycle, (uint32_t)(q->issued - q->left));
}

/* ------------------------------------------------------------------------------------ hart */

/* Count the hart's next cycles up to `end` as this kind. */
static void spend(struct sam_engines *e, unsigned kind, uint64_t end, uint64_t pc)
{
    struct sam_engines_slice *s = &e->slice;
    e->issue[kind] += end - e->cycle;
    if (s->cycle != kind || s->end == 0) {
        tell(e, s);
        *s = (struct sam_engines_slice){
            .track = SAM_ENGINE_COUNT, .cycle = kind, .start = e->cycle, .pc = pc};
    }
    s->end = end;
    e->cycle = end;
}

static void close_cycle(struct sam_engines *e)
{
    if (e->used)
        spend(e, e->kind, e->cycle + 1, e->pc);
    e->used = 0;
}

/* Issue nothing before `until`. */
static void stall(struct sam_engines *e, unsigned kind, uint64_t until, uint64_t pc)
{
    if (until <= e->cycle)
        return;
    close_cycle(e);
    if (until <= e->cycle)
        return;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        struct queue *q = &e->queue[i];
        uint64_t from = q->done > e->cycle ? q->done : e->cycle;
        if (until > from)
            q->stalled += until - from;
    }
    spend(e, kind, until, pc);
}

/* Advance to a cycle with room for an instruction. */
static void open_cycle(struct sam_engines *e)
{
    if (e->used == e->config.issue)
        close_cycle(e);
}

static void issue(struct sam_engines *e, unsigned kind, uint64_t pc)
{
    if (!e->used)
        e->pc = pc;
    e->kind = e->used && e->kind > kind ? e->kind : kind;
    e->used++;
    e->instructions++;
}

void sam_engines_scalar(struct sam_engines *e, uint64_t pc)
{
    open_cycle(e);
    issue(e, SAM_ISSUE_SCALAR, pc);
    if (e->config.scalar_cpi > 1) {
        close_cycle(e);
        spend(e, SAM_ISSUE_SCALAR, e->cycle + e->config.scalar_cpi - 1, pc);
    }
}

/* ---------------------------------------------------------------------------------- memory */

static bool overlap(const struct flight *f, const struct sam_work_span *spans, unsigned count)
{
    unsigned a = 0, b = 0;
    if (!count || !f->span_count || f->spans[0].low > spans[count - 1].high ||
        f->spans[f->span_count - 1].high < spans[0].low)
        return false;
    while (a < f->span_count && b < count) {
        if (f->spans[a].high < spans[b].low)
            a++;
        else if (spans[b].high < f->spans[a].low)
            b++;
        else
            return true;
    }
    return false;
}

/* The first cycle in which an access may start; `engine` keeps its own stores in order. Accesses
 * that can no longer affect any later instruction are dropped. */
static uint64_t memory_ready(struct sam_engines *e, unsigned engine, bool store,
                             const struct sam_work_span *spans, unsigned count)
{
    uint64_t ready = 0;
    for (size_t i = 0; i < e->flight_count;) {
        struct flight *f = &e->flights[i];
        if (f->done <= e->cycle) {
            const struct flight *last = &e->flights[--e->flight_count];
            if (f != last)
                memcpy(f, last,
                       offsetof(struct flight, spans) + last->span_count * sizeof *f->spans);
            continue;
        }
        i++;
        if ((!store && !f->store) || (store && f->engine == engine))
            continue;
        uint64_t until = f->store ? f->done : f->release;
        if (until > ready && overlap(f, spans, count))
            ready = until;
    }
    return ready;
}

static bool take_off(struct sam_engines *e, const struct sam_work *w, uint64_t release,
                     uint64_t done)
{
    if (e->flight_count == e->flight_capacity) {
        void *moved =
            sam_grow(e->flights, e->flight_count, &e->flight_capacity, sizeof *e->flights);
        if (!moved)
            return false;
        e->flights = moved;
    }
    struct flight *f = &e->flights[e->flight_count++];
    f->release = release;
    f->done = done;
    f->engine = (uint8_t)w->engine;
    f->store = w->store;
    f->span_count = w->span_count;
    memcpy(f->spans, w->spans, w->span_count * sizeof *w->spans);
    return true;
}

bool sam_engines_has_memory(const struct sam_engines *e)
{
    return e->flight_count != 0;
}

void sam_engines_access(struct sam_engines *e, uint64_t pc, bool store, struct sam_work_span bytes)
{
    open_cycle(e);
    stall(e, SAM_ISSUE_MEMORY, memory_ready(e, SAM_ENGINE_COUNT, store, &bytes, 1), pc);
    sam_engines_scalar(e, pc);
}

/* --------------------------------------------------------------------------------- engines */

/* Remove the instructions that have left the queue when cycle `now` begins. */
static void leave(struct sam_engines *e, unsigned engine, uint64_t now)
{
    struct queue *q = &e->queue[engine];
    while (q->left < q->issued) {
        uint64_t start = q->starts[q->left % e->config.queue[engine]];
        if (start > now)
            break;
        q->left++;
        tell_queue(e, engine, start);
    }
}

static void enter(struct sam_engines *e, unsigned engine, uint64_t start)
{
    struct queue *q = &e->queue[engine];
    q->starts[q->issued++ % e->config.queue[engine]] = start;
    q->report.queued += start - e->cycle;
    if (q->issued - q->left > q->report.queue_peak)
        q->report.queue_peak = (uint32_t)(q->issued - q->left);
    tell_queue(e, engine, e->cycle);
}

static uint64_t transfer_cycles(const struct sam_engines_config *c, const struct sam_work *w)
{
    uint64_t cycles = (w->bytes + (uint64_t)c->bytes[w->engine] - 1) / c->bytes[w->engine];
    cycles += (uint64_t)w->slices * c->slice_cycles;
    return cycles ? cycles : 1;
}

/* The first cycle in which `w` may start, and the last hazard that delayed it. Within an engine,
 * in-order execution alone keeps writers after readers and writers. */
static uint64_t hazards(struct sam_engines *e, const struct sam_work *w, unsigned *reason)
{
    uint64_t ready[SAM_ENGINE_CYCLES] = {0}, last = 0;
    for (uint32_t left = w->reads | w->writes; left; left &= left - 1) {
        unsigned r = (unsigned)__builtin_ctz(left);
        const struct tlreg *t = &e->tl[r];
        if ((w->reads >> r & 1) && t->done > ready[SAM_ENGINE_RAW])
            ready[SAM_ENGINE_RAW] = t->done;
        if (!(w->writes >> r & 1))
            continue;
        if (t->engine != w->engine && t->done > ready[SAM_ENGINE_WAW])
            ready[SAM_ENGINE_WAW] = t->done;
        if (t->read > ready[SAM_ENGINE_WAR])
            ready[SAM_ENGINE_WAR] = t->read;
    }
    if (w->load || w->store)
        ready[SAM_ENGINE_MEMORY] = memory_ready(e, w->engine, w->store, w->spans, w->span_count);
    *reason = SAM_ENGINE_RAW;
    for (unsigned i = SAM_ENGINE_RAW; i <= SAM_ENGINE_MEMORY; i++)
        if (ready[i] > last) {
            last = ready[i];
            *reason = i;
        }
    return last;
}

/* Count the engine's cycles from the end of its last transfer to `entered`, when its queue gets its
 * next instruction: first its remaining latency, then by what the hart did. */
static void count_empty(struct sam_engine_report *r, const struct queue *q, uint64_t entered)
{
    if (entered <= q->release)
        return;
    uint64_t done = q->done < entered ? q->done : entered;
    uint64_t latency = done > q->release ? done - q->release : 0;
    uint64_t empty = entered - q->release - latency;
    r->cycles[SAM_ENGINE_LATENCY] += latency;
    r->cycles[SAM_ENGINE_HART_STALLS] += q->stalled;
    r->cycles[SAM_ENGINE_EMPTY] += empty - q->stalled;
}

bool sam_engines_tensor(struct sam_engines *e, const struct sam_work *w)
{
    struct queue *q = &e->queue[w->engine];
    const uint32_t depth = e->config.queue[w->engine];
    open_cycle(e);
    if (q->issued >= depth)
        stall(e, SAM_ISSUE_FULL + w->engine, q->starts[q->issued % depth], w->pc);
    leave(e, w->engine, e->cycle);

    unsigned reason;
    const uint64_t entered = e->cycle + 1, clear = hazards(e, w, &reason);
    const uint64_t first = entered > q->release ? entered : q->release;
    const uint64_t start = clear > first ? clear : first;
    const uint64_t transfer = transfer_cycles(&e->config, w);
    const uint64_t done = start + transfer + e->config.latency[w->engine];
    const uint64_t release = e->config.pipelined ? start + transfer : done;

    count_empty(&q->report, q, entered);
    q->report.cycles[reason] += start - first;
    q->report.cycles[SAM_ENGINE_BUSY] += release - start;
    q->report.instructions++;
    q->report.bytes += w->bytes;
    enter(e, w->engine, start);
    issue(e, SAM_ISSUE_TENSOR, w->pc);
    q->release = release;
    q->done = done;
    q->stalled = 0;
    for (uint32_t left = w->reads; left; left &= left - 1) {
        struct tlreg *t = &e->tl[__builtin_ctz(left)];
        t->read = release > t->read ? release : t->read;
    }
    for (uint32_t left = w->writes; left; left &= left - 1) {
        struct tlreg *t = &e->tl[__builtin_ctz(left)];
        t->done = done;
        t->engine = (uint8_t)w->engine;
    }
    struct sam_engines_slice slice = {.track = w->engine,
                                      .cycle = reason,
                                      .start = first,
                                      .end = start,
                                      .pc = w->pc,
                                      .word = w->word,
                                      .issued = e->cycle,
                                      .done = done};
    tell(e, &slice);
    slice.cycle = SAM_ENGINE_BUSY;
    slice.start = start;
    slice.end = release;
    tell(e, &slice);
    return !w->span_count || take_off(e, w, release, done);
}

/* --------------------------------------------------------------------------------- figures */

uint64_t sam_engines_now(const struct sam_engines *e)
{
    return e->cycle + (e->used != 0);
}

void sam_engines_report(const struct sam_engines *e, struct sam_engines_report *report)
{
    const uint64_t over = sam_engines_now(e);
    uint64_t end = over;
    *report = (struct sam_engines_report){.instructions = e->instructions};
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        end = e->queue[i].done > end ? e->queue[i].done : end;
    report->cycles = end;
    memcpy(report->issue, e->issue, sizeof e->issue);
    if (e->used)
        report->issue[e->kind]++;
    report->issue[SAM_ISSUE_DONE] = end - over;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        const struct queue *q = &e->queue[i];
        struct sam_engine_report *r = &report->engine[i];
        *r = q->report;
        const uint64_t idle = q->done > over ? q->done : over;
        count_empty(r, q, idle);
        r->cycles[SAM_ENGINE_DRAINED] = end - idle;
    }
}

bool sam_engines_finish(struct sam_engines *e)
{
    struct sam_engines tail = *e; /* a copy: reporting changes no figure */
    close_cycle(&tail);
    tell(&tail, &tail.slice);
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        leave(&tail, i, UINT64_MAX);
    e->watch = (struct sam_engines_watch){0};
    return tail.good;
}
