/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that lives as long as the assembler. */
#include <stdlib.h>

#include "asm/asm.h"

enum { BLOCK_SIZE = 64 << 10 };

struct asm_block {
    struct asm_block *next;
    size_t used, size;
    max_align_t data[];
};

void *sam_asm_new(struct assembler *as, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 4 / size) {
        sam_asm_out_of_memory(as);
        return NULL;
    }
    size_t bytes = (count * size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    struct asm_block *block = as->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t room = bytes > BLOCK_SIZE ? bytes : BLOCK_SIZE;
        as->memory += room;
        if (as->memory > as->max_memory) {
            sam_asm_fatal(as, sam_asm_statement_at(as),
                          "the program expands to more than %zu MiB of memory",
                          as->max_memory >> 20);
            return NULL;
        }
        block = calloc(1, sizeof *block + room);
        if (!block) {
            sam_asm_out_of_memory(as);
            return NULL;
        }
        block->size = room;
        block->next = as->blocks;
        as->blocks = block;
    }
    void *at = (char *)block->data + block->used;
    block->used += bytes;
    return at;
}

char *sam_asm_copy(struct assembler *as, const char *text, size_t size)
{
    char *copy = sam_asm_new(as, size + 1, 1);
    if (copy && size)
        memcpy(copy, text, size);
    return copy;
}

struct asm_place *sam_asm_new_place(struct assembler *as)
{
    struct asm_place *place = sam_asm_new(as, 1, sizeof *place);
    if (place)
        place->serial = ++as->serial;
    return place;
}

void sam_asm_free_blocks(struct assembler *as)
{
    while (as->blocks) {
        struct asm_block *next = as->blocks->next;
        free(as->blocks);
        as->blocks = next;
    }
}
