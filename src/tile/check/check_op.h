/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of one tile operation: its operands (check_operand.c), their shapes (check_op.c). */
#ifndef SAM_TILE_CHECK_OP_H
#define SAM_TILE_CHECK_OP_H

#include "tile/tile.h"

struct checked_op {
    const struct sam_tile_verifier *verifier;
    const struct sam_tile_row *row;
    const struct sam_tile_ty *const *types;
    const struct sam_tile_pos *positions;
    struct sam_tile_pos pos;
    size_t sources;
};

#define FAULT(s, index, ...)                                                                       \
    sam_tile_error((s)->verifier->report, (s)->positions ? (s)->positions[index] : (s)->pos,       \
                   __VA_ARGS__)

static inline const struct sam_tile_type *tile(const struct checked_op *s, size_t index)
{
    return &s->types[index]->tile;
}

/* "the source", "source 2", "the destination" */
static inline const char *which(const struct checked_op *s, size_t index)
{
    static const char *const names[] = {"source 1", "source 2", "source 3", "source 4", "source 5"};
    if (index >= s->sources || index >= SAM_COUNT(names))
        return "the destination";
    return s->sources == 1 || s->row->sources[1] != 't' ? "the source" : names[index];
}

/* Check kinds, memories, layouts and dtypes. Returns false if an operand is of another kind. */
bool sam_tile_check_operands(const struct checked_op *s);

#endif
