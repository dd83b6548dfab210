/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and constant inputs of an operator; the inputs of the graph. */
#include "base/dtype.h"
#include "network/import.h"

const struct sam_onnx_attribute *sam_net_attribute(struct import *m, const char *name,
                                                   enum sam_onnx_kind kind)
{
    static const char *const kinds[SAM_ONNX_KINDS] = {
        "unknown", "a float",  "an integer", "a string", "a tensor", "a graph",
        "floats",  "integers", "strings",    "tensors",  "graphs",
    };
    for (size_t i = 0; i < m->node->attribute_count; i++) {
        struct sam_onnx_attribute *a = &m->node->attributes[i];
        if (a->used || strcmp(a->name, name) != 0)
            continue;
        a->used = true;
        if (a->kind == kind)
            return a;
        sam_net_refuse(m, "attribute '%s' is %s: expected %s", name, kinds[a->kind], kinds[kind]);
        return NULL;
    }
    return NULL;
}

int64_t sam_net_int(struct import *m, const char *name, int64_t otherwise)
{
    const struct sam_onnx_attribute *a = sam_net_attribute(m, name, SAM_ONNX_INT);
    return !a ? otherwise : a->count ? a->ints[a->count - 1] : 0;
}

float sam_net_float(struct import *m, const char *name, float otherwise)
{
    const struct sam_onnx_attribute *a = sam_net_attribute(m, name, SAM_ONNX_FLOAT);
    return !a ? otherwise : a->count ? a->floats[a->count - 1] : 0;
}

unsigned sam_net_choose(struct import *m, const char *name, const char *names)
{
    const struct sam_onnx_attribute *a = sam_net_attribute(m, name, SAM_ONNX_STRING);
    const size_t length = a ? strlen(a->text) : 0;
    unsigned number = 0;
    for (const char *at = names; a && *at; number++) {
        const size_t size = strcspn(at, " ");
        if (size == length && memcmp(at, a->text, size) == 0)
            return number;
        at += size + (at[size] == ' ');
    }
    if (a)
        sam_net_refuse(m, "%s '%.40s': expected one of %s", name, a->text, names);
    return 0;
}

void sam_net_ignore(struct import *m, const char *name)
{
    for (size_t i = 0; i < m->node->attribute_count; i++)
        if (strcmp(m->node->attributes[i].name, name) == 0)
            m->node->attributes[i].used = true;
}

static bool fits(struct import *m, struct net_list *list, uint64_t count, const char *what)
{
    list->given = true;
    if (count > NET_LIST)
        sam_net_refuse(m, "%s has %llu elements: expected at most %d", what,
                       (unsigned long long)count, (int)NET_LIST);
    return count <= NET_LIST;
}

struct net_list sam_net_ints(struct import *m, const char *name)
{
    struct net_list list = {0};
    const struct sam_onnx_attribute *a = sam_net_attribute(m, name, SAM_ONNX_INTS);
    for (size_t i = 0; a && fits(m, &list, a->count, name) && i < a->count; i++)
        list.at[list.count++] = a->ints[i];
    return list;
}

struct net_list sam_net_ints_input(struct import *m, unsigned k)
{
    struct net_list list = {0};
    if (!sam_net_has(m, k))
        return list;
    const struct sam_net_value *v = sam_net_value(m, sam_net_input(m, k));
    if (v->dtype != SAM_I64 && v->dtype != SAM_I32)
        sam_net_refuse(m, "input %u has elements of type %s: expected i64", k,
                       sam_dtype_name(v->dtype));
    else if (!v->data)
        sam_net_refuse(m,
                       "input %u ('%.100s') depends on the values of inputs: expected a constant",
                       k, m->node->inputs[k]);
    for (size_t i = 0; !m->failed && fits(m, &list, v->count, "a list") && i < v->count; i++)
        list.at[list.count++] = sam_net_whole(v, i);
    return list;
}

struct net_type sam_net_shape_input(struct import *m, unsigned k, enum sam_dtype dtype)
{
    const struct net_list shape = sam_net_ints_input(m, k);
    struct net_type type = {.dtype = dtype, .rank = shape.count};
    if (shape.count > NET_RANK)
        sam_net_refuse(m, "shape of %u dimensions: expected at most %d", shape.count,
                       (int)NET_RANK);
    for (uint32_t d = 0; !m->failed && d < shape.count; d++) {
        type.shape[d] = (uint64_t)shape.at[d];
        if (shape.at[d] < 0)
            sam_net_refuse(m, "dimension %u of the new shape is %lld", d, (long long)shape.at[d]);
    }
    type.rank = m->failed ? 0 : type.rank;
    return type;
}

