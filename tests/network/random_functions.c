/* SPDX-License-Identifier: Apache-2.0 */
/* Random nodes that compute. */
#include "random_make.h"

bool random_make_unary(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool domain =
        strcmp(op, "Log") == 0 || strcmp(op, "Sqrt") == 0 || strcmp(op, "Reciprocal") == 0;
    static const struct {
        const char *op;
        unsigned opset;
    } since[] = {{"HardSwish", 14}, {"Erf", 9},  {"Celu", 12},
                 {"Mish", 18},      {"Sign", 9}, {"ThresholdedRelu", 10}};
    for (size_t i = 0; i < SAM_COUNT(since); i++)
        if (strcmp(op, since[i].op) == 0 && g->opset < since[i].opset)
            return false;
    if (strcmp(op, "Exp") == 0)
        x = random_same_shape(g, "Tanh", x);
    if (domain)
        x = random_positive(g, x);
    random_node(g, op, x->rank, x->shape, x, NULL);
    if ((strcmp(op, "LeakyRelu") == 0 || strcmp(op, "HardSigmoid") == 0 || strcmp(op, "Elu") == 0 ||
         strcmp(op, "Celu") == 0) &&
        random_coin(g))
        random_put(g, " alpha=0.%u", (unsigned)random_below(g, 9) + 1);
    if (strcmp(op, "HardSigmoid") == 0 && random_coin(g))
        random_put(g, " beta=0.%u", (unsigned)random_below(g, 9) + 1);
    random_put(g, "\n");
    return true;
}

bool random_make_binary(struct random_graph *g, const char *op, struct random_value *x)
{
    struct random_value *y = random_partner(g, x);
    if (strcmp(op, "Div") == 0)
        y = random_positive(g, y);
    if (strcmp(op, "Pow") == 0) {
        x = random_positive(g, random_same_shape(g, "Sigmoid", x));
        y = random_same_shape(g, "Tanh", y);
    }
    if (random_coin(g) && strcmp(op, "Div") != 0 && strcmp(op, "Pow") != 0)
        random_node(g, op, x->rank, x->shape, y, x);
    else
        random_node(g, op, x->rank, x->shape, x, y);
    random_put(g, "\n");
    return true;
}

bool random_make_sum(struct random_graph *g, const char *op, struct random_value *x)
{
    const struct random_value *y = random_partner(g, x), *z = random_partner(g, x);
    struct random_value *v = random_node(g, op, x->rank, x->shape, x, y);
    v->reads_input = v->reads_input || z->reads_input;
    random_put(g, " %s\n", z->name);
    return true;
}

/* A comparison that decides between two values, or becomes a number. */
bool random_make_compare(struct random_graph *g, const char *op, struct random_value *x)
{
    if (g->opset < 9 || (g->opset < 11 && strcmp(op, "Equal") == 0) ||
        (g->opset < 12 && strstr(op, "OrEqual")))
        return false;
    const struct random_value *y = random_partner(g, x);
    const unsigned test = ++g->name_count;
    random_put(g, "t%u = %s %s %s\n", test, op, x->name, y->name);
    struct random_value *v =
        random_add(g, "v", x->rank, x->shape, x->reads_input || y->reads_input);
    if (random_coin(g))
        random_put(g, "%s = Cast t%u to=1\n", v->name, test);
    else
        random_put(g, "%s = Where t%u %s %s\n", v->name, test, x->name, y->name);
    return true;
}

bool random_make_clip(struct random_graph *g, const char *op, struct random_value *x)
{
    if (g->opset < 11) {
        random_node(g, op, x->rank, x->shape, x, NULL);
        random_put(g, " min=-0.25 max=0.%u\n", (unsigned)random_below(g, 90) + 10);
        return true;
    }
    const unsigned low = ++g->name_count, high = ++g->name_count,
                   kind = (unsigned)random_below(g, 3);
    random_put(g, "init c%u f32 = -0.25\ninit c%u f32 = 0.5\n", low, high);
    random_node(g, op, x->rank, x->shape, x, NULL);
    if (kind == 0)
        random_put(g, " _ c%u\n", high);
    else if (kind == 1)
        random_put(g, " c%u\n", low);
    else
        random_put(g, " c%u c%u\n", low, high);
    return true;
}

/* To integers and back. */
bool random_make_cast(struct random_graph *g, const char *op, struct random_value *x)
{
    const unsigned whole = ++g->name_count;
    random_put(g, "t%u = %s %s to=%d\n", whole, op, x->name,
               random_coin(g)   ? 7
               : random_coin(g) ? 6
                                : 9);
    random_put(g, "%s = Cast t%u to=1\n",
               random_add(g, "v", x->rank, x->shape, x->reads_input)->name, whole);
    return true;
}

