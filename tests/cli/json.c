/* SPDX-License-Identifier: Apache-2.0 */
/* --json of every verb with a report: standard output is always one document. */
#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int set_up(void **state)
{
    (void)state;
    command_verb = "";
    make_directory();
    write_text("good.s", "_start: li a0, 0\nli a7, 93\necall\n.data\nd: .word 1, 2\n");
    write_text("bad.s", "nop\nnope\n  addi a0, a0, 5000\n");
    write_text("loop.s", "again: j again\n");
    write_text("kernel.s", "k: endprg\n");
    write_text("good.pto", "%a = alloc_tile : !pto.tile<16x16xf32>\n");
    write_text("bad.pto", "%a = nothing\n");
    return 0;
}

/* `samite WORDS` ends with this code and prints one document. */
static json_t *document(int code, const char *words)
{
    struct outcome o = run(words);
    json_error_t where;
    json_t *root = json_loadb((char *)o.out.data, o.out.size, 0, &where);
    if (o.code != code || !root)
        fail_msg("%s: exit %d, expected %d: %s: %s%s", words, o.code, code, where.text,
                 sam_buffer_text(&o.out), sam_buffer_text(&o.err));
    done(&o);
    return root;
}

static json_int_t integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        fail_msg("no integer '%s'", key);
    return json_integer_value(value);
}

static const char *text(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        fail_msg("no string '%s'", key);
    return json_string_value(value);
}

TEST(messages_of_the_assembler)
{
    json_t *root = document(0, "asm --json -i tensor good.s");
    json_t *row = json_at(root, "sections/0");
    assert_true(json_is_true(json_object_get(root, "done")));
    assert_int_equal(json_array_size(json_object_get(root, "messages")), 0);
    assert_int_equal(integer(root, "entry"), 0x80000000);
    assert_string_equal(text(row, "name"), ".text");
    assert_int_equal(integer(row, "address"), 0x80000000);
    assert_int_equal(integer(row, "bytes"), 12);
    json_decref(root);
    root = document(2, "asm --json bad.s -o never.elf");
    assert_true(json_is_false(json_object_get(root, "done")));
    assert_int_equal(json_array_size(json_object_get(root, "messages")), 2);
    row = json_at(root, "messages/1");
    assert_string_equal(text(row, "file"), "bad.s");
    assert_string_equal(text(row, "severity"), "error");
    assert_int_equal(integer(row, "line"), 3);
    assert_non_null(strstr(text(row, "text"), "5000"));
    assert_false(exists("never.elf"));
    json_decref(root);
    json_decref(document(0, "asm --json -i tensor --listing=good.txt good.s -o good.elf"));
    assert_true(exists("good.txt") && exists("good.elf"));
    write_text("\xff.s", "nop\n"); /* a name that is not UTF-8 */
    root = document(0, "asm --json \xff.s");
    assert_string_equal(text(root, "file"), "?.s");
    json_decref(root);
    expect_failure("asm --json good.s -o -", 2, "--json needs standard output for itself");
}

TEST(rows_of_dis_and_isa)
{
    json_t *root = document(0, "dis --json 0x13 0xffffffff");
    assert_int_equal(json_array_size(root), 2);
    assert_string_equal(text(json_array_get(root, 0), "text"), "nop");
    assert_true(json_is_false(json_object_get(json_array_get(root, 1), "known")));
    json_decref(root);
    root = document(0, "isa --json");
    assert_true(json_array_size(json_object_get(root, "instructions")) > 100);
    assert_true(json_array_size(json_object_get(root, "csrs")) > 10);
    json_decref(root);
    root = document(0, "isa --json rpc");
    assert_int_equal(integer(json_at(root, "csrs/0"), "address"), 0x80c);
    json_decref(root);
}

/* 64 bits: jansson prints and reads at most 63. */
TEST(large_integers)
{
    expect_parts(expect_success("dis --isa rv64i --json --base 0xfffffffffffffff8 0x13"),
                 "\"pc\": 18446744073709551608,", NULL);
    expect_parts(expect_success("asm --json -i tensor --base 0x8000000000000000 good.s"),
                 "\"address\": 9223372036854775808,", NULL);
}

TEST(operators)
{
    struct sam_error error;
    uint16_t numbers[6] = {0, 1, 2, 3, 4, 5};
    char path[128];
    struct sam_array array = {.dtype = SAM_U16,
                              .rank = 2,
                              .shape = {2, 3},
                              .count = 6,
                              .size = sizeof numbers,
                              .data = numbers};
    snprintf(path, sizeof path, "%s/in.npy", directory);
    assert_int_equal(sam_npy_write(path, &array, &error), SAM_OK);
    json_t *root = document(0, "op transpose --perm 1,0 --json --plan --cycles in.npy out.npy");
    assert_string_equal(text(root, "operator"), "transpose");
    assert_string_equal(text(root, "output"), "out.npy");
    assert_int_equal(number_at(root, "shape/0"), 3);
    assert_int_equal(integer(root, "bound_loaded"), 12);
    assert_true(strlen(text(root, "plan")) > 10);
    assert_true(integer(json_object_get(root, "engines"), "cycles") > 0);
    json_decref(root);
    assert_true(exists("out.npy"));
    root = document(0, "op transpose --perm 1,0 --json in.npy");
    assert_true(json_is_null(json_object_get(root, "output")));
    json_decref(root);
    expect_failure("op transpose --perm 1,0 --json in.npy -", 2,
                   "--json needs standard output for itself");
}

