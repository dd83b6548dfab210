/* SPDX-License-Identifier: Apache-2.0 */
/* Reports. A report is a tree of named values, made once: --json prints the tree,
 * text takes its values by name, CSV has a column for each. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "samite/status.h"

/* ------------------------------------------------------------------------------- the tree */

/* Each returns the object or array that it was given, now with the value, which it takes over. When
 * memory runs out it frees both and returns NULL, which it also takes: a chain is checked once. */
json_t *report_set(json_t *object, const char *name, json_t *value);
json_t *report_add(json_t *array, json_t *value);
/* Unsigned, as every integer of a report is: jansson's are signed, and print as cli_json_print
 * does.
 */
json_t *report_count(json_t *object, const char *name, uint64_t value);
json_t *report_real(json_t *object, const char *name, double value);
json_t *report_flag(json_t *object, const char *name, bool value);
/* Any bytes, as cli_json_text takes them; NULL: null. */
json_t *report_text(json_t *object, const char *name, const char *text);
/* `count` numbers: an array, or an object whose members `name` names. */
json_t *report_numbers(const uint64_t *values, size_t count);
json_t *report_named(const uint64_t *values, unsigned count, const char *(*name)(unsigned index));

/* Members of a struct, under their own names. */
struct report_field {
    const char *name;
    size_t at;
    enum report_type { REPORT_U64, REPORT_U32, REPORT_REAL } type;
};
#define REPORT_FIELD_AS(title, where, member)                                                      \
    {                                                                                              \
        (title), offsetof(where, member),                                                          \
            _Generic(((where){0}).member, uint64_t                                                 \
                     : REPORT_U64, uint32_t                                                        \
                     : REPORT_U32, double                                                          \
                     : REPORT_REAL)                                                                \
    }
#define REPORT_FIELD(where, member) REPORT_FIELD_AS(#member, where, member)
/* Those up to the row {0}. */
json_t *report_fields(json_t *object, const struct report_field *fields, const void *from);

/* ------------------------------------------------------------------------------ as text */

/* Lines with values of the report between braces:
 *   {name}  {a.b}        a value, of a member's member
 *   {name:-14}           width; '-': to the left; {x:.2} {x:14.2} decimals; {x:x} hexadecimal;
 *                        {x:.1M} in millions; {x:.3m} in thousandths
 *   {a/b:.2} {a%b:.1}    quotient, percentage; 0 where b is
 *   {list*,}             the elements, joined
 *   {text?none} {list*x?none}  something else for an empty one
 *   {n|warp|warps}       the first for 1 and true, else the second
 * A line that begins with "?name " is left out where the value is 0, false, empty or missing; one
 * that begins with "*name ", or "*name?condition ", is repeated for each element of an array or
 * object, where {key} is its name or index and {value} is itself. Names that an element lacks
 * are looked up in the report around it. */
void report_print(FILE *out, const char *lines, const json_t *report);
/* The row, which is taken over, as lines on standard output; or as an element of `rows` where that
 * is not NULL. False, with `error` filled: no memory. */
bool report_row(json_t *rows, const char *lines, json_t *row, struct sam_error *error);

/* ------------------------------------------------------------------------------- as CSV */

/* A line of names and a line for each of the rows, which have the members of `columns` or some of
 * them; those of an object in it count as the row's own. False: cannot be written. */
bool report_csv(FILE *out, const json_t *columns, const json_t *rows);

#endif
