/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes run in parallel: an operation sees what another pipe did, in tiles and in global memory,
 * only after a barrier or a wait for an event recorded later. */
#ifndef SAM_TILE_HAZARD_H
#define SAM_TILE_HAZARD_H

#include "tile/span.h"

/* Where an access is: a tile memory, or from here on global memory. */
#define SAM_TILE_GLOBAL ((uint32_t)SAM_TILE_LOCS)

struct sam_tile_access {
    struct sam_tile_span span;
    int64_t times, step; /* repetitions of the span, `step` bytes apart; 0 means 1 */
    uint32_t space;
    enum sam_tile_pipe pipe;
    bool write;
    bool perhaps; /* happened, or was not waited for, only on some path */
    uint32_t op;
    uint64_t time; /* operations that its pipe had begun by then */
    uint64_t id;   /* rising in the list */
};

struct sam_tile_hazards {
    uint64_t begun[SAM_TILE_PIPES];    /* by each pipe */
    uint64_t seen[SAM_TILE_PIPES];     /* of each pipe: known to be done by all others */
    uint64_t recorded[SAM_TILE_PIPES]; /* begun, at its latest event */
    struct sam_tile_access *accesses;
    size_t count, capacity;
    uint64_t ids; /* given so far */
};

struct sam_tile_conflict {
    struct sam_tile_access with; /* of another pipe */
    int64_t from, to;            /* the bytes in question */
};

/* An operation `op` of a pipe begins. */
void sam_tile_hazard_begin(struct sam_tile_hazards *hazards, enum sam_tile_pipe pipe);
/* It accesses bytes. Returns whether there is an access that it should have waited for, preferably
 * one that is not `perhaps`. */
bool sam_tile_hazard_touch(struct sam_tile_hazards *hazards, struct sam_tile_access access,
                           struct sam_tile_conflict *conflict, bool *memory);
/* An event is the number of operations that its pipe has begun; a wait makes that number known. */
static inline uint64_t sam_tile_hazard_record(struct sam_tile_hazards *hazards,
                                              enum sam_tile_pipe pipe)
{
    hazards->recorded[pipe] = hazards->begun[pipe];
    return hazards->begun[pipe];
}
void sam_tile_hazard_wait(struct sam_tile_hazards *hazards, enum sam_tile_pipe pipe,
                          uint64_t event);
void sam_tile_hazard_barrier(struct sam_tile_hazards *hazards);
/* A copy for the other path; false if out of memory. */
bool sam_tile_hazard_copy(struct sam_tile_hazards *to, const struct sam_tile_hazards *from);
/* Join two paths that parted after `fork` ids. An access that is open on one path only is open
 * `perhaps`, except for those of `hazards` if that is the `likely` path. `other` is freed. */
bool sam_tile_hazard_join(struct sam_tile_hazards *hazards, struct sam_tile_hazards *other,
                          uint64_t fork, bool likely);
void sam_tile_hazard_free(struct sam_tile_hazards *hazards);

#endif
