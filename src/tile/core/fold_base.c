/* SPDX-License-Identifier: Apache-2.0 */
#define TABLE sam_tile_fold_base
#include "tile/core/fold_tmpl.h"
