/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of kernels/tile/, with arguments of every element type. */
#ifndef TEST_LOWER_TILE_PROGRAMS_H
#define TEST_LOWER_TILE_PROGRAMS_H

#include "lower/lowered.h"

/* Program `index`, with arguments from `seed`; its options are zero. False after the last. Close
 * it. */
bool tile_program_open(size_t index, uint64_t seed, struct lowered *x);
void tile_program_close(struct lowered *x);

#endif
