/* SPDX-License-Identifier: Apache-2.0 */
/* The hart's side of a lowered program: declarations shared by its source files, and by program.c
 * and load.c. */
#ifndef SAM_LOWER_HART_H
#define SAM_LOWER_HART_H

#include "lower/lower.h"

/* --- values.c */
#define LOWER_NO_SLOT UINT32_MAX
enum { LOWER_SLOTS_BASE = 2048 }; /* s0 - first slot */

struct lower_value {
    uint32_t slot;    /* offset, or LOWER_NO_SLOT */
    bool known;       /* compile-time constant: a scalar's `number`, a tile's address */
    bool reshaped;    /* tile: set_validshape changes its valid sizes */
    bool sized[2];    /* tile: valid rows (columns) are constants, in `valid` */
    int64_t number;   /* scalar: value; tile: address */
    int64_t valid[2]; /* tile: valid rows and columns */
    uint32_t pitch;   /* tile: bytes per row */
    uint32_t busy;    /* root tile: slot of two launch numbers, the last use and the last write;
                         or LOWER_NO_SLOT */
};

static inline struct lower_value *lower_value(const struct lower *l, uint32_t value)
{
    return &l->values[value - l->f->first_value];
}
/* The operation of the source program that an operation is a copy of. */
static inline uint32_t sam_lower_origin(const struct lower *l, const struct sam_tile_op *op)
{
    return l->unrolled.origin[op - l->p->ops];
}
/* Returns whether an operation has copies. */
static inline bool sam_lower_is_copied(const struct lower *l, const struct sam_tile_op *op)
{
    return l->unrolled.copies && l->unrolled.copies[sam_lower_origin(l, op)] > 1;
}
/* The number of its copies that come before this one. */
static inline uint32_t sam_lower_copy(const struct lower *l, const struct sam_tile_op *op)
{
    return l->unrolled.copy ? l->unrolled.copy[op - l->p->ops] : 0;
}
/* The root tile of a window; a tile other than a window is its own root. */
static inline uint32_t lower_root(const struct lower *l, uint32_t value)
{
    return l->flow.root[value - l->f->first_value];
}
/* Returns whether a tile's address is computed at run time. */
bool sam_lower_is_computed(const struct lower *l, uint32_t tile);
/* The base address and the size of a tile memory. */
uint32_t sam_lower_memory(enum sam_tile_loc loc);
uint32_t sam_lower_room(const struct lower *l, enum sam_tile_loc loc);

/* Allocate a slot of `size` zero bytes. */
uint32_t sam_lower_slot(struct lower *l, uint32_t size);
/* Set the initial value of 8 slot bytes. */
void sam_lower_slot_start(struct lower *l, uint32_t slot, uint64_t number);
/* Emit a load or store (`op`: lw, lwu, ld, sw or sd) at any slot offset. */
void sam_lower_slot_op(struct lower *l, const char *op, const char *reg, uint32_t slot);
/* Record a scalar as a compile-time constant. */
void sam_lower_know(struct lower *l, uint32_t value, int64_t number);
/* Store a register to a field of a tile's slot, unless the field is a constant. */
void sam_lower_set_field(struct lower *l, uint32_t tile, enum sam_lower_field field,
                         const char *reg);
/* Set the initial value of an argument's slot: a valid size, an array, a scalar. */
void sam_lower_start_size(struct lower *l, uint32_t tile, bool cols, uint32_t size);
void sam_lower_start_pointer(struct lower *l, uint32_t pointer, uint64_t address, uint64_t count);
void sam_lower_start_scalar(struct lower *l, uint32_t value, int64_t number);
/* Initialise the values of the function with what is known statically. Returns false on
 * out-of-memory. */
bool sam_lower_values(struct lower *l);

/* --- text.c */
enum { LOWER_NUMBERS = 8 }; /* numbers in a failure message: a0 to a7 */

struct lower_messages { /* each with the program's name and a position */
    char **items;
    size_t count, capacity;
};

/* A note on an operation. */
struct lower_remark {
    uint32_t op;
    char *text;
};

/* In-flight launches per root tile (indexed by value of the function): the last launch that may
 * still use (write) it, numbered from 1 in text order; LOWER_UNCERTAIN if the launch is of an
 * earlier iteration or of a branch that may not be taken; 0 if none. */
#define LOWER_UNCERTAIN UINT32_MAX
struct lower_inflight {
    uint32_t *uses, *writes;
};

struct lower_state {
    struct lower_messages failures;
    size_t failure_at; /* offset in the text: the failure number is in t1 */
    struct lower_remark *remarks;
    size_t remark_count, remark_capacity;
    struct sam_buffer slots; /* initial contents */
    struct sam_lower_kernel pending;
    uint32_t yields;         /* slot for parallel copies, or LOWER_NO_SLOT */
    unsigned loops;          /* nesting depth of the current operation */
    bool memory;             /* allocation failed */
    bool fits, meet;         /* .Lfits, .Lmeet are used */
    bool fails;              /* an operation of `pending` may fail */
    struct sam_buffer setup; /* hart code of the prologue */
    struct lower_inflight inflight;
    uint32_t kept; /* kept_sum.c: tile whose elements are in matrix registers, or SAM_TILE_NONE */
    uint32_t chain_end; /* the last product into it, or SAM_TILE_NONE */
    uint32_t launched;  /* launches in the text so far */
    bool *begun;        /* by operation: its label is emitted */
    struct lower_op_map *op_map;
    uint32_t background; /* background.c: its slots, or LOWER_NO_SLOT */
    unsigned jobs;       /* copies for the background of the next product */
    unsigned stub_count;
    bool stub_open;
    bool defers; /* the copy that is being lowered is one of them */
    struct sam_buffer stubs;
    struct lower_shared *shared; /* share.c: kernels so far */
    size_t shared_count, shared_capacity;
};

