/* SPDX-License-Identifier: Apache-2.0 */
/* The block of a box: its size, and how its bytes are permuted. */
#ifndef SAM_OPS_CUT_H
#define SAM_OPS_CUT_H

#include "ops/plan.h"

/* Method to permute a block from load order to store order. */
enum sam_way {
    SAM_WAY_NONE,   /* the orders are equal */
    SAM_WAY_CONCAT, /* dims swapped factor by factor, any sizes */
    SAM_WAY_XPOSE,  /* one XPOSE, power-of-two sizes */
    SAM_WAY_CLASS,  /* XPOSE; the rows of a LOAD are `step` apart, so that their distances are
                       multiples of the width even if the row pitch is not */
};

struct sam_cut {
    uint64_t t[SAM_PLAN_DIMS]; /* block size along each dim */
    int a, b;                  /* dims contiguous in the input and in the output, or -1 */
    enum sam_way way;
    uint64_t step; /* of SAM_WAY_CLASS */
};

/* cut.c */

uint64_t sam_cut_bytes(const struct sam_box *box, const struct sam_cut *cut);
/* The dims in descending order of input step. */
void sam_order_by_input(const struct sam_box *box, unsigned order[SAM_PLAN_DIMS]);
/* Build the block's instructions. Returns false if the cut has no efficient method. With several
 * places in the output, instructions from *stores on store to the first place. */
bool sam_cut_build(const struct sam_box *box, const struct sam_cut *cut, struct sam_block *block,
                   size_t *stores);
/* Repeat the instructions from `first` on for each further place. */
void sam_cut_repeat(const struct sam_box *box, size_t first, struct sam_block *block);

/* search.c */

struct sam_found {
    struct sam_box box; /* the given box, or one with a dim split in two */
    struct sam_cut cut;
    struct sam_block block;
};

/* Find the cut with the lowest cost. Returns SAM_OK or SAM_ERR_MEMORY; the caller clears
 * `found->block`. */
enum sam_status sam_cut_search(const struct sam_box *box, struct sam_found *found,
                               struct sam_error *error);

#endif
