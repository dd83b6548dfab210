/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are tensors of packed weights. */
#ifndef SAM_LOWER_PACKED_H
#define SAM_LOWER_PACKED_H

#include "lower/lower.h"

/* An argument with `packed`: *address is what its elements have as addresses where windows compute
 * with them. SAM_ERR_INPUT: no such tensor, or of another type or size. */
enum sam_status sam_lower_packed_argument(struct lower *l, uint32_t value,
                                          const struct sam_tile_argument *argument,
                                          uint64_t *address, struct sam_error *error);
/* Before and after the code of a move: decode what a window of packed weights needs, so that the
 * window then is where it was decoded to. */
void sam_lower_stage(struct lower *l, const struct sam_tile_op *op);
void sam_lower_unstage(struct lower *l);
/* Whether the window is such a one now; then *delta is the slot of what its addresses are off by.
 */
bool sam_lower_staged(const struct lower *l, uint32_t window, uint32_t *delta);
/* The routine that decodes, after the last instruction. */
void sam_lower_packed_routine(struct lower *l);
void sam_lower_packed_free(struct lower *l);

#endif
