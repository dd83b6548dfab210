/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

json_t *cli_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    char *plain = strdup(text); /* not UTF-8 */
    for (char *c = plain; c && *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    string = plain ? json_string(plain) : NULL;
    free(plain);
    return string;
}

json_int_t cli_json_number(uint64_t value)
{
    return (json_int_t)value;
}

bool cli_json_set(json_t *object, const char *key, json_t *value)
{
    return value && json_object_set_new(object, key, value) == 0;
}

bool cli_json_append(json_t *array, json_t *value)
{
    return value && json_array_append_new(array, value) == 0;
}

/* Cut ":NUMBER" off the end of the text. */
static bool take_number(char *text, uint64_t *number)
{
    char *colon = strrchr(text, ':');
    if (!colon || !sam_parse_u64(colon + 1, number))
        return false;
    *colon = '\0';
    return true;
}

static json_t *message(const char *file, const uint64_t place[2], const char *severity,
                       const char *text)
{
    return json_pack("{s:o, s:I, s:I, s:s, s:o}", "file", cli_json_text(file), "line",
                     cli_json_number(place[0]), "column", cli_json_number(place[1]), "severity",
                     severity, "text", cli_json_text(text));
}

/* One line; `*row` stays NULL for a source line or a caret. False: no memory. */
static bool parse_message(char *line, json_t **row)
{
    static const char *const severities[] = {"error", "warning", "note"};
    char mark[16], *first = NULL;
    const char *severity = NULL;
    uint64_t numbers[2] = {0, 0};
    for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++) {
        snprintf(mark, sizeof mark, ": %s: ", severities[i]);
        char *at = strstr(line, mark);
        if (at && (!first || at < first)) {
            first = at;
            severity = severities[i];
        }
    }
    *row = NULL;
    if (!first || line[0] == ' ')
        return true;
    *first = '\0';
    const char *text = first + strlen(severity) + 4;
    /* "file:line:column" or "file:line" */
    if (take_number(line, &numbers[1]) && !take_number(line, &numbers[0])) {
        numbers[0] = numbers[1];
        numbers[1] = 0;
    }
    *row = message(line, numbers, severity, text);
    return *row != NULL;
}

json_t *cli_json_messages(const char *path, const char *messages, const char *error)
{
    json_t *rows = json_array(), *row;
    char *copy = strdup(messages ? messages : ""), *rest = copy;
    bool good = rows && copy;
    for (char *line; good && (line = strsep(&rest, "\n"));)
        good = parse_message(line, &row) && (!row || cli_json_append(rows, row));
    free(copy);
    if (good && error && !json_array_size(rows))
        good = cli_json_append(rows, message(path, (uint64_t[]){0, 0}, "error", error));
    if (good)
        return rows;
    json_decref(rows);
    return NULL;
}

static int print(json_t *value, size_t flags)
{
    if (!value)
        return cli_no_memory();
    bool good = json_dumpf(value, stdout, flags | JSON_REAL_PRECISION(15)) == 0;
    json_decref(value);
    return good ? CLI_OK : cli_error("standard output: cannot write JSON");
}

int cli_json_print(json_t *document)
{
    int code = print(document, JSON_INDENT(2));
    if (code == CLI_OK)
        putchar('\n');
    return code;
}

int cli_json_print_row(json_t *row, bool *first)
{
    fputs(*first ? "" : ",\n", stdout);
    *first = false;
    return print(row, 0);
}
