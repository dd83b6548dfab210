/* SPDX-License-Identifier: Apache-2.0 */
/* samite asm: text to an ELF file, a flat binary or hexadecimal words. */
#include <stdlib.h>

#include "cli.h"
#include "report.h"
#include "samite/file.h"
#include "samite/format.h"
#include "samite/isa.h"

enum { MAX_SOURCE = 256 << 20 };

enum format { ELF, BIN, HEX };

struct request {
    const char *isa, *in, *out, *listing;
    enum format format;
    uint64_t base;
    struct cli_list defines, paths;
    bool lines, json;
};

/* Sections side by side from the lowest address that holds data; gaps are zeros, .bss is left out.
 */
static bool flatten(const struct sam_image *image, unsigned char **data, size_t *size)
{
    uint64_t low = UINT64_MAX, high = 0;
    *data = NULL;
    *size = 0;
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (!s->data_size)
            continue;
        low = s->address < low ? s->address : low;
        high = s->address + s->data_size > high ? s->address + s->data_size : high;
    }
    if (low >= high)
        return true;
    if (high - low > (UINT64_C(1) << 30) || !(*data = calloc(1, (size_t)(high - low)))) {
        cli_error("sections from 0x%llx to 0x%llx do not fit a flat file", (unsigned long long)low,
                  (unsigned long long)high);
        return false;
    }
    *size = (size_t)(high - low);
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (s->data_size)
            memcpy(*data + (s->address - low), s->data, s->data_size);
    }
    return true;
}

/* One word per line, 8 hexadecimal digits; the last word is padded with zeros. */
static bool to_hex(unsigned char **data, size_t *size)
{
    static const char digits[] = "0123456789abcdef";
    size_t words = (*size + 3) / 4;
    unsigned char *text = malloc(words * 9 + 1), *at = text;
    if (!text)
        return false;
    for (size_t w = 0; w < words; w++) {
        for (int nibble = 7; nibble >= 0; nibble--) {
            size_t index = w * 4 + (size_t)nibble / 2;
            unsigned byte = index < *size ? (*data)[index] : 0;
            *at++ = (unsigned char)digits[nibble & 1 ? byte >> 4 : byte & 15];
        }
        *at++ = '\n';
    }
    free(*data);
    *data = text;
    *size = words * 9;
    return true;
}

static int write_image(const struct sam_image *image, const struct request *r)
{
    struct sam_error error = {0};
    unsigned char *data = NULL;
    size_t size = 0;
    if (r->format == ELF) {
        void *elf = NULL;
        if (sam_elf_make(image, &elf, &size, &error) != SAM_OK)
            return cli_report(&error);
        data = elf;
    } else if (!flatten(image, &data, &size) || (r->format == HEX && !to_hex(&data, &size))) {
        free(data);
        return CLI_BAD_INPUT;
    }
    const int code = cli_save(r->out, data, size);
    free(data);
    return code;
}

static json_t *sections(const struct sam_image *image)
{
    static const struct report_field fields[] = {
        REPORT_FIELD(struct sam_section, address),
        REPORT_FIELD_AS("bytes", struct sam_section, size),
        REPORT_FIELD(struct sam_section, data_size),
        {0},
    };
    json_t *rows = json_array();
    for (size_t i = 0; image && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        json_t *row = report_fields(report_text(json_object(), "name", s->name), fields, s);
        row = report_flag(row, "execute", s->execute);
        rows = report_add(rows, report_flag(row, "write", s->write));
    }
    return rows;
}

static int print_json(const struct request *r, const struct sam_image *image, const char *messages,
                      const struct sam_error *error)
{
    return cli_json_print(
        REPORT(TEXT("file", r->in), FLAG("done", image != NULL),
               TREE("messages", cli_json_messages(r->in, messages, image ? NULL : error->text)),
               COUNT("entry", image ? image->entry : 0), TREE("sections", sections(image))));
}

