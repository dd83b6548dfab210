/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a core repeats itself: it comes back to an instruction with the registers it had, and the
 * bytes it has stored on the way hold what they held the last time. Unless somebody else changes
 * memory, it will do the same forever.
 *
 *   sam_spin_begin(&spin, core);
 *   do run and record an instruction; while (sam_spin_step(&spin, core, &step) == SAM_SPIN_GOES_ON)
 */
#ifndef SAM_SPIN_H
#define SAM_SPIN_H

#include "machine/step.h"

enum { SAM_SPIN_X = 64, SAM_SPIN_WRITES = 64 };

enum sam_spin_state {
    SAM_SPIN_GOES_ON,
    SAM_SPIN_RETURNED, /* to where it began: the first time, or with memory changed */
    SAM_SPIN_REPEATS,
    SAM_SPIN_OTHER, /* it does what may change by itself, or too much to tell */
};

struct sam_spin {
    uint64_t pc, x[SAM_SPIN_X];
    struct {
        uint64_t address, value; /* the value at the last return */
        unsigned size;
    } writes[SAM_SPIN_WRITES];
    unsigned count;
    bool added; /* a write since the last return */
};

/* The writes of an earlier use of the same `spin` stay known, which is zero before the first. */
void sam_spin_begin(struct sam_spin *spin, const struct sam_core *core);
/* After each instruction. Registers that are not scalar are the caller's to compare. */
enum sam_spin_state sam_spin_step(struct sam_spin *spin, struct sam_core *core,
                                  const struct sam_step *step);

#endif
