/* SPDX-License-Identifier: Apache-2.0 */
/* `--profile FILE`: where the launches of a run spent their instructions. */
#include <string.h>

#include "files.h"
#include "run.h"
#include "samite/file.h"

int run_open_profile(struct run *run)
{
    const char *path = run->asked->profile;
    if (!path)
        return CLI_OK;
    enum sam_profile_format format;
    if (!sam_profile_format_of(path, &format))
        return cli_usage_error(run->request->args,
                               "--profile %s: expected a name that ends in .html, .json, .folded "
                               "or .txt, or - for text",
                               path);
    int code = CLI_OK;
    if (strcmp(path, "-") != 0)
        code = cli_writes(run->request->args, path);
    if (code == CLI_OK)
        code = run_check_output(path);
    if (code == CLI_OK && !(run->profile = sam_profile_new()))
        code = cli_no_memory();
    run->asked->options.profile = run->profile;
    return code;
}

int run_close_profile(struct run *run)
{
    const char *path = run->asked->profile;
    struct sam_error error;
    char *text = NULL;
    size_t rows = 0;
    enum sam_profile_format format = SAM_PROFILE_TEXT;
    if (run->profile)
        sam_profile_rows(run->profile, &rows);
    if (rows == 0)
        return CLI_OK; /* nothing has run: its failure is reported */
    const struct sam_profile_options options = {
        .size = sizeof options,
        .image = run->image,
        .title = run->asked->kernel ? run->asked->kernel : run->request->files.items[0]};
    int code = CLI_OK;
    sam_profile_format_of(path, &format);
    if (sam_profile_print(run->profile, format, &options, &text, &error) != SAM_OK)
        code = cli_report(&error);
    else if (strcmp(path, "-") == 0)
        fputs(text, run->text);
    else if (sam_file_save(path, text, strlen(text), &error) != SAM_OK)
        code = cli_report(&error);
    sam_text_free(text);
    return code;
}
