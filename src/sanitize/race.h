/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow state of the race check.
 *
 * Time is divided into intervals: a workgroup starts one, and each barrier release starts the next.
 * Intervals are numbered in execution order, and workgroups execute one after another. So an
 * earlier access is concurrent with the current one if it was made by another warp in the current
 * interval (same workgroup), or in an interval before the workgroup's first (another workgroup).
 * Whether two accesses are concurrent does not depend on which executes first, so findings do not
 * depend on the schedule of warps.
 *
 * Each word of memory has a cell. As long as all accesses are loads or stores of the whole word, by
 * few warps, the cell itself records them; otherwise it has a list of accesses, each to some bytes
 * of the word. Neither records every access, but enough to decide for any later access whether it
 * races with an earlier one.
 *
 * Accesses under a lock are ordered by it, whichever comes first. Accesses of warps that hold locks
 * are in lists. */
#ifndef SAM_SANITIZE_RACE_H
#define SAM_SANITIZE_RACE_H

#include "sanitize/sanitize.h"

enum race_kind { RACE_LOAD, RACE_STORE, RACE_ATOMIC_LOAD, RACE_ATOMIC_STORE };

/* The access's identity: interval << 32 | site << 16 | warp << 6 | lane; 0: none. Lanes from
 * RACE_LANES on: bytes or halfwords of adjacent lanes that fill the word, starting with that
 * lane. */
typedef uint64_t race_who;

enum { RACE_LANES = 32, RACE_NO_LANE = 63, RACE_SITES = 65535 };

static inline uint32_t race_when(race_who who)
{
    return (uint32_t)(who >> 32);
}

static inline uint32_t race_warp(race_who who)
{
    return (uint32_t)who >> 6 & 1023;
}

/* Whether both have the same site, warp and lane. */
static inline bool race_same_place(race_who a, race_who b)
{
    return (uint32_t)a == (uint32_t)b;
}

struct race_cell {
    race_who store; /* the first store in the last interval with stores */
    race_who load;  /* by another workgroup; else the first in the last interval with loads */
    race_who load2; /* and one by another warp in that interval. RACE_ELSEWHERE: a store */
    uint32_t value; /* stored by `store` */
    /* RACE_LIST: the other bits are the first node of a list. Otherwise byte masks: to these bytes,
     * the warp of `store` has stored other values in the same interval (RACE_NOW), at the same site
     * or, with RACE_ELSEWHERE, at that of `load2`; and the workgroup at the same site in earlier
     * intervals (RACE_PAST). */
    uint32_t state;
};

enum {
    RACE_LIST = 1,
    RACE_PAST_BIT = 1,
    RACE_PAST = 15 << RACE_PAST_BIT,
    RACE_NOW_BIT = 5,
    RACE_NOW = 15 << RACE_NOW_BIT,
    RACE_ELSEWHERE = 1 << 9,
};

struct race_page {
    struct race_cell *cells; /* of its 1,024 words; NULL: no accesses yet */
    uint32_t launch;         /* the launch that the cells belong to */
};

/* The locks that a warp holds, as sets of their numbers modulo 16: words in global and in local
 * memory that it took itself, and words in global memory that its workgroup took before a barrier.
 */
struct race_locks {
    uint16_t global, local, shared;
};

struct race_node {
    race_who who;
    uint32_t value;
    uint32_t next; /* 0: end of the list */
    uint8_t bytes; /* bit i: byte i of the word */
    uint8_t kind;
    struct race_locks locks;
};

enum { RACE_WARPS = 1024, RACE_LOCKS = 16, RACE_HELD = 256 };

/* A lock that is held. */
struct race_held {
    uint32_t address; /* 0: none */
    uint16_t warp;    /* RACE_WARPS: taken before a barrier */
    uint16_t bit;
};

struct race_site {
    uint32_t pc, word, prefix;
    uint32_t size; /* bytes per element */
    enum sam_finding_access access;
};

/* An access to bytes of one word. */
struct race_access {
    race_who who;
    enum race_kind kind;
    bool local;
    uint32_t address; /* word address */
    uint32_t value;   /* data at its byte positions in the word */
    uint8_t bytes;
    struct race_locks locks;
};

struct sanitize_race {
    uint32_t launch;
    uint32_t now;     /* current interval */
    uint32_t first;   /* the workgroup's first interval */
    uint32_t *firsts; /* per workgroup */
    size_t group_count, group_capacity;
    struct race_page *pages; /* by address / 4096 */
    struct sanitize_arena arena;
    struct race_node *nodes; /* index 0 is unused */
    size_t node_count, node_capacity;
    uint32_t free_node;
    struct race_site sites[RACE_SITES + 1]; /* index 0: accesses beyond RACE_SITES */
    uint32_t site_count;
    uint16_t slots[2 * (RACE_SITES + 1)]; /* hash table of sites */
    struct race_held held[RACE_HELD];     /* by the workgroup; a ring */
    unsigned held_next;
    bool any_held;                       /* since the workgroup began */
    bool locked;                         /* the warp of the current instruction holds a lock */
    uint32_t numbers[2][RACE_LOCKS];     /* the first locks in global and in local memory */
    struct race_locks locks[RACE_WARPS]; /* by warp */
    /* For tests: called for each racing byte unless NULL. */
    void (*racing)(void *context, uint32_t address, uint8_t bytes);
    void *racing_context;
};

