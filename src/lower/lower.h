/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: one function of a tile program, with its arguments, becomes a program of the hart and
 * programs of the GPU, as assembly, for the machine of samite/system.h. docs/tile-lowering.md has
 * what each operation becomes.
 *
 * hart.c writes the hart's side: values, loops, branches, descriptors, launches. move.c writes
 * what TensorLoad does, matrix.c what the matrix unit does. kernel.c writes kernels of the GPU:
 * groups of neighbouring operations of the vector pipe (fuse.c).
 *
 * Tiles are in the on-chip memories: vec and acc in L1M, mat, left and right in L0M, at the offsets
 * of the plan. */
#ifndef SAM_LOWER_H
#define SAM_LOWER_H

#include "samite/device/layout.h"
#include "samite/tile_lower.h"
#include "tile/check/plan.h"

/* Where the memories of tiles begin; the rest of L0M holds weights that have been decoded. */
#define LOWER_VEC           (SAM_SYSTEM_L1M + 0u)
#define LOWER_ACC           (SAM_SYSTEM_L1M + 0x80000u)
#define LOWER_MAT           (SAM_SYSTEM_L0M + 0u)
#define LOWER_SCRATCH       (SAM_SYSTEM_L1M + 0xc0000u) /* of move.c and matrix.c */
#define LOWER_LEFT          (SAM_SYSTEM_L0M + 0x80000u)
#define LOWER_RIGHT         (SAM_SYSTEM_L0M + 0x90000u)
#define LOWER_STAGING       (SAM_SYSTEM_L0M + 0xa0000u)
#define LOWER_ENDING        (SAM_SYSTEM_L0M + 0x100000u)
#define LOWER_SCRATCH_BYTES 0x40000

/* --- a word of a kernel's argument buffer, which the hart fills before it launches the kernel */
enum lower_word_kind {
    LOWER_WORD_ADDRESS, /* of the first element of tile `value` */
    LOWER_WORD_PITCH,   /* bytes from one of its rows to the next */
    LOWER_WORD_ROWS,    /* its valid rows, */
    LOWER_WORD_COLS,    /* and columns */
    LOWER_WORD_BITS,    /* the low 32 bits of scalar or index `value` */
    LOWER_WORD_NUMBER,  /* `number` */
    LOWER_WORD_FAILURE  /* the address of the failure record */
};

/* The failure record: words that the hart sets before the program begins, and looks at after each
 * launch of a kernel that has its address (it waits for such a launch at once). */
enum lower_failure_word {
    LOWER_FAILURE_NUMBER,  /* 0; the number of the failure */
    LOWER_FAILURE_ELEMENT, /* UINT32_MAX; the lowest i * columns + j of the elements that failed */
    LOWER_FAILURE_COLUMNS, /* 0; columns */
    LOWER_FAILURE_WORDS
};

struct lower_word {
    enum lower_word_kind kind;
    uint32_t value; /* of the program */
    uint32_t number;
};

enum { LOWER_WORDS = 128, LOWER_GROUP = 24 };

/* Operations that one kernel does, and how it is launched. */
struct sam_lower_kernel {
    uint32_t ops[LOWER_GROUP]; /* indexes into program->ops, in order */
    unsigned op_count;
    char name[24];                        /* its label: "k0", ... */
    struct lower_word words[LOWER_WORDS]; /* argument buffer: a0 in the kernel */
    unsigned word_count;
    unsigned workgroups, warps; /* of 32 lanes */
    unsigned lds_bytes;         /* local data of a workgroup, besides the scalar stacks */
};

struct lower_value;   /* values.c */
struct lower_state;   /* hart.c */
struct lower_boxes;   /* box.c */
struct lower_packing; /* packed.c */

struct lower {
    const struct sam_tile_program *p;
    const struct sam_tile_func *f;
    const struct sam_tile_argument *arguments;
    size_t argument_count;
    struct sam_tile_lower_options options;
    struct sam_tile_flow flow;
    struct sam_tile_plan plan;
    struct sam_buffer hart; /* .text of the hart */
    struct sam_buffer data; /* its .data */
    struct sam_buffer gpu;  /* kernels and the routines that they call */
    uint64_t routines;      /* of the GPU that kernels call: a bit each (enum sam_lower_routine) */
    unsigned kernels, labels; /* so far */
    struct sam_tile_report *report;
    struct lower_value *values; /* of the function, from its first on */
    struct lower_state *state;
    struct lower_boxes *boxes;
    struct lower_packing *packing; /* NULL: no argument is packed */
};

