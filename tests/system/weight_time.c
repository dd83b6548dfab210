/* SPDX-License-Identifier: Apache-2.0 */
/* The weight unit in time: single rules, and a plain second model, cycle by cycle, on random
 * records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "must.h"
#include "random.h"
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
    m->unit = sam_system_weight_time_new(&m->config, &m->clock, &m->port, 3, NULL);
    assert_non_null(m->unit);
}

/* Run until `records` have ended; the cycle in which the last did. */
static uint64_t run(struct machine *m, uint64_t records)
{
    uint64_t end = 0;
    while (sam_system_weight_time_ended(m->unit) < records) {
        end = sam_clock_next(&m->clock);
        assert_true(end != SAM_CLOCK_IDLE);
        sam_clock_advance(&m->clock, end + 1);
    }
    const struct system_weight_figures *f = sam_system_weight_time_figures(m->unit);
    uint64_t sum = 0;
    for (unsigned i = 0; i < SYSTEM_WEIGHT_CYCLES; i++)
        sum += f->cycles[i];
    assert_int_equal(sum, m->clock.now);
    assert_int_equal(f->bytes.read, m->memory.bytes.read);
    assert_int_equal(f->bytes.written, m->memory.bytes.written);
    assert_int_equal(f->records, records);
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

static void a_block_passes_three_stages(void **state)
{
    struct machine m;
    struct system_weight_block block = {0x90000000, 128, 0x18000000, 256, {1, 20, 800, 1600}, 0};
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, &block, 1);
    (void)state;
    open(&m, "", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 5));
    assert_int_equal(sam_system_weight_time_waiting(m.unit), 1);
    /* two lines, the second asked for a cycle later; tables; 800 symbols beside 1600 bits; four
     * lines */
    assert_int_equal(run(&m, 1), 5 + 11 + 2048 + 20 + 100 + 3 + 10);
    const struct system_weight_figures *f = sam_system_weight_time_figures(m.unit);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_TABLES], 2068);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_SYMBOLS], 100);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_PLAIN], 0);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_FETCH], 11);
    assert_int_equal(f->packed, 128);
    assert_int_equal(f->raw, 256);
    assert_int_equal(f->blocks, 1);
    sam_system_weight_time_free(m.unit);
}

static void stages_overlap(void **state)
{
    struct machine m;
    struct system_weight_block blocks[3];
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, blocks, 3);
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        blocks[i] = (struct system_weight_block){0x90000000 + 64 * i,   64, 0x18000000 + 64 * i, 64,
                                                 {0, 0, 0, 1000 * 128}, 0};
    open(&m, "", 100, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    assert_int_equal(run(&m, 1), 100 + 3 * 1000 + 100);
    assert_int_equal(sam_system_weight_time_figures(m.unit)->cycles[SYSTEM_WEIGHT_PLAIN], 3000);
    sam_system_weight_time_free(m.unit);
}

static void requests_are_limited(void **state)
{
    struct machine m;
    struct system_weight_block block = {0x90000000, 64 * 8, 0x18000000, 0, {0}, 0};
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, &block, 1);
    (void)state;
    open(&m, "requests=2", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    assert_int_equal(run(&m, 1), 1 + 3 * 10 + 10); /* asked in 0, 1, 10, 11, 20, ... 31 */
    sam_system_weight_time_free(m.unit);
}

static void raw_bytes_are_copied(void **state)
{
    struct machine m;
    struct system_weight_block blocks[2] = {
        {0x90000000, 100, 0, 0, {0}, 0}, /* a header */
        {0x90000064, 128, 0x18000000, 512, {1, 20, 800, 1600}, 0}};
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, blocks, 2);
    (void)state;
    work.record.packed_type = SAM_E4M3;
    open(&m, "raw=1", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    run(&m, 1);
    assert_int_equal(m.memory.bytes.read, 256); /* half of what is written */
    assert_int_equal(m.memory.bytes.written, 512);
    const struct system_weight_figures *f = sam_system_weight_time_figures(m.unit);
    for (unsigned i = 0; i < SYSTEM_WEIGHT_WORKS; i++)
        assert_int_equal(f->cycles[i], 0);
    sam_system_weight_time_free(m.unit);
}

/* Count, build the code, then encode: a header and two blocks in each of two chunks. */
static void an_encoder_reads_twice(void **state)
{
    struct machine m;
    struct system_weight_block blocks[6];
    struct system_weight_work work = work_of(SAM_WEIGHT_ENCODE, blocks, 6);
    (void)state;
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
    const struct system_weight_figures *f = sam_system_weight_time_figures(m.unit);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_COUNT], 2 * (2 * 256 + 320));
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_CODE], 2 * 4096);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_SYMBOLS], 4 * 40);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_TABLES], 0);
    assert_int_equal(m.memory.bytes.read, 2 * 4 * 64);
    assert_int_equal(m.memory.bytes.written, 6 * 64 + sizeof work.result);
    sam_system_weight_time_free(m.unit);
}

