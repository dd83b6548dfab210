/* SPDX-License-Identifier: Apache-2.0 */
/* Places of values: arrays of constants, of the caller, and in the arena. */
#include <math.h>
#include <stdlib.h>

#include "network/build.h"

uint32_t sam_net_buffer_add(struct net_builder *b, enum net_buffer_kind kind, enum sam_dtype dtype,
                            uint32_t value, uint64_t count)
{
    struct net_plan *const plan = b->plan;
    void *grown =
        sam_grow(plan->buffers, plan->buffer_count, &plan->buffer_capacity, sizeof *plan->buffers);
    if (!grown) {
        sam_net_build_fail(b, SAM_ERR_MEMORY, "out of memory");
        return 0;
    }
    plan->buffers = grown;
    plan->buffers[plan->buffer_count] = (struct net_buffer){
        .kind = kind, .dtype = dtype, .value = value, .count = count, .first = SIZE_MAX};
    return (uint32_t)plan->buffer_count++;
}

void *sam_net_weight_add(struct net_builder *b, enum sam_dtype dtype, uint64_t count,
                         uint32_t *buffer)
{
    void *const data = sam_alloc(count, sam_dtype_size(dtype));
    *buffer = sam_net_buffer_add(b, NET_BUFFER_WEIGHT, dtype, NET_NONE, count);
    if (!data || b->status != SAM_OK) {
        sam_net_build_fail(b, SAM_ERR_MEMORY, "out of memory");
        free(data);
        return NULL;
    }
    b->plan->buffers[*buffer].data = data;
    return data;
}

uint32_t sam_net_weight_as(struct net_builder *b, const struct sam_net_value *v, int64_t first,
                           uint32_t rank, const uint64_t *shape, const int64_t *stride)
{
    struct sam_net_value part = {.rank = rank, .count = 1};
    const enum sam_dtype dtype = sam_net_kept(v->dtype);
    uint32_t buffer;
    for (uint32_t i = 0; i < rank; i++)
        part.count *= part.shape[i] = shape[i];
    void *const data = sam_net_weight_add(b, dtype, part.count, &buffer);
    for (uint64_t i = 0; data && i < part.count; i++) {
        const double number = sam_net_real(v, (uint64_t)(first + net_element_at(&part, i, stride)));
        if (dtype == SAM_F32)
            ((float *)data)[i] = (float)number;
        else if (dtype == SAM_U8)
            ((uint8_t *)data)[i] = v->boolean ? number != 0 : (uint8_t)number;
        else /* saturated: as ends of slices are */
            ((int32_t *)data)[i] = (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, number));
    }
    if (data)
        b->plan->buffers[buffer].stored = v->dtype;
    return buffer;
}

void sam_net_weight_pack(struct net_builder *b, uint32_t buffer)
{
    char name[24];
    if (b->options.weights == SAM_NETWORK_RAW || b->status != SAM_OK)
        return;
    sam_format(name, sizeof name, "w%u", buffer);
    b->plan->buffers[buffer].name = sam_strdup(name);
    if (!b->plan->buffers[buffer].name)
        sam_net_build_fail(b, SAM_ERR_MEMORY, "out of memory");
}

enum sam_dtype sam_net_kept(enum sam_dtype dtype)
{
    switch (sam_dtype_class(dtype)) {
    case SAM_CLASS_FLOAT: return SAM_F32;
    case SAM_CLASS_BOOL: return SAM_U8;
    default: return dtype == SAM_U8 ? SAM_U8 : SAM_I32;
    }
}

struct net_place sam_net_place_like(const struct sam_net_value *value)
{
    struct net_place place = {.buffer = NET_NONE, .rank = value->rank};
    int64_t step = 1;
    for (uint32_t i = value->rank; i-- > 0;) {
        place.shape[i] = value->shape[i];
        place.stride[i] = step;
        step *= (int64_t)value->shape[i];
    }
    return place;
}

struct net_place sam_net_place_expand(const struct net_place *from, const struct sam_net_value *to)
{
    struct net_place place = *from;
    const uint32_t more = to->rank - from->rank;
    place.rank = to->rank;
    memcpy(place.shape, to->shape, sizeof place.shape);
    memset(place.stride, 0, sizeof place.stride);
    for (uint32_t i = 0; i < from->rank; i++)
        place.stride[more + i] = from->shape[i] == 1 ? 0 : from->stride[i];
    return place;
}

struct net_place sam_net_place_move(const struct net_place *from, const struct net_node *node,
                                    const struct sam_net_value *out)
{
    const struct net_params *const p = &node->params;
    if (node->op == NET_Expand)
        return sam_net_place_expand(from, out);
    struct net_place place = *from;
    memcpy(place.shape, out->shape, sizeof place.shape);
    for (uint32_t i = 0; i < out->rank; i++)
        if (node->op == NET_Transpose) {
            place.stride[i] = from->stride[p->perm[i]];
        } else {
            place.offset += p->start[i] * from->stride[i];
            place.stride[i] = p->step[i] * from->stride[i];
        }
    return place;
}

const struct net_order sam_net_order_c = {{0, 1, 2, 3, 4, 5, 6, 7}},
                       sam_net_order_channels = {{0, 2, 3, 1}};

