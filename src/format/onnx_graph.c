/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of an ONNX model: GraphProto.node, .input and .output, and the opset. */
#include "format/format.h"
#include "format/onnx.h"

enum { VALUE_NAME = 1, VALUE_TYPE = 2 };
enum { TYPE_TENSOR = 1, TENSOR_ELEMENT = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };

struct graph_reader {
    const char *file;
    struct sam_onnx_graph *graph;
    struct sam_error *error;
};

static bool damaged(struct graph_reader *r)
{
    sam_fail(r->error, SAM_ERR_INPUT, "%s: not an ONNX model, or damaged", r->file);
    return false;
}

static void *take(struct graph_reader *r, size_t count, size_t size)
{
    void *block = sam_blocks_take(&r->graph->blocks, count, size);
    if (!block)
        sam_fail_memory(r->error);
    return block;
}

static char *copy(struct graph_reader *r, const struct sam_bytes *text)
{
    char *name = sam_blocks_text(&r->graph->blocks, text->at, sam_bytes_left(text));
    if (!name)
        sam_fail_memory(r->error);
    return name;
}

/* A name: text without NUL. */
static bool copy_name(struct graph_reader *r, const struct sam_proto_field *f, const char **name)
{
    if (f->wire != WIRE_BYTES ||
        (f->bytes.at != f->bytes.end && memchr(f->bytes.at, 0, sam_bytes_left(&f->bytes))))
        return damaged(r);
    *name = copy(r, &f->bytes);
    return *name;
}

/* The number of fields with this number. */
static size_t count_of(struct sam_bytes m, unsigned number)
{
    struct sam_proto_field f;
    size_t count = 0;
    while (sam_proto_next(&m, &f))
        count += f.number == number;
    return count;
}

/* --- attributes */
static size_t count_numbers(struct sam_bytes m, unsigned number, unsigned width)
{
    struct sam_proto_field f;
    size_t count = 0;
    while (sam_proto_next(&m, &f)) {
        if (f.number != number)
            continue;
        if (f.wire != WIRE_BYTES)
            count++;
        else if (width)
            count += sam_bytes_left(&f.bytes) / width;
        else
            for (const uint8_t *at = f.bytes.at; at < f.bytes.end; at++)
                count += *at < 128;
    }
    return count;
}

static bool take_floats(struct graph_reader *r, struct sam_bytes m, unsigned number,
                        struct sam_onnx_attribute *a)
{
    struct sam_proto_field f;
    const size_t most = count_numbers(m, number, 4);
    a->floats = take(r, most + 1, sizeof *a->floats);
    while (a->floats && sam_proto_next(&m, &f)) {
        if (f.number != number)
            continue;
        if (f.wire == WIRE_32)
            a->floats[a->count++] = sam_bits_f32((uint32_t)f.value);
        else if (f.wire != WIRE_BYTES || sam_bytes_left(&f.bytes) % 4)
            return damaged(r);
        while (f.wire == WIRE_BYTES && f.bytes.at < f.bytes.end)
            a->floats[a->count++] = sam_bits_f32(sam_bytes_le32(&f.bytes));
    }
    return a->floats;
}

static bool take_ints(struct graph_reader *r, struct sam_bytes m, unsigned number,
                      struct sam_onnx_attribute *a)
{
    struct sam_proto_field f;
    const size_t most = count_numbers(m, number, 0);
    a->ints = take(r, most + 1, sizeof *a->ints);
    while (a->ints && sam_proto_next(&m, &f)) {
        if (f.number != number)
            continue;
        if (f.wire == WIRE_VARINT)
            a->ints[a->count++] = (int64_t)f.value;
        else if (f.wire != WIRE_BYTES)
            return damaged(r);
        while (f.wire == WIRE_BYTES && f.bytes.at < f.bytes.end) {
            const uint64_t value = sam_bytes_uleb(&f.bytes);
            if (f.bytes.damaged)
                return damaged(r);
            a->ints[a->count++] = (int64_t)value;
        }
    }
    return a->ints;
}

/* The kind whose values are in this field; 0: none. */
static enum sam_onnx_kind kind_of(uint64_t field)
{
    return field >= ATTRIBUTE_FLOAT && field <= ATTRIBUTE_GRAPHS ? (enum sam_onnx_kind)(field - 1)
                                                                 : 0;
}

