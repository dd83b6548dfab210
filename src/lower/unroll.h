/* SPDX-License-Identifier: Apache-2.0 */
/* The program that is lowered: the function with its scalar arguments as constants, and with loops
 * and branches whose course these decide written out. */
#ifndef SAM_LOWER_UNROLL_H
#define SAM_LOWER_UNROLL_H

#include "samite/tile_lower.h"
#include "tile/tile.h"

struct sam_lower_unrolled {
    /* One function. Names and texts belong to the program that it was made from. */
    struct sam_tile_program program;
    uint32_t *origin; /* by operation: the one that it is a copy of */
    uint32_t *copy;   /* by operation: copies of the same one before it */
    uint32_t *copies; /* by operation of the original program */
    uint32_t
        *arguments; /* by value of the original program: the last copy; of an argument, itself */
};

/* `values` are those that the arguments bind to. `as_is`: copy the function unchanged; so are those
 * that assign addresses, and bare operations, whose results are outputs by name. Returns false on
 * out-of-memory; free *out in either case. */
bool sam_lower_unroll(const struct sam_tile_program *program, const struct sam_tile_func *function,
                      enum sam_tile_profile profile, bool as_is,
                      const struct sam_tile_argument *arguments, size_t count,
                      const uint32_t *values, struct sam_lower_unrolled *out);
/* shrink.c: give tiles the room that they need. Returns false on out-of-memory. */
bool sam_lower_shrink(struct sam_tile_program *program,
                      const struct sam_tile_lower_options *options);
void sam_lower_unrolled_free(struct sam_lower_unrolled *unrolled);

#endif
