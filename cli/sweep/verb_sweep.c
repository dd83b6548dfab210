/* SPDX-License-Identifier: Apache-2.0 */
/* `samite sweep PROGRAM --config KEY=V1,V2,...`: the cycle models under every combination. */
#include <stdlib.h>

#include "sweep/sweep.h"

/* The matrix unit in time is there when the program's ISA has the unit. */
static int check_axes(struct sweep_request *s)
{
    struct sweep *w = &s->sweep;
    if (w->form != RUN_TENSOR)
        return CLI_OK;
    for (unsigned a = 0; a < w->axis_count; a++) {
        const struct sam_parameter *p;
        for (size_t i = 0; (p = sam_mxu_parameter(i)) && strcmp(p->name, w->axes[a].name) != 0;)
            i++;
        w->axes[a].matrix = p != NULL;
        if (p && !(s->command.hart.options.isa.extensions & SAM_EXT_XMATRIX))
            return cli_usage_error(s->command.run.args, "--config %s: %s has no matrix unit",
                                   p->name, s->command.hart.isa);
    }
    return CLI_OK;
}

/* ---------------------------------------------------------------------------------- output */

static int write_text(const char *path, char *text)
{
    const int code = text ? cli_save(path, text, strlen(text)) : cli_no_memory();
    free(text);
    return code;
}

/* The first run that failed. */
static int report_failures(const struct sweep_request *s)
{
    for (size_t i = 0; i < s->sweep.run_count; i++) {
        if (s->sweep.runs[i].done || !sweep_is_mine(&s->sweep, i))
            continue;
        cli_error("run %zu: %s", i + 1, s->sweep.runs[i].error.text);
        return CLI_PROGRAM_FAILED;
    }
    return CLI_OK;
}

/* Write the runs of a part, next to its table. */
static int report_part(const struct sweep_request *s)
{
    char *name = sweep_part_name(&s->sweep, s->csv);
    const int code = name ? write_text(name, sweep_part_text(&s->sweep)) : cli_no_memory();
    free(name);
    return code;
}

static int report(const struct sweep_request *s)
{
    int code = s->json ? cli_json_print(sweep_json(&s->sweep)) : CLI_OK;
    code = code ?: s->csv ? write_text(s->csv, sweep_csv(&s->sweep)) : CLI_OK;
    code = code ?: s->html ? write_text(s->html, sweep_page(&s->sweep)) : CLI_OK;
    return code ?: report_failures(s);
}

/* No row length of the sweep contradicts --mlen. */
static int check_mlen(const struct sweep_request *s)
{
    int code = CLI_OK;
    for (unsigned a = 0; a < s->sweep.axis_count; a++) {
        const struct sweep_axis *axis = &s->sweep.axes[a];
        for (unsigned v = 0; code == CLI_OK && v < axis->count && strcmp(axis->name, "mlen") == 0;
             v++)
            code = tensor_check_mlen(&s->command.hart, (unsigned)strtoul(axis->values[v], NULL, 0));
    }
    return code;
}

/* Now, or what a reproducible build says is now. */
static int read_date(const struct cli_args *args, time_t *date)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds;
    *date = time(NULL);
    if (!text)
        return CLI_OK;
    if (!sam_parse_u64(text, &seconds) || seconds > INT64_C(253402300799)) /* of the year 9999 */
        return cli_usage_error(args, "SOURCE_DATE_EPOCH=%s: expected seconds since 1970", text);
    *date = (time_t)seconds;
    return CLI_OK;
}

