/* SPDX-License-Identifier: Apache-2.0 */
/* A unit in time whose records stream through a pipeline: fetch, work, write. A record is a
 * sequence of parts, a part a number of steps. Bytes are fetched line by line ahead of the steps
 * that need them, into an input buffer; each step takes cycles of work; lines are written as
 * steps complete them. The parts of a record follow those of the previous one without a gap,
 * unless they may read its output. docs/decoder.md describes it. */
#ifndef SAM_SYSTEM_STAGES_H
#define SAM_SYSTEM_STAGES_H

#include "clock/clock.h"
#include "memtime/memtime.h"
#include "samite/sink.h"
#include "tensor/engines.h"

/* Counts of a queue in time; at the start of the state of each unit. */
struct system_unit_time {
    uint64_t submitted, begun, ended;
};

/* The cycles of a pipeline: at work, or the reason for none. */
enum {
    SYSTEM_STAGE_WORKS = 6,                  /* kinds of work, at most: cycles below this number */
    SYSTEM_STAGE_FETCH = SYSTEM_STAGE_WORKS, /* waits for bytes to arrive */
    SYSTEM_STAGE_WRITE,                      /* waits for bytes to be written */
    SYSTEM_STAGE_EMPTY,                      /* has no record */
    SYSTEM_STAGE_CYCLES
};

/* Bytes that the steps of a part read or write, from the first to the last or in the other
 * direction. After i of `steps` steps, from `first` on, ceil(bytes * i / steps) of them have been
 * used. */
struct system_flow {
    uint64_t address, bytes;
    uint64_t first, steps; /* both 0: all steps of the part */
    bool down;
    /* of the pipeline */
    bool writes, guess;
    uint64_t moved; /* lines requested */
};

/* A record, or a part in one of the stages, as shown on a track of the timeline. */
enum system_track {
    SYSTEM_TRACK_RECORDS,
    SYSTEM_TRACK_FETCH,
    SYSTEM_TRACK_WORK,
    SYSTEM_TRACK_WRITE,
    SYSTEM_TRACKS
};

struct system_part {
    uint64_t steps;           /* at least 1 */
    unsigned kind, lead_kind; /* of the work */
    uint64_t work;            /* cycles per step */
    uint64_t lead;            /* cycles before the first step, which need no bytes */
    bool barrier;             /* nothing is fetched before its bytes have arrived */
    bool ahead;               /* its bytes are for a later record: no step waits for them */
    bool guess;               /* prefetched, and only while a barrier blocks all other fetches */
    uint64_t keep;            /* not 0: its bytes are kept under this name, and then not fetched, */
    bool chain;               /* nor if the next part is in the chain too and not fetched */
    /* of the pipeline */
    size_t flow, flows;
    bool seen, kept;               /* looked up; found */
    uint64_t ready;                /* the last answer so far */
    uint64_t begun[SYSTEM_TRACKS]; /* 1 + the cycle of the first request, step, write; 0: none */
};

/* A record. */
struct system_job {
    const char *name; /* of its operation, in timelines */
    bool stream;      /* lines of the source do not stay in the L2 */
    bool failed;      /* out of memory: not all parts and flows are there */
    struct system_part *parts;
    struct system_flow *flows;
    size_t count, capacity, flow_count, flow_capacity;
    /* of the pipeline */
    struct system_job *next;
    uint64_t number, submitted, from; /* cycles: of the submission; it may begin */
    bool running;                     /* parts of it may have entered */
    struct system_hull {
        uint64_t low, end; /* first byte and end; empty while `end` is 0 */
    } reads, writes;
    uint64_t written; /* the last answer to a write so far */
};

/* A slice of a timeline. */
struct system_stage_span {
    enum system_track track;
    unsigned unit; /* of the port */
    const struct system_job *job;
    uint64_t from, to;
};

enum { SYSTEM_STAGE_REQUESTS = 256, SYSTEM_STAGE_LINES = 1024, SYSTEM_STAGE_KEPT = 64 };

