/* SPDX-License-Identifier: Apache-2.0 */
/* Explains traps of instructions of the unit. The instruction has changed nothing, so the CSRs
 * still hold the faulty values. Manual 6.1; docs/tensorload-rulings.md 3.1. */
#include <inttypes.h>
#include <stdio.h>

#include "tensor/unit.h"

static const char *csr_name(const struct sam_core *core, unsigned address)
{
    const char *name = sam_csr_name(&sam_code_machine(core->code)->isa, address);
    return name ? name : "a CSR";
}

static void put_shape(struct sam_buffer *out, const struct sam_tensor *t)
{
    const uint32_t shape = sam_tensor_csr(t, SAM_CSR_tshape);
    const unsigned *d = t->dims;
    sam_buffer_printf(out, "tshape [%u, %u, %u]", d[0], d[1], d[2]);
    switch ((int)t->fault.why) {
    case SAM_TL_SHAPE_RESERVED:
        sam_buffer_printf(out, " = 0x%08" PRIx32 ": bits 31:24 must be 0", shape);
        break;
    case SAM_TL_SHAPE_ZERO: sam_buffer_printf(out, ": no size may be 0"); break;
    default:
        sam_buffer_printf(out, " of %u-bit elements takes %u bits: at most 8192",
                          (unsigned)sam_dtype_bits(t->type),
                          d[0] * d[1] * d[2] * (unsigned)sam_dtype_bits(t->type));
    }
}

static void put_xpose(struct sam_buffer *out, const struct sam_tensor *t)
{
    const uint64_t *v = t->fault.value;
    const uint32_t sizes = (uint32_t)v[0];
    sam_buffer_printf(out, "dim_gpr [%u, %u, %u, %u]", sizes & 255, sizes >> 8 & 255,
                      sizes >> 16 & 255, sizes >> 24);
    if (t->fault.why == SAM_TL_XPOSE_ODD)
        sam_buffer_printf(out, ": D0 must be even");
    else
        sam_buffer_printf(
            out, " of %" PRIu64 "-bit elements takes %" PRIu64 " bits: expected 16384", v[1], v[2]);
}

/* Faults whose text needs no more than their values. */
static const char *const texts[] = {
    [SAM_TL_MASKED_SLICES] = "D0 = %" PRIu64 " under a mask: at most 32",
    [SAM_TL_WIDTH_BITS] = "a slice of %" PRIu64 " bits: expected whole bytes",
    [SAM_TL_WIDTH_SIZE] = "%" PRIu64 " slices of %" PRIu64 " bytes: at most 1024 bytes",
    [SAM_TL_DIMENSION] = "D%" PRIu64 " = %" PRIu64 " for a mask of positions: at most 32",
    [SAM_TL_SELECTED] = "the masks select %" PRIu64 " positions: at most D%" PRIu64 " = %" PRIu64,
    [SAM_TL_XPOSE_SAME] = "tl%" PRIu64 " twice: expected two registers",
    [SAM_TL_BASE] = "the base must be a multiple of %" PRIu64,
};

static void put_fault(struct sam_buffer *out, const struct sam_core *core)
{
    const struct sam_tensor *t = sam_tensor_of(core);
    const uint64_t *v = t->fault.value;
    switch (t->fault.why) {
    case SAM_TL_FINE: break;
    case SAM_TL_UNWRITTEN:
        sam_buffer_printf(out, "%s was never written", csr_name(core, (unsigned)v[0]));
        if (v[0] == SAM_CSR_tshape)
            sam_buffer_puts(
                out, ": expected, for [8, 4, 32] elements, li t0, 0x080420; csrw tshape, t0");
        break;
    case SAM_TL_TYPE:
        sam_buffer_printf(out, "ttype 0x%" PRIx32 ": expected one type", //
                          sam_tensor_csr(t, SAM_CSR_ttype));
        break;
    case SAM_TL_SHAPE_RESERVED:
    case SAM_TL_SHAPE_ZERO:
    case SAM_TL_SHAPE_SIZE: put_shape(out, t); break;
    case SAM_TL_STRIDE_SLICES:
        sam_buffer_printf(out, "D0 = %" PRIu64 " where %s is written: at most 32", v[0],
                          csr_name(core, (unsigned)v[1]));
        break;
    case SAM_TL_XPOSE_ODD:
    case SAM_TL_XPOSE_SIZE: put_xpose(out, t); break;
    case SAM_TL_OUTSIDE:
        sam_buffer_printf(out, "outside %s, 0x%" PRIx64 "..+0x%" PRIx64, v[0] ? "L0M" : "L1M", v[1],
                          v[2]);
        break;
    default: sam_buffer_printf(out, texts[t->fault.why], v[0], v[1], v[2]);
    }
}

void sam_tensor_describe_fault(const struct sam_core *core, char *text, size_t size)
{
    struct sam_buffer out = {0};
    put_fault(&out, core);
    snprintf(text, size, "%s", out.size ? sam_buffer_text(&out) : "");
    sam_buffer_free(&out);
}
