/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a weight file: safetensors, gguf or npy. */
#include "fuzz.h"

#include <string.h>

#include "samite/format.h"

static void parse(enum sam_weights_kind kind, const uint8_t *data, size_t size, uint64_t file_size)
{
    struct sam_weights weights;
    struct sam_error error = {0};
    size_t need;
    enum sam_status status =
        sam_weights_parse(kind, data, size, file_size, "fuzz", &weights, &need, &error);
    if (status != SAM_OK || need > size) {
        FUZZ_CHECK(status == SAM_OK || error.text[0]);
        FUZZ_CHECK(status != SAM_OK || need <= file_size);
        FUZZ_CHECK(!weights.tensors && !weights.names);
        return;
    }
    FUZZ_CHECK(sam_weights_check(&weights, NULL) == SAM_OK);
    FUZZ_CHECK(file_size == UINT64_MAX || weights.file_size == file_size);
    sam_weights_free(&weights);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned kind = SAM_WEIGHTS_NPY; kind <= SAM_WEIGHTS_GGUF; kind++) {
        parse((enum sam_weights_kind)kind, data, size, size);
        parse((enum sam_weights_kind)kind, data, size, UINT64_MAX);
        parse((enum sam_weights_kind)kind, data, size / 2, size);
    }
    return 0;
}

static void add_safetensors(fuzz_add *add, void *context, const char *name, const char *header,
                            size_t data)
{
    uint8_t file[1024] = {0};
    size_t length = strlen(header);
    FUZZ_CHECK(8 + length + data <= sizeof file);
    file[0] = (uint8_t)length;
    file[1] = (uint8_t)(length >> 8);
    for (size_t i = 0; i < length; i++)
        file[8 + i] = (uint8_t)header[i];
    add(context, name, file, 8 + length + data);
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    add_safetensors(add, context, "two",
                    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]},"
                    "\"__metadata__\":{\"format\":\"pt\"},"
                    "\"b\":{\"dtype\":\"BF16\",\"shape\":[3],\"data_offsets\":[16,22]}}   ",
                    22);
    add_safetensors(add, context, "none", "{}", 0);
    add_safetensors(add, context, "scalar",
                    "{\"s\":{\"dtype\":\"F8_E4M3\",\"shape\":[],\"data_offsets\":[0,1]}}", 1);
    static const uint8_t gguf[] =
        "GGUF\3\0\0\0\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
        "\21\0\0\0\0\0\0\0general.alignment\4\0\0\0\100\0\0\0"
        "\1\0\0\0\0\0\0\0k\11\0\0\0\10\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0x\0\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0a\1\0\0\0\40\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0b\2\0\0\0\2\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\1\0\0\0\100\0\0\0\0\0\0\0";
    uint8_t file[512] = {0};
    memcpy(file, gguf, sizeof gguf - 1);
    add(context, "gguf", file, (sizeof gguf - 1 + 63) / 64 * 64 + 64 + 16);
    add(context, "npy",
        "\x93NUMPY\1\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }            "
        "\n\0\0\0\0",
        10 + 70 + 4);
}
