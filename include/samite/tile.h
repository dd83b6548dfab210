/* SPDX-License-Identifier: Apache-2.0 */
/* PTO tile programs: PTO-AS text in its four surfaces, a checker, a planner of tile memories and
 * an executor. docs/tile.md describes the language, docs/tile-rulings.md the decisions where its
 * sources are silent. tile_ops.h has tile operations as C calls.
 *
 * A tile is a two-dimensional array in a memory of the core: `rows` x `cols` elements of room, of
 * which the first valid_rows x valid_cols hold data. */
#ifndef SAMITE_TILE_H
#define SAMITE_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dtype.h"
#include "format.h"
#include "status.h"
#include "tile_opcodes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The element types of tiles, as programs spell them: SAM_TILE(vec, f32, 16, 16). The last
 * thirteen are for some operations only (docs/tile-acceptance.md). */
#define SAM_TILE_f32  SAM_F32
#define SAM_TILE_f16  SAM_F16
#define SAM_TILE_bf16 SAM_BF16
#define SAM_TILE_i8   SAM_I8
#define SAM_TILE_ui8  SAM_U8
#define SAM_TILE_i16  SAM_I16
#define SAM_TILE_ui16 SAM_U16
#define SAM_TILE_i32  SAM_I32
#define SAM_TILE_ui32 SAM_U32
#define SAM_TILE_i64  SAM_I64
#define SAM_TILE_ui64 SAM_U64
#define SAM_TILE_f64  SAM_F64
#define SAM_TILE_tf32 SAM_TF32
#define SAM_TILE_hf32 SAM_HF32
#define SAM_TILE_e4m3 SAM_E4M3
#define SAM_TILE_e5m2 SAM_E5M2
#define SAM_TILE_e8m0 SAM_E8M0
#define SAM_TILE_hif8 SAM_HIF8
#define SAM_TILE_e3m2 SAM_E3M2
#define SAM_TILE_e2m3 SAM_E2M3
#define SAM_TILE_e2m1 SAM_E2M1
#define SAM_TILE_e1m2 SAM_E1M2

/* The memory that a tile is in. */
enum sam_tile_loc {
    SAM_TILE_vec,
    SAM_TILE_mat,
    SAM_TILE_left,
    SAM_TILE_right,
    SAM_TILE_acc,
    SAM_TILE_LOCS,
};

/* Order of the elements, and of those within a fractal. */
enum sam_tile_layout { SAM_TILE_none_box, SAM_TILE_row_major, SAM_TILE_col_major };

/* The value outside the valid rectangle under SAM_TILE_PAD_VALUE. For floats min and max are
 * the infinities, in SAM_TILE_SPEC the largest finite numbers. */
enum sam_tile_pad { SAM_TILE_PAD_null, SAM_TILE_PAD_zero, SAM_TILE_PAD_max, SAM_TILE_PAD_min };

#define SAM_TILE_DYNAMIC (-1) /* `?`: known when the tile is allocated */

struct sam_tile_type {
    enum sam_tile_loc loc;
    enum sam_dtype dtype;
    uint32_t rows, cols;
    int64_t valid_rows, valid_cols; /* or SAM_TILE_DYNAMIC */
    enum sam_tile_layout blayout;   /* row_major or col_major */
    enum sam_tile_layout slayout;   /* none_box: not boxed, as almost everywhere */
    uint16_t fractal;               /* bytes of a fractal: 32, 512, 1024 */
    enum sam_tile_pad pad;
};

/* Capacities and dtypes of the device that a program is for. a5 is the first, so it is the default
 * of zeroed options; the command has the same default. Memories in bytes:
 *          vec   mat   left  right  acc
 *   a5    256K  512K    64K    64K 256K    dtypes f16 f32 bf16 i8 ui8 i16 ui16 i32 ui32
 *   a2a3  192K  512K    64K    64K 128K    dtypes f16 f32 i16 i32
 *   host  no limit                         as a5 */
enum sam_tile_profile { SAM_TILE_A5, SAM_TILE_A2A3, SAM_TILE_HOST };

/* Minimum and maximum of NaN and a number: NUMBER gives the number (the canonical NaN for two
 * NaNs); PROPAGATE gives the canonical NaN; FIRST computes `x < m ? x : m`, where m is the result
 * so far. In the first two modes -0 < +0. */
enum sam_tile_nan { SAM_TILE_NAN_NUMBER, SAM_TILE_NAN_PROPAGATE, SAM_TILE_NAN_FIRST };

/* Elements outside the valid rectangle of a destination: left unchanged, or filled with the pad
 * value of its type if it has one. */
enum sam_tile_outside { SAM_TILE_PAD_KEEP, SAM_TILE_PAD_VALUE };

/* The order in which floats are added up, and multiplied in products: rising, as programs are read,
 * or as the machine of system.h does it (tile_lower.h), whose lanes work on parts that are then
 * combined. Rounding makes them differ; integers are the same in any order. docs/tile-lowering.md
 * defines the order of the system. */
enum sam_tile_sum_order { SAM_TILE_SUM_RISING, SAM_TILE_SUM_SYSTEM };

