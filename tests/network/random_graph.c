/* SPDX-License-Identifier: Apache-2.0 */
#include "random_graph.h"

#include <stdio.h>

#include "random.h"

enum { MOST = 3000 /* elements */ };

static uint64_t below(struct random_graph *g, uint64_t bound)
{
    return test_below(&g->random, bound);
}

static bool coin(struct random_graph *g)
{
    return below(g, 2);
}

/* --- values and statements */
static struct random_value *add(struct random_graph *g, const char *letter, unsigned rank,
                                const uint64_t *shape, bool reads_input)
{
    struct random_value *v = &g->values[g->count++];
    *v = (struct random_value){.rank = rank, .reads_input = reads_input};
    snprintf(v->name, sizeof v->name, "%s%u", letter, ++g->name_count);
    for (unsigned d = 0; d < rank; d++)
        v->shape[d] = shape[d];
    return v;
}

static uint64_t elements(unsigned rank, const uint64_t *shape)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < rank; d++)
        count *= shape[d];
    return count;
}

static void put(struct random_graph *g, const char *format, ...) SAM_PRINTF(2, 3);
static void put(struct random_graph *g, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sam_buffer_puts(&g->text, text);
}

static void put_shape(struct random_graph *g, unsigned rank, const uint64_t *shape)
{
    for (unsigned d = 0; d < rank; d++)
        put(g, " %llu", (unsigned long long)shape[d]);
}

/* A float initializer that may become an input. */
static struct random_value *weight(struct random_graph *g, unsigned rank, const uint64_t *shape)
{
    struct random_value *v = add(g, "w", rank, shape, false);
    put(g, "init %s f32", v->name);
    put_shape(g, rank, shape);
    put(g, " = rand\n");
    return v;
}

/* Integers that parameters come from; the number of their name. */
static unsigned integers(struct random_graph *g, unsigned count, const int64_t *numbers)
{
    put(g, "init i%u i64 %u =", ++g->name_count, count);
    for (unsigned i = 0; i < count; i++)
        put(g, " %lld", (long long)numbers[i]);
    put(g, "%s\n", count ? "" : " 0");
    return g->name_count;
}

static void put_list(struct random_graph *g, const char *name, unsigned count,
                     const int64_t *numbers)
{
    put(g, " %s=[", name);
    for (unsigned i = 0; i < count; i++)
        put(g, "%s%lld", i ? "," : "", (long long)numbers[i]);
    put(g, "]");
}

/* An axis, in newer opsets at times counted from the end. */
static int64_t signed_axis(struct random_graph *g, unsigned axis, unsigned rank)
{
    return g->opset >= 11 && coin(g) ? (int64_t)axis - (int64_t)rank : (int64_t)axis;
}

static struct random_value *pick(struct random_graph *g)
{
    return &g->values[below(g, g->count)];
}

/* Begins the statement of a node with this output. */
static struct random_value *node(struct random_graph *g, const char *op, unsigned rank,
                                 const uint64_t *shape, const struct random_value *a,
                                 const struct random_value *b)
{
    const bool reads = a->reads_input || (b && b->reads_input);
    struct random_value *v = add(g, "v", rank, shape, reads);
    put(g, "%s = %s %s%s%s", v->name, op, a->name, b ? " " : "", b ? b->name : "");
    return v;
}

static struct random_value *same_shape(struct random_graph *g, const char *op,
                                       const struct random_value *x)
{
    struct random_value *v = node(g, op, x->rank, x->shape, x, NULL);
    put(g, "\n");
    return v;
}

/* |x| + 0.5 */
static struct random_value *positive(struct random_graph *g, const struct random_value *x)
{
    static const uint64_t none[1];
    const struct random_value *half = add(g, "c", 0, none, false);
    put(g, "init %s f32 = 0.5\n", half->name);
    const struct random_value *size = same_shape(g, "Abs", x);
    struct random_value *v = node(g, "Add", x->rank, x->shape, size, half);
    put(g, "\n");
    return v;
}

/* A value, or a new initializer, that broadcasts with `x`; a new one never changes its shape. */
static struct random_value *partner(struct random_graph *g, const struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    unsigned rank = (unsigned)below(g, x->rank + 1);
    if (g->opset < 8)
        rank = x->rank; /* Min and Max do not broadcast */
    for (unsigned tries = 0; tries < 8; tries++) {
        struct random_value *v = pick(g);
        if (v->rank == x->rank && memcmp(v->shape, x->shape, sizeof x->shape) == 0 && coin(g))
            return v;
    }
    for (unsigned d = 0; d < rank; d++)
        shape[d] = g->opset >= 8 && coin(g) ? 1 : x->shape[x->rank - rank + d];
    return weight(g, rank, shape);
}

