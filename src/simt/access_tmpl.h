/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a memory instruction that is about to run, for observers. Compiled once per
 * instruction level of the host. */
#ifndef SAM_SIMT_ACCESS_TMPL_H
#define SAM_SIMT_ACCESS_TMPL_H

#include "simt/lanes_mask_tmpl.h"

/* Both groups, a copy of the last address after them, and padding to whole vectors. */
enum { MOST_ADDRESSES = SAM_GROUPS * SAM_LANES, ADDRESSES = MOST_ADDRESSES + 16 };

/* Whether a store to this page may be one to code: its TLB entry is not writable. */
static inline bool may_be_code(const struct sam_core *c, uint32_t address)
{
    return c->entries[address >> 12].write_limit == 0;
}

/* The fields of a memory instruction that the functions below read. */
static inline struct sam_uop access_uop(const struct sam_insn *insn)
{
    return (struct sam_uop){
        .rs1 = insn->rs1, .rs2 = insn->rs2, .rs3 = insn->vm ? SAM_UOP_VM : 0, .imm = insn->imm};
}

/* The addresses of all lanes of group g. */
static inline void lane_addresses(const struct sam_core *c, const struct sam_uop *op,
                                  const struct sam_lanes_access *a, unsigned g, uint32_t *at)
{
    const struct sam_warp *w = (const struct sam_warp *)(const void *)c;
    const uint32_t first = g * w->lanes;
    if (a->form == SAM_FORM_PER_LANE) {
        const uint32_t *va = w->v[(op->rs1 + g) % SAM_VREGS], s = (uint32_t)op->imm;
        LANES at[i] = va[i] + s;
    } else if (a->form == SAM_FORM_INDEXED) {
        const uint32_t *va = w->v[(op->rs2 + g) % SAM_VREGS], mask = a->index_mask;
        const uint32_t x = X1;
        LANES at[i] = x + (va[i] & mask);
    } else {
        const uint32_t x = X1;
        const uint32_t step = a->form == SAM_FORM_STRIDED ? c->x32[op->rs2] : a->size;
        LANES at[i] = x + (first + (uint32_t)i) * step;
    }
    if (a->own) {
        const uint32_t threads = w->numw * w->lanes, base = w->pds + 4 * w->tid;
        LANES at[i] = (at[i] & ~3u) * threads + (at[i] & 3) + base + 4 * (uint32_t)i;
    }
}

/* Store the addresses of active lanes contiguously; returns their count. */
static inline unsigned active_addresses(struct sam_core *c, const struct sam_uop *op,
                                        const struct sam_lanes_access *a, uint32_t *at)
{
    unsigned count = 0;
    if (SAM_LIKELY(W->full & op->rs3)) {
        lane_addresses(c, op, a, 0, at);
        return W->lanes;
    }
    for (unsigned g = 0; g < W->groups; g++) {
        uint32_t bits = acting(W, op, g), lane[SAM_LANES];
        if (!bits)
            continue;
        lane_addresses(c, op, a, g, lane);
        for (; bits; bits &= bits - 1)
            at[count++] = lane[__builtin_ctz(bits)];
    }
    return count;
}

/* Expand every address to a pair of words; returns the new count. */
static inline unsigned pair_up(uint32_t *at, unsigned count, uint32_t apart)
{
    for (unsigned i = count; i-- > 0;) {
        at[2 * i] = at[i];
        at[2 * i + 1] = at[2 * i] + apart;
    }
    return 2 * count;
}

#endif
