/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the weight unit that encode and decode: their output, ranges, damage. */

#include "test.h"

#include "system/weight_sample.h"

/* The unit keeps its buffers and codes from record to record. */
TEST(decoding)
{
    struct system_weight_work kept = {0};
    static const enum sam_dtype types[] = {SAM_BF16, SAM_F16, SAM_F32, SAM_E4M3, SAM_E5M2,
                                           SAM_E2M1, SAM_I8,  SAM_U64, SAM_I4};
    uint64_t random = test_seed();
    for (size_t t = 0; t < SAM_COUNT(types); t++)
        for (size_t l = 0; l < SAM_COUNT(layouts); l++)
            for (unsigned round = 0; round < 3; round++) {
                size_t bits = sam_dtype_bits(types[t]);
                size_t all = 2 * SAM_CHUNK_BLOCK_SIZE + 5000;
                SCOPED(sample) s = make_sample(types[t], all * bits / 8, &layouts[l], &random);
                SCOPED(unit) unit = (round % 2 ? unit_scattered : unit_new)(
                    s.chunks.data, s.chunks.size, s.file.size + 100);
                struct sam_weight_record r = decode_record(&unit, &s);
                unit.work = kept;
                uint64_t first = test_below(&random, all) & ~UINT64_C(1);
                uint64_t count = test_below(&random, all - first) & ~UINT64_C(1);
                size_t at = (size_t)test_below(&random, 100), size = (size_t)count * bits / 8;
                r.first_low = (uint32_t)first;
                r.elements_low = (uint32_t)count;
                r.destination += (uint32_t)at;
                r.destination_bytes = (uint32_t)size;
                struct sam_weight_result result = unit_run(&unit, &r);
                expect(&unit, result, SAM_WEIGHT_IS_GOOD, size, count);
                assert_int_equal(result.damaged_block, UINT32_MAX);
                expect_output(&unit, at, s.file.data + first * bits / 8, size);
                kept = unit.work;
                unit.work = (struct system_weight_work){0};
            }
    sam_system_weight_free(&kept);
}

/* The values are tested with the codec; here, each pair of types is checked against that
 * conversion. */
TEST(widening)
{
    static const enum sam_dtype pairs[][2] = {
        {SAM_E4M3, SAM_F16}, {SAM_E5M2, SAM_F16}, {SAM_E3M4, SAM_F16}, {SAM_E2M1, SAM_F16},
        {SAM_E1M2, SAM_F16}, {SAM_E3M0, SAM_F16}, {SAM_BF16, SAM_F32}};
    uint64_t random = test_seed();
    for (size_t i = 0; i < SAM_COUNT(pairs); i++) {
        enum { COUNT = SAM_CHUNK_BLOCK_SIZE * 2 + 50, FIRST = 7, SOME = COUNT - 10 };
        enum sam_dtype from = pairs[i][0], to = pairs[i][1];
        SCOPED(sample) s =
            make_sample(from, COUNT * sam_dtype_bits(from) / 8, &layouts[0], &random);
        SCOPED(unit) unit = (i % 2 ? unit_scattered : unit_new)(s.chunks.data, s.chunks.size,
                                                                COUNT * sizeof(uint32_t));
        FREED uint8_t *wide = test_room(COUNT * sizeof(uint32_t));
        assert_int_equal(sam_dtype_widen(from, to, s.file.data, COUNT, wide, NULL), SAM_OK);
        struct sam_weight_record r = decode_record(&unit, &s);
        r.output_type = to;
        r.first_low = FIRST;
        r.elements_low = SOME;
        size_t size = sam_dtype_size(to);
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, SOME * size, SOME);
        expect_output(&unit, 0, wide + FIRST * size, SOME * size);
    }
}

