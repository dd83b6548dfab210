/* SPDX-License-Identifier: Apache-2.0 */
/* Integer functions. */

/* M(T, signed, unsigned, bits, least, greatest) for each type. */
#define SAM_INTEGERS(M, ...) \
    M(char, char, uchar, 8, CHAR_MIN, CHAR_MAX, __VA_ARGS__) M(uchar, char, uchar, 8, 0, UCHAR_MAX, __VA_ARGS__) \
    M(short, short, ushort, 16, SHRT_MIN, SHRT_MAX, __VA_ARGS__) M(ushort, short, ushort, 16, 0, USHRT_MAX, __VA_ARGS__) \
    M(int, int, uint, 32, INT_MIN, INT_MAX, __VA_ARGS__) M(uint, int, uint, 32, 0, UINT_MAX, __VA_ARGS__) \
    M(long, long, ulong, 64, LONG_MIN, LONG_MAX, __VA_ARGS__) M(ulong, long, ulong, 64, 0, ULONG_MAX, __VA_ARGS__)

/* The same text for scalars and vectors. A comparison of scalars is 1, of vectors -1: both select. */
#define SAM_INTEGER(N, T, S, U, BITS, MIN, MAX) \
    T##N SAM_OVER max(T##N x, T##N y) { return x < y ? y : x; } \
    T##N SAM_OVER min(T##N x, T##N y) { return y < x ? y : x; } \
    T##N SAM_OVER clamp(T##N x, T##N low, T##N high) { return min(max(x, low), high); } \
    U##N SAM_OVER abs_diff(T##N x, T##N y) \
    { const U##N a = as_##U##N(max(x, y)), b = as_##U##N(min(x, y)); return a - b; } \
    T##N SAM_OVER hadd(T##N x, T##N y) { return (x & y) + ((x ^ y) >> (T##N)1); } \
    T##N SAM_OVER rhadd(T##N x, T##N y) { return (x | y) - ((x ^ y) >> (T##N)1); } \
    T##N SAM_OVER rotate(T##N x, T##N y) \
    { const U##N a = as_##U##N(x), left = as_##U##N(y) & (U##N)(BITS - 1), right = (U##N)(BITS)-left & (U##N)(BITS - 1); \
      const U##N both = a << left | a >> right; return as_##T##N(both); } \
    T##N SAM_OVER mad_hi(T##N x, T##N y, T##N z) { return mul_hi(x, y) + z; }
#define SAM_INTEGER_SIZES(T, S, U, BITS, MIN, MAX, _) SAM_SIZES(SAM_INTEGER, T, S, U, BITS, MIN, MAX)
SAM_INTEGERS(SAM_INTEGER_SIZES, )

#define SAM_SIGNED(N, T, U, MIN, MAX) \
    U##N SAM_OVER abs(T##N x) { const T##N y = x < (T##N)0 ? -x : x; return as_##U##N(y); } \
    U##N SAM_OVER abs(U##N x) { return x; } \
    T##N SAM_OVER add_sat(T##N x, T##N y) \
    { const U##N sum = as_##U##N(x) + as_##U##N(y); const T##N z = as_##T##N(sum); \
      const T##N over = (x ^ z) & (y ^ z); \
      return over < (T##N)0 ? (x < (T##N)0 ? (T##N)MIN : (T##N)MAX) : z; } \
    T##N SAM_OVER sub_sat(T##N x, T##N y) \
    { const U##N less = as_##U##N(x) - as_##U##N(y); const T##N z = as_##T##N(less); \
      const T##N over = (x ^ y) & (x ^ z); \
      return over < (T##N)0 ? (x < (T##N)0 ? (T##N)MIN : (T##N)MAX) : z; } \
    U##N SAM_OVER add_sat(U##N x, U##N y) { const U##N z = x + y; return z < x ? (U##N)-1 : z; } \
    U##N SAM_OVER sub_sat(U##N x, U##N y) { return x < y ? (U##N)0 : (U##N)(x - y); }
SAM_SIZES(SAM_SIGNED, char, uchar, CHAR_MIN, CHAR_MAX)
SAM_SIZES(SAM_SIGNED, short, ushort, SHRT_MIN, SHRT_MAX)
SAM_SIZES(SAM_SIGNED, int, uint, INT_MIN, INT_MAX)
SAM_SIZES(SAM_SIGNED, long, ulong, LONG_MIN, LONG_MAX)

#define SAM_SECOND_SCALAR(T, S, U, BITS, MIN, MAX, _) \
    SAM_VECTOR_SCALAR(max, T, T) SAM_VECTOR_SCALAR(min, T, T) SAM_WIDTHS(SAM_CLAMP_SCALAR, T)
#define SAM_CLAMP_SCALAR(N, T) T##N SAM_OVER clamp(T##N x, T low, T high) { return clamp(x, (T##N)low, (T##N)high); }
SAM_INTEGERS(SAM_SECOND_SCALAR, )

/* --- counts of bits */
#define SAM_COUNTS(T, S, U, BITS, MIN, MAX, _) \
    T SAM_OVER clz(T x) { return (T)(x ? __builtin_clz((uint)(U)x) - (32 - BITS) : BITS); } \
    T SAM_OVER ctz(T x) { return (T)(x ? __builtin_ctz((uint)(U)x) : BITS); } \
    T SAM_OVER popcount(T x) { return (T)__builtin_popcount((uint)(U)x); }
SAM_COUNTS(char, char, uchar, 8, , , ) SAM_COUNTS(uchar, char, uchar, 8, , , )
SAM_COUNTS(short, short, ushort, 16, , , ) SAM_COUNTS(ushort, short, ushort, 16, , , )
SAM_COUNTS(int, int, uint, 32, , , ) SAM_COUNTS(uint, int, uint, 32, , , )
#define SAM_COUNTS_LONG(T) \
    T SAM_OVER clz(T x) { const uint high = (uint)((ulong)x >> 32); return (T)(high ? clz(high) : 32 + clz((uint)x)); } \
    T SAM_OVER ctz(T x) { return (T)((uint)x ? ctz((uint)x) : 32 + ctz((uint)((ulong)x >> 32))); } \
    T SAM_OVER popcount(T x) { return (T)(popcount((uint)x) + popcount((uint)((ulong)x >> 32))); }
SAM_COUNTS_LONG(long) SAM_COUNTS_LONG(ulong)

/* --- products */
#define SAM_PRODUCT(T, W, BITS, MIN, MAX) \
    T SAM_OVER mul_hi(T x, T y) { return (T)((W)x * (W)y >> BITS); } \
    T SAM_OVER mad_sat(T x, T y, T z) \
    { const W sum = (W)x * (W)y + (W)z; return sum < (W)MIN ? MIN : sum > (W)MAX ? MAX : (T)sum; }
SAM_PRODUCT(char, int, 8, CHAR_MIN, CHAR_MAX) SAM_PRODUCT(uchar, uint, 8, 0, UCHAR_MAX)
SAM_PRODUCT(short, int, 16, SHRT_MIN, SHRT_MAX) SAM_PRODUCT(ushort, uint, 16, 0, USHRT_MAX)
SAM_PRODUCT(int, long, 32, INT_MIN, INT_MAX) SAM_PRODUCT(uint, ulong, 32, 0, UINT_MAX)
ulong SAM_OVER mul_hi(ulong x, ulong y)
{
    const ulong xl = (uint)x, xh = x >> 32, yl = (uint)y, yh = y >> 32;
    const ulong middle = xh * yl + (xl * yl >> 32), other = xl * yh + (uint)middle;
    return xh * yh + (middle >> 32) + (other >> 32);
}
long SAM_OVER mul_hi(long x, long y)
{
    return (long)(mul_hi((ulong)x, (ulong)y) - (x < 0 ? (ulong)y : 0) - (y < 0 ? (ulong)x : 0));
}
ulong SAM_OVER mad_sat(ulong x, ulong y, ulong z)
{
    return mul_hi(x, y) ? ULONG_MAX : add_sat(x * y, z);
}
long SAM_OVER mad_sat(long x, long y, long z)
{
    const long high = mul_hi(x, y);
    const ulong low = (ulong)x * (ulong)y, sum = low + (ulong)z;
    /* the 128-bit sum, its upper half */
    const long upper = (long)((ulong)high + (z < 0 ? ~0ul : 0) + (sum < low));
    return upper == (long)sum >> 63 ? (long)sum : upper < 0 ? LONG_MIN : LONG_MAX;
}
#define SAM_ELEMENTS(T, S, U, BITS, MIN, MAX, _) \
    SAM_VECTOR2(mul_hi, T, T, T) SAM_VECTOR3(mad_sat, T, T, T, T) \
    SAM_VECTOR1(clz, T, T) SAM_VECTOR1(ctz, T, T) SAM_VECTOR1(popcount, T, T)
SAM_INTEGERS(SAM_ELEMENTS, )
#define SAM_24(N, T) \
    T##N SAM_OVER mul24(T##N x, T##N y) { return x * y; } \
    T##N SAM_OVER mad24(T##N x, T##N y, T##N z) { return x * y + z; }
SAM_SIZES(SAM_24, int) SAM_SIZES(SAM_24, uint)

#define SAM_UPSAMPLES(T, W, UT, UW, BITS) \
    W SAM_OVER upsample(T high, UT low) { return (W)((UW)(UT)high << BITS | low); } SAM_VECTOR2(upsample, W, T, UT) \
    UW SAM_OVER upsample(UT high, UT low) { return (UW)((UW)high << BITS | low); } SAM_VECTOR2(upsample, UW, UT, UT)
SAM_UPSAMPLES(char, short, uchar, ushort, 8)
SAM_UPSAMPLES(short, int, ushort, uint, 16)
SAM_UPSAMPLES(int, long, uint, ulong, 32)
