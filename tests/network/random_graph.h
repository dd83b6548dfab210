/* SPDX-License-Identifier: Apache-2.0 */
/* Random small ONNX models over all operators that are supported, as text for onnx_text.h. */
#ifndef TEST_NETWORK_RANDOM_GRAPH_H
#define TEST_NETWORK_RANDOM_GRAPH_H

#include "base/base.h"

enum { RANDOM_VALUES = 200, RANDOM_RANK = 5 };

struct random_value {
    char name[16];
    unsigned rank;
    uint64_t shape[RANDOM_RANK];
    bool reads_input; /* directly or not; else it can be folded */
};

/* A model whose values are floats, with the shapes that ONNX gives them. Inputs are x1, x2, ...;
 * initializers without influence on shapes and parameters are w1, w2, ... */
struct random_graph {
    struct sam_buffer text;
    uint64_t random;
    unsigned opset, name_count, count;
    struct random_value values[RANDOM_VALUES];
};

/* Free `text` with sam_buffer_free. */
void random_graph_make(struct random_graph *graph, uint64_t seed);

#endif