TEST(encoding)
{
    static const enum sam_dtype types[] = {SAM_BF16, SAM_F16, SAM_E4M3, SAM_E5M2, SAM_E2M1};
    uint64_t random = test_seed();
    for (size_t t = 0; t < SAM_COUNT(types); t++)
        for (size_t l = 0; l < SAM_COUNT(layouts); l++) {
            size_t elements = t ? 300000 : SAM_CHUNK + 3000, bits = sam_dtype_bits(types[t]);
            SCOPED(sample) s = make_sample(types[t], elements * bits / 8, &layouts[l], &random);
            SCOPED(unit) unit = unit_new(s.file.data, s.file.size, s.chunks.size + 1000);
            struct sam_weight_record r =
                unit_record(&unit, SAM_WEIGHT_ENCODE, types[t], s.piece.layout, elements);
            struct sam_weight_result result = unit_run(&unit, &r);
            expect(&unit, result, SAM_WEIGHT_IS_GOOD, s.chunks.size, elements);
            expect_output(&unit, 0, s.chunks.data, s.chunks.size);
            assert_true(result.symbols > 0);
        }
}

/* Layout 10 without neighbours equals layout 0: small tensors are packed with it. */
TEST(encoding_little)
{
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_BF16, 300, &layouts[0], &random);
    SCOPED(unit) unit = unit_new(s.file.data, s.file.size, 1000);
    struct sam_weight_record r =
        unit_record(&unit, SAM_WEIGHT_ENCODE, SAM_BF16, SAM_LAYOUT_SHARED, 150);
    assert_int_equal(s.piece.layout, SAM_LAYOUT_SHARED);
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, s.chunks.size, 150);
    expect_output(&unit, 0, s.chunks.data, s.chunks.size);
}

TEST(encoding_without_room)
{
    uint64_t random = test_seed();
    size_t size = SAM_CHUNK + 4000;
    SCOPED(sample) s = make_sample(SAM_E4M3, size, &layouts[0], &random);
    SCOPED(unit) unit = unit_new(s.file.data, s.file.size, s.chunks.size + 64);
    struct sam_weight_record r =
        unit_record(&unit, SAM_WEIGHT_ENCODE, SAM_E4M3, SAM_LAYOUT_E4M3, size);
    size_t first = sam_le32(s.chunks.data + 8);
    r.destination_bytes = (uint32_t)s.chunks.size - 1; /* for the first chunk, not the second */
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_DESTINATION, first, SAM_CHUNK);
    expect_output(&unit, 0, s.chunks.data, first);
}

/* No elements: nothing is read, and only the result is written. */
TEST(nothing)
{
    SCOPED(unit) unit = unit_new("", 1, 1024);
    for (uint32_t operation = SAM_WEIGHT_DECODE; operation <= SAM_WEIGHT_ENCODE; operation++) {
        struct sam_weight_record r = unit_record(&unit, operation, SAM_BF16, SAM_LAYOUT_BF16, 0);
        r.source = r.source_bytes = r.destination = r.destination_bytes = 0;
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, 0, 0);
        assert_int_equal(unit.work.count, 0);
        r.destination = RECORDS + 8; /* no byte of it overlaps */
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, 0, 0);
    }
    struct sam_weight_record r = unit_record(&unit, SAM_WEIGHT_COUNT, SAM_U8, 0, 0);
    uint8_t zeros[1024] = {0};
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, sizeof zeros, 0);
    expect_output(&unit, 0, zeros, sizeof zeros);
}

