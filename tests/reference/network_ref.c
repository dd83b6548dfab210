/* SPDX-License-Identifier: Apache-2.0 */
#include "network_ref.h"

#include <math.h>
#include <stdlib.h>

void **network_ref_values(const struct net_graph *g)
{
    void **values = calloc(g->value_count + 1, sizeof *values);
    bool good = values;
    for (size_t i = 0; good && i < g->value_count; i++) {
        const struct sam_net_value *v = &g->values[i];
        values[i] = v->data ? (void *)v->data : calloc(v->count + 1, sam_dtype_size(v->dtype));
        good = values[i];
    }
    if (good)
        return values;
    network_ref_free(g, values);
    return NULL;
}

void network_ref_free(const struct net_graph *g, void **values)
{
    for (size_t i = 0; values && i < g->value_count; i++)
        if (!g->values[i].data)
            free(values[i]);
    free(values);
}

/* --- a tensor and its elements */
struct tensor {
    const struct sam_net_value *v;
    void *data;
};

static double get(const struct tensor *t, uint64_t i)
{
    uint64_t bits = 0;
    const size_t size = sam_dtype_size(t->v->dtype);
    if (t->v->dtype == SAM_F32)
        return (double)((const float *)t->data)[i];
    memcpy(&bits, (const char *)t->data + i * size, size);
    return sam_dtype_value(t->v->dtype, bits);
}

static void put(const struct tensor *t, uint64_t i, double x)
{
    switch (t->v->dtype) {
    case SAM_F32: ((float *)t->data)[i] = (float)x; break;
    case SAM_I64: ((int64_t *)t->data)[i] = (int64_t)x; break;
    case SAM_I32: ((int32_t *)t->data)[i] = (int32_t)x; break;
    default: ((uint8_t *)t->data)[i] = (uint8_t)x; break;
    }
}

struct index {
    int64_t at[NET_RANK];
};

static struct index index_of(const struct sam_net_value *v, uint64_t i)
{
    struct index x = {{0}};
    for (uint32_t d = v->rank; d-- > 0; i /= v->shape[d])
        x.at[d] = (int64_t)(i % v->shape[d]);
    return x;
}

static uint64_t offset_of(const struct sam_net_value *v, const struct index *x)
{
    uint64_t offset = 0;
    for (uint32_t d = 0; d < v->rank; d++)
        offset = offset * v->shape[d] + (uint64_t)x->at[d];
    return offset;
}

/* Element of `t` that broadcasting brings to element i of `out`. */
static double get_broadcast(const struct tensor *t, const struct sam_net_value *out, uint64_t i)
{
    struct index x, y = {{0}};
    if (t->v->count == 1)
        return get(t, 0);
    if (t->v->count == out->count)
        return get(t, i);
    x = index_of(out, i);
    for (uint32_t d = 0; d < t->v->rank; d++)
        y.at[d] = t->v->shape[d] == 1 ? 0 : x.at[out->rank - t->v->rank + d];
    return get(t, offset_of(t->v, &y));
}

/* --- elements */
static double element(const struct net_node *n, double a, double b, double c)
{
    const double alpha = (double)n->params.alpha, beta = (double)n->params.beta;
    double y;
    switch (n->op) {
    case NET_Add: return a + b;
    case NET_Sub: return a - b;
    case NET_Mul: return a * b;
    case NET_Div: return a / b;
    case NET_Pow: return pow(a, b);
    case NET_Min: return fmin(a, b);
    case NET_Max: return fmax(a, b);
    case NET_Equal: return a == b;
    case NET_Less: return a < b;
    case NET_Greater: return a > b;
    case NET_Where: return a != 0 ? b : c;
    case NET_Clip: return a < alpha ? alpha : a > beta ? beta : a;
    case NET_Relu: return a > 0 ? a : 0;
    case NET_LeakyRelu: return a >= 0 ? a : alpha * a;
    case NET_Sigmoid: return 1 / (1 + exp(-a));
    case NET_HardSigmoid: y = alpha * a + beta; return y < 0 ? 0 : y > 1 ? 1 : y;
    case NET_HardSwish: y = a / 6 + 0.5; return a * (y < 0 ? 0 : y > 1 ? 1 : y);
    case NET_Tanh: return tanh(a);
    case NET_Erf: return erf(a);
    case NET_Exp: return exp(a);
    case NET_Log: return log(a);
    case NET_Sqrt: return sqrt(a);
    case NET_Reciprocal: return 1 / a;
    case NET_Neg: return -a;
    case NET_Abs: return fabs(a);
    default: return a; /* Cast */
    }
}

