/* SPDX-License-Identifier: Apache-2.0 */
/* Every float function of the OpenCL C library, sampled, within the specification's limits;
 * SAMITE_STRIDE=1 measures every float, in minutes per function. The lines are those of the
 * table in docs/opencl-math.md. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "tests/cc/math_measure.h"
#include "tests/test.h"

static uint64_t seed, stride;

static void check(void **state)
{
    const struct math_function *f = *state;
    struct math_error e = f->one ? math_measure(f, seed % stride, UINT64_C(1) << 32, stride)
                                 : math_measure_pairs(f, seed, (UINT64_C(1) << 32) / stride);
    static const uint32_t ends[] = {0, 0x7f7fff80, 0x80000000, 0xff7fff80}; /* zeros, infinities */
    for (size_t i = 0; f->one && i < SAM_COUNT(ends); i++) {
        const struct math_error at = math_measure(f, ends[i], ends[i] + UINT64_C(256), 1);
        e = at.ulp > e.ulp ? at : e;
    }
    printf("# %s: %.2f of %g ulp at %a %a\n", f->name, e.ulp, f->limit, (double)e.x, (double)e.y);
    if (!(e.ulp <= f->limit))
        fail_msg("%s(%a, %a): %.2f ulp, expected at most %g (seed %llu)", f->name, (double)e.x,
                 (double)e.y, e.ulp, f->limit, (unsigned long long)seed);
}

PROLOGUE
{
    const char *given = getenv("SAMITE_SEED");
    seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    const char *step = getenv("SAMITE_STRIDE");
    stride = step ? strtoull(step, NULL, 0) : 4001; /* a prime: all low bits occur */
    stride += stride == 0;
    printf("# SAMITE_SEED=%llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < math_function_count; i++)
        test_add(check, &math_functions[i], "%s", math_functions[i].name);
}