/* One damaged block of three: the earlier blocks are written, the rest is unchanged. */
TEST(a_damaged_block)
{
    enum { COUNT = 3 * SAM_CHUNK_BLOCK_SIZE };
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_E4M3, COUNT, &layouts[0], &random);
    struct sam_chunk chunk;
    const struct sam_chunk_span span = {SAM_LAYOUT_E4M3, 0, 0, COUNT};
    assert_null(sam_chunk_parse(s.chunks.data, s.chunks.size, &span, &chunk));
    for (unsigned b = 0; b < 3; b++) {
        size_t at = chunk.block[b].offset + test_below(&random, chunk.block[b].size);
        s.chunks.data[at] ^= 0x10;
        struct unit unit = (b % 2 ? unit_scattered : unit_new)(s.chunks.data, s.chunks.size, COUNT);
        struct sam_weight_record r = decode_record(&unit, &s);
        uint64_t good = (uint64_t)b * SAM_CHUNK_BLOCK_SIZE;
        struct sam_weight_result result = unit_run(&unit, &r);
        expect(&unit, result, SAM_WEIGHT_IS_DAMAGED, good, good);
        assert_int_equal(result.damaged_block, b);
        expect_output(&unit, 0, s.file.data, (size_t)good);
        unit_free(&unit);
        /* The others do not need it. */
        unit = unit_new(s.chunks.data, s.chunks.size, COUNT);
        r.first_low = b == 0 ? SAM_CHUNK_BLOCK_SIZE : 0;
        r.elements_low = SAM_CHUNK_BLOCK_SIZE;
        result = unit_run(&unit, &r);
        expect(&unit, result, SAM_WEIGHT_IS_GOOD, SAM_CHUNK_BLOCK_SIZE, SAM_CHUNK_BLOCK_SIZE);
        expect_output(&unit, 0, s.file.data + r.first_low, SAM_CHUNK_BLOCK_SIZE);
        unit_free(&unit);
        s.chunks.data[at] ^= 0x10;
    }
}

/* The second chunk's header, and a truncated source: the failing block is the first of that
 * chunk. */
TEST(a_damaged_chunk)
{
    enum { COUNT = SAM_CHUNK + 2000 };
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_E4M3, COUNT, &layouts[0], &random);
    uint32_t second = sam_le32(s.chunks.data + 8), cuts[] = {0, 1, 15, 16, 17, 64};
    SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, COUNT);
    struct sam_weight_record r = decode_record(&unit, &s);
    for (size_t i = 0; i < SAM_COUNT(cuts); i++) {
        r.source_bytes = second + cuts[i];
        struct sam_weight_result result = unit_run(&unit, &r);
        expect(&unit, result, SAM_WEIGHT_IS_DAMAGED, SAM_CHUNK, SAM_CHUNK);
        assert_int_equal(result.damaged_block, SAM_CHUNK_BLOCKS);
    }
    uint8_t byte = (uint8_t)(s.chunks.data[second + 20] ^ 1);
    assert_int_equal(sam_host_write(unit.memory, NULL, SOURCE + second + 20, &byte, 1, NULL),
                     SAM_OK);
    r.source_bytes = (uint32_t)s.chunks.size;
    struct sam_weight_result result = unit_run(&unit, &r);
    expect(&unit, result, SAM_WEIGHT_IS_DAMAGED, SAM_CHUNK, SAM_CHUNK);
    assert_int_equal(result.damaged_block, SAM_CHUNK_BLOCKS);
    expect_output(&unit, 0, s.file.data, SAM_CHUNK);
}

/* Random damage in the source and in the record: whatever comes of it, memory outside of what the
 * unit says that it wrote is as before (unit_run), and what it wrote are the right elements. */
TEST(damage_of_every_kind)
{
    uint64_t random = test_seed();
    const struct sam_codec_options window = {.size = sizeof window, .window = true};
    struct sample samples[] = {make_sample(SAM_E5M2, 3000, &layouts[0], &random),
                               make_sample(SAM_E5M2, 3000, &window, &random)};
    unsigned seen[5] = {0};
    for (unsigned round = 0; round < 8000; round++) {
        const struct sample s = samples[round / 4000];
        SCOPED(packed) work = {malloc(s.chunks.size), s.chunks.size};
        assert_non_null(work.data);
        memcpy(work.data, s.chunks.data, work.size);
        if (round % 2)
            work.data[test_below(&random, work.size)] ^= (uint8_t)(1u << test_below(&random, 8));
        SCOPED(unit) unit = unit_new(work.data, work.size, 3000);
        struct sam_weight_record r = decode_record(&unit, &s);
        if (round % 4 < 2) {
            uint32_t value = (uint32_t)test_random(&random) >> test_below(&random, 32);
            memcpy((uint8_t *)&r + 4 * test_below(&random, 16), &value, sizeof value);
        } else if (round % 8 > 4) {
            r.operation = SAM_WEIGHT_ROWS | (uint32_t)test_below(&random, 5) << 8;
            r.elements_high = (uint32_t)test_below(&random, 1500);
            r.elements_low = (uint32_t)test_below(&random, 1000);
        }
        struct sam_weight_result result = unit_run(&unit, &r);
        assert_true(result.status < SAM_COUNT(seen));
        seen[result.status]++;
        if (r.operation == SAM_WEIGHT_DECODE && r.packed_type == r.output_type && result.bytes)
            expect_output(&unit, r.destination - DESTINATION, s.file.data + r.first_low,
                          result.bytes);
    }
    for (size_t i = 0; i < SAM_COUNT(seen); i++)
        assert_true(seen[i] > 0);
    for (size_t i = 0; i < SAM_COUNT(samples); i++)
        sample_free(&samples[i]);
}

