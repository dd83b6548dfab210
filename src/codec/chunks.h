/* SPDX-License-Identifier: Apache-2.0 */
/* The chunks of one piece without the file around them, for a weight unit, which gets from its
 * program what the file's list would say. Each function goes through them step by step and tells
 * its caller what every step reads, does and writes. */
#ifndef SAM_CODEC_CHUNKS_H
#define SAM_CODEC_CHUNKS_H

#include "codec/chunk.h"

/* docs/format-codec.md, "List of pieces". */
struct sam_chunks_piece {
    enum sam_dtype type;
    unsigned layout;
    uint32_t number;
    uint64_t count; /* elements; of layout SAM_LAYOUT_SHARED, bytes of the run of pieces */
};

/* The header of a chunk or one of its blocks. Offsets are from the start of the source and of the
 * output. */
struct sam_chunks_step {
    uint64_t from, from_size;
    uint64_t to, to_size;
    struct sam_chunk_cost cost;
    uint64_t counted;    /* symbols counted to find a code */
    const uint8_t *data; /* the to_size bytes of output */
    bool placed;         /* they are where the sink's `place` says */
};

/* Takes the steps. False ends the work with SAM_ERR_IO. */
struct sam_chunks_sink {
    bool (*take)(void *context, const struct sam_chunks_step *step);
    void *context;
    uint64_t room; /* bytes of output */
    /* May be NULL. Where `size` bytes of decoded output, from offset `to` on, will be; NULL:
     * nowhere yet. They are prefetched and, when they are known to be good, may be put there. */
    uint8_t *(*place)(void *context, uint64_t to, size_t size);
};

/* What is wrong with the description of a piece; NULL: nothing. `size` receives its bytes. */
const char *sam_chunks_fault(const struct sam_chunks_piece *piece, uint64_t *size);

/* Elements first .. first + count - 1 of a piece, as elements of type `to`: its own type or one for
 * which sam_dtype_widens. Of layout SAM_LAYOUT_SHARED `first` counts bytes. */
struct sam_chunks_range {
    enum sam_dtype to;
    uint64_t first, count;
};
/* What is wrong with a range of `piece`, whose description is right; NULL: nothing. `size` receives
 * the bytes of its elements in type `to`. */
const char *sam_chunks_range_fault(const struct sam_chunks_piece *piece,
                                   const struct sam_chunks_range *range, uint64_t *size);

/* Chunks to decode. */
struct sam_chunks_source {
    struct sam_source bytes;
    /* May be NULL. `size` bytes from `offset` on in place, so that they need not be copied; *run,
     * which bytes the caller could use, becomes how many follow each other there. NULL: they must
     * be read. */
    const uint8_t *(*look)(void *context, uint64_t offset, size_t size, size_t *run);
};

/* What decoding needs, kept from call to call; zero at first. */
struct sam_chunks_room {
    struct sam_chunk_reader reader;
    struct sam_chunks_buffer {
        uint8_t *data;
        size_t size;
    } header, packed, block, wide;
};
void sam_chunks_room_free(struct sam_chunks_room *room);

/* Decode a range of a piece whose chunks, from the first, are `source`, at least up to the last one
 * of the range. Only bytes whose checksum matches are given out, in order. SAM_ERR_INPUT: a block
 * is damaged or missing, *damaged says which. SAM_ERR_USAGE: a fault, as above; SAM_ERR_IO: the
 * source or the sink failed, or the output has no room for the range. */
enum sam_status sam_chunks_decode(const struct sam_chunks_piece *piece,
                                  const struct sam_chunks_range *range,
                                  const struct sam_chunks_source *source,
                                  const struct sam_chunks_sink *sink, struct sam_chunks_room *room,
                                  uint64_t *damaged, struct sam_error *error);

/* Make the chunks of a piece whose elements are `source`: those of sam_pack if `counter` is NULL,
 * else with codes built from these counters. SAM_ERR_IO as above; only whole chunks are given out.
 */
enum sam_status sam_chunks_encode(const struct sam_chunks_piece *piece, struct sam_source source,
                                  const struct sam_counter *counter,
                                  const struct sam_chunks_sink *sink, struct sam_error *error);

/* Count the symbols of plane 0 of a piece whose elements are `source`. The steps have no output. */
enum sam_status sam_chunks_count(const struct sam_chunks_piece *piece, struct sam_source source,
                                 const struct sam_chunks_sink *sink, uint64_t counts[256],
                                 struct sam_error *error);

/* Where a tensor of a packed file is: its piece, its first element there (of layout
 * SAM_LAYOUT_SHARED its first byte), and the offset and size of the chunks of the piece. All zero,
 * but for type and layout, when it is empty. */
struct sam_chunks_place {
    struct sam_chunks_piece piece;
    uint64_t first;
    uint64_t offset, size;
};
struct sam_chunks_place sam_chunks_find(const struct sam_packed *packed, size_t tensor);

#endif
