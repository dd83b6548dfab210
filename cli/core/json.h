/* SPDX-License-Identifier: Apache-2.0 */
/* JSON output of verbs: one document on standard output. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The library's messages ("name:1:2: error: text" and source lines, or NULL) as an array of
 * {file, line, column, severity, text}; line and column are 0 if there is none. Without
 * messages, `error`, unless NULL, is the only one, for the file `path`. Returns NULL on
 * out-of-memory. */
json_t *cli_json_messages(const char *path, const char *messages, const char *error);
/* Print the document and free it; NULL means out of memory. Returns an exit code. */
int cli_json_print(json_t *document);
/* Print a row of an array as soon as it is made, one line each: print "[" before the first and
 * "]" after the last. Frees the row; NULL means out of memory. Returns an exit code. */
int cli_json_print_row(json_t *row, bool *first);

#endif
