/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move elements. */
#include "network/import.h"

uint32_t sam_net_transpose(struct import *m, uint32_t x, const uint32_t *perm)
{
    const struct net_type type = sam_net_type_of(m, x);
    struct net_type out = type;
    struct net_params p = {0};
    bool moves = false;
    for (uint32_t d = 0; d < type.rank; d++) {
        p.perm[d] = perm[d];
        out.shape[d] = type.shape[perm[d]];
        moves = moves || perm[d] != d;
    }
    return moves ? sam_net_emit1(m, NET_Transpose, &p, x, &out) : x;
}

uint32_t sam_net_import_transpose(struct import *m)
{
    const uint32_t rank = m->type.rank;
    const struct net_list list = sam_net_ints(m, "perm");
    uint32_t perm[NET_RANK];
    sam_net_axes(m, &list, rank); /* each axis once */
    if (list.given && list.count != rank)
        return sam_net_refuse(m, "perm has %u elements: expected %u", list.count, rank);
    for (uint32_t d = 0; d < rank; d++)
        perm[d] = list.given ? sam_net_axis(m, list.at[d], rank) : rank - 1 - d;
    return sam_net_transpose(m, m->x, perm);
}

/* Blocks of pixels become channels, or the other way round. */
uint32_t sam_net_import_depth(struct import *m)
{
    const bool to_depth = strcmp(m->row->name, "SpaceToDepth") == 0;
    const int64_t size = sam_net_int(m, "blocksize", 0);
    const bool columns = !to_depth && sam_net_choose(m, "mode", "DCR CRD");
    const uint64_t b = (uint64_t)size, *const s = m->type.shape;
    if (m->type.rank != 4 || size < 1 || size > 1 << 20 ||
        (to_depth ? s[2] % b || s[3] % b : s[1] % (b * b)))
        return sam_net_refuse(m, "blocks of %lld in shape %s", (long long)size,
                              sam_net_shape_text(&m->type).text);
    const uint64_t deep = to_depth ? s[1] * b * b : s[1] / (b * b);
    const struct {
        uint64_t split[6];
        uint32_t perm[6];
        uint64_t out[4];
    } to = {{s[0], s[1], s[2] / b, b, s[3] / b, b},
            {0, 3, 5, 1, 2, 4},
            {s[0], deep, s[2] / b, s[3] / b}},
      dcr = {{s[0], b, b, deep, s[2], s[3]}, {0, 3, 4, 1, 5, 2}, {s[0], deep, s[2] * b, s[3] * b}},
      crd = {{s[0], deep, b, b, s[2], s[3]}, {0, 1, 4, 2, 5, 3}, {s[0], deep, s[2] * b, s[3] * b}},
      *const way = to_depth  ? &to
                   : columns ? &crd
                             : &dcr;
    const uint32_t parts = sam_net_shaped(m, m->x, 6, way->split);
    return sam_net_shaped(m, sam_net_transpose(m, parts, way->perm), 4, way->out);
}

/* Its first dimension that is -1 has the elements that are left; 0 copies one. */
uint32_t sam_net_import_reshape(struct import *m)
{
    const struct net_list shape = sam_net_ints_input(m, 1);
    const bool zeros = sam_net_int(m, "allowzero", 0) != 0;
    struct net_type out = {.dtype = m->type.dtype, .rank = shape.count};
    uint32_t open = NET_RANK;
    if (shape.count > NET_RANK)
        return sam_net_refuse(m, "shape of %u dimensions: expected at most %d", shape.count,
                              (int)NET_RANK);
    for (uint32_t d = 0; d < shape.count; d++) {
        const int64_t size = shape.at[d];
        const bool copied = size == 0 && !zeros;
        if (size == -1 && open == NET_RANK)
            open = d;
        else if (size < 0 || (copied && d >= m->type.rank))
            return sam_net_refuse(m, "dimension %u of the new shape is %lld", d, (long long)size);
        out.shape[d] = open == d ? 1 : copied ? m->type.shape[d] : (uint64_t)size;
    }
    const uint64_t known = sam_net_count(m, &out), count = sam_net_count(m, &m->type);
    if (open < NET_RANK && known)
        out.shape[open] = count / known;
    return sam_net_reshape(m, m->x, &out);
}

