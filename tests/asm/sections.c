/* SPDX-License-Identifier: Apache-2.0 */
/* Permitted contents of each section, and symbols that need no definition. */
#include "isa/isa_test.h"

#define RV32 "rv32im"
#define RV64 "rv64im"

/* `text` assembles with `expected` in its messages. */
static void test_warned(const char *text, const char *expected)
{
    SCOPED_TEXT *messages = NULL;
    SCOPED_IMAGE *image = test_assemble(RV32, text, &messages);
    assert_non_null(image);
    if (!strstr(messages, expected))
        fail_msg("'%s': expected '%s' in: %s", text, expected, messages);
}

TEST(test_zeros_in_bss)
{
    struct sam_image *image;
    const struct sam_section *bss =
        test_section(RV32,
                     ".bss\na: .dword 0\n.byte 0, 0\n.half 1 - 1\n.word a - a, q - 3\n"
                     ".asciz \"\"\n.float 0\n.fill 3, 4, 0\n.align 3\n.equ q, 3\nend:",
                     ".bss", &image);
    assert_int_equal(bss->size, 40); /* 8 2 2 8 1 4 12, then 3 of alignment */
    assert_int_equal(bss->data_size, 0);
    assert_int_equal(sam_image_find(image, "end")->value - sam_image_find(image, "a")->value, 40);
    sam_image_free(image);
    static const char *const wrong[] = {
        ".dword 1", ".byte 0, 5", "a: .word a", ".ascii \"a\"", ".float 1", ".word q\n.equ q, 3",
    };
    for (size_t i = 0; i < SAM_COUNT(wrong); i++) {
        FREED char *text = formatted(".bss\n%s", wrong[i]);
        test_refused(RV32, text, "non-zero value in section .bss: it holds only zeros");
    }
    test_refused(RV32, ".bss\nnop", "instruction in section .bss: it holds only zeros");
    test_warned(".bss\n.space 4, 1", "fill value ignored: section .bss holds only zeros");
    test_warned(".bss\n.byte 0\n.balign 8, 1", "fill value ignored");
}

TEST(test_code_anywhere)
{
    static const char *const names[] = {".data", ".rodata", ".mine"};
    for (size_t i = 0; i < SAM_COUNT(names); i++) {
        FREED char *text =
            formatted(".section %s\n.byte 1\nback: nop\nbeq a0, a1, back\n", names[i]);
        SCOPED_IMAGE *image = NULL;
        const struct sam_section *section = test_section(RV32, text, names[i], &image);
        assert_int_equal(section->data_size, 9);
        assert_int_equal(sam_le32(section->data + 1), 0x00000013);
        assert_int_equal(sam_le32(section->data + 5), 0xfeb50ee3);
        assert_false(section->execute);
    }
    WORDS(RV32, ".word 5\nnop\n.byte 1, 2, 3, 4\nnop", 5, 0x13, 0x04030201, 0x13);
    test_warned(".byte 1\nnop", "not 4-byte aligned");
    test_warned("beq a0, a1, far\n.half 1\nnop\n.space 5000\nfar:", "not 4-byte aligned");
}

TEST(test_weak)
{
    WORDS(RV32, ".weak f, g\n.word f, f + 4\ng: .word g - 8", 0, 4, 0x80000000);
    WORDS(RV32, "lui a0, %hi(f)\naddi a0, a0, %lo(f)\n.weak f", 0x00000537, 0x00050513);
    /* 32-bit wrap: 0x80000000 + 0x80000000 */
    WORDS(RV32, ".weak f\nla a0, f", 0x80000517, 0x00050513);
    /* out of range of auipc on RV64: it becomes lui, as in the GNU linker */
    WORDS(
        RV64,
        ".weak f\nnop\nla a0, f\nlw a1, f + 8\n1: auipc a2, %pcrel_hi(f)\nld a2, %pcrel_lo(1b)(a2)",
        0x13, 0x00000537, 0x00050513, 0x000005b7, 0x0085a583, 0x00000637, 0x00063603);
    /* in range: unchanged */
    WORDS(RV64, ".weak f\nla a0, f", 0x80000517, 0x00050513);
    test_refused(RV32, ".word f\n.globl f", "undefined symbol 'f'");
    WORDS(RV32, ".weak f\n.ifdef f\n.word 1\n.else\n.word 2\n.endif", 2);
    SCOPED_IMAGE *image = NULL;
    test_section(RV32, ".weak f, g\n.word f\ng:", ".text", &image);
    assert_null(sam_image_find(image, "f"));
    assert_true(sam_image_find(image, "g")->global);
}

/* Names from an ELF file may contain any byte: the disassembly has no terminal control
 * characters, and still assembles to the same bytes at the same addresses. */
TEST(test_names_of_control_characters)
{
    static const char *const odd[] = {"\x1b[2J", "\xc2\x9b[31m", "\x9b[31m", "a\nb: nop",
                                      "a\"b",    "a\\b",         "\x7f",     "\r",
                                      "\xff",    "a # b",        ""};
    const struct sam_isa isa = {32, SAM_EXT_I};
    uint8_t code[8] = {0x6f, 0, 0x40, 0, 0x13, 0, 0, 0}; /* j . + 4; nop */
    SCOPED_IMAGE *image = sam_image_new(32);
    SCOPED_IMAGE *again = NULL;
    struct sam_error error;
    char *text, *messages;
    for (size_t i = 0; i < 2 * SAM_COUNT(odd); i++) {
        const struct sam_section section = {.name = (char *)(uintptr_t)odd[i / 2],
                                            .address = 0x1000 * (i + 1),
                                            .size = 16,
                                            .data_size = 8,
                                            .data = code,
                                            .execute = i % 2};
        const struct sam_symbol symbol = {.name = section.name,
                                          .value = section.address + 4,
                                          .section_relative = i % 2,
                                          .global = true,
                                          .function = true};
        assert_int_equal(sam_image_add_section(image, &section, NULL), SAM_OK);
        assert_int_equal(sam_image_add_symbol(image, &symbol, NULL), SAM_OK);
    }
    assert_int_equal(sam_image_finish(image, NULL), SAM_OK);
    succeeds(sam_disassemble_image, &isa, image, &text);
    for (size_t at = 0, size = strlen(text); at < size;) {
        const size_t bytes = sam_text_character(text + at, size - at);
        if (!bytes && text[at] != '\n')
            fail_msg("byte 0x%02x in:\n%.400s", (unsigned char)text[at], text + at);
        at += bytes ? bytes : 1;
    }
    const struct sam_asm_options options = {.size = sizeof options, .isa = isa};
    if (sam_assemble(&options, "odd.s", text, strlen(text), &again, &messages, &error) != SAM_OK)
        fail_msg("%s", messages);
    size_t kept = 0;
    for (size_t i = 0; i < again->section_count; i++) {
        const struct sam_section *s = &again->sections[i];
        if (s->size == 0)
            continue;
        assert_int_equal(s->address, image->sections[kept++].address);
        assert_memory_equal(s->data, code, sizeof code);
    }
    assert_int_equal(kept, image->section_count);
    sam_text_free(messages);
    sam_text_free(text);
}
