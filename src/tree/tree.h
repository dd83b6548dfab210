/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of tree/, and the one header of src/ that the command includes too. A report is a tree
 * of named values, made once: JSON is the tree, text takes its values by name, CSV has a column for
 * each. */
#ifndef SAM_TREE_H
#define SAM_TREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "samite/status.h"

/* ------------------------------------------------------------------------------- the tree */

/* Each returns the object or array that it was given, now with the value, which it takes over. When
 * memory runs out it frees both and returns NULL, which it also takes: a chain is checked once. */
json_t *sam_tree_set(json_t *object, const char *name, json_t *value);
json_t *sam_tree_add(json_t *array, json_t *value);
/* Unsigned, as every integer of a report is; jansson's are signed. */
json_t *sam_tree_count(json_t *object, const char *name, uint64_t value);
json_t *sam_tree_real(json_t *object, const char *name, double value);
json_t *sam_tree_flag(json_t *object, const char *name, bool value);
/* A string of any bytes: in one that is not UTF-8, what is not printable becomes '?'. NULL: null.
 */
json_t *sam_tree_string(const char *text);
/* Outside text on one line: control characters become blanks. NULL: null. */
json_t *sam_tree_plain(const char *text);
json_t *sam_tree_text(json_t *object, const char *name, const char *text);
/* Several members, each a name and its value, then NULL. */
json_t *sam_tree_members(json_t *object, ...) __attribute__((sentinel));
/* `count` numbers: an array, or an object whose members `name` names. */
json_t *sam_tree_numbers(const uint64_t *values, size_t count);
json_t *sam_tree_named(const uint64_t *values, unsigned count, const char *(*name)(unsigned index));

/* Members of a struct, under their own names. */
struct sam_tree_field {
    const char *name;
    size_t at;
    enum sam_tree_type { SAM_TREE_U64, SAM_TREE_U32, SAM_TREE_REAL } type;
};
#define SAM_TREE_FIELD_AS(title, where, member)                                                    \
    {                                                                                              \
        (title), offsetof(where, member),                                                          \
            _Generic(((where *)0)->member, uint64_t                                                \
                     : SAM_TREE_U64, uint32_t                                                      \
                     : SAM_TREE_U32, double                                                        \
                     : SAM_TREE_REAL)                                                              \
    }
#define SAM_TREE_FIELD(where, member) SAM_TREE_FIELD_AS(#member, where, member)
/* Those up to the row {0}. */
json_t *sam_tree_fields(json_t *object, const struct sam_tree_field *fields, const void *from);

/* ------------------------------------------------------------------------------ as text */

/* Lines with values of the report between braces:
 *   {name}  {a.b}        a value, of a member's member
 *   {name:-14}           width; '-': to the left; {x:.2} {x:14.2} decimals; {x:x} hexadecimal;
 *                        {x:.1M} in millions; {x:.3k} in thousands; {x:.3m} in thousandths
 *   {a/b:.2} {a%b:.1}    quotient, percentage; 0 where b is
 *   {a#b:30}             a bar of 30 characters, filled by that part
 *   {object^b}           the members but for the first, as percentages of b: "  load 40.2 bank 1.0"
 *   {object>b}           the largest first, without those below 0.05: "load 40.2, bank 1.0"
 *   {list*,}             the elements, joined
 *   {text?none} {list*x?none}  something else for an empty one
 *   {n|warp|warps}       the first for 1 and true, else the second
 * A line that begins with "?name " is left out where the value is 0, false, empty or missing; one
 * that begins with "*name ", or "*name?condition ", is repeated for each element of an array or
 * object, where {key} is its name or index and {value} is itself; "*name:8 ": for the first 8 of an
 * array. Names that an element lacks are looked up in the report around it. Out of memory, nothing
 * is written, and ferror(file) is set. */
void sam_tree_print(FILE *file, const char *lines, const json_t *tree);

/* ------------------------------------------------------------------------ as a whole text */

/* CSV: a line of names and a line for each of the rows, which have the members of `columns` or some
 * of them; those of an object in it count as the row's own. To be freed; NULL: no memory. */
char *sam_tree_csv(const json_t *columns, const json_t *rows);
/* Append the tree, which is released, as lines or, where `lines` is NULL, as JSON with `end` after
 * it. NULL for the tree: no memory. The second makes a text of its own. */
struct sam_buffer;
void sam_tree_put(json_t *tree, const char *lines, const char *end, struct sam_buffer *out);
enum sam_status sam_tree_report(json_t *tree, const char *lines, const char *end, char **text,
                                struct sam_error *error);

/* ------------------------------------------------------------------------------------ pages */

/* The beginning of an HTML page (page.h), to be freed; NULL: no memory. Outside text in it. A
 * legend's entry, as a format: colour, name, meaning. */
#define SAM_TREE_PAGE_KEY " <span><i style=\"background:%s\"></i><b>%s</b> %s</span>"
char *sam_tree_page_head(const char *subject, const char *title);
void sam_tree_page_escape(FILE *out, const char *text);

#endif
