/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface: a model is imported and planned once; each run binds arrays to names. */
#include "samite/network.h"

#include <stdlib.h>

#include "network/graph.h"
#include "network/plan.h"

/* --------------------------------------------------------------------------------- opening */

static uint32_t find(const struct net_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->value_count; i++)
        if (graph->values[i].name && strcmp(graph->values[i].name, name) == 0)
            return (uint32_t)i;
    return NET_NONE;
}

/* The first place of a value in a list; its end if it is not there. */
static size_t index_in(const uint32_t *values, size_t count, uint32_t value)
{
    size_t i = 0;
    while (i < count && values[i] != value)
        i++;
    return i;
}

/* Values that are kept become outputs of the graph. */
static enum sam_status keep_values(struct net_graph *graph, const char *const *names, size_t count,
                                   struct sam_error *error)
{
    uint32_t *outputs =
        sam_blocks_take(&graph->store, graph->output_count + count + 1, sizeof *outputs);
    if (!outputs)
        return sam_fail_memory(error);
    memcpy(outputs, graph->outputs, graph->output_count * sizeof *outputs);
    graph->outputs = outputs;
    for (size_t i = 0; i < count; i++) {
        const uint32_t value = find(graph, names[i]);
        if (value == NET_NONE || graph->values[value].producer == NET_NONE)
            return sam_fail(error, SAM_ERR_USAGE, "the network computes no value '%s'", names[i]);
        if (index_in(outputs, graph->output_count, value) == graph->output_count)
            outputs[graph->output_count++] = value;
    }
    return SAM_OK;
}

static enum sam_status check_options(const struct sam_network_options *o, struct sam_error *error)
{
    if ((o->dim_count && !o->dims) || (o->shape_count && !o->shapes) || (o->keep_count && !o->keep))
        return sam_fail_null(error, "a list of the options");
    for (size_t i = 0; i < o->dim_count; i++)
        if (!o->dims[i].name)
            return sam_fail_null(error, "the name of a dimension");
    for (size_t i = 0; i < o->shape_count; i++)
        if (o->shapes[i].rank > NET_RANK)
            return sam_fail(error, SAM_ERR_USAGE, "a shape of %zu dimensions: expected at most %d",
                            o->shapes[i].rank, NET_RANK);
    for (size_t i = 0; i < o->keep_count; i++)
        if (!o->keep[i])
            return sam_fail_null(error, "the name of a value to keep");
    return o->weights <= SAM_NETWORK_WINDOW
               ? SAM_OK
               : sam_fail(error, SAM_ERR_USAGE, "options of a network: no such kind of weights");
}

enum sam_status sam_network_open(const char *path, const struct sam_network_options *options,
                                 struct sam_network **network, struct sam_error *error)
{
    struct sam_network_options o;
    if (network)
        *network = NULL;
    if (SAM_LACKS(error, path, network))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_options_take(&o, sizeof o, sizeof o, options, error);
    if (status == SAM_OK)
        status = check_options(&o, error);
    if (status != SAM_OK)
        return status;
    struct sam_network *n = sam_alloc(1, sizeof *n);
    if (!n)
        return sam_fail_memory(error);
    status = sam_net_import(path, &o, &n->graph, error);
    n->output_count = n->graph.output_count;
    if (status == SAM_OK)
        status = keep_values(&n->graph, o.keep, o.keep_count, error);
    if (status == SAM_OK)
        status = sam_net_plan_make(&n->graph, &o, &n->plan, error);
    if (status != SAM_OK) {
        sam_network_close(n);
        return status;
    }
    *network = n;
    return SAM_OK;
}

void sam_network_close(struct sam_network *network)
{
    if (!network)
        return;
    for (size_t i = 0; i < network->state_count; i++)
        free(network->states[i].data);
    free(network->states);
    sam_net_plan_free(network->plan);
    sam_net_graph_free(&network->graph);
    free(network);
}

/* --------------------------------------------------------------------------------- tensors */

/* The type that users see. */
static enum sam_dtype dtype_of(const struct sam_net_value *value)
{
    return value->boolean ? SAM_BOOL : value->dtype;
}

static bool describe(const struct net_graph *graph, uint32_t value,
                     struct sam_network_tensor *tensor)
{
    const struct sam_net_value *v = &graph->values[value];
    *tensor = (struct sam_network_tensor){.name = v->name, .dtype = dtype_of(v), .rank = v->rank};
    memcpy(tensor->shape, v->shape, sizeof tensor->shape);
    return true;
}