/* --- one function per kind of operator. They return false where the value does not suit. */
static bool make_unary(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool domain =
        strcmp(op, "Log") == 0 || strcmp(op, "Sqrt") == 0 || strcmp(op, "Reciprocal") == 0;
    if (strcmp(op, "HardSwish") == 0 && g->opset < 14)
        return false;
    if (strcmp(op, "Erf") == 0 && g->opset < 9)
        return false;
    if (strcmp(op, "Exp") == 0)
        x = same_shape(g, "Tanh", x);
    if (domain)
        x = positive(g, x);
    node(g, op, x->rank, x->shape, x, NULL);
    if ((strcmp(op, "LeakyRelu") == 0 || strcmp(op, "HardSigmoid") == 0) && coin(g))
        put(g, " alpha=0.%u", (unsigned)below(g, 9) + 1);
    if (strcmp(op, "HardSigmoid") == 0 && coin(g))
        put(g, " beta=0.%u", (unsigned)below(g, 9) + 1);
    put(g, "\n");
    return true;
}

static bool make_binary(struct random_graph *g, const char *op, struct random_value *x)
{
    struct random_value *y = partner(g, x);
    if (strcmp(op, "Div") == 0)
        y = positive(g, y);
    if (strcmp(op, "Pow") == 0) {
        x = positive(g, same_shape(g, "Sigmoid", x));
        y = same_shape(g, "Tanh", y);
    }
    if (coin(g) && strcmp(op, "Div") != 0 && strcmp(op, "Pow") != 0)
        node(g, op, x->rank, x->shape, y, x);
    else
        node(g, op, x->rank, x->shape, x, y);
    put(g, "\n");
    return true;
}

static bool make_sum(struct random_graph *g, const char *op, struct random_value *x)
{
    const struct random_value *y = partner(g, x), *z = partner(g, x);
    struct random_value *v = node(g, op, x->rank, x->shape, x, y);
    v->reads_input = v->reads_input || z->reads_input;
    put(g, " %s\n", z->name);
    return true;
}

/* A comparison that decides between two values, or becomes a number. */
static bool make_compare(struct random_graph *g, const char *op, struct random_value *x)
{
    if (g->opset < 9 || (g->opset < 11 && strcmp(op, "Equal") == 0))
        return false;
    const struct random_value *y = partner(g, x);
    const unsigned test = ++g->name_count;
    put(g, "t%u = %s %s %s\n", test, op, x->name, y->name);
    struct random_value *v = add(g, "v", x->rank, x->shape, x->reads_input || y->reads_input);
    if (coin(g))
        put(g, "%s = Cast t%u to=1\n", v->name, test);
    else
        put(g, "%s = Where t%u %s %s\n", v->name, test, x->name, y->name);
    return true;
}

static bool make_clip(struct random_graph *g, const char *op, struct random_value *x)
{
    if (g->opset < 11) {
        node(g, op, x->rank, x->shape, x, NULL);
        put(g, " min=-0.25 max=0.%u\n", (unsigned)below(g, 90) + 10);
        return true;
    }
    const unsigned low = ++g->name_count, high = ++g->name_count, kind = (unsigned)below(g, 3);
    put(g, "init c%u f32 = -0.25\ninit c%u f32 = 0.5\n", low, high);
    node(g, op, x->rank, x->shape, x, NULL);
    if (kind == 0)
        put(g, " _ c%u\n", high);
    else if (kind == 1)
        put(g, " c%u\n", low);
    else
        put(g, " c%u c%u\n", low, high);
    return true;
}

/* To integers and back. */
static bool make_cast(struct random_graph *g, const char *op, struct random_value *x)
{
    const unsigned whole = ++g->name_count;
    put(g, "t%u = %s %s to=%d\n", whole, op, x->name, coin(g) ? 7 : coin(g) ? 6 : 9);
    put(g, "%s = Cast t%u to=1\n", add(g, "v", x->rank, x->shape, x->reads_input)->name, whole);
    return true;
}

static bool make_softmax(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)below(g, x->rank);
    node(g, op, x->rank, x->shape, x, NULL);
    put(g, " axis=%lld\n", (long long)signed_axis(g, axis, x->rank));
    return true;
}

