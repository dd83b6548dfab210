/* SPDX-License-Identifier: Apache-2.0 */
#include "memtime/memtime.h"

#include <stdlib.h>

bool sam_memtime_misses_init(struct sam_memtime_misses *misses, uint32_t limit, uint32_t merges)
{
    *misses = (struct sam_memtime_misses){.limit = limit, .merges = merges};
    misses->of = calloc(limit, sizeof *misses->of);
    return misses->of != NULL;
}

void sam_memtime_misses_free(struct sam_memtime_misses *misses)
{
    free(misses->of);
    misses->of = NULL;
}

void sam_memtime_misses_retire(struct sam_memtime_misses *misses, uint64_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < misses->count; i++)
        if (misses->of[i].ready > now)
            misses->of[kept++] = misses->of[i];
    misses->count = kept;
}

bool sam_memtime_misses_take(struct sam_memtime_misses *misses, uint64_t now, uint64_t *line)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < misses->count; i++)
        if (misses->of[i].ready < misses->of[first].ready)
            first = i;
    if (misses->count == 0 || misses->of[first].ready > now)
        return false;
    *line = misses->of[first].line;
    misses->of[first] = misses->of[--misses->count];
    return true;
}

struct sam_memtime_miss *sam_memtime_misses_find(const struct sam_memtime_misses *misses,
                                                 uint64_t line)
{
    for (uint32_t i = 0; i < misses->count; i++)
        if (misses->of[i].line == line)
            return &misses->of[i];
    return NULL;
}

uint64_t sam_memtime_misses_first(const struct sam_memtime_misses *misses)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < misses->count; i++)
        first = misses->of[i].ready < first ? misses->of[i].ready : first;
    return first;
}

void sam_memtime_misses_add(struct sam_memtime_misses *misses, uint64_t line, uint64_t ready)
{
    misses->of[misses->count++] = (struct sam_memtime_miss){line, ready, 1};
}
