/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/hazard.h"

#include <stdlib.h>

void sam_tile_hazard_begin(struct sam_tile_hazards *h, enum sam_tile_pipe pipe)
{
    h->begun[pipe]++;
}

/* All bytes of an access, including its repetitions. */
static bool whole(const struct sam_tile_access *a, struct sam_tile_span *span)
{
    *span = a->span;
    return a->times <= 1 || sam_tile_span_repeat(span, a->times, a->step);
}

static bool conflicts(const struct sam_tile_access *a, const struct sam_tile_access *b,
                      int64_t *from, int64_t *to)
{
    struct sam_tile_span x, y;
    return a->space == b->space && a->pipe != b->pipe && (a->write || b->write) && whole(a, &x) &&
           whole(b, &y) && sam_tile_span_meet(&x, &y, from, to);
}

static bool like(const struct sam_tile_access *a, const struct sam_tile_access *b)
{
    return a->space == b->space && a->pipe == b->pipe && a->write == b->write &&
           sam_tile_span_like(&a->span, &b->span);
}

static bool same(const struct sam_tile_access *a, const struct sam_tile_access *b)
{
    return a->span.low == b->span.low && a->times == b->times && a->step == b->step && like(a, b);
}

/* Merge the blocks that a loop visits into one access, unless an event lies between them. If more
 * events are open than the hardware has, events between them are ignored. */
static bool extend(const struct sam_tile_hazards *h, struct sam_tile_access *a,
                   const struct sam_tile_access *next)
{
    enum { MOST = 1 << 20, CROWD = 1024 };
    if (!like(a, next) || next->times > 1 || a->perhaps ||
        (a->time <= h->recorded[a->pipe] && h->count < CROWD))
        return false;
    int64_t step = next->span.low - a->span.low;
    if (a->times > 1 && (a->times >= MOST || step != a->times * a->step))
        return false;
    if (a->times <= 1) {
        a->times = 1;
        a->step = step;
    }
    a->times++;
    a->time = next->time;
    a->op = next->op;
    return true;
}

static bool push(struct sam_tile_hazards *h, const struct sam_tile_access *access)
{
    void *grown = sam_grow(h->accesses, h->count, &h->capacity, sizeof *h->accesses);
    if (!grown)
        return false;
    h->accesses = grown;
    h->accesses[h->count++] = *access;
    return true;
}

static bool add(struct sam_tile_hazards *h, struct sam_tile_access *access)
{
    enum { LATEST = 8 };
    size_t low = h->count > LATEST ? h->count - LATEST : 0;
    for (size_t i = h->count; access->space >= SAM_TILE_GLOBAL && i-- > low;)
        if (extend(h, &h->accesses[i], access))
            return true;
    access->id = ++h->ids;
    return push(h, access);
}

bool sam_tile_hazard_touch(struct sam_tile_hazards *h, struct sam_tile_access access,
                           struct sam_tile_conflict *conflict, bool *memory)
{
    bool found = false;
    size_t kept = 0, again = SIZE_MAX;
    access.time = h->begun[access.pipe];
    for (size_t i = 0; i < h->count; i++) {
        struct sam_tile_access *a = &h->accesses[i];
        int64_t from, to;
        /* Operations retired by every pipe cannot conflict any more. */
        if (a->time <= h->seen[a->pipe])
            continue;
        if (kept != i)
            h->accesses[kept] = *a;
        a = &h->accesses[kept++];
        if ((!found || conflict->with.perhaps) && conflicts(a, &access, &from, &to)) {
            *conflict = (struct sam_tile_conflict){*a, from, to};
            found = true;
        }
        if (same(a, &access))
            again = kept - 1;
    }
    h->count = kept;
    if (again != SIZE_MAX) {
        access.id = h->accesses[again].id;
        h->accesses[again] = access;
    } else if (!add(h, &access)) {
        *memory = true;
    }
    return found;
}

void sam_tile_hazard_wait(struct sam_tile_hazards *h, enum sam_tile_pipe pipe, uint64_t event)
{
    if (event > h->seen[pipe])
        h->seen[pipe] = event;
}

void sam_tile_hazard_barrier(struct sam_tile_hazards *h)
{
    memcpy(h->seen, h->begun, sizeof h->seen);
}

bool sam_tile_hazard_copy(struct sam_tile_hazards *to, const struct sam_tile_hazards *from)
{
    *to = *from;
    to->capacity = from->count + 1;
    to->accesses = sam_alloc(to->capacity, sizeof *to->accesses);
    if (to->accesses && from->count)
        memcpy(to->accesses, from->accesses, from->count * sizeof *to->accesses);
    return to->accesses != NULL;
}

/* Accesses since the fork have ids of their own: find the same access on the other path. */
static struct sam_tile_access *twin(const struct sam_tile_hazards *h, uint64_t fork,
                                    const struct sam_tile_access *a)
{
    for (size_t i = h->count; a->id > fork && i-- > 0 && h->accesses[i].id > fork;)
        if (same(&h->accesses[i], a))
            return &h->accesses[i];
    return NULL;
}

static bool is_open(const struct sam_tile_hazards *h, const struct sam_tile_access *a)
{
    return a->time > h->seen[a->pipe];
}

bool sam_tile_hazard_join(struct sam_tile_hazards *h, struct sam_tile_hazards *other, uint64_t fork,
                          bool likely)
{
    struct sam_tile_hazards joined = {.ids = h->ids > other->ids ? h->ids : other->ids};
    bool good = true;
    for (size_t i = 0, k = 0; good && (i < h->count || k < other->count);) {
        bool mine =
            i < h->count && (k == other->count || h->accesses[i].id <= other->accesses[k].id);
        struct sam_tile_hazards *here = mine ? h : other, *there = mine ? other : h;
        struct sam_tile_access a = mine ? h->accesses[i++] : other->accesses[k], *b;
        if (mine && k < other->count && other->accesses[k].id == a.id)
            b = &other->accesses[k++];
        else
            b = twin(there, fork, &a);
        k += !mine;
        bool open = is_open(here, &a), there_too = b && is_open(there, b);
        if (open && there_too) {
            if (b->times > a.times)
                a.times = b->times, a.step = b->step;
            a.time = b->time > a.time ? b->time : a.time;
            a.perhaps |= b->perhaps;
        } else if (open) {
            a.perhaps |= !(mine && likely && a.id > fork);
        } else if (there_too && a.id <= fork) {
            a = *b;
            a.perhaps = true;
        }
        if (open ? mine || !there_too : there_too && a.id <= fork)
            good = push(&joined, &a);
    }
    for (int i = 0; i < SAM_TILE_PIPES; i++) {
        joined.seen[i] = h->seen[i] < other->seen[i] ? h->seen[i] : other->seen[i];
        joined.begun[i] = h->begun[i] > other->begun[i] ? h->begun[i] : other->begun[i];
        joined.recorded[i] =
            h->recorded[i] > other->recorded[i] ? h->recorded[i] : other->recorded[i];
    }
    sam_tile_hazard_free(other);
    sam_tile_hazard_free(h);
    *h = joined;
    return good;
}

void sam_tile_hazard_free(struct sam_tile_hazards *h)
{
    free(h->accesses);
    *h = (struct sam_tile_hazards){0};
}
