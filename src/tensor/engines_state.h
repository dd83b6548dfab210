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
struct sam_engines_inflight {
    uint64_t read, done; /* first cycle of a conflicting access: after a load, after a store */
    uint64_t order;
    uint8_t engine;
    bool store;
    unsigned span_count;
    struct sam_work_span spans[SAM_WORK_SPANS];
};

/* Cycles of an instruction. */
struct sam_engines_times {
    uint64_t first, start; /* the engine is free; it starts */
    unsigned reason;       /* of the delay between them */
    uint64_t release, done;
    uint64_t read; /* the bytes of a load have been read */
};

/* Requests to the memory, in ascending order of addresses, at most a line each. They are spread
 * over the cycles of the transfer, and stall while SAM_ENGINES_UNANSWERED are outstanding. */
struct sam_engines_transfer {
    unsigned requests, sent;
    unsigned span; /* of the next request, and its first byte */
    uint64_t at;
    uint64_t cycles; /* of the transfer without stalls */
    uint64_t waited;
    uint64_t last; /* the latest answer */
};

enum { SAM_ENGINES_UNANSWERED = 32 };

/* A queued instruction whose times are not known yet, because it depends, directly or indirectly,
 * on an access of another unit. */
struct sam_engines_waiting {
    struct sam_engines_waiting *next; /* in program order */
    uint64_t order, issued;
    uint64_t place; /* instructions issued to its queue before it */
    bool held;      /* its last dependence was an access of another unit */
    bool started;   /* it sends requests to the memory; `times` are known up to its start */
    struct sam_engines_times times;
    struct sam_engines_transfer transfer;
    struct sam_work work;
};

struct sam_engines_queue {
    uint64_t *starts;       /* ring: start cycles of the last `depth` instructions, or NEVER */
    uint64_t issued, left;  /* instructions issued; that have left the queue */
    unsigned waiting;       /* instructions with unknown times */
    uint64_t release, done; /* of the last instruction with known times */
    uint64_t answers[SAM_ENGINES_UNANSWERED]; /* the latest answers of the memory */
    uint64_t stalled; /* cycles since `done` in which the hart stalled for another engine */
    struct sam_engine_report report; /* except for DRAINED and unfinished instructions */
};

struct sam_engines_tlreg {
    uint64_t done; /* of its last writer */
    uint8_t engine;
    uint64_t read; /* release of its last reader */
};

struct sam_engines {
    struct sam_engines_config config;
    struct sam_engines_watch watch;
    struct sam_engines_outside outside;
    unsigned unit; /* of the clock */
    bool good;
    bool exhausted; /* out of memory */
    struct sam_engines_queue queue[SAM_ENGINE_COUNT];
    struct sam_engines_tlreg tl[SAM_TL_COUNT];
    struct sam_engines_inflight *inflight;
    size_t inflight_count, inflight_capacity;
    struct sam_engines_waiting *waiting, *spare; /* in program order; free list */
    /* the hart */
    uint64_t cycle;                   /* of the next issue */
    unsigned used;                    /* instructions issued in it */
    unsigned kind;                    /* enum sam_issue_cycle of it, when used */
    bool matrix;                      /* one of them is for the matrix unit */
    bool settled;                     /* the clock has run ahead of the hart */
    uint64_t pc;                      /* of the first instruction in it */
    uint64_t instructions, order;     /* retired; issued to units */
    uint64_t issue[SAM_ISSUE_CYCLES]; /* of the cycles before `cycle` */
    struct sam_engines_slice slice;   /* the last slice, not reported yet */
};

/* engines_hart.c */
void sam_engines_show(struct sam_engines *e, const struct sam_engines_slice *slice);
/* Advance to a cycle with room for an instruction. */
void sam_engines_open_cycle(struct sam_engines *e);
/* Stall until `until`, or less if other units decide: the caller repeats the call. */
void sam_engines_stall(struct sam_engines *e, unsigned kind, uint64_t until, uint64_t pc);
void sam_engines_issue(struct sam_engines *e, unsigned kind, uint64_t pc);
void sam_engines_close_cycle(struct sam_engines *e);
/* Advance the other units of the clock to the cycle of the hart. */
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
/* The first cycle in which instruction `order` may access the spans, considering accesses of
 * engines with known times. Stores of one engine are in order without it. */
uint64_t sam_engines_memory_ready(struct sam_engines *e, unsigned engine, uint64_t order,
                                  bool store, const struct sam_work_span *spans, unsigned count);
/* Add a load or store in flight. Returns false on out-of-memory. */
bool sam_engines_add_inflight(struct sam_engines *e, const struct sam_work *work, uint64_t order,
                              uint64_t read, uint64_t done);

/* engines_port.c: from the start of a load or store until its last request has been sent. */
void sam_engines_begin_transfer(struct sam_engines_waiting *w, uint64_t cycles);
/* Send the requests due in cycle `now`. Returns the cycle of the next one; NEVER: all have been
 * sent, and w->times are complete. */
uint64_t sam_engines_send(struct sam_engines *e, struct sam_engines_waiting *w, uint64_t now);

#endif
