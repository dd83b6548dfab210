/* SPDX-License-Identifier: Apache-2.0 */
/* One launch: log, printed text, report; pokes and the checks before them. */
#include <stdlib.h>

#include "machine/machine.h"

static void show_progress(void *context, const struct sam_gpu_progress *progress)
{
    struct run *run = context;
    char what[32];
    snprintf(what, sizeof what, "launch %u", run->ventus->launches);
    cli_progress_show(&run->progress, what, progress->done, progress->workgroups, "workgroups",
                      progress->warp_insns, "warp instructions");
}

/* The options of the request, and those added by the command. */
static struct sam_gpu_options options_of(struct run *run)
{
    struct sam_gpu_options options = run->ventus->asked->options;
    options.size = sizeof options;
    /* the public driver caps the buffer, as sam_gpu_prepare does */
    options.fit_pds = run->ventus->pds_room != 0 || run->ventus->asked->kernel;
    options.pds_room = run->ventus->pds_room;
    options.lds_ranges = run->ventus->asked->lds_ranges.items;
    options.lds_range_count = run->ventus->asked->lds_ranges.count;
    if (run->ventus->asked->sv39) {
        options.sv39 = true;
        options.ptbr = run->ventus->ptbr;
    }
    options.stop = cli_stop_flag();
    options.print = (struct sam_sink){run_print_now, run};
    options.timing = run->ventus->asked->cycles ? &run->ventus->timing : NULL;
    options.progress = show_progress;
    options.progress_context = run;
    return options;
}

static bool read_memory(void *context, uint64_t address, void *data, size_t size,
                        struct sam_error *error)
{
    const struct run *run = context;
    return sam_gpu_read(run->ventus->gpu, (uint32_t)address, data, size, error) == SAM_OK;
}

/* The location of the first store to an input, and "; workgroup 3 (3,0,0) warp 0 ..." of it. */
static bool find_store(void *context, uint64_t address, uint64_t *at, char *text, size_t size)
{
    const struct run *run = context;
    struct sam_trap first;
    char whole[512];
    if (!sam_gpu_stored_input(run->ventus->gpu, (uint32_t)address, &first))
        return false;
    sam_trap_describe(&first, run->image, whole, sizeof whole);
    const char *where = strchr(whole, ';');
    *at = first.tval;
    snprintf(text, size, "%s", where ? where : "");
    return true;
}

int ventus_create(struct run *run)
{
    const struct sam_gpu_options options = options_of(run);
    const enum sam_status status = sam_gpu_new(&options, &run->ventus->gpu, &run->error);
    run->memory = (struct run_memory){read_memory, find_store, run};
    return cli_code(status, &run->error);
}

char *ventus_numbered(const char *pattern, unsigned launch)
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

/* Open the log of the next launch. */
static int open_log(struct run *run, struct sam_sink *sink)
{
    const char *pattern = run->request->trace;
    if (run->outputs[RUN_TRACE])
        *sink = (struct sam_sink){sam_output_write, run->outputs[RUN_TRACE]};
    if (!pattern || run->outputs[RUN_TRACE])
        return CLI_OK;
    char *path = ventus_numbered(pattern, run->ventus->launches);
    const int code = path ? run_open_output(run, RUN_TRACE, path, sink) : cli_no_memory();
    free(path);
    return code;
}

/* Prepare the machine for the next launch: its log, tables of the current buffers. */
static int set_up(struct run *run)
{
    struct ventus *v = run->ventus;
    struct sam_sink log = {0};
    int code = open_log(run, &log);
    if (code == CLI_OK && v->asked->sv39)
        code = cli_code(sam_gpu_build_sv39(v->gpu, run->image, &v->ptbr, &run->error), &run->error);
    code = code ?: ventus_open_timelines(run);
    if (code != CLI_OK)
        return code;
    struct sam_gpu_options options = options_of(run);
    options.log = log;
    return cli_code(sam_gpu_set_options(v->gpu, &options, &run->error), &run->error);
}

