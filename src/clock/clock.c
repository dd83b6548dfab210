/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/clock.h"

unsigned sam_clock_join(struct sam_clock *clock, struct sam_clock_unit unit)
{
    const unsigned number = clock->count++;
    clock->units[number] = unit;
    clock->next[number] = clock->now;
    return number;
}

void sam_clock_wake(struct sam_clock *clock, unsigned unit, uint64_t at)
{
    if (at < clock->next[unit])
        clock->next[unit] = at;
    if (at < clock->horizon)
        clock->horizon = at;
}

uint64_t sam_clock_next(const struct sam_clock *clock)
{
    uint64_t first = SAM_CLOCK_IDLE;
    for (unsigned i = 0; i < clock->count; i++)
        first = clock->next[i] < first ? clock->next[i] : first;
    return first;
}

/* Call a unit in the current cycle and in the following ones up to the next call of another unit.
 * Returns the next cycle of the unit. */
static uint64_t tick(struct sam_clock *clock, const struct sam_clock_unit *unit)
{
    uint64_t next = unit->tick(unit->unit, clock->now);
    while (next < clock->horizon) {
        clock->now = next;
        next = unit->tick(unit->unit, next);
    }
    return next;
}

/* Simulate cycle `at`, the next one with a call. Afterwards `now` is the last simulated cycle,
 * before `until`. */
static void live(struct sam_clock *clock, uint64_t at, uint64_t until)
{
    clock->now = at;
    clock->interrupted = false;
    for (unsigned i = 0; i < clock->count; i++)
        if (clock->next[i] == at) {
            /* set before the call: the tick may wake its own unit */
            clock->next[i] = SAM_CLOCK_IDLE;
            const uint64_t others = sam_clock_next(clock);
            clock->horizon = others < until ? others : until;
            if (clock->interrupted) /* this cycle is the last */
                clock->horizon = 0;
            sam_clock_wake(clock, i, tick(clock, &clock->units[i]));
        }
}

void sam_clock_advance(struct sam_clock *clock, uint64_t until)
{
    for (uint64_t at; (at = sam_clock_next(clock)) < until;)
        live(clock, at, until);
    clock->now = until;
}

void sam_clock_run(struct sam_clock *clock, uint64_t until)
{
    clock->interrupted = false;
    for (uint64_t at; !clock->interrupted && (at = sam_clock_next(clock)) < until;)
        live(clock, at, until);
    clock->now = clock->interrupted ? clock->now + 1 : until;
}

void sam_clock_interrupt(struct sam_clock *clock)
{
    clock->interrupted = true;
    clock->horizon = 0;
}
