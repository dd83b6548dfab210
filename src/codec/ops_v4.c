/* SPDX-License-Identifier: Apache-2.0 */
#define OPS      sam_codec_v4
#define OPS_NAME "avx512"
#include "codec/ops_tmpl.h"
