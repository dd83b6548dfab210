/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by help and man pages. */
#ifndef HELP_H
#define HELP_H

#include "cli.h"

/* A line of a verb's details: prose is filled, a line that begins with two blanks is kept. */
enum cli_line_kind { CLI_LINE_EMPTY, CLI_LINE_PROSE, CLI_LINE_VERBATIM };

struct cli_help_line {
    enum cli_line_kind kind;
    const char *text;
    size_t size;
};

/* The line at *text, which advances past it. */
void cli_help_line(const char **text, struct cli_help_line *line);
/* "im2col, pad: " for a row of these forms only; "" if its heading says so or one form (not -1)
 * is shown. */
void cli_forms_prefix(const struct cli_cursor *cursor, int form, char *text, size_t room);

#endif
