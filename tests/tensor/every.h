/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the exhaustive tests: a pair, and random numbers with the same seed in each test
 * program. */
#ifndef TENSOR_EVERY_H
#define TENSOR_EVERY_H

#include "pair.h"
#include "random.h"
#include "words.h"

static struct pair pair;
static uint64_t random_state;

FIXTURE(setup)
{
    random_state = test_seed();
    return 0;
}

static inline void fill_tls(unsigned end)
{
    for (unsigned i = 1; i < end; i++)
        pair_fill_tl(&pair, i, &random_state);
}

/* Registers from tl1 up to, not including, `end` are random. */
static void open_pair(unsigned xlen, unsigned end)
{
    pair_open(&pair, &(struct pair_options){.xlen = xlen});
    fill_tls(end);
}

#endif
