/* SPDX-License-Identifier: Apache-2.0 */
/* Livelock detection: a core returns to an instruction with the same registers, and the bytes that
 * it has stored since hold the values of the last return. Unless another agent changes memory, it
 * repeats this forever.
 *
 *   sam_livelock_begin(&state, core);
 *   do
 *       run and record an instruction;
 *   while (sam_livelock_step(&state, core, &step) == SAM_LIVELOCK_RUNS);
 */
#ifndef SAM_LIVELOCK_H
#define SAM_LIVELOCK_H

#include "machine/step.h"

enum { SAM_LIVELOCK_X = 64, SAM_LIVELOCK_WRITES = 64 };

enum sam_livelock_state {
    SAM_LIVELOCK_RUNS,
    SAM_LIVELOCK_RETURNED, /* to the initial pc and registers: the first time, or with changed
                              memory */
    SAM_LIVELOCK_REPEATS,
    SAM_LIVELOCK_UNKNOWN, /* undecidable: reads a counter, or writes too much */
};

struct sam_livelock {
    uint64_t pc, x[SAM_LIVELOCK_X];
    struct {
        uint64_t address, value; /* as of the last return */
        unsigned size;
    } writes[SAM_LIVELOCK_WRITES];
    unsigned count;
    bool added; /* a write was added since the last return */
};

/* `state` is zero before its first use; later uses keep the writes found before. */
void sam_livelock_begin(struct sam_livelock *state, const struct sam_core *core);
/* Call after each recorded instruction. The caller compares registers that are not scalar. */
enum sam_livelock_state sam_livelock_step(struct sam_livelock *state, struct sam_core *core,
                                          const struct sam_step *step);

#endif
