/* SPDX-License-Identifier: Apache-2.0 */
#include "system/weight_sample.h"

#include "test.h"

#include "codec/weights.h"

struct sample make_sample(enum sam_dtype type, size_t size, const struct sam_codec_options *options,
                          uint64_t *random)
{
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, type, size);
    struct sample s = {.file = {malloc(size), size}, .piece = piece_of(type, size, options)};
    assert_non_null(s.file.data);
    test_weights(type, s.file.data, size, 0.02, random);
    SCOPED(packed) packed = pack(&weights, s.file.data, options);
    s.chunks = chunks_of(&packed);
    return s;
}

void sample_free(struct sample *s)
{
    free(s->file.data);
    free(s->chunks.data);
}

struct sam_weight_record decode_record(const struct unit *unit, const struct sample *s)
{
    return unit_record(unit, SAM_WEIGHT_DECODE, s->piece.type, s->piece.layout, s->piece.count);
}

void expect(const struct unit *unit, struct sam_weight_result result, uint32_t status,
            uint64_t bytes, uint64_t elements)
{
    if (result.status != status)
        fail_msg("status %u, not %u: %s", result.status, status, unit->work.fault);
    assert_int_equal(result.bytes, bytes);
    assert_int_equal(result.elements, elements);
}

void expect_output(struct unit *unit, size_t at, const void *wanted, size_t size)
{
    FREED uint8_t *have = test_room(unit->destination_size), *all = malloc(unit->destination_size);
    assert_non_null(all);
    memset(all, CANARY, unit->destination_size);
    memcpy(all + at, wanted, size);
    unit_read(unit, DESTINATION, have, unit->destination_size);
    assert_memory_equal(have, all, unit->destination_size);
}
