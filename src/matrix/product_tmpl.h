/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of multiplication, compiled once per level of the host's instruction set as
 * TABLE. They compute vectors of columns and four rows of C at a time, to have independent sums in
 * flight. All levels give the same bits and flags. */
#include "base/fp_wide.h"
#include "matrix/unit.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTOR         64
#define FMA32(a, b, c) ((v32)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FMA64(a, b, c) ((v64)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define HALVES         1
#define TO_HALF(x)     ((v16)_mm512_cvtps_ph((__m512)(x), _MM_FROUND_CUR_DIRECTION))
#define FROM_HALF(h)   ((v32)_mm512_cvtph_ps((__m256i)(h)))
#elif defined(__AVX2__)
#include <immintrin.h>
#define VECTOR         32
#define FMA32(a, b, c) ((v32)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMA64(a, b, c) ((v64)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define HALVES         1
#define TO_HALF(x)     ((v16)_mm256_cvtps_ph((__m256)(x), _MM_FROUND_CUR_DIRECTION))
#define FROM_HALF(h)   ((v32)_mm256_cvtph_ps((__m128i)(h)))
#else
#define VECTOR 16
#define HALVES 0
#endif

typedef float v32 __attribute__((vector_size(VECTOR), may_alias));
typedef double v64 __attribute__((vector_size(VECTOR), may_alias));
typedef int16_t v16 __attribute__((vector_size(VECTOR / 2), may_alias));
typedef int32_t vi32 __attribute__((vector_size(VECTOR), may_alias));
typedef int64_t vi64 __attribute__((vector_size(VECTOR), may_alias));
typedef uint32_t vu32 __attribute__((vector_size(VECTOR), may_alias));
typedef uint64_t vu64 __attribute__((vector_size(VECTOR), may_alias));

#define LANES_32 (VECTOR / 4u)
#define LANES_64 (VECTOR / 8u)

#if VECTOR == 16 /* the CPU may lack fma: use the C library */
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

/* Broadcast the bits: arithmetic could change the sign of a zero or quieten a NaN. */
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

/* -------------------------------------------------------------------- c + sum, at the end */

static inline void finish_v32(const float *c, float *t, v32 sum, vi32 *nan)
{
    const vi32 bits = (vi32)(*(const v32 *)(const void *)c + sum);
    const vi32 bad = (bits & 0x7fffffff) > 0x7f800000;
    *nan |= bad;
    *(vi32 *)(void *)t = (bits & ~bad) | (bad & (int32_t)SAM_F32_NAN);
}

static inline void finish_v64(const double *c, double *t, v64 sum, vi64 *nan)
{
    const vi64 bits = (vi64)(*(const v64 *)(const void *)c + sum);
    const vi64 bad = (bits & INT64_MAX) > INT64_C(0x7ff0000000000000);
    *nan |= bad;
    *(vi64 *)(void *)t = (bits & ~bad) | (bad & (int64_t)SAM_F64_NAN);
}

/* The sums are integers in range. The addition is unsigned because it wraps. */
static inline void finish_i32(const uint32_t *c, uint32_t *t, v32 sum, vi32 *nan)
{
    (void)nan;
    *(vu32 *)(void *)t = *(const vu32 *)(const void *)c + (vu32) __builtin_convertvector(sum, vi32);
}

static inline void finish_i64(const uint64_t *c, uint64_t *t, v64 sum, vi64 *nan)
{
    (void)nan;
    *(vu64 *)(void *)t = *(const vu64 *)(const void *)c + (vu64) __builtin_convertvector(sum, vi64);
}

/* ---------------------------------------------------------------------------- the products */

/* `rows` rows of C and all columns; `step` adds the product of x and y to a sum. */
#define ROWS(type, vector, lanes, rows, step, ctype, finish)                                       \
    for (unsigned j = 0; j < n; j += (lanes)) {                                                    \
        vector sum[rows] = {{0}};                                                                  \
        for (unsigned p = 0; p < tile->k; p++) {                                                   \
            const vector y = *(const vector *)(const void *)(b + p * n + j);                       \
            for (unsigned r = 0; r < (rows); r++) {                                                \
                const vector x = broadcast_##vector(a + (i + r) * tile->a_stride + p);             \
                sum[r] = step(x, y, sum[r]);                                                       \
            }                                                                                      \
        }                                                                                          \
        for (unsigned r = 0; r < (rows); r++)                                                      \
            finish((const ctype *)tile->c + (i + r) * n + j, (ctype *)tile->t + (i + r) * n + j,   \
                   sum[r], &nan);                                                                  \
    }

