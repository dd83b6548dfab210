/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes run side by side: an operation sees what another pipe did, in tiles and in global memory,
 * only after a wait for an event that was recorded after it, or a barrier. */
#ifndef SAM_TILE_HAZARD_H
#define SAM_TILE_HAZARD_H

#include "tile/span.h"

/* Where an access is: a tile memory, or from here on global memory. */
#define SAM_TILE_GLOBAL ((uint32_t)SAM_TILE_LOCS)

struct sam_tile_access {
    struct sam_tile_span span;
    int64_t times, step; /* the span, and again at distances of `step` bytes; 0 is as 1 */
    uint32_t space;
    enum sam_tile_pipe pipe;
    bool write;
    bool perhaps; /* on some path only, or not waited for on some path only */
    uint32_t op;
    uint64_t time; /* how many operations its pipe has begun */
    uint64_t id;   /* rising in the list */
};

struct sam_tile_hazards {
    uint64_t begun[SAM_TILE_PIPES];    /* by each pipe */
    uint64_t seen[SAM_TILE_PIPES];     /* of each pipe, that all others know to be done */
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
/* It touches bytes. Is there an access that it should have waited for? One that is not `perhaps`,
 * where there is one. */
bool sam_tile_hazard_touch(struct sam_tile_hazards *hazards, struct sam_tile_access access,
                           struct sam_tile_conflict *conflict, bool *memory);
/* An event of a pipe is how much that has begun; waiting for it makes that known. */
static inline uint64_t sam_tile_hazard_record(struct sam_tile_hazards *hazards,
                                              enum sam_tile_pipe pipe)
{
    hazards->recorded[pipe] = hazards->begun[pipe];
    return hazards->begun[pipe];
}
void sam_tile_hazard_wait(struct sam_tile_hazards *hazards, enum sam_tile_pipe pipe,
                          uint64_t event);
void sam_tile_hazard_barrier(struct sam_tile_hazards *hazards);
/* A copy for the other path; false without memory. */
bool sam_tile_hazard_copy(struct sam_tile_hazards *to, const struct sam_tile_hazards *from);
/* Where two paths meet that parted when `fork` ids were given: what is open on one of them only is
 * open, perhaps; what `hazards` did since, for sure when that is the `likely` path. `other` is
 * freed. */
bool sam_tile_hazard_join(struct sam_tile_hazards *hazards, struct sam_tile_hazards *other,
                          uint64_t fork, bool likely);
void sam_tile_hazard_free(struct sam_tile_hazards *hazards);

#endif
