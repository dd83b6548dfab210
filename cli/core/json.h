/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that verbs print: one document on standard output. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The library's messages ("name:1:2: error: text" and source lines, or NULL) as an array of {file,
 * line, column, severity, text}; line and column are 0 where there is none. Where there is no
 * message, `error`, unless NULL, is the only one, of the file `path`. NULL: no memory. */
json_t *cli_json_messages(const char *path, const char *messages, const char *error);
/* Print the document and take it over; NULL is a lack of memory. An exit code. */
int cli_json_print(json_t *document);
/* A row of an array that is printed as it is made, one line each: print "[" before the first and
 * "]" after the last. Takes the row over; NULL is a lack of memory. An exit code. */
int cli_json_print_row(json_t *row, bool *first);

#endif
