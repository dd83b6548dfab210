/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines in the JSON of Chrome's trace viewer ("Trace Event Format"), which ui.perfetto.dev
 * opens: tracks with slices, and counters. Events are written as they arrive; times are in the
 * viewer's us. After a sink has failed, every call returns false. */
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

/* Shown with a slice: a text or, if that is NULL, a number. */
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
/* Tracks belong to processes, from 0; counters to process 0. */
enum { SAM_PERFETTO_TRACKS = 1 << 20 };
static inline unsigned sam_perfetto_track_number(unsigned process, unsigned place)
{
    return process * SAM_PERFETTO_TRACKS + place;
}

bool sam_perfetto_process(struct sam_perfetto *p, unsigned process, const char *name);
/* Those of a process are shown in order of their numbers. */
bool sam_perfetto_track(struct sam_perfetto *p, unsigned track, const char *name);
bool sam_perfetto_slice(struct sam_perfetto *p, const struct sam_perfetto_slice *slice);
/* From `time` on, the counter's `series` has this value. */
bool sam_perfetto_counter(struct sam_perfetto *p, const char *name, const char *series,
                          uint64_t time, uint64_t value);
/* An arrow `number` from the slice of `track` that covers `time`, or to it. */
bool sam_perfetto_flow(struct sam_perfetto *p, const char *name, uint64_t number, unsigned track,
                       uint64_t time, bool arrives);
/* Finish the text and free what `p` holds. */
bool sam_perfetto_end(struct sam_perfetto *p);

#endif
