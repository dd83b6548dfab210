/* SPDX-License-Identifier: Apache-2.0 */
/* An arena for shadow state, in huge pages where the host has them: shadow state is several times
 * larger than what it describes, and page faults would dominate. */
#include <stdlib.h>
#include <sys/mman.h>

#include "sanitize/sanitize.h"

enum { CHUNK = 2 << 20 };

void *sam_sanitize_arena_take(struct sanitize_arena *arena, size_t size)
{
    if (arena->left < size) {
        void *grown =
            sam_grow(arena->chunks, arena->count, &arena->capacity, sizeof *arena->chunks);
        if (!grown)
            return NULL;
        arena->chunks = grown;
        void *memory = sam_pages_new(2 * (size_t)CHUNK);
        if (!memory)
            return NULL;
        arena->chunks[arena->count++].memory = memory;
        arena->next = (uint8_t *)(((uintptr_t)memory + CHUNK - 1) & ~(uintptr_t)(CHUNK - 1));
        arena->left = CHUNK;
#ifdef MADV_HUGEPAGE
        madvise(arena->next, CHUNK, MADV_HUGEPAGE);
#endif
    }
    void *taken = arena->next;
    arena->next += size;
    arena->left -= size;
    return taken;
}

void sam_sanitize_arena_free(struct sanitize_arena *arena)
{
    for (size_t i = 0; i < arena->count; i++)
        sam_pages_free(arena->chunks[i].memory, 2 * (size_t)CHUNK);
    free(arena->chunks);
    *arena = (struct sanitize_arena){0};
}
