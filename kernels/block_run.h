/* SPDX-License-Identifier: Apache-2.0 */
/* Running a block: on the executor of tile programs, or on the system. */
#ifndef SAMITE_KERNELS_BLOCK_RUN_H
#define SAMITE_KERNELS_BLOCK_RUN_H

#include "block.h"

enum { BLOCK_ARGUMENTS = BLOCK_ARRAYS + 9 };

/* The program at a path, and its arguments; arrays are views of the block's, of f16 of copies that
 * it keeps. */
enum sam_status block_program(const char *path, struct sam_tile_program **program,
                              struct sam_error *error);
enum sam_status block_arguments(struct block *block, struct sam_array arrays[BLOCK_ARRAYS],
                                struct sam_tile_argument arguments[BLOCK_ARGUMENTS],
                                struct sam_error *error);
/* Run the program at `path` on the host, with sums in the system's order: block->arrays[BLOCK_Y]
 * receives the result, bitwise equal to that of block_lowered. */
enum sam_status block_execute(struct block *block, const char *path, struct sam_error *error);

/* Options of a run on the system. */
struct block_system {
    bool check_races;                       /* a race is a failure */
    const struct sam_system_timing *timing; /* not NULL: count cycles */
    const char *emit;                       /* a folder for the lowered program, or NULL */
    const void *packed;                     /* weights, packed by sam_pack; NULL: raw arrays */
    size_t packed_size;
    uint32_t acc_regs; /* of the hart */
};
struct block_figures {
    struct sam_system_figures *figures; /* with timing; or NULL */
    struct sam_tile_lowered *lowered;   /* source of their names */
};
/* Lower the program and run it on the system. Free `figures`. */
enum sam_status block_lowered(struct block *block, const char *path, const struct block_system *how,
                              struct block_figures *figures, struct sam_error *error);
void block_figures_free(struct block_figures *figures);

#endif
