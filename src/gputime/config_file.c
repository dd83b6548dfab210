/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters from a file: a line for each, or several with commas between them; a comment from '#'
 * on; a preset comes first. */
#include "gputime/gputime.h"

#define FILE_LIMIT (UINT64_C(1) << 20)

/* The parameters of a text as one line: without comments and blanks, with commas between. */
static void join(const char *text, struct sam_buffer *out)
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

enum sam_status sam_gputime_config_parse(struct sam_gputime_config *config, const char *text,
                                         struct sam_error *error)
{
    struct sam_buffer line = {0};
    if (SAM_LACKS(error, config, text))
        return SAM_ERR_USAGE;
    join(text, &line);
    const enum sam_status status =
        line.failed ? sam_fail_memory(error)
        : line.size ? sam_gputime_config_set(config, sam_buffer_text(&line), error)
                    : SAM_OK;
    sam_buffer_free(&line);
    return status;
}

enum sam_status sam_gputime_config_read(struct sam_gputime_config *config, const char *word,
                                        struct sam_error *error)
{
    char *text = NULL;
    size_t size;
    if (SAM_LACKS(error, config, word))
        return SAM_ERR_USAGE;
    if (strchr(word, '='))
        return sam_gputime_config_set(config, word, error);
    enum sam_status status = sam_file_load(word, FILE_LIMIT, &text, &size, error);
    if (status != SAM_OK)
        return status;
    struct sam_error inside;
    if (strlen(text) != size)
        status = sam_fail(error, SAM_ERR_INPUT, "%s: a zero byte: expected text", word);
    else if ((status = sam_gputime_config_parse(config, text, &inside)) != SAM_OK)
        status = sam_fail(error, status, "%s: %s", word, inside.text);
    sam_text_free(text);
    return status;
}
