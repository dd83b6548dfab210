/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/hazard.h"

#include <stdlib.h>

void sam_tile_hazard_begin(struct sam_tile_hazards *h, enum sam_tile_pipe pipe)
{
    h->begun[pipe]++;
}

const struct sam_tile_access *sam_tile_hazard_touch(struct sam_tile_hazards *h,
                                                    struct sam_tile_access access, bool *memory)
{
    const struct sam_tile_access *found = NULL;
    size_t kept = 0, same = SIZE_MAX;
    access.time = h->begun[access.pipe];
    for (size_t i = 0; i < h->count; i++) {
        struct sam_tile_access *a = &h->accesses[i];
        /* What everybody knows to be done cannot conflict again. */
        if (a->time <= h->seen[a->pipe])
            continue;
        h->accesses[kept] = *a;
        a = &h->accesses[kept++];
        if (a->loc != access.loc || a->low >= access.high || access.low >= a->high)
            continue;
        if (a->pipe != access.pipe && (a->write || access.write) && !found)
            found = a;
        if (a->pipe == access.pipe && a->write == access.write && a->low == access.low &&
            a->high == access.high)
            same = kept - 1;
    }
    h->count = kept;
    if (found)
        return found;
    if (same != SIZE_MAX) {
        h->accesses[same] = access;
        return NULL;
    }
    void *grown = sam_grow(h->accesses, h->count, &h->capacity, sizeof *h->accesses);
    if (!grown) {
        *memory = true;
        return NULL;
    }
    h->accesses = grown;
    h->accesses[h->count++] = access;
    return NULL;
}

uint64_t sam_tile_hazard_record(const struct sam_tile_hazards *h, enum sam_tile_pipe pipe)
{
    return h->begun[pipe];
}

void sam_tile_hazard_wait(struct sam_tile_hazards *h, enum sam_tile_pipe pipe, uint64_t event)
{
    if (event > h->seen[pipe])
        h->seen[pipe] = event;
}

void sam_tile_hazard_barrier(struct sam_tile_hazards *h)
{
    memcpy(h->seen, h->begun, sizeof h->seen);
}

void sam_tile_hazard_free(struct sam_tile_hazards *h)
{
    free(h->accesses);
    *h = (struct sam_tile_hazards){0};
}
