/* SPDX-License-Identifier: Apache-2.0 */
/* Right factors by columns, as the matrix unit reads them. A tile in mat that loads fill, and that
 * only products read, as their right factor and in place, is made column-major: the load transposes
 * it once, in the background of a product, and no product has to. */
#include "lower/hart.h"
#include "lower/packed.h"

#include <stdlib.h>

#include "tile/check/bind.h"

/* Returns whether operand i of the operation allows its root tile to be column-major. */
static bool suits(const struct lower *l, const struct sam_tile_op *op, uint32_t i, uint32_t root,
                  const uint32_t *values)
{
    if (sam_tile_arg(l->p, op, i) != root)
        return false;
    if (op->code == SAM_TILE_TLOAD)
        return !sam_lower_has_loose_rows(l, values, sam_tile_arg(l->p, op, 0));
    if (op->code != SAM_TILE_TMOV || i)
        return false;
    const uint32_t copy = sam_tile_arg(l->p, op, 1);
    return sam_lower_factor_tile(l, copy) == root &&
           sam_tile_ty(l->p, copy)->tile.loc == SAM_TILE_right;
}

static bool may_turn(const struct lower *l, uint32_t root)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, root)->tile;
    return l->flow.life[root - l->f->first_value].first && type->loc == SAM_TILE_mat &&
           type->blayout == SAM_TILE_row_major && type->slayout == SAM_TILE_none_box &&
           type->pad == SAM_TILE_PAD_null && type->valid_rows > 0 && type->valid_cols > 0 &&
           (uint64_t)type->rows * sam_dtype_table[type->dtype].bits % (32 * 8) == 0 &&
           sam_lower_staged_factor(l, root) == SAM_TILE_NONE;
}

bool sam_lower_turn_factors(struct lower *l, const uint32_t *values)
{
    bool *stays = sam_alloc(l->f->value_count + 1, sizeof *stays);
    if (!stays)
        return false;
    for (size_t k = 0; k < l->p->op_count; k++) {
        const struct sam_tile_op *op = &l->p->ops[k];
        for (uint32_t i = 0; l->flow.order[k] && i < op->operand_count; i++) {
            const uint32_t value = sam_tile_arg(l->p, op, i);
            if (sam_tile_ty(l->p, value)->kind != SAM_TILE_KIND_TILE)
                continue;
            const uint32_t root = lower_root(l, value);
            if (!stays[root - l->f->first_value])
                stays[root - l->f->first_value] = !suits(l, op, i, root, values);
        }
    }
    for (uint32_t i = 0; i < l->f->value_count; i++) {
        const uint32_t copy = l->f->first_value + i, tile = l->in_place[i];
        if (tile == copy || stays[tile - l->f->first_value] ||
            sam_tile_ty(l->p, copy)->tile.loc != SAM_TILE_right ||
            (sam_tile_ty(l->p, tile)->tile.blayout == SAM_TILE_row_major && !may_turn(l, tile)))
            continue;
        l->unrolled.program.values[copy].type.tile.blayout = SAM_TILE_col_major;
        l->unrolled.program.values[tile].type.tile.blayout = SAM_TILE_col_major;
    }
    free(stays);
    return true;
}
