/* SPDX-License-Identifier: Apache-2.0 */
/* Iteration spaces: axes with the stride of each operand, cut into tiles. */
#include "network/build.h"

void sam_net_space_of(struct net_space *space, const struct sam_net_value *value,
                      const struct net_place *place)
{
    uint32_t order[NET_RANK];
    memset(space, 0, sizeof *space);
    sam_net_order_like(place, value->rank, value->shape, order);
    space->axes = value->rank;
    for (uint32_t i = 0; i < value->rank; i++) {
        space->axis[i] = order[i];
        space->extent[i] = space->tile[i] = value->shape[order[i]];
    }
    if (value->rank == 0)
        space->extent[space->axes++] = 1;
    space->operand[0] =
        (struct net_operand){.value = NET_NONE, .buffer = place->buffer, .offset = place->offset};
    for (uint32_t i = 0; i < value->rank; i++)
        space->operand[0].stride[i] = place->stride[order[i]];
    space->operands = 1;
}

uint32_t sam_net_space_add(struct net_builder *b, struct net_space *space, uint32_t value,
                           const struct net_place *place, const int64_t *stride)
{
    if (space->operands == NET_OPERANDS) {
        sam_net_build_fail(b, SAM_ERR_INPUT, "too many operands");
        return 0;
    }
    struct net_operand *const operand = &space->operand[space->operands];
    *operand =
        (struct net_operand){.value = value, .buffer = place->buffer, .offset = place->offset};
    for (uint32_t i = 0; i < space->axes; i++)
        operand->stride[i] = stride ? stride[space->axis[i]] : 0;
    return space->operands++;
}

uint32_t sam_net_space_broadcast(struct net_builder *b, struct net_space *space, uint32_t rank,
                                 uint32_t value)
{
    const struct sam_net_value *const v = &b->graph->values[value];
    const struct net_place place = sam_net_place_of(b, value);
    int64_t stride[NET_RANK] = {0};
    for (uint32_t i = 0; i < v->rank; i++)
        stride[rank - v->rank + i] = v->shape[i] == 1 ? 0 : place.stride[i];
    return sam_net_space_add(b, space, value, &place, stride);
}

uint32_t sam_net_space_split(struct net_space *space, uint32_t at, uint64_t outer)
{
    const uint64_t inner = space->extent[at] / outer;
    for (uint32_t i = space->axes++; i > at; i--) {
        space->extent[i] = space->extent[i - 1];
        space->axis[i] = space->axis[i - 1];
        for (uint32_t k = 0; k < space->operands; k++)
            space->operand[k].stride[i] = space->operand[k].stride[i - 1];
    }
    space->extent[at] = outer;
    space->extent[at + 1] = inner;
    for (uint32_t k = 0; k < space->operands; k++)
        space->operand[k].stride[at] *= (int64_t)inner;
    return at;
}

void sam_net_space_column(struct net_space *space)
{
    space->extent[space->axes++] = 1;
}

void sam_net_space_last(struct net_space *space, uint32_t axis)
{
    uint32_t at = 0;
    while (at + 1 < space->axes && space->axis[at] != axis)
        at++;
    for (; at + 1 < space->axes; at++) {
        const uint64_t extent = space->extent[at];
        space->axis[at] = space->axis[at + 1];
        space->axis[at + 1] = axis;
        space->extent[at] = space->extent[at + 1];
        space->extent[at + 1] = extent;
        for (uint32_t k = 0; k < space->operands; k++) {
            int64_t *const stride = space->operand[k].stride, moved = stride[at];
            stride[at] = stride[at + 1];
            stride[at + 1] = moved;
        }
    }
}

void sam_net_space_every(struct net_space *space, uint32_t axis, uint64_t first, uint64_t step)
{
    for (uint32_t i = 0; i < space->axes; i++) {
        if (space->axis[i] != axis)
            continue;
        space->extent[i] = (space->extent[i] - first + step - 1) / step;
        for (uint32_t k = 0; k < space->operands; k++) {
            space->operand[k].offset += (int64_t)first * space->operand[k].stride[i];
            space->operand[k].stride[i] *= (int64_t)step;
        }
    }
}