struct system_stages_options {
    struct sam_clock *clock;
    const struct sam_memtime_port *port;
    unsigned unit;     /* of the port */
    uint32_t requests; /* unanswered, of fetches and of writes; at most SYSTEM_STAGE_REQUESTS */
    uint32_t lines;    /* of the input buffer; at most SYSTEM_STAGE_LINES */
    uint32_t outputs;  /* lines of the output buffer */
    uint32_t kept;     /* parts whose bytes are kept; at most SYSTEM_STAGE_KEPT */
    void (*watch)(void *context, const struct system_stage_span *span); /* NULL: none */
    void *context;
    struct system_weight_wave *wave; /* NULL: none */
};

/* The position of a stage: step `step` of part `part` of `job`, and its flow `flow`. */
struct system_place {
    struct system_job *job; /* NULL: before the first record that has not ended */
    size_t part;
    uint64_t step;
    size_t flow;
    uint64_t passed; /* steps so far */
};

/* The last request of a port; 0 bytes: none yet. */
struct system_asked {
    uint64_t cycle, address, bytes;
};

/* Unanswered requests. */
struct system_answers {
    unsigned count;
    uint64_t at[SYSTEM_STAGE_REQUESTS];
};

struct system_stages {
    struct system_unit_time unit;
    uint64_t cycles[SYSTEM_STAGE_CYCLES];
    struct sam_memtime_traffic bytes; /* requested from the port */
    uint64_t first_write;             /* cycle of the very first one; UINT64_MAX: none */
    struct system_job *given;         /* by the store being executed; NULL: none */
    struct system_stages_options options;
    struct sam_memtime_port port;
    unsigned clock_unit;
    struct system_job *first, **last; /* those that have not ended, in order */
    uint64_t shown;                   /* the timeline shows records up to here */
    struct system_place fetch, work, write;
    struct system_answers reads, writes;
    struct system_asked asked[2]; /* by fetch, by write */
    uint64_t barrier;             /* nothing is fetched before this cycle */
    uint32_t held;                /* lines in the input buffer */
    uint64_t pending;             /* lines in the output buffer */
    struct system_arrival {
        uint64_t step, at;
    } arrivals[SYSTEM_STAGE_LINES + 2]; /* ring: steps with new lines, when the last arrives */
    unsigned arrival, arrival_count;
    struct system_kept {
        uint64_t name, at, used;
    } kept[SYSTEM_STAGE_KEPT];
    uint64_t uses;
    bool busy, leading, led; /* at work; on a lead; the lead has ended */
    unsigned kind;
    uint64_t work_end;
    uint64_t since;  /* accounted for up to here, */
    unsigned reason; /* and with this kind or reason until the next tick */
};

/* Join the clock. */
void sam_system_stages_init(struct system_stages *s, const struct system_stages_options *options);

/* --- weight_wave.c: a waveform (VCD). NULL: out of memory. */
struct system_weight_wave *sam_system_weight_wave_new(const struct sam_sink *sink);
/* After cycle `now`, in which something may have changed. */
void sam_system_weight_wave_cycle(struct system_weight_wave *wave, const struct system_stages *s,
                                  uint64_t now);
/* End and free it. Returns false if the sink failed. */
bool sam_system_weight_wave_end(struct system_weight_wave *wave, uint64_t cycles);

/* --- stages_job.c: a record without parts. NULL: out of memory. */
struct system_job *sam_system_job_new(const char *name);
void sam_system_job_free(struct system_job *job);
/* Add a part, or a flow of the last one; nothing is added without bytes. Failures set
 * job->failed. */
void sam_system_job_part(struct system_job *job, const struct system_part *part);
void sam_system_job_read(struct system_job *job, const struct system_flow *flow);
void sam_system_job_write(struct system_job *job, const struct system_flow *flow);
/* Find the ranges that it reads and writes. */
void sam_system_job_measure(struct system_job *job);

/* Submit a record, which may begin in cycle `from`, after the current one. */
void sam_system_stages_enter(struct system_stages *s, struct system_job *job, uint64_t from);
/* Account for all cycles before the current one of the clock. */
void sam_system_stages_account(struct system_stages *s);

/* Operations of a unit (unit.h) whose state begins with its stages, or consists of them. `take`
 * sets `given`. */
struct sam_system_config;
void *sam_system_stages_open(const struct sam_system_config *config,
                             const struct system_stages_options *options);
void sam_system_stages_close(void *state);
bool sam_system_stages_uses(const void *state, size_t index, struct sam_work_span *bytes,
                            bool *stores);
bool sam_system_stages_submit(void *state);

#endif
