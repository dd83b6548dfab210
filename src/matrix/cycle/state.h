/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of cycle/: the state of the model at the start of a cycle. */
#ifndef SAM_MXU_STATE_H
#define SAM_MXU_STATE_H

#include "matrix/cycle/cycle.h"

#define NEVER UINT64_MAX

#define SAM_MXU_LINE_OF(address) ((address) >> 6)

/* The uops of a load or store. Separate from the slot, which is accessed in every cycle. */
struct moves {
    struct sam_mxu_move of[SAM_MXU_MAX_MOVES];
    uint64_t issued_at[SAM_MXU_MAX_MOVES], request_at[SAM_MXU_MAX_MOVES];
    bool answered[SAM_MXU_MAX_MOVES];
    unsigned settled;                     /* uops [0, settled) have been answered */
    uint64_t low, high;                   /* lowest and highest line; low > high: none */
    uint8_t beats[SAM_MXU_MAX_MOVES][64]; /* data on the bus, if it is traced */
};

/* An instruction in flight. */
struct slot {
    bool used;
    bool granted;                     /* holds its registers; sources may be shared */
    uint64_t order;                   /* in the program */
    unsigned reads, writes;           /* registers, as sets */
    uint64_t number;                  /* ascending with age */
    unsigned total, issued, finished; /* uops */
    enum sam_mxu_state waited;        /* stall since the last issue */
    uint64_t started;                 /* cycle in which its first uop issued */
    uint64_t released;                /* first cycle in which its sources are free */
    uint64_t done;                    /* first cycle in which its slot and destinations are free */
    struct sam_matrix_work work;
    uint64_t pc;
    uint32_t word;
    uint64_t accepted;
    struct moves *moves;
};

/* A uop between issue and the bus. */
struct stage {
    struct slot *slot; /* NULL: empty */
    unsigned uop;
    uint64_t from; /* first cycle in which it can leave */
    bool offered;  /* to the bus, with this id, until the bus accepts it */
    uint8_t id;
    bool held; /* stalled in this cycle by the port of its register */
};

/* A request in flight. */
struct request {
    struct slot *slot;
    unsigned uop;
    uint8_t id;
    unsigned beats; /* to come */
    uint64_t ready; /* first cycle of its answer; NEVER: its data has not been sent */
};

/* Oldest first. */
struct queue {
    unsigned count;
    struct request of[SAM_MXU_IDS];
};

struct sam_mxu {
    struct sam_mxu_config config;
    struct sam_mxu_observer observer;
    struct sam_mxu_outside outside;
    unsigned unit; /* of the clock */
    struct sam_mxu_stats stats;
    uint64_t now;            /* the next cycle; during a tick the current one */
    bool accepts;            /* the port accepts an instruction in it */
    struct slot *arriving;   /* the slot of that instruction, not in use yet, or NULL */
    enum sam_mxu_state port; /* of the port in other cycles: EMPTY or SLOTS */
    enum sam_mxu_state states[SAM_MXU_UNITS]; /* in the last cycle, and until the next tick */
    bool moved;                               /* the state has changed in this cycle */
    uint64_t soonest;                         /* earliest end of a stall */
    uint64_t next_number;
    struct slot *slots;  /* config.slots */
    struct moves *moves; /* one per slot */
    unsigned used;
    unsigned pending[SAM_M_KIND_CONFIG];  /* slots with uops to issue, by kind */
    struct slot *next[SAM_M_KIND_CONFIG]; /* cache of sam_mxu_next; NULL: invalid */
    unsigned loads_and_stores;            /* slots in use */
    uint64_t wake; /* next cycle in which a register or a slot becomes free */
    /* first cycle in which a block can be accumulated again */
    uint64_t block_free[SAM_MATRIX_COUNT][SAM_MXU_MAX_BLOCKS];
    struct stage load_stage, store_stage;
    struct queue reads, writes;       /* read requests; write requests in all phases */
    uint32_t read_ids, write_ids;     /* in use */
    uint32_t read_freed, write_freed; /* answered in this cycle: free in the next */
    unsigned answering;               /* index in reads of the answer whose beats are arriving */
    bool is_answering;
    unsigned acknowledging; /* index in writes of the next answer, once it is due */
    bool is_acknowledging;
    uint64_t next_read_beat, next_write_beat;
    uint64_t merged;             /* the memory is merging until this cycle */
    struct sam_mxu_cache *cache; /* NULL: every line hits the L2 */
    /* registers with a row read, written in this cycle; written in the next cycle */
    unsigned store_ports, load_ports, load_ports_next;
    uint64_t random;
    struct sam_mxu_bus bus;
    struct sam_mxu_dsa dsa, answered; /* offered; last accepted */
    bool responds;                    /* `answered` was accepted in the cycle before */
};

/* A stall of this cycle may end in cycle `at`. */
static inline void sam_mxu_expect(struct sam_mxu *x, uint64_t at)
{
    x->soonest = at < x->soonest ? at : x->soonest;
}

/* slots.c */
/* Fill a free slot, which sam_mxu_use_slot then puts in use. */
struct slot *sam_mxu_take_slot(struct sam_mxu *x, const struct sam_matrix_work *work);
void sam_mxu_use_slot(struct sam_mxu *x, struct slot *slot);
/* Grant registers where possible, oldest instruction first; free completed slots. */
void sam_mxu_grant(struct sam_mxu *x);
/* The oldest instruction of a kind with uops to issue, or NULL. Kinds other than multiplications
 * prefer the oldest granted one. */
struct slot *sam_mxu_next(struct sam_mxu *x, enum sam_m_kind kind);
/* A uop is issued. The last uop releases the sources. */
void sam_mxu_note_issue(struct sam_mxu *x, struct slot *slot);
/* A uop is finished in cycle `written`. */
void sam_mxu_finish(struct sam_mxu *x, struct slot *slot, unsigned uop, uint64_t written);

/* The register of a uop of a load or store. */
static inline unsigned sam_mxu_register(const struct sam_mxu *x, const struct slot *s, unsigned uop)
{
    return s->work.md + s->moves->of[uop].row / (x->config.mlen / 32);
}

/* execute.c: multiplications and element-wise operations. */
enum sam_mxu_state sam_mxu_issue_mma(struct sam_mxu *x);
enum sam_mxu_state sam_mxu_issue_pw(struct sam_mxu *x);

/* lsu.c */
enum sam_mxu_state sam_mxu_issue_load(struct sam_mxu *x);
enum sam_mxu_state sam_mxu_issue_store(struct sam_mxu *x);
/* The stages between issue and the bus. */
void sam_mxu_request_load(struct sam_mxu *x);
void sam_mxu_request_store(struct sam_mxu *x);

/* cache.c: tags of `kib` KiB, to be freed with free(). NULL: out of memory. */
struct sam_mxu_cache *sam_mxu_cache_new(unsigned kib);
/* Whether the line hits. Allocates it unless the access streams. */
bool sam_mxu_cache_access(struct sam_mxu_cache *cache, uint64_t line, bool stream);

/* memory.c: process the answers and the write data of this cycle. */
enum sam_mxu_state sam_mxu_read_channel(struct sam_mxu *x);
enum sam_mxu_state sam_mxu_write_channel(struct sam_mxu *x);
/* The cycle of the first beat that answers a load requested in this cycle. */
uint64_t sam_mxu_first_beat(struct sam_mxu *x, const struct slot *slot, unsigned uop);
/* Whether a channel is ready in this cycle; random, by config.stall. */
bool sam_mxu_ready(struct sam_mxu *x);

#endif
