/* SPDX-License-Identifier: Apache-2.0 */
/* Wider vectors do not speed up decoding: the AVX-512 level uses the AVX2 loop, for which compilers
 * also generate better code. */
#ifndef SAM_CODEC_DECODE_V3_H
#define SAM_CODEC_DECODE_V3_H

#include "codec/codec.h"

bool sam_huffman_decode_v3(const struct sam_huffman_table *table, const uint8_t *in,
                           const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count,
                           const struct sam_warm *warm);

#endif
