/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/base.h"

struct sam_block {
    struct sam_block *next;
    max_align_t data[];
};

void *sam_blocks_take(struct sam_blocks *blocks, size_t count, size_t size)
{
    size_t bytes;
    struct sam_block *b = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *b, &bytes))
        b = calloc(1, bytes);
    if (!b)
        return NULL;
    b->next = blocks->first;
    blocks->first = b;
    return b->data;
}

char *sam_blocks_text(struct sam_blocks *blocks, const void *text, size_t size)
{
    char *copy = sam_blocks_take(blocks, size + 1, 1);
    if (copy && size)
        memcpy(copy, text, size);
    return copy;
}

void sam_blocks_free(struct sam_blocks *blocks)
{
    while (blocks->first) {
        struct sam_block *next = blocks->first->next;
        free(blocks->first);
        blocks->first = next;
    }
}
