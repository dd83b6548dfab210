/* SPDX-License-Identifier: Apache-2.0 */
/* The reference for the weight codec: planes split with AVX2, the exponent through huff0 (libzstd's
 * Huffman coder) in blocks of 128 KiB with a table each, the rest uncompressed. No checksums. */
#ifndef CODEC_REFERENCE_H
#define CODEC_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum reference_kind { REFERENCE_BF16, REFERENCE_F16_HIGH, REFERENCE_BYTES };

struct reference; /* buffers of one thread */
struct reference *reference_open(void);
void reference_close(struct reference *reference);
size_t reference_bound(size_t size);
/* Returns the bytes written, or 0 on failure. */
size_t reference_encode(struct reference *r, enum reference_kind kind, const uint8_t *elements,
                        size_t size, uint8_t *out);
/* Returns 0 on failure. */
size_t reference_decode(struct reference *r, enum reference_kind kind, const uint8_t *in,
                        size_t in_size, uint8_t *elements, size_t size);
/* Only the coded plane, block by block into the same buffer. */
size_t reference_decode_plane(struct reference *r, enum reference_kind kind, const uint8_t *in,
                              size_t in_size, size_t size);

#endif
