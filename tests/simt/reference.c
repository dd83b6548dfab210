/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's own arithmetic, before it is used as a reference: against the host's FPU in
 * the four modes it has, and the fifth mode by exact arithmetic in double. */
#include <fenv.h>

#include "test.h"

#include "random_gen.h"
#include "reference/ref_float.h"

#define ROUNDS 200000

static const int host_modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static float to_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static uint32_t to_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    return isnan(f) ? REF_NAN : bits;
}

static unsigned host_flags(void)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INEXACT ? REF_NX : 0u) | (raised & FE_UNDERFLOW ? REF_UF : 0u) |
           (raised & FE_OVERFLOW ? REF_OF : 0u) | (raised & FE_DIVBYZERO ? REF_DZ : 0u) |
           (raised & FE_INVALID ? REF_NV : 0u);
}

enum operation { ADD, SUB, MUL, DIV, SQRT, FMA, FROM_INT, FROM_UINT, OPERATIONS };

static uint32_t on_host(enum operation op, int mode, uint32_t a, uint32_t b, uint32_t c,
                        unsigned *flags)
{
    volatile float x = to_float(a), y = to_float(b), z = to_float(c), r = 0;
    volatile int32_t i = (int32_t)a;
    volatile uint32_t u = a;
    fesetround(mode);
    feclearexcept(FE_ALL_EXCEPT);
    switch (op) {
    case ADD: r = x + y; break;
    case SUB: r = x - y; break;
    case MUL: r = x * y; break;
    case DIV: r = x / y; break;
    case SQRT: r = sqrtf(x); break;
    case FMA: r = fmaf(x, y, z); break;
    case FROM_INT: r = (float)i; break;
    default: r = (float)u; break;
    }
    *flags = host_flags();
    fesetround(FE_TONEAREST);
    return to_bits(r);
}

static uint32_t on_reference(enum operation op, unsigned rm, uint32_t a, uint32_t b, uint32_t c,
                             unsigned *flags)
{
    struct ref_fp fp = {rm, 0};
    uint32_t r;
    switch (op) {
    case ADD: r = ref_fadd(&fp, a, b); break;
    case SUB: r = ref_fsub(&fp, a, b); break;
    case MUL: r = ref_fmul(&fp, a, b); break;
    case DIV: r = ref_fdiv(&fp, a, b); break;
    case SQRT: r = ref_fsqrt(&fp, a); break;
    case FMA: r = ref_fma(&fp, a, b, c); break;
    case FROM_INT: r = ref_from_int(&fp, a, true); break;
    default: r = ref_from_int(&fp, a, false); break;
    }
    *flags = fp.flags;
    return r;
}

/* Any exponent, fractions that round: random ones, few bits, nearly full. */
static uint32_t any_float(struct gen_random *r)
{
    uint32_t bits = gen_u32(r);
    switch (gen_below(r, 6)) {
    case 0: return gen_value(r);
    case 1: return bits & 0xff80001fu;
    case 2: return bits | 0x007fffe0u;
    case 3: return (bits & 0x80ffffffu) | 0x3f000000u;
    case 4: return bits & 0x80ffffffu; /* subnormal and just above */
    default: return bits;
    }
}

TEST(arithmetic_agrees_with_the_host)
{
    struct gen_random r = {12345};
    for (int n = 0; n < ROUNDS; n++) {
        uint32_t a = any_float(&r), b = any_float(&r), c = any_float(&r);
        if (gen_once_in(&r, 8)) /* near cancellation in a fused multiply-add */
            c = to_bits(-to_float(a) * to_float(b)) ^ gen_below(&r, 4);
        enum operation op = (enum operation)gen_below(&r, OPERATIONS);
        unsigned mode = gen_below(&r, 4), got, want;
        uint32_t x = on_reference(op, mode, a, b, c, &got);
        uint32_t y = on_host(op, host_modes[mode], a, b, c, &want);
        bool no_product =
            (a << 1 == 0xff000000u && b << 1 == 0) || (b << 1 == 0xff000000u && a << 1 == 0);
        if (op == FMA && no_product && isnan(to_float(c)))
            continue; /* hosts differ; the next test checks RISC-V's result */
#if defined(__aarch64__)
        if ((y & 0x7fffffff) == 0x00800000) /* Arm detects tininess before rounding */
            want = (want & ~(unsigned)REF_UF) | (got & REF_UF);
#endif
        if (x != y || got != want)
            fail_msg("operation %d mode %u of %08x %08x %08x: %08x flags %x, host %08x flags %x",
                     op, mode, a, b, c, x, got, y, want);
    }
}

