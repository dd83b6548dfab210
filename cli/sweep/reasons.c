/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons for which units of a machine spend cycles: their colours on the page, their
 * meaning, and their names if the library has none. */
#include "sweep/sweep.h"

/* Green is work, grey is idle, the other colours are waits. */
#define BUSY "#2f9e6b"
#define IDLE "#dcdfe3"
#define REASON(hue, text)                                                                          \
    {                                                                                              \
        .colour = (hue), .meaning = (text)                                                         \
    }
/* A table with a row for each of `number` reasons. */
#define ROWS(number, table)                                                                        \
    .count = (number) + 0 * sizeof(char[sizeof(table) / sizeof(table)[0] == (number) ? 1 : -1]),   \
    .rows = (table)

static const char *state_name(unsigned state)
{
    return sam_mxu_state_name((enum sam_mxu_state)state);
}

static const struct sweep_reason states[] = {
    [SAM_MXU_BUSY] = REASON(BUSY, "works"),
    [SAM_MXU_EMPTY] = REASON(IDLE, "has nothing to do"),
    [SAM_MXU_REGISTER] = REASON("#e07b39", "waits for a register that an older instruction holds"),
    [SAM_MXU_BLOCK] = REASON("#f0b429", "waits for a block of the accumulator"),
    [SAM_MXU_PRESSURE] = REASON("#8e6bbf", "the next stage is full"),
    [SAM_MXU_LINE] = REASON("#4a90d9", "waits for an older access to the same line"),
    [SAM_MXU_SLOTS] = REASON("#c0392b", "no slot is free"),
    [SAM_MXU_MEMORY] = REASON("#5b6470", "waits for memory"),
    [SAM_MXU_MERGE] = REASON("#2a7f9e", "memory merges a write of part of a line"),
    [SAM_MXU_PORT] = REASON("#b86b8f", "waits for a port of a register"),
};
const struct sweep_reasons sweep_states = {ROWS(SAM_MXU_STATES, states), .name = state_name};

static const struct sweep_reason engine_cycles[] = {
    [SAM_ENGINE_BUSY] = REASON(BUSY, "its datapath works"),
    [SAM_ENGINE_EMPTY] = REASON(IDLE, "its queue is empty"),
    [SAM_ENGINE_HART_STALLS] =
        REASON("#c0392b", "its queue is empty: the hart waits for another engine"),
    [SAM_ENGINE_LATENCY] = REASON("#4a90d9", "its last result is still in the pipeline"),
    [SAM_ENGINE_RAW] =
        REASON("#e07b39", "the next instruction reads a TLReg that is not written yet"),
    [SAM_ENGINE_WAW] = REASON("#f0b429", "it writes a TLReg that another engine has yet to write"),
    [SAM_ENGINE_WAR] = REASON("#8e6bbf", "it writes a TLReg that another engine has yet to read"),
    [SAM_ENGINE_MEMORY] = REASON("#5b6470", "it accesses bytes of an earlier load or store"),
    [SAM_ENGINE_DRAINED] = REASON("#eef0f2", "the program has ended"),
};
const struct sweep_reasons sweep_engine_cycles = {ROWS(SAM_ENGINE_CYCLES, engine_cycles),
                                                  .name = sam_engine_cycle_name};

static const struct sweep_reason issue_cycles[] = {
    [SAM_ISSUE_SCALAR] = REASON("#9ccfb5", "scalar instructions"),
    [SAM_ISSUE_TENSOR] = REASON(BUSY, "issues to an engine"),
    [SAM_ISSUE_MATRIX] = REASON("#57b894", "issues to the matrix unit"),
    [SAM_ISSUE_FULL + SAM_ENGINE_LOAD] = REASON("#c0392b", "the queue of the load engine is full"),
    [SAM_ISSUE_FULL + SAM_ENGINE_COMP] = REASON("#e07b39", "the queue of the comp engine is full"),
    [SAM_ISSUE_FULL + SAM_ENGINE_STORE] =
        REASON("#8e6bbf", "the queue of the store engine is full"),
    [SAM_ISSUE_FULL + SAM_ENGINE_RESHAPE] =
        REASON("#f0b429", "the queue of the reshape engine is full"),
    [SAM_ISSUE_MEMORY] = REASON("#5b6470", "a scalar load or store waits for bytes of a unit"),
    [SAM_ISSUE_SLOTS] = REASON("#4a90d9", "no slot of the matrix unit is free"),
    [SAM_ISSUE_CONTROL] = REASON("#b86b8f", "an access to a control register waits"),
    [SAM_ISSUE_DONE] = REASON(IDLE, "the program has ended, units still work"),
};
const struct sweep_reasons sweep_issue_cycles = {ROWS(SAM_ISSUE_CYCLES, issue_cycles),
                                                 .name = sam_issue_cycle_name};

