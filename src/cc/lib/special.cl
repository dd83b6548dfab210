/* SPDX-License-Identifier: Apache-2.0 */
/* Error and gamma functions. */
#pragma OPENCL FP_CONTRACT OFF

float SAM_OVER erfc(float x)
{
    const float size = sam_abs(x) > 11 ? 11 : sam_abs(x), t = (size - 2) / (size + 2);
    /* erfc(x) e^(x^2) (x + 2) */
    const float low = SAM_POLY6(t, 1.0215827054f, -0.68716068683f, 0.27947207053f, -0.036442142926f,
                                -0.021510189517f, 0.0064783508356f);
    const float high = SAM_POLY7(t, 0.0030867525459f, -0.00083473068974f, -0.00064837236432f,
                                 3.438360984e-5f, 0.00011808757076f, 2.2046903072e-5f,
                                 -3.8334381271e-6f);
    const float t3 = t * t * t, square = size * size;
    const float2 power = (float2)(-square, sam_fma(-size, size, square));
    const float y = sam_exp_of(power, 60) * (sam_fma(t3 * t3, high, low) / (size + 2)) * 0x1p-60f;
    return sam_is_nan(x) ? x : x < 0 ? 2 - y : y;
}
float SAM_OVER erf(float x)
{
    const float z = x * x;
    if (sam_abs(x) < 1)
        return sam_fma(x, SAM_POLY8(z, 0.12837916706f, -0.37612638468f, 0.11283782495f,
                                    -0.026865430728f, 0.0052210318079f, -0.00084840804055f,
                                    0.00011265959026f, -9.6670445715e-6f), x);
    return sam_with_sign(1 - erfc(sam_abs(x)), x);
}

/* log gamma(x) for x from 4 on, after Stirling. */
static float2 sam_gamma_large(float x)
{
    const float2 part = sam_product((float2)(x - 0.5f, 0), sam_log_of(x, 0, SAM_LN_BASE));
    const float2 sum = part.x > x ? sam_sum(part.x, -x) : sam_sum(-x, part.x);
    const float w = 1 / x, z = w * w;
    const float series = w * SAM_POLY4(z, 0.083333333f, -0.0027777778f, 7.9365079e-4f, -5.952381e-4f);
    return (float2)(sum.x, sum.y + part.y + (series + 0.918938533f));
}
/* gamma(x) = gamma(x + n) / product with x + n from 4 on: x becomes x + n. */
static float sam_gamma_shift(__private float *x)
{
    float product = 1;
    for (int i = 0; i < 4; i++)
        if (*x < 4) {
            product *= *x;
            *x += 1;
        }
    return product;
}
float SAM_OVER tgamma(float x)
{
    float size = sam_abs(x);
    if (size < 0x1p-25f)
        return 1 / x;
    if (!(x < 36) || x == -SAM_INF)
        return x > 0 ? SAM_INF : SAM_NAN;
    if (x < 0 && sam_trunc(x) == x)
        return SAM_NAN;
    size = size > 50 ? 50 : size;
    const float product = sam_gamma_shift(&size);
    const float2 large = sam_gamma_large(size);
    if (x > 0)
        return sam_exp_of(large, 0) / product;
    /* gamma(x) gamma(-x) = -pi / (x sin(pi x)) */
    const float other = sam_exp_of(-large, 60) * product;
    return other * (-SAM_PI.x / (x * sinpi(x))) * 0x1p-60f;
}

/* log gamma(x) for x > 0 */
static float sam_gamma_log(float x)
{
    if (x >= 8) {
        const float2 large = sam_gamma_large(x);
        return x < 0x1p60f ? large.x + large.y : x * (log(x) - 1);
    }
    float product = 1, y = x;
    for (int i = 0; i < 6; i++)
        if (y > 2.5f) {
            y -= 1;
            product *= y;
        }
    /* y up to 2.5: log gamma(2 + f) = f Q(f) */
    const bool middle = x > 0.5f && x < 1.5f, low = x <= 0.5f;
    const float f = low ? x : middle ? x - 1 : y - 2;
    product = low ? x * (x + 1) : middle ? x : product;
    const float q = SAM_POLY5(f, -0.0073861741556f, 0.0028907953216f, -0.0011858600345f, 0.00050651714295f,
                              f * 0.00011347281995f - 0.00025381709567f);
    const float log_gamma = f * SAM_POLY4(f, 0.422784335f, 0.32246703347f, -0.067352281472f,
                                          sam_fma(f, q, 0.020580799472f));
    return log_gamma + (low || middle ? -log(product) : log(product));
}
static float sam_lgamma_r(float x, __private int *sign)
{
    const float size = sam_abs(x), s = sinpi(x);
    *sign = 1;
    if (!(size < SAM_INF))
        return size;
    if (x > 0)
        return sam_gamma_log(x);
    /* gamma(x) gamma(-x) = -pi / (x sin(pi x)) */
    *sign = size < 0x1p-25f ? as_int(x) < 0 ? -1 : 1 : s == 0 ? 0 : s > 0 ? 1 : -1;
    if (size < 0x1p-25f)
        return size == 0 ? SAM_INF : -log(size);
    return s == 0 ? SAM_INF : log(SAM_PI.x / sam_abs(x * s)) - sam_gamma_log(size);
}
float SAM_OVER lgamma(float x)
{
    int sign;
    return sam_lgamma_r(x, &sign);
}

SAM_FLOAT1(erf) SAM_FLOAT1(erfc) SAM_FLOAT1(tgamma) SAM_FLOAT1(lgamma)
SAM_POINTER(lgamma_r, int)
