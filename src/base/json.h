/* SPDX-License-Identifier: Apache-2.0 */
/* What the library's JSON documents share. Jansson takes NULL for a value as a failure, so values
 * are passed on as they come, and the whole is judged at its end. */
#ifndef SAM_JSON_H
#define SAM_JSON_H

#include <jansson.h>

#include "base/base.h"

/* Text from outside as UTF-8; NULL as null. */
json_t *sam_json_text(const char *text);
static inline json_t *sam_json_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}
/* *good becomes false when the value is NULL, or out of memory. */
void sam_json_set(json_t *object, const char *name, json_t *value, bool *good);
void sam_json_add(json_t *array, json_t *value, bool *good);

/* A uint64_t of a struct, under its name in a document. A list of them ends with {NULL, 0}. */
struct sam_json_member {
    const char *name;
    size_t at;
};
void sam_json_set_counts(json_t *object, const void *from, const struct sam_json_member *members,
                         bool *good);

/* Write the document, which is taken over, unless it is NULL or not good: then out->failed. */
void sam_json_put(json_t *root, bool good, const char *end, struct sam_buffer *out);

#endif
