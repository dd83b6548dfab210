/* SPDX-License-Identifier: Apache-2.0 */
/* Window blocks: all instruction levels agree, any group can be read alone, forged blocks are
 * rejected. */

#include "test.h"

#include "base/dtype.h"
#include "codec/chunk.h"
#include "codec/roundtrip.h"
#include "codec/weights.h"

enum { MOST = 2 * SAM_CHUNK_BLOCK_SIZE + 8, GUARD = 80, ROOM = MOST * 4 + 2 * GUARD };

static const struct sam_codec_ops *const levels[] = {
    &sam_codec_base,
#if defined(__x86_64__)
    &sam_codec_v3,
    &sam_codec_v4,
    &sam_codec_vbmi2,
#elif defined(__aarch64__)
    &sam_codec_neon,
#endif
};
/* The instruction levels of this host. */
static size_t level_count(void)
{
#if defined(__aarch64__)
    return 2;
#else
    return sam_cpu_has_vbmi2() ? 4 : (size_t)sam_cpu_level() + 1;
#endif
}

static uint8_t *buffer(size_t size)
{
    uint8_t *data = calloc(1, size + 1);
    assert_non_null(data);
    return data;
}

/* A chunk of windows or verbatim blocks. */
struct made {
    struct sam_chunk_span span;
    uint8_t *data;
    size_t size;
};

static struct made make(const struct sam_codec_ops *ops, struct sam_chunk_span span,
                        const uint8_t *elements)
{
    struct sam_chunk_maker maker;
    struct made m = {.span = span};
    m.data = buffer(sam_chunk_bound(span.layout, span.count) + SAM_CHUNK_SLACK);
    assert_true(sam_chunk_maker_open(&maker, ops, NULL, 1u << span.layout, span.count));
    maker.window = true;
    m.size = sam_chunk_make(&maker, &span, elements, m.data);
    sam_chunk_maker_close(&maker);
    return m;
}

/* Values like weights of one of several kinds; the parts of a block have different scales. */
static void fill(enum sam_dtype type, uint8_t *data, size_t size, uint64_t *random)
{
    const size_t part = 2 + test_below(random, 40000) * 4;
    for (size_t at = 0; at < size; at += part) {
        const size_t some = size - at < part ? size - at : part;
        switch (test_below(random, 6)) {
        case 0: memset(data + at, (int)test_below(random, 256), some); break;
        case 1:
            for (size_t i = 0; i < some; i++)
                data[at + i] = (uint8_t)test_random(random);
            break;
        case 2:
            for (size_t i = 0; i < some; i++)
                data[at + i] = test_below(random, 3) ? 0 : (uint8_t)test_random(random);
            break;
        default:
            test_weights(type, data + at, some / 4 * 4, 0.02 * (double)(1 + at % 7), random);
            break;
        }
    }
}

static const struct {
    enum sam_layout_id layout;
    enum sam_dtype type;
} kinds[] = {
    {SAM_LAYOUT_BF16, SAM_BF16},     {SAM_LAYOUT_F16, SAM_F16},   {SAM_LAYOUT_F32, SAM_F32},
    {SAM_LAYOUT_E4M3, SAM_E4M3},     {SAM_LAYOUT_E5M2, SAM_E5M2}, {SAM_LAYOUT_BYTES, SAM_U8},
    {SAM_LAYOUT_F16_DENSE, SAM_F16},
};

static size_t some_length(uint64_t *random)
{
    static const size_t borders[] = {64, 1024, 4096, SAM_CHUNK_BLOCK_SIZE};
    const size_t border = borders[test_below(random, 4)];
    switch (test_below(random, 4)) {
    case 0: return 1 + test_below(random, 3000);
    case 1: return 1 + test_below(random, MOST);
    default: return border * (1 + test_below(random, 2)) - 3 + test_below(random, 6);
    }
}

