/* SPDX-License-Identifier: Apache-2.0 */

#include <stdlib.h>

#include "cli.h"
#include "report.h"

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
    return REPORT(TEXT("file", file), COUNT("line", place[0]), COUNT("column", place[1]),
                  TEXT("severity", severity), TEXT("text", text));
}

/* Message rows and line rows; a source line and a caret have neither. */
static json_t *add_message(json_t *rows, char *line)
{
    static const char *const severities[] = {"error", "fatal error", "warning", "note"};
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
    if (!first || line[0] == ' ')
        return rows;
    *first = '\0';
    const char *text = first + strlen(severity) + 4;
    /* "file:line:column" or "file:line" */
    if (take_number(line, &numbers[1]) && !take_number(line, &numbers[0])) {
        numbers[0] = numbers[1];
        numbers[1] = 0;
    }
    if (strcmp(severity, "fatal error") == 0) /* of clang */
        severity = "error";
    return report_add(rows, message(line, numbers, severity, text));
}

json_t *cli_json_messages(const char *path, const char *messages, const char *error)
{
    json_t *rows = json_array();
    char *copy = strdup(messages ? messages : ""), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n"));)
        rows = add_message(rows, line);
    if (error && !json_array_size(rows))
        rows = report_add(rows, message(path, (uint64_t[]){0, 0}, "error", error));
    if (!copy) {
        json_decref(rows);
        return NULL;
    }
    free(copy);
    return rows;
}

const char *cli_json_text(const json_t *object, const char *name, const char *otherwise)
{
    const json_t *member = json_object_get(object, name);
    return json_is_string(member) ? json_string_value(member) : otherwise;
}

json_int_t cli_json_integer(const json_t *object, const char *name, json_int_t otherwise)
{
    const json_t *member = json_object_get(object, name);
    return json_is_integer(member) ? json_integer_value(member) : otherwise;
}

/* Next item of an array or object at `depth`; depth < 0: on one line. */
static void put_break(FILE *out, int depth, bool first)
{
    if (depth >= 0)
        fprintf(out, "%s\n%*s", first ? "" : ",", 2 * depth, "");
    else
        fputs(first ? "" : ", ", out);
}

static void put_end(FILE *out, int depth, bool empty, char bracket)
{
    if (depth >= 0 && !empty)
        fprintf(out, "\n%*s", 2 * depth, "");
    fputc(bracket, out);
}

/* As in jansson, except for integers: those of a report are unsigned, and JSON permits 64 bits. */
static bool put(FILE *out, const json_t *value, int depth)
{
    const int inner = depth < 0 ? depth : depth + 1;
    bool good = true, first = true;
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        return fprintf(out, "%llu", (unsigned long long)json_integer_value(value)) > 0;
    case JSON_ARRAY:
        fputc('[', out);
        for (size_t i = 0; i < json_array_size(value) && good; i++, first = false) {
            put_break(out, inner, first);
            good = put(out, json_array_get(value, i), inner);
        }
        put_end(out, depth, first, ']');
        return good;
    case JSON_OBJECT:
        fputc('{', out);
        for (void *at = json_object_iter((json_t *)(uintptr_t)value); at && good;
             at = json_object_iter_next((json_t *)(uintptr_t)value, at), first = false) {
            json_t *key = json_string(json_object_iter_key(at));
            put_break(out, inner, first);
            good = key && json_dumpf(key, out, JSON_ENCODE_ANY) == 0 && fputs(": ", out) >= 0 &&
                   put(out, json_object_iter_value(at), inner);
            json_decref(key);
        }
        put_end(out, depth, first, '}');
        return good;
    default: return json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) == 0;
    }
}

static int print(json_t *value, int depth)
{
    if (!value)
        return cli_no_memory();
    bool good = put(stdout, value, depth) && !ferror(stdout);
    json_decref(value);
    return good ? CLI_OK : cli_error("standard output: cannot write JSON");
}

int cli_json_print(json_t *document)
{
    int code = print(document, 0);
    if (code == CLI_OK)
        putchar('\n');
    return code;
}

int cli_json_end(bool json, json_t *rows, int code)
{
    if (json && code == CLI_OK)
        return cli_json_print(rows);
    json_decref(rows);
    return code;
}

int cli_json_print_row(json_t *row, bool *first)
{
    fputs(*first ? "" : ",\n", stdout);
    *first = false;
    return print(row, -1);
}

bool report_row(json_t *rows, const char *lines, json_t *row, struct sam_error *error)
{
    const bool good = row && (!rows || json_array_append(rows, row) == 0);
    if (!good)
        cli_fail_memory(error);
    else if (!rows)
        report_print(stdout, lines, row);
    json_decref(row);
    return good;
}
