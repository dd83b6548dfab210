/* SPDX-License-Identifier: Apache-2.0 */
/* NEON, which every arm64 processor has: the plain loops are compiled for it too, for comparison.
 */
#define OPS      sam_codec_neon
#define OPS_NAME "neon"
#define DECODE   decode
#define WITH_NEON
#include "codec/ops_tmpl.h"
