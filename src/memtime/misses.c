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
