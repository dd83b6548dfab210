/* SPDX-License-Identifier: Apache-2.0 */
/* An output never overwrites an input or another output, whatever its name; an option that holds
 * one value is not given two. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char tile[] = "func.func @k(%a: !pto.ptr<f32>) {\nreturn\n}\n";

static int setup(void **state)
{
    char name[160], other[160];
    float values[16] = {0};
    struct sam_array array = {
        .dtype = SAM_F32, .rank = 1, .shape = {16}, .count = 16, .size = 64, .data = values};
    (void)state;
    command_verb = "";
    make_directory();
    write_text("k.s", ".globl k\nk: endprg\n");
    write_text("h.s", "ebreak\n");
    write_text("j.s", ".include \"k.s\"\n");
    write_text("i.s", "ebreak\n.include \"h.s\"\n");
    write_text("t.pto", tile);
    write_text("symbols", "abc");
    snprintf(name, sizeof name, "%s/a.npy", directory);
    assert_int_equal(sam_npy_write(name, &array, NULL), SAM_OK);
    snprintf(other, sizeof other, "%s/link.npy", directory);
    return symlink("a.npy", other);
}

#define GPU  "run k.s --kernel k --grid 1 --block 32 "
#define HART "run h.s --machine tensor --ebreak ok --isa rv64im_zicsr_zfinx_xmatrix_xtensorload "

TEST(refused)
{
    static const char *const rows[][2] = {
        {"asm h.s -o h.s", "h.s: the output is the input h.s"},
        {"asm h.s -o ./h.s", "./h.s: the output is the input h.s"},
        {"asm --isa tensor i.s -o h.s", "h.s: the output is the input "},
        {"asm --isa tensor i.s --listing=h.s", "h.s: the output is the input "},
        {"run i.s --machine tensor --ebreak ok --dump 0x80000000:4:h.s",
         "h.s: the output is the input "},
        {"run j.s --kernel k --grid 1 --block 32 --log k.s", "k.s: the output is the input "},
        {GPU "--log k.s", "k.s: the output is the input k.s"},
        {GPU "--log a.npy --arg in:a.npy", "a.npy: the output is the"},
        {GPU "--log a.npy --arg inout:link.npy", "a.npy: the output is the input link.npy"},
        {GPU "--log new --dump 0x1000:4:./new", "new: the output is the output ./new"},
        {GPU "--arg out:u8:4:new --arg out:u8:4:./new", "./new: the output is the output new"},
        {GPU "--arg out:f32:16:a.npy --check out=link.npy", "a.npy: the output is the input"},
        {GPU "--arg inout:a.npy:link.npy --arg in:a.npy", "link.npy: the output is the input"},
        {HART "--trace=h.s", "h.s: the output is the input h.s"},
        {HART "--mem 0x1000:symbols --vcd symbols", "symbols: the output is the input symbols"},
        {HART "--perfetto h.s", "h.s: the output is the input h.s"},
        {HART "--konata h.s", "h.s: the output is the input h.s"},
        {HART "--trace-bus=h.s", "h.s: the output is the input h.s"},
        {HART "--dump 0x80000000:4:h.s", "h.s: the output is the input h.s"},
        {HART "--vcd new --konata new", "new: the output is the output new"},
        {HART "--dump 0x80000000:4:new --dump 0x80000000:2:new", "new: the output is the output"},
        {"run t.pto --arg out:f32:16:t.pto", "t.pto: the output is the input t.pto"},
        {"run t.pto --arg out:f32:16:a.npy --check out=a.npy", "a.npy: the output is the input"},
        {"op transpose --perm 0 a.npy link.npy", "link.npy: the output is the input a.npy"},
        {"op transpose --perm 0 a.npy new --emit new", "new: the output is the output new"},
        {"op transpose --perm 0 a.npy --emit a.npy", "a.npy: the output is the input a.npy"},
        {"symbolstat symbols --vcd symbols", "symbols: the output is the input symbols"},
        {"sweep h.s --config mpara=1,2 -o h.s", "h.s: the output is the input h.s"},
        {"sweep h.s --config mpara=1,2 -o new --html new", "new: the output is the output new"},
        {"pack a.npy -o link.npy", "the output is the input"},
        {"convert a=a.npy -o link.npy", "the output is the input"},
    };
    struct sam_buffer before = read_file("a.npy");
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        expect_failure(rows[i][0], 2, rows[i][1]);
        assert_false(exists("new") || has_temporary("new"));
    }
    struct sam_buffer after = read_file("a.npy"), text = read_file("t.pto");
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    assert_string_equal(sam_buffer_text(&text), tile);
    sam_buffer_free(&before);
    sam_buffer_free(&after);
    sam_buffer_free(&text);
}

/* Devices and standard output may be named twice, an array may be changed in place, and two inputs
 * may be the same. */
TEST(allowed)
{
    static const char *const rows[] = {
        HART "-q --vcd /dev/null --konata /dev/null",
        HART "-q --dump 0x80000000:4:- --dump 0x80000000:4:-",
        HART "-q --mem 0x1000:symbols --mem 0x2000:symbols",
        GPU "-q --arg inout:a.npy:link.npy",
        GPU "-q --arg in:a.npy --arg in:a.npy",
        "op concat --axis 0 a.npy a.npy both.npy -q",
        "tile fmt t.pto -o t.pto",
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        struct sam_buffer out = expect_success(rows[i]);
        sam_buffer_free(&out);
    }
}

/* Two values where there is room for one; the same one twice is fine. */
TEST(two_values)
{
    static const char *const rows[][2] = {
        {"run h.s --machine system --weights a.smw --weights b.smw@0x90000000",
         "--weights a.smw and --weights b.smw@0x90000000: expected one of them"},
        {GPU "--grid 2", "--grid 1 and --grid 2: expected one of them"},
        {GPU "--warp 8 --warp 16", "--warp 8 and --warp 16: expected one of them"},
        {GPU "--stats --stats=json", "--stats and --stats=json: expected one of them"},
        {HART "--max-insns 5 --max-insns 6", "--max-insns 5 and --max-insns 6: expected one"},
        {HART "--ebreak trap", "--ebreak ok and --ebreak trap: expected one of them"},
        {HART "--reg a0=1 --reg x10=2", "--reg x10=2: the register is 0x1 already"},
        {"asm k.s -o new -o other", "--output new and --output other: expected one of them"},
        {"asm k.s -i ventus -itensor", "--isa ventus and --isa tensor: expected one of them"},
        {"pack a.npy -o new --output=other", "--output new and --output other: expected one"},
        {"op transpose --perm 0 --perm 1 a.npy new", "--perm 0 and --perm 1: expected one of them"},
        {"sweep h.s --machine tensor --machine system --config mpara=1",
         "--machine tensor and --machine system: expected one of them"},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        expect_failure(rows[i][0], 2, rows[i][1]);
        assert_false(exists("new") || exists("other"));
    }
    struct sam_buffer out =
        expect_success(GPU "-q -q --grid 1 --warp=32 --warp 32 --stats --stats");
    sam_buffer_free(&out);
    out = expect_success(HART "-q --reg a0=1 --reg x10=1 --reg a1=2");
    sam_buffer_free(&out);
}

TEST_GROUP(setup, remove_directory)
