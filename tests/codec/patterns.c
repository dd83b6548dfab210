/* SPDX-License-Identifier: Apache-2.0 */
/* Every bit pattern, every length and degenerate planes survive packing and unpacking. */

#include "test.h"

#include "codec/roundtrip.h"
#include "codec/weights.h"

static const struct sam_codec_options every_mode[] = {
    {0},
    {.dense = true},
    {.bit_planes = true},
    {.size = sizeof(struct sam_codec_options), .window = true},
};
enum { MODES = sizeof every_mode / sizeof every_mode[0] };

/* All 65536 patterns of 16 bits, shuffled, with skewed exponents that are worth coding: the
 * pattern 0x3f80 + k occurs k more times. */
TEST(every_16_bit_pattern)
{
    enum { MORE = 1 << 17, COUNT = 65536 + MORE };
    uint64_t random = test_seed();
    FREED uint16_t *elements = test_room(COUNT * sizeof *elements);
    for (unsigned i = 0; i < 65536; i++)
        elements[i] = (uint16_t)i;
    for (unsigned i = 65536; i < COUNT; i++)
        elements[i] = (uint16_t)(0x3c00 + test_below(&random, 0x600));
    for (unsigned i = COUNT; i-- > 1;) {
        unsigned j = (unsigned)test_below(&random, i + 1);
        uint16_t other = elements[i];
        elements[i] = elements[j];
        elements[j] = other;
    }
    for (size_t mode = 0; mode < MODES; mode++) {
        assert_true(roundtrip(SAM_BF16, elements, COUNT * 2, &every_mode[mode]) < COUNT * 2);
        roundtrip(SAM_F16, elements, COUNT * 2, &every_mode[mode]);
        roundtrip(SAM_I16, elements, COUNT * 2, &every_mode[mode]);
        roundtrip(SAM_F32, elements, COUNT * 2, &every_mode[mode]);
    }
}

TEST(every_8_bit_pattern)
{
    enum { COUNT = 1 << 14 };
    static const enum sam_dtype types[] = {SAM_E4M3, SAM_E5M2, SAM_I8, SAM_E2M1, SAM_E8M0};
    uint64_t random = test_seed();
    uint8_t elements[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        elements[i] = (uint8_t)(i < 256 ? i : 0x38 + test_below(&random, 8));
    for (unsigned turn = 0; turn < 2; turn++) { /* worth coding, then not */
        for (size_t mode = 0; mode < MODES; mode++)
            for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
                roundtrip(types[t], elements, COUNT, &every_mode[mode]);
        for (unsigned i = 0; i < COUNT; i++)
            elements[i] = (uint8_t)(i * 167);
    }
}

/* 0..4096 elements of weights, of each layout. */
TEST(every_length)
{
    static const enum sam_dtype types[] = {SAM_BF16, SAM_F16, SAM_F32, SAM_E4M3, SAM_E5M2, SAM_U8};
    enum { MOST = 4096 };
    uint64_t random = test_seed();
    FREED uint8_t *data = test_room(MOST * 4);
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        size_t width = sam_dtype_bits(types[t]) / 8;
        test_weights(types[t], data, MOST * width, 0.02, &random);
        for (size_t n = 0; n <= MOST; n++) {
            /* The other modes, at lengths around multiples of a stream and of a byte of bits. */
            size_t modes = n < 130 || n % 61 == 0 ? MODES : 1;
            for (size_t mode = 0; mode < modes; mode++) {
                size_t packed = roundtrip(types[t], data, n * width, &every_mode[mode]);
                assert_true(packed <= n * width + 1024 + 128);
            }
        }
    }
}

/* An array of several layers packs as well as the layers one by one, within one percent. */
TEST(layers_in_one_array)
{
    enum { LAYERS = 5, LAYER = 2 << 17, SIZE = LAYERS * LAYER };
    static const double sigma[LAYERS] = {0.02, 0.02, 30, 30, 0.0004};
    uint64_t random = test_seed();
    FREED uint8_t *data = malloc(SIZE);
    size_t apart = 0;
    assert_non_null(data);
    for (size_t i = 0; i < LAYERS; i++) {
        test_weights(SAM_BF16, data + i * LAYER, LAYER, sigma[i], &random);
        apart += roundtrip(SAM_BF16, data + i * LAYER, LAYER, &every_mode[0]);
    }
    size_t packed = roundtrip(SAM_BF16, data, SIZE, &every_mode[0]);
    assert_in_range(packed, apart - apart / 100, apart + apart / 100);
}

/* Planes that are usually noise, but not here: f32 converted from bf16 packs as small as bf16,
 * and zeros cost nothing in any plane. */
