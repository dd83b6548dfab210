/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of bytes that tiles and windows of arrays cover: runs of bytes at regular distances. */
#ifndef SAM_TILE_SPAN_H
#define SAM_TILE_SPAN_H

#include "tile/tile.h"

enum { SAM_TILE_SPAN_RANK = SAM_TILE_RANK + 1 };

/* Runs of `size` bytes: count[0] x count[1] ... of them, stride[k] bytes apart, from the widest
 * stride to the narrowest. None is negative; size 0 is the empty set. */
struct sam_tile_span {
    int64_t low, high; /* from the first byte to past the last */
    int64_t size;
    uint32_t rank;
    int64_t count[SAM_TILE_SPAN_RANK], stride[SAM_TILE_SPAN_RANK];
};

/* `rank` strides of any sign and order. False: farther apart than 2^60 bytes. */
bool sam_tile_span_make(struct sam_tile_span *span, int64_t low, int64_t size, uint32_t rank,
                        const int64_t *count, const int64_t *stride);
/* The lines of a tile whose first byte is at `offset`, `pitch` elements apart. */
bool sam_tile_span_tile(struct sam_tile_span *span, const struct sam_tile_type *type,
                        uint64_t offset, uint32_t pitch);
/* The span repeated `times` times, `step` bytes apart. */
bool sam_tile_span_repeat(struct sam_tile_span *span, int64_t times, int64_t step);
/* Whether they share a byte, and if so the first run of shared bytes found. */
bool sam_tile_span_meet(const struct sam_tile_span *a, const struct sam_tile_span *b, int64_t *from,
                        int64_t *to);
/* Whether they are the same bytes apart from where they begin. */
bool sam_tile_span_like(const struct sam_tile_span *a, const struct sam_tile_span *b);

#endif
