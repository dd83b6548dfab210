/* SPDX-License-Identifier: Apache-2.0 */
/* Single-precision operands that exercise corner cases. */
#ifndef TEST_FP_VALUES_H
#define TEST_FP_VALUES_H

#include "base/fp.h"

#include <stddef.h>

#include "random.h"

#define FP_MAX_VALUES 400

struct fp_values {
    size_t count;
    uint32_t bits[FP_MAX_VALUES];
};

static inline void fp_put(struct fp_values *values, uint32_t bits)
{
    if (values->count < FP_MAX_VALUES)
        values->bits[values->count++] = bits;
}

static inline void fp_put_grid(struct fp_values *values, const uint8_t *exps, size_t exp_count,
                               const uint32_t *fractions, size_t fraction_count)
{
    for (uint32_t sign = 0; sign < 2; sign++)
        for (size_t e = 0; e < exp_count; e++)
            for (size_t f = 0; f < fraction_count; f++)
                fp_put(values, sign << 31 | (uint32_t)exps[e] << 23 | fractions[f]);
}

/* For pairs: zeros, subnormals, both ends of the range, around 1, around the integer limits,
 * infinities, NaNs. */
static inline struct fp_values fp_specials(void)
{
    static const uint8_t exps[] = {0,   1,   2,   3,   23,  24,  25,  62,  63,  64,  65,
                                   102, 103, 104, 125, 126, 127, 128, 129, 149, 150, 151,
                                   157, 158, 159, 189, 190, 191, 230, 252, 253, 254};
    static const uint32_t fractions[] = {0, 1, 0x400000, 0x400001, 0x7fffff};
    static const uint32_t others[] = {
        0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7fffffff, 0x7f800001, 0xffbfffff,
        0x00000002, 0x80000003, 0x007ffffe, 0x00200000, 0x7f7ffffe, 0x3eaaaaab, 0x40490fdb,
    };
    struct fp_values values = {0};
    fp_put_grid(&values, exps, sizeof exps, fractions, 5);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        fp_put(&values, others[i]);
    return values;
}

/* For triples. */
static inline struct fp_values fp_few_specials(void)
{
    static const uint8_t exps[] = {0, 1, 64, 103, 104, 126, 127, 150, 253, 254};
    static const uint32_t fractions[] = {0, 1, 0x7fffff};
    static const uint32_t others[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x3fc00000};
    struct fp_values values = {0};
    fp_put_grid(&values, exps, sizeof exps, fractions, 3);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        fp_put(&values, others[i]);
    return values;
}

/* A random float whose biased exponent is near `exp` (clamped) and whose fraction is often a run
 * of ones or zeros, which provokes rounding and carries. */
static inline uint32_t fp_random_near(uint64_t *state, int exp)
{
    uint64_t r = test_random(state);
    exp += (int)(r & 7) - 3;
    exp = exp < 0 ? 0 : exp > 255 ? 255 : exp;
    uint32_t fraction = (uint32_t)(r >> 32) & 0x7fffff;
    unsigned run = (unsigned)(r >> 8) % 24;
    switch (r >> 16 & 3) {
    case 0: fraction |= (UINT32_C(1) << run) - 1; break;
    case 1: fraction &= ~((UINT32_C(1) << run) - 1); break;
    case 2: fraction = (UINT32_C(1) << run) & 0x7fffff; break;
    default: break;
    }
    return (uint32_t)(r >> 63) << 31 | (uint32_t)exp << 23 | fraction;
}

/* An exponent at either end of the range, in the middle, or anywhere. */
static inline int fp_random_exp(uint64_t *state)
{
    static const uint8_t exps[] = {0, 1, 13, 64, 115, 127, 139, 190, 241, 253};
    uint64_t r = test_random(state);
    return r & 1 ? (int)(r >> 32 & 0xff) : exps[(r >> 1) % sizeof exps];
}

/* Three operands for which a + b, a / b and a * b + c are neither trivial nor always out of
 * range. */
static inline void fp_random_operands(uint64_t *state, uint32_t x[3])
{
    int exp = fp_random_exp(state);
    x[0] = fp_random_near(state, exp);
    switch (test_below(state, 4)) {
    case 0: x[1] = fp_random_near(state, exp); break; /* near */
    case 1: x[1] = fp_random_near(state, exp + 24 - (int)test_below(state, 48)); break;
    case 2: x[1] = fp_random_near(state, 254 - exp); break; /* a product near 1 */
    default: x[1] = fp_random_near(state, fp_random_exp(state)); break;
    }
    int product = exp + (int)(x[1] >> 23 & 0xff) - 127;
    if (test_below(state, 4))
        product += 40 - (int)test_below(state, 80);
    x[2] = fp_random_near(state, product);
}

#endif
