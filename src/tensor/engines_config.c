/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the engines, and the names of their cycles. */
#include "tensor/engines.h"

#include "base/keys.h"

/* The manual gives no sizes. The defaults model a scratchpad with one line of 64 bytes per cycle
 * and port: a TLReg takes 16 cycles on every engine, so that imbalances come from the program. */
static const struct sam_key rows[] = {
#define ROW(name, value, low, high, field, count, meaning)                                         \
    SAM_KEY(name, value, low, high, struct sam_engines_config, field, count, SAM_KEY_NUMBER,       \
            meaning)
#define ENGINE(id, name, called, latency_value)                                                    \
    ROW(name "_bytes", 64, 1, 65536, bytes[SAM_ENGINE_##id], 1,                                    \
        "bytes per cycle of the " called " engine"),                                               \
        ROW(name "_latency", latency_value, 0, 4096, latency[SAM_ENGINE_##id], 1,                  \
            "cycles after the transfer until the " called " engine's result is available"),        \
        ROW(name "_queue", 4, 1, 1024, queue[SAM_ENGINE_##id], 1,                                  \
            "instructions that can wait in the " called " engine's queue")
    ROW("queue", 4, 1, 1024, queue, SAM_ENGINE_COUNT,
        "instructions that can wait in the queue of every engine"),
    ENGINE(LOAD, "load", "load", 8),
    ENGINE(COMP, "comp", "compute", 4),
    ENGINE(STORE, "store", "store", 4),
    ENGINE(RESHAPE, "reshape", "reshape", 4),
    ROW("slice_cycles", 1, 0, 1024, slice_cycles, 1,
        "cycles of each slice of a load or store that does not continue where the last one ended"),
    ROW("pipelined", 1, 0, 1, pipelined, 1,
        "1: an engine's next instruction starts after the transfer; 0: after the latency"),
    ROW("issue", 1, 1, 16, issue, 1, "instructions that the hart issues per cycle"),
    ROW("scalar_cpi", 1, 1, 1024, scalar_cpi, 1,
        "cycles per scalar instruction; above 1 the hart does nothing else in them"),
#undef ENGINE
#undef ROW
};

const struct sam_parameter *sam_engines_parameter(size_t index)
{
    return index < SAM_COUNT(rows) ? &rows[index].parameter : NULL;
}

struct sam_keys sam_engines_keys(struct sam_engines_config *config)
{
    return (struct sam_keys){rows, SAM_COUNT(rows), config};
}

void sam_engines_defaults(struct sam_engines_config *config)
{
    const struct sam_keys keys = sam_engines_keys(config);
    sam_keys_defaults(&keys);
    sam_energy_defaults(&config->energy);
}

enum sam_status sam_engines_parse(const char *text, struct sam_engines_config *config,
                                  struct sam_error *error)
{
    if (SAM_LACKS(error, text, config))
        return SAM_ERR_USAGE;
    const struct sam_keys keys = sam_engines_keys(config);
    return sam_keys_set(&keys, 1, text, error);
}

enum sam_status sam_engines_check(const struct sam_engines_config *config, struct sam_error *error)
{
    struct sam_engines_config copy = *config;
    const struct sam_keys keys = sam_engines_keys(&copy);
    return sam_keys_check(&keys, error);
}

/* ----------------------------------------------------------------------------------- names */

const char *sam_engine_name(unsigned engine)
{
    static const char *const names[] = {"load", "comp", "store", "reshape"};
    return engine < SAM_COUNT(names) ? names[engine] : "";
}

const char *sam_engine_cycle_name(unsigned cycle)
{
    static const char *const names[SAM_ENGINE_CYCLES] = {
        [SAM_ENGINE_BUSY] = "busy",
        [SAM_ENGINE_EMPTY] = "empty",
        [SAM_ENGINE_HART_STALLS] = "hart_stalls",
        [SAM_ENGINE_LATENCY] = "latency",
        [SAM_ENGINE_RAW] = "raw",
        [SAM_ENGINE_WAW] = "waw",
        [SAM_ENGINE_WAR] = "war",
        [SAM_ENGINE_MEMORY] = "memory",
        [SAM_ENGINE_DRAINED] = "drained",
    };
    return cycle < SAM_ENGINE_CYCLES ? names[cycle] : "";
}

const char *sam_issue_cycle_name(unsigned cycle)
{
    static const char *const names[SAM_ISSUE_CYCLES] = {
        [SAM_ISSUE_SCALAR] = "scalar",
        [SAM_ISSUE_TENSOR] = "tensor",
        [SAM_ISSUE_MATRIX] = "matrix",
        [SAM_ISSUE_FULL + SAM_ENGINE_LOAD] = "full_load",
        [SAM_ISSUE_FULL + SAM_ENGINE_COMP] = "full_comp",
        [SAM_ISSUE_FULL + SAM_ENGINE_STORE] = "full_store",
        [SAM_ISSUE_FULL + SAM_ENGINE_RESHAPE] = "full_reshape",
        [SAM_ISSUE_MEMORY] = "memory",
        [SAM_ISSUE_SLOTS] = "slots",
        [SAM_ISSUE_CONTROL] = "control",
        [SAM_ISSUE_DONE] = "done",
    };
    return cycle < SAM_ISSUE_CYCLES ? names[cycle] : "";
}
