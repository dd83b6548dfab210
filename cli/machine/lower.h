/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system PROGRAM.pto`: a tile program lowered onto the system. */
#ifndef LOWER_H
#define LOWER_H

#include "machine/tensor.h"
#include "machine/tile.h"

/* A lowered program with its arguments. */
struct lowered {
    struct sam_tile_program *program;
    struct sam_tile_argument *given;
    struct sam_tile_lowered *made;
    char *weights; /* the packed file of arguments, or NULL */
    size_t weights_size;
};

/* Of struct tile_request: those shared with `samite sweep`, and the others. */
extern const struct cli_option lower_profile_rows[], lower_rows[];
/* Reject options that need a tile program, or that a tile program excludes. */
int lower_check(const struct hart_request *request);
/* Read, check and lower the program of request->tile, and write it to the folder of --emit;
 * *image is the hart's, owned by request->lowered. */
int lower_open(struct hart_request *request, const struct run_arguments *arguments,
               struct sam_image **image);
void lower_close(struct hart_request *request);
/* Report the failure of the program: CLI_PROGRAM_FAILED. */
int lower_failure(const struct hart_request *request, struct sam_system *system);
/* Read the outputs into their arrays. */
int lower_fetch(const struct hart_request *request, struct sam_system *system);

#endif
