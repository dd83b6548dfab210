/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes of a memory were written: one bit per byte, and a few stretches that were written
 * entirely, so that most checks need not look at the bits. */
#ifndef SAM_TILE_WRITTEN_H
#define SAM_TILE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAM_TILE_STRETCHES = 8 };

struct sam_tile_written {
    uint64_t *bits;
    struct {
        uint64_t low, high; /* bytes, high past the end */
    } whole[SAM_TILE_STRETCHES];
    unsigned next; /* the next stretch to replace */
};

/* For a memory of `size` bytes, a multiple of 64; nothing is written. */
bool sam_tile_written_open(struct sam_tile_written *w, uint64_t size);
void sam_tile_written_close(struct sam_tile_written *w, uint64_t size);
/* Mark `count` bytes from `first` as written or as unwritten; check that all are written. */
void sam_tile_written_set(struct sam_tile_written *w, uint64_t first, uint64_t count);
void sam_tile_written_clear(struct sam_tile_written *w, uint64_t first, uint64_t count);
bool sam_tile_written_all(struct sam_tile_written *w, uint64_t first, uint64_t count);

/* Whether the bytes lie within one of the stretches. If not, the bits decide. */
static inline bool sam_tile_written_known(const struct sam_tile_written *w, uint64_t first,
                                          uint64_t count)
{
    for (size_t i = 0; i < SAM_TILE_STRETCHES; i++)
        if (first >= w->whole[i].low && first + count <= w->whole[i].high)
            return true;
    return false;
}

#endif
