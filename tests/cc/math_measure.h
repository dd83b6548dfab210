/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the OpenCL C library's functions, compiled for the host, against double precision. */
#ifndef MATH_MEASURE_H
#define MATH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct math_function {
    const char *name;
    double limit; /* ulp */
    bool either_zero;
    float (*one)(float x);
    float (*two)(float x, float y);
    float (*power)(float x, int n);
    double (*reference)(double x, double y);
};
extern const struct math_function math_functions[];
extern const size_t math_function_count;

struct math_error {
    double ulp; /* the largest; INFINITY: a NaN, infinity or sign of zero is wrong */
    float x, y; /* where */
};

/* Every `stride`-th float from the bits `first` up to, not including, `end`. */
struct math_error math_measure(const struct math_function *function, uint64_t first, uint64_t end,
                               uint64_t stride);
/* Pairs: of special values, and `count` random ones of several distributions. */
struct math_error math_measure_pairs(const struct math_function *function, uint64_t seed,
                                     uint64_t count);

#endif
