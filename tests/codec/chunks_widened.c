/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding into a wider type: every bit pattern, against values computed independently; and
 * small tensors that are coded together, whose elements need not be aligned. */

#include "test.h"

#include "codec/chunks_in_memory.h"
#include "codec/weights.h"

/* The f16 pattern of a value that f16 represents, from the value alone. */
static uint16_t half_of(double value)
{
    int power;
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double fraction = frexp(fabs(value), &power); /* fraction * 2^power, at least a half */
    if (value == 0)
        return sign;
    if (power < -13) /* subnormal: units of 2^-24 */
        return (uint16_t)(sign | (unsigned)ldexp(fabs(value), 24));
    return (uint16_t)(sign | (unsigned)(power + 14) << 10 | (unsigned)ldexp(fraction * 2 - 1, 10));
}

/* From the OCP MX and FP8 tables: e4m3 has no infinity and one NaN, e2m1 neither. */
static uint16_t wide_e4m3(unsigned bits)
{
    int exponent = bits >> 3 & 15, mantissa = bits & 7;
    double sign = bits & 0x80 ? -1 : 1;
    if ((bits & 0x7f) == 0x7f)
        return (uint16_t)((bits & 0x80) << 8 | 0x7e00);
    return half_of(
        copysign(exponent ? ldexp(8 + mantissa, exponent - 10) : ldexp(mantissa, -9), sign));
}

static uint16_t wide_e2m1(unsigned bits)
{
    static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return half_of(copysign(values[bits & 7], bits & 8 ? -1 : 1));
}

static uint32_t wide_value(enum sam_dtype type, unsigned bits)
{
    switch (type) {
    case SAM_E4M3: return wide_e4m3(bits);
    case SAM_E5M2: return bits << 8;
    case SAM_E2M1: return wide_e2m1(bits);
    default: return (uint32_t)bits << 16;
    }
}

/* Element `i` of `data`. */
static unsigned element(enum sam_dtype type, const uint8_t *data, uint64_t i)
{
    return type == SAM_E2M1   ? data[i / 2] >> (i % 2 * 4) & 15
           : type == SAM_BF16 ? sam_le16(data + 2 * i)
                              : data[i];
}

static void expect_wide(const struct sam_chunks_piece *piece, const struct packed *file,
                        struct packed *chunks, uint64_t first, uint64_t count)
{
    enum sam_dtype wide = piece->type == SAM_BF16 ? SAM_F32 : SAM_F16;
    const struct sam_chunks_range range = {wide, first, count};
    size_t size = sam_dtype_size(wide);
    struct output got;
    struct sam_chunks_sink sink = output_sink(&got, (size_t)count * size);
    uint64_t damaged;
    succeeds(decode_chunks, piece, &range, chunks, first % 2 == 0, &sink, &damaged);
    assert_int_equal(got.size, count * size);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t wanted = wide_value(piece->type, element(piece->type, file->data, first + i));
        uint32_t have = size == 2 ? sam_le16(got.data + 2 * i) : sam_le32(got.data + 4 * i);
        if (have != wanted)
            fail_msg("%s element %llu, 0x%x: 0x%x, not 0x%x", sam_dtype_name(piece->type),
                     (unsigned long long)(first + i), element(piece->type, file->data, first + i),
                     have, wanted);
    }
    free(got.data);
}

/* All bit patterns, then weights across two chunks: every range between two elements. */
static void widen(enum sam_dtype type)
{
    uint64_t random = test_seed();
    size_t bits = sam_dtype_bits(type), count = SAM_CHUNK + SAM_CHUNK_BLOCK_SIZE + 64;
    SCOPED(packed) file = {malloc(count * bits / 8), count * bits / 8};
    assert_non_null(file.data);
    test_weights(type, file.data, file.size, 0.02, &random);
    for (size_t i = 0; type == SAM_BF16 && i < 1 << 16; i++)
        sam_put_le16(file.data + 2 * i, (uint16_t)i);
    for (size_t i = 0; type != SAM_BF16 && i < 1 << 8; i++)
        file.data[i] = (uint8_t)i;
    for (size_t l = 0; l < SAM_COUNT(layouts); l++) {
        struct sam_chunks_piece piece = piece_of(type, file.size, &layouts[l]);
        struct packed chunks = {malloc(2 * file.size), 0};
        struct output made;
        struct sam_chunks_sink sink = output_sink(&made, 2 * file.size);
        piece.number = 7;
        assert_non_null(chunks.data);
        assert_int_equal(sam_chunks_encode(&piece, memory_source(&file), NULL, &sink, NULL),
                         SAM_OK);
        packed_free(&chunks);
        chunks = (struct packed){made.data, made.size};
        expect_wide(&piece, &file, &chunks, 0, count);
        for (unsigned round = 0; round < 12; round++) {
            uint64_t border = test_below(&random, 3) ? SAM_CHUNK : SAM_CHUNK_BLOCK_SIZE;
            uint64_t first = border - test_below(&random, 9);
            expect_wide(&piece, &file, &chunks, first, test_below(&random, 20));
        }
        free(made.data);
    }
}

