/* SPDX-License-Identifier: Apache-2.0 */
/* State of the model. Cycles count from 0. In each cycle an SM runs
 * these phases in this order, and a phase sees the effects of the earlier ones:
 *   emit        instructions with all operands leave the collectors, one per stream
 *   write-back  results whose `ready` has come are written, one per port
 *   issue       instructions leave the buffers of warps, one per stream
 *   operands    each register bank grants one request
 *   fetch       the fetch port asks the I-cache           (all SMs before the next phase)
 *   lsu         the LSU sends one line request            (all SMs)
 * Cycles in which no phase of any SM can act are skipped. */
#ifndef SAM_GPUTIME_MODEL_H
#define SAM_GPUTIME_MODEL_H

#include "gputime/gputime.h"
#include "memtime/memtime.h"

#define NEVER UINT64_MAX

enum {
    MOST_WARPS = 32,
    MOST_COLLECTORS = 64,
    MOST_SOURCES = 5,
    MOST_BANKS = 32,
    REGISTER_WORDS = 8, /* of 64 bits: x0..x255, v0..v255 */
    VECTOR = 256,       /* register number of v0 */
    NO_REGISTER = 0xffff,
    MOST_BUFFERED = 16 * 8,
    PORTS = 2,
    RESULT_UNITS = 8,
    CLEARS = 512,
    MOST_QUEUED = 32, /* a power of two, more than lsu_queue */
    MOST_PARTS = 2,   /* of a line, in requests to shared memory */
};

/* --- classify.c: timing of an instruction, from its row */
struct trait {
    uint8_t unit;   /* enum sam_gputime_unit */
    uint8_t stream; /* 0: X, 1: V */
    uint8_t flow;   /* enum sam_flow */
    uint8_t speed;  /* FPU: 0 add, 1 fused, 2 convert; SFU: 0 float, 1 integer */
    bool load, store, atomic, prefix;
    struct sam_uses uses;
};
struct traits {
    struct trait of[SAM_OP_COUNT];
};
void sam_gputime_classify(struct traits *traits);

/* --- state */

struct model;

/* The line requests of a memory instruction. */
struct access {
    bool used, local, write, atomic;
    uint16_t count, next; /* line requests, and the next to send */
    uint32_t lines[SAM_GPUTIME_MOST_ADDRESSES];
    uint8_t passes[SAM_GPUTIME_MOST_ADDRESSES]; /* bank conflict passes of local memory */
    uint16_t bytes[SAM_GPUTIME_MOST_ADDRESSES];
};

/* The bytes of each line that a write covers, as sets of 64. */
struct coverage {
    uint64_t of[SAM_GPUTIME_MOST_ADDRESSES][MOST_PARTS];
};

/* An issued instruction that is not complete; allocated from a pool per SM. */
struct inflight {
    struct sam_gputime_record record;
    const struct trait *trait;
    struct sam_gputime_row *row;
    struct access *access; /* or NULL */
    uint32_t next_pc;
    uint32_t generation; /* of the warp slot */
    uint16_t dest;
    bool pair;
    struct inflight *next; /* in the free list */
};

struct collector {
    struct inflight *inflight;
    uint32_t slot, generation; /* of the warp, valid until the next use */
    uint64_t request;          /* cycle in which operands are requested */
    /* sets of operands: not granted; requesting; granted in the last cycle but still requesting
     * (bank_echo); granted in this cycle */
    uint8_t missing, asking, echo, fresh;
    uint64_t banks; /* one byte per operand */
};

/* A register bank. */
struct bank {
    uint64_t asking;                       /* set of collectors */
    uint32_t next_collector, next_operand; /* round-robin position */
};

/* Results of a unit for a port, ordered by `ready`. */
struct results {
    uint32_t capacity, first, count;
    struct result {
        uint64_t ready;
        struct inflight *inflight;
    } * of; /* a ring */
};

struct meter {
    enum sam_gputime_reason reason;
    uint64_t since;
};

