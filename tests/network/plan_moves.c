/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of pools, rows, reductions, moves, gathers and resizes against the reference. */

#include "small.h"
#include "test.h"

static uint64_t seed;

static uint64_t between(struct small *s, uint64_t low, uint64_t high)
{
    return low + small_below(s, high - low + 1);
}

static uint32_t array_of(struct small *s, uint32_t rank, uint64_t most, uint64_t *shape)
{
    for (uint32_t k = 0; k < rank; k++)
        shape[k] = between(s, 1, most);
    return small_input(s, SAM_F32, rank, shape);
}

/* A value in another layout: what a pool of one element makes has channels last. */
static uint32_t any_layout(struct small *s, uint32_t value)
{
    const struct sam_net_value v = s->values[value];
    if (v.rank != 4 || small_below(s, 2))
        return value;
    const uint32_t out = small_value(s, SAM_F32, 4, v.shape);
    struct net_node *const node = small_node(s, NET_MaxPool, out, 1, (uint32_t[]){value});
    for (int i = 0; i < 2; i++)
        node->params.kernel[i] = node->params.stride[i] = node->params.dilation[i] = 1;
    return out;
}

static void finish(struct small *s, uint32_t value, double tolerance)
{
    small_output(s, value);
    small_check(s, tolerance, true);
    small_free(s);
}

#define CASES(count)                                                                               \
    for (uint64_t i = 0, cases = test_number("SAMITE_CASES", count); i < cases; i++)

TEST(pools)
{
    CASES(10)
    {
        struct small s;
        small_start(&s, seed + i);
        const uint64_t in[] = {between(&s, 1, 2), between(&s, 1, 40), between(&s, 2, 20),
                               between(&s, 2, 20)};
        uint64_t out[4] = {in[0], in[1]};
        const uint32_t value = small_input(&s, SAM_F32, 4, in);
        struct net_params p = {.count_pad = small_below(&s, 2)};
        for (int d = 0; d < 2; d++) {
            p.kernel[d] = between(&s, 1, i % 5 ? 3 : 20);
            p.stride[d] = between(&s, 1, i % 5 ? 3 : 12);
            if (p.kernel[d] > in[2 + d])
                p.kernel[d] = in[2 + d];
            p.dilation[d] = p.kernel[d] * 2 <= in[2 + d] ? between(&s, 1, 2) : 1;
            p.pad[d] = small_below(&s, p.kernel[d]);
            p.pad[d + 2] = small_below(&s, p.kernel[d]);
            p.start[d] = (int64_t)small_below(&s, p.pad[d + 2] + 1);
            const uint64_t window = (p.kernel[d] - 1) * p.dilation[d] + 1;
            out[2 + d] = (in[2 + d] + p.pad[d] + p.pad[d + 2] - window) / p.stride[d] + 1;
        }
        const uint32_t result = small_value(&s, SAM_F32, 4, out);
        small_node(&s, small_below(&s, 2) ? NET_MaxPool : NET_AveragePool, result, 1, &value)
            ->params = p;
        finish(&s, result, 1e-6);
    }
}

/* Elements that are repeated along one axis. */
static uint32_t repeated(struct small *s, uint32_t rank, const uint64_t *shape)
{
    uint64_t part[4];
    memcpy(part, shape, rank * sizeof *part);
    part[small_below(s, rank)] = 1;
    const uint32_t in = small_input(s, SAM_F32, rank, part),
                   out = small_value(s, SAM_F32, rank, shape);
    small_node(s, NET_Expand, out, 1, &in);
    return out;
}

TEST(rows)
{
    CASES(12)
    {
        struct small s;
        uint64_t shape[4];
        small_start(&s, seed + i);
        const uint32_t rank = (uint32_t)between(&s, 1, 4);
        uint32_t value;
        if (i == 0) {
            shape[0] = 3;
            shape[1] = 20000;
            value = small_input(&s, SAM_F32, 2, shape);
        } else {
            value = any_layout(&s, array_of(&s, rank, rank > 2 ? 12 : 200, shape));
        }
        const uint32_t r = s.values[value].rank, axis = i == 0 ? 1 : (uint32_t)small_below(&s, r);
        const uint32_t out = small_value(&s, SAM_F32, r, shape);
        if (small_below(&s, 2)) {
            small_node(&s, NET_Softmax, out, 1, &value)->params.axis = axis;
        } else {
            const uint32_t scale = small_below(&s, 2)
                                       ? small_constant(&s, SAM_F32, r - axis, shape + axis, -1, 1)
                                       : repeated(&s, r - axis, shape + axis);
            const uint32_t bias = small_constant(&s, SAM_F32, r - axis, shape + axis, -1, 1);
            struct net_node *node =
                small_node(&s, NET_LayerNormalization, out, small_below(&s, 2) ? 2 : 3,
                           (uint32_t[]){value, scale, bias});
            node->params.axis = axis;
            node->params.alpha = 1e-5f;
        }
        finish(&s, out, 1e-5);
    }
}

