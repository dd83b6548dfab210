/* SPDX-License-Identifier: Apache-2.0 */
/* The face of clock/: the cycles that several units share. Each unit is told of the cycles in which
 * something may happen to it, all of them in ascending order, so that whatever one unit asks of
 * another in a cycle finds that one in the same cycle. In a cycle, units follow the order in which
 * they joined. */
#ifndef SAM_CLOCK_H
#define SAM_CLOCK_H

#include "base/base.h"

/* Never, until it is woken. */
#define SAM_CLOCK_IDLE UINT64_MAX

enum { SAM_CLOCK_UNITS = 16 };

struct sam_clock_unit {
    /* Live through cycle `now`, which is the clock's. Returns the next cycle to be called in, above
     * `now`; it accounts itself for the cycles in between. */
    uint64_t (*tick)(void *unit, uint64_t now);
    void *unit;
};

struct sam_clock {
    uint64_t now;     /* the cycle that comes next, or during a tick the current one */
    uint64_t horizon; /* during a tick: before it, no other unit is called */
    bool interrupted;
    unsigned count;
    struct sam_clock_unit units[SAM_CLOCK_UNITS];
    uint64_t next[SAM_CLOCK_UNITS]; /* cycle of the next tick of each */
};

/* Returns the unit's number; it is first called in the current cycle. */
unsigned sam_clock_join(struct sam_clock *clock, struct sam_clock_unit unit);
/* Call the unit in cycle `at` at the latest: something was given to it. `at` is not before the
 * current cycle, and after it when the unit has already been called in it. */
void sam_clock_wake(struct sam_clock *clock, unsigned unit, uint64_t at);
/* The first cycle from `now` on in which a unit is to be called; SAM_CLOCK_IDLE: none. */
uint64_t sam_clock_next(const struct sam_clock *clock);
/* Live through all cycles before `until`, which becomes the current one. */
void sam_clock_advance(struct sam_clock *clock, uint64_t until);
/* The same, or up to the end of the first cycle in which a unit interrupts. */
void sam_clock_run(struct sam_clock *clock, uint64_t until);
/* For a unit in its tick: who drives the clock waits for what happens in this cycle. */
void sam_clock_interrupt(struct sam_clock *clock);

#endif
