/* SPDX-License-Identifier: Apache-2.0 */
/* The face of tensor/: the TensorLoad unit of a hart: its registers, CSRs and instructions.
 * Sources: the TensorLoad manual, r2 before r1, and docs/tensorload-rulings.md. */
#ifndef SAM_TENSOR_H
#define SAM_TENSOR_H

#include "machine/machine.h"

#define SAM_TL_COUNT 32u
#define SAM_TL_SIZE  1024u /* bytes of a TLReg */

/* CSR addresses (ours: the manual leaves them open). */
enum {
    SAM_CSR_TLOAD_STRIDE = 0x880,  /* ..0x89f */
    SAM_CSR_TSTORE_STRIDE = 0x8a0, /* ..0x8bf */
    SAM_CSR_TTYPE = 0x8c0,
    SAM_CSR_TSHAPE = 0x8c1,
    SAM_CSR_TMASK_LOAD = 0x8c2,
    SAM_CSR_TMASK_STORE = 0x8c3,
    SAM_CSR_TMASK_CONCAT_1 = 0x8c4,
    SAM_CSR_TMASK_CONCAT_2 = 0x8c5,
    SAM_CSR_TLOAD_WIDTH = 0x8c6,
    SAM_CSR_TSTORE_WIDTH = 0x8c7,
};
#define SAM_TENSOR_CSRS 72u /* from SAM_CSR_TLOAD_STRIDE on */

/* State of one unit, zero at reset. tl[0] stays zero. A CSR that was never written has its value 0
 * here and written[] false; what it then stands for is the instruction's matter. */
struct sam_tensor {
    uint8_t tl[SAM_TL_COUNT][SAM_TL_SIZE] __attribute__((aligned(64)));
    uint32_t csr[SAM_TENSOR_CSRS]; /* by address - SAM_CSR_TLOAD_STRIDE */
    bool written[SAM_TENSOR_CSRS];
    /* Strict mode: loads read only `l1m`, stores write only `l0m`; size 0: anywhere. */
    struct sam_region l1m, l0m;
};

/* The unit of a core: handlers find it in core->unit[SAM_UNIT_TENSOR]. */
enum { SAM_UNIT_TENSOR, SAM_UNIT_MATRIX };

/* Enter the handlers of the instructions. */
void sam_tensor_fill(struct sam_machine *machine);
/* CSRs of the unit; false: not one of its. */
bool sam_tensor_csr_read(struct sam_core *core, unsigned address, uint64_t *value);
bool sam_tensor_csr_write(struct sam_core *core, unsigned address, uint64_t value);

#endif
