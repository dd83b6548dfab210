/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 64 bits are kept in 32: whether all that a run computes have room, by the least and
 * the largest that each value can have, from the inputs on. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "network/plan.h"

struct net_range sam_net_range_of(enum sam_dtype dtype)
{
    switch (dtype) {
    case SAM_U8: return (struct net_range){0, UINT8_MAX};
    case SAM_I32:
    case SAM_I64: return (struct net_range){INT32_MIN, INT32_MAX};
    default: return (struct net_range){-INFINITY, INFINITY};
    }
}

static struct net_range join(struct net_range a, struct net_range b)
{
    return (struct net_range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static struct net_range of_data(const struct sam_net_value *v, const void *data)
{
    struct sam_net_value held = *v;
    struct net_range r = sam_net_range_of(v->dtype);
    held.data = data;
    for (uint64_t i = 0; v->dtype != SAM_F32 && i < v->count; i++) {
        const double x = (double)sam_net_whole(&held, i);
        r = i ? join(r, (struct net_range){x, x}) : (struct net_range){x, x};
    }
    return r;
}

static double largest(struct net_range r)
{
    return fmax(fabs(r.low), fabs(r.high));
}

/* The corners of a product. */
static struct net_range times(struct net_range a, struct net_range b)
{
    const struct net_range low = {fmin(a.low * b.low, a.low * b.high),
                                  fmax(a.low * b.low, a.low * b.high)};
    const struct net_range high = {fmin(a.high * b.low, a.high * b.high),
                                   fmax(a.high * b.low, a.high * b.high)};
    return join(low, high);
}

/* Of an integer output. A run checks those that a Cast makes of floats. */
static struct net_range of_node(const struct net_graph *g, const struct net_node *n,
                                const struct net_range *ranges)
{
    const struct sam_net_value *out = &g->values[n->output], *in[3] = {out, out, out};
    struct net_range r[3] = {0}, any = {INFINITY, -INFINITY};
    for (uint32_t k = 0; k < n->input_count; k++) {
        const struct net_range one = ranges[n->inputs[k]];
        if (k < 3) {
            in[k] = &g->values[n->inputs[k]];
            r[k] = one;
        }
        any = join(any, one);
    }
    const double magnitude = largest(r[0]);
    switch (n->op) {
    case NET_Add: return (struct net_range){r[0].low + r[1].low, r[0].high + r[1].high};
    case NET_Sub: return (struct net_range){r[0].low - r[1].high, r[0].high - r[1].low};
    case NET_Mul: return times(r[0], r[1]);
    case NET_Pow:
        r[2].high = fmax(1, pow(magnitude, r[1].high));
        return (struct net_range){r[0].low < 0 ? -r[2].high : 0, r[2].high};
    case NET_Div: return (struct net_range){-magnitude, magnitude};
    case NET_Neg: return (struct net_range){-r[0].high, -r[0].low};
    case NET_Abs: return (struct net_range){0, magnitude};
    case NET_Min: return (struct net_range){fmin(r[0].low, r[1].low), fmin(r[0].high, r[1].high)};
    case NET_Max: return (struct net_range){fmax(r[0].low, r[1].low), fmax(r[0].high, r[1].high)};
    case NET_Where: return join(r[1], r[2]);
    case NET_Equal:
    case NET_Less:
    case NET_Greater: return (struct net_range){0, 1};
    case NET_Pad:
        return join(r[0], (struct net_range){(double)n->params.fill, (double)n->params.fill});
    case NET_Cast:
        return in[0]->dtype == SAM_F32 || out->dtype == SAM_U8 ? sam_net_range_of(out->dtype)
                                                               : r[0];
    case NET_ReduceSum:
    case NET_ReduceMean: { /* by its sum */
        const double count = (double)in[0]->count / (double)out->count;
        return times(r[0], (struct net_range){1, count});
    }
    case NET_ArgMax: return (struct net_range){0, (double)in[0]->shape[n->params.axis] - 1};
    case NET_Gather: return r[0];
    default: return any;
    }
}

enum sam_status sam_net_check_ranges(const struct net_graph *g, const void *const *inputs,
                                     struct sam_error *error)
{
    struct net_range *const ranges = sam_alloc(g->value_count, sizeof *ranges);
    enum sam_status status = ranges ? SAM_OK : sam_fail_memory(error);
    for (size_t i = 0; ranges && i < g->value_count; i++) {
        const struct sam_net_value *v = &g->values[i];
        ranges[i] = v->data ? of_data(v, v->data) : sam_net_range_of(v->dtype);
    }
    for (size_t i = 0; ranges && i < g->input_count; i++)
        ranges[g->inputs[i]] = of_data(&g->values[g->inputs[i]], inputs[i]);
    for (size_t i = 0; status == SAM_OK && i < g->node_count; i++) {
        const struct net_node *n = &g->nodes[i];
        const struct sam_net_value *v = &g->values[n->output];
        if (v->dtype == SAM_F32)
            continue;
        const struct net_range r = of_node(g, n, ranges), most = sam_net_range_of(v->dtype);
        const bool fits = r.low >= most.low && r.high <= most.high;
        if (!fits && v->dtype == SAM_I64)
            status = sam_fail(error, SAM_ERR_INPUT,
                              "node '%s' (%s): its integers of 64 bits may be %.0f to %.0f with "
                              "these inputs: expected room in 32 bits",
                              n->name, sam_net_op_name(n->op), r.low, r.high);
        ranges[n->output] = fits ? r : most; /* types of 8 and 32 bits wrap */
    }
    free(ranges);
    return status;
}
