/* SPDX-License-Identifier: Apache-2.0 */
/* Hazards between pipes. Pipes run in parallel: an operation sees the effects of another pipe, on
 * tiles and global memory, only after a barrier or a wait for a later event. */
#ifndef SAM_TILE_HAZARD_H
#define SAM_TILE_HAZARD_H

#include "tile/span.h"

/* Location of an access: a tile memory, or global memory from this value on. */
#define SAM_TILE_GLOBAL ((uint32_t)SAM_TILE_LOCS)

struct sam_tile_access {
    struct sam_tile_span span;
    int64_t times, step; /* repetitions of the span, `step` bytes apart; 0 means 1 */
    uint32_t space;
    enum sam_tile_pipe pipe;
    bool write;
    bool perhaps; /* occurred, or was not waited for, on some paths only */
    uint32_t op;
    uint64_t time; /* operations begun by its pipe so far */
    uint64_t id;   /* ascending in the list */
};

struct sam_tile_hazards {
    uint64_t begun[SAM_TILE_PIPES];    /* by each pipe */
    uint64_t seen[SAM_TILE_PIPES];     /* per pipe: operations known to all others as done */
    uint64_t recorded[SAM_TILE_PIPES]; /* per pipe: operations begun at its latest event */
    struct sam_tile_access *accesses;
    size_t count, capacity;
    uint64_t ids; /* assigned so far */
};

struct sam_tile_conflict {
    struct sam_tile_access with; /* the conflicting access of another pipe */
    int64_t from, to;            /* the shared bytes */
};

/* Begin an operation of a pipe. */
void sam_tile_hazard_begin(struct sam_tile_hazards *hazards, enum sam_tile_pipe pipe);
/* Add an access of the current operation. Returns whether it conflicts with an earlier access,
 * preferably reporting one that is not `perhaps`. */
bool sam_tile_hazard_touch(struct sam_tile_hazards *hazards, struct sam_tile_access access,
                           struct sam_tile_conflict *conflict, bool *memory);
/* An event is the number of operations its pipe has begun; waiting for it makes that number known.
 */
static inline uint64_t sam_tile_hazard_record(struct sam_tile_hazards *hazards,
                                              enum sam_tile_pipe pipe)
{
    hazards->recorded[pipe] = hazards->begun[pipe];
    return hazards->begun[pipe];
}
void sam_tile_hazard_wait(struct sam_tile_hazards *hazards, enum sam_tile_pipe pipe,
                          uint64_t event);
void sam_tile_hazard_barrier(struct sam_tile_hazards *hazards);
/* Copy the state for the other path. Returns false on out-of-memory. */
bool sam_tile_hazard_copy(struct sam_tile_hazards *to, const struct sam_tile_hazards *from);
/* Join two paths split at `fork` ids. An access that is open on one path only becomes `perhaps`,
 * except those of `hazards` if that is the `likely` path. Frees `other`. */
bool sam_tile_hazard_join(struct sam_tile_hazards *hazards, struct sam_tile_hazards *other,
                          uint64_t fork, bool likely);
void sam_tile_hazard_free(struct sam_tile_hazards *hazards);

#endif
