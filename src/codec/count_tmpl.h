/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol counting with vectors. Exponents cluster below the largest one: each of the WINDOW values
 * most frequent in a sample is counted by vector comparisons, other symbols one by one. */
#include "codec/codec.h"

#if defined(__AVX512BW__)
#include <immintrin.h>

enum { WINDOW = 16, SAMPLE = 4096, FLUSH = 255 }; /* limit of a byte counter */

/* Returns the first of the WINDOW consecutive values with the highest counts, or -1 if they cover
 * too few. */
static int best_window(const uint32_t counts[256], size_t total)
{
    size_t sum = 0, most = 0;
    unsigned best = 0;
    for (unsigned s = 0; s < 256; s++) {
        sum += counts[s];
        if (s >= WINDOW)
            sum -= counts[s - WINDOW];
        if (sum > most) {
            most = sum;
            best = s < WINDOW ? 0 : s - WINDOW + 1;
        }
    }
    return most >= total - total / 64 ? (int)best : -1;
}

#define EACH_OF_WINDOW(DO)                                                                         \
    DO(0)                                                                                          \
    DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)

/* Up to FLUSH vectors of 64. */
static void count_vectors(const uint8_t *symbols, size_t vectors, unsigned first,
                          uint32_t counts[256])
{
    const __m512i one = _mm512_set1_epi8(1), zero = _mm512_setzero_si512();
    const __m512i lowest = _mm512_set1_epi8((char)first);
    uint64_t sums[8];
#define BEGIN(i) __m512i sum##i = zero;
    EACH_OF_WINDOW(BEGIN)
    for (size_t v = 0; v < vectors; v++, symbols += 64) {
        __m512i x = _mm512_sub_epi8(_mm512_loadu_si512(symbols), lowest);
#define ADD(i)                                                                                     \
    sum##i =                                                                                       \
        _mm512_mask_add_epi8(sum##i, _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(i)), sum##i, one);
        EACH_OF_WINDOW(ADD)
        __mmask64 other = _mm512_cmpge_epu8_mask(x, _mm512_set1_epi8(WINDOW));
        for (uint64_t left = other; SAM_UNLIKELY(left != 0); left &= left - 1)
            counts[symbols[__builtin_ctzll(left)]]++;
    }
#define END(i)                                                                                     \
    _mm512_storeu_si512(sums, _mm512_sad_epu8(sum##i, zero));                                      \
    for (unsigned k = 0; k < 8 && first + (i) < 256; k++)                                          \
        counts[first + (i)] += (uint32_t)sums[k];
    EACH_OF_WINDOW(END)
}

static void count(const uint8_t *symbols, size_t n, uint32_t counts[256])
{
    uint32_t sample[256] = {0};
    size_t sampled = n < SAMPLE ? n : SAMPLE;
    sam_codec_count_symbols(symbols, sampled, sample);
    int first = best_window(sample, sampled);
    for (unsigned s = 0; s < 256; s++)
        counts[s] += sample[s];
    symbols += sampled;
    n -= sampled;
    while (first >= 0 && n >= 64) {
        size_t vectors = n / 64 < FLUSH ? n / 64 : FLUSH;
        count_vectors(symbols, vectors, (unsigned)first, counts);
        symbols += vectors * 64;
        n -= vectors * 64;
    }
    sam_codec_count_symbols(symbols, n, counts);
}
#else
static void count(const uint8_t *symbols, size_t n, uint32_t counts[256])
{
    sam_codec_count_symbols(symbols, n, counts);
}
#endif
