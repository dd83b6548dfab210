/* SPDX-License-Identifier: Apache-2.0 */
#include "memtime/memtime.h"

#include <stdlib.h>

bool sam_memtime_misses_init(struct sam_memtime_misses *misses, uint32_t limit, uint32_t merges)
{
    *misses = (struct sam_memtime_misses){.limit = limit, .merges = merges, .first = UINT64_MAX};
    misses->of = calloc(limit, sizeof *misses->of);
    return misses->of != NULL;
}

void sam_memtime_misses_free(struct sam_memtime_misses *misses)
{
    free(misses->of);
    misses->of = NULL;
}

static void find_first(struct sam_memtime_misses *misses)
{
    uint64_t first = UINT64_MAX, low = 0;
    for (uint32_t i = 0; i < misses->count; i++) {
        first = misses->of[i].ready < first ? misses->of[i].ready : first;
        low |= UINT64_C(1) << misses->of[i].line % 64;
    }
    misses->first = first;
    misses->low = low;
}

void sam_memtime_misses_retire_due(struct sam_memtime_misses *misses, uint64_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < misses->count; i++)
        if (misses->of[i].ready > now)
            misses->of[kept++] = misses->of[i];
    misses->count = kept;
    find_first(misses);
}

bool sam_memtime_misses_take_due(struct sam_memtime_misses *misses, uint64_t *line)
{
    uint32_t first = 0;
    if (misses->count == 0)
        return false;
    while (misses->of[first].ready != misses->first)
        first++;
    *line = misses->of[first].line;
    misses->of[first] = misses->of[--misses->count];
    find_first(misses);
    return true;
}

void sam_memtime_misses_add(struct sam_memtime_misses *misses, uint64_t line, uint64_t ready)
{
    misses->of[misses->count++] = (struct sam_memtime_miss){line, ready, 1};
    misses->first = ready < misses->first ? ready : misses->first;
    misses->low |= UINT64_C(1) << line % 64;
}
