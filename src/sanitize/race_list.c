/* SPDX-License-Identifier: Apache-2.0 */
/* Cells with lists: partial accesses to a word, atomics, and anything else that a cell cannot
 * record. */
#include "sanitize/race.h"

/* ------------------------------------------------------------------------------- the nodes */

static uint32_t new_node(struct sam_sanitizer *s, const struct race_node *node)
{
    struct sanitize_race *r = s->race;
    uint32_t at = r->free_node;
    if (at) {
        r->free_node = r->nodes[at].next;
    } else {
        void *grown = sam_grow(r->nodes, r->node_count, &r->node_capacity, sizeof *r->nodes);
        if (!grown || r->node_count > UINT32_MAX / 2) {
            r->nodes = grown ? grown : r->nodes;
            s->failed = true;
            return 0;
        }
        r->nodes = grown;
        at = (uint32_t)r->node_count++;
    }
    r->nodes[at] = *node;
    return at;
}

static uint32_t list_of(const struct race_cell *cell)
{
    return cell->state >> 1;
}

static void add_node(struct sam_sanitizer *s, struct race_cell *cell, race_who who,
                     enum race_kind kind, uint32_t value, uint8_t bytes, struct race_locks locks)
{
    const struct race_node node = {.who = who,
                                   .value = value,
                                   .next = list_of(cell),
                                   .bytes = bytes,
                                   .kind = (uint8_t)kind,
                                   .locks = locks};
    const uint32_t at = new_node(s, &node);
    if (at)
        cell->state = at << 1 | RACE_LIST;
}

/* Convert a cell to a list. */
static void make_list(struct sam_sanitizer *s, struct race_cell *cell)
{
    const struct race_cell was = *cell;
    const struct race_locks none = {0};
    const bool elsewhere = was.state & RACE_ELSEWHERE;
    const uint8_t now = (uint8_t)((was.state & RACE_NOW) >> RACE_NOW_BIT);
    const uint8_t past = (uint8_t)((was.state & RACE_PAST) >> RACE_PAST_BIT);
    cell->state = RACE_LIST;
    if (was.load)
        add_node(s, cell, was.load, RACE_LOAD, 0, 15, none);
    if (was.load2 && !elsewhere)
        add_node(s, cell, was.load2, RACE_LOAD, 0, 15, none);
    if (was.store)
        add_node(s, cell, was.store, RACE_STORE, was.value, 15, none);
    if (now)
        add_node(s, cell, elsewhere ? was.load2 : was.store, RACE_STORE, ~was.value, now, none);
    if (past)
        add_node(s, cell, was.store - (UINT64_C(1) << 32), RACE_STORE, ~was.value, past, none);
}

/* Remove nodes without bytes. */
static void sweep(struct sanitize_race *r, struct race_cell *cell)
{
    uint32_t first = list_of(cell), *link = &first;
    while (*link) {
        struct race_node *node = &r->nodes[*link];
        if (node->bytes) {
            link = &node->next;
            continue;
        }
        const uint32_t at = *link;
        *link = node->next;
        node->next = r->free_node;
        r->free_node = at;
    }
    cell->state = first << 1 | RACE_LIST;
}

/* -------------------------------------------------------------------------------- accesses */

/* The bytes in which the access stores other values than the node, which has the same kind. Under a
 * lock, values do not matter. */
static uint8_t differ_of(const struct race_node *node, const struct race_access *a)
{
    return a->kind == RACE_STORE && !race_is_locked(&a->locks) ? race_differ(node->value, a->value)
                                                               : 0;
}

/* The common bytes for which two concurrent accesses race. */
static uint8_t conflict(const struct race_node *node, const struct race_access *a)
{
    const enum race_kind x = (enum race_kind)node->kind, y = a->kind;
    if (x == RACE_STORE && y == RACE_STORE)
        return race_is_locked(&node->locks) || race_is_locked(&a->locks)
                   ? 15
                   : race_differ(node->value, a->value);
    if (x == RACE_STORE || y == RACE_STORE)
        return 15;
    return (x == RACE_LOAD && y == RACE_ATOMIC_STORE) || (x == RACE_ATOMIC_STORE && y == RACE_LOAD)
               ? 15
               : 0;
}

/* Whether the node can stand for the access, or the access for it, in later checks. */
static bool is_alike(const struct race_node *node, const struct race_access *a)
{
    return node->kind == a->kind && !memcmp(&node->locks, &a->locks, sizeof a->locks);
}

/* Report races of the access. Returns the bytes to record: those for which some later access may
 * race with it but with no recorded access, and which have not raced. */
static uint8_t check(struct sam_sanitizer *s, const struct race_cell *cell,
                     const struct race_access *a)
{
    struct sanitize_race *r = s->race;
    const uint32_t warp = race_warp(a->who);
    uint8_t need = a->bytes, once = 0, twice = 0, others = 0;
    for (uint32_t at = list_of(cell); at; at = r->nodes[at].next) {
        struct race_node *node = &r->nodes[at];
        const uint32_t when = race_when(node->who);
        if (a->local && when != r->now) {
            node->bytes = 0;
            continue;
        }
        const uint8_t both = node->bytes & a->bytes;
        const uint8_t racing = both & conflict(node, a);
        if (racing && race_concurrent(r, node->who, warp, a->local) &&
            !race_share_lock(&node->locks, &a->locks, when >= r->first))
            sam_race_report(s, node->who, a, racing);
        if (!is_alike(node, a))
            continue;
        if (when < r->first && a->locks.shared) { /* orders workgroups, but not warps of one */
            node->bytes &= (uint8_t)~others;
            others |= node->bytes;
        } else if (when < r->first) { /* of another workgroup: one of two, or it has raced */
            need &= (uint8_t)~both;
        } else if (when == r->now) {
            const uint8_t differ = differ_of(node, a);
            if (race_warp(node->who) == warp)
                need &= (uint8_t) ~(both & ~differ);
            twice |= once & both;
            once |= both;
        }
    }
    return need & (uint8_t)~twice;
}

/* For another workgroup, the current access replaces nodes of the workgroup's earlier intervals, as
 * long as a store of another value remains recorded. */
static void replace(struct sanitize_race *r, const struct race_cell *cell,
                    const struct race_access *a, uint8_t bytes)
{
    uint8_t kept = 0;
    for (uint32_t at = list_of(cell); at; at = r->nodes[at].next) {
        struct race_node *node = &r->nodes[at];
        const uint32_t when = race_when(node->who);
        if (!is_alike(node, a) || when == r->now || when < r->first)
            continue;
        const uint8_t differ = differ_of(node, a);
        const uint8_t other = node->bytes & bytes & differ & (uint8_t)~kept;
        node->bytes = (uint8_t)((node->bytes & ~bytes) | other);
        kept |= other;
    }
}

void sam_race_note(struct sam_sanitizer *s, struct race_cell *cell,
                   const struct race_access *access)
{
    if (!(cell->state & RACE_LIST))
        make_list(s, cell);
    const uint8_t need = check(s, cell, access);
    if (need)
        replace(s->race, cell, access, need);
    sweep(s->race, cell);
    if (need)
        add_node(s, cell, access->who, access->kind, access->value, need, access->locks);
}
