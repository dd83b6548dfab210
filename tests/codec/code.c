/* SPDX-License-Identifier: Apache-2.0 */
/* Codes: complete, length-limited, optimal against an exhaustive search over lengths, canonical. */
#include "test.h"

#include "codec/codec.h"

static uint64_t cost(const uint32_t counts[256], const struct sam_huffman *code)
{
    uint64_t bits = 0;
    for (unsigned s = 0; s < 256; s++)
        bits += (uint64_t)counts[s] * code->length[s];
    return bits;
}

static void expect_good(const uint32_t counts[256], const struct sam_huffman *code)
{
    assert_true(sam_huffman_is_exact(code));
    for (unsigned s = 0; s < 256; s++) {
        assert_int_equal(code->length[s] == 0, counts[s] == 0);
        for (unsigned t = 0; t < s; t++) /* more frequent symbols never have longer codes */
            if (counts[s] && counts[t] && counts[s] > counts[t])
                assert_true(code->length[s] <= code->length[t]);
    }
}

/* The cheapest complete code of `n` symbols with rising counts: lengths fall. */
static uint64_t cheapest(const uint32_t *counts, unsigned n, unsigned longest, unsigned left)
{
    uint64_t best = UINT64_MAX;
    if (n == 0)
        return left == 0 ? 0 : UINT64_MAX;
    for (unsigned length = longest; length >= 1; length--) {
        unsigned share = 1u << (SAM_HUFFMAN_LIMIT - length);
        if (share > left)
            break;
        uint64_t rest = cheapest(counts + 1, n - 1, length, left - share);
        if (rest != UINT64_MAX && rest + (uint64_t)counts[0] * length < best)
            best = rest + (uint64_t)counts[0] * length;
    }
    return best;
}

TEST(as_short_as_can_be)
{
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 400; round++) {
        uint32_t counts[256] = {0}, rising[8];
        unsigned n = 2 + (unsigned)test_below(&random, 6);
        for (unsigned i = 0; i < n; i++) {
            rising[i] = 1 + (uint32_t)test_below(&random, 1u << test_below(&random, 16));
            for (unsigned j = i; j > 0 && rising[j] < rising[j - 1]; j--) {
                uint32_t other = rising[j];
                rising[j] = rising[j - 1];
                rising[j - 1] = other;
            }
        }
        for (unsigned i = 0; i < n; i++)
            counts[i * 31] = rising[i];
        struct sam_huffman code;
        sam_huffman_make(counts, &code);
        expect_good(counts, &code);
        assert_int_equal(cost(counts, &code),
                         cheapest(rising, n, SAM_HUFFMAN_LIMIT, SAM_HUFFMAN_SLOTS));
    }
}

/* Counts whose unlimited code would exceed the limit. */
TEST(limited)
{
    for (unsigned n = 2; n <= 40; n++) {
        uint32_t counts[256] = {0}, a = 1, b = 1;
        for (unsigned s = 0; s < n; s++) {
            counts[s] = a;
            uint32_t next = a + b;
            a = b;
            b = next;
        }
        struct sam_huffman code;
        sam_huffman_make(counts, &code);
        expect_good(counts, &code);
        assert_int_equal(code.length[0], n - 1 < SAM_HUFFMAN_LIMIT ? n - 1 : SAM_HUFFMAN_LIMIT);
    }
    uint32_t equal[256];
    struct sam_huffman code;
    for (unsigned s = 0; s < 256; s++)
        equal[s] = 1000;
    sam_huffman_make(equal, &code);
    for (unsigned s = 0; s < 256; s++)
        assert_int_equal(code.length[s], 8);
    for (unsigned s = 0; s < 256; s++)
        equal[s] = s ? 1 : UINT32_MAX;
    sam_huffman_make(equal, &code);
    expect_good(equal, &code);
    assert_int_equal(code.length[0], 1);
}

TEST(canonical)
{
    struct sam_huffman code = {.length = {[10] = 2, [20] = 1, [30] = 3, [40] = 3}};
    uint16_t words[256];
    assert_true(sam_huffman_is_exact(&code));
    sam_huffman_words(&code, words); /* 20: 0, 10: 10, 30: 110, 40: 111, the first bit lowest */
    assert_int_equal(words[20], 0);
    assert_int_equal(words[10], 1);
    assert_int_equal(words[30], 3);
    assert_int_equal(words[40], 7);
}

TEST(inexact)
{
    struct sam_huffman code = {.length = {[0] = 1}};
    assert_false(sam_huffman_is_exact(&code)); /* one symbol is a constant */
    code.length[1] = 2;
    assert_false(sam_huffman_is_exact(&code)); /* half of the codes are unused */
    code.length[2] = 2;
    assert_true(sam_huffman_is_exact(&code));
    code.length[3] = 11;
    assert_false(sam_huffman_is_exact(&code)); /* too many */
    code = (struct sam_huffman){.length = {[0] = 1, [1] = 2, [2] = 12, [3] = 12}};
    assert_false(sam_huffman_is_exact(&code));
    code = (struct sam_huffman){0};
    assert_false(sam_huffman_is_exact(&code));
}

TEST(counts)
{
    uint64_t random = test_seed();
    uint8_t symbols[1000];
    for (size_t n = 0; n < sizeof symbols; n += 1 + n / 10) {
        uint32_t got[256] = {[7] = 3}, wanted[256] = {[7] = 3};
        for (size_t i = 0; i < n; i++) {
            symbols[i] = (uint8_t)(test_random(&random) & 0x8f);
            wanted[symbols[i]]++;
        }
        sam_codec_count_symbols(symbols, n, got);
        assert_memory_equal(got, wanted, sizeof got);
    }
}
