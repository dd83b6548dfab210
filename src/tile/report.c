/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the parser and the checker: file:line:column, the line, a caret. */
#include "tile/tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ERRORS = 100, MOST_WARNINGS = 100, WIDEST = 200 };

struct sam_tile_message {
    struct sam_tile_pos pos;
    size_t number, start, end; /* in the text */
};

/* Of a character of UTF-8, the second byte or a later one? */
static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line of the text, control characters as blanks so that the caret stands below its column. */
static void show_line(struct sam_buffer *out, const struct sam_tile_program *p,
                      struct sam_tile_pos pos)
{
    const char *at = p->text, *end = p->text + p->size;
    for (uint32_t line = 1; line < pos.line && at; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return;
    /* A long line is shown around its column. */
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    if (stop > at && stop[-1] == '\r')
        stop--;
    const char *caret = at + pos.column - 1; /* a token may begin after the last character */
    caret = caret < stop ? caret : stop;
    if (caret - at >= WIDEST / 2)
        at = caret - WIDEST / 2;
    if (stop > caret + WIDEST / 2)
        stop = caret + WIDEST / 2;
    while (at < caret && continues(*at))
        at++;
    while (stop > caret && stop < end && continues(*stop))
        stop--;
    sam_buffer_printf(out, "    ");
    size_t width = 4 + sam_buffer_plain(out, at, (size_t)(caret - at), ' ');
    sam_buffer_plain(out, caret, (size_t)(stop - caret), ' ');
    sam_buffer_printf(out, "\n%*s^\n", (int)width, "");
}

static void complain(struct sam_tile_report *report, struct sam_tile_pos pos, const char *kind,
                     const char *format, va_list list)
{
    const struct sam_tile_program *p = report->program;
    char text[768];
    void *grown =
        sam_grow(report->messages, report->count, &report->capacity, sizeof *report->messages);
    if (grown) {
        report->messages = grown;
        report->messages[report->count] =
            (struct sam_tile_message){pos, report->count, report->out.size, 0};
        report->count++;
    }
    report->out.failed |= !grown;
    if (p && p->name)
        sam_buffer_printf(&report->out, "%s:", p->name);
    if (pos.line)
        sam_buffer_printf(&report->out, "%" PRIu32 ":%" PRIu32 ":", pos.line, pos.column);
    if (report->out.size && (pos.line || (p && p->name)))
        sam_buffer_append(&report->out, " ", 1);
    sam_format_list(text, sizeof text, format, list);
    sam_buffer_printf(&report->out, "%s: ", kind);
    sam_buffer_plain(&report->out, text, strlen(text), '?');
    sam_buffer_append(&report->out, "\n", 1);
    if (p && p->text && pos.line)
        show_line(&report->out, p, pos);
}

void sam_tile_error(struct sam_tile_report *report, struct sam_tile_pos pos, const char *format,
                    ...)
{
    va_list list;
    va_start(list, format);
    if (report->errors++ < MOST_ERRORS)
        complain(report, pos, "error", format, list);
    va_end(list);
}

void sam_tile_warning(struct sam_tile_report *report, struct sam_tile_pos pos, const char *format,
                      ...)
{
    va_list list;
    va_start(list, format);
    if (report->warnings++ < MOST_WARNINGS)
        complain(report, pos, "warning", format, list);
    va_end(list);
}

void sam_tile_report_free(struct sam_tile_report *report)
{
    sam_buffer_free(&report->out);
    free(report->messages);
}

static int by_line(const void *x, const void *y)
{
    const struct sam_tile_message *a = x, *b = y;
    return a->pos.line != b->pos.line       ? (a->pos.line < b->pos.line ? -1 : 1)
           : a->pos.column != b->pos.column ? (a->pos.column < b->pos.column ? -1 : 1)
                                            : (a->number > b->number) - (a->number < b->number);
}

/* The stages of the checker each go through the whole text. */
static void sort(struct sam_tile_report *report)
{
    struct sam_buffer sorted = {0};
    for (size_t i = 0; i < report->count; i++)
        report->messages[i].end =
            i + 1 < report->count ? report->messages[i + 1].start : report->out.size;
    if (report->count)
        qsort(report->messages, report->count, sizeof *report->messages, by_line);
    for (size_t i = 0; i < report->count && !report->out.failed; i++)
        sam_buffer_append(&sorted, sam_buffer_text(&report->out) + report->messages[i].start,
                          report->messages[i].end - report->messages[i].start);
    sorted.failed |= report->out.failed;
    sam_buffer_free(&report->out);
    report->out = sorted;
}

enum sam_status sam_tile_report_end(struct sam_tile_report *report, char **messages,
                                    struct sam_error *error)
{
    sort(report);
    if (report->errors > MOST_ERRORS)
        sam_buffer_printf(&report->out, "%s: error: %u errors more\n",
                          report->program ? report->program->name : "",
                          report->errors - MOST_ERRORS);
    const char *text = sam_buffer_text(&report->out), *first = strstr(text, "error: ");
    while (first && first > text && first[-1] != '\n')
        first--;
    enum sam_status status = report->errors ? SAM_ERR_INPUT : SAM_OK;
    *messages = report->out.failed ? NULL : sam_strdup(text);
    if (!*messages)
        status = sam_fail_memory(error);
    else if (first) /* which stands for all */
        sam_fail(error, SAM_ERR_INPUT, "%.*s", (int)strcspn(first, "\n"), first);
    sam_tile_report_free(report);
    return status;
}
