/* SPDX-License-Identifier: Apache-2.0 */
/* The weight unit: records that decode, encode or count weights in memory. docs/system-rulings.md
 * has its rules, device/units.def the words of a record. The codec does the work; this file has the
 * checks of a record and the list of its accesses and costs, for the time model and the race check.
 */
#ifndef SAM_SYSTEM_WEIGHT_H
#define SAM_SYSTEM_WEIGHT_H

#include "codec/chunks.h"
#include "machine/machine.h"
#include "samite/device/layout.h"

/* Bytes of memory. */
struct system_weight_span {
    uint64_t address, bytes;
    bool codes; /* as in struct sam_segment_bytes */
};

/* The operation of a record, without the number of rows. */
static inline uint32_t sam_weight_operation(const struct sam_weight_record *r)
{
    return r->operation & 0xff;
}

/* As in struct sam_segment: elements of the layout, decoded by one engine. */
struct system_weight_segment {
    uint64_t elements, skipped, escapes;
    unsigned coded_bits;
    bool down;
    size_t read, reads; /* in the list of spans */
    uint64_t destination, destination_bytes;
};

/* A step of a record, in order: the header of a chunk, or a block. Decoding reads the header of
 * each chunk up to the last chunk needed, without output, and for each block the bytes needed
 * for its elements. Encoding reads elements block by block and writes a header, then the blocks,
 * the last of which ends with the padding of the chunk; the first step reads the counters, if
 * there are any. Counting reads elements block by block, and its last step writes the counters. */
struct system_weight_block {
    uint64_t source, source_bytes;           /* from the first byte to the last; 0 bytes: none */
    uint64_t destination, destination_bytes; /* 0 bytes: nothing is written */
    struct sam_chunk_cost cost;              /* of an encoded block, the cost of decoding it */
    uint64_t counted;                        /* symbols counted for a code, or counted */
    uint64_t id;                             /* of the header of a chunk to decode */
    struct system_weight_span head, next;    /* of a block to decode: its head and the next one's */
    enum sam_chunk_block_mode mode;
    uint64_t number, size, first; /* in the piece; its bytes; the first element decoded */
    size_t segment, segments;
};

/* An executed record. */
struct system_weight_work {
    struct sam_weight_record record;
    struct sam_weight_result result; /* its status is that of the record */
    uint32_t result_address;         /* of the result in memory; 0: none */
    bool counted;                    /* an encode with counters from memory */
    char fault[160];                 /* reason of a status other than SAM_WEIGHT_IS_GOOD */
    struct system_weight_block *blocks;
    size_t count, capacity;
    struct system_weight_segment *segments;
    struct system_weight_span *spans;
    size_t segment_count, segment_capacity, span_count, span_capacity;
    struct sam_chunks_room room; /* of the decoder */
};

/* Execute the record `words` at `address`. Symbols are counted with `counter`, or exactly if
 * that is NULL. A decoder has `engines`; 0: the work has no segments, and blocks are whole.
 * Returns SAM_OK also for a record that fails; SAM_ERR_MEMORY: the host is out of memory. `work`
 * is initially zero, and may be reused. */
enum sam_status sam_system_weight_run(struct sam_memory *memory, uint32_t address,
                                      const uint32_t words[16], const struct sam_counter *counter,
                                      unsigned engines, struct system_weight_work *work,
                                      struct sam_error *error);
void sam_system_weight_free(struct system_weight_work *work);

/* directory.c: map the packed file `data` at `address`, a multiple of SAM_SYSTEM_WEIGHTS_ALIGN, or
 * if that is 0 in the first free buffer, and after it a directory, whose address goes to
 * *directory. SAM_ERR_INPUT: not a packed file, or damaged; SAM_ERR_USAGE: no room there. */
enum { SAM_SYSTEM_WEIGHTS_ALIGN = SAM_ALIGN };
enum sam_status sam_system_weights_map(struct sam_memory *memory, const void *data, size_t size,
                                       uint64_t address, uint32_t *directory,
                                       struct sam_error *error);

#endif
