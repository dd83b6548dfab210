/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in assembly, for tests. */
#ifndef TEST_ASSEMBLE_H
#define TEST_ASSEMBLE_H

#include "samite/samite.h"

/* The image of `text` at `base`, preceded by `prologue` unless NULL. Fails the test on messages
 * of the assembler. */
struct sam_image *test_assemble(const char *isa, uint64_t base, const char *prologue,
                                const char *text);

#endif
