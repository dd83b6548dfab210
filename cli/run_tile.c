/* SPDX-License-Identifier: Apache-2.0 */
/* samite run PROGRAM.pto: arguments, the run, statistics. */
#include "run_tile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files.h"
#include "run_tile_report.h"
#include "samite/file.h"
#include "stop.h"

enum { MAX_SOURCE = 64 << 20 };

struct request {
    const struct cli_args *args;
    const char *path, *func;
    struct sam_tile_options options;
    struct run_request words; /* arguments and checks, as the kernels of Ventus have them */
    bool trace, quiet;
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

static int choose(const struct request *r, const char *option, const char *const *words,
                  const char *value)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    char all[256] = "";
    size_t used = 0;
    for (int i = 0; words[i] && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s %s", i ? "," : "", words[i]);
    cli_usage_error(r->args, "--%s: expected%s, found '%s'", option, all, value);
    return -1;
}

static int parse_option(struct request *r, int option, const char *value)
{
    static const char *const nans[] = {"number", "propagate", "first", NULL};
    static const char *const pads[] = {"keep", "value", NULL};
    int word = 0;
    switch (option) {
    case CLI_POSITIONAL:
        if (r->path)
            return cli_usage_error(r->args, "unexpected second program '%s'", value);
        r->path = value;
        break;
    case OPT_FUNC: r->func = value; break;
    case OPT_ARG: return run_append(&r->words.arguments, value);
    case OPT_CHECK: return run_append(&r->words.checks, value);
    case OPT_NAN:
        word = choose(r, "nan", nans, value);
        r->options.nan = (enum sam_tile_nan)word;
        break;
    case OPT_PAD:
        word = choose(r, "pad", pads, value);
        r->options.outside = (enum sam_tile_outside)word;
        break;
    case OPT_PROFILE:
        if (!sam_tile_profile_parse(value, &r->options.profile))
            return cli_usage_error(r->args, "--profile: expected a2a3, a5 or host, found '%s'",
                                   value);
        break;
    case OPT_MAX_OPS:
        if (!sam_parse_u64(value, &r->options.max_ops) || !r->options.max_ops)
            return cli_usage_error(r->args, "--max-ops: '%s' is not a number from 1", value);
        break;
    case OPT_PLAIN: r->options.plain = true; break;
    case OPT_TRACE:
        if (value)
            return cli_usage_error(r->args, "--trace has no value for a tile program");
        r->trace = true;
        break;
    case OPT_JSON: return run_parse_stats(r->args, "json", &r->words.stats);
    case OPT_STATS: return run_parse_stats(r->args, value, &r->words.stats);
    case 'q': r->quiet = true; break;
    default: return CLI_BAD_INPUT; /* verb_run.c has refused the others */
    }
    return word < 0 ? CLI_BAD_INPUT : CLI_OK;
}

/* Does an argument start with this word and a colon? */
static bool is_kind(const char *text)
{
    static const char *const kinds[] = {"in",  "out", "inout", "local", "u8",  "i8",
                                        "u16", "i16", "u32",   "i32",   "u64", "i64",
                                        "f16", "f32", "f64",   "bool"};
    size_t size = strcspn(text, ":");
    for (size_t i = 0; text[size] && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i]) == size && memcmp(kinds[i], text, size) == 0)
            return true;
    return false;
}

/* "NAME:FILE.npy" as "NAME=in:FILE.npy", "NAME:out:..." as "NAME=out:..."; malloc'ed. */
static char *named_file(const char *word)
{
    size_t size = strcspn(word, ":="), length = strlen(word);
    const char *between = word[size] != ':' || is_kind(word) ? ""
                          : is_kind(word + size + 1)         ? "="
                                                             : "=in";
    const char *rest = word + size + (strcmp(between, "=") == 0);
    char *text = malloc(length + 4);
    if (text)
        snprintf(text, length + 4, "%.*s%s%s", (int)size, word, between, rest);
    return text;
}

/* --- the run */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give(struct run_argument *from, struct sam_tile_argument *to)
{
    *to = (struct sam_tile_argument){
        .name = from->name, .output = from->output, .inout = from->output && from->input};
    if (from->kind == RUN_SCALAR) {
        to->is_scalar = true;
        to->bits = from->bits;
        to->dtype = from->dtype;
    } else {
        to->array = &from->array;
    }
}

/* The arrays of outputs into their files. */
static int write_outputs(const struct run_arguments *arguments)
{
    struct sam_error error;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct run_argument *a = &arguments->items[i];
        if (a->output && a->path && sam_npy_write(a->path, &a->array, &error) != SAM_OK)
            return cli_report(&error);
    }
    return CLI_OK;
}

