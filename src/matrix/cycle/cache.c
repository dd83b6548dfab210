/* SPDX-License-Identifier: Apache-2.0 */
/* The L2 behind the bus, by its tags alone: sets of 16 lines of 64 bytes, the least recently used
 * replaced. What streams through does not stay. */
#include <stdlib.h>

#include "matrix/cycle/state.h"

enum { WAYS = 16, KIB_OF_LINES = 16 };

/* A set lies from the most recently used line to the least; 0: nothing, else the line plus one. */
struct sam_mxu_cache {
    unsigned sets;
    uint64_t lines[][WAYS];
};

struct sam_mxu_cache *sam_mxu_cache_new(unsigned kib)
{
    const unsigned sets = kib * KIB_OF_LINES / WAYS;
    struct sam_mxu_cache *cache = calloc(1, sizeof *cache + sets * sizeof cache->lines[0]);
    if (cache)
        cache->sets = sets;
    return cache;
}

bool sam_mxu_cache_access(struct sam_mxu_cache *cache, uint64_t line, bool stream)
{
    uint64_t *set = cache->lines[line % cache->sets];
    unsigned way = 0;
    while (way < WAYS && set[way] != line + 1)
        way++;
    const bool hit = way < WAYS;
    if (stream)
        return hit; /* where it is there already, its age stays */
    memmove(set + 1, set, (hit ? way : WAYS - 1) * sizeof *set);
    set[0] = line + 1;
    return hit;
}
