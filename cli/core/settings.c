/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <string.h>

#include "files.h"
#include "samite/isa.h"
#include "samite/parameter.h"

int cli_refuse_settings(const struct cli_args *args, const char *file,
                        const struct sam_error *error)
{
    return cli_usage_error(args, "--config%s%s: %s; --config help lists the parameters",
                           *file ? " " : "", file, error->text);
}

int cli_read_settings(struct cli_args *args, const struct cli_option *option, const char *word,
                      cli_set *set, void *config)
{
    const bool is_file = !strchr(word, '=');
    struct sam_error error;
    char *settings = NULL;
    int code = is_file ? cli_reads(args, word) : CLI_OK;
    if (code != CLI_OK)
        return code;
    const enum sam_status status = sam_settings_read(word, &settings, &error);
    if (status == SAM_ERR_IO)
        return cli_usage_error(args, "--%s: %s: expected KEY=N,... or a file of them", option->name,
                               error.text);
    if (status != SAM_OK)
        return cli_report(&error);
    if (set(config, settings, &error) != SAM_OK)
        code = cli_refuse_settings(args, is_file ? word : "", &error);
    sam_text_free(settings);
    return code;
}