/* A launch is recognised by its kernel or its files. */
static int choose_machine(struct sweep_request *s)
{
    struct run_command *c = &s->command;
    const char *first = c->run.files.count ? c->run.files.items[0] : "";
    const bool given = cli_given(c->run.args, "machine"), tile = cli_ends_with(first, ".pto");
    if (!given)
        c->machine = c->gpu.kernel || sam_cc_is_source(first) || cli_ends_with(first, ".metadata")
                         ? RUN_VENTUS
                         : RUN_TENSOR;
    else if ((int)c->machine == SWEEP_SYSTEM)
        c->machine = RUN_SYSTEM;
    if (tile && given && c->machine != RUN_SYSTEM)
        return cli_usage_error(c->run.args, "'%s': a tile program: expected --machine system",
                               first);
    if (tile)
        c->machine = RUN_SYSTEM;
    const bool system = c->machine == RUN_SYSTEM;
    s->sweep.form = system ? SWEEP_SYSTEM : (unsigned)c->machine;
    c->hart.system = system ? &c->system : NULL;
    c->hart.tile = tile ? &c->tile : NULL;
    if (system && !cli_given(c->run.args, "isa"))
        c->hart.isa = NULL; /* that of a system */
    return cli_check_form(c->run.args, (int)s->sweep.form);
}

/* No output of a program: every run would write it. */
static int check_arguments(const struct sweep_request *s)
{
    for (size_t i = 0; i < s->arguments.count; i++)
        if (s->arguments.items[i].path)
            return cli_usage_error(s->command.run.args, "--arg %s: a sweep writes no outputs",
                                   s->arguments.items[i].word);
    return CLI_OK;
}

static int check_request(struct sweep_request *s)
{
    const struct run_request *r = &s->command.run;
    struct run run;
    int code = choose_machine(s);
    if (code != CLI_OK)
        return code;
    code = run_begin(&run, &s->command) ?: run.machine->check(&run)
        ?: run_arguments_parse(r, &s->arguments) ?: check_arguments(s);
    run_end(&run);
    return code ?: sweep_check_values(s) ?: sweep_check_columns(&s->sweep, r->args);
}

/* --merge TABLE: the parts next to it. The page gets the words of the parts' command and the
 * name of the page, as from one process. */
static int merge(struct sweep_request *s)
{
    static char html[] = "--html";
    struct cli_args *args = s->command.run.args;
    struct sweep *w = &s->sweep;
    struct sam_error error = {0};
    json_t *first = NULL;
    if (s->command.run.files.count != 1 || w->axis_count || w->part.count)
        return cli_usage_error(args, "--merge takes the name of the table, and neither a program "
                                     "nor --config nor --part");
    const char *name = s->command.run.files.items[0];
    if (!s->csv && !s->json)
        s->csv = name;
    int code = CLI_OK;
    if (!sweep_parts_read(w, name, &first, &error))
        code = cli_report(&error);
    code = code ?: sweep_check_columns(w, args);
    if (code == CLI_OK && s->html) {
        w->words[w->word_count++] = html;
        w->words[w->word_count++] = (char *)(uintptr_t)s->html;
    }
    if (code == CLI_OK) {
        sweep_choose_models(w);
        code = report(s);
    }
    free(w->runs);
    free(w->words);
    json_decref(first);
    return code;
}

static int check_part(const struct sweep_request *s)
{
    if (s->sweep.part.count == 0)
        return CLI_OK;
    if (!s->csv || cli_is_stdio(s->csv))
        return cli_usage_error(s->command.run.args, "--part needs -o FILE, beside which it writes "
                                                    "FILE.part-I-of-N");
    if (s->html || s->json || s->sweep.columns)
        return cli_usage_error(s->command.run.args,
                               "--%s belongs to --merge, once all parts are there",
                               s->html   ? "html"
                               : s->json ? "json"
                                         : "columns");
    return CLI_OK;
}

