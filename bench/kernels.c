/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels: those of kernels/ at three sizes each, and third-party programs if
 * SAMITE_KERNELS names their folder (kernels_recorded.h); all are checked before they are
 * measured. For each: the lane instructions per second of its launches on one worker, with the
 * rate of the most similar loop of bench/loops/ as the reference; the time of a launch; and the
 * rate on two workers, with that on one as the reference. Also the compiled programs of
 * bench/scalar/ against qemu. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "gputime/recorded.h"
#include "kernels_recorded.h"
#include "loop.h"
#include "scalar.h"

/* The middle size is the kernel's default. */
enum { SIZES = 3, APART = 8 };

/* The loop most similar to a kernel, as a file in bench/loops/. */
static const struct {
    const char *kernel, *loop;
} resembles[] = {
    {"vecadd", "mem_unit"},      {"saxpy", "mem_unit"},    {"matadd", "mem_unit"},
    {"transpose", "mem_unit"},   {"spill", "mem_unit"},    {"sgemm", "alu_float"},
    {"sgemm_rows", "alu_float"}, {"softmax", "alu_float"}, {"vftta", "alu_float"},
    {"reduce", "alu_int"},       {"scan", "alu_int"},      {"histogram", "divergent"},
    {"bfs", "divergent"},        {"diverge", "divergent"},
};

/* The rates measured so far, in millions per second; 0: not yet. */
struct loops {
    double rates[16];
};

static size_t loop_index(const char *file)
{
    size_t i = 0;
    while (strcmp(bench_loops[i].file, file) != 0)
        i++;
    return i;
}

static double loop_rate(struct bench *bench, struct loops *loops, const char *file)
{
    const size_t index = loop_index(file);
    if (loops->rates[index] == 0) {
        const struct bench_loop *loop = &bench_loops[index];
        struct bench_kernel kernel;
        bench_loop_open(&kernel, loop);
        char name[96];
        snprintf(name, sizeof name, "loop: %s", loop->title);
        loops->rates[index] = bench_rate(bench, name, loop->unit, 1e6, bench_loop_run, &kernel, 0);
        bench_kernel_close(&kernel);
    }
    return loops->rates[index];
}

static const char *loop_of(const struct kernel_check *kernel)
{
    for (size_t i = 0; i < sizeof resembles / sizeof resembles[0]; i++)
        if (strcmp(resembles[i].kernel, kernel->name) == 0)
            return resembles[i].loop;
    return "alu_int";
}

struct subject {
    const struct kernel_check *kernel;
    struct check_config config;
    const char *loop;
    unsigned launches;
    uint64_t lane_insns;
};

/* Seconds of the launches of a run of the kernel; negative on failure. */
static double run_once(void *context)
{
    struct subject *s = context;
    struct check_report report;
    struct sam_error error;
    const enum sam_status status = kernel_check_run(s->kernel, &s->config, &report, &error);
    s->launches = report.launches;
    if (status == SAM_OK && report.pass)
        return report.seconds;
    fprintf(stderr, "bench: %s: %s\n", s->kernel->name,
            status == SAM_OK ? report.failure : error.text);
    return -1;
}

/* A launch that counts its lane instructions. */
static enum sam_status counted(void *context, struct sam_gpu *gpu, const struct sam_launch *launch,
                               struct sam_gpu_result *result, struct sam_error *error)
{
    struct subject *s = context;
    const struct sam_gpu_options options = {.size = sizeof options, .collect_stats = true};
    enum sam_status status = sam_gpu_set_options(gpu, &options, error);
    if (status == SAM_OK)
        status = sam_gpu_launch(gpu, launch, result, error);
    s->lane_insns += result->stats.lane_insns;
    return status;
}

/* The selected rows of a kernel at one size. Returns false on failure. */
static bool run_size(struct bench *bench, struct loops *loops, struct subject *s,
                     const char *prefix)
{
    const char *kernel = s->kernel->name;
    char name[2][96], time[96];
    snprintf(name[0], sizeof name[0], "%s%s %u", prefix, kernel, s->config.size);
    snprintf(name[1], sizeof name[1], "%s%s %u, 2 workers", prefix, kernel, s->config.size);
    snprintf(time, sizeof time, "%s%s %u, a launch", prefix, kernel, s->config.size);
    if (!bench_wants(bench, name[0]) && !bench_wants(bench, name[1]) && !bench_wants(bench, time))
        return true;
    double rate[2] = {loop_rate(bench, loops, s->loop)};
    s->lane_insns = 0;
    s->config.context = s;
    s->config.launch = counted;
    if (!bench_lists(bench) && run_once(s) < 0)
        return false;
    s->config.launch = NULL;
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        s->config.jobs = jobs;
        const double seconds = bench_median(bench, run_once, s);
        if (seconds < 0)
            return false;
        const double reference = rate[jobs - 1];
        rate[jobs % 2] = 1e-6 * (double)s->lane_insns / seconds;
        bench_value(bench, name[jobs - 1], "M lane-insns/s", rate[jobs % 2], reference);
        if (jobs == 1)
            bench_value(bench, time, "us", 1e6 * seconds / s->launches, 0);
    }
    return true;
}

/* False: a kernel failed. */
static bool run_ours(struct bench *bench, struct loops *loops)
{
    bool good = true;
    for (size_t i = 0; i < kernel_check_count; i++) {
        const struct kernel_check *kernel = &kernel_checks[i];
        struct subject s = {
            .kernel = kernel, .config = {.dir = KERNEL_DIR}, .loop = loop_of(kernel)};
        s.config.size = kernel->default_size / APART;
        for (unsigned k = 0; k < SIZES; k++, s.config.size *= APART)
            good &= run_size(bench, loops, &s, "");
    }
    return good;
}

/* False: a program cannot be read, or failed. */
static bool run_recorded(struct bench *bench, struct loops *loops, const char *folder)
{
    bool good = true;
    for (size_t i = 0; i < recorded_program_count; i++) {
        const struct recorded_program *program = &recorded_programs[i];
        const struct kernel_check kernel = {.name = program->name, .run = program->run};
        struct subject s = {.kernel = &kernel,
                            .config = {.size = program->size, .block = 256},
                            .loop = program->loop};
        struct sam_error error;
        if (recorded_program_image(folder, program, &s.config.image, &error) != SAM_OK) {
            fprintf(stderr, "bench: compiled %s: %s\n", program->name, error.text);
            good = false;
            continue;
        }
        good &= run_size(bench, loops, &s, "compiled ");
        sam_image_free(s.config.image);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Kernels");
    const char *folder = recorded_folder();
    struct loops loops = {0};
    bool good = run_ours(bench, &loops);
    if (folder)
        good &= run_recorded(bench, &loops, folder);
    else
        fprintf(stderr, "bench: SAMITE_KERNELS is not set: only kernels of ours are measured\n");
    bench_compiled(bench, false);
    const int code = bench_close(bench);
    return good ? code : 1;
}
