/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files: binutils as the second opinion where it is installed. */

#include "test.h"

#include "folder.h"
#include "format/elf_image.h"

/* Standard output of a command line in the test's folder. */
static struct sam_buffer output_of(const char *command)
{
    FREED char *text;
    size_t size;
    struct sam_buffer all = {0};
    if (!test_shell("cd '%s' && { %s; } >printed", test_folder, command))
        fail_msg("'%s' failed", command);
    succeeds(sam_file_load, test_path("printed"), 1 << 20, &text, &size);
    sam_buffer_append(&all, text, size);
    return all;
}

/* The words of a command's output, whitespace squeezed, contain `part`. */
static void expect_text(const struct sam_buffer *text, const char *part)
{
    if (!strstr(sam_buffer_text(text), part))
        fail_msg("no '%s' in:\n%s", part, sam_buffer_text(text));
}

TEST(readelf_agrees)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        SCOPED_IMAGE *image = elf_sample(xlen);
        struct elf_file f = elf_file_of(image);
        succeeds(sam_file_write, test_path("a.elf"), f.bytes, f.size);
        struct sam_buffer text =
            output_of("LC_ALL=C riscv64-unknown-elf-readelf -hlSsW a.elf 2>&1 | tr -s ' '");
        expect_text(&text, xlen == 32 ? "Class: ELF32\n" : "Class: ELF64\n");
        expect_text(&text, "Type: EXEC (Executable file)\n Machine: RISC-V\n");
        expect_text(&text, "Entry point address: 0x80000004\n");
        static const char *const narrow[] = {"0x80000000 0x80000000 0x0000c 0x0000c R E 0x1000\n",
                                             "0x8000000c 0x8000000c 0x00005 0x00005 R 0x1000\n",
                                             "0x80000014 0x80000014 0x00004 0x00020 RW 0x1000\n",
                                             "0x80001000 0x80001000 0x00000 0x100000 RW 0x1000\n",
                                             ".text PROGBITS 80000000 ",
                                             " 80000000 8 FUNC GLOBAL DEFAULT 1 _start\n",
                                             " 80000008 0 NOTYPE LOCAL DEFAULT 1 loop\n",
                                             " 0000002a 0 NOTYPE LOCAL DEFAULT ABS limit\n",
                                             " 80101000 0 NOTYPE GLOBAL DEFAULT 5 bss_end\n"};
        static const char *const wide[] = {
            "0x0000000080000000 0x0000000080000000 0x00000c 0x00000c R E 0x1000\n",
            "0x0000000080001000 0x0000000080001000 0x000000 0x100000 RW 0x1000\n",
            ".text PROGBITS 0000000080000000 ",
            " 0000000080000000 8 FUNC GLOBAL DEFAULT 1 _start\n",
            " 000000000000002a 0 NOTYPE LOCAL DEFAULT ABS limit\n"};
        for (size_t i = 0; xlen == 32 && i < SAM_COUNT(narrow); i++)
            expect_text(&text, narrow[i]);
        for (size_t i = 0; xlen == 64 && i < SAM_COUNT(wide); i++)
            expect_text(&text, wide[i]);
        if (strstr(sam_buffer_text(&text), "arning") || strstr(sam_buffer_text(&text), "rror"))
            fail_msg("readelf complains:\n%s", sam_buffer_text(&text));
        sam_buffer_free(&text);
        text = output_of("LC_ALL=C riscv64-unknown-elf-objdump -s -j .rodata "
                         "-j .rodata.ventus.resource a.elf");
        expect_text(&text, " 8000000c 68656c6c 6f ");
        expect_text(&text, " 04000700 0c00ffff 00014000 01000200 ");
        sam_buffer_free(&text);
        free(f.bytes);
    }
}

/* A program made by GNU ld: the image matches the source. */
TEST(linked_program)
{
    static const char source[] = ".globl _start\\n.type _start, @function\\n_start: .word 0x13\\n"
                                 ".word 0x6f\\n.size _start, 8\\n.equ forty, 40\\n.section .rodata"
                                 "\\n.byte 1,2,3\\n.data\\nvar: .word 0x12345678\\n.bss\\n"
                                 "room: .space 100\\n";
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        assert_true(test_shell(
            "cd '%s' && printf '%s' | riscv64-unknown-elf-as -march=rv%ui -mabi=%s -o a.o - && "
            "riscv64-unknown-elf-ld -m elf%ulriscv -Ttext=0x80000000 --section-start=.rodata="
            "0x80001000 -Tdata=0x80002000 -Tbss=0x80002010 a.o -o a.elf",
            test_folder, source, xlen, xlen == 32 ? "ilp32" : "lp64", xlen));
        SCOPED_IMAGE *image = NULL;
        succeeds(sam_elf_read, test_path("a.elf"), &image);
        assert_int_equal(image->xlen, xlen);
        assert_int_equal(image->entry, 0x80000000);
        assert_int_equal(image->sections[0].address, 0x80000000); /* no ELF header before it */
        assert_int_equal(elf_byte_at(image, 0x80000000), 0x13);
        assert_int_equal(elf_byte_at(image, 0x80000004), 0x6f);
        assert_int_equal(elf_byte_at(image, 0x80001002), 3);
        assert_int_equal(elf_byte_at(image, 0x80002003), 0x12);
        assert_int_equal(elf_byte_at(image, 0x80002010 + 99), 0);
        const struct sam_symbol *start = sam_image_find(image, "_start");
        assert_non_null(start);
        assert_true(start->function && start->global && start->section_relative);
        assert_int_equal(start->size, 8);
        const struct sam_symbol *forty = sam_image_find(image, "forty");
        assert_non_null(forty);
        assert_int_equal(forty->value, 40);
        assert_false(forty->section_relative);
        assert_string_equal(sam_image_symbol_at(image, 0x80002011)->name, "room");
        bool bss = false;
        for (size_t i = 0; i < image->section_count; i++)
            bss |= strcmp(image->sections[i].name, ".bss") == 0 && image->sections[i].size >= 100 &&
                   image->sections[i].data_size == 0;
        assert_true(bss);
    }
    struct sam_image *image;
    struct sam_error error;
    assert_int_equal(sam_elf_read(test_path("absent.elf"), &image, &error), SAM_ERR_IO);
    assert_null(image);
}

PROLOGUE
{
    if (!test_shell("for f in as ld objdump readelf; do "
                    "command -v riscv64-unknown-elf-$f >/dev/null || exit 1; done"))
        test_skip_all("binutils for RISC-V are not installed");
}

TEST_GROUP(test_folder_make, test_folder_remove)
