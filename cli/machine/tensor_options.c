/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `samite run --machine tensor`. */
#include "machine/system.h"

/* BASE:SIZE */
static int parse_region(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *place)
{
    uint64_t *region = place;
    if (cli_pair(text, ':', &region[0], &region[1]) && region[1] &&
        region[1] - 1 <= UINT64_MAX - region[0])
        return CLI_OK;
    return cli_usage_error(args, "--%s %s: expected BASE:SIZE", option->name, text);
}

static int parse_map(struct cli_args *args, const struct cli_option *option, const char *text,
                     void *maps)
{
    struct run_range *range = CLI_APPEND(args, (struct hart_ranges *)maps);
    uint64_t region[2] = {0};
    if (!range)
        return cli_no_memory();
    const int code = parse_region(args, option, text, region);
    *range = (struct run_range){.base = region[0], .size = region[1]};
    return code;
}

static int parse_mem(struct cli_args *args, const struct cli_option *option, const char *text,
                     void *mems)
{
    struct run_range *range = CLI_APPEND(args, (struct hart_ranges *)mems);
    if (!range)
        return cli_no_memory();
    range->path = cli_leading_number(text, ':', UINT64_MAX, &range->base);
    if (!range->path || !*range->path)
        return cli_usage_error(args, "--%s %s: expected BASE:FILE", option->name, text);
    return CLI_OK;
}

static int parse_register(struct cli_args *args, const struct cli_option *option, const char *text,
                          void *registers)
{
    struct hart_register *item = CLI_APPEND(args, (struct hart_registers *)registers);
    char name[8];
    const char *equals = strchr(text, '=');
    int number = -1;
    if (!item)
        return cli_no_memory();
    if (equals && equals - text < (ptrdiff_t)sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
        number = sam_hart_register(name);
    }
    if (number < 0 || !sam_parse_u64(equals + 1, &item->value))
        return cli_usage_error(args, "--%s %s: expected a register and a value, as x10=0x1000",
                               option->name, text);
    item->number = (unsigned)number;
    const struct hart_registers *given = registers;
    for (const struct hart_register *other = given->items; other < item; other++)
        if (other->number == item->number && other->value != item->value)
            return cli_usage_error(args, "--%s %s: the register is 0x%llx already", option->name,
                                   text, (unsigned long long)other->value);
    return CLI_OK;
}

static int list_parameters(void)
{
    cli_engines_parameters();
    printf("\nof the matrix unit\n");
    cli_parameters(sam_mxu_parameter);
    printf("\nof the energy\n");
    cli_parameters(sam_energy_parameter);
    return CLI_SHOWN;
}

static enum sam_status set(void *request, const char *settings, struct sam_error *error)
{
    struct hart_request *r = request;
    return sam_hart_configure(settings, &r->engines, &r->mxu, error);
}

const struct cli_settings tensor_settings = {
    .set = set,
    .list = list_parameters,
    .tables = {sam_engines_parameter, sam_mxu_parameter, sam_energy_parameter}};

static int parse_config(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *request)
{
    struct hart_request *r = request;
    r->cycles = true;
    return cli_read_settings(args, option, text, r);
}

static int parse_acc_regs(struct cli_args *args, const struct cli_option *option, const char *text,
                          void *set)
{
    struct sam_error error;
    return sam_hart_parse_acc_regs(text, set, &error) == SAM_OK
               ? CLI_OK
               : cli_usage_error(args, "--%s: %s", option->name, error.text);
}

const struct cli_option tensor_start_rows[] = {
    CLI_ROW(struct hart_request, mlen, "mlen", CLI_NUMBER, "BITS",
            "row of a matrix register: 128, 256 or 512 (512)", .choices = "128 256 512"),
    CLI_ROW(struct hart_request, options.acc_regs, "acc-regs", CLI_PARSE, "SET",
            "matrix registers that may be md of a product, and then not its sources: all (the "
            "default), or as 0:4",
            .parse = parse_acc_regs),
    CLI_ROW(struct hart_request, ebreak, "ebreak", CLI_CHOICE, NULL,
            "at an ebreak, fail (the default), end the run successfully, or trap to the program's "
            "handler",
            .choices = "fail ok trap"),
    CLI_ROW(struct hart_request, registers, "reg", CLI_PARSE, "REG=VALUE",
            "initial value of an integer register, x10 or a0; repeatable", .parse = parse_register,
            .repeats = true),
    CLI_ROW(struct hart_request, mems, "mem", CLI_PARSE, "BASE:FILE",
            "map memory and fill it with the bytes of a file, or the elements of a .npy file; "
            "repeatable",
            .parse = parse_mem, .repeats = true),
    CLI_ROW(struct hart_request, maps, "map", CLI_PARSE, "BASE:SIZE",
            "map memory filled with zeros; repeatable", .parse = parse_map, .repeats = true),
    {0},
};

#define TRACE(word, suffix, trace, text)                                                           \
    CLI_ROW(struct hart_request, files[trace], word, CLI_TEXT, "FILE", (text), .suffixes = (suffix))

