/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul and Gemm. */
#include "network/build.h"

/* A constant right factor with its columns as rows: [n][k]. */
static struct net_place turned(struct net_builder *b, const struct sam_net_value *v,
                               bool transposed)
{
    struct net_place place = {0};
    const uint64_t depth = v->shape[transposed], cols = v->shape[!transposed];
    float *const data = sam_net_weight_add(b, SAM_F32, v->count, &place.buffer);
    for (uint64_t k = 0; data && k < depth; k++)
        for (uint64_t n = 0; n < cols; n++)
            data[n * depth + k] = (float)sam_net_real(v, transposed ? n * depth + k : k * cols + n);
    if (b->status == SAM_OK)
        b->plan->buffers[place.buffer].stored = v->dtype;
    place.stride[0] = 1;
    place.stride[1] = (int64_t)depth;
    return place;
}

/* A factor as a matrix: its stride along k, and its strides over the axes of the output, of which
 * `own` is that of its rows or columns. */
static void factor(const struct sam_net_value *v, const struct net_place *place, uint32_t rank,
                   uint32_t own_axis, uint32_t own, int64_t *stride)
{
    memset(stride, 0, NET_RANK * sizeof *stride);
    for (uint32_t i = 0; i + 2 < v->rank; i++)
        if (v->shape[i] > 1)
            stride[rank - v->rank + i] = place->stride[i];
    stride[own] = place->stride[own_axis];
}

void sam_net_plan_product(struct net_builder *b, const struct net_group *group)
{
    const struct net_node *const node = b->node;
    const struct net_params *const p = &node->params;
    const bool gemm = node->op == NET_Gemm;
    const struct sam_net_value *const x = &b->graph->values[node->inputs[0]];
    const struct sam_net_value *const w = &b->graph->values[node->inputs[1]];
    const struct sam_net_value *const out = &b->graph->values[group->output];
    const bool left_turned = gemm && p->transpose_a, right_turned = gemm && p->transpose_b;
    uint32_t order[NET_RANK];
    sam_net_order_c(out->rank, order);
    const struct net_place place = sam_net_place_new(b, group->output, order);
    const struct net_place left = sam_net_place_of(b, node->inputs[0]);
    const bool turn = w->data && w->rank == 2;
    const struct net_place right =
        turn ? turned(b, w, right_turned) : sam_net_place_of(b, node->inputs[1]);
    if (b->status != SAM_OK)
        return;
    struct net_contract c = {.group = group,
                             .taps = 1,
                             .left_tap = (int64_t[]){0},
                             .right_tap = (int64_t[]){0},
                             .bias = NET_NONE,
                             .scale = gemm ? (double)p->alpha : 1,
                             .bias_scale = gemm ? (double)p->beta : 1};
    sam_net_space_of(&c.space, out, &place);
    sam_net_chain_operands(b, group, &c.space);
    sam_net_space_last(&c.space, out->rank - 1);
    if (node->input_count > 2)
        c.bias = sam_net_space_broadcast(b, &c.space, out->rank, node->inputs[2]);
    int64_t stride[NET_RANK];
    const uint32_t k_left = x->rank - (left_turned ? 2 : 1);
    const uint32_t m_left = left_turned ? x->rank - 1 : x->rank - 2;
    factor(x, &left, out->rank, m_left, out->rank - 2, stride);
    c.left = sam_net_space_add(b, &c.space, NET_NONE, &left, stride);
    const bool columns_first = right_turned && !turn;
    const uint32_t k_right = w->rank - (columns_first ? 1 : 2);
    const uint32_t n_right = columns_first ? w->rank - 2 : w->rank - 1;
    factor(w, &right, out->rank, n_right, out->rank - 1, stride);
    c.right = sam_net_space_add(b, &c.space, NET_NONE, &right, stride);
    c.depth = x->shape[k_left];
    c.left_step = left.stride[k_left];
    c.right_step = right.stride[k_right];
    sam_net_space_merge(&c.space, true);
    c.constant = turn;
    sam_net_contract_run(b, &c);
    sam_net_step_finish(b, "product", group->nodes, group->count, group->output);
}
