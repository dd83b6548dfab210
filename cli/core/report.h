/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the command: trees of named values (src/tree/tree.h), under the names that verbs
 * use. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "samite/status.h"
#include "tree.h"

#define report_set      sam_tree_set
#define report_add      sam_tree_add
#define report_count    sam_tree_count
#define report_real     sam_tree_real
#define report_flag     sam_tree_flag
#define report_text     sam_tree_text
#define report_numbers  sam_tree_numbers
#define report_named    sam_tree_named
#define report_fields   sam_tree_fields
#define report_field    sam_tree_field
#define report_print    sam_tree_print
#define REPORT_FIELD    SAM_TREE_FIELD
#define REPORT_FIELD_AS SAM_TREE_FIELD_AS

/* A report with these members, and one with more of them: REPORT(TEXT("file", path), COUNT("bytes",
 * size)). */
#define REPORT(...)              REPORT_MORE(json_object(), __VA_ARGS__)
#define REPORT_MORE(object, ...) sam_tree_members((object), __VA_ARGS__, (const char *)NULL)
#define COUNT(name, value)       (name), json_integer((json_int_t)(value))
#define REAL(name, value)        (name), json_real(value)
#define FLAG(name, value)        (name), json_boolean(value)
#define TEXT(name, value)        (name), sam_tree_string(value)
#define TREE(name, value)        (name), (value)

/* Print the row, whose ownership it takes, as lines on standard output, or append it to `rows`
 * unless that is NULL. Returns false on out-of-memory, with `error` filled. */
bool report_row(json_t *rows, const char *lines, json_t *row, struct sam_error *error);

/* --- json.c: members of an object, `otherwise` where one is missing or of another type */
const char *cli_json_text(const json_t *object, const char *name, const char *otherwise);
json_int_t cli_json_integer(const json_t *object, const char *name, json_int_t otherwise);

/* --- json.c: JSON output of verbs, one document on standard output */
/* The library's messages ("name:1:2: error: text" and source lines, or NULL) as an array of
 * {file, line, column, severity, text}; line and column are 0 if there is none. Without
 * messages, `error`, unless NULL, is the only one, for the file `path`. Returns NULL on
 * out-of-memory. */
json_t *cli_json_messages(const char *path, const char *messages, const char *error);
/* Print the document and free it; NULL means out of memory. Returns an exit code. */
int cli_json_print(json_t *document);
/* The end of a verb: print the rows of --json, if it was given, unless the code is a failure; they
 * are freed. Returns the exit code. */
int cli_json_end(bool json, json_t *rows, int code);
/* Print a row of an array as soon as it is made, one line each: print "[" before the first and
 * "]" after the last. Frees the row; NULL means out of memory. Returns an exit code. */
int cli_json_print_row(json_t *row, bool *first);

#endif
