/* SPDX-License-Identifier: Apache-2.0 */
/* Roots, rounding, remainders, the parts of a float; native_ and half_ functions. */
#pragma OPENCL FP_CONTRACT OFF

float SAM_OVER sqrt(float x) { return __samite_sqrt(x); }
float SAM_OVER rsqrt(float x) { return 1 / __samite_sqrt(x); }
float SAM_OVER cbrt(float x)
{
    const float size = sam_abs(x);
    if (!(size > 0 && size < SAM_INF))
        return x;
    const bool small = size < 0x1p-126f, large = size >= 0x1p126f; /* whose cubes may overflow */
    const float a = small ? size * 0x1p24f : large ? size * 0x1p-24f : size;
    float t = as_float(as_uint(a) / 3 + 0x2a5137a0u);
    for (int i = 0; i < 2; i++)
        t -= (t - a / (t * t)) * (1 / 3.f);
    const float square = t * t, square_low = sam_fma(t, t, -square);
    const float cube = square * t, cube_low = sam_fma(square, t, -cube) + square_low * t;
    t += ((a - cube) - cube_low) / (3 * square);
    return sam_with_sign(small ? t * 0x1p-8f : large ? t * 0x1p8f : t, x);
}
float SAM_OVER hypot(float x, float y)
{
    const float a = sam_abs(x), b = sam_abs(y), large = __builtin_fmaxf(a, b);
    if (a == SAM_INF || b == SAM_INF)
        return SAM_INF;
    const float unit = sam_unit(large), p = a * unit, q = b * unit;
    return __samite_sqrt(sam_fma(p, p, q * q)) * (1 / unit);
}

