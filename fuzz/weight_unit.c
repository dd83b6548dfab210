/* SPDX-License-Identifier: Apache-2.0 */
/* Any 64 bytes as a record of the weight unit, with the bytes after them as its source: it ends
 * with a status, and touches only what the record names. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "codec/chunk.h"
#include "codec/chunks.h"
#include "samite/codec.h"
#include "system/weight.h"

enum {
    RECORD = 0x40000000,
    RESULT = RECORD + 64,
    RECORD_BYTES = 128,
    ROOM = 8192,
    CANARY = 0xc5,
};
#define SOURCE      UINT32_C(0x90000000)
#define DESTINATION UINT32_C(0x90100000)

static void map(struct sam_memory *memory, uint32_t address, const void *data, size_t size)
{
    FUZZ_CHECK(sam_host_map(memory, address, size, NULL) == SAM_OK &&
               sam_host_write(memory, NULL, address, data, size, NULL) == SAM_OK);
}

/* The bytes that the record has not written are as before. */
static void check_rest(struct sam_memory *memory, const struct system_weight_work *work,
                       const uint8_t *source, size_t size)
{
    uint8_t have[ROOM], written[ROOM] = {0};
    uint64_t bytes = 0;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        FUZZ_CHECK(b->source_bytes == 0 ||
                   (b->source >= SOURCE && b->source + b->source_bytes <= SOURCE + size));
        bytes += b->destination_bytes;
        if (!b->destination_bytes)
            continue;
        FUZZ_CHECK(b->destination >= work->record.destination &&
                   b->destination + b->destination_bytes <=
                       (uint64_t)work->record.destination + work->record.destination_bytes);
        if (b->destination >= DESTINATION)
            memset(written + (b->destination - DESTINATION), 1, (size_t)b->destination_bytes);
    }
    FUZZ_CHECK(bytes == work->result.bytes);
    if (work->result_address >= DESTINATION)
        memset(written + (work->result_address - DESTINATION), 1, sizeof work->result);
    sam_memory_read(memory, DESTINATION, have, sizeof have);
    for (size_t i = 0; i < sizeof have; i++)
        FUZZ_CHECK(written[i] || have[i] == CANARY);
    if (work->record.destination < DESTINATION || work->result_address < DESTINATION)
        return;
    for (size_t at = 0; at < size; at += sizeof have) {
        size_t part = size - at < sizeof have ? size - at : sizeof have;
        sam_memory_read(memory, SOURCE + at, have, part);
        FUZZ_CHECK(memcmp(have, source + at, part) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sam_memory_rules rules = {.bits = 32};
    struct system_weight_work work = {0};
    struct sam_error error = {0};
    uint8_t canary[ROOM], record[RECORD_BYTES] = {0};
    uint32_t words[16];
    if (size < sizeof words || size > DESTINATION - SOURCE)
        return 0;
    for (size_t i = 0; i < SAM_COUNT(words); i++)
        words[i] = sam_le32(data + 4 * i);
    memcpy(record, data, sizeof words);
    data += sizeof words;
    size -= sizeof words;
    memset(canary, CANARY, sizeof canary);
    struct sam_memory *memory = sam_memory_new(&rules);
    FUZZ_CHECK(memory);
    map(memory, RECORD, record, sizeof record);
    map(memory, SOURCE, data, size);
    map(memory, DESTINATION, canary, sizeof canary);
    FUZZ_CHECK(sam_system_weight_run(memory, RECORD, words, NULL, SAM_STREAMS, &work, &error) ==
               SAM_OK);
    FUZZ_CHECK(work.result.status <= SAM_WEIGHT_IS_DESTINATION);
    FUZZ_CHECK(!work.fault[0] == (work.result.status == SAM_WEIGHT_IS_GOOD));
    check_rest(memory, &work, data, size);
    sam_system_weight_free(&work);
    sam_memory_free(memory);
    return 0;
}

/* --- seeds */
struct text {
    uint8_t bytes[2 * ROOM];
    size_t size;
};

static bool read_text(void *context, uint64_t offset, void *data, size_t size)
{
    memcpy(data, (const uint8_t *)context + offset, size);
    return true;
}

static bool take_text(void *context, const struct sam_chunks_step *step)
{
    struct text *text = context;
    memcpy(text->bytes + text->size, step->data, (size_t)step->to_size);
    text->size += (size_t)step->to_size;
    return true;
}

/* A chunk of windows of `count` elements. */
static void add_windows(struct text *text, enum sam_layout_id layout, const uint8_t *elements,
                        size_t count)
{
    struct sam_chunk_maker maker;
    const struct sam_chunk_span span = {.layout = layout, .count = count};
    uint8_t *out = malloc(sam_chunk_bound(layout, count) + SAM_CHUNK_SLACK);
    FUZZ_CHECK(out && sam_chunk_maker_open(&maker, sam_codec_ops(SAM_CODEC_BEST), NULL,
                                           1u << layout, count));
    maker.window = true;
    const size_t size = sam_chunk_make(&maker, &span, elements, out);
    take_text(text, &(struct sam_chunks_step){.data = out, .to_size = size});
    sam_chunk_maker_close(&maker);
    free(out);
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const struct {
        enum sam_dtype type, wide;
        unsigned layout;
    } kinds[] = {
        {SAM_BF16, SAM_F32, SAM_LAYOUT_BF16},   {SAM_F16, SAM_F16, SAM_LAYOUT_F16},
        {SAM_E4M3, SAM_F16, SAM_LAYOUT_E4M3},   {SAM_E5M2, SAM_F16, SAM_LAYOUT_BITS8},
        {SAM_E2M1, SAM_F16, SAM_LAYOUT_SHARED}, {SAM_BF16, SAM_BF16, SAM_LAYOUT_BF16},
        {SAM_E4M3, SAM_F16, SAM_LAYOUT_E4M3},
    };
    enum { BYTES = 1500, WINDOWS = 5 }; /* kinds from WINDOWS on are decoded from windows */
    uint8_t elements[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        elements[i] = (uint8_t)(i % 2 ? 0x3c + i / 2 % 7 % 3 : i * i * 31 >> 3);
    for (size_t k = 0; k < SAM_COUNT(kinds); k++)
        for (uint32_t operation = SAM_WEIGHT_DECODE; operation <= SAM_WEIGHT_COUNT; operation++) {
            struct text text = {.size = 64};
            bool shared = kinds[k].layout == SAM_LAYOUT_SHARED;
            uint32_t count = BYTES * 8 / (uint32_t)sam_dtype_bits(kinds[k].type);
            const struct sam_chunks_piece piece = {
                .type = kinds[k].type, .layout = kinds[k].layout, .count = shared ? BYTES : count};
            const struct sam_source source = {read_text, elements, BYTES};
            const struct sam_chunks_sink sink = {.take = take_text, .context = &text, .room = ROOM};
            bool decode = operation == SAM_WEIGHT_DECODE;
            if (decode && k >= WINDOWS)
                add_windows(&text, (enum sam_layout_id)kinds[k].layout, elements, count);
            else if (decode)
                FUZZ_CHECK(sam_chunks_encode(&piece, source, NULL, &sink, NULL) == SAM_OK);
            else
                take_text(&text, &(struct sam_chunks_step){.data = elements, .to_size = BYTES});
            const uint32_t words[16] = {operation,
                                        kinds[k].type,
                                        decode ? kinds[k].wide : kinds[k].type,
                                        SOURCE,
                                        (uint32_t)text.size - 64,
                                        DESTINATION,
                                        ROOM,
                                        0,
                                        0,
                                        count,
                                        0,
                                        RESULT,
                                        0,
                                        kinds[k].layout,
                                        decode ? (uint32_t)piece.count : count,
                                        0};
            for (size_t i = 0; i < SAM_COUNT(words); i++)
                sam_put_le32(text.bytes + 4 * i, words[i]);
            char name[32];
            snprintf(name, sizeof name, "%s-%u%s", sam_dtype_name(kinds[k].type), operation,
                     k < WINDOWS ? "" : "-window");
            add(context, name, text.bytes, text.size);
        }
}
