/* SPDX-License-Identifier: Apache-2.0 */
/* SymbolStat clock by clock; its counts equal those of the codec. */

#include "test.h"

#include "codec/weights.h"
#include "samite/symbolstat.h"

enum { MOST = 65536 };

/* A task over `symbols`; with `random`, the ports stall at random. `drained` receives the counts
 * read from freq_out. Returns the cycles. */
static uint64_t count(struct sam_symbolstat *unit, const uint8_t *symbols, size_t n,
                      uint64_t *drained, uint64_t *random)
{
    size_t given = 0, taken = 0;
    sam_symbolstat_clock(unit, (struct sam_symbolstat_in){.start = true});
    for (;;) {
        bool stall = random && test_below(random, 3) == 0;
        struct sam_symbolstat_in in = {
            .start = given < n || unit->state == SAM_SYMBOLSTAT_CLEAR,
            .data_valid = given < n && !stall,
            .freq_ready = !stall,
            .symbol = given < n ? symbols[given] : 0,
        };
        struct sam_symbolstat_out out = sam_symbolstat_clock(unit, in);
        given += out.data_ready && in.data_valid;
        if (out.freq_valid && in.freq_ready)
            drained[taken++] = out.freq;
        assert_int_equal(out.busy, !out.done);
        if (out.done)
            break;
    }
    assert_int_equal(taken, unit->depth);
    assert_int_equal(unit->state, SAM_SYMBOLSTAT_IDLE);
    return unit->cycles;
}

TEST(cycles)
{
    uint64_t counts[16], drained[16];
    uint8_t symbols[100];
    struct sam_symbolstat unit;
    for (unsigned i = 0; i < 100; i++)
        symbols[i] = (uint8_t)(i % 16);
    assert_int_equal(sam_symbolstat_init(&unit, 4, 8, 16, counts, NULL), SAM_OK);
    assert_int_equal(count(&unit, symbols, 100, drained, NULL), 134); /* 16 + 100 + 1 + 16 + 1 */
    assert_int_equal(sam_symbolstat_cycles(16, 100), 134);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(drained[i], i < 4 ? 7 : 6);
    assert_false(unit.overflow || unit.bad_symbol);
}

TEST(saturation_and_depth)
{
    uint64_t counts[4], drained[4];
    uint8_t symbols[40];
    struct sam_symbolstat unit;
    for (unsigned i = 0; i < 40; i++)
        symbols[i] = (uint8_t)(i < 20 ? 1 : i < 27 ? 2 : i < 39 ? 5 : 0);
    assert_int_equal(sam_symbolstat_init(&unit, 8, 3, 4, counts, NULL), SAM_OK);
    count(&unit, symbols, 40, drained, NULL);
    assert_int_equal(drained[0], 1);
    assert_int_equal(drained[1], 7);
    assert_int_equal(drained[2], 7);
    assert_int_equal(drained[3], 0);
    assert_true(unit.overflow && unit.bad_symbol);
    count(&unit, symbols + 39, 1, drained, NULL); /* a task starts with no state of the last one */
    assert_int_equal(drained[1], 0);
    assert_false(unit.overflow || unit.bad_symbol);
}

TEST(flush_and_empty_tasks)
{
    uint64_t counts[4], drained[4] = {9, 9, 9, 9};
    struct sam_symbolstat unit;
    assert_int_equal(sam_symbolstat_init(&unit, 2, 8, 4, counts, NULL), SAM_OK);
    assert_int_equal(count(&unit, NULL, 0, drained, NULL), 4 + 1 + 4 + 1); /* no beat */
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(drained[i], 0);
    /* start falls during CLEAR, which runs to its end; then zeros are drained */
    sam_symbolstat_clock(&unit, (struct sam_symbolstat_in){.start = true});
    unsigned after_start = 0, drains = 0;
    for (bool done = false; !done; after_start++) {
        struct sam_symbolstat_out out = sam_symbolstat_clock(
            &unit, (struct sam_symbolstat_in){.data_valid = true, .freq_ready = true});
        assert_false(out.data_ready);
        drains += out.freq_valid && out.freq == 0;
        done = out.done;
    }
    assert_int_equal(after_start, 4 + 4 + 1);
    assert_int_equal(drains, 4);
    for (unsigned after = 1; after < 14; after++) { /* flush in every state */
        struct sam_symbolstat_in in = {.start = true, .data_valid = true, .freq_ready = true};
        for (unsigned i = 0; i < after; i++) {
            in.start = i < 8;
            sam_symbolstat_clock(&unit, in);
        }
        struct sam_symbolstat_out out =
            sam_symbolstat_clock(&unit, (struct sam_symbolstat_in){.flush = true, .start = true});
        assert_false(out.done || out.busy);
        assert_int_equal(unit.state, SAM_SYMBOLSTAT_IDLE);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(counts[i], 0);
    }
    assert_int_equal(sam_symbolstat_init(&unit, 17, 8, 4, counts, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_symbolstat_init(&unit, 8, 0, 4, counts, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_symbolstat_init(&unit, 8, 8, 0, counts, NULL), SAM_ERR_USAGE);
}

/* Planes that the codec codes: its own counter agrees with the unit. */
TEST(counts_as_the_codec_does)
{
    static const enum sam_dtype types[] = {SAM_BF16, SAM_F16, SAM_F32, SAM_E4M3, SAM_E5M2, SAM_U8};
    /* The position and width of the exponent in an element. */
    static const unsigned from[] = {7, 10, 23, 3, 2, 0}, width[] = {8, 5, 8, 4, 5, 8};
    uint64_t random = test_seed();
    FREED uint8_t *data = test_room(MOST * 4), *symbols = malloc(MOST);
    assert_non_null(symbols);
    for (size_t t = 0; t < SAM_COUNT(types); t++) {
        uint64_t wanted[256], counts[256], drained[256];
        size_t bytes = sam_dtype_bits(types[t]) / 8;
        struct sam_symbolstat unit;
        test_weights(types[t], data, MOST * bytes, 0.02, &random);
        for (size_t i = 0; i < MOST; i++) {
            uint32_t element = 0;
            for (size_t b = 0; b < bytes; b++)
                element |= (uint32_t)data[i * bytes + b] << (8 * b);
            symbols[i] = (uint8_t)(element >> from[t] & ((1u << width[t]) - 1));
        }
        assert_int_equal(sam_weight_count(types[t], data, MOST * bytes, NULL, 0, wanted, NULL),
                         SAM_OK);
        assert_int_equal(sam_symbolstat_init(&unit, 8, 32, 256, counts, NULL), SAM_OK);
        count(&unit, symbols, MOST, drained, &random);
        assert_memory_equal(drained, wanted, sizeof wanted);
    }
}
