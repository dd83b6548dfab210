/* SPDX-License-Identifier: Apache-2.0 */
#include "ref_float.h"

#include <math.h>
#include <string.h>

/* GNU C: a 128-bit integer holds every aligned sum below with room for a sticky bit. */
__extension__ typedef unsigned __int128 u128;

enum kind { ZERO, FINITE, INFINITE, QUIET, SIGNALING };

/* value = (-1)^sign * sig * 2^exp when FINITE. */
struct number {
    enum kind kind;
    unsigned sign;
    u128 sig;
    int exp;
};

static struct number unpack(uint32_t bits)
{
    struct number n = {FINITE, bits >> 31, bits & 0x7fffff, -149};
    int field = (int)(bits >> 23 & 255);
    if (field == 255) {
        n.kind = n.sig == 0 ? INFINITE : (bits & 0x400000) ? QUIET : SIGNALING;
    } else if (field == 0) {
        if (n.sig == 0)
            n.kind = ZERO;
    } else {
        n.sig |= 0x800000;
        n.exp = field - 150;
    }
    return n;
}

static bool is_nan(struct number n)
{
    return n.kind == QUIET || n.kind == SIGNALING;
}

static uint32_t infinity(unsigned sign)
{
    return sign << 31 | 0x7f800000u;
}

static uint32_t zero(unsigned sign)
{
    return sign << 31;
}

/* A NaN result that comes from NaN operands: invalid only for a signaling one. */
static uint32_t nan_of(struct ref_fp *fp, struct number a, struct number b)
{
    if (a.kind == SIGNALING || b.kind == SIGNALING)
        fp->flags |= REF_NV;
    return REF_NAN;
}

static uint32_t invalid(struct ref_fp *fp)
{
    fp->flags |= REF_NV;
    return REF_NAN;
}

static int bit_length(u128 v)
{
    int n = 0;
    for (; v; v >>= 1)
        n++;
    return n;
}

/* v / 2^shift as an integer, rounded; *inexact: whether bits were lost. */
static u128 round_shift(unsigned rm, unsigned sign, u128 v, int shift, bool *inexact)
{
    *inexact = false;
    if (shift <= 0)
        return v << -shift;
    if (shift > 126) { /* v has at most 126 bits here: less than one half */
        *inexact = v != 0;
        return v != 0 && ((rm == REF_RUP && !sign) || (rm == REF_RDN && sign));
    }
    u128 whole = v >> shift;
    u128 rest = v - (whole << shift);
    u128 half = (u128)1 << (shift - 1);
    *inexact = rest != 0;
    bool up = false;
    switch (rm) {
    case REF_RNE: up = rest > half || (rest == half && (whole & 1)); break;
    case REF_RTZ: up = false; break;
    case REF_RDN: up = sign && rest; break;
    case REF_RUP: up = !sign && rest; break;
    case REF_RMM: up = rest >= half; break;
    }
    return whole + up;
}

static uint32_t overflow(struct ref_fp *fp, unsigned sign)
{
    fp->flags |= REF_OF | REF_NX;
    bool to_max = fp->rm == REF_RTZ || (fp->rm == REF_RDN && !sign) || (fp->rm == REF_RUP && sign);
    return to_max ? sign << 31 | 0x7f7fffffu : infinity(sign);
}

/* Round sig * 2^exp (sig is not 0, its lowest bit may be a sticky bit) to a float. */
static uint32_t pack(struct ref_fp *fp, unsigned sign, u128 sig, int exp)
{
    int top = bit_length(sig) - 1 + exp; /* exponent of the leading bit */
    int last = top - 23 > -149 ? top - 23 : -149;
    bool inexact;
    u128 m = round_shift(fp->rm, sign, sig, last - exp, &inexact);
    if (top < -126) { /* tininess is detected after rounding to an unbounded exponent */
        bool lost;
        u128 unbounded = round_shift(fp->rm, sign, sig, top - 23 - exp, &lost);
        bool carried = unbounded == (u128)1 << 24;
        if (inexact && !(top == -127 && carried))
            fp->flags |= REF_UF;
    }
    if (inexact)
        fp->flags |= REF_NX;
    if (m == (u128)1 << 24) {
        m >>= 1;
        last++;
    }
    if (m < (u128)1 << 23)
        return sign << 31 | (uint32_t)m;
    if (last + 150 >= 255)
        return overflow(fp, sign);
    return sign << 31 | (uint32_t)(last + 150) << 23 | ((uint32_t)m & 0x7fffff);
}

