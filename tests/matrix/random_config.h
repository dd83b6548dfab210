/* SPDX-License-Identifier: Apache-2.0 */
/* A random matrix unit for tests of the cycle model. */
#ifndef MATRIX_RANDOM_CONFIG_H
#define MATRIX_RANDOM_CONFIG_H

#include "random.h"
#include "samite/mxu.h"

static inline unsigned random_below(uint64_t *seed, unsigned bound)
{
    return (unsigned)test_below(seed, bound);
}

/* Randomises everything but mpara, npara, their dependent parameters, and parameters kept at
 * their defaults. */
static inline struct sam_mxu_config random_mxu_config(uint64_t *seed, unsigned stall_below)
{
    struct sam_mxu_config c;
    sam_mxu_config_init(&c, 128u << random_below(seed, 3));
    c.slots = 1 + random_below(seed, 8);
    c.tree_stages = 1 + random_below(seed, 10);
    c.ld_queue = 1 + random_below(seed, 32);
    c.st_queue = 1 + random_below(seed, 32);
    c.mem_latency = 1 + random_below(seed, 60);
    c.beat_cycles = 1 + random_below(seed, 3);
    c.elewidth = 8u << random_below(seed, 4);
    c.merge_cycles = random_below(seed, 8);
    c.l2_kib = random_below(seed, 2) ? 0 : 1u << random_below(seed, 3);
    c.miss_latency = random_below(seed, 40);
    c.ports = random_below(seed, 2);
    c.stall = random_below(seed, 2) ? 0 : random_below(seed, stall_below);
    c.seed = test_random(seed);
    return c;
}

#endif
