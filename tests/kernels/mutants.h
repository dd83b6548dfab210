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

/* The damaged source, NAME.s in a folder of its own. */
struct mutant_file {
    char dir[32], path[128];
};
/* Write it; the test fails when the kernel does not contain `from`. */
void mutant_write(const struct mutant *mutant, struct mutant_file *file);
void mutant_remove(const struct mutant_file *file);

#endif