/* Report an operation that cannot be lowered, at its line; nothing runs then. */
void sam_lower_refuse(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
    SAM_PRINTF(3, 4);

/* --- text.c: lines of the hart's program, each with its newline (several in one call are fine);
 * "0:" style labels are local to an operation, .L%u with sam_lower_label() to the program. Between
 * operations nothing lives in registers but s0 (the slots), s1 (SAM_SYSTEM_GPU_SUBMIT), gp
 * (launches so far) and tp (of values.c): t0-t6, a0-a7, s2-s11, ra and sp are free. Branches reach
 * any distance: the assembler sees to it. */
void sam_lower_hart(struct lower *l, const char *format, ...) SAM_PRINTF(2, 3);
/* A line of its data section. */
void sam_lower_data(struct lower *l, const char *format, ...) SAM_PRINTF(2, 3);
unsigned sam_lower_label(struct lower *l);

/* Whether a scalar or index is known now. */
bool sam_lower_constant(const struct lower *l, uint32_t value, int64_t *number);
/* Put a scalar or an index (64 bits, sign- or zero-extended as its type) into a register. */
void sam_lower_get(struct lower *l, const char *reg, uint32_t value);
/* Put a register into the slot of a scalar or index. */
void sam_lower_set(struct lower *l, uint32_t value, const char *reg);

/* What the slot of a tile has, 32 bits each. */
enum sam_lower_field { LOWER_ADDRESS, LOWER_PITCH, LOWER_ROWS, LOWER_COLS };
/* Put it into a register (zero-extended); a constant where it is known. */
void sam_lower_field(struct lower *l, const char *reg, uint32_t tile, enum sam_lower_field field);
/* The same as a number; false: known only at run time. */
bool sam_lower_known(const struct lower *l, uint32_t tile, enum sam_lower_field field,
                     uint32_t *number);

/* A view or a partition: the address of its first element; its sizes and strides (in elements),
 * dimension by dimension; the address of element 0 of its array, and the elements of that. */
void sam_lower_window_address(struct lower *l, const char *reg, uint32_t window);
void sam_lower_window_size(struct lower *l, const char *reg, uint32_t window, unsigned dimension);
void sam_lower_window_stride(struct lower *l, const char *reg, uint32_t window, unsigned dimension);
void sam_lower_window_array(struct lower *l, const char *reg, uint32_t window);
void sam_lower_window_count(struct lower *l, const char *reg, uint32_t window);
bool sam_lower_window_known(const struct lower *l, uint32_t window, unsigned dimension, bool stride,
                            int64_t *number);

/* The number (from 1) of a failure at this operation, with the executor's message: the program's
 * name and the position are put in front. Code of the hart jumps to .Lfailure%u; {0} to {7} in the
 * text stand for the numbers in a0 to a7, signed. A kernel stores the number into the failure
 * record. A message that ends in "[*,*]" is completed with the row and the column of the element
 * that the record names. */
unsigned sam_lower_failure(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
    SAM_PRINTF(3, 4);

/* For docs, `samite tile explain` and comments in the programs: what this operation became. */
void sam_lower_note(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
    SAM_PRINTF(3, 4);

/* --- what each operation becomes; the caller has waited for launches that use the same memory */

/* move.c: tload, tstore, tmov, ttrans, treshape, textract, tinsert, tconcat, on TensorLoad. */
void sam_lower_move(struct lower *l, const struct sam_tile_op *op);
/* Jump to the label if the tile has no valid element. */
void sam_lower_skip_empty(struct lower *l, uint32_t tile, unsigned label);
/* box.c: append the routines of the hart that moves and products call to l->hart, after its last
 * instruction; free what they left in `boxes`, also when nothing was lowered. */
void sam_lower_box_routines(struct lower *l);
/* matrix.c: tmatmul, tmatmul_acc, tmatmul_bias. */
void sam_lower_matmul(struct lower *l, const struct sam_tile_op *op);

/* fuse.c: whether an operation of the vector pipe can join a kernel. */
bool sam_lower_can_fuse(const struct lower *l, const struct sam_lower_kernel *kernel, uint32_t op);
/* kernel.c: append the kernel's code to l->gpu; fill in words, workgroups, warps, lds_bytes. */
void sam_lower_kernel(struct lower *l, struct sam_lower_kernel *kernel);

/* --- between kernel.c (elements: addresses, loads, stores, conversions, elementwise operations)
 * and the others that write code of the GPU. A value in a register of the GPU has one of two forms:
 * floats, also those of 16 bits, are in single precision; integers are extended to 32 bits. */
void sam_lower_gpu(struct lower *l, const char *format, ...) SAM_PRINTF(2, 3);
/* reduce.c: a kernel of one reduction, along rows or columns, sums, products, min, max, argmin,
 * argmax. */
void sam_lower_reduce(struct lower *l, struct sam_lower_kernel *kernel);
/* math.c: routines that kernels call, in text after the last kernel. A routine takes v8 (and v9),
 * gives v8, may change v0, v10 to v23 and scalar t0 to t6 and a6, a7, keeps everything else, and
 * works under any mask. `dtype`: the result will be rounded to it. */
enum sam_lower_routine {
    LOWER_NO_ROUTINE,
    LOWER_EXP,
    LOWER_LOG,
    LOWER_RSQRT,
    LOWER_EXPDIF, /* v8 = e^(v8 - v9), where the difference is not rounded */
    LOWER_ROUTINES
};
/* The label of the routine; from now on it is part of the program. */
const char *sam_lower_routine(struct lower *l, enum sam_lower_routine routine,
                              enum sam_dtype dtype);
/* Append the routines asked for. */
void sam_lower_routines(struct lower *l);

#endif
