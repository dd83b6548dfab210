/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of gputime/: the state of the model. Cycles are counted from 0. In each cycle
 * an SM goes through these phases, in this order, and a phase sees what those before it did:
 *   emit        instructions with all operands leave the collectors, one per stream
 *   write-back  results whose `ready` has come are written, one per port
 *   issue       instructions leave the buffers of warps, one per stream
 *   operands    each register bank grants one request
 *   fetch       the fetch port asks the I-cache           (all SMs before the next phase)
 *   lsu         the LSU sends one line request            (all SMs)
 * A cycle in which no phase of any SM can do anything is skipped. */
#ifndef SAM_GPUTIME_MODEL_H
#define SAM_GPUTIME_MODEL_H

#include "gputime/gputime.h"
#include "memtime/memtime.h"

#define NEVER UINT64_MAX

/* model.c makes the parts of the model static. */
#ifndef PART
#define PART
#endif

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
    MOST_PARTS = 2,   /* of a line that is asked of shared memory */
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
    uint16_t count, next; /* line requests; the next to send */
    uint32_t lines[SAM_GPUTIME_MOST_ADDRESSES];
    uint8_t turns[SAM_GPUTIME_MOST_ADDRESSES]; /* of local memory's banks */
    uint16_t bytes[SAM_GPUTIME_MOST_ADDRESSES];
};

/* The bytes that a write covers of each of its lines, a set for each 64 of them. */
struct coverage {
    uint64_t of[SAM_GPUTIME_MOST_ADDRESSES][MOST_PARTS];
};

/* An instruction after its issue; from a pool of its SM until it is complete. */
struct flight {
    struct sam_gputime_record record;
    const struct trait *trait;
    struct sam_gputime_row *row;
    struct access *access; /* NULL: none */
    uint32_t next_pc;
    uint32_t generation; /* of the warp slot */
    uint16_t dest;
    bool pair;
    struct flight *next; /* of those that are free */
};

struct collector {
    struct flight *flight;
    uint32_t slot, generation; /* of the warp, also after its instruction has left */
    uint64_t request;          /* of operands */
    /* sets of operands: not granted, standing at their banks, granted in the last cycle and still
     * there, granted in this one */
    uint8_t missing, asking, echo, fresh;
    uint64_t banks; /* a byte each */
};

/* A register bank. */
struct bank {
    uint64_t asking;                       /* set of collectors */
    uint32_t next_collector, next_operand; /* the first in its turn */
};

/* Results of a unit for a port, ordered by `ready`. */
struct results {
    uint32_t capacity, first, count;
    struct result {
        uint64_t ready;
        struct flight *flight;
    } * of; /* a ring */
};

struct meter {
    enum sam_gputime_reason reason;
    uint64_t since;
};

/* The last span that a unit has accounted for: what overlaps counts once. One that continues it for
 * the same reason is part of it, for the launch may end before it does. */
struct span {
    uint64_t from, to;
    enum sam_gputime_reason reason;
};

