/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about source text, shared by the assembler and tile programs: "file:line:column: error:
 * text", the line with a caret under the column, notes. They are added as they are found and come
 * out in source order. */
#ifndef SAM_BASE_REPORT_H
#define SAM_BASE_REPORT_H

#include "base/base.h"

struct sam_spot {
    const char *file;      /* NULL: none */
    unsigned line, column; /* from 1; 0: none */
    const char *text;      /* the line, not terminated; NULL: not shown */
    size_t size;
};

/* An all-zero one is empty. */
struct sam_report {
    unsigned errors, warnings;
    struct sam_buffer out; /* `failed`: a message is missing */
    struct sam_report_row *rows;
    size_t count, capacity;
};

/* This many errors and this many warnings are kept; the rest are only counted. */
enum { SAM_REPORT_MOST = 200 };
static inline bool sam_report_takes(const struct sam_report *report, bool is_error)
{
    return (is_error ? report->errors : report->warnings) < SAM_REPORT_MOST;
}

/* `order` is the place of the message; messages of one order stay as they were added. One whose
 * first line repeats that of the previous message of its order is dropped: false. */
bool sam_report_add(struct sam_report *report, uint64_t order, bool is_error,
                    const struct sam_spot *spot, const char *format, va_list list);
/* "file:line: note: in WHAT" after the message that was just added. */
void sam_report_note(struct sam_report *report, const char *file, unsigned line, const char *what);
/* The whole text, with `last` (or NULL) at the end, to be freed with free(); the report is empty
 * afterwards. The first line of the first error, if any, goes to `error` to stand for all. NULL:
 * out of memory. */
char *sam_report_end(struct sam_report *report, const char *last, struct sam_error *error);
void sam_report_free(struct sam_report *report);

#endif
