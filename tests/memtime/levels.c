/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a system in time: single rules, and a plain second model on random requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memtime/memtime.h"
#include "must.h"
#include "random.h"

enum { L1M = 0x10000000, L0M = 0x18000000, MEMORY = 0x90000000 };

static const struct sam_memtime_map map = {L1M, 0x1000, L0M, 0x1000};

static struct sam_memtime_levels_config config_of(const char *text)
{
    struct sam_memtime_levels_config config;
    struct sam_error error;
    const struct sam_keys keys = sam_memtime_keys(&config);
    sam_keys_defaults(&keys);
    must(sam_keys_set(&keys, 1, text, &error), &error);
    must(sam_memtime_levels_check(&config, &error), &error);
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

static void units_share_the_bytes_of_an_onchip_memory(void **state)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("l1m_bytes=32", &port);
    (void)state;
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

static void a_miss_takes_the_memory_and_the_l2(void **state)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("", &port);
    (void)state;
    assert_int_equal(ask(&port, 0, 0, MEMORY, 64, SAM_MEMTIME_READ), 100 + 3 + 20);
    assert_int_equal(ask(&port, 1, 50, MEMORY + 4, 4, SAM_MEMTIME_READ), 123); /* under way */
    assert_int_equal(ask(&port, 1, 200, MEMORY + 4, 4, SAM_MEMTIME_READ), 220);
    const struct sam_memtime_levels_figures *f = sam_memtime_levels_figures(m);
    assert_int_equal(f->unit[0][SAM_MEMTIME_DRAM].read, 64);
    assert_int_equal(f->unit[1][SAM_MEMTIME_DRAM].read, 0);
    assert_int_equal(f->unit[1][SAM_MEMTIME_L2].read, 8);
    sam_memtime_levels_free(m);
}

static void a_part_of_a_line_takes_two_accesses(void **state)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("", &port);
    (void)state;
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

static void a_stream_does_not_stay(void **state)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m = open("", &port);
    (void)state;
    assert_int_equal(ask(&port, 0, 0, MEMORY, 32, SAM_MEMTIME_READ_STREAM), 123);
    assert_int_equal(ask(&port, 0, 1, MEMORY + 32, 32, SAM_MEMTIME_READ_STREAM), 123);
    assert_int_equal(ask(&port, 1, 1000, MEMORY, 64, SAM_MEMTIME_READ), 1123);
    assert_int_equal(ask(&port, 0, 2000, MEMORY, 64, SAM_MEMTIME_READ_STREAM), 2020);
    assert_int_equal(sam_memtime_levels_figures(m)->level[SAM_MEMTIME_DRAM].bytes.read, 128);
    sam_memtime_levels_free(m);
}

static void the_link_carries_its_part_of_memory(void **state)
{
    struct sam_memtime_port port;
    struct sam_memtime_levels *m =
        open("link_base=0x90001000,link_size=4096,link_bytes=4,link_latency=50", &port);
    (void)state;
    assert_int_equal(ask(&port, 0, 0, MEMORY + 0x1000, 64, SAM_MEMTIME_READ), 50 + 15 + 20);
    assert_int_equal(ask(&port, 0, 0, MEMORY + 0x2000, 64, SAM_MEMTIME_READ), 1 + 103 + 20);
    const struct sam_memtime_levels_figures *f = sam_memtime_levels_figures(m);
    assert_int_equal(f->level[SAM_MEMTIME_LINK].bytes.read, 64);
    assert_int_equal(f->level[SAM_MEMTIME_DRAM].bytes.read, 64);
    assert_int_equal(f->level[SAM_MEMTIME_LINK].busy, 16);
    sam_memtime_levels_free(m);
}

static void an_l2_needs_a_line_per_way(void **state)
{
    struct sam_memtime_levels_config config = config_of("");
    struct sam_error error;
    (void)state;
    config.l2_size = 512;
    must_refuse(sam_memtime_levels_check(&config, &error), &error, "l2_size=512, l2_ways=16");
}

/* --------------------------------------------------------------- a second model, plain: cycles of
 * each bus are filled one after the other, the L2 is a list of lines in order of use */

enum { CYCLES = 200000, LINES = 64, UNITS = 3, BUSES = 5 };

struct plain_line {
    uint64_t line, ready;
    bool dirty;
    unsigned writer;
};