static bool take_attribute(struct graph_reader *r, struct sam_bytes m, const char *node,
                           struct sam_onnx_attribute *a)
{
    struct sam_bytes all = m;
    struct sam_proto_field f;
    uint64_t declared = 0;
    a->name = "";
    while (sam_proto_next(&m, &f)) {
        if (f.number == ATTRIBUTE_NAME && !copy_name(r, &f, &a->name))
            return false;
        if (f.number == ATTRIBUTE_TYPE)
            declared = f.value;
        const enum sam_onnx_kind kind = kind_of(f.number);
        if (kind && a->kind && a->kind != kind)
            declared = SAM_ONNX_KINDS;
        else if (kind)
            a->kind = kind;
        if (kind == SAM_ONNX_STRING || kind == SAM_ONNX_TENSOR) {
            if (f.wire != WIRE_BYTES)
                return damaged(r);
            a->tensor = f.bytes;
        }
    }
    if (m.damaged)
        return damaged(r);
    if (declared >= SAM_ONNX_KINDS || (a->kind && declared && a->kind != declared)) {
        sam_fail(r->error, SAM_ERR_INPUT,
                 "%s: node '%.100s': attribute '%.100s' has a value of another type than declared",
                 r->file, node, a->name);
        return false;
    }
    /* Fields with a value of zero may have been left out. */
    a->kind = a->kind ? a->kind : (enum sam_onnx_kind)declared;
    if (a->kind == SAM_ONNX_FLOAT || a->kind == SAM_ONNX_FLOATS) {
        if (!take_floats(r, all, a->kind + 1, a))
            return false;
    } else if (a->kind == SAM_ONNX_INT || a->kind == SAM_ONNX_INTS) {
        if (!take_ints(r, all, a->kind + 1, a))
            return false;
    } else if (a->kind == SAM_ONNX_STRING) {
        a->text = copy(r, &a->tensor);
        return a->text;
    }
    return true;
}

/* --- nodes */
static bool take_node(struct graph_reader *r, struct sam_bytes m, struct sam_onnx_node *n)
{
    struct sam_bytes all = m;
    struct sam_proto_field f;
    n->type = n->name = n->domain = "";
    n->inputs = take(r, count_of(m, NODE_INPUT) + 1, sizeof *n->inputs);
    n->outputs = take(r, count_of(m, NODE_OUTPUT) + 1, sizeof *n->outputs);
    n->attributes = take(r, count_of(m, NODE_ATTRIBUTE) + 1, sizeof *n->attributes);
    if (!n->inputs || !n->outputs || !n->attributes)
        return false;
    bool good = true;
    while (good && sam_proto_next(&m, &f)) {
        const char *name;
        switch (f.number) {
        case NODE_INPUT:
            good = copy_name(r, &f, &name);
            n->inputs[n->input_count++] = good ? (char *)name : NULL;
            break;
        case NODE_OUTPUT:
            good = copy_name(r, &f, &name);
            n->outputs[n->output_count++] = good ? (char *)name : NULL;
            break;
        case NODE_NAME: good = copy_name(r, &f, &n->name); break;
        case NODE_TYPE: good = copy_name(r, &f, &n->type); break;
        case NODE_DOMAIN: good = copy_name(r, &f, &n->domain); break;
        default: break;
        }
    }
    if (!good || m.damaged)
        return good && damaged(r);
    const char *name = n->name[0] ? n->name : n->output_count ? n->outputs[0] : "?";
    while (sam_proto_next(&all, &f))
        if (f.number == NODE_ATTRIBUTE &&
            (f.wire != WIRE_BYTES
                 ? !damaged(r)
                 : !take_attribute(r, f.bytes, name, &n->attributes[n->attribute_count++])))
            return false;
    return true;
}

/* --- inputs and outputs */
static bool take_dim(struct graph_reader *r, struct sam_bytes m, struct sam_onnx_dim *dim)
{
    struct sam_proto_field f;
    dim->name = "";
    while (sam_proto_next(&m, &f)) {
        if (f.number == DIM_PARAM && !copy_name(r, &f, &dim->name))
            return false;
        if (f.number == DIM_VALUE) {
            /* Exporters write -1 and 0 for unknown. */
            dim->known = f.value != 0 && f.value != UINT64_MAX;
            dim->size = f.value;
        }
    }
    return !m.damaged || damaged(r);
}

