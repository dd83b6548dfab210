/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles per pipe and operation, after all units are idle. */
#include <stdlib.h>

#include "system/pipes.h"

const char *sam_system_pipe_cycle_name(unsigned cycle)
{
    static const char *const names[SAM_SYSTEM_PIPE_CYCLES] = {
        [SAM_SYSTEM_PIPE_BUSY] = "busy", [SAM_SYSTEM_PIPE_QUEUED] = "queued",
        [SAM_SYSTEM_PIPE_WAIT] = "wait", [SAM_SYSTEM_PIPE_ISSUE] = "issue",
        [SAM_SYSTEM_PIPE_HART] = "hart", [SAM_SYSTEM_PIPE_DONE] = "done",
    };
    return cycle < SAM_SYSTEM_PIPE_CYCLES ? names[cycle] : "?";
}

/* The number of intervals of a kind changes by `step` in cycle `at`. */
struct edge {
    uint64_t at;
    enum sam_system_pipe_cycle kind;
    int step;
};

struct edges {
    struct edge *items;
    size_t count;
};

static void add(struct edges *e, enum sam_system_pipe_cycle kind, uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    e->items[e->count++] = (struct edge){from, kind, 1};
    e->items[e->count++] = (struct edge){to, kind, -1};
}

static void add_spans(struct edges *e, enum sam_system_pipe_cycle kind,
                      const struct system_spans *spans)
{
    for (size_t i = 0; i < spans->count; i++)
        add(e, kind, spans->items[i].from, spans->items[i].to);
}

static int by_time(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

/* Sweep over the edges: a cycle counts for the first kind, in the order of the enumeration, with an
 * open interval. */
static void count_cycles(const struct edges *e, uint64_t cycles, struct sam_system_pipe *pipe)
{
    int64_t open[SAM_SYSTEM_PIPE_CYCLES] = {[SAM_SYSTEM_PIPE_DONE] = 1};
    uint64_t now = 0;
    for (size_t i = 0; i <= e->count; i++) {
        const uint64_t to = i < e->count && e->items[i].at < cycles ? e->items[i].at : cycles;
        unsigned kind = 0;
        while (!open[kind])
            kind++;
        pipe->cycles[kind] += to - now;
        now = to;
        if (i < e->count)
            open[e->items[i].kind] += e->items[i].step;
    }
}

static bool measure_pipe(const struct system_pipes *p, uint32_t number, uint64_t program_end,
                         struct sam_system_figures *f)
{
    struct sam_system_pipe *pipe = &f->pipes[number];
    const struct system_spans *at = &p->at[number];
    const size_t most = 2 * p->slice_count + p->waits.count + at->count + 1;
    struct edges e = {sam_alloc(2 * most, sizeof *e.items), 0};
    if (!e.items)
        return false;
    pipe->name = p->about.names[number];
    for (size_t i = 0; i < p->slice_count; i++) {
        const struct system_slice *s = &p->slices[i];
        if (sam_system_slice_pipe(p, s) != number)
            continue;
        pipe->slices++;
        pipe->operations += s->kernel ? s->kernel->count : 1;
        pipe->read += s->read;
        pipe->written += s->written;
        if (!sam_system_slice_worked(s))
            continue;
        add(&e, SAM_SYSTEM_PIPE_BUSY, s->start, s->end);
        add(&e, SAM_SYSTEM_PIPE_QUEUED, s->issued, s->start);
    }
    add_spans(&e, SAM_SYSTEM_PIPE_WAIT, &p->waits);
    add_spans(&e, SAM_SYSTEM_PIPE_ISSUE, at);
    add(&e, SAM_SYSTEM_PIPE_HART, 0, program_end);
    qsort(e.items, e.count, sizeof *e.items, by_time);
    count_cycles(&e, f->cycles, pipe);
    free(e.items);
    return true;
}

/* Cycles in which the hart waits at an operation for the launches of another. */
struct wait {
    size_t operation, cause;
    uint64_t cycles;
};

static struct wait *find_wait(struct wait *waits, size_t *count, size_t operation, size_t cause)
{
    for (size_t i = 0; i < *count; i++)
        if (waits[i].operation == operation && waits[i].cause == cause)
            return &waits[i];
    waits[*count] = (struct wait){.operation = operation, .cause = cause};
    return &waits[(*count)++];
}

/* A wait ends with the last launch that has ended by then; launches end in order. */
static bool measure_waits(const struct system_pipes *p, struct sam_system_figures *f)
{
    struct wait *waits = sam_alloc(p->waits.count + 1, sizeof *waits);
    size_t count = 0, next = 0, last = SYSTEM_NO_SLICE;
    if (!waits)
        return false;
    for (size_t i = 0; i < p->waits.count; i++) {
        const struct system_span *span = &p->waits.items[i];
        for (; next < p->slice_count && p->slices[next].opened < span->to; next++)
            if (p->slices[next].kernel && p->slices[next].end <= span->to)
                last = next;
            else if (p->slices[next].kernel)
                break;
        f->operations[span->operation].waited += span->to - span->from;
        if (last != SYSTEM_NO_SLICE && p->slices[last].end > span->from)
            find_wait(waits, &count, span->operation, p->slices[last].operation)->cycles +=
                span->to - span->from;
    }
    for (size_t i = 0; i < f->operation_count; i++)
        f->operations[i].waited_for = SAM_SYSTEM_NO_OPERATION;
    for (size_t i = 0; i < count; i++) {
        size_t *cause = &f->operations[waits[i].operation].waited_for;
        if (*cause == SAM_SYSTEM_NO_OPERATION ||
            find_wait(waits, &count, waits[i].operation, *cause)->cycles < waits[i].cycles)
            *cause = waits[i].cause;
    }
    free(waits);
    return true;
}

static void measure_operations(const struct system_pipes *p, uint64_t program_end,
                               struct sam_system_figures *f)
{
    f->operation_count = p->about.operation_count + 1;
    memcpy(f->operations, p->operations, f->operation_count * sizeof *f->operations);
    struct sam_system_operation_time *last = &f->operations[p->current];
    last->cycles += program_end - p->since;
    last->instructions += p->hart->core.retired - p->since_retired;
    for (size_t i = 0; i < p->slice_count; i++) {
        const struct system_slice *s = &p->slices[i];
        struct sam_system_operation_time *t = &f->operations[s->operation];
        t->work += sam_system_slice_worked(s) ? s->end - s->start : 0;
        t->read += s->read;
        t->written += s->written;
    }
}

bool sam_system_pipes_measure(struct system_pipes *p, struct sam_system_figures *f)
{
    if (!p)
        return true;
    const uint64_t program_end = sam_engines_now(p->hart->engines);
    f->pipes = sam_alloc(p->about.count, sizeof *f->pipes);
    f->operations = sam_alloc(p->about.operation_count + 1, sizeof *f->operations);
    bool good = !p->failed && f->pipes && f->operations;
    f->pipe_count = f->pipes ? p->about.count : 0;
    for (uint32_t i = 0; good && i < p->about.count; i++)
        good = measure_pipe(p, i, program_end, f);
    if (good)
        measure_operations(p, program_end, f);
    return good && measure_waits(p, f);
}
