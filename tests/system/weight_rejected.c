/* SPDX-License-Identifier: Apache-2.0 */
/* Invalid records of the weight unit: each changes one word of a good one. */

#include "test.h"

#include "system/weight_sample.h"

enum { BAD_COUNT = 4000 };
struct bad {
    size_t word;
    uint32_t value, status;
    const char *fault;
};
#define WORD(name) (offsetof(struct sam_weight_record, name) / sizeof(uint32_t))

static void expect_bad(struct unit *unit, const struct sam_weight_record *good,
                       const struct bad *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sam_weight_record r = *good;
        memcpy((uint8_t *)&r + 4 * cases[i].word, &cases[i].value, sizeof(uint32_t));
        struct sam_weight_result result = unit_run(unit, &r);
        if (result.status != cases[i].status || !strstr(unit->work.fault, cases[i].fault))
            fail_msg("case %zu: status %u, %s", i, result.status, unit->work.fault);
        assert_int_equal(result.bytes, 0);
        assert_int_equal(result.elements, 0);
        if (result.status != SAM_WEIGHT_IS_DAMAGED && r.operation == SAM_WEIGHT_DECODE)
            assert_int_equal(unit->work.count, 0);
        expect_output(unit, 0, "", 0);
    }
}

TEST(bad_records_of_decoding)
{
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_E4M3, BAD_COUNT, &layouts[0], &random);
    SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, BAD_COUNT + 8);
    struct sam_weight_record good = decode_record(&unit, &s);
    const uint32_t bytes = (uint32_t)s.chunks.size;
    const struct bad cases[] = {
        {WORD(operation), 4, SAM_WEIGHT_IS_RECORD, "operation 4"},
        {WORD(operation), 1 << 8, SAM_WEIGHT_IS_RECORD, "operation 256"},
        {WORD(operation), SAM_WEIGHT_ROWS, SAM_WEIGHT_IS_RECORD, "no rows"},
        {WORD(operation), UINT32_MAX, SAM_WEIGHT_IS_RECORD, "operation 4294967295"},
        {WORD(packed_type), SAM_DTYPES, SAM_WEIGHT_IS_RECORD, "element types"},
        {WORD(packed_type), 0x80000004, SAM_WEIGHT_IS_RECORD, "element types"},
        {WORD(packed_type), SAM_F16, SAM_WEIGHT_IS_RECORD, "element type f16 as e4m3"},
        {WORD(output_type), UINT32_MAX, SAM_WEIGHT_IS_RECORD, "element types"},
        {WORD(output_type), SAM_F32, SAM_WEIGHT_IS_RECORD, "element type e4m3 as f32"},
        {WORD(output_type), SAM_E3M4, SAM_WEIGHT_IS_RECORD, "element type e4m3 as e3m4"},
        {WORD(output_type), SAM_E5M2, SAM_WEIGHT_IS_RECORD, "element type e4m3 as e5m2"},
        {WORD(source), 0, SAM_WEIGHT_IS_ADDRESS, "source of"},
        {WORD(source), SOURCE + 1, SAM_WEIGHT_IS_ADDRESS, "source of"},
        {WORD(source), 0x02000000, SAM_WEIGHT_IS_ADDRESS, "source of"},
        {WORD(source), 0x70000000, SAM_WEIGHT_IS_ADDRESS, "source of"},
        {WORD(source), 0xffffffff, SAM_WEIGHT_IS_ADDRESS, "source of"},
        {WORD(source_bytes), bytes + 1, SAM_WEIGHT_IS_ADDRESS, "source of"},
        {WORD(source_bytes), UINT32_MAX, SAM_WEIGHT_IS_ADDRESS, "source of"},
        {WORD(source_bytes), 0, SAM_WEIGHT_IS_DAMAGED, "block 0 of the piece is damaged"},
        {WORD(source_bytes), 16, SAM_WEIGHT_IS_DAMAGED, "the source ends within its chunk"},
        {WORD(destination), 0x02002000, SAM_WEIGHT_IS_DESTINATION, "destination of"},
        {WORD(destination), 0x70000000, SAM_WEIGHT_IS_DESTINATION, "destination of"},
        {WORD(destination), DESTINATION + 9, SAM_WEIGHT_IS_DESTINATION, "not in one buffer"},
        {WORD(destination), UINT32_MAX, SAM_WEIGHT_IS_DESTINATION, "not in one buffer"},
        {WORD(destination_bytes), BAD_COUNT - 1, SAM_WEIGHT_IS_DESTINATION, "room for 3999"},
        {WORD(destination_bytes), 0, SAM_WEIGHT_IS_DESTINATION, "room for 0"},
        {WORD(first_low), 1, SAM_WEIGHT_IS_RECORD, "elements past the end"},
        {WORD(first_high), UINT32_MAX, SAM_WEIGHT_IS_RECORD, "elements past the end"},
        {WORD(elements_low), BAD_COUNT + 1, SAM_WEIGHT_IS_RECORD, "elements past the end"},
        {WORD(elements_high), 1, SAM_WEIGHT_IS_RECORD, "elements past the end"},
        {WORD(result), RESULT_AT + 1, SAM_WEIGHT_IS_ADDRESS, "result at"},
        {WORD(result), 0x02002000, SAM_WEIGHT_IS_ADDRESS, "result at"},
        {WORD(result), RECORDS + RECORDS_SIZE - 16, SAM_WEIGHT_IS_ADDRESS, "result at"},
        {WORD(piece), 1, SAM_WEIGHT_IS_DAMAGED, "checksum"},
        {WORD(layout), SAM_LAYOUT_SHARED + 1, SAM_WEIGHT_IS_RECORD, "unknown layout"},
        {WORD(layout), 256 + SAM_LAYOUT_E4M3, SAM_WEIGHT_IS_RECORD, "unknown layout"},
        {WORD(layout), SAM_LAYOUT_E5M2, SAM_WEIGHT_IS_DAMAGED, "block 0"},
        {WORD(total_low), BAD_COUNT - 1, SAM_WEIGHT_IS_RECORD, "elements past the end"},
        {WORD(total_high), 0x80000000, SAM_WEIGHT_IS_RECORD, "more elements than a piece"},
    };
    expect_bad(&unit, &good, cases, SAM_COUNT(cases));
}