/* --- ranges */

/* Rows of any distance, each where its part of the room begins: the elements, and nothing between
 * the rows. */
TEST(rows_of_elements)
{
    static const enum sam_dtype types[][2] = {{SAM_BF16, SAM_BF16}, {SAM_BF16, SAM_F32},
                                              {SAM_E4M3, SAM_F16},  {SAM_E5M2, SAM_E5M2},
                                              {SAM_E2M1, SAM_E2M1}, {SAM_F32, SAM_F32}};
    const struct sam_codec_options window = {.size = sizeof window, .window = true};
    uint64_t random = test_seed();
    for (unsigned round = 0; round < 120; round++) {
        const enum sam_dtype from = types[round % 6][0], to = types[round % 6][1];
        const size_t bits = sam_dtype_bits(from), size = sam_dtype_bits(to);
        const size_t all = round % 4 ? 20000 : 60; /* small: of layout SHARED */
        SCOPED(sample) s =
            make_sample(from, all * bits / 8, round % 2 ? &window : &layouts[0], &random);
        FREED uint8_t *wide = test_room(all * size / 8);
        if (to == from)
            memcpy(wide, s.file.data, all * size / 8);
        else
            assert_int_equal(sam_dtype_widen(from, to, s.file.data, all, wide, NULL), SAM_OK);
        SCOPED(unit) unit = (round % 3 ? unit_scattered : unit_new)(s.chunks.data, s.chunks.size,
                                                                    all * sizeof(uint64_t));
        struct sam_weight_record r = decode_record(&unit, &s);
        const uint64_t rows = 1 + test_below(&random, 6),
                       count = test_below(&random, all / 8 + 1) & ~UINT64_C(1),
                       apart = test_below(&random, all / 8) & ~UINT64_C(1),
                       last = (rows - 1) * apart,
                       first = test_below(&random, all - last - count) & ~UINT64_C(1);
        const uint64_t bytes = count * size / 8, room = bytes + test_below(&random, 9);
        r.operation = SAM_WEIGHT_ROWS | (uint32_t)rows << 8;
        r.output_type = to;
        r.first_low = (uint32_t)(s.piece.layout == SAM_LAYOUT_SHARED ? first * bits / 8 : first);
        r.elements_low = (uint32_t)count;
        r.elements_high = (uint32_t)apart;
        r.destination_bytes = (uint32_t)(rows * room + test_below(&random, rows));
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, rows * bytes, rows * count);
        FREED uint8_t *have = test_room(room * rows + 1);
        unit_read(&unit, DESTINATION, have, room * rows);
        for (uint64_t n = 0; n < rows; n++) {
            const uint64_t at = (first + n * apart) * size / 8;
            assert_memory_equal(have + n * room, wide + at, bytes);
            for (uint64_t i = bytes; i < room; i++)
                assert_int_equal(have[n * room + i], CANARY);
        }
    }
}

/* The segments of a record divide its elements and its output, and name no byte twice. Returns the
 * bytes that they name. */
