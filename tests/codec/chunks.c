/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks without a file: ranges of every type in every layout against sam_packed_read, chunks
 * against those of sam_pack, counters against sam_weight_count. */

#include "test.h"

#include "codec/chunks_in_memory.h"
#include "codec/weights.h"

/* A file of one tensor, packed, and its chunks. */
struct sample {
    enum sam_dtype type;
    struct packed file, packed, chunks;
    struct sam_packed *open;
    struct sam_chunks_piece piece;
};

static struct sample make_sample(enum sam_dtype type, size_t size,
                                 const struct sam_codec_options *options, uint64_t *random)
{
    struct sample s = {.type = type, .file = {malloc(size), size}};
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, type, size);
    assert_non_null(s.file.data);
    test_weights(type, s.file.data, size, 0.02, random);
    if (test_below(random, 3) == 0) /* a constant stretch: blocks of several modes */
        memset(s.file.data + size / 3, 0, size / 4);
    s.packed = pack(&weights, s.file.data, options);
    s.chunks = chunks_of(&s.packed);
    s.piece = piece_of(type, size, options);
    assert_int_equal(sam_packed_open(s.packed.data, s.packed.size, NULL, &s.open, NULL), SAM_OK);
    return s;
}

static void sample_free(struct sample *s)
{
    sam_packed_close(s->open);
    free(s->file.data);
    free(s->packed.data);
    free(s->chunks.data);
}

/* Elements [first, first + count), unpacked; they must equal those of sam_packed_read. */
static void expect_range(struct sample *s, uint64_t first, uint64_t count)
{
    bool shared = s->piece.layout == SAM_LAYOUT_SHARED;
    uint64_t bits = sam_dtype_bits(s->type), at = first * bits / 8, size = count * bits / 8, said;
    const struct sam_chunks_range range = {s->type, shared ? at : first, count};
    FREED uint8_t *wanted = malloc(size ? (size_t)size : 1);
    uint64_t damaged = 0;
    assert_non_null(wanted);
    assert_null(sam_chunks_range_fault(&s->piece, &range, &said));
    assert_int_equal(said, size);
    assert_int_equal(sam_packed_read(s->open, 0, at, size, wanted, NULL), SAM_OK);
    for (unsigned in_place = 0; in_place < 2; in_place++) {
        struct output got;
        struct sam_chunks_sink sink = output_sink(&got, (size_t)size);
        succeeds(decode_chunks, &s->piece, &range, &s->chunks, in_place, &sink, &damaged);
        assert_int_equal(got.size, size);
        assert_true(size == 0 || memcmp(got.data, wanted, (size_t)size) == 0);
        free(got.data);
    }
}

/* A random index in a piece of `count` elements, likely near a border of blocks or chunks. */
static uint64_t some_place(uint64_t count, uint64_t *random)
{
    static const uint64_t steps[] = {1, SAM_CHUNK_BLOCK_SIZE, SAM_CHUNK};
    uint64_t step = steps[test_below(random, SAM_COUNT(steps))];
    uint64_t at = test_below(random, count / step + 1) * step + test_below(random, 5);
    at = at < 2 ? at : at - 2;
    return at < count ? at : count;
}

static void ranges(enum sam_dtype type, uint64_t elements, unsigned rounds, uint64_t *random)
{
    for (size_t l = 0; l < SAM_COUNT(layouts); l++) {
        size_t bits = sam_dtype_bits(type);
        SCOPED(sample) s = make_sample(type, (size_t)(elements * bits / 8), &layouts[l], random);
        uint64_t even = bits == 4 ? ~UINT64_C(1) : UINT64_MAX;
        expect_range(&s, 0, elements);
        expect_range(&s, elements, 0);
        for (unsigned round = 0; round < rounds; round++) {
            uint64_t a = some_place(elements, random) & even;
            uint64_t b = some_place(elements, random) & even;
            expect_range(&s, a < b ? a : b, a < b ? b - a : a - b);
        }
    }
}

TEST(ranges_of_every_type)
{
    uint64_t random = test_seed();
    for (unsigned type = 0; type < SAM_DTYPES; type++) {
        ranges((enum sam_dtype)type, 40, 10, &random); /* coded as layout 10 */
        ranges((enum sam_dtype)type, 3000, 10, &random);
        ranges((enum sam_dtype)type, SAM_CHUNK_BLOCK_SIZE + 100, 6, &random);
    }
}

TEST(ranges_over_several_chunks)
{
    static const enum sam_dtype types[] = {SAM_BF16, SAM_E4M3, SAM_E2M1};
    uint64_t random = test_seed();
    for (size_t t = 0; t < SAM_COUNT(types); t++)
        ranges(types[t], SAM_CHUNK + 2 * SAM_CHUNK_BLOCK_SIZE + 64, 6, &random);
}

