/* SPDX-License-Identifier: Apache-2.0 */
/* A decoder written from docs/format-codec.md alone, bit by bit, using only the packer of the
 * library: it must restore the file. */

#include "test.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/roundtrip.h"
#include "codec/weights.h"

static uint64_t number(const uint8_t *p, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes--)
        value = value << 8 | p[bytes];
    return value;
}

static uint64_t varying(const uint8_t **p)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*p)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

/* Per layout: bytes per element; then planes: unit, and the bits from low to high. */
struct plane {
    unsigned unit, count;
    uint8_t bits[8];
};
struct layout {
    unsigned element, count;
    struct plane planes[32];
};

static struct layout layout_of(unsigned id)
{
    static const struct layout table[] = {
        {1, 1, {{8, 8, {0, 1, 2, 3, 4, 5, 6, 7}}}},
        {2, 2, {{8, 8, {7, 8, 9, 10, 11, 12, 13, 14}}, {8, 8, {0, 1, 2, 3, 4, 5, 6, 15}}}},
        {2,
         5,
         {{8, 5, {10, 11, 12, 13, 14}},
          {8, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
          {1, 1, {8}},
          {1, 1, {9}},
          {1, 1, {15}}}},
        {2, 2, {{8, 8, {8, 9, 10, 11, 12, 13, 14, 15}}, {8, 8, {0, 1, 2, 3, 4, 5, 6, 7}}}},
        {4,
         4,
         {{8, 8, {23, 24, 25, 26, 27, 28, 29, 30}},
          {8, 8, {16, 17, 18, 19, 20, 21, 22, 31}},
          {8, 8, {8, 9, 10, 11, 12, 13, 14, 15}},
          {8, 8, {0, 1, 2, 3, 4, 5, 6, 7}}}},
        {1, 2, {{8, 4, {3, 4, 5, 6}}, {4, 4, {0, 1, 2, 7}}}},
        {1, 4, {{8, 5, {2, 3, 4, 5, 6}}, {1, 1, {0}}, {1, 1, {1}}, {1, 1, {7}}}},
    };
    if (id < 7)
        return table[id];
    struct layout bits = {1u << (id - 7), 8u << (id - 7), {{0}}};
    for (unsigned i = 0; i < bits.count; i++)
        bits.planes[i] = (struct plane){1, 1, {(uint8_t)i}};
    return bits;
}

/* First codes of each length, as RFC 1951 numbers them. Returns the bit after the symbols. */
static size_t read_symbols(const uint8_t lengths[256], const uint8_t *in, size_t size, size_t bit,
                           uint8_t *out, size_t n)
{
    unsigned first[13] = {0}, code = 0;
    for (unsigned length = 1; length <= 11; length++) {
        unsigned before = 0;
        for (unsigned s = 0; s < 256; s++)
            before += length > 1 && lengths[s] == length - 1;
        code = (code + before) << 1;
        first[length] = code;
    }
    while (n--) {
        unsigned word = 0, length = 0, found = 256;
        while (found == 256) {
            assert_true(bit < size * 8 && length < 11);
            word = word << 1 | (in[bit / 8] >> (bit % 8) & 1);
            bit++;
            length++;
            unsigned at = first[length];
            for (unsigned s = 0; s < 256 && found == 256; s++)
                if (lengths[s] == length && at++ == word)
                    found = s;
        }
        out[n] = (uint8_t)found;
    }
    return bit;
}

static void read_stream(const uint8_t lengths[256], const uint8_t *in, size_t size, uint8_t *out,
                        size_t n)
{
    assert_int_equal((read_symbols(lengths, in, size, 0, out, n) + 7) / 8, size);
}

static size_t plane_size(const struct plane *p, size_t n)
{
    return (n * p->unit + 7) / 8;
}

static void read_planes(const struct layout *l, uint8_t (*lengths)[256], const uint8_t *in,
                        size_t size, size_t n, uint8_t *out)
{
    const uint8_t *end = in + size, *entry = in;
    uint8_t *planes[32];
    for (unsigned p = 0; p < l->count; p++)
        in += *in == 0 ? 1 : *in == 2 ? 2 : 21;
    for (unsigned p = 0; p < l->count; p++) {
        size_t bytes = plane_size(&l->planes[p], n), run = (bytes + 4) / 5;
        planes[p] = malloc(bytes + 1);
        assert_non_null(planes[p]);
        unsigned mode = *entry++;
        if (mode == 0) {
            memcpy(planes[p], in, bytes);
            in += bytes;
        } else if (mode == 2) {
            memset(planes[p], *entry++, bytes);
        } else {
            for (unsigned j = 0; j < 5; j++, entry += 4) {
                size_t begin = j * run < bytes ? j * run : bytes;
                size_t count = bytes - begin < run ? bytes - begin : run;
                read_stream(lengths[p], in, (size_t)number(entry, 4), planes[p] + begin, count);
                in += number(entry, 4);
            }
        }
    }
    assert_ptr_equal(in, end);
    memset(out, 0, n * l->element);
    for (size_t i = 0; i < n; i++) {
        for (unsigned p = 0; p < l->count; p++) {
            const struct plane *plane = &l->planes[p];
            for (unsigned b = 0; b < plane->count; b++) {
                size_t at = i * plane->unit + b;
                unsigned bit = planes[p][at / 8] >> (at % 8) & 1;
                out[i * l->element + plane->bits[b] / 8] |= (uint8_t)(bit << (plane->bits[b] % 8));
            }
        }
    }
    for (unsigned p = 0; p < l->count; p++)
        free(planes[p]);
}

/* A block of windows; `first` is the number of its first group in the piece. */
static unsigned windows_read, raw_groups;

static void read_windows(const struct layout *l, unsigned piece, uint64_t first, const uint8_t *in,
                         size_t size, size_t n, uint8_t *out)
{
    const uint8_t *end = in + size, *sizes = in + 2, *group = sizes + (n + 1023) / 1024 * 2;
    const unsigned windows = in[0];
    assert_true(windows != 0 && in[1] == 0);
    memset(out, 0, n * l->element);
    for (size_t g = 0; g * 1024 < n; g++, out += 1024 * l->element) {
        const size_t count = n - g * 1024 < 1024 ? n - g * 1024 : 1024;
        const uint8_t *at = group + 8, *after = group + number(sizes + 2 * g, 2), *escape = at;
        const uint64_t place = (uint64_t)piece << 32 | (uint32_t)(first + g);
        unsigned base[32] = {0}, k[32] = {0};
        assert_int_equal(number(group, 8),
                         XXH3_64bits_withSeed(at, (size_t)(after - at), 0) ^ place);
        for (unsigned p = 0; p < l->count; p++) {
            if (!(windows >> p & 1))
                continue;
            assert_int_equal(l->planes[p].unit, 8);
            base[p] = *at++;
            k[p] = *at++;
            assert_true(k[p] <= 4);
            raw_groups += !k[p];
        }
        escape = at;
        for (unsigned p = 0; p < l->count; p++)
            escape += k[p] ? (count + 63) / 64 * 8 * k[p] : plane_size(&l->planes[p], count);
        for (unsigned p = 0; p < l->count; p++) {
            const struct plane *plane = &l->planes[p];
            for (size_t i = 0; i < count; i++) {
                unsigned symbol = 0;
                for (unsigned j = 0; j < k[p]; j++)
                    symbol |= (unsigned)(number(at + (k[p] * (i / 64) + j) * 8, 8) >> i % 64 & 1)
                              << j;
                if (k[p])
                    symbol = symbol == (1u << k[p]) - 1 ? *escape++ : (base[p] + symbol) & 255;
                for (unsigned b = 0; b < plane->count; b++) {
                    const size_t bit = i * plane->unit + b;
                    const unsigned value =
                        k[p] ? symbol >> b & 1 : (unsigned)at[bit / 8] >> bit % 8 & 1;
                    out[i * l->element + plane->bits[b] / 8] |=
                        (uint8_t)(value << plane->bits[b] % 8);
                }
            }
            for (size_t i = count; k[p] && i % 64; i++)
                for (unsigned j = 0; j < k[p]; j++)
                    assert_int_equal(number(at + (k[p] * (i / 64) + j) * 8, 8) >> i % 64 & 1, 0);
            at += k[p] ? (count + 63) / 64 * 8 * k[p] : plane_size(plane, count);
        }
        assert_ptr_equal(escape, after);
        group = after;
    }
    assert_ptr_equal(group, end);
    windows_read++;
}

static unsigned blocks_with_own_codes;

/* Decodes the streams from restart point `point` of plane `p` of n elements, and from the end:
 * each gives the symbols before it in the whole plane. Returns the end of the points. */
static unsigned points_tried;

static const uint8_t *try_points(const struct plane *p, const uint8_t lengths[256],
                                 const uint8_t *entry, const uint8_t *in, const uint8_t *symbols,
                                 size_t n, const uint8_t *point)
{
    const size_t bytes = plane_size(p, n), run = (bytes + 4) / 5;
    for (size_t k = 1; k * 4096 < n; k++, point += 3) {
        const size_t s = k * 4096 * p->unit / 8, stream = (s - 1) / run;
        const size_t count = s - stream * run < 50 ? s - stream * run : 50;
        const uint8_t *from = in;
        uint8_t found[50];
        if (entry[0] != 1)
            continue;
        for (size_t j = 0; j < stream; j++)
            from += number(entry + 1 + 4 * j, 4);
        read_symbols(lengths, from, (size_t)number(entry + 1 + 4 * stream, 4),
                     (size_t)number(point, 3), found, count);
        assert_memory_equal(found, symbols + s - count, count);
        points_tried++;
    }
    return point;
}

/* The points of a block of planes, whose elements are at `out`. */
static const uint8_t *try_block(const struct layout *l, uint8_t (*lengths)[256], const uint8_t *in,
                                size_t n, const uint8_t *out, const uint8_t *point)
{
    const uint8_t *entry = in;
    for (unsigned p = 0; p < l->count; p++)
        in += *in == 0 ? 1 : *in == 2 ? 2 : 21;
    for (unsigned p = 0; p < l->count; p++) {
        const struct plane *plane = &l->planes[p];
        FREED uint8_t *symbols = calloc(1, plane_size(plane, n) + 1);
        bool has_code = false;
        assert_non_null(symbols);
        for (size_t i = 0; i < n * plane->count; i++) {
            const size_t element = i / plane->count, b = i % plane->count;
            const size_t at = element * plane->unit + b;
            const uint8_t byte = out[element * l->element + plane->bits[b] / 8];
            symbols[at / 8] |= (uint8_t)((byte >> plane->bits[b] % 8 & 1) << at % 8);
        }
        for (unsigned s = 0; s < 256; s++)
            has_code |= lengths[p][s] != 0;
        if (has_code)
            point = try_points(plane, lengths[p], entry, in, symbols, n, point);
        if (entry[0] == 0)
            in += plane_size(plane, n);
        for (unsigned j = 0; entry[0] == 1 && j < 5; j++)
            in += number(entry + 1 + 4 * j, 4);
        entry += entry[0] == 0 ? 1 : entry[0] == 2 ? 2 : 21;
    }
    return point;
}

/* The codes of all coded planes. */
static const uint8_t *read_codes(const struct layout *l, const uint8_t *code,
                                 uint8_t (*lengths)[256])
{
    memset(lengths, 0, (size_t)32 * 256);
    for (unsigned p = 0; p < l->count; p++) {
        if (!*code++)
            continue;
        unsigned first = *code++, last = *code++;
        for (unsigned s = first; s <= last; s++)
            lengths[p][s] = code[(s - first) / 2] >> ((s - first) % 2 * 4) & 15;
        code += (last - first) / 2 + 1;
    }
    return code;
}

static const uint8_t *read_chunk(const uint8_t *chunk, unsigned piece, uint64_t first_block,
                                 const struct layout *l, size_t n, uint8_t *out)
{
    static uint8_t lengths[32][256], codes[8][32][256];
    const uint8_t *begin = out, *blocks_at = chunk + number(chunk + 12, 2);
    uint64_t seed = (uint64_t)piece << 32 | first_block;
    size_t header = (size_t)number(chunk + 12, 2), blocks = chunk[14];
    assert_int_equal(number(chunk, 8), XXH3_64bits_withSeed(chunk + 8, header - 8, seed));
    assert_int_equal(blocks, (n + 131071) / 131072);
    const uint8_t *code = chunk + 16 + 12 * blocks, *in = chunk + header;
    for (size_t b = 0; b < blocks; b++) {
        uint64_t word = number(chunk + 16 + 12 * b, 4);
        size_t count = n - b * 131072 < 131072 ? n - b * 131072 : 131072;
        size_t size = (size_t)(word & 0x3fffffff);
        bool own = chunk[15] >> b & 1;
        blocks_with_own_codes += own;
        if (b == 0 || own)
            code = read_codes(l, code, lengths);
        memcpy(codes[b], lengths, sizeof lengths);
        if (word >> 30 == 2)
            read_windows(l, piece, (first_block + b) * 128, in, size, count, out);
        else if (word >> 30)
            read_planes(l, lengths, in, size, count, out);
        else
            memcpy(out, in, size);
        if (word >> 30 == 2)
            assert_int_equal(number(chunk + 20 + 12 * b, 8),
                             XXH3_64bits_withSeed(in, 2 + (count + 1023) / 1024 * 2, seed + b));
        else
            assert_int_equal(number(chunk + 20 + 12 * b, 8),
                             XXH3_64bits_withSeed(out, count * l->element, seed + b));
        out += count * l->element;
        in += size;
    }
    if (code == chunk + header)
        return chunk + number(chunk + 8, 4);
    assert_int_equal(*code++, 1);
    for (size_t b = 0; b < blocks; b++) {
        const uint64_t word = number(chunk + 16 + 12 * b, 4);
        const size_t count = n - b * 131072 < 131072 ? n - b * 131072 : 131072;
        if (word >> 30)
            code = try_block(l, codes[b], blocks_at, count, begin + b * 131072 * l->element, code);
        blocks_at += word & 0x3fffffff;
    }
    assert_ptr_equal(code, chunk + header);
    return chunk + number(chunk + 8, 4);
}

/* Decodes all chunks, `bytes` bytes, of piece `piece`; advances *index and *out. */
static const uint8_t *read_piece(const uint8_t *chunk, const uint8_t **index, unsigned piece,
                                 const struct layout *l, uint64_t bytes, uint8_t **out)
{
    uint64_t left = bytes / l->element;
    for (uint64_t block = 0; left; block += 8) {
        size_t n = left < 1 << 20 ? (size_t)left : 1 << 20;
        const uint8_t *next = read_chunk(chunk, piece, block, l, n, *out);
        assert_int_equal(number(*index, 4), next - chunk);
        *index += 4;
        chunk = next;
        *out += n * l->element;
        left -= n;
    }
    return chunk;
}

/* The size of the piece in the list at *piece, which is advanced past it. */
static uint64_t read_size(const uint8_t **piece)
{
    *piece += 2;
    uint64_t length = varying(piece);
    if (!varying(piece))
        *piece += length;
    for (uint64_t d = varying(piece); d > 0; d--)
        varying(piece);
    return varying(piece);
}

/* The file, malloc'ed. */
static uint8_t *read_file(const struct packed *packed)
{
    const uint8_t *data = packed->data, *trailer = data + packed->size - 64;
    size_t size = (size_t)number(data + 16, 8), verbatim = (size_t)number(data + 24, 8);
    size_t list = (size_t)number(data + 32, 8);
    uint8_t *file = malloc(size + 1), *out = file;
    assert_non_null(file);
    assert_int_equal(number(data + 56, 8), XXH3_64bits_withSeed(data, 56, 0));
    assert_int_equal(number(data + 48, 8), XXH3_64bits_withSeed(data + 64, verbatim + list, 0));
    assert_memory_equal(trailer + 56, "SMWindex", 8);
    memcpy(out, data + 64, verbatim);
    out += verbatim;
    const uint8_t *piece = data + 64 + verbatim;
    const uint8_t *chunk = data + 64 + (verbatim + list + 63) / 64 * 64;
    const uint8_t *index = data + number(trailer, 8);
    unsigned before = 0; /* the layout of the previous piece */
    unsigned joined = 0; /* the number of the first of the pieces that are coded together */
    uint64_t together = 0;
    for (unsigned i = 0, count = (unsigned)number(data + 40, 4); i <= count; i++) {
        unsigned id = i < count ? piece[1] : 0;
        if (together && (i == count || id != 10)) {
            struct layout bytes = layout_of(0);
            chunk = read_piece(chunk, &index, joined, &bytes, together, &out);
            together = 0;
        }
        if (i == count)
            break;
        uint64_t bytes = read_size(&piece);
        if (id == 10) {
            joined = together && before == 10 ? joined : i;
            together += bytes;
        } else {
            struct layout l = layout_of(id);
            chunk = read_piece(chunk, &index, i, &l, bytes, &out);
        }
        before = id;
    }
    assert_int_equal(out - file, size);
    assert_int_equal(chunk - data, number(trailer, 8));
    return file;
}

TEST(reads_what_is_packed)
{
    static const enum sam_dtype types[] = {SAM_BF16, SAM_F16,  SAM_F32, SAM_E4M3,
                                           SAM_E5M2, SAM_E2M1, SAM_U8};
    enum { TYPES = sizeof types / sizeof types[0], HEADER = 33 };
    uint64_t random = 11;
    for (unsigned mode = 0; mode < 6; mode++) {
        const struct sam_codec_options options = {.size = sizeof options,
                                                  .dense = mode == 1,
                                                  .bit_planes = mode == 2 || mode == 4,
                                                  .restart = mode == 3 || mode == 4,
                                                  .window = mode == 5};
        struct sam_weight tensors[TYPES];
        struct sam_weights weights = {.header_size = HEADER, .tensors = tensors, .count = TYPES};
        uint64_t at = HEADER;
        for (unsigned i = 0; i < TYPES; i++) {
            uint64_t size = i ? 4 * (1000 + test_below(&random, 9000)) : 2 * 400001;
            tensors[i] = (struct sam_weight){.name = i % 2 ? "long" : "name",
                                             .type = types[i],
                                             .rank = 1,
                                             .offset = at + i % 3,
                                             .size = size};
            tensors[i].shape[0] = size * 8 / sam_dtype_bits(types[i]);
            at = tensors[i].offset + size;
        }
        weights.file_size = at;
        FREED uint8_t *file = calloc(1, (size_t)at);
        assert_non_null(file);
        strcpy((char *)file, "a header with a name in it");
        for (unsigned i = 0; i < TYPES; i++)
            test_weights(types[i], file + tensors[i].offset, (size_t)tensors[i].size, 0.02,
                         &random);
        /* The second block has another distribution: it gets its own codes, and so does the
         * third. */
        test_weights(types[0], file + tensors[0].offset + 262144, 262144, 20, &random);
        /* Some groups of noise, which get no window. */
        for (size_t i = 0; mode == 5 && i < 8192; i++)
            file[tensors[0].offset + 40000 + i] = (uint8_t)test_random(&random);
        /* f32 converted from bf16, and half-zero fp16: planes that are usually noise are not. */
        for (uint64_t i = 0; i < tensors[2].size; i += 4)
            memset(file + tensors[2].offset + i, 0, 2);
        for (uint64_t i = 0; i < tensors[1].size; i += 4)
            memset(file + tensors[1].offset + i, 0, 2);
        memset(file + tensors[3].offset, 0x38, (size_t)tensors[3].size); /* a constant plane */
        SCOPED(packed) packed = pack(&weights, file, &options);
        FREED uint8_t *back = read_file(&packed);
        assert_memory_equal(back, file, (size_t)at);
        assert_int_equal(blocks_with_own_codes, mode < 5 ? 2 * (mode + 1) : 10);
        assert_int_equal(points_tried > 0, mode >= 3);
        assert_int_equal(windows_read > 0 && raw_groups > 0, mode == 5);
        assert_int_equal(packed.data[8], mode == 5 ? 2 : 1);
    }
}

/* Small pieces between large ones: many, a single one, empty ones among them. */
TEST(reads_small_neighbours)
{
    enum { TENSORS = 3000, LARGE = 5000, HEADER = 5 };
    static struct sam_weight tensors[TENSORS];
    struct sam_weights weights = {.header_size = HEADER, .tensors = tensors, .count = TENSORS};
    uint64_t random = test_seed(), at = HEADER;
    for (unsigned i = 0; i < TENSORS; i++) {
        uint64_t kind = test_below(&random, 100);
        uint64_t size = kind == 0 ? LARGE : kind < 20 ? 0 : 4 * test_below(&random, 40);
        tensors[i] = (struct sam_weight){.name = "x",
                                         .type = kind % 2 ? SAM_F32 : SAM_BF16,
                                         .rank = 1,
                                         .offset = at + (kind % 7 == 0 ? 3 : 0),
                                         .size = size};
        tensors[i].shape[0] = size * 8 / sam_dtype_bits(tensors[i].type);
        at = tensors[i].offset + size;
    }
    weights.file_size = at + 2;
    FREED uint8_t *file = calloc(1, (size_t)weights.file_size);
    assert_non_null(file);
    for (unsigned i = 0; i < TENSORS; i++)
        test_weights(tensors[i].type, file + tensors[i].offset, (size_t)tensors[i].size, 0.02,
                     &random);
    SCOPED(packed) packed = pack(&weights, file, NULL);
    FREED uint8_t *back = read_file(&packed);
    assert_memory_equal(back, file, (size_t)weights.file_size);
    expect_file(&packed, file, (size_t)weights.file_size, NULL);
    expect_file_in_pieces(&packed, file, (size_t)weights.file_size, 1000, NULL);
}