static void elements(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const bool to_bool = n->op == NET_Cast && out->v->dtype == SAM_U8;
    for (uint64_t i = 0; i < out->v->count; i++) {
        double x[3] = {0};
        for (uint32_t k = 0; k < n->input_count; k++)
            x[k] = get_broadcast(&in[k], out->v, i);
        const double y = element(n, x[0], x[1], x[2]);
        put(out, i, to_bool ? y != 0 : out->v->dtype == SAM_F32 ? y : trunc(y));
    }
}

/* --- windows */
/* Weights as floats. */
static float *widen(const struct tensor *t)
{
    float *wide = malloc((size_t)t->v->count * sizeof *wide);
    for (uint64_t i = 0; wide && i < t->v->count; i++)
        wide[i] = (float)get(t, i);
    return wide;
}

static void conv(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const struct net_params *p = &n->params;
    const uint64_t *xs = in[0].v->shape, *os = out->v->shape, channels = xs[1] / p->group;
    const int64_t kh = (int64_t)p->kernel[0], kw = (int64_t)p->kernel[1];
    const float *x = in[0].data;
    float *w = widen(&in[1]), *y = out->data;
    if (!w)
        abort();
    for (uint64_t b = 0; b < os[0]; b++)
        for (uint64_t m = 0; m < os[1]; m++)
            for (uint64_t oy = 0; oy < os[2]; oy++)
                for (uint64_t ox = 0; ox < os[3]; ox++) {
                    const uint64_t first = m / (os[1] / p->group) * channels;
                    double sum = n->input_count > 2 ? get(&in[2], m) : 0;
                    for (uint64_t c = 0; c < channels; c++)
                        for (int64_t ky = 0; ky < kh; ky++)
                            for (int64_t kx = 0; kx < kw; kx++) {
                                const int64_t iy = (int64_t)(oy * p->stride[0] - p->pad[0]) +
                                                   ky * (int64_t)p->dilation[0],
                                              ix = (int64_t)(ox * p->stride[1] - p->pad[1]) +
                                                   kx * (int64_t)p->dilation[1];
                                if (iy < 0 || iy >= (int64_t)xs[2] || ix < 0 ||
                                    ix >= (int64_t)xs[3])
                                    continue;
                                const uint64_t from =
                                    ((b * xs[1] + first + c) * xs[2] + (uint64_t)iy) * xs[3] +
                                    (uint64_t)ix;
                                sum +=
                                    (double)x[from] *
                                    (double)w[((m * channels + c) * (uint64_t)kh + (uint64_t)ky) *
                                                  (uint64_t)kw +
                                              (uint64_t)kx];
                            }
                    y[((b * os[1] + m) * os[2] + oy) * os[3] + ox] = (float)sum;
                }
    free(w);
}