static const struct sweep_reason gpu_reasons[] = {
    [SAM_GPUTIME_BUSY] = {.colour = BUSY},
    [SAM_GPUTIME_EMPTY] = {.colour = IDLE},
    [SAM_GPUTIME_START] = {.colour = "#c9d6e2"},
    [SAM_GPUTIME_FETCH] = {.colour = "#f7d774"},
    [SAM_GPUTIME_ICACHE] = {.colour = "#f0b429"},
    [SAM_GPUTIME_BRANCH] = {.colour = "#8e6bbf"},
    [SAM_GPUTIME_BARRIER] = {.colour = "#b86b8f"},
    [SAM_GPUTIME_FENCE] = {.colour = "#d9a6c2"},
    [SAM_GPUTIME_RAW] = {.colour = "#e07b39"},
    [SAM_GPUTIME_LOAD] = {.colour = "#c0392b"},
    [SAM_GPUTIME_WAW] = {.colour = "#e8a87c"},
    [SAM_GPUTIME_ARBITER] = {.colour = "#9ccfb5"},
    [SAM_GPUTIME_COLLECTOR] = {.colour = "#2a7f9e"},
    [SAM_GPUTIME_BANK] = {.colour = "#7fb8cc"},
    [SAM_GPUTIME_UNIT] = {.colour = "#4a90d9"},
    [SAM_GPUTIME_WRITEBACK] = {.colour = "#a3c4e8"},
    [SAM_GPUTIME_CONFLICT] = {.colour = "#3f5f8a"},
    [SAM_GPUTIME_MSHR] = {.colour = "#7a4a2b"},
    [SAM_GPUTIME_MEMORY] = {.colour = "#5b6470"},
    [SAM_GPUTIME_DRAIN] = {.colour = "#eef0f2"},
};
const struct sweep_reasons sweep_gpu_reasons = {ROWS(SAM_GPUTIME_REASONS, gpu_reasons),
                                                .name = sam_gputime_reason_name,
                                                .meaning = sam_gputime_reason_meaning};

/* --- of a system */
static const struct sweep_reason weights[] = {
    {"#9ccfb5", "makes the tables of codes", "tables"},
    {BUSY, "decodes or encodes symbols", "symbols"},
    {"#3fa77a", "decodes windows", "windows"},
    {"#57b894", "moves elements that are not coded", "copy"},
    {"#2a7f9e", "counts symbols", "count"},
    {"#7fb8cc", "builds codes from counts", "code"},
    {"#5b6470", "waits for bytes of memory", "fetch"},
    {"#8e6bbf", "waits until memory takes its output", "write"},
    {IDLE, "no record in its queue", "empty"},
};
const struct sweep_reasons sweep_weights = {ROWS(SWEEP_WEIGHT_CYCLES, weights)};

static const struct sweep_reason queue[] = {
    {BUSY, "workgroups of a launch run", "runs"},
    {"#f0b429", "a launch is read and started", "launch"},
    {"#5b6470", "caches are written back after a launch", "flush"},
    {IDLE, "no launch in its queue", "empty"},
};
const struct sweep_reasons sweep_gpu_queue = {ROWS(SWEEP_GPU_CYCLES, queue)};

static const struct sweep_reason dram[] = {
    {BUSY, "its bus moves bytes", "busy"},
    {"#5b6470", "requests are under way, the bus moves none", "waiting"},
    {IDLE, "no request", "idle"},
};
const struct sweep_reasons sweep_dram = {ROWS(SWEEP_LEVEL_CYCLES, dram)};

const char *sweep_reason_name(const struct sweep_reasons *reasons, unsigned reason)
{
    return reasons->name ? reasons->name(reason) : reasons->rows[reason].name;
}

const char *sweep_reason_meaning(const struct sweep_reasons *reasons, unsigned reason)
{
    return reasons->meaning ? reasons->meaning(reason) : reasons->rows[reason].meaning;
}
