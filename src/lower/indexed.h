/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of tiles by address: what indexed.c and picked.c have in common. */
#ifndef SAM_LOWER_INDEXED_H
#define SAM_LOWER_INDEXED_H

#include "lower/build.h"

/* Emit the address of element [row,col] of a tile, in registers `row`, or of column 0 if `col` is
 * 0, to register `to`, which may be one of them. */
void sam_lower_element_address(struct lower_build *b, uint32_t tile, unsigned row, unsigned col,
                               unsigned to);
/* The instruction that loads the raw form of an element. */
const char *sam_lower_load_of(enum sam_dtype dtype);

/* picked.c: mgather, mscatter and their forms. */
void sam_lower_build_picked(struct lower_build *b, const struct sam_tile_op *op);

#endif
