/* SPDX-License-Identifier: Apache-2.0 */
/* Part of lanes_tmpl.h: moves data between a register and one address per lane. Fast paths
 * by locality: consecutive addresses, one block of 128 bytes, one page, several pages. All other
 * cases, and instructions that may fault, are processed lane by lane. */

#define LANES_INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------------------------- properties of addresses */

/* The lanes whose addresses agree with `base` in the bits of `mask`. */
static inline uint32_t bits_in_block(const uint32_t *at, uint32_t base, uint32_t mask)
{
    uint32_t apart[SAM_LANES] __attribute__((aligned(64)));
    LANES apart[i] = at[i] ^ base;
    return ~bits_with(apart, mask);
}

/* The address bits that one page has in common, and the low bits of aligned addresses. */
#define BLOCK_PAGE(size) (~(SAM_PAGE_SIZE - 1) | ((size)-1))
#define BLOCK_BYTES      128u

/* Whether the accesses of `size` bytes, all in one page, end below `limit` in it. */
LANES_INLINE bool fits(const uint32_t *at, uint32_t bits, unsigned size, uint32_t limit)
{
    if (SAM_LIKELY(limit == SAM_PAGE_SIZE))
        return true;
    uint32_t offset[SAM_LANES] __attribute__((aligned(64)));
    uint32_t most[SAM_LANES] __attribute__((aligned(64)));
    LANES offset[i] = at[i] & (SAM_PAGE_SIZE - 1), most[i] = limit - size + 1;
    return limit >= size && !(~bits_below_unsigned(offset, most) & bits);
}

/* The lanes of `bits` that access the page of the lowest one; *host: its host address. Returns 0 if
 * the access may fault. */
LANES_INLINE uint32_t page_lanes(const struct sam_warp *w, const uint32_t *at, uint32_t bits,
                                 unsigned size, bool write, uint8_t **host)
{
    at = __builtin_assume_aligned(at, 64);
    const uint32_t first = at[__builtin_ctz(bits)];
    const struct sam_tlb_entry *page = &w->core.entries[first >> 12];
    const uint32_t same = bits_in_block(at, first, BLOCK_PAGE(size)) & bits;
    *host = page->host;
    if (first & (size - 1) || !fits(at, same, size, write ? page->write_limit : page->read_limit))
        return 0;
    return same;
}

/* -------------------------------------------------------------------------- one page, loads */

static inline uint32_t read_element(const uint8_t *from, unsigned size, bool is_signed)
{
    if (size == 4)
        return sam_le32(from);
    if (size == 2)
        return is_signed ? (uint32_t)(int16_t)sam_le16(from) : sam_le16(from);
    return is_signed ? (uint32_t)(int8_t)*from : *from;
}

#if LANES_MASKS
/* Gather half a register of elements from the words that contain them. */
static inline __m512i extract(__m512i word, __m512i at, unsigned size, bool is_signed)
{
    if (size == 4)
        return word;
    const __m512i offset = _mm512_slli_epi32(_mm512_and_epi32(at, _mm512_set1_epi32(3)), 3);
    const unsigned rest = 32 - 8 * size;
    word = _mm512_slli_epi32(_mm512_srlv_epi32(word, offset), rest);
    return is_signed ? _mm512_srai_epi32(word, rest) : _mm512_srli_epi32(word, rest);
}

/* All addresses in a block of 128 bytes. */
LANES_INLINE void load_block(const uint8_t *block, const uint32_t *at, uint32_t bits, uint32_t *to,
                             unsigned size, bool is_signed)
{
    const __m512i low = _mm512_loadu_si512(block), high = _mm512_loadu_si512(block + 64);
    for (int k = 0; k < 2; k++) {
        const __m512i a = LANES_HALF(at, k);
        __m512i words = _mm512_permutex2var_epi32(low, _mm512_srli_epi32(a, 2), high);
        words = extract(words, a, size, is_signed);
        _mm512_store_si512(to + 16 * k, _mm512_mask_mov_epi32(LANES_HALF(to, k),
                                                              (__mmask16)(bits >> 16 * k), words));
    }
}

/* Rows of eight consecutive words, as tiles have them: a gather takes longer. Returns false if the
 * lanes of `bits` access others. `from` is the word at the address `first`. */
