/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged kernels, each of which its check must detect. */
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

/* The damaged source, NAME.s in a temporary folder. */
struct mutant_file {
    char dir[32], path[128];
};
/* Write it; fails the test if the kernel does not contain `from`. */
void mutant_write(const struct mutant *mutant, struct mutant_file *file);
void mutant_remove(const struct mutant_file *file);

#endif