TEST(reductions)
{
    static const enum sam_net_op ops[] = {NET_ReduceMean, NET_ReduceSum, NET_ReduceMax,
                                          NET_ReduceMin, NET_ArgMax};
    CASES(20)
    {
        struct small s;
        uint64_t shape[5], kept[5];
        small_start(&s, seed + i);
        const uint32_t rank = (uint32_t)between(&s, 1, 4);
        const enum sam_net_op op = ops[small_below(&s, 5)];
        s.whole = op == NET_ArgMax;
        uint32_t value = any_layout(&s, array_of(&s, rank, rank > 2 ? 14 : 300, shape));
        if (op == NET_ArgMax) { /* many are equal, zeros of both signs among them */
            const uint32_t product = small_value(&s, SAM_F32, rank, shape),
                           other = small_input(&s, SAM_F32, rank, shape);
            small_node(&s, NET_Mul, product, 2, (uint32_t[]){value, other});
            value = product;
        }
        struct net_params p = {.axes = (uint32_t)between(&s, 1, (1u << rank) - 1),
                               .axis = (uint32_t)small_below(&s, rank)};
        if (op == NET_ArgMax)
            p.axes = 1u << p.axis;
        const uint32_t mask = p.axes;
        uint32_t out_rank = 0;
        const bool keep = small_below(&s, 2);
        for (uint32_t k = 0; k < rank; k++)
            if (keep || !(mask >> k & 1))
                kept[out_rank++] = mask >> k & 1 ? 1 : shape[k];
        const uint32_t out = small_value(&s, op == NET_ArgMax ? SAM_I64 : SAM_F32, out_rank, kept);
        small_node(&s, op, out, 1, &value)->params = p;
        /* one sum of random numbers may be near 0, but not where rounding left it */
        const double count = (double)s.values[value].count / (double)s.values[out].count;
        s.least = op == NET_ReduceSum ? sqrt(count) : op == NET_ReduceMean ? 1 / sqrt(count) : 0;
        finish(&s, out, 1e-5);
    }
}

/* A random move of a value; Reshape keeps the number of elements. */
static uint32_t add_move(struct small *s, uint32_t value)
{
    static const enum sam_net_op ops[] = {NET_Transpose, NET_Reshape, NET_Slice, NET_Pad,
                                          NET_Concat,    NET_Expand,  NET_Relu};
    const struct sam_net_value v = s->values[value];
    const enum sam_net_op op = ops[small_below(s, SAM_COUNT(ops))];
    struct net_params p = {.fill = 0.5f};
    uint64_t shape[NET_RANK];
    uint32_t rank = v.rank, inputs[3] = {value, value, value}, count = 1;
    memcpy(shape, v.shape, sizeof shape);
    switch (op) {
    case NET_Transpose:
        for (uint32_t k = 0; k < rank; k++)
            p.perm[k] = k;
        for (uint32_t k = rank; k > 1; k--) {
            const uint32_t other = (uint32_t)small_below(s, k), perm = p.perm[k - 1];
            p.perm[k - 1] = p.perm[other];
            p.perm[other] = perm;
        }
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = v.shape[p.perm[k]];
        break;
    case NET_Reshape:
        if (rank > 1 && small_below(s, 2)) { /* two axes become one */
            const uint32_t at = (uint32_t)small_below(s, rank - 1);
            shape[at] *= shape[at + 1];
            for (uint32_t k = at + 1; k + 1 < rank; k++)
                shape[k] = shape[k + 1];
            rank--;
        } else if (rank < 5) {
            const uint32_t at = (uint32_t)small_below(s, rank);
            const uint64_t part = shape[at] % 3 == 0 ? 3 : shape[at] % 2 == 0 ? 2 : 1;
            for (uint32_t k = rank++; k > at; k--)
                shape[k] = shape[k - 1];
            shape[at] = part;
            shape[at + 1] /= part;
        }
        break;
    case NET_Slice:
        for (uint32_t k = 0; k < rank; k++) {
            const uint64_t first = small_below(s, shape[k]), last = small_below(s, shape[k]);
            const uint64_t step = between(s, 1, 2),
                           span = first < last ? last - first : first - last;
            p.start[k] = (int64_t)first;
            p.step[k] = first <= last ? (int64_t)step : -(int64_t)step;
            shape[k] = span / step + 1;
        }
        break;
    case NET_Pad:
        for (uint32_t k = 0; k < rank; k++) {
            p.start[k] = (int64_t)small_below(s, 3);
            shape[k] += (uint64_t)p.start[k] + small_below(s, 3);
        }
        break;
    case NET_Concat:
        count = (uint32_t)between(s, 1, 3);
        p.axis = (uint32_t)small_below(s, rank);
        shape[p.axis] *= count;
        break;
    case NET_Expand:
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = shape[k] == 1 ? between(s, 1, 3) : shape[k];
        break;
    default: break;
    }
    const uint32_t out = small_value(s, SAM_F32, rank, shape);
    small_node(s, op, out, count, inputs)->params = p;
    return out;
}

