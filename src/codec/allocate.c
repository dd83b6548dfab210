/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the codec: the caller's allocator, or malloc. */
#include <stdlib.h>

#include "codec/chunk.h"

void *sam_codec_alloc(const struct sam_allocator *allocator, size_t size)
{
    if (size > SIZE_MAX - SAM_ALIGN)
        return NULL;
    size = (size + SAM_ALIGN) / SAM_ALIGN * SAM_ALIGN; /* never 0 */
    return allocator ? allocator->allocate(allocator->context, size)
                     : aligned_alloc(SAM_ALIGN, size);
}

void sam_codec_free(const struct sam_allocator *allocator, void *memory)
{
    if (memory && allocator)
        allocator->release(allocator->context, memory);
    else
        free(memory);
}
