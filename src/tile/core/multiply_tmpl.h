/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of multiply.h, compiled once per level of the host's instruction set as MULTIPLY. */
#include "tile/core/multiply.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTOR       64
#define FMA(a, b, c) ((vector)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#elif defined(__AVX2__)
#include <immintrin.h>
#define VECTOR       32
#define FMA(a, b, c) ((vector)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#else
#define VECTOR       16
#define FMA(a, b, c) fma_each(a, b, c)
#endif

typedef float vector __attribute__((vector_size(VECTOR), may_alias));

enum { LANES = VECTOR / 4, TWO = 2 * LANES };

#if VECTOR == 16 /* the CPU may lack fma: use the C library */
static inline vector fma_each(vector a, vector b, vector c)
{
    for (unsigned i = 0; i < LANES; i++)
        c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
}
#endif

/* One block for four rows and two vectors of columns. */
static inline void add_block(float *sums, size_t pitch, const float *const *left,
                             const float *right, size_t k, size_t end)
{
    vector part[SAM_TILE_ROWS][2] = {{{0}}};
    for (; k < end; k++) {
        const vector *const b = (const vector *)(const void *)(right + k * SAM_TILE_PANEL);
        const vector low = b[0], high = b[1];
        for (unsigned r = 0; r < SAM_TILE_ROWS; r++) {
            const vector a = left[r][k] - (vector){0}; /* keeps -0 */
            part[r][0] = FMA(a, low, part[r][0]);
            part[r][1] = FMA(a, high, part[r][1]);
        }
    }
    for (unsigned r = 0; r < SAM_TILE_ROWS; r++) {
        vector *const sum = (vector *)(void *)(sums + r * pitch);
        sum[0] += part[r][0];
        sum[1] += part[r][1];
    }
}

void MULTIPLY(float *sums, size_t pitch, const float *const *left, const float *right,
              size_t panels, size_t depth, size_t block)
{
    for (size_t panel = 0; panel < panels; panel++, right += depth * SAM_TILE_PANEL)
        for (size_t j = 0; j < SAM_TILE_PANEL; j += TWO)
            for (size_t k = 0; k < depth; k += block)
                add_block(sums + panel * SAM_TILE_PANEL + j, pitch, left, right + j, k,
                          depth - k < block ? depth : k + block);
}
