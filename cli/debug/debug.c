/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of the debugger: it reads commands and runs them. */
#include "debug.h"

#include <stdlib.h>
#include <string.h>

struct debug {
    const struct debug_options *options;
    struct run_session *run;
    bool trapped;
};

struct debug *debug_new(const struct debug_options *options)
{
    struct debug *d = calloc(1, sizeof *d);
    if (d)
        d->options = options;
    return d;
}

void debug_free(struct debug *d)
{
    free(d);
}

static int command(struct debug *d, const char *line, bool *quits)
{
    struct run_session *s = d->run;
    struct sam_session_stop stop;
    struct sam_error error;
    if (strcmp(line, "quit") == 0) {
        *quits = true;
        return CLI_OK;
    }
    if (strcmp(line, "continue") != 0)
        return cli_error("unknown command '%s': expected continue or quit", line);
    const enum sam_status status = sam_session_run(s->session, NULL, &stop, &error);
    d->trapped = stop.reason == SAM_SESSION_TRAP;
    if (stop.reason == SAM_SESSION_DONE)
        s->exit_code = stop.exit_code;
    return status == SAM_OK ? CLI_OK : cli_report(&error);
}

int debug_drive(void *context, struct run_session *session)
{
    struct debug *d = context;
    bool quits = false;
    char line[1024];
    d->run = session;
    for (size_t i = 0; i < d->options->scripts.count && !quits; i++)
        if (command(d, d->options->scripts.items[i].text, &quits) != CLI_OK && d->options->batch)
            break;
    while (!d->options->batch && !quits && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        command(d, line, &quits);
    }
    if (d->trapped)
        return CLI_PROGRAM_FAILED;
    for (uint64_t i = 0;; i++) {
        const uint32_t workgroup = sam_session_workgroup(session->session, i);
        if (workgroup == UINT32_MAX)
            return CLI_OK;
        if (sam_session_workgroup_state(session->session, workgroup) != SAM_SESSION_ENDED)
            return CLI_SHOWN;
    }
}
