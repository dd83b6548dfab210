/* SPDX-License-Identifier: Apache-2.0 */
/* A memory with a weight unit on it, and records for it. */
#ifndef TEST_WEIGHT_UNIT_H
#define TEST_WEIGHT_UNIT_H

#include "samite/codec.h"
#include "system/weight.h"

/* Buffers of a test. */
#define RECORDS     UINT32_C(0x40000000) /* a page of the program */
#define RESULT_AT   (RECORDS + 64)
#define SOURCE      UINT32_C(0x90000000)
#define DESTINATION UINT32_C(0xa0000000)
enum { RECORDS_SIZE = 4096, CANARY = 0xc5 };

struct unit {
    struct sam_memory *memory;
    struct system_weight_work work;
    const struct sam_counter *counter; /* NULL: exact */
    size_t source_size, destination_size;
};

/* A source with these bytes, and a destination filled with CANARY. */
struct unit unit_new(const void *source, size_t size, size_t destination_size);
/* The same, with contiguous memory scattered over the host. */
struct unit unit_scattered(const void *source, size_t size, size_t destination_size);
void unit_free(struct unit *unit);
void unit_read(struct unit *unit, uint64_t address, void *data, size_t size);

/* A record over the unit's whole source and destination. */
struct sam_weight_record unit_record(const struct unit *unit, uint32_t operation, uint32_t type,
                                     uint32_t layout, uint64_t elements);
/* Write it to memory and run it; returns the result read from memory, which must be that of
 * `work`. All memory but the result and the ranges reported in `work` must be unchanged. */
struct sam_weight_result unit_run(struct unit *unit, const struct sam_weight_record *record);

#endif
