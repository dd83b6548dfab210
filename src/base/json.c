/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <stdlib.h>

json_t *sam_json_text(const char *text)
{
    struct sam_buffer plain = {0};
    if (!text)
        return json_null();
    sam_buffer_plain(&plain, text, strlen(text), ' ');
    json_t *value = plain.failed ? NULL : json_string(sam_buffer_text(&plain));
    sam_buffer_free(&plain);
    return value;
}

void sam_json_set(json_t *object, const char *name, json_t *value, bool *good)
{
    *good = json_object_set_new(object, name, value) == 0 && *good;
}

void sam_json_add(json_t *array, json_t *value, bool *good)
{
    *good = json_array_append_new(array, value) == 0 && *good;
}

void sam_json_set_counts(json_t *object, const void *from, const struct sam_json_member *members,
                         bool *good)
{
    for (; members->name; members++) {
        uint64_t value;
        memcpy(&value, (const char *)from + members->at, sizeof value);
        sam_json_set(object, members->name, sam_json_count(value), good);
    }
}

void sam_json_put(json_t *root, bool good, const char *end, struct sam_buffer *out)
{
    char *text = root && good ? json_dumps(root, JSON_INDENT(1)) : NULL;
    if (text) {
        sam_buffer_puts(out, text);
        sam_buffer_puts(out, end);
    } else {
        out->failed = true;
    }
    free(text);
    json_decref(root);
}
