/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models built here: each way to store a tensor, and errors. */

#include "test.h"

#include "format/protobuf.h"
#include "samite/format.h"

enum { FLOAT = 1, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32 };
enum { DIMS = 1, FLOATS = 4, INT32S = 5, INT64S = 7, RAW = 9, DOUBLES = 10, UINT64S = 11 };

static const uint64_t none[1], three[] = {3};

/* A model of one initializer; takes ownership of it. */
static struct sam_buffer one(struct sam_buffer tensor)
{
    struct sam_buffer graph = {0};
    put_message(&graph, 5, tensor);
    return make_model(graph);
}

/* Takes `model` over. */
static void expect_refused(struct sam_buffer model, const char *part)
{
    struct sam_onnx onnx;
    struct sam_error error = {0};
    assert_false(model.failed);
    enum sam_status status = sam_onnx_parse(model.data, model.size, "m.onnx", &onnx, &error);
    if (status != SAM_ERR_INPUT || !strstr(error.text, part) ||
        strncmp(error.text, "m.onnx: ", 8) != 0)
        fail_msg("'%s' (%d) does not say '%s'", error.text, (int)status, part);
    assert_null(onnx.tensors);
    sam_buffer_free(&model);
}

static void expect_tensor(const struct sam_onnx *onnx, size_t at, const char *name,
                          enum sam_dtype type, size_t rank, const void *bytes, size_t size)
{
    assert_true(at < onnx->count);
    const struct sam_weight *w = &onnx->tensors[at];
    assert_string_equal(w->name, name);
    assert_int_equal(w->type, type);
    assert_int_equal(w->rank, rank);
    assert_int_equal(w->size, size);
    assert_memory_equal(onnx->data[at], bytes, size);
}

/* Takes ownership of `model`; returns its only tensor. */
static void expect_one(struct sam_buffer model, enum sam_dtype type, size_t rank, const void *bytes,
                       size_t size)
{
    SCOPED(sam_onnx) onnx;
    succeeds(sam_onnx_parse, model.data, model.size, "m.onnx", &onnx);
    assert_int_equal(onnx.count, 1);
    expect_tensor(&onnx, 0, "t", type, rank, bytes, size);
    sam_buffer_free(&model);
}

static struct sam_buffer packed(const char *name, unsigned type, unsigned field, size_t count,
                                const uint64_t *values)
{
    struct sam_buffer t = make_tensor(name, type, 1, (uint64_t[]){count}), list = {0};
    for (size_t i = 0; i < count; i++)
        put_varint(&list, values[i]);
    put_message(&t, field, list);
    return t;
}

/* Every place of a tensor, in file order. */
TEST(places)
{
    struct sam_buffer graph = {0}, inner = {0}, deepest = {0}, t;
    t = make_tensor("w", FLOAT, 2, (uint64_t[]){1, 2});
    put_bytes(&t, RAW, "abcdefgh", 8);
    put_message(&graph, 5, t);
    t = make_tensor("not this", FLOAT16, 0, none); /* named by the node's output */
    put_bytes(&t, RAW, "xy", 2);
    put_message(&deepest, 1, make_constant("c", t));
    put_message(&inner, 1, make_branch(deepest));
    t = make_tensor("i", INT8, 1, three);
    put_bytes(&t, RAW, "123", 3);
    put_message(&inner, 5, t);
    put_message(&graph, 1, make_branch(inner));
    put_message(&graph, 5, packed("last", UINT8, INT32S, 3, (uint64_t[]){7, 8, 255}));
    SCOPED(sam_buffer) model = make_model(graph);
    SCOPED(sam_onnx) onnx;
    succeeds(sam_onnx_parse, model.data, model.size, "m.onnx", &onnx);
    assert_int_equal(onnx.count, 4);
    expect_tensor(&onnx, 0, "w", SAM_F32, 2, "abcdefgh", 8);
    assert_int_equal(onnx.tensors[0].shape[0], 1);
    assert_int_equal(onnx.tensors[0].shape[1], 2);
    expect_tensor(&onnx, 1, "c", SAM_F16, 0, "xy", 2);
    expect_tensor(&onnx, 2, "i", SAM_I8, 1, "123", 3);
    expect_tensor(&onnx, 3, "last", SAM_U8, 1, "\7\10\377", 3);
    assert_ptr_equal(onnx.data[0], (uint8_t *)memmem(model.data, model.size, "abcdefgh", 8));
}

