/* SPDX-License-Identifier: Apache-2.0 */
/* Networks through the public interface. */
#include <unistd.h>

#include "test.h"

#include "onnx_text.h"
#include "samite/isa.h"
#include "samite/network.h"

/* Two dense layers, the second one adding a state. */
static const char model[] = "opset 13\n"
                            "in x f32 rows 3\n"
                            "in past f32 rows 2\n"
                            "init w f32 3 2 = 1 -2 3 4 -5 6\n"
                            "h = MatMul x w\n"
                            "r = Relu h\n"
                            "now = Add r past\n"
                            "y = Softmax now axis=-1\n"
                            "out y now\n";

struct made {
    char path[32];
    struct sam_network *network;
    struct sam_array x, past;
    float values[6], before[4];
};

static void make_file(struct made *m)
{
    SCOPED(sam_buffer) bytes = onnx_from_text(model);
    strcpy(m->path, "/tmp/network.XXXXXX.onnx");
    const int file = mkstemps(m->path, 5);
    assert_true(file >= 0);
    close(file);
    succeeds(sam_file_save, m->path, bytes.data, bytes.size);
}

/* The network for two rows. */
static void make(struct made *m, const struct sam_network_options *more)
{
    static const struct sam_network_dim dims[] = {{"rows", 2}};
    static const float values[] = {1, 2, 3, -1, 0, 2};
    struct sam_network_options options = more ? *more : (struct sam_network_options){0};
    *m = (struct made){0};
    make_file(m);
    options.size = sizeof options;
    options.dims = dims;
    options.dim_count = 1;
    succeeds(sam_network_open, m->path, &options, &m->network);
    memcpy(m->values, values, sizeof values);
    m->x = (struct sam_array){.dtype = SAM_F32, .rank = 2, .shape = {2, 3}, .count = 6};
    m->past = (struct sam_array){.dtype = SAM_F32, .rank = 2, .shape = {2, 2}, .count = 4};
    m->x.size = sizeof m->values;
    m->x.data = m->values;
    m->past.size = sizeof m->before;
    m->past.data = m->before;
}

static void drop(struct made *m)
{
    sam_network_close(m->network);
    unlink(m->path);
}

/* relu(x * w), by hand */
static const float hidden[] = {0, 24, 0, 14};

static void expect_floats(const struct sam_array *array, const float *expected)
{
    for (size_t i = 0; i < array->count; i++)
        assert_float_equal(((const float *)array->data)[i], expected[i], 1e-6);
}

TEST(tensors)
{
    struct made m;
    struct sam_network_tensor t;
    make(&m, NULL);
    assert_true(sam_network_input(m.network, 0, &t));
    assert_string_equal(t.name, "x");
    assert_int_equal(t.rank, 2);
    assert_int_equal(t.shape[0], 2);
    assert_int_equal(t.shape[1], 3);
    assert_true(sam_network_input(m.network, 1, &t));
    assert_false(sam_network_input(m.network, 2, &t));
    assert_true(sam_network_output(m.network, 1, &t));
    assert_string_equal(t.name, "now");
    assert_int_equal(t.dtype, SAM_F32);
    assert_false(sam_network_output(m.network, 2, &t));
    assert_true(sam_network_value(m.network, 0, &t));
    assert_string_equal(t.name, "h");
    drop(&m);
}

/* The same bits on the host and on the system, whose figures add up. */
TEST(runs)
{
    const char *const keep[] = {"r"};
    const struct sam_network_options options = {.keep = keep, .keep_count = 1};
    struct sam_array y = {0}, again = {0}, r = {0};
    struct sam_network_figures *figures;
    struct made m;
    make(&m, &options);
    struct sam_network_run_options o = {.size = sizeof o, .sum_order = SAM_TILE_SUM_SYSTEM};
    const struct sam_network_array host[] = {{"x", &m.x}, {"past", &m.past}, {"y", &y}, {"r", &r}};
    const struct sam_network_array system[] = {{"x", &m.x}, {"past", &m.past}, {"y", &again}};
    succeeds(sam_network_run, m.network, host, 4, &o, NULL);
    expect_floats(&r, hidden);
    const double e = exp(-24.0), f = exp(-14.0);
    expect_floats(&y, (const float[]){(float)(e / (1 + e)), (float)(1 / (1 + e)),
                                      (float)(f / (1 + f)), (float)(1 / (1 + f))});
    o.system = o.timing = o.raw_weights = true;
    succeeds(sam_network_run, m.network, system, 3, &o, &figures);
    assert_int_equal(again.size, y.size);
    assert_memory_equal(again.data, y.data, y.size);
    uint64_t cycles = 0;
    for (size_t i = 0; i < figures->step_count; i++) {
        assert_true(figures->steps[i].cycles > 0);
        assert_true(figures->steps[i].bound <= figures->steps[i].cycles);
        cycles += figures->steps[i].cycles;
    }
    assert_int_equal(cycles, figures->sum.cycles);
    assert_true(figures->sum.bound <= cycles && figures->sum.busiest);
    static const char *const parts[] = {"cycles", "\"per_second\"", "</html>", "traceEvents"};
    for (int format = SAM_NETWORK_TEXT; format <= SAM_NETWORK_PERFETTO; format++) {
        SCOPED_TEXT *text = NULL;
        succeeds(sam_network_report, figures, "<model>", (enum sam_network_format)format, &text);
        if (format == SAM_NETWORK_HTML)
            assert_null(strstr(text, "<model>"));
        assert_non_null(strstr(text, parts[format]));
    }
    sam_network_figures_free(figures);
    sam_array_free(&y);
    sam_array_free(&again);
    sam_array_free(&r);
    drop(&m);
}

