/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over windows: the bits of 64 elements are expanded to bytes, into which the escapes are
 * inserted, and planes are merged while they are in L1. Compiled per instruction level; included
 * after planes_tmpl.h. */
#include "codec/window.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512VBMI2__)
static const uint8_t window_bytes[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
#endif

enum { WINDOW_LINE = 64 };

/* --- decoding: base plus code of 64 elements from k words */
INLINE uint64_t escapes_of(const uint8_t *words, unsigned k)
{
    uint64_t mask = UINT64_MAX;
    for (unsigned j = 0; j < k; j++)
        mask &= sam_le64(words + 8 * j);
    return mask;
}

#if defined(__AVX512BW__)
INLINE __m512i add_codes(const uint8_t *words, unsigned k, uint8_t base)
{
    __m512i x = _mm512_set1_epi8((char)base);
    for (unsigned j = 0; j < k; j++)
        x = _mm512_mask_add_epi8(x, (__mmask64)sam_le64(words + 8 * j), x,
                                 _mm512_set1_epi8((char)(1 << j)));
    return x;
}
#elif defined(__AVX2__)
INLINE void add_codes(const uint8_t *words, unsigned k, uint8_t base, uint8_t *symbols)
{
    for (unsigned half = 0; half < 2; half++) {
        __m256i x = _mm256_set1_epi8((char)base);
        for (unsigned j = 0; j < k; j++)
            x = _mm256_add_epi8(x, spread8(words + 8 * j + 4 * half, 1u << j));
        _mm256_storeu_si256((void *)(symbols + 32 * half), x);
    }
}
#elif defined(WITH_NEON)
INLINE void add_codes(const uint8_t *words, unsigned k, uint8_t base, uint8_t *symbols)
{
    for (unsigned byte = 0; byte < 8; byte += 2) {
        uint8x16_t x = vdupq_n_u8(base);
        for (unsigned j = 0; j < k; j++)
            x = vaddq_u8(x, spread8(words + 8 * j + byte, (uint8_t)(1 << j)));
        vst1q_u8(symbols + 8 * byte, x);
    }
}
#else
INLINE void add_codes(const uint8_t *words, unsigned k, uint8_t base, uint8_t *symbols)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (unsigned byte = 0; byte < 8; byte++) {
        uint64_t x = (base & 127) * ones; /* at most 142: no carry into the next byte */
        for (unsigned j = 0; j < k; j++)
            x += spread(words[8 * j + byte]) << j;
        sam_put_le64(symbols + 8 * byte, x ^ (base & 128) * ones);
    }
}
#endif

#if !defined(__AVX512VBMI2__)
/* Set the elements of `mask`. Up to three without an unpredictable branch: spare escapes go to
 * the element after the 64. */
INLINE void insert_escapes(uint64_t mask, const uint8_t *escapes, uint8_t *symbols)
{
    for (unsigned i = 0; i < 3; i++) {
        symbols[mask ? __builtin_ctzll(mask) : 64] = escapes[i];
        mask &= mask - 1;
    }
    for (escapes += 3; SAM_UNLIKELY(mask != 0); mask &= mask - 1)
        symbols[__builtin_ctzll(mask)] = *escapes++;
}
#endif

/* Decode a plane with a window of k bits, up to the next multiple of 64 elements. Takes escapes
 * from *next on, none after `end`, which is followed by SAM_WINDOW_SLACK readable bytes. Returns
 * false if there are too few. */
INLINE bool expand_plane(const uint8_t *words, size_t count, uint8_t base, unsigned k,
                         const uint8_t **next, const uint8_t *end, uint8_t *symbols)
{
    const uint8_t *escapes = *next;
    for (size_t i = 0; i < count; i += 64, words += 8 * k) {
        uint64_t mask = escapes_of(words, k);
        const size_t used = (size_t)__builtin_popcountll(mask);
#if defined(__AVX512BW__)
        __m512i x = add_codes(words, k, base);
#if defined(__AVX512VBMI2__)
        x = _mm512_mask_expand_epi8(x, (__mmask64)mask, _mm512_loadu_si512(escapes));
#endif
        _mm512_storeu_si512(symbols + i, x);
#else
        add_codes(words, k, base, symbols + i);
#endif
        if (SAM_UNLIKELY(used > (size_t)(end - escapes)))
            return false;
#if !defined(__AVX512VBMI2__)
        insert_escapes(mask, escapes, symbols + i);
#endif
        escapes += used;
    }
    *next = escapes;
    return true;
}