TEST(levels_agree)
{
    uint64_t random = test_seed();
    FREED uint8_t *elements = buffer(MOST * 4), *back = buffer(ROOM);
    unsigned windows = 0;
    for (unsigned round = 0; round < 150; round++) {
        const size_t kind = round % SAM_COUNT(kinds);
        const struct sam_chunk_span span = {kinds[kind].layout, round, (uint64_t)round << 20,
                                            some_length(&random)};
        const size_t element = sam_layout_of(span.layout)->element, size = span.count * element;
        fill(kinds[kind].type, elements, size, &random);
        struct made first = make(&sam_codec_base, span, elements);
        for (size_t l = 0; l < level_count(); l++) {
            struct made again = make(levels[l], span, elements);
            struct sam_chunk_reader reader;
            struct sam_chunk chunk;
            assert_int_equal(again.size, first.size);
            assert_memory_equal(again.data, first.data, first.size);
            assert_null(sam_chunk_parse(again.data, again.size, &span, &chunk));
            assert_true(sam_chunk_reader_open(&reader, levels[l], NULL, 1u << span.layout, MOST));
            for (unsigned way = 0; way < 4; way++) {
                const size_t shift = GUARD / 2 + test_below(&random, GUARD / 2);
                reader.trusted = way & 1;
                reader.stream = way & 2;
                memset(back, 0xa5, size + 2 * GUARD);
                for (size_t b = 0; b < sam_chunk_span_blocks(&span); b++) {
                    uint8_t *to = back + shift + b * SAM_CHUNK_BLOCK_SIZE * element;
                    windows += chunk.block[b].mode == SAM_CHUNK_WINDOW;
                    assert_null(sam_chunk_read(&reader, &chunk, again.data, b, to));
                }
                assert_memory_equal(back + shift, elements, size);
                for (size_t i = 0; i < GUARD; i++) /* nothing before and after */
                    assert_int_equal(i < shift ? back[i] : back[size + i], 0xa5);
            }
            sam_chunk_reader_close(&reader);
            free(again.data);
        }
        free(first.data);
    }
    assert_true(windows > 100 * level_count());
}

/* Every symbol through every window: 256 bases, k from 1 to 4. */
TEST(every_window)
{
    enum { COUNT = SAM_WINDOW_GROUP };
    uint8_t symbols[COUNT + 64], out[COUNT];
    _Alignas(8) uint8_t table[8] = {1, 0}, group[2 * COUNT + 256];
    for (size_t i = 0; i < sizeof symbols; i++)
        symbols[i] = (uint8_t)(i * 167);
    for (size_t l = 0; l < level_count(); l++) {
        for (unsigned window = 0; window < 4 * 256; window++) {
            const unsigned k = 1 + window / 256, base = window % 256;
            uint8_t *words = group + SAM_WINDOW_HASH + 2, *escapes = words + COUNT / 8 * k;
            const size_t n =
                levels[l]->window->write(symbols, COUNT, (uint8_t)base, k, words, escapes);
            assert_int_equal(n, COUNT - COUNT / 256 * ((1u << k) - 1));
            group[SAM_WINDOW_HASH] = (uint8_t)base;
            group[SAM_WINDOW_HASH + 1] = (uint8_t)k;
            const size_t size = (size_t)(escapes - group) + n;
            sam_put_le16(table + 2, (uint16_t)size);
            const struct sam_window w = {
                .count = COUNT, .groups = 1, .planes = 1, .sizes = table + 2};
            const struct sam_window_read read = {
                .groups = group, .size = size, .end = 1, .trusted = true};
            for (size_t r = 0; r < level_count(); r++) {
                memset(out, 0, sizeof out);
                assert_int_equal(levels[r]->window->read(&w, &read, out), SAM_WINDOW_GOOD);
                assert_memory_equal(out, symbols, COUNT);
            }
        }
        for (unsigned first = 0; first < 256; first++) {
            uint32_t counts[16], odd[16];
            levels[l]->window->count(symbols, COUNT, (uint8_t)first, counts);
            levels[l]->window->count(symbols, 77, (uint8_t)first, odd);
            for (unsigned s = 0; s < 16; s++) {
                unsigned n = 0;
                for (unsigned i = 0; i < 77; i++)
                    n += symbols[i] == (uint8_t)(first + s);
                assert_int_equal(counts[s], COUNT / 256);
                assert_int_equal(odd[s], n);
            }
        }
    }
}

