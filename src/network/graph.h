/* SPDX-License-Identifier: Apache-2.0 */
/* A network as a graph in normal form: what an import makes of an ONNX file and what the planner
 * reads. In normal form
 *   - every shape is known and without zeros, and every dtype is one of SAM_F32, SAM_I64, SAM_I32,
 *     SAM_U8 (a boolean where an operator makes or tests it). Other floats are computed as SAM_F32,
 *     and a Cast between floats does nothing. Constant weights (input 1 of Conv, ConvTranspose
 * and MatMul, input 0 of Gather) of at most 16 bits keep their dtype, `data` as in the file;
 *   - elements, moves, gathers and reductions of constants (NET_FOLDED elements at most, more where
 *     inputs have more) are constants, and no node without use is left;
 *   - nodes are in an order in which each follows those whose values it reads;
 *   - BatchNormalization is a Mul and an Add; a Mul or Add of a constant per channel is folded into
 *     the Conv before it;
 *   - Conv, ConvTranspose and pools have rank 4: one spatial dimension is reshaped to a height of
 * 1;
 *   - the operands of MatMul have rank 2 or more; Gemm is a MatMul; Sum, Min and Max have two
 * inputs;
 *   - the indices of Gather are constants in range, or a view of an input: of all its elements in
 * another shape, or slices, transpositions and expansions of these;
 *   - Squeeze, Unsqueeze, Flatten and Reshape are Reshape; Split is one Slice per output; Identity
 *     and Dropout are gone; GlobalAveragePool is ReduceMean, GlobalMaxPool ReduceMax;
 *   - parameters that ONNX has as attributes or as constant inputs are in `net_params`, with axes
 *     from 0 and paddings as numbers. */
#ifndef SAM_NETWORK_GRAPH_H
#define SAM_NETWORK_GRAPH_H

#include "base/base.h"
#include "samite/dtype.h"
#include "samite/network.h"

enum { NET_RANK = 8 };
enum { NET_FOLDED = 1 << 22 };
#define NET_NONE UINT32_MAX /* no value, no node */

enum sam_net_op {
#define NET_OP(name, inputs, optional, plan, fold) NET_##name,
#include "network/operators.def"
#undef NET_OP
    NET_OPS,
};

struct sam_net_value {
    const char *name; /* unique */
    enum sam_dtype dtype;
    uint32_t rank;
    uint64_t shape[NET_RANK];
    bool boolean;         /* bytes that are 0 or 1 */
    uint64_t count;       /* of elements */
    const void *data;     /* of a constant, in C order; else NULL */
    uint32_t producer;    /* node; NET_NONE: a constant or an input */
    uint32_t initializer; /* tensor of the model, for packed weights; NET_NONE: made by folding */
};

enum net_resize { NET_NEAREST, NET_LINEAR, NET_CUBIC };
/* From a coordinate of Resize's output to one of its input. */
enum net_coordinate {
    NET_HALF_PIXEL,
    NET_PYTORCH_HALF_PIXEL,
    NET_ALIGN_CORNERS,
    NET_ASYMMETRIC,
    NET_TF_HALF_PIXEL,
    NET_TF_CROP,
};
enum net_nearest { NET_ROUND_PREFER_FLOOR, NET_ROUND_PREFER_CEIL, NET_FLOOR, NET_CEIL };

/* Each operator uses the fields that its comment names. */
struct net_params {
    uint32_t axis; /* Softmax (the axis itself; older opsets, which flatten, are reshaped), ArgMax,
                      Concat, Gather; LayerNormalization: the first of the normalized axes */
    uint32_t axes; /* Reduce*: a bit per axis. Their output may lack these axes or have ones there;
                      so may that of ArgMax */
    /* Conv, ConvTranspose, pools: height, width. */
    uint64_t kernel[2], stride[2], dilation[2];
    /* top, left, bottom, right; of pools so that the last window ends in them (ceil_mode).
     * ConvTranspose: elements cut off; the output's shape decides at the bottom and right. */
    uint64_t pad[4];
    uint64_t group;
    bool count_pad;          /* AveragePool: padding counts as elements; cubic Resize: those at
                                the edge count for what is outside */
    float alpha, beta;       /* LeakyRelu, HardSigmoid; Clip: minimum and maximum;
                                LayerNormalization: alpha is epsilon; cubic Resize: alpha is
                                the coefficient a */
    uint32_t perm[NET_RANK]; /* Transpose: axis of the input for each of the output */
    /* Slice, per axis; a step may be negative. Pad: start, from 0, is what comes before. Pools:
     * start is how many elements of the padding at the bottom and right only ceil_mode adds */
    int64_t start[NET_RANK], step[NET_RANK];
    float fill; /* Pad; only mode constant */
    enum net_resize resize;
    enum net_coordinate coordinate;
    enum net_nearest nearest;
    float scale[NET_RANK];   /* Resize: output to input, per axis */
    float crop[2][NET_RANK]; /* NET_TF_CROP: the part of each axis, in units of its size less 1 */
};

