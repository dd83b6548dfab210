/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a packed file, read at once and piecewise: both must agree. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "samite/codec.h"
#include "tests/codec/forge.h"

enum { MOST = 1 << 24 };

struct out {
    uint8_t *data;
    size_t size;
};

static bool append(void *context, const void *data, size_t size)
{
    struct out *out = context;
    uint8_t *grown = realloc(out->data, out->size + size);
    FUZZ_CHECK(grown);
    memcpy(grown + out->size, data, size);
    out->data = grown;
    out->size += size;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_error error = {0};
    struct out out = {0};
    struct sam_unpacker *unpacker;
    uint64_t file_size = 0;
    FUZZ_CHECK(sam_unpacker_open(NULL, (struct sam_sink){append, &out}, &unpacker, &error) ==
               SAM_OK);
    enum sam_status piecewise = sam_unpacker_write(unpacker, data, size, &error);
    if (piecewise == SAM_OK)
        piecewise = sam_unpacker_finish(unpacker, &error);
    sam_unpacker_close(unpacker);
    FUZZ_CHECK(piecewise == SAM_OK || error.text[0]);
    if (sam_unpack_size(data, size, &file_size, &error) == SAM_OK && file_size < MOST) {
        uint8_t *file = malloc((size_t)file_size + 1);
        FUZZ_CHECK(file);
        enum sam_status once = sam_unpack(data, size, NULL, file, (size_t)file_size, &error);
        FUZZ_CHECK((once == SAM_OK) == (piecewise == SAM_OK));
        FUZZ_CHECK(once != SAM_OK ||
                   (out.size == file_size && memcmp(file, out.data, out.size) == 0));
        free(file);
    }
    free(out.data);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const enum sam_dtype types[] = {SAM_BF16, SAM_F16, SAM_F32, SAM_E4M3};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        uint8_t file[4096 + 20], packed[32768];
        struct sam_weight tensor = {
            .name = "w", .type = types[t], .rank = 1, .offset = 12, .size = 4096};
        struct sam_weights weights = {
            .file_size = sizeof file, .header_size = 10, .tensors = &tensor, .count = 1};
        size_t size;
        tensor.shape[0] = 4096 * 8 / sam_dtype_bits(types[t]);
        for (size_t i = 0; i < sizeof file; i++)
            file[i] = (uint8_t)(i % 2 ? 0x3c + i / 2 % 7 % 3 : i * i * 31 >> 3);
        FUZZ_CHECK(sam_pack(&weights, file, NULL, packed, sizeof packed, &size, NULL) == SAM_OK);
        add(context, sam_dtype_name(types[t]), packed, size);
        const struct sam_codec_options options = {.size = sizeof options, .window = true};
        char name[64];
        snprintf(name, sizeof name, "%s-window", sam_dtype_name(types[t]));
        FUZZ_CHECK(sam_pack(&weights, file, &options, packed, sizeof packed, &size, NULL) ==
                   SAM_OK);
        add(context, name, packed, size);
    }
    /* Scalars, which are coded together, between two larger tensors. */
    enum { SCALARS = 12, LARGE = 600 };
    uint8_t file[2 * LARGE + 4 * SCALARS] = {1, 2, 3}, packed[4096];
    struct sam_weight tensors[SCALARS + 2];
    struct sam_weights weights = {
        .file_size = sizeof file, .tensors = tensors, .count = SCALARS + 2};
    uint64_t at = 0;
    for (size_t i = 0; i < SCALARS + 2; i++) {
        uint64_t size = i % (SCALARS + 1) == 0 ? LARGE : 4;
        tensors[i] = (struct sam_weight){.name = "s", .rank = 1, .offset = at, .size = size};
        tensors[i].shape[0] = size;
        at += size;
    }
    size_t size;
    FUZZ_CHECK(sam_pack(&weights, file, NULL, packed, sizeof packed, &size, NULL) == SAM_OK);
    add(context, "scalars", packed, size);
    /* Pieces that announce more than there is, with valid checksums. */
    static const uint64_t sizes[] = {UINT64_MAX, INT64_MAX, UINT64_MAX - SAM_CHUNK + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct sam_weight piece = {.name = "", .rank = 1, .shape = {sizes[i]}, .size = sizes[i]};
        struct sam_buffer forged = forge_packed(&piece, 1, sizes[i]);
        FUZZ_CHECK(!forged.failed);
        add(context, "promise", forged.data, forged.size);
        sam_buffer_free(&forged);
    }
}
