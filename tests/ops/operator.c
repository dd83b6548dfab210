/* SPDX-License-Identifier: Apache-2.0 */
#include "operator.h"

#include <inttypes.h>
#include <stdio.h>

void test_operator_text(const struct test_operator *op, char *text, size_t size)
{
    static const char *const names[] = {"reshape",  "transpose", "concat",
                                        "compress", "pad",       "im2col"};
    size_t n = (size_t)snprintf(text, size, "%s ", names[op->kind]);
    for (unsigned i = 0; i < op->in[0].rank && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%" PRIu64, i ? "x" : "", op->in[0].dim[i]);
    for (unsigned i = 0; op->kind == TEST_TRANSPOSE && i < op->in[0].rank && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%u", i ? "," : " by ", op->perm[i]);
    if ((op->kind == TEST_CONCAT || op->kind == TEST_COMPRESS) && n < size)
        n += (size_t)snprintf(text + n, size - n, " along %u", op->axis);
    if (op->kind == TEST_IM2COL && n < size)
        n += (size_t)snprintf(text + n, size - n, " %s %" PRIu64 "x%" PRIu64 "/%" PRIu64,
                              op->im2col.nchw ? "nchw" : "nhwc", op->im2col.kernel[0],
                              op->im2col.kernel[1], op->im2col.stride[0]);
    if (n < size)
        snprintf(text + n, size - n, ", elements of %u", op->element);
}

enum sam_status test_operator_plan(const struct test_operator *op, struct sam_plan **plan,
                                   struct sam_error *error)
{
    const struct sam_shape *in = op->in;
    switch (op->kind) {
    case TEST_RESHAPE: return sam_plan_reshape(in, op->element, &op->out, plan, error);
    case TEST_TRANSPOSE: return sam_plan_transpose(in, op->element, op->perm, plan, error);
    case TEST_CONCAT:
        return sam_plan_concat(in, op->input_count, op->element, op->axis, plan, error);
    case TEST_COMPRESS: return sam_plan_compress(in, op->element, op->axis, op->keep, plan, error);
    case TEST_PAD:
        return sam_plan_pad(in, op->element, op->before, op->after, op->value, plan, error);
    default: return sam_plan_im2col(in, op->element, &op->im2col, plan, error);
    }
}