/* The last accounted span of a unit, so that overlapping spans count once. A span that continues it
 * for the same reason extends it: the launch may end within it. */
struct span {
    uint64_t from, to;
    enum sam_gputime_reason reason;
};

struct warp {
    bool resident, ended, has_op;
    bool cut;       /* the source ended without endprg */
    uint32_t group; /* slot of its workgroup */
    uint32_t workgroup, warp;
    uint32_t generation;
    uint64_t start;
    uint64_t free_from; /* not resident: first cycle in which the slot is free */
    /* the next instruction */
    struct sam_gputime_op op;
    const struct code *code;
    const struct trait *trait;   /* of `code`; NULL before the first instruction */
    struct sam_gputime_row *row; /* of `code` */
    enum sam_gputime_reason waited;
    uint8_t waits_for; /* set of enum event: those that can change its issue state */
    /* groups_wait: the fetch group of the next instruction has been accepted; registers of the
     * first instruction of the previous group */
    bool taken;
    uint8_t lead_count;
    uint16_t lead[MOST_SOURCES + 1];
    /* fetch: `count` instructions from `head` are in the buffer or being fetched */
    uint32_t head, count;
    uint32_t folded;               /* prefixes before the next instruction */
    uint64_t there[MOST_BUFFERED]; /* ring by address: cycle in which it is in the buffer */
    uint32_t fetch_pc;
    uint64_t next_fetch;
    uint64_t missed;       /* cycle of the last fetch if it missed, else NEVER */
    uint64_t icache_until; /* end of the miss */
    uint64_t redirect;     /* cycle of the fetch of redirect_pc, or NEVER */
    uint32_t redirect_pc;
    /* issue */
    bool unresolved;                      /* a branch or join is in flight */
    bool barrier;                         /* waits for other warps at a barrier */
    uint64_t barrier_from, barrier_until; /* cycles in which a barrier blocks the warp */
    bool fenced;                          /* memory instructions wait for a fence */
    uint32_t fences;                      /* issued and not executed */
    uint64_t fence_until;                 /* the cycle after the last was executed */
    uint64_t issue_from;                  /* after a branch */
    uint64_t busy[REGISTER_WORDS], loading[REGISTER_WORDS];
    uint32_t outstanding; /* register writes */
    uint32_t collecting;  /* instructions in collectors */
    uint32_t collector;   /* of the last one */
    uint64_t collected;   /* first cycle in which all collectors it has left are free */
    uint32_t accesses;    /* memory instructions issued and not complete */
    uint32_t in_lsu;      /* of those, accepted by the LSU */
    struct meter meter;
    uint64_t *reasons; /* cycles of the slot, in the result */
    uint32_t meter_pc;
    struct sam_gputime_row *meter_row;
};

struct group {
    bool used;
    uint32_t workgroup;
    uint32_t live, arrived; /* warps */
    uint64_t last_arrival;
    uint64_t free_from; /* no live warp: first cycle in which its resources are free */
};

struct lsu {
    uint32_t first, queued; /* a ring */
    struct inflight *queue[MOST_QUEUED];
    uint64_t entered[MOST_QUEUED];
    bool active;
    bool refused;              /* the next request was refused and is retried */
    struct inflight *inflight; /* the instruction whose requests are being sent */
    uint64_t next_request;     /* cycle of the next line request */
    uint64_t free;             /* first cycle in which the next instruction may start */
    uint64_t last_reply;       /* of the requests sent */
    uint64_t lds_free;
    uint32_t under_way; /* accepted, without a result */
};

/* A memory instruction whose last reply is known. */
struct answer {
    uint64_t at;
    uint32_t warp, generation;
};

/* Stalled warps by reason, per stream, for warps without a next instruction (NO_STREAM) and for
 * those that are not stalled. */
