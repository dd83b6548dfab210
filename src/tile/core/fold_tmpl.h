/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum and maximum, compiled once per instruction level of the host. TABLE is the level's
 * table.
 *
 * Floats are compared as integer keys. bits ^ (bits >> 31 & 0x7fffffff) is order-preserving, with
 * -0 below +0 and NaN at both ends. Subtracting the smallest number modulo 2^n rotates all NaN to
 * the top or, with another offset, to the bottom: an unsigned minimum then ignores or propagates
 * NaN without a test.
 *
 * Rows are reduced in order, BLOCK rows at a time: several parallel read streams are faster than
 * one. The keys stay in the destination meanwhile, one panel of which fits the L1 cache. Reducing a
 * row twice is harmless in every mode, so the keys start as the first row, and the last block ends
 * with the last row. */
#include "tile/core/fold.h"

enum { BLOCK = 8, CHUNK = 64, PANEL = 4096 }; /* rows, bytes, bytes */

#define INLINE static inline __attribute__((always_inline))

/* name_panel reduces n columns, `some` at a time; a constant `some` makes the loops whole vectors.
 * name_rest reduces the remaining columns of a panel. */
#define FOLD(name, type, ENTER, STEP, LEAVE)                                                       \
    INLINE void name##_rows(type *restrict keys, const type *restrict row, size_t rows,            \
                            size_t pitch, size_t n)                                                \
    {                                                                                              \
        for (size_t k = 0; k < n; k++) {                                                           \
            type m = keys[k];                                                                      \
            _Pragma("GCC unroll 8") for (size_t i = 0; i < rows; i++)                              \
            {                                                                                      \
                type x = ENTER(row[i * pitch + k]);                                                \
                m = STEP(m, x);                                                                    \
            }                                                                                      \
            keys[k] = m;                                                                           \
        }                                                                                          \
    }                                                                                              \
    INLINE void name##_panel(type *restrict keys, const type *restrict row, size_t rows,           \
                             size_t pitch, size_t n, size_t some)                                  \
    {                                                                                              \
        for (size_t k = 0; k < n; k += some)                                                       \
            for (size_t j = k; j < k + some; j++)                                                  \
                keys[j] = ENTER(row[j]);                                                           \
        for (size_t i = 1; i < rows && rows < BLOCK; i++)                                          \
            for (size_t k = 0; k < n; k += some)                                                   \
                name##_rows(keys + k, row + i * pitch + k, 1, pitch, some);                        \
        for (size_t i = 0; i < rows && rows >= BLOCK; i += BLOCK) {                                \
            const type *at = row + (rows - i < BLOCK ? rows - BLOCK : i) * pitch;                  \
            for (size_t k = 0; k < n; k += some)                                                   \
                name##_rows(keys + k, at + k, BLOCK, pitch, some);                                 \
        }                                                                                          \
        for (size_t k = 0; k < n; k += some)                                                       \
            for (size_t j = k; j < k + some; j++)                                                  \
                keys[j] = LEAVE(keys[j]);                                                          \
    }                                                                                              \
    static SAM_NOINLINE void name##_rest(type *keys, const type *row, size_t rows, size_t pitch,   \
                                         size_t n)                                                 \
    {                                                                                              \
        name##_panel(keys, row, rows, pitch, n, n);                                                \
    }                                                                                              \
    static void name(void *to, const void *from, size_t rows, size_t cols, size_t pitch)           \
    {                                                                                              \
        enum { ALL = PANEL / sizeof(type), SOME = CHUNK / sizeof(type) };                          \
        type *keys = to;                                                                           \
        const type *row = from;                                                                    \
        for (size_t start = 0; start < cols; start += ALL) {                                       \
            size_t n = cols - start < ALL ? cols - start : ALL, whole = n - n % SOME;              \
            name##_panel(keys + start, row + start, rows, pitch, whole, SOME);                     \
            if (whole < n)                                                                         \
                name##_rest(keys + start + whole, row + start + whole, rows, pitch, n - whole);    \
        }                                                                                          \
    }

#define SAME(x)      (x)
#define LOWER(m, x)  ((x) < (m) ? (x) : (m))
#define HIGHER(m, x) ((x) > (m) ? (x) : (m))

