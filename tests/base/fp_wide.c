/* SPDX-License-Identifier: Apache-2.0 */
/* base/fp_wide.h against exact arithmetic on integers of thousands of bits (ref_wide.h), in all
 * formats and rounding modes, and against base/fp.h in single precision. */
#include "test.h"

#include "base/fp_wide.h"
#include "reference/ref_wide.h"

enum { ROUNDS = 4000 };

static uint64_t seed;

static const struct {
    unsigned bits, exponent, fraction;
} formats[] = {{16, 5, 10}, {32, 8, 23}, {64, 11, 52}};

/* Exponents close to each other, near both ends, and arbitrary. */
static uint64_t value(unsigned width)
{
    const unsigned e = formats[width].exponent, f = formats[width].fraction;
    const uint64_t top = (UINT64_C(1) << e) - 1, bias = top >> 1;
    uint64_t fraction = test_random(&seed) & ((UINT64_C(1) << f) - 1), field;
    switch (test_below(&seed, 6)) {
    case 0: field = test_below(&seed, 3); break;
    case 1: field = top - test_below(&seed, 3); break;
    case 2: field = test_below(&seed, top + 1); break;
    default: field = bias - 3 + test_below(&seed, 7); break;
    }
    if (test_below(&seed, 3) == 0)
        fraction &= UINT64_MAX << test_below(&seed, f + 1);
    if (test_below(&seed, 6) == 0)
        fraction = (UINT64_C(1) << f) - 1;
    return (test_random(&seed) & 1) << (formats[width].bits - 1) | field << f |
           (fraction & ((UINT64_C(1) << f) - 1));
}

static void same(const char *what, unsigned width, unsigned mode, uint64_t got, unsigned flags,
                 uint64_t want, unsigned want_flags)
{
    if (got != want || flags != want_flags)
        fail_msg("%s, %u bits, mode %u: %llx %x, not %llx %x", what, formats[width].bits, mode,
                 (unsigned long long)got, flags, (unsigned long long)want, want_flags);
}

TEST(every_operation)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        const unsigned width = n % 3, mode = n / 3 % 5, bits = formats[width].bits;
        const enum sam_fp_width w = (enum sam_fp_width)width;
        const uint64_t a = value(width), b = value(width), c = value(width);
        struct ref_fp fp = {.rm = mode};
        unsigned flags = 0;
        uint64_t got = sam_fp_fma(w, a, b, c, (enum sam_round)mode, &flags);
        uint64_t want = ref_wide_fma(&fp, bits, a, b, c);
        same("fma", width, mode, got, flags, want, fp.flags);
        if (width == SAM_FP_32) {
            unsigned single = 0;
            want =
                sam_f32_fma((uint32_t)a, (uint32_t)b, (uint32_t)c, (enum sam_round)mode, &single);
            same("fma beside fp.h", width, mode, got, flags, want, single);
        }
        flags = fp.flags = 0;
        got = sam_fp_mul(w, a, b, (enum sam_round)mode, &flags);
        want = ref_wide_mul(&fp, bits, a, b);
        same("mul", width, mode, got, flags, want, fp.flags);
        flags = fp.flags = 0;
        got = sam_fp_add(w, a, b, (enum sam_round)mode, &flags);
        want = ref_wide_add(&fp, bits, a, b);
        same("add", width, mode, got, flags, want, fp.flags);
        if (width == SAM_FP_64)
            continue;
        flags = fp.flags = 0;
        got = sam_fp_widen(w, w + 1, a, &flags);
        want = ref_wide_extend(&fp, bits, 2 * bits, a);
        same("widen", width, mode, got, flags, want, fp.flags);
    }
}

PROLOGUE
{
    seed = test_seed();
}
