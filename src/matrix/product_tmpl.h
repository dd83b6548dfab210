/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of multiplication, compiled once a level of the host's instruction set: TABLE is
 * the table to define. Vectors of columns; four rows of C at a time, so that sums do not wait for
 * each other. All levels give the same bits and flags. */
#include "matrix/unit.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTOR         64
#define FMA32(a, b, c) ((v32)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FMA64(a, b, c) ((v64)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define HALVES         1
typedef __m256i halves; /* may alias, too */
#define TO_HALF(x)   _mm512_cvtps_ph((__m512)(x), _MM_FROUND_CUR_DIRECTION)
#define FROM_HALF(h) ((v32)_mm512_cvtph_ps(h))
#elif defined(__AVX2__)
#include <immintrin.h>
#define VECTOR         32
#define FMA32(a, b, c) ((v32)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMA64(a, b, c) ((v64)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define HALVES         1
typedef __m128i halves;
#define TO_HALF(x)     _mm256_cvtps_ph((__m256)(x), _MM_FROUND_CUR_DIRECTION)
#define FROM_HALF(h)   ((v32)_mm256_cvtph_ps(h))
#else
#define VECTOR 16
#define HALVES 0
#endif

typedef float v32 __attribute__((vector_size(VECTOR), may_alias));
typedef double v64 __attribute__((vector_size(VECTOR), may_alias));
typedef int32_t vi32 __attribute__((vector_size(VECTOR)));
typedef int64_t vi64 __attribute__((vector_size(VECTOR)));

#define LANES_32 (VECTOR / 4u)
#define LANES_64 (VECTOR / 8u)

#if VECTOR == 16 /* the C library has it, if not the CPU */
static inline v32 fma_32(v32 a, v32 b, v32 c)
{
    for (unsigned i = 0; i < LANES_32; i++)
        c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
}

static inline v64 fma_64(v64 a, v64 b, v64 c)
{
    for (unsigned i = 0; i < LANES_64; i++)
        c[i] = __builtin_fma(a[i], b[i], c[i]);
    return c;
}
#define FMA32(a, b, c) fma_32(a, b, c)
#define FMA64(a, b, c) fma_64(a, b, c)
#endif

/* One value in every lane; no arithmetic, which would change a zero's sign or see a NaN. */
static inline v32 broadcast_v32(const float *value)
{
    int32_t bits;
    memcpy(&bits, value, sizeof bits);
    return (v32)((vi32){0} | bits);
}

static inline v64 broadcast_v64(const double *value)
{
    int64_t bits;
    memcpy(&bits, value, sizeof bits);
    return (v64)((vi64){0} | bits);
}

/* The product of a block of rows and all columns; `step` makes t of t, x and y. */
#define ROWS(type, vector, lanes, rows, step)                                                      \
    for (unsigned j = 0; j < n; j += (lanes)) {                                                    \
        vector sum[rows] = {{0}};                                                                  \
        for (unsigned p = 0; p < k; p++) {                                                         \
            const vector y = *(const vector *)(const void *)(b + p * n + j);                       \
            for (unsigned r = 0; r < (rows); r++) {                                                \
                const vector x = broadcast_##vector(a + (i + r) * k + p);                          \
                sum[r] = step(x, y, sum[r]);                                                       \
            }                                                                                      \
        }                                                                                          \
        for (unsigned r = 0; r < (rows); r++)                                                      \
            *(vector *)(void *)(t + (i + r) * n + j) = sum[r];                                     \
    }

#define PRODUCT(name, type, vector, lanes, step)                                                   \
    static void name(const type *a, const type *b, type *t, unsigned m, unsigned n, unsigned k)    \
    {                                                                                              \
        unsigned i = 0;                                                                            \
        for (; i + 4 <= m; i += 4)                                                                 \
            ROWS(type, vector, lanes, 4, step)                                                     \
        for (; i < m; i++)                                                                         \
            ROWS(type, vector, lanes, 1, step)                                                     \
    }

#define DOT(x, y, sum) ((x) * (y) + (sum))
PRODUCT(dot32, float, v32, LANES_32, DOT)
PRODUCT(dot64, double, v64, LANES_64, DOT)
PRODUCT(fma32, float, v32, LANES_32, FMA32)
PRODUCT(fma64, double, v64, LANES_64, FMA64)

static void add32(float *t, const float *c, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        t[i] = c[i] + t[i];
}

static void add64(double *t, const double *c, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        t[i] = c[i] + t[i];
}

#if HALVES
/* x * y + t, rounded once to half and back in single. x * y is exact. Rounding twice in one
 * direction is rounding once. */
static inline v32 half_directed(v32 x, v32 y, v32 t)
{
    return FROM_HALF(TO_HALF(x * y + t));
}

/* To nearest, the first rounding has to be to odd: where the sum is not exact (Knuth's error term
 * tells, and its sign on which side), the neighbour with an odd last bit is taken. Infinities and
 * NaNs stay out of that: their differences would raise NV. */
static inline v32 half_nearest(v32 x, v32 y, v32 t)
{
    const v32 product = x * y, sum = product + t;
    const vi32 bits = (vi32)sum, finite = (bits & 0x7fffffff) < 0x7f800000;
    const v32 p = (v32)((vi32)product & finite), q = (v32)((vi32)t & finite);
    const v32 s = (v32)(bits & finite), back = s - p;
    const vi32 error = (vi32)((p - (s - back)) + (q - back));
    const vi32 towards = ((error ^ bits) >> 31) | 1;
    const vi32 moves = ((error & 0x7fffffff) != 0) & ((bits & 1) - 1);
    return FROM_HALF(TO_HALF((v32)(bits + (towards & moves))));
}

static void half(const float *a, const float *b, float *t, unsigned m, unsigned n, unsigned k,
                 bool nearest)
{
    unsigned i = 0;
    if (nearest) {
        for (; i + 4 <= m; i += 4)
            ROWS(float, v32, LANES_32, 4, half_nearest)
        for (; i < m; i++)
            ROWS(float, v32, LANES_32, 1, half_nearest)
    } else {
        for (; i < m; i++)
            ROWS(float, v32, LANES_32, 1, half_directed)
    }
}

static void from_half(float *to, const uint16_t *from, unsigned count)
{
    for (unsigned i = 0; i < count; i += LANES_32)
        *(v32 *)(void *)(to + i) = FROM_HALF(*(const halves *)(const void *)(from + i));
}

static void to_half(uint16_t *to, const float *from, unsigned count)
{
    for (unsigned i = 0; i < count; i += LANES_32)
        *(halves *)(void *)(to + i) = TO_HALF(*(const v32 *)(const void *)(from + i));
}
#else
#define half      NULL
#define from_half NULL
#define to_half   NULL
#endif

const struct sam_m_products TABLE = {dot32, dot64, fma32,     fma64,  half,
                                     add32, add64, from_half, to_half};
