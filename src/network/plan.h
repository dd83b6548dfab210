/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: the steps that compute a network, each a tile program for one node or several fused ones,
 * with the buffers that are its arguments. */
#ifndef SAM_NETWORK_PLAN_H
#define SAM_NETWORK_PLAN_H

#include "network/graph.h"
#include "samite/network.h"
#include "samite/tile.h"

/* An array in DRAM. Integers of 64 bits are kept in 32: inputs must fit. */
enum net_buffer_kind {
    NET_BUFFER_INPUT,   /* of the network, as it is given */
    NET_BUFFER_OUTPUT,  /* of the network */
    NET_BUFFER_WEIGHT,  /* constant */
    NET_BUFFER_SCRATCH, /* in the arena, between its first and its last step */
};

struct net_buffer {
    enum net_buffer_kind kind;
    enum sam_dtype dtype;  /* SAM_F32, SAM_I32, SAM_U8 */
    uint32_t value;        /* of the graph: what it holds; NET_NONE: several, or a part */
    uint32_t number;       /* of the input or output */
    uint64_t count;        /* elements */
    uint64_t offset;       /* bytes in the arena */
    size_t first, last;    /* steps */
    void *data;            /* of a weight, in the order that its step needs */
    enum sam_dtype stored; /* of a packed weight: f32, or bf16, which is widened */
    char *name;            /* of a packed weight */
};

static inline uint64_t net_bytes(const struct net_buffer *buffer)
{
    return buffer->count * sam_dtype_size(buffer->dtype);
}
static inline struct sam_array net_array_of(const struct net_buffer *buffer, void *data)
{
    return (struct sam_array){.dtype = buffer->dtype,
                              .rank = 1,
                              .shape = {buffer->count},
                              .count = buffer->count,
                              .size = net_bytes(buffer),
                              .data = data};
}

/* The place of a value: its axes in an array, with strides in elements, 0 where it is broadcast. */
struct net_place {
    uint32_t buffer; /* NET_NONE: not yet anywhere */
    uint32_t rank;
    uint64_t shape[NET_RANK];
    int64_t offset, stride[NET_RANK];
};

/* The axes of a value in C order, not yet anywhere. */
struct net_place sam_net_place_like(const struct sam_net_value *value);
/* Views of the same elements: broadcast to the shape of a value; what a Transpose, a Slice or an
 * Expand makes of them, `out`. */
struct net_place sam_net_place_expand(const struct net_place *from, const struct sam_net_value *to);
struct net_place sam_net_place_move(const struct net_place *from, const struct net_node *node,
                                    const struct sam_net_value *out);

/* Element `i` of a value in C order, from its first one, by the strides of its axes. */
static inline int64_t net_element_at(const struct sam_net_value *value, uint64_t i,
                                     const int64_t *stride)
{
    int64_t at = 0;
    for (uint32_t axis = value->rank; axis-- > 0; i /= value->shape[axis])
        at += (int64_t)(i % value->shape[axis]) * stride[axis];
    return at;
}

enum { NET_SCALARS = 40 }; /* of a step */
/* An index that a program takes as an argument: an element of an input of the network. */
struct net_scalar_argument {
    uint32_t buffer;
    uint64_t element;
    uint64_t limit; /* below it, or negative and counted from there */
};

struct net_step {
    char *name;           /* ONNX names of its nodes, joined by " + " */
    const char *template; /* the function that made it: "conv" */
    uint32_t *nodes;      /* of the graph, in order */
    size_t node_count;
    char *text; /* the tile program, one function */
    struct sam_tile_program *program;
    uint32_t *buffers; /* its pointer arguments */
    size_t buffer_count;
    struct net_scalar_argument scalars[NET_SCALARS]; /* and then its index arguments */
    size_t scalar_count;
    uint32_t output;   /* value of the graph that it completes; NET_NONE: a copy on the way */
    uint64_t products; /* multiply-accumulates */
};

struct net_plan {
    const struct net_graph *graph; /* not owned */
    struct net_step *steps;
    size_t step_count, step_capacity;
    struct net_buffer *buffers;
    size_t buffer_count, buffer_capacity;
    struct net_place *places; /* by value of the graph */
    uint64_t arena;           /* bytes of all scratch buffers */
    void *packed;             /* packed file of the weights; or NULL */
    size_t packed_size;
};

/* An input that a run without an array for it takes from an output of the run before. */
struct net_state {
    uint32_t input, output; /* values of the graph */
    void *data;
};

struct sam_network {
    struct net_graph graph;
    struct net_plan *plan;
    size_t output_count; /* of the model; values that are kept come after them */
    struct net_state *states;
    size_t state_count, state_capacity;
};

/* Plan a graph, which must outlive the plan. SAM_ERR_INPUT names a node that no template fits. */
enum sam_status sam_net_plan_make(const struct net_graph *graph,
                                  const struct sam_network_options *options, struct net_plan **plan,
                                  struct sam_error *error);
void sam_net_plan_free(struct net_plan *plan);
void sam_net_step_free(struct net_step *step);

/* pack.c: pack the arrays that have names into plan->packed. `window`: in the layout of windows. */
enum sam_status sam_net_plan_pack(struct net_plan *plan, bool window, struct sam_error *error);

/* Run a plan, and with raw_weights once more. `inputs` and `outputs` are arrays of the graph's
 * inputs and outputs, in C order and of their dtypes. `options`: NULL, the host with the sums of
 * the system. `figures` may be NULL. On the system, one machine runs all steps: caches and
 * outstanding requests to the weight unit carry over from each step to the next. */
enum sam_status sam_net_plan_run(struct net_plan *plan,
                                 const struct sam_network_run_options *options,
                                 const void *const *inputs, void *const *outputs,
                                 struct sam_network_figures **figures, struct sam_error *error);

/* The least and the largest number of a dtype; of integers of 64 bits those that are kept. */
struct net_range {
    double low, high;
};
struct net_range sam_net_range_of(enum sam_dtype dtype);
/* SAM_ERR_INPUT: integers of 64 bits, which are kept in 32, may have no room with these inputs; it
 * names the node that computes them. */
enum sam_status sam_net_check_ranges(const struct net_graph *graph, const void *const *inputs,
                                     struct sam_error *error);

#endif
