/* SPDX-License-Identifier: Apache-2.0 */
/* samite logdiff as a user calls it, on logs of samite run. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static void write_kernel(const char *name, const char *immediate)
{
    char text[1024];
    snprintf(text, sizeof text,
             ".globl k\nk: csrr t0, gdx\ncsrr t1, wid\nvmv.v.i v1, 3\nvid.v v2\nlw t2, 0(a0)\n"
             "barrier x0, x0, 1\nla t3, e\nsetrpc zero, t3, 0\nvbltu v2, v1, o\nj e\no: vadd.vi "
             "v1, v1, %s\n"
             "e: join\nvsll.vi v2, v2, 2\nvadd.vx v2, v2, t2\nvsw12.v v1, 0(v2)\nret\n",
             immediate);
    write_text(name, text);
}

static int set_up(void **state)
{
    (void)state;
    make_directory();
    write_kernel("k.s", "1");
    write_kernel("other.s", "2");
    command_verb = "";
    static const char *const runs[][2] = {
        {"k.s", "a.log"}, {"k.s", "rr1.log --schedule rr1"}, {"other.s", "b.log"}};
    for (size_t i = 0; i < SAM_COUNT(runs); i++) {
        char words[256];
        snprintf(words, sizeof words,
                 "run %s --kernel k --grid 3 --block 12 --warp 4 --arg out:u32:64 -q --trace=%s",
                 runs[i][0], runs[i][1]);
        struct sam_buffer out = expect_success(words);
        sam_buffer_free(&out);
    }
    return 0;
}

TEST(equal_logs_in_any_schedule)
{
    struct sam_buffer one = read_file("a.log"), other = read_file("rr1.log");
    assert_true(one.size == other.size && memcmp(one.data, other.data, one.size) != 0);
    expect_part(&one, "core   2: Executed 2 times\n"); /* the join after the second path */
    sam_buffer_free(&one);
    sam_buffer_free(&other);
    struct sam_buffer out = expect_success("logdiff a.log rr1.log");
    expect_part(&out, "a.log: ");
    expect_part(&out, " instructions of 9 warps; ignored: repeat counts 9\n");
    expect_part(&out, "equal: 9 warps\n");
    sam_buffer_free(&out);
    out = expect_success("logdiff -q a.log a.log");
    assert_int_equal(out.size, 0);
    sam_buffer_free(&out);
    out = expect_success("logdiff - a.log <a.log");
    expect_part(&out, "equal: 9 warps\n");
    sam_buffer_free(&out);
}

TEST(the_first_difference_with_what_came_before)
{
    struct outcome o = run("logdiff a.log b.log");
    assert_int_equal(o.code, 1);
    assert_int_equal(o.err.size, 0);
    expect_part(&o.out, "warp 0 of workgroup 0,0,0: the instruction is 0x0210b0d7: 0x02113");
    expect_part(&o.out, "\n< ");
    expect_part(&o.out, "\n> ");
    expect_part(&o.out, "9 of 9 warps differ\n");
    done(&o);
    o = run("logdiff -q --context 0 a.log b.log");
    assert_int_equal(o.code, 1);
    assert_memory_equal(o.out.data, "warp 0 of ", 10);
    assert_null(strstr(sam_buffer_text(&o.out), "\n    "));
    done(&o);
}

TEST(the_result_as_json)
{
    struct outcome o = run("logdiff --json --context 2 a.log b.log");
    assert_int_equal(o.code, 1);
    json_t *root = json_loadb((char *)o.out.data, o.out.size, 0, NULL), *difference;
    assert_non_null(root);
    assert_true(json_is_false(json_object_get(root, "equal")));
    assert_int_equal(json_integer_value(json_object_get(root, "differing")), 9);
    difference = json_object_get(root, "difference");
    assert_int_equal(json_array_size(json_object_get(difference, "common")), 2);
    assert_true(json_integer_value(json_object_get(json_object_get(difference, "first"), "line")) >
                0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(difference, "group"), 0)),
                     0);
    json_t *log = json_array_get(json_object_get(root, "logs"), 1);
    assert_string_equal(json_string_value(json_object_get(log, "file")), "b.log");
    assert_string_equal(json_string_value(json_object_get(log, "form")), "isa");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(log, "ignored"), "repeat_counts")), 9);
    json_decref(root);
    done(&o);
    struct sam_buffer out = expect_success("logdiff --json a.log a.log");
    root = json_loadb((char *)out.data, out.size, 0, NULL);
    assert_true(json_is_true(json_object_get(root, "equal")));
    assert_null(json_object_get(root, "difference"));
    json_decref(root);
    sam_buffer_free(&out);
}

TEST(what_cannot_be_read)
{
    write_text("empty.log", "");
    write_text("text.log", "a log\033[2J of nothing\n");
    expect_failure("logdiff a.log none.log", 2, "none.log");
    expect_failure("logdiff empty.log a.log", 2, "empty.log: no record found");
    expect_failure("logdiff a.log text.log", 2, "text.log: no record found");
    expect_failure("logdiff a.log", 2, "");
    expect_failure("logdiff a.log a.log a.log", 2, "");
    expect_failure("logdiff - - </dev/null", 2, "both logs are standard input");
    expect_failure("logdiff --context 17 a.log a.log", 2, "--context");
}

/* A log may come from anywhere: its contents are shown, never acted on. */
TEST(nothing_in_a_line_reaches_the_terminal)
{
    write_text("a1.log", "core   0: 0x80000000 (0x00500293) li x5, 5\n"
                         "core   0: 3 0x80000000 (0x00500293) x5  0x00000005 \033[2J\007\n");
    write_text("a2.log", "core   0: 0x80000000 (0x00500293) li x5, 5\n"
                         "core   0: 3 0x80000000 (0x00500293) x5  0x00000006 \033]0;t\007\n");
    static const char *const calls[] = {"logdiff a1.log a2.log", "logdiff --json a1.log a2.log"};
    for (size_t i = 0; i < SAM_COUNT(calls); i++) {
        struct outcome o = run(calls[i]);
        assert_int_equal(o.code, 1);
        assert_null(memchr(o.out.data, '\033', o.out.size));
        assert_null(memchr(o.out.data, '\007', o.out.size));
        done(&o);
    }
}

/* A run that was stopped leaves half a log. */
TEST(a_log_that_ends_early)
{
    char path[128];
    struct sam_buffer whole = read_file("a.log");
    snprintf(path, sizeof path, "%s/half.log", directory);
    struct sam_error error;
    assert_int_equal(sam_file_save(path, whole.data, whole.size / 2, &error), SAM_OK);
    sam_buffer_free(&whole);
    struct outcome o = run("logdiff a.log half.log");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "only in a.log");
    done(&o);
}

TEST_GROUP(set_up, remove_directory)