struct net_node {
    enum sam_net_op op;
    const char *name; /* of the ONNX node, or of its first output if it has none. Not unique: an
                         ONNX node may become several */
    uint32_t *inputs, input_count; /* values */
    uint32_t output;               /* one value */
    struct net_params params;
};

struct net_graph {
    struct sam_net_value *values;
    size_t value_count, value_capacity;
    struct net_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *inputs, *outputs; /* values, in the order of the model */
    size_t input_count, output_count;
    struct sam_blocks store; /* owns names, data and lists of inputs */
};

void sam_net_graph_free(struct net_graph *graph);
const char *sam_net_op_name(enum sam_net_op op);
/* The next word of a formula; false: there is none. */
bool sam_net_token(const char **formula, char (*token)[24]);
/* Add a value or node without contents. Returns its number, NET_NONE when out of memory. */
uint32_t sam_net_graph_add_value(struct net_graph *graph);
uint32_t sam_net_graph_add_node(struct net_graph *graph);
/* Remove nodes and values that no output needs, and renumber the rest; inputs stay. Returns false
 * when out of memory. */
bool sam_net_graph_prune(struct net_graph *graph);
/* Elements before and after an axis: values of an output are outer x shape[axis] x inner. */
uint64_t sam_net_outer(const struct sam_net_value *value, uint32_t axis);
uint64_t sam_net_inner(const struct sam_net_value *value, uint32_t axis);
/* Elements of a constant. */
double sam_net_real(const struct sam_net_value *value, uint64_t i);
int64_t sam_net_whole(const struct sam_net_value *value, uint64_t i);

/* Import the ONNX model at `path`, opsets 7 to 21. Dimensions without a number come from `shapes`
 * and `dims` of the options; a shape without a name is that of the next input that none names.
 * SAM_ERR_USAGE: the model has no such input or dimension, or another rank or size. *graph is freed
 * by sam_net_graph_free, also after an error. SAM_ERR_INPUT, in one line with the node's name: a
 * damaged file, an operator or attribute that is not supported (all operators at once), shapes that
 * do not meet, a dimension without a size, subgraphs. */
enum sam_status sam_net_import(const char *path, const struct sam_network_options *options,
                               struct net_graph *graph, struct sam_error *error);
/* The same of a model in memory; external data is in the folder of the file `name`. */
enum sam_status sam_net_import_data(const void *data, size_t size, const char *name,
                                    const struct sam_network_options *options,
                                    struct net_graph *graph, struct sam_error *error);

/* Resize: the coordinate of the input for element `at` of an output axis; whether that axis stays
 * as it is. */
float sam_net_coordinate(const struct net_params *p, uint32_t axis, uint64_t at, uint64_t in,
                         uint64_t out);
static inline bool net_keeps_axis(const struct net_params *p, uint32_t axis, uint64_t in,
                                  uint64_t out)
{
    return in == out &&
           (p->coordinate != NET_TF_CROP || (p->crop[0][axis] == 0 && p->crop[1][axis] == 1));
}

static inline bool net_has_shape(const struct sam_net_value *value, size_t rank,
                                 const uint64_t *shape)
{
    return value->rank == rank && memcmp(value->shape, shape, rank * sizeof *shape) == 0;
}

/* Whether the results are booleans. */
static inline bool net_tests(enum sam_net_op op)
{
    return op == NET_Equal || op == NET_Less || op == NET_Greater;
}

/* Whether a node makes integers of 64 bits from floats. */
static inline bool net_is_wide_cast(const struct net_graph *graph, const struct net_node *node)
{
    return node->op == NET_Cast && graph->values[node->output].dtype == SAM_I64 &&
           graph->values[node->inputs[0]].dtype == SAM_F32;
}

#endif