enum { NO_STREAM = 2, STREAMS = 3, NOT_WAITING = STREAMS };
struct waits {
    uint32_t warps;                /* set of stalled warps */
    bool left;                     /* some of them have left the SM */
    uint32_t reasons[STREAMS + 1]; /* sets of ranks with a count above 0 */
    uint8_t counts[STREAMS + 1][SAM_GPUTIME_REASONS];
    uint8_t stream[MOST_WARPS], rank[MOST_WARPS];
};

/* Wake-up cycles of stalled warps, at which their issue state is checked again. Each of the next
 * MOST_NEAR cycles has a set of warps; the others are in `far`, which is scanned. */
enum { MOST_NEAR = 64 };
struct wakeups {
    uint64_t at[MOST_WARPS];  /* of each warp, or NEVER */
    uint64_t cycles;          /* near cycles with a warp, by their low bits */
    uint32_t near[MOST_NEAR]; /* sets of warps */
    uint32_t far;
    uint64_t next; /* the first after the last check */
};

struct sm {
    uint32_t number;
    bool due; /* any phase but the LSU, in this cycle */
    /* without an observer SMs run one after the other: cycle and next phase of this one */
    bool running;
    enum phase {
        PHASE_COMPUTE, /* up to the operands */
        PHASE_FETCH,
        PHASE_LSU,
        PHASES
    } phase;
    uint64_t cycle;
    uint64_t wake; /* next cycle of any other phase than LSU, and of LSU */
    uint64_t lsu_at;
    /* first cycles in which emit, write-back and memory replies can act */
    uint64_t emit_at, write_at, first_answer;
    struct warp *warps;   /* config.warps */
    struct group *groups; /* config.groups */
    struct group all;     /* all warps, for barriers of the whole SM */
    struct collector *collectors;
    struct warp *chosen[2]; /* per stream: issues next, once a collector is free */
    uint64_t last_issue;    /* the cycle after it */
    /* sets of collectors: all; in use; per stream and unit; requesting, reading, having all
     * operands */
    uint64_t all_collectors, used, in_stream[2], for_unit[SAM_GPUTIME_UNITS];
    uint64_t asking, reading, complete;
    uint64_t coming;     /* collectors that request from collector.request on */
    uint64_t asked;      /* set of banks with requests */
    uint64_t echoing;    /* collectors with operands granted in the cycle before */
    uint64_t echo_cycle; /* this one */
    uint32_t requests;   /* requesting operands */
    struct bank banks[2 * MOST_BANKS];
    uint64_t ready[MOST_COLLECTORS];     /* cycle in which it may leave; NEVER: operands missing */
    uint64_t free_from[MOST_COLLECTORS]; /* unused: first cycle in which it is free */
    struct inflight *free_inflight;
    struct inflight_chunk *chunks; /* the pool */
    /* The issue state of a warp is checked if its bit in `checked` is 0 and, if stalled, at its
     * wake-up cycle. It holds until the next check. */
    uint32_t checked, resident_set;
    uint32_t roomy;        /* warps with room for a fetch */
    uint32_t redirected;   /* warps with a redirect pending */
    uint32_t can_issue[2]; /* per stream */
    struct waits waits;    /* of the others */
    struct wakeups wakeups;
    uint32_t next_warp[2], next_emit[2];

    /* by m->write_rank and port; the set of those with results */
    struct results results[RESULT_UNITS * PORTS];
    uint32_t has_results;
    uint64_t unit_free[SAM_GPUTIME_UNITS];
    struct span spans[SAM_GPUTIME_UNITS]; /* of units accounted by spans; of the others: */
    struct meter meters[SAM_GPUTIME_UNITS];
    /* registers to clear in the scoreboard, in order of time */
    uint32_t clear_first, clear_count;
    struct clear {
        uint64_t at;
        uint32_t warp, generation;
        uint16_t reg;
        bool pair;
    } clears[CLEARS];
    struct lsu lsu;
    uint32_t answer_count, answer_capacity;