/* The run, and what is said of it. `state` is where checks go. */
static int execute(struct request *r, const struct sam_tile_program *program, size_t function,
                   const struct run_arguments *arguments, struct sam_tile_argument *given,
                   const struct run_check *checks, struct run *state)
{
    struct sam_error error = {0};
    struct sam_tile_stats stats = {0};
    const char *name = sam_tile_function_name(program, function);
    double start = now();
    enum sam_status status =
        sam_tile_run(program, function, given, arguments->count, &r->options, &stats, &error);
    double seconds = now() - start;
    if (!r->quiet && (status == SAM_OK || status == SAM_ERR_TRAP))
        fprintf(state->text, "%s%s%s: %s, %" PRIu64 " operations (%" PRIu64 " on tiles)\n",
                cli_plain(r->path).text, *name ? " @" : "", name,
                status == SAM_OK ? "done" : "FAILED", stats.ops, stats.tile_ops);
    fflush(state->text); /* before what went wrong */
    int code = status == SAM_OK ? CLI_OK : cli_report(&error);
    if (r->words.stats == RUN_STATS_TEXT && stats.ops)
        run_tile_report_stats(&stats, state->text);
    if (code == CLI_OK)
        code = write_outputs(arguments);
    if (code == CLI_OK)
        code = run_checks_compare(checks, r->words.checks.count, state->text, state->json_checks);
    if (state->json_checks && (status == SAM_OK || stats.ops)) {
        struct run_tile_outcome outcome = {r->path,           name, status, &error, &stats, seconds,
                                           state->json_checks};
        int printed = run_tile_report_json(&outcome);
        code = printed == CLI_OK ? code : printed;
    }
    return code;
}

static int run_program(struct request *r, const struct sam_tile_program *program,
                       struct run_arguments *arguments, struct sam_tile_argument *given)
{
    bool json = r->words.stats == RUN_STATS_JSON, data = run_writes_stdout(&r->words);
    struct run state = {.request = &r->words, .text = json || data ? stderr : stdout};
    struct run_check *checks = NULL;
    int function = r->func ? sam_tile_function_find(program, r->func) : 0;
    if (function < 0)
        return cli_usage_error(r->args, "%s has no function @%s", r->path, r->func);
    if (!r->func && sam_tile_function_count(program) > 1)
        return cli_usage_error(r->args, "--func NAME is missing; %s has %zu functions", r->path,
                               sam_tile_function_count(program));
    if (json && data)
        return cli_usage_error(r->args, "--json needs standard output for itself");
    state.json_checks = json ? json_array() : NULL;
    if (json && !state.json_checks)
        return cli_no_memory();
    if (r->trace)
        r->options.trace = state.text;
    int code = run_checks_parse(r->args, &r->words.checks, arguments, &checks);
    for (size_t i = 0; i < arguments->count && code == CLI_OK; i++)
        give(&arguments->items[i], &given[i]);
    if (code == CLI_OK)
        code = execute(r, program, (size_t)function, arguments, given, checks, &state);
    run_checks_free(checks, r->words.checks.count);
    json_decref(state.json_checks);
    return code;
}

/* Does the program pass? The errors of the checker, all of them. */
static int check_program(const struct request *r, const struct sam_tile_program *program)
{
    struct sam_error error = {0};
    char *messages = NULL;
    enum sam_status status = sam_tile_check(program, r->options.profile, &messages, &error);
    cli_put_messages(messages);
    free(messages);
    return status == SAM_OK ? CLI_OK : CLI_BAD_INPUT;
}

static int run_request(struct request *r)
{
    struct run_arguments arguments = {0};
    struct sam_tile_program *program = run_tile_load(r->path);
    if (!program)
        return CLI_BAD_INPUT;
    int code = check_program(r, program);
    char **texts = calloc(r->words.arguments.count + 1, sizeof *texts);
    struct sam_tile_argument *given = calloc(r->words.arguments.count + 1, sizeof *given);
    size_t count = r->words.arguments.count;
    bool memory = texts && given;
    for (size_t i = 0; i < count && memory; i++) {
        texts[i] = named_file(r->words.arguments.items[i]);
        memory = texts[i] != NULL;
        r->words.arguments.items[i] = texts[i];
    }
    if (!memory) {
        code = cli_no_memory();
    }
    if (code == CLI_OK)
        code = run_arguments_parse(r->args, &r->words.arguments, &arguments);
    if (code == CLI_OK && memory) {
        cli_catch_signals();
        code = run_program(r, program, &arguments, given);
    }
    run_arguments_free(&arguments);
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
    free(given);
    sam_tile_program_free(program);
    return code;
}

int run_tile(const struct run_words *words)
{
    struct request r = {.args = words->args};
    int code = CLI_OK;
    r.words.args = words->args;
    r.options.stop = cli_stop_flag();
    for (size_t i = 0; code == CLI_OK && i < words->list.count; i++)
        code = parse_option(&r, words->list.items[i].option, words->list.items[i].value);
    if (code == CLI_OK && !r.path)
        code = cli_usage_error(r.args, "no program");
    if (code == CLI_OK)
        code = cli_reads(r.args, r.path);
    if (code == CLI_OK)
        code = run_request(&r);
    free(r.words.arguments.items);
    free(r.words.checks.items);
    return code;
}
