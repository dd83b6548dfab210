/* SPDX-License-Identifier: Apache-2.0 */
/* tcvt: every element of 8 and 16 bits to every other dtype in every rounding mode, against a table
 * of the values of the destination; 32-bit sources at random. */
#include "tile/tile_test.h"

enum { ALL = 65536, RINT, AWAY, FLOOR, CEIL, TRUNC };

struct number {
    double value;
    uint32_t bits;
};

static int by_value(const void *x, const void *y)
{
    double a = ((const struct number *)x)->value, b = ((const struct number *)y)->value;
    return (a > b) - (a < b);
}

/* The finite values of a 16-bit format in order, without -0. */
static size_t values_of(enum sam_dtype dtype, struct number *numbers)
{
    size_t count = 0;
    for (uint32_t bits = 0; bits < ALL; bits++) {
        double v = test_value(dtype, bits);
        if (isfinite(v) && bits != 0x8000)
            numbers[count++] = (struct number){v, bits};
    }
    qsort(numbers, count, sizeof *numbers, by_value);
    return count;
}

/* Of the neighbours low < v < high, the choice of the mode: true for high. */
static bool takes_high(int mode, double v, double low, double high, bool low_is_even)
{
    switch (mode) {
    case FLOOR: return false;
    case CEIL: return true;
    case TRUNC: return v < 0;
    default: break;
    }
    double below = v - low, above = high - v;
    if (below != above)
        return above < below;
    return mode == RINT ? !low_is_even : v > 0;
}

/* Values beyond the largest number round to a virtual next number. */
static uint32_t to_float16(enum sam_dtype to, const struct number *numbers, size_t count, double v,
                           int mode)
{
    uint32_t infinity = test_real(to)->infinity, sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v))
        return (uint32_t)test_canonical(to);
    if (isinf(v) || v == 0)
        return sign | (isinf(v) ? infinity : 0);
    double largest = numbers[count - 1].value, step = largest - numbers[count - 2].value;
    if (fabs(v) >= largest) {
        bool out = fabs(v) > largest && takes_high(mode, v, v > 0 ? largest : -INFINITY,
                                                   v > 0 ? INFINITY : -largest, false) == (v > 0);
        if (mode == RINT || mode == AWAY) /* as if the next number existed; it is even */
            out = fabs(v) >= largest + step / 2;
        return sign | (out ? infinity : infinity - 1);
    }
    size_t low = 0, high = count - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(numbers[middle].value <= v ? &low : &high) = middle;
    }
    if (numbers[low].value == v)
        return numbers[low].bits;
    bool up =
        takes_high(mode, v, numbers[low].value, numbers[high].value, !(numbers[low].bits & 1));
    uint32_t bits = numbers[up ? high : low].bits;
    return bits == 0 ? sign : bits; /* zero keeps the sign of the unrounded value */
}

static int64_t to_integer(enum sam_dtype to, double v, int mode)
{
    unsigned width = 8 * (unsigned)sam_dtype_size(to);
    double high = ldexp(1, (int)width - test_is_signed(to)) - 1;
    double low = test_is_signed(to) ? -high - 1 : 0;
    double whole = mode == RINT    ? nearbyint(v)
                   : mode == AWAY  ? round(v)
                   : mode == FLOOR ? floor(v)
                   : mode == CEIL  ? ceil(v)
                                   : trunc(v);
    return isnan(v) ? 0 : (int64_t)(whole < low ? low : whole > high ? high : whole);
}

static void compare(enum sam_dtype from, enum sam_dtype to, const void *in, size_t count, int mode,
                    const struct number *numbers, size_t known)
{
    uint8_t *out = malloc(count * 4);
    uint32_t rows = (uint32_t)(count / 64);
    struct sam_tile_options options = {.profile = SAM_TILE_HOST};
    struct sam_tile_core *core = test_core(&options);
    struct sam_tile src = SAM_TILE(vec, f32, rows, 64), dst = SAM_TILE(vec, f32, rows, 64);
    src.type.dtype = from;
    dst.type.dtype = to;
    assert_int_equal(sam_tile_fill(core, &src, in, NULL), SAM_OK);
    struct sam_event e = sam_tcvt(&dst, &src, (unsigned)(mode - RINT));
    assert_string_equal(e.text, "");
    assert_int_equal(sam_tile_read(&dst, out, NULL), SAM_OK);
    uint32_t mask = UINT32_MAX >> (32 - 8 * sam_dtype_size(to));
    for (size_t i = 0; i < count; i++) {
        double v = test_value(from, test_bits(in, i, from));
        uint32_t expected;
        if (to == SAM_TILE_f32) /* holds every 16-bit value; of 32-bit ones, by the host */
            expected = isnan(v) ? 0x7fc00000 : sam_f32_bits((float)v);
        else if (test_is_real(to))
            expected = to_float16(to, numbers, known, v, mode);
        else
            expected = (uint32_t)to_integer(to, v, mode) & mask;
        if (test_bits(out, i, to) != expected)
            fail_msg("%s 0x%llx to %s, mode %d: 0x%llx: expected 0x%x", sam_tile_dtype_name(from),
                     (unsigned long long)test_bits(in, i, from), sam_tile_dtype_name(to),
                     mode - RINT, (unsigned long long)test_bits(out, i, to), expected);
    }
    sam_tile_core_free(core);
    free(out);
}

static void convert_all(enum sam_dtype from, const void *in, size_t count)
{
    struct number *numbers = malloc(ALL * sizeof *numbers);
    for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
        enum sam_dtype to = test_dtypes[d];
        bool narrow = test_is_real(to) && sam_dtype_size(to) == 2;
        size_t known = narrow ? values_of(to, numbers) : 0;
        bool rounds_twice = to == SAM_TILE_f32 && sam_dtype_size(from) == 4;
        for (int mode = RINT; mode <= TRUNC; mode++)
            if (!rounds_twice || mode == RINT)
                compare(from, to, in, count, mode, numbers, known);
    }
    free(numbers);
}

TEST(test_exhaustive)
{
    uint16_t words[ALL];
    uint8_t bytes[256];
    for (unsigned i = 0; i < ALL; i++)
        words[i] = (uint16_t)i;
    for (unsigned i = 0; i < 256; i++)
        bytes[i] = (uint8_t)i;
    for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
        size_t size = sam_dtype_size(test_dtypes[d]);
        if (size < 4)
            convert_all(test_dtypes[d], size == 1 ? (void *)bytes : (void *)words,
                        size == 1 ? 256 : ALL);
    }
}

TEST(test_random_words)
{
    enum { COUNT = 1 << 14 };
    uint32_t words[COUNT];
    uint64_t seed = test_seed();
    for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
        if (sam_dtype_size(test_dtypes[d]) != 4)
            continue;
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t r = test_random(&seed);
            words[i] = (uint32_t)test_element(&seed, test_dtypes[d]);
            if (test_dtypes[d] == SAM_TILE_f32 && i % 2) /* halves of units of the destinations */
                words[i] = sam_f32_bits(ldexpf((float)(r % 8192), (int)(r >> 40) % 60 - 40));
        }
        convert_all(test_dtypes[d], words, COUNT);
    }
}
