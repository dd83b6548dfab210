/* SPDX-License-Identifier: Apache-2.0 */
/* The import of an ONNX model: its operators one by one, from import.def. */
#include "network/import.h"

#include <stdio.h>
#include <stdlib.h>

#include "samite/model.h"

enum { FIRST_OPSET = 7, LAST_OPSET = 21 };

static const struct import_row rows[] = {
#define NET_ONNX(name, function, x, inputs, most, op)                                              \
    {#name, sam_net_import_##function, NET_X_##x, inputs, most, op, NULL},
#define NET_FORMULA(name, x, inputs, most, text)                                                   \
    {#name, sam_net_import_formula, NET_X_##x, inputs, most, NET_OPS, text},
#include "network/import.def"
#undef NET_FORMULA
#undef NET_ONNX
};

static const struct import_row *find_row(const struct sam_onnx_node *n)
{
    const bool standard = !n->domain[0] || strcmp(n->domain, "ai.onnx") == 0;
    for (size_t i = 0; standard && i < SAM_COUNT(rows); i++)
        if (strcmp(rows[i].name, n->type) == 0)
            return &rows[i];
    return NULL;
}

/* --- failures */
static const char *node_name(const struct sam_onnx_node *n)
{
    return n->name[0] ? n->name : n->output_count ? n->outputs[0] : "?";
}

uint32_t sam_net_refuse(struct import *m, const char *format, ...)
{
    char text[800];
    va_list list;
    if (m->failed)
        return NET_NONE;
    va_start(list, format);
    sam_format_list(text, sizeof text, format, list);
    va_end(list);
    if (m->node)
        sam_fail(m->error, SAM_ERR_INPUT, "%s: node '%.100s' (%.40s): %s", m->file,
                 node_name(m->node), m->node->type, text);
    else
        sam_fail(m->error, SAM_ERR_INPUT, "%s: %s", m->file, text);
    m->failed = true;
    return NET_NONE;
}

uint32_t sam_net_refuse_memory(struct import *m)
{
    if (!m->failed)
        sam_fail_memory(m->error);
    m->failed = true;
    return NET_NONE;
}

void *sam_net_take(struct import *m, uint64_t count, size_t size)
{
    void *const taken = sam_blocks_take(&m->graph->store, (size_t)count + 1, size);
    if (!taken)
        sam_net_refuse_memory(m);
    return taken;
}

char *sam_net_text(struct import *m, const char *text)
{
    char *const copy = sam_blocks_text(&m->graph->store, text, strlen(text));
    if (!copy)
        sam_net_refuse_memory(m);
    return copy;
}

/* --- values */
struct sam_net_value *sam_net_value(struct import *m, uint32_t id)
{
    if (id < m->graph->value_count)
        return &m->graph->values[id];
    m->none = (struct sam_net_value){.name = "", .dtype = SAM_F32, .count = 1};
    return &m->none;
}

bool sam_net_computes(enum sam_dtype dtype)
{
    return dtype == SAM_F32 || dtype == SAM_I64 || dtype == SAM_I32 || dtype == SAM_U8;
}

uint32_t sam_net_new_value(struct import *m, const struct net_type *type)
{
    const uint64_t count = sam_net_count(m, type);
    const uint32_t id = m->failed ? NET_NONE : sam_net_graph_add_value(m->graph);
    if (id == NET_NONE)
        return sam_net_refuse_memory(m);
    struct sam_net_value *v = sam_net_value(m, id);
    v->dtype = type->dtype;
    v->rank = type->rank;
    memcpy(v->shape, type->shape, type->rank * sizeof *v->shape);
    v->count = count;
    return id;
}

bool sam_net_has(const struct import *m, unsigned k)
{
    return k < m->node->input_count && m->node->inputs[k][0];
}

uint32_t sam_net_find(const struct import *m, const char *name)
{
    const void *found = sam_names_find(&m->names, name, strlen(name));
    return found ? (uint32_t)((uintptr_t)found - 1) : NET_NONE;
}

void sam_net_name(struct import *m, const char *name, uint32_t id)
{
    if (sam_net_find(m, name) != NET_NONE)
        sam_net_refuse(m, "two values named '%.200s'", name);
    else if (!sam_names_add(&m->names, name, strlen(name), (void *)((uintptr_t)id + 1)))
        sam_net_refuse_memory(m);
}

bool sam_net_may_make(const struct import *m, uint64_t count)
{
    return count <= m->may_make && m->made <= m->may_make - count;
}

uint32_t sam_net_constant(struct import *m, const struct net_type *type, const void *data)
{
    const uint64_t count = sam_net_count(m, type);
    if (!m->failed && !data && !sam_net_may_make(m, count))
        sam_net_refuse(m, "constants of more than %llu elements", (unsigned long long)m->may_make);
    if (m->failed)
        return NET_NONE;
    m->made += data ? 0 : count;
    if (!data)
        data = sam_net_take(m, count, sam_dtype_size(type->dtype));
    const uint32_t id = sam_net_new_value(m, type);
    if (id != NET_NONE)
        sam_net_value(m, id)->data = data;
    return id;
}

/* A name that an import has not met: another output of a node before, or nothing so far. */
static uint32_t refuse_unknown(struct import *m, const char *name)
{
    struct sam_onnx_node *const end = m->node ? m->node : m->onnx.nodes + m->onnx.node_count;
    for (struct sam_onnx_node *n = m->onnx.nodes; n < end; n++)
        for (size_t k = 0; k < n->output_count; k++)
            if (strcmp(n->outputs[k], name) == 0) {
                m->node = n;
                return sam_net_refuse(
                    m, "output %zu ('%.100s') is read: only output 0 is supported", k, name);
            }
    return m->node
               ? sam_net_refuse(m,
                                "reads '%.100s': expected an input, an initializer or an "
                                "output of an earlier node (a cycle, or nodes out of order)",
                                name)
               : sam_net_refuse(m, "output '%.200s' of the graph is the output of no node", name);
}

/* Input k; floats of other widths are widened, those that weights may keep if not `kept`. */
static uint32_t read_input(struct import *m, unsigned k, bool kept)
{
    if (!sam_net_has(m, k))
        return sam_net_refuse(m, "input %u is missing", k);
    const uint32_t id = sam_net_find(m, m->node->inputs[k]);
    if (id == NET_NONE)
        return refuse_unknown(m, m->node->inputs[k]);
    struct net_type type = sam_net_type_of(m, id);
    const bool narrow = sam_dtype_class(type.dtype) == SAM_CLASS_FLOAT && type.dtype != SAM_F32;
    if (!sam_net_computes(type.dtype) && !narrow)
        sam_net_refuse(m, "input %u has elements of type %s: expected f32, i64, i32 or bool", k,
                       sam_dtype_name(type.dtype));
    if (!narrow || (kept && type.dtype != SAM_F64))
        return id;
    if (sam_dtype_bits(type.dtype) < 8)
        return sam_net_refuse(m, "input %u has elements of type %s: expected 8 bits or more", k,
                              sam_dtype_name(type.dtype));
    type.dtype = SAM_F32;
    const uint32_t wide = sam_net_constant(m, &type, NULL);
    const struct sam_net_value *const from = sam_net_value(m, id);
    for (uint64_t i = 0; !m->failed && i < from->count; i++)
        sam_net_set(sam_net_value(m, wide), i, sam_net_real(from, i), 0);
    return wide;
}

uint32_t sam_net_weight(struct import *m, unsigned k)
{
    return read_input(m, k, true);
}

uint32_t sam_net_input(struct import *m, unsigned k)
{
    return read_input(m, k, false);
}

/* --- nodes */
/* Returns whether all inputs are constants that are small enough to compute with. */
static bool can_fold(struct import *m, const uint32_t *inputs, uint32_t count, uint64_t made)
{
    uint64_t read = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct sam_net_value *v = sam_net_value(m, inputs[i]);
        if (!v->data)
            return false;
        read += v->count;
    }
    return (made <= NET_FOLDED || made <= read) && sam_net_may_make(m, made);
}

/* The type of an elementwise operator; the condition of Where has another one. */
static struct net_type type_of_elements(struct import *m, enum sam_net_op op,
                                        const uint32_t *inputs, uint32_t count)
{
    struct net_type type = sam_net_type_of(m, inputs[count - 1]);
    for (uint32_t k = count - 1; k-- > 0;) {
        struct net_type with = sam_net_type_of(m, inputs[k]);
        if (op == NET_Where && k == 0)
            with.dtype = type.dtype;
        type = sam_net_broadcast(m, &with, &type);
    }
    if (net_tests(op))
        type.dtype = SAM_U8;
    return type;
}

uint32_t sam_net_emit(struct import *m, enum sam_net_op op, const struct net_params *params,
                      const uint32_t *inputs, uint32_t input_count, const struct net_type *type)
{
    struct net_type elements;
    if (!type) {
        elements = type_of_elements(m, op, inputs, input_count);
        type = &elements;
    }
    const uint32_t output = sam_net_new_value(m, type);
    uint32_t *const list = sam_net_take(m, input_count, sizeof *list);
    if (m->failed)
        return NET_NONE;
    memcpy(list, inputs, input_count * sizeof *list);
    struct sam_net_value *v = sam_net_value(m, output);
    v->boolean = type->dtype == SAM_U8 && (net_tests(op) || op == NET_Cast ||
                                           sam_net_value(m, inputs[op == NET_Where])->boolean);
    struct net_node node = {.op = op, .input_count = input_count, .output = output};
    node.inputs = list;
    node.params = params ? *params : (struct net_params){0};
    if (can_fold(m, inputs, input_count, v->count) && sam_net_fold(m->graph, &node, v)) {
        m->made += v->count;
        return output;
    }
    if (v->count == 0)
        sam_net_refuse(m, "makes a value of shape %s: expected elements",
                       sam_net_shape_text(type).text);
    for (uint32_t i = 0; !m->failed && i < input_count; i++) {
        const struct net_type read = sam_net_type_of(m, inputs[i]);
        if (sam_net_value(m, inputs[i])->count == 0)
            sam_net_refuse(m, "reads a value of shape %s: expected elements",
                           sam_net_shape_text(&read).text);
    }
    if (m->failed)
        return NET_NONE;
    node.name = sam_net_text(m, node_name(m->node));
    const uint32_t n = node.name ? sam_net_graph_add_node(m->graph) : NET_NONE;
    if (n == NET_NONE)
        return sam_net_refuse_memory(m);
    m->graph->nodes[n] = node;
    sam_net_value(m, output)->producer = n;
    return output;
}

uint32_t sam_net_emit1(struct import *m, enum sam_net_op op, const struct net_params *params,
                       uint32_t input, const struct net_type *type)
{
    return sam_net_emit(m, op, params, &input, 1, type);
}

uint32_t sam_net_emit2(struct import *m, enum sam_net_op op, uint32_t a, uint32_t b)
{
    return sam_net_emit(m, op, NULL, (uint32_t[]){a, b}, 2, NULL);
}

void sam_net_give(struct import *m, unsigned k, uint32_t id)
{
    const struct sam_onnx_node *n = m->node;
    if (m->failed || k >= n->output_count || !n->outputs[k][0])
        return;
    const char *name = n->outputs[k];
    if (sam_net_value(m, id)->name && sam_names_find(&m->outputs, name, strlen(name))) {
        /* An output keeps its name: a copy of the value. */
        const struct net_type type = sam_net_type_of(m, id);
        id = sam_net_emit1(m, NET_Reshape, NULL, id, &type);
    }
    struct sam_net_value *v = sam_net_value(m, id);
    if (!v->name)
        v->name = sam_net_text(m, name);
    sam_net_name(m, name, id);
}

static void import_node(struct import *m, struct sam_onnx_node *n)
{
    m->node = n;
    m->row = find_row(n);
    if (n->input_count < m->row->inputs || n->input_count > m->row->most)
        sam_net_refuse(m, "%zu inputs: expected %u to %u", n->input_count, m->row->inputs,
                       m->row->most);
    if (n->output_count == 0)
        sam_net_refuse(m, "without outputs");
    if (!m->failed && m->row->x != NET_X_NONE) {
        m->x = m->row->x == NET_X_KEPT ? sam_net_weight(m, 0) : sam_net_input(m, 0);
        m->type = sam_net_type_of(m, m->x);
        if (m->row->x == NET_X_FLOAT)
            sam_net_need_float(m, m->x);
    }
    const uint32_t output = m->failed ? NET_NONE : m->row->run(m);
    if (output != NET_NONE)
        sam_net_give(m, 0, output);
    for (size_t i = 0; !m->failed && i < n->attribute_count; i++)
        if (!n->attributes[i].used)
            sam_net_refuse(m, "attribute '%.100s' is not supported", n->attributes[i].name);
}

/* --- the model */
static void load_tensors(struct import *m)
{
    size_t count;
    const struct sam_weight *tensors = sam_model_tensors(m->model, &count);
    for (size_t i = 0; !m->failed && i < count; i++) {
        const struct sam_weight *w = &tensors[i];
        struct net_type type = {.dtype = w->type, .rank = (uint32_t)w->rank};
        if (w->rank > NET_RANK) {
            sam_net_refuse(m, "tensor '%.200s' has %zu dimensions: expected at most %d", w->name,
                           w->rank, (int)NET_RANK);
            return;
        }
        memcpy(type.shape, w->shape, sizeof type.shape);
        type.dtype = w->type == SAM_BOOL ? SAM_U8 : w->type;
        void *data = sam_net_take(m, w->size, 1);
        if (data && sam_model_read(m->model, i, 0, w->size, data, m->error) != SAM_OK)
            m->failed = true;
        const uint32_t id = m->failed ? NET_NONE : sam_net_constant(m, &type, data);
        if (m->failed)
            return;
        struct sam_net_value *v = sam_net_value(m, id);
        v->boolean = w->type == SAM_BOOL;
        m->may_make += v->count;
        v->initializer = (uint32_t)i;
        v->name = sam_net_text(m, w->name);
        sam_net_name(m, w->name, id);
    }
}

/* All operators that are not supported, in one message. */
static void check_operators(struct import *m)
{
    struct sam_names seen = {0};
    struct sam_buffer list = {0};
    bool good = true;
    size_t count = 0;
    for (size_t i = 0; good && i < m->onnx.node_count; i++) {
        const struct sam_onnx_node *n = &m->onnx.nodes[i];
        if (find_row(n) || sam_names_find(&seen, n->type, strlen(n->type)))
            continue;
        const bool custom = n->domain[0] && strcmp(n->domain, "ai.onnx") != 0;
        bool graph = false;
        for (size_t a = 0; a < n->attribute_count; a++)
            graph = graph || n->attributes[a].kind == SAM_ONNX_GRAPH ||
                    n->attributes[a].kind == SAM_ONNX_GRAPHS;
        good = sam_names_add(&seen, n->type, strlen(n->type), &seen) &&
               sam_buffer_printf(&list, "%s%.60s%s%.60s%s", count++ ? ", " : "",
                                 custom ? n->domain : "", custom ? "." : "", n->type,
                                 graph ? " (a subgraph)" : "");
    }
    if (!good || list.failed)
        sam_net_refuse_memory(m);
    else if (count && !m->failed)
        m->failed = sam_fail(m->error, SAM_ERR_INPUT, "%s: operators that are not supported: %s",
                             m->file, sam_buffer_text(&list));
    sam_buffer_free(&list);
    sam_names_free(&seen);
}

static void take_outputs(struct import *m)
{
    struct net_graph *g = m->graph;
    g->outputs = sam_net_take(m, m->onnx.output_count, sizeof *g->outputs);
    m->node = NULL;
    for (size_t i = 0; !m->failed && i < m->onnx.output_count; i++) {
        const uint32_t id = sam_net_find(m, m->onnx.outputs[i].name);
        if (id == NET_NONE)
            refuse_unknown(m, m->onnx.outputs[i].name);
        const enum sam_dtype dtype = sam_net_value(m, id)->dtype;
        if (!sam_net_computes(dtype))
            sam_net_refuse(m,
                           "output '%.200s' of the graph is a constant of type %s: expected f32, "
                           "i64, i32 or bool",
                           m->onnx.outputs[i].name, sam_dtype_name(dtype));
        g->outputs[g->output_count++] = id;
    }
    if (!m->failed && !g->output_count)
        sam_net_refuse(m, "the graph has no outputs");
}

/* Unique names for the values that have none. */
static void name_rest(struct import *m)
{
    char name[200];
    for (uint32_t id = 0; !m->failed && id < m->graph->value_count; id++) {
        struct sam_net_value *v = sam_net_value(m, id);
        const char *base = v->producer == NET_NONE ? "constant" : m->graph->nodes[v->producer].name;
        if (v->name)
            continue;
        unsigned number = id;
        do
            snprintf(name, sizeof name, "%.150s.%u", base, number++);
        while (sam_net_find(m, name) != NET_NONE);
        v->name = sam_net_text(m, name);
        if (v->name)
            sam_net_name(m, v->name, id);
    }
}

static void prune(struct import *m)
{
    if (!m->failed && !sam_net_graph_prune(m->graph))
        sam_net_refuse_memory(m);
}

static void import(struct import *m)
{
    const uint64_t opset = m->onnx.opset;
    m->node = NULL;
    if (opset < FIRST_OPSET || opset > LAST_OPSET)
        sam_net_refuse(m, "opset %llu: expected %d to %d", (unsigned long long)opset, FIRST_OPSET,
                       LAST_OPSET);
    check_operators(m);
    for (size_t i = 0; !m->failed && i < m->onnx.output_count; i++) {
        const char *name = m->onnx.outputs[i].name;
        if (!sam_names_add(&m->outputs, name, strlen(name), m))
            sam_net_refuse_memory(m);
    }
    m->may_make = 4 * (uint64_t)NET_FOLDED;
    if (!m->failed)
        load_tensors(m);
    if (!m->failed)
        sam_net_import_inputs(m);
    for (size_t i = 0; !m->failed && i < m->onnx.node_count; i++)
        import_node(m, &m->onnx.nodes[i]);
    if (!m->failed)
        take_outputs(m);
    prune(m);
    sam_net_fold_conv(m);
    prune(m);
    sam_names_free(&m->names); /* values have other numbers now */
    for (uint32_t id = 0; !m->failed && id < m->graph->value_count; id++)
        if (sam_net_value(m, id)->name)
            sam_net_name(m, sam_net_value(m, id)->name, id);
    name_rest(m);
}

static void import_again(struct import *m)
{
    sam_names_free(&m->names);
    sam_names_free(&m->outputs);
    sam_net_graph_free(m->graph);
    m->names = m->outputs = (struct sam_names){0};
    m->failed = false;
    m->made = 0;
    for (size_t i = 0; i < m->onnx.node_count; i++)
        for (size_t a = 0; a < m->onnx.nodes[i].attribute_count; a++)
            m->onnx.nodes[i].attributes[a].used = false;
    import(m);
}

/* A model with open dimensions is refused: suggest sizes with which it can be imported. */
static void suggest(struct import *m)
{
    static const uint64_t guesses[] = {32, 64, 224, 16000, 1};
    struct sam_error *const error = m->error, none;
    for (size_t i = 0; m->failed && i < SAM_COUNT(guesses); i++) {
        m->try = guesses[i];
        m->error = &none;
        import_again(m);
        m->tell = m->failed ? 0 : m->try;
    }
    m->try = 0;
    m->error = error;
    import_again(m);
}

/* Of an open model, which is closed. */
static enum sam_status finish(struct import *m, enum sam_status opened)
{
    *m->graph = (struct net_graph){0};
    m->failed = opened != SAM_OK || sam_model_graph(m->model, &m->onnx, m->error) != SAM_OK;
    if (!m->failed)
        import(m);
    if (m->open)
        suggest(m);
    sam_names_free(&m->names);
    sam_names_free(&m->outputs);
    sam_onnx_graph_free(&m->onnx);
    sam_model_close(m->model);
    if (!m->failed)
        return SAM_OK;
    sam_net_graph_free(m->graph);
    return m->error->status;
}

enum sam_status sam_net_import(const char *path, const struct sam_network_options *options,
                               struct net_graph *graph, struct sam_error *error)
{
    struct sam_error own = {0};
    struct import m = {
        .file = path, .options = options, .graph = graph, .error = error ? error : &own};
    return finish(&m, sam_model_open(path, &m.model, m.error));
}

enum sam_status sam_net_import_data(const void *data, size_t size, const char *name,
                                    const struct sam_network_options *options,
                                    struct net_graph *graph, struct sam_error *error)
{
    struct sam_error own = {0};
    struct import m = {
        .file = name, .options = options, .graph = graph, .error = error ? error : &own};
    return finish(&m, sam_model_open_onnx(data, size, name, &m.model, m.error));
}