/* Each element type of dtype.def; 4-bit types are stored verbatim. */
TEST(every_type)
{
    enum { COUNT = 1 << 16 };
    const struct sam_codec_options options = {.size = sizeof options, .window = true};
    uint64_t random = test_seed();
    FREED uint8_t *data = buffer(COUNT);
    for (enum sam_dtype type = 0; type < SAM_DTYPES; type++) {
        if (!sam_dtype_exists(type))
            continue;
        test_weights(type, data, COUNT, 0.02, &random);
        const size_t size = roundtrip(type, data, COUNT, &options);
        const bool floats = type == SAM_BF16 || type == SAM_F16 || type == SAM_F32 ||
                            type == SAM_E4M3 || type == SAM_E5M2;
        if (floats)
            assert_true(size < COUNT * 95 / 100);
        if (sam_dtype_bits(type) == 4)
            assert_true(size > COUNT && size < COUNT + 400);
        for (size_t i = 0; i < COUNT; i++) /* every byte */
            data[i] = (uint8_t)(i % 2 ? i / 2 : 0x3c);
        roundtrip(type, data, COUNT, &options);
    }
}

/* --- ranges */
struct memory {
    const uint8_t *data;
    uint64_t size, bytes;
    unsigned reads;
};

static bool read_memory(void *context, uint64_t offset, void *data, size_t size)
{
    struct memory *m = context;
    m->reads++;
    m->bytes += size;
    if (offset > m->size || size > m->size - offset)
        return false;
    memcpy(data, m->data + offset, size);
    return true;
}

TEST(ranges_read_little)
{
    enum { SIZE = 5 << 20, SOME = 8192 };
    const struct sam_codec_options options = {.size = sizeof options, .window = true};
    uint64_t random = test_seed();
    struct sam_weight tensor;
    const struct sam_weights weights = one_tensor(&tensor, SAM_BF16, SIZE);
    FREED uint8_t *file = buffer(SIZE);
    uint8_t out[SOME];
    test_weights(SAM_BF16, file, SIZE, 0.02, &random);
    SCOPED(packed) packed = pack(&weights, file, &options);
    struct memory m = {.data = packed.data, .size = packed.size};
    struct sam_packed *p, *direct;
    assert_int_equal(
        sam_packed_open_source((struct sam_source){read_memory, &m, m.size}, NULL, &p, NULL),
        SAM_OK);
    assert_int_equal(sam_packed_open(packed.data, packed.size, NULL, &direct, NULL), SAM_OK);
    for (unsigned round = 0; round < 300; round++) {
        const size_t size = round % 3 ? SOME : test_below(&random, SOME + 1);
        size_t first = test_below(&random, SIZE - size + 1);
        first = round % 2 ? first : first / 2048 * 2048;
        m.bytes = m.reads = 0;
        assert_int_equal(sam_packed_read(p, 0, first, size, out, NULL), SAM_OK);
        assert_memory_equal(out, file + first, size);
        /* At most two blocks: per block a table of 258 bytes, and per 1024 weights 1.6 KB. */
        assert_true(m.reads <= 6 && m.bytes <= 2 * (512 + 258) + (size / 2048 + 2) * 1600);
        assert_int_equal(sam_packed_read(direct, 0, first, size, out, NULL), SAM_OK);
        assert_memory_equal(out, file + first, size);
    }
    sam_packed_close(p);
    sam_packed_close(direct);
}

