/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "format/protobuf.h"

enum { WORDS = 1 << 15, RANK = 12, TENSORS = 32 };

struct maker {
    struct sam_buffer graph, tensors[TENSORS];
    char *names[TENSORS];
    unsigned tensor_count;
    uint64_t opset, random;
};

static void bad(const char *what, const char *word)
{
    fprintf(stderr, "onnx_text: %s: '%s'\n", what, word);
    abort();
}

/* Split in place. */
static unsigned split(char *text, char separator, char *words[WORDS])
{
    unsigned count = 0;
    while (*text) {
        while (*text == separator)
            *text++ = 0;
        if (!*text)
            break;
        if (count == WORDS)
            bad("too many words", text);
        words[count++] = text;
        while (*text && *text != separator)
            text++;
    }
    return count;
}

static unsigned type_of(const char *name)
{
    enum sam_dtype dtype;
    if (strcmp(name, "string") == 0)
        return 8;
    if (!sam_dtype_parse(name, &dtype) || !sam_dtype_table[dtype].onnx)
        bad("no such type", name);
    return sam_dtype_table[dtype].onnx - 1u;
}

static float random_float(struct maker *m)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (float)((int64_t)m->random >> 40) / (float)(1 << 23);
}

/* NAME TYPE DIM... = VALUES */
static struct sam_buffer read_tensor(struct maker *m, char **words, unsigned count)
{
    uint64_t dims[RANK], total = 1;
    unsigned at = 2, rank = 0;
    enum sam_dtype dtype = SAM_F32;
    for (; at < count && strcmp(words[at], "=") != 0 && rank < RANK; at++, rank++) {
        dims[rank] = strtoull(words[at], NULL, 0);
        total *= dims[rank];
    }
    struct sam_buffer t = make_tensor(words[0], type_of(words[1]), rank, dims), raw = {0};
    sam_dtype_parse(words[1], &dtype);
    const char *last = "0";
    for (uint64_t i = 0; i < total && at < count; i++) {
        uint8_t bytes[8] = {0};
        last = at + 1 < count ? words[++at] : last;
        if (strcmp(last, "rand") == 0)
            sam_put_le32(bytes, sam_f32_bits(random_float(m)));
        else if (!sam_dtype_parse_value(dtype, last, bytes))
            bad("no such value", last);
        sam_buffer_append(&raw, bytes, sam_dtype_size(dtype));
        if (at + 1 >= count)
            at = count - 1;
    }
    put_bytes(&t, 9, sam_buffer_text(&raw), raw.size);
    sam_buffer_free(&raw);
    return t;
}

/* ValueInfoProto */
static struct sam_buffer make_value(const char *name, const char *type, char **dims, unsigned rank)
{
    struct sam_buffer value = {0}, kind = {0}, tensor = {0}, shape = {0};
    put_text(&value, 1, name);
    if (!type)
        return value;
    for (unsigned d = 0; d < rank; d++) {
        struct sam_buffer dim = {0};
        char *end;
        const uint64_t size = strtoull(dims[d], &end, 0);
        if (!*end)
            put_number(&dim, 1, size);
        else if (strcmp(dims[d], "?") != 0)
            put_text(&dim, 2, dims[d]);
        put_message(&shape, 1, dim);
    }
    put_number(&tensor, 1, type_of(type));
    put_message(&tensor, 2, shape);
    put_message(&kind, 1, tensor);
    put_message(&value, 2, kind);
    return value;
}

static void put_list(struct sam_buffer *node, const char *name, char *text)
{
    char *words[WORDS];
    int64_t whole[WORDS];
    float real[WORDS];
    const bool floats = strchr(text, '.');
    text[strlen(text) - 1] = 0;
    const unsigned count = split(text + 1, ',', words);
    for (unsigned i = 0; i < count; i++) {
        whole[i] = strtoll(words[i], NULL, 0);
        real[i] = strtof(words[i], NULL);
    }
    if (floats)
        put_attribute_floats(node, name, count, real);
    else
        put_attribute_ints(node, name, count, whole);
}

