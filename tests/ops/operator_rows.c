/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "operator_rows.h"
#include "random.h"

/* Permutations; a macro keeps the commas of a list together. */
#define NHWC_TO_NCHW 0, 3, 1, 2
#define NCHW_TO_NHWC 0, 2, 3, 1
#define MATRIX       1, 0
#define BATCH        0, 2, 1
#define HEADS        1, 0, 2
#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define SHAPE(text, divided, rank, ...)                                                            \
    .name = (text), .in = {rank, {__VA_ARGS__}}, .divides = (divided)
/* Name, `divides`, parameters of the kind, rank, dims. */
#define TRANSPOSE(text, divided, order, ...)                                                       \
    {                                                                                              \
        SHAPE(text, divided, __VA_ARGS__), .kind = TEST_TRANSPOSE, .perm = LIST(order)             \
    }
#define PATCHES(text, divided, k, s, p, ...)                                                       \
    {                                                                                              \
        SHAPE(text, divided, __VA_ARGS__), .kind = TEST_IM2COL, .im2col = {                        \
            .kernel = {k, k},                                                                      \
            .stride = {s, s},                                                                      \
            .dilation = {1, 1},                                                                    \
            .pad = {p, p, p, p}                                                                    \
        }                                                                                          \
    }
#define CONCAT(text, divided, along, ...)                                                          \
    {                                                                                              \
        SHAPE(text, divided, __VA_ARGS__), .kind = TEST_CONCAT, .axis = (along)                    \
    }
#define COMPRESS(text, divided, along, ...)                                                        \
    {                                                                                              \
        SHAPE(text, divided, __VA_ARGS__), .kind = TEST_COMPRESS, .axis = (along)                  \
    }

const struct operator_row operator_rows[] = {
    TRANSPOSE("NHWC to NCHW 1x56x56x64", 7, NHWC_TO_NCHW, 4, 1, 56, 56, 64),
    TRANSPOSE("NHWC to NCHW 1x28x28x128", 7, NHWC_TO_NCHW, 4, 1, 28, 28, 128),
    TRANSPOSE("NHWC to NCHW 1x14x14x256", 7, NHWC_TO_NCHW, 4, 1, 14, 14, 256),
    TRANSPOSE("NHWC to NCHW 1x7x7x512", 7, NHWC_TO_NCHW, 4, 1, 7, 7, 512),
    TRANSPOSE("NHWC to NCHW 1x224x224x3", 7, NHWC_TO_NCHW, 4, 1, 224, 224, 3),
    TRANSPOSE("NCHW to NHWC 1x64x56x56", 7, NCHW_TO_NHWC, 4, 1, 64, 56, 56),
    TRANSPOSE("NCHW to NHWC 1x128x28x28", 7, NCHW_TO_NHWC, 4, 1, 128, 28, 28),
    TRANSPOSE("NCHW to NHWC 1x256x14x14", 7, NCHW_TO_NHWC, 4, 1, 256, 14, 14),
    TRANSPOSE("NCHW to NHWC 1x512x7x7", 4, NCHW_TO_NHWC, 4, 1, 512, 7, 7),
    TRANSPOSE("NCHW to NHWC 1x3x224x224", 7, NCHW_TO_NHWC, 4, 1, 3, 224, 224),
    TRANSPOSE("matrix 512x1024", 7, MATRIX, 2, 512, 1024),
    TRANSPOSE("matrix 1000x1000", 7, MATRIX, 2, 1000, 1000),
    TRANSPOSE("matrix 1000x1001", 0, MATRIX, 2, 1000, 1001),
    TRANSPOSE("matrix 1021x1019", 0, MATRIX, 2, 1021, 1019),
    TRANSPOSE("batch of 8 matrices 100x100", 7, BATCH, 3, 8, 100, 100),
    TRANSPOSE("batch of 10000 matrices 3x5", 7, BATCH, 3, 10000, 3, 5),
    TRANSPOSE("heads 128x12x64", 7, HEADS, 3, 128, 12, 64),
    PATCHES("im2col 3x3 1x58x58x64", 7, 3, 1, 0, 4, 1, 58, 58, 64),
    PATCHES("im2col 3x3 pad 1 1x56x56x64", 7, 3, 1, 1, 4, 1, 56, 56, 64),
    PATCHES("im2col 3x3/2 pad 1 1x56x56x128", 7, 3, 2, 1, 4, 1, 56, 56, 128),
    PATCHES("im2col 3x3 pad 1 1x7x7x512", 7, 3, 1, 1, 4, 1, 7, 7, 512),
    PATCHES("im2col 3x3 1x98x98x3", 7, 3, 1, 0, 4, 1, 98, 98, 3),
    PATCHES("im2col 7x7/2 pad 3 1x224x224x3", 7, 7, 2, 3, 4, 1, 224, 224, 3),
    PATCHES("im2col 7x7 1x118x118x3", 7, 7, 1, 0, 4, 1, 118, 118, 3),
    CONCAT("concat 2 of 1x56x56x64, channels", 7, 3, 4, 1, 56, 56, 64),
    CONCAT("concat 2 of 1x64x56x56, channels", 7, 1, 4, 1, 64, 56, 56),
    CONCAT("concat 2 of 1x14x14x256, rows", 7, 1, 4, 1, 14, 14, 256),
    COMPRESS("compress 1000x64, rows", 7, 0, 2, 1000, 64),
    COMPRESS("compress 50257x16, rows", 7, 0, 2, 50257, 16),
    COMPRESS("compress 1x56x56x64, columns", 7, 2, 4, 1, 56, 56, 64),
    {0},
};

struct test_operator operator_row_make(const struct operator_row *row, unsigned element)
{
    struct test_operator op = {.kind = row->kind,
                               .element = element,
                               .in = {row->in, row->in},
                               .input_count = row->kind == TEST_CONCAT ? 2 : 1,
                               .axis = row->axis,
                               .im2col = row->im2col};
    memcpy(op.perm, row->perm, sizeof op.perm);
    if (row->kind == TEST_COMPRESS) {
        uint64_t n = row->in.dim[row->axis], r = 1;
        op.keep = malloc(n);
        for (uint64_t i = 0; op.keep && i < n; i++)
            op.keep[i] = test_below(&r, 3) == 0;
    }
    return op;
}
