/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of memory that a launch reads and writes, without the local memory of workgroups. A
 * launch waits for older accesses of other units to them. */
#ifndef SAM_SIMT_TOUCHED_H
#define SAM_SIMT_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAM_TOUCHED_LINE = 64 };

/* Bytes from `low` to `high`, both included: whole lines. */
struct sam_touched_span {
    uint32_t low, high;
    bool store;
};

struct sam_touched_page {
    uint32_t number;   /* 1 + address / 4096; 0: none */
    uint64_t lines[2]; /* loaded; stored */
};

/* All zero: nothing. */
struct sam_touched {
    struct sam_touched_page *pages; /* by a hash of their number */
    uint32_t count, capacity, last; /* `last`: index of one that was found */
    bool failed;                    /* out of memory */
};

/* `size` bytes from `address` on, at least one. */
void sam_touch(struct sam_touched *t, bool store, uint32_t address, uint32_t size);
/* Loads, then stores, each in rising order without neighbours; freed with free(). NULL: out of
 * memory. */
struct sam_touched_span *sam_touched_spans(const struct sam_touched *t, size_t *count);
void sam_touched_free(struct sam_touched *t);

#endif