static int report(struct run *run, const struct sam_launch *launch, const char *kernel,
                  const char *source, const struct sam_gpu_result *result, enum sam_status status)
{
    const bool stopped = status == SAM_ERR_STOPPED;
    json_t *row = ventus_report(run, launch, kernel, source, result);
    row = ventus_report_cycles(run, ventus_report_findings(run, row));
    if (stopped)
        row = report_flag(row, "done", false);
    if (!row)
        return cli_no_memory();
    if (!stopped && !run->request->quiet &&
        !run->request->driver) /* else the elapsed time is the user's */
        report_print(run->text, ventus_launch_line, row);
    if (!stopped && run->request->stats == RUN_STATS_TEXT)
        report_print(run->text, ventus_launch_stats, row);
    const bool good =
        !run->ventus->json_launches || json_array_append(run->ventus->json_launches, row) == 0;
    json_decref(row);
    return good ? ventus_print_cycles(run) : cli_no_memory();
}

/* Whether a launch that was stopped has been timed in part. */
static bool has_cycles(const struct run *run, enum sam_status status)
{
    return status == SAM_ERR_STOPPED && run->ventus->asked->cycles &&
           run->ventus->timing.result.insns > 0;
}

/* A load just past the argument buffer, or at 0 if there is none, reads a missing argument. An
 * unmapped page follows each buffer. */
static void explain_trap(struct run *run, const struct sam_launch *launch,
                         const struct sam_trap *trap)
{
    enum { GUARD = 4096 };
    if (!run->ventus->asked->kernel || trap->kind != SAM_TRAP_LOAD_FAULT)
        return;
    uint64_t offset = trap->tval - launch->args;
    if (offset < launch->args_size || offset >= (uint64_t)launch->args_size + GUARD)
        return;
    size_t count = run->arguments.count, used = strlen(run->error.text);
    snprintf(run->error.text + used, sizeof run->error.text - used,
             "; the kernel reads an argument at offset %llu, but %zu argument%s given (--arg)",
             (unsigned long long)offset, count, count == 1 ? " was" : "s were");
}

/* Registers of ended warps stay readable if they take little memory. */
enum { KEPT_WARPS = 1024 };

/* Open the launch for the request's driver, and run the rest of it. The code is the driver's;
 * *status and `result` as of sam_gpu_launch, SAM_OK unless the code is CLI_OK. */
static int drive(struct run *run, const struct sam_launch *launch, const char *kernel,
                 struct sam_gpu_result *result, enum sam_status *status)
{
    const struct ventus *v = run->ventus;
    const struct run_driver *driver = run->request->driver;
    const uint64_t warps = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const struct sam_session_options options = {
        .size = sizeof options,
        .keep_ended = warps <= KEPT_WARPS / launch->warps,
    };
    struct run_session opened = {
        .gpu = v->gpu,
        .launch = launch,
        .image = run->image,
        .name = kernel,
        .arguments = v->asked->kernel ? &run->arguments : NULL,
        .metadata = v->metadata,
        .number = v->launches,
        .count = v->asked->kernel ? 1 : (unsigned)v->pair_count,
        .text = run->text,
    };
    if (sam_session_open(v->gpu, launch, &options, &opened.session, &run->error) != SAM_OK)
        return cli_report(&run->error);
    const int code = driver->drive(driver->context, &opened);
    if (code == CLI_OK)
        *status = sam_session_finish(opened.session, result, &run->error);
    sam_session_close(opened.session);
    return code;
}

/* Run the launch, or let the driver run it. If the code is CLI_OK, *status is the end of the
 * launch. */
