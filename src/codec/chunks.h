/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of one piece without a file around them, for a weight unit whose program supplies the
 * description from the file's list. Each function runs in steps and reports to its caller what
 * every step reads, computes and writes. */
#ifndef SAM_CODEC_CHUNKS_H
#define SAM_CODEC_CHUNKS_H

#include "codec/segments.h"

/* docs/format-codec.md, "List of pieces". */
struct sam_chunks_piece {
    enum sam_dtype type;
    unsigned layout;
    uint32_t number;
    uint64_t count; /* elements; for layout SAM_LAYOUT_SHARED, bytes of the run of pieces */
};

/* A step: a chunk header or one of its blocks. Offsets are relative to the source and to the
 * output. */
struct sam_chunks_step {
    uint64_t from, from_size;
    uint64_t to, to_size;
    uint64_t id; /* of a header to decode: of its bytes */
    struct sam_chunk_cost cost;
    uint64_t counted; /* symbols counted to find a code */
    /* Of a block to decode, if the sink has engines. Their bytes are relative to `from`, as are
     * those of the next block's head: none unless the range includes the last element. */
    const struct sam_segments *segments;
    struct sam_segment_bytes next_head;
    const uint8_t *data; /* to_size bytes of output */
    bool placed;         /* already at the location given by the sink's `place` */
};

/* Callback for steps. Returning false aborts with SAM_ERR_IO. */
struct sam_chunks_sink {
    bool (*take)(void *context, const struct sam_chunks_step *step);
    void *context;
    uint64_t room; /* capacity of the output in bytes */
    /* Optional. Returns the final location of `size` decoded bytes at offset `to`, or NULL if there
     * is none yet. The location is prefetched; verified output may be placed there. */
    uint8_t *(*place)(void *context, uint64_t to, size_t size);
    unsigned engines; /* of a decoder: steps have segments. 0: none */
};

/* Returns NULL, or the fault in the description of a piece. `size` receives its bytes. */
const char *sam_chunks_fault(const struct sam_chunks_piece *piece, uint64_t *size);

/* Elements first .. first + count - 1 of a piece, as dtype `to`: its own dtype, or one that
 * sam_dtype_widens allows. For layout SAM_LAYOUT_SHARED, `first` counts bytes. */
struct sam_chunks_range {
    enum sam_dtype to;
    uint64_t first, count;
};
/* Returns NULL, or the fault in a range of a valid piece. `size` receives the bytes of its elements
 * in dtype `to`. */
const char *sam_chunks_range_fault(const struct sam_chunks_piece *piece,
                                   const struct sam_chunks_range *range, uint64_t *size);

/* Chunks to decode. */
struct sam_chunks_source {
    struct sam_source bytes;
    /* Optional. Returns `size` bytes at `offset` in place, to avoid a copy, or NULL if they must be
     * read. *run: in, the bytes the caller could use; out, the contiguous bytes available. */
    const uint8_t *(*look)(void *context, uint64_t offset, size_t size, size_t *run);
};

/* Buffers for decoding, reused between calls; initially zero. */
struct sam_chunks_room {
    struct sam_chunk_reader reader;
    struct sam_chunks_buffer {
        uint8_t *data;
        size_t size;
    } header, packed, block, wide;
    struct sam_segments segments;
};
void sam_chunks_room_free(struct sam_chunks_room *room);

/* Decode a range of a piece. `source` has its chunks from the first at least to the last of the
 * range. Only verified bytes are emitted, in order. SAM_ERR_INPUT: a block is damaged or missing,
 * named in *damaged. SAM_ERR_USAGE: an invalid piece or range. SAM_ERR_IO: the source or sink
 * failed, or the output is too small. */
enum sam_status sam_chunks_decode(const struct sam_chunks_piece *piece,
                                  const struct sam_chunks_range *range,
                                  const struct sam_chunks_source *source,
                                  const struct sam_chunks_sink *sink, struct sam_chunks_room *room,
                                  uint64_t *damaged, struct sam_error *error);

/* Make the chunks of a piece with elements `source`, as sam_pack does if `counter` is NULL,
 * otherwise with codes from these counters. SAM_ERR_IO as for decoding. Only whole chunks are
 * emitted. */
enum sam_status sam_chunks_encode(const struct sam_chunks_piece *piece, struct sam_source source,
                                  const struct sam_counter *counter,
                                  const struct sam_chunks_sink *sink, struct sam_error *error);

/* Count the symbols of plane 0 of a piece with elements `source`. Its steps have no output. */
enum sam_status sam_chunks_count(const struct sam_chunks_piece *piece, struct sam_source source,
                                 const struct sam_chunks_sink *sink, uint64_t counts[256],
                                 struct sam_error *error);

/* Location of a tensor in a packed file: its piece, its first element there (for layout
 * SAM_LAYOUT_SHARED, its first byte), and the offset and size of the piece's chunks. For an empty
 * tensor all fields are zero except type and layout. */
struct sam_chunks_place {
    struct sam_chunks_piece piece;
    uint64_t first;
    uint64_t offset, size;
};
struct sam_chunks_place sam_chunks_find(const struct sam_packed *packed, size_t tensor);

#endif
