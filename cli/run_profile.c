/* SPDX-License-Identifier: Apache-2.0 */
/* `--profile FILE`: where the launches of a run spent their instructions. */
#include <string.h>

#include "files.h"
#include "run.h"
#include "samite/file.h"

/* How a profile is written, by the end of its file's name; -1: none of them. */
static int format_of(const char *path)
{
    static const struct {
        const char *suffix;
        enum sam_profile_format format;
    } rows[] = {
        {".html", SAM_PROFILE_HTML},
        {".json", SAM_PROFILE_JSON},
        {".folded", SAM_PROFILE_FOLDED},
        {".txt", SAM_PROFILE_TEXT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (cli_ends_with(path, rows[i].suffix))
            return (int)rows[i].format;
    return strcmp(path, "-") == 0 ? SAM_PROFILE_TEXT : -1;
}

int run_open_profile(struct run *run)
{
    const char *path = run->asked->profile;
    if (!path)
        return CLI_OK;
    if (format_of(path) < 0)
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
    if (run->profile)
        sam_profile_rows(run->profile, &rows);
    if (rows == 0)
        return CLI_OK; /* nothing has run: its failure is reported */
    const struct sam_profile_options options = {
        .size = sizeof options,
        .image = run->image,
        .title = run->asked->kernel ? run->asked->kernel : run->request->files.items[0]};
    int code = CLI_OK;
    if (sam_profile_print(run->profile, (enum sam_profile_format)format_of(path), &options, &text,
                          &error) != SAM_OK)
        code = cli_report(&error);
    else if (strcmp(path, "-") == 0)
        fputs(text, run->text);
    else if (sam_file_save(path, text, strlen(text), &error) != SAM_OK)
        code = cli_report(&error);
    sam_text_free(text);
    return code;
}