static uint64_t check_segments(const struct system_weight_work *work, uint64_t elements)
{
    uint64_t bytes = 0, sum = 0, output = 0;
    for (size_t i = 0; i < work->segment_count; i++) {
        const struct system_weight_segment *s = &work->segments[i];
        assert_true(s->destination == work->record.destination + output);
        output += s->destination_bytes;
        sum += s->elements;
        for (size_t k = s->read; k < s->read + s->reads; k++)
            bytes += work->spans[k].bytes;
    }
    assert_int_equal(sum, elements);
    assert_int_equal(output, work->result.bytes);
    return bytes;
}

/* Of a range that ends at a restart point, a decoder reads its share of the block and little more;
 * without restart points at most the streams that it is in. */
TEST(a_range_reads_what_it_needs)
{
    enum { COUNT = SAM_CHUNK_BLOCK_SIZE, STREAM = (COUNT + SAM_STREAMS - 1) / SAM_STREAMS };
    uint64_t random = test_seed();
    for (unsigned restart = 0; restart < 2; restart++) {
        const struct sam_codec_options options = {.size = sizeof options, .restart = restart};
        SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, &options, &random);
        SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, 2 * COUNT);
        const double share = (double)s.chunks.size / COUNT;
        for (unsigned round = 0; round < 40; round++) {
            struct sam_weight_record r = decode_record(&unit, &s);
            const uint64_t points = COUNT / SAM_RESTART, first = test_below(&random, points),
                           end = first + 1 + test_below(&random, points - first);
            r.first_low = (uint32_t)(first * SAM_RESTART);
            r.elements_low = (uint32_t)((end - first) * SAM_RESTART);
            expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, 2 * r.elements_low,
                   r.elements_low);
            const double bytes = (double)check_segments(&unit.work, r.elements_low),
                         most = r.elements_low + 2. * (restart ? 0 : STREAM);
            assert_true(bytes > r.elements_low);
            assert_true(bytes <= 1.03 * share * most + 64);
            assert_true(restart == 0 || unit.work.segment_count >= 5 || end - first < 5);
        }
    }
}

/* A range of a window reads its groups and the table of their block. */
TEST(a_window_is_read_by_groups)
{
    enum { COUNT = SAM_CHUNK_BLOCK_SIZE + 5000, GROUP = 1024 };
    uint64_t random = test_seed();
    const struct sam_codec_options options = {.size = sizeof options, .window = true};
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, &options, &random);
    SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, 2 * COUNT);
    for (unsigned round = 0; round < 40; round++) {
        struct sam_weight_record r = decode_record(&unit, &s);
        const uint64_t first = test_below(&random, COUNT),
                       count = 1 + test_below(&random, COUNT - first);
        r.first_low = (uint32_t)first;
        r.elements_low = (uint32_t)count;
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, 2 * count, count);
        FREED uint8_t *have = test_room(2 * count);
        unit_read(&unit, DESTINATION, have, 2 * count);
        assert_memory_equal(have, s.file.data + 2 * first, 2 * count);
        const uint64_t bytes = check_segments(&unit.work, count);
        const uint64_t groups = (first + count - 1) / GROUP - first / GROUP + 1;
        assert_in_range(unit.work.segment_count, groups, groups);
        assert_true((double)bytes < 1.05 * (double)s.chunks.size / COUNT * GROUP * (double)groups);
    }
}

