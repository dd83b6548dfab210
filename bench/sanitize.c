/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of the sanitizer: the kernels of kernels/, at their default sizes, on one worker. The
 * figure is the time of their launches with all checks over the time without; the reference is
 * the sanitizer's limit. A reused sanitizer has its shadow memory allocated, as the kernel has
 * its buffers. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { REPEATS = 5 };
#define LIMIT 20.0

static enum sam_status timed_launch(void *context, struct sam_gpu *gpu,
                                    const struct sam_launch *launch, struct sam_gpu_result *result,
                                    struct sam_error *error)
{
    double *seconds = context;
    const double start = bench_processor();
    const enum sam_status status = sam_gpu_launch(gpu, launch, result, error);
    *seconds += bench_processor() - start;
    return status;
}

/* The shortest of several times; negative on failure. */
static double seconds_of(const struct kernel_check *kernel, struct sam_sanitizer *sanitizer)
{
    double seconds = 0, shortest = -1;
    const struct check_config config = {.jobs = 1,
                                        .dir = KERNEL_DIR,
                                        .sanitizer = sanitizer,
                                        .launch = timed_launch,
                                        .context = &seconds};
    for (int i = 0; i < REPEATS; i++, seconds = 0) {
        struct check_report report;
        struct sam_error error;
        if (kernel_check_run(kernel, &config, &report, &error) != SAM_OK || !report.pass)
            return -1;
        if (i == 0 || seconds < shortest)
            shortest = seconds;
    }
    return shortest;
}

static void run_kernel(struct bench *bench, const struct kernel_check *kernel, unsigned checks,
                       const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %s", kernel->name, what);
    if (!bench_wants(bench, name))
        return;
    struct sam_sanitizer *sanitizer = sam_sanitizer_new(checks);
    if (!sanitizer) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    const double plain = seconds_of(kernel, NULL), checked = seconds_of(kernel, sanitizer);
    sam_sanitizer_free(sanitizer);
    bench_value(bench, name, "times plain", plain > 0 && checked > 0 ? checked / plain : -1, LIMIT);
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Sanitized kernels");
    for (size_t i = 0; i < kernel_check_count; i++) {
        run_kernel(bench, &kernel_checks[i], SAM_SANITIZE_ALL, "all checks");
        run_kernel(bench, &kernel_checks[i], SAM_SANITIZE_RACE, "race");
    }
    return bench_close(bench);
}
