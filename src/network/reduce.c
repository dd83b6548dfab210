/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over any axes: over the rows of tiles or, where the innermost axis is reduced, over
 * their columns. */
#include <math.h>

#include "network/build.h"

enum { ELEMENTS = 16384 }; /* of a tile */

struct reduce {
    struct net_builder *b;
    const char *fold, *join; /* "sum", "add" */
    enum sam_dtype dtype;
    double start;
    struct net_space over; /* the reduced axes, the innermost last; operand 0 is the input */
    bool rows;             /* tiles have rows of the reduced elements: one result a column */
    uint64_t count;        /* elements of each result */
    bool once;             /* one tile holds all of them */
    const struct net_site *site;
    struct net_tile result, index; /* index: of ArgMax */
};

static struct net_tile load_block(struct reduce *r, const struct net_site *part)
{
    const int64_t *const stride = r->over.operand[0].stride;
    struct sam_net_text *const text = &r->b->text;
    struct net_box box = sam_net_site_box(text, r->site, 1, r->rows, false);
    const uint32_t inner = r->over.axes - 1;
    for (uint32_t i = 0; i <= inner; i++)
        box.at = sam_net_add(text, box.at, sam_net_times(text, part->at[i], stride[i]));
    if (!r->rows) { /* rows x the innermost reduced axis */
        box.size[box.count - 1] = part->cols;
        box.stride[box.count - 1] = stride[inner];
        return sam_net_load(text, net_shape_of(r->dtype, r->site->rows, part->cols), &box);
    }
    const int64_t step = box.stride[box.count - 1];
    box.count = 0;
    for (uint32_t i = 0; i <= inner; i++)
        if (part->size[i] != 1) {
            box.size[box.count] = part->size[i];
            box.stride[box.count++] = stride[i];
        }
    box.size[box.count] = r->site->cols;
    box.stride[box.count++] = step;
    return sam_net_load(text, net_shape_of(r->dtype, part->rows * part->cols, r->site->cols), &box);
}

static struct net_tile result_shape(const struct reduce *r, enum sam_dtype dtype)
{
    return net_shape_of(dtype, r->rows ? 1 : r->site->rows, r->rows ? r->site->cols : 1);
}

static void reduce_block(struct reduce *r, const struct net_site *at)
{
    struct sam_net_text *const text = &r->b->text;
    const struct net_tile block = load_block(r, at), like = result_shape(r, r->dtype);
    char name[24];
    sam_format(name, sizeof name, "t%s%s", r->rows ? "col" : "row", r->fold);
    const bool one = (r->rows ? block.rows : block.cols) == 1;
    const struct net_tile part = one ? block : NET_OP1(text, name, like, block);
    if (r->once) {
        r->result = part;
        return;
    }
    sam_format(name, sizeof name, "t%s", r->join);
    sam_net_op_into(text, name, r->result, 2, (struct net_tile[]){r->result, part});
}

static void reduce_site(struct reduce *r)
{
    struct net_builder *const b = r->b;
    if (!r->once)
        r->result = NET_OP1(&b->text, "texpands", result_shape(r, r->dtype),
                            sam_net_scalar(&b->text, r->dtype, r->start));
    for (struct net_site part = {.space = &r->over}; sam_net_site_next(b, &part);)
        reduce_block(r, &part);
    if (b->node->op == NET_ReduceMean)
        r->result = sam_net_with(&b->text, r->dtype == SAM_F32 ? "tmuls" : "tdivs", r->result,
                                 r->dtype == SAM_F32 ? 1 / (double)r->count : (double)r->count);
    sam_net_site_store(&b->text, r->site, r->result);
}

/* The largest of a block takes the place of that so far where it is larger. */
static void arg_site(struct reduce *r)
{
    struct sam_net_text *const text = &r->b->text;
    for (uint64_t at = 0; at < r->over.extent[0]; at += r->over.tile[0]) {
        const uint64_t left = r->over.extent[0] - at,
                       size = left < r->over.tile[0] ? left : r->over.tile[0];
        const struct net_site part = {
            .at = {net_at((int64_t)at)}, .size = {size}, .rows = 1, .cols = size};
        const struct net_tile block = /* zeros of both signs are equal */
            sam_net_with(text, "tadds", load_block(r, &part), 0);
        const struct net_tile most =
            NET_OP1(text, r->rows ? "tcolmax" : "trowmax", result_shape(r, r->dtype), block);
        struct net_tile index =
            NET_OP1(text, r->rows ? "tcolargmax" : "trowargmax", result_shape(r, SAM_I32), block);
        if (at == 0) {
            r->result = most;
            r->index = index;
            continue;
        }
        index = sam_net_with(text, "tadds", index, (double)at);
        const struct net_tile mask =
            NET_OP2(text, "tcmp {cmp = gt}", result_shape(r, SAM_U8), most, r->result);
        r->index = NET_OP3(text, "tsel", index, mask, index, r->index);
        r->result = NET_OP3(text, "tsel", most, mask, most, r->result);
    }
    sam_net_site_store(text, r->site, r->index);
}

