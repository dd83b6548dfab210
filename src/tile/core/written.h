/* SPDX-License-Identifier: Apache-2.0 */
/* Initialised bytes of a memory: one bit per byte, and a few fully written stretches that let most
 * checks skip the bits. */
#ifndef SAM_TILE_WRITTEN_H
#define SAM_TILE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAM_TILE_STRETCHES = 8 };

struct sam_tile_written {
    uint64_t *bits;
    uint64_t size; /* of the memory, in bytes */
    struct {
        uint64_t low, high; /* bytes, high past the end */
    } whole[SAM_TILE_STRETCHES];
    unsigned next; /* the next stretch to replace */
};

/* Extend, initially all zero, to a memory of `size` bytes, a multiple of 64: the new ones
 * unwritten. Returns false on out-of-memory. */
bool sam_tile_written_grow(struct sam_tile_written *w, uint64_t size);
void sam_tile_written_close(struct sam_tile_written *w);
/* Mark `count` bytes from `first` as written or unwritten; check that all are written. */
void sam_tile_written_set(struct sam_tile_written *w, uint64_t first, uint64_t count);
void sam_tile_written_clear(struct sam_tile_written *w, uint64_t first, uint64_t count);
bool sam_tile_written_all(struct sam_tile_written *w, uint64_t first, uint64_t count);

/* Returns whether the bytes lie within a stretch. Otherwise the bits decide. */
static inline bool sam_tile_written_known(const struct sam_tile_written *w, uint64_t first,
                                          uint64_t count)
{
    for (size_t i = 0; i < SAM_TILE_STRETCHES; i++)
        if (first >= w->whole[i].low && first + count <= w->whole[i].high)
            return true;
    return false;
}

#endif
