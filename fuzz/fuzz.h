/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target: fuzz/<name>.c with these two functions, and its name in meson.build.
 * libFuzzer calls the first; replay.c calls it on files, on the seeds, and on damaged copies of
 * them, so every target also runs without libFuzzer. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Feed `size` bytes to the code under test. Returns 0; a failure is a crash (abort, sanitizer). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Call `add` for each seed: small inputs that reach deep into the code. The bytes are copied. */
typedef void fuzz_add(void *context, const char *name, const void *data, size_t size);
void fuzz_seeds(fuzz_add *add, void *context);

/* A property that must hold for every input, in release builds too. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

#endif
