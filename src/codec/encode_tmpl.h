/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes symbols, 64 bits at a time. With AVX-512, 32 symbols at once: a code and its length fit
 * 16 bits, a permutation looks up 64 of them, and adjacent codes are joined into pairs, fours and
 * eights before they are written. */
#include "codec/codec.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

struct writer {
    uint8_t *out;
    uint64_t bits;
    unsigned used; /* below 8 between calls of put_bits */
};

static inline void put_bits(struct writer *w, uint64_t word, unsigned length) /* <= 56 */
{
    w->bits |= word << w->used;
    w->used += length;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(w->out, &w->bits, sizeof w->bits);
#else
    sam_put_le64(w->out, w->bits);
#endif
    w->out += w->used >> 3;
    w->bits >>= w->used & 56; /* at most 56, since fewer than 64 bits are in use */
    w->used &= 7;
}

/* A code in the low 12 bits, its length in the high 4. */
struct encode_table {
    uint16_t word[256 + 256]; /* padded so that 256 entries can be loaded from any symbol on */
    unsigned first, last;     /* range of symbols with a code */
};

static void encode_table_make(const struct sam_huffman *code, struct encode_table *table)
{
    uint16_t words[256];
    sam_huffman_words(code, words);
    *table = (struct encode_table){.first = 255};
    for (unsigned s = 0; s < 256; s++) {
        if (!code->length[s])
            continue;
        table->word[s] = (uint16_t)(words[s] | code->length[s] << 12);
        table->first = s < table->first ? s : table->first;
        table->last = s;
    }
}

/* Encode the rest of a stream, last symbol first. Returns the end of the output. */
static uint8_t *encode_rest(const struct encode_table *table, const uint8_t *begin,
                            const uint8_t *end, struct writer w)
{
    while (end - begin >= 4) {
        uint64_t word = 0;
        unsigned length = 0;
        for (unsigned i = 0; i < 4; i++) {
            unsigned both = table->word[*--end];
            word |= (uint64_t)(both & 0xfff) << length;
            length += both >> 12;
        }
        put_bits(&w, word, length);
    }
    while (end > begin) {
        unsigned both = table->word[*--end];
        put_bits(&w, both & 0xfff, both >> 12);
    }
    return w.used ? w.out + 1 : w.out;
}

#if defined(__AVX512BW__)
/* The words of 32 symbols, given as 16-bit offsets from the first symbol. */
static inline __m512i words_of(const __m512i v[8], __m512i symbols, unsigned groups)
{
    __m512i words = _mm512_permutex2var_epi16(v[0], symbols, v[1]);
    __m512i group = _mm512_srli_epi16(symbols, 6); /* the permutation uses the low six bits */
    for (unsigned g = 1; g < groups; g++) {
        __m512i more = _mm512_permutex2var_epi16(v[2 * g], symbols, v[2 * g + 1]);
        __mmask32 here = _mm512_cmpeq_epi16_mask(group, _mm512_set1_epi16((short)g));
        words = _mm512_mask_mov_epi16(words, here, more);
    }
    return words;
}

/* NOLINTBEGIN(readability-non-const-parameter): written through w.out */
static inline uint8_t *encode_vectors(const struct encode_table *table, const uint8_t *begin,
                                      const uint8_t *end, uint8_t *out, struct sam_warm *warm,
                                      unsigned groups)
