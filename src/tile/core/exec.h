/* SPDX-License-Identifier: Apache-2.0 */
/* Execution of a function: exec.c interprets operations; run.c handles arguments, memories and
 * results. */
#ifndef SAM_TILE_EXEC_H
#define SAM_TILE_EXEC_H

#include "tile/check/plan.h"
#include "tile/core/core.h"

/* A run-time value; its type selects the member. */
struct sam_tile_slot {
    union {
        int64_t number; /* an index, an integer, the bits of a float */
        struct sam_tile_ref tile;
        struct sam_tile_window window;
        struct sam_array *array;
        struct {
            enum sam_tile_pipe pipe;
            uint64_t event;
        };
    };
};

struct sam_tile_exec {
    const struct sam_tile_program *p;
    const struct sam_tile_func *f;
    struct sam_tile_options options;
    struct sam_tile_flow flow;
    struct sam_tile_plan plan;
    struct sam_tile_core core;
    struct sam_tile_slot *slots; /* by value of the function */
    struct sam_error *error;
};

struct sam_tile_slot *sam_tile_slot(const struct sam_tile_exec *x, uint32_t value);
/* Returns SAM_ERR_TRAP with a message at the operation. */
enum sam_status sam_tile_trap(struct sam_tile_exec *x, const struct sam_tile_op *op,
                              const char *format, ...) SAM_PRINTF(3, 4);
/* Count an operation; any other result than SAM_OK stops the run. */
enum sam_status sam_tile_count(struct sam_tile_exec *x, const struct sam_tile_op *op);
/* Start the lifetime of a tile: at its place, unwritten. */
void sam_tile_start(struct sam_tile_exec *x, uint32_t value);
enum sam_status sam_tile_exec_body(struct sam_tile_exec *x);

#endif