static void remove_axis(struct net_space *space, uint32_t at)
{
    space->axes--;
    for (uint32_t i = at; i < space->axes; i++) {
        space->extent[i] = space->extent[i + 1];
        space->axis[i] = space->axis[i + 1];
        for (uint32_t k = 0; k < space->operands; k++)
            space->operand[k].stride[i] = space->operand[k].stride[i + 1];
    }
}

static bool one_axis(const struct net_space *space, uint32_t at)
{
    for (uint32_t k = 0; k < space->operands; k++) {
        const struct net_operand *const o = &space->operand[k];
        if (o->stride[at] != o->stride[at + 1] * (int64_t)space->extent[at + 1])
            return false;
    }
    return true;
}

void sam_net_space_merge(struct net_space *space, bool keep_last)
{
    for (uint32_t i = space->axes - keep_last; i-- > 0 && space->axes > 1;)
        if (space->extent[i] == 1)
            remove_axis(space, i);
    for (uint32_t i = space->axes - 1; i-- > 0;)
        if (one_axis(space, i) && !(keep_last && i + 2 == space->axes)) {
            space->extent[i + 1] *= space->extent[i];
            remove_axis(space, i);
        }
}

void sam_net_space_fold(struct net_space *space)
{
    const uint64_t extent = space->extent[space->axes - 1];
    if (space->axes == NET_AXES || extent <= 512)
        return;
    for (uint64_t cols = 512; cols >= 64; cols -= 8)
        if (extent % cols == 0) {
            sam_net_space_split(space, space->axes - 1, extent / cols);
            return;
        }
}

/* The size of equal parts of at most `most`, in whole 16s where these are not more. */
static uint64_t part_of(uint64_t extent, uint64_t most)
{
    if (extent <= most)
        return extent;
    const uint64_t parts = (extent + most - 1) / most, size = (extent + parts - 1) / parts;
    const uint64_t whole = (size + 15) / 16 * 16;
    return whole <= most ? whole : size;
}

void sam_net_space_tile(struct net_space *space, uint64_t rows, uint64_t cols)
{
    const uint32_t last = space->axes - 1;
    space->tile[last] = part_of(space->extent[last], cols ? cols : 1);
    uint32_t dims = 0;
    for (uint32_t i = last; i-- > 0;) {
        space->tile[i] = dims < NET_BOX_DIMS - 1 && rows > 1 ? part_of(space->extent[i], rows) : 1;
        rows /= space->tile[i];
        dims += space->tile[i] > 1;
        if (space->tile[i] < space->extent[i])
            rows = 1;
    }
}

void sam_net_space_blocks(struct net_space *space, uint64_t most, uint64_t cols)
{
    sam_net_space_tile(space, 1, cols);
    sam_net_space_tile(space, most / ((space->tile[space->axes - 1] + 31) / 32 * 32), cols);
}

void sam_net_site_sizes(struct net_site *site)
{
    const uint32_t last = site->space->axes - 1;
    site->cols = site->size[last];
    site->rows = 1;
    for (uint32_t i = 0; i < last; i++)
        site->rows *= site->size[i];
}

bool sam_net_site_same(const struct net_site *site, uint32_t operand, bool in_rows)
{
    const struct net_space *const space = site->space;
    const uint32_t last = space->axes - 1;
    const int64_t *const stride = space->operand[operand].stride;
    if (!in_rows)
        return stride[last] == 0 || site->cols == 1;
    for (uint32_t i = 0; i < last; i++)
        if (site->size[i] > 1 && stride[i] != 0)
            return false;
    return true;
}

struct net_box sam_net_site_box(struct sam_net_text *text, const struct net_site *site,
                                uint32_t operand, bool one_row, bool one_col)
{
    const struct net_space *const space = site->space;
    const struct net_operand *const o = &space->operand[operand];
    const uint32_t last = space->axes - 1;
    struct net_box box = {.buffer = o->buffer, .at = net_at(o->offset)};
    for (uint32_t i = 0; i < space->axes; i++) {
        box.at = sam_net_add(text, box.at, sam_net_times(text, site->at[i], o->stride[i]));
        if (i == last || site->size[i] == 1 || one_row)
            continue;
        box.size[box.count] = site->size[i];
        box.stride[box.count++] = o->stride[i];
    }
    box.size[box.count] = one_col ? 1 : site->cols;
    box.stride[box.count++] = one_col || site->cols == 1 ? 1 : o->stride[last];
    return box;
}