/* --- non-temporal output: whole lines are written once they are complete */
struct window_stage {
    uint8_t *to;    /* the line that contains the first byte of `bytes` */
    size_t skip;    /* bytes of it before the output */
    size_t ready;   /* bytes in `bytes`, including these */
    uint8_t *bytes; /* in `room`, after a line for earlier bytes */
    _Alignas(64) uint8_t room[2 * WINDOW_LINE + SAM_WINDOW_GROUP * SAM_MAX_ELEMENT];
};

INLINE void write_line(uint8_t *to, const uint8_t *from)
{
#if defined(__AVX512BW__)
    _mm512_stream_si512((void *)to, _mm512_load_si512(from));
#elif defined(__AVX2__)
    _mm256_stream_si256((void *)to, _mm256_load_si256((const void *)from));
    _mm256_stream_si256((void *)(to + 32), _mm256_load_si256((const void *)(from + 32)));
#elif defined(__x86_64__)
    for (unsigned i = 0; i < WINDOW_LINE; i += 16)
        _mm_stream_si128((void *)(to + i), _mm_load_si128((const void *)(from + i)));
#else
    memcpy(to, from, WINDOW_LINE);
#endif
}

static void open_stage(struct window_stage *s, uint8_t *to)
{
    s->skip = s->ready = (uintptr_t)to % WINDOW_LINE;
    s->to = to - s->skip;
    s->bytes = s->room + WINDOW_LINE;
}

/* `size` more bytes are in the stage. */
static void write_stage(struct window_stage *s, size_t size)
{
    size_t at = 0;
    s->ready += size;
    if (s->skip && s->ready >= WINDOW_LINE) {
        memcpy(s->to + s->skip, s->bytes + s->skip, WINDOW_LINE - s->skip);
        s->skip = 0;
        at = WINDOW_LINE;
    }
    for (; !s->skip && at + WINDOW_LINE <= s->ready; at += WINDOW_LINE)
        write_line(s->to + at, s->bytes + at);
    s->to += at;
    s->ready -= at;
    if (at)
        memcpy(s->bytes, s->bytes + at, WINDOW_LINE);
}

