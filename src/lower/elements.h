/* SPDX-License-Identifier: Apache-2.0 */
/* GPU code for elements in vector registers, one per lane: conversion between value forms and
 * element-wise operations. kernel.c emits the operations of a kernel, loops.c the loops around
 * them.
 *
 * A value has up to two forms. `raw` is the bit pattern in memory: integers extended to 32 bits,
 * 16-bit floats sign-extended. `wide` is the f32 value for arithmetic. For f32 and integers both
 * are one register. Moves and selections use raw forms, so NaN payloads survive. A 16-bit wide
 * value is either computed, with a canonical NaN, or also has its raw form. Comparisons of f16 use
 * a third form, an order-preserving key (sam_lower_order). */
#ifndef SAM_LOWER_ELEMENTS_H
#define SAM_LOWER_ELEMENTS_H

#include "lower/ir.h"

enum { LOWER_LANES = 32 };

struct lower_vector {
    enum sam_dtype dtype;
    enum lower_level level;    /* loop level of its computation */
    unsigned raw, wide, order; /* vector registers; 0: form not present */
};

/* Return the register of a form, computing the form on first use. */
unsigned sam_lower_raw(struct lower_code *c, struct lower_vector *value);
unsigned sam_lower_wide(struct lower_code *c, struct lower_vector *value);
/* Return an order-preserving form of a value for comparisons: the wide form, except for an f16 with
 * a raw form, whose bits become the upper half of a float. That keeps order and NaN at half the
 * instructions. sam_lower_from_order converts back to raw: $d from $a. */
unsigned sam_lower_order(struct lower_code *c, struct lower_vector *value);
extern const char sam_lower_from_order[];

/* Zero-extend an unsigned raw value: loads sign-extend. */
void sam_lower_extend(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                      unsigned reg);

/* --- functions.c */

/* Returns NULL if (function, dtype) has a lowering, otherwise the file to add it to. */
const char *sam_lower_function_lack(enum sam_tile_function function, enum sam_dtype dtype);
/* Emit function(a, b). Operands have the same dtype; b is NULL for unary functions. */
struct lower_vector sam_lower_apply(struct lower_code *c, enum sam_tile_function function,
                                    struct lower_vector *a, struct lower_vector *b);
struct lower_vector sam_lower_compare(struct lower_code *c, enum sam_tile_compare how,
                                      struct lower_vector *a, struct lower_vector *b);
/* m != 0 ? a : b */
struct lower_vector sam_lower_select(struct lower_code *c, struct lower_vector *m,
                                     struct lower_vector *a, struct lower_vector *b);
/* affine.c: a * b + add; a * factor + zero and (a - zero) * factor, converted. */
struct lower_vector sam_lower_fused(struct lower_code *c, struct lower_vector *a,
                                    struct lower_vector *b, struct lower_vector *add);
struct lower_vector sam_lower_quantize(struct lower_code *c, struct lower_vector *a,
                                       struct lower_vector *factor, struct lower_vector *zero,
                                       unsigned attribute);
struct lower_vector sam_lower_dequantize(struct lower_code *c, struct lower_vector *a,
                                         struct lower_vector *factor, struct lower_vector *zero,
                                         enum sam_tile_round round);
/* convert.c */
struct lower_vector sam_lower_convert(struct lower_code *c, struct lower_vector *a,
                                      enum sam_dtype to, enum sam_tile_round round);
/* remainder.c: $d = fmodf($a, $b) */
void sam_lower_remainder(struct lower_code *c, enum lower_level level, struct lower_regs regs);

/* --- narrow.c: floats of 8 and 16 bits */

static inline bool lower_is_narrow(enum sam_dtype dtype)
{
    return sam_tile_is_real(dtype) && dtype != SAM_F32;
}
/* Returns whether a dtype has a lowering: integers up to 32 bits, f32, and narrow floats with IEEE
 * 754 infinities, NaN and bias. */
bool sam_lower_has_dtype(enum sam_dtype dtype);
/* widen: $d = wide form of raw $a. shorten: $d = raw form of $a, exact. round: $d = computed float
 * $a, rounded to nearest even; $d != $a. All clobber v0. */
void sam_lower_widen(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                     struct lower_regs regs);
void sam_lower_shorten(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                       struct lower_regs regs);
void sam_lower_round(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                     struct lower_regs regs);
/* v`to` = v8 rounded by a tcvt mode. Clobbers v0. */
void sam_lower_round_by(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                        enum sam_tile_round round, unsigned to);

/* Code with vector branches must run with all lanes enabled: inactive lanes past the end of a row
 * would never leave the loop. These bracket such code. */
