/* SPDX-License-Identifier: Apache-2.0 */
/* Random nodes that move elements, and constants. */
#include "random_make.h"

bool random_make_transpose(struct random_graph *g, const char *op, struct random_value *x)
{
    int64_t perm[RANDOM_RANK] = {0};
    uint64_t shape[RANDOM_RANK];
    for (unsigned d = 0; d < x->rank; d++) { /* a shuffle from the inside out */
        const unsigned at = (unsigned)random_below(g, d + 1);
        perm[d] = perm[at];
        perm[at] = d;
    }
    for (unsigned d = 0; d < x->rank; d++)
        shape[d] = x->shape[perm[d]];
    if (!x->rank)
        return false;
    random_node(g, op, x->rank, shape, x, NULL);
    random_put_list(g, "perm", x->rank, perm);
    random_put(g, "\n");
    return true;
}

/* Two dimensions merged, or one split. */
bool random_make_reshape(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    int64_t numbers[RANDOM_RANK];
    unsigned rank = 0;
    const unsigned at = (unsigned)random_below(g, RANDOM_RANK);
    for (unsigned d = 0; d < x->rank; d++)
        if (d == at && d + 1 < x->rank && random_coin(g))
            shape[rank++] = x->shape[d] * x->shape[d + 1], d++;
        else if (d == at && x->shape[d] % 2 == 0 && x->rank < RANDOM_RANK)
            shape[rank++] = 2, shape[rank++] = x->shape[d] / 2;
        else
            shape[rank++] = x->shape[d];
    for (unsigned d = 0; d < rank; d++)
        numbers[d] =
            d < x->rank && shape[d] == x->shape[d] && random_coin(g) ? 0 : (int64_t)shape[d];
    if (rank && random_coin(g))
        numbers[random_below(g, rank)] = -1;
    const unsigned list = random_integers(g, rank, numbers);
    random_node(g, op, rank, shape, x, NULL);
    random_put(g, " i%u\n", list);
    return true;
}

/* To a shape computed from the shape of the value: the last dimension, and all others. */
bool random_make_shape(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const uint64_t last = x->shape[x->rank - 1];
    const unsigned first = random_integers(g, 1, (int64_t[]){(int64_t)x->rank - 1}),
                   open = random_integers(g, 1, (int64_t[]){-1}), t = g->name_count;
    g->name_count += 3;
    random_put(g, "s%u = %s %s\ns%u = Gather s%u i%u\n", t + 1, op, x->name, t + 2, t + 1, first);
    random_put(g, "s%u = Concat s%u i%u axis=0\n", t + 3, t + 2, open);
    random_node(g, "Reshape", 2, (uint64_t[]){last, random_elements(x->rank, x->shape) / last}, x,
                NULL);
    random_put(g, " s%u\n", t + 3);
    return true;
}

bool random_make_flatten(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)random_below(g, x->rank + 1);
    const uint64_t outer = random_elements(axis, x->shape);
    random_node(g, op, 2, (uint64_t[]){outer, random_elements(x->rank, x->shape) / outer}, x, NULL);
    random_put(g, " axis=%u\n", axis);
    return true;
}

struct axis {
    unsigned at, rank;
};

/* A node with one axis, which is an input from opset 13 on. */
static bool put_with_axis(struct random_graph *g, const char *op, struct random_value *x,
                          struct axis of, unsigned rank, const uint64_t *shape)
{
    const int64_t axis = random_signed_axis(g, of.at, of.rank);
    const unsigned list = g->opset >= 13 ? random_integers(g, 1, &axis) : 0;
    random_node(g, op, rank, shape, x, NULL);
    if (list)
        random_put(g, " i%u\n", list);
    else
        random_put(g, " axes=[%lld]\n", (long long)axis);
    return true;
}

bool random_make_unsqueeze(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    if (x->rank == RANDOM_RANK)
        return false;
    const unsigned at = (unsigned)random_below(g, x->rank + 1);
    for (unsigned d = 0; d <= x->rank; d++)
        shape[d] = d < at ? x->shape[d] : d == at ? 1 : x->shape[d - 1];
    return put_with_axis(g, op, x, (struct axis){at, x->rank + 1}, x->rank + 1, shape);
}

bool random_make_squeeze(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    unsigned at = RANDOM_RANK, rank = 0;
    for (unsigned d = 0; d < x->rank; d++)
        if (x->shape[d] == 1 && at == RANDOM_RANK)
            at = d;
        else
            shape[rank++] = x->shape[d];
    if (at == RANDOM_RANK)
        return false;
    return put_with_axis(g, op, x, (struct axis){at, x->rank}, rank, shape);
}

bool random_make_plain(struct random_graph *g, const char *op, struct random_value *x)
{
    random_same_shape(g, op, x);
    return true;
}

bool random_make_concat(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK] = {0}, other[RANDOM_RANK];
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)random_below(g, x->rank);
    memcpy(shape, x->shape, sizeof shape);
    memcpy(other, x->shape, sizeof other);
    other[axis] = random_below(g, 3) + 1;
    shape[axis] = 2 * x->shape[axis] + other[axis];
    if (random_elements(x->rank, shape) > MOST)
        return false;
    const struct random_value *w = random_weight(g, x->rank, other);
    random_node(g, op, x->rank, shape, x, w);
    random_put(g, " %s axis=%lld\n", x->name, (long long)random_signed_axis(g, axis, x->rank));
    return true;
}

