/* SPDX-License-Identifier: Apache-2.0 */
/* Records of real packed weights on the system's memory in time: the time to the
 * first byte written, and the unit against the plain model. */

#include "test.h"

#include "codec/chunks_in_memory.h"
#include "codec/weights.h"
#include "reference/weight_time_ref.h"
#include "streams.h"
#include "system/weight_unit.h"

enum { MOST = 8 };

/* Requests of a port of the memory, by kind. */
struct counted {
    struct sam_memtime_port port;
    uint64_t reads, writes;
};

static uint64_t request(void *context, unsigned unit, uint64_t now, uint64_t address,
                        uint32_t bytes, enum sam_memtime_kind kind)
{
    struct counted *c = context;
    ++*(kind == SAM_MEMTIME_WRITE ? &c->writes : &c->reads);
    return c->port.request(c->port.context, unit, now, address, bytes, kind);
}

struct machine {
    struct counted counted;
    struct sam_clock clock;
    struct sam_memtime_levels *levels;
    struct sam_memtime_port port;
    struct system_weight_config config;
    struct system_weight_time *time;
    struct packed chunks;
    struct sam_chunks_piece piece;
    struct unit units[MOST]; /* one per record */
    unsigned records;
};

static struct sam_memtime_levels *new_levels(uint32_t dram_bytes)
{
    struct sam_memtime_levels_config config;
    const struct sam_keys keys = sam_memtime_keys(&config);
    const struct sam_memtime_map map = {0x10000000, 1 << 20, 0x18000000, 1 << 20};
    sam_keys_defaults(&keys);
    config.dram_bytes = dram_bytes;
    struct sam_memtime_levels *levels = sam_memtime_levels_new(&config, &map, NULL);
    assert_non_null(levels);
    return levels;
}

/* A tensor of `size` bytes, packed. */
static void open(struct machine *m, enum sam_dtype type, size_t size,
                 const struct sam_codec_options *options, uint32_t dram_bytes, uint64_t *random)
{
    struct sam_weight tensor;
    const struct sam_weights weights = one_tensor(&tensor, type, size);
    FREED uint8_t *file = test_room(size);
    test_weights(type, file, size, 0.02, random);
    SCOPED(packed) packed = pack(&weights, file, options);
    *m = (struct machine){.chunks = chunks_of(&packed),
                          .piece = piece_of(type, size, options),
                          .levels = new_levels(dram_bytes)};
    m->counted.port = sam_memtime_levels_port(m->levels);
    m->port = (struct sam_memtime_port){request, &m->counted};
    const struct sam_keys keys = sam_system_weight_keys(&m->config);
    sam_keys_defaults(&keys);
    m->time = sam_system_weight_time_new(
        &m->config,
        &(struct system_stages_options){.clock = &m->clock, .port = &m->port, .unit = 3});
    assert_non_null(m->time);
}

static void close(struct machine *m)
{
    for (unsigned i = 0; i < m->records; i++)
        unit_free(&m->units[i]);
    sam_system_stages_close(m->time);
    sam_memtime_levels_free(m->levels);
    free(m->chunks.data);
}

/* Submit a record; its work. */
static const struct system_weight_work *submit(struct machine *m, uint64_t first, uint64_t count,
                                               uint64_t from)
{
    const size_t room = (size_t)count * 4;
    struct unit *unit = &m->units[m->records++];
    *unit = unit_new(m->chunks.data, m->chunks.size, room);
    struct sam_weight_record r =
        unit_record(unit, SAM_WEIGHT_DECODE, m->piece.type, m->piece.layout, m->piece.count);
    r.first_low = (uint32_t)first;
    r.elements_low = (uint32_t)count;
    assert_int_equal(unit_run(unit, &r).status, SAM_WEIGHT_IS_GOOD);
    assert_true(sam_system_weight_time_submit(m->time, &unit->work, from));
    return &unit->work;
}

static void run(struct machine *m)
{
    while (m->time->stages.unit.ended < m->records) {
        const uint64_t next = sam_clock_next(&m->clock);
        assert_true(next != SAM_CLOCK_IDLE);
        sam_clock_advance(&m->clock, next + 1);
    }
    sam_system_stages_account(&m->time->stages);
}

/* The first write of a record of 4096 elements from a group of the first block on, when nothing of
 * the tensor is in the unit or the L2. */
TEST(first_byte_of_a_cold_record)
{
    /* f16 and f32 have more raw planes, and a line of each is needed */
    static const struct {
        enum sam_dtype type;
        uint64_t most;
    } kinds[] = {{SAM_BF16, 199}, {SAM_E4M3, 199}, {SAM_E5M2, 199}, {SAM_F16, 219}, {SAM_F32, 219}};
    enum { ROUNDS = 24, COUNT = 4096, GROUP = 1024 };
    const struct sam_codec_options options = {.size = sizeof options, .window = true};
    uint64_t random = test_seed();
    for (size_t t = 0; t < SAM_COUNT(kinds); t++) {
        unsigned soon = 0;
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct machine m;
            open(&m, kinds[t].type, 1 << 20, &options, 16, &random);
            const uint64_t last = (SAM_CHUNK_BLOCK_SIZE - COUNT) / GROUP;
            submit(&m, round ? GROUP * test_below(&random, last + 1) : 0, COUNT, 0);
            run(&m);
            soon += m.time->stages.first_write <= kinds[t].most;
            assert_in_range(m.time->stages.first_write, 120, round ? 320 : kinds[t].most);
            close(&m);
        }
        assert_true(soon >= ROUNDS * 3 / 4); /* where groups are is a guess */
    }
}