struct warp {
    bool resident, ended, has_op;
    bool cut;       /* its instructions ended without endprg */
    uint32_t group; /* slot of its workgroup */
    uint32_t workgroup, warp;
    uint32_t generation;
    uint64_t start;
    uint64_t free_from; /* not resident: the slot can be taken from this cycle on */
    /* the next instruction */
    struct sam_gputime_op op;
    const struct code *code;
    const struct trait *trait;   /* of its code; NULL: there was none yet */
    struct sam_gputime_row *row; /* the same */
    enum sam_gputime_reason waited;
    uint8_t waits_for; /* set of enum event: those that can change how it was judged */
    /* with groups_wait: whether the next instruction's fetch group has been taken up, and registers
     * of the first instruction of the last group */
    bool taken;
    uint8_t lead_count;
    uint16_t lead[MOST_SOURCES + 1];
    /* fetch: from `head` on `count` instructions are in the buffer or on their way */
    uint32_t head, count;
    uint32_t folded;               /* prefixes before the next instruction */
    uint64_t there[MOST_BUFFERED]; /* ring, by instruction address: when it can be issued */
    uint32_t fetch_pc;
    uint64_t next_fetch;
    uint64_t missed;       /* cycle of the last fetch, if it missed; NEVER */
    uint64_t icache_until; /* a miss is known to last until then */
    uint64_t redirect;     /* cycle of the fetch of redirect_pc; NEVER: none */
    uint32_t redirect_pc;
    /* issue */
    bool unresolved;                      /* a branch or join */
    bool barrier;                         /* issued, and not all warps have arrived */
    uint64_t barrier_from, barrier_until; /* barriers block the warp in these cycles */
    bool fenced;                          /* memory instructions wait for a fence */
    uint32_t fences;                      /* issued and not executed */
    uint64_t fence_until;                 /* the cycle after the last was executed */
    uint64_t issue_from;                  /* after a branch */
    uint64_t busy[REGISTER_WORDS], loading[REGISTER_WORDS];
    uint32_t outstanding; /* registers to be written */
    uint32_t collecting;  /* instructions in collectors */
    uint32_t collector;   /* of the last one */
    uint64_t collected;   /* all those it has left are free from this cycle on */
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
    uint64_t free_from; /* no warp is live: what it holds is free from this cycle on */
};

struct lsu {
    uint32_t first, queued; /* a ring */
    struct flight *queue[MOST_QUEUED];
    uint64_t entered[MOST_QUEUED];
    bool active;
    bool refused;          /* the next request has been, and is repeated */
    struct flight *flight; /* whose requests are being sent */
    uint64_t next_request; /* cycle of the next line request */
    uint64_t free;         /* the next instruction may start */
    uint64_t last_reply;   /* of the requests sent */
    uint64_t lds_free;
    uint32_t under_way; /* taken, and without a result */
};

/* A memory instruction whose last reply is known. */
struct answer {
    uint64_t at;
    uint32_t warp, generation;
};

/* Why warps cannot issue: how many for each reason, for those of a stream, those without a next
 * instruction, and those that do not wait. */
enum { NO_STREAM = 2, STREAMS = 3, NOT_WAITING = STREAMS };
struct waits {
    uint32_t warps;                /* a set */
    bool left;                     /* some of them have left the SM */
    uint32_t reasons[STREAMS + 1]; /* sets of ranks: those with a count */
    uint8_t counts[STREAMS + 1][SAM_GPUTIME_REASONS];
    uint8_t stream[MOST_WARPS], rank[MOST_WARPS];
};

/* When warps that wait are to be judged again. The cycles up to MOST_NEAR from now have a set of
 * warps each, and those that are farther off are looked through. */
enum { MOST_NEAR = 64 };
struct alarms {
    uint64_t at[MOST_WARPS];  /* of each warp; NEVER: none */
    uint64_t cycles;          /* of the near ones, by their low bits: those with any */
    uint32_t near[MOST_NEAR]; /* sets of warps */
    uint32_t far;
    uint64_t next; /* the first one after the last cycle with a judgement */
};

