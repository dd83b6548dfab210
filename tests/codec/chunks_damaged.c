/* SPDX-License-Identifier: Apache-2.0 */
/* 100,000 damaged chunks (SAMITE_MUTATIONS: their number): each is a fault or decodes to the
 * right elements, without a wrong byte and without access out of bounds. Every eighth gets a
 * valid checksum of its header, so that the code after that check runs. */

#include "test.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/chunks_in_memory.h"
#include "codec/weights.h"

enum { GROUPS = 5, MUTATIONS = 100000, FORGED = 8 };

/* A piece, its elements and its chunks. */
struct victim {
    struct sam_chunks_piece piece;
    struct packed file, chunks;
};

static void make_victim(struct victim *v, enum sam_dtype type, const struct sam_codec_options *o,
                        uint32_t number, size_t size, uint64_t *random)
{
    struct output made;
    struct sam_chunks_sink sink = output_sink(&made, 2 * size + 4096);
    *v = (struct victim){piece_of(type, size, o), {malloc(size), size}, {0}};
    v->piece.number = number;
    assert_non_null(v->file.data);
    test_weights(type, v->file.data, size, 0.02, random);
    assert_int_equal(sam_chunks_encode(&v->piece, memory_source(&v->file), NULL, &sink, NULL),
                     SAM_OK);
    v->chunks = (struct packed){made.data, made.size};
}

static void free_victim(struct victim *v)
{
    free(v->file.data);
    free(v->chunks.data);
}

/* Half of the damage hits sizes and codes. */
static size_t somewhere(size_t size, uint64_t *random)
{
    return (size_t)(test_below(random, 2) ? test_below(random, size < 200 ? size : 200)
                                          : test_below(random, size));
}

static void damage(struct packed *work, const struct packed *other, uint64_t *random)
{
    static const uint32_t edges[] = {0, 1, 63, 64, 65, 255, 65535, 1 << 20, UINT32_MAX, 1u << 30};
    size_t at = somewhere(work->size, random), left = work->size - at, length, from;
    switch (test_below(random, 5)) {
    case 0: /* bits */
        for (uint64_t n = 1 + test_below(random, 3); n--; at = somewhere(work->size, random))
            work->data[at] ^= (uint8_t)(1u << test_below(random, 8));
        break;
    case 1: /* cut off */ work->size = at; break;
    case 2: /* a part of another piece */
        from = (size_t)test_below(random, other->size);
        length = 1 + (size_t)test_below(random, 300);
        length = length < left ? length : left;
        length = length < other->size - from ? length : other->size - from;
        memcpy(work->data + at, other->data + from, length);
        break;
    case 3: /* a part of itself, elsewhere */
        from = (size_t)test_below(random, work->size);
        length = 1 + (size_t)test_below(random, 300);
        length = length < left ? length : left;
        length = length < work->size - from ? length : work->size - from;
        memmove(work->data + at, work->data + from, length);
        break;
    default: /* a plausible size */
        at -= at % 4;
        if (work->size - at >= 4)
            sam_put_le32(work->data + at,
                         test_below(random, 2)
                             ? edges[test_below(random, SAM_COUNT(edges))]
                             : (uint32_t)test_random(random) >> test_below(random, 32));
        break;
    }
}

static void forge(const struct packed *work, uint32_t number)
{
    if (work->size < SAM_CHUNK_HEADER)
        return;
    size_t header = sam_le16(work->data + 12);
    if (header >= SAM_CHUNK_HEADER && header <= work->size)
        sam_put_le64(work->data,
                     XXH3_64bits_withSeed(work->data + 8, header - 8, (uint64_t)number << 32));
}