static void conv_transpose(const struct net_node *n, const struct tensor *in,
                           const struct tensor *out)
{
    const struct net_params *p = &n->params;
    const uint64_t *xs = in[0].v->shape, *os = out->v->shape, *ws = in[1].v->shape;
    double *sums = calloc(out->v->count, sizeof *sums);
    float *w = widen(&in[1]);
    if (!sums || !w)
        abort();
    for (uint64_t i = 0; i < in[0].v->count; i++)
        for (uint64_t k = 0; k < ws[1] * ws[2] * ws[3]; k++) {
            const struct index at = index_of(in[0].v, i);
            const uint64_t c = (uint64_t)at.at[1];
            const uint64_t m = c / (xs[1] / p->group) * ws[1] + k / (ws[2] * ws[3]);
            const uint64_t ky = k / ws[3] % ws[2], kx = k % ws[3];
            const uint64_t y = (uint64_t)at.at[2] * p->stride[0] + ky * p->dilation[0] - p->pad[0];
            const uint64_t x = (uint64_t)at.at[3] * p->stride[1] + kx * p->dilation[1] - p->pad[1];
            if (y < os[2] && x < os[3]) /* below zero is huge */
                sums[(((uint64_t)at.at[0] * os[1] + m) * os[2] + y) * os[3] + x] +=
                    get(&in[0], i) * (double)w[c * ws[1] * ws[2] * ws[3] + k];
        }
    for (uint64_t i = 0; i < out->v->count; i++)
        put(out, i, sums[i] + (n->input_count > 2 ? get(&in[2], i / (os[2] * os[3]) % os[1]) : 0));
    free(sums);
    free(w);
}

static void pool(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const struct net_params *p = &n->params;
    const uint64_t *xs = in->v->shape;
    for (uint64_t i = 0; i < out->v->count; i++) {
        const struct index at = index_of(out->v, i);
        double sum = 0, most = -INFINITY;
        uint64_t count = 0;
        for (uint64_t ky = 0; ky < p->kernel[0]; ky++)
            for (uint64_t kx = 0; kx < p->kernel[1]; kx++) {
                const uint64_t y =
                    (uint64_t)at.at[2] * p->stride[0] + ky * p->dilation[0] - p->pad[0];
                const uint64_t x =
                    (uint64_t)at.at[3] * p->stride[1] + kx * p->dilation[1] - p->pad[1];
                if (y >= xs[2] || x >= xs[3])
                    continue;
                const double value =
                    get(in, (i / sam_net_inner(out->v, 1) * xs[2] + y) * xs[3] + x);
                sum += value;
                most = value > most || isnan(value) ? value : most;
                count++;
            }
        for (uint32_t d = 0; d < 2 && p->count_pad; d++) {
            uint64_t inside = 0;
            for (uint64_t k = 0; k < p->kernel[d]; k++)
                inside += (uint64_t)at.at[2 + d] * p->stride[d] + k * p->dilation[d] <
                          p->pad[d] + xs[2 + d] + p->pad[2 + d] - (uint64_t)p->start[d];
            count = d ? count * inside : inside;
        }
        put(out, i, n->op == NET_MaxPool ? most : sum / (double)count);
    }
}

/* --- products */
static void matmul(const struct tensor *in, const struct tensor *out)
{
    const struct sam_net_value *a = in[0].v, *b = in[1].v, *o = out->v;
    const uint64_t rows = o->shape[o->rank - 2], columns = o->shape[o->rank - 1],
                   length = a->shape[a->rank - 1];
    float *w = widen(&in[1]);
    if (!w)
        abort();
    for (uint64_t batch = 0; batch < o->count / rows / columns; batch++) {
        struct index at = index_of(o, batch * rows * columns), x = {{0}}, y = {{0}};
        for (uint32_t d = 0; d + 2 < a->rank; d++)
            x.at[d] = a->shape[d] == 1 ? 0 : at.at[o->rank - a->rank + d];
        for (uint32_t d = 0; d + 2 < b->rank; d++)
            y.at[d] = b->shape[d] == 1 ? 0 : at.at[o->rank - b->rank + d];
        const float *left = (const float *)in[0].data + offset_of(a, &x),
                    *right = w + offset_of(b, &y);
        for (uint64_t r = 0; r < rows; r++)
            for (uint64_t c = 0; c < columns; c++) {
                double sum = 0;
                for (uint64_t k = 0; k < length; k++)
                    sum += (double)left[r * length + k] * (double)right[k * columns + c];
                put(out, (batch * rows + r) * columns + c, sum);
            }
    }
    free(w);
}

