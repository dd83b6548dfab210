/* SPDX-License-Identifier: Apache-2.0 */
/* Trigonometric functions and their inverses. */
#pragma OPENCL FP_CONTRACT OFF

/* The bits of 2 / pi after the binary point, as far as a float's exponent reaches; before them 32
 * zeros. */
static __constant uint sam_2_pi[] = {0,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                     0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};

/* x - n pi / 2 for large x, |x| = m 2^e: m times those 96 bits of 2 / pi that decide n mod 4 and
 * the fraction (Payne and Hanek). */
static float2 sam_reduce_large(float x, __private int *n)
{
    const uint bits = as_uint(x) & 0x7fffffffu, at = (bits >> 23) - 150 + 30;
    const uint m = (bits & 0x7fffffu) | 0x800000u, shift = at & 31;
    uint window[3];
    for (uint i = 0; i < 3; i++) {
        const uint index = (at >> 5) + i;
        window[i] = sam_2_pi[index] << shift | (sam_2_pi[index + 1] >> 1) >> (31 - shift);
    }
    const ulong turns = ((ulong)(m * window[0]) << 32) + (ulong)m * window[1] +
                        __samite_mulhu(m, window[2]); /* in units of 2^-62 quarters */
    *n = (int)(uint)((turns >> 62) + ((turns >> 61) & 1));
    const long signed_part = (long)(turns << 2);
    ulong part = signed_part < 0 ? -(ulong)signed_part : (ulong)signed_part;
    const int zeros = (uint)(part >> 32) ? (int)__builtin_clz((uint)(part >> 32)) : 32;
    part <<= zeros;
    const float scale = sam_two_to(-24 - zeros);
    const float2 quarters = (float2)((float)(uint)(part >> 40) * scale,
                                     (float)((uint)(part >> 16) & 0xffffffu) * (scale * 0x1p-24f));
    const float2 r = sam_product(quarters, SAM_PI * 0.5f);
    const bool minus = (signed_part < 0) != (x < 0);
    *n = x < 0 ? -*n : *n;
    return minus ? -r : r;
}

/* x less the nearest multiple n of pi / 2. */
static float2 sam_reduce(float x, __private int *n)
{
    if (!(sam_abs(x) < SAM_INF))
        return (float2)(SAM_NAN, 0);
    if (sam_abs(x) > 0x1p15f)
        return sam_reduce_large(x, n);
    *n = __samite_ftoi_rte(x * 0x1.45f306p-1f);
    /* Three parts of pi / 2; the first difference is exact. */
    const float k = (float)*n, first = sam_fma(-k, 0x1.921fb6p+0f, x);
    const float p = k * -0x1.777a5cp-25f, p_low = sam_fma(k, -0x1.777a5cp-25f, -p);
    const float high = first - p, back = high - first;
    const float low = (first - (high - back)) - (p + back);
    return sam_sum(high, low - p_low + k * 0x1.ee59dap-50f);
}

/* Sine and cosine of a pair within pi / 4. */
static float sam_sin_of(float2 r)
{
    const float z = r.x * r.x;
    return r.x + sam_fma(r.x * z, SAM_POLY4(z, -0.16666666664f, 0.0083333318747f, -0.00019840086735f,
                                            2.7249925803e-6f), r.y);
}
static float sam_cos_of(float2 r)
{
    const float z = r.x * r.x, half_z = 0.5f * z, high = 1 - half_z;
    return high + (sam_fma(z * z, SAM_POLY3(z, 0.04166666466f, -0.0013888303036f, 2.4547942085e-5f),
                           -r.x * r.y) + ((1 - high) - half_z));
}
/* The sine n quarters of a turn further. */
static float sam_sin_quarter(float2 r, int n)
{
    const float y = n & 1 ? sam_cos_of(r) : sam_sin_of(r);
    return n & 2 ? -y : y;
}

float SAM_OVER sin(float x)
{
    int n = 0;
    const float2 r = sam_reduce(x, &n);
    return x == 0 ? x : sam_sin_quarter(r, n);
}
float SAM_OVER cos(float x)
{
    int n = 0;
    const float2 r = sam_reduce(x, &n);
    return sam_sin_quarter(r, n + 1);
}
static float sam_sincos(float x, __private float *cosine)
{
    int n = 0;
    const float2 r = sam_reduce(x, &n);
    *cosine = sam_sin_quarter(r, n + 1);
    return x == 0 ? x : sam_sin_quarter(r, n);
}
float SAM_OVER tan(float x)
{
    int n = 0;
    const float2 r = sam_reduce(x, &n);
    const float s = sam_sin_of(r), c = sam_cos_of(r);
    return x == 0 ? x : n & 1 ? -c / s : s / c;
}

