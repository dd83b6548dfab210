/* SPDX-License-Identifier: Apache-2.0 */
#include "ref_wide.h"

#include <string.h>

/* Fixed point: bit i has weight 2^(i - BELOW). The smallest product of doubles is 2^-2148. */
enum { WORDS = 136, BELOW = 2176 };

struct fixed {
    unsigned sign;
    uint32_t word[WORDS];
};

struct layout {
    unsigned exponent, fraction;
};

static struct layout layout_of(unsigned bits)
{
    return bits == 16   ? (struct layout){5, 10}
           : bits == 32 ? (struct layout){8, 23}
                        : (struct layout){11, 52};
}

enum kind { NUMBER, INFINITE, QUIET, SIGNALING };

/* Sign, significand and exponent of the lowest bit. */
struct parts {
    enum kind kind;
    unsigned sign;
    uint64_t significand;
    int exponent;
};

static struct parts split(unsigned bits, uint64_t value)
{
    struct layout l = layout_of(bits);
    uint64_t fraction = value & ((UINT64_C(1) << l.fraction) - 1);
    unsigned field = (unsigned)(value >> l.fraction) & ((1u << l.exponent) - 1);
    int bias = (1 << (l.exponent - 1)) - 1;
    struct parts p = {NUMBER, (unsigned)(value >> (bits - 1)) & 1, fraction,
                      1 - bias - (int)l.fraction};
    if (field == (1u << l.exponent) - 1) {
        p.kind = !fraction ? INFINITE : fraction >> (l.fraction - 1) ? QUIET : SIGNALING;
    } else if (field) {
        p.significand |= UINT64_C(1) << l.fraction;
        p.exponent += (int)field - 1;
    }
    return p;
}

static uint64_t make(unsigned bits, unsigned sign, uint64_t field, uint64_t fraction)
{
    return (uint64_t)sign << (bits - 1) | field << layout_of(bits).fraction | fraction;
}

static uint64_t infinity(unsigned bits, unsigned sign)
{
    return make(bits, sign, (UINT64_C(1) << layout_of(bits).exponent) - 1, 0);
}

static uint64_t nan_value(unsigned bits)
{
    return infinity(bits, 0) | UINT64_C(1) << (layout_of(bits).fraction - 1);
}

/* x += a * 2^exponent, magnitudes only; 32 bits of a at a time. */
static void accumulate(struct fixed *x, uint32_t a, int exponent)
{
    unsigned at = (unsigned)(exponent + BELOW);
    uint64_t low = (uint64_t)a << (at % 32);
    uint64_t carry = 0;
    for (unsigned i = at / 32; i < WORDS; i++) {
        carry += x->word[i];
        carry += (uint32_t)low;
        x->word[i] = (uint32_t)carry;
        carry >>= 32;
        low >>= 32;
    }
}

static struct fixed product_of(struct parts a, struct parts b)
{
    struct fixed x = {.sign = a.sign ^ b.sign};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned j = 0; j < 2; j++) {
            uint64_t part =
                (uint64_t)(uint32_t)(a.significand >> 32 * i) * (uint32_t)(b.significand >> 32 * j);
            int exponent = a.exponent + b.exponent + 32 * (int)(i + j);
            accumulate(&x, (uint32_t)part, exponent);
            accumulate(&x, (uint32_t)(part >> 32), exponent + 32);
        }
    }
    return x;
}