/* --- rows */
static void softmax(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const uint32_t axis = n->params.axis;
    const uint64_t size = in->v->shape[axis], inner = sam_net_inner(in->v, axis);
    for (uint64_t row = 0; row < in->v->count / size; row++) {
        const uint64_t first = row / inner * size * inner + row % inner;
        double most = -INFINITY, sum = 0;
        for (uint64_t i = 0; i < size; i++)
            most = fmax(most, get(in, first + i * inner));
        for (uint64_t i = 0; i < size; i++)
            sum += exp(get(in, first + i * inner) - most);
        for (uint64_t i = 0; i < size; i++)
            put(out, first + i * inner, exp(get(in, first + i * inner) - most) / sum);
    }
}

static void layer_norm(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const uint64_t size = in[0].v->count / sam_net_outer(in[0].v, n->params.axis);
    for (uint64_t first = 0; first < in[0].v->count; first += size) {
        double mean = 0, variance = 0;
        for (uint64_t i = 0; i < size; i++)
            mean += get(&in[0], first + i) / (double)size;
        for (uint64_t i = 0; i < size; i++)
            variance += pow(get(&in[0], first + i) - mean, 2) / (double)size;
        for (uint64_t i = 0; i < size; i++)
            put(out, first + i,
                (get(&in[0], first + i) - mean) / sqrt(variance + (double)n->params.alpha) *
                        get(&in[1], i) +
                    (n->input_count > 2 ? get(&in[2], i) : 0));
    }
}

/* Reductions: each output is found by the inputs that belong to it. */
static void reduce(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const uint64_t count = in->v->count / out->v->count;
    double *found = calloc(out->v->count, sizeof *found);
    uint64_t *seen = calloc(out->v->count, sizeof *seen),
             *best = calloc(out->v->count, sizeof *best);
    if (!found || !seen || !best)
        abort();
    for (uint64_t i = 0; i < in->v->count; i++) {
        const struct index at = index_of(in->v, i);
        uint64_t to = 0;
        for (uint32_t d = 0; d < in->v->rank; d++)
            if (!(n->params.axes >> d & 1))
                to = to * in->v->shape[d] + (uint64_t)at.at[d];
        const double x = get(in, i);
        const bool first = !seen[to]++, less = n->op == NET_ReduceMin;
        if (n->op == NET_ReduceSum || n->op == NET_ReduceMean) {
            found[to] += x;
        } else if (first || (less ? x < found[to] : x > found[to])) {
            found[to] = x;
            best[to] = (uint64_t)at.at[n->params.axis];
        }
    }
    for (uint64_t i = 0; i < out->v->count; i++)
        put(out, i,
            n->op == NET_ArgMax       ? (double)best[i]
            : n->op == NET_ReduceMean ? found[i] / (double)count
                                      : found[i]);
    free(found);
    free(seen);
    free(best);
}

/* --- moves */
static void move(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const struct net_params *p = &n->params;
    for (uint64_t i = 0; i < out->v->count; i++) {
        const struct index at = index_of(out->v, i);
        struct index from = {{0}};
        bool inside = true;
        for (uint32_t d = 0; d < out->v->rank; d++) {
            const uint32_t axis = n->op == NET_Transpose ? p->perm[d] : d;
            from.at[axis] = n->op == NET_Slice ? p->start[d] + at.at[d] * p->step[d]
                            : n->op == NET_Pad ? at.at[d] - p->start[d]
                                               : at.at[d];
            inside = inside && from.at[axis] >= 0 && from.at[axis] < (int64_t)in->v->shape[axis];
        }
        put(out, i, inside ? get(in, offset_of(in->v, &from)) : (double)p->fill);
    }
}

static void concat(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const uint32_t axis = n->params.axis;
    int64_t before = 0;
    for (uint32_t k = 0; k < n->input_count; k++) {
        for (uint64_t i = 0; i < in[k].v->count; i++) {
            struct index at = index_of(in[k].v, i);
            at.at[axis] += before;
            put(out, offset_of(out->v, &at), get(&in[k], i));
        }
        before += (int64_t)in[k].v->shape[axis];
    }
}

