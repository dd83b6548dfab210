/* SPDX-License-Identifier: Apache-2.0 */
/* Units on a clock: each is called in the cycles that it requests or is woken for, in ascending
 * order, and within a cycle in order of registration. */
#include "test.h"

#include "clock/clock.h"

struct call {
    uint64_t cycle;
    unsigned unit;
};

struct bench {
    struct sam_clock clock;
    struct call calls[64];
    unsigned count;
};

struct periodic {
    struct bench *bench;
    unsigned number;
    uint64_t period; /* 0: idle */
    unsigned wakes;  /* 1 + a unit that is woken for the next cycle; 0: none */
};

static uint64_t tick(void *unit, uint64_t now)
{
    const struct periodic *p = unit;
    struct bench *b = p->bench;
    assert_int_equal(b->clock.now, now);
    assert_true(b->count < 64);
    b->calls[b->count++] = (struct call){now, p->number};
    if (p->wakes)
        sam_clock_wake(&b->clock, p->wakes - 1, now + 1);
    return p->period ? now + p->period : SAM_CLOCK_IDLE;
}

static void expect_calls(const struct bench *b, const struct call *calls, unsigned count)
{
    assert_int_equal(b->count, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(b->calls[i].cycle, calls[i].cycle);
        assert_int_equal(b->calls[i].unit, calls[i].unit);
    }
}

TEST(cycles_ascend_and_units_keep_their_order)
{
    struct bench b = {0};
    struct periodic units[2] = {{&b, 0, 2, 0}, {&b, 1, 3, 0}};
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(sam_clock_join(&b.clock, (struct sam_clock_unit){tick, &units[i]}), i);
    sam_clock_advance(&b.clock, 7);
    static const struct call expected[] = {{0, 0}, {0, 1}, {2, 0}, {3, 1}, {4, 0}, {6, 0}, {6, 1}};
    expect_calls(&b, expected, 7);
    assert_int_equal(b.clock.now, 7);
    assert_int_equal(sam_clock_next(&b.clock), 8);
}

TEST(an_idle_unit_waits_until_it_is_woken)
{
    struct bench b = {0};
    struct periodic units[2] = {{&b, 0, 0, 0}, {&b, 1, 0, 1}};
    for (unsigned i = 0; i < 2; i++)
        sam_clock_join(&b.clock, (struct sam_clock_unit){tick, &units[i]});
    sam_clock_advance(&b.clock, 10); /* unit 1 wakes unit 0 */
    assert_int_equal(sam_clock_next(&b.clock), SAM_CLOCK_IDLE);
    sam_clock_wake(&b.clock, 1, 20);
    sam_clock_wake(&b.clock, 1, 30); /* later than its own wake-up cycle */
    sam_clock_advance(&b.clock, 20); /* cycle 20 itself has not run */
    sam_clock_advance(&b.clock, 21);
    sam_clock_advance(&b.clock, 100);
    static const struct call expected[] = {{0, 0}, {0, 1}, {1, 0}, {20, 1}, {21, 0}};
    expect_calls(&b, expected, 5);
}

/* Called every `period` cycles. */
struct runner {
    struct bench *bench;
    unsigned number;
    uint64_t period, interrupts; /* the cycle in which it interrupts the clock */
};

static uint64_t run_on(void *unit, uint64_t now)
{
    const struct runner *r = unit;
    struct bench *b = r->bench;
    assert_int_equal(b->clock.now, now);
    b->calls[b->count++] = (struct call){now, r->number};
    if (now == r->interrupts)
        sam_clock_interrupt(&b->clock);
    return now + r->period;
}

/* While one unit runs alone, the cycles are those of a walk over all units. */
TEST(a_unit_goes_on_alone)
{
    for (unsigned other = 1; other < 12; other++) {
        struct bench b = {0};
        struct call expected[64];
        unsigned count = 0;
        struct runner runners[2] = {{&b, 0, 2, SAM_CLOCK_IDLE}, {&b, 1, other, SAM_CLOCK_IDLE}};
        for (unsigned i = 0; i < 2; i++)
            sam_clock_join(&b.clock, (struct sam_clock_unit){run_on, &runners[i]});
        for (uint64_t until = 5; until <= 25; until += 10) {
            sam_clock_advance(&b.clock, until);
            assert_int_equal(b.clock.now, until);
        }
        for (uint64_t cycle = 0; cycle < 25; cycle++)
            for (unsigned i = 0; i < 2; i++)
                if (cycle % runners[i].period == 0)
                    expected[count++] = (struct call){cycle, i};
        expect_calls(&b, expected, count);
    }
}

/* A unit that wakes itself is called then, and not in the cycle that it returned. */
static uint64_t wake_itself(void *unit, uint64_t now)
{
    const struct runner *r = unit;
    r->bench->calls[r->bench->count++] = (struct call){now, r->number};
    sam_clock_wake(&r->bench->clock, r->number, now + 1);
    return now + r->period;
}

TEST(a_unit_wakes_itself)
{
    struct bench b = {0};
    struct runner runner = {&b, 0, 5, 0};
    sam_clock_join(&b.clock, (struct sam_clock_unit){wake_itself, &runner});
    sam_clock_advance(&b.clock, 3);
    static const struct call expected[] = {{0, 0}, {1, 0}, {2, 0}};
    expect_calls(&b, expected, 3);
}

/* The clock stops after the cycle of an interrupt, in which the other units still run. */
TEST(an_interrupt_ends_a_run)
{
    struct bench b = {0};
    struct runner runners[2] = {{&b, 0, 2, 4}, {&b, 1, 4, SAM_CLOCK_IDLE}};
    for (unsigned i = 0; i < 2; i++)
        sam_clock_join(&b.clock, (struct sam_clock_unit){run_on, &runners[i]});
    sam_clock_run(&b.clock, 100);
    static const struct call expected[] = {{0, 0}, {0, 1}, {2, 0}, {4, 0}, {4, 1}};
    expect_calls(&b, expected, 5);
    assert_int_equal(b.clock.now, 5);
    sam_clock_run(&b.clock, 6); /* no interrupt */
    expect_calls(&b, expected, 5);
    assert_int_equal(b.clock.now, 6);
}

/* A unit that runs alone also stops after that cycle. */
TEST(an_interrupt_holds_the_others)
{
    struct bench b = {0};
    struct runner runners[2] = {{&b, 0, 50, 0}, {&b, 1, 4, SAM_CLOCK_IDLE}};
    for (unsigned i = 0; i < 2; i++)
        sam_clock_join(&b.clock, (struct sam_clock_unit){run_on, &runners[i]});
    sam_clock_run(&b.clock, 100);
    static const struct call expected[] = {{0, 0}, {0, 1}, {4, 1}, {8, 1}};
    expect_calls(&b, expected, 2);
    assert_int_equal(b.clock.now, 1);
    sam_clock_advance(&b.clock, 9);
    expect_calls(&b, expected, 4);
}
