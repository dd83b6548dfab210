/* SPDX-License-Identifier: Apache-2.0 */
/* The tags of the L2 on the bus: sets of 16 lines of 64 bytes with LRU replacement. Streaming
 * accesses do not allocate. */
#include <stdlib.h>

#include "matrix/cycle/state.h"

enum { WAYS = 16, KIB_OF_LINES = 16 };

/* A set holds line numbers plus one, from the most to the least recently used; 0: empty. */
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
        return hit; /* the age of the line stays */
    memmove(set + 1, set, (hit ? way : WAYS - 1) * sizeof *set);
    set[0] = line + 1;
    return hit;
}
