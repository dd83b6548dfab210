/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine tensor PROGRAM`: a program on the tensor hart, alone or in a system. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine/machine.h"

static void show_progress(void *context, const struct sam_hart_progress *progress)
{
    struct run *run = context;
    cli_progress_show(&run->progress, "run", progress->instructions, progress->limit,
                      "instructions", progress->instructions, "instructions");
}

static bool read_memory(void *context, uint64_t address, void *data, size_t size,
                        struct sam_error *error)
{
    return sam_hart_read(context, address, data, size, error) == SAM_OK;
}

static int open_outputs(struct run *run)
{
    struct hart_request *r = &run->command->hart;
    struct sam_sink *const sinks[RUN_OUTPUTS] = {[RUN_KONATA] = &r->options.konata,
                                                 [RUN_VCD] = &r->options.vcd,
                                                 [RUN_BUS] = &r->options.bus,
                                                 [RUN_PERFETTO] = &r->options.timeline};
    int code = run_open_output(run, RUN_TRACE, run->request->trace, &r->options.trace);
    for (enum run_output i = RUN_KONATA; i <= RUN_PERFETTO && code == CLI_OK; i++) {
        code = run_open_output(run, i, r->files[i], sinks[i]);
        r->cycles_needed |= r->files[i] != NULL;
    }
    return code;
}

/* --- host services: the command's own console, files below --host-files, and the arguments after
 * "--" */

static bool write_errors(void *context, const void *data, size_t size)
{
    struct run *run = context;
    cli_progress_clear(&run->progress);
    fflush(run->text); /* earlier output is shown first */
    return fwrite(data, 1, size, stderr) == size;
}

/* A signal ends the wait, and the run with it. */
static size_t read_input(void *context, void *data, size_t size)
{
    const struct run *run = context;
    ssize_t got;
    fflush(run->text); /* a prompt before the input */
    do
        got = read(STDIN_FILENO, data, size);
    while (got < 0 && errno == EINTR && !cli_stopped());
    return got < 0 ? 0 : (size_t)got;
}

/* A run without text has no console. */
static int make_host(struct run *run)
{
    const struct run_request *r = run->request;
    struct sam_hostio_options options = {.size = sizeof options,
                                         .folder = run->command->hart.host_files,
                                         .arguments = r->files.items + r->programs,
                                         .argument_count = r->files.count - r->programs};
    if (run->text) {
        options.output = (struct sam_sink){run_print, run};
        options.errors = (struct sam_sink){write_errors, run};
        options.input = read_input;
        options.input_context = run;
    }
    return cli_code(sam_hostio_new(&options, &run->tensor->host, &run->error), &run->error);
}

int tensor_open(struct run *run)
{
    struct tensor *t = run->tensor;
    struct hart_request *r = &run->command->hart;
    struct sam_hart_options *o = &r->options;
    int code = run->image ? CLI_OK : tensor_load(r, &run->arguments, &run->image);
    if (code != CLI_OK)
        return code;
    cli_catch_signals();
    o->stop = cli_stop_flag();
    o->profile = run->profile;
    if (run->text) {
        o->progress = show_progress;
        o->progress_context = run;
    }
    if ((code = open_outputs(run)) != CLI_OK)
        return code;
    if (r->cycles || r->cycles_needed)
        o->engines = &r->engines;
    if (o->engines && (o->isa.extensions & SAM_EXT_XMATRIX))
        o->cycles = &r->mxu;
    code = make_host(run);
    o->hostio = t->host;
    if (code == CLI_OK && r->system)
        code = system_make(run);
    if (code == CLI_OK)
        code = r->system ? system_fill(run) : tensor_make(r, run->image, &run->arguments, &t->hart);
    run->memory = (struct run_memory){.read = read_memory, .context = t->hart};
    return code ?: run_check_dumps(run);
}

enum sam_status tensor_run(struct run *run, struct sam_hart_result *result)
{
    const struct tensor *t = run->tensor;
    struct sam_system_result ended;
    if (!t->system)
        return sam_hart_run(t->hart, result, &run->error);
    const enum sam_status status = sam_system_run(t->system, &ended, &run->error);
    *result = ended.hart;
    return status;
}

void tensor_close(struct run *run)
{
    struct tensor *t = run->tensor;
    struct hart_request *r = &run->command->hart;
    if (r->system)
        system_free(t);
    else
        sam_hart_free(t->hart); /* writes the rest of its traces */
    sam_hostio_free(t->host);
    if (r->lowered)
        run->image = NULL;
    lower_close(r);
}

static bool uses_engines(const struct sam_engines_report *report)
{
    uint64_t instructions = 0;
    for (int i = 0; i < SAM_ENGINE_COUNT; i++)
        instructions += report->engine[i].instructions;
    return instructions != 0;
}

/* Checks after a successful end; outputs, unless their source failed. */
static int finish_arguments(struct run *run)
{
    const struct hart_request *r = &run->command->hart;
    const struct tensor *t = run->tensor;
    size_t races = 0;
    int code =
        r->lowered ? lower_fetch(r, t->system) : run_arguments_fetch(&run->arguments, &run->memory);
    code = code ?: run_checks_compare(run);
    if (t->system)
        sam_system_races(t->system, &races, NULL);
    return code == CLI_OK && !races ? run_arguments_write(&run->arguments) : code;
}

static void print_energy(struct run *run)
{
    struct sam_energy energy;
    char *text = NULL;
    if (sam_hart_energy(run->tensor->hart, &energy) &&
        sam_energy_report(&energy, false, &text, &run->error) == SAM_OK)
        fputs(text, run->text);
    sam_text_free(text);
}

/* The cycles of the matrix unit and the engines by reason; with a matrix unit, the engines are
 * shown only if the program uses them. */
static void print_cycles(struct run *run, const json_t *report)
{
    struct sam_engines_report engines;
    const struct sam_mxu_stats *matrix = sam_hart_cycles(run->tensor->hart);
    if (sam_hart_engines(run->tensor->hart, &engines) && (!matrix || uses_engines(&engines)))
        cli_engines_print(json_object_get(report, "engines"), run->text);
    if (matrix)
        tensor_print_cycles(json_object_get(report, "matrix"), &run->command->hart.mxu, matrix,
                            run->text);
    print_energy(run);
}

/* Print the requested reports, for any end of the run. */
static int show_results(struct run *run, const struct sam_hart_result *result, double seconds)
{
    const struct hart_request *r = &run->command->hart;
    const struct tensor *t = run->tensor;
    const struct run_range *dump;
    FILE *text = run->text;
    struct sam_system_figures *figures = NULL;
    int code = CLI_OK;
    /* before the hart and its units report, whose cycles are then those of the system */
    if (t->system && r->cycles && sam_system_measure(t->system, &figures, &run->error) != SAM_OK)
        code = cli_report(&run->error);
    json_t *report = tensor_report(r, result, t->hart, seconds);
    if (t->system)
        report = system_report(run, report);
    if (!report) {
        sam_system_figures_free(figures);
        return cli_no_memory();
    }
    if (!r->run->quiet && !r->run->driver) /* else the elapsed time is the user's */
        tensor_print_end(report, result->end, text);
    if (t->system && r->cycles)
        code = code ?: system_cycles(run, figures, report, run->json_checks ? NULL : text);
    else if (r->cycles && !run->json_checks)
        print_cycles(run, report);
    sam_system_figures_free(figures);
    if (r->run->stats == RUN_STATS_TEXT)
        report_print(text, tensor_stats, report);
    if (r->run->stats == RUN_STATS_TEXT && t->system)
        report_print(text, system_stats, report);
    for (size_t i = 0; i < r->tls.count; i++)
        tensor_print_tl(t->hart, (unsigned)r->tls.items[i], text);
    for (size_t i = 0; i < r->ms.count; i++)
        tensor_print_m(t->hart, (unsigned)r->ms.items[i], text);
    /* A stopped run writes no files. */
    for (size_t at = 0;
         code == CLI_OK && result->end != SAM_HART_STOPPED && (dump = run_next_dump(r->run, &at));)
        code = run_dump(run, dump);
    const bool ended = result->end == SAM_HART_EXIT || result->end == SAM_HART_UNTIL ||
                       (result->end == SAM_HART_EBREAK && r->ebreak == HART_EBREAK_ENDS);
    if (code == CLI_OK && ended && !(r->lowered && result->exit_code))
        code = finish_arguments(run);
    if (json_array_size(run->json_checks))
        report = report_set(report, "checks", json_incref(run->json_checks));
    if (code == CLI_BAD_INPUT)
        json_decref(report);
    else
        run->report = report;
    return code;
}

static int report_failure(const struct run *run, const struct sam_error *error)
{
    return error->status == SAM_ERR_IO && run_output_failed(run) ? CLI_BAD_INPUT
                                                                 : cli_report(error);
}

/* Commit the traces and the timeline. */
static int finish_files(struct run *run)
{
    const struct tensor *t = run->tensor;
    struct sam_error error;
    int traced = run_commit_output(run, RUN_TRACE);
    if ((run->outputs[RUN_PERFETTO] || run->outputs[RUN_WEIGHTS_VCD]) &&
        (t->system ? sam_system_end_timeline(t->system, &error)
                   : sam_hart_end_timeline(t->hart, &error)) != SAM_OK)
        return report_failure(run, &error);
    if (sam_hart_end_traces(t->hart, &error) != SAM_OK)
        return report_failure(run, &error);
    int code = t->system ? system_finish(run) : CLI_OK;
    for (enum run_output i = RUN_KONATA; i <= RUN_PERFETTO; i++)
        code = cli_first(code, run_commit_output(run, i));
    return cli_first(traced, code);
}

static int write_profile(struct run *run)
{
    const struct hart_request *r = &run->command->hart;
    const struct sam_profile_options options = {.size = sizeof options,
                                                .isa = &r->options.isa,
                                                .image = run->image,
                                                .title = cli_input_name(r->run->files.items[0])};
    return run_profile_write(run->profile, r->profile, &options, run->text);
}

/* Let the request's driver run the program. The rest is left to tensor_run, unless *ended:
 * `result` then describes the end. */
static int drive(struct run *run, struct sam_hart_result *result, bool *ended)
{
    const struct hart_request *r = &run->command->hart;
    const struct run_driver *driver = run->request->driver;
    struct run_session opened = {
        .hart = run->tensor->hart,
        .image = run->image,
        .name = cli_input_name(r->run->files.items[0]),
        .arguments = &run->arguments,
        .count = 1,
        .has_until = r->until != NULL,
        .text = run->text,
    };
    if (r->until && !tensor_until(r, run->image, &opened.until))
        return CLI_BAD_INPUT;
    if (sam_session_open_hart(opened.hart, &opened.session, &run->error) != SAM_OK)
        return cli_report(&run->error);
    const int code = driver->drive(driver->context, &opened);
    *result = (struct sam_hart_result){
        .end = SAM_HART_EXIT,
        .exit_code = opened.exit_code,
        .instructions = sam_session_time(opened.session),
        .pc = sam_hart_pc(opened.hart),
    };
    *ended = sam_session_workgroup_state(opened.session, 0) == SAM_SESSION_ENDED;
    if (!*ended && opened.has_until && result->pc == opened.until) {
        result->end = SAM_HART_UNTIL;
        *ended = true;
    }
    sam_session_close(opened.session);
    return code;
}

/* The failure of a program that has ended without a trap: the message and the exit code, which
 * is the program's own if a command can return it. */
static int judge(struct run *run, const struct sam_hart_result *result, int code)
{
    const struct hart_request *r = &run->command->hart;
    if (result->end == SAM_HART_EXIT && result->exit_code != 0 && r->lowered)
        return cli_first(code, lower_failure(r, run->tensor->system));
    if (result->end == SAM_HART_EXIT && result->exit_code != 0) {
        cli_error("%s: exit code %llu", cli_input_name(r->run->files.items[0]),
                  (unsigned long long)result->exit_code);
        return code == CLI_BAD_INPUT      ? code
               : result->exit_code <= 255 ? (int)result->exit_code
                                          : CLI_PROGRAM_FAILED;
    }
    if (result->end == SAM_HART_EBREAK && r->ebreak != HART_EBREAK_ENDS) {
        cli_error("%s: expected an exit (--ebreak ok accepts it)", result->text);
        return cli_first(code, CLI_PROGRAM_FAILED);
    }
    return code;
}

int tensor_execute(struct run *run)
{
    const struct tensor *t = run->tensor;
    struct sam_hart_result result;
    double started = cli_now();
    bool ended = false;
    int code = run->request->driver ? drive(run, &result, &ended) : CLI_OK;
    if (code == CLI_SHOWN || code == CLI_PROGRAM_FAILED) {
        const int closed = finish_files(run) ?: write_profile(run); /* of executed instructions */
        return closed == CLI_OK ? code : closed;
    }
    if (code != CLI_OK)
        return code;
    enum sam_status status = SAM_OK;
    if (!ended) {
        cli_progress_start(&run->progress, run->request->quiet);
        status = tensor_run(run, &result);
        cli_progress_clear(&run->progress);
    }
    const double seconds = cli_now() - started;
    const bool whole = status == SAM_OK || status == SAM_ERR_TRAP;
    if (whole) {
        code = finish_files(run);
        code = cli_first(code, show_results(run, &result, seconds));
        code = cli_first(code, write_profile(run));
    } else if (status == SAM_ERR_STOPPED) {
        code = show_results(run, &result, seconds);
    }
    fflush(run->text);
    if (run->command->system.options.check_races && t->system && whole)
        code = cli_first(code, system_print_races(t->system, run->text));
    if (status != SAM_OK)
        return cli_first(code, report_failure(run, &run->error));
    return judge(run, &result, code);
}

bool tensor_writes_stdout(const struct run *run)
{
    return run_writes_stdout(run) || run_names_stdout(run->command->hart.files);
}

static int check(struct run *run)
{
    return tensor_check(&run->command->hart);
}

const struct machine machine_tensor = {
    .size = sizeof(struct tensor),
    .profile = offsetof(struct run_command, hart.profile),
    .check = check,
    .writes_stdout = tensor_writes_stdout,
    .open = tensor_open,
    .execute = tensor_execute,
    .close = tensor_close,
};
