/* SPDX-License-Identifier: Apache-2.0 */
/* mmov: moves whole registers, whatever the sizes. */
#include "matrix/unit.h"

bool sam_matrix_copy(struct sam_core *c, unsigned md, unsigned ms1, uint64_t operand,
                     unsigned variant)
{
    struct sam_matrix *m = sam_matrix_of(c);
    const size_t bytes = m->rows * m->row_bytes;
    uint8_t row[SAM_MATRIX_ROW_BYTES];
    if (variant == SAM_M_MM) {
        memmove(m->m[md], m->m[ms1], bytes);
        return true;
    }
    if (variant == SAM_M_MX) {
        const unsigned width = m->narrow ? 4 : 8;
        for (unsigned i = 0; i < m->row_bytes; i++)
            row[i] = (uint8_t)(operand >> 8 * (i % width));
    } else {
        const uint8_t *from = sam_matrix_numbered(c, ms1, operand);
        if (!from)
            return false;
        memcpy(row, from, m->row_bytes);
    }
    for (unsigned i = 0; i < m->rows; i++)
        memcpy(sam_matrix_row(m, md, i), row, m->row_bytes);
    return true;
}
