/* SPDX-License-Identifier: Apache-2.0 */
#define TABLE sam_tile_fold_v4
#include "tile/core/fold_tmpl.h"
