/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes run side by side: an operation sees what another pipe wrote only behind a wait for an event
 * that was recorded after it, or a barrier. */
#ifndef SAM_TILE_HAZARD_H
#define SAM_TILE_HAZARD_H

#include "tile/tile.h"

struct sam_tile_access {
    uint64_t low, high; /* bytes, high past the end */
    enum sam_tile_loc loc;
    enum sam_tile_pipe pipe;
    bool write;
    uint32_t op;
    uint64_t time; /* how many operations its pipe has begun */
};

struct sam_tile_hazards {
    uint64_t begun[SAM_TILE_PIPES]; /* by each pipe */
    uint64_t seen[SAM_TILE_PIPES];  /* of each pipe, that all others know to be done */
    struct sam_tile_access *accesses;
    size_t count, capacity;
};

/* An operation `op` of a pipe begins. */
void sam_tile_hazard_begin(struct sam_tile_hazards *hazards, enum sam_tile_pipe pipe);
/* It touches bytes; the access of another pipe that it should have waited for, or NULL. */
const struct sam_tile_access *sam_tile_hazard_touch(struct sam_tile_hazards *hazards,
                                                    struct sam_tile_access access, bool *memory);
/* An event of a pipe is how much that has begun; waiting for it makes that known. */
uint64_t sam_tile_hazard_record(const struct sam_tile_hazards *hazards, enum sam_tile_pipe pipe);
void sam_tile_hazard_wait(struct sam_tile_hazards *hazards, enum sam_tile_pipe pipe,
                          uint64_t event);
void sam_tile_hazard_barrier(struct sam_tile_hazards *hazards);
void sam_tile_hazard_free(struct sam_tile_hazards *hazards);

#endif
