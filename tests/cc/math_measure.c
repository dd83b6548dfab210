/* SPDX-License-Identifier: Apache-2.0 */
#include "math_measure.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/random.h"

/* The library's printf is not measured. */
uint32_t *print_buffer(uint32_t *size);
uint32_t *print_buffer(uint32_t *size)
{
    *size = 0;
    return NULL;
}

/* glibc of Debian 12 has none; the remainder is exact. */
static double ref_sinpi(double x)
{
    const double turn = x - 2 * nearbyint(x / 2), r = turn - nearbyint(2 * turn) / 2;
    const int n = (int)nearbyint(2 * turn) & 3;
    const double y = n & 1 ? cos(M_PI * r) : sin(M_PI * r);
    return y == 0 ? copysign(0, x) : n & 2 ? -y : y;
}
static double ref_cospi(double x)
{
    const double turn = x - 2 * nearbyint(x / 2), r = turn - nearbyint(2 * turn) / 2;
    const int n = ((int)nearbyint(2 * turn) + 1) & 3;
    const double y = n & 1 ? cos(M_PI * r) : sin(M_PI * r);
    return y == 0 ? 0 : n & 2 ? -y : y;
}
/* 7.5.1 of the specification: the signs at multiples of 1 / 2 */
static double ref_tanpi(double x)
{
    const double half = floor(x), odd = fmod(half, 2) != 0 ? -1 : 1;
    if (x == half && isfinite(x))
        return copysign(0, x) * odd;
    if (x - half == 0.5)
        return INFINITY * odd;
    return ref_sinpi(x) / ref_cospi(x);
}
static double ref_powr(double x, double y)
{
    if (!(x >= 0) || isnan(y) || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y)))
        return NAN;
    return pow(fabs(x), y);
}
static double ref_rootn(double x, int n)
{
    if (n == 0 || (x < 0 && n % 2 == 0) || isnan(x))
        return NAN;
    const double root = (double)powl(fabsl((long double)x), 1 / (long double)n);
    return n % 2 ? copysign(root, x) : root;
}

#define ONE(name, limit, expression)                                                               \
    float math_##name(float x);                                                                    \
    static double reference_##name(double x, double y)                                             \
    {                                                                                              \
        (void)y;                                                                                   \
        return expression;                                                                         \
    }
#define TWO(name, limit, expression)                                                               \
    float math_##name(float x, float y);                                                           \
    static double reference_##name(double x, double y)                                             \
    {                                                                                              \
        return expression;                                                                         \
    }
#define EITHER(name, expression) TWO(name, 0, expression)
#define POWER(name, limit, expression)                                                             \
    float math_##name(float x, int n);                                                             \
    static double reference_##name(double x, double y)                                             \
    {                                                                                              \
        const int n = (int)y;                                                                      \
        return expression;                                                                         \
    }
#include "math.def"
#undef ONE
#undef TWO
#undef POWER
#undef EITHER

#define ONE(name, limit, e)   {#name, limit, false, math_##name, NULL, NULL, reference_##name},
#define TWO(name, limit, e)   {#name, limit, false, NULL, math_##name, NULL, reference_##name},
#define EITHER(name, e)       {#name, 0, true, NULL, math_##name, NULL, reference_##name},
#define POWER(name, limit, e) {#name, limit, false, NULL, NULL, math_##name, reference_##name},
const struct math_function math_functions[] = {
#include "math.def"
};
const size_t math_function_count = sizeof math_functions / sizeof *math_functions;

/* Distance in ulp of a float at `want`, as defined in 7.4 of the specification; a result that
 * overflows counts as 2^128. */
static double ulps(float got, double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (got == 0 && !signbit(got) != !signbit(want))
        return INFINITY;
    if (want == 0)
        return fabs((double)got) * 0x1p149;
    /* From here on the nearest float is an infinity. */
    if (fabs(want) >= 0x1.ffffffp+127) {
        if (isinf(got) && !signbit(got) == !signbit(want))
            return 0;
        want = copysign(isinf(want) ? INFINITY : 0x1p128, want);
    }
    int exponent;
    frexp(want, &exponent);
    const double unit = ldexp(1, (exponent < FLT_MIN_EXP ? FLT_MIN_EXP : exponent) - FLT_MANT_DIG);
    const double value = isinf(got) ? copysign(0x1p128, got) : (double)got;
    return fabs(value - want) / unit;
}

static void take(struct math_error *error, float got, double want, float x, float y)
{
    const double distance = ulps(got, want);
    if (distance > error->ulp)
        *error = (struct math_error){distance, x, y};
}

struct math_error math_measure(const struct math_function *function, uint64_t first, uint64_t end,
                               uint64_t stride)
{
    struct math_error error = {-1, 0, 0};
    for (uint64_t bits = first; bits < end; bits += stride) {
        const uint32_t word = (uint32_t)bits;
        float x;
        memcpy(&x, &word, sizeof x);
        take(&error, function->one(x), function->reference((double)x, 0), x, 0);
    }
    return error;
}

static void measure_pair(const struct math_function *function, struct math_error *error, float x,
                         float y)
{
    if (function->power) {
        const double whole =
            (double)y != (double)y ? 0 : fmin(fmax((double)y, INT32_MIN), INT32_MAX);
        const int n = (int)whole;
        take(error, function->power(x, n), function->reference((double)x, n), x, (float)n);
    } else if (!(function->either_zero && x == 0 && y == 0)) {
        take(error, function->two(x, y), function->reference((double)x, (double)y), x, y);
    }
}

struct math_error math_measure_pairs(const struct math_function *function, uint64_t seed,
                                     uint64_t count)
{
    static const float special[] = {
        0,
        0x1p-149f,
        0x1.8p-148f,
        0x1.fffffcp-127f,
        FLT_MIN,
        0x1p-25f,
        0.5f,
        0x1.fffffep-1f,
        1,
        1.5f,
        0x1.000002p+0f,
        2,
        2.5f,
        3,
        0x1p23f,
        8388609,
        16777215,
        0x1p24f,
        0x1p31f,
        0x1p32f,
        127,
        128,
        149,
        150,
        FLT_MAX,
        INFINITY,
        NAN,
    };
    const int specials = sizeof special / sizeof *special;
    struct math_error error = {-1, 0, 0};
    for (int i = 0; i < specials; i++)
        for (int k = 0; k < specials; k++)
            for (int signs = 0; signs < 4; signs++)
                measure_pair(function, &error, signs & 1 ? -special[i] : special[i],
                             signs & 2 ? -special[k] : special[k]);
    for (uint64_t i = 0; i < count; i++) {
        float pair[2];
        for (int k = 0; k < 2; k++) {
            const double u = kernel_uniform(&seed);
            const uint32_t word = (uint32_t)(u * 0x1p32);
            switch (i / (k ? 4 : 1) % 4) {
            case 0: memcpy(&pair[k], &word, sizeof word); break;
            case 1: pair[k] = (float)((u - 0.5) * 200); break;
            case 2: pair[k] = nearbyintf((float)((u - 0.5) * 64)); break;
            default: pair[k] = (float)(exp2((u - 0.5) * 20)); break;
            }
        }
        measure_pair(function, &error, pair[0], pair[1]);
    }
    return error;
}
