/* SPDX-License-Identifier: Apache-2.0 */
/* Box copies: the form in which move.c and matrix.c hand element moves to box.c, which emits
 * TensorLoad code. */
#ifndef SAM_LOWER_BOX_H
#define SAM_LOWER_BOX_H

#include "lower/lower.h"

/* A symbolic size: offset + scale * product of the factors. Without factors it is the constant
 * `offset`. */
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
/* At least one operand is a constant, or neither has an offset. */
struct lower_affine sam_lower_times(const struct lower_affine *a, const struct lower_affine *b);
struct lower_affine sam_lower_valid(const struct lower *l, uint32_t tile, bool rows);
struct lower_affine sam_lower_of_window(const struct lower *l, uint32_t window, unsigned dimension,
                                        bool stride);
/* reg = number * times. Clobbers t0. */
void sam_lower_put(struct lower *l, const char *reg, const struct lower_affine *number,
                   int64_t times);

/* A dimension: element count, and steps in elements on the source and destination side. */
struct lower_dim {
    struct lower_affine n, from, to;
};

/* Returns whether the dimension is contiguous on both sides. */
bool sam_lower_joined(const struct lower_dim *dim);

struct sam_lower_box {
    struct lower_dim dim[LOWER_DIMS]; /* outermost first */
    unsigned rank;
    uint32_t element; /* bytes; with `halves` 1 */
    bool halves;      /* elements have 4 bits, and addresses count halves of bytes */
    bool ordered;     /* destination elements may coincide: the last write in order wins */
};

/* Copy elements from the address in t2 to the address in t3. Clobbers every free register; t2 to t6
 * only if a size is not a compile-time constant, or if elements have 4 bits. */
void sam_lower_box(struct lower *l, const struct sam_lower_box *box);
/* Returns whether the copy is a routine for known sizes, of loads and stores alone. */
bool sam_lower_box_is_plain(struct lower *l, const struct sam_lower_box *box);
/* Fill the destination, at the address in t3, with `bits`. */
void sam_lower_box_fill(struct lower *l, const struct sam_lower_box *box, uint64_t bits);
/* Add a note on the operation with the TensorLoad instruction counts of all boxes since the last
 * note. */
void sam_lower_box_note(struct lower *l, const struct sam_tile_op *op);
/* Emit reg += number * element. Clobbers t0 and t1. */
void sam_lower_add(struct lower *l, const char *reg, const struct lower_affine *number,
                   uint32_t element);

/* Hart routines. Their text lists the argument registers. */
enum lower_box_routine {
    LOWER_LINES,
    LOWER_ELEMENTS,
    LOWER_FILLS,
    LOWER_RUNS,
    LOWER_WIDEN,
    LOWER_HALVES,
    LOWER_BOX_ROUTINES,
    LOWER_PRODUCTS = LOWER_BOX_ROUTINES, /* those of matrix.c */
    LOWER_SCALED = LOWER_PRODUCTS + 4,   /* those of scaled.c, by kind */
    LOWER_SCALED_KINDS = 12,
    LOWER_ALL_ROUTINES = LOWER_SCALED + LOWER_SCALED_KINDS
};
/* t0 = the element of 4 bits at a0; that at a1 = t0: addresses in halves of bytes. Clobber t4; t4
 * to t6, s11. */
#define LOWER_GET_HALF                                                                             \
    "srli t0, a0, 1; lbu t0, 0(t0); andi t4, a0, 1; slli t4, t4, 2; srl t0, t0, t4; andi t0, t0, " \
    "15"
#define LOWER_PUT_HALF                                                                             \
    "srli t5, a1, 1; lbu t6, 0(t5); andi t4, a1, 1; slli t4, t4, 2; sll t0, t0, t4; "              \
    "li s11, 240 # the other half stays; "                                                         \
    "srl t4, s11, t4; and t6, t6, t4; or t6, t6, t0; sb t6, 0(t5)"
extern const char *const sam_lower_box_texts[LOWER_BOX_ROUTINES];
/* Emit a call, and mark the routine as used. */
void sam_lower_box_call(struct lower *l, enum lower_box_routine routine);
/* Returns whether `routine`, whose text the caller emits, is used for the first time. *text
 * receives its code. */
bool sam_lower_box_first(struct lower *l, unsigned routine, struct sam_buffer **text);

/* scaled.c: write the elements of a factor, scaled unless `scales` is SAM_TILE_NONE, as f32 to
 * `room`, by lines along K, `pitch` bytes apart. `rows`: lines are rows of the tile. */
void sam_lower_scaled_factor(struct lower *l, uint32_t tile, uint32_t scales, bool rows,
                             uint32_t room, uint32_t pitch);

/* move.c: with --outside pad, fill the destination outside its valid rectangle, unless that
 * rectangle is empty. */
void sam_lower_pad(struct lower *l, uint32_t tile);

/* halves.c: tcvt from or to elements of 4 bits. */
void sam_lower_convert_halves(struct lower *l, const struct sam_tile_op *op);

/* whole.c: returns whether the hart multiplies the factors of an operation. */
bool sam_lower_multiplies(const struct lower *l, const struct sam_tile_op *op);
/* d = start + a * b; start may be SAM_TILE_NONE. `one_row`: its first row, for all. */
void sam_lower_multiply(struct lower *l, uint32_t a, uint32_t b, uint32_t start, bool one_row,
                        uint32_t d);

#endif
