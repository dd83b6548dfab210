/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding has no use for wider vectors: with AVX-512 the loop of AVX2 runs, which compilers also
 * lay out better. */
#ifndef SAM_CODEC_DECODE_V3_H
#define SAM_CODEC_DECODE_V3_H

#include "codec/codec.h"

bool sam_decode_v3(const struct sam_decode_table *table, const uint8_t *in,
                   const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count,
                   const struct sam_warm *warm);

#endif