/* A file written with non-temporal stores, at an odd address. */
TEST(large_file)
{
    enum { SIZE = (9 << 20) + 6 };
    uint64_t random = test_seed();
    struct sam_weight tensor;
    const struct sam_weights weights = one_tensor(&tensor, SAM_BF16, SIZE);
    FREED uint8_t *file = buffer(SIZE), *out = buffer(SIZE + 1);
    test_weights(SAM_BF16, file, SIZE, 0.02, &random);
    for (unsigned threads = 1; threads < 3; threads++) {
        for (unsigned level = SAM_CODEC_BEST; level <= SAM_CODEC_AVX512; level++) {
            const struct sam_codec_options options = {.size = sizeof options,
                                                      .window = true,
                                                      .threads = threads,
                                                      .level = (enum sam_codec_level)level};
            SCOPED(packed) packed = pack(&weights, file, &options);
            memset(out, 0, SIZE + 1);
            assert_int_equal(sam_unpack(packed.data, packed.size, &options, out + 1, SIZE, NULL),
                             SAM_OK);
            assert_memory_equal(out + 1, file, SIZE);
        }
    }
}

/* --- damage */
static void read_it(const struct made *m, bool trusted, uint8_t *out, const char *expected)
{
    for (size_t l = 0; l < level_count(); l++) {
        struct sam_chunk chunk;
        struct sam_chunk_reader reader;
        const char *wrong = sam_chunk_parse(m->data, m->size, &m->span, &chunk);
        assert_null(wrong);
        assert_true(
            sam_chunk_reader_open(&reader, levels[l], NULL, 1u << m->span.layout, m->span.count));
        reader.trusted = trusted;
        wrong = sam_chunk_read(&reader, &chunk, m->data, 0, out);
        if (expected)
            assert_string_equal(wrong ? wrong : "no error", expected);
        else
            assert_null(wrong);
        sam_chunk_reader_close(&reader);
    }
}

/* Correct the checksums of a chunk of one block of windows. */
static void forge(struct made *m)
{
    uint8_t *table = m->data + sam_le16(m->data + 12), *entry = m->data + SAM_CHUNK_HEADER;
    const size_t size = sam_window_table_size(m->span.count);
    uint8_t *at = table + size;
    for (size_t g = 0; g < sam_window_groups(m->span.count); g++) {
        const size_t group = sam_le16(table + SAM_WINDOW_HEAD + 2 * g);
        if (group < SAM_WINDOW_HASH || group > m->size - (size_t)(at - m->data))
            break;
        sam_put_le64(at, sam_codec_base.hash(at + 8, group - 8, 0) ^
                             (sam_window_place(&m->span, 0) + g));
        at += group;
    }
    sam_put_le64(entry + 4, sam_codec_base.hash(table, size, sam_chunk_seed(&m->span, 0)));
    sam_put_le64(m->data, sam_codec_base.hash(m->data + 8, sam_le16(m->data + 12) - 8u,
                                              sam_chunk_seed(&m->span, 0)));
}

