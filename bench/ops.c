/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: the quality of the plans (a table: bytes moved relative to the lower bound,
 * instructions per KiB, cycles of the default engines relative to the time of the busier port at
 * full width), and the speed of planning and running them on this host. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "operator_rows.h"

#define PORT_BYTES 64.0 /* per cycle, the default of the engines */

struct job {
    const struct operator_row *row;
    unsigned element;
    uint64_t bytes;
    uint8_t *in[2], *out;
};

static bool set_up(struct job *job)
{
    uint64_t size = job->element;
    for (unsigned i = 0; i < job->row->in.rank; i++)
        size *= job->row->in.dim[i];
    job->in[0] = calloc(size, 1);
    job->in[1] = calloc(size, 1);
    job->out = malloc(size * 128 + 1); /* im2col: up to 49 patches */
    return job->in[0] && job->in[1] && job->out;
}

static void tear_down(struct job *job)
{
    free(job->in[0]);
    free(job->in[1]);
    free(job->out);
}

static bool run_once(const struct job *job, struct sam_plan_figures *f,
                     struct sam_engines_report *report)
{
    struct sam_error error;
    struct sam_engines_config config;
    struct sam_plan *plan;
    struct test_operator op = operator_row_make(job->row, job->element);
    struct sam_plan_options options = {.engines = report ? &config : NULL, .report = report};
    sam_engines_defaults(&config);
    enum sam_status status = test_operator_plan(&op, &plan, &error);
    if (status == SAM_OK) {
        sam_plan_count(plan, f);
        status = sam_plan_run(plan, (const void *const *)job->in, job->out, &options, &error);
    }
    if (status != SAM_OK)
        fprintf(stderr, "%s: %s\n", job->row->name, error.text);
    sam_plan_free(plan);
    free(op.keep);
    return status == SAM_OK;
}

static bool print_row(const struct operator_row *row, unsigned element)
{
    struct job job = {.row = row, .element = element};
    struct sam_plan_figures f;
    struct sam_engines_report report;
    bool done = set_up(&job) && run_once(&job, &f, &report);
    tear_down(&job);
    if (!done)
        return false;
    double more = f.bound_loaded > f.bound_stored ? (double)f.bound_loaded : (double)f.bound_stored;
    printf("| %-34s | %u | %.3f | %5.2f | %5.2f | %8" PRIu64 " | %5.2f |\n", row->name, element,
           (double)(f.bytes_loaded + f.bytes_stored) / (double)(f.bound_loaded + f.bound_stored),
           (double)f.loads * 1024 / (double)f.bytes_loaded,
           (double)f.stores * 1024 / (double)f.bytes_stored, report.cycles,
           (double)report.cycles / (more / PORT_BYTES));
    return true;
}

static double run_jobs(void *context, uint64_t rounds)
{
    struct job *job = context;
    struct sam_plan_figures f;
    double bytes = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        if (!run_once(job, &f, NULL))
            return -1;
        bytes += (double)(f.bytes_loaded + f.bytes_stored);
    }
    return bytes;
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Operators, planned, assembled and run");
    if (bench_wants(bench, "table")) {
        printf("| %-34s | %s | %s | %s | %s | %8s | %s |\n", "operator", "B", "moved", "LOAD/KiB",
               "STORE/KiB", "cycles", "of bound");
        for (const struct operator_row *row = operator_rows; row->name; row++)
            for (unsigned element = 1; element <= 4; element *= 2)
                if (!print_row(row, element))
                    return 1;
    }
    for (const struct operator_row *row = operator_rows; row->name; row++) {
        struct job job = {.row = row, .element = 4};
        if (!bench_wants(bench, row->name))
            continue;
        bool ready = set_up(&job);
        if (ready)
            bench_rate(bench, row->name, "GB/s", 1e9, run_jobs, &job, 0);
        tear_down(&job);
        if (!ready)
            return 1;
    }
    return bench_close(bench);
}