/* The reduced axes by their strides, the largest first; those that are one are merged. */
static void reduced_axes(struct reduce *r, const struct net_place *from, uint32_t mask)
{
    struct net_place reduced = {0};
    for (uint32_t i = 0; i < from->rank; i++)
        if (mask >> i & 1 && from->shape[i] != 1) {
            reduced.shape[reduced.rank] = from->shape[i];
            reduced.stride[reduced.rank++] = from->stride[i];
            r->count *= from->shape[i];
        }
    sam_net_space_of(&r->over, &reduced);
    sam_net_space_merge(&r->over, false);
}

/* Blocks of at most `most` elements of the reduced axes. */
static void cut(struct reduce *r, uint64_t most)
{
    r->once = true;
    for (uint32_t i = r->over.axes, dims = 0; i-- > 0; dims++) {
        const uint64_t extent = r->over.extent[i];
        uint64_t *const tile = &r->over.tile[i];
        *tile = dims < (r->rows ? 3 : 1) && most ? extent : 1;
        if (*tile > most)
            *tile = most ? most : 1;
        most = *tile < extent ? 0 : most / *tile;
        r->once &= *tile == extent;
    }
}

/* How each operator folds, joins what it has folded, and begins. */
static void operator_of(struct reduce *r, enum sam_net_op op)
{
    const bool max = op == NET_ReduceMax, extreme = max || op == NET_ReduceMin;
    const struct net_range all = sam_net_range_of(r->dtype);
    r->fold = !extreme ? "sum" : max ? "max" : "min";
    r->join = extreme ? r->fold : "add";
    r->start = !extreme ? 0 : max ? all.low : all.high;
}

void sam_net_plan_reduce(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const struct net_place from = sam_net_place_of(b, node->inputs[0]);
    const bool arg = node->op == NET_ArgMax;
    const uint32_t mask = arg ? UINT32_C(1) << node->params.axis : node->params.axes;
    struct reduce r = {
        .b = b, .dtype = sam_net_kept(b->graph->values[node->inputs[0]].dtype), .count = 1};
    operator_of(&r, node->op);
    reduced_axes(&r, &from, mask);
    const bool keeps = b->graph->values[node->output].rank == from.rank;
    const struct net_place place =
        sam_net_place_new(b, node->output, keeps ? sam_net_order_like(&from) : sam_net_order_c);
    struct net_place to = from; /* the output with all axes of the input */
    int64_t kept[NET_RANK + 1] = {0}, innermost = INT64_MAX;
    to.buffer = place.buffer;
    to.offset = place.offset;
    for (uint32_t i = 0, at = 0; i < from.rank; i++) {
        const bool reduced = mask >> i & 1;
        to.shape[i] = reduced ? 1 : from.shape[i];
        to.stride[i] = reduced ? 0 : place.stride[keeps ? i : at];
        kept[i] = reduced ? 0 : from.stride[i];
        at += !reduced;
        if (to.shape[i] > 1 && from.stride[i] < innermost)
            innermost = from.stride[i];
    }
    r.rows = innermost < r.over.operand[0].stride[r.over.axes - 1];
    struct net_space space;
    sam_net_space_of(&space, &to);
    sam_net_space_add(b, &space, NET_NONE, &from, kept);
    if (r.rows) {
        sam_net_space_merge(&space, false);
        sam_net_space_tile(&space, 1, 512);
        cut(&r, ELEMENTS / ((space.tile[space.axes - 1] + 7) / 8 * 8));
    } else { /* a column of one element */
        sam_net_space_column(&space);
        sam_net_space_merge(&space, true);
        cut(&r, 2048);
        sam_net_space_tile(&space, ELEMENTS / ((r.over.tile[r.over.axes - 1] + 7) / 8 * 8), 1);
    }
    for (struct net_site site = {.space = &space}; sam_net_site_next(b, &site);) {
        r.site = &site;
        (arg ? arg_site : reduce_site)(&r);
    }
}
