/* SPDX-License-Identifier: Apache-2.0 */
/* samite tile: tile programs as text, the checker, the plan of the memories, their lowered code. */
#include <stdlib.h>

#include "machine/tile.h"

enum { FMT, CHECK, OPS, EXPLAIN };

struct request {
    const char *out;
    struct cli_list programs;
    enum sam_tile_surface surface;
    enum sam_tile_profile profile;
    enum sam_tile_dialect dialect;
    struct cli_list arguments;
    const char *func;
    bool plan, json;
};

static int format(const struct request *r, const struct sam_tile_program *program)
{
    struct sam_error error = {0};
    char *text = NULL;
    if (sam_tile_print(program, r->surface, &text, &error) != SAM_OK)
        return cli_report(&error);
    const int code = cli_save(r->out ? r->out : "-", text, strlen(text));
    free(text);
    return code;
}

static int check(const struct request *r, const char *path, const struct sam_tile_program *program)
{
    struct sam_error error = {0};
    char *text = NULL;
    const int code = tile_check(program, r->profile, r->dialect);
    if (code != CLI_OK)
        return code;
    if (!r->plan) {
        printf("%s: no error\n", cli_is_stdio(path) ? "<stdin>" : cli_plain(path).text);
        return CLI_OK;
    }
    return cli_print_text(sam_tile_plan_text(program, r->profile, &text, &error), &text, &error,
                          stdout);
}

/* {"file": ..., "good": true, "messages": [...], "plan": text with --plan} */
static json_t *check_json(const struct request *r, const char *path, bool *good)
{
    struct sam_error error = {0};
    struct sam_tile_program *program;
    char *messages, *plan = NULL;
    enum sam_status status = tile_read(path, &program, &messages, &error);
    if (status == SAM_OK) {
        free(messages);
        messages = NULL;
        status = sam_tile_check_in(program, r->profile, r->dialect, &messages, &error);
    }
    if (status == SAM_OK && r->plan)
        status = sam_tile_plan_text(program, r->profile, &plan, &error);
    *good = status == SAM_OK;
    json_t *row =
        REPORT(TEXT("file", path), FLAG("good", *good),
               TREE("messages", cli_json_messages(path, messages, *good ? NULL : error.text)));
    if (plan)
        row = report_text(row, "plan", plan);
    free(plan);
    free(messages);
    sam_tile_program_free(program);
    return row;
}

/* Every program is a row of one array. */
static int check_all_json(const struct request *r)
{
    json_t *rows = json_array();
    bool all = true;
    for (size_t i = 0; i < r->programs.count; i++) {
        bool good;
        rows = report_add(rows, check_json(r, r->programs.items[i], &good));
        all = all && good;
    }
    int code = cli_json_print(rows);
    return all ? code : CLI_BAD_INPUT;
}

/* The operations, as listed in the documentation. */
static int list(bool json)
{
    struct sam_tile_op_text op;
    struct sam_error error;
    json_t *rows = json ? json_array() : NULL;
    bool good = true;
    for (size_t i = 0; good && sam_tile_op_describe(i, &op); i++)
        good = report_row(rows, "{name:-18} {sources:-4} {dtypes:-20} {meaning}\n",
                          REPORT(TEXT("name", op.name), TEXT("sources", op.sources),
                                 TEXT("dtypes", op.dtypes), TEXT("meaning", op.meaning)),
                          &error);
    return cli_json_end(json, rows, good ? CLI_OK : cli_report(&error));
}

/* Every program, also after one with errors. */
static int each(const struct request *r, bool formats)
{
    int code = CLI_OK;
    for (size_t i = 0; i < r->programs.count; i++) {
        struct sam_tile_program *program = tile_load(r->programs.items[i]);
        int one = !program  ? CLI_BAD_INPUT
                  : formats ? format(r, program)
                            : check(r, r->programs.items[i], program);
        sam_tile_program_free(program);
        code = one == CLI_OK ? code : one;
    }
    return code;
}

/* ------------------------------------------------------------------------------------ explain */