struct plain {
    struct sam_memtime_levels_config config;
    uint32_t width[BUSES], latency[BUSES];
    uint32_t used[BUSES][CYCLES]; /* bytes of each cycle */
    bool moves[BUSES][CYCLES], waits[BUSES][CYCLES];
    uint64_t head[BUSES]; /* nothing goes before it */
    struct plain_line lines[LINES];
    unsigned count;
    uint64_t stream_line[UNITS], stream_ready[UNITS];
    struct sam_memtime_traffic unit[UNITS][BUSES];
};

static uint64_t plain_bus(struct plain *p, unsigned bus, uint64_t now, uint32_t bytes,
                          uint32_t late)
{
    uint64_t cycle = now > p->head[bus] ? now : p->head[bus];
    for (;; cycle++) {
        const uint32_t room = p->width[bus] - p->used[bus][cycle];
        const uint32_t now_moved = bytes < room ? bytes : room;
        p->used[bus][cycle] += now_moved;
        if (now_moved)
            p->moves[bus][cycle + late] = true;
        bytes -= now_moved;
        if (bytes == 0)
            break;
    }
    p->head[bus] = cycle;
    return cycle + late;
}

static void plain_wait(struct plain *p, unsigned bus, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i <= to; i++)
        p->waits[bus][i] = true;
}

static uint64_t plain_memory(struct plain *p, unsigned unit, uint64_t now, uint64_t line,
                             bool write)
{
    const bool far =
        64 * line >= p->config.link_base && 64 * line < p->config.link_base + p->config.link_size;
    const unsigned bus = far ? SAM_MEMTIME_LINK : SAM_MEMTIME_DRAM;
    const uint64_t at = plain_bus(p, bus, now, 64, p->latency[bus]);
    *(write ? &p->unit[unit][bus].written : &p->unit[unit][bus].read) += 64;
    plain_wait(p, bus, now, at);
    return at;
}

/* Lines in order of use, the latest last. */
static struct plain_line *plain_find(struct plain *p, uint64_t line)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->lines[i].line == line)
            return &p->lines[i];
    return NULL;
}

static void plain_use(struct plain *p, uint64_t line)
{
    struct plain_line *l = plain_find(p, line), copy = *l;
    memmove(l, l + 1, (size_t)(p->lines + --p->count - l) * sizeof *l);
    p->lines[p->count++] = copy;
}

static void plain_make_room(struct plain *p, uint64_t now, uint64_t line)
{
    const uint64_t sets = p->config.l2_size / 64 / p->config.l2_ways;
    unsigned same = 0, oldest = 0;
    for (unsigned i = p->count; i-- > 0;)
        if (p->lines[i].line % sets == line % sets) {
            same++;
            oldest = i;
        }
    if (same < p->config.l2_ways)
        return;
    const struct plain_line out = p->lines[oldest];
    memmove(&p->lines[oldest], &p->lines[oldest + 1], (p->count - oldest - 1) * sizeof out);
    p->count--;
    if (out.dirty)
        plain_memory(p, out.writer, now, out.line, true);
}

static uint64_t plain_l2(struct plain *p, unsigned unit, uint64_t now, uint64_t address,
                         uint32_t bytes, enum sam_memtime_kind kind)
{
    const uint64_t line = address / 64;
    const uint32_t cost = kind == SAM_MEMTIME_WRITE && bytes < 64 ? 128 : 64;
    const uint64_t turn = plain_bus(p, SAM_MEMTIME_L2, now, cost, 0);
    const uint64_t soonest = turn + p->config.l2_latency;
    struct plain_line *l = plain_find(p, line);
    if (kind == SAM_MEMTIME_WRITE)
        for (unsigned i = 0; i < UNITS; i++)
            if (p->stream_line[i] == line)
                p->stream_line[i] = UINT64_MAX;
    if (kind == SAM_MEMTIME_READ_STREAM && !l) {
        if (p->stream_line[unit] != line)
            p->stream_ready[unit] = plain_memory(p, unit, turn, line, false) + p->config.l2_latency;
        p->stream_line[unit] = line;
        return p->stream_ready[unit] > soonest ? p->stream_ready[unit] : soonest;
    }
    if (!l) {
        uint64_t ready = soonest;
        if (kind != SAM_MEMTIME_WRITE || bytes < 64)
            ready = plain_memory(p, unit, turn, line, false) + p->config.l2_latency;
        plain_make_room(p, turn, line);
        p->lines[p->count++] = (struct plain_line){.line = line, .ready = ready};
        l = &p->lines[p->count - 1];
    } else {
        plain_use(p, line);
        l = &p->lines[p->count - 1];
    }
    if (kind == SAM_MEMTIME_WRITE) {
        l->dirty = true;
        l->writer = unit;
    }
    return l->ready > soonest ? l->ready : soonest;
}

