/* SPDX-License-Identifier: Apache-2.0 */
/* `--profile FILE`: instruction counts by location, of launches or of a program. */
#include <string.h>

#include "files.h"
#include "run/run.h"
#include "samite/file.h"

int run_profile_open(struct cli_args *args, const char *option, const char *path,
                     struct sam_profile **profile)
{
    enum sam_profile_format format;
    if (!path)
        return CLI_OK;
    if (!sam_profile_format_of(path, &format))
        return cli_usage_error(args,
                               "--%s %s: expected a name that ends in .html, .json, .folded "
                               "or .txt, or - for text",
                               option, path);
    int code = cli_writes(args, path) ?: run_check_output(path);
    if (code == CLI_OK && !(*profile = sam_profile_new()))
        code = cli_no_memory();
    return code;
}

int run_profile_write(struct sam_profile *profile, const char *path,
                      const struct sam_profile_options *options, FILE *out)
{
    enum sam_profile_format format = SAM_PROFILE_TEXT;
    struct sam_error error;
    char *text = NULL;
    size_t rows = 0;
    if (profile)
        sam_profile_rows(profile, &rows);
    if (rows == 0)
        return CLI_OK; /* nothing has run: its failure is reported */
    int code = CLI_OK;
    sam_profile_format_of(path, &format);
    if (sam_profile_print(profile, format, options, &text, &error) != SAM_OK)
        code = cli_report(&error);
    else if (cli_is_stdio(path))
        fputs(text, out);
    else
        code = cli_save(path, text, strlen(text));
    sam_text_free(text);
    return code;
}
