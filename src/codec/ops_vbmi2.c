/* SPDX-License-Identifier: Apache-2.0 */
/* AVX-512 with VBMI2, which inserts and extracts bytes by a mask. */
#define OPS      sam_codec_vbmi2
#define OPS_NAME "avx512"
#define DECODE   sam_huffman_decode_v3
#define NO_DECODE
#include "codec/decode_v3.h"
#include "codec/ops_tmpl.h"
