/* SPDX-License-Identifier: Apache-2.0 */
/* samite run PROGRAM.pto: arguments, the run, statistics. */
#include <stdlib.h>

#include "machine/machine.h"

enum { MAX_SOURCE = 64 << 20 };

enum sam_status tile_read(const char *path, struct sam_tile_program **program, char **messages,
                          struct sam_error *error)
{
    char *text = NULL;
    size_t size;
    *program = NULL;
    *messages = NULL;
    enum sam_status status = sam_file_load(path, MAX_SOURCE, &text, &size, error)
        ?: cli_expect_text(path, text, size, "a tile program (.pto)", error)
        ?: sam_tile_parse(cli_input_name(path), text, size, program, messages, error);
    free(text);
    return status;
}

struct sam_tile_program *tile_load(const char *path)
{
    struct sam_error error = {0};
    struct sam_tile_program *program;
    char *messages;
    cli_end_messages(tile_read(path, &program, &messages, &error), &messages, &error);
    return program;
}

/* --- the command line */

const struct cli_option tile_shared_rows[] = {
    CLI_ROW(struct tile_request, func, "func", CLI_TEXT, "NAME",
            "function to run; needed when there are several"),
    CLI_ROW(struct tile_request, options.nan, "nan", CLI_CHOICE, NULL,
            "how min and max treat NaN: number (the default), propagate, first",
            .choices = "number propagate first"),
    CLI_ROW(struct tile_request, options.outside, "pad", CLI_CHOICE, NULL,
            "elements outside the valid rectangle: keep (the default), or the pad value",
            .choices = "keep value"),
    CLI_ROW(struct tile_request, options.dialect, "dialect", CLI_CHOICE, NULL,
            "what operations mean: as the published page (the default), or as the specification",
            .choices = "page spec"),
    {0},
};

const struct cli_option tile_rows[] = {
    CLI_ROW(struct tile_request, options.profile, "profile", CLI_CHOICE, NULL,
            "a5 (the default), a2a3, host (memories without limit)", .choices = TILE_PROFILES),
    CLI_ROW(struct tile_request, options.sum_order, "sum-order", CLI_CHOICE, NULL,
            "order of floating-point sums: rising (the default), or that of the system",
            .choices = "rising system"),
    CLI_ROW(struct tile_request, options.max_ops, "max-ops", CLI_NUMBER, "N",
            "fail after N operations", .low = 1),
    CLI_ROW(struct tile_request, options.plain, "plain", CLI_FLAG, NULL,
            "no vector loops on the host; the results are the same"),
    {0},
};

int tile_function(const struct cli_args *args, const struct sam_tile_program *program,
                  const char *path, const char *func, size_t *function)
{
    const int found = func ? sam_tile_function_find(program, func) : 0;
    if (found < 0)
        return cli_usage_error(args, "%s has no function @%s", path, func);
    if (!func && sam_tile_function_count(program) > 1)
        return cli_usage_error(args, "%s has %zu functions: use --func NAME", path,
                               sam_tile_function_count(program));
    *function = (size_t)found;
    return CLI_OK;
}

/* --- the run */

void tile_give(struct run_argument *from, struct sam_tile_argument *to)
{
    *to = (struct sam_tile_argument){
        .name = from->name, .output = from->output, .inout = from->output && from->input};
    if (from->kind == RUN_SCALAR) {
        to->is_scalar = true;
        to->bits = from->bits;
        to->dtype = from->dtype;
    } else {
        to->array = &from->array;
        to->packed = from->packed;
    }
}

void tile_note_stored_input(const struct sam_tile_program *program, size_t function,
                            const struct sam_tile_argument *given,
                            const struct run_arguments *arguments)
{
    size_t at;
    uint32_t line;
    if (sam_tile_stored_input(program, function, given, arguments->count, &at, &line))
        cli_note("--arg %s: line %u stores to this input: expected inout:, an input is not written "
                 "back",
                 arguments->items[at].word, line);
}

struct tile {
    struct sam_tile_program *program;
    size_t function;
    struct sam_tile_argument *given;
};

int tile_check(const struct sam_tile_program *program, enum sam_tile_profile profile,
               enum sam_tile_dialect dialect)
{
    struct sam_error error = {0};
    char *messages = NULL;
    return cli_end_messages(sam_tile_check_in(program, profile, dialect, &messages, &error),
                            &messages, &error);
}

static int check(struct run *run)
{
    const struct run_request *r = run->request;
    if (r->files.count == 0)
        return cli_usage_error(r->args, "no program");
    if (r->files.count > 1)
        return cli_usage_error(r->args, "unexpected second program '%s'", r->files.items[1]);
    if (r->trace && !cli_is_stdio(r->trace))
        return cli_usage_error(r->args,
                               "--trace=%s: the trace of a tile program goes to standard "
                               "output: use --trace",
                               r->trace);
    run->command->run.words = RUN_TILE_WORDS;
    return cli_reads(r->args, r->files.items[0]);
}

static bool writes_stdout(const struct run *run)
{
    return run_arguments_to_stdout(&run->arguments);
}