TEST(moves)
{
    CASES(30)
    {
        struct small s;
        uint64_t shape[4];
        small_start(&s, seed + i);
        const uint32_t rank = (uint32_t)between(&s, 1, 4);
        uint32_t value = any_layout(&s, array_of(&s, rank, rank > 2 ? 9 : 40, shape));
        for (uint64_t n = between(&s, 1, 5); n > 0 && s.values[value].count < 20000; n--)
            value = add_move(&s, value);
        finish(&s, value, 0);
    }
}

TEST(gathers)
{
    CASES(12)
    {
        struct small s;
        uint64_t shape[3], out[5];
        small_start(&s, seed + i);
        const uint32_t rank = (uint32_t)between(&s, 1, 3);
        const uint32_t table = array_of(&s, rank, 20, shape);
        const uint32_t axis = (uint32_t)small_below(&s, rank);
        const uint64_t index_shape[2] = {between(&s, 1, 5), between(&s, 1, 12)};
        const uint32_t index_rank = (uint32_t)small_below(&s, 3);
        const double low = shape[axis] > 1 ? -2 : -1, high = shape[axis] > 1 ? 2 : 1;
        uint32_t indices;
        if (small_below(&s, 2)) {
            indices = small_constant(&s, SAM_I64, index_rank, index_shape, low, high);
        } else if (shape[axis] < 2) {
            indices = small_constant(&s, SAM_I64, index_rank, index_shape, low, high);
        } else if (index_rank && small_below(&s, 2)) { /* of a slice, without a copy */
            uint64_t whole[2] = {index_shape[0] * 2 + 1, index_shape[1] + 3};
            whole[index_rank - 1] *= 2;
            indices = small_value(&s, SAM_I64, index_rank, index_shape);
            const uint32_t input = small_input(&s, SAM_I64, index_rank, whole);
            struct net_params *const p = &small_node(&s, NET_Slice, indices, 1, &input)->params;
            p->step[0] = index_rank == 1 ? 3 : 2;
            p->step[1] = -2;
            p->start[0] = 1;
            p->start[1] = (int64_t)whole[1] - 1;
        } else {
            indices = small_input(&s, SAM_I64, index_rank, index_shape);
        }
        uint32_t out_rank = 0;
        for (uint32_t k = 0; k < rank; k++) {
            if (k != axis) {
                out[out_rank++] = shape[k];
                continue;
            }
            for (uint32_t j = 0; j < index_rank; j++)
                out[out_rank++] = index_shape[j];
        }
        const uint32_t value = small_value(&s, SAM_F32, out_rank, out);
        small_node(&s, NET_Gather, value, 2, (uint32_t[]){table, indices})->params.axis = axis;
        finish(&s, value, 0);
    }
}

TEST(resizes)
{
    CASES(16)
    {
        struct small s;
        uint64_t shape[4], out[4];
        small_start(&s, seed + i);
        const uint32_t value = any_layout(&s, array_of(&s, 4, 9, shape));
        const bool linear = small_below(&s, 2), times = small_below(&s, 2);
        const bool cubic = linear && small_below(&s, 2);
        struct net_params p = {.resize = cubic    ? NET_CUBIC
                                         : linear ? NET_LINEAR
                                                  : NET_NEAREST,
                               .alpha = -0.75f,
                               .count_pad = small_below(&s, 2),
                               .coordinate = (enum net_coordinate)small_below(&s, 6),
                               .nearest = (enum net_nearest)small_below(&s, 4)};
        for (int k = 0; k < 4; k++) {
            out[k] = k < 2 ? shape[k] : times ? shape[k] * between(&s, 1, 3) : between(&s, 1, 20);
            p.scale[k] = (float)out[k] / (float)shape[k];
            p.crop[0][k] = k < 2 ? 0 : (float)small_below(&s, 3) / 4;
            p.crop[1][k] = k < 2 ? 1 : 1 - (float)small_below(&s, 3) / 8;
        }
        uint32_t result = small_value(&s, SAM_F32, 4, out);
        small_node(&s, NET_Resize, result, 1, &value)->params = p;
        if (small_below(&s, 2)) {
            const uint32_t other = small_input(&s, SAM_F32, 4, out),
                           sum = small_value(&s, SAM_F32, 4, out);
            small_node(&s, NET_Add, sum, 2, (uint32_t[]){result, other});
            result = sum;
        }
        finish(&s, result, 1e-5);
    }
}

PROLOGUE
{
    seed = test_seed();
}
