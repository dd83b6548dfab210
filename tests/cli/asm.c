/* SPDX-License-Identifier: Apache-2.0 */
/* samite asm, dis and isa from the user's side: files, streams, exit codes. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#include "base/base.h"
#include "folder.h"

/* Run "samite <arguments>" in the folder; returns its exit code, with standard output and error
 * in `out`. */
static int run(struct sam_buffer *out, const char *format, ...) SAM_PRINTF(2, 3);
static int run(struct sam_buffer *out, const char *format, ...)
{
    char arguments[1024], command[4096], block[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "cd %s && { '%s' %s; } 2>&1", test_folder, getenv("SAMITE"),
             arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    sam_buffer_free(out);
    for (size_t got; (got = fread(block, 1, sizeof block, pipe)) > 0;)
        assert_true(sam_buffer_append(out, block, got));
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void write_text(const char *name, const char *text)
{
    struct sam_error error;
    assert_int_equal(sam_file_write(test_path(name), text, strlen(text), &error), SAM_OK);
}

static bool exists(const char *name)
{
    return access(test_path(name), F_OK) == 0;
}

#define EXPECT(code, text, ...)                                                                    \
    do {                                                                                           \
        int got_ = run(&out, __VA_ARGS__);                                                         \
        if (got_ != (code) || !strstr(sam_buffer_text(&out), text))                                \
            fail_msg("exit %d, expected %d with '%s': %s", got_, code, text,                       \
                     sam_buffer_text(&out));                                                       \
    } while (0)

static const char program[] = "_start: la a0, d\nvadd.vi v200, v1, 7\nlw a1, 0(a0)\nendprg\n"
                              ".data\nd: .word 1, 2\n.ascii \"xyz\"\n.bss\nb: .zero 8\n";

TEST(test_formats)
{
    struct sam_buffer out = {0};
    write_text("p.s", program);
    assert_int_equal(run(&out, "asm --format hex p.s -o -"), 0);
    assert_int_equal(out.size % 9, 0);
    assert_memory_equal(sam_buffer_text(&out), "00001517\n00050513\n0060300b\n", 27);
    assert_int_equal(run(&out, "asm --format=bin p.s -o p.bin"), 0);
    assert_int_equal(run(&out, "asm p.s -o p.elf"), 0);
    assert_string_equal(sam_buffer_text(&out), "");
    EXPECT(0, "\177ELF", "--version && head -c 4 p.elf");
    assert_int_equal(run(&out, "asm --format bin p.s -o - | cmp - p.bin"), 0);
    assert_int_equal(run(&out, "asm --format bin - -o - < p.s | cmp - p.bin"), 0);
    sam_buffer_free(&out);
}

TEST(test_listing)
{
    struct sam_buffer out = {0};
    write_text("l.s", ".macro two r # both\naddi \\r, \\r, 3\nvadd.vi v200, v1, 7\n.endm\n"
                      "_start: la a0, d # get it\ntwo a0\nnop; .byte 1, 2, 3, 4\n"
                      ".data\nd: .word 1\n.ascii \"xyz\"\n.bss\nb: .zero 8\n");
    EXPECT(0,
           "# l.s\n"
           "                     .macro two r # both\n"
           "80000000  00001517   _start: la a0, d # get it\n"
           "80000004  00050513\n"
           "                     two a0\n"
           "80000008  00350513  + addi a0, a0, 3\n"
           "8000000c  0060300b  + vadd.vi v200, v1, 7\n"
           "80000010  0213b457\n"
           "80000014  00000013   nop\n"
           "80000018  04030201    .byte 1, 2, 3, 4\n"
           "                     .data\n"
           "80001000  00000001   d: .word 1\n"
           "80001004  7a7978     .ascii \"xyz\"\n"
           "                     .bss\n"
           "80001010             b: .zero 8\n",
           "asm --listing l.s");
    EXPECT(0, "_start: la a0, d # get it\n", "asm --listing=l.txt l.s -o l.elf && cat l.txt");
    EXPECT(2, "l.s", "asm --listing=l.s l.s");
    EXPECT(2, "l.s", "asm l.s -o l.s");
    EXPECT(2, "", "asm --listing=l.elf l.s -o l.elf");
    EXPECT(0, "_start: la a0, d", "--version && cat l.s");
    write_text("bad.s", "nope\n");
    EXPECT(2, "unknown instruction", "asm --listing=bad.txt bad.s");
    assert_false(exists("bad.txt"));
    sam_buffer_free(&out);
}

/* The output of dis assembles to the same file, byte for byte. */
TEST(test_there_and_back)
{
    struct sam_buffer out = {0};
    static const char *const formats[] = {"elf", "bin", "hex"};
    write_text("p.s", program);
    for (size_t i = 0; i < 3; i++) {
        const char *f = formats[i];
        EXPECT(0, "", "asm --format %s p.s -o a.%s", f, f);
        EXPECT(0, "", "dis a.%s > a.dis && '%s' asm --format %s a.dis -o b.%s && cmp a.%s b.%s", f,
               getenv("SAMITE"), f, f, f, f);
    }
    EXPECT(0, "_start:\n    auipc a0, 1", "dis a.elf");
    EXPECT(0, "    vadd.vi v200, v1, 7 ", "dis a.elf");
    EXPECT(0, "d:\n    .word 0x00000001", "dis a.elf");
    EXPECT(0, ".address 0x1000\n", "dis --base 0x1000 a.bin");
    sam_buffer_free(&out);
}

TEST(test_words)
{
    struct sam_buffer out = {0};
    EXPECT(0, "vbgeu v3, v4, . + 12", "dis 0x0032765b");
    EXPECT(0, "vadd.vi v1, v2, 100", "dis 0x0c00300b 0x022230d7");
    EXPECT(0, ".word 0xffffffff", "dis 0xffffffff");
    EXPECT(0, "addw a0, a1, a2", "dis --isa rv64i 0x00c5853b");
    EXPECT(0, ".word 0x00c5853b", "dis 0x00c5853b");
    EXPECT(0, "\"pc\": 4096, \"word\": 19, \"known\": true, \"text\": \"nop\"",
           "dis --json --base 0x1000 0x13");
    EXPECT(2, "expected a 32-bit word", "dis 0x123456789");
    EXPECT(2, "expected a 32-bit word", "dis 0xzz");
    EXPECT(2, "no file or word", "dis");
    EXPECT(2, "cannot open", "dis nothing.bin");
    sam_buffer_free(&out);
}

TEST(test_bad_input)
{
    struct sam_buffer out = {0};
    write_text("bad.s", "nop\nnope\n  addi a0, a0, 5000\n");
    EXPECT(2, "bad.s:2:1: error: unknown instruction 'nope'; did you mean 'nop'?\n    nope\n    ^",
           "asm bad.s -o bad.elf");
    EXPECT(2, "bad.s:3:16: error: addi: imm[11:0] = 5000 is outside -2048..2047",
           "asm bad.s -o bad.elf");
    assert_false(exists("bad.elf"));
    EXPECT(2, "<stdin>:1:1: error:", "asm - -o x < bad.s | head -1; echo 'bad' | '%s' asm - -o x",
           getenv("SAMITE"));
    EXPECT(2, "no source file", "asm -o x");
    EXPECT(2, "no output", "asm bad.s");
    EXPECT(2, "expected elf, bin or hex", "asm --format coff bad.s -o x");
    EXPECT(2, "--base here: expected a number", "asm --base here bad.s -o x");
    EXPECT(2, "unknown extension", "asm --isa rv32iq bad.s -o x");
    EXPECT(2, "cannot open", "asm nothing.s -o x");
    EXPECT(2, "unknown option", "asm --frobnicate bad.s -o x");
    write_text("bad.hex", "0000001\n");
    EXPECT(2, "expected lines of 8 hexadecimal digits", "dis bad.hex");
    write_text("bad.elf", "\177ELF nonsense");
    EXPECT(2, "bad.elf", "dis bad.elf");
    write_text("wide.s", "nop\n");
    EXPECT(2, "holds RV64 code, --isa says RV32",
           "asm --isa rv64i wide.s -o wide.elf && '%s' dis wide.elf", getenv("SAMITE"));
    write_text("empty", "");
    EXPECT(0, ".section", "dis empty");
    sam_buffer_free(&out);
}

TEST(test_options)
{
    struct sam_buffer out = {0};
    write_text("o.s", ".include \"inc.s\"\n.word N, D, .\n");
    write_text("inc.s", ".word 7\n");
    EXPECT(0, "00000007\n00000005\n00000001\n0000100c\n",
           "asm -D N=5 --define D --base 0x1000 --format hex o.s -o -");
    EXPECT(0, "00000007\n", "asm -I %s -D N=1 -D D --format hex - -o - < o.s", test_folder);
    write_text("w.s", ".warning \"look\"\nnop\n");
    EXPECT(0, "w.s:1:1: warning: .warning look", "asm w.s -o w.elf");
    assert_true(exists("w.elf"));
    write_text("m.s", "mmaqa.b m1, m1, m2\nmmaqa.b m0, m1, m2\n");
    EXPECT(0,
           "m.s:1:9: warning: mmaqa.b will trap: m1 is both md and a source\n"
           "    mmaqa.b m1, m1, m2\n            ^\n202800ab\n2028002b\n",
           "asm --isa rv64im_zicsr_xmatrix --format hex m.s -o -");
    sam_buffer_free(&out);
}

TEST(test_isa)
{
    struct sam_buffer out = {0};
    EXPECT(0, "Xventus: SIMT on vectors\n  vbeq vs2, vs1, ", "isa");
    EXPECT(0, "0x800 tid ", "isa");
    assert_null(strstr(sam_buffer_text(&out), "addw "));
    EXPECT(0, "addw rd, rs1, rs2", "isa --isa rv64i");
    assert_null(strstr(sam_buffer_text(&out), "vbeq"));
    EXPECT(0,
           "match       0x0000405b, mask 0x0000707f\n  extension   xventus\n  source      "
           "Ventus 4.2.1",
           "isa vblt");
    EXPECT(0, "| offset[12] | offset[10:5] |", "isa VBLT");
    EXPECT(0, "stands for  sub rd, zero, rs2", "isa neg");
    EXPECT(0, "CSR 0x80c rpc", "isa rpc");
    EXPECT(0, "| engine |     00 |   imm8 |   tlrd |    000 |    rs | 1011011 |", "isa tl.load");
    EXPECT(0, "extension   xtensorload\n  source      TensorLoad 8.2", "isa tl.xpose.w.13");
    EXPECT(0, "  tl.mstore tlrs, imm8(rs) ", "isa --isa tensor");
    EXPECT(0, "CSR 0x883 tload_stride3\n", "isa TL_LOAD_STRIDE_CSR{3}");
    EXPECT(0, "  also        tmask_ls, TL_LOAD_MASK_CSR\n  extension   xtensorload",
           "isa tmask_load");
    EXPECT(0, "\"address\": 2243", "isa --json tmask_store");
    EXPECT(2, "no instruction and no CSR is called 'nothing'", "isa nothing");
    EXPECT(0, "\"mnemonic\": \"addi\"", "isa --json addi");
    EXPECT(0,
           "\"name\": \"0010011\",\n          \"high\": 6,\n          \"low\": 0,\n          "
           "\"fixed\": true",
           "isa --json addi");
    sam_buffer_free(&out);
}

static int setup(void **state)
{
    return getenv("SAMITE") ? test_folder_make(state) : -1;
}

TEST_GROUP(setup, test_folder_remove)