static void put_attribute(struct maker *m, struct sam_buffer *node, char *text)
{
    char *value = strchr(text, '='), *end;
    *value++ = 0;
    const int64_t whole = strtoll(value, &end, 0);
    if (*value == '[') {
        put_list(node, text, value);
    } else if (*value == '{') {
        struct sam_buffer a = {0};
        put_text(&a, 1, text);
        put_text(&a, 6, "");
        put_message(node, 5, a);
    } else if (*value == '@') {
        for (unsigned i = 0; i < m->tensor_count; i++)
            if (strcmp(m->names[i], value + 1) == 0) {
                struct sam_buffer copy = {0};
                sam_buffer_append(&copy, m->tensors[i].data, m->tensors[i].size);
                put_attribute_tensor(node, text, copy);
                return;
            }
        bad("no such tensor", value);
    } else if (*value && !*end) {
        put_attribute_int(node, text, whole);
    } else {
        const float real = strtof(value, &end);
        if (*value && !*end)
            put_attribute_float(node, text, real);
        else
            put_attribute_text(node, text, value);
    }
}

/* OUTPUT,... = OP INPUT... ATTRIBUTE=VALUE... */
static void add_node(struct maker *m, char **words, unsigned count)
{
    struct sam_buffer node = {0};
    char *outputs[WORDS], name[100], *op = words[2], *colon = strchr(op, ':');
    for (unsigned i = 3; i < count; i++)
        if (!strchr(words[i], '='))
            put_text(&node, 1, strcmp(words[i], "_") == 0 ? "" : words[i]);
    const unsigned output_count = split(words[0], ',', outputs);
    for (unsigned i = 0; i < output_count; i++)
        put_text(&node, 2, strcmp(outputs[i], "_") == 0 ? "" : outputs[i]);
    snprintf(name, sizeof name, "node_%s", outputs[0]);
    put_text(&node, 3, name);
    if (colon) {
        *colon = 0;
        put_text(&node, 7, op);
        op = colon + 1;
    }
    put_text(&node, 4, op);
    for (unsigned i = 3; i < count; i++)
        if (strchr(words[i], '='))
            put_attribute(m, &node, words[i]);
    put_message(&m->graph, 1, node);
}

static void add_line(struct maker *m, char *line)
{
    char *words[WORDS];
    const unsigned count = split(line, ' ', words);
    if (count == 0)
        return;
    if (count > 2 && strcmp(words[1], "=") == 0) {
        add_node(m, words, count);
    } else if (strcmp(words[0], "opset") == 0 && count == 2) {
        m->opset = strtoull(words[1], NULL, 0);
    } else if (strcmp(words[0], "in") == 0 && count >= 2) {
        put_message(&m->graph, 11,
                    make_value(words[1], count > 2 ? words[2] : NULL, words + 3,
                               count > 3 ? count - 3 : 0));
    } else if (strcmp(words[0], "init") == 0 && count > 3) {
        put_message(&m->graph, 5, read_tensor(m, words + 1, count - 1));
    } else if (strcmp(words[0], "tensor") == 0 && count > 3 && m->tensor_count < TENSORS) {
        m->names[m->tensor_count] = words[1];
        m->tensors[m->tensor_count++] = read_tensor(m, words + 1, count - 1);
    } else if (strcmp(words[0], "out") == 0) {
        for (unsigned i = 1; i < count; i++)
            put_message(&m->graph, 12, make_value(words[i], NULL, NULL, 0));
    } else {
        bad("no such statement", words[0]);
    }
}

struct sam_buffer onnx_from_text(const char *text)
{
    struct maker m = {.random = 1};
    char *copy = sam_strdup(text), *line = copy;
    while (line) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        add_line(&m, line);
        line = end;
    }
    struct sam_buffer model = make_model(m.graph);
    if (m.opset)
        put_opset(&model, "", m.opset);
    for (unsigned i = 0; i < m.tensor_count; i++)
        sam_buffer_free(&m.tensors[i]);
    free(copy);
    if (model.failed)
        bad("out of memory", "");
    return model;
}
