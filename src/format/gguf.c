/* SPDX-License-Identifier: Apache-2.0 */
/* GGUF, versions 2 and 3, little-endian: counts, key-value pairs (only the alignment matters here),
 * tensor names, shapes, types and offsets, tensor data. Source: the format description and type
 * list of the ggml repository. */
#include "base/dtype.h"
#include "format/bytes.h"
#include "format/format.h"

enum { MAX_RANK = 4, DEFAULT_ALIGNMENT = 32, MAX_NESTING = 8 };

enum { VALUE_STRING = 8, VALUE_ARRAY = 9, VALUE_U32 = 4 };
static const uint8_t value_size[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/* Quantised blocks by ggml type: elements and bytes. Tensors of types neither here nor in the dtype
 * table are kept as bytes between tensors. */
static const struct {
    uint16_t elements, bytes;
} blocks[] = {
    [2] = {32, 18},    [3] = {32, 20},    [6] = {32, 22},    [7] = {32, 24},    [8] = {32, 34},
    [9] = {32, 36},    [10] = {256, 84},  [11] = {256, 110}, [12] = {256, 144}, [13] = {256, 176},
    [14] = {256, 210}, [15] = {256, 292}, [16] = {256, 66},  [17] = {256, 74},  [18] = {256, 98},
    [19] = {256, 50},  [20] = {32, 18},   [21] = {256, 110}, [22] = {256, 82},  [23] = {256, 136},
    [29] = {256, 56},  [34] = {256, 54},  [35] = {256, 66},  [39] = {32, 17},
};

static const char *take_string(struct sam_bytes *r, uint64_t *size)
{
    *size = sam_bytes_le64(r);
    return (const char *)sam_bytes_take(r, *size);
}

/* Returns false for an unknown value type. */
static bool skip_value(struct sam_bytes *r, uint32_t type, unsigned nesting)
{
    uint64_t size;
    if (type == VALUE_STRING) {
        take_string(r, &size);
        return true;
    }
    if (type != VALUE_ARRAY) {
        if (type >= SAM_COUNT(value_size))
            return false;
        sam_bytes_take(r, value_size[type]);
        return true;
    }
    uint32_t element = sam_bytes_le32(r);
    uint64_t count = sam_bytes_le64(r);
    if (r->damaged)
        return true;
    if (element >= SAM_COUNT(value_size) || nesting == MAX_NESTING)
        return false;
    if (value_size[element]) {
        uint64_t bytes;
        if (__builtin_mul_overflow(count, value_size[element], &bytes))
            bytes = UINT64_MAX;
        sam_bytes_take(r, bytes);
        return true;
    }
    bool known = true;
    for (uint64_t i = 0; known && i < count && !r->damaged; i++)
        known = skip_value(r, element, nesting + 1);
    return known;
}

static const char *read_pairs(struct sam_bytes *r, uint64_t count, uint64_t *alignment)
{
    static const char key_wanted[] = "general.alignment";
    for (uint64_t i = 0; i < count && !r->damaged; i++) {
        uint64_t size;
        const char *key = take_string(r, &size);
        uint32_t type = sam_bytes_le32(r);
        if (r->damaged)
            break;
        if (type == VALUE_U32 && size == sizeof key_wanted - 1 &&
            memcmp(key, key_wanted, (size_t)size) == 0) {
            *alignment = sam_bytes_le32(r);
            if (!r->damaged && (!*alignment || *alignment & (*alignment - 1)))
                return "the alignment is not a power of two";
        } else if (!skip_value(r, type, 0)) {
            return "a value of an unknown type";
        }
    }
    return NULL;
}

/* Read a tensor's description. Its offset is relative to the data's start, not yet known. A tensor
 * of unknown type gets no size. */
static const char *read_tensor(struct sam_bytes *r, struct sam_weight *w, struct sam_buffer *names)
{
    uint64_t size, count = 1;
    const char *name = take_string(r, &size);
    uint32_t rank = sam_bytes_le32(r);
    if (r->damaged)
        return NULL;
    if (rank > MAX_RANK || memchr(name, 0, (size_t)size))
        return "an invalid name or rank";
    sam_buffer_append(names, name, (size_t)size);
    sam_buffer_append(names, "", 1);
    w->rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
        w->shape[rank - 1 - d] = sam_bytes_le64(r); /* fastest dimension first */
        if (__builtin_mul_overflow(count, w->shape[rank - 1 - d], &count))
            return "a shape that is too large";
    }
    uint32_t type = sam_bytes_le32(r);
    w->offset = sam_bytes_le64(r);
    if (r->damaged)
        return NULL;
    enum sam_dtype dtype = sam_dtype_by_id(offsetof(struct sam_dtype_row, gguf), type);
    uint64_t elements = 1, bytes = sam_dtype_size(dtype);
    if (dtype == SAM_DTYPES && type < SAM_COUNT(blocks)) {
        elements = blocks[type].elements;
        bytes = blocks[type].bytes;
    }
    if (bytes && (count % elements || __builtin_mul_overflow(count / elements, bytes, &w->size)))
        return "a shape that does not fit its type";
    w->type = dtype == SAM_DTYPES ? SAM_OPAQUE : dtype;
    return NULL;
}

