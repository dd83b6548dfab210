/* SPDX-License-Identifier: Apache-2.0 */
/* Making chunks: split into planes, count, choose which blocks share codes and a mode per block,
 * write. A block that gains too little is stored raw, so that reading it is a copy. */
#include "codec/chunk.h"

enum {
    SAMPLES = 4096,    /* symbols sampled from a plane to detect noise */
    SHARING = 1 << 10, /* bytes that a separate code must save: a reader takes 20 us per table */
};

size_t sam_chunk_bound(enum sam_layout_id layout, size_t count)
{
    const struct sam_layout *l = sam_layout_of(layout);
    struct sam_chunk_span span = {.count = count};
    size_t tables = (size_t)l->plane_count * (3 + 128);
    size_t size = SAM_CHUNK_HEADER + sam_chunk_span_blocks(&span) * (SAM_CHUNK_ENTRY + tables);
    size += 1 + count / SAM_RESTART * l->plane_count * SAM_RESTART_BYTES;
    return (size + count * l->element + SAM_ALIGN - 1) / SAM_ALIGN * SAM_ALIGN;
}

bool sam_chunk_maker_open(struct sam_chunk_maker *maker, const struct sam_codec_ops *ops,
                          const struct sam_allocator *allocator, uint32_t layouts, size_t count)
{
    size_t coded, size = sam_layout_most(layouts, count, &coded);
    struct sam_chunk_span span = {.count = count};
    *maker = (struct sam_chunk_maker){.ops = ops, .allocator = allocator};
    maker->planes = sam_codec_alloc(allocator, size);
    coded *= sam_chunk_span_blocks(&span);
    maker->counts = sam_codec_alloc(allocator, coded * sizeof *maker->counts);
    maker->codes = sam_codec_alloc(allocator, coded * sizeof *maker->codes);
    if (maker->planes && maker->counts && maker->codes)
        return true;
    sam_chunk_maker_close(maker);
    return false;
}

void sam_chunk_maker_close(struct sam_chunk_maker *maker)
{
    sam_codec_free(maker->allocator, maker->planes);
    sam_codec_free(maker->allocator, maker->counts);
    sam_codec_free(maker->allocator, maker->codes);
    *maker = (struct sam_chunk_maker){0};
}

/* A chunk being made. */
struct making {
    const struct sam_chunk_maker *maker;
    const struct sam_chunk_span *span;
    const struct sam_layout *layout;
    uint8_t *planes[SAM_MAX_PLANES]; /* of the whole chunk */
    uint64_t hash[SAM_CHUNK_BLOCKS];
    uint32_t noise[SAM_CHUNK_BLOCKS]; /* bit per plane: classified as noise, not counted */
    uint8_t shares[SAM_CHUNK_BLOCKS]; /* the block whose codes it uses: itself or an earlier one */
    uint32_t has_code[SAM_CHUNK_BLOCKS]; /* of a block with codes of its own: bit per plane */
};

static uint8_t *plane_of_block(const struct making *m, size_t plane, size_t block)
{
    return m->planes[plane] +
           sam_plane_size(&m->layout->plane[plane], block * SAM_CHUNK_BLOCK_SIZE);
}

static uint32_t *counts_of(const struct making *m, size_t plane, size_t block)
{
    return m->maker->counts[block * m->layout->plane_count + plane];
}

static struct sam_huffman *code_of(const struct making *m, size_t plane, size_t block)
{
    return &m->maker->codes[m->shares[block] * m->layout->plane_count + plane];
}

/* log2 of x > 0, in 256ths. */
static uint64_t log2_of(uint64_t x)
{
    unsigned whole = 63 - (unsigned)__builtin_clzll(x);
    uint64_t bits = whole, y = whole > 31 ? x >> (whole - 31) : x << (31 - whole);
    for (unsigned i = 0; i < 8; i++) {
        y = y * y >> 31; /* y / 2^31 is in [1, 2); its square's integer part is the next bit */
        bits = bits << 1 | y >> 32;
        y >>= y >> 32;
    }
    return bits;
}

/* Entropy of symbols with these counts, in 256ths of a bit. */
static uint64_t entropy_of(const uint32_t counts[256])
{
    uint64_t bits = 0, all = 0;
    for (unsigned s = 0; s < 256; s++)
        all += counts[s];
    for (unsigned s = 0; s < 256; s++)
        if (counts[s])
            bits += counts[s] * (log2_of(all) - log2_of(counts[s]));
    return bits;
}

