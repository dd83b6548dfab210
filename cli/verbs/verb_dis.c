/* SPDX-License-Identifier: Apache-2.0 */
/* samite dis: words, flat binaries, hexadecimal words and ELF files to assembly text. */
#include <stdlib.h>

#include "cli.h"
#include "report.h"
#include "samite/file.h"
#include "samite/format.h"
#include "samite/isa.h"

enum { MAX_FILE = 256 << 20 };

struct request {
    struct sam_isa isa;
    const char *isa_text;
    uint64_t base;
    struct cli_list operands;
    bool json;
    bool words; /* from the command line: no headings */
};

static bool is_prefix(const char *text)
{
    return strncmp(text, "regext", 6) == 0 || strncmp(text, "regpair", 7) == 0;
}

/* One line per word of a code section, as text or as JSON objects. */
static int put_words(const struct request *r, const struct sam_image *image,
                     const struct sam_section *section, bool *first)
{
    uint32_t prefix = 0;
    int code = CLI_OK;
    for (uint64_t at = 0; code == CLI_OK && at + 4 <= section->data_size; at += 4) {
        const uint8_t *b = section->data + at;
        uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        uint64_t pc = section->address + at;
        char text[256];
        bool known = sam_disassemble(&r->isa, word, pc, prefix, image, text, sizeof text);
        prefix = known && is_prefix(text) ? word : 0;
        if (r->json) {
            json_t *row = REPORT(COUNT("pc", pc), COUNT("word", word), FLAG("known", known),
                                 TEXT("text", text));
            code = cli_json_print_row(row, first);
        } else
            printf("    %-36s # %08llx: %08x\n", text, (unsigned long long)pc, word);
    }
    return code;
}

static int show(const struct request *r, const struct sam_image *image)
{
    struct sam_error error = {0};
    if (r->json || r->words) {
        bool first = true;
        int code = CLI_OK;
        fputs(r->json ? "[" : "", stdout);
        for (size_t i = 0; code == CLI_OK && i < image->section_count; i++)
            if (image->sections[i].execute)
                code = put_words(r, image, &image->sections[i], &first);
        fputs(r->json ? "]\n" : "", stdout);
        return code;
    }
    char *text = NULL;
    return cli_print_text(sam_disassemble_image(&r->isa, image, &text, &error), &text, &error,
                          stdout);
}

/* Bytes at the base address as an image of one code section. */
static int show_bytes(const struct request *r, const void *data, size_t size)
{
    struct sam_error error = {0};
    struct sam_image *image = sam_image_new(r->isa.xlen);
    char name[] = ".text";
    struct sam_section section = {.name = name,
                                  .address = r->base,
                                  .size = size,
                                  .data_size = size,
                                  .data = (uint8_t *)data,
                                  .execute = true};
    int code;
    if (!image)
        return cli_no_memory();
    if (sam_image_add_section(image, &section, &error) != SAM_OK ||
        sam_image_finish(image, &error) != SAM_OK)
        code = cli_report(&error);
    else
        code = show(r, image);
    sam_image_free(image);
    return code;
}

/* Lines of 8 hexadecimal digits, as `samite asm -f hex` writes, into bytes in place. */
static bool from_hex(char *text, size_t *size)
{
    size_t out = 0;
    if (*size < 8)
        return false;
    for (size_t i = 0; i < *size;) {
        char digits[9] = "", *end;
        if (*size - i < 8)
            return false;
        memcpy(digits, text + i, 8);
        unsigned long word = strtoul(digits, &end, 16);
        if (*end || strspn(digits, "0123456789abcdefABCDEF") != 8)
            return false;
        i += 8;
        if (i < *size && text[i] == '\r')
            i++;
        if (i < *size && text[i++] != '\n')
            return false;
        for (int b = 0; b < 4; b++)
            text[out++] = (char)(word >> (8 * b));
    }
    *size = out;
    return true;
}

static bool looks_hex(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr("0123456789abcdefABCDEF\r\n", text[i]) || !text[i])
            return false;
    return true;
}

static int show_file(const struct request *r, const char *path)
{
    struct sam_error error = {0};
    char *data;
    size_t size;
    if (sam_file_load(path, MAX_FILE, &data, &size, &error) != SAM_OK)
        return cli_report(&error);
    int code = CLI_BAD_INPUT;
    if (size >= 4 && memcmp(data, "\177ELF", 4) == 0) {
        struct sam_image *image;
        if (sam_elf_parse(data, size, path, &image, &error) != SAM_OK) {
            code = cli_report(&error);
        } else if (image->xlen != r->isa.xlen) {
            cli_error("%s holds RV%u code, --isa says RV%u", path, image->xlen, r->isa.xlen);
            sam_image_free(image);
        } else {
            code = show(r, image);
            sam_image_free(image);
        }
        free(data);
        return code;
    }
    if (looks_hex(data, size) && !from_hex(data, &size) && size)
        cli_error("%s: expected lines of 8 hexadecimal digits", path);
    else
        code = show_bytes(r, data, size);
    free(data);
    return code;
}

static bool is_word(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* 0xWORD... as bytes. */
static int show_words(const struct cli_args *args, struct request *r)
{
    const size_t count = r->operands.count;
    uint8_t *bytes = malloc(4 * count);
    int code = bytes ? CLI_OK : cli_no_memory();
    for (size_t i = 0; code == CLI_OK && i < count; i++) {
        const char *text = r->operands.items[i];
        uint64_t word;
        if (!is_word(text) || !sam_parse_u64(text, &word) || word > UINT32_MAX)
            code = cli_usage_error(args, "%s: expected a 32-bit word (0x...)", text);
        for (size_t b = 0; code == CLI_OK && b < 4; b++)
            bytes[4 * i + b] = (uint8_t)(word >> (8 * b));
    }
    r->words = true;
    code = code ?: show_bytes(r, bytes, 4 * count);
    free(bytes);
    return code;
}

static int run(struct cli_args *args)
{
    struct request r = {.base = 0x80000000, .isa_text = "ventus"};
    struct sam_error error = {0};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    if (sam_isa_parse(r.isa_text, &r.isa, &error) != SAM_OK)
        return cli_report(&error);
    if (is_word(r.operands.items[0]))
        return show_words(args, &r);
    if (r.operands.count > 1)
        return cli_usage_error(args, "unexpected second file '%s'", r.operands.items[1]);
    return show_file(&r, r.operands.items[0]);
}

static const struct cli_option options[] = {
    CLI_ISA(struct request, isa_text,
            "instruction set: ventus (default), tensor, or rv32im_zicsr..."),
    CLI_BASE(struct request, base, "address of a flat file or of the words (0x80000000)"),
    CLI_JSON(struct request, json, "an array of {pc, word, known, text}"),
    {0},
};

const struct cli_verb verb_dis = {
    .name = "dis",
    .summary = "disassemble a program or single words",
    .usage = "[options] FILE|0xWORD...",
    .options = options,
    .operand = CLI_OPERAND(struct request, operands, "file or word", CLI_LIST, 1, 0,
                           ".elf .riscv .bin .hex"),
    .details =
        "Reads ELF files, flat binaries and lines of 8 hexadecimal digits. The text assembles\n"
        "again to the same bytes; a word that is no instruction is a .word.\n",
    .examples = "  samite dis 0x0232b457\n"
                "  samite dis kernel.elf\n"
                "  samite dis --base 0x80000000 kernel.bin\n",
    .run = run,
};
