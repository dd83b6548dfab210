/* SPDX-License-Identifier: Apache-2.0 */
#define OPS      sam_codec_base
#define OPS_NAME "portable"
#define DECODE   decode
#include "codec/ops_tmpl.h"