/* A state begins with zeros and is the output of the run before. */
TEST(state)
{
    struct sam_array now = {0};
    struct sam_error error;
    struct made m;
    make(&m, NULL);
    succeeds(sam_network_keep_state, m.network, "past", "now");
    const struct sam_network_array arrays[] = {{"x", &m.x}, {"now", &now}};
    for (int turn = 1; turn <= 3; turn++) {
        float expected[4];
        for (size_t i = 0; i < 4; i++)
            expected[i] = (float)turn * hidden[i];
        succeeds(sam_network_run, m.network, arrays, 2, NULL, NULL);
        expect_floats(&now, expected);
        sam_array_free(&now);
    }
    must_refuse(sam_network_keep_state(m.network, "x", "now", &error), &error, "another shape");
    must_refuse(sam_network_keep_state(m.network, "z", "now", &error), &error, "no input 'z'");
    must_refuse(sam_network_keep_state(m.network, "x", "h", &error), &error, "no output 'h'");
    drop(&m);
}

TEST(refusals)
{
    struct sam_array y = {0};
    struct sam_error error;
    struct made m;
    make(&m, NULL);
    const struct sam_network_array lacking[] = {{"x", &m.x}};
    const struct sam_network_array unknown[] = {{"x", &m.x}, {"past", &m.past}, {"h", &y}};
    const struct sam_network_array twice[] = {{"x", &m.x}, {"x", &m.x}};
    const struct sam_network_array swapped[] = {{"x", &m.past}, {"past", &m.x}};
    must_refuse(sam_network_run(m.network, lacking, 1, NULL, NULL, &error), &error,
                "input 'past' has no array");
    must_refuse(sam_network_run(m.network, unknown, 3, NULL, NULL, &error), &error,
                "'h' is not an input");
    must_refuse(sam_network_run(m.network, twice, 2, NULL, NULL, &error), &error, "two arrays");
    must_refuse(sam_network_run(m.network, swapped, 2, NULL, NULL, &error), &error,
                "input 'x': an array 2x2 of f32, expected 2x3 of f32");
    const struct sam_network_run_options timed = {.size = sizeof timed, .timing = true};
    must_refuse(sam_network_run(m.network, lacking, 1, &timed, NULL, &error), &error, "system");
    struct sam_network *none;
    const char *const keep[] = {"w"};
    const struct sam_network_dim dims[] = {{"rows", 2}};
    const struct sam_network_options options = {
        .size = sizeof options, .dims = dims, .dim_count = 1, .keep = keep, .keep_count = 1};
    must_refuse(sam_network_open(m.path, &options, &none, &error), &error, "no value 'w'");
    assert_null(none);
    must_fail(SAM_ERR_INPUT, " --list --dim rows=1", sam_network_open, m.path, NULL, &none);
    drop(&m);
}

/* A run that is stopped returns nothing. */
TEST(stop)
{
    const int stop = 1;
    struct sam_network_run_options o = {.size = sizeof o, .stop = &stop};
    struct sam_array y = {0};
    struct sam_error error;
    struct made m;
    make(&m, NULL);
    const struct sam_network_array arrays[] = {{"x", &m.x}, {"past", &m.past}, {"y", &y}};
    assert_int_equal(sam_network_run(m.network, arrays, 3, &o, NULL, &error), SAM_ERR_STOPPED);
    assert_null(y.data);
    drop(&m);
}

TEST(plan)
{
    struct sam_error error;
    struct made m;
    char *text;
    make(&m, &(struct sam_network_options){.unfused = true});
    succeeds(sam_network_list, m.network, &text);
    assert_non_null(strstr(text, "node_h"));
    assert_non_null(strstr(text, "4 steps"));
    sam_text_free(text);
    assert_int_equal(sam_network_emit(m.network, "/nonexistent/folder", &error), SAM_ERR_IO);
    drop(&m);
}