LANES_INLINE bool load_rows(const uint32_t *at, const uint8_t *from, uint32_t first, uint32_t bits,
                            uint32_t *to)
{
    const __m512i row = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
    const __m512i column =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    uint32_t rows = 0;
    for (int k = 0; k < 2; k++) {
        const __m512i begins = _mm512_permutexvar_epi32(row, LANES_HALF(at, k));
        const __m512i next = _mm512_add_epi32(begins, column);
        rows |= (uint32_t)_mm512_cmpeq_epi32_mask(next, LANES_HALF(at, k)) << 16 * k;
    }
    if (bits & ~rows)
        return false;
    for (int k = 0; k < 2; k++) {
        const __m512i a = LANES_HALF(at, k), old = LANES_HALF(to, k);
        const uint32_t low = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(a));
        const uint32_t high = (uint32_t)_mm_cvtsi128_si32(_mm512_extracti32x4_epi32(a, 2));
        const __m256i left = _mm256_mask_loadu_epi32(
            _mm512_castsi512_si256(old), (__mmask8)(bits >> 16 * k), from + (int32_t)(low - first));
        const __m256i right = _mm256_mask_loadu_epi32(_mm512_extracti64x4_epi64(old, 1),
                                                      (__mmask8)(bits >> (16 * k + 8)),
                                                      from + (int32_t)(high - first));
        _mm512_store_si512(to + 16 * k, _mm512_inserti64x4(_mm512_castsi256_si512(left), right, 1));
    }
    return true;
}

/* Any addresses in a page. */
LANES_INLINE void gather(const uint32_t *at, const uint8_t *host, uint32_t bits, uint32_t *to,
                         unsigned size, bool is_signed)
{
    const __m512i in_page = _mm512_set1_epi32((SAM_PAGE_SIZE - 1) & ~3u);
    for (int k = 0; k < 2; k++) {
        const __m512i a = LANES_HALF(at, k), old = LANES_HALF(to, k);
        const __mmask16 mask = (__mmask16)(bits >> 16 * k);
        const __m512i words =
            _mm512_mask_i32gather_epi32(old, mask, _mm512_and_epi32(a, in_page), host, 1);
        _mm512_store_si512(to + 16 * k,
                           _mm512_mask_mov_epi32(old, mask, extract(words, a, size, is_signed)));
    }
}

/* Rows or any addresses; `first` is that of the lowest lane. */
LANES_INLINE void load_apart(const uint32_t *at, const uint8_t *host, uint32_t first, uint32_t bits,
                             uint32_t *to, unsigned size, bool is_signed)
{
    if (size != 4 || !load_rows(at, host + (first & (SAM_PAGE_SIZE - 1)), first, bits, to))
        gather(at, host, bits, to, size, is_signed);
}

LANES_INLINE void load_page(struct sam_warp *w, const uint32_t *at, const uint8_t *host,
                            uint32_t bits, uint32_t *to, unsigned size, bool is_signed)
{
    (void)w;
    at = __builtin_assume_aligned(at, 64);
    const uint32_t low = (uint32_t)__builtin_ctz(bits), first = at[low];
    const uint32_t offset = first & (SAM_PAGE_SIZE - 1);
    if (size == 4 && follows(at, first - 4 * low, 4, bits)) {
        const uint8_t *from = host + offset - 4 * low; /* do not read the bytes of other lanes */
        for (int k = 0; k < 2; k++)
            _mm512_store_si512(to + 16 * k,
                               _mm512_mask_loadu_epi32(LANES_HALF(to, k),
                                                       (__mmask16)(bits >> 16 * k), from + 64 * k));
        return;
    }
    if (!(~bits_in_block(at, first, ~(BLOCK_BYTES - 1)) & bits)) {
        load_block(host + (offset & ~(BLOCK_BYTES - 1)), at, bits, to, size, is_signed);
        return;
    }
    load_apart(at, host, first, bits, to, size, is_signed);
}
#else
LANES_INLINE void load_page(struct sam_warp *w, const uint32_t *at, const uint8_t *host,
                            uint32_t bits, uint32_t *to, unsigned size, bool is_signed)
{
    at = __builtin_assume_aligned(at, 64);
    const uint32_t low = (uint32_t)__builtin_ctz(bits), first = at[low];
    if (size == 4 && follows(at, first - 4 * low, 4, bits)) {
        const uint8_t *from = host + (first & (SAM_PAGE_SIZE - 1)) - 4 * low;
        const uint32_t *words = (const uint32_t *)(const void *)from;
        const lane_set m = set_of(w, bits);
        if (bits == UINT32_MAX)
            memcpy(to, from, 4 * SAM_LANES);
        else
            LANES if (ON(m)) to[i] = words[i];
        return;
    }
    if (!(~bits_in_block(at, first, UINT32_MAX) & bits)) {
        const uint32_t word = read_element(host + (first & (SAM_PAGE_SIZE - 1)), size, is_signed);
        const lane_set m = set_of(w, bits);
        LANES to[i] = ON(m) ? word : to[i];
        return;
    }
    for (; bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        to[lane] = read_element(host + (at[lane] & (SAM_PAGE_SIZE - 1)), size, is_signed);
    }
}
#endif

