/* SPDX-License-Identifier: Apache-2.0 */
/* Texts whose bytes, addresses and symbols follow from the GNU as manual and from the layout in
 * include/samite/isa.h. Encodings are compared elsewhere. */
#include <sys/stat.h>
#include <unistd.h>

#include "isa/isa_test.h"

#define V   "ventus"
#define NOP 0x00000013u

static uint64_t value_of(const struct sam_image *image, const char *name)
{
    const struct sam_symbol *symbol = sam_image_find(image, name);
    assert_non_null(symbol);
    return symbol ? symbol->value : 0;
}

static const struct sam_section *section_of(const struct sam_image *image, const char *name)
{
    for (size_t i = 0; i < image->section_count; i++)
        if (strcmp(image->sections[i].name, name) == 0)
            return &image->sections[i];
    fail_msg("no section %s", name);
    return NULL;
}

TEST(test_empty)
{
    static const char *const texts[] = {"", "\n", "# only a comment", "/* \n */", ";;;", "\t \r\n"};
    for (size_t i = 0; i < SAM_COUNT(texts); i++) {
        SCOPED_TEXT *messages = NULL;
        SCOPED_IMAGE *image = test_assemble(V, texts[i], &messages);
        assert_non_null(image);
        assert_string_equal(messages, "");
        assert_int_equal(image->entry, 0x80000000);
    }
}

TEST(test_layout)
{
    SCOPED_IMAGE *image = NULL;
    const char *text = ".bss\nz: .zero 100\n.data\nd: .word 1\n.section .rodata\nr: .byte 2\n"
                       ".section .text.cold\ncold: nop\n.text\n.globl _start\nnop\n_start: nop\n"
                       ".section .mine, \"aw\"\nm: .byte 3\n";
    test_section(V, text, ".text", &image);
    const struct sam_section *s = image->sections;
    static const struct {
        const char *name;
        uint64_t address, size;
        bool execute, write;
    } expected[] = {
        {".text", 0x80000000, 8, true, false},    {".text.cold", 0x80000010, 4, true, false},
        {".rodata", 0x80001000, 1, false, false}, {".data", 0x80002000, 4, false, true},
        {".mine", 0x80002010, 1, false, true},    {".bss", 0x80002020, 100, false, true},
    };
    assert_int_equal(image->section_count, SAM_COUNT(expected));
    for (size_t i = 0; i < SAM_COUNT(expected); i++) {
        assert_string_equal(s[i].name, expected[i].name);
        assert_int_equal(s[i].address, expected[i].address);
        assert_int_equal(s[i].size, expected[i].size);
        assert_int_equal(s[i].execute, expected[i].execute);
        assert_int_equal(s[i].write, expected[i].write);
    }
    assert_int_equal(s[5].data_size, 0);
    assert_int_equal(image->entry, 0x80000004);
    assert_true(sam_image_find(image, "_start")->global);
    assert_false(sam_image_find(image, "cold")->global);
    assert_int_equal(value_of(image, "m"), 0x80002010);
}

TEST(test_address)
{
    struct sam_image *image;
    test_section(V, "nop\n.data\n.address 0x90000000\nd: .word d\n.bss\nb: .zero 4\n", ".data",
                 &image);
    assert_int_equal(value_of(image, "d"), 0x90000000);
    assert_int_equal(sam_le32(section_of(image, ".data")->data), 0x90000000);
    assert_int_equal(value_of(image, "b"), 0x90000010);
    sam_image_free(image);
    test_refused(V, "nop\nnop\n.data\n.address 0x80000004\n.word 1\n", "overlap");
    test_refused(V, ".data\n.address 0x100000000\n", "does not fit 32 bits");
    test_refused(V, ".data\n.address 0xfffffff0\n.zero 17\n", "beyond 32 bits");
}

