/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul. */
#include "network/build.h"

/* A constant right factor with its columns as rows: [n][k]. */
static struct net_place turned(struct net_builder *b, const struct sam_net_value *v)
{
    const int64_t depth = (int64_t)v->shape[0], cols = (int64_t)v->shape[1];
    const uint32_t buffer =
        sam_net_weight_as(b, v, 0, 2, (uint64_t[]){v->shape[1], v->shape[0]}, (int64_t[]){1, cols});
    return (struct net_place){.buffer = buffer, .rank = 2, .stride = {1, depth}};
}

/* A factor over the axes of the output; `along` is the one of these that is its k. */
static uint32_t factor(struct net_builder *b, struct net_space *space,
                       const struct net_place *place, const struct sam_net_value *out,
                       uint32_t along)
{
    struct net_place wide = sam_net_place_expand(place, out);
    wide.stride[along] = 0;
    return sam_net_space_add(b, space, NET_NONE, place, wide.stride);
}

void sam_net_plan_product(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const struct sam_net_value *const x = &b->graph->values[node->inputs[0]];
    const struct sam_net_value *const w = &b->graph->values[node->inputs[1]];
    const struct sam_net_value *const out = &b->graph->values[b->at->output];
    const struct net_place place = sam_net_place_new(b, b->at->output, sam_net_order_c);
    const struct net_place left = sam_net_place_of(b, node->inputs[0]);
    const bool turn = w->data && w->rank == 2;
    const struct net_place right = turn ? turned(b, w) : sam_net_place_of(b, node->inputs[1]);
    if (b->status != SAM_OK)
        return;
    struct net_contract c = {.taps = {1, 1}, .bias = NET_NONE};
    sam_net_space_of(&c.space, &place);
    sam_net_chain_operands(b, &c.space);
    sam_net_space_last(&c.space, out->rank - 1);
    c.left.operand = factor(b, &c.space, &left, out, out->rank - 1);
    c.right.operand = factor(b, &c.space, &right, out, out->rank - 2);
    c.depth = x->shape[x->rank - 1];
    c.left.step = left.stride[x->rank - 1];
    c.right.step = right.stride[w->rank - 2];
    sam_net_space_merge(&c.space, true);
    c.constant = turn;
    sam_net_contract_run(b, &c);
}
