/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks in memory, and a sink that keeps the output. */
#ifndef TEST_CHUNKS_IN_MEMORY_H
#define TEST_CHUNKS_IN_MEMORY_H

#include "codec/chunks.h"
#include "codec/container.h"
#include "codec/roundtrip.h"

/* Bytes in memory as a source; reads past their end fail. */
struct sam_source memory_source(struct packed *bytes);

/* sam_chunks_decode of chunks in memory, without buffers from earlier calls. With `in_place`,
 * chunks need not be read into a buffer, and elements may be written in place. */
enum sam_status decode_chunks(const struct sam_chunks_piece *piece,
                              const struct sam_chunks_range *range, struct packed *chunks,
                              bool in_place, const struct sam_chunks_sink *sink, uint64_t *damaged,
                              struct sam_error *error);

/* The output of a job, and the totals over its steps. */
struct output {
    uint8_t *data;
    size_t size, room;
    uint64_t steps, refuse_at; /* 0: never */
    struct sam_chunk_cost cost;
    uint64_t counted, read;
};
/* A sink with room for `room` bytes, in an allocation of that size, filled with UNWRITTEN. */
enum { UNWRITTEN = 0xc5 };
struct sam_chunks_sink output_sink(struct output *output, size_t room);

/* The chunks of a packed file, copied. Free their data. */
struct packed chunks_of(const struct packed *file);
/* The piece that spans a packed file of one tensor. */
struct sam_chunks_piece piece_of(enum sam_dtype type, size_t size,
                                 const struct sam_codec_options *options);

/* Every option that selects another layout: default, dense, bit planes. */
extern const struct sam_codec_options layouts[3];

#endif
