/* SPDX-License-Identifier: Apache-2.0 */
#include "network/graph.h"

#include <stdlib.h>

void sam_net_graph_free(struct net_graph *graph)
{
    free(graph->values);
    free(graph->nodes);
    sam_blocks_free(&graph->store);
    *graph = (struct net_graph){0};
}

const char *sam_net_op_name(enum sam_net_op op)
{
    static const char *const names[] = {
#define NET_OP(name, inputs, optional, plan, fold) #name,
#include "network/operators.def"
#undef NET_OP
    };
    return (unsigned)op < NET_OPS ? names[op] : "?";
}

bool sam_net_token(const char **formula, char (*token)[24])
{
    const size_t length = strcspn(*formula, " ");
    sam_format(*token, sizeof *token, "%.*s", (int)length, *formula);
    *formula += length + ((*formula)[length] == ' ');
    return length > 0;
}

uint64_t sam_net_outer(const struct sam_net_value *value, uint32_t axis)
{
    uint64_t outer = 1;
    for (uint32_t d = 0; d < axis; d++)
        outer *= value->shape[d];
    return outer;
}

uint64_t sam_net_inner(const struct sam_net_value *value, uint32_t axis)
{
    uint64_t inner = 1;
    for (uint32_t d = axis + 1; d < value->rank; d++)
        inner *= value->shape[d];
    return inner;
}

uint32_t sam_net_graph_add_value(struct net_graph *g)
{
    struct sam_net_value *values =
        g->value_count < NET_NONE
            ? sam_grow(g->values, g->value_count, &g->value_capacity, sizeof *values)
            : NULL;
    if (!values)
        return NET_NONE;
    g->values = values;
    values[g->value_count] = (struct sam_net_value){.producer = NET_NONE, .initializer = NET_NONE};
    return (uint32_t)g->value_count++;
}

uint32_t sam_net_graph_add_node(struct net_graph *g)
{
    struct net_node *nodes = g->node_count < NET_NONE ? sam_grow(g->nodes, g->node_count,
                                                                 &g->node_capacity, sizeof *nodes)
                                                      : NULL;
    if (!nodes)
        return NET_NONE;
    g->nodes = nodes;
    nodes[g->node_count] = (struct net_node){.output = NET_NONE};
    return (uint32_t)g->node_count++;
}

bool sam_net_graph_prune(struct net_graph *g)
{
    uint32_t *number = sam_alloc(g->value_count + 1, sizeof *number); /* first: whether needed */
    if (!number)
        return false;
    for (size_t i = 0; i < g->input_count; i++)
        number[g->inputs[i]] = 1;
    for (size_t i = 0; i < g->output_count; i++)
        number[g->outputs[i]] = 1;
    for (size_t n = g->node_count; n-- > 0;)
        for (size_t i = 0; number[g->nodes[n].output] && i < g->nodes[n].input_count; i++)
            number[g->nodes[n].inputs[i]] = 1;
    size_t nodes = 0, values = 0;
    for (size_t n = 0; n < g->node_count; n++)
        if (number[g->nodes[n].output]) {
            g->values[g->nodes[n].output].producer = (uint32_t)nodes;
            g->nodes[nodes++] = g->nodes[n];
        }
    g->node_count = nodes;
    for (size_t v = 0; v < g->value_count; v++)
        if (number[v]) {
            number[v] = (uint32_t)values;
            g->values[values++] = g->values[v];
        }
    g->value_count = values;
    for (size_t n = 0; n < nodes; n++) {
        g->nodes[n].output = number[g->nodes[n].output];
        for (size_t i = 0; i < g->nodes[n].input_count; i++)
            g->nodes[n].inputs[i] = number[g->nodes[n].inputs[i]];
    }
    for (size_t i = 0; i < g->input_count; i++)
        g->inputs[i] = number[g->inputs[i]];
    for (size_t i = 0; i < g->output_count; i++)
        g->outputs[i] = number[g->outputs[i]];
    free(number);
    return true;
}