const struct cli_option tensor_rows[] = {
    CLI_ISA(
        struct hart_request, isa,
        "instruction set (tensor: rv64im_zicsr_zfinx_xtensorload; system: also A and the matrix "
        "unit, rv64ima_zicsr_zfinx_xtensorload_xmatrix)"),
    CLI_ROW(struct hart_request, until, "until", CLI_TEXT, "SYMBOL",
            "end the run when pc reaches the symbol or address"),
    CLI_ROW(struct hart_request, host_files, "host-files", CLI_TEXT, "DIR",
            "the program may read and write files below the folder", .suffixes = "/"),
    CLI_ROW(struct hart_request, tls, "dump-tl", CLI_NUMBERS, "N",
            "print TLReg N at the end, in hexadecimal; repeatable", .high = 31),
    CLI_ROW(struct hart_request, ms, "dump-m", CLI_NUMBERS, "N",
            "print matrix register N at the end, row by row; repeatable", .high = 7),
    CLI_ROW(
        struct hart_request, options.fp_tree, "fp-order", CLI_CHOICE, NULL,
        "how the matrix unit sums: in order of k (the default), or as a tree of rounded products",
        .choices = "k tree"),
    CLI_ROW(struct hart_request, options.l1m, "l1m", CLI_PARSE, "BASE:SIZE",
            "strict mode: TensorLoad loads may only read this range", .parse = parse_region,
            .forms = 1 << RUN_TENSOR),
    CLI_ROW(struct hart_request, options.l0m, "l0m", CLI_PARSE, "BASE:SIZE",
            "strict mode: TensorLoad stores may only write this range", .parse = parse_region,
            .forms = 1 << RUN_TENSOR),
    RUN_PROFILE(struct hart_request, profile),
    CLI_ROW(struct hart_request, cycles, "cycles", CLI_FLAG, NULL,
            "model the units in time: cycles, and what each waits for"),
    CLI_PARSED("config", "KEY=N,...", parse_config,
               "--cycles with other parameters: mpara=4,queue=8,... or a file of them; --config "
               "help lists them with their defaults",
               .settings = &tensor_settings, .suffixes = "", .repeats = true,
               .forms = 1 << RUN_TENSOR),
    TRACE("konata", "", RUN_KONATA, "log of the uops of the matrix unit, for Konata (Kanata 0004)"),
    TRACE("vcd", ".vcd", RUN_VCD, "the bus of the matrix unit as a waveform"),
    CLI_ROW(struct hart_request, files[RUN_BUS], "trace-bus", CLI_TEXT, "[FILE]",
            "the bus of the matrix unit as text, one line per handshake", .suffixes = ""),
    TRACE(
        "perfetto", ".json", RUN_PERFETTO,
        "timeline of the units, and of the pipes of a tile program, for ui.perfetto.dev; 1 us is a "
        "cycle"),
    {0},
};

int tensor_check_mlen(const struct hart_request *r, unsigned mlen)
{
    if (r->mlen && r->mlen != mlen)
        return cli_usage_error(
            r->run->args, "--mlen %u and --config mlen=%u: expected one row length", r->mlen, mlen);
    return CLI_OK;
}

/* Complete and check the parameters of the matrix unit. Its row length is 0 unless --config gives
 * one; --mlen then decides. */
static int finish_config(struct hart_request *r)
{
    struct sam_error error;
    if (r->mxu.mlen == 0)
        r->mxu.mlen = r->mlen ? r->mlen : 512;
    r->options.mlen = r->mxu.mlen;
    const int code = tensor_check_mlen(r, r->mxu.mlen);
    if (code != CLI_OK)
        return code;
    struct sam_mxu_config complete = r->mxu; /* a copy: derived parameters stay unset for sweeps */
    if (sam_mxu_config_check(&complete, &error) != SAM_OK)
        return cli_refuse_settings(r->run->args, "", &error);
    return CLI_OK;
}

static int name_files(const struct hart_request *r)
{
    const struct cli_args *args = r->run->args;
    int code = run_name_files(r->run, r->run->programs)
                   ?: r->system ? system_name_files(r->system, args)
                                : CLI_OK;
    for (size_t i = 0; i < r->mems.count && code == CLI_OK; i++)
        code = cli_reads(args, r->mems.items[i].path);
    code = code ?: cli_writes(args, r->run->trace);
    for (unsigned i = 0; i < RUN_OUTPUTS && code == CLI_OK; i++)
        code = cli_writes(args, r->files[i]);
    return code;
}

void tensor_defaults(struct hart_request *r, const struct run_request *run)
{
    *r = (struct hart_request){.run = run, .options = {.size = sizeof r->options}};
    sam_engines_defaults(&r->engines);
    sam_mxu_config_init(&r->mxu, 512);
    r->mxu.mlen = 0; /* unless --config gives it */
}

int tensor_check(struct hart_request *r)
{
    const struct run_request *run = r->run;
    const char *timeline = r->files[RUN_PERFETTO];
    r->options.ebreak_traps = r->ebreak == HART_EBREAK_TRAPS;
    r->options.max_insns = run->max_insns;
    r->options.collect_stats = run->stats != RUN_STATS_NONE;
    int code = finish_config(r);
    if (code != CLI_OK)
        return code;
    if (run->files.count == 0)
        return cli_usage_error(run->args, "no program to run");
    if (run->programs > 1)
        return cli_usage_error(run->args, "unexpected second program '%s'", run->files.items[1]);
    if (timeline && run->trace && cli_is_stdio(timeline) && cli_is_stdio(run->trace))
        return cli_usage_error(run->args, "--perfetto - needs standard output for itself");
    return name_files(r);
}
