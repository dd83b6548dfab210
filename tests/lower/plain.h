/* SPDX-License-Identifier: Apache-2.0 */
/* Lowered programs on the plain machines of reference/. */
#ifndef TEST_LOWER_PLAIN_H
#define TEST_LOWER_PLAIN_H

#include "lower/lowered.h"

/* lowered_run, and the same on the plain machines: their results must be equal, too. */
void plain_run(struct lowered *x);

#endif