void sam_lower_all_lanes(struct lower_code *c, enum lower_level level);
void sam_lower_some_lanes(struct lower_code *c, enum lower_level level);

static inline bool lower_is_tile(const struct lower *l, uint32_t value)
{
    return sam_tile_ty(l->p, value)->kind == SAM_TILE_KIND_TILE;
}

/* --- fuse.c: memory footprints of operations */

/* The part of an operand that is read (for the destination: written) in a kernel over the rectangle
 * of tile `space`. */
enum sam_lower_part { LOWER_WHOLE, LOWER_FIRST_ROW, LOWER_FIRST_COLUMN, LOWER_ANYWHERE };
enum sam_lower_part sam_lower_part(const struct lower *l, uint32_t space,
                                   const struct sam_tile_op *op, size_t operand);
/* Returns whether an operation in a kernel over the rectangle of tile `space` goes over a column of
 * as many rows. */
bool sam_lower_by_row(const struct lower *l, uint32_t space, const struct sam_tile_op *op);
/* Count the distinct pairs of tile and part in a kernel. */
unsigned sam_lower_count_places(const struct lower *l, const struct sam_lower_kernel *kernel,
                                uint32_t space);
/* The tile whose valid rectangle a kernel goes over. */
uint32_t sam_lower_space(const struct lower *l, const struct sam_lower_kernel *kernel);
/* The tile whose valid rectangle is the iteration space of an operation. */
uint32_t sam_lower_iter_space(const struct lower *l, const struct sam_tile_op *op);
/* Returns whether two tiles have the same elements and dtype. */
bool sam_lower_same_tile(const struct lower *l, uint32_t a, uint32_t b);
/* Returns whether an operation writes the pad value outside the valid rectangle. */
bool sam_lower_pads(const struct lower *l, const struct sam_tile_op *op);
/* Returns whether an operation fails if an element of its last source is zero. */
bool sam_lower_divides(const struct lower *l, const struct sam_tile_op *op);
/* Returns whether the lanes of an operation know their position (indexed.c). */
bool sam_lower_is_indexed(unsigned code);
/* Returns whether an operation loads or stores elements of an array by index (picked.c), and
 * whether element by element in order. */
bool sam_lower_picks(unsigned code);
bool sam_lower_is_ordered(unsigned code);
/* Returns whether they also store by address: element i of the destination is not lane i's. */
bool sam_lower_scatters(unsigned code);
/* Returns whether an operation fails for some elements. */
bool sam_lower_traps(const struct lower *l, const struct sam_tile_op *op);
/* Returns whether an operation is a reduction (reduce.c), and of columns. */
bool sam_lower_folds(unsigned code);
bool sam_lower_folds_columns(unsigned code);
/* Returns whether a vector operation has a lowering; reports an error at its line otherwise. */
bool sam_lower_has_op(struct lower *l, const struct sam_tile_op *op);
/* Returns whether no operation after `last` reads the tile. */
bool sam_lower_is_dead(const struct lower *l, uint32_t tile, uint32_t last);

/* Most tiles per kernel, with two pointers each. */
enum { LOWER_PLACES = 22 };

/* The loop level of a value computed from a and b (b may be NULL). */
enum lower_level sam_lower_level_of(const struct lower_vector *a, const struct lower_vector *b);

/* --- kernel_abi.c: argument words, warp index, padding */

/* Returns the offset of a word in the argument buffer (a0), adding it on first use. */
uint32_t sam_lower_kernel_word(struct sam_lower_kernel *k, enum lower_word_kind kind,
                               uint32_t value);
/* Add a note with the launch of a kernel to one of its operations. */
void sam_lower_kernel_note(struct lower *l, const struct sam_lower_kernel *k,
                           const struct sam_tile_op *op);
/* Emit a load of a tile field into a scalar register. */
void sam_lower_load_field(struct lower_code *c, struct sam_lower_kernel *k, enum lower_level level,
                          const char *reg, uint32_t tile, enum sam_lower_field field);
/* A scalar register with the index of this warp in the launch. */
unsigned sam_lower_number_warp(struct lower_code *c, const struct sam_lower_kernel *k);
/* Fill the destination with the pad value except for the part that the operation writes: the valid
 * rectangle of tile `rectangle`, or its first row or column; nothing if the rectangle is empty.
 * Rows are distributed over warps. */
void sam_lower_kernel_pad(struct lower_code *c, struct sam_lower_kernel *k,
                          const struct sam_tile_op *op, uint32_t rectangle,
                          enum sam_lower_part part);

#endif