struct net_list sam_net_ints_either(struct import *m, const char *name, unsigned k, uint64_t since)
{
    if (m->onnx.opset < since && sam_net_has(m, k))
        sam_net_refuse(m, "input %u: expected attribute '%s' in opset %llu", k, name,
                       (unsigned long long)m->onnx.opset);
    return m->onnx.opset < since ? sam_net_ints(m, name) : sam_net_ints_input(m, k);
}

/* --- inputs of the graph */
static void misuse(struct import *m, const char *format, ...) SAM_PRINTF(2, 3);
static void misuse(struct import *m, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    sam_format_list(text, sizeof text, format, list);
    va_end(list);
    if (!m->failed)
        m->failed = sam_fail(m->error, SAM_ERR_USAGE, "%s: %s", m->file, text);
}

/* Before IR version 4 initializers are inputs as well. */
static bool is_initializer(struct import *m, const char *name)
{
    const uint32_t id = sam_net_find(m, name);
    return id != NET_NONE && sam_net_value(m, id)->initializer != NET_NONE;
}

/* The size that a symbolic dimension has elsewhere: from the user, or from the given shape of
 * another input. */
static uint64_t size_of_symbol(const struct import *m, const char *name)
{
    for (size_t i = 0; name[0] && i < m->options->dim_count; i++)
        if (strcmp(m->options->dims[i].name, name) == 0)
            return m->options->dims[i].size;
    for (size_t i = 0; name[0] && i < m->onnx.input_count; i++) {
        const struct sam_onnx_input *in = &m->onnx.inputs[i];
        for (size_t d = 0; m->given[i] && d < in->rank && d < m->given[i]->rank; d++)
            if (strcmp(in->dims[d].name, name) == 0)
                return m->given[i]->shape[d];
    }
    return 0;
}

/* The axis of an input that a symbolic dimension is; -1: of none. */
static int find_dim(const struct import *m, const char *name)
{
    for (size_t i = 0; name[0] && i < m->onnx.input_count; i++)
        for (size_t d = 0; d < m->onnx.inputs[i].rank; d++)
            if (strcmp(m->onnx.inputs[i].dims[d].name, name) == 0)
                return (int)d;
    return -1;
}

/* A size for a symbolic dimension: 1 for those that come first, such as a batch. */
static uint64_t guess(const struct import *m, const char *name, uint64_t size)
{
    return find_dim(m, name) > 0 ? size : 1;
}

static bool put_size(struct sam_buffer *dims, const char *name, uint64_t size)
{
    return size ? sam_buffer_printf(dims, " --dim %s=%llu", name, (unsigned long long)size)
                : sam_buffer_printf(dims, " --dim %s=N", name);
}

/* All inputs of a model that has dimensions without a size, and how to give sizes. */
static void refuse_open(struct import *m)
{
    const struct sam_network_options *const s = m->options;
    struct sam_buffer list = {0}, dims = {0};
    struct sam_names seen = {0};
    bool good = true, named = true;
    for (size_t i = 0; i < s->dim_count; i++)
        good &= !s->dims[i].size || put_size(&dims, s->dims[i].name, s->dims[i].size);
    for (size_t i = 0; i < m->onnx.input_count; i++) {
        const struct sam_onnx_input *in = &m->onnx.inputs[i];
        if (is_initializer(m, in->name))
            continue;
        good &= sam_buffer_printf(&list, "%s%.60s", list.size ? ", " : "", in->name);
        for (size_t d = 0; d < in->rank; d++) {
            const struct sam_onnx_dim *dim = &in->dims[d];
            const char *const mark = d ? "," : " [";
            if (dim->known)
                good &= sam_buffer_printf(&list, "%s%llu", mark, (unsigned long long)dim->size);
            else
                good &= sam_buffer_printf(&list, "%s%.40s", mark, dim->name[0] ? dim->name : "?");
            if (dim->known || size_of_symbol(m, dim->name) ||
                sam_names_find(&seen, dim->name, strlen(dim->name)))
                continue;
            named &= dim->name[0] || m->given[i];
            if (dim->name[0])
                good &= sam_names_add(&seen, dim->name, strlen(dim->name), m) &&
                        put_size(&dims, dim->name, m->tell ? guess(m, dim->name, m->tell) : 0);
        }
        good &= sam_buffer_printf(&list, "%s", in->rank ? "]" : "");
    }
    if (!good)
        sam_net_refuse_memory(m);
    else if (named)
        sam_net_refuse(m,
                       "inputs %.220s: expected arrays for them, or sizes, such as samite run "
                       "%.200s --list%.400s",
                       sam_buffer_text(&list), m->file, sam_buffer_text(&dims));
    else
        sam_net_refuse(m, "inputs %.300s: expected an array for each with '?'",
                       sam_buffer_text(&list));
    m->open = named;
    sam_names_free(&seen);
    sam_buffer_free(&list);
    sam_buffer_free(&dims);
}

