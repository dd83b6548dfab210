/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a block needed for a range of its elements, as read by a decoder with several
 * engines: for models of the weight unit. */
#ifndef SAM_CODEC_SEGMENTS_H
#define SAM_CODEC_SEGMENTS_H

#include "codec/chunk.h"

/* Contiguous bytes, relative to the block. */
struct sam_segment_bytes {
    uint64_t from, size;
    bool codes; /* used from the first byte on, even if elements descend; also for skipped ones */
};

/* Elements decoded in order by one engine: those of a stream from the last to the first, others
 * from the first to the last. */
struct sam_segment {
    size_t first, elements; /* of the range, in the block */
    size_t skipped;         /* elements decoded before them, from the entry point of the stream */
    bool down;              /* from the last to the first */
    unsigned coded_bits;    /* of an element, in coded planes */
    size_t escapes;
    size_t read, reads; /* in the list of bytes */
};

struct sam_segments {
    struct sam_segment *list;
    struct sam_segment_bytes *bytes;
    size_t count, capacity, bytes_count, bytes_capacity;
    uint64_t block;                /* its number in the piece */
    uint32_t size;                 /* of the block */
    struct sam_segment_bytes head; /* the entries of planes, or the table of a window */
    enum sam_chunk_block_mode mode;
};
void sam_segments_free(struct sam_segments *segments);

/* The part of a block before its data: a bound for a block of planes. */
uint32_t sam_chunk_block_head(const struct sam_chunk *chunk, size_t block);

/* The fault of a failed allocation: compared by address. */
extern const char sam_segments_no_memory[];

/* Find the segments of elements [first, first + count) of block `block`, whose bytes are at `data`
 * and which `reader` has just decoded. `engines` is the number of segments that a decoder works on
 * at a time: a range of fewer streams is cut at restart points. Returns NULL, or the fault: wrong
 * restart points of a block that is not decoded as a whole, or sam_segments_no_memory. */
const char *sam_segments_find(const struct sam_chunk_reader *reader, const struct sam_chunk *chunk,
                              size_t block, const uint8_t *data, size_t first, size_t count,
                              unsigned engines, struct sam_segments *out);

#endif