static int execute(struct run *run, const struct sam_launch *launch, const char *kernel,
                   struct sam_gpu_result *result, enum sam_status *status)
{
    const struct ventus *v = run->ventus;
    if (run->request->driver)
        return drive(run, launch, kernel, result, status);
    if (!v->launches && !run->request->quiet && !v->asked->cycles)
        ventus_note_large(launch);
    cli_progress_start(&run->progress, run->request->quiet);
    *status = sam_gpu_launch(v->gpu, launch, result, &run->error);
    cli_progress_clear(&run->progress);
    return CLI_OK;
}

/* Report a launch that has ended, and keep its log: that of a failing kernel shows the events
 * before the trap. */
static int finish(struct run *run, const struct sam_launch *launch, const char *kernel,
                  const char *source, const struct sam_gpu_result *result, enum sam_status status)
{
    int code = CLI_OK;
    if (status == SAM_OK || status == SAM_ERR_TRAP || has_cycles(run, status))
        code = report(run, launch, kernel, source, result, status);
    code = code ?: ventus_print_findings(run);
    if (status != SAM_OK) {
        fflush(run->text);
        explain_trap(run, launch, &result->trap);
        const int failed = run_output_failed(run) ? CLI_BAD_INPUT : cli_report(&run->error);
        ventus_report_places(run, launch, result, stderr);
        code = cli_first(code, failed);
    }
    if ((log_each(run) && status == SAM_OK) || status == SAM_ERR_TRAP)
        code = cli_first(code, run_commit_output(run, RUN_TRACE));
    return code;
}

int ventus_launch(struct run *run, const struct sam_launch *launch, const char *kernel,
                  const char *source)
{
    struct sam_gpu_result result = {0};
    enum sam_status status = SAM_OK;
    int code = set_up(run) ?: execute(run, launch, kernel, &result, &status);
    if (code == CLI_SHOWN || code == CLI_PROGRAM_FAILED) {
        const int closed = run_commit_output(run, RUN_TRACE); /* of executed instructions */
        code = closed == CLI_OK ? code : closed;
    } else if (code == CLI_OK && run->text) {
        code = finish(run, launch, kernel, source, &result, status);
    } else if (code == CLI_OK) {
        ventus_add_measure(run->ventus);
        code = status == SAM_OK ? CLI_OK : CLI_PROGRAM_FAILED; /* run->error says why */
    }
    run->ventus->launches++;
    const bool kept = status == SAM_OK || status == SAM_ERR_TRAP;
    code = cli_first(code, ventus_close_timelines(run, kept));
    if (code != CLI_OK)
        run_drop_output(run, RUN_TRACE);
    sam_gpu_result_free(&result);
    return code;
}

int ventus_poke(struct run *run, const struct run_step *step)
{
    /* Byte by byte: they may lie in two buffers. */
    for (unsigned i = 0; i < step->bytes; i++) {
        const uint8_t byte = (uint8_t)(step->value >> 8 * i);
        if (sam_gpu_write(run->ventus->gpu, step->address + i, &byte, 1, &run->error) != SAM_OK)
            return cli_report(&run->error);
    }
    return CLI_OK;
}

/* A buffer for those bytes of a poke that are outside all buffers. */
static int map_poke(struct run *run, const struct run_step *step)
{
    unsigned from = 0, to = 0;
    while (from < step->bytes) {
        while (from < step->bytes && read_memory(run, step->address + from, NULL, 1, NULL))
            from++;
        for (to = from; to < step->bytes; to++)
            if (read_memory(run, step->address + to, NULL, 1, NULL))
                break;
        if (to > from &&
            sam_gpu_map(run->ventus->gpu, step->address + from, to - from, &run->error) != SAM_OK)
            return cli_error("--poke 0x%08x: %s", step->address, run->error.text);
        from = to;
    }
    return CLI_OK;
}

int ventus_check_steps(struct run *run)
{
    const struct run_request *r = run->request;
    int code = CLI_OK;
    for (size_t i = 0; i < r->steps.count && code == CLI_OK; i++)
        if (r->steps.items[i].kind == RUN_POKE)
            code = map_poke(run, &r->steps.items[i]);
    return code ?: run_check_dumps(run);
}