/* Emit the label of an operation, once, before its first instruction. */
void sam_lower_begin(struct lower *l, const struct sam_tile_op *op);
/* Emit the label of a loop's latch code, after its body: "next_12_5". */
void sam_lower_resume(struct lower *l, const struct sam_tile_op *op);
void lower_free(struct lower *l);
/* Emit the epilogue: failures, routines, data. */
void sam_lower_finish(struct lower *l);
/* The name of an operation without "arith." and "scf.". */
const char *sam_lower_op_name(const struct sam_tile_op *op);

/* --- scalar_ops.c: arithmetic, views, descriptors of tiles */
void sam_lower_scalar_op(struct lower *l, const struct sam_tile_op *op);
/* Record a tile's valid size as constant. Returns false if it may change or does not fit the tile.
 */
bool sam_lower_size_known(struct lower *l, uint32_t tile, bool cols, int64_t size);
/* Set a valid size from a0, with a range check unless `good`. */
void sam_lower_set_size(struct lower *l, const struct sam_tile_op *op, uint32_t tile, bool cols,
                        bool good);

/* --- launch.c */
/* Returns whether TensorLoad (a GPU kernel) executes the operation. */
bool sam_lower_is_move(unsigned code);
bool sam_lower_is_vector(unsigned code);
/* Add an operation to the pending kernel, flushing first if it cannot be fused. */
void sam_lower_collect(struct lower *l, uint32_t index);
/* share.c: drop the text of a kernel, in l->gpu from `from` on, if there is an equal one for copies
 * of the same operations. `label`: the first of its labels. Returns whether there is; then k->code
 * names it. */
bool sam_lower_share(struct lower *l, struct sam_lower_kernel *k, size_t from, unsigned label);
/* Launch the pending kernel. */
void sam_lower_flush(struct lower *l);
/* Flush if the scalar operation `op` must not overtake the pending kernel. */
void sam_lower_flush_before(struct lower *l, const struct sam_tile_op *op);
/* Emit waits for the in-flight launches that conflict with a hart operation. */
void sam_lower_wait_operands(struct lower *l, const struct sam_tile_op *op);
void sam_lower_wait_all(struct lower *l);
/* Emit a wait until t0 launches have finished. Clobbers t1. */
void sam_lower_wait_count(struct lower *l);
/* On loop entry: launches of the body may be in flight from the previous iteration. */
void sam_lower_enter_loop(struct lower *l, const struct sam_tile_op *op);
/* Copy the in-flight state. Returns false on out-of-memory; free *saved in either case. */
bool sam_lower_inflight_save(const struct lower *l, struct lower_inflight *saved);
void sam_lower_inflight_set(struct lower *l, const struct lower_inflight *from);
/* Join two control-flow paths that split at `before`: the current state and `other`. */
void sam_lower_inflight_merge(struct lower *l, const struct lower_inflight *other,
                              const struct lower_inflight *before);
void sam_lower_inflight_free(struct lower_inflight *inflight);

/* --- shapes.c: run-time checks of operand sizes and of source/destination overlap */
bool sam_lower_has_shapes(struct lower *l, const struct sam_tile_op *op);
void sam_lower_shapes(struct lower *l, const struct sam_tile_op *op);
/* Before the checks: set the destination sizes that the sources determine. */
void sam_lower_infer(struct lower *l, const struct sam_tile_op *op);

/* --- kept_sum.c */
/* Before a loop: load the sum of its products, if it can stay in registers. After it: store it. */
void sam_lower_keep_sum(struct lower *l, const struct sam_tile_op *loop);
void sam_lower_store_sum(struct lower *l);
/* Before a product: keep the sum up to the last of the products that follow. After each. */
void sam_lower_keep_chain(struct lower *l, const struct sam_tile_op *op);
void sam_lower_end_chain(struct lower *l, uint32_t index);
/* A product into the kept sum, from zero or not. In s2 to s5 and s10 what the routines of matrix.c
 * have there; `left` and `right`: bytes per line of the factors. */
void sam_lower_kept_product(struct lower *l, const char *load, const char *multiply, bool zero,
                            uint32_t left, uint32_t right);
/* matrix.c: the registers used as m0 to m7: A in m0 and m1, B in m2 and m3, C in m4 to m7.
 * Returns false if fewer than four accumulate. */
bool sam_lower_matrix_registers(const struct lower *l, unsigned names[8]);

/* --- background.c: copies that a product's routine issues */
enum { LOWER_BACKGROUND = 8 }; /* copies per product */
void sam_lower_background_init(struct lower *l);
/* Returns whether a move runs in the background of the product that follows. */
bool sam_lower_defers(struct lower *l, uint32_t index);
/* Leave a copy from t2 to t3 by a routine of box.c to the background. */
void sam_lower_defer_copy(struct lower *l, size_t routine);
/* Before and after a product. */
void sam_lower_begin_copies(struct lower *l);
void sam_lower_end_copies(struct lower *l);
/* In the routine of a product, once per step. */
void sam_lower_resume_copies(const struct lower *l, struct sam_buffer *out);
void sam_lower_copy_routines(struct lower *l);
/* move.c: returns whether the move is one copy by a routine for known sizes. */
bool sam_lower_is_plain_copy(struct lower *l, const struct sam_tile_op *op);
/* launch.c: returns whether two root tiles may share bytes. */
bool sam_lower_may_meet(const struct lower *l, uint32_t a, uint32_t b);

/* --- hart.c */
void sam_lower_body(struct lower *l);

#endif
