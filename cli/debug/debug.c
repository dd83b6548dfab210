/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of the debugger: reads and runs commands. */
#include <search.h>
#include <stdlib.h>

#include "debugger.h"

struct debug *debug_new(const struct debug_options *options)
{
    struct debug *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    *d = (struct debug){
        .options = options, .out = stdout, .examine_format = 'x', .examine_size = 'w'};
    d->input = input_new(d);
    if (!d->input) {
        free(d);
        return NULL;
    }
    return d;
}

void debug_free(struct debug *d)
{
    if (!d)
        return;
    points_free(d);
    command_undisplay(d, "", NULL);
    source_free(d);
    input_free(d->input);
    free(d->displays);
    tdestroy(d->users, free);
    free(d->last_line);
    free(d);
}

/* ------------------------------------------------------------------------------ the session */

/* Snapshots and the recording. Machines without them report it on first use. */
static void record(struct debug *d)
{
    struct sam_error error;
    d->start = 0;
    d->records = false;
    snprintf(d->no_record, sizeof d->no_record, "--no-record was given");
    if (d->options->no_record)
        return;
    if (sam_session_snapshot(d->session, &d->start, &error) == SAM_OK &&
        sam_session_record(d->session, 0, &error) == SAM_OK)
        d->records = true;
    else
        snprintf(d->no_record, sizeof d->no_record, "%.250s", error.text);
}

static enum sam_status break_at_until(struct debug *d, struct sam_error *error)
{
    const struct sam_session_break point = {.pc = d->run->until};
    d->until_id = 0;
    return d->run->has_until ? sam_session_add_break(d->session, &point, &d->until_id, error)
                             : SAM_OK;
}

enum sam_status debug_attach(struct debug *d, struct run_session *run, struct sam_error *error)
{
    enum sam_status status = sam_session_shape(run->session, &d->shape, error);
    if (status != SAM_OK)
        return status;
    d->run = run;
    d->session = run->session;
    d->image = run->image;
    status = d->image ? sam_variables_open(d->image, &d->variables, error) : SAM_OK;
    if (status != SAM_OK)
        return status;
    d->out = run->text;
    d->state = DEBUG_LIVE;
    d->started = d->at_end = d->goes_on = false;
    d->focus = (struct debug_focus){.workgroup = sam_session_workgroup(run->session, 0)};
    d->shown_focus = d->focus;
    d->shown_mask = debug_all_lanes(d);
    d->list_file = NULL;
    d->list_line = 0;
    d->last_stop = 0;
    d->seen.instructions = UINT64_MAX;
    debug_names(d);
    record(d);
    status = break_at_until(d, error);
    return status ?: points_attach(d, error);
}

void debug_detach(struct debug *d)
{
    points_detach(d);
    source_free(d);
    sam_variables_close(d->variables);
    d->variables = NULL;
    d->list_file = NULL;
    d->session = NULL;
    d->run = NULL;
    d->image = NULL;
}

/* --------------------------------------------------------------------------------- commands */

enum sam_status debug_execute(struct debug *d, const char *line, struct sam_error *error)
{
    char word[64];
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return SAM_OK;
    const char *rest = debug_split(line, word, sizeof word);
    return debug_run_row(d, debug_find(debug_commands, "command", word, error), rest, error);
}

/* An empty line repeats a command that runs or continues a listing, without the arguments of the
 * latter. */
static const char *repeated(struct debug *d, const char *line)
{
    char word[64];
    if (*line) {
        const char *rest = debug_split(line, word, sizeof word);
        const struct debug_command *command = debug_find(debug_commands, "command", word, NULL);
        const bool goes_on =
            command && (command->run == command_list || command->run == command_examine);
        free(d->last_line);
        d->last_line = NULL;
        if (command && command->repeats && goes_on && strcmp(rest, "-") != 0)
            d->last_line = strdup(word);
        else if (command && command->repeats)
            d->last_line = strdup(line);
        return line;
    }
    return d->last_line ? d->last_line : line;
}

static void run_line(struct debug *d, const struct input_line *input)
{
    const char *line = input->typed ? repeated(d, input->text) : input->text;
    struct sam_error error, shown;
    char copy[4096];
    if (snprintf(copy, sizeof copy, "%s", line) >= (int)sizeof copy) {
        cli_refuse(&error, "a line of more than %zu characters", sizeof copy - 1);
    } else if (debug_execute(d, copy, &error) == SAM_OK) {
        return;
    }
    fflush(d->out);
    shown = error;
    snprintf(shown.text, sizeof shown.text, "%s%.700s", input->place, error.text);
    cli_report(&shown);
    d->failed |= !input->typed;
    input_drop_file(d->input);
    d->quits |= d->options->batch;
}

/* Ctrl-C stops the run. Only an interactive session can continue. */
static bool interrupted(struct debug *d)
{
    if (!cli_stopped())
        return false;
    return !input_prompts(d->input) || !cli_forget_interrupt();
}

/* The end of the drive. */
int debug_verdict(const struct debug *d)
{
    const bool last = d->run->number + 1 >= d->run->count;
    if (d->failed && d->quits)
        return CLI_BAD_INPUT;
    if (d->goes_on || (d->state == DEBUG_ENDED && last) || d->at_end)
        return CLI_OK;
    return d->state == DEBUG_TRAPPED ? CLI_PROGRAM_FAILED : CLI_SHOWN;
}

int debug_drive(void *context, struct run_session *session)
{
    struct debug *d = context;
    struct sam_error error;
    if (debug_attach(d, session, &error) != SAM_OK)
        return cli_report(&error);
    stop_show_place(d, true, "");
    while (!d->quits && !d->goes_on) {
        struct input_line line;
        const enum input_result result = input_next(d->input, d->out, &line);
        if (result == INPUT_LINE) {
            run_line(d, &line);
        } else if (result != INPUT_INTERRUPTED) {
            d->quits = true;
            d->failed |= result == INPUT_BAD;
            if (line.typed)
                debug_say(d, "\n");
        } else {
            debug_say(d, "\n");
        }
        fflush(d->out);
        if (interrupted(d))
            d->quits = true;
    }
    const int code = cli_stopped() ? CLI_SHOWN : debug_verdict(d);
    debug_detach(d);
    return code;
}
