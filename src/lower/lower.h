/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of one function of a tile program, with its arguments, to hart and GPU assembly for the
 * machine of samite/system.h. docs/tile-lowering.md lists the lowering of each operation.
 *
 * hart.c emits the hart's code: values, loops, branches, descriptors, launches. move.c emits
 * TensorLoad code, matrix.c matrix unit code. kernel.c emits GPU kernels of fused vector operations
 * (fuse.c).
 *
 * Tiles are in on-chip memory at the offsets of the plan: vec and acc in L1M; mat, left and right
 * in L0M. */
#ifndef SAM_LOWER_H
#define SAM_LOWER_H

#include "lower/unroll.h"
#include "samite/device/layout.h"
#include "samite/tile_lower.h"
#include "tile/check/plan.h"

/* Base addresses of the tile memories. The rest of L0M holds decoded weights. */
#define LOWER_VEC           (SAM_SYSTEM_L1M + 0u)
#define LOWER_ACC           (SAM_SYSTEM_L1M + 0x80000u)
#define LOWER_MAT           (SAM_SYSTEM_L0M + 0u)
#define LOWER_SCRATCH       (SAM_SYSTEM_L1M + 0xc0000u) /* of move.c and matrix.c */
#define LOWER_LEFT          (SAM_SYSTEM_L0M + 0x80000u)
#define LOWER_RIGHT         (SAM_SYSTEM_L0M + 0x90000u)
#define LOWER_STAGING       (SAM_SYSTEM_L0M + 0xa0000u)
#define LOWER_ENDING        (SAM_SYSTEM_L0M + 0x100000u)
#define LOWER_SCRATCH_BYTES 0x40000

/* --- a word of a kernel's argument buffer, stored by the hart before the launch */
enum lower_word_kind {
    LOWER_WORD_ADDRESS, /* of the first element of tile `value` */
    LOWER_WORD_PITCH,   /* bytes per row */
    LOWER_WORD_ROWS,    /* its valid rows */
    LOWER_WORD_COLS,    /* and columns */
    LOWER_WORD_BITS,    /* the low 32 bits of scalar or index `value` */
    LOWER_WORD_NUMBER,  /* `number` */
    LOWER_WORD_WINDOW,  /* the address of the first element of window `value`, of one dimension */
    LOWER_WORD_COUNT,   /* its elements */
    LOWER_WORD_STRIDE,  /* bytes from one to the next */
    LOWER_WORD_FAILURE  /* the address of the failure record */
};

/* The failure record. The hart initialises it, and checks it after each launch that has its
 * address; such launches are synchronous. */
enum lower_failure_word {
    LOWER_FAILURE_NUMBER,  /* failure number; initially 0 */
    LOWER_FAILURE_ELEMENT, /* lowest index i * columns + j of a failing element; initially
                              UINT32_MAX */
    LOWER_FAILURE_COLUMNS, /* 0; columns */
    LOWER_FAILURE_WORDS
};

struct lower_word {
    enum lower_word_kind kind;
    uint32_t value; /* of the tile program */
    uint32_t number;
};

enum { LOWER_WORDS = 128, LOWER_GROUP = 24, LOWER_TOUCHED = 64 };

/* The operations fused into one kernel, and its launch. */
struct sam_lower_kernel {
    uint32_t ops[LOWER_GROUP]; /* indexes into program->ops, in order */
    unsigned op_count;
    char name[24];                        /* of the launch: "k0", ... */
    char code[24];                        /* label of its code: that of the first with this code */
    struct lower_word words[LOWER_WORDS]; /* argument buffer, at a0 in the kernel */
    unsigned word_count;
    unsigned workgroups, warps;      /* of 32 lanes */
    unsigned lds_bytes;              /* LDS bytes per workgroup, without the scalar stacks */
    uint32_t touched[LOWER_TOUCHED]; /* tiles whose elements it loads or stores */
    unsigned touched_count;
};

struct lower_value;   /* values.c */
struct lower_state;   /* hart.c */
struct lower_boxes;   /* box.c */
struct lower_packing; /* packed.c */

