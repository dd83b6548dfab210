/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of tile/: elements from a test's point of view, written independently of
 * the library. */
#ifndef TILE_TEST_H
#define TILE_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include <math.h>

#include "base/base.h"
#include "base/fp_format.h"
#include "random.h"
#include "samite/samite.h"

/* The float types of tiles, one row each, independent of dtype.def. */
struct test_real {
    enum sam_dtype dtype;
    uint32_t infinity;
    struct sam_fp_format format;
};
static const struct test_real test_reals[] = {
    {SAM_TILE_f32, 0x7f800000, {.exponent = 8, .mantissa = 23, .bias = 127, .nan = 0x7fc00000}},
    {SAM_TILE_f16, 0x7c00, {.exponent = 5, .mantissa = 10, .bias = 15, .nan = 0x7e00}},
    {SAM_TILE_bf16, 0x7f80, {.exponent = 8, .mantissa = 7, .bias = 127, .nan = 0x7fc0}},
};

/* NULL: an integer. */
static inline const struct test_real *test_real(enum sam_dtype dtype)
{
    for (size_t i = 0; i < SAM_COUNT(test_reals); i++)
        if (test_reals[i].dtype == dtype)
            return &test_reals[i];
    return NULL;
}

static inline bool test_is_real(enum sam_dtype dtype)
{
    return test_real(dtype) != NULL;
}

static inline bool test_is_signed(enum sam_dtype dtype)
{
    return dtype == SAM_TILE_i8 || dtype == SAM_TILE_i16 || dtype == SAM_TILE_i32;
}

static inline uint64_t test_bits(const void *data, size_t index, enum sam_dtype dtype)
{
    size_t size = sam_dtype_size(dtype);
    uint64_t bits = 0;
    if (sam_dtype_bits(dtype) == 4) /* two in a byte */
        return ((const uint8_t *)data)[index / 2] >> (index % 2 * 4) & 15;
    memcpy(&bits, (const uint8_t *)data + index * size, size);
    return bits;
}

static inline void test_set(void *data, size_t index, enum sam_dtype dtype, uint64_t bits)
{
    size_t size = sam_dtype_size(dtype);
    uint8_t *const pair = (uint8_t *)data + index / 2;
    if (sam_dtype_bits(dtype) == 4) {
        *pair = (uint8_t)(index % 2 ? (*pair & 15) | bits << 4 : (*pair & 240) | (bits & 15));
        return;
    }
    memcpy((uint8_t *)data + index * size, &bits, size);
}

/* The element as a number; exact for every dtype of up to 32 bits. */
static inline double test_value(enum sam_dtype dtype, uint64_t bits)
{
    unsigned width = 8 * (unsigned)sam_dtype_size(dtype);
    if (dtype == SAM_TILE_f32)
        return sam_bits_f32((uint32_t)bits);
    if (test_is_real(dtype))
        return sam_fp_value(&test_real(dtype)->format, bits);
    if (test_is_signed(dtype))
        return (double)((int64_t)(bits << (64 - width)) >> (64 - width));
    return (double)bits;
}

static inline uint64_t test_canonical(enum sam_dtype dtype)
{
    return test_real(dtype)->format.nan;
}

/* The rule for two elements, from docs/tile-rulings.md. */
static inline uint64_t test_fold(enum sam_dtype dtype, bool max, enum sam_tile_nan nan, uint64_t m,
                                 uint64_t x)
{
    double a = test_value(dtype, m), b = test_value(dtype, x);
    if (!test_is_real(dtype) || nan == SAM_TILE_NAN_FIRST)
        return (max ? b > a : b < a) ? x : m;
    if (isnan(a) && isnan(b))
        return test_canonical(dtype);
    if (isnan(a) || isnan(b))
        return nan == SAM_TILE_NAN_PROPAGATE ? test_canonical(dtype) : isnan(a) ? x : m;
    if (a == 0 && b == 0)
        return max ? m & x : m | x; /* the sign */
    return (max ? b > a : b < a) ? x : m;
}

