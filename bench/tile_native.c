/* SPDX-License-Identifier: Apache-2.0 */
#include "tile_native.h"

#include <string.h>

#include "samite/tile.h"

#define FOLD(type, smaller)                                                                        \
    do {                                                                                           \
        const type *s = src;                                                                       \
        type *d = dst;                                                                             \
        memcpy(d, s, cols * sizeof *d);                                                            \
        for (size_t i = 1; i < rows; i++)                                                          \
            for (size_t j = 0; j < cols; j++)                                                      \
                d[j] = smaller(s[i * cols + j], d[j]);                                             \
    } while (0)

static inline float smaller_f32(float x, float m)
{
    return x < m ? x : m;
}

static inline int8_t smaller_i8(int8_t x, int8_t m)
{
    return x < m ? x : m;
}

/* Maps sign and magnitude to the order of integers. */
static inline uint16_t smaller_16(uint16_t x, uint16_t m)
{
    int16_t a = (int16_t)(x ^ ((int16_t)x >> 15 & 0x7fff));
    int16_t b = (int16_t)(m ^ ((int16_t)m >> 15 & 0x7fff));
    return a < b ? x : m;
}

void tile_native_fold(int dtype, void *dst, const void *src, size_t rows, size_t cols)
{
    if (dtype == SAM_TILE_f32)
        FOLD(float, smaller_f32);
    else if (dtype == SAM_TILE_i8)
        FOLD(int8_t, smaller_i8);
    else
        FOLD(uint16_t, smaller_16);
}

/* Eight streams: a core reads faster from several streams than from one. */
uint64_t tile_native_read(const void *src, size_t size)
{
    enum { STREAMS = 8, STEP = 8 };
    const uint64_t *words = src;
    uint64_t sum[STREAMS * STEP] = {0};
    size_t apart = size / sizeof *words / STREAMS;
    for (size_t i = 0; i + STEP <= apart; i += STEP)
        for (size_t s = 0; s < STREAMS; s++)
            for (size_t k = 0; k < STEP; k++)
                sum[s * STEP + k] |= words[s * apart + i + k];
    for (size_t k = 1; k < STREAMS * STEP; k++)
        sum[0] |= sum[k];
    return sum[0];
}
