/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of floats of the OpenCL C library, sampled, within the specification's limits;
 * `./dev bench opencl-math` measures every float. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/cc/math_measure.h"
#include "tests/test.h"

static uint64_t seed;

static void check(void **state)
{
    const struct math_function *f = *state;
    const uint64_t stride = 4001; /* a prime: all low bits occur */
    const struct math_error e = f->one ? math_measure(f, seed % stride, UINT64_C(1) << 32, stride)
                                       : math_measure_pairs(f, seed, 1000000);
    if (!(e.ulp <= f->limit))
        fail_msg("%s(%a, %a): %.2f ulp, expected at most %g (seed %llu)", f->name, (double)e.x,
                 (double)e.y, e.ulp, f->limit, (unsigned long long)seed);
}

PROLOGUE
{
    const char *given = getenv("SAMITE_SEED");
    seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("# SAMITE_SEED=%llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < math_function_count; i++)
        test_add(check, &math_functions[i], "%s", math_functions[i].name);
}
