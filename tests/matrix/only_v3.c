/* SPDX-License-Identifier: Apache-2.0 */
/* Linked before the library, this takes the place of its choice of inner loops. */
#include "matrix/unit.h"

const struct sam_m_products *sam_m_products_choose(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &sam_m_products_v3;
#endif
    return &sam_m_products_base;
}
