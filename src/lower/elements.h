/* SPDX-License-Identifier: Apache-2.0 */
/* Code of the GPU for elements in vector registers, one per lane: conversions between the forms of
 * a value, and what operations do to it. kernel.c puts it into loops over a tile.
 *
 * A value has up to two forms. `raw` is what memory holds: integers extended to 32 bits, the bits
 * of a 16-bit float sign-extended. `wide` is what is computed with: floats in single precision.
 * They are the same register for f32 and integers. Moves and selections use raw values, so that the
 * bits of a NaN survive; a wide value of 16 bits was computed, and its NaN is the canonical one, or
 * has a raw form as well. What only compares needs no value of f16, but a number in its order. */
#ifndef SAM_LOWER_ELEMENTS_H
#define SAM_LOWER_ELEMENTS_H

#include "lower/lower.h"

/* How often code runs: once, for each row, for each chunk of 32 columns. */
enum lower_level { LOWER_ONCE, LOWER_ROW, LOWER_CHUNK, LOWER_LEVELS };

struct lower_vector {
    enum sam_dtype dtype;
    enum lower_level level; /* where it is computed */
    unsigned raw, wide;     /* vector registers; 0: it does not have this form */
    unsigned users;         /* places that hold the value; those of a chunk are then given back */
    unsigned order;         /* a register, or 0: see sam_lower_order */
};

/* Of 47 scalar registers, kernels need 23 for pointers and counters (LOWER_PLACES); the rest is for
 * constants, and a kernel that has more loads them where they are used. */
enum { LOWER_CONSTANTS = 24, LOWER_VECTORS = 256, LOWER_SCALARS = 64 };

/* A kernel under construction. Free for sequences, and changed by routines: v8 to v23, t0 to t6,
 * a6, a7; v0 is the mask of a sequence. */
struct lower_code {
    struct lower *l;
    struct sam_buffer text[LOWER_LEVELS];
    struct {
        uint32_t bits;
        unsigned reg;
    } constants[LOWER_CONSTANTS]; /* in scalar registers, loaded before anything else */
    unsigned constant_count, temporary;
    bool scalar_used[LOWER_SCALARS], vector_used[LOWER_VECTORS];
    bool vector_changes[LOWER_VECTORS]; /* in every chunk: no place for what is computed before */
    bool partial; /* a chunk may have fewer than 32 elements: LOWER_REST of them */
    bool calls;   /* a routine, so that ra must be saved */
};

/* The register that counts the columns that are left in the row. */
#define LOWER_REST "s1"

/* Registers that are kept: 0 when none is free. */
unsigned sam_lower_take_scalar(struct lower_code *c);
/* One of those that every use needs a prefix for, which suits what is used once per row. */
unsigned sam_lower_take_far_scalar(struct lower_code *c);
/* For code of this level; of a chunk, until sam_lower_release. */
unsigned sam_lower_take_vector(struct lower_code *c, enum lower_level level);

/* Lines of code, separated by ";". $d $a $b $m are vector registers, $(0x...) a scalar register
 * with this constant. */
struct lower_regs {
    unsigned d, a, b, m;
};
void sam_lower_emit(struct lower_code *c, enum lower_level level, const char *lines,
                    struct lower_regs regs);

/* The same of lines with numbers in them, at most 511 characters. */
void sam_lower_emit_numbers(struct lower_code *c, enum lower_level level, struct lower_regs regs,
                            const char *format, ...) SAM_PRINTF(4, 5);

/* The register of a form, which is computed if need be. */
unsigned sam_lower_raw(struct lower_code *c, struct lower_vector *value);
unsigned sam_lower_wide(struct lower_code *c, struct lower_vector *value);
/* What can be compared with others of its kind: the wide form, but of an f16, which must have a raw
 * one, its bits as the upper half of a float: the same order, NaN where the value is, and half the
 * instructions. The lines after it make the raw form of such an f16: $d of $a. */
unsigned sam_lower_order(struct lower_code *c, struct lower_vector *value);
extern const char sam_lower_from_order[];
/* One user less: registers of a chunk go back with the last. */
void sam_lower_release(struct lower_code *c, struct lower_vector *value);

/* Loads give integers and the bits of floats extended by their sign; raw values of unsigned dtypes
 * are extended with zeros. */
void sam_lower_extend(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                      unsigned reg);

/* --- functions.c */

/* NULL if there is code for a function of elements of a dtype, else the file that lacks it. */
const char *sam_lower_function_lack(enum sam_tile_function function, enum sam_dtype dtype);
/* The value of a function of a and b (NULL: it has one operand), which have the same dtype. */
struct lower_vector sam_lower_apply(struct lower_code *c, enum sam_tile_function function,
                                    struct lower_vector *a, struct lower_vector *b);
struct lower_vector sam_lower_compare(struct lower_code *c, enum sam_tile_compare how,
                                      struct lower_vector *a, struct lower_vector *b);