void sam_net_site_store(struct sam_net_text *text, const struct net_site *site,
                        struct net_tile tile)
{
    const struct net_box box = sam_net_site_box(text, site, 0, false, false);
    sam_net_store(text, tile, &box);
}

struct run {
    struct net_builder *b;
    struct net_space *space;
    net_site_body *body;
    void *context;
};

static void run_body(struct sam_net_text *text, void *context, const struct net_index *at,
                     const uint64_t *size)
{
    (void)text;
    const struct run *const run = context;
    struct net_site site = {.space = run->space};
    memcpy(site.at, at, run->space->axes * sizeof *at);
    memcpy(site.size, size, run->space->axes * sizeof *size);
    sam_net_site_sizes(&site);
    run->body(run->b, run->context, &site);
}

void sam_net_space_run(struct net_builder *b, struct net_space *space, net_site_body *body,
                       void *context)
{
    struct run run = {b, space, body, context};
    if (b->status == SAM_OK)
        sam_net_nest(&b->text, space->axes, space->extent, space->tile, run_body, &run);
}

/* --- parts */

enum { MOST_OPS = 11000 };

void sam_net_space_parts(struct net_builder *b, struct net_space *space, const char *made,
                         const struct net_group *group, net_program *program, void *context)
{
    if (b->status != SAM_OK)
        return;
    const struct net_space whole = *space;
    const size_t begin = b->text.body.size;
    const uint64_t before = b->text.ops, products = b->products;
    program(b, space, context);
    const uint64_t ops = b->text.ops - before;
    uint32_t axis = 0;
    for (uint32_t i = 0; i < whole.axes; i++) /* the one of most tiles */
        if (whole.extent[i] / whole.tile[i] > whole.extent[axis] / whole.tile[axis])
            axis = i;
    const uint64_t tiles = (whole.extent[axis] + whole.tile[axis] - 1) / whole.tile[axis];
    uint64_t parts = before + ops <= MOST_OPS ? 1 : (ops + MOST_OPS - 1) / MOST_OPS;
    parts = parts < tiles ? parts : tiles;
    if (parts < 2 || b->status != SAM_OK || b->text.body.failed)
        return;
    b->text.body.size = begin; /* again */
    b->text.body.data[begin] = 0;
    b->text.ops = before;
    b->products = products;
    const uint64_t each = (tiles + parts - 1) / parts * whole.tile[axis];
    for (uint64_t at = 0; at < whole.extent[axis] && b->status == SAM_OK; at += each) {
        *space = whole;
        space->extent[axis] = whole.extent[axis] - at < each ? whole.extent[axis] - at : each;
        for (uint32_t k = 0; k < space->operands; k++)
            space->operand[k].offset += (int64_t)at * space->operand[k].stride[axis];
        program(b, space, context);
        if (at + each < whole.extent[axis])
            sam_net_step_finish(b, made, group->nodes, group->count, NET_NONE);
    }
}

struct fill {
    struct net_tile tile;
};

static void fill_body(struct net_builder *b, void *context, const struct net_site *site)
{
    struct net_tile tile = ((struct fill *)context)->tile;
    if (tile.rows != site->rows || tile.cols != site->cols)
        tile = sam_net_window(&b->text, tile, 0, 0, site->rows, site->cols);
    sam_net_site_store(&b->text, site, tile);
}

void sam_net_space_fill(struct net_builder *b, struct net_space *space, enum sam_dtype dtype,
                        double fill)
{
    sam_net_space_merge(space, false);
    sam_net_space_tile(space, 16, 1024);
    uint64_t rows = 1;
    for (uint32_t i = 0; i + 1 < space->axes; i++)
        rows *= space->tile[i];
    const struct net_tile like = net_shape_of(dtype, rows, space->tile[space->axes - 1]);
    struct fill context = {
        NET_OP1(&b->text, "texpands", like, sam_net_scalar(&b->text, dtype, fill))};
    sam_net_space_run(b, space, fill_body, &context);
}