/* Groups without escapes have no bytes of them, also where the list of bytes is full. */
TEST(groups_without_escapes)
{
    enum { COUNT = SAM_CHUNK_BLOCK_SIZE, GROUP = 1024 };
    uint64_t random = test_seed();
    const struct sam_codec_options options = {.size = sizeof options, .window = true};
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, SAM_BF16, 2 * COUNT);
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, &options, &random);
    for (size_t i = 0; i < COUNT; i++) { /* from 1 to 2, of both signs */
        s.file.data[2 * i] |= 0x80;
        s.file.data[2 * i + 1] = (s.file.data[2 * i + 1] & 0x80) | 0x3f;
    }
    free(s.chunks.data);
    SCOPED(packed) packed = pack(&weights, s.file.data, &options);
    s.chunks = chunks_of(&packed);
    SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, 2 * COUNT);
    struct sam_weight_record r = decode_record(&unit, &s);
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, 2 * COUNT, COUNT);
    expect_output(&unit, 0, s.file.data, 2 * COUNT);
    assert_int_equal(unit.work.segment_count, COUNT / GROUP);
    for (size_t i = 0; i < COUNT / GROUP; i++) {
        assert_int_equal(unit.work.segments[i].escapes, 0);
        assert_int_equal(unit.work.segments[i].reads, 2);
    }
    assert_true(check_segments(&unit.work, COUNT) < s.chunks.size);
}

/* A damaged group is found by the records that decode a part of it, and by no others. */
TEST(a_damaged_group)
{
    enum { COUNT = 10000, GROUP = 1024 };
    uint64_t random = test_seed();
    const struct sam_codec_options options = {.size = sizeof options, .window = true};
    for (unsigned wide = 0; wide < 2; wide++) {
        const enum sam_dtype type = wide ? SAM_E4M3 : SAM_BF16;
        const size_t size = wide ? 1 : 2;
        SCOPED(sample) s = make_sample(type, size * COUNT, &options, &random);
        const size_t table = sam_le16(s.chunks.data + 12);
        size_t group = table + 2 + 2 * ((COUNT + GROUP - 1) / GROUP);
        for (unsigned g = 0; g < 5; g++)
            group += sam_le16(s.chunks.data + table + 2 + 2 * g);
        s.chunks.data[group + test_below(&random, 500)] ^= 0x10; /* the sixth */
        SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, 2 * COUNT);
        for (unsigned round = 0; round < 50; round++) {
            struct sam_weight_record r = decode_record(&unit, &s);
            const uint64_t first = test_below(&random, COUNT),
                           count = 1 + test_below(&random, COUNT - first);
            const bool good = first >= UINT64_C(6) * GROUP || first + count <= UINT64_C(5) * GROUP;
            r.first_low = (uint32_t)first;
            r.elements_low = (uint32_t)count;
            r.output_type = wide ? SAM_F16 : SAM_BF16;
            expect(&unit, unit_run(&unit, &r), good ? SAM_WEIGHT_IS_GOOD : SAM_WEIGHT_IS_DAMAGED,
                   good ? 2 * count : 0, good ? count : 0);
        }
    }
}

/* A restart point that is not that of its stream damages a record of a part of the block; one of
 * the whole block needs none. */
TEST(forged_restart_points)
{
    enum { COUNT = SAM_CHUNK_BLOCK_SIZE };
    uint64_t random = test_seed();
    const struct sam_codec_options options = {.size = sizeof options, .restart = true};
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, &options, &random);
    const size_t header = sam_le16(s.chunks.data + 12);
    for (size_t left = 1; left <= sam_restart_points(COUNT); left++) {
        const size_t point = header - SAM_RESTART_BYTES * left;
        const uint8_t before = s.chunks.data[point];
        s.chunks.data[point] ^= (uint8_t)(1u << test_below(&random, 8));
        sam_put_le64(s.chunks.data, sam_codec_base.hash(s.chunks.data + 8, header - 8, 0));
        struct unit unit = unit_new(s.chunks.data, s.chunks.size, 2 * COUNT);
        struct sam_weight_record r = decode_record(&unit, &s);
        r.first_low = (uint32_t)test_below(&random, COUNT / 2);
        r.elements_low = 1 + (uint32_t)test_below(&random, COUNT / 2);
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_DAMAGED, 0, 0);
        assert_non_null(strstr(unit.work.fault, "restart points"));
        expect_output(&unit, 0, "", 0);
        r.first_low = 0;
        r.elements_low = COUNT;
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, 2 * COUNT, COUNT);
        unit_free(&unit);
        s.chunks.data[point] = before;
    }
}

