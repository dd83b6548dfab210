/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials, logarithms, powers, hyperbolic functions. */
#pragma OPENCL FP_CONTRACT OFF

float SAM_OVER exp(float x) { return __samite_exp(x); }
float SAM_OVER exp2(float x)
{
    const float bound = x < -200 ? -200 : x > 200 ? 200 : x;
    const int n = __samite_ftoi_rte(bound);
    const float rest = bound - (float)n;
    const int half_n = n >> 1;
    return sam_is_nan(x) ? x
                         : __samite_exp(rest * SAM_LN2.x) * sam_two_to(half_n) * sam_two_to(n - half_n);
}
float SAM_OVER exp10(float x)
{
    return sam_is_nan(x) ? x : sam_exp_of(sam_product((float2)(clamp(x, -99.f, 99.f), 0), SAM_LN10), 0);
}
float SAM_OVER expm1(float x)
{
    if (sam_abs(x) >= 0.5f)
        return __samite_exp(x) - 1;
    const float more = SAM_POLY7(x, 0.5f, 0.16666667139f, 0.041666667139f, 0.0083331820716f,
                                 0.001388873772f, 0.00019962176227f, 2.492243642e-5f);
    return sam_with_sign(sam_fma(x * x, more, x), x);
}

/* The logarithm of x: `inside` for positive finite x. */
static float sam_log_ends(float x, float2 inside)
{
    return x > 0 ? x < SAM_INF ? inside.x + inside.y : x : x == 0 ? -SAM_INF : SAM_NAN;
}
float SAM_OVER log(float x) { return sam_log_ends(x, sam_log_of(x, 0, SAM_LN_BASE)); }
float SAM_OVER log2(float x) { return sam_log_ends(x, sam_log_of(x, 0, SAM_LOG2E, (float2)(1, 0))); }
float SAM_OVER log10(float x)
{
    return sam_log_ends(x, sam_log_of(x, 0, SAM_LOG10E, (float2)(0x1.344p-2f, 0x1.3509f8p-18f)));
}
float SAM_OVER log1p(float x)
{
    const float sum = 1 + x, part = sum - 1;
    if (sam_abs(x) < 0x1p-25f)
        return x;
    return sam_log_ends(sum, sam_log_of(sum, (1 - (sum - part)) + (x - part), SAM_LN_BASE));
}

/* |x|^(y + low) for positive finite x. */
static float sam_power(float x, float y, float low)
{
    const float2 log_x = sam_log_of(sam_abs(x), 0, SAM_LN_BASE);
    return sam_exp_of(sam_product((float2)(y, low), log_x), 0);
}
static bool sam_is_odd(float y)
{
    return sam_abs(y) < 0x1p24f && (__samite_ftoi_rtz(y) & 1) && sam_trunc(y) == y;
}
/* The power of zero or infinity. */
static float sam_power_end(float x, bool positive) { return (x == 0) == positive ? 0 : SAM_INF; }

float SAM_OVER pow(float x, float y)
{
    const float size = sam_abs(x);
    if (y == 0 || x == 1)
        return 1;
    if (sam_is_nan(x) || sam_is_nan(y))
        return x + y;
    if (sam_abs(y) == SAM_INF)
        return size == 1 ? 1 : (size > 1) == (y > 0) ? SAM_INF : 0;
    const bool end = size == 0 || size == SAM_INF;
    if (x < 0 && !end && sam_trunc(y) != y)
        return SAM_NAN;
    const float power = end ? sam_power_end(x, y > 0) : sam_power(x, y, 0);
    return sam_is_odd(y) ? sam_with_sign(power, x) : power;
}
float SAM_OVER powr(float x, float y)
{
    if (!(x >= 0) || sam_is_nan(y) || (y == 0 && (x == 0 || x == SAM_INF)) ||
        (x == 1 && sam_abs(y) == SAM_INF))
        return SAM_NAN;
    return pow(sam_abs(x), y);
}
float SAM_OVER pown(float x, int y)
{
    if (y == 0)
        return 1;
    const float near = (float)y;
    const bool end = x == 0 || sam_abs(x) == SAM_INF;
    const float power = sam_is_nan(x) ? x
                        : end         ? sam_power_end(x, y > 0)
                                      : sam_power(x, near, (float)(y - __samite_ftoi_rtz(near)));
    return y & 1 ? sam_with_sign(power, x) : power;
}
float SAM_OVER rootn(float x, int n)
{
    if (n == 0 || (x < 0 && !(n & 1)) || sam_is_nan(x))
        return SAM_NAN;
    const float divisor = (float)n, part = 1 / divisor;
    const bool end = x == 0 || sam_abs(x) == SAM_INF;
    const float power = end ? sam_power_end(x, n > 0)
                            : sam_power(x, part, sam_fma(-part, divisor, 1) / divisor);
    return n & 1 ? sam_with_sign(power, x) : power;
}

/* Beyond 1 from e^|x| / 2, which does not overflow before the result. */
float SAM_OVER sinh(float x)
{
    const float z = x * x, size = sam_abs(x);
    if (size < 1)
        return sam_fma(x * z, SAM_POLY4(z, 0.16666666647f, 0.0083333396759f, 0.00019838101969f,
                                        2.8062802582e-6f), x);
    const float half_exp = sam_exp_of((float2)(size, 0), -1);
    return sam_with_sign(half_exp - 0.25f / half_exp, x);
}
float SAM_OVER cosh(float x)
{
    const float half_exp = sam_exp_of((float2)(sam_abs(x), 0), -1);
    return half_exp + 0.25f / half_exp;
}
float SAM_OVER tanh(float x)
{
    const float size = sam_abs(x), less = expm1(2 * (size > 10 ? 10 : size));
    return sam_is_nan(x) ? x : sam_with_sign(less / (less + 2), x);
}
float SAM_OVER asinh(float x)
{
    const float size = sam_abs(x), z = size * size;
    if (size > 0x1p30f)
        return sam_with_sign(log(size) + SAM_LN2.x, x);
    return sam_with_sign(log1p(size + z / (1 + __samite_sqrt(1 + z))), x);
}
float SAM_OVER acosh(float x)
{
    const float t = x - 1;
    if (x > 0x1p30f)
        return log(x) + SAM_LN2.x;
    return x < 1 ? SAM_NAN : log1p(t + __samite_sqrt(t * (t + 2)));
}
float SAM_OVER atanh(float x)
{
    const float size = sam_abs(x);
    return sam_with_sign(0.5f * log1p(2 * size / (1 - size)), x);
}

SAM_FLOAT1(exp) SAM_FLOAT1(exp2) SAM_FLOAT1(exp10) SAM_FLOAT1(expm1)
SAM_FLOAT1(log) SAM_FLOAT1(log2) SAM_FLOAT1(log10) SAM_FLOAT1(log1p)
SAM_FLOAT2(pow) SAM_FLOAT2(powr)
SAM_VECTOR2(pown, float, float, int) SAM_VECTOR2(rootn, float, float, int)
SAM_FLOAT1(sinh) SAM_FLOAT1(cosh) SAM_FLOAT1(tanh) SAM_FLOAT1(asinh) SAM_FLOAT1(acosh) SAM_FLOAT1(atanh)
