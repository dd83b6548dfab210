/* SPDX-License-Identifier: Apache-2.0 */
/* Split and merge loops, one per layout, compiled per instruction level. The compiler vectorizes
 * them, except for spreading and gathering single bits. */
#include "codec/codec.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(WITH_NEON)
#include <arm_neon.h>
#endif

/* The portable loops handle other layouts and big-endian hosts. */
#define LITTLE_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

#define RESTRICT __restrict__

static inline uint16_t get16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t get32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void set16(uint8_t *p, unsigned value)
{
    uint16_t v = (uint16_t)value;
    memcpy(p, &v, sizeof v);
}

static inline void set32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

/* --- merge, as sam_planes_merge: bits of a symbol above its field are ignored. `n` is a multiple
 * of 64 in the loops with single bits. */
#if defined(WITH_NEON)
/* Bytes of 16 elements are joined and interleaved at once. */
static void merge_bf16(const uint8_t *e, const uint8_t *r, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 16) {
        const uint8x16_t x = vld1q_u8(e + i), y = vld1q_u8(r + i);
        vst2q_u8(out + 2 * i, ((uint8x16x2_t){{vsliq_n_u8(y, x, 7), vsriq_n_u8(y, x, 1)}}));
    }
}

static void split_bf16(const uint8_t *in, size_t n, uint8_t *e, uint8_t *r)
{
    for (size_t i = 0; i < n; i += 16) {
        const uint8x16x2_t x = vld2q_u8(in + 2 * i);
        vst1q_u8(e + i, vsriq_n_u8(vshlq_n_u8(x.val[1], 1), x.val[0], 7));
        vst1q_u8(r + i, vbslq_u8(vdupq_n_u8(128), x.val[1], x.val[0]));
    }
}
#else
static void merge_bf16(const uint8_t *RESTRICT e, const uint8_t *RESTRICT r, size_t n,
                       uint8_t *RESTRICT out)
{
    for (size_t i = 0; i < n; i++)
        set16(out + 2 * i, (unsigned)e[i] << 7 | ((r[i] | (unsigned)r[i] << 8) & 0x807f));
}

static void split_bf16(const uint8_t *RESTRICT in, size_t n, uint8_t *RESTRICT e,
                       uint8_t *RESTRICT r)
{
    for (size_t i = 0; i < n; i++) {
        unsigned x = get16(in + 2 * i);
        e[i] = (uint8_t)(x >> 7);
        r[i] = (uint8_t)((x & 0x7f) | (x >> 8 & 0x80));
    }
}

#endif

static void merge_f16_dense(const uint8_t *RESTRICT high, const uint8_t *RESTRICT low, size_t n,
                            uint8_t *RESTRICT out)
{
    for (size_t i = 0; i < n; i++)
        set16(out + 2 * i, (unsigned)high[i] << 8 | low[i]);
}

static void merge_f32(const uint8_t *RESTRICT e, const uint8_t *RESTRICT r,
                      const uint8_t *RESTRICT middle, const uint8_t *RESTRICT low, size_t n,
                      uint8_t *RESTRICT out)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t sm = r[i];
        set32(out + 4 * i, (uint32_t)e[i] << 23 | ((sm << 16 | sm << 24) & 0x807f0000) |
                               (uint32_t)middle[i] << 8 | low[i]);
    }
}

static void merge_e4m3(const uint8_t *RESTRICT e, const uint8_t *RESTRICT r, size_t n,
                       uint8_t *RESTRICT out)
{
    for (size_t i = 0; i < n / 2; i++) { /* two elements, one nibble of r each */
        unsigned two = (r[i] | (unsigned)r[i] << 4) & 0x0f0f;
        set16(out + 2 * i,
              (get16(e + 2 * i) & 0x0f0fu) << 3 | (two & 0x0707) | (two << 4 & 0x8080));
    }
}

static void split_f16_dense(const uint8_t *RESTRICT in, size_t n, uint8_t *RESTRICT high,
                            uint8_t *RESTRICT low)
{
    for (size_t i = 0; i < n; i++) {
        unsigned x = get16(in + 2 * i);
        high[i] = (uint8_t)(x >> 8);
        low[i] = (uint8_t)x;
    }
}

static void split_f32(const uint8_t *RESTRICT in, size_t n, uint8_t *RESTRICT e,
                      uint8_t *RESTRICT r, uint8_t *RESTRICT middle, uint8_t *RESTRICT low)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = get32(in + 4 * i);
        e[i] = (uint8_t)(x >> 23);
        r[i] = (uint8_t)((x >> 16 & 0x7f) | (x >> 24 & 0x80));
        middle[i] = (uint8_t)(x >> 8);
        low[i] = (uint8_t)x;
    }
}

