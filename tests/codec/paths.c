/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of each instruction level against the plain ones: the same bytes, at every alignment
 * and length. */

#include "test.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/codec.h"
#include "codec/weights.h"

enum { MOST = 9000 };

static const struct sam_codec_ops *level(unsigned i)
{
    return sam_codec_ops((enum sam_codec_level)(SAM_CODEC_PORTABLE + i));
}

/* A level that this host lacks falls back to one that it has, which is then tested twice. */
#define EACH_LEVEL(ops)                                                                            \
    for (unsigned level_ = 0; level_ < 3; level_++)                                                \
        for (const struct sam_codec_ops *ops = level(level_), *once_ = ops; once_; once_ = NULL)

static uint8_t *buffer(size_t size)
{
    uint8_t *data = test_room(size ? size : 1);
    return data;
}

static size_t some_length(uint64_t *random)
{
    return test_below(random, 3) ? test_below(random, 300) : test_below(random, MOST);
}

TEST(splitting_and_merging)
{
    uint64_t random = test_seed();
    EACH_LEVEL(ops)
    {
        for (unsigned round = 0; round < 2000; round++) {
            enum sam_layout_id id = (enum sam_layout_id)(round % SAM_LAYOUTS);
            const struct sam_layout *l = sam_layout_of(id);
            size_t n = some_length(&random), size = n * l->element;
            size_t shift = test_below(&random, 70); /* alignment of the output */
            FREED uint8_t *elements = buffer(size), *back = buffer(size + shift);
            uint8_t *wanted[SAM_MAX_PLANES], *got[SAM_MAX_PLANES];
            for (size_t i = 0; i < size; i++)
                elements[i] = (uint8_t)test_random(&random);
            for (size_t p = 0; p < l->plane_count; p++) {
                wanted[p] = buffer(sam_plane_size(&l->plane[p], n));
                got[p] = buffer(sam_plane_size(&l->plane[p], n));
            }
            sam_planes_split(id, elements, n, wanted);
            ops->split(id, elements, n, got);
            for (size_t p = 0; p < l->plane_count; p++)
                assert_true(n == 0 ||
                            memcmp(got[p], wanted[p], sam_plane_size(&l->plane[p], n)) == 0);
            uint64_t hash =
                ops->merge(id, (const uint8_t *const *)got, n, back + shift, &(uint64_t){round});
            assert_true(n == 0 || memcmp(back + shift, elements, size) == 0);
            assert_int_equal(hash, XXH3_64bits_withSeed(elements, size, round));
            for (size_t p = 0; p < l->plane_count; p++) {
                free(wanted[p]);
                free(got[p]);
            }
        }
    }
}

TEST(copying)
{
    uint64_t random = test_seed();
    EACH_LEVEL(ops)
    {
        for (unsigned round = 0; round < 500; round++) {
            size_t size = some_length(&random), shift = test_below(&random, 70);
            FREED uint8_t *from = buffer(size), *to = buffer(size + shift);
            for (size_t i = 0; i < size; i++)
                from[i] = (uint8_t)test_random(&random);
            uint64_t wanted = XXH3_64bits_withSeed(from, size, round);
            assert_int_equal(ops->copy(to + shift, from, size, round), wanted);
            assert_int_equal(ops->hash(from, size, round), wanted);
            assert_true(size == 0 || memcmp(to + shift, from, size) == 0);
        }
    }
}

/* Symbols of some distribution; at least two of them. */
static void fill_symbols(uint8_t *symbols, size_t n, uint64_t *random)
{
    unsigned kind = (unsigned)test_below(random, 5);
    uint8_t base = (uint8_t)test_random(random);
    for (size_t i = 0; i < n; i++) {
        unsigned steps = 0;
        switch (kind) {
        case 0: symbols[i] = (uint8_t)test_random(random); break;
        case 1: symbols[i] = (uint8_t)(base + test_below(random, 5)); break;
        case 2: symbols[i] = test_below(random, 500) ? base : (uint8_t)test_random(random); break;
        case 3: symbols[i] = (uint8_t)(base + (test_random(random) & 1) * 128); break;
        default: /* halving */
            while (test_random(random) & 1 && steps < 40)
                steps++;
            symbols[i] = (uint8_t)(base + steps);
            break;
        }
    }
    symbols[0] = (uint8_t)(symbols[n - 1] + 1);
}

