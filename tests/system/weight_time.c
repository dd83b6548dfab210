/* SPDX-License-Identifier: Apache-2.0 */
/* The weight unit in time: single rules, and a plain second model, cycle by cycle, on random
 * records. */

#include "test.h"

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
    const struct sam_keys keys = sam_system_weight_keys(&m->config);
    *m = (struct machine){.memory = {least, spread, 0, {0, 0}}};
    m->port = (struct sam_memtime_port){request, &m->memory};
    sam_keys_defaults(&keys);
    succeeds(sam_keys_set, &keys, 1, text);
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
                                                  .source = 0x90000000,
                                                  .layout = SAM_LAYOUT_F16},
                                       .blocks = blocks,
                                       .count = count};
}

static struct sam_chunk_cost cost_of(uint64_t coded, uint64_t id, unsigned symbols)
{
    return (struct sam_chunk_cost){
        .coded = coded, .codes = id != 0, .code = {{id, symbols + 2, symbols}}};
}

/* A block of 1024 elements in two streams: 128 bytes of codes for each, and their other bits. */
struct sample {
    struct system_weight_segment segments[2];
    struct system_weight_span spans[4];
    struct system_weight_block block;
    struct system_weight_work work;
};
static void make_sample(struct sample *s, uint64_t id)
{
    *s = (struct sample){.segments = {{512, 0, 0, 8, true, 0, 2, 0x18000000, 1024},
                                      {512, 0, 0, 8, true, 2, 2, 0x18000400, 1024}},
                         .spans = {{0x90000040, 128, true},
                                   {0x90000200, 512, false},
                                   {0x900000c0, 128, true},
                                   {0x90000400, 512, false}},
                         .block = {.source = 0x90000000,
                                   .source_bytes = 0x600,
                                   .destination = 0x18000000,
                                   .destination_bytes = 2048,
                                   .cost = cost_of(1024, id, 18),
                                   .head = {0x90000000, 25, false},
                                   .mode = SAM_CHUNK_PLANES,
                                   .segments = 2}};
    s->work = work_of(SAM_WEIGHT_DECODE, &s->block, 1);
    s->work.segments = s->segments;
    s->work.spans = s->spans;
}

/* ---------------------------------------------------------------------------------- rules */

/* The head, then a table, then sixteen steps of two engines: the first lines of the four flows are
 * asked for in four cycles, and the first two lines of output leave after the first step. */
TEST(a_block_streams)
{
    struct machine m;
    struct sample s;
    make_sample(&s, 7);
    open(&m, "streams=2,symbols=2,table_ports=4", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &s.work, 5));
    assert_int_equal(m.unit->stages.unit.submitted - m.unit->stages.unit.begun, 1);
    const uint64_t table = 5 + 5 + 11, head = 5 + 10, first = head + table, step = 32 / 2;
    assert_true(table > 3 + 10); /* the lines are there before the table */
    assert_int_equal(run(&m, 1), first + 16 * step + 1 + 10);
    const struct system_stages *f = &m.unit->stages;
    assert_int_equal(f->first_write, first + step);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_TABLES], table);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_SYMBOLS], 16 * step);
    assert_int_equal(f->cycles[SYSTEM_STAGE_FETCH], 10);
    assert_int_equal(m.unit->figures.packed, 25 + 2 * (128 + 512));
    assert_int_equal(m.unit->figures.raw, 2048);
    sam_system_stages_close(m.unit);
}

/* A table that is there already takes no time, nor does a head. */
TEST(tables_and_heads_are_kept)
{
    struct machine m;
    struct sample s[3];
    for (unsigned i = 0; i < 3; i++)
        make_sample(&s[i], i == 1 ? 9 : 7);
    open(&m, "streams=2,heads=1", 10, 0);
    for (unsigned i = 0; i < 3; i++)
        assert_true(sam_system_weight_time_submit(m.unit, &s[i].work, 5 + 2000 * i));
    run(&m, 3);
    assert_int_equal(m.unit->stages.cycles[SYSTEM_WEIGHT_TABLES], 2 * (5 + 5 + 11));
    assert_int_equal(m.unit->stages.bytes.read, 25 + 3 * 2 * (128 + 512));
    sam_system_stages_close(m.unit);
    open(&m, "streams=2,heads=0,tables=1", 10, 0);
    for (unsigned i = 0; i < 3; i++)
        assert_true(sam_system_weight_time_submit(m.unit, &s[i].work, 5 + 2000 * i));
    run(&m, 3);
    assert_int_equal(m.unit->stages.cycles[SYSTEM_WEIGHT_TABLES], 3 * (5 + 5 + 11));
    assert_int_equal(m.unit->stages.bytes.read, 3 * (25 + 2 * (128 + 512)));
    sam_system_stages_close(m.unit);
}

