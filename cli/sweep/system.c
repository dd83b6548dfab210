/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep of a system: its runs, and what is known of each. */
#include <stdlib.h>
#include <string.h>

#include "machine/lower.h"
#include "machine/system.h"
#include "sweep/sweep.h"

/* ---------------------------------------------------------------------------------- measures */

static double cycles_of(const struct sweep_run *run)
{
    return (double)run->system.cycles;
}

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

static double dram_bytes(const struct sweep_run *run)
{
    return (double)run->system.dram_bytes;
}

static double dram_busy(const struct sweep_run *run)
{
    return percent(run->system.dram[0], run->system.cycles);
}

enum { WEIGHTS_BUSY = 5 }; /* the first so many of its cycles */

static double weights_busy(const struct sweep_run *run)
{
    uint64_t busy = 0;
    for (unsigned i = 0; i < WEIGHTS_BUSY; i++)
        busy += run->system.weights[i];
    return percent(busy, run->system.cycles);
}

static double multipliers(const struct sweep_run *run)
{
    return run->system.peak > 0 ? 100 * run->system.operations / run->system.peak : 0;
}

const struct sweep_measure *sweep_system_measure(size_t index)
{
    static const struct sweep_measure rows[] = {{"cycles", "", cycles_of},
                                                {"multipliers", "%", multipliers},
                                                {"weight unit", "%", weights_busy},
                                                {"DRAM", "%", dram_busy},
                                                {"DRAM traffic", "bytes", dram_bytes}};
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

/* ------------------------------------------------------------------ where the cycles went */

struct part {
    const char *name, *colour, *meaning;
};

static const struct part weights[SWEEP_WEIGHT_CYCLES] = {
    {"tables", "#9ccfb5", "reads the code tables of a piece"},
    {"symbols", SWEEP_BUSY_COLOUR, "decodes or encodes symbols"},
    {"plain", "#57b894", "moves elements that are not coded"},
    {"count", "#2a7f9e", "counts symbols"},
    {"code", "#7fb8cc", "builds codes from counts"},
    {"fetch", "#5b6470", "waits for bytes of memory"},
    {"write", "#8e6bbf", "waits until memory takes its output"},
    {"empty", SWEEP_IDLE_COLOUR, "no record in its queue"},
};
static const struct part gpu[SWEEP_GPU_CYCLES] = {
    {"runs", SWEEP_BUSY_COLOUR, "workgroups of a launch run"},
    {"launch", "#f0b429", "a launch is read and started"},
    {"flush", "#5b6470", "caches are written back after a launch"},
    {"empty", SWEEP_IDLE_COLOUR, "no launch in its queue"},
};
static const struct part dram[SWEEP_LEVEL_CYCLES] = {
    {"busy", SWEEP_BUSY_COLOUR, "its bus moves bytes"},
    {"waiting", "#5b6470", "requests are under way, the bus moves none"},
    {"idle", SWEEP_IDLE_COLOUR, "no request"},
};

static const char *weights_name(unsigned part)
{
    return weights[part].name;
}

static const char *weights_colour(unsigned part)
{
    return weights[part].colour;
}

static const char *weights_meaning(unsigned part)
{
    return weights[part].meaning;
}

static const char *gpu_name(unsigned part)
{
    return gpu[part].name;
}

static const char *gpu_colour(unsigned part)
{
    return gpu[part].colour;
}

static const char *gpu_meaning(unsigned part)
{
    return gpu[part].meaning;
}

static const char *dram_name(unsigned part)
{
    return dram[part].name;
}

static const char *dram_colour(unsigned part)
{
    return dram[part].colour;
}

static const char *dram_meaning(unsigned part)
{
    return dram[part].meaning;
}

bool sweep_system_parts(const struct sweep_run *run, size_t index, struct sweep_parts *parts)
{
    const struct sweep_system *s = &run->system;
    const struct sweep_parts units[] = {
        {"hart", s->hart, SAM_ISSUE_CYCLES, sam_issue_cycle_name, sweep_issue_colour,
         sweep_issue_meaning, false},
        {"weights", s->weights, SWEEP_WEIGHT_CYCLES, weights_name, weights_colour, weights_meaning,
         false},
        {"GPU", s->gpu, SWEEP_GPU_CYCLES, gpu_name, gpu_colour, gpu_meaning, false},
        {"DRAM", s->dram, SWEEP_LEVEL_CYCLES, dram_name, dram_colour, dram_meaning, false},
    };
    if (index >= sizeof units / sizeof units[0])
        return false;
    *parts = units[index];
    return true;
}

/* ---------------------------------------------------------------------------------- the runs */

static uint64_t row_of(const struct sam_system_figures *f, const char *unit, const char *reason)
{
    for (size_t i = 0; i < f->row_count; i++)
        if (strcmp(f->rows[i].unit, unit) == 0 && strcmp(f->rows[i].reason, reason) == 0)
            return f->rows[i].cycles;
    return 0;
}

static void keep(const struct sam_system_figures *f, struct sweep_system *s)
{
    s->cycles = f->cycles;
    s->operations = f->roofline.done;
    s->peak = f->roofline.peak;
    for (size_t i = 0; i < f->level_count; i++)
        if (strcmp(f->levels[i].name, "DRAM") == 0)
            s->dram_bytes = f->levels[i].read + f->levels[i].written;
    for (unsigned i = 0; i < SAM_ISSUE_CYCLES; i++)
        s->hart[i] = row_of(f, "hart", sam_issue_cycle_name(i));
    for (unsigned i = 0; i < SWEEP_WEIGHT_CYCLES; i++)
        s->weights[i] = row_of(f, "weights", weights[i].name);
    for (unsigned i = 0; i < SWEEP_GPU_CYCLES; i++)
        s->gpu[i] = row_of(f, "GPU", gpu[i].name);
    for (unsigned i = 0; i < SWEEP_LEVEL_CYCLES; i++)
        s->dram[i] = row_of(f, "DRAM", dram[i].name);
}

static bool measure(struct run_system *made, const struct hart_request *r, struct sweep_run *run)
{
    struct sam_system_figures *figures;
    struct sam_hart_result result;
    if (run_system_execute(made, &result, &run->error) != SAM_OK ||
        !sweep_ended_well(r, &result, &run->error) ||
        sam_system_measure(run_system_of(made), &figures, &run->error) != SAM_OK)
        return false;
    keep(figures, &run->system);
    sam_system_figures_free(figures);
    return true;
}

/* A copy whose items a machine may change; the arrays are shared. Freed with free(items). */
static bool copy_arguments(const struct run_arguments *from, struct run_arguments *to)
{
    *to = *from;
    to->items = calloc(from->count + 1, sizeof *to->items);
    if (to->items && from->count)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
    return to->items != NULL;
}

static const char *execute(struct hart_request *r, const struct sam_image *image,
                           struct run_arguments *arguments, struct sweep_run *run)
{
    struct run_console console = {.output = NULL}; /* what it prints is dropped */
    struct run_system *made = NULL;
    struct sam_hostio *host = NULL;
    struct sam_image *lowered = NULL;
    struct sam_hart *hart;
    const char *failed = NULL;
    if (run_hart_host(r, NULL, &host) != CLI_OK)
        failed = "the host could not be made";
    r->options.hostio = host;
    if (!failed && r->tile && run_hart_load(r, arguments, &lowered) != CLI_OK)
        failed = "the program could not be lowered";
    if (!failed &&
        (run_system_make(r, lowered ? lowered : image, &console, &made, &hart) != CLI_OK ||
         run_system_fill(r, lowered ? lowered : image, arguments, made) != CLI_OK))
        failed = "the system could not be made";
    if (!failed)
        run->done = measure(made, r, run);
    run_system_free(made);
    run_lower_close(r);
    sam_hostio_free(host);
    return failed;
}

void sweep_system_run(const struct sweep *s, size_t index, const struct hart_request *request,
                      const struct sam_image *image, const struct run_arguments *arguments,
                      struct sweep_run *run)
{
    struct hart_request r = *request; /* its lists are shared, and read only */
    struct system_request system = *request->system;
    struct run_arguments own;
    enum sam_status status = sam_system_config_new(&system.time.config, &run->error);
    if (status == SAM_OK)
        status = sweep_configure(s, index, run_set_system, system.time.config, &run->error);
    if (status == SAM_OK) {
        r.system = &system;
        r.options.engines = &r.engines; /* time is on */
        const char *failed =
            copy_arguments(arguments, &own) ? execute(&r, image, &own, run) : "out of memory";
        if (failed)
            snprintf(run->error.text, sizeof run->error.text, "%s", failed);
        free(own.items);
    }
    sam_system_config_free(system.time.config);
}
