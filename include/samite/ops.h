/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor operators on TensorLoad: reshape, transpose, im2col, compress, concat, pad. An operator is
 * planned as blocks of at most two TLRegs, emitted as a program for the tensor hart, and run there.
 *
 *   sam_plan_transpose(&shape, element_bytes, perm, &plan, &error);
 *   sam_plan_run(plan, inputs, output, &result, &error);
 *   sam_plan_free(plan);
 *
 * Tensors are dense, row-major (dim 0 outermost), at most 8 dims, elements of 1, 2, 4, 8 or 16
 * bytes, or of 4 bits. Sizes are in elements unless stated otherwise. A plan does not change once
 * it is made: any number of threads may use it at the same time. */
#ifndef SAMITE_OPS_H
#define SAMITE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAM_MAX_RANK    8
#define SAM_PLAN_INPUTS 64 /* most inputs of one operator */

/* For `element_bytes`: elements of 4 bits, two per byte, the first in the low half. n elements take
 * (n + 1) / 2 bytes, the last half of an odd tensor is ignored in an input and 0 in an output. */
#define SAM_PLAN_HALF_BYTES 0x80u

struct sam_shape {
    unsigned rank;
    uint64_t dim[SAM_MAX_RANK];
};

struct sam_plan;

/* The same elements in another shape; the element counts must agree. */
SAM_API enum sam_status sam_plan_reshape(const struct sam_shape *in, unsigned element_bytes,
                                         const struct sam_shape *out, struct sam_plan **plan,
                                         struct sam_error *error);
/* Output dim i is input dim perm[i], as numpy.transpose. */
SAM_API enum sam_status sam_plan_transpose(const struct sam_shape *in, unsigned element_bytes,
                                           const unsigned perm[SAM_MAX_RANK],
                                           struct sam_plan **plan, struct sam_error *error);
/* `count` inputs (1..64) joined along `axis`; the other dims must agree. */
SAM_API enum sam_status sam_plan_concat(const struct sam_shape *in, size_t count,
                                        unsigned element_bytes, unsigned axis,
                                        struct sam_plan **plan, struct sam_error *error);
/* The slices j along `axis` with keep[j] != 0, in order; keep has one byte per slice. */
SAM_API enum sam_status sam_plan_compress(const struct sam_shape *in, unsigned element_bytes,
                                          unsigned axis, const uint8_t *keep,
                                          struct sam_plan **plan, struct sam_error *error);
/* before[i] and after[i] elements of `value` (element_bytes bytes, or a byte below 16; NULL =
 * zeros) around dim i. */
SAM_API enum sam_status sam_plan_pad(const struct sam_shape *in, unsigned element_bytes,
                                     const uint64_t before[SAM_MAX_RANK],
                                     const uint64_t after[SAM_MAX_RANK], const void *value,
                                     struct sam_plan **plan, struct sam_error *error);

/* Patches of a convolution. The input is [N,H,W,C] (nchw = false) or [N,C,H,W]; rank 3 is N = 1.
 * Sizes: OH = (H + top + bottom - dilation_h*(KH-1) - 1) / stride_h + 1, OW alike; elements outside
 * the input are zero. The output is [N*OH*OW, KH*KW*C] for nhwc, [N, C*KH*KW, OH*OW] for nchw (as
 * torch.nn.functional.unfold). */
struct sam_im2col {
    uint64_t kernel[2], stride[2], dilation[2];
    uint64_t pad[4]; /* top, bottom, left, right */
    bool nchw;
};
SAM_API enum sam_status sam_plan_im2col(const struct sam_shape *in, unsigned element_bytes,
                                        const struct sam_im2col *parameters, struct sam_plan **plan,
                                        struct sam_error *error);

SAM_API void sam_plan_free(struct sam_plan *plan);
/* Shape of the output. */
SAM_API const struct sam_shape *sam_plan_shape(const struct sam_plan *plan);

/* Counts of a plan over the whole run. The lower bound loads each byte that the output
 * needs once and stores each byte of the output once. */
struct sam_plan_figures {
    uint64_t regions; /* loop nests of equal blocks */
    uint64_t blocks;
    uint64_t loads, stores, concats, xposes, addis; /* instructions executed */
    uint64_t bytes_loaded, bytes_stored;
    uint64_t bound_loaded, bound_stored;
};
SAM_API void sam_plan_count(const struct sam_plan *plan, struct sam_plan_figures *figures);
/* The blocking as readable text; freed with sam_text_free. */
SAM_API enum sam_status sam_plan_describe(const struct sam_plan *plan, char **text,
                                          struct sam_error *error);
/* Where 4-bit elements do not stay in pairs, the plan moves them as bytes, in this many bytes of
 * scratch memory; 0: none is needed. They follow the output, from a multiple of 4096 on.
 * Since 0.2. */
SAM_API uint64_t sam_plan_scratch(const struct sam_plan *plan);
/* The program in assembly (rv64im_zicsr_xtensorload), with the tensors at these addresses; it ends
 * with exit 0. Freed with sam_text_free. */
SAM_API enum sam_status sam_plan_program(const struct sam_plan *plan, const uint64_t *inputs,
                                         uint64_t output, char **text, struct sam_error *error);

/* The same as a function `void name(void)` in place of a program: it returns, preserves
 * registers as the calling convention requires, for RV32 (where the addresses fit) and RV64
 * alike, and sets ttype to bytes. Instructions of TensorLoad and on its CSRs are written as
 * words, so that GNU as accepts it, too. SAM_ERR_USAGE: `name` is not a C identifier. Freed with
 * sam_text_free. Since 0.2. */
SAM_API enum sam_status sam_plan_routine(const struct sam_plan *plan, const char *name,
                                         const uint64_t *inputs, uint64_t output, char **text,
                                         struct sam_error *error);

/* The addresses at which sam_plan_run puts the tensors: the inputs from 4 GiB on, then the
 * output, each at a 4 KiB boundary with at least one free byte before the next. `inputs` has
 * room for one address per input. */
SAM_API void sam_plan_addresses(const struct sam_plan *plan, uint64_t *inputs, uint64_t *output);

struct sam_plan_options {
    size_t size;                              /* sizeof of this struct; 0: as in 0.1 (status.h) */
    const volatile int *stop;                 /* as in hart.h */
    const struct sam_engines_config *engines; /* not NULL: run the engines' cycle model */
    struct sam_engines_report *report;        /* with engines: filled after a successful run */
    struct sam_energy *energy;                /* likewise. Since 0.2 */
};

/* Run the program on a tensor hart: inputs and output are the tensors' bytes. The hart checks that
 * loads read only the inputs and stores write only the output (with scratch memory: loads read
 * nothing but the tensors and the scratch memory, and stores write no input). `options` may be
 * NULL. */
SAM_API enum sam_status sam_plan_run(const struct sam_plan *plan, const void *const *inputs,
                                     void *output, const struct sam_plan_options *options,
                                     struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
