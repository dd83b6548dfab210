/* SPDX-License-Identifier: Apache-2.0 */
/* One operator on random bytes: planned, run on the tensor hart, and compared with plain index
 * arithmetic. */
#ifndef TEST_OPERATOR_H
#define TEST_OPERATOR_H

#include "samite/ops.h"

enum test_kind { TEST_RESHAPE, TEST_TRANSPOSE, TEST_CONCAT, TEST_COMPRESS, TEST_PAD, TEST_IM2COL };

struct test_operator {
    enum test_kind kind;
    unsigned element;
    struct sam_shape in[4]; /* CONCAT: input_count of them; the others: the first */
    unsigned input_count;
    struct sam_shape out; /* RESHAPE */
    unsigned perm[SAM_MAX_RANK];
    unsigned axis;
    uint8_t *keep; /* COMPRESS: one byte per index of the axis */
    uint64_t before[SAM_MAX_RANK], after[SAM_MAX_RANK];
    uint8_t value[16];
    struct sam_im2col im2col;
};

/* "transpose 2x3 f 1,0, elements of 4 bytes" */
void test_operator_text(const struct test_operator *op, char *text, size_t size);
enum sam_status test_operator_plan(const struct test_operator *op, struct sam_plan **plan,
                                   struct sam_error *error);
/* Shape of the output as test_operator_source indexes it: im2col has six dims, (n, oh, ow, kh, kw,
 * c) or (n, c, kh, kw, oh, ow). */
struct sam_shape test_operator_index_shape(const struct test_operator *op);
/* The source of the output element at `index`: input number and element, or -1 for the value.
 * COMPRESS: `kept` holds the kept indices of the axis. */
int test_operator_source(const struct test_operator *op, const uint64_t *kept,
                         const uint64_t index[SAM_MAX_RANK], uint64_t *place);
/* Plans, runs and compares every byte; fails the test with the operator's text. `figures`,
 * unless NULL, receives the figures. */
void test_operator_check(const struct test_operator *op, uint64_t *random,
                         struct sam_plan_figures *figures);

#endif
