/* SPDX-License-Identifier: Apache-2.0 */
/* Models that onnx_text.h cannot write: damaged, hostile, with data in other files. */
#include <unistd.h>

#include "test.h"

#include "folder.h"
#include "format/protobuf.h"
#include "network/graph.h"
#include "onnx_text.h"
#include "samite/file.h"

static const struct sam_network_options none;

/* Takes ownership of `model`. */
static void refuse(struct sam_buffer model, const char *text)
{
    struct net_graph g;
    struct sam_error error = {0};
    assert_false(model.failed);
    assert_int_equal(sam_net_import_data(model.data, model.size, "m.onnx", &none, &g, &error),
                     SAM_ERR_INPUT);
    assert_string_equal(error.text, text);
    assert_null(g.values);
    assert_int_equal(sam_net_import_data(model.data, model.size, "m.onnx", &none, &g, NULL),
                     SAM_ERR_INPUT);
    sam_buffer_free(&model);
}

/* y = Cast x with an attribute; takes ownership of it. */
static struct sam_buffer cast(struct sam_buffer attribute)
{
    struct sam_buffer model = {0}, graph = {0}, node = {0}, in = {0}, out = {0}, kind = {0},
                      tensor = {0};
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_text(&node, 4, "Cast");
    put_message(&node, 5, attribute);
    put_message(&graph, 1, node);
    put_number(&tensor, 1, 1);
    put_text(&tensor, 2, ""); /* a scalar */
    put_message(&kind, 1, tensor);
    put_text(&in, 1, "x");
    put_message(&in, 2, kind);
    put_message(&graph, 11, in);
    put_text(&out, 1, "y");
    put_message(&graph, 12, out);
    put_message(&model, 7, graph);
    put_opset(&model, "", 13);
    return model;
}

TEST(attributes)
{
    struct sam_buffer a = {0};
    put_text(&a, 1, "to");
    put_number(&a, 3, 1);
    put_number(&a, 20, 1); /* declared as a float */
    refuse(cast(a), "m.onnx: node 'y': attribute 'to' has a value of another type than declared");
    a = (struct sam_buffer){0};
    put_text(&a, 1, "to");
    put_number(&a, 3, 1);
    put_text(&a, 4, "1"); /* two values */
    refuse(cast(a), "m.onnx: node 'y': attribute 'to' has a value of another type than declared");
    a = (struct sam_buffer){0};
    put_text(&a, 1, "to");
    put_number(&a, 20, 99);
    refuse(cast(a), "m.onnx: node 'y': attribute 'to' has a value of another type than declared");
    a = (struct sam_buffer){0};
    put_text(&a, 1, "to");
    put_number(&a, 20, 2); /* a zero that the writer left out */
    refuse(cast(a), "m.onnx: node 'y' (Cast): a cast to type 0 (?): expected floats, i64, i32 or "
                    "bool");
    a = (struct sam_buffer){0};
    put_text(&a, 1, "to");
    refuse(cast(a), "m.onnx: node 'y' (Cast): attribute 'to' is unknown: expected an integer");
    a = (struct sam_buffer){0};
    put_bytes(&a, 1, "t\0o", 3);
    refuse(cast(a), "m.onnx: not an ONNX model, or damaged");
    a = (struct sam_buffer){0};
    put_text(&a, 1, "to");
    put_bytes(&a, 8, "\xff\xff", 2); /* packed numbers that do not end */
    refuse(cast(a), "m.onnx: not an ONNX model, or damaged");
    a = (struct sam_buffer){0};
    put_text(&a, 1, "to");
    put_bytes(&a, 7, "12345", 5); /* packed floats */
    refuse(cast(a), "m.onnx: not an ONNX model, or damaged");
}

/* Numbers in both encodings. */
TEST(packed)
{
    struct sam_buffer graph = {0}, node = {0}, a = {0}, list = {0}, model = {0};
    struct net_graph g;
    put_text(&a, 1, "value_ints");
    put_varint(&list, 300);
    put_varint(&list, UINT64_MAX);
    put_message(&a, 8, list);
    put_number(&a, 8, 7);
    put_text(&node, 2, "c");
    put_text(&node, 4, "Constant");
    put_message(&node, 5, a);
    put_message(&graph, 1, node);
    a = (struct sam_buffer){0};
    put_text(&a, 1, "c");
    put_message(&graph, 12, a);
    put_message(&model, 7, graph);
    put_opset(&model, "", 13);
    succeeds(sam_net_import_data, model.data, model.size, "m.onnx", &none, &g);
    assert_int_equal(g.value_count, 1);
    assert_int_equal(g.values[0].count, 3);
    assert_memory_equal(g.values[0].data, ((int64_t[]){300, -1, 7}), 24);
    sam_net_graph_free(&g);
    sam_buffer_free(&model);
}