/* Run the program with timing, and print its cycles with its lines, also if it was stopped. */
static int run_in_time(struct sam_tile_lowered *made)
{
    const struct sam_system_timing timing = {.size = sizeof timing};
    const struct sam_hart_options hart = {.size = sizeof hart, .stop = cli_stop_flag()};
    const struct sam_gpu_options gpu = {.size = sizeof gpu, .stop = cli_stop_flag()};
    const struct sam_system_options options = {
        .size = sizeof options, .hart = &hart, .gpu = &gpu, .timing = &timing};
    struct sam_system_figures *figures = NULL;
    struct sam_system *system = NULL;
    struct sam_error error, measured;
    char *text = NULL;
    enum sam_status status = sam_system_new(&options, &system, &error)
        ?: sam_tile_lowered_load(made, system, &error) ?: sam_system_run(system, NULL, &error)
        ?: sam_tile_lowered_failure(made, system, &error);
    if (status == SAM_OK || status == SAM_ERR_STOPPED) {
        if (sam_system_measure(system, &figures, &measured) != SAM_OK ||
            sam_tile_lowered_explain(made, figures, &text, &measured) != SAM_OK) {
            status = measured.status;
            error = measured;
        } else {
            printf("%llu cycles%s\n", (unsigned long long)figures->cycles,
                   status == SAM_OK ? "" : " until it was stopped");
            if (figures->busiest)
                printf("bound: %s is busy for %llu of them\n", figures->busiest,
                       (unsigned long long)figures->busiest_cycles);
            printf("%s", text);
            fflush(stdout);
        }
    }
    free(text);
    sam_system_figures_free(figures);
    sam_system_free(system);
    return cli_code(status, &error);
}

static int print_lines(struct sam_tile_lowered *made)
{
    struct sam_error error;
    char *text = NULL;
    return cli_print_text(sam_tile_lowered_explain(made, NULL, &text, &error), &text, &error,
                          stdout);
}

static int explain_program(struct cli_args *args, const struct sam_tile_program *program,
                           const char *path, const struct tile_request *tile,
                           struct run_arguments *arguments)
{
    const struct sam_tile_lower_options options = {.size = sizeof options,
                                                   .profile = tile->options.profile,
                                                   .dialect = tile->options.dialect,
                                                   .unbound = arguments->count == 0};
    struct sam_tile_argument *given = cli_own(args, arguments->count + 1, sizeof *given);
    struct sam_tile_lowered *made = NULL;
    struct sam_error error = {0};
    char *messages = NULL;
    size_t function = 0;
    int code = given ? tile_function(args, program, path, tile->func, &function) : cli_no_memory();
    if (code != CLI_OK)
        return code;
    for (size_t i = 0; i < arguments->count; i++)
        tile_give(&arguments->items[i], &given[i]);
    const enum sam_status status = sam_tile_lower(program, function, given, arguments->count,
                                                  &options, &made, &messages, &error);
    code = cli_end_messages(status, &messages, &error)
               ?: (arguments->count ? run_in_time(made) : print_lines(made));
    sam_tile_lowered_free(made);
    return code;
}

/* The code of each line of a program on the system, and its cost. `arguments`, of --arg, may be
 * empty: then nothing runs. */
static int explain(struct cli_args *args, const char *path, const struct tile_request *tile,
                   const struct cli_list *arguments)
{
    const struct run_request request = {
        .args = args, .arguments = *arguments, .words = RUN_TILE_WORDS};
    struct run_arguments parsed = {0};
    struct sam_tile_program *program = tile_load(path);
    int code = program ? run_arguments_parse(&request, &parsed) : CLI_BAD_INPUT;
    if (code == CLI_OK) {
        cli_catch_signals();
        code = explain_program(args, program, path, tile, &parsed);
    }
    run_arguments_free(&parsed);
    sam_tile_program_free(program);
    return code;
}

/* ------------------------------------------------------------------------------------ the verb */

static int run(struct cli_args *args)
{
    struct request r = {.surface = SAM_TILE_DPS, .profile = SAM_TILE_A5};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    const int form = args->form;
    if (form == OPS)
        return r.programs.count
                   ? cli_usage_error(args, "ops takes no program, found '%s'", r.programs.items[0])
                   : list(r.json);
    if (!r.programs.count)
        return cli_usage_error(args, "no program");
    const struct tile_request tile = {.options = {.profile = r.profile, .dialect = r.dialect},
                                      .func = r.func};
    if ((form == FMT || form == EXPLAIN) && r.programs.count > 1)
        return cli_usage_error(args, "%s: unexpected second program '%s'",
                               form == FMT ? "fmt" : "explain", r.programs.items[1]);
    if (form == EXPLAIN)
        return explain(args, r.programs.items[0], &tile, &r.arguments);
    return r.json ? check_all_json(&r) : each(&r, form == FMT);
}

