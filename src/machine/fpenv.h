/* SPDX-License-Identifier: Apache-2.0 */
/* The host's floating-point environment during a run: sticky flags cleared at its start and
 * collected when the program reads fflags or the run ends; round-to-nearest-even throughout (other
 * modes go through base/fp.h). */
#ifndef SAM_FPENV_H
#define SAM_FPENV_H

#include "base/base.h"
#include "base/fp.h"

#if defined(__SSE2__)
#include <immintrin.h>

typedef unsigned sam_host_fp;

/* All exceptions masked, round to nearest even, no flush to zero, flags clear. */
static inline sam_host_fp sam_host_fp_enter(void)
{
    unsigned old = _mm_getcsr();
    if (old != 0x1f80) /* writing MXCSR is slower than reading it */
        _mm_setcsr(0x1f80);
    return old;
}

static inline void sam_host_fp_leave(sam_host_fp old)
{
    if (_mm_getcsr() != old)
        _mm_setcsr(old);
}

static inline unsigned sam_host_fp_flags(void)
{
    const unsigned csr = _mm_getcsr();
    /* Bits 3 to 5 are OF, UF and NX: a byte for each combination. */
    const unsigned low = UINT64_C(0x0703050106020400) >> (csr & 0x38) & 7;
    return low | (csr & 0x04 ? SAM_FP_DZ : 0u) | (csr & 0x01 ? SAM_FP_NV : 0u);
}

static inline void sam_host_fp_clear(void)
{
    _mm_setcsr(0x1f80);
}

/* The host's rounding mode, not SAM_RMM. SAM_RNE must be restored before other code runs. */
static inline void sam_host_fp_round(enum sam_round round)
{
    static const unsigned control[] = {0, 0x6000, 0x2000, 0x4000};
    _mm_setcsr((_mm_getcsr() & ~0x6000u) | control[round]);
}

#else
#include <fenv.h>

typedef fenv_t sam_host_fp;

static inline sam_host_fp sam_host_fp_enter(void)
{
    fenv_t old;
    feholdexcept(&old);
    fesetround(FE_TONEAREST);
    return old;
}

static inline void sam_host_fp_leave(sam_host_fp old)
{
    fesetenv(&old);
}

static inline unsigned sam_host_fp_flags(void)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INEXACT ? SAM_FP_NX : 0u) | (raised & FE_UNDERFLOW ? SAM_FP_UF : 0u) |
           (raised & FE_OVERFLOW ? SAM_FP_OF : 0u) | (raised & FE_DIVBYZERO ? SAM_FP_DZ : 0u) |
           (raised & FE_INVALID ? SAM_FP_NV : 0u);
}

static inline void sam_host_fp_clear(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}

static inline void sam_host_fp_round(enum sam_round round)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(modes[round]);
}
#endif

/* Arm detects tininess before rounding, RISC-V after it: the flags differ where a result rounds up
 * to the smallest normal number. There the program's underflows are never left in the host's flag:
 * whether it is raised, then cleared; the caller finds the flags of that operation by base/fp.h.
 * `after`: its result, or the address of its results. */
#if defined(__aarch64__)
#define SAM_HOST_FP_EARLY 1
static inline bool sam_host_fp_underflowed(uint64_t after)
{
    uint64_t status;
    __asm__ volatile("mrs %0, fpsr" : "=r"(status) : "r"(after) : "memory");
    if (SAM_LIKELY(!(status & 8)))
        return false;
    __asm__ volatile("msr fpsr, %0" : : "r"(status & ~UINT64_C(8)) : "memory");
    return true;
}
#else
#define SAM_HOST_FP_EARLY 0
static inline bool sam_host_fp_underflowed(uint64_t after)
{
    (void)after;
    return false;
}
#endif

#endif
