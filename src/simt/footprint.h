/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of memory that a launch reads and writes, without the local memory of workgroups. A
 * launch waits for older accesses of other units to them. */
#ifndef SAM_SIMT_FOOTPRINT_H
#define SAM_SIMT_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAM_FOOTPRINT_LINE = 64 };

/* Bytes from `low` to `high`, both included: whole lines. */
struct sam_footprint_span {
    uint32_t low, high;
    bool store;
};

struct sam_footprint_page {
    uint32_t number;   /* 1 + address / 4096; 0: none */
    uint64_t lines[2]; /* loaded; stored */
};

/* All zero: nothing. */
struct sam_footprint {
    struct sam_footprint_page *pages; /* by a hash of their number */
    uint32_t count, capacity, last;   /* `last`: index of one that was found */
    bool failed;                      /* out of memory */
};

/* `size` bytes from `address` on, at least one. */
void sam_footprint_add(struct sam_footprint *t, bool store, uint32_t address, uint32_t size);
/* Loads, then stores, each in rising order without neighbours; freed with free(). NULL: out of
 * memory. */
struct sam_footprint_span *sam_footprint_spans(const struct sam_footprint *t, size_t *count);
void sam_footprint_free(struct sam_footprint *t);

#endif