struct net_order sam_net_order_like(const struct net_place *place)
{
    struct net_order order = sam_net_order_c;
    for (uint32_t i = 1; i < place->rank; i++)
        for (uint32_t j = i; j > 0; j--) {
            const uint32_t outer = order.axis[j - 1], inner = order.axis[j];
            if (place->shape[outer] <= 1 || place->shape[inner] <= 1 ||
                llabs(place->stride[outer]) >= llabs(place->stride[inner]))
                break;
            order.axis[j - 1] = inner;
            order.axis[j] = outer;
        }
    return order;
}

/* Strides of an array with a border; returns its elements. */
static uint64_t lay_out(struct net_place *place, struct net_order order,
                        const struct net_border *border)
{
    uint64_t count = 1;
    for (uint32_t i = place->rank; i-- > 0;) {
        const uint32_t axis = order.axis[i];
        place->stride[axis] = (int64_t)count;
        place->offset += (int64_t)(border->before[axis] * count);
        count *= place->shape[axis] + border->before[axis] + border->after[axis];
    }
    return count;
}

/* Fill the border: for each axis what is before and after, over the whole of the axes within it
 * and the value's own elements of those around it. */
void sam_net_place_border(struct net_builder *b, const struct net_place *place,
                          struct net_order order, const struct net_border *border, double fill)
{
    struct net_place slab = *place;
    for (uint32_t i = place->rank; i-- > 0;) {
        const uint32_t axis = order.axis[i];
        const uint64_t before = border->before[axis], after = border->after[axis];
        for (int end = 0; end < 2; end++) {
            struct net_place part = slab;
            struct net_space space;
            part.shape[axis] = end ? after : before;
            part.offset +=
                place->stride[axis] * (end ? (int64_t)place->shape[axis] : -(int64_t)before);
            if (part.shape[axis] == 0)
                continue;
            sam_net_space_of(&space, &part);
            sam_net_space_fill(b, &space, fill);
        }
        slab.shape[axis] += before + after;
        slab.offset -= place->stride[axis] * (int64_t)before;
    }
}

/* The output that a value is, or NET_NONE, and whether it may be written where the caller wants it:
 * once, without a border. */
static uint32_t output_of(const struct net_builder *b, uint32_t value)
{
    for (size_t i = 0; i < b->graph->output_count; i++)
        if (b->graph->outputs[i] == value)
            return (uint32_t)i;
    return NET_NONE;
}

static const struct net_border no_border;

struct net_place sam_net_place_copy(struct net_builder *b, uint32_t value, struct net_order order,
                                    const struct net_border *border, float fill)
{
    const struct sam_net_value *const v = &b->graph->values[value];
    const struct net_place from = sam_net_place_of(b, value);
    struct net_place place = sam_net_place_like(v);
    const uint64_t count = lay_out(&place, order, border ? border : &no_border);
    place.buffer =
        sam_net_buffer_add(b, NET_BUFFER_SCRATCH, sam_net_kept(v->dtype), NET_NONE, count);
    if (b->status != SAM_OK)
        return place;
    if (border)
        sam_net_place_border(b, &place, order, border, fill);
    sam_net_copy(b, &from, net_at(0), &place);
    sam_net_step_finish(b, border ? "pad" : "move", 1, NET_NONE);
    return place;
}

struct net_place sam_net_place_new(struct net_builder *b, uint32_t value, struct net_order order)
{
    const struct sam_net_value *const v = &b->graph->values[value];
    const struct net_border *const border = &b->border[value];
    const struct net_place plain = sam_net_place_like(v);
    struct net_place place = plain;
    const uint32_t output = output_of(b, value);
    /* Outputs that no convolution reads are in C order from the start. */
    const bool direct = output != NET_NONE && !memcmp(border, &no_border, sizeof no_border);
    if (direct && (b->uses[value] == 1 || v->rank < 3))
        order = sam_net_order_c;
    const uint64_t count = lay_out(&place, order, border);
    bool in_c_order = direct;
    for (uint32_t i = 0; i < v->rank; i++)
        in_c_order &= v->shape[i] == 1 || plain.stride[i] == place.stride[i];
    place.buffer = sam_net_buffer_add(b, in_c_order ? NET_BUFFER_OUTPUT : NET_BUFFER_SCRATCH,
                                      sam_net_kept(v->dtype), value, count);
    if (in_c_order && b->status == SAM_OK)
        b->plan->buffers[place.buffer].number = output;
    b->bordered[value] = true;
    if (b->status == SAM_OK)
        sam_net_place_border(b, &place, order, border, 0);
    return b->plan->places[value] = place;
}

struct net_place sam_net_place_of(struct net_builder *b, uint32_t value)
{
    struct net_place *const place = &b->plan->places[value];
    const struct sam_net_value *const v = &b->graph->values[value];
    if (place->buffer == NET_NONE && v->data) {
        *place = sam_net_place_like(v);
        place->buffer = sam_net_weight_as(b, v, 0, v->rank, v->shape, place->stride);
    }
    if (place->buffer == NET_NONE) {
        sam_net_build_fail(b, SAM_ERR_INPUT, "reads '%s' before it is computed", v->name);
        return (struct net_place){0};
    }
    return *place;
}