static int run(struct cli_args *args)
{
    struct sweep_request s = {.jobs = 1};
    run_command_init(&s.command, args);
    s.command.run.quiet = true;
    s.command.hart.isa = "tensor";
    int code = cli_read(args, &s);
    if (code == CLI_OK && s.merge)
        return merge(&s);
    code = code ?: check_part(&s) ?: check_request(&s);
    if (code == CLI_OK && !s.csv && !s.json)
        s.csv = "-";
    if (code == CLI_OK && s.json && (cli_is_stdio(s.csv) || cli_is_stdio(s.html)))
        code = cli_usage_error(args, "--json needs standard output for itself");
    code = code ?: cli_writes(args, s.csv) ?: cli_writes(args, s.html);
    if (code == CLI_OK && s.sweep.axis_count == 0)
        code = cli_usage_error(args, "no --config to sweep");
    code = code ?: check_mlen(&s);
    if (code == CLI_OK) {
        s.sweep.program = s.command.run.files.items[0];
        s.sweep.words = args->words;
        s.sweep.word_count = args->count;
        s.command.hart.options.stop = cli_stop_flag();
        if (s.sweep.form != RUN_VENTUS)
            code = tensor_load(&s.command.hart, &s.arguments, &s.image);
        if (s.command.hart.lowered) { /* each run lowers the program for itself */
            lower_close(&s.command.hart);
            s.image = NULL;
        }
    }
    code = code ?: check_axes(&s) ?: read_date(args, &s.sweep.date);
    cli_catch_signals();
    code = code ?: sweep_check_before(&s) ?: sweep_run_all(&s);
    if (code == CLI_OK) {
        sweep_choose_models(&s.sweep);
        code = s.sweep.part.count ? report_part(&s) : report(&s);
        if (code == CLI_OK && s.sweep.part.count)
            code = report_failures(&s);
    }
    free(s.sweep.runs);
    sam_image_free(s.image);
    run_arguments_free(&s.arguments);
    return code;
}

enum { VENTUS = 1 << RUN_VENTUS, TENSOR = 1 << RUN_TENSOR, SYSTEM = 1 << SWEEP_SYSTEM };

static const struct cli_option options[] = {
    CLI_ROW(
        struct sweep_request, command.machine, "machine", CLI_CHOICE, NULL,
        "tensor (the default), ventus (implied by --kernel and .metadata), or system (implied by "
        "PROGRAM.pto)",
        .choices = "ventus tensor system"),
    CLI_ROW(struct sweep_request, sweep, "config", CLI_PARSE, "KEY=V,V,...",
            "a parameter of the machine and its values; or a file of KEY=N, which hold for all "
            "runs; repeatable; --config help lists the parameters",
            .parse = sweep_parse_config, .repeats = true, .settings = &sweep_parameters,
            .suffixes = ""),
    CLI_OUTPUT(struct sweep_request, csv, "one line per run, as CSV (standard output)"),
    CLI_ROW(struct sweep_request, html, "html", CLI_TEXT, "FILE",
            "a page with charts, stall causes and a table", .suffixes = ".html"),
    CLI_JSON(struct sweep_request, json, "one row per run, as JSON on standard output"),
    CLI_ROW(struct sweep_request, sweep.columns, "columns", CLI_PARSE, "NAME,...",
            "only these columns after the parameters, in CSV and JSON; cycles,GPU_* means cycles "
            "and all that begin with GPU_; --columns help lists them (all)",
            .parse = sweep_parse_columns),
    CLI_PART(struct sweep_request, sweep.part),
    CLI_ROW(struct sweep_request, merge, "merge", CLI_FLAG, NULL,
            "make the table (and --html, --json) out of the parts beside it"),
    CLI_JOBS(struct sweep_request, jobs, "runs at a time; launches run one at a time"),
    CLI_ROW(struct sweep_request, command.hart.isa, "isa", CLI_TEXT, "STRING",
            "instruction set (tensor; of a system as for `samite run`)", .letter = 'i',
            .names = cli_isa_name, .forms = TENSOR | SYSTEM),
    CLI_ROW(
        struct sweep_request, command.run.arguments, "arg", CLI_LIST, "ARG",
        "the next argument of the kernel or program: in:FILE.npy, out:TYPE:COUNT, inout:IN.npy, "
        "local:BYTES (of a kernel) or TYPE:VALUE"),
    CLI_ROW(struct sweep_request, command.run.max_insns, "max-insns", CLI_NUMBER, "N",
            "fail when a warp of a kernel, or the program of the hart, executes more than N "
            "instructions"),
    CLI_DEFINE(struct sweep_request, command.run.defines),
    CLI_INCLUDE(struct sweep_request, command.run.includes),
    CLI_STANDARD(struct sweep_request, command.run.standard),
    {0},
};

