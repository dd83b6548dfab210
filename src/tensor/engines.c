/* SPDX-License-Identifier: Apache-2.0 */
/* Four in-order queues. A scoreboard of TLRegs and of memory accesses in flight determines when the
 * head of a queue may start (docs/tensorload-rulings.md, chapter 5). The times of an instruction
 * are known when it issues, unless it depends, directly or indirectly, on an access of another
 * unit. */
#include "tensor/engines_state.h"

#include <stdlib.h>

static uint64_t tick(void *unit, uint64_t now);

struct sam_engines *sam_engines_new(const struct sam_engines_config *config,
                                    const struct sam_engines_watch *watch,
                                    const struct sam_engines_outside *outside)
{
    struct sam_engines *e = sam_alloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->config = *config;
    if (watch)
        e->watch = *watch;
    if (outside)
        e->outside = *outside;
    e->good = true;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        if (!(e->queue[i].starts = sam_alloc(config->queue[i], sizeof(uint64_t)))) {
            sam_engines_free(e);
            return NULL;
        }
    if (e->outside.clock) {
        e->cycle = e->outside.clock->now;
        e->unit = sam_clock_join(e->outside.clock, (struct sam_clock_unit){tick, e});
    }
    return e;
}

static void free_list(struct sam_engines_waiting *w)
{
    while (w) {
        struct sam_engines_waiting *next = w->next;
        free(w);
        w = next;
    }
}

void sam_engines_free(struct sam_engines *e)
{
    if (!e)
        return;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        free(e->queue[i].starts);
    free_list(e->waiting);
    free_list(e->spare);
    free(e->inflight);
    free(e);
}

bool sam_engines_good(const struct sam_engines *e)
{
    return e->good;
}

/* ---------------------------------------------------------------------------------- queues */

static void show_queue(struct sam_engines *e, unsigned engine, uint64_t cycle)
{
    const struct sam_engines_queue *q = &e->queue[engine];
    if (e->watch.queue)
        e->good &= e->watch.queue(e->watch.context, engine, cycle, (uint32_t)(q->issued - q->left));
}

/* Remove the instructions that have left the queue when cycle `now` begins. */
static void leave(struct sam_engines *e, unsigned engine, uint64_t now)
{
    struct sam_engines_queue *q = &e->queue[engine];
    while (q->left < q->issued) {
        uint64_t start = q->starts[q->left % e->config.queue[engine]];
        if (start > now)
            break;
        q->left++;
        show_queue(e, engine, start);
    }
}

/* Returns the instruction's number in the queue. */
static uint64_t enter(struct sam_engines *e, unsigned engine)
{
    struct sam_engines_queue *q = &e->queue[engine];
    const uint64_t place = q->issued++;
    q->starts[place % e->config.queue[engine]] = SAM_ENGINES_NEVER;
    if (q->issued - q->left > q->report.queue_peak)
        q->report.queue_peak = (uint32_t)(q->issued - q->left);
    show_queue(e, engine, e->cycle);
    return place;
}

/* ----------------------------------------------------------------------------------- times */

static uint64_t transfer_cycles(const struct sam_engines_config *c, const struct sam_work *w)
{
    uint64_t cycles = (w->bytes + (uint64_t)c->bytes[w->engine] - 1) / c->bytes[w->engine];
    cycles += (uint64_t)w->slices * c->slice_cycles;
    return cycles ? cycles : 1;
}

struct entry {
    const struct sam_work *work;
    uint64_t order, issued, place;
    uint64_t memory; /* first cycle without a conflicting access of another unit */
};

/* The first cycle in which an instruction may start, and the last hazard that delayed it. WAR and
 * WAW hazards within an engine cannot occur: it executes in order. */
