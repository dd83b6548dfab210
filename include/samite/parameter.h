/* SPDX-License-Identifier: Apache-2.0 */
/* A parameter of a cycle model, as "name=value" texts set it and lists show it.
 *
 * Threads: the rows are constant. */
#ifndef SAMITE_PARAMETER_H
#define SAMITE_PARAMETER_H

#include <stdint.h>

struct sam_parameter {
    const char *name;
    const char *value;  /* the default: a number, or another parameter whose value it takes */
    const char *range;  /* "1..16" */
    uint64_t low, high; /* the same as numbers; 0 and 0 if the value is not a number */
    const char *meaning;
};

#endif
