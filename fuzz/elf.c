/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ELF file. A file that parses must be a consistent image that survives being
 * written and read again. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "samite/cc.h"
#include "samite/format.h"
#include "samite/isa.h"
#include "samite/variables.h"

/* Every section lies within its bounds, in order, with readable bytes. */
static uint64_t check_image(const struct sam_image *image)
{
    uint64_t end = 0, sum = 0;
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        FUZZ_CHECK(s->name && s->size > 0 && s->data_size <= s->size);
        FUZZ_CHECK(i == 0 || s->address >= end);
        end = s->address + s->size;
        FUZZ_CHECK(end > s->address || (end == 0 && i + 1 == image->section_count));
        for (size_t b = 0; b < s->data_size; b++)
            sum = sum * 31 + s->data[b];
    }
    for (size_t i = 0; i < image->symbol_count; i++)
        FUZZ_CHECK(image->symbols[i].name && image->symbols[i].name[0]);
    for (size_t i = 0; i < image->line_count; i++) {
        const struct sam_line *line = &image->lines[i];
        FUZZ_CHECK(line->file < image->file_count || line->line == 0);
        FUZZ_CHECK(i == 0 || image->lines[i - 1].address < line->address);
        FUZZ_CHECK((sam_image_line_at(image, line->address, NULL) != NULL) == (line->line != 0));
    }
    return sum;
}