/* Half of the engines take twice the time. */
TEST(engines_work_at_the_same_time)
{
    struct machine m;
    struct sample s;
    make_sample(&s, 0);
    for (unsigned streams = 1; streams <= 2; streams++) {
        open(&m, streams == 1 ? "streams=1,symbols=4" : "streams=2,symbols=4", 10, 0);
        assert_true(sam_system_weight_time_submit(m.unit, &s.work, 0));
        run(&m, 1);
        assert_int_equal(m.unit->stages.cycles[SYSTEM_WEIGHT_SYMBOLS], 32 / streams * 8);
        sam_system_stages_close(m.unit);
    }
}

/* Two groups of a window; 40 escapes take 24 cycles more than the words of the second. */
TEST(escapes_delay_a_window)
{
    struct machine m;
    struct system_weight_segment segments[2] = {{1024, 0, 16, 0, false, 0, 1, 0x18000000, 2048},
                                                {1024, 0, 40, 0, false, 1, 1, 0x18000800, 2048}};
    struct system_weight_span spans[2] = {{0x90000100, 1400, true}, {0x90000678, 1424, true}};
    struct system_weight_block block = {.source = 0x90000000,
                                        .source_bytes = 0xc08,
                                        .destination = 0x18000000,
                                        .destination_bytes = 4096,
                                        .head = {0x90000000, 12, false},
                                        .mode = SAM_CHUNK_WINDOW,
                                        .segments = 2};
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, &block, 1);
    work.segments = segments;
    work.spans = spans;
    open(&m, "escapes=1", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    run(&m, 1);
    assert_int_equal(m.unit->stages.cycles[SYSTEM_WEIGHT_WINDOWS], 16 + 40);
    assert_int_equal(m.unit->stages.cycles[SYSTEM_WEIGHT_TABLES], 0);
    sam_system_stages_close(m.unit);
}

TEST(requests_are_limited)
{
    struct machine m;
    struct system_weight_block block = {
        .source = 0x90000000, .source_bytes = 64 * 8, .destination = 0x18000000};
    struct system_weight_work work = work_of(SAM_WEIGHT_DECODE, &block, 1);
    open(&m, "requests=2", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    assert_int_equal(run(&m, 1), 1 + 3 * 10 + 10); /* asked in 0, 1, 10, 11, 20, ... 31 */
    sam_system_stages_close(m.unit);
}

TEST(raw_bytes_are_copied)
{
    struct machine m;
    struct sample s;
    make_sample(&s, 7);
    s.work.record.packed_type = SAM_E4M3;
    s.work.record.layout = SAM_LAYOUT_E4M3;
    open(&m, "raw=1", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &s.work, 0));
    run(&m, 1);
    assert_int_equal(m.memory.bytes.read, 1024); /* half of what is written */
    assert_int_equal(m.memory.bytes.written, 2048);
    const struct system_stages *f = &m.unit->stages;
    for (unsigned i = 0; i < SYSTEM_STAGE_WORKS; i++)
        assert_int_equal(f->cycles[i], i == SYSTEM_WEIGHT_COPY ? 2048 / 64 : 0);
    sam_system_stages_close(m.unit);
}

/* Count, build the code, then encode: a header and two blocks in each of two chunks. */
TEST(an_encoder_reads_twice)
{
    struct machine m;
    struct system_weight_block blocks[6];
    struct system_weight_work work = work_of(SAM_WEIGHT_ENCODE, blocks, 6);
    for (unsigned i = 0; i < 6; i += 3) {
        blocks[i] =
            (struct system_weight_block){.destination = 0x91000000, .destination_bytes = 64};
        for (unsigned k = 1; k < 3; k++) /* both with one code */
            blocks[i + k] = (struct system_weight_block){.source = 0x90000000 + 64 * (k - 1),
                                                         .source_bytes = 64,
                                                         .destination = 0x91000000 + 64 * k,
                                                         .destination_bytes = 64,
                                                         .cost = cost_of(320, 1 + i, 2),
                                                         .counted = 320};
    }
    work.result_address = 0x92000000;
    open(&m, "count_symbols=2,symbols=4", 1, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    run(&m, 1);
    const struct system_stages *f = &m.unit->stages;
    /* two symbols: rows of 2, then 3 ten times */
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_CODE], 2 * (2 + 2 + 10 * 3 + 11));
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_COUNT], 2 * (2 * 256 + 320));
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_SYMBOLS], 4 * 80);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_TABLES], 0);
    assert_int_equal(m.memory.bytes.read, 2 * 4 * 64);
    assert_int_equal(m.memory.bytes.written, 6 * 64 + sizeof work.result);
    sam_system_stages_close(m.unit);
}

