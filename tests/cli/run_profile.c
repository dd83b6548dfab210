/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --profile`: every form of the file, failures, and what it does not disturb. */
#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel[] = "        .globl  count\n"
                             "count:\n"
                             "        lw      t0, 0(a0)\n"
                             "1:      addi    t0, t0, -1\n"
                             "        bnez    t0, 1b\n" /* line 5 */
                             "        ret\n";

#define RUN   "k.s --kernel count --grid 2 --block 64 --arg u32:25 "
#define INSNS (2 * 2 * (11 + 1 + 2 * 25 + 1)) /* 4 warps, 11 of the start code */

TEST(writes_files)
{
    write_text("k.s", kernel);
    struct sam_buffer out = expect_success(RUN "-q --profile p.json");
    assert_int_equal(out.size, 0);
    sam_buffer_free(&out);
    struct sam_buffer file = read_file("p.json");
    json_t *root = json_loads(sam_buffer_text(&file), 0, NULL);
    assert_non_null(root);
    json_t *line = json_array_get(json_object_get(root, "lines"), 0);
    assert_string_equal(json_string_value(json_object_get(line, "file")), "k.s");
    assert_int_equal(json_integer_value(json_object_get(line, "line")), 4);
    assert_int_equal(json_integer_value(json_object_get(line, "count")), 100);
    json_t *total = json_object_get(root, "total");
    assert_int_equal(json_integer_value(json_object_get(total, "count")), INSNS);
    json_decref(root);
    sam_buffer_free(&file);
    static const struct {
        const char *name, *part;
    } rows[] = {
        {"p.html", "<title>Profile of count</title>"},
        {"p.folded", "count;count;k.s:4;0x80000030 addi t0, t0, -1 100\n"},
        {"p.txt", "k.s:4  1:      addi    t0, t0, -1\n"},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        char words[160];
        snprintf(words, sizeof words, RUN "-q --profile %s", rows[i].name);
        out = expect_success(words);
        sam_buffer_free(&out);
        file = read_file(rows[i].name);
        expect_part(&file, rows[i].part);
        sam_buffer_free(&file);
    }
    /* of a run in time: every reason of the column is in the legend */
    out = expect_success(RUN "-q --cycles --profile t.html");
    sam_buffer_free(&out);
    file = read_file("t.html");
    const char *legend = strstr(sam_buffer_text(&file), "<h2 id=\"legend\">");
    assert_non_null(legend);
    unsigned reasons = 0;
    for (unsigned reason = 1; reason < SAM_GPUTIME_REASONS; reason++) {
        char part[120];
        snprintf(part, sizeof part, "<td class=\"at\">%s ", sam_gputime_reason_name(reason));
        const bool named = strstr(sam_buffer_text(&file), part);
        snprintf(part, sizeof part, "<b>%s</b> %s", sam_gputime_reason_name(reason),
                 sam_gputime_reason_meaning(reason));
        assert_true(!named || strstr(legend, part));
        reasons += named;
    }
    assert_true(reasons >= 2);
    sam_buffer_free(&file);
    out = expect_success(RUN "--profile - --stats --jobs 2");
    expect_part(&out, "k.s:4  1:      addi    t0, t0, -1\n");
    expect_part(&out, "warp instructions               252  252 scalar, 0 vector");
    sam_buffer_free(&out);
}

/* Logged and stepped launches are counted, too. */
TEST(with_a_log)
{
    static const char *const words[] = {RUN "-q --profile a.json",
                                        RUN "-q --profile b.json --trace=t",
                                        RUN "-q --profile c.json --schedule rr1"};
    struct sam_buffer files[3];
    write_text("k.s", kernel);
    for (int i = 0; i < 3; i++) {
        const char name[] = {(char)('a' + i), '.', 'j', 's', 'o', 'n', '\0'};
        struct sam_buffer out = expect_success(words[i]);
        sam_buffer_free(&out);
        files[i] = read_file(name);
        assert_string_equal(sam_buffer_text(&files[i]), sam_buffer_text(&files[0]));
    }
    for (int i = 0; i < 3; i++)
        sam_buffer_free(&files[i]);
}

/* What ran before a trap is worth having. */
TEST(of_a_failure)
{
    write_text("bad.s", "        .globl  count\ncount:\n        li t0, 3\n1:      addi t0, t0, -1\n"
                        "        bnez t0, 1b\n        lw t0, 0(zero)\n        ret\n");
    expect_failure("bad.s --kernel count --grid 1 --block 32 -q --profile p.txt", 1,
                   "outside every buffer");
    struct sam_buffer file = read_file("p.txt");
    expect_part(&file, "bad.s:5  bnez t0, 1b\n");
    assert_null(strstr(sam_buffer_text(&file), "bad.s:6"));
    sam_buffer_free(&file);
}

/* What a line waits for may be long; the columns stay apart. */
TEST(columns_are_apart)
{
    static float values[32 * 32];
    char words[400], path[160];
    struct sam_array array = {.dtype = SAM_F32,
                              .rank = 2,
                              .shape = {32, 32},
                              .count = 32 * 32,
                              .size = sizeof values,
                              .data = values};
    snprintf(path, sizeof path, "%s/m.npy", directory);
    assert_int_equal(sam_npy_write(path, &array, NULL), SAM_OK);
    snprintf(words, sizeof words,
             "%s/kernels/sgemm.s --kernel sgemm --grid 2,2 --block 16,16 --arg in:m.npy --arg "
             "in:m.npy --arg out:f32:32x32 --arg u32:32 --arg u32:32 --arg u32:32 -q --cycles "
             "--profile apart.txt",
             getenv("SAMITE_SOURCE"));
    struct sam_buffer out = expect_success(words);
    sam_buffer_free(&out);
    out = read_file("apart.txt");
    expect_part(&out, "waits for                       line\n");
    size_t shares = 0;
    for (const char *at = sam_buffer_text(&out); (at = strchr(at, '%')); at++, shares++)
        if (!strchr(" ,\n", at[1]))
            fail_msg("no blank: %.60s", at - 30);
    assert_true(shares > 20);
    sam_buffer_free(&out);
}

/* A program of the tensor hart; with --cycles shares are of its cycles. */
TEST(of_the_tensor_hart)
{
    write_text("h.s", "_start: li t0, 40\nloop: addi t0, t0, -1\nbnez t0, loop\n"
                      "li a0, 0\nli a7, 93\necall\n");
    struct sam_buffer out = expect_success("--machine tensor h.s -q --profile -");
    expect_part(&out, "profile of h.s: 83 instructions\n");
    expect_part(&out, " 48.19           40                                          "
                      "h.s:2  loop: addi t0, t0, -1\n");
    sam_buffer_free(&out);
    out = expect_success("--machine tensor h.s -q --profile h.txt --cycles --config issue=2");
    sam_buffer_free(&out);
    out = read_file("h.txt");
    expect_part(&out, " instructions, ");
    expect_part(&out, " cycles\n");
    expect_part(&out, "h.s:2  loop: addi t0, t0, -1\n");
    sam_buffer_free(&out);
    expect_failure("--machine tensor h.s -q --profile h.html --max-insns 10", 1, "still running");
    out = read_file("h.html");
    expect_part(&out, "<p>10 instructions, 0 lines of memory</p>");
    sam_buffer_free(&out);
    expect_failure("--machine tensor h.s --profile p.xml", 2, "--profile p.xml: expected a name");
}

TEST(refused)
{
    write_text("k.s", kernel);
    expect_failure(RUN "--profile p.xml", 2,
                   "--profile p.xml: expected a name that ends in .html, .json, .folded or .txt");
    expect_failure(RUN "--profile no/p.html", 2, "no/p.html");
    expect_failure(RUN "--profile k.txt --trace=k.txt", 2, "k.txt");
    assert_false(exists("k.txt"));
    /* nothing has run: no file */
    expect_failure("k.s --kernel none --grid 1 --block 1 --profile n.html", 2, "no symbol 'none'");
    assert_false(exists("n.html"));
}

PROLOGUE
{
    make_directory();
}

TEST_GROUP(NULL, remove_directory)
