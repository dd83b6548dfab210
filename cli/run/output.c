/* SPDX-License-Identifier: Apache-2.0 */
/* Files written during a run. A timeline keeps the window of cycles of --perfetto-from and
 * --perfetto-to, with a note once the file is larger than viewers open easily. The writer of
 * timelines (trace/perfetto.h) passes one event per call, which begins in cycle "ts" and lasts
 * "dur". */
#include "machine/machine.h"

enum { LARGE = 50 << 20 };

/* The number after `key`, a member's name with its quotes. Quotes within strings are escaped, so
 * a string in the event cannot match. False: not found. */
static bool member(const char *event, size_t size, const char *key, uint64_t *value)
{
    const char *at = memmem(event, size, key, strlen(key)), *end = event + size;
    if (!at)
        return false;
    *value = 0;
    for (at += strlen(key); at < end && *at >= '0' && *at <= '9'; at++)
        *value = 10 * *value + (uint64_t)(*at - '0');
    return true;
}

static bool write_event(void *context, const void *data, size_t size)
{
    struct run_perfetto *p = context;
    uint64_t start, length = 0;
    if (member(data, size, "\"ts\":", &start)) {
        member(data, size, "\"dur\":", &length);
        if (start > p->to || start + length < p->from)
            return true;
    }
    p->bytes += size;
    if (p->bytes > LARGE && p->bytes - size <= LARGE)
        cli_note("%s: larger than 50 MB, which ui.perfetto.dev is slow to open: --perfetto-from "
                 "CYCLE and --perfetto-to CYCLE keep a part",
                 p->path);
    return sam_output_write(p->output, data, size);
}

bool run_print(void *context, const void *data, size_t size)
{
    struct run *run = context;
    if (run->text)
        cli_progress_clear(&run->progress);
    return !run->text || fwrite(data, 1, size, run->text) == size;
}

bool run_print_now(void *context, const void *data, size_t size)
{
    const struct run *run = context;
    return run_print(context, data, size) && (!run->text || fflush(run->text) == 0);
}

int run_open_output(struct run *run, enum run_output which, const char *path, struct sam_sink *sink)
{
    struct sam_output **output = &run->outputs[which];
    if (!path)
        return CLI_OK;
    if (sam_output_open(path, output, &run->error) != SAM_OK)
        return cli_report(&run->error);
    *sink = (struct sam_sink){sam_output_write, *output};
    if (which != RUN_PERFETTO)
        return CLI_OK;
    run->perfetto = (struct run_perfetto){.output = *output,
                                          .path = path,
                                          .from = run->request->perfetto_from,
                                          .to = run->request->perfetto_to};
    *sink = (struct sam_sink){write_event, &run->perfetto};
    return CLI_OK;
}

int run_commit_output(struct run *run, enum run_output which)
{
    struct sam_error error;
    struct sam_output *output = run->outputs[which];
    run->outputs[which] = NULL;
    return output ? cli_code(sam_output_commit(output, &error), &error) : CLI_OK;
}

int run_drop_output(struct run *run, enum run_output which)
{
    struct sam_output *output = run->outputs[which];
    run->outputs[which] = NULL;
    return cli_drop_output(output);
}

bool run_output_failed(const struct run *run)
{
    return cli_any_failed(run->outputs, RUN_OUTPUTS);
}

/* ------------------------------------------------------------------------------- --profile */

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