/* Counters that are given are fetched, nothing is counted, and the code is built once. */
TEST(an_encoder_with_counters_reads_once)
{
    struct machine m;
    struct system_weight_block blocks[5] = {{.source = 0x98000000, .source_bytes = 1024}};
    for (unsigned i = 1; i < 5; i += 2) {
        blocks[i] =
            (struct system_weight_block){.destination = 0x91000000, .destination_bytes = 64};
        blocks[i + 1] = (struct system_weight_block){.source = 0x90000000,
                                                     .source_bytes = 64,
                                                     .destination = 0x91000040,
                                                     .destination_bytes = 64,
                                                     .cost = cost_of(320, 5, 2)};
    }
    struct system_weight_work work = work_of(SAM_WEIGHT_ENCODE, blocks, 5);
    work.counted = true;
    open(&m, "symbols=8,code_items=3", 1, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    run(&m, 1);
    const struct system_stages *f = &m.unit->stages;
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_COUNT], 0);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_CODE], 2 + 11 + 11);
    assert_int_equal(f->cycles[SYSTEM_WEIGHT_SYMBOLS], 2 * 40);
    assert_int_equal(m.memory.bytes.read, 1024 + 2 * 64);
    sam_system_stages_close(m.unit);
}

TEST(counters_follow_the_symbols)
{
    struct machine m;
    struct system_weight_block blocks[3] = {
        {.source = 0x90000000, .source_bytes = 64, .counted = 32},
        {.source = 0x90000040, .source_bytes = 64, .counted = 32},
        {.source = 0x90000080, .destination = 0x91000000, .destination_bytes = 1024}};
    struct system_weight_work work = work_of(SAM_WEIGHT_COUNT, blocks, 3);
    open(&m, "outputs=20", 10, 0);
    assert_true(sam_system_weight_time_submit(m.unit, &work, 0));
    /* the elements are there when the counters have been cleared */
    assert_int_equal(run(&m, 1), 256 + 32 + 32 + 256 + 15 + 10);
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

/* --------------------------------------------------------------- against the plain model */

enum { RECORDS = 5, BLOCKS = 12, SEGMENTS = 9, SPANS = 6 };

struct room {
    struct system_weight_block blocks[BLOCKS];
    struct system_weight_segment segments[BLOCKS * SEGMENTS];
    struct system_weight_span spans[BLOCKS * SEGMENTS * SPANS];
};

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
    struct system_weight_block b = {
        .source = source + test_below(seed, 5000),
        .source_bytes = test_below(seed, 2) ? 1 + test_below(seed, 3000) : 0,
        .destination = 0x18000000 + test_below(seed, 5000),
        .destination_bytes = test_below(seed, 4) ? 1 + test_below(seed, 3000) : 0,
        .cost = cost_of(test_below(seed, 2000), test_below(seed, 4),
                        2 + (unsigned)test_below(seed, 30)),
        .counted = test_below(seed, 2000),
        .id = test_below(seed, 3)};
    b.cost.codes = test_below(seed, 3) ? 1 : 0;
    return b;
}

/* Segments of a block to decode, with bytes near `source`. */
static void random_segments(uint64_t *seed, struct system_weight_work *work,
                            struct system_weight_block *b)
{
    const uint64_t source = b->source;
    const bool down = test_below(seed, 2), coded = test_below(seed, 2);
    b->segment = work->segment_count;
    b->segments = 1 + test_below(seed, SEGMENTS);
    b->mode = down || test_below(seed, 2) ? SAM_CHUNK_PLANES : SAM_CHUNK_WINDOW;
    b->destination_bytes = 0;
    b->head = (struct system_weight_span){source, test_below(seed, 3) * 40, false};
    b->number = test_below(seed, 3) * 4;
    b->size = test_below(seed, 3000);
    b->first = test_below(seed, 4000);
    b->next = (struct system_weight_span){source + 64 * test_below(seed, 4),
                                          test_below(seed, 2) * 50, false};
    for (size_t i = 0; i < b->segments; i++) {
        struct system_weight_segment *s = &work->segments[work->segment_count++];
        *s = (struct system_weight_segment){
            .elements = 1 + test_below(seed, 900),
            .skipped = test_below(seed, 3) ? 0 : test_below(seed, 300),
            .escapes = b->mode == SAM_CHUNK_WINDOW ? test_below(seed, 200) : 0,
            .coded_bits =
                coded && b->mode != SAM_CHUNK_WINDOW ? 1 + (unsigned)test_below(seed, 16) : 0,
            .down = down,
            .read = work->span_count,
            .reads = test_below(seed, SPANS + 1),
            .destination = b->destination + b->destination_bytes};
        s->destination_bytes = 1 + s->elements * (1 + test_below(seed, 3));
        b->destination_bytes += s->destination_bytes;
        for (size_t k = 0; k < s->reads; k++)
            work->spans[work->span_count++] = (struct system_weight_span){
                source + test_below(seed, 4000), 1 + test_below(seed, 900), test_below(seed, 2)};
    }
}