bool random_make_softmax(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)random_below(g, x->rank);
    random_node(g, op, x->rank, x->shape, x, NULL);
    random_put(g, " axis=%lld\n", (long long)random_signed_axis(g, axis, x->rank));
    return true;
}

bool random_make_layer_norm(struct random_graph *g, const char *op, struct random_value *x)
{
    if (g->opset < 17 || !x->rank)
        return false;
    const unsigned axis = (unsigned)random_below(g, x->rank);
    const uint64_t *shape = x->shape + axis;
    const struct random_value *scale = random_weight(g, x->rank - axis, shape);
    const struct random_value *bias =
        random_coin(g) ? random_weight(g, x->rank - axis, shape) : NULL;
    random_node(g, op, x->rank, x->shape, x, scale);
    random_put(g, "%s%s axis=%lld epsilon=0.1\n", bias ? " " : "", bias ? bias->name : "",
               (long long)random_signed_axis(g, axis, x->rank));
    return true;
}

bool random_make_reduce(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool keep = random_coin(g), input = g->opset >= (strcmp(op, "ReduceSum") == 0 ? 13 : 18);
    int64_t axes[RANDOM_RANK];
    uint64_t shape[RANDOM_RANK];
    unsigned count = 0, rank = 0, list = 0;
    for (unsigned d = 0; d < x->rank; d++)
        if (random_coin(g)) {
            axes[count++] = random_signed_axis(g, d, x->rank);
            if (keep)
                shape[rank++] = 1;
        } else {
            shape[rank++] = x->shape[d];
        }
    if (!count)
        return false;
    if (input)
        list = random_integers(g, count, axes);
    random_node(g, op, rank, shape, x, NULL);
    if (input)
        random_put(g, " i%u", list);
    else
        random_put_list(g, "axes", count, axes);
    random_put(g, " keepdims=%d\n", keep);
    return true;
}

bool random_make_argmax(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)random_below(g, x->rank), index = ++g->name_count;
    for (unsigned d = 0; d < x->rank; d++)
        shape[d] = d == axis ? 1 : x->shape[d];
    random_put(g, "t%u = %s %s axis=%u%s\n", index, op, x->name, axis,
               g->opset >= 12 && random_coin(g) ? " select_last_index=1" : "");
    random_put(g, "%s = Cast t%u to=1\n", random_add(g, "v", x->rank, shape, x->reads_input)->name,
               index);
    return true;
}

bool random_make_global(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank < 3)
        return false;
    const uint64_t shape[RANDOM_RANK] = {x->shape[0], x->shape[1], 1, 1, 1};
    random_node(g, op, x->rank, shape, x, NULL);
    random_put(g, "\n");
    return true;
}

bool random_make_matmul(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t right[RANDOM_RANK], shape[RANDOM_RANK];
    if (!x->rank)
        return false;
    const uint64_t inner = x->shape[x->rank - 1], columns = random_below(g, 6) + 1;
    const bool vector = random_below(g, 4) == 0;
    unsigned batch = x->rank > 2 ? (unsigned)random_below(g, x->rank - 1) : 0, rank = 0;
    for (unsigned d = 0; d < batch; d++)
        right[d] = random_coin(g) ? 1 : x->shape[x->rank - 2 - batch + d];
    batch = vector ? 0 : batch;
    right[batch] = inner;
    right[batch + 1] = columns;
    const struct random_value *w = random_weight(g, vector ? 1 : batch + 2, right);
    for (unsigned d = 0; d + 1 < x->rank; d++)
        shape[rank++] = x->shape[d];
    if (!vector)
        shape[rank++] = columns;
    random_node(g, op, rank, shape, x, w);
    random_put(g, "\n");
    return true;
}

bool random_make_gemm(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank != 2)
        return false;
    const bool left = random_coin(g), right = random_coin(g),
               bias = g->opset < 11 || random_coin(g);
    const uint64_t rows = x->shape[left], inner = x->shape[!left], columns = random_below(g, 6) + 1;
    const struct random_value *b =
        random_weight(g, 2, right ? (uint64_t[]){columns, inner} : (uint64_t[]){inner, columns});
    const struct random_value *c =
        bias ? random_weight(g, random_coin(g) ? 1 : 2,
                             random_coin(g) ? (uint64_t[]){1, 1} : (uint64_t[]){1, columns})
             : NULL;
    random_node(g, op, 2, (uint64_t[]){rows, columns}, x, b);
    random_put(g, "%s%s transA=%d transB=%d", c ? " " : "", c ? c->name : "", left, right);
    random_put(g, random_coin(g) ? " alpha=0.5 beta=2.0\n" : "\n");
    return true;
}

