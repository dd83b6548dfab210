/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors: 8-byte header size, header (a JSON object that maps names to dtype, shape and
 * data_offsets, relative to the end of the header), tensors. Source: the format description in its
 * repository. */
#include <jansson.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "format/format.h"

enum { SIZE_BYTES = 8, MAX_HEADER = 100000000 };

/* Unknown dtypes are kept as bytes. */
static enum sam_dtype type_of(const char *name)
{
    enum sam_dtype type = sam_dtype_by_name(offsetof(struct sam_dtype_row, safetensors), name);
    return type == SAM_DTYPES ? SAM_OPAQUE : type;
}

static bool number(const json_t *value, uint64_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

/* Returns NULL or the fault. */
static const char *read_tensor(const json_t *object, uint64_t data_at, struct sam_weight *w)
{
    const json_t *shape = json_object_get(object, "shape");
    const json_t *offsets = json_object_get(object, "data_offsets");
    const char *type = json_string_value(json_object_get(object, "dtype"));
    uint64_t begin, end;
    if (!type || !json_is_array(shape) || json_array_size(offsets) != 2)
        return "dtype, shape or data_offsets is missing or malformed";
    if (!number(json_array_get(offsets, 0), &begin) || !number(json_array_get(offsets, 1), &end) ||
        begin > end || end > (uint64_t)INT64_MAX - data_at)
        return "invalid data_offsets";
    w->type = type_of(type);
    w->offset = data_at + begin;
    w->size = end - begin;
    w->rank = json_array_size(shape);
    if (w->rank > SAM_WEIGHT_RANK) { /* the verbatim header keeps the shape */
        w->type = SAM_OPAQUE;
        w->rank = 1;
        w->shape[0] = w->size;
        return NULL;
    }
    for (size_t d = 0; d < w->rank; d++)
        if (!number(json_array_get(shape, d), &w->shape[d]))
            return "an invalid shape";
    return NULL;
}

static enum sam_status read_header(const json_t *root, uint64_t data_at, const char *name,
                                   struct sam_weights *weights, struct sam_error *error)
{
    size_t names = 0, count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)root, key, value) names += strlen(key) + 1;
    weights->tensors = sam_alloc(json_object_size(root), sizeof *weights->tensors);
    weights->names = sam_alloc(names, 1);
    if (!weights->tensors || !weights->names)
        return sam_fail_memory(error);
    char *at = weights->names;
    json_object_foreach((json_t *)root, key, value)
    {
        if (strcmp(key, "__metadata__") == 0)
            continue;
        struct sam_weight *w = &weights->tensors[count++];
        size_t size = strlen(key) + 1;
        memcpy(at, key, size);
        w->name = at;
        at += size;
        const char *wrong = read_tensor(value, data_at, w);
        if (wrong)
            return sam_fail(error, SAM_ERR_INPUT, "%s: tensor '%.200s': %s", name, key, wrong);
    }
    weights->count = count;
    return SAM_OK;
}

enum sam_status sam_safetensors_parse(const struct sam_prefix *in, struct sam_weights *weights,
                                      struct sam_error *error)
{
    const uint8_t *data = in->data;
    json_error_t json_error;
    *in->need = SIZE_BYTES;
    if (in->size < SIZE_BYTES)
        return sam_prefix_short(in, error);
    uint64_t size = sam_le64(data);
    if (size > MAX_HEADER || size < 2)
        return sam_fail(error, SAM_ERR_INPUT,
                        "%s: not a safetensors file: a header of %llu bytes, expected 2 to %d",
                        in->name, (unsigned long long)size, MAX_HEADER);
    *in->need = SIZE_BYTES + (size_t)size;
    if (in->size < *in->need)
        return sam_prefix_short(in, error);
    if (data[SIZE_BYTES] != '{')
        return sam_fail(error, SAM_ERR_INPUT,
                        "%s: not a safetensors file: the header is not an object", in->name);
    json_t *root = json_loadb((const char *)data + SIZE_BYTES, (size_t)size, JSON_REJECT_DUPLICATES,
                              &json_error);
    if (!root)
        return sam_fail(error, SAM_ERR_INPUT, "%s: damaged safetensors header: %s, at byte %d",
                        in->name, json_error.text, json_error.position);
    weights->kind = SAM_WEIGHTS_SAFETENSORS;
    weights->header_size = SIZE_BYTES + size;
    enum sam_status status = read_header(root, weights->header_size, in->name, weights, error);
    json_decref(root);
    return status;
}
