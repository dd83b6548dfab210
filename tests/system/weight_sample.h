/* SPDX-License-Identifier: Apache-2.0 */
/* Weights for records, and checks of a record's output. */
#ifndef TEST_WEIGHT_SAMPLE_H
#define TEST_WEIGHT_SAMPLE_H

#include "codec/chunks_in_memory.h"
#include "system/weight_unit.h"

/* Random weights, and their chunks as sam_pack makes them. */
struct sample {
    struct packed file, chunks;
    struct sam_chunks_piece piece;
};

struct sample make_sample(enum sam_dtype type, size_t size, const struct sam_codec_options *options,
                          uint64_t *random);
void sample_free(struct sample *s);
struct sam_weight_record decode_record(const struct unit *unit, const struct sample *s);
void expect(const struct unit *unit, struct sam_weight_result result, uint32_t status,
            uint64_t bytes, uint64_t elements);
/* `size` bytes of the destination from `at` on equal `wanted`; the rest is unchanged. */
void expect_output(struct unit *unit, size_t at, const void *wanted, size_t size);

#endif
