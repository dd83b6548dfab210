/* SPDX-License-Identifier: Apache-2.0 */
/* Line information: the assembler's, compared with the source and with GNU as; in ELF files, as
 * read by binutils and libdw; and damaged. */
#include <unistd.h>

#include "test.h"

#include "config.h"
#include "folder.h"
#include "samite/samite.h"

static struct sam_image *assemble(const char *isa, const char *name, const char *text)
{
    struct sam_image *image;
    SCOPED_TEXT *messages;
    struct sam_asm_options options = {.size = sizeof options, .base = 0x80000000, .lines = true};
    succeeds(sam_isa_parse, isa, &options.isa);
    succeeds(sam_assemble, &options, name, text, strlen(text), &image, &messages);
    return image;
}

static uint32_t line_at(const struct sam_image *image, uint64_t address)
{
    uint32_t line = 0;
    const char *file = sam_image_line_at(image, address, &line);
    return file ? line : 0;
}

/* Source accepted by GNU as as well, with every way in which a statement gets its line. */
static const char mixed[] = ".macro two r\n"
                            " addi \\r, \\r, 1\n"
                            " addi \\r, \\r, 2\n"
                            ".endm\n"
                            ".macro four r\n"
                            " two \\r\n"
                            " two \\r\n"
                            ".endm\n"
                            ".text\n"
                            ".globl _start\n"
                            "_start:\n"
                            " li a0, 0x12345678\n" /* 12: two instructions */
                            " two a0\n"            /* 13 */
                            ".rept 2\n"
                            " nop\n" /* 15 */
                            " addi a1, a1, 1\n"
                            ".endr\n"
                            " nop; addi a2, a2, 1\n" /* 18 */
                            " four a3\n"             /* 19 */
                            ".irp r, a4, a5\n"
                            " addi \\r, \\r, 3\n" /* 21 */
                            ".endr\n"
                            " beq a0, a1, _start\n" /* 23 */
                            ".section .text.b, \"ax\"\n"
                            "b: ret\n"; /* 25 */

static const uint32_t mixed_lines[] = {12, 12, 13, 13, 15, 16, 15, 16, 18,
                                       18, 19, 19, 19, 19, 21, 21, 23};

TEST(assembler)
{
    SCOPED_IMAGE *image = assemble("rv32i", "mixed.s", mixed);
    for (size_t i = 0; i < SAM_COUNT(mixed_lines); i++) {
        uint32_t line;
        assert_string_equal(sam_image_line_at(image, 0x80000000 + 4 * i, &line), "mixed.s");
        if (line != mixed_lines[i])
            fail_msg("instruction %zu: line %u, expected %u", i, line, mixed_lines[i]);
        /* also within an instruction */
        assert_int_equal(line_at(image, 0x80000003 + 4 * i), line);
    }
    const struct sam_symbol *b = sam_image_find(image, "b");
    assert_int_equal(line_at(image, b->value), 25);
    assert_null(sam_image_line_at(image, 0x7fffffff, NULL));
    assert_null(sam_image_line_at(image, 0x80000000 + 4 * SAM_COUNT(mixed_lines), NULL));
    assert_null(sam_image_line_at(image, b->value + 4, NULL));
    assert_null(sam_image_line_at(NULL, 0, NULL));
    for (size_t i = 1; i < image->line_count; i++)
        assert_true(image->lines[i - 1].address < image->lines[i].address);
}

/* There is none unless requested, and none without code. */
TEST(none)
{
    struct sam_asm_options options = {.base = 0x80000000};
    struct sam_image *image;
    SCOPED_TEXT *messages;
    succeeds(sam_isa_parse, "rv32i", &options.isa);
    succeeds(sam_assemble, &options, "a.s", "nop\n", 4, &image, &messages);
    assert_int_equal(image->line_count, 0);
    assert_null(sam_image_line_at(image, 0x80000000, NULL));
    sam_image_free(image);
    image = assemble("rv32i", "a.s", ".data\n.word 1\n");
    assert_int_equal(image->line_count, 0);
    sam_image_free(image);
}

/* With line information, and with a prologue. */
static struct sam_asm_options options_of(const char *prologue, const char *name)
{
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = 0x80000000,
                                      .lines = true,
                                      .prologue = prologue,
                                      .prologue_name = name};
    succeeds(sam_isa_parse, "rv32i", &options.isa);
    return options;
}

/* The prologue has lines of its own; the lines of the file, and its messages, keep their
 * numbers. */
