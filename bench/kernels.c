/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels: those of kernels/ at three sizes each, checked as always. Of each, the lane
 * instructions per second of its launches on one worker, with the rate of the loop of bench/loops/
 * that it resembles most as the reference; the time of a launch; and the rate on two workers, with
 * that on one as the reference. Also the compiled programs of bench/scalar/ against qemu. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "loop.h"
#include "scalar.h"

/* The size in the middle is the kernel's default. */
enum { SIZES = 3, APART = 8 };

/* Which loop a kernel resembles, by the file in bench/loops/. */
static const struct {
    const char *kernel, *loop;
} resembles[] = {
    {"vecadd", "mem_unit"},      {"saxpy", "mem_unit"},    {"matadd", "mem_unit"},
    {"transpose", "mem_unit"},   {"spill", "mem_unit"},    {"sgemm", "alu_float"},
    {"sgemm_rows", "alu_float"}, {"softmax", "alu_float"}, {"vftta", "alu_float"},
    {"reduce", "alu_int"},       {"scan", "alu_int"},      {"histogram", "divergent"},
    {"bfs", "divergent"},        {"diverge", "divergent"},
};

static const struct bench_loop *loop_of(const struct kernel_check *kernel)
{
    const char *file = "alu_int";
    for (size_t i = 0; i < sizeof resembles / sizeof resembles[0]; i++)
        if (strcmp(resembles[i].kernel, kernel->name) == 0)
            file = resembles[i].loop;
    for (size_t i = 0; i < bench_loop_count; i++)
        if (strcmp(bench_loops[i].file, file) == 0)
            return &bench_loops[i];
    return NULL;
}

/* Per second, in millions. */
static double rate_of_loop(struct bench *bench, const struct bench_loop *loop)
{
    struct bench_kernel kernel;
    bench_loop_open(&kernel, loop);
    char name[96];
    snprintf(name, sizeof name, "loop: %s", loop->title);
    const double rate = bench_rate(bench, name, loop->unit, 1e6, bench_loop_run, &kernel, 0);
    bench_kernel_close(&kernel);
    return rate;
}

struct subject {
    const struct kernel_check *kernel;
    struct check_config config;
    unsigned launches;
    uint64_t lane_insns;
};

/* Seconds of the launches of a run of the kernel; negative: it failed. */
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

/* False: it failed. */
static bool run_size(struct bench *bench, const struct kernel_check *kernel, uint32_t size,
                     double loop)
{
    char name[2][96], time[96];
    struct subject s = {.kernel = kernel,
                        .config = {.size = size, .dir = KERNEL_DIR, .context = &s}};
    snprintf(name[0], sizeof name[0], "%s %u", kernel->name, size);
    snprintf(name[1], sizeof name[1], "%s %u, 2 workers", kernel->name, size);
    snprintf(time, sizeof time, "%s %u, a launch", kernel->name, size);
    if (!bench_wants(bench, name[0]) && !bench_wants(bench, name[1]) && !bench_wants(bench, time))
        return true;
    s.config.launch = counted;
    if (run_once(&s) < 0)
        return false;
    s.config.launch = NULL;
    double rate[2] = {loop};
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        s.config.jobs = jobs;
        const double seconds = bench_median(bench, run_once, &s);
        if (seconds < 0)
            return false;
        const double reference = rate[jobs - 1];
        rate[jobs % 2] = 1e-6 * (double)s.lane_insns / seconds;
        bench_value(bench, name[jobs - 1], "M lane-insns/s", rate[jobs % 2], reference);
        if (jobs == 1)
            bench_value(bench, time, "us", 1e6 * seconds / s.launches, 0);
    }
    return true;
}

/* Whether any row of the kernel is asked for. */
static bool wants(const struct bench *bench, const struct kernel_check *kernel)
{
    char name[64];
    uint32_t size = kernel->default_size / APART;
    bool wanted = false;
    for (unsigned i = 0; i < SIZES; i++, size *= APART) {
        const char *const ends[] = {"", ", a launch", ", 2 workers"};
        for (unsigned k = 0; k < sizeof ends / sizeof ends[0]; k++) {
            snprintf(name, sizeof name, "%s %u%s", kernel->name, size, ends[k]);
            wanted |= bench_wants(bench, name);
        }
    }
    return wanted;
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Kernels");
    double loops[16] = {0};
    bool good = true;
    for (size_t i = 0; i < kernel_check_count; i++) {
        const struct kernel_check *kernel = &kernel_checks[i];
        const struct bench_loop *loop = loop_of(kernel);
        double *rate = &loops[loop - bench_loops];
        if (!wants(bench, kernel))
            continue;
        if (*rate == 0)
            *rate = rate_of_loop(bench, loop);
        uint32_t size = kernel->default_size / APART;
        for (unsigned k = 0; k < SIZES; k++, size *= APART)
            good &= run_size(bench, kernel, size, *rate);
    }
    bench_compiled(bench, false);
    const int code = bench_close(bench);
    return good ? code : 1;
}
