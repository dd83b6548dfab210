/* SPDX-License-Identifier: Apache-2.0 */
/* src/base/fp.c against the FPU of the host in its four rounding modes. RMM is in
 * fp_exact.c, except for conversions to integers, of which the C library rounds away from zero. */
#include <fenv.h>

#include "test.h"

#include "fp_values.h"

static const struct {
    enum sam_round round;
    int host;
    const char *name;
} modes[] = {
    {SAM_RNE, FE_TONEAREST, "rne"},
    {SAM_RTZ, FE_TOWARDZERO, "rtz"},
    {SAM_RDN, FE_DOWNWARD, "rdn"},
    {SAM_RUP, FE_UPWARD, "rup"},
};

/* x86 detects underflow after rounding, as RISC-V does. Other hosts detect it before: not
 * compared. */
#if defined(__x86_64__) || defined(__i386__)
#define COMPARED_FLAGS 0x1fu
#else
#define COMPARED_FLAGS (0x1fu & ~(unsigned)SAM_FP_UF)
#endif

enum operation { ADD, SUB, MUL, DIV, SQRT, FMA, FROM_I32, FROM_U32, FROM_I64, FROM_U64 };
static const char *const operation_names[] = {
    "add", "sub",        "mul",        "div",        "sqrt",
    "fma", "i32_to_f32", "u32_to_f32", "i64_to_f32", "u64_to_f32",
};

static unsigned host_flags(void)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INEXACT ? SAM_FP_NX : 0u) | (raised & FE_UNDERFLOW ? SAM_FP_UF : 0u) |
           (raised & FE_OVERFLOW ? SAM_FP_OF : 0u) | (raised & FE_DIVBYZERO ? SAM_FP_DZ : 0u) |
           (raised & FE_INVALID ? SAM_FP_NV : 0u);
}

/* Operands and result go through volatile memory between the two fenv calls, so that the
 * optimiser cannot move the operation out of the changed floating-point environment. */
static uint32_t host(enum operation operation, const uint32_t x[3], uint64_t integer,
                     unsigned *flags)
{
    volatile float a = sam_bits_f32(x[0]), b = sam_bits_f32(x[1]), c = sam_bits_f32(x[2]);
    volatile uint64_t n = integer;
    volatile float result = 0;
    feclearexcept(FE_ALL_EXCEPT);
    switch (operation) {
    case ADD: result = a + b; break;
    case SUB: result = a - b; break;
    case MUL: result = a * b; break;
    case DIV: result = a / b; break;
    case SQRT: result = sqrtf(a); break;
    case FMA: result = fmaf(a, b, c); break;
    case FROM_I32: result = (float)(int32_t)n; break;
    case FROM_U32: result = (float)(uint32_t)n; break;
    case FROM_I64: result = (float)(int64_t)n; break;
    case FROM_U64: result = (float)n; break;
    }
    *flags = host_flags();
    uint32_t bits = sam_f32_bits(result);
    return sam_f32_is_nan(bits) ? SAM_F32_NAN : bits;
}

static uint32_t ours(enum operation operation, const uint32_t x[3], uint64_t integer,
                     enum sam_round round, unsigned *flags)
{
    switch (operation) {
    case ADD: return sam_f32_add(x[0], x[1], round, flags);
    case SUB: return sam_f32_sub(x[0], x[1], round, flags);
    case MUL: return sam_f32_mul(x[0], x[1], round, flags);
    case DIV: return sam_f32_div(x[0], x[1], round, flags);
    case SQRT: return sam_f32_sqrt(x[0], round, flags);
    case FMA: return sam_f32_fma(x[0], x[1], x[2], round, flags);
    case FROM_I32: return sam_i32_to_f32((int32_t)integer, round, flags);
    case FROM_U32: return sam_u32_to_f32((uint32_t)integer, round, flags);
    case FROM_I64: return sam_i64_to_f32((int64_t)integer, round, flags);
    case FROM_U64: return sam_u64_to_f32(integer, round, flags);
    }
    return 0;
}

/* Infinity times zero plus a quiet NaN: the flag is implementation-defined in IEEE 754, but not
 * in RISC-V. Tested below. */
static bool flag_is_free(enum operation operation, const uint32_t x[3])
{
    uint32_t a = x[0] & 0x7fffffff, b = x[1] & 0x7fffffff;
    return operation == FMA && sam_f32_is_nan(x[2]) &&
           ((a == 0 && b == 0x7f800000) || (b == 0 && a == 0x7f800000));
}

static void compare(enum operation operation, const uint32_t x[3], uint64_t integer, size_t mode)
{
    if (flag_is_free(operation, x))
        return;
    unsigned host_raised, raised = 0;
    uint32_t expected = host(operation, x, integer, &host_raised);
    uint32_t found = ours(operation, x, integer, modes[mode].round, &raised);
    if (expected != found || (host_raised ^ raised) & COMPARED_FLAGS) {
        fesetround(FE_TONEAREST);
        fail_msg("%s %s %08x %08x %08x %#llx: %08x flags %02x, the host has %08x flags %02x",
                 operation_names[operation], modes[mode].name, x[0], x[1], x[2],
                 (unsigned long long)integer, found, raised, expected, host_raised);
    }
}