static const char *read_all(struct sam_bytes *r, struct sam_weights *weights,
                            struct sam_buffer *names, uint64_t *alignment, bool *out_of_memory)
{
    const uint8_t *start = r->at;
    size_t capacity = 0;
    sam_bytes_take(r, 4);
    uint32_t version = sam_bytes_le32(r);
    uint64_t count = sam_bytes_le64(r), pairs = sam_bytes_le64(r);
    if (!r->damaged && version != 2 && version != 3)
        return "a version other than 2 or 3";
    const char *wrong = read_pairs(r, pairs, alignment);
    for (uint64_t i = 0; !wrong && i < count && !r->damaged; i++) {
        struct sam_weight *grown =
            sam_grow(weights->tensors, weights->count, &capacity, sizeof *grown);
        *out_of_memory |= !grown;
        if (!grown)
            return "out of memory";
        weights->tensors = grown;
        grown[weights->count] = (struct sam_weight){0};
        wrong = read_tensor(r, &grown[weights->count++], names);
    }
    *out_of_memory |= names->failed;
    if (wrong || r->damaged)
        return wrong;
    uint64_t at = (uint64_t)(r->at - start);
    weights->header_size = (at + *alignment - 1) / *alignment * *alignment;
    return wrong;
}

enum sam_status sam_gguf_parse(const struct sam_prefix *in, struct sam_weights *weights,
                               uint64_t *alignment, struct sam_error *error)
{
    *alignment = DEFAULT_ALIGNMENT;
    struct sam_bytes r = {in->data, in->data + in->size, false};
    struct sam_buffer names = {0};
    bool out_of_memory = false;
    const char *wrong = read_all(&r, weights, &names, alignment, &out_of_memory);
    weights->kind = SAM_WEIGHTS_GGUF;
    weights->names = (char *)names.data;
    if (out_of_memory)
        return sam_fail_memory(error);
    if (r.damaged) {
        *in->need = in->size < 1 << 16 ? 1 << 16 : in->size * 2;
        return sam_prefix_short(in, error);
    }
    if (wrong)
        return sam_fail(error, SAM_ERR_INPUT, "%s: damaged gguf header: %s", in->name, wrong);
    if (weights->count == 0 && weights->header_size > in->file_size)
        weights->header_size = in->file_size; /* no data to align */
    const char *name = weights->names ? weights->names : "";
    for (size_t i = 0; i < weights->count; i++) {
        weights->tensors[i].name = name;
        name += strlen(name) + 1;
        if (weights->tensors[i].offset > (uint64_t)INT64_MAX - weights->header_size)
            return sam_fail(error, SAM_ERR_INPUT, "%s: tensor '%.200s' at an impossible offset",
                            in->name, weights->tensors[i].name);
        weights->tensors[i].offset += weights->header_size;
    }
    return SAM_OK;
}
