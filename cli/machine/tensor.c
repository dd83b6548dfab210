/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine tensor PROGRAM`: a program on the tensor hart. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "machine/lower.h"
#include "machine/system.h"
#include "machine/tensor.h"
#include "progress.h"
#include "stop.h"

struct state {
    struct hart_request *request;
    struct sam_hart *hart;
    struct run_system *system; /* whose hart it is, or NULL */
    struct sam_image *image;
    struct run_console console;
    struct sam_hostio *host;
    struct sam_output *trace, *traces[HART_TRACES];
    struct run_perfetto perfetto;
    struct run_arguments arguments;
    struct run_check *checks;
    json_t *json_checks; /* NULL without --json */
    FILE *text;          /* for people: stdout unless data goes there */
    struct cli_progress progress;
    struct sam_profile *profile; /* NULL: not asked for */
    struct sam_error error;
};

/* Open an output; nothing if `path` is NULL. */
static bool open_sink(struct state *s, const char *path, struct sam_output **output,
                      struct sam_sink *sink)
{
    if (!path)
        return true;
    enum sam_status status = sam_output_open(path, output, &s->error);
    *sink = (struct sam_sink){sam_output_write, *output};
    return status == SAM_OK;
}

static void show_progress(void *context, const struct sam_hart_progress *progress)
{
    struct state *s = context;
    if (cli_progress_due(&s->progress))
        cli_progress_show(&s->progress, "run", progress->instructions, progress->limit,
                          "instructions", progress->instructions, "instructions");
}

static bool read_memory(void *context, uint64_t address, void *data, size_t size,
                        struct sam_error *error)
{
    return sam_hart_read(context, address, data, size, error) == SAM_OK;
}

static int prepare(struct state *s)
{
    struct hart_request *r = s->request;
    struct sam_sink *const sinks[HART_TRACES] = {&r->options.konata, &r->options.vcd,
                                                 &r->options.bus, &r->options.timeline};
    bool cycles = r->cycles;
    cli_catch_signals();
    r->options.stop = cli_stop_flag();
    r->options.progress = show_progress;
    r->options.progress_context = s;
    r->options.profile = s->profile;
    if (!open_sink(s, r->run->trace, &s->trace, &r->options.trace))
        return cli_report(&s->error);
    for (int i = 0; i < HART_TRACES; i++) {
        if (!open_sink(s, r->traces[i], &s->traces[i], sinks[i]))
            return cli_report(&s->error);
        cycles |= r->traces[i] != NULL;
    }
    if (s->traces[HART_TIMELINE])
        r->options.timeline = run_perfetto_sink(&s->perfetto, r->run, r->traces[HART_TIMELINE],
                                                s->traces[HART_TIMELINE]);
    if (cycles)
        r->options.engines = &r->engines;
    if (cycles && (r->options.isa.extensions & SAM_EXT_XMATRIX))
        r->options.cycles = &r->mxu;
    s->console = (struct run_console){.output = s->text, .progress = &s->progress};
    int code = run_hart_host(r, &s->console, &s->host);
    r->options.hostio = s->host;
    if (code == CLI_OK && r->system)
        code = run_system_make(r, s->image, &s->console, &s->system, &s->hart);
    if (code == CLI_OK)
        code = r->system ? run_system_fill(r, s->image, &s->arguments, s->system)
                         : run_hart_make(r, s->image, &s->arguments, &s->hart);
    return code ?: run_check_dumps(r->run, read_memory, s->hart);
}

static bool uses_engines(const struct sam_engines_report *report)
{
    uint64_t instructions = 0;
    for (int i = 0; i < SAM_ENGINE_COUNT; i++)
        instructions += report->engine[i].instructions;
    return instructions != 0;
}

/* Checks after a successful end, and outputs, unless what they are from failed. */
static int finish_arguments(struct state *s)
{
    const struct hart_request *r = s->request;
    size_t races = 0;
    int code = r->lowered ? run_lower_fetch(r, run_system_of(s->system))
                          : run_arguments_fetch(&s->arguments, read_memory, s->hart);
    code = code ?: run_checks_compare(s->checks, r->run->checks.count, s->text, s->json_checks);
    if (s->system)
        sam_system_races(run_system_of(s->system), &races, NULL);
    return code == CLI_OK && !races ? run_arguments_write(&s->arguments) : code;
}

static void print_energy(struct state *s)
{
    struct sam_energy energy;
    char *text = NULL;
    if (sam_hart_energy(s->hart, &energy) &&
        sam_energy_report(&energy, false, &text, &s->error) == SAM_OK)
        fputs(text, s->text);
    sam_text_free(text);
}

/* Show what the user asked for, however the run ended. */
static int show_results(struct state *s, const struct sam_hart_result *result, double seconds)
{
    const struct hart_request *r = s->request;
    const struct run_range *dump;
    int code = CLI_OK;
    json_t *report = run_hart_report(r, result, s->hart, seconds);
    if (s->system)
        report = run_system_report(s->system, report);
    if (!report)
        return cli_no_memory();
    if (!r->run->quiet && !r->run->driver) /* whose user took the time */
        run_hart_print_end(report, result->end, s->text);
    struct sam_engines_report engines;
    const struct sam_mxu_stats *matrix = sam_hart_cycles(s->hart);
    const bool json = r->run->stats == RUN_STATS_JSON, shown = r->cycles && !json && !s->system;
    if (s->system && r->cycles)
        code = run_system_cycles(s->system, r, s->image, report, json ? NULL : s->text);
    /* With a matrix unit, the engines are shown only if the program uses them. */
    if (shown && sam_hart_engines(s->hart, &engines) && (!matrix || uses_engines(&engines)))
        cli_engines_print(json_object_get(report, "engines"), s->text);
    if (shown && matrix)
        run_hart_print_cycles(json_object_get(report, "matrix"), &r->mxu, matrix, s->text);
    if (shown)
        print_energy(s);
    if (r->run->stats == RUN_STATS_TEXT)
        report_print(s->text, run_hart_stats, report);
    if (r->run->stats == RUN_STATS_TEXT && s->system)
        report_print(s->text, run_system_stats, report);
    for (size_t i = 0; i < r->tls.count; i++)
        run_hart_report_tl(s->hart, (unsigned)r->tls.items[i], s->text);
    for (size_t i = 0; i < r->ms.count; i++)
        run_hart_report_m(s->hart, (unsigned)r->ms.items[i], s->text);
    /* What was stopped writes no files. */
    for (size_t at = 0;
         code == CLI_OK && result->end != SAM_HART_STOPPED && (dump = run_next_dump(r->run, &at));)
        code = run_dump_memory(read_memory, s->hart, dump);
    const bool ended = result->end == SAM_HART_EXIT || result->end == SAM_HART_UNTIL ||
                       (result->end == SAM_HART_EBREAK && r->ebreak == HART_EBREAK_ENDS);
    if (code == CLI_OK && ended && !(r->lowered && result->exit_code))
        code = finish_arguments(s);
    if (r->run->stats == RUN_STATS_JSON && code != CLI_BAD_INPUT) {
        if (json_array_size(s->json_checks))
            report = report_set(report, "checks", json_incref(s->json_checks));
        int printed = cli_json_print(report);
        return printed == CLI_OK ? code : printed;
    }
    json_decref(report);
    return code;
}

static int commit(struct sam_output **output)
{
    struct sam_error error;
    struct sam_output *file = *output;
    *output = NULL;
    return !file || sam_output_commit(file, &error) == SAM_OK ? CLI_OK : cli_report(&error);
}

/* Whether a file of the run could not be written: dropping it, after the run, names it. */
static bool output_failed(const struct state *s)
{
    return cli_any_failed(&s->trace, 1) || cli_any_failed(s->traces, HART_TRACES) ||
           (s->system && run_system_output_failed(s->system));
}

static int report_failure(const struct state *s, const struct sam_error *error)
{
    return error->status == SAM_ERR_IO && output_failed(s) ? CLI_BAD_INPUT : cli_report(error);
}

/* Commit the traces and the timeline. */
static int finish_files(struct state *s)
{
    struct sam_error error;
    int traced = commit(&s->trace);
    if (s->traces[HART_TIMELINE] &&
        (s->system ? sam_system_end_timeline(run_system_of(s->system), &error)
                   : sam_hart_end_timeline(s->hart, &error)) != SAM_OK)
        return report_failure(s, &error);
    if (sam_hart_end_traces(s->hart, &error) != SAM_OK)
        return report_failure(s, &error);
    int code = s->system ? run_system_finish(s->system, s->request, s->image, s->text) : CLI_OK;
    for (int i = 0; i < HART_TRACES; i++) {
        int one = commit(&s->traces[i]);
        code = code == CLI_OK ? one : code;
    }
    return traced == CLI_OK ? code : traced;
}

static int write_profile(struct state *s)
{
    const struct hart_request *r = s->request;
    const struct sam_profile_options options = {.size = sizeof options,
                                                .isa = &r->options.isa,
                                                .image = s->image,
                                                .title = run_hart_name(r->run->files.items[0])};
    return run_profile_write(s->profile, r->profile, &options, s->text);
}

/* Let the driver of the request run the program. */
static int drive(struct state *s, struct sam_hart_result *result, bool *ended)
{
    const struct hart_request *r = s->request;
    struct run_session opened = {
        .hart = s->hart,
        .image = s->image,
        .name = run_hart_name(r->run->files.items[0]),
        .arguments = &s->arguments,
        .has_until = r->until != NULL,
        .text = s->text,
    };
    if (r->until && !run_hart_until(r, s->image, &opened.until))
        return CLI_BAD_INPUT;
    return run_drive_hart(r->run, &opened, result, ended);
}

static int execute(struct state *s)
{
    struct sam_hart_result result;
    double started = cli_now();
    bool ended = false;
    int code = s->request->run->driver ? drive(s, &result, &ended) : CLI_OK;
    if (code == CLI_SHOWN || code == CLI_PROGRAM_FAILED) {
        int closed = finish_files(s); /* of what has run */
        closed = closed == CLI_OK ? write_profile(s) : closed;
        return closed == CLI_OK ? code : closed;
    }
    if (code != CLI_OK)
        return code;
    enum sam_status status = SAM_OK;
    if (!ended) {
        cli_progress_start(&s->progress, s->request->run->quiet);
        status = s->system ? run_system_execute(s->system, &result, &s->error)
                           : sam_hart_run(s->hart, &result, &s->error);
        cli_progress_clear(&s->progress);
    }
    double seconds = cli_now() - started;
    if (status == SAM_OK || status == SAM_ERR_TRAP) {
        code = finish_files(s);
        int shown = show_results(s, &result, seconds);
        code = code == CLI_OK ? shown : code;
        shown = write_profile(s);
        code = code == CLI_OK ? shown : code;
    } else if (status == SAM_ERR_STOPPED) {
        code = show_results(s, &result, seconds);
    }
    fflush(s->text);
    if (s->system && (status == SAM_OK || status == SAM_ERR_TRAP)) {
        int raced = run_system_check(s->system, s->text);
        code = code == CLI_OK ? raced : code;
    }
    if (status != SAM_OK) {
        int failed = report_failure(s, &s->error);
        code = code == CLI_OK ? failed : code;
    } else if (result.end == SAM_HART_EXIT && result.exit_code != 0 && s->request->lowered) {
        const int failed = run_lower_failure(s->request, run_system_of(s->system));
        code = code == CLI_OK ? failed : code;
    } else if (result.end == SAM_HART_EXIT && result.exit_code != 0) {
        cli_error("%s: exit code %llu", run_hart_name(s->request->run->files.items[0]),
                  (unsigned long long)result.exit_code);
        /* The program's own code, as far as a command can return it. */
        if (code != CLI_BAD_INPUT)
            code = result.exit_code <= 255 ? (int)result.exit_code : CLI_PROGRAM_FAILED;
    } else if (result.end == SAM_HART_EBREAK && s->request->ebreak != HART_EBREAK_ENDS) {
        cli_error("%s: expected an exit (--ebreak ok accepts it)", result.text);
        code = code == CLI_OK ? CLI_PROGRAM_FAILED : code;
    }
    return code;
}

/* --config help: the engines', and below them those of the matrix unit. */
int run_hart_list_parameters(void)
{
    cli_engines_parameters();
    printf("\nof the matrix unit\n");
    cli_parameters(sam_mxu_parameter);
    printf("\nof the energy\n");
    cli_parameters(sam_energy_parameter);
    return CLI_SHOWN;
}

static int read_arguments(struct state *s)
{
    const struct run_request *r = s->request->run;
    int code = run_arguments_parse(r->args, &r->arguments, &s->arguments);
    return code == CLI_OK ? run_checks_parse(r->args, &r->checks, &s->arguments, &s->checks) : code;
}

const char *run_hart_key(size_t index)
{
    static const struct sam_parameter *(*const tables[])(size_t) = {
        sam_engines_parameter, sam_mxu_parameter, sam_energy_parameter};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        size_t count = 0;
        while (tables[t](count))
            count++;
        if (index < count)
            return tables[t](index)->name;
        index -= count;
    }
    return NULL;
}

int run_hart(struct hart_request *r)
{
    struct state s = {.request = r, .text = stdout};
    const bool json = r->run->stats == RUN_STATS_JSON;
    int code = run_hart_check(r);
    s.text = json || run_hart_writes_data(r) ? stderr : stdout;
    if (code == CLI_OK && json && !(s.json_checks = json_array()))
        code = cli_no_memory();
    code = code ?: read_arguments(&s);
    if (code == CLI_OK)
        code = run_profile_open(r->run->args, "profile", r->profile, &s.profile);
    code = code ?: run_hart_load(r, &s.arguments, &s.image) ?: prepare(&s) ?: execute(&s);
    if (r->system)
        run_system_free(s.system);
    else
        sam_hart_free(s.hart); /* writes the rest of its traces */
    sam_hostio_free(s.host);
    cli_drop_output(s.trace);
    for (int i = 0; i < HART_TRACES; i++)
        cli_drop_output(s.traces[i]);
    sam_profile_free(s.profile);
    if (!r->lowered)
        sam_image_free(s.image);
    run_lower_close(r);
    json_decref(s.json_checks);
    run_checks_free(s.checks, r->run->checks.count);
    run_arguments_free(&s.arguments);
    return code;
}
