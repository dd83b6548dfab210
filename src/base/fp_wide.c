/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fp_wide.h"

/* GNU C: a product of doubles has 106 bits. */
__extension__ typedef unsigned __int128 u128;

static int leading_zeros(u128 sig)
{
    uint64_t high = (uint64_t)(sig >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)sig);
}

#define SIG                u128
#define SIG_BITS           128
#define LEADING_ZEROS(sig) leading_zeros(sig)
#include "base/fp_number_tmpl.h"

static const struct format {
    int exponent, fraction; /* bits */
} formats[] = {{5, 10}, {8, 23}, {11, 52}};

static uint64_t sign_of(const struct format *f)
{
    return UINT64_C(1) << (f->exponent + f->fraction);
}

static uint64_t infinity(const struct format *f)
{
    return ((UINT64_C(1) << f->exponent) - 1) << f->fraction;
}

static uint64_t nan_of(const struct format *f)
{
    return infinity(f) | UINT64_C(1) << (f->fraction - 1);
}

static uint64_t magnitude(const struct format *f, uint64_t a)
{
    return a & (sign_of(f) - 1);
}

static bool is_nan(const struct format *f, uint64_t a)
{
    return magnitude(f, a) > infinity(f);
}

static bool is_signaling(const struct format *f, uint64_t a)
{
    return is_nan(f, a) && !(a >> (f->fraction - 1) & 1);
}

/* Unpack a finite value without normalising, so that products stay exact. */
static struct number unpack(const struct format *f, uint64_t a)
{
    int bias = (1 << (f->exponent - 1)) - 1;
    int field = (int)(magnitude(f, a) >> f->fraction);
    uint64_t fraction = a & ((UINT64_C(1) << f->fraction) - 1);
    return (struct number){
        .sign = (a & sign_of(f)) != 0,
        .exp = (field ? field : 1) - bias - f->fraction,
        .sig = fraction | (field ? UINT64_C(1) << f->fraction : 0),
    };
}

static uint64_t overflow(const struct format *f, bool sign, enum sam_round round, unsigned *flags)
{
    bool away = sam_fp_overflows_away(round, sign);
    *flags |= SAM_FP_OF | SAM_FP_NX;
    return (sign ? sign_of(f) : 0) | (away ? infinity(f) : infinity(f) - 1);
}

static uint64_t round_pack(const struct format *f, struct number n, enum sam_round round,
                           unsigned *flags)
{
    uint64_t sign = n.sign ? sign_of(f) : 0;
    const int bias = (1 << (f->exponent - 1)) - 1, extra = TOP - f->fraction;
    if (n.sig == 0)
        return sign;
    n = normalise(n);
    int exp = n.exp + TOP + bias; /* biased; below 1: subnormal, with fewer bits */
    if (exp > 2 * bias)
        return overflow(f, n.sign, round, flags);
    int drop = extra;
    bool tiny = false;
    if (exp < 1) {
        /* Tininess after rounding: below the smallest normal when rounded to full precision. */
        u128 full = (u128)1 << (f->fraction + 1);
        tiny = exp < 0 || round_off(n.sign, n.sig, extra, round) < full;
        drop += 1 - exp;
        if (drop > 127) {
            n.sig = shift_right_jam(n.sig, drop - 127);
            drop = 127;
        }
        exp = 1;
    }
    /* The hidden bit increments the exponent field, and so does a carry out of the fraction. */
    uint64_t bits =
        ((uint64_t)(exp - 1) << f->fraction) + (uint64_t)round_off(n.sign, n.sig, drop, round);
    if (bits >= infinity(f))
        return overflow(f, n.sign, round, flags);
    if (n.sig & (((u128)1 << drop) - 1))
        *flags |= tiny ? SAM_FP_UF | SAM_FP_NX : SAM_FP_NX;
    return sign | bits;
}

static uint64_t add_numbers(const struct format *f, struct number a, struct number b,
                            enum sam_round round, unsigned *flags)
{
    return round_pack(f, sum_of(normalise(a), normalise(b), round), round, flags);
}

static uint64_t invalid(const struct format *f, unsigned *flags)
{
    *flags |= SAM_FP_NV;
    return nan_of(f);
}

uint64_t sam_fp_fma(enum sam_fp_width width, uint64_t a, uint64_t b, uint64_t c,
                    enum sam_round round, unsigned *flags)
{
    const struct format *f = &formats[width];
    const uint64_t inf = infinity(f), sign = (a ^ b) & sign_of(f);
    bool nan = is_nan(f, a) || is_nan(f, b);
    bool infinite = !nan && (magnitude(f, a) == inf || magnitude(f, b) == inf);
    if (infinite && (magnitude(f, a) == 0 || magnitude(f, b) == 0))
        return invalid(f, flags);
    if (is_signaling(f, a) || is_signaling(f, b) || is_signaling(f, c))
        return invalid(f, flags);
    if (nan || is_nan(f, c))
        return nan_of(f);
    if (infinite)
        return magnitude(f, c) == inf && c != (sign | inf) ? invalid(f, flags) : sign | inf;
    if (magnitude(f, c) == inf)
        return c;
    struct number x = unpack(f, a), y = unpack(f, b);
    struct number product = {x.sign ^ y.sign, x.exp + y.exp, x.sig * y.sig};
    return add_numbers(f, product, unpack(f, c), round, flags);
}

uint64_t sam_fp_mul(enum sam_fp_width width, uint64_t a, uint64_t b, enum sam_round round,
                    unsigned *flags)
{
    /* adding a zero with the product's sign is exact */
    return sam_fp_fma(width, a, b, (a ^ b) & sign_of(&formats[width]), round, flags);
}

uint64_t sam_fp_add(enum sam_fp_width width, uint64_t a, uint64_t b, enum sam_round round,
                    unsigned *flags)
{
    const struct format *f = &formats[width];
    uint64_t one = infinity(f) >> 1 & infinity(f);
    return sam_fp_fma(width, a, one, b, round, flags);
}

uint64_t sam_fp_widen(enum sam_fp_width from, enum sam_fp_width to, uint64_t a, unsigned *flags)
{
    const struct format *f = &formats[from], *t = &formats[to];
    if (is_signaling(f, a))
        return invalid(t, flags);
    if (is_nan(f, a))
        return nan_of(t);
    if (magnitude(f, a) == infinity(f))
        return (a & sign_of(f) ? sign_of(t) : 0) | infinity(t);
    return round_pack(t, unpack(f, a), SAM_RNE, flags);
}
