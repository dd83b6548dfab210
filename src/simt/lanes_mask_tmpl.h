/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by files that are compiled once per instruction level of the host: loops over lanes,
 * lane-wise comparisons, and the lanes that an instruction acts on. */
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

/* Pointers to elements, not arrays: clang 14 breaks on an array here under
 * -fsanitize=alignment. */
#define W     sam_warp_of(c)
#define V(n)  ((uint32_t *)__builtin_assume_aligned(&W->v[n][0], 64))
#define X1    (c->x32[op->rs1])
#define NEG   UINT32_C(0x80000000)
#define SI(x) ((int32_t)(x))

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define LANES_MASKS 1 /* the host has mask registers: test a lane's bit in place */
#else
#define LANES_MASKS 0
#endif

/* ---------------------------------------------------------------------------- bits of lanes
 *
 * Functions whose bit i is a property of word i, of 32 words that are 64-byte aligned. */

#if LANES_MASKS
#define LANES_HALF(words, half) _mm512_load_si512((const void *)((words) + 16 * (half)))
#define LANES_BITS(name, intrinsic)                                                                \
    static inline uint32_t name(const uint32_t *a, const uint32_t *b)                              \
    {                                                                                              \
        return intrinsic(LANES_HALF(a, 0), LANES_HALF(b, 0)) |                                     \
               (uint32_t)intrinsic(LANES_HALF(a, 1), LANES_HALF(b, 1)) << 16;                      \
    }
/* Word 0. A translation takes it from a vector, so that no register is split into words. */
static inline uint32_t lane_0(const uint32_t *a)
{
#if SAM_TRANSLATED
    return (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(LANES_HALF(a, 0)));
#else
    return a[0];
#endif
}
/* The same of the last of 16 or 32 words. */
static inline uint32_t lane_last(const uint32_t *a, const unsigned lanes)
{
#if SAM_TRANSLATED
    return (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(LANES_HALF(a, lanes / 32), 3), 3);
#else
    return a[lanes - 1];
#endif
}
LANES_BITS(bits_equal, _mm512_cmpeq_epi32_mask)
LANES_BITS(bits_below, _mm512_cmplt_epi32_mask)
LANES_BITS(bits_below_unsigned, _mm512_cmplt_epu32_mask)

/* Whether word i is base + step * i for every lane i in `bits`. */
static inline bool follows(const uint32_t *a, uint32_t base, uint32_t step, uint32_t bits)
{
    /* No array of expected values: compilers would allocate stack for it. */
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i low = _mm512_add_epi32(_mm512_set1_epi32((int)base),
                                         _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)step)));
    const __mmask16 apart = _mm512_cmpneq_epi32_mask(LANES_HALF(a, 0), low);
    if (bits <= UINT16_MAX)
        return !(apart & bits);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32((int)(16 * step)));
    const __mmask16 apart_high = _mm512_cmpneq_epi32_mask(LANES_HALF(a, 1), high);
    return bits == UINT32_MAX ? !(apart | apart_high)
                              : !((apart | (uint32_t)apart_high << 16) & bits);
}

/* The words that have a bit of `mask` set. */
static inline uint32_t bits_with(const uint32_t *a, uint32_t mask)
{
    const __m512i all = _mm512_set1_epi32((int)mask);
    return _mm512_test_epi32_mask(LANES_HALF(a, 0), all) |
           (uint32_t)_mm512_test_epi32_mask(LANES_HALF(a, 1), all) << 16;
}
#else
static inline uint32_t lane_0(const uint32_t *a)
{
    return a[0];
}

/* The words that are all ones; the others must be zero. */
static inline uint32_t bits_set(const int32_t *words)
{
    words = __builtin_assume_aligned(words, 64);
#if defined(__AVX2__)
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)words + 8 * i))
                << (8 * i);
    return bits;
#elif defined(__SSE2__)
    uint32_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)words + 4 * i)) << (4 * i);
    return bits;
#else
    uint32_t bits = 0;
    for (int i = 0; i < SAM_LANES; i++)
        bits |= (uint32_t)(words[i] & 1) << i;
    return bits;
#endif
}

#define LANES_BITS(name, condition)                                                                \
    static inline uint32_t name(const uint32_t *a, const uint32_t *b)                              \
    {                                                                                              \
        int32_t words[SAM_LANES] __attribute__((aligned(64)));                                     \
        LANES words[i] = -(condition);                                                             \
        return bits_set(words);                                                                    \
    }
LANES_BITS(bits_equal, a[i] == b[i])
LANES_BITS(bits_below, SI(a[i]) < SI(b[i]))
LANES_BITS(bits_below_unsigned, a[i] < b[i])

static inline bool follows(const uint32_t *a, uint32_t base, uint32_t step, uint32_t bits)
{
    if (SAM_LIKELY(bits == UINT32_MAX)) {
        uint32_t apart = 0;
        LANES apart |= a[i] ^ (base + step * (uint32_t)i);
        return apart == 0;
    }
    uint32_t want[SAM_LANES] __attribute__((aligned(64)));
    LANES want[i] = base + step * (uint32_t)i;
    return !(~bits_equal(a, want) & bits);
}