static void gather(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const uint32_t axis = n->params.axis, added = in[1].v->rank;
    for (uint64_t i = 0; i < out->v->count; i++) {
        const struct index at = index_of(out->v, i);
        struct index row = {{0}}, from = {{0}};
        for (uint32_t d = 0; d < added; d++)
            row.at[d] = at.at[axis + d];
        for (uint32_t d = 0; d < in[0].v->rank; d++)
            if (d != axis)
                from.at[d] = at.at[d < axis ? d : d + added - 1];
        from.at[axis] = (int64_t)get(&in[1], offset_of(in[1].v, &row));
        if (from.at[axis] < 0)
            from.at[axis] += (int64_t)in[0].v->shape[axis];
        put(out, i, get(&in[0], offset_of(in[0].v, &from)));
    }
}

/* --- Resize */
/* The coordinate in the input, in floats as everybody computes it. */
static float coordinate(const struct net_params *p, uint32_t d, uint64_t to, uint64_t in,
                        uint64_t out)
{
    const float x = (float)to, scale = p->scale[d];
    switch (p->coordinate) {
    case NET_HALF_PIXEL: return (x + 0.5f) / scale - 0.5f;
    case NET_PYTORCH_HALF_PIXEL: return out > 1 ? (x + 0.5f) / scale - 0.5f : 0;
    case NET_ALIGN_CORNERS: return out > 1 ? x * (float)(in - 1) / (float)(out - 1) : 0;
    case NET_TF_CROP: {
        const float begin = p->crop[0][d], end = p->crop[1][d], last = (float)in - 1;
        return out > 1 ? begin * last + x * (end - begin) * last / (float)(out - 1)
                       : 0.5f * (begin + end) * last;
    }
    case NET_TF_HALF_PIXEL: return (x + 0.5f) / scale;
    default: return x / scale;
    }
}

static int64_t nearest(enum net_nearest mode, float x, uint64_t size)
{
    const float low = floorf(x), rest = x - low;
    int64_t at = (int64_t)low;
    switch (mode) {
    case NET_ROUND_PREFER_FLOOR: at += rest > 0.5f; break;
    case NET_ROUND_PREFER_CEIL: at += rest >= 0.5f; break;
    case NET_CEIL: at += rest > 0; break;
    default: break;
    }
    return at < 0 ? 0 : at >= (int64_t)size ? (int64_t)size - 1 : at;
}

/* The weight of an element at distance t. */
static double cubic_weight(double a, double t)
{
    t = fabs(t);
    if (t >= 2)
        return 0;
    return t <= 1 ? (a + 2) * t * t * t - (a + 3) * t * t + 1
                  : a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a;
}

/* The last two axes of four; elements at the edge are repeated, or those outside do not count. */
static double cubic(const struct net_params *p, const struct tensor *in, struct index at,
                    const uint64_t *to)
{
    const uint64_t *from = in->v->shape;
    double sum = 0, all = 0;
    float x[2];
    for (uint32_t d = 2; d < 4; d++)
        x[d - 2] = p->scale[d] == 1 && from[d] == to[d] && p->coordinate != NET_TF_CROP
                       ? (float)at.at[d]
                       : coordinate(p, d, (uint64_t)at.at[d], from[d], to[d]);
    for (int64_t i = (int64_t)floorf(x[0]) - 1; i <= (int64_t)floorf(x[0]) + 2; i++)
        for (int64_t k = (int64_t)floorf(x[1]) - 1; k <= (int64_t)floorf(x[1]) + 2; k++) {
            const double weight = cubic_weight((double)p->alpha, (double)x[0] - (double)i) *
                                  cubic_weight((double)p->alpha, (double)x[1] - (double)k);
            const int64_t h = (int64_t)from[2] - 1, w = (int64_t)from[3] - 1;
            if (!p->count_pad && (i < 0 || i > h || k < 0 || k > w))
                continue;
            at.at[2] = i < 0 ? 0 : i > h ? h : i;
            at.at[3] = k < 0 ? 0 : k > w ? w : k;
            sum += weight * get(in, offset_of(in->v, &at));
            all += weight;
        }
    return p->count_pad ? sum : sum / all;
}

