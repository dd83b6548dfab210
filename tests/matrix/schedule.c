/* SPDX-License-Identifier: Apache-2.0 */
/* A higher memory latency can make a program faster: the load pipe takes the oldest load that
 * holds its registers, and does not wait for one that is about to. */
#include "test.h"

#include "alone.h"

static const struct sam_m_type byte = {8, 32, false};

static struct sam_matrix_work product(unsigned md, unsigned ms1, unsigned ms2)
{
    return (struct sam_matrix_work){.kind = SAM_M_KIND_MMA,
                                    .md = (uint8_t)md,
                                    .ms1 = (uint8_t)ms1,
                                    .ms2 = (uint8_t)ms2,
                                    .reads_1 = true,
                                    .reads_2 = true,
                                    .registers = 1,
                                    .source_registers = 1,
                                    .m = 16,
                                    .n = 16,
                                    .bytes = 64,
                                    .type = &byte};
}

static struct sam_matrix_work move(enum sam_m_kind kind, unsigned reg, unsigned rows, uint64_t base)
{
    return (struct sam_matrix_work){.kind = kind,
                                    .md = (uint8_t)reg,
                                    .registers = 1,
                                    .m = rows,
                                    .bytes = 64,
                                    .base = base,
                                    .stride = 64};
}

/* The issue and write-back cycles of each instruction's uops. */
struct times {
    uint64_t issued[16][16], written[16];
    unsigned count[16];
};

static void note(void *context, const struct sam_mxu_record *r)
{
    struct times *t = context;
    if (r->uop < 16)
        t->issued[r->instruction][r->uop] = r->issued;
    t->count[r->instruction]++;
    if (r->written > t->written[r->instruction])
        t->written[r->instruction] = r->written;
}

static uint64_t cycles_of(const struct sam_matrix_work *works, unsigned count, unsigned slots,
                          unsigned latency, struct times *times)
{
    struct sam_mxu_config c;
    struct sam_mxu_observer observer = {times, times ? note : NULL, NULL};
    sam_mxu_config_init(&c, 512);
    c.slots = slots;
    c.ports = slots > 1;
    c.mem_latency = latency;
    succeeds(sam_mxu_config_check, &c);
    SCOPED(alone) a;
    alone_open(&a, &c, &observer);
    for (unsigned i = 0; i < count; i++)
        alone_matrix(&a, &works[i], 4 * i, 0);
    const uint64_t cycles = alone_drain(&a)->cycles;
    return cycles;
}

/* The example of docs/matrix.md. The older load waits until the product has written m2, in cycle
 * 26, and the younger one uses the pipe. A read of four beats leaves the queue every four
 * cycles, and the latency decides in which ones. With a latency of 3, the younger load gets a
 * slot just one cycle before the older one can issue, which then waits for the next slot. With
 * 4, the slot becomes free when the older load is ready: it and the store that depends on it are
 * three cycles earlier. */
TEST(a_place_in_the_pipe)
{
    const struct sam_matrix_work works[] = {
        product(2, 3, 0), move(SAM_M_KIND_LOAD, 2, 4, 0x7000), /* older, on the critical path */
        move(SAM_M_KIND_LOAD, 1, 16, 0x10000),                 /* younger, free from the start */
        move(SAM_M_KIND_STORE, 2, 4, 0x16000), move(SAM_M_KIND_STORE, 3, 4, 0x15000)};
    enum { OLDER = 1, YOUNGER = 2, STORE = 3 };
    static struct times three, four;
    three = four = (struct times){0};
    const uint64_t slow = cycles_of(works, SAM_COUNT(works), 4, 3, &three),
                   fast = cycles_of(works, SAM_COUNT(works), 4, 4, &four);
    assert_int_equal(slow, 100);
    assert_int_equal(fast, 98);
    const uint64_t free_from = three.written[0] + 1; /* m2 */
    assert_int_equal(free_from, four.written[0] + 1);
    unsigned before_3 = 0, before_4 = 0;
    for (unsigned i = 0; i < 16; i++) {
        before_3 += three.issued[YOUNGER][i] < three.issued[OLDER][0];
        before_4 += four.issued[YOUNGER][i] < four.issued[OLDER][0];
    }
    assert_int_equal(before_3, before_4 + 1); /* the place */
    assert_int_equal(three.issued[YOUNGER][before_4], free_from - 1);
    assert_int_equal(three.issued[OLDER][0], free_from + 3);
    assert_int_equal(four.issued[OLDER][0], free_from);
    assert_int_equal(three.issued[STORE][0] - four.issued[STORE][0], 3);
    /* Without the younger load there is no competition, and more latency never helps. */
    const struct sam_matrix_work alone[] = {works[0], works[1], works[3], works[4]};
    for (unsigned latency = 1; latency < 60; latency++)
        assert_true(cycles_of(alone, SAM_COUNT(alone), 4, latency, NULL) <=
                    cycles_of(alone, SAM_COUNT(alone), 4, latency + 1, NULL));
}

/* With one slot no load can overtake, and without port counting a cleared row does not compete
 * with rows from memory: the effect is gone. */
TEST(latency_of_random_programs)
{
    uint64_t seed = test_seed();
    for (unsigned round = 0; round < 60; round++) {
        struct sam_matrix_work works[10];
        for (unsigned i = 0; i < SAM_COUNT(works); i++) {
            const unsigned reg = (unsigned)test_below(&seed, 4),
                           kind = (unsigned)test_below(&seed, 4);
            const uint64_t base = 0x1000 + 0x1000 * test_below(&seed, 64);
            works[i] = kind == 0 ? product(reg, (reg + 1) % 4, (reg + 2) % 4)
                                 : move(kind == 1 ? SAM_M_KIND_STORE : SAM_M_KIND_LOAD, reg,
                                        1 + (unsigned)test_below(&seed, 16), base);
        }
        uint64_t last = 0;
        for (unsigned latency = 1; latency < 40; latency++) {
            const uint64_t cycles = cycles_of(works, SAM_COUNT(works), 1, latency, NULL);
            if (cycles < last)
                fail_msg("latency %u: %u cycles, with one less %u", latency, (unsigned)cycles,
                         (unsigned)last);
            last = cycles;
        }
    }
}
