/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the Debug Adapter Protocol: lines "COMMAND ARGUMENTS", framed here, or raw bytes.
 * Every request has one response, and everything sent is well-formed. `launch` starts a launch of
 * its own, whatever its arguments are. */
#include "launch.h"

#include <stdio.h>

#include "base/base.h"
#include "dap.h"

/* Bits of the first byte. */
enum { RAW = 1, INTERRUPTED = 2, MOST_LINES = 40 };

struct client {
    struct sam_buffer said;
    size_t at;
    struct frames frames;
    bool interrupts;
    size_t requests, responses;
};

static size_t read_client(void *context, char *bytes, size_t size)
{
    struct client *c = context;
    const size_t left = c->said.size - c->at, part = left < size ? left : size;
    if (part)
        memcpy(bytes, c->said.data + c->at, part);
    c->at += part;
    return part;
}

static enum frames_result next(void *context, json_t **message, struct sam_error *error)
{
    struct client *c = context;
    const enum frames_result result = frames_next(&c->frames, message, error);
    if (result == FRAMES_BROKEN || result == FRAMES_INVALID)
        FUZZ_CHECK(error->text[0]);
    c->requests +=
        result == FRAMES_INVALID || strcmp(cli_json_text(*message, "type", ""), "request") == 0;
    return result;
}

static bool pending(void *context)
{
    const struct client *c = context;
    return c->interrupts && (c->at < c->said.size || c->frames.at < c->frames.end);
}

static void write_client(void *context, const char *bytes, size_t size)
{
    struct client *c = context;
    const char *body = memmem(bytes, size, "\r\n\r\n", 4);
    FUZZ_CHECK(body);
    json_t *message = json_loadb(body + 4, (size_t)(bytes + size - body - 4), JSON_ALLOW_NUL, NULL);
    FUZZ_CHECK(json_is_integer(json_object_get(message, "seq")));
    if (strcmp(cli_json_text(message, "type", ""), "response") == 0) {
        c->responses++;
        FUZZ_CHECK(json_is_true(json_object_get(message, "success")) ||
                   cli_json_text(message, "message", "")[0]);
    }
    json_decref(message);
}

static int launch(void *context, struct dap *dap, char **words, size_t count, char *problem,
                  size_t size)
{
    struct machine m = open_machine();
    FILE *out = fopen("/dev/null", "w");
    struct run_session opened = {.gpu = m.gpu,
                                 .launch = &m.launch,
                                 .session = open_session(&m),
                                 .image = m.image,
                                 .name = "k",
                                 .count = 1,
                                 .text = out};
    (void)context, (void)words;
    snprintf(problem, size, "%zu words", count);
    FUZZ_CHECK(out);
    const int code = dap_drive(dap, &opened);
    close_machine(&m, opened.session);
    fclose(out);
    return code;
}

static void attend(void *context, enum dap_attention attention)
{
    if (attention == DAP_STOPPED)
        cli_forget_interrupt();
    else if (attention == DAP_ANY && pending(context))
        cli_interrupt();
}

static void flush(void *context)
{
    (void)context;
}

static void put_message(struct sam_buffer *out, unsigned seq, const char *line, size_t size)
{
    struct sam_buffer body = {0};
    const char *blank = memchr(line, ' ', size);
    const size_t name = blank ? (size_t)(blank - line) : size;
    sam_buffer_printf(&body, "{\"seq\":%u,\"type\":\"request\",\"command\":\"%.*s\"", seq,
                      (int)name, line);
    if (blank)
        sam_buffer_printf(&body, ",\"arguments\":%.*s", (int)(size - name - 1), blank + 1);
    sam_buffer_puts(&body, "}");
    sam_buffer_printf(out, "Content-Length: %zu\r\n\r\n", body.size);
    sam_buffer_append(out, body.data, body.size);
    sam_buffer_free(&body);
}

