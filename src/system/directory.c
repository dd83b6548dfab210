/* SPDX-License-Identifier: Apache-2.0 */
/* Maps packed weights into memory and writes the directory of their tensors. */
#include "codec/chunks.h"
#include "system/weight.h"

static void put_word(struct sam_buffer *out, uint32_t word)
{
    uint8_t bytes[4];
    sam_put_le32(bytes, word);
    sam_buffer_append(out, bytes, sizeof bytes);
}

static void put_entry(struct sam_buffer *out, const struct sam_weight_entry *entry)
{
    const uint32_t *words = (const uint32_t *)entry;
    for (size_t i = 0; i < sizeof *entry / sizeof *words; i++)
        put_word(out, words[i]);
}

static void split(uint64_t number, uint32_t words[2])
{
    words[0] = (uint32_t)number;
    words[1] = (uint32_t)(number >> 32);
}

/* The bytes between tensors are packed as unnamed pieces. */
static bool is_gap(const struct sam_weight *w)
{
    return w->type == SAM_OPAQUE && !w->name[0];
}

/* The entry of a tensor: the file is at address `base`, the tensor's name at `name`. */
static struct sam_weight_entry entry_of(const struct sam_packed *packed, size_t tensor,
                                        uint32_t base, uint32_t name)
{
    const struct sam_weight *w = &sam_packed_weights(packed)->tensors[tensor];
    const struct sam_chunks_place place = sam_chunks_find(packed, tensor);
    struct sam_weight_entry entry = {
        .name = name,
        .type = w->type,
        .rank = (uint32_t)w->rank,
        .chunks = w->size ? base + (uint32_t)place.offset : 0,
        .piece = place.piece.number,
        .layout = place.piece.layout,
        .bits = (uint32_t)sam_dtype_bits(w->type),
    };
    for (size_t d = 0; d < w->rank; d++)
        split(w->shape[d], &entry.shape[2 * d]);
    split(place.size, entry.bytes);
    split(w->size * 8 / entry.bits, entry.elements);
    split(place.first, entry.first);
    split(place.piece.count, entry.total);
    return entry;
}

/* Map and write the directory of the file at `base`. */
static enum sam_status put_directory(struct sam_memory *memory, const struct sam_packed *packed,
                                     uint32_t base, uint32_t *directory, struct sam_error *error)
{
    const struct sam_weights *weights = sam_packed_weights(packed);
    struct sam_buffer out = {0};
    uint64_t tensors = 0, names = 0, address = 0;
    for (size_t i = 0; i < weights->count; i++)
        if (!is_gap(&weights->tensors[i])) {
            tensors++;
            names += strlen(weights->tensors[i].name) + 1;
        }
    uint64_t entries = 4 + tensors * sizeof(struct sam_weight_entry);
    enum sam_status status =
        sam_host_alloc(memory, SAM_SYSTEM_BUFFERS, entries + names, &address, error);
    if (status != SAM_OK)
        return status;
    uint32_t name = (uint32_t)(address + entries);
    put_word(&out, (uint32_t)tensors);
    for (size_t i = 0; i < weights->count; i++) {
        if (is_gap(&weights->tensors[i]))
            continue;
        struct sam_weight_entry entry = entry_of(packed, i, base, name);
        put_entry(&out, &entry);
        name += (uint32_t)strlen(weights->tensors[i].name) + 1;
    }
    for (size_t i = 0; i < weights->count; i++)
        if (!is_gap(&weights->tensors[i]))
            sam_buffer_append(&out, weights->tensors[i].name, strlen(weights->tensors[i].name) + 1);
    if (out.failed)
        status = sam_fail_memory(error);
    else
        status = sam_host_write(memory, NULL, address, out.data, out.size, error);
    sam_buffer_free(&out);
    if (status == SAM_OK)
        *directory = (uint32_t)address;
    else
        sam_memory_unmap(memory, address, NULL);
    return status;
}

/* Map the buffer of the file, at *address or, if that is 0, in the first free range. */
static enum sam_status map_file(struct sam_memory *memory, size_t size, uint64_t *address,
                                struct sam_error *error)
{
    const uint64_t first = SAM_SYSTEM_BUFFERS, room = SAM_SYSTEM_BUFFERS_BYTES;
    if (size > room)
        return sam_fail(error, SAM_ERR_USAGE,
                        "packed weights of %zu bytes: there is room for %llu in buffers", size,
                        (unsigned long long)room);
    if (!*address)
        return sam_host_alloc(memory, first, size, address, error);
    if (*address % SAM_SYSTEM_WEIGHTS_ALIGN || *address < first || *address - first > room - size)
        return sam_fail(error, SAM_ERR_USAGE,
                        "packed weights of %zu bytes at 0x%08llx: expected a multiple of %d from "
                        "0x%08llx to 0x%08llx",
                        size, (unsigned long long)*address, SAM_SYSTEM_WEIGHTS_ALIGN,
                        (unsigned long long)first, (unsigned long long)(first + room - size));
    const struct sam_region *other = sam_memory_next(memory, *address);
    if (other && other->base < *address + size)
        return sam_fail(error, SAM_ERR_USAGE,
                        "packed weights of %zu bytes at 0x%08llx: overlap the buffer "
                        "0x%08llx..+0x%llx",
                        size, (unsigned long long)*address, (unsigned long long)other->base,
                        (unsigned long long)other->size);
    return sam_host_map(memory, *address, size, error);
}

enum sam_status sam_system_weights_map(struct sam_memory *memory, const void *data, size_t size,
                                       uint64_t address, uint32_t *directory,
                                       struct sam_error *error)
{
    struct sam_packed *packed;
    *directory = 0;
    enum sam_status status = sam_packed_open(data, size, NULL, &packed, error);
    if (status != SAM_OK)
        return status;
    status = map_file(memory, size, &address, error);
    if (status == SAM_OK) {
        status = sam_host_write(memory, NULL, address, data, size, error);
        if (status == SAM_OK)
            status = put_directory(memory, packed, (uint32_t)address, directory, error);
        if (status != SAM_OK)
            sam_memory_unmap(memory, address, NULL);
    }
    sam_packed_close(packed);
    return status;
}