static void split_e4m3(const uint8_t *RESTRICT in, size_t n, uint8_t *RESTRICT e,
                       uint8_t *RESTRICT r)
{
    for (size_t i = 0; i < n / 2; i++) {
        unsigned two = get16(in + 2 * i);
        unsigned nibbles = (two & 0x0707) | (two >> 4 & 0x0808);
        set16(e + 2 * i, two >> 3 & 0x0f0f);
        r[i] = (uint8_t)(nibbles | nibbles >> 4);
    }
}

/* --- single bits, 64 elements at a time */
#if defined(__AVX512BW__)
static inline __m512i spread16(const uint8_t *bits, __m512i where, unsigned value)
{
    return _mm512_mask_add_epi16(where, (__mmask32)get32(bits), where,
                                 _mm512_set1_epi16((short)value));
}

static void merge_f16(const uint8_t *const planes[], size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 32) {
        __m512i e = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(planes[0] + i)));
        __m512i x = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(planes[1] + i)));
        x = _mm512_or_si512(x, _mm512_slli_epi16(_mm512_and_si512(e, _mm512_set1_epi16(31)), 10));
        x = spread16(planes[2] + i / 8, x, 1u << 8);
        x = spread16(planes[3] + i / 8, x, 1u << 9);
        x = spread16(planes[4] + i / 8, x, 1u << 15);
        _mm512_storeu_si512(out + 2 * i, x);
    }
}

static void split_f16(const uint8_t *in, size_t n, uint8_t *const planes[])
{
    for (size_t i = 0; i < n; i += 32) {
        __m512i x = _mm512_loadu_si512(in + 2 * i);
        __m512i e = _mm512_and_si512(_mm512_srli_epi16(x, 10), _mm512_set1_epi16(31));
        _mm256_storeu_si256((void *)(planes[0] + i), _mm512_cvtepi16_epi8(e));
        _mm256_storeu_si256((void *)(planes[1] + i), _mm512_cvtepi16_epi8(x));
        set32(planes[2] + i / 8, _mm512_test_epi16_mask(x, _mm512_set1_epi16(1 << 8)));
        set32(planes[3] + i / 8, _mm512_test_epi16_mask(x, _mm512_set1_epi16(1 << 9)));
        set32(planes[4] + i / 8, _mm512_movepi16_mask(x));
    }
}

static inline __m512i spread8(const uint8_t *bits, __m512i where, unsigned value)
{
    uint64_t mask;
    memcpy(&mask, bits, sizeof mask);
    return _mm512_mask_add_epi8(where, (__mmask64)mask, where, _mm512_set1_epi8((char)value));
}

static void merge_e5m2(const uint8_t *const planes[], size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 64) {
        __m512i x = _mm512_loadu_si512(planes[0] + i);
        x = _mm512_slli_epi16(_mm512_and_si512(x, _mm512_set1_epi8(31)), 2);
        x = spread8(planes[1] + i / 8, x, 1);
        x = spread8(planes[2] + i / 8, x, 2);
        x = spread8(planes[3] + i / 8, x, 128);
        _mm512_storeu_si512(out + i, x);
    }
}

static inline void gather8(uint8_t *bits, __m512i x, unsigned value)
{
    uint64_t mask = _mm512_test_epi8_mask(x, _mm512_set1_epi8((char)value));
    memcpy(bits, &mask, sizeof mask);
}

static void split_e5m2(const uint8_t *in, size_t n, uint8_t *const planes[])
{
    for (size_t i = 0; i < n; i += 64) {
        __m512i x = _mm512_loadu_si512(in + i);
        __m512i e = _mm512_and_si512(_mm512_srli_epi16(x, 2), _mm512_set1_epi8(31));
        _mm512_storeu_si512(planes[0] + i, e);
        gather8(planes[1] + i / 8, x, 1);
        gather8(planes[2] + i / 8, x, 2);
        gather8(planes[3] + i / 8, x, 128);
    }
}
#elif defined(__AVX2__)
/* Expand bit i of 32 to byte i: select the bit's byte, then the bit. */
static inline __m256i spread8(const uint8_t *bits, unsigned value)
{
    const __m256i byte =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i x = _mm256_shuffle_epi8(_mm256_set1_epi32((int)get32(bits)), byte);
    x = _mm256_cmpeq_epi8(_mm256_and_si256(x, bit), bit);
    return _mm256_and_si256(x, _mm256_set1_epi8((char)value));
}

