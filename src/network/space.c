/* SPDX-License-Identifier: Apache-2.0 */
/* Iteration spaces: axes with the stride of each operand, cut into tiles. */
#include "network/build.h"

void sam_net_space_of(struct net_space *space, const struct net_place *place)
{
    const struct net_order order = sam_net_order_like(place);
    memset(space, 0, sizeof *space);
    space->axes = place->rank ?: 1;
    space->extent[0] = 1; /* of a scalar */
    space->operands = 1;
    space->operand[0] =
        (struct net_operand){.value = NET_NONE, .buffer = place->buffer, .offset = place->offset};
    for (uint32_t i = 0; i < place->rank; i++) {
        space->axis[i] = order.axis[i];
        space->extent[i] = place->shape[order.axis[i]];
        space->operand[0].stride[i] = place->stride[order.axis[i]];
    }
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

uint32_t sam_net_space_broadcast(struct net_builder *b, struct net_space *space, uint32_t value,
                                 const struct sam_net_value *shape)
{
    const struct net_place own = sam_net_place_of(b, value),
                           wide = sam_net_place_expand(&own, shape);
    return sam_net_space_add(b, space, value, &wide, wide.stride);
}

static void copy_axis(struct net_space *space, uint32_t to, uint32_t from)
{
    space->extent[to] = space->extent[from];
    space->axis[to] = space->axis[from];
    for (uint32_t k = 0; k < space->operands; k++)
        space->operand[k].stride[to] = space->operand[k].stride[from];
}

static void remove_axis(struct net_space *space, uint32_t at)
{
    for (space->axes--; at < space->axes; at++)
        copy_axis(space, at, at + 1);
}

uint32_t sam_net_space_split(struct net_space *space, uint32_t at, uint64_t outer)
{
    const uint64_t inner = space->extent[at] / outer;
    for (uint32_t i = space->axes++; i > at; i--)
        copy_axis(space, i, i - 1);
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
    copy_axis(space, space->axes++, at);
    remove_axis(space, at);
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
    box.at = sam_net_add(text, box.at, o->shift);
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

bool sam_net_site_next(struct net_builder *b, struct net_site *site)
{
    const struct net_space *const space = site->space;
    uint64_t extent[NET_AXES], tile[NET_AXES];
    for (uint32_t i = 0; i < space->axes; i++) {
        const bool skipped = site->skipped >> i & 1;
        extent[i] = skipped ? 1 : space->extent[i];
        tile[i] = skipped ? 1 : space->tile[i];
    }
    if (b->status != SAM_OK || !sam_net_blocks(&b->text, space->axes, extent, tile, &site->blocks))
        return false;
    for (uint32_t i = 0; i < space->axes; i++)
        if (!(site->skipped >> i & 1) || site->size[i] == 0) {
            site->at[i] = site->blocks.at[i];
            site->size[i] = site->blocks.size[i];
        }
    sam_net_site_sizes(site);
    return true;
}

/* --- parts */

enum { MOST_OPS = 11000 };

/* After the first attempt: whether it was too long. If so, it is taken back. */
static bool divide(struct net_builder *b, struct net_parts *p)
{
    const struct net_space *const whole = &p->whole;
    const uint64_t ops = b->text.ops - p->ops;
    for (uint32_t i = 0; i < whole->axes; i++) /* the one of most tiles */
        if (whole->extent[i] / whole->tile[i] > whole->extent[p->axis] / whole->tile[p->axis])
            p->axis = i;
    const uint64_t tile = whole->tile[p->axis], tiles = (whole->extent[p->axis] + tile - 1) / tile;
    uint64_t parts = b->text.ops <= MOST_OPS ? 1 : (ops + MOST_OPS - 1) / MOST_OPS;
    parts = parts < tiles ? parts : tiles;
    if (parts < 2 || b->text.body.failed)
        return false;
    b->text.body.size = p->begin;
    b->text.body.data[p->begin] = 0;
    b->text.ops = p->ops;
    b->products = p->products;
    p->each = (tiles + parts - 1) / parts * tile;
    return true;
}

bool sam_net_parts(struct net_builder *b, struct net_space *space, struct net_parts *p)
{
    if (!p->begun) {
        *p = (struct net_parts){.whole = *space,
                                .begin = b->text.body.size,
                                .ops = b->text.ops,
                                .products = b->products,
                                .begun = true};
        return b->status == SAM_OK;
    }
    if (b->status != SAM_OK)
        return false;
    if (p->each) {
        p->at += p->each;
        if (p->at >= p->whole.extent[p->axis])
            return false;
        sam_net_step_finish(b, b->made, b->at->count, NET_NONE);
    } else if (!divide(b, p)) {
        return false;
    }
    const uint64_t left = p->whole.extent[p->axis] - p->at;
    *space = p->whole;
    space->extent[p->axis] = left < p->each ? left : p->each;
    for (uint32_t k = 0; k < space->operands; k++)
        space->operand[k].offset += (int64_t)p->at * space->operand[k].stride[p->axis];
    return b->status == SAM_OK;
}

void sam_net_space_fill(struct net_builder *b, struct net_space *space, double fill)
{
    const enum sam_dtype dtype = b->plan->buffers[space->operand[0].buffer].dtype;
    sam_net_space_merge(space, false);
    sam_net_space_tile(space, 16, 1024);
    uint64_t rows = 1;
    for (uint32_t i = 0; i + 1 < space->axes; i++)
        rows *= space->tile[i];
    const struct net_tile like = net_shape_of(dtype, rows, space->tile[space->axes - 1]);
    const struct net_tile all =
        NET_OP1(&b->text, "texpands", like, sam_net_scalar(&b->text, dtype, fill));
    for (struct net_site site = {.space = space}; sam_net_site_next(b, &site);) {
        const bool part = all.rows != site.rows || all.cols != site.cols;
        sam_net_site_store(&b->text, &site,
                           part ? sam_net_window(&b->text, all, 0, 0, site.rows, site.cols) : all);
    }
}
