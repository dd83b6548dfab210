/* SPDX-License-Identifier: Apache-2.0 */
/* vload and vstore, also of halves. */

#define SAM_ELEMENT_TYPES(M, ...) \
    M(char, __VA_ARGS__) M(uchar, __VA_ARGS__) M(short, __VA_ARGS__) M(ushort, __VA_ARGS__) M(int, __VA_ARGS__) \
    M(uint, __VA_ARGS__) M(long, __VA_ARGS__) M(ulong, __VA_ARGS__) M(float, __VA_ARGS__)

/* By element, since p is aligned to no more than one. */
#define SAM_VLOAD(N, T, S) \
    T##N SAM_OVER vload##N(size_t at, const S T *p) \
    { T##N x; for (uint i = 0; i < N; i++) x[i] = p[at * N + i]; return x; }
#define SAM_VSTORE(N, T, S) \
    void SAM_OVER vstore##N(T##N x, size_t at, S T *p) \
    { for (uint i = 0; i < N; i++) p[at * N + i] = x[i]; }
#define SAM_VLOADS(T, S) SAM_WIDTHS(SAM_VLOAD, T, S)
#define SAM_VSTORES(T, S) SAM_WIDTHS(SAM_VSTORE, T, S)
SAM_ELEMENT_TYPES(SAM_VLOADS, __global) SAM_ELEMENT_TYPES(SAM_VLOADS, __local)
SAM_ELEMENT_TYPES(SAM_VLOADS, __constant) SAM_ELEMENT_TYPES(SAM_VLOADS, __private)
SAM_ELEMENT_TYPES(SAM_VLOADS, __generic)
SAM_ELEMENT_TYPES(SAM_VSTORES, __global) SAM_ELEMENT_TYPES(SAM_VSTORES, __local)
SAM_ELEMENT_TYPES(SAM_VSTORES, __private) SAM_ELEMENT_TYPES(SAM_VSTORES, __generic)

/* --- halves, of which only storage exists */
static float sam_from_half(ushort half_bits)
{
    const uint size = half_bits & 0x7fffu, sign = (uint)(half_bits & 0x8000u) << 16;
    const uint bits = size >= 0x7c00u ? size << 13 | 0x7f800000u : as_uint(as_float(size << 13) * 0x1p112f);
    return as_float(bits | sign);
}
enum sam_rounding { SAM_NEAREST, SAM_TO_ZERO, SAM_UP, SAM_DOWN };
static ushort sam_to_half(float x, enum sam_rounding mode)
{
    const uint size = as_uint(x) & 0x7fffffffu, sign = as_uint(x) >> 31, exponent = size >> 23;
    if (size >= 0x7f800000u)
        return (ushort)(sign << 15 | 0x7c00u | (size > 0x7f800000u ? 0x200u | (size >> 13 & 0x3ffu) : 0));
    uint kept, rest; /* of the significand; rest: the bits that go, from bit 31 down */
    if (size >= 0x47800000u) {
        kept = 0x7bff;
        rest = ~0u;
    } else if (exponent >= 113) {
        kept = (size - (112u << 23)) >> 13;
        rest = size << 19;
    } else {
        const uint m = (size & 0x7fffffu) | (exponent ? 0x800000u : 0);
        const uint shift = exponent < 95 ? 31 : 126 - exponent;
        kept = m >> shift;
        rest = m << (32 - shift);
    }
    const bool more = mode == SAM_NEAREST ? rest > 0x80000000u || (rest == 0x80000000u && (kept & 1))
                      : mode == SAM_UP    ? rest && !sign
                                          : mode == SAM_DOWN && rest && sign;
    return (ushort)(sign << 15 | (kept + more));
}
#define SAM_LOAD_HALF(S) \
    float SAM_OVER vload_half(size_t at, const S half *p) { return sam_from_half(((const S ushort *)p)[at]); } \
    SAM_WIDTHS(SAM_LOAD_HALVES, S)
/* vloada_half3 steps by four. */
#define SAM_LOAD_HALVES(N, S) \
    float##N SAM_OVER vload_half##N(size_t at, const S half *p) \
    { float##N x; for (uint i = 0; i < N; i++) x[i] = vload_half(at * N + i, p); return x; } \
    float##N SAM_OVER vloada_half##N(size_t at, const S half *p) \
    { float##N x; for (uint i = 0; i < N; i++) x[i] = vload_half(at * (N == 3 ? 4 : N) + i, p); return x; }
SAM_LOAD_HALF(__global) SAM_LOAD_HALF(__local) SAM_LOAD_HALF(__constant) SAM_LOAD_HALF(__private)
SAM_LOAD_HALF(__generic)
#define SAM_STORE_HALF(S, SUFFIX, MODE) \
    void SAM_OVER vstore_half##SUFFIX(float x, size_t at, S half *p) { ((S ushort *)p)[at] = sam_to_half(x, MODE); } \
    SAM_WIDTHS(SAM_STORE_HALVES, S, SUFFIX)
#define SAM_STORE_HALVES(N, S, SUFFIX) \
    void SAM_OVER vstore_half##N##SUFFIX(float##N x, size_t at, S half *p) \
    { for (uint i = 0; i < N; i++) vstore_half##SUFFIX(x[i], at * N + i, p); } \
    void SAM_OVER vstorea_half##N##SUFFIX(float##N x, size_t at, S half *p) \
    { for (uint i = 0; i < N; i++) vstore_half##SUFFIX(x[i], at * (N == 3 ? 4 : N) + i, p); }
#define SAM_STORE_HALF_MODES(S) \
    SAM_STORE_HALF(S, , SAM_NEAREST) SAM_STORE_HALF(S, _rte, SAM_NEAREST) SAM_STORE_HALF(S, _rtz, SAM_TO_ZERO) \
    SAM_STORE_HALF(S, _rtp, SAM_UP) SAM_STORE_HALF(S, _rtn, SAM_DOWN)
SAM_STORE_HALF_MODES(__global) SAM_STORE_HALF_MODES(__local) SAM_STORE_HALF_MODES(__private)
SAM_STORE_HALF_MODES(__generic)
