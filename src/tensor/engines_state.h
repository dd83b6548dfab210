/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the engines' model. An instruction issued in cycle t leaves its queue in
 * its start cycle s >= t + 1. From `release` on, its transfer is complete, its sources are read and
 * the engine is free; from `done` on, its result is available. */
#ifndef SAM_TENSOR_ENGINES_STATE_H
#define SAM_TENSOR_ENGINES_STATE_H

#include "tensor/engines.h"
#include "tensor/tensor.h"

#define SAM_ENGINES_NEVER UINT64_MAX

/* A load or store whose bytes may still conflict with later accesses. */
struct sam_engines_flight {
    uint64_t read, done; /* of a load, and of a store: others may access its bytes */
    uint64_t order;
    uint8_t engine;
    bool store;
    unsigned span_count;
    struct sam_work_span spans[SAM_WORK_SPANS];
};

/* When an instruction can start, starts, and is over. */
struct sam_engines_times {
    uint64_t first, start; /* what delays it from `first` on: `reason` */
    unsigned reason;
    uint64_t release, done;
    uint64_t read; /* a load has read its bytes */
};

/* Requests to the memory, in ascending order of addresses, a part of a line each. They are spread
 * over the cycles that the transfer takes, and wait when too many of the engine are unanswered. */
struct sam_engines_transfer {
    unsigned requests, sent;
    unsigned span; /* of the next request, and its first byte */
    uint64_t at;
    uint64_t cycles; /* of the transfer, if nothing waits */
    uint64_t waited;
    uint64_t last; /* the latest answer */
};

enum { SAM_ENGINES_UNANSWERED = 32 };

/* An instruction in a queue whose times are not known yet, because it follows, directly or not, an
 * access of another unit. */
struct sam_engines_waiting {
    struct sam_engines_waiting *next; /* in the program */
    uint64_t order, issued;
    uint64_t place; /* in its queue: how many were issued to it before */
    bool held;      /* an access of another unit has been the last to hold it */
    bool started;   /* it sends requests to the memory; `times` are known up to its start */
    struct sam_engines_times times;
    struct sam_engines_transfer transfer;
    struct sam_work work;
};

struct sam_engines_queue {
    uint64_t *starts;       /* ring: start cycles of the last `depth` instructions, or NEVER */
    uint64_t issued, left;  /* instructions issued, and how many of them have left the queue */
    unsigned waiting;       /* of those issued: their times are not known yet */
    uint64_t release, done; /* of the last one whose times are known */
    uint64_t answers[SAM_ENGINES_UNANSWERED]; /* of requests to the memory: those that come last */
    uint64_t stalled; /* cycles since `done` in which the hart waited for another engine */
    struct sam_engine_report report; /* except for DRAINED and unfinished instructions */
};

struct sam_engines_tlreg {
    uint64_t done; /* of the last instruction that writes it */
    uint8_t engine;
    uint64_t read; /* from this cycle on, all its readers so far have read it */
};

struct sam_engines {
    struct sam_engines_config config;
    struct sam_engines_watch watch;
    struct sam_engines_outside outside;
    unsigned unit; /* its number in the clock, if there is one */
    bool good;
    bool exhausted; /* out of memory */
    struct sam_engines_queue queue[SAM_ENGINE_COUNT];
    struct sam_engines_tlreg tl[SAM_TL_COUNT];
    struct sam_engines_flight *flights;
    size_t flight_count, flight_capacity;
    struct sam_engines_waiting *waiting, *spare; /* in program order; to be used again */
    /* the hart */
    uint64_t cycle;                   /* in which the next instruction may issue */
    unsigned used;                    /* instructions issued in it */
    unsigned kind;                    /* enum sam_issue_cycle of it, when used */
    bool matrix;                      /* one of them was for the matrix unit */
    bool settled;                     /* the clock has gone on without the hart */
    uint64_t pc;                      /* of the first of these */
    uint64_t instructions, order;     /* in the program; of those that units run */
    uint64_t issue[SAM_ISSUE_CYCLES]; /* of the cycles before `cycle` */
    struct sam_engines_slice slice;   /* the last slice, not reported yet */
};

/* engines_hart.c */
void sam_engines_tell(struct sam_engines *e, const struct sam_engines_slice *slice);
/* Advance to a cycle with room for an instruction. */
void sam_engines_open_cycle(struct sam_engines *e);
/* Issue nothing before `until`, or for a while if that is NEVER: the caller asks again. */
void sam_engines_stall(struct sam_engines *e, unsigned kind, uint64_t until, uint64_t pc);
void sam_engines_issue(struct sam_engines *e, unsigned kind, uint64_t pc);
void sam_engines_close_cycle(struct sam_engines *e);
/* Bring the other units of the clock to the hart's cycle. */
static inline void sam_engines_sync(struct sam_engines *e)
{
    if (e->outside.clock && e->outside.clock->now < e->cycle)
        sam_clock_advance(e->outside.clock, e->cycle);
}

/* engines_memory.c */
bool sam_engines_share_a_byte(const struct sam_work_span *a, unsigned a_count,
                              const struct sam_work_span *b, unsigned b_count);
static inline bool sam_engines_overlap(const struct sam_work_span *a, unsigned a_count,
                                       const struct sam_work_span *b, unsigned b_count)
{
    return a_count && b_count && a[0].low <= b[b_count - 1].high &&
           a[a_count - 1].high >= b[0].low && sam_engines_share_a_byte(a, a_count, b, b_count);
}
/* The first cycle in which instruction `order` may access the spans, as far as accesses of engines
 * are concerned whose times are known. `engine` keeps its own stores in order. */
uint64_t sam_engines_memory_ready(struct sam_engines *e, unsigned engine, uint64_t order,
                                  bool store, const struct sam_work_span *spans, unsigned count);
/* The bytes of a load have been read from cycle `read` on. False: out of memory. */
bool sam_engines_take_off(struct sam_engines *e, const struct sam_work *work, uint64_t order,
                          uint64_t read, uint64_t done);

/* engines_port.c: from the start of a load or store until its last request has been sent. */
void sam_engines_begin_transfer(struct sam_engines_waiting *w, uint64_t cycles);
/* Send what is due in cycle `now`. The cycle of the next request; NEVER: all have been sent, and
 * the times are complete. */
uint64_t sam_engines_send(struct sam_engines *e, struct sam_engines_waiting *w, uint64_t now);

#endif