#define INTEGER(type)                                                                              \
    FOLD(min_##type, type##_t, SAME, LOWER, SAME)                                                  \
    FOLD(max_##type, type##_t, SAME, HIGHER, SAME)
INTEGER(int8)
INTEGER(uint8)
INTEGER(int16)
INTEGER(uint16)
INTEGER(int32)
INTEGER(uint32)

#define KEY(bits, sint, uint, top)                                                                 \
    ((uint)((bits) ^ (uint)(((sint)(bits) >> (sizeof(sint) * 8 - 1)) & (top))))

/* The smallest number, and one above the largest, as keys. */
#define REAL(format, sint, uint, top, infinity, canonical)                                         \
    static inline uint format##_high(uint bits) /* NaN at the top */                               \
    {                                                                                              \
        return (uint)(KEY(bits, sint, uint, top) - (uint)(~(uint)(infinity)));                     \
    }                                                                                              \
    static inline uint format##_from_high(uint key)                                                \
    {                                                                                              \
        uint bits = (uint)(key + (uint)(~(uint)(infinity)));                                       \
        bits = KEY(bits, sint, uint, top);                                                         \
        return (bits & (top)) > (infinity) ? (uint)(canonical) : bits;                             \
    }                                                                                              \
    static inline uint format##_low(uint bits) /* NaN at the bottom */                             \
    {                                                                                              \
        return (uint)(KEY(bits, sint, uint, top) - (uint)((infinity) + 1));                        \
    }                                                                                              \
    static inline uint format##_from_low(uint key)                                                 \
    {                                                                                              \
        uint bits = (uint)(key + (uint)((infinity) + 1));                                          \
        bits = KEY(bits, sint, uint, top);                                                         \
        return (bits & (top)) > (infinity) ? (uint)(canonical) : bits;                             \
    }                                                                                              \
    static inline uint format##_first(uint m, uint x, bool max)                                    \
    {                                                                                              \
        sint a = (sint)KEY(x, sint, uint, top), b = (sint)KEY(m, sint, uint, top);                 \
        uint p = x & (top), q = m & (top);                                                         \
        bool numbers = p <= (infinity) && q <= (infinity) && (p | q);                              \
        return numbers && (max ? a > b : a < b) ? x : m;                                           \
    }                                                                                              \
    FOLD(min_##format##_number, uint, format##_high, LOWER, format##_from_high)                    \
    FOLD(max_##format##_number, uint, format##_low, HIGHER, format##_from_low)                     \
    FOLD(min_##format##_propagate, uint, format##_low, LOWER, format##_from_low)                   \
    FOLD(max_##format##_propagate, uint, format##_high, HIGHER, format##_from_high)
REAL(f32, int32_t, uint32_t, 0x7fffffffu, 0x7f800000u, 0x7fc00000u)
REAL(f16, int16_t, uint16_t, 0x7fffu, 0x7c00u, 0x7e00u)
REAL(bf16, int16_t, uint16_t, 0x7fffu, 0x7f80u, 0x7fc0u)

#define FIRST(format, uint)                                                                        \
    static inline uint format##_first_min(uint m, uint x)                                          \
    {                                                                                              \
        return format##_first(m, x, false);                                                        \
    }                                                                                              \
    static inline uint format##_first_max(uint m, uint x)                                          \
    {                                                                                              \
        return format##_first(m, x, true);                                                         \
    }                                                                                              \
    FOLD(min_##format##_first, uint, SAME, format##_first_min, SAME)                               \
    FOLD(max_##format##_first, uint, SAME, format##_first_max, SAME)
FIRST(f32, uint32_t)
FIRST(f16, uint16_t)
FIRST(bf16, uint16_t)

#define BOTH(type)                                                                                 \
    {                                                                                              \
        {min_##type, min_##type, min_##type},                                                      \
        {                                                                                          \
            max_##type, max_##type, max_##type                                                     \
        }                                                                                          \
    }
#define BY_MODE(dtype)                                                                             \
    {                                                                                              \
        {min_##dtype##_number, min_##dtype##_propagate, min_##dtype##_first},                      \
        {                                                                                          \
            max_##dtype##_number, max_##dtype##_propagate, max_##dtype##_first                     \
        }                                                                                          \
    }

const struct sam_tile_fold_table TABLE = {{
    [SAM_F32] = BY_MODE(f32),
    [SAM_F16] = BY_MODE(f16),
    [SAM_BF16] = BY_MODE(bf16),
    [SAM_I8] = BOTH(int8),
    [SAM_U8] = BOTH(uint8),
    [SAM_I16] = BOTH(int16),
    [SAM_U16] = BOTH(uint16),
    [SAM_I32] = BOTH(int32),
    [SAM_U32] = BOTH(uint32),
}};
