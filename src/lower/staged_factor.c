/* SPDX-License-Identifier: Apache-2.0 */
/* Factors that products read where the weight unit has decoded them. A column-major tile in mat
 * that holds a window of packed weights, and that only products read as their right factor, is not
 * made: the window is decoded right before each product, and the product reads it there. */
#include "lower/lower.h"

#include <stdlib.h>

#include "tile/check/bind.h"

static bool is_packed(const struct lower *l, const uint32_t *values, uint32_t window)
{
    const uint32_t pointer = sam_tile_pointer_of(l->p, window);
    for (size_t i = 0; i < l->argument_count; i++)
        if (values[i] == pointer)
            return l->arguments[i].packed != NULL;
    return false;
}

/* Returns whether the elements of the window are those of the tile, with a known distance of
 * columns. */
static bool has_columns(const struct lower *l, uint32_t window, const struct sam_tile_type *tile)
{
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    const struct sam_tile_op *part = &l->p->ops[l->p->values[window].op];
    const struct sam_tile_op *view = &l->p->ops[l->p->values[sam_tile_arg(l->p, part, 0)].op];
    int64_t row, column;
    return type->kind == SAM_TILE_KIND_PART && type->rank == 2 && part->code == SAM_TILE_PART &&
           view->code == SAM_TILE_VIEW && sam_tile_literal(l->p, view, 3, &row) &&
           sam_tile_literal(l->p, view, 4, &column) && row == 1 && column >= tile->valid_rows &&
           column < 1 << 20 && column * (int64_t)sam_tile_size(tile->dtype) % 32 == 0 &&
           type->dims[0] == tile->valid_rows && type->dims[1] == tile->valid_cols;
}

static bool is_candidate(const struct lower *l, const uint32_t *values,
                         const struct sam_tile_op *op)
{
    const uint32_t window = sam_tile_arg(l->p, op, 0), tile = sam_tile_arg(l->p, op, 1);
    const uint32_t at = tile - l->f->first_value;
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    return l->flow.root[at] == tile && l->flow.life[at].first && type->loc == SAM_TILE_mat &&
           type->blayout == SAM_TILE_col_major && type->slayout == SAM_TILE_none_box &&
           (type->dtype == SAM_F16 || type->dtype == SAM_F32) && type->pad == SAM_TILE_PAD_null &&
           type->valid_rows > 0 && type->valid_cols > 0 && is_packed(l, values, window) &&
           has_columns(l, window, type);
}

/* Count the uses of each tile, and subtract those in copies that products read in place: of a tile
 * that is loaded for them alone its load is left. */
static void count_uses(const struct lower *l, int64_t *uses)
{
    for (size_t k = 0; k < l->p->op_count; k++) {
        const struct sam_tile_op *op = &l->p->ops[k];
        for (uint32_t i = 0; l->flow.order[k] && i < op->operand_count; i++) {
            const uint32_t value = sam_tile_arg(l->p, op, i);
            if (sam_tile_ty(l->p, value)->kind == SAM_TILE_KIND_TILE)
                uses[l->flow.root[value - l->f->first_value] - l->f->first_value]++;
        }
        if (!l->flow.order[k] || op->code != SAM_TILE_TMOV)
            continue;
        const uint32_t from = sam_tile_arg(l->p, op, 0), to = sam_tile_arg(l->p, op, 1);
        if (l->in_place[to - l->f->first_value] == from &&
            sam_tile_ty(l->p, to)->tile.loc == SAM_TILE_right)
            uses[from - l->f->first_value]--;
    }
}

bool sam_lower_read_staged(struct lower *l, const uint32_t *values)
{
    int64_t *uses = sam_alloc(l->f->value_count + 1, sizeof *uses);
    l->staged = sam_alloc(l->f->value_count + 1, sizeof *l->staged);
    const bool good = uses && l->staged;
    if (good && !sam_tile_is_manual(l->p))
        count_uses(l, uses);
    for (size_t k = 0; good && k < l->p->op_count; k++) {
        const struct sam_tile_op *op = &l->p->ops[k];
        if (!l->flow.order[k] || op->code != SAM_TILE_TLOAD || !is_candidate(l, values, op))
            continue;
        const uint32_t at = sam_tile_arg(l->p, op, 1) - l->f->first_value;
        if (uses[at] != 1)
            continue;
        l->staged[at] = sam_tile_arg(l->p, op, 0) + 1;
        l->flow.life[at].last = l->flow.life[at].first; /* needs no room */
    }
    free(uses);
    return good;
}

uint32_t sam_lower_staged_factor(const struct lower *l, uint32_t tile)
{
    const uint32_t window = l->staged ? l->staged[tile - l->f->first_value] : 0;
    return window ? window - 1 : SAM_TILE_NONE;
}