bool random_make_split(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)random_below(g, x->rank);
    const uint64_t size = x->shape[axis], first = size < 2 ? 0 : random_below(g, size - 1) + 1;
    const int64_t sizes[2] = {(int64_t)first, (int64_t)(size - first)};
    uint64_t shape[RANDOM_RANK];
    if (!first)
        return false;
    const unsigned list = g->opset >= 13 ? random_integers(g, 2, sizes) : 0;
    memcpy(shape, x->shape, sizeof shape);
    shape[axis] = first;
    const struct random_value *a = random_add(g, "v", x->rank, shape, x->reads_input);
    shape[axis] = size - first;
    const struct random_value *b = random_add(g, "v", x->rank, shape, x->reads_input);
    random_put(g, "%s,%s = %s %s", a->name, b->name, op, x->name);
    if (list)
        random_put(g, " i%u", list);
    else
        random_put_list(g, "split", 2, sizes);
    random_put(g, " axis=%lld\n", (long long)random_signed_axis(g, axis, x->rank));
    return true;
}

bool random_make_slice(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    int64_t start[RANDOM_RANK], end[RANDOM_RANK], step[RANDOM_RANK], axes[RANDOM_RANK];
    for (unsigned d = 0; d < x->rank; d++) {
        const int64_t size = (int64_t)x->shape[d];
        axes[d] = d;
        step[d] = g->opset >= 10 ? (int64_t)random_below(g, 3) + 1 : 1;
        start[d] = (int64_t)random_below(g, (uint64_t)size);
        end[d] = start[d] + 1 + (int64_t)random_below(g, (uint64_t)(size - start[d]));
        shape[d] = (uint64_t)((end[d] - start[d] - 1) / step[d] + 1);
        if (end[d] == size && random_coin(g))
            end[d] = INT32_MAX;
        if (g->opset >= 10 && random_coin(g)) { /* backwards over the whole axis */
            step[d] = -step[d];
            start[d] = -1;
            end[d] = INT32_MIN;
            shape[d] = (uint64_t)((size - 1) / -step[d] + 1);
        }
    }
    if (!x->rank)
        return false;
    unsigned lists[4] = {0};
    if (g->opset >= 10) {
        lists[0] = random_integers(g, x->rank, start);
        lists[1] = random_integers(g, x->rank, end);
        lists[2] = random_integers(g, x->rank, axes);
        lists[3] = random_integers(g, x->rank, step);
    }
    random_node(g, op, x->rank, shape, x, NULL);
    if (lists[0]) {
        random_put(g, " i%u i%u i%u i%u\n", lists[0], lists[1], lists[2], lists[3]);
        return true;
    }
    random_put_list(g, "starts", x->rank, start);
    random_put_list(g, "ends", x->rank, end);
    random_put(g, "\n");
    return true;
}

bool random_make_pad(struct random_graph *g, const char *op, struct random_value *x)
{
    int64_t pads[2 * RANDOM_RANK];
    uint64_t shape[RANDOM_RANK];
    const bool edge = random_coin(g), reflect = edge && random_coin(g);
    for (unsigned d = 0; d < x->rank; d++) {
        const int64_t crop = x->shape[d] > 1 && random_below(g, 4) == 0 ? -1 : 0;
        const uint64_t most = reflect && x->shape[d] < 3 ? x->shape[d] : 3;
        pads[d] = (int64_t)random_below(g, most);
        pads[x->rank + d] = crop && !edge ? crop : (int64_t)random_below(g, most);
        shape[d] = (uint64_t)((int64_t)x->shape[d] + pads[d] + pads[x->rank + d]);
    }
    if (!x->rank || random_elements(x->rank, shape) > MOST)
        return false;
    const unsigned list = g->opset >= 11 ? random_integers(g, 2 * x->rank, pads) : 0,
                   c = ++g->name_count;
    if (list)
        random_put(g, "init c%u f32 = 0.75\n", c);
    random_node(g, op, x->rank, shape, x, NULL);
    if (list) {
        random_put(g, " i%u c%u%s\n", list, c,
                   reflect ? " mode=reflect"
                   : edge  ? " mode=edge"
                           : "");
    } else {
        random_put_list(g, "pads", 2 * x->rank, pads);
        random_put(g, edge ? reflect ? " mode=reflect\n" : " mode=edge\n" : " value=0.75\n");
    }
    return true;
}

