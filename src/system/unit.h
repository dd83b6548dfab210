/* SPDX-License-Identifier: Apache-2.0 */
/* The units that have a queue: a row of samite/device/units.def and a struct system_unit each. */
#ifndef SAM_SYSTEM_UNIT_H
#define SAM_SYSTEM_UNIT_H

#include "hart/core.h"
#include "samite/device/layout.h"
#include "system/config.h"
#include "system/stages.h"

struct sam_system;
struct system_time;

/* Figures while they are collected. */
struct system_measuring {
    struct sam_system_figures *figures;
    size_t row_capacity;
    bool failed; /* out of memory */
};

struct system_unit {
    /* Execute the record at `address`. *status is 0, or the value of the register STATUS after this
     * failure. With time, keep the work for `submit`. */
    enum sam_hart_port_end (*take)(struct sam_system *system, uint32_t address,
                                   const uint32_t words[16], uint32_t *status);
    /* Parameters, whose names begin with `prefix` ("wu."). */
    const char *prefix;
    struct sam_keys (*keys)(struct sam_system_config *config);

    /* --- in time. Return the state, which begins with struct system_unit_time, joined to
     * options->clock; the context of the options is the struct system_time. NULL: out of memory.
     * A unit that is a pipeline uses the functions of stages.h below. */
    void *(*open)(const struct sam_system_config *config,
                  const struct system_stages_options *options);
    void (*close)(void *state); /* NULL: nothing is done */
    /* Range `index` of the bytes that the next submitted record loads, or stores; an empty one
     * has `low` above `high`. Returns false if there are no more. */
    bool (*uses)(const void *state, size_t index, struct sam_work_span *bytes, bool *stores);
    /* Queue the work of the last `take`, if there is any. False: out of memory. */
    bool (*submit)(void *state);
    /* Add the rows of the unit, and its own counters. */
    void (*measure)(void *state, struct system_measuring *m);
    const char *works[SYSTEM_STAGE_WORKS]; /* names of a pipeline's kinds of work */
};

#define SAM_QUEUE(AGENT, QUEUE, record, ...)                                                       \
    extern const struct system_unit sam_system_##record##_unit;
#include "samite/device/units.def"

/* By queue, in the order of the pages of control registers. */
struct system_unit_row {
    const char *record, *figures;
    const struct system_unit *unit;
};
extern const struct system_unit_row sam_system_units[SAM_SYSTEM_QUEUES];

/* The units of the memory's port. */
enum {
    SYSTEM_PORT_ENGINES, /* + enum sam_engine */
    SYSTEM_PORT_MATRIX = SYSTEM_PORT_ENGINES + SAM_ENGINE_COUNT,
#define SAM_QUEUE(AGENT, ...) SYSTEM_PORT_##AGENT,
#include "samite/device/units.def"
    SYSTEM_PORTS
};
const char *sam_system_port_name(unsigned unit);

/* time_figures.c */
void sam_system_add_row(struct system_measuring *m, const char *unit, unsigned number,
                        const char *reason, bool busy, uint64_t cycles);
/* The rows of a pipeline: `measure` of its unit. */
void sam_system_stages_measure(void *state, struct system_measuring *m);

#endif