TEST(widening_e4m3)
{
    widen(SAM_E4M3);
}

TEST(widening_e5m2)
{
    widen(SAM_E5M2);
}

TEST(widening_e2m1)
{
    widen(SAM_E2M1);
}

TEST(widening_bf16)
{
    widen(SAM_BF16);
}

/* All tensors but the first begin at odd bytes, and one element spans two blocks. */
TEST(tensors_coded_together)
{
    enum { TENSORS = 700 };
    static const enum sam_dtype types[] = {SAM_BF16, SAM_E4M3, SAM_E2M1};
    uint64_t random = test_seed(), at = 0, damaged;
    struct sam_weight tensors[TENSORS];
    for (size_t i = 0; i < TENSORS; i++) {
        uint64_t size = i ? 2 * test_below(&random, 250) : 1, end = at + size;
        bool border = at < SAM_CHUNK_BLOCK_SIZE && end > SAM_CHUNK_BLOCK_SIZE;
        enum sam_dtype type = !i ? SAM_U8 : border ? SAM_BF16 : types[i % SAM_COUNT(types)];
        tensors[i] =
            (struct sam_weight){.name = "t", .type = type, .rank = 1, .offset = at, .size = size};
        tensors[i].shape[0] = size * 8 / sam_dtype_bits(type);
        at = end;
    }
    struct sam_weights weights = {.file_size = at, .tensors = tensors, .count = TENSORS};
    struct packed file = {malloc((size_t)at), (size_t)at};
    assert_non_null(file.data);
    for (size_t i = 0; i < TENSORS; i++)
        test_weights(tensors[i].type, file.data + tensors[i].offset, (size_t)tensors[i].size, 0.02,
                     &random);
    struct packed packed = pack(&weights, file.data, NULL), chunks = chunks_of(&packed);
    assert_true(at > SAM_CHUNK_BLOCK_SIZE);
    for (size_t i = 0; i < TENSORS; i++) {
        const struct sam_weight *w = &tensors[i];
        enum sam_dtype wide = w->type == SAM_BF16 ? SAM_F32 : SAM_F16;
        const struct sam_chunks_piece piece = {
            .type = w->type, .layout = SAM_LAYOUT_SHARED, .count = at};
        const struct sam_chunks_range range = {w->type, w->offset, w->shape[0]};
        const struct sam_chunks_range widened = {wide, w->offset, w->shape[0]};
        struct output got;
        struct sam_chunks_sink sink = output_sink(&got, (size_t)w->size);
        assert_int_equal(decode_chunks(&piece, &range, &chunks, i % 2, &sink, &damaged, NULL),
                         SAM_OK);
        assert_int_equal(got.size, w->size);
        assert_true(got.size == 0 || memcmp(got.data, file.data + w->offset, got.size) == 0);
        free(got.data);
        if (w->type == SAM_U8)
            continue;
        sink = output_sink(&got, (size_t)w->shape[0] * sam_dtype_size(wide));
        assert_int_equal(decode_chunks(&piece, &widened, &chunks, i % 2, &sink, &damaged, NULL),
                         SAM_OK);
        assert_int_equal(got.size, got.room);
        for (uint64_t e = 0; e < w->shape[0]; e++)
            assert_int_equal(wide == SAM_F32 ? sam_le32(got.data + 4 * e)
                                             : sam_le16(got.data + 2 * e),
                             wide_value(w->type, element(w->type, file.data + w->offset, e)));
        free(got.data);
    }
    packed_free(&file);
    packed_free(&packed);
    packed_free(&chunks);
}
