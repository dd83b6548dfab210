/* SPDX-License-Identifier: Apache-2.0 */

#include "test.h"

#include "system/weight_unit.h"

/* The host's memory in another order than the addresses. */
static void scatter(struct sam_memory *memory, uint64_t base, size_t size)
{
    enum { STEP = 1 << 16, STRIDE = 3 };
    for (unsigned first = STRIDE; first-- > 0;)
        for (uint64_t at = first * (uint64_t)STEP; at < size; at += STRIDE * STEP)
            assert_non_null(sam_memory_host(memory, base + at));
}

static struct unit make_unit(const void *source, size_t size, size_t destination_size,
                             bool scattered)
{
    const struct sam_memory_rules rules = {.bits = 32};
    struct unit unit = {.memory = sam_memory_new(&rules),
                        .source_size = size,
                        .destination_size = destination_size};
    FREED uint8_t *canary = malloc(destination_size + 1);
    assert_non_null(unit.memory);
    assert_non_null(canary);
    memset(canary, CANARY, destination_size);
    if (scattered) {
        scatter(unit.memory, SOURCE, size);
        scatter(unit.memory, DESTINATION, destination_size);
    }
    succeeds(sam_host_map, unit.memory, RECORDS, RECORDS_SIZE);
    succeeds(sam_host_map, unit.memory, SOURCE, size);
    succeeds(sam_host_map, unit.memory, DESTINATION, destination_size);
    succeeds(sam_host_write, unit.memory, NULL, SOURCE, source, size);
    succeeds(sam_host_write, unit.memory, NULL, DESTINATION, canary, destination_size);
    return unit;
}

struct unit unit_new(const void *source, size_t size, size_t destination_size)
{
    return make_unit(source, size, destination_size, false);
}

struct unit unit_scattered(const void *source, size_t size, size_t destination_size)
{
    return make_unit(source, size, destination_size, true);
}

void unit_free(struct unit *unit)
{
    sam_system_weight_free(&unit->work);
    sam_memory_free(unit->memory);
}

void unit_read(struct unit *unit, uint64_t address, void *data, size_t size)
{
    succeeds(sam_host_read, unit->memory, address, data, size);
}

struct sam_weight_record unit_record(const struct unit *unit, uint32_t operation, uint32_t type,
                                     uint32_t layout, uint64_t elements)
{
    return (struct sam_weight_record){
        .operation = operation,
        .packed_type = type,
        .output_type = type,
        .source = SOURCE,
        .source_bytes = (uint32_t)unit->source_size,
        .destination = DESTINATION,
        .destination_bytes = (uint32_t)unit->destination_size,
        .elements_low = (uint32_t)elements,
        .elements_high = (uint32_t)(elements >> 32),
        .result = RESULT_AT,
        .layout = layout,
        .total_low = (uint32_t)elements,
        .total_high = (uint32_t)(elements >> 32),
    };
}

/* All buffers: the page of records, the source, the destination. */
static uint8_t *shot(struct unit *unit)
{
    uint8_t *bytes = test_room(RECORDS_SIZE + unit->source_size + unit->destination_size);
    unit_read(unit, RECORDS, bytes, RECORDS_SIZE);
    unit_read(unit, SOURCE, bytes + RECORDS_SIZE, unit->source_size);
    unit_read(unit, DESTINATION, bytes + RECORDS_SIZE + unit->source_size, unit->destination_size);
    return bytes;
}

/* Make these bytes equal in both snapshots. They must lie in the destination, or be the result. */
static void forgive(const struct unit *unit, uint8_t *before, const uint8_t *after, uint64_t at,
                    uint64_t size)
{
    uint64_t offset = at - RECORDS;
    if (at != RESULT_AT) {
        assert_true(at >= DESTINATION && at + size <= DESTINATION + unit->destination_size);
        offset = RECORDS_SIZE + unit->source_size + (at - DESTINATION);
    }
    memcpy(before + offset, after + offset, (size_t)size);
}

/* The read and written ranges of a segment lie within those of its block. */
static void check_segment(const struct system_weight_work *work,
                          const struct system_weight_block *b,
                          const struct system_weight_segment *s)
{
    assert_true(s->destination >= b->destination &&
                s->destination + s->destination_bytes <= b->destination + b->destination_bytes);
    for (size_t i = s->read; i < s->read + s->reads; i++)
        assert_true(work->spans[i].address >= b->source &&
                    work->spans[i].address + work->spans[i].bytes <= b->source + b->source_bytes);
}

struct sam_weight_result unit_run(struct unit *unit, const struct sam_weight_record *record)
{
    struct sam_weight_result result;
    uint8_t bytes[sizeof *record], words[sizeof result];
    for (size_t i = 0; i < sizeof bytes; i += 4) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)record + i, sizeof word);
        sam_put_le32(bytes + i, word);
    }
    succeeds(sam_host_write, unit->memory, NULL, RECORDS, bytes, sizeof bytes);
    FREED uint8_t *before = shot(unit);
    succeeds(sam_system_weight_run, unit->memory, RECORDS, (const uint32_t *)record, unit->counter,
             SAM_STREAMS, &unit->work);
    FREED uint8_t *after = shot(unit);
    const struct system_weight_work *work = &unit->work;
    uint64_t written = 0;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        if (b->source_bytes) /* of what it was given */
            assert_true(
                (work->counted && i == 0 && b->source == record->first_low) ||
                (b->source >= record->source &&
                 b->source + b->source_bytes <= (uint64_t)record->source + record->source_bytes));
        for (size_t k = b->segment; k < b->segment + b->segments; k++)
            check_segment(work, b, &work->segments[k]);
        if (b->destination_bytes)
            forgive(unit, before, after, b->destination, b->destination_bytes);
        written += b->destination_bytes;
    }
    if (work->result_address)
        forgive(unit, before, after, work->result_address, sizeof result);
    assert_memory_equal(after, before, RECORDS_SIZE + unit->source_size + unit->destination_size);
    assert_int_equal(written, work->result.bytes);
    assert_int_equal(!work->fault[0], work->result.status == SAM_WEIGHT_IS_GOOD);
    if (!work->result_address)
        return work->result;
    unit_read(unit, work->result_address, words, sizeof words);
    result = (struct sam_weight_result){sam_le32(words), sam_le32(words + 4), sam_le32(words + 8),
                                        sam_le32(words + 12), sam_le32(words + 16)};
    assert_memory_equal(&result, &work->result, sizeof result);
    return result;
}
