/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpu.h"

enum sam_cpu_level sam_cpu_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    /* All CPUs with bmi2 and avx2 have lzcnt and f16c; clang 14 cannot test lzcnt. */
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2"))
        return SAM_CPU_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return SAM_CPU_V3;
    return SAM_CPU_V4;
#else
    return SAM_CPU_BASE;
#endif
}

bool sam_cpu_has_vbmi2(void)
{
#if defined(__x86_64__)
    return sam_cpu_level() == SAM_CPU_V4 && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
#else
    return false;
#endif
}
