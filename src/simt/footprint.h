/* SPDX-License-Identifier: Apache-2.0 */
/* The footprint of a launch: the cache lines that it reads and writes outside local memory. In a
 * timed system, the launch waits for earlier accesses of other units to them. */
#ifndef SAM_SIMT_FOOTPRINT_H
#define SAM_SIMT_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAM_FOOTPRINT_LINE = 64 };

/* Whole lines: bytes `low` to `high`, inclusive. */
struct sam_footprint_span {
    uint32_t low, high;
    bool store;
};

struct sam_footprint_page {
    uint32_t number;   /* 1 + address / 4096; 0: an empty slot */
    uint64_t lines[2]; /* bit masks of lines: loaded, stored */
};

/* All zero: empty. */
struct sam_footprint {
    struct sam_footprint_page *pages; /* hash table by `number` */
    uint32_t count, capacity, last;   /* `last`: the slot found last */
    bool failed;                      /* out of memory */
};

/* Add `size` bytes at `address`; size >= 1. */
void sam_footprint_add(struct sam_footprint *t, bool store, uint32_t address, uint32_t size);
/* Spans of loads, then of stores, each ascending and coalesced; free with free(). Returns NULL on
 * out-of-memory. */
struct sam_footprint_span *sam_footprint_spans(const struct sam_footprint *t, size_t *count);
void sam_footprint_free(struct sam_footprint *t);

#endif
