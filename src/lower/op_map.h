/* SPDX-License-Identifier: Apache-2.0 */
/* Between the operations of a tile program and what they became: for time and for explanations. */
#ifndef SAM_LOWER_OP_MAP_H
#define SAM_LOWER_OP_MAP_H

#include "lower/hart.h"

struct lower_op_map;
struct lower_described;

/* While the program is written: a label at which the code of an operation begins (NULL: of none).
 * Operations of pipes, and those with events, have code: who comes from elsewhere to what follows
 * them does not pass their labels. */
void sam_lower_mark(struct lower *l, const char *label, const struct sam_tile_op *op);
/* The last label is that of a record_event; of a wait_event; of an operation that passes values on:
 * targets[0..count-1] become operands first, first + 1, ... */
void sam_lower_mark_record(struct lower *l, const struct sam_tile_op *op);
void sam_lower_mark_wait(struct lower *l, const struct sam_tile_op *op);
void sam_lower_mark_copy(struct lower *l, const struct sam_tile_op *op, uint32_t first,
                         const uint32_t *targets, uint32_t count);
void sam_lower_mark_kernel(struct lower *l, const struct sam_lower_kernel *kernel);
void sam_lower_op_map_free(struct lower_op_map *map);

/* When it has been written; NULL: out of memory. */
struct lower_described *sam_lower_describe(struct lower *l);
void sam_lower_described_free(struct lower_described *described);
/* With the addresses of the assembled program; NULL: out of memory. It belongs to `described`. */
const struct sam_system_pipes *sam_lower_pipes(struct lower_described *described,
                                               const struct sam_image *hart);

#endif
