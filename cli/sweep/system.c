/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a run of a system. */
#include <string.h>

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

static uint64_t row_of(const struct sam_system_figures *f, const char *unit, const char *reason)
{
    for (size_t i = 0; i < f->row_count; i++)
        if (strcmp(f->rows[i].unit, unit) == 0 && strcmp(f->rows[i].reason, reason) == 0)
            return f->rows[i].cycles;
    return 0;
}

void sweep_keep_system(const struct sam_system_figures *f, struct sweep_system *s)
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
