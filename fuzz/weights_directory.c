/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as packed weights of a program: a file that opens has a directory, by which the
 * weight unit decodes every tensor like sam_packed_read, or reports damage where that does. */
#include "fuzz.h"

#include <string.h>

#include "samite/codec.h"
#include "system/weight.h"

enum { RECORD = 0x40000000, DESTINATION = 0x50000000, ROOM = 1 << 16, TENSORS = 40 };

static uint32_t word_at(struct sam_memory *memory, uint64_t address)
{
    uint8_t bytes[4];
    FUZZ_CHECK(sam_host_read(memory, address, bytes, sizeof bytes, NULL) == SAM_OK);
    return sam_le32(bytes);
}

static uint64_t pair(const uint32_t words[2])
{
    return (uint64_t)words[1] << 32 | words[0];
}

/* Decode the first bytes of a tensor both ways. */
static void check_tensor(struct sam_memory *memory, const struct sam_packed *packed, size_t tensor,
                         const struct sam_weight_entry *e)
{
    static uint8_t have[ROOM], wanted[ROOM];
    const struct sam_weight *w = &sam_packed_weights(packed)->tensors[tensor];
    FUZZ_CHECK(e->type == w->type && e->rank == w->rank &&
               pair(e->elements) * e->bits == w->size * 8);
    const uint32_t size = w->size < ROOM ? (uint32_t)w->size : ROOM;
    const uint32_t words[16] = {SAM_WEIGHT_DECODE,
                                e->type,
                                e->type,
                                e->chunks,
                                e->bytes[0],
                                DESTINATION,
                                ROOM,
                                e->first[0],
                                e->first[1],
                                size * 8 / e->bits,
                                0,
                                0,
                                e->piece,
                                e->layout,
                                e->total[0],
                                e->total[1]};
    struct system_weight_work work = {0};
    FUZZ_CHECK(sam_system_weight_run(memory, RECORD, words, NULL, 0, &work, NULL) == SAM_OK);
    /* Padding is verified only with a whole chunk. */
    if (sam_packed_read(packed, tensor, 0, size, wanted, NULL) == SAM_OK) {
        FUZZ_CHECK(work.result.status == SAM_WEIGHT_IS_GOOD && work.result.bytes == size);
        sam_memory_read(memory, DESTINATION, have, size);
        FUZZ_CHECK(memcmp(have, wanted, size) == 0);
    } else {
        FUZZ_CHECK(work.result.status == SAM_WEIGHT_IS_GOOD ||
                   work.result.status == SAM_WEIGHT_IS_DAMAGED);
    }
    sam_system_weight_free(&work);
}

/* Compare the directory with the pieces of the file, which are the same without the gaps. */
static void check(struct sam_memory *memory, const struct sam_packed *packed, uint32_t directory)
{
    const struct sam_weights *weights = sam_packed_weights(packed);
    const uint32_t count = word_at(memory, directory);
    uint64_t at = directory + 4;
    for (size_t i = 0, found = 0; i < weights->count && found < TENSORS; i++) {
        const char *name = weights->tensors[i].name;
        struct sam_weight_entry entry;
        if (weights->tensors[i].type == SAM_OPAQUE && !name[0])
            continue;
        FUZZ_CHECK(found++ < count);
        for (size_t word = 0; word < sizeof entry / 4; word++, at += 4) {
            const uint32_t value = word_at(memory, at);
            memcpy((uint8_t *)&entry + 4 * word, &value, sizeof value);
        }
        for (size_t c = 0; c <= strlen(name); c++) {
            char have;
            FUZZ_CHECK(sam_host_read(memory, entry.name + c, &have, 1, NULL) == SAM_OK &&
                       have == name[c]);
        }
        check_tensor(memory, packed, i, &entry);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sam_memory_rules rules = {.bits = 32};
    struct sam_memory *memory = sam_memory_new(&rules);
    struct sam_packed *packed = NULL;
    struct sam_error error = {0};
    uint32_t directory = 1;
    FUZZ_CHECK(memory && sam_host_map(memory, RECORD, 4096, NULL) == SAM_OK &&
               sam_host_map(memory, DESTINATION, ROOM, NULL) == SAM_OK);
    enum sam_status status = sam_system_weights_map(memory, data, size, 0, &directory, &error);
    FUZZ_CHECK((status == SAM_OK) == (directory != 0));
    FUZZ_CHECK(status == SAM_OK || error.text[0]);
    FUZZ_CHECK((sam_packed_open(data, size, NULL, &packed, NULL) == SAM_OK) == (status == SAM_OK));
    if (status == SAM_OK)
        check(memory, packed, directory);
    sam_packed_close(packed);
    sam_memory_free(memory);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    /* Large and small tensors, an empty one, and a gap, packed in each way. */
    enum { COUNT = 7, FILE_SIZE = 9000 };
    static const struct {
        const char *name;
        enum sam_dtype type;
        uint64_t size;
    } shapes[COUNT] = {{"a", SAM_BF16, 2000}, {"b.bias", SAM_BF16, 6}, {"c", SAM_U8, 3},
                       {"d", SAM_F16, 100},   {"none", SAM_F32, 0},    {"e", SAM_E4M3, 3000},
                       {"f", SAM_E2M1, 1000}};
    static const struct sam_codec_options options[] = {{0}, {.dense = true}, {.bit_planes = true}};
    static const char *const names[] = {"planes", "dense", "bits"};
    uint8_t file[FILE_SIZE], packed[2 * FILE_SIZE];
    struct sam_weight tensors[COUNT];
    uint64_t at = 64;
    for (size_t i = 0; i < FILE_SIZE; i++)
        file[i] = (uint8_t)(i % 2 ? 0x3c + i / 2 % 7 % 3 : i * i * 31 >> 3);
    for (size_t i = 0; i < COUNT; i++) {
        tensors[i] = (struct sam_weight){.name = shapes[i].name,
                                         .type = shapes[i].type,
                                         .rank = 1,
                                         .offset = at,
                                         .size = shapes[i].size};
        tensors[i].shape[0] = shapes[i].size * 8 / sam_dtype_bits(shapes[i].type);
        at += shapes[i].size + (i == 3 ? 700 : 0);
    }
    const struct sam_weights weights = {
        .file_size = at, .header_size = 64, .tensors = tensors, .count = COUNT};
    FUZZ_CHECK(at <= FILE_SIZE);
    for (size_t i = 0; i < SAM_COUNT(options); i++) {
        size_t size;
        FUZZ_CHECK(sam_pack(&weights, file, &options[i], packed, sizeof packed, &size, NULL) ==
                   SAM_OK);
        add(context, names[i], packed, size);
    }
}
