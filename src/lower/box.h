/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that TensorLoad moves: what move.c and matrix.c make of operations, and box.c of that.
 */
#ifndef SAM_LOWER_BOX_H
#define SAM_LOWER_BOX_H

#include "lower/lower.h"

/* A number of the program: offset + scale * the product of the factors. Without factors it is known
 * now: `offset`. */
enum lower_factor_kind {
    LOWER_FACTOR_ROWS, /* valid rows of tile `value`, */
    LOWER_FACTOR_COLS, /* and columns */
    LOWER_FACTOR_SIZE, /* of dimension `dimension` of window `value`, */
    LOWER_FACTOR_STRIDE
};

enum { LOWER_FACTORS = 5, LOWER_DIMS = SAM_TILE_RANK };

struct lower_affine {
    int64_t offset, scale;
    struct {
        enum lower_factor_kind kind;
        uint32_t value;
        unsigned dimension;
    } factors[LOWER_FACTORS];
    unsigned count;
};

static inline struct lower_affine lower_is(int64_t number)
{
    return (struct lower_affine){.offset = number};
}
static inline bool lower_is_known(const struct lower_affine *number, int64_t *value)
{
    *value = number->offset;
    return number->count == 0;
}
/* One of the two is known, or neither has an offset. */
struct lower_affine sam_lower_times(const struct lower_affine *a, const struct lower_affine *b);
struct lower_affine sam_lower_valid(const struct lower *l, uint32_t tile, bool rows);
struct lower_affine sam_lower_of_window(const struct lower *l, uint32_t window, unsigned dimension,
                                        bool stride);
/* Put the number, `times` as large, into a register. Changes t0. */
void sam_lower_put(struct lower *l, const char *reg, const struct lower_affine *number,
                   int64_t times);

/* How many elements along a dimension, and how many elements from one to the next on both sides. */
struct lower_dim {
    struct lower_affine n, from, to;
};

/* Whether its elements follow one another on both sides. */
bool sam_lower_joined(const struct lower_dim *dim);

struct sam_lower_box {
    struct lower_dim dim[LOWER_DIMS]; /* outermost first */
    unsigned rank;
    uint32_t element; /* bytes */
    bool ordered;     /* elements may meet at the destination: the last one in order stays */
};

/* Move the elements from the address in t2 to that in t3. Changes every register that is free; but
 * t2 to t6 only where a size is not known now. */
void sam_lower_box(struct lower *l, const struct sam_lower_box *box);
/* Set the elements of the destination, at the address in t3, to `bits`. */
void sam_lower_box_fill(struct lower *l, const struct sam_lower_box *box, uint64_t bits);
/* Remark what the boxes since the last remark take of TensorLoad. */
void sam_lower_box_note(struct lower *l, const struct sam_tile_op *op);
/* Code between operations: the address in `reg` plus a number of elements of `element` bytes. */
void sam_lower_add(struct lower *l, const char *reg, const struct lower_affine *number,
                   uint32_t element);

/* Routines of the hart; their arguments stand at their beginning. */
enum lower_box_routine {
    LOWER_LINES,
    LOWER_ELEMENTS,
    LOWER_FILLS,
    LOWER_RUNS,
    LOWER_WIDEN,
    LOWER_BOX_ROUTINES,
    LOWER_PRODUCTS = LOWER_BOX_ROUTINES, /* those of matrix.c */
    LOWER_ALL_ROUTINES = LOWER_PRODUCTS + 3
};
/* box_routines.c: their texts. */
extern const char *const sam_lower_box_texts[LOWER_BOX_ROUTINES];
/* Call one, which then becomes part of the program. */
void sam_lower_box_call(struct lower *l, enum lower_box_routine routine);
/* Whether a routine that its caller writes is used for the first time; its text goes to *text. */
bool sam_lower_box_first(struct lower *l, unsigned routine, struct sam_buffer **text);

/* move.c: set what is outside of the valid rectangle of a destination, as the options say, if there
 * is a valid element. */
void sam_lower_pad(struct lower *l, uint32_t tile);

#endif
