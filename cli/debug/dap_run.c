/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the Debug Adapter Protocol that run the program, and the events that tell where it
 * has stopped. The response is sent before the run begins. */
#include <stdlib.h>

#include "dap.h"

enum sam_status dap_execute(struct dap *dap, const char *line, char **text, struct sam_error *error)
{
    struct debug *d = dap->debug;
    FILE *const out = d->out;
    size_t size;
    *text = NULL;
    FILE *collected = open_memstream(text, &size);
    if (!collected)
        return cli_refuse_memory(error);
    d->out = collected;
    enum sam_status status = debug_execute(d, line, error);
    d->out = out;
    if (fclose(collected) != 0 && status == SAM_OK)
        status = cli_refuse_memory(error);
    return status;
}

/* ---------------------------------------------------------------------------------- events */

void dap_send_stopped(struct dap *dap, const char *reason, const char *description,
                      const char *text)
{
    struct debug *d = dap->debug;
    json_t *body = REPORT(TEXT("reason", reason),
                          COUNT("threadId", dap_thread(dap, d->focus.workgroup, d->focus.warp)),
                          FLAG("allThreadsStopped", true));
    if (description)
        body = report_text(body, "description", description);
    if (text)
        body = report_text(body, "text", text);
    if (d->stop_point)
        body = report_set(body, "hitBreakpointIds",
                          report_add(json_array(), json_integer((json_int_t)d->stop_point)));
    dap->frame_count = 0;
    dap->lane = d->focus.lane;
    dap->host->flush(dap->host->context);
    dap_event(dap, "stopped", body);
}

static const char *point_reason(const struct dap *dap)
{
    static const char *const reasons[] = {[DAP_LINE] = "breakpoint",
                                          [DAP_FUNCTION] = "function breakpoint",
                                          [DAP_INSTRUCTION] = "instruction breakpoint",
                                          [DAP_DATA] = "data breakpoint"};
    const struct point *p = points_numbered(dap->debug, dap->debug->stop_point);
    return p && p->list                                   ? reasons[p->list]
           : dap->debug->stop.reason == SAM_SESSION_WATCH ? "data breakpoint"
                                                          : "breakpoint";
}

/* A warp of the workgroup that has not ended. */
static bool find_live(struct debug *d)
{
    struct sam_session_warp warp;
    for (uint32_t i = 0; i < d->shape.warps; i++)
        if (sam_session_warp(d->session, d->focus.workgroup, i, &warp, NULL) == SAM_OK &&
            warp.state != SAM_WARP_ENDED) {
            d->focus.warp = i;
            return true;
        }
    return false;
}

static void run_on(struct dap *dap)
{
    dap->todo = DAP_RUN;
    snprintf(dap->command, sizeof dap->command, "continue");
}

/* The launch has ended: continue with the next, or end, unless the client wants to look back. */
static void ended(struct dap *dap)
{
    struct debug *d = dap->debug;
    if (d->run->number + 1 < d->run->count)
        d->goes_on = true;
    else if (dap->stop_at_end && d->stop.reason == SAM_SESSION_DONE)
        dap_send_stopped(dap, "pause", "the program has ended", NULL);
    else
        d->quits = true;
}

static void put_line(struct dap *dap, const char *text)
{
    char line[1100];
    snprintf(line, sizeof line, "%s\n", text);
    dap_output(dap, "stderr", line);
}

/* Tell where the program has stopped, and why; `printed` is the debugger's report. */
static void tell(struct dap *dap, const char *printed)
{
    struct debug *d = dap->debug;
    if (d->state == DEBUG_ENDED) {
        ended(dap);
        return;
    }
    if (d->until_id && d->stop.reason == SAM_SESSION_BREAK && d->stop.id == d->until_id) {
        d->quits = true;
        return;
    }
    switch (d->stop.reason) {
    case SAM_SESSION_TRAP:
        put_line(dap, d->stop_text);
        dap_send_stopped(dap, "exception", "trap", d->stop_text);
        return;
    case SAM_SESSION_BREAK: dap_send_stopped(dap, point_reason(dap), NULL, NULL); return;
    case SAM_SESSION_WATCH:
        dap_output(dap, "console", printed);
        dap_send_stopped(dap, point_reason(dap), NULL, NULL);
        return;
    case SAM_SESSION_STOPPED: dap_send_stopped(dap, "pause", NULL, NULL); return;
    case SAM_SESSION_EBREAK: dap_send_stopped(dap, "breakpoint", "ebreak", NULL); return;
    case SAM_SESSION_START:
        dap_send_stopped(dap, "step", "the beginning of what is recorded", NULL);
        return;
    default: break;
    }
    if (d->stop_point) {
        dap_send_stopped(dap, point_reason(dap), NULL, NULL);
    } else if (debug_warp_now(d).state == SAM_WARP_ENDED) { /* a step over the end of the warp */
        if (find_live(d))
            dap_send_stopped(dap, "step", "the warp has ended", NULL);
        else
            run_on(dap);
    } else {
        dap_send_stopped(dap, "step", NULL, NULL);
    }
}