/* Every beginning of a model: refused, unless it ends between fields of the model. */
TEST(truncated)
{
    struct sam_buffer model =
        onnx_from_text("opset 13\nin x f32 2 3\ninit w f32 3 4 = rand\ny = MatMul x w\n"
                       "z = ReduceMax y axes=[1] keepdims=0\nout z");
    for (size_t size = 0; size < model.size; size++) {
        struct net_graph g;
        struct sam_error error = {0};
        const enum sam_status status =
            sam_net_import_data(model.data, size, "m.onnx", &none, &g, &error);
        assert_int_equal(status, SAM_ERR_INPUT);
        assert_memory_equal(error.text, "m.onnx: ", 8);
    }
    sam_buffer_free(&model);
    refuse((struct sam_buffer){0}, "m.onnx: not an ONNX model, or damaged");
}

TEST(two_graphs)
{
    struct sam_buffer model = onnx_from_text("opset 13\nin x f32 2\ny = Relu x\nout y"),
                      graph = {0};
    put_message(&model, 7, graph);
    refuse(model, "m.onnx: not an ONNX model, or damaged");
}

/* --- files */
static int enter_folder(void **state)
{
    return test_folder_make(state) || chdir(test_folder) ? -1 : 0;
}

static int leave_folder(void **state)
{
    return chdir("/") ? -1 : test_folder_remove(state);
}

/* y = Add w w, with w in a file. */
static void save_external(const char *location)
{
    static const uint64_t dims[] = {2};
    SCOPED(sam_buffer) model = {0};
    struct sam_buffer entry = {0};
    struct sam_buffer w = make_tensor("w", 1, 1, dims), graph = {0};
    put_text(&entry, 1, "location");
    put_text(&entry, 2, location);
    put_message(&w, 13, entry);
    put_number(&w, 14, 1);
    put_message(&graph, 5, w);
    struct sam_buffer node = {0}, out = {0};
    put_text(&node, 1, "w");
    put_text(&node, 1, "w");
    put_text(&node, 2, "y");
    put_text(&node, 4, "Add");
    put_message(&graph, 1, node);
    put_text(&out, 1, "y");
    put_message(&graph, 12, out);
    put_message(&model, 7, graph);
    put_opset(&model, "", 13);
    succeeds(sam_file_save, "model.onnx", model.data, model.size);
}

TEST(external_data, .setup_func = enter_folder, .teardown_func = leave_folder)
{
    const float data[] = {1.5f, -3};
    struct net_graph g;
    struct sam_error error = {0};
    succeeds(sam_file_save, "weights", data, sizeof data);
    save_external("weights");
    succeeds(sam_net_import, "model.onnx", &none, &g);
    assert_int_equal(g.value_count, 1);
    assert_int_equal(g.node_count, 0);
    assert_memory_equal(g.values[0].data, ((float[]){3, -6}), sizeof data);
    sam_net_graph_free(&g);
    save_external("missing");
    assert_int_equal(sam_net_import("model.onnx", &none, &g, &error), SAM_ERR_IO);
    assert_string_equal(error.text,
                        "model.onnx: external data 'missing': No such file or directory");
    assert_int_equal(sam_net_import("none.onnx", &none, &g, &error), SAM_ERR_IO);
    assert_int_equal(sam_net_import("none.onnx", &none, &g, NULL), SAM_ERR_IO);
}

/* Initializers remember their tensor, also under another shape. */
TEST(initializers)
{
    SCOPED(sam_buffer) model =
        onnx_from_text("opset 13\nin x f32 2 3\ninit u f32 1 = 1\ninit w f16 12 = 1\n"
                       "init s i64 2 = 3 4\nv = Reshape w s\ny = MatMul x v\nout y");
    struct net_graph g;
    succeeds(sam_net_import_data, model.data, model.size, "m.onnx", &none, &g);
    assert_int_equal(g.node_count, 1);
    const struct sam_net_value *w = &g.values[g.nodes[0].inputs[1]];
    assert_int_equal(w->initializer, 1);
    assert_int_equal(w->dtype, SAM_F16);
    assert_int_equal(w->rank, 2);
    assert_memory_equal(w->data, "\0\x3c\0\x3c", 4);
    assert_int_equal(sam_net_outer(&g.values[g.inputs[0]], 1), 2);
    assert_int_equal(sam_net_inner(&g.values[g.inputs[0]], 0), 3);
    sam_net_graph_free(&g);
}
