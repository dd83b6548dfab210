/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of ops/: the intermediate form between a tensor operator and its program.
 *
 * An operator is cut into boxes: index ranges whose element (i0, i1, ...) is at an affine byte
 * offset in an input and at one (for im2col, several) in the output. A box is cut into equal blocks
 * of at most two TLRegs; a region is the loop nest over them with the block's instructions as its
 * body. All moves use bytes (tint8, the default of ttype): LOAD and STORE then need no alignment,
 * and the slice width of CONCAT covers whole elements.
 *
 * Two rules of the unit determine the possible blocks. Slice i of a LOAD or STORE is at i*W in the
 * register and at a multiple of W in memory (the width W is both register pitch and address
 * granularity), with at most 32 slices with strides of their own. An XPOSE permutes 2,048 bytes
 * with power-of-two dims, while CONCAT takes any dims but at most 32 positions along one. */
#ifndef SAM_PLAN_H
#define SAM_PLAN_H

#include "base/base.h"
#include "samite/ops.h"

#define SAM_PLAN_DIMS      10 /* of a box; each loop has a counter, s2 to s11 */
#define SAM_PLAN_TL_BYTES  1024u
#define SAM_PLAN_TL_SLICES 32u /* slices that a mask or strides can address */
#define SAM_PLAN_PLACES    64  /* places of one byte in the output */

struct sam_dim {
    uint64_t n;
    int64_t in, out; /* byte strides */
};

struct sam_box {
    struct sam_dim dim[SAM_PLAN_DIMS]; /* any order */
    unsigned rank;
    uint64_t unit;   /* contiguous bytes in both */
    unsigned input;  /* which input */
    bool constant;   /* fill with the plan's constant; no input */
    int64_t in, out; /* offset of the first byte */
    unsigned places; /* further places in the output: offsets relative to `out` */
    int64_t place[SAM_PLAN_PLACES];
};

enum sam_block_kind { SAM_BLOCK_LOAD, SAM_BLOCK_STORE, SAM_BLOCK_XPOSE, SAM_BLOCK_CONCAT };

/* A TensorLoad instruction of a block, with the CSRs it needs. Register numbers are block-relative,
 * from 0; SAM_PLAN_FILL holds the constant. */
struct sam_block_op {
    enum sam_block_kind kind;
    uint8_t rd, rs1, rs2;
    /* LOAD, STORE: `slices` of `width` bytes; slice i at offset + stride[i]*width */
    int64_t offset;
    uint16_t slices, width;
    bool strided; /* more than one slice: stride[0] is 0 */
    bool table;   /* LOAD: strides come from the region's table */
    bool masked;
    uint32_t mask;
    int32_t stride[SAM_PLAN_TL_SLICES];
    /* CONCAT: dim, shape in bytes, both masks. XPOSE: dims and the pair. */
    uint8_t dim, dim2;
    uint8_t shape[4];
    uint8_t width_log; /* XPOSE: log2 of the element bytes */
    uint32_t mask1, mask2;
};
#define SAM_PLAN_FILL 0xff

struct sam_block {
    struct sam_block_op *ops;
    size_t count, capacity;
    unsigned registers; /* registers used, from 0 */
    bool failed;        /* out of memory */
};

struct sam_loop {
    uint64_t count;
    int64_t in, out;
};

/* Phases for 4-bit elements: split the inputs to one byte each in scratch memory, move the bytes,
 * join pairs into the output. Byte plans have only SAM_PHASE_MOVE. */
enum sam_plan_phase { SAM_PHASE_MOVE, SAM_PHASE_SPLIT, SAM_PHASE_JOIN };

struct sam_plan_region {
    struct sam_block block;
    struct sam_loop loop[SAM_PLAN_DIMS]; /* outermost first */
    unsigned loops;
    unsigned input;
    int64_t in, out;
    uint64_t bytes; /* useful bytes per block, for the report */
    char what[64];  /* "32x64 of 1, xpose" */
    enum sam_plan_phase phase;
    /* If not NULL, loop 0 takes the strides of its LOADs from here, 32 words per iteration. */
    uint32_t *table;
};

struct sam_plan {
    char name[512]; /* "transpose [..] by .." */
    struct sam_plan_region *regions;
    size_t count, capacity;
    unsigned inputs;
    uint64_t *input_size; /* bytes */
    uint64_t output_size;
    uint64_t bound_loaded, bound_stored; /* each needed byte counted once */
    struct sam_shape shape;              /* of the output */
    unsigned element;                    /* bytes; 1 for half bytes */
    bool half_bytes;                     /* 4-bit elements, in pairs unless there is scratch */
    uint64_t scratch;                    /* bytes of scratch memory */
    bool odd;                            /* with scratch: odd number of output elements */
    uint64_t *split, joined;             /* offsets of the inputs and the output in scratch */
    uint8_t fill[16];                    /* the constant */
};