uint32_t sam_net_import_flatten(struct import *m)
{
    const uint32_t rank = m->type.rank;
    const int64_t axis = sam_net_int(m, "axis", 1); /* it may also be the rank */
    const struct net_type out =
        sam_net_matrix(m, axis == rank ? rank : sam_net_axis(m, axis, rank));
    return sam_net_reshape(m, m->x, &out);
}

uint32_t sam_net_import_squeeze(struct import *m)
{
    const struct net_list axes = sam_net_ints_either(m, "axes", 1, 13);
    const uint32_t bits = sam_net_axes(m, &axes, m->type.rank);
    struct net_type out = {.dtype = m->type.dtype};
    for (uint32_t d = 0; d < m->type.rank; d++) {
        const bool chosen = bits >> d & 1, one = m->type.shape[d] == 1;
        if (chosen && !one)
            return sam_net_refuse(m, "axis %u of shape %s: expected a size of 1", d,
                                  sam_net_shape_text(&m->type).text);
        if (axes.count ? !chosen : !one)
            out.shape[out.rank++] = m->type.shape[d];
    }
    return sam_net_reshape(m, m->x, &out);
}

uint32_t sam_net_import_unsqueeze(struct import *m)
{
    const struct net_list axes = sam_net_ints_either(m, "axes", 1, 13);
    struct net_type out = {.dtype = m->type.dtype, .rank = m->type.rank + axes.count};
    if (!axes.given || out.rank > NET_RANK)
        return sam_net_refuse(m, "%u axes are added to shape %s: expected 1 to %u", axes.count,
                              sam_net_shape_text(&m->type).text, (uint32_t)NET_RANK - m->type.rank);
    const uint32_t bits = sam_net_axes(m, &axes, out.rank);
    for (uint32_t d = 0, from = 0; !m->failed && d < out.rank; d++)
        out.shape[d] = bits >> d & 1 ? 1 : m->type.shape[from++];
    return sam_net_reshape(m, m->x, &out);
}

/* Identity, and Dropout, which does nothing outside of training. */
uint32_t sam_net_import_same(struct import *m)
{
    sam_net_ignore(m, "ratio");
    sam_net_ignore(m, "seed");
    if (sam_net_has(m, 2)) {
        const struct sam_net_value *training = sam_net_value(m, sam_net_input(m, 2));
        if (!training->data || !training->count || sam_net_real(training, 0) != 0)
            return sam_net_refuse(m, "training_mode is not supported");
    }
    return m->x;
}

uint32_t sam_net_import_concat(struct import *m)
{
    const unsigned count = (unsigned)m->node->input_count;
    uint32_t *inputs = sam_net_take(m, count, sizeof *inputs), used = 0;
    struct net_type out = m->type;
    struct net_params p = {.axis = sam_net_axis(m, sam_net_int(m, "axis", 1), out.rank)};
    out.shape[p.axis] = 0;
    for (unsigned k = 0; !m->failed && k < count; k++) {
        const uint32_t id = sam_net_input(m, k);
        struct net_type type = sam_net_type_of(m, id), same = out;
        same.shape[p.axis] = type.shape[p.axis];
        if (type.dtype != out.dtype || !sam_net_same_shape(&type, &same))
            sam_net_refuse(m, "input %u of type %s and shape %s does not match %s of shape %s", k,
                           sam_dtype_name(type.dtype), sam_net_shape_text(&type).text,
                           sam_dtype_name(out.dtype), sam_net_shape_text(&same).text);
        else if (__builtin_add_overflow(out.shape[p.axis], type.shape[p.axis], &out.shape[p.axis]))
            sam_net_refuse(m, "a sum of sizes that is too large");
        if (sam_net_value(m, id)->count ||
            (k + 1 == count && !used)) /* an empty one, such as of an empty cache, adds nothing */
            inputs[used++] = id;
    }
    return used == 1 ? inputs[0] : sam_net_emit(m, NET_Concat, &p, inputs, used, &out);
}

