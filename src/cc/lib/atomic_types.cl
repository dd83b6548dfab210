/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic functions on the atomic types of OpenCL C 2.0. All orders and scopes are sequential
 * consistency on the device: memory operations of a work-item take effect in program order. */
#define SAM_AT(p) ((volatile __global uint *)(size_t)(p)) /* one instruction for all spaces */
#define SAM_ORDERED(R, name, parameters, arguments)                                                \
    R SAM_OVER name##_explicit(SAM_UNPACK parameters, memory_order order)                          \
    {                                                                                              \
        return name arguments;                                                                     \
    }                                                                                              \
    R SAM_OVER name##_explicit(SAM_UNPACK parameters, memory_order order, memory_scope scope)      \
    {                                                                                              \
        return name arguments;                                                                     \
    }
#define SAM_UNPACK(...) __VA_ARGS__
#define SAM_FETCH(name, op, A, T, S)                                                               \
    T SAM_OVER atomic_##name(volatile S A *p, T x)                                                 \
    {                                                                                              \
        return SAM_FROM_##T(__samite_atomic_##op##_g(SAM_AT(p), SAM_TO_##T(x)));                   \
    }                                                                                              \
    SAM_ORDERED(T, atomic_##name, (volatile S A * p, T x), (p, x))
#define SAM_TO_int(x)     ((uint)(x))
#define SAM_TO_uint(x)    (x)
#define SAM_TO_float(x)   as_uint(x)
#define SAM_FROM_int(x)   ((int)(x))
#define SAM_FROM_uint(x)  (x)
#define SAM_FROM_float(x) as_float(x)

/* For an exchange that succeeds or fails: two orders. */
#define SAM_EXCHANGES(name, A, T, S, E)                                                            \
    bool SAM_OVER name(volatile S A *p, E T *expected, T x)                                        \
    {                                                                                              \
        const uint want = SAM_TO_##T(*expected);                                                   \
        const uint found = __samite_atomic_cmpxchg_g(SAM_AT(p), want, SAM_TO_##T(x));              \
        *expected = SAM_FROM_##T(found);                                                           \
        return found == want;                                                                      \
    }                                                                                              \
    bool SAM_OVER name##_explicit(volatile S A *p, E T *expected, T x, memory_order success,       \
                                  memory_order failure)                                            \
    {                                                                                              \
        return name(p, expected, x);                                                               \
    }                                                                                              \
    bool SAM_OVER name##_explicit(volatile S A *p, E T *expected, T x, memory_order success,       \
                                  memory_order failure, memory_scope scope)                        \
    {                                                                                              \
        return name(p, expected, x);                                                               \
    }
#define SAM_EXCHANGES_OF(A, T, S, E)                                                               \
    SAM_EXCHANGES(atomic_compare_exchange_strong, A, T, S, E)                                      \
    SAM_EXCHANGES(atomic_compare_exchange_weak, A, T, S, E)
#define SAM_OBJECT(A, T, S)                                                                        \
    void SAM_OVER atomic_init(volatile S A *p, T x)                                                \
    {                                                                                              \
        *(volatile S T *)p = x;                                                                    \
    }                                                                                              \
    void SAM_OVER atomic_store(volatile S A *p, T x)                                               \
    {                                                                                              \
        *(volatile S T *)p = x;                                                                    \
    }                                                                                              \
    SAM_ORDERED(void, atomic_store, (volatile S A * p, T x), (p, x))                               \
    T SAM_OVER atomic_load(volatile S A *p)                                                        \
    {                                                                                              \
        return *(volatile S T *)p;                                                                 \
    }                                                                                              \
    SAM_ORDERED(T, atomic_load, (volatile S A * p), (p))                                           \
    SAM_FETCH(exchange, xchg, A, T, S)                                                             \
    SAM_EXCHANGES_OF(A, T, S, __global)                                                            \
    SAM_EXCHANGES_OF(A, T, S, __local)                                                             \
    SAM_EXCHANGES_OF(A, T, S, __private)                                                           \
    SAM_EXCHANGES_OF(A, T, S, __generic)
#define SAM_INTEGER(A, T, min_, max_, S)                                                           \
    SAM_OBJECT(A, T, S)                                                                            \
    SAM_FETCH(fetch_add, add, A, T, S)                                                             \
    SAM_FETCH(fetch_or, or, A, T, S)                                                               \
    SAM_FETCH(fetch_xor, xor, A, T, S)                                                             \
    SAM_FETCH(fetch_and, and, A, T, S)                                                             \
    SAM_FETCH(fetch_min, min_, A, T, S)                                                            \
    SAM_FETCH(fetch_max, max_, A, T, S)                                                            \
    T SAM_OVER atomic_fetch_sub(volatile S A *p, T x)                                              \
    {                                                                                              \
        return (T)__samite_atomic_add_g(SAM_AT(p), 0u - (uint)x);                                  \
    }                                                                                              \
    SAM_ORDERED(T, atomic_fetch_sub, (volatile S A * p, T x), (p, x))
#define SAM_SPACE(S)                                                                               \
    SAM_INTEGER(atomic_int, int, min, max, S)                                                      \
    SAM_INTEGER(atomic_uint, uint, minu, maxu, S)                                                  \
    SAM_OBJECT(atomic_float, float, S)                                                             \
    bool SAM_OVER atomic_flag_test_and_set(volatile S atomic_flag *p)                              \
    {                                                                                              \
        return __samite_atomic_xchg_g(SAM_AT(p), 1u);                                              \
    }                                                                                              \
    SAM_ORDERED(bool, atomic_flag_test_and_set, (volatile S atomic_flag * p), (p))                 \
    void SAM_OVER atomic_flag_clear(volatile S atomic_flag *p)                                     \
    {                                                                                              \
        *(volatile S int *)p = 0;                                                                  \
    }                                                                                              \
    SAM_ORDERED(void, atomic_flag_clear, (volatile S atomic_flag * p), (p))
SAM_SPACE(__generic)
SAM_SPACE(__global)
SAM_SPACE(__local)

void SAM_OVER atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order,
                                     memory_scope scope)
{
}