/* Special and ordinary bits: numbers, zeros, infinities, NaN, subnormals, boundaries. */
static inline uint64_t test_element(uint64_t *seed, enum sam_dtype dtype)
{
    static const uint32_t special32[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                         0xffc00001, 0x7f800001, 1,          0x80000001, 0x007fffff,
                                         0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000};
    static const uint16_t special16[] = {0,      0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01,
                                         1,      0x8001, 0x03ff, 0x7bff, 0x7f80, 0xff80, 0x7fc0,
                                         0xffc1, 0x7f81, 0x007f, 0x7f7f, 0x3c00, 0x3f80};
    uint64_t random = test_random(seed);
    unsigned width = 8 * (unsigned)sam_dtype_size(dtype);
    if (test_is_real(dtype) && random % 4 == 0)
        return width == 32 ? special32[(random >> 8) % SAM_COUNT(special32)]
                           : special16[(random >> 8) % SAM_COUNT(special16)];
    if (dtype == SAM_TILE_f32 && random % 4 < 3)
        return sam_f32_bits((float)((double)(int32_t)(random >> 20) * 0x1p-24));
    return (random >> 20) & (UINT64_MAX >> (64 - width));
}

/* Fill an array. */
static inline void test_random_elements(void *data, size_t count, enum sam_dtype dtype,
                                        uint64_t *seed)
{
    for (size_t i = 0; i < count; i++)
        test_set(data, i, dtype, test_element(seed, dtype));
}

static const enum sam_dtype test_dtypes[] = {SAM_TILE_f32,  SAM_TILE_f16, SAM_TILE_bf16,
                                             SAM_TILE_i8,   SAM_TILE_ui8, SAM_TILE_i16,
                                             SAM_TILE_ui16, SAM_TILE_i32, SAM_TILE_ui32};

static inline struct sam_tile_core *test_core(const struct sam_tile_options *options)
{
    struct sam_tile_core *core;
    struct sam_error error;
    assert_int_equal(sam_tile_core_new(options, &core, &error), SAM_OK);
    return core;
}

static inline void scope_core_free(struct sam_tile_core **core)
{
    sam_tile_core_free(*core);
}

static inline void scope_program_free(struct sam_tile_program **program)
{
    sam_tile_program_free(*program);
}

/* As SCOPED of test.h. */
#define SCOPED_CORE    __attribute__((cleanup(scope_core_free))) struct sam_tile_core
#define SCOPED_PROGRAM __attribute__((cleanup(scope_program_free))) struct sam_tile_program

/* The program, which must parse without a message. */
static inline struct sam_tile_program *test_parse(const char *name, const char *text, size_t size)
{
    struct sam_tile_program *p = NULL;
    struct sam_error error;
    char *messages = NULL;
    if (sam_tile_parse(name, text, size, &p, &messages, &error) != SAM_OK)
        fail_msg("%s", messages);
    assert_string_equal(messages, "");
    free(messages);
    return p;
}

/* The messages for a text that must not parse, for free(). */
static inline char *test_messages(const char *name, const char *text)
{
    struct sam_tile_program *p = NULL;
    char *messages = NULL;
    assert_int_equal(sam_tile_parse(name, text, strlen(text), &p, &messages, NULL), SAM_ERR_INPUT);
    return messages;
}

/* The text of a program, for free(). */
static inline char *test_printed(const struct sam_tile_program *p, enum sam_tile_surface surface)
{
    char *text = NULL;
    succeeds(sam_tile_print, p, surface, &text);
    return text;
}

/* Through every surface and back; returns the program. */
static inline struct sam_tile_program *test_round_trip(const char *name, const char *text,
                                                       size_t size)
{
    struct sam_tile_program *p = test_parse(name, text, size);
    for (int surface = SAM_TILE_FLAT; surface <= SAM_TILE_GENERIC; surface++) {
        FREED char *printed = test_printed(p, (enum sam_tile_surface)surface);
        SCOPED_PROGRAM *q = test_parse(name, printed, strlen(printed));
        if (!sam_tile_equal(p, q) || !sam_tile_equal(q, p))
            fail_msg("%s is not the same after printing:\n%s", name, printed);
        FREED char *again = test_printed(q, (enum sam_tile_surface)surface);
        assert_string_equal(printed, again); /* comments, too */
    }
    return p;
}

#endif
