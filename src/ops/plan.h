/* SPDX-License-Identifier: Apache-2.0 */
/* The face of ops/: the intermediate form between a tensor operator and its program.
 *
 * An operator is cut into boxes: index ranges whose element (i0, i1, ...) is at an affine byte
 * offset in an input and at one (for im2col, several) in the output. A box is cut into equal blocks
 * of at most two TLRegs; a region is the loop nest over them with the block's instructions as its
 * body. All moves use bytes (tint8, the default of ttype): LOAD and STORE then need no alignment,
 * and the width of CONCAT's slices covers whole elements.
 *
 * Two rules of the unit determine the possible blocks. Slice i of a LOAD or STORE is at i*W in the
 * register and at a multiple of W in memory (the width W is both register pitch and address
 * granularity), with at most 32 slices that have their own strides. An XPOSE permutes 2,048 bytes
 * with power-of-two dims, while CONCAT takes any dims but at most 32 positions along one. */
#ifndef SAM_PLAN_H
#define SAM_PLAN_H

#include "base/base.h"
#include "samite/ops.h"

#define SAM_PLAN_DIMS      10 /* of a box, hence loops: each has a counter, s2 to s11 */
#define SAM_PLAN_TL_BYTES  1024u
#define SAM_PLAN_TL_SLICES 32u /* slices that a mask or strides can address */
#define SAM_PLAN_PLACES    64  /* places of one byte in the output */

struct sam_dim {
    uint64_t n;
    int64_t in, out; /* bytes from one index to the next */
};

struct sam_box {
    struct sam_dim dim[SAM_PLAN_DIMS]; /* any order */
    unsigned rank;
    uint64_t unit;   /* contiguous bytes in both */
    unsigned input;  /* which input */
    bool constant;   /* no input: the plan's constant */
    int64_t in, out; /* offset of the first byte */
    unsigned places; /* further places in the output: offsets added to `out` */
    int64_t place[SAM_PLAN_PLACES];
};

enum sam_block_kind { SAM_BLOCK_LOAD, SAM_BLOCK_STORE, SAM_BLOCK_XPOSE, SAM_BLOCK_CONCAT };

/* One TensorLoad instruction of a block, with the CSRs it needs. Register numbers are the block's
 * own, from 0; SAM_PLAN_FILL is the register that holds the constant. */
struct sam_block_op {
    enum sam_block_kind kind;
    uint8_t rd, rs1, rs2;
    /* LOAD, STORE: `slices` of `width` bytes; slice i at offset + stride[i]*width */
    int64_t offset;
    uint16_t slices, width;
    bool strided; /* more than one slice: stride[0] is 0 */
    bool table;   /* LOAD: the strides come from the region's table */
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
    unsigned registers; /* used, from 0 */
    bool failed;        /* out of memory */
};

struct sam_loop {
    uint64_t count;
    int64_t in, out;
};

/* Elements of 4 bits: from the inputs to scratch memory, a byte each; the plan proper on those
 * bytes; and back in pairs to the output. Plans of whole bytes have the second phase only. */
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
    /* Not NULL: loop 0 takes the strides of its LOADs from here, 32 words per iteration. */
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
    unsigned element;                    /* bytes; of half bytes: 1 */
    bool half_bytes;                     /* elements of 4 bits, in pairs unless there is scratch */
    uint64_t scratch;                    /* bytes of scratch memory */
    bool odd;                            /* with it: the output has an odd number of elements */
    uint64_t *split, joined;             /* where in it the inputs and the output are */
    uint8_t fill[16];                    /* the constant */
};

/* box.c */

/* Drop dims of one index, join dims that are consecutive in input and output, move what is
 * contiguous in both into the unit as far as it fits a register, and sort the rest by descending
 * output step. */
void sam_box_normalize(struct sam_box *box);
uint64_t sam_box_bytes(const struct sam_box *box);

/* transfer.c: the LOADs that fill a register, the STOREs that empty it */

