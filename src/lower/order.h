/* SPDX-License-Identifier: Apache-2.0 */
/* The order of operations: what does not wait for the GPU goes before what does. */
#ifndef SAM_LOWER_ORDER_H
#define SAM_LOWER_ORDER_H

#include "samite/tile_lower.h"
#include "tile/tile.h"

struct sam_lower_arrays {
    const struct sam_tile_argument *arguments;
    const uint32_t *values; /* of the program, by argument */
    size_t count;
};

/* When an operation is issued, from 1 on, and when its launch ends, if it has one: estimated
 * cycles. */
struct sam_lower_times {
    uint64_t begin, end;
};

/* Reorder the operations of the program's function, each after those that it depends on.
 * `in_place`: by value, the tile that products read (in_place.c). `staged`: by value, not 0 for
 * tiles that are not made (staged_factor.c). `room`: bytes of each tile memory
 * that may be in use at a time. `ahead`: how far a node may go before the first one left. `times`:
 * by operation; those that are not reordered keep theirs. Returns false on out-of-memory. */
bool sam_lower_reorder(struct sam_tile_program *program,
                       const struct sam_tile_lower_options *options,
                       const struct sam_lower_arrays *arrays, const uint32_t *in_place,
                       const uint32_t *staged, const uint64_t room[SAM_TILE_LOCS], unsigned ahead,
                       struct sam_lower_times *times);

#endif
