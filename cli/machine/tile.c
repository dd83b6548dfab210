/* SPDX-License-Identifier: Apache-2.0 */
/* samite run PROGRAM.pto: arguments, the run, statistics. */
#include "machine/tile.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "machine/tile_report.h"
#include "samite/file.h"
#include "stop.h"

enum { MAX_SOURCE = 64 << 20 };

struct state {
    struct run_request *request;
    struct tile_request *tile;
    const char *path;
    FILE *text;          /* for people: stdout unless data goes there */
    json_t *json_checks; /* NULL without --json */
};

enum sam_status run_tile_read(const char *path, struct sam_tile_program **program, char **messages,
                              struct sam_error *error)
{
    char *text = NULL;
    size_t size;
    *program = NULL;
    *messages = NULL;
    enum sam_status status = sam_file_load(path, MAX_SOURCE, &text, &size, error);
    if (status == SAM_OK)
        status = cli_expect_text(path, text, size, "a tile program (.pto)", error);
    if (status == SAM_OK)
        status = sam_tile_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, text, size, program,
                                messages, error);
    free(text);
    return status;
}

struct sam_tile_program *run_tile_load(const char *path)
{
    struct sam_error error = {0};
    struct sam_tile_program *program;
    char *messages;
    enum sam_status status = run_tile_read(path, &program, &messages, &error);
    if (messages && messages[0])
        cli_put_messages(messages);
    else if (status != SAM_OK)
        cli_report(&error);
    free(messages);
    return program;
}

/* --- the command line */

const struct cli_option run_tile_shared_rows[] = {
    CLI_ROW(struct tile_request, func, "func", CLI_TEXT, "NAME",
            "function to run; needed when there are several"),
    CLI_ROW(struct tile_request, options.nan, "nan", CLI_CHOICE, NULL,
            "how min and max treat NaN: number (the default), propagate, first",
            .choices = "number propagate first"),
    CLI_ROW(struct tile_request, options.outside, "pad", CLI_CHOICE, NULL,
            "elements outside the valid rectangle: keep (the default), or the pad value",
            .choices = "keep value"),
    {0},
};

const struct cli_option run_tile_rows[] = {
    CLI_ROW(struct tile_request, options.profile, "profile", CLI_CHOICE, NULL,
            "a5 (the default), a2a3, host (memories without limit)", .choices = RUN_TILE_PROFILES),
    CLI_ROW(struct tile_request, options.sum_order, "sum-order", CLI_CHOICE, NULL,
            "order of floating-point sums: rising (the default), or that of the system",
            .choices = "rising system"),
    CLI_ROW(struct tile_request, options.max_ops, "max-ops", CLI_NUMBER, "N",
            "fail after N operations", .low = 1),
    CLI_ROW(struct tile_request, options.plain, "plain", CLI_FLAG, NULL,
            "no vector loops on the host; the results are the same"),
    {0},
};

/* Whether an argument begins with one of the kinds and a colon. */
static bool is_kind(const char *text)
{
    static const char *const kinds[] = {"in",  "out", "inout", "local", "packed", "u8",
                                        "i8",  "u16", "i16",   "u32",   "i32",    "u64",
                                        "i64", "f16", "f32",   "f64",   "bool"};
    size_t size = strcspn(text, ":");
    for (size_t i = 0; text[size] && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i]) == size && memcmp(kinds[i], text, size) == 0)
            return true;
    return false;
}

/* Turn "NAME:FILE.npy" into "NAME=in:FILE.npy", and "NAME:out:..." into "NAME=out:...". */
static char *named_file(struct cli_args *args, const char *word)
{
    size_t size = strcspn(word, ":="), length = strlen(word);
    const char *between = word[size] != ':' || is_kind(word) ? ""
                          : is_kind(word + size + 1)         ? "="
                                                             : "=in";
    const char *rest = word + size + (strcmp(between, "=") == 0);
    char *text = cli_own(args, length + 4, 1);
    if (text)
        snprintf(text, length + 4, "%.*s%s%s", (int)size, word, between, rest);
    return text;
}

int run_tile_name_arguments(struct run_request *r)
{
    for (size_t i = 0; i < r->arguments.count; i++) {
        r->arguments.items[i] = named_file(r->args, r->arguments.items[i]);
        if (!r->arguments.items[i])
            return cli_no_memory();
    }
    return CLI_OK;
}

