/* SPDX-License-Identifier: Apache-2.0 */
/* A lowered tile program with timing: its pipes and operations, as figures and as tracks of a
 * timeline, compared with each other and with the executor's counts. */
#ifndef TEST_LOWER_TIMED_H
#define TEST_LOWER_TIMED_H

#include <jansson.h>

#include "lower/lowered.h"

struct timed {
    struct sam_tile_lowered *made;
    struct sam_system_figures *figures;
    json_t *root; /* of the timeline */
};

/* Run the program, with and without a timeline, and check all invariants. */
void timed_run(struct lowered *x, struct timed *t);
void timed_free(struct timed *t);

/* Arrows of the timeline, in order: the names of the slices at both ends, "tload 12 -> tmul 14",
 * one line each. Free with sam_buffer_free. */
struct sam_buffer timed_arrows(const struct timed *t);

#endif
