/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for the data of examples: the same on every host. */
#ifndef SAMITE_KERNELS_RANDOM_H
#define SAMITE_KERNELS_RANDOM_H

#include <stdint.h>

/* 0 up to 1. */
static inline double kernel_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 32) * 0x1p-32;
}

/* Nearly normal, of deviation 1. */
static inline double kernel_normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += kernel_uniform(state);
    return sum;
}

#endif
