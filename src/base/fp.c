/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two floats has 48 bits. */
#define SIG                uint64_t
#define SIG_BITS           64
#define LEADING_ZEROS(sig) __builtin_clzll(sig)
#include "base/fp_number_tmpl.h"

#define SIGN     UINT32_C(0x80000000)
#define INFINITE UINT32_C(0x7f800000)
#define LARGEST  UINT32_C(0x7f7fffff)

/* Bits of a normalised sig below the 24 of a float. */
#define EXTRA (TOP - 23)

static bool is_infinite(uint32_t a)
{
    return (a & ~SIGN) == INFINITE;
}

static bool is_zero(uint32_t a)
{
    return (a & ~SIGN) == 0;
}

/* Unpack and normalise a finite float. */
static struct number unpack(uint32_t a)
{
    int exp = (int)(a >> 23 & 0xff);
    uint32_t fraction = a & 0x7fffff;
    struct number n = {.sign = a >> 31, .exp = exp - 150, .sig = fraction | UINT32_C(1) << 23};
    if (exp == 0) {
        n.exp = -149;
        n.sig = fraction;
    }
    return normalise(n);
}

static uint32_t overflow(bool sign, enum sam_round round, unsigned *flags)
{
    bool away = sam_fp_overflows_away(round, sign);
    *flags |= SAM_FP_OF | SAM_FP_NX;
    return (sign ? SIGN : 0) | (away ? INFINITE : LARGEST);
}

/* Round n to a float. */
static uint32_t round_pack(struct number n, enum sam_round round, unsigned *flags)
{
    uint32_t sign = n.sign ? SIGN : 0;
    if (n.sig == 0)
        return sign;
    n = normalise(n);
    int exp = n.exp + TOP + 127; /* biased; below 1: subnormal, with fewer bits */
    if (exp > 254)
        return overflow(n.sign, round, flags);
    int drop = EXTRA;
    bool tiny = false;
    if (exp < 1) {
        /* Tininess after rounding: below 2^-126 when rounded to 24 bits with unbounded exponent. */
        tiny = exp < 0 || round_off(n.sign, n.sig, EXTRA, round) < UINT64_C(1) << 24;
        drop += 1 - exp;
        if (drop > 63) {
            n.sig = shift_right_jam(n.sig, drop - 63);
            drop = 63;
        }
        exp = 1;
    }
    /* The hidden bit increments the exponent field, and so does a carry out of the fraction. */
    uint32_t bits = ((uint32_t)(exp - 1) << 23) + (uint32_t)round_off(n.sign, n.sig, drop, round);
    if (bits >= INFINITE)
        return overflow(n.sign, round, flags);
    if (n.sig & ((UINT64_C(1) << drop) - 1))
        *flags |= tiny ? SAM_FP_UF | SAM_FP_NX : SAM_FP_NX;
    return sign | bits;
}

static uint32_t invalid(unsigned *flags)
{
    *flags |= SAM_FP_NV;
    return SAM_F32_NAN;
}

/* The result for a NaN operand. */
static uint32_t from_nan(bool signaling, unsigned *flags)
{
    return signaling ? invalid(flags) : SAM_F32_NAN;
}

static uint32_t add_numbers(struct number a, struct number b, enum sam_round round, unsigned *flags)
{
    return round_pack(sum_of(a, b, round), round, flags);
}

uint32_t sam_f32_add(uint32_t a, uint32_t b, enum sam_round round, unsigned *flags)
{
    if (sam_f32_is_nan(a) || sam_f32_is_nan(b))
        return from_nan(sam_f32_is_snan(a) || sam_f32_is_snan(b), flags);
    if (is_infinite(a))
        return is_infinite(b) && a != b ? invalid(flags) : a;
    if (is_infinite(b))
        return b;
    return add_numbers(unpack(a), unpack(b), round, flags);
}

uint32_t sam_f32_sub(uint32_t a, uint32_t b, enum sam_round round, unsigned *flags)
{
    return sam_f32_add(a, b ^ SIGN, round, flags); /* NaN stays NaN, signaling or not */
}

/* Exact: 24-bit significands give 48 bits. */
static struct number multiply(struct number a, struct number b)
{
    return (struct number){
        .sign = a.sign ^ b.sign,
        .exp = a.exp + b.exp + 2 * EXTRA,
        .sig = (a.sig >> EXTRA) * (b.sig >> EXTRA),
    };
}

