/* SPDX-License-Identifier: Apache-2.0 */
/* The system with and without timing: a layer of packed weights by kernels/system/layer.s, and a
 * product of 256 x 256 x 256 by gemm.c if a cross compiler has made it. The references are
 * target rates. And records of the weight unit against the codec alone. */
#include <math.h>
#include <packed.h>
#include <stdio.h>

#include "system_records.h"

#define CYCLES_GOAL  3.0 /* M cycles/s */
#define SECONDS_GOAL 5.0 /* of the product, all of it timed */

static bool drop(void *context, const void *data, size_t size)
{
    (void)context, (void)data, (void)size;
    return true;
}

struct layer {
    struct packed_config config;
    const char *program; /* NULL: layer.s */
};

/* Run it once; its seconds and cycles. Returns false after a failure, which was reported. */
static bool run(const struct layer *l, const struct sam_system_timing *timing, double *seconds,
                uint64_t *cycles)
{
    const struct packed_run how = {.folder = KERNEL_DIR "/system",
                                   .program = l->program,
                                   .console = {drop, NULL},
                                   .timing = timing};
    struct packed_layer layer = {0};
    struct packed_result result = {0};
    struct sam_error error = {0};
    bool good = packed_make(&layer, &l->config, &error) == SAM_OK;
    const double start = bench_processor();
    good = good && packed_run(&layer, &how, &result, &error) == SAM_OK;
    *seconds = bench_processor() - start;
    *cycles = result.figures ? result.figures->cycles : 0;
    if (good && !packed_check(&layer, &result)) {
        snprintf(error.text, sizeof error.text, "%s", result.failure);
        good = false;
    }
    if (!good)
        fprintf(stderr, "bench: %s\n", error.text);
    packed_result_free(&result);
    packed_free(&layer);
    return good;
}

/* The best of a few runs. */
static bool measure(const struct layer *l, const struct sam_system_timing *timing, double *seconds,
                    uint64_t *cycles)
{
    double best = INFINITY;
    for (unsigned i = 0; i < 3; i++) {
        if (!run(l, timing, seconds, cycles))
            return false;
        best = *seconds < best ? *seconds : best;
    }
    *seconds = best;
    return true;
}

static void bench_layer(struct bench *bench, const char *name, const struct layer *l, double most)
{
    const struct sam_system_timing timing = {.size = sizeof timing};
    char title[96];
    double seconds;
    uint64_t cycles;
    snprintf(title, sizeof title, "%s, without time", name);
    if (bench_wants(bench, title))
        bench_value(bench, title, "ms", measure(l, NULL, &seconds, &cycles) ? 1e3 * seconds : -1,
                    0);
    snprintf(title, sizeof title, "%s, timed", name);
    if (!bench_wants(bench, title))
        return;
    const bool good = measure(l, &timing, &seconds, &cycles);
    bench_value(bench, title, "s", good ? seconds : -1, most);
    snprintf(title, sizeof title, "%s, cycles", name);
    bench_value(bench, title, "M/s", good ? 1e-6 * (double)cycles / seconds : -1, CYCLES_GOAL);
}

int main(int argc, char **argv)
{
    const struct layer layer = {{SAM_E4M3, 1, 512, 1024, 1, false}, NULL};
    struct bench *bench = bench_open(argc, argv, "The system");
    bench_layer(bench, "layer.s, 16 tokens x 512 x 1024 of e4m3", &layer, 0);
#ifdef BENCH_GEMM
    const struct layer gemm = {{SAM_F16, 16, 256, 256, 1, false}, BENCH_GEMM};
    bench_layer(bench, "gemm.c, 256 x 256 x 256 of f16", &gemm, SECONDS_GOAL);
#endif
    bench_records(bench);
    return bench_close(bench);
}