/* The start of the program is described as for `samite run`. */
static const struct cli_group groups[] = {
    {"Options of --machine tensor and system", tensor_start_rows,
     offsetof(struct sweep_request, command.hart), TENSOR | SYSTEM},
    {"Options of --machine system", system_start_rows,
     offsetof(struct sweep_request, command.system), SYSTEM},
    {"Options of tile programs on --machine system", tile_shared_rows,
     offsetof(struct sweep_request, command.tile), SYSTEM},
    {NULL, lower_profile_rows, offsetof(struct sweep_request, command.tile), SYSTEM},
    {"Options of --machine ventus", ventus_launch_rows, offsetof(struct sweep_request, command.gpu),
     VENTUS},
    {0},
};

static const struct cli_form machines[] = {
    [RUN_VENTUS] = {.name = "ventus",
                    .summary = "launches on the GPU in time",
                    .usage = "[options] PROGRAM --kernel NAME --grid X --block X --arg ...\n"
                             "[options] A.metadata A.data [B.metadata B.data ...]",
                    .details = "Launches are described as for `samite run`; nothing that they "
                               "compute is written.\n",
                    .examples =
                        "  samite sweep sgemm.s --kernel sgemm --grid 8,8 --block 16,16 \\\n"
                        "      --arg in:a.npy --arg in:b.npy --arg out:f32:128x128 \\\n"
                        "      --config sms=1,2,4 --config mem_latency=50,200 --html "
                        "out.html\n"},
    [RUN_TENSOR] = {.name = "tensor",
                    .summary = "a program on the tensor hart",
                    .usage = "[options] PROGRAM",
                    .details = "The engines and, where --isa says so, the matrix unit in time.\n",
                    .examples = "  samite sweep gemm.s --config mpara=2,4,8 --config slots=2,4 "
                                "-j 4 \\\n    -o out.csv --html out.html\n"},
    [SWEEP_SYSTEM] = {.name = "system",
                      .suffix = ".pto",
                      .summary = "a program on the system: the hart, a GPU and a weight unit",
                      .usage = "--machine system [options] PROGRAM\n"
                               "[options] PROGRAM.pto --arg ...",
                      .details = "The parameters are those of `samite run --machine system "
                                 "--config`; wu.raw=0,1\ncompares packed with raw weights. A tile "
                                 "program is lowered for each run.\n",
                      .examples = "  samite sweep layer.s --machine system --gpu-code gpu.s \\\n"
                                  "      --weights layer.smw --config mem.dram_bytes=4,16,64 \\\n"
                                  "      --config wu.raw=0,1 --html out.html\n"},
    {0},
};

const struct cli_verb verb_sweep = {
    .name = "sweep",
    .summary = "run a program or a kernel under many configurations of its machine in time",
    .usage = "[options] PROGRAM\n"
             "[options] PROGRAM --kernel NAME --grid X --block X --arg ...\n"
             "[options] PROGRAM.pto --arg ...\n"
             "--merge [options] TABLE",
    .options = options,
    .groups = groups,
    .operand = CLI_OPERAND(struct sweep_request, command.run, "program", CLI_PARSE, 1, 0,
                           ".cl .s .S .elf .riscv .metadata .data .pto", .parse = run_parse_file),
    .forms = machines,
    .form_option = "machine",
    .form_word = "machine",
    .details =
        "Every combination of the values is one run. A run that fails, or a combination that\n"
        "cannot be built, says so in its last column, and the exit code is 1.\n\n"
        "With --part I/N, every N-th run beginning with run I goes to FILE.part-I-of-N; sweep\n"
        "--merge FILE makes of all parts what one process would have made: docs/clusters.md.\n\n"
        "The page is dated by SOURCE_DATE_EPOCH where that is set.\n",
    .examples = "  samite sweep gemm.s --config mpara=2,4,8 --config slots=2,4 -j 4 \\\n"
                "    -o out.csv --html out.html\n",
    .run = run,
};
