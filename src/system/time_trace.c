/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of the queues, arrows from the stores that submitted their records, and counters of the
 * bytes that memory moves, in the timeline of the hart. */
#include <stdio.h>
#include <stdlib.h>

#include "system/time.h"

/* Track numbers: the hart and its units are below 1000; each queue other than the GPU's has a track
 * for its records and one per stage. */
enum { HART = 1, GPU = 1000, STAGES };

enum { WINDOW = 256 }; /* cycles per counter sample */

struct counter {
    const char *name;
    uint64_t window; /* number of the current sample */
    uint64_t bytes[2];
    bool shown;
};

struct system_trace {
    struct sam_perfetto *json;
    struct counter counters[SAM_MEMTIME_LEVELS];
};

struct system_trace *sam_system_trace_new(struct sam_perfetto *json)
{
    static const char *const stages[SYSTEM_TRACKS] = {"", ": fetch", ": work", ": write"};
    struct system_trace *trace = sam_alloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    trace->json = json;
    for (unsigned i = 0; i < SAM_MEMTIME_LEVELS; i++)
        trace->counters[i].name = sam_memtime_level_name((enum sam_memtime_level)i);
    sam_perfetto_track(json, GPU, "GPU");
    for (unsigned i = 0; i < (SAM_SYSTEM_QUEUES - 1) * SYSTEM_TRACKS; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s%s", sam_system_units[1 + i / SYSTEM_TRACKS].figures,
                 stages[i % SYSTEM_TRACKS]);
        sam_perfetto_track(json, STAGES + i, name);
    }
    return trace;
}

void sam_system_trace_free(struct system_trace *trace)
{
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

/* An arrow from the store that submitted a record to its start. */
static void put_arrow(struct system_trace *trace, const char *name, unsigned queue, uint64_t number,
                      uint64_t submitted, unsigned track, uint64_t start)
{
    const uint64_t id = SAM_SYSTEM_QUEUES * number + queue;
    sam_perfetto_flow(trace->json, name, id, HART, submitted, false);
    sam_perfetto_flow(trace->json, name, id, track, start, true);
}

void sam_system_trace_launch(struct system_trace *trace, const struct sam_system_launch_time *l)
{
    const struct sam_perfetto_arg args[] = {{"launch", NULL, l->number},
                                            {"instructions", NULL, l->insns}};
    put_slice(trace, GPU, "launch", "wait", l->begun, l->first, args, 1);
    put_slice(trace, GPU, l->kernel ? l->kernel : "kernel", "busy", l->first, l->end, args, 2);
    put_arrow(trace, "launch", SAM_SYSTEM_GPU_QUEUE, l->number, l->submitted, GPU, l->begun);
}

void sam_system_trace_stage(struct system_trace *trace, const struct system_stage_span *span)
{
    const struct system_job *job = span->job;
    const struct sam_perfetto_arg args[] = {{"record", NULL, job->number}};
    const unsigned queue = span->unit - SYSTEM_PORT_GPU;
    const unsigned track = STAGES + (queue - 1) * SYSTEM_TRACKS;
    put_slice(trace, track + span->track, job->name, "busy", span->from, span->to, args, 1);
    if (span->track == SYSTEM_TRACK_RECORDS)
        put_arrow(trace, "record", queue, job->number, job->submitted, track, span->from);
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
        if (window > c->window + 1) { /* no transfers between them */
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
