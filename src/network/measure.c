/* SPDX-License-Identifier: Apache-2.0 */
/* A run and its figures by step, with a second run for raw weights. */
#include <stdlib.h>

#include "network/measure.h"
#include "network/plan.h"
#include "samite/network.h"

static void step_figures(const struct sam_system_figures *f, struct sam_network_step *s)
{
    s->cycles = f->cycles;
    s->instructions = f->instructions;
    s->macs = f->macs;
    s->packed = f->packed;
    s->raw = f->raw;
    s->bound = f->busiest_cycles;
    s->busiest = f->busiest;
    for (size_t i = 0; i < f->level_count; i++)
        if (strcmp(f->levels[i].name, "DRAM") == 0) {
            s->read += f->levels[i].read;
            s->written += f->levels[i].written;
        }
    for (size_t i = 0; s->busiest && i < f->row_count; i++) {
        const struct sam_system_row *row = &f->rows[i];
        if (!row->busy && row->cycles > s->waiting && strcmp(row->unit, s->busiest) == 0) {
            s->waits = row->reason;
            s->waiting = row->cycles;
        }
    }
}

static void add_step(struct sam_network_step *sum, const struct sam_network_step *s)
{
    sum->seconds += s->seconds;
    sum->cycles += s->cycles;
    sum->raw_cycles += s->raw_cycles;
    sum->instructions += s->instructions;
    sum->macs += s->macs;
    sum->packed += s->packed;
    sum->raw += s->raw;
    sum->read += s->read;
    sum->written += s->written;
}

static enum sam_status collect(const struct net_plan *plan, const struct net_figures *run,
                               const struct net_figures *raw, bool timed,
                               struct sam_network_figures **figures, struct sam_error *error)
{
    struct sam_network_figures *f = sam_alloc(1, sizeof *f);
    if (!f || !(f->steps = sam_alloc(plan->step_count + 1, sizeof *f->steps))) {
        free(f);
        return sam_fail_memory(error);
    }
    f->timed = timed;
    f->step_count = plan->step_count;
    for (size_t i = 0; i < plan->step_count; i++) {
        struct sam_network_step *s = &f->steps[i];
        s->kind = plan->steps[i].template;
        s->nodes = sam_strdup(plan->steps[i].name);
        if (!s->nodes) {
            sam_network_figures_free(f);
            return sam_fail_memory(error);
        }
        s->seconds = run->steps[i].seconds;
        if (timed)
            step_figures(run->steps[i].figures, s);
        if (raw->count)
            s->raw_cycles = raw->steps[i].figures->cycles;
        add_step(&f->sum, s);
    }
    f->sum.bound = run->busiest_cycles;
    f->sum.busiest = run->busiest;
    *figures = f;
    return SAM_OK;
}

enum sam_status sam_net_measure(struct net_plan *plan,
                                const struct sam_network_run_options *options,
                                const void *const *inputs, void *const *outputs,
                                struct sam_network_figures **figures, struct sam_error *error)
{
    struct net_figures run = {0}, raw = {0};
    struct sam_system_timing timing = {
        .size = sizeof timing, .config = options->config, .running = true};
    struct net_run_options o = {.rising = options->sum_order == SAM_TILE_SUM_RISING,
                                .timing = options->timing ? &timing : NULL,
                                .stop = options->stop,
                                .progress = options->progress,
                                .context = options->context};
    const enum net_machine machine = options->system ? NET_SYSTEM : NET_HOST;
    enum sam_status status = sam_net_plan_run(plan, machine, inputs, outputs, &o, &run, error);
    if (status == SAM_OK && options->timing && options->raw_weights) {
        timing.raw_weights = true;
        status = sam_net_plan_run(plan, machine, inputs, outputs, &o, &raw, error);
    }
    if (status == SAM_OK && figures)
        status = collect(plan, &run, &raw, options->timing, figures, error);
    sam_net_figures_free(&run);
    sam_net_figures_free(&raw);
    return status;
}
