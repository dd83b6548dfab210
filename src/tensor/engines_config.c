/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the engines: one table for parsing, messages and documentation. */
#include "tensor/engines.h"

#include <stdlib.h>

/* The manual gives no sizes. The defaults model a scratchpad with one line of 64 bytes per cycle
 * and port: a TLReg takes 16 cycles on every engine, so that imbalances come from the program. */
static const struct row {
    struct sam_engines_parameter parameter;
    size_t offset;
    unsigned count; /* fields it sets */
} rows[] = {
#define FIELD(name) offsetof(struct sam_engines_config, name)
#define ROW(name, value, low, high, field, count, meaning)                                         \
    {                                                                                              \
        {name, value, low, high, meaning}, FIELD(field), count                                     \
    }
    ROW("load_bytes", 64, 1, 65536, bytes[SAM_ENGINE_LOAD], 1,
        "bytes per cycle of the load engine"),
    ROW("comp_bytes", 64, 1, 65536, bytes[SAM_ENGINE_COMP], 1,
        "bytes per cycle of the compute engine"),
    ROW("store_bytes", 64, 1, 65536, bytes[SAM_ENGINE_STORE], 1,
        "bytes per cycle of the store engine"),
    ROW("reshape_bytes", 64, 1, 65536, bytes[SAM_ENGINE_RESHAPE], 1,
        "bytes per cycle of the reshape engine"),
    ROW("load_latency", 8, 0, 4096, latency[SAM_ENGINE_LOAD], 1,
        "cycles after the transfer until the load engine's result is available"),
    ROW("comp_latency", 4, 0, 4096, latency[SAM_ENGINE_COMP], 1,
        "cycles after the transfer until the compute engine's result is available"),
    ROW("store_latency", 4, 0, 4096, latency[SAM_ENGINE_STORE], 1,
        "cycles after the transfer until the store engine's result is available"),
    ROW("reshape_latency", 4, 0, 4096, latency[SAM_ENGINE_RESHAPE], 1,
        "cycles after the transfer until the reshape engine's result is available"),
    ROW("queue", 4, 1, 1024, queue, SAM_ENGINE_COUNT,
        "instructions that can wait in the queue of every engine"),
    ROW("load_queue", 4, 1, 1024, queue[SAM_ENGINE_LOAD], 1,
        "instructions that can wait in the load engine's queue"),
    ROW("comp_queue", 4, 1, 1024, queue[SAM_ENGINE_COMP], 1,
        "instructions that can wait in the compute engine's queue"),
    ROW("store_queue", 4, 1, 1024, queue[SAM_ENGINE_STORE], 1,
        "instructions that can wait in the store engine's queue"),
    ROW("reshape_queue", 4, 1, 1024, queue[SAM_ENGINE_RESHAPE], 1,
        "instructions that can wait in the reshape engine's queue"),
    ROW("slice_cycles", 1, 0, 1024, slice_cycles, 1,
        "cycles of each slice of a load or store that does not continue where the last one ended"),
    ROW("pipelined", 1, 0, 1, pipelined, 1,
        "1: an engine's next instruction starts after the transfer; 0: after the latency"),
    ROW("issue", 1, 1, 16, issue, 1, "instructions that the hart issues per cycle"),
    ROW("scalar_cpi", 1, 1, 1024, scalar_cpi, 1,
        "cycles per scalar instruction; above 1 the hart does nothing else in them"),
#undef ROW
#undef FIELD
};

const struct sam_engines_parameter *sam_engines_parameter(size_t index)
{
    return index < SAM_COUNT(rows) ? &rows[index].parameter : NULL;
}

static void set(struct sam_engines_config *config, const struct row *row, uint32_t value)
{
    uint32_t *field = (uint32_t *)(void *)((char *)config + row->offset);
    for (unsigned i = 0; i < row->count; i++)
        field[i] = value;
}

void sam_engines_defaults(struct sam_engines_config *config)
{
    for (size_t i = 0; i < SAM_COUNT(rows); i++)
        set(config, &rows[i], rows[i].parameter.value);
}

static const struct row *find(const char *name, const char **nearest)
{
    unsigned least = UINT32_MAX;
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        unsigned distance = sam_edits(name, strlen(name), rows[i].parameter.name);
        if (distance < least)
            *nearest = rows[i].parameter.name;
        least = distance < least ? distance : least;
        if (distance == 0)
            return &rows[i];
    }
    return NULL;
}

/* One "name=number", cut out of the list. */
static enum sam_status parse_one(char *text, struct sam_engines_config *config,
                                 struct sam_error *error)
{
    const char *nearest = "";
    char *equals = strchr(text, '=');
    uint64_t value;
    if (equals)
        *equals = '\0';
    const struct row *row = find(text, &nearest);
    if (!row)
        return sam_fail(error, SAM_ERR_USAGE, "engines: unknown parameter '%s'; the nearest is %s",
                        text, nearest);
    const struct sam_engines_parameter *p = &row->parameter;
    if (!equals || !sam_parse_u64(equals + 1, &value) || value < p->low || value > p->high)
        return sam_fail(error, SAM_ERR_USAGE,
                        "engines: %s%s%s: expected %s=NUMBER, the number from %u to %u", text,
                        equals ? "=" : "", equals ? equals + 1 : "", p->name, p->low, p->high);
    set(config, row, (uint32_t)value);
    return SAM_OK;
}

enum sam_status sam_engines_parse(const char *text, struct sam_engines_config *config,
                                  struct sam_error *error)
{
    struct sam_engines_config changed = *config;
    enum sam_status status = SAM_OK;
    char *copy = sam_strdup(text);
    if (!copy)
        return sam_fail_memory(error);
    for (char *part = copy, *next; part && *text && status == SAM_OK; part = next) {
        next = strchr(part, ',');
        if (next)
            *next++ = '\0';
        status = parse_one(part, &changed, error);
    }
    if (status == SAM_OK)
        *config = changed;
    free(copy);
    return status;
}

enum sam_status sam_engines_check(const struct sam_engines_config *config, struct sam_error *error)
{
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        const struct sam_engines_parameter *p = &rows[i].parameter;
        const uint32_t *field =
            (const uint32_t *)(const void *)((const char *)config + rows[i].offset);
        for (unsigned k = 0; k < rows[i].count; k++)
            if (field[k] < p->low || field[k] > p->high)
                return sam_fail(error, SAM_ERR_USAGE, "engines: %s is %u: expected %u to %u",
                                p->name, field[k], p->low, p->high);
    }
    return SAM_OK;
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
        [SAM_ISSUE_FULL + SAM_ENGINE_LOAD] = "full_load",
        [SAM_ISSUE_FULL + SAM_ENGINE_COMP] = "full_comp",
        [SAM_ISSUE_FULL + SAM_ENGINE_STORE] = "full_store",
        [SAM_ISSUE_FULL + SAM_ENGINE_RESHAPE] = "full_reshape",
        [SAM_ISSUE_MEMORY] = "memory",
        [SAM_ISSUE_DONE] = "done",
    };
    return cycle < SAM_ISSUE_CYCLES ? names[cycle] : "";
}
