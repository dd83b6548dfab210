/* SPDX-License-Identifier: Apache-2.0 */
/* The library's functions of floats on the machine, bitwise equal to the same source on the
 * host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/cc/math_measure.h"
#include "tests/cc/run.h"

enum { N = 2048 };

static uint32_t x[N], y[N];

static float value(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void check(void **state)
{
    const struct math_function *f = *state;
    char source[400];
    snprintf(source, sizeof source,
             "__kernel void k(__global float *out, __global const float *x, __global const %s *y)\n"
             "{ const uint i = get_global_id(0); out[i] = %s(x[i]%s); }\n",
             f->power ? "int" : "float", f->name, f->one ? "" : ", y[i]");
    uint32_t out[N] = {0};
    const struct cc_buffer buffers[] = {{out, out, N}, {x, NULL, N}, {y, NULL, N}};
    const struct cc_launch launch = {
        .kernel = "k", .grid = {N / 64, 1, 1}, .block = {64, 1, 1}, .lanes = 32};
    struct sam_image *image = cc_image(source);
    cc_run_buffers(image, &launch, buffers, 3);
    sam_image_free(image);
    for (int i = 0; i < N; i++) {
        const float a = value(x[i]), b = value(y[i]);
        const float want = f->one ? f->one(a) : f->power ? f->power(a, (int)y[i]) : f->two(a, b);
        const float got = value(out[i]);
        uint32_t bits;
        memcpy(&bits, &want, sizeof bits);
        if (out[i] != bits && !(isnan(got) && isnan(want)))
            fail_msg("%s(%a, %a or %d): %a, expected %a", f->name, (double)a, (double)b, (int)y[i],
                     (double)got, (double)want);
    }
}

PROLOGUE
{
    const char *given = getenv("SAMITE_SEED");
    uint64_t random = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("# SAMITE_SEED=%llu\n", (unsigned long long)random);
    cc_need_clang();
    for (int i = 0; i < 2 * N; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t bits = (uint32_t)(random >> 32);
        if (i / 2 % 4 == 1) /* moderate numbers */
            bits = (bits & 0x83ffffffu) + 0x3c000000u;
        if (i / 2 % 4 == 2) /* small integers, or small bit patterns */
            bits = bits >> 31 ? (uint32_t)((int32_t)bits % 40) : 0x3f800000u + (bits & 0x01c00000u);
        *(i & 1 ? &y[i / 2] : &x[i / 2]) = i < 64 && i % 3 == 0 ? bits & 0xff800000u : bits;
    }
    for (size_t i = 0; i < math_function_count; i++)
        if (!math_functions[i].either_zero)
            test_add(check, &math_functions[i], "%s", math_functions[i].name);
}