static inline __m256i spread16(const uint8_t *bits, unsigned value)
{
    const __m256i bit = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                          8192, 16384, (short)32768);
    __m256i x = _mm256_and_si256(_mm256_set1_epi16((short)get16(bits)), bit);
    return _mm256_and_si256(_mm256_cmpeq_epi16(x, bit), _mm256_set1_epi16((short)value));
}

static void merge_f16(const uint8_t *const planes[], size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 16) {
        __m256i e = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(planes[0] + i)));
        __m256i x = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(planes[1] + i)));
        x = _mm256_or_si256(x, _mm256_slli_epi16(_mm256_and_si256(e, _mm256_set1_epi16(31)), 10));
        x = _mm256_or_si256(x, spread16(planes[2] + i / 8, 1u << 8));
        x = _mm256_or_si256(x, spread16(planes[3] + i / 8, 1u << 9));
        x = _mm256_or_si256(x, spread16(planes[4] + i / 8, 1u << 15));
        _mm256_storeu_si256((void *)(out + 2 * i), x);
    }
}

/* The low bytes of the words of two vectors, in order. */
static inline __m256i narrow(__m256i a, __m256i b)
{
    const __m256i low = _mm256_set1_epi16(255);
    __m256i x = _mm256_packus_epi16(_mm256_and_si256(a, low), _mm256_and_si256(b, low));
    return _mm256_permute4x64_epi64(x, 0xd8);
}

static void split_f16(const uint8_t *in, size_t n, uint8_t *const planes[])
{
    for (size_t i = 0; i < n; i += 32) {
        __m256i a = _mm256_loadu_si256((const void *)(in + 2 * i));
        __m256i b = _mm256_loadu_si256((const void *)(in + 2 * i + 32));
        __m256i low = narrow(a, b);
        __m256i high = narrow(_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8));
        __m256i e = _mm256_and_si256(_mm256_srli_epi16(high, 2), _mm256_set1_epi8(31));
        _mm256_storeu_si256((void *)(planes[0] + i), e);
        _mm256_storeu_si256((void *)(planes[1] + i), low);
        set32(planes[2] + i / 8, (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(high, 7)));
        set32(planes[3] + i / 8, (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(high, 6)));
        set32(planes[4] + i / 8, (uint32_t)_mm256_movemask_epi8(high));
    }
}

static void merge_e5m2(const uint8_t *const planes[], size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 32) {
        __m256i x = _mm256_loadu_si256((const void *)(planes[0] + i));
        x = _mm256_slli_epi16(_mm256_and_si256(x, _mm256_set1_epi8(31)), 2);
        x = _mm256_or_si256(x, spread8(planes[1] + i / 8, 1));
        x = _mm256_or_si256(x, spread8(planes[2] + i / 8, 2));
        x = _mm256_or_si256(x, spread8(planes[3] + i / 8, 128));
        _mm256_storeu_si256((void *)(out + i), x);
    }
}

static void split_e5m2(const uint8_t *in, size_t n, uint8_t *const planes[])
{
    for (size_t i = 0; i < n; i += 32) {
        __m256i x = _mm256_loadu_si256((const void *)(in + i));
        __m256i e = _mm256_and_si256(_mm256_srli_epi16(x, 2), _mm256_set1_epi8(31));
        _mm256_storeu_si256((void *)(planes[0] + i), e);
        set32(planes[1] + i / 8, (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(x, 7)));
        set32(planes[2] + i / 8, (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(x, 6)));
        set32(planes[3] + i / 8, (uint32_t)_mm256_movemask_epi8(x));
    }
}
#elif defined(WITH_NEON)
/* Bit i of two bytes to `value` in byte i, and back. */
static inline uint8x16_t spread8(const uint8_t *bits, uint8_t value)
{
    const uint8x8_t each = vcreate_u8(UINT64_C(0x8040201008040201));
    const uint8x16_t two = vcombine_u8(vdup_n_u8(bits[0]), vdup_n_u8(bits[1]));
    return vandq_u8(vtstq_u8(two, vcombine_u8(each, each)), vdupq_n_u8(value));
}

static inline void gather8(uint8_t *bits, uint8x16_t x, uint8_t value)
{
    const uint8x8_t each = vcreate_u8(UINT64_C(0x8040201008040201));
    x = vandq_u8(vtstq_u8(x, vdupq_n_u8(value)), vcombine_u8(each, each));
    bits[0] = vaddv_u8(vget_low_u8(x));
    bits[1] = vaddv_u8(vget_high_u8(x));
}