/* Exact sum of two finite non-zero numbers of at most 48 bits, rounded. */
static uint32_t add_finite(struct ref_fp *fp, struct number a, struct number b)
{
    /* Align both: the leading bit of the larger at bit 124, the smaller shifted right; lost bits
     * become a sticky bit. Bits are lost only at distances over 75, where cancellation cannot
     * reach them. */
    int up = 125 - bit_length(a.sig);
    a.sig <<= up;
    a.exp -= up;
    up = 125 - bit_length(b.sig);
    b.sig <<= up;
    b.exp -= up;
    if (b.exp > a.exp) {
        struct number t = a;
        a = b;
        b = t;
    }
    int distance = a.exp - b.exp;
    if (distance > 126) {
        b.sig = 1;
    } else if (distance > 0) {
        bool lost = (b.sig & (((u128)1 << distance) - 1)) != 0;
        b.sig = b.sig >> distance | lost;
    }
    if (a.sign == b.sign)
        return pack(fp, a.sign, a.sig + b.sig, a.exp);
    if (a.sig == b.sig)
        return zero(fp->rm == REF_RDN);
    if (a.sig > b.sig)
        return pack(fp, a.sign, a.sig - b.sig, a.exp);
    return pack(fp, b.sign, b.sig - a.sig, a.exp);
}

static uint32_t add(struct ref_fp *fp, struct number a, struct number b, uint32_t b_bits)
{
    if (is_nan(a) || is_nan(b))
        return nan_of(fp, a, b);
    if (a.kind == INFINITE && b.kind == INFINITE)
        return a.sign == b.sign ? infinity(a.sign) : invalid(fp);
    if (a.kind == INFINITE)
        return infinity(a.sign);
    if (b.kind == INFINITE)
        return infinity(b.sign);
    if (a.kind == ZERO && b.kind == ZERO)
        return zero(a.sign == b.sign ? a.sign : fp->rm == REF_RDN);
    if (a.kind == ZERO)
        return b_bits;
    if (b.kind == ZERO)
        return pack(fp, a.sign, a.sig, a.exp);
    return add_finite(fp, a, b);
}

uint32_t ref_fadd(struct ref_fp *fp, uint32_t a, uint32_t b)
{
    return add(fp, unpack(a), unpack(b), b);
}

uint32_t ref_fsub(struct ref_fp *fp, uint32_t a, uint32_t b)
{
    return ref_fadd(fp, a, b ^ 0x80000000u);
}

/* The exact product; *bad if there is none (infinity times zero, a NaN). */
static struct number product(struct number a, struct number b, bool *bad)
{
    struct number p = {FINITE, a.sign ^ b.sign, a.sig * b.sig, a.exp + b.exp};
    *bad = false;
    if (is_nan(a) || is_nan(b) || (a.kind == INFINITE && b.kind == ZERO) ||
        (a.kind == ZERO && b.kind == INFINITE))
        *bad = true;
    else if (a.kind == INFINITE || b.kind == INFINITE)
        p.kind = INFINITE;
    else if (a.kind == ZERO || b.kind == ZERO)
        p.kind = ZERO;
    return p;
}

uint32_t ref_fmul(struct ref_fp *fp, uint32_t a_bits, uint32_t b_bits)
{
    struct number a = unpack(a_bits), b = unpack(b_bits);
    if (is_nan(a) || is_nan(b))
        return nan_of(fp, a, b);
    bool bad;
    struct number p = product(a, b, &bad);
    if (bad)
        return invalid(fp);
    if (p.kind == INFINITE)
        return infinity(p.sign);
    if (p.kind == ZERO)
        return zero(p.sign);
    return pack(fp, p.sign, p.sig, p.exp);
}

uint32_t ref_fma(struct ref_fp *fp, uint32_t a_bits, uint32_t b_bits, uint32_t c_bits)
{
    struct number a = unpack(a_bits), b = unpack(b_bits), c = unpack(c_bits);
    if (a.kind == SIGNALING || b.kind == SIGNALING || c.kind == SIGNALING)
        return invalid(fp);
    bool bad;
    struct number p = product(a, b, &bad);
    if (bad) /* infinity times zero is invalid even with a quiet NaN addend (RISC-V F) */
        return is_nan(a) || is_nan(b) ? REF_NAN : invalid(fp);
    return add(fp, p, c, c_bits);
}