static void shape_input(struct import *m, const struct sam_onnx_input *in,
                        const struct sam_network_shape *given, struct net_type *type)
{
    if (!in->has_shape && !given)
        sam_net_refuse(m, "input '%.100s' has no shape in the model: expected one from the user",
                       in->name);
    if (in->has_shape && in->rank > NET_RANK)
        sam_net_refuse(m, "input '%.100s' has %zu dimensions: expected at most %d", in->name,
                       in->rank, (int)NET_RANK);
    if (given && (given->rank > NET_RANK || (in->has_shape && given->rank != in->rank)))
        misuse(m, "input '%.100s' of %zu dimensions: expected %zu", in->name, given->rank,
               in->rank);
    if (m->failed)
        return;
    type->rank = given ? (uint32_t)given->rank : (uint32_t)in->rank;
    for (uint32_t d = 0; !m->failed && d < type->rank; d++) {
        static const struct sam_onnx_dim unknown = {.name = ""};
        const struct sam_onnx_dim *dim = in->has_shape ? &in->dims[d] : &unknown;
        uint64_t other = dim->known ? dim->size : size_of_symbol(m, dim->name);
        if (!other && dim->name[0] && m->try)
            other = guess(m, dim->name, m->try);
        type->shape[d] = given ? given->shape[d] : other;
        if (given && other && given->shape[d] != other)
            misuse(m, "dimension %u of input '%.100s' is %llu: expected %llu", d, in->name,
                   (unsigned long long)given->shape[d], (unsigned long long)other);
        else if (!type->shape[d] && given)
            misuse(m, "dimension %u of input '%.100s' is 0: expected elements", d, in->name);
        else if (!type->shape[d])
            refuse_open(m);
    }
}

static void add_input(struct import *m, const struct sam_onnx_input *in,
                      const struct sam_network_shape *given)
{
    struct net_type type = {0};
    if (!in->is_tensor)
        sam_net_refuse(m, "input '%.100s' is not a tensor", in->name);
    const enum sam_dtype dtype = sam_dtype_by_id(offsetof(struct sam_dtype_row, onnx), in->type);
    type.dtype = sam_dtype_class(dtype) == SAM_CLASS_FLOAT ? SAM_F32
                 : dtype == SAM_BOOL                       ? SAM_U8
                                                           : dtype;
    if (!sam_net_computes(type.dtype))
        sam_net_refuse(
            m,
            "input '%.100s' has elements of type %llu (%s): expected floats, i64, i32, u8 "
            "or bool",
            in->name, (unsigned long long)in->type, sam_dtype_name(dtype));
    if (!m->failed)
        shape_input(m, in, given, &type);
    const uint32_t id = sam_net_new_value(m, &type);
    char *name = sam_net_text(m, in->name);
    if (m->failed)
        return;
    sam_net_value(m, id)->boolean = dtype == SAM_BOOL;
    sam_net_value(m, id)->name = name;
    m->graph->inputs[m->graph->input_count++] = id;
    sam_net_name(m, name, id);
}

/* Gives a shape to the input that it names, or to the next one without a shape. */
static void match_shape(struct import *m, const struct sam_network_shape *shape)
{
    const char *const name = shape->input;
    const size_t inputs = m->onnx.input_count;
    size_t i = 0;
    while (i < inputs && (name ? strcmp(m->onnx.inputs[i].name, name) != 0
                               : m->given[i] || is_initializer(m, m->onnx.inputs[i].name)))
        i++;
    if (i < inputs)
        m->given[i] = shape;
    else if (name)
        misuse(m, "no input '%.100s' in the model", name);
    else
        misuse(m, "%zu arrays: expected at most one for each input", m->options->shape_count);
}

void sam_net_import_inputs(struct import *m)
{
    const struct sam_network_options *const s = m->options;
    m->given = sam_net_take(m, m->onnx.input_count, sizeof(struct sam_network_shape *));
    for (int pass = 0; pass < 2; pass++) /* those with names first */
        for (size_t i = 0; !m->failed && i < s->shape_count; i++)
            if ((s->shapes[i].input == NULL) == pass)
                match_shape(m, &s->shapes[i]);
    m->graph->inputs = sam_net_take(m, m->onnx.input_count, sizeof *m->graph->inputs);
    for (size_t i = 0; i < s->dim_count; i++)
        if (find_dim(m, s->dims[i].name) < 0)
            misuse(m, "no dimension '%.100s' among the inputs of the model", s->dims[i].name);
    for (size_t i = 0; !m->failed && i < m->onnx.input_count; i++)
        if (!is_initializer(m, m->onnx.inputs[i].name))
            add_input(m, &m->onnx.inputs[i], m->given[i]);
}
