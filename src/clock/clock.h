/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of clock/: a shared clock of several units. Each unit is called, in ascending order, in
 * the cycles in which it may act, so a request from one unit to another meets it in the same cycle.
 * Within a cycle units are called in the order in which they joined. */
#ifndef SAM_CLOCK_H
#define SAM_CLOCK_H

#include "base/base.h"

/* No cycle until the unit is woken. */
#define SAM_CLOCK_IDLE UINT64_MAX

enum { SAM_CLOCK_UNITS = 16 };

struct sam_clock_unit {
    /* Simulate cycle `now` of the clock. Returns the next cycle to be called in, after `now`; the
     * unit accounts for the cycles in between. */
    uint64_t (*tick)(void *unit, uint64_t now);
    void *unit;
};

struct sam_clock {
    uint64_t now;     /* the next cycle, or during a tick the current one */
    uint64_t horizon; /* during a tick: no other unit is called before it */
    bool interrupted;
    unsigned count;
    struct sam_clock_unit units[SAM_CLOCK_UNITS];
    uint64_t next[SAM_CLOCK_UNITS]; /* cycle of the next tick of each */
};

/* Returns the number of the unit, which is first called in the current cycle. */
unsigned sam_clock_join(struct sam_clock *clock, struct sam_clock_unit unit);
/* Call the unit in cycle `at` at the latest. `at` is the current cycle or later, and later if the
 * unit has already been called in the current one. */
void sam_clock_wake(struct sam_clock *clock, unsigned unit, uint64_t at);
/* The next cycle with a call, or SAM_CLOCK_IDLE. */
uint64_t sam_clock_next(const struct sam_clock *clock);
/* Simulate all cycles before `until`, which becomes the current one. */
void sam_clock_advance(struct sam_clock *clock, uint64_t until);
/* Advance to `until`, or to the end of the first cycle in which a unit interrupts. */
void sam_clock_run(struct sam_clock *clock, uint64_t until);
/* Called by a unit in its tick: end sam_clock_run after this cycle. */
void sam_clock_interrupt(struct sam_clock *clock);

#endif
