/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the headers for programs on the tensor hart, compiled by a RISC-V compiler.
 * Freestanding C11 and C++. They need optimisation (-O1 or more): operands that are parts of an
 * instruction must be constants by the time it is assembled. Since 0.2. */
#ifndef SAMITE_DEVICE_H
#define SAMITE_DEVICE_H

#include <stdint.h>

#include "csr.h"

#if !defined(__riscv)
#error "samite/device is for programs on the tensor hart: compile for RISC-V"
#elif !defined(__OPTIMIZE__)
#error "samite/device: compile with -O1 or more"
#endif

#define SAM_DEVICE          static inline __attribute__((always_inline, unused))
#define SAM_DEVICE_FUNCTION static inline __attribute__((unused))

/* Bits [shift + width - 1 : shift] of a constant, at bit `low` of an instruction. */
#define SAM_DEVICE_FIELD(value, shift, width, low)                                                 \
    (((unsigned)(value) >> (shift) & ((1u << (width)) - 1)) << (low))

/* A CSR by its number, SAM_DEVICE_CSR_tshape. The words are those of csrr and csrw, which
 * assemblers accept only with Zicsr. */
SAM_DEVICE uintptr_t sam_csr_read(const unsigned number)
{
    register uintptr_t value __asm__("a0");
    __asm__ volatile(".word %1" : "=r"(value) : "i"(0x00002573u | number << 20) : "memory");
    return value;
}

SAM_DEVICE void sam_csr_write(const unsigned number, uintptr_t value)
{
    register uintptr_t in __asm__("a0") = value;
    __asm__ volatile(".word %0" : : "i"(0x00051073u | number << 20), "r"(in) : "memory");
}

/* Cycles (instructions, when time is off) since the start. */
SAM_DEVICE uint64_t sam_cycles(void)
{
#if __riscv_xlen == 64
    return sam_csr_read(SAM_DEVICE_CSR_mcycle);
#else
    uint32_t high, low;
    do {
        high = sam_csr_read(SAM_DEVICE_CSR_mcycleh);
        low = sam_csr_read(SAM_DEVICE_CSR_mcycle);
    } while (high != sam_csr_read(SAM_DEVICE_CSR_mcycleh));
    return (uint64_t)high << 32 | low;
#endif
}

#endif
