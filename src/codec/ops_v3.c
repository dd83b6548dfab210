/* SPDX-License-Identifier: Apache-2.0 */
#define OPS      sam_codec_v3
#define OPS_NAME "avx2"
#define DECODE   sam_huffman_decode_v3
#include "codec/decode_v3.h"
#include "codec/ops_tmpl.h"

bool sam_huffman_decode_v3(const struct sam_huffman_table *table, const uint8_t *in,
                           const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count,
                           const struct sam_warm *warm)
{
    return decode(table, in, sizes, symbols, count, warm);
}
