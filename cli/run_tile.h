/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run PROGRAM.pto`: a tile program. */
#ifndef RUN_TILE_H
#define RUN_TILE_H

#include "cli.h"
#include "samite/tile.h"

/* Is there a file on the command line that is one? Nothing is taken from it. */
bool run_tile_wants(const struct cli_args *args);
/* Reads all of the command line; an exit code, messages printed. */
int run_tile(struct cli_args *args);

/* A program from a file ("-": standard input), its messages printed; NULL after an error. */
struct sam_tile_program *run_tile_load(const char *path);

#endif
