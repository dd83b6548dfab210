/* SPDX-License-Identifier: Apache-2.0 */

#include "cli.h"
#include "samite/isa.h"
#include "samite/parameter.h"

int cli_refuse_settings(const struct cli_args *args, const char *file,
                        const struct sam_error *error)
{
    return cli_usage_error(args, "--config%s%s: %s; --config help lists the parameters",
                           *file ? " " : "", file, error->text);
}

const struct sam_parameter *cli_parameter(const struct cli_settings *settings, size_t index,
                                          const char **prefix)
{
    *prefix = "";
    for (size_t t = 0; settings->tables[t]; t++)
        for (size_t i = 0; settings->tables[t](i); i++)
            if (index-- == 0)
                return settings->tables[t](i);
    return settings->prefixed ? settings->prefixed(index, prefix) : NULL;
}

int cli_read_settings(struct cli_args *args, const struct cli_option *option, const char *word,
                      void *config)
{
    if (strcmp(word, "help") == 0)
        return option->settings->list();
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
    if (option->settings->set(config, settings, &error) != SAM_OK)
        code = cli_refuse_settings(args, is_file ? word : "", &error);
    sam_text_free(settings);
    return code;
}