static bool make_layer_norm(struct random_graph *g, const char *op, struct random_value *x)
{
    if (g->opset < 17 || !x->rank)
        return false;
    const unsigned axis = (unsigned)below(g, x->rank);
    const uint64_t *shape = x->shape + axis;
    const struct random_value *scale = weight(g, x->rank - axis, shape);
    const struct random_value *bias = coin(g) ? weight(g, x->rank - axis, shape) : NULL;
    node(g, op, x->rank, x->shape, x, scale);
    put(g, "%s%s axis=%lld epsilon=0.1\n", bias ? " " : "", bias ? bias->name : "",
        (long long)signed_axis(g, axis, x->rank));
    return true;
}

static bool make_reduce(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool keep = coin(g), input = strcmp(op, "ReduceSum") == 0 && g->opset >= 13;
    int64_t axes[RANDOM_RANK];
    uint64_t shape[RANDOM_RANK];
    unsigned count = 0, rank = 0, list = 0;
    for (unsigned d = 0; d < x->rank; d++)
        if (coin(g)) {
            axes[count++] = signed_axis(g, d, x->rank);
            if (keep)
                shape[rank++] = 1;
        } else {
            shape[rank++] = x->shape[d];
        }
    if (!count)
        return false;
    if (input)
        list = integers(g, count, axes);
    node(g, op, rank, shape, x, NULL);
    if (input)
        put(g, " i%u", list);
    else
        put_list(g, "axes", count, axes);
    put(g, " keepdims=%d\n", keep);
    return true;
}

static bool make_argmax(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)below(g, x->rank), index = ++g->name_count;
    for (unsigned d = 0; d < x->rank; d++)
        shape[d] = d == axis ? 1 : x->shape[d];
    put(g, "t%u = %s %s axis=%u\n", index, op, x->name, axis);
    put(g, "%s = Cast t%u to=1\n", add(g, "v", x->rank, shape, x->reads_input)->name, index);
    return true;
}

static bool make_global(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank < 3)
        return false;
    const uint64_t shape[RANDOM_RANK] = {x->shape[0], x->shape[1], 1, 1, 1};
    node(g, op, x->rank, shape, x, NULL);
    put(g, "\n");
    return true;
}

static bool make_matmul(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t right[RANDOM_RANK], shape[RANDOM_RANK];
    if (!x->rank)
        return false;
    const uint64_t inner = x->shape[x->rank - 1], columns = below(g, 6) + 1;
    const bool vector = below(g, 4) == 0;
    unsigned batch = x->rank > 2 ? (unsigned)below(g, x->rank - 1) : 0, rank = 0;
    for (unsigned d = 0; d < batch; d++)
        right[d] = coin(g) ? 1 : x->shape[x->rank - 2 - batch + d];
    batch = vector ? 0 : batch;
    right[batch] = inner;
    right[batch + 1] = columns;
    const struct random_value *w = weight(g, vector ? 1 : batch + 2, right);
    for (unsigned d = 0; d + 1 < x->rank; d++)
        shape[rank++] = x->shape[d];
    if (!vector)
        shape[rank++] = columns;
    node(g, op, rank, shape, x, w);
    put(g, "\n");
    return true;
}

static bool make_gemm(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank != 2)
        return false;
    const bool left = coin(g), right = coin(g), bias = g->opset < 11 || coin(g);
    const uint64_t rows = x->shape[left], inner = x->shape[!left], columns = below(g, 6) + 1;
    const struct random_value *b =
        weight(g, 2, right ? (uint64_t[]){columns, inner} : (uint64_t[]){inner, columns});
    const struct random_value *c =
        bias ? weight(g, coin(g) ? 1 : 2, coin(g) ? (uint64_t[]){1, 1} : (uint64_t[]){1, columns})
             : NULL;
    node(g, op, 2, (uint64_t[]){rows, columns}, x, b);
    put(g, "%s%s transA=%d transB=%d", c ? " " : "", c ? c->name : "", left, right);
    put(g, coin(g) ? " alpha=0.5 beta=2.0\n" : "\n");
    return true;
}

