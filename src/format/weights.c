/* SPDX-License-Identifier: Apache-2.0 */
/* Weight files: detection of their kind, and their layout. */
#include <stdlib.h>

#include "format/format.h"

enum sam_weights_kind sam_weights_kind_of(const void *data, size_t size, const char *path)
{
    const uint8_t *bytes = data;
    size_t length = path ? strlen(path) : 0;
    size = data ? size : 0;
    if (size >= 4 && memcmp(bytes, "GGUF", 4) == 0)
        return SAM_WEIGHTS_GGUF;
    if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        return SAM_WEIGHTS_NPY;
    static const char suffix[] = ".safetensors";
    if (length >= sizeof suffix && strcmp(path + length - (sizeof suffix - 1), suffix) == 0)
        return SAM_WEIGHTS_SAFETENSORS;
    if (size >= 9 && bytes[8] == '{' && sam_le64(bytes) < (1 << 27))
        return SAM_WEIGHTS_SAFETENSORS;
    return SAM_WEIGHTS_RAW;
}

enum sam_status sam_prefix_short(const struct sam_prefix *in, struct sam_error *error)
{
    if (in->size >= in->file_size)
        return sam_fail(error, SAM_ERR_INPUT, "%s: truncated in its header", in->name);
    if (*in->need > in->file_size) /* read to the end, to be sure that it does not suffice */
        *in->need = (size_t)in->file_size;
    return SAM_OK;
}

static int by_offset(const void *a, const void *b)
{
    const struct sam_weight *left = a, *right = b;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    if (left->size != right->size) /* an empty tensor sorts before others at its position */
        return left->size < right->size ? -1 : 1;
    return strcmp(left->name, right->name);
}

static enum sam_status finish(const struct sam_prefix *in, struct sam_weights *weights,
                              uint64_t alignment, struct sam_error *error)
{
    struct sam_error why = {0};
    if (weights->count)
        qsort(weights->tensors, weights->count, sizeof *weights->tensors, by_offset);
    weights->file_size = in->file_size;
    if (in->file_size == UINT64_MAX) { /* a stream: ends with its last tensor */
        weights->file_size = weights->header_size;
        for (size_t i = 0; i < weights->count; i++)
            if (weights->tensors[i].offset + weights->tensors[i].size > weights->file_size)
                weights->file_size = weights->tensors[i].offset + weights->tensors[i].size;
        uint64_t over = weights->file_size % alignment;
        if (weights->count && over && weights->file_size <= (uint64_t)INT64_MAX)
            weights->file_size += alignment - over;
    }
    if (sam_weights_check(weights, &why) == SAM_OK)
        return SAM_OK;
    return sam_fail(error, why.status, "%s: %s", in->name, why.text);
}

enum sam_status sam_weights_parse(enum sam_weights_kind kind, const void *data, size_t size,
                                  uint64_t file_size, const char *name, struct sam_weights *weights,
                                  size_t *need, struct sam_error *error)
{
    if (weights)
        *weights = (struct sam_weights){0};
    if (SAM_LACKS(error, weights, need, name))
        return SAM_ERR_USAGE;
    if (!data && size)
        return sam_fail_null(error, "data");
    if ((unsigned)kind > SAM_WEIGHTS_GGUF)
        return sam_fail(error, SAM_ERR_USAGE, "unknown file kind %u", (unsigned)kind);
    const struct sam_prefix in = {data, size, file_size, name, need};
    enum sam_status status;
    uint64_t alignment = 1;
    *need = 0;
    switch (kind) {
    case SAM_WEIGHTS_SAFETENSORS: status = sam_safetensors_parse(&in, weights, error); break;
    case SAM_WEIGHTS_GGUF: status = sam_gguf_parse(&in, weights, &alignment, error); break;
    case SAM_WEIGHTS_NPY: status = sam_npy_weights(&in, weights, error); break;
    default:
        weights->tensors = sam_alloc(1, sizeof *weights->tensors);
        status = weights->tensors ? SAM_OK : sam_fail_memory(error);
        if (status == SAM_OK) {
            weights->count = 1;
            weights->tensors[0] = (struct sam_weight){
                .name = "data", .rank = 1, .shape = {file_size}, .size = file_size};
        }
        break;
    }
    bool is_short = status == SAM_OK && *need > size;
    if (status == SAM_OK && !is_short)
        status = finish(&in, weights, alignment, error);
    if (status != SAM_OK || is_short)
        sam_weights_free(weights);
    return status;
}
