/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the functions of floats: vector forms, rounding, scaling, and logarithm and
 * exponential of a float2 (high, low), whose sum has about twice a float's precision. */
#pragma OPENCL FP_CONTRACT OFF

/* M(N) for each width of a vector, and with a leading empty argument for the scalar. */
#define SAM_WIDTHS(M, ...) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define SAM_SIZES(M, ...) M(, __VA_ARGS__) SAM_WIDTHS(M, __VA_ARGS__)

/* F of vectors, element by element: results of type R, parameters of types A, B and C. */
#define SAM_EACH(N, R, X) { R##N r; _Pragma("unroll") for (uint i = 0; i < N; i++) r[i] = X; return r; }
#define SAM_VECTOR1_(N, F, R, A) R##N SAM_OVER F(A##N x) SAM_EACH(N, R, F(x[i]))
#define SAM_VECTOR2_(N, F, R, A, B) R##N SAM_OVER F(A##N x, B##N y) SAM_EACH(N, R, F(x[i], y[i]))
#define SAM_VECTOR3_(N, F, R, A, B, C) R##N SAM_OVER F(A##N x, B##N y, C##N z) SAM_EACH(N, R, F(x[i], y[i], z[i]))
#define SAM_VECTOR1(...) SAM_WIDTHS(SAM_VECTOR1_, __VA_ARGS__)
#define SAM_VECTOR2(...) SAM_WIDTHS(SAM_VECTOR2_, __VA_ARGS__)
#define SAM_VECTOR3(...) SAM_WIDTHS(SAM_VECTOR3_, __VA_ARGS__)
/* The second parameter is a scalar. */
#define SAM_VECTOR_SCALAR_(N, F, R, B) R##N SAM_OVER F(R##N x, B y) { return F(x, (B##N)y); }
#define SAM_VECTOR_SCALAR(F, R, B) SAM_WIDTHS(SAM_VECTOR_SCALAR_, F, R, B)
#define SAM_FLOAT1(F) SAM_VECTOR1(F, float, float)
#define SAM_FLOAT2(F) SAM_VECTOR2(F, float, float, float)

