/* SPDX-License-Identifier: Apache-2.0 */
/* The rest of the OpenCL C library on the host: 64-bit division, halves, conversions and printf
 * against the host's own. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/test.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): names that kernels cannot have */
uint64_t __samite_udiv64(uint64_t, uint64_t), __samite_urem64(uint64_t, uint64_t);
int64_t __samite_sdiv64(int64_t, int64_t), __samite_srem64(int64_t, int64_t);
float __samite_u64tof(uint64_t), __samite_i64tof(int64_t);
void store_half(float x, int mode, uint16_t *p);
float load_half(const uint16_t *p);
uint32_t *print_buffer(uint32_t *size);
uint32_t __samite_put_int(char *, uint32_t, uint64_t, uint32_t, int, int);
uint32_t __samite_put_float(char *, uint32_t, float, uint32_t, int, int);
uint32_t __samite_put_text(char *, uint32_t, const char *, uint32_t);
uint32_t __samite_put_string(char *, uint32_t, const char *, uint32_t, int, int);
void __samite_put_end(char *, uint32_t);
/* NOLINTEND(bugprone-reserved-identifier) */

static uint64_t words;
static uint32_t printed[64];

PROLOGUE
{
    const char *given = getenv("SAMITE_SEED");
    words = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("# SAMITE_SEED=%llu\n", (unsigned long long)words);
}

uint32_t *print_buffer(uint32_t *size)
{
    *size = sizeof printed;
    return printed;
}