uint32_t ref_fdiv(struct ref_fp *fp, uint32_t a_bits, uint32_t b_bits)
{
    struct number a = unpack(a_bits), b = unpack(b_bits);
    unsigned sign = a.sign ^ b.sign;
    if (is_nan(a) || is_nan(b))
        return nan_of(fp, a, b);
    if ((a.kind == INFINITE && b.kind == INFINITE) || (a.kind == ZERO && b.kind == ZERO))
        return invalid(fp);
    if (a.kind == INFINITE)
        return infinity(sign);
    if (b.kind == INFINITE || a.kind == ZERO)
        return zero(sign);
    if (b.kind == ZERO) {
        fp->flags |= REF_DZ;
        return infinity(sign);
    }
    u128 dividend = a.sig << 80;
    u128 quotient = dividend / b.sig;
    bool rest = quotient * b.sig != dividend;
    return pack(fp, sign, quotient << 1 | rest, a.exp - b.exp - 81);
}

uint32_t ref_fsqrt(struct ref_fp *fp, uint32_t bits)
{
    struct number a = unpack(bits);
    if (is_nan(a))
        return nan_of(fp, a, a);
    if (a.kind == ZERO)
        return bits;
    if (a.sign)
        return invalid(fp);
    if (a.kind == INFINITE)
        return bits;
    a.sig <<= 80;
    a.exp -= 80;
    if (a.exp & 1) {
        a.sig <<= 1;
        a.exp -= 1;
    }
    u128 root = 0;
    for (int bit = 55; bit >= 0; bit--) {
        u128 more = root | (u128)1 << bit;
        if (more * more <= a.sig)
            root = more;
    }
    bool rest = root * root != a.sig;
    return pack(fp, 0, root << 1 | rest, a.exp / 2 - 1);
}

/* -1, 0, 1; neither operand is a NaN. */
static int compare(uint32_t a, uint32_t b)
{
    int64_t x = (a & 0x80000000u) ? -(int64_t)(a & 0x7fffffff) : (int64_t)a;
    int64_t y = (b & 0x80000000u) ? -(int64_t)(b & 0x7fffffff) : (int64_t)b;
    return (x > y) - (x < y);
}

static uint32_t select_number(struct ref_fp *fp, uint32_t a, uint32_t b, int wanted)
{
    struct number x = unpack(a), y = unpack(b);
    if (x.kind == SIGNALING || y.kind == SIGNALING)
        fp->flags |= REF_NV;
    if (is_nan(x) && is_nan(y))
        return REF_NAN;
    if (is_nan(x))
        return b;
    if (is_nan(y))
        return a;
    if (x.kind == ZERO && y.kind == ZERO) /* -0 is below +0 */
        return wanted < 0 ? a | b : a & b;
    return compare(a, b) == wanted ? a : b;
}

uint32_t ref_fmin(struct ref_fp *fp, uint32_t a, uint32_t b)
{
    return select_number(fp, a, b, -1);
}

uint32_t ref_fmax(struct ref_fp *fp, uint32_t a, uint32_t b)
{
    return select_number(fp, a, b, 1);
}

/* True if an operand is a NaN, which decides; quiet compares are invalid for signaling NaNs
 * only. */
static bool unordered(struct ref_fp *fp, uint32_t a, uint32_t b, bool quiet)
{
    struct number x = unpack(a), y = unpack(b);
    if (!is_nan(x) && !is_nan(y))
        return false;
    if (!quiet || x.kind == SIGNALING || y.kind == SIGNALING)
        fp->flags |= REF_NV;
    return true;
}

uint32_t ref_feq(struct ref_fp *fp, uint32_t a, uint32_t b)
{
    return !unordered(fp, a, b, true) && compare(a, b) == 0;
}

uint32_t ref_flt(struct ref_fp *fp, uint32_t a, uint32_t b)
{
    return !unordered(fp, a, b, false) && compare(a, b) < 0;
}

uint32_t ref_fle(struct ref_fp *fp, uint32_t a, uint32_t b)
{
    return !unordered(fp, a, b, false) && compare(a, b) <= 0;
}

uint32_t ref_fclass(uint32_t bits)
{
    struct number a = unpack(bits);
    bool subnormal = (bits & 0x7f800000u) == 0;
    switch (a.kind) {
    case SIGNALING: return 1u << 8;
    case QUIET: return 1u << 9;
    case INFINITE: return a.sign ? 1u << 0 : 1u << 7;
    case ZERO: return a.sign ? 1u << 3 : 1u << 4;
    case FINITE: break;
    }
    if (subnormal)
        return a.sign ? 1u << 2 : 1u << 5;
    return a.sign ? 1u << 1 : 1u << 6;
}