bool sam_plane_is_noise(const struct sam_codec_ops *ops, const uint8_t *symbols, size_t count)
{
    enum { PLACES = 4, PIECE = SAMPLES / PLACES };
    uint32_t counts[256] = {0};
    bool small = count < (size_t)4 * SAMPLES;
    for (size_t i = 0; i < (small ? 1 : PLACES); i++)
        ops->count(symbols + (small ? 0 : (count - PIECE) / (PLACES - 1) * i),
                   small ? count : PIECE, counts);
    /* Few pairs of equal symbols imply high entropy, and counting them is fast. */
    uint64_t all = small ? count : SAMPLES, pairs = 0;
    for (unsigned s = 0; s < 256; s++)
        pairs += (uint64_t)counts[s] * counts[s] - counts[s];
    return pairs < all * all / 147 /* 2^7.2, 90 % of 8 bits */ ||
           entropy_of(counts) > all * 2048 * SAM_NOISE / 100;
}

static void split_and_count(struct making *m, const uint8_t *elements)
{
    const struct sam_layout *l = m->layout;
    uint8_t *at = m->maker->planes;
    for (size_t p = 0; p < l->plane_count; p++) {
        m->planes[p] = at;
        at += sam_plane_size(&l->plane[p], m->span->count);
    }
    for (size_t b = 0; b < sam_chunk_span_blocks(m->span); b++) {
        size_t count = sam_chunk_block_elements(m->span, b);
        uint8_t *planes[SAM_MAX_PLANES];
        for (size_t p = 0; p < l->plane_count; p++)
            planes[p] = plane_of_block(m, p, b);
        const uint8_t *from = elements + b * SAM_CHUNK_BLOCK_SIZE * l->element;
        m->maker->ops->split(m->span->layout, from, count, planes);
        m->hash[b] = m->maker->ops->hash(from, count * l->element, sam_chunk_seed(m->span, b));
        for (size_t p = 0; p < l->plane_count; p++) {
            uint32_t *counts = counts_of(m, p, b);
            size_t symbols = sam_plane_size(&l->plane[p], count);
            memset(counts, 0, 256 * sizeof *counts);
            if (p >= l->coded_count && sam_plane_is_noise(m->maker->ops, planes[p], symbols))
                m->noise[b] |= 1u << p;
            else
                m->maker->ops->count(planes[p], symbols, counts);
        }
    }
}

/* The range of symbols with stored code lengths. */
static void code_range(const struct sam_huffman *code, unsigned *first, unsigned *last)
{
    for (*first = 0; !code->length[*first];)
        ++*first;
    for (*last = 255; !code->length[*last];)
        --*last;
}

static void add_counts(const struct making *m, size_t plane, size_t block, uint32_t sum[256])
{
    for (unsigned s = 0; s < 256; s++)
        sum[s] += counts_of(m, plane, block)[s];
}

/* Estimate the coded bytes of blocks [begin, end) with one code per plane. */
static uint64_t together(const struct making *m, size_t begin, size_t end)
{
    uint64_t bits = 0;
    for (size_t p = 0; p < m->layout->plane_count; p++) {
        uint32_t sum[256] = {0};
        for (size_t b = begin; b < end; b++)
            add_counts(m, p, b, sum);
        bits += entropy_of(sum);
    }
    return bits / (8 * 256);
}

/* Find the cheapest partition into runs of blocks that share codes, charging SHARING per run. */
static void choose_shares(struct making *m)
{
    size_t blocks = sam_chunk_span_blocks(m->span);
    uint64_t least[SAM_CHUNK_BLOCKS + 1] = {0}, apart = 0, whole = together(m, 0, blocks);
    uint8_t from[SAM_CHUNK_BLOCKS + 1] = {0};
    memset(m->shares, 0, sizeof m->shares);
    for (size_t b = 0; b < blocks; b++)
        apart += together(m, b, b + 1);
    if (whole < apart + SHARING)
        return;
    for (size_t end = 1; end <= blocks; end++) {
        least[end] = UINT64_MAX;
        for (size_t begin = 0; begin < end; begin++) {
            uint64_t bytes = least[begin] + together(m, begin, end) + SHARING;
            if (bytes < least[end]) {
                least[end] = bytes;
                from[end] = (uint8_t)begin;
            }
        }
    }
    for (size_t end = blocks; end > 0; end = from[end])
        memset(m->shares + from[end], from[end], end - from[end]);
}

