/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes: index ranges with one affine offset in the input and in the output. */
#include "ops/plan.h"

static void remove_dim(struct sam_box *box, unsigned i)
{
    for (box->rank--; i < box->rank; i++)
        box->dim[i] = box->dim[i + 1];
}

static bool follows(const struct sam_dim *outer, const struct sam_dim *inner)
{
    return outer->in == inner->in * (int64_t)inner->n &&
           outer->out == inner->out * (int64_t)inner->n;
}

/* Join one pair of dims. Returns false if none can be joined. */
static bool join_one(struct sam_box *box)
{
    for (unsigned i = 0; i < box->rank; i++) {
        struct sam_dim *dim = &box->dim[i];
        if (dim->n == 1) {
            remove_dim(box, i);
            return true;
        }
        if (dim->in == (int64_t)box->unit && dim->out == (int64_t)box->unit &&
            box->unit * dim->n <= SAM_PLAN_TL_BYTES) {
            box->unit *= dim->n;
            remove_dim(box, i);
            return true;
        }
        for (unsigned j = 0; j < box->rank; j++)
            if (i != j && follows(dim, &box->dim[j])) {
                box->dim[j].n *= dim->n;
                remove_dim(box, i);
                return true;
            }
    }
    return false;
}

void sam_box_normalize(struct sam_box *box)
{
    while (join_one(box))
        continue;
    for (unsigned i = 1; i < box->rank; i++) {
        struct sam_dim dim = box->dim[i];
        unsigned j = i;
        for (; j > 0 && box->dim[j - 1].out < dim.out; j--)
            box->dim[j] = box->dim[j - 1];
        box->dim[j] = dim;
    }
}

uint64_t sam_box_bytes(const struct sam_box *box)
{
    uint64_t bytes = box->unit;
    for (unsigned i = 0; i < box->rank; i++)
        bytes *= box->dim[i].n;
    return bytes;
}
