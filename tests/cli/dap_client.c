/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/dap_client.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *to, *from;
static pid_t child;
static json_int_t last_seq;
static json_t *kept; /* an array of messages not taken yet */
static json_t *held; /* the last one taken */

void client_begin(void)
{
    int in[2], out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        if (chdir(directory) == 0)
            execl(getenv("SAMITE"), "samite", "debug", "--dap", (char *)NULL);
        _exit(98);
    }
    close(in[0]);
    close(out[1]);
    to = fdopen(in[1], "w");
    from = fdopen(out[0], "r");
    kept = json_array();
    last_seq = 0;
    assert_true(to && from && kept);
    signal(SIGPIPE, SIG_IGN);
    alarm(120); /* a message that never comes ends the test */
}

void client_end(void)
{
    int status;
    asks("disconnect", "{}");
    fclose(to);
    assert_int_equal(fgetc(from), EOF);
    fclose(from);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    json_decref(kept);
    json_decref(held);
    kept = held = NULL;
}

json_int_t client_send(const char *command, const char *arguments)
{
    char body[4096];
    const int size =
        snprintf(body, sizeof body, "{'seq':%d,'type':'request','command':'%s','arguments':%s}",
                 (int)++last_seq, command, arguments);
    assert_true(size > 0 && size < (int)sizeof body);
    for (char *c = body; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    fprintf(to, "Content-Length: %d\r\n\r\n%s", size, body);
    fflush(to);
    return last_seq;
}

/* The next message. */
static json_t *receive(void)
{
    char line[256];
    size_t size = 0;
    while (fgets(line, sizeof line, from) && strcmp(line, "\r\n") != 0)
        if (strncmp(line, "Content-Length: ", 16) == 0)
            size = strtoul(line + 16, NULL, 10);
    if (!size)
        fail_msg("the debugger has ended");
    char *body = test_room(size);
    assert_int_equal(fread(body, 1, size, from), size);
    json_t *message = json_loadb(body, size, 0, NULL);
    free(body);
    assert_non_null(message);
    return message;
}

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* The first message that fits: an event of a name, or else a response. */
static const json_t *take(const char *name, json_int_t seq)
{
    for (size_t i = 0;; i++) {
        if (i == json_array_size(kept))
            json_array_append_new(kept, receive());
        json_t *m = json_array_get(kept, i);
        if (name ? strcmp(member(m, "event"), name) != 0
                 : strcmp(member(m, "type"), "response") != 0 || number_at(m, "request_seq") != seq)
            continue;
        json_decref(held);
        held = json_incref(m);
        json_array_remove(kept, i);
        return held;
    }
}

const json_t *answer_to(json_int_t seq)
{
    const json_t *response = take(NULL, seq);
    if (!json_is_true(json_object_get(response, "success")))
        fail_msg("%s: %s", member(response, "command"), member(response, "message"));
    return json_object_get(response, "body");
}

const json_t *asks(const char *command, const char *arguments)
{
    return answer_to(client_send(command, arguments));
}

void rejects(const char *command, const char *arguments, const char *part)
{
    const json_t *response = take(NULL, client_send(command, arguments));
    if (json_is_true(json_object_get(response, "success")))
        fail_msg("%s %s succeeds", command, arguments);
    if (!strstr(member(response, "message"), part))
        fail_msg("%s: '%s' without '%s'", command, member(response, "message"), part);
    assert_string_equal(text_at(response, "body/error/variables/text"),
                        member(response, "message"));
}

const json_t *event(const char *name)
{
    return json_object_get(take(name, 0), "body");
}

void expect_output(const char *part)
{
    while (!strstr(member(event("output"), "output"), part))
        continue;
}

void stops(const char *reason)
{
    const json_t *body = event("stopped");
    if (strcmp(member(body, "reason"), reason) != 0)
        fail_msg("stopped for '%s', not for '%s'", member(body, "reason"), reason);
}

const char *text_at(const json_t *root, const char *path)
{
    const char *text = json_string_value(json_at(root, path));
    if (!text)
        fail_msg("no text at '%s'", path);
    return text;
}

void expect_line(int thread, int line)
{
    FREED char *arguments = formatted("{'threadId':%d}", thread);
    const json_int_t found = number_at(asks("stackTrace", arguments), "stackFrames/0/line");
    if (found != line)
        fail_msg("at line %d, not at %d", (int)found, line);
}

void shows_value(const char *expression, const char *value)
{
    FREED char *arguments =
        formatted("{'expression':'%s','frameId':1,'context':'watch'}", expression);
    assert_string_equal(text_at(asks("evaluate", arguments), "result"), value);
}

void launches(const char *arguments)
{
    asks("initialize", "{'adapterID':'samite','supportsInvalidatedEvent':true}");
    asks("launch", arguments);
    event("initialized");
}
