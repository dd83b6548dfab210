/* SPDX-License-Identifier: Apache-2.0 */
/* samite asm: text to an ELF file, a flat binary or hexadecimal words. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "files.h"
#include "samite/file.h"
#include "samite/format.h"
#include "samite/isa.h"

enum { MAX_LIST = 256, MAX_SOURCE = 256 << 20, OPT_LISTING = 256 };

struct request {
    const char *isa, *format, *in, *out, *listing;
    uint64_t base;
    const char *defines[MAX_LIST], *paths[MAX_LIST];
    size_t define_count, path_count;
};

/* Sections side by side from the lowest address that holds data; gaps are
 * zeros, .bss is left out.
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
        fprintf(stderr,
                "samite asm: error: sections from 0x%llx to 0x%llx do not fit a "
                "flat file\n",
                (unsigned long long)low, (unsigned long long)high);
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

/* A word a line, 8 hexadecimal digits; the last word is filled up with zeros.
 */
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
    if (strcmp(r->format, "elf") == 0) {
        void *elf = NULL;
        if (sam_elf_make(image, &elf, &size, &error) != SAM_OK)
            return cli_report(&error);
        data = elf;
    } else if (!flatten(image, &data, &size) ||
               (strcmp(r->format, "hex") == 0 && !to_hex(&data, &size))) {
        free(data);
        return CLI_BAD_INPUT;
    }
    int code = CLI_OK;
    if (sam_file_save(r->out, data, size, &error) != SAM_OK)
        code = cli_report(&error);
    free(data);
    return code;
}

static int assemble(const struct request *r)
{
    struct sam_error error = {0};
    char *listing = NULL;
    struct sam_asm_options options = {.base = r->base,
                                      .defines = r->defines,
                                      .define_count = r->define_count,
                                      .include_paths = r->paths,
                                      .include_count = r->path_count,
                                      .listing = r->listing ? &listing : NULL};
    if (sam_isa_parse(r->isa, &options.isa, &error) != SAM_OK)
        return cli_report(&error);
    char *text, *messages;
    size_t size;
    if (sam_file_load(r->in, MAX_SOURCE, &text, &size, &error) != SAM_OK)
        return cli_report(&error);
    struct sam_image *image;
    const char *name = strcmp(r->in, "-") == 0 ? "<stdin>" : r->in;
    enum sam_status status = sam_assemble(&options, name, text, size, &image, &messages, &error);
    if (messages && messages[0])
        fputs(messages, stderr);
    else if (status != SAM_OK)
        cli_report(&error);
    int code = status == SAM_OK && r->out ? write_image(image, r)
               : status == SAM_OK         ? CLI_OK
                                          : CLI_BAD_INPUT;
    if (code == CLI_OK && listing &&
        sam_file_save(r->listing, listing, strlen(listing), &error) != SAM_OK)
        code = cli_report(&error);
    sam_text_free(listing);
    sam_text_free(messages);
    sam_image_free(image);
    free(text);
    return code;
}

static int run(struct cli_args *args)
{
    struct request r = {.isa = "ventus", .format = "elf", .base = 0x80000000};
    const char *value;
    for (int option; (option = cli_next(args, &value)) != CLI_END;) {
        switch (option) {
        case 'i': r.isa = value; break;
        case 'f': r.format = value; break;
        case 'o': r.out = value; break;
        case OPT_LISTING: r.listing = value ? value : "-"; break;
        case 'b':
            if (!cli_parse_u64(value, &r.base))
                return cli_usage_error(args, "--base: '%s' is no address", value);
            break;
        case 'D':
            if (r.define_count == MAX_LIST)
                return cli_usage_error(args, "more than %d -D", MAX_LIST);
            r.defines[r.define_count++] = value;
            break;
        case 'I':
            if (r.path_count == MAX_LIST)
                return cli_usage_error(args, "more than %d -I", MAX_LIST);
            r.paths[r.path_count++] = value;
            break;
        case CLI_POSITIONAL:
            if (r.in)
                return cli_usage_error(args, "one source file, please; '%s' is a second", value);
            r.in = value;
            break;
        default: return CLI_BAD_INPUT;
        }
    }
    if (!r.in)
        return cli_usage_error(args, "no source file");
    if (!r.out && !r.listing)
        return cli_usage_error(args, "no output: use -o FILE or --listing");
    if (strcmp(r.format, "elf") != 0 && strcmp(r.format, "bin") != 0 &&
        strcmp(r.format, "hex") != 0)
        return cli_usage_error(args, "--format: expected elf, bin or hex, found '%s'", r.format);
    if (cli_reads(args, r.in) != CLI_OK || (r.out && cli_writes(args, r.out) != CLI_OK) ||
        (r.listing && cli_writes(args, r.listing) != CLI_OK))
        return CLI_BAD_INPUT;
    return assemble(&r);
}

static const struct cli_option options[] = {
    {'i', "isa", "STRING", "instruction set: ventus (default), tensor, or rv32im_zicsr..."},
    {'f', "format", "FORMAT", "elf (default), bin (flat), hex (8 digits a word a line)"},
    {'b', "base", "ADDR", "address of .text (0x80000000)"},
    {'D', "define", "NAME=VALUE", "define a symbol, as .set before line 1; repeatable"},
    {'I', "include", "DIR", "search .include files there too; repeatable"},
    {'o', "output", "FILE", "the file to write; - is standard output"},
    {OPT_LISTING, "listing", "[FILE]",
     "the program with addresses and words, to FILE or standard output; -o is "
     "not needed"},
    {0},
};

const struct cli_verb verb_asm = {
    .name = "asm",
    .summary = "assemble a program",
    .usage = "[options] IN.s [-o OUT] [--listing]",
    .options = options,
    .details = "Every error of the text is reported in one run, with its line. GNU as "
               "directives,\n"
               "macros, conditions and pseudo-instructions are understood; `samite "
               "isa` lists the\n"
               "instructions. Registers above 31 bring their REGEXT by themselves.\n\n"
               "Example:\n"
               "  samite asm kernel.s -o kernel.elf\n"
               "  samite asm -f hex -D LANES=8 kernel.s -o -\n"
               "  samite asm --listing kernel.s\n",
    .run = run,
};
