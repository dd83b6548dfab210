/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ONNX model. */
#include "fuzz.h"

#include <string.h>

#include "format/format.h"
#include "tests/format/protobuf.h"

/* With external data: paths are relative and stay in the folder, and only such tensors lack
 * data. */
static void parse_externals(const uint8_t *data, size_t size)
{
    struct sam_onnx onnx;
    struct sam_onnx_external *externals;
    struct sam_error error = {0};
    if (sam_onnx_parse_with(data, size, "fuzz", &onnx, &externals, &error) != SAM_OK) {
        FUZZ_CHECK(error.text[0] && !onnx.tensors && !onnx.names);
        return;
    }
    for (size_t i = 0; i < onnx.count; i++) {
        const char *at = externals[i].location;
        FUZZ_CHECK(!at == !!onnx.data[i]);
        FUZZ_CHECK(!at || (at[0] && at[0] != '/' && externals[i].offset <= INT64_MAX));
        for (; at; at = strchr(at, '/')) {
            at += *at == '/';
            FUZZ_CHECK(strncmp(at, "..", 2) != 0 || (at[2] && at[2] != '/'));
        }
    }
    sam_onnx_externals_free(externals, onnx.count);
    sam_onnx_free(&onnx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_onnx onnx;
    struct sam_error error = {0};
    parse_externals(data, size);
    if (sam_onnx_parse(data, size, "fuzz", &onnx, &error) != SAM_OK) {
        FUZZ_CHECK(error.text[0] && !onnx.tensors && !onnx.names);
        return 0;
    }
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < onnx.count; i++) {
        const struct sam_weight *w = &onnx.tensors[i];
        const uint8_t *bytes = onnx.data[i];
        uint64_t bits = sam_dtype_bits(w->type);
        for (size_t d = 0; d < w->rank; d++)
            bits *= w->shape[d]; /* a wrapped size would not pass as small enough for the file */
        FUZZ_CHECK(w->name[0] && w->size <= 8 * (uint64_t)size && w->size == bits / 8);
        for (uint64_t at = 0; at < w->size; at++) /* all of it is readable */
            sum ^= bytes[at];
    }
    (void)sum;
    sam_onnx_free(&onnx);
    return 0;
}

/* A float with raw data, one with typed data, one in another file, an int8 in a subgraph, a
 * Constant. */
static struct sam_buffer make_seed(bool external)
{
    static const uint64_t dims[] = {2, 3};
    struct sam_buffer graph = {0}, inner = {0};
    uint8_t data[24] = "some numbers to be read";
    struct sam_buffer t = make_tensor("raw", 1, 2, dims);
    put_bytes(&t, 9, data, 24);
    put_message(&graph, 5, t);
    t = make_tensor("floats", 1, 1, dims);
    put_bytes(&t, 4, data, 8);
    put_message(&graph, 5, t);
    if (external) {
        struct sam_buffer entry = {0};
        t = make_tensor("external", 1, 1, dims);
        put_text(&entry, 1, "location");
        put_text(&entry, 2, "down/data");
        put_message(&t, 13, entry);
        put_number(&t, 14, 1);
        put_message(&inner, 5, t);
    }
    t = make_tensor("bytes", 3, 2, dims);
    put_bytes(&t, 5, "\1\2\3\4\5\6", 6);
    put_message(&inner, 5, t);
    t = make_tensor("", 7, 1, dims);
    put_number(&t, 7, 300);
    put_number(&t, 7, UINT64_MAX);
    put_message(&inner, 1, make_constant("constant", t));
    put_message(&graph, 1, make_branch(inner));
    return make_model(graph);
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    for (int external = 0; external < 2; external++) {
        struct sam_buffer model = make_seed(external);
        FUZZ_CHECK(!model.failed);
        add(context, external ? "external" : "model", model.data, model.size);
        sam_buffer_free(&model);
    }
}