    struct answer *answers;
    struct access *accesses;
    uint32_t access_count;
    struct coverage *coverage; /* per access; NULL without shared memory */
    uint32_t flushed;          /* L1 tags that the final flush has passed */
    struct sam_memtime_tags icache, l1;
    struct sam_memtime_misses icache_misses, l1_misses, l1_writes;
    uint64_t next_start; /* earliest start of a warp */
    uint32_t free_warps, free_groups;
    uint64_t free_sgprs, free_vgprs, free_lds;
    struct sam_gputime_sm *stats;
    struct meter meter;
};

/* An instruction at a pc, with the registers that its issue depends on. */
struct code {
    const struct sam_insn *insn;
    const struct trait *trait;
    struct sam_gputime_row *row;
    uint16_t dest, sources[MOST_SOURCES], watched[MOST_SOURCES]; /* watched: in the scoreboard */
    uint8_t source_count, watched_count;
    struct code *next; /* another instruction at the same pc */
};

/* Instructions by pc. */
struct program {
    struct location *table;
    size_t capacity, count;
};

struct model {
    struct sam_gputime_config config;
    struct sam_gputime_launch launch;
    const struct sam_gputime_source *source;
    const struct sam_gputime_observer *observer; /* never NULL */
    struct sam_gputime_result *result;
    struct traits traits;
    uint8_t write_rank[SAM_GPUTIME_UNITS];   /* order of units at write-back */
    struct sm *sms, *current;                /* current: the SM that runs ahead, or NULL */
    struct sam_memtime *memory;              /* own L2, or NULL: */
    const struct sam_gputime_memory *shared; /* memory shared with other units */
    struct sam_memtime_traffic traffic;      /* requested from it */
    uint64_t first;                          /* clock cycle of the model's cycle 0 */
    uint64_t acknowledged;                   /* cycle of the last acknowledgement of a write */
    struct program program;
    uint64_t now;
    uint64_t next_number;
    uint32_t threads;                          /* lanes of the hardware */
    uint32_t l1_shift, icache_shift, l2_shift; /* log2 of the line sizes */
    /* dispatch */
    uint32_t next_group, ended_groups, next_sm;
    uint64_t next_dispatch; /* next attempt; NEVER: after the next release */
    uint64_t next_release;  /* of the resources of a workgroup, or NEVER */
    uint64_t last_end;
    uint64_t limit; /* end of the launch; NEVER until known */
    bool out_of_memory;
    struct sam_gputime_row spare; /* dummy row */
};

static inline void wake_at(struct sm *sm, uint64_t cycle)
{
    sm->wake = cycle < sm->wake ? cycle : sm->wake;
}

/* Events that can change the issue state of a warp. */
enum event {
    EVENT_FETCH = 1,
    EVENT_COLLECTOR = 2, /* its instruction has all operands or has left the collector */
    EVENT_WRITTEN = 4,   /* a register is written */
    EVENT_MEMORY = 8,    /* an access is complete */
    EVENT_FLOW = 16,     /* a branch, barrier or fence: in every waits_for */
    EVENTS = 31,
};
static inline void recheck(struct sm *sm, const struct warp *w, enum event event)
{
    sm->checked &= ~((uint32_t)((w->waits_for & event) != 0) << (w - sm->warps));
}

static inline void lsu_at(struct sm *sm, uint64_t cycle)
{
    sm->lsu_at = cycle < sm->lsu_at ? cycle : sm->lsu_at;
}

/* A collector becomes complete or a unit free in this cycle. */
static inline void emit_at(struct sm *sm, uint64_t cycle)
{
    sm->emit_at = cycle < sm->emit_at ? cycle : sm->emit_at;
    wake_at(sm, cycle);
}

/* A result or a scoreboard clear is due in this cycle. */
static inline void write_at(struct sm *sm, uint64_t cycle)
{
    sm->write_at = cycle < sm->write_at ? cycle : sm->write_at;
    wake_at(sm, cycle);
}

static inline bool is_set(const uint64_t *set, unsigned bit)
{
    return set[bit >> 6] >> (bit & 63) & 1;
}

#endif
