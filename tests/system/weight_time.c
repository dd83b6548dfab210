/* SPDX-License-Identifier: Apache-2.0 */
/* The weight unit in time: single rules, and a plain second model, cycle by cycle, on random
 * records. */
#include <stdlib.h>

#include "test.h"

#include "must.h"
#include "random.h"
#include "reference/weight_time_ref.h"
#include "system/weight_time.h"

/* Memory that answers after a number of cycles that the address and the kind decide. */
struct memory {
    uint32_t least, spread;
    uint64_t last;
    struct sam_memtime_traffic bytes;
};

static uint64_t latency_of(const struct memory *m, uint64_t address, bool write)
{
    uint64_t seed = address / 64 * 2 + write;
    return m->least + (m->spread ? test_random(&seed) % m->spread : 0);
}

static uint64_t request(void *context, unsigned unit, uint64_t now, uint64_t address,
                        uint32_t bytes, enum sam_memtime_kind kind)
{
    struct memory *m = context;
    const bool write = kind == SAM_MEMTIME_WRITE;
    assert_int_equal(unit, 3);
    assert_true(now >= m->last);
    assert_in_range(bytes, 1, 64 - address % 64);
    m->last = now;
    *(write ? &m->bytes.written : &m->bytes.read) += bytes;
    return now + latency_of(m, address, write);
}

struct machine {
    struct sam_clock clock;
    struct memory memory;
    struct sam_memtime_port port;
    struct system_weight_config config;
    struct system_weight_time *unit;
};

static void open(struct machine *m, const char *text, uint32_t least, uint32_t spread)
{
    struct sam_error error;
    const struct sam_keys keys = sam_system_weight_keys(&m->config);
    *m = (struct machine){.memory = {least, spread, 0, {0, 0}}};
    m->port = (struct sam_memtime_port){request, &m->memory};
    sam_keys_defaults(&keys);
    must(sam_keys_set(&keys, 1, text, &error), &error);
    m->unit = sam_system_weight_time_new(
        &m->config,
        &(struct system_stages_options){.clock = &m->clock, .port = &m->port, .unit = 3});
    assert_non_null(m->unit);
}

/* Run until `records` have ended; the cycle in which the last did. */
static uint64_t run(struct machine *m, uint64_t records)
{
    uint64_t end = 0;
    while (m->unit->stages.unit.ended < records) {
        end = sam_clock_next(&m->clock);
        assert_true(end != SAM_CLOCK_IDLE);
        sam_clock_advance(&m->clock, end + 1);
    }
    const struct system_stages *f = &m->unit->stages;
    sam_system_stages_account(&m->unit->stages);
    uint64_t sum = 0;
    for (unsigned i = 0; i < SYSTEM_STAGE_CYCLES; i++)
        sum += f->cycles[i];
    assert_int_equal(sum, m->clock.now);
    assert_int_equal(f->bytes.read, m->memory.bytes.read);
    assert_int_equal(f->bytes.written, m->memory.bytes.written);
    assert_int_equal(f->unit.ended, records);
    return end;
}

static struct system_weight_work work_of(uint32_t operation, struct system_weight_block *blocks,
                                         size_t count)
{
    return (struct system_weight_work){.record = {.operation = operation,
                                                  .packed_type = SAM_F16,
                                                  .output_type = SAM_F16,
                                                  .source = 0x90000000},
                                       .blocks = blocks,
                                       .count = count};
}

/* ---------------------------------------------------------------------------------- rules */

TEST(a_block_passes_three_stages)
{
    struct machine m;
    struct system_weight_block block = {0x90000000, 128, 0x18000000, 256, {1, 20, 800, 1600}, 0};
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, &block, 1);
    open(&m, "", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 5));
    assert_int_equal(m.unit->stages.unit.submitted - m.unit->stages.unit.begun, 1);
    /* two lines, the second asked for a cycle later; tables; 800 symbols beside 1600 bits; four
     * lines */
    assert_int_equal(run(&m, 1), 5 + 11 + 2048 + 20 + 100 + 3 + 10);
    const struct system_stages *f = &m.unit->stages;
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_TABLES], 2068);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_SYMBOLS], 100);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_PLAIN], 0);
    assert_int_equal(f->cycles[SYSTEM_STAGE_FETCH], 11);
    assert_int_equal(m.unit->figures.packed, 128);
    assert_int_equal(m.unit->figures.raw, 256);
    sam_system_stages_close(m.unit);
}

TEST(stages_overlap)
{
    struct machine m;
    struct system_weight_block blocks[3];
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, blocks, 3);
    for (unsigned i = 0; i < 3; i++)
        blocks[i] = (struct system_weight_block){0x90000000 + 64 * i,   64, 0x18000000 + 64 * i, 64,
                                                 {0, 0, 0, 1000 * 128}, 0};
    open(&m, "", 100, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    assert_int_equal(run(&m, 1), 100 + 3 * 1000 + 100);
    assert_int_equal(m.unit->stages.cycles[SYSTEM_WEIGHT_PLAIN], 3000);
    sam_system_stages_close(m.unit);
}

