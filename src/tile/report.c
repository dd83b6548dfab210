/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the parser and the checker: file:line:column, the line, a caret. */
#include "tile/tile.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_ERRORS = 100, MOST_WARNINGS = 100, WIDEST = 200 };

/* Of a character of UTF-8, the second byte or a later one? */
static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
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
    const char *caret = at + pos.column - 1;
    if (pos.column > WIDEST / 2)
        at = caret - WIDEST / 2;
    if (stop > caret + WIDEST / 2)
        stop = caret + WIDEST / 2;
    while (at < caret && continues(*at))
        at++;
    while (stop > caret && stop < end && continues(*stop))
        stop--;
    unsigned width = 4;
    sam_buffer_printf(out, "    ");
    for (; at < stop; at++) {
        sam_buffer_append(out, is_control(*at) ? " " : at, 1);
        width += at < caret && !continues(*at);
    }
    sam_buffer_printf(out, "\n%*s^\n", (int)width, "");
}

static void complain(struct sam_tile_report *report, struct sam_tile_pos pos, const char *kind,
                     const char *format, va_list list)
{
    const struct sam_tile_program *p = report->program;
    char text[768];
    if (p && p->name)
        sam_buffer_printf(&report->out, "%s:", p->name);
    if (pos.line)
        sam_buffer_printf(&report->out, "%" PRIu32 ":%" PRIu32 ":", pos.line, pos.column);
    if (report->out.size && (pos.line || (p && p->name)))
        sam_buffer_append(&report->out, " ", 1);
    vsnprintf(text, sizeof text, format, list);
    for (char *c = text; *c; c++)
        *c = is_control(*c) ? '?' : *c;
    sam_buffer_printf(&report->out, "%s: %s\n", kind, text);
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

enum sam_status sam_tile_report_end(struct sam_tile_report *report, char **messages,
                                    struct sam_error *error)
{
    if (report->errors > MOST_ERRORS)
        sam_buffer_printf(&report->out, "%s: error: %u errors more\n",
                          report->program ? report->program->name : "",
                          report->errors - MOST_ERRORS);
    const char *text = sam_buffer_text(&report->out);
    enum sam_status status = report->errors ? SAM_ERR_INPUT : SAM_OK;
    *messages = report->out.failed ? NULL : sam_strdup(text);
    if (!*messages)
        status = sam_fail_memory(error);
    else if (report->errors) /* the first line stands for all */
        sam_fail(error, SAM_ERR_INPUT, "%.*s", (int)strcspn(text, "\n"), text);
    sam_buffer_free(&report->out);
    return status;
}
