/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system --weights`: a directory for the program, and files that are none. */
#include <stdio.h>
#include <string.h>

#include "command.h"

#define SYSTEM "--machine system "

/* Exits with the number of tensors; 100 without a directory in a1. */
static const char tensors[] = "        li      t0, 0x02000004\n"
                              "        li      t1, 100\n"
                              "        beqz    a1, 1f\n"
                              "        lw      t1, 0(a1)\n"
                              "1:      sw      t1, 0(t0)\n";

/* Exits with 7 if a1 is 5, and the directory is in its register all the same. */
static const char given[] = "        li      t0, 0x02000000\n"
                            "        lw      t1, 20(t0)\n"
                            "        li      t2, 5\n"
                            "        li      t3, 7\n"
                            "        bne     a1, t2, 1f\n"
                            "        beqz    t1, 1f\n"
                            "        sw      t3, 4(t0)\n"
                            "1:      sw      a1, 4(t0)\n";

/* Two records that fail, which the program does not look at. */
static const char fails[] = "        la      t1, record\n"
                            "        li      t0, 0x02002000\n"
                            "        sw      t1, 0(t0)\n"
                            "        sw      t1, 0(t0)\n"
                            "        li      t0, 0x02000004\n"
                            "        sw      zero, 0(t0)\n"
                            "        .data\n"
                            "        .balign 64\n"
                            "record: .word 9, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0\n";

static int begin(void **state)
{
    (void)state;
    make_directory();
    write_text("tensors.s", tensors);
    write_text("given.s", given);
    write_text("fails.s", fails);
    write_text("raw.bin", "0123456789abcdef0123456789abcdef");
    command_verb = "";
    struct sam_buffer out = expect_success("pack raw.bin --dtype u8 -o m.smw -q");
    sam_buffer_free(&out);
    out = expect_success("pack raw.bin --dtype u8 -o m@2.smw -q");
    sam_buffer_free(&out);
    command_verb = "run";
    return 0;
}

static void expect_code(const char *words, int code)
{
    struct outcome o = run(words);
    if (o.code != code)
        fail_msg("%s: %d: %s", words, o.code, sam_buffer_text(&o.err));
    done(&o);
}

TEST(a_directory)
{
    expect_code(SYSTEM "tensors.s", 100);
    expect_code(SYSTEM "tensors.s --weights m.smw", 1);
    expect_code(SYSTEM "tensors.s --weights m.smw@0xb0000040", 1);
    expect_code(SYSTEM "tensors.s --weights m@2.smw", 1);
    expect_code(SYSTEM "tensors.s --weights m@2.smw@0x90000000", 1);
    expect_code(SYSTEM "tensors.s --isa rv32ima_zicsr_zfinx_xtensorload_xmatrix --weights m.smw",
                1);
}

/* Memory with a place of its own has it, and registers have what the user says. */
TEST(beside_other_memory)
{
    expect_code(SYSTEM "tensors.s --weights m.smw --mem 0x90000000:raw.bin", 1);
    expect_code(SYSTEM "given.s --weights m.smw --reg a1=5", 7);
    expect_code(SYSTEM "given.s --weights m.smw --arg u32:1 --arg u32:5", 7);
    expect_failure(SYSTEM "tensors.s --weights m.smw@0x90000000 --mem 0x90000000:raw.bin", 2,
                   "m.smw: packed weights of 320 bytes at 0x90000000: overlap the buffer "
                   "0x90000000..+0x20");
}

TEST(bad_files)
{
    struct sam_buffer whole = read_file("m.smw");
    struct sam_error error;
    char path[128];
    snprintf(path, sizeof path, "%s/cut.smw", directory);
    assert_int_equal(sam_file_save(path, whole.data, whole.size - 64, &error), SAM_OK);
    snprintf(path, sizeof path, "%s/bad.smw", directory);
    whole.data[16] ^= 1;
    assert_int_equal(sam_file_save(path, whole.data, whole.size, &error), SAM_OK);
    sam_buffer_free(&whole);
    static const struct {
        const char *words, *part;
    } cases[] = {
        {SYSTEM "tensors.s --weights none.smw", "none.smw"},
        {SYSTEM "tensors.s --weights none.smw@x", "none.smw@x"},
        {SYSTEM "tensors.s --weights raw.bin", "raw.bin: not a packed file"},
        {SYSTEM "tensors.s --weights cut.smw", "cut.smw: damaged: no index at the end"},
        {SYSTEM "tensors.s --weights bad.smw", "bad.smw: file header: checksum mismatch"},
        {SYSTEM "tensors.s --weights m.smw@0", "address 0"},
        {SYSTEM "tensors.s --weights @0x90000000", "expected FILE.smw or FILE.smw@ADDRESS"},
        {SYSTEM "tensors.s --weights ''", "expected FILE.smw"},
        {SYSTEM "tensors.s --weights m.smw@0x90000001", "expected a multiple of 64"},
        {SYSTEM "tensors.s --weights m.smw@0x40000000", "expected a multiple of 64 from"},
        {SYSTEM "tensors.s --weights m.smw@0xffffffc0", "expected a multiple of 64 from"},
        {"--machine tensor tensors.s --weights m.smw", "--weights"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        expect_failure(cases[i].words, 2, cases[i].part);
}

/* A record that fails is told, as the program may not look at its status. */
TEST(notes)
{
    struct outcome o = run(SYSTEM "fails.s");
    assert_int_equal(o.code, 0);
    expect_part(&o.err, "note: weight record 0 at 0x40");
    expect_part(&o.err, "note: weight record 1 at 0x40");
    expect_part(&o.err, ": operation 9: expected 0 to 2 (status 1)");
    done(&o);
    o = run(SYSTEM "fails.s -q");
    assert_int_equal(o.code, 0);
    assert_string_equal(sam_buffer_text(&o.err), "");
    done(&o);
}

TEST_GROUP(begin, remove_directory)