struct sm {
    uint32_t number;
    bool due; /* any phase but the LSU, in this cycle */
    /* where it runs apart from the others: its cycle and what is next in it */
    bool running;
    enum phase {
        PHASE_COMPUTE, /* up to the operands */
        PHASE_FETCH,
        PHASE_LSU,
        PHASES
    } phase;
    uint64_t cycle;
    uint64_t wake; /* the next cycle of any phase but the LSU, and of that */
    uint64_t lsu_at;
    /* Emit, write-back and the answers of memory have nothing to do before these cycles. */
    uint64_t emit_at, write_at, first_answer;
    struct warp *warps;   /* config.warps */
    struct group *groups; /* config.groups */
    struct group all;     /* the warps of all of them, for barriers of the whole SM */
    struct collector *collectors;
    /* sets of collectors: all, in use, of each stream and unit; those with operands to be granted,
     * with operands on their way, and with all of them */
    struct warp *chosen[2]; /* of each stream: issues next, as soon as a collector is free */
    uint64_t last_issue;    /* the cycle after it */
    uint64_t all_collectors, used, in_stream[2], for_unit[SAM_GPUTIME_UNITS];
    uint64_t asking, reading, complete;
    uint64_t coming;     /* ... that ask for them from collector.request on */
    uint64_t asked;      /* a set of banks */
    uint64_t echoing;    /* collectors with operands that were granted in the cycle ... */
    uint64_t echo_cycle; /* ... before this one */
    uint32_t requests;   /* operands that ask */
    struct bank banks[2 * MOST_BANKS];
    uint64_t ready[MOST_COLLECTORS];     /* when each may leave; NEVER: operands are missing */
    uint64_t free_from[MOST_COLLECTORS]; /* of one that is not used: it can be from this cycle on */
    struct flight *free_flights;
    struct flight_chunk *chunks; /* of all flights */
    /* A warp is judged when `judged` has not its bit, and one that could not issue when its alarm
     * goes off. One that can issue can do so until it is judged again. */
    uint32_t judged, resident_set;
    uint32_t roomy;        /* warps with room for a fetch */
    uint32_t redirected;   /* ... whose fetch goes elsewhere from w->redirect on */
    uint32_t can_issue[2]; /* of each stream */
    struct waits waits;    /* of the others */
    struct alarms alarms;
    uint32_t next_warp[2], next_emit[2];

    /* in the order of write-back, scalar and vector: see m->turn; a set of those with any */
    struct results results[RESULT_UNITS * PORTS];
    uint32_t has_results;
    uint64_t unit_free[SAM_GPUTIME_UNITS];
    struct span spans[SAM_GPUTIME_UNITS]; /* units that account by spans; the others: */
    struct meter meters[SAM_GPUTIME_UNITS];
    /* register numbers to be cleared in the scoreboard, in order of time */
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
    struct coverage *coverage; /* of each access; NULL: writes go to the model's own L2 */
    uint32_t flushed;          /* tags of the L1 whose lines have been written back at the end */
    struct sam_memtime_tags icache, l1;
    struct sam_memtime_misses icache_misses, l1_misses, l1_writes;
    uint64_t next_start; /* of a warp, at the earliest */
    uint32_t free_warps, free_groups;
    uint64_t free_sgprs, free_vgprs, free_lds;
    struct sam_gputime_sm *stats;
    struct meter meter;
};

/* An instruction at its pc: what must be known before it can be issued. */
struct code {
    const struct sam_insn *insn;
    const struct trait *trait;
    struct sam_gputime_row *row;
    uint16_t dest, sources[MOST_SOURCES], watched[MOST_SOURCES]; /* watched: by the scoreboard */
    uint8_t source_count, watched_count;
    struct code *next; /* another instruction at the same pc */
};

/* By pc. */
struct program {
    struct place *table;
    size_t capacity, count;
};

struct model {
    struct sam_gputime_config config;
    struct sam_gputime_launch launch;
    const struct sam_gputime_source *source;
    const struct sam_gputime_observer *observer; /* never NULL */
    struct sam_gputime_result *result;
    struct traits traits;
    uint8_t turn[SAM_GPUTIME_UNITS]; /* of a unit at write-back */
    struct sm *sms, *current;        /* current: runs apart from the others; NULL: none does */
    struct sam_memtime *memory;      /* NULL: */
    const struct sam_gputime_memory *shared; /* the memory shared with others */
    struct sam_memtime_traffic traffic;      /* asked of it */
    uint64_t first;                          /* cycle of the clock in which the model begins */
    uint64_t acknowledged;                   /* all writes to it, from this cycle on */
    struct program program;
    uint64_t now;
    uint64_t next_number;
    uint32_t threads;                          /* lanes of the hardware */
    uint32_t l1_shift, icache_shift, l2_shift; /* log2 of the line sizes */
    /* dispatch */
    uint32_t next_group, ended_groups, next_sm;
    uint64_t next_dispatch; /* the next attempt; NEVER: after a release */
    uint64_t next_release;  /* of what a workgroup held; NEVER: none has ended */
    uint64_t last_end;
    uint64_t limit; /* accounts end here; NEVER: not known yet */
    bool out_of_memory;
    struct sam_gputime_row spare; /* in place of a row that there is none of */
};