/* -------------------------------------------------------------------------------- all loads */

/* sam_access_slow for one lane, which the core reports on a fault or event. */
static SAM_NOINLINE uint8_t *access_lane(struct sam_core *c, unsigned lane, uint32_t address,
                                         unsigned size, enum sam_access access)
{
    const unsigned before = c->event;
    uint8_t *host = sam_access_slow(c, address, size, access);
    if (!host || c->event != before)
        c->fault_lane = lane;
    return host;
}

/* Lane by lane. On a fault the core holds cause, value and lane. */
static inline bool load_each(struct sam_warp *w, const uint32_t *at, uint32_t bits, uint32_t *to,
                             unsigned size, bool is_signed)
{
    struct sam_core *c = &w->core;
    for (; bits; bits &= bits - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(bits);
        const uint8_t *host = sam_fast32(c, at[lane], size, false);
        if (SAM_UNLIKELY(!host) && !(host = access_lane(c, lane, at[lane], size, SAM_LOAD)))
            return false;
        to[lane] = read_element(host, size, is_signed);
    }
    return true;
}

/* Several pages, or possible faults. On a fault `vd` is unchanged. */
static inline bool load_pages(struct sam_warp *w, const uint32_t *at, uint32_t bits, uint32_t *vd,
                              unsigned size, bool is_signed)
{
    enum { WORTH = 8 }; /* lanes per page from which page checks pay off */
    uint32_t *data = __builtin_assume_aligned(&w->data[0], 64);
    uint32_t rest = bits, same;
    uint8_t *host;
    for (; rest; rest &= ~same) {
        same = page_lanes(w, at, rest, size, false, &host);
        if (__builtin_popcount(same) < WORTH)
            break;
        load_page(w, at, host, same, data, size, is_signed);
    }
    /* In lane order: the lowest faulting lane is the one reported. */
    if (!load_each(w, at, rest, data, size, is_signed))
        return false;
    blend(w, bits, vd, data);
    return true;
}

/* Translations load from two pages and leave the rest to the interpreter, with vd unchanged. */
#if SAM_TRANSLATED
#define STORE_PAGES(call) false
#if LANES_MASKS
LANES_INLINE bool load_two(struct sam_warp *w, const uint32_t *at, uint32_t bits, uint32_t *vd,
                           unsigned size, bool is_signed)
{
    uint8_t *hosts[2];
    const uint32_t same = page_lanes(w, at, bits, size, false, &hosts[0]), rest = bits & ~same;
    if (!same || page_lanes(w, at, rest, size, false, &hosts[1]) != rest)
        return false;
    load_apart(at, hosts[0], at[__builtin_ctz(same)], same, vd, size, is_signed);
    load_apart(at, hosts[1], at[__builtin_ctz(rest)], rest, vd, size, is_signed);
    return true;
}
#define LOAD_PAGES load_two
#else
#define LOAD_PAGES(...) false
#endif
#else
#define STORE_PAGES(call) call
#define LOAD_PAGES        load_pages
#endif

/* load_<size>_<is_signed>: load `size` bytes per lane into vd and extend them. On a fault vd is
 * unchanged and the core holds cause, value and lane. One copy serves all instructions. */
#define LOADER(size, is_signed)                                                                    \
    static SAM_NOINLINE bool load_pages_##size##_##is_signed(                                      \
        struct sam_warp *w, const uint32_t *at, uint32_t bits, uint32_t *vd)                       \
    {                                                                                              \
        (void)w, (void)at, (void)bits, (void)vd;                                                   \
        return LOAD_PAGES(w, at, bits, vd, size, is_signed);                                       \
    }                                                                                              \
    static SAM_NOINLINE bool load_##size##_##is_signed(struct sam_warp *w, const uint32_t *at,     \
                                                       uint32_t bits, uint32_t *vd)                \
    {                                                                                              \
        uint8_t *host;                                                                             \
        if (SAM_UNLIKELY(!bits))                                                                   \
            return true;                                                                           \
        if (SAM_UNLIKELY(page_lanes(w, at, bits, size, false, &host) != bits))                     \
            return load_pages_##size##_##is_signed(w, at, bits, vd);                               \
        load_page(w, at, host, bits, vd, size, is_signed);                                         \
        return true;                                                                               \
    }
LOADER(1, 0)
LOADER(1, 1)
LOADER(2, 0)
LOADER(2, 1)
LOADER(4, 1)

/* ----------------------------------------------------------------------------------- stores */

