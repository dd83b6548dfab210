/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of bytes covered by tiles and array windows: runs of bytes at regular strides. */
#ifndef SAM_TILE_SPAN_H
#define SAM_TILE_SPAN_H

#include "tile/tile.h"

enum { SAM_TILE_SPAN_RANK = SAM_TILE_RANK + 1 };

/* count[0] x count[1] x ... runs of `size` bytes, stride[k] bytes apart, widest stride first.
 * Strides are not negative. size 0 is the empty set. */
struct sam_tile_span {
    int64_t low, high; /* first byte, past the last byte */
    int64_t size;
    uint32_t rank;
    int64_t count[SAM_TILE_SPAN_RANK], stride[SAM_TILE_SPAN_RANK];
};

/* Make a span from `rank` strides of any sign and order. Returns false if it exceeds 2^60 bytes. */
bool sam_tile_span_make(struct sam_tile_span *span, int64_t low, int64_t size, uint32_t rank,
                        const int64_t *count, const int64_t *stride);
/* The lines of a tile at `offset`, `pitch` elements apart. */
bool sam_tile_span_tile(struct sam_tile_span *span, const struct sam_tile_type *type,
                        uint64_t offset, uint32_t pitch);
/* The bytes of a window of an array: `rank` dimensions of `dtype` from element `base` on, the array
 * at `start`. */
bool sam_tile_span_window(struct sam_tile_span *span, enum sam_dtype dtype, int64_t start,
                          int64_t base, uint32_t rank, const int64_t *shape,
                          const int64_t *strides);
/* The span repeated `times` times, `step` bytes apart. */
bool sam_tile_span_repeat(struct sam_tile_span *span, int64_t times, int64_t step);
/* Returns whether two spans share a byte, with the first shared run found. */
bool sam_tile_span_meet(const struct sam_tile_span *a, const struct sam_tile_span *b, int64_t *from,
                        int64_t *to);
/* Returns whether two spans are equal up to translation. */
bool sam_tile_span_like(const struct sam_tile_span *a, const struct sam_tile_span *b);

#endif
