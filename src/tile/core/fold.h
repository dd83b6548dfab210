/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum and maximum loops for one instruction level of the host. */
#ifndef SAM_TILE_FOLD_H
#define SAM_TILE_FOLD_H

#include "base/cpu.h"
#include "tile/tile.h"

/* rows > 1 */
typedef void sam_tile_fold(void *to, const void *from, size_t rows, size_t cols, size_t pitch);

struct sam_tile_fold_table {
    sam_tile_fold *fold[SAM_DTYPES][2][3]; /* dtype, maximum, NaN mode; NULL: no loop */
};

extern const struct sam_tile_fold_table sam_tile_fold_base, sam_tile_fold_v3, sam_tile_fold_v4;

/* Returns the loops of a level, or NULL if this host cannot run them. */
const struct sam_tile_fold_table *sam_tile_fold_level(enum sam_cpu_level level);

#endif
