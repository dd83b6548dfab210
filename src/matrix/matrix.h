/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of matrix/, the matrix unit of a hart: registers, CSRs and instructions. Sources:
 * the matrix extension draft 0.1 and docs/matrix-rulings.md. */
#ifndef SAM_MATRIX_H
#define SAM_MATRIX_H

#include "machine/machine.h"
#include "samite/dtype.h"

#define SAM_MATRIX_COUNT     8u
#define SAM_MATRIX_ROWS      16u /* rows of a register at the largest MLEN */
#define SAM_MATRIX_ROW_BYTES 64u
#define SAM_MATRIX_MEMORY    (UINT64_C(1) << 40) /* addresses of the unit have 40 bits */

enum sam_matrix_state { SAM_MATRIX_OFF, SAM_MATRIX_INITIAL, SAM_MATRIX_CLEAN, SAM_MATRIX_DIRTY };
enum sam_matrix_round { SAM_MATRIX_RNU, SAM_MATRIX_RNE, SAM_MATRIX_RDN, SAM_MATRIX_ROD };

/* The rule that an instruction broke: docs/matrix-rulings.md 2.12. */
enum sam_matrix_why {
    SAM_MATRIX_FINE,
    SAM_MATRIX_IS_OFF,
    SAM_MATRIX_SIZE_M,
    SAM_MATRIX_SIZE_N, /* most */
    SAM_MATRIX_SIZE_K,
    SAM_MATRIX_ELEMENTS, /* bytes of an element */
    SAM_MATRIX_FRM,      /* frm */
    SAM_MATRIX_NOT_MD,   /* the register */
    SAM_MATRIX_NO_SOURCE,
    SAM_MATRIX_PRODUCT,   /* enum sam_m_fault, the register */
    SAM_MATRIX_ROW,       /* its number */
    SAM_MATRIX_GROUP,     /* the register, registers of the group */
    SAM_MATRIX_UNALIGNED, /* bytes of an element */
    SAM_MATRIX_HIGH,      /* an address */
};

struct sam_matrix_fault {
    enum sam_matrix_why why;
    uint64_t value[2];
};

/* State of one unit. A register is `rows` * row_bytes contiguous bytes; the rest of m[] is unused.
 */
struct sam_matrix {
    uint8_t m[SAM_MATRIX_COUNT][SAM_MATRIX_ROWS * SAM_MATRIX_ROW_BYTES]
        __attribute__((aligned(64)));
    unsigned row_bytes; /* MLEN / 8: 16, 32, 64 */
    unsigned rows;      /* of a register: MLEN / 32 */
    unsigned size_m, size_n, size_k;
    uint32_t start; /* xmrstart */
    enum sam_matrix_state state;
    enum sam_matrix_round round;
    bool saturated;
    bool narrow;           /* the hart is RV32 */
    bool tree;             /* --fp-order=tree */
    enum sam_dtype widen;  /* SAM_E4M3, SAM_E5M2: of the elements that mldh reads; else 0 */
    uint32_t accumulators; /* registers allowed as md of a multiplication; unless these are all
                              registers, they are not allowed as sources */
    struct sam_matrix_fault fault; /* of the last instruction that trapped */
    const struct sam_matrix_products *products;
    struct sam_matrix_scratch *scratch;
};

/* A unit in its reset state with rows of `mlen` bits (128, 256 or 512); NULL: out of memory. */
struct sam_matrix *sam_matrix_new(unsigned mlen, bool narrow);
void sam_matrix_free(struct sam_matrix *matrix);
/* Register the handlers of the instructions; they find the unit in core->unit[SAM_UNIT_MATRIX]. */
void sam_matrix_fill(struct sam_machine *machine);
/* Return false if the CSR is not one of the unit. */
bool sam_matrix_csr_read(struct sam_core *core, unsigned address, uint64_t *value);
bool sam_matrix_csr_write(struct sam_core *core, unsigned address, uint64_t value);

/* The work of an instruction, with its sizes and addresses captured. */
struct sam_matrix_work {
    enum sam_m_kind kind;
    uint8_t md, ms1, ms2;
    bool reads_1, reads_2;         /* ms1, ms2 are sources */
    unsigned registers;            /* from md on: destinations, or sources of a store */
    unsigned source_registers;     /* from ms2 on */
    unsigned m, n;                 /* rows (of all registers in a whole-register form), columns */
    unsigned first, end;           /* rows that a load or store moves or clears; end 0: all from
                                      first on */
    unsigned bytes;                /* per row: sizeK, or a whole row; of memory */
    unsigned widen;                /* log2 of bytes of the register per byte of memory */
    const struct sam_m_type *type; /* of a multiplication */
    uint64_t base, stride;         /* of a load or store */
    bool narrow;                   /* its addresses wrap at 32 bits */
    bool stream;
    uint64_t macs; /* multiply-accumulates */
};
/* Byte `k` of a row of a load or store. */
static inline uint64_t sam_matrix_address(const struct sam_matrix_work *work, unsigned row,
                                          unsigned k)
{
    const uint64_t address = work->base + row * work->stride + k;
    return work->narrow ? (uint32_t)address : address;
}

/* Call it before or after the instruction, which does not change the result except for
 * configurations and xmrstart: `first` and `end` remain 0. Returns false if it is not a matrix
 * instruction, or there is no unit. */
bool sam_matrix_work_of(const struct sam_core *core, const struct sam_insn *insn,
                        struct sam_matrix_work *work);
/* The work of an executed instruction that began with xmrstart = `first`: of a load or store, the
 * rows that it moved before a trap. Also false if it moved none. */
bool sam_matrix_work_done(const struct sam_core *core, const struct sam_insn *insn, uint32_t first,
                          bool trapped, struct sam_matrix_work *work);
bool sam_matrix_is(const struct sam_insn *insn);
/* The rule that the trapped instruction broke, with its values; "" for unmapped memory. */
void sam_matrix_describe_fault(const struct sam_core *core, char *text, size_t size);

#endif