static void close_stage(struct window_stage *s)
{
    memcpy(s->to + s->skip, s->bytes + s->skip, s->ready - s->skip);
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#if defined(__AVX2__)
#include "codec/window_bf16_tmpl.h"
#endif

/* Returns whether the bits past the last element are 0. */
static bool ends_well(const uint8_t *words, size_t count, unsigned k)
{
    uint64_t rest = 0;
    for (unsigned j = 0; count % 64 && j < k; j++)
        rest |= sam_le64(words + 8 * (k * (count / 64) + j)) >> (count % 64);
    return rest == 0;
}

/* Decode a group to `elements` or, if not NULL, to the stage. */
static bool read_group(const struct sam_window *w, size_t count, const uint8_t *group, size_t size,
                       struct window_stage *stage, uint8_t *elements)
{
#if defined(__AVX2__)
    bool decoded;
    if (w->layout == SAM_LAYOUT_BF16 && w->planes == 1 && count == SAM_WINDOW_GROUP &&
        (!stage || can_stream_bf16(stage)) && read_bf16(w, group, size, stage, elements, &decoded))
        return decoded;
#endif
    _Alignas(64) uint8_t room[SAM_WINDOW_PLANES][SAM_WINDOW_GROUP + 64];
    const struct sam_layout *layout = sam_layout_of(w->layout);
    const uint8_t *planes[SAM_MAX_PLANES];
    struct sam_window_parts parts;
    if (!sam_window_find(w, count, group, size, &parts))
        return false;
    const uint8_t *escapes = group + parts.escapes, *end = group + size;
    for (unsigned p = 0; p < layout->plane_count; p++) {
        const uint8_t *from = planes[p] = group + parts.plane[p];
        const unsigned k = p < SAM_WINDOW_PLANES ? parts.k[p] : 0;
        if (!k)
            continue;
        const uint8_t base = parts.base[p];
        uint8_t *to = room[p];
        const bool good = ends_well(from, count, k) &&
                          (k == 1   ? expand_plane(from, count, base, 1, &escapes, end, to)
                           : k == 2 ? expand_plane(from, count, base, 2, &escapes, end, to)
                           : k == 3 ? expand_plane(from, count, base, 3, &escapes, end, to)
                                    : expand_plane(from, count, base, 4, &escapes, end, to));
        if (!good)
            return false;
        planes[p] = to;
    }
    merge_elements(w->layout, planes, count, stage ? stage->bytes + stage->ready : elements);
    if (stage)
        write_stage(stage, count * layout->element);
    return escapes == end;
}

static enum sam_window_result read_windows(const struct sam_window *w,
                                           const struct sam_window_read *r, uint8_t *elements)
{
    const size_t element = sam_layout_of(w->layout)->element;
    uint8_t padded[SAM_WINDOW_MOST + SAM_WINDOW_SLACK];
    const uint8_t *at = r->groups;
    enum sam_window_result result = SAM_WINDOW_GOOD;
    struct window_stage stage;
    size_t left = r->size + r->after;
    if (r->stream)
        open_stage(&stage, elements);
    for (size_t g = r->first; g < r->end; g++) {
        const size_t size = sam_window_size(w, g), count = sam_window_elements(w, g);
        const uint8_t *group = at;
        if (left - size < SAM_WINDOW_SLACK)
            group = memcpy(padded, at, size);
        if (!r->trusted && (XXH3_64bits(group + SAM_WINDOW_HASH, size - SAM_WINDOW_HASH) ^
                            (w->place + g)) != sam_le64(group)) {
            result = SAM_WINDOW_MISMATCH;
            break;
        }
        if (!read_group(w, count, group, size, r->stream ? &stage : NULL, elements)) {
            result = SAM_WINDOW_DAMAGED;
            break;
        }
        elements += count * element;
        at += size;
        left -= size;
    }
    if (r->stream)
        close_stage(&stage);
    return result;
}

/* --- encoding */
#if defined(__AVX512VPOPCNTDQ__)
/* A whole group: from the masks of each bit of symbol - first, those of each value. */
static void count_group(const uint8_t *symbols, uint8_t first, uint32_t counts[16])
{
    enum { WORDS = SAM_WINDOW_GROUP / 64, VECTORS = WORDS / 8 };
    _Alignas(64) uint64_t bits[4][WORDS], inside[WORDS], sums[16];
    const __m512i lowest = _mm512_set1_epi8((char)first);
    for (unsigned i = 0; i < WORDS; i++) {
        const __m512i x = _mm512_sub_epi8(_mm512_loadu_si512(symbols + 64 * i), lowest);
        inside[i] = _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8(16));
        for (unsigned j = 0; j < 4; j++)
            bits[j][i] = _mm512_test_epi8_mask(x, _mm512_set1_epi8((char)(1 << j)));
    }
    __m512i low[VECTORS][4], high[VECTORS][4]; /* by two bits; those of `high` are inside */
    for (unsigned v = 0; v < VECTORS; v++) {
        const __m512i in = _mm512_load_si512(inside + 8 * v);
        for (unsigned h = 0; h < 2; h++) {
            const __m512i a = _mm512_load_si512(bits[2 * h] + 8 * v);
            const __m512i b = _mm512_load_si512(bits[2 * h + 1] + 8 * v);
            const __m512i all = h ? in : _mm512_set1_epi64(-1);
            __m512i *to = h ? high[v] : low[v];
            to[0] = _mm512_ternarylogic_epi64(all, a, b, 0x10);
            to[1] = _mm512_ternarylogic_epi64(all, a, b, 0x40);
            to[2] = _mm512_ternarylogic_epi64(all, a, b, 0x20);
            to[3] = _mm512_ternarylogic_epi64(all, a, b, 0x80);
        }
    }
    for (unsigned s = 0; s < 16; s++) {
        __m512i sum = _mm512_setzero_si512(); /* at most 64 * VECTORS: a byte */
        for (unsigned v = 0; v < VECTORS; v++)
            sum = _mm512_add_epi64(
                sum, _mm512_popcnt_epi64(_mm512_and_si512(low[v][s & 3], high[v][s >> 2])));
        _mm_storel_epi64((void *)(sums + s), _mm512_cvtepi64_epi8(sum));
    }
    for (unsigned h = 0; h < 2; h++) {
        const __m512i eight =
            _mm512_sad_epu8(_mm512_load_si512(sums + 8 * h), _mm512_setzero_si512());
        _mm256_storeu_si256((void *)(counts + 8 * h), _mm512_cvtepi64_epi32(eight));
    }
}
#endif