/* A byte of an exponent of five bits, a sign and two bits of the mantissa. */
static inline uint8x16_t join5(const uint8_t *e, const uint8_t *const bits[3])
{
    const uint8x16_t x = vshlq_n_u8(vandq_u8(vld1q_u8(e), vdupq_n_u8(31)), 2);
    return vorrq_u8(vorrq_u8(x, spread8(bits[0], 1)),
                    vorrq_u8(spread8(bits[1], 2), spread8(bits[2], 128)));
}

static inline void part5(uint8x16_t x, uint8_t *e, uint8_t *const bits[3])
{
    vst1q_u8(e, vandq_u8(vshrq_n_u8(x, 2), vdupq_n_u8(31)));
    gather8(bits[0], x, 1);
    gather8(bits[1], x, 2);
    gather8(bits[2], x, 128);
}

static void merge_f16(const uint8_t *const planes[], size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 16) {
        const uint8_t *const bits[] = {planes[2] + i / 8, planes[3] + i / 8, planes[4] + i / 8};
        const uint8x16x2_t x = {{vld1q_u8(planes[1] + i), join5(planes[0] + i, bits)}};
        vst2q_u8(out + 2 * i, x);
    }
}

static void split_f16(const uint8_t *in, size_t n, uint8_t *const planes[])
{
    for (size_t i = 0; i < n; i += 16) {
        uint8_t *const bits[] = {planes[2] + i / 8, planes[3] + i / 8, planes[4] + i / 8};
        const uint8x16x2_t x = vld2q_u8(in + 2 * i);
        vst1q_u8(planes[1] + i, x.val[0]);
        part5(x.val[1], planes[0] + i, bits);
    }
}

static void merge_e5m2(const uint8_t *const planes[], size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 16) {
        const uint8_t *const bits[] = {planes[1] + i / 8, planes[2] + i / 8, planes[3] + i / 8};
        vst1q_u8(out + i, join5(planes[0] + i, bits));
    }
}

static void split_e5m2(const uint8_t *in, size_t n, uint8_t *const planes[])
{
    for (size_t i = 0; i < n; i += 16) {
        uint8_t *const bits[] = {planes[1] + i / 8, planes[2] + i / 8, planes[3] + i / 8};
        part5(vld1q_u8(in + i), planes[0] + i, bits);
    }
}
#else
/* Spread eight bits to the low bits of eight bytes, and back. */
static inline uint64_t spread(uint8_t bits)
{
    uint64_t x = bits * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return (x + UINT64_C(0x00406070787c7e7f)) >> 7 & UINT64_C(0x0101010101010101);
}

static inline uint8_t gather(uint64_t bytes)
{
    return (uint8_t)((bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
}

static void merge_f16(const uint8_t *const planes[], size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t high = spread(planes[2][i / 8]) | spread(planes[3][i / 8]) << 1 |
                        spread(planes[4][i / 8]) << 7;
        for (unsigned k = 0; k < 8; k++, high >>= 8)
            set16(out + 2 * (i + k),
                  planes[1][i + k] | (planes[0][i + k] & 31u) << 10 | (unsigned)(high & 255) << 8);
    }
}

static void split_f16(const uint8_t *in, size_t n, uint8_t *const planes[])
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t high = 0;
        for (unsigned k = 0; k < 8; k++) {
            unsigned x = get16(in + 2 * (i + k));
            planes[0][i + k] = (uint8_t)(x >> 10 & 31);
            planes[1][i + k] = (uint8_t)x;
            high |= (uint64_t)(x >> 8) << (8 * k);
        }
        planes[2][i / 8] = gather(high);
        planes[3][i / 8] = gather(high >> 1);
        planes[4][i / 8] = gather(high >> 7);
    }
}

static void merge_e5m2(const uint8_t *const planes[], size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t x;
        memcpy(&x, planes[0] + i, sizeof x);
        x = (x << 2 & UINT64_C(0x7c7c7c7c7c7c7c7c)) | spread(planes[1][i / 8]) |
            spread(planes[2][i / 8]) << 1 | spread(planes[3][i / 8]) << 7;
        memcpy(out + i, &x, sizeof x);
    }
}

static void split_e5m2(const uint8_t *in, size_t n, uint8_t *const planes[])
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t x;
        memcpy(&x, in + i, sizeof x);
        planes[1][i / 8] = gather(x);
        planes[2][i / 8] = gather(x >> 1);
        planes[3][i / 8] = gather(x >> 7);
        x = x >> 2 & UINT64_C(0x1f1f1f1f1f1f1f1f);
        memcpy(planes[0] + i, &x, sizeof x);
    }
}
#endif