TEST(requests_are_limited)
{
    struct machine m;
    struct system_weight_block block = {0x90000000, 64 * 8, 0x18000000, 0, {0}, 0};
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, &block, 1);
    open(&m, "requests=2", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    assert_int_equal(run(&m, 1), 1 + 3 * 10 + 10); /* asked in 0, 1, 10, 11, 20, ... 31 */
    sam_system_stages_close(m.unit);
}

TEST(raw_bytes_are_copied)
{
    struct machine m;
    struct system_weight_block blocks[2] = {
        {0x90000000, 100, 0, 0, {0}, 0}, /* a header */
        {0x90000064, 128, 0x18000000, 512, {1, 20, 800, 1600}, 0}};
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, blocks, 2);
    work.record.packed_type = SAM_E4M3;
    open(&m, "raw=1", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    run(&m, 1);
    assert_int_equal(m.memory.bytes.read, 256); /* half of what is written */
    assert_int_equal(m.memory.bytes.written, 512);
    const struct system_stages *f = &m.unit->stages;
    for (unsigned i = 0; i < SYSTEM_STAGE_WORKS; i++)
        assert_int_equal(f->cycles[i], 0);
    sam_system_stages_close(m.unit);
}

/* Count, build the code, then encode: a header and two blocks in each of two chunks. */
TEST(an_encoder_reads_twice)
{
    struct machine m;
    struct system_weight_block blocks[6];
    struct system_weight_work work = work_of(SAM_WEIGHT_ENCODE, blocks, 6);
    for (unsigned i = 0; i < 6; i += 3) {
        blocks[i] = (struct system_weight_block){0x90000000, 0, 0x91000000, 64, {0}, 0};
        blocks[i + 1] =
            (struct system_weight_block){0x90000000, 64, 0x91000040, 64, {1, 9, 320, 0}, 320};
        blocks[i + 2] =
            (struct system_weight_block){0x90000040, 64, 0x91000080, 64, {0, 0, 320, 0}, 320};
    }
    work.result_address = 0x92000000;
    open(&m, "count_symbols=2", 1, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    run(&m, 1);
    const struct system_stages *f = &m.unit->stages;
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_COUNT], 2 * (2 * 256 + 320));
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_CODE], 2 * 4096);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_SYMBOLS], 4 * 40);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_TABLES], 0);
    assert_int_equal(m.memory.bytes.read, 2 * 4 * 64);
    assert_int_equal(m.memory.bytes.written, 6 * 64 + sizeof work.result);
    sam_system_stages_close(m.unit);
}

/* Counters that are given are fetched, nothing is counted, and the code is built once. */
TEST(an_encoder_with_counters_reads_once)
{
    struct machine m;
    struct system_weight_block blocks[5] = {
        {0x98000000, 1024, 0, 0, {0}, 0},
        {0x90000000, 0, 0x91000000, 64, {0}, 0},
        {0x90000000, 64, 0x91000040, 64, {1, 9, 320, 0}, 0},
        {0x90000040, 0, 0x91000080, 64, {0}, 0},
        {0x90000040, 64, 0x910000c0, 64, {1, 9, 320, 0}, 0},
    };
    struct system_weight_work work = work_of(SAM_WEIGHT_ENCODE, blocks, 5);
    work.counted = true;
    open(&m, "", 1, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    run(&m, 1);
    const struct system_stages *f = &m.unit->stages;
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_COUNT], 0);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_CODE], 4096);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_SYMBOLS], 2 * 40);
    assert_int_equal(m.memory.bytes.read, 1024 + 2 * 64);
    sam_system_stages_close(m.unit);
}

TEST(counters_follow_the_symbols)
{
    struct machine m;
    struct system_weight_block blocks[3] = {{0x90000000, 64, 0, 0, {0}, 32},
                                            {0x90000040, 64, 0, 0, {0}, 32},
                                            {0x90000080, 0, 0x91000000, 1024, {0}, 0}};
    struct system_weight_work work = work_of(SAM_WEIGHT_COUNT, blocks, 3);
    open(&m, "", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    assert_int_equal(run(&m, 1), 10 + 256 + 32 + 32 + 256 + 15 + 10);
    sam_system_stages_close(m.unit);
}

TEST(a_refused_record_takes_no_time)
{
    struct machine m;
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, NULL, 0);
    open(&m, "", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 7));
    assert_true(sam_system_weight_time_submit(m.unit, &work, 7));
    assert_int_equal(run(&m, 2), 7);
    sam_system_stages_close(m.unit);
}

/* ------------------------------------------------------------------ beside the plain model */

enum { RECORDS = 5, BLOCKS = 12 };

