/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of tensor/. Instructions perform all checks before they change any state. */
#ifndef SAM_TENSOR_UNIT_H
#define SAM_TENSOR_UNIT_H

#include "machine/threads.h"
#include "tensor/tensor.h"

static inline struct sam_tensor *sam_tensor_of(const struct sam_core *c)
{
    return c->unit[SAM_UNIT_TENSOR];
}

/* Register `number` of the core, zero-extended. */
static inline uint64_t sam_tensor_x(const struct sam_core *c, unsigned number)
{
    return sam_core_x(c, sam_tensor_of(c)->narrow, number);
}

static inline uint32_t sam_tensor_csr(const struct sam_tensor *t, unsigned address)
{
    return t->csr[address - SAM_CSR_tload_stride0];
}

static inline bool sam_tensor_is_written(const struct sam_tensor *t, unsigned address)
{
    return t->written[address - SAM_CSR_tload_stride0];
}

/* config.c */

/* The plan of a load or store under the current CSRs. */
void sam_tensor_make_plan(struct sam_tensor *t, bool store, bool masked);
static inline const struct sam_tl_plan *sam_tensor_plan(struct sam_tensor *t, bool store,
                                                        bool masked)
{
    if (SAM_UNLIKELY(!t->plan[store][masked].known))
        sam_tensor_make_plan(t, store, masked);
    return &t->plan[store][masked];
}

/* The instructions. They return false after a trap, with c->cause set, and c->tval unless it is the
 * instruction word; no other state has changed. */

/* move.c: TL.LOAD, MLOAD, STORE, MSTORE of register `tl`; the address is base + imm widths. */
bool sam_tensor_load(struct sam_core *c, unsigned tl, uint64_t base, int imm, bool masked);
bool sam_tensor_store(struct sam_core *c, unsigned tl, uint64_t base, int imm, bool masked);
/* addi.c */
bool sam_tensor_addi(struct sam_core *c, unsigned to, unsigned from, int imm);
/* concat.c: TL.CONCAT.d and TL.MERGE.d */
bool sam_tensor_concat(struct sam_core *c, unsigned to, unsigned tl1, unsigned tl2, unsigned dim);
bool sam_tensor_merge(struct sam_core *c, unsigned to, unsigned tl1, unsigned tl2, unsigned dim);
/* xpose.c: `sizes` is dim_gpr, `dims` dim0 | dim1 << 2, `bits` the element width, 0: from ttype. */
bool sam_tensor_xpose(struct sam_core *c, unsigned tl1, unsigned tl2, uint32_t sizes, unsigned dims,
                      unsigned bits);

/* Fail as an illegal instruction. */
static inline bool sam_tensor_illegal(struct sam_core *c, struct sam_tl_fault fault)
{
    sam_tensor_of(c)->fault = fault;
    c->cause = SAM_CAUSE_ILLEGAL;
    return false;
}
#define SAM_TL_FAULT(reason, ...) ((struct sam_tl_fault){.why = (reason), .value = {__VA_ARGS__}})

/* The fault of tshape. */
static inline struct sam_tl_fault sam_tensor_shape_fault(const struct sam_tensor *t)
{
    return SAM_TL_FAULT(t->shape, SAM_CSR_tshape); /* the value is used for UNWRITTEN only */
}

/* Convert 4-bit elements to bytes and back; `count` is even, the low nibble is first. */
static inline void sam_nibbles_unpack(uint8_t *to, const uint8_t *from, unsigned count)
{
    for (unsigned i = 0; i < count / 2; i++) {
        to[2 * i] = from[i] & 15;
        to[2 * i + 1] = from[i] >> 4;
    }
}

static inline void sam_nibbles_pack(uint8_t *to, const uint8_t *from, unsigned count)
{
    for (unsigned i = 0; i < count / 2; i++)
        to[i] = (uint8_t)(from[2 * i] | from[2 * i + 1] << 4);
}

/* transpose.c: out[o][b][m][a] = in[o][a][m][b], each cell `size` bytes. Not in place. */
struct sam_transpose {
    unsigned outer, a, mid, b;
    unsigned size;
};
void sam_transpose(uint8_t *restrict out, const uint8_t *restrict in,
                   const struct sam_transpose *t);

#endif
