/* SPDX-License-Identifier: Apache-2.0 */
#define OPS      sam_codec_v3
#define OPS_NAME "avx2"
#include "codec/ops_tmpl.h"
