/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are packed weight tensors. */
#ifndef SAM_LOWER_PACKED_H
#define SAM_LOWER_PACKED_H

#include "lower/lower.h"

/* Prepare for packed arguments, if there are any. Returns false on out-of-memory. */
bool sam_lower_packed_begin(struct lower *l, const uint32_t *values);
/* Bind an argument with `packed`. *address is the virtual address of its elements, used for address
 * arithmetic. SAM_ERR_INPUT: no such tensor, or wrong type or size. */
enum sam_status sam_lower_packed_argument(struct lower *l, uint32_t value,
                                          const struct sam_tile_argument *argument,
                                          uint64_t *address, struct sam_error *error);
/* Returns whether the window is of weights packed as windows, and not all of its numbers are known;
 * `values`: of the arguments, which need not be bound yet. */
bool sam_lower_has_loose_rows(const struct lower *l, const uint32_t *values, uint32_t window);
/* Returns whether the operation reads packed weights. */
bool sam_lower_is_staged(const struct lower *l, const struct sam_tile_op *op);
/* Returns whether the distance of its rows there is known only when the program runs. */
bool sam_lower_is_staged_apart(const struct lower *l, const struct sam_tile_op *op);
/* Bracket the code of a move: stage decodes the elements of a packed window, whose address then is
 * that of the decoded copy. */
void sam_lower_stage(struct lower *l, const struct sam_tile_op *op);
void sam_lower_unstage(struct lower *l);
/* The same for a factor that the product `op` reads where it has been decoded. */
void sam_lower_stage_factor(struct lower *l, const struct sam_tile_op *op, uint32_t window);
/* Returns whether the window is currently staged; *delta is the slot of its address offset. */
bool sam_lower_staged(const struct lower *l, uint32_t window, uint32_t *delta);
/* Returns whether its copy has another distance of rows, or may have it: *known elements if *pitch
 * is LOWER_NO_SLOT, or else what the slot *pitch has. */
bool sam_lower_staged_pitch(const struct lower *l, uint32_t window, uint32_t *pitch,
                            int64_t *known);
/* Emit the code of prefetch: none unless the window is of packed weights. */
void sam_lower_prefetch(struct lower *l, const struct sam_tile_op *op);
/* Emit code that asks for the first elements of options.next. */
void sam_lower_ask(struct lower *l);
/* Emit the requests at the start of the program: for the first tensor that straight-line code has
 * decoded whole, and before it for small ones, which would otherwise wait for it. */
void sam_lower_packed_setup(struct lower *l);
/* Emit the decode routine, after the last instruction. */
void sam_lower_packed_routine(struct lower *l);
void sam_lower_packed_free(struct lower *l);

#endif
