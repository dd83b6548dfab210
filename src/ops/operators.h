/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the operators. */
#ifndef SAM_OPERATORS_H
#define SAM_OPERATORS_H

#include "ops/plan.h"

#define SAM_PLAN_MAX_BYTES (UINT64_C(1) << 40) /* per tensor */
#define SAM_SHAPE_TEXT     180                 /* "[n,...]" of any shape, with its NUL */

/* Compute the bytes of a tensor. Returns false above SAM_PLAN_MAX_BYTES, ignoring dims of 0, so
 * that the strides of an empty tensor fit, too. */
bool sam_shape_bytes(const struct sam_shape *shape, unsigned element, uint64_t *bytes);
void sam_shape_steps(const struct sam_shape *shape, unsigned element, int64_t step[SAM_MAX_RANK]);
void sam_shape_text(const struct sam_shape *shape, char text[SAM_SHAPE_TEXT]);
enum sam_status sam_shape_check(const struct sam_shape *shape, unsigned element,
                                struct sam_error *error);
/* Make a plan without regions: inputs, output and lower bound are set. */
enum sam_status sam_plan_new(const struct sam_shape *in, size_t inputs, const struct sam_shape *out,
                             unsigned element, struct sam_plan **plan, struct sam_error *error);
/* Return `status`, freeing the plan after a failure. */
enum sam_status sam_plan_finish(struct sam_plan **plan, enum sam_status status);

/* half_bytes.c: the operators on 4-bit elements as byte plans, of pairs where pairs stay together,
 * otherwise of one byte per element in scratch memory. */
enum sam_status sam_plan_halves_reshape(const struct sam_shape *in, const struct sam_shape *out,
                                        struct sam_plan **plan, struct sam_error *error);
enum sam_status sam_plan_halves_transpose(const struct sam_shape *in,
                                          const unsigned perm[SAM_MAX_RANK], struct sam_plan **plan,
                                          struct sam_error *error);
enum sam_status sam_plan_halves_concat(const struct sam_shape *in, size_t count, unsigned axis,
                                       struct sam_plan **plan, struct sam_error *error);
enum sam_status sam_plan_halves_compress(const struct sam_shape *in, unsigned axis,
                                         const uint8_t *keep, struct sam_plan **plan,
                                         struct sam_error *error);
enum sam_status sam_plan_halves_pad(const struct sam_shape *in, const uint64_t before[SAM_MAX_RANK],
                                    const uint64_t after[SAM_MAX_RANK], const void *value,
                                    struct sam_plan **plan, struct sam_error *error);
enum sam_status sam_plan_halves_im2col(const struct sam_shape *in,
                                       const struct sam_im2col *parameters, struct sam_plan **plan,
                                       struct sam_error *error);

#endif