TEST(mantissas_that_are_no_noise)
{
    enum { COUNT = 300000 };
    uint64_t random = test_seed();
    FREED uint8_t *half = test_room((size_t)COUNT * 2), *wide = calloc(COUNT, 4);
    assert_non_null(wide);
    test_weights(SAM_BF16, half, (size_t)COUNT * 2, 0.02, &random);
    for (size_t i = 0; i < COUNT; i++)
        memcpy(wide + 4 * i + 2, half + 2 * i, 2);
    size_t packed = roundtrip(SAM_BF16, half, (size_t)COUNT * 2, &every_mode[0]);
    assert_in_range(roundtrip(SAM_F32, wide, (size_t)COUNT * 4, &every_mode[0]), packed - 256,
                    packed + 256);
    for (size_t i = 0; i < COUNT; i++) /* nine of ten are zero */
        if (test_below(&random, 10))
            memset(half + 2 * i, 0, 2);
    assert_true(roundtrip(SAM_BF16, half, (size_t)COUNT * 2, &every_mode[0]) < packed / 3);
    memset(wide, 0, (size_t)COUNT * 4);
    assert_true(roundtrip(SAM_F32, wide, (size_t)COUNT * 4, &every_mode[0]) < 1024);
}

TEST(degenerate_planes)
{
    enum { COUNT = 1 << 18 };
    FREED uint8_t *data = malloc(COUNT);
    uint64_t random = test_seed();
    assert_non_null(data);
    for (unsigned kind = 0; kind < 6; kind++) {
        uint64_t a = 1, b = 1, left = 1;
        uint8_t symbol = 0;
        for (size_t i = 0; i < COUNT; i++) {
            switch (kind) {
            case 0: data[i] = 0x7f; break;                                /* one symbol */
            case 1: data[i] = test_below(&random, 1000) ? 0 : 255; break; /* two, far apart */
            case 2: data[i] = (uint8_t)i; break;                          /* 256, equal */
            case 3: /* Fibonacci: an unlimited code would be as long as there are symbols */
                data[i] = symbol;
                if (--left == 0) {
                    uint64_t next = a + b;
                    a = b;
                    b = next;
                    left = a;
                    symbol = (uint8_t)(symbol + (symbol < 255));
                }
                break;
            case 4: data[i] = i < COUNT - 1 ? 3 : 4; break;    /* all but one are equal */
            default: data[i] = i < COUNT / 2 ? 0 : 200; break; /* two constant halves */
            }
        }
        for (size_t t = 0; t < SAM_DTYPES; t++)
            for (size_t mode = 0; mode < MODES; mode++)
                roundtrip((enum sam_dtype)(t), data, COUNT, &every_mode[mode]);
    }
}

/* The packed sizes of normally distributed weights: close to the entropy of their exponents. */
TEST(sizes_near_the_bound)
{
    static const struct {
        enum sam_dtype type;
        double least, most; /* bits a weight */
    } cases[] = {
        {SAM_BF16, 10.5, 10.66}, {SAM_F16, 13.5, 13.66}, {SAM_F32, 26.4, 26.7},
        {SAM_E4M3, 5.5, 6.6},    {SAM_E5M2, 5.4, 5.62},
    };
    enum { COUNT = 1 << 20 };
    FREED uint8_t *data = test_room(COUNT * 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t random = 1;
        struct sam_weight_stat stat;
        size_t size = COUNT * sam_dtype_bits(cases[i].type) / 8;
        test_weights(cases[i].type, data, size, 0.02, &random);
        double bits = (double)roundtrip(cases[i].type, data, size, NULL) * 8 / COUNT;
        assert_int_equal(sam_weight_stat(cases[i].type, data, size, NULL, &stat, NULL), SAM_OK);
        if (bits < cases[i].least || bits > cases[i].most)
            fail_msg("%s: %.3f bits a weight", sam_dtype_name(cases[i].type), bits);
        /* A twentieth of a bit of inefficiency counts double for 8-bit elements. */
        double above = stat.width == 8 ? 0.008 : 0.004;
        if (bits < stat.bound || (bits - stat.bound) / stat.width > above)
            fail_msg("%s: %.3f bits a weight, the bound is %.3f", sam_dtype_name(cases[i].type),
                     bits, stat.bound);
    }
}

/* Incompressible data hardly grows. */
TEST(incompressible)
{
    uint64_t random = test_seed();
    enum { SIZE = 3 << 20 };
    FREED uint8_t *data = test_room(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)test_random(&random);
    for (size_t t = 0; t < SAM_DTYPES; t++) {
        for (size_t mode = 0; mode < MODES; mode++) {
            for (size_t size = 1 << 20; size <= SIZE; size += 1 << 20)
                assert_true(roundtrip((enum sam_dtype)(t), data, size, &every_mode[mode]) <=
                            size + size / 1000);
            assert_true(roundtrip((enum sam_dtype)(t), data, 1 << 16, &every_mode[mode]) <=
                        (1 << 16) + 1024 + 128);
        }
    }
}
