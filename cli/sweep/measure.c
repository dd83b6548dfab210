/* SPDX-License-Identifier: Apache-2.0 */
/* The measures of a run in a sweep: the compared numbers, and the cycles of each unit by reason,
 * in one form for the matrix unit and the engines. */
#include "sweep/sweep.h"

unsigned sweep_value(const struct sweep *s, size_t run, unsigned axis)
{
    for (unsigned i = s->axis_count; --i > axis;)
        run /= s->axes[i].count;
    return (unsigned)(run % s->axes[axis].count);
}

void sweep_choose_models(struct sweep *s)
{
    memset(s->shows, 0, sizeof s->shows);
    s->shows[SWEEP_GPU_MODEL] = s->form == RUN_VENTUS;
    s->shows[SWEEP_SYSTEM_MODEL] = s->form == SWEEP_SYSTEM;
    if (s->form != RUN_TENSOR)
        return;
    for (unsigned a = 0; a < s->axis_count; a++)
        s->shows[s->axes[a].matrix ? SWEEP_MATRIX : SWEEP_ENGINES] = true;
    for (size_t i = 0; i < s->run_count; i++) {
        const struct sweep_run *run = &s->runs[i];
        s->shows[SWEEP_MATRIX] |= run->done && run->stats.instructions != 0;
        for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
            s->shows[SWEEP_ENGINES] |= run->done && run->engines.engine[e].instructions != 0;
    }
}

/* ------------------------------------------------------------------------------ measures */

static double share(double part, uint64_t all)
{
    return all ? part / (double)all : 0;
}

static double utilisation(const struct sweep_run *run)
{
    return 100 * share(run->stats.full_uops, run->stats.cycles);
}

static double engines_at_work(const struct sweep_run *run)
{
    uint64_t busy = 0;
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        busy += run->engines.engine[e].cycles[SAM_ENGINE_BUSY];
    return share((double)busy, run->engines.cycles);
}

static double gpu_ipc(const struct sweep_run *run)
{
    return share((double)run->gpu.insns, run->gpu.cycles);
}

static uint64_t sum_of(const uint64_t reasons[SAM_GPUTIME_REASONS])
{
    uint64_t sum = 0;
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++)
        sum += reasons[reason];
    return sum;
}

static double gpu_occupancy(const struct sweep_run *run)
{
    const uint64_t all = sum_of(run->gpu.slots);
    return 100 * share((double)(all - run->gpu.slots[SAM_GPUTIME_EMPTY]), all);
}

static double gpu_l1_hits(const struct sweep_run *run)
{
    return 100 * share((double)run->gpu.l1_hits, run->gpu.l1_requests);
}

static double dram_busy(const struct sweep_run *run)
{
    return share(100 * (double)run->system.dram[0], run->system.cycles);
}

static double weights_busy(const struct sweep_run *run)
{
    enum { WORKS = 5 }; /* cycles of work at its beginning */
    uint64_t busy = 0;
    for (unsigned i = 0; i < WORKS; i++)
        busy += run->system.weights[i];
    return share(100 * (double)busy, run->system.cycles);
}

static double multipliers(const struct sweep_run *run)
{
    return run->system.peak > 0 ? 100 * run->system.operations / run->system.peak : 0;
}

#define FIELD(member) NULL, offsetof(struct sweep_run, member)
static const struct sweep_measure gpu_measures[] = {
    {"cycles", "", FIELD(gpu.cycles)},
    {"instructions per cycle", "", gpu_ipc, 0},
    {"occupancy", "%", gpu_occupancy, 0},
    {"L1 hits", "%", gpu_l1_hits, 0},
    {"DRAM traffic", "bytes", FIELD(gpu.dram_bytes)},
    {0}};
static const struct sweep_measure system_measures[] = {
    {"cycles", "", FIELD(system.cycles)},
    {"multipliers", "%", multipliers, 0},
    {"weight unit", "%", weights_busy, 0},
    {"DRAM", "%", dram_busy, 0},
    {"DRAM traffic", "bytes", FIELD(system.dram_bytes)},
    {0}};
static const struct sweep_measure matrix_measures[] = {
    {"cycles", "", FIELD(stats.cycles)}, {"utilisation", "%", utilisation, 0}, {0}};
static const struct sweep_measure engines_measures[] = {
    {"cycles of the engines", "", FIELD(engines.cycles)},
    {"engines at work", "", engines_at_work, 0},
    {0}};

double sweep_measured(const struct sweep_measure *measure, const struct sweep_run *run)
{
    uint64_t count;
    if (measure->of)
        return measure->of(run);
    memcpy(&count, (const char *)run + measure->at, sizeof count);
    return (double)count;
}

bool sweep_extremes(const struct sweep *s, size_t *best, size_t *worst)
{
    const struct sweep_measure *measure = sweep_measure(s, 0);
    bool any = false;
    for (size_t i = 0; i < s->run_count; i++) {
        if (!s->runs[i].done)
            continue;
        const double value = sweep_measured(measure, &s->runs[i]);
        if (!any || value < sweep_measured(measure, &s->runs[*best]))
            *best = i;
        if (!any || value > sweep_measured(measure, &s->runs[*worst]))
            *worst = i;
        any = true;
    }
    return any;
}

/* ---------------------------------------------------------------------- cycles by reason */

static struct sweep_parts parts_of(const char *name, const char *more, const uint64_t *cycles,
                                   const struct sweep_reasons *reasons)
{
    struct sweep_parts parts = {.cycles = cycles, .count = reasons->count, .reasons = reasons};
    snprintf(parts.name, sizeof parts.name, "%s%s", name, more);
    return parts;
}