static inline void wake_at(struct sm *sm, uint64_t cycle)
{
    sm->wake = cycle < sm->wake ? cycle : sm->wake;
}

/* What has happened to a warp that may wait for it. */
enum event {
    EVENT_FETCH = 1,     /* of its instructions */
    EVENT_COLLECTOR = 2, /* its instruction has all operands, or has left */
    EVENT_WRITTEN = 4,   /* a register */
    EVENT_MEMORY = 8,    /* an access is complete */
    EVENT_FLOW = 16,     /* a branch, a barrier, a fence: no warp is judged without it */
    EVENTS = 31,
};
static inline void judge_again(struct sm *sm, const struct warp *w, enum event event)
{
    sm->judged &= ~((uint32_t)((w->waits_for & event) != 0) << (w - sm->warps));
}

static inline void lsu_at(struct sm *sm, uint64_t cycle)
{
    sm->lsu_at = cycle < sm->lsu_at ? cycle : sm->lsu_at;
}

/* A collector will be complete, or a unit may take an instruction. */
static inline void emit_at(struct sm *sm, uint64_t cycle)
{
    sm->emit_at = cycle < sm->emit_at ? cycle : sm->emit_at;
    wake_at(sm, cycle);
}

/* A result or a register is there. */
static inline void write_at(struct sm *sm, uint64_t cycle)
{
    sm->write_at = cycle < sm->write_at ? cycle : sm->write_at;
    wake_at(sm, cycle);
}

static inline bool is_set(const uint64_t *set, unsigned bit)
{
    return set[bit >> 6] >> (bit & 63) & 1;
}

/* Each phase sets sm->wake, and the LSU sm->lsu_at, no later than the next cycle in which it could
 * do something. */

/* dispatch.c */
PART void sam_gputime_dispatch(struct model *m);
/* The cycle in which more could be dispatched if nothing else happens; NEVER: only then. */
static inline uint64_t sam_gputime_next_dispatch(const struct model *m)
{
    if (m->next_group == m->launch.workgroups)
        return NEVER;
    return m->next_dispatch < m->next_release ? m->next_dispatch : m->next_release;
}
PART void sam_gputime_end_warp(struct model *m, struct sm *sm, struct warp *w, uint64_t at);
/* The warp executes a barrier in cycle `at`. */
PART void sam_gputime_arrive(struct model *m, struct sm *sm, const struct warp *w, uint64_t at);
/* Take the warp's next instruction from the source. */
PART void sam_gputime_pull(struct model *m, struct warp *w);
/* How many workgroups an SM holds at a time, and why not more. */
PART uint32_t sam_gputime_residency(const struct sam_gputime_config *config,
                                    const struct sam_gputime_launch *launch,
                                    enum sam_gputime_limit *limit);

/* code.c */
PART bool sam_gputime_program_init(struct program *program);
PART void sam_gputime_program_free(struct program *program);
/* The row of a pc; never NULL: out of memory is noted in the model. */
PART struct sam_gputime_row *sam_gputime_row(struct model *m, uint32_t pc);
/* An instruction at its pc. NULL: out of memory, noted in the model. */
PART const struct code *sam_gputime_code(struct model *m, uint32_t pc, const struct sam_insn *insn);
/* All rows, in no order. False: out of memory. */
PART bool sam_gputime_rows(const struct program *program, struct sam_gputime_result *result);

