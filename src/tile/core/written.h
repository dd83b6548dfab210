/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes of a memory were written: a bit each, and stretches of which every byte was, so that
 * a tile that is whole is known to be without a look at its bits. */
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
    unsigned next; /* the stretch that gives way to a new one */
};

/* For a memory of `size` bytes, a multiple of 64; nothing is written. */
bool sam_tile_written_open(struct sam_tile_written *w, uint64_t size);
void sam_tile_written_close(struct sam_tile_written *w, uint64_t size);
/* `count` bytes from `first` on: note them as written, or as not; were they all? */
void sam_tile_written_set(struct sam_tile_written *w, uint64_t first, uint64_t count);
void sam_tile_written_clear(struct sam_tile_written *w, uint64_t first, uint64_t count);
bool sam_tile_written_all(struct sam_tile_written *w, uint64_t first, uint64_t count);

/* Are the bytes within one of the stretches? False says nothing. */
static inline bool sam_tile_written_known(const struct sam_tile_written *w, uint64_t first,
                                          uint64_t count)
{
    for (size_t i = 0; i < SAM_TILE_STRETCHES; i++)
        if (first >= w->whole[i].low && first + count <= w->whole[i].high)
            return true;
    return false;
}

#endif