/* The SMs, their warp slots, then the units. */
static struct sweep_parts gpu_parts(const struct sweep_run *run, unsigned index)
{
    const struct sweep_reasons *reasons = &sweep_gpu_reasons;
    return index == 0 ? parts_of("SMs", "", run->gpu.sm, reasons)
           : index == 1
               ? parts_of("warp slots", "", run->gpu.slots, reasons)
               : parts_of(sam_gputime_unit_name(index - 2), "", run->gpu.units[index - 2], reasons);
}

static struct sweep_parts matrix_parts(const struct sweep_run *run, unsigned unit)
{
    return parts_of(sam_mxu_unit_name((enum sam_mxu_unit)unit), "", run->stats.buckets[unit],
                    &sweep_states);
}

/* The hart is the first, so that it exists without the engines. */
static struct sweep_parts engines_parts(const struct sweep_run *run, unsigned index)
{
    return index == 0 ? parts_of("hart", "", run->engines.issue, &sweep_issue_cycles)
                      : parts_of(sam_engine_name(index - 1), " engine",
                                 run->engines.engine[index - 1].cycles, &sweep_engine_cycles);
}

static struct sweep_parts system_parts(const struct sweep_run *run, unsigned index)
{
    const struct sweep_system *s = &run->system;
    return index == 0   ? parts_of("hart", "", s->hart, &sweep_issue_cycles)
           : index == 1 ? parts_of("weights", "", s->weights, &sweep_weights)
           : index == 2 ? parts_of("GPU", "", s->gpu, &sweep_gpu_queue)
                        : parts_of("DRAM", "", s->dram, &sweep_dram);
}

/* The cycles of a unit of the system for each of the reasons. */
static void keep_cycles(const struct sam_system_figures *f, const char *unit,
                        const struct sweep_reasons *reasons, uint64_t *cycles)
{
    for (unsigned r = 0; r < reasons->count; r++)
        for (size_t i = 0; i < f->row_count; i++)
            if (strcmp(f->rows[i].unit, unit) == 0 &&
                strcmp(f->rows[i].reason, sweep_reason_name(reasons, r)) == 0)
                cycles[r] = f->rows[i].cycles;
}

void sweep_keep_system(const struct sam_system_figures *f, struct sweep_system *s)
{
    s->cycles = f->cycles;
    s->operations = f->roofline.done;
    s->peak = f->roofline.peak;
    for (size_t i = 0; i < f->level_count; i++)
        if (strcmp(f->levels[i].name, "DRAM") == 0)
            s->dram_bytes = f->levels[i].read + f->levels[i].written;
    keep_cycles(f, "hart", &sweep_issue_cycles, s->hart);
    keep_cycles(f, "weights", &sweep_weights, s->weights);
    keep_cycles(f, "GPU", &sweep_gpu_queue, s->gpu);
    keep_cycles(f, "DRAM", &sweep_dram, s->dram);
}

/* ------------------------------------------------------------------------------ the models */

static const struct model {
    const struct sweep_measure *measures;
    struct sweep_parts (*parts)(const struct sweep_run *run, unsigned index);
    unsigned units, main; /* main: the one that explains most of the first measure */
} models[] = {
    [SWEEP_GPU_MODEL] = {gpu_measures, gpu_parts, 2 + SAM_GPUTIME_UNITS, 1},
    [SWEEP_SYSTEM_MODEL] = {system_measures, system_parts, 4, 0},
    [SWEEP_MATRIX] = {matrix_measures, matrix_parts, SAM_MXU_UNITS, SAM_MXU_MMA},
    [SWEEP_ENGINES] = {engines_measures, engines_parts, 1 + SAM_ENGINE_COUNT, 0},
};

/* Model `index` in the order of the measures: that of the first axis comes before others. */
static enum sweep_model measured(const struct sweep *s, unsigned index)
{
    static const enum sweep_model swapped[] = {SWEEP_GPU_MODEL, SWEEP_SYSTEM_MODEL, SWEEP_ENGINES,
                                               SWEEP_MATRIX};
    return s->axes[0].matrix ? (enum sweep_model)index : swapped[index];
}

const struct sweep_measure *sweep_measure(const struct sweep *s, size_t index)
{
    for (unsigned i = 0; i < SWEEP_MODELS; i++)
        for (const struct sweep_measure *m = models[measured(s, i)].measures;
             s->shows[measured(s, i)] && m->name; m++)
            if (index-- == 0)
                return m;
    return NULL;
}

bool sweep_parts(const struct sweep *s, const struct sweep_run *run, size_t index,
                 struct sweep_parts *parts)
{
    for (enum sweep_model i = 0; i < SWEEP_MODELS; i++) {
        if (s->shows[i] && index < models[i].units) {
            *parts = models[i].parts(run, (unsigned)index);
            parts->model = i;
            return true;
        }
        index -= s->shows[i] ? models[i].units : 0;
    }
    return false;
}

void sweep_main_parts(const struct sweep *s, const struct sweep_run *run, struct sweep_parts *parts)
{
    unsigned i = 0;
    while (i + 1 < SWEEP_MODELS && !s->shows[measured(s, i)])
        i++;
    const struct model *m = &models[measured(s, i)];
    *parts = m->parts(run, m->main);
    parts->model = measured(s, i);
}

uint64_t sweep_sum(const struct sweep_parts *parts)
{
    uint64_t all = 0;
    for (unsigned p = 0; p < parts->count; p++)
        all += parts->cycles[p];
    return all;
}
