/* SPDX-License-Identifier: Apache-2.0 */
/* A sink, on its own thread or not, receives every byte once, in order, and nothing after it has
 * failed. */

#include "test.h"

#include "base/writer.h"

struct target {
    struct sam_buffer text;
    unsigned calls, refuses_from; /* calls from this one on fail; 0: none */
};

static bool collect(void *context, const void *data, size_t size)
{
    struct target *t = context;
    t->calls++;
    if (t->refuses_from && t->calls >= t->refuses_from)
        return false;
    return sam_buffer_append(&t->text, data, size);
}

static void write_all(bool apart)
{
    struct target target = {0};
    const struct sam_sink sink = {collect, &target};
    struct sam_writer *writer = sam_writer_new(&sink, apart);
    struct sam_buffer text = {0}, expected = {0};
    assert_non_null(writer);
    for (unsigned i = 0; i < 20000; i++) {
        sam_buffer_printf(&text, "%u\n", i * 2654435761u);
        sam_buffer_printf(&expected, "%u\n", i * 2654435761u);
        if (i % 7 == 6)
            assert_true(sam_writer_put(writer, &text, text.size - i % 11));
        if (i % 5000 == 4999) {
            assert_true(sam_writer_flush(writer, &text));
            assert_int_equal(target.text.size, expected.size);
        }
    }
    assert_int_equal(text.size, 0);
    assert_memory_equal(target.text.data, expected.data, expected.size);
    sam_writer_free(writer);
    sam_buffer_free(&text);
    sam_buffer_free(&expected);
    sam_buffer_free(&target.text);
}

TEST(every_byte_in_order)
{
    write_all(false);
    write_all(true);
}

TEST(a_failure_is_reported_and_ends_it)
{
    for (unsigned i = 0; i < 6; i++) {
        const unsigned from = 1 + i / 2;
        const bool apart = i % 2;
        struct target target = {.refuses_from = from};
        const struct sam_sink sink = {collect, &target};
        struct sam_writer *writer = sam_writer_new(&sink, apart);
        struct sam_buffer text = {0};
        bool good = true;
        assert_non_null(writer);
        for (unsigned k = 1; k <= 6; k++) {
            sam_buffer_puts(&text, "text");
            good = sam_writer_put(writer, &text, text.size);
            assert_int_equal(good, apart ? k <= from : k < from); /* apart: by the next call */
        }
        assert_false(sam_writer_flush(writer, &text));
        assert_int_equal(text.size, 0);
        assert_int_equal(target.calls, from);
        assert_int_equal(target.text.size, 4 * (from - 1));
        sam_writer_free(writer);
        sam_buffer_free(&text);
        sam_buffer_free(&target.text);
    }
}