struct lower {
    const struct sam_tile_program *source; /* the caller's; p is made from it */
    const struct sam_tile_program *p;
    const struct sam_tile_func *f;
    struct sam_lower_unrolled unrolled;
    const struct sam_tile_argument *arguments;
    size_t argument_count;
    struct sam_tile_lower_options options;
    struct sam_tile_flow flow;
    struct sam_tile_plan plan;
    struct sam_buffer hart;   /* .text of the hart */
    struct sam_buffer data;   /* its .data */
    struct sam_buffer gpu;    /* kernels and their tables */
    uint16_t mnemonics[2048]; /* hash table of instructions (ir.c) */
    uint64_t routines;        /* tables of routines that are used (enum sam_lower_math) */
    unsigned kernels, labels; /* so far */
    struct sam_tile_report *report;
    struct lower_value *values; /* indexed from f->first_value */
    struct lower_state *state;
    struct lower_boxes *boxes;
    struct lower_packing *packing; /* NULL without packed arguments */
    uint32_t *in_place;            /* in_place.c, by value of the function */
    uint32_t *staged;              /* staged_factor.c, by value: a window and 1; 0: none */
};

/* Report at its line an operation that cannot be lowered. Lowering then fails. */
void sam_lower_refuse(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
    SAM_PRINTF(3, 4);

/* --- text.c: emit hart code: labels, instructions, directives and "#" comments, separated by ";".
 * Labels "0:" are local to an operation, .L%u with sam_lower_label() to the program. Live between
 * operations: s0 (slots), s1 (SAM_SYSTEM_GPU_SUBMIT), gp (launch count) and tp (values.c). Free:
 * t0-t6, a0-a7, s2-s11, ra, sp. The assembler relaxes branches, so they have no range limit. */
void sam_lower_hart(struct lower *l, const char *format, ...) SAM_PRINTF(2, 3);
/* Emit code to another buffer. */
void sam_lower_code(struct sam_buffer *out, const char *format, ...) SAM_PRINTF(2, 3);
unsigned sam_lower_label(struct lower *l);

/* Returns whether a scalar or index is a compile-time constant, in *number. */
bool sam_lower_constant(const struct lower *l, uint32_t value, int64_t *number);
/* reg = a scalar or index, 64 bits, sign- or zero-extended by its type. */
void sam_lower_get(struct lower *l, const char *reg, uint32_t value);
/* Store a register to the slot of a scalar or index. */
void sam_lower_set(struct lower *l, uint32_t value, const char *reg);

/* The elements in `bytes`. */
static inline int64_t lower_steps(enum sam_dtype dtype, uint32_t bytes)
{
    return (int64_t)bytes * 8 / sam_dtype_table[dtype].bits;
}

/* Fields of a tile's slot, 32 bits each. */
enum sam_lower_field { LOWER_ADDRESS, LOWER_PITCH, LOWER_ROWS, LOWER_COLS };
/* reg = a field, zero-extended; emits a constant if it is one. */
void sam_lower_field(struct lower *l, const char *reg, uint32_t tile, enum sam_lower_field field);
/* Returns whether a field is a compile-time constant, in *number. */
bool sam_lower_known(const struct lower *l, uint32_t tile, enum sam_lower_field field,
                     uint32_t *number);

/* Windows (views and partitions): the address of the first element, in halves of bytes if elements
 * have 4 bits; size and stride of a dimension,
 * in elements; the address of element 0 of the array; the element count of the array. */
void sam_lower_window_address(struct lower *l, const char *reg, uint32_t window);
void sam_lower_window_size(struct lower *l, const char *reg, uint32_t window, unsigned dimension);
void sam_lower_window_stride(struct lower *l, const char *reg, uint32_t window, unsigned dimension);
void sam_lower_window_array(struct lower *l, const char *reg, uint32_t window);
void sam_lower_window_count(struct lower *l, const char *reg, uint32_t window);
bool sam_lower_window_known(const struct lower *l, uint32_t window, unsigned dimension, bool stride,
                            int64_t *number);

/* Register a failure of an operation, with the executor's message after the program name and
 * position. Returns its number, from 1. Hart code jumps to .Lfailure%u; {0} to {7} denote a0 to
 * a7, signed. A kernel stores the number into the failure record; a trailing "[*,*]" becomes the
 * row and column of the recorded element. */
unsigned sam_lower_failure(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
    SAM_PRINTF(3, 4);

/* Record the lowering of an operation, for `samite tile explain` and as a comment in the assembly.
 */
void sam_lower_note(struct lower *l, const struct sam_tile_op *op, const char *format, ...)
    SAM_PRINTF(3, 4);

/* --- lowering of each operation; the caller has emitted waits for conflicting launches */

/* move.c: tload, tstore, tmov, ttrans, treshape, textract, tinsert, tconcat. */
void sam_lower_move(struct lower *l, const struct sam_tile_op *op);
/* Of mgather and mscatter, before the launch: check the window; after it: write pad values. */
void sam_lower_before_pick(struct lower *l, const struct sam_tile_op *op);
void sam_lower_after_pick(struct lower *l, const struct sam_tile_op *op);
/* Emit a jump to the label if the tile has no valid element. */
void sam_lower_skip_empty(struct lower *l, uint32_t tile, unsigned label);
/* box.c: append the used routines to l->hart, after its last instruction, and free l->boxes. Also
 * called after a failed lowering. */
void sam_lower_box_routines(struct lower *l);
/* matrix.c: tmatmul, tmatmul_acc, tmatmul_bias. */
void sam_lower_matmul(struct lower *l, const struct sam_tile_op *op);

/* arrange.c: set l->p to the program to lower and l->plan to the places of its tiles. `values`: of
 * the arguments, before and after. Faults of the program are in l->report. */
enum sam_status sam_lower_arrange(struct lower *l, uint32_t *values, struct sam_error *error);
void sam_lower_arrange_free(struct lower *l);

/* in_place.c: find the copies that products need not have, and let the tiles in mat live as long.
 * Returns false on out-of-memory. */
bool sam_lower_read_in_place(struct lower *l);
/* The tile that holds the elements of a factor: itself, or the tile in mat that it is a copy of. */
uint32_t sam_lower_factor_tile(const struct lower *l, uint32_t tile);

/* staged_factor.c, after sam_lower_read_in_place: find the tiles that products read where they have
 * been decoded. `values`: of the arguments. Returns false on out-of-memory. */
bool sam_lower_read_staged(struct lower *l, const uint32_t *values);
/* The window of packed weights that products read in place of the tile, or SAM_TILE_NONE. */
uint32_t sam_lower_staged_factor(const struct lower *l, uint32_t tile);

/* turned.c, after sam_lower_read_staged: give right factors the layout that the matrix unit reads.
 * Returns false on out-of-memory. */
bool sam_lower_turn_factors(struct lower *l, const uint32_t *values);

/* fuse.c: returns whether a vector operation can be added to the kernel. */
bool sam_lower_can_fuse(const struct lower *l, const struct sam_lower_kernel *kernel, uint32_t op);
/* kernel.c: append the kernel's code to l->gpu; set words, workgroups, warps, lds_bytes. */
void sam_lower_kernel(struct lower *l, struct sam_lower_kernel *kernel);

/* math.c: functions that have no instruction. Argument v8 (and v9), result v8. `dtype` is the dtype
 * that the result is rounded to. */
enum sam_lower_routine {
    LOWER_NO_ROUTINE,
    LOWER_EXP,
    LOWER_LOG,
    LOWER_RSQRT,
    LOWER_EXPDIF, /* v8 = e^(v8 - v9), with an exact difference */
    LOWER_ROUTINES
};
/* Returns the lines of a routine, and marks its table as used. */
const char *sam_lower_routine(struct lower *l, enum sam_lower_routine routine,
                              enum sam_dtype dtype);
/* Append the used tables. */
void sam_lower_routines(struct lower *l);

/* indexed.c: the geometry of timg2col, if its numbers and the size of its source are known. Returns
 * false with a message, or an empty one if they are not. */
bool sam_lower_geometry(const struct lower *l, const struct sam_tile_op *op,
                        struct sam_tile_geometry *geometry, char *text, size_t size);

#endif
