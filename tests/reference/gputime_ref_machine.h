/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the plain GPU in time. A field named `..._at` is the cycle of an event, past or
 * future; NEVER: not scheduled. Events of a cycle are visible to others from the next one
 * (ruling 1.1). */
#ifndef GPUTIME_REF_MACHINE_H
#define GPUTIME_REF_MACHINE_H

#include "gputime_ref.h"

#define NEVER UINT64_MAX

enum { MOST_LINES = 128, MOST_BANKS = 64, MOST_FLYING = 512, MOST_BUFFER = 128 };

/* An issued instruction. */
struct ref_flying {
    bool used;
    struct gputime_ref_insn is;
    unsigned slot;
    uint64_t number;
    uint32_t acting, pc, next_pc, workgroup, warp;
    const struct sam_insn *insn;
    uint64_t issued_at;
    /* collector */
    bool collecting;
    unsigned collector;
    bool reading[GPUTIME_REF_SOURCES]; /* the operand has not been read */
    uint64_t ready_at;
    /* unit */
    uint64_t left_at; /* the collector */
    uint64_t accepted_at, result_at;
    uint64_t begun_at; /* the LSU, with its requests */
    /* memory */
    bool local;
    unsigned line_count, sent, replies;
    uint32_t lines[MOST_LINES];
    unsigned line_bytes[MOST_LINES]; /* that the instruction accesses */
    unsigned turns[MOST_LINES];      /* at the banks of local memory */
    unsigned in_bank[MOST_LINES][MOST_BANKS];
    uint64_t last_reply_at; /* when replies == line_count */
    bool outstanding;       /* counts against lsu_all */
};

struct ref_mark {
    bool is_vector;
    unsigned number;
    uint64_t clear_at; /* it ends in this cycle */
    const struct ref_flying *writer;
};

struct ref_fetch {
    uint64_t at;
    uint32_t pc;
    unsigned count;
};

enum { MOST_MARKS = 512, MOST_FETCHES = 128 };

struct ref_slot {
    bool held; /* by a workgroup */
    uint32_t workgroup, warp;
    unsigned group; /* its index among the groups of the SM */
    uint64_t freed_at;
    uint64_t start_at, end_at;
    bool endprg_issued;
    /* instructions */
    bool has_op, has_prefix, exhausted, skip;
    struct sam_gputime_op op, prefix;
    uint32_t addresses[SAM_GPUTIME_MOST_ADDRESSES];
    struct gputime_ref_insn is;
    uint64_t last_issue_at, last_left_at; /* the pipeline */
    /* fetch */
    uint32_t fetch_pc;
    uint64_t fetch_from;
    struct ref_fetch fetches[MOST_FETCHES];
    unsigned fetch_count;
    uint64_t buffer[MOST_BUFFER]; /* the cycle from which each instruction can issue */
    unsigned buffer_count;
    unsigned groups[MOST_BUFFER]; /* instructions left of each fetch in the buffer */
    unsigned group_count;
    bool missed; /* the last fetch did */
    uint64_t redirect_at, redirect_fetch_at;
    uint32_t redirect_pc;
    /* the fetch group of the next instruction, ruling 4.7 */
    bool taken;
    uint64_t taken_at;
    struct gputime_ref_insn lead; /* the first instruction of the previous group */
    bool has_lead;
    /* what blocks it */
    bool branch_open; /* issued, not resolved */
    uint64_t branch_until;
    bool at_barrier, barrier_arrived, barrier_pending;
    unsigned own_barriers;                /* that block it */
    uint64_t arrived_at;                  /* the cycle in which its barrier is executed */
    uint64_t barrier_from, barrier_until; /* it blocks from then on, at least until then */
    unsigned fences_open;
    uint64_t fence_until;
    struct ref_mark marks[MOST_MARKS];
    unsigned mark_count;
    /* of this cycle */
    bool issued;
};

struct ref_line {
    bool valid, dirty;
    uint32_t line;
    uint64_t used_at; /* counts uses */
};

struct ref_cache {
    unsigned sets, ways;
    struct ref_line *lines;
};

/* A miss register. */
struct ref_miss {
    bool used;
    uint64_t there_at; /* the line */
    uint32_t line;
    unsigned count;
    struct ref_flying *waiting[64];
};

struct ref_write {
    bool used;
    uint64_t there_at; /* the answer */
};

/* A request to the L2. */
struct ref_request {
    unsigned sm;
    bool is_fetch, is_write, is_back; /* is_back: a dirty line, whose reply has no receiver */
    unsigned bytes;                   /* of a write */
    uint32_t line;
    uint64_t reach_at;
    struct ref_flying *flying; /* of a write */
    unsigned write;            /* its register */
    uint64_t ready_at;         /* reply */
    uint64_t order;
};

