/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of file descriptions and options. */
#include <stddef.h>
#include <stdlib.h>

#include "codec/chunk.h"

enum sam_status sam_codec_options_take(struct sam_codec_options *options,
                                       const struct sam_codec_options *given,
                                       struct sam_error *error)
{
    enum sam_status status = sam_options_take(
        options, sizeof *options, offsetof(struct sam_codec_options, restart), given, error);
    if (status != SAM_OK)
        return status;
    if ((unsigned)options->level > SAM_CODEC_AVX512)
        return sam_fail(error, SAM_ERR_USAGE, "unknown codec level %u", (unsigned)options->level);
    if (options->window && options->bit_planes)
        return sam_fail(error, SAM_ERR_USAGE,
                        "windows and one plane per bit: expected one of them");
    const struct sam_allocator *allocator = options->allocator;
    if (allocator && (!allocator->allocate || !allocator->release))
        return sam_fail_null(error, "a function of the allocator");
    return SAM_OK;
}

void sam_weights_free(struct sam_weights *weights)
{
    if (!weights)
        return;
    free(weights->tensors);
    free(weights->names);
    *weights = (struct sam_weights){0};
}

/* Compute the size implied by type and shape. Returns false on overflow or a fraction of a byte. */
static bool size_of(const struct sam_weight *w, uint64_t *size)
{
    uint64_t count = 1;
    for (size_t i = 0; i < w->rank; i++)
        if (w->shape[i] == 0)
            count = 0; /* empty, whatever the other dimensions are */
    for (size_t i = 0; count && i < w->rank; i++)
        if (__builtin_mul_overflow(count, w->shape[i], &count))
            return false;
    uint64_t bits = sam_dtype_bits(w->type);
    if (__builtin_mul_overflow(count, bits, &count) || count % 8)
        return false;
    *size = count / 8;
    return true;
}

enum sam_status sam_weights_check(const struct sam_weights *weights, struct sam_error *error)
{
    if (!weights || (weights->count && !weights->tensors))
        return sam_fail(error, SAM_ERR_USAGE, "weights is NULL");
    uint64_t at = weights->header_size, size;
    if ((unsigned)weights->kind > SAM_WEIGHTS_GGUF)
        return sam_fail(error, SAM_ERR_USAGE, "unknown file kind %u", (unsigned)weights->kind);
    if (weights->file_size > SAM_MAX_FILE)
        return sam_fail(error, SAM_ERR_INPUT, "a file of %llu bytes: the limit is 2^63 - 1",
                        (unsigned long long)weights->file_size);
    if (at > weights->file_size)
        return sam_fail(error, SAM_ERR_INPUT, "a header of %llu bytes in a file of %llu",
                        (unsigned long long)at, (unsigned long long)weights->file_size);
    if (weights->count > SAM_MAX_PIECES)
        return sam_fail(error, SAM_ERR_INPUT, "%zu tensors: the limit is %d, gaps included",
                        weights->count, SAM_MAX_PIECES);
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        if (!w->name)
            return sam_fail(error, SAM_ERR_USAGE, "tensor %zu: its name is NULL", i);
        if ((size_t)w->type >= SAM_DTYPES || w->rank > SAM_WEIGHT_RANK)
            return sam_fail(error, SAM_ERR_INPUT,
                            "tensor '%.200s': unknown type or unsupported rank (%zu)", w->name,
                            w->rank);
        for (size_t d = 0; d < w->rank; d++)
            if (w->shape[d] > SAM_MAX_FILE)
                return sam_fail(error, SAM_ERR_INPUT,
                                "tensor '%.200s': dimension %zu is %llu: the limit is 2^63 - 1",
                                w->name, d, (unsigned long long)w->shape[d]);
        if (w->type != SAM_OPAQUE && (!size_of(w, &size) || size != w->size))
            return sam_fail(error, SAM_ERR_INPUT,
                            "tensor '%.200s' has %llu bytes, which does not match its shape and "
                            "type %s",
                            w->name, (unsigned long long)w->size, sam_dtype_name(w->type));
        if (w->offset < at)
            return sam_fail(error, SAM_ERR_INPUT,
                            "tensor '%.200s' at byte %llu overlaps data that ends at %llu", w->name,
                            (unsigned long long)w->offset, (unsigned long long)at);
        if (w->size > weights->file_size || w->offset > weights->file_size - w->size)
            return sam_fail(error, SAM_ERR_INPUT,
                            "tensor '%.200s', %llu bytes at %llu, extends past the end of the file "
                            "at %llu",
                            w->name, (unsigned long long)w->size, (unsigned long long)w->offset,
                            (unsigned long long)weights->file_size);
        at = w->offset + w->size;
    }
    return SAM_OK;
}