/* All widths are equally frequent. */
static uint64_t random_word(void)
{
    words = words * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t mixed = (words ^ words >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    const uint64_t word = (mixed ^ mixed >> 32) >> (mixed & 63);
    return mixed >> 6 & 1 ? word : ~word;
}

TEST(division)
{
    for (int i = 0; i < 2000000; i++) {
        const uint64_t n = random_word(), d = random_word();
        if (d == 0 || (n == (uint64_t)INT64_MIN && d == UINT64_MAX))
            continue;
        if (__samite_udiv64(n, d) != n / d || __samite_urem64(n, d) != n % d ||
            __samite_sdiv64((int64_t)n, (int64_t)d) != (int64_t)n / (int64_t)d ||
            __samite_srem64((int64_t)n, (int64_t)d) != (int64_t)n % (int64_t)d)
            fail_msg("0x%llx by 0x%llx", (unsigned long long)n, (unsigned long long)d);
    }
}

/* In the modes rte, rtz, rtp, rtn */
static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

#define CONVERSIONS(name, type, least, greatest, convert)                                          \
    float name##_to_float(type x, int mode);                                                       \
    type name##_from_float(float x, int mode);                                                     \
    TEST(convert_##name)                                                                           \
    {                                                                                              \
        for (int i = 0; i < 400000; i++) {                                                         \
            const int mode = i & 3;                                                                \
            const type x = (type)random_word();                                                    \
            const uint32_t bits = (uint32_t)random_word();                                         \
            float y;                                                                               \
            memcpy(&y, &bits, 4);                                                                  \
            if (i & 4)                                                                             \
                y = (float)(type)random_word() * (i & 8 ? 0.25f : 1);                              \
            fesetround(modes[mode]);                                                               \
            const volatile type held = x;                                                          \
            const volatile float want = (float)held;                                               \
            const double whole = nearbyint((double)y);                                             \
            fesetround(FE_TONEAREST);                                                              \
            const type back = isnan(y)                      ? 0                                    \
                              : whole <= (double)(least)    ? least                                \
                              : whole >= (double)(greatest) ? greatest                             \
                                                            : (type)whole;                         \
            if (name##_to_float(x, mode) != want)                                                  \
                fail_msg("%lld, mode %d: %a, expected %a", (long long)x, mode,                     \
                         (double)name##_to_float(x, mode), (double)want);                          \
            if (name##_from_float(y, mode) != back)                                                \
                fail_msg("%a, mode %d: %lld, expected %lld", (double)y, mode,                      \
                         (long long)name##_from_float(y, mode), (long long)back);                  \
        }                                                                                          \
    }
CONVERSIONS(char, int8_t, INT8_MIN, INT8_MAX, )
CONVERSIONS(ushort, uint16_t, 0, UINT16_MAX, )
CONVERSIONS(int, int32_t, INT32_MIN, INT32_MAX, )
CONVERSIONS(uint, uint32_t, 0, UINT32_MAX, )
CONVERSIONS(long, int64_t, INT64_MIN, INT64_MAX, )
CONVERSIONS(ulong, uint64_t, 0, UINT64_MAX, )

static double half_value(uint32_t bits)
{
    const int exponent = bits >> 10 & 31, m = bits & 1023;
    const double size = exponent == 31 ? m ? NAN : INFINITY
                        : exponent     ? ldexp(1024 + m, exponent - 25)
                                       : ldexp(m, -24);
    return bits & 0x8000 ? -size : size;
}

TEST(halves)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const uint16_t word = (uint16_t)bits;
        const double got = (double)load_half(&word), want = half_value(bits);
        assert_true(isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want));
    }
    /* Rounding in every mode, of values at, around and between halves. */
    for (uint32_t bits = 0; bits < 0x7c00; bits++)
        for (int part = 0; part < 12; part++) {
            const double low = half_value(bits),
                         next = bits == 0x7bff ? 0x1p16 : half_value(bits + 1);
            const int quarter = part / 3;
            float x = (float)(low + (next - low) * quarter / 4);
            x = part % 3 == 1 ? nextafterf(x, 0) : part % 3 == 2 ? nextafterf(x, INFINITY) : x;
            if ((double)x < low)
                continue;
            for (int mode = 0; mode < 4; mode++) {
                const double middle = (low + next) / 2, value = (double)x;
                const bool up =
                    value > low &&
                    (mode == 0 ? value > middle || (value == middle && bits & 1) : mode == 2);
                const bool up_minus = mode == 0 ? up : value > low && mode == 3;
                uint16_t got, minus;
                store_half(x, mode, &got);
                store_half(-x, mode, &minus);
                if (got != bits + up || minus != (0x8000 | (bits + up_minus)))
                    fail_msg("%a, mode %d: 0x%04x and 0x%04x", value, mode, got, minus);
            }
        }
}

/* Output of a directive, compared with the host's printf with the same flags. */
static void compare(const char *format, const char *got, uint32_t size, const char *want)
{
    if (size != strlen(want) || memcmp(got, want, size) != 0)
        fail_msg("%s: '%.*s', expected '%s'", format, (int)size, got, want);
}

static void random_flags(char *format, uint32_t *flags, int *width, int *precision)
{
    const uint32_t choice = (uint32_t)(random_word() * 0x9e3779b1u >> 7);
    char *p = format;
    *p++ = '%';
    *flags = choice & 31;
    for (int i = 0; i < 5; i++)
        if (*flags >> i & 1)
            *p++ = "-+ #0"[i];
    *width = choice >> 5 & 1 ? (int)(choice >> 6 & 31) : 0;
    *precision = choice >> 11 & 1 ? (int)(choice >> 12 & 15) : -1;
    if (*width)
        p += sprintf(p, "%d", *width);
    if (*precision >= 0)
        p += sprintf(p, ".%d", *precision);
    *p = 0;
}

TEST(print_integers)
{
    static const struct {
        char letter;
        uint32_t flags;
    } kinds[] = {{'d', 32}, {'u', 0}, {'x', 64}, {'X', 64 | 256}, {'o', 128}};
    for (int i = 0; i < 200000; i++) {
        char format[40], got[512];
        uint32_t flags;
        int width, precision;
        random_flags(format, &flags, &width, &precision);
        const uint64_t value = random_word();
        const int kind = i % 5;
        snprintf(format + strlen(format), 8, "ll%c", kinds[kind].letter);
        if (kinds[kind].letter == 'd') /* '#' has no effect */
            flags &= ~8u;
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
        FREED char *want = formatted(format, value);
        compare(format, got,
                __samite_put_int(got, 0, value, flags | kinds[kind].flags, width, precision), want);
    }
}

TEST(print_floats)
{
    static const struct {
        char letter;
        uint32_t flags;
    } kinds[] = {{'e', 2048},       {'f', 4096},       {'g', 8192},       {'a', 16384},
                 {'E', 2048 | 256}, {'F', 4096 | 256}, {'G', 8192 | 256}, {'A', 16384 | 256}};
    for (int i = 0; i < 400000; i++) {
        char format[40], got[512];
        uint32_t flags;
        int width, precision;
        random_flags(format, &flags, &width, &precision);
        const uint32_t bits = (uint32_t)(random_word() * 0x9e3779b1u);
        float value;
        memcpy(&value, &bits, 4);
        if (i & 1)
            value = (float)(int32_t)bits / (float)(1 << (bits & 15));
        if (i % 1000 == 0)
            value = i % 3000 ? INFINITY : 0;
        if (isnan(value)) /* the host prints its sign */
            continue;
        const int kind = i / 2 % 8, digits = precision < 0 ? 6 : precision ? precision : 1;
        const double next = pow(10, digits), size = fabs((double)value);
        /* glibc drops a zero of %#g where rounding makes the exponent reach the precision */
        if (kind % 4 == 2 && flags & 8 && size < next && size >= next - 0.5)
            continue;
        snprintf(format + strlen(format), 8, "%c", kinds[kind].letter);
        FREED char *want = formatted(format, (double)value);
        compare(format, got,
                __samite_put_float(got, 0, value, flags | kinds[kind].flags, width, precision),
                want);
    }
}

TEST(print_texts)
{
    char text[600];
    uint32_t at = __samite_put_text(text, 0, "text ", 5);
    at = __samite_put_string(text, at, "string", 0, 8, 3);
    at = __samite_put_string(text, at, "string", 1, 8, -1);
    at = __samite_put_int(text, at, 'c', 512, 3, -1);
    at = __samite_put_int(text, at, 0x90001000, 1024, 0, -1);
    compare("texts", text, at, "text      strstring    c0x90001000");
    /* a full line */
    memset(text, '#', sizeof text);
    at = __samite_put_string(text, 500, "a long string", 0, 40, -1);
    assert_int_equal(at, 511);
    assert_int_equal(__samite_put_float(text, at, 1e30f, 4096, 200, -1), 511);
    assert_int_equal(__samite_put_int(text, 505, UINT64_MAX, 0, 0, 30), 511);
    assert_int_equal(text[511], '#');
}

TEST(print_buffer_end)
{
    char text[512] = "0123456789";
    memset(printed, 0, sizeof printed);
    for (int i = 0; i < 25; i++)
        __samite_put_end(text, 10);
    assert_int_equal(printed[0], 250);
    assert_memory_equal((char *)printed + 4 + 240, "0123456789", 10);
    __samite_put_end(text, 10);
    assert_int_equal(printed[0], 260); /* past the end: the machine reports it */
}
