/* SPDX-License-Identifier: Apache-2.0 */
/* Races between the units of a system (docs/system-rulings.md 4): the findings of a run with
 * sam_system_options.check_races. In a race, an access conflicts with a launch or record in flight,
 * for which the program has not waited: both access the same bytes, and at least one writes.
 *
 * In flight: from the store to SUBMIT until the program has read WAIT of that queue, or from DONE a
 * count that includes it. A queue orders its own work, and the units of the hart keep program
 * order: neither races with itself. Two atomic accesses do not race. Since 0.2. */
#ifndef SAMITE_SYSTEM_RACE_H
#define SAMITE_SYSTEM_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The units that access memory: SAM_SYSTEM_BY_HART, _TENSOR, _MATRIX, which run the program of the
 * hart; SAM_SYSTEM_BY_GPU, the first that has a queue, _WEIGHTS (device/units.def). */
enum sam_system_agent {
#define SAM_UNIT(AGENT, ...)  SAM_SYSTEM_BY_##AGENT,
#define SAM_QUEUE(AGENT, ...) SAM_SYSTEM_BY_##AGENT,
#include "device/units.def"
    SAM_SYSTEM_AGENTS
};

enum sam_system_access {
    SAM_SYSTEM_LOAD,
    SAM_SYSTEM_STORE,
    SAM_SYSTEM_ATOMIC,
    SAM_SYSTEM_FETCH, /* of an instruction */
};

struct sam_system_race_side {
    enum sam_system_agent agent;
    enum sam_system_access access;
    bool has_pc;           /* not of the weight unit, nor of a queue that reads a launch record */
    uint64_t pc;           /* of the instruction: of the hart, or of the kernel */
    uint64_t number;       /* of the launch or weight record in its queue, from 0 */
    uint64_t record;       /* its address */
    uint64_t submitted_pc; /* of the store that submitted it */
};

/* Races of the same instructions, or of records that the same instructions submit, are one. */
struct sam_system_race {
    struct sam_system_race_side access;    /* at which the first one was found, */
    struct sam_system_race_side in_flight; /* and what it races with */
    uint64_t address, size; /* bytes that both accessed, with those that others adjoined */
    uint64_t low, high;     /* the lowest and the highest byte of all */
    uint64_t count;         /* accesses at which one was found */
};

/* "load", "store", ...; "hart", "TensorLoad unit", ... Never NULL. */
SAM_API const char *sam_system_access_name(enum sam_system_access access);
SAM_API const char *sam_system_agent_name(enum sam_system_agent agent);

#ifdef __cplusplus
}
#endif
#endif
