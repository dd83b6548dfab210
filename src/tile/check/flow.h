/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a function's operations and the lifetimes of its tiles. */
#ifndef SAM_TILE_FLOW_H
#define SAM_TILE_FLOW_H

#include "tile/tile.h"

struct sam_tile_life {
    uint32_t first, last; /* in text order, from 1; 0: arguments live from the start */
    uint32_t rests;       /* if there is room, no other tile has its place before then */
    bool written;
};

/* A read that no write can precede. */
struct sam_tile_early {
    uint32_t value, op, operand;
};

struct sam_tile_flow {
    uint32_t first_value;
    uint32_t last;
    uint32_t *order;            /* by op */
    uint32_t *root;             /* by value of the function: the root tile of a window */
    struct sam_tile_life *life; /* by value of the function; set for roots */
    struct sam_tile_early *reads;
    size_t read_count;
};

/* Returns SAM_OK or SAM_ERR_MEMORY. */
enum sam_status sam_tile_flow(const struct sam_tile_program *program,
                              const struct sam_tile_func *function, struct sam_tile_flow *flow);
void sam_tile_flow_free(struct sam_tile_flow *flow);

#endif
