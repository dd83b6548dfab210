/* SPDX-License-Identifier: Apache-2.0 */
/* Linked before the library, this replaces its detection of the host: x86-64-v3 at most, whose
 * loops would never run on a host with v4. */
#include "base/cpu.h"

enum sam_cpu_level sam_cpu_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return SAM_CPU_V3;
#endif
    return SAM_CPU_BASE;
}
