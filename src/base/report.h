/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics with source text, for the assembler and tile programs: "file:line:column: error:
 * text", the line with a caret below the column, notes. They are collected in any order and printed
 * in source order. */
#ifndef SAM_BASE_REPORT_H
#define SAM_BASE_REPORT_H

#include "base/base.h"

struct sam_spot {
    const char *file;      /* NULL: none */
    unsigned line, column; /* from 1; 0: none */
    const char *text;      /* the source line, not terminated; NULL: not shown */
    size_t size;
};

/* Initially all zero. */
struct sam_report {
    unsigned errors, warnings;
    struct sam_buffer out; /* `failed`: a message is missing */
    struct sam_report_row *rows;
    size_t count, capacity;
};

/* At most this many errors and this many warnings are kept; the rest are only counted. */
enum { SAM_REPORT_MOST = 200 };
static inline bool sam_report_takes(const struct sam_report *report, bool is_error)
{
    return (is_error ? report->errors : report->warnings) < SAM_REPORT_MOST;
}

/* Add a message. Messages are sorted by `order`, then insertion. Returns false for one dropped
 * because its first line repeats the previous message of its order. */
bool sam_report_add(struct sam_report *report, uint64_t order, bool is_error,
                    const struct sam_spot *spot, const char *format, va_list list);
/* Append "file:line: note: in WHAT" to the last message. */
void sam_report_note(struct sam_report *report, const char *file, unsigned line, const char *what);
/* Return the whole text, followed by `last` unless NULL, to be freed with free(), and empty the
 * report. `error` receives the first line of the first error, if any. Returns NULL on
 * out-of-memory. */
char *sam_report_end(struct sam_report *report, const char *last, struct sam_error *error);
void sam_report_free(struct sam_report *report);

#endif
