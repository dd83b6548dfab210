/* SPDX-License-Identifier: Apache-2.0 */
#define MULTIPLY sam_tile_multiply_v3
#include "tile/core/multiply_tmpl.h"