/* Count the blocks from `block` on that share its codes. */
static size_t sharers(const struct making *m, size_t block)
{
    size_t end = block;
    while (end < sam_chunk_span_blocks(m->span) && m->shares[end] == m->shares[block])
        end++;
    return end - block;
}

/* Returns whether a plane's code saves more bytes, over the blocks that share it, than its own
 * description takes. */
static bool code_pays(const struct making *m, size_t plane, size_t block,
                      const uint32_t counts[256])
{
    const struct sam_huffman *code = code_of(m, plane, block);
    unsigned first, last;
    uint64_t bits = 0, symbols = 0;
    code_range(code, &first, &last);
    for (unsigned s = first; s <= last; s++) {
        symbols += code->length[s] ? counts[s] : 0;
        bits += (uint64_t)counts[s] * code->length[s];
    }
    uint64_t more =
        3 + (last - first) / 2 + sharers(m, block) * SAM_STREAMS * (sizeof(uint32_t) + 1);
    return bits / 8 + more < symbols;
}

/* The counts to build a plane's code from; with a counter they may miss symbols that occur. */
static const uint32_t *counted(const struct making *m, size_t plane, const uint32_t exact[256],
                               uint32_t room[256])
{
    static const uint32_t none[256];
    const struct sam_counter *counter = m->maker->counter;
    if (!counter)
        return exact;
    if (counter->given)
        return plane ? none : counter->given;
    sam_counter_read(counter, exact, room);
    return room;
}

static void choose_codes(struct making *m)
{
    if (m->maker->counter && m->maker->counter->given)
        memset(m->shares, 0, sizeof m->shares);
    else
        choose_shares(m);
    for (size_t b = 0; b < sam_chunk_span_blocks(m->span); b += sharers(m, b)) {
        for (size_t p = 0; p < m->layout->plane_count; p++) {
            uint32_t sum[256] = {0}, room[256];
            unsigned used = 0;
            for (size_t i = 0; i < sharers(m, b); i++)
                add_counts(m, p, b + i, sum);
            const uint32_t *counts = counted(m, p, sum, room);
            for (unsigned s = 0; s < 256; s++)
                used += counts[s] != 0;
            memset(code_of(m, p, b), 0, sizeof(struct sam_huffman));
            if (used >= 2) {
                sam_huffman_make(counts, code_of(m, p, b));
                m->has_code[b] |= (uint32_t)code_pays(m, p, b, sum) << p;
            }
        }
    }
}

struct plan {
    enum sam_plane_mode mode[SAM_MAX_PLANES];
    uint8_t symbol[SAM_MAX_PLANES];
    size_t size; /* upper estimate for the block */
    size_t raw;  /* with all planes raw */
};

static void plan_plane(const struct making *m, size_t plane, size_t block, size_t symbols,
                       struct plan *plan)
{
    const uint32_t *counts = counts_of(m, plane, block);
    uint64_t bits = 0;
    bool lacks = false; /* some symbol has no code */
    for (unsigned s = 0; s < 256; s++) {
        bits += (uint64_t)counts[s] * code_of(m, plane, block)->length[s];
        lacks |= counts[s] && !code_of(m, plane, block)->length[s];
        if (counts[s] && counts[s] == symbols) {
            plan->mode[plane] = SAM_PLANE_CONSTANT;
            plan->symbol[plane] = (uint8_t)s;
            plan->size += 2;
            return;
        }
    }
    size_t coded = (size_t)(bits / 8) + SAM_STREAMS * (sizeof(uint32_t) + 1);
    bool noise = m->noise[block] >> plane & 1;
    bool code = !noise && !lacks && (m->has_code[m->shares[block]] >> plane & 1) &&
                coded + symbols / SAM_LEAST_GAIN < symbols;
    plan->mode[plane] = code ? SAM_PLANE_CODED : SAM_PLANE_RAW;
    plan->size += 1 + (code ? coded : symbols);
    plan->raw += code ? 0 : symbols;
}

/* Decide whether the block is stored as planes. */
static bool plan_block(const struct making *m, size_t block, struct plan *plan)
{
    const struct sam_layout *l = m->layout;
    size_t count = sam_chunk_block_elements(m->span, block), whole = count * l->element;
    *plan = (struct plan){0};
    for (size_t p = 0; p < l->plane_count; p++)
        plan_plane(m, p, block, sam_plane_size(&l->plane[p], count), plan);
    return plan->size + whole / SAM_LEAST_GAIN < whole;
}