static int compare(const struct fixed *a, const struct fixed *b)
{
    for (unsigned i = WORDS; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* a - b of magnitudes, a >= b. */
static void subtract(struct fixed *a, const struct fixed *b)
{
    int64_t borrow = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        borrow += (int64_t)a->word[i] - b->word[i];
        a->word[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

static bool is_zero(const struct fixed *a)
{
    static const struct fixed nothing;
    return compare(a, &nothing) == 0;
}

static struct fixed sum_of(unsigned rm, struct fixed a, struct fixed b)
{
    bool both = is_zero(&a) && is_zero(&b);
    if (a.sign == b.sign) {
        uint64_t carry = 0;
        for (unsigned i = 0; i < WORDS; i++) {
            carry += (uint64_t)a.word[i] + b.word[i];
            a.word[i] = (uint32_t)carry;
            carry >>= 32;
        }
        return a;
    }
    if (compare(&a, &b) < 0) {
        struct fixed swap = a;
        a = b;
        b = swap;
    }
    subtract(&a, &b);
    if (is_zero(&a) || both)
        a.sign = rm == REF_RDN;
    return a;
}

static unsigned bit_at(const struct fixed *x, int exponent)
{
    int at = exponent + BELOW;
    return at < 0 ? 0 : x->word[at / 32] >> (at % 32) & 1;
}

static bool any_below(const struct fixed *x, int exponent)
{
    for (int at = -BELOW; at < exponent; at++)
        if (bit_at(x, at))
            return true;
    return false;
}

/* The significand rounded to a lowest bit of weight 2^lowest. */
static uint64_t round_at(unsigned rm, const struct fixed *x, int top, int lowest, bool *inexact)
{
    uint64_t kept = 0;
    for (int e = top; e >= lowest; e--)
        kept = kept << 1 | bit_at(x, e);
    bool half = bit_at(x, lowest - 1), rest = any_below(x, lowest - 1);
    *inexact = half || rest;
    switch (rm) {
    case REF_RNE: return kept + (half && (rest || (kept & 1)));
    case REF_RTZ: return kept;
    case REF_RDN: return kept + (x->sign && *inexact);
    case REF_RUP: return kept + (!x->sign && *inexact);
    default: return kept + half;
    }
}

static uint64_t round_to(struct ref_fp *fp, unsigned bits, const struct fixed *x)
{
    struct layout l = layout_of(bits);
    const int bias = (1 << (l.exponent - 1)) - 1, smallest = 1 - bias;
    if (is_zero(x))
        return make(bits, x->sign, 0, 0);
    int top = 32 * WORDS - BELOW - 1;
    while (!bit_at(x, top))
        top--;
    bool inexact, lost;
    int lowest = (top < smallest ? smallest : top) - (int)l.fraction;
    uint64_t kept = round_at(fp->rm, x, top, lowest, &inexact);
    if (inexact)
        fp->flags |= REF_NX;
    if (inexact && top < smallest) { /* tiny if so with all bits */
        uint64_t full = round_at(fp->rm, x, top, top - (int)l.fraction, &lost);
        if (top < smallest - 1 || full >> (l.fraction + 1) == 0)
            fp->flags |= REF_UF;
    }
    if (kept >> (l.fraction + 1)) {
        kept >>= 1;
        lowest++;
    }
    if (kept >> l.fraction == 0)
        return make(bits, x->sign, 0, kept);
    int field = lowest + (int)l.fraction + bias;
    if (field > 2 * bias) {
        fp->flags |= REF_OF | REF_NX;
        bool largest = fp->rm == REF_RTZ || fp->rm == (x->sign ? REF_RUP : REF_RDN);
        return infinity(bits, x->sign) - largest;
    }
    return make(bits, x->sign, (uint64_t)field, kept & ((UINT64_C(1) << l.fraction) - 1));
}

uint64_t ref_wide_fma(struct ref_fp *fp, unsigned bits, uint64_t a, uint64_t b, uint64_t c)
{
    struct parts x = split(bits, a), y = split(bits, b), z = split(bits, c);
    const unsigned sign = x.sign ^ y.sign;
    bool x_zero = x.kind == NUMBER && x.significand == 0;
    bool y_zero = y.kind == NUMBER && y.significand == 0;
    bool infinite =
        (x.kind == INFINITE && y.kind <= INFINITE) || (y.kind == INFINITE && x.kind <= INFINITE);
    bool signaling = x.kind == SIGNALING || y.kind == SIGNALING || z.kind == SIGNALING;
    bool invalid = (infinite && (x_zero || y_zero)) ||
                   (infinite && z.kind == INFINITE && z.sign != sign) || signaling;
    if (invalid) {
        fp->flags |= REF_NV;
        return nan_value(bits);
    }
    if (x.kind >= QUIET || y.kind >= QUIET || z.kind >= QUIET)
        return nan_value(bits);
    if (infinite)
        return infinity(bits, sign);
    if (z.kind == INFINITE)
        return c;
    struct parts one = {NUMBER, 0, 1, 0};
    struct fixed result = sum_of(fp->rm, product_of(x, y), product_of(z, one));
    return round_to(fp, bits, &result);
}

uint64_t ref_wide_mul(struct ref_fp *fp, unsigned bits, uint64_t a, uint64_t b)
{
    return ref_wide_fma(fp, bits, a, b, make(bits, (unsigned)((a ^ b) >> (bits - 1)) & 1, 0, 0));
}

uint64_t ref_wide_add(struct ref_fp *fp, unsigned bits, uint64_t a, uint64_t b)
{
    uint64_t one = make(bits, 0, (UINT64_C(1) << (layout_of(bits).exponent - 1)) - 1, 0);
    return ref_wide_fma(fp, bits, one, a, b);
}

uint64_t ref_wide_extend(struct ref_fp *fp, unsigned from, unsigned to, uint64_t a)
{
    struct parts x = split(from, a), one = {NUMBER, 0, 1, 0};
    if (x.kind == SIGNALING)
        fp->flags |= REF_NV;
    if (x.kind >= QUIET)
        return nan_value(to);
    if (x.kind == INFINITE)
        return infinity(to, x.sign);
    struct fixed value = product_of(x, one);
    return round_to(fp, to, &value);
}
