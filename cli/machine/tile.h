/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run PROGRAM.pto`: a tile program. */
#ifndef TILE_H
#define TILE_H

#include "run/run.h"
#include "samite/tile.h"

/* The options of tile programs only. */
struct tile_request {
    struct sam_tile_options options;
    const char *func;
    const char *emit; /* --machine system: a folder, or NULL */
};

/* Of struct tile_request: those shared with the system, and the others. */
extern const struct cli_option tile_shared_rows[], tile_rows[];
/* The function named by --func, or the only one. */
int tile_function(const struct cli_args *args, const struct sam_tile_program *program,
                  const char *path, const char *func, size_t *function);
/* Report the first store to an argument that is only an input. */
void tile_note_stored_input(const struct sam_tile_program *program, size_t function,
                            const struct sam_tile_argument *given,
                            const struct run_arguments *arguments);
/* An argument in the library's form. */
void tile_give(struct run_argument *from, struct sam_tile_argument *to);

/* Names of enum sam_tile_profile in its order. */
#define TILE_PROFILES "a5 a2a3 host"

/* Check the program, and print all errors found. */
int tile_check(const struct sam_tile_program *program, enum sam_tile_profile profile,
               enum sam_tile_dialect dialect);
/* A program from a file ("-": standard input), its messages printed; NULL after an error. */
struct sam_tile_program *tile_load(const char *path);
/* The same, with messages returned in *messages (free() it; may be NULL) instead. */
enum sam_status tile_read(const char *path, struct sam_tile_program **program, char **messages,
                          struct sam_error *error);

#endif
