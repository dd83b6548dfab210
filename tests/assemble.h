/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in assembly, for tests. */
#ifndef TEST_ASSEMBLE_H
#define TEST_ASSEMBLE_H

#include "samite/samite.h"

/* The image of `text` at `base`; with `prologue`, if it is not NULL, in front of it. Messages of
 * the assembler fail the test. */
struct sam_image *test_assemble(const char *isa, uint64_t base, const char *prologue,
                                const char *text);

#endif
