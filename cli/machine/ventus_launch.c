/* SPDX-License-Identifier: Apache-2.0 */
/* One launch: log, printed text, report; pokes and the checks before them. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "run/run.h"
#include "stop.h"

static bool print_text(void *context, const void *data, size_t size)
{
    struct run *run = context;
    cli_progress_clear(&run->progress);
    return fwrite(data, 1, size, run->text) == size && fflush(run->text) == 0;
}

static void show_progress(void *context, const struct sam_gpu_progress *progress)
{
    struct run *run = context;
    char what[32];
    if (!cli_progress_due(&run->progress))
        return;
    snprintf(what, sizeof what, "launch %u", run->launches);
    cli_progress_show(&run->progress, what, progress->done, progress->workgroups, "workgroups",
                      progress->warp_insns, "warp instructions");
}

/* The options of the request, and those that the command adds. */
static struct sam_gpu_options options_of(struct run *run)
{
    struct sam_gpu_options options = run->asked->options;
    options.size = sizeof options;
    /* the public driver caps the buffer, as sam_gpu_prepare does */
    options.fit_pds = run->pds_room != 0 || run->asked->kernel;
    options.pds_room = run->pds_room;
    options.lds_ranges = run->asked->lds_ranges.items;
    options.lds_range_count = run->asked->lds_ranges.count;
    if (run->asked->sv39) {
        options.sv39 = true;
        options.ptbr = run->ptbr;
    }
    options.stop = cli_stop_flag();
    options.print = (struct sam_sink){print_text, run};
    options.timing = run->asked->cycles ? &run->timing : NULL;
    options.progress = show_progress;
    options.progress_context = run;
    return options;
}

int run_open(struct run *run)
{
    struct sam_gpu_options options = options_of(run);
    return cli_code(sam_gpu_new(&options, &run->gpu, &run->error), &run->error);
}

char *run_log_path(const char *pattern, unsigned launch)
{
    size_t room = strlen(pattern) * 6 + 16, used = 0;
    char *path = malloc(room);
    for (const char *p = pattern; path && *p; p++) {
        if (p[0] == '%' && p[1] == 'n') {
            used += (size_t)snprintf(path + used, room - used, "%u", launch);
            p++;
        } else {
            path[used++] = *p;
        }
    }
    if (path)
        path[used] = '\0';
    return path;
}

static bool log_each(const struct run *run)
{
    return run->request->trace && strstr(run->request->trace, "%n");
}

int run_close_log(struct run *run)
{
    struct sam_output *log = run->log;
    run->log = NULL;
    if (log && sam_output_commit(log, &run->error) != SAM_OK)
        return cli_report(&run->error);
    return CLI_OK;
}

/* Open the log of the next launch. */
static int open_log(struct run *run)
{
    const char *pattern = run->request->trace;
    if (!pattern)
        return CLI_OK;
    if (!run->log) {
        char *path = log_each(run) ? run_log_path(pattern, run->launches) : NULL;
        if (log_each(run) && !path)
            return cli_no_memory();
        enum sam_status status = sam_output_open(path ? path : pattern, &run->log, &run->error);
        free(path);
        if (status != SAM_OK)
            return cli_report(&run->error);
    }
    return CLI_OK;
}

/* The machine as the next launch needs it: its log, tables for the buffers there are now. */
static int set_up(struct run *run)
{
    int code = open_log(run);
    if (code != CLI_OK)
        return code;
    if (run->asked->sv39 &&
        sam_gpu_build_sv39(run->gpu, run->image, &run->ptbr, &run->error) != SAM_OK)
        return cli_report(&run->error);
    code = run_open_timing(run);
    if (code != CLI_OK)
        return code;
    struct sam_gpu_options options = options_of(run);
    if (run->log)
        options.log = (struct sam_sink){sam_output_write, run->log};
    return cli_code(sam_gpu_set_options(run->gpu, &options, &run->error), &run->error);
}

static int report(struct run *run, const struct sam_launch *launch, const char *kernel,
                  const char *source, const struct sam_gpu_result *result, enum sam_status status)
{
    const bool stopped = status == SAM_ERR_STOPPED;
    json_t *row = run_report(run, launch, kernel, source, result);
    row = run_report_cycles(run, run_report_findings(run, row));
    if (stopped)
        row = report_flag(row, "done", false);
    if (!row)
        return cli_no_memory();
    if (!stopped && !run->request->quiet && !run->request->driver) /* whose user took the time */
        report_print(run->text, run_launch_line, row);
    if (!stopped && run->request->stats == RUN_STATS_TEXT)
        report_print(run->text, run_launch_stats, row);
    const bool good = !run->json_launches || json_array_append(run->json_launches, row) == 0;
    json_decref(row);
    return good ? run_print_cycles(run) : cli_no_memory();
}

/* Whether a file of the launch could not be written: dropping it names it. */
static bool output_failed(const struct run *run)
{
    return cli_any_failed(&run->log, 1) || cli_any_failed(run->timelines, RUN_TIMELINES);
}

/* Whether a launch that was stopped has been timed in part. */
static bool has_cycles(const struct run *run, enum sam_status status)
{
    return status == SAM_ERR_STOPPED && run->asked->cycles && run->timing.result.insns > 0;
}

