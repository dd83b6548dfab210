/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow.js: model.json, whose "weightsManifest" lists groups, each with its files and the
 * tensors stored in them in sequence. Source: the format description in the loader of TensorFlow.js
 * (io/types, io/io_utils). */
#include <jansson.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "format/format.h"

static bool type_of(const json_t *name, enum sam_dtype *type)
{
    *type = sam_dtype_by_name(offsetof(struct sam_dtype_row, tfjs), json_string_value(name));
    return *type != SAM_DTYPES;
}

/* Compute the bytes of the shape. Returns false on overflow. */
static bool size_of(const struct sam_weight *w, enum sam_dtype type, uint64_t *size)
{
    *size = sam_dtype_bits(type) / 8;
    for (size_t d = 0; d < w->rank; d++)
        if (w->shape[d] == 0)
            *size = 0;
    for (size_t d = 0; *size && d < w->rank; d++)
        if (__builtin_mul_overflow(*size, w->shape[d], size))
            return false;
    return *size <= INT64_MAX;
}

static bool read_shape(const json_t *shape, struct sam_weight *w)
{
    if (!json_is_array(shape) || json_array_size(shape) > SAM_WEIGHT_RANK)
        return false;
    w->rank = json_array_size(shape);
    for (size_t d = 0; d < w->rank; d++) {
        const json_t *value = json_array_get(shape, d);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return false;
        w->shape[d] = (uint64_t)json_integer_value(value);
    }
    return true;
}

/* Quantised elements: float16 as stored, uint8 and uint16 as min + scale * element. */
static const char *read_quantization(const json_t *object, struct sam_weight *w,
                                     struct sam_tfjs_stored *stored)
{
    const json_t *scale = json_object_get(object, "scale"), *min = json_object_get(object, "min");
    if (w->type != SAM_F32)
        return "quantized elements other than float32, which are not supported";
    if (!type_of(json_object_get(object, "dtype"), &stored->type))
        return "an unknown dtype of its quantization";
    if (stored->type == SAM_F16 && !scale && !min) {
        w->type = SAM_F16;
        return NULL;
    }
    if ((stored->type != SAM_U8 && stored->type != SAM_U16) || !json_is_number(scale) ||
        !json_is_number(min))
        return "quantization that is neither float16 nor uint8 or uint16 with scale and min";
    stored->quantized = true;
    stored->scale = json_number_value(scale);
    stored->min = json_number_value(min);
    return NULL;
}

/* Returns NULL or the fault. */
static const char *read_tensor(const json_t *object, struct sam_weight *w,
                               struct sam_tfjs_stored *stored)
{
    const json_t *quantization = json_object_get(object, "quantization");
    if (!type_of(json_object_get(object, "dtype"), &w->type))
        return "a dtype other than float32, float16, int32, uint16, uint8 and bool";
    if (!read_shape(json_object_get(object, "shape"), w))
        return "it has no shape, or an invalid one";
    stored->type = w->type;
    const char *wrong = quantization ? read_quantization(quantization, w, stored) : NULL;
    if (wrong)
        return wrong;
    if (!size_of(w, w->type, &w->size) || !size_of(w, stored->type, &stored->size))
        return "a shape that is too large";
    return NULL;
}

/* Returns whether this is a plain file name, in the manifest's folder. */
static bool is_beside(const char *path)
{
    return path && path[0] && path[0] != '.' && !strpbrk(path, "/\\");
}

struct reader {
    const char *file;
    struct sam_tfjs *tfjs;
    size_t tensors, stored, groups; /* room */
    struct sam_error *error;
};

static bool wrong(struct reader *r, const char *what)
{
    sam_fail(r->error, SAM_ERR_INPUT, "%s: %s", r->file, what);
    return false;
}

static bool read_paths(struct reader *r, const json_t *paths, struct sam_tfjs_group *group)
{
    if (!json_is_array(paths))
        return wrong(r, "a group of weights without paths");
    group->paths = sam_alloc(json_array_size(paths), sizeof *group->paths);
    if (!group->paths)
        return sam_fail_memory(r->error), false;
    for (size_t i = 0; i < json_array_size(paths); i++) {
        const char *path = json_string_value(json_array_get(paths, i));
        if (!is_beside(path))
            return wrong(r, "a path of weights that is not a file name in the same folder");
        group->paths[i] = sam_strdup(path);
        if (!group->paths[i])
            return sam_fail_memory(r->error), false;
        group->path_count++;
    }
    return true;
}

