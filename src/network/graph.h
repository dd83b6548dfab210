/* SPDX-License-Identifier: Apache-2.0 */
/* A network as a graph in normal form: what an import makes of an ONNX file and what the planner
 * reads. In normal form
 *   - every shape is known, and every dtype is one of SAM_F32, SAM_I64, SAM_I32, SAM_U8 (booleans);
 *     weights in other floats keep their dtype, `data` as in the file;
 *   - what depends on constants alone is a constant, and no node without use is left;
 *   - nodes are in an order in which each follows those whose values it reads;
 *   - BatchNormalization is folded into the Conv or Gemm before it, else it is a Mul and an Add;
 *   - Squeeze, Unsqueeze, Flatten and Reshape are Reshape; Split is one Slice per output; Identity
 *     and Dropout are gone; GlobalAveragePool is ReduceMean, GlobalMaxPool ReduceMax;
 *   - parameters that ONNX has as attributes or as constant inputs are in `net_params`, with axes
 *     from 0 and paddings as numbers. */
#ifndef SAM_NETWORK_GRAPH_H
#define SAM_NETWORK_GRAPH_H

#include "base/base.h"
#include "samite/dtype.h"

enum { NET_RANK = 8 };
enum { NET_NONE = UINT32_MAX }; /* no value, no node */

enum net_op {
#define NET_OP(name, inputs, optional, plan) NET_##name,
#include "network/operators.def"
#undef NET_OP
    NET_OPS,
};

struct net_value {
    char *name;
    enum sam_dtype dtype;
    uint32_t rank;
    uint64_t shape[NET_RANK];
    uint64_t count;       /* of elements */
    const void *data;     /* of a constant, in C order; else NULL */
    uint32_t producer;    /* node; NET_NONE: a constant or an input */
    uint32_t initializer; /* tensor of the model, for packed weights; NET_NONE: made by folding */
};

enum net_resize { NET_NEAREST, NET_LINEAR };
/* How a coordinate of Resize's output becomes one of its input. */
enum net_coordinate { NET_HALF_PIXEL, NET_PYTORCH_HALF_PIXEL, NET_ALIGN_CORNERS, NET_ASYMMETRIC };
enum net_nearest { NET_ROUND_PREFER_FLOOR, NET_ROUND_PREFER_CEIL, NET_FLOOR, NET_CEIL };

/* Each operator uses the fields that its comment names. */
struct net_params {
    uint32_t axis; /* Softmax (the axis itself; older opsets, which flatten, are reshaped), ArgMax,
                      Concat, Gather; LayerNormalization: the first of the normalized axes */
    uint32_t axes; /* Reduce*: a bit per axis. Their output may lack these axes or have ones there;
                      so may that of ArgMax */
    /* Conv, ConvTranspose, pools: height, width. One spatial dimension is a height of 1. */
    uint64_t kernel[2], stride[2], dilation[2];
    uint64_t pad[4]; /* top, left, bottom, right; for pools after ceil_mode is taken account of */
    uint64_t group;
    bool count_pad;                /* AveragePool: padding counts as elements */
    bool transpose_a, transpose_b; /* Gemm */
    float alpha, beta;             /* Gemm, LeakyRelu, HardSigmoid; Clip: minimum and maximum;
                                      LayerNormalization: alpha is epsilon */
    uint32_t perm[NET_RANK];       /* Transpose: axis of the input for each of the output */
    int64_t start[NET_RANK], step[NET_RANK]; /* Slice, per axis. Pad: start is what comes before */
    float fill;                              /* Pad; only mode constant */
    enum net_resize resize;
    enum net_coordinate coordinate;
    enum net_nearest nearest;
    float scale[NET_RANK]; /* Resize: output to input, per axis */
};

struct net_node {
    enum net_op op;
    char *name; /* of the ONNX node; made from its operator and number if it has none */
    uint32_t *inputs, input_count; /* values; NET_NONE for one left out */
    uint32_t output;               /* one value */
    struct net_params params;
};

struct net_graph {
    struct net_value *values;
    size_t value_count, value_capacity;
    struct net_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *inputs, *outputs; /* values, in the order of the model */
    size_t input_count, output_count;
    void *store; /* what `data` points into and the importer owns; freed with the graph */
};

void net_graph_free(struct net_graph *graph);
const char *net_op_name(enum net_op op);
/* Elements before and after an axis: values of an output are outer x shape[axis] x inner. */
uint64_t net_outer(const struct net_value *value, uint32_t axis);
uint64_t net_inner(const struct net_value *value, uint32_t axis);

/* A symbolic dimension, or the shape of an input, given by the user. */
struct net_dim {
    const char *name;
    uint64_t size;
};
struct net_shape {
    const char *input;
    uint32_t rank;
    uint64_t shape[NET_RANK];
};

/* Import the ONNX model at `path`, opsets 7 to 17. Dimensions without a number come from `shapes`
 * (of given inputs) and `dims`. SAM_ERR_INPUT, in one line with the node's name: a damaged file, an
 * operator or attribute that is not supported (all operators at once), shapes that do not meet, a
 * dimension without a size, subgraphs. */
enum sam_status net_import(const char *path, const struct net_shape *shapes, size_t shape_count,
                           const struct net_dim *dims, size_t dim_count, struct net_graph *graph,
                           struct sam_error *error);

#endif