/* race_list.c: check and record an access to a cell with a list, or in need of one. */
void sam_race_note(struct sam_sanitizer *s, struct race_cell *cell,
                   const struct race_access *access);
/* Report a race of an access with an earlier one. */
void sam_race_report(struct sam_sanitizer *s, race_who earlier, const struct race_access *access,
                     uint8_t bytes);

/* race_lock.c: an atomic instruction takes or gives back a lock; a workgroup begins or has passed a
 * barrier. */
void sam_race_lock(struct sanitize_race *r, const struct sam_sanitize_op *op);
void sam_race_lock_enter(struct sanitize_race *r);
void sam_race_lock_release(struct sanitize_race *r);

static inline bool race_is_locked(const struct race_locks *locks)
{
    return locks->global | locks->local | locks->shared;
}

/* Whether one lock was held at both accesses, which orders them. */
static inline bool race_share_lock(const struct race_locks *a, const struct race_locks *b,
                                   bool same_group)
{
    return same_group ? (a->global & b->global) | (a->local & b->local)
                      : (a->global | a->shared) & (b->global | b->shared);
}

/* Bit i: whether byte i of the words differs. */
static inline uint8_t race_differ(uint32_t a, uint32_t b)
{
    const uint32_t x = a ^ b;
    return (uint8_t)((x & 0xff ? 1 : 0) | (x & 0xff00 ? 2 : 0) | (x & 0xff0000 ? 4 : 0) |
                     (x & 0xff000000 ? 8 : 0));
}

/* Whether an earlier access is concurrent with the current one. In local memory, accesses of other
 * intervals are ordered or belong to another workgroup's memory. */
static inline bool race_concurrent(const struct sanitize_race *r, race_who earlier, uint32_t warp,
                                   bool local)
{
    const uint32_t when = race_when(earlier);
    return (when == r->now && race_warp(earlier) != warp) || (!local && earlier && when < r->first);
}

/* Local memory: drop accesses of earlier intervals from a cell. */
static inline void race_forget_store(struct race_cell *cell)
{
    if (cell->state & RACE_ELSEWHERE)
        cell->load2 = 0;
    cell->store = 0;
    cell->state = 0;
}

/* Check and record a load or store of a whole word. Returns false if race_note must do it. */
static inline bool race_load_word(const struct sanitize_race *r, struct race_cell *cell,
                                  race_who who, uint32_t warp, bool local)
{
    if (SAM_UNLIKELY(cell->state & RACE_LIST || race_concurrent(r, cell->store, warp, local)))
        return false;
    if (local && race_when(cell->store) != r->now)
        race_forget_store(cell);
    const race_who load = cell->load;
    const uint32_t when = race_when(load);
    if (when == r->now) {
        if (race_warp(load) == warp)
            return true;
        if (cell->state & RACE_ELSEWHERE)
            return false;
        if (!cell->load2)
            cell->load2 = who;
    } else if (local || !load || when >= r->first) {
        cell->load = who;
        if (!(cell->state & RACE_ELSEWHERE))
            cell->load2 = 0;
    } /* else a load of another workgroup stays: whatever races with this load also races with it */
    return true;
}

/* The warp of cell->store stores another value in the same interval. */
static inline bool race_store_again(struct race_cell *cell, race_who who, uint32_t differ)
{
    const uint32_t bytes = differ << RACE_NOW_BIT;
    if (!(bytes & ~cell->state))
        return true;
    if (cell->state & RACE_ELSEWHERE) {
        if (!race_same_place(cell->load2, who))
            return false;
    } else if (!race_same_place(cell->store, who)) {
        if (cell->load2 || cell->state)
            return false;
        cell->load2 = who;
        cell->state = RACE_ELSEWHERE;
    }
    cell->state |= bytes;
    return true;
}

static inline bool race_store_word(const struct sanitize_race *r, struct race_cell *cell,
                                   race_who who, uint32_t warp, uint32_t value, bool local)
{
    if (SAM_UNLIKELY(cell->state & RACE_LIST || race_concurrent(r, cell->load, warp, local) ||
                     race_concurrent(r, cell->load2, warp, local)))
        return false;
    const race_who store = cell->store;
    const uint32_t when = race_when(store);
    if (!store || (local && when != r->now)) {
        race_forget_store(cell);
        cell->store = who;
        cell->value = value;
        return true;
    }
    if (race_concurrent(r, store, warp, local))
        return false;
    const uint32_t differ = value == cell->value ? 0 : race_differ(value, cell->value);
    if (when == r->now)
        return !differ || race_store_again(cell, who, differ);
    if (cell->state & RACE_ELSEWHERE || ((differ || cell->state) && !race_same_place(store, who)))
        return false;
    cell->state =
        (cell->state | cell->state >> (RACE_NOW_BIT - RACE_PAST_BIT) | differ << RACE_PAST_BIT) &
        RACE_PAST;
    cell->store = who;
    cell->value = value;
    return true;
}

#endif