/* Guesses cost next to nothing: all bytes of a tensor cross DRAM once, by records of any size. */
TEST(guesses_fetch_little)
{
    enum { SIZE = 1 << 20, COUNT = SIZE / 2 };
    const struct sam_codec_options options = {.size = sizeof options, .window = true};
    uint64_t random = test_seed();
    for (unsigned records = 1; records <= MOST; records *= 2) {
        struct machine m;
        open(&m, SAM_BF16, SIZE, &options, 4, &random);
        for (unsigned i = 0; i < records; i++)
            submit(&m, i * (COUNT / records), COUNT / records, 0);
        run(&m);
        const struct sam_memtime_levels_figures *f = sam_memtime_levels_figures(m.levels);
        assert_true(f->unit[3][SAM_MEMTIME_DRAM].read <= m.chunks.size + 64);
        assert_true(f->unit[3][SAM_MEMTIME_DRAM].read + 2000 > m.chunks.size);
        close(&m);
    }
}

/* Random ranges of every layout, against the plain model. */
TEST(random_ranges)
{
    static const enum sam_dtype types[] = {SAM_BF16, SAM_F16, SAM_E4M3, SAM_E5M2, SAM_F32};
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 24; round++) {
        const struct sam_codec_options options = {
            .size = sizeof options, .window = round % 3 == 0, .restart = round % 3 == 1};
        const uint32_t dram = 1u << test_below(&random, 5);
        struct machine m;
        open(&m, types[test_below(&random, SAM_COUNT(types))], 1200000, &options, dram, &random);
        m.time->config.stream = m.config.stream = test_below(&random, 2);
        struct wref *w = calloc(1, sizeof *w);
        assert_non_null(w);
        struct sam_memtime_levels *levels = new_levels(dram);
        w->config = m.config;
        w->number = 3;
        w->port = sam_memtime_levels_port(levels);
        uint64_t from = 0;
        for (unsigned i = 0; i < 4; i++) {
            const uint64_t first = test_below(&random, m.piece.count), left = m.piece.count - first,
                           count = 1 + test_below(&random, left < 20000 ? left : 20000);
            wref_submit(w, submit(&m, first, count, from), from);
            from += test_below(&random, 3000);
        }
        run(&m);
        for (uint64_t now = 0; w->ended < w->submitted; now++)
            wref_tick(w, now);
        for (unsigned i = 0; i < SYSTEM_STAGE_CYCLES; i++)
            assert_int_equal(m.time->stages.cycles[i], w->cycles[i]);
        assert_memory_equal(sam_memtime_levels_figures(levels),
                            sam_memtime_levels_figures(m.levels),
                            sizeof(struct sam_memtime_levels_figures));
        sam_memtime_levels_free(levels);
        wref_free(w);
        free(w);
        close(&m);
    }
}

/* Cycles of a waveform with the signal of this code high, and the last time. */
static uint64_t high_cycles(const char *text, char code, uint64_t *last)
{
    const char off[] = {'\n', '0', code, '\n', 0}, on[] = {'\n', '1', code, '\n', 0};
    bool high = false;
    uint64_t cycles = 0;
    for (const char *at = strstr(text, "\n#"), *next; at; at = next) {
        next = strstr(at + 1, "\n#");
        const size_t size = next ? (size_t)(next - at) + 1 : strlen(at);
        char step[512];
        assert_true(size < sizeof step);
        memcpy(step, at, size);
        step[size] = '\0';
        *last = strtoull(at + 2, NULL, 10);
        high = strstr(step, on) || (high && !strstr(step, off));
        cycles += high && *last % 2 == 0; /* the rising edge of the clock */
    }
    return cycles;
}

/* Each request is a handshake of one cycle in the waveform. */
TEST(waveform)
{
    const struct sam_codec_options options = {.size = sizeof options, .window = true};
    SCOPED(sam_buffer) text = {0};
    const struct sam_sink sink = test_sink(&text);
    uint64_t random = test_seed(), last;
    struct machine m;
    open(&m, SAM_BF16, 1 << 20, &options, 16, &random);
    struct system_weight_wave *wave = sam_system_weight_wave_new(&sink);
    assert_non_null(wave);
    m.time->stages.options.wave = wave;
    submit(&m, 5000, 30000, 10);
    submit(&m, 50000, 3000, 4000);
    run(&m);
    assert_true(sam_system_weight_wave_end(wave, m.clock.now));
    m.time->stages.options.wave = NULL;
    const char *const wire[] = {"wire 1 $ fetch_valid ", "wire 1 & write_valid "};
    for (size_t i = 0; i < SAM_COUNT(wire); i++) {
        assert_non_null(strstr(sam_buffer_text(&text), wire[i]));
        const uint64_t expected = i ? m.counted.writes : m.counted.reads;
        assert_int_equal(high_cycles(sam_buffer_text(&text), wire[i][7], &last), expected);
    }
    assert_int_equal(last, 2 * m.clock.now);
    close(&m);
}
