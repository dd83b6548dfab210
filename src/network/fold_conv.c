/* SPDX-License-Identifier: Apache-2.0 */
/* A Mul or Add of a constant per channel after a convolution becomes part of its weights and bias.
 */
#include "network/import.h"

/* Returns whether `v` is a constant float, or one per channel. */
static bool per_channel(const struct sam_net_value *v, const struct sam_net_value *image)
{
    if (!v->data || v->dtype != SAM_F32 || v->rank > image->rank)
        return false;
    for (uint32_t d = 0; d < v->rank; d++) {
        const uint32_t axis = image->rank - v->rank + d;
        if (v->shape[d] != 1 && (axis != 1 || v->shape[d] != image->shape[1]))
            return false;
    }
    return true;
}

/* Weights times a constant, or bias plus a constant. */
static void change(struct import *m, struct net_node *conv, enum sam_net_op op, uint32_t constant)
{
    const uint64_t channels = sam_net_value(m, conv->output)->shape[1];
    const struct net_type scalar = {0}, line = {SAM_F32, 1, {channels}};
    uint32_t *const inputs = sam_net_take(m, 3, sizeof *inputs);
    if (!inputs)
        return;
    memcpy(inputs, conv->inputs, conv->input_count * sizeof *inputs);
    conv->inputs = inputs;
    constant =
        sam_net_reshape(m, constant, sam_net_value(m, constant)->count == 1 ? &scalar : &line);
    if (op == NET_Mul) {
        uint32_t by = constant; /* output channels are the first axis of weights, or the second */
        if (sam_net_value(m, by)->rank)
            by = sam_net_shaped(m, by, conv->op == NET_Conv ? 4 : 3,
                                (uint64_t[]){channels, 1, 1, 1});
        inputs[1] = sam_net_emit2(m, NET_Mul, inputs[1], by);
    }
    if (conv->input_count == 3)
        inputs[2] = sam_net_emit2(m, op, inputs[2], constant);
    else if (op == NET_Add)
        inputs[conv->input_count++] = sam_net_expand(m, constant, &line);
}

/* Node n, if it is such a Mul or Add. */
static void fold_node(struct import *m, struct net_node *n, const uint32_t *uses)
{
    struct net_graph *g = m->graph;
    for (unsigned k = 0; k < 2 && (n->op == NET_Mul || n->op == NET_Add); k++) {
        const uint32_t image = n->inputs[k], other = n->inputs[1 - k];
        const uint32_t producer = g->values[image].producer;
        struct net_node *conv = producer == NET_NONE ? NULL : &g->nodes[producer];
        if (!conv || uses[image] != 1 || !per_channel(&g->values[other], &g->values[image]) ||
            (conv->op != NET_Conv && (conv->op != NET_ConvTranspose || conv->params.group != 1)))
            continue;
        const struct sam_net_value *w = &g->values[conv->inputs[1]];
        if (!w->data || (conv->input_count > 2 && !g->values[conv->inputs[2]].data) ||
            !sam_net_may_make(m, w->count + g->values[image].shape[1]) ||
            (n->op == NET_Mul && w->dtype != SAM_F32)) /* packed weights stay */
            continue;
        change(m, conv, n->op, other);
        if (m->failed)
            return;
        conv->output = n->output; /* the node itself is pruned */
        g->values[n->output].producer = producer;
        n->op = NET_OPS;
        return;
    }
}

void sam_net_fold_conv(struct import *m)
{
    struct net_graph *g = m->graph;
    uint32_t *const uses = m->failed ? NULL : sam_net_take(m, g->value_count, sizeof *uses);
    if (!uses)
        return;
    for (size_t n = 0; n < g->node_count; n++)
        for (uint32_t k = 0; k < g->nodes[n].input_count; k++)
            uses[g->nodes[n].inputs[k]]++;
    for (size_t i = 0; i < g->output_count; i++)
        uses[g->outputs[i]] += 2;
    for (size_t n = 0; !m->failed && n < g->node_count; n++)
        fold_node(m, &g->nodes[n], uses);
    size_t left = 0;
    for (size_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].op != NET_OPS)
            g->nodes[left++] = g->nodes[n];
    g->node_count = left;
}
