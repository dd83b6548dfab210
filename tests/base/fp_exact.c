/* SPDX-License-Identifier: Apache-2.0 */
/* src/base/fp.c against exact arithmetic in all five rounding modes, including RMM, which no
 * host has. The reference does not round: a result is correct if the exact value lies on the
 * right side of the midpoints to its two neighbours, and the flags follow from the position of
 * the exact value. Each comparison is the sign of a sum of terms +-sig * 2^exp in 640-bit
 * integers. */

#include "test.h"

#include "fp_values.h"

struct term {
    bool negative;
    uint64_t sig;
    int exp;
};

#define WORDS  10
#define LOWEST (-310) /* weight of bit 0 */

/* -1, 0 or 1: the sign of the sum. */
static int sign_of_sum(const struct term *terms, size_t count)
{
    uint64_t sum[WORDS] = {0};
    for (size_t i = 0; i < count; i++) {
        if (terms[i].sig == 0)
            continue;
        unsigned position = (unsigned)(terms[i].exp - LOWEST);
        if (terms[i].exp < LOWEST || position + 64 - (unsigned)__builtin_clzll(terms[i].sig) > 630)
            fail_msg("2^%d is out of the range of this test", terms[i].exp);
        unsigned __int128 part = (unsigned __int128)terms[i].sig << position % 64;
        uint64_t carry = 0;
        for (unsigned w = position / 64; w < WORDS && (part || carry); w++) {
            unsigned __int128 step = (unsigned __int128)(uint64_t)part + carry;
            part >>= 64;
            unsigned __int128 total = terms[i].negative ? sum[w] - step : sum[w] + step;
            sum[w] = (uint64_t)total;
            carry = (uint64_t)(total >> 64) != 0;
        }
    }
    if (sum[WORDS - 1] >> 63)
        return -1;
    for (unsigned w = 0; w < WORDS; w++)
        if (sum[w])
            return 1;
    return 0;
}

/* A float; infinity represents 2^128, the value after the largest. */
static struct term number(uint32_t bits)
{
    uint32_t exp = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    if (exp == 0)
        return (struct term){bits >> 31, fraction, -149};
    return (struct term){bits >> 31, fraction | 0x800000, (int)exp - 150};
}

static struct term negate(struct term t)
{
    t.negative = !t.negative;
    return t;
}

static struct term product(struct term a, struct term b)
{
    return (struct term){a.negative != b.negative, a.sig * b.sig, a.exp + b.exp};
}

/* The exact value of an operation on finite operands, represented by its comparisons. */
enum operation { SUM, PRODUCT, QUOTIENT, ROOT, FUSED };
static const char *const names[] = {"add", "mul", "div", "sqrt", "fma"};
struct exact {
    enum operation operation;
    uint32_t x[3];
};

/* The sign of (value - limit). */
static int compare(const struct exact *value, struct term limit)
{
    struct term a = number(value->x[0]), b = number(value->x[1]), c = number(value->x[2]);
    switch (value->operation) {
    case SUM: return sign_of_sum((struct term[]){a, b, negate(limit)}, 3);
    case PRODUCT: return sign_of_sum((struct term[]){product(a, b), negate(limit)}, 2);
    case FUSED: return sign_of_sum((struct term[]){product(a, b), c, negate(limit)}, 3);
    case QUOTIENT: /* a / b - limit has the sign of (a - limit * b) * b */
        return sign_of_sum((struct term[]){a, negate(product(limit, b))}, 2) *
               (b.negative ? -1 : 1);
    case ROOT: /* both are nonnegative in every call, except for a negative limit */
        if (limit.negative && limit.sig)
            return 1;
        return sign_of_sum((struct term[]){a, negate(product(limit, limit))}, 2);
    }
    return 0;
}

static struct term power(int exp, bool negative)
{
    return (struct term){negative, 1, exp};
}

/* 2^exp - 2^less, with the sign. */
static struct term below_power(int exp, int less, bool negative)
{
    return (struct term){negative, (UINT64_C(1) << (exp - less)) - 1, less};
}

