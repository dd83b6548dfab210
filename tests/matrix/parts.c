/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of parts of the cycle model: partial elements of a mask, partial writes of a line, L2
 * misses, ports of a register. */

#include "test.h"

#include "alone.h"
#include "random_config.h"

enum { MOST = 64, CYCLES = 1 << 16 };

static struct sam_mxu_config config_of(const char *text)
{
    struct sam_mxu_config c;
    struct sam_error error;
    sam_mxu_config_init(&c, 512);
    if (sam_mxu_config_set(&c, text, &error) != SAM_OK ||
        sam_mxu_config_check(&c, &error) != SAM_OK)
        fail_msg("%s: %s", text, error.text);
    return c;
}

static struct sam_matrix_work move_of(enum sam_m_kind kind, unsigned reg, unsigned rows,
                                      unsigned bytes, uint64_t base)
{
    return (struct sam_matrix_work){.kind = kind,
                                    .md = (uint8_t)reg,
                                    .registers = 1,
                                    .m = rows,
                                    .bytes = bytes,
                                    .base = base,
                                    .stride = 64};
}

/* Every cycle of every unit is busy or has exactly one reason. */
static void expect_sums(const struct sam_mxu_stats *s)
{
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++) {
        uint64_t sum = 0;
        for (unsigned state = 0; state < SAM_MXU_STATES; state++)
            sum += s->buckets[unit][state];
        assert_int_equal(sum, s->cycles);
    }
}

static struct sam_mxu_stats run(const struct sam_mxu_config *c,
                                const struct sam_mxu_observer *observer,
                                const struct sam_matrix_work *works, unsigned count)
{
    struct alone a;
    alone_open(&a, c, observer);
    for (unsigned i = 0; i < count; i++)
        alone_matrix(&a, &works[i], 4 * i, 0);
    const struct sam_mxu_stats stats = *alone_drain(&a);
    alone_free(&a);
    expect_sums(&stats);
    return stats;
}

static uint64_t cycles_of(const char *config, const struct sam_matrix_work *works, unsigned count)
{
    const struct sam_mxu_config c = config_of(config);
    return run(&c, NULL, works, count).cycles;
}

/* ------------------------------------------------------------------------------ elewidth */

/* A uop that begins or ends within an element of the mask takes one more cycle in the register
 * file. */
TEST(elements_that_are_cut)
{
    static const struct {
        unsigned base, bytes, whole; /* the widest elements that are not split */
    } cases[] = {{0, 64, 64}, {0, 63, 8}, {1, 8, 8},  {2, 8, 16},
                 {4, 8, 32},  {8, 8, 64}, {0, 2, 16}, {0, 12, 32}};
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        for (unsigned width = 8; width <= 64; width *= 2)
            for (unsigned kind = SAM_M_KIND_LOAD; kind <= SAM_M_KIND_STORE; kind++) {
                struct sam_matrix_work w =
                    move_of((enum sam_m_kind)kind, 0, 1, cases[i].bytes, 0x1000 + cases[i].base);
                w.end = 1; /* no other rows are cleared */
                FREED char *text = formatted("elewidth=%u,merge_cycles=0", width);
                struct sam_mxu_config c = config_of(text);
                const struct sam_mxu_stats seen = run(&c, NULL, &w, 1);
                /* the tail of a loaded row, cleared by the next uop */
                const bool tail = kind == SAM_M_KIND_LOAD && cases[i].bytes < 64;
                assert_int_equal(seen.cut_uops == 0, width <= cases[i].whole);
                /* the mask bits of moved bytes and of cleared bytes */
                const unsigned bytes = width / 8, used = (cases[i].bytes + bytes - 1) / bytes,
                               rest = tail ? 512 / width - cases[i].bytes / bytes : 0;
                if (cases[i].base + cases[i].bytes <= 64)
                    assert_int_equal(seen.mask_bits, used + rest);
                const uint64_t whole = cycles_of("elewidth=8,merge_cycles=0", &w, 1);
                const uint64_t cycles = cycles_of(text, &w, 1);
                if (width <= cases[i].whole)
                    assert_int_equal(cycles, whole);
                else if (!tail)
                    assert_int_equal(cycles, whole + 1);
                else
                    assert_true(cycles > whole);
            }
}

/* --------------------------------------------------------------------- parts of a line */

/* Sixteen rows of four beats each: whole lines follow each other; an incomplete line occupies
 * the memory for another merge_cycles. */
