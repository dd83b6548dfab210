/* SPDX-License-Identifier: Apache-2.0 */
/* Linked before the library, this takes the place of its choice of lane loops: x86-64-v3 at most,
 * which a host that has v4 would never run otherwise. */
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
#endif
}
