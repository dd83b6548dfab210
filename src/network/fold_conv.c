/* SPDX-License-Identifier: Apache-2.0 */
/* A Mul or Add of a constant per channel after a convolution becomes part of its weights and bias.
 */
#include <stdlib.h>

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

static double at_channel(const struct sam_net_value *v, uint64_t channel)
{
    return sam_net_real(v, v->count == 1 ? 0 : channel);
}

/* Weights times a constant per output channel, and bias * scale + shift; either may be NULL. */
static void change(struct import *m, struct net_node *conv, uint32_t scale, uint32_t shift)
{
    const bool transposed = conv->op == NET_ConvTranspose;
    const uint32_t old_weights = conv->inputs[1],
                   old_bias = conv->input_count > 2 ? conv->inputs[2] : NET_NONE;
    const uint64_t channels = sam_net_value(m, conv->output)->shape[1];
    const struct net_type line = {SAM_F32, 1, {channels}};
    struct net_type type = sam_net_type_of(m, old_weights);
    uint32_t *inputs = sam_blocks_take(&m->graph->store, 3, sizeof *inputs);
    const uint32_t bias = sam_net_constant(m, &line, NULL);
    type.dtype = SAM_F32;
    const uint32_t weights = scale == NET_NONE ? old_weights : sam_net_constant(m, &type, NULL);
    if (!inputs || m->failed) {
        sam_net_refuse_memory(m);
        return;
    }
    const struct sam_net_value *w = sam_net_value(m, old_weights), *by = sam_net_value(m, scale),
                               *plus = sam_net_value(m, shift);
    /* Of a transposed convolution, with one group, the second axis has the output's channels. */
    const uint64_t inner = w->count / w->shape[0] / (transposed ? w->shape[1] : 1);
    for (uint64_t i = 0; scale != NET_NONE && i < w->count; i++)
        ((float *)sam_net_value(m, weights)->data)[i] =
            (float)(sam_net_real(w, i) * at_channel(by, i / inner % channels));
    for (uint64_t c = 0; c < channels; c++) {
        double sum = old_bias == NET_NONE ? 0 : sam_net_real(sam_net_value(m, old_bias), c);
        if (scale != NET_NONE)
            sum *= at_channel(by, c);
        if (shift != NET_NONE)
            sum += at_channel(plus, c);
        ((float *)sam_net_value(m, bias)->data)[c] = (float)sum;
    }
    memcpy(inputs, (uint32_t[]){conv->inputs[0], weights, bias}, 3 * sizeof *inputs);
    conv->inputs = inputs;
    conv->input_count = 3;
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
        change(m, conv, n->op == NET_Mul ? other : NET_NONE, n->op == NET_Add ? other : NET_NONE);
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
    uint32_t *uses = sam_alloc(g->value_count + 1, sizeof *uses);
    if (!uses) {
        sam_net_refuse_memory(m);
        return;
    }
    for (size_t n = 0; n < g->node_count; n++)
        for (uint32_t k = 0; k < g->nodes[n].input_count; k++)
            uses[g->nodes[n].inputs[k]]++;
    for (size_t i = 0; i < g->output_count; i++)
        uses[g->outputs[i]] += 2;
    for (size_t n = 0; !m->failed && n < g->node_count; n++)
        fold_node(m, &g->nodes[n], uses);
    free(uses);
    size_t left = 0;
    for (size_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].op != NET_OPS)
            g->nodes[left++] = g->nodes[n];
    g->node_count = left;
}
