/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of two floating-point numbers in ulp is how many representable numbers lie from one
 * to the other; NaN equals NaN and nothing else, zeros of both signs are equal. */
#include "run_compare.h"

#include <stdio.h>
#include <string.h>

bool run_is_real(enum sam_dtype dtype)
{
    return dtype == SAM_F16 || dtype == SAM_F32 || dtype == SAM_F64;
}

static uint64_t element(const struct sam_array *array, size_t index)
{
    size_t size = sam_dtype_size(array->dtype);
    const uint8_t *at = (const uint8_t *)array->data + index * size;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)at[i] << 8 * i;
    return bits;
}

/* Exponent and mantissa bits of the type. */
static unsigned mantissa_bits(enum sam_dtype dtype)
{
    return dtype == SAM_F16 ? 10 : dtype == SAM_F32 ? 23 : 52;
}

static bool is_nan(enum sam_dtype dtype, uint64_t bits)
{
    unsigned width = 8 * (unsigned)sam_dtype_size(dtype), mantissa = mantissa_bits(dtype);
    uint64_t magnitude = bits & ((UINT64_C(1) << (width - 1)) - 1);
    uint64_t infinity = ((UINT64_C(1) << (width - 1 - mantissa)) - 1) << mantissa;
    return magnitude > infinity;
}

/* 0 = equal; UINT64_MAX = a number and a NaN, or unequal integers. */
static uint64_t distance(enum sam_dtype dtype, uint64_t a, uint64_t b)
{
    if (!run_is_real(dtype))
        return a == b ? 0 : UINT64_MAX;
    if (is_nan(dtype, a) || is_nan(dtype, b))
        return is_nan(dtype, a) && is_nan(dtype, b) ? 0 : UINT64_MAX;
    uint64_t sign = UINT64_C(1) << (8 * sam_dtype_size(dtype) - 1);
    uint64_t x = a & (sign - 1), y = b & (sign - 1);
    if ((a & sign) != (b & sign))
        return x + y;
    return x > y ? x - y : y - x;
}

static double half_value(uint64_t bits)
{
    uint64_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent ? (double)(mantissa | 1024) : (double)mantissa;
    for (uint64_t e = exponent ? exponent : 1; e < 25; e++)
        value /= 2;
    for (uint64_t e = 25; e < exponent; e++)
        value *= 2;
    if (exponent == 31)
        value = mantissa ? __builtin_nan("") : __builtin_inf();
    return bits & 0x8000 ? -value : value;
}

/* The value of a floating-point element. */
static double real_value(enum sam_dtype dtype, uint64_t bits)
{
    float single;
    double wide;
    uint32_t low = (uint32_t)bits;
    if (dtype == SAM_F16)
        return half_value(bits);
    if (dtype == SAM_F32) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

static bool is_signed(enum sam_dtype dtype)
{
    return dtype == SAM_I8 || dtype == SAM_I16 || dtype == SAM_I32 || dtype == SAM_I64;
}

/* An integer as sign and magnitude. */
static uint64_t magnitude(enum sam_dtype dtype, uint64_t bits, bool *negative)
{
    const unsigned unused = 64 - 8 * (unsigned)sam_dtype_size(dtype);
    *negative = is_signed(dtype) && bits << unused >> 63;
    return *negative ? (0 - (bits << unused)) >> unused : bits;
}

/* |a - b| and |b|. False: a NaN or an infinity, which has no distance. */
static bool apart(enum sam_dtype dtype, uint64_t a, uint64_t b, double *difference, double *size)
{
    if (run_is_real(dtype)) {
        double x = real_value(dtype, a), y = real_value(dtype, b);
        *difference = x > y ? x - y : y - x;
        *size = y < 0 ? -y : y;
        return __builtin_isfinite(x) && __builtin_isfinite(y);
    }
    bool minus_a, minus_b;
    uint64_t x = magnitude(dtype, a, &minus_a), y = magnitude(dtype, b, &minus_b);
    *difference = minus_a != minus_b ? (double)x + (double)y : (double)(x > y ? x - y : y - x);
    *size = (double)y;
    return true;
}

bool run_compare_element(const struct run_tolerance *tolerance, const struct sam_array *found,
                         const struct sam_array *expected, size_t i, struct run_comparison *sum,
                         uint64_t *ulp)
{
    const enum sam_dtype dtype = found->dtype;
    const uint64_t a = element(found, i), b = element(expected, i);
    double difference, size;
    *ulp = distance(dtype, a, b);
    sum->count++;
    if (*ulp == 0)
        return true;
    const bool ordered = apart(dtype, a, b, &difference, &size);
    bool passes = *ulp != UINT64_MAX && *ulp <= tolerance->ulp;
    sum->unequal++;
    if (*ulp != UINT64_MAX) {
        sum->ulp = *ulp > sum->ulp ? *ulp : sum->ulp;
        sum->spread[64 - __builtin_clzll(*ulp)]++;
    }
    if (ordered) {
        passes |= tolerance->close && difference <= tolerance->atol + tolerance->rtol * size;
        if (difference > sum->most) {
            sum->most = difference;
            sum->most_at = i;
        }
        if (size > 0 && difference / size > sum->most_relative) {
            sum->most_relative = difference / size;
            sum->relative_at = i;
        }
        sum->sum += difference;
    } else {
        sum->unordered++;
    }
    sum->failed += !passes;
    return passes;
}

void run_element_text(const struct sam_array *array, size_t i, char *text, size_t size)
{
    const uint64_t bits = element(array, i);
    switch (array->dtype) {
    case SAM_F16: snprintf(text, size, "%.5g", half_value(bits)); break;
    case SAM_F32: snprintf(text, size, "%.9g", real_value(SAM_F32, bits)); break;
    case SAM_F64: snprintf(text, size, "%.17g", real_value(SAM_F64, bits)); break;
    case SAM_I8: snprintf(text, size, "%d", (int8_t)bits); break;
    case SAM_I16: snprintf(text, size, "%d", (int16_t)bits); break;
    case SAM_I32: snprintf(text, size, "%d", (int32_t)bits); break;
    case SAM_I64: snprintf(text, size, "%lld", (long long)bits); break;
    default: snprintf(text, size, "%llu", (unsigned long long)bits); break;
    }
}

void run_index_text(const struct sam_array *array, size_t i, char *text, size_t size)
{
    uint64_t at[8];
    size_t used = 0;
    for (size_t d = array->rank; d-- > 0;) {
        at[d] = i % array->shape[d];
        i /= array->shape[d];
    }
    for (size_t d = 0; d < array->rank && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, d ? ", %llu" : "%llu",
                                 (unsigned long long)at[d]);
    if (array->rank == 0)
        snprintf(text, size, "0");
}