static const struct cli_option options[] = {
    CLI_ROW(struct request, surface, "surface", CLI_CHOICE, NULL,
            "flat (%d = tcolmin %s), ssa (%d = pto.tcolmin %s), dps (ins(...) outs(...), the "
            "default), or generic (\"pto.tcolmin\"(%s, %d))",
            .choices = "flat ssa dps generic", .forms = 1 << FMT),
    CLI_ROW(struct request, out, "output", CLI_TEXT, "FILE",
            "write the program there instead of standard output", .letter = 'o', .suffixes = "",
            .forms = 1 << FMT),
    CLI_ROW(struct request, profile, "profile", CLI_CHOICE, NULL,
            "a2a3, a5 (default), host (no limit of memory)", .choices = TILE_PROFILES,
            .forms = 1 << CHECK | 1 << EXPLAIN),
    CLI_ROW(struct request, dialect, "dialect", CLI_CHOICE, NULL,
            "what operations mean: as the published page (the default), or as the specification",
            .choices = "page spec", .forms = 1 << CHECK | 1 << EXPLAIN),
    CLI_ROW(struct request, func, "func", CLI_TEXT, "NAME",
            "function to explain; needed when there are several", .forms = 1 << EXPLAIN),
    CLI_ROW(struct request, arguments, "arg", CLI_LIST, "ARG",
            "arguments as of samite run: the program is run in time, and each line shows what it "
            "took",
            .forms = 1 << EXPLAIN),
    CLI_ROW(struct request, plan, "plan", CLI_FLAG, NULL,
            "where each tile is, and from which line to which", .forms = 1 << CHECK),
    CLI_ROW(struct request, json, "json", CLI_FLAG, NULL,
            "as JSON: one row per program with its messages, or per operation",
            .forms = 1 << CHECK | 1 << OPS),
    {0},
};

static const struct cli_form forms[] = {
    [FMT] = {.name = "fmt",
             .usage = "fmt [options] PROGRAM.pto",
             .examples = "  samite tile fmt --surface ssa kernel.pto\n",
             .summary = "print a program in one of the four surfaces; each of them is read"},
    [CHECK] = {.name = "check",
               .usage = "check [options] PROGRAM.pto...",
               .examples = "  samite tile check --profile a2a3 --plan kernel.pto\n",
               .summary = "report every error of each program in one run, with its line"},
    [OPS] = {.name = "ops",
             .usage = "ops [--json]",
             .examples = "  samite tile ops\n",
             .summary = "list the operations: sources (t tile, s scalar, i index, v partition of a "
                        "tensor view), dtypes and meaning"},
    [EXPLAIN] = {.name = "explain",
                 .usage = "explain [options] PROGRAM.pto",
                 .examples =
                     "  samite tile explain softmax.pto --arg in:x.npy --arg out:f32:16,64\n",
                 .summary = "show what each line of a program becomes on the system (samite run "
                            "--machine system) and, with its arguments, what it costs"},
    {0},
};

const struct cli_verb verb_tile = {
    .name = "tile",
    .summary = "format, check and explain tile programs",
    .usage = "fmt [options] PROGRAM.pto\ncheck [options] PROGRAM.pto...\nops [--json]\n"
             "explain [options] PROGRAM.pto",
    .options = options,
    .operand = CLI_OPERAND(struct request, programs, "program", CLI_LIST, 0, 0, ".pto"),
    .forms = forms,
    .form_word = "task",
    .details = "Comments stay, before the operation that they precede or follow. `samite run "
               "PROGRAM.pto` runs a program.\n",
    .examples = "  samite tile fmt --surface ssa kernel.pto\n"
                "  samite tile check --profile a2a3 --plan kernel.pto\n"
                "  samite tile explain softmax.pto --arg in:x.npy --arg out:f32:16,64\n",
    .run = run,
};
