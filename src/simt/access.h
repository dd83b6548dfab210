/* SPDX-License-Identifier: Apache-2.0 */
/* Address computation of a warp's memory instructions. RISC-V V 7, Ventus 4.2.6, 4.2.7. */
#ifndef SAM_SIMT_ACCESS_H
#define SAM_SIMT_ACCESS_H

#include <string.h>

#include "isa/isa.h"

struct sam_lanes_access {
    enum sam_form form;
    bool vector;
    bool own;         /* in private memory */
    bool store;       /* a store, not an atomic */
    bool data_in_rs3; /* the stored register is rs3, not rs2 */
    uint32_t size;    /* per element */
    uint32_t index_mask;
};

static inline struct sam_lanes_access sam_lanes_access_of(enum sam_op op)
{
    const struct sam_insn_row *row = &sam_insn_rows[op];
    const struct sam_does *does = &row->does;
    return (struct sam_lanes_access){
        .form = (enum sam_form)does->form,
        .vector = sam_op_is_vector(op),
        .own = does->own,
        .store = does->act == SAM_ACT_STORE,
        .data_in_rs3 = strchr(row->operands, 'W') != NULL,
        .size = does->bytes,
        .index_mask = does->index ? UINT32_MAX >> (32 - 8 * does->index) : 0,
    };
}

/* Under REGPAIR, whether a load or store moves two words: its data register is even. */
static inline bool sam_lanes_is_pair(const struct sam_insn *insn,
                                     const struct sam_lanes_access *access)
{
    const unsigned data = access->data_in_rs3 ? insn->rs3 : access->store ? insn->rs2 : insn->rd;
    return insn->pair && !(data & 1);
}

#endif
