/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol buffer messages built field by field, for ONNX models. */
#ifndef TEST_FORMAT_PROTOBUF_H
#define TEST_FORMAT_PROTOBUF_H

#include "base/base.h"

static inline void put_varint(struct sam_buffer *m, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    do {
        bytes[size++] = (uint8_t)(value & 127) | (value > 127 ? 128 : 0);
        value >>= 7;
    } while (value);
    sam_buffer_append(m, bytes, size);
}

static inline void put_number(struct sam_buffer *m, unsigned field, uint64_t value)
{
    put_varint(m, field << 3);
    put_varint(m, value);
}

static inline void put_bytes(struct sam_buffer *m, unsigned field, const void *bytes, size_t size)
{
    put_varint(m, field << 3 | 2);
    put_varint(m, size);
    sam_buffer_append(m, bytes, size);
}

static inline void put_text(struct sam_buffer *m, unsigned field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

/* Takes `inner` over. */
static inline void put_message(struct sam_buffer *m, unsigned field, struct sam_buffer inner)
{
    put_bytes(m, field, sam_buffer_text(&inner), inner.size);
    sam_buffer_free(&inner);
}

/* A TensorProto without data: name, type, `rank` dims one by one. */
static inline struct sam_buffer make_tensor(const char *name, unsigned type, size_t rank,
                                            const uint64_t *dims)
{
    struct sam_buffer t = {0};
    for (size_t d = 0; d < rank; d++)
        put_number(&t, 1, dims[d]);
    put_number(&t, 2, type);
    put_text(&t, 8, name);
    return t;
}

/* A Constant node with one output and a `value`. Takes ownership of `tensor`. */
static inline struct sam_buffer make_constant(const char *output, struct sam_buffer tensor)
{
    struct sam_buffer attribute = {0}, node = {0};
    put_text(&attribute, 1, "value");
    put_message(&attribute, 5, tensor);
    put_text(&node, 2, output);
    put_text(&node, 4, "Constant");
    put_message(&node, 5, attribute);
    return node;
}

/* A node of another kind with `graph` as an attribute. Takes ownership of it. */
static inline struct sam_buffer make_branch(struct sam_buffer graph)
{
    struct sam_buffer attribute = {0}, node = {0};
    put_text(&attribute, 1, "then_branch");
    put_message(&attribute, 6, graph);
    put_text(&node, 4, "If");
    put_message(&node, 5, attribute);
    return node;
}

/* An attribute of a node: one number, or several. */
static inline void put_attribute_int(struct sam_buffer *node, const char *name, int64_t value)
{
    struct sam_buffer a = {0};
    put_text(&a, 1, name);
    put_number(&a, 3, (uint64_t)value);
    put_number(&a, 20, 2);
    put_message(node, 5, a);
}

static inline void put_attribute_float(struct sam_buffer *node, const char *name, float value)
{
    struct sam_buffer a = {0};
    uint8_t bytes[4];
    sam_put_le32(bytes, sam_f32_bits(value));
    put_text(&a, 1, name);
    put_varint(&a, 2 << 3 | 5);
    sam_buffer_append(&a, bytes, sizeof bytes);
    put_number(&a, 20, 1);
    put_message(node, 5, a);
}

static inline void put_attribute_text(struct sam_buffer *node, const char *name, const char *value)
{
    struct sam_buffer a = {0};
    put_text(&a, 1, name);
    put_text(&a, 4, value);
    put_number(&a, 20, 3);
    put_message(node, 5, a);
}

/* Numbers one by one, as exporters write them. */
static inline void put_attribute_ints(struct sam_buffer *node, const char *name, size_t count,
                                      const int64_t *values)
{
    struct sam_buffer a = {0};
    put_text(&a, 1, name);
    for (size_t i = 0; i < count; i++)
        put_number(&a, 8, (uint64_t)values[i]);
    put_number(&a, 20, 7);
    put_message(node, 5, a);
}

/* Packed. */
static inline void put_attribute_floats(struct sam_buffer *node, const char *name, size_t count,
                                        const float *values)
{
    struct sam_buffer a = {0}, list = {0};
    uint8_t bytes[4];
    put_text(&a, 1, name);
    for (size_t i = 0; i < count; i++) {
        sam_put_le32(bytes, sam_f32_bits(values[i]));
        sam_buffer_append(&list, bytes, sizeof bytes);
    }
    put_message(&a, 7, list);
    put_number(&a, 20, 6);
    put_message(node, 5, a);
}

/* Takes ownership of `tensor`. */
static inline void put_attribute_tensor(struct sam_buffer *node, const char *name,
                                        struct sam_buffer tensor)
{
    struct sam_buffer a = {0};
    put_text(&a, 1, name);
    put_message(&a, 5, tensor);
    put_number(&a, 20, 4);
    put_message(node, 5, a);
}

/* An OperatorSetIdProto of the model. */
static inline void put_opset(struct sam_buffer *model, const char *domain, uint64_t version)
{
    struct sam_buffer opset = {0};
    put_text(&opset, 1, domain);
    put_number(&opset, 2, version);
    put_message(model, 8, opset);
}

/* The model of a graph. Takes ownership of it. */
static inline struct sam_buffer make_model(struct sam_buffer graph)
{
    struct sam_buffer model = {0};
    put_number(&model, 1, 8); /* ir_version */
    put_text(&model, 2, "test");
    put_message(&model, 7, graph);
    return model;
}

#endif
