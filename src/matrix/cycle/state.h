/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of cycle/: the state of the model at the start of a cycle. */
#ifndef SAM_MXU_STATE_H
#define SAM_MXU_STATE_H

#include "matrix/cycle/cycle.h"

#define NEVER UINT64_MAX

#define SAM_MXU_LINE_OF(address) ((address) >> 6)

/* The uops of a load or store. Kept separate from its slot, which is examined in every cycle. */
struct moves {
    struct sam_mxu_move of[SAM_MXU_MAX_MOVES];
    uint64_t issued_at[SAM_MXU_MAX_MOVES], request_at[SAM_MXU_MAX_MOVES];
    bool answered[SAM_MXU_MAX_MOVES];
    unsigned settled;   /* how many have been answered, counted from the first without gaps */
    uint64_t low, high; /* lines from the lowest to the highest; low > high: none */
    uint8_t beats[SAM_MXU_MAX_MOVES][64]; /* the data on the bus, if it is traced */
};

/* An instruction in flight. */
struct slot {
    bool used;
    bool granted;                     /* it holds its registers; sources may be shared */
    uint64_t order;                   /* in the program */
    unsigned reads, writes;           /* registers, as sets */
    uint64_t number;                  /* age: the lower, the older */
    unsigned total, issued, finished; /* uops */
    enum sam_mxu_state waited;        /* since the last issue */
    uint64_t started;                 /* its first uop was issued in this cycle */
    uint64_t released;                /* its sources are free from this cycle on */
    uint64_t done;                    /* its slot and destinations are free from this cycle on */
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
    uint64_t from; /* the cycle in which it can leave */
    bool offered;  /* to the bus, under this id, until the bus accepts it */
    uint8_t id;
    bool held; /* stalled in this cycle by a port of its register */
};

/* A request in flight. */
struct request {
    struct slot *slot;
    unsigned uop;
    uint8_t id;
    unsigned beats; /* to come */
    uint64_t ready; /* first cycle of its answer; NEVER: the data is not yet sent */
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
    unsigned unit; /* its number in the clock */
    struct sam_mxu_stats stats;
    uint64_t now;            /* the cycle that comes next, or during a tick the current one */
    bool accepts;            /* the port takes an instruction in it */
    struct slot *arriving;   /* the slot of that instruction, not in use yet; or NULL */
    enum sam_mxu_state port; /* of the port in other cycles: EMPTY or SLOTS */
    enum sam_mxu_state states[SAM_MXU_UNITS]; /* in the last cycle, and until the next tick */
    bool moved;                               /* something has changed in this cycle */
    uint64_t soonest; /* the next cycle in which what waits in this one may go on */
    uint64_t next_number;
    struct slot *slots;  /* config.slots of them */
    struct moves *moves; /* one per slot */
    unsigned used;
    unsigned pending[SAM_M_KIND_CONFIG];  /* slots with uops to issue, by kind */
    struct slot *next[SAM_M_KIND_CONFIG]; /* what sam_mxu_next last found; NULL: look again */
    unsigned loads_and_stores;            /* slots in use */
    uint64_t wake; /* next cycle in which a register or a slot becomes free */
    /* first cycle in which a block may be issued again */
    uint64_t block_free[SAM_MATRIX_COUNT][SAM_MXU_MAX_BLOCKS];
    struct stage load_stage, store_stage;
    struct queue reads, writes;       /* read requests; write requests in all their phases */
    uint32_t read_ids, write_ids;     /* in use */
    uint32_t read_freed, write_freed; /* answered in this cycle: free in the next */
    unsigned answering;               /* index into reads of the answer whose beats are arriving */
    bool is_answering;
    unsigned acknowledging; /* index into writes of the next answer, once it is due */
    bool is_acknowledging;
    uint64_t next_read_beat, next_write_beat;
    uint64_t merged;             /* the memory is merging until this cycle */
    struct sam_mxu_cache *cache; /* NULL: every line is in the L2 */
    /* registers whose row is read, and written, in this cycle; and written in the next */
    unsigned store_ports, load_ports, load_ports_next;
    uint64_t random;
    struct sam_mxu_bus bus;
    struct sam_mxu_dsa dsa, answered; /* offered; accepted last */
    bool responds;                    /* in the cycle before */
};

/* What waits in this cycle may go on in cycle `at`, unless something else happens before. */
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
/* The oldest instruction of a kind with uops to issue; of another than a multiplication the oldest
 * granted one, if there is one. NULL: none. */
struct slot *sam_mxu_next(struct sam_mxu *x, enum sam_m_kind kind);
/* A uop was issued: its sources are released with the last uop. */
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

/* cache.c: tags of `kib` KiB; free() ends them. NULL: out of memory. */
struct sam_mxu_cache *sam_mxu_cache_new(unsigned kib);
/* Whether the line hits. Afterwards it is present, unless it streams. */
bool sam_mxu_cache_access(struct sam_mxu_cache *cache, uint64_t line, bool stream);

/* memory.c: the memory behind the bus; process the answers and write data of this cycle. */
enum sam_mxu_state sam_mxu_read_channel(struct sam_mxu *x);
enum sam_mxu_state sam_mxu_write_channel(struct sam_mxu *x);
/* The cycle of the first beat that answers a load requested in this cycle. */
uint64_t sam_mxu_first_beat(struct sam_mxu *x, const struct slot *slot, unsigned uop);
/* Whether a channel is ready in this cycle; random, by config.stall. */
bool sam_mxu_ready(struct sam_mxu *x);

#endif
