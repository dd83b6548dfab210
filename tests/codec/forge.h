/* SPDX-License-Identifier: Apache-2.0 */
/* Forged packed files, with valid checksums. */
#ifndef TEST_FORGE_H
#define TEST_FORGE_H

#include "codec/container.h"

/* A file of these pieces, each with the layout "bytes" and no chunks. */
static inline struct sam_buffer forge_packed(struct sam_weight *pieces, size_t count,
                                             uint64_t file_size)
{
    struct sam_buffer out = {0}, none = {0};
    uint8_t *layouts = calloc(count, 1);
    struct sam_container c = {
        .weights = {.file_size = file_size, .tensors = pieces, .count = count}, .layouts = layouts};
    if (layouts)
        sam_container_start(&c, (const uint8_t *)"", &out);
    sam_container_end(&none, out.size, &out);
    out.failed |= !layouts;
    free(layouts);
    return out;
}

#endif
