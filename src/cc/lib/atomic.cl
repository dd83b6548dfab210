/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic functions on 32-bit integers, under the names of 1.0 (atom_) and 1.1 (atomic_). */
#define SAM_WORDS_AT(S, p) ((volatile S uint *)(p))
#define SAM_A2_(F, T, S, X) T SAM_OVER F(volatile S T *p, T x) { return (T)X; }
#define SAM_A2(F, T, S, X) SAM_A2_(atomic_##F, T, S, X) SAM_A2_(atom_##F, T, S, X)
#define SAM_A1_(F, T, S, X) T SAM_OVER F(volatile S T *p) { return (T)X; }
#define SAM_A1(F, T, S, X) SAM_A1_(atomic_##F, T, S, X) SAM_A1_(atom_##F, T, S, X)
#define SAM_AX(F, T, S, s) \
    T SAM_OVER F(volatile S T *p, T expected, T x) \
    { return (T)__samite_atomic_cmpxchg_##s(SAM_WORDS_AT(S, p), (uint)expected, (uint)x); }
#define SAM_ATOMICS(T, min_, max_, S, s) \
    SAM_A2(add, T, S, __samite_atomic_add_##s(SAM_WORDS_AT(S, p), (uint)x)) \
    SAM_A2(sub, T, S, __samite_atomic_add_##s(SAM_WORDS_AT(S, p), 0u - (uint)x)) \
    SAM_A2(xchg, T, S, __samite_atomic_xchg_##s(SAM_WORDS_AT(S, p), (uint)x)) \
    SAM_A2(and, T, S, __samite_atomic_and_##s(SAM_WORDS_AT(S, p), (uint)x)) \
    SAM_A2(or, T, S, __samite_atomic_or_##s(SAM_WORDS_AT(S, p), (uint)x)) \
    SAM_A2(xor, T, S, __samite_atomic_xor_##s(SAM_WORDS_AT(S, p), (uint)x)) \
    SAM_A2(min, T, S, __samite_atomic_##min_##_##s(SAM_WORDS_AT(S, p), (uint)x)) \
    SAM_A2(max, T, S, __samite_atomic_##max_##_##s(SAM_WORDS_AT(S, p), (uint)x)) \
    SAM_A1(inc, T, S, __samite_atomic_add_##s(SAM_WORDS_AT(S, p), 1u)) \
    SAM_A1(dec, T, S, __samite_atomic_add_##s(SAM_WORDS_AT(S, p), ~0u)) \
    SAM_AX(atomic_cmpxchg, T, S, s) SAM_AX(atom_cmpxchg, T, S, s)
#define SAM_ATOMIC_SPACE(S, s) \
    SAM_ATOMICS(int, min, max, S, s) SAM_ATOMICS(uint, minu, maxu, S, s) \
    float SAM_OVER atomic_xchg(volatile S float *p, float x) \
    { return as_float(__samite_atomic_xchg_##s(SAM_WORDS_AT(S, p), as_uint(x))); }
SAM_ATOMIC_SPACE(__global, g) SAM_ATOMIC_SPACE(__local, l)