static bool make_batch_norm(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank < 2)
        return false;
    const unsigned first = g->name_count + 1;
    for (unsigned k = 0; k < 4; k++) {
        put(g, "init c%u f32 %llu =", ++g->name_count, (unsigned long long)x->shape[1]);
        for (uint64_t i = 0; i < x->shape[1]; i++)
            put(g, " %.3f", (double)(below(g, 1000) + (k == 3 ? 100 : 0)) / 500);
        put(g, "\n");
    }
    node(g, op, x->rank, x->shape, x, NULL);
    put(g, " c%u c%u c%u c%u epsilon=0.01\n", first, first + 1, first + 2, first + 3);
    return true;
}

/* Windows of one axis that fit: returns how many there are. */
static uint64_t choose_window(struct random_graph *g, uint64_t size, int64_t *kernel,
                              int64_t *stride, int64_t *dilation, int64_t *before, int64_t *after)
{
    *kernel = (int64_t)below(g, 3) + 1;
    *stride = (int64_t)below(g, 3) + 1;
    *dilation = *dilation ? (int64_t)below(g, 2) + 1 : 1;
    const int64_t window = (*kernel - 1) * *dilation + 1;
    *before = (int64_t)below(g, (uint64_t)*kernel);
    *after = (int64_t)below(g, (uint64_t)*kernel);
    const int64_t room = (int64_t)size + *before + *after - window;
    return room < 0 ? 0 : (uint64_t)(room / *stride) + 1;
}

static bool make_conv(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool transposed = strcmp(op, "ConvTranspose") == 0;
    if (x->rank != 3 && x->rank != 4)
        return false;
    const unsigned spatial = x->rank - 2;
    const uint64_t group = coin(g) ? 1 : x->shape[1], each = below(g, 3) + 1;
    int64_t kernel[2], stride[2], dilation[2] = {1, 1}, pads[4], extra[2] = {0};
    uint64_t shape[RANDOM_RANK] = {x->shape[0], each * group};
    uint64_t weights[RANDOM_RANK] = {transposed ? x->shape[1] : each * group,
                                     transposed ? each : x->shape[1] / group};
    for (unsigned d = 0; d < spatial; d++) {
        shape[2 + d] = choose_window(g, x->shape[2 + d], &kernel[d], &stride[d], &dilation[d],
                                     &pads[d], &pads[spatial + d]);
        weights[2 + d] = (uint64_t)kernel[d];
        if (transposed) {
            extra[d] = stride[d] > 1 ? (int64_t)below(g, 2) : 0;
            shape[2 + d] =
                (uint64_t)(stride[d] * ((int64_t)x->shape[2 + d] - 1) + extra[d] +
                           (kernel[d] - 1) * dilation[d] + 1 - pads[d] - pads[spatial + d]);
        }
        if (shape[2 + d] == 0 || shape[2 + d] > MOST)
            return false;
    }
    if (elements(x->rank, shape) > MOST)
        return false;
    const struct random_value *w = weight(g, x->rank, weights);
    const struct random_value *b = coin(g) ? weight(g, 1, shape + 1) : NULL;
    node(g, op, x->rank, shape, x, w);
    put(g, "%s%s group=%llu", b ? " " : "", b ? b->name : "", (unsigned long long)group);
    put_list(g, "strides", spatial, stride);
    put_list(g, "dilations", spatial, dilation);
    put_list(g, "pads", 2 * spatial, pads);
    if (transposed)
        put_list(g, "output_padding", spatial, extra);
    put(g, "\n");
    return true;
}

/* The output of a Conv that auto_pad keeps or strides divide. */
static bool make_same(struct random_graph *g, const char *op, struct random_value *x)
{
    if (x->rank != 4)
        return false;
    const int64_t stride[2] = {(int64_t)below(g, 3) + 1, (int64_t)below(g, 3) + 1};
    const uint64_t kernel[2] = {below(g, 4) + 1, below(g, 4) + 1};
    const uint64_t shape[] = {x->shape[0], 2, (x->shape[2] - 1) / (uint64_t)stride[0] + 1,
                              (x->shape[3] - 1) / (uint64_t)stride[1] + 1};
    const struct random_value *w = weight(g, 4, (uint64_t[]){2, x->shape[1], kernel[0], kernel[1]});
    node(g, op, 4, shape, x, w);
    put_list(g, "strides", 2, stride);
    put(g, " auto_pad=SAME_%s\n", coin(g) ? "UPPER" : "LOWER");
    return true;
}