static int open_program(struct run *run)
{
    struct tile *t = run->tile;
    const struct run_request *r = run->request;
    struct tile_request *request = &run->command->tile;
    const char *path = r->files.items[0];
    t->program = tile_load(path);
    t->given = calloc(run->arguments.count + 1, sizeof *t->given);
    if (!t->program || !t->given)
        return t->program ? cli_no_memory() : CLI_BAD_INPUT;
    for (size_t i = 0; i < run->arguments.count; i++)
        tile_give(&run->arguments.items[i], &t->given[i]);
    request->options.size = sizeof request->options;
    request->options.stop = cli_stop_flag();
    if (r->trace)
        request->options.trace = run->text;
    cli_catch_signals();
    const int code = tile_check(t->program, request->options.profile, request->options.dialect)
                         ?: tile_function(r->args, t->program, path, request->func, &t->function);
    if (code == CLI_OK)
        tile_note_stored_input(t->program, t->function, t->given, &run->arguments);
    return code;
}

static const char *op_name(size_t index)
{
    struct sam_tile_op_text op = {0};
    sam_tile_op_describe(index, &op);
    return op.name;
}

static json_t *count(const struct sam_tile_count *c)
{
    return REPORT(COUNT("count", c->ops), COUNT("elements", c->elements));
}

/* NULL on out-of-memory. */
static json_t *report_run(const char *path, const char *function, enum sam_status status,
                          const struct sam_error *error, const struct sam_tile_stats *s,
                          double seconds)
{
    static const struct report_field fields[] = {
        REPORT_FIELD_AS("operations", struct sam_tile_stats, ops),
        REPORT_FIELD_AS("tile_operations", struct sam_tile_stats, tile_ops),
        REPORT_FIELD(struct sam_tile_stats, elements),
        REPORT_FIELD_AS("bytes_loaded", struct sam_tile_stats, loaded),
        REPORT_FIELD_AS("bytes_stored", struct sam_tile_stats, stored),
        {0},
    };
    json_t *ops = json_object(), *pipes = json_object(), *memories = json_object();
    for (size_t i = 0; i < SAM_TILE_OPS; i++)
        if (s->by_op[i].ops)
            ops = report_set(ops, op_name(i), count(&s->by_op[i]));
    for (int i = 0; i < SAM_TILE_PIPES; i++)
        pipes = report_set(pipes, sam_tile_pipe_name((enum sam_tile_pipe)i), count(&s->by_pipe[i]));
    for (int i = 0; i < SAM_TILE_LOCS; i++)
        memories = report_count(memories, sam_tile_loc_name((enum sam_tile_loc)i), s->highest[i]);
    json_t *root =
        REPORT(TEXT("program", path), TEXT("function", function),
               TEXT("end", status == SAM_OK            ? "done"
                           : status == SAM_ERR_STOPPED ? "stopped"
                                                       : "failed"),
               TEXT("error", status == SAM_OK ? NULL : error->text), REAL("seconds", seconds));
    root = report_fields(root, fields, s);
    return REPORT_MORE(root, TREE("ops", ops), TREE("pipes", pipes), TREE("memories", memories));
}

static void print_end(const json_t *report, bool done, FILE *text)
{
    report_print(text, "{program}", report);
    report_print(text, "?function  @{function}", report);
    report_print(text,
                 done ? ": done, {operations} operations ({tile_operations} on tiles)\n"
                      : ": FAILED, {operations} operations ({tile_operations} on tiles)\n",
                 report);
}

static const char stats_lines[] = "operations      {operations:12}\n"
                                  "on tiles        {tile_operations:12} {elements:14} elements\n"
                                  "*ops   {key:-16} {count:9} {elements:14}\n"
                                  "*pipes?count pipe {key:-10} {count:12} {elements:14}\n"
                                  "bytes loaded    {bytes_loaded:12}\n"
                                  "bytes stored    {bytes_stored:12}\n"
                                  "*memories?value {key:-5} up to     {value:12} bytes\n";

/* Run the function and report. */
static int execute(struct run *run)
{
    const struct tile *t = run->tile;
    struct sam_tile_stats stats = {0};
    const char *name = sam_tile_function_name(t->program, t->function);
    const double start = cli_now();
    const enum sam_status status =
        sam_tile_run(t->program, t->function, t->given, run->arguments.count,
                     &run->command->tile.options, &stats, &run->error);
    json_t *report = report_run(run->request->files.items[0], name, status, &run->error, &stats,
                                cli_now() - start);
    if (!report)
        return cli_no_memory();
    if (!run->request->quiet && (status == SAM_OK || status == SAM_ERR_TRAP))
        print_end(report, status == SAM_OK, run->text);
    fflush(run->text); /* before the error message */
    int code = cli_code(status, &run->error);
    if (run->request->stats == RUN_STATS_TEXT && stats.ops)
        report_print(run->text, stats_lines, report);
    code = code ?: run_checks_compare(run) ?: run_arguments_write(&run->arguments);
    if (run->json_checks && (status == SAM_OK || stats.ops))
        run->report = report_set(report, "checks", json_incref(run->json_checks));
    else
        json_decref(report);
    return code;
}

static void close_program(struct run *run)
{
    sam_tile_program_free(run->tile->program);
    free(run->tile->given);
}

const struct machine machine_tile = {
    .size = sizeof(struct tile),
    .check = check,
    .writes_stdout = writes_stdout,
    .open = open_program,
    .execute = execute,
    .close = close_program,
};
