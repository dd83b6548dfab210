/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of the GPU and the weight unit, arrows from the stores that submitted their work, and
 * counters of what the memory moves, in the timeline of the hart. */
#include <stdio.h>
#include <stdlib.h>

#include "system/time.h"

/* The hart's own tracks, the first of which is the hart, are below these. */
enum {
    HART = 1,
    GPU = 100,
    RECORDS, /* then the stages of the weight unit */
};

enum { WINDOW = 256 }; /* cycles of a value of the counters */

struct counter {
    const char *name;
    uint64_t window; /* number of the current one */
    uint64_t bytes[2];
    bool shown;
};

struct system_trace {
    struct sam_perfetto *json;
    struct counter counters[SAM_MEMTIME_LEVELS];
    uint64_t *submitted; /* of records that have not ended, by number from `ended` on */
    size_t count, capacity;
    uint64_t ended;
};

struct system_trace *sam_system_trace_new(struct sam_perfetto *json)
{
    static const char *const stages[] = {"weights", "weights: fetch", "weights: work",
                                         "weights: write"};
    struct system_trace *trace = sam_alloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    trace->json = json;
    for (unsigned i = 0; i < SAM_MEMTIME_LEVELS; i++)
        trace->counters[i].name = sam_memtime_level_name((enum sam_memtime_level)i);
    sam_perfetto_track(json, GPU, "GPU");
    for (unsigned i = 0; i < SYSTEM_WEIGHT_TRACKS; i++)
        sam_perfetto_track(json, RECORDS + i, stages[i]);
    return trace;
}

void sam_system_trace_free(struct system_trace *trace)
{
    if (!trace)
        return;
    free(trace->submitted);
    free(trace);
}

static void put_slice(struct system_trace *trace, unsigned track, const char *name,
                      const char *category, uint64_t start, uint64_t end,
                      const struct sam_perfetto_arg *args, size_t count)
{
    if (end > start)
        sam_perfetto_slice(trace->json, &(struct sam_perfetto_slice){.track = track,
                                                                     .name = name,
                                                                     .category = category,
                                                                     .start = start,
                                                                     .end = end,
                                                                     .args = args,
                                                                     .arg_count = count});
}

void sam_system_trace_launch(struct system_trace *trace, const struct sam_system_launch_time *l)
{
    const struct sam_perfetto_arg args[] = {{"launch", NULL, l->number},
                                            {"instructions", NULL, l->insns}};
    const uint64_t id = 2 * l->number;
    put_slice(trace, GPU, "launch", "wait", l->begun, l->first, args, 1);
    put_slice(trace, GPU, l->kernel ? l->kernel : "kernel", "busy", l->first, l->end, args, 2);
    sam_perfetto_flow(trace->json, "launch", id, HART, l->submitted, false);
    sam_perfetto_flow(trace->json, "launch", id, GPU, l->begun, true);
}

void sam_system_trace_record(struct system_trace *trace, uint64_t number, uint64_t at)
{
    const size_t index = (size_t)(number - trace->ended);
    void *grown = sam_grow(trace->submitted, index, &trace->capacity, sizeof *trace->submitted);
    if (!grown)
        return; /* an arrow less */
    trace->submitted = grown;
    trace->submitted[index] = at;
    trace->count = index + 1;
}

void sam_system_trace_weights(void *context, const struct system_weight_span *span)
{
    static const char *const operations[] = {"decode", "encode", "count"};
    struct system_trace *trace = context;
    const struct sam_perfetto_arg args[] = {{"record", NULL, span->number}};
    const char *name = span->operation < SAM_COUNT(operations) ? operations[span->operation] : "?";
    put_slice(trace, RECORDS + span->track, name, "busy", span->from, span->to, args, 1);
    if (span->track != SYSTEM_WEIGHT_RECORDS)
        return;
    const uint64_t index = span->number - trace->ended;
    if (index < trace->count) {
        const uint64_t id = 2 * span->number + 1;
        sam_perfetto_flow(trace->json, "record", id, HART, trace->submitted[index], false);
        sam_perfetto_flow(trace->json, "record", id, RECORDS, span->from, true);
        trace->count -= (size_t)index + 1;
        memmove(trace->submitted, trace->submitted + index + 1,
                trace->count * sizeof *trace->submitted);
    }
    trace->ended = span->number + 1;
}

static void show(struct system_trace *trace, struct counter *c)
{
    static const char *const series[2] = {"read", "written"};
    char name[48];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s bytes %s per %d cycles", c->name, series[i], WINDOW);
        sam_perfetto_counter(trace->json, name, series[i], c->window * WINDOW, c->bytes[i]);
        c->bytes[i] = 0;
    }
}

void sam_system_trace_transfer(struct system_trace *trace, const struct sam_memtime_transfer *t)
{
    struct counter *c = &trace->counters[t->level];
    const uint64_t window = t->from / WINDOW;
    if (t->level == SAM_MEMTIME_L1M || t->level == SAM_MEMTIME_L0M || t->level == SAM_MEMTIME_L2)
        return;
    if (c->shown && window != c->window) {
        show(trace, c);
        if (window > c->window + 1) { /* nothing moved between them */
            c->window++;
            show(trace, c);
        }
    }
    c->shown = true;
    c->window = window;
    c->bytes[t->write] += t->bytes;
}

void sam_system_trace_end(struct system_trace *trace)
{
    for (unsigned i = 0; i < SAM_MEMTIME_LEVELS; i++) {
        struct counter *c = &trace->counters[i];
        if (!c->shown)
            continue;
        show(trace, c);
        c->window++;
        show(trace, c);
    }
}