TEST(test_symbols)
{
    SCOPED_IMAGE *image = NULL;
    const char *text = ".equ size, 3 * 4\n.set n, 1\n.set n, n + 1\nlater = after - before\n"
                       ".type f, @function\n.size f, . - f\nbefore: nop\nf: nop\n.Llocal: nop\n"
                       "after: nop\n.size g, 12\n1: g: nop\n";
    test_section(V, text, ".text", &image);
    assert_int_equal(value_of(image, "size"), 12);
    assert_false(sam_image_find(image, "size")->section_relative);
    assert_int_equal(value_of(image, "n"), 2);
    assert_int_equal(value_of(image, "later"), 12);
    assert_int_equal(value_of(image, "f"), 0x80000004);
    assert_true(sam_image_find(image, "f")->function);
    assert_true(sam_image_find(image, "f")->section_relative);
    assert_int_equal(sam_image_find(image, "g")->size, 12);
    assert_null(sam_image_find(image, ".Llocal"));
    assert_int_equal(image->symbol_count, 7); /* also not a numeric label */
}

/* A symbol has its value at the point of use. */
TEST(test_set_changes)
{
    WORDS("rv32i", ".set n, 1\n.word n\n.set n, n * 10 + 2\n.word n\n.set n, 7\n.word n", 1, 12, 7);
    WORDS("rv32i", "a: .set d, . - a\n.word d\n.set d, . - a\n.word d", 0, 4);
    WORDS("rv32i", ".set p, b\n.set p, p + 4\n.word p - b\nb: .word 0", 4, 0);
}

TEST(test_numbers_and_strings)
{
    WORDS("rv32i", ".word 0b1011, 0o17, 0xFF, 0XaB, 1234567890, -2147483648, 4294967295", 11, 15,
          255, 171, 1234567890, 0x80000000, 0xffffffff);
    WORDS("rv32i", ".byte 1, 2, 3, -1\n.half 1, -2\n.4byte 5\n.2byte 6, 7", 0xff030201, 0xfffe0001,
          5, 0x00070006);
    WORDS("rv32i", ".dword 0x1122334455667788, -1\n.8byte 2", 0x55667788, 0x11223344, 0xffffffff,
          0xffffffff, 2, 0);
    WORDS("rv32i", ".float 1, -2.5, 0x1p-1, inf\n.double 1.5", 0x3f800000, 0xc0200000, 0x3f000000,
          0x7f800000, 0, 0x3ff80000);
    WORDS("rv32i", ".ascii \"ab\", \"c;#\"\n.asciz \"\\x41\\n\"", 0x3b636261, 0x000a4123);
    WORDS("rv32i", ".fill 2, 2, 0x1234\n.fill 9, 0, 1\n.space 3, 0xaa\n.skip 1\n.zero 4",
          0x12341234, 0x00aaaaaa, 0);
}

TEST(test_alignment)
{
    WORDS("rv32i", "nop\n.align 4\nnop", NOP, NOP, NOP, NOP, NOP);
    WORDS("rv32i", "nop\n.balign 8\nnop", NOP, NOP, NOP);
    WORDS("rv32i", "nop\n.p2align 3, 0\nnop", NOP, 0, NOP);
    WORDS("rv32i", "nop\n.p2align 4, , 8\nnop", NOP, NOP); /* 12 bytes are more than 8 */
    WORDS("rv32i", ".byte 1\n.align 2\nnop", 1, NOP);
    SCOPED_IMAGE *image = NULL;
    test_section(V, ".data\n.byte 1\n.align 8\nd: .byte 2\n", ".data", &image);
    assert_int_equal(value_of(image, "d") % 256, 0);
}

TEST(test_macros)
{
    WORDS("rv32i", ".macro m a, b=2, c\n.word \\a, \\b, \\c+0\n.endm\nm 1\nm 1, 5\nm c=4, a=3\n", 1,
          2, 0, 1, 5, 0, 3, 2, 4);
    WORDS("rv32i", ".macro m a:req rest:vararg\n.word \\a\n.word \\rest\n.endm\nm 1, 2, 3\n", 1, 2,
          3);
    WORDS("rv32i", ".macro m op\nv\\op\\()_\\@ = \\@\n.word v\\op\\()_\\@\n.endm\nm x\nm x\n", 0,
          1);
    WORDS("rv32i", ".macro m x y\n.word \\x * \\y\n.endm\nm (1 + 2), \"(3 + 4)\"\n", 21);
}

