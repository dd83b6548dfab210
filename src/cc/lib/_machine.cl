/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler knows by itself: one machine instruction each, or a few. */
#define SAM_CONST __attribute__((const))
#define SAM_OVER  __attribute__((overloadable))

float __samite_sqrt(float x) SAM_CONST;
float __samite_exp(float x) SAM_CONST;
float __samite_rec7(float x) SAM_CONST;
float __samite_rsqrt7(float x) SAM_CONST;
uint __samite_class(float x) SAM_CONST;
int __samite_ftoi_rte(float x) SAM_CONST;
uint __samite_ftou_rte(float x) SAM_CONST;
int __samite_ftoi_rtz(float x) SAM_CONST;
uint __samite_ftou_rtz(float x) SAM_CONST;
uint __samite_mulhu(uint a, uint b) SAM_CONST;
int __samite_mulh(int a, int b) SAM_CONST;
/* the work-item's number in its workgroup; CSRs and words of the metadata buffer, by constants */
uint __samite_lane(void) SAM_CONST;
uint __samite_csr(uint number) SAM_CONST;
uint __samite_metadata(uint offset) SAM_CONST;
void __samite_barrier(void) __attribute__((convergent));
__global uint *__samite_print_buffer(void) SAM_CONST;
void __samite_print_ring(void);
/* No access is moved across it; the machine makes accesses in the order of the program. */
#define __samite_fence() __c11_atomic_thread_fence(__ATOMIC_SEQ_CST)
#define SAM_ATOMIC(space, s)                                                                       \
    uint __samite_atomic_add_##s(volatile space uint *p, uint x);                                  \
    uint __samite_atomic_xchg_##s(volatile space uint *p, uint x);                                 \
    uint __samite_atomic_and_##s(volatile space uint *p, uint x);                                  \
    uint __samite_atomic_or_##s(volatile space uint *p, uint x);                                   \
    uint __samite_atomic_xor_##s(volatile space uint *p, uint x);                                  \
    uint __samite_atomic_min_##s(volatile space uint *p, uint x);                                  \
    uint __samite_atomic_max_##s(volatile space uint *p, uint x);                                  \
    uint __samite_atomic_minu_##s(volatile space uint *p, uint x);                                 \
    uint __samite_atomic_maxu_##s(volatile space uint *p, uint x);                                 \
    uint __samite_atomic_cmpxchg_##s(volatile space uint *p, uint expected, uint x);
SAM_ATOMIC(__global, g)
SAM_ATOMIC(__local, l)
#undef SAM_ATOMIC
