/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run PROGRAM.pto`: a tile program. */
#ifndef RUN_TILE_H
#define RUN_TILE_H

#include "run.h"
#include "samite/tile.h"

/* The options of a tile program alone. */
struct tile_request {
    struct sam_tile_options options;
    const char *func;
};

extern const struct cli_option run_tile_rows[]; /* of struct tile_request */
int run_tile(struct run_request *request, struct tile_request *tile);

/* Names of enum sam_tile_profile in its order. */
#define RUN_TILE_PROFILES "a5 a2a3 host"

/* A program from a file ("-": standard input), its messages printed; NULL after an error. */
struct sam_tile_program *run_tile_load(const char *path);
/* The same, with the messages of its text in *messages (free() it; may be NULL) instead. */
enum sam_status run_tile_read(const char *path, struct sam_tile_program **program, char **messages,
                              struct sam_error *error);

#endif