static void counters_follow_the_symbols(void **state)
{
    struct machine m;
    struct system_weight_block blocks[3] = {{0x90000000, 64, 0, 0, {0}, 32},
                                            {0x90000040, 64, 0, 0, {0}, 32},
                                            {0x90000080, 0, 0x91000000, 1024, {0}, 0}};
    struct system_weight_work work = work_of(SAM_WEIGHT_COUNT, blocks, 3);
    (void)state;
    open(&m, "", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    assert_int_equal(run(&m, 1), 10 + 256 + 32 + 32 + 256 + 15 + 10);
    sam_system_weight_time_free(m.unit);
}

static void a_refused_record_takes_no_time(void **state)
{
    struct machine m;
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, NULL, 0);
    (void)state;
    open(&m, "", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 7));
    assert_true(sam_system_weight_time_submit(m.unit, &work, 7));
    assert_int_equal(run(&m, 2), 7);
    sam_system_weight_time_free(m.unit);
}

/* ----------------------------------------------------- a second model: every cycle of each stage
 */

enum { RECORDS = 5, BLOCKS = 12, STAGES = 3 };

struct plain_line {
    uint64_t asked, answered;
};

struct plain_stage {
    int part; /* -1: none */
    uint64_t lines, sent;
    struct plain_line line[512];
    uint64_t worked;
};

struct plain {
    const struct machine *m;
    struct system_weight_work works[RECORDS];
    struct system_weight_block blocks[RECORDS][BLOCKS];
    uint64_t from[RECORDS], cycles[2]; /* busy, and waiting for something */
    struct plain_stage stage[STAGES];
};

static uint64_t lines_in(uint64_t address, uint64_t bytes)
{
    uint64_t lines = 0;
    for (uint64_t line = address / 64; bytes && line * 64 < address + bytes; line++)
        lines++;
    return lines;
}

static uint64_t plain_work(const struct plain *p, const struct system_weight_block *b)
{
    const struct system_weight_config *c = &p->m->config;
    uint64_t symbols = 0, bits = 0, tables = b->cost.tables * (uint64_t)c->table_cycles;
    for (uint64_t left = b->cost.coded; left;
         left -= left < c->symbols_cycle ? left : c->symbols_cycle)
        symbols++;
    for (uint64_t left = b->cost.plain_bits; left;
         left -= left < c->bits_cycle ? left : c->bits_cycle)
        bits++;
    return tables + b->cost.code_symbols + (symbols > bits ? symbols : bits);
}

static void plain_enter(struct plain *p, unsigned stage, const struct system_weight_block *b,
                        int part)
{
    struct plain_stage *s = &p->stage[stage];
    s->part = part;
    s->sent = s->worked = 0;
    s->lines = stage == 0   ? lines_in(b->source, b->source_bytes)
               : stage == 2 ? lines_in(b->destination, b->destination_bytes)
                            : plain_work(p, b);
}

static bool plain_is_over(const struct plain *p, unsigned stage, uint64_t now)
{
    const struct plain_stage *s = &p->stage[stage];
    if (stage == 1)
        return s->worked == s->lines;
    for (uint64_t i = 0; i < s->sent; i++)
        if (s->line[i].answered > now)
            return false;
    return s->sent == s->lines;
}

static void plain_send(struct plain *p, unsigned stage, const struct system_weight_block *b,
                       uint64_t now)
{
    struct plain_stage *s = &p->stage[stage];
    const uint64_t address = stage == 0 ? b->source : b->destination;
    unsigned open = 0;
    if (s->part < 0 || s->sent == s->lines)
        return;
    for (uint64_t i = 0; i < s->sent; i++)
        open += s->line[i].answered > now;
    if (open == p->m->config.requests)
        return;
    const uint64_t line = (address / 64 + s->sent) * 64;
    s->line[s->sent++] =
        (struct plain_line){now, now + latency_of(&p->m->memory, line, stage == 2)};
}

/* From the first to the last byte that a record reads, or writes. */
static void plain_range(const struct system_weight_work *work, bool writes, uint64_t range[2])
{
    range[0] = UINT64_MAX;
    range[1] = 0;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        const uint64_t low = writes ? b->destination : b->source;
        const uint64_t size = writes ? b->destination_bytes : b->source_bytes;
        if (size && low < range[0])
            range[0] = low;
        if (size && low + size > range[1])
            range[1] = low + size;
    }
}

/* Whether record `r` may read what one of those from `oldest` on writes. */
static bool plain_depends(const struct plain *p, unsigned oldest, unsigned r)
{
    uint64_t reads[2], writes[2];
    plain_range(&p->works[r], false, reads);
    for (unsigned i = oldest; i < r; i++) {
        plain_range(&p->works[i], true, writes);
        if (reads[0] < writes[1] && writes[0] < reads[1])
            return true;
    }
    return false;
}

static const struct system_weight_block *plain_block(const struct plain *p, int part)
{
    return &p->blocks[part / BLOCKS][part % BLOCKS];
}

/* All records; the cycle in which the last one ends. A part has the number BLOCKS * record + block.
 */