TEST(prologue)
{
    struct sam_error error;
    struct sam_image *image;
    char *messages;
    const struct sam_asm_options options = options_of("\n\nfirst: nop\n", "start");
    succeeds(sam_assemble, &options, "a.s", "ret\n", 4, &image, &messages);
    sam_text_free(messages);
    uint32_t line;
    assert_string_equal(sam_image_line_at(image, 0x80000000, &line), "start");
    assert_int_equal(line, 3);
    assert_string_equal(sam_image_line_at(image, 0x80000004, &line), "a.s");
    assert_int_equal(line, 1);
    sam_image_free(image);
    assert_int_equal(sam_assemble(&options, "a.s", "nop\nbad\n", 8, &image, &messages, &error),
                     SAM_ERR_INPUT);
    assert_non_null(strstr(messages, "a.s:2:1: error"));
    sam_text_free(messages);
}

/* From a line to its code. */
TEST(addresses_of_lines)
{
    SCOPED_IMAGE *image = assemble("rv32i", "kernels/mixed.s", mixed);
    static const struct {
        const char *file;
        uint32_t line, found;
        uint64_t address;
    } rows[] = {
        {"kernels/mixed.s", 12, 12, 0x80000000},
        {"mixed.s", 13, 13, 0x80000008},
        {"mixed.s", 1, 12, 0x80000000}, /* the next line with code */
        {"mixed.s", 16, 16, 0x80000014},
        {"mixed.s", 17, 18, 0x80000020},
        {"ixed.s", 12, 0, 0},
        {"other/mixed.s", 12, 0, 0},
        {"/mixed.s", 12, 12, 0x80000000},
        {"mixed.s", 26, 0, 0},
        {"", 12, 0, 0},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        uint32_t line = rows[i].line;
        uint64_t address = 0;
        const bool found = sam_image_line_address(image, rows[i].file, &line, &address);
        assert_int_equal(found, rows[i].found != 0);
        if (found)
            assert_int_equal(line, rows[i].found);
        assert_int_equal(address, rows[i].address);
    }
}

TEST(functions)
{
    SCOPED_IMAGE *image = assemble("rv32i", "f.s",
                                   ".globl _start\n_start: nop\nlocal: nop\n"
                                   ".type sized, @function\nsized: nop\nloop: nop\n"
                                   ".size sized, . - sized\nafter: nop\n"
                                   ".type open, @function\nopen: nop\n1: nop\n"
                                   ".section .text.c, \"ax\"\nc: nop\nd: nop\n");
    static const char *const names[] = {"_start", "_start", "sized", "sized",
                                        "_start", "open",   "open"};
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        assert_string_equal(sam_image_function_at(image, 0x80000000 + 4 * i)->name, names[i]);
    const uint64_t c = sam_image_find(image, "c")->value;
    assert_string_equal(sam_image_function_at(image, c)->name, "c");
    assert_string_equal(sam_image_function_at(image, c + 4)->name, "d");
    assert_null(sam_image_function_at(image, 0x7ffffffc));
    assert_null(sam_image_function_at(NULL, 0));
}

/* --- ELF files */

static void write_text(const char *name, const void *data, size_t size)
{
    succeeds(sam_file_write, test_path(name), data, size);
}

static void write_elf(const struct sam_image *image, const char *name)
{
    FREED void *data = NULL;
    size_t size;
    succeeds(sam_elf_make, image, &data, &size);
    write_text(name, data, size);
}

static struct sam_image *read_elf(const char *name)
{
    struct sam_image *image;
    succeeds(sam_elf_read, test_path(name), &image);
    return image;
}

/* Every byte of code has the same line in both. */
static void same_lines(const struct sam_image *a, const struct sam_image *b)
{
    for (size_t i = 0; i < a->section_count; i++) {
        const struct sam_section *s = &a->sections[i];
        for (uint64_t at = s->address; at < s->address + s->size; at++) {
            uint32_t x = 0, y = 0;
            const char *f = sam_image_line_at(a, at, &x), *g = sam_image_line_at(b, at, &y);
            if (x != y || !f != !g || (f && strcmp(f, g) != 0))
                fail_msg("0x%llx: %s:%u and %s:%u", (unsigned long long)at, f ? f : "?", x,
                         g ? g : "?", y);
        }
    }
}

/* Our line table of a source with random statements in several files and sections, from its ELF
 * file. */
static struct sam_image *random_program(uint64_t *seed, const char *isa)
{
    static const char *const statements[] = {
        "nop",
        "li t0, 0x12345678",
        ".word 1, 2",
        ".byte 7",
        ".align 4",
        ".data",
        ".text",
        ".section .text.z, \"ax\"",
        "three",
        "\n\n\n\n",
        ".rept 3\nnop\n.endr",
        "lw a0, 4(a1)",
        ".section .text.y, \"ax\"",
    };
    SCOPED(sam_buffer) text = {0};
    sam_buffer_puts(&text, ".macro three\nnop\nnop\nnop\n.endm\n");
    for (unsigned count = 1 + (unsigned)test_below(seed, 80); count; count--) {
        for (uint64_t blank = test_below(seed, 8) == 0 ? test_below(seed, 300) : 0; blank; blank--)
            sam_buffer_puts(&text, "\n");
        sam_buffer_printf(&text, "%s\n", statements[test_below(seed, SAM_COUNT(statements))]);
    }
    sam_buffer_puts(&text, ".text\nnop\n");
    struct sam_image *image = assemble(isa, "folder/random.s", sam_buffer_text(&text));
    return image;
}

