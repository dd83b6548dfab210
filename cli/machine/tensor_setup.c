/* SPDX-License-Identifier: Apache-2.0 */
/* Set up a hart from a request. */
#include <stdlib.h>

#include "machine/lower.h"
#include "machine/system.h"
#include "machine/tensor.h"

#define DEFAULT_ISA_32 "rv32im_zicsr_zfinx_xtensorload"
#define DEFAULT_ISA_64 "rv64im_zicsr_zfinx_xtensorload"

static int parse_isa(struct hart_request *r, unsigned xlen)
{
    struct sam_error error;
    const char *usual = r->system ? system_isa(xlen) : xlen == 32 ? DEFAULT_ISA_32 : DEFAULT_ISA_64;
    const char *text = r->isa ? r->isa : usual;
    if (sam_isa_parse(text, &r->options.isa, &error) != SAM_OK)
        return cli_report(&error);
    r->options.isa.extensions |= SAM_EXT_ZICSR; /* every hart has it; the assembler must know it */
    if (r->tls.count && !(r->options.isa.extensions & SAM_EXT_XTENSORLOAD))
        return cli_usage_error(r->run->args, "--dump-tl: %s has no TensorLoad unit", text);
    const char *matrix =
        cli_given_of(r->run->args, "dump-m mlen acc-regs fp-order konata vcd trace-bus");
    if (matrix && !(r->options.isa.extensions & SAM_EXT_XMATRIX))
        return cli_usage_error(r->run->args, "--%s: %s has no matrix unit", matrix, text);
    return CLI_OK;
}

/* Whether an ISA string, "rv32i2p1_m2p0_c2p0", has a one-letter extension. */
static bool has_letter(const char *arch, char letter)
{
    const char *at = strncmp(arch, "rv32", 4) == 0 || strncmp(arch, "rv64", 4) == 0 ? arch + 4 : "";
    for (; *at; at += strcspn(at, "_"), at += *at == '_') {
        if (*at == letter && (at[1] == '\0' || strchr("_0123456789", at[1])))
            return true;
    }
    return false;
}

/* The hart has neither compressed instructions nor floating-point registers. --isa overrides the
 * ELF flags, which announce compressed code also if ".option rvc" merely precedes an alignment.
 * A trap explains the rest. */
static int check_compiled(const struct hart_request *r, const struct sam_image *image,
                          const char *name)
{
    static const char *const abis[] = {"", "F", "D", "Q"};
    const char *arch = image->arch ? image->arch : "", *what = abis[image->float_abi & 3];
    const bool passes_floats = *what;
    if (!r->isa && image->compressed)
        what = "C";
    if (!*what && !r->isa)
        what = has_letter(arch, 'c')   ? "C"
               : has_letter(arch, 'd') ? "D"
               : has_letter(arch, 'f') ? "F"
                                       : "";
    if (!*what)
        return CLI_OK;
    cli_error("%s: compiled for %s%s%s, which the tensor hart does not have: expected "
              "-march=rv%uim%s",
              name, *arch ? arch : "extension ", *arch ? ", with " : "", what, image->xlen,
              passes_floats ? "" : ", or --isa for a program that does not use it");
    return CLI_BAD_INPUT;
}

/* An ELF file whose XLEN differs from that of --isa. */
static int refuse_width(const struct hart_request *r, unsigned xlen, const char *name)
{
    char expected[128];
    struct sam_isa isa = r->options.isa;
    isa.xlen = xlen;
    sam_isa_format(&isa, expected, sizeof expected);
    return cli_error("%s: a %u-bit program, but --isa %s is for %u bits: expected --isa %s", name,
                     xlen, r->isa, r->options.isa.xlen, expected);
}