/* Whose meaning operations have where the published page and the open specification differ:
 * docs/tile-rulings.md lists them. */
enum sam_tile_dialect { SAM_TILE_PAGE, SAM_TILE_SPEC };

/* Units of the core that run in parallel: tload uses the first, tstore the second, tmatmul and its
 * variants the last, all other operations the vector pipe. */
enum sam_tile_pipe {
    SAM_TILE_PIPE_LOAD,
    SAM_TILE_PIPE_STORE,
    SAM_TILE_PIPE_VECTOR,
    SAM_TILE_PIPE_MATRIX,
    SAM_TILE_PIPES
};

/* The predicate of tcmp and tcmps. */
enum sam_tile_compare {
    SAM_TILE_EQ,
    SAM_TILE_NE,
    SAM_TILE_LT,
    SAM_TILE_LE,
    SAM_TILE_GT,
    SAM_TILE_GE
};

/* Rounding modes of tcvt. */
enum sam_tile_round {
    SAM_TILE_RINT,  /* to nearest, ties to even */
    SAM_TILE_ROUND, /* to nearest, ties away from zero */
    SAM_TILE_FLOOR,
    SAM_TILE_CEIL,
    SAM_TILE_TRUNC
};

/* Added to a rounding mode of tquant: results are not saturated but wrap. */
#define SAM_TILE_WRAP 5

/* Added to a comparison: the mask has a bit per element. In C, sam_tile_apply takes it. */
#define SAM_TILE_PACKED 6

/* The elements of ttri that are 1, and the order of tmrgsort. */
enum sam_tile_triangle { SAM_TILE_LOWER, SAM_TILE_UPPER };
enum sam_tile_order { SAM_TILE_ASCENDING, SAM_TILE_DESCENDING };

/* The syntax of a program. Any program text may use any of them. */
enum sam_tile_surface {
    SAM_TILE_FLAT,    /* %d = tcolmin %s : T -> U */
    SAM_TILE_SSA,     /* %d = pto.tcolmin %s : T -> U */
    SAM_TILE_DPS,     /* pto.tcolmin ins(%s : T) outs(%d : U) */
    SAM_TILE_GENERIC, /* "pto.tcolmin"(%s, %d) : (T, U) -> () */
};

/* A parsed program. Checking and running do not change it. */
struct sam_tile_program;

/* Read a program. `name` is used in messages. *messages (never NULL after SAM_OK or SAM_ERR_INPUT;
 * freed with free()) holds all errors and warnings of the text, each with its line and a caret.
 * SAM_ERR_INPUT if there is an error; *program is then NULL. */
SAM_API enum sam_status sam_tile_parse(const char *name, const char *text, size_t size,
                                       struct sam_tile_program **program, char **messages,
                                       struct sam_error *error);
SAM_API void sam_tile_program_free(struct sam_tile_program *program);

/* The program as text; *text is freed with free(). Reading it again gives an equal program. */
SAM_API enum sam_status sam_tile_print(const struct sam_tile_program *program,
                                       enum sam_tile_surface surface, char **text,
                                       struct sam_error *error);
/* Whether two programs are the same apart from positions and comments. */
SAM_API bool sam_tile_equal(const struct sam_tile_program *a, const struct sam_tile_program *b);

/* Functions of a program; a program of bare operations is one function with the name "". */
SAM_API size_t sam_tile_function_count(const struct sam_tile_program *program);
/* "" past the last. */
SAM_API const char *sam_tile_function_name(const struct sam_tile_program *program, size_t index);
/* -1 if no function has that name. */
SAM_API int sam_tile_function_find(const struct sam_tile_program *program, const char *name);
/* Arguments of a function: their number, and the name of one without the percent sign. Those of a
 * bare program are its free names, in the order in which they appear. 0 and "" past the last. */
SAM_API size_t sam_tile_argument_count(const struct sam_tile_program *program, size_t function);
SAM_API const char *sam_tile_argument_name(const struct sam_tile_program *program, size_t function,
                                           size_t index);

/* Check every function against a profile, without running: operands, layouts, dtypes, shapes where
 * they are known, addresses, capacity, values read before they are written, missing waits.
 * *messages as above. SAM_ERR_INPUT if there is an error; warnings alone are SAM_OK. */
SAM_API enum sam_status sam_tile_check(const struct sam_tile_program *program,
                                       enum sam_tile_profile profile, char **messages,
                                       struct sam_error *error);
/* The same, as operations are meant in a dialect; sam_tile_check takes SAM_TILE_PAGE. */
SAM_API enum sam_status sam_tile_check_in(const struct sam_tile_program *program,
                                          enum sam_tile_profile profile,
                                          enum sam_tile_dialect dialect, char **messages,
                                          struct sam_error *error);

/* The place of each tile and the lines between which it lives, one line per tile; *text is freed
 * with free(). SAM_ERR_INPUT if a memory is too small. */
SAM_API enum sam_status sam_tile_plan_text(const struct sam_tile_program *program,
                                           enum sam_tile_profile profile, char **text,
                                           struct sam_error *error);

/* Number of runs, and of elements read from source tiles or, without a source tile, written. */
struct sam_tile_count {
    uint64_t ops, elements;
};

