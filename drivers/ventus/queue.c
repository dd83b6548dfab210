/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: checked when they are queued, run when a call needs their results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver.h"

/* ---------------------------------------------------------------------------------- queueing */

static int set_options(struct device *device, const struct space *space, const uint64_t *meta,
                       const struct sam_sink *log, const struct sam_sink *print)
{
    struct sam_error error;
    struct sam_gpu_options options = {
        .size = sizeof options,
        .jobs = device->environment.jobs,
        .collect_stats = device->environment.stats,
        .fit_pds = true,
        .log_apart = true,
        .sv39 = device->environment.sv39,
        .ptbr = space->ptbr,
        .past_end = space_past_end(space, &device->past_end),
    };
    if (log)
        options.log = *log;
    if (print)
        options.print = *print;
    measure_options(device, meta, &options);
    if (sam_gpu_set_options(space->gpu, &options, &error) != SAM_OK)
        return complain("%s", error.text);
    return 0;
}

int queue_check(struct device *device, struct space *space, const uint64_t *meta)
{
    struct sam_error error;
    struct sam_launch launch;
    if (space_launch(space, meta, &launch, "vt_start") != 0)
        return -1;
    if (set_options(device, space, meta, NULL, NULL) != 0)
        return -1;
    if (sam_gpu_check_launch(space->gpu, &launch, &error) != SAM_OK)
        return complain("vt_start: %s", error.text);
    return 0;
}

int queue_add(struct device *device, struct space *space, const uint64_t *meta)
{
    if (device->failed) {
        device->dropped++;
        return 0;
    }
    void *grown =
        grow(device->queue, device->queue_count, &device->queue_capacity, sizeof *device->queue);
    if (!grown)
        return -1;
    device->queue = grown;
    struct request *request = &device->queue[device->queue_count++];
    memcpy(request->meta, meta, sizeof request->meta);
    request->space = space;
    return 0;
}

/* ------------------------------------------------------------------------------ commit logs */

static bool write_stream(void *stream, const void *data, size_t size)
{
    return fwrite(data, 1, size, stream) == size;
}

/* Print to the standard output of the host program. */
static bool write_print(void *context, const void *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0;
}

/* SAMITE_LOG=FILE: opened by the first launch, appended to by all. */
static int open_log(struct device *device)
{
    if (device->environment.log && !device->log &&
        !(device->log = fopen(device->environment.log, "a"))) {
        char text[128];
        return complain("cannot open %s: %s", device->environment.log,
                        strerror_r(errno, text, sizeof text));
    }
    return 0;
}

/* SAMITE_LOG=auto: "<uploaded file>.log", of this launch only. That of the previous launch is
 * removed first: some file systems (ext4) write out a file at once if it is renamed over
 * another, which takes longer than making the log. */
static int open_log_of(const struct space *space, struct sam_output **output)
{
    const char *path = space->program.path ? space->program.path : "kernel";
    struct sam_error error;
    struct stat old;
    char *name;
    if (asprintf(&name, "%s.log", path) < 0)
        return complain("out of memory");
    if (lstat(name, &old) == 0 && S_ISREG(old.st_mode))
        unlink(name); /* if it remains, it is replaced */
    const enum sam_status status = sam_output_open(name, output, &error);
    free(name);
    return status == SAM_OK ? 0 : complain("%s", error.text);
}

/* --------------------------------------------------------------------------------- running */

struct running {
    struct sam_launch launch;
    struct sam_gpu_result result;
    struct sam_output *log;
    const char *kernel; /* its name, or "kernel" */
};

static int prepare(struct device *device, const struct request *request, struct running *run)
{
    struct space *space = request->space;
    const struct sam_sink print = {write_print, NULL};
    struct sam_sink log = {0};
    if (space_launch(space, request->meta, &run->launch, "vt_start") != 0)
        return -1;
    const struct sam_symbol *symbol = sam_gpu_find_kernel(space->gpu, &run->launch);
    run->kernel = symbol ? symbol->name : "kernel";
    if (device->environment.log_each) {
        if (open_log_of(space, &run->log) != 0)
            return -1;
        log = (struct sam_sink){sam_output_write, run->log};
    } else if (open_log(device) != 0) {
        return -1;
    } else if (device->log) {
        log = (struct sam_sink){write_stream, device->log};
    }
    if ((device->environment.sv39 && space_build_tables(space) != 0) ||
        set_options(device, space, request->meta, &log, &print) != 0)
        return -1;
    return space->dirty ? record_launch(device, space, &run->launch, request->meta, run->kernel)
                        : 0;
}

static int close_log(struct device *device, struct running *run)
{
    struct sam_error error;
    struct sam_output *log = run->log;
    run->log = NULL;
    if (log && sam_output_commit(log, &error) != SAM_OK)
        return complain("%s", error.text);
    if (device->log && fflush(device->log) != 0)
        return complain("cannot write %s", device->environment.log);
    return 0;
}

static void add_stats(struct device *device, const struct sam_gpu_stats *stats)
{
    struct sam_error error;
    if (sam_gpu_stats_add(&device->total, stats, &error) != SAM_OK)
        complain("%s", error.text);
}

static int run_one(struct device *device, const struct request *request)
{
    struct running run = {0};
    struct sam_error error;
    int code = prepare(device, request, &run);
    if (code == 0) {
        const enum sam_status status =
            sam_gpu_launch(request->space->gpu, &run.launch, &run.result, &error);
        add_stats(device, &run.result.stats);
        if (device->environment.stats) {
            fprintf(stderr, "samite: launch %u: %s\n", device->launches, run.kernel);
            stats_print(&run.result.stats, run.launch.image, stderr);
        }
        measure_print(device, &run.launch, run.kernel);
        char name[600];
        snprintf(name, sizeof name, "launch %u (%s)", device->launches, run.kernel);
        space_tell_past_end(request->space, &device->past_end, name);
        if (status != SAM_OK)
            code = complain("%s: %s", name, error.text);
        if (close_log(device, &run) != 0)
            code = -1;
        if (measure_save(device, run.launch.image) != 0)
            code = -1;
        if (request->space->dirty && record_result(request->space) != 0)
            code = -1;
    }
    sam_output_abort(run.log);
    sam_gpu_result_free(&run.result);
    request->space->local_count = 0;
    device->launches++;
    return code;
}

void queue_drain(struct device *device)
{
    for (size_t i = 0; i < device->queue_count; i++) {
        if (device->failed) {
            device->dropped++;
        } else if (run_one(device, &device->queue[i]) != 0) {
            device->failed = true;
            device->failures++;
            if (device->environment.abort)
                abort();
        }
    }
    device->queue_count = 0;
}

int queue_settle(struct device *device)
{
    const bool failed = device->failed;
    if (device->dropped)
        complain("%u launch%s after the one that failed %s dropped", device->dropped,
                 device->dropped == 1 ? "" : "es", device->dropped == 1 ? "was" : "were");
    device->failed = false;
    device->dropped = 0;
    return failed ? -1 : 0;
}

void queue_report(const struct device *device, FILE *stream)
{
    fprintf(stream, "samite: %u launch%s, %u failed\n", device->launches,
            device->launches == 1 ? "" : "es", device->failures);
    /* under SV39 each task has its own program: no names */
    stats_print(&device->total, device->shared ? device->shared->program.image : NULL, stream);
}