/* Variables at the first instructions of each section: what they claim is in bounds. */
static void read_variables(const struct sam_image *image)
{
    struct sam_variables *variables = NULL;
    struct sam_variable v;
    struct sam_error error = {0};
    if (sam_variables_open(image, &variables, &error) != SAM_OK)
        return;
    for (size_t i = 0; i < image->section_count && i < 4; i++)
        for (uint64_t at = 0; at < 64; at += 4)
            for (size_t k = 0;
                 k < 8 && sam_variables_at(variables, image->sections[i].address + at, k, &v);
                 k++) {
                FUZZ_CHECK(memchr(v.name, '\0', sizeof v.name));
                FUZZ_CHECK(v.piece_count <= SAM_VARIABLE_PIECES);
                FUZZ_CHECK(v.field_count <= SAM_VARIABLE_PIECES);
            }
    sam_variables_close(variables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_image *image, *again;
    struct sam_error error = {0};
    enum sam_status status = sam_elf_parse(data, size, "fuzz", &image, &error);
    if (status != SAM_OK) {
        FUZZ_CHECK(image == NULL && status == SAM_ERR_INPUT && error.status == status &&
                   error.text[0]);
        return 0;
    }
    uint64_t sum = check_image(image);
    read_variables(image);
    struct sam_cc_argument argument;
    for (size_t i = 0; i < image->symbol_count && i < 4; i++)
        sam_cc_kernel_argument(image, image->symbols[i].name, 1, &argument);
    /* A section of this name is written as plain memory, without its trailing zeros, so its size
     * may no longer be consistent. */
    for (size_t i = 0; i < image->section_count; i++) {
        if (strcmp(image->sections[i].name, ".rodata.ventus.resource") == 0) {
            sam_image_free(image);
            return 0;
        }
    }
    void *file;
    size_t file_size;
    if (sam_elf_make(image, &file, &file_size, &error) == SAM_OK) {
        FUZZ_CHECK(sam_elf_parse(file, file_size, "again", &again, &error) == SAM_OK);
        FUZZ_CHECK(check_image(again) == sum && again->entry == image->entry);
        FUZZ_CHECK(again->symbol_count == image->symbol_count);
        FUZZ_CHECK(again->resource_count == image->resource_count);
        sam_image_free(again);
        free(file);
    }
    sam_image_free(image);
    return 0;
}

/* A small program with code, data, zeros, symbols and resources, as ELF files of both word sizes.
 */
static void add_program(fuzz_add *add, void *context, const char *name, unsigned xlen)
{
    static const uint8_t code[] = {0x13, 0x05, 0x10, 0x00, 0x67, 0x80, 0x00, 0x00};
    static const uint8_t words[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const struct sam_section sections[] = {
        {.name = ".text",
         .address = 0x80000000,
         .size = sizeof code,
         .data_size = sizeof code,
         .data = (uint8_t *)code,
         .execute = true},
        {.name = ".data",
         .address = 0x80001000,
         .size = sizeof words,
         .data_size = sizeof words,
         .data = (uint8_t *)words,
         .write = true},
        {.name = ".bss", .address = 0x80002000, .size = 64, .write = true},
    };
    const struct sam_symbol symbols[] = {
        {.name = "_start",
         .value = 0x80000000,
         .size = 8,
         .global = true,
         .function = true,
         .section_relative = true},
        {.name = "words", .value = 0x80001000, .size = 9, .section_relative = true},
        {.name = "absolute", .value = 42},
    };
    struct sam_image *image = sam_image_new(xlen);
    FUZZ_CHECK(image);
    for (size_t i = 0; i < 3; i++) {
        FUZZ_CHECK(sam_image_add_section(image, &sections[i], NULL) == SAM_OK);
        FUZZ_CHECK(sam_image_add_symbol(image, &symbols[i], NULL) == SAM_OK);
    }
    FUZZ_CHECK(sam_image_finish(image, NULL) == SAM_OK);
    image->entry = 0x80000000;
    void *data;
    size_t size;
    FUZZ_CHECK(sam_elf_make(image, &data, &size, NULL) == SAM_OK);
    add(context, name, data, size);
    free(data);
    sam_image_free(image);
}

/* A program with line information. */
static void add_lines(fuzz_add *add, void *context)
{
    static const char text[] = ".macro two\nnop\nnop\n.endm\n_start: two\n\n\nret\n"
                               ".section .text.b, \"ax\"\nb: nop\n.word 1\n";
    struct sam_asm_options options = {.size = sizeof options, .base = 0x80000000, .lines = true};
    struct sam_image *image;
    char *messages;
    void *data;
    size_t size;
    FUZZ_CHECK(sam_isa_parse("rv32i", &options.isa, NULL) == SAM_OK);
    FUZZ_CHECK(sam_assemble(&options, "seed.s", text, sizeof text - 1, &image, &messages, NULL) ==
               SAM_OK);
    FUZZ_CHECK(sam_elf_make(image, &data, &size, NULL) == SAM_OK);
    add(context, "lines", data, size);
    free(data);
    sam_text_free(messages);
    sam_image_free(image);
}

/* A program with a variable: its unit, function, variable and location list. */
static void add_variables(fuzz_add *add, void *context)
{
    static const char text[] =
        "_start: nop\n.Lend: ret\n.section .debug_abbrev\n"
        ".byte 1, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0, 2, 0x2e, 1, 0x11, 1, 0x12, 6, 0, 0\n"
        ".byte 3, 0x34, 0, 3, 8, 0x49, 0x13, 2, 0x17, 0, 0, 4, 0x24, 0, 0x0b, 0x0b, 0x3e, 0x0b, 0, "
        "0\n"
        ".byte 5, 1, 1, 0x49, 0x13, 0, 0, 6, 0x21, 0, 0x37, 0x0b, 0, 0, 0\n"
        ".section .debug_info\n.word .Lunit - .Lafter\n.Lafter: .half 4\n.word 0\n.byte 4, 1\n"
        ".word _start, 8\n.byte 2\n.word _start, 8\n.byte 3\n.asciz \"v\"\n.word .Larray, 0\n.byte "
        "0\n"
        ".Larray: .byte 5\n.word .Ltype\n.byte 6, 3, 0\n.Ltype: .byte 4, 4, 5, 0\n.Lunit:\n"
        ".section .debug_loc\n.word 0, 8\n.half 13\n.byte 3\n.word 0xfffff004\n.byte 0x93, 4, "
        "0x0c\n"
        ".word 7\n.byte 0x9f\n.word 0, 0\n";
    struct sam_asm_options options = {.size = sizeof options, .base = 0x80000000};
    struct sam_image *image;
    char *messages;
    void *data;
    size_t size;
    FUZZ_CHECK(sam_isa_parse("ventus", &options.isa, NULL) == SAM_OK);
    FUZZ_CHECK(sam_assemble(&options, "seed.s", text, sizeof text - 1, &image, &messages, NULL) ==
               SAM_OK);
    FUZZ_CHECK(sam_elf_make(image, &data, &size, NULL) == SAM_OK);
    add(context, "variables", data, size);
    free(data);
    sam_text_free(messages);
    sam_image_free(image);
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    add_program(add, context, "rv32", 32);
    add_program(add, context, "rv64", 64);
    add_lines(add, context);
    add_variables(add, context);
    add(context, "magic", "\177ELF\1\1\1", 7);
}
