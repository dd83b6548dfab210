/* SPDX-License-Identifier: Apache-2.0 */
/* The race check's memory of accesses.
 *
 * Time is cut into intervals: a workgroup starts one, and each release of a barrier starts the
 * next. Intervals are numbered in the order in which they run, and workgroups run one after
 * another, so an earlier access is concurrent with the present one if it was made by another warp
 * in the present interval (of the workgroup), or in an interval before the workgroup's first (of
 * another one). Two accesses are ordered or concurrent whichever of them runs first: what is found
 * does not depend on the order in which warps take turns.
 *
 * Each word of memory has a cell. As long as all accesses are loads or stores of the whole word, by
 * few warps, the cell itself remembers them; otherwise it has a list of accesses, each to some of
 * its bytes. Neither holds every access, but enough to answer for any later one whether it races
 * with one that was. */
#ifndef SAM_SANITIZE_RACE_H
#define SAM_SANITIZE_RACE_H

#include "sanitize/sanitize.h"

enum race_kind { RACE_LOAD, RACE_STORE, RACE_ATOMIC_LOAD, RACE_ATOMIC_STORE };

/* Who made an access: interval << 32 | site << 16 | warp << 6 | lane. 0: nobody. A lane from
 * RACE_LANES on: bytes or halfwords of neighbouring lanes that fill the word, from that lane on. */
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

/* The same instruction, warp and lane. */
static inline bool race_same_place(race_who a, race_who b)
{
    return (uint32_t)a == (uint32_t)b;
}

struct race_cell {
    race_who store; /* in the last interval that has any, the first */
    race_who load; /* by another workgroup; else the first one in the last interval that has any, */
    race_who load2; /* and one by another warp in that interval. RACE_ELSEWHERE: a store */
    uint32_t value; /* that `store` has stored */
    /* RACE_LIST: the rest of the bits is the first node of a list. Otherwise bytes to which the
     * warp of `store` has stored other values: in the same interval (RACE_NOW), at the same place
     * or (RACE_ELSEWHERE) at that of `load2`; the workgroup at the same place in earlier ones
     * (RACE_PAST). */
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
    struct race_cell *cells; /* of its 1,024 words; NULL: not accessed yet */
    uint32_t launch;         /* whose accesses they hold */
};

struct race_node {
    race_who who;
    uint32_t value;
    uint32_t next; /* 0: none */
    uint8_t bytes; /* bit i: byte i of the word */
    uint8_t kind;
};

struct race_site {
    uint32_t pc, word, prefix;
    uint32_t size; /* bytes of an element */
    enum sam_finding_access access;
};

/* An access to some bytes of a word. */
struct race_access {
    race_who who;
    enum race_kind kind;
    bool local;
    uint32_t address; /* of the word */
    uint32_t value;   /* in the place of the bytes */
    uint8_t bytes;
};

struct sanitize_race {
    uint32_t launch;
    uint32_t now;     /* the interval */
    uint32_t first;   /* the first one of the workgroup */
    uint32_t *firsts; /* of each workgroup so far */
    size_t group_count, group_capacity;
    struct race_page *pages; /* by address / 4096 */
    struct sanitize_arena arena;
    struct race_node *nodes; /* from 1 on */
    size_t node_count, node_capacity;
    uint32_t free_node;
    struct race_site sites[RACE_SITES + 1]; /* 0: there was no room */
    uint32_t site_count;
    uint16_t slots[2 * (RACE_SITES + 1)]; /* hash of sites */
    /* For tests: each byte that an access races for, when not NULL. */
    void (*racing)(void *context, uint32_t address, uint8_t bytes);
    void *racing_context;
};

/* race_list.c: note an access to a cell that may have a list, or needs one. */
void sam_race_note(struct sam_sanitizer *s, struct race_cell *cell,
                   const struct race_access *access);
/* Report bytes for which an access races with an earlier one. */
void sam_race_report(struct sam_sanitizer *s, race_who earlier, const struct race_access *access,
                     uint8_t bytes);

/* Bit i: byte i of the words differs. */
static inline uint8_t race_differ(uint32_t a, uint32_t b)
{
    const uint32_t x = a ^ b;
    return (uint8_t)((x & 0xff ? 1 : 0) | (x & 0xff00 ? 2 : 0) | (x & 0xff0000 ? 4 : 0) |
                     (x & 0xff000000 ? 8 : 0));
}

/* Whether an earlier access is concurrent with the present one. Accesses to local memory in other
 * intervals are no longer of interest: they are ordered, or of other memory. */
static inline bool race_concurrent(const struct sanitize_race *r, race_who earlier, uint32_t warp,
                                   bool local)
{
    const uint32_t when = race_when(earlier);
    return (when == r->now && race_warp(earlier) != warp) || (!local && earlier && when < r->first);
}

/* What a cell of local memory remembers of earlier intervals. */
static inline void race_forget_store(struct race_cell *cell)
{
    if (cell->state & RACE_ELSEWHERE)
        cell->load2 = 0;
    cell->store = 0;
    cell->state = 0;
}

/* A load or store of a whole word. False: the cell needs race_note. */
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
    } /* else by another workgroup: who races with this load, races with that one, too */
    return true;
}

/* A store of another value by the warp of cell->store in the same interval. */
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