static bool make_pool(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool most = strcmp(op, "MaxPool") == 0;
    if (x->rank != 3 && x->rank != 4)
        return false;
    const unsigned spatial = x->rank - 2;
    int64_t kernel[2], stride[2], dilation[2], pads[4];
    uint64_t shape[RANDOM_RANK] = {x->shape[0], x->shape[1]};
    const bool ceil = g->opset >= 10 && coin(g), count_pad = !most && !ceil && coin(g);
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
    node(g, op, x->rank, shape, x, NULL);
    put_list(g, "kernel_shape", spatial, kernel);
    put_list(g, "strides", spatial, stride);
    put_list(g, "pads", 2 * spatial, pads);
    if (most && g->opset >= 10)
        put_list(g, "dilations", spatial, dilation);
    put(g, "%s%s\n", ceil ? " ceil_mode=1" : "", count_pad ? " count_include_pad=1" : "");
    return true;
}

static bool make_transpose(struct random_graph *g, const char *op, struct random_value *x)
{
    int64_t perm[RANDOM_RANK] = {0};
    uint64_t shape[RANDOM_RANK];
    for (unsigned d = 0; d < x->rank; d++) { /* a shuffle from the inside out */
        const unsigned at = (unsigned)below(g, d + 1);
        perm[d] = perm[at];
        perm[at] = d;
    }
    for (unsigned d = 0; d < x->rank; d++)
        shape[d] = x->shape[perm[d]];
    if (!x->rank)
        return false;
    node(g, op, x->rank, shape, x, NULL);
    put_list(g, "perm", x->rank, perm);
    put(g, "\n");
    return true;
}

/* Two dimensions merged, or one split. */
static bool make_reshape(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    int64_t numbers[RANDOM_RANK];
    unsigned rank = 0;
    const unsigned at = (unsigned)below(g, RANDOM_RANK);
    for (unsigned d = 0; d < x->rank; d++)
        if (d == at && d + 1 < x->rank && coin(g))
            shape[rank++] = x->shape[d] * x->shape[d + 1], d++;
        else if (d == at && x->shape[d] % 2 == 0 && x->rank < RANDOM_RANK)
            shape[rank++] = 2, shape[rank++] = x->shape[d] / 2;
        else
            shape[rank++] = x->shape[d];
    for (unsigned d = 0; d < rank; d++)
        numbers[d] = d < x->rank && shape[d] == x->shape[d] && coin(g) ? 0 : (int64_t)shape[d];
    if (rank && coin(g))
        numbers[below(g, rank)] = -1;
    const unsigned list = integers(g, rank, numbers);
    node(g, op, rank, shape, x, NULL);
    put(g, " i%u\n", list);
    return true;
}

/* To a shape computed from the shape of the value: the last dimension, and all others. */
static bool make_shape(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const uint64_t last = x->shape[x->rank - 1];
    const unsigned first = integers(g, 1, (int64_t[]){(int64_t)x->rank - 1}),
                   open = integers(g, 1, (int64_t[]){-1}), t = g->name_count;
    g->name_count += 3;
    put(g, "s%u = %s %s\ns%u = Gather s%u i%u\n", t + 1, op, x->name, t + 2, t + 1, first);
    put(g, "s%u = Concat s%u i%u axis=0\n", t + 3, t + 2, open);
    node(g, "Reshape", 2, (uint64_t[]){last, elements(x->rank, x->shape) / last}, x, NULL);
    put(g, " s%u\n", t + 3);
    return true;
}

static bool make_flatten(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)below(g, x->rank + 1);
    const uint64_t outer = elements(axis, x->shape);
    node(g, op, 2, (uint64_t[]){outer, elements(x->rank, x->shape) / outer}, x, NULL);
    put(g, " axis=%u\n", axis);
    return true;
}

static bool make_unsqueeze(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    if (x->rank == RANDOM_RANK)
        return false;
    const unsigned at = (unsigned)below(g, x->rank + 1);
    for (unsigned d = 0; d <= x->rank; d++)
        shape[d] = d < at ? x->shape[d] : d == at ? 1 : x->shape[d - 1];
    const int64_t axis = signed_axis(g, at, x->rank + 1);
    const unsigned list = g->opset >= 13 ? integers(g, 1, &axis) : 0;
    node(g, op, x->rank + 1, shape, x, NULL);
    if (list)
        put(g, " i%u\n", list);
    else
        put(g, " axes=[%lld]\n", (long long)axis);
    return true;
}

