/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a system in time: individual rules, and a plain second model on random requests. */
#include "test.h"

#include "memtime/memtime.h"
#include "reference/levels_ref.h"

enum { L1M = 0x10000000, L0M = 0x18000000 };
#define MEMORY 0x90000000u

static const struct sam_memtime_map map = {L1M, 0x1000, L0M, 0x1000};

static struct sam_memtime_levels_config config_of(const char *text)
{
    struct sam_memtime_levels_config config;
    const struct sam_keys keys = sam_memtime_keys(&config);
    sam_keys_defaults(&keys);
    succeeds(sam_keys_set, &keys, 1, text);
    succeeds(sam_memtime_levels_check, &config);
    return config;
}

static struct sam_memtime_levels *open(const char *text, struct sam_memtime_port *port)
{
    const struct sam_memtime_levels_config config = config_of(text);
    struct sam_memtime_levels *m = sam_memtime_levels_new(&config, &map, NULL);
    assert_non_null(m);
    *port = sam_memtime_levels_port(m);
    return m;
}

static uint64_t ask(const struct sam_memtime_port *port, unsigned unit, uint64_t now,
                    uint64_t address, uint32_t bytes, enum sam_memtime_kind kind)
{
    return port->request(port->context, unit, now, address, bytes, kind);
}

/* ---------------------------------------------------------------------------------- rules */

TEST(units_share_the_bytes_of_an_onchip_memory)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("l1m_bytes=32", &port);
    assert_int_equal(ask(&port, 0, 10, L1M, 16, SAM_MEMTIME_READ), 14);
    assert_int_equal(ask(&port, 1, 10, L1M + 64, 16, SAM_MEMTIME_READ), 14);
    assert_int_equal(ask(&port, 2, 10, L1M + 128, 64, SAM_MEMTIME_WRITE), 16);
    assert_int_equal(ask(&port, 2, 10, L0M, 64, SAM_MEMTIME_WRITE), 14);
    const struct sam_memtime_levels_figures *f = sam_memtime_levels_figures(m);
    assert_int_equal(f->level[SAM_MEMTIME_L1M].busy, 3);    /* 10, 11, 12 */
    assert_int_equal(f->level[SAM_MEMTIME_L1M].waiting, 4); /* 13 to 16 */
    assert_int_equal(f->last, 17);
    sam_memtime_levels_free(m);
}

TEST(a_miss_takes_the_memory_and_the_l2)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("", &port);
    assert_int_equal(ask(&port, 0, 0, MEMORY, 64, SAM_MEMTIME_READ), 100 + 3 + 20);
    assert_int_equal(ask(&port, 1, 50, MEMORY + 4, 4, SAM_MEMTIME_READ), 123); /* under way */
    assert_int_equal(ask(&port, 1, 200, MEMORY + 4, 4, SAM_MEMTIME_READ), 220);
    const struct sam_memtime_levels_figures *f = sam_memtime_levels_figures(m);
    assert_int_equal(f->unit[0][SAM_MEMTIME_DRAM].read, 64);
    assert_int_equal(f->unit[1][SAM_MEMTIME_DRAM].read, 0);
    assert_int_equal(f->unit[1][SAM_MEMTIME_L2].read, 8);
    sam_memtime_levels_free(m);
}

TEST(a_part_of_a_line_takes_two_accesses)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("", &port);
    assert_int_equal(ask(&port, 0, 0, MEMORY, 64, SAM_MEMTIME_WRITE), 20);
    assert_int_equal(ask(&port, 0, 100, MEMORY, 64, SAM_MEMTIME_WRITE), 120);
    assert_int_equal(ask(&port, 0, 200, MEMORY, 63, SAM_MEMTIME_WRITE), 221);
    assert_int_equal(ask(&port, 0, 200, MEMORY, 64, SAM_MEMTIME_READ), 222);
    assert_int_equal(ask(&port, 0, 300, MEMORY + 64, 4, SAM_MEMTIME_WRITE), 301 + 103 + 20);
    const struct sam_memtime_levels_figures *f = sam_memtime_levels_figures(m);
    assert_int_equal(f->level[SAM_MEMTIME_L2].partial, 2);
    assert_int_equal(f->level[SAM_MEMTIME_DRAM].bytes.read, 64); /* whole lines need no fetch */
    sam_memtime_levels_free(m);
}

TEST(a_stream_does_not_stay)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("", &port);
    assert_int_equal(ask(&port, 0, 0, MEMORY, 32, SAM_MEMTIME_READ_STREAM), 123);
    assert_int_equal(ask(&port, 0, 1, MEMORY + 32, 32, SAM_MEMTIME_READ_STREAM), 123);
    assert_int_equal(ask(&port, 1, 1000, MEMORY, 64, SAM_MEMTIME_READ), 1123);
    assert_int_equal(ask(&port, 0, 2000, MEMORY, 64, SAM_MEMTIME_READ_STREAM), 2020);
    assert_int_equal(sam_memtime_levels_figures(m)->level[SAM_MEMTIME_DRAM].bytes.read, 128);
    sam_memtime_levels_free(m);
}