static void put_lines(struct sam_buffer *out, const char *text, size_t size)
{
    for (unsigned count = 1; size && count <= MOST_LINES; count++) {
        const char *end = memchr(text, '\n', size);
        const size_t length = end ? (size_t)(end - text) : size;
        put_message(out, count, text, length);
        text += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct client client = {.at = 0};
    const struct dap_host host = {.context = &client,
                                  .next = next,
                                  .pending = pending,
                                  .write = write_client,
                                  .launch = launch,
                                  .attend = attend,
                                  .flush = flush};
    struct dap dap;
    struct sam_error error;
    if (!size)
        return 0;
    if (data[0] & RAW)
        sam_buffer_append(&client.said, data + 1, size - 1);
    else
        put_lines(&client.said, (const char *)data + 1, size - 1);
    client.interrupts = data[0] & INTERRUPTED;
    client.frames = (struct frames){.read = read_client, .context = &client};
    dap_init(&dap, &host);
    if (dap_serve(&dap, &error) != CLI_OK)
        FUZZ_CHECK(error.text[0] && !strchr(error.text, '\n'));
    FUZZ_CHECK(client.requests == client.responses);
    dap_free(&dap);
    frames_free(&client.frames);
    sam_buffer_free(&client.said);
    return 0;
}

#define BEGIN "initialize {\"supportsInvalidatedEvent\":true}\nlaunch {\"stopOnEntry\":true}\n"

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const talks[] = {
        BEGIN
        "setBreakpoints {\"source\":{\"path\":\"k.s\"},\"breakpoints\":[{\"line\":4},{\"line\":"
        "14,\"condition\":\"lane 3 if v3[3] > 7\",\"hitCondition\":\">= 1\"},{\"line\":12,"
        "\"logMessage\":\"{v1} at {pc\"}]}\nconfigurationDone\nthreads\n"
        "continue {\"threadId\":1}\nstackTrace {\"threadId\":1,\"levels\":3}\n"
        "scopes {\"frameId\":1}\nvariables {\"variablesReference\":1}\n"
        "variables {\"variablesReference\":2}\nvariables {\"variablesReference\":3}\n"
        "variables {\"variablesReference\":4,\"start\":1,\"count\":2}\n"
        "variables {\"variablesReference\":6}\nvariables {\"variablesReference\":260}\n"
        "setVariable {\"variablesReference\":260,\"name\":\"[1]\",\"value\":\"7\"}\n"
        "continue {\"threadId\":1}\npause {\"threadId\":1}\ndisconnect",
        BEGIN
        "configurationDone\nnext {\"threadId\":1}\nstepIn {\"threadId\":1,\"granularity\":"
        "\"instruction\"}\nstepOut {\"threadId\":1}\nstepBack {\"threadId\":1}\n"
        "reverseContinue {\"threadId\":1}\nstackTrace {\"threadId\":2}\nevaluate "
        "{\"expression\":\"stepi 30\",\"context\":\"repl\",\"frameId\":1}\nevaluate "
        "{\"expression\":\"lane 2\",\"context\":\"repl\"}\nevaluate {\"expression\":\"/x v1\","
        "\"frameId\":1}\nterminate\nthreads\n",
        BEGIN
        "configurationDone\ndataBreakpointInfo {\"name\":\"*(int *)0x90000004\"}\n"
        "setDataBreakpoints {\"breakpoints\":[{\"dataId\":\"0x90000004:4\",\"accessType\":"
        "\"readWrite\"}]}\nsetFunctionBreakpoints {\"breakpoints\":[{\"name\":\"k\"}]}\n"
        "setInstructionBreakpoints {\"breakpoints\":[{\"instructionReference\":\"0x80000030\","
        "\"offset\":4}]}\ncontinue {\"threadId\":1}\ncontinue {\"threadId\":1}\n"
        "disassemble {\"memoryReference\":\"0x80000030\",\"instructionOffset\":-3,"
        "\"instructionCount\":9}\nreadMemory {\"memoryReference\":\"0x90000000\",\"count\":99}\n"
        "setExpression {\"expression\":\"*k\",\"value\":\"0\"}\nexceptionInfo "
        "{\"threadId\":1}\nloadedSources\nsource {\"sourceReference\":1}\ncompletions "
        "{\"text\":\"br\",\"column\":3}\nsetExceptionBreakpoints {\"filters\":[]}\n"
        "continue {\"threadId\":1}\ncontinue {\"threadId\":1}\n",
    };
    for (unsigned i = 0; i < SAM_COUNT(talks); i++)
        for (uint8_t choice = 0; choice < 4; choice++) {
            struct sam_buffer input = {0};
            const char name[3] = {(char)('0' + i), (char)('0' + choice)};
            sam_buffer_append(&input, &choice, 1);
            if (choice & RAW)
                put_lines(&input, talks[i], strlen(talks[i]));
            else
                sam_buffer_puts(&input, talks[i]);
            add(context, name, input.data, input.size);
            sam_buffer_free(&input);
        }
}