TEST(forged_blocks)
{
    enum { COUNT = 3000 };
    static const char misfit[] = "group of a window: its planes and escapes do not fit its size";
    static const char size_of_a_group[] = "table of windows: impossible size of a group";
    static const char sum[] = "table of windows: the groups do not add up to the block";
    static const struct {
        const char *what, *expected;
        enum { TABLE, GROUP, LAST, WORD, LENGTHS } where;
        size_t at;
        unsigned value;
    } cases[] = {
        {"k = 5", misfit, GROUP, 9, 5},
        {"k = 255", misfit, GROUP, 9, 255},
        {"k one smaller: late escapes", misfit, GROUP, 9, 2},
        {"k one larger: no room", misfit, GROUP, 9, 4},
        {"k = 0: nothing is an escape", misfit, GROUP, 9, 0},
        {"no window", "table of windows: unknown fields", TABLE, 0, 0},
        {"an unknown field", "table of windows: unknown fields", TABLE, 1, 1},
        {"a window for plane 2 of 2", "table of windows: a window for a plane that cannot have one",
         TABLE, 0, 5},
        {"a window for plane 7", "table of windows: a window for a plane that cannot have one",
         TABLE, 0, 129},
        {"two windows", misfit, TABLE, 0, 3},
        {"an empty group", size_of_a_group, TABLE, 2, 257},
        {"a group of few bytes", sum, TABLE, 3, 0},
        {"a huge group", size_of_a_group, TABLE, 3, 255},
        {"one escape more in a group", sum, TABLE, 2, 256},
        {"escapes end early", misfit, LENGTHS, 0, 1},
        {"escapes end late", misfit, LENGTHS, 0, 2},
        {"bits past the end", misfit, LAST, 0, 0},
        {"one more escape code", misfit, WORD, 0, 0},
        {"a block shorter than its table", "table of windows: truncated", LENGTHS, 0, 3},
    };
    uint64_t random = test_seed();
    FREED uint8_t *elements = buffer(COUNT * 2), *out = buffer(COUNT * 2);
    test_weights(SAM_BF16, elements, COUNT * 2, 0.02, &random);
    const struct sam_chunk_span span = {SAM_LAYOUT_BF16, 3, 0, COUNT};
    for (size_t c = 0; c < SAM_COUNT(cases); c++) {
        struct made m = make(&sam_codec_base, span, elements);
        uint8_t *table = m.data + sam_le16(m.data + 12), *entry = m.data + SAM_CHUNK_HEADER;
        uint8_t *group = table + sam_window_table_size(COUNT), *words = group + 10, *last = group;
        assert_int_equal(sam_le32(entry) >> 30, SAM_CHUNK_WINDOW);
        assert_int_equal(group[9], 3);
        read_it(&m, false, out, NULL);
        for (size_t g = 0; g < 2; g++)
            last += sam_le16(table + 2 + 2 * g);
        switch (cases[c].where) {
        case TABLE:
            if (cases[c].value == 256)
                sam_put_le16(table + 2, (uint16_t)(sam_le16(table + 2) + 1));
            else
                table[cases[c].at] = (uint8_t)cases[c].value;
            if (cases[c].value == 257)
                sam_put_le16(table + 2, 0);
            break;
        case GROUP: group[cases[c].at] = (uint8_t)cases[c].value; break;
        case LAST: last[10 + 3 * 8 * (sam_window_words(COUNT - 2048)) - 1] |= 0x80; break;
        case WORD: /* of the first element inside the window */
            for (unsigned i = 0; i < 64; i++) {
                if (words[i / 8] & words[8 + i / 8] & words[16 + i / 8] & 1u << i % 8)
                    continue;
                for (unsigned j = 0; j < 3; j++)
                    words[8 * j + i / 8] |= (uint8_t)(1u << i % 8);
                break;
            }
            break;
        case LENGTHS: /* a byte moves from the first group to the second, or back */
            if (cases[c].value == 3) {
                sam_put_le32(entry, 2u | (unsigned)SAM_CHUNK_WINDOW << 30);
                sam_put_le32(m.data + 8, 64);
                m.size = 64;
                memset(m.data + 32, 0, 32);
                break;
            }
            for (unsigned i = 0; i < 2; i++)
                sam_put_le16(table + 2 + 2 * i,
                             (uint16_t)(sam_le16(table + 2 + 2 * i) +
                                        ((cases[c].value == 1) == (i == 0) ? -1 : 1)));
            break;
        }
        forge(&m);
        for (unsigned trusted = 0; trusted < 2; trusted++)
            read_it(&m, trusted, out, cases[c].expected);
        free(m.data);
    }
}

