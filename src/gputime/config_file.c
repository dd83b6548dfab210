/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters from a file; a preset comes first. */
#include "base/settings.h"
#include "gputime/gputime.h"

enum sam_status sam_gputime_config_parse(struct sam_gputime_config *config, const char *text,
                                         struct sam_error *error)
{
    struct sam_buffer line = {0};
    if (SAM_LACKS(error, config, text))
        return SAM_ERR_USAGE;
    sam_settings_join(text, &line);
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
    char *settings;
    struct sam_error inside;
    if (SAM_LACKS(error, config, word))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_settings_read(word, &settings, error);
    if (status != SAM_OK)
        return status;
    status = sam_gputime_config_set(config, settings, &inside);
    sam_text_free(settings);
    if (status == SAM_OK)
        return SAM_OK;
    return strchr(word, '=') ? sam_fail(error, status, "%s", inside.text)
                             : sam_fail(error, status, "%s: %s", word, inside.text);
}