/* Blocks as this operation has them. */
static struct system_weight_work random_work(uint64_t *seed, struct room *room)
{
    static const uint32_t operations[] = {SAM_WEIGHT_DECODE, SAM_WEIGHT_DECODE, SAM_WEIGHT_DECODE,
                                          SAM_WEIGHT_ENCODE, SAM_WEIGHT_COUNT};
    const uint64_t source = test_below(seed, 3) ? 0x90000000 : 0x18003000;
    struct system_weight_work work =
        work_of(operations[test_below(seed, 5)], room->blocks, test_below(seed, BLOCKS));
    work.segments = room->segments;
    work.spans = room->spans;
    if (test_below(seed, 2)) {
        work.record.packed_type = SAM_E4M3;
        work.record.output_type = test_below(seed, 2) ? SAM_F16 : SAM_E4M3;
        work.record.layout = test_below(seed, 2) ? SAM_LAYOUT_E4M3 : SAM_LAYOUT_SHARED;
    }
    work.record.source = (uint32_t)source;
    work.record.first_low = (uint32_t)test_below(seed, 1000);
    work.record.source_bytes = (uint32_t)test_below(seed, 6000);
    work.record.total_low = (uint32_t)test_below(seed, test_below(seed, 2) ? 4000 : 2000000);
    work.result_address = test_below(seed, 2) ? 0x92000000 : 0;
    work.counted = work.record.operation == SAM_WEIGHT_ENCODE && test_below(seed, 2);
    const bool decodes = work.record.operation == SAM_WEIGHT_DECODE;
    const uint32_t rows = decodes && test_below(seed, 2) ? 1 + (uint32_t)test_below(seed, 5) : 0;
    if (rows) {
        work.record.operation = SAM_WEIGHT_ROWS | rows << 8;
        work.record.elements_high = (uint32_t)test_below(seed, 3000);
        work.record.destination = 0x91000000;
        work.record.destination_bytes = rows * (1 + (uint32_t)test_below(seed, 3000));
    }
    for (size_t i = 0; i < work.count; i++) {
        struct system_weight_block *b = &room->blocks[i];
        *b = random_block(seed, source);
        if (rows)
            b->destination = work.record.destination + work.record.destination_bytes / rows *
                                                           (uint64_t)(i * rows / work.count);
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
        if (decodes && b->destination_bytes)
            if (test_below(seed, 4))
                random_segments(seed, &work, b);
    }
    return work;
}

TEST(random_records)
{
    uint64_t seed = test_seed();
    FREED struct room *rooms = calloc(RECORDS, sizeof *rooms);
    assert_non_null(rooms);
    for (unsigned round = 0; round < 200; round++) {
        struct machine m;
        char text[256];
        snprintf(text, sizeof text,
                 "streams=%u,symbols=%u,table_ports=%u,tables=%u,escapes=%u,lines=%u,outputs=%u,"
                 "heads=%u,requests=%u,count_symbols=%u,code_items=%u,raw=%u,depth=%u,stream=%u",
                 1 + (unsigned)test_below(&seed, 5), 1 + (unsigned)test_below(&seed, 8),
                 1 + (unsigned)test_below(&seed, 9), (unsigned)test_below(&seed, 3),
                 1 + (unsigned)test_below(&seed, 9), 64 + (unsigned)test_below(&seed, 70),
                 1 + (unsigned)test_below(&seed, 30), (unsigned)test_below(&seed, 4),
                 1 + (unsigned)test_below(&seed, 90), 1 + (unsigned)test_below(&seed, 40),
                 1 + (unsigned)test_below(&seed, 30), test_below(&seed, 6) == 0,
                 1 + (unsigned)test_below(&seed, 256), (unsigned)test_below(&seed, 2));
        open(&m, text, 1 + (uint32_t)test_below(&seed, 50), (uint32_t)test_below(&seed, 30));
        struct memory memory;
        struct wref *p = plain_new(&m, &memory);
        struct system_weight_work works[RECORDS];
        uint64_t from = 0;
        for (unsigned r = 0; r < RECORDS; r++) {
            works[r] = random_work(&seed, &rooms[r]);
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
