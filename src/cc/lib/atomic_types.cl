/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic functions on the atomic types of OpenCL C 2.0. All orders and scopes are sequential
 * consistency on the device: memory operations of a work-item take effect in program order. */
#define SAM_AT(p) ((volatile __global uint *)(size_t)(p)) /* one instruction for all spaces */
/* A function, and its forms with an order, with an order and a scope. */
#define SAM_ORDERED(R, F, PARAMETERS, ARGUMENTS, ...) \
    R SAM_OVER F(SAM_UNPACK PARAMETERS) { __VA_ARGS__ } \
    R SAM_OVER F##_explicit(SAM_UNPACK PARAMETERS, memory_order order) { return F ARGUMENTS; } \
    R SAM_OVER F##_explicit(SAM_UNPACK PARAMETERS, memory_order order, memory_scope scope) { return F ARGUMENTS; }
#define SAM_UNPACK(...) __VA_ARGS__
#define SAM_FETCH_(F, A, T, S, X) SAM_ORDERED(T, atomic_##F, (volatile S A *p, T x), (p, x), return SAM_FROM_##T(X);)
#define SAM_FETCH(F, op, A, T, S) SAM_FETCH_(F, A, T, S, __samite_atomic_##op##_g(SAM_AT(p), SAM_TO_##T(x)))
#define SAM_TO_int(x) ((uint)(x))
#define SAM_TO_uint(x) (x)
#define SAM_TO_float(x) as_uint(x)
#define SAM_FROM_int(x) ((int)(x))
#define SAM_FROM_uint(x) (x)
#define SAM_FROM_float(x) as_float(x)

/* For an exchange that succeeds or fails: two orders. */
#define SAM_EXCHANGES(F, A, T, S, E) \
    bool SAM_OVER F(volatile S A *p, E T *expected, T x) \
    { \
        const uint want = SAM_TO_##T(*expected); \
        const uint found = __samite_atomic_cmpxchg_g(SAM_AT(p), want, SAM_TO_##T(x)); \
        *expected = SAM_FROM_##T(found); \
        return found == want; \
    } \
    bool SAM_OVER F##_explicit(volatile S A *p, E T *expected, T x, memory_order success, memory_order failure) \
    { return F(p, expected, x); } \
    bool SAM_OVER F##_explicit(volatile S A *p, E T *expected, T x, memory_order success, memory_order failure, \
                               memory_scope scope) { return F(p, expected, x); }
#define SAM_EXCHANGES_OF(A, T, S, E) \
    SAM_EXCHANGES(atomic_compare_exchange_strong, A, T, S, E) SAM_EXCHANGES(atomic_compare_exchange_weak, A, T, S, E)
#define SAM_OBJECT(A, T, S) \
    void SAM_OVER atomic_init(volatile S A *p, T x) { *(volatile S T *)p = x; } \
    SAM_ORDERED(void, atomic_store, (volatile S A *p, T x), (p, x), __samite_fence(); *(volatile S T *)p = x; __samite_fence();) \
    SAM_ORDERED(T, atomic_load, (volatile S A *p), (p), \
                __samite_fence(); const T x = *(volatile S T *)p; __samite_fence(); return x;) \
    SAM_FETCH(exchange, xchg, A, T, S) \
    SAM_EXCHANGES_OF(A, T, S, __global) SAM_EXCHANGES_OF(A, T, S, __local) \
    SAM_EXCHANGES_OF(A, T, S, __private) SAM_EXCHANGES_OF(A, T, S, __generic)
#define SAM_ATOMIC_INTEGER(A, T, min_, max_, S) \
    SAM_OBJECT(A, T, S) \
    SAM_FETCH(fetch_add, add, A, T, S) SAM_FETCH(fetch_or, or, A, T, S) SAM_FETCH(fetch_xor, xor, A, T, S) \
    SAM_FETCH(fetch_and, and, A, T, S) SAM_FETCH(fetch_min, min_, A, T, S) SAM_FETCH(fetch_max, max_, A, T, S) \
    SAM_FETCH_(fetch_sub, A, T, S, __samite_atomic_add_g(SAM_AT(p), 0u - (uint)x))
#define SAM_SPACE(S) \
    SAM_ATOMIC_INTEGER(atomic_int, int, min, max, S) SAM_ATOMIC_INTEGER(atomic_uint, uint, minu, maxu, S) \
    SAM_OBJECT(atomic_float, float, S) \
    SAM_ORDERED(bool, atomic_flag_test_and_set, (volatile S atomic_flag *p), (p), \
                return __samite_atomic_xchg_g(SAM_AT(p), 1u);) \
    SAM_ORDERED(void, atomic_flag_clear, (volatile S atomic_flag *p), (p), \
                __samite_fence(); *(volatile S int *)p = 0; __samite_fence();)
SAM_SPACE(__generic) SAM_SPACE(__global) SAM_SPACE(__local)

void SAM_OVER atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    __samite_fence();
}