/* Memory of its own with the same latencies. */
static struct wref *plain_new(const struct machine *m, struct memory *memory)
{
    struct wref *w = calloc(1, sizeof *w);
    assert_non_null(w);
    *memory = (struct memory){.least = m->memory.least, .spread = m->memory.spread};
    w->config = m->config;
    w->port = (struct sam_memtime_port){request, memory};
    w->number = 3;
    return w;
}

/* All records; the cycle in which the last one ends. */
static uint64_t plain_run(struct wref *w)
{
    uint64_t now = 0;
    for (;; now++) {
        wref_tick(w, now);
        if (w->ended == w->submitted)
            return now;
    }
}

/* A block somewhere near `source`, which others may write. */
static struct system_weight_block random_block(uint64_t *seed, uint64_t source)
{
    const bool own = test_below(seed, 3) == 0;
    return (struct system_weight_block){source + test_below(seed, 5000),
                                        test_below(seed, 2) ? 1 + test_below(seed, 3000) : 0,
                                        0x18000000 + test_below(seed, 5000),
                                        test_below(seed, 4) ? 1 + test_below(seed, 3000) : 0,
                                        {own, own ? (unsigned)test_below(seed, 30) : 0,
                                         test_below(seed, 2000), test_below(seed, 9000)},
                                        test_below(seed, 2000)};
}

/* Blocks as this operation has them. */
static struct system_weight_work random_work(uint64_t *seed, struct system_weight_block *blocks)
{
    static const uint32_t operations[] = {SAM_WEIGHT_DECODE, SAM_WEIGHT_DECODE, SAM_WEIGHT_ENCODE,
                                          SAM_WEIGHT_COUNT};
    const uint64_t source = test_below(seed, 3) ? 0x90000000 : 0x18003000;
    struct system_weight_work work =
        work_of(operations[test_below(seed, 4)], blocks, test_below(seed, BLOCKS));
    work.record.packed_type = test_below(seed, 2) ? SAM_F16 : SAM_E4M3;
    work.record.source = (uint32_t)source;
    work.result_address = test_below(seed, 2) ? 0x92000000 : 0;
    work.counted = work.record.operation == SAM_WEIGHT_ENCODE && test_below(seed, 2);
    for (size_t i = 0; i < work.count; i++) {
        struct system_weight_block *b = &blocks[i];
        *b = random_block(seed, source);
        const bool header = i <= work.counted || test_below(seed, 4) == 0,
                   last = i + 1 == work.count;
        if (work.record.operation == SAM_WEIGHT_ENCODE)
            b->source_bytes = header ? 0 : 1 + test_below(seed, 2000);
        if (i == 0 && work.counted) {
            b->source_bytes = 1024;
            b->destination_bytes = 0;
        }
        if (work.record.operation == SAM_WEIGHT_COUNT) {
            b->source_bytes = last ? 0 : 1 + test_below(seed, 2000);
            b->destination_bytes = last ? 1024 : 0;
        }
    }
    return work;
}

TEST(random_records)
{
    uint64_t seed = test_seed();
    for (unsigned round = 0; round < 60; round++) {
        struct machine m;
        char text[192];
        snprintf(text, sizeof text,
                 "table_cycles=%u,symbols_cycle=%u,bits_cycle=%u,requests=%u,count_symbols=%u,"
                 "code_cycles=%u,raw=%u,depth=%u",
                 (unsigned)test_below(&seed, 300), 1 + (unsigned)test_below(&seed, 9),
                 1 + (unsigned)test_below(&seed, 90), 1 + (unsigned)test_below(&seed, 40),
                 1 + (unsigned)test_below(&seed, 40), (unsigned)test_below(&seed, 300),
                 test_below(&seed, 4) == 0, 1 + (unsigned)test_below(&seed, 256));
        open(&m, text, 1 + (uint32_t)test_below(&seed, 50), (uint32_t)test_below(&seed, 30));
        struct memory memory;
        struct wref *p = plain_new(&m, &memory);
        struct system_weight_work works[RECORDS];
        struct system_weight_block blocks[RECORDS][BLOCKS];
        uint64_t from = 0;
        for (unsigned r = 0; r < RECORDS; r++) {
            works[r] = random_work(&seed, blocks[r]);
            from += 1 + test_below(&seed, 2000);
            wref_submit(p, &works[r], from);
            assert_true(sam_system_weight_time_submit(m.unit, &works[r], from));
        }
        assert_int_equal(run(&m, RECORDS), plain_run(p));
        const struct system_stages *f = &m.unit->stages;
        for (unsigned i = 0; i < SYSTEM_STAGE_CYCLES; i++)
            assert_int_equal(f->cycles[i], p->cycles[i]);
        assert_int_equal(f->bytes.read, memory.bytes.read);
        assert_int_equal(f->bytes.written, memory.bytes.written);
        wref_free(p);
        free(p);
        sam_system_stages_close(m.unit);
    }
}
