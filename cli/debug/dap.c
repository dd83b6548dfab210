/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the Debug Adapter Protocol: requests, responses, events, from initialize to
 * disconnect. */
#include "dap.h"

#include <stdlib.h>
#include <unistd.h>

enum dap_when { ALWAYS, LAUNCHED, STOPPED, MOVING };

static const struct {
    const char *name;
    dap_handler *serve;
    enum dap_when when;
    const char *detail;
} requests[] = {
#define REQUEST(name, handler, when, detail) {#name, dap_on_##handler, (when), (detail)},
#define ALSO                                 REQUEST
#include "requests.def"
#undef ALSO
#undef REQUEST
};

void dap_init(struct dap *dap, const struct dap_host *host)
{
    *dap = (struct dap){.host = host, .options = {.sealed = true}};
    pthread_mutex_init(&dap->lock, NULL);
}

void dap_free(struct dap *dap)
{
    debug_free(dap->debug);
    free(dap->frames);
    pthread_mutex_destroy(&dap->lock);
}

/* --------------------------------------------------------------------------------- members */

enum sam_status dap_need_text(const json_t *object, const char *name, const char **text,
                              struct sam_error *error)
{
    *text = cli_json_text(object, name, "");
    return json_is_string(json_object_get(object, name))
               ? SAM_OK
               : cli_refuse(error, "%s: expected a string", name);
}

enum sam_status dap_need_integer(const json_t *object, const char *name, json_int_t *number,
                                 struct sam_error *error)
{
    const json_t *member = json_object_get(object, name);
    *number = json_integer_value(member);
    return json_is_integer(member) ? SAM_OK : cli_refuse(error, "%s: expected an integer", name);
}

enum sam_status dap_need_address(const json_t *object, const char *name, uint64_t *address,
                                 struct sam_error *error)
{
    const char *text;
    const enum sam_status status = dap_need_text(object, name, &text, error);
    if (status != SAM_OK)
        return status;
    if (!sam_parse_u64(text, address))
        return cli_refuse(error, "%s '%.40s': expected an address", name, text);
    *address += (uint64_t)cli_json_integer(object, "offset", 0);
    return SAM_OK;
}

json_t *dap_address(uint64_t address)
{
    return json_sprintf("0x%08llx", (unsigned long long)address);
}

/* --------------------------------------------------------------------------------- sending */

/* Number the message and send it; NULL: no memory. */
static void send_message(struct dap *dap, json_t *message)
{
    size_t size;
    pthread_mutex_lock(&dap->lock);
    message = report_set(message, "seq", json_integer(++dap->seq));
    char *text = message ? frames_make(message, &size) : NULL;
    if (text)
        dap->host->write(dap->host->context, text, size);
    pthread_mutex_unlock(&dap->lock);
    free(text);
    json_decref(message);
}

static json_t *response_to(const struct dap_request *request, bool success)
{
    return REPORT(TEXT("type", "response"), COUNT("request_seq", request->seq),
                  TEXT("command", request->command), FLAG("success", success));
}

enum sam_status dap_respond(struct dap *dap, json_t *body)
{
    json_t *response = response_to(dap->request, true);
    if (body)
        response = report_set(response, "body", body);
    dap->request->answered = true;
    send_message(dap, response);
    return SAM_OK;
}

static void respond_error(struct dap *dap, const char *text)
{
    json_t *error = REPORT(COUNT("id", 1), TEXT("format", "{text}"),
                           TREE("variables", REPORT(TEXT("text", text))), FLAG("showUser", true));
    json_t *response = report_text(response_to(dap->request, false), "message", text);
    dap->request->answered = true;
    send_message(dap, report_set(response, "body", report_set(json_object(), "error", error)));
}

void dap_event(struct dap *dap, const char *name, json_t *body)
{
    json_t *event = REPORT(TEXT("type", "event"), TEXT("event", name));
    send_message(dap, body ? report_set(event, "body", body) : event);
}

void dap_output(struct dap *dap, const char *category, const char *text)
{
    dap_event(dap, "output", REPORT(TEXT("category", category), TEXT("output", text)));
}

/* --------------------------------------------------------------------------------- serving */

