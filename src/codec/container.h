/* SPDX-License-Identifier: Apache-2.0 */
/* The packed file: 64-byte header, the original file's verbatim header, list of pieces, chunks,
 * index of chunk sizes, 64-byte trailer. */
#ifndef SAM_CODEC_CONTAINER_H
#define SAM_CODEC_CONTAINER_H

#include "codec/chunk.h"

enum { SAM_HEADER = 64, SAM_TRAILER = 64 };

/* The unit that is cut into chunks: one piece, or a run of pieces of layout "shared". */
struct sam_extent {
    uint64_t offset, size; /* bytes in the file; never empty */
    uint64_t first_chunk;
    uint32_t piece; /* the first one */
    enum sam_layout_id layout;
};

/* Contents of a packed file: pieces, each a tensor or a gap, which cover the original file after
 * its verbatim header. */
struct sam_container {
    const struct sam_allocator *allocator;
    struct sam_weights weights; /* the pieces; gaps are unnamed opaque tensors */
    uint8_t *layouts;           /* by piece */
    struct sam_extent *extents; /* in order; empty pieces belong to none */
    size_t extent_count;
    uint64_t table_size; /* bytes of the list of pieces */
    uint64_t chunks;
    bool windows;         /* being packed with windows */
    uint32_t layout_set;  /* one bit per layout */
    size_t span_elements; /* the most elements of any chunk */
    size_t span_bytes;    /* the most bytes of elements of any chunk */
    size_t chunk_bound;   /* the most bytes of any chunk */
};

/* Validate `weights` and list its pieces. */
enum sam_status sam_container_plan(const struct sam_weights *weights,
                                   const struct sam_codec_options *options, struct sam_container *c,
                                   struct sam_error *error);
void sam_container_free(struct sam_container *c);
/* Compute extents, chunk count and chunk sizes from the pieces. Returns false on out-of-memory. */
bool sam_container_measure(struct sam_container *c);
/* The extent of a non-empty piece. */
const struct sam_extent *sam_extent_of(const struct sam_container *c, size_t piece);
/* The extent of a chunk. */
const struct sam_extent *sam_extent_at(const struct sam_container *c, uint64_t chunk);
uint64_t sam_extent_chunks(const struct sam_extent *extent);
/* The elements of chunk `chunk` of an extent. */
struct sam_chunk_span sam_extent_span(const struct sam_extent *extent, uint64_t chunk);

/* Totals over the chunks of an extent. */
struct sam_extent_stat {
    uint64_t packed, blocks, verbatim, windows;
    uint32_t has_code;
};
void sam_extent_count(struct sam_extent_stat *stat, const struct sam_chunk *chunk);
/* Statistics of a piece: its extent's, or its share of them. `whole` is unused for an empty piece.
 */
void sam_piece_stat(const struct sam_container *c, size_t piece,
                    const struct sam_extent_stat *whole, struct sam_packed_stat *stat);

/* Append the header, the verbatim header (`verbatim`, weights.header_size bytes), the list of
 * pieces and padding to `out`. */
void sam_container_start(struct sam_container *c, const uint8_t *verbatim, struct sam_buffer *out);
/* Append index and trailer. `sizes` has 4 bytes per chunk, as in the index; the first chunk begins
 * at `start`. */
void sam_container_end(const struct sam_buffer *sizes, uint64_t start, struct sam_buffer *out);
/* Append the index and trailer of any file of this structure: `second` is the second number of the
 * trailer, `end` its last bytes. */
void sam_index_append(const struct sam_buffer *sizes, uint64_t start, uint64_t second,
                      const uint8_t end[8], struct sam_buffer *out);
/* The checksum of headers, indexes and trailers. */
static inline uint64_t sam_container_hash(const void *data, size_t size)
{
    return sam_codec_base.hash(data, size, 0);
}

/* The parsed header, the first SAM_HEADER bytes. */
struct sam_start {
    uint64_t file_size, header_size, table_size;
    uint32_t pieces;
    enum sam_weights_kind kind;
    uint64_t hash;  /* of verbatim header and list */
    uint64_t total; /* bytes before the first chunk */
};
/* Returns NULL or the fault. */
const char *sam_start_parse(const uint8_t header[SAM_HEADER], struct sam_start *start);
/* Parse the start->total bytes before the first chunk. */
enum sam_status sam_container_parse(const struct sam_start *start, const uint8_t *data,
                                    const struct sam_codec_options *options,
                                    struct sam_container *c, struct sam_error *error);

/* The parsed trailer, without its checksums. */
struct sam_end {
    uint64_t index, chunks;
};
const char *sam_trailer_parse(const uint8_t trailer[SAM_TRAILER], uint64_t packed_size,
                              struct sam_end *end);
/* Returns whether `index` (4 * count bytes and padding) matches the trailer's checksum. */
bool sam_index_check(const uint8_t *index, uint64_t count, const uint8_t trailer[SAM_TRAILER]);
static inline uint64_t sam_index_size(uint64_t chunks)
{
    return (chunks * 4 + SAM_ALIGN - 1) / SAM_ALIGN * SAM_ALIGN;
}

/* Iterates over chunks; initialize to zero. */
struct sam_cursor {
    size_t extent;
    uint64_t chunk; /* of the extent */
};
/* Return the next chunk and its file position; false after the last. */
bool sam_chunk_next_span(const struct sam_container *c, struct sam_cursor *cursor,
                         struct sam_chunk_span *span, uint64_t *offset);

#endif
