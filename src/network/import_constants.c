/* SPDX-License-Identifier: Apache-2.0 */
/* Operators whose outputs are constants once shapes are known. */
#include <math.h>
#include <stdlib.h>

#include "network/import.h"

static uint32_t integers(struct import *m, const int64_t *numbers, uint32_t count, bool scalar)
{
    const struct net_type type = {SAM_I64, scalar ? 0 : 1, {count}};
    const uint32_t id = sam_net_constant(m, &type, NULL);
    if (!m->failed && count)
        memcpy((void *)sam_net_value(m, id)->data, numbers, count * sizeof *numbers);
    return id;
}

uint32_t sam_net_import_value(struct import *m)
{
    static const struct {
        const char *name;
        enum sam_onnx_kind kind;
        enum sam_dtype dtype;
        uint32_t rank;
    } forms[] = {{"value_int", SAM_ONNX_INT, SAM_I64, 0},
                 {"value_ints", SAM_ONNX_INTS, SAM_I64, 1},
                 {"value_float", SAM_ONNX_FLOAT, SAM_F32, 0},
                 {"value_floats", SAM_ONNX_FLOATS, SAM_F32, 1}};
    const struct sam_onnx_node *n = m->node;
    if (n->attribute_count != 1)
        return sam_net_refuse(m, "%zu attributes: expected 1", n->attribute_count);
    if (strcmp(n->attributes[0].name, "value") == 0) { /* among the model's tensors */
        sam_net_attribute(m, "value", SAM_ONNX_TENSOR);
        return sam_net_find(m, n->outputs[0]) == NET_NONE ? sam_net_refuse(m, "no value")
                                                          : NET_NONE;
    }
    for (size_t i = 0; i < SAM_COUNT(forms); i++) {
        const struct sam_onnx_attribute *a = sam_net_attribute(m, forms[i].name, forms[i].kind);
        if (!a)
            continue;
        const struct net_type type = {forms[i].dtype, forms[i].rank, {a->count}};
        const uint32_t id = sam_net_constant(m, &type, NULL);
        for (uint64_t k = 0; !m->failed && k < a->count && k < sam_net_value(m, id)->count; k++)
            sam_net_set(sam_net_value(m, id), k, a->floats ? (double)a->floats[k] : 0,
                        a->ints ? a->ints[k] : 0);
        return id;
    }
    return NET_NONE; /* the attribute is refused */
}

uint32_t sam_net_import_filled(struct import *m)
{
    struct net_type type = sam_net_shape_input(m, 0, SAM_F32);
    const struct sam_onnx_attribute *a = sam_net_attribute(m, "value", SAM_ONNX_TENSOR);
    struct sam_onnx value = {0};
    if (!m->failed && a &&
        sam_onnx_parse_tensor(a->tensor, m->file, "value", &value, m->error) != SAM_OK)
        m->failed = true;
    if (!m->failed && a) {
        type.dtype = value.tensors[0].type == SAM_BOOL ? SAM_U8 : value.tensors[0].type;
        if (value.tensors[0].size != sam_dtype_size(type.dtype) || !value.tensors[0].size)
            sam_net_refuse(m, "value: expected one element");
    }
    if (sam_net_count(m, &type) > NET_FOLDED)
        sam_net_refuse(m, "shape %s: expected at most %d elements", sam_net_shape_text(&type).text,
                       (int)NET_FOLDED);
    const uint32_t id = sam_net_constant(m, &type, NULL);
    struct sam_net_value *v = sam_net_value(m, id);
    v->boolean = value.data && value.tensors[0].type == SAM_BOOL;
    const size_t size = sam_dtype_size(type.dtype);
    for (uint64_t i = 0; !m->failed && value.data && v->data && i < v->count; i++)
        memcpy((uint8_t *)v->data + i * size, value.data[0], size);
    sam_onnx_free(&value);
    return id;
}

uint32_t sam_net_import_shape(struct import *m)
{
    const uint32_t rank = m->type.rank;
    int64_t sizes[NET_RANK], from = sam_net_int(m, "start", 0), to = sam_net_int(m, "end", rank);
    uint32_t count = 0;
    from += from < 0 ? rank : 0;
    to += to < 0 ? rank : 0;
    for (uint32_t d = 0; d < rank; d++)
        if (d >= from && d < to)
            sizes[count++] = (int64_t)m->type.shape[d];
    return integers(m, sizes, count, false);
}

uint32_t sam_net_import_size(struct import *m)
{
    const int64_t count = (int64_t)sam_net_value(m, m->x)->count;
    return integers(m, &count, 1, true);
}

uint32_t sam_net_import_range(struct import *m)
{
    const uint32_t ids[3] = {sam_net_input(m, 0), sam_net_input(m, 1), sam_net_input(m, 2)};
    const enum sam_dtype dtype = sam_net_value(m, ids[0])->dtype;
    for (unsigned k = 0; k < 3; k++) {
        const struct sam_net_value *v = sam_net_value(m, ids[k]);
        if (!v->data || v->count != 1 || v->dtype != dtype || dtype == SAM_U8)
            sam_net_refuse(m, "input %u: expected a constant number of the same type", k);
    }
    if (m->failed)
        return NET_NONE;
    const double start = sam_net_real(sam_net_value(m, ids[0]), 0),
                 step = sam_net_real(sam_net_value(m, ids[2]), 0),
                 count = ceil((sam_net_real(sam_net_value(m, ids[1]), 0) - start) / step);
    if (!(count <= NET_FOLDED))
        return sam_net_refuse(m, "%g elements: expected at most %d", count, (int)NET_FOLDED);
    const struct net_type type = {dtype, 1, {count > 0 ? (uint64_t)count : 0}};
    const uint32_t id = sam_net_constant(m, &type, NULL);
    const int64_t first = sam_net_whole(sam_net_value(m, ids[0]), 0),
                  by = sam_net_whole(sam_net_value(m, ids[2]), 0);
    for (uint64_t i = 0; !m->failed && i < type.shape[0]; i++)
        sam_net_set(sam_net_value(m, id), i, (double)((float)start + (float)i * (float)step),
                    (int64_t)((uint64_t)first + i * (uint64_t)by));
    return id;
}
