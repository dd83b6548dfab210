/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a packed file, made by separate processes (docs/format-codec.md, Parts). */
#ifndef SAM_CODEC_PART_H
#define SAM_CODEC_PART_H

#include "codec/container.h"

enum { SAM_PART_HEADER = 64, SAM_MAX_PARTS = 65536 };

/* A part: a range of chunks, and the file bytes they hold. */
struct sam_part {
    uint32_t index, count; /* from 0 */
    uint64_t first_chunk;
    uint64_t first, end; /* bytes of the file after the verbatim header */
    struct sam_cursor cursor;
};
/* Part `index` of `count`. A chunk belongs to the part whose equal share of the bytes contains its
 * first byte. */
struct sam_part sam_part_of(const struct sam_container *c, uint32_t index, uint32_t count);

/* Append the header of a part with `chunks` chunks. `start_size` is the size of a packed file
 * before its chunks. */
void sam_part_begin(const struct sam_part *part, uint64_t chunks, uint64_t start_size,
                    struct sam_buffer *out);
/* Extend the checksum over chunks by one chunk. */
uint64_t sam_part_hash(uint64_t hash, const void *chunk, size_t size);
/* Append index and trailer. */
void sam_part_end(const struct sam_buffer *sizes, uint64_t start_size, uint64_t hash,
                  struct sam_buffer *out);
/* Number of chunks in the part. */
uint64_t sam_part_chunks(const struct sam_container *c, const struct sam_part *part);

#endif
