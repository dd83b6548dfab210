/* SPDX-License-Identifier: Apache-2.0 */
/* samite debug: what `samite run` runs, in a debugger. */
#include "dap.h"
#include "machine/machine.h"

extern const struct cli_verb verb_debug;

struct request {
    struct run_command command; /* first: groups of options count from it */
    struct debug_options options;
    bool dap;
};

static int add_command(struct cli_args *args, const struct cli_option *option, const char *text,
                       void *options)
{
    struct debug_options *o = options;
    struct debug_script *script = CLI_APPEND(args, &o->scripts);
    if (!script)
        return cli_no_memory();
    *script = (struct debug_script){.is_file = option->letter == 'x', .text = text};
    return CLI_OK;
}

static const struct cli_option options[] = {
    CLI_ROW(struct request, command.machine, "machine", CLI_CHOICE, NULL,
            "ventus (the default) or tensor", .choices = "ventus tensor"),
    CLI_ROW(struct request, options, "ex", CLI_PARSE, "CMD",
            "run this command of the debugger first, in the order of --ex and --command; "
            "repeatable; -ex CMD is the same",
            .parse = add_command, .repeats = true, .dash = true),
    CLI_ROW(struct request, options, "command", CLI_PARSE, "FILE",
            "run the commands in this file first; repeatable", .parse = add_command, .letter = 'x',
            .suffixes = "", .repeats = true),
    CLI_ROW(struct request, options.batch, "batch", CLI_FLAG, NULL,
            "end after the commands of --ex and --command, or at the first that fails",
            .dash = true),
    CLI_ROW(struct request, options.no_record, "no-record", CLI_FLAG, NULL,
            "do not record: runs faster, but cannot step back"),
    CLI_ROW(struct request, options.echo, "echo", CLI_FLAG, NULL,
            "show each command that does not come from a terminal"),
    CLI_ROW(struct request, dap, "dap", CLI_FLAG, NULL,
            "serve an editor on standard input and output by the Debug Adapter Protocol; its "
            "launch request has the program and the other options"),
    {0},
};

static const struct cli_group groups[] = {
    {"Options of samite run", run_rows, 0, 0},
    RUN_PROGRAM_GROUPS,
    {0},
};

static const struct cli_form machines[] = {
    [RUN_VENTUS] = {.name = "ventus",
                    .summary = "kernels on Ventus GPGPU cores",
                    .usage = "[options] A.metadata A.data [B.metadata B.data ...]\n"
                             "[options] PROGRAM --kernel NAME --grid X --block X --arg ..."},
    [RUN_TENSOR] = {.name = "tensor",
                    .summary = "a program on the tensor hart",
                    .usage = "--machine tensor [options] PROGRAM [-- ARGUMENT ...]"},
    {0},
};

static int read_request(struct cli_args *args, struct request *r)
{
    *r = (struct request){.options = {.batch = false}};
    run_command_init(&r->command, args);
    const int code = cli_read(args, r) ?: run_command_check(&r->command);
    if (code == CLI_OK && r->command.machine == RUN_TILE)
        return cli_usage_error(args,
                               "'%s': tile programs have no debugger: samite run --trace shows "
                               "their operations",
                               r->command.run.files.items[0]);
    return code;
}

static int run_words(struct cli_args *args, struct debug_options *chosen,
                     const struct run_driver *driver)
{
    struct request r;
    const int code = read_request(args, &r);
    if (code != CLI_OK)
        return code;
    const char *other = cli_given_of(args, "ex command batch echo gdb dap");
    if (other)
        return cli_usage_error(args, "--%s: an editor runs the program", other);
    chosen->no_record = r.options.no_record;
    r.command.run.driver = driver;
    return run_command(&r.command);
}

/* The words of a launch request. */
static int run_launch(char **words, int count, struct debug_options *chosen,
                      const struct run_driver *driver)
{
    struct cli_args args = {.verb = &verb_debug, .words = words, .count = count};
    args.files = cli_files_new();
    if (!args.files)
        return cli_no_memory();
    const int code = run_words(&args, chosen, driver);
    cli_files_free(args.files);
    cli_args_free(&args);
    return code;
}

static int run(struct cli_args *args)
{
    struct request r;
    if (args->count == 1 && strcmp(args->words[0], "--dap") == 0)
        return dap_host_serve(run_launch);
    int code = read_request(args, &r);
    if (code != CLI_OK)
        return code;
    if (r.dap)
        return cli_usage_error(args, "--dap: the launch request has the program and options");
    if (r.command.run.gdb.given) /* gdb is the debugger */
        return run_command(&r.command);
    struct debug *debug = debug_new(&r.options);
    if (!debug)
        return cli_no_memory();
    const struct run_driver driver = {debug_drive, debug};
    r.command.run.driver = &driver;
    code = run_command(&r.command);
    debug_free(debug);
    return code;
}

const struct cli_verb verb_debug = {
    .name = "debug",
    .summary = "step, inspect and change what samite run runs",
    .usage = "[options] A.metadata A.data [B.metadata B.data ...]\n"
             "[options] PROGRAM --kernel NAME --grid X --block X --arg ...\n"
             "--machine tensor [options] PROGRAM [-- ARGUMENT ...]",
    .options = options,
    .groups = groups,
    .operand = CLI_OPERAND(struct request, command.run, "file", CLI_PARSE, 0, 0,
                           ".cl .metadata .data .s .S .elf .riscv", .parse = run_parse_file),
    .forms = machines,
    .form_option = "machine",
    .form_word = "machine",
    .details =
        "The program and its options are those of samite run. It stands at its first\n"
        "instruction; commands are read from the terminal, or line by line from\n"
        "standard input. Their names are those of gdb: help lists them, docs/debugging.md\n"
        "shows them at work. Ctrl-C stops a running program.\n\n"
        "When the last launch, or the program, has ended, quit does what samite run does\n"
        "then: outputs are compared and written (--dump, --check, --arg). To quit before\n"
        "writes nothing. The exit code is 1 when it was left at a trap.\n\n"
        "Tile programs and --machine system have no debugger: --trace of samite run shows each\n"
        "operation of the one, --trace, --gpu-trace and --perfetto what the parts of the other\n"
        "do. A program of the hart and a kernel can be debugged apart.\n\n"
        "The commands, with their abbreviations:\n"
#define HEADING(text) "\n" text "\n\n"
#define COMMAND(names, grammar, summary, ...)                                                      \
    "  " names "  " grammar "\n"                                                                   \
    "      " summary "\n"
#define ALSO COMMAND
#include "commands.def"
#undef HEADING
#undef COMMAND
#undef ALSO
    ,
    .examples =
        "  samite debug vecadd.s --kernel vecadd --grid 32 --block 32 --arg in:a.npy \\\n"
        "      --arg in:b.npy --arg out:f32:1024 --arg u32:1024\n"
        "  samite debug bfs.metadata bfs.data --elf bfs.riscv --batch -ex continue -ex 'info "
        "warps'\n"
        "  samite debug --machine tensor transpose.s --arg in:a.npy --arg out:u8:32x32\n",
    .run = run,
};
