/* SPDX-License-Identifier: Apache-2.0 */
/* Weights like those of models: normally distributed, rounded towards zero to a type, from a
 * fixed generator; for tests and benchmarks. */
#ifndef TEST_WEIGHTS_H
#define TEST_WEIGHTS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "random.h"
#include "samite/codec.h"

static inline double test_uniform(uint64_t *random)
{
    return ((double)(test_random(random) >> 11) + 0.5) * 0x1p-53;
}

static inline double test_normal(uint64_t *random)
{
    double radius = sqrt(-2 * log(test_uniform(random)));
    return radius * cos(6.283185307179586 * test_uniform(random));
}

/* A float with `exponent` and `mantissa` bits, without overflow; subnormals are included. */
static inline uint32_t test_minifloat(double value, unsigned exponent, unsigned mantissa)
{
    int power, bias = (1 << (exponent - 1)) - 1;
    uint32_t sign = (uint32_t)signbit(value) << (exponent + mantissa);
    double fraction = frexp(fabs(value), &power); /* 0.5 <= fraction < 1 */
    int biased = power - 1 + bias;
    if (value == 0)
        return sign;
    if (biased <= 0) /* the lowest exponent without a hidden bit */
        return sign | (uint32_t)ldexp(fabs(value), bias - 1 + (int)mantissa);
    return sign | (uint32_t)biased << mantissa |
           (uint32_t)((fraction * 2 - 1) * (double)(1u << mantissa));
}

/* `size` bytes of elements of `type`: weights for a floating-point type, random bytes for any
 * other. */
static inline void test_weights(enum sam_dtype type, void *data, size_t size, double sigma,
                                uint64_t *random)
{
    uint8_t *out = data;
    /* Weights of 8 and 4 bits are scaled to their range. */
    double wide = type == SAM_E4M3 || type == SAM_E5M2 ? 1 / sigma
                  : type == SAM_E2M1                   ? 2 / sigma
                                                       : 1;
    for (size_t at = 0; at < size;) {
        double value = test_normal(random) * sigma * wide;
        float single = (float)value;
        uint32_t bits;
        size_t width = 1;
        memcpy(&bits, &single, sizeof bits);
        switch (type) {
        case SAM_F32: width = 4; break;
        case SAM_BF16: bits >>= 16, width = 2; break;
        case SAM_F16: bits = test_minifloat(value, 5, 10), width = 2; break;
        case SAM_E4M3: bits = test_minifloat(value, 4, 3); break;
        case SAM_E5M2: bits = test_minifloat(value, 5, 2); break;
        case SAM_E2M1:
            value = fmin(fmax(value, -7), 7);
            bits = test_minifloat(value, 2, 1);
            bits |= test_minifloat(fmin(fmax(test_normal(random) * 2, -7), 7), 2, 1) << 4;
            break;
        default: bits = (uint32_t)test_random(random); break;
        }
        for (size_t i = 0; i < width && at < size; i++, bits >>= 8)
            out[at++] = (uint8_t)bits;
    }
}

#endif
