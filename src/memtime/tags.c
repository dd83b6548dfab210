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
