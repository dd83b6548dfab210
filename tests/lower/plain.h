/* SPDX-License-Identifier: Apache-2.0 */
/* The hart's side of a lowered program on the plain machines of reference/. */
#ifndef TEST_LOWER_PLAIN_H
#define TEST_LOWER_PLAIN_H

#include "lower/lowered.h"

/* Lower a program without kernels and run it there, on its arrays. What it makes must be
 * `expected`, which has run. */
void plain_check(struct lowered *x, const struct lowered *expected);

#endif
