/* SPDX-License-Identifier: Apache-2.0 */
/* A lowered tile program in time: its pipes and operations, as figures and as tracks of a timeline,
 * against each other and against what the executor counts. */
#ifndef TEST_LOWER_TIMED_H
#define TEST_LOWER_TIMED_H

#include <jansson.h>

#include "lower/lowered.h"

struct timed {
    struct sam_tile_lowered *made;
    struct sam_system_figures *figures;
    json_t *root; /* of the timeline */
};

/* Run the program, with and without a timeline, and check everything that holds for each program.
 */
void timed_run(struct lowered *x, struct timed *t);
void timed_free(struct timed *t);

/* Arrows of the timeline, in order: the names of the slices they leave and reach, "tload 12 -> tmul
 * 14", a line each. To be freed with sam_buffer_free. */
struct sam_buffer timed_arrows(const struct timed *t);

#endif