TEST(test_macro_recursion)
{
    WORDS("rv32i", ".macro count n\n.word \\n\n.if \\n\ncount (\\n - 1)\n.endif\n.endm\ncount 3\n",
          3, 2, 1, 0);
    WORDS("rv32i", ".macro m\n.word 1\n.exitm\n.word 2\n.endm\nm\n.word 3", 1, 3);
    WORDS("rv32i", ".macro m\n.if 1\n.exitm\n.endif\n.word 2\n.endm\nm\n.word 3", 3);
    WORDS("rv32i", ".macro outer\n.macro inner\n.word 7\n.endm\n.endm\nouter\ninner", 7);
}

TEST(test_repetitions)
{
    WORDS("rv32i", ".set i, 0\n.rept 4\n.word i\n.set i, i + 1\n.endr", 0, 1, 2, 3);
    WORDS("rv32i", ".rept 2\n.rept 2\n.word 5\n.endr\n.word 6\n.endr", 5, 5, 6, 5, 5, 6);
    WORDS("rv32i", ".rept 0\n.word 5\n.endr\n.word 1", 1);
    WORDS("rv32i", ".irp x, 1, 2 + 3, 4\n.word \\x\n.endr", 1, 5, 4);
    WORDS("rv32i", ".irpc x, 123\n.word \\x\n.endr", 1, 2, 3);
}

TEST(test_conditions)
{
    static const char text[] = ".if x == 1\n.word 1\n.elseif x == 2\n.word 2\n.if x\n.word 22\n"
                               ".else\n.word 23\n.endif\n.elseif x == 2\n.word 99\n.else\n.word 3\n"
                               ".endif\n.ifdef x\n.word 4\n.endif\n.ifndef x\n.word 5\n.else\n"
                               ".word 6\n.endif\n.ifb\n.word 7\n.endif\n.ifnb q\n.word 8\n.endif\n";
    static const uint32_t expected[3][5] = {{1, 4, 6, 7, 8}, {2, 22, 4, 6, 7}, {3, 4, 6, 7, 8}};
    for (int x = 1; x <= 3; x++) {
        SCOPED(sam_buffer) whole = {0};
        sam_buffer_printf(&whole, ".equ x, %d\n%s", x, text);
        SCOPED_IMAGE *image = NULL;
        const struct sam_section *s =
            test_section("rv32i", sam_buffer_text(&whole), ".text", &image);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(sam_le32(s->data + 4 * i), expected[x - 1][i]);
    }
    /* skipped text is not parsed */
    WORDS("rv32i", ".if 0\nfoo bar ( \" \n.macro\n.if junk (\n.else\n.endif\n.endif\n.word 1", 1);
    /* a distance is a constant unless something in between can grow */
    WORDS("rv32i", "a: nop\nnop\n.if . - a == 8\n.word 1\n.endif", NOP, NOP, 1);
    WORDS("rv32i", ".endif: nop\n.if: .word .if - .endif", NOP, 4); /* labels */
}

TEST(test_defines)
{
    static const char *const defines[] = {"LANES=4 * 2", "DEBUG"};
    struct sam_asm_options options = {
        .isa = test_isa(V), .base = 0x1000, .defines = defines, .define_count = 2};
    static const char text[] = ".word LANES, DEBUG, .\n";
    struct sam_image *image;
    char *messages;
    assert_int_equal(sam_assemble(&options, "t.s", text, sizeof text - 1, &image, &messages, NULL),
                     SAM_OK);
    assert_int_equal(sam_le32(image->sections[0].data), 8);
    assert_int_equal(sam_le32(image->sections[0].data + 4), 1);
    assert_int_equal(sam_le32(image->sections[0].data + 8), 0x1008);
    sam_text_free(messages);
    sam_image_free(image);
    static const char *const bad[] = {"1x=2", "=1", "x=1 +", "x=1 2", ""};
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        options.defines = &bad[i];
        options.define_count = 1;
        struct sam_error error = {0};
        assert_int_equal(sam_assemble(&options, "t.s", "nop", 3, &image, &messages, &error),
                         SAM_ERR_INPUT);
        assert_non_null(strstr(messages, "<command line>:1:"));
        sam_text_free(messages);
    }
}

