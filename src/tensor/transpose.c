/* SPDX-License-Identifier: Apache-2.0 */
/* out[o][b][m][a] = in[o][a][m][b], where every size is a power of two. Cells of 1, 2 and 4 bytes
 * are transposed in tiles whose rows are words of at most 8 bytes; larger cells are copied. */
#include "tensor/unit.h"

typedef uint8_t bytes_t __attribute__((vector_size(16)));
typedef uint64_t words_t __attribute__((vector_size(16)));

#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (bytes_t){__VA_ARGS__})
#endif

#define INLINE static inline __attribute__((always_inline))

/* Interleave the low (high) halves of a and b by cells. */
INLINE bytes_t low_1(bytes_t a, bytes_t b)
{
    return SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

INLINE bytes_t low_2(bytes_t a, bytes_t b)
{
    return SHUFFLE(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
}

INLINE bytes_t high_2(bytes_t a, bytes_t b)
{
    return SHUFFLE(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
}

INLINE bytes_t low_4(bytes_t a, bytes_t b)
{
    return SHUFFLE(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
}

INLINE bytes_t high_4(bytes_t a, bytes_t b)
{
    return SHUFFLE(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
}

INLINE bytes_t load_8(const uint8_t *in)
{
    uint64_t word;
    memcpy(&word, in, sizeof word);
    return (bytes_t)(words_t){word, 0};
}

INLINE bytes_t load_4(const uint8_t *in)
{
    uint32_t word;
    memcpy(&word, in, sizeof word);
    return (bytes_t)(words_t){word, 0};
}

/* Store two rows of 8 bytes. */
INLINE void store_8(uint8_t *out, unsigned row, bytes_t value)
{
    words_t words = (words_t)value;
    uint64_t first = words[0], second = words[1];
    memcpy(out, &first, sizeof first);
    memcpy(out + row, &second, sizeof second);
}

/* Transposes one tile; `out_row` and `in_row` are the distances of rows in bytes. */
typedef void tile(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row);

INLINE void tile_8x8_of_1(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row)
{
    bytes_t p[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = low_1(load_8(in + 2 * i * in_row), load_8(in + (2 * i + 1) * in_row));
    bytes_t a = low_2(p[0], p[1]), b = high_2(p[0], p[1]);
    bytes_t c = low_2(p[2], p[3]), d = high_2(p[2], p[3]);
    store_8(out, out_row, low_4(a, c));
    store_8(out + 2 * out_row, out_row, high_4(a, c));
    store_8(out + 4 * out_row, out_row, low_4(b, d));
    store_8(out + 6 * out_row, out_row, high_4(b, d));
}

/* Store four rows of 4 bytes, often contiguous. */
INLINE void store_4(uint8_t *out, unsigned row, bytes_t value)
{
    uint32_t words[4];
    memcpy(words, &value, sizeof words);
    if (row == 4)
        memcpy(out, words, sizeof words);
    else
        for (unsigned i = 0; i < 4; i++)
            memcpy(out + i * row, &words[i], sizeof words[i]);
}

INLINE void tile_4x8_of_1(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row)
{
    bytes_t a = low_1(load_8(in), load_8(in + in_row));
    bytes_t b = low_1(load_8(in + 2 * in_row), load_8(in + 3 * in_row));
    store_4(out, out_row, low_2(a, b));
    store_4(out + 4 * out_row, out_row, high_2(a, b));
}

INLINE void tile_8x4_of_1(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row)
{
    bytes_t p[4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = low_1(load_4(in + 2 * i * in_row), load_4(in + (2 * i + 1) * in_row));
    bytes_t a = low_2(p[0], p[1]), b = low_2(p[2], p[3]);
    store_8(out, out_row, low_4(a, b));
    store_8(out + 2 * out_row, out_row, high_4(a, b));
}

INLINE void tile_4x4_of_1(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row)
{
    store_4(out, out_row,
            low_2(low_1(load_4(in), load_4(in + in_row)),
                  low_1(load_4(in + 2 * in_row), load_4(in + 3 * in_row))));
}

INLINE void tile_4x4_of_2(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row)
{
    bytes_t a = low_2(load_8(in), load_8(in + in_row));
    bytes_t b = low_2(load_8(in + 2 * in_row), load_8(in + 3 * in_row));
    store_8(out, out_row, low_4(a, b));
    store_8(out + 2 * out_row, out_row, high_4(a, b));
}

INLINE void tile_2x2_of_4(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row)
{
    store_8(out, out_row, low_4(load_8(in), load_8(in + in_row)));
}

/* Tiles of 2 x 2. */
#define TILE_2(name, type)                                                                         \
    INLINE void name(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row)           \
    {                                                                                              \
        type cells[2][2], turned[2][2];                                                            \
        memcpy(cells[0], in, sizeof cells[0]);                                                     \
        memcpy(cells[1], in + in_row, sizeof cells[1]);                                            \
        for (unsigned i = 0; i < 2; i++)                                                           \
            for (unsigned j = 0; j < 2; j++)                                                       \
                turned[i][j] = cells[j][i];                                                        \
        memcpy(out, turned[0], sizeof turned[0]);                                                  \
        memcpy(out + out_row, turned[1], sizeof turned[1]);                                        \
    }
TILE_2(tile_2x2_of_1, uint8_t)
TILE_2(tile_2x2_of_2, uint16_t)

/* Transpose everything in tiles of rows x columns. */
INLINE void walk(uint8_t *restrict out, const uint8_t *restrict in, const struct sam_transpose *t,
                 unsigned size, unsigned rows, unsigned columns, tile *one)
{
    const unsigned in_row = t->mid * t->b * size, out_row = t->mid * t->a * size;
    const unsigned block = t->a * in_row;
    for (unsigned o = 0; o < t->outer; o++, in += block, out += block)
        for (unsigned m = 0; m < t->mid; m++)
            for (unsigned a = 0; a < t->a; a += rows)
                for (unsigned b = 0; b < t->b; b += columns)
                    one(out + b * out_row + (m * t->a + a) * size, out_row,
                        in + a * in_row + (m * t->b + b) * size, in_row);
}

#define WALK(size, rows, columns)                                                                  \
    static void walk_##rows##x##columns##_of_##size(                                               \
        uint8_t *restrict out, const uint8_t *restrict in, const struct sam_transpose *t)          \
    {                                                                                              \
        walk(out, in, t, size, rows, columns, tile_##rows##x##columns##_of_##size);                \
    }
WALK(1, 8, 8)
WALK(1, 8, 4)
WALK(1, 4, 8)
WALK(1, 4, 4)
WALK(1, 2, 2)
WALK(2, 4, 4)
WALK(2, 2, 2)
WALK(4, 2, 2)

#define COPY(name, size)                                                                           \
    INLINE void tile_##name(uint8_t *out, unsigned out_row, const uint8_t *in, unsigned in_row)    \
    {                                                                                              \
        (void)out_row, (void)in_row;                                                               \
        memcpy(out, in, size);                                                                     \
    }                                                                                              \
    static void walk_##name(uint8_t *restrict out, const uint8_t *restrict in,                     \
                            const struct sam_transpose *t)                                         \
    {                                                                                              \
        walk(out, in, t, size, 1, 1, tile_##name);                                                 \
    }
COPY(copy_8, 8)
COPY(copy_16, 16)
COPY(copy_32, 32)

static void copy_large(uint8_t *restrict out, const uint8_t *restrict in,
                       const struct sam_transpose *t)
{
    const unsigned size = t->size;
    for (unsigned o = 0; o < t->outer; o++)
        for (unsigned b = 0; b < t->b; b++)
            for (unsigned m = 0; m < t->mid; m++)
                for (unsigned a = 0; a < t->a; a++, out += size)
                    memcpy(out, in + (((o * t->a + a) * t->mid + m) * t->b + b) * size, size);
}

void sam_transpose(uint8_t *restrict out, const uint8_t *restrict in, const struct sam_transpose *t)
{
    struct sam_transpose s = *t;
    if (s.a == 1) /* [mid][b] is the matrix */
        s.a = s.mid, s.mid = 1;
    else if (s.b == 1)
        s.b = s.mid, s.mid = 1;
    const unsigned narrow = s.a < s.b ? s.a : s.b;
    if (narrow == 1)
        memcpy(out, in, (size_t)s.outer * s.a * s.mid * s.b * s.size);
    else if (s.size == 1)
        (narrow >= 8            ? walk_8x8_of_1
         : narrow == 2          ? walk_2x2_of_1
         : s.a == 4 && s.b == 4 ? walk_4x4_of_1
         : s.a == 4             ? walk_4x8_of_1
                                : walk_8x4_of_1)(out, in, &s);
    else if (s.size == 2)
        (narrow >= 4 ? walk_4x4_of_2 : walk_2x2_of_2)(out, in, &s);
    else if (s.size == 4)
        walk_2x2_of_4(out, in, &s);
    else
        (s.size == 8    ? walk_copy_8
         : s.size == 16 ? walk_copy_16
         : s.size == 32 ? walk_copy_32
                        : copy_large)(out, in, &s);
}
