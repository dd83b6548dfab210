/* SPDX-License-Identifier: Apache-2.0 */
/* Which lane loops this host runs. */
#include "simt/simt.h"

#include "config.h"

void sam_lanes_fill(struct sam_machine *machine)
{
    sam_lanes_fill_base(machine);
#if defined(SAM_LANES_X86)
    __builtin_cpu_init();
    /* lzcnt goes with bmi2; clang 14 cannot ask for it. */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        sam_lanes_fill_v3(machine);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        sam_lanes_fill_v4(machine);
#endif
}