bool random_make_batch_norm(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank < 2)
        return false;
    const unsigned first = g->name_count + 1;
    for (unsigned k = 0; k < 4; k++) {
        random_put(g, "init c%u f32 %llu =", ++g->name_count, (unsigned long long)x->shape[1]);
        for (uint64_t i = 0; i < x->shape[1]; i++)
            random_put(g, " %.3f", (double)(random_below(g, 1000) + (k == 3 ? 100 : 0)) / 500);
        random_put(g, "\n");
    }
    random_node(g, op, x->rank, x->shape, x, NULL);
    random_put(g, " c%u c%u c%u c%u epsilon=0.01\n", first, first + 1, first + 2, first + 3);
    return true;
}

/* Windows of one axis that fit: returns how many there are. */
static uint64_t choose_window(struct random_graph *g, uint64_t size, int64_t *kernel,
                              int64_t *stride, int64_t *dilation, int64_t *before, int64_t *after)
{
    *kernel = (int64_t)random_below(g, 3) + 1;
    *stride = (int64_t)random_below(g, 3) + 1;
    *dilation = *dilation ? (int64_t)random_below(g, 2) + 1 : 1;
    const int64_t window = (*kernel - 1) * *dilation + 1;
    *before = (int64_t)random_below(g, (uint64_t)*kernel);
    *after = (int64_t)random_below(g, (uint64_t)*kernel);
    const int64_t room = (int64_t)size + *before + *after - window;
    return room < 0 ? 0 : (uint64_t)(room / *stride) + 1;
}

bool random_make_conv(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool transposed = strcmp(op, "ConvTranspose") == 0;
    if (x->rank != 3 && x->rank != 4)
        return false;
    const unsigned spatial = x->rank - 2;
    const uint64_t group = random_coin(g) ? 1 : x->shape[1], each = random_below(g, 3) + 1;
    int64_t kernel[2], stride[2], dilation[2] = {1, 1}, pads[4], extra[2] = {0};
    uint64_t shape[RANDOM_RANK] = {x->shape[0], each * group};
    uint64_t weights[RANDOM_RANK] = {transposed ? x->shape[1] : each * group,
                                     transposed ? each : x->shape[1] / group};
    for (unsigned d = 0; d < spatial; d++) {
        shape[2 + d] = choose_window(g, x->shape[2 + d], &kernel[d], &stride[d], &dilation[d],
                                     &pads[d], &pads[spatial + d]);
        weights[2 + d] = (uint64_t)kernel[d];
        if (transposed) {
            extra[d] = stride[d] > 1 ? (int64_t)random_below(g, 2) : 0;
            shape[2 + d] =
                (uint64_t)(stride[d] * ((int64_t)x->shape[2 + d] - 1) + extra[d] +
                           (kernel[d] - 1) * dilation[d] + 1 - pads[d] - pads[spatial + d]);
        }
        if (shape[2 + d] == 0 || shape[2 + d] > MOST)
            return false;
    }
    if (random_elements(x->rank, shape) > MOST)
        return false;
    const struct random_value *w = random_weight(g, x->rank, weights);
    const struct random_value *b = random_coin(g) ? random_weight(g, 1, shape + 1) : NULL;
    random_node(g, op, x->rank, shape, x, w);
    random_put(g, "%s%s group=%llu", b ? " " : "", b ? b->name : "", (unsigned long long)group);
    random_put_list(g, "strides", spatial, stride);
    random_put_list(g, "dilations", spatial, dilation);
    random_put_list(g, "pads", 2 * spatial, pads);
    if (transposed)
        random_put_list(g, "output_padding", spatial, extra);
    random_put(g, "\n");
    return true;
}

/* The output of a Conv that auto_pad keeps or strides divide. */
bool random_make_same(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank != 4)
        return false;
    const int64_t stride[2] = {(int64_t)random_below(g, 3) + 1, (int64_t)random_below(g, 3) + 1};
    const uint64_t kernel[2] = {random_below(g, 4) + 1, random_below(g, 4) + 1};
    const uint64_t shape[] = {x->shape[0], 2, (x->shape[2] - 1) / (uint64_t)stride[0] + 1,
                              (x->shape[3] - 1) / (uint64_t)stride[1] + 1};
    const struct random_value *w =
        random_weight(g, 4, (uint64_t[]){2, x->shape[1], kernel[0], kernel[1]});
    random_node(g, op, 4, shape, x, w);
    random_put_list(g, "strides", 2, stride);
    random_put(g, " auto_pad=SAME_%s\n", random_coin(g) ? "UPPER" : "LOWER");
    return true;
}