TEST(test_pairs)
{
    struct fp_values v = fp_specials();
    assert_true(v.count > 200 && v.count < FP_MAX_VALUES);
    for (size_t mode = 0; mode < SAM_COUNT(modes); mode++) {
        fesetround(modes[mode].host);
        for (size_t i = 0; i < v.count; i++) {
            compare(SQRT, (uint32_t[3]){v.bits[i]}, 0, mode);
            for (size_t j = 0; j < v.count; j++)
                for (enum operation operation = ADD; operation <= DIV; operation++)
                    compare(operation, (uint32_t[3]){v.bits[i], v.bits[j]}, 0, mode);
        }
    }
    fesetround(FE_TONEAREST);
}

TEST(test_triples)
{
    struct fp_values v = fp_few_specials();
    assert_true(v.count >= 60);
    for (size_t mode = 0; mode < SAM_COUNT(modes); mode++) {
        fesetround(modes[mode].host);
        for (size_t i = 0; i < v.count; i++)
            for (size_t j = 0; j < v.count; j++)
                for (size_t k = 0; k < v.count; k++)
                    compare(FMA, (uint32_t[3]){v.bits[i], v.bits[j], v.bits[k]}, 0, mode);
    }
    fesetround(FE_TONEAREST);
}

TEST(test_random_operands)
{
    uint64_t random = test_seed();
    for (int i = 0; i < 150000; i++) {
        uint32_t x[3];
        fp_random_operands(&random, x);
        for (size_t mode = 0; mode < SAM_COUNT(modes); mode++) {
            fesetround(modes[mode].host);
            for (enum operation operation = ADD; operation <= FMA; operation++)
                compare(operation, x, 0, mode);
        }
    }
    fesetround(FE_TONEAREST);
}

/* Integers around every power of two and around each of its rounding positions. */
TEST(test_from_integers)
{
    static const uint32_t none[3];
    uint64_t random = test_seed();
    for (size_t mode = 0; mode < SAM_COUNT(modes); mode++) {
        fesetround(modes[mode].host);
        for (int bit = 0; bit < 64; bit++)
            for (int low = 0; low <= bit; low++)
                for (int delta = -2; delta <= 2; delta++) {
                    uint64_t n = (UINT64_C(1) << bit | UINT64_C(1) << low) + (uint64_t)delta;
                    for (enum operation operation = FROM_I32; operation <= FROM_U64; operation++) {
                        compare(operation, none, n, mode);
                        compare(operation, none, 0 - n, mode);
                    }
                }
        for (int i = 0; i < 50000; i++) {
            uint64_t n = test_random(&random) >> test_below(&random, 64);
            for (enum operation operation = FROM_I32; operation <= FROM_U64; operation++)
                compare(operation, none, n, mode);
        }
    }
    fesetround(FE_TONEAREST);
}

/* The conversion of `a` to an integer in [low, high], from the host's rounding to an integer in
 * double precision. The argument is `high` + 1, a power of two. */
static uint64_t host_to_integer(uint32_t a, enum sam_round mode, double low, double above,
                                unsigned *flags)
{
    double (*volatile library_rint)(double) = rint; /* inlined code assumes round-to-nearest */
    double value = (double)sam_bits_f32(a);
    double rounded = mode == SAM_RMM ? round(value) : library_rint(value);
    *flags = SAM_FP_NV;
    if (isnan(value) || rounded >= above)
        return above == 0x1p64 ? UINT64_MAX : (uint64_t)above - 1;
    if (rounded < low)
        return (uint64_t)(int64_t)low;
    *flags = value != rounded ? SAM_FP_NX : 0;
    return rounded < 0 ? (uint64_t)(int64_t)rounded : (uint64_t)rounded;
}

static void compare_to_integers(uint32_t a, enum sam_round mode)
{
    unsigned expected_flags[4], flags[4] = {0};
    uint64_t expected[4] = {
        host_to_integer(a, mode, -0x1p31, 0x1p31, &expected_flags[0]),
        host_to_integer(a, mode, 0, 0x1p32, &expected_flags[1]),
        host_to_integer(a, mode, -0x1p63, 0x1p63, &expected_flags[2]),
        host_to_integer(a, mode, 0, 0x1p64, &expected_flags[3]),
    };
    uint64_t found[4] = {
        (uint64_t)(int64_t)sam_f32_to_i32(a, mode, &flags[0]),
        sam_f32_to_u32(a, mode, &flags[1]),
        (uint64_t)sam_f32_to_i64(a, mode, &flags[2]),
        sam_f32_to_u64(a, mode, &flags[3]),
    };
    for (int i = 0; i < 4; i++)
        if (expected[i] != found[i] || expected_flags[i] != flags[i]) {
            fesetround(FE_TONEAREST);
            fail_msg("%08x to %s, mode %d: %#llx flags %02x, expected %#llx flags %02x", a,
                     (const char *const[]){"i32", "u32", "i64", "u64"}[i], mode,
                     (unsigned long long)found[i], flags[i], (unsigned long long)expected[i],
                     expected_flags[i]);
        }
}

