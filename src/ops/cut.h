/* SPDX-License-Identifier: Apache-2.0 */
/* The block of a box: its size, and how its bytes are permuted. */
#ifndef SAM_OPS_CUT_H
#define SAM_OPS_CUT_H

#include "ops/plan.h"

/* How a block's bytes get from load order to store order. */
enum sam_way {
    SAM_WAY_NONE,   /* the orders are equal */
    SAM_WAY_CONCAT, /* dims swapped factor by factor, any sizes */
    SAM_WAY_XPOSE,  /* one XPOSE, power-of-two sizes */
    SAM_WAY_CLASS,  /* XPOSE; the rows of a LOAD are `step` apart, which makes their distances
                       multiples of the width even if the row pitch is not */
};

struct sam_cut {
    uint64_t t[SAM_PLAN_DIMS]; /* indices of each dim in a block */
    int a, b;                  /* dims that are contiguous in the input and in the output, or -1 */
    enum sam_way way;
    uint64_t step; /* of SAM_WAY_CLASS */
};

/* cut.c */

uint64_t sam_cut_bytes(const struct sam_box *box, const struct sam_cut *cut);
/* The dims in descending order of input step. */
void sam_order_by_input(const struct sam_box *box, unsigned order[SAM_PLAN_DIMS]);
/* Build the block's instructions; false when there is no good way for this cut. With several places
 * in the output they store to the first, from instruction *stores on. */
bool sam_cut_build(const struct sam_box *box, const struct sam_cut *cut, struct sam_block *block,
                   size_t *stores);
/* Repeat the block's instructions from `first` on for each further place. */
void sam_cut_repeat(const struct sam_box *box, size_t first, struct sam_block *block);

/* search.c */

struct sam_found {
    struct sam_box box; /* the given box, or one with a dim split in two */
    struct sam_cut cut;
    struct sam_block block;
};

/* The cut with the lowest cost. SAM_ERR_MEMORY; `found->block` is the caller's to clear. */
enum sam_status sam_cut_search(const struct sam_box *box, struct sam_found *found,
                               struct sam_error *error);

#endif