static void count_window(const uint8_t *symbols, size_t n, uint8_t first, uint32_t counts[16])
{
    memset(counts, 0, 16 * sizeof *counts);
#if defined(__AVX512VPOPCNTDQ__)
    if (n == SAM_WINDOW_GROUP) {
        count_group(symbols, first, counts);
        return;
    }
#elif defined(__AVX2__)
    const __m256i lowest = _mm256_set1_epi8((char)first);
    for (; n >= 32; n -= 32, symbols += 32) {
        const __m256i x = _mm256_sub_epi8(_mm256_loadu_si256((const void *)symbols), lowest);
        for (unsigned s = 0; s < 16; s++)
            counts[s] += (uint32_t)__builtin_popcount(
                (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_set1_epi8((char)s))));
    }
#endif
    for (size_t i = 0; i < n; i++) {
        const uint8_t x = (uint8_t)(symbols[i] - first);
        if (x < 16)
            counts[x]++;
    }
}

INLINE size_t write_codes(const uint8_t *symbols, size_t count, uint8_t base, unsigned k,
                          uint8_t *words, uint8_t *escapes)
{
    const uint8_t *start = escapes;
    const unsigned escape = (1u << k) - 1;
    for (size_t i = 0; i < count; i += 64, words += 8 * k) {
        const uint64_t valid = count - i < 64 ? (UINT64_C(1) << (count - i)) - 1 : UINT64_MAX;
#if defined(__AVX512BW__)
        const __m512i from = _mm512_loadu_si512(symbols + i);
        const __m512i x = _mm512_min_epu8(_mm512_sub_epi8(from, _mm512_set1_epi8((char)base)),
                                          _mm512_set1_epi8((char)escape));
        uint64_t mask = valid;
        for (unsigned j = 0; j < k; j++) {
            const uint64_t bits =
                valid & _mm512_test_epi8_mask(x, _mm512_set1_epi8((char)(1 << j)));
            memcpy(words + 8 * j, &bits, sizeof bits);
            mask &= bits;
        }
#if defined(__AVX512VBMI2__)
        _mm512_storeu_si512(escapes, _mm512_maskz_compress_epi8((__mmask64)mask, from));
        escapes += __builtin_popcountll(mask);
        mask = 0;
#endif
#else
        uint64_t mask = valid, bits[SAM_WINDOW_BITS] = {0};
#if defined(__AVX2__)
        for (unsigned half = 0; half < 2; half++) {
            const __m256i from = _mm256_loadu_si256((const void *)(symbols + i + 32 * half));
            const __m256i x = _mm256_min_epu8(_mm256_sub_epi8(from, _mm256_set1_epi8((char)base)),
                                              _mm256_set1_epi8((char)escape));
            for (unsigned j = 0; j < k; j++) {
                const __m256i top = _mm256_slli_epi16(x, (int)(7 - j));
                bits[j] |= (uint64_t)(uint32_t)_mm256_movemask_epi8(top) << (32 * half);
            }
        }
#else
        for (size_t e = 0; e < 64 && i + e < count; e++) {
            uint64_t code = (uint8_t)(symbols[i + e] - base);
            code = code < escape ? code : escape;
            for (unsigned j = 0; j < k; j++)
                bits[j] |= (code >> j & 1) << e;
        }
#endif
        for (unsigned j = 0; j < k; j++) {
            sam_put_le64(words + 8 * j, bits[j] & valid);
            mask &= bits[j];
        }
#endif
        for (; mask; mask &= mask - 1)
            *escapes++ = symbols[i + (size_t)__builtin_ctzll(mask)];
    }
    return (size_t)(escapes - start);
}

static size_t write_window(const uint8_t *symbols, size_t count, uint8_t base, unsigned k,
                           uint8_t *words, uint8_t *escapes)
{
    return k == 1   ? write_codes(symbols, count, base, 1, words, escapes)
           : k == 2 ? write_codes(symbols, count, base, 2, words, escapes)
           : k == 3 ? write_codes(symbols, count, base, 3, words, escapes)
                    : write_codes(symbols, count, base, 4, words, escapes);
}

static const struct sam_window_ops window_ops = {
    .read = read_windows, .count = count_window, .write = write_window};
