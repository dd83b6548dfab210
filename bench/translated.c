/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels with hot loops translated, in processor time on one worker, with the
 * interpreter in the same run as the reference: every kernel launched once under "auto", and some
 * in a loop of launches once their loops are translated. Results are checked. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gputime/recorded.h"
#include "kernels_recorded.h"
#include "samite/samite.h"

enum { ROUNDS = 101, WARM_UP = 24, LAUNCHES = 12, REPEATED = 7 };

struct subject {
    const struct kernel_check *kernel;
    struct check_config config;
    unsigned warm_up, launches;
    double seconds; /* of the last run: per launch */
};

/* The argument of `reduce` with the address of the word that each launch adds to. */
enum { SUM = 4 };

/* The launch of a check, several times. */
static enum sam_status launch(void *context, struct sam_gpu *gpu, const struct sam_launch *launch,
                              struct sam_gpu_result *result, struct sam_error *error)
{
    struct subject *s = context;
    enum sam_status status = SAM_OK;
    const bool sums = strcmp(s->kernel->name, "reduce") == 0;
    uint32_t at = 0, before = 0;
    if (sums)
        status = sam_gpu_read(gpu, launch->args + SUM, &at, sizeof at, error)
                     ?: sam_gpu_read(gpu, at, &before, sizeof before, error);
    double started = 0;
    for (unsigned n = 0; n < s->warm_up + s->launches && status == SAM_OK; n++) {
        if (n == s->warm_up)
            started = bench_processor();
        if (sums)
            status = sam_gpu_write(gpu, at, &before, sizeof before, error);
        if (status == SAM_OK)
            status = sam_gpu_launch(gpu, launch, result, error);
    }
    s->seconds += (bench_processor() - started) / s->launches;
    return status;
}

/* Seconds of one run of the kernel in a mode of SAMITE_JIT; negative on failure. */
static double run(struct subject *s, const char *mode)
{
    struct check_report report;
    struct sam_error error;
    s->seconds = 0;
    setenv("SAMITE_JIT", mode, 1);
    const enum sam_status status = kernel_check_run(s->kernel, &s->config, &report, &error);
    unsetenv("SAMITE_JIT");
    if (status == SAM_OK && report.pass)
        return s->seconds;
    fprintf(stderr, "bench: %s: %s\n", s->kernel->name,
            status == SAM_OK ? report.failure : error.text);
    return -1;
}

static int compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

/* A row of launches per second against those of the interpreter: the median, and the median ratio
 * of runs one after the other, in alternating order. Returns false on failure. */
static bool measure(struct bench *bench, const char *what, const char *mode, struct subject *s,
                    unsigned rounds)
{
    char name[96];
    double rates[ROUNDS] = {1}, ratios[ROUNDS] = {1};
    snprintf(name, sizeof name, "%s %u, %s", s->kernel->name, s->config.size, what);
    if (!bench_wants(bench, name))
        return true;
    rounds = bench_lists(bench) ? 1 : rounds;
    for (unsigned round = 0; round < rounds && !bench_lists(bench); round++) {
        double seconds[2];
        for (unsigned k = 0; k < 2; k++) {
            const unsigned which = (round + k) % 2;
            seconds[which] = run(s, which ? mode : "off");
            if (seconds[which] < 0)
                return false;
        }
        rates[round] = 1 / seconds[1];
        ratios[round] = seconds[0] / seconds[1];
    }
    const double rate = median(rates, rounds);
    bench_value(bench, name, "launches/s", rate, rate / median(ratios, rounds));
    return true;
}

#if defined(SAM_JIT_LIBRARY)
static bool measure_repeated(struct bench *bench, struct subject *s)
{
    s->warm_up = WARM_UP;
    s->launches = LAUNCHES;
    s->config.launch = launch;
    s->config.context = s;
    s->config.jobs = 1;
    return measure(bench, "translated", "wait,100", s, REPEATED);
}

/* The compiled kmeans, if SAMITE_KERNELS names its folder. */
static bool measure_kmeans(struct bench *bench)
{
    size_t i = 0;
    while (strcmp(recorded_programs[i].name, "kmeans") != 0)
        i++;
    const struct recorded_program *program = &recorded_programs[i];
    const struct kernel_check kernel = {.name = "compiled kmeans", .run = program->run};
    struct subject s = {.kernel = &kernel, .config = {.size = program->size, .block = 256}};
    struct sam_error error;
    const char *folder = recorded_folder();
    if (!folder)
        return true;
    if (recorded_program_image(folder, program, &s.config.image, &error) != SAM_OK) {
        fprintf(stderr, "bench: %s: %s\n", kernel.name, error.text);
        return false;
    }
    const bool good = measure_repeated(bench, &s);
    sam_image_free(s.config.image);
    return good;
}
#endif

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Translated kernels");
    bool good = true;
#if defined(SAM_JIT_LIBRARY)
    static const char *const repeated[] = {"sgemm", "reduce", "softmax", "diverge"};
    setenv("SAMITE_JIT_LIBRARY", SAM_JIT_LIBRARY, 0);
#endif
    setenv("XDG_CACHE_HOME", "/dev/null", 1); /* nothing is kept */
    for (size_t i = 0; i < kernel_check_count; i++) {
        struct subject s = {.kernel = &kernel_checks[i], .launches = 1};
        s.config = (struct check_config){
            .dir = KERNEL_DIR, .jobs = 1, .size = s.kernel->default_size, .launch = launch};
        s.config.context = &s;
        good &= measure(bench, "launched once", "auto", &s, ROUNDS);
#if defined(SAM_JIT_LIBRARY)
        for (size_t k = 0; k < sizeof repeated / sizeof repeated[0]; k++)
            if (strcmp(repeated[k], s.kernel->name) == 0)
                good &= measure_repeated(bench, &s);
#endif
    }
#if defined(SAM_JIT_LIBRARY)
    good &= measure_kmeans(bench);
#endif
    const int code = bench_close(bench);
    return good ? code : 1;
}
