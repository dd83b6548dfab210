/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a launch's metadata buffer: the kernel's entry, the print buffer and the work-item counts.
 * Ventus 2.2; docs/ventus-rulings.md 4.6, 4.9. */
#include "simt/simt.h"

enum { GLOBAL_SIZE = 12, LOCAL_SIZE = 24, PRINT = 48, READ = 56 };

static void find_print(struct sam_run *run, const uint8_t *metadata)
{
    const uint32_t base = sam_le32(metadata + PRINT), size = sam_le32(metadata + PRINT + 4);
    const struct sam_region *region = sam_memory_find(run->gpu->memory, base);
    if (base && region && region->size - (base - region->base) >= size) {
        run->print_base = base;
        run->print_size = size;
    }
}

/* If the metadata sizes disagree with the grid, assume every lane has a work-item. */
static void find_items(struct sam_run *run, const uint8_t *metadata)
{
    const struct sam_launch *launch = run->launch;
    uint64_t items = 1;
    bool whole = true;
    for (int i = 0; i < 3; i++) {
        const uint32_t global = sam_le32(metadata + GLOBAL_SIZE + 4 * i);
        const uint32_t local = sam_le32(metadata + LOCAL_SIZE + 4 * i);
        if (!global || !local || local > SAM_MAX_WARPS * SAM_MAX_LANES ||
            (global - 1) / local + 1 != launch->grid[i])
            return;
        items *= local;
        whole &= global % local == 0;
        run->global[i] = global;
        run->local[i] = local;
    }
    if ((items + launch->lanes - 1) / launch->lanes != launch->warps)
        return;
    run->items = (uint32_t)items;
    run->partial = !whole;
}

void sam_run_read_metadata(struct sam_run *run)
{
    struct sam_memory *memory = run->gpu->memory;
    const uint32_t at = run->launch->metadata;
    uint8_t metadata[READ];
    const struct sam_region *region = sam_memory_find(memory, at);
    if (!region || region->base + region->size - at < READ)
        return;
    sam_memory_read(memory, at, metadata, sizeof metadata);
    run->entry = sam_le32(metadata);
    find_print(run, metadata);
    find_items(run, metadata);
}

/* Whether the workgroup extends past the global size. */
static bool is_cut(const struct sam_run *run, const uint32_t group[3])
{
    for (int i = 0; run->partial && i < 3; i++)
        if ((uint64_t)(group[i] + UINT64_C(1)) * run->local[i] > run->global[i])
            return true;
    return false;
}

uint32_t sam_run_started(const struct sam_run *run, const struct sam_warp *warp)
{
    const uint32_t *local = run->local;
    uint32_t started = 0;
    if (!is_cut(run, warp->group))
        return warp->all;
    for (uint32_t lane = 0; lane < warp->lanes; lane++) {
        const uint64_t item = (uint64_t)warp->tid + lane;
        const uint64_t at[3] = {item % local[0], item / local[0] % local[1],
                                item / local[0] / local[1]};
        bool exists = at[2] < local[2];
        for (int i = 0; i < 3; i++)
            exists &= (uint64_t)warp->group[i] * local[i] + at[i] < run->global[i];
        started |= (uint32_t)exists << lane;
    }
    return started;
}