#define PRODUCT(name, type, vector, lanes, step, ctype, finish)                                    \
    static bool name(const struct sam_matrix_tile *tile)                                           \
    {                                                                                              \
        const type *a = tile->a, *b = tile->b;                                                     \
        const unsigned n = tile->n;                                                                \
        nan_##vector nan = {0};                                                                    \
        unsigned i = 0, any = 0;                                                                   \
        for (; i + 4 <= tile->m; i += 4)                                                           \
            ROWS(type, vector, lanes, 4, step, ctype, finish)                                      \
        for (; i < tile->m; i++)                                                                   \
            ROWS(type, vector, lanes, 1, step, ctype, finish)                                      \
        for (unsigned l = 0; l < (lanes); l++)                                                     \
            any |= nan[l] != 0;                                                                    \
        return any;                                                                                \
    }

typedef vi32 nan_v32;
typedef vi64 nan_v64;

#define DOT(x, y, sum) ((x) * (y) + (sum))
PRODUCT(dot32, float, v32, LANES_32, DOT, float, finish_v32)
PRODUCT(dot64, double, v64, LANES_64, DOT, double, finish_v64)
PRODUCT(integer32, float, v32, LANES_32, DOT, uint32_t, finish_i32)
PRODUCT(integer64, double, v64, LANES_64, DOT, uint64_t, finish_i64)
PRODUCT(fma32, float, v32, LANES_32, FMA32, float, finish_v32)
PRODUCT(fma64, double, v64, LANES_64, FMA64, double, finish_v64)

#if HALVES
/* x * y + t rounded to half, as a single. x * y is exact, and double rounding in one direction
 * equals rounding once. */
static inline v32 step_directed(v32 x, v32 y, v32 t)
{
    return FROM_HALF(TO_HALF(x * y + t));
}

/* For nearest, the first rounding must be to odd: where the sum is inexact, take the adjacent value
 * with an odd last bit, on the side given by the sign of Knuth's error term. Infinities and NaNs
 * are excluded: their differences would raise NV. */
static inline v32 step_nearest(v32 x, v32 y, v32 t)
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

/* A sum of two halves: with the bits of single precision double rounding equals rounding once. */
static inline void finish_half(const uint16_t *c, uint16_t *t, v32 sum, vi32 *nan)
{
    const v16 bits = TO_HALF(FROM_HALF(*(const v16 *)(const void *)c) + sum);
    const v16 bad = (bits & 0x7fff) > 0x7c00;
    (void)nan; /* all flags are correct */
    *(v16 *)(void *)t = (bits & ~bad) | (bad & (int16_t)SAM_F16_NAN);
}

PRODUCT(half_nearest, float, v32, LANES_32, step_nearest, uint16_t, finish_half)
PRODUCT(half_directed, float, v32, LANES_32, step_directed, uint16_t, finish_half)

static bool half(const struct sam_matrix_tile *tile)
{
    return tile->nearest ? half_nearest(tile) : half_directed(tile);
}

static void from_half(float *to, const uint16_t *from, unsigned count)
{
    for (unsigned i = 0; i < count; i += LANES_32)
        *(v32 *)(void *)(to + i) = FROM_HALF(*(const v16 *)(const void *)(from + i));
}
#else
#define half      NULL
#define from_half NULL
#endif

/* -------------------------------------------------------------------------- transposition */

typedef float q32 __attribute__((vector_size(16), may_alias, aligned(4)));

static void transpose32(float *to, const float *rows, unsigned stride, unsigned n, unsigned used,
                        unsigned k)
{
    for (unsigned j = 0; j < n; j += 4) {
        const float *from[4];
        for (unsigned r = 0; r < 4; r++)
            from[r] = rows + (j + r < used ? (j + r) * stride : 0);
        unsigned p = 0;
        for (; p + 4 <= k; p += 4) {
            const q32 a = *(const q32 *)(const void *)(from[0] + p);
            const q32 b = *(const q32 *)(const void *)(from[1] + p);
            const q32 c = *(const q32 *)(const void *)(from[2] + p);
            const q32 d = *(const q32 *)(const void *)(from[3] + p);
            const q32 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
            const q32 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
            const q32 ef = __builtin_shufflevector(a, b, 2, 6, 3, 7);
            const q32 gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
            float *at = to + p * n + j;
            *(q32 *)(void *)at = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
            *(q32 *)(void *)(at + n) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
            *(q32 *)(void *)(at + 2 * n) = __builtin_shufflevector(ef, gh, 0, 1, 4, 5);
            *(q32 *)(void *)(at + 3 * n) = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
        }
        for (; p < k; p++)
            for (unsigned r = 0; r < 4; r++)
                memcpy(&to[p * n + j + r], &from[r][p], sizeof *to);
    }
}

static void transpose64(double *to, const double *rows, unsigned stride, unsigned n, unsigned used,
                        unsigned k)
{
    for (unsigned j = 0; j < n; j++) {
        const double *from = rows + (j < used ? j * stride : 0);
        for (unsigned p = 0; p < k; p++)
            memcpy(&to[p * n + j], &from[p], sizeof *to);
    }
}

const struct sam_matrix_products TABLE = {dot32, dot64, integer32, integer64,   fma32,
                                          fma64, half,  from_half, transpose32, transpose64};