static void resize(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    const struct net_params *p = &n->params;
    const uint64_t *from = in->v->shape, *to = out->v->shape;
    for (uint64_t i = 0; i < out->v->count; i++) {
        const struct index at = index_of(out->v, i);
        struct index low = at, high = at;
        double part[NET_RANK] = {0}, sum = 0;
        if (p->resize == NET_CUBIC) {
            put(out, i, cubic(p, in, at, to));
            continue;
        }
        for (uint32_t d = 0; d < out->v->rank; d++) {
            float x = p->scale[d] == 1 && from[d] == to[d] && p->coordinate != NET_TF_CROP
                          ? (float)at.at[d]
                          : coordinate(p, d, (uint64_t)at.at[d], from[d], to[d]);
            low.at[d] = nearest(p->nearest, x, from[d]);
            if (p->resize == NET_NEAREST)
                continue;
            x = x < 0 ? 0 : x > (float)(from[d] - 1) ? (float)(from[d] - 1) : x;
            low.at[d] = (int64_t)x;
            high.at[d] = low.at[d] + 1 < (int64_t)from[d] ? low.at[d] + 1 : low.at[d];
            part[d] = (double)(x - (float)low.at[d]);
        }
        if (p->resize == NET_NEAREST) {
            put(out, i, get(in, offset_of(in->v, &low)));
            continue;
        }
        for (unsigned corner = 0; corner < 1u << out->v->rank; corner++) {
            struct index x = low;
            double weight = 1;
            for (uint32_t d = 0; d < out->v->rank; d++) {
                x.at[d] = corner >> d & 1 ? high.at[d] : low.at[d];
                weight *= corner >> d & 1 ? part[d] : 1 - part[d];
            }
            if (weight != 0)
                sum += weight * get(in, offset_of(in->v, &x));
        }
        put(out, i, sum);
    }
}

static void run(const struct net_node *n, const struct tensor *in, const struct tensor *out)
{
    switch (n->op) {
    case NET_Conv: conv(n, in, out); break;
    case NET_ConvTranspose: conv_transpose(n, in, out); break;
    case NET_MaxPool:
    case NET_AveragePool: pool(n, in, out); break;
    case NET_MatMul: matmul(in, out); break;
    case NET_Softmax: softmax(n, in, out); break;
    case NET_LayerNormalization: layer_norm(n, in, out); break;
    case NET_ReduceMean:
    case NET_ReduceSum:
    case NET_ReduceMax:
    case NET_ReduceMin:
    case NET_ArgMax: reduce(n, in, out); break;
    case NET_Transpose:
    case NET_Slice:
    case NET_Pad: move(n, in, out); break;
    case NET_Reshape:
        memcpy(out->data, in->data, (size_t)out->v->count * sam_dtype_size(out->v->dtype));
        break;
    case NET_Concat: concat(n, in, out); break;
    case NET_Expand: elements(n, in, out); break; /* of one input, unchanged */
    case NET_Gather: gather(n, in, out); break;
    case NET_Resize: resize(n, in, out); break;
    default: elements(n, in, out); break;
    }
}

void network_ref_run(const struct net_graph *g, void *const *values)
{
    for (size_t i = 0; i < g->node_count; i++) {
        const struct net_node *n = &g->nodes[i];
        const struct tensor out = {&g->values[n->output], values[n->output]};
        struct tensor *in = calloc(n->input_count + 1, sizeof *in);
        if (!in)
            abort();
        for (uint32_t k = 0; k < n->input_count; k++)
            in[k] = (struct tensor){&g->values[n->inputs[k]], values[n->inputs[k]]};
        run(n, in, &out);
        free(in);
    }
}
