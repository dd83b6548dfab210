/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a packed file that several processes make (docs/format-codec.md, Parts). */
#ifndef SAM_CODEC_PART_H
#define SAM_CODEC_PART_H

#include "codec/container.h"

enum { SAM_PART_HEADER = 64, SAM_MAX_PARTS = 65536 };

/* What a part is made of: chunks, and the bytes of the file that they hold. */
struct sam_part {
    uint32_t index, count; /* from 0 */
    uint64_t first_chunk;
    uint64_t first, end; /* bytes of the file after the verbatim header */
    struct sam_cursor cursor;
};
/* Part `index` of `count`: each chunk belongs to the part in whose equal share of the bytes its
 * first one is. */
struct sam_part sam_part_of(const struct sam_container *c, uint32_t index, uint32_t count);

/* Append the header of a part of `chunks` chunks whose start (what precedes the chunks of a packed
 * file) has `start_size` bytes. */
void sam_part_begin(const struct sam_part *part, uint64_t chunks, uint64_t start_size,
                    struct sam_buffer *out);
/* The checksum over chunks, extended by one more. */
uint64_t sam_part_hash(uint64_t hash, const void *chunk, size_t size);
/* Append index and trailer. */
void sam_part_end(const struct sam_buffer *sizes, uint64_t start_size, uint64_t hash,
                  struct sam_buffer *out);
/* How many chunks the part has. */
uint64_t sam_part_chunks(const struct sam_container *c, const struct sam_part *part);

#endif
