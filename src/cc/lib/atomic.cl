/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic functions on 32-bit integers, under the names of 1.0 (atom_) and 1.1 (atomic_). */
#define SAM_A2(name, op, type, space, s)                                                           \
    type SAM_OVER atomic_##name(volatile space type *p, type x)                                    \
    {                                                                                              \
        return (type)__samite_atomic_##op##_##s((volatile space uint *)p, (uint)x);                \
    }                                                                                              \
    type SAM_OVER atom_##name(volatile space type *p, type x)                                      \
    {                                                                                              \
        return (type)__samite_atomic_##op##_##s((volatile space uint *)p, (uint)x);                \
    }
#define SAM_A1(name, step, type, space, s)                                                         \
    type SAM_OVER atomic_##name(volatile space type *p)                                            \
    {                                                                                              \
        return (type)__samite_atomic_add_##s((volatile space uint *)p, step);                      \
    }                                                                                              \
    type SAM_OVER atom_##name(volatile space type *p)                                              \
    {                                                                                              \
        return (type)__samite_atomic_add_##s((volatile space uint *)p, step);                      \
    }
#define SAM_AX(name, type, space, s)                                                               \
    type SAM_OVER name(volatile space type *p, type expected, type x)                              \
    {                                                                                              \
        return (type)__samite_atomic_cmpxchg_##s((volatile space uint *)p, (uint)expected,         \
                                                 (uint)x);                                         \
    }
#define SAM_SUB(name, type, space, s)                                                              \
    type SAM_OVER name(volatile space type *p, type x)                                             \
    {                                                                                              \
        return (type)__samite_atomic_add_##s((volatile space uint *)p, 0u - (uint)x);              \
    }
#define SAM_ALL(type, min_, max_, space, s)                                                        \
    SAM_A2(add, add, type, space, s)                                                               \
    SAM_A2(xchg, xchg, type, space, s)                                                             \
    SAM_A2(and, and, type, space, s)                                                               \
    SAM_A2(or, or, type, space, s)                                                                 \
    SAM_A2(xor, xor, type, space, s)                                                               \
    SAM_A2(min, min_, type, space, s)                                                              \
    SAM_A2(max, max_, type, space, s)                                                              \
    SAM_SUB(atomic_sub, type, space, s)                                                            \
    SAM_SUB(atom_sub, type, space, s)                                                              \
    SAM_A1(inc, 1u, type, space, s)                                                                \
    SAM_A1(dec, 0xffffffffu, type, space, s)                                                       \
    SAM_AX(atomic_cmpxchg, type, space, s)                                                         \
    SAM_AX(atom_cmpxchg, type, space, s)
SAM_ALL(int, min, max, __global, g)
SAM_ALL(int, min, max, __local, l)
SAM_ALL(uint, minu, maxu, __global, g)
SAM_ALL(uint, minu, maxu, __local, l)
float SAM_OVER atomic_xchg(volatile __global float *p, float x)
{
    return as_float(__samite_atomic_xchg_g((volatile __global uint *)p, as_uint(x)));
}
float SAM_OVER atomic_xchg(volatile __local float *p, float x)
{
    return as_float(__samite_atomic_xchg_l((volatile __local uint *)p, as_uint(x)));
}
