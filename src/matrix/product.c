/* SPDX-License-Identifier: Apache-2.0 */
/* Which inner loops this host runs. */
#include "matrix/unit.h"

#include "config.h"

const struct sam_m_products *sam_m_products_choose(void)
{
#if defined(SAM_LANES_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &sam_m_products_v4;
    /* f16c is older than avx2 on every CPU that has both. */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return &sam_m_products_v3;
#endif
    return &sam_m_products_base;
}