/* A range that is off by one at either end is refused. */
static void refuse_ranges(const struct sam_codec_options *options)
{
    enum { COUNT = 5000 };
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, options, &random);
    SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, 2 * COUNT);
    static const uint32_t ranges[][2] = {{0, COUNT + 1}, {1, COUNT}, {COUNT, 1}, {UINT32_MAX, 2}};
    for (size_t i = 0; i < SAM_COUNT(ranges); i++) {
        struct sam_weight_record r = decode_record(&unit, &s);
        r.first_low = ranges[i][0];
        r.elements_low = ranges[i][1];
        expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_RECORD, 0, 0);
        expect_output(&unit, 0, "", 0);
    }
    struct sam_weight_record r = decode_record(&unit, &s);
    r.destination_bytes--;
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_DESTINATION, 0, 0);
    expect_output(&unit, 0, "", 0);
}

TEST(ranges_off_by_one)
{
    const struct sam_codec_options windows = {.size = sizeof windows, .window = true};
    refuse_ranges(&layouts[0]);
    refuse_ranges(&windows);
}

/* The work of a record, for models of time. */
TEST(work_of_records)
{
    enum { COUNT = SAM_CHUNK + SAM_CHUNK_BLOCK_SIZE };
    uint64_t random = test_seed();
    SCOPED(sample) s = make_sample(SAM_BF16, 2 * COUNT, &layouts[0], &random);
    SCOPED(unit) unit = unit_new(s.chunks.data, s.chunks.size, 2 * COUNT);
    struct sam_weight_record r = decode_record(&unit, &s);
    const struct system_weight_work *work = &unit.work;
    /* The last element: two headers, and one block of the second chunk. */
    r.first_low = COUNT - 1;
    r.elements_low = 1;
    expect(&unit, unit_run(&unit, &r), SAM_WEIGHT_IS_GOOD, 2, 1);
    uint32_t second = sam_le32(s.chunks.data + 8);
    assert_int_equal(work->count, 3);
    assert_int_equal(work->blocks[0].source, SOURCE);
    assert_int_equal(work->blocks[0].source_bytes, sam_le16(s.chunks.data + 12));
    assert_int_equal(work->blocks[0].destination_bytes, 0);
    assert_int_equal(work->blocks[1].source, SOURCE + second);
    assert_int_equal(work->blocks[1].cost.coded, 0);
    assert_int_equal(work->blocks[2].source,
                     SOURCE + second + sam_le16(s.chunks.data + second + 12));
    assert_int_equal(work->blocks[2].cost.codes, 1);
    assert_int_equal(work->blocks[2].cost.coded, SAM_CHUNK_BLOCK_SIZE);
    assert_int_equal(work->blocks[2].destination, DESTINATION);
    assert_int_equal(work->blocks[2].destination_bytes, 2);
    /* Counting: block by block, then the counters. */
    SCOPED(unit) counter = unit_new(s.file.data, s.file.size, 1024);
    r = unit_record(&counter, SAM_WEIGHT_COUNT, SAM_BF16, SAM_LAYOUT_BF16, COUNT);
    expect(&counter, unit_run(&counter, &r), SAM_WEIGHT_IS_GOOD, 1024, COUNT);
    assert_int_equal(counter.work.count, COUNT / SAM_CHUNK_BLOCK_SIZE + 1);
    for (size_t i = 0; i + 1 < counter.work.count; i++) {
        assert_int_equal(counter.work.blocks[i].source, SOURCE + 2 * i * SAM_CHUNK_BLOCK_SIZE);
        assert_int_equal(counter.work.blocks[i].source_bytes, 2 * SAM_CHUNK_BLOCK_SIZE);
        assert_int_equal(counter.work.blocks[i].counted, SAM_CHUNK_BLOCK_SIZE);
        assert_int_equal(counter.work.blocks[i].destination_bytes, 0);
    }
    assert_int_equal(counter.work.blocks[counter.work.count - 1].destination_bytes, 1024);
}
