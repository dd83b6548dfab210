/* SPDX-License-Identifier: Apache-2.0 */
/* Element functions. Floats are computed in single precision from exact values. Rounding the result
 * a second time, to 16 bits, equals one rounding: 24 bits exceed twice 11 plus 2. */
#include <math.h>

#include "tile/core/core.h"

/* Round to odd: a second rounding, to a narrower format, then equals a single one. */
static float to_odd(long double value)
{
    float f = (float)value;
    if (f == value || isinf(f))
        return f;
    uint32_t bits = sam_f32_bits(f);
    if (fabsl((long double)f) > fabsl(value))
        bits--; /* toward zero */
    return sam_bits_f32(bits | 1);
}

/* The float nearest to a value within 2^-50 of `wide`. If `wide` is too close to a midpoint, use
 * `better`, a 64-bit result. `narrow`: the result will be rounded to 16 bits. */
static float nearest(double wide, long double (*better)(float, float), float a, float b,
                     bool narrow)
{
    if (narrow)
        return to_odd(wide);
    float low = (float)(wide * (1 - 0x1p-50)), high = (float)(wide * (1 + 0x1p-50));
    return low == high ? low : (float)better(a, b);
}

static long double better_exp(float a, float b)
{
    (void)b;
    return expl(a);
}

static long double better_log(float a, float b)
{
    (void)b;
    return logl(a);
}

static long double better_rsqrt(float a, float b)
{
    (void)b;
    return 1 / sqrtl(a);
}

/* The difference must be exact: its error scales the result. */
static long double better_expdif(float a, float b)
{
    long double x = a, y = -(long double)b, sum = x + y, z = sum - x;
    long double error = (x - (sum - z)) + (y - z);
    return expl(sum) * (1 + error);
}

static float real_exp(float a, bool narrow)
{
    return isfinite(a) ? nearest(exp(a), better_exp, a, 0, narrow) : a < 0 ? 0 : a;
}

static float real_log(float a, bool narrow)
{
    return a > 0 && isfinite(a) ? nearest(log(a), better_log, a, 0, narrow) : logf(a);
}

static float real_rsqrt(float a, bool narrow)
{
    if (a == 0 || !(a > 0) || isinf(a))
        return 1 / sqrtf(a);
    return nearest(1 / sqrt(a), better_rsqrt, a, 0, narrow);
}

static float real_expdif(float a, float b, bool narrow)
{
    if (!isfinite(a) || !isfinite(b))
        return real_exp(a - b, narrow);
    double d = (double)a - b;
    if (fabs(d) > 200)
        return d < 0 ? 0 : INFINITY;
    return narrow ? to_odd(better_expdif(a, b)) : (float)better_expdif(a, b);
}

float sam_tile_fused(float a, float b, float c, bool narrow)
{
    if (!narrow)
        return fmaf(a, b, c);
    const long double x = (long double)a * b, y = c, sum = x + y, z = sum - x;
    const long double error = (x - (sum - z)) + (y - z); /* the exact value is sum + error */
    float f = to_odd(sum);
    if (!isfinite(sum) || error == 0 || f != sum)
        return f;
    uint32_t bits = sam_f32_bits(f);
    bits -= (error < 0) != (f < 0); /* toward zero */
    return sam_bits_f32(bits | 1);
}

/* The remainder with the sign of the divisor. */
static float real_modulo(float a, float b)
{
    const float r = fmodf(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static int64_t modulo(int64_t a, int64_t b)
{
    const int64_t r = a % b;
    return r && (r < 0) != (b < 0) ? r + b : r;
}

#define UNDEFINED 0 /* never evaluated */
#define CASE(function, expression)                                                                 \
    case function:                                                                                 \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (expression);                                                                   \
        return;

void sam_tile_reals(enum sam_tile_function function, bool narrow, const float *a, const float *b,
                    float *d, size_t n)
{
    switch (function) {
#define TILE_FUNCTION(id, real, whole) CASE(SAM_TILE_FN_##id, real)
#include "tile/functions.def"
    case SAM_TILE_FN_NONE: return;
    }
}

/* Results wrap: stores truncate to the dtype. */
static uint64_t wrap(int64_t value)
{
    return (uint64_t)value;
}

/* The smallest integer divided by -1 wraps. */
static int64_t divide(enum sam_dtype dtype, int64_t a, int64_t b)
{
    return dtype == SAM_U64 ? (int64_t)((uint64_t)a / (uint64_t)b)
           : b == -1        ? (int64_t)(0 - wrap(a))
                            : a / b;
}

void sam_tile_ints(enum sam_tile_function function, enum sam_dtype dtype, const int64_t *a,
                   const int64_t *b, int64_t *d, size_t n)
{
    int64_t top = (int64_t)(8 * sam_tile_size(dtype) - 1);
    switch (function) {
#define TILE_FUNCTION(id, real, whole) CASE(SAM_TILE_FN_##id, whole)
#include "tile/functions.def"
    case SAM_TILE_FN_NONE: return;
    }
}

uint64_t sam_tile_bits_at(const void *at, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, size);
    return bits;
}

static bool is_nan(enum sam_dtype dtype, uint64_t bits)
{
    return sam_tile_is_real(dtype) && isnan(sam_tile_real_value(dtype, bits));
}

/* x < m by value; `signs` orders -0 below +0. */
static bool below(enum sam_dtype dtype, bool signs, uint64_t x, uint64_t m)
{
    if (!sam_tile_is_real(dtype)) {
        int64_t a, b;
        sam_tile_read_ints(dtype, &x, 1, &a);
        sam_tile_read_ints(dtype, &m, 1, &b);
        return sam_tile_is_signed(dtype) ? a < b : (uint64_t)a < (uint64_t)b;
    }
    double a = sam_tile_real_value(dtype, x), b = sam_tile_real_value(dtype, m);
    return a < b || (signs && a == b && signbit(a) && !signbit(b));
}

bool sam_tile_better(enum sam_dtype dtype, bool max, enum sam_tile_nan nan, uint64_t x, uint64_t m)
{
    if (nan != SAM_TILE_NAN_FIRST && (is_nan(dtype, x) || is_nan(dtype, m)))
        return is_nan(dtype, nan == SAM_TILE_NAN_NUMBER ? m : x) &&
               !(is_nan(dtype, x) && is_nan(dtype, m));
    bool signs = nan != SAM_TILE_NAN_FIRST;
    return max ? below(dtype, signs, m, x) : below(dtype, signs, x, m);
}

uint64_t sam_tile_fold_pair(enum sam_dtype dtype, bool max, enum sam_tile_nan nan, uint64_t m,
                            uint64_t x)
{
    uint64_t best = sam_tile_better(dtype, max, nan, x, m) ? x : m;
    if (nan != SAM_TILE_NAN_FIRST && is_nan(dtype, best))
        return sam_tile_real_bits(dtype, NAN, SAM_TILE_RINT);
    return best;
}
