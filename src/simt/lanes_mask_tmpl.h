/* SPDX-License-Identifier: Apache-2.0 */
/* What files that are compiled for several levels of the host's instruction set have in common:
 * loops over lanes, and the lanes that an instruction acts on. */
#ifndef SAM_LANES_MASK_TMPL_H
#define SAM_LANES_MASK_TMPL_H

#include "machine/threads.h"
#include "simt/simt.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* One statement per lane. Registers are identical or disjoint, never shifted, so lanes do not
 * depend on each other. */
#if defined(__clang__)
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < SAM_LANES; i++)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < SAM_LANES; i++)
#endif

/* Pointers to elements, not arrays: clang 14 breaks on an array here under -fsanitize=alignment. */
#define W     sam_warp_of(c)
#define V(n)  ((uint32_t *)__builtin_assume_aligned(&W->v[n][0], 64))
#define X1    (c->x32[op->rs1])
#define NEG   UINT32_C(0x80000000)
#define SI(x) ((int32_t)(x))

/* Bit i: lane i of `words` is not zero (all ones). */
static inline uint32_t lane_bits(const int32_t *words)
{
    words = __builtin_assume_aligned(words, 64);
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return _mm512_movepi32_mask(_mm512_load_si512(words)) |
           (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(words + 16)) << 16;
#elif defined(__AVX2__)
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)words + 8 * i))
                << (8 * i);
    return bits;
#else
    uint32_t bits = 0;
    for (int i = 0; i < SAM_LANES; i++)
        bits |= (uint32_t)(words[i] & 1) << i;
    return bits;
#endif
}

/* The active lanes of group g of this instruction. */
static inline const int32_t *acting(struct sam_warp *w, const struct sam_uop *op, unsigned g,
                                    uint32_t *bits)
{
    if (SAM_LIKELY(op->rs3 & SAM_UOP_VM)) {
        *bits = w->bits[g];
        return __builtin_assume_aligned(&w->mask[g][0], 64);
    }
    const uint32_t *v0 = w->v[g];
    LANES w->masked[i] = w->mask[g][i] & -SI(v0[i] & 1);
    *bits = lane_bits(w->masked);
    return __builtin_assume_aligned(&w->masked[0], 64);
}

#endif
