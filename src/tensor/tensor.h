/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of tensor/, the TensorLoad unit of a hart: registers, CSRs and instructions.
 * Sources: the TensorLoad manual, r2 before r1, and docs/tensorload-rulings.md. */
#ifndef SAM_TENSOR_H
#define SAM_TENSOR_H

#include "machine/machine.h"
#include "samite/dtype.h"

#define SAM_TL_COUNT  32u
#define SAM_TL_SIZE   1024u /* bytes of a TLReg */
#define SAM_TL_SLICES 32u   /* slices that masks and strides can address */

/* CSRs of the unit: consecutive addresses from the first stride on. */
#define SAM_TENSOR_CSRS (SAM_CSR_tstore_width - SAM_CSR_tload_stride0 + 1u)

/* The rule that an instruction broke, by the table of docs/tensorload-rulings.md 3.1. */
enum sam_tl_why {
    SAM_TL_UNWRITTEN, /* value: address of the CSR. The state of tshape at reset: 0 */
    SAM_TL_FINE,
    SAM_TL_TYPE,
    SAM_TL_SHAPE_RESERVED,
    SAM_TL_SHAPE_ZERO,
    SAM_TL_SHAPE_SIZE,
    SAM_TL_MASKED_SLICES, /* D0 */
    SAM_TL_STRIDE_SLICES, /* D0, address of a stride */
    SAM_TL_WIDTH_BITS,    /* bits of a slice */
    SAM_TL_WIDTH_SIZE,    /* slices, bytes of each */
    SAM_TL_DIMENSION,     /* which, its size */
    SAM_TL_SELECTED,      /* positions, dimension, its size */
    SAM_TL_XPOSE_SAME,    /* the register */
    SAM_TL_XPOSE_ODD,     /* dim_gpr */
    SAM_TL_XPOSE_SIZE,    /* dim_gpr, bits of an element, of all */
    SAM_TL_BASE,          /* bytes of an element */
    SAM_TL_OUTSIDE,       /* 0: L1M, 1: L0M, its base and size */
};

struct sam_tl_fault {
    enum sam_tl_why why;
    uint64_t value[3];
};

/* A part of a block that is contiguous in the register and in memory. */
struct sam_tl_run {
    int64_t offset; /* bytes from the base register, without the immediate */
    uint16_t at;    /* first byte in the register */
    uint16_t size;  /* bytes */
};

/* The part of a load or store that the CSRs determine; computed when first needed. */
struct sam_tl_plan {
    bool known;
    bool any;                  /* a slice is enabled */
    struct sam_tl_fault fault; /* FINE: legal */
    uint8_t element;           /* bytes, 1 for 4-bit elements: the alignment of the base */
    uint16_t width;            /* bytes per slice */
    unsigned count, zero_count;
    int64_t first; /* offset of the first enabled slice */
    struct sam_tl_run runs[SAM_TL_SLICES];
    struct sam_tl_run zeros[SAM_TL_SLICES]; /* parts of the register that a load clears */
};

/* State of one unit, zero at reset. tl[0] stays zero. A CSR that was never written has its value 0
 * here and written[] false; its default then depends on the instruction. */
struct sam_tensor {
    uint8_t tl[SAM_TL_COUNT][SAM_TL_SIZE] __attribute__((aligned(64)));
    uint32_t csr[SAM_TENSOR_CSRS]; /* by address - SAM_CSR_tload_stride0 */
    bool written[SAM_TENSOR_CSRS];
    bool narrow; /* the hart is RV32 */
    /* Strict mode: loads read only `l1m`, stores write only `l0m`; size 0: anywhere. */
    struct sam_region l1m, l0m;
    /* The decoded CSRs, maintained by config.c. */
    /* Of ttype, SAM_I8 by default; SAM_DTYPES: invalid. */
    enum sam_dtype type;
    unsigned dims[3];              /* of tshape */
    enum sam_tl_why shape;         /* FINE: tshape is written and legal for the type */
    struct sam_tl_plan plan[2][2]; /* [store][masked] */
    struct sam_tl_fault fault;     /* of the last instruction that trapped */
    /* The table of addi.c: sums by byte, for `type` and `imm`. */
    struct {
        bool known;
        enum sam_dtype type;
        int imm;
        uint8_t sum[256];
    } table;
};

/* Handlers find the unit in core->unit[SAM_UNIT_TENSOR]. */

/* Decode the CSRs, after zeroing the state and after a write. */
void sam_tensor_configure(struct sam_tensor *t);
/* Register the handlers of the instructions. */
void sam_tensor_fill(struct sam_machine *machine);
/* Return false if the CSR is not one of the unit. */
bool sam_tensor_csr_read(struct sam_core *core, unsigned address, uint64_t *value);
bool sam_tensor_csr_write(struct sam_core *core, unsigned address, uint64_t value);

/* The rule that the trapped instruction broke, with its values; "" for unmapped memory. */
void sam_tensor_describe_fault(const struct sam_core *core, char *text, size_t size);

/* The registers, bytes and memory that `insn` uses, except work->pc (engines.h). Returns false if
 * it is not an instruction of the unit. Call it after the instruction, which does not change the
 * result. */
struct sam_work;
bool sam_tensor_work_of(const struct sam_core *core, const struct sam_insn *insn,
                        struct sam_work *work);

#endif
