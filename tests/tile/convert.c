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
    FREED uint8_t *out = malloc(count * 4);
    uint32_t rows = (uint32_t)(count / 64);
    struct sam_tile_options options = {.profile = SAM_TILE_HOST};
    SCOPED_CORE *core = test_core(&options);
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
}

static void convert_all(enum sam_dtype from, const void *in, size_t count)
{
    FREED struct number *numbers = malloc(ALL * sizeof *numbers);
    for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
        enum sam_dtype to = test_dtypes[d];
        bool narrow = test_is_real(to) && sam_dtype_size(to) == 2;
        size_t known = narrow ? values_of(to, numbers) : 0;
        bool rounds_twice = to == SAM_TILE_f32 && sam_dtype_size(from) == 4;
        for (int mode = RINT; mode <= TRUNC; mode++)
            if (!rounds_twice || mode == RINT)
                compare(from, to, in, count, mode, numbers, known);
    }
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

/* The number of a small format that a mode gives for v, by search in all its values. */
static uint32_t to_small(enum sam_dtype to, const double values[256], double v, int mode)
{
    const bool ends = to != SAM_TILE_hif8; /* has no infinity and no NaN, but -0 */
    const uint32_t half =
        (uint32_t)(1 << sam_dtype_bits(to)) / (to == SAM_TILE_e3m2 || to == SAM_TILE_e2m3 ? 8 : 2);
    const uint32_t codes = 2 * half, sign = ends && signbit(v) ? half : 0;
    uint32_t low = 0, high = 0, most = 0;
    double below = 0, above = INFINITY, largest = 0;
    if (isnan(v))
        return ends ? 0 : 0x80;
    for (uint32_t code = 0; code < codes; code++) {
        const double x = values[code];
        if (!(x >= 0) || signbit(x) || isinf(x))
            continue;
        if (x <= fabs(v) && x >= below) {
            below = x;
            low = code;
        }
        if (x > fabs(v) && x < above) {
            above = x;
            high = code;
        }
        if (x >= largest) {
            largest = x;
            most = code;
        }
    }
    const uint32_t minus = signbit(v) ? half : 0;
    if (fabs(v) > largest) { /* the next number would be half as much again, and is odd */
        const bool out = mode == RINT   ? fabs(v) > 1.25 * largest
                         : mode == AWAY ? fabs(v) >= 1.25 * largest
                                        : mode != TRUNC && (mode == FLOOR) == (v < 0);
        return minus | (ends || (!out && isfinite(v)) ? most : 0x6f);
    }
    const double down = fabs(v) - below, up = above - fabs(v);
    const bool takes = down == 0      ? false
                       : mode == RINT ? up < down || (up == down && low & 1)
                       : mode == AWAY ? up <= down
                                      : mode != TRUNC && (mode == FLOOR) == (v < 0);
    const uint32_t code = takes ? high : low;
    return code ? minus | code : sign;
}

/* e8m0: the power of two nearest by its exponent. */
static uint32_t to_power(double v, int mode)
{
    int e = -127;
    if (!(v >= 0x1p-127 && v <= 0x1p127))
        return 255;
    while (e < 127 && ldexp(1, e + 1) <= v)
        e++;
    const bool exact = ldexp(1, e) == v;
    const bool up = mode == CEIL    ? !exact
                    : mode == TRUNC ? !exact && e < 0
                                    : mode != FLOOR && v / ldexp(1, e) * v / ldexp(1, e) > 2;
    return (uint32_t)(e + up + 127);
}

/* Every number of 16 bits, and those of f32 near the ends of e8m0; every small number to f32. */
TEST(test_small)
{
    static const enum sam_dtype all[] = {SAM_TILE_hif8, SAM_TILE_e3m2, SAM_TILE_e2m3,
                                         SAM_TILE_e8m0, SAM_TILE_e2m1, SAM_TILE_e1m2};
    static const enum sam_dtype sources[] = {SAM_TILE_f16, SAM_TILE_bf16, SAM_TILE_f32,
                                             SAM_TILE_i16};
    static uint32_t words[ALL];
    for (size_t n = 0; n < SAM_COUNT(all) * 4 * 5; n++) {
        const enum sam_dtype from = sources[n % 4], to = all[n / 20];
        const int mode = RINT + (int)(n / 4 % 5);
        static uint8_t out[ALL];
        double values[256];
        if (to == SAM_TILE_e8m0 && from == SAM_TILE_i16)
            continue; /* refused */
        struct sam_tile_options options = {.profile = SAM_TILE_HOST};
        SCOPED_CORE *core = test_core(&options);
        struct sam_tile s = SAM_TILE(vec, f32, ALL / 64, 64), d = s;
        for (uint32_t i = 0; i < 256; i++)
            values[i] = sam_dtype_value(to, i); /* tests/base/dtype.c */
        s.type.dtype = from;
        d.type.dtype = to;
        for (uint32_t i = 0; i < ALL; i++)
            test_set(words, i, from, from == SAM_TILE_f32 ? i << 16 | (i * 7919 & 0x1ffff) : i);
        assert_int_equal(sam_tile_fill(core, &s, words, NULL), SAM_OK);
        assert_string_equal(sam_tcvt(&d, &s, (unsigned)(mode - RINT)).text, "");
        assert_int_equal(sam_tile_read(&d, out, NULL), SAM_OK);
        for (size_t i = 0; i < ALL; i++) {
            const double v = test_value(from, test_bits(words, i, from));
            const uint32_t wanted =
                to == SAM_TILE_e8m0 ? to_power(v, mode) : to_small(to, values, v, mode);
            const uint32_t got = (uint32_t)test_bits(out, i, to);
            if (got != wanted)
                fail_msg("%s %a to %s, mode %d: 0x%x: expected 0x%x", sam_tile_dtype_name(from), v,
                         sam_tile_dtype_name(to), mode - RINT, got, wanted);
        }
    }
    for (size_t n = 0; n < SAM_COUNT(all); n++) {
        struct sam_tile_core *core = test_core(NULL);
        struct sam_tile s = SAM_TILE(vec, f32, 4, 64), d = s;
        uint8_t in[256];
        float out[256];
        s.type.dtype = all[n];
        for (size_t i = 0; i < 256; i++)
            in[i] = (uint8_t)i;
        assert_int_equal(sam_tile_fill(core, &s, in, NULL), SAM_OK);
        assert_string_equal(sam_tcvt(&d, &s, SAM_TILE_RINT).text, "");
        assert_int_equal(sam_tile_read(&d, out, NULL), SAM_OK);
        for (size_t i = 0; i < 256; i++) {
            const double v = sam_dtype_value(all[n], test_bits(in, i, all[n]));
            assert_int_equal(sam_f32_bits(out[i]), isnan(v) ? 0x7fc00000 : sam_f32_bits((float)v));
        }
        d.type.dtype = all[n];
        if (all[n] == SAM_TILE_e8m0)
            assert_string_equal(sam_tcvt(&d, &s, SAM_TILE_RINT).text,
                                "tcvt: the source is of e8m0: expected f32, f16 or bf16 for e8m0");
        sam_tile_core_free(core);
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