/* The midpoint between `a` and its neighbour of next larger magnitude. */
static struct term halfway_up(uint32_t a)
{
    struct term t = number(a);
    return (struct term){t.negative, 2 * t.sig + 1, t.exp - 1};
}

static struct term halfway_down(uint32_t a)
{
    return halfway_up(a - 1);
}

static bool towards_zero(enum sam_round round, bool negative)
{
    return round == SAM_RTZ || round == (negative ? SAM_RUP : SAM_RDN);
}

/* Sign of (|value| - |limit|); `negative` is the sign of value. */
static int compare_magnitude(const struct exact *value, struct term limit, bool negative)
{
    limit.negative = negative;
    return negative ? -compare(value, limit) : compare(value, limit);
}

/* Is `result` the rounding of a value with this sign? Overflow is handled earlier. */
static bool is_nearest(const struct exact *value, uint32_t result, bool negative,
                       enum sam_round round)
{
    uint32_t magnitude = result & 0x7fffffff;
    if (towards_zero(round, negative))
        return compare_magnitude(value, number(result), negative) >= 0 &&
               compare_magnitude(value, number(result + 1), negative) < 0;
    if (round == SAM_RDN || round == SAM_RUP)
        return compare_magnitude(value, number(result), negative) <= 0 &&
               (magnitude == 0 || compare_magnitude(value, number(result - 1), negative) > 0);
    int up = compare_magnitude(value, halfway_up(result), negative);
    int down = magnitude ? compare_magnitude(value, halfway_down(result), negative) : 1;
    bool keeps_ties = round == SAM_RNE && !(result & 1);
    return (up < 0 || (up == 0 && keeps_ties)) &&
           (down > 0 || (down == 0 && (round == SAM_RMM || keeps_ties)));
}

static bool overflows(const struct exact *value, bool negative, enum sam_round round)
{
    if (round == SAM_RNE || round == SAM_RMM)
        return compare_magnitude(value, below_power(128, 103, false), negative) >= 0;
    if (towards_zero(round, negative))
        return compare_magnitude(value, power(128, false), negative) >= 0;
    return compare_magnitude(value, below_power(128, 104, false), negative) > 0;
}

/* Below 2^-126 also after rounding to 24 bits. */
static bool is_tiny(const struct exact *value, bool negative, enum sam_round round)
{
    if (round == SAM_RNE || round == SAM_RMM)
        return compare_magnitude(value, below_power(-126, -151, false), negative) < 0;
    if (towards_zero(round, negative))
        return compare_magnitude(value, power(-126, false), negative) < 0;
    return compare_magnitude(value, below_power(-126, -150, false), negative) <= 0;
}

static uint32_t run(const struct exact *value, enum sam_round round, unsigned *flags)
{
    const uint32_t *x = value->x;
    switch (value->operation) {
    case SUM: return sam_f32_add(x[0], x[1], round, flags);
    case PRODUCT: return sam_f32_mul(x[0], x[1], round, flags);
    case QUOTIENT: return sam_f32_div(x[0], x[1], round, flags);
    case ROOT: return sam_f32_sqrt(x[0], round, flags);
    case FUSED: return sam_f32_fma(x[0], x[1], x[2], round, flags);
    }
    return 0;
}

/* Sign of a result that is exactly zero. IEEE 754 6.3. */
static bool zero_sign(const struct exact *value, enum sam_round round)
{
    bool a = value->x[0] >> 31, b = value->x[1] >> 31, c = value->x[2] >> 31;
    switch (value->operation) {
    case PRODUCT:
    case QUOTIENT: return a != b;
    case ROOT: return a;
    case SUM: c = b; break;
    case FUSED: a = a != b; break;
    }
    /* Terms of equal sign sum to zero only if all are zero. */
    return a == c ? a : round == SAM_RDN;
}

