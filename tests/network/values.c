/* SPDX-License-Identifier: Apache-2.0 */
/* network_values MODEL.onnx FOLDER [INPUT=2x3x4]...: evaluate a network by the reference. Inputs
 * are FOLDER/NAME.npy; the values of all nodes are written there too. In names of files, bytes
 * other than letters, digits, "-", "." and "_" are %XX. For tools/onnx-check.mjs. */
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "network/graph.h"
#include "reference/network_ref.h"
#include "samite/format.h"

enum { MOST_INPUTS = 64 };

static bool parse_shape(char *text, struct sam_network_shape *shape)
{
    char *at = strrchr(text, '=');
    if (!at)
        return false;
    *at++ = 0;
    shape->input = text;
    while (shape->rank < NET_RANK && *at) {
        shape->shape[shape->rank++] = strtoull(at, &at, 10);
        if (*at && *at++ != 'x')
            return false;
    }
    return !*at;
}

/* The caller frees it. */
static char *path_of(const char *folder, const char *name)
{
    struct sam_buffer path = {0};
    sam_buffer_printf(&path, "%s/", folder);
    for (; *name; name++)
        if (sam_is_alnum(*name) || strchr("-._", *name))
            sam_buffer_append(&path, name, 1);
        else
            sam_buffer_printf(&path, "%%%02X", (unsigned)(unsigned char)*name);
    sam_buffer_puts(&path, ".npy");
    return (char *)path.data;
}

static enum sam_status read_input(const char *folder, const struct sam_net_value *v, void *data,
                                  struct sam_error *error)
{
    struct sam_array array = {0};
    char *path = path_of(folder, v->name);
    enum sam_status status = sam_npy_read(path, &array, error);
    if (status == SAM_OK && array.size == v->count * sam_dtype_size(v->dtype))
        memcpy(data, array.data, array.size);
    else if (status == SAM_OK)
        status = sam_fail(error, SAM_ERR_INPUT, "%s: not of the size of the input", path);
    sam_array_free(&array);
    free(path);
    return status;
}

static enum sam_status write_value(const char *folder, const struct sam_net_value *v, void *data,
                                   struct sam_error *error)
{
    struct sam_array array = {.dtype = v->dtype,
                              .rank = v->rank,
                              .data = data,
                              .count = v->count,
                              .size = v->count * sam_dtype_size(v->dtype)};
    memcpy(array.shape, v->shape, sizeof v->shape);
    char *path = path_of(folder, v->name);
    const enum sam_status status = sam_npy_write(path, &array, error);
    free(path);
    return status;
}

int main(int argc, char **argv)
{
    struct sam_network_shape shapes[MOST_INPUTS] = {0};
    struct net_graph g;
    struct sam_error error = {0};
    if (argc < 3 || argc > 3 + MOST_INPUTS)
        return fputs("usage: network_values MODEL.onnx FOLDER [INPUT=2x3x4]...\n", stderr), 2;
    for (int i = 3; i < argc; i++)
        if (!parse_shape(argv[i], &shapes[i - 3]))
            return fprintf(stderr, "invalid shape '%s'\n", argv[i]), 2;
    const struct sam_network_options sizes = {.shapes = shapes, .shape_count = (size_t)argc - 3};
    enum sam_status status = sam_net_import(argv[1], &sizes, &g, &error);
    void **values = status == SAM_OK ? network_ref_values(&g) : NULL;
    if (status == SAM_OK && !values)
        status = sam_fail_memory(&error);
    for (size_t i = 0; status == SAM_OK && i < g.input_count; i++)
        status = read_input(argv[2], &g.values[g.inputs[i]], values[g.inputs[i]], &error);
    if (status == SAM_OK)
        network_ref_run(&g, values);
    for (size_t i = 0; status == SAM_OK && i < g.node_count; i++)
        status =
            write_value(argv[2], &g.values[g.nodes[i].output], values[g.nodes[i].output], &error);
    if (status != SAM_OK)
        fprintf(stderr, "%s\n", error.text);
    if (values)
        network_ref_free(&g, values);
    sam_net_graph_free(&g);
    return status == SAM_OK ? 0 : 2;
}
