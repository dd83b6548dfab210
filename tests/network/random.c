/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs: shapes are those of their maker; folding and rewriting change no value:
 * initializers as inputs, so that nothing can be folded, give the same. SAMITE_CASES says how many.
 */
#include "test.h"

#include "format/protobuf.h"
#include "network/plan.h"
#include "onnx_text.h"
#include "random_graph.h"
#include "reference/network_ref.h"
#include "samite/format.h"

static const struct sam_network_options none;

struct side {
    struct sam_buffer model;
    struct net_graph graph;
    void **values;
};

static void open_side(struct side *s, const char *text)
{
    struct sam_error error = {0};
    s->model = onnx_from_text(text);
    if (sam_net_import_data(s->model.data, s->model.size, "m.onnx", &none, &s->graph, &error) !=
        SAM_OK)
        fail_msg("%s\n%s", error.text, text);
    s->values = network_ref_values(&s->graph);
    assert_non_null(s->values);
}

static void close_side(struct side *s)
{
    network_ref_free(&s->graph, s->values);
    sam_net_graph_free(&s->graph);
    sam_buffer_free(&s->model);
}

/* Initializers w1, w2, ... as inputs; the caller frees it. */
static char *free_weights(const char *text)
{
    struct sam_buffer out = {0};
    while (*text) {
        const char *end = strchr(text, '\n');
        const size_t size = (size_t)(end - text);
        if (strncmp(text, "init w", 6) == 0) {
            const char *equal = memchr(text, '=', size);
            sam_buffer_puts(&out, "in");
            sam_buffer_append(&out, text + 4, (size_t)(equal - text) - 5);
        } else {
            sam_buffer_append(&out, text, size);
        }
        sam_buffer_puts(&out, "\n");
        text = end + 1;
    }
    assert_false(out.failed);
    return (char *)out.data;
}

/* Inputs from a seed of their name, or the initializer's data. */
static void set_inputs(struct side *s, const struct sam_onnx *initializers)
{
    for (size_t i = 0; i < s->graph.input_count; i++) {
        const struct sam_net_value *v = &s->graph.values[s->graph.inputs[i]];
        float *data = s->values[s->graph.inputs[i]];
        uint64_t random = v->count + 77;
        for (uint64_t k = 0; k < v->count; k++)
            data[k] = (float)test_below(&random, 4001) / 2000 - 1;
        for (size_t k = 0; k < initializers->count; k++)
            if (strcmp(initializers->tensors[k].name, v->name) == 0)
                memcpy(data, initializers->data[k], v->count * sizeof *data);
    }
}

/* A comparison, or a cast to an integer other than zero, may go the other way after a difference of
 * rounding. */
static bool has_jumps(const char *text)
{
    for (const char *at = text; (at = strstr(at, " = Cast")); at++) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        if (strncmp(line, "zero", 4) != 0)
            return true;
    }
    return strstr(text, "Where") || strstr(text, "ThresholdedRelu");
}

static void compare(const struct side *a, const struct side *b, double tolerance, const char *text)
{
    for (size_t i = 0; i < a->graph.output_count; i++) {
        const struct sam_net_value *v = &a->graph.values[a->graph.outputs[i]];
        const float *x = a->values[a->graph.outputs[i]], *y = b->values[b->graph.outputs[i]];
        double range = 0.01;                    /* erf has an absolute error */
        for (uint64_t k = 0; k < v->count; k++) /* no fmax: GCC 12 for arm64 fails on it */
            range = range < fabs((double)y[k]) ? fabs((double)y[k]) : range;
        for (uint64_t k = 0; k < v->count; k++)
            if (!(fabs((double)x[k] - (double)y[k]) <= tolerance * range) && x[k] != y[k])
                fail_msg("%s[%llu] is %g: expected %g\n%s", v->name, (unsigned long long)k,
                         (double)x[k], (double)y[k], text);
    }
}

/* A plan of the graph against the reference. */
static void check_plan(const struct side *s, const struct sam_network_options *options,
                       const struct sam_network_run_options *run, const char *text)
{
    struct net_plan *plan;
    struct sam_error error = {0};
    const size_t in = s->graph.input_count, out = s->graph.output_count;
    const void **inputs = calloc(in + 1, sizeof *inputs);
    void **outputs = calloc(out + 1, sizeof *outputs);
    struct side made = *s;
    made.values = calloc(s->graph.value_count, sizeof *made.values);
    assert_true(inputs && outputs && made.values);
    for (size_t i = 0; i < in; i++)
        inputs[i] = s->values[s->graph.inputs[i]];
    for (size_t i = 0; i < out; i++) {
        const struct sam_net_value *v = &s->graph.values[s->graph.outputs[i]];
        void **at = &made.values[s->graph.outputs[i]];
        *at = *at ? *at : calloc(v->count, sizeof(float));
        outputs[i] = *at;
        assert_non_null(outputs[i]);
    }
    if (sam_net_plan_make(&s->graph, options, &plan, &error) != SAM_OK)
        fail_msg("%s\n%s", error.text, text);
    if (sam_net_plan_run(plan, run, inputs, outputs, NULL, &error) != SAM_OK)
        fail_msg("%s\n%s", error.text, text);
    if (!has_jumps(text))
        compare(&made, s, 1e-4, text);
    sam_net_plan_free(plan);
    for (size_t i = 0; i < s->graph.value_count; i++)
        free(made.values[i]);
    free(made.values);
    free(inputs);
    free(outputs);
}

static void check_shapes(const struct side *s, const struct random_graph *g)
{
    for (size_t i = 0; i < s->graph.output_count; i++) {
        const struct sam_net_value *v = &s->graph.values[s->graph.outputs[i]];
        unsigned k = 0;
        while (k < g->count && strcmp(g->values[k].name, v->name) != 0)
            k++;
        assert_true(k < g->count);
        if (g->values[k].rank != v->rank ||
            memcmp(g->values[k].shape, v->shape, v->rank * sizeof *v->shape) != 0)
            fail_msg("%s has another shape\n%s", v->name, sam_buffer_text(&g->text));
        if (!g->values[k].reads_input && v->count < 100 && v->producer != NET_NONE)
            continue; /* some operators are not folded */
    }
}

TEST(random_graphs)
{
    uint64_t seed = test_seed();
    for (uint64_t i = test_number("SAMITE_CASES", 1500); i > 0; i--) {
        static struct random_graph g;
        struct side folded, plain;
        struct sam_onnx initializers;
        random_graph_make(&g, test_random(&seed));
        const char *text = sam_buffer_text(&g.text);
        char *freed = free_weights(text);
        open_side(&folded, text);
        open_side(&plain, freed);
        check_shapes(&folded, &g);
        check_shapes(&plain, &g);
        succeeds(sam_onnx_parse, folded.model.data, folded.model.size, "m.onnx", &initializers);
        set_inputs(&folded, &initializers);
        set_inputs(&plain, &initializers);
        network_ref_run(&folded.graph, folded.values);
        network_ref_run(&plain.graph, plain.values);
        if (!has_jumps(text))
            compare(&folded, &plain, 2e-5, text);
        if (i % 5 == 0) {
            const struct sam_network_run_options on_system = {.system = true};
            const struct sam_network_options unfused = {.unfused = true};
            check_plan(&folded, NULL, NULL, text);
            check_plan(&folded, &unfused, NULL, text);
            if (i % 50 == 0)
                check_plan(&folded, NULL, &on_system, text);
        }
        sam_onnx_free(&initializers);
        close_side(&folded);
        close_side(&plain);
        free(freed);
        sam_buffer_free(&g.text);
    }
}
