/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on realistic shapes: ResNet activations and patches, and some shapes that no block
 * divides. For tests and for the benchmark's table. */
#ifndef TEST_OPERATOR_ROWS_H
#define TEST_OPERATOR_ROWS_H

#include "operator.h"

struct operator_row {
    const char *name;
    enum test_kind kind;
    struct sam_shape in;
    unsigned divides; /* elements of 1, 2, 4 bytes (bits 1, 2, 4): blocks divide the shape */
    unsigned perm[SAM_MAX_RANK];
    unsigned axis;
    struct sam_im2col im2col;
};

extern const struct operator_row operator_rows[]; /* ended by a name of NULL */

/* The caller frees keep (COMPRESS: a third of the indices, at random). CONCAT: the shape twice. */
struct test_operator operator_row_make(const struct operator_row *row, unsigned element);

#endif