static uint64_t plain_run(struct plain *p)
{
    unsigned entering = 0, ended = 0;
    bool begun[RECORDS] = {false};
    size_t next = 0, left[RECORDS];
    for (unsigned i = 0; i < STAGES; i++)
        p->stage[i].part = -1;
    for (unsigned r = 0; r < RECORDS; r++)
        left[r] = p->works[r].count;
    for (uint64_t now = 0;; now++) {
        for (bool again = true; again;) {
            again = false;
            for (int stage = STAGES - 1; stage >= 0; stage--) {
                struct plain_stage *s = &p->stage[stage];
                if (s->part < 0 || !plain_is_over(p, (unsigned)stage, now))
                    continue;
                const struct system_weight_block *b = plain_block(p, s->part);
                const bool leaves =
                    stage == STAGES - 1 ||
                    (stage == 0 && b->destination_bytes == 0 && plain_work(p, b) == 0);
                again |= leaves || s[1].part < 0;
                if (leaves) {
                    left[s->part / BLOCKS]--;
                    s->part = -1;
                } else if (s[1].part < 0) {
                    plain_enter(p, (unsigned)stage + 1, plain_block(p, s->part), s->part);
                    s->part = -1;
                }
            }
            for (; ended < RECORDS && begun[ended] && left[ended] == 0; again = true)
                ended++;
            if (entering < RECORDS && begun[entering] && next == p->works[entering].count) {
                entering++;
                next = 0;
                again = true;
            }
            if (p->stage[0].part >= 0 || entering == RECORDS)
                continue;
            if (!begun[entering])
                again |= begun[entering] =
                    p->from[entering] <= now && !plain_depends(p, ended, entering);
            if (begun[entering] && next < p->works[entering].count) {
                const int part = (int)(entering * BLOCKS + next++);
                plain_enter(p, 0, plain_block(p, part), part);
                again = true;
            }
        }
        if (ended == RECORDS)
            return now;
        bool occupied = false;
        for (unsigned stage = 0; stage < STAGES; stage++) {
            occupied |= p->stage[stage].part >= 0;
            if (stage != 1 && p->stage[stage].part >= 0)
                plain_send(p, stage, plain_block(p, p->stage[stage].part), now);
        }
        const bool works = p->stage[1].part >= 0 && p->stage[1].worked < p->stage[1].lines;
        p->stage[1].worked += works;
        p->cycles[!works] += occupied;
    }
}

static void random_records(void **state)
{
    static struct plain p;
    uint64_t seed = test_seed();
    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        struct machine m;
        char text[160];
        snprintf(text, sizeof text, "table_cycles=%u,symbols_cycle=%u,bits_cycle=%u,requests=%u",
                 (unsigned)test_below(&seed, 300), 1 + (unsigned)test_below(&seed, 9),
                 1 + (unsigned)test_below(&seed, 90), 1 + (unsigned)test_below(&seed, 40));
        open(&m, text, 1 + (uint32_t)test_below(&seed, 50), (uint32_t)test_below(&seed, 30));
        memset(&p, 0, sizeof p);
        p.m = &m;
        uint64_t from = 0;
        for (unsigned r = 0; r < RECORDS; r++) {
            /* some read near to what others write */
            const uint64_t source = test_below(&seed, 3) ? 0x90000000 : 0x18003000;
            p.works[r] = work_of(SAM_WEIGHT_DECODE, p.blocks[r], test_below(&seed, BLOCKS));
            for (size_t i = 0; i < p.works[r].count; i++) {
                struct system_weight_block *b = &p.blocks[r][i];
                const bool own = test_below(&seed, 3) == 0;
                *b =
                    (struct system_weight_block){source + test_below(&seed, 5000),
                                                 test_below(&seed, 2) ? test_below(&seed, 3000) : 0,
                                                 0x18000000 + test_below(&seed, 5000),
                                                 test_below(&seed, 4) ? test_below(&seed, 3000) : 0,
                                                 {own, own ? (unsigned)test_below(&seed, 30) : 0,
                                                  test_below(&seed, 2000), test_below(&seed, 9000)},
                                                 0};
            }
            from += 1 + test_below(&seed, 2000);
            p.from[r] = from;
        }
        for (unsigned r = 0; r < RECORDS; r++)
            assert_true(sam_system_weight_time_submit(m.unit, &p.works[r], p.from[r]));
        assert_int_equal(run(&m, RECORDS), plain_run(&p));
        const struct system_weight_figures *f = sam_system_weight_time_figures(m.unit);
        uint64_t busy = 0;
        for (unsigned i = 0; i < SYSTEM_WEIGHT_WORKS; i++)
            busy += f->cycles[i];
        assert_int_equal(busy, p.cycles[0]);
        assert_int_equal(f->cycles[SYSTEM_WEIGHT_FETCH] + f->cycles[SYSTEM_WEIGHT_WRITE],
                         p.cycles[1]);
        sam_system_weight_time_free(m.unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_passes_three_stages),
        cmocka_unit_test(stages_overlap),
        cmocka_unit_test(requests_are_limited),
        cmocka_unit_test(raw_bytes_are_copied),
        cmocka_unit_test(an_encoder_reads_twice),
        cmocka_unit_test(counters_follow_the_symbols),
        cmocka_unit_test(a_refused_record_takes_no_time),
        cmocka_unit_test(random_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