/* Decode a random range, or all. Every output element must equal the original. */
static bool decode(const struct victim *v, struct packed *work, uint64_t *random)
{
    bool wider = test_below(random, 2) && v->piece.type != SAM_F32;
    uint64_t even = sam_dtype_bits(v->piece.type) == 4 ? ~UINT64_C(1) : UINT64_MAX;
    uint64_t first = test_below(random, 4) ? test_below(random, v->piece.count) & even : 0;
    uint64_t count = (test_below(random, v->piece.count - first) + 1) & even, size, damaged = 99;
    if (first == 0)
        count = v->piece.count;
    const struct sam_chunks_range range = {wider ? SAM_F32 : v->piece.type, first, count};
    FREED uint8_t *wanted;
    struct output got;
    struct sam_error error = {0};
    assert_null(sam_chunks_range_fault(&v->piece, &range, &size));
    struct sam_chunks_sink sink = output_sink(&got, (size_t)size);
    enum sam_status status =
        decode_chunks(&v->piece, &range, work, test_below(random, 2), &sink, &damaged, &error);
    uint8_t *elements = v->file.data + first * sam_dtype_bits(v->piece.type) / 8;
    wanted = test_room(size ? (size_t)size : 1);
    if (wider)
        assert_int_equal(sam_dtype_widen(v->piece.type, SAM_F32, elements, count, wanted, NULL),
                         SAM_OK);
    else
        memcpy(wanted, elements, (size_t)size);
    assert_true(got.size == 0 || memcmp(got.data, wanted, got.size) == 0);
    for (size_t i = got.size; i < got.room; i++) /* nor a byte of a damaged block */
        assert_int_equal(got.data[i], UNWRITTEN);
    if (status == SAM_OK) {
        assert_int_equal(got.size, size);
    } else {
        assert_int_equal(status, SAM_ERR_INPUT);
        assert_true(damaged <= v->piece.count / SAM_CHUNK_BLOCK_SIZE);
        assert_true(error.text[0]);
    }
    free(got.data);
    return status == SAM_OK;
}

static void mutate(enum sam_dtype type, size_t size, uint64_t rounds, uint64_t *random)
{
    struct victim victims[SAM_COUNT(layouts)];
    unsigned harmless = 0;
    for (uint32_t l = 0; l < SAM_COUNT(layouts); l++)
        make_victim(&victims[l], type, &layouts[l], l, size, random);
    for (uint64_t round = 0; round < rounds; round++) {
        const struct victim *v = &victims[round % SAM_COUNT(layouts)];
        const struct victim *other = &victims[(round + 1) % SAM_COUNT(layouts)];
        struct packed work = {malloc(v->chunks.size), v->chunks.size};
        assert_non_null(work.data);
        memcpy(work.data, v->chunks.data, work.size);
        damage(&work, &other->chunks, random);
        if (round % FORGED == 0)
            forge(&work, v->piece.number);
        /* An allocation of the exact size, so that a sanitizer detects reads past its end. */
        work.data = realloc(work.data, work.size ? work.size : 1);
        assert_non_null(work.data);
        harmless += decode(v, &work, random);
        packed_free(&work);
    }
    assert_true(harmless < rounds / 2); /* the damage does reach decoded data */
    for (size_t l = 0; l < SAM_COUNT(layouts); l++)
        free_victim(&victims[l]);
}

/* One group of the types; some of the damage hits pieces of several blocks. */
static void group(unsigned number)
{
    uint64_t random = test_seed() + number;
    uint64_t rounds = test_number("SAMITE_MUTATIONS", MUTATIONS) / GROUPS;
    static const enum sam_dtype types[GROUPS] = {SAM_BF16, SAM_F16, SAM_E4M3, SAM_E5M2, SAM_E2M1};
    mutate(types[number], 600, rounds / 2, &random);
    mutate(types[number], 3000, rounds - rounds / 2 - rounds / 25, &random);
    mutate(types[number], (2 * SAM_CHUNK_BLOCK_SIZE + 400) * sam_dtype_bits(types[number]) / 8,
           rounds / 25, &random);
}

TEST(damaged_bf16)
{
    group(0);
}

TEST(damaged_f16)
{
    group(1);
}

TEST(damaged_e4m3)
{
    group(2);
}

TEST(damaged_e5m2)
{
    group(3);
}

TEST(damaged_e2m1)
{
    group(4);
}
