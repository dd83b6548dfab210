/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for the library's JSON documents. Jansson reports failure by NULL values, so values are
 * passed on unchecked and the document is checked at its end. */
#ifndef SAM_JSON_H
#define SAM_JSON_H

#include <jansson.h>

#include "base/base.h"

/* Outside text as UTF-8; NULL as null. */
json_t *sam_json_text(const char *text);
static inline json_t *sam_json_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}
/* Set a member; clears *good if the value is NULL or memory runs out. */
void sam_json_set(json_t *object, const char *name, json_t *value, bool *good);
void sam_json_add(json_t *array, json_t *value, bool *good);

/* A uint64_t member of a struct and its name in a document. Lists end with {NULL, 0}. */
struct sam_json_member {
    const char *name;
    size_t at;
};
void sam_json_set_counts(json_t *object, const void *from, const struct sam_json_member *members,
                         bool *good);

/* Append the document followed by `end`, and release it. If it is NULL or not good, set
 * out->failed. */
void sam_json_put(json_t *root, bool good, const char *end, struct sam_buffer *out);

#endif