TEST(tile_programs)
{
    json_t *root = document(0, "tile ops --json");
    assert_int_equal(json_array_size(root), SAM_TILE_OPS);
    assert_true(strlen(text(json_array_get(root, 0), "meaning")) > 3);
    json_decref(root);
    root = document(2, "tile check --json bad.pto nothing.pto");
    assert_int_equal(json_array_size(root), 2);
    json_t *messages = json_object_get(json_array_get(root, 0), "messages");
    assert_string_equal(text(json_array_get(root, 0), "file"), "bad.pto");
    assert_int_equal(integer(json_array_get(messages, 0), "line"), 1);
    messages = json_object_get(json_array_get(root, 1), "messages");
    assert_non_null(strstr(text(json_array_get(messages, 0), "text"), "cannot open"));
    json_decref(root);
    char words[1024];
    snprintf(words, sizeof words, "tile check --json --plan '%s/kernels/tile/colmin.pto'",
             getenv("SAMITE_SOURCE") ? getenv("SAMITE_SOURCE") : ".");
    root = document(0, words);
    assert_true(json_is_true(json_object_get(json_array_get(root, 0), "good")));
    assert_true(strlen(text(json_array_get(root, 0), "plan")) > 10);
    json_decref(root);
}

TEST(runs)
{
    json_t *root = document(0, "run good.s --machine tensor --json");
    assert_string_equal(text(root, "end"), "exit");
    json_decref(root);
    root = document(1, "run loop.s --machine tensor --json --max-insns 10");
    assert_string_equal(text(root, "end"), "budget");
    json_decref(root);
    root = document(0, "run kernel.s --kernel k --grid 2 --block 4 --json");
    assert_int_equal(json_array_size(json_object_get(root, "launches")), 1);
    json_decref(root);
    expect_failure("run good.s --machine tensor --json --trace", 2,
                   "--json needs standard output for itself");
}

TEST(sweeps)
{
    json_t *root = document(0, "sweep good.s --config queue=2,4 --json");
    json_t *rows = json_object_get(root, "runs");
    assert_string_equal(text(root, "program"), "good.s");
    assert_int_equal(json_array_size(rows), 2);
    assert_string_equal(text(json_object_get(json_array_get(rows, 1), "config"), "queue"), "4");
    assert_true(integer(json_array_get(rows, 0), "engines_instructions") >= 0);
    json_decref(root);
    write_text("fails.s", "ebreak\n");
    root = document(1, "sweep fails.s --config queue=2 --json -o rows.csv");
    rows = json_object_get(root, "runs");
    assert_true(json_is_false(json_object_get(json_array_get(rows, 0), "done")));
    assert_non_null(strstr(text(json_array_get(rows, 0), "error"), "expected an exit"));
    json_decref(root);
    assert_true(exists("rows.csv"));
    expect_failure("sweep good.s --config queue=2 --json -o -", 2,
                   "--json needs standard output for itself");
}

/* Text and JSON render one report: values of one occur in the other. */
TEST(text_says_the_same)
{
    char part[256];
    write_text("aab", "aab");
    json_t *root = document(0, "symbolstat --json --depth 128 aab");
    const json_t *states = json_object_get(root, "states");
    struct sam_buffer out = expect_success("symbolstat --depth 128 aab");
    snprintf(
        part, sizeof part,
        "   97          2\n   98          1\n3 symbols in %lld cycles: clear %lld, count %lld, "
        "drain %lld, done %lld\n",
        integer(root, "cycles"), integer(states, "clear"), integer(states, "count"),
        integer(states, "drain"), integer(states, "done"));
    assert_string_equal(sam_buffer_text(&out), part);
    sam_buffer_free(&out);
    json_decref(root);
    root = document(0, "op transpose --perm 1,0 --json in.npy turned.npy");
    out = expect_success("op transpose --perm 1,0 in.npy turned.npy");
    snprintf(part, sizeof part,
             "turned.npy: [3,2] u16, %lld blocks, %lld instructions, %lld bytes moved, 1.",
             integer(root, "blocks"), integer(root, "instructions"), integer(root, "bytes_moved"));
    expect_part(&out, part);
    sam_buffer_free(&out);
    json_decref(root);
    root = document(0, "stat --json in.npy");
    const json_t *row = json_array_get(root, 0);
    assert_int_equal(json_array_size(json_object_get(row, "shape")), 2);
    out = expect_success("stat in.npy");
    snprintf(part, sizeof part, " %.1f %%\n",
             json_real_value(json_object_get(row, "size_percent")));
    expect_part(&out, part);
    sam_buffer_free(&out);
    json_decref(root);
}

/* In a name that is not UTF-8 only the invalid bytes are replaced. */
TEST(odd_names)
{
    write_text("\xff\xc3\xa9.s", "li a0, 0\nli a7, 93\necall\n");
    json_t *root = document(0, "run '\xff\xc3\xa9.s' --machine tensor --json");
    assert_string_equal(text(root, "program"), "?\xc3\xa9.s");
    json_decref(root);
}

TEST_GROUP(set_up, remove_directory)