static bool make_squeeze(struct random_graph *g, const char *op, struct random_value *x)
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
    const int64_t axis = signed_axis(g, at, x->rank);
    const unsigned list = g->opset >= 13 ? integers(g, 1, &axis) : 0;
    node(g, op, rank, shape, x, NULL);
    if (list)
        put(g, " i%u\n", list);
    else
        put(g, " axes=[%lld]\n", (long long)axis);
    return true;
}

static bool make_plain(struct random_graph *g, const char *op, struct random_value *x)
{
    same_shape(g, op, x);
    return true;
}

static bool make_concat(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK] = {0}, other[RANDOM_RANK];
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)below(g, x->rank);
    memcpy(shape, x->shape, sizeof shape);
    memcpy(other, x->shape, sizeof other);
    other[axis] = below(g, 3) + 1;
    shape[axis] = 2 * x->shape[axis] + other[axis];
    if (elements(x->rank, shape) > MOST)
        return false;
    const struct random_value *w = weight(g, x->rank, other);
    node(g, op, x->rank, shape, x, w);
    put(g, " %s axis=%lld\n", x->name, (long long)signed_axis(g, axis, x->rank));
    return true;
}

static bool make_split(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)below(g, x->rank);
    const uint64_t size = x->shape[axis], first = size < 2 ? 0 : below(g, size - 1) + 1;
    const int64_t sizes[2] = {(int64_t)first, (int64_t)(size - first)};
    uint64_t shape[RANDOM_RANK];
    if (!first)
        return false;
    const unsigned list = g->opset >= 13 ? integers(g, 2, sizes) : 0;
    memcpy(shape, x->shape, sizeof shape);
    shape[axis] = first;
    const struct random_value *a = add(g, "v", x->rank, shape, x->reads_input);
    shape[axis] = size - first;
    const struct random_value *b = add(g, "v", x->rank, shape, x->reads_input);
    put(g, "%s,%s = %s %s", a->name, b->name, op, x->name);
    if (list)
        put(g, " i%u", list);
    else
        put_list(g, "split", 2, sizes);
    put(g, " axis=%lld\n", (long long)signed_axis(g, axis, x->rank));
    return true;
}