uint32_t ref_to_int(struct ref_fp *fp, uint32_t bits, bool is_signed)
{
    struct number a = unpack(bits);
    uint32_t largest = is_signed ? 0x7fffffffu : 0xffffffffu;
    uint32_t smallest = is_signed ? 0x80000000u : 0;
    if (is_nan(a) || a.kind == INFINITE) {
        fp->flags |= REF_NV;
        return is_nan(a) || !a.sign ? largest : smallest;
    }
    if (a.kind == ZERO)
        return 0;
    bool inexact = false;
    u128 magnitude = (u128)1 << 64; /* represents any larger number */
    if (a.exp <= 41)
        magnitude = round_shift(fp->rm, a.sign, a.sig, -a.exp, &inexact);
    u128 limit = a.sign ? (is_signed ? (u128)1 << 31 : 0) : largest;
    if (magnitude > limit) {
        fp->flags |= REF_NV;
        return a.sign ? smallest : largest;
    }
    if (inexact)
        fp->flags |= REF_NX;
    return a.sign ? 0u - (uint32_t)magnitude : (uint32_t)magnitude;
}

uint32_t ref_from_int(struct ref_fp *fp, uint32_t a, bool is_signed)
{
    if (a == 0)
        return 0;
    unsigned sign = is_signed && a >> 31;
    return pack(fp, sign, sign ? 0u - a : a, 0);
}

/* The estimates' tables hold the 7 fraction bits of the result for the middle of each of 128
 * input intervals, to nearest (RISC-V V 13.9, 13.10). */
static uint32_t rec7_entry(uint32_t index)
{
    return (uint32_t)lround(65536.0 / (257.0 + 2.0 * index)) - 128;
}

static uint32_t rsqrt7_entry(uint32_t index)
{
    double middle = 1.0 + ((index & 63) + 0.5) / 64.0;
    if (index < 64) /* even biased exponent: the significand counts double */
        middle *= 2.0;
    return (uint32_t)lround(256.0 / sqrt(middle)) - 128;
}

/* Fraction and biased exponent of a finite non-zero float; a subnormal is normalised, with an
 * exponent of 0 or below. */
static uint32_t normalize(uint32_t bits, int *exp)
{
    uint32_t fraction = bits & 0x7fffff;
    *exp = (int)(bits >> 23 & 255);
    if (*exp == 0) {
        *exp = 1;
        while (!(fraction & 0x800000)) {
            fraction <<= 1;
            --*exp;
        }
    }
    return fraction & 0x7fffff;
}

uint32_t ref_rsqrt7(struct ref_fp *fp, uint32_t bits)
{
    struct number a = unpack(bits);
    if (is_nan(a))
        return nan_of(fp, a, a);
    if (a.kind == ZERO) {
        fp->flags |= REF_DZ;
        return infinity(a.sign);
    }
    if (a.sign)
        return invalid(fp);
    if (a.kind == INFINITE)
        return 0;
    int exp;
    uint32_t fraction = normalize(bits, &exp);
    uint32_t index = ((uint32_t)exp & 1) << 6 | fraction >> 17;
    int out = (3 * 127 - 1 - exp) / 2;
    return (uint32_t)out << 23 | rsqrt7_entry(index) << 16;
}

uint32_t ref_rec7(struct ref_fp *fp, uint32_t bits)
{
    struct number a = unpack(bits);
    if (is_nan(a))
        return nan_of(fp, a, a);
    if (a.kind == INFINITE)
        return zero(a.sign);
    if (a.kind == ZERO) {
        fp->flags |= REF_DZ;
        return infinity(a.sign);
    }
    int exp;
    uint32_t fraction = normalize(bits, &exp);
    if (exp < -1) /* below 2^-128: the reciprocal is out of range */
        return overflow(fp, a.sign);
    uint32_t out = rec7_entry(fraction >> 16) << 16;
    int out_exp = 2 * 127 - 1 - exp;
    if (out_exp <= 0) { /* a subnormal result */
        out = (out | 0x800000) >> (1 - out_exp);
        out_exp = 0;
    }
    return a.sign << 31 | (uint32_t)out_exp << 23 | out;
}

uint32_t ref_exp(uint32_t bits)
{
    struct number a = unpack(bits);
    if (is_nan(a))
        return REF_NAN;
    float x;
    memcpy(&x, &bits, sizeof(x));
    double y = exp((double)x);
    if (isinf(y) || y == 0)
        return isinf(y) ? infinity(0) : 0;
    uint64_t wide;
    memcpy(&wide, &y, sizeof(wide));
    struct ref_fp nearest = {REF_RNE, 0};
    u128 sig = wide & 0xfffffffffffffu;
    int field = (int)(wide >> 52);
    if (field)
        sig |= (u128)1 << 52;
    return pack(&nearest, 0, sig, (field ? field : 1) - 1075);
}
