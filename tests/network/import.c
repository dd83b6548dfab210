/* SPDX-License-Identifier: Apache-2.0 */
/* The models of import.txt. */
#include "test.h"

#include "cases.h"
#include "network/graph.h"
#include "onnx_text.h"

static void print_numbers(struct sam_buffer *out, const char *name, size_t count,
                          const uint64_t *numbers)
{
    sam_buffer_printf(out, " %s", name);
    for (size_t i = 0; i < count; i++)
        sam_buffer_printf(out, "%s%lld", i ? "," : "", (long long)numbers[i]);
}

/* The parameters that an operator has. */
static void print_params(struct sam_buffer *out, const struct net_graph *g,
                         const struct net_node *n)
{
    const struct net_params *p = &n->params;
    const uint32_t rank = g->values[n->inputs[0]].rank;
    uint64_t perm[NET_RANK];
    switch (n->op) {
    case NET_Conv:
    case NET_ConvTranspose:
    case NET_MaxPool:
    case NET_AveragePool:
        print_numbers(out, "k", 2, p->kernel);
        print_numbers(out, "s", 2, p->stride);
        print_numbers(out, "d", 2, p->dilation);
        print_numbers(out, "p", 4, p->pad);
        print_numbers(out, p->count_pad ? "counted g" : "g", 1, &p->group);
        break;
    case NET_Clip:
    case NET_HardSigmoid:
        sam_buffer_printf(out, " %g %g", (double)p->alpha, (double)p->beta);
        break;
    case NET_LayerNormalization: sam_buffer_printf(out, " axis%u", p->axis); /* fallthrough */
    case NET_LeakyRelu: sam_buffer_printf(out, " %g", (double)p->alpha); break;
    case NET_Softmax:
    case NET_ArgMax:
    case NET_Concat:
    case NET_Gather: sam_buffer_printf(out, " axis%u", p->axis); break;
    case NET_ReduceMean:
    case NET_ReduceSum:
    case NET_ReduceMax:
    case NET_ReduceMin: sam_buffer_printf(out, " axes%x", p->axes); break;
    case NET_Transpose:
        for (uint32_t d = 0; d < rank; d++)
            perm[d] = p->perm[d];
        print_numbers(out, "perm", rank, perm);
        break;
    case NET_Slice:
        print_numbers(out, "start", rank, (const uint64_t *)p->start);
        print_numbers(out, "step", rank, (const uint64_t *)p->step);
        break;
    case NET_Pad:
        print_numbers(out, "start", rank, (const uint64_t *)p->start);
        sam_buffer_printf(out, " %g", (double)p->fill);
        break;
    case NET_Resize:
        sam_buffer_printf(out, " %s coordinate%d nearest%d scale",
                          p->resize == NET_CUBIC    ? "cubic"
                          : p->resize == NET_LINEAR ? "linear"
                                                    : "nearest",
                          (int)p->coordinate, (int)p->nearest);
        for (uint32_t d = 0; d < rank; d++)
            sam_buffer_printf(out, "%s%g", d ? "," : "", (double)p->scale[d]);
        break;
    default: break;
    }
}

static void print_type(struct sam_buffer *out, const struct sam_net_value *v)
{
    sam_buffer_printf(out, " %s ", sam_dtype_name(v->dtype));
    for (uint32_t d = 0; d < v->rank; d++)
        sam_buffer_printf(out, "%s%llu", d ? "x" : "", (unsigned long long)v->shape[d]);
    if (!v->rank)
        sam_buffer_puts(out, "scalar");
}

/* A constant that no initializer has is {its numbers}; others are named. */
static void print_value(struct sam_buffer *out, const struct sam_net_value *v)
{
    if (!v->data || v->initializer != NET_NONE) {
        sam_buffer_printf(out, " %s", v->name);
        return;
    }
    for (uint64_t i = 0; i < v->count; i++) {
        uint64_t bits = 0;
        const size_t size = sam_dtype_size(v->dtype);
        memcpy(&bits, (const uint8_t *)v->data + i * size, size);
        const double x = sam_dtype_value(v->dtype, bits);
        sam_buffer_printf(out, "%s%.5g", i ? "," : " {", isnan(x) ? (double)NAN : x);
    }
    sam_buffer_puts(out, "}");
}

