/* SPDX-License-Identifier: Apache-2.0 */
/* CSRs of the unit: 32 bits each, stored as written and checked on use. */
#include "tensor/unit.h"

bool sam_tensor_csr_read(struct sam_core *core, unsigned address, uint64_t *value)
{
    unsigned index = address - SAM_CSR_tload_stride0;
    if (index >= SAM_TENSOR_CSRS)
        return false;
    *value = sam_tensor_of(core)->csr[index];
    return true;
}

bool sam_tensor_csr_write(struct sam_core *core, unsigned address, uint64_t value)
{
    struct sam_tensor *t = sam_tensor_of(core);
    unsigned index = address - SAM_CSR_tload_stride0;
    if (index >= SAM_TENSOR_CSRS)
        return false;
    t->csr[index] = (uint32_t)value;
    t->written[index] = true;
    sam_tensor_configure(t);
    return true;
}
