/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tiles of a function are. */
#ifndef SAM_TILE_PLAN_H
#define SAM_TILE_PLAN_H

#include "tile/check/flow.h"
#include "tile/span.h"

#define SAM_TILE_NOWHERE UINT64_MAX /* the address is computed, or missing */

struct sam_tile_place {
    uint64_t offset, size;
    uint32_t first, last; /* in the order of the text */
    uint32_t value;
    enum sam_tile_loc loc;
    bool bound; /* the program gave it an address */
};

struct sam_tile_plan {
    bool manual;
    struct sam_tile_place *places; /* of tiles with memory of their own, ordered by first use */
    struct sam_tile_place **by_value;
    size_t count, capacity;
    uint64_t highest[SAM_TILE_LOCS]; /* end of the last byte in use */
};

/* Whether the program assigns addresses anywhere. */
bool sam_tile_is_manual(const struct sam_tile_program *program);
/* The value as a constant, if it is one. */
bool sam_tile_constant(const struct sam_tile_program *program, uint32_t value, int64_t *literal);
/* The bytes of a tile, possibly a window of a window, whose root begins at `base`. False: not
 * known, or farther apart than a span can be. */
bool sam_tile_span_in_root(const struct sam_tile_program *program, const struct sam_tile_flow *flow,
                           uint32_t value, uint64_t base, struct sam_tile_span *span);
/* SAM_OK (look at report->report.errors) or SAM_ERR_MEMORY. */
enum sam_status sam_tile_plan(const struct sam_tile_program *program,
                              const struct sam_tile_func *function,
                              const struct sam_tile_flow *flow, enum sam_tile_profile profile,
                              struct sam_tile_report *report, struct sam_tile_plan *plan);
void sam_tile_plan_free(struct sam_tile_plan *plan);
/* NULL: the value is a window. */
const struct sam_tile_place *sam_tile_place_find(const struct sam_tile_plan *plan, uint32_t value);
/* Whether another tile may have written the bytes of this one. */
bool sam_tile_shares(const struct sam_tile_plan *plan, uint32_t value);

#endif
