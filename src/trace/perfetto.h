/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines in the Chrome Trace Event Format (JSON), which ui.perfetto.dev opens: tracks with
 * slices, and counters. Events are written as they arrive; times are in microseconds of the viewer.
 * After a sink has failed, every call returns false. */
#ifndef SAM_TRACE_PERFETTO_H
#define SAM_TRACE_PERFETTO_H

#include "base/base.h"
#include "samite/sink.h"

struct sam_perfetto {
    struct sam_sink sink;
    struct sam_buffer line;
    bool any; /* an event has been written */
    bool good;
};

/* An argument shown with a slice: `text` or, if it is NULL, `number`. */
struct sam_perfetto_arg {
    const char *name;
    const char *text;
    uint64_t value;
};

struct sam_perfetto_slice {
    unsigned track;
    const char *name, *category;
    uint64_t start, end;
    const struct sam_perfetto_arg *args;
    size_t arg_count;
};

bool sam_perfetto_begin(struct sam_perfetto *p, const struct sam_sink *sink);
/* Tracks belong to processes, numbered from 0; counters belong to process 0. */
enum { SAM_PERFETTO_TRACKS = 1 << 20 };
static inline unsigned sam_perfetto_track_number(unsigned process, unsigned place)
{
    return process * SAM_PERFETTO_TRACKS + place;
}

bool sam_perfetto_process(struct sam_perfetto *p, unsigned process, const char *name);
/* Tracks of a process are sorted by number. */
bool sam_perfetto_track(struct sam_perfetto *p, unsigned track, const char *name);
/* Slices of one track must not overlap. */
bool sam_perfetto_slice(struct sam_perfetto *p, const struct sam_perfetto_slice *slice);

/* Perfetto leaves out slices that overlap on a track. So a unit that works on several things at a
 * time has lanes: tracks of consecutive numbers, which are named when they are first used. */
struct sam_perfetto_lanes {
    uint64_t *ends; /* of the last slice of each */
    size_t count, capacity;
};
/* The track for a slice: the first lane that is free at `start`. Lane 0 is track `first`; of `most`
 * lanes the last takes what finds none. */
unsigned sam_perfetto_lane(struct sam_perfetto *p, struct sam_perfetto_lanes *lanes, unsigned first,
                           unsigned most, const char *name, uint64_t start, uint64_t end);
void sam_perfetto_lanes_free(struct sam_perfetto_lanes *lanes);
/* Set the counter's `series` to this value from `time` on. */
bool sam_perfetto_counter(struct sam_perfetto *p, const char *name, const char *series,
                          uint64_t time, uint64_t value);
/* Begin or end flow `number` at the slice of `track` that covers `time`. */
bool sam_perfetto_flow(struct sam_perfetto *p, const char *name, uint64_t number, unsigned track,
                       uint64_t time, bool arrives);
/* Complete the file and free what `p` owns. */
bool sam_perfetto_end(struct sam_perfetto *p);

#endif