/* `next`: this block's share of the data likely to be packed after the chunk, for prefetching. */
static uint8_t *write_planes(const struct making *m, size_t block, const struct plan *plan,
                             const uint8_t *next, uint8_t *out)
{
    const struct sam_layout *l = m->layout;
    size_t count = sam_chunk_block_elements(m->span, block);
    uint8_t *list = out;
    const struct sam_warm warm = {next, out + plan->size - plan->raw, count * l->element,
                                  plan->raw};
    for (size_t p = 0; p < l->plane_count; p++)
        out += plan->mode[p] == SAM_PLANE_CODED      ? 1 + SAM_STREAMS * sizeof(uint32_t)
               : plan->mode[p] == SAM_PLANE_CONSTANT ? 2
                                                     : 1;
    for (size_t p = 0; p < l->plane_count; p++) {
        const uint8_t *symbols = plane_of_block(m, p, block);
        size_t size = sam_plane_size(&l->plane[p], count);
        enum sam_plane_mode mode = plan->mode[p];
        *list++ = (uint8_t)mode;
        if (mode == SAM_PLANE_CONSTANT) {
            *list++ = plan->symbol[p];
        } else if (mode == SAM_PLANE_RAW) {
            memcpy(out, symbols, size);
            out += size;
        } else {
            uint32_t sizes[SAM_STREAMS];
            m->maker->ops->encode(code_of(m, p, block), symbols, size, out, sizes, &warm);
            for (unsigned j = 0; j < SAM_STREAMS; j++, list += sizeof(uint32_t)) {
                sam_put_le32(list, sizes[j]);
                out += sizes[j];
            }
        }
    }
    return out;
}

static uint8_t *write_code(const struct sam_huffman *code, uint8_t *out)
{
    unsigned first, last;
    code_range(code, &first, &last);
    *out++ = 1;
    *out++ = (uint8_t)first;
    *out++ = (uint8_t)last;
    for (unsigned s = first; s <= last; s += 2)
        *out++ = (uint8_t)(code->length[s] | (s < last ? code->length[s + 1] << 4 : 0));
    return out;
}

/* Bit positions from which the streams of a plane can decode the element before each multiple of
 * SAM_RESTART. */
static uint8_t *write_restarts(const struct making *m, size_t plane, size_t block, uint8_t *out)
{
    const size_t count = sam_chunk_block_elements(m->span, block);
    const size_t points = sam_restart_points(count), unit = m->layout->plane[plane].unit;
    const size_t symbols = sam_plane_size(&m->layout->plane[plane], count);
    const uint8_t *length = code_of(m, plane, block)->length;
    const uint8_t *symbol = plane_of_block(m, plane, block);
    const size_t run = sam_stream_length(symbols);
    for (size_t i = 0; i < points; i++) {
        const size_t at = (i + 1) * SAM_RESTART * unit / 8;
        size_t end = ((at - 1) / run + 1) * run;
        uint32_t bits = 0;
        for (end = end < symbols ? end : symbols; end > at; end--)
            bits += length[symbol[end - 1]];
        for (unsigned byte = 0; byte < SAM_RESTART_BYTES; byte++)
            *out++ = (uint8_t)(bits >> 8 * byte);
    }
    return out;
}

static uint8_t *write_index(const struct making *m, const bool planes[], const uint32_t used[],
                            uint8_t *out)
{
    *out++ = SAM_RESTART_KIND;
    for (size_t b = 0; b < sam_chunk_span_blocks(m->span); b++)
        for (size_t p = 0; planes[b] && p < m->layout->plane_count; p++)
            if (used[m->shares[b]] >> p & 1)
                out = write_restarts(m, p, b, out);
    return out;
}

/* Complete a chunk whose blocks begin after `header` bytes and end at `at`. Returns its size. */
static size_t finish(const struct sam_chunk_maker *maker, const struct sam_chunk_span *span,
                     size_t header, unsigned own, uint8_t *out, uint8_t *at)
{
    size_t size = (size_t)(at - out), padded = (size + SAM_ALIGN - 1) / SAM_ALIGN * SAM_ALIGN;
    memset(at, 0, padded - size);
    sam_put_le32(out + 8, (uint32_t)padded);
    sam_put_le16(out + 12, (uint16_t)header);
    out[14] = (uint8_t)sam_chunk_span_blocks(span);
    out[15] = (uint8_t)own;
    sam_put_le64(out, maker->ops->hash(out + 8, header - 8, sam_chunk_seed(span, 0)));
    return padded;
}

