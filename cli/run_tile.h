/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run PROGRAM.pto`: a tile program. */
#ifndef RUN_TILE_H
#define RUN_TILE_H

#include "cli.h"
#include "samite/tile.h"

/* Names of enum sam_tile_profile in its order. */
#define RUN_TILE_PROFILES "a5 a2a3 host"

/* A program from a file ("-": standard input), its messages printed; NULL after an error. */
struct sam_tile_program *run_tile_load(const char *path);
/* The same, with the messages of its text in *messages (free() it; may be NULL) instead. */
enum sam_status run_tile_read(const char *path, struct sam_tile_program **program, char **messages,
                              struct sam_error *error);

#endif