static uint64_t hazards(struct sam_engines *e, const struct entry *i, unsigned *reason)
{
    const struct sam_work *w = i->work;
    uint64_t ready[SAM_ENGINE_CYCLES] = {0}, last = 0;
    for (uint32_t left = w->reads | w->writes; left; left &= left - 1) {
        unsigned r = (unsigned)__builtin_ctz(left);
        const struct sam_engines_tlreg *t = &e->tl[r];
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
        ready[SAM_ENGINE_MEMORY] =
            sam_engines_memory_ready(e, w->engine, i->order, w->store, w->spans, w->span_count);
    if (i->memory > ready[SAM_ENGINE_MEMORY])
        ready[SAM_ENGINE_MEMORY] = i->memory;
    *reason = SAM_ENGINE_RAW;
    for (unsigned k = SAM_ENGINE_RAW; k <= SAM_ENGINE_MEMORY; k++)
        if (ready[k] > last) {
            last = ready[k];
            *reason = k;
        }
    return last;
}

/* Count the engine's cycles from the end of its last transfer to `entered`, when the next
 * instruction enters its queue: first the remaining latency, then idle cycles by their cause. */
static void count_empty(struct sam_engine_report *r, const struct sam_engines_queue *q,
                        uint64_t entered)
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

static void note_registers(struct sam_engines *e, const struct sam_work *w, uint64_t release,
                           uint64_t done)
{
    for (uint32_t left = w->reads; left; left &= left - 1) {
        struct sam_engines_tlreg *t = &e->tl[__builtin_ctz(left)];
        t->read = release > t->read ? release : t->read;
    }
    for (uint32_t left = w->writes; left; left &= left - 1) {
        struct sam_engines_tlreg *t = &e->tl[__builtin_ctz(left)];
        t->done = done;
        t->engine = (uint8_t)w->engine;
    }
}

/* Determine the start of an instruction. The times of all its dependences are known. */
static struct sam_engines_times find_start(struct sam_engines *e, const struct entry *i)
{
    struct sam_engines_queue *q = &e->queue[i->work->engine];
    struct sam_engines_times t = {0};
    const uint64_t entered = i->issued + 1, clear = hazards(e, i, &t.reason);
    t.first = entered > q->release ? entered : q->release;
    t.start = clear > t.first ? clear : t.first;
    count_empty(&q->report, q, entered);
    q->starts[i->place % e->config.queue[i->work->engine]] = t.start;
    q->report.queued += t.start - i->issued;
    q->report.cycles[t.reason] += t.start - t.first;
    q->stalled = 0;
    return t;
}

/* Slices of the wait and of the transfer. */
static SAM_NOINLINE void show_slices(struct sam_engines *e, const struct entry *i,
                                     const struct sam_engines_times *t)
{
    struct sam_engines_slice slice = {.track = i->work->engine,
                                      .cycle = t->reason,
                                      .start = t->first,
                                      .end = t->start,
                                      .pc = i->work->pc,
                                      .word = i->work->word,
                                      .issued = i->issued,
                                      .done = t->done};
    sam_engines_show(e, &slice);
    slice.cycle = SAM_ENGINE_BUSY;
    slice.start = t->start;
    slice.end = t->release;
    sam_engines_show(e, &slice);
}

/* Retire an instruction with these times. Returns false on out-of-memory. */
static bool finish(struct sam_engines *e, const struct entry *i, const struct sam_engines_times *t)
{
    const struct sam_work *w = i->work;
    struct sam_engines_queue *q = &e->queue[w->engine];
    q->report.cycles[SAM_ENGINE_BUSY] += t->release - t->start;
    q->report.instructions++;
    q->report.bytes += w->bytes;
    q->release = t->release;
    q->done = t->done;
    note_registers(e, w, t->release, t->done);
    if (e->watch.slice)
        show_slices(e, i, t);
    if (e->outside.worked)
        e->outside.worked(e->outside.context, i->order, w, i->issued, t->start, t->done);
    return !w->span_count || sam_engines_add_inflight(e, w, i->order, t->read, t->done);
}

/* Whether the latency of an instruction depends on the shared memory. */
static bool shares_memory(const struct sam_engines *e, const struct sam_work *w)
{
    return w->span_count && e->outside.clock && e->outside.memory;
}

static bool settle(struct sam_engines *e, const struct entry *i)
{
    struct sam_engines_times t = find_start(e, i);
    const uint64_t over = t.start + transfer_cycles(&e->config, i->work);
    t.done = over + e->config.latency[i->work->engine];
    if (t.done < e->queue[i->work->engine].done) /* an engine completes in order */
        t.done = e->queue[i->work->engine].done;
    t.release = t.read = e->config.pipelined ? over : t.done;
    return finish(e, i, &t);
}

/* ---------------------------------------------------------------------------- other units */

/* Whether `later` depends on `earlier`, whose times are not known. */
static bool follows(const struct sam_work *later, const struct sam_work *earlier)
{
    if (later->engine == earlier->engine || (earlier->writes & (later->reads | later->writes)) ||
        (earlier->reads & later->writes))
        return true;
    return (earlier->store || later->store) &&
           sam_engines_overlap(earlier->spans, earlier->span_count, later->spans,
                               later->span_count);
}

/* Whether the times of all dependences of instruction `order` are known. *held: the only unknown
 * dependence is an access of another unit. */
static bool is_known(const struct sam_engines *e, const struct sam_work *w, uint64_t order,
                     bool *held)
{
    const struct sam_engines_outside *o = &e->outside;
    if (!o->clock)
        return true;
    for (const struct sam_engines_waiting *i = e->waiting; i && i->order < order; i = i->next)
        if (follows(w, &i->work))
            return false;
    const bool free =
        !w->span_count || !o->free || o->free(o->context, order, w->store, w->spans, w->span_count);
    *held |= !free;
    return free;
}

/* Queue an instruction until its times are known. Returns NULL on out-of-memory. */
static struct sam_engines_waiting *add_waiting(struct sam_engines *e, const struct entry *i,
                                               bool held)
{
    struct sam_engines_waiting *w = e->spare, **at = &e->waiting;
    if (w)
        e->spare = w->next;
    else if (!(w = sam_alloc(1, sizeof *w)))
        return NULL;
    w->next = NULL;
    w->order = i->order;
    w->issued = i->issued;
    w->place = i->place;
    w->held = held;
    w->started = false;
    w->work = *i->work;
    while (*at)
        at = &(*at)->next;
    *at = w;
    e->queue[w->work.engine].waiting++;
    return w;
}

/* Start an instruction, which sends its first request in its first cycle. */
static void start(struct sam_engines *e, struct sam_engines_waiting *w, const struct entry *i)
{
    w->times = find_start(e, i);
    sam_engines_begin_transfer(w, transfer_cycles(&e->config, &w->work));
}

void sam_engines_wake(struct sam_engines *e)
{
    if (e->waiting)
        sam_clock_wake(e->outside.clock, e->unit, e->outside.clock->now);
}

/* Advance a waiting instruction in cycle `now`. Returns its next cycle, or 0 when it has retired.
 */
static uint64_t advance(struct sam_engines *e, struct sam_engines_waiting *w, uint64_t now)
{
    struct entry i = {&w->work, w->order, w->issued, w->place, 0};
    if (w->started) {
        const uint64_t next = sam_engines_send(e, w, now);
        if (next != SAM_ENGINES_NEVER)
            return next;
        e->exhausted |= !finish(e, &i, &w->times);
        return 0;
    }
    if (!is_known(e, &w->work, w->order, &w->held))
        return SAM_CLOCK_IDLE;
    i.memory = w->held ? now + 1 : 0;
    if (shares_memory(e, &w->work)) {
        start(e, w, &i);
        return w->times.start;
    }
    e->exhausted |= !settle(e, &i);
    return 0;
}

/* Advance the waiting instructions, in program order. */
static uint64_t tick(void *unit, uint64_t now)
{
    struct sam_engines *e = unit;
    uint64_t soonest = SAM_CLOCK_IDLE;
    for (struct sam_engines_waiting **at = &e->waiting, *w; (w = *at);) {
        const uint64_t next = advance(e, w, now);
        soonest = next && next < soonest ? next : soonest;
        if (next) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        e->queue[w->work.engine].waiting--;
        if (w->work.span_count && e->outside.placed)
            e->outside.placed(e->outside.context);
        w->next = e->spare;
        e->spare = w;
    }
    return soonest;
}

bool sam_engines_tensor(struct sam_engines *e, const struct sam_work *w)
{
    struct sam_engines_queue *q = &e->queue[w->engine];
    const uint32_t depth = e->config.queue[w->engine];
    bool held = false;
    sam_engines_open_cycle(e);
    sam_engines_sync(e);
    while (q->issued >= depth && q->starts[q->issued % depth] > e->cycle) {
        sam_engines_stall(e, SAM_ISSUE_FULL + w->engine, q->starts[q->issued % depth], w->pc);
        sam_engines_sync(e);
    }
    leave(e, w->engine, e->cycle);
    const struct entry entry = {
        .work = w, .order = e->order++, .issued = e->cycle, .place = enter(e, w->engine)};
    sam_engines_issue(e, SAM_ISSUE_TENSOR, w->pc);
    const bool known = is_known(e, w, entry.order, &held);
    if (known && !shares_memory(e, w)) {
        e->exhausted |= !settle(e, &entry);
        return !e->exhausted;
    }
    struct sam_engines_waiting *waiting = add_waiting(e, &entry, held);
    if (waiting && known) {
        start(e, waiting, &entry);
        sam_clock_wake(e->outside.clock, e->unit, waiting->times.start);
    }
    e->exhausted |= !waiting;
    return !e->exhausted;
}

/* --------------------------------------------------------------------------------- figures */

void sam_engines_report(const struct sam_engines *e, struct sam_engines_report *report)
{
    const uint64_t over = sam_engines_now(e);
    uint64_t end = over;
    *report = (struct sam_engines_report){.instructions = e->instructions};
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        end = e->queue[i].done > end ? e->queue[i].done : end;
    if (e->settled && e->outside.clock->now > end)
        end = e->outside.clock->now;
    report->cycles = end;
    memcpy(report->issue, e->issue, sizeof e->issue);
    if (e->used)
        report->issue[e->kind]++;
    report->issue[SAM_ISSUE_DONE] += end - over;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        const struct sam_engines_queue *q = &e->queue[i];
        struct sam_engine_report *r = &report->engine[i];
        *r = q->report;
        const uint64_t idle = q->done > over ? q->done : over;
        count_empty(r, q, idle);
        r->cycles[SAM_ENGINE_DRAINED] = end - idle;
    }
}

bool sam_engines_finish(struct sam_engines *e)
{
    struct sam_engines tail = *e; /* reporting must not change the figures */
    sam_engines_close_cycle(&tail);
    sam_engines_show(&tail, &tail.slice);
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        leave(&tail, i, UINT64_MAX);
    e->watch = (struct sam_engines_watch){0};
    return tail.good;
}
