/* SPDX-License-Identifier: Apache-2.0 */
/* Transcripts of the command, tests/cli/NAME.txt: what is typed, and what it gives. A line is
 *
 *   == NAME            the start of a test case; what precedes the first one prepares them all
 *   # ...              a comment
 *   needs COMMAND => REASON   skip the program, for this reason, if the command fails
 *   NAME=...           a shell variable of all commands that follow; NAME() { ...; } a function
 *   @ FILE             a file: its lines follow, indented by four spaces, up to an empty line
 *   $ COMMAND          a shell command, continued by lines that begin with "> ", and under it
 *                      either all that it writes to standard output, then to standard error,
 *                      where "..." is any text within a line and, alone, any lines; or
 *   ~ TEXT             it writes TEXT somewhere
 *   ~~ TEXT            it writes TEXT, after the TEXT of the last "~~"
 *   !~ TEXT            it does not
 *   [exit N]           the exit status of that command, if it is not 0
 *   ?N COMMAND => TEXT the command ends with status N (2 if there is none) and writes one line to
 *                      standard error, which contains TEXT
 *
 * Commands run in a directory of the program, where `samite` is the command and `probe` (probe.c)
 * makes and shows arrays and reads JSON. */
#include "cli/command.h"

static struct sam_buffer text;      /* of the file; lines end in '\0' */
static char **lines;                /* NULL after the last */
static struct sam_buffer variables; /* before each command */

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Whether the line is the pattern, in which "..." is any text. */
static bool line_matches(const char *pattern, const char *line)
{
    const char *dots = strstr(pattern, "...");
    if (!dots)
        return strcmp(pattern, line) == 0;
    const size_t before = (size_t)(dots - pattern);
    if (strncmp(pattern, line, before) != 0)
        return false;
    for (line += before;; line++) {
        if (line_matches(dots + 3, line))
            return true;
        if (!*line)
            return false;
    }
}

static bool matches(char *const *expected, size_t count, char *const *got)
{
    for (; count > 0; expected++, count--, got++) {
        if (strcmp(*expected, "...") == 0) {
            do
                if (matches(expected + 1, count - 1, got))
                    return true;
            while (*got++);
            return false;
        }
        if (!*got || !line_matches(*expected, *got))
            return false;
    }
    return !*got;
}

/* Cut the text at the ends of its lines. */
static char **lines_of(const struct sam_buffer *whole)
{
    size_t count = 0;
    char *at = (char *)whole->data, **list = test_room((whole->size + 2) * sizeof *list);
    while (at && at < (char *)whole->data + whole->size) {
        list[count++] = at;
        at += strcspn(at, "\n");
        *at++ = '\0';
    }
    list[count] = NULL;
    return list;
}

static struct outcome run_command(const char *command)
{
    SCOPED(sam_buffer) script = {0};
    sam_buffer_printf(&script,
                      "cd %s && PATH=\"${SAMITE%%/*}:$SAMITE_BUILD/tests/cli:$PATH\"\n%s{ %s\n} "
                      ">.out 2>.err",
                      directory, sam_buffer_text(&variables), command);
    const struct outcome o = outcome_of(system(sam_buffer_text(&script)));
    return o;
}

static size_t line_number(char *const *line)
{
    return (size_t)(line - lines) + 1;
}

/* "?N COMMAND => TEXT" */
static void expect_refusal(char *const *at)
{
    char *end;
    long code = strtol(*at + 1, &end, 10);
    char *part = strstr(end, " => ");
    assert_non_null(part);
    *part = '\0';
    SCOPED_OUTCOME o = run_command(end);
    const char *said = sam_buffer_text(&o.err), *newline = strchr(said, '\n');
    if (o.code != (end == *at + 1 ? 2 : code) || !strstr(said, part + 4) || !newline || newline[1])
        fail_msg("line %zu:%s: exit %d: %s", line_number(at), end, o.code, said);
}

/* Whether the line is none of what a command writes. */
static bool is_input(const char *line)
{
    static const char *const signs[] = {"$ ", "?", "== ", "@ ", "# "};
    const size_t name = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    for (size_t i = 0; i < SAM_COUNT(signs); i++)
        if (begins(line, signs[i]))
            return true;
    return (name > 0 && line[name] == '=') || strstr(line, "() { ");
}