static inline uint32_t bits_with(const uint32_t *a, uint32_t mask)
{
    int32_t words[SAM_LANES] __attribute__((aligned(64)));
    LANES words[i] = -((a[i] & mask) != 0);
    return bits_set(words);
}
#endif

/* Whether words 0 to `lanes` - 1 (4 to 32 of them) form an arithmetic sequence with this step. */
static inline bool in_line(const uint32_t *a, uint32_t step, const unsigned lanes)
{
#if LANES_MASKS
    if (lanes >= 16) {
        /* The last word first: it is enough for most that are not in line. */
        if (lane_last(a, lanes) - lane_0(a) != step * (lanes - 1))
            return false;
        const __m512i lane =
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        const __m512i low = LANES_HALF(a, 0);
        const __m512i want =
            _mm512_add_epi32(_mm512_broadcastd_epi32(_mm512_castsi512_si128(low)),
                             _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)step)));
        __m512i apart = _mm512_xor_si512(low, want);
        if (lanes > 16)
            apart = _mm512_or_si512(
                apart,
                _mm512_xor_si512(LANES_HALF(a, 1),
                                 _mm512_add_epi32(want, _mm512_set1_epi32((int)(16 * step)))));
        return _mm512_test_epi32_mask(apart, apart) == 0;
    }
#endif
#if defined(__AVX2__)
    if (lanes >= 8) {
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i *at = (const __m256i *)(const void *)a;
        __m256i want = _mm256_add_epi32(_mm256_set1_epi32((int)a[0]),
                                        _mm256_mullo_epi32(lane, _mm256_set1_epi32((int)step)));
        __m256i apart = _mm256_xor_si256(at[0], want);
        for (unsigned i = 1; i < lanes / 8; i++) {
            want = _mm256_add_epi32(want, _mm256_set1_epi32((int)(8 * step)));
            apart = _mm256_or_si256(apart, _mm256_xor_si256(at[i], want));
        }
        return _mm256_testz_si256(apart, apart);
    }
#endif
    uint32_t apart = 0;
    for (unsigned i = 1; i < lanes; i++)
        apart |= a[i] ^ (a[0] + step * i);
    return apart == 0;
}

/* ---------------------------------------------------------------------------- active lanes */

/* The lanes of group g that the instruction acts on. */
static inline uint32_t acting(const struct sam_warp *w, const struct sam_uop *op, unsigned g)
{
    if (SAM_LIKELY(op->rs3 & SAM_UOP_VM))
        return w->bits[g];
    return w->bits[g] & bits_with(__builtin_assume_aligned(&w->v[g][0], 64), 1);
}

/* A power of two per lane: even plain SSE2 can compare with it, but has no per-lane shifts. */
static const uint32_t lane_bit[SAM_LANES] __attribute__((aligned(64))) = {
#define BITS(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
    BITS(0), BITS(4), BITS(8), BITS(12), BITS(16), BITS(20), BITS(24), BITS(28),
#undef BITS
};

/* A set of lanes for the loops: ON(set) is non-zero in lane i if i is in the set. */
#if LANES_MASKS
typedef uint32_t lane_set;
#define ON(set)      ((set)&lane_bit[i])
#define ON_WORD(set) (ON(set) ? UINT32_MAX : 0)
static inline lane_set set_of(const struct sam_warp *w, uint32_t bits)
{
    (void)w;
    return bits;
}
#else
/* All ones or zero per lane. A warp caches the set of its active lanes, built on first use, and the
 * last other set. */
typedef const int32_t *lane_set;
#define ON(set)      ((set)[i])
#define ON_WORD(set) ((uint32_t)(set)[i])
static inline lane_set set_of(struct sam_warp *w, uint32_t bits)
{
    struct sam_lane_set *set = &w->sets[bits != w->bits[0]];
    int32_t *words = __builtin_assume_aligned(&set->words[0], 64);
    if (SAM_UNLIKELY(set->bits != bits)) {
        set->bits = bits;
        LANES words[i] = (bits & lane_bit[i]) == lane_bit[i] ? -1 : 0;
    }
    return words;
}
#endif

/* Blend `result` into the lanes `bits` of `vd`. */
static inline void blend(struct sam_warp *w, uint32_t bits, uint32_t *vd, const uint32_t *result)
{
#if LANES_MASKS
    /* Compute both halves before storing either, so that compilers can compute under the mask,
     * which is faster than blending afterwards. Store whole vectors: hosts do not forward a masked
     * store to the next load of the register. The barrier keeps compilers from turning the blend
     * into a masked store. */
    (void)w;
    __m512i low = _mm512_mask_mov_epi32(LANES_HALF(vd, 0), (__mmask16)bits, LANES_HALF(result, 0));
    __m512i high =
        _mm512_mask_mov_epi32(LANES_HALF(vd, 1), (__mmask16)(bits >> 16), LANES_HALF(result, 1));
#if !SAM_TRANSLATED
    __asm__("" : "+v"(low), "+v"(high));
#endif
    _mm512_store_si512(vd, low);
    _mm512_store_si512(vd + 16, high);
#else
    const lane_set m = set_of(w, bits);
    LANES
    {
        /* Both are read first: clang 14 would select one of two addresses, and a translation would
         * keep the registers in memory. */
        const uint32_t new = result[i], old = vd[i];
        vd[i] = ON(m) ? new : old;
    }
#endif
}

#endif
