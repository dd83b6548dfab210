/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `samite run`, shared with `samite debug`: options of several machines, and
 * the choice of the machine. */
#include "machine/machine.h"

const struct cli_option run_rows[] = {
    CLI_ROW(struct run_command, run.arguments, "arg", CLI_LIST, "ARG",
            "the next argument of the kernel, program or function: [NAME=]in:FILE.npy, "
            "out:TYPE:COUNT[:FILE.npy], inout:IN.npy[:OUT.npy] or TYPE:VALUE"),
    CLI_ROW(struct run_command, run.checks, "check", CLI_LIST, "OUT=FILE",
            "compare an output with FILE.npy[:TOLERANCE], element by element; the run fails when "
            "they differ. TOLERANCE is ULP, how many representable numbers apart elements may be, "
            "or any of ulp=N,rtol=X,atol=X: apart by up to atol + rtol * |expected|"),
    CLI_ROW(struct run_command, run.trace, "trace", CLI_TEXT, "[FILE]",
            "one line per instruction or tile operation, to FILE or standard output",
            .suffixes = ""),
    CLI_ROW(struct run_command, run.stats, "stats", CLI_PARSE, "[json]",
            "statistics as text; --stats=json is --json", .parse = run_parse_stats,
            .choices = "json"),
    CLI_ROW(struct run_command, json, "json", CLI_FLAG, NULL,
            "one JSON document with all statistics on standard output"),
    CLI_QUIET(struct run_command, run.quiet,
              "no line per launch or run; what other options ask for (--stats, --check, ...) is "
              "still printed"),
    {0},
};

const struct cli_option run_program_rows[] = {
    CLI_ROW(
        struct run_command, run, "dump", CLI_PARSE, "BASE:SIZE:FILE",
        "write memory to a file: at this point of the sequence (ventus), or at the end of the run "
        "(tensor, system). FILE.npy is written as an array of u8; FILE.npy:TYPE[:SHAPE] names "
        "another "
        "type and shape (f32:32x32)",
        .parse = run_parse_dump, .repeats = true),
    CLI_ROW(struct run_command, run, "poke", CLI_PARSE, "ADDR=VALUE",
            "write a value of 32 bits, or of VALUE:u8, :u16, :u32 or :u64, at this point of the "
            "sequence; bytes that no buffer holds become memory",
            .parse = run_parse_poke, .repeats = true, .forms = 1 << RUN_VENTUS),
    CLI_ROW(struct run_command, run, "jit", CLI_PARSE, "off|auto|wait",
            "translate hot loops with libsamite-jit.so: on a thread of its own (auto) or while the "
            "program waits (wait). The default is that of the environment variable SAMITE_JIT, or "
            "off",
            .parse = run_parse_jit),
    CLI_ROW(struct run_command, run.max_insns, "max-insns", CLI_NUMBER, "N",
            "fail when the program, or a warp of the kernel, executes more than N instructions"),
    CLI_ROW(struct run_command, run.trace, "log", CLI_TEXT, "FILE", "older name of --trace=FILE",
            .suffixes = "", .forms = 1 << RUN_VENTUS),
    CLI_ROW(struct run_command, run.gdb, "gdb", CLI_PARSE, "[PORT]",
            "wait for gdb on this port of 127.0.0.1 (1234; 0: any that is free) and let it run "
            "the program; --gdb=- is standard input and output",
            .parse = run_parse_gdb, .forms = 1 << RUN_VENTUS | 1 << RUN_TENSOR),
    CLI_ROW(struct run_command, run.perfetto_from, "perfetto-from", CLI_NUMBER, "CYCLE",
            "--perfetto without what ends before this cycle"),
    CLI_ROW(struct run_command, run.perfetto_to, "perfetto-to", CLI_NUMBER, "CYCLE",
            "--perfetto without what begins after this cycle"),
    CLI_DEFINE(struct run_command, run.defines),
    CLI_INCLUDE(struct run_command, run.includes),
    CLI_STANDARD(struct run_command, run.standard),
    {0},
};

void run_command_init(struct run_command *c, struct cli_args *args)
{
    *c = (struct run_command){.run = {.args = args, .perfetto_to = UINT64_MAX}};
    ventus_defaults(&c->gpu);
    tensor_defaults(&c->hart, &c->run);
}

/* The suffix .onnx implies --machine host, unless the machine is the system. */
static int choose_network(struct run_command *c)
{
    c->network.given = true;
    if (cli_given(c->run.args, "machine") && c->machine != RUN_SYSTEM && c->machine != RUN_HOST)
        return cli_usage_error(c->run.args, "a network (.onnx) is for --machine host and system");
    if (c->machine != RUN_SYSTEM)
        c->machine = RUN_HOST;
    return CLI_OK;
}

/* The suffix .pto implies --machine tile, unless the machine is the system. */
static int choose_machine(struct run_command *c)
{
    for (size_t i = 0; i < c->run.files.count; i++) {
        if (cli_ends_with(c->run.files.items[i], ".onnx"))
            return choose_network(c);
        if (!cli_ends_with(c->run.files.items[i], ".pto"))
            continue;
        if (c->machine == RUN_SYSTEM) {
            c->hart.tile = &c->tile;
            continue;
        }
        if (cli_given(c->run.args, "machine") && c->machine != RUN_TILE)
            return cli_usage_error(c->run.args,
                                   "--machine %s: a .pto is for --machine tile and system",
                                   c->machine == RUN_VENTUS ? "ventus" : "tensor");
        c->machine = RUN_TILE;
    }
    if (c->machine == RUN_HOST)
        return cli_usage_error(c->run.args, "--machine host: expected a network (.onnx)");
    return network_refuse_options(c->run.args);
}

static int check_window(const struct run_request *r)
{
    const bool from = cli_given(r->args, "perfetto-from"), to = cli_given(r->args, "perfetto-to");
    if ((from || to) && !cli_given(r->args, "perfetto"))
        return cli_usage_error(r->args, "--perfetto-%s requires --perfetto", from ? "from" : "to");
    if (r->perfetto_from > r->perfetto_to)
        return cli_usage_error(
            r->args, "--perfetto-from %llu --perfetto-to %llu: expected a window",
            (unsigned long long)r->perfetto_from, (unsigned long long)r->perfetto_to);
    return CLI_OK;
}

int run_command_check(struct run_command *c)
{
    int code = choose_machine(c) ?: cli_check_form(c->run.args, (int)c->machine);
    if (c->json)
        c->run.stats = RUN_STATS_JSON;
    return code ?: check_window(&c->run);
}