/* --- one plane per bit: 8 elements of a plane form a byte, and so do 8 planes of an element */
static inline uint64_t transpose8(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

static void merge_bits(const uint8_t *const planes[], size_t n, size_t width, uint8_t *out)
{
    for (size_t i = 0; i < n / 8; i++) {
        for (size_t byte = 0; byte < width; byte++) {
            uint64_t x = 0;
            for (size_t k = 0; k < 8; k++)
                x |= (uint64_t)planes[8 * byte + k][i] << (8 * k);
            x = transpose8(x);
            for (size_t k = 0; k < 8; k++)
                out[(8 * i + k) * width + byte] = (uint8_t)(x >> (8 * k));
        }
    }
}

static void split_bits(const uint8_t *in, size_t n, size_t width, uint8_t *const planes[])
{
    for (size_t i = 0; i < n / 8; i++) {
        for (size_t byte = 0; byte < width; byte++) {
            uint64_t x = 0;
            for (size_t k = 0; k < 8; k++)
                x |= (uint64_t)in[(8 * i + k) * width + byte] << (8 * k);
            x = transpose8(x);
            for (size_t k = 0; k < 8; k++)
                planes[8 * byte + k][i] = (uint8_t)(x >> (8 * k));
        }
    }
}

/* Advance all planes by `elements`, a multiple of 8. */
static inline void advance(const struct sam_layout *layout, const uint8_t *const planes[],
                           size_t elements, const uint8_t *moved[])
{
    for (size_t p = 0; p < layout->plane_count; p++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): there are as many */
        moved[p] = planes[p] + elements * layout->plane[p].unit / 8;
}

static void merge_elements(enum sam_layout_id id, const uint8_t *const planes[], size_t count,
                           uint8_t *elements)
{
    const struct sam_layout *layout = sam_layout_of(id);
    size_t n = LITTLE_ENDIAN_HOST ? count / 64 * 64 : 0;
    switch (id) {
    case SAM_LAYOUT_BYTES: memcpy(elements, planes[0], n); break;
    case SAM_LAYOUT_BF16: merge_bf16(planes[0], planes[1], n, elements); break;
    case SAM_LAYOUT_F16: merge_f16(planes, n, elements); break;
    case SAM_LAYOUT_F16_DENSE: merge_f16_dense(planes[0], planes[1], n, elements); break;
    case SAM_LAYOUT_F32: merge_f32(planes[0], planes[1], planes[2], planes[3], n, elements); break;
    case SAM_LAYOUT_E4M3: merge_e4m3(planes[0], planes[1], n, elements); break;
    case SAM_LAYOUT_E5M2: merge_e5m2(planes, n, elements); break;
    case SAM_LAYOUT_BITS8:
    case SAM_LAYOUT_BITS16:
    case SAM_LAYOUT_BITS32: merge_bits(planes, n, layout->element, elements); break;
    default: n = 0; break;
    }
    if (n < count) {
        const uint8_t *rest[SAM_MAX_PLANES];
        advance(layout, planes, n, rest);
        sam_planes_merge(id, rest, count - n, elements + n * layout->element);
    }
}

static void split_elements(enum sam_layout_id id, const uint8_t *elements, size_t count,
                           uint8_t *const planes[])
{
    const struct sam_layout *layout = sam_layout_of(id);
    size_t n = LITTLE_ENDIAN_HOST ? count / 64 * 64 : 0;
    switch (id) {
    case SAM_LAYOUT_BYTES: memcpy(planes[0], elements, n); break;
    case SAM_LAYOUT_BF16: split_bf16(elements, n, planes[0], planes[1]); break;
    case SAM_LAYOUT_F16: split_f16(elements, n, planes); break;
    case SAM_LAYOUT_F16_DENSE: split_f16_dense(elements, n, planes[0], planes[1]); break;
    case SAM_LAYOUT_F32: split_f32(elements, n, planes[0], planes[1], planes[2], planes[3]); break;
    case SAM_LAYOUT_E4M3: split_e4m3(elements, n, planes[0], planes[1]); break;
    case SAM_LAYOUT_E5M2: split_e5m2(elements, n, planes); break;
    case SAM_LAYOUT_BITS8:
    case SAM_LAYOUT_BITS16:
    case SAM_LAYOUT_BITS32: split_bits(elements, n, layout->element, planes); break;
    default: n = 0; break;
    }
    if (n < count) {
        uint8_t *rest[SAM_MAX_PLANES];
        for (size_t p = 0; p < layout->plane_count; p++)
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
            rest[p] = planes[p] + n * layout->plane[p].unit / 8;
        sam_planes_split(id, elements + n * layout->element, count - n, rest);
    }
}