static int assemble(const struct cli_args *args, const struct request *r)
{
    struct cli_included included = {.args = args};
    struct sam_error error = {0};
    char *listing = NULL;
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = r->base,
                                      .defines = r->defines.items,
                                      .define_count = r->defines.count,
                                      .include_paths = r->paths.items,
                                      .include_count = r->paths.count,
                                      .listing = r->listing ? &listing : NULL,
                                      .reads = cli_reads_included,
                                      .reads_context = &included,
                                      .lines = r->lines};
    if (sam_isa_parse(r->isa, &options.isa, &error) != SAM_OK)
        return cli_report(&error);
    char *text, *messages;
    size_t size;
    if (sam_file_load(r->in, MAX_SOURCE, &text, &size, &error) != SAM_OK)
        return cli_report(&error);
    struct sam_image *image;
    const char *name = cli_input_name(r->in);
    if (cli_expect_text(name, text, size, "assembly", &error) != SAM_OK) {
        free(text);
        return cli_report(&error);
    }
    enum sam_status status = sam_assemble(&options, name, text, size, &image, &messages, &error);
    int code = included.code;
    if (code == CLI_OK && r->json)
        code = print_json(r, status == SAM_OK ? image : NULL, messages, &error);
    else if (messages && messages[0])
        cli_put_messages(messages);
    else if (code == CLI_OK && status != SAM_OK)
        cli_report(&error);
    if (status != SAM_OK)
        code = CLI_BAD_INPUT;
    if (code == CLI_OK && r->out)
        code = write_image(image, r);
    if (code == CLI_OK && listing)
        code = cli_save(r->listing, listing, strlen(listing));
    sam_text_free(listing);
    sam_text_free(messages);
    sam_image_free(image);
    free(text);
    return code;
}

static int run(struct cli_args *args)
{
    struct request r = {.isa = "ventus", .base = 0x80000000};
    int code = cli_read(args, &r);
    if (code == CLI_OK && !r.out && !r.listing && !r.json)
        code = cli_usage_error(args, "no output: use -o FILE, --listing or --json");
    if (code == CLI_OK && r.json && (cli_is_stdio(r.out) || cli_is_stdio(r.listing)))
        code = cli_usage_error(args, "--json needs standard output for itself");
    return code ?: cli_reads(args, r.in) ?: cli_writes(args, r.out) ?: cli_writes(args, r.listing)
        ?: assemble(args, &r);
}

static const struct cli_option options[] = {
    CLI_ISA(struct request, isa, "instruction set: ventus (default), tensor, or rv32im_zicsr..."),
    CLI_ROW(struct request, format, "format", CLI_CHOICE, NULL,
            "elf (default), bin (flat), hex (one line of 8 digits per word)",
            .choices = "elf bin hex"),
    CLI_BASE(struct request, base, "address of .text (0x80000000)"),
    CLI_DEFINE(struct request, defines),
    CLI_INCLUDE(struct request, paths),
    CLI_OUTPUT(struct request, out, "the file to write; - is standard output"),
    CLI_ROW(struct request, lines, "debug", CLI_FLAG, NULL,
            "write line information (DWARF) into the ELF file", .letter = 'g'),
    CLI_ROW(struct request, listing, "listing", CLI_TEXT, "[FILE]",
            "the program with addresses and words, to FILE or standard output; -o is not needed",
            .suffixes = ""),
    CLI_JSON(struct request, json,
             "messages, entry point and sections as JSON on standard output; -o is not needed"),
    {0},
};

const struct cli_verb verb_asm = {
    .name = "asm",
    .summary = "assemble a program",
    .usage = "[options] IN.s [-o OUT] [--listing] [--json]",
    .options = options,
    .operand = CLI_OPERAND(struct request, in, "source file", CLI_TEXT, 1, 1, ".s .S .asm"),
    .details = "Every error of the text is reported in one run, with its line. GNU as directives,\n"
               "macros, conditions and pseudo-instructions are understood; `samite isa` lists the\n"
               "instructions. Registers above 31 bring their REGEXT by themselves.\n",
    .examples = "  samite asm kernel.s -o kernel.elf\n"
                "  samite asm -g kernel.s -o kernel.elf\n"
                "  samite asm --format hex -D LANES=8 kernel.s -o -\n"
                "  samite asm --listing kernel.s\n",
    .run = run,
};