int run_tile_function(const struct cli_args *args, const struct sam_tile_program *program,
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

void run_tile_give(struct run_argument *from, struct sam_tile_argument *to)
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

/* Run the function and report. */
static int execute(struct state *s, const struct sam_tile_program *program, size_t function,
                   const struct run_arguments *arguments, struct sam_tile_argument *given,
                   const struct run_check *checks)
{
    const struct run_request *r = s->request;
    struct sam_error error = {0};
    struct sam_tile_stats stats = {0};
    const char *name = sam_tile_function_name(program, function);
    double start = cli_now();
    enum sam_status status =
        sam_tile_run(program, function, given, arguments->count, &s->tile->options, &stats, &error);
    double seconds = cli_now() - start;
    json_t *report = run_tile_report(s->path, name, status, &error, &stats, seconds);
    if (!report)
        return cli_no_memory();
    if (!r->quiet && (status == SAM_OK || status == SAM_ERR_TRAP))
        run_tile_print_end(report, status == SAM_OK, s->text);
    fflush(s->text); /* before the error message */
    int code = status == SAM_OK ? CLI_OK : cli_report(&error);
    if (r->stats == RUN_STATS_TEXT && stats.ops)
        report_print(s->text, run_tile_stats, report);
    code = code ?: run_checks_compare(checks, r->checks.count, s->text, s->json_checks)
        ?: run_arguments_write(arguments);
    if (s->json_checks && (status == SAM_OK || stats.ops)) {
        int printed = cli_json_print(report_set(report, "checks", json_incref(s->json_checks)));
        return printed == CLI_OK ? code : printed;
    }
    json_decref(report);
    return code;
}

static int run_program(struct state *s, const struct sam_tile_program *program,
                       struct run_arguments *arguments, struct sam_tile_argument *given)
{
    const struct run_request *r = s->request;
    struct run_check *checks = NULL;
    size_t function = 0;
    int code = run_tile_function(r->args, program, s->path, s->tile->func, &function);
    if (code != CLI_OK)
        return code;
    code = run_checks_parse(r->args, &r->checks, arguments, &checks);
    for (size_t i = 0; i < arguments->count && code == CLI_OK; i++)
        run_tile_give(&arguments->items[i], &given[i]);
    code = code ?: execute(s, program, function, arguments, given, checks);
    run_checks_free(checks, r->checks.count);
    return code;
}

/* Check the program, and print all errors found. */
static int check_program(const struct sam_tile_program *program, enum sam_tile_profile profile)
{
    struct sam_error error = {0};
    char *messages = NULL;
    enum sam_status status = sam_tile_check(program, profile, &messages, &error);
    cli_put_messages(messages);
    free(messages);
    return status == SAM_OK ? CLI_OK : CLI_BAD_INPUT;
}

static int run_state(struct state *s)
{
    struct run_request *r = s->request;
    struct run_arguments arguments = {0};
    struct sam_tile_program *program = run_tile_load(s->path);
    if (!program)
        return CLI_BAD_INPUT;
    struct sam_tile_argument *given = cli_own(r->args, r->arguments.count, sizeof *given);
    int code = given ? check_program(program, s->tile->options.profile) : cli_no_memory();
    code = code ?: run_tile_name_arguments(r)
        ?: run_arguments_parse(r->args, &r->arguments, &arguments);
    if (code == CLI_OK) {
        cli_catch_signals();
        code = run_program(s, program, &arguments, given);
    }
    run_arguments_free(&arguments);
    sam_tile_program_free(program);
    return code;
}

int run_tile(struct run_request *r, struct tile_request *tile)
{
    struct state s = {.request = r, .tile = tile};
    const bool json = r->stats == RUN_STATS_JSON, data = run_arguments_to_stdout(&r->arguments);
    if (r->files.count == 0)
        return cli_usage_error(r->args, "no program");
    if (r->files.count > 1)
        return cli_usage_error(r->args, "unexpected second program '%s'", r->files.items[1]);
    if (r->trace && strcmp(r->trace, "-") != 0)
        return cli_usage_error(r->args,
                               "--trace=%s: the trace of a tile program goes to standard "
                               "output: use --trace",
                               r->trace);
    if (json && data)
        return cli_usage_error(r->args, "--json needs standard output for itself");
    s.path = r->files.items[0];
    s.text = json || data ? stderr : stdout;
    s.json_checks = json ? json_array() : NULL;
    if (json && !s.json_checks)
        return cli_no_memory();
    tile->options.size = sizeof tile->options;
    tile->options.stop = cli_stop_flag();
    if (r->trace)
        tile->options.trace = s.text;
    int code = cli_reads(r->args, s.path) ?: run_state(&s);
    json_decref(s.json_checks);
    return code;
}