TEST(parts_of_lines_are_kept_by_their_unit)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("", &port);
    assert_int_equal(ask(&port, 0, 0, MEMORY, 24, SAM_MEMTIME_READ_PART), 123);
    assert_int_equal(ask(&port, 0, 1000, MEMORY + 24, 40, SAM_MEMTIME_READ_PART), 1020);
    assert_int_equal(ask(&port, 1, 2000, MEMORY, 24, SAM_MEMTIME_READ_PART), 2123);
    for (unsigned i = 1; i < 32; i++)
        ask(&port, 0, 2000 + 1000 * i, MEMORY + 64 * i, 24, SAM_MEMTIME_READ_PART);
    assert_int_equal(ask(&port, 0, 40000, MEMORY, 24, SAM_MEMTIME_READ_PART), 40020);
    ask(&port, 0, 41000, MEMORY + 64 * 32, 24, SAM_MEMTIME_READ_PART);
    assert_int_equal(ask(&port, 0, 42000, MEMORY + 64, 24, SAM_MEMTIME_READ_PART), 42123);
    assert_int_equal(ask(&port, 1, 43000, MEMORY, 64, SAM_MEMTIME_READ), 43123);
    assert_int_equal(ask(&port, 0, 44000, MEMORY, 64, SAM_MEMTIME_READ_STREAM), 44020);
    assert_int_equal(ask(&port, 1, 45000, MEMORY, 64, SAM_MEMTIME_READ), 45123); /* left */
    assert_int_equal(ask(&port, 0, 46000, MEMORY, 64, SAM_MEMTIME_WRITE), 46020);
    assert_int_equal(ask(&port, 0, 47000, MEMORY, 64, SAM_MEMTIME_READ_STREAM), 47020);
    assert_int_equal(ask(&port, 0, 48000, MEMORY, 64, SAM_MEMTIME_READ),
                     48020);                                  /* written: stays */
    ask(&port, 0, 49000, MEMORY + 64, 64, SAM_MEMTIME_WRITE); /* no longer what was read */
    ask(&port, 0, 50000, MEMORY + 64, 24, SAM_MEMTIME_READ_PART);
    assert_int_equal(sam_memtime_levels_figures(m)->level[SAM_MEMTIME_L2].bytes.written, 128);
    sam_memtime_levels_free(m);
}

TEST(the_link_carries_its_part_of_memory)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m =
        open("link_base=0x90001000,link_size=4096,link_bytes=4,link_latency=50", &port);
    assert_int_equal(ask(&port, 0, 0, MEMORY + 0x1000, 64, SAM_MEMTIME_READ), 50 + 15 + 20);
    assert_int_equal(ask(&port, 0, 0, MEMORY + 0x2000, 64, SAM_MEMTIME_READ), 1 + 103 + 20);
    const struct sam_memtime_levels_figures *f = sam_memtime_levels_figures(m);
    assert_int_equal(f->level[SAM_MEMTIME_LINK].bytes.read, 64);
    assert_int_equal(f->level[SAM_MEMTIME_DRAM].bytes.read, 64);
    assert_int_equal(f->level[SAM_MEMTIME_LINK].busy, 16);
    sam_memtime_levels_free(m);
}

TEST(an_l2_needs_a_line_per_way)
{
    struct sam_memtime_levels_config config = config_of("");
    struct sam_error error;
    config.l2_size = 512;
    must_refuse(sam_memtime_levels_check(&config, &error), &error, "l2_size=512, l2_ways=16");
}

/* ------------------------------------------------------------------ against the plain model */

enum { UNITS = 3 };

static void random_config(struct sam_memtime_levels_config *c, uint64_t *seed)
{
    *c = config_of("l2_size=4096,l2_ways=4");
    c->l1m_bytes = 1 + (uint32_t)test_below(seed, 100);
    c->l0m_bytes = 1 + (uint32_t)test_below(seed, 100);
    c->l1m_latency = 1 + (uint32_t)test_below(seed, 9);
    c->l2_ways = 1u << test_below(seed, 4);
    c->l2_latency = 1 + (uint32_t)test_below(seed, 30);
    c->l2_bytes = 8 + (uint32_t)test_below(seed, 200);
    c->dram_latency = 1 + (uint32_t)test_below(seed, 120);
    c->dram_bytes = 3 + (uint32_t)test_below(seed, 80);
    c->link_bytes = 3 + (uint32_t)test_below(seed, 20);
    c->link_base = MEMORY + 0x1000;
    c->link_size = 64 * test_below(seed, 20);
}

TEST(random_requests)
{
    uint64_t seed = test_seed();
    for (unsigned round = 0; round < 30; round++) {
        struct sam_memtime_levels_config config;
        random_config(&config, &seed);
        struct lref *p = lref_new(&config, &map);
        struct sam_memtime_levels *m = sam_memtime_levels_new(&config, &map, NULL);
        assert_non_null(m);
        const struct sam_memtime_port port = sam_memtime_levels_port(m);
        const uint64_t gap = 1 + test_below(&seed, 20);
        uint64_t now = 0;
        for (unsigned i = 0; i < 1000; i++) {
            static const uint64_t bases[] = {MEMORY, MEMORY, MEMORY + 0x1000, L1M, L0M};
            const unsigned unit = (unsigned)test_below(&seed, UNITS);
            const uint32_t low = (uint32_t)test_below(&seed, 64);
            const bool whole = test_below(&seed, 2);
            const uint32_t bytes = whole ? 64 : 1 + (uint32_t)test_below(&seed, 64 - low);
            const uint64_t address =
                bases[test_below(&seed, 5)] + 64 * test_below(&seed, 64) + (whole ? 0 : low);
            const enum sam_memtime_kind kind = (enum sam_memtime_kind)test_below(&seed, 4);
            now += test_below(&seed, gap);
            assert_int_equal(ask(&port, unit, now, address, bytes, kind),
                             lref_request(p, unit, now, address, bytes, kind));
        }
        lref_compare(p, sam_memtime_levels_figures(m));
        sam_memtime_levels_free(m);
        lref_free(p);
    }
}
