/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of the tiles of a function. */
#ifndef SAM_TILE_PLAN_H
#define SAM_TILE_PLAN_H

#include "tile/check/flow.h"
#include "tile/span.h"

#define SAM_TILE_NOWHERE UINT64_MAX /* the address is computed, or missing */

struct sam_tile_place {
    uint64_t offset, size;
    uint32_t first, last; /* in text order */
    uint32_t rests;       /* its place better stays free until then */
    uint32_t value;
    enum sam_tile_loc loc;
    bool bound; /* address assigned by the program */
};

struct sam_tile_plan {
    bool manual;
    bool crowded;                  /* placed by size in a memory whose places should rest */
    struct sam_tile_place *places; /* root tiles, ordered by first use */
    struct sam_tile_place **by_value;
    size_t count, capacity;
    uint64_t highest[SAM_TILE_LOCS]; /* end of the last byte in use */
};

/* Returns whether the program assigns any address. */
bool sam_tile_is_manual(const struct sam_tile_program *program);
/* Returns whether the value is a constant, in *literal. */
bool sam_tile_constant(const struct sam_tile_program *program, uint32_t value, int64_t *literal);
/* Compute the bytes of a tile, possibly a nested window, whose root begins at `base`. Returns false
 * if they are unknown or too far apart for a span. */
bool sam_tile_span_in_root(const struct sam_tile_program *program, const struct sam_tile_flow *flow,
                           uint32_t value, uint64_t base, struct sam_tile_span *span);
/* Returns SAM_OK or SAM_ERR_MEMORY; faults of the program are in `report`. */
enum sam_status sam_tile_plan(const struct sam_tile_program *program,
                              const struct sam_tile_func *function,
                              const struct sam_tile_flow *flow, enum sam_tile_profile profile,
                              struct sam_tile_report *report, struct sam_tile_plan *plan);
void sam_tile_plan_free(struct sam_tile_plan *plan);
/* Returns NULL for a window. */
const struct sam_tile_place *sam_tile_place_find(const struct sam_tile_plan *plan, uint32_t value);
/* Returns whether another tile may write the bytes of this one. */
bool sam_tile_shares(const struct sam_tile_plan *plan, uint32_t value);

#endif