bool sam_network_input(const struct sam_network *network, size_t index,
                       struct sam_network_tensor *tensor)
{
    return index < network->graph.input_count &&
           describe(&network->graph, network->graph.inputs[index], tensor);
}

bool sam_network_output(const struct sam_network *network, size_t index,
                        struct sam_network_tensor *tensor)
{
    return index < network->output_count &&
           describe(&network->graph, network->graph.outputs[index], tensor);
}

bool sam_network_value(const struct sam_network *network, size_t index,
                       struct sam_network_tensor *tensor)
{
    return index < network->graph.node_count &&
           describe(&network->graph, network->graph.nodes[index].output, tensor);
}

static size_t bytes_of(const struct sam_net_value *value)
{
    return (size_t)value->count * sam_dtype_size(value->dtype);
}

enum sam_status sam_network_keep_state(struct sam_network *network, const char *input,
                                       const char *output, struct sam_error *error)
{
    if (SAM_LACKS(error, network, input, output))
        return SAM_ERR_USAGE;
    const struct net_graph *g = &network->graph;
    const uint32_t in = find(g, input), out = find(g, output);
    if (index_in(g->inputs, g->input_count, in) == g->input_count)
        return sam_fail(error, SAM_ERR_USAGE, "the network has no input '%s'", input);
    if (index_in(g->outputs, g->output_count, out) == g->output_count)
        return sam_fail(error, SAM_ERR_USAGE, "the network has no output '%s'", output);
    const struct sam_net_value *from = &g->values[out], *to = &g->values[in];
    if (from->dtype != to->dtype || !net_has_shape(from, to->rank, to->shape))
        return sam_fail(error, SAM_ERR_USAGE, "state '%s': output '%s' has another shape or type",
                        input, output);
    struct net_state *grown =
        sam_grow(network->states, network->state_count, &network->state_capacity, sizeof *grown);
    if (!grown)
        return sam_fail_memory(error);
    network->states = grown;
    void *data = sam_alloc(bytes_of(to) + 1, 1);
    if (!data)
        return sam_fail_memory(error);
    network->states[network->state_count++] = (struct net_state){in, out, data};
    return SAM_OK;
}

/* -------------------------------------------------------------------------------- one run */

struct binding {
    const struct sam_array **given; /* by input; NULL: none */
    struct sam_array **wanted;      /* by output; NULL: none */
    const void **inputs;
    void **outputs;
    struct sam_blocks store; /* these lists, inputs that were converted */
};

static enum sam_status shape_error(const struct sam_net_value *value, const struct sam_array *array,
                                   struct sam_error *error)
{
    struct sam_buffer text = {0};
    for (size_t i = 0; i < array->rank; i++)
        sam_buffer_printf(&text, "%s%llu", i ? "x" : "", (unsigned long long)array->shape[i]);
    sam_buffer_printf(&text, " of %s, expected ", sam_dtype_name(array->dtype));
    for (uint32_t i = 0; i < value->rank; i++)
        sam_buffer_printf(&text, "%s%llu", i ? "x" : "", (unsigned long long)value->shape[i]);
    const enum sam_status status =
        sam_fail(error, SAM_ERR_USAGE, "input '%s': an array %s of %s%s", value->name,
                 sam_buffer_text(&text), sam_dtype_name(dtype_of(value)),
                 array->dtype == SAM_F64 && value->dtype == SAM_F32
                     ? " (networks compute in f32: convert the array, f64 would lose bits)"
                     : "");
    sam_buffer_free(&text);
    return status;
}

static enum sam_status bind_input(const struct sam_net_value *value, const struct sam_array *array,
                                  struct sam_blocks *store, const void **data,
                                  struct sam_error *error)
{
    const bool equal =
        array->dtype == value->dtype || (array->dtype == SAM_BOOL && value->dtype == SAM_U8);
    if (!net_has_shape(value, array->rank, array->shape) ||
        (!equal && !sam_dtype_widens(array->dtype, value->dtype)))
        return shape_error(value, array, error);
    *data = array->data;
    if (equal)
        return SAM_OK;
    void *const wide = sam_blocks_take(store, bytes_of(value) + 1, 1);
    *data = wide;
    return wide
               ? sam_dtype_widen(array->dtype, value->dtype, array->data, value->count, wide, error)
               : sam_fail_memory(error);
}

/* The input or output that an array is for; of two for a value that is both, the second is the
 * output. */