/* fetch.c */
PART void sam_gputime_fetch(struct model *m, struct sm *sm);
/* Whether it has anything to do. */
static inline bool sam_gputime_fetches(const struct sm *sm)
{
    return sm->roomy | sm->redirected |
           (sm->meters[SAM_GPUTIME_FETCHER].reason != SAM_GPUTIME_EMPTY);
}
PART void sam_gputime_start_fetch(struct model *m, struct sm *sm, struct warp *w, uint64_t at,
                                  uint32_t pc);
/* Keep sm->roomy, after a change of what the warp's buffer holds. */
PART void sam_gputime_note_room(const struct model *m, struct sm *sm, const struct warp *w);
/* When the warp's next instruction, which has been fetched, can be issued as far as that is
 * concerned. */
static inline uint64_t sam_gputime_fetched(const struct warp *w)
{
    return w->there[(w->op.pc >> 2) % MOST_BUFFERED];
}
/* The same; NEVER: it has not been fetched. */
static inline uint64_t sam_gputime_there(const struct warp *w)
{
    const bool fetched = (w->redirect == NEVER) & (w->count > w->folded);
    return sam_gputime_fetched(w) | ((uint64_t)fetched - 1);
}
/* It has been issued. */
PART void sam_gputime_consume(struct warp *w);

/* judge.c: which warps can issue, and what the others wait for */
PART void sam_gputime_alarms_init(struct alarms *alarms);
PART void sam_gputime_waits_init(struct waits *waits);
/* Of the reasons of several warps, the one with the lowest rank is nearest to an issue. */
PART uint32_t sam_gputime_rank(enum sam_gputime_reason reason);
/* The first of a set of ranks; of none: EMPTY. */
PART enum sam_gputime_reason sam_gputime_nearest(uint32_t set);
PART void sam_gputime_judge(struct model *m, struct sm *sm);
/* The warp's last instruction has left its collector. */
PART void sam_gputime_left_collector(const struct model *m, struct sm *sm, const struct warp *w);

/* issue.c */
PART void sam_gputime_issue(struct model *m, struct sm *sm);

/* operands.c */
/* The warp's next instruction is issued to a collector. */
PART void sam_gputime_collect(const struct model *m, struct sm *sm, struct collector *c,
                              const struct warp *w);
/* It has left its collector. */
PART void sam_gputime_end_echo(struct sm *sm, struct collector *c);
/* Requires that a collector asks. */
PART void sam_gputime_operands(struct model *m, struct sm *sm);

/* execute.c */
PART void sam_gputime_emit(struct model *m, struct sm *sm);

/* write.c */
PART void sam_gputime_write(struct model *m, struct sm *sm);
/* Fill m->turn. */
PART void sam_gputime_order_writes(struct model *m);
PART void sam_gputime_put_result(struct model *m, struct sm *sm, struct flight *flight,
                                 uint64_t ready);
/* An instruction is complete: its flight ends. */
PART void sam_gputime_retire(struct model *m, struct sm *sm, struct flight *flight, uint64_t at);
/* A flight from the pool; NULL: out of memory. */
PART struct flight *sam_gputime_new_flight(struct sm *sm);
PART void sam_gputime_free_flights(struct sm *sm);
PART void sam_gputime_mark(struct warp *w, uint16_t reg, bool pair, bool load);

/* lsu.c */
/* Whether the LSU has room for an instruction in this cycle. */
static inline bool sam_gputime_lsu_takes(const struct model *m, const struct sm *sm)
{
    const struct lsu *l = &sm->lsu;
    const bool idle = !l->active && l->free <= m->now + m->config.emit_latency;
    return l->under_way < m->config.lsu_all && l->queued < m->config.lsu_queue + idle;
}
PART void sam_gputime_lsu_put(const struct model *m, struct sm *sm, struct flight *flight,
                              uint64_t at);
PART void sam_gputime_lsu(struct model *m, struct sm *sm);
/* The accesses of an instruction are complete in cycle `at`. */
PART void sam_gputime_expect(struct model *m, struct sm *sm, const struct flight *flight,
                             uint64_t at);
/* Complete the accesses whose time has come. */
PART void sam_gputime_answers(struct model *m, struct sm *sm);

