/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the weight unit that count symbols, and that encode with given counters. */

#include "test.h"

#include "samite/symbolstat.h"
#include "system/weight_sample.h"

TEST(counting)
{
    uint64_t random = test_seed(), counts[256];
    SCOPED(sample) s = make_sample(SAM_BF16, 700000, &layouts[0], &random);
    SCOPED(unit) unit = unit_new(s.file.data, s.file.size, 2000);
    struct sam_weight_record r =
        unit_record(&unit, SAM_WEIGHT_COUNT, SAM_BF16, SAM_LAYOUT_BF16, 350000);
    uint8_t wanted[1024];
    assert_int_equal(sam_weight_count(SAM_BF16, s.file.data, s.file.size, NULL, 0, counts, NULL),
                     SAM_OK);
    for (size_t i = 0; i < SAM_COUNT(counts); i++)
        sam_put_le32(wanted + 4 * i, (uint32_t)counts[i]);
    struct sam_weight_result result = unit_run(&unit, &r);
    expect(&unit, result, SAM_WEIGHT_IS_GOOD, sizeof wanted, 350000);
    assert_int_equal(result.symbols, 350000);
    expect_output(&unit, 0, wanted, sizeof wanted);
}

/* The counters of SymbolStat with parameters, against its model clock by clock. */
TEST(counting_with_parameters)
{
    static const struct sam_counter counters[] = {
        {8, 256, 32, NULL}, {8, 256, 8, NULL},  {8, 256, 1, NULL},  {5, 256, 32, NULL},
        {5, 32, 10, NULL},  {8, 120, 32, NULL}, {8, 123, 12, NULL}, {1, 1, 3, NULL},
    };
    enum { COUNT = 9000 };
    static uint32_t symbols[COUNT];
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, &layouts[0], &random);
    for (unsigned i = 0; i < COUNT; i++)
        symbols[i] = sam_le16(s.file.data + 2 * i) >> 7 & 255; /* the exponent */
    for (size_t i = 0; i < SAM_COUNT(counters); i++) {
        const struct sam_counter *c = &counters[i];
        const struct sam_symbolstat_task task = {.symbols = symbols, .count = COUNT};
        struct sam_symbolstat_result cycles;
        struct sam_symbolstat model;
        uint64_t counts[256], freq[256], sum = 0;
        uint8_t wanted[1024] = {0};
        assert_int_equal(
            sam_symbolstat_init(&model, c->symbol_width, c->weight_width, c->depth, counts, NULL),
            SAM_OK);
        assert_int_equal(sam_symbolstat_run(&model, &task, freq, &cycles, NULL), SAM_OK);
        for (uint32_t k = 0; k < c->depth; k++) {
            sam_put_le32(wanted + 4 * k, (uint32_t)freq[k]);
            sum += freq[k];
        }
        SCOPED(unit) unit = unit_new(s.file.data, s.file.size, 1024);
        unit.counter = c;
        struct sam_weight_record r =
            unit_record(&unit, SAM_WEIGHT_COUNT, SAM_BF16, SAM_LAYOUT_BF16, COUNT);
        struct sam_weight_result result = unit_run(&unit, &r);
        expect(&unit, result, SAM_WEIGHT_IS_GOOD, sizeof wanted, COUNT);
        expect_output(&unit, 0, wanted, sizeof wanted);
        assert_int_equal(result.symbols, sum);
    }
}

/* Encode with these counters; the chunks must decode to the elements. Returns the bytes;
 * `lengths` receives the code lengths of the first code (docs/format-codec.md), 0 for symbols
 * without one. */
static uint32_t encode_with(const struct sample *s, const struct sam_counter *counter,
                            const uint8_t *given, uint8_t lengths[256])
{
    struct unit unit = unit_new(s->file.data, s->file.size, s->file.size + 20000);
    struct sam_weight_record r =
        unit_record(&unit, SAM_WEIGHT_ENCODE, s->piece.type, s->piece.layout, s->piece.count);
    unit.counter = counter;
    if (given) {
        r.first_low = RECORDS + 1024;
        assert_int_equal(sam_host_write(unit.memory, NULL, r.first_low, given, 1024, NULL), SAM_OK);
    }
    struct sam_weight_result result = unit_run(&unit, &r);
    expect(&unit, result, SAM_WEIGHT_IS_GOOD, result.bytes, s->piece.count);
    assert_int_equal(result.symbols, given ? 0 : s->piece.count);
    FREED uint8_t *chunks = test_room(result.bytes);
    unit_read(&unit, DESTINATION, chunks, result.bytes);
    unit_free(&unit);

    const uint8_t *code = chunks + 16 + 12 * chunks[14];
    memset(lengths, 0, 256);
    for (unsigned k = 0; code[0] == 1 && k <= (unsigned)code[2] - code[1]; k++)
        lengths[code[1] + k] = code[3 + k / 2] >> k % 2 * 4 & 15;
    unit = unit_new(chunks, result.bytes, s->file.size);
    r = decode_record(&unit, s);
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, s->file.size, s->piece.count);
    expect_output(&unit, 0, s->file.data, s->file.size);
    unit_free(&unit);
    return result.bytes;
}

/* A saturated counter makes its symbol no more frequent than others; a symbol that was not
 * counted has no code, and blocks that contain it are stored raw. */
TEST(encoding_with_counters)
{
    enum { COUNT = SAM_CHUNK + 70000 };
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, &layouts[0], &random);
    uint32_t counts[256] = {0}, used = 0, common = 0;
    uint8_t lengths[256], exact[256], given[1024] = {0};
    for (unsigned i = 0; i < COUNT; i++)
        counts[sam_le16(s.file.data + 2 * i) >> 7 & 255]++;
    for (unsigned k = 0; k < 256; k++) {
        sam_put_le32(given + 4 * k, counts[k]);
        common = counts[k] > counts[common] ? k : common;
    }
    const uint32_t best = encode_with(&s, NULL, NULL, exact);
    assert_true(exact[common] <= 2);
    const struct sam_counter bits = {8, 256, 1, NULL};
    const uint32_t flat = encode_with(&s, &bits, NULL, lengths);
    unsigned least = 16, most = 0;
    for (unsigned k = 0; k < 256; k++) {
        assert_int_equal(!lengths[k], !exact[k]);
        used += lengths[k] != 0;
        least = lengths[k] && lengths[k] < least ? lengths[k] : least;
        most = lengths[k] > most ? lengths[k] : most;
    }
    assert_true(most - least <= 1 && 1u << least <= used && used <= 1u << most);
    assert_true(flat > best + best / 20);
    /* those of COUNT: one code for all chunks, as good as the unit's own for these weights */
    const uint32_t same = encode_with(&s, NULL, given, lengths);
    for (unsigned k = 0; k < 256; k++)
        assert_int_equal(!lengths[k], !counts[k]);
    assert_in_range(same, best - best / 100, best + best / 100);
    /* only the most common symbol: every block has symbols without a code */
    const struct sam_counter narrow = {8, common + 1, 32, NULL};
    assert_true(encode_with(&s, &narrow, NULL, lengths) > s.file.size);
    sam_put_le32(given + 4 * common, 0);
    assert_true(encode_with(&s, NULL, given, lengths) > s.file.size);
    /* counters that overflow a sum of 32 bits */
    memset(given, 0xff, sizeof given);
    encode_with(&s, NULL, given, lengths);
    for (unsigned k = 0; k < 256; k++)
        assert_int_equal(lengths[k], 8 * (lengths[k] != 0));
}