TEST(round_trips)
{
    uint64_t seed = test_seed();
    for (int i = 0; i < 200 && SAM_HAVE_LIBDW; i++) {
        SCOPED_IMAGE *image = random_program(&seed, i & 1 ? "rv64i" : "rv32i");
        write_elf(image, "random.elf");
        SCOPED_IMAGE *again = read_elf("random.elf");
        assert_null(again->lines_problem);
        same_lines(image, again);
        /* and again, from the image that was read */
        write_elf(again, "random.elf");
        SCOPED_IMAGE *third = read_elf("random.elf");
        same_lines(image, third);
        assert_int_equal(again->line_count, third->line_count);
    }
}

/* Lines of text that is in no file are not written: a debugger would look for the file. */
TEST(text_of_no_file)
{
    SCOPED_IMAGE *image = NULL;
    SCOPED_TEXT *messages;
    const struct sam_asm_options options = options_of("nop\nnop\n", "<start code>");
    succeeds(sam_assemble, &options, "a.s", "\nret\n", 5, &image, &messages);
    write_elf(image, "start.elf");
    SCOPED_IMAGE *again = read_elf("start.elf");
    uint32_t line = 0;
    assert_null(sam_image_line_at(again, 0x80000000, NULL));
    assert_null(sam_image_line_at(again, 0x80000004, NULL));
    assert_string_equal(sam_image_line_at(again, 0x80000008, &line), "a.s");
    assert_int_equal(line, 2);
}

/* objdump's decoding of a file: rows "name line 0xaddress ..."; '-' for a line ends a sequence. */
static size_t compare_objdump(const struct sam_image *image, const char *name)
{
    char row[512];
    size_t rows = 0;
    assert_true(
        test_shell("riscv64-unknown-elf-objdump --dwarf=decodedline %s/%s >%s 2>%s/err.txt && "
                   "! test -s %s/err.txt",
                   test_folder, name, test_path("rows.txt"), test_folder, test_folder));
    FILE *file = fopen(test_path("rows.txt"), "r");
    assert_non_null(file);
    while (fgets(row, sizeof row, file)) {
        char *hex = strstr(row, " 0x");
        if (!hex)
            continue;
        const uint64_t address = strtoull(hex, NULL, 16);
        while (hex > row && hex[-1] == ' ')
            hex--;
        while (hex > row && hex[-1] != ' ')
            hex--;
        if (hex[0] == '-') { /* a range that begins here has its own row */
            rows += sam_image_line_at(image, address, NULL) == NULL;
            continue;
        }
        const uint32_t line = (uint32_t)strtoul(hex, NULL, 10);
        assert_int_equal(line_at(image, address), line);
        bool begins = false;
        for (size_t i = 0; i < image->line_count; i++)
            begins |= image->lines[i].address == address && image->lines[i].line == line;
        assert_true(begins);
        rows++;
    }
    fclose(file);
    return rows;
}

TEST(objdump_agrees)
{
    uint64_t seed = test_seed();
    if (!test_shell("command -v riscv64-unknown-elf-objdump >/dev/null"))
        return;
    for (int i = 0; i < 12; i++) {
        SCOPED_IMAGE *image = random_program(&seed, i & 1 ? "rv64i" : "rv32i");
        write_elf(image, "o.elf");
        assert_int_equal(compare_objdump(image, "o.elf"), image->line_count);
    }
    static const char *const kernels[] = {"sgemm", "bfs", "scan"};
    for (size_t i = 0; i < SAM_COUNT(kernels); i++) {
        FREED char *text = NULL;
        size_t size;
        FREED char *path = formatted("%s/kernels/%s.s", SAM_SOURCE_ROOT, kernels[i]);
        if (access(path, R_OK) != 0)
            continue;
        succeeds(sam_file_load, path, 1 << 20, &text, &size);
        SCOPED_IMAGE *image = assemble("ventus", path, text);
        write_elf(image, "k.elf");
        assert_true(image->line_count > 10);
        assert_int_equal(compare_objdump(image, "k.elf"), image->line_count);
    }
}