/* A chunk without codes, whose blocks are windows or verbatim. */
static size_t make_windows(const struct sam_chunk_maker *maker, const struct sam_chunk_span *span,
                           const uint8_t *elements, uint8_t *out)
{
    const struct sam_layout *l = sam_layout_of(span->layout);
    const size_t blocks = sam_chunk_span_blocks(span);
    const size_t header = SAM_CHUNK_HEADER + blocks * SAM_CHUNK_ENTRY + l->plane_count;
    uint8_t *entry = out + SAM_CHUNK_HEADER, *at = out + header;
    memset(entry + blocks * SAM_CHUNK_ENTRY, 0, l->plane_count);
    for (size_t b = 0; b < blocks; b++, entry += SAM_CHUNK_ENTRY) {
        const uint8_t *from = elements + b * SAM_CHUNK_BLOCK_SIZE * l->element;
        const size_t whole = sam_chunk_block_elements(span, b) * l->element;
        const uint64_t seed = sam_chunk_seed(span, b);
        size_t size = sam_window_make(maker->ops, span, b, from, at);
        enum sam_chunk_block_mode mode = size ? SAM_CHUNK_WINDOW : SAM_CHUNK_VERBATIM;
        uint64_t hash = 0;
        if (size)
            hash = maker->ops->hash(at, sam_window_table_size(sam_chunk_block_elements(span, b)),
                                    seed);
        else
            hash = maker->ops->copy(at, from, size = whole, seed);
        sam_put_le32(entry, (uint32_t)size | (uint32_t)mode << 30);
        sam_put_le64(entry + 4, hash);
        at += size;
    }
    return finish(maker, span, header, 0, out, at);
}

size_t sam_chunk_make(const struct sam_chunk_maker *maker, const struct sam_chunk_span *span,
                      const uint8_t *elements, uint8_t *out)
{
    struct making m = {.maker = maker, .span = span, .layout = sam_layout_of(span->layout)};
    struct plan plan[SAM_CHUNK_BLOCKS];
    bool planes[SAM_CHUNK_BLOCKS] = {0};
    size_t blocks = sam_chunk_span_blocks(span);
    uint32_t used[SAM_CHUNK_BLOCKS] = {0}; /* codes */
    unsigned own = 0;                      /* bit per block after the first: has its own codes */
    if (maker->window)
        return make_windows(maker, span, elements, out);
    split_and_count(&m, elements);
    choose_codes(&m);
    for (size_t b = 0; b < blocks; b++) {
        planes[b] = plan_block(&m, b, &plan[b]);
        for (size_t p = 0; planes[b] && p < m.layout->plane_count; p++)
            used[m.shares[b]] |= (uint32_t)(plan[b].mode[p] == SAM_PLANE_CODED) << p;
    }
    uint8_t *entry = out + SAM_CHUNK_HEADER, *at = entry + blocks * SAM_CHUNK_ENTRY;
    for (size_t b = 0; b < blocks; b += sharers(&m, b)) {
        own |= (b > 0) << b;
        for (size_t p = 0; p < m.layout->plane_count; p++) {
            if (used[b] >> p & 1)
                at = write_code(code_of(&m, p, b), at);
            else
                *at++ = 0;
        }
    }
    at = maker->restart ? write_index(&m, planes, used, at) : at;
    size_t header = (size_t)(at - out);
    for (size_t b = 0; b < blocks; b++, entry += SAM_CHUNK_ENTRY) {
        const uint8_t *from = elements + b * SAM_CHUNK_BLOCK_SIZE * m.layout->element;
        size_t whole = sam_chunk_block_elements(span, b) * m.layout->element;
        uint8_t *start = at;
        if (planes[b]) {
            at = write_planes(&m, b, &plan[b], from + span->count * m.layout->element, at);
        } else {
            memcpy(at, from, whole);
            at += whole;
        }
        sam_put_le32(entry, (uint32_t)(at - start) | (uint32_t)planes[b] << 30);
        sam_put_le64(entry + 4, m.hash[b]);
    }
    return finish(maker, span, header, own, out, at);
}