/* A load just past the argument buffer, or at 0 where there is none, reads an argument that was not
 * given. An unmapped page follows each buffer. */
static void explain_trap(struct run *run, const struct sam_launch *launch,
                         const struct sam_trap *trap)
{
    enum { GUARD = 4096 };
    if (!run->arguments || trap->kind != SAM_TRAP_LOAD_FAULT)
        return;
    uint64_t offset = trap->tval - launch->args;
    if (offset < launch->args_size || offset >= (uint64_t)launch->args_size + GUARD)
        return;
    size_t count = run->arguments->count, used = strlen(run->error.text);
    snprintf(run->error.text + used, sizeof run->error.text - used,
             "; the kernel reads an argument at offset %llu, but %zu argument%s given (--arg)",
             (unsigned long long)offset, count, count == 1 ? " was" : "s were");
}

/* Run the launch, or let the driver run it. The code is CLI_OK when *status says how it ended. */
static int execute(struct run *run, const struct sam_launch *launch, const char *kernel,
                   struct sam_gpu_result *result, enum sam_status *status)
{
    if (run->request->driver)
        return run_drive_launch(run, launch, kernel, result, status);
    if (!run->launches && !run->request->quiet && !run->asked->cycles)
        run_note_large(launch);
    cli_progress_start(&run->progress, run->request->quiet);
    *status = sam_gpu_launch(run->gpu, launch, result, &run->error);
    cli_progress_clear(&run->progress);
    return CLI_OK;
}

int run_launch(struct run *run, const struct sam_launch *launch, const char *kernel,
               const char *source)
{
    struct sam_gpu_result result = {0};
    enum sam_status status = SAM_OK;
    int code = set_up(run) ?: execute(run, launch, kernel, &result, &status);
    if (code == CLI_SHOWN || code == CLI_PROGRAM_FAILED) {
        int closed = run_close_log(run); /* of what has run */
        code = closed == CLI_OK ? code : closed;
    } else if (code == CLI_OK && run->measure) {
        run_add_measure(run);
        if (status != SAM_OK) {
            run->measure->error = run->error;
            code = CLI_PROGRAM_FAILED; /* whoever measures says so */
        }
    } else if (code == CLI_OK) {
        if (status == SAM_OK || status == SAM_ERR_TRAP || has_cycles(run, status))
            code = report(run, launch, kernel, source, &result, status);
        code = code ?: run_print_findings(run);
        if (status != SAM_OK) {
            fflush(run->text);
            explain_trap(run, launch, &result.trap);
            int failed = output_failed(run) ? CLI_BAD_INPUT : cli_report(&run->error);
            run_report_places(run, launch, &result, stderr);
            code = code == CLI_OK ? failed : code;
        }
        /* The log of a failing kernel is kept: it shows what led to the trap. */
        if ((log_each(run) && status == SAM_OK) || status == SAM_ERR_TRAP) {
            int closed = run_close_log(run);
            code = code == CLI_OK ? closed : code;
        }
    }
    run->launches++;
    const int closed_timing = run_close_timing(run, status == SAM_OK || status == SAM_ERR_TRAP);
    code = code == CLI_OK ? closed_timing : code;
    if (code != CLI_OK) {
        cli_drop_output(run->log);
        run->log = NULL;
    }
    sam_gpu_result_free(&result);
    return code;
}

bool run_gpu_read(void *gpu, uint64_t address, void *data, size_t size, struct sam_error *error)
{
    return sam_gpu_read(gpu, (uint32_t)address, data, size, error) == SAM_OK;
}

int run_poke(struct run *run, const struct run_step *step)
{
    /* Byte by byte: they may lie in two buffers. */
    for (unsigned i = 0; i < step->bytes; i++) {
        const uint8_t byte = (uint8_t)(step->value >> 8 * i);
        if (sam_gpu_write(run->gpu, step->address + i, &byte, 1, &run->error) != SAM_OK)
            return cli_report(&run->error);
    }
    return CLI_OK;
}

/* A buffer for those bytes of a poke that are in none. */
static int map_poke(struct run *run, const struct run_step *step)
{
    unsigned from = 0, to = 0;
    while (from < step->bytes) {
        while (from < step->bytes && run_gpu_read(run->gpu, step->address + from, NULL, 1, NULL))
            from++;
        for (to = from; to < step->bytes; to++)
            if (run_gpu_read(run->gpu, step->address + to, NULL, 1, NULL))
                break;
        if (to > from &&
            sam_gpu_map(run->gpu, step->address + from, to - from, &run->error) != SAM_OK)
            return cli_error("--poke 0x%08x: %s", step->address, run->error.text);
        from = to;
    }
    return CLI_OK;
}

int run_check_steps(struct run *run)
{
    const struct run_request *r = run->request;
    int code = CLI_OK;
    for (size_t i = 0; i < r->steps.count && code == CLI_OK; i++)
        if (r->steps.items[i].kind == RUN_POKE)
            code = map_poke(run, &r->steps.items[i]);
    return code ?: run_check_dumps(r, run_gpu_read, run->gpu);
}
