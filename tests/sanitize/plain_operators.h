/* SPDX-License-Identifier: Apache-2.0 */
/* Undefined bits of an operation's result, for the plain interpreter. */
#ifndef PLAIN_OPERATORS_H
#define PLAIN_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>

#include "reference/ref_insn.h"

/* A value and its undefined bits. */
struct number {
    uint64_t value, open;
};

/* The undefined bits of a op b; c is a third source, or bit 0 of v0. `one`: a and b are the same
 * register. */
uint64_t plain_result(enum ref_op op, struct number a, struct number b, struct number c,
                      unsigned width, bool one);

#endif
