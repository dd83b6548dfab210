/* SPDX-License-Identifier: Apache-2.0 */
/* Settings files, "name=value,name=value": on lines of their own or comma-separated, with comments
 * from '#' on. */
#include "base/settings.h"

#include <stdlib.h>

#define FILE_LIMIT (UINT64_C(1) << 20)

void sam_settings_join(const char *text, struct sam_buffer *out)
{
    bool comment = false;
    for (; *text; text++) {
        const bool ends = *text == '\n' || *text == ',';
        comment = *text == '#' || (comment && *text != '\n');
        if (comment || strchr(" \t\r", *text))
            continue;
        if (!ends)
            sam_buffer_append(out, text, 1);
        else if (out->size && out->data[out->size - 1] != ',')
            sam_buffer_puts(out, ",");
    }
    if (out->size && out->data[out->size - 1] == ',')
        out->data[--out->size] = '\0';
}

static enum sam_status load(const char *path, struct sam_buffer *out, struct sam_error *error)
{
    char *text = NULL;
    size_t size;
    const enum sam_status status = sam_file_load(path, FILE_LIMIT, &text, &size, error);
    if (status != SAM_OK)
        return status;
    const bool whole = strlen(text) == size;
    if (whole)
        sam_settings_join(text, out);
    free(text);
    return whole ? SAM_OK : sam_fail(error, SAM_ERR_INPUT, "%s: a zero byte: expected text", path);
}

enum sam_status sam_settings_read(const char *word, char **settings, struct sam_error *error)
{
    struct sam_buffer line = {0};
    if (SAM_LACKS(error, word, settings))
        return SAM_ERR_USAGE;
    *settings = NULL;
    enum sam_status status = SAM_OK;
    if (strchr(word, '='))
        sam_buffer_puts(&line, word);
    else
        status = load(word, &line, error);
    if (status == SAM_OK && (line.failed || !(*settings = strdup(sam_buffer_text(&line)))))
        status = sam_fail_memory(error);
    sam_buffer_free(&line);
    return status;
}
