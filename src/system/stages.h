/* SPDX-License-Identifier: Apache-2.0 */
/* A unit in time whose records are parts that pass a pipeline: fetch, work, write. The parts of a
 * record follow those of the one before without a gap, unless they may read what that one writes.
 * docs/system-rulings.md has the rules. */
#ifndef SAM_SYSTEM_STAGES_H
#define SAM_SYSTEM_STAGES_H

#include "clock/clock.h"
#include "memtime/memtime.h"
#include "tensor/engines.h"

/* Counts of a queue in time; at the start of the state of each unit. */
struct system_unit_time {
    uint64_t submitted, begun, ended;
};

/* The cycles of a pipeline: in work, or the reason for none. */
enum {
    SYSTEM_STAGE_WORKS = 5,                  /* kinds of work, at most: cycles below this number */
    SYSTEM_STAGE_FETCH = SYSTEM_STAGE_WORKS, /* waits for bytes to arrive */
    SYSTEM_STAGE_WRITE,                      /* waits for bytes to be written */
    SYSTEM_STAGE_EMPTY,                      /* has no record */
    SYSTEM_STAGE_CYCLES
};

struct system_part {
    uint64_t source, source_bytes;
    uint64_t destination, destination_bytes;
    uint64_t work[SYSTEM_STAGE_WORKS]; /* cycles, in this order */
    struct system_job *job;
};

/* First byte and end of a range; empty while `end` is 0. */
struct system_hull {
    uint64_t low, end;
};

/* A record. */
struct system_job {
    const char *name; /* of its operation, in timelines */
    bool stream;      /* the source does not stay in the L2 */
    size_t count;     /* parts */
    /* of the pipeline */
    struct system_job *next;
    uint64_t number, submitted, from; /* cycles: of the submission; it may begin */
    bool running;                     /* parts of it may have entered */
    struct system_hull reads, writes;
    size_t taken, left; /* parts that have entered; that have not left */
    struct system_part parts[];
};

/* A record, or a part in one of the stages, as shown on a track of the timeline. */
enum system_track {
    SYSTEM_TRACK_RECORDS,
    SYSTEM_TRACK_FETCH,
    SYSTEM_TRACK_WORK,
    SYSTEM_TRACK_WRITE,
    SYSTEM_TRACKS
};
struct system_stage_span {
    enum system_track track;
    unsigned unit; /* of the port */
    const struct system_job *job;
    uint64_t from, to;
};

struct system_stages_options {
    struct sam_clock *clock;
    const struct sam_memtime_port *port;
    unsigned unit;     /* of the port */
    uint32_t requests; /* unanswered requests of fetches, and of writes; at most 256 */
    void (*watch)(void *context, const struct system_stage_span *span); /* NULL: none */
    void *context;
};

/* Fetch or write. */
struct system_mover {
    const struct system_part *part; /* NULL: free */
    uint64_t begun;
    uint64_t at, end; /* bytes still to be requested */
    uint64_t done;    /* the last answer so far */
    unsigned count;
    uint64_t answers[256]; /* outstanding */
};

struct system_stages {
    struct system_unit_time unit;
    uint64_t cycles[SYSTEM_STAGE_CYCLES];
    struct sam_memtime_traffic bytes; /* requested from the port */
    struct system_job *given;         /* by the store that runs; NULL: none */
    struct system_stages_options options;
    struct sam_memtime_port port;
    unsigned clock_unit;
    struct system_job *first, **last; /* those that have not ended, in order */
    struct system_job *entering;      /* the last that runs; NULL: none */
    uint64_t shown;                   /* up to there the timeline shows records */
    struct system_mover fetch, write;
    const struct system_part *part; /* in work; NULL: none */
    uint64_t work_begun, work_end;
    uint64_t since;  /* accounted for up to there, */
    unsigned reason; /* and with this reason until the next tick, unless there is work */
};

/* Join the clock. */
void sam_system_stages_init(struct system_stages *s, const struct system_stages_options *options);
/* A record of at most `parts` parts, which are zero. NULL: out of memory. */
struct system_job *sam_system_job_new(size_t parts);
/* Submit a record, which may begin in cycle `from`, after the current one. */
void sam_system_stages_enter(struct system_stages *s, struct system_job *job, uint64_t from);
/* Account for all cycles before the current one of the clock. */
void sam_system_stages_account(struct system_stages *s);

/* Operations of a unit (unit.h) whose state begins with its stages, or is no more than these.
 * `take` sets `given`. */
struct sam_system_config;
void *sam_system_stages_open(const struct sam_system_config *config,
                             const struct system_stages_options *options);
void sam_system_stages_close(void *state);
bool sam_system_stages_uses(const void *state, size_t index, struct sam_work_span *bytes,
                            bool *stores);
bool sam_system_stages_submit(void *state);

#endif
