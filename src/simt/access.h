/* SPDX-License-Identifier: Apache-2.0 */
/* Which addresses an instruction is about to access: for observers, never for execution. */
#ifndef SAM_SIMT_ACCESS_H
#define SAM_SIMT_ACCESS_H

#include "simt/simt.h"

enum { SAM_MAX_ACCESSES = SAM_GROUPS * SAM_LANES };

struct sam_accesses {
    bool load, store;
    unsigned size;  /* bytes each */
    unsigned count; /* of lanes that act */
    uint32_t address[SAM_MAX_ACCESSES];
    uint32_t value[SAM_MAX_ACCESSES]; /* to be stored */
};

/* Fill `accesses` for `insn` in the warp's present state; count is 0 when it accesses none. */
void sam_accesses_find(const struct sam_warp *warp, const struct sam_insn *insn,
                       struct sam_accesses *accesses);
/* Does the instruction name a vector register? */
bool sam_insn_is_vector(const struct sam_insn *insn);
/* Lanes of group g that `insn` acts on. */
uint32_t sam_insn_lanes(const struct sam_warp *warp, const struct sam_insn *insn, unsigned g);

#endif
