/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline of a program: JSON after any end of the run, with the times of the report. */
#include "hart/program.h"

#include <jansson.h>

#include "streams.h"

/* Two blocks through two registers, a scalar load of stored data, then `last`. */
static struct program open_program(const struct sam_sink *timeline, const char *last)
{
    struct sam_engines_config engines;
    struct sam_hart_options options = {.engines = &engines, .timeline = *timeline};
    SCOPED(sam_buffer) text = {0};
    sam_engines_defaults(&engines);
    engines.queue[SAM_ENGINE_LOAD] = 1;
    sam_buffer_printf(&text,
                      "li t0, 0x200120\ncsrw tshape, t0\nli a0, 0x10000\nli a1, 0x11000\n"
                      "tl.load tl1, 0(a0)\ntl.load tl2, 32(a0)\ntl.load tl3, 0(a0)\n"
                      "tl.addi tl1, tl1, 1\ntl.store tl1, 0(a1)\nld a2, 0(a1)\n%s\n",
                      last);
    struct program p = program_new(RV64, &options, sam_buffer_text(&text));
    return p;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static json_t *parse(const struct sam_buffer *text)
{
    json_error_t error;
    json_t *root = json_loadb((char *)text->data, text->size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s\n%s", error.line, error.text, sam_buffer_text(text));
    return root;
}

/* Total cycles of the slices with this name on the track with this name; "" for any slice. */
static uint64_t cycles_of(const json_t *events, const char *track, const char *category,
                          const char *name)
{
    json_int_t tid = -1, sum = 0;
    const json_t *event;
    size_t i;
    json_array_foreach(events, i, event)
    {
        if (strcmp(text_of(event, "name"), "thread_name") == 0 &&
            strcmp(text_of(json_object_get(event, "args"), "name"), track) == 0)
            tid = number_of(event, "tid");
        if (strcmp(text_of(event, "ph"), "X") == 0 && number_of(event, "tid") == tid &&
            strcmp(text_of(event, "cat"), category) == 0 &&
            strncmp(text_of(event, "name"), name, strlen(name)) == 0)
            sum += number_of(event, "dur");
    }
    return (uint64_t)sum;
}

/* Counters end at zero and are reported in order. */
static void expect_counters(const json_t *events)
{
    json_int_t last[SAM_ENGINE_COUNT] = {0}, value[SAM_ENGINE_COUNT] = {0};
    size_t i, seen = 0;
    const json_t *event;
    json_array_foreach(events, i, event)
    {
        unsigned e = 0;
        if (strcmp(text_of(event, "ph"), "C") != 0)
            continue;
        while (strncmp(text_of(event, "name"), sam_engine_name(e), strlen(sam_engine_name(e))) != 0)
            e++;
        assert_true(number_of(event, "ts") >= last[e]);
        last[e] = number_of(event, "ts");
        value[e] = number_of(json_object_get(event, "args"), "waiting");
        seen++;
    }
    assert_int_equal(seen, 10); /* five instructions in and out */
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        assert_int_equal(value[e], 0);
}

static void expect_timeline(const char *last, enum sam_hart_end end)
{
    SCOPED(sam_buffer) text = {0};
    struct sam_engines_report r;
    const struct sam_sink sink = test_sink(&text);
    SCOPED(program) p = open_program(&sink, last);
    program_expect(&p, end);
    assert_true(sam_hart_engines(p.hart, &r));
    assert_int_equal(sam_hart_end_timeline(p.hart, NULL), SAM_OK);
    json_t *root = parse(&text), *events = json_object_get(root, "traceEvents");
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++) {
        const char *name = sam_engine_name(e);
        const uint64_t *cycles = r.engine[e].cycles;
        assert_int_equal(cycles_of(events, name, "busy", ""), cycles[SAM_ENGINE_BUSY]);
        for (unsigned k = SAM_ENGINE_RAW; k <= SAM_ENGINE_MEMORY; k++)
            assert_int_equal(cycles_of(events, name, "wait", sam_engine_cycle_name(k)), cycles[k]);
    }
    assert_int_equal(cycles_of(events, "comp", "busy", "tl.addi tl1, tl1, 1"), 16);
    assert_true(cycles_of(events, "store", "wait", "raw") > 0);
    assert_int_equal(cycles_of(events, "hart", "issue", "scalar"), r.issue[SAM_ISSUE_SCALAR]);
    assert_int_equal(cycles_of(events, "hart", "issue", "tensor"), r.issue[SAM_ISSUE_TENSOR]);
    assert_int_equal(cycles_of(events, "hart", "wait", "full_load"), r.issue[SAM_ISSUE_FULL]);
    assert_int_equal(cycles_of(events, "hart", "wait", "memory"), r.issue[SAM_ISSUE_MEMORY]);
    assert_true(r.issue[SAM_ISSUE_MEMORY] > 0 && r.issue[SAM_ISSUE_FULL] > 0);
    expect_counters(events);
    json_decref(root);
}

TEST(however_the_run_ends)
{
    expect_timeline("ebreak", SAM_HART_EBREAK);
    expect_timeline("tl.load tl1, 0(zero)", SAM_HART_TRAP);
    expect_timeline("li a7, 93\necall", SAM_HART_EXIT);
}

/* A sink that accepts this many writes. */
struct narrow {
    unsigned left, calls;
};

static bool take(void *context, const void *data, size_t size)
{
    struct narrow *n = context;
    (void)data, (void)size;
    n->calls++;
    return n->left && n->left--;
}

/* A write error at any point is reported by the run or its end. */
TEST(a_sink_that_refuses)
{
    for (unsigned left = 0;; left++) {
        struct narrow n = {.left = left};
        const struct sam_sink sink = {take, &n};
        struct program p = open_program(&sink, "ebreak");
        enum sam_status run = program_run(&p), end = sam_hart_end_timeline(p.hart, &p.error);
        program_free(&p);
        if (run == SAM_OK && end == SAM_OK) {
            assert_int_equal(n.calls, left);
            assert_true(left > 30);
            break;
        }
        assert_int_equal(end, SAM_ERR_IO);
        assert_true(run == SAM_OK || run == SAM_ERR_IO);
        assert_int_equal(n.calls, left + 1);
    }
}

/* Without a timeline, and without engines. */
TEST(nothing_to_end)
{
    SCOPED(program) p = program_new(RV64, NULL, "ebreak");
    struct sam_engines_report report;
    assert_int_equal(sam_hart_end_timeline(p.hart, NULL), SAM_OK);
    assert_false(sam_hart_engines(p.hart, &report));
}