static enum sam_status serve(struct dap *dap, struct sam_error *error)
{
    struct dap_request *r = dap->request;
    struct cli_near near = {.wanted = r->command};
    const bool open = dap->debug && dap->debug->session && !dap->finished;
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        cli_near_offer(&near, requests[i].name);
        if (strcmp(requests[i].name, r->command) != 0)
            continue;
        if (requests[i].when != ALWAYS && !open)
            return cli_refuse(error, "%s: no program (launch starts one)", r->command);
        if (requests[i].when >= STOPPED && dap->running)
            return cli_refuse(error, "%s: the program is running", r->command);
        if (requests[i].when >= STOPPED && dap->todo != DAP_NOTHING)
            return cli_refuse(error, "%s: the program is about to run", r->command);
        r->detail = requests[i].detail;
        const struct debug_focus focus = open ? dap->debug->focus : (struct debug_focus){0};
        const enum sam_status status = requests[i].serve(dap, r->arguments, error);
        if (requests[i].when == STOPPED)
            dap->debug->focus = focus;
        return status;
    }
    return cli_refuse(error, "unknown request '%.60s'%s", r->command, cli_near_text(&near));
}

/* Serve a message, and answer it in any case. */
static void serve_message(struct dap *dap, json_t *message)
{
    struct sam_error error = {.text = ""};
    struct dap_request request = {.seq = cli_json_integer(message, "seq", 0),
                                  .command = cli_json_text(message, "command", ""),
                                  .arguments = json_object_get(message, "arguments")};
    struct dap_request *const outer = dap->request;
    json_t *empty = NULL;
    if (strcmp(cli_json_text(message, "type", ""), "request") != 0)
        return; /* responses and events of a client mean nothing here */
    if (!request.arguments || json_is_null(request.arguments))
        request.arguments = empty = json_object();
    dap->request = &request;
    if (!json_is_object(request.arguments))
        cli_refuse(&error, "arguments: expected an object");
    else if (serve(dap, &error) == SAM_OK && !request.answered)
        dap_respond(dap, NULL);
    if (!request.answered)
        respond_error(dap, error.text);
    dap->request = outer;
    json_decref(empty);
}

void dap_take(struct dap *dap)
{
    json_t *message = NULL;
    struct sam_error error = {.text = ""};
    struct dap_request none = {.command = ""};
    struct dap_request *const outer = dap->request;
    switch (dap->host->next(dap->host->context, &message, &error)) {
    case FRAMES_MESSAGE: serve_message(dap, message); break;
    case FRAMES_INVALID:
        dap->request = &none;
        respond_error(dap, error.text);
        dap->request = outer;
        break;
    case FRAMES_BROKEN:
        dap->error = error;
        dap->over = true;
        break;
    case FRAMES_END: dap->over = true; break;
    }
    json_decref(message);
    if (cli_stopped() && !cli_forget_interrupt())
        dap->over = true;
}

int dap_serve(struct dap *dap, struct sam_error *error)
{
    while (!dap->over)
        dap_take(dap);
    *error = dap->error;
    return error->text[0] ? CLI_BAD_INPUT : CLI_OK;
}

/* ------------------------------------------------------------------------------ life cycle */

static const char abilities[] =
    "supportsConfigurationDoneRequest supportsFunctionBreakpoints supportsConditionalBreakpoints "
    "supportsHitConditionalBreakpoints supportsLogPoints supportsInstructionBreakpoints "
    "supportsDataBreakpoints supportsDataBreakpointBytes supportsEvaluateForHovers "
    "supportsSetVariable supportsSetExpression supportsStepBack supportsSteppingGranularity "
    "supportsDisassembleRequest supportsReadMemoryRequest supportsExceptionInfoRequest "
    "supportsTerminateRequest supportsCompletionsRequest supportsLoadedSourcesRequest";

enum sam_status dap_on_initialize(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    json_t *body = json_object();
    char name[40];
    (void)error;
    dap->lines_from_0 = json_is_false(json_object_get(arguments, "linesStartAt1"));
    dap->can_invalidate = json_is_true(json_object_get(arguments, "supportsInvalidatedEvent"));
    for (const char *at = abilities; cli_word(&at, name, sizeof name);)
        body = report_flag(body, name, true);
    return dap_respond(dap, body);
}

/* The words of "program" and "args", which keep their memory. NULL: error says why. */
static char **launch_words(const json_t *arguments, size_t *count, struct sam_error *error)
{
    const char *program = cli_json_text(arguments, "program", NULL);
    const json_t *args = json_object_get(arguments, "args"), *word;
    const size_t given = json_array_size(args);
    size_t i;
    if (args && !json_is_array(args)) {
        cli_refuse(error, "args: expected an array of strings");
        return NULL;
    }
    char **words = calloc(given + 2, sizeof *words);
    if (!words) {
        cli_refuse_memory(error);
        return NULL;
    }
    *count = 0;
    if (program)
        words[(*count)++] = (char *)(uintptr_t)program;
    json_array_foreach(args, i, word)
    {
        if (!json_is_string(word)) {
            cli_refuse(error, "args[%zu]: expected a string", i);
            free(words);
            return NULL;
        }
        words[(*count)++] = (char *)(uintptr_t)json_string_value(word);
    }
    return words;
}