TEST(infinity_times_zero_plus_nan_is_invalid)
{
    struct ref_fp fp = {0};
    assert_int_equal(ref_fma(&fp, 0x7f800000, 0, 0x7fc00000), REF_NAN);
    assert_int_equal(fp.flags, REF_NV);
    fp.flags = 0;
    assert_int_equal(ref_fma(&fp, 0x7fc00000, 0x7f800000, 0), REF_NAN);
    assert_int_equal(fp.flags, 0);
}

/* To nearest, ties away from zero: the product of two floats is exact in double. */
TEST(ties_away_by_exact_products)
{
    struct gen_random r = {777};
    for (int n = 0; n < ROUNDS; n++) {
        uint32_t a = (gen_u32(&r) & 0x807fffffu) | 0x3f800000u, b = gen_u32(&r) & 0x80700000u;
        b |= 0x3f800000u;
        double exact = (double)to_float(a) * (double)to_float(b);
        struct ref_fp down = {REF_RDN, 0}, up = {REF_RUP, 0}, away = {REF_RMM, 0};
        double low = to_float(ref_fmul(&down, a, b)), high = to_float(ref_fmul(&up, a, b));
        double got = to_float(ref_fmul(&away, a, b));
        double want = exact - low < high - exact ? low : high;
        if (exact - low == high - exact)
            want = exact < 0 ? low : high;
        assert_true(low <= exact && exact <= high && got == want);
    }
}

TEST(conversions_to_integers_agree_with_the_host)
{
    struct gen_random r = {4242};
    for (int n = 0; n < ROUNDS; n++) {
        uint32_t a = any_float(&r);
        if (gen_once_in(&r, 2))
            a = (a & 0x80ffffffu) | (0x3e000000u + (gen_below(&r, 20) << 24));
        bool is_signed = gen_once_in(&r, 2);
        unsigned rm = gen_below(&r, 5);
        double x = to_float(a), whole, least = is_signed ? -2147483648.0 : 0;
        double most = is_signed ? 2147483647.0 : 4294967295.0;
        fesetround(rm < 4 ? host_modes[rm] : FE_TONEAREST);
        whole = rm < 4 ? nearbyint(x) : round(x);
        fesetround(FE_TONEAREST);
        unsigned flags = whole == x ? 0 : REF_NX;
        if (isnan(x) || whole > most)
            whole = most, flags = REF_NV;
        else if (whole < least)
            whole = least, flags = REF_NV;
        struct ref_fp fp = {rm, 0};
        uint32_t got = ref_to_int(&fp, a, is_signed);
        uint32_t want = is_signed ? (uint32_t)(int32_t)whole : (uint32_t)whole;
        if (got != want || fp.flags != flags)
            fail_msg("%08x to %s mode %u: %08x flags %x, expected %08x flags %x", a,
                     is_signed ? "int" : "uint", rm, got, fp.flags, want, flags);
    }
}

/* The estimates: within 2^-7, and their tables at the points printed in the manual. */
TEST(estimates_are_near)
{
    struct gen_random r = {99};
    for (int n = 0; n < ROUNDS; n++) {
        uint32_t a = 0x10000000u + gen_below(&r, 0x60000000u);
        struct ref_fp fp = {0};
        double x = to_float(a);
        assert_true(fabs(to_float(ref_rec7(&fp, a)) * x - 1) < 1.0 / 128);
        assert_true(fabs(to_float(ref_rsqrt7(&fp, a)) * sqrt(x) - 1) < 1.0 / 128);
        assert_int_equal(fp.flags, 0);
    }
    struct ref_fp fp = {0};
    assert_int_equal(ref_rec7(&fp, 0x3f800000), 0x3f7f0000);   /* table entry 0 = 127 */
    assert_int_equal(ref_rsqrt7(&fp, 0x40000000), 0x3f340000); /* table entry 0 = 52 */
    assert_int_equal(ref_rec7(&fp, 0x00000001), 0x7f800000);
    assert_int_equal(fp.flags, REF_OF | REF_NX);
}