/* Load the program. The ISA is that of --isa, or the default for the XLEN of an ELF file. */
int tensor_load(struct hart_request *r, const struct run_arguments *arguments,
                struct sam_image **image)
{
    struct sam_error error;
    const char *path = r->run->files.items[0], *name = cli_input_name(path);
    char *data;
    size_t size;
    int code = CLI_OK;
    if (r->tile) {
        return parse_isa(r, 64) ?: lower_open(r, arguments, image);
    }
    if (sam_file_load(path, RUN_MAX_PROGRAM, &data, &size, &error) != SAM_OK)
        return cli_report(&error);
    if (size >= 4 && memcmp(data, "\177ELF", 4) == 0) {
        if (sam_elf_parse(data, size, name, image, &error) != SAM_OK)
            code = cli_report(&error);
        else
            code = check_compiled(r, *image, name);
        code = code ?: parse_isa(r, (*image)->xlen);
        if (code == CLI_OK && (*image)->xlen != r->options.isa.xlen)
            code = refuse_width(r, (*image)->xlen, name);
    } else if (cli_expect_text(name, data, size, RUN_PROGRAM_KINDS, &error) != SAM_OK) {
        code = cli_report(&error);
    } else if ((code = parse_isa(r, 64)) == CLI_OK) {
        struct sam_asm_options options = {.isa = r->options.isa,
                                          .base =
                                              r->system ? SAM_SYSTEM_CODE_BASE : SAM_HART_CODE_BASE,
                                          .defines = r->run->defines.items,
                                          .define_count = r->run->defines.count,
                                          .include_paths = r->run->includes.items,
                                          .include_count = r->run->includes.count};
        *image = run_assemble(r->run->args, &options, name, data, size);
        code = *image ? CLI_OK : CLI_BAD_INPUT;
    }
    free(data);
    return code;
}

static int fill_memory(struct sam_hart *hart, const struct run_range *range)
{
    struct sam_error error;
    char *data;
    size_t size;
    int code = run_memory_load(range->path, &data, &size);
    if (code != CLI_OK)
        return code;
    if (sam_hart_map(hart, range->base, size, &error) != SAM_OK ||
        sam_hart_write(hart, range->base, data, size, &error) != SAM_OK)
        code = cli_report(&error);
    free(data);
    return code;
}

bool tensor_until(const struct hart_request *r, const struct sam_image *image, uint64_t *address)
{
    const char *name = r->until;
    const struct sam_symbol *symbol = sam_image_find(image, name);
    if (symbol)
        *address = symbol->value;
    return symbol || sam_parse_u64(name, address);
}

static int set_until(const struct hart_request *r, const struct sam_image *image,
                     struct sam_hart *hart)
{
    uint64_t address = 0;
    if (!tensor_until(r, image, &address))
        return cli_usage_error(r->run->args, "--until: the program has no symbol '%s'", r->until);
    sam_hart_set_until(hart, address);
    return CLI_OK;
}

/* Set registers: --arg, then --reg, which may not set a register used by an argument. */
static int set_registers(const struct hart_request *r, struct run_arguments *arguments,
                         struct sam_hart *hart)
{
    enum { A0 = 10 };
    int code =
        arguments ? tensor_pass(hart, r->options.isa.xlen == 32, r->run->args, arguments) : CLI_OK;
    for (size_t i = 0; i < r->registers.count && code == CLI_OK; i++) {
        const unsigned number = r->registers.items[i].number;
        if (arguments && number >= A0 && number - A0 < arguments->registers)
            code = cli_usage_error(r->run->args, "--reg a%u: the register holds an --arg",
                                   number - A0);
        sam_hart_set_x(hart, number, r->registers.items[i].value);
    }
    return code;
}

int tensor_make(const struct hart_request *r, const struct sam_image *image,
                struct run_arguments *arguments, struct sam_hart **hart)
{
    struct sam_error error;
    if (sam_hart_new(&r->options, hart, &error) != SAM_OK ||
        sam_hart_load(*hart, image, &error) != SAM_OK)
        return cli_report(&error);
    return tensor_fill(r, image, arguments, *hart);
}

int tensor_fill(const struct hart_request *r, const struct sam_image *image,
                struct run_arguments *arguments, struct sam_hart *hart)
{
    struct sam_error error;
    int code = CLI_OK;
    for (size_t i = 0; i < r->maps.count; i++) {
        const struct run_range *map = &r->maps.items[i];
        if (sam_hart_map(hart, map->base, map->size, &error) != SAM_OK)
            return cli_report(&error);
    }
    for (size_t i = 0; code == CLI_OK && i < r->mems.count; i++)
        code = fill_memory(hart, &r->mems.items[i]);
    code = code ?: set_registers(r, arguments, hart);
    return code == CLI_OK && r->until ? set_until(r, image, hart) : code;
}