/* Elements of `size` bytes packed by sam_pack, and as chunks alone. */
static void make(enum sam_dtype type, size_t size, uint64_t *random)
{
    for (size_t l = 0; l < SAM_COUNT(layouts); l++) {
        SCOPED(sample) s = make_sample(type, size, &layouts[l], random);
        struct output got;
        struct sam_chunks_sink sink = output_sink(&got, s.chunks.size);
        assert_int_equal(sam_chunks_encode(&s.piece, memory_source(&s.file), NULL, &sink, NULL),
                         SAM_OK);
        assert_int_equal(got.size, s.chunks.size);
        assert_memory_equal(got.data, s.chunks.data, got.size);
        assert_int_equal(got.read, size);
        free(got.data);
    }
}

TEST(making_chunks)
{
    static const size_t sizes[] = {8, 504, 512, 3000, 40000};
    static const enum sam_dtype types[] = {SAM_BF16, SAM_E4M3, SAM_E2M1};
    uint64_t random = test_seed();
    for (unsigned type = 0; type < SAM_DTYPES; type++)
        for (size_t i = 0; i < SAM_COUNT(sizes); i++)
            make((enum sam_dtype)type, sizes[i], &random);
    for (size_t t = 0; t < SAM_COUNT(types); t++)
        make(types[t], SAM_CHUNK * sizeof(uint16_t) + 24, &random);
}

/* The last chunk does not fit: those before it are written, whole. */
TEST(making_without_room)
{
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_E4M3, SAM_CHUNK + 5000, &layouts[0], &random);
    struct output got;
    struct sam_chunks_sink sink = output_sink(&got, s.chunks.size - 1);
    assert_int_equal(sam_chunks_encode(&s.piece, memory_source(&s.file), NULL, &sink, NULL),
                     SAM_ERR_IO);
    assert_int_equal(got.size, sam_le32(s.chunks.data + 8));
    assert_memory_equal(got.data, s.chunks.data, got.size);
    free(got.data);
}

static void count(enum sam_dtype type, const struct sam_codec_options *options, size_t size,
                  uint64_t *random)
{
    struct packed data = {calloc(1, size + 1), size};
    uint64_t wanted[256], counts[256], all = 0;
    struct output none;
    struct sam_chunks_sink sink = output_sink(&none, 0);
    const struct sam_chunks_piece piece = {.type = type,
                                           .layout = sam_layout_for(type, options),
                                           .count = size * 8 / sam_dtype_bits(type)};
    assert_non_null(data.data);
    test_weights(type, data.data, size, 0.02, random);
    assert_int_equal(sam_weight_count(type, data.data, size, options, 0, wanted, NULL), SAM_OK);
    assert_int_equal(sam_chunks_count(&piece, memory_source(&data), &sink, counts, NULL), SAM_OK);
    assert_memory_equal(counts, wanted, sizeof counts);
    for (unsigned s = 0; s < 256; s++)
        all += counts[s];
    assert_int_equal(none.counted, all);
    assert_int_equal(none.read, size);
    packed_free(&data);
    free(none.data);
}

TEST(counting)
{
    static const size_t sizes[] = {0, 8, 5000, 3 * SAM_CHUNK_BLOCK_SIZE + 24};
    uint64_t random = test_seed();
    for (unsigned type = 0; type < SAM_DTYPES; type++)
        for (size_t l = 0; l < SAM_COUNT(layouts); l++)
            for (size_t i = 0; i < SAM_COUNT(sizes); i++)
                count((enum sam_dtype)type, &layouts[l], sizes[i], &random);
}

/* The steps of a decoder, as reported, for blocks with known planes. */
TEST(costs)
{
    enum { COUNT = SAM_CHUNK_BLOCK_SIZE + 1000 };
    uint64_t random = test_seed(), damaged;
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, &layouts[0], &random);
    test_weights(SAM_BF16, s.file.data, s.file.size, 0.02, &random);
    struct output coded, got;
    struct sam_chunks_sink sink = output_sink(&coded, 4 * COUNT);
    assert_int_equal(sam_chunks_encode(&s.piece, memory_source(&s.file), NULL, &sink, NULL),
                     SAM_OK);
    struct packed chunks = {coded.data, coded.size};
    const struct sam_chunks_range all = {SAM_BF16, 0, COUNT}, tail = {SAM_BF16, COUNT - 1, 1};
    /* The exponent is coded, with one code for both blocks; sign and mantissa are stored. */
    sink = output_sink(&got, 2 * COUNT);
    assert_int_equal(decode_chunks(&s.piece, &all, &chunks, true, &sink, &damaged, NULL), SAM_OK);
    uint64_t counts[256], used = 0;
    assert_int_equal(sam_weight_count(SAM_BF16, s.file.data, s.file.size, NULL, 0, counts, NULL),
                     SAM_OK);
    for (unsigned i = 0; i < 256; i++)
        used += counts[i] != 0;
    assert_int_equal(got.steps, 3);
    assert_int_equal(got.cost.codes, 2);
    assert_int_equal(got.cost.code[0].id, got.cost.code[1].id);
    assert_int_equal(got.cost.code[0].symbols, used);
    assert_int_equal(got.cost.coded, COUNT);
    assert_true(got.read > chunks.size - SAM_ALIGN && got.read <= chunks.size);
    assert_int_equal(coded.cost.coded, COUNT);
    assert_int_equal(coded.counted, COUNT);
    free(got.data);
    /* One element of the second block needs all of this block, and the code. */
    sink = output_sink(&got, 2);
    assert_int_equal(decode_chunks(&s.piece, &tail, &chunks, true, &sink, &damaged, NULL), SAM_OK);
    assert_int_equal(got.steps, 2);
    assert_int_equal(got.cost.codes, 1);
    assert_int_equal(got.cost.coded, 1000);
    free(got.data);
    free(coded.data);
}