uint32_t sam_net_part(struct import *m, uint32_t x, uint32_t axis, uint64_t start, uint64_t size,
                      int64_t step)
{
    struct net_type out = sam_net_type_of(m, x);
    struct net_params p = {0};
    for (uint32_t d = 0; d < out.rank; d++)
        p.step[d] = d == axis ? step : 1;
    p.start[axis] = (int64_t)start;
    out.shape[axis] = size;
    return sam_net_emit1(m, NET_Slice, &p, x, &out);
}

uint32_t sam_net_import_split(struct import *m)
{
    const uint32_t axis = sam_net_axis(m, sam_net_int(m, "axis", 0), m->type.rank);
    const struct net_list sizes = sam_net_ints_either(m, "split", 1, 13);
    const uint64_t parts = m->node->output_count, whole = m->type.shape[axis];
    const bool uneven = m->onnx.opset >= 18 && sam_net_int(m, "num_outputs", 0) == (int64_t)parts;
    const uint64_t each = uneven ? (whole + parts - 1) / parts : whole / parts;
    uint64_t start = 0;
    if (sizes.given ? sizes.count != parts : !uneven && whole % parts != 0)
        return sam_net_refuse(
            m, "%llu outputs of a dimension of %llu: expected as many as sizes, or equal ones",
            (unsigned long long)parts, (unsigned long long)whole);
    for (unsigned k = 0; !m->failed && k <= parts; k++) {
        const uint64_t left = whole - start;
        const uint64_t size = sizes.given ? (uint64_t)sizes.at[k] : left < each ? left : each;
        if (k == parts ? left != 0 : size > left)
            return sam_net_refuse(m, "sizes of the parts do not add up to %llu",
                                  (unsigned long long)whole);
        if (k < parts)
            sam_net_give(m, k, sam_net_part(m, m->x, axis, start, size, 1));
        start += size;
    }
    return NET_NONE;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

uint32_t sam_net_import_slice(struct import *m)
{
    const uint32_t rank = m->type.rank;
    const struct net_list start = sam_net_ints_either(m, "starts", 1, 10),
                          end = sam_net_ints_either(m, "ends", 2, 10),
                          axes = sam_net_ints_either(m, "axes", 3, 10);
    const struct net_list step = sam_net_ints_input(m, 4);
    struct net_params p = {0};
    struct net_type out = m->type;
    sam_net_axes(m, &axes, rank); /* each axis once */
    if (!start.given || end.count != start.count || start.count > rank ||
        (axes.given && axes.count != start.count) || (step.given && step.count != start.count))
        return sam_net_refuse(m, "starts, ends, axes and steps do not match, or a rank of %u",
                              rank);
    for (uint32_t d = 0; d < rank; d++)
        p.step[d] = 1;
    for (uint32_t i = 0; !m->failed && i < start.count; i++) {
        const uint32_t d = axes.given ? sam_net_axis(m, axes.at[i], rank) : i;
        const int64_t size = (int64_t)out.shape[d], by = step.given ? step.at[i] : 1;
        int64_t from = start.at[i] < 0 ? start.at[i] + size : start.at[i];
        int64_t to = end.at[i] < 0 ? end.at[i] + size : end.at[i];
        if (by == 0 || by == INT64_MIN)
            return sam_net_refuse(m, "a step of %lld", (long long)by);
        from = clamp(from, 0, by > 0 ? size : size - 1);
        to = clamp(to, by > 0 ? 0 : -1, size);
        const int64_t span = by > 0 ? to - from : from - to, width = by > 0 ? by : -by;
        p.start[d] = from;
        /* A step that is never made may be huge. */
        out.shape[d] = span <= 0 || !size ? 0 : (uint64_t)((span - 1) / width + 1);
        p.step[d] = out.shape[d] > 1 ? by : 1;
    }
    bool whole = sam_net_same_shape(&m->type, &out);
    for (uint32_t d = 0; d < rank; d++)
        whole = whole && p.step[d] > 0;
    return whole ? m->x : sam_net_emit1(m, NET_Slice, &p, m->x, &out);
}

/* One axis with elements at the indices that the mode gives. */
static uint32_t pad_by_index(struct import *m, uint32_t x, bool reflects, uint32_t axis,
                             int64_t before, int64_t size, int64_t padded)
{
    struct net_type type = sam_net_type_of(m, x);
    const struct net_type list = {SAM_I64, 1, {(uint64_t)padded}};
    const uint32_t indices = sam_net_constant(m, &list, NULL);
    for (int64_t i = 0; !m->failed && i < padded; i++) {
        const int64_t from = i - before, last = size - 1;
        const int64_t at = reflects ? (from < 0      ? -from
                                       : from > last ? 2 * last - from
                                                     : from)
                                    : clamp(from, 0, last);
        sam_net_set(sam_net_value(m, indices), (uint64_t)i, 0, at);
    }
    type.shape[axis] = list.shape[0];
    return sam_net_emit(m, NET_Gather, &(struct net_params){.axis = axis}, (uint32_t[]){x, indices},
                        2, &type);
}

/* Paddings of all axes, from those of the axes that input 3 names. */
static struct net_list pads_of_axes(struct import *m, const struct net_list *pads, uint32_t rank)
{
    struct net_list all = {.given = true, .count = 2 * rank};
    const struct net_list axes = sam_net_ints_input(m, 3);
    sam_net_axes(m, &axes, rank);
    if (pads->count != 2 * axes.count)
        sam_net_refuse(m, "%u paddings: expected %u", pads->count, 2 * axes.count);
    for (uint32_t i = 0; !m->failed && i < axes.count; i++) {
        const uint32_t d = sam_net_axis(m, axes.at[i], rank);
        all.at[d] = pads->at[i];
        all.at[rank + d] = pads->at[axes.count + i];
    }
    return all;
}

uint32_t sam_net_import_pad(struct import *m)
{
    enum { CONSTANT, REFLECT };
    const uint32_t rank = m->type.rank;
    struct net_list pads = sam_net_ints_either(m, "pads", 1, 11);
    struct net_params p = {0};
    struct net_type out = m->type;
    const unsigned mode = sam_net_choose(m, "mode", "constant reflect edge");
    uint32_t x = m->x;
    if (sam_net_has(m, 3))
        pads = pads_of_axes(m, &pads, rank);
    if (pads.count != 2 * rank)
        return sam_net_refuse(m, "%u paddings: expected %u", pads.count, 2 * rank);
    if (m->onnx.opset < 11) {
        p.fill = sam_net_float(m, "value", 0);
    } else if (sam_net_has(m, 2)) {
        const struct sam_net_value *fill = sam_net_value(m, sam_net_input(m, 2));
        if (!fill->data || fill->count != 1)
            return sam_net_refuse(m, "input 2: expected a constant scalar");
        p.fill = (float)sam_net_real(fill, 0);
    }
    for (uint32_t d = 0; !m->failed && d < rank; d++) {
        const int64_t before = pads.at[d], after = pads.at[rank + d];
        const int64_t size = (int64_t)m->type.shape[d], most = INT64_C(1) << 40,
                      left = size + (before < 0 ? before : 0) + (after < 0 ? after : 0);
        const bool by_index = mode != CONSTANT && (before || after);
        if (before < -size || after < -size || before > most || after > most ||
            (mode == CONSTANT ? left <= 0
                              : by_index && (size == 0 || size + before + after <= 0)) ||
            (mode == REFLECT && by_index && (before >= size || after >= size)))
            return sam_net_refuse(m, "paddings %lld and %lld of a dimension of %lld",
                                  (long long)before, (long long)after, (long long)size);
        if (by_index)
            x = pad_by_index(m, x, mode == REFLECT, d, before, size, size + before + after);
        else if (mode == CONSTANT && left != size)
            x = sam_net_part(m, x, d, before < 0 ? (uint64_t)-before : 0, (uint64_t)left, 1);
        p.start[d] = before > 0 ? before : 0;
        out.shape[d] = (uint64_t)(size + before + after);
    }
    return net_has_shape(sam_net_value(m, x), rank, out.shape)
               ? x
               : sam_net_emit1(m, NET_Pad, &p, x, &out);
}

uint32_t sam_net_expand(struct import *m, uint32_t x, const struct net_type *type)
{
    const struct net_type from = sam_net_type_of(m, x);
    return sam_net_count(m, &from) == sam_net_count(m, type)
               ? sam_net_reshape(m, x, type)
               : sam_net_emit1(m, NET_Expand, NULL, x, type);
}

uint32_t sam_net_import_expand(struct import *m)
{
    struct net_type to = sam_net_shape_input(m, 1, m->type.dtype);
    to = sam_net_broadcast(m, &m->type, &to);
    return sam_net_expand(m, m->x, &to);
}

/* Repetition as an expansion of a new axis before each axis that is repeated. */
uint32_t sam_net_import_tile(struct import *m)
{
    const struct net_list repeats = sam_net_ints_input(m, 1);
    struct net_type split = {.dtype = m->type.dtype}, wide = split, out = m->type;
    if (repeats.count != m->type.rank)
        return sam_net_refuse(m, "%u repeats: expected %u", repeats.count, m->type.rank);
    for (uint32_t d = 0; d < out.rank; d++) {
        const int64_t times = repeats.at[d];
        const uint64_t size = out.shape[d];
        if (times < 1 || __builtin_mul_overflow(size, (uint64_t)times, &out.shape[d]) ||
            split.rank + 2 > NET_RANK + (times == 1))
            return sam_net_refuse(m,
                                  "%lld repeats of axis %u of %u: expected 1 or more, of few axes",
                                  (long long)times, d, out.rank);
        if (times > 1) {
            split.shape[split.rank++] = 1;
            wide.shape[wide.rank++] = (uint64_t)times;
        }
        split.shape[split.rank++] = wide.shape[wide.rank++] = size;
    }
    return sam_net_reshape(m, sam_net_expand(m, sam_net_reshape(m, m->x, &split), &wide), &out);
}

/* The type of a value without axes of size one. */
static struct net_type squeezed(struct import *m, uint32_t id)
{
    const struct net_type type = sam_net_type_of(m, id);
    struct net_type out = {.dtype = type.dtype};
    for (uint32_t d = 0; d < type.rank; d++)
        if (type.shape[d] != 1)
            out.shape[out.rank++] = type.shape[d];
    return out;
}

/* The indices if the planner can take them as arguments of a program, else NET_NONE: few, and a
 * view of an input. A Cast from one integer to another is left out. */
static uint32_t arguments(struct import *m, uint32_t indices)
{
    bool whole = false; /* only all of the input is a view in another shape */
    uint32_t at = indices;
    for (const struct net_node *n; sam_net_value(m, at)->producer != NET_NONE; at = n->inputs[0]) {
        n = &m->graph->nodes[sam_net_value(m, at)->producer];
        const struct net_type from = squeezed(m, n->inputs[0]), to = squeezed(m, n->output);
        switch (n->op) {
        case NET_Reshape: whole = whole || !sam_net_same_shape(&from, &to); break;
        case NET_Slice:
        case NET_Transpose:
        case NET_Expand:
            if (whole)
                return NET_NONE;
            break;
        case NET_Cast:
            if (at != indices || sam_net_value(m, n->inputs[0])->dtype == SAM_F32 ||
                sam_net_value(m, n->inputs[0])->dtype == SAM_U8)
                return NET_NONE;
            indices = n->inputs[0];
            break;
        default: return NET_NONE;
        }
    }
    return sam_net_value(m, indices)->count <= 1024 ? indices : NET_NONE;
}

/* Indices [rows, 1] that are `first`, `first` + 1, ... of `size`: [rows, size]. */
static uint32_t are_equal(struct import *m, uint32_t indices, int64_t first, uint64_t size)
{
    const struct net_type type = {sam_net_value(m, indices)->dtype, 1, {size}};
    const uint32_t numbers = sam_net_constant(m, &type, NULL);
    for (uint64_t i = 0; !m->failed && i < size; i++)
        sam_net_set(sam_net_value(m, numbers), i, 0, first + (int64_t)i);
    return sam_net_emit2(m, NET_Equal, indices, numbers);
}

/* A product with rows of one 1 takes rows of the input at indices that are computed. */
static uint32_t gather_by_product(struct import *m, uint32_t indices, uint32_t axis,
                                  const struct net_type *out)
{
    const struct sam_net_value table = *sam_net_value(m, m->x);
    const uint64_t size = table.shape[axis], outer = sam_net_outer(&table, axis),
                   inner = sam_net_inner(&table, axis), rows = sam_net_value(m, indices)->count;
    const bool flat = outer == 1; /* a matrix of constants is packed */
    const struct net_type ones = {SAM_F32, 2, {rows, size}},
                          batch = {SAM_F32, 3, {outer, rows, inner}},
                          matrix = {SAM_F32, 2, {rows, inner}};
    if (out->dtype != SAM_F32)
        return sam_net_refuse(m, "indices that are computed need a table of floats");
    indices = sam_net_shaped(m, indices, 2, (uint64_t[]){rows, 1});
    const uint32_t above = are_equal(m, indices, 0, size),
                   below = are_equal(m, indices, -(int64_t)size, size),
                   test = sam_net_emit2(m, NET_Max, above, below);
    const uint32_t factors[] = {sam_net_emit1(m, NET_Cast, NULL, test, &ones),
                                flat
                                    ? sam_net_shaped(m, m->x, 2, (uint64_t[]){size, inner})
                                    : sam_net_shaped(m, m->x, 3, (uint64_t[]){outer, size, inner})};
    const uint32_t made = sam_net_emit(m, NET_MatMul, NULL, factors, 2, flat ? &matrix : &batch);
    return sam_net_reshape(m, made, out);
}

uint32_t sam_net_import_gather(struct import *m)
{
    const uint32_t index = sam_net_input(m, 1);
    const struct net_type at = sam_net_type_of(m, index);
    struct net_params p = {.axis = sam_net_axis(m, sam_net_int(m, "axis", 0), m->type.rank)};
    struct net_type out = {.dtype = m->type.dtype};
    if (sam_dtype_class(out.dtype) == SAM_CLASS_FLOAT)
        out.dtype = SAM_F32;
    if (at.dtype != SAM_I64 && at.dtype != SAM_I32)
        return sam_net_refuse(m, "indices of type %s: expected i64 or i32",
                              sam_dtype_name(at.dtype));
    if (m->type.rank + at.rank > NET_RANK + 1)
        return sam_net_refuse(m, "shapes %s and %s give more than %d dimensions",
                              sam_net_shape_text(&m->type).text, sam_net_shape_text(&at).text,
                              (int)NET_RANK);
    const struct sam_net_value *v = sam_net_value(m, index);
    const int64_t size = (int64_t)m->type.shape[p.axis];
    for (uint64_t i = 0; v->data && i < v->count; i++) {
        const int64_t row = sam_net_whole(v, i);
        if (row < -size || row >= size)
            return sam_net_refuse(m, "index %lld of a dimension of %lld", (long long)row,
                                  (long long)size);
    }
    for (uint32_t d = 0; d < m->type.rank; d++) {
        if (d != p.axis)
            out.shape[out.rank++] = m->type.shape[d];
        for (uint32_t i = 0; d == p.axis && i < at.rank; i++)
            out.shape[out.rank++] = at.shape[i];
    }
    const uint32_t direct = v->data ? index : arguments(m, index);
    return direct == NET_NONE
               ? gather_by_product(m, index, p.axis, &out)
               : sam_net_emit(m, NET_Gather, &p, (uint32_t[]){m->x, direct}, 2, &out);
}