/* Rows of a register in order, outermost dim first: the offset of row r is sum(index * step). */
struct sam_rows {
    struct {
        uint64_t n;
        int64_t step;
    } dim[SAM_PLAN_DIMS];
    unsigned rank;
    uint64_t run; /* bytes of a row */
    int64_t offset;
};

/* False: it would take too many instructions. `scratch` and the next register are free for use. */
bool sam_fill_register(struct sam_block *block, const struct sam_rows *rows, unsigned reg,
                       unsigned scratch);
bool sam_drain_register(struct sam_block *block, const struct sam_rows *rows, unsigned reg,
                        unsigned scratch);

/* shuffle.c: permutations within registers */

/* rd = the positions of rs1 in mask1, then those of rs2 in mask2, of `count` positions of `unit`
 * bytes in each of `outer` rows. False: no tshape can express it; the block is then unusable. */
bool sam_concat(struct sam_block *block, unsigned rd, unsigned rs1, uint32_t mask1, unsigned rs2,
                uint32_t mask2, uint64_t outer, uint64_t count, uint64_t unit);
/* [outer][p][q][unit] to [outer][q][p][unit] in register `reg`, by CONCAT. */
bool sam_swap_concat(struct sam_block *block, unsigned reg, unsigned scratch, uint64_t outer,
                     uint64_t p, uint64_t q, uint64_t unit);
/* Dims a and b of the 2,048 bytes in registers reg, reg + 1; the innermost dim holds bytes. */
bool sam_swap_xpose(struct sam_block *block, unsigned reg, const uint64_t dims[4], unsigned a,
                    unsigned b, uint64_t unit);

/* block.c */

/* Append an instruction; the pointer is valid until the next is added. */
struct sam_block_op *sam_block_add(struct sam_block *block, enum sam_block_kind kind);
void sam_block_clear(struct sam_block *block);
/* Approximate cycles of a block, which the search minimises. The instructions from `stores` on,
 * which include the STOREs, count `places` times; 0 means once. */
double sam_block_cost(const struct sam_block *block, size_t stores, unsigned places);

/* cover.c: the blocks of a box */
enum sam_status sam_plan_box(struct sam_plan *plan, const struct sam_box *box,
                             struct sam_error *error);
/* Fill the box's output with the plan's constant. */
enum sam_status sam_plan_fill(struct sam_plan *plan, const struct sam_box *box,
                              struct sam_error *error);

struct sam_plan_region *sam_plan_add_region(struct sam_plan *plan);

/* report.c: "elements of 2 bytes", in `text`. */
#define SAM_ELEMENT_TEXT 40
const char *sam_plan_element(const struct sam_plan *plan, char text[SAM_ELEMENT_TEXT]);

/* run.c: where the scratch memory of a plan begins. */
uint64_t sam_plan_scratch_at(const struct sam_plan *plan, uint64_t output);

/* emit.c */

/* Append comments on the tensors and, as part of a routine, all regions and tables; labels begin
 * with `label`. */
void sam_plan_emit_places(const struct sam_plan *plan, const uint64_t *inputs, uint64_t output,
                          struct sam_buffer *text);
void sam_plan_emit_body(const struct sam_plan *plan, const char *label, const uint64_t *inputs,
                        uint64_t output, struct sam_buffer *text);
/* Number of loop counters: consecutive registers from s2. */
unsigned sam_plan_counters(const struct sam_plan *plan);
void sam_plan_emit_tables(const struct sam_plan *plan, const char *label, struct sam_buffer *text);

/* Append a plan of one input, without tables and scratch memory, as a part of a program. `from` and
 * `to` are registers, other than those below, with the addresses of the input and the output;
 * labels begin with `label`. Changes t0, t1, a0, a1, a3 to a7, s2 to s11, the TLRegs and CSRs of
 * the unit. */
void sam_plan_emit(const struct sam_plan *plan, const char *label, const char *from, const char *to,
                   struct sam_buffer *text);

/* The greatest common divisor. */
static inline uint64_t sam_plan_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

#endif
