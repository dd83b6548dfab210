/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum and maximum: reference definition, and choice of the vector loops for this host.
 */
#include "tile/core/fold.h"

#include <stdatomic.h>

#include "tile/core/core.h"

const struct sam_tile_fold_table *sam_tile_fold_level(enum sam_cpu_level level)
{
    if (level > sam_cpu_level())
        return NULL;
    switch (level) {
#if defined(__x86_64__)
    case SAM_CPU_V4: return &sam_tile_fold_v4;
    case SAM_CPU_V3: return &sam_tile_fold_v3;
#endif
    default: return &sam_tile_fold_base;
    }
}

/* The host's highest level, determined once. The race is benign: all threads compute the same. */
static const struct sam_tile_fold_table *best_table(void)
{
    static const struct sam_tile_fold_table *_Atomic best;
    const struct sam_tile_fold_table *table = atomic_load_explicit(&best, memory_order_relaxed);
    if (table)
        return table;
    table = sam_tile_fold_level(sam_cpu_level());
    atomic_store_explicit(&best, table, memory_order_relaxed);
    return table;
}

/* Scalar fallback. */
static void fold_plain(enum sam_dtype dtype, bool max, enum sam_tile_nan nan, void *to,
                       const void *from, size_t rows, size_t cols, size_t pitch)
{
    size_t size = sam_tile_size(dtype);
    for (size_t j = 0; j < cols; j++) {
        const uint8_t *at = (const uint8_t *)from + j * size;
        uint64_t best = sam_tile_bits_at(at, size);
        for (size_t i = 1; i < rows; i++)
            best = sam_tile_fold_pair(dtype, max, nan, best,
                                      sam_tile_bits_at(at + i * pitch * size, size));
        memcpy((uint8_t *)to + j * size, &best, size);
    }
}

void sam_tile_fold_columns(enum sam_dtype dtype, bool max, enum sam_tile_nan nan, bool plain,
                           void *to, const void *from, size_t rows, size_t cols, size_t pitch)
{
    if (!sam_tile_has_dtype(dtype) || (unsigned)nan > SAM_TILE_NAN_FIRST || rows == 0)
        return;
    if (rows == 1) {
        memcpy(to, from, cols * sam_tile_size(dtype)); /* unchanged, NaN included */
        return;
    }
    sam_tile_fold *fold = best_table()->fold[dtype][max][nan];
    if (plain || !fold)
        fold_plain(dtype, max, nan, to, from, rows, cols, pitch);
    else
        fold(to, from, rows, cols, pitch);
}
