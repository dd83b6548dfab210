/* SPDX-License-Identifier: Apache-2.0 */
/* The hart's side of a lowered program: what its files share, and what program.c and load.c know of
 * the result. */
#ifndef SAM_LOWER_HART_H
#define SAM_LOWER_HART_H

#include "lower/lower.h"

/* --- values.c */
#define LOWER_NO_SLOT UINT32_MAX
enum { LOWER_SLOTS_BASE = 2048 }; /* s0 is after the first slot */

struct lower_value {
    uint32_t slot;    /* its offset, or LOWER_NO_SLOT */
    bool known;       /* of a scalar: `number`; of a tile: its address */
    bool reshaped;    /* a tile whose valid sizes set_validshape changes */
    bool sized[2];    /* a tile whose valid rows (columns) are in `valid` */
    int64_t number;   /* of a scalar; of a tile: the address */
    int64_t valid[2]; /* of a tile */
    uint32_t pitch;   /* of a tile, in bytes */
    uint32_t busy;    /* of a tile with memory of its own: the slot of two numbers, of the last
                         launch that uses it and of the last that writes it; or LOWER_NO_SLOT */
};

static inline struct lower_value *lower_value(const struct lower *l, uint32_t value)
{
    return &l->values[value - l->f->first_value];
}
/* The root of a tile: itself, or the tile that it is a window of. */
static inline uint32_t lower_root(const struct lower *l, uint32_t value)
{
    return l->flow.root[value - l->f->first_value];
}
/* Whether its address is a number that is known only at run time. */
bool sam_lower_is_computed(const struct lower *l, uint32_t tile);
/* Where a memory of tiles begins, and its bytes. */
uint32_t sam_lower_memory(enum sam_tile_loc loc);
uint32_t sam_lower_room(const struct lower *l, enum sam_tile_loc loc);

/* A slot of `size` bytes, zero at first. */
uint32_t sam_lower_slot(struct lower *l, uint32_t size);
/* Set 8 bytes of the slots, as they are when the program starts. */
void sam_lower_slot_start(struct lower *l, uint32_t slot, uint64_t number);
/* Load and store registers by any offset: `op` is lw, lwu, ld, sw or sd. */
void sam_lower_slot_op(struct lower *l, const char *op, const char *reg, uint32_t slot);
/* Remember a scalar that is known. */
void sam_lower_know(struct lower *l, uint32_t value, int64_t number);
/* Set a field of a tile's slot from a register, unless the field is known. */
void sam_lower_set_field(struct lower *l, uint32_t tile, enum sam_lower_field field,
                         const char *reg);
/* What arguments are when the program starts: a valid size, an array, a scalar. */
void sam_lower_start_size(struct lower *l, uint32_t tile, bool cols, uint32_t size);
void sam_lower_start_pointer(struct lower *l, uint32_t pointer, uint64_t address, uint64_t count);
void sam_lower_start_scalar(struct lower *l, uint32_t value, int64_t number);
/* Give every argument and tile of the function what is known of it before its operations. */
bool sam_lower_values(struct lower *l);

/* --- text.c */
enum { LOWER_NUMBERS = 8 }; /* of a failure: a0 to a7 */

struct lower_messages { /* with name and position */
    char **items;
    size_t count, capacity;
};

/* What an operation became. */
struct lower_remark {
    uint32_t op;
    char *text;
};

/* By value of the function, of tiles with memory of their own: the last launch that may be in
 * flight and use it (write it), by its place in the text, from 1; or LOWER_UNCERTAIN, of another
 * iteration or of a branch that may not have been taken; or 0. */
#define LOWER_UNCERTAIN UINT32_MAX
struct lower_inflight {
    uint32_t *uses, *writes;
};

struct lower_state {
    struct lower_messages failures;
    size_t failure_at; /* where the program has found out whether it has failed */
    struct lower_remark *remarks;
    size_t remark_count, remark_capacity;
    struct sam_buffer slots; /* their bytes when the program starts */
    struct sam_lower_kernel pending;
    uint32_t yields;         /* slot of values on their way, or LOWER_NO_SLOT */
    unsigned loops;          /* around the operation */
    bool memory;             /* there was too little */
    bool fits, meet;         /* .Lfits, .Lmeet is called */
    bool fails;              /* an operation of `pending` may fail */
    struct sam_buffer setup; /* code of the hart before all others */
    struct lower_inflight inflight;
    uint32_t launched; /* launches in the text so far */
    bool *begun;       /* by operation: it has its label */
    struct lower_op_map *op_map;
};

/* Before the code of an operation: its label. */
void sam_lower_begin(struct lower *l, const struct sam_tile_op *op);
/* The code of a loop goes on, after that of its body: "next_12_5". */
void sam_lower_resume(struct lower *l, const struct sam_tile_op *op);
void lower_free(struct lower *l);
/* After everything: failures, routines, data. */
void sam_lower_finish(struct lower *l);
/* Its name, without "arith." and "scf.". */
const char *sam_lower_op_name(const struct sam_tile_op *op);

/* --- scalar_ops.c: arithmetic, views, descriptors of tiles */
void sam_lower_scalar_op(struct lower *l, const struct sam_tile_op *op);
/* Take a valid size of a tile as known for good; false: it may change, or does not fit. */
bool sam_lower_size_known(struct lower *l, uint32_t tile, bool cols, int64_t size);
/* Set it from a0, which is checked unless it is known to fit (`good`). */
void sam_lower_set_size(struct lower *l, const struct sam_tile_op *op, uint32_t tile, bool cols,
                        bool good);

/* --- launch.c */
/* Whether TensorLoad, or a kernel, does the operation. */
bool sam_lower_is_move(unsigned code);
bool sam_lower_is_vector(unsigned code);
/* Add an operation to the kernel that is being collected, or begin another. */
void sam_lower_collect(struct lower *l, uint32_t index);
/* Launch what has been collected. */
void sam_lower_flush(struct lower *l);
/* The same, if the operation, which is none of the above, must not come before what has been
 * collected. */
void sam_lower_flush_before(struct lower *l, const struct sam_tile_op *op);
/* Wait for the launches that use what an operation of the hart touches. */
void sam_lower_wait_operands(struct lower *l, const struct sam_tile_op *op);
void sam_lower_wait_all(struct lower *l);
/* Wait until as many launches have ended as t0 says; t1 is used. */
void sam_lower_wait_count(struct lower *l);
/* A loop is entered: what its body launches may be in flight from the start. */
void sam_lower_enter_loop(struct lower *l, const struct sam_tile_op *op);
/* A copy of what is in flight, also after false (no memory); free it. */
bool sam_lower_inflight_save(const struct lower *l, struct lower_inflight *saved);
void sam_lower_inflight_set(struct lower *l, const struct lower_inflight *from);
/* Two ways meet, which parted at `before`: one comes from what is in flight now, one from `other`.
 */
void sam_lower_inflight_merge(struct lower *l, const struct lower_inflight *other,
                              const struct lower_inflight *before);
void sam_lower_inflight_free(struct lower_inflight *inflight);

/* --- shapes.c: the sizes of an operation's operands, and whether its destination overlaps a
 * source, checked when the program runs. */
bool sam_lower_has_shapes(struct lower *l, const struct sam_tile_op *op);
void sam_lower_shapes(struct lower *l, const struct sam_tile_op *op);
/* Before any of these: give the destination the sizes that the sources fix. */
void sam_lower_infer(struct lower *l, const struct sam_tile_op *op);

/* --- hart.c */
void sam_lower_body(struct lower *l);

#endif