/* "$ COMMAND" and what follows it. Returns the next line. */
static char *const *expect_command(char *const *at)
{
    SCOPED(sam_buffer) command = {0};
    const size_t number = line_number(at);
    int code = 0;
    for (sam_buffer_puts(&command, *at++ + 2); *at && begins(*at, "> "); at++)
        sam_buffer_printf(&command, "\n%s", *at + 2);
    struct outcome o = run_command(sam_buffer_text(&command));
    sam_buffer_append(&o.out, o.err.data, o.err.size);
    char *const *expected = at;
    size_t count = 0;
    bool parts = false;
    const char *rest = sam_buffer_text(&o.out); /* after the last "~~ TEXT" */
    while (*at && !begins(*at, "[exit ") && !is_input(*at)) {
        const bool absent = begins(*at, "!~ ");
        if (begins(*at, "~~ ")) {
            parts = true;
            const char *found = strstr(rest, *at + 3);
            if (!found)
                fail_msg("line %zu: '%s' is not in: %s", line_number(at), *at, rest);
            rest = found + strlen(*at + 3);
        } else if (begins(*at, "~ ") || absent) {
            parts = true;
            if ((strstr(sam_buffer_text(&o.out), *at + (absent ? 3 : 2)) != NULL) == absent)
                fail_msg("line %zu: '%s' does not hold of: %s", line_number(at), *at,
                         sam_buffer_text(&o.out));
        }
        at++;
        if (*at[-1])
            count = (size_t)(at - expected);
    }
    if (*at && begins(*at, "[exit "))
        code = atoi(*at++ + 6);
    if (o.code != code)
        fail_msg("line %zu: exit %d, expected %d: %s", number, o.code, code,
                 sam_buffer_text(&o.out));
    SCOPED(sam_buffer) copy = {0};
    sam_buffer_append(&copy, o.out.data, o.out.size);
    char **got = lines_of(&copy);
    if (!parts && !matches(expected, count, got))
        fail_msg("line %zu: another output: %s", number, sam_buffer_text(&o.out));
    free(got);
    done(&o);
    return at;
}

static char *const *make_file(char *const *at)
{
    SCOPED(sam_buffer) content = {0};
    const char *name = *at++ + 2;
    for (; *at && **at; at++)
        sam_buffer_printf(&content, "%s\n", begins(*at, "    ") ? *at + 4 : *at);
    write_text(name, sam_buffer_text(&content));
    return at;
}

/* The lines up to the next case. */
static void run_lines(char *const *at)
{
    while (*at && !begins(*at, "== ")) {
        if (begins(*at, "$ ")) {
            at = expect_command(at);
        } else if (begins(*at, "@ ")) {
            at = make_file(at);
        } else {
            if (**at == '?')
                expect_refusal(at);
            else if (**at && **at != '#' && !begins(*at, "needs "))
                sam_buffer_printf(&variables, "%s\n", *at);
            at++;
        }
    }
}

static void run_case(void **state)
{
    run_lines(*state);
}

FIXTURE(prepare)
{
    make_directory();
    run_lines(lines);
    return 0;
}

static int tear_down(void **state)
{
    free(lines);
    sam_buffer_free(&text);
    sam_buffer_free(&variables);
    return remove_directory(state);
}

/* "needs COMMAND => REASON" */
static void require(const char *line)
{
    SCOPED(sam_buffer) command = {0};
    const char *reason = strstr(line, " => ");
    assert_non_null(reason);
    sam_buffer_printf(&command, "{ %.*s; } >/dev/null 2>&1", (int)(reason - line) - 6, line + 6);
    const bool there = system(sam_buffer_text(&command)) == 0;
    if (!there)
        test_skip_all("%s", reason + 4);
}

PROLOGUE
{
    struct sam_error error;
    const char *name = *test_arguments ? *test_arguments++ : "no transcript";
    if (sam_file_read(name, 1 << 20, &text, &error) != SAM_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(2);
    }
    lines = lines_of(&text);
    for (char **line = lines; *line; line++)
        if (begins(*line, "needs "))
            require(*line);
        else if (begins(*line, "== "))
            test_add(run_case, line + 1, "%s", *line + 3);
}

TEST_GROUP(prepare, tear_down)