/* Every upper half with several lower halves. */
TEST(test_to_integers)
{
    static const uint16_t low_halves[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
    for (size_t mode = 0; mode <= SAM_COUNT(modes); mode++) {
        const bool host = mode < SAM_COUNT(modes);
        fesetround(host ? modes[mode].host : FE_TONEAREST);
        for (uint32_t high = 0; high < 0x10000; high++)
            for (size_t low = 0; low < SAM_COUNT(low_halves); low++)
                compare_to_integers(high << 16 | low_halves[low],
                                    host ? modes[mode].round : SAM_RMM);
    }
    fesetround(FE_TONEAREST);
}

/* The host's comparisons; IEEE 754-2019 minimumNumber and maximumNumber from their definition. */
TEST(test_comparisons)
{
    struct fp_values v = fp_specials();
    for (size_t i = 0; i < v.count; i++)
        for (size_t j = 0; j < v.count; j++) {
            uint32_t a = v.bits[i], b = v.bits[j];
            float x = sam_bits_f32(a), y = sam_bits_f32(b);
            unsigned eq = 0, lt = 0, le = 0, min = 0, max = 0;
            assert_int_equal(sam_f32_eq(a, b, &eq), x == y);
            assert_int_equal(sam_f32_lt(a, b, &lt), x < y);
            assert_int_equal(sam_f32_le(a, b, &le), x <= y);
            unsigned any = isnan(x) || isnan(y) ? SAM_FP_NV : 0;
            unsigned signaling = sam_f32_is_snan(a) || sam_f32_is_snan(b) ? SAM_FP_NV : 0;
            uint32_t smaller = x < y || (x == y && signbit(x)) ? a : b;
            uint32_t larger = x > y || (x == y && !signbit(x)) ? a : b;
            if (isnan(x) || isnan(y))
                smaller = larger = isnan(x) && isnan(y) ? SAM_F32_NAN : isnan(x) ? b : a;
            assert_int_equal(sam_f32_min(a, b, &min), smaller);
            assert_int_equal(sam_f32_max(a, b, &max), larger);
            assert_int_equal(eq, signaling);
            assert_int_equal(lt, any);
            assert_int_equal(le, any);
            assert_int_equal(min, signaling);
            assert_int_equal(max, signaling);
        }
}

/* fclass against the host's classification macros, which do not distinguish signaling NaNs. */
TEST(test_class)
{
    static const uint16_t low_halves[] = {0, 1, 0xffff};
    for (uint32_t high = 0; high < 0x10000; high++)
        for (size_t low = 0; low < SAM_COUNT(low_halves); low++) {
            uint32_t a = high << 16 | low_halves[low];
            float x = sam_bits_f32(a);
            int negative = signbit(x) != 0, bit = 0;
            switch (fpclassify(x)) {
            case FP_INFINITE: bit = negative ? 0 : 7; break;
            case FP_NORMAL: bit = negative ? 1 : 6; break;
            case FP_SUBNORMAL: bit = negative ? 2 : 5; break;
            case FP_ZERO: bit = negative ? 3 : 4; break;
            case FP_NAN: bit = a >> 22 & 1 ? 9 : 8; break;
            default: break;
            }
            assert_int_equal(sam_f32_class(a), UINT32_C(1) << bit);
        }
}

TEST(test_flags_accumulate)
{
    unsigned flags = 0;
    /* RISC-V F 21.6: infinity times zero is invalid even when the addend is a quiet NaN. */
    assert_int_equal(sam_f32_fma(0x7f800000, 0, 0x7fc00000, SAM_RNE, &flags), SAM_F32_NAN);
    assert_int_equal(flags, SAM_FP_NV);
    flags = 0;
    assert_int_equal(sam_f32_fma(0x80000000, 0xff800000, 0x7fc12345, SAM_RNE, &flags), SAM_F32_NAN);
    assert_int_equal(flags, SAM_FP_NV);
    flags = 0;
    assert_int_equal(sam_f32_fma(0x3f800000, 0, 0x7fc00000, SAM_RNE, &flags), SAM_F32_NAN);
    assert_int_equal(flags, 0);
    /* Flags that were set stay set. */
    flags = SAM_FP_DZ;
    sam_f32_add(0x3f800000, 0x00000001, SAM_RNE, &flags);
    assert_int_equal(flags, SAM_FP_DZ | SAM_FP_NX);
}