uint32_t sam_f32_mul(uint32_t a, uint32_t b, enum sam_round round, unsigned *flags)
{
    if (sam_f32_is_nan(a) || sam_f32_is_nan(b))
        return from_nan(sam_f32_is_snan(a) || sam_f32_is_snan(b), flags);
    if (is_infinite(a) || is_infinite(b))
        return is_zero(a) || is_zero(b) ? invalid(flags) : ((a ^ b) & SIGN) | INFINITE;
    return round_pack(multiply(unpack(a), unpack(b)), round, flags);
}

uint32_t sam_f32_fma(uint32_t a, uint32_t b, uint32_t c, enum sam_round round, unsigned *flags)
{
    bool nan = sam_f32_is_nan(a) || sam_f32_is_nan(b);
    bool infinite = !nan && (is_infinite(a) || is_infinite(b));
    if (infinite && (is_zero(a) || is_zero(b)))
        return invalid(flags);
    if (nan || sam_f32_is_nan(c))
        return from_nan(sam_f32_is_snan(a) || sam_f32_is_snan(b) || sam_f32_is_snan(c), flags);
    if (infinite) {
        uint32_t product = ((a ^ b) & SIGN) | INFINITE;
        return is_infinite(c) && c != product ? invalid(flags) : product;
    }
    if (is_infinite(c))
        return c;
    return add_numbers(normalise(multiply(unpack(a), unpack(b))), unpack(c), round, flags);
}

uint32_t sam_f32_div(uint32_t a, uint32_t b, enum sam_round round, unsigned *flags)
{
    uint32_t sign = (a ^ b) & SIGN;
    if (sam_f32_is_nan(a) || sam_f32_is_nan(b))
        return from_nan(sam_f32_is_snan(a) || sam_f32_is_snan(b), flags);
    if (is_infinite(a))
        return is_infinite(b) ? invalid(flags) : sign | INFINITE;
    if (is_infinite(b))
        return sign;
    if (is_zero(b)) {
        if (is_zero(a))
            return invalid(flags);
        *flags |= SAM_FP_DZ;
        return sign | INFINITE;
    }
    struct number x = unpack(a), y = unpack(b);
    uint64_t divisor = y.sig >> EXTRA; /* 24 bits, so that the quotient has 39 or 40 */
    struct number quotient = {
        .sign = x.sign ^ y.sign,
        .exp = x.exp - y.exp - EXTRA,
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): b is not zero, unpack normalises */
        .sig = x.sig / divisor | (x.sig % divisor != 0),
    };
    return round_pack(quotient, round, flags);
}

uint32_t sam_f32_sqrt(uint32_t a, enum sam_round round, unsigned *flags)
{
    if (sam_f32_is_nan(a))
        return from_nan(sam_f32_is_snan(a), flags);
    if (is_zero(a))
        return a; /* -0 too */
    if (a & SIGN)
        return invalid(flags);
    if (is_infinite(a))
        return a;
    struct number x = unpack(a);
    if (x.exp & 1) {
        x.sig <<= 1;
        x.exp--;
    }
    uint64_t root = 0, rest = x.sig; /* rest = x.sig - root * root, bit by bit */
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1) {
        uint64_t step = (2 * root + bit) * bit;
        if (rest >= step) {
            rest -= step;
            root += bit;
        }
    }
    struct number y = {.sign = false, .exp = x.exp / 2, .sig = root | (rest != 0)};
    return round_pack(y, round, flags);
}

/* Order-preserving integer key, with -0 just below +0. */
static int32_t order(uint32_t a)
{
    return (int32_t)(a & SIGN ? a ^ 0x7fffffff : a);
}

static uint32_t min_max(uint32_t a, uint32_t b, bool max, unsigned *flags)
{
    if (sam_f32_is_snan(a) || sam_f32_is_snan(b))
        *flags |= SAM_FP_NV;
    if (sam_f32_is_nan(a))
        return sam_f32_is_nan(b) ? SAM_F32_NAN : b;
    if (sam_f32_is_nan(b))
        return a;
    return (order(a) < order(b)) != max ? a : b;
}

uint32_t sam_f32_min(uint32_t a, uint32_t b, unsigned *flags)
{
    return min_max(a, b, false, flags);
}

uint32_t sam_f32_max(uint32_t a, uint32_t b, unsigned *flags)
{
    return min_max(a, b, true, flags);
}