static bool read_weight(struct reader *r, const json_t *object, struct sam_tfjs_group *group)
{
    struct sam_tfjs *t = r->tfjs;
    const char *name = json_string_value(json_object_get(object, "name"));
    struct sam_weight *tensors = sam_grow(t->tensors, t->count, &r->tensors, sizeof *tensors);
    t->tensors = tensors ? tensors : t->tensors;
    struct sam_tfjs_stored *stored = sam_grow(t->stored, t->count, &r->stored, sizeof *stored);
    t->stored = stored ? stored : t->stored;
    if (!tensors || !stored)
        return sam_fail_memory(r->error), false;
    struct sam_weight *w = &tensors[t->count];
    struct sam_tfjs_stored *s = &stored[t->count];
    *w = (struct sam_weight){0};
    *s = (struct sam_tfjs_stored){.group = t->group_count - 1, .offset = group->size};
    if (!name || !name[0])
        return wrong(r, "a weight without a name");
    const char *what = read_tensor(object, w, s);
    if (!what && s->size > INT64_MAX - group->size)
        what = "a group that is too large";
    if (what) {
        sam_fail(r->error, SAM_ERR_INPUT, "%s: tensor '%.200s': %s", r->file, name, what);
        return false;
    }
    group->size += s->size;
    w->name = sam_strdup(name);
    if (!w->name)
        return sam_fail_memory(r->error), false;
    t->count++;
    return true;
}

static bool read_group(struct reader *r, const json_t *object)
{
    struct sam_tfjs *t = r->tfjs;
    const json_t *weights = json_object_get(object, "weights");
    struct sam_tfjs_group *grown = sam_grow(t->groups, t->group_count, &r->groups, sizeof *grown);
    if (!grown)
        return sam_fail_memory(r->error), false;
    t->groups = grown;
    struct sam_tfjs_group *group = &grown[t->group_count++];
    *group = (struct sam_tfjs_group){0};
    bool good = read_paths(r, json_object_get(object, "paths"), group) &&
                (json_is_array(weights) || wrong(r, "a group without weights"));
    for (size_t i = 0; good && i < json_array_size(weights); i++)
        good = read_weight(r, json_array_get(weights, i), group);
    return good;
}

enum sam_status sam_tfjs_parse(const void *text, size_t size, const char *name,
                               struct sam_tfjs *tfjs, struct sam_error *error)
{
    struct sam_error own = {0};
    json_error_t why;
    if (tfjs)
        *tfjs = (struct sam_tfjs){0};
    if (SAM_LACKS(error, tfjs, text, name))
        return SAM_ERR_USAGE;
    struct reader r = {.file = name, .tfjs = tfjs, .error = error ? error : &own};
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        return sam_fail(error, SAM_ERR_INPUT, "%s: damaged JSON: %s, at byte %d", name, why.text,
                        why.position);
    const json_t *manifest = json_object_get(root, "weightsManifest");
    bool good = json_is_array(manifest) ||
                wrong(&r, "JSON without a weightsManifest: expected the model.json of "
                          "TensorFlow.js");
    for (size_t i = 0; good && i < json_array_size(manifest); i++)
        good = read_group(&r, json_array_get(manifest, i));
    json_decref(root);
    if (good)
        return SAM_OK;
    sam_tfjs_free(tfjs);
    return r.error->status;
}

void sam_tfjs_take(const struct sam_tfjs *tfjs, size_t tensor, const void *group, void *out)
{
    if (tensor >= tfjs->count)
        return;
    const struct sam_tfjs_stored *s = &tfjs->stored[tensor];
    const uint8_t *in = (const uint8_t *)group + s->offset;
    uint8_t *bytes = out;
    if (!s->quantized) {
        if (s->size)
            memcpy(bytes, in, (size_t)s->size);
        return;
    }
    size_t width = sam_dtype_bits(s->type) / 8;
    for (uint64_t i = 0; i < s->size / width; i++) {
        double element = width == 1 ? in[i] : sam_le16(in + 2 * i);
        sam_put_le32(bytes + 4 * i, sam_f32_bits((float)(element * s->scale + s->min)));
    }
}

void sam_tfjs_free(struct sam_tfjs *tfjs)
{
    if (!tfjs)
        return;
    for (size_t g = 0; g < tfjs->group_count; g++) {
        for (size_t i = 0; i < tfjs->groups[g].path_count; i++)
            free(tfjs->groups[g].paths[i]);
        free(tfjs->groups[g].paths);
    }
    for (size_t i = 0; i < tfjs->count; i++)
        free((void *)(uintptr_t)tfjs->tensors[i].name);
    free(tfjs->groups);
    free(tfjs->tensors);
    free(tfjs->stored);
    *tfjs = (struct sam_tfjs){0};
}
