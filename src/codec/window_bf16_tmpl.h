/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of bf16 in which only the exponents have a window: joined and written at once, so that
 * non-temporal stores overlap with the work. Included by window_tmpl.h. */
#if defined(__AVX512BW__)
/* Join exponents with the bytes of sign and mantissa. */
INLINE void join_bf16(__m512i e, __m512i r, __m512i two[2])
{
    const __m512i top = _mm512_set1_epi8((char)128);
    /* 0xca: bits of the second where the first has them, else of the third */
    const __m512i high = _mm512_ternarylogic_epi64(top, r, _mm512_srli_epi16(e, 1), 0xca);
    const __m512i low = _mm512_ternarylogic_epi64(top, _mm512_slli_epi16(e, 7), r, 0xca);
    const __m512i a = _mm512_unpacklo_epi8(low, high), b = _mm512_unpackhi_epi8(low, high);
    two[0] = _mm512_permutex2var_epi64(a, _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), b);
    two[1] = _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4), b);
}
#else
INLINE void join_bf16(__m256i e, __m256i r, __m256i two[2])
{
    const __m256i top = _mm256_set1_epi8((char)128), bottom = _mm256_set1_epi8(127);
    const __m256i high = _mm256_or_si256(_mm256_and_si256(top, r),
                                         _mm256_and_si256(_mm256_srli_epi16(e, 1), bottom));
    const __m256i low = _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi16(e, 7), top),
                                        _mm256_and_si256(r, bottom));
    const __m256i a = _mm256_unpacklo_epi8(low, high), b = _mm256_unpackhi_epi8(low, high);
    two[0] = _mm256_permute2x128_si256(a, b, 0x20);
    two[1] = _mm256_permute2x128_si256(a, b, 0x31);
}
#endif

/* Returns whether output can use non-temporal stores from here on. */
static bool can_stream_bf16(const struct window_stage *stage)
{
#if defined(__AVX512VBMI2__)
    return !stage->skip;
#else
    return !stage->skip && !stage->ready;
#endif
}

/* Decode a whole group to `out` or, for non-temporal stores, to the stage. */
INLINE bool decode_bf16(const uint8_t *words, const uint8_t *rest, uint8_t base, unsigned k,
                        const uint8_t *escapes, const uint8_t *end, struct window_stage *stage,
                        uint8_t *out)
{
#if defined(__AVX512VBMI2__)
    const bool stream = stage != NULL;
    __m512i shift = _mm512_setzero_si512(), last = shift;
    if (stream) { /* a line is the end of one vector and the beginning of the next */
        out = stage->to;
        const __m512i count = _mm512_set1_epi8((char)(WINDOW_LINE - stage->ready));
        shift = _mm512_add_epi8(_mm512_loadu_si512(window_bytes), count);
        last = _mm512_loadu_si512(stage->bytes + stage->ready - WINDOW_LINE);
    }
    for (size_t i = 0; i < SAM_WINDOW_GROUP; i += 64, words += 8 * k, out += 2 * WINDOW_LINE) {
        __m512i two[2];
        const uint64_t mask = escapes_of(words, k);
        const __m512i e = _mm512_mask_expand_epi8(add_codes(words, k, base), (__mmask64)mask,
                                                  _mm512_loadu_si512(escapes));
        escapes += __builtin_popcountll(mask);
        if (SAM_UNLIKELY(escapes > end))
            return false;
        join_bf16(e, _mm512_loadu_si512(rest + i), two);
        if (stream) {
            _mm512_stream_si512((void *)out, _mm512_permutex2var_epi8(last, shift, two[0]));
            _mm512_stream_si512((void *)(out + WINDOW_LINE),
                                _mm512_permutex2var_epi8(two[0], shift, two[1]));
            last = two[1];
        } else {
            _mm512_storeu_si512(out, two[0]);
            _mm512_storeu_si512(out + WINDOW_LINE, two[1]);
        }
    }
    if (stream) {
        _mm512_storeu_si512(stage->bytes + stage->ready - WINDOW_LINE, last);
        stage->to = out;
    }
    return escapes == end;
#else
    _Alignas(64) uint8_t symbols[SAM_WINDOW_GROUP + 64];
    if (!expand_plane(words, SAM_WINDOW_GROUP, base, k, &escapes, end, symbols))
        return false;
    out = stage ? stage->to : out;
#if defined(__AVX512BW__)
    enum { STEP = 64 };
#define LOAD(p)      _mm512_loadu_si512(p)
#define STORE(p, x)  _mm512_storeu_si512(p, x)
#define STREAM(p, x) _mm512_stream_si512((void *)(p), x)
    __m512i two[2];
#else
    enum { STEP = 32 };
#define LOAD(p)      _mm256_loadu_si256((const void *)(p))
#define STORE(p, x)  _mm256_storeu_si256((void *)(p), x)
#define STREAM(p, x) _mm256_stream_si256((void *)(p), x)
    __m256i two[2];
#endif
    for (size_t i = 0; i < SAM_WINDOW_GROUP; i += STEP, out += 2 * STEP) {
        join_bf16(LOAD(symbols + i), LOAD(rest + i), two);
        if (stage) {
            STREAM(out, two[0]);
            STREAM(out + STEP, two[1]);
        } else {
            STORE(out, two[0]);
            STORE(out + STEP, two[1]);
        }
    }
#undef LOAD
#undef STORE
#undef STREAM
    if (stage)
        stage->to = out;
    return escapes == end;
#endif
}

/* Decode a group if it is whole and only its exponents have a window; *good: whether it was
 * decoded. */
static bool read_bf16(const struct sam_window *w, const uint8_t *group, size_t size,
                      struct window_stage *stage, uint8_t *out, bool *good)
{
    struct sam_window_parts parts;
    if (!sam_window_find(w, SAM_WINDOW_GROUP, group, size, &parts) || !parts.k[0])
        return false;
    const uint8_t *words = group + parts.plane[0], *rest = group + parts.plane[1];
    const uint8_t *escapes = group + parts.escapes, *end = group + size, base = parts.base[0];
    switch (parts.k[0]) {
    case 1: *good = decode_bf16(words, rest, base, 1, escapes, end, stage, out); break;
    case 2: *good = decode_bf16(words, rest, base, 2, escapes, end, stage, out); break;
    case 3: *good = decode_bf16(words, rest, base, 3, escapes, end, stage, out); break;
    default: *good = decode_bf16(words, rest, base, 4, escapes, end, stage, out); break;
    }
    return true;
}