bool sam_f32_eq(uint32_t a, uint32_t b, unsigned *flags)
{
    if (sam_f32_is_snan(a) || sam_f32_is_snan(b))
        *flags |= SAM_FP_NV;
    return !sam_f32_is_nan(a) && !sam_f32_is_nan(b) && (a == b || (is_zero(a) && is_zero(b)));
}

bool sam_f32_le(uint32_t a, uint32_t b, unsigned *flags)
{
    if (sam_f32_is_nan(a) || sam_f32_is_nan(b)) {
        *flags |= SAM_FP_NV;
        return false;
    }
    return order(a) <= order(b) || (is_zero(a) && is_zero(b));
}

bool sam_f32_lt(uint32_t a, uint32_t b, unsigned *flags)
{
    if (sam_f32_is_nan(a) || sam_f32_is_nan(b)) {
        *flags |= SAM_FP_NV;
        return false;
    }
    return order(a) < order(b) && !(is_zero(a) && is_zero(b));
}

/* Convert to an integer in [-lowest, highest], two's complement. */
static uint64_t to_integer(uint32_t a, uint64_t lowest, uint64_t highest, enum sam_round round,
                           unsigned *flags)
{
    bool sign = a >> 31 && !sam_f32_is_nan(a);
    uint64_t limit = sign ? lowest : highest, magnitude = UINT64_MAX;
    bool fits = false, inexact = false;
    if (!sam_f32_is_nan(a) && !is_infinite(a)) {
        struct number n = unpack(a);
        fits = n.exp <= 1; /* below 2^64 */
        if (n.exp >= 0) {
            magnitude = fits ? n.sig << n.exp : 0;
        } else {
            if (n.exp < -63) {
                n.sig = shift_right_jam(n.sig, -63 - n.exp);
                n.exp = -63;
            }
            magnitude = round_off(sign, n.sig, -n.exp, round);
            inexact = (n.sig & ((UINT64_C(1) << -n.exp) - 1)) != 0;
        }
    }
    if (!fits || magnitude > limit) {
        *flags |= SAM_FP_NV;
        magnitude = limit;
    } else if (inexact) {
        *flags |= SAM_FP_NX;
    }
    return sign ? 0 - magnitude : magnitude;
}

int32_t sam_f32_to_i32(uint32_t a, enum sam_round round, unsigned *flags)
{
    return (int32_t)to_integer(a, UINT64_C(1) << 31, INT32_MAX, round, flags);
}

uint32_t sam_f32_to_u32(uint32_t a, enum sam_round round, unsigned *flags)
{
    return (uint32_t)to_integer(a, 0, UINT32_MAX, round, flags);
}

int64_t sam_f32_to_i64(uint32_t a, enum sam_round round, unsigned *flags)
{
    return (int64_t)to_integer(a, UINT64_C(1) << 63, INT64_MAX, round, flags);
}

uint64_t sam_f32_to_u64(uint32_t a, enum sam_round round, unsigned *flags)
{
    return to_integer(a, 0, UINT64_MAX, round, flags);
}

uint32_t sam_i64_to_f32(int64_t a, enum sam_round round, unsigned *flags)
{
    uint64_t magnitude = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    return round_pack((struct number){.sign = a < 0, .exp = 0, .sig = magnitude}, round, flags);
}

uint32_t sam_u64_to_f32(uint64_t a, enum sam_round round, unsigned *flags)
{
    return round_pack((struct number){.sign = false, .exp = 0, .sig = a}, round, flags);
}

uint32_t sam_i32_to_f32(int32_t a, enum sam_round round, unsigned *flags)
{
    return sam_i64_to_f32(a, round, flags);
}

uint32_t sam_u32_to_f32(uint32_t a, enum sam_round round, unsigned *flags)
{
    return sam_u64_to_f32(a, round, flags);
}

uint32_t sam_f32_class(uint32_t a)
{
    if (sam_f32_is_nan(a))
        return sam_f32_is_snan(a) ? 1 << 8 : 1 << 9;
    uint32_t magnitude = a & ~SIGN;
    int distance = magnitude == 0 ? 0 : magnitude < 0x800000 ? 1 : magnitude < INFINITE ? 2 : 3;
    /* -infinity, -normal, -subnormal, -0, +0, +subnormal, +normal, +infinity */
    return UINT32_C(1) << (a & SIGN ? 3 - distance : 4 + distance);
}
