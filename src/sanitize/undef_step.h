/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by undef.c and undef_access.c. */
#ifndef SAM_SANITIZE_UNDEF_STEP_H
#define SAM_SANITIZE_UNDEF_STEP_H

#include "sanitize/undef.h"

/* Origin numbers: registers as of the start of the warp, then memory. */
enum {
    UNDEF_ORIGIN_X = 1,
    UNDEF_ORIGIN_V = UNDEF_ORIGIN_X + UNDEF_XREGS,
    UNDEF_ORIGIN_MEMORY = UNDEF_ORIGIN_V + UNDEF_VREGS,
};

/* The origin of a lane's load of undefined memory. */
undef_origin sam_undef_origin_of_load(struct undef *undef, const struct sam_sanitize_op *op,
                                      uint32_t lane, uint32_t address, uint32_t size);

static inline unsigned undef_reg(const struct sam_insn *insn, unsigned slot)
{
    switch (slot) {
    case SAM_SLOT_RD: return insn->rd;
    case SAM_SLOT_RS1: return insn->rs1;
    case SAM_SLOT_RS2: return insn->rs2;
    default: return insn->rs3;
    }
}

static inline uint32_t undef_bits_v(const struct undef_warp *w, unsigned reg, unsigned lane)
{
    if (w->fresh[reg] >> lane & 1)
        return UINT32_MAX;
    return w->lanes[reg] >> lane & 1 ? w->bits[reg][lane] : 0;
}

static inline undef_origin undef_origin_v(const struct undef_warp *w, unsigned reg, unsigned lane)
{
    return w->fresh[reg] >> lane & 1 ? UNDEF_ORIGIN_V + reg : w->origin[reg][lane];
}

static inline void undef_define_v(struct undef_warp *w, unsigned reg, uint32_t lanes)
{
    w->lanes[reg] &= ~lanes;
    w->fresh[reg] &= ~lanes;
}

static inline void undef_set_v(struct undef_warp *w, unsigned reg, unsigned lane, uint32_t bits,
                               undef_origin origin)
{
    const uint32_t bit = UINT32_C(1) << lane;
    w->fresh[reg] &= ~bit;
    w->lanes[reg] = bits ? w->lanes[reg] | bit : w->lanes[reg] & ~bit;
    if (bits) {
        w->bits[reg][lane] = bits;
        w->origin[reg][lane] = origin;
    }
}

static inline void undef_set_x(struct undef_warp *w, unsigned reg, uint32_t bits,
                               undef_origin origin)
{
    w->x[reg] = bits;
    w->x_origin[reg] = origin;
}

/* Report a use and mark the register as defined. `relevant`: the bits used. */
void sam_undef_use_x(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                     enum undef_use use, unsigned reg);
void sam_undef_use_v(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                     enum undef_use use, unsigned reg, uint32_t lanes, uint32_t relevant);

/* Process an instruction that accesses memory. */
void sam_undef_access(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                      const struct undef_row *row);

#endif
