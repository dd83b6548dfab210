/* SPDX-License-Identifier: Apache-2.0 */
/* Is a description of a file one? */
#include <stdlib.h>

#include "codec/codec.h"

void sam_weights_free(struct sam_weights *weights)
{
    free(weights->tensors);
    free(weights->names);
    *weights = (struct sam_weights){0};
}

/* Bytes of a shape of `type`; false when they do not fit, or are no whole number. */
static bool size_of(const struct sam_weight *w, uint64_t *size)
{
    uint64_t count = 1;
    for (size_t i = 0; i < w->rank; i++)
        if (w->shape[i] == 0)
            count = 0; /* nothing, however large the others */
    for (size_t i = 0; count && i < w->rank; i++)
        if (__builtin_mul_overflow(count, w->shape[i], &count))
            return false;
    uint64_t bits = sam_weight_type_bits(w->type);
    if (__builtin_mul_overflow(count, bits, &count) || count % 8)
        return false;
    *size = count / 8;
    return true;
}

enum sam_status sam_weights_check(const struct sam_weights *weights, struct sam_error *error)
{
    uint64_t at = weights->header_size, size;
    if (at > weights->file_size)
        return sam_fail(error, SAM_ERR_INPUT, "a header of %llu bytes in a file of %llu",
                        (unsigned long long)at, (unsigned long long)weights->file_size);
    if (weights->count > UINT32_MAX / 2)
        return sam_fail(error, SAM_ERR_INPUT, "%zu tensors are too many", weights->count);
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        if ((size_t)w->type >= SAM_W_TYPES || w->rank > SAM_WEIGHT_RANK)
            return sam_fail(error, SAM_ERR_INPUT,
                            "tensor '%.200s' has a type or a rank (%zu) that "
                            "there is not",
                            w->name, w->rank);
        if (w->type != SAM_W_OPAQUE && (!size_of(w, &size) || size != w->size))
            return sam_fail(error, SAM_ERR_INPUT,
                            "tensor '%.200s' has %llu bytes, which its shape and type %s do not "
                            "make",
                            w->name, (unsigned long long)w->size, sam_weight_type_name(w->type));
        if (w->offset < at)
            return sam_fail(error, SAM_ERR_INPUT,
                            "tensor '%.200s' at byte %llu overlaps what ends at %llu", w->name,
                            (unsigned long long)w->offset, (unsigned long long)at);
        if (w->size > weights->file_size || w->offset > weights->file_size - w->size)
            return sam_fail(error, SAM_ERR_INPUT,
                            "tensor '%.200s', %llu bytes at %llu, ends behind the file's end at "
                            "%llu",
                            w->name, (unsigned long long)w->size, (unsigned long long)w->offset,
                            (unsigned long long)weights->file_size);
        at = w->offset + w->size;
    }
    return SAM_OK;
}