static bool take_shape(struct graph_reader *r, struct sam_bytes m, struct sam_onnx_input *in)
{
    struct sam_proto_field f;
    in->has_shape = true;
    in->rank = 0;
    in->dims = take(r, count_of(m, SHAPE_DIM) + 1, sizeof *in->dims);
    while (in->dims && sam_proto_next(&m, &f))
        if (f.number == SHAPE_DIM && f.wire == WIRE_BYTES &&
            !take_dim(r, f.bytes, &in->dims[in->rank++]))
            return false;
    return in->dims && (!m.damaged || damaged(r));
}

static bool take_tensor_type(struct graph_reader *r, struct sam_bytes m, struct sam_onnx_input *in)
{
    struct sam_proto_field f;
    in->is_tensor = true;
    while (sam_proto_next(&m, &f)) {
        if (f.number == TENSOR_ELEMENT)
            in->type = f.value;
        if (f.number == TENSOR_SHAPE && f.wire == WIRE_BYTES && !take_shape(r, f.bytes, in))
            return false;
    }
    return !m.damaged || damaged(r);
}

static bool take_input(struct graph_reader *r, struct sam_bytes m, struct sam_onnx_input *in)
{
    struct sam_proto_field f, t;
    in->name = "";
    while (sam_proto_next(&m, &f)) {
        if (f.number == VALUE_NAME && !copy_name(r, &f, &in->name))
            return false;
        if (f.number != VALUE_TYPE || f.wire != WIRE_BYTES)
            continue;
        while (sam_proto_next(&f.bytes, &t))
            if (t.number == TYPE_TENSOR && t.wire == WIRE_BYTES &&
                !take_tensor_type(r, t.bytes, in))
                return false;
        m.damaged |= f.bytes.damaged;
    }
    return !m.damaged || damaged(r);
}

static bool take_graph(struct graph_reader *r, struct sam_bytes m)
{
    struct sam_onnx_graph *g = r->graph;
    struct sam_proto_field f;
    g->nodes = take(r, count_of(m, GRAPH_NODE) + 1, sizeof *g->nodes);
    g->inputs = take(r, count_of(m, GRAPH_INPUT) + 1, sizeof *g->inputs);
    g->outputs = take(r, count_of(m, GRAPH_OUTPUT) + 1, sizeof *g->outputs);
    bool good = g->nodes && g->inputs && g->outputs;
    while (good && sam_proto_next(&m, &f)) {
        if (f.wire != WIRE_BYTES)
            continue;
        if (f.number == GRAPH_NODE)
            good = take_node(r, f.bytes, &g->nodes[g->node_count++]);
        else if (f.number == GRAPH_INPUT)
            good = take_input(r, f.bytes, &g->inputs[g->input_count++]);
        else if (f.number == GRAPH_OUTPUT)
            good = take_input(r, f.bytes, &g->outputs[g->output_count++]);
    }
    return good && (!m.damaged || damaged(r));
}

static void take_opset(struct sam_bytes m, struct sam_onnx_graph *g)
{
    struct sam_proto_field f;
    struct sam_bytes domain = {0};
    uint64_t version = 0;
    while (sam_proto_next(&m, &f)) {
        if (f.number == OPSET_DOMAIN)
            domain = f.bytes;
        if (f.number == OPSET_VERSION)
            version = f.value;
    }
    if (domain.at == domain.end || sam_proto_is(&domain, "ai.onnx"))
        g->opset = version;
}

enum sam_status sam_onnx_graph_parse(const void *data, size_t size, const char *file,
                                     struct sam_onnx_graph *graph, struct sam_error *error)
{
    struct sam_error own = {0};
    struct graph_reader r = {file, graph, error ? error : &own};
    const uint8_t *bytes = data;
    struct sam_bytes m = {bytes, size ? bytes + size : bytes, false};
    struct sam_proto_field f;
    bool good = true, found = false;
    *graph = (struct sam_onnx_graph){0};
    while (good && sam_proto_next(&m, &f)) {
        if (f.wire == WIRE_BYTES && f.number == MODEL_OPSET)
            take_opset(f.bytes, graph);
        if (f.wire != WIRE_BYTES || f.number != MODEL_GRAPH)
            continue;
        good = found ? damaged(&r) : take_graph(&r, f.bytes);
        found = true;
    }
    if (good && found && !m.damaged)
        return SAM_OK;
    if (good)
        damaged(&r);
    sam_onnx_graph_free(graph);
    return r.error->status;
}

void sam_onnx_graph_free(struct sam_onnx_graph *graph)
{
    sam_blocks_free(&graph->blocks);
    *graph = (struct sam_onnx_graph){0};
}