static char *print(const struct net_graph *g)
{
    struct sam_buffer out = {0};
    for (size_t i = 0; i < g->node_count; i++) {
        const struct net_node *n = &g->nodes[i];
        sam_buffer_puts(&out, sam_net_op_name(n->op));
        for (uint32_t k = 0; k < n->input_count; k++)
            print_value(&out, &g->values[n->inputs[k]]);
        print_params(&out, g, n);
        sam_buffer_printf(&out, " -> %s", g->values[n->output].name);
        print_type(&out, &g->values[n->output]);
        sam_buffer_puts(&out, "\n");
    }
    for (size_t i = 0; i < g->output_count; i++) {
        const struct sam_net_value *v = &g->values[g->outputs[i]];
        if (v->producer == NET_NONE) {
            sam_buffer_puts(&out, v->data ? "constant" : "input");
            print_value(&out, v);
            print_type(&out, v);
            sam_buffer_puts(&out, "\n");
        }
    }
    assert_false(out.failed);
    return out.data ? (char *)out.data : sam_strdup("");
}

/* Invariants of every graph. */
static void check(const struct net_graph *g)
{
    for (size_t i = 0; i < g->node_count; i++) {
        const struct net_node *n = &g->nodes[i];
        assert_int_equal(g->values[n->output].producer, i);
        assert_true(n->name[0]);
        for (uint32_t k = 0; k < n->input_count; k++) {
            const uint32_t producer = g->values[n->inputs[k]].producer;
            assert_true(producer == NET_NONE || producer < i);
        }
    }
    for (size_t i = 0; i < g->value_count; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(g->values[i].name, g->values[k].name);
}

enum { SIZES = 4 };

static void run(const struct test_case *c)
{
    struct sam_network_shape shapes[SIZES] = {0};
    struct sam_network_dim dims[SIZES];
    struct sam_network_options sizes = {.shapes = shapes, .dims = dims};
    SCOPED(sam_buffer) expected = {0};
    char names[CASE_DIRECTIVES][32];
    const char *rejection = NULL, *value;
    for (unsigned i = 0; i < c->count; i++) {
        const char *word = c->directives[i].word, *rest = c->directives[i].rest;
        if (strcmp(word, "gives") == 0) {
            sam_buffer_printf(&expected, "%s\n", rest);
        } else if (strcmp(word, "refused") == 0) {
            rejection = rest;
        } else if (!case_setting(&rest, names[i], &value)) {
            fail_msg("directive %s without a name", word);
        } else if (strcmp(word, "dim") == 0) {
            assert_true(sizes.dim_count < SIZES);
            dims[sizes.dim_count++] = (struct sam_network_dim){names[i], strtoull(value, NULL, 0)};
        } else {
            assert_true(sizes.shape_count < SIZES);
            struct sam_network_shape *shape = &shapes[sizes.shape_count++];
            shape->input = names[i];
            for (char *at = (char *)value; *at && *at != ' '; at += *at == 'x')
                shape->shape[shape->rank++] = strtoull(at, &at, 10);
        }
    }
    SCOPED(sam_buffer) model = onnx_from_text(c->program);
    struct net_graph g;
    struct sam_error error = {0};
    const enum sam_status status =
        sam_net_import_data(model.data, model.size, "m.onnx", &sizes, &g, &error);
    if (rejection) {
        if (status == SAM_OK || strcmp(error.text, rejection) != 0)
            fail_msg("'%s': expected '%s'", error.text, rejection);
        assert_int_equal(status, error.status);
        assert_true(status == SAM_ERR_INPUT || status == SAM_ERR_USAGE);
        assert_null(g.values);
    } else {
        if (status != SAM_OK)
            fail_msg("%s", error.text);
        FREED char *text = print(&g);
        if (strcmp(text, sam_buffer_text(&expected)) != 0)
            fail_msg("imported as\n%sexpected\n%s", text, sam_buffer_text(&expected));
        check(&g);
    }
    sam_net_graph_free(&g);
}

PROLOGUE
{
    static const char *const words[] = {"gives", "refused", "shape", "dim", NULL};
    cases_add("network/import.txt", words, run);
}