TEST(bad_records_of_rows)
{
    uint64_t random = test_seed();
    struct sample s = make_sample(SAM_E4M3, BAD_COUNT, &layouts[0], &random);
    struct unit unit = unit_new(s.chunks.data, s.chunks.size, BAD_COUNT + 8);
    struct sam_weight_record good = decode_record(&unit, &s);
    good.operation = SAM_WEIGHT_ROWS | 10 << 8;
    good.elements_low = good.elements_high = BAD_COUNT / 10;
    static const struct bad cases[] = {
        {WORD(operation), SAM_WEIGHT_ROWS, SAM_WEIGHT_IS_RECORD, "no rows"},
        {WORD(operation), SAM_WEIGHT_ROWS | 11 << 8, SAM_WEIGHT_IS_RECORD, "past the end"},
        {WORD(operation), UINT32_MAX & ~UINT32_C(0xfc), SAM_WEIGHT_IS_RECORD, "past the end"},
        {WORD(elements_high), BAD_COUNT / 10 + 1, SAM_WEIGHT_IS_RECORD, "past the end"},
        {WORD(elements_high), UINT32_MAX, SAM_WEIGHT_IS_RECORD, "past the end"},
        {WORD(elements_low), BAD_COUNT / 10 + 1, SAM_WEIGHT_IS_RECORD, "past the end"},
        {WORD(first_low), 1, SAM_WEIGHT_IS_RECORD, "past the end"},
        {WORD(first_high), UINT32_MAX, SAM_WEIGHT_IS_RECORD, "past the end"},
        {WORD(destination_bytes), BAD_COUNT - 1, SAM_WEIGHT_IS_DESTINATION, "expected 4000"},
        {WORD(destination_bytes), 9, SAM_WEIGHT_IS_DESTINATION, "expected 4000"},
        {WORD(destination), DESTINATION + 9, SAM_WEIGHT_IS_DESTINATION, "not in one buffer"},
        {WORD(output_type), SAM_F16, SAM_WEIGHT_IS_DESTINATION, "expected 8000"},
    };
    expect_bad(&unit, &good, cases, SAM_COUNT(cases));
    unit_free(&unit);
    sample_free(&s);

    s = make_sample(SAM_E2M1, BAD_COUNT / 2, &layouts[0], &random);
    unit = unit_new(s.chunks.data, s.chunks.size, BAD_COUNT);
    good = decode_record(&unit, &s);
    good.operation = SAM_WEIGHT_ROWS | 3 << 8;
    good.elements_low = 10;
    static const struct bad half[] = {
        {WORD(elements_high), 7, SAM_WEIGHT_IS_RECORD, "half bytes"},
    };
    expect_bad(&unit, &good, half, SAM_COUNT(half));
    unit_free(&unit);
    sample_free(&s);
}

