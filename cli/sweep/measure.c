/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep knows of a run: the numbers that are compared, and where the cycles of each unit
 * went, in one form for the matrix unit and the engines. */
#include <stdio.h>

#include "sweep/sweep.h"

unsigned sweep_value(const struct sweep *s, size_t run, unsigned axis)
{
    for (unsigned i = s->axis_count; --i > axis;)
        run /= s->axes[i].count;
    return (unsigned)(run % s->axes[axis].count);
}

void sweep_choose_models(struct sweep *s)
{
    s->shows_matrix = s->shows_engines = false;
    if (s->system)
        return;
    for (unsigned a = 0; a < s->axis_count; a++)
        *(s->axes[a].matrix ? &s->shows_matrix : &s->shows_engines) = true;
    for (size_t i = 0; i < s->run_count; i++) {
        const struct sweep_run *run = &s->runs[i];
        s->shows_matrix |= run->done && run->stats.instructions != 0;
        for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
            s->shows_engines |= run->done && run->engines.engine[e].instructions != 0;
    }
}

/* ------------------------------------------------------------------------------ measures */

static double share(double part, uint64_t all)
{
    return all ? part / (double)all : 0;
}

static double matrix_cycles(const struct sweep_run *run)
{
    return (double)run->stats.cycles;
}

static double utilisation(const struct sweep_run *run)
{
    return 100 * share(run->stats.full_uops, run->stats.cycles);
}

static double engines_cycles(const struct sweep_run *run)
{
    return (double)run->engines.cycles;
}

static double engines_at_work(const struct sweep_run *run)
{
    uint64_t busy = 0;
    for (unsigned e = 0; e < SAM_ENGINE_COUNT; e++)
        busy += run->engines.engine[e].cycles[SAM_ENGINE_BUSY];
    return share((double)busy, run->engines.cycles);
}