/* NOLINTEND(readability-non-const-parameter) */
{
    const uint8_t *from = warm->from, *to = warm->to;
    struct writer w = {.out = out};
    const __m512i first = _mm512_set1_epi16((short)table->first);
    const __m512i low12 = _mm512_set1_epi32(0xfff), low32 = _mm512_set1_epi64(0xffffffff);
    __m512i v[8];
    for (unsigned i = 0; i < 2 * groups; i++)
        v[i] = _mm512_loadu_si512(table->word + table->first + (size_t)32 * i);
    while (end - begin >= 32) {
        uint64_t word[8] __attribute__((aligned(64))), length[8] __attribute__((aligned(64)));
        end -= 32;
        __builtin_prefetch(from, 0, 1);
        __builtin_prefetch(to, 0, 2);
        from += warm->from_size;
        to += warm->to_size;
        __m512i s = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)end));
        __m512i x = words_of(v, _mm512_sub_epi16(s, first), groups);
        /* Join adjacent codes, the higher first: into pairs, */
        __m512i high = _mm512_and_si512(_mm512_srli_epi32(x, 16), low12);
        __m512i high_length = _mm512_srli_epi32(x, 28);
        __m512i low_length = _mm512_srli_epi32(_mm512_slli_epi32(x, 16), 28);
        __m512i low = _mm512_sllv_epi32(_mm512_and_si512(x, low12), high_length);
        __m512i pair = _mm512_or_si512(high, low);
        __m512i pair_length = _mm512_add_epi32(high_length, low_length);
        /* fours, */
        high_length = _mm512_srli_epi64(pair_length, 32);
        low = _mm512_sllv_epi64(_mm512_and_si512(pair, low32), high_length);
        __m512i four = _mm512_or_si512(_mm512_srli_epi64(pair, 32), low);
        __m512i four_length = _mm512_add_epi64(high_length, _mm512_and_si512(pair_length, low32));
        /* and eights, in every second lane, unless too long for one put_bits. */
        high_length = _mm512_unpackhi_epi64(four_length, four_length);
        __m512i eight_length = _mm512_add_epi64(high_length, four_length);
        if (_mm512_mask_cmpgt_epu64_mask(0x55, eight_length, _mm512_set1_epi64(56))) {
            _mm512_store_si512(word, four);
            _mm512_store_si512(length, four_length);
            for (unsigned i = 8; i-- > 0;)
                put_bits(&w, word[i], (unsigned)length[i]);
        } else {
            __m512i eight = _mm512_or_si512(_mm512_unpackhi_epi64(four, four),
                                            _mm512_sllv_epi64(four, high_length));
            _mm512_store_si512(word, eight);
            _mm512_store_si512(length, eight_length);
            put_bits(&w, word[6], (unsigned)length[6]);
            put_bits(&w, word[4], (unsigned)length[4]);
            put_bits(&w, word[2], (unsigned)length[2]);
            put_bits(&w, word[0], (unsigned)length[0]);
        }
    }
    warm->from = from;
    warm->to = to;
    return encode_rest(table, begin, end, w);
}
#endif

static uint8_t *encode_stream(const struct encode_table *table, const uint8_t *begin,
                              const uint8_t *end, uint8_t *out, struct sam_warm *warm)
{
#if defined(__AVX512BW__)
    /* Constant group counts, so that each gets a specialized loop. */
    switch ((table->last - table->first) / 64) {
    case 0: return encode_vectors(table, begin, end, out, warm, 1);
    case 1: return encode_vectors(table, begin, end, out, warm, 2);
    default: return encode_vectors(table, begin, end, out, warm, 4);
    }
#else
    (void)warm;
    return encode_rest(table, begin, end, (struct writer){.out = out});
#endif
}

static void encode(const struct sam_huffman *code, const uint8_t *symbols, size_t count,
                   uint8_t *out, uint32_t sizes[SAM_STREAMS], const struct sam_warm *warm)
{
    /* Prefetch the next input and output, one step per 32 symbols. */
    struct sam_warm step = {warm->from ? warm->from : symbols, warm->to ? warm->to : out,
                            warm->from_size * 32 / count, warm->to_size * 32 / count};
    struct encode_table table;
    size_t length = sam_stream_length(count);
    encode_table_make(code, &table);
    for (unsigned j = 0; j < SAM_STREAMS; j++) {
        size_t begin = j * length < count ? j * length : count;
        size_t end = count - begin < length ? count : begin + length;
        uint8_t *start = out;
        out = encode_stream(&table, symbols + begin, symbols + end, out, &step);
        sizes[j] = (uint32_t)(out - start);
    }
}
