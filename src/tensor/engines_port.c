/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores on a memory that the engines share with other units. */
#include "tensor/engines_state.h"

enum { LINE = 64 };

static uint64_t end_of_line(uint64_t address)
{
    return address | (LINE - 1);
}

static unsigned count_requests(const struct sam_work *w)
{
    unsigned count = 0;
    for (unsigned i = 0; i < w->span_count; i++)
        count += (unsigned)(w->spans[i].high / LINE - w->spans[i].low / LINE + 1);
    return count;
}

void sam_engines_begin_transfer(struct sam_engines_waiting *w, uint64_t cycles)
{
    w->started = true;
    w->transfer = (struct sam_engines_transfer){
        .requests = count_requests(&w->work), .at = w->work.spans[0].low, .cycles = cycles};
}

/* The slot of the earliest answer. */
static uint64_t *first_answer(struct sam_engines_queue *q)
{
    uint64_t *first = q->answers;
    for (unsigned i = 1; i < SAM_ENGINES_UNANSWERED; i++)
        if (q->answers[i] < *first)
            first = &q->answers[i];
    return first;
}

/* The cycle in which the next request can be sent. */
static uint64_t next_request(struct sam_engines_queue *q, struct sam_engines_waiting *w)
{
    struct sam_engines_transfer *t = &w->transfer;
    const uint64_t first = *first_answer(q),
                   due = w->times.start + t->sent * t->cycles / t->requests + t->waited;
    if (first <= due)
        return due;
    t->waited += first - due;
    return first;
}

static void send(struct sam_engines *e, struct sam_engines_waiting *w, uint64_t now)
{
    const struct sam_memtime_port *memory = e->outside.memory;
    struct sam_engines_queue *q = &e->queue[w->work.engine];
    struct sam_engines_transfer *t = &w->transfer;
    const struct sam_work_span *span = &w->work.spans[t->span];
    const uint64_t line = end_of_line(t->at), end = line < span->high ? line : span->high;
    const uint64_t answer = memory->request(memory->context, e->outside.port + w->work.engine, now,
                                            t->at, (uint32_t)(end - t->at + 1),
                                            w->work.store ? SAM_MEMTIME_WRITE : SAM_MEMTIME_READ);
    *first_answer(q) = answer;
    t->last = answer > t->last ? answer : t->last;
    t->sent++;
    t->at = end + 1;
    if (end == span->high && ++t->span < w->work.span_count)
        t->at = w->work.spans[t->span].low;
}

uint64_t sam_engines_send(struct sam_engines *e, struct sam_engines_waiting *w, uint64_t now)
{
    struct sam_engines_queue *q = &e->queue[w->work.engine];
    struct sam_engines_transfer *t = &w->transfer;
    struct sam_engines_times *times = &w->times;
    while (t->sent < t->requests) {
        const uint64_t due = next_request(q, w);
        if (due > now)
            return due;
        send(e, w, now);
    }
    const uint64_t over = times->start + t->cycles + t->waited;
    times->release = over > now ? over : now + 1;
    times->read = t->last + 1;
    times->done = times->read > times->release ? times->read : times->release;
    if (times->done < q->done) /* an engine completes in order */
        times->done = q->done;
    if (!e->config.pipelined)
        times->release = times->done;
    return SAM_ENGINES_NEVER;
}