static enum sam_status match(const struct net_graph *g, const struct sam_network_array *array,
                             struct binding *b, struct sam_error *error)
{
    if (!array->name || !array->array)
        return sam_fail_null(error, "the name or the array of an argument");
    const uint32_t value = find(g, array->name);
    const size_t in = index_in(g->inputs, g->input_count, value),
                 out = index_in(g->outputs, g->output_count, value);
    if (in == g->input_count && out == g->output_count)
        return sam_fail(error, SAM_ERR_USAGE, "'%s' is not an input, an output or a kept value",
                        array->name);
    if (in < g->input_count && !b->given[in])
        b->given[in] = array->array;
    else if (out < g->output_count && !b->wanted[out])
        b->wanted[out] = array->array;
    else
        return sam_fail(error, SAM_ERR_USAGE, "two arrays for '%s'", array->name);
    return SAM_OK;
}

static struct net_state *state_of(struct sam_network *network, uint32_t input)
{
    for (size_t i = 0; i < network->state_count; i++)
        if (network->states[i].input == input)
            return &network->states[i];
    return NULL;
}

static enum sam_status bind(struct sam_network *n, const struct sam_network_array *arrays,
                            size_t count, struct binding *b, struct sam_error *error)
{
    const struct net_graph *g = &n->graph;
    enum sam_status status = SAM_OK;
    b->given = sam_blocks_take(&b->store, g->input_count + 1, sizeof(struct sam_array *));
    b->inputs = sam_blocks_take(&b->store, g->input_count + 1, sizeof *b->inputs);
    b->wanted = sam_blocks_take(&b->store, g->output_count + 1, sizeof(struct sam_array *));
    b->outputs = sam_blocks_take(&b->store, g->output_count + 1, sizeof *b->outputs);
    if (!b->given || !b->inputs || !b->wanted || !b->outputs)
        return sam_fail_memory(error);
    for (size_t i = 0; i < count && status == SAM_OK; i++)
        status = match(g, &arrays[i], b, error);
    for (size_t i = 0; i < g->input_count && status == SAM_OK; i++) {
        const struct sam_net_value *value = &g->values[g->inputs[i]];
        const struct net_state *state = state_of(n, g->inputs[i]);
        if (b->given[i])
            status = bind_input(value, b->given[i], &b->store, &b->inputs[i], error);
        else if (state)
            b->inputs[i] = state->data;
        else
            status = sam_fail(error, SAM_ERR_USAGE, "input '%s' has no array", value->name);
    }
    for (size_t i = 0; i < g->output_count && status == SAM_OK; i++) {
        b->outputs[i] = sam_alloc(bytes_of(&g->values[g->outputs[i]]) + 1, 1);
        if (!b->outputs[i])
            status = sam_fail_memory(error);
    }
    return status;
}

static void unbind(const struct net_graph *g, struct binding *b)
{
    for (size_t i = 0; b->outputs && i < g->output_count; i++)
        free(b->outputs[i]);
    sam_blocks_free(&b->store);
}

/* States take copies; then arrays take what was asked for. */
static void hand_out(struct sam_network *n, struct binding *b)
{
    const struct net_graph *g = &n->graph;
    for (size_t i = 0; i < g->output_count; i++) {
        const struct sam_net_value *value = &g->values[g->outputs[i]];
        for (size_t s = 0; s < n->state_count; s++)
            if (n->states[s].output == g->outputs[i])
                memcpy(n->states[s].data, b->outputs[i], bytes_of(value));
        if (!b->wanted[i])
            continue;
        *b->wanted[i] = (struct sam_array){.dtype = dtype_of(value),
                                           .rank = value->rank,
                                           .count = (size_t)value->count,
                                           .size = bytes_of(value),
                                           .data = b->outputs[i]};
        memcpy(b->wanted[i]->shape, value->shape, sizeof value->shape);
        b->outputs[i] = NULL;
    }
}

enum sam_status sam_network_run(struct sam_network *network, const struct sam_network_array *arrays,
                                size_t count, const struct sam_network_run_options *options,
                                struct sam_network_figures **figures, struct sam_error *error)
{
    struct sam_network_run_options o;
    struct binding b = {0};
    if (figures)
        *figures = NULL;
    if (SAM_LACKS(error, network, count ? (const void *)arrays : "no arrays"))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_options_take(&o, sizeof o, sizeof o, options, error);
    if (status == SAM_OK && o.timing && !o.system)
        status = sam_fail(error, SAM_ERR_USAGE, "timing of a network: expected the system");
    if (status == SAM_OK)
        status = bind(network, arrays, count, &b, error);
    if (status == SAM_OK)
        status = sam_net_plan_run(network->plan, &o, b.inputs, b.outputs, figures, error);
    if (status == SAM_OK)
        hand_out(network, &b);
    unbind(&network->graph, &b);
    return status;
}
