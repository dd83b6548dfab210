/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the inner loops for this host. */
#include "base/cpu.h"
#include "matrix/unit.h"

const struct sam_matrix_products *sam_matrix_products_choose(void)
{
    switch (sam_cpu_level()) {
#if defined(__x86_64__)
    case SAM_CPU_V4: return &sam_matrix_products_v4;
    case SAM_CPU_V3: return &sam_matrix_products_v3;
#endif
    default: return &sam_matrix_products_base;
    }
}