TEST(bad_records_of_nibbles)
{
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_E2M1, BAD_COUNT / 2, &layouts[0], &random);
    SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, BAD_COUNT);
    struct sam_weight_record good = decode_record(&unit, &s);
    good.elements_low -= 4;
    static const struct bad cases[] = {
        {WORD(first_low), 1, SAM_WEIGHT_IS_RECORD, "half bytes"},
        {WORD(elements_low), 7, SAM_WEIGHT_IS_RECORD, "half bytes"},
        {WORD(total_low), BAD_COUNT - 1, SAM_WEIGHT_IS_RECORD, "half a byte"},
        {WORD(output_type), SAM_BF16, SAM_WEIGHT_IS_RECORD, "element type e2m1 as bf16"},
        {WORD(output_type), SAM_E4M3, SAM_WEIGHT_IS_RECORD, "element type e2m1 as e4m3"},
        {WORD(output_type), SAM_F16, SAM_WEIGHT_IS_DESTINATION, "expected 7992"},
    };
    expect_bad(&unit, &good, cases, SAM_COUNT(cases));
}

TEST(bad_records_of_elements)
{
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * BAD_COUNT, &layouts[0], &random);
    SCOPED(unit) unit = unit_new(s.file.data, s.file.size, 2 * BAD_COUNT + 1000);
    static const struct bad cases[] = {
        {WORD(output_type), SAM_F32, SAM_WEIGHT_IS_RECORD, "an output type of f32"},
        {WORD(source_bytes), 2 * BAD_COUNT - 1, SAM_WEIGHT_IS_ADDRESS, "the elements have 8000"},
        {WORD(source), SOURCE + 2, SAM_WEIGHT_IS_ADDRESS, "not in one buffer"},
        {WORD(destination), DESTINATION + 8900, SAM_WEIGHT_IS_DESTINATION, "not in one buffer"},
        {WORD(destination_bytes), 100, SAM_WEIGHT_IS_DESTINATION, "room for 100"},
        {WORD(first_high), 1, SAM_WEIGHT_IS_RECORD, "from element 4294967296"},
        {WORD(elements_low), BAD_COUNT - 1, SAM_WEIGHT_IS_RECORD, "expected all of them"},
        {WORD(total_low), BAD_COUNT + 1, SAM_WEIGHT_IS_RECORD, "expected all of them"},
        {WORD(total_high), 1, SAM_WEIGHT_IS_RECORD, "expected all of them"},
        {WORD(piece), 1, SAM_WEIGHT_IS_RECORD, "piece 1"},
        {WORD(layout), 11, SAM_WEIGHT_IS_RECORD, "unknown layout"},
    };
    for (uint32_t operation = SAM_WEIGHT_ENCODE; operation <= SAM_WEIGHT_COUNT; operation++) {
        struct sam_weight_record good =
            unit_record(&unit, operation, SAM_BF16, SAM_LAYOUT_BF16, BAD_COUNT);
        expect_bad(&unit, &good, cases, SAM_COUNT(cases));
        /* for an encode, the address of counters */
        const bool counts = operation == SAM_WEIGHT_COUNT;
        const struct bad first[] = {
            {WORD(first_low), 1, counts ? SAM_WEIGHT_IS_RECORD : SAM_WEIGHT_IS_ADDRESS,
             counts ? "from element 1" : "counters at 0x00000001: expected a multiple of 4"},
            {WORD(first_low), SOURCE + 8000, counts ? SAM_WEIGHT_IS_RECORD : SAM_WEIGHT_IS_ADDRESS,
             counts ? "from element 2415927104" : "1024 bytes in one buffer"},
            {WORD(first_low), DESTINATION,
             counts ? SAM_WEIGHT_IS_RECORD : SAM_WEIGHT_IS_DESTINATION,
             counts ? "from element" : "overlaps the source, the counters"},
        };
        expect_bad(&unit, &good, first, SAM_COUNT(first));
    }
}

/* A destination that the unit also reads from, or writes the result to. */
TEST(a_destination_that_overlaps)
{
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_E4M3, 1000, &layouts[0], &random);
    SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, 1000);
    const struct sam_weight_record good = decode_record(&unit, &s);
    struct sam_weight_record r = good;
    r.elements_low = 64;
    r.destination_bytes = 64;
    const uint32_t places[] = {SOURCE, SOURCE + 64, RECORDS + 60, RESULT_AT, RESULT_AT + 16};
    for (size_t i = 0; i < SAM_COUNT(places); i++) {
        r.destination = places[i];
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_DESTINATION, 0, 0);
        assert_non_null(strstr(unit.work.fault, "overlaps"));
    }
    r = good;
    r.result = DESTINATION + 500;
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_DESTINATION, 0, 0);
    r.result = 0; /* no result is written */
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, 1000, 1000);
    expect_output(&unit, 0, s.file.data, 1000);
}