float SAM_OVER rint(float x) { return sam_rint(x); }
float SAM_OVER trunc(float x) { return sam_trunc(x); }
float SAM_OVER floor(float x) { return sam_with_sign(sam_floor(x), x); }
float SAM_OVER ceil(float x) { return -floor(-x); }
float SAM_OVER round(float x)
{
    const float whole = sam_trunc(x);
    return sam_abs(x - whole) >= 0.5f ? whole + sam_with_sign(1, x) : whole;
}
float SAM_OVER fabs(float x) { return sam_abs(x); }
float SAM_OVER fmin(float x, float y) { return __builtin_fminf(x, y); }
float SAM_OVER fmax(float x, float y) { return __builtin_fmaxf(x, y); }
float SAM_OVER fma(float x, float y, float z) { return sam_fma(x, y, z); }
float SAM_OVER mad(float x, float y, float z) { return sam_fma(x, y, z); }
float SAM_OVER copysign(float x, float y) { return sam_with_sign(x, y); }
float SAM_OVER fdim(float x, float y) { return x > y ? x - y : sam_is_nan(x - y) && x != y ? x + y : 0; }
float SAM_OVER maxmag(float x, float y)
{
    return sam_abs(x) > sam_abs(y) ? x : sam_abs(y) > sam_abs(x) ? y : fmax(x, y);
}
float SAM_OVER minmag(float x, float y)
{
    return sam_abs(x) < sam_abs(y) ? x : sam_abs(y) < sam_abs(x) ? y : fmin(x, y);
}
float SAM_OVER nan(uint code) { return as_float(code | 0x7fc00000u); }
float SAM_OVER nextafter(float x, float y)
{
    if (sam_is_nan(x) || sam_is_nan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return sam_with_sign(0x1p-149f, y);
    return as_float(as_uint(x) + ((x < y) == (x > 0) ? 1 : -1));
}

float SAM_OVER ldexp(float x, int n) { return sam_scale(x, n); }
static float sam_frexp(float x, __private int *exponent)
{
    const float scaled = sam_abs(x) < 0x1p-126f ? x * 0x1p24f : x;
    const bool plain = x != 0 && sam_abs(x) < SAM_INF;
    *exponent = plain ? (int)(as_uint(scaled) >> 23 & 255) - 126 - (scaled == x ? 0 : 24) : 0;
    return plain ? as_float((as_uint(scaled) & 0x807fffffu) | 0x3f000000u) : x;
}
int SAM_OVER ilogb(float x)
{
    int exponent;
    sam_frexp(x, &exponent);
    return x == 0 ? FP_ILOGB0 : sam_is_nan(x) ? FP_ILOGBNAN : sam_abs(x) == SAM_INF ? INT_MAX : exponent - 1;
}
float SAM_OVER logb(float x)
{
    return x == 0 ? -SAM_INF : sam_abs(x) < SAM_INF ? (float)ilogb(x) : x * x;
}
static float sam_modf(float x, __private float *whole)
{
    *whole = sam_trunc(x);
    return sam_with_sign(sam_abs(x) == SAM_INF ? 0 : x - *whole, x);
}
static float sam_fract(float x, __private float *whole)
{
    *whole = floor(x);
    const float part = x - *whole;
    if (sam_abs(x) == SAM_INF || x == 0)
        return sam_with_sign(0, x);
    return part >= 1 ? 0x1.fffffep-1f : part;
}

/* |x| modulo |y| for finite x and y != 0, and the quotient modulo 2^32: division of the
 * significands, eight bits of the quotient at a time. */
static float sam_divide(float x, float y, __private uint *quotient)
{
    int at, to;
    uint m = (uint)(sam_frexp(sam_abs(x), &at) * 0x1p24f);
    const uint n = (uint)(sam_frexp(sam_abs(y), &to) * 0x1p24f);
    *quotient = 0;
    if (sam_abs(x) < sam_abs(y) || sam_abs(y) == SAM_INF)
        return sam_abs(x);
    *quotient = m / n;
    m %= n;
    for (int left = at - to; left > 0; left -= 8) {
        const uint bits = left < 8 ? (uint)left : 8;
        m <<= bits;
        *quotient = *quotient << bits | m / n;
        m %= n;
    }
    return sam_scale((float)m, to - 24);
}
static bool sam_divides(float x, float y) { return sam_abs(x) < SAM_INF && y != 0 && !sam_is_nan(y); }
float SAM_OVER fmod(float x, float y)
{
    uint quotient;
    return sam_divides(x, y) ? sam_with_sign(sam_divide(x, y, &quotient), x) : SAM_NAN;
}
static float sam_remquo(float x, float y, __private int *quotient)
{
    uint count;
    *quotient = 0;
    if (!sam_divides(x, y))
        return SAM_NAN;
    const float size = sam_abs(y);
    float rest = sam_divide(x, y, &count);
    /* 2 rest > size, or a tie with an odd quotient; neither side rounds */
    const float other = size - rest;
    if (rest > other || (rest == other && (count & 1))) {
        rest = rest - size;
        count++;
    }
    *quotient = (int)(count & 127);
    if ((as_int(x) ^ as_int(y)) < 0)
        *quotient = -*quotient;
    return as_float(as_uint(rest) ^ (as_uint(x) & 0x80000000u));
}
float SAM_OVER remainder(float x, float y)
{
    int quotient;
    return sam_remquo(x, y, &quotient);
}

/* remquo has two arguments before its pointer. */
#define SAM_REMQUO_EACH(N, S) \
    float##N SAM_OVER remquo(float##N x, float##N y, S int##N *p) \
    { float##N r; int##N b; int q; \
      _Pragma("unroll") for (uint i = 0; i < N; i++) { r[i] = sam_remquo(x[i], y[i], &q); b[i] = q; } *p = b; return r; }
#define SAM_REMQUO(S) \
    float SAM_OVER remquo(float x, float y, S int *p) { int q; const float r = sam_remquo(x, y, &q); *p = q; return r; } \
    SAM_WIDTHS(SAM_REMQUO_EACH, S)
SAM_REMQUO(__private) SAM_REMQUO(__local) SAM_REMQUO(__global) SAM_REMQUO(__generic)

SAM_FLOAT1(sqrt) SAM_FLOAT1(rsqrt) SAM_FLOAT1(cbrt) SAM_FLOAT2(hypot)
SAM_FLOAT1(rint) SAM_FLOAT1(trunc) SAM_FLOAT1(floor) SAM_FLOAT1(ceil) SAM_FLOAT1(round) SAM_FLOAT1(fabs)
SAM_FLOAT2(fmin) SAM_FLOAT2(fmax) SAM_FLOAT2(copysign) SAM_FLOAT2(fdim)
SAM_FLOAT2(maxmag) SAM_FLOAT2(minmag) SAM_FLOAT2(nextafter) SAM_FLOAT2(fmod) SAM_FLOAT2(remainder)
SAM_VECTOR3(fma, float, float, float, float) SAM_VECTOR3(mad, float, float, float, float)
SAM_VECTOR1(nan, float, uint) SAM_VECTOR1(ilogb, int, float) SAM_FLOAT1(logb)
SAM_VECTOR2(ldexp, float, float, int) SAM_VECTOR_SCALAR(ldexp, float, int)
SAM_VECTOR_SCALAR(fmin, float, float) SAM_VECTOR_SCALAR(fmax, float, float)
SAM_POINTER(frexp, int) SAM_POINTER(modf, float) SAM_POINTER(fract, float)

/* log2 of a positive, normal float: the exponent, and the series of atanh of m around 1. */
static float sam_native_log2(float x)
{
    const uint bits = as_uint(x) - 0x3f3504f3u;
    const float m = as_float((bits & 0x7fffffu) + 0x3f3504f3u), s = (m - 1) / (m + 1), z = s * s;
    return sam_fma(s, SAM_POLY3(z, 2.88539008f, 0.961800f, 0.598f), (float)((int)bits >> 23));
}
/* half_ (8192 ulp) and native_ functions: the shortest ways, for ordinary arguments. */
#define SAM_FAST1(F, X) \
    float SAM_OVER native_##F(float x) { return X; } SAM_FLOAT1(native_##F) \
    float SAM_OVER half_##F(float x) { return F(x); } SAM_FLOAT1(half_##F)
SAM_FAST1(sqrt, __samite_sqrt(x))
SAM_FAST1(rsqrt, 1 / __samite_sqrt(x))
SAM_FAST1(exp, __samite_exp(x))
SAM_FAST1(exp2, __samite_exp(x * SAM_LN2.x))
SAM_FAST1(exp10, __samite_exp(x * SAM_LN10.x))
SAM_FAST1(log, sam_native_log2(x) * SAM_LN2.x)
SAM_FAST1(log2, sam_native_log2(x))
SAM_FAST1(log10, sam_native_log2(x) * 0x1.344136p-2f)
SAM_FAST1(sin, sin(x))
SAM_FAST1(cos, cos(x))
SAM_FAST1(tan, tan(x))
#define SAM_FAST2(F, X, H) \
    float SAM_OVER native_##F(float x, float y) { return X; } SAM_FLOAT2(native_##F) \
    float SAM_OVER half_##F(float x, float y) { return H; } SAM_FLOAT2(half_##F)
SAM_FAST2(divide, x / y, x / y)
SAM_FAST2(powr, __samite_exp(y * native_log(x)), powr(x, y))
float SAM_OVER native_recip(float x) { return 1 / x; }
float SAM_OVER half_recip(float x) { return 1 / x; }
SAM_FLOAT1(native_recip) SAM_FLOAT1(half_recip)
