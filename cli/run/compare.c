/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of two floating-point numbers in ulp is the number of steps between representable
 * numbers from one to the other. NaN equals only NaN; zeros of both signs are equal. */
#include "run/run.h"

bool run_is_real(enum sam_dtype dtype)
{
    return sam_dtype_class(dtype) == SAM_CLASS_FLOAT;
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

double run_element(const struct sam_array *array, size_t index)
{
    return sam_dtype_value(array->dtype, element(array, index));
}

/* 0 = equal; UINT64_MAX = a number and a NaN, or unequal integers. */
static uint64_t distance(enum sam_dtype dtype, uint64_t a, uint64_t b)
{
    if (a == b || !run_is_real(dtype))
        return a == b ? 0 : UINT64_MAX;
    bool a_is_nan = __builtin_isnan(sam_dtype_value(dtype, a));
    bool b_is_nan = __builtin_isnan(sam_dtype_value(dtype, b));
    if (a_is_nan || b_is_nan)
        return a_is_nan && b_is_nan ? 0 : UINT64_MAX;
    uint64_t sign = UINT64_C(1) << (8 * sam_dtype_size(dtype) - 1);
    uint64_t x = a & (sign - 1), y = b & (sign - 1);
    if ((a & sign) != (b & sign))
        return x + y;
    return x > y ? x - y : y - x;
}

/* An integer as sign and magnitude. */
static uint64_t magnitude(enum sam_dtype dtype, uint64_t bits, bool *negative)
{
    const unsigned unused = 64 - 8 * (unsigned)sam_dtype_size(dtype);
    *negative = sam_dtype_class(dtype) == SAM_CLASS_INT && bits << unused >> 63;
    return *negative ? (0 - (bits << unused)) >> unused : bits;
}

/* |a - b| and |b|. False: one is a NaN or an infinity. */
static bool apart(enum sam_dtype dtype, uint64_t a, uint64_t b, double *difference, double *size)
{
    if (run_is_real(dtype)) {
        double x = sam_dtype_value(dtype, a), y = sam_dtype_value(dtype, b);
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
    const double value = sam_dtype_value(array->dtype, bits);
    bool negative;
    const uint64_t whole = magnitude(array->dtype, bits, &negative);
    /* Enough digits to tell any two values apart. */
    if (run_is_real(array->dtype))
        snprintf(text, size, "%.*g",
                 array->dtype == SAM_F16   ? 5
                 : array->dtype == SAM_F32 ? 9
                                           : 17,
                 value);
    else
        snprintf(text, size, "%s%llu", negative ? "-" : "", (unsigned long long)whole);
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
