/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the second part of a packed file of two, joined with an intact first one, and as
 * the only part of a file. Parts that join give a packed file that opens. */
#include "fuzz.h"

#include <string.h>

#include "base/base.h"
#include "samite/codec.h"

enum { SIZE = 3000000, HEADER = 40 };

static struct sam_weight tensor = {.name = "t",
                                   .type = SAM_BF16,
                                   .rank = 1,
                                   .shape = {(SIZE - HEADER) / 2},
                                   .offset = HEADER,
                                   .size = SIZE - HEADER};
static const struct sam_weights weights = {
    .file_size = SIZE, .header_size = HEADER, .tensors = &tensor, .count = 1};

static bool read_buffer(void *context, uint64_t offset, void *data, size_t size)
{
    const struct sam_buffer *b = context;
    FUZZ_CHECK(offset <= b->size && size <= b->size - offset);
    memcpy(data, b->data + offset, size);
    return true;
}

static bool append(void *context, const void *data, size_t size)
{
    return sam_buffer_append(context, data, size);
}

static struct sam_buffer make_part(unsigned index, unsigned count)
{
    struct sam_buffer part = {0};
    struct sam_packer *packer;
    struct sam_error error;
    uint64_t first, end;
    uint8_t *file = calloc(1, SIZE); /* packs to little */
    FUZZ_CHECK(file &&
               sam_packer_open_part(&weights, index, count, NULL, (struct sam_sink){append, &part},
                                    &packer, &error) == SAM_OK);
    sam_packer_range(packer, &first, &end);
    FUZZ_CHECK(sam_packer_write(packer, file, HEADER, &error) == SAM_OK &&
               sam_packer_write(packer, file + first, (size_t)(end - first), &error) == SAM_OK &&
               sam_packer_finish(packer, &error) == SAM_OK && !part.failed);
    sam_packer_close(packer);
    free(file);
    return part;
}

static void join(struct sam_buffer *parts, size_t count)
{
    static const char *const names[] = {"a", "b"};
    struct sam_source sources[2];
    struct sam_buffer out = {0};
    struct sam_error error = {0};
    struct sam_packed *packed;
    for (size_t i = 0; i < count; i++)
        sources[i] = (struct sam_source){read_buffer, &parts[i], parts[i].size};
    if (sam_pack_join(sources, names, count, (struct sam_sink){append, &out}, &error) == SAM_OK) {
        FUZZ_CHECK(sam_packed_open(out.data, out.size, NULL, &packed, &error) == SAM_OK);
        sam_packed_close(packed);
    } else {
        FUZZ_CHECK(error.text[0]);
    }
    sam_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sam_buffer first;
    if (!first.size)
        first = make_part(0, 2);
    struct sam_buffer parts[] = {first, {.data = (uint8_t *)(uintptr_t)data, .size = size}};
    join(parts, 2);
    join(&parts[1], 1);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    struct sam_buffer second = make_part(1, 2), whole = make_part(0, 1);
    add(context, "second", second.data, second.size);
    add(context, "whole", whole.data, whole.size);
    sam_buffer_free(&second);
    sam_buffer_free(&whole);
}