TEST(coding)
{
    uint64_t random = test_seed();
    FREED struct sam_huffman_table *table = test_room(sizeof *table);
    for (unsigned round = 0; round < 600; round++) {
        size_t n = 2 + some_length(&random), total = 0;
        FREED uint8_t *symbols = buffer(n), *back = buffer(n);
        FREED uint8_t *wanted = buffer(sam_huffman_bound(n));
        uint32_t wanted_sizes[SAM_STREAMS], counts[256] = {0};
        struct sam_huffman code;
        fill_symbols(symbols, n, &random);
        sam_codec_count_symbols(symbols, n, counts);
        sam_huffman_make(counts, &code);
        sam_huffman_table_make(&code, table);
        sam_streams_encode(&code, symbols, n, wanted, wanted_sizes);
        for (unsigned j = 0; j < SAM_STREAMS; j++)
            total += wanted_sizes[j];
        EACH_LEVEL(ops)
        {
            FREED uint8_t *got = buffer(sam_huffman_bound(n));
            uint32_t sizes[SAM_STREAMS];
            const struct sam_warm nothing = {0};
            ops->encode(&code, symbols, n, got, sizes, &nothing);
            assert_memory_equal(sizes, wanted_sizes, sizeof sizes);
            assert_memory_equal(got, wanted, total);
            FREED uint8_t *exact = buffer(total); /* bytes after it must not be read */
            memcpy(exact, wanted, total);
            memset(back, 0, n);
            assert_true(ops->decode(table, exact, sizes, back, n, &nothing));
            assert_memory_equal(back, symbols, n);
        }
        memset(back, 0, n);
        assert_true(sam_streams_decode(table, wanted, wanted_sizes, back, n));
        assert_memory_equal(back, symbols, n);
    }
}

/* Fast loops count an address down in its low 16 bits: any stream may cross such a boundary, at
 * any point. */
TEST(across_64_kib)
{
    enum { N = 4000, BORDER = 1 << 16 };
    uint64_t random = test_seed();
    FREED uint8_t *room = aligned_alloc(BORDER, (size_t)2 * BORDER), *symbols = buffer(N);
    FREED uint8_t *in = buffer(sam_huffman_bound(N));
    FREED uint8_t *exact;
    FREED struct sam_huffman_table *table = malloc(sizeof *table);
    uint32_t sizes[SAM_STREAMS], counts[256] = {0};
    struct sam_huffman code;
    size_t total = 0;
    assert_non_null(room);
    assert_non_null(table);
    for (size_t i = 0; i < N; i++) /* every other symbol takes one bit: seven symbols per look-up */
        symbols[i] = (uint8_t)(test_below(&random, 2) ? 0 : test_below(&random, 40));
    sam_codec_count_symbols(symbols, N, counts);
    sam_huffman_make(counts, &code);
    sam_huffman_table_make(&code, table);
    sam_streams_encode(&code, symbols, N, in, sizes);
    for (unsigned j = 0; j < SAM_STREAMS; j++)
        total += sizes[j];
    exact = buffer(total);
    memcpy(exact, in, total);
    EACH_LEVEL(ops)
    {
        const struct sam_warm nothing = {0};
        for (size_t before = 0; before <= N; before++) {
            uint8_t *back = room + BORDER - before;
            memset(room + BORDER - N - 64, 0xee, 2 * N + 128);
            assert_true(ops->decode(table, exact, sizes, back, N, &nothing));
            assert_memory_equal(back, symbols, N);
            assert_int_equal(back[-1], 0xee);
            assert_int_equal(back[N], 0xee);
        }
    }
}

/* Damaged streams and streams of the wrong length: all levels agree on whether they are valid
 * and, if so, on the symbols. */
TEST(damaged_streams)
{
    uint64_t random = test_seed();
    FREED struct sam_huffman_table *table = test_room(sizeof *table);
    unsigned refused = 0;
    for (unsigned round = 0; round < 1500; round++) {
        size_t n = 2 + some_length(&random), total = 0;
        uint8_t *symbols = buffer(n), *wanted = buffer(n), *in = buffer(sam_huffman_bound(n));
        uint32_t sizes[SAM_STREAMS], counts[256] = {0};
        const struct sam_warm nothing = {0};
        struct sam_huffman code;
        fill_symbols(symbols, n, &random);
        sam_codec_count_symbols(symbols, n, counts);
        sam_huffman_make(counts, &code);
        sam_huffman_table_make(&code, table);
        sam_streams_encode(&code, symbols, n, in, sizes);
        unsigned j = (unsigned)test_below(&random, SAM_STREAMS);
        switch (test_below(&random, 4)) {
        case 0: /* move a byte from one stream to the next */
            if (sizes[j]) {
                sizes[j]--;
                sizes[(j + 1) % SAM_STREAMS]++;
            }
            break;
        case 1: sizes[j] -= sizes[j] != 0; break;
        case 2: sizes[j] /= 2; break;
        default: break;
        }
        for (unsigned k = 0; k < SAM_STREAMS; k++)
            total += sizes[k];
        FREED uint8_t *exact = buffer(total);
        memcpy(exact, in, total);
        if (total && test_below(&random, 2))
            exact[test_below(&random, total)] ^= (uint8_t)(1u << test_below(&random, 8));
        bool good = sam_streams_decode(table, exact, sizes, wanted, n);
        refused += !good;
        EACH_LEVEL(ops)
        {
            assert_int_equal(ops->decode(table, exact, sizes, symbols, n, &nothing), good);
            if (good)
                assert_memory_equal(symbols, wanted, n);
        }
        free(symbols);
        free(wanted);
        free(in);
    }
    assert_true(refused > 100);
}

TEST(levels)
{
    assert_string_equal(sam_codec_level_name(SAM_CODEC_PORTABLE), "portable");
#if defined(__aarch64__)
    assert_string_equal(sam_codec_level_name(SAM_CODEC_BEST), "neon");
#endif
    EACH_LEVEL(ops)
    print_message("# %s\n", ops->name);
}