/* pi x less the nearest multiple n of pi / 2, n from -2 to 2. */
static float2 sam_reduce_pi(float x, __private int *n)
{
    const float turn = x - 2 * sam_rint(0.5f * x);
    *n = __samite_ftoi_rte(2 * turn);
    return sam_product((float2)(turn - 0.5f * (float)*n, 0), SAM_PI);
}
float SAM_OVER sinpi(float x)
{
    int n;
    const float2 r = sam_reduce_pi(x, &n);
    const float y = sam_sin_quarter(r, n);
    return y == 0 ? sam_with_sign(y, x) : y;
}
float SAM_OVER cospi(float x)
{
    int n;
    const float2 r = sam_reduce_pi(x, &n);
    return sam_sin_quarter(r, n + 1) + 0.f; /* no -0 */
}
float SAM_OVER tanpi(float x)
{
    int n;
    const float2 r = sam_reduce_pi(x, &n);
    const float s = sam_sin_of(r), c = sam_cos_of(r);
    if (s == 0)
        return n & 1 ? sam_with_sign(SAM_INF, (float)n) : sam_with_sign(0, n ? -x : x);
    return n & 1 ? -c / s : s / c;
}

/* (asin x - x) / x^3 of z = x^2 up to 1 / 4. */
static float sam_asin_series(float z)
{
    return SAM_POLY6(z, 0.16666666337f, 0.075000945435f, 0.044599401529f, 0.031100662735f,
                     0.017149238358f, 0.033690847203f);
}
/* The acosine of |x| from 1 / 2 on: 2 asin(sqrt((1 - |x|) / 2)). */
static float2 sam_acos_large(float x)
{
    const float z = 0.5f - 0.5f * sam_abs(x), s = __samite_sqrt(z);
    const float low = z > 0 ? sam_fma(-s, s, z) / (2 * s) : 0;
    return sam_sum(2 * s, 2 * sam_fma(s * z, sam_asin_series(z), low));
}
/* pi / 2 - r, or pi - r. */
static float2 sam_from_pi(float part, float2 r)
{
    const float2 sum = sam_sum(part * SAM_PI.x, -r.x);
    return sam_sum(sum.x, sum.y + (part * SAM_PI.y - r.y));
}
static float2 sam_asin(float x)
{
    const float z = x * x;
    if (!(sam_abs(x) > 0.5f))
        return sam_sum(x, x * z * sam_asin_series(z));
    const float2 r = sam_from_pi(0.5f, sam_acos_large(x));
    return x < 0 ? -r : r;
}
static float2 sam_acos(float x)
{
    if (!(sam_abs(x) > 0.5f))
        return sam_from_pi(0.5f, sam_asin(x));
    const float2 r = sam_acos_large(x);
    return x < 0 ? sam_from_pi(1, r) : r;
}
/* The angle of the point (x, y). */
static float2 sam_atan(float y, float x)
{
    const float across = sam_abs(x), up = sam_abs(y);
    const bool steep = up > across;
    const float small = steep ? across : up, large = steep ? up : across;
    const float ratio = small == large ? small == 0 ? 0 : 1 : small / large;
    const bool wide = ratio > 0.41421357f;
    /* atan q = pi / 4 + atan((q - 1) / (q + 1)) */
    const float t = wide ? (ratio - 1) / (ratio + 1) : ratio;
    const float z = t * t;
    const float tail = t * z * SAM_POLY5(z, -0.3333333176f, 0.19999540217f, -0.14263946358f,
                                         0.10743631627f, -0.06451597259f);
    float eighths = wide ? 1 : 0; /* of a turn */
    bool minus = false;
    if (steep) {
        eighths = 2 - eighths;
        minus = true;
    }
    if (as_int(x) < 0) {
        eighths = 4 - eighths;
        minus = !minus;
    }
    const float base = eighths * (0.25f * SAM_PI.x);
    const float base_low = sam_fma(eighths, 0.25f * SAM_PI.x, -base) + eighths * (0.25f * SAM_PI.y);
    const float2 sum = sam_sum(base, minus ? -t : t);
    const float2 r = sam_sum(sum.x, sum.y + ((minus ? -tail : tail) + base_low));
    return as_int(y) < 0 ? -r : r;
}
static float sam_radians(float2 r) { return r.x + r.y; }
static float sam_half_turns(float2 r)
{
    const float2 turns = sam_product(r, SAM_1_PI);
    return sam_with_sign(turns.x + turns.y, r.x); /* also of what underflows */
}

float SAM_OVER asin(float x) { return sam_radians(sam_asin(x)); }
float SAM_OVER acos(float x) { return sam_radians(sam_acos(x)); }
float SAM_OVER atan(float x) { return sam_radians(sam_atan(x, 1)); }
float SAM_OVER atan2(float y, float x) { return sam_radians(sam_atan(y, x)); }
float SAM_OVER asinpi(float x) { return sam_half_turns(sam_asin(x)); }
float SAM_OVER acospi(float x) { return sam_half_turns(sam_acos(x)); }
float SAM_OVER atanpi(float x) { return sam_half_turns(sam_atan(x, 1)); }
float SAM_OVER atan2pi(float y, float x) { return sam_half_turns(sam_atan(y, x)); }

SAM_FLOAT1(sin) SAM_FLOAT1(cos) SAM_FLOAT1(tan) SAM_FLOAT1(sinpi) SAM_FLOAT1(cospi) SAM_FLOAT1(tanpi)
SAM_FLOAT1(asin) SAM_FLOAT1(acos) SAM_FLOAT1(atan) SAM_FLOAT1(asinpi) SAM_FLOAT1(acospi) SAM_FLOAT1(atanpi)
SAM_FLOAT2(atan2) SAM_FLOAT2(atan2pi)
SAM_POINTER(sincos, float)
