/* SPDX-License-Identifier: Apache-2.0 */
/* Builder for kernels. kernel.c emits element-wise operations, reduce.c reductions; loops.c
 * partitions the iteration space among warps and emits the loops.
 *
 * A kernel has lines, divided among warps, and steps within a line. Lines are rows and steps are
 * chunks of 32 columns; for reductions of columns, lines are 32 columns and steps are rows.
 *
 * A kernel is cut into segments, each with a loop over the steps of a line of its own: what needs
 * the result of a row's reduction begins one. */
#ifndef SAM_LOWER_BUILD_H
#define SAM_LOWER_BUILD_H

#include "lower/elements.h"

enum { LOWER_MOST_VALUES = 12 * LOWER_GROUP, LOWER_SEGMENTS = LOWER_GROUP };

/* A tile operand, or its broadcast first row or column. */
struct lower_place {
    uint32_t tile;
    enum sam_lower_part part;
    enum sam_dtype dtype;
    unsigned bytes;              /* per lane */
    unsigned row, at;            /* scalar registers: the current line and step of this warp; 0:
                                    not assigned; `at` is of the segment */
    struct lower_vector *vector; /* its value, if loaded or computed */
    bool loaded, stored;
};

struct lower_scalar {
    uint32_t value;
    enum sam_dtype dtype;
    struct lower_vector *vector;
};

struct lower_segment {
    struct lower_list first; /* loads of first rows: once where the loop over steps is unrolled */
    struct lower_list row, chunk, end;
    struct lower_moving moving[LOWER_MOVING];
    unsigned from[LOWER_MOVING]; /* their values at the first step */
    unsigned moving_count;
    unsigned count;   /* copies of a step */
    bool all, loaded; /* copies are all steps; first rows are loaded before the lines */
    bool rest;        /* steps may remain after copies */
};

struct lower_build {
    struct lower_code code;
    struct lower *l;
    struct sam_lower_kernel *kernel;
    struct lower_place places[2 * LOWER_PLACES];
    struct lower_scalar scalars[LOWER_GROUP];
    struct lower_vector values[LOWER_MOST_VALUES];
    struct lower_segment segments[LOWER_SEGMENTS];
    unsigned place_count, scalar_count, value_count, segment_count;
    unsigned from[LOWER_MOVING]; /* of the current segment */
    uint32_t rectangle;          /* the tile that defines the iteration space */
    uint32_t rows, cols;         /* if known; a flat space has 1 row of all elements */
    unsigned packed;             /* elements per lane; more than 1 in kernels that copy words, and
                                    in reductions by pairs */
    bool rows_known, cols_known, flat;
    bool folds;   /* has a reduction, or an operation on rows */
    bool columns; /* lines are columns */
    unsigned line_warps, step_warps;
    /* Registers, 0 if no operation needs element indices: i * columns + j of lane 0 in this chunk
     * and in the first chunk of the row; the column count; v: the lane index. */
    unsigned element, first_element, column_count, lane;
    unsigned pitch;   /* of the source of a reduction of columns */
    unsigned zeros;   /* v: the lowest element index that fails, as with a zero divisor */
    uint32_t failure; /* its number */
};

static inline const struct sam_tile_op *lower_build_op(const struct lower_build *b, unsigned index)
{
    return &b->l->p->ops[b->kernel->ops[index]];
}

/* --- kernel.c */

struct lower_vector *sam_lower_build_vector(struct lower_build *b, struct lower_vector value);
struct lower_place *sam_lower_build_place(struct lower_build *b, const struct sam_tile_op *op,
                                          uint32_t operand);
/* Assign its register with the address of the line. */
unsigned sam_lower_build_row(struct lower_build *b, struct lower_place *p);
/* Returns the value of an operand. */
struct lower_vector *sam_lower_build_operand(struct lower_build *b, const struct sam_tile_op *op,
                                             uint32_t index);
/* Keep the element index i * columns + j of each lane. */
void sam_lower_build_count(struct lower_build *b);
/* Elements per lane of pure copies, which pack whole words. */
unsigned sam_lower_build_packs(const struct lower_build *b);

/* The kernel loads or stores elements of a tile. */
void sam_lower_build_touch(struct lower_build *b, uint32_t tile);
/* Keep in `zeros` the lowest element index that fails. */
void sam_lower_build_watch(struct lower_build *b);

/* --- indexed.c: operations whose lanes know their position */
struct lower_vector sam_lower_build_indexed(struct lower_build *b, const struct sam_tile_op *op);
/* tcmp, tsel and so on with a packed mask. */
struct lower_vector sam_lower_build_packed(struct lower_build *b, const struct sam_tile_op *op);
/* The operations that store their results. */
void sam_lower_build_scattered(struct lower_build *b, const struct sam_tile_op *op);

/* --- reduce.c */

/* Returns whether the function has a combiner. */
bool sam_lower_has_reduction(enum sam_tile_function function);
/* Emit a reduction. */
void sam_lower_build_reduce(struct lower_build *b, const struct sam_tile_op *op, bool stores);
/* Returns whether a reduction of rows can be fused with other operations. */
bool sam_lower_reduces_beside(const struct lower *l, const struct sam_tile_op *op);

/* --- reduce_packed.c: tcolmax and tcolmin with two columns per lane */

/* Returns the elements per lane: 2 if the operation qualifies. */
unsigned sam_lower_pairs(const struct lower *l, const struct sam_tile_op *op);
void sam_lower_build_pairs(struct lower_build *b, const struct sam_tile_op *op);

/* --- loops.c */

/* Partition the iteration space among warps; set the workgroup and warp counts of the launch. */
void sam_lower_build_divide(struct lower_build *b);
/* A scalar that begins as `from` in each line of the segment and advances in each step: by `step`,
 * or if that is 0, by register `by`. */
unsigned sam_lower_build_moving(struct lower_build *b, unsigned from, int32_t step, unsigned by);
/* End the segment. */
void sam_lower_build_cut(struct lower_build *b);
/* Append the kernel to l->gpu. */
void sam_lower_build_finish(struct lower_build *b);

#endif