TEST(a_sink_that_refuses)
{
    uint64_t random = test_seed(), damaged, counts[256];
    SCOPED(sample) s = make_sample(SAM_E5M2, 3 * SAM_CHUNK_BLOCK_SIZE, &layouts[0], &random);
    const struct sam_chunks_range all = {SAM_E5M2, 0, s.file.size};
    for (unsigned at = 1; at <= 4; at++) {
        struct output got;
        struct sam_chunks_sink sink = output_sink(&got, s.file.size);
        got.refuse_at = at;
        assert_int_equal(decode_chunks(&s.piece, &all, &s.chunks, true, &sink, &damaged, NULL),
                         SAM_ERR_IO);
        assert_int_equal(got.size, at < 2 ? 0 : (at - 2) * SAM_CHUNK_BLOCK_SIZE);
        assert_memory_equal(got.data, s.file.data, got.size);
        free(got.data);
        sink = output_sink(&got, s.file.size);
        got.refuse_at = at;
        assert_int_equal(sam_chunks_encode(&s.piece, memory_source(&s.file), NULL, &sink, NULL),
                         SAM_ERR_IO);
        free(got.data);
        sink = output_sink(&got, 0);
        got.refuse_at = at;
        assert_int_equal(sam_chunks_count(&s.piece, memory_source(&s.file), &sink, counts, NULL),
                         at < 4 ? SAM_ERR_IO : SAM_OK);
        free(got.data);
    }
}

TEST(faults_of_pieces)
{
    static const struct {
        struct sam_chunks_piece piece;
        const char *fault;
    } cases[] = {
        {{.type = SAM_DTYPES, .count = 8}, "unknown element type"},
        {{.type = SAM_U8, .layout = SAM_LAYOUT_SHARED + 1, .count = 8}, "unknown layout"},
        {{.type = SAM_U8, .layout = 255, .count = 8}, "unknown layout"},
        {{.type = SAM_U8, .count = UINT64_MAX}, "more elements than a piece can have"},
        {{.type = SAM_U64, .count = UINT64_MAX / 8}, "more elements than a piece can have"},
        {{.type = SAM_E2M1, .count = 7}, "a piece of half a byte"},
        {{.type = SAM_E4M3, .layout = SAM_LAYOUT_BF16, .count = 7},
         "a piece that its layout does not divide into elements"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct packed nothing = {(uint8_t *)"", 0};
        struct sam_error error = {0};
        uint64_t size;
        struct output none;
        struct sam_chunks_sink sink = output_sink(&none, 0);
        assert_string_equal(sam_chunks_fault(&cases[i].piece, &size), cases[i].fault);
        assert_int_equal(
            sam_chunks_encode(&cases[i].piece, memory_source(&nothing), NULL, &sink, &error),
            SAM_ERR_USAGE);
        assert_string_equal(error.text, cases[i].fault);
        free(none.data);
    }
}

TEST(faults_of_ranges)
{
    const struct sam_chunks_piece bytes = {.type = SAM_E4M3, .count = 100};
    const struct sam_chunks_piece nibbles = {.type = SAM_E2M1, .count = 100};
    const struct sam_chunks_piece shared = {
        .type = SAM_BF16, .layout = SAM_LAYOUT_SHARED, .count = 100};
    const struct {
        const struct sam_chunks_piece *piece;
        struct sam_chunks_range range;
        const char *fault;
    } cases[] = {
        {&bytes, {SAM_DTYPES, 0, 1}, "an output type that does not hold every value"},
        {&bytes, {SAM_E5M2, 0, 1}, "an output type that does not hold every value"},
        {&bytes, {SAM_E4M3, 101, 0}, "elements past the end"},
        {&bytes, {SAM_E4M3, 1, 100}, "elements past the end"},
        {&bytes, {SAM_E4M3, 1, UINT64_MAX}, "elements past the end"},
        {&bytes, {SAM_F16, UINT64_MAX, 2}, "elements past the end"},
        {&shared, {SAM_BF16, 1, 50}, "elements past the end"},
        {&shared, {SAM_BF16, 0, UINT64_MAX}, "elements past the end"},
        {&nibbles, {SAM_E2M1, 1, 2}, "a range of half bytes"},
        {&nibbles, {SAM_E2M1, 2, 1}, "a range of half bytes"},
        {&nibbles, {SAM_F16, 99, 1}, NULL},
        {&shared, {SAM_F32, 1, 49}, NULL},
        {&bytes, {SAM_E4M3, 100, 0}, NULL},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        uint64_t size;
        const char *fault = sam_chunks_range_fault(cases[i].piece, &cases[i].range, &size);
        if (cases[i].fault)
            assert_string_equal(fault, cases[i].fault);
        else
            assert_null(fault);
    }
}
