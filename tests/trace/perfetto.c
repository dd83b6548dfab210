/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines: the output is valid JSON, event by event, for any texts. */
#include "test.h"
#include <jansson.h>

#include "streams.h"
#include "trace/perfetto.h"

static json_t *parse(struct sam_buffer *text)
{
    json_error_t error;
    json_t *root = json_loadb((char *)text->data, text->size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s\n%s", error.line, error.text, sam_buffer_text(text));
    sam_buffer_free(text);
    return root;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

TEST(nothing)
{
    struct sam_buffer text = {0};
    struct sam_perfetto p;
    assert_true(sam_perfetto_begin(&p, &(struct sam_sink){test_append, &text}));
    assert_true(sam_perfetto_end(&p));
    json_t *root = parse(&text);
    assert_string_equal(text_of(root, "displayTimeUnit"), "ns");
    assert_int_equal(json_array_size(json_object_get(root, "traceEvents")), 0);
    json_decref(root);
}

TEST(every_event)
{
    struct sam_buffer text = {0};
    struct sam_perfetto p;
    const struct sam_perfetto_arg args[] = {{"insn", "a\\b", 0}, {"done", NULL, UINT32_MAX}};
    sam_perfetto_begin(&p, &(struct sam_sink){test_append, &text});
    assert_true(sam_perfetto_process(&p, 0, "hart"));
    assert_true(sam_perfetto_track(&p, 7, "load"));
    assert_true(sam_perfetto_slice(
        &p, &(struct sam_perfetto_slice){7, "say \"\t\xff\"", "busy", 40, 57, args, 2}));
    assert_true(
        sam_perfetto_slice(&p, &(struct sam_perfetto_slice){7, "x", "wait", 0, 1, NULL, 0}));
    assert_true(sam_perfetto_counter(&p, "queue", "waiting", 41, 3));
    assert_true(sam_perfetto_end(&p));
    json_t *root = parse(&text), *events = json_object_get(root, "traceEvents");
    assert_int_equal(json_array_size(events), 6);
    const char *phases = "MMMXXC";
    for (size_t i = 0; phases[i]; i++) {
        const json_t *event = json_array_get(events, i);
        assert_int_equal(text_of(event, "ph")[0], phases[i]);
        assert_int_equal(number_of(event, "pid"), 1);
    }
    const json_t *slice = json_array_get(events, 3);
    assert_string_equal(text_of(slice, "name"), "say \"\t?\"");
    assert_string_equal(text_of(slice, "cat"), "busy");
    assert_int_equal(number_of(slice, "tid"), 7);
    assert_int_equal(number_of(slice, "ts"), 40);
    assert_int_equal(number_of(slice, "dur"), 17);
    assert_string_equal(text_of(json_object_get(slice, "args"), "insn"), "a\\b");
    assert_int_equal(number_of(json_object_get(slice, "args"), "done"), UINT32_MAX);
    assert_null(json_object_get(json_array_get(events, 4), "args"));
    const json_t *counter = json_array_get(events, 5);
    assert_int_equal(number_of(counter, "ts"), 41);
    assert_int_equal(number_of(json_object_get(counter, "args"), "waiting"), 3);
    json_decref(root);
}

TEST(lanes)
{
    struct sam_buffer text = {0};
    struct sam_perfetto p;
    struct sam_perfetto_lanes lanes = {0};
    sam_perfetto_begin(&p, &(struct sam_sink){test_append, &text});
    assert_int_equal(sam_perfetto_lane(&p, &lanes, 40, 3, "u", 0, 9), 40);
    assert_int_equal(sam_perfetto_lane(&p, &lanes, 40, 3, "u", 4, 6), 41);
    assert_int_equal(sam_perfetto_lane(&p, &lanes, 40, 3, "u", 6, 8), 41);
    assert_int_equal(sam_perfetto_lane(&p, &lanes, 40, 3, "u", 7, 20), 42);
    assert_int_equal(sam_perfetto_lane(&p, &lanes, 40, 3, "u", 7, 8), 42); /* the last one */
    assert_int_equal(sam_perfetto_lane(&p, &lanes, 40, 3, "u", 9, 10), 40);
    sam_perfetto_lanes_free(&lanes);
    assert_true(sam_perfetto_end(&p));
    json_t *root = parse(&text), *events = json_object_get(root, "traceEvents");
    static const char *const names[] = {"u", "u 2", "u 3"};
    assert_int_equal(json_array_size(events), 6); /* a name and a place in the order each */
    for (size_t i = 0; i < 3; i++) {
        const json_t *event = json_array_get(events, 2 * i);
        assert_int_equal(number_of(event, "tid"), 40 + i);
        assert_string_equal(text_of(json_object_get(event, "args"), "name"), names[i]);
    }
    json_decref(root);
}

static bool once(void *context, const void *data, size_t size)
{
    (void)data, (void)size;
    return (*(unsigned *)context)++ == 0;
}

/* Nothing is sent to a sink after an error. */
TEST(a_sink_that_refuses)
{
    struct sam_perfetto p;
    unsigned calls = 0;
    assert_true(sam_perfetto_begin(&p, &(struct sam_sink){once, &calls}));
    assert_false(sam_perfetto_process(&p, 0, "hart"));
    assert_false(sam_perfetto_counter(&p, "queue", "waiting", 1, 1));
    assert_false(sam_perfetto_end(&p));
    assert_int_equal(calls, 2);
}