bool random_make_pool(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool most = strcmp(op, "MaxPool") == 0;
    if (x->rank != 3 && x->rank != 4)
        return false;
    const unsigned spatial = x->rank - 2;
    int64_t kernel[2], stride[2], dilation[2], pads[4];
    uint64_t shape[RANDOM_RANK] = {x->shape[0], x->shape[1]};
    const bool ceil = g->opset >= 10 && random_coin(g), count_pad = !most && random_coin(g);
    for (unsigned d = 0; d < spatial; d++) {
        const uint64_t size = x->shape[2 + d];
        dilation[d] = most && g->opset >= 10;
        shape[2 + d] = choose_window(g, size, &kernel[d], &stride[d], &dilation[d], &pads[d],
                                     &pads[spatial + d]);
        const int64_t window = (kernel[d] - 1) * dilation[d] + 1;
        if (shape[2 + d] == 0 || (dilation[d] > 1 && window > (int64_t)size))
            return false; /* or a window with padding alone */
        const uint64_t last = shape[2 + d] * (uint64_t)stride[d];
        const bool cut =
            (size + (uint64_t)(pads[d] + pads[spatial + d] - window)) % (uint64_t)stride[d] != 0;
        if (ceil && cut && last >= size + (uint64_t)pads[d])
            return false; /* versions differ on a window that begins in the padding */
        shape[2 + d] += ceil && cut;
    }
    random_node(g, op, x->rank, shape, x, NULL);
    random_put_list(g, "kernel_shape", spatial, kernel);
    random_put_list(g, "strides", spatial, stride);
    random_put_list(g, "pads", 2 * spatial, pads);
    if (most && g->opset >= 10)
        random_put_list(g, "dilations", spatial, dilation);
    random_put(g, "%s%s\n", ceil ? " ceil_mode=1" : "", count_pad ? " count_include_pad=1" : "");
    return true;
}

/* Constants of each kind, added to a value. */
bool random_make_constant(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const unsigned t = ++g->name_count, list = random_integers(g, 1, (int64_t[]){1});
    if (g->opset >= 12 && random_coin(g)) {
        random_put(g, "t%u = %s value_float=0.5\n", t, op);
    } else if (g->opset >= 9 && random_coin(g)) {
        random_put(g, "tensor f%u f32 1 = 0.25\nt%u = ConstantOfShape i%u value=@f%u\n", t, t, list,
                   t);
    } else if (g->opset >= 11) {
        random_put(g, "init c%u f32 = 0\ninit d%u f32 = 1\nt%u = Range c%u d%u d%u\n", t, t, t, t,
                   t, t);
    } else {
        random_put(g, "tensor f%u f32 1 = 0.25\nt%u = %s value=@f%u\n", t, t, op, t);
    }
    random_node(g, "Add", x->rank, x->shape, x, NULL);
    random_put(g, " t%u\n", t);
    return true;
}

/* Two comparisons, or their results, as a number. */
bool random_make_logic(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool alone = strcmp(op, "Not") == 0;
    if (g->opset < 9)
        return false;
    const struct random_value *y = random_partner(g, x);
    const unsigned t = g->name_count += 3;
    random_put(g, "t%u = Less %s %s\nt%u = Greater %s %s\n", t - 2, x->name, y->name, t - 1,
               x->name, y->name);
    if (alone)
        random_put(g, "t%u = %s t%u\n", t, op, t - 2);
    else
        random_put(g, "t%u = %s t%u t%u\n", t, op, t - 2, t - 1);
    const bool reads = x->reads_input || y->reads_input;
    random_put(g, "%s = Cast t%u to=1\n", random_add(g, "v", x->rank, x->shape, reads)->name, t);
    return true;
}

bool random_make_prelu(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    for (unsigned d = 0; d < x->rank; d++)
        shape[d] = random_coin(g) ? 1 : x->shape[d];
    const unsigned low = x->rank ? (unsigned)random_below(g, x->rank) : 0;
    const struct random_value *slope = random_weight(g, x->rank - low, shape + low);
    random_node(g, op, x->rank, x->shape, x, slope);
    random_put(g, "\n");
    return true;
}

bool random_make_instance_norm(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank < 3)
        return false;
    const struct random_value *scale = random_weight(g, 1, x->shape + 1),
                              *bias = random_weight(g, 1, x->shape + 1);
    random_node(g, op, x->rank, x->shape, x, scale);
    random_put(g, " %s epsilon=0.1\n", bias->name);
    return true;
}