/* Elements in the field of their type: packed, one by one, in several parts. */
TEST(elements)
{
    const uint64_t minus[] = {UINT64_MAX, 1, (uint64_t)-128};
    expect_one(one(packed("t", INT8, INT32S, 3, minus)), SAM_I8, 1, "\xff\1\x80", 3);
    const uint64_t half[] = {0x3c00, 0xfc01, 0};
    expect_one(one(packed("t", FLOAT16, INT32S, 3, half)), SAM_F16, 1, "\0\x3c\1\xfc\0\0", 6);
    const uint64_t wide[] = {UINT64_MAX, INT64_MAX, 0};
    uint8_t bytes[24] = {0};
    memset(bytes, 255, 15);
    bytes[15] = 127;
    expect_one(one(packed("t", INT64, INT64S, 3, wide)), SAM_I64, 1, bytes, 24);
    const uint64_t word[] = {UINT32_MAX, 0x80000000, 5};
    expect_one(one(packed("t", UINT32, UINT64S, 3, word)), SAM_U32, 1,
               "\xff\xff\xff\xff\0\0\0\x80\5\0\0\0", 12);

    struct sam_buffer t = make_tensor("t", FLOAT, 1, three);
    put_bytes(&t, FLOATS, "abcd", 4);
    put_varint(&t, FLOATS << 3 | 5);
    sam_buffer_append(&t, "efgh", 4);
    put_bytes(&t, FLOATS, "ijkl", 4);
    expect_one(one(t), SAM_F32, 1, "abcdefghijkl", 12);

    t = make_tensor("t", DOUBLE, 0, none);
    put_varint(&t, DOUBLES << 3 | 1);
    sam_buffer_append(&t, "abcdefgh", 8);
    expect_one(one(t), SAM_F64, 0, "abcdefgh", 8);

    t = make_tensor("t", INT32, 1, three);
    put_number(&t, INT32S, 1);
    put_number(&t, INT32S, (uint64_t)-2);
    put_number(&t, INT32S, 3);
    expect_one(one(t), SAM_I32, 1, "\1\0\0\0\xfe\xff\xff\xff\3\0\0\0", 12);

    t = make_tensor("t", 23, 1, (uint64_t[]){4}); /* float4e2m1: two per number */
    put_bytes(&t, INT32S, "\x21\x43", 2);
    expect_one(one(t), SAM_E2M1, 1, "\x21\x43", 2);

    t = make_tensor("t", FLOAT, 3, (uint64_t[]){UINT32_MAX, 0, UINT32_MAX});
    expect_one(one(t), SAM_F32, 3, "", 0);

    struct sam_buffer dims = {0}; /* packed dims */
    t = make_tensor("t", BOOL, 0, none);
    put_varint(&dims, 1);
    put_varint(&dims, 2);
    put_message(&t, DIMS, dims);
    put_bytes(&t, RAW, "\0\1", 2);
    expect_one(one(t), SAM_BOOL, 2, "\0\1", 2);
}

