/* SPDX-License-Identifier: Apache-2.0 */
/* Factors that products read where they are. A tile in left or right that holds a copy of a tile in
 * mat, in the same layout, and that only products read, is not made: they read the tile in mat,
 * which then stays as long as the copy would. */
#include "lower/lower.h"

#include <stdlib.h>

static uint32_t at(const struct lower *l, uint32_t value)
{
    return value - l->f->first_value;
}

/* Whether operand `i` of the operation is a factor of a product that is not scaled. */
static bool is_factor(const struct sam_tile_op *op, uint32_t i)
{
    const struct sam_tile_row *row = op->code < SAM_TILE_FIRST_OP ? NULL : sam_tile_row(op->code);
    if (!row || sam_tile_pipe(op->code) != SAM_TILE_PIPE_MATRIX || sam_tile_is_scaled(row))
        return false;
    return i - sam_tile_accumulates(row) < 2;
}

static unsigned count_factors(const struct lower *l, uint32_t op, uint32_t tile)
{
    unsigned count = 0;
    for (; op != SAM_TILE_NONE; op = l->p->ops[op].next) {
        const struct sam_tile_op *o = &l->p->ops[op];
        for (uint32_t i = 0; i < o->operand_count; i++)
            count += sam_tile_arg(l->p, o, i) == tile && is_factor(o, i);
        for (unsigned b = 0; b < 2; b++)
            if (o->code == SAM_TILE_FOR ? b == 0 : o->code == SAM_TILE_IF)
                count += count_factors(l, o->body[b], tile);
    }
    return count;
}

/* Whether `copy`, of which `op` is the only write, is read by products after it alone, and `tile`
 * keeps its elements until the last of them. */
static bool is_only_read(const struct lower *l, uint32_t op, uint32_t tile, uint32_t copy)
{
    const uint32_t last = l->flow.life[at(l, copy)].last;
    unsigned reads = 0;
    for (size_t k = 0; k < l->p->op_count; k++) {
        const struct sam_tile_op *o = &l->p->ops[k];
        for (uint32_t i = 0; l->flow.order[k] && k != op && i < o->operand_count; i++) {
            const uint32_t value = sam_tile_arg(l->p, o, i);
            if (sam_tile_ty(l->p, value)->kind != SAM_TILE_KIND_TILE)
                continue;
            const uint32_t root = l->flow.root[at(l, value)];
            if (root == copy && (value != copy || !is_factor(o, i)))
                return false;
            if (root == tile && i + 1 == o->operand_count && l->flow.order[k] <= last &&
                l->flow.order[k] > l->flow.order[op])
                return false;
            reads += root == copy;
        }
    }
    return reads && reads == count_factors(l, l->p->ops[op].next, copy);
}

static bool is_copy(const struct lower *l, uint32_t op)
{
    const struct sam_tile_op *o = &l->p->ops[op];
    if (o->code != SAM_TILE_TMOV || !l->flow.order[op])
        return false;
    const uint32_t tile = sam_tile_arg(l->p, o, 0), copy = sam_tile_arg(l->p, o, 1);
    const struct sam_tile_type *from = &sam_tile_ty(l->p, tile)->tile;
    const struct sam_tile_type *to = &sam_tile_ty(l->p, copy)->tile;
    return from->loc == SAM_TILE_mat && (to->loc == SAM_TILE_left || to->loc == SAM_TILE_right) &&
           from->dtype == to->dtype && from->blayout == to->blayout && from->rows == to->rows &&
           from->cols == to->cols && l->flow.root[at(l, tile)] == tile &&
           l->flow.root[at(l, copy)] == copy &&
           l->flow.life[at(l, copy)].first && /* not an argument */
           is_only_read(l, op, tile, copy);
}

bool sam_lower_read_in_place(struct lower *l)
{
    l->in_place = sam_alloc(l->f->value_count + 1, sizeof *l->in_place);
    if (!l->in_place)
        return false;
    for (uint32_t i = 0; i < l->f->value_count; i++)
        l->in_place[i] = l->f->first_value + i;
    if (sam_tile_is_manual(l->p))
        return true;
    for (uint32_t k = 0; k < l->p->op_count; k++) {
        if (!is_copy(l, k))
            continue;
        const uint32_t tile = sam_tile_arg(l->p, &l->p->ops[k], 0);
        const uint32_t copy = sam_tile_arg(l->p, &l->p->ops[k], 1);
        struct sam_tile_life *life = &l->flow.life[at(l, tile)];
        const uint32_t last = l->flow.life[at(l, copy)].last;
        l->in_place[at(l, copy)] = tile;
        life->last = life->last > last ? life->last : last;
        l->flow.life[at(l, copy)].last = l->flow.life[at(l, copy)].first; /* needs no room */
    }
    return true;
}

uint32_t sam_lower_factor_tile(const struct lower *l, uint32_t tile)
{
    return l->in_place[at(l, tile)];
}