TEST(writes_of_part_of_a_line)
{
    const struct sam_matrix_work whole = move_of(SAM_M_KIND_STORE, 0, 16, 64, 0x1000),
                                 part = move_of(SAM_M_KIND_STORE, 0, 16, 62, 0x1000);
    struct sam_mxu_config c = config_of("");
    const struct sam_mxu_stats full = run(&c, NULL, &whole, 1);
    assert_int_equal(full.write_beats, 64);
    assert_int_equal(full.full_lines, 16);
    assert_int_equal(full.buckets[SAM_MXU_WRITE][SAM_MXU_MERGE], 0);
    for (unsigned merge = 0; merge <= 64; merge += merge < 8 ? 1 : 28) {
        c.merge_cycles = merge;
        const struct sam_mxu_stats s = run(&c, NULL, &part, 1);
        assert_int_equal(s.write_beats, 64);
        assert_int_equal(s.full_lines, 0);
        assert_int_equal(s.cycles, full.cycles + 16 * merge);
        assert_int_equal(s.buckets[SAM_MXU_WRITE][SAM_MXU_MERGE], 15 * merge); /* not the last */
        assert_int_equal(run(&c, NULL, &whole, 1).cycles, full.cycles);
    }
}

/* -------------------------------------------------------------------------------- the L2 */

/* An L2 of 1 KiB is one set of sixteen lines. Load m0, sixteen other lines, and m0 again. */
TEST(streams_do_not_stay)
{
    struct sam_matrix_work works[] = {move_of(SAM_M_KIND_LOAD, 0, 8, 64, 0x1000),
                                      move_of(SAM_M_KIND_LOAD, 1, 16, 64, 0x8000),
                                      move_of(SAM_M_KIND_LOAD, 0, 8, 64, 0x1000)};
    const struct sam_mxu_config one = config_of("l2_kib=1"), none = config_of("");
    struct sam_mxu_stats s = run(&one, NULL, works, 3);
    assert_int_equal(s.l2_hits, 0);
    assert_int_equal(s.l2_misses, 32);
    const uint64_t slow = s.cycles;
    works[1].stream = true;
    s = run(&one, NULL, works, 3);
    assert_int_equal(s.l2_hits, 8); /* m0 has stayed */
    assert_int_equal(s.l2_misses, 24);
    assert_true(s.cycles < slow);
    works[2] = works[1]; /* streamed data is not kept for a second access */
    s = run(&one, NULL, works, 3);
    assert_int_equal(s.l2_hits, 0);
    works[0].stream = true;
    works[0].base = works[1].base = 0x8000;
    works[2] = move_of(SAM_M_KIND_LOAD, 2, 4, 64, 0x8000);
    s = run(&one, NULL, works, 3);
    assert_int_equal(s.l2_hits, 0);
    s = run(&none, NULL, works, 3);
    assert_int_equal(s.l2_hits + s.l2_misses, 0);
}

/* A load that misses takes miss_latency more; a full line is written without a miss. */
TEST(lines_that_the_l2_lacks)
{
    struct sam_matrix_work load = move_of(SAM_M_KIND_LOAD, 0, 1, 64, 0x1000),
                           full = move_of(SAM_M_KIND_STORE, 0, 1, 64, 0x1000),
                           part = move_of(SAM_M_KIND_STORE, 0, 1, 62, 0x1000);
    load.end = 1;
    const char *const cold = "l2_kib=4,miss_latency=77";
    assert_int_equal(cycles_of(cold, &load, 1), cycles_of("", &load, 1) + 77);
    assert_int_equal(cycles_of(cold, &full, 1), cycles_of("", &full, 1));
    assert_int_equal(cycles_of(cold, &part, 1), cycles_of("", &part, 1) + 77);
    const struct sam_matrix_work both[] = {full, load}; /* a write allocates its line */
    assert_int_equal(cycles_of(cold, both, 2), cycles_of("", both, 2));
}

/* --------------------------------------------------------------------------------- ports */

/* Registers whose row is read by the store port, and written by the load port, in each cycle. */
struct ports {
    const struct sam_matrix_work *works;
    unsigned rows, crowded;
    uint8_t reads[CYCLES], writes[CYCLES];
};

static void use(struct ports *p, uint8_t *ports, uint64_t cycle, unsigned registers)
{
    assert_true(cycle < CYCLES && registers < 256);
    p->crowded += (ports[cycle] & registers) != 0;
    ports[cycle] |= (uint8_t)registers;
}

static void note(void *context, const struct sam_mxu_record *r)
{
    struct ports *p = context;
    const struct sam_matrix_work *w = &p->works[r->instruction];
    const unsigned held = 1u << (w->md + r->move.row / p->rows);
    if (w->kind == SAM_M_KIND_LOAD)
        use(p, p->writes, r->written, held);
    else if (w->kind == SAM_M_KIND_STORE)
        use(p, p->reads, r->issued, held);
    if (w->kind != SAM_M_KIND_POINTWISE)
        return;
    use(p, p->writes, r->written, 1u << w->md);
    use(p, p->reads, r->issued, (w->reads_1 ? 1u << w->ms1 : 0) | (w->reads_2 ? 1u << w->ms2 : 0));
}

static const struct sam_m_type half = {16, 16, true}, word = {16, 64, false};

