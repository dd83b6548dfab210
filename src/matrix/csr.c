/* SPDX-License-Identifier: Apache-2.0 */
/* Life cycle and CSRs of a unit. CSRs with addresses from 0xcc0 on are read-only by their address.
 */
#include <stdlib.h>

#include "matrix/unit.h"

/* int4, int8, int16, f16, f32, f64, pointwise 64 and 32, f16f32, f32f64 */
#define XMISA 0x3ffu

struct sam_matrix *sam_matrix_new(unsigned mlen, bool narrow)
{
    struct sam_matrix *m = aligned_alloc(64, sizeof *m);
    struct sam_matrix_scratch *scratch = aligned_alloc(64, sizeof *scratch);
    if (!m || !scratch) {
        free(m);
        free(scratch);
        return NULL;
    }
    memset(scratch, 0, sizeof *scratch);
    *m = (struct sam_matrix){.row_bytes = mlen / 8,
                             .rows = mlen / 32,
                             .state = SAM_MATRIX_INITIAL,
                             .narrow = narrow,
                             .accumulators = (1u << SAM_MATRIX_COUNT) - 1,
                             .products = sam_matrix_products_choose(),
                             .scratch = scratch};
    return m;
}

void sam_matrix_free(struct sam_matrix *matrix)
{
    if (matrix)
        free(matrix->scratch);
    free(matrix);
}

static uint32_t packed_size(const struct sam_matrix *m)
{
    return (uint32_t)m->size_k << 16 | m->size_n << 8 | m->size_m;
}

bool sam_matrix_csr_read(struct sam_core *core, unsigned address, uint64_t *value)
{
    const struct sam_matrix *m = sam_matrix_of(core);
    switch (address) {
    case SAM_CSR_xmrstart: *value = m->start; return true;
    case SAM_CSR_xmcsr: *value = m->state; return true;
    case SAM_CSR_xmxrm: *value = m->round; return true;
    case SAM_CSR_xmxsat: *value = m->saturated; return true;
    case SAM_CSR_xmsize: *value = packed_size(m); return true;
    case SAM_CSR_xmregsize: *value = m->rows * m->row_bytes; return true;
    case SAM_CSR_xmlenb: *value = m->row_bytes; return true;
    case SAM_CSR_xmisa: *value = XMISA; return true;
    default: return false;
    }
}

bool sam_matrix_csr_write(struct sam_core *core, unsigned address, uint64_t value)
{
    struct sam_matrix *m = sam_matrix_of(core);
    switch (address) {
    case SAM_CSR_xmrstart: m->start = (uint32_t)value; return true;
    case SAM_CSR_xmcsr: m->state = (enum sam_matrix_state)(value & 3); return true;
    case SAM_CSR_xmxrm:
        m->round = (enum sam_matrix_round)(value & 3);
        if (value == 0)
            m->saturated = false;
        return true;
    default: return false;
    }
}
