/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of a group of operations by element, while it is written: kernel.c writes the code of
 * the operations, loops.c divides the rectangle between warps and writes the code around it. */
#ifndef SAM_LOWER_BUILD_H
#define SAM_LOWER_BUILD_H

#include "lower/elements.h"

enum { LOWER_LANES = 32, LOWER_MOST_VALUES = 8 * LOWER_GROUP };

/* A tile, or the row or column of it that is repeated. */
struct lower_place {
    uint32_t tile;
    enum sam_lower_part part;
    enum sam_dtype dtype;
    unsigned row, at;            /* scalar registers: where this warp's part of the row begins; the
                                    chunk. 0: not needed so far */
    struct lower_vector *vector; /* what it holds, when that is in registers */
};

struct lower_scalar {
    uint32_t value;
    enum sam_dtype dtype;
    struct lower_vector *vector;
};

struct lower_build {
    struct lower_code code;
    struct lower *l;
    struct sam_lower_kernel *kernel;
    struct lower_place places[LOWER_PLACES];
    struct lower_scalar scalars[LOWER_GROUP];
    struct lower_vector values[LOWER_MOST_VALUES];
    unsigned place_count, scalar_count, value_count;
    uint32_t rectangle;  /* a tile that has it */
    uint32_t rows, cols; /* of it, if they are known; of a flat one: 1 and all elements */
    unsigned packed;     /* elements of a lane: more than 1 where words are copied */
    bool rows_known, cols_known, flat;
    unsigned row_warps, col_warps; /* powers of two */
    /* Registers, 0 when nothing counts elements: i * columns + j of lane 0, in this chunk and in
     * the row's first one; all columns; v: the number of the lane. */
    unsigned element, first_element, columns, lane;
    unsigned zeros;   /* register: the lowest element with a divisor of zero */
    uint32_t failure; /* its number */
};

static inline const struct sam_tile_op *lower_build_op(const struct lower_build *b, unsigned index)
{
    return &b->l->p->ops[b->kernel->ops[index]];
}

static inline size_t lower_place_size(const struct lower_place *p)
{
    return sam_tile_size(p->dtype);
}

/* kernel.c: how many elements a lane can take: all that a word has, where they are only copied. */
unsigned sam_lower_build_packs(const struct lower_build *b);

/* --- loops.c */

/* How the warps divide the rectangle; the launch's workgroups and warps. */
void sam_lower_build_divide(struct lower_build *b);
/* Append the kernel to the program of the GPU. */
void sam_lower_build_finish(struct lower_build *b);

#endif
