/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged kernels, which the check of each must detect. */
#ifndef SAMITE_TESTS_KERNELS_MUTANTS_H
#define SAMITE_TESTS_KERNELS_MUTANTS_H

#include <stddef.h>

struct mutant {
    const char *kernel;
    const char *from; /* text of the source, its first occurrence */
    const char *to;
};

extern const struct mutant mutants[];
extern const size_t mutant_count;

#endif