static struct sam_matrix_work random_work(uint64_t *seed)
{
    const unsigned kind = (unsigned)test_below(seed, 4);
    struct sam_matrix_work w = {.kind = (enum sam_m_kind)kind};
    if (kind <= SAM_M_KIND_STORE)
        return move_of(w.kind, (unsigned)test_below(seed, 8), 1 + (unsigned)test_below(seed, 16),
                       1 + (unsigned)test_below(seed, 64), 0x1000 + test_below(seed, 4096));
    w.registers = w.source_registers = 1;
    w.md = (uint8_t)test_below(seed, 8);
    w.ms1 = (uint8_t)test_below(seed, 8);
    w.ms2 = (uint8_t)test_below(seed, 8);
    w.reads_1 = w.reads_2 = true;
    if (kind == SAM_M_KIND_POINTWISE)
        return w;
    w.type = test_below(seed, 2) ? &half : &word;
    w.registers = w.type == &word ? 2 : 1;
    w.source_registers = w.type == &half ? 2 : 1;
    w.md = (uint8_t)(2 * test_below(seed, 2));
    w.ms1 = (uint8_t)(4 + test_below(seed, 4));
    w.ms2 = (uint8_t)(4 + 2 * test_below(seed, 2));
    w.m = 1 + (unsigned)test_below(seed, 16);
    w.n = 1 + (unsigned)test_below(seed, 16);
    w.bytes = 64;
    return w;
}

/* One row per port, register and cycle; more without `ports`. */
static unsigned crowded_ports(uint64_t *seed, bool counted, uint64_t waits[2])
{
    static struct ports p;
    unsigned crowded = 0;
    for (unsigned round = 0; round < 80; round++) {
        struct sam_matrix_work works[MOST];
        uint64_t pw = 0;
        p = (struct ports){.works = works, .rows = 16};
        for (unsigned i = 0; i < MOST; i++) {
            works[i] = random_work(seed);
            pw += works[i].kind == SAM_M_KIND_POINTWISE ? 16u * (1 + (works[i].ms1 != works[i].ms2))
                                                        : 0;
        }
        struct sam_mxu_config c = config_of("slots=16,mem_latency=3");
        c.ports = counted;
        const struct sam_mxu_observer observer = {&p, note, NULL};
        const struct sam_mxu_stats s = run(&c, &observer, works, MOST);
        assert_int_equal(s.port_blocks[SAM_MXU_PORT_MS1], s.mma_uops);
        assert_int_equal(s.port_blocks[SAM_MXU_PORT_MS2], s.mma_uops);
        assert_int_equal(s.port_blocks[SAM_MXU_PORT_MD], s.port_blocks[SAM_MXU_PORT_MMA]);
        assert_true(s.port_blocks[SAM_MXU_PORT_MD] >= s.mma_uops);
        assert_int_equal(s.port_blocks[SAM_MXU_PORT_STORE], s.store_uops + pw);
        assert_int_equal(s.port_blocks[SAM_MXU_PORT_LOAD], s.load_uops + s.zero_uops + s.pw_uops);
        waits[0] += s.buckets[SAM_MXU_LOAD][SAM_MXU_PORT];
        waits[1] += s.buckets[SAM_MXU_STORE][SAM_MXU_PORT];
        crowded += p.crowded;
    }
    return crowded;
}

TEST(ports_of_registers)
{
    uint64_t seed = test_seed(), waits[2] = {0}, none[2] = {0};
    assert_int_equal(crowded_ports(&seed, true, waits), 0);
    assert_true(waits[0] > 0 && waits[1] > 0);
    assert_true(crowded_ports(&seed, false, none) > 0);
    assert_int_equal(none[0] + none[1], 0);
}

static void every_cycle(void *context, uint64_t cycle, const struct sam_mxu_bus *bus)
{
    uint64_t *next = context;
    (void)bus;
    assert_int_equal(cycle, (*next)++);
}

/* The figures of a run without skipped cycles: its bus is observed. */
TEST(cycles_without_events)
{
    uint64_t seed = test_seed();
    for (unsigned round = 0; round < 80; round++) {
        struct sam_matrix_work works[MOST];
        uint64_t cycles = 0;
        struct sam_mxu_config c = random_mxu_config(&seed, 1);
        c.mlen = 512;
        c.ooo_window = 1 + (unsigned)test_below(&seed, 4);
        for (unsigned i = 0; i < MOST; i++)
            works[i] = random_work(&seed);
        const struct sam_mxu_observer observer = {&cycles, NULL, every_cycle};
        succeeds(sam_mxu_config_check, &c);
        const struct sam_mxu_stats all = run(&c, &observer, works, MOST),
                                   some = run(&c, NULL, works, MOST);
        assert_int_equal(cycles, all.cycles);
        assert_memory_equal(&all, &some, sizeof all);
    }
}