static void check(const struct exact *value, enum sam_round round)
{
    unsigned flags = 0, expected = 0;
    uint32_t result = run(value, round, &flags);
    int sign = compare(value, (struct term){0});
    bool negative = sign < 0, right;
    if (sign == 0) {
        right = result == (uint32_t)zero_sign(value, round) << 31;
    } else if (overflows(value, negative, round)) {
        right =
            result == ((uint32_t)negative << 31 | (0x7f800000u - towards_zero(round, negative)));
        expected = SAM_FP_OF | SAM_FP_NX;
    } else {
        right = result >> 31 == negative && (result & 0x7fffffff) < 0x7f800000 &&
                is_nearest(value, result, negative, round);
        if (right && compare(value, number(result)) != 0)
            expected = is_tiny(value, negative, round) ? SAM_FP_UF | SAM_FP_NX : SAM_FP_NX;
    }
    if (!right || flags != expected)
        fail_msg("%s %08x %08x %08x, mode %d: %08x flags %02x; value %s, flags %02x expected",
                 names[value->operation], value->x[0], value->x[1], value->x[2], round, result,
                 flags, right ? "right" : "wrong", expected);
}

static bool is_finite(uint32_t a)
{
    return (a & 0x7f800000) != 0x7f800000;
}

static void check_all(const uint32_t x[3])
{
    for (enum operation operation = SUM; operation <= FUSED; operation++) {
        struct exact value = {operation, {x[0], x[1], x[2]}};
        if (!is_finite(x[0]) || !is_finite(x[1]) || !is_finite(x[2]) ||
            (operation == QUOTIENT && (x[1] & 0x7fffffff) == 0) ||
            (operation == ROOT && x[0] > 0x80000000))
            continue;
        for (enum sam_round round = SAM_RNE; round <= SAM_RMM; round++)
            check(&value, round);
    }
}

TEST(test_pairs)
{
    struct fp_values v = fp_specials();
    for (size_t i = 0; i < v.count; i++)
        for (size_t j = 0; j < v.count; j++)
            check_all((uint32_t[3]){v.bits[i], v.bits[j], v.bits[(i * 7 + j) % v.count]});
}

TEST(test_random_operands)
{
    uint64_t random = test_seed();
    for (int i = 0; i < 40000; i++) {
        uint32_t x[3];
        fp_random_operands(&random, x);
        check_all(x);
    }
}

/* Products exactly halfway between two floats and next to halfway, normal and subnormal. */
TEST(test_ties)
{
    for (uint32_t fraction = 1; fraction < 0x1000; fraction += 2)
        for (uint32_t exp = 1; exp < 200; exp += 11)
            for (uint32_t other = 127; other < 131; other++) {
                uint32_t a = exp << 23 | fraction, b = other << 23 | 0x400000;
                check_all((uint32_t[3]){a, b, a ^ 0x80000000});
                check_all((uint32_t[3]){a | 0x80000000, b + 1, b});
                check_all((uint32_t[3]){a, (127 - exp % 24) << 23, 0x80000001});
            }
}

/* Integer to float in RMM: the float is within half an ulp, ties away from zero. */
TEST(test_from_integers)
{
    for (int bit = 0; bit < 64; bit++)
        for (int low = 0; low <= bit; low++)
            for (int delta = -2; delta <= 2; delta++) {
                uint64_t n = (UINT64_C(1) << bit | UINT64_C(1) << low) + (uint64_t)delta;
                for (int is_signed = 0; is_signed < 2; is_signed++) {
                    bool negative = is_signed && n >> 63;
                    unsigned flags = 0;
                    uint32_t result = is_signed ? sam_i64_to_f32((int64_t)n, SAM_RMM, &flags)
                                                : sam_u64_to_f32(n, SAM_RMM, &flags);
                    struct term value = {false, negative ? 0 - n : n, 0};
                    uint32_t magnitude = result & 0x7fffffff;
                    assert_int_equal(result >> 31, negative);
                    assert_true(
                        sign_of_sum((struct term[]){value, negate(halfway_up(magnitude))}, 2) < 0);
                    if (magnitude)
                        assert_true(
                            sign_of_sum((struct term[]){value, negate(halfway_down(magnitude))},
                                        2) >= 0);
                    bool exact =
                        sign_of_sum((struct term[]){value, negate(number(magnitude))}, 2) == 0;
                    assert_int_equal(flags, exact ? 0 : SAM_FP_NX);
                }
            }
}
