/* SPDX-License-Identifier: Apache-2.0 */
#include "memtime/memtime.h"

#include <stdlib.h>

bool sam_memtime_tags_init(struct sam_memtime_tags *tags, uint32_t sets, uint32_t ways)
{
    *tags = (struct sam_memtime_tags){.sets = sets, .ways = ways};
    tags->tags = calloc((size_t)sets * ways, sizeof *tags->tags);
    return tags->tags != NULL;
}

void sam_memtime_tags_free(struct sam_memtime_tags *tags)
{
    free(tags->tags);
    tags->tags = NULL;
}

struct sam_memtime_tag *sam_memtime_tags_fill(struct sam_memtime_tags *tags, uint64_t line,
                                              struct sam_memtime_tag *victim)
{
    struct sam_memtime_tag *set = tags->tags + (line & (tags->sets - 1)) * tags->ways;
    struct sam_memtime_tag *oldest = set;
    uint64_t used = set->used;
    for (uint32_t i = 1; i < tags->ways; i++) {
        oldest = set[i].used < used ? &set[i] : oldest;
        used = set[i].used < used ? set[i].used : used;
    }
    *victim = *oldest;
    *oldest = (struct sam_memtime_tag){.line = line + 1, .used = ++tags->uses};
    return oldest;
}