enum { MOST_REQUESTS = 4096 };
struct ref_queue {
    struct ref_request requests[MOST_REQUESTS];
    unsigned count;
};

struct ref_group {
    bool used;
    uint64_t freed_at;
    uint32_t workgroup;
    unsigned warps_left;
};

struct ref_owner {
    uint32_t workgroup, warp;
};

struct ref_sm {
    struct ref_slot slots[GPUTIME_REF_SLOTS];
    struct ref_group groups[GPUTIME_REF_SLOTS];
    uint64_t last_start_at; /* of a warp; NEVER: none yet */
    struct ref_flying flying[MOST_FLYING];
    unsigned flying_end; /* those from here on have never been used */
    uint64_t collector_freed_at[64];
    struct ref_flying *collectors[64]; /* NULL: free */
    struct ref_owner collector_of[64]; /* the last warp in each */
    unsigned next[2];                  /* start positions of the streams X and V */
    int chosen[2];                     /* the slot selected by each, ruling 4.8; -1: none */
    bool had_collector; /* one was free in the previous cycle, when the streams selected */
    unsigned next_emit[2];
    unsigned next_read[2][32];
    unsigned echo; /* 1 + the bank requested and served in the previous cycle */
    uint64_t unit_free_at[SAM_GPUTIME_UNITS]; /* accepts from then on */
    struct ref_cache icache, l1d;
    struct ref_miss imisses[64], dmisses[64];
    struct ref_write writes[64];
    struct ref_flying *sending; /* the instruction whose requests are being sent */
    uint64_t lsu_free_at;       /* the LSU starts another from then on */
    uint64_t lds_free_at;
    struct ref_queue to_l2[2]; /* of the I-cache, of the D-cache */
};

struct ref_gpu {
    const struct sam_gputime_config *c;
    const struct sam_gputime_launch *launch;
    const struct sam_gputime_source *source;
    const struct gputime_ref_watcher *watcher;
    struct gputime_ref_result *result;
    unsigned lanes; /* of the hardware */
    uint64_t now, next_number, next_order, uses;
    uint32_t next_workgroup;
    uint64_t dispatch_at; /* earliest */
    unsigned dispatch_sm;
    uint32_t groups_left;
    uint64_t last_issue_at, last_end_at;
    struct ref_cache l2;
    struct ref_queue l2_replies;
    uint64_t memory_free_at[1024];    /* its places */
    uint64_t reply_at[MOST_REQUESTS]; /* replies of the L2, past and to come */
    unsigned reply_count;
    struct ref_miss l2_misses[256];
    uint64_t bus_free_at;
    struct ref_sm *sm; /* sms of them */
};

/* gputime_ref_memory.c. Each is called once per cycle. */
void ref_lsu_step(struct ref_gpu *g, unsigned sm);
/* Replies of the L2 that are due: before the caches are filled. */
void ref_memory_deliver(struct ref_gpu *g);
void ref_memory_step(struct ref_gpu *g);
void ref_memory_open(struct ref_gpu *g);
void ref_memory_close(struct ref_gpu *g);
bool ref_lsu_accepts(struct ref_gpu *g, unsigned sm, const struct ref_flying *f);
void ref_lsu_accept(struct ref_gpu *g, unsigned sm, struct ref_flying *f);
void ref_find_lines(struct ref_gpu *g, const struct sam_gputime_op *op, struct ref_flying *f);
/* Whether a fetch of `pc` hits; a miss sends a request to the L2 (ruling 3.4). */
bool ref_icache_hit(struct ref_gpu *g, unsigned sm, uint32_t pc);
/* A warp whose fetch of `pc` fails requests the line of the next fetch. */
void ref_icache_ahead(struct ref_gpu *g, unsigned sm, uint32_t pc);
void ref_icache_fill(struct ref_gpu *g, unsigned sm);
void ref_l1_fill(struct ref_gpu *g, unsigned sm);
bool ref_is_same_warp(const struct ref_flying *a, uint32_t workgroup, uint32_t warp);

/* gputime_ref_front.c */
void ref_dispatch_step(struct ref_gpu *g);
void ref_reply_step(struct ref_gpu *g, unsigned sm); /* of fetches */
void ref_fetch_step(struct ref_gpu *g, unsigned sm);
void ref_issue_step(struct ref_gpu *g, unsigned sm);
/* The warp has ended; its workgroup's resources are free after cycle `at`. */
void ref_end_warp(struct ref_gpu *g, unsigned sm, struct ref_slot *slot, uint64_t at);
/* When all warps of the workgroup that have not ended have arrived, they continue in cycle `at`. */
void ref_release_barrier(struct ref_gpu *g, struct ref_sm *s, uint32_t workgroup, uint64_t at);

#endif