/* One page; where addresses collide, the highest lane wins. */
static inline void store_each(uint8_t *host, const uint32_t *at, uint32_t bits, const uint32_t *vs,
                              unsigned size)
{
    for (; bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        memcpy(host + (at[lane] & (SAM_PAGE_SIZE - 1)), &vs[lane], size); /* little-endian hosts */
    }
}

#if LANES_MASKS
LANES_INLINE void store_page(struct sam_warp *w, const uint32_t *at, uint8_t *host, uint32_t bits,
                             const uint32_t *vs, unsigned size)
{
    (void)w;
    at = __builtin_assume_aligned(at, 64);
    const uint32_t low = (uint32_t)__builtin_ctz(bits), first = at[low];
    if (follows(at, first - 4 * low, 4, bits)) {
        uint8_t *to = host + (first & (SAM_PAGE_SIZE - 1)) - 4 * low;
        for (int k = 0; k < 2; k++) {
            const __mmask16 mask = (__mmask16)(bits >> 16 * k);
            /* The bytes of each word that are stored. */
            if (size == 4)
                _mm512_mask_storeu_epi32(to + 64 * k, mask, LANES_HALF(vs, k));
            else if (size == 2)
                _mm512_mask_storeu_epi16(
                    to + 64 * k, _mm512_movepi16_mask(_mm512_maskz_set1_epi32(mask, 0x8000)),
                    LANES_HALF(vs, k));
            else
                _mm512_mask_storeu_epi8(to + 64 * k,
                                        _mm512_movepi8_mask(_mm512_maskz_set1_epi32(mask, 0x80)),
                                        LANES_HALF(vs, k));
        }
        return;
    }
    if (size != 4) {
        store_each(host, at, bits, vs, size);
        return;
    }
    const __m512i in_page = _mm512_set1_epi32(SAM_PAGE_SIZE - 1);
    for (int k = 0; k < 2; k++) /* where two lanes store one word, the last one wins */
        _mm512_mask_i32scatter_epi32(host, (__mmask16)(bits >> 16 * k),
                                     _mm512_and_epi32(LANES_HALF(at, k), in_page),
                                     LANES_HALF(vs, k), 1);
}
#else
LANES_INLINE void store_page(struct sam_warp *w, const uint32_t *at, uint8_t *host, uint32_t bits,
                             const uint32_t *vs, unsigned size)
{
    at = __builtin_assume_aligned(at, 64);
    const uint32_t low = (uint32_t)__builtin_ctz(bits), first = at[low];
    if (size != 4 || !follows(at, first - 4 * low, 4, bits)) {
        store_each(host, at, bits, vs, size);
        return;
    }
    uint32_t *to = (uint32_t *)(void *)(host + (first & (SAM_PAGE_SIZE - 1)) - 4 * low);
    const lane_set m = set_of(w, bits);
    if (bits == UINT32_MAX)
        memcpy(to, vs, 4 * SAM_LANES);
    else
        LANES if (ON(m)) to[i] = vs[i];
}
#endif

/* Lane by lane. On a fault, lower lanes have already stored. */
static inline bool store_pages(struct sam_warp *w, const uint32_t *at, uint32_t bits,
                               const uint32_t *vs, unsigned size)
{
    struct sam_core *c = &w->core;
    for (; bits; bits &= bits - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(bits);
        uint8_t *host = sam_fast32(c, at[lane], size, true);
        if (SAM_UNLIKELY(!host) && !(host = access_lane(c, lane, at[lane], size, SAM_STORE)))
            return false;
        memcpy(host, &vs[lane], size); /* little-endian hosts */
    }
    return true;
}

/* store_<size>: store the low `size` bytes of each lane; where addresses collide, the highest lane
 * wins. On a fault, lower lanes have already stored. */
#define STORER(size)                                                                               \
    static SAM_NOINLINE bool store_pages_##size(struct sam_warp *w, const uint32_t *at,            \
                                                uint32_t bits, const uint32_t *vs)                 \
    {                                                                                              \
        (void)w, (void)at, (void)bits, (void)vs;                                                   \
        return STORE_PAGES(store_pages(w, at, bits, vs, size));                                    \
    }                                                                                              \
    static SAM_NOINLINE bool store_##size(struct sam_warp *w, const uint32_t *at, uint32_t bits,   \
                                          const uint32_t *vs)                                      \
    {                                                                                              \
        uint8_t *host;                                                                             \
        if (SAM_UNLIKELY(!bits))                                                                   \
            return true;                                                                           \
        if (SAM_UNLIKELY(page_lanes(w, at, bits, size, true, &host) != bits))                      \
            return store_pages_##size(w, at, bits, vs);                                            \
        store_page(w, at, host, bits, vs, size);                                                   \
        return true;                                                                               \
    }
STORER(1)
STORER(2)
STORER(4)