TEST(test_include)
{
    char folder[] = "/tmp/samite-include-XXXXXX", path[64], *messages;
    struct sam_error error;
    struct sam_image *image;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.inc", folder);
    static const char inside[] = ".word 5\nbad here\n";
    succeeds(sam_file_write, path, inside, 8);
    const char *const paths[] = {folder};
    struct sam_asm_options options = {
        .isa = test_isa(V), .include_paths = paths, .include_count = 1};
    static const char text[] = ".include \"a.inc\"\n.word 6\n.include \"a.inc\"\n";
    assert_int_equal(sam_assemble(&options, "t.s", text, sizeof text - 1, &image, &messages, NULL),
                     SAM_OK);
    assert_int_equal(image->sections[0].size, 12);
    assert_int_equal(sam_le32(image->sections[0].data + 8), 5);
    sam_text_free(messages);
    sam_image_free(image);
    /* messages name the included file and where it was included */
    succeeds(sam_file_write, path, inside, sizeof inside - 1);
    assert_int_equal(sam_assemble(&options, "t.s", text, 17, &image, &messages, &error),
                     SAM_ERR_INPUT);
    assert_non_null(strstr(messages, "a.inc:2:1: error: unknown instruction 'bad'"));
    assert_non_null(strstr(messages, "t.s:1: note: in a file included here"));
    sam_text_free(messages);
    /* a file that includes itself, a folder */
    static const char itself[] = ".include \"a.inc\"\n";
    succeeds(sam_file_write, path, itself, sizeof itself - 1);
    assert_int_equal(sam_assemble(&options, "t.s", text, 17, &image, &messages, &error),
                     SAM_ERR_INPUT);
    assert_non_null(strstr(messages, "nested more than 64 deep"));
    sam_text_free(messages);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(sam_assemble(&options, "t.s", text, 17, &image, &messages, &error),
                     SAM_ERR_INPUT);
    assert_non_null(strstr(messages, "cannot find 'a.inc'"));
    sam_text_free(messages);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* The inverted branch and the jump reach the target at any distance. */
TEST(test_long_branches)
{
    for (int gap = 4070; gap <= 4110; gap += 4) {
        SCOPED_IMAGE *image = NULL;
        FREED char *text = formatted("beq a0, a1, far\n.space %d\nfar: nop\n", gap - 2);
        const struct sam_section *s = test_section(V, text, ".text", &image);
        struct sam_isa isa = test_isa(V);
        struct sam_insn insn;
        uint64_t far = value_of(image, "far") - 0x80000000;
        bool is_long = s->size > (uint64_t)gap - 2 + 8;
        assert_true(sam_decode(&isa, sam_le32(s->data), 0, &insn));
        if (!is_long) {
            assert_int_equal(insn.op, SAM_OP_beq);
            assert_int_equal(insn.imm, far);
            assert_true(far <= 4094);
        } else {
            assert_true(far > 4094);
            assert_int_equal(insn.op, SAM_OP_bne);
            assert_int_equal(insn.imm, 8);
            assert_true(sam_decode(&isa, sam_le32(s->data + 4), 0, &insn));
            assert_int_equal(insn.op, SAM_OP_jal);
            assert_int_equal(insn.rd, 0);
            assert_int_equal(insn.imm + 4, far);
        }
    }
}

/* Branches that push each other out of reach converge. */
TEST(test_many_long_branches)
{
    SCOPED(sam_buffer) text = {0};
    for (int i = 0; i < 2000; i++)
        sam_buffer_printf(&text, "l%d: bne a0, a1, l%d\n", i, i < 1000 ? i + 1000 : i - 1000);
    SCOPED_IMAGE *image = NULL;
    const struct sam_section *s = test_section(V, sam_buffer_text(&text), ".text", &image);
    struct sam_isa isa = test_isa(V);
    uint64_t pc = 0;
    for (int i = 0; i < 2000; i++) {
        struct sam_insn insn;
        char name[16];
        snprintf(name, sizeof name, "l%d", i);
        assert_int_equal(value_of(image, name), 0x80000000 + pc);
        assert_true(sam_decode(&isa, sam_le32(s->data + pc), 0, &insn));
        uint64_t from = pc;
        pc += 4;
        if (insn.op == SAM_OP_beq) {
            assert_true(sam_decode(&isa, sam_le32(s->data + pc), 0, &insn));
            from = pc;
            pc += 4;
        }
        snprintf(name, sizeof name, "l%d", i < 1000 ? i + 1000 : i - 1000);
        assert_int_equal(0x80000000 + from + (uint64_t)(int64_t)insn.imm, value_of(image, name));
    }
}

TEST(test_addresses)
{
    struct sam_image *image;
    const char *text = "la a0, d\nlw a1, d\nsw a1, d, t0\ncall f\ntail f\nlui a2, %hi(d)\n"
                       "addi a2, a2, %lo(d)\nli a3, d\nf: ret\n.data\n.zero 2044\nd: .word 1\n";
    const struct sam_section *s = test_section(V, text, ".text", &image);
    struct sam_isa isa = test_isa(V);
    uint64_t d = value_of(image, "d"), f = value_of(image, "f");
    static const struct {
        bool relative, to_d;
    } pairs[] = {{true, true},  {true, true},  {true, true}, {true, false},
                 {true, false}, {false, true}, {false, true}};
    for (size_t i = 0; i < SAM_COUNT(pairs); i++) {
        struct sam_insn upper, lower;
        assert_true(sam_decode(&isa, sam_le32(s->data + 8 * i), 0, &upper));
        assert_true(sam_decode(&isa, sam_le32(s->data + 8 * i + 4), 0, &lower));
        uint32_t base = pairs[i].relative ? 0x80000000u + 8 * (uint32_t)i : 0;
        uint32_t address = base + ((uint32_t)upper.imm << 12) + (uint32_t)lower.imm;
        assert_int_equal(address, pairs[i].to_d ? d : f);
    }
    sam_image_free(image);
    /* each of the two prefixed */
    const struct sam_section *t =
        test_section(V, "la x40, d\n.data\n.zero 2044\nd: .word 1", ".text", &image);
    assert_int_equal(t->size, 16);
    uint32_t upper = sam_le32(t->data + 4), lower = sam_le32(t->data + 12);
    assert_int_equal(0x80000004u + (upper & 0xfffff000) + (uint32_t)((int32_t)lower >> 20),
                     value_of(image, "d"));
    sam_image_free(image);
}

TEST(test_limits)
{
    test_refused(V, ".rept 4194304\n.rept 4194304\n.endr\n.word 1\n.endr\n", "expands to more");
    test_refused(V, ".space 268435456\n.space 1\n", "larger than 256 MiB");
    test_refused(V, ".fill 268435456, 8\n", "larger than 256 MiB");
    test_refused(V, ".fill 1, 9\n", "width 9 is outside 0..8");
    test_refused(V, ".fill 1, -1\n", "width -1 is outside 0..8");
    test_refused(V, ".macro m\nm\nm\n.endm\nm\n", "nested more than 64 deep");
    test_refused(V, ".macro m a\nm \\a\\a\\a\\a\n.endm\nm xxxxxxxx\n", "grows beyond 1 MiB");
    /* deep and long expressions */
    SCOPED(sam_buffer) text = {0};
    sam_buffer_printf(&text, ".word ");
    sam_buffer_fill(&text, '(', 100000);
    test_refused(V, sam_buffer_text(&text), "nested");
    text.size = 6;
    sam_buffer_fill(&text, '-', 100000);
    test_refused(V, sam_buffer_text(&text), "nested too deeply");
    text.size = 6;
    for (int i = 0; i < 100000; i++)
        sam_buffer_append(&text, "1+", 2);
    sam_buffer_append(&text, "1", 1);
    test_refused(V, sam_buffer_text(&text), "too long");
    text.size = 0;
    sam_buffer_printf(&text, ".set a, later\n");
    for (int i = 0; i < 100000; i++)
        sam_buffer_append(&text, ".set a, a + a\n", 14);
    sam_buffer_printf(&text, ".word a\nlater:\n");
    test_refused(V, sam_buffer_text(&text), "too long a chain");
    text.size = 0;
    for (int i = 0; i < 100000; i++)
        sam_buffer_append(&text, "bad\n", 4);
    test_refused(V, sam_buffer_text(&text), "too many errors");
    text.size = 0;
    for (int i = 0; i < 100; i++)
        sam_buffer_append(&text, ".if 1\n", 6);
    test_refused(V, sam_buffer_text(&text), "conditions nested more than 64 deep");
}

/* A text cut at any byte, or with any byte replaced, gives an image or messages. */
TEST(test_damaged)
{
    static const char whole[] = ".macro m a, b=\"x\"\nadd\\()i \\a, a0, 'c' # c\n.endm\nm a0\n"
                                ".if 1\nvadd.vi v200, v1, 100 /* x */\n.endif\n1: j 1b\n"
                                ".word 1 + (2 ? 3 : 4)\n.asciz \"a\\n\"\nlw a0, %lo(1b)(a1)\n";
    char text[sizeof whole];
    for (size_t cut = 0; cut < sizeof whole; cut++) {
        for (int c = 0; c < 256; c += cut % 8 == 0 ? 1 : 17) {
            struct sam_asm_options options = {.isa = test_isa(V)};
            SCOPED_IMAGE *image = NULL;
            struct sam_error error = {0};
            SCOPED_TEXT *messages = NULL;
            memcpy(text, whole, sizeof text);
            text[cut] = (char)c;
            size_t size = c == 0 ? cut : sizeof whole - 1;
            enum sam_status status =
                sam_assemble(&options, "t.s", text, size, &image, &messages, &error);
            assert_true(status == SAM_OK || status == SAM_ERR_INPUT);
            assert_true(status == SAM_OK || error.text[0]);
        }
    }
}

/* The listing of an image assembles to the image. */
TEST(test_listing)
{
    static const char text[] =
        ".equ n, 5\n.globl _start\n.type _start, @function\n_start: la a0, d\nbeqz a0, 1f\n"
        "add x45, a0, a1\nregext 64\nvadd.vv v1, v34, v3\n.word 0x200b\n.word 0xffffffff\n"
        "fence\n.word 0x0000008f\n1: j _start\n.byte 1, 2\n.data\n.byte 1\nd: .word 2, 3\n"
        ".zero 100\n.byte 7\n.section .rodata\n.asciz \"text\"\nend:\n.bss\nz: .zero 64\nz2:\n";
    struct sam_isa isa = test_isa(V);
    SCOPED_IMAGE *one, *two;
    SCOPED_TEXT *listing;
    test_section(V, text, ".text", &one);
    assert_int_equal(sam_disassemble_image(&isa, one, &listing, NULL), SAM_OK);
    test_section(V, listing, ".text", &two);
    assert_int_equal(one->section_count, two->section_count);
    for (size_t i = 0; i < one->section_count; i++) {
        const struct sam_section *a = &one->sections[i], *b = &two->sections[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->address, b->address);
        assert_int_equal(a->size, b->size);
        assert_int_equal(a->execute, b->execute);
        assert_int_equal(a->write, b->write);
        assert_int_equal(a->data_size, b->data_size);
        if (a->data_size)
            assert_memory_equal(a->data, b->data, a->data_size);
    }
    assert_int_equal(one->symbol_count, two->symbol_count);
    for (size_t i = 0; i < one->symbol_count; i++) {
        assert_string_equal(one->symbols[i].name, two->symbols[i].name);
        assert_int_equal(one->symbols[i].value, two->symbols[i].value);
        assert_int_equal(one->symbols[i].global, two->symbols[i].global);
        assert_int_equal(one->symbols[i].function, two->symbols[i].function);
    }
    assert_int_equal(one->entry, two->entry);
    assert_non_null(strstr(listing, "    j _start"));
    assert_non_null(strstr(listing, "    vadd.vv v1, v34, v3"));
    assert_non_null(strstr(listing, ".word 0x0000008f # fence"));
}
