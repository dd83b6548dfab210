/* SPDX-License-Identifier: Apache-2.0 */
/* Set up a hart from a request. */
#include <stdlib.h>

#include "machine/system.h"

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
    bool elf;
    if (r->tile)
        return parse_isa(r, 64) ?: lower_open(r, arguments, image);
    int code = run_read_program(path, &data, &size, &elf);
    if (elf) {
        code = cli_code(sam_elf_parse(data, size, name, image, &error), &error)
            ?: check_compiled(r, *image, name) ?: parse_isa(r, (*image)->xlen);
        if (code == CLI_OK && (*image)->xlen != r->options.isa.xlen)
            code = refuse_width(r, (*image)->xlen, name);
    } else if (code == CLI_OK && (code = parse_isa(r, 64)) == CLI_OK) {
        const struct sam_asm_options options = {
            .isa = r->options.isa, .base = r->system ? SAM_SYSTEM_CODE_BASE : SAM_HART_CODE_BASE};
        *image = run_assemble(r->run, &options, name, data, size);
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

/* --- arguments of a program: buffers are created in the memory of the hart, and it takes its
 * arguments as a C function does, in a0 to a7 and on the stack (RISC-V psABI 2.1, integer calling
 * convention, which Zfinx also uses for floats) */

enum { A0 = 10, SP = 2, REGISTERS = 8 };

/* Words of XLEN bits: the first eight go to registers, the rest onto the stack. */
struct words {
    uint64_t *items;
    size_t count;
};

/* A scalar of two words is aligned on the stack, but not in registers. */
static void add_scalar(struct words *words, const struct run_argument *a, bool narrow)
{
    uint64_t bits = a->bits;
    if (a->size == 4) /* extended to 32 bits by its own sign, then by bit 31 */
        bits = (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
    const bool two = narrow && a->size == 8;
    if (two && words->count > REGISTERS && words->count % 2)
        words->count++;
    words->items[words->count++] = bits;
    if (two)
        words->items[words->count++] = bits >> 32;
}

static int add_argument(struct sam_hart *hart, const struct cli_args *args, struct run_argument *a,
                        struct words *words, bool narrow)
{
    struct sam_error error;
    if (a->kind == RUN_LOCAL)
        return cli_usage_error(args, "--arg %s: the tensor hart has no local memory", a->word);
    if (a->kind == RUN_SCALAR) {
        add_scalar(words, a, narrow);
        return CLI_OK;
    }
    if (sam_hart_alloc(hart, a->array.size, &a->address, &error) != SAM_OK ||
        sam_hart_write(hart, a->address, a->array.data, a->array.size, &error) != SAM_OK)
        return cli_report(&error);
    words->items[words->count++] = a->address;
    return CLI_OK;
}

/* Store the words that do not fit registers from sp upward; sp stays a multiple of 16. */
static int push(struct sam_hart *hart, const struct words *words, bool narrow)
{
    struct sam_error error;
    const size_t size = narrow ? 4 : 8, count = words->count - REGISTERS;
    uint64_t sp = sam_hart_x(hart, SP) - ((count * size + 15) & ~(uint64_t)15);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[8];
        for (size_t k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(words->items[REGISTERS + i] >> 8 * k);
        if (sam_hart_write(hart, sp + i * size, bytes, size, &error) != SAM_OK)
            return cli_report(&error);
    }
    sam_hart_set_x(hart, SP, sp);
    return CLI_OK;
}

/* `narrow`: RV32. */
static int pass(struct sam_hart *hart, bool narrow, const struct cli_args *args,
                struct run_arguments *arguments)
{
    struct words words = {.items = calloc(arguments->count + 1, 3 * sizeof *words.items)};
    int code = CLI_OK;
    if (!words.items)
        return cli_no_memory();
    for (size_t i = 0; i < arguments->count && code == CLI_OK; i++)
        code = add_argument(hart, args, &arguments->items[i], &words, narrow);
    for (size_t i = 0; i < words.count && i < REGISTERS && code == CLI_OK; i++)
        sam_hart_set_x(hart, (unsigned)(A0 + i), words.items[i]);
    if (code == CLI_OK && words.count > REGISTERS)
        code = push(hart, &words, narrow);
    arguments->registers = words.count < REGISTERS ? (unsigned)words.count : REGISTERS;
    free(words.items);
    return code;
}

/* Set registers: --arg, then --reg, which may not set a register used by an argument. */
static int set_registers(const struct hart_request *r, struct run_arguments *arguments,
                         struct sam_hart *hart)
{
    int code = arguments ? pass(hart, r->options.isa.xlen == 32, r->run->args, arguments) : CLI_OK;
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