bool random_make_expand(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool tile = strcmp(op, "Tile") == 0;
    int64_t numbers[RANDOM_RANK];
    uint64_t shape[RANDOM_RANK];
    unsigned repeated = 0;
    if (g->opset < 8 || !x->rank)
        return false;
    for (unsigned d = 0; d < x->rank; d++) {
        const uint64_t by = (tile ? repeated < 2 : x->shape[d] == 1) && random_coin(g) ? 2 : 1;
        repeated += by > 1;
        shape[d] = x->shape[d] * by;
        numbers[d] = (int64_t)(tile || random_coin(g) ? by : shape[d]);
    }
    if (random_elements(x->rank, shape) > MOST)
        return false;
    const unsigned list = random_integers(g, x->rank, numbers);
    random_node(g, op, x->rank, shape, x, NULL);
    random_put(g, " i%u\n", list);
    return true;
}

bool random_make_gather(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    int64_t rows[3];
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)random_below(g, x->rank),
                   count = (unsigned)random_below(g, 3) + 1;
    const uint64_t size = x->shape[axis];
    memcpy(shape, x->shape, sizeof shape);
    shape[axis] = count;
    for (unsigned i = 0; i < count; i++)
        rows[i] = random_signed_axis(g, (unsigned)random_below(g, size), (unsigned)size);
    const unsigned list = random_integers(g, count, rows);
    const unsigned t = g->name_count += 4;
    if (random_coin(g)) { /* the same, computed */
        random_put(g, "t%u = Tanh %s\nt%u = ReduceMean t%u keepdims=0\nzero%u = Cast t%u to=7\n",
                   t - 3, x->name, t - 2, t - 3, t - 1, t - 2);
        random_put(g, "init i%u i64 = 0\nt%u = Mul zero%u i%u\n", t - 1, t, t - 1, t - 1);
        random_put(g, "i%u = Add i%u t%u\n", t, list, t);
    }
    random_node(g, op, x->rank, shape, x, NULL);
    random_put(g, " i%u axis=%u\n", list, axis);
    return true;
}

bool random_make_resize(struct random_graph *g, const char *op, struct random_value *x)
{
    static const char *const coordinates[] = {"half_pixel", "pytorch_half_pixel", "align_corners",
                                              "asymmetric"};
    static const char *const rounding[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                           "ceil"};
    const bool upsample = strcmp(op, "Upsample") == 0, linear = random_coin(g);
    const bool cubic = linear && g->opset >= 11 && random_coin(g);
    if (x->rank != 4 || (upsample ? g->opset >= 10 : g->opset < 10))
        return false;
    const unsigned up = (unsigned)random_below(g, 2) + 2, right = (unsigned)random_below(g, 2) + 1;
    uint64_t shape[] = {x->shape[0], x->shape[1], x->shape[2] * up, x->shape[3] * right};
    const bool any = g->opset >= 13 && random_coin(g); /* size */
    if (any) {
        shape[2] = random_below(g, 2 * x->shape[2]) + 1;
        shape[3] = random_below(g, 2 * x->shape[3]) + 1;
    }
    const unsigned scales = ++g->name_count;
    if (random_elements(4, shape) > MOST)
        return false;
    if (g->opset >= 9)
        random_put(g, "init c%u f32 4 = 1 1 %u %u\n", scales, up, right);
    const int64_t sizes[] = {(int64_t)shape[0], (int64_t)shape[1], (int64_t)shape[2],
                             (int64_t)shape[3]};
    const unsigned list = any ? random_integers(g, 4, sizes) : 0;
    const unsigned roi = ++g->name_count;
    if (g->opset >= 11 && g->opset < 13)
        random_put(g, "init c%u f32 0 = 0\n", roi);
    random_node(g, op, 4, shape, x, NULL);
    if (g->opset < 9)
        random_put(g, " scales=[1.0,1.0,%u.0,%u.0]", up, right);
    else if (g->opset < 11)
        random_put(g, " c%u", scales);
    else if (list)
        random_put(g, " _ _ i%u", list);
    else if (g->opset < 13)
        random_put(g, " c%u c%u", roi, scales);
    else
        random_put(g, " _ c%u", scales);
    if (g->opset >= 11)
        random_put(g, " coordinate_transformation_mode=%s", coordinates[random_below(g, 4)]);
    if (g->opset >= 11 && !linear)
        random_put(g, " nearest_mode=%s", rounding[random_below(g, 4)]);
    if (cubic && random_coin(g))
        random_put(g, " cubic_coeff_a=-0.5 exclude_outside=%d", random_coin(g));
    random_put(g, " mode=%s\n", cubic ? "cubic" : linear ? "linear" : "nearest");
    return true;
}

bool random_make_depth(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool to_depth = strcmp(op, "SpaceToDepth") == 0;
    const uint64_t b = 2, *s = x->shape;
    if (x->rank != 4 || (to_depth ? s[2] % b || s[3] % b : s[1] % (b * b)) ||
        (to_depth && g->opset < 13)) /* ONNX Runtime knows none of before */
        return false;
    if (to_depth)
        random_node(g, op, 4, (uint64_t[]){s[0], s[1] * b * b, s[2] / b, s[3] / b}, x, NULL);
    else
        random_node(g, op, 4, (uint64_t[]){s[0], s[1] / (b * b), s[2] * b, s[3] * b}, x, NULL);
    random_put(g, " blocksize=2%s\n",
               !to_depth && g->opset >= 11 && random_coin(g) ? " mode=CRD" : "");
    return true;
}
