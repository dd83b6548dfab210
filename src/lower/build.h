/* SPDX-License-Identifier: Apache-2.0 */
/* Builder for a kernel of fused element-wise operations. kernel.c emits the operations; loops.c
 * partitions the iteration space among warps and emits the loops. */
#ifndef SAM_LOWER_BUILD_H
#define SAM_LOWER_BUILD_H

#include "lower/elements.h"

enum { LOWER_LANES = 32, LOWER_MOST_VALUES = 8 * LOWER_GROUP };

/* A tile operand, or its broadcast first row or column. */
struct lower_place {
    uint32_t tile;
    enum sam_lower_part part;
    enum sam_dtype dtype;
    unsigned row, at;            /* scalar registers: the current row and chunk of this warp; 0:
                                    not assigned */
    struct lower_vector *vector; /* its value, if loaded or computed */
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
    uint32_t rectangle;  /* the tile that defines the iteration space */
    uint32_t rows, cols; /* if known; a flat space has 1 row of all elements */
    unsigned packed;     /* elements per lane; more than 1 in kernels that copy words */
    bool rows_known, cols_known, flat;
    unsigned row_warps, col_warps; /* powers of two */
    /* Registers, 0 if no operation needs element indices: i * columns + j of lane 0 in this chunk
     * and in the first chunk of the row; the column count; v: the lane index. */
    unsigned element, first_element, columns, lane;
    unsigned zeros;   /* v: the lowest element index with a zero divisor */
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

/* kernel.c: elements per lane. Pure copies pack a whole word. */
unsigned sam_lower_build_packs(const struct lower_build *b);

/* --- loops.c */

/* Partition the iteration space among warps; set the workgroup and warp counts of the launch. */
void sam_lower_build_divide(struct lower_build *b);
/* Append the kernel to l->gpu. */
void sam_lower_build_finish(struct lower_build *b);

#endif
