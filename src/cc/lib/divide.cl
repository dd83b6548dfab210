/* SPDX-License-Identifier: Apache-2.0 */
/* Division and conversions of 64-bit integers: the compiler calls them. */

/* high:low / v for high < v, by digits of 16 bits (Knuth, algorithm D). */
static uint sam_digit(uint high, uint digit, uint v, __private uint *rest)
{
    const uint top = v >> 16, low = v & 0xffffu;
    uint q = high / top, r = high - q * top;
    for (int i = 0; i < 2; i++)
        if (r < 0x10000u && (q >= 0x10000u || q * low > (r << 16 | digit))) {
            q--;
            r += top;
        }
    *rest = (high << 16) + digit - q * v;
    return q;
}
static uint sam_divide_long(uint high, uint low, uint v)
{
    const uint shift = __builtin_clz(v);
    const ulong n = ((ulong)high << 32 | low) << shift;
    uint rest;
    const uint q = sam_digit((uint)(n >> 32), (uint)n >> 16, v << shift, &rest);
    return q << 16 | sam_digit(rest, (uint)n & 0xffffu, v << shift, &rest);
}
ulong __samite_udiv64(ulong n, ulong d)
{
    const uint high = (uint)(n >> 32), top = (uint)(d >> 32);
    if (top == 0) {
        const uint v = (uint)d, q = v ? high / v : ~0u;
        return v ? (ulong)q << 32 | sam_divide_long(high - q * v, (uint)n, v) : ~0ul;
    }
    const uint shift = __builtin_clz(top);
    const ulong half_n = n >> 1;
    const uint v = (uint)(d << shift >> 32);
    ulong q = (ulong)sam_divide_long((uint)(half_n >> 32), (uint)half_n, v) << shift >> 31;
    q -= q != 0;
    return q + (n - q * d >= d);
}
ulong __samite_urem64(ulong n, ulong d)
{
    return n - __samite_udiv64(n, d) * d;
}
long __samite_sdiv64(long n, long d)
{
    const ulong q = __samite_udiv64(n < 0 ? -(ulong)n : (ulong)n, d < 0 ? -(ulong)d : (ulong)d);
    return (long)((n ^ d) < 0 ? -q : q);
}
long __samite_srem64(long n, long d)
{
    const ulong r = __samite_urem64(n < 0 ? -(ulong)n : (ulong)n, d < 0 ? -(ulong)d : (ulong)d);
    return (long)(n < 0 ? -r : r);
}

/* The upper 32 bits, the lowest of them set if any bit below is: they round as all 64 would. */
float __samite_u64tof(ulong x)
{
    const uint high = (uint)(x >> 32), low = (uint)x;
    if (high == 0)
        return (float)low;
    const uint shift = __builtin_clz(high);
    const ulong y = x << shift;
    return (float)((uint)(y >> 32) | ((uint)y != 0)) * as_float((32 - shift + 127) << 23);
}
float __samite_i64tof(long x)
{
    const float size = __samite_u64tof(x < 0 ? -(ulong)x : (ulong)x);
    return x < 0 ? -size : size;
}
/* Saturating; a NaN gives the largest. */
ulong __samite_ftou64(float x)
{
    if (x < 0x1p32f)
        return __samite_ftou_rtz(x);
    const uint bits = as_uint(x);
    return x < 0x1p64f ? (ulong)((bits & 0x7fffffu) | 0x800000u) << ((bits >> 23) - 150) : ~0ul;
}
long __samite_ftoi64(float x)
{
    if (!(x < 0x1p63f && x > -0x1p63f))
        return x <= -0x1p63f ? LONG_MIN : LONG_MAX;
    const ulong size = __samite_ftou64(x < 0 ? -x : x);
    return (long)(x < 0 ? -size : size);
}