/* Bits above an exponent field are ignored, at every level. */
TEST(exponents_too_large)
{
    enum { COUNT = 1500 };
    uint64_t random = test_seed();
    for (size_t kind = 0; kind < SAM_COUNT(kinds); kind++) {
        const struct sam_chunk_span span = {kinds[kind].layout, 1, 0, COUNT};
        const size_t size = COUNT * sam_layout_of(span.layout)->element;
        FREED uint8_t *elements = buffer(size), *wanted = buffer(size), *out = buffer(size);
        test_weights(kinds[kind].type, elements, size / 4 * 4, 0.02, &random);
        struct made m = make(&sam_codec_base, span, elements);
        if (sam_le32(m.data + SAM_CHUNK_HEADER) >> 30 == SAM_CHUNK_WINDOW) {
            m.data[sam_le16(m.data + 12) + sam_window_table_size(COUNT) + 8] = 250; /* base */
            forge(&m);
            for (size_t l = 0; l < level_count(); l++) {
                struct sam_chunk chunk;
                struct sam_chunk_reader reader;
                assert_null(sam_chunk_parse(m.data, m.size, &span, &chunk));
                assert_true(
                    sam_chunk_reader_open(&reader, levels[l], NULL, 1u << span.layout, COUNT));
                assert_null(sam_chunk_read(&reader, &chunk, m.data, 0, l ? out : wanted));
                if (l)
                    assert_memory_equal(out, wanted, size);
                sam_chunk_reader_close(&reader);
            }
        }
        free(m.data);
    }
}

TEST(checksums)
{
    enum { COUNT = 4096, SIZE = COUNT * 2 };
    uint64_t random = test_seed();
    FREED uint8_t *elements = buffer(SIZE), *out = buffer(SIZE);
    test_weights(SAM_BF16, elements, SIZE, 0.02, &random);
    memcpy(elements + SIZE / 2, elements, SIZE / 4); /* group 2 is like group 0 */
    const struct sam_chunk_span span = {SAM_LAYOUT_BF16, 0, 0, COUNT};
    struct made m = make(&sam_codec_base, span, elements);
    uint8_t *table = m.data + sam_le16(m.data + 12), *first = table + sam_window_table_size(COUNT);
    const size_t size = sam_le16(table + 2);
    uint8_t *third = first + size + sam_le16(table + 4);
    static const char mismatch[] = "group of a window: checksum mismatch";
    for (size_t i = 0; i < size; i += 1 + test_below(&random, 5)) { /* each byte matters */
        first[i] ^= 64;
        read_it(&m, false, out, mismatch);
        first[i] ^= 64;
    }
    assert_int_equal(sam_le16(table + 6), size);
    assert_memory_equal(first + 8, third + 8, size - 8);
    memcpy(third, first, 8); /* the checksum of another offset */
    read_it(&m, false, out, mismatch);
    read_it(&m, true, out, NULL);
    assert_memory_equal(out, elements, SIZE);
    first[size - 200] ^= 64; /* a mantissa */
    read_it(&m, true, out, NULL);
    assert_memory_not_equal(out, elements, SIZE);
    table[2] ^= 1;
    read_it(&m, true, out, "table of windows: checksum mismatch");
    free(m.data);
}

TEST(options)
{
    struct sam_codec_options options = {.size = sizeof options, .window = true, .bit_planes = true};
    uint16_t data[600] = {0};
    uint8_t packed[4096];
    size_t size;
    struct sam_error error = {0};
    struct sam_weight tensor;
    const struct sam_weights weights = one_tensor(&tensor, SAM_BF16, sizeof data);
    assert_int_equal(sam_pack(&weights, data, &options, packed, sizeof packed, &size, &error),
                     SAM_ERR_USAGE);
    assert_string_equal(error.text, "windows and one plane per bit: expected one of them");
    options.bit_planes = false;
    for (unsigned window = 0; window < 2; window++) { /* the version tells */
        options.window = window;
        assert_int_equal(sam_pack(&weights, data, &options, packed, sizeof packed, &size, NULL),
                         SAM_OK);
        assert_int_equal(packed[8], 1 + window);
    }
    packed[8] = 3;
    sam_put_le64(packed + 56, sam_codec_base.hash(packed, 56, 0));
    uint64_t file_size;
    assert_int_equal(sam_unpack_size(packed, size, &file_size, &error), SAM_ERR_INPUT);
    assert_string_equal(error.text, "unknown format version: expected 1 or 2");
}
