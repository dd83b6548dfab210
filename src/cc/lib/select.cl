/* SPDX-License-Identifier: Apache-2.0 */
/* select, bitselect, any, all, shuffle. */

#define SAM_SELECT_(N, T, C) T##N SAM_OVER select(T##N x, T##N y, C##N c) { return c ? y : x; }
#define SAM_SELECT(T, S, U) SAM_SIZES(SAM_SELECT_, T, S) SAM_SELECT_(, T, U) SAM_WIDTHS(SAM_SELECT_UNSIGNED, T, S, U)
#define SAM_SELECT_UNSIGNED(N, T, S, U) T##N SAM_OVER select(T##N x, T##N y, U##N c) { return as_##S##N(c) ? y : x; }
SAM_SELECT(char, char, uchar) SAM_SELECT(uchar, char, uchar)
SAM_SELECT(short, short, ushort) SAM_SELECT(ushort, short, ushort)
SAM_SELECT(int, int, uint) SAM_SELECT(uint, int, uint) SAM_SELECT(float, int, uint)
SAM_SELECT(long, long, ulong) SAM_SELECT(ulong, long, ulong)

#define SAM_BITSELECT(T, S, U, BITS, MIN, MAX, _) SAM_SIZES(SAM_BITSELECT_, T)
#define SAM_BITSELECT_(N, T) T##N SAM_OVER bitselect(T##N x, T##N y, T##N c) { return (x & ~c) | (y & c); }
SAM_INTEGERS(SAM_BITSELECT, )
#define SAM_BITSELECT_FLOAT(N, _) \
    float##N SAM_OVER bitselect(float##N x, float##N y, float##N c) \
    { return as_float##N(bitselect(as_uint##N(x), as_uint##N(y), as_uint##N(c))); }
SAM_SIZES(SAM_BITSELECT_FLOAT, )

/* any and all of the top bits */
#define SAM_ANY_ALL(F, O, T) \
    int SAM_OVER F(T x) { return x < 0; } \
    int SAM_OVER F(T##2 x) { return F((T)(x.x O x.y)); } \
    int SAM_OVER F(T##3 x) { return F((T)(x.x O x.y O x.z)); } \
    int SAM_OVER F(T##4 x) { return F(x.lo O x.hi); } \
    int SAM_OVER F(T##8 x) { return F(x.lo O x.hi); } \
    int SAM_OVER F(T##16 x) { return F(x.lo O x.hi); }
SAM_ANY_ALL(any, |, char) SAM_ANY_ALL(any, |, short) SAM_ANY_ALL(any, |, int) SAM_ANY_ALL(any, |, long)
SAM_ANY_ALL(all, &, char) SAM_ANY_ALL(all, &, short) SAM_ANY_ALL(all, &, int) SAM_ANY_ALL(all, &, long)

/* The elements that the mask's lower bits name. */
#define SAM_SHUFFLE(N, T, U, M) \
    T##N SAM_OVER shuffle(T##M x, U##N mask) \
    { T##N y; for (uint i = 0; i < N; i++) y[i] = x[mask[i] & (M - 1)]; return y; } \
    T##N SAM_OVER shuffle2(T##M a, T##M b, U##N mask) \
    { T##N y; \
      for (uint i = 0; i < N; i++) { const uint at = mask[i] & (2 * M - 1); y[i] = at < M ? a[at] : b[at - M]; } \
      return y; }
#define SAM_SHUFFLES(T, U) \
    SAM_SHUFFLE_EACH(T, U, 2) SAM_SHUFFLE_EACH(T, U, 4) SAM_SHUFFLE_EACH(T, U, 8) SAM_SHUFFLE_EACH(T, U, 16)
#define SAM_SHUFFLE_EACH(T, U, M) \
    SAM_SHUFFLE(2, T, U, M) SAM_SHUFFLE(4, T, U, M) SAM_SHUFFLE(8, T, U, M) SAM_SHUFFLE(16, T, U, M)
SAM_SHUFFLES(char, uchar) SAM_SHUFFLES(uchar, uchar) SAM_SHUFFLES(short, ushort) SAM_SHUFFLES(ushort, ushort)
SAM_SHUFFLES(int, uint) SAM_SHUFFLES(uint, uint) SAM_SHUFFLES(float, uint)
SAM_SHUFFLES(long, ulong) SAM_SHUFFLES(ulong, ulong)
