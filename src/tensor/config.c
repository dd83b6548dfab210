/* SPDX-License-Identifier: Apache-2.0 */
/* The CSRs: 32 bits each, stored as written and checked on use. Decodes element type, shape, and
 * the plan of a load or store. Manual 2.1 and 3.2. */
#include "base/dtype.h"
#include "tensor/unit.h"

/* Valid if one field holds one of its codes and every other bit is zero. */
static enum sam_dtype parse_type(uint32_t ttype)
{
    for (unsigned i = 0; ttype && i < SAM_DTYPES; i++)
        if (sam_dtype_table[i].ttype == ttype)
            return (enum sam_dtype)i;
    return SAM_DTYPES;
}

void sam_tensor_configure(struct sam_tensor *t)
{
    uint32_t shape = sam_tensor_csr(t, SAM_CSR_tshape);
    t->type = sam_tensor_is_written(t, SAM_CSR_ttype) ? parse_type(sam_tensor_csr(t, SAM_CSR_ttype))
                                                      : SAM_I8;
    for (unsigned i = 0; i < 3; i++)
        t->dims[i] = shape >> (16 - 8 * i) & 255;
    unsigned elements = t->dims[0] * t->dims[1] * t->dims[2];
    t->shape = !sam_tensor_is_written(t, SAM_CSR_tshape) ? SAM_TL_UNWRITTEN
               : shape >> 24                             ? SAM_TL_SHAPE_RESERVED
               : elements == 0                           ? SAM_TL_SHAPE_ZERO
               : t->type == SAM_DTYPES                   ? SAM_TL_TYPE
               : elements * (unsigned)sam_dtype_bits(t->type) > 8 * SAM_TL_SIZE ? SAM_TL_SHAPE_SIZE
                                                                                : SAM_TL_FINE;
    for (unsigned i = 0; i < 4; i++)
        t->plan[i / 2][i % 2].known = false;
}

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

/* Append a slice to runs. It extends the previous run if it is adjacent in the register and in
 * memory. */
static void add_run(struct sam_tl_run *runs, unsigned *count, uint16_t at, uint16_t size,
                    int64_t offset)
{
    struct sam_tl_run *last = *count ? &runs[*count - 1] : NULL;
    if (last && last->at + last->size == at && last->offset + last->size == offset)
        last->size = (uint16_t)(last->size + size);
    else if (size)
        runs[(*count)++] = (struct sam_tl_run){offset, at, size};
}

/* Slice i of D0 is `width` bytes; in memory it is stride{i} widths from the base. Strides that were
 * never written are consecutive, so that more than 32 slices still make one run. */
static struct sam_tl_fault make_plan(const struct sam_tensor *t, bool store, bool masked,
                                     struct sam_tl_plan *p)
{
    const unsigned width_csr = store ? SAM_CSR_tstore_width : SAM_CSR_tload_width;
    const unsigned mask_csr = store ? SAM_CSR_tmask_store : SAM_CSR_tmask_load;
    const unsigned stride_csr = store ? SAM_CSR_tstore_stride0 : SAM_CSR_tload_stride0;
    const unsigned slices = t->dims[0];
    if (t->shape != SAM_TL_FINE)
        return sam_tensor_shape_fault(t);
    if (masked && slices > 32)
        return SAM_TL_FAULT(SAM_TL_MASKED_SLICES, slices);
    if (masked && !sam_tensor_is_written(t, mask_csr))
        return SAM_TL_FAULT(SAM_TL_UNWRITTEN, mask_csr);
    for (unsigned i = 0; slices > 32 && i < 32; i++)
        if (sam_tensor_is_written(t, stride_csr + i))
            return SAM_TL_FAULT(SAM_TL_STRIDE_SLICES, slices, stride_csr + i);
    uint64_t bits = (unsigned)sam_dtype_bits(t->type);
    bits *= sam_tensor_is_written(t, width_csr) ? sam_tensor_csr(t, width_csr)
                                                : t->dims[1] * t->dims[2];
    if (bits % 8)
        return SAM_TL_FAULT(SAM_TL_WIDTH_BITS, bits);
    if (bits / 8 * slices > SAM_TL_SIZE)
        return SAM_TL_FAULT(SAM_TL_WIDTH_SIZE, slices, bits / 8);
    p->element =
        (uint8_t)((unsigned)sam_dtype_bits(t->type) < 8 ? 1
                                                        : (unsigned)sam_dtype_bits(t->type) / 8);
    p->width = (uint16_t)(bits / 8);
    const uint32_t mask = masked ? sam_tensor_csr(t, mask_csr) : UINT32_MAX;
    for (unsigned i = 0; i < slices; i++) {
        bool given = i < 32 && sam_tensor_is_written(t, stride_csr + i);
        int64_t stride = given ? (int32_t)sam_tensor_csr(t, stride_csr + i) : (int64_t)i;
        int64_t offset = stride * p->width;
        uint16_t at = (uint16_t)(i * p->width);
        if (i >= 32 || mask >> i & 1) {
            p->first = p->any ? p->first : offset;
            p->any = true;
            add_run(p->runs, &p->count, at, p->width, offset);
        } else {
            add_run(p->zeros, &p->zero_count, at, p->width, at);
        }
    }
    return SAM_TL_FAULT(SAM_TL_FINE);
}

void sam_tensor_make_plan(struct sam_tensor *t, bool store, bool masked)
{
    struct sam_tl_plan *p = &t->plan[store][masked];
    p->any = false;
    p->count = p->zero_count = 0;
    p->first = 0;
    p->fault = make_plan(t, store, masked, p);
    p->known = true;
}