static double gpu_cycles(const struct sweep_run *run)
{
    return (double)run->gpu.cycles;
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

static double gpu_dram(const struct sweep_run *run)
{
    return (double)run->gpu.dram_bytes;
}

static const struct sweep_measure *gpu_measure(size_t index)
{
    static const struct sweep_measure rows[] = {{"cycles", "", gpu_cycles},
                                                {"instructions per cycle", "", gpu_ipc},
                                                {"occupancy", "%", gpu_occupancy},
                                                {"L1 hits", "%", gpu_l1_hits},
                                                {"DRAM traffic", "bytes", gpu_dram}};
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

const struct sweep_measure *sweep_measure(const struct sweep *s, size_t index)
{
    if (s->gpu)
        return gpu_measure(index);
    if (s->system)
        return sweep_system_measure(index);
    static const struct sweep_measure matrix[] = {{"cycles", "", matrix_cycles},
                                                  {"utilisation", "%", utilisation}};
    static const struct sweep_measure engines[] = {{"cycles of the engines", "", engines_cycles},
                                                   {"engines at work", "", engines_at_work}};
    const struct sweep_measure *shown[5] = {NULL};
    size_t count = 0;
    const bool matrix_first = s->shows_matrix && s->axes[0].matrix;
    for (int turn = 0; turn < 2; turn++) {
        const bool first = (turn == 0) == matrix_first;
        if (!(first ? s->shows_matrix : s->shows_engines))
            continue;
        for (int i = 0; i < 2; i++)
            shown[count++] = first ? &matrix[i] : &engines[i];
    }
    return index < count ? shown[index] : NULL;
}

bool sweep_extremes(const struct sweep *s, size_t *best, size_t *worst)
{
    const struct sweep_measure *measure = sweep_measure(s, 0);
    bool any = false;
    for (size_t i = 0; i < s->run_count; i++) {
        if (!s->runs[i].done)
            continue;
        const double value = measure->of(&s->runs[i]);
        if (!any || value < measure->of(&s->runs[*best]))
            *best = i;
        if (!any || value > measure->of(&s->runs[*worst]))
            *worst = i;
        any = true;
    }
    return any;
}

/* ------------------------------------------------------------------ where the cycles went */

static const char *state_name(unsigned state)
{
    return sam_mxu_state_name((enum sam_mxu_state)state);
}

#define BUSY_COLOUR SWEEP_BUSY_COLOUR
#define IDLE_COLOUR SWEEP_IDLE_COLOUR

static const char *state_colour(unsigned state)
{
    static const char *const colours[] = {
        [SAM_MXU_BUSY] = BUSY_COLOUR,   [SAM_MXU_EMPTY] = IDLE_COLOUR,
        [SAM_MXU_REGISTER] = "#e07b39", [SAM_MXU_BLOCK] = "#f0b429",
        [SAM_MXU_PRESSURE] = "#8e6bbf", [SAM_MXU_LINE] = "#4a90d9",
        [SAM_MXU_SLOTS] = "#c0392b",    [SAM_MXU_MEMORY] = "#5b6470",
        [SAM_MXU_MERGE] = "#2a7f9e",    [SAM_MXU_PORT] = "#b86b8f",
    };
    _Static_assert(sizeof colours / sizeof colours[0] == SAM_MXU_STATES, "a colour per state");
    return colours[state];
}

static const char *engine_colour(unsigned cycle)
{
    static const char *const colours[] = {BUSY_COLOUR, IDLE_COLOUR, "#c0392b", "#4a90d9", "#e07b39",
                                          "#f0b429",   "#8e6bbf",   "#5b6470", "#eef0f2"};
    _Static_assert(sizeof colours / sizeof colours[0] == SAM_ENGINE_CYCLES, "a colour per cause");
    return colours[cycle];
}

const char *sweep_issue_colour(unsigned cycle)
{
    static const char *const colours[] = {
        [SAM_ISSUE_SCALAR] = "#9ccfb5",
        [SAM_ISSUE_TENSOR] = BUSY_COLOUR,
        [SAM_ISSUE_MATRIX] = "#57b894",
        [SAM_ISSUE_FULL + SAM_ENGINE_LOAD] = "#c0392b",
        [SAM_ISSUE_FULL + SAM_ENGINE_COMP] = "#e07b39",
        [SAM_ISSUE_FULL + SAM_ENGINE_STORE] = "#8e6bbf",
        [SAM_ISSUE_FULL + SAM_ENGINE_RESHAPE] = "#f0b429",
        [SAM_ISSUE_MEMORY] = "#5b6470",
        [SAM_ISSUE_SLOTS] = "#4a90d9",
        [SAM_ISSUE_CONTROL] = "#b86b8f",
        [SAM_ISSUE_DONE] = IDLE_COLOUR,
    };
    _Static_assert(sizeof colours / sizeof colours[0] == SAM_ISSUE_CYCLES, "a colour per cause");
    return colours[cycle];
}

static const char *gpu_colour(unsigned reason)
{
    static const char *const colours[] = {
        [SAM_GPUTIME_BUSY] = BUSY_COLOUR,    [SAM_GPUTIME_EMPTY] = IDLE_COLOUR,
        [SAM_GPUTIME_START] = "#c9d6e2",     [SAM_GPUTIME_FETCH] = "#f7d774",
        [SAM_GPUTIME_ICACHE] = "#f0b429",    [SAM_GPUTIME_BRANCH] = "#8e6bbf",
        [SAM_GPUTIME_BARRIER] = "#b86b8f",   [SAM_GPUTIME_FENCE] = "#d9a6c2",
        [SAM_GPUTIME_RAW] = "#e07b39",       [SAM_GPUTIME_LOAD] = "#c0392b",
        [SAM_GPUTIME_WAW] = "#e8a87c",       [SAM_GPUTIME_ARBITER] = "#9ccfb5",
        [SAM_GPUTIME_COLLECTOR] = "#2a7f9e", [SAM_GPUTIME_BANK] = "#7fb8cc",
        [SAM_GPUTIME_UNIT] = "#4a90d9",      [SAM_GPUTIME_WRITEBACK] = "#a3c4e8",
        [SAM_GPUTIME_CONFLICT] = "#3f5f8a",  [SAM_GPUTIME_MSHR] = "#7a4a2b",
        [SAM_GPUTIME_MEMORY] = "#5b6470",    [SAM_GPUTIME_DRAIN] = "#eef0f2",
    };
    _Static_assert(sizeof colours / sizeof colours[0] == SAM_GPUTIME_REASONS, "one per reason");
    return colours[reason];
}

static const char *state_meaning(unsigned state)
{
    static const char *const meanings[] = {
        [SAM_MXU_BUSY] = "works",
        [SAM_MXU_EMPTY] = "has nothing to do",
        [SAM_MXU_REGISTER] = "waits for a register that an older instruction holds",
        [SAM_MXU_BLOCK] = "waits for a block of the accumulator",
        [SAM_MXU_PRESSURE] = "the next stage is full",
        [SAM_MXU_LINE] = "waits for an older access to the same line",
        [SAM_MXU_SLOTS] = "no slot is free",
        [SAM_MXU_MEMORY] = "waits for memory",
        [SAM_MXU_MERGE] = "memory merges a write of part of a line",
        [SAM_MXU_PORT] = "waits for a port of a register",
    };
    _Static_assert(sizeof meanings / sizeof meanings[0] == SAM_MXU_STATES, "one per state");
    return meanings[state];
}

static const char *engine_meaning(unsigned cycle)
{
    static const char *const meanings[] = {
        [SAM_ENGINE_BUSY] = "its datapath works",
        [SAM_ENGINE_EMPTY] = "its queue is empty",
        [SAM_ENGINE_HART_STALLS] = "its queue is empty: the hart waits for another engine",
        [SAM_ENGINE_LATENCY] = "its last result is still in the pipeline",
        [SAM_ENGINE_RAW] = "the next instruction reads a TLReg that is not written yet",
        [SAM_ENGINE_WAW] = "it writes a TLReg that another engine has yet to write",
        [SAM_ENGINE_WAR] = "it writes a TLReg that another engine has yet to read",
        [SAM_ENGINE_MEMORY] = "it accesses bytes of an earlier load or store",
        [SAM_ENGINE_DRAINED] = "the program has ended",
    };
    _Static_assert(sizeof meanings / sizeof meanings[0] == SAM_ENGINE_CYCLES, "one per cause");
    return meanings[cycle];
}

const char *sweep_issue_meaning(unsigned cycle)
{
    static const char *const meanings[] = {
        [SAM_ISSUE_SCALAR] = "scalar instructions",
        [SAM_ISSUE_TENSOR] = "issues to an engine",
        [SAM_ISSUE_MATRIX] = "issues to the matrix unit",
        [SAM_ISSUE_FULL + SAM_ENGINE_LOAD] = "the queue of the load engine is full",
        [SAM_ISSUE_FULL + SAM_ENGINE_COMP] = "the queue of the comp engine is full",
        [SAM_ISSUE_FULL + SAM_ENGINE_STORE] = "the queue of the store engine is full",
        [SAM_ISSUE_FULL + SAM_ENGINE_RESHAPE] = "the queue of the reshape engine is full",
        [SAM_ISSUE_MEMORY] = "a scalar load or store waits for bytes of a unit",
        [SAM_ISSUE_SLOTS] = "no slot of the matrix unit is free",
        [SAM_ISSUE_CONTROL] = "an access to a control register waits",
        [SAM_ISSUE_DONE] = "the program has ended, units still work",
    };
    _Static_assert(sizeof meanings / sizeof meanings[0] == SAM_ISSUE_CYCLES, "one per cause");
    return meanings[cycle];
}

/* The SMs, their warp slots, then the units. */
static bool gpu_parts(const struct sweep_run *run, size_t index, struct sweep_parts *parts)
{
    if (index >= 2 + SAM_GPUTIME_UNITS)
        return false;
    *parts = (struct sweep_parts){.cycles = index == 0   ? run->gpu.sm
                                            : index == 1 ? run->gpu.slots
                                                         : run->gpu.units[index - 2],
                                  .count = SAM_GPUTIME_REASONS,
                                  .part_name = sam_gputime_reason_name,
                                  .colour = gpu_colour,
                                  .meaning = sam_gputime_reason_meaning};
    snprintf(parts->name, sizeof parts->name, "%s",
             index == 0   ? "SMs"
             : index == 1 ? "warp slots"
                          : sam_gputime_unit_name((unsigned)index - 2));
    return true;
}

static bool matrix_parts(const struct sweep_run *run, size_t unit, struct sweep_parts *parts)
{
    if (unit >= SAM_MXU_UNITS)
        return false;
    *parts = (struct sweep_parts){.cycles = run->stats.buckets[unit],
                                  .count = SAM_MXU_STATES,
                                  .part_name = state_name,
                                  .colour = state_colour,
                                  .meaning = state_meaning};
    snprintf(parts->name, sizeof parts->name, "%s", sam_mxu_unit_name((enum sam_mxu_unit)unit));
    return true;
}

/* The hart is the first, so that it is there without the engines. */
static bool engines_parts(const struct sweep_run *run, size_t index, struct sweep_parts *parts)
{
    if (index > SAM_ENGINE_COUNT)
        return false;
    if (index == 0) {
        *parts = (struct sweep_parts){"hart",
                                      run->engines.issue,
                                      SAM_ISSUE_CYCLES,
                                      sam_issue_cycle_name,
                                      sweep_issue_colour,
                                      sweep_issue_meaning,
                                      true};
        return true;
    }
    *parts = (struct sweep_parts){.cycles = run->engines.engine[index - 1].cycles,
                                  .count = SAM_ENGINE_CYCLES,
                                  .part_name = sam_engine_cycle_name,
                                  .colour = engine_colour,
                                  .meaning = engine_meaning,
                                  .engines = true};
    snprintf(parts->name, sizeof parts->name, "%s engine", sam_engine_name((unsigned)index - 1));
    return true;
}

bool sweep_parts(const struct sweep *s, const struct sweep_run *run, size_t index,
                 struct sweep_parts *parts)
{
    if (s->gpu)
        return gpu_parts(run, index, parts);
    if (s->system)
        return sweep_system_parts(run, index, parts);
    if (!s->shows_matrix)
        return engines_parts(run, index, parts);
    if (index < SAM_MXU_UNITS)
        return matrix_parts(run, index, parts);
    return s->shows_engines && engines_parts(run, index - SAM_MXU_UNITS, parts);
}

void sweep_main_parts(const struct sweep *s, const struct sweep_run *run, struct sweep_parts *parts)
{
    if (s->gpu)
        gpu_parts(run, 1, parts);
    else if (s->system)
        sweep_system_parts(run, 0, parts);
    else if (s->shows_matrix && s->axes[0].matrix)
        matrix_parts(run, SAM_MXU_MMA, parts);
    else
        engines_parts(run, 0, parts);
}
