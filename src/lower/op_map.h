/* SPDX-License-Identifier: Apache-2.0 */
/* Map between operations of a tile program and their code, for the time model and `samite tile
 * explain`. */
#ifndef SAM_LOWER_OP_MAP_H
#define SAM_LOWER_OP_MAP_H

#include "lower/hart.h"

struct lower_op_map;
struct lower_described;

/* Code emission: places a label at the start of an operation's code (op NULL: of no operation). A
 * branch to a later operation must not fall through this label. */
void sam_lower_mark(struct lower *l, const char *label, const struct sam_tile_op *op);
/* Classify the last label: record_event, wait_event, or a copy of events from operands first, first
 * + 1, ... to targets[0..count-1]. */
void sam_lower_mark_record(struct lower *l, const struct sam_tile_op *op);
void sam_lower_mark_wait(struct lower *l, const struct sam_tile_op *op);
void sam_lower_mark_copy(struct lower *l, const struct sam_tile_op *op, uint32_t first,
                         const uint32_t *targets, uint32_t count);
void sam_lower_mark_kernel(struct lower *l, const struct sam_lower_kernel *kernel);
void sam_lower_op_map_free(struct lower_op_map *map);

/* Build the description after code emission. Returns NULL on out-of-memory. */
struct lower_described *sam_lower_describe(struct lower *l);
void sam_lower_described_free(struct lower_described *described);
/* Returns the description with the addresses of the assembled program, or NULL on out-of-memory.
 * `described` owns it. */
const struct sam_system_pipes *sam_lower_pipes(struct lower_described *described,
                                               const struct sam_image *hart);

#endif
