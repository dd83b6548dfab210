/* SPDX-License-Identifier: Apache-2.0 */
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

const char *recorded_folder(void)
{
    const char *folder = getenv("SAMITE_KERNELS");
    return folder && *folder ? folder : NULL;
}

static enum sam_status load_text(const char *folder, const char *name, const char *ending,
                                 char **text, size_t *size, struct sam_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    return sam_file_load(path, (size_t)64 << 20, text, size, error);
}

enum sam_status recorded_open(const char *folder, const char *path, struct recorded *recorded,
                              struct sam_error *error)
{
    char *text, *data;
    size_t size, count;
    *recorded = (struct recorded){0};
    enum sam_status status = load_text(folder, path, "metadata", &text, &size, error);
    if (status != SAM_OK)
        return status;
    status = sam_metadata_parse(text, size, path, &recorded->metadata, error);
    free(text);
    if (status == SAM_OK)
        status = load_text(folder, path, "data", &data, &size, error);
    if (status == SAM_OK) {
        status =
            sam_data_parse(data, size, path, &recorded->metadata, &recorded->words, &count, error);
        free(data);
    }
    if (status != SAM_OK)
        recorded_close(recorded);
    return status;
}

void recorded_close(struct recorded *recorded)
{
    free(recorded->words);
    sam_metadata_free(&recorded->metadata);
    *recorded = (struct recorded){0};
}

const uint32_t *recorded_words(const struct recorded *recorded, uint64_t address, uint64_t size)
{
    const struct sam_metadata *m = &recorded->metadata;
    const uint32_t *words = recorded->words;
    for (size_t i = 0; i < m->buffer_count; words += (m->buffers[i].size + 3) / 4, i++)
        if (m->buffers[i].base == address)
            return m->buffers[i].size >= size ? words : NULL;
    return NULL;
}