/* --------------------------------------------------------------------------------- running */

/* Serve the messages that have interrupted a run; whether it continues. */
static bool attend(struct dap *dap)
{
    bool any = false;
    dap->running = true;
    while (!dap->over && !dap->paused && !dap->debug->quits &&
           dap->host->pending(dap->host->context)) {
        dap_take(dap);
        any = true;
    }
    dap->running = false;
    return any && !dap->paused && !dap->over && !dap->debug->quits;
}

/* Run a command of the debugger, interrupted by messages. */
static enum sam_status run(struct dap *dap, const char *command, char **text,
                           struct sam_error *error)
{
    const enum dap_attention attention = strcmp(command, "continue") == 0 ? DAP_ANY : DAP_ENDING;
    struct debug *d = dap->debug;
    for (;;) {
        d->stop = (struct sam_session_stop){.reason = SAM_SESSION_COUNT};
        dap->host->attend(dap->host->context, attention);
        const enum sam_status status = dap_execute(dap, command, text, error);
        dap->host->attend(dap->host->context, DAP_STOPPED);
        if (cli_stopped() && !cli_forget_interrupt())
            dap->over = true;
        if (status != SAM_OK || dap->over || d->stop.reason != SAM_SESSION_STOPPED)
            return status;
        if (!attend(dap) || attention != DAP_ANY)
            return status;
        d->seen.instructions = UINT64_MAX; /* the user has not seen this place */
        free(*text);
    }
}

void dap_do(struct dap *dap)
{
    const enum dap_todo todo = dap->todo;
    struct debug *d = dap->debug;
    struct sam_error error = {.text = ""};
    char *text = NULL;
    dap->todo = DAP_NOTHING;
    dap->paused = false;
    dap->frame_count = 0;
    if (todo == DAP_SHOW) {
        tell(dap, "");
        return;
    }
    if (d->state == DEBUG_ENDED && strcmp(dap->command, "continue") == 0) {
        d->quits = true; /* the client has looked back */
        return;
    }
    const enum sam_status status = run(dap, dap->command, &text, &error);
    if (status == SAM_OK && !dap->over && !d->quits) {
        tell(dap, text ? text : "");
    } else if (status != SAM_OK) {
        put_line(dap, error.text);
        d->stop_point = 0;
        dap_send_stopped(dap, "pause", error.text, NULL);
    }
    free(text);
}

/* -------------------------------------------------------------------------------- requests */

/* Run a command after the response. */
static enum sam_status run_later(struct dap *dap, const json_t *arguments, const char *command,
                                 struct sam_error *error)
{
    const enum sam_status status = dap_focus_thread(dap, arguments, error);
    if (status != SAM_OK)
        return status;
    dap->todo = DAP_RUN;
    snprintf(dap->command, sizeof dap->command, "%s", command);
    return SAM_OK;
}

enum sam_status dap_on_run(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    const bool fine = strcmp(cli_json_text(arguments, "granularity", ""), "instruction") == 0;
    const char *by_instruction = strchr(dap->request->detail, ' ');
    char by_line[32];
    snprintf(by_line, sizeof by_line, "%.*s", (int)strcspn(dap->request->detail, " "),
             dap->request->detail);
    return run_later(dap, arguments, fine && by_instruction ? by_instruction + 1 : by_line, error);
}

enum sam_status dap_on_continue(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    const enum sam_status status = run_later(dap, arguments, "continue", error);
    if (status == SAM_OK)
        dap_respond(dap, report_flag(json_object(), "allThreadsContinued", true));
    return status;
}

/* Of a program that has stopped already, its event is under way. */
enum sam_status dap_on_pause(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    (void)arguments, (void)error;
    dap->paused = true;
    return SAM_OK;
}

enum sam_status dap_on_exception_info(struct dap *dap, const json_t *arguments,
                                      struct sam_error *error)
{
    const struct debug *d = dap->debug;
    (void)arguments;
    if (d->state != DEBUG_TRAPPED)
        return cli_refuse(error, "exceptionInfo: the program is not at a trap");
    json_t *details = report_text(json_object(), "message", d->stop_text);
    return dap_respond(dap, REPORT(TEXT("exceptionId", "trap"), TEXT("description", d->stop_text),
                                   TEXT("breakMode", "always"), TREE("details", details)));
}