/* The program has ended, or has been left. */
static void announce_end(struct dap *dap, int code)
{
    const bool left = dap->debug->state != DEBUG_ENDED && !dap->debug->at_end;
    dap->finished = true;
    if (dap->over)
        return;
    if (!left)
        dap_event(
            dap, "exited",
            report_set(json_object(), "exitCode", json_integer(code == CLI_SHOWN ? 0 : code)));
    dap_event(dap, "terminated", NULL);
}

enum sam_status dap_on_launch(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    char problem[1000] = "";
    size_t count = 0;
    if (dap->debug)
        return cli_refuse(error, "launch: the program was launched already");
    dap->stop_on_entry = json_is_true(json_object_get(arguments, "stopOnEntry"));
    dap->stop_at_end = json_is_true(json_object_get(arguments, "stopAtEnd"));
    const char *folder = cli_json_text(arguments, "cwd", NULL);
    if (folder && chdir(folder) != 0)
        return cli_refuse(error, "cwd: cannot enter '%.200s'", folder);
    char **words = launch_words(arguments, &count, error);
    if (!words)
        return SAM_ERR_USAGE;
    dap->debug = debug_new(&dap->options);
    if (!dap->debug) {
        free(words);
        return cli_refuse_memory(error);
    }
    const int code =
        dap->host->launch(dap->host->context, dap, words, count, problem, sizeof problem);
    free(words);
    if (dap->launched) {
        dap->host->flush(dap->host->context);
        announce_end(dap, code);
        return SAM_OK;
    }
    debug_free(dap->debug);
    dap->debug = NULL;
    return cli_refuse(error, "%s", problem[0] ? problem : "the program could not be started");
}

enum sam_status dap_on_configuration_done(struct dap *dap, const json_t *arguments,
                                          struct sam_error *error)
{
    (void)arguments;
    if (dap->configured)
        return cli_refuse(error, "configurationDone: the program has been started");
    dap->configured = true;
    return SAM_OK;
}

enum sam_status dap_on_disconnect(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    (void)arguments, (void)error;
    dap->over = true;
    return SAM_OK;
}

enum sam_status dap_on_terminate(struct dap *dap, const json_t *arguments, struct sam_error *error)
{
    (void)arguments;
    if (!dap->debug || !dap->debug->session)
        return cli_refuse(error, "terminate: no program");
    dap->debug->quits = true;
    return SAM_OK;
}

static bool goes_on(const struct dap *dap)
{
    return !dap->over && !dap->debug->quits && !dap->debug->goes_on;
}

/* The first launch: the client sets its breakpoints. */
static void configure(struct dap *dap)
{
    dap->launched = true;
    dap_respond(dap, NULL);
    dap_event(dap, "initialized", NULL);
    while (!dap->configured && goes_on(dap))
        dap_take(dap);
    if (dap->stop_on_entry && goes_on(dap))
        dap_send_stopped(dap, "entry", NULL, NULL);
}

int dap_drive(void *context, struct run_session *session)
{
    struct dap *dap = context;
    struct debug *d = dap->debug;
    struct sam_error error;
    if (debug_attach(d, session, &error) != SAM_OK) {
        debug_detach(d);
        return cli_report(&error);
    }
    dap->frame_count = 0;
    dap->todo = DAP_NOTHING;
    if (!dap->launched)
        configure(dap);
    else
        dap->stop_on_entry = false;
    if (!dap->stop_on_entry) {
        dap->todo = DAP_RUN;
        snprintf(dap->command, sizeof dap->command, "continue");
    }
    while (goes_on(dap)) {
        if (dap->todo != DAP_NOTHING)
            dap_do(dap);
        else
            dap_take(dap);
    }
    const bool left = dap->over || (d->quits && d->state != DEBUG_ENDED && !d->at_end);
    const int code = !left                       ? debug_verdict(d)
                     : d->state == DEBUG_TRAPPED ? CLI_PROGRAM_FAILED
                                                 : CLI_SHOWN;
    debug_detach(d);
    return code;
}
