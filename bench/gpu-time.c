/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU in time: warp instructions per second of whole kernels with their cycles, on one
 * worker and in processor time; recording and the model together. The reference is the target
 * rate. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "simt/replay.h"

#define GOAL 2.0 /* M warp instructions/s */

struct timed {
    struct sam_gpu_timing timing;
    double seconds; /* of all launches */
};

static enum sam_status launch(void *context, struct sam_gpu *gpu, const struct sam_launch *launch,
                              struct sam_gpu_result *result, struct sam_error *error)
{
    struct timed *timed = context;
    const struct sam_gpu_options options = {.size = sizeof options, .timing = &timed->timing};
    const double start = bench_processor();
    enum sam_status status = sam_gpu_set_options(gpu, &options, error);
    if (status == SAM_OK)
        status = sam_gpu_launch(gpu, launch, result, error);
    timed->seconds += bench_processor() - start;
    return status;
}

/* M warp instructions per second; negative on failure. */
static double rate_of(const struct kernel_check *kernel, uint32_t size, struct timed *timed)
{
    const struct check_config config = {
        .size = size, .jobs = 1, .dir = KERNEL_DIR, .launch = launch, .context = timed};
    struct check_report report;
    struct sam_error error;
    timed->seconds = 0;
    const enum sam_status status = kernel_check_run(kernel, &config, &report, &error);
    if (status != SAM_OK || !report.pass) {
        fprintf(stderr, "bench: %s: %s\n", kernel->name,
                status == SAM_OK ? report.failure : error.text);
        return -1;
    }
    return 1e-6 * (double)report.warp_insns / timed->seconds;
}

/* Recorded and read, without a model. */
static enum sam_status read_all(void *context, struct sam_gpu *gpu, const struct sam_launch *launch,
                                struct sam_gpu_result *result, struct sam_error *error)
{
    struct sam_run run;
    struct sam_gputime_op op;
    const struct sam_gpu_options options = {.size = sizeof options, .timing = context};
    enum sam_status status = sam_gpu_set_options(gpu, &options, error);
    if (status == SAM_OK)
        status = sam_run_open(&run, gpu, launch, error);
    if (status != SAM_OK)
        return status;
    struct sam_replay *replay = NULL;
    if (sam_workers_find(&run, 1) && sam_worker_open(&run.workers[0], &run) &&
        (replay = sam_replay_new(&run, (size_t)64 << 20))) {
        for (uint32_t group = 0; group < run.workgroups; group++) {
            for (uint32_t warp = 0; warp < launch->warps; warp++)
                while (sam_replay_next(replay, group, warp, &op))
                    bench_use(&op);
            sam_replay_drop(replay, group);
        }
        if (!sam_run_result(&run, result))
            status = sam_fail_memory(error);
    }
    sam_replay_free(replay);
    sam_workers_leave(&run);
    sam_run_close(&run);
    return status;
}

static void bench_recording(struct bench *bench, const char *name, uint32_t size)
{
    struct sam_gpu_timing timing = {.size = sizeof timing}; /* such launches keep no workers */
    char title[64];
    snprintf(title, sizeof title, "%s, recording alone", name);
    for (size_t k = 0; bench_wants(bench, title) && k < kernel_check_count; k++) {
        const struct check_config config = {
            .size = size, .jobs = 1, .dir = KERNEL_DIR, .launch = read_all, .context = &timing};
        struct check_report report;
        struct sam_error error;
        if (strcmp(kernel_checks[k].name, name) != 0)
            continue;
        const bool good =
            kernel_check_run(&kernel_checks[k], &config, &report, &error) == SAM_OK && report.pass;
        bench_value(bench, title, "ns/warp-insn",
                    good ? 1e9 * report.seconds / (double)report.warp_insns : -1, 200);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *kernel;
        uint32_t size; /* 0: the default */
    } rows[] = {{"vecadd", 0}, {"sgemm", 300}, {"sgemm_rows", 300}, {"reduce", 0},
                {"matadd", 0}, {"softmax", 0}, {"bfs", 0},          {"histogram", 0}};
    struct bench *bench = bench_open(argc, argv, "The GPU in time, one worker");
    for (size_t preset = 0; sam_gputime_preset(preset); preset++) {
        struct sam_gputime_config config;
        struct timed timed = {.timing = {.size = sizeof timed.timing, .config = &config}};
        struct sam_error error;
        char text[64];
        sam_gputime_config_init(&config);
        snprintf(text, sizeof text, "preset=%s", sam_gputime_preset(preset));
        sam_gputime_config_set(&config, text, &error);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            char name[96];
            snprintf(name, sizeof name, "%s, %s", rows[i].kernel, sam_gputime_preset(preset));
            for (size_t k = 0; bench_wants(bench, name) && k < kernel_check_count; k++)
                if (strcmp(kernel_checks[k].name, rows[i].kernel) == 0)
                    bench_value(bench, name, "M warp-insns/s",
                                rate_of(&kernel_checks[k], rows[i].size, &timed), GOAL);
        }
        sam_gputime_result_free(&timed.timing.result);
    }
    bench_recording(bench, "sgemm", 600);
    bench_recording(bench, "bfs", 0);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    bench_value(bench, "memory, all of the above", "MiB", (double)usage.ru_maxrss / 1024, 256);
    return bench_close(bench);
}
