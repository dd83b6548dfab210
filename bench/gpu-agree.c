/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU in time against the measured models: cycles of recorded launches (if SAMITE_KERNELS
 * names their folder), and the error. Cycles of the kernels in kernels/ have no reference. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "gputime/agreement.h"
#include "gputime/recorded.h"

/* Work-items of 8 warps of 32 lanes. */
enum { MOST_ITEMS = 256 };

/* False: a row could not be measured. */
static bool compare(struct bench *bench, const char *folder, enum agreement_model model)
{
    bool good = true;
    const char *preset = agreement_presets[model];
    double sum = 0, worst = 0;
    unsigned count = 0;
    char name[96];
    for (size_t i = 0; i < agreement_row_count; i++) {
        const struct agreement_row *row = &agreement_rows[i];
        struct sam_error error;
        uint64_t cycles;
        if (!row->measured[model])
            continue;
        snprintf(name, sizeof name, "%s, %s", row->name, preset);
        if (agreement_cycles(folder, row, model, &cycles, &error) != SAM_OK) {
            fprintf(stderr, "bench: %s: %s\n", row->name, error.text);
            good = false;
            continue;
        }
        bench_value(bench, name, "cycles", (double)cycles, (double)row->measured[model]);
        const double off = fabs(agreement_error(row, model, cycles));
        sum += off;
        worst = off > worst ? off : worst;
        count++;
    }
    if (count == 0)
        return good;
    snprintf(name, sizeof name, "mean error, %s", preset);
    bench_value(bench, name, "% (bound)", sum / count, agreement_mean[model]);
    snprintf(name, sizeof name, "worst error, %s", preset);
    bench_value(bench, name, "% (bound)", worst, agreement_worst[model]);
    return good;
}

static enum sam_status launch(void *context, struct sam_gpu *gpu, const struct sam_launch *launch,
                              struct sam_gpu_result *result, struct sam_error *error)
{
    struct sam_gpu_timing *timing = context;
    const struct sam_gpu_options options = {.size = sizeof options, .timing = timing};
    enum sam_status status = sam_gpu_set_options(gpu, &options, error);
    return status == SAM_OK ? sam_gpu_launch(gpu, launch, result, error) : status;
}

/* The cycles of the last launch of each of our kernels. False: one could not be measured. */
static bool ours(struct bench *bench, size_t preset)
{
    struct sam_gputime_config config;
    struct sam_error error;
    char text[64];
    bool good = true;
    sam_gputime_config_init(&config);
    snprintf(text, sizeof text, "preset=%s", sam_gputime_preset(preset));
    if (sam_gputime_config_set(&config, text, &error) != SAM_OK)
        return false;
    for (size_t i = 0; i < kernel_check_count; i++) {
        struct sam_gpu_timing timing = {.size = sizeof timing, .config = &config};
        const struct kernel_check *kernel = &kernel_checks[i];
        /* A workgroup must fit an SM of eight warps. */
        const struct check_config check = {
            .block = kernel->default_block > MOST_ITEMS ? MOST_ITEMS : kernel->default_block,
            .jobs = 1,
            .dir = KERNEL_DIR,
            .launch = launch,
            .context = &timing};
        struct check_report report;
        char name[96];
        snprintf(name, sizeof name, "kernels/%s, %s", kernel->name, sam_gputime_preset(preset));
        if (!bench_wants(bench, name))
            continue;
        const enum sam_status status = kernel_check_run(kernel, &check, &report, &error);
        const bool passed = status == SAM_OK && report.pass;
        good &= passed;
        if (passed)
            bench_value(bench, name, "cycles", (double)timing.result.cycles, 0);
        else
            fprintf(stderr, "bench: %s: %s\n", name,
                    status == SAM_OK ? report.failure : error.text);
        sam_gputime_result_free(&timing.result);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Agreement with the public models");
    const char *folder = recorded_folder();
    bool good = true;
    for (unsigned model = 0; folder && model < AGREEMENT_MODELS; model++)
        good &= compare(bench, folder, model);
    if (!folder)
        fprintf(stderr, "bench: SAMITE_KERNELS is not set: only the kernels of ours are timed\n");
    for (size_t preset = 0; sam_gputime_preset(preset); preset++)
        good &= ours(bench, preset);
    const int code = bench_close(bench);
    return good ? code : 1;
}
