/* SPDX-License-Identifier: Apache-2.0 */
/* A .metadata file and, behind the first NUL byte, the .data file that goes with it. */
#include <stdlib.h>
#include <string.h>

#include "samite/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_metadata(const struct sam_metadata *m)
{
    check(m->lanes >= 4 && m->lanes <= 32 && m->warps >= 1 && m->warps <= 1024);
    check(m->start >> 32 == 0 && m->metadata_base >> 32 == 0 && m->pds_base >> 32 == 0);
    for (size_t i = 0; i < m->buffer_count; i++) {
        const struct sam_metadata_buffer *a = &m->buffers[i];
        check(a->size <= a->allocated && a->base + a->allocated <= UINT64_C(1) << 32);
        for (size_t j = 0; j < i && i < 64; j++) {
            const struct sam_metadata_buffer *b = &m->buffers[j];
            check(!a->allocated || !b->allocated || a->base + a->allocated <= b->base ||
                  b->base + b->allocated <= a->base);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t first = nul ? (size_t)(nul - data) : size;
    struct sam_metadata m;
    struct sam_error error = {0};
    /* Copies of the exact size, so that a read past the end is seen. */
    char *text = malloc(first + 1), *rest = malloc(size - first + 1);
    check(text && rest);
    text = realloc(text, first ? first : 1);
    memcpy(text, data, first);
    size_t rest_size = nul ? size - first - 1 : 0;
    if (rest_size)
        memcpy(rest, nul + 1, rest_size);
    rest = realloc(rest, rest_size ? rest_size : 1);
    enum sam_status status = sam_metadata_parse(text, first, "fuzz", &m, &error);
    if (status == SAM_OK) {
        uint32_t *words;
        size_t count;
        check_metadata(&m);
        status = sam_data_parse(rest, rest_size, "data", &m, &words, &count, &error);
        if (status == SAM_OK) {
            uint64_t promised = 0;
            for (size_t i = 0; i < m.buffer_count; i++)
                promised += (m.buffers[i].size + 3) / 4;
            check(count == promised);
            free(words);
        } else {
            check(status == SAM_ERR_INPUT && error.text[0]);
        }
        sam_metadata_free(&m);
    } else {
        check(status == SAM_ERR_INPUT && error.text[0] && m.buffers == NULL);
    }
    free(text);
    free(rest);
    return 0;
}