/* run.c: the SMs other than the current one live through what comes before its request. */
PART void sam_gputime_let_others_follow(struct model *m);

/* memory.c: what the L1s ask of the L2, or of shared memory, in this cycle; the cycle in which the
 * reply is at the L1. `covered`: the bytes written, NULL for a whole line. */
PART uint64_t sam_gputime_read_line(struct model *m, uint64_t address, uint32_t size);
PART uint64_t sam_gputime_write_line(struct model *m, uint64_t address, uint32_t bytes,
                                     const uint64_t covered[MOST_PARTS]);
/* Write back the next written line of each L1. False: there is none left. */
PART bool sam_gputime_flush(struct model *m);

/* coalesce.c: the line requests of an op. NULL: it has none. */
PART struct access *sam_gputime_coalesce(struct model *m, struct sm *sm, const struct trait *trait,
                                         const struct sam_gputime_op *op);

/* account.c */
/* Account [from, to) of a unit, as far as it has no account yet. */
PART void sam_gputime_span(struct model *m, struct sm *sm, enum sam_gputime_unit unit,
                           enum sam_gputime_reason reason, uint64_t from, uint64_t to);
/* What a unit, an SM or a warp does from now on. Whether that is something else cannot be
 * foreseen: the accounts of units and SMs are closed in any case, which is cheaper than to ask. */
static inline void turn_meter(const struct model *m, struct meter *meter, uint64_t *reasons,
                              enum sam_gputime_reason reason)
{
    const uint64_t now = m->now < m->limit ? m->now : m->limit;
    reasons[meter->reason] += now - meter->since;
    *meter = (struct meter){reason, now};
}
static inline void sam_gputime_unit(struct model *m, struct sm *sm, enum sam_gputime_unit unit,
                                    enum sam_gputime_reason reason)
{
    turn_meter(m, &sm->meters[unit], sm->stats->units[unit], reason);
}
static inline void sam_gputime_sm(struct model *m, struct sm *sm, enum sam_gputime_reason reason)
{
    turn_meter(m, &sm->meter, sm->stats->reasons, reason);
}
/* Whether the cycles since the warp's last turn belong to its next instruction of then. */
static inline bool sam_gputime_has_row(const struct warp *w)
{
    const uint32_t others =
        1u << SAM_GPUTIME_EMPTY | 1u << SAM_GPUTIME_START | 1u << SAM_GPUTIME_DRAIN;
    return (w->meter_row != NULL) & ~(others >> w->meter.reason);
}
/* Tell the observer of stalls what the warp has waited for since then. */
PART void sam_gputime_tell_stall(const struct model *m, const struct sm *sm, const struct warp *w);
/* Close the account of a warp slot. */
static inline void sam_gputime_close_warp(struct model *m, const struct sm *sm, struct warp *w)
{
    if (SAM_UNLIKELY(m->observer->stall != NULL))
        sam_gputime_tell_stall(m, sm, w);
    struct sam_gputime_row *const rows[2] = {&m->spare, w->meter_row};
    struct sam_gputime_row *row = rows[sam_gputime_has_row(w)];
    const uint64_t now = m->now < m->limit ? m->now : m->limit, cycles = now - w->meter.since;
    w->reasons[w->meter.reason] += cycles;
    row->reasons[w->meter.reason] += cycles;
    w->meter.since = now;
}
static inline void sam_gputime_warp(struct model *m, struct sm *sm, struct warp *w,
                                    enum sam_gputime_reason reason)
{
    if (SAM_UNLIKELY(m->observer->stall != NULL) && w->meter.reason == reason &&
        w->meter_row == w->row)
        return; /* a stall is told whole */
    sam_gputime_close_warp(m, sm, w);
    w->meter.reason = reason;
    w->meter_row = w->row;
    w->meter_pc = w->op.pc;
}
/* Close all accounts and fill the result. False: out of memory. */
PART bool sam_gputime_settle(struct model *m);

#endif
