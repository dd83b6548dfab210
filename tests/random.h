/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of a test; part of test.h. The seed is printed, so that a failure can be
 * reproduced: SAMITE_SEED=0x... ./test_... */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t test_seed(void)
{
    const char *given = getenv("SAMITE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("# SAMITE_SEED=0x%" PRIx64 "\n", seed);
    return seed;
}

/* A number from the environment, such as SAMITE_CASES. */
static inline uint64_t test_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* splitmix64 */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t test_below(uint64_t *state, uint64_t bound)
{
    return test_random(state) % bound;
}

#endif
