/* SPDX-License-Identifier: Apache-2.0 */
/* A .metadata file and, after the first NUL byte, its .data file. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "samite/format.h"

static void check_metadata(const struct sam_metadata *m)
{
    FUZZ_CHECK(m->lanes >= 4 && m->lanes <= 32 && m->warps >= 1 && m->warps <= 1024);
    FUZZ_CHECK(m->start >> 32 == 0 && m->metadata_base >> 32 == 0 && m->pds_base >> 32 == 0);
    for (size_t i = 0; i < m->buffer_count; i++) {
        const struct sam_metadata_buffer *a = &m->buffers[i];
        FUZZ_CHECK(a->size <= a->allocated && a->base + a->allocated <= UINT64_C(1) << 32);
        for (size_t j = 0; j < i && i < 64; j++) {
            const struct sam_metadata_buffer *b = &m->buffers[j];
            FUZZ_CHECK(!a->allocated || !b->allocated || a->base + a->allocated <= b->base ||
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
    /* Copies of the exact size, so that a read past the end is detected. */
    size_t rest_size = nul ? size - first - 1 : 0;
    char *text = malloc(first ? first : 1), *rest = malloc(rest_size ? rest_size : 1);
    FUZZ_CHECK(text && rest);
    if (first)
        memcpy(text, data, first);
    if (rest_size)
        memcpy(rest, nul + 1, rest_size);
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
            FUZZ_CHECK(count == promised);
            free(words);
        } else {
            FUZZ_CHECK(status == SAM_ERR_INPUT && error.text[0]);
        }
        sam_metadata_free(&m);
    } else {
        FUZZ_CHECK(status == SAM_ERR_INPUT && error.text[0] && m.buffers == NULL);
    }
    free(text);
    free(rest);
    return 0;
}

/* 64-bit values as text: two lines each, low word first, as in the files. */
static void put_values(char *text, size_t *used, size_t capacity, const uint64_t *values,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        *used += (size_t)snprintf(text + *used, capacity - *used, "%08x\n%08x\n",
                                  (unsigned)values[i], (unsigned)(values[i] >> 32));
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const uint64_t fields[] = {
        0x80000000, 0, 2, 1, 1, 32, 4, 0x90000000, 0x1000, 0x400, 32, 32, 0x90100000, 3,
    };
    static const uint64_t buffers[] = {
        0x80000000, 0x90000000, 0x90001000, /* base */
        8,          64,         0,          /* size */
        0x1000,     64,         0x400,      /* allocated */
    };
    char text[4096];
    for (size_t older = 0; older < 2; older++) {
        size_t used = 0;
        put_values(text, &used, sizeof text, fields + older, sizeof fields / 8 - older);
        put_values(text, &used, sizeof text, buffers, sizeof buffers / 8);
        add(context, older ? "older-alone" : "alone", text, used);
        text[used++] = '\0';
        for (unsigned i = 0; i < 2 + 16; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%08x // word %u\n",
                                     i * 0x01010101, i);
        add(context, older ? "older" : "pair", text, used);
    }
}
