/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models as protocol buffer messages, and their graph: nodes, attributes, inputs and outputs.
 * Tensors are those of sam_onnx_parse. */
#ifndef SAM_FORMAT_ONNX_H
#define SAM_FORMAT_ONNX_H

#include "format/bytes.h"
#include "samite/dtype.h"
#include "samite/format.h"

struct sam_model;

/* --- messages */
struct sam_proto_field {
    uint64_t number;
    unsigned wire;
    uint64_t value; /* of a varint or fixed-width field */
    struct sam_bytes bytes;
};

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* Returns false at the end and on damage. */
static inline bool sam_proto_next(struct sam_bytes *m, struct sam_proto_field *f)
{
    if (m->damaged || m->at == m->end)
        return false;
    uint64_t key = sam_bytes_uleb(m);
    *f = (struct sam_proto_field){.number = key >> 3, .wire = key & 7};
    switch (f->wire) {
    case WIRE_VARINT: f->value = sam_bytes_uleb(m); break;
    case WIRE_64: f->value = sam_bytes_le64(m); break;
    case WIRE_32: f->value = sam_bytes_le32(m); break;
    case WIRE_BYTES: {
        const uint64_t size = sam_bytes_uleb(m);
        const uint8_t *at = sam_bytes_take(m, size);
        if (at)
            f->bytes = (struct sam_bytes){at, at + size, false};
        break;
    }
    default: m->damaged = true;
    }
    m->damaged |= f->number == 0;
    return !m->damaged;
}

static inline bool sam_proto_is(const struct sam_bytes *m, const char *text)
{
    return sam_bytes_left(m) == strlen(text) && memcmp(m->at, text, sam_bytes_left(m)) == 0;
}

/* Field numbers. */
enum { MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum {
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_SPARSE_INITIALIZER = 15
};
enum {
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7
};
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_FLOAT = 2,
    ATTRIBUTE_INT = 3,
    ATTRIBUTE_STRING = 4,
    ATTRIBUTE_TENSOR = 5,
    ATTRIBUTE_GRAPH = 6,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TENSORS = 10,
    ATTRIBUTE_GRAPHS = 11,
    ATTRIBUTE_TYPE = 20
};

/* A TensorProto outside of the initializers, such as an attribute, under another name. */
enum sam_status sam_onnx_parse_tensor(struct sam_bytes tensor, const char *file, const char *name,
                                      struct sam_onnx *onnx, struct sam_error *error);

/* --- graphs */
/* AttributeProto.AttributeType */
enum sam_onnx_kind {
    SAM_ONNX_FLOAT = 1,
    SAM_ONNX_INT,
    SAM_ONNX_STRING,
    SAM_ONNX_TENSOR,
    SAM_ONNX_GRAPH,
    SAM_ONNX_FLOATS,
    SAM_ONNX_INTS,
    SAM_ONNX_STRINGS,
    SAM_ONNX_TENSORS,
    SAM_ONNX_GRAPHS,
    SAM_ONNX_KINDS,
};

struct sam_onnx_attribute {
    const char *name;
    enum sam_onnx_kind kind;
    float *floats; /* FLOAT has one, and so on */
    int64_t *ints; /* INT */
    char *text;    /* STRING; a NUL in it ends it */
    size_t count;  /* of floats or ints */
    struct sam_bytes tensor;
    bool used; /* for the reader of the graph */
};

struct sam_onnx_node {
    const char *type, *name, *domain; /* "" if missing */
    char **inputs, **outputs;         /* "": left out */
    struct sam_onnx_attribute *attributes;
    size_t input_count, output_count, attribute_count;
};

struct sam_onnx_dim {
    const char *name; /* of a symbolic dimension, else "" */
    bool known;
    uint64_t size;
};

struct sam_onnx_input {
    const char *name;
    bool is_tensor, has_shape;
    uint64_t type; /* number of the element type; 0: none */
    struct sam_onnx_dim *dims;
    size_t rank;
};

struct sam_onnx_graph {
    struct sam_onnx_node *nodes;
    struct sam_onnx_input *inputs, *outputs;
    size_t node_count, input_count, output_count;
    uint64_t opset; /* of the standard operators; 0: none */
    struct sam_blocks blocks;
};

/* The graph of a model, names and numbers copied, tensors in place: `data` must outlive *graph.
 * SAM_ERR_INPUT: damaged, several graphs, an attribute with another type than its value. Empty
 * after an error. */
enum sam_status sam_onnx_graph_parse(const void *data, size_t size, const char *file,
                                     struct sam_onnx_graph *graph, struct sam_error *error);
/* Open an ONNX model in memory, which is copied. */
enum sam_status sam_model_open_onnx(const void *data, size_t size, const char *name,
                                    struct sam_model **model, struct sam_error *error);
/* Of an open model, whose memory it refers to. */
enum sam_status sam_model_graph(const struct sam_model *model, struct sam_onnx_graph *graph,
                                struct sam_error *error);
void sam_onnx_graph_free(struct sam_onnx_graph *graph);

#endif