/* A second result of type B, stored through a pointer to any address space. */
#define SAM_POINTER_EACH(N, F, B, S) \
    float##N SAM_OVER F(float##N x, S B##N *p) \
    { float##N r; B##N b; B one; _Pragma("unroll") for (uint i = 0; i < N; i++) { r[i] = sam_##F(x[i], &one); b[i] = one; } *p = b; return r; }
#define SAM_POINTER_(F, B, S) \
    float SAM_OVER F(float x, S B *p) { B second; float first = sam_##F(x, &second); *p = second; return first; } \
    SAM_WIDTHS(SAM_POINTER_EACH, F, B, S)
#define SAM_POINTER(F, B) \
    SAM_POINTER_(F, B, __private) SAM_POINTER_(F, B, __local) SAM_POINTER_(F, B, __global) SAM_POINTER_(F, B, __generic)

#define SAM_INF as_float(0x7f800000u)
#define SAM_NAN as_float(0x7fc00000u)

static float sam_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static float sam_abs(float x) { return as_float(as_uint(x) & 0x7fffffffu); }
static float sam_with_sign(float x, float sign) { return as_float((as_uint(x) & 0x7fffffffu) | (as_uint(sign) & 0x80000000u)); }
static bool sam_is_nan(float x) { return x != x; }
static float sam_two_to(int n) { return as_float((uint)(n + 127) << 23); } /* -126 to 127 */

/* Floats from 2^23 have no fraction; an int holds the others. */
static float sam_whole(float x, int converted) { return sam_abs(x) < 0x1p23f ? sam_with_sign((float)converted, x) : x; }
static float sam_rint(float x) { return sam_whole(x, __samite_ftoi_rte(x)); }
static float sam_trunc(float x) { return sam_whole(x, __samite_ftoi_rtz(x)); }
static float sam_floor(float x)
{
    const float whole = sam_trunc(x);
    return whole > x ? whole - 1 : whole;
}

/* x * 2^n, rounded once: a factor of 2^-102 makes no number subnormal whose result is not zero. */
static float sam_scale(float x, int n)
{
    for (int i = 0; i < 2; i++) {
        const int step = n > 127 ? 127 : n < -126 ? -102 : 0;
        x *= sam_two_to(step);
        n -= step;
    }
    return x * sam_two_to(n > 127 ? 127 : n < -126 ? -126 : n);
}

/* A power of two that brings squares into range: 1 for ordinary sizes. */
static float sam_unit(float largest)
{
    return largest > 0x1p60f ? 0x1p-80f : largest < 0x1p-40f ? 0x1p80f : 1;
}

/* a + b, where a is zero or at least as large as b. */
static float2 sam_sum(float a, float b)
{
    const float sum = a + b;
    return (float2)(sum, b - (sum - a));
}
static float2 sam_product(float2 a, float2 b)
{
    const float high = a.x * b.x;
    return (float2)(high, sam_fma(a.x, b.x, -high) + (a.x * b.y + a.y * b.x));
}

#define SAM_LN2 ((float2)(0x1.62e43p-1f, -0x1.05c61p-29f))
#define SAM_LN10 ((float2)(0x1.26bb1cp+1f, -0x1.12aabap-25f))
#define SAM_LOG2E ((float2)(0x1.715476p+0f, 0x1.4ae0cp-26f))
#define SAM_LOG10E ((float2)(0x1.bcb7b2p-2f, -0x1.5b235ep-27f))
#define SAM_PI ((float2)(0x1.921fb6p+1f, -0x1.777a5cp-24f))
#define SAM_1_PI ((float2)(0x1.45f306p-2f, 0x1.b9391p-27f))

/* e^x * 2^more for the sum x of a pair. */
static float sam_exp_of(float2 x, int more)
{
    const float high = x.x < -400 ? -400 : x.x > 400 ? 400 : x.x;
    const float low = sam_abs(x.x) < 400 ? x.y : 0;
    const int n = __samite_ftoi_rte(high * SAM_LOG2E.x);
    const float rest = sam_fma((float)n, -SAM_LN2.x, high) + (low - (float)n * SAM_LN2.y);
    int scale = n + more;
    scale = scale < -250 ? -250 : scale > 250 ? 250 : scale;
    return __samite_exp(rest) * sam_two_to(scale >> 1) * sam_two_to(scale - (scale >> 1));
}

/* A polynomial of powers ascending, by Horner's rule. */
#define SAM_POLY3(x, a, b, c) sam_fma(x, sam_fma(x, c, b), a)
#define SAM_POLY4(x, a, b, c, d) sam_fma(x, SAM_POLY3(x, b, c, d), a)
#define SAM_POLY5(x, a, b, c, d, e) sam_fma(x, SAM_POLY4(x, b, c, d, e), a)
#define SAM_POLY6(x, a, b, c, d, e, f) sam_fma(x, SAM_POLY5(x, b, c, d, e, f), a)
#define SAM_POLY7(x, a, b, c, d, e, f, g) sam_fma(x, SAM_POLY6(x, b, c, d, e, f, g), a)
#define SAM_POLY8(x, a, b, c, d, e, f, g, h) sam_fma(x, SAM_POLY7(x, b, c, d, e, f, g, h), a)

/* log(x + low) * base for positive finite x, low within an ulp of it; base is log of e, unit of 2 in
 * the base of the logarithm; unit's high part times any exponent is exact. x = 2^k m with m around 1, and
 * log m = 2 atanh(s), s = (m - 1) / (m + 1). */
static float2 sam_log_of(float x, float low, float2 base, float2 unit)
{
    const bool small = x < 0x1p-126f;
    const uint bits = as_uint(small ? x * 0x1p23f : x) - 0x3f3504f3u; /* sqrt(1/2) */
    const float k = (float)(((int)bits >> 23) - (small ? 23 : 0));
    const float m = as_float((bits & 0x7fffffu) + 0x3f3504f3u);
    const float a = m - 1, b = m + 1, b_low = m - (b - 1);
    const float s = a / b, s_low = (sam_fma(-s, b, a) - s * b_low) / b, z = s * s;
    const float series = SAM_POLY4(z, 0.66666666554f, 0.40000122634f, 0.28550730845f, 0.23332912804f);
    const float2 log_m = sam_sum(2 * s, sam_fma(s * z, series, 2 * s_low) + low / x);
    const float2 part = base.x == 1 ? log_m : sam_product(log_m, base);
    const float2 sum = sam_sum(k * unit.x, part.x);
    return sam_sum(sum.x, sum.y + (part.y + k * unit.y));
}
#define SAM_LN_BASE ((float2)(1, 0)), ((float2)(0x1.62ep-1f, 0x1.0bfbe8p-15f))