/* box.c */

/* Drop dims of one index, join dims that are consecutive in input and output, move dims that are
 * contiguous in both into the unit while it fits a register, and sort the rest by descending output
 * stride. */
void sam_box_normalize(struct sam_box *box);
uint64_t sam_box_bytes(const struct sam_box *box);

/* --- transfer.c: the LOADs that fill a register, the STOREs that drain it */

/* Rows of a register, outermost dim first: row r is at offset sum(index * step). */
struct sam_rows {
    struct {
        uint64_t n;
        int64_t step;
    } dim[SAM_PLAN_DIMS];
    unsigned rank;
    uint64_t run; /* bytes of a row */
    int64_t offset;
};

/* Return false if this takes too many instructions. `scratch` and the next register are clobbered.
 */
bool sam_fill_register(struct sam_block *block, const struct sam_rows *rows, unsigned reg,
                       unsigned scratch);
bool sam_drain_register(struct sam_block *block, const struct sam_rows *rows, unsigned reg,
                        unsigned scratch);

/* shuffle.c: permutations within registers */

/* rd = the positions of rs1 in mask1, then those of rs2 in mask2, of `count` positions of `unit`
 * bytes in each of `outer` rows. Returns false if no tshape expresses it; the block is then
 * unusable. */
bool sam_concat(struct sam_block *block, unsigned rd, unsigned rs1, uint32_t mask1, unsigned rs2,
                uint32_t mask2, uint64_t outer, uint64_t count, uint64_t unit);
/* Permute [outer][p][q][unit] to [outer][q][p][unit] in register `reg`, by CONCAT. */
bool sam_swap_concat(struct sam_block *block, unsigned reg, unsigned scratch, uint64_t outer,
                     uint64_t p, uint64_t q, uint64_t unit);
/* Swap dims a and b of the 2,048 bytes in registers reg, reg + 1; the innermost dim holds bytes. */
bool sam_swap_xpose(struct sam_block *block, unsigned reg, const uint64_t dims[4], unsigned a,
                    unsigned b, uint64_t unit);

/* block.c */

/* Append an instruction; the pointer is valid until the next append. */
struct sam_block_op *sam_block_add(struct sam_block *block, enum sam_block_kind kind);
void sam_block_clear(struct sam_block *block);
/* Approximate cycles of a block, minimised by the search. The instructions from `stores` on, which
 * include the STOREs, count `places` times; 0 counts as 1. */
double sam_block_cost(const struct sam_block *block, size_t stores, unsigned places);

/* cover.c: plan the blocks of a box. */
enum sam_status sam_plan_box(struct sam_plan *plan, const struct sam_box *box,
                             struct sam_error *error);
/* Fill the box's output with the plan's constant. */
enum sam_status sam_plan_fill(struct sam_plan *plan, const struct sam_box *box,
                              struct sam_error *error);

struct sam_plan_region *sam_plan_add_region(struct sam_plan *plan);

/* report.c: format "elements of 2 bytes". */
#define SAM_ELEMENT_TEXT 40
const char *sam_plan_element(const struct sam_plan *plan, char text[SAM_ELEMENT_TEXT]);

/* run.c: address of a plan's scratch memory. */
uint64_t sam_plan_scratch_at(const struct sam_plan *plan, uint64_t output);

/* emit.c */

/* Append comments on the tensors and, for a routine, all regions and tables, with the label prefix
 * `label`. */
void sam_plan_emit_places(const struct sam_plan *plan, const uint64_t *inputs, uint64_t output,
                          struct sam_buffer *text);
void sam_plan_emit_body(const struct sam_plan *plan, const char *label, const uint64_t *inputs,
                        uint64_t output, struct sam_buffer *text);
/* Number of loop counters, in consecutive registers from s2. */
unsigned sam_plan_counters(const struct sam_plan *plan);
void sam_plan_emit_tables(const struct sam_plan *plan, const char *label, struct sam_buffer *text);

/* Append a plan of one input, without tables and scratch memory, as a part of a program. `from` and
 * `to` are registers with the input and output address; `label` is the label prefix. Clobbers t0,
 * t1, a0, a1, a3 to a7, s2 to s11, the TLRegs and the unit's CSRs, none of which may be `from` or
 * `to`. */
void sam_plan_emit(const struct sam_plan *plan, const char *label, const char *from, const char *to,
                   struct sam_buffer *text);

#endif