static uint64_t plain_request(struct plain *p, unsigned unit, uint64_t now, uint64_t address,
                              uint32_t bytes, enum sam_memtime_kind kind)
{
    unsigned level = SAM_MEMTIME_L2;
    if (address >= L1M && address < L1M + map.l1m_size)
        level = SAM_MEMTIME_L1M;
    if (address >= L0M && address < L0M + map.l0m_size)
        level = SAM_MEMTIME_L0M;
    *(kind == SAM_MEMTIME_WRITE ? &p->unit[unit][level].written : &p->unit[unit][level].read) +=
        bytes;
    const uint64_t at = level == SAM_MEMTIME_L2
                            ? plain_l2(p, unit, now, address, bytes, kind)
                            : plain_bus(p, level, now, bytes, 0) + p->latency[level];
    plain_wait(p, level, now, at);
    return at;
}

static void compare_figures(const struct plain *p, const struct sam_memtime_levels_figures *f)
{
    for (unsigned level = 0; level < BUSES; level++) {
        uint64_t busy = 0, waiting = 0;
        struct sam_memtime_traffic sum = {0};
        for (uint64_t i = 0; i < CYCLES; i++) {
            busy += p->moves[level][i];
            waiting += p->waits[level][i] && !p->moves[level][i];
        }
        assert_int_equal(f->level[level].busy, busy);
        assert_int_equal(f->level[level].waiting, waiting);
        for (unsigned unit = 0; unit < UNITS; unit++) {
            assert_int_equal(f->unit[unit][level].read, p->unit[unit][level].read);
            assert_int_equal(f->unit[unit][level].written, p->unit[unit][level].written);
            sum.read += f->unit[unit][level].read;
            sum.written += f->unit[unit][level].written;
        }
        /* both sides of each link */
        assert_int_equal(f->level[level].bytes.read, sum.read);
        assert_int_equal(f->level[level].bytes.written, sum.written);
    }
    assert_int_equal(f->level[SAM_MEMTIME_L2].dirty * 64,
                     f->level[SAM_MEMTIME_DRAM].bytes.written +
                         f->level[SAM_MEMTIME_LINK].bytes.written);
}

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

static void random_requests(void **state)
{
    uint64_t seed = test_seed();
    static struct plain p;
    (void)state;
    for (unsigned round = 0; round < 30; round++) {
        memset(&p, 0, sizeof p);
        random_config(&p.config, &seed);
        const struct sam_memtime_levels_config *c = &p.config;
        memcpy(p.width,
               (uint32_t[]){c->l1m_bytes, c->l0m_bytes, c->l2_bytes, c->dram_bytes, c->link_bytes},
               sizeof p.width);
        memcpy(p.latency,
               (uint32_t[]){c->l1m_latency, c->l0m_latency, c->l2_latency, c->dram_latency,
                            c->link_latency},
               sizeof p.latency);
        memset(p.stream_line, 0xff, sizeof p.stream_line);
        struct sam_memtime_levels *m = sam_memtime_levels_new(c, &map, NULL);
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
            const enum sam_memtime_kind kind = (enum sam_memtime_kind)test_below(&seed, 3);
            now += test_below(&seed, gap);
            assert_int_equal(ask(&port, unit, now, address, bytes, kind),
                             plain_request(&p, unit, now, address, bytes, kind));
        }
        compare_figures(&p, sam_memtime_levels_figures(m));
        sam_memtime_levels_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_share_the_bytes_of_an_onchip_memory),
        cmocka_unit_test(a_miss_takes_the_memory_and_the_l2),
        cmocka_unit_test(a_part_of_a_line_takes_two_accesses),
        cmocka_unit_test(a_stream_does_not_stay),
        cmocka_unit_test(the_link_carries_its_part_of_memory),
        cmocka_unit_test(an_l2_needs_a_line_per_way),
        cmocka_unit_test(random_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
