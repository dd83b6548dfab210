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
}

uint64_t sam_clock_next(const struct sam_clock *clock)
{
    uint64_t first = SAM_CLOCK_IDLE;
    for (unsigned i = 0; i < clock->count; i++)
        first = clock->next[i] < first ? clock->next[i] : first;
    return first;
}

void sam_clock_advance(struct sam_clock *clock, uint64_t until)
{
    for (uint64_t at; (at = sam_clock_next(clock)) < until;) {
        clock->now = at;
        for (unsigned i = 0; i < clock->count; i++)
            if (clock->next[i] == at) {
                /* Set first: the unit may be woken for a later cycle by what it does itself. */
                clock->next[i] = SAM_CLOCK_IDLE;
                const uint64_t next = clock->units[i].tick(clock->units[i].unit, at);
                sam_clock_wake(clock, i, next);
            }
    }
    clock->now = until;
}