static bool make_slice(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    int64_t start[RANDOM_RANK], end[RANDOM_RANK], step[RANDOM_RANK], axes[RANDOM_RANK];
    for (unsigned d = 0; d < x->rank; d++) {
        const int64_t size = (int64_t)x->shape[d];
        axes[d] = d;
        step[d] = g->opset >= 10 ? (int64_t)below(g, 3) + 1 : 1;
        start[d] = (int64_t)below(g, (uint64_t)size);
        end[d] = start[d] + 1 + (int64_t)below(g, (uint64_t)(size - start[d]));
        shape[d] = (uint64_t)((end[d] - start[d] - 1) / step[d] + 1);
        if (end[d] == size && coin(g))
            end[d] = INT32_MAX;
        if (g->opset >= 10 && coin(g)) { /* backwards over the whole axis */
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
        lists[0] = integers(g, x->rank, start);
        lists[1] = integers(g, x->rank, end);
        lists[2] = integers(g, x->rank, axes);
        lists[3] = integers(g, x->rank, step);
    }
    node(g, op, x->rank, shape, x, NULL);
    if (lists[0]) {
        put(g, " i%u i%u i%u i%u\n", lists[0], lists[1], lists[2], lists[3]);
        return true;
    }
    put_list(g, "starts", x->rank, start);
    put_list(g, "ends", x->rank, end);
    put(g, "\n");
    return true;
}

static bool make_pad(struct random_graph *g, const char *op, struct random_value *x)
{
    int64_t pads[2 * RANDOM_RANK];
    uint64_t shape[RANDOM_RANK];
    for (unsigned d = 0; d < x->rank; d++) {
        const int64_t crop = x->shape[d] > 1 && below(g, 4) == 0 ? -1 : 0;
        pads[d] = (int64_t)below(g, 3);
        pads[x->rank + d] = crop ? crop : (int64_t)below(g, 3);
        shape[d] = (uint64_t)((int64_t)x->shape[d] + pads[d] + pads[x->rank + d]);
    }
    if (!x->rank || elements(x->rank, shape) > MOST)
        return false;
    const unsigned list = g->opset >= 11 ? integers(g, 2 * x->rank, pads) : 0, c = ++g->name_count;
    if (list)
        put(g, "init c%u f32 = 0.75\n", c);
    node(g, op, x->rank, shape, x, NULL);
    if (list) {
        put(g, " i%u c%u\n", list, c);
    } else {
        put_list(g, "pads", 2 * x->rank, pads);
        put(g, " value=0.75\n");
    }
    return true;
}

static bool make_expand(struct random_graph *g, const char *op, struct random_value *x)
{
    const bool tile = strcmp(op, "Tile") == 0;
    int64_t numbers[RANDOM_RANK];
    uint64_t shape[RANDOM_RANK];
    unsigned repeated = 0;
    if (g->opset < 8 || !x->rank)
        return false;
    for (unsigned d = 0; d < x->rank; d++) {
        const uint64_t by = (tile ? repeated < 2 : x->shape[d] == 1) && coin(g) ? 2 : 1;
        repeated += by > 1;
        shape[d] = x->shape[d] * by;
        numbers[d] = (int64_t)(tile || coin(g) ? by : shape[d]);
    }
    if (elements(x->rank, shape) > MOST)
        return false;
    const unsigned list = integers(g, x->rank, numbers);
    node(g, op, x->rank, shape, x, NULL);
    put(g, " i%u\n", list);
    return true;
}

static bool make_gather(struct random_graph *g, const char *op, struct random_value *x)
{
    uint64_t shape[RANDOM_RANK];
    int64_t rows[3];
    if (!x->rank)
        return false;
    const unsigned axis = (unsigned)below(g, x->rank), count = (unsigned)below(g, 3) + 1;
    const uint64_t size = x->shape[axis];
    memcpy(shape, x->shape, sizeof shape);
    shape[axis] = count;
    for (unsigned i = 0; i < count; i++)
        rows[i] = signed_axis(g, (unsigned)below(g, size), (unsigned)size);
    const unsigned list = integers(g, count, rows);
    node(g, op, x->rank, shape, x, NULL);
    put(g, " i%u axis=%u\n", list, axis);
    return true;
}

static bool make_resize(struct random_graph *g, const char *op, struct random_value *x)
{
    static const char *const coordinates[] = {"half_pixel", "pytorch_half_pixel", "align_corners",
                                              "asymmetric"};
    static const char *const rounding[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                           "ceil"};
    const bool upsample = strcmp(op, "Upsample") == 0, linear = coin(g);
    if (x->rank != 4 || (upsample ? g->opset >= 10 : g->opset < 10))
        return false;
    const unsigned up = (unsigned)below(g, 2) + 2, right = (unsigned)below(g, 2) + 1;
    uint64_t shape[] = {x->shape[0], x->shape[1], x->shape[2] * up, x->shape[3] * right};
    const bool any = g->opset >= 13 && coin(g); /* size */
    if (any) {
        shape[2] = below(g, 2 * x->shape[2]) + 1;
        shape[3] = below(g, 2 * x->shape[3]) + 1;
    }
    const unsigned scales = ++g->name_count;
    if (elements(4, shape) > MOST)
        return false;
    if (g->opset >= 9)
        put(g, "init c%u f32 4 = 1 1 %u %u\n", scales, up, right);
    const int64_t sizes[] = {(int64_t)shape[0], (int64_t)shape[1], (int64_t)shape[2],
                             (int64_t)shape[3]};
    const unsigned list = any ? integers(g, 4, sizes) : 0;
    const unsigned roi = ++g->name_count;
    if (g->opset >= 11 && g->opset < 13)
        put(g, "init c%u f32 0 = 0\n", roi);
    node(g, op, 4, shape, x, NULL);
    if (g->opset < 9)
        put(g, " scales=[1.0,1.0,%u.0,%u.0]", up, right);
    else if (g->opset < 11)
        put(g, " c%u", scales);
    else if (list)
        put(g, " _ _ i%u", list);
    else if (g->opset < 13)
        put(g, " c%u c%u", roi, scales);
    else
        put(g, " _ c%u", scales);
    if (g->opset >= 11)
        put(g, " coordinate_transformation_mode=%s", coordinates[below(g, 4)]);
    if (g->opset >= 11 && !linear)
        put(g, " nearest_mode=%s", rounding[below(g, 4)]);
    put(g, " mode=%s\n", linear ? "linear" : "nearest");
    return true;
}

/* Constants of each kind, added to a value. */
static bool make_constant(struct random_graph *g, const char *op, struct random_value *x)
{
    if (!x->rank)
        return false;
    const unsigned t = ++g->name_count, list = integers(g, 1, (int64_t[]){1});
    if (g->opset >= 12 && coin(g)) {
        put(g, "t%u = %s value_float=0.5\n", t, op);
    } else if (g->opset >= 9 && coin(g)) {
        put(g, "tensor f%u f32 1 = 0.25\nt%u = ConstantOfShape i%u value=@f%u\n", t, t, list, t);
    } else if (g->opset >= 11) {
        put(g, "init c%u f32 = 0\ninit d%u f32 = 1\nt%u = Range c%u d%u d%u\n", t, t, t, t, t, t);
    } else {
        put(g, "tensor f%u f32 1 = 0.25\nt%u = %s value=@f%u\n", t, t, op, t);
    }
    node(g, "Add", x->rank, x->shape, x, NULL);
    put(g, " t%u\n", t);
    return true;
}

static const struct {
    const char *name;
    bool (*make)(struct random_graph *g, const char *op, struct random_value *x);
} operators[] = {
    {"Conv", make_conv},
    {"Conv", make_same},
    {"ConvTranspose", make_conv},
    {"MaxPool", make_pool},
    {"AveragePool", make_pool},
    {"GlobalAveragePool", make_global},
    {"GlobalMaxPool", make_global},
    {"BatchNormalization", make_batch_norm},
    {"MatMul", make_matmul},
    {"Gemm", make_gemm},
    {"Add", make_binary},
    {"Sub", make_binary},
    {"Mul", make_binary},
    {"Div", make_binary},
    {"Pow", make_binary},
    {"Min", make_binary},
    {"Max", make_sum},
    {"Sum", make_sum},
    {"Equal", make_compare},
    {"Less", make_compare},
    {"Greater", make_compare},
    {"Clip", make_clip},
    {"Relu", make_unary},
    {"LeakyRelu", make_unary},
    {"Sigmoid", make_unary},
    {"HardSigmoid", make_unary},
    {"HardSwish", make_unary},
    {"Tanh", make_unary},
    {"Erf", make_unary},
    {"Exp", make_unary},
    {"Log", make_unary},
    {"Sqrt", make_unary},
    {"Reciprocal", make_unary},
    {"Neg", make_unary},
    {"Abs", make_unary},
    {"Cast", make_cast},
    {"Softmax", make_softmax},
    {"LayerNormalization", make_layer_norm},
    {"ReduceMean", make_reduce},
    {"ReduceSum", make_reduce},
    {"ReduceMax", make_reduce},
    {"ReduceMin", make_reduce},
    {"ArgMax", make_argmax},
    {"Transpose", make_transpose},
    {"Reshape", make_reshape},
    {"Shape", make_shape},
    {"Flatten", make_flatten},
    {"Squeeze", make_squeeze},
    {"Unsqueeze", make_unsqueeze},
    {"Identity", make_plain},
    {"Dropout", make_plain},
    {"Concat", make_concat},
    {"Split", make_split},
    {"Slice", make_slice},
    {"Pad", make_pad},
    {"Expand", make_expand},
    {"Tile", make_expand},
    {"Gather", make_gather},
    {"Resize", make_resize},
    {"Upsample", make_resize},
    {"Constant", make_constant},
};

void random_graph_make(struct random_graph *g, uint64_t seed)
{
    uint64_t shape[RANDOM_RANK];
    *g = (struct random_graph){.random = seed};
    g->opset = 7 + (unsigned)below(g, 11);
    put(g, "opset %u\n", g->opset);
    for (uint64_t inputs = below(g, 2) + 1; inputs > 0; inputs--) {
        const unsigned rank = coin(g) ? 4 : (unsigned)below(g, RANDOM_RANK + 1);
        for (unsigned d = 0; d < rank; d++)
            shape[d] = below(g, 6) + 1;
        struct random_value *x = add(g, "x", rank, shape, true);
        put(g, "in %s f32", x->name);
        put_shape(g, rank, shape);
        put(g, "\n");
    }
    for (uint64_t nodes = below(g, 9) + 2; nodes > 0 && g->count + 10 < RANDOM_VALUES;) {
        const uint64_t i = below(g, SAM_COUNT(operators));
        nodes -=
            operators[i].make(g, operators[i].name, coin(g) ? &g->values[g->count - 1] : pick(g));
    }
    put(g, "out %s", g->values[g->count - 1].name);
    for (unsigned i = 0; i + 1 < g->count; i++)
        if (g->values[i].name[0] == 'v' && below(g, 3) == 0)
            put(g, " %s", g->values[i].name);
    put(g, "\n");
}
