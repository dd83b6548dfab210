/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses an instruction is about to access: for observers, never for execution. */
#ifndef SAM_SIMT_ACCESS_H
#define SAM_SIMT_ACCESS_H

#include "simt/simt.h"

enum { SAM_MAX_ACCESSES = SAM_GROUPS * SAM_LANES };

/* What an instruction does with memory and vector registers; depends on its op alone. */
struct sam_warp_access_form {
    bool known;
    bool memory; /* the rest says how it accesses it */
    bool load, store, is_private, vector;
    bool per_lane, strided, indexed;
    bool data_in_rs3;
    unsigned size; /* bytes each */
    uint32_t index_mask;
};

struct sam_warp_accesses {
    bool load, store;
    unsigned size;  /* bytes each */
    unsigned count; /* of active lanes */
    uint32_t address[SAM_MAX_ACCESSES];
    uint32_t value[SAM_MAX_ACCESSES]; /* to be stored */
};

/* From the table row of `op`. */
struct sam_warp_access_form sam_warp_access_form_of(enum sam_op op);
/* Fill `accesses` for `insn`, which has this form, in the warp's current state; count is 0 when it
 * accesses no memory. */
void sam_warp_accesses_find(const struct sam_warp *warp, const struct sam_insn *insn,
                            const struct sam_warp_access_form *form,
                            struct sam_warp_accesses *accesses);
/* Lanes of group g that `insn` acts on. */
uint32_t sam_warp_insn_lanes(const struct sam_warp *warp, const struct sam_insn *insn, unsigned g);

#endif