/* m != 0 ? a : b */
struct lower_vector sam_lower_select(struct lower_code *c, struct lower_vector *m,
                                     struct lower_vector *a, struct lower_vector *b);
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
/* Whether there is code for elements of a dtype: integers of up to 32 bits, f32, and narrow floats
 * with the infinities and NaN of IEEE 754 and its bias. */
bool sam_lower_has_dtype(enum sam_dtype dtype);
/* $d = the wide form of raw $a. $d = the raw form of $a, a value that the dtype has. $d = $a, a
 * computed float, rounded to nearest even; $d is another register. They change v0 and v10. */
void sam_lower_widen(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                     struct lower_regs regs);
void sam_lower_shorten(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                       struct lower_regs regs);
void sam_lower_round(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                     struct lower_regs regs);
/* Vector register `to` = v8 rounded as a conversion says; changes v0 and v9 to v14. */
void sam_lower_round_by(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                        enum sam_tile_round round, unsigned to);

/* Code that vector branches are in needs all lanes: those past the end of the row, which are not
 * active, would never leave a loop. Around it: */
void sam_lower_all_lanes(struct lower_code *c, enum lower_level level);
void sam_lower_some_lanes(struct lower_code *c, enum lower_level level);

static inline bool lower_is_tile(const struct lower *l, uint32_t value)
{
    return sam_tile_ty(l->p, value)->kind == SAM_TILE_KIND_TILE;
}

/* --- fuse.c: what operations of a group have to do with memory */

/* What of an operand is read (of the destination: written). */
enum sam_lower_part { LOWER_WHOLE, LOWER_FIRST_ROW, LOWER_FIRST_COLUMN };
enum sam_lower_part sam_lower_part(const struct sam_tile_row *row, size_t operand);
/* The tile whose valid rectangle an operation goes over. */
uint32_t sam_lower_iter_space(const struct lower *l, const struct sam_tile_op *op);
/* Whether two tiles are the same elements of one type. */
bool sam_lower_same_tile(const struct lower *l, uint32_t a, uint32_t b);
/* Whether an operation writes the pad value outside the valid rectangle. */
bool sam_lower_pads(const struct lower *l, const struct sam_tile_op *op);
/* Whether it fails where an element of its last source is zero. */
bool sam_lower_divides(const struct lower *l, const struct sam_tile_op *op);
/* Whether an operation is a reduction (sam_lower_reduce). */
bool sam_lower_folds(unsigned code);
/* Whether there is code for an operation of the vector pipe; if not, it is refused at its line. */
bool sam_lower_has_op(struct lower *l, const struct sam_tile_op *op);
/* Whether nothing reads a tile after operation `last`. */
bool sam_lower_is_dead(const struct lower *l, uint32_t tile, uint32_t last);

/* The most tiles of a kernel, each with two pointers. */
enum { LOWER_PLACES = 10 };

/* The level of what is computed from a and b (may be NULL). */
enum lower_level sam_lower_level_of(const struct lower_vector *a, const struct lower_vector *b);

/* --- kernel_abi.c: what all kernels have */

/* The offset of a word in the argument buffer, a0. */
uint32_t sam_lower_kernel_word(struct sam_lower_kernel *k, enum lower_word_kind kind,
                               uint32_t value);
/* A line that puts a field of a tile into a scalar register. */
void sam_lower_load_field(struct lower *l, struct sam_lower_kernel *k, struct sam_buffer *out,
                          const char *reg, uint32_t tile, enum sam_lower_field field);
/* t3 = the number of this warp in the launch; changes t0 and t1. */
void sam_lower_number_warp(const struct sam_lower_kernel *k, struct sam_buffer *out);
/* Fill what an operation does not write of its destination with the pad value, every row by one
 * warp. It writes the valid rectangle of a tile, or the first row or column of one as large, and
 * nothing when that is empty. */
void sam_lower_kernel_pad(struct lower *l, struct sam_lower_kernel *k, const struct sam_tile_op *op,
                          uint32_t rectangle, enum sam_lower_part part);

/* --- reduce.c: what its kernels and those of reduce_packed.c share */

/* Whether there is code for a reduction by a function. */
bool sam_lower_has_reduction(enum sam_tile_function function);

/* Workgroups and warps of a launch that goes over so many lines; all its warps. */
unsigned sam_lower_reduce_divide(const struct lower *l, struct sam_lower_kernel *kernel,
                                 uint32_t lines);
/* The end of the kernel: padding, and the remark. `part`: what it has written. */
void sam_lower_reduce_end(struct lower *l, struct sam_lower_kernel *kernel,
                          enum sam_lower_part part);
/* reduce_packed.c: the kernel of a reduction of columns that takes two per lane; false: it is none.
 */
bool sam_lower_reduce_packed(struct lower *l, struct sam_lower_kernel *kernel);

#endif
