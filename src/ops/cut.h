/* SPDX-License-Identifier: Apache-2.0 */
/* The block of a box: how large, and how its bytes are permuted. */
#ifndef SAM_OPS_CUT_H
#define SAM_OPS_CUT_H

#include "ops/plan.h"

/* How a block's bytes get from load order to store order. */
enum sam_way {
    SAM_WAY_NONE,   /* they are the same */
    SAM_WAY_CONCAT, /* dims swapped factor by factor, any sizes */
    SAM_WAY_XPOSE,  /* one XPOSE, power-of-two sizes */
    SAM_WAY_CLASS,  /* XPOSE; the rows of a LOAD are `step` apart, so that their distances are
                   multiples of the width where the row pitch is not */
};

struct sam_cut {
    uint64_t t[SAM_PLAN_DIMS]; /* indices of each dim in a block */
    int a, b;                  /* dims that run in the input and in the output, or -1 */
    enum sam_way way;
    uint64_t step; /* of SAM_WAY_CLASS */
};

/* cut.c */

uint64_t sam_cut_bytes(const struct sam_box *box, const struct sam_cut *cut);
/* The dims by falling input step. */
void sam_order_by_input(const struct sam_box *box, unsigned order[SAM_PLAN_DIMS]);
/* The block's instructions, or false when this cut has no good way. Of several places in the output
 * they store to the first, from instruction *stores on. */
bool sam_cut_build(const struct sam_box *box, const struct sam_cut *cut, struct sam_block *block,
                   size_t *stores);
/* What stands in the block from `first` on once more for each further place. */
void sam_cut_repeat(const struct sam_box *box, size_t first, struct sam_block *block);

/* search.c */

struct sam_found {
    struct sam_box box; /* the box that was asked for, or one with a dim cut in two */
    struct sam_cut cut;
    struct sam_block block;
};

/* The cut of the least cost. SAM_ERR_MEMORY; `found->block` is the caller's to clear. */
enum sam_status sam_cut_search(const struct sam_box *box, struct sam_found *found,
                               struct sam_error *error);

#endif
