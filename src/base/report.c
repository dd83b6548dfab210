/* SPDX-License-Identifier: Apache-2.0 */
#include "base/report.h"

#include <stdlib.h>

enum { SHOWN = 100 }; /* bytes of a long line shown on each side of the caret */

struct sam_report_row {
    uint64_t order;
    size_t start, size, first_line; /* in `out` */
    bool is_error;
};

/* Returns whether this is a UTF-8 continuation byte. */
static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Control characters become blanks, so that the caret is below its column. */
static void show_line(struct sam_buffer *out, const struct sam_spot *spot)
{
    const char *start = spot->text, *end = start + spot->size;
    size_t before = spot->column ? spot->column - 1 : 0; /* may be past the last character */
    const char *caret = before < spot->size ? start + before : end;
    while (caret > start && caret < end && continues(*caret))
        caret--;
    if (caret - start >= SHOWN)
        start = caret - SHOWN;
    if (end - caret > SHOWN)
        end = caret + SHOWN;
    while (start < caret && continues(*start))
        start++;
    while (end > caret && end < spot->text + spot->size && continues(*end))
        end--;
    sam_buffer_puts(out, "    ");
    size_t width = 4 + sam_buffer_plain(out, start, (size_t)(caret - start), ' ');
    sam_buffer_plain(out, caret, (size_t)(end - caret), ' ');
    sam_buffer_puts(out, "\n");
    if (spot->column) {
        sam_buffer_fill(out, ' ', width);
        sam_buffer_puts(out, "^\n");
    }
}

static void put_plain(struct sam_buffer *out, const char *text)
{
    sam_buffer_plain(out, text, strlen(text), '?');
}

static void put_first_line(struct sam_buffer *out, bool is_error, const struct sam_spot *spot,
                           const char *text)
{
    if (spot->file) {
        put_plain(out, spot->file);
        sam_buffer_puts(out, ":");
    }
    if (spot->line)
        sam_buffer_printf(out, "%u:", spot->line);
    if (spot->line && spot->column)
        sam_buffer_printf(out, "%u:", spot->column);
    if (spot->file || spot->line)
        sam_buffer_puts(out, " ");
    sam_buffer_puts(out, is_error ? "error: " : "warning: ");
    put_plain(out, text);
    sam_buffer_puts(out, "\n");
}

static bool is_repeated(const struct sam_report *report, uint64_t order, size_t start)
{
    const struct sam_report_row *last = report->count ? &report->rows[report->count - 1] : NULL;
    const size_t size = report->out.size - start;
    return last && !report->out.failed && last->order == order && last->first_line == size &&
           memcmp(report->out.data + last->start, report->out.data + start, size) == 0;
}

bool sam_report_add(struct sam_report *report, uint64_t order, bool is_error,
                    const struct sam_spot *spot, const char *format, va_list list)
{
    unsigned *count = is_error ? &report->errors : &report->warnings;
    if (!sam_report_takes(report, is_error)) {
        ++*count;
        return true;
    }
    char text[768];
    struct sam_buffer *out = &report->out;
    size_t start = out->size;
    sam_format_list(text, sizeof text, format, list);
    put_first_line(out, is_error, spot, text);
    if (is_repeated(report, order, start)) {
        out->size = start;
        return false;
    }
    size_t first_line = out->size - start;
    if (spot->text)
        show_line(out, spot);
    void *grown = sam_grow(report->rows, report->count, &report->capacity, sizeof *report->rows);
    ++*count;
    out->failed |= !grown;
    if (!grown)
        return true;
    report->rows = grown;
    report->rows[report->count++] =
        (struct sam_report_row){order, start, out->size - start, first_line, is_error};
    return true;
}

void sam_report_note(struct sam_report *report, const char *file, unsigned line, const char *what)
{
    struct sam_buffer *out = &report->out;
    if (!report->count || out->failed)
        return;
    struct sam_report_row *row = &report->rows[report->count - 1];
    put_plain(out, file);
    sam_buffer_printf(out, ":%u: note: in ", line);
    put_plain(out, what);
    sam_buffer_puts(out, "\n");
    row->size = out->size - row->start;
}

static int by_order(const void *a, const void *b)
{
    const struct sam_report_row *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static void put_more(struct sam_buffer *out, unsigned count, const char *what)
{
    unsigned more = count > SAM_REPORT_MOST ? count - SAM_REPORT_MOST : 0;
    if (more)
        sam_buffer_printf(out, "%s: %u more %s%s\n", what, more, what, more > 1 ? "s" : "");
}

char *sam_report_end(struct sam_report *report, const char *last, struct sam_error *error)
{
    struct sam_buffer out = {.failed = report->out.failed};
    bool is_first = true;
    if (report->count)
        qsort(report->rows, report->count, sizeof *report->rows, by_order);
    for (size_t i = 0; i < report->count && !out.failed; i++) {
        const struct sam_report_row *row = &report->rows[i];
        const char *text = (const char *)report->out.data + row->start;
        sam_buffer_append(&out, text, row->size);
        if (row->is_error && is_first)
            sam_fail(error, SAM_ERR_INPUT, "%.*s", (int)row->first_line - 1, text);
        is_first &= !row->is_error;
    }
    put_more(&out, report->errors, "error");
    put_more(&out, report->warnings, "warning");
    if (last)
        sam_buffer_puts(&out, last);
    char *text = out.failed ? NULL : sam_strdup(sam_buffer_text(&out));
    sam_buffer_free(&out);
    sam_report_free(report);
    return text;
}

void sam_report_free(struct sam_report *report)
{
    sam_buffer_free(&report->out);
    free(report->rows);
    *report = (struct sam_report){0};
}