TEST(bad_tensors)
{
    struct sam_buffer t = make_tensor("far.weight", FLOAT, 1, three), entry = {0};
    put_text(&entry, 1, "location");
    put_text(&entry, 2, "weights.bin");
    put_message(&t, 13, entry);
    put_number(&t, 14, 1);
    expect_refused(one(t), "tensor 'far.weight': its data is in another file (external data)");
    t = make_tensor("t", FLOAT, 1, three);
    put_number(&t, 14, 1);
    expect_refused(one(t), "external data");
    t = make_tensor("t", FLOAT, 1, three);
    put_bytes(&t, RAW, "0123456789a", 11);
    expect_refused(one(t), "does not match its shape and type");
    t = make_tensor("t", FLOAT, 1, three);
    expect_refused(one(t), "fewer elements");
    expect_refused(one(packed("t", UINT16, INT32S, 1, (uint64_t[]){65536})),
                   "out of range for its type");
    expect_refused(one(packed("t", INT8, INT32S, 1, (uint64_t[]){(uint64_t)-129})),
                   "out of range for its type");
    t = packed("t", INT64, INT64S, 3, (uint64_t[]){1, 2, 3});
    put_number(&t, INT64S, 4);
    expect_refused(one(t), "more elements");
    t = packed("t", INT64, INT64S, 3, (uint64_t[]){1, 2, 3});
    put_bytes(&t, RAW, "", 0);
    expect_refused(one(t), "in two places");
    expect_refused(one(packed("t", INT64, INT32S, 1, (uint64_t[]){1})), "data of another type");
    t = make_tensor("t", FLOAT, 1, three);
    put_bytes(&t, FLOATS, "abcde", 5);
    expect_refused(one(t), "invalid elements");
    t = make_tensor("t", FLOAT, 1, three);
    put_number(&t, FLOATS, 5);
    expect_refused(one(t), "invalid elements");
    t = make_tensor("t", 22, 1, three); /* int4 */
    put_bytes(&t, RAW, "ab", 2);
    expect_refused(one(t), "not a whole number of bytes");
    expect_refused(one(make_tensor("t", STRING, 1, three)), "elements of type 8 (string)");
    expect_refused(one(make_tensor("t", 18, 1, three)), "type 18 (float8e4m3fnuz)");
    expect_refused(one(make_tensor("t", 99, 1, three)), "elements of type 99 (?)");
    expect_refused(one(make_tensor("t", 0, 1, three)), "elements of type 0 (undefined)");
    expect_refused(one(make_tensor("", FLOAT, 1, three)), "missing or invalid name");
    t = make_tensor("t", FLOAT, 4, (uint64_t[]){1 << 20, 1 << 20, 1 << 20, 1 << 20});
    expect_refused(one(t), "too large");
    expect_refused(one(make_tensor("t", FLOAT, 1, (uint64_t[]){(uint64_t)-1})), "an invalid shape");
    expect_refused(one(make_tensor("t", FLOAT, 17, (uint64_t[17]){1})), "an invalid shape");
    t = make_tensor("t", FLOAT, 0, none);
    put_bytes(&t, 3, "\10\0", 2);
    expect_refused(one(t), "a segment");
    t = make_tensor("", FLOAT, 0, none);
    put_bytes(&t, 8, "a\0b", 3);
    expect_refused(one(t), "missing or invalid name");
}

static struct sam_buffer scalar(const char *name)
{
    struct sam_buffer t = make_tensor(name, FLOAT, 0, none);
    put_bytes(&t, RAW, "abcd", 4);
    return t;
}

TEST(bad_models)
{
    struct sam_buffer graph = {0}, inner = {0}, model = {0};
    put_message(&graph, 5, scalar("same"));
    put_message(&inner, 1, make_constant("same", scalar("other")));
    put_message(&graph, 1, make_branch(inner));
    expect_refused(make_model(graph), "two tensors named 'same'");
    graph = (struct sam_buffer){0};
    put_text(&graph, 15, "");
    expect_refused(make_model(graph), "sparse initializers");
    expect_refused(model, "not an ONNX model"); /* of no bytes */
    sam_buffer_append(&model, "\x93NUMPY\1\0", 8);
    expect_refused(model, "not an ONNX model");
    model = (struct sam_buffer){0};
    put_number(&model, 1, 8); /* without a graph */
    expect_refused(model, "not an ONNX model");
    graph = (struct sam_buffer){0};
    put_message(&graph, 5, scalar("x")); /* deeper than any real model */
    for (unsigned i = 0; i < 100; i++) {
        inner = graph;
        graph = (struct sam_buffer){0};
        put_message(&graph, 1, make_branch(inner));
    }
    expect_refused(make_model(graph), "not an ONNX model");
}

/* A model truncated anywhere is rejected, or is still a model with no tensor or all of them. */
TEST(cut)
{
    struct sam_buffer graph = {0};
    put_message(&graph, 5, scalar("a"));
    put_message(&graph, 1, make_constant("c", packed("", INT64, INT64S, 1, (uint64_t[]){300})));
    SCOPED(sam_buffer) model = make_model(graph);
    for (size_t size = 0; size < model.size; size++) {
        struct sam_onnx onnx;
        FREED uint8_t *copy = malloc(size + 1); /* for the sanitizer */
        assert_non_null(copy);
        memcpy(copy, model.data, size);
        assert_int_equal(sam_onnx_parse(copy, size, "m.onnx", &onnx, NULL), SAM_ERR_INPUT);
    }
}