/* The tables of both assemblers for one source; that of GNU as through the linker and libdw. */
TEST(gnu_agrees)
{
    static const char *const versions[] = {"-g", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"};
    if (!SAM_HAVE_LIBDW || !test_shell("command -v riscv64-unknown-elf-as >/dev/null"))
        return;
    SCOPED_IMAGE *ours = assemble("rv32i", "mixed.s", mixed);
    write_text("mixed.s", mixed, sizeof mixed - 1);
    for (size_t v = 0; v < SAM_COUNT(versions); v++) {
        assert_true(
            test_shell("cd %s && riscv64-unknown-elf-as %s -march=rv32i -mabi=ilp32 mixed.s -o "
                       "mixed.o && riscv64-unknown-elf-ld --no-relax -m elf32lriscv "
                       "-Ttext=0x80000000 mixed.o -o mixed.elf",
                       test_folder, versions[v]));
        SCOPED_IMAGE *theirs = read_elf("mixed.elf");
        assert_null(theirs->lines_problem);
        for (size_t i = 0; i <= SAM_COUNT(mixed_lines); i++) {
            const bool last = i == SAM_COUNT(mixed_lines);
            const uint64_t mine = last ? sam_image_find(ours, "b")->value : 0x80000000 + 4 * i;
            const uint64_t gnus = last ? sam_image_find(theirs, "b")->value : mine;
            uint32_t line;
            const char *file = sam_image_line_at(theirs, gnus, &line);
            assert_non_null(file);
            assert_string_equal(file, test_path("mixed.s"));
            assert_int_equal(line, line_at(ours, mine));
        }
    }
}

/* A compiled program: functions in files, some dropped by the linker. */
TEST(compiled_program)
{
    static const char source[] = "int kept(int x)\n"
                                 "{\n"
                                 "    return x * 3;\n"
                                 "}\n"
                                 "int dropped(int x)\n"
                                 "{\n"
                                 "    return x + 1;\n"
                                 "}\n"
                                 "void _start(void)\n"
                                 "{\n"
                                 "    kept(5);\n"
                                 "}\n";
    if (!SAM_HAVE_LIBDW || !test_shell("command -v riscv64-unknown-elf-gcc >/dev/null"))
        return;
    write_text("c.c", source, sizeof source - 1);
    for (int version = 2; version <= 5; version++) {
        assert_true(test_shell("cd %s && riscv64-unknown-elf-gcc -O0 -g -gdwarf-%d -march=rv32im "
                               "-mabi=ilp32 -nostdlib -ffunction-sections -Wl,--gc-sections "
                               "-Wl,-Ttext=0x80000000 c.c -o c.elf 2>err.txt",
                               test_folder, version));
        SCOPED_IMAGE *image = read_elf("c.elf");
        assert_null(image->lines_problem);
        assert_non_null(sam_image_find(image, "kept"));
        assert_null(sam_image_find(image, "dropped"));
        uint32_t line;
        uint64_t address;
        const char *file = sam_image_line_at(image, sam_image_find(image, "kept")->value, &line);
        assert_non_null(file);
        assert_non_null(strstr(file, "/c.c"));
        assert_int_equal(line, 2);
        line = 3;
        assert_true(sam_image_line_address(image, "c.c", &line, &address));
        assert_int_equal(line, 3);
        assert_string_equal(sam_image_function_at(image, address)->name, "kept");
        for (size_t i = 0; i < image->line_count; i++)
            assert_false(image->lines[i].line >= 5 && image->lines[i].line <= 8);
    }
}

/* Any damage to the debug sections leaves the program readable. */
TEST(damaged)
{
    uint64_t seed = test_seed();
    struct sam_error error;
    SCOPED_IMAGE *image = assemble("rv32i", "mixed.s", mixed);
    struct sam_image *again;
    FREED void *data = NULL;
    size_t size, problems = 0;
    succeeds(sam_elf_make, image, &data, &size);
    /* The file's name is in the line table, after a header of 29 bytes, and in the unit; most of
     * the unit and the two small sections after it are within 60 bytes from there. */
    uint8_t *bytes = data, *table = memmem(data, size, "mixed.s", 8);
    assert_non_null(table);
    uint8_t *unit = memmem(table + 1, size - (size_t)(table + 1 - bytes), "mixed.s", 8);
    assert_non_null(unit);
    const uint64_t room = (uint64_t)(unit + 60 - (table - 29));
    for (unsigned i = 0; i < 3000; i++) {
        uint8_t *at = table - 29 + test_below(&seed, room);
        const uint8_t kept = *at;
        assert_true(at >= bytes && at < bytes + size);
        *at = (uint8_t)test_below(&seed, 256);
        if (sam_elf_parse(data, size, "damaged", &again, &error) != SAM_OK)
            fail_msg("byte %zu: %s", (size_t)(at - bytes), error.text);
        problems += again->lines_problem != NULL;
        for (uint64_t pc = 0x80000000; pc < 0x80000050; pc++)
            line_at(again, pc);
        sam_image_free(again);
        *at = kept;
    }
    assert_true(problems > 0 || !SAM_HAVE_LIBDW); /* and errors are reported */
}

TEST_GROUP(test_folder_make, test_folder_remove)