struct sam_tile_stats {
    uint64_t ops;                    /* executed operations of every kind, arith and scf included */
    uint64_t tile_ops;               /* those that work on tiles */
    uint64_t elements;               /* of all of these */
    uint64_t loaded, stored;         /* bytes from and to global memory */
    uint64_t highest[SAM_TILE_LOCS]; /* end of the highest byte in use of each memory */
    struct sam_tile_count by_op[SAM_TILE_OPS]; /* by the index of sam_tile_op_describe */
    struct sam_tile_count by_pipe[SAM_TILE_PIPES];
};

struct sam_tile_options {
    size_t size; /* sizeof of this struct; 0: as in 0.1 (status.h) */
    enum sam_tile_profile profile;
    enum sam_tile_nan nan;
    enum sam_tile_outside outside;
    uint64_t max_ops; /* stop after this many operations; 0: no limit */
    bool plain;       /* do not use the host's vector loops; the results are the same bits */
    const volatile int *stop; /* becomes non-zero: the run ends with SAM_ERR_STOPPED; or NULL */
    FILE *trace;              /* one line per executed tile operation; or NULL */
    enum sam_tile_sum_order sum_order; /* since 0.2 */
    enum sam_tile_dialect dialect;     /* since 0.2 */
};

/* One argument. A pointer or tile takes an array of its dtype, or of the dtype that represents it
 * in NumPy files (sam_dtype_npy: SAM_U16 for bf16); a tile takes an array of its valid rectangle. A
 * scalar takes `bits`, low bits first. A tile with neither array nor scalar starts unwritten. */
struct sam_tile_argument {
    struct sam_array *array;
    bool is_scalar;
    enum sam_dtype dtype; /* of a scalar; as for arrays */
    uint64_t bits;
    /* Of a parameter, or of a tile of a bare program, without the percent sign. An argument without
     * one is the next parameter, in order, that none of the arguments names. */
    const char *name;
    bool output; /* copy the tile to the array after the run, instead of from it before */
    bool inout;  /* with `output`: copy it from the array before the run as well */
    /* For sam_tile_lower (tile_lower.h): not NULL: the pointer is to this tensor of packed weights,
     * which the weight unit decodes. `array` has its dtype and shape; its data is not used there.
     */
    const char *packed;
    /* For sam_tile_lower: not 0: the address of the array in the system, where the caller maps it
     * and has its elements. Then `data` is not read or written. */
    uint64_t address;
};

/* Run a function that sam_tile_check accepts (this checks again). Arrays of pointer arguments are
 * read and written in place. SAM_ERR_TRAP: the program failed (out of bounds, a read of
 * unwritten elements, a zero divisor, a missing wait, max_ops); the error names the position, the
 * operation, the tile and the element. `options` and `stats` may be NULL. */
SAM_API enum sam_status sam_tile_run(const struct sam_tile_program *program, size_t function,
                                     const struct sam_tile_argument *arguments, size_t count,
                                     const struct sam_tile_options *options,
                                     struct sam_tile_stats *stats, struct sam_error *error);

/* Find the first store, in the order of the text, to the array of an argument that is not an
 * output: the index of the argument and the line of the operation. Returns false if there is none,
 * or if the arguments do not fit the function. The operation may never run. Since 0.2. */
SAM_API bool sam_tile_stored_input(const struct sam_tile_program *program, size_t function,
                                   const struct sam_tile_argument *arguments, size_t count,
                                   size_t *argument, uint32_t *line);

/* Names as programs spell them: "ui8", "vec", "vector"; "?" for a dtype that tiles do not have and
 * for a value outside the enumeration. */
SAM_API const char *sam_tile_dtype_name(enum sam_dtype dtype);
SAM_API const char *sam_tile_loc_name(enum sam_tile_loc loc);
SAM_API const char *sam_tile_pipe_name(enum sam_tile_pipe pipe);
SAM_API bool sam_tile_profile_parse(const char *name, enum sam_tile_profile *profile);
/* Bytes of a memory; 0: no limit, or no such memory. */
SAM_API uint64_t sam_tile_capacity(enum sam_tile_profile profile, enum sam_tile_loc loc);

/* Column minimum or maximum of rows x cols elements, `pitch` elements from row to row, into cols
 * elements at `dst`, which does not overlap `src`: the loops of tcolmin and tcolmax. `plain`:
 * element by element, without vector loops. Nothing is written if rows is 0, or if dtype or nan is
 * invalid. */
SAM_API void sam_tile_fold_columns(enum sam_dtype dtype, bool max, enum sam_tile_nan nan,
                                   bool plain, void *dst, const void *src, size_t rows, size_t cols,
                                   size_t pitch);

/* The operations. sources: one letter each, t tile, s scalar, i index, v view; the
 * destination follows them. False after the last, index SAM_TILE_OPS. */
struct sam_tile_op_text {
    const char *name, *sources, *dtypes, *meaning;
};
SAM_API bool sam_tile_op_describe(size_t index, struct sam_tile_op_text *text);

#ifdef __cplusplus
}
#endif
#endif
