/* SPDX-License-Identifier: Apache-2.0 */
/* For programs on the hart of `--machine system`: the weight unit, and the directory of packed
 * weights. Records run in the order of their submission, concurrently with the hart. A record, its
 * source and its destination must not be accessed until it has ended. docs/system.md explains it.
 */
#ifndef SAMITE_DEVICE_WEIGHTS_H
#define SAMITE_DEVICE_WEIGHTS_H

#include "system.h"

/* --- the directory */
SAM_DEVICE uint64_t sam_weight_elements(const struct sam_weight_entry *tensor)
{
    return (uint64_t)tensor->elements[1] << 32 | tensor->elements[0];
}

SAM_DEVICE uint64_t sam_weight_bytes(const struct sam_weight_entry *tensor)
{
    return (uint64_t)tensor->bytes[1] << 32 | tensor->bytes[0];
}

SAM_DEVICE uint64_t sam_weight_extent(const struct sam_weight_entry *tensor, unsigned dimension)
{
    return (uint64_t)tensor->shape[2 * dimension + 1] << 32 | tensor->shape[2 * dimension];
}

/* Tensors of the packed file that the run was given; 0 without one. */
SAM_DEVICE_FUNCTION uint32_t sam_weight_tensors(const struct sam_weight_entry **tensors)
{
    const uintptr_t directory = sam_register_read(SAM_SYSTEM_DIRECTORY);
    *tensors = directory ? (const struct sam_weight_entry *)(directory + 4) : 0;
    return directory ? *(const uint32_t *)directory : 0;
}

/* The tensor of that name, or null. */
SAM_DEVICE_FUNCTION const struct sam_weight_entry *sam_weight_find(const char *name)
{
    const struct sam_weight_entry *tensor;
    for (uint32_t left = sam_weight_tensors(&tensor); left; left--, tensor++) {
        const char *a = name, *b = (const char *)(uintptr_t)tensor->name;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return tensor;
    }
    return 0;
}

/* --- records */
/* Decode `count` elements of a tensor from element `first` on, as elements of `type`, into `room`
 * bytes at `destination`. */
SAM_DEVICE_FUNCTION void sam_weight_make_decode(struct sam_weight_record *record,
                                                const struct sam_weight_entry *tensor,
                                                uint64_t first, uint64_t count, uint32_t type,
                                                void *destination, uint32_t room)
{
    const uint64_t start = (uint64_t)tensor->first[1] << 32 | tensor->first[0];
    const uint32_t shared = tensor->layout == SAM_WEIGHT_LAYOUT_SHARED; /* counts bytes */
    const uint64_t at = start + (shared ? first * tensor->bits / 8 : first);
    sam_clear_words(record, sizeof *record / 4);
    record->operation = SAM_WEIGHT_DECODE;
    record->packed_type = tensor->type;
    record->output_type = type;
    record->source = tensor->chunks;
    record->source_bytes = tensor->bytes[0];
    record->destination = sam_address(destination);
    record->destination_bytes = room;
    record->first_low = (uint32_t)at;
    record->first_high = (uint32_t)(at >> 32);
    record->elements_low = (uint32_t)count;
    record->elements_high = (uint32_t)(count >> 32);
    record->piece = tensor->piece;
    record->layout = tensor->layout;
    record->total_low = tensor->total[0];
    record->total_high = tensor->total[1];
}

/* Decode `count` elements of each of `rows` rows, the first from element `first` on and each
 * `apart` elements after the one before it, into as many equal parts of the `room` bytes at
 * `destination`. */
SAM_DEVICE_FUNCTION void sam_weight_make_rows(struct sam_weight_record *record,
                                              const struct sam_weight_entry *tensor, uint64_t first,
                                              uint32_t count, uint32_t rows, uint32_t apart,
                                              uint32_t type, void *destination, uint32_t room)
{
    sam_weight_make_decode(record, tensor, first, count, type, destination, room);
    record->operation = SAM_WEIGHT_ROWS | rows << 8;
    record->elements_high = apart;
}

/* The layout that `samite pack` gives to a type. */
SAM_DEVICE_FUNCTION uint32_t sam_weight_layout(uint32_t type)
{
    switch (type) {
    case SAM_TYPE_BF16: return SAM_WEIGHT_LAYOUT_BF16;
    case SAM_TYPE_F16: return SAM_WEIGHT_LAYOUT_F16;
    case SAM_TYPE_F32: return SAM_WEIGHT_LAYOUT_F32;
    case SAM_TYPE_E4M3: return SAM_WEIGHT_LAYOUT_E4M3;
    case SAM_TYPE_E5M2: return SAM_WEIGHT_LAYOUT_E5M2;
    default: return SAM_WEIGHT_LAYOUT_BYTES;
    }
}

/* Encode (SAM_WEIGHT_ENCODE) or count (SAM_WEIGHT_COUNT) `count` elements of `type` that lie in
 * `bytes` bytes at `source`. Encoding writes chunks: at most the bytes there are and 8 KiB for
 * each chunk begun. Counting writes 256 words. */
SAM_DEVICE_FUNCTION void sam_weight_make(struct sam_weight_record *record, uint32_t operation,
                                         uint32_t type, const void *source, uint32_t bytes,
                                         uint64_t count, void *destination, uint32_t room)
{
    sam_clear_words(record, sizeof *record / 4);
    record->operation = operation;
    record->packed_type = record->output_type = type;
    record->source = sam_address(source);
    record->source_bytes = bytes;
    record->destination = sam_address(destination);
    record->destination_bytes = room;
    record->elements_low = record->total_low = (uint32_t)count;
    record->elements_high = record->total_high = (uint32_t)(count >> 32);
    record->layout = sam_weight_layout(type);
}

/* Encode with the code of 256 counters, as SAM_WEIGHT_COUNT writes them, for plane 0: nothing is
 * counted again. The other planes, and blocks with a symbol whose counter is 0, are not coded. */
SAM_DEVICE_FUNCTION void sam_weight_use_counters(struct sam_weight_record *record,
                                                 const uint32_t *counters)
{
    record->first_low = sam_address(counters);
}

/* A tensor that was encoded by such a record into `bytes` bytes, as if the directory had it. */
SAM_DEVICE_FUNCTION void sam_weight_describe(struct sam_weight_entry *tensor,
                                             const struct sam_weight_record *encoded,
                                             const void *chunks, uint32_t bytes)
{
    sam_clear_words(tensor, sizeof *tensor / 4);
    tensor->type = encoded->packed_type;
    tensor->chunks = sam_address(chunks);
    tensor->bytes[0] = bytes;
    tensor->elements[0] = tensor->total[0] = encoded->total_low;
    tensor->elements[1] = tensor->total[1] = encoded->total_high;
    tensor->layout = encoded->layout;
}

#endif
