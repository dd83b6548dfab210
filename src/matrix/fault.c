/* SPDX-License-Identifier: Apache-2.0 */
/* Explains traps of instructions of the unit, with the current sizes. docs/matrix-rulings.md 2.12.
 */
#include <inttypes.h>
#include <stdio.h>

#include "matrix/unit.h"

/* "m0, m4" */
static void put_accumulators(struct sam_buffer *out, uint32_t set)
{
    for (unsigned i = 0; i < SAM_MATRIX_COUNT; i++)
        if (set >> i & 1)
            sam_buffer_printf(out, "%sm%u", set & ((1u << i) - 1) ? ", " : "", i);
}

static void put(struct sam_buffer *out, const struct sam_core *core)
{
    const struct sam_matrix *m = sam_matrix_of(core);
    const uint64_t *v = m->fault.value;
    switch (m->fault.why) {
    case SAM_MATRIX_FINE: break;
    case SAM_MATRIX_IS_OFF:
        sam_buffer_puts(out, "xmcsr is 0, which turns the matrix unit off: csrwi xmcsr, 1");
        break;
    case SAM_MATRIX_SIZE_M:
        sam_buffer_printf(out, "sizeM is %u: expected 1 to %u (mcfgm)", m->size_m, m->rows);
        break;
    case SAM_MATRIX_SIZE_N:
        sam_buffer_printf(out, "sizeN is %u: expected 1 to %" PRIu64 " (mcfgn)", m->size_n, v[0]);
        break;
    case SAM_MATRIX_SIZE_K:
        sam_buffer_printf(out, "sizeK is %u bytes: expected 1 to %u (mcfgk)", m->size_k,
                          m->row_bytes);
        break;
    case SAM_MATRIX_ELEMENTS:
        sam_buffer_printf(out, "sizeK is %u bytes: expected a multiple of %" PRIu64 " (mcfgk)",
                          m->size_k, v[0]);
        break;
    case SAM_MATRIX_FRM: sam_buffer_printf(out, "frm is %" PRIu64 ": expected 0 to 4", v[0]); break;
    case SAM_MATRIX_NOT_MD:
        sam_buffer_printf(out, "m%" PRIu64 " as md: expected a register of acc_regs, ", v[0]);
        put_accumulators(out, m->accumulators);
        break;
    case SAM_MATRIX_NO_SOURCE:
        sam_buffer_printf(out, "m%" PRIu64 " as a source: expected none of acc_regs, ", v[0]);
        put_accumulators(out, m->accumulators);
        break;
    case SAM_MATRIX_PRODUCT:
        sam_buffer_printf(out, "m%" PRIu64 " is %s", v[1],
                          sam_m_fault_text((enum sam_m_fault)v[0]));
        break;
    case SAM_MATRIX_ROW:
        sam_buffer_printf(out, "row %" PRIu64 ": expected 0 to %u", v[0], m->rows - 1);
        break;
    case SAM_MATRIX_GROUP:
        sam_buffer_printf(out, "m%" PRIu64 " is not a multiple of %" PRIu64, v[0], v[1]);
        break;
    case SAM_MATRIX_UNALIGNED:
        sam_buffer_printf(out, "base and stride must be multiples of %" PRIu64, v[0]);
        break;
    case SAM_MATRIX_HIGH: sam_buffer_puts(out, "addresses of the matrix unit have 40 bits"); break;
    }
}

void sam_matrix_describe_fault(const struct sam_core *core, char *text, size_t size)
{
    struct sam_buffer out = {0};
    put(&out, core);
    snprintf(text, size, "%s", out.size ? sam_buffer_text(&out) : "");
    sam_buffer_free(&out);
}
